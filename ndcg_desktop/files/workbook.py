"""Workbooks (.xlsx, .xlsm, .xls, .ods), read by calamine."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import numpy as np
from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetVisibleEnum,
)

from ndcg_desktop.files.header import Grid, columns_of, find_header
from ndcg_desktop.files.table import Cancelled, Cell, FileError, Table
from ndcg_desktop.files.xlsx_details import Details, details_of
from ndcg_desktop.files.xlsx_findings import Merged, SheetTold, sheet_findings
from ndcg_desktop.files.xlsx_guard import PROTECTED, check_compound_file, examined
from ndcg_desktop.files.xlsx_sparse import Compacted, compacted

ROWS_BETWEEN_LOOKS = 5_000
"""How many rows are read between two looks at the cancel token: some 20 ms."""


def read_workbook(
    path: Path,
    data: bytes,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> list[Table]:
    """Every sheet that holds a table. Raises FileError for a file that is none, and Cancelled."""
    checked = _checked(path, data, cancelled)
    with _refusing(path):
        workbook = CalamineWorkbook.from_filelike(BytesIO(checked.data))
        sheets = workbook.sheets_metadata
    tables = []
    for place, sheet in enumerate(sheets):
        progress(place / len(sheets))
        hidden = sheet.visible is not SheetVisibleEnum.Visible
        table = _read_sheet(path, workbook, checked, sheet.name, hidden, cancelled)
        if table is not None:
            tables.append(table)
    return tables


@contextmanager
def _refusing(path: Path, sheet: str | None = None) -> Iterator[None]:
    """Have whatever calamine says of a damaged file raised as FileError."""
    try:
        yield
    except PasswordError:
        raise FileError(path, PROTECTED, sheet) from None
    except (CalamineError, OSError, ValueError) as error:
        what = "This is not a workbook" if sheet is None else "This is not a sheet"
        raise FileError(path, f"{what} that can be read ({error}).", sheet) from error
    except BaseException as error:
        # A failed assertion of calamine's is no Exception, and its class has no public name.
        if type(error).__name__ != "PanicException":
            raise
        problem = "The workbook is damaged. Save it anew in the spreadsheet program."
        raise FileError(path, problem, sheet) from None


@dataclass(frozen=True, slots=True)
class _Checked:
    """A workbook that can be read without harm."""

    original: bytes
    data: bytes
    compacted: Mapping[str, Compacted]
    """What was moved together in it, by the name of the sheet."""
    loud: frozenset[str] = frozenset()
    """Parts whose cells may be more than values."""


def _checked(path: Path, data: bytes, cancelled: Callable[[], bool]) -> _Checked:
    if not data.startswith(b"PK"):
        check_compound_file(path, data)
        return _Checked(data, data, {})
    extents = examined(path, data, cancelled)
    doubtful = [name for name, extent in extents.items() if extent.doubtful]
    safe, moved = compacted(path, data, doubtful) if doubtful else (data, {})
    loud = frozenset(name for name, extent in extents.items() if extent.loud)
    return _Checked(data, safe, moved, loud)


def _read_sheet(
    path: Path,
    workbook: CalamineWorkbook,
    checked: _Checked,
    name: str,
    hidden: bool,
    cancelled: Callable[[], bool],
) -> Table | None:
    sheet, details = _sheet_and_details(path, workbook, checked, name)
    moved = checked.compacted.get(name)
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
            numbers.append(place + 1 if moved is None else int(moved.rows[place]))
    merged = _fill_merged(rows, numbers, sheet.merged_cell_ranges or [], left, moved)
    _show(rows, numbers, details.shown, left)
    # Freed by itself, since the window stands still for as long as many objects take to free.
    del sheet
    grid = Grid(rows, numbers)
    if not rows:
        return None
    header, first = find_header(grid)
    body = rows[first:]
    columns = columns_of(body, len(rows[0]))
    table = Table(
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
    told = SheetTold(table.source, header, left + 1, numbers)
    left_out = () if moved is None else moved.left_out
    return replace(table, findings=sheet_findings(told, details, merged, left_out))


def _sheet_and_details(
    path: Path, workbook: CalamineWorkbook, checked: _Checked, name: str
) -> tuple[CalamineSheet, Details]:
    """A sheet, and what its XML tells besides values, which is found while calamine reads."""
    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(details_of, checked.original, name, checked.loud)
        with _refusing(path, name):
            sheet = workbook.get_sheet_by_name(name)
    return sheet, looking.result()


def _fill_merged(
    rows: list[list[Cell]],
    numbers: list[int],
    ranges: list[tuple[tuple[int, int], tuple[int, int]]],
    first_column: int,
    moved: Compacted | None,
) -> list[Merged]:
    """A merged cell's value stands for each row it spans: a query written once for its rows.

    Gives the merged cells whose value was taken for further rows.
    """
    filled: list[Merged] = []
    reached: dict[int, int] = {}
    for (top, left), (bottom, _) in sorted(ranges):
        # Merged cells overlap in damaged files only, where filling could go on without end.
        if top <= reached.get(left, -1):
            continue
        reached[left] = bottom
        first, last = (row + 1 if moved is None else int(moved.rows[row]) for row in (top, bottom))
        start, end = bisect_left(numbers, first), bisect_right(numbers, last)
        column = left - first_column
        if start == end or numbers[start] != first or not 0 <= column < len(rows[start]):
            continue
        value = rows[start][column]
        below = [row for row in rows[start + 1 : end] if row[column] == ""]
        for row in below:
            row[column] = value
        if below and value != "":
            filled.append(Merged(left + 1, first, last, value))
    return filled


def _show(
    rows: list[list[Cell]], numbers: list[int], shown: Mapping[tuple[int, int], str], left: int
) -> None:
    """Put the text that a number format shows in the place of the number, so an id keeps zeros."""
    if not shown:
        return
    place = {number: at for at, number in enumerate(numbers)}
    for (row, column), text in shown.items():
        if row in place and 0 <= column - 1 - left < len(rows[place[row]]):
            rows[place[row]][column - 1 - left] = text
