"""Writes single cells into an .xlsx or .xlsm workbook and leaves all else in it byte for byte.

A library that loads and saves a workbook loses what it has no model of: charts, macros, rich text,
conditional formats. So the cells are changed in the text of the sheet's XML part, and the other
members of the zip package are copied in their packed form.
"""

from __future__ import annotations

import math
import re
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import BinaryIO, NamedTuple

from ndcg_desktop.files.xlsx_package import Package, opened, relations_of
from ndcg_desktop.files.xlsx_parts import (
    ATTRIBUTE,
    Part,
    WorkbookPatchError,
    attributes_of,
    cell_name,
)

LARGEST_TEXT, LAST_ROW, LAST_COLUMN = 32_767, 1_048_576, 16_384
"""What a cell and a sheet of this format can hold."""

_TEXT_TYPES = (b"s", b"str", b"inlineStr")
_FILLING = (b"array", b"dataTable")
_TRUE = (b"1", b"true")


_REFERENCE = re.compile(rb"([A-Za-z]{1,3})([1-9][0-9]{0,6})")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LOOKS_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")

_Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CellEdit:
    """A cell of a sheet, and what it is to hold. None empties it and keeps its style.

    ``like`` is the column of the row's cell whose style a new cell takes, where there is one.
    """

    row: int  # from 1, as the sheet counts
    column: int  # from 1: column A
    value: float | str | None
    like: int | None = None


def formula_cells(
    data: bytes, sheet: str, cells: Iterable[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Which of these (row, column) cells, both from 1, take their value from a formula.

    The cells that an array formula or a data table fills are among them. Raises WorkbookPatchError
    for bytes that are no workbook or have no such sheet.
    """
    with opened(data) as package:
        name, _ = _Book(package).sheet(sheet)
        return _Sheet(name, package.read(name)).formulas(sorted(set(cells)))


def merged_below(
    data: bytes, sheet: str, cells: Iterable[tuple[int, int]]
) -> list[tuple[int, int, int]]:
    """First row, last row and first column of each merged cell of several rows that spans one of
    these (row, column) cells in its first column.

    Raises WorkbookPatchError as `formula_cells` does.
    """
    with opened(data) as package:
        name, _ = _Book(package).sheet(sheet)
        areas = filter(None, map(_Area.of, package.merged(name)))
    found = {area for (_, column), area in _within(areas, sorted(cells)) if area.left == column}
    return sorted((area.top, area.bottom, area.left) for area in found if area.top < area.bottom)


def free_columns(data: bytes, sheet: str, first: int, top: int, count: int) -> list[int]:
    """The first columns from this one on that hold nothing in any row of the sheet, and that no
    merged cell covers which reaches below the row ``top``.

    Raises WorkbookPatchError as `formula_cells` does, and where there are not so many.
    """
    with opened(data) as package:
        name, _ = _Book(package).sheet(sheet)
        taken = _Sheet(name, package.read(name)).taken_columns(first, top)
    free = [column for column in range(first, LAST_COLUMN + 1) if column not in taken]
    if len(free) < count:
        raise WorkbookPatchError("The sheet has no room for another column.")
    return free[:count]


def patch_workbook(
    data: bytes,
    sheet: str,
    edits: Sequence[CellEdit],
    out: BinaryIO,
    *,
    split: Collection[tuple[int, int]] = (),
    appended: int | None = None,
) -> None:
    """Write the workbook of these bytes to `out` with these cells changed, all else as it was.

    Rows and columns count from 1; of two edits of one cell the later holds. A formula gives way to
    the value. Where the workbook has formulas, it asks to be calculated anew when it is opened.
    Merged cells whose first cell is one of `split` are merged no more. A table that ends above the
    row `appended` comes to hold the edited rows from there on.

    Raises WorkbookPatchError, before anything is written, for bytes that are no workbook or have no
    such sheet, for a value that a cell cannot hold, for a cell hidden in a merged one, and for one
    whose formula fills other cells too. Raises OSError where ``out`` cannot be written.
    """
    wanted = {(edit.row, edit.column): edit for edit in edits}
    for edit in wanted.values():
        _literal(edit)
    with opened(data) as package:
        book = _Book(package)
        name, sheet_id = book.sheet(sheet)
        part = _Sheet(name, package.read(name))
        part.split(split)
        part.patch([wanted[cell] for cell in sorted(wanted)])
        changed: list[Part] = [part]
        dropped = ""
        if part.freed:
            dropped, others = book.unlist(sheet_id, part.freed)
            changed += others
        if appended is not None:
            changed += _grown_tables(package, name, appended, max(row for row, _ in wanted))
        if part.splices and (part.has_formulas() or book.has_formulas(besides=name)):
            book.ask_for_calculation()
            changed.append(book.part)
        package.write(out, [part for part in changed if part.splices], dropped)


def _grown_tables(package: Package, sheet: str, first: int, last: int) -> list[Part]:
    """The tables of a sheet that end right above a row, made to reach down to another."""
    if not package.has(relations_of(sheet)):
        return []
    grown = []
    for relation in package.relations(sheet):
        if relation.kind != "table":
            continue
        table = package.part(relation.target)
        tag = table.tag(b"table")
        if tag is None or attributes_of(tag).get(b"totalsRowCount", b"0") != b"0":
            continue
        for grows in filter(None, (tag, table.tag(b"autoFilter"))):
            area = _Area.of(attributes_of(grows).get(b"ref", b""))
            if area and area.bottom == first - 1:
                table.set_attribute(grows, b"ref", str(area._replace(bottom=last)).encode())
        grown.append(table)
    return grown


def _cell(reference: bytes) -> _Cell | None:
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        return None
    column = 0
    for letter in match[1].upper():
        column = column * 26 + letter - ord("A") + 1
    return int(match[2]), column


class _Area(NamedTuple):
    top: int
    left: int
    bottom: int
    right: int

    @classmethod
    def of(cls, reference: bytes) -> _Area | None:
        first, _, last = reference.partition(b":")
        start, end = _cell(first), _cell(last or first)
        return cls(*start, *end) if start and end else None

    def __str__(self) -> str:
        return f"{cell_name(self.top, self.left)}:{cell_name(self.bottom, self.right)}"


def _within(areas: Iterable[_Area], cells: Iterable[_Cell]) -> Iterator[tuple[_Cell, _Area]]:
    """Each of the cells, which ascend, that lies in one of the areas of several cells."""
    waiting = sorted((area for area in areas if area[:2] != area[2:]), reverse=True)
    reached: list[_Area] = []
    for row, column in cells:
        while waiting and waiting[-1].top <= row:
            reached.append(waiting.pop())
        reached = [area for area in reached if area.bottom >= row]
        for area in reached:
            if area.left <= column <= area.right:
                yield (row, column), area


def _literal(edit: CellEdit) -> bytes:
    """Write the value as XML text: in ASCII, which suits whatever encoding the part declares."""
    value, cell = edit.value, f"Cell {cell_name(edit.row, edit.column)}"
    if not (1 <= edit.row <= LAST_ROW and 1 <= edit.column <= LAST_COLUMN):
        raise WorkbookPatchError(f"Row {edit.row}, column {edit.column} is outside of any sheet.")
    if value is None:
        return b""
    if not isinstance(value, str):
        if not math.isfinite(value):
            raise WorkbookPatchError(f"{cell}: {value} is no number that a workbook can hold.")
        return repr(float(value)).removesuffix(".0").encode()
    if len(value.encode("utf-16-le", "surrogatepass")) > 2 * LARGEST_TEXT:
        raise WorkbookPatchError(f"{cell}: the text is longer than {LARGEST_TEXT} characters.")
    if bad := _NOT_XML.search(value):
        code = f"U+{ord(bad[0]):04X}"
        raise WorkbookPatchError(f"{cell}: a workbook cannot hold the text's character {code}.")
    # Spreadsheet programs read _x0041_ in a text as the letter A.
    text = _LOOKS_ESCAPED.sub("_x005F_", value).replace("&", "&amp;").replace("<", "&lt;")
    text = text.replace(">", "&gt;").replace("\r", "&#13;")
    return text.encode("ascii", "xmlcharrefreplace")


class _CellTag(NamedTuple):
    column: int
    tag: re.Match[bytes]
    inner: int
    end: int


class _Row(NamedTuple):
    number: int
    place: int
    tag: re.Match[bytes] | None
    """None for a row that the sheet lacks: it belongs at `place`."""
    above: int | None
    """Where the row element above starts, unless that is the first: a heading, mostly."""


class _Sheet(Part):
    """A worksheet. `freed` are the cells whose formula has been replaced."""

    def __init__(self, name: str, data: bytearray) -> None:
        super().__init__(name, data)
        opening = self.tag(b"sheetData")
        if opening is None:
            raise self.damaged("it holds no rows of cells")
        self.opening, self.start = opening, opening.end()
        # From the end, which is near: a search from the start would pass every row.
        closing = self.markup.rfind(b"</" + self.prefix + b"sheetData", self.start)
        self.end = self.start if opening[1].endswith(b"/") else closing
        if self.end < 0:
            raise self.damaged("sheetData is not closed")
        self.freed: list[_Cell] = []
        self._split: set[_Cell] = set()
        self._shared_freed: Counter[bytes] = Counter()
        self._shared_masters: dict[bytes, _Cell] = {}
        self._new_styles: dict[_Cell, bytes] = {}
        self._above: tuple[int | None, dict[int, re.Match[bytes]]] = None, {}

    def has_formulas(self) -> bool:
        return self.tag(b"f", self.start, self.end) is not None

    def merges(self) -> list[tuple[re.Match[bytes], _Area]]:
        """The merged cells, and their tags."""
        tags = self.tags(b"mergeCell", self.end, len(self.data))
        found = ((tag, _Area.of(attributes_of(tag).get(b"ref", b""))) for tag in tags)
        return [(tag, area) for tag, area in found if area]

    def split(self, corners: Collection[_Cell]) -> None:
        """Merge the cells that have these first cells no more."""
        self._split = set(corners)
        merges = self.merges()
        gone = [tag for tag, area in merges if area[:2] in self._split]
        whole = self.tag(b"mergeCells", self.end) if gone else None
        if whole is None:
            return
        if len(gone) == len(merges):
            self.replace(whole.start(), self.extent(whole, b"mergeCells")[1], b"")
            return
        for tag in gone:
            self.replace(tag.start(), self.extent(tag, b"mergeCell")[1], b"")
        if b"count" in attributes_of(whole):
            self.set_attribute(whole, b"count", b"%d" % (len(merges) - len(gone)))

    def formulas(self, cells: list[_Cell]) -> set[_Cell]:
        """Which of these cells, which ascend, take their value from a formula."""
        found = {cell for cell, _ in _within(self._filled_areas(), cells)}
        wanted = {row: {cell[1] for cell in group} for row, group in groupby(cells, lambda c: c[0])}
        for row in self._rows(wanted):
            for cell in self._cells(row.tag) if row.tag else ():
                if cell.column in wanted[row.number] and self.tag(b"f", cell.tag.end(), cell.inner):
                    found.add((row.number, cell.column))
        return found

    def taken_columns(self, first: int, top: int) -> set[int]:
        """The columns from this one on that hold something, be it a formula without a value, and
        those that a merged cell covers below the row ``top``.
        """
        taken = set()
        # All cells are passed, so most sheets must be known at this glance.
        usual = rb'<%sc(?=[\s/>])(?:\s+r="([A-Z]+)[1-9])?' % re.escape(self.prefix)
        letters = set(re.compile(usual).findall(self.markup, self.start, self.end))
        columns = [_cell(each + b"1") for each in letters]
        if any(cell is None or cell[1] >= first for cell in columns):
            rows = self.tags(b"row", self.start, self.end)
            cells = (cell for row in rows for cell in self._cells(row))
            taken = {c.column for c in cells if c.column >= first and c.inner > c.tag.end()}
        areas = [area for _, area in self.merges() if area.bottom >= top]
        for area in (*areas, *self._filled_areas()):
            taken.update(range(max(area.left, first), area.right + 1))
        return taken

    def patch(self, edits: list[CellEdit]) -> None:
        """Change these cells, which ascend."""
        self._refuse_parts_of_a_whole([(edit.row, edit.column) for edit in edits])
        rows = {row: list(group) for row, group in groupby(edits, lambda edit: edit.row)}
        below = b""
        for row in self._rows(rows):
            if row.tag is not None:
                self._patch_row(row, row.tag, rows[row.number])
            elif cells := b"".join(self._new_cell(row, edit) for edit in rows[row.number]):
                new = b'<%srow r="%d">%s</%srow>' % (self.prefix, row.number, cells, self.prefix)
                if row.place < self.end:
                    self.replace(row.place, row.place, new)
                else:
                    below += new
        if below and self.start == self.end:
            self.fill(self.opening, b"sheetData", below)
        else:
            self.replace(self.end, self.end, below)
        self._refuse_broken_shares()
        self._widen_dimension([(edit.row, edit.column) for edit in edits if edit.value is not None])

    def _rows(self, wanted: Iterable[int]) -> Iterator[_Row]:
        """Find the rows of these numbers, which ascend, in one pass over the sheet."""
        # All rows above the last wanted one are passed, so most must be known at this glance.
        usual = rb'<%srow(?:\s+r="([1-9][0-9]*)")?(?=[\s/>])' % re.escape(self.prefix)
        queue = deque(wanted)
        number, above = 0, None
        for match in re.compile(usual).finditer(self.markup, self.start, self.end):
            if not queue:
                return
            place, last = match.start(), number
            number = int(match[1]) if match[1] else self._row_number(place, last)
            if number <= last:
                raise self.damaged(f"row {number} follows row {last}")
            while queue and queue[0] < number:
                yield _Row(queue.popleft(), place, None, above)
            if queue and queue[0] == number:
                yield _Row(queue.popleft(), place, self.tag(b"row", place), above)
            above = place if last else None
        for missing in queue:
            yield _Row(missing, self.end, None, above)

    def _row_number(self, place: int, last: int) -> int:
        """Work out the number of a row: its own, that of its cells, else the next one."""
        tag = self.tag(b"row", place)
        if tag is None:
            raise self.damaged("a row has no end")
        if number := attributes_of(tag).get(b"r"):
            return int(number)
        first = self.tag(b"c", tag.end(), self.extent(tag, b"row")[0])
        cell = _cell(attributes_of(first).get(b"r", b"")) if first else None
        return cell[0] if cell else last + 1

    def _cells(self, row: re.Match[bytes]) -> Iterator[_CellTag]:
        column, place, end = 0, row.end(), self.extent(row, b"row")[0]
        while tag := self.tag(b"c", place, end):
            last = column
            cell = _cell(attributes_of(tag).get(b"r", b""))
            column = cell[1] if cell else last + 1
            if column <= last:
                raise self.damaged("the cells of a row are out of order")
            inner, place = self.extent(tag, b"c")
            yield _CellTag(column, tag, inner, place)

    def _patch_row(self, row: _Row, tag: re.Match[bytes], edits: list[CellEdit]) -> None:
        queue, end = deque(edits), tag.end()
        for cell in self._cells(tag):
            place, end = cell.tag.start(), cell.end
            while queue and queue[0].column < cell.column:
                self.replace(place, place, self._new_cell(row, queue.popleft()))
            if queue and queue[0].column == cell.column:
                self._replace_cell(row, cell, queue.popleft())
            if not queue:
                break
        if added := b"".join(self._new_cell(row, edit) for edit in queue):
            if end == tag.end():
                self.fill(tag, b"row", added)
            else:
                self.replace(end, end, added)
        self._drop_spans(tag, [edit.column for edit in edits if edit.value is not None])

    def _drop_spans(self, row: re.Match[bytes], columns: list[int]) -> None:
        """Drop the row's optional note of its columns if one of these is not among them."""
        for match in ATTRIBUTE.finditer(self.markup, row.start(1), row.end(1)):
            if match[1] == b"spans":
                spans = re.findall(rb"([0-9]+):([0-9]+)", match[2])
                inside = (any(int(a) <= column <= int(b) for a, b in spans) for column in columns)
                if not all(inside):
                    self.replace(match.start(), match.end(), b"")

    def _replace_cell(self, row: _Row, cell: _CellTag, edit: CellEdit) -> None:
        if formula := self.tag(b"f", cell.tag.end(), cell.inner):
            self._free(formula, (row.number, cell.column))
        # Metadata (cm, vm) makes the value part of a richer one, such as an image or a stock.
        gone = {b"t", b"cm", b"vm"}
        if isinstance(edit.value, float | int) and attributes_of(cell.tag).get(b"t") == b"n":
            gone.remove(b"t")
        attributes = ATTRIBUTE.sub(
            lambda match: b"" if match[1] in gone else match[0], cell.tag[1].removesuffix(b"/")
        )
        extension = self.tag(b"extLst", cell.tag.end(), cell.inner)
        kept = bytes(self.data[extension.start() : cell.inner]) if extension else b""
        new = self._element(attributes.rstrip(), edit, kept)
        self.replace(cell.tag.start(), cell.end, new)

    def _new_cell(self, row: _Row, edit: CellEdit) -> bytes:
        if edit.value is None:
            return b""
        style = self._style_like(row, edit) or self._style(row, edit)
        self._new_styles[row.number, edit.column] = style
        reference = cell_name(row.number, edit.column).encode()
        return self._element(b' r="%s"' % reference + (b' s="%s"' % style if style else b""), edit)

    def _element(self, attributes: bytes, edit: CellEdit, extension: bytes = b"") -> bytes:
        prefix, value, content = self.prefix, edit.value, b""
        if isinstance(value, str):
            attributes += b' t="inlineStr"'
            exact = value != value.strip() or "\n" in value
            space = b' xml:space="preserve"' if exact else b""
            text = b"<%st%s>%s</%st>" % (prefix, space, _literal(edit), prefix)
            content = b"<%sis>%s</%sis>" % (prefix, text, prefix)
        elif value is not None:
            content = b"<%sv>%s</%sv>" % (prefix, _literal(edit), prefix)
        content += extension
        end = b">%s</%sc>" % (content, prefix) if content else b"/>"
        return b"<%sc%s" % (prefix, attributes) + end

    def _style_like(self, row: _Row, edit: CellEdit) -> bytes:
        """The style of the cell that this new one is to look like, if there is one."""
        cells = self._cells(row.tag) if row.tag and edit.like is not None else ()
        like = next((cell.tag for cell in cells if cell.column == edit.like), None)
        return attributes_of(like).get(b"s", b"") if like else b""

    def _style(self, row: _Row, edit: CellEdit) -> bytes:
        """Take the style of the cell above, if it is no heading, else the row's or the column's."""
        if (row.number - 1, edit.column) in self._new_styles:
            return self._new_styles[row.number - 1, edit.column]
        if above := self._cells_above(row.above).get(edit.column):
            attributes = attributes_of(above)
            if isinstance(edit.value, str) or attributes.get(b"t") not in _TEXT_TYPES:
                return attributes.get(b"s", b"")
        attributes = attributes_of(row.tag) if row.tag else {}
        if attributes.get(b"customFormat") in _TRUE and b"s" in attributes:
            return attributes[b"s"]
        styles = self._column_styles
        return next((style for a, b, style in styles if a <= edit.column <= b), b"")

    def _cells_above(self, place: int | None) -> dict[int, re.Match[bytes]]:
        if place != self._above[0]:
            tag = None if place is None else self.tag(b"row", place)
            cells = self._cells(tag) if tag else ()
            self._above = place, {cell.column: cell.tag for cell in cells}
        return self._above[1]

    @cached_property
    def _column_styles(self) -> list[tuple[int, int, bytes]]:
        columns = map(attributes_of, self.tags(b"col", 0, self.opening.start()))
        styled = (c for c in columns if {b"min", b"max", b"style"} <= c.keys())
        return [(int(c[b"min"]), int(c[b"max"]), c[b"style"]) for c in styled]

    def _free(self, formula: re.Match[bytes], cell: _Cell) -> None:
        self.freed.append(cell)
        attributes = attributes_of(formula)
        if attributes.get(b"t") == b"shared":
            group = attributes.get(b"si", b"")
            self._shared_freed[group] += 1
            if b"ref" in attributes:
                self._shared_masters[group] = cell

    def _refuse_broken_shares(self) -> None:
        """Refuse to replace the formula that other cells, which keep theirs, refer to."""
        if not self._shared_masters:
            return
        formulas = map(attributes_of, self.tags(b"f", self.start, self.end))
        users = Counter(f.get(b"si", b"") for f in formulas if f.get(b"t") == b"shared")
        for group, cell in self._shared_masters.items():
            if users[group] > self._shared_freed[group]:
                raise WorkbookPatchError(
                    f"Cell {cell_name(*cell)} holds the formula that other cells share: "
                    "replaced by a value, it would be lost to them."
                )

    def _filled_areas(self) -> list[_Area]:
        """Find what array formulas and data tables fill."""
        some = rb"<%sf\s[^>]*?(?:array|dataTable)" % re.escape(self.prefix)
        starts = re.compile(some).finditer(self.markup, self.start, self.end)
        tags = (self.tag(b"f", match.start()) for match in starts)
        found = [attributes_of(tag) for tag in tags if tag]
        areas = (_Area.of(f.get(b"ref", b"")) for f in found if f.get(b"t") in _FILLING)
        return [area for area in areas if area]

    def _refuse_parts_of_a_whole(self, cells: list[_Cell]) -> None:
        for cell, area in _within(self._filled_areas(), cells):
            raise WorkbookPatchError(
                f"Cell {cell_name(*cell)} belongs to {area}, which one formula fills: "
                "it cannot be changed alone."
            )
        areas = [area for _, area in self.merges() if area[:2] not in self._split]
        for cell, area in _within(areas, cells):
            if cell != area[:2]:
                raise WorkbookPatchError(
                    f"Cell {cell_name(*cell)} is hidden in the merged cell {area}: "
                    f"only {cell_name(*area[:2])} shows there."
                )

    def _widen_dimension(self, cells: list[_Cell]) -> None:
        tag = self.tag(b"dimension", 0, self.opening.start())
        area = _Area.of(attributes_of(tag).get(b"ref", b"")) if tag else None
        if tag is None or area is None or not cells or not self.splices:
            return
        rows, columns = zip(*cells, strict=True)
        wider = _Area(
            min(area.top, *rows),
            min(area.left, *columns),
            max(area.bottom, *rows),
            max(area.right, *columns),
        )
        if wider != area:
            self.set_attribute(tag, b"ref", str(wider).encode())


class _Book:
    """The workbook's main part and what it refers to."""

    def __init__(self, package: Package) -> None:
        self._package = package
        main = [r.target for r in package.relations("") if r.kind == "officeDocument"]
        if not main:
            raise WorkbookPatchError("This file is no workbook: it names no main part.")
        self.part = package.part(main[0])
        self._relations = package.relations(main[0])

    def sheet(self, name: str) -> tuple[str, str]:
        """Find the part and the id of the sheet of this name."""
        sheets = [s for group in self.part.parsed() if _local(group.tag) == "sheets" for s in group]
        found = next((sheet for sheet in sheets if sheet.get("name") == name), None)
        if found is None:
            raise WorkbookPatchError(f"The workbook has no sheet named “{name}”.")
        key = next((value for key, value in found.items() if key.endswith("}id")), None)
        relation = next((r for r in self._relations if r.key == key), None)
        if relation is None or relation.kind != "worksheet":
            raise WorkbookPatchError(f"The sheet “{name}” is no sheet of cells.")
        return relation.target, found.get("sheetId", "")

    def has_formulas(self, besides: str) -> bool:
        sheets = [r.target for r in self._relations if r.kind == "worksheet"]
        return any(self._package.holds_formula(name) for name in sheets if name != besides)

    def ask_for_calculation(self) -> None:
        """Have all formulas calculated when the workbook is opened."""
        if tag := self.part.tag(b"calcPr"):
            if attributes_of(tag).get(b"fullCalcOnLoad") not in _TRUE:
                self.part.set_attribute(tag, b"fullCalcOnLoad", b"1")
            return
        # Its place is right after these, the last of them that there are.
        before = (b"sheets", b"functionGroups", b"externalReferences", b"definedNames")
        found = [(tag, name) for name in before if (tag := self.part.tag(name))]
        if not found:
            raise self.part.damaged("its list of sheets is in another namespace")
        _, place = self.part.extent(*found[-1])
        self.part.replace(place, place, b'<%scalcPr fullCalcOnLoad="1"/>' % self.part.prefix)

    def unlist(self, sheet_id: str, cells: list[_Cell]) -> tuple[str, list[Part]]:
        """Take cells off the list of those with formulas: the parts this drops and changes."""
        listed = [r for r in self._relations if r.kind == "calcChain"]
        if not listed or not self._package.has(listed[0].target):
            return "", []
        chain = self._package.part(listed[0].target)
        if _unlist(chain, sheet_id.encode(), {cell_name(*cell).encode() for cell in cells}):
            return "", [chain]
        relations = self._package.part(relations_of(self.part.name))
        relations.remove(b"Relationship", b"Id", listed[0].key)
        types = self._package.part("[Content_Types].xml")
        types.remove(b"Override", b"PartName", f"/{chain.name}")
        return chain.name, [relations, types]


def _unlist(chain: Part, sheet_id: bytes, cells: set[bytes]) -> int:
    """Take the cells out of the calculation chain. How many entries it keeps."""
    kept, current, orphaned = 0, b"", False
    for tag in chain.tags(b"c", 0, len(chain.data)):
        attributes = attributes_of(tag)
        own = attributes.get(b"i")
        current = own or current
        if attributes.get(b"r") in cells and current in (sheet_id, b""):
            chain.replace(tag.start(), chain.extent(tag, b"c")[1], b"")
            orphaned = orphaned or own is not None
        else:
            # An entry without a sheet is of the same sheet as the entry before.
            if orphaned and own is None:
                chain.set_attribute(tag, b"i", current)
            kept, orphaned = kept + 1, False
    return kept


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
