"""One query as bars: the discounted gain of every position, beside that of the ideal ordering."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from ndcg_desktop.charts.layout import (
    Floats,
    Slots,
    axis_top,
    gain_labels,
    gain_ticks,
    position_ticks,
    rectangles,
    staircase,
)
from ndcg_desktop.charts.lettering import elided, font, one_line, wrapped

PIXELS = 96
"""Pixels of the layout per inch; 0.75 points each."""

POINT = PIXELS / 72
TITLE, SMALL = 10.5, 8.5
"""Font sizes in points."""

LINE = {TITLE: 19.0, SMALL: 15.0}
"""Height of a line of each size, in pixels."""

DIGIT = 0.636 * SMALL * POINT
"""Width of a digit of the ticks, in pixels."""

EDGE = 12.0
"""Pixels between the figure's edge and what stands next to it."""

MEASURE_LINES = 2
TICK_ROOM = 13.0
"""Pixels between the axis and its numbers; the marks of selected positions stand there."""

UNJUDGED_BOX, UNJUDGED_STRIP = (0.0, 18.0), (-6.5, -2.0)
"""Lower and upper end of an unjudged position's mark, in pixels above the axis.

A box with a "?" where there is room for one, else a strip below the bars, to hide none of them.
"""

BAND_EDGE = 7.0
"""Pixels that a selected position is shaded on either side of its bars."""

HATCH = "////"


@dataclass(frozen=True, slots=True)
class Bars:
    """One query's bars by position 1..n. All arrays have shape (n,).

    ``ranking`` and ``ideal`` are discounted gains: of the document at this position, 0 where there
    is none or it is not judged, and of the ideal ordering. ``unjudged`` says that a document
    stands there and is not judged. ``row`` is the row of the ranking table, -1 where the ranking
    has no document. Without a ranking (``has_ranking``) the ideal is drawn alone.
    """

    ranking: NDArray[np.float64]
    ideal: NDArray[np.float64]
    unjudged: NDArray[np.bool_]
    row: NDArray[np.int64]
    title: str
    measure: str
    ranking_name: str | None = "this ranking"
    has_ranking: bool = True

    def __len__(self) -> int:
        return len(self.ranking)

    @property
    def highest(self) -> float:
        """The highest bar."""
        return float(max(self.ranking.max(initial=0), self.ideal.max(initial=0)))

    @property
    def message(self) -> str:
        """What to say where no bar is to be seen, else nothing."""
        if not len(self):
            return "Nothing to draw"
        if self.highest > 0:
            return ""
        judged = (self.row >= 0) & ~self.unjudged
        return "Every gain is 0" if judged.any() or not self.unjudged.any() else "No grades yet"


NO_BARS = Bars(np.zeros(0), np.zeros(0), np.zeros(0, bool), np.zeros(0, np.int64), "", "")


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours. Against the background all but the grid contrast 3:1 or more, and text 4.5:1."""

    background: str
    text: str
    grid: str
    ranking: str
    ideal: str
    unjudged: str
    selected: str

    @property
    def faint_text(self) -> str:
        """For what is read second."""
        return _mixed(self.text, self.background, 0.78)


# Blue and orange are told apart in every common kind of colour blindness.
LIGHT = Theme("#f7f7f7", "#1c1c1c", "#dcdcdc", "#1769aa", "#b4500f", "#5c5c5c", "#111111")
DARK = Theme("#2b2b2b", "#f0f0f0", "#474747", "#5ab0f2", "#f0a04b", "#bdbdbd", "#ffffff")
PRINT = Theme("#ffffff", "#1c1c1c", "#dedede", "#1769aa", "#b4500f", "#5c5c5c", "#111111")


def _mixed(colour: str, other: str, part: float) -> str:
    mixture = part * np.array(to_rgb(colour)) + (1 - part) * np.array(to_rgb(other))
    return str(to_hex(mixture))


@dataclass(frozen=True, slots=True)
class _Frame:
    """What the still part of the picture depends on: axes, ticks and legend."""

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


class RankingChart:
    """Draws bars on a figure, which it has for itself.

    ``artists`` are what moves from one edit to the next, in drawing order and above all that does
    not move: a window may keep a picture of the rest and draw only these.
    """

    def __init__(self, figure: Figure, theme: Theme) -> None:
        self._figure = figure
        self._theme = theme
        self._axes = figure.add_subplot()
        self._bars = NO_BARS
        self._frame: _Frame | None = None
        self._slots = Slots(0, 1.0, 1.0, True)
        self._selected_rows: Collection[int] = ()
        self._add_artists()
        self.show(NO_BARS)

    @property
    def axes(self) -> Any:
        """The matplotlib axes: positions across, discounted gains up."""
        return self._axes

    def show(self, bars: Bars) -> bool:
        """Draw these bars. True if only artists moved, False if the axes changed too."""
        self._bars = bars
        frame = self._frame_of(bars)
        still = frame == self._frame
        if not still:
            self._frame = frame
            self._set_axes(frame)
        self._set_texts()
        self._move_bars()
        self._mark_unjudged()
        self._mark_selected()
        return still

    def fit(self) -> bool:
        """Fit the same bars to the figure's size, as it is now. Returns what ``show`` does."""
        return self.show(self._bars)

    def select(self, rows: Collection[int]) -> None:
        """Mark the bars of these rows of the table, and no others."""
        self._selected_rows = rows
        self._mark_selected()

    @property
    def selected(self) -> NDArray[np.int64]:
        """Index of each position that is marked, ascending."""
        if not self._selected_rows:
            return np.zeros(0, np.int64)
        row = self._bars.row
        return np.flatnonzero(np.isin(row, list(self._selected_rows)) & (row >= 0))

    def position_at(self, x: float, y: float) -> int | None:
        """Index of the position nearest to a point of the axes, None outside the plot."""
        left, right = self._slots.limits
        bottom, top = self._axes.get_ylim()
        if not len(self._bars) or not (left <= x <= right and bottom <= y <= top):
            return None
        return min(max(round(x), 1), len(self._bars)) - 1

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self._frame = None
        self._colour_artists()
        self.fit()

    # What stands still

    def _frame_of(self, bars: Bars) -> _Frame:
        width, height = self._figure.get_size_inches() * PIXELS
        measure = self._measure(bars, width)
        return _Frame(
            width,
            height,
            self._figure.dpi / PIXELS,
            len(bars),
            axis_top(bars.highest),
            bars.message,
            measure.count("\n") + 1 if measure else 0,
            one_line(bars.ranking_name or "ranking") if bars.has_ranking else None,
            bool(bars.unjudged.any()),
        )

    def _set_axes(self, frame: _Frame) -> None:
        top = EDGE + LINE[TITLE] + frame.measure_lines * LINE[SMALL] + 6 + LINE[SMALL] + 8
        bottom = EDGE + LINE[SMALL] + TICK_ROOM + LINE[SMALL] - 4
        plot_height = max(frame.height - top - bottom, 20.0)
        gains = np.zeros(1) if frame.message else gain_ticks(frame.top, plot_height)
        labels = gain_labels(gains)
        left = EDGE + LINE[SMALL] + 8 + max(map(len, labels)) * DIGIT + 6
        right = max(EDGE, len(str(frame.positions)) * DIGIT / 2 + 2)
        self._place(frame, (left, bottom, frame.width - left - right, plot_height))
        self._axes.set_xlim(self._slots.limits if frame.positions else (0, 1))
        self._axes.set_ylim(0, frame.top)
        positions = position_ticks(self._slots, DIGIT)
        self._axes.set_xticks(positions, [str(position) for position in positions])
        self._axes.set_yticks(gains, labels)
        self._dress(frame)
        self._set_legend(frame)

    def _place(self, frame: _Frame, box: tuple[float, float, float, float]) -> None:
        """Put the axes on whole dots, so that bars between whole dots stay sharp."""
        dots = np.round(np.array(box) * frame.resolution)
        left, bottom, width, height = np.maximum(dots, (0, 0, 20, 20)) / frame.resolution
        size = np.array((frame.width, frame.height) * 2)
        self._axes.set_position(np.array((left, bottom, width, height)) / size)
        self._slots = Slots(
            frame.positions, width, frame.resolution, frame.ranking_name is not None
        )
        self._plot_height = height
        self._axes.yaxis.set_label_coords(
            (EDGE + LINE[SMALL] / 2) / frame.width,
            (bottom + height / 2) / frame.height,
            transform=self._figure.transFigure,
        )
        self._axes.xaxis.set_label_coords(
            (left + width / 2) / frame.width,
            EDGE / frame.height,
            transform=self._figure.transFigure,
        )

    def _dress(self, frame: _Frame) -> None:
        theme, axes = self._theme, self._axes
        self._figure.set_facecolor(theme.background)
        axes.set_axis_on() if frame.positions else axes.set_axis_off()
        axes.set_facecolor("none")
        axes.set_axisbelow(True)
        axes.grid(axis="y", color=theme.grid, linewidth=0.8, linestyle="-")
        axes.grid(visible=False, axis="x")
        for side, spine in axes.spines.items():
            spine.set_visible(side == "bottom")
            spine.set(color=theme.faint_text, linewidth=1.0)
        axes.tick_params(length=0, labelsize=SMALL, labelcolor=theme.faint_text)
        axes.tick_params(axis="x", pad=TICK_ROOM / POINT)
        axes.tick_params(axis="y", pad=6 / POINT)
        label = {"color": theme.faint_text, "fontproperties": font(SMALL)}
        axes.set_xlabel("position", va="baseline", ha="center", **label)
        axes.set_ylabel(
            "discounted gain", va="center", ha="center", rotation_mode="anchor", **label
        )

    def _set_legend(self, frame: _Frame) -> None:
        old = self._axes.get_legend()
        if old is not None:
            old.remove()
        if not frame.positions:
            return
        entries = self._legend_entries(frame)
        top = EDGE + LINE[TITLE] + frame.measure_lines * LINE[SMALL] + 6
        legend = self._axes.legend(
            list(entries.values()),
            list(entries),
            handler_map={tuple: HandlerTuple(ndivide=1)},
            loc="upper left",
            bbox_to_anchor=(EDGE / frame.width, 1 - top / frame.height),
            bbox_transform=self._figure.transFigure,
            ncols=len(entries),
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
        for text in legend.get_texts():
            text.set_parse_math(False)

    def _legend_entries(self, frame: _Frame) -> dict[str, Any]:
        """Each entry's text and sample."""
        theme = self._theme
        entries: dict[str, Any] = {}
        if frame.ranking_name is not None:
            others = 190 if frame.unjudged else 100
            room = max(frame.width - 2 * EDGE - others, 60) / POINT
            name = elided(frame.ranking_name, font(SMALL), room)
            entries[name] = Patch(facecolor=theme.ranking, edgecolor="none")
        entries["ideal"] = Patch(
            facecolor=self._ideal_fill, edgecolor=theme.ideal, hatch=HATCH, linewidth=1.2
        )
        if frame.unjudged:
            entries["not judged"] = self._unjudged_sample()
        return entries

    def _unjudged_sample(self) -> Any:
        colour = self._theme.unjudged
        if not self._slots.roomy:
            return Line2D([], [], color=colour, linewidth=4.5 / POINT)
        box = Patch(facecolor="none", edgecolor=colour, linestyle=":", linewidth=1.2)
        return box, Line2D([], [], color=colour, linestyle="none", marker="$?$", markersize=5.5)

    @property
    def _ideal_fill(self) -> str:
        return _mixed(self._theme.ideal, self._theme.background, 0.18)

    # What moves

    def _add_artists(self) -> None:
        axes, figure = self._axes, self._figure
        self._band = PolyCollection([], edgecolor="none", alpha=0.1)
        self._ideal = PolyCollection([], label="ideal")
        self._hatch = PathPatch(Path(np.zeros((0, 2))), facecolor="none", linewidth=0, hatch=HATCH)
        self._ranking = PolyCollection([], label="ranking", edgecolor="none")
        self._outline = Line2D([], [], linewidth=1.2, solid_joinstyle="miter")
        self._unjudged = PolyCollection([], label="not judged", linewidth=1.2, clip_on=False)
        self._questions = Line2D([], [], linestyle="none", marker="$?$")
        self._edges = PolyCollection([], facecolor="none", linewidth=1.8)
        below = ScaledTranslation(0, -TICK_ROOM / 2 / PIXELS, figure.dpi_scale_trans)
        self._triangles = Line2D(
            [], [], linestyle="none", marker="^", markersize=5.5, clip_on=False
        )
        self._bar_artists = [
            self._band,
            self._ideal,
            self._hatch,
            self._ranking,
            self._outline,
            self._unjudged,
            self._questions,
            self._edges,
            self._triangles,
        ]
        for order, artist in enumerate(self._bar_artists):
            artist.set(zorder=3 + order / 10, in_layout=False)
            axes.add_artist(artist)
        self._triangles.set_transform(axes.transData + below)
        on_figure = {"transform": figure.transFigure, "parse_math": False, "zorder": 4}
        small = font(SMALL)
        self._title = axes.text(0, 1, "", va="top", fontproperties=font(TITLE, "bold"), **on_figure)
        self._measure_text = axes.text(0, 1, "", va="top", fontproperties=small, **on_figure)
        self._message = axes.text(
            0.5, 0.55, "", ha="center", va="center", fontproperties=font(TITLE),
            transform=axes.transAxes, zorder=4,
        )  # fmt: skip
        self.artists: list[Any] = [
            *self._bar_artists,
            self._title,
            self._measure_text,
            self._message,
        ]
        self._colour_artists()

    def _colour_artists(self) -> None:
        theme = self._theme
        self._band.set_facecolor(theme.selected)
        self._ideal.set_facecolor(self._ideal_fill)
        self._hatch.set_edgecolor(theme.ideal)
        self._ranking.set_facecolor(theme.ranking)
        self._outline.set_color(theme.ideal)
        # Where the ideal's edge crosses a bar of the ranking a halo parts the two colours.
        self._outline.set_path_effects([withStroke(linewidth=3.2, foreground=theme.background)])
        self._questions.set_color(theme.unjudged)
        self._edges.set_edgecolor(theme.selected)
        self._triangles.set_color(theme.selected)
        self._title.set_color(theme.text)
        self._measure_text.set_color(theme.faint_text)
        self._message.set_color(theme.faint_text)

    def _measure(self, bars: Bars, width: float) -> str:
        room = (width - 2 * EDGE) / POINT
        return wrapped(one_line(bars.measure), font(SMALL), room, MEASURE_LINES)

    def _set_texts(self) -> None:
        width, height = self._figure.get_size_inches() * PIXELS
        title = one_line(self._bars.title)
        self._title.set_text(elided(title, font(TITLE, "bold"), (width - 2 * EDGE) / POINT))
        self._title.set_position((EDGE / width, 1 - EDGE / height))
        self._measure_text.set_text(self._measure(self._bars, width))
        self._measure_text.set_position((EDGE / width, 1 - (EDGE + LINE[TITLE]) / height))
        self._message.set_text(self._bars.message)

    def _move_bars(self) -> None:
        bars, slots = self._bars, self._slots
        ranked = np.flatnonzero((bars.ranking > 0) & bars.has_ranking)
        self._ranking.set_verts(rectangles(*slots.ranking(ranked), bars.ranking[ranked]))
        ideal = np.flatnonzero(bars.ideal > 0)
        if slots.overlaid and len(ideal):
            stairs = staircase(bars.ideal[: ideal[-1] + 1])
            self._outline.set_data(*stairs.T)
            corners = stairs[None]
        else:
            self._outline.set_data([], [])
            corners = rectangles(*slots.ideal(ideal), bars.ideal[ideal])
        self._ideal.set_verts(corners)
        self._ideal.set_edgecolor("none" if slots.overlaid else self._theme.ideal)
        self._hatch.set_path(_one_path(corners))

    def _mark_unjudged(self) -> None:
        bars, slots = self._bars, self._slots
        index = np.flatnonzero(bars.unjudged)
        bottom, top = UNJUDGED_BOX if slots.roomy else UNJUDGED_STRIP
        pixel = self._axes.get_ylim()[1] / self._plot_height
        left, right = slots.ranking(index)
        corners = rectangles(left, right, np.full(len(index), (top - bottom) * pixel))
        self._unjudged.set_verts(corners + (0, bottom * pixel))
        self._unjudged.set_facecolor("none" if slots.roomy else self._theme.unjudged)
        self._unjudged.set_edgecolor(self._theme.unjudged if slots.roomy else "none")
        self._unjudged.set_linestyle(":")
        if slots.roomy:
            self._questions.set_data((left + right) / 2, np.full(len(index), top / 2 * pixel))
            self._questions.set_markersize(min(slots.bar - 2, 9) / POINT)
        else:
            self._questions.set_data([], [])

    def _mark_selected(self) -> None:
        bars, slots = self._bars, self._slots
        index = self.selected
        half = max(1.5 / slots.pixels, min(0.5, (slots.bar + BAND_EDGE) / slots.pixels))
        full = np.full(len(index), self._axes.get_ylim()[1])
        self._band.set_verts(rectangles(index + 1 - half, index + 1 + half, full))
        self._triangles.set_data(index + 1, np.zeros(len(index)))
        if not slots.roomy:  # an edge would hide the whole bar
            index = index[:0]
        edges = np.concatenate(
            (
                rectangles(*slots.ranking(index), bars.ranking[index] * bars.has_ranking),
                rectangles(*slots.ideal(index), bars.ideal[index]),
            )
        )
        self._edges.set_verts(edges[edges[:, 1, 1] > 0])


def _one_path(corners: Floats) -> Path:
    """All polygons as one path: a hatch is prepared anew for each path, which takes half a
    millisecond.
    """
    count, size, _ = corners.shape
    codes = np.full((count, size + 1), Path.LINETO, dtype=np.uint8)
    codes[:, 0] = Path.MOVETO
    codes[:, -1] = Path.CLOSEPOLY
    vertices = np.concatenate((corners, corners[:, :1]), axis=1)
    return Path(vertices.reshape(-1, 2), codes.reshape(-1))


def draw_ranking(figure: Figure, bars: Bars, theme: Theme = PRINT) -> RankingChart:
    """Draw the bars on an empty figure, for a report or a file."""
    chart = RankingChart(figure, theme)
    chart.show(bars)
    return chart


PICTURE_FORMATS = ("png", "svg", "pdf")


def picture(bars: Bars, format: str, size: tuple[float, float] = (8.0, 4.8)) -> bytes:
    """The chart as the content of a PNG, SVG or PDF file, this many inches wide and high."""
    if format not in PICTURE_FORMATS:
        raise ValueError(f"a picture is saved as {', '.join(PICTURE_FORMATS)}, not as {format!r}")
    figure = Figure(size, dpi=2 * PIXELS if format == "png" else PIXELS)
    stream = BytesIO()
    # Text stays text, that can be searched and read aloud.
    with mpl.rc_context({"svg.fonttype": "none"}):
        draw_ranking(figure, bars)
        figure.savefig(stream, format=format, dpi="figure")
    return stream.getvalue()
