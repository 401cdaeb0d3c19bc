"""How much a grade for each unjudged document would tell: by what it shrinks a range.

The grade is taken to be any of the scale, all equally likely, and each is tried: the blank becomes
a judged document of that gain, and the range of its query is made anew. Each pair of a blank and a
gain is a query of its own there, so that many are done at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ndcg_desktop.evaluation.blanks import Blanks, blanks
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.open_grades import Floats, Ints, Judged, OpenQueries, open_queries
from ndcg_desktop.scoring.order import ranges

CELLS = 1 << 20
"""Size of the tables of the blanks that are done at once."""

EQUAL = 1e-12
"""Ranges that differ by no more than this shrink by the same, but for rounding."""


@dataclass(frozen=True, slots=True)
class Worth:
    """By how much a grade for each of B blanks shrinks its query's range, shape (B,)."""

    blanks: Blanks
    mean: Floats
    """On average over the grades of the scale."""
    most: Floats
    """With the grade that shrinks it most."""

    @property
    def order(self) -> Ints:
        """The blanks from the most worth down; equal ones by place in the ranking, then query."""
        steps = np.round(self.mean / EQUAL)
        return np.lexsort((self.blanks.query, self.blanks.place, -steps))


def _never() -> bool:
    return False


def worth(
    evaluation: Evaluation, ranking: int = 0, cancelled: Callable[[], bool] = _never
) -> Worth | None:
    """What a grade for each blank of a ranking does to the range of its query's nDCG.

    None where it was cancelled on the way.
    """
    return _worth(evaluation, [ranking], None, cancelled)


def worth_between(
    evaluation: Evaluation, a: int, b: int, cancelled: Callable[[], bool] = _never
) -> Worth | None:
    """What a grade for each blank of two rankings does to the range of their difference."""
    return _worth(evaluation, [a, b], None, cancelled)


def worth_of_query(evaluation: Evaluation, rankings: Sequence[int], query: int) -> Worth:
    """The same of one query's blanks, in one ranking or between two."""
    found = _worth(evaluation, rankings, query, _never)
    assert found is not None
    return found


def _worth(
    evaluation: Evaluation,
    rankings: Sequence[int],
    query: int | None,
    cancelled: Callable[[], bool],
) -> Worth | None:
    found = blanks(evaluation, rankings, query)
    queries = open_queries(evaluation, found, rankings, query)
    now = _width(queries)[queries.blank_query]
    mean, least = np.zeros(len(found)), np.zeros(len(found))
    gains, times = np.unique(queries.gains, return_counts=True)
    for part in _parts(queries, len(gains)):
        if cancelled():
            return None
        width = _width(graded(queries, np.repeat(part, len(gains)), np.tile(gains, len(part))))
        width = width.reshape(len(part), len(gains))
        mean[part], least[part] = width @ times / times.sum(), width.min(axis=1)
    return Worth(found, np.maximum(now - mean, 0.0), np.maximum(now - least, 0.0))


def _width(queries: OpenQueries) -> Floats:
    counted = queries.counted()
    return counted.upper - counted.lower


def _parts(queries: OpenQueries, gains: int) -> Iterator[Ints]:
    """The blanks in parts of bounded work."""
    of_query = np.bincount(queries.blank_query)[queries.blank_query]
    work = np.cumsum(of_query * float(gains * (gains + 1))) // CELLS
    edges = np.flatnonzero(np.diff(work)) + 1
    for first, last in pairwise([0, *edges.tolist(), len(of_query)]):
        if last > first:
            yield np.arange(first, last)


def graded(queries: OpenQueries, blank: Ints, gain: Floats) -> OpenQueries:
    """A query for each of these blanks, (n,): that of the blank, where it has got this gain."""
    query = queries.blank_query[blank]
    number, other = _rows_of(queries.blank_query, query)
    left = other != blank[number]
    number, other = number[left], other[left]
    return replace(
        queries,
        blank_query=number,
        weight=queries.weight[:, other],
        held=queries.held[:, other],
        dcg=queries.dcg[:, query] + gain * queries.weight[:, blank],
        ideals=tuple(
            _one_more(judged, query, np.flatnonzero(held[blank]), gain)
            for judged, held in zip(queries.ideals, queries.held, strict=False)
        ),
        given=None if queries.given is None else queries.given[:, query],
        reach=None if queries.reach is None else queries.reach[:, query],
        absent=queries.absent[:, query],
        refused=queries.refused[query],
        unjudged=np.zeros(len(query), dtype=np.bool_),
    )


def _one_more(judged: Judged, query: Ints, which: Ints, gain: Floats) -> Judged:
    """The judged documents of each of these queries, (n,), in some of them one with this gain."""
    number, row = _rows_of(judged.query, query)
    return Judged(
        np.concatenate((number, which)),
        np.concatenate((judged.gain[row], gain[which])),
        np.concatenate((judged.count[row], np.ones_like(which))),
    )


def _rows_of(owner: Ints, query: Ints) -> tuple[Ints, Ints]:
    """The rows of each query, in turn: its place in ``query``, and the row. Owners ascend."""
    start = np.searchsorted(owner, query)
    return ranges(start, np.searchsorted(owner, query, side="right") - start)
