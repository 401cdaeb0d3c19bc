"""Looks at binary workbooks (.xls, .xlsb) before they are read: how large their sheets would be.

Both are sequences of records, each with a kind and a length; a cell's record begins with its place.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from ndcg_desktop.files.ods_guard import LARGEST_TABLE
from ndcg_desktop.files.table import FileError

_FREE = 0xFFFFFFFA  # and above: no sector, but the end of a chain or a mark
_ENTRY = 128  # bytes of an entry of the container's directory
_SMALL, _SMALL_SECTOR = 4096, 64
_STREAMS = ("Workbook", "Book")
_BEGIN, _DIMENSIONS, _TEXTS = 0x0809, 0x0200, 0xFC
_OLD_CELLS = {0x06, 0xBD, 0xD6, 0xFD, 0x0201, 0x0203, 0x0204, 0x0205, 0x027E}
_NEW_ROW, _NEW_CELLS = 0, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 62}


def check_old_workbook(path: Path, data: bytes) -> None:
    """Raise FileError where an .xls is damaged, or its sheets would be laid out far too large."""
    try:
        stream = _workbook_stream(data)
        sheets = list(_old_sheets(stream))
    except (struct.error, IndexError, ValueError) as error:
        raise FileError(
            path, f"The workbook is damaged, or none that can be read ({error})."
        ) from error
    _check(path, sum(sheets))


def _old_sheets(stream: bytes) -> Iterator[int]:
    """The cells that each sheet of an .xls would be laid out to."""
    rows = columns = place = 0
    while place + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, place)
        place += 4
        if kind == _BEGIN:
            yield rows * columns
            rows = columns = 0
        elif kind in _OLD_CELLS and length >= 4:
            row, column = struct.unpack_from("<HH", stream, place)
            rows, columns = max(rows, row + 1), max(columns, column + 1)
        elif kind == _DIMENSIONS and length >= 12:
            top, bottom, left, right = struct.unpack_from("<LLHH", stream, place)
            if not (top <= bottom <= 1 << 16 and left <= right <= 1 << 8):
                raise ValueError("a sheet claims to be larger than a sheet can be")
        elif (
            kind == _TEXTS
            and length >= 8
            and struct.unpack_from("<L", stream, place + 4)[0] > len(stream)
        ):
            raise ValueError("it claims to have more texts than it has room for")
        place += length
    yield rows * columns


def check_binary_sheet(path: Path, data: bytes) -> None:
    """Raise FileError where a sheet of an .xlsb would be laid out far too large."""
    rows = columns = place = 0
    while place < len(data):
        kind, place = _number(data, place, 2)
        length, place = _number(data, place, 4)
        if length >= 4 and place + 4 <= len(data):
            if kind == _NEW_ROW:
                rows = max(rows, int(struct.unpack_from("<L", data, place)[0]) + 1)
            elif kind in _NEW_CELLS:
                columns = max(columns, int(struct.unpack_from("<L", data, place)[0]) + 1)
        place += length
    _check(path, rows * columns)


def _check(path: Path, cells: int) -> None:
    if cells > LARGEST_TABLE:
        raise FileError(
            path,
            f"The sheets of the workbook spread over {cells:,} cells, which is too much to read. "
            "Remove the cells far from the table, or save the workbook as .xlsx.",
        )


def _number(data: bytes, place: int, most: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and the place after it."""
    value = 0
    for step, byte in enumerate(data[place : place + most]):
        value |= (byte & 0x7F) << 7 * step
        if byte < 0x80:
            return value, place + step + 1
    return value, place + most


def _workbook_stream(data: bytes) -> bytes:
    """The stream of a compound file that holds the workbook; nothing where there is none."""
    (shift,) = struct.unpack_from("<H", data, 30)
    size = 1 << min(shift, 12)
    body = data[size:]
    table = _allocation(data, size)
    first, _, _, small_start = struct.unpack_from("<4L", data, 48)
    directory = _chained(body, size, table, first)
    for place in range(0, len(directory) - _ENTRY + 1, _ENTRY):
        (length,) = struct.unpack_from("<H", directory, place + 64)
        name = directory[place : place + max(0, length - 2)].decode("utf-16-le", "replace")
        if name in _STREAMS:
            start, used = struct.unpack_from("<LL", directory, place + 116)
            if used >= _SMALL:
                return _chained(body, size, table, start)[:used]
            # Small streams are kept together in one, with a table of their own.
            small_table = _longs(_chained(body, size, table, small_start))
            together = _chained(body, size, table, struct.unpack_from("<L", directory, 116)[0])
            return _chained(together, _SMALL_SECTOR, small_table, start)[:used]
    return b""


def _allocation(data: bytes, size: int) -> list[int]:
    """For each sector of a compound file the one that follows it."""
    places = list(struct.unpack_from("<109L", data, 76))
    further, count = struct.unpack_from("<LL", data, 68)
    for _ in range(min(count, len(data) // size)):
        if further >= _FREE:
            break
        *more, further = _longs(data[size * (further + 1) : size * (further + 2)])
        places += more
    table: list[int] = []
    for sector in takewhile(lambda sector: sector < _FREE, places):
        table += _longs(data[size * (sector + 1) : size * (sector + 2)])
    return table


def _longs(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}L", data[: len(data) // 4 * 4]))


def _chained(body: bytes, size: int, table: list[int], sector: int) -> bytes:
    """The sectors of a chain one after another. Raises ValueError for one that has no end."""
    parts: list[bytes] = []
    while sector < _FREE:
        if len(parts) > len(table):
            raise ValueError("a chain of sectors has no end")
        parts.append(body[size * sector : size * (sector + 1)])
        sector = table[sector]
    return b"".join(parts)
