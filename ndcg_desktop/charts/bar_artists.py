"""What moves on the chart of a query: the bars, and the marks at unjudged and selected ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from ndcg_desktop.charts.bars import Bars
from ndcg_desktop.charts.layout import (
    BELOW_AXIS,
    PIXELS,
    POINT,
    Floats,
    Plot,
    rectangles,
    staircase,
)
from ndcg_desktop.charts.theme import Theme

HATCH = "////"

UNJUDGED_BOX, UNJUDGED_STRIP = (0.0, 18.0), (-6.5, -2.0)
"""Lower and upper end of an unjudged position's mark, in pixels above the axis.

A box with a "?" where there is room for one, else a strip below the bars, to hide none of them.
"""

BAND_EDGE = 7.0
"""Pixels that a selected position is shaded on either side of its bars."""

# "Any", since matplotlib's own types do not know that set_verts takes an array.
Artist = Any


class BarArtists:
    """One artist for each kind of mark, whatever the number of positions: only points are moved.

    ``all`` is in drawing order, and above the axes: what is drawn upon a picture of the axes
    looks as when all is drawn anew.
    """

    def __init__(self, figure: Figure, axes: Axes) -> None:
        self._band: Artist = PolyCollection([], edgecolor="none", alpha=0.1)
        self._ideal: Artist = PolyCollection([], label="ideal")
        # A hatch is prepared anew for every polygon of a collection, which takes half a
        # millisecond each; a path of many polygons is hatched at once.
        self._hatch: Artist = PathPatch(
            Path(np.zeros((0, 2))), facecolor="none", linewidth=0, hatch=HATCH
        )
        self._ranking: Artist = PolyCollection([], label="ranking", edgecolor="none")
        self._outline: Artist = Line2D([], [], linewidth=1.2, solid_joinstyle="miter")
        self._unjudged: Artist = PolyCollection(
            [], label="not judged", linewidth=1.2, linestyle=":", clip_on=False
        )
        self._questions: Artist = Line2D([], [], linestyle="none", marker="$?$")
        self._edges: Artist = PolyCollection([], facecolor="none", linewidth=1.8)
        self._triangles: Artist = Line2D(
            [], [], linestyle="none", marker="^", markersize=5.5, clip_on=False
        )
        self.all: list[Artist] = [
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
        for order, artist in enumerate(self.all):
            artist.set(zorder=3 + order / 10)
            axes.add_artist(artist)
        below = ScaledTranslation(0, -BELOW_AXIS / 2 / PIXELS, figure.dpi_scale_trans)
        self._triangles.set_transform(axes.transData + below)

    def colour(self, theme: Theme) -> None:
        """Paint everything in the colours of a theme."""
        self._theme = theme
        self._band.set_facecolor(theme.selected)
        self._ideal.set_facecolor(theme.ideal_fill)
        self._hatch.set_edgecolor(theme.ideal)
        self._ranking.set_facecolor(theme.ranking)
        self._outline.set_color(theme.ideal)
        # Where the ideal's edge crosses a bar of the ranking a halo parts the two colours.
        self._outline.set_path_effects([withStroke(linewidth=3.2, foreground=theme.background)])
        self._questions.set_color(theme.unjudged)
        self._edges.set_edgecolor(theme.selected)
        self._triangles.set_color(theme.selected)

    def move(self, bars: Bars, plot: Plot) -> None:
        """Put bars and the marks of unjudged positions where they belong."""
        ranked = np.flatnonzero((bars.ranking > 0) & bars.has_ranking)
        slots = plot.slots
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
        self._mark_unjudged(np.flatnonzero(bars.unjudged), plot)

    def select(self, index: NDArray[np.int64], bars: Bars, plot: Plot) -> None:
        """Mark the positions of these indices, and no others."""
        slots = plot.slots
        half = max(1.5 / slots.pixels, min(0.5, (slots.bar + BAND_EDGE) / slots.pixels))
        full = np.full(len(index), plot.top)
        position = index.astype(np.float64) + 1
        self._band.set_verts(rectangles(position - half, position + half, full))
        self._triangles.set_data(position, np.zeros(len(index)))
        if not slots.roomy:  # an edge would hide the whole bar
            index = index[:0]
        ranking = rectangles(*slots.ranking(index), bars.ranking[index] * bars.has_ranking)
        ideal = rectangles(*slots.ideal(index), bars.ideal[index])
        edges = np.concatenate((ranking, ideal))
        self._edges.set_verts(edges[edges[:, 1, 1] > 0])

    def _mark_unjudged(self, index: NDArray[np.int64], plot: Plot) -> None:
        slots, colour = plot.slots, self._theme.unjudged
        bottom, top = UNJUDGED_BOX if slots.roomy else UNJUDGED_STRIP
        left, right = slots.ranking(index)
        corners = rectangles(left, right, np.full(len(index), (top - bottom) * plot.pixel))
        corners[:, :, 1] += bottom * plot.pixel
        self._unjudged.set_verts(corners)
        self._unjudged.set_facecolor("none" if slots.roomy else colour)
        self._unjudged.set_edgecolor(colour if slots.roomy else "none")
        if slots.roomy:
            self._questions.set_data((left + right) / 2, np.full(len(index), top / 2 * plot.pixel))
            self._questions.set_markersize(min(slots.bar - 2, 9) / POINT)
        else:
            self._questions.set_data([], [])


def _one_path(corners: Floats) -> Path:
    """All polygons, of shape (m, corners, 2), as one path."""
    count, size, _ = corners.shape
    codes = np.full((count, size + 1), Path.LINETO, dtype=np.uint8)
    codes[:, 0] = Path.MOVETO
    codes[:, -1] = Path.CLOSEPOLY
    vertices = np.concatenate((corners, corners[:, :1]), axis=1)
    return Path(vertices.reshape(-1, 2), codes.reshape(-1))


def ranking_sample(theme: Theme) -> Artist:
    """How a bar of the ranking looks, for the legend."""
    return Patch(facecolor=theme.ranking, edgecolor="none")


def ideal_sample(theme: Theme) -> Artist:
    """How a bar of the ideal looks, for the legend."""
    return Patch(facecolor=theme.ideal_fill, edgecolor=theme.ideal, hatch=HATCH, linewidth=1.2)


def unjudged_sample(theme: Theme, plot: Plot) -> Artist:
    """How an unjudged position is marked, for the legend: one artist or two upon each other."""
    colour = theme.unjudged
    if not plot.slots.roomy:
        return Line2D([], [], color=colour, linewidth=4.5 / POINT)
    box = Patch(facecolor="none", edgecolor=colour, linestyle=":", linewidth=1.2)
    return box, Line2D([], [], color=colour, linestyle="none", marker="$?$", markersize=5.5)
