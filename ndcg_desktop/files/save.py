"""Puts grades and notes back into the file they came from, or into a copy of it.

Nothing is replaced before it is certain: the file is the one that was read, the new bytes read
back with the wanted grades and with everything else as before, and they are whole on the disk.

FileError
├── ChangedOnDisk: another program has written the file since it was read
├── OtherGrades: cells that grades would go to hold a word, or a grade that another row overruled
└── FormulaInTheWay: cells that grades would go to hold formulas
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ndcg_desktop.files.archives import packed_like, unpacked
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.files.read import file_bytes, file_digest
from ndcg_desktop.files.save_checks import (
    Expected,
    check_saved,
    check_still_new,
    places_of,
    reread,
    whole_table,
)
from ndcg_desktop.files.table import FileError, Table
from ndcg_desktop.files.text_patch import (
    LINE_KINDS,
    NewRow,
    Wanted,
    held,
    new_cells,
    patch_text,
    written,
)
from ndcg_desktop.files.xlsx_parts import WorkbookPatchError
from ndcg_desktop.files.xlsx_patch import (
    CellEdit,
    formula_cells,
    free_columns,
    merged_below,
    patch_workbook,
)

_BOUND_SUFFIXES = {".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".ods", ".gz", ".bz2", ".xz"}
"""Endings that programs take at their word."""

_CELLS_NAMED = 5


@dataclass(frozen=True, slots=True)
class GradeEdit:
    """A row of the file, as in `Table.row`, and its grade; None is not judged.

    ``column`` is that of the table, from 0, or, past its last, one of the new columns; None is the
    column of the grade.
    """

    row: int
    grade: float | None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A row of the file, a column as in `GradeEdit`, and the text of the cell; "" empties it."""

    row: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """What goes into one table: grades and texts of rows it has, rows to be added at its end, and
    columns to be added at its right, by their headers.
    """

    part: Understood
    edits: Sequence[GradeEdit] = ()
    new_rows: Sequence[NewRow] = ()
    texts: Sequence[TextEdit] = ()
    new_columns: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Patched:
    """The new content of a file, checked, and not yet written.

    ``digest`` is that of the content it was made from; ``tables`` are those that were changed, in
    order, as they will read back.
    """

    path: Path
    target: Path
    digest: str
    content: bytes
    tables: tuple[Table, ...]


class ChangedOnDisk(FileError):  # noqa: N818 - named for what has happened
    """The file is not the one that was read: another program has written it since."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            "The file has been changed by another program since it was opened. Save into it as it "
            "is now, or use Save as.",
        )


class OtherGrades(FileError):  # noqa: N818 - named for what was found
    """Cells that grades are to go to hold something else than the grade that was shown."""

    def __init__(self, table: Table, cells: Sequence[tuple[int, str]]) -> None:
        more = len(cells) - _CELLS_NAMED
        named = ", ".join(f"“{text[:20]}” on row {row}" for row, text in cells[:_CELLS_NAMED])
        super().__init__(
            table.path,
            f"Saving would replace {named}"
            + (f" and {more} more" if more > 0 else "")
            + ", which is not the grade that was shown for the document. Replace it, or use "
            "Save as.",
            table.sheet,
        )


class FormulaInTheWay(FileError):  # noqa: N818 - named for what was found
    """Cells that grades are to go to hold formulas; ``cells`` names them, such as D7."""

    def __init__(self, path: Path, sheet: str | None, cells: Sequence[str]) -> None:
        self.cells = list(cells)
        more = len(self.cells) - _CELLS_NAMED
        named = ", ".join(self.cells[:_CELLS_NAMED]) + (f" and {more} more" if more > 0 else "")
        super().__init__(
            path,
            f"Saving would replace a formula in {named}. Replace it, or use Save as.",
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
    if table.kind == "parquet":
        return "Grades cannot be written back into a Parquet file."
    if table.member:
        return f"“{table.member}” is inside an archive."
    if roles.document is None or not roles.graded:
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


def patched(
    changes: Sequence[Change],
    target: Path | None = None,
    *,
    replace_changed: bool = False,
    replace_formulas: bool = False,
) -> Patched:
    """Make the new content of a file, or of its copy at ``target``; nothing is written yet.

    The changes are of tables of one file. All else stays as it is; new rows are added at the end,
    and new columns at the right. The rows of a qrels or LTR file move up where a judgment is taken
    back, and those of delimited text move down below a text of several lines.

    Raises ChangedOnDisk unless ``replace_changed``, FormulaInTheWay unless ``replace_formulas``,
    and FileError where the grades cannot be written, or would not read back.
    """
    path = changes[0].part.table.path
    for change in changes:
        if reason := can_patch(change.part):
            raise FileError(
                path, f"{reason} Use Save as to write another file.", change.part.table.sheet
            )
    _check_suffix(path, target or path)
    data = file_bytes(path)
    digest = hashlib.sha256(data).hexdigest()
    if any(digest != change.part.table.digest for change in changes):
        if not replace_changed:
            raise ChangedOnDisk(path)
        changes = [_reread(change, data) for change in changes]
    new, expected = data, []
    for change in changes:
        cells = _cells(change)
        _check_known(change, cells)
        _check_query(change.part, change.new_rows)
        new, made = _with_change(change, cells, new, replace_formulas)
        expected.append(made)
    return Patched(path, target or path, digest, new, check_saved(expected, new))


def write_patched(made: Patched) -> list[Table]:
    """Put the new content into its place, and give its tables as they then stand.

    Raises ChangedOnDisk where another program has just written the file, and FileError where it
    cannot be written. The file is then as it was.
    """

    def write(file: BinaryIO) -> None:
        file.write(made.content)
        if _digest_now(made.path) != made.digest:
            raise ChangedOnDisk(made.path)

    atomic_write(made.target, write)
    return [replace(table, path=made.target) for table in made.tables]


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


def _cells(change: Change) -> dict[tuple[int, int], Wanted]:
    """What each cell is to hold, by row and column; of two edits of one cell the later holds."""
    cells: dict[tuple[int, int], Wanted] = {}
    for edit in change.edits:
        column = change.part.roles.grade if edit.column is None else edit.column
        if column is None:
            problem = "This grade belongs to none of the graders' columns. Use Save as."
            raise FileError(change.part.table.path, problem, change.part.table.sheet, edit.row)
        cells[edit.row, column] = edit.grade
    return cells | {(text.row, text.column): text.text for text in change.texts}


def _check_known(change: Change, cells: Mapping[tuple[int, int], Wanted]) -> None:
    table = change.part.table
    rows = np.array(_rows_known(change), dtype=np.int64)
    unknown = rows[places_of(table, rows) < 0].tolist()
    if unknown:
        problem = "There is no judgment on this row. Use Save as to write another file."
        raise FileError(table.path, problem, table.sheet, unknown[0])
    columns = {at for _, at in cells}.union(*(row.cells for row in change.new_rows))
    if not all(0 <= at < len(table.columns) + len(change.new_columns) for at in columns):
        problem = "The table has no such column. Use Save as to write another file."
        raise FileError(table.path, problem, table.sheet)


def _rows_known(change: Change) -> list[int]:
    """The rows of the file that are written to or copied from."""
    edited = [edit.row for edit in change.edits] + [text.row for text in change.texts]
    return edited + [row.like for row in change.new_rows if row.like is not None]


def _reread(change: Change, data: bytes) -> Change:
    """Take the table from the file as it is now.

    Raises FileError where a row to be written is about another document or of another rater than
    before, and where a row or a column to be added has been added meanwhile.
    """
    old = change.part.table
    named = [edit.column for edit in change.edits if edit.column is not None]
    named += [text.column for text in change.texts]
    named += [at for row in change.new_rows for at in row.cells]
    columns = [at for at in named if at < len(old.columns)]
    part = reread(change.part, data, _rows_known(change), columns)
    check_still_new(part, change.new_rows, change.new_columns)
    wider = len(part.table.columns) - len(old.columns)

    def moved(column: int) -> int:
        return column + wider if column >= len(old.columns) else column

    return replace(
        change,
        part=part,
        edits=[
            edit if edit.column is None else replace(edit, column=moved(edit.column))
            for edit in change.edits
        ],
        texts=[replace(text, column=moved(text.column)) for text in change.texts],
        new_rows=[
            replace(row, cells={moved(at): cell for at, cell in row.cells.items()})
            for row in change.new_rows
        ],
    )


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


def _with_change(
    change: Change, cells: Mapping[tuple[int, int], Wanted], data: bytes, replace_formulas: bool
) -> tuple[bytes, Expected]:
    """A file's bytes with the change of one of its tables, and how that table is to read back."""
    table, width = change.part.table, len(change.part.table.columns)
    places = list(range(table.first_column, table.first_column + width))
    if table.kind != "workbook":
        new = _patched_text(change, cells, data)
        places += range(width + 1, width + 1 + len(change.new_columns))
        return new, _expected(change, cells, places)
    try:
        made = _expected(change, cells, [*places, *_free_columns(change, data)])
        return _patched_workbook(made, data, replace_formulas), made
    except WorkbookPatchError as error:
        raise FileError(table.path, f"{error} Use Save as.", table.sheet) from error


def _expected(
    change: Change, cells: Mapping[tuple[int, int], Wanted], places: Sequence[int]
) -> Expected:
    rows = [new_cells(change.part, row) for row in change.new_rows]
    return Expected(change.part, cells, rows, change.new_columns, places)


def _patched_text(change: Change, cells: Mapping[tuple[int, int], Wanted], data: bytes) -> bytes:
    table = change.part.table
    content = unpacked(table.path, data)
    new = patch_text(change.part, content, cells, change.new_rows, change.new_columns)
    if table.kind in LINE_KINDS and not new.strip():
        raise FileError(
            table.path,
            "No judgment would be left, and the file would be empty. Use Save as to write another "
            "file.",
        )
    return packed_like(data, new)


def _free_columns(change: Change, data: bytes) -> list[int]:
    """The columns of the sheet, from 1, for the new columns of its table."""
    table = change.part.table
    assert table.sheet is not None
    if not change.new_columns:
        return []
    top = table.header_row or int(table.row[0])
    right = table.first_column + len(table.columns)
    return free_columns(data, table.sheet, right, top, len(change.new_columns))


def _patched_workbook(made: Expected, data: bytes, replace_formulas: bool) -> bytes:
    part, table, places = made.part, made.part.table, made.places
    assert table.sheet is not None
    cells = [
        CellEdit(row, places[at], written(wanted, part.labels), _styled_as(made, at, wanted))
        for (row, at), wanted in made.cells.items()
    ]
    cells, split = _unmerged(part, data, cells)
    if table.header_row is not None:
        new = places[len(table.columns) :]
        cells += [
            CellEdit(table.header_row, column, header, new[0] - 1)
            for column, header in zip(new, made.headers, strict=True)
        ]
    added = _new_cells(made, data) if made.rows else []
    cells += added
    formulas = formula_cells(data, table.sheet, [(cell.row, cell.column) for cell in cells])
    if formulas and not replace_formulas:
        names = [f"{column_name(column)}{row}" for row, column in sorted(formulas)]
        raise FormulaInTheWay(table.path, table.sheet, names)
    out = BytesIO()
    appended = added[0].row if added else None
    patch_workbook(data, table.sheet, cells, out, split=split, appended=appended)
    return out.getvalue()


def _styled_as(made: Expected, at: int, wanted: Wanted) -> int | None:
    """The column of the sheet whose style a cell of a new column takes: that of grades or notes."""
    roles = made.part.roles
    like = roles.note if isinstance(wanted, str) else roles.graded[0]
    return None if like is None or at < len(made.part.table.columns) else made.places[like]


def _unmerged(
    part: Understood, data: bytes, cells: list[CellEdit]
) -> tuple[list[CellEdit], list[tuple[int, int]]]:
    """Give each row under a merged cell its own, unless one value is to hold for all of them.

    Gives the cells to write, and the first cells of the merged cells to be split for that.
    """
    table = part.table
    assert table.sheet is not None
    wanted = {(cell.row, cell.column): cell for cell in cells}
    split = []
    for top, bottom, column in merged_below(data, table.sheet, wanted):
        rows = np.arange(top, bottom + 1)
        places = places_of(table, rows)
        old = table.columns[column - table.first_column]
        spanned = {
            (row, column): CellEdit(row, column, held(old[place]))
            for row, place in zip(rows.tolist(), places.tolist(), strict=True)
            if place >= 0
        }
        spanned |= {cell: wanted.pop(cell) for cell in spanned.keys() & wanted.keys()}
        if len({cell.value for cell in spanned.values()}) == 1 and (top, column) in spanned:
            wanted[top, column] = spanned[top, column]
        else:
            wanted |= spanned
            split.append((top, column))
    return list(wanted.values()), split


def _new_cells(made: Expected, data: bytes) -> list[CellEdit]:
    """Put new rows below the last row of the sheet that holds anything, a sum or a note too."""
    below = int(whole_table(data, made.part.table).row[-1]) + 1
    return [
        CellEdit(row, made.places[at], value)
        for row, cells in enumerate(made.rows, below)
        for at, value in sorted(cells.items())
    ]


def column_name(column: int) -> str:
    """The letters of a sheet's column, from 1: A to Z, then AA and on."""
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters
