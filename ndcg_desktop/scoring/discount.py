"""Discount of a rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.scoring.options import Options


def discount(ranks: int, options: Options) -> NDArray[np.float64]:
    """Discounts of the ranks 1..ranks, shape (ranks,), cut (0) beyond the cutoff k.

    log2: 1/log2(i+1), Burges et al. (2005). base: Järvelin & Kekäläinen (2002), 1/log_b(i) from
    rank b on and 1 before it. reciprocal: 1/i.
    """
    rank = np.arange(1, ranks + 1, dtype=np.float64)
    if options.discount == "reciprocal":
        discounts = 1.0 / rank
    elif options.discount == "base":
        logarithm = np.log(rank) / np.log(options.discount_base)
        discounts = 1.0 / np.where(rank < options.discount_base, 1.0, logarithm)
    else:
        discounts = 1.0 / np.log2(rank + 1.0)
    if options.cutoff is not None:
        discounts[options.cutoff :] = 0.0
    return discounts


def ideal_discount(ranks: int, options: Options) -> NDArray[np.float64]:
    """Discounts of the ranks 1..ranks of the ideal ordering, which is perhaps not cut at k."""
    if options.ideal_cut == "none":
        options = replace(options, cutoff=None)
    return discount(ranks, options)


def cumulative(discounts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of the first i discounts at index i, shape (ranks + 1,)."""
    return np.concatenate(([0.0], np.cumsum(discounts)))
