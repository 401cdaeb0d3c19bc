"""The order of a ranking's rows, and which of them tie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def by_rank(query: NDArray[np.int32], rank: NDArray[np.float64] | None) -> NDArray[np.int64] | None:
    """Row order by query, then rank ascending; rows without a rank last; equal ranks as they stand.

    ``rank`` None keeps the order of the rows within each query. The result has shape (N,), or is
    None where the rows stand in that order already.
    """
    if rank is None:
        return None if _grouped(query) else np.argsort(query, kind="stable")
    if _grouped(query) and _ascending_within(query, rank):
        return None
    return np.lexsort((rank, query))  # NaN sorts last


def by_score(
    query: NDArray[np.int32],
    score: NDArray[np.float64],
    tie_order: Callable[[NDArray[np.int64]], NDArray[np.int64]],
) -> NDArray[np.int64] | None:
    """Row order by query, then score descending, ties by document id descending, as trec_eval.

    ``tie_order`` gives, for some rows, the place of each one's document id in ascending order of
    bytes; it is asked only for rows that tie. Rows without a score (NaN) come last. Scores are
    compared as 64-bit floats, as trec_eval 10 does.
    """
    key = np.where(np.isnan(score), np.inf, -score) + 0.0  # -0.0 and 0.0 tie
    order = None
    if not (_grouped(query) and _ascending_within(query, key)):
        order = np.lexsort((np.isnan(score), key, query))
    sorted_query = query if order is None else query[order]
    sorted_key = key if order is None else key[order]
    new = _runs(sorted_query, sorted_key)
    rows = _in_ties(new)
    if not len(rows):
        return order
    if order is None:
        order = np.arange(len(query))
    members = order[rows]
    place = tie_order(members)
    tie = np.cumsum(new[rows])
    order[rows] = members[np.lexsort((-place, np.isnan(score[members]), tie))]
    return order


def _in_ties(new: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The rows that stand in a run of more than one, where ``new`` begins each run."""
    again = np.flatnonzero(~new)
    return np.union1d(again, again - 1)


def tie_ranges(
    query: NDArray[np.int32], key: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First row and end (excluded) of the run of equal keys that each row stands in, shape (N,)."""
    starts = np.flatnonzero(_runs(query, key))
    ends = np.append(starts[1:], len(query))
    sizes = ends - starts
    return np.repeat(starts, sizes), np.repeat(ends, sizes)


def worst_places(
    query: NDArray[np.integer], last: NDArray[np.integer], gain: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Place of each row, from 0, where tied rows stand by gain ascending, shape (N,).

    Rows of one query that share their places up to ``last``, excluded, take the last of them.
    """
    order = np.lexsort((gain, last, query))
    starts = np.flatnonzero(_runs(query[order], last[order]))
    sizes = np.diff(np.append(starts, len(order)))
    within = np.arange(len(order)) - np.repeat(starts, sizes)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = last[order] - np.repeat(sizes, sizes) + within
    return place


def ranges(
    start: NDArray[np.int64], count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of each range, one range below the other: which range each is of, and itself."""
    owner = np.repeat(np.arange(len(count)), count)
    return owner, np.arange(len(owner)) + (start - np.cumsum(count) + count)[owner]


def _runs(
    query: NDArray[np.integer], key: NDArray[np.integer] | NDArray[np.floating]
) -> NDArray[np.bool_]:
    """True on each row that begins a run of one query and one key."""
    new = np.ones(len(query), dtype=bool)
    new[1:] = (query[1:] != query[:-1]) | (key[1:] != key[:-1])
    return new


def heads_of(query: NDArray[np.int32]) -> NDArray[np.int64]:
    """The first row of each run of one query."""
    later = np.flatnonzero(query[1:] != query[:-1]) + 1
    return np.concatenate(([0], later)) if len(query) else later


def _grouped(query: NDArray[np.int32]) -> bool:
    """Whether the rows of each query stand together: each query begins only once."""
    heads = query[heads_of(query)]
    return len(np.unique(heads)) == len(heads)


def _ascending_within(query: NDArray[np.int32], key: NDArray[np.float64]) -> bool:
    # NaN compares False, so a missing key counts as out of order and is sorted to the end.
    return bool(np.all((key[1:] >= key[:-1]) | (query[1:] != query[:-1])))
