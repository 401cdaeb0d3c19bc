"""Writes judgments to a new file of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.files.delimited import BYTE_ORDER_MARK
from ndcg_desktop.files.numbers import is_blank, number, number_text
from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.save import column_name
from ndcg_desktop.files.table import FileError, Table, cell_text
from ndcg_desktop.files.text_patch import csv_field
from ndcg_desktop.files.xlsx_patch import LARGEST_TEXT, LAST_ROW

_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_ROWS_MEASURED = 200
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LOOKS_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")

Row = list[str | float | None]
"""The cells of a row: texts, numbers, and None for an empty cell."""


def write_judgments(
    target: Path,
    header: Sequence[str],
    rows: Iterable[Sequence[str | float | None]],
    grade_columns: Sequence[int],
    *,
    words: bool = False,
) -> Table:
    """Write a new .csv, .tsv (or .txt) or .xlsx file with these columns.

    Grades may be ``words``, too. Text stays text, whatever it looks like;
    numbers are numbers, and None is an empty cell. A
    .csv begins with a byte order mark, since spreadsheet programs take one without for a file in
    the computer's old encoding and garble its accents; .tsv and .txt, which such programs ask
    about and other programs read, have none. Gives the table as it reads back.

    Raises FileError for another suffix, for a text that such a file cannot hold, and where the
    file would not read back with the same cells.
    """
    suffix = target.suffix.lower()
    if suffix != ".xlsx" and suffix not in _DELIMITERS:
        raise FileError(target, "Choose a name that ends in .csv, .tsv, .txt or .xlsx.")
    numbered = enumerate(rows, 2)
    cells = [_new_row(target, place, row, grade_columns, words) for place, row in numbered]
    if suffix == ".xlsx":
        data = workbook_bytes(target, header, cells)
    else:
        data = text_bytes(target, header, cells, _DELIMITERS[suffix])
    table = _check_written(target, data, cells)
    atomic_write(target, lambda file: file.write(data))
    return table


def _new_row(
    target: Path,
    place: int,
    row: Sequence[str | float | None],
    grade_columns: Sequence[int],
    words: bool,
) -> Row:
    """Give the cells of a row, with a number, a word or nothing for a grade, and no NaN."""
    cells: Row = [None if cell != cell else cell for cell in row]
    for column in grade_columns:
        grade = cells[column]
        if words and isinstance(grade, str) and grade.strip() and number(grade) is None:
            continue
        cells[column] = number(grade)
        if cells[column] is None and not is_blank(grade):
            raise FileError(target, f"“{grade}” is no grade: it is not a number.", row=place)
    return cells


def text_bytes(target: Path, header: Sequence[str], rows: Sequence[Row], delimiter: str) -> bytes:
    """Give a table as delimited text, with a byte order mark where commas delimit it.

    Raises FileError for a text that such a file cannot hold.
    """
    encoded = []
    for place, row in enumerate([header, *rows], 1):
        texts = [number_text(c) if isinstance(c, float | int) else c or "" for c in row]
        if delimiter == "\t" and any(mark in text for text in texts for mark in "\t\r\n"):
            problem = "A text with a tab or a line break cannot be saved as tab-separated text."
            raise FileError(target, f"{problem} Choose .csv or .xlsx.", row=place)
        line = delimiter.join(csv_field(text, delimiter) for text in texts) + "\n"
        try:
            encoded.append(line.encode())
        except UnicodeEncodeError as error:
            problem = f"The text holds U+{ord(line[error.start]):04X}, which is no character."
            raise FileError(target, problem, row=place) from None
    mark = BYTE_ORDER_MARK.encode() if delimiter == "," else b""
    return mark + b"".join(encoded)


def workbook_bytes(
    target: Path, header: Sequence[str], rows: Sequence[Row], title: str = "Judgments"
) -> bytes:
    """Give a table as a workbook of one sheet. Raises FileError for a text that it cannot hold."""
    # Not at the top: it takes long to import, and a window opens without it.
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    if len(rows) >= LAST_ROW:
        raise FileError(target, f"A workbook holds {LAST_ROW:,} rows at the most. Choose .csv.")
    table = [_sheet_cells(target, place, row) for place, row in enumerate([header, *rows], 1)]
    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet(title)
    sheet.freeze_panes = "A2"
    for column, width in enumerate(_widths(header, rows), 1):
        sheet.column_dimensions[column_name(column)].width = width

    def cell(text: str, kind: str) -> Any:
        made = WriteOnlyCell(sheet, text or None)
        # Set last: openpyxl takes a text like “=1” for a formula, and rounds numbers it is given.
        made.data_type = kind
        return made

    heading = [cell(*content) for content in table[0]]
    for made in heading:
        made.font = Font(bold=True)
    sheet.append(heading)
    for contents in table[1:]:
        sheet.append([cell(*content) if content[0] else None for content in contents])
    out = BytesIO()
    try:
        workbook.save(out)
    except OSError as error:  # it writes to a temporary file first
        raise FileError(target, f"The file cannot be written ({error.strerror}).") from error
    return out.getvalue()


def _sheet_cells(
    target: Path, place: int, row: Sequence[str | float | None]
) -> list[tuple[str, str]]:
    """Give the content and the type (text or number) of each cell of a row."""
    return [
        (number_text(cell), "n")
        if isinstance(cell, float | int)
        else (_sheet_text(target, cell or "", place), "s")
        for cell in row
    ]


def _widths(header: Sequence[str], rows: Sequence[Row]) -> list[int]:
    """Give widths in characters that show most cells whole, by the first rows."""
    looked_at = [header, *rows[:_ROWS_MEASURED]]
    longest = [max(len(cell_text(row[c])) for row in looked_at) for c in range(len(header))]
    return [min(max(10, length + 2), 60) for length in longest]


def _sheet_text(target: Path, text: str, place: int) -> str:
    """Give a text as a workbook holds it. Raises FileError for one that it cannot hold."""
    if len(text.encode("utf-16-le", "surrogatepass")) > 2 * LARGEST_TEXT:
        problem = f"A cell of a workbook holds {LARGEST_TEXT:,} characters at the most."
        raise FileError(target, f"{problem} Choose .csv.", row=place)
    if bad := _NOT_XML.search(text):
        problem = f"A workbook cannot hold the character U+{ord(bad[0]):04X} of this row's text."
        raise FileError(target, f"{problem} Choose .csv.", row=place)
    # Programs read _x0041_ in a workbook as the letter A, and drop a bare carriage return.
    return _LOOKS_ESCAPED.sub("_x005F_", text).replace("\r", "_x000D_")


def _check_written(target: Path, data: bytes, rows: Sequence[Row]) -> Table:
    """Read the bytes as the file will be read; its last rows are to be these."""
    try:
        table = read_bytes(target, data)[0]
    except FileError as error:
        raise _not_the_same(target) from error
    if not rows:
        return table
    width = len(rows[0])
    if len(table.columns) != width or len(table) < len(rows):
        raise _not_the_same(target)
    for column in range(width):
        cells = table.columns[column]
        texts = cells.texts() if isinstance(cells, Ids) else [cell_text(c) for c in cells]
        for place, (row, text) in enumerate(zip(rows, texts[-len(rows) :], strict=True), 2):
            if cell_text(row[column]) != text:
                raise _not_the_same(target, place)
    return table


def _not_the_same(target: Path, row: int | None = None) -> FileError:
    problem = (
        "The file was not written, since it would not read back with the same cells. Choose "
        "another kind of file: .xlsx, .csv or .tsv."
    )
    return FileError(target, problem, row=row)
