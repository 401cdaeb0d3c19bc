"""Sheets whose few cells lie far apart, moved together so that they can be read.

A reader lays cells out as a rectangle, which two cells can make as large as a sheet may be. So the
rows without a value are taken out of the sheet and remembered, and a block of columns far from the
table is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.files.table import FileError
from ndcg_desktop.files.xlsx_details import Main, column_number
from ndcg_desktop.files.xlsx_guard import LAST_COLUMN, LAST_ROW, out_of_proportion
from ndcg_desktop.files.xlsx_package import DAMAGE, Package
from ndcg_desktop.files.xlsx_parts import ATTRIBUTE, MERGED, Part, WorkbookPatchError, cell_name

WIDE_GAP = 100
"""Columns without a value that set a block of columns apart."""

_TAG = re.compile(rb"""<(/?)(?:[^\s<>/:!?"']+:)?(row|c)(?=[\s/>])((?:[^>"']|"[^"]*"|'[^']*')*+)>""")
_NAME = re.compile(rb"([A-Za-z]{0,3})([0-9]{1,8})")
_REFERENCE = re.compile(rb"([A-Za-z]{1,3})([1-9][0-9]{0,6})")
_VALUE = re.compile(rb"<(?:[^\s<>/:!?]+:)?(?:v|t)(?:\s[^>]*)?>[^<]")
_SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'


class Placed(NamedTuple):
    """A cell with a value: row and column from 1, and where its element begins and ends."""

    row: int
    column: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Compacted:
    """A sheet that was moved together: the row of each of its rows, and cells left out."""

    rows: NDArray[np.int64]
    left_out: tuple[str, ...]


def compacted(path: Path, data: bytes, parts: Sequence[str]) -> tuple[bytes, dict[str, Compacted]]:
    """The workbook with these sheets moved together, and what was done, by the name of the sheet.

    A sheet that is small enough as it is stays. Raises FileError where a sheet is damaged, and
    where it cannot be made small enough.
    """
    done: dict[str, Compacted] = {}
    try:
        package = Package(BytesIO(data))
        changed = [package.part(name) for name in parts]
        found = {part.name: _compact(path, part) for part in changed}
        changed = [part for part in changed if found[part.name] is not None]
        if not changed:
            return data, done
        for sheet, name in Main(package).sheets.items():
            if moved := found.get(name):
                done[sheet] = moved
        out = BytesIO()
        package.write(out, changed, "")
    except (WorkbookPatchError, *DAMAGE) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(path, f"The workbook cannot be read. {error}") from error
    if len({part.name for part in changed}) > len(done):
        raise FileError(path, "The workbook is damaged: a sheet of its cells is not listed in it.")
    return out.getvalue(), done


def _compact(path: Path, part: Part) -> Compacted | None:
    cells = list(_placed(path, part))
    if not cells:
        return None
    rows, columns = np.array([cell[:2] for cell in cells], dtype=np.int64).T
    kept = _largest_block(columns)
    if kept.all() and not _too_large(int(rows.max()), columns):
        return None
    if _too_large(len(np.unique(rows[kept])), columns[kept]):
        raise FileError(
            path,
            f"The {len(cells):,} cells of {part.name} are strewn over too many rows and columns "
            "to be read as a table. Move them together in the spreadsheet program.",
        )
    numbers = np.unique(rows[kept])
    _rewrite(part, [cell for cell, keep in zip(cells, kept.tolist(), strict=True) if keep], numbers)
    left_out = [cell_name(*cells[place][:2]) for place in np.flatnonzero(~kept).tolist()]
    return Compacted(numbers, tuple(left_out))


def _too_large(rows: int, columns: NDArray[np.int64]) -> bool:
    return out_of_proportion(rows * int(np.ptp(columns) + 1), len(columns))


def _largest_block(columns: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each cell is in the block of columns, wide gaps apart, that has most cells."""
    used = np.unique(columns)
    block = np.concatenate([[0], np.cumsum(np.diff(used) > WIDE_GAP)])
    of_cell = block[np.searchsorted(used, columns)]
    largest: NDArray[np.bool_] = of_cell == np.bincount(of_cell).argmax()
    return largest


def _placed(path: Path, part: Part) -> Iterator[Placed]:
    """The cells of a sheet that have a value, where the reader would put them."""
    row, cell, opened = 1, (1, 1), -1
    for tag in _TAG.finditer(part.markup):
        closing, kind, empty = tag[1], tag[2], tag[3].endswith(b"/")
        if not closing:
            attributes = {match[1]: match[2][1:-1] for match in ATTRIBUTE.finditer(tag[3])}
            name = _NAME.fullmatch(attributes.get(b"r", b""))
            if kind == b"row":
                row = int(name[2]) if name else row
                cell = row, 1
            else:
                # A cell goes where its name says, whatever the row says.
                cell = (int(name[2]), column_number(name[1])) if name else (row, cell[1])
                opened = -1 if empty else tag.start()
            if not (1 <= cell[0] <= LAST_ROW and 1 <= cell[1] <= LAST_COLUMN):
                raise FileError(path, f"The workbook is damaged: {part.name} is too large.")
        if closing or empty:
            if kind == b"row":
                row += 1
                continue
            if opened >= 0 and _VALUE.search(part.markup, opened, tag.end()):
                yield Placed(*cell, opened, tag.end())
            cell, opened = (row, cell[1] + 1), -1


def _rewrite(part: Part, cells: list[Placed], numbers: NDArray[np.int64]) -> None:
    """Give a sheet these cells alone, in rows that follow each other."""
    rows = (np.searchsorted(numbers, [cell.row for cell in cells]) + 1).tolist()
    pieces, last = [_SHEET, b"<sheetData>"], 0
    for cell, row in sorted(zip(cells, rows, strict=True), key=lambda item: item[1]):
        if row != last:
            pieces += [b"</row>"] * bool(last) + [b'<row r="%d">' % row]
        old = bytes(part.data[cell.start : cell.end])
        attributes = _TAG.match(old)
        assert attributes is not None
        start, end = attributes.span(3)
        name = b' r="%s"' % cell_name(row, cell.column).encode()
        others = ATTRIBUTE.sub(lambda m: b"" if m[1] == b"r" else m[0], old[start:end])
        pieces.append(old[:start] + name + others + old[end:])
        last = row
    pieces += [b"</row>"] * bool(last) + [b"</sheetData>", *_merges(part, numbers), b"</worksheet>"]
    part.replace(0, len(part.data), b"".join(pieces))


def _merges(part: Part, numbers: NDArray[np.int64]) -> Iterator[bytes]:
    """The merged cells, in the new rows."""
    yield b"<mergeCells>"
    for match in MERGED.finditer(part.markup):
        first, _, last = match[1].partition(b":")
        start, end = _REFERENCE.fullmatch(first), _REFERENCE.fullmatch(last)
        if start and end:
            top = int(np.searchsorted(numbers, int(start[2])))
            bottom = int(np.searchsorted(numbers, int(end[2]), side="right")) - 1
            if top < len(numbers) and numbers[top] == int(start[2]) and bottom > top:
                area = start[1], top + 1, end[1], bottom + 1
                yield b'<mergeCell ref="%s%d:%s%d"/>' % area
    yield b"</mergeCells>"
