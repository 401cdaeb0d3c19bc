"""Workbooks in the XML of Excel 2003 (.xml, or named .xls), which no workbook library reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from ndcg_desktop.files.cell_grid import CellGrid
from ndcg_desktop.files.table import Cancelled, Cell, FileError, Table

PIECE = 1 << 18
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384

_NAMESPACE = "urn:schemas-microsoft-com:office:spreadsheet"
_ROOT = re.compile(rb"<(?:\w+:)?Workbook\b")


def looks_like_spreadsheet_xml(head: bytes) -> bool:
    """Whether the beginning of a file is that of an Excel 2003 XML workbook."""
    return (
        head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"
        and _NAMESPACE.encode() in head
        and _ROOT.search(head) is not None
    )


def read_spreadsheet_xml(
    path: Path,
    data: bytes,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> list[Table]:
    """Every sheet that holds a table. Raises FileError for a damaged file, and Cancelled."""
    if b"<!DOCTYPE" in data[:PIECE] or b"<!ENTITY" in data:
        raise FileError(path, "This XML file defines its own entities, which no workbook does.")
    grids: list[CellGrid] = []
    try:
        for event, element in _events(data, cancelled, progress):
            _take(path, grids, event, element)
    except (ParseError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(path, f"This XML workbook is damaged ({error}).") from error
    return [table for grid in grids if (table := grid.table()) is not None]


def _events(
    data: bytes, cancelled: Callable[[], bool], progress: Callable[[float], None]
) -> Iterator[tuple[str, Element]]:
    parser: XMLPullParser[Element] = XMLPullParser(("start", "end"))
    for begin in range(0, len(data), PIECE):
        if cancelled():
            raise Cancelled
        progress(begin / len(data))
        parser.feed(data[begin : begin + PIECE])
        yield from parser.read_events()  # type: ignore[misc]  # each is a pair with an element
    parser.close()
    yield from parser.read_events()  # type: ignore[misc]


def _take(path: Path, grids: list[CellGrid], event: str, element: Element) -> None:
    tag = element.tag.removeprefix(f"{{{_NAMESPACE}}}")
    if tag == "Worksheet" and event == "start":
        grids.append(CellGrid(path, _attribute(element, "Name") or f"Sheet {len(grids) + 1}"))
    elif tag == "Row" and grids:
        if event == "start":
            grids[-1].begin_row(_place(element, LAST_ROW))
        else:
            _take_row(grids[-1], element)
            element.clear()


def _take_row(grid: CellGrid, row: Element) -> None:
    for cell in row.findall(f"{{{_NAMESPACE}}}Cell"):
        across, down = (int(_attribute(cell, name) or 0) for name in ("MergeAcross", "MergeDown"))
        data = cell.find(f"{{{_NAMESPACE}}}Data")
        value = "" if data is None else _value(data)
        grid.place(value, across + 1, down + 1, _place(cell, LAST_COLUMN))
    grid.end_row()


def _value(data: Element) -> Cell:
    text = "".join(data.itertext())
    kind = _attribute(data, "Type")
    if kind == "Number":
        return float(text)
    return text.strip() == "1" if kind == "Boolean" else text


def _place(element: Element, last: int) -> int | None:
    text = _attribute(element, "Index")
    if text is None:
        return None
    if not 1 <= int(text) <= last:
        raise ValueError(f"there is no row or column {text}")
    return int(text)


def _attribute(element: Element, name: str) -> str | None:
    return element.get(f"{{{_NAMESPACE}}}{name}")
