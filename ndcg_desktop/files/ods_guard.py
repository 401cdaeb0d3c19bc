"""Looks at an OpenDocument spreadsheet before it is read: how large its tables would become.

Such a file says of a cell or a row how often it is repeated, and a reader lays all of them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.parsers import expat

from ndcg_desktop.files.table import FileError

LARGEST_TABLE = 12_000_000
"""Cells that a table is laid out to, and what is far more than a person keeps in one."""

_ROW_END = b"</table:table-row>"
_TABLE_END = b"</table:table>"
_ROW = re.compile(rb"""<table:table-row\b(?:[^>]*?rows-repeated\s*=\s*["']([^"']*)["'])?""")
_CELL = re.compile(
    rb"""<table:(?:covered-)?table-cell\b(?:[^>]*?columns-repeated\s*=\s*["']([^"']*)["'])?"""
)
_SPACES = re.compile(rb"""text:c\s*=\s*["'][^"']{6,}["']""")


def check_content(path: Path, pieces: Iterable[bytes]) -> None:
    """Raise FileError where a content.xml is damaged, or a table laid out far too large."""
    rows = width = waiting = 0
    for row in _rows(_well_formed(path, pieces)):
        if _SPACES.search(row):
            raise FileError(path, "The spreadsheet is damaged: a text has too many spaces.")
        if _TABLE_END in row:
            rows = width = waiting = 0
        match = _ROW.search(row)
        waiting += _times(path, match[1] if match else None)
        last = _last_content(row)
        if last < 0:
            continue
        width = max(width, _width(path, row, last))
        rows, waiting = rows + waiting, 0
        if rows * width > LARGEST_TABLE:
            raise FileError(
                path,
                f"A table of the spreadsheet spreads over {rows:,} rows and {width:,} columns, "
                "which is too much to read. Remove the cells far from the table, or save the "
                "spreadsheet as .xlsx.",
            )


def _well_formed(path: Path, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same pieces. Raises FileError where they are no XML: a reader would wait for the end of
    a table that never ends.
    """
    parser = expat.ParserCreate()
    try:
        for piece in pieces:
            parser.Parse(piece, False)
            yield piece
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError) as error:
        raise FileError(path, f"The spreadsheet is damaged: it is no XML ({error}).") from error


def _rows(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The content in pieces that each end with a row."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(_ROW_END)
        yield from whole


def _last_content(row: bytes) -> int:
    return max(row.rfind(b"office:value"), row.rfind(b"<text:"), row.rfind(b"table:formula"))


def _width(path: Path, row: bytes, last: int) -> int:
    """How many columns a row has up to the cell that its last content is in."""
    return sum(_times(path, cell[1]) for cell in _CELL.finditer(row, 0, last))


def _times(path: Path, number: bytes | None) -> int:
    if number is None:
        return 1
    if not number.isdigit() or len(number) > 10:
        raise FileError(path, "The spreadsheet is damaged: a repetition is no number.")
    return int(number)
