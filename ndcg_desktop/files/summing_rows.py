"""Rows that sum up others, such as “Average” or “Total”, and query names that are written once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.files.numbers import Decimal, is_blank, numbers, rank_number
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.table import Column, Table, Texts

_SUMMARY = re.compile(
    r"(grand )?total|sum|average|mean|median|count|n?dcg|i(deal )?dcg|summe|gesamt|mittelwert|"
    r"durchschnitt|moyenne|somme|promedio|suma",
    re.IGNORECASE,
)
_SUM = re.compile(r"(grand )?total|sum|summe|gesamt|somme|suma")
_MEAN = re.compile(r"average|mean|mittelwert|durchschnitt|moyenne|promedio")
_KINDS = ("workbook", "delimited", "entered")
_COUNT = re.compile(r"\d+\b.*")
ROUNDED = 0.0051
"""How far a mean may be from what is written, which has two decimals at least."""


def without_summary(table: Table, roles: Roles, decimal: Decimal, findings: list[Finding]) -> Table:
    """Leave out rows such as “Average” or “Total”: they name no document, or nothing ranked, or
    their grade is the sum, the mean or the number of the grades above.
    """
    if table.kind not in _KINDS:
        return table
    names = [c for c in (roles.query, roles.document, *roles.systems) if c is not None]
    worded = _rows_with(table, names)
    rows = {row for row in worded if _sums_up(table, roles, row)}
    rows.update(_graded_nothing(table, roles))
    sure, perhaps = _graded_sums(table, roles, decimal, [w for w in worded if w not in rows])
    rows.update(sure)
    findings += row_findings(
        "warning",
        "maybe-summary",
        table.source,
        table.row[perhaps].tolist() if perhaps else [],
        lambda place: "This row perhaps sums up those above. It was read as a document's.",
    )
    if not rows:
        return table
    findings += row_findings(
        "note",
        "summary-row",
        table.source,
        table.row[sorted(rows)].tolist(),
        lambda place: "This row sums up, or names no document. It was left out.",
    )
    return table.take(np.delete(np.arange(len(table)), sorted(rows)))


def _sums_up(table: Table, roles: Roles, row: int) -> bool:
    """Whether a row with such a word is no result: "total" may be searched for, too."""
    if not (_blank(table, roles.rank, row) and _blank(table, roles.score, row)):
        return False
    if _blank(table, roles.document, row):
        return True
    unranked = roles.rank is not None or _blank(table, roles.query, row)
    return unranked and _blank(table, roles.grade, row)


def _rows_with(table: Table, columns: Iterable[int]) -> list[int]:
    found = set()
    for column in columns:
        cells = table.columns[column]
        if isinstance(cells, list):
            found |= {
                row
                for row, cell in enumerate(cells)
                if isinstance(cell, str) and _SUMMARY.fullmatch(cell.strip())
            }
    return sorted(found)


def _graded_nothing(table: Table, roles: Roles) -> list[int]:
    """Rows that have a grade and no document to give it to."""
    if roles.document is None or roles.grade is None:
        return []
    documents, grades = table.columns[roles.document], table.columns[roles.grade]
    if not isinstance(documents, list) or not isinstance(grades, list):
        return []
    return [
        row
        for row, document in enumerate(documents)
        if is_blank(document) and not is_blank(grades[row])
    ]


def _blank(table: Table, column: int | None, row: int) -> bool:
    if column is None:
        return True
    cells: Column = table.columns[column]
    return isinstance(cells, list) and is_blank(cells[row])


# ---- rows that have a grade, which is that of several


def _graded_sums(
    table: Table, roles: Roles, decimal: Decimal, worded: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Of the rows that have such a word and a grade those that surely sum up, and those that only
    look like it. They are the last of a query, or of the table, and have no place of their own.
    """
    sure: list[int] = []
    perhaps: list[int] = []
    worded = [
        row for row in worded if _blank(table, roles.rank, row) and _blank(table, roles.score, row)
    ]
    if roles.grade is None or roles.document is None or not worded:
        return sure, perhaps
    rows = _Rows(table, roles, decimal, worded)
    for row in worded:
        if np.isnan(rows.grades[row]):
            continue
        if rows.is_sum_of_table(row) or rows.is_sum_of_query(row):
            sure.append(row)
        elif rows.looks_like_sum(row):
            perhaps.append(row)
    return sure, perhaps


class _Rows:
    """The cells of a table in which rows are looked for that sum up, and the ``plain`` rows."""

    def __init__(self, table: Table, roles: Roles, decimal: Decimal, worded: Sequence[int]) -> None:
        assert roles.grade is not None and roles.document is not None
        none = [""] * len(table)
        self.query = none if roles.query is None else _cells(table, roles.query)
        self.document = _cells(table, roles.document)
        self.grades, _ = numbers(table.columns[roles.grade], decimal=decimal)
        self._plain = np.delete(np.arange(len(table)), list(worded))
        self._said: dict[tuple[str, int | None], tuple[float, ...]] = {}
        self._blocks: dict[int, list[int]] = {}

    def is_sum_of_table(self, row: int) -> bool:
        """Whether a row at the end has such a word for a query, and the grade of all above."""
        if not self._is_query_word(row) or not self._ends_table(row) or not self._counts(row):
            return False
        return self._is_one_of(row, self.query[row], whole=True)

    def is_sum_of_query(self, row: int) -> bool:
        """Whether a row at the end of a query has the grade of the query's rows."""
        if self._is_query_word(row):
            return self._counts(row) and self._is_one_of(row, self.query[row])
        return self._ends_query(row) and self._is_one_of(row, self.document[row])

    def _is_one_of(self, row: int, word: str, whole: bool = False) -> bool:
        """Whether a row's grade is what the word says of the table's rows, or of its query's."""
        block = [] if whole else self._block(row)
        key = (word, -1 if whole else block[0] if block else None)
        if key not in self._said:
            self._said[key] = _values(word, self.grades[self._plain if whole else block])
        return any(abs(self.grades[row] - each) < ROUNDED for each in self._said[key])

    def looks_like_sum(self, row: int) -> bool:
        """Whether a row stands where one that sums up does, below two others at least."""
        if self._is_query_word(row):
            return self._ends_table(row) and not self._is_repeated(row) and self._above(row) > 1
        return self._ends_query(row) and len(self._block(row)) > 1

    def _is_query_word(self, row: int) -> bool:
        return bool(_SUMMARY.fullmatch(self.query[row]))

    def _is_repeated(self, row: int) -> bool:
        """Whether the row before or after has the same word: a query of several documents."""
        near = self.query[max(row - 1, 0) : row] + self.query[row + 1 : row + 2]
        return self.query[row] in near

    def _counts(self, row: int) -> bool:
        """Whether a number stands in the place of a document, as in "Total, 2 documents"."""
        return bool(_COUNT.fullmatch(self.document[row])) and not self._is_repeated(row)

    def _above(self, row: int) -> int:
        return int(np.searchsorted(self._plain, row))

    def _ends_table(self, row: int) -> bool:
        return self._above(row) == len(self._plain)

    def _ends_query(self, row: int) -> bool:
        after = self._above(row)
        return after == len(self._plain) or self.query[self._plain[after]] != self.query[row]

    def _block(self, row: int) -> list[int]:
        """The plain rows above a row that are of one query, which is its own where it has one."""
        end = self._above(row)
        if end not in self._blocks:
            self._blocks[end] = self._block_before(end)
        out = self._blocks[end]
        its = self.query[row]
        mine = not out or not its or self._is_query_word(row) or its == self.query[out[0]]
        return out if mine else []

    def _block_before(self, end: int) -> list[int]:
        """The last of the plain rows up to one, not included, that are of one query: none where
        the query goes on, so that each row is looked at once.
        """
        rows = self._plain[:end][::-1]
        if not end or (end < len(self._plain) and self._query_at(end) == self._query_at(end - 1)):
            return []
        name = self._query_at(end - 1)
        same = takewhile(lambda each: self.query[each] == name, map(int, rows))
        return list(same)

    def _query_at(self, place: int) -> str:
        return self.query[int(self._plain[place])]


def _cells(table: Table, column: int) -> list[str]:
    return [text.strip().casefold() for text in Texts(table.columns[column])]


def _values(word: str, grades: NDArray[np.float64]) -> tuple[float, ...]:
    """What a row of this word may hold for these grades; nothing for fewer than two."""
    grades = grades[~np.isnan(grades)]
    if len(grades) < 2:
        return ()
    if _MEAN.fullmatch(word):
        return (float(np.mean(grades)),)
    if _SUM.fullmatch(word):
        return float(np.sum(grades)), float(len(grades))
    if word == "median":
        return (float(np.median(grades)),)
    return (float(len(grades)),) if word == "count" else ()


# ---- a query that stands on the first of its rows alone


def with_queries_filled(table: Table, roles: Roles, findings: list[Finding]) -> Table:
    """Write the query on each row of its block, where it stands on the first of them alone, as in
    a sheet with merged cells. Told, and only where no row contradicts it.
    """
    if table.kind not in _KINDS or roles.query is None or roles.document is None:
        return table
    cells = table.columns[roles.query]
    if not isinstance(cells, list) or not len(table) or is_blank(cells[0]):
        return table
    documents = list(Texts(table.columns[roles.document]))
    blank = [
        row
        for row, cell in enumerate(cells)
        if is_blank(cell) and documents[row].strip() and not _SUMMARY.fullmatch(documents[row])
    ]
    heads = [row for row, cell in enumerate(cells) if not is_blank(cell)]
    if not blank or not _is_a_habit(table, roles, cells, heads, blank):
        return table
    filled = list(cells)
    for row in blank:
        filled[row] = cells[heads[_after(heads, row) - 1]]
    text = (
        f"{len(blank):,} rows from this one on have no query, below one that has. Each was taken "
        "for the query above it. The file cannot be changed in place."
    )
    findings.append(
        Finding("warning", "query-filled-down", text, table.source, int(table.row[blank[0]]))
    )
    columns = [*table.columns]
    columns[roles.query] = filled
    return replace(table, columns=tuple(columns))


def _after(heads: Sequence[int], row: int) -> int:
    return int(np.searchsorted(heads, row))


def _is_a_habit(
    table: Table, roles: Roles, cells: Sequence[object], heads: list[int], blank: list[int]
) -> bool:
    """Whether each query is named once, and the ranks begin again with each name and go on without
    one; without ranks, whether at least two queries, and half of all, have rows without a name.
    """
    names = [cells[row] for row in heads]
    if len(set(map(str, names))) < len(names):
        return False
    if roles.rank is not None:
        return _ranks_agree(table.columns[roles.rank], heads, set(blank))
    with_blank = {_after(heads, row) for row in blank}
    return len(with_blank) >= 2 and 2 * len(with_blank) >= len(heads)


def _ranks_agree(column: Column, heads: list[int], blank: set[int]) -> bool:
    ranks, _ = numbers(column, rank_number)
    rows = sorted({*heads, *blank})
    if np.isnan(ranks[rows]).any():
        return False
    return all(
        ranks[b] > ranks[a] if b in blank else ranks[b] <= ranks[a] for a, b in pairwise(rows)
    )
