"""How alike two rankings of one query are, whatever their documents are worth.

``a`` and ``b`` are the numbers of the documents, int, best first, none twice; they may be of any
length, also empty. A figure that does not exist is None.
"""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.integer]


def overlap(a: Ints, b: Ints, k: int | None) -> float | None:
    """Share of the top k that both have: |A and B| / k.

    Where neither ranking is k long, and where k is None, the longer one's length stands for k, so
    that a ranking is always wholly like itself. None where both are empty.
    """
    top_a, top_b = a[:k], b[:k]
    longest = max(len(top_a), len(top_b))
    return len(_shared(top_a, top_b)[0]) / longest if longest else None


def jaccard(a: Ints, b: Ints, k: int | None) -> float | None:
    """Share that both have of the documents in the top k of either: |A and B| / |A or B|.

    All documents where k is None. None where both rankings are empty.
    """
    top_a, top_b = a[:k], b[:k]
    both = len(_shared(top_a, top_b)[0])
    either = len(top_a) + len(top_b) - both
    return both / either if either else None


def rbo(a: Ints, b: Ints, p: float = 0.9) -> float | None:
    """Rank-biased overlap, extrapolated beyond the ends of two rankings of any lengths.

    RBO_ext, equation 32 of Webber, Moffat & Zobel (2010), ACM Transactions on Information Systems
    28(4): the mean share of documents in common over all depths d, weighted by p^(d - 1). Raises
    ValueError unless 0 < p < 1. None where both rankings are empty, 0 where one is.
    """
    if not 0 < p < 1:
        raise ValueError("The p of rank-biased overlap is between 0 and 1.")
    short, long = sorted((len(a), len(b)))
    if short == 0:
        return 0.0 if long else None
    # A document is common to both from the depth on that is its lower rank.
    entered = np.maximum(*_shared(a, b))
    common = np.cumsum(np.bincount(entered, minlength=long))
    at_short, at_long = int(common[short - 1]), int(common[-1])
    depth = np.arange(1, long + 1)
    # The shorter ranking is taken to go on as it was; what it lacks adds to the overlap.
    lacking = at_short / short * np.maximum(depth - short, 0)
    seen = (1 - p) / p * float(((common + lacking) / depth) @ p**depth)
    return seen + ((at_long - at_short) / long + at_short / short) * p**long


def kendall_tau(a: Ints, b: Ints) -> float | None:
    """Kendall's tau over the documents that both rankings have; without ties a, b and c are one.

    Kendall (1938), Biometrika 30: the share of pairs in the same order less that of the others.
    None where fewer than two documents are in both.
    """
    place_a, place_b = _shared(a, b)
    n = len(place_a)
    if n < 2:
        return None
    swapped = 0
    below: list[int] = []
    for place in reversed(place_b[np.argsort(place_a)].tolist()):
        swapped += bisect_left(below, place)
        insort(below, place)
    return 1 - 4 * swapped / (n * (n - 1))


def _shared(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Places in a and in b, from 0, of the documents that both have; in no order."""
    _, place_a, place_b = np.intersect1d(a, b, assume_unique=True, return_indices=True)
    return place_a, place_b
