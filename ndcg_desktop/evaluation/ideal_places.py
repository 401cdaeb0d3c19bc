"""Which document stands at which place of the ideal ordering, where documents gain the same."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.detail import (
    QueryRows,
    discounted_gains,
    ideal_discounts_of,
    row_codes,
)
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.judgments import UNJUDGED

NO_DOCUMENT = -1
"""Row of a place of the ideal at which there is a grade and no document with it."""


@dataclass(frozen=True, slots=True)
class IdealPlaces:
    """The ideal ordering of a query from place 1 on, shape (M,), nothing cut off.

    ``row`` is that of the query's rows, NO_DOCUMENT where a column of ideal grades has more
    documents of a grade than were judged so. ``gain`` and ``discounted`` are NaN where a gain
    cannot be computed; ``discount`` is 0 where the ideal is cut.
    """

    row: NDArray[np.int64]
    code: NDArray[np.int32]
    gain: NDArray[np.float64]
    discount: NDArray[np.float64]
    discounted: NDArray[np.float64]


def ideal_places(evaluation: Evaluation, rows: QueryRows) -> IdealPlaces:
    """Order what the ideal is built from by gain, best first.

    Among equal gains the returned documents come first, as the ranking has them, then the missed
    ones as they are listed: a document keeps its place where that costs nothing.
    """
    code = row_codes(evaluation, rows)
    row = np.flatnonzero((code != UNJUDGED) & ~rows.repeated)
    if evaluation.options.ideal == "returned" and rows.ranking is not None:
        row = row[row < rows.returned]
    codes = code[row]
    if evaluation.uses_given_ideal:
        groups = evaluation.ideal_of_query(rows.query, rows.ranking)
        codes = np.repeat(groups.code, groups.count).astype(np.int32)
        row = _matched(codes, code, row)
    gains = evaluation.gains
    # A gain too large to be computed stands first, one that nobody knows last.
    known = np.nan_to_num(gains, nan=-1.0, posinf=np.inf)[codes]
    best = np.lexsort((np.where(row == NO_DOCUMENT, len(rows), row), -known))
    gain = np.where(np.isfinite(gains), gains, np.nan)[codes[best]]
    discounts = ideal_discounts_of(evaluation, rows, len(best))
    discounted = discounted_gains(evaluation.options, gain, discounts)
    return IdealPlaces(row[best], codes[best], gain, discounts, discounted)


def _matched(
    wanted: NDArray[np.int32], code: NDArray[np.int32], judged: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each grade of an ideal that was given a judged row of that grade, as far as they go."""
    left: dict[int, deque[int]] = {}
    for row in judged.tolist():
        left.setdefault(int(code[row]), deque()).append(row)
    found = [rows.popleft() if (rows := left.get(each)) else NO_DOCUMENT for each in wanted]
    return np.array(found, dtype=np.int64)
