"""Checks that a save puts each grade where it belongs, and changes nothing else."""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.delimited import split_lines
from ndcg_desktop.files.numbers import is_blank, number
from ndcg_desktop.files.read import read_as, read_bytes
from ndcg_desktop.files.table import Column, FileError, Table, Texts, as_ids, cell_text
from ndcg_desktop.files.text_patch import LINE_KINDS, NewRow, Wanted, says


@dataclass(frozen=True, slots=True)
class Expected:
    """How a table is to read back: what each of its ``cells`` that change is to hold, by row and
    column, what each column of the new ``rows``, and the ``headers`` of the new columns, which are
    numbered on from the last. ``places`` are the columns of the file, from 1, of all of them.
    """

    part: Understood
    cells: Mapping[tuple[int, int], Wanted]
    rows: Sequence[Mapping[int, Wanted]]
    headers: Sequence[str]
    places: Sequence[int]

    def column(self, at: int) -> dict[int, Wanted]:
        """The cells of one column that change, by row."""
        return {row: wanted for (row, column), wanted in self.cells.items() if column == at}


def places_of(table: Table, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the places of these rows of the file in a table, −1 for one that is not there."""
    if not len(table):
        return np.full(len(rows), -1)
    places = np.searchsorted(table.row, rows)
    places[places == len(table)] = 0
    return np.where(table.row[places] == rows, places, -1)


def whole_table(data: bytes, like: Table) -> Table:
    """All rows of a table, from the bytes of its file. Raises FileError."""
    found = _find(_tables_in(data, like), like)
    assert found is not None  # it was read from this file
    return found


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


def _key_columns(part: Understood) -> list[int]:
    """The columns that say whose grade of which document a row is."""
    roles = part.roles
    return [c for c in (roles.query, roles.document, roles.rater) if c is not None]


# ---- a file that has changed


def reread(
    part: Understood, data: bytes, rows: Sequence[int], columns: Sequence[int]
) -> Understood:
    """Take the table from the file as it is now.

    Raises FileError where one of these rows is about another document or of another rater than
    before, and where one of these columns, or one that says what a row is, is another.
    """
    old, roles, keys = part.table, part.roles, _key_columns(part)
    new = _find(_tables_in(data, old), old)
    columns = [*keys, *roles.graded, *columns, *([] if roles.note is None else [roles.note])]
    if new is None or max(columns) >= len(new.columns):
        raise _moved(old)
    if old.header and new.header and any(old.header[c] != new.header[c] for c in columns):
        raise _moved(old)
    numbers = np.array(rows, dtype=np.int64)
    before, after = places_of(old, numbers), places_of(new, numbers)
    for row, place, other in zip(rows, before.tolist(), after.tolist(), strict=True):
        if min(place, other) < 0 or any(
            _id(old, column, place) != _id(new, column, other) for column in keys
        ):
            raise _moved(old, row)
    return replace(part, table=new)


def _moved(table: Table, row: int | None = None) -> FileError:
    problem = (
        "The file has been changed by another program, and its rows or columns have moved: the "
        "grades would go to other documents. Use Save as to write another file."
    )
    return FileError(table.path, problem, table.sheet, row)


def check_still_new(
    part: Understood, new_rows: Sequence[NewRow], new_columns: Sequence[str]
) -> None:
    """Raise FileError where a changed file has by now a row or a column that is to be added."""
    table, roles = part.table, part.roles
    now = set(table.header or ())
    if known := next((name for name in new_columns if name.strip() in now), None):
        raise _added_meanwhile(table, f"has a column “{known}”")
    if not new_rows:
        return
    texts = [as_ids(table.columns[column]).texts() for column in _key_columns(part)]
    listed = dict(zip(zip(*texts, strict=True), table.row.tolist(), strict=True))
    for new in new_rows:
        key = (
            *([] if roles.query is None else [new.query]),
            new.document,
            *([] if roles.rater is None else [new.rater]),
        )
        if key in listed:
            raise _added_meanwhile(table, f"lists “{new.document}”", listed[key])


def _added_meanwhile(table: Table, what: str, row: int | None = None) -> FileError:
    problem = (
        f"The file has been changed by another program and now {what} itself. Open it again, or "
        "use Save as to write another file."
    )
    return FileError(table.path, problem, table.sheet, row)


# ---- a file that is about to be written


def check_saved(expected: Sequence[Expected], data: bytes) -> tuple[Table, ...]:
    """Read the new bytes as the file will be read, compare with what they are to say, and give
    the tables, in order.

    Raises FileError where an edited cell holds something else than it should, where any other cell
    of a table has changed, and where a new row or column is missing.
    """
    first = expected[0].part.table
    try:
        tables = _tables_in(data, first)
    except FileError as error:
        raise _unreadable(first) from error
    found = []
    for each in expected:
        new = _find(tables, each.part.table)
        if new is None:
            raise _unreadable(each.part.table)
        aligned = _aligned(new, each)
        _check_rows(each, aligned)
        _check_added(each, aligned)
        _check_headers(each, new)
        found.append(new)
    return tuple(found)


def _aligned(new: Table, expected: Expected) -> Table:
    """Give a table the columns that are expected, empty where it lacks them.

    A sheet's table begins further right once its first column is empty, and a feature of LTR that
    only a removed line had is a column no more.
    """
    old = expected.part.table
    if old.kind == "ltr":
        assert old.header is not None and new.header is not None
        there: dict[Any, Column] = dict(zip(new.header, new.columns, strict=True))
        wanted: Iterable[Any] = old.header
    else:
        there = dict(enumerate(new.columns, new.first_column))
        wanted = expected.places
    columns = zip(wanted, _wider(expected), strict=True)
    return replace(new, columns=tuple(there.get(key, _empty(c, len(new))) for key, c in columns))


def _wider(expected: Expected) -> list[Column]:
    """The columns of the table as it was, and empty ones for those that are added."""
    old = expected.part.table
    return [*old.columns, *([""] * len(old) for _ in expected.headers)]


def _empty(like: Column, size: int) -> Column:
    return np.full(size, np.nan) if isinstance(like, np.ndarray) else [""] * size


def _check_rows(expected: Expected, new: Table) -> None:
    part, old = expected.part, expected.part.table
    kept, rows = _rows_afterwards(expected)
    places = places_of(new, rows)
    if (places < 0).any():
        raise _unreadable(old, int(old.row[kept][int(places.argmin())]))
    old = replace(old, columns=tuple(_wider(expected))).take(kept)
    wrong = np.zeros(len(places), dtype=bool)
    for at, (was, now) in enumerate(zip(old.columns, new.columns, strict=True)):
        differs = _differing(was, now, places)
        cells = expected.column(at)
        edited = places_of(old, np.array(list(cells), dtype=np.int64)).tolist()
        for place, wanted in zip(edited, cells.values(), strict=True):
            if place >= 0:
                differs[place] = not says(now[int(places[place])], wanted, part.labels)
        wrong |= differs
    if wrong.any():
        raise _unreadable(old, int(old.row[int(wrong.argmax())]))


def _rows_afterwards(expected: Expected) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of the rows that stay, and the rows of the file that they are then.

    Rows move up where lines are left out, and down below a text that has more lines than before.
    """
    old = expected.part.table
    if old.kind in LINE_KINDS:
        gone = sorted(row for (row, _), wanted in expected.cells.items() if wanted is None)
        kept = np.flatnonzero(~np.isin(old.row, gone))
        return kept, old.row[kept] - np.searchsorted(gone, old.row[kept])
    if old.kind == "workbook":
        return np.arange(len(old)), old.row.astype(np.int64)
    lines = _lines_added(expected)
    longer = np.array(sorted(lines), dtype=np.int64)
    moved = np.concatenate([[0], np.cumsum([lines[row] for row in longer.tolist()])])
    below = moved[np.searchsorted(longer, old.row)].astype(np.int64)
    return np.arange(len(old)), old.row + below + sum(map(_breaks, expected.headers))


def _lines_added(expected: Expected) -> dict[int, int]:
    """By how many lines each changed row of delimited text grows."""
    part, table = expected.part, expected.part.table
    added: dict[int, int] = defaultdict(int)
    places = places_of(table, np.array([row for row, _ in expected.cells], dtype=np.int64))
    for place, ((row, at), wanted) in zip(places.tolist(), expected.cells.items(), strict=True):
        was = table.columns[at][place] if at < len(table.columns) else ""
        if not says(was, wanted, part.labels):
            added[row] += (_breaks(wanted) if isinstance(wanted, str) else 0) - _breaks(was)
    return added


def _breaks(text: str) -> int:
    return len(split_lines(f"{text}.")) - 1


def _differing(was: Column, now: Column, places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each cell of a column differs from the one at its place in the other."""
    if isinstance(was, np.ndarray) and isinstance(now, np.ndarray):
        differs: NDArray[np.bool_] = ~np.isclose(was, now[places], rtol=0, atol=0, equal_nan=True)
        return differs
    before = was.texts() if isinstance(was, Ids) else was
    after = now.texts() if isinstance(now, Ids) else now
    at_places = map(after.__getitem__, places.tolist())
    return np.fromiter(map(operator.ne, before, at_places), dtype=bool, count=len(places))


def _check_added(expected: Expected, new: Table) -> None:
    """Check the new rows, all cells of them, and that new columns hold nothing else."""
    table, keys = expected.part.table, _key_columns(expected.part)
    for place, cells in enumerate(expected.rows, len(new) - len(expected.rows)):
        # A new line of TREC and LTR has fields of its own, such as the iteration.
        columns = cells if table.kind in LINE_KINDS else range(len(new.columns))
        for at in columns:
            if not _holds(new, at, place, cells.get(at), at in keys):
                raise _unreadable(table)
    for at in range(len(table.columns), len(new.columns)):
        wanted = [*expected.column(at).values(), *(row.get(at) for row in expected.rows)]
        filled = sum(not is_blank(cell) for cell in Texts(new.columns[at]))
        if filled != sum(not is_blank(value) for value in wanted):
            raise _unreadable(table)


def _holds(table: Table, column: int, place: int, value: Wanted, is_id: bool) -> bool:
    """Whether a cell holds what was written; ids are read without the spaces around them."""
    cell = table.columns[column][place]
    if value is None:
        return is_blank(cell)
    if isinstance(value, str):
        return (_id(table, column, place) if is_id else cell_text(cell)) == value
    return number(cell) == value


def _check_headers(expected: Expected, new: Table) -> None:
    old = expected.part.table
    if old.kind in LINE_KINDS:
        return
    there = dict(enumerate(new.header or (), new.first_column))
    names = (*(old.header or ()), *expected.headers) if old.header else ()
    wanted = zip(expected.places, names, strict=bool(names))
    if (old.header is None) != (new.header is None) or any(
        there.get(column, "") != name.strip() for column, name in wanted
    ):
        raise _unreadable(old)


def _unreadable(table: Table, row: int | None = None) -> FileError:
    problem = (
        "The grades were not saved, since the file would not read back as it should. Nothing was "
        "changed. Use Save as to write another file."
    )
    return FileError(table.path, problem, table.sheet, row)
