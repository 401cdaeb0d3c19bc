"""Looks at the bytes of a workbook before they are read, so that no file can exhaust the memory.

A reader lays the cells of a sheet out as a rectangle and takes an archive at its word: two cells
far apart, or a part that unpacks a thousandfold, would end the program.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.files.biff_guard import check_binary_sheet, check_old_workbook
from ndcg_desktop.files.ods_guard import check_content
from ndcg_desktop.files.table import Cancelled, FileError
from ndcg_desktop.files.xlsx_package import DAMAGE

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
PROTECTED = (
    "The workbook is protected by a password. Remove it in the spreadsheet program, and open it "
    "again."
)
MOST_PARTS = 20_000
LARGEST_ARCHIVE = 2 << 30
"""Bytes of all parts once unpacked."""
SUSPECT_SIZE, SUSPECT_RATIO = 64 << 20, 200
"""A part as large as this that was packed so much smaller: sheets shrink ten- to thirtyfold."""

SMALL_RECTANGLE, CELLS_FOR_EACH, WIDE = 250_000, 8, 500
"""A rectangle of this many cells is read as it is, or one with so many cells for each filled; of
columns, more are looked at closely.
"""

_CHUNK = 1 << 20
_NAME_ROOM = 32  # bytes of <c r= and a name, generously
_MOST_DIGITS, _MOST_LETTERS = 8, 4
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_PREFIX = re.compile(rb"<[^\s<>/:!?]+$")
_LONGEST_PREFIX = 64
_CELL = int.from_bytes(b"<c", "little")
# Of a formula, of an error's type and of a hidden row: most sheets have none of them.
_LOUD = [int.from_bytes(sign, "little") for sign in (b"<f", b'"e', b"n=")]
_NAME_ENDS = np.frombuffer(b"\t\n\r />", dtype=np.uint8)
_MANIFEST = "META-INF/manifest.xml"  # of an OpenDocument; old ones name a type, harmlessly
_ELEMENT = re.compile(rb"<[^\s<>/!?]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")


@dataclass(slots=True)
class Extent:
    """How far the cells of a sheet reach, from 1, and how many there are."""

    rows: int = 0
    columns: int = 0
    cells: int = 0
    unusual: bool = False
    """Whether some name is not where it usually is, so that only a slower look can tell."""
    loud: bool = False
    """Whether there may be formulas, errors or hidden rows."""

    @property
    def doubtful(self) -> bool:
        """Whether the rectangle may be out of proportion to what is in it."""
        return (
            self.unusual
            or self.columns > WIDE
            or out_of_proportion(self.rows * self.columns, self.cells)
        )


def out_of_proportion(rectangle: int, cells: int) -> bool:
    """Whether a rectangle of cells is far larger than what is in it."""
    return rectangle > max(SMALL_RECTANGLE, CELLS_FOR_EACH * cells)


def examined(path: Path, data: bytes, cancelled: Callable[[], bool]) -> dict[str, Extent]:
    """Look through a zip archive. What the cells of each part are like, by its name.

    Raises FileError for an archive or an XML part that is damaged or made to exhaust the memory,
    and Cancelled.
    """
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
    except DAMAGE as error:
        raise FileError(path, f"This is not a workbook that can be read ({error}).") from error
    _check_directory(path, members)
    extents = {}
    for member in members:
        extent = _examined(path, data, member, cancelled)
        if extent.rows > LAST_ROW or extent.columns > LAST_COLUMN:
            raise FileError(
                path,
                f"The workbook is damaged: {member.filename} names a cell beyond the last one "
                "that a sheet can have. Open it in the spreadsheet program and save it again.",
            )
        extents[member.filename] = extent
    return extents


def check_compound_file(path: Path, data: bytes) -> None:
    """Raise FileError for a workbook that has a password, or that would exhaust the memory.

    Old workbooks (.xls) are in containers of the same kind, which name their parts in UTF-16.
    """
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise FileError(path, PROTECTED)
    check_old_workbook(path, data)


def _check_directory(path: Path, members: list[zipfile.ZipInfo]) -> None:
    if len({member.filename.lower() for member in members}) < len(members):
        raise FileError(path, "The workbook is damaged: it has two parts of one name.")
    total = sum(member.file_size for member in members)
    if len(members) > MOST_PARTS or total > LARGEST_ARCHIVE or any(map(_suspect, members)):
        raise FileError(
            path,
            f"The workbook would unpack to {total / 2**20:,.0f} MiB in {len(members):,} parts, "
            "which is more than a real one holds. It was not opened.",
        )
    if any(member.flag_bits & 1 for member in members):
        raise FileError(path, PROTECTED)


def _suspect(member: zipfile.ZipInfo) -> bool:
    ratio = member.file_size / max(1, member.compress_size)
    return member.file_size > SUSPECT_SIZE and ratio > SUSPECT_RATIO


def inflated(data: bytes, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """The content of a member in pieces of at most a mebibyte, and never more than it declares.

    Raises ValueError or zlib.error where the member is damaged or longer than it says.
    """
    place = member.header_offset
    if data[place : place + 4] != b"PK\3\4":
        raise ValueError("a part is not where it should be")
    place += 30 + sum(struct.unpack_from("<HH", data, place + 26))
    packed = memoryview(data)[place : place + member.compress_size]
    left = member.file_size
    for piece in _pieces(packed, member.compress_type):
        left -= len(piece)
        if left < 0:
            raise ValueError("a part is longer than it says")
        yield piece
    if left:
        raise ValueError("a part is cut short")


def _pieces(packed: memoryview, method: int) -> Iterator[bytes]:
    if method == zipfile.ZIP_STORED:
        for place in range(0, len(packed), _CHUNK):
            yield bytes(packed[place : place + _CHUNK])
        return
    if method != zipfile.ZIP_DEFLATED:
        raise ValueError("a part is packed in an unknown way")
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    for place in range(0, len(packed), _CHUNK):
        waiting: bytes | memoryview = packed[place : place + _CHUNK]
        while waiting and not unpacker.eof:
            if piece := unpacker.decompress(waiting, _CHUNK):
                yield piece
            waiting = unpacker.unconsumed_tail
    while not unpacker.eof and (piece := unpacker.decompress(b"", _CHUNK)):
        yield piece


def _examined(
    path: Path, data: bytes, member: zipfile.ZipInfo, cancelled: Callable[[], bool]
) -> Extent:
    """Unpack a part once, refuse it where it is hostile, and say how far its cells reach."""
    extent, name = Extent(), member.filename
    try:
        _scan(path, data, member, cancelled, extent)
        if name.endswith(".bin") and "sheet" in name.lower():
            check_binary_sheet(path, b"".join(inflated(data, member)))
        if name == "content.xml":
            check_content(path, inflated(data, member))
    except DAMAGE as error:
        if isinstance(error, FileError):
            raise
        raise FileError(
            path, f"The workbook is damaged: {name} cannot be unpacked ({error})."
        ) from error
    return extent


def _scan(
    path: Path,
    data: bytes,
    member: zipfile.ZipInfo,
    cancelled: Callable[[], bool],
    extent: Extent,
) -> None:
    tail, in_cells = b"", False
    for number, piece in enumerate(inflated(data, member)):
        if cancelled():
            raise Cancelled
        if number == 0 and not _is_xml(path, member, piece):
            return
        joined = tail + piece
        if not in_cells and (start := joined.find(b"sheetData")) >= 0:
            in_cells, joined = True, joined[start:]
        end = max(0, len(joined) - _NAME_ROOM) & ~1
        if in_cells:
            _extend(extent, joined, end)
        tail = joined[end:]
    if in_cells:
        _extend(extent, tail, len(tail))


def _is_xml(path: Path, member: zipfile.ZipInfo, start: bytes) -> bool:
    """Whether a part is XML. Raises FileError for XML that no spreadsheet program writes."""
    if start.startswith(_UTF16) and "worksheets" in member.filename:
        problem = "is not written in UTF-8"
    elif not start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return False
    elif _DECLARATION.search(start) and member.filename != _MANIFEST:
        problem = "declares a document type of its own, which no spreadsheet program writes"
    elif _ELEMENT.search(start) is None:
        problem = "begins with something else than a table"
    else:
        return True
    raise FileError(
        path,
        f"The part {member.filename} of the workbook {problem}. It was not opened: save it anew "
        "in the spreadsheet program.",
    )


def _extend(extent: Extent, piece: bytes, end: int) -> None:
    """Take the cells into account that begin before this place of a piece of a sheet."""
    text = np.frombuffer(piece + b"!" * _NAME_ROOM, dtype=np.uint8)
    pairs = [text[start : start + end // 2 * 2].view("<u2") for start in (0, 1)]
    # Two bytes at a time are compared faster than one after one.
    begun = [np.flatnonzero(pair == _CELL) * 2 + odd for odd, pair in enumerate(pairs)]
    tags = np.concatenate(begun)
    ends = tags[np.isin(text[tags + 2], _NAME_ENDS)] + 2
    named = (text[ends + 1] == ord("r")) & (text[ends + 2] == ord("="))
    quoted = (text[ends + 3] == ord('"')) | (text[ends + 3] == ord("'"))
    extent.cells += len(ends)
    extent.unusual = extent.unusual or not (named & quoted).all()
    _extend_named(extent, text, ends[named] + 4)
    for place in np.flatnonzero(text[:end] == ord(":")).tolist():
        if piece[place + 1 : place + 2] == b"c":
            before = piece[max(0, place - _LONGEST_PREFIX) : place]
            extent.unusual = extent.unusual or _PREFIX.search(before) is not None
    extent.loud = extent.loud or any((pair == sign).any() for pair in pairs for sign in _LOUD)


def _extend_named(extent: Extent, text: NDArray[np.uint8], places: NDArray[np.int64]) -> None:
    """Take names into account that begin at these places: letters, then digits."""
    column = np.zeros(len(places), dtype=np.int64)
    for _ in range(_MOST_LETTERS):
        # Rows have no letters, and most cells one.
        letter = (text[places] | 0x20) - ord("a")
        more = letter < 26
        _numbers_at(extent, text, places[~more])
        places, column = places[more] + 1, column[more] * 26 + letter[more] + 1
        if not len(places):
            return
        extent.columns = max(extent.columns, int(column.max()))
    extent.columns = LAST_COLUMN + 1


def _numbers_at(extent: Extent, text: NDArray[np.uint8], places: NDArray[np.int64]) -> None:
    row = np.zeros(len(places), dtype=np.int64)
    for step in range(_MOST_DIGITS):
        digit = text[places + step] - ord("0")
        more = digit < 10
        if not more.all():
            places, row, digit = places[more], row[more], digit[more]
        if not len(places):
            return
        row = row * 10 + digit
        extent.rows = max(extent.rows, int(row.max()))
    extent.rows = LAST_ROW + 1
