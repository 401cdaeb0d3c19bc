"""DCG, ideal DCG and nDCG of all queries at once, on flat arrays.

Only judged documents gain anything, so a ranking is reduced to its *hits*: the judged documents
it returned, each with its query, the code of its grade and its position. The judgments are
reduced further, to *groups*: how many documents of a query have which grade. A change of gain or
of k is then one gather from a small gain table, one multiplication by the discounts and one
segmented sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.scoring.discount import cumulative, discount, ideal_discount
from ndcg_desktop.scoring.options import Options
from ndcg_desktop.scoring.order import ranges, worst_places
from ndcg_desktop.scoring.rounding import floored_terms, mean_decimals, rounded

ROUNDING = 1e-12
"""Two sums of the same terms in another order differ by no more than this part of them."""


class Status(IntEnum):
    """What came of a query."""

    SCORED = 0
    UNDEFINED = 1
    """The ideal DCG is 0: there is nothing to normalise by."""
    UNJUDGED = 2
    """No document of the query has a grade."""
    ABSENT = 3
    """Judged, but the ranking returns nothing for it."""
    REFUSED = 4
    """A gain is too large for a 64-bit float, or the gain table has no entry for a grade."""
    IDEAL_TOO_LOW = 5
    """The ideal grades that were given are worth less than the ranking itself."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The judged documents of one ranking; the rows of a query adjacent, by position.

    ``query`` and ``code`` (index into the gains): int, shape (H,). ``first`` is the position from
    0. ``last`` is None where every document has a place of its own; under averaged ties first and
    last are the range, end excluded, of the positions that the tied documents share.
    """

    query: NDArray[np.integer]
    code: NDArray[np.integer]
    first: NDArray[np.integer]
    last: NDArray[np.integer] | None = None


@dataclass(frozen=True, slots=True)
class Groups:
    """How many documents of a query have which grade; the rows of a query adjacent.

    ``query``, ``code`` and ``count``: int, shape (G,).
    """

    query: NDArray[np.int32]
    code: NDArray[np.int32]
    count: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Sums:
    """What scores are made of, shape (Q,) each; see Scores."""

    dcg: NDArray[np.float64]
    ideal_dcg: NDArray[np.float64]
    status: NDArray[np.int8]
    judged: NDArray[np.int64]
    returned: NDArray[np.int64]


@dataclass(slots=True)
class Scores:
    """One ranking scored: a row for each query, shape (Q,), and never NaN or inf in it.

    ``value`` is meant where ``counted``; it is the nDCG, or what an undefined or absent query
    counts as, rounded as the options say. ``meant`` is what a query adds to the mean: ``value``,
    but before it was rounded where only what is shown is. ``decimals`` are those of the mean,
    None where it is not rounded. ``judged`` and ``returned`` are counted within the cutoff.
    """

    value: NDArray[np.float64]
    dcg: NDArray[np.float64]
    ideal_dcg: NDArray[np.float64]
    status: NDArray[np.int8]
    counted: NDArray[np.bool_]
    judged: NDArray[np.int64]
    returned: NDArray[np.int64]
    meant: NDArray[np.float64]
    decimals: int | None = None

    @property
    def n(self) -> int:
        """Number of queries in the mean."""
        return int(np.count_nonzero(self.counted))

    @property
    def mean(self) -> float | None:
        """Mean over the counted queries, None where there is none."""
        if not self.n:
            return None
        mean = float(self.meant[self.counted].mean())
        return mean if self.decimals is None else round(mean, self.decimals)

    def replace_query(self, query: int, other: Scores) -> None:
        """Take the row of one query from scores of just that query."""
        for name in self.__slots__:
            if name != "decimals":
                getattr(self, name)[query] = getattr(other, name)[0]


def condensed(hits: Hits) -> Hits:
    """The hits as they stand when all other documents are taken out of the ranking.

    Sakai (2007), SIGIR: condensed lists. Tied documents stay tied.
    """
    place = _within(hits.query)
    if hits.last is None:
        return Hits(hits.query, hits.code, place)
    starts = np.flatnonzero(_changes(hits.query) | _changes(hits.first))
    sizes = np.diff(np.append(starts, len(hits.query)))
    first = np.repeat(place[starts], sizes)
    return Hits(hits.query, hits.code, first, first + np.repeat(sizes, sizes))


def worst(hits: Hits, gains: NDArray[np.float64]) -> Hits:
    """The hits with a place of their own each: of tied documents those that gain less come first.

    That is the order with the least DCG, as CatBoost scores. What is unjudged gains nothing and
    stands before the hits it ties with. ``gains`` has the gain of each grade code.
    """
    if hits.last is None:
        return hits
    gain = np.nan_to_num(gains, nan=0.0)[hits.code]
    place = worst_places(hits.query, hits.last, gain)
    order = np.lexsort((place, hits.query))
    return Hits(hits.query[order], hits.code[order], place[order])


def group(query: NDArray[np.integer], code: NDArray[np.integer], codes: int) -> Groups:
    """Count the documents of each (query, grade code); the result is sorted by query and code."""
    key, count = np.unique(query.astype(np.int64) * codes + code, return_counts=True)
    return Groups(
        (key // codes).astype(np.int32), (key % codes).astype(np.int32), count.astype(np.int32)
    )


def weights(hits: Hits, discounts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Discount of each hit, shape (H,).

    For ties the mean discount of the places they share: McSherry & Najork (2008), ECIR, which is
    how scikit-learn scores them.
    """
    if hits.last is None:
        return np.take(discounts, hits.first)
    upto = cumulative(discounts)
    shared: NDArray[np.float64] = np.take(upto, hits.last) - np.take(upto, hits.first)
    return shared / (hits.last - hits.first)


def dcg(
    hits: Hits,
    gains: NDArray[np.float64],
    discounts: NDArray[np.float64],
    queries: int,
    floor: bool = False,
) -> NDArray[np.float64]:
    """Sum over each query's hits of gain × discount, shape (queries,).

    ``gains`` has the gain of each grade code; ``discounts`` reach as far as the longest ranking.
    ``floor`` cuts off each discounted term after 2 decimals.
    """
    gain, weight = gains[hits.code], weights(hits, discounts)
    terms = floored_terms(gain, weight) if floor else gain * weight
    return _sums(hits.query, terms, queries)


def ideal_dcg(
    groups: Groups,
    gains: NDArray[np.float64],
    discounts: NDArray[np.float64],
    queries: int,
    reach: NDArray[np.int64] | None = None,
    floor: bool = False,
) -> NDArray[np.float64]:
    """Sum over each query's judged documents, best first, of gain × discount, shape (queries,).

    Documents of one gain stand next to each other, so a group is its gain times the sum of the
    discounts of the places that it takes. ``reach``, shape (queries,), is the number of documents
    that each query's ideal has at most. ``floor`` cuts off each discounted term after 2 decimals.
    """
    gain = gains[groups.code]
    order = np.lexsort((-gain, groups.query))
    query, gain, count = groups.query[order], gain[order], groups.count[order]
    end = np.cumsum(count)
    heads = _changes(query)
    before = np.where(heads, end - count, 0)
    end -= np.maximum.accumulate(before)
    most = len(discounts) if reach is None else np.minimum(reach, len(discounts))[query]
    first, last = np.minimum(end - count, most), np.minimum(end, most)
    if floor:
        row, place = ranges(first, last - first)
        return _sums(query[row], floored_terms(gain[row], discounts[place]), queries)
    upto = cumulative(discounts)
    return _sums(query, gain * (upto[last] - upto[first]), queries)


def score(
    hits: Hits,
    judged: Groups,
    ideal: Groups,
    gains: NDArray[np.float64],
    returned: NDArray[np.int64],
    options: Options,
) -> Scores:
    """Score every query of one ranking.

    ``judged`` holds all judgments, ``ideal`` the documents that the ideal is built from (often the
    same); ``gains`` the gain of each grade code, as scoring.gain gives it (inf and NaN mark a
    gain that is refused); ``returned`` the number of documents returned, shape (Q,).
    """
    queries = len(returned)
    refused = _refused(judged, gains, queries) | _refused(ideal, gains, queries)
    gains = np.where(np.isfinite(gains), gains, 0.0)
    if options.cutoff is not None:
        hits = _within_cutoff(hits, options.cutoff)
    longest = (
        int(hits.first.max(initial=0)) + 1 if hits.last is None else int(returned.max(initial=0))
    )
    discounts = discount(longest, options)
    ideal_discounts = ideal_discount(_longest(ideal, queries, options), options)
    floor = options.rounding == "floored-terms"
    with np.errstate(over="ignore"):
        dcgs = dcg(hits, gains, discounts, queries, floor)
        reach = ideal_reach(returned, options)
        ideals = ideal_dcg(ideal, gains, ideal_discounts, queries, reach, floor)
    refused |= ~(np.isfinite(dcgs) & np.isfinite(ideals))
    dcgs[refused] = ideals[refused] = 0.0
    judgments = _sums(judged.query, judged.count, queries)
    status = _status(dcgs, ideals, judgments, returned, refused, options)
    cut = returned if options.cutoff is None else np.minimum(returned, options.cutoff)
    # Under averaged ties more documents share the last places than there are places.
    seen = np.minimum(np.bincount(hits.query, minlength=queries), cut)
    return counted_as(Sums(dcgs, ideals, status, seen, cut), options)


def counted_as(sums: Sums | Scores, options: Options) -> Scores:
    """Scores of these sums: what a query counts as, and how it is rounded, as the options say."""
    meant, counted = _values(sums.dcg, sums.ideal_dcg, sums.status, options)
    value = rounded(meant, options)
    if options.rounding != "5-decimals":
        meant = value.copy()
    return Scores(
        value,
        sums.dcg,
        sums.ideal_dcg,
        sums.status,
        counted,
        sums.judged,
        sums.returned,
        meant,
        mean_decimals(options),
    )


def ideal_reach(returned: NDArray[np.int64], options: Options) -> NDArray[np.int64] | None:
    """How many documents the ideal has at most for this ranking; None where that is all one."""
    if options.ideal_cut != "returned":
        return None
    return returned if options.cutoff is None else np.minimum(returned, options.cutoff)


def _status(
    dcgs: NDArray[np.float64],
    ideals: NDArray[np.float64],
    judgments: NDArray[np.float64],
    returned: NDArray[np.int64],
    refused: NDArray[np.bool_],
    options: Options,
) -> NDArray[np.int8]:
    absent = returned == 0
    # Nothing returned leaves an ideal "from the returned only" empty: that is absence, not a
    # query without relevant documents.
    undefined = (ideals <= 0) & ~(absent & options.ideal_needs_returned)
    status = np.full(len(returned), Status.SCORED, dtype=np.int8)
    if options.ideal == "column":
        status[dcgs * (1 - ROUNDING) > ideals] = Status.IDEAL_TOO_LOW
    status[absent] = Status.ABSENT
    status[undefined] = Status.UNDEFINED
    status[refused] = Status.REFUSED
    status[judgments == 0] = Status.UNJUDGED
    return status


def _values(
    dcgs: NDArray[np.float64],
    ideals: NDArray[np.float64],
    status: NDArray[np.int8],
    options: Options,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    scored = status == Status.SCORED
    value = np.zeros(len(dcgs))
    np.divide(dcgs, ideals, out=value, where=scored)
    # The two sums add the same terms in another order: a perfect ranking is 1, not 1 - 1e-16.
    value[scored & (np.abs(dcgs - ideals) <= ROUNDING * ideals)] = 1.0
    # Terms that are cut off may add up to more in another order than the ideal's.
    np.minimum(value, 1.0, out=value)
    undefined = status == Status.UNDEFINED
    value[undefined] = 1.0 if options.undefined == "one" else 0.0
    counted = scored.copy()
    if options.undefined != "skip":
        counted |= undefined
    if options.missing == "zero":
        counted |= status == Status.ABSENT
    return value, counted


def _within_cutoff(hits: Hits, cutoff: int) -> Hits:
    keep = np.flatnonzero(hits.first < cutoff)
    last = None if hits.last is None else hits.last[keep]
    return Hits(hits.query[keep], hits.code[keep], hits.first[keep], last)


def _refused(groups: Groups, gains: NDArray[np.float64], queries: int) -> NDArray[np.bool_]:
    bad = ~np.isfinite(gains)
    if not bad.any():
        return np.zeros(queries, dtype=bool)
    return np.bincount(groups.query, weights=bad[groups.code], minlength=queries) > 0


def _longest(groups: Groups, queries: int, options: Options) -> int:
    sizes = _sums(groups.query, groups.count, queries)
    longest = int(sizes.max(initial=0))
    if options.cutoff is None or options.ideal_cut == "none":
        return longest
    return min(longest, options.cutoff)


def _sums(
    query: NDArray[np.integer], values: NDArray[np.floating] | NDArray[np.integer], queries: int
) -> NDArray[np.float64]:
    """Sum of the values of each query, shape (queries,)."""
    return np.bincount(query, weights=values, minlength=queries).astype(np.float64, copy=False)


def _changes(values: NDArray[np.integer]) -> NDArray[np.bool_]:
    """True on each row that differs from the row before it."""
    changes = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return changes


def _within(query: NDArray[np.integer]) -> NDArray[np.intp]:
    """Place of each row among the adjacent rows of its query, from 0."""
    rows = np.arange(len(query))
    heads = np.where(_changes(query), rows, 0)
    return rows - np.maximum.accumulate(heads)
