"""Tables of a web page, which many programs save under the name .xls.

Python's own parser reads the tags. It is fed piece by piece, so that a load can be given up, and
what it holds back for the end of a tag is bounded: its time grows with the square of that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from pathlib import Path

from ndcg_desktop.files.cell_grid import CellGrid
from ndcg_desktop.files.delimited import BYTE_ORDER_MARK, decode
from ndcg_desktop.files.table import Cancelled, FileError, Table

PIECE = 1 << 18
LONGEST_TAG = 1 << 22
"""Characters, also of a comment, a script or a style sheet."""

MOST_TABLES = 1_000

_PAGE = re.compile(
    rb"(?:\s|<\?xml[^>]*>|<!--(?:[^-]|-(?!->))*-->|<!doctype\s+html[^>]*>)*"
    rb"<(?:html|head|meta|style|body|table|div|center)\b",
    re.IGNORECASE,
)
_WEB_ARCHIVE = re.compile(rb"^content-type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)
_CHARSET = re.compile(
    rb"""<meta[^>]{1,200}charset\s*=\s*["']?((?:windows-|iso-8859-|koi8-|gb|big5|shift_jis|euc-)[\w-]*)""",
    re.IGNORECASE,
)
_SPAN = re.compile(r"\s*(\d{1,6})")
_BLOCKS = {"br", "p", "div", "li", "tr"}


def looks_like_page(head: bytes) -> bool:
    """Whether the beginning of a file is that of a web page that has a table, or its frame."""
    lower = head.removeprefix(b"\xef\xbb\xbf").lower()
    return _PAGE.match(lower) is not None and (b"<html" in lower or b"<table" in lower)


def looks_like_web_archive(head: bytes) -> bool:
    """Whether a file is a web page with all its parts (.mht), as Excel and browsers save it."""
    top = head[:4096]
    return b"mime-version:" in top.lower() and _WEB_ARCHIVE.search(top) is not None


def read_page(
    path: Path,
    data: bytes,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> list[Table]:
    """Every table of a web page that holds something, called “Table 1” and on in their order.

    Raises FileError for a page without a table, or with one beyond measure, and Cancelled.
    """
    text = _decoded(path, data)
    parser = _TableParser(path)
    for begin in range(0, len(text), PIECE):
        if cancelled():
            raise Cancelled
        progress(begin / len(text))
        parser.feed_piece(text[begin : begin + PIECE])
    parser.feed_piece("\n<br>")  # what follows the last tag is held back until another comes
    grids = parser.finished()
    tables = [table for grid in grids if (table := grid.table()) is not None]
    if not tables:
        raise FileError(path, _no_table(text))
    return tables


def _decoded(path: Path, data: bytes) -> str:
    declared = _CHARSET.search(data[:4096])
    if declared:
        try:
            return data.decode(declared[1].decode())
        except (LookupError, UnicodeDecodeError):
            pass
    return decode(path, data)[0].removeprefix(BYTE_ORDER_MARK)


def _no_table(text: str) -> str:
    if "<frameset" in text[:PIECE].lower():
        return (
            "This is the frame of a web page whose sheets are in a folder beside it. Open those, "
            "or save the workbook as .xlsx."
        )
    return "This web page holds no table."


class _TableParser(HTMLParser):
    """Collects the tables of a page. A table inside a cell is one of its own."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self._path = path
        self._grids: list[CellGrid] = []
        self._open: list[_OpenTable] = []
        self._silent = False

    def feed_piece(self, text: str) -> None:
        """Parse some more text. Raises FileError where it cannot be parsed."""
        try:
            self.feed(text)
        except AssertionError as error:  # so it says that it does not know a declaration
            raise FileError(self._path, f"This web page is damaged ({error}).") from error
        if len(self.rawdata) > LONGEST_TAG:
            raise FileError(self._path, "This web page is damaged (a tag does not end).")

    def finished(self) -> list[CellGrid]:
        """The tables in the order in which they begin; those still open are ended."""
        while self._open:
            self._open.pop().end_row()
        return self._grids

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._begin_table()
        elif tag in ("script", "style"):
            self._silent = True
        elif not self._open:
            return
        elif tag == "tr":
            self._open[-1].begin_row()
        elif tag in ("td", "th"):
            self._open[-1].begin_cell(dict(attrs), tag == "th")
        elif tag in _BLOCKS:
            self._open[-1].add(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._silent = False
        elif not self._open:
            return
        elif tag == "table":
            self._open.pop().end_row()
        elif tag == "tr":
            self._open[-1].end_row()
        elif tag in ("td", "th"):
            self._open[-1].end_cell()
        elif tag in _BLOCKS:
            self._open[-1].add(" ")

    def handle_data(self, data: str) -> None:
        if self._open and not self._silent:
            self._open[-1].add(data)

    def _begin_table(self) -> None:
        if len(self._grids) == MOST_TABLES:
            raise FileError(self._path, f"This web page has more than {MOST_TABLES:,} tables.")
        grid = CellGrid(self._path, f"Table {len(self._grids) + 1}")
        self._grids.append(grid)
        self._open.append(_OpenTable(grid))


class _OpenTable:
    """A table whose end has not come yet. Rows and cells need no end of their own in HTML."""

    def __init__(self, grid: CellGrid) -> None:
        self._grid = grid
        self._in_row = False
        self._cell: list[str] | None = None
        self._across = self._down = 1
        self._head = False

    def begin_row(self) -> None:
        self.end_row()
        self._grid.begin_row()
        self._in_row = True

    def end_row(self) -> None:
        self.end_cell()
        if self._in_row:
            self._grid.end_row()
        self._in_row = False

    def begin_cell(self, attributes: dict[str, str | None], head: bool) -> None:
        self.end_cell()
        if not self._in_row:
            self.begin_row()
        self._across, self._down = (_span(attributes.get(n)) for n in ("colspan", "rowspan"))
        self._cell, self._head = [], head

    def end_cell(self) -> None:
        if self._cell is not None:
            text = " ".join("".join(self._cell).split())
            self._grid.place(text, self._across, self._down, head=self._head)
        self._cell = None

    def add(self, text: str) -> None:
        if self._cell is not None:
            self._cell.append(text)


def _span(text: str | None) -> int:
    match = _SPAN.match(text or "")
    return int(match[1]) if match else 1
