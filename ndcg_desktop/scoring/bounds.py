"""Least and greatest nDCG@k, or difference of two, that unjudged documents of the top k leave.

Such a document is a "blank": it may turn out to have any grade of the scale. It then adds to the
ideal as well as to the DCG, so filling every blank with the lowest or with the highest grade gives
neither bound.

All bounds are exact. A difference of two rankings under one ideal is (DCG_A - DCG_B) / ideal: a
ratio as nDCG is, but that a blank's weight is the difference of its discounts in the two, which may
be negative, or 0 where it only raises the ideal. Notation: the blanks of a query weigh
w_1 >= ... >= w_u, W(m) is the sum of the first m, Phi(n) the sum of the first n discounts, and
s_0 < ... < s_J are the gains of the scale. With nJ(t) and nB(t) the judged documents and the blanks
whose gain exceeds t (a "layer cake"),

    ideal = integral over t >= 0 of Phi(nJ(t) + nB(t)),
    DCG of the blanks, given the higher gains where the weight is higher
          = integral over t >= 0 of W(nB(t)).

nB is u below s_0, 0 from s_J on, and constant between neighbouring gains of the scale, so an
assignment of grades is J numbers u >= m_1 >= ... >= m_J >= 0. Exchanging two gains leaves the ideal
as it is, so the greatest ratio is among these; the least is minus the greatest of -DCG.

The greatest ratio is not above 0: the DCG is nowhere above 0 and linear in the gains, and the ideal
is convex, so DCG / ideal is quasi-convex and greatest at a corner: some blanks, those that weigh
most, at s_J and the others at s_0. (Where the ideal can be 0, both are homogeneous, and the corner
of no gain at all is not needed: a point near it has the ratio of one further out.)

The greatest ratio is above 0: then the DCG is so at some corner too, which tells the two cases
apart. Dinkelbach (1967), Management Science 13(7), turns the ratio into a few greatest values of
DCG - lambda * ideal, lambda > 0. That difference is a sum over the J steps, so each m_j is chosen
by itself. Phi is concave, so more judged documents never make fewer blanks worthwhile and some
choice decreases along j as it must; whichever of several equally good ones is taken, the value is
that choice's, so no other could lead to a ratio that no assignment reaches.

The mean of several queries is a matter of each by itself, but for those that may count or not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.scoring.bounds_tables import Block, Floats, Ints, blanks_of, block_of, pieces_of

Bools = NDArray[np.bool_]

CELLS = 1 << 20
"""Entries of a table of ideals, beyond which the queries are treated in several blocks."""

ROUNDING = 1e-12
"""How far above 1 a ratio may lie and be taken for 1."""

NUDGE = 1 + 8 * np.finfo(np.float64).eps
"""What a ratio is raised by, against rounding, before a better one is looked for."""


@dataclass(frozen=True)
class Bounds:
    """Least and greatest value, nDCG or a difference of two, of each of Q queries."""

    lower: Floats
    """(Q,)"""
    upper: Floats
    """(Q,)"""
    defined: Bools
    """(Q,) False where no assignment counts as anything; lower = upper = 0.0 there."""
    certain: Bools
    """(Q,) True where every assignment counts; else the query may be left out of a mean."""


@dataclass(frozen=True)
class MeanRange:
    """Least and greatest mean, and the least and greatest number of queries in it."""

    lower: float
    upper: float
    n_least: int
    n_most: int


def bounds(
    blank_query: Ints,
    blank_weight: Floats,
    dcg: Floats,
    judged_query: Ints,
    judged_gain: Floats,
    judged_count: Ints,
    scale_gain: Floats,
    cumulative: Floats,
    undefined: Floats | None = None,
    reach: Ints | None = None,
) -> Bounds:
    """Exact bounds of nDCG over every assignment of the scale's grades to each query's blanks.

    An assignment whose ideal is 0 has no ratio: it counts as ``undefined``. Formulas: see the
    module.

    blank_query, blank_weight: (B,) query and discount, 0 or more, of each blank, in any order.
    dcg: (Q,) DCG of the judged documents alone.
    judged_query, judged_gain, judged_count: (G,) groups of judged documents, in any order.
    scale_gain: (S,) gain of each grade of the scale, in any order, repeats allowed.
    cumulative: (N+1,) sum of the first i discounts, which never rise, at index i; more than N
    documents count as N, so it ends at the cutoff, if there is one.
    undefined: (Q,) what a query counts as where its ideal is 0; NaN, and none given, leaves such
    assignments out.
    reach: (Q,) documents that the ideal of each query has at most; none given, that is all one.

    Gains are 0 or more and finite, as are the ideals. Raises ValueError for an empty scale.
    """
    ratios = difference_bounds(
        blank_query,
        blank_weight,
        dcg,
        judged_query,
        judged_gain,
        judged_count,
        scale_gain,
        cumulative,
        reach,
    )
    upper = np.where((ratios.upper > 1) & (ratios.upper <= 1 + ROUNDING), 1.0, ratios.upper)
    ratios = replace(ratios, lower=np.minimum(ratios.lower, upper), upper=upper)
    return ratios if undefined is None else counting(ratios, undefined)


def difference_bounds(
    blank_query: Ints,
    blank_weight: Floats,
    dcg: Floats,
    judged_query: Ints,
    judged_gain: Floats,
    judged_count: Ints,
    scale_gain: Floats,
    cumulative: Floats,
    reach: Ints | None = None,
) -> Bounds:
    """Exact bounds of the difference of two rankings' nDCG that share their ideal.

    blank_weight: (B,) the discount that each blank of either has in the one less that in the
    other, 0 where a ranking does not return it within the cutoff. A blank that weighs 0 is not
    to be left out: it still adds to the ideal.
    dcg: (Q,) DCG of the judged documents alone, in the one less in the other.

    The other arguments are those of `bounds`; an assignment whose ideal is 0 is left out.
    """
    levels = np.unique(scale_gain)
    if not levels.size:
        raise ValueError("The scale has no grades.")
    count = np.bincount(blank_query, minlength=len(dcg))
    # Queries of similar blank counts stand together, so that tables by m waste little.
    order = np.argsort(count, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    blanks = blanks_of(place[blank_query], blank_weight, count[order])
    pieces = pieces_of(place[judged_query], judged_gain, judged_count, levels, len(dcg))
    most = np.full(len(dcg), len(cumulative) - 1)
    if reach is not None:
        most = np.minimum(reach, most)
    most = most[order]
    lower, upper = np.zeros(len(dcg)), np.zeros(len(dcg))
    defined, certain = np.zeros((2, len(dcg)), dtype=np.bool_)
    for first, last in _cuts(blanks.count, len(levels) + 1):
        where = order[first:last]
        block = block_of(blanks, pieces, dcg[where], levels, cumulative, most, first, last)
        ideal = block.base_ideal + block.ideal.sum(axis=-1)
        defined[where] = ideal[block.count, np.arange(last - first)] > 0
        certain[where] = ideal[0] > 0
        upper[where] = _greatest(block, ideal, block.base_dcg, block.heaviest)
        lower[where] = -_greatest(block, ideal, -block.base_dcg, -block.lightest)
    lower, upper = (np.where(defined, each, 0.0) + 0.0 for each in (lower, upper))
    return Bounds(np.minimum(lower, upper), upper, defined, certain)


def bounds_of_fixed_ideal(
    blank_query: Ints,
    blank_weight: Floats,
    dcg: Floats,
    ideal: Floats,
    scale_gain: Floats,
    undefined: Floats | None = None,
) -> Bounds:
    """Bounds where the ideal DCG, (Q,), is given, so that a blank adds to the DCG alone.

    The other arguments are those of `bounds`, or of `difference_bounds`. A ratio above 1 says that
    the ideal given is too low for such grades; it is no nDCG, and counts as 1.
    """
    defined = ideal > 0
    queries = len(dcg)
    gained, lost = (
        np.bincount(blank_query, part, minlength=queries)
        for part in (np.maximum(blank_weight, 0.0), np.minimum(blank_weight, 0.0))
    )
    least, most = scale_gain.min(), scale_gain.max()
    lower, upper = (
        np.minimum(np.divide(sums, ideal, out=np.zeros(queries), where=defined), 1.0)
        for sums in (dcg + gained * least + lost * most, dcg + gained * most + lost * least)
    )
    ratios = Bounds(lower, upper, defined, defined)
    return ratios if undefined is None else counting(ratios, undefined)


def counting(ratios: Bounds, undefined: Floats) -> Bounds:
    """Bounds of ratios with what a query counts as, (Q,), where its ideal is 0; NaN: left out."""
    among = ~ratios.certain & ~np.isnan(undefined)
    # Where no assignment has a ratio, what the query counts as is all there is.
    lower = np.where(ratios.defined, np.minimum(ratios.lower, undefined), undefined)
    upper = np.where(ratios.defined, np.maximum(ratios.upper, undefined), undefined)
    return Bounds(
        np.where(among, lower, ratios.lower),
        np.where(among, upper, ratios.upper),
        ratios.defined | among,
        ratios.certain | among,
    )


def mean_range(ranges: Bounds) -> MeanRange | None:
    """Exact range of the mean over the queries that count; None where none can.

    The least mean has every query at its lower bound. Of the queries that may be left out, it has
    those that lower it: the least of them, as many as it takes. Likewise the greatest.
    """
    certain = ranges.defined & ranges.certain
    optional = ranges.defined & ~ranges.certain
    least, most = int(certain.sum()), int(ranges.defined.sum())
    if not most:
        return None
    lower = _least_mean(ranges.lower[certain], ranges.lower[optional])
    upper = -_least_mean(-ranges.upper[certain], -ranges.upper[optional])
    return MeanRange(lower, upper, least, most)


def _least_mean(certain: Floats, optional: Floats) -> float:
    """The least mean of all the certain values with any of the optional ones."""
    sums = certain.sum() + np.cumsum(np.concatenate(([0.0], np.sort(optional))))
    number = np.arange(len(certain), len(certain) + len(sums))
    return float((sums[number > 0] / number[number > 0]).min())


def _cuts(count: Ints, steps: int) -> Iterable[tuple[int, int]]:
    """First and last + 1 of each block of queries: at most twofold in blanks, and not too large.

    count: (Q,) blanks, ascending.
    """
    size = np.cumsum((count + 1) * steps) // CELLS
    doubling = np.frexp(count)[1]
    edges = np.flatnonzero((np.diff(size) > 0) | (np.diff(doubling) > 0)) + 1
    return pairwise([0, *edges.tolist(), len(count)]) if len(count) else ()


def _greatest(block: Block, ideal: Floats, base: Floats, heaviest: Floats) -> Floats:
    """Greatest ratio, (n,); -inf where no assignment has an ideal above 0.

    ideal: (M+1, n) with the m heaviest blanks at s_J. base: (n,) DCG with every blank at s_0.
    heaviest: (M+1, n) weight of the m heaviest blanks.
    """
    dcg = base + block.steps.sum() * heaviest
    valid = (ideal > 0) & (np.arange(len(dcg))[:, np.newaxis] <= block.count)
    ratio = np.divide(dcg, ideal, out=np.full_like(dcg, -np.inf), where=valid)
    corner: Floats = ratio.max(axis=0)
    if not (corner > 0).any():
        return corner
    return np.where(corner > 0, _risen(block, base, heaviest, np.maximum(corner, 0.0)), corner)


def _risen(block: Block, base: Floats, heaviest: Floats, ratio: Floats) -> Floats:
    """Greatest ratio by Dinkelbach's method, (n,), from one, above 0, that is reached."""
    while True:
        # A step of the scale that far outweighs the rest can alone account for the ratio; its
        # choices are then equal but for rounding, and only without it do the others count. The
        # nudge takes it out. Whatever is above the nudged ratio is found, so it costs no more.
        dcg, ideal = _best(block, base, heaviest, ratio * NUDGE)
        risen = np.divide(dcg, ideal, out=ratio.copy(), where=ideal > 0)
        if not (risen > ratio).any():
            return ratio
        ratio = np.maximum(ratio, risen)


def _best(block: Block, base: Floats, heaviest: Floats, ratio: Floats) -> tuple[Floats, Floats]:
    """DCG and ideal, (n,) each, of an assignment with the greatest DCG - ratio * ideal."""
    value = block.steps * heaviest[:, :, np.newaxis]
    value -= ratio[:, np.newaxis] * block.ideal
    # Beyond u blanks the DCG stays and the ideal does not fall, so the first best m is a real one.
    m = value.argmax(axis=0)
    query, step = np.ogrid[: m.shape[0], : m.shape[1]]
    dcg = base + (block.steps * heaviest[m, query]).sum(axis=-1)
    return dcg, block.base_ideal + block.ideal[m, query, step].sum(axis=-1)
