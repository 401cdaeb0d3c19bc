"""The arithmetic of a chart of positions: where bars, ticks and labels stand. No drawing.

Lengths are in pixels of 1/96 inch, whatever the resolution the figure is drawn at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PIXELS = 96
"""Pixels per inch."""

POINT = PIXELS / 72
"""Pixels per point."""

BELOW_AXIS = 13.0
"""Pixels between the axis and its numbers, where selected positions are marked."""

MARGIN = 0.6
"""Positions between the edge of the plot and the first or last position."""

SIDE_BY_SIDE = 9.0
"""Pixels per position from which on two bars find room beside each other."""

ROOMY_BAR = 7.0
"""Width of a bar, in pixels, from which on there is room for an edge or a "?" of its own."""

WIDEST_BAR = 72.0
NARROWEST_BAR = 1.5

HEADROOM = 1.06
"""How far the axis reaches above the highest bar."""

TOP_OF_ALL = 1.7e308
"""No axis reaches further: a 64-bit float ends soon after."""

POSITION_STEPS = (1, 5, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True, slots=True)
class Slots:
    """The horizontal room of ``count`` positions on a plot ``width`` pixels wide.

    ``resolution`` is the dots of the screen or picture per pixel: edges of bars are put between
    dots, so that all bars are equally wide and sharp. ``paired`` says that the ideal shares its
    position with a bar of the ranking.
    """

    count: int
    width: float
    resolution: float
    paired: bool

    @property
    def limits(self) -> tuple[float, float]:
        """First and last value of the axis of positions."""
        return 1 - MARGIN, self.count + MARGIN

    @property
    def pixels(self) -> float:
        """Pixels per position."""
        return self.width / (self.count - 1 + 2 * MARGIN)

    @property
    def overlaid(self) -> bool:
        """Whether the bars of a position stand before each other, for want of room."""
        return self.pixels < SIDE_BY_SIDE

    @property
    def roomy(self) -> bool:
        """Whether a bar can have an edge or a sign of its own."""
        return not self.overlaid and self.bar >= ROOMY_BAR

    @property
    def bar(self) -> float:
        """Pixels that one bar is wide."""
        if self.overlaid:
            return max(NARROWEST_BAR, self._dots(0.62 * self.pixels))
        return self._dots(min((0.4 if self.paired else 0.62) * self.pixels, WIDEST_BAR))

    def ranking(self, index: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Left and right edges of the bars of the ranking, on the axis of positions."""
        if self.overlaid:
            return self._edges(index, -self.bar / 2)
        return self._edges(index, -self.bar - self._gap / 2)

    def ideal(self, index: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Left and right edges of the bars of the ideal, where they stand side by side."""
        if not self.paired:
            return self._edges(index, -self.bar / 2)
        return self._edges(index, -self.bar - self._gap / 2, self.bar + self._gap)

    @property
    def _gap(self) -> float:
        return self._dots(2.0 if self.bar >= 10 else 1.0)

    def _edges(
        self, index: NDArray[np.int64], offset: float, further: float = 0.0
    ) -> tuple[Floats, Floats]:
        """Bars whose left edge is the dot nearest to this offset, plus some whole dots."""
        place = (index + MARGIN) * self.pixels + offset
        left = np.round(place * self.resolution) / self.resolution + further
        start = self.limits[0]
        return start + left / self.pixels, start + (left + self.bar) / self.pixels

    def _dots(self, pixels: float) -> float:
        return max(1.0, math.floor(pixels * self.resolution)) / self.resolution


@dataclass(frozen=True, slots=True)
class Plot:
    """The inside of the axes: ``height`` pixels for gains from 0 to ``top``."""

    slots: Slots
    height: float
    top: float

    @property
    def pixel(self) -> float:
        """What a pixel is on the axis of gains."""
        return self.top / self.height


def rectangles(left: Floats, right: Floats, height: Floats) -> Floats:
    """Return the corners of m rectangles that stand on zero, of shape (m, 4, 2)."""
    corners = np.zeros((len(left), 4, 2))
    corners[:, :2, 0] = left[:, None]
    corners[:, 2:, 0] = right[:, None]
    corners[:, 1:3, 1] = height[:, None]
    return corners


def staircase(height: Floats) -> Floats:
    """Return the outline, from zero to zero, of bars one position wide: (2n + 2, 2)."""
    across = np.repeat(np.arange(len(height) + 1) + 0.5, 2)
    up = np.concatenate(([0.0], np.repeat(height, 2), [0.0]))
    return np.stack((across, up), axis=1)


def position_ticks(slots: Slots, digit: float) -> NDArray[np.int64]:
    """Return the positions to number: 1, and multiples of a step that keeps them apart.

    ``digit`` is the width of a digit in pixels.
    """
    needed = (len(str(slots.count)) + 1) * digit
    fitting = (step for step in POSITION_STEPS if step * slots.pixels >= needed)
    step = next(fitting, slots.count)
    ticks = np.arange(step, slots.count + 1, step)
    if step > 1 and (step - 1) * slots.pixels >= needed / 2 + digit:
        ticks = np.concatenate(([1], ticks))
    return ticks


def axis_top(highest: float) -> float:
    """Return the upper end of the axis of gains."""
    return min(highest, TOP_OF_ALL / HEADROOM) * HEADROOM if highest > 0 else 1.0


def gain_ticks(top: float, pixels: float) -> Floats:
    """Return round values from 0 to the top: at most eight, and 40 pixels or more apart."""
    least = top * max(40 / max(pixels, 100), 1 / 7)
    power = 10.0 ** math.floor(math.log10(least))
    step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))
    return np.arange(0, top / step * (1 + 1e-9)) * step


def gain_labels(ticks: Floats) -> list[str]:
    """Write the ticks with equal decimals, or with powers of ten where they are far from 1."""
    step = ticks[1] if len(ticks) > 1 else 1.0
    if ticks[-1] >= 1e5 or step < 1e-4:
        return [f"{tick:g}" for tick in ticks]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{tick:.{decimals}f}" for tick in ticks]
