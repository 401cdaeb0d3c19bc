"""Whether which of two rankings is better depends on the settings: gain, cutoff, convention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


SHORT = {"linear": "lin.", "exponential": "exp.", "table": "table"}
"""Gains where there is little room."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the strip: a gain under the chosen options or under conventions; of several that
    give the same differences at every cutoff, ``options`` are the first's.
    """

    names: tuple[str, ...]
    options: Options

    @property
    def label(self) -> str:
        """The gain, and whose rules these are."""
        return f"{SHORT[self.options.gain]} {', '.join(self.names)}"


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
        """Under how many settings the candidate is better, the baseline is, and neither; a row
        counts as often as it has names.
        """
        weight = np.array([len(setting.names) for setting in self.settings])[:, None]
        known = ~np.isnan(self.difference)
        better, worse = (
            int((weight * (known & sign)).sum())
            for sign in (self.difference > ROUNDING, self.difference < -ROUNDING)
        )
        return better, worse, int((weight * known).sum()) - better - worse


def settings_of(options: Options) -> tuple[Setting, ...]:
    """Each gain under these options, and under each convention that offers it."""
    gains = GAINS if options.gain != "table" else ("table", *GAINS)
    rows = [Setting((OWN,), replace(options, gain=gain)) for gain in gains]
    for name, known in CONVENTIONS.items():
        for gain in GAINS:
            applied = known.apply(replace(options, gain=gain))
            if applied.gain == gain:  # some tools have one gain only
                rows.append(Setting((name,), applied))
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
    for row, setting in enumerate(settings):
        for column, cutoff in enumerate(CUTOFFS):
            if cancelled():
                return None
            still.options = replace(setting.options, cutoff=cutoff)
            mean = compare(still, baseline, candidate).mean
            found[row, column] = np.nan if mean is None else mean
    still.options = chosen
    rows = _alike(settings, found)
    together = tuple(
        Setting(tuple(settings[row].names[0] for row in alike), settings[alike[0]].options)
        for alike in rows
    )
    difference = found[[alike[0] for alike in rows]]
    own = next(row for row, setting in enumerate(together) if chosen.gain == setting.options.gain)
    current = (own, CUTOFFS.index(chosen.cutoff)) if chosen.cutoff in CUTOFFS else None
    return Sensitivity(together, CUTOFFS, difference, current)


def _alike(settings: Sequence[Setting], found: NDArray[np.float64]) -> list[list[int]]:
    """The rows of one gain with the same differences, together."""
    groups: dict[tuple[str, bytes], list[int]] = {}
    for row, setting in enumerate(settings):
        key = setting.options.gain, (np.round(found[row], 12) + 0.0).tobytes()
        groups.setdefault(key, []).append(row)
    return list(groups.values())
