"""Writes grades and notes into the text of a judgments file, and leaves every other byte as it is.

A file that is parsed and written anew loses its quotes, its line ends or its encoding. So each
record that changes is found in the text, its fields alone are replaced, and the record is parsed
again to see that nothing else of it has changed.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.delimited import (
    BYTE_ORDER_MARK,
    chosen_encoding,
    decode,
    records,
    split_lines,
)
from ndcg_desktop.files.labels import Labels, read_grade, written_grade
from ndcg_desktop.files.ltr import LTR_LINE
from ndcg_desktop.files.numbers import is_blank, number, number_text, uses_decimal_comma
from ndcg_desktop.files.table import Cell, Dialect, FileError, Table, Texts, cell_text

_QRELS_LINE = re.compile(
    r"""[\x01-\x20]*+ (?:[^\x00-\x20]++[\x01-\x20]++){3} "?([^\x00-\x20"]+)"? [\x01-\x20]*+""",
    re.VERBOSE,
)
"""As trec.py cuts a line: at spaces, tabs and other control characters. Group 1 is the grade."""

LINE_KINDS = ("qrels", "ltr")
"""Kinds of file with a line for each judgment: “not judged” can only be said by leaving it out."""

_MOVED = "There is no judgment on this row. Use Save as to write the grades to another file."
_UNCLEAR = (
    "The file's encoding is not clear enough to change it. Use Save as to write another file."
)
_CANNOT = "This row cannot be changed in place. Use Save as to write another file."
_NO_ROOM = (
    "Such a file has one grade on each line, and no room for a column per judge or for notes. Use "
    "Save as to write a .csv or .xlsx file."
)

Wanted = float | str | None
"""What a cell is to hold: a grade, None for *not judged*, or a text."""


@dataclass(frozen=True, slots=True)
class NewRow:
    """A judgment of a document that the file does not list yet, or not as one of this rater.

    ``grade``, ``rater`` and ``note`` go to the columns of these roles; ``cells`` are further grades
    and texts by column, as `GradeEdit` numbers them. ``like`` is the row of the file that all else
    is copied from; without it, all else is empty.
    """

    query: str
    document: str
    grade: float | None
    rater: str = ""
    note: str = ""
    like: int | None = None
    cells: Mapping[int, Wanted] = field(default_factory=dict)


def new_cells(part: Understood, row: NewRow) -> dict[int, Wanted]:
    """What each column of a new row is to hold, grades as the labels that stand for them.

    Raises FileError where the table has no column for something that the row says.
    """
    table, roles = part.table, part.roles
    cells: dict[int, Wanted] = {}
    if row.like is not None and table.kind not in LINE_KINDS:
        place = int(np.searchsorted(table.row, row.like))
        copied = {at: held(column[place]) for at, column in enumerate(table.columns)}
        cells = {at: value for at, value in copied.items() if at not in roles.graders}
    for what, column, value in (
        ("query", roles.query, row.query),
        ("document", roles.document, row.document),
        ("grade", roles.grade, row.grade),
        ("rater", roles.rater, row.rater or None),
        ("note", roles.note, row.note or None),
    ):
        if column is not None:
            cells[column] = written(value, part.labels)
        elif value is not None and what != "query":
            problem = f"The table has no column for the {what} of a new row. Use Save as."
            raise FileError(table.path, problem, table.sheet)
    return cells | {at: written(value, part.labels) for at, value in row.cells.items()}


def held(cell: Cell) -> Wanted:
    """What a cell holds, a number as one and all else as text; None where it holds nothing."""
    if isinstance(cell, float | int) and not isinstance(cell, bool):
        return float(cell)
    return cell_text(cell) or None


def written(wanted: Wanted, labels: Labels | None) -> Wanted:
    """What is to be written into a cell: a grade as its label, and nothing for an empty text."""
    return wanted or None if isinstance(wanted, str) else written_grade(wanted, labels)


def says(cell: Cell, wanted: Wanted, labels: Labels | None) -> bool:
    """Whether a cell already holds this. What is neither number nor label is not judged."""
    if isinstance(wanted, str):
        return cell_text(cell) == wanted
    return read_grade(cell, labels) == wanted


def patch_text(
    part: Understood,
    data: bytes,
    cells: Mapping[tuple[int, int], Wanted],
    new_rows: Sequence[NewRow],
    new_columns: Sequence[str] = (),
) -> bytes:
    """Give the bytes of a delimited, qrels or LTR file with these cells in it.

    ``part`` is its table, ``data`` the file as it was read (unpacked, where it is compressed).
    ``cells`` maps a row of the file and a column of the table to what it is to hold; columns past
    the last are the ``new_columns``, given by their headers. qrels and LTR have grades only, and
    cannot say “not judged”: the line goes. New rows come last, in the file's own form.

    Raises FileError for a row that is not there, for a text that such a file cannot hold, and
    where more than these cells would change.
    """
    table = part.table
    text, encoding = decode(table.path, data, chosen_encoding(table.dialect))
    if text.encode(encoding) != data:
        raise FileError(table.path, _UNCLEAR)
    content = text.removeprefix(BYTE_ORDER_MARK)
    if table.dialect is not None:
        form = _form_of(part, table.dialect, new_columns)
        new = _delimited(form, split_lines(content), cells, new_rows)
    else:
        grades = _grades_alone(part, cells, new_columns)
        patch = _ltr if table.kind == "ltr" else _qrels
        new = patch(table, content, grades, _new_judgments(table, new_rows))
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    return _encoded(table, mark + new, encoding)


def csv_field(text: str, delimiter: str) -> str:
    """Give a field as delimited text holds it: in quotes where it needs them."""
    if any(mark in text for mark in (delimiter, '"', "\r", "\n")):
        return '"' + text.replace('"', '""') + '"'
    return text


def is_one_word(text: str) -> bool:
    """Whether a text can be an id in a file that separates by white space."""
    return text.split() == [text]


def _encoded(table: Table, text: str, encoding: str) -> bytes:
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError as error:
        raise FileError(
            table.path,
            f"A text with “{text[error.start]}” cannot be added: the file's encoding, {encoding}, "
            "lacks this character. Use Save as to write another file.",
        ) from None
    # A replaced cell may have held the only letter that told the encoding.
    if decode(table.path, data, chosen_encoding(table.dialect))[0] != text:
        raise FileError(table.path, _UNCLEAR)
    return data


def _line_end(text: str) -> str:
    return "\r\n" if text.endswith("\r\n") else text[-1:] if text.endswith(("\r", "\n")) else ""


def _extended(pieces: Sequence[str], added: Sequence[str]) -> str:
    """Put lines below a text, with its line ends; the last has one if the text's last has."""
    text = "".join(pieces)
    if not added:
        return text
    last = _line_end(text)
    end = next((end for piece in reversed(pieces) if (end := _line_end(piece))), "\n")
    return text + ("" if last or not text else end) + end.join(added) + last


# ---- delimited text


def _delimited(
    form: _Form,
    lines: list[str],
    cells: Mapping[tuple[int, int], Wanted],
    new_rows: Sequence[NewRow],
) -> str:
    left: dict[int, dict[int, Wanted]] = defaultdict(dict)
    for (row, column), wanted in cells.items():
        left[row][column] = wanted
    pieces = lines[: form.dialect.first_line]
    for fields, begin, end in form.parsed(lines, form.dialect):
        record = "".join(lines[begin:end])
        if fields:
            record = form.widened(record, fields, begin + 1, left.pop(begin + 1, {}))
        pieces.append(record)
    if left:
        raise FileError(form.part.table.path, _MOVED, row=min(left))
    added = [form.fields(row) for row in new_rows]
    text = _extended(pieces, [form.joined(fields) for fields in added])
    if added:
        form.check_end(text, pieces, added)
    return text


def _form_of(part: Understood, dialect: Dialect, new_columns: Sequence[str]) -> _Form:
    graded = [part.table.columns[column] for column in part.roles.graded]
    comma = any(uses_decimal_comma(column, part.decimal) for column in graded)
    return _Form(part, dialect, new_columns, comma)


@dataclass(frozen=True, slots=True)
class _Form:
    """How one table of delimited text writes its records."""

    part: Understood
    dialect: Dialect
    new_columns: Sequence[str]
    decimal_comma: bool

    def parsed(self, lines: list[str], dialect: Dialect) -> Iterator[tuple[list[str], int, int]]:
        try:
            yield from records(lines, dialect)
        except csv.Error as error:
            problem = f"The file cannot be read as a table any more ({error}). Use Save as."
            raise FileError(self.part.table.path, problem) from error

    @property
    def width(self) -> int:
        """How many columns the table is to have."""
        return len(self.part.table.columns) + len(self.new_columns)

    def widened(
        self, record: str, fields: list[str], row: int, wanted: Mapping[int, Wanted]
    ) -> str:
        """Give the text of a record with other cells, and with the new columns if it is a row of
        the table. Raises FileError if more would change.
        """
        if not (wanted or self.new_columns):
            return record
        header = self.part.table.header_row
        is_line = len(fields) > 1 or bool(fields[0].strip())
        if not self.new_columns or not is_line or row < (header or 0):
            return self.rewritten(record, fields, row, wanted, 0)
        if row == header:
            wanted = dict(enumerate(self.new_columns, len(self.part.table.columns)))
        return self.rewritten(record, fields, row, wanted, self.width)

    def rewritten(
        self, record: str, fields: list[str], row: int, wanted: Mapping[int, Wanted], width: int
    ) -> str:
        """Give the text of a record with other cells, and at least as wide. Raises FileError if
        more would change.
        """
        old = dict(enumerate(fields))
        labels = self.part.labels
        new = {at: cell for at, cell in wanted.items() if not says(old.get(at, ""), cell, labels)}
        width = max(width, len(fields), max(new, default=0) + 1)
        if not new and width == len(fields):
            return record
        text = self._replaced(record, new, width)
        again = [fields for fields, _, _ in self.parsed(split_lines(text), self._bare)]
        if len(again) != 1 or len(again[0]) != width:
            raise FileError(self.part.table.path, _CANNOT, row=row)
        for at, cell in enumerate(again[0]):
            kept = cell == old.get(at, "") if at not in new else says(cell, new[at], labels)
            if not kept or (at in new and new[at] is None and not is_blank(cell)):
                raise FileError(self.part.table.path, _CANNOT, row=row)
        return text

    @property
    def _bare(self) -> Dialect:
        """The dialect for text that begins with a record."""
        return replace(self.dialect, first_line=0)

    def _replaced(self, record: str, new: Mapping[int, Wanted], width: int) -> str:
        spans = _spans(record, self.dialect)
        pieces = [record[start:stop] for start, stop in spans] + [""] * (width - len(spans))
        for at, wanted in new.items():
            pieces[at] = self._field(pieces[at], wanted)
        return self.dialect.delimiter.join(pieces) + record[spans[-1][1] :]

    def _field(self, old: str, wanted: Wanted) -> str:
        """Give a field in the manner of the one that it replaces."""
        quoted = self.dialect.quoting and old.startswith('"')
        text = self._text(wanted, quoted)
        if quoted:
            return '"' + text.replace('"', '""') + '"'
        if isinstance(wanted, str):
            return self._enclosed(text)
        before = old[: len(old) - len(old.lstrip())]
        after = old[len(old.rstrip()) :] if old.strip() else ""
        return self._enclosed(before + text + after)

    def _text(self, wanted: Wanted, quoted: bool = False) -> str:
        """Give what a cell holds: a text, the label or the number of a grade, or nothing."""
        value = written(wanted, self.part.labels)
        if isinstance(value, str):
            return value
        comma = self.decimal_comma and (quoted or self.dialect.delimiter != ",")
        return "" if value is None else number_text(value, comma)

    def fields(self, row: NewRow) -> list[str]:
        """Give the fields of a new row."""
        cells = new_cells(self.part, row)
        return [self._text(cells.get(at)) for at in range(self.width)]

    def _enclosed(self, text: str) -> str:
        """Give a field in quotes where it needs them."""
        delimiter = self.dialect.delimiter
        if self.dialect.quoting:
            return csv_field(text, delimiter)
        if any(mark in text for mark in (delimiter, "\r", "\n")):
            problem = f"“{text[:40]}” cannot be added: this file has no quotes around such a text."
            raise FileError(self.part.table.path, f"{problem} Use Save as to write another file.")
        return text

    def joined(self, fields: list[str]) -> str:
        """Give the text of a new record, without its line end."""
        return self.dialect.delimiter.join(map(self._enclosed, fields))

    def check_end(self, text: str, pieces: list[str], added: list[list[str]]) -> None:
        """Parse the new records below the last of the old, which may have left a quote open."""
        before = sum(map(len, pieces[:-1]))
        end = [fields for fields, _, _ in self.parsed(split_lines(text[before:]), self._bare)]
        if end[-len(added) :] != added or len(end) != len(added) + 1:
            problem = "New rows cannot be added below the last row of this file. Use Save as."
            raise FileError(self.part.table.path, problem)


@cache
def _field_pattern(delimiter: str, quoting: bool) -> re.Pattern[str]:
    """Match a field as the csv module takes it: what follows closing quotes belongs to it too."""
    plain = rf"[^{re.escape(delimiter)}\r\n]*+"
    return re.compile(rf'(?:"(?:[^"]++|"")*+"?+)?+{plain}' if quoting else plain)


def _spans(record: str, dialect: Dialect) -> list[tuple[int, int]]:
    """Find where each field of a record begins and ends, its quotes within."""
    pattern = _field_pattern(dialect.delimiter, dialect.quoting)
    spans: list[tuple[int, int]] = []
    place = 0
    while match := pattern.match(record, place):
        spans.append(match.span())
        place = match.end() + 1
        if record[match.end() : place] != dialect.delimiter:
            break
    return spans


# ---- qrels and LTR: a judgment on each line

_Judgment = tuple[str, str, str]
"""Query, document, and grade, as they are written."""


def _grades_alone(
    part: Understood, cells: Mapping[tuple[int, int], Wanted], new_columns: Sequence[str]
) -> dict[int, float | None]:
    """The grade of each row. Raises FileError where more is wanted than a line has room for."""
    grades = {
        row: wanted
        for (row, column), wanted in cells.items()
        if column == part.roles.grade and not isinstance(wanted, str)
    }
    if new_columns or len(grades) < len(cells):
        raise FileError(part.table.path, _NO_ROOM)
    return grades


def _new_judgments(table: Table, new_rows: Sequence[NewRow]) -> list[_Judgment]:
    added = []
    for row in new_rows:
        if row.grade is None or row.rater or row.note or row.cells:
            raise FileError(table.path, _NO_ROOM)
        for text in (row.query, row.document):
            if not is_one_word(text):
                raise FileError(
                    table.path,
                    f"“{text}” cannot be added: an id in such a file must be one word, without "
                    "spaces. Use Save as to write a .csv file.",
                )
        added.append((row.query, row.document, number_text(row.grade)))
    return added


def _qrels(
    table: Table, content: str, edits: Mapping[int, float | None], new: Sequence[_Judgment]
) -> str:
    lines = io.StringIO(content, newline="\n").readlines()
    last = next((line for line in reversed(lines) if _QRELS_LINE.fullmatch(line)), "")
    separator = "\t" if "\t" in last.strip() else " "
    added = [separator.join((query, "0", document, grade)) for query, document, grade in new]
    return _extended(_regraded_lines(table, lines, edits, _QRELS_LINE), added)


def _ltr(
    table: Table, content: str, edits: Mapping[int, float | None], new: Sequence[_Judgment]
) -> str:
    removed = [row for row, grade in edits.items() if grade is None]
    if removed:
        _refuse_renaming(table, min(removed))
    added = [f"{grade} qid:{query} # {document}" for query, document, grade in new]
    return _extended(_regraded_lines(table, split_lines(content), edits, LTR_LINE), added)


def _regraded_lines(
    table: Table,
    lines: list[str],
    edits: Mapping[int, float | None],
    pattern: re.Pattern[str],
) -> list[str]:
    new = lines.copy()
    for row, grade in edits.items():
        match = pattern.fullmatch(lines[row - 1]) if row <= len(lines) else None
        if match is None or number(match[1]) is None:
            raise FileError(table.path, _MOVED, row=row)
        new[row - 1] = "" if grade is None else _line_regraded(table, match, row, grade)
    return new


def _line_regraded(table: Table, match: re.Match[str], row: int, grade: float) -> str:
    line = match.string
    if number(match[1]) == grade:
        return line
    new = line[: match.start(1)] + number_text(grade) + line[match.end(1) :]
    again = match.re.fullmatch(new)
    if again is None or number(again[1]) != grade or again.groups()[1:] != match.groups()[1:]:
        raise FileError(table.path, _CANNOT, row=row)
    return new


def _refuse_renaming(table: Table, first: int) -> None:
    """Refuse to remove a line where documents below are called after their lines."""
    for row, document in zip(table.row.tolist(), Texts(table.columns[3]), strict=True):
        if row > first and document == f"line {row}":
            raise FileError(
                table.path,
                "This line would have to be removed, as such a file cannot say “not judged”. The "
                "documents below are called after their lines, and would get other names. "
                "Use Save as to write another file.",
                row=first,
            )
