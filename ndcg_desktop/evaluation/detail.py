"""One query laid out row by row: what stands in the ranking table and in the chart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.scoring.discount import discount
from ndcg_desktop.scoring.ndcg import condensed, weights


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
    """The numbers beside the rows, NaN where a row has none; all float64 of shape (R,).

    ``position`` is the place the row is scored at: its rank, or its rank among the judged when
    unjudged documents are removed. ``lost`` is the ideal discounted gain of a document that was
    not returned. ``ideal_grade`` and ``ideal_discounted`` go by position, not by document, and
    have shape (max(R, ideal length),).
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
    code = _codes(evaluation, rows)
    grade = np.array(evaluation.judgments.values)[code]
    gain = np.where(code == UNJUDGED, np.nan, evaluation.gains[code])
    gain[rows.repeated] = 0.0  # its grade is shown, and counts at its best place only
    position = _positions(evaluation, rows, code)
    weight = _weights(evaluation, rows, code, position)
    with np.errstate(invalid="ignore"):  # a refused gain beyond the cutoff: inf × 0
        discounted = gain * weight
    running = np.where(np.isnan(weight), np.nan, np.cumsum(np.nan_to_num(discounted)))
    running[rows.returned :] = np.nan
    ideal_grade, ideal_discounted = _ideal(evaluation, rows, code)
    lost = _lost(evaluation, rows, code)
    return QueryNumbers(
        position, grade, gain, weight, discounted, running, lost, ideal_grade, ideal_discounted
    )


def _codes(evaluation: Evaluation, rows: QueryRows) -> NDArray[np.int32]:
    code = np.full(len(rows), UNJUDGED, dtype=np.int32)
    listed = rows.pair != NO_PAIR
    code[listed] = evaluation.judgments.code[rows.pair[listed]]
    return code


def _positions(
    evaluation: Evaluation, rows: QueryRows, code: NDArray[np.int32]
) -> NDArray[np.float64]:
    position = np.full(len(rows), np.nan)
    here = slice(0, rows.returned)
    if evaluation.options.unjudged == "remove":
        judged = (code[here] != UNJUDGED) & ~rows.repeated[here]
        position[here] = np.where(judged, np.cumsum(judged), np.nan)
    else:
        position[here] = np.arange(1, rows.returned + 1)
    return position


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
    gain = np.nan_to_num(evaluation.gains, nan=0.0, posinf=0.0)
    best = np.argsort(-gain[groups.code], kind="stable")
    codes = np.repeat(groups.code[best], groups.count[best])
    size = max(len(rows), len(codes))
    grade = np.full(size, np.nan)
    discounted = np.full(size, np.nan)
    grade[: len(codes)] = np.array(evaluation.judgments.values)[codes]
    terms = gain[codes] * discount(len(codes), evaluation.options)
    discounted[: len(codes)] = terms
    return grade, discounted


def _lost(evaluation: Evaluation, rows: QueryRows, code: NDArray[np.int32]) -> NDArray[np.float64]:
    """What each document that was not returned would have given in the ideal ordering.

    Among documents of one gain those returned come first, as the ranking has them.
    """
    lost = np.full(len(rows), np.nan)
    if rows.ranking is None or evaluation.options.ideal != "judged":
        return lost  # an ideal of other documents loses nothing by this one
    gain = np.nan_to_num(evaluation.gains[code], nan=0.0, posinf=0.0)
    gain[rows.repeated] = -1.0  # the document is counted at its first appearance
    best = np.argsort(-gain, kind="stable")
    terms = np.empty(len(rows))
    terms[best] = gain[best] * discount(len(rows), evaluation.options)
    missed = rows.returned + np.flatnonzero(code[rows.returned :] != UNJUDGED)
    lost[missed] = terms[missed]
    return lost
