"""Differences under many settings: a cell for each, with its number, coloured by who is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Patch, Rectangle

from ndcg_desktop.charts.comparison_chart import (
    BETTER,
    WORSE,
    Box,
    ComparisonChart,
    Floats,
    Item,
    Pair,
    in_line,
)
from ndcg_desktop.charts.comparison_sheet import (
    BELOW_PLOT,
    LEAST_PLOT,
    RIGHT_OF_PLOT,
    TICK_GAP,
    Area,
    Axes,
    Sheet,
    width_of,
)
from ndcg_desktop.charts.layout import POINT
from ndcg_desktop.charts.lettering import elided, families, font, one_line
from ndcg_desktop.charts.ranking_chart import EDGE, LINE, SMALL
from ndcg_desktop.evaluation.wording import signed

LABEL_PART = 0.18
"""Part of the figure's width that the labels of rows may take."""

LEAST_TINT, MOST_TINT = 0.12, 0.9
"""How much of a side's colour is in a cell: with hardly a difference, and with the largest."""

HIGHEST_ROW = 40.0

SMALLEST = 7.0
"""Points that letters in cells have at least."""

FEWEST_DECIMALS = 2
"""Of the numbers in cells that have no room for more; what is then rounded to 0 has its mark."""

CELL_GAP = 5.0


@dataclass(frozen=True, eq=False)
class HeatMap(ComparisonChart):
    """Differences B − A of shape (rows, columns), NaN where there is nothing to compare.

    ``across`` is what the columns are ("cutoff k"); ``current`` is the row and column of the
    setting that is chosen, which is outlined. An item is the row and column of a cell.
    """

    difference: Floats
    rows: Sequence[str]
    columns: Sequence[str]
    pair: Pair
    across: str = "cutoff k"
    current: tuple[int, int] | None = None
    title: str = ""
    measure: str = ""

    @cached_property
    def items(self) -> list[Item]:
        """Cells with a number, by rows."""
        return [(row, column) for row, column in np.argwhere(np.isfinite(self.difference)).tolist()]

    @property
    def message(self) -> str:
        """What is said in the place of a plot."""
        return "" if self.items else "No query is scored in both rankings, under any setting."

    def describe(self) -> str:
        """Say in words who is better under how many settings, and under which."""
        parts = self._opening()
        if self.message:
            return "\n".join([*parts, self.message])
        sign = self.pair.sign(self.difference[np.isfinite(self.difference)])
        parts += [
            f"{self.pair.axis}, under {len(sign):,} settings. {self.pair.sides}",
            f"B better under {np.count_nonzero(sign > 0):,}, A better under "
            f"{np.count_nonzero(sign < 0):,}, {np.count_nonzero(sign == 0):,} tied.",
        ]
        if self.current is not None and self.current in self.items:
            parts.append(f"As set now: {self._line(*self.current)}.")
        parts += [self._row_words(row) for row in range(len(self.rows))]
        return "\n".join(parts)

    def nearest(self, x: float, y: float) -> Item | None:
        """The cell that a point lies in, None where it is empty."""
        row, column = int(np.floor(y)), int(np.floor(x))
        inside = 0 <= row < len(self.rows) and 0 <= column < len(self.columns)
        return (row, column) if inside and np.isfinite(self.difference[row, column]) else None

    def tip(self, item: Item) -> str:
        """The setting, the difference under it, and whether it is the one chosen."""
        row, column = _cell(item)
        value = float(self.difference[row, column])
        lines = [
            in_line(self.rows[row]),
            f"{self.across} = {self.columns[column]}",
            f"{self.pair.axis}: {self.pair.signed(value)}",
            self.pair.outcome(value),
        ]
        return "\n".join([*lines, "as set now"] if item == self.current else lines)

    def box(self, item: Item) -> Box:
        """The cell."""
        row, column = _cell(item)
        return column, row, column + 1, row + 1

    def step(self, item: Item | None, across: int, up: int) -> Item | None:
        """The next cell with a number in that direction; the same one at the end."""
        if item is None or item not in self.items:
            return self.items[0] if self.items else None
        row, column = _cell(item)
        while True:
            row, column = row - up, column + across
            if not (0 <= row < len(self.rows) and 0 <= column < len(self.columns)):
                return item
            if np.isfinite(self.difference[row, column]):
                return row, column

    def plot(self, sheet: Sheet) -> None:
        """Draw cells, their numbers, and the labels of rows and columns."""
        pair, theme = self.pair, sheet.theme
        sheet.legend(
            [
                (f"{mark} {side} better: {name}", Patch(facecolor=style.colour(theme)))
                for mark, side, name, style in (
                    (BETTER, "B", pair.candidate, pair.candidate_style),
                    (WORSE, "A", pair.baseline, pair.baseline_style),
                )
            ]
        )
        rows = self._row_labels(sheet)
        left = EDGE + max(map(width_of, rows)) + TICK_GAP
        area = self._area(sheet, left)
        axes = sheet.axes(area)
        axes.set_xlim(0, len(self.columns))
        axes.set_ylim(len(self.rows), 0)
        self._cells(axes, sheet, area)
        self._labels(sheet, area, rows)
        self._outline(axes, sheet)

    def _area(self, sheet: Sheet, left: float) -> Area:
        width = max(sheet.width - left - RIGHT_OF_PLOT, LEAST_PLOT)
        height = max(sheet.height - sheet.top - BELOW_PLOT, LEAST_PLOT)
        return Area(left, sheet.top, width, min(height, HIGHEST_ROW * len(self.rows)))

    def _row_labels(self, sheet: Sheet) -> list[str]:
        room = sheet.width * LABEL_PART / POINT
        return [elided(one_line(label), font(SMALL), room) for label in self.rows]

    def _cells(self, axes: Axes, sheet: Sheet, area: Area) -> None:
        cells = np.array(self.items)
        corners = cells[:, None, ::-1] + np.array([(0, 0), (0, 1), (1, 1), (1, 0)])
        values = self.difference[cells[:, 0], cells[:, 1]]
        colours = self._colours(values, sheet)
        axes.add_collection(
            PolyCollection(
                corners, facecolors=colours, edgecolors=sheet.theme.background, linewidths=0.8
            )
        )
        room = area.width / len(self.columns) - CELL_GAP
        high = area.height / len(self.rows)
        texts, size = _lettering([self._numbers(value) for value in values.tolist()], room, high)
        # Numbers and signs need no fallback, and are found faster in one font.
        letters = FontProperties(family=families()[0], size=size)
        for (row, column), text, colour in zip(cells.tolist(), texts, colours, strict=True):
            axes.text(
                column + 0.5,
                row + 0.5,
                text,
                ha="center",
                va="center_baseline",
                fontproperties=letters,
                color=_readable(colour),
                parse_math=False,
            )

    def _colours(self, values: Floats, sheet: Sheet) -> Floats:
        """The background mixed with the better side's colour, by how much better it is: (m, 3)."""
        pair, theme = self.pair, sheet.theme
        sign = pair.sign(values)
        largest = np.abs(values).max()
        part = LEAST_TINT + (MOST_TINT - LEAST_TINT) * np.abs(values) / (largest or 1.0)
        part = np.where(sign == 0, 0.0, part)[:, None]
        better, worse = (
            np.array(to_rgb(style.colour(theme)))
            for style in (pair.candidate_style, pair.baseline_style)
        )
        side = np.where(sign[:, None] > 0, better, worse)
        mixed: Floats = part * side + (1 - part) * np.array(to_rgb(theme.background))
        return mixed

    def _numbers(self, value: float) -> tuple[str, ...]:
        """How a cell may be filled, from the widest text to the narrowest."""
        sign = int(self.pair.sign(np.array(value)))
        mark = {1: BETTER, 0: "=", -1: WORSE}[sign]
        texts = [self.pair.signed(value), signed(value, FEWEST_DECIMALS)]
        full, short = (mark if sign and text[0] not in "+−" else text for text in texts)
        return full, _without_zero(full), _without_zero(short), mark

    def _labels(self, sheet: Sheet, area: Area, rows: Sequence[str]) -> None:
        high, wide = area.height / len(self.rows), area.width / len(self.columns)
        if high >= 0.75 * LINE:
            for row, label in enumerate(rows):
                y = area.top + (row + 0.5) * high
                x = area.left - TICK_GAP
                sheet.write(label, x, y, ha="right", va="center_baseline")
        below = area.top + area.height + TICK_GAP
        columns = [one_line(label) for label in self.columns]
        for column in _apart([width_of(label) for label in columns], wide):
            x = area.left + (column + 0.5) * wide
            sheet.write(columns[column], x, below, ha="center", va="top")
        middle = area.left + area.width / 2
        name = f"{self.across}; in cells {self.pair.axis}"
        name = elided(name, font(SMALL), min(2 * (sheet.width - EDGE - middle), sheet.room) / POINT)
        sheet.write(name, middle, below + 2 * LINE - 2, ha="center", va="baseline")

    def _outline(self, axes: Axes, sheet: Sheet) -> None:
        if self.current is None:
            return
        row, column = self.current
        for colour, width in ((sheet.theme.background, 5.0), (sheet.theme.selected, 2.2)):
            axes.add_patch(
                Rectangle(
                    (column, row),
                    1,
                    1,
                    facecolor="none",
                    edgecolor=colour,
                    linewidth=width,
                    clip_on=False,
                    zorder=4,
                )
            )

    def _row_words(self, row: int) -> str:
        cells = [
            f"{label} {self.pair.signed(value)}"
            for label, value in zip(self.columns, self.difference[row].tolist(), strict=True)
            if np.isfinite(value)
        ]
        name = in_line(self.rows[row])
        return f"{name}, by {self.across}: {', '.join(cells) or 'nothing to compare'}."

    def _line(self, row: int, column: int) -> str:
        outcome = self.pair.outcome(float(self.difference[row, column]))
        return f"{in_line(self.rows[row])}, {self.across} = {self.columns[column]}: {outcome}"


def _without_zero(text: str) -> str:
    """A difference without the 0 before its point: "+.031"."""
    return text.replace("0.", ".", 1) if text[:2] in ("+0", "−0") else text


def _cell(item: Item) -> tuple[int, int]:
    """An item of a heat map, which is always a row and a column."""
    assert isinstance(item, tuple)
    return item


def _lettering(
    forms: Sequence[tuple[str, ...]], room: float, high: float
) -> tuple[list[str], float]:
    """Fill all cells alike: the widest form and the largest letters, in points, that fit."""
    for texts in zip(*forms, strict=True):
        widest = max(width_of(text) for text in texts)
        size = min(SMALL, SMALL * room / widest, high / POINT * 0.8)
        if size >= SMALLEST:
            return list(texts), size
    return [marks for *_, marks in forms], max(min(size, SMALLEST), 1.0)


def _readable(colour: Floats) -> str:
    """Black or white, whichever contrasts more with a colour (as WCAG 2 has it)."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ (0.2126, 0.7152, 0.0722))
    return "#000000" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "#ffffff"


def _apart(widths: Sequence[float], slot: float) -> list[int]:
    """Which columns are labelled, so that labels stay apart: the last, and every so many before."""
    step = max(1, int(np.ceil((max(widths) + 4) / slot)))
    return list(range(len(widths) - 1, -1, -step))
