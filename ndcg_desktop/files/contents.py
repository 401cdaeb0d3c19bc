"""What the cells of a column look like: numbers, words of a scale, places that count up."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable

import numpy as np

from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.files.labels import UNJUDGED, suggest
from ndcg_desktop.files.numbers import is_blank, number
from ndcg_desktop.files.table import Cell, Column, Table, cell_text

ROWS_JUDGED = 2_000
"""Rows of a column that are looked at to tell what it holds."""


def share(table: Table, column: int, read: Callable[[Cell], float | None]) -> float:
    """The share of a column's filled cells that read as numbers; 1 for an empty column."""
    cells = table.columns[column]
    if isinstance(cells, np.ndarray):
        return 1.0
    if isinstance(cells, Ids):
        return 0.0
    filled = [cell for cell in cells[:ROWS_JUDGED] if not is_blank(cell)]
    if not filled:
        return 1.0
    return sum(read(cell) is not None for cell in filled) / len(filled)


_LIST = re.compile(r"\s*-?\d+([.]\d+)?(\s*[|;,]\s*-?\d+([.]\d+)?)+\s*")


def several_in_a_cell(table: Table, column: int) -> str:
    """What to do about a column whose cells hold lists of grades; nothing where they do not."""
    cells = table.columns[column]
    texts = [cell_text(cell) for cell in cells[:ROWS_JUDGED]] if isinstance(cells, list) else []
    texts = [text for text in texts if text]
    lists = [text for text in texts if number(text) is None and _LIST.fullmatch(text)]
    if 2 * len(lists) <= len(texts):
        return ""
    return (
        f"“{table.names[column]}” holds several grades in a cell, such as “{lists[0][:20]}”. Give "
        "each document a row of its own."
    )


def column_texts(table: Table, column: int) -> list[str]:
    """The first ROWS_JUDGED cells of a column as text."""
    cells = table.columns[column]
    return [cell_text(cell) for cell in list(cells[:ROWS_JUDGED])]  # type: ignore[index]


def distinct(table: Table, column: int) -> int:
    """How many different texts those are."""
    return len(set(column_texts(table, column)))


def counts_up(table: Table, query: int, column: int) -> bool:
    """Whether a column counts 1, 2, 3, … (or 0, 1, 2, …) among the rows of each query."""
    last: dict[str, float] = {}
    for name, text in zip(column_texts(table, query), column_texts(table, column), strict=True):
        value = number(text)
        if value is None or value not in ((0.0, 1.0) if name not in last else (last[name] + 1,)):
            return False
        last[name] = value
    return True


def is_scale(table: Table, column: int) -> bool:
    """Whether the values look like grades: few of them, and small."""
    values = set(column_texts(table, column))
    small = all(re.fullmatch(r"-?\d{1,3}(\.\d+)?|", text) for text in values)
    return small and 0 < len(values) <= 12


def distinct_rows(table: Table, *columns: int | None) -> int:
    """How many different rows a table has in these columns."""
    cells = [all_texts(table.columns[column]) for column in columns if column is not None]
    return len(set(zip(*cells, strict=True))) if cells else 1


def all_texts(column: Column) -> list[str]:
    """Every cell of a column as text, without the spaces around it."""
    return column.texts() if isinstance(column, Ids) else [cell_text(c).strip() for c in column]


def holds_grades(table: Table, column: int) -> bool:
    """Whether a column has small numbers, words of a known scale, or nothing."""
    return is_small_scale(table, column) or holds_labels(table, column)


def holds_labels(table: Table, column: int) -> bool:
    """Whether a column has words, all of one known scale."""
    labels = suggest(column_texts(table, column))
    return labels is not None and all(
        grade is not None or label in UNJUDGED for label, grade in labels.grades.items()
    )


def is_small_scale(table: Table, column: int) -> bool:
    """Whether a column has numbers from 0 to 10 with one decimal at most, or nothing."""
    texts = {text.strip() for text in column_texts(table, column)}
    return all(re.fullmatch(r"|\d([.,]\d)?|10", text) for text in texts)


def counts(table: Table, query: int, column: int) -> bool:
    """Whether a column numbers the rows of each query, or of the table, from 1 or 0 on in some
    order, of more than two rows in at least one query.
    """
    values = [number(text) for text in column_texts(table, column)]
    of_query: dict[str, list[float]] = {}
    for name, value in zip(column_texts(table, query), values, strict=True):
        if value is None:
            return False
        of_query.setdefault(name, []).append(value)
    every = [value for some in of_query.values() for value in some]
    longest = max(map(len, of_query.values()), default=0)
    each = longest > 2 and all(map(_are_places, of_query.values()))
    return each or (len(every) > 2 and _are_places(every))


def _are_places(values: list[float]) -> bool:
    ordered = sorted(values)
    return ordered[0] in (0.0, 1.0) and ordered == [ordered[0] + n for n in range(len(ordered))]


def measures(table: Table, column: int) -> bool:
    """Whether a column holds fractions between 0 and 1, most of them different: no scale."""
    values = [number(text) for text in column_texts(table, column) if text.strip()]
    fractions = {value for value in values if value is not None and 0 < value < 1}
    if any(value is None or not 0 <= value <= 1 for value in values):
        return False
    return len(fractions) > 2 and 2 * len(fractions) > len(values)


def rises(table: Table, query: int | None, column: int) -> bool:
    """Whether the numbers of a column grow from row to row within each query, of which one at least
    has more than two rows.
    """
    rows = len(column_texts(table, column))
    names = column_texts(table, query) if query is not None else [""] * rows
    last: dict[str, float] = {}
    rows_of: Counter[str] = Counter()
    for name, text in zip(names, column_texts(table, column), strict=True):
        value = number(text)
        if value is None or value <= last.get(name, -math.inf):
            return False
        last[name] = value
        rows_of[name] += 1
    return max(rows_of.values(), default=0) > 2
