"""Every ranking under every measure, with its interval; which is best, where that is no chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.measures import (
    MEASURES,
    Measure,
    MeasureSettings,
    mean_of,
    measure_name,
    residuals,
    settled,
    values,
)
from ndcg_desktop.evaluation.sureness import LEVEL, SEED
from ndcg_desktop.scoring.ndcg import ROUNDING
from ndcg_desktop.scoring.statistics import (
    Interval,
    bootstrap_interval,
    holm,
    randomisation_test,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean of one ranking under one measure, None where there is none. ``best`` says that it is
    higher than that of every other ranking by more than chance; ``residual`` is what RBP may gain.
    """

    mean: float | None
    n: int
    interval: Interval | None
    best: bool = False
    residual: float | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """A row for each ranking and a column for each measure."""

    rankings: tuple[str, ...]
    measures: tuple[str, ...]
    """Named in full."""
    figures: tuple[tuple[Figure, ...], ...]
    """By ranking, then by measure."""
    level: float = LEVEL
    seed: int = SEED


def summarise(
    evaluation: Evaluation, cancelled: Callable[[], bool] = lambda: False
) -> Summary | None:
    """All measures of all rankings; None when it was given up."""
    chosen = MeasureSettings(relevant=evaluation.lineup.relevant)
    settings = settled(evaluation, chosen)
    numbers = range(len(evaluation.rankings))
    columns = []
    for measure in MEASURES.values():
        if cancelled():
            return None
        columns.append(_column(evaluation, measure, settings))
    return Summary(
        tuple(ranking.name for ranking in evaluation.rankings),
        tuple(measure_name(each, evaluation.options, settings) for each in MEASURES.values()),
        tuple(tuple(column[number] for column in columns) for number in numbers),
    )


def _column(evaluation: Evaluation, measure: Measure, settings: MeasureSettings) -> list[Figure]:
    """One measure of every ranking."""
    numbers = range(len(evaluation.rankings))
    figures = [values(evaluation, each, measure, settings) for each in numbers]
    there = [wording.counted(evaluation, n) & ~np.isnan(figures[n]) for n in numbers]
    best = _best(figures, there)
    out = []
    for number in numbers:
        mean = mean_of(evaluation, number, figures[number])
        residual = None
        if measure.key == "RBP" and mean.n:
            residual = float(residuals(evaluation, number, settings)[there[number]].mean())
        interval = bootstrap_interval(figures[number][there[number]], SEED)
        out.append(Figure(mean.value, mean.n, interval, number == best, residual))
    return out


def _best(figures: list[Floats], there: list[NDArray[np.bool_]]) -> int | None:
    """The ranking that is better than every other by more than chance, over the queries that count
    in all of them: paired randomisation tests of the best with each other one, corrected by Holm's
    method. None where there is none.
    """
    common = np.all(there, axis=0) if there else np.zeros(0, dtype=bool)
    if len(figures) < 2 or not common.any():
        return None
    means = [float(each[common].mean()) for each in figures]
    best = int(np.argmax(means))
    p_values = []
    for number, each in enumerate(figures):
        if number == best:
            continue
        differences = figures[best][common] - each[common]
        differences[np.abs(differences) <= ROUNDING] = 0.0
        test = randomisation_test(differences, SEED)
        assert test is not None
        p_values.append(test.p)
    return best if holm(np.array(p_values)).max() < LEVEL else None
