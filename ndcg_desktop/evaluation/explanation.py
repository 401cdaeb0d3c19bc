"""The score of one query as a sum, step by step: what stands on a blackboard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.detail import QueryNumbers, QueryRows, query_numbers, query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ideal_places import NO_DOCUMENT, IdealPlaces, ideal_places
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.scoring.ndcg import Status, condensed
from ndcg_desktop.scoring.options import Options

State = Literal["counted", "unjudged", "beyond", "repeated", "removed", "refused"]
"""What comes of a document: it counts; is not judged, and adds nothing; stands beyond the cutoff;
was returned before; is removed as not judged; or has a gain that cannot be computed.
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One document's part of a sum.

    ``rank`` is its place in the list, ``position`` the one it is scored at (None where it has
    none), ``places`` the first and last place whose discounts it has the mean of: the same twice,
    except under averaged ties. Figures are None where there are none; ``running`` is the sum so
    far.
    """

    rank: int
    document: str
    """Empty in an ideal of grades alone."""
    grade: float | None
    gain: float | None
    position: int | None
    places: tuple[int, int] | None
    discount: float | None
    discounted: float | None
    running: float | None
    state: State

    @property
    def counts(self) -> bool:
        """Whether the step is a term of the sum, be it 0."""
        return self.state in ("counted", "refused")


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a query comes to its score: the ranking's sum, the ideal's sum, and their ratio.

    ``value`` is None where the query has no figure. Where it is not ``scored`` the ``sentence``
    says why, and the value, if any, is what such a query counts as. ``dcg`` and ``ideal_dcg`` are
    None where they cannot be computed. ``ranking`` is the ranking's name, None without one.
    """

    query: str
    ranking: str | None
    measure: str
    """As "nDCG@10"."""
    named: str
    """Everything else that the score is named by."""
    options: Options
    steps: tuple[Step, ...]
    ideal: tuple[Step, ...]
    dcg: float | None
    ideal_dcg: float | None
    value: float | None
    scored: bool
    sentence: str

    @property
    def last(self) -> int:
        """Number of the last step of the ranking that has a discount above 0."""
        return max((step.rank for step in self.steps if step.discount), default=0)

    @property
    def missed(self) -> list[Step]:
        """The steps of the ideal whose documents the ranking does not return."""
        returned = {step.document for step in self.steps}
        return [step for step in self.ideal if step.document and step.document not in returned]


def explain(evaluation: Evaluation, query: int, ranking: int | None) -> Explanation:
    """Write the score of one query out; without a ranking the ideal's sum alone."""
    rows = query_rows(evaluation, query, ranking)
    numbers = query_numbers(evaluation, rows)
    title = evaluation.titles.get(query) or evaluation.queries[query]
    ideal = _ideal_steps(evaluation, rows)
    there = rows.ranking is not None
    dcg, ideal_dcg, value, scored = _result(evaluation, query, rows.ranking, numbers)
    return Explanation(
        query=title,
        ranking=evaluation.rankings[rows.ranking].name if rows.ranking is not None else None,
        measure=evaluation.options.measure,
        named=wording.named_in_full(evaluation),
        options=evaluation.options,
        steps=_steps(evaluation, rows, numbers) if there else (),
        ideal=ideal,
        dcg=dcg,
        ideal_dcg=ideal_dcg,
        value=value,
        scored=scored,
        sentence=_sentence(evaluation, query, rows.ranking),
    )


def _result(
    evaluation: Evaluation, query: int, ranking: int | None, numbers: QueryNumbers
) -> tuple[float | None, float | None, float | None, bool]:
    """DCG, ideal DCG and value, as they are scored, and whether the value is their ratio."""
    if ranking is None:
        return None, _known(numbers.ideal_dcg), None, False
    scores = evaluation.scores(ranking)
    status = scores.status[query]
    counted = bool(wording.counted(evaluation, ranking)[query])
    value = float(scores.value[query]) if counted else None
    if status == Status.REFUSED:
        return None, None, value, False
    dcg, ideal = float(scores.dcg[query]), float(scores.ideal_dcg[query])
    return dcg, ideal, value, counted and status == Status.SCORED


def _sentence(evaluation: Evaluation, query: int, ranking: int | None) -> str:
    if ranking is None:
        return "There is no ranking to be scored: this is the ideal alone."
    return wording.outcome_sentence(evaluation, ranking, query)


def _steps(evaluation: Evaluation, rows: QueryRows, numbers: QueryNumbers) -> tuple[Step, ...]:
    places = _places(evaluation, rows, numbers)
    states = _states(rows, numbers, evaluation.options)
    return tuple(
        Step(
            rank=row + 1,
            document=rows.documents[row],
            grade=_known(numbers.grade[row]),
            gain=_known(numbers.gain[row]),
            position=None if places[row] is None else int(numbers.position[row]),
            places=places[row],
            discount=_known(numbers.discount[row]),
            discounted=_known(numbers.discounted[row]),
            running=_known(numbers.running[row]),
            state=states[row],
        )
        for row in range(rows.returned)
    )


def _places(
    evaluation: Evaluation, rows: QueryRows, numbers: QueryNumbers
) -> list[tuple[int, int] | None]:
    """The first and last place that each returned row has the mean discount of."""
    here = numbers.position[: rows.returned]
    places = [None if np.isnan(each) else (int(each), int(each)) for each in here]
    assert rows.ranking is not None
    options = evaluation.options
    hits = evaluation.rankings[rows.ranking].hits_of_query(options.order, rows.query)
    if options.unjudged == "remove":
        hits = condensed(hits)
    if hits.last is not None:
        judged = ~np.isnan(numbers.grade[: rows.returned]) & ~rows.repeated[: rows.returned]
        ends = zip(np.flatnonzero(judged).tolist(), hits.first, hits.last, strict=True)
        for row, first, last in ends:
            places[row] = int(first) + 1, int(last)
    return places


def _states(rows: QueryRows, numbers: QueryNumbers, options: Options) -> list[State]:
    blank = np.isnan(numbers.grade)
    conditions: list[tuple[NDArray[np.bool_], State]] = [
        (rows.repeated, "repeated"),
        (blank & (options.unjudged == "remove"), "removed"),
        (~(numbers.discount > 0), "beyond"),
        (blank, "unjudged"),
        (numbers.refused, "refused"),
    ]
    return [
        next((state for mask, state in conditions if mask[row]), "counted")
        for row in range(rows.returned)
    ]


def _ideal_steps(evaluation: Evaluation, rows: QueryRows) -> tuple[Step, ...]:
    ideal = ideal_places(evaluation, rows)
    grades = np.array(evaluation.judgments.values)[ideal.code]
    with np.errstate(over="ignore"):
        running = np.cumsum(np.where(ideal.discount > 0, ideal.discounted, 0.0))
    return tuple(
        Step(
            rank=place + 1,
            document=_document(evaluation, rows, ideal, place),
            grade=_known(grades[place]),
            gain=_known(ideal.gain[place]),
            position=place + 1,
            places=(place + 1, place + 1),
            discount=float(ideal.discount[place]),
            discounted=_known(ideal.discounted[place]),
            running=_known(running[place]),
            state=_ideal_state(ideal, place),
        )
        for place in range(len(ideal.row))
    )


def _document(evaluation: Evaluation, rows: QueryRows, ideal: IdealPlaces, place: int) -> str:
    """The document at a place of the ideal; a column of ideal grades names none."""
    row = int(ideal.row[place])
    return "" if evaluation.uses_given_ideal or row == NO_DOCUMENT else rows.documents[row]


def _ideal_state(ideal: IdealPlaces, place: int) -> State:
    if not ideal.discount[place] > 0:
        return "beyond"
    assert ideal.code[place] != UNJUDGED
    return "refused" if np.isnan(ideal.gain[place]) else "counted"


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
