"""Tables as CSV and XLSX, safe to open in a spreadsheet program.

A query or document id may begin with ``=``, ``+``, ``-`` or ``@``, which a spreadsheet program
takes for a formula and runs. In XLSX such a cell is marked as text. CSV cannot say so: there the
text gets a single quote ``'`` in front, which those programs read as "this is text". These files
are reports; files that are read back (judgments, rankings) are written elsewhere, unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd
from openpyxl import Workbook
from openpyxl.cell.cell import Cell
from openpyxl.styles import Alignment, Border, Font, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet
from pandas.api.types import is_integer_dtype, is_numeric_dtype

from ndcg_desktop.evaluation import wording
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.reports.tables import AS_GIVEN

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet program take a text for a formula, also after a leading tab."""

NARROWEST, WIDEST = 9, 60
"""Column widths, in characters."""

LABEL_WIDTH = 16
"""The first column holds the heading's labels too."""

LONGEST_TITLE = 31
_NOT_IN_TITLE = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

Heading = list[tuple[str, str]]


def export_csv(path: Path, frame: pd.DataFrame) -> None:
    """Write a table as UTF-8 CSV, numbers at full precision, texts guarded against formulas.

    A byte order mark tells spreadsheet programs the encoding. Raises FileError where the
    file cannot be written; what stood there before is then untouched.
    """
    safe = frame.copy()
    for name in frame.columns:
        if not is_numeric_dtype(frame[name]):
            safe[name] = [guarded(text) for text in frame[name].tolist()]
    safe.columns = pd.Index([guarded(name) for name in frame.columns])
    data = safe.to_csv(index=False, lineterminator="\n").encode("utf-8-sig")
    _save(path, data)


def guarded(text: str) -> str:
    """A text of a CSV file that no spreadsheet program runs."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def export_xlsx(
    path: Path,
    sheets: Mapping[str, tuple[Heading, pd.DataFrame]],
    decimals: int = wording.DECIMALS,
) -> None:
    """Write tables as the sheets of one workbook, each below its heading.

    Numbers keep their full value and show ``decimals``. Raises FileError where the file cannot be
    written; what stood there before is then untouched.
    """
    book = Workbook()
    book.remove(book.active)
    for title, (heading, frame) in sheets.items():
        sheet = book.create_sheet(_sheet_title(title))
        _write_heading(sheet, heading)
        _write_table(sheet, frame, len(heading) + 2, decimals)
    data = BytesIO()
    book.save(data)
    _save(path, data.getvalue())


def _save(path: Path, data: bytes) -> None:
    def write(stream: BinaryIO) -> None:
        stream.write(data)

    atomic_write(path, write)


def _sheet_title(title: str) -> str:
    """A name Excel allows: openpyxl makes it unique, a query's text may hold what it refuses."""
    return _NOT_IN_TITLE.sub("_", title)[:LONGEST_TITLE].strip("'") or "Sheet"


def _write_heading(sheet: Worksheet, heading: Heading) -> None:
    for row, (label, text) in enumerate(heading, start=1):
        write_text(sheet.cell(row, 1), label).font = Font(bold=True)
        write_text(sheet.cell(row, 2), text)


def _write_table(sheet: Worksheet, frame: pd.DataFrame, header: int, decimals: int) -> None:
    for number, name in enumerate(frame.columns, start=1):
        cell = write_text(sheet.cell(header, number), name)
        cell.font = Font(bold=True)
        cell.border = Border(bottom=Side(style="thin"))
        values = frame[name]
        numeric = is_numeric_dtype(values)
        cell.alignment = Alignment(horizontal="right" if numeric else "left", vertical="top")
        if numeric:
            _write_numbers(sheet, values, header + 1, number, decimals)
        else:
            for row, text in enumerate(values.tolist(), start=header + 1):
                if text:
                    write_text(sheet.cell(row, number), text)
        width = _width(values, decimals) if len(frame) else NARROWEST
        width = max(width, len(name) + 2, LABEL_WIDTH if number == 1 else 0)
        sheet.column_dimensions[get_column_letter(number)].width = min(width, WIDEST)
    sheet.freeze_panes = sheet.cell(header + 1, 1)
    _set_up_print(sheet, header)


def _write_numbers(
    sheet: Worksheet, values: pd.Series[Any], first: int, number: int, decimals: int
) -> None:
    whole = is_integer_dtype(values)
    shown = "General" if whole or values.name in AS_GIVEN else number_format(decimals)
    for row, value in enumerate(values.tolist(), start=first):
        if not pd.isna(value):
            cell = sheet.cell(row, number, value)
            cell.number_format = shown


def write_text(cell: Cell, text: str) -> Cell:
    """Make a cell hold this text, whatever it begins with; gives the cell."""
    cell.value = _NOT_IN_XML.sub("\ufffd", text)
    # openpyxl makes a formula of "=…" and an error value of "#N/A".
    cell.data_type = "s"
    cell.quotePrefix = text.startswith(FORMULA_STARTS)
    return cell


def number_format(decimals: int) -> str:
    """The format of a figure with so many decimals."""
    return f"0.{'0' * decimals}" if decimals else "0"


def _width(values: pd.Series[Any], decimals: int) -> int:
    if is_numeric_dtype(values):
        largest = values.abs().max()
        return NARROWEST if pd.isna(largest) else len(f"{largest:.{decimals}f}") + 3
    # A long query text wraps no table: the widest tenth may be cut by the next column.
    lengths = sorted(len(text) for text in values.tolist())
    return max(NARROWEST, lengths[len(lengths) * 9 // 10] + 2)


def _set_up_print(sheet: Worksheet, header: int) -> None:
    """On paper: as wide as the page, the header on each."""
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.print_title_rows = f"{header}:{header}"
