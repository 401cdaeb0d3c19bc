"""One query laid out row by row: what stands in the ranking table and in the chart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.scoring.discount import discount, ideal_discount
from ndcg_desktop.scoring.ndcg import condensed, ideal_reach, weights
from ndcg_desktop.scoring.options import Options
from ndcg_desktop.scoring.order import worst_places
from ndcg_desktop.scoring.rounding import floored_terms


@dataclass(frozen=True, slots=True)
class QueryRows:
    """The rows of one query: the returned documents, best first, then those judged but not
    returned. Grading a row changes its numbers, never its place.

    ``file_row`` is the row of the ranking's table, -1 for a document that was not returned;
    ``pair`` that of the judgments, NO_PAIR where they do not list the document. Shape (R,).
    """

    query: int
    ranking: int | None
    documents: list[str]
    file_row: NDArray[np.int64]
    pair: NDArray[np.int64]
    repeated: NDArray[np.bool_]
    returned: int

    def __len__(self) -> int:
        return len(self.documents)


@dataclass(frozen=True, slots=True)
class QueryNumbers:
    """The numbers beside the rows, NaN where a row has none; all float64 of shape (R,), none inf.

    A judged row without a gain is one whose gain cannot be computed (``refused``): what depends
    on it, as the sums from there on, is NaN too.

    ``position`` is the place the row is scored at: its rank, or its rank among the judged when
    unjudged documents are removed; among ties that the grades order, the place that comes of them.
    ``discounted`` is gain × discount, cut off after 2 decimals where the options say so, as are
    all sums of it. ``lost`` is the ideal discounted gain of a document that was
    not returned. ``ideal_grade`` and ``ideal_discounted`` go by position, not by document, and
    have shape (max(R, ideal length),); ``ideal_places`` is how many of the places count.
    """

    position: NDArray[np.float64]
    grade: NDArray[np.float64]
    gain: NDArray[np.float64]
    discount: NDArray[np.float64]
    discounted: NDArray[np.float64]
    running: NDArray[np.float64]
    lost: NDArray[np.float64]
    ideal_grade: NDArray[np.float64]
    ideal_discounted: NDArray[np.float64]
    ideal_places: int

    @property
    def refused(self) -> NDArray[np.bool_]:
        """Whether a row has a grade whose gain cannot be computed, shape (R,)."""
        return ~np.isnan(self.grade) & np.isnan(self.gain)

    @property
    def ideal_length(self) -> int:
        """Number of documents of the ideal ordering."""
        return int(np.count_nonzero(~np.isnan(self.ideal_grade)))

    @property
    def ideal_dcg(self) -> float:
        """The sum of the ideal ordering, NaN where it cannot be computed."""
        with np.errstate(over="ignore"):
            total = float(self.ideal_discounted[: self.ideal_length].sum())
        return total if np.isfinite(total) else np.nan


def query_rows(evaluation: Evaluation, query: int, ranking: int | None = 0) -> QueryRows:
    """Lay out a query. Without a ranking every judged or listed document is a row of its own."""
    judgments = evaluation.judgments
    pairs = judgments.of_query(query)
    if ranking is None or not evaluation.rankings:
        documents = judgments.documents.take(pairs).texts()
        nothing = np.full(len(pairs), -1)
        return QueryRows(query, None, documents, nothing, pairs, np.zeros(len(pairs), bool), 0)
    table = evaluation.rankings[ranking]
    arrangement = table.arrange(evaluation.options.order)
    rows = arrangement.rows(query)
    returned = table.pair[rows].astype(np.int64)
    unreturned = np.setdiff1d(pairs, returned)
    value = np.nan_to_num(evaluation.gains, nan=0.0, posinf=np.inf)[judgments.code[unreturned]]
    unreturned = unreturned[np.argsort(-value, kind="stable")]
    documents = table.columns.document.take(rows).texts()
    documents += judgments.documents.take(unreturned).texts()
    return QueryRows(
        query,
        ranking,
        documents,
        np.concatenate((rows, np.full(len(unreturned), -1))),
        np.concatenate((returned, unreturned)),
        np.concatenate((arrangement.repeated[rows], np.zeros(len(unreturned), bool))),
        len(rows),
    )


def query_numbers(evaluation: Evaluation, rows: QueryRows) -> QueryNumbers:
    """The numbers of a query's rows as its grades now are."""
    code = row_codes(evaluation, rows)
    grade = np.array(evaluation.judgments.values)[code]
    gain = np.where(code == UNJUDGED, np.nan, _computed(evaluation.gains[code]))
    gain[rows.repeated] = 0.0  # its grade is shown, and counts at its best place only
    position = _positions(evaluation, rows, code)
    weight = _weights(evaluation, rows, code, position)
    discounted = discounted_gains(evaluation.options, gain, weight)
    # A blank adds nothing; what a refused gain would add is unknown, as far as it counts.
    terms = np.where((code == UNJUDGED) | ~(weight > 0), 0.0, discounted)
    with np.errstate(over="ignore"):
        running = _computed(np.where(np.isnan(weight), np.nan, _running(terms, position)))
    running[rows.returned :] = np.nan
    ideal_grade, ideal_discounted = _ideal(evaluation, rows, code)
    lost = _lost(evaluation, rows, code)
    places = int(np.count_nonzero(ideal_discounts_of(evaluation, rows, len(ideal_grade)) > 0))
    return QueryNumbers(
        position,
        grade,
        gain,
        weight,
        discounted,
        running,
        lost,
        ideal_grade,
        ideal_discounted,
        min(places, int(np.count_nonzero(~np.isnan(ideal_grade)))),
    )


def _running(terms: NDArray[np.float64], position: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of the terms down to each row's position; rows without one come last."""
    order = np.argsort(position, kind="stable")
    running = np.empty(len(terms))
    running[order] = np.cumsum(terms[order])
    return running


def discounted_gains(
    options: Options, gain: NDArray[np.float64], discounts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Gain × discount as it is summed."""
    if options.rounding == "floored-terms":
        return floored_terms(gain, discounts)
    return gain * discounts


def ideal_discounts(
    options: Options, ranks: int, returned: int | None = None
) -> NDArray[np.float64]:
    """Discounts of the ranks 1..ranks of the ideal ordering, 0 where it is cut; ``returned`` is how
    many documents a ranking has, None where there is no ranking.
    """
    discounts = ideal_discount(ranks, options)
    reach = ideal_reach(np.array([ranks if returned is None else returned]), options)
    if reach is not None:
        discounts[reach[0] :] = 0.0
    return discounts


def ideal_discounts_of(evaluation: Evaluation, rows: QueryRows, ranks: int) -> NDArray[np.float64]:
    """The same of a query's rows."""
    returned = None if rows.ranking is None else rows.returned
    return ideal_discounts(evaluation.options, ranks, returned)


def _computed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values, NaN where one is too large for a 64-bit float."""
    return np.where(np.isfinite(values), values, np.nan)


def row_codes(evaluation: Evaluation, rows: QueryRows) -> NDArray[np.int32]:
    """The code of the grade that each row has now, shape (R,)."""
    code = np.full(len(rows), UNJUDGED, dtype=np.int32)
    listed = rows.pair != NO_PAIR
    code[listed] = evaluation.judgments.code[rows.pair[listed]]
    return code


def _positions(
    evaluation: Evaluation, rows: QueryRows, code: NDArray[np.int32]
) -> NDArray[np.float64]:
    position = np.full(len(rows), np.nan)
    here = slice(0, rows.returned)
    judged = (code[here] != UNJUDGED) & ~rows.repeated[here]
    place = _places(evaluation, rows, np.where(judged, evaluation.gains[code[here]], -1.0))
    if evaluation.options.unjudged == "remove":
        order = np.argsort(place)
        counted = np.cumsum(judged[order])
        place[order] = counted - 1
        position[here] = np.where(judged, place + 1, np.nan)
    else:
        position[here] = place + 1
    return position


def _places(
    evaluation: Evaluation, rows: QueryRows, gain: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Place of each returned row, from 0; ``gain`` is -1 where it gains nothing for certain."""
    if rows.ranking is None or evaluation.options.order != "ties-worst":
        return np.arange(rows.returned)
    arrangement = evaluation.rankings[rows.ranking].arrange(evaluation.options.order)
    if arrangement.ties is None:
        return np.arange(rows.returned)
    start = int(arrangement.start[rows.query])
    last = arrangement.ties[1][start : start + rows.returned] - start
    return worst_places(np.zeros_like(last), last, np.nan_to_num(gain, nan=0.0))


def _weights(
    evaluation: Evaluation,
    rows: QueryRows,
    code: NDArray[np.int32],
    position: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Discount of each row: its place's, or the mean of the tied places'."""
    options = evaluation.options
    discounts = discount(rows.returned, options)
    weight = np.full(len(rows), np.nan)
    placed = np.flatnonzero(~np.isnan(position))
    weight[placed] = discounts[position[placed].astype(int) - 1]
    if rows.ranking is not None and options.order == "ties-averaged":
        hits = evaluation.rankings[rows.ranking].hits_of_query(options.order, rows.query)
        judged = np.flatnonzero(
            (code[: rows.returned] != UNJUDGED) & ~rows.repeated[: rows.returned]
        )
        weight[judged] = weights(
            condensed(hits) if options.unjudged == "remove" else hits, discounts
        )
    return weight


def _ideal(
    evaluation: Evaluation, rows: QueryRows, code: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Grade and discounted gain of the ideal ordering, by position."""
    groups = evaluation.ideal_of_query(rows.query, rows.ranking)
    # A gain too large to be computed stands first, one that nobody knows last.
    gain = np.nan_to_num(evaluation.gains, nan=-1.0, posinf=np.inf)
    best = np.argsort(-gain[groups.code], kind="stable")
    codes = np.repeat(groups.code[best], groups.count[best])
    size = max(len(rows), len(codes))
    grade = np.full(size, np.nan)
    discounted = np.full(size, np.nan)
    grade[: len(codes)] = np.array(evaluation.judgments.values)[codes]
    discounts = ideal_discounts_of(evaluation, rows, len(codes))
    discounted[: len(codes)] = discounted_gains(
        evaluation.options, _computed(evaluation.gains)[codes], discounts
    )
    return grade, discounted


def _lost(evaluation: Evaluation, rows: QueryRows, code: NDArray[np.int32]) -> NDArray[np.float64]:
    """What each document that was not returned would have given in the ideal ordering.

    Among documents of one gain those returned come first, as the ranking has them.
    """
    lost = np.full(len(rows), np.nan)
    if rows.ranking is None or evaluation.options.ideal != "judged":
        return lost  # an ideal of other documents loses nothing by this one
    gain = np.nan_to_num(evaluation.gains[code], nan=-1.0, posinf=np.inf)
    gain[rows.repeated] = -1.0  # the document is counted at its first appearance
    best = np.argsort(-gain, kind="stable")
    terms = np.empty(len(rows))
    discounts = ideal_discounts_of(evaluation, rows, len(rows))
    terms[best] = discounted_gains(
        evaluation.options, _computed(evaluation.gains[code])[best], discounts
    )
    missed = rows.returned + np.flatnonzero(code[rows.returned :] != UNJUDGED)
    lost[missed] = terms[missed]
    return lost
