"""The zip archive that a workbook is: members that stay are copied in their packed form."""

from __future__ import annotations

import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise
from typing import BinaryIO

from ndcg_desktop.files.xlsx_parts import HIDDEN, MERGED, ROOT, Part, Relation, WorkbookPatchError

LARGEST_PART = 2 << 30
"""Bytes of a part once unpacked: a larger one is no sheet but an attack on the memory."""

CHUNK = 1 << 20
_LEVEL = 4  # of zlib: twice as quick as 6, and the part is hardly larger
_LONGEST_TAG = 64  # bytes of "<prefix:f", generously

_COMPOUND_FILE = bytes.fromhex("D0CF11E0A1B11AE1")
# What zipfile raises on a damaged archive, or, by RuntimeError, on one that it does not support.
DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, ValueError, EOFError, RuntimeError)
_LOCAL, _CENTRAL = 30, 46  # bytes of a zip member's header and of its directory entry, up to names
_SIZES_FOLLOW = 8  # of its flags
_ALL_ONES = 0xFFFFFFFF  # a zip field of this value stands in the zip64 extra field instead


def relations_of(part: str) -> str:
    """The name of the part that lists what a part refers to."""
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def _key(name: str) -> str:
    """How a part is looked up: their names differ in more than case."""
    return name.replace("\\", "/").lstrip("/").lower()


@contextmanager
def opened(data: bytes) -> Iterator[Package]:
    """Open a workbook's bytes; whatever damage shows is a WorkbookPatchError."""
    try:
        yield Package(BytesIO(data))
    except WorkbookPatchError:
        raise
    except DAMAGE as error:
        message = f"The file is damaged, or no workbook of this kind ({error})."
        raise WorkbookPatchError(message) from error


class Package:
    """The zip archive that a workbook is."""

    def __init__(self, file: BinaryIO) -> None:
        if file.read(len(_COMPOUND_FILE)) == _COMPOUND_FILE:
            raise WorkbookPatchError("The workbook has a password, or it is an old .xls file.")
        self._file = file
        self._zip = zipfile.ZipFile(file)
        self._members = {_key(info.filename): info for info in self._zip.infolist()}
        if len(self._members) < len(self._zip.infolist()):
            raise WorkbookPatchError("The workbook is damaged: it has two parts of one name.")

    def has(self, name: str) -> bool:
        """Whether there is a part of this name."""
        return _key(name) in self._members

    def _member(self, name: str) -> zipfile.ZipInfo:
        info = self._members.get(_key(name))
        if info is None:
            raise WorkbookPatchError(f"The workbook is damaged: its part {name} is missing.")
        if info.file_size > LARGEST_PART:
            raise WorkbookPatchError(f"The part {name} would be larger than 2 GiB once unpacked.")
        return info

    def read(self, name: str) -> bytearray:
        """The bytes of a part, unpacked."""
        info = self._member(name)
        # Filled in place: joining what has been read would take the memory twice.
        data, done = bytearray(info.file_size), 0
        for chunk in self.chunks(name):
            data[done : done + len(chunk)] = chunk
            done += len(chunk)
        if done < len(data):
            raise WorkbookPatchError(f"The workbook is damaged: its part {name} is cut short.")
        return data

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a part, a mebibyte at a time."""
        with self._zip.open(self._member(name)) as stream:
            while chunk := stream.read(CHUNK):
                yield chunk

    def part(self, name: str) -> Part:
        """A part, ready to be changed."""
        return Part(name, self.read(name))

    def relations(self, part: str) -> list[Relation]:
        """List what a part refers to; "" stands for the package itself."""
        folder = posixpath.join("/", posixpath.dirname(part))
        return [
            Relation(
                element.get("Id", ""),
                element.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join(folder, element.get("Target", ""))).lstrip("/"),
            )
            for element in self.part(relations_of(part)).parsed()
        ]

    def holds_formula(self, sheet: str) -> bool:
        """Whether there is a formula in this worksheet, which is not kept in memory."""
        tail, formula = b"", None
        for chunk in self.chunks(sheet):
            if formula is None:
                root = ROOT.search(HIDDEN.sub(b"", chunk))
                prefix = root[1] if root else b""
                formula = re.compile(rb"<%sf[\s/>]" % re.escape(prefix))
            if formula.search(tail + chunk):
                return True
            tail = chunk[-_LONGEST_TAG:]
        return False

    def merged(self, sheet: str) -> list[bytes]:
        """The merged cells of a worksheet, such as A2:A5, without keeping the sheet in memory."""
        kept, tail = b"", b""
        for chunk in self.chunks(sheet):
            tail += chunk
            # They stand below the cells, which are most of a sheet.
            if kept or b"mergeCell" in tail:
                kept, tail = kept + tail, b""
            else:
                tail = tail[-_LONGEST_TAG:]
        return [match[1] for match in MERGED.finditer(kept)]

    def write(self, out: BinaryIO, changed: list[Part], dropped: str) -> None:
        """Write the archive with these parts changed and this one, if any, left out."""
        packed = {_key(part.name): _Packed(part) for part in changed}
        headers = {key: self._local_header(key, new) for key, new in packed.items()}
        members = sorted(self._members.items(), key=lambda member: member[1].header_offset)
        bounds = [info.header_offset for _, info in members] + [self._zip.start_dir]
        growth = sum(len(headers[key]) + len(new.data) for key, new in packed.items())
        if bounds[-1] + growth >= _ALL_ONES or len(members) >= 0xFFFF:
            raise WorkbookPatchError("The workbook is larger than 4 GiB, or has too many parts.")
        places: dict[str, int] = {}
        place = self._copy(out, 0, bounds[0])
        for (key, _), (start, end) in zip(members, pairwise(bounds), strict=True):
            if key == _key(dropped):
                continue
            places[key] = place
            if key in packed:
                place += _write(out, headers[key], packed[key].data)
            else:
                place += self._copy(out, start, end)
        directory, comment = self._directory(places, packed), self._zip.comment
        numbers = (0, 0, len(places), len(places), len(directory), place, len(comment))
        _write(out, directory, struct.pack("<4s4H2LH", b"PK\5\6", *numbers), comment)

    def _copy(self, out: BinaryIO, start: int, end: int) -> int:
        self._file.seek(start)
        for place in range(start, end, CHUNK):
            out.write(self._file.read(min(CHUNK, end - place)))
        return end - start

    def _local_header(self, key: str, packed: _Packed) -> bytes:
        self._file.seek(self._members[key].header_offset)
        header = bytearray(self._file.read(30))
        header += self._file.read(sum(struct.unpack_from("<HH", header, 26)))
        packed.describe(header, _LOCAL)
        return bytes(header)

    def _directory(self, places: Mapping[str, int], packed: Mapping[str, _Packed]) -> bytes:
        """Bring the directory up to date: where the members are, and what is packed anew."""
        self._file.seek(self._zip.start_dir)
        old, done, new = self._file.read(), 0, bytearray()
        for key in self._members:  # in the order of the directory
            length = _CENTRAL + sum(struct.unpack_from("<HHH", old, done + 28))
            entry, done = bytearray(old[done : done + length]), done + length
            if key in packed:
                packed[key].describe(entry, _CENTRAL)
            if key in places:
                _set_fields(entry, _CENTRAL, {24: None, 20: None, 42: places[key]})
                new += entry
        return bytes(new)


def _write(out: BinaryIO, *parts: bytes) -> int:
    return sum(out.write(part) for part in parts)


class _Packed:
    """A changed part, deflated."""

    def __init__(self, part: Part) -> None:
        deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._size = self._checksum = 0
        data = []
        for piece in part.pieces():
            data.append(deflate.compress(piece))
            self._size += len(piece)
            self._checksum = zlib.crc32(piece, self._checksum)
        self.data = b"".join([*data, deflate.flush()])

    def describe(self, entry: bytearray, length: int) -> None:
        """Set what a local header or an entry of the directory says of the packed data."""
        # The directory's entries name the program that made them first: two bytes more.
        at = 4 if length == _LOCAL else 6
        version, flags = struct.unpack_from("<HH", entry, at)
        flags &= ~_SIZES_FOLLOW
        struct.pack_into("<HHH", entry, at, max(version, 20), flags, zipfile.ZIP_DEFLATED)
        struct.pack_into("<L", entry, at + 10, self._checksum)
        _set_fields(entry, length, {at + 18: self._size, at + 14: len(self.data)})


def _set_fields(entry: bytearray, length: int, fields: Mapping[int, int | None]) -> None:
    """Set fields of 32 bits, or what stands for them in the zip64 extra field, in its order.

    `length` is that of the entry up to the name; None leaves a field as it is.
    """
    wide = None
    for place, value in fields.items():
        if struct.unpack_from("<L", entry, place)[0] != _ALL_ONES:
            if value is not None:
                struct.pack_into("<L", entry, place, value)
            continue
        if wide is None:
            wide = _zip64_field(entry, length)
        if value is not None:
            struct.pack_into("<Q", entry, wide, value)
        wide += 8


def _zip64_field(entry: bytearray, length: int) -> int:
    place = length + int(struct.unpack_from("<H", entry, 26 if length == _LOCAL else 28)[0])
    while True:
        kind, size = struct.unpack_from("<HH", entry, place)
        if kind == 1:
            return place + 4
        place += 4 + int(size)
