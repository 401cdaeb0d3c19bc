"""The bars of one query's chart, and what is said about each, from its rows and their numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.detail import QueryNumbers, QueryRows
from ndcg_desktop.evaluation.evaluation import Evaluation


@dataclass(frozen=True, slots=True)
class Bars:
    """One query's bars by position 1..n. All arrays have shape (n,).

    ``ranking`` and ``ideal`` are discounted gains: of the document at this position, 0 where there
    is none or it is not judged, and of the ideal ordering. ``unjudged`` says that a document
    stands there and is not judged. ``row`` is the row of the ranking table, -1 where the ranking
    has no document. Without a ranking (``has_ranking``) the ideal is drawn alone.
    """

    ranking: NDArray[np.float64]
    ideal: NDArray[np.float64]
    unjudged: NDArray[np.bool_]
    row: NDArray[np.int64]
    title: str
    measure: str
    ranking_name: str | None = "this ranking"
    has_ranking: bool = True
    refused: bool = False
    """Whether the gain of some document cannot be computed, and so has no bar."""

    def __len__(self) -> int:
        return len(self.ranking)

    @property
    def highest(self) -> float:
        """The highest bar."""
        return float(max(self.ranking.max(initial=0), self.ideal.max(initial=0)))

    @property
    def message(self) -> str:
        """What to say where there is no bar to be seen, else nothing."""
        if not len(self):
            return "Nothing to draw"
        if self.highest > 0:
            return ""
        if self.refused:
            return "Some gains cannot be computed"
        judged = (self.row >= 0) & ~self.unjudged
        return "Every gain is 0" if judged.any() or not self.unjudged.any() else "No grades yet"


NO_ROW = -1
"""Row of a position at which the ranking has no document."""


def query_bars(
    evaluation: Evaluation, rows: QueryRows, numbers: QueryNumbers, decimals: int
) -> Bars:
    """The discounted gains of a query by position, the ranking's beside the ideal's.

    There are as many positions as add to one of the two sums: a cutoff beyond both lists shows
    no empty places.
    """
    row = row_at(evaluation, rows, numbers)
    size = len(row)
    placed = np.flatnonzero(row != NO_ROW)
    ranking = np.zeros(size)
    ranking[placed] = _known(numbers.discounted[row[placed]])
    ideal = np.zeros(size)
    known = numbers.ideal_discounted[:size]
    ideal[: len(known)] = _known(known)
    unjudged = np.zeros(size, dtype=bool)
    unjudged[placed] = np.isnan(numbers.grade[row[placed]]) & ~rows.repeated[row[placed]]
    name = None if rows.ranking is None else evaluation.rankings[rows.ranking].name
    return Bars(
        ranking=ranking,
        ideal=ideal,
        unjudged=unjudged,
        row=row,
        title=evaluation.titles.get(rows.query) or evaluation.queries[rows.query],
        measure=measure_line(evaluation, rows, decimals),
        ranking_name=name,
        has_ranking=rows.ranking is not None,
        refused=bool(numbers.refused.any() or math.isnan(numbers.ideal_dcg)),
    )


def row_at(evaluation: Evaluation, rows: QueryRows, numbers: QueryNumbers) -> NDArray[np.int64]:
    """The row that is scored at each position, NO_ROW where none is; shape (positions,).

    A row counts where its discount is above 0. That is up to the cutoff, except under averaged
    ties: documents that are tied across the cutoff share their weight, and all of them count.
    """
    placed = np.flatnonzero(~np.isnan(numbers.position))
    counting = placed[numbers.discount[placed] > 0]
    position = numbers.position[placed].astype(np.int64)
    returned = int(numbers.position[counting].max(initial=0))
    size = max(returned, numbers.ideal_places)
    row = np.full(size, NO_ROW, dtype=np.int64)
    here = position <= size
    row[position[here] - 1] = placed[here]
    return row


def measure_line(evaluation: Evaluation, rows: QueryRows, decimals: int) -> str:
    """A query's score named in full: "nDCG@4 0.710 · linear gain, ideal from all judged".

    A query without a score has a dash, and the reason at the end.
    """
    value, why = None, "no ranking"
    if rows.ranking is not None:
        scores = evaluation.scores(rows.ranking)
        counted = wording.counted(evaluation, rows.ranking)
        value = float(scores.value[rows.query]) if counted[rows.query] else None
        why = wording.outcome(evaluation, rows.ranking, rows.query)
        if why and value is not None:
            why += f", counts as {value:g}"
    head = f"{evaluation.options.measure} {wording.decimal(value, decimals)}"
    return " · ".join(filter(None, (head, wording.named_in_full(evaluation), why)))


def hover_text(
    evaluation: Evaluation,
    rows: QueryRows,
    numbers: QueryNumbers,
    position: int,
    decimals: int,
) -> str:
    """What stands at a position of the chart, from 1: the document with every factor of its bar,
    and the grade that the ideal has there.
    """
    at = row_at(evaluation, rows, numbers)
    row = int(at[position - 1]) if position <= len(at) else NO_ROW
    lines = [f"position {position}"]
    if row != NO_ROW:
        lines.append(_document_line(rows, numbers, row, decimals))
    elif rows.ranking is not None:
        lines.append("no document returned")
    if position <= numbers.ideal_places:
        lines.append(_ideal_line(numbers, position, decimals))
    return "\n".join(lines)


def _document_line(rows: QueryRows, numbers: QueryNumbers, row: int, decimals: int) -> str:
    document = rows.documents[row]
    if rows.repeated[row]:
        return f"{document}: returned before, gains nothing here"
    if np.isnan(numbers.grade[row]):
        return f"{document}: not judged"
    gain, weight, product = (
        wording.decimal(float(values[row]), decimals)
        for values in (numbers.gain, numbers.discount, numbers.discounted)
    )
    grade = wording.grade_text(float(numbers.grade[row]))
    if numbers.refused[row]:
        return f"{document}: grade {grade}, its gain cannot be computed"
    return f"{document}: grade {grade}, gain {gain} × discount {weight} = {product}"


def _ideal_line(numbers: QueryNumbers, position: int, decimals: int) -> str:
    grade = wording.grade_text(float(numbers.ideal_grade[position - 1]))
    gain = wording.decimal(float(numbers.ideal_discounted[position - 1]), decimals)
    return f"ideal: grade {grade}, discounted gain {gain}"


def _known(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """No bar where nothing is known, or where a gain is beyond any axis."""
    return np.where(np.isfinite(values), values, 0.0)
