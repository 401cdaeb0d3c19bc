"""Packed files: one packed by gzip, bzip2 or xz, and one table in a .zip archive."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from io import BufferedIOBase, BytesIO
from pathlib import Path

from ndcg_desktop.files.delimited import decode
from ndcg_desktop.files.table import FileError

LARGEST = 4 * 1024**3
"""A file, or what a packed one unpacks to, beyond this is refused."""

ALWAYS_ALLOWED = 256 * 1024**2
MOST_TIMES_LARGER = 250
"""Text of judgments and rankings shrinks to a tenth, not to less than a 250th: what unpacks to
more than that, and to more than ALWAYS_ALLOWED, is made to fill the memory."""

_HEAD = 64 * 1024
_MOST_MEMBERS_LOOKED_INTO = 200
_NAMED = 5

ZIP, OLE, PARQUET = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"PAR1"
_EMPTY_ZIP = b"PK\x05\x06"
_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\0"
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_LOCKED = 1  # of a member's flags
_ABOUT = re.compile(r"(read ?me|licen[cs]e|copying|notice|changelog|citation)\b.*", re.IGNORECASE)
_OWN = re.compile(r"(\..*|thumbs\.db|desktop\.ini)", re.IGNORECASE)
_DAMAGE = (
    *(OSError, EOFError, ValueError, RuntimeError, struct.error, MemoryError),  # by their readers
    *(zlib.error, lzma.LZMAError, zipfile.BadZipFile),
)

_PACKINGS: dict[str, tuple[Callable[[BytesIO], BufferedIOBase], Callable[[bytes], bytes]]] = {
    # Without a time in it, the same content makes the same file.
    "gzip": (lambda file: gzip.GzipFile(fileobj=file), partial(gzip.compress, mtime=0)),
    "bzip2": (bz2.BZ2File, bz2.compress),
    "xz": (lzma.LZMAFile, lzma.compress),
}


def _packing(data: bytes) -> str | None:
    if data.startswith(_GZIP):
        return "gzip"
    if data.startswith(_XZ):
        return "xz"
    return "bzip2" if _BZIP2.match(data) else None


def unpacked(path: Path, data: bytes) -> bytes:
    """Unpack a file's bytes, or give them as they are where they are not packed.

    Raises FileError for one that is damaged, or unpacks to more than memory should hold.
    """
    packing = _packing(data)
    if packing is None:
        return data
    opened, _ = _PACKINGS[packing]
    most = _most_of(len(data))
    try:
        with opened(BytesIO(data)) as file:
            content = file.read(most + 1)
    except _DAMAGE as error:
        raise FileError(path, f"The compressed file is damaged ({error}).") from error
    if len(content) > most:
        raise FileError(path, f"The compressed file unpacks to more than {_size(most)}.")
    return content


def packed_like(old: bytes, new: bytes) -> bytes:
    """Pack new bytes as the old are packed, or give them as they are."""
    packing = _packing(old)
    return new if packing is None else _PACKINGS[packing][1](new)


def _most_of(packed: int) -> int:
    return min(LARGEST, max(ALWAYS_ALLOWED, MOST_TIMES_LARGER * packed))


def _size(size: int) -> str:
    return f"{size / 1024**3:.1f} GiB" if size >= 1024**3 else f"{size // 1024**2} MiB"


def table_in_zip(path: Path, data: bytes) -> tuple[str, bytes] | None:
    """The one file of a .zip archive that may hold a table: its name, and its bytes.

    None where the bytes are no archive, or are a workbook, which is one too. What a system adds,
    pictures, and a readme beside one table do not count. Raises FileError for an archive that
    holds several tables or none, is locked or damaged, or unpacks to more than memory should hold.
    """
    if not data.startswith((ZIP, _EMPTY_ZIP)):
        return None
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except _DAMAGE:
        return None  # as likely a damaged workbook, whose reader says what is wrong
    if _is_document(path, archive):
        return None
    return _only_table(path, archive, _most_of(len(data)))


def _is_document(path: Path, archive: zipfile.ZipFile) -> bool:
    names = {name.lower() for name in archive.namelist()}
    if any(name.endswith(".iwa") for name in names):
        problem = "This is a Numbers document. Export it as .xlsx or .csv and open that."
        raise FileError(path, problem)
    return any(name.startswith("xl/") for name in names) or not names.isdisjoint(
        ("[content_types].xml", "mimetype", "content.xml")
    )


def _only_table(path: Path, archive: zipfile.ZipFile, most: int) -> tuple[str, bytes]:
    members = [member for member in archive.infolist() if not _is_by_the_way(member)]
    if not members:
        raise FileError(path, "The archive is empty.")
    if len(members) > 1:
        members = [m for m in members[:_MOST_MEMBERS_LOOKED_INTO] if _reads(path, archive, m)]
    if len(members) > 1:
        tables = [m for m in members if not _ABOUT.fullmatch(_name(m))]
        members = tables if len(tables) == 1 else members
    if len(members) > 1:
        more = f" and {len(members) - _NAMED} more" if len(members) > _NAMED else ""
        named = ", ".join(f"“{_name(member)}”" for member in members[:_NAMED])
        raise FileError(
            path, f"The archive holds several files ({named}{more}). Unpack it and open the files."
        )
    if not members:
        raise FileError(path, "The archive holds no table. Unpack it and look at its files.")
    return _name(members[0]), _content(path, archive, members[0], most)


def _name(member: zipfile.ZipInfo) -> str:
    return member.filename.rsplit("/", 1)[-1]


def _is_by_the_way(member: zipfile.ZipInfo) -> bool:
    """Whether a member is a folder, or what a system puts beside the files."""
    in_system_folder = member.filename.startswith("__MACOSX/")
    return member.is_dir() or in_system_folder or _OWN.fullmatch(_name(member)) is not None


def _reads(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bool:
    """Whether the first bytes of a member are those of something that can be read here."""
    head = _content(path, archive, member, _HEAD, whole=False)
    if head.startswith((ZIP, OLE, PARQUET)) or _packing(head):
        return True
    try:
        return not head.startswith(b"%PDF") and bool(decode(path, head)[0].strip())
    except FileError:
        return False


def _content(
    path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int, whole: bool = True
) -> bytes:
    """The bytes of a member, or its first ``most``."""
    name = _name(member)
    if member.flag_bits & _LOCKED:
        problem = f"“{name}” in the archive is locked with a password. Unpack it and open the file."
        raise FileError(path, problem)
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        problem = f"“{name}” is packed in a way that is not read here. Unpack it and open the file."
        raise FileError(path, problem)
    if whole and member.file_size > most:
        raise _too_large(path, name, most)
    try:
        with archive.open(member) as file:
            content = file.read(most + 1 if whole else most)
    except _DAMAGE as error:
        raise FileError(path, f"“{name}” in the archive is damaged ({error}).") from error
    if len(content) > most:
        raise _too_large(path, name, most)
    return content


def _too_large(path: Path, name: str, most: int) -> FileError:
    return FileError(path, f"“{name}” in the archive unpacks to more than {_size(most)}.")
