"""A table as it was read: columns of cells, and the row of the file that each row came from."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.evaluation.ids import Ids

Kind = Literal["workbook", "delimited", "qrels", "run", "ltr", "json", "parquet", "entered"]
Cell = Any
"""What a reader found: text, number, truth value, date, or "" for nothing."""
Column = list[Cell] | Ids | NDArray[np.float64]

ROWS_SEARCHED = 30
"""How far down a header is looked for: below a title, a date, a note, an empty row or two."""
MOST_CELLS_ADDED = 20_000_000
"""Cells of a table some of whose rows are short."""


class FileError(ValueError):
    """A file that cannot be read or written; the text says where, what is wrong and what to do."""

    def __init__(
        self, path: Path | str, problem: str, sheet: str | None = None, row: int | None = None
    ) -> None:
        self.source = Source(Path(path).name, sheet)
        self.row = row
        self.problem = problem
        super().__init__(str(Finding("error", "file", problem, self.source, row)))


class Cancelled(Exception):  # noqa: N818 - not an error: the user asked for it
    """Loading was given up because the user asked for that."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file is written, kept so that it can be written back the same way."""

    encoding: str
    delimiter: str
    quoting: bool
    first_line: int = 0
    """Lines before the table (a ``sep=`` line)."""
    chosen: bool = False
    """Whether a person has said what the encoding and the delimiter are."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of one file.

    ``header`` is None where the file has none; ``columns`` all have one cell for each row;
    ``row`` is the row of the file (of a text file the line that the row begins on), from 1;
    ``first_column`` the sheet's column, from 1, of column 0. ``above`` are the rows above the
    first row of data, each with its number, the header the last of them where there is one.
    ``digest`` is the SHA-256 of the file as it was read, ``member`` the name of the one file in it
    where that is an archive.
    """

    path: Path
    kind: Kind
    header: tuple[str, ...] | None
    columns: tuple[Column, ...]
    row: NDArray[np.int32]
    sheet: str | None = None
    hidden: bool = False
    first_column: int = 1
    dialect: Dialect | None = None
    above: tuple[tuple[int, tuple[Cell, ...]], ...] = ()
    recut: bool = False
    """Whether a person has said which row is the header."""
    digest: str = ""
    member: str = ""
    findings: tuple[Finding, ...] = field(default=())

    @property
    def source(self) -> Source:
        """File and sheet, for messages."""
        name = f"{self.path.name} ({self.member})" if self.member else self.path.name
        return Source(name, self.sheet)

    @property
    def names(self) -> list[str]:
        """A name for each column: its header, or its number."""
        if self.header is None:
            return [f"Column {number + 1}" for number in range(len(self.columns))]
        return [text or f"Column {number + 1}" for number, text in enumerate(self.header)]

    def __len__(self) -> int:
        return len(self.row)

    def row_words(self, row: int, most: int = 8) -> str:
        """What a row of the file holds, each cell behind its column's name; "" where it is none of
        the table's. Long cells are cut, and blank ones left out.
        """
        place = int(np.searchsorted(self.row, row))
        if place == len(self) or self.row[place] != row:
            return ""
        cells = (Texts(column)[place] for column in self.columns)
        told = [(name, cell) for name, cell in zip(self.names, cells, strict=True) if cell.strip()]
        more = " · …" if len(told) > most else ""
        return " · ".join(f"{name}: {cell[:60]}" for name, cell in told[:most]) + more

    @property
    def header_row(self) -> int | None:
        """The row of the file that is the header; None where there is none, or none is kept."""
        return None if self.header is None or not self.above else self.above[-1][0]

    def with_header_row(self, row: int | None) -> Table:
        """Cut the same table anew below this row of the file, None for one without a header.

        Raises FileError where the row is none of its first ROWS_SEARCHED, and for a kind of file
        that has no header of its own.
        """
        if not all(isinstance(column, list) for column in self.columns) or (
            self.header is not None and not self.above
        ):
            raise FileError(self.path, "The columns of this file are known.", self.sheet, row)
        below = max(ROWS_SEARCHED - len(self.above), 0)
        first = [tuple(texts_of(column)[:below]) for column in self.columns]
        begin = zip(self.row[:below].tolist(), zip(*first, strict=True), strict=True)
        rows = [*self.above, *begin]
        above = [each for each in rows if row is not None and each[0] <= row]
        if row is not None and (not above or above[-1][0] != row):
            problem = f"The header is one of the first {ROWS_SEARCHED} rows that hold something."
            raise FileError(self.path, problem, self.sheet, row)
        return self._cut(above, rows[len(above) :], len(rows) - len(self.above))

    def _cut(
        self,
        above: Sequence[tuple[int, tuple[Cell, ...]]],
        rows: Sequence[tuple[int, tuple[Cell, ...]]],
        replaced: int,
    ) -> Table:
        """The table with these rows in the place of its first ones, below those ``above`` it."""
        columns = tuple(
            [cells[place] for _, cells in rows] + texts_of(column)[replaced:]
            for place, column in enumerate(self.columns)
        )
        header = tuple(cell_text(cell).strip() for cell in above[-1][1]) if above else None
        numbers = [*(number for number, _ in rows), *self.row[replaced:].tolist()]
        return replace(
            self,
            header=header,
            columns=columns,
            row=np.array(numbers, dtype=np.int32),
            above=tuple(above),
            recut=True,
        )

    def take(self, rows: NDArray[np.int64]) -> Table:
        """The same table with these rows only."""
        return replace(
            self, columns=tuple(_take(c, rows) for c in self.columns), row=self.row[rows]
        )


def _take(column: Column, rows: NDArray[np.int64]) -> Column:
    if isinstance(column, Ids):
        return column.take(rows)
    if isinstance(column, np.ndarray):
        return column[rows]
    return [column[row] for row in rows.tolist()]


def texts_of(column: Column) -> list[Cell]:
    """The cells of a column, ids as text."""
    return column.texts() if isinstance(column, Ids) else list(column)


def evened(path: Path, rows: list[list[Cell]], sheet: str | None = None) -> list[list[Cell]]:
    """Rows filled up with blanks to the width of the widest. Raises FileError where that makes
    far more cells than the rows hold.
    """
    width = max(len(row) for row in rows)
    if width * len(rows) > max(MOST_CELLS_ADDED, 10 * sum(map(len, rows))):
        raise too_many_cells(path, sheet)
    return [row if len(row) == width else row + [""] * (width - len(row)) for row in rows]


def too_many_cells(path: Path, sheet: str | None = None) -> FileError:
    """What a table is refused with whose rows would fill the memory."""
    return FileError(path, "The table has too many cells; most of them would be blank.", sheet)


def cell_text(cell: Cell) -> str:
    """A cell as text. A whole number of a workbook has no decimals: the id 12 is "12". NaN, the
    blank of a column of numbers, is "".
    """
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        whole = cell.is_integer() and abs(cell) < 1e15
        return str(int(cell)) if whole else "" if math.isnan(cell) else repr(cell)
    if isinstance(cell, datetime.datetime | datetime.date | datetime.time):
        return cell.isoformat()
    return "" if cell is None else str(cell)


def as_ids(column: Column) -> Ids:
    """A column as text ids, without the spaces around them."""
    if isinstance(column, Ids):
        return column
    return Ids.from_texts([cell_text(cell).strip() for cell in column])


class Texts(Sequence[str]):
    """A column read as text, a cell at a time: most cells are never looked at."""

    def __init__(self, column: Column) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [self[place] for place in range(*row.indices(len(self)))]
        cell = self._column[row]
        return cell_text(float(cell) if isinstance(cell, np.floating) else cell)

    def __iter__(self) -> Iterator[str]:
        return (self[row] for row in range(len(self)))
