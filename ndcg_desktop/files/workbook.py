"""Workbooks (.xlsx, .xlsm, .xls, .ods), read by calamine."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

from ndcg_desktop.files.header import Grid, columns_of, find_header
from ndcg_desktop.files.table import Cancelled, Cell, FileError, Table

ROWS_BETWEEN_LOOKS = 5_000
"""How many rows are read between two looks at the cancel token: some 20 ms."""


def read_workbook(
    path: Path,
    data: bytes,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> list[Table]:
    """Every sheet that holds a table. Raises FileError for a file that is none, and Cancelled."""
    try:
        workbook = CalamineWorkbook.from_filelike(BytesIO(data))
        sheets = workbook.sheets_metadata
    except (CalamineError, OSError, ValueError) as error:
        raise FileError(path, f"This is not a workbook that can be read ({error}).") from error
    tables = []
    for place, sheet in enumerate(sheets):
        progress(place / len(sheets))
        hidden = sheet.visible is not SheetVisibleEnum.Visible
        table = _read_sheet(path, workbook, sheet.name, hidden, cancelled)
        if table is not None:
            tables.append(table)
    return tables


def _read_sheet(
    path: Path,
    workbook: CalamineWorkbook,
    name: str,
    hidden: bool,
    cancelled: Callable[[], bool],
) -> Table | None:
    try:
        sheet = workbook.get_sheet_by_name(name)
    except (CalamineError, OSError, ValueError) as error:
        raise FileError(path, f"This sheet cannot be read ({error}).", name) from error
    if sheet.start is None:
        return None
    rows: list[list[Cell]] = []
    numbers: list[int] = []
    # Rows are counted from the sheet's first, columns from the first that holds something.
    left = sheet.start[1]
    for place, row in enumerate(sheet.iter_rows()):
        if place % ROWS_BETWEEN_LOOKS == 0 and cancelled():
            raise Cancelled
        if row.count("") < len(row):
            rows.append(row)
            numbers.append(place + 1)
    if sheet.merged_cell_ranges:
        _fill_merged(rows, numbers, sheet.merged_cell_ranges, left)
    grid = Grid(rows, numbers)
    if not rows:
        return None
    header, first = find_header(grid)
    body = rows[first:]
    columns = columns_of(body, len(rows[0]))
    return Table(
        path=path,
        kind="workbook",
        header=header,
        columns=columns,
        row=np.array(numbers[first:], dtype=np.int32),
        sheet=name,
        hidden=hidden,
        first_column=left + 1,
        above=grid.above(first),
    )


def _fill_merged(
    rows: list[list[Cell]],
    numbers: list[int],
    ranges: list[tuple[tuple[int, int], tuple[int, int]]],
    first_column: int,
) -> None:
    """A merged cell's value stands for each row it spans: a query written once for its rows."""
    place = {number - 1: at for at, number in enumerate(numbers)}
    for (top, left), (bottom, _) in ranges:
        column = left - first_column
        if top not in place or not 0 <= column < len(rows[place[top]]):
            continue
        value = rows[place[top]][column]
        for row in range(top + 1, bottom + 1):
            if row in place and rows[place[row]][column] == "":
                rows[place[row]][column] = value
