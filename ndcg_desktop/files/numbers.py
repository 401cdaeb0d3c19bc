"""Numbers as people write them: 3, 2,5, #1, 2nd. A blank is no number, and never 0."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.files.table import Cell, Column, cell_text

Decimal = Literal["", ".", ","]
"""The mark before the decimals; "" where it is told from each column."""

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_WITH_COMMAS = re.compile(r"[+-]?\d[\d,.]*")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
"""A number whose commas may set apart its thousands."""

_WITH_POINT = re.compile(r"[+-]?\d*\.\d+")
_POINT_GROUPED = re.compile(r"[+-]?(?:0|[1-9]\d{0,2}(?:\.\d{3})*)")
"""A whole number whose points may set apart its thousands."""

_RANK = re.compile(r"#?\s*(\d+)(?:[.,]0*)?\s*(?:st|nd|rd|th|er|e|ème|º|ª)?", re.IGNORECASE)


def number(cell: Cell) -> float | None:
    """The finite number that a cell holds, None where it holds none.

    A single comma is a decimal mark. True and False are not numbers, neither are inf and nan.
    """
    if isinstance(cell, bool):
        return None
    if isinstance(cell, int | float):
        return float(cell) if math.isfinite(cell) else None
    text = cell_text(cell).strip()
    if _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def rank_number(cell: Cell) -> float | None:
    """The rank that a cell holds, also where it is written "#1", "2nd" or "3."."""
    value = number(cell)
    if value is None and (match := _RANK.fullmatch(cell_text(cell).strip())):
        return float(match[1])
    return value


def is_blank(cell: Cell) -> bool:
    """Whether a cell holds nothing but spaces."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def numbers(
    column: Column, read: Callable[[Cell], float | None] = number, decimal: Decimal = ""
) -> tuple[NDArray[np.float64], list[int]]:
    """A column as numbers, NaN where a cell holds none, and the rows that hold something else.

    What a comma means is told from the column as a whole: 1,234 beside 1,234,567 is no fraction.
    Where a person has said which the ``decimal`` mark is, the other one sets apart thousands.
    """
    if isinstance(column, np.ndarray):
        return column, []
    cells = column.texts() if isinstance(column, Ids) else column
    if decimal:
        cells = [_in_plain(cell, decimal) for cell in cells]
    else:
        meaning = _commas(cells)
        # A rank is whole.
        if meaning == "thousands" or (meaning == "unclear" and read is rank_number):
            cells = [_ungrouped(cell) for cell in cells]
    values = [read(cell) for cell in cells]
    array = np.array([math.nan if value is None else value for value in values])
    odd = [row for row, value in enumerate(values) if value is None and not is_blank(cells[row])]
    return array, odd


def number_text(value: float, decimal_comma: bool = False) -> str:
    """A number as a file holds it: the shortest text that reads back the same, "3" for 3.0."""
    text = cell_text(float(value))
    return text.replace(".", ",") if decimal_comma else text


def uses_decimal_comma(column: Column, decimal: Decimal = "") -> bool:
    """Whether decimals stand after a comma, as a person has said, or as some cell has them."""
    if decimal:
        return decimal == ","
    return isinstance(column, list) and _commas(column) in ("decimal", "unclear")


def unclear_commas(column: Column) -> list[int]:
    """The rows whose comma may mark decimals or thousands, as in "1,234", where no other cell of
    the column settles which. `numbers` takes it for the decimal mark, but in a rank.
    """
    if not isinstance(column, list) or _commas(column) != "unclear":
        return []
    return [row for row, cell in enumerate(column) if isinstance(cell, str) and "," in cell]


def unclear_points(column: Column) -> list[int]:
    """The rows whose point may mark decimals or thousands: "1.000" beside 900, and no other cell
    that settles which. `numbers` takes it for the decimal mark.

    Decimals would be strange there: written to the end in some rows and left out in others, or
    all of them in numbers far below the whole ones.
    """
    if not isinstance(column, list):
        return []
    rows = [
        row
        for row, cell in enumerate(column)
        if isinstance(cell, str) and cell.count(".") == 1 and number(cell) is not None
    ]
    if not rows or not _POINT_GROUPED.fullmatch(cell_text(column[rows[0]]).strip()):
        return []
    texts = [cell_text(cell).strip() for cell in column]
    texts = [text for text in texts if text.count(".") > 1 or number(text) is not None]
    if not all(map(_POINT_GROUPED.fullmatch, texts)):
        return []
    whole = max((abs(float(text)) for text in texts if "." not in text), default=0.0)
    pointed = [text for text in texts if text.count(".") == 1]
    largest = max((abs(float(text)) for text in pointed), default=math.inf)
    proven = any(text.count(".") > 1 for text in texts)
    odd = any(text.endswith("0") for text in pointed) or whole > 10 * largest
    return rows if proven or (odd and whole >= 10) else []


def _commas(cells: Sequence[Cell]) -> Literal["none", "decimal", "thousands", "unclear"]:
    """What a comma means in the numbers of a column: one thing in all of them."""
    texts = [cell.strip() for cell in cells if isinstance(cell, str) and "," in cell]
    texts = [text for text in texts if _WITH_COMMAS.fullmatch(text)]
    if not texts:
        return "none"
    if not all(_GROUPED.fullmatch(text) for text in texts):
        return "decimal"
    if not all(_DECIMAL_COMMA.fullmatch(text) for text in texts):
        return "thousands"
    points = (cell.strip() for cell in cells if isinstance(cell, str) and "." in cell)
    # "1.234" may have a mark of thousands itself; "900.5" has decimals, so the comma has not.
    decimals = any(
        _WITH_POINT.fullmatch(text) and not _POINT_GROUPED.fullmatch(text) for text in points
    )
    return "thousands" if decimals else "unclear"


def _in_plain(cell: Cell, decimal: Decimal) -> Cell:
    """A number of this decimal mark, with a point and without marks between its thousands."""
    if not isinstance(cell, str) or not _WITH_COMMAS.fullmatch(cell.strip()):
        return cell
    thousands = "." if decimal == "," else ","
    return cell.replace(thousands, "").replace(decimal, ".")


def _ungrouped(cell: Cell) -> Cell:
    grouped = isinstance(cell, str) and "," in cell and _GROUPED.fullmatch(cell.strip())
    return cell.replace(",", "") if grouped else cell
