"""The tables that exact bounds are read from: what m blanks of a query add to DCG and to ideal.

Notation and derivation: see bounds.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.integer]


@dataclass(frozen=True)
class Blanks:
    """B blanks, ordered by query and from the highest weight down."""

    query: Ints  # (B,)
    weight: Floats  # (B,)
    rank: Ints  # (B,) from 0 within the query
    count: Ints  # (Q,)


@dataclass(frozen=True)
class Pieces:
    """The gain axis of each query, cut at the gains of the scale and of its judged documents."""

    query: Ints  # (P,) ascending
    step: Ints  # (P,) gains of the scale at or below the piece: 0..J+1
    length: Floats  # (P,)
    judged: Ints  # (P,) judged documents whose gain exceeds the piece


@dataclass(frozen=True)
class Block:
    """n queries with u = 0..M blanks each, tabled by m = 0..M."""

    count: Ints  # (n,) u
    base_dcg: Floats  # (n,) judged documents, and every blank at s_0
    base_ideal: Floats  # (n,) the part of the ideal below s_0 and above s_J
    heaviest: Floats  # (M+1, n) weight of the m heaviest blanks, W(m)
    lightest: Floats  # (M+1, n) weight of the m lightest blanks
    steps: Floats  # (J,) s_j - s_(j-1)
    ideal: Floats  # (M+1, n, J) the part of the ideal on step j, m blanks above it


def blanks_of(query: Ints, weight: Floats, count: Ints) -> Blanks:
    """Blanks in order; count: (Q,) how many each query has."""
    order = np.lexsort((-weight, query))
    query = query[order]
    rank = np.arange(len(query)) - (np.cumsum(count) - count)[query]
    return Blanks(query, weight[order], rank, count)


def pieces_of(query: Ints, gain: Floats, count: Ints, levels: Floats, queries: int) -> Pieces:
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
    return Pieces(owner, step, length, judged)


def block_of(
    blanks: Blanks,
    pieces: Pieces,
    dcg: Floats,
    levels: Floats,
    cumulative: Floats,
    most: Ints,
    first: int,
    last: int,
) -> Block:
    """Tables of the queries first..last-1; dcg: (n,) of these queries alone; most: (Q,) documents
    that each ideal has at most.
    """
    count = blanks.count[first:last]
    heaviest, lightest = _weights(blanks, first, last)
    ideal = _ideals(pieces, len(levels) + 1, cumulative, most, first, last, len(heaviest))
    query = np.arange(last - first)
    return Block(
        count=count,
        base_dcg=dcg + levels[0] * heaviest[-1],
        base_ideal=ideal[count, query, 0] + ideal[0, :, -1],
        heaviest=heaviest,
        lightest=lightest,
        steps=np.diff(levels),
        ideal=ideal[:, :, 1:-1],
    )


def _weights(blanks: Blanks, first: int, last: int) -> tuple[Floats, Floats]:
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
    pieces: Pieces,
    steps: int,
    cumulative: Floats,
    most: Ints,
    first: int,
    last: int,
    rows: int,
) -> Floats:
    """Part of the ideal on each step of the scale with m blanks above it, (rows, n, steps)."""
    part = slice(*np.searchsorted(pieces.query, (first, last)))
    judged, length, upto = pieces.judged[part], pieces.length[part], most[pieces.query[part]]
    cell = (pieces.query[part] - first) * steps + pieces.step[part]
    table = np.empty((rows, last - first, steps))
    for m in range(rows):
        area = length * cumulative[np.minimum(judged + m, upto)]
        table[m] = np.bincount(cell, area, (last - first) * steps).reshape(-1, steps)
    return table
