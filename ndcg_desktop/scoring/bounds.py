"""Least and greatest nDCG@k that unjudged documents of the top k ("blanks") leave possible.

A blank may turn out to have any grade of the scale. It then adds to the ideal as well as to the
DCG, so filling every blank with the lowest or with the highest grade gives neither bound.

Both bounds are exact. Notation: the blanks of a query weigh w_1 >= ... >= w_u, W(m) is the sum of
the first m, Phi(n) the sum of the first n discounts, and s_0 < ... < s_J are the gains of the
scale. With nJ(t) and nB(t) the judged documents and the blanks whose gain exceeds t (a "layer
cake"),

    ideal = integral over t >= 0 of Phi(nJ(t) + nB(t)),
    DCG of the blanks, given the higher gains where the weight is higher
          = integral over t >= 0 of W(nB(t)).

nB is u below s_0, 0 from s_J on, and constant between neighbouring gains of the scale, so an
assignment of grades is J numbers u >= m_1 >= ... >= m_J >= 0.

lower: the DCG is linear in the gains and the ideal convex, so their ratio is quasi-concave and
least at a corner: some blanks, those that weigh least, at s_J and the others at s_0.

upper: Dinkelbach (1967), Management Science 13(7), turns the greatest ratio into a few greatest
values of DCG - lambda * ideal. That difference is a sum over the J steps, so each m_j is chosen by
itself. Phi is concave, so more judged documents never make fewer blanks worthwhile and some choice
decreases along j as it must; whichever of several equally good ones is taken, the value is that
choice's, so no other could lead to a ratio that no assignment reaches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.integer]

CELLS = 1 << 20
"""Entries of a table of ideals, beyond which the queries are treated in several blocks."""

ROUNDING = 1e-12
"""How far above 1 a ratio may lie and be taken for 1."""

NUDGE = 1 + 8 * np.finfo(np.float64).eps
"""What a ratio is raised by, against rounding, before a better one is looked for."""


@dataclass(frozen=True)
class Bounds:
    """Least and greatest nDCG of each of Q queries."""

    lower: Floats
    """(Q,)"""
    upper: Floats
    """(Q,)"""
    defined: NDArray[np.bool_]
    """(Q,) False where no assignment counts as anything; lower = upper = 0.0 there."""


@dataclass(frozen=True)
class _Blanks:
    """B blanks, ordered by query and from the highest weight down."""

    query: Ints  # (B,)
    weight: Floats  # (B,)
    rank: Ints  # (B,) from 0 within the query
    count: Ints  # (Q,)


@dataclass(frozen=True)
class _Pieces:
    """The gain axis of each query, cut at the gains of the scale and of its judged documents."""

    query: Ints  # (P,) ascending
    step: Ints  # (P,) gains of the scale at or below the piece: 0..J+1
    length: Floats  # (P,)
    judged: Ints  # (P,) judged documents whose gain exceeds the piece


@dataclass(frozen=True)
class _Block:
    """n queries with u = 0..M blanks each, tabled by m = 0..M."""

    count: Ints  # (n,) u
    base_dcg: Floats  # (n,) judged documents, and every blank at s_0
    base_ideal: Floats  # (n,) the part of the ideal below s_0 and above s_J
    heaviest: Floats  # (M+1, n) weight of the m heaviest blanks, W(m)
    lightest: Floats  # (M+1, n) weight of the m lightest blanks
    steps: Floats  # (J,) s_j - s_(j-1)
    ideal: Floats  # (M+1, n, J) the part of the ideal on step j, m blanks above it


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
) -> Bounds:
    """Exact bounds of nDCG over every assignment of the scale's grades to each query's blanks.

    An assignment whose ideal is 0 has no ratio: it counts as ``undefined``. Formulas: see the
    module.

    blank_query, blank_weight: (B,) query and discount, above 0, of each blank, in any order.
    dcg: (Q,) DCG of the judged documents alone.
    judged_query, judged_gain, judged_count: (G,) groups of judged documents, in any order.
    scale_gain: (S,) gain of each grade of the scale, in any order, repeats allowed.
    cumulative: (N+1,) sum of the first i discounts, which never rise, at index i; more than N
    documents count as N, so it ends at the cutoff, if there is one.
    undefined: (Q,) what a query counts as where its ideal is 0; NaN, and none given, leaves such
    assignments out.

    Gains are 0 or more and finite, as are the ideals. Raises ValueError for an empty scale.
    """
    levels = np.unique(scale_gain)
    if not levels.size:
        raise ValueError("The scale has no grades.")
    count = np.bincount(blank_query, minlength=len(dcg))
    # Queries of similar blank counts stand together, so that tables by m waste little.
    order = np.argsort(count, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    blanks = _blanks(place[blank_query], blank_weight, count[order])
    pieces = _pieces(place[judged_query], judged_gain, judged_count, levels, len(dcg))
    lower, upper = np.zeros(len(dcg)), np.zeros(len(dcg))
    barren = np.zeros(len(dcg), dtype=np.bool_)
    for first, last in _cuts(blanks.count, len(levels) + 1):
        where = order[first:last]
        block = _block(blanks, pieces, dcg[where], levels, cumulative, first, last)
        lower[where], upper[where] = _lower(block), _upper(block)
        barren[where] = _least_ideal(block) <= 0
    upper[(upper > 1) & (upper <= 1 + ROUNDING)] = 1.0
    defined = np.isfinite(lower)
    return _counting(Bounds(np.minimum(lower, upper), upper, defined), barren, undefined)


def bounds_of_fixed_ideal(
    blank_query: Ints,
    blank_weight: Floats,
    dcg: Floats,
    ideal: Floats,
    scale_gain: Floats,
    undefined: Floats | None = None,
) -> Bounds:
    """Bounds where the ideal DCG, (Q,), is given, so that a blank adds to the DCG alone.

    The other arguments are those of `bounds`. A ratio above 1 says that the ideal given is too low
    for such grades; it is no nDCG, and counts as 1.
    """
    weight = np.bincount(blank_query, blank_weight, minlength=len(dcg))
    defined = ideal > 0
    lower, upper = (
        np.minimum(np.divide(dcg + weight * each, ideal, out=np.zeros(len(dcg)), where=defined), 1)
        for each in (scale_gain.min(), scale_gain.max())
    )
    return _counting(Bounds(lower, upper, defined), ~defined, undefined)


def _counting(ratios: Bounds, barren: NDArray[np.bool_], undefined: Floats | None) -> Bounds:
    """The bounds with what a query counts as where its ideal may be 0, which ``barren`` says."""
    if undefined is None:
        return ratios
    among = barren & ~np.isnan(undefined)
    # Where no assignment has a ratio, what the query counts as is all there is.
    lower = np.where(ratios.defined, np.minimum(ratios.lower, undefined), undefined)
    upper = np.where(ratios.defined, np.maximum(ratios.upper, undefined), undefined)
    return Bounds(
        np.where(among, lower, ratios.lower),
        np.where(among, upper, ratios.upper),
        ratios.defined | among,
    )


def _blanks(query: Ints, weight: Floats, count: Ints) -> _Blanks:
    order = np.lexsort((-weight, query))
    query = query[order]
    rank = np.arange(len(query)) - (np.cumsum(count) - count)[query]
    return _Blanks(query, weight[order], rank, count)


def _pieces(query: Ints, gain: Floats, count: Ints, levels: Floats, queries: int) -> _Pieces:
    """Pieces of every query, each ending at a judged gain or at a gain of the scale."""
    size = len(levels)
    owner = np.concatenate((query, np.repeat(np.arange(queries), size)))
    end = np.concatenate((gain, np.tile(levels, queries)))
    order = np.lexsort((end, owner))
    owner, end = owner[order], end[order]
    documents = np.concatenate((count, np.zeros(queries * size, dtype=np.int_)))[order]
    is_level = order >= len(query)

    starts = np.searchsorted(owner, np.arange(queries))
    length = np.diff(end, prepend=0.0)
    length[starts] = end[starts]
    # Where gains are equal all but the first piece are empty, and the first counts them all.
    judged_before = np.cumsum(documents) - documents
    total = np.bincount(query, weights=count, minlength=queries).astype(np.int_)
    judged = np.cumsum(total)[owner] - judged_before
    step = np.cumsum(is_level) - is_level - owner * size
    return _Pieces(owner, step, length, judged)


def _cuts(count: Ints, steps: int) -> Iterable[tuple[int, int]]:
    """First and last + 1 of each block of queries: at most twofold in blanks, and not too large.

    count: (Q,) blanks, ascending.
    """
    size = np.cumsum((count + 1) * steps) // CELLS
    doubling = np.frexp(count)[1]
    edges = np.flatnonzero((np.diff(size) > 0) | (np.diff(doubling) > 0)) + 1
    return pairwise([0, *edges.tolist(), len(count)]) if len(count) else ()


def _block(
    blanks: _Blanks,
    pieces: _Pieces,
    dcg: Floats,
    levels: Floats,
    cumulative: Floats,
    first: int,
    last: int,
) -> _Block:
    """Tables of the queries first..last-1; dcg: (n,) of these queries alone."""
    count = blanks.count[first:last]
    heaviest, lightest = _weights(blanks, first, last)
    ideal = _ideals(pieces, len(levels) + 1, cumulative, first, last, len(heaviest))
    query = np.arange(last - first)
    return _Block(
        count=count,
        base_dcg=dcg + levels[0] * heaviest[-1],
        base_ideal=ideal[count, query, 0] + ideal[0, :, -1],
        heaviest=heaviest,
        lightest=lightest,
        steps=np.diff(levels),
        ideal=ideal[:, :, 1:-1],
    )


def _weights(blanks: _Blanks, first: int, last: int) -> tuple[Floats, Floats]:
    """Weight of the m heaviest and of the m lightest blanks, (M+1, n); beyond u as for u."""
    count = blanks.count[first:last]
    part = slice(*np.searchsorted(blanks.query, (first, last)))
    query, rank, weight = blanks.query[part] - first, blanks.rank[part], blanks.weight[part]
    heaviest = np.zeros((count[-1] + 1, len(count)))
    lightest = np.zeros_like(heaviest)
    heaviest[rank + 1, query] = weight
    lightest[count[query] - rank, query] = weight
    return np.cumsum(heaviest, axis=0), np.cumsum(lightest, axis=0)


def _ideals(
    pieces: _Pieces, steps: int, cumulative: Floats, first: int, last: int, rows: int
) -> Floats:
    """Part of the ideal on each step of the scale with m blanks above it, (rows, n, steps)."""
    part = slice(*np.searchsorted(pieces.query, (first, last)))
    judged, length = pieces.judged[part], pieces.length[part]
    cell = (pieces.query[part] - first) * steps + pieces.step[part]
    table = np.empty((rows, last - first, steps))
    for m in range(rows):
        area = length * cumulative[np.minimum(judged + m, len(cumulative) - 1)]
        table[m] = np.bincount(cell, area, (last - first) * steps).reshape(-1, steps)
    return table


def _least_ideal(block: _Block) -> Floats:
    """The ideal with every blank at the lowest gain, (n,)."""
    least: Floats = block.base_ideal + block.ideal[0].sum(axis=-1)
    return least


def _lower(block: _Block) -> Floats:
    """Least ratio over the corners, (n,); inf where no corner has an ideal above 0."""
    dcg = block.base_dcg + block.steps.sum() * block.lightest
    ideal = block.base_ideal + block.ideal.sum(axis=-1)
    valid = (ideal > 0) & (np.arange(len(dcg))[:, np.newaxis] <= block.count)
    ratio = np.divide(dcg, ideal, out=np.full_like(dcg, np.inf), where=valid)
    least: Floats = ratio.min(axis=0)
    return least


def _upper(block: _Block) -> Floats:
    """Greatest ratio by Dinkelbach's method, (n,); 0 where no assignment has an ideal above 0."""
    ratio = np.zeros(len(block.count))
    while True:
        # A step of the scale that far outweighs the rest can alone account for the ratio; its
        # choices are then equal but for rounding, and only without it do the others count. The
        # nudge takes it out. Whatever is above the nudged ratio is found, so it costs no more.
        dcg, ideal = _best(block, ratio * NUDGE)
        risen = np.divide(dcg, ideal, out=ratio.copy(), where=ideal > 0)
        if not (risen > ratio).any():
            return ratio
        ratio = np.maximum(ratio, risen)


def _best(block: _Block, ratio: Floats) -> tuple[Floats, Floats]:
    """DCG and ideal, (n,) each, of an assignment with the greatest DCG - ratio * ideal."""
    value = block.steps * block.heaviest[:, :, np.newaxis]
    value -= ratio[:, np.newaxis] * block.ideal
    # Beyond u blanks the DCG stays and the ideal does not fall, so the first best m is a real one.
    m = value.argmax(axis=0)
    query, step = np.ogrid[: m.shape[0], : m.shape[1]]
    dcg = block.base_dcg + (block.steps * block.heaviest[m, query]).sum(axis=-1)
    return dcg, block.base_ideal + block.ideal[m, query, step].sum(axis=-1)
