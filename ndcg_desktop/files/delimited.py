"""Delimited text (.csv, .tsv, .txt) in the dialects that spreadsheets write."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ndcg_desktop.files.header import Grid, columns_of, find_header
from ndcg_desktop.files.table import Cancelled, Dialect, FileError, Table

if TYPE_CHECKING:
    import _csv

DELIMITERS = ",;\t|"
LINES_SNIFFED = 200
ROWS_BETWEEN_LOOKS = 20_000
LONGEST_CELL = 16 * 1024 * 1024
BYTE_ORDER_MARK = "\ufeff"

csv.field_size_limit(LONGEST_CELL)


def decode(path: Path, data: bytes) -> tuple[str, str]:
    """Decode a file: its text, and the encoding that gives its very bytes again.

    That is UTF-16 by its byte order mark or its zeros, UTF-8, or else Windows-1252, or else
    Latin-1. A byte order mark stays in the text, as its first character. Raises FileError for
    bytes that are no text.
    """
    text, encoding = _decoded(data)
    control = sum(text.count(chr(code)) for code in (*range(9), *range(14, 32)))
    if "\0" in text or control > len(text) // 100:
        raise FileError(path, "This is not text, nor any kind of table that can be read here.")
    return text, encoding


def _decoded(data: bytes) -> tuple[str, str]:
    for encoding in (_encoding(data), "cp1252"):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding), encoding
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
    return Dialect(encoding, delimiter, _quotes_hold(lines, delimiter))


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


def read_delimited(
    path: Path,
    data: bytes,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> Table:
    """Read a table of delimited text. Raises FileError for what is none, and Cancelled."""
    text, encoding = decode(path, data)
    lines = split_lines(text.removeprefix(BYTE_ORDER_MARK))
    rows: list[list[str]] = []
    numbers: list[int] = []
    try:
        dialect = sniff(lines, encoding)
        for place, (row, begin, _) in enumerate(records(lines, dialect)):
            if place % ROWS_BETWEEN_LOOKS == 0:
                if cancelled():
                    raise Cancelled
                progress(begin / len(lines))
            if any(field.strip() for field in row):
                rows.append(row)
                numbers.append(begin + 1)
    except csv.Error as error:
        raise FileError(
            path, f"This line cannot be read as a table ({error}).", row=len(rows)
        ) from error
    if not rows:
        raise FileError(path, "The file is empty.")
    return _table(path, rows, numbers, dialect)


def _table(path: Path, rows: list[list[str]], numbers: list[int], dialect: Dialect) -> Table:
    width = max(len(row) for row in rows)
    rows = [row if len(row) == width else row + [""] * (width - len(row)) for row in rows]
    grid = Grid(rows, numbers)
    header, first = find_header(grid)
    body = rows[first:]
    columns = columns_of(body, width)
    return Table(
        path=path,
        kind="delimited",
        header=header,
        columns=columns,
        row=np.array(numbers[first:], dtype=np.int32),
        dialect=dialect,
        above=grid.above(first),
    )
