"""One query before and after a change of its order: the bars before stay as ghosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path

from ndcg_desktop.charts.bar_artists import ideal_sample
from ndcg_desktop.charts.comparison_sheet import Axes, Sheet
from ndcg_desktop.charts.paired_bars import (
    IDEAL_PART,
    SIDE_PART,
    WIDEST,
    PairedBars,
    bar_shapes,
    filled_bars,
    ideal_bars,
    question_marks,
)
from ndcg_desktop.charts.theme import Theme

DASHES = (0, (3, 2))


@dataclass(frozen=True, eq=False)
class GhostBars(PairedBars):
    """Discounted gains by position, the baseline's being those before."""

    @property
    def message(self) -> str:
        """What is said in the place of a plot."""
        return super().message if len(self.ideal) else "No document is returned for this query."

    def _sides(self) -> tuple[str, str]:
        return "before", "now"

    def describe(self) -> str:
        """Say in words what each position gained before, gains now, and gains in the ideal."""
        parts = self._opening()
        if self.message:
            return "\n".join([*parts, self.message])
        for position in self.items:
            assert isinstance(position, int)
            parts.append(f"Position {position}: {self._numbers(position)}.")
        return "\n".join(parts)

    def _bars(self, axes: Axes, sheet: Sheet, pixels: float, pixel: float) -> None:
        theme = sheet.theme
        scale = min(1.0, WIDEST / (IDEAL_PART * pixels))
        for patch in ideal_bars(bar_shapes(self.ideal, 0, IDEAL_PART * scale), theme):
            axes.add_artist(patch)
        before = bar_shapes(self.baseline, -0.2 * scale, SIDE_PART * scale)
        if before is not None:
            axes.add_artist(_ghost(theme, before))
        now = bar_shapes(self.candidate, 0.2 * scale, SIDE_PART * scale)
        if now is not None:
            for patch in filled_bars(self.pair.candidate_style, theme):
                patch.set(path=now, label="now", zorder=4)
                axes.add_artist(patch)
        at = np.flatnonzero(self.candidate_unjudged)
        line = question_marks(theme)
        line.set(data=(at + 1 + 0.2 * scale, np.full(len(at), 8 * pixel)), path_effects=sheet.halo)
        axes.add_line(line)

    def _samples(self, theme: Theme, roomy: bool, unjudged: bool) -> list[tuple[str, Any]]:
        samples = super()._samples(theme, roomy, unjudged)
        names = ("before", "now", "ideal")
        if roomy:
            now = tuple(filled_bars(self.pair.candidate_style, theme, Patch))
            samples[:3] = zip(names, (_ghost(theme), now, ideal_sample(theme)), strict=True)
        else:
            samples[:3] = zip(names, (sample for _, sample in samples[:3]), strict=True)
        return samples


def _ghost(theme: Theme, path: Path | None = None) -> Any:
    """Bars, or a sample of them, that are no longer there."""
    look: dict[str, Any] = {
        "facecolor": theme.background,
        "edgecolor": theme.text,
        "linestyle": DASHES,
        "linewidth": 1.2,
        "alpha": 0.75,
    }
    if path is None:
        return Patch(**look)
    return PathPatch(path, label="before", zorder=3, **look)
