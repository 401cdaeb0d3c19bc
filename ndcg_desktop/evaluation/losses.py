"""Where the points of a query went: 1 − nDCG, place by place and document by document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.detail import QueryNumbers, QueryRows, query_numbers, query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ideal_places import NO_DOCUMENT, IdealPlaces, ideal_places
from ndcg_desktop.scoring.ndcg import Status

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PlaceLoss:
    """What is lost at a place, from 1: the ideal's part of the score there less the ranking's.

    ``document`` stands there, "" where none does; its ``grade`` is None where it has none.
    """

    position: int
    document: str
    grade: float | None
    ideal_grade: float | None
    ideal: float
    given: float

    @property
    def loss(self) -> float:
        """Below 0 where the ranking has more than the ideal."""
        return self.ideal - self.given


@dataclass(frozen=True, slots=True)
class DocumentLoss:
    """What is lost by a judged document: its part of the score in the ideal less that in the
    ranking.

    ``rank`` is its place in the list, None where it was not returned; ``place`` that in the ideal,
    None where it has none. A grade of a given ideal that nobody was given has no ``document``.
    """

    document: str
    grade: float
    rank: int | None
    place: int | None
    ideal: float
    given: float

    @property
    def loss(self) -> float:
        """Below 0 where the document stands higher than in the ideal."""
        return self.ideal - self.given


@dataclass(frozen=True, slots=True)
class Losses:
    """1 − ``value`` in two ways: each is the sum of its parts, and of what rounding adds."""

    value: float
    by_position: tuple[PlaceLoss, ...]
    by_document: tuple[DocumentLoss, ...]
    """The largest loss first."""

    @property
    def rounding(self) -> float:
        """What is lost by rounding the score itself, where the options round it: beside the parts
        of either way.
        """
        return 1 - self.value - sum(part.loss for part in self.by_position)


def losses(evaluation: Evaluation, query: int, ranking: int) -> Losses | None:
    """Part the loss of one query, in units of its ideal DCG; None where it is not scored."""
    scores = evaluation.scores(ranking)
    if scores.status[query] != Status.SCORED or evaluation.disjoint(ranking):
        return None
    rows = query_rows(evaluation, query, ranking)
    ideal = ideal_places(evaluation, rows)
    whole = float(ideal.discounted.sum())
    numbers = query_numbers(evaluation, rows)
    given = np.nan_to_num(numbers.discounted) / whole  # the missed have no discount
    return Losses(
        float(scores.value[query]),
        _by_position(rows, numbers, ideal, evaluation.judgments.values, given, whole),
        _by_document(rows, ideal, numbers.grade, evaluation.judgments.values, given, whole),
    )


def _by_position(
    rows: QueryRows,
    numbers: QueryNumbers,
    ideal: IdealPlaces,
    values: list[float],
    given: Floats,
    whole: float,
) -> tuple[PlaceLoss, ...]:
    placed = np.flatnonzero(~np.isnan(numbers.position) & (numbers.discount > 0))
    at = {int(numbers.position[row]): int(row) for row in placed}
    counting = int(np.count_nonzero(ideal.discount > 0))
    parts = []
    for position in range(1, max(max(at, default=0), counting) + 1):
        row = at.get(position)
        there = position <= counting
        parts.append(
            PlaceLoss(
                position=position,
                document="" if row is None else rows.documents[row],
                grade=None if row is None else _known(numbers.grade[row]),
                ideal_grade=values[ideal.code[position - 1]] if there else None,
                ideal=float(ideal.discounted[position - 1]) / whole if there else 0.0,
                given=0.0 if row is None else float(given[row]),
            )
        )
    return tuple(parts)


def _by_document(
    rows: QueryRows,
    ideal: IdealPlaces,
    grade: Floats,
    values: list[float],
    given: Floats,
    whole: float,
) -> tuple[DocumentLoss, ...]:
    part = ideal.discounted / whole
    place = {int(row): at for at, row in enumerate(ideal.row) if row != NO_DOCUMENT}
    judged = np.flatnonzero(~np.isnan(grade) & ~rows.repeated).tolist()
    parts = [
        DocumentLoss(
            document=rows.documents[row],
            grade=float(grade[row]),
            rank=row + 1 if row < rows.returned else None,
            place=place[row] + 1 if row in place else None,
            ideal=float(part[place[row]]) if row in place else 0.0,
            given=float(given[row]),
        )
        for row in judged
    ]
    parts += [
        DocumentLoss("", values[ideal.code[at]], None, at + 1, float(part[at]), 0.0)
        for at in np.flatnonzero(ideal.row == NO_DOCUMENT).tolist()
    ]
    return tuple(sorted(parts, key=lambda each: -each.loss))


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
