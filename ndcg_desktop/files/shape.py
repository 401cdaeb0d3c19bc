"""What a person chose for a table, kept for the next one of the same shape."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field, fields
from typing import Any, get_args

from ndcg_desktop.evaluation.columns import Duplicates
from ndcg_desktop.evaluation.votes import is_rule
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.contents import share
from ndcg_desktop.files.delimited import chosen_encoding
from ndcg_desktop.files.header import Grid, find_header, normal
from ndcg_desktop.files.labels import Labels
from ndcg_desktop.files.numbers import Decimal, number
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.table import ROWS_SEARCHED, Dialect, FileError, Table, texts_of

AS_READ = -1
"""The header is where the reader finds it."""
NO_HEADER = 0
"""The first row is data."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What tells tables apart: their kind and ``columns``, which are the headers without case and
    punctuation or, in a table without a header, "number" or "text".
    """

    kind: str
    has_header: bool
    columns: tuple[str, ...]

    @property
    def key(self) -> str:
        """A short name for this shape, the same in every run of the program."""
        text = json.dumps([self.kind, self.has_header, self.columns])
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def shape_of(table: Table) -> Shape:
    """The shape of a table as it was read; that of its sheet's name is no part of it."""
    if table.header is not None:
        return Shape(table.kind, True, tuple(normal(name) for name in table.header))
    kinds = (
        "number" if share(table, column, number) > 0.5 else "text"
        for column in range(len(table.columns))
    )
    return Shape(table.kind, False, tuple(kinds))


def as_read(table: Table) -> Table:
    """The table with the header that the reader found, where a person has said another."""
    if not table.recut:
        return table
    plain = table.with_header_row(None)
    columns = [texts_of(column)[:ROWS_SEARCHED] for column in plain.columns]
    rows = [list(row) for row in zip(*columns, strict=True)]
    numbers = plain.row[:ROWS_SEARCHED].tolist()
    header, first = find_header(Grid(rows, numbers))
    return plain if header is None else plain.with_header_row(numbers[first - 1])


@dataclass(frozen=True, slots=True)
class Choices:
    """How a person wants a table read. ``header_row`` is a row of the file, from 1, or NO_HEADER
    or AS_READ; ``sheet`` is the one to take where a workbook has several of this shape.
    """

    roles: Roles = field(default_factory=Roles)
    labels: Labels | None = None
    row_order: bool = False
    merge: str = "mean"
    duplicates: Duplicates = "highest"
    header_row: int = AS_READ
    sheet: str | None = None
    decimal: Decimal = ""
    encoding: str = ""
    delimiter: str = ""
    """Of delimited text; "" where they are as the reader finds them."""

    def dialect_for(self, table: Table) -> Dialect | None:
        """How the table's file is to be read instead, None where it is read so already."""
        if table.dialect is None or not self.delimiter:
            return None
        return Dialect(self.encoding, self.delimiter, quoting=True, chosen=True)

    def apply(self, table: Table) -> Understood | None:
        """The table, as it was read, with these choices; None where they do not fit it."""
        try:
            if self.header_row != AS_READ:
                table = table.with_header_row(self.header_row or None)
        except FileError:
            return None
        roles = self.roles
        usable = roles.judges or roles.ranks or (self.row_order and roles.document is not None)
        if not usable or max(roles.used) >= len(table.columns):
            return None
        return Understood(
            table,
            roles,
            self.row_order,
            self.merge,
            self.labels,
            self.duplicates,
            self.decimal,
        )

    def to_json(self) -> str:
        """These choices as one line of text."""
        every = {each.name: getattr(self.roles, each.name) for each in fields(self.roles)}
        kept = {role: value for role, value in every.items() if value not in (None, ())}
        labels = None
        if self.labels is not None:
            spelling = list(self.labels.spelling.items())
            labels = {"grades": dict(self.labels.grades), "spelling": spelling}
        return json.dumps(
            {
                "roles": kept,
                "labels": labels,
                "row_order": self.row_order,
                "merge": self.merge,
                "duplicates": self.duplicates,
                "header_row": self.header_row,
                "sheet": self.sheet,
                "decimal": self.decimal,
                "encoding": self.encoding,
                "delimiter": self.delimiter,
            },
            ensure_ascii=False,
        )

    @staticmethod
    def from_json(text: str) -> Choices | None:
        """The choices that `to_json` wrote; None for anything else."""
        try:
            given = json.loads(text)
            sheet = given["sheet"]
            return Choices(
                _roles(given["roles"]),
                None if given["labels"] is None else _labels(given["labels"]),
                given["row_order"] is True,
                _rule(given["merge"]),
                _one_of(given["duplicates"], get_args(Duplicates)),
                _whole(given["header_row"], AS_READ),
                None if sheet is None else _text(sheet),
                _one_of(given["decimal"], get_args(Decimal)),
                _encoding(given["encoding"]),
                _text(given["delimiter"])[:1],
            )
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, OverflowError):
            return None


def choices_of(part: Understood, as_read: Table) -> Choices:
    """What a person chose, for the table as the reader gave it."""
    table = part.table
    dialect = table.dialect
    same = (table.header is None) == (as_read.header is None) and len(table) == len(as_read)
    return Choices(
        part.roles,
        part.labels,
        part.row_order,
        part.merge,
        part.duplicates,
        AS_READ if same else table.header_row or NO_HEADER,
        table.sheet,
        part.decimal,
        chosen_encoding(dialect),
        dialect.delimiter if dialect is not None and dialect.chosen else "",
    )


def _encoding(value: Any) -> str:
    name = _text(value)
    if name:
        "".encode(name)  # LookupError for what is no encoding of text
    return name


def _roles(given: dict[str, Any]) -> Roles:
    several = {each.name for each in fields(Roles) if each.default == ()}
    roles: dict[str, Any] = {
        role: tuple(_whole(column) for column in value) if role in several else _whole(value)
        for role, value in given.items()
    }
    return Roles(**roles)


def _labels(given: dict[str, Any]) -> Labels:
    grades = {
        _text(label): None if grade is None else _grade(grade)
        for label, grade in given["grades"].items()
    }
    return Labels(grades, {_grade(grade): _text(text) for grade, text in given["spelling"]})


def _whole(value: Any, least: int = 0) -> int:
    if type(value) is not int or not least <= value < 2**31:
        raise ValueError(value)
    return value


def _grade(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError(value)
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _rule(value: Any) -> str:
    if not is_rule(_text(value)):
        raise ValueError(value)
    return str(value)


def _one_of(value: Any, known: tuple[Any, ...]) -> Any:
    if value not in known:
        raise ValueError(value)
    return value
