"""One query in two rankings: the discounted gains of each position, before their one ideal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

from ndcg_desktop.charts.bar_artists import ideal_sample
from ndcg_desktop.charts.comparison_chart import Box, ComparisonChart, Floats, Item, Pair
from ndcg_desktop.charts.comparison_sheet import (
    RIGHT_OF_PLOT,
    Area,
    Axes,
    Sheet,
    area_below,
    left_of_plot,
    value_ticks,
)
from ndcg_desktop.charts.layout import (
    POINT,
    Slots,
    axis_top,
    position_ticks,
    rectangles,
    staircase,
)
from ndcg_desktop.charts.ranking_chart import DIGIT, GAIN_LABEL, POSITION_LABEL
from ndcg_desktop.charts.ranking_styles import RankingStyle
from ndcg_desktop.charts.theme import Theme

IDEAL_HATCH = "////"

IDEAL_PART, SIDE_PART = 0.88, 0.36
"""Width of the ideal's bar and of a ranking's bar before it, in positions."""

WIDEST = 120.0
"""Pixels of the ideal's widest bar."""

ROOMY = 12.0
"""Pixels per position from which on there is room for bars; with less there are points."""

QUESTION = 5.5
"""Points of the sign of an unjudged document."""


@dataclass(frozen=True, eq=False)
class PairedBars(ComparisonChart):
    """Discounted gains by position 1..n of A, of B, and of the ideal that both share, shape (n,).

    All are finite. A position without a judged document has 0; ``baseline_unjudged`` and
    ``candidate_unjudged``, of the same shape, say where a document stands that is not judged.
    ``baseline_words`` and ``candidate_words`` say what stands at each position. An item is a
    position, from 1.
    """

    baseline: Floats
    candidate: Floats
    ideal: Floats
    baseline_unjudged: NDArray[np.bool_]
    candidate_unjudged: NDArray[np.bool_]
    pair: Pair
    baseline_words: Sequence[str] = ()
    candidate_words: Sequence[str] = ()
    title: str = ""
    measure: str = ""

    @cached_property
    def items(self) -> Sequence[Item]:
        """The positions."""
        return range(1, len(self.ideal) + 1)

    @property
    def highest(self) -> float:
        """The highest bar."""
        return float(max(each.max(initial=0) for each in self._three))

    @property
    def message(self) -> str:
        """What is said in the place of a plot."""
        if not len(self.ideal):
            return "Neither ranking returns a document for this query."
        return "" if self.highest > 0 else "Every gain is 0, or nothing is judged."

    def describe(self) -> str:
        """Say in words what each position gains in both rankings and in the ideal."""
        parts = self._opening()
        if self.message:
            return "\n".join([*parts, self.message])
        parts.append(f"{GAIN_LABEL.capitalize()} by position. {self.pair.sides}")
        for position in self.items:
            assert isinstance(position, int)
            parts.append(f"Position {position}: {self._numbers(position)}.")
        return "\n".join(parts)

    def nearest(self, x: float, y: float) -> Item | None:
        """The position at x."""
        position = round(x)
        return position if 1 <= position <= len(self.ideal) else None

    def tip(self, item: Item) -> str:
        """What stands at a position in both rankings, and what the ideal gains there."""
        assert isinstance(item, int)
        lines = [f"position {item}: {self._numbers(item)}"]
        both = (self.baseline_words, self.candidate_words)
        for side, words in zip(self._sides(), both, strict=True):
            if item <= len(words) and words[item - 1]:
                lines.append(f"{side}: {words[item - 1]}")
        return "\n".join(lines)

    def box(self, item: Item) -> Box:
        """The whole height at a position."""
        assert isinstance(item, int)
        return item - 0.5, -math.inf, item + 0.5, math.inf

    def step(self, item: Item | None, across: int, up: int) -> Item | None:
        """The next position; up and down say nothing here."""
        return super().step(item, across, 0)

    @property
    def _three(self) -> tuple[Floats, Floats, Floats]:
        return self.baseline, self.candidate, self.ideal

    def _sides(self) -> tuple[str, str]:
        """What the two rankings are called beside their figures."""
        return "A", "B"

    def _numbers(self, position: int) -> str:
        at = position - 1
        texts = [
            "not judged" if unjudged[at] else self.pair.decimal(float(gains[at]))
            for gains, unjudged in (
                (self.baseline, self.baseline_unjudged),
                (self.candidate, self.candidate_unjudged),
            )
        ]
        ideal = self.pair.decimal(float(self.ideal[at]))
        first, second = self._sides()
        return f"{first} {texts[0]}, {second} {texts[1]}, ideal {ideal}"

    def plot(self, sheet: Sheet) -> None:
        """Draw the ideal, both rankings before it, and the legend."""
        unjudged = bool(self.baseline_unjudged.any() or self.candidate_unjudged.any())
        room = Slots(len(self.ideal), self._area(sheet).width, sheet.resolution, True)
        roomy = room.pixels >= ROOMY
        sheet.legend(self._samples(sheet.theme, roomy, unjudged and roomy))
        area = self._area(sheet)
        axes = sheet.axes(area)
        top = axis_top(self.highest)
        axes.set_xlim(room.limits)
        axes.set_ylim(0, top)
        axes.set_yticks(*value_ticks(0, top, area.height))
        ticks = position_ticks(room, DIGIT)
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        sheet.grid(axes, "y")
        axes.axhline(0, color=sheet.theme.text, linewidth=1.0, clip_on=False)
        if roomy:
            self._bars(axes, sheet, room.pixels, top / area.height)
        else:
            self._points(axes, sheet)
        sheet.name_below(POSITION_LABEL, area.left + area.width / 2, area.width)
        sheet.name_left(GAIN_LABEL, area)

    def _area(self, sheet: Sheet) -> Area:
        """The plot: half of the last position's number may reach beyond it."""
        right = max(RIGHT_OF_PLOT, len(str(len(self.ideal))) * DIGIT / 2 + 2)
        return area_below(sheet, left_of_plot(), right=right)

    def _bars(self, axes: Axes, sheet: Sheet, pixels: float, pixel: float) -> None:
        theme, pair = sheet.theme, self.pair
        scale = min(1.0, WIDEST / (IDEAL_PART * pixels))
        for patch in ideal_bars(bar_shapes(self.ideal, 0, IDEAL_PART * scale), theme):
            axes.add_artist(patch)
        for offset, gains, unjudged, style, label in (
            (-0.2, self.baseline, self.baseline_unjudged, pair.baseline_style, "A"),
            (0.2, self.candidate, self.candidate_unjudged, pair.candidate_style, "B"),
        ):
            corners = bar_shapes(gains, offset * scale, SIDE_PART * scale)
            if corners is not None:
                for patch in filled_bars(style, theme):
                    patch.set(path=corners, label=label, zorder=3)
                    axes.add_artist(patch)
            at = np.flatnonzero(unjudged)
            high = np.full(len(at), 8 * pixel)
            line = question_marks(theme)
            line.set(data=(at + 1 + offset * scale, high), path_effects=sheet.halo)
            axes.add_line(line)

    def _points(self, axes: Axes, sheet: Sheet) -> None:
        """A point where the top of each bar would be, where bars would be too narrow."""
        theme = sheet.theme
        for patch in ideal_bars(Path(staircase(self.ideal), closed=False), theme):
            patch.set_linewidth(0)
            axes.add_artist(patch)
        for gains, points, label in (
            (self.baseline, _points(self.pair.baseline_style, theme, "v"), "A"),
            (self.candidate, _points(self.pair.candidate_style, theme, "^"), "B"),
        ):
            index = np.flatnonzero(gains > 0)
            points.set(data=(index + 1, gains[index]), label=label, zorder=3, clip_on=False)
            axes.add_line(points)

    def _samples(self, theme: Theme, roomy: bool, unjudged: bool) -> list[tuple[str, Any]]:
        pair = self.pair
        sides: list[Any] = [
            tuple(filled_bars(pair.baseline_style, theme, Patch)),
            tuple(filled_bars(pair.candidate_style, theme, Patch)),
        ]
        if not roomy:
            sides = [
                _points(pair.baseline_style, theme, "v"),
                _points(pair.candidate_style, theme, "^"),
            ]
        samples = [
            (f"A: {pair.baseline}", sides[0]),
            (f"B: {pair.candidate}", sides[1]),
            ("ideal", ideal_sample(theme)),
        ]
        return [*samples, ("not judged", question_marks(theme))] if unjudged else samples


def bar_shapes(gains: Floats, offset: float, width: float) -> Path | None:
    """Bars of the gains above 0, so wide and so far beside their positions, as one path."""
    index = np.flatnonzero(gains > 0)
    if not len(index):
        return None
    left = index.astype(np.float64) + 1 + offset - width / 2
    return Path.make_compound_path_from_polys(rectangles(left, left + width, gains[index]))


def ideal_bars(path: Path | None, theme: Theme) -> list[Any]:
    """The ideal, behind all else."""
    if path is None:
        return []
    return [
        PathPatch(
            path,
            facecolor=theme.ideal_fill,
            edgecolor=theme.ideal,
            hatch=IDEAL_HATCH,
            linewidth=1.2,
            label="ideal",
            zorder=2,
        )
    ]


def filled_bars(style: RankingStyle, theme: Theme, kind: Any = None) -> list[Any]:
    """A ranking's bars: filled and hatched, then outlined, which parts them from the ideal."""
    colour = style.colour(theme)
    make = kind or (lambda **look: PathPatch(Path(np.zeros((0, 2))), **look))
    fill = make(facecolor=colour, edgecolor=theme.background, hatch=style.hatch, linewidth=0)
    return [fill, make(facecolor="none", edgecolor=colour, linewidth=1.2)]


def _points(style: RankingStyle, theme: Theme, marker: str) -> Line2D:
    """A ranking's points."""
    colour = style.colour(theme)
    return Line2D([], [], linestyle="none", marker=marker, color=colour, markersize=4)


def question_marks(theme: Theme) -> Line2D:
    """The sign of documents that are not judged."""
    return Line2D(
        [],
        [],
        color=theme.unjudged,
        linestyle="none",
        marker="$?$",
        markersize=QUESTION * POINT,
        clip_on=False,
        zorder=4,
    )
