"""From 1.000 down to the score: what each place, or each document, took away or gave back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

from ndcg_desktop.charts.comparison_chart import Box, ComparisonChart, Floats, Item, in_line
from ndcg_desktop.charts.comparison_sheet import (
    BELOW_BARE,
    Area,
    Axes,
    Sheet,
    area_below,
    left_of_plot,
    value_ticks,
    width_of,
)
from ndcg_desktop.charts.difference_bars import LOSS_HATCH
from ndcg_desktop.charts.layout import Slots, rectangles
from ndcg_desktop.charts.lettering import font
from ndcg_desktop.charts.ranking_chart import SMALL
from ndcg_desktop.charts.slot_labels import LETTERING, SlotLabels
from ndcg_desktop.evaluation.losses import DocumentLoss, Losses, PlaceLoss
from ndcg_desktop.evaluation.wording import DECIMALS, decimal, grade_text, signed

MOST = 30
"""Steps that are drawn; of more, the smallest are one."""

NOTHING = 1e-12
"""A loss that is no more than this comes of rounding."""

LABEL_GAP, LABEL_ROOM = 3.0, 17.0
"""Points between a bar and its figure, and pixels that a figure needs beyond the bar."""

By = Literal["position", "document"]

LEGEND: dict[By, tuple[str, str]] = {
    "position": ("less than the ideal has there", "more than the ideal has there"),
    "document": ("lower than in the ideal, or missed", "higher than in the ideal"),
}
"""What falling and rising bars are called."""


@dataclass(frozen=True, slots=True)
class Fall:
    """One step: what it is called below its bar and in words, and what it takes away; below 0 it
    gives back.
    """

    label: str
    words: str
    loss: float


@dataclass(frozen=True, eq=False)
class Waterfall(ComparisonChart):
    """The steps from 1 down to ``value``, which they sum to exactly.

    An item is the number of a place from the left: 0 is the ideal, the last one the score.
    ``score_name`` is as "nDCG@10"; ``why`` is said in the place of the plot where there is none.
    """

    falls: Sequence[Fall]
    value: float
    by: By
    score_name: str
    title: str = ""
    measure: str = ""
    why: str = ""
    decimals: int = DECIMALS

    @cached_property
    def steps(self) -> list[Fall]:
        """The steps that are drawn: of very many, the smallest are summed up as others."""
        if len(self.falls) <= MOST:
            return list(self.falls)
        size = [-abs(fall.loss) for fall in self.falls]
        kept = set(np.argsort(size, kind="stable")[: MOST - 1].tolist())
        rest = [fall.loss for place, fall in enumerate(self.falls) if place not in kept]
        others = Fall("others", f"{len(rest):,} others together", math.fsum(rest))
        return [self.falls[place] for place in sorted(kept)] + [others]

    @cached_property
    def levels(self) -> Floats:
        """What is left before the first step and after each, shape (steps + 1,)."""
        return 1.0 - np.concatenate(([0.0], np.cumsum([fall.loss for fall in self.steps])))

    @cached_property
    def items(self) -> Sequence[Item]:
        """The ideal, the steps, the score."""
        return range(len(self.steps) + 2)

    @property
    def message(self) -> str:
        """What is said in the place of a plot."""
        if self.why:
            return self.why
        if any(abs(fall.loss) > NOTHING for fall in self.falls):
            return ""
        return "Nothing was lost: the ranking is as good as the ideal."

    def describe(self) -> str:
        """Say in words what each step takes away or gives back."""
        parts = self._opening()
        if self.message:
            return "\n".join([*parts, self.message])
        parts.append(f"From the ideal, {self._decimal(1.0)}, to the score, {self._end}.")
        parts += [f"{self._step_words(place)}." for place in range(len(self.steps))]
        return "\n".join(parts)

    def nearest(self, x: float, y: float) -> Item | None:
        """The place at x."""
        place = round(x) - 1
        return place if 0 <= place < len(self.items) else None

    def tip(self, item: Item) -> str:
        """What a step takes away, and what is left after it."""
        assert isinstance(item, int)
        if item == 0:
            return f"the ideal: {self._decimal(1.0)}"
        if item == len(self.steps) + 1:
            return f"{self.score_name}: {self._end}"
        return self._step_words(item - 1)

    def box(self, item: Item) -> Box:
        """The whole height at a place."""
        assert isinstance(item, int)
        return item + 0.5, -math.inf, item + 1.5, math.inf

    def step(self, item: Item | None, across: int, up: int) -> Item | None:
        """The next place; down is towards the score."""
        return super().step(item, across or -up, 0)

    @property
    def _end(self) -> str:
        return self._decimal(self.value)

    def _decimal(self, value: float) -> str:
        return decimal(value, self.decimals)

    def _step_words(self, place: int) -> str:
        fall = self.steps[place]
        left = self._decimal(float(self.levels[place + 1]))
        return f"{in_line(fall.words)}: {self._figure(place)}, leaves {left}"

    def _figure(self, place: int) -> str:
        return signed(-self.steps[place].loss, self.decimals)

    # ---- drawn

    def plot(self, sheet: Sheet) -> None:
        """Draw the steps between the ideal and the score, with figures and labels."""
        self._legend(sheet)
        names = ["ideal", *(in_line(fall.label) for fall in self.steps), "score"]
        labels = SlotLabels.fitted(sheet, names)
        area = area_below(sheet, left_of_plot(), BELOW_BARE + labels.height)
        slots = Slots(len(names), area.width, sheet.resolution, False)
        figures = _Figures.fitted(self, slots, area.height)
        axes = sheet.axes(area)
        low, high = self._limits(area, figures.room)
        axes.set_xlim(slots.limits)
        axes.set_ylim(low, high)
        axes.set_yticks(*value_ticks(low, high, area.height))
        sheet.grid(axes, "y")
        self._bars(axes, slots, sheet)
        figures.write(axes, sheet)
        labels.write(sheet, area, slots)
        below = "position" if self.by == "position" else "document, the largest loss first"
        sheet.name_below(below, area.left + area.width / 2, area.width)
        sheet.name_left(self.score_name, area)

    def _limits(self, area: Area, room: float) -> tuple[float, float]:
        """All levels, and the room that figures need; the axis need not begin at 0."""
        low, high = float(self.levels.min()), float(self.levels.max())
        pad = (high - low) * room / max(area.height - 2 * room, room)
        return low - pad, high + pad

    def _bars(self, axes: Axes, slots: Slots, sheet: Sheet) -> None:
        loss = np.array([fall.loss for fall in self.steps])
        theme = sheet.theme
        for label, index, colour, hatch in (
            ("lost", np.flatnonzero(loss > NOTHING), theme.ideal, LOSS_HATCH),
            ("won", np.flatnonzero(loss < -NOTHING), theme.ranking, ""),
        ):
            if len(index):
                axes.add_artist(
                    PathPatch(
                        self._shape(index, slots),
                        facecolor=colour,
                        edgecolor=theme.background,
                        hatch=hatch,
                        linewidth=0,
                        label=label,
                        zorder=2,
                    )
                )
        self._lines(axes, slots, sheet)

    def _shape(self, index: NDArray[np.int64], slots: Slots) -> Path:
        """The bars of these steps, each between the levels before and after it, as one path."""
        before, after = self.levels[index], self.levels[index + 1]
        corners = rectangles(*slots.ideal(index + 1), after - before)
        corners[:, :, 1] += before[:, None]
        return Path.make_compound_path_from_polys(corners)

    def _lines(self, axes: Axes, slots: Slots, sheet: Sheet) -> None:
        """The two ends as strong lines, and thin ones that lead each level to the next step."""
        left, right = slots.ideal(np.arange(len(self.items)))
        levels = self.levels.tolist()
        axes.hlines(
            levels, left[:-1], right[1:], color=sheet.theme.faint_text, linewidth=0.8, zorder=1
        )
        ends = [0, len(self.items) - 1]
        axes.hlines(
            [levels[0], levels[-1]],
            left[ends],
            right[ends],
            color=sheet.theme.text,
            linewidth=3.0,
            zorder=3,
            label="ends",
        )

    def _legend(self, sheet: Sheet) -> None:
        theme = sheet.theme
        lost: Any = Patch(
            facecolor=theme.ideal, edgecolor=theme.background, hatch=LOSS_HATCH, linewidth=0
        )
        won: Any = Patch(facecolor=theme.ranking, linewidth=0)
        names = LEGEND[self.by]
        samples = [(names[0], lost)]
        if any(fall.loss < -NOTHING for fall in self.steps):
            samples.append((names[1], won))
        sheet.legend(samples)


@dataclass(frozen=True, slots=True)
class _Figures:
    """The figures at the bars: in a line, on their side, or none for want of room."""

    chart: Waterfall
    on_side: bool
    shown: bool
    room: float

    @classmethod
    def fitted(cls, chart: Waterfall, slots: Slots, height: float) -> _Figures:
        """Find how the figures can be written in so wide slots of a plot so high."""
        widest = max(
            (width_of(chart._figure(place)) for place in range(len(chart.steps))), default=0.0
        )
        if slots.pixels >= widest + 4:
            return cls(chart, False, True, LABEL_ROOM)
        on_side = widest + 2 * LABEL_GAP + 2
        if slots.pixels >= LETTERING and height >= 4 * on_side:
            return cls(chart, True, True, on_side)
        return cls(chart, False, False, LABEL_ROOM)

    def write(self, axes: Axes, sheet: Sheet) -> None:
        """Write what each step takes away below its bar, what it gives back above, and both
        ends.
        """
        chart, count = self.chart, len(self.chart.steps)
        texts = [
            (0, 1.0, chart._decimal(1.0), True),
            (count + 1, chart.levels[-1], chart._end, True),
        ]
        for place, fall in enumerate(chart.steps):
            if self.shown and abs(fall.loss) > NOTHING:
                level = float(chart.levels[place + 1])
                texts.append((place + 1, level, chart._figure(place), fall.loss < 0))
        for place, level, text, above in texts:
            self._write(axes, sheet, (place + 1, level), text, above)

    def _write(
        self, axes: Axes, sheet: Sheet, at: tuple[float, float], text: str, above: bool
    ) -> None:
        theme = sheet.theme
        turned = {"rotation": 90, "rotation_mode": "default"} if self.on_side else {}
        axes.annotate(
            text,
            at,
            xytext=(0, LABEL_GAP if above else -LABEL_GAP),
            textcoords="offset points",
            ha="center",
            va="bottom" if above else "top",
            color=theme.text,
            fontproperties=font(SMALL),
            zorder=5,
            annotation_clip=False,
            # Not a halo, which would make outlines of the letters in a file.
            bbox={"facecolor": theme.background, "edgecolor": "none", "alpha": 0.85, "pad": 0.6},
            **turned,
        )


def waterfall(
    losses: Losses | None,
    by: By,
    score_name: str,
    title: str = "",
    measure: str = "",
    why: str = "",
    decimals: int = DECIMALS,
) -> Waterfall:
    """The chart of a query's losses; without any, ``why`` says why there are none.

    A document that neither gains nor could have gained anything is left out.
    """
    if losses is None:
        return Waterfall((), 0.0, by, score_name, title, measure, why or "Not scored.", decimals)
    if by == "position":
        falls = [
            Fall(str(each.position), place_words(each), each.loss) for each in losses.by_position
        ]
    else:
        falls = [
            Fall(
                each.document or f"grade {grade_text(each.grade)}", document_words(each), each.loss
            )
            for each in losses.by_document
            if abs(each.loss) > NOTHING
        ]
    return Waterfall(falls, losses.value, by, score_name, title, measure, "", decimals)


def _label(part: DocumentLoss) -> str:
    return part.document or f"grade {grade_text(part.grade)}"


def place_words(part: PlaceLoss) -> str:
    """What stands at a place: "position 2, B, grade 1, ideal grade 3"."""
    words = [f"position {part.position}", part.document or "no document"]
    if part.document:
        words.append("not judged" if part.grade is None else f"grade {grade_text(part.grade)}")
    if part.ideal_grade is not None:
        words.append(f"ideal grade {grade_text(part.ideal_grade)}")
    return ", ".join(words)


def document_words(part: DocumentLoss) -> str:
    """Where a document stands: "E, grade 3, was not returned", "D, grade 2, rank 4, ideal 3"."""
    grade = f"grade {grade_text(part.grade)}"
    if not part.document:
        return f"a document of {grade}, which nobody has"
    if part.rank is None:
        return f"{part.document}, {grade}, was not returned"
    place = "not in the ideal" if part.place is None else f"place {part.place} in the ideal"
    return f"{part.document}, {grade}, at rank {part.rank}, {place}"
