"""One query as bars: the discounted gain of every position, beside that of the ideal ordering."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from numpy.typing import NDArray

from ndcg_desktop.charts.bar_artists import (
    BarArtists,
    ideal_sample,
    ranking_sample,
    unjudged_sample,
)
from ndcg_desktop.charts.bars import Bars
from ndcg_desktop.charts.layout import (
    BELOW_AXIS,
    PIXELS,
    POINT,
    Plot,
    Slots,
    axis_top,
    gain_labels,
    gain_ticks,
    position_ticks,
)
from ndcg_desktop.charts.lettering import elided, font, one_line, text_width, words_width, wrapped
from ndcg_desktop.charts.theme import PRINT, Theme

TITLE, SMALL = 10.5, 8.5
"""Font sizes in points."""

TITLE_LINE, LINE = 19.0, 15.0
"""Pixels that a line of the title is high, and a line of anything else."""

DIGIT = 0.636 * SMALL * POINT
"""Width of a digit of the ticks, in pixels."""

EDGE = 12.0
"""Pixels between the figure's edge and what stands next to it."""

POSITION_LABEL, GAIN_LABEL = "position", "discounted gain"

VALUE_GAP = 0.5 * SMALL
"""Points between the measure's value and the rest of its line."""

MEASURE_LINES = 2
LEGEND_GAP = 6.0
"""Pixels above the legend, and more or less below it."""

DRAWING = threading.RLock()
"""Held by the thread that measures or draws: matplotlib's fonts do not stand two at once, and end
the process.
"""

PICTURE_FORMATS = ("png", "svg", "pdf")
SIZE = (8.0, 4.8)
"""Inches of a picture."""


NO_BARS = Bars(np.zeros(0), np.zeros(0), np.zeros(0, bool), np.zeros(0, np.int64), "", "")


@dataclass(frozen=True, slots=True)
class _Frame:
    """All that the still part of the picture depends on, sizes in pixels."""

    width: float
    height: float
    resolution: float
    positions: int
    top: float
    message: str
    measure_lines: int
    ranking_name: str | None
    """None where the ideal stands alone."""
    unjudged: bool

    @property
    def header(self) -> float:
        """Pixels from the upper edge down to the legend."""
        return EDGE + TITLE_LINE + self.measure_lines * LINE + LEGEND_GAP


@dataclass(frozen=True, slots=True)
class _Words:
    """What is written above the plot, and differs from query to query."""

    title: str
    value: str
    indent: float
    """Where the first line of the measure goes on after its value, in pixels."""
    measure: tuple[str, ...]
    """The measure's lines, the first without the value."""


class RankingChart:
    """Draws bars on a figure, which it has for itself.

    ``artists`` are what changes from one edit to the next, and from query to query, in drawing
    order and above all that does not: a window may keep a picture of the rest and draw only these.
    """

    def __init__(self, figure: Figure, theme: Theme) -> None:
        self._figure = figure
        self._theme = theme
        self._axes = figure.add_subplot()
        self._axes.set_xlabel(POSITION_LABEL, va="baseline", ha="center")
        self._axes.set_ylabel(GAIN_LABEL, va="center", ha="center", rotation_mode="anchor")
        self._marks = BarArtists(figure, self._axes)
        self._marks.colour(theme)
        self._words = [
            self._axes.text(0, 1, "", va="top", parse_math=False, zorder=4) for _ in range(4)
        ]
        self._title, self._value, self._first_line, self._more_lines = self._words
        for text in self._words:
            text.set(transform=figure.transFigure, fontproperties=font(SMALL))
        self._title.set_fontproperties(font(TITLE, "bold"))
        self._message = self._axes.text(
            0.5, 0.5, "", ha="center", va="center", transform=self._axes.transAxes
        )
        self._message.set_fontproperties(font(TITLE))
        self.artists: list[Any] = [*self._marks.all, *self._words]
        self._bars = NO_BARS
        self._frame: _Frame | None = None
        self._selected_rows: Collection[int] = ()
        self._dress()
        self.show(NO_BARS)

    @property
    def axes(self) -> Any:
        """The matplotlib axes: positions across, discounted gains up."""
        return self._axes

    def show(self, bars: Bars) -> bool:
        """Draw these bars. True if only artists moved, False if the axes changed too."""
        self._bars = bars
        words, frame = self._laid_out(bars)
        still = frame == self._frame
        if not still:
            self._frame = frame
            self._set_axes(frame)
            self._set_legend(frame)
        self._write(words, frame)
        self._marks.move(bars, self._plot)
        self._marks.select(self.selected, bars, self._plot)
        return still

    def fit(self) -> bool:
        """Fit the same bars to the figure's size, as it is now. Returns what ``show`` does."""
        return self.show(self._bars)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self._marks.colour(theme)
        self._dress()
        self._frame = None
        self.fit()

    def select(self, rows: Collection[int]) -> None:
        """Mark the bars of these rows of the table, and no others."""
        self._selected_rows = rows
        self._marks.select(self.selected, self._bars, self._plot)

    @property
    def selected(self) -> NDArray[np.int64]:
        """Index of each position that is marked, ascending."""
        row = self._bars.row
        return np.flatnonzero(np.isin(row, list(self._selected_rows)) & (row >= 0))

    def position_at(self, x: float, y: float) -> int | None:
        """Index of the position nearest to a point of the axes, None outside the plot."""
        left, right = self._plot.slots.limits
        count = len(self._bars)
        if not count or not (left <= x <= right and 0 <= y <= self._plot.top):
            return None
        return min(max(round(x), 1), count) - 1

    def _laid_out(self, bars: Bars) -> tuple[_Words, _Frame]:
        """Return what is written above the plot, and all that stands still."""
        width, height = (float(inches) * PIXELS for inches in self._figure.get_size_inches())
        room = (width - 2 * EDGE) / POINT
        small = font(SMALL)
        measure = wrapped(one_line(bars.measure), small, room, MEASURE_LINES)
        value, _, rest = measure[0].partition(" · ") if measure else ("", "", "")
        frame = _Frame(
            width=width,
            height=height,
            resolution=self._figure.dpi / PIXELS,
            positions=len(bars),
            top=axis_top(bars.highest),
            message=bars.message,
            measure_lines=len(measure),
            ranking_name=one_line(bars.ranking_name or "ranking") if bars.has_ranking else None,
            unjudged=bool(bars.unjudged.any()),
        )
        words = _Words(
            title=elided(one_line(bars.title), font(TITLE, "bold"), room),
            value=value,
            indent=EDGE + round((words_width(value.split(), small) + VALUE_GAP) * POINT),
            measure=(rest and f"· {rest}", *measure[1:]) if measure else ("",),
        )
        return words, frame

    def _set_axes(self, frame: _Frame) -> None:
        top = frame.header + LINE + LEGEND_GAP + 2
        bottom = EDGE + LINE + BELOW_AXIS + LINE - 4
        height = max(frame.height - top - bottom, 20.0)
        gains = np.zeros(1) if frame.message else gain_ticks(frame.top, height)
        labels = gain_labels(gains)
        left = EDGE + LINE + 8 + max(map(len, labels)) * DIGIT + 6
        right = max(EDGE, len(str(frame.positions)) * DIGIT / 2 + 2)
        self._place(frame, (left, bottom, frame.width - left - right, height))
        axes, slots = self._axes, self._plot.slots
        axes.set_xlim(slots.limits)
        axes.set_ylim(0, frame.top)
        positions = position_ticks(slots, DIGIT)
        axes.set_xticks(positions, [str(position) for position in positions])
        axes.set_yticks(gains, labels)
        if frame.positions:
            axes.set_axis_on()
        else:
            axes.set_axis_off()

    def _place(self, frame: _Frame, box: tuple[float, float, float, float]) -> None:
        """Put the axes on whole dots, so that bars between whole dots stay sharp."""
        dots = np.round(np.array(box) * frame.resolution)
        left, bottom, width, height = np.maximum(dots, (0, 0, 20, 20)) / frame.resolution
        whole = self._figure.transFigure
        self._axes.set_position(
            (
                left / frame.width,
                bottom / frame.height,
                width / frame.width,
                height / frame.height,
            )
        )
        paired = frame.ranking_name is not None
        slots = Slots(frame.positions, width, frame.resolution, paired)
        self._plot = Plot(slots, height, frame.top)
        middle = left + width / 2
        self._axes.xaxis.set_label_coords(middle / frame.width, EDGE / frame.height, whole)
        # On a low plot the label reaches below it, where nothing stands, not into the legend.
        half = text_width(GAIN_LABEL, font(SMALL)) * POINT * 0.55
        middle = bottom + min(height / 2, height - half)
        self._axes.yaxis.set_label_coords(
            (EDGE + LINE / 2) / frame.width, middle / frame.height, whole
        )

    def _dress(self) -> None:
        """Put on the theme: ticks that are made later have it too."""
        theme, axes = self._theme, self._axes
        self._figure.set_facecolor(theme.background)
        axes.set_facecolor("none")
        axes.set_axisbelow(True)
        axes.grid(visible=False, axis="x")
        axes.grid(axis="y", color=theme.grid, linewidth=0.8, linestyle="-")
        for side, spine in axes.spines.items():
            spine.set_visible(side == "bottom")
            spine.set(color=theme.faint_text, linewidth=1.0)
        axes.tick_params(length=0, labelsize=SMALL, labelcolor=theme.faint_text)
        axes.tick_params(axis="x", pad=BELOW_AXIS / POINT)
        axes.tick_params(axis="y", pad=6 / POINT)
        for label in (axes.xaxis.label, axes.yaxis.label):
            label.set(color=theme.faint_text, fontproperties=font(SMALL))
        for text in self._words:
            text.set_color(theme.text if text in (self._title, self._value) else theme.faint_text)
        self._message.set_color(theme.faint_text)

    def _write(self, words: _Words, frame: _Frame) -> None:
        first, *more = words.measure
        below_title = EDGE + TITLE_LINE
        for text, content, left, top in (
            (self._title, words.title, EDGE, EDGE),
            (self._value, words.value, EDGE, below_title),
            (self._first_line, first, words.indent, below_title),
            (self._more_lines, "\n".join(more), EDGE, below_title + LINE),
        ):
            text.set_text(content)
            text.set_position((left / frame.width, 1 - top / frame.height))
        self._message.set_text(frame.message)

    def _set_legend(self, frame: _Frame) -> None:
        old = self._axes.get_legend()
        if old is not None:
            old.remove()
        if not frame.positions:
            return
        names, samples = zip(*self._samples(frame), strict=True)
        legend = self._axes.legend(
            samples,
            # matplotlib leaves out names that start with "_": they are set when it is made.
            ["name"] * len(names),
            handler_map={tuple: HandlerTuple(ndivide=1)},
            loc="upper left",
            bbox_to_anchor=(EDGE / frame.width, 1 - frame.header / frame.height),
            bbox_transform=self._figure.transFigure,
            ncols=len(names),
            frameon=False,
            prop=font(SMALL),
            labelcolor=self._theme.text,
            borderpad=0,
            borderaxespad=0,
            handlelength=1.7,
            handleheight=1.1,
            handletextpad=0.5,
            columnspacing=1.5,
        )
        for text, name in zip(legend.get_texts(), names, strict=True):
            text.set_parse_math(False)
            text.set_text(name)

    def _samples(self, frame: _Frame) -> list[tuple[str, Any]]:
        """The legend: each entry's name and how it looks."""
        theme = self._theme
        samples = [("ideal", ideal_sample(theme))]
        if frame.ranking_name is not None:
            others = 190 if frame.unjudged else 100
            room = max(frame.width - 2 * EDGE - others, 60) / POINT
            name = elided(frame.ranking_name, font(SMALL), room)
            samples.insert(0, (name, ranking_sample(theme)))
        if frame.unjudged:
            samples.append(("not judged", unjudged_sample(theme, self._plot)))
        return samples


def draw_ranking(figure: Figure, bars: Bars, theme: Theme = PRINT) -> RankingChart:
    """Draw the bars on an empty figure, for a report or a file."""
    chart = RankingChart(figure, theme)
    chart.show(bars)
    return chart


def picture(bars: Bars, format: str, size: tuple[float, float] = SIZE) -> bytes:
    """Draw the chart, so many inches wide and high, as the content of a PNG, SVG or PDF file."""
    return drawn(lambda figure: draw_ranking(figure, bars), format, size)


def drawn(draw: Callable[[Figure], object], format: str, size: tuple[float, float]) -> bytes:
    """Draw on a figure, so many inches wide and high, and give the content of a file of it. Raises
    ValueError for a format that is none of PICTURE_FORMATS.
    """
    if format not in PICTURE_FORMATS:
        kinds = ", ".join(kind.upper() for kind in PICTURE_FORMATS)
        raise ValueError(f"A picture can be saved as {kinds}, not as “{format}”.")
    stream = BytesIO()
    # Text stays text, to be searched and read aloud.
    with DRAWING, mpl.rc_context({"svg.fonttype": "none"}):
        figure = Figure(size, dpi=2 * PIXELS if format == "png" else PIXELS)
        draw(figure)
        figure.savefig(stream, format=format, dpi="figure")
    return stream.getvalue()
