"""Rounding inside a score, as some tools do it: of queries, of the mean, or of every term."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.scoring.options import Options

NUDGE = 1 + 1e-12
"""Against a product such as 2.3 × 100, which is a little less than 230."""


def floored(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of 0 or more, cut off after 2 decimals; inf stays."""
    out: NDArray[np.float64] = np.floor(values * (100.0 * NUDGE)) / 100.0
    return np.where(np.isfinite(out), out, values)


def floored_terms(gain: NDArray[np.float64], discount: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gain × discount, cut off after 2 decimals where there is a discount.

    The Rated Ranking Evaluator divides from rank 2 on, and a division is what it cuts off.
    """
    terms = gain * discount
    return np.where(discount < 1.0, floored(terms), terms)


def rounded(values: NDArray[np.float64], options: Options) -> NDArray[np.float64]:
    """What queries come to, rounded as the options say; half goes up, as in Java."""
    if options.rounding == "floored-terms":
        return floored(values)
    if options.rounding == "2-decimals":
        return np.floor(values * (100.0 * NUDGE) + 0.5) / 100.0
    return np.round(values, 5) if options.rounding == "5-decimals" else values


def mean_decimals(options: Options) -> int | None:
    """Decimals of the mean, None where it is not rounded.

    gdeval and BEIR round what they print and take the mean of what is not rounded.
    """
    return 5 if options.rounding == "5-decimals" else None
