"""How sure a difference between two rankings is: its interval, tests, size, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.comparison import Comparison
from ndcg_desktop.evaluation.lineup import MATTERS, TIE
from ndcg_desktop.scoring.statistics import (
    Interval,
    Randomisation,
    Record,
    TTest,
    Wilcoxon,
    bootstrap_interval,
    effect_size,
    holm,
    leave_one_out,
    queries_needed,
    randomisation_test,
    t_test,
    wilcoxon,
    wins_ties_losses,
)

SEED = 2002
"""Of every resampling, so that the same files give the same figures; it is shown with them."""
LEVEL = 0.05
"""A p below this is called more than chance."""


@dataclass(frozen=True, slots=True)
class SurenessOptions:
    """What a person may choose: the largest difference of a query that is a tie, the mean
    difference that matters, and the seed of the resampling.
    """

    tie: float = TIE
    matters: float = MATTERS
    seed: int = SEED


@dataclass(frozen=True, slots=True)
class Sureness:
    """The statistics of one comparison. ``adjusted_p`` is that of the randomisation test after
    Holm's correction for the ``comparisons`` made with one baseline. ``without`` is the mean
    difference without each compared query, shape (n,); None where there is one alone.
    """

    options: SurenessOptions
    n: int
    mean: float
    interval: Interval | None
    randomisation: Randomisation
    t: TTest | None
    wilcoxon: Wilcoxon | None
    effect: float | None
    record: Record
    needed: int | None
    without: NDArray[np.float64] | None
    comparisons: int = 1
    adjusted_p: float = 1.0

    @property
    def p(self) -> float:
        """What is told first: the p of the randomisation test, corrected for several."""
        return self.adjusted_p

    @property
    def more_than_chance(self) -> bool:
        """Whether so large a difference would be rare if the rankings were equally good."""
        return self.p < LEVEL


def sureness(comparison: Comparison, options: SurenessOptions) -> Sureness | None:
    """The statistics of one comparison; None where no query is compared."""
    values = comparison.differences
    if not len(values):
        return None
    randomisation = randomisation_test(values, options.seed)
    assert randomisation is not None
    return Sureness(
        options=options,
        n=len(values),
        mean=float(values.mean()),
        interval=bootstrap_interval(values, options.seed),
        randomisation=randomisation,
        t=t_test(values),
        wilcoxon=wilcoxon(values),
        effect=effect_size(values),
        record=wins_ties_losses(values, options.tie),
        needed=queries_needed(values, options.matters),
        without=leave_one_out(values),
        adjusted_p=randomisation.p,
    )


def all_sureness(
    comparisons: Sequence[Comparison], options: SurenessOptions
) -> list[Sureness | None]:
    """The statistics of several comparisons, corrected for how many are made (Holm 1979)."""
    found = [sureness(each, options) for each in comparisons]
    known = [each for each in found if each is not None]
    if len(known) < 2:
        return found
    adjusted = iter(holm(np.array([each.randomisation.p for each in known])).tolist())
    return [
        None
        if each is None
        else replace(each, comparisons=len(known), adjusted_p=float(next(adjusted)))
        for each in found
    ]


@dataclass(frozen=True, slots=True)
class Influence:
    """A query whose absence would move the mean difference most."""

    query: int
    without: float
    """The mean difference without it."""
    flips: bool
    """Whether the other ranking would then be the better one."""


def most_influential(comparison: Comparison, sure: Sureness, count: int = 5) -> list[Influence]:
    """The queries that the mean difference depends on most, the first moves it most."""
    if sure.without is None:
        return []
    queries = np.flatnonzero(comparison.compared)
    moved = np.abs(sure.without - sure.mean)
    order = np.argsort(-moved, kind="stable")[:count]
    return [
        Influence(
            int(queries[place]),
            float(sure.without[place]),
            bool(sure.without[place] * sure.mean < 0),
        )
        for place in order.tolist()
        if moved[place] > 0
    ]
