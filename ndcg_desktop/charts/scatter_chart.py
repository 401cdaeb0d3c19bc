"""Every query as a point: the baseline's score across, the candidate's up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from ndcg_desktop.charts.comparison_chart import Box, ComparisonChart, Floats, Item, Pair, in_line
from ndcg_desktop.charts.comparison_sheet import (
    BELOW_PLOT,
    RIGHT_OF_PLOT,
    Area,
    Axes,
    Sheet,
    area_below,
    left_of_plot,
    value_ticks,
    width_of,
)
from ndcg_desktop.charts.layout import POINT
from ndcg_desktop.charts.lettering import elided, font, one_line
from ndcg_desktop.charts.ranking_chart import EDGE, LINE, SMALL
from ndcg_desktop.evaluation.wording import queries_text

MARGIN = 0.04
"""Part of the scale that the axes reach beyond it, so that no point is cut."""

REACH = 0.04
"""Part of the scale within which a point is meant."""

BESIDE = 130.0
"""Pixels beside the square from which on the legend stands there."""

BESIDE_GAP = 24.0

BESIDE_NAME = EDGE + LINE + 8
"""Where the name of the axis across may begin, to the right of that of the other."""

SIZES = ((200, 6.0), (1_000, 4.5), (10**9, 3.2))
"""Up to so many points, the size of a point."""


@dataclass(frozen=True, eq=False)
class ScatterChart(ComparisonChart):
    """Scores of the baseline and the candidate per query, shape (Q,); NaN where there is none.

    ``labels`` and ``queries`` are the queries' texts and numbers, in the same order. An item is
    the number of a query.
    """

    baseline: Floats
    candidate: Floats
    labels: Sequence[str]
    queries: NDArray[np.int64]
    pair: Pair
    title: str = ""
    measure: str = ""

    @cached_property
    def known(self) -> NDArray[np.int64]:
        """Index of each query that is scored in both, by the baseline's score and then the
        candidate's.
        """
        found = np.flatnonzero(np.isfinite(self.baseline) & np.isfinite(self.candidate))
        return found[np.lexsort((self.candidate[found], self.baseline[found]))]

    @cached_property
    def items(self) -> list[Item]:
        """Numbers of the queries, by the baseline's score."""
        return [int(query) for query in self.queries[self.known]]

    @cached_property
    def points(self) -> Floats:
        """The two scores of each item, shape (items, 2)."""
        return np.stack((self.baseline[self.known], self.candidate[self.known]), axis=1)

    @cached_property
    def sign(self) -> NDArray[np.int64]:
        """Which side is better on each item: 1 the candidate, -1 the baseline, 0 neither."""
        return self.pair.sign(self.points[:, 1] - self.points[:, 0])

    @cached_property
    def _place(self) -> dict[Item, int]:
        return {query: place for place, query in enumerate(self.items)}

    @cached_property
    def limits(self) -> tuple[float, float]:
        """Where the scale begins and ends: 0 and 1, or further where scores are."""
        low, high = float(self.points.min(initial=0)), float(self.points.max(initial=1))
        pad = (high - low) * MARGIN
        return low - pad, high + pad

    @property
    def message(self) -> str:
        """What is said in the place of a plot."""
        return "" if len(self.known) else "No query is scored in both rankings."

    def describe(self) -> str:
        """Say in words on how many queries who is better, and the means."""
        parts = self._opening()
        if self.message:
            return "\n".join([*parts, self.message])
        first, second = self.points.mean(axis=0)
        decimal = self.pair.decimal
        parts += [
            f"{self.pair.measure} of A across and of B up, {queries_text(len(self.items))}. "
            f"{self.pair.sides}",
            f"Above the diagonal B is better. {self.pair.counts(self.sign)}",
            f"Mean of A {decimal(first)}, mean of B {decimal(second)}.",
        ]
        return "\n".join(parts)

    def nearest(self, x: float, y: float) -> Item | None:
        """The query whose point is nearest, if it is near."""
        if not len(self.points):
            return None
        distance = np.hypot(*(self.points - (x, y)).T)
        place = int(distance.argmin())
        low, high = self.limits
        return self.items[place] if distance[place] <= REACH * (high - low) else None

    def tip(self, item: Item) -> str:
        """The query with both scores, and how many others have the same."""
        place = self._place[item]
        point = self.points[place]
        first, second = point.tolist()
        same = int(np.count_nonzero((self.points == point).all(axis=1))) - 1
        lines = [
            in_line(self.labels[self.known[place]]),
            f"A {self.pair.decimal(first)}, B {self.pair.decimal(second)} ({self.pair.measure})",
            self.pair.outcome(second - first),
        ]
        if same:
            lines.append(f"{queries_text(same)} more at this point")
        return "\n".join(lines)

    def box(self, item: Item) -> Box:
        """The point."""
        x, y = self.points[self._place[item]].tolist()
        return x, y, x, y

    def step(self, item: Item | None, across: int, up: int) -> Item | None:
        """The next query by the baseline's score, or, up and down, by the candidate's."""
        if item not in self._place:
            return self.items[0] if self.items else None
        place = self._place[item]
        order = np.arange(len(self.items)) if across else self._upwards
        at = int(np.flatnonzero(order == place)[0]) + (across or up)
        return self.items[int(order[min(max(at, 0), len(order) - 1)])]

    @cached_property
    def _upwards(self) -> NDArray[np.int64]:
        return np.lexsort((self.points[:, 0], self.points[:, 1]))

    def plot(self, sheet: Sheet) -> None:
        """Draw the square, the diagonal and the points, with the legend above or beside."""
        area = area_below(sheet, left_of_plot())
        beside = area.left + area.height + BESIDE_GAP
        stands_beside = sheet.width - beside >= BESIDE
        samples = self._samples(sheet)
        if not stands_beside:
            sheet.legend(samples)
            area = area_below(sheet, left_of_plot())
        side = min(area.width, area.height)
        square = Area(area.left, area.top, side, side)
        if stands_beside:
            for sample in samples:
                sheet.legend([sample], beside)
        axes = sheet.axes(square)
        self._scales(axes, side, sheet)
        self._points(axes, sheet)
        self._names(sheet, square)

    def _scales(self, axes: Axes, side: float, sheet: Sheet) -> None:
        low, high = self.limits
        axes.set_xlim(low, high)
        axes.set_ylim(low, high)
        ticks, labels = value_ticks(low, high, side)
        axes.set_xticks(ticks, labels)
        axes.set_yticks(ticks, labels)
        sheet.grid(axes, "both")
        axes.plot((low, high), (low, high), color=sheet.theme.faint_text, linewidth=1.0, zorder=2)

    def _points(self, axes: Axes, sheet: Sheet) -> None:
        size = next(size for most, size in SIZES if len(self.points) <= most)
        for sign, name in ((0, "tied"), (-1, "worse"), (1, "better")):
            points = self.points[self.sign == sign]
            marks = self._marker(sign, sheet, size)
            marks.set(data=points.T, label=name, zorder=3, clip_on=False)
            axes.add_line(marks)

    def _marker(self, sign: int, sheet: Sheet, size: float) -> Line2D:
        """Triangles that point to the better side, and rings in between."""
        theme, pair = sheet.theme, self.pair
        style = pair.candidate_style if sign > 0 else pair.baseline_style
        colour = style.colour(theme) if sign else theme.text
        return Line2D(
            [],
            [],
            linestyle="none",
            marker={1: "^", 0: "o", -1: "v"}[sign],
            markersize=size,
            markerfacecolor=colour if sign else "none",
            markeredgecolor=theme.background if sign else colour,
            markeredgewidth=0.5 * (size > SIZES[-1][1]) if sign else 1.0,
        )

    def _samples(self, sheet: Sheet) -> list[tuple[str, Line2D]]:
        words = {1: "B better", -1: "A better", 0: "tied"}
        return [
            (
                f"{words[sign]} ({np.count_nonzero(self.sign == sign):,})",
                self._marker(sign, sheet, SIZES[0][1]),
            )
            for sign in (1, -1, 0)
        ]

    def _names(self, sheet: Sheet, square: Area) -> None:
        middle = square.left + square.width / 2
        room = 2 * min(middle - BESIDE_NAME, sheet.width - RIGHT_OF_PLOT - middle)
        sheet.name_below(_named("A", self.pair.baseline, self.pair.measure, room), middle, room)
        room = square.height + BELOW_PLOT - EDGE
        name = _named("B", self.pair.candidate, self.pair.measure, room)
        sheet.name_left(name, square)


def _named(side: str, name: str, measure: str, room: float) -> str:
    """A side with its measure, its name cut to the room there is."""
    end = f", {measure}"
    rest = room - width_of(f"{side}: {end}") - 2
    return f"{side}: {elided(one_line(name), font(SMALL), max(rest, 0) / POINT)}{end}"
