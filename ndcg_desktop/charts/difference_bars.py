"""The difference of every query as a bar, from the largest gain to the largest loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

from ndcg_desktop.charts.comparison_chart import (
    LISTED,
    Box,
    ComparisonChart,
    Floats,
    Item,
    Pair,
    in_line,
)
from ndcg_desktop.charts.comparison_sheet import (
    BELOW_BARE,
    RIGHT_OF_PLOT,
    Area,
    Axes,
    Sheet,
    area_below,
    left_of_plot,
    value_ticks,
)
from ndcg_desktop.charts.layout import Slots, rectangles, staircase
from ndcg_desktop.charts.lettering import font
from ndcg_desktop.charts.ranking_chart import SMALL
from ndcg_desktop.charts.slot_labels import SlotLabels
from ndcg_desktop.evaluation.wording import queries_text

LOSS_HATCH = "////"

JOINED = 3.0
"""Pixels per query below which bars are drawn as one shape."""

MEAN_ROOM = 17.0
"""Pixels beyond the highest and the lowest bar: the label of the mean may stand there."""


@dataclass(frozen=True, eq=False)
class DifferenceBars(ComparisonChart):
    """The differences B − A per query, shape (Q,); NaN where a query is not compared.

    ``labels`` and ``queries`` are the queries' texts and numbers, in the same order. An item is
    the number of a query.
    """

    difference: Floats
    labels: Sequence[str]
    queries: NDArray[np.int64]
    pair: Pair
    title: str = ""
    measure: str = ""

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Index of each compared query, largest gain first, equal ones as they come."""
        known = np.flatnonzero(np.isfinite(self.difference))
        return known[np.argsort(-self.difference[known], kind="stable")]

    @cached_property
    def items(self) -> list[Item]:
        """Numbers of the queries, from left to right."""
        return [int(query) for query in self.queries[self.order]]

    @cached_property
    def _place(self) -> dict[Item, int]:
        return {query: place for place, query in enumerate(self.items)}

    @cached_property
    def bars(self) -> Floats:
        """The differences from left to right."""
        return self.difference[self.order]

    @property
    def message(self) -> str:
        """What is said in the place of a plot."""
        if not len(self.order):
            return "No query is scored in both rankings."
        if not self.bars.any():
            return f"Equal scores: {queries_text(len(self.bars))}."
        return ""

    @property
    def mean(self) -> float:
        """The mean difference of the compared queries."""
        return float(self.bars.mean())

    def describe(self) -> str:
        """Say in words who is better where, and by how much; of few queries each."""
        parts = self._opening()
        if self.message:
            return "\n".join([*parts, self.message])
        pair, count = self.pair, len(self.order)
        parts += [
            f"{pair.axis}, of {queries_text(count)}. {pair.sides}",
            f"{pair.counts(pair.sign(self.bars))} Mean difference {pair.signed(self.mean)}.",
        ]
        if count <= LISTED:
            parts += [self._line(place) for place in range(count)]
        else:
            parts += [f"First: {self._line(0)}", f"Last: {self._line(count - 1)}"]
        return "\n".join(parts)

    def nearest(self, x: float, y: float) -> Item | None:
        """The query whose bar stands at x."""
        place = round(x) - 1
        return self.items[place] if 0 <= place < len(self.items) else None

    def tip(self, item: Item) -> str:
        """The query, and who is better by how much."""
        place = self._place[item]
        value = float(self.bars[place])
        return (
            f"{self._label(place)}\n{self.pair.axis}: {self.pair.signed(value)}\n"
            f"{self.pair.outcome(value)}, {place + 1:,} of {len(self.items):,}"
        )

    def box(self, item: Item) -> Box:
        """The whole height above and below the query's place."""
        place = self._place[item] + 1
        return place - 0.5, -math.inf, place + 0.5, math.inf

    def step(self, item: Item | None, across: int, up: int) -> Item | None:
        """The next query: right and down are towards the losses."""
        if item not in self._place:
            return self.items[0] if self.items else None
        place = self._place[item] + (across or -up)
        return self.items[min(max(place, 0), len(self.items) - 1)]

    def plot(self, sheet: Sheet) -> None:
        """Draw bars, the line of the mean, and the legend."""
        self._legend(sheet)
        few = range(len(self.order) if len(self.order) <= LISTED else 0)
        labels = SlotLabels.fitted(sheet, [self._label(place) for place in few])
        area = area_below(sheet, left_of_plot(), BELOW_BARE + labels.height)
        axes = sheet.axes(area)
        low, high = self._limits(area)
        slots = Slots(len(self.bars), area.width, sheet.resolution, False)
        axes.set_xlim(slots.limits)
        axes.set_ylim(low, high)
        axes.set_yticks(*value_ticks(low, high, area.height, plus=True))
        sheet.grid(axes, "y")
        self._bars(axes, slots, sheet)
        axes.axhline(0, color=sheet.theme.text, linewidth=1.0)
        self._mean(axes, sheet)
        labels.write(sheet, area, slots)
        middle = area.left + area.width / 2
        sheet.name_below(self._below(), middle, 2 * (sheet.width - RIGHT_OF_PLOT - middle))
        sheet.name_left(self.pair.axis, area)

    def _limits(self, area: Area) -> tuple[float, float]:
        low, high = min(float(self.bars[-1]), 0.0), max(float(self.bars[0]), 0.0)
        pad = (high - low) * MEAN_ROOM / max(area.height - 2 * MEAN_ROOM, MEAN_ROOM)
        return low - pad, high + pad

    def _bars(self, axes: Axes, slots: Slots, sheet: Sheet) -> None:
        theme, pair = sheet.theme, self.pair
        better, worse = np.flatnonzero(self.bars > 0), np.flatnonzero(self.bars < 0)
        for label, index, style, hatch in (
            ("better", better, pair.candidate_style, ""),
            ("worse", worse, pair.baseline_style, LOSS_HATCH),
        ):
            if len(index):
                axes.add_artist(
                    PathPatch(
                        self._shape(index, slots),
                        facecolor=style.colour(theme),
                        edgecolor=theme.background,
                        hatch=hatch,
                        linewidth=0,
                        label=label,
                        zorder=2,
                    )
                )

    def _shape(self, index: NDArray[np.int64], slots: Slots) -> Path:
        """The bars of these places, which follow one another, as one path."""
        heights = self.bars[index]
        if slots.pixels >= JOINED:
            return Path.make_compound_path_from_polys(rectangles(*slots.ideal(index), heights))
        stairs = staircase(heights)
        stairs[:, 0] += index[0]
        return Path(stairs, closed=False)

    def _mean(self, axes: Axes, sheet: Sheet) -> None:
        """A line, named on the side where the bars point the other way."""
        mean, theme = self.mean, sheet.theme
        axes.axhline(mean, color=theme.text, linewidth=1.4, linestyle=(0, (5, 3)), zorder=4)
        above = mean >= 0
        axes.annotate(
            f"mean {self.pair.signed(mean)}",
            (1.0 if above else 0.0, mean),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3 if above else -3),
            textcoords="offset points",
            ha="right" if above else "left",
            va="bottom" if above else "top",
            color=theme.text,
            fontproperties=font(SMALL),
            zorder=5,
            # Not a halo, which would make outlines of the letters in a file.
            bbox={"facecolor": theme.background, "edgecolor": "none", "alpha": 0.85, "pad": 0.6},
        )

    def _legend(self, sheet: Sheet) -> None:
        pair, theme = self.pair, sheet.theme
        sign = pair.sign(self.bars)
        loss: Any = Patch(
            facecolor=pair.baseline_style.colour(theme),
            edgecolor=theme.background,
            hatch=LOSS_HATCH,
            linewidth=0,
        )
        gain: Any = Patch(facecolor=pair.candidate_style.colour(theme), linewidth=0)
        sheet.legend(
            [
                (f"B better ({np.count_nonzero(sign > 0):,}): {pair.candidate}", gain),
                (f"A better ({np.count_nonzero(sign < 0):,}): {pair.baseline}", loss),
            ]
        )

    def _below(self) -> str:
        tied = int(np.count_nonzero(self.pair.sign(self.bars) == 0))
        text = f"{queries_text(len(self.bars))} by difference"
        return f"{text}, {tied:,} tied" if tied else text

    def _label(self, place: int) -> str:
        return in_line(self.labels[self.order[place]])

    def _line(self, place: int) -> str:
        value = float(self.bars[place])
        outcome = self.pair.outcome(value)
        return f"{self._label(place)}: {self.pair.signed(value)}, {outcome}."
