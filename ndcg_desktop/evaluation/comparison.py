"""Two rankings compared query by query: the differences, and whether the comparison is fair.

A query is compared where it counts in both rankings, so that both means are over the same queries;
a difference is the candidate's score less that of the baseline.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.lineup import TIE
from ndcg_desktop.evaluation.open_grades import Difference, difference
from ndcg_desktop.scoring.ndcg import ROUNDING

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FEW_JUDGED = 0.5
"""Part of the top k that should be judged for a query to be compared with confidence."""

Outcome = Literal["won", "lost", "tied", "undefined"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A candidate beside a baseline, all of shape (Q,). ``difference`` is meant where ``compared``;
    elsewhere it is NaN.
    """

    baseline: int
    candidate: int
    baseline_name: str
    candidate_name: str
    compared: Bools
    baseline_score: Floats
    candidate_score: Floats
    difference: Floats

    @property
    def n(self) -> int:
        """Number of queries that count in both."""
        return int(np.count_nonzero(self.compared))

    @property
    def differences(self) -> Floats:
        """The differences of the queries that count in both, shape (n,)."""
        return self.difference[self.compared]

    @property
    def mean(self) -> float | None:
        """The mean difference, None where no query counts in both."""
        return float(self.differences.mean()) if self.n else None

    @property
    def means(self) -> tuple[float, float] | None:
        """The means of the baseline and the candidate over the queries that count in both."""
        if not self.n:
            return None
        both = self.compared
        return float(self.baseline_score[both].mean()), float(self.candidate_score[both].mean())

    def outcomes(self, threshold: float = TIE) -> NDArray[np.int8]:
        """What came of each query: 1 won, -1 lost, 0 tied by up to ``threshold``; 0 too where it is
        not compared.
        """
        # A difference of 1e-16 is none: sums of the same terms in another order differ by that.
        far = np.abs(np.nan_to_num(self.difference)) > threshold + ROUNDING
        signs: NDArray[np.int8] = np.where(far, np.sign(np.nan_to_num(self.difference)), 0).astype(
            np.int8
        )
        return signs


def compare(evaluation: Evaluation, baseline: int, candidate: int) -> Comparison:
    """Compare two rankings, by number, under the options of the evaluation."""
    first, second = evaluation.scores(baseline), evaluation.scores(candidate)
    both = wording.counted(evaluation, baseline) & wording.counted(evaluation, candidate)
    values = [np.where(both, each.value, np.nan) for each in (first, second)]
    difference = values[1] - values[0]
    difference[np.abs(difference) <= ROUNDING] = 0.0
    return Comparison(
        baseline,
        candidate,
        evaluation.rankings[baseline].name,
        evaluation.rankings[candidate].name,
        both,
        values[0],
        values[1],
        difference,
    )


def candidate_of(evaluation: Evaluation, ranking: int | None) -> int | None:
    """What is compared with the baseline while a ranking is shown: that one, or the first other
    where it is the baseline itself; None where there is none.
    """
    others = [each for each in range(len(evaluation.rankings)) if each != evaluation.baseline]
    return ranking if ranking in others else others[0] if others else None


# ---- whether it is fair


@dataclass(frozen=True, slots=True)
class Fairness:
    """What is judged of two rankings, and what the rest of it could do to their difference.

    ``judged`` is the mean part of each ranking's top k that is judged, over the compared queries;
    None without any. ``range`` is what the difference, candidate less baseline, may turn out to be.
    """

    judged: tuple[float, float] | None
    range: Difference

    @property
    def settled(self) -> bool:
        """Whether which is better no longer depends on what is unjudged."""
        return self.range.winner_settled is not None


def judged_part(evaluation: Evaluation, ranking: int) -> Floats:
    """The part of each query's top k that is judged, of the documents returned there; NaN where
    none is returned. Shape (Q,).
    """
    scores = evaluation.scores(ranking)
    part: Floats = np.full(len(scores.judged), np.nan)
    np.divide(scores.judged, scores.returned, out=part, where=scores.returned > 0)
    return part


def fairness(evaluation: Evaluation, comparison: Comparison) -> Fairness:
    """Whether enough is judged of both rankings. Takes the arithmetic of all queries."""
    judged = None
    if comparison.n:
        first, second = (
            np.nan_to_num(judged_part(evaluation, ranking)[comparison.compared]).mean()
            for ranking in (comparison.baseline, comparison.candidate)
        )
        judged = float(first), float(second)
    found = difference(evaluation, comparison.candidate, comparison.baseline)
    return Fairness(judged, found)


def few_judged(evaluation: Evaluation, rankings: tuple[int, int]) -> Bools:
    """The queries of which less than half of the top k of either ranking is judged, shape (Q,)."""
    parts = np.array([np.nan_to_num(judged_part(evaluation, each)) for each in rankings])
    few: Bools = parts.min(axis=0) < FEW_JUDGED
    return few


# ---- groups of queries


@dataclass(frozen=True, slots=True)
class Subtotal:
    """One group of queries: how many of them are compared, and the means over these."""

    group: str
    n: int
    baseline: float
    candidate: float

    @property
    def difference(self) -> float:
        """The candidate's mean less the baseline's."""
        return self.candidate - self.baseline


def subtotals(comparison: Comparison, groups: list[str]) -> list[Subtotal]:
    """The groups that have compared queries, in order of appearance; ``groups`` is by query."""
    labels = np.array(groups, dtype=object)
    found = []
    for group in dict.fromkeys(groups):
        here = comparison.compared & (labels == group)
        if here.any():
            means = (
                float(values[here].mean())
                for values in (comparison.baseline_score, comparison.candidate_score)
            )
            found.append(Subtotal(group, int(here.sum()), *means))
    return found
