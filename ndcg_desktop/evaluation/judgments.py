"""The judgments: every (query, document) pair that has, or may get, a grade."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Duplicates, JudgmentColumns
from ndcg_desktop.evaluation.ids import Ids, concatenate
from ndcg_desktop.scoring.ndcg import Groups, group

UNJUDGED = 0
"""Code of the grade that is not there."""


class Judgments:
    """Pairs with their grades. A pair keeps its number for as long as the evaluation lives.

    ``query`` (int32), ``documents`` and ``grade`` (float64, NaN: not judged) have shape (P,).
    ``code`` says which of ``values`` the grade is; code 0 is *not judged*. ``declared`` are the
    grades of the scale that a person has chosen, none where nobody has.
    """

    def __init__(
        self, query: NDArray[np.int32], documents: Ids, grade: NDArray[np.float64], queries: int
    ) -> None:
        self.query = query
        self.documents = documents
        self.grade = grade
        self.queries = queries
        judged = ~np.isnan(grade)
        distinct, place = np.unique(grade[judged], return_inverse=True)
        self.values: list[float] = [math.nan, *distinct.tolist()]
        self.code = np.full(len(grade), UNJUDGED, dtype=np.int32)
        self.code[judged] = place + 1
        self._order = np.argsort(query, kind="stable")
        self._offset = np.searchsorted(query[self._order], np.arange(queries + 1))
        self._groups: Groups | None = None
        self.declared: tuple[float, ...] = ()

    def __len__(self) -> int:
        return len(self.query)

    def frozen(self) -> Judgments:
        """The judgments as they stand now; later grades do not reach them."""
        still = copy(self)
        still.grade, still.code = self.grade.copy(), self.code.copy()
        still.values = list(self.values)
        still._offset = self._offset.copy()
        return still

    def of_query(self, query: int) -> NDArray[np.int64]:
        """The pairs of one query, in the order of the file."""
        return self._order[self._offset[query] : self._offset[query + 1]]

    def listed(self) -> NDArray[np.int64]:
        """Number of pairs of each query, shape (queries,)."""
        return np.diff(self._offset)

    def find(self, query: int, document: str) -> int | None:
        """The pair of a query and a document id, None where there is none."""
        pairs = self.of_query(query)
        for pair, text in zip(pairs.tolist(), self.documents.take(pairs).texts(), strict=True):
            if text == document:
                return int(pair)
        return None

    def add(self, query: int, document: str) -> int:
        """Make a new, unjudged pair and return its number."""
        pair = len(self.query)
        self.query = np.append(self.query, np.int32(query))
        self.documents = concatenate([self.documents, Ids.from_texts([document])])
        self.grade = np.append(self.grade, np.nan)
        self.code = np.append(self.code, np.int32(UNJUDGED))
        self._order = np.insert(self._order, self._offset[query + 1], pair)
        self._offset[query + 1 :] += 1
        return pair

    def set_grade(self, pair: int, grade: float) -> None:
        """Give a pair a grade; NaN makes it not judged."""
        self.grade[pair] = grade
        self.code[pair] = self.code_of(grade)
        self._groups = None

    def set_all(self, grade: NDArray[np.float64]) -> None:
        """Give every pair a grade, shape (P,); NaN is not judged."""
        distinct, place = np.unique(grade, return_inverse=True)
        codes = [self.code_of(float(each)) for each in distinct]
        self.grade, self.code = grade, np.array(codes, dtype=np.int32)[place]
        self._groups = None

    def code_of(self, grade: float) -> int:
        """The code of a grade, a new one where no pair has had it before."""
        if math.isnan(grade):
            return UNJUDGED
        if grade not in self.values:
            self.values.append(grade)
        return self.values.index(grade)

    def groups(self) -> Groups:
        """The judged documents counted by query and grade."""
        if self._groups is None:
            judged = self.code != UNJUDGED
            self._groups = group(self.query[judged], self.code[judged], len(self.values))
        return self._groups

    def groups_of_query(self, query: int) -> Groups:
        """The same for one query, numbered 0."""
        code = self.code[self.of_query(query)]
        code = code[code != UNJUDGED]
        return group(np.zeros(len(code), dtype=np.int32), code, len(self.values))

    def scale(self) -> NDArray[np.float64]:
        """The grades a blank may get: the declared ones, else whole numbers from 0 to the highest,
        or, with fractional grades, those seen and 0; ascending, and without negative grades.
        """
        if self.declared:
            return np.unique(np.maximum(self.declared, 0.0))
        seen = np.unique(np.maximum(self.grade[~np.isnan(self.grade)], 0.0))
        if np.all(seen == np.floor(seen)) and seen.max(initial=0) <= 1000:
            return np.arange(max(int(seen.max(initial=0)), 1) + 1, dtype=np.float64)
        return np.union1d(seen, [0.0])


def rule_of(tables: Iterable[JudgmentColumns]) -> Duplicates:
    """Which grade counts of several of one pair: what the first of the tables says that says more
    than the default.
    """
    said = (columns.duplicates for columns in tables)
    return next((rule for rule in said if rule != "highest"), "highest")


def pooled(
    pairs: Sequence[NDArray[np.int32]],
    grades: Sequence[NDArray[np.float64]],
    count: int,
    rule: Duplicates,
) -> NDArray[np.float64]:
    """One grade for each of ``count`` pairs, NaN for one without; blanks are passed over.

    Of each table the pair of every row, negative where it makes none, and its grade.
    """
    settled = np.full(count, np.nan)
    pair = np.concatenate([np.empty(0, dtype=np.int32), *pairs])
    grade = np.concatenate([np.empty(0), *grades])
    there = np.flatnonzero((pair >= 0) & ~np.isnan(grade))
    pair, grade = pair[there], grade[there]
    if rule == "highest":
        np.fmax.at(settled, pair, grade)
    elif rule == "mean":
        counts = np.bincount(pair, minlength=count)
        sums = np.bincount(pair, weights=grade, minlength=count)
        np.divide(sums, counts, out=settled, where=counts > 0)
    else:
        step = 1 if rule == "first" else -1
        found, place = np.unique(pair[::step], return_index=True)
        settled[found] = grade[::step][place]
    return settled
