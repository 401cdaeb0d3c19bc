"""Puts grades back into the file they came from, or into a copy of it.

Nothing is replaced before it is certain: the file is the one that was read, the new bytes read
back with the wanted grades and with everything else as before, and they are whole on the disk.

FileError
├── ChangedOnDisk: another program has written the file since it was read
├── OtherGrades: cells that grades would go to hold a word, or a grade that another row overruled
└── FormulaInTheWay: cells that grades would go to hold formulas
"""

from __future__ import annotations

import hashlib
import operator
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.files.archives import packed_like, unpacked
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.files.labels import read_grade, written_grade
from ndcg_desktop.files.numbers import number
from ndcg_desktop.files.read import file_bytes, file_digest, read_as, read_bytes
from ndcg_desktop.files.table import Column, FileError, Table, as_ids, cell_text
from ndcg_desktop.files.text_patch import NewRow, patch_text
from ndcg_desktop.files.xlsx_parts import WorkbookPatchError
from ndcg_desktop.files.xlsx_patch import (
    CellEdit,
    formula_cells,
    merged_below,
    patch_workbook,
)

_LINE_KINDS = ("qrels", "ltr")
"""Kinds of file that can only say “not judged” by leaving the line out."""

_BOUND_SUFFIXES = {".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".ods", ".gz", ".bz2", ".xz"}
"""Endings that programs take at their word."""

_CELLS_NAMED = 5


@dataclass(frozen=True, slots=True)
class GradeEdit:
    """A row of the file, as in `Table.row`, and its grade; None is not judged."""

    row: int
    grade: float | None


@dataclass(frozen=True, slots=True)
class Change:
    """What goes into one table: grades of rows it has, and rows to be added at its end."""

    part: Understood
    edits: Sequence[GradeEdit] = ()
    new_rows: Sequence[NewRow] = ()


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
    if table.kind == "parquet":
        return "Grades cannot be written back into a Parquet file."
    if table.member:
        return f"“{table.member}” is inside an archive."
    if roles.graders:
        return "The grades are made of several graders' columns and belong to none of them."
    if roles.rater is not None:
        return "The grades are made of several judges' rows and belong to none of them."
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


def patched(
    changes: Sequence[Change],
    target: Path | None = None,
    *,
    replace_changed: bool = False,
    replace_formulas: bool = False,
) -> Patched:
    """Make the new content of a file, or of its copy at ``target``; nothing is written yet.

    The changes are of tables of one file. All else stays as it is; new rows are added at the end.
    The rows of a qrels or LTR file move up where a judgment is taken back.

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
    new = data
    for change in changes:
        _check_known(change.part, change.edits)
        _check_query(change.part, change.new_rows)
        if change.part.table.kind == "workbook":
            new = _patched_workbook(change, new, replace_formulas)
        else:
            new = _patched_text(change, new)
    return Patched(path, target or path, digest, new, _check_saved(changes, new))


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


def _patched_text(change: Change, data: bytes) -> bytes:
    table = change.part.table
    grades = {edit.row: edit.grade for edit in change.edits}
    new = patch_text(change.part, unpacked(table.path, data), grades, change.new_rows)
    if table.kind in _LINE_KINDS and not new.strip():
        raise FileError(
            table.path,
            "No judgment would be left, and the file would be empty. Use Save as to write another "
            "file.",
        )
    return packed_like(data, new)


def _patched_workbook(change: Change, data: bytes, replace_formulas: bool) -> bytes:
    table = change.part.table
    assert table.sheet is not None
    part = change.part
    column, labels = table.first_column + _grade_column(part), part.labels
    cells = [CellEdit(edit.row, column, written_grade(edit.grade, labels)) for edit in change.edits]
    added = _new_cells(change, data) if change.new_rows else []
    out = BytesIO()
    try:
        cells, split = _unmerged(part, data, cells)
        cells += added
        places = [(cell.row, cell.column) for cell in cells]
        formulas = formula_cells(data, table.sheet, places)
        if formulas and not replace_formulas:
            names = [f"{column_name(column)}{row}" for row, column in sorted(formulas)]
            raise FormulaInTheWay(table.path, table.sheet, names)
        appended = added[0].row if added else None
        patch_workbook(data, table.sheet, cells, out, split=split, appended=appended)
    except WorkbookPatchError as error:
        raise FileError(table.path, f"{error} Use Save as.", table.sheet) from error
    return out.getvalue()


def _unmerged(
    part: Understood, data: bytes, cells: list[CellEdit]
) -> tuple[list[CellEdit], list[tuple[int, int]]]:
    """Give each row under a merged grade its own, unless one grade is to hold for all of them.

    Gives the cells to write, and the first cells of the merged cells to be split for that.
    """
    table = part.table
    assert table.sheet is not None
    column = table.first_column + _grade_column(part)
    wanted = {cell.row: cell.value for cell in cells}
    split = []
    for top, bottom in merged_below(data, table.sheet, column, wanted):
        rows = np.arange(top, bottom + 1)
        places = _places(table, rows)
        spanned = dict(zip(rows[places >= 0].tolist(), places[places >= 0].tolist(), strict=True))
        values = {row: wanted.get(row, _held(part, place)) for row, place in spanned.items()}
        if len(set(values.values())) == 1 and top in values:
            wanted = {row: value for row, value in wanted.items() if row not in values}
            wanted[top] = values[top]
        else:
            wanted |= values
            split.append((top, column))
    return [CellEdit(row, column, value) for row, value in wanted.items()], split


def _held(part: Understood, place: int) -> float | str | None:
    """What a cell of grades holds, as it is written."""
    cell = part.table.columns[_grade_column(part)][place]
    value = number(cell)
    return value if value is not None else cell_text(cell) or None


def _new_cells(change: Change, data: bytes) -> list[CellEdit]:
    """Put new rows below the last row of the sheet that holds anything, a sum or a note too."""
    table, roles = change.part.table, change.part.roles
    whole = _find(_tables_in(data, table), table)
    assert whole is not None
    assert roles.document is not None
    cells = []
    for row, new in enumerate(change.new_rows, int(whole.row[-1]) + 1):
        if roles.query is not None:
            cells.append(CellEdit(row, table.first_column + roles.query, new.query))
        cells.append(CellEdit(row, table.first_column + roles.document, new.document))
        grade = written_grade(new.grade, change.part.labels)
        cells.append(CellEdit(row, table.first_column + _grade_column(change.part), grade))
    return cells


def column_name(column: int) -> str:
    """The letters of a sheet's column, from 1: A to Z, then AA and on."""
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


# ---- a file that has changed, and one that is about to


def _tables_in(data: bytes, like: Table) -> list[Table]:
    """Read a file's new bytes as the table was read. Raises FileError."""
    if like.dialect is not None and like.dialect.chosen:
        return [read_as(like.path, data, like.dialect)]
    return read_bytes(like.path, data)


def _find(tables: Sequence[Table], like: Table) -> Table | None:
    """The table of this sheet, cut below the row that a person has said is the header. Raises
    FileError where that row is none of its first.
    """
    same = (table for table in tables if (table.kind, table.sheet) == (like.kind, like.sheet))
    found = next(same, None)
    return found if found is None or not like.recut else found.with_header_row(like.header_row)


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


def _reread(change: Change, data: bytes) -> Change:
    """Take the table from the file as it is now.

    Raises FileError where a row to be written is about another document than before, and where a
    document to be added has been added meanwhile.
    """
    part, old = change.part, change.part.table
    new = _find(_tables_in(data, old), old)
    columns = [*_id_columns(part), _grade_column(part)]
    if new is None or max(columns) >= len(new.columns):
        raise _moved(old)
    if old.header and new.header and any(old.header[c] != new.header[c] for c in columns):
        raise _moved(old)
    rows = np.array([edit.row for edit in change.edits], dtype=np.int64)
    before, after = _places(old, rows), _places(new, rows)
    for edit, place, other in zip(change.edits, before.tolist(), after.tolist(), strict=True):
        if min(place, other) < 0 or any(
            _id(old, column, place) != _id(new, column, other) for column in _id_columns(part)
        ):
            raise _moved(old, edit.row)
    part = replace(part, table=new)
    _check_still_new(part, change.new_rows)
    return replace(change, part=part)


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


def _check_saved(changes: Sequence[Change], data: bytes) -> tuple[Table, ...]:
    """Read the new bytes as the file will be read, compare with what they are to say, and give
    the tables of the changes.

    Raises FileError where an edited row has another grade than it should, where any other cell of
    a table has changed, and where a new row is missing.
    """
    first = changes[0].part.table
    try:
        tables = _tables_in(data, first)
    except FileError as error:
        raise _unreadable(first) from error
    found = []
    for change in changes:
        new = _find(tables, change.part.table)
        if new is None:
            raise _unreadable(change.part.table)
        aligned = _aligned(new, change.part.table)
        _check_rows(change.part, aligned, {edit.row: edit.grade for edit in change.edits})
        _check_added(change.part, aligned, change.new_rows)
        found.append(new)
    return tuple(found)


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
    columns = zip(wanted, old.columns, strict=True)
    return replace(new, columns=tuple(there.get(key, _empty(c, len(new))) for key, c in columns))


def _empty(like: Column, size: int) -> Column:
    return np.full(size, np.nan) if isinstance(like, np.ndarray) else [""] * size


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
        wrong[place] |= read_grade(cell, part.labels) != grades[int(old.row[place])]
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
            or read_grade(new.columns[column][place], part.labels) != row.grade
        ):
            raise _unreadable(part.table)


def _unreadable(table: Table, row: int | None = None) -> FileError:
    problem = (
        "The grades were not saved, since the file would not read back as it should. Nothing was "
        "changed. Use Save as to write another file."
    )
    return FileError(table.path, problem, table.sheet, row)
