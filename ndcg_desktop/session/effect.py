"""What a change does to the scores, and what it is called."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ndcg_desktop.evaluation.edits import Edit, Kind
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.remarks import MARKS
from ndcg_desktop.evaluation.wording import full_name, grade_text

SCORES_KEPT = 200
"""Changed queries of one step, beyond which their scores are not told one by one."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The score of one query in one ranking before and after, None where it has none."""

    query: int
    ranking: str
    measure: str
    before: float | None
    after: float | None


class Effect:
    """Takes down the scores of the queries that edits are about before they are made."""

    def __init__(self, evaluation: Evaluation, edits: Sequence[Edit]) -> None:
        self._evaluation = evaluation
        graded = (edit.pair for edit in edits if edit.kind not in ("note", "mark"))
        queries = {int(evaluation.judgments.query[pair]) for pair in graded}
        self._queries = sorted(queries) if len(queries) <= SCORES_KEPT else []
        self._before = self._scores()

    def _scores(self) -> list[list[float | None]]:
        return [
            [_value(self._evaluation, ranking, query) for query in self._queries]
            for ranking in range(len(self._evaluation.rankings))
        ]

    def after(self) -> list[Moved]:
        """The scores as they now are beside those before."""
        measure = full_name(self._evaluation)
        return [
            Moved(query, ranking.name, measure, before[place], after[place])
            for ranking, before, after in zip(
                self._evaluation.rankings, self._before, self._scores(), strict=True
            )
            for place, query in enumerate(self._queries)
        ]


def _value(evaluation: Evaluation, ranking: int, query: int) -> float | None:
    scores = evaluation.scores(ranking)
    return float(scores.value[query]) if scores.counted[query] else None


_NAMES: dict[Kind, tuple[str, str]] = {
    "grade": ("grade", "grades"),
    "vote": ("grade", "grades"),
    "verdict": ("verdict", "verdicts"),
    "note": ("note", "notes"),
    "mark": ("mark", "marks"),
}


def step_text(evaluation: Evaluation, edits: Sequence[Edit]) -> str:
    """What a step is called, such as "grade of 'B' 1 → 3"."""
    first = edits[0]
    one, several = _NAMES[first.kind]
    documents = len({edit.pair for edit in edits})
    if documents > 1:
        return f"{several} of {documents} documents"
    of = f"{one} of '{evaluation.judgments.documents[first.pair]}'"
    if first.kind == "note":
        return of
    return f"{of} {value_text(first.kind, first.old)} → {value_text(first.kind, first.new)}"


def value_text(kind: str, value: float | str | None) -> str:
    """A value in words, such as "not judged"."""
    if isinstance(value, str):
        return MARKS.get(value, value) if kind == "mark" else value
    if value is not None and not math.isnan(value):
        return grade_text(value)
    return {"note": "none", "mark": "none"}.get(kind, "not judged")
