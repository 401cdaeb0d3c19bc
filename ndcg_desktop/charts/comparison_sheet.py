"""A figure that is filled from above: title, measure, legend, then a plot in what room is left.

Lengths are in pixels of 1/96 inch from the upper left corner, whatever the resolution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.patheffects import withStroke

from ndcg_desktop.charts.layout import PIXELS, POINT, Floats, gain_labels, gain_ticks
from ndcg_desktop.charts.lettering import elided, font, one_line, text_width, wrapped
from ndcg_desktop.charts.ranking_chart import (
    DIGIT,
    EDGE,
    LEGEND_GAP,
    LINE,
    MEASURE_LINES,
    SMALL,
    TITLE,
    TITLE_LINE,
)
from ndcg_desktop.charts.theme import Theme

LOW = 300.0
"""On a figure not as high as this the measure has one line."""

SAMPLE, SAMPLE_GAP, ENTRY_GAP = 19.0, 6.0, 18.0
"""Width of a sample of the legend, and the room before its name and before the next sample."""

NARROWEST_ENTRY = 140.0
"""Pixels that an entry of the legend has at least, before another row is begun."""

TICK_GAP = 6.0
LEAST_PLOT = 20.0

# matplotlib's own types do not cover what is done here.
Axes = Any


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of the figure."""

    left: float
    top: float
    width: float
    height: float


class Sheet:
    """A figure in the colours of a theme; ``top`` is how far down it has been filled."""

    def __init__(self, figure: Figure, theme: Theme) -> None:
        figure.clear()
        figure.set_facecolor(theme.background)
        self.figure = figure
        self.theme = theme
        self.width, self.height = (float(inches) * PIXELS for inches in figure.get_size_inches())
        self.resolution = figure.dpi / PIXELS
        self.top = EDGE

    @property
    def room(self) -> float:
        """How wide a line of text can be."""
        return self.width - 2 * EDGE

    def head(self, title: str, measure: str) -> None:
        """Write the title, if there is one, and the measure."""
        bold = font(TITLE, "bold")
        title = elided(one_line(title), bold, self.room / POINT)
        self.write(title, EDGE, self.top, va="top", fontproperties=bold, color=self.theme.text)
        self.top += TITLE_LINE if title else 0
        lines = MEASURE_LINES if self.height >= LOW else 1
        for line in wrapped(one_line(measure), font(SMALL), self.room / POINT, lines):
            self.write(line, EDGE, self.top, va="top")
            self.top += LINE
        self.top += LEGEND_GAP

    def say(self, message: str) -> None:
        """Write a sentence where a plot would be."""
        lines = wrapped(one_line(message), font(TITLE), self.room / POINT, 4)
        middle = (self.top + self.height) / 2
        self.write(
            "\n".join(lines),
            self.width / 2,
            middle,
            ha="center",
            va="center",
            fontproperties=font(TITLE),
        )

    def write(self, text: str, x: float, y: float, **style: Any) -> Any:
        """Write at a point of the figure, in small letters unless the style has others."""
        style = {"fontproperties": font(SMALL), "color": self.theme.faint_text, **style}
        place = x / self.width, 1 - y / self.height
        return self.figure.text(*place, text, parse_math=False, **style)

    def legend(self, samples: Sequence[tuple[str, Any]], left: float = EDGE) -> None:
        """Name samples, each a name and what it looks like, in as many rows as they need."""
        room = self.width - EDGE - left
        names = [one_line(name) for name, _ in samples]
        entries = [width_of(name) + SAMPLE + SAMPLE_GAP + ENTRY_GAP for name in names]
        widest = min(max(_widest(entries, room + ENTRY_GAP), NARROWEST_ENTRY), room + ENTRY_GAP)
        entries = [min(entry, widest) for entry in entries]
        x = left
        for (_, sample), name, entry in zip(samples, names, entries, strict=True):
            if x > left and x + entry - ENTRY_GAP > left + room + 0.5:
                x, self.top = left, self.top + LINE
            letters = entry - SAMPLE - SAMPLE_GAP - ENTRY_GAP
            self._entry(x, elided(name, font(SMALL), letters / POINT + 0.5), sample)
            x += entry
        self.top += LINE + LEGEND_GAP

    def _entry(self, x: float, name: str, sample: Any) -> None:
        legend = self.figure.legend(
            [sample],
            # matplotlib leaves out names that start with "_": they are set when it is made.
            ["name"],
            handler_map={tuple: HandlerTuple(ndivide=1)},
            loc="upper left",
            bbox_to_anchor=(x / self.width, 1 - self.top / self.height),
            frameon=False,
            prop=font(SMALL),
            labelcolor=self.theme.text,
            borderpad=0,
            borderaxespad=0,
            handlelength=SAMPLE / POINT / SMALL,
            handleheight=1.1,
            handletextpad=SAMPLE_GAP / POINT / SMALL,
        )
        text = legend.get_texts()[0]
        text.set_parse_math(False)
        text.set_text(name)

    def axes(self, area: Area) -> Axes:
        """Make axes, on whole dots, without any spine or tick of their own."""
        dots = np.round(np.array([area.left, area.top, area.width, area.height]) * self.resolution)
        left, top, width, height = np.maximum(dots, (0, 0, LEAST_PLOT, LEAST_PLOT)) / (
            self.resolution
        )
        bounds = (
            left / self.width,
            1 - (top + height) / self.height,
            width / self.width,
            height / self.height,
        )
        axes: Axes = self.figure.add_axes(bounds)
        axes.set_facecolor("none")
        axes.set_axisbelow(True)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0, labelsize=SMALL, labelcolor=self.theme.faint_text)
        axes.tick_params(pad=TICK_GAP / POINT)
        axes.set_xticks([])
        axes.set_yticks([])
        return axes

    def grid(self, axes: Axes, which: str) -> None:
        """Draw faint lines at the ticks of "x", "y" or "both"."""
        axes.grid(axis=which, color=self.theme.grid, linewidth=0.8, linestyle="-")

    def name_below(self, text: str, middle: float, room: float) -> None:
        """Name the axis across, on the last line of the figure."""
        text = elided(text, font(SMALL), max(room, 0) / POINT)
        self.write(text, middle, self.height - EDGE, ha="center", va="baseline")

    def name_left(self, text: str, area: Area) -> None:
        """Name the axis up, beside an area: on a low one the name reaches below it, not above."""
        text = elided(text, font(SMALL), (self.height - EDGE - area.top) / POINT)
        middle = area.top + max(area.height, width_of(text) * 1.02) / 2
        self.write(
            text,
            EDGE + LINE / 2,
            middle,
            ha="center",
            va="center",
            rotation=90,
            rotation_mode="anchor",
        )

    @property
    def halo(self) -> list[Any]:
        """What parts letters or lines from bars behind them."""
        return [withStroke(linewidth=3, foreground=self.theme.background)]


def width_of(text: str) -> float:
    """Measure a line of small letters, in pixels."""
    return text_width(text, font(SMALL)) * POINT


def _widest(widths: Sequence[float], room: float) -> float:
    """How wide each may be at most, so that all find room: short ones leave theirs to others."""
    for place, width in enumerate(sorted(widths)):
        share = room / (len(widths) - place)
        if width > share:
            return share
        room -= width
    return math.inf


def value_ticks(
    low: float, high: float, pixels: float, *, plus: bool = False
) -> tuple[Floats, list[str]]:
    """Return round values from low to high with their labels, with a plus above 0 if wanted."""
    some = gain_ticks(high - low, pixels)
    step = some[1] if len(some) > 1 else high - low
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    count = np.arange(first, last + 1)
    sizes = gain_labels(np.arange(max(abs(first), abs(last), 1) + 1) * step)
    labels = [
        ("−" if each < 0 else "+" if plus and each else "") + sizes[abs(each)]
        for each in count.tolist()
    ]
    return count * step, labels


def left_of_plot() -> float:
    """Pixels that the name of an axis and its labels, of up to six characters, take."""
    return EDGE + LINE + 8 + 6 * DIGIT + TICK_GAP


RIGHT_OF_PLOT = EDGE
BELOW_BARE = EDGE + LINE + 2
"""Pixels that the name of an axis takes."""

BELOW_PLOT = BELOW_BARE + TICK_GAP + LINE - 6
"""Pixels that the labels of an axis and its name take."""


def area_below(
    sheet: Sheet, left: float, below: float = BELOW_PLOT, right: float = RIGHT_OF_PLOT
) -> Area:
    """What is left of a sheet for a plot, with so much to its left, below it and to its right."""
    return Area(
        left,
        sheet.top,
        max(sheet.width - left - right, LEAST_PLOT),
        max(sheet.height - sheet.top - below, LEAST_PLOT),
    )
