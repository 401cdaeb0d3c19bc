"""Rows of cells that may span several rows and columns, as markup describes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ndcg_desktop.files.header import Grid, columns_of, find_header
from ndcg_desktop.files.table import Cell, Table, evened, too_many_cells

MOST_CELLS, MOST_COLUMNS = 30_000_000, 16_384
MOST_ACROSS, MOST_DOWN = 1_000, 65_534
"""What a cell may span, as browsers have it."""


class CellGrid:
    """A table that is filled row by row, each row cell by cell.

    A cell's value stands for each row that it spans: a query written once for its rows. The
    further columns that it spans are blank.
    """

    def __init__(self, path: Path, sheet: str) -> None:
        self.sheet = sheet
        self._path = path
        self._rows: list[list[Cell]] = []
        self._numbers: list[int] = []
        self._heads = False
        self._number = 0
        self._cells = 0
        self._row: list[Cell] = []
        self._row_heads: list[bool] = []
        # By column: the value of a cell above that spans this row, and how many rows it spans.
        self._above: dict[int, tuple[Cell, int]] = {}
        self._below: dict[int, tuple[Cell, int]] = {}

    def begin_row(self, number: int | None = None) -> None:
        """Begin the next row, or a further row, of this number from 1."""
        self._number = max(self._number + 1, number or 0)
        self._row, self._row_heads = [], []

    def place(
        self,
        cell: Cell,
        across: int = 1,
        down: int = 1,
        column: int | None = None,
        head: bool = False,
    ) -> None:
        """Put a cell at the next free column, or at this column, from 1; ``head`` tells a cell of
        a header.
        """
        if column is not None:
            self._reach(column - 1)
        self._take_above()
        for place in range(max(1, min(across, MOST_ACROSS))):
            value = cell if place == 0 else ""
            if down > 1:
                self._below[len(self._row)] = (value, min(down, MOST_DOWN) - 1)
            self._row.append(value)
        self._row_heads.append(head)
        self._check_size(len(self._row))

    def end_row(self) -> None:
        """End the row; one that holds nothing is no row of the table."""
        if self._above:
            self._reach(max(self._above) + 1)
        self._above, self._below = self._below, {}
        self._cells += len(self._row)
        if any(cell != "" for cell in self._row):
            if not self._rows:
                self._heads = all(self._row_heads)
            self._rows.append(self._row)
            self._numbers.append(self._number)

    def _reach(self, width: int) -> None:
        """Fill the row up to so many columns."""
        self._check_size(width)
        while len(self._row) < width:
            if len(self._row) not in self._above:
                self._row.append("")
            self._take_above()

    def _take_above(self) -> None:
        while len(self._row) in self._above:
            cell, rows = self._above.pop(len(self._row))
            if rows > 1:
                self._below[len(self._row)] = (cell, rows - 1)
            self._row.append(cell)

    def _check_size(self, width: int) -> None:
        if width > MOST_COLUMNS or self._cells + width > MOST_CELLS:
            raise too_many_cells(self._path, self.sheet)

    def table(self) -> Table | None:
        """The table, None where no cell holds anything. Raises FileError for one too large."""
        if not self._rows:
            return None
        rows = evened(self._path, self._rows, self.sheet)
        header, first = find_header(Grid(rows, self._numbers))
        if header is None and self._heads and len(rows) > 1:
            header, first = tuple(str(cell) for cell in rows[0]), 1
        return Table(
            path=self._path,
            kind="workbook",
            header=header,
            columns=columns_of(rows[first:], len(rows[0])),
            row=np.array(self._numbers[first:], dtype=np.int32),
            sheet=self.sheet,
        )
