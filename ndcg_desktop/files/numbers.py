"""Numbers as people write them: 3, 2,5, #1, 2nd. A blank is no number, and never 0."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.files.table import Cell, Column, cell_text

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
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
    column: Column, read: Callable[[Cell], float | None] = number
) -> tuple[NDArray[np.float64], list[int]]:
    """A column as numbers, NaN where a cell holds none, and the rows that hold something else."""
    if isinstance(column, np.ndarray):
        return column, []
    cells = column.texts() if isinstance(column, Ids) else column
    values = [read(cell) for cell in cells]
    array = np.array([math.nan if value is None else value for value in values])
    odd = [row for row, value in enumerate(values) if value is None and not is_blank(cells[row])]
    return array, odd


def number_text(value: float, decimal_comma: bool = False) -> str:
    """A number as a file holds it: the shortest text that reads back the same, "3" for 3.0."""
    text = cell_text(float(value))
    return text.replace(".", ",") if decimal_comma else text


def uses_decimal_comma(column: Column) -> bool:
    """Whether some cell writes its decimals after a comma."""
    if not isinstance(column, list):
        return False
    return any(isinstance(cell, str) and _DECIMAL_COMMA.fullmatch(cell.strip()) for cell in column)
