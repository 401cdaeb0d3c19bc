"""Gain of a grade.

Järvelin & Kekäläinen (2002), ACM TOIS 20(4), use the grade itself (linear); Burges et al. (2005)
use 2^grade - 1 (exponential).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ndcg_desktop.scoring.options import Options


def gain(grades: ArrayLike, options: Options) -> NDArray[np.float64]:
    """Gain of each grade, same shape; a grade below 0 gains 0, and so does NaN (unjudged).

    The gain is inf where 2^grade - 1 is beyond a 64-bit float, and NaN where the gain table has
    no entry for the grade: a query that holds such a grade is refused, not guessed.
    """
    grade = np.asarray(grades, dtype=np.float64)
    unjudged = np.isnan(grade)
    if options.gain == "table":
        gains = _from_table(grade, options.gain_table)
    else:
        gains = np.maximum(grade, 0.0)
        if options.gain == "exponential":
            with np.errstate(over="ignore"):
                gains = np.exp2(gains) - 1.0
    return np.where(unjudged, 0.0, gains)


def _from_table(
    grade: NDArray[np.float64], pairs: tuple[tuple[float, float], ...]
) -> NDArray[np.float64]:
    table = np.array(sorted(pairs))
    place = np.minimum(np.searchsorted(table[:, 0], grade), len(table) - 1)
    known = table[place, 0] == grade
    return np.where(grade < 0, 0.0, np.where(known, table[place, 1], np.nan))
