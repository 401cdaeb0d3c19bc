"""Writes single cells into an .xlsx or .xlsm workbook and leaves all else in it byte for byte.

A library that loads and saves a workbook loses what it has no model of: charts, macros, rich text,
conditional formats. So the cells are changed in the text of the sheet's XML part, and the other
members of the zip package are copied in their packed form.
"""

from __future__ import annotations

import math
import posixpath
import re
import shutil
import struct
import zipfile
import zlib
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby, pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple
from xml.etree import ElementTree

LARGEST_PART = 2 << 30
"""Bytes of a part once unpacked: a larger one is no sheet but an attack on the memory."""

LARGEST_TEXT, LAST_ROW, LAST_COLUMN = 32_767, 1_048_576, 16_384
"""What a cell and a sheet of this format can hold."""

_CHUNK = 1 << 20
_LEVEL = 4  # of zlib: twice as quick as 6, and the part is hardly larger
_ALL_ONES = 0xFFFFFFFF  # a zip field of this value stands in the zip64 extra field instead

_HIDDEN = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
_ROOT = re.compile(rb"<((?:[^\s<>/:!?]+:)?)[^\s<>/:!?]+[\s/>]")
_ATTRIBUTE = re.compile(rb"""\s+([^\s=/>"']+)\s*=\s*("[^"]*"|'[^']*')""")
_REFERENCE = re.compile(rb"([A-Za-z]{1,3})([1-9][0-9]{0,6})")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LOOKS_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_TRUE = (b"1", b"true")

_Cell = tuple[int, int]


class WorkbookPatchError(ValueError):
    """Why the cells cannot be written, in a sentence for a person."""


@dataclass(frozen=True, slots=True)
class CellEdit:
    """A cell of a sheet, and what it is to hold. None empties it and keeps its style."""

    row: int
    column: int
    value: float | str | None


def formula_cells(path: Path, sheet: str, cells: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Which of these (row, column) cells, both from 1, take their value from a formula.

    The cells that an array formula or a data table fills are among them. Raises WorkbookPatchError
    for a file that is no workbook or has no such sheet, OSError for one that cannot be opened.
    """
    with _opened(path) as package:
        name, _ = _Book(package).sheet(sheet)
        return _Sheet(name, package.read(name)).formulas(sorted(set(cells)))


def patch_workbook(path: Path, sheet: str, edits: Sequence[CellEdit], out: BinaryIO) -> None:
    """Write the workbook at `path` to `out` with these cells changed, all else as it was.

    Rows and columns count from 1; of two edits of one cell the later holds. A formula gives way to
    the value. Where the workbook has formulas, it asks to be calculated anew when it is opened.

    Raises WorkbookPatchError, before anything is written, for a file that is no workbook or has no
    such sheet, for a value that a cell cannot hold, for a cell hidden in a merged one, and for one
    whose formula fills other cells too. Raises OSError for a file that cannot be read or written.
    """
    wanted = {(edit.row, edit.column): edit for edit in edits}
    for edit in wanted.values():
        _literal(edit)
    with _opened(path) as package:
        book = _Book(package)
        name, sheet_id = book.sheet(sheet)
        part = _Sheet(name, package.read(name))
        part.patch([wanted[cell] for cell in sorted(wanted)])
        changed: list[_Part] = [part]
        dropped = ""
        if part.freed:
            dropped, others = book.unlist(sheet_id, part.freed)
            changed += others
        if part.splices and (part.has_formulas() or book.has_formulas(besides=name)):
            book.ask_for_calculation()
            changed.append(book.part)
        package.write(out, [part for part in changed if part.splices], dropped)


def _name(row: int, column: int) -> str:
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row}"


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
        return f"{_name(self.top, self.left)}:{_name(self.bottom, self.right)}"


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
    """The value as XML text, in ASCII so that it suits whatever encoding the part declares."""
    value, cell = edit.value, f"Cell {_name(edit.row, edit.column)}"
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


@cache
def _start_tag(name: bytes) -> re.Pattern[bytes]:
    """A start tag; group 1 holds its attributes, and the slash of an element without content."""
    values = rb"""(?:[^>"']|"[^"]*"|'[^']*')*+"""
    return re.compile(rb"<" + re.escape(name) + rb"(?=[\s/>])(" + values + rb")>")


def _attributes(tag: re.Match[bytes]) -> dict[bytes, bytes]:
    return {match[1]: match[2][1:-1] for match in _ATTRIBUTE.finditer(tag[1])}


class _Part:
    """An XML part of the package, and the changes to be made to its bytes.

    Offsets hold in `data` and in `markup` alike: `markup` has blanks for comments and the like, so
    that a tag found there is a tag. `splices` are (start, end, new bytes).
    """

    def __init__(self, name: str, data: bytearray) -> None:
        self.name, self.data = name, data
        self.splices: list[tuple[int, int, bytes]] = []
        if b"\0" in data[:8]:
            raise WorkbookPatchError(f"The part {name} is no XML in UTF-8: it cannot be changed.")
        self.markup = self._without_hidden()
        root = _ROOT.search(self.markup)
        if root is None:
            raise WorkbookPatchError(f"The part {name} is damaged: it is no XML.")
        self.prefix = root[1]

    def _without_hidden(self) -> bytes | bytearray:
        # The first bytes are the XML declaration, which holds no tags.
        if re.compile(rb"<[!?]").search(self.data, 6) is None:
            return self.data
        markup = _HIDDEN.sub(lambda match: b" " * len(match[0]), self.data)
        if b"<!" in markup:
            raise WorkbookPatchError(f"The part {self.name} declares a document type of its own.")
        return markup

    def tags(self, name: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
        return _start_tag(self.prefix + name).finditer(self.markup, start, end)

    def tag(self, name: bytes, start: int = 0, end: int | None = None) -> re.Match[bytes] | None:
        return next(self.tags(name, start, len(self.data) if end is None else end), None)

    def extent(self, tag: re.Match[bytes], name: bytes) -> tuple[int, int]:
        """Where the content of the element ends, and where the element does."""
        if tag[1].endswith(b"/"):
            return tag.end(), tag.end()
        inner = self.markup.find(b"</" + self.prefix + name, tag.end())
        outer = self.markup.find(b">", inner)
        if inner < 0 or outer < 0:
            raise WorkbookPatchError(f"The part {self.name} is damaged: {name.decode()} is open.")
        return inner, outer + 1

    def set_attribute(self, tag: re.Match[bytes], name: bytes, value: bytes) -> None:
        for match in _ATTRIBUTE.finditer(self.markup, tag.start(1), tag.end(1)):
            if match[1] == name:
                self.splices.append((match.start(2) + 1, match.end(2) - 1, value))
                return
        self.insert(tag.start(1), b' %s="%s"' % (name, value))

    def insert(self, place: int, text: bytes) -> None:
        self.splices.append((place, place, text))

    def remove(self, name: bytes, attribute: bytes, value: str) -> None:
        """Remove each element of this name whose attribute has this value, in any case."""
        for tag in self.tags(name, 0, len(self.data)):
            if _attributes(tag).get(attribute, b"").decode().lower() == value.lower():
                self.splices.append((tag.start(), self.extent(tag, name)[1], b""))

    def fill(self, tag: re.Match[bytes], name: bytes, text: bytes) -> None:
        """Put text into an element without content, whichever way it is written."""
        if tag[1].endswith(b"/"):
            self.splices.append((tag.end() - 2, tag.end() - 1, b""))
            text += b"</" + self.prefix + name + b">"
        self.insert(tag.end(), text)

    def pieces(self) -> Iterator[bytes | memoryview]:
        """The bytes of the part as changed."""
        view, done = memoryview(self.data), 0
        for start, end, text in sorted(self.splices, key=lambda splice: splice[0]):
            yield view[done:start]
            yield text
            done = end
        yield view[done:]

    def parsed(self) -> ElementTree.Element:
        try:
            return ElementTree.fromstring(self.data)
        except (ElementTree.ParseError, LookupError, ValueError) as error:
            message = f"The part {self.name} is damaged: it is no XML ({error})."
            raise WorkbookPatchError(message) from error


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


class _Sheet(_Part):
    """A worksheet. `freed` are the cells whose formula has been replaced."""

    def __init__(self, name: str, data: bytearray) -> None:
        super().__init__(name, data)
        opening = self.tag(b"sheetData")
        if opening is None:
            raise WorkbookPatchError(f"The part {name} is damaged: it holds no rows of cells.")
        self.opening, self.start = opening, opening.end()
        # From the end, which is near: a search from the start would pass every row.
        closing = self.markup.rfind(b"</" + self.prefix + b"sheetData", self.start)
        self.end = self.start if opening[1].endswith(b"/") else closing
        if self.end < 0:
            raise WorkbookPatchError(f"The part {name} is damaged: sheetData is open.")
        self.freed: list[_Cell] = []
        self._shared_freed: Counter[bytes] = Counter()
        self._shared_masters: dict[bytes, _Cell] = {}
        self._new_styles: dict[_Cell, bytes] = {}

    def has_formulas(self) -> bool:
        return self.tag(b"f", self.start, self.end) is not None

    def formulas(self, cells: list[_Cell]) -> set[_Cell]:
        """Which of these cells, which ascend, take their value from a formula."""
        found = {cell for cell, _ in _within(self._filled_areas(), cells)}
        wanted = {row: {cell[1] for cell in group} for row, group in groupby(cells, lambda c: c[0])}
        for row in self._rows(wanted):
            for cell in self._cells(row.tag) if row.tag else ():
                if cell.column in wanted[row.number] and self.tag(b"f", cell.tag.end(), cell.inner):
                    found.add((row.number, cell.column))
        return found

    def patch(self, edits: list[CellEdit]) -> None:
        """Change these cells, which ascend."""
        cells = [(edit.row, edit.column) for edit in edits]
        self._refuse_parts_of_a_whole(cells)
        rows = {row: list(group) for row, group in groupby(edits, lambda edit: edit.row)}
        added = b""
        for row in self._rows(rows):
            if row.tag is not None:
                self._patch_row(row, row.tag, rows[row.number])
            elif new := b"".join(self._new_cell(row, {}, edit) for edit in rows[row.number]):
                element = b'<%srow r="%d">%s</%srow>' % (self.prefix, row.number, new, self.prefix)
                if row.place < self.end:
                    self.insert(row.place, element)
                else:
                    added += element
        if added and self.start == self.end:
            self.fill(self.opening, b"sheetData", added)
        elif added:
            self.insert(self.end, added)
        self._refuse_broken_shares()
        self._widen_dimension([(edit.row, edit.column) for edit in edits if edit.value is not None])
