"""Writes grades into the text of a judgments file, and leaves every other byte as it is.

A file that is parsed and written anew loses its quotes, its line ends or its encoding. So each
record that changes is found in the text, its grade alone is replaced, and the record is parsed
again to see that nothing else of it has changed.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

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
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.table import Cell, Dialect, FileError, Table, Texts

_QRELS_LINE = re.compile(
    r"""[\x01-\x20]*+ (?:[^\x00-\x20]++[\x01-\x20]++){3} "?([^\x00-\x20"]+)"? [\x01-\x20]*+""",
    re.VERBOSE,
)
"""As trec.py cuts a line: at spaces, tabs and other control characters. Group 1 is the grade."""

_MOVED = "There is no judgment on this row. Use Save as to write the grades to another file."
_UNCLEAR = (
    "The file's encoding is not clear enough to change it. Use Save as to write another file."
)
_CANNOT = "The grade of this row cannot be replaced alone. Use Save as to write another file."


@dataclass(frozen=True, slots=True)
class NewRow:
    """A judgment of a document that the file does not list yet."""

    query: str
    document: str
    grade: float


def patch_text(
    part: Understood, data: bytes, edits: Mapping[int, float | None], new_rows: Sequence[NewRow]
) -> bytes:
    """Give the bytes of a delimited, qrels or LTR file with these grades in it.

    ``part`` is its table with a column for grades, ``data`` the file as it was read (unpacked,
    where it is compressed), and ``edits`` maps a row of the file to its grade, None for not judged.
    qrels and LTR cannot say “not judged”: the line goes. New rows come last, in the file's own
    form.

    Raises FileError for a row that is not there, for a text that such a file cannot hold, and
    where more than the grades would change.
    """
    table = part.table
    text, encoding = decode(table.path, data, chosen_encoding(table.dialect))
    if text.encode(encoding) != data:
        raise FileError(table.path, _UNCLEAR)
    content = text.removeprefix(BYTE_ORDER_MARK)
    if table.dialect is not None:
        new = _delimited(_form_of(part, table.dialect), split_lines(content), edits, new_rows)
    elif table.kind == "ltr":
        new = _ltr(table, split_lines(content), edits, new_rows)
    else:
        new = _qrels(table, content, edits, new_rows)
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
            f"The new row with “{text[error.start]}” cannot be added: the file's encoding, "
            f"{encoding}, lacks this character. Use Save as to write another file.",
        ) from None
    # A replaced cell may have held the only letter that told the encoding.
    if decode(table.path, data, chosen_encoding(table.dialect))[0] != text:
        raise FileError(table.path, _UNCLEAR)
    return data


def _says(cell: Cell, grade: float | None) -> bool:
    """Whether a cell already gives this grade. What is no number is not judged."""
    return number(cell) == grade


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
    edits: Mapping[int, float | None],
    new_rows: Sequence[NewRow],
) -> str:
    left = dict(edits)
    pieces = lines[: form.dialect.first_line]
    for fields, begin, end in form.parsed(lines, form.dialect):
        record = "".join(lines[begin:end])
        if fields and begin + 1 in left:
            record = form.regraded(record, fields, begin + 1, left.pop(begin + 1))
        pieces.append(record)
    if left:
        raise FileError(form.table.path, _MOVED, row=min(left))
    added = [form.fields(row) for row in new_rows]
    text = _extended(pieces, [form.joined(fields) for fields in added])
    if added:
        form.check_end(text, pieces, added)
    return text


def _form_of(part: Understood, dialect: Dialect) -> _Form:
    column = part.roles.grade
    assert column is not None
    comma = uses_decimal_comma(part.table.columns[column], part.decimal)
    return _Form(part.table, dialect, part.roles, column, comma, part.labels)


@dataclass(frozen=True, slots=True)
class _Form:
    """How one table of delimited text writes its records."""

    table: Table
    dialect: Dialect
    roles: Roles
    column: int
    decimal_comma: bool
    labels: Labels | None

    def says(self, cell: str, grade: float | None) -> bool:
        """Whether a cell already gives this grade. An unknown word is not judged."""
        return read_grade(cell, self.labels) == grade

    def parsed(self, lines: list[str], dialect: Dialect) -> Iterator[tuple[list[str], int, int]]:
        try:
            yield from records(lines, dialect)
        except csv.Error as error:
            problem = f"The file cannot be read as a table any more ({error}). Use Save as."
            raise FileError(self.table.path, problem) from error

    def regraded(self, record: str, fields: list[str], row: int, grade: float | None) -> str:
        """Give the text of a record with another grade. Raises FileError if more would change."""
        old = fields + [""] * (self.column + 1 - len(fields))
        if self.says(old[self.column], grade):
            return record
        new = self._replaced(record, grade)
        again = [fields for fields, _, _ in self.parsed(split_lines(new), self._bare)]
        if len(again) != 1 or len(again[0]) != len(old):
            raise FileError(self.table.path, _CANNOT, row=row)
        cell, others = again[0].pop(self.column), again[0]
        del old[self.column]
        if others != old or not self.says(cell, grade) or (grade is None and not is_blank(cell)):
            raise FileError(self.table.path, _CANNOT, row=row)
        return new

    @property
    def _bare(self) -> Dialect:
        """The dialect for text that begins with a record."""
        return replace(self.dialect, first_line=0)

    def _replaced(self, record: str, grade: float | None) -> str:
        spans = _spans(record, self.dialect)
        missing = self.column + 1 - len(spans)
        if missing > 0:
            end = _line_end(record)
            gap = self.dialect.delimiter * missing
            return record.removesuffix(end) + gap + self._field("", grade) + end
        start, stop = spans[self.column]
        return record[:start] + self._field(record[start:stop], grade) + record[stop:]

    def _field(self, old: str, grade: float | None) -> str:
        """Give a grade's field in the manner of the one that it replaces."""
        quoted = self.dialect.quoting and old.startswith('"')
        text = self._text(grade, quoted)
        if quoted:
            return '"' + text.replace('"', '""') + '"'
        before = old[: len(old) - len(old.lstrip())]
        after = old[len(old.rstrip()) :] if old.strip() else ""
        return csv_field(before + text + after, self.dialect.delimiter)

    def _text(self, grade: float | None, quoted: bool = False) -> str:
        """Give what a cell holds for a grade: its label, its number, or nothing."""
        written = written_grade(grade, self.labels)
        if isinstance(written, str):
            return written
        comma = self.decimal_comma and (quoted or self.dialect.delimiter != ",")
        return "" if written is None else number_text(written, comma)

    def fields(self, row: NewRow) -> list[str]:
        """Give the fields of a new row: empty but for query, document and grade."""
        fields = [""] * len(self.table.columns)
        if self.roles.query is not None:
            fields[self.roles.query] = row.query
        assert self.roles.document is not None
        fields[self.roles.document] = row.document
        fields[self.column] = self._text(row.grade)
        return fields

    def joined(self, fields: list[str]) -> str:
        """Give the text of a new record, without its line end."""
        delimiter = self.dialect.delimiter
        if self.dialect.quoting:
            return delimiter.join(csv_field(field, delimiter) for field in fields)
        for field in fields:
            if any(mark in field for mark in (delimiter, "\r", "\n")):
                problem = f"“{field}” cannot be added: this file has no quotes around such a text."
                raise FileError(self.table.path, f"{problem} Use Save as to write another file.")
        return delimiter.join(fields)

    def check_end(self, text: str, pieces: list[str], added: list[list[str]]) -> None:
        """Parse the new records below the last of the old, which may have left a quote open."""
        before = sum(map(len, pieces[:-1]))
        end = [fields for fields, _, _ in self.parsed(split_lines(text[before:]), self._bare)]
        if end[-len(added) :] != added or len(end) != len(added) + 1:
            problem = "New rows cannot be added below the last row of this file. Use Save as."
            raise FileError(self.table.path, problem)


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


def _qrels(
    table: Table, content: str, edits: Mapping[int, float | None], new_rows: Sequence[NewRow]
) -> str:
    lines = io.StringIO(content, newline="\n").readlines()
    last = next((line for line in reversed(lines) if _QRELS_LINE.fullmatch(line)), "")
    separator = "\t" if "\t" in last.strip() else " "
    added = [
        separator.join((row.query, "0", row.document, number_text(row.grade)))
        for row in _of_one_word(table, new_rows)
    ]
    return _extended(_regraded_lines(table, lines, edits, _QRELS_LINE), added)


def _ltr(
    table: Table, lines: list[str], edits: Mapping[int, float | None], new_rows: Sequence[NewRow]
) -> str:
    removed = [row for row, grade in edits.items() if grade is None]
    if removed:
        _refuse_renaming(table, min(removed))
    added = [
        f"{number_text(row.grade)} qid:{row.query} # {row.document}"
        for row in _of_one_word(table, new_rows)
    ]
    return _extended(_regraded_lines(table, lines, edits, LTR_LINE), added)


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
    if _says(match[1], grade):
        return line
    new = line[: match.start(1)] + number_text(grade) + line[match.end(1) :]
    again = match.re.fullmatch(new)
    if again is None or not _says(again[1], grade) or again.groups()[1:] != match.groups()[1:]:
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


def _of_one_word(table: Table, new_rows: Sequence[NewRow]) -> Sequence[NewRow]:
    for text in (text for row in new_rows for text in (row.query, row.document)):
        if not is_one_word(text):
            raise FileError(
                table.path,
                f"“{text}” cannot be added: an id in such a file must be one word, without "
                "spaces. Use Save as to write a .csv file.",
            )
    return new_rows
