"""Delimited text (.csv, .tsv, .txt) in the dialects that spreadsheets write."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.files.header import Grid, columns_of, find_header
from ndcg_desktop.files.numbers import number
from ndcg_desktop.files.odd_bytes import mended
from ndcg_desktop.files.table import Cancelled, Dialect, FileError, Table, evened
from ndcg_desktop.files.wide_rows import common_width, too_wide

if TYPE_CHECKING:
    import _csv

DELIMITERS = ",;\t|"
DELIMITER_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
LINES_SNIFFED = 200
WORDS_SPACED = (3, 6)
ROWS_BETWEEN_LOOKS = 20_000
ROWS_LOOKED_AT = 2_000
MOSTLY = 0.8
LONGEST_CELL = 16 * 1024 * 1024
BYTE_ORDER_MARK = "\ufeff"
_CONTROL = bytes((*range(9), *range(14, 32)))

csv.field_size_limit(LONGEST_CELL)


ENCODINGS = (
    "utf-8",
    "cp1252",
    "utf-16-le",
    "utf-16-be",
    "latin-1",
    "cp1250",
    "cp1251",
    "shift_jis",
)
"""Encodings that a person may choose, beside the one that was found."""


def chosen_encoding(dialect: Dialect | None) -> str:
    """The encoding that a person has chosen, empty where it is told from the bytes."""
    return dialect.encoding if dialect is not None and dialect.chosen else ""


def decode(path: Path, data: bytes, encoding: str = "") -> tuple[str, str]:
    """Decode a file: its text, and the encoding that gives its very bytes again.

    That is UTF-16 by its byte order mark or its zeros, UTF-8, or else Windows-1252, or else
    Latin-1. UTF-8 with a few odd bytes stays UTF-8; it does not give those bytes again. A byte
    order mark stays in the text, as its first character. Raises FileError for bytes that are no
    text, and for those that are none in the ``encoding`` that is named.
    """
    if encoding:
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            if encoding == "utf-8" and (most := mended(data)) is not None:
                return most[0], encoding
            raise FileError(path, f"The file is not written in the encoding {encoding}.") from None
    text, encoding = decoded(data)
    raw = text.encode() if encoding.startswith("utf-16") else data
    control = len(raw) - len(raw.translate(None, _CONTROL))
    if "\0" in text or control > len(text) // 100:
        raise FileError(path, "This is not text, nor any kind of table that can be read here.")
    return text, encoding


def decoded(data: bytes) -> tuple[str, str]:
    """Decode bytes as `decode` does, be they text or not."""
    for encoding in (_encoding(data), "cp1252"):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding), encoding
        if encoding == "utf-8" and (most := mended(data)) is not None:
            return most[0], encoding
    # Five bytes mean nothing in Windows-1252; in Latin-1 every byte means something.
    return data.decode("latin-1"), "latin-1"


def _encoding(data: bytes) -> str:
    if data.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    if data.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be"
    head = data[:4096]
    # Plain Latin text in UTF-16 has a zero in every other byte.
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if len(head) >= 4 and zeros.count(0) > 0.7 * len(zeros):
            return encoding
    return "utf-8"


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends, split at CR LF, LF and CR only."""
    return io.StringIO(text, newline="").readlines()


def sniff(lines: list[str], encoding: str) -> Dialect:
    """The delimiter, whether quotes mean anything, and where the table begins."""
    first = next((place for place, line in enumerate(lines) if line.strip()), 0)
    if lines and lines[first].strip().casefold().startswith("sep="):
        delimiter = lines[first].strip()[4:5]
        if delimiter:
            return Dialect(encoding, delimiter, _quotes_hold(lines, delimiter), first + 1)
    sample = [line for line in lines[:LINES_SNIFFED] if line.strip()]
    delimiter = max(DELIMITERS, key=lambda mark: _evenness(sample, mark))
    if _is_spaced(sample):
        return Dialect(encoding, " ", quoting=False)
    return Dialect(encoding, delimiter, _quotes_hold(lines, delimiter))


def _is_spaced(sample: list[str]) -> bool:
    """Whether every line is a few words with one space between two, the last a number: a ranking
    or judgments without a header, or with one. Without a number they may be a list of queries.
    """
    rows = [line.rstrip("\r\n").split(" ") for line in sample]
    sizes = {len(row) for row in rows}
    return (
        len(sizes) == 1
        and WORDS_SPACED[0] <= sizes.pop() <= WORDS_SPACED[1]
        and all(all(row) for row in rows)
        and not any(mark in line for line in sample for mark in DELIMITERS)
        and all(number(row[-1]) is not None for row in rows[1:] or rows)
    )


def _evenness(sample: list[str], delimiter: str, quoting: bool = True) -> tuple[float, int]:
    """How alike the rows are in their number of fields: the share of the commonest number."""
    rows = list(_reader(sample, Dialect("", delimiter, quoting)))
    sizes = Counter(len(row) for row in rows if row)
    sizes.pop(1, None)
    if not sizes:
        return 0.0, 0
    size, count = max(sizes.items(), key=lambda item: (item[1], item[0]))
    return count / len(rows), size


def _quotes_hold(lines: list[str], delimiter: str) -> bool:
    """Whether quotes enclose fields. In tab-separated text an inch mark or an unclosed quote
    would swallow the rows below it.
    """
    if delimiter != "\t":
        return True
    sample = [line for line in lines[:LINES_SNIFFED] if line.strip()]
    with_quotes, _ = _evenness(sample, delimiter)
    without, _ = _evenness(sample, delimiter, quoting=False)
    if with_quotes != without:
        return with_quotes > without
    quoted = [line for line in lines if '"' in line]
    fields = [field for line in quoted for field in line.rstrip("\r\n").split(delimiter)]
    opening = [field for field in fields if field.startswith('"')]
    return (
        bool(opening)
        and all(len(f) > 1 and f.endswith('"') for f in opening)
        and all(field.startswith('"') for field in fields if '"' in field)
    )


def _reader(lines: list[str], dialect: Dialect) -> _csv.Reader:
    if dialect.quoting:
        return csv.reader(lines, delimiter=dialect.delimiter)
    return csv.reader(lines, delimiter=dialect.delimiter, quoting=csv.QUOTE_NONE)


def records(lines: list[str], dialect: Dialect) -> Iterator[tuple[list[str], int, int]]:
    """Each record with the place of its first line and of the line after its last.

    Raises csv.Error where a field is longer than LONGEST_CELL.
    """
    reader = _reader(lines[dialect.first_line :], dialect)
    begin = dialect.first_line
    for row in reader:
        end = dialect.first_line + reader.line_num
        yield row, begin, end
        begin = end


@dataclass(slots=True)
class _Parsed:
    """The rows that are not empty, the numbers of their first lines, and from which line to which
    those go that are of several: by place, the line after the last not included.
    """

    rows: list[list[str]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    tall: list[tuple[int, int]] = field(default_factory=list)


def read_delimited(
    path: Path,
    data: bytes,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
    chosen: Dialect | None = None,
) -> Table:
    """Read a table of delimited text, with the encoding and delimiter that a person has chosen
    where there are some. Raises FileError for what is none, and Cancelled.

    A quote that is not closed before other rows is told.
    """
    text, encoding = decode(path, data, chosen_encoding(chosen))
    lines = split_lines(text.removeprefix(BYTE_ORDER_MARK))
    try:
        dialect = sniff(lines, encoding)
        if chosen is not None:
            quoting = _quotes_hold(lines, chosen.delimiter)
            dialect = replace(chosen, quoting=quoting, first_line=dialect.first_line)
    except csv.Error as error:
        longest = max(range(len(lines)), key=lambda place: len(lines[place]))
        raise _not_a_table(path, error, longest + 1) from error
    parsed = _parsed(path, lines, dialect, cancelled, progress)
    if not parsed.rows:
        raise FileError(path, "The file is empty.")
    suspects = _open_quotes(lines, dialect, parsed)
    if not suspects:
        return _table(path, parsed, dialect, lines)
    plain = replace(dialect, quoting=False)
    again = _parsed(path, lines, plain, cancelled, progress)
    if _are_text(again):
        done = "All quotes of the file were taken for text, which gives rows of equal width."
        return _told(_table(path, again, plain, lines), suspects, done)
    done = "Close it, or take it out: the rows up to the next quote were read as part of its cell."
    return _told(_table(path, parsed, dialect, lines), suspects, done)


def _parsed(
    path: Path,
    lines: list[str],
    dialect: Dialect,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> _Parsed:
    out = _Parsed()
    end = dialect.first_line
    try:
        for place, (row, begin, end) in enumerate(records(lines, dialect)):
            if place % ROWS_BETWEEN_LOOKS == 0:
                if cancelled():
                    raise Cancelled
                progress(begin / len(lines))
            if end - begin > 1:
                out.tall.append((begin, end))
            if any(cell.strip() for cell in row):
                out.rows.append(row)
                out.numbers.append(begin + 1)
    except csv.Error as error:
        raise _not_a_table(path, error, end + 1) from error
    return out


def _not_a_table(path: Path, error: csv.Error, row: int | None = None) -> FileError:
    if "field limit" in str(error):
        most = LONGEST_CELL // 1024**2
        return FileError(path, f"A cell of this row is longer than {most} MiB.", row=row)
    return FileError(path, f"This line cannot be read as a table ({error}).", row=row)


def _table(path: Path, parsed: _Parsed, dialect: Dialect, lines: list[str]) -> Table:
    rows = evened(path, parsed.rows)
    grid = Grid(rows, parsed.numbers)
    header, first = find_header(grid)
    width = common_width(parsed.rows) if header is None else len(parsed.rows[first - 1])
    table = Table(
        path=path,
        kind="delimited",
        header=header,
        columns=columns_of(rows[first:], len(rows[0])),
        row=np.array(parsed.numbers[first:], dtype=np.int32),
        dialect=dialect,
        above=grid.above(first),
    )
    return replace(table, findings=tuple(too_wide(table, width, lines)) if width > 1 else ())


# ---- a quote that is never closed


def _open_quotes(lines: list[str], dialect: Dialect, parsed: _Parsed) -> list[int]:
    """The rows with a cell whose further lines look like rows of the table themselves, or that
    goes on to the end of the file without a closing quote.
    """
    width = Counter(map(len, parsed.rows)).most_common(1)[0][0] if parsed.tall else 0
    figures = _figures(parsed, width) if parsed.tall else []
    found = []
    for begin, end in parsed.tall:
        inner = lines[begin + 1 : end - 1]
        like_rows = sum(line.count(dialect.delimiter) == width - 1 for line in inner)
        swallows = width > 1 and like_rows >= max(2, MOSTLY * len(inner))
        swallows = swallows or _joins_rows(lines[begin:end], dialect, width, figures)
        if swallows or (end == len(lines) and _ends_in_quotes(lines[begin:end], dialect)):
            found.append(begin + 1)
    return found


def _figures(parsed: _Parsed, width: int) -> list[int]:
    """The columns of which nearly all cells below the header are numbers or blank."""
    rows = [row for row in parsed.rows[1:ROWS_LOOKED_AT] if len(row) == width]
    return [
        place
        for place in range(width)
        if rows and sum(_is_figure(row[place]) for row in rows) >= MOSTLY * len(rows)
    ]


def _is_figure(cell: str) -> bool:
    return not cell.strip() or number(cell) is not None


def _joins_rows(record: list[str], dialect: Dialect, width: int, figures: list[int]) -> bool:
    """Whether each line of a record is a row of the table itself, with numbers where others have
    them, or a quote closes in the midst of a cell.
    """
    rows = [line.rstrip("\r\n").split(dialect.delimiter) for line in record]
    if any(len(row) != width for row in rows):
        return False
    fit = all(number(row[place]) is not None for row in rows for place in figures)
    return (bool(figures) and fit) or _is_malformed(record, dialect)


def _is_malformed(record: list[str], dialect: Dialect) -> bool:
    try:
        list(csv.reader(record, delimiter=dialect.delimiter, strict=True))
    except csv.Error:
        return True
    return False


def _ends_in_quotes(record: list[str], dialect: Dialect) -> bool:
    try:
        list(csv.reader(record, delimiter=dialect.delimiter, strict=True))
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def _are_text(parsed: _Parsed) -> bool:
    """Whether quotes may be text: the rows are of equal width so, and no cell is in a pair."""
    if len({len(row) for row in parsed.rows}) > 1 or len(parsed.rows[0]) == 1:
        return False
    cells = (cell for row in parsed.rows for cell in row if cell.startswith('"'))
    return not any(len(cell) > 1 and cell.endswith('"') for cell in cells)


def _told(table: Table, rows: list[int], done: str) -> Table:
    text = f"A quote opens on this row and does not close there. {done}"
    found = row_findings("warning", "open-quote", table.source, rows, lambda _: text)
    return replace(table, findings=(*found, *table.findings))
