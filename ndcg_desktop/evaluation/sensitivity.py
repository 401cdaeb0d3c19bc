"""Whether which of two rankings is better depends on the settings: gain, cutoff, convention."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.comparison import compare
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.scoring.conventions import CONVENTIONS
from ndcg_desktop.scoring.ndcg import ROUNDING
from ndcg_desktop.scoring.options import GainKind, Options

CUTOFFS: tuple[int | None, ...] = (*range(1, 21), None)
OWN = "as set"
"""The options that are chosen now, other than gain and cutoff."""
GAINS: tuple[GainKind, ...] = ("linear", "exponential")


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the strip: a gain under the chosen options or under a convention."""

    label: str
    options: Options


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The mean difference, candidate less baseline, under many settings.

    ``difference`` has shape (rows, cutoffs), NaN where no query counts in both. ``current`` is the
    place of the options that are chosen now, None where they are not among the settings.
    """

    settings: tuple[Setting, ...]
    cutoffs: tuple[int | None, ...]
    difference: NDArray[np.float64]
    current: tuple[int, int] | None

    @property
    def agreeing(self) -> tuple[int, int, int]:
        """Under how many settings the candidate is better, the baseline is, and neither."""
        known = self.difference[~np.isnan(self.difference)]
        better = int(np.count_nonzero(known > ROUNDING))
        worse = int(np.count_nonzero(known < -ROUNDING))
        return better, worse, len(known) - better - worse


def settings_of(options: Options) -> tuple[Setting, ...]:
    """The rows: each gain under these options, and under each convention that offers it."""
    gains = GAINS if options.gain != "table" else ("table", *GAINS)
    rows = [Setting(f"{OWN}, {gain}", replace(options, gain=gain)) for gain in gains]
    for name, known in CONVENTIONS.items():
        for gain in GAINS:
            applied = known.apply(replace(options, gain=gain))
            if applied.gain == gain:  # some tools have one gain only
                rows.append(Setting(f"{name}, {gain}", applied))
    return tuple(rows)


def sensitivity(
    still: Evaluation, baseline: int, candidate: int, cancelled: Callable[[], bool] = lambda: False
) -> Sensitivity | None:
    """Compare two rankings under every setting; None when it was given up.

    ``still`` is an evaluation of its own (`Evaluation.frozen`), whose options are changed here.
    """
    chosen = still.options
    settings = settings_of(chosen)
    found = np.full((len(settings), len(CUTOFFS)), np.nan)
    current = None
    for row, setting in enumerate(settings):
        for column, cutoff in enumerate(CUTOFFS):
            if cancelled():
                return None
            still.options = replace(setting.options, cutoff=cutoff)
            mean = compare(still, baseline, candidate).mean
            found[row, column] = np.nan if mean is None else mean
            if still.options == chosen and current is None:
                current = row, column
    still.options = chosen
    return Sensitivity(settings, CUTOFFS, found, current)
