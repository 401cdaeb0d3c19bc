"""Puts grades back into the file they came from, or into a file of their own.

Nothing is replaced before it is certain: the file is the one that was read, the new bytes read
back with the wanted grades and with everything else as before, and they are whole on the disk.

FileError
├── ChangedOnDisk: another program has written the file since it was read
└── FormulaInTheWay: cells that grades would go to hold formulas
"""

from __future__ import annotations

import gzip
import hashlib
import operator
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.files.delimited import BYTE_ORDER_MARK
from ndcg_desktop.files.numbers import is_blank, number, number_text
from ndcg_desktop.files.read import (
    file_bytes,
    file_digest,
    is_compressed,
    read_bytes,
    unpacked,
)
from ndcg_desktop.files.table import Column, FileError, Table, as_ids, cell_text
from ndcg_desktop.files.text_patch import NewRow, csv_field, is_one_word, patch_text
from ndcg_desktop.files.xlsx_parts import WorkbookPatchError
from ndcg_desktop.files.xlsx_patch import (
    LARGEST_TEXT,
    LAST_ROW,
    CellEdit,
    formula_cells,
    patch_workbook,
)

__all__ = [
    "ChangedOnDisk",
    "FormulaInTheWay",
    "GradeEdit",
    "NewRow",
    "can_patch",
    "save_in_place",
    "write_judgments",
    "write_qrels",
]

_LINE_KINDS = ("qrels", "ltr")
"""Kinds of file that can only say “not judged” by leaving the line out."""

_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_BOUND_SUFFIXES = {".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".ods", ".gz"}
"""Endings that programs take at their word."""

_CELLS_NAMED = 5
_ROWS_MEASURED = 200
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LOOKS_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")

_Row = list[str | float | None]


@dataclass(frozen=True, slots=True)
class GradeEdit:
    """A row of the file, as in `Table.row`, and its grade; None is not judged."""

    row: int
    grade: float | None


class ChangedOnDisk(FileError):  # noqa: N818 - named for what has happened
    """The file is not the one that was read: another program has written it since."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            "The file has been changed by another program since it was opened. Save into it as it "
            "is now, or use Save as.",
        )


class FormulaInTheWay(FileError):  # noqa: N818 - named for what was found
    """Cells that grades are to go to hold formulas; ``cells`` names them, such as D7."""

    def __init__(self, path: Path, sheet: str | None, cells: Sequence[str]) -> None:
        self.cells = list(cells)
        more = len(self.cells) - _CELLS_NAMED
        named = ", ".join(self.cells[:_CELLS_NAMED]) + (f" and {more} more" if more > 0 else "")
        super().__init__(
            path,
            f"The grade would replace a formula in {named}. Replace it, or use Save as.",
            sheet,
        )


# ---- back into the file


def can_patch(part: Understood) -> str:
    """Say why grades cannot go back to the file they came from; nothing where they can.

    This looks at the first bytes of a workbook, not at its cells.
    """
    table, roles = part.table, part.roles
    if table.kind == "entered":
        return "These grades were entered by hand and have no file yet."
    if table.kind == "json":
        return "Grades cannot be written back into a JSON file."
    if roles.graders:
        return "The grades are made of several graders' columns and belong to none of them."
    if roles.document is None or roles.grade is None:
        return "The table has no column for grades."
    if not table.path.is_file():
        return "The file is no longer there."
    return _not_patchable_workbook(table.path) if table.kind == "workbook" else ""


def _not_patchable_workbook(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as package:
            names = {name.lower() for name in package.namelist()}
    except OSError:
        return "The file cannot be read."
    except zipfile.BadZipFile:
        names = set()
    # An .ods has no list of content types, and an .xlsb holds no XML.
    if "[content_types].xml" in names and "xl/workbook.bin" not in names:
        return ""
    return "Grades can be written back into .xlsx and .xlsm workbooks only."


def save_in_place(
    part: Understood,
    edits: Sequence[GradeEdit],
    new_rows: Sequence[NewRow],
    target: Path | None = None,
    *,
    replace_changed: bool = False,
    replace_formulas: bool = False,
) -> Path:
    """Write grades into the table's own file, or into a patched copy of it at ``target``.

    All else stays as it is; ``new_rows`` are added at the end. Gives the path that was written.
    The rows of a qrels or LTR file move up where a judgment is taken back.

    Raises ChangedOnDisk unless ``replace_changed``, FormulaInTheWay unless ``replace_formulas``,
    and FileError where the grades cannot be written, or would not read back. The file is then as
    it was.
    """
    path = part.table.path
    if reason := can_patch(part):
        raise FileError(path, f"{reason} Use Save as to write another file.", part.table.sheet)
    target = target or path
    _check_suffix(path, target)
    data = file_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    if digest != part.table.digest:
        if not replace_changed:
            raise ChangedOnDisk(path)
        part = _reread(part, data, edits, new_rows)
    _check_known(part, edits)
    _check_query(part, new_rows)
    if part.table.kind == "workbook":
        new = _patched_workbook(part, data, edits, new_rows, replace_formulas)
    else:
        new = _patched_text(part, data, edits, new_rows)
    _check_saved(part, new, edits, new_rows)

    def write(file: BinaryIO) -> None:
        file.write(new)
        if _digest_now(path) != digest:
            raise ChangedOnDisk(path)

    atomic_write(target, write)
    return target


def _check_suffix(path: Path, target: Path) -> None:
    old, new = path.suffix.lower(), target.suffix.lower()
    if old != new and {old, new} & _BOUND_SUFFIXES:
        name = f"end its name in “{old}”" if old else f"leave “{new}” off its name"
        raise FileError(target, f"A copy of {path.name} is a file of the same kind: {name}.")


def _digest_now(path: Path) -> str:
    try:
        return file_digest(path)
    except OSError:
        return ""


def _grade_column(part: Understood) -> int:
    assert part.roles.grade is not None  # can_patch has seen to that
    return part.roles.grade


def _id_columns(part: Understood) -> list[int]:
    return [c for c in (part.roles.query, part.roles.document) if c is not None]


def _check_known(part: Understood, edits: Sequence[GradeEdit]) -> None:
    rows = np.array([edit.row for edit in edits], dtype=np.int64)
    unknown = rows[_places(part.table, rows) < 0].tolist()
    if unknown:
        problem = "There is no judgment on this row. Use Save as to write another file."
        raise FileError(part.table.path, problem, part.table.sheet, unknown[0])


def _check_query(part: Understood, new_rows: Sequence[NewRow]) -> None:
    """Refuse a new row for another query than the one that a table without queries is about."""
    if part.roles.query is not None or not new_rows:
        return
    query = assemble([part]).judgments[0].query[0]
    other = next((row.query for row in new_rows if row.query != query), None)
    if other is not None:
        raise FileError(
            part.table.path,
            f"The table has no column for the query, so a document of “{other}” cannot be added. "
            "Use Save as to write another file.",
            part.table.sheet,
        )


def _patched_text(
    part: Understood, data: bytes, edits: Sequence[GradeEdit], new_rows: Sequence[NewRow]
) -> bytes:
    grades = {edit.row: edit.grade for edit in edits}
    content = unpacked(part.table.path, data)
    new = patch_text(part.table, content, grades, _grade_column(part), new_rows, part.roles)
    # Without a time in it, the same content makes the same file.
    return gzip.compress(new, mtime=0) if is_compressed(data) else new


def _patched_workbook(
    part: Understood,
    data: bytes,
    edits: Sequence[GradeEdit],
    new_rows: Sequence[NewRow],
    replace_formulas: bool,
) -> bytes:
    table = part.table
    assert table.sheet is not None
    column = table.first_column + _grade_column(part)
    cells = [CellEdit(edit.row, column, edit.grade) for edit in edits]
    if new_rows:
        cells += _new_cells(part, data, new_rows)
    out = BytesIO()
    try:
        places = [(cell.row, cell.column) for cell in cells]
        formulas = formula_cells(table.path, table.sheet, places)
        if formulas and not replace_formulas:
            names = [f"{_column_name(column)}{row}" for row, column in sorted(formulas)]
            raise FormulaInTheWay(table.path, table.sheet, names)
        patch_workbook(table.path, table.sheet, cells, out)
    except WorkbookPatchError as error:
        raise FileError(table.path, f"{error} Use Save as.", table.sheet) from error
    except OSError as error:
        raise FileError(table.path, f"The file cannot be read ({error.strerror}).") from error
    return out.getvalue()


def _new_cells(part: Understood, data: bytes, new_rows: Sequence[NewRow]) -> list[CellEdit]:
    """Put new rows below the last row of the sheet that holds anything, a sum or a note too."""
    table, roles = part.table, part.roles
    whole = _find(read_bytes(table.path, data), table)
    assert whole is not None
    assert roles.document is not None
    cells = []
    for row, new in enumerate(new_rows, int(whole.row[-1]) + 1):
        if roles.query is not None:
            cells.append(CellEdit(row, table.first_column + roles.query, new.query))
        cells.append(CellEdit(row, table.first_column + roles.document, new.document))
        cells.append(CellEdit(row, table.first_column + _grade_column(part), new.grade))
    return cells


def _column_name(column: int) -> str:
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


# ---- a file that has changed, and one that is about to


def _find(tables: Sequence[Table], like: Table) -> Table | None:
    same = (table for table in tables if (table.kind, table.sheet) == (like.kind, like.sheet))
    return next(same, None)


def _id(table: Table, column: int, place: int) -> str:
    cells = table.columns[column]
    return cells[place] if isinstance(cells, Ids) else cell_text(cells[place]).strip()


def _places(table: Table, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the places of these rows of the file in a table, −1 for one that is not there."""
    if not len(table):
        return np.full(len(rows), -1)
    places = np.searchsorted(table.row, rows)
    places[places == len(table)] = 0
    return np.where(table.row[places] == rows, places, -1)


def _reread(
    part: Understood, data: bytes, edits: Sequence[GradeEdit], new_rows: Sequence[NewRow]
) -> Understood:
    """Take the table from the file as it is now.

    Raises FileError where a row to be written is about another document than before, and where a
    document to be added has been added meanwhile.
    """
    old = part.table
    new = _find(read_bytes(old.path, data), old)
    columns = [*_id_columns(part), _grade_column(part)]
    if new is None or max(columns) >= len(new.columns):
        raise _moved(old)
    if old.header and new.header and any(old.header[c] != new.header[c] for c in columns):
        raise _moved(old)
    rows = np.array([edit.row for edit in edits], dtype=np.int64)
    before, after = _places(old, rows), _places(new, rows)
    for edit, place, other in zip(edits, before.tolist(), after.tolist(), strict=True):
        if min(place, other) < 0 or any(
            _id(old, column, place) != _id(new, column, other) for column in _id_columns(part)
        ):
            raise _moved(old, edit.row)
    part = replace(part, table=new)
    _check_still_new(part, new_rows)
    return part


def _moved(table: Table, row: int | None = None) -> FileError:
    problem = (
        "The file has been changed by another program, and its rows or columns have moved: the "
        "grades would go to other documents. Use Save as to write another file."
    )
    return FileError(table.path, problem, table.sheet, row)


def _check_still_new(part: Understood, new_rows: Sequence[NewRow]) -> None:
    table = part.table
    if not new_rows:
        return
    texts = [as_ids(table.columns[column]).texts() for column in _id_columns(part)]
    listed = dict(zip(zip(*texts, strict=True), table.row.tolist(), strict=True))
    for row in new_rows:
        key = (row.document,) if part.roles.query is None else (row.query, row.document)
        if key in listed:
            raise FileError(
                table.path,
                f"The file has been changed by another program and now lists “{row.document}” "
                "itself. Open it again, or use Save as to write another file.",
                table.sheet,
                listed[key],
            )


def _check_saved(
    part: Understood, data: bytes, edits: Sequence[GradeEdit], new_rows: Sequence[NewRow]
) -> None:
    """Read the new bytes as the file will be read, and compare with what they are to say.

    Raises FileError where an edited row has another grade than it should, where any other cell of
    the table has changed, and where a new row is missing.
    """
    table = part.table
    try:
        new = _find(read_bytes(table.path, data), table)
    except FileError as error:
        raise _unreadable(table) from error
    if new is None:
        raise _unreadable(table)
    new = _aligned(new, table)
    _check_rows(part, new, {edit.row: edit.grade for edit in edits})
    _check_added(part, new, new_rows)


def _aligned(new: Table, old: Table) -> Table:
    """Give a table the columns of another, empty where it lacks them.

    A sheet's table begins further right once its first column is empty, and a feature of LTR that
    only a removed line had is a column no more.
    """
    if old.kind == "ltr":
        assert old.header is not None and new.header is not None
        there: dict[Any, Column] = dict(zip(new.header, new.columns, strict=True))
        wanted: Iterable[Any] = old.header
    else:
        there = dict(enumerate(new.columns, new.first_column))
        wanted = range(old.first_column, old.first_column + len(old.columns))
    return replace(new, columns=tuple(there.get(key, [""] * len(new)) for key in wanted))


def _check_rows(part: Understood, new: Table, grades: Mapping[int, float | None]) -> None:
    old, column = part.table, _grade_column(part)
    if old.kind in _LINE_KINDS:
        removed = sorted(row for row, grade in grades.items() if grade is None)
        old = old.take(np.flatnonzero(~np.isin(old.row, removed)))
        places = _places(new, old.row - np.searchsorted(removed, old.row))
    else:
        places = _places(new, old.row.astype(np.int64))
    if (places < 0).any():
        raise _unreadable(part.table, int(old.row[int(places.argmin())]))
    edited = np.isin(old.row, list(grades))
    wrong = np.zeros(len(places), dtype=bool)
    for place, (was, now) in enumerate(zip(old.columns, new.columns, strict=True)):
        differs = _differing(was, now, places)
        wrong |= differs & ~edited if place == column else differs
    for place in np.flatnonzero(edited).tolist():
        cell = new.columns[column][int(places[place])]
        wrong[place] |= number(cell) != grades[int(old.row[place])]
    if wrong.any():
        raise _unreadable(part.table, int(old.row[int(wrong.argmax())]))


def _differing(was: Column, now: Column, places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each cell of a column differs from the one at its place in the other."""
    if isinstance(was, np.ndarray) and isinstance(now, np.ndarray):
        differs: NDArray[np.bool_] = ~np.isclose(was, now[places], rtol=0, atol=0, equal_nan=True)
        return differs
    before = was.texts() if isinstance(was, Ids) else was
    after = now.texts() if isinstance(now, Ids) else now
    at_places = map(after.__getitem__, places.tolist())
    return np.fromiter(map(operator.ne, before, at_places), dtype=bool, count=len(places))


def _check_added(part: Understood, new: Table, new_rows: Sequence[NewRow]) -> None:
    query, document, column = part.roles.query, part.roles.document, _grade_column(part)
    assert document is not None
    for place, row in enumerate(new_rows, len(new) - len(new_rows)):
        if (
            _id(new, document, place) != row.document
            or (query is not None and _id(new, query, place) != row.query)
            or number(new.columns[column][place]) != row.grade
        ):
            raise _unreadable(part.table)


def _unreadable(table: Table, row: int | None = None) -> FileError:
    problem = (
        "The grades were not saved, since the file would not read back as it should. Nothing was "
        "changed. Use Save as to write another file."
    )
    return FileError(table.path, problem, table.sheet, row)


# ---- into a file of its own


def write_judgments(
    target: Path,
    header: Sequence[str],
    rows: Iterable[Sequence[str | float | None]],
    grade_column: int,
) -> None:
    """Write a new .csv, .tsv (or .txt) or .xlsx file with these columns.

    Text stays text, whatever it looks like; numbers are numbers, and None is an empty cell. A
    .csv begins with a byte order mark, since spreadsheet programs take one without for a file in
    the computer's old encoding and garble its accents; .tsv and .txt, which such programs ask
    about and other programs read, have none.

    Raises FileError for another suffix, for a text that such a file cannot hold, and where the
    file would not read back with the same cells.
    """
    suffix = target.suffix.lower()
    if suffix != ".xlsx" and suffix not in _DELIMITERS:
        raise FileError(target, "Choose a name that ends in .csv, .tsv, .txt or .xlsx.")
    cells = [_new_row(target, place, row, grade_column) for place, row in enumerate(rows, 2)]
    if suffix == ".xlsx":
        data = _new_workbook(target, header, cells)
    else:
        data = _new_text(target, header, cells, _DELIMITERS[suffix])
    _check_written(target, data, cells)
    atomic_write(target, lambda file: file.write(data))


def _new_row(
    target: Path, place: int, row: Sequence[str | float | None], grade_column: int
) -> _Row:
    """Give the cells of a row, with a number or nothing in the grade's column and no NaN."""
    cells: _Row = [None if cell != cell else cell for cell in row]
    grade = cells[grade_column]
    cells[grade_column] = number(grade)
    if cells[grade_column] is None and not is_blank(grade):
        raise FileError(target, f"“{grade}” is no grade: it is not a number.", row=place)
    return cells


def _new_text(target: Path, header: Sequence[str], rows: Sequence[_Row], delimiter: str) -> bytes:
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


def _new_workbook(target: Path, header: Sequence[str], rows: Sequence[_Row]) -> bytes:
    # Not at the top: it takes long to import, and a window opens without it.
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    if len(rows) >= LAST_ROW:
        raise FileError(target, f"A workbook holds {LAST_ROW:,} rows at the most. Choose .csv.")
    table = [_sheet_cells(target, place, row) for place, row in enumerate([header, *rows], 1)]
    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("Judgments")
    sheet.freeze_panes = "A2"
    for column, width in enumerate(_widths(header, rows), 1):
        sheet.column_dimensions[_column_name(column)].width = width

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


def _widths(header: Sequence[str], rows: Sequence[_Row]) -> list[int]:
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


def _check_written(target: Path, data: bytes, rows: Sequence[_Row]) -> None:
    """Read the bytes as the file will be read; its last rows are to be these."""
    if not rows:
        return
    try:
        table = read_bytes(target, data)[0]
    except FileError as error:
        raise _not_the_same(target) from error
    width = len(rows[0])
    if len(table.columns) != width or len(table) < len(rows):
        raise _not_the_same(target)
    for column in range(width):
        cells = table.columns[column]
        texts = cells.texts() if isinstance(cells, Ids) else [cell_text(c) for c in cells]
        for place, (row, text) in enumerate(zip(rows, texts[-len(rows) :], strict=True), 2):
            if cell_text(row[column]) != text:
                raise _not_the_same(target, place)


def _not_the_same(target: Path, row: int | None = None) -> FileError:
    problem = (
        "The file was not written, since it would not read back with the same cells. Choose "
        "another kind of file: .xlsx, .csv or .tsv."
    )
    return FileError(target, problem, row=row)


def write_qrels(target: Path, rows: Iterable[tuple[str, str, float]]) -> None:
    """Write judged documents, as (query, document, grade), in the form of TREC qrels.

    Raises FileError for an id that such a file cannot hold, where nothing is judged, and for a
    file that cannot be written.
    """
    lines = []
    for place, (query, document, grade) in enumerate(rows, 1):
        for name, text in (("query", query), ("document", document)):
            if not is_one_word(text) or _NOT_XML.search(text):
                problem = f"The {name} “{text}” is not one word, as ids in qrels must be."
                raise FileError(target, f"{problem} Save as .csv.", row=place)
        lines.append(f"{query} 0 {document} {number_text(grade)}\n")
    if not lines:
        raise FileError(target, "Nothing is judged yet, so there is nothing to save.")
    data = "".join(lines).encode()
    atomic_write(target, lambda file: file.write(data))
