"""What every chart of a comparison has: two sides, words for what it shows, and places to point at.

Coordinates are those of the chart's own axes; finding what stands at a point is arithmetic on the
data, and needs no drawing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ndcg_desktop.charts.comparison_sheet import Sheet
from ndcg_desktop.charts.lettering import ELLIPSIS, LONGEST
from ndcg_desktop.charts.ranking_chart import SIZE, drawn
from ndcg_desktop.charts.ranking_styles import RANKING_STYLES, RankingStyle
from ndcg_desktop.charts.theme import PRINT, Theme
from ndcg_desktop.evaluation.wording import DECIMALS, decimal, signed
from ndcg_desktop.scoring.ndcg import ROUNDING

Floats = NDArray[np.float64]

Item = int | tuple[int, int]
"""What can be pointed at: a query's number, a position, or a cell's row and column."""

Box = tuple[float, float, float, float]
"""Left, lower, right and upper end on the axes; infinite where it is the edge of the plot."""

BETTER = "▲"
WORSE = "▼"
"""Which side is ahead, where there is no room for a number: the candidate, or the baseline."""

LISTED = 30
"""Up to so many queries are each told in words, and have labels of their own."""


def in_line(text: str) -> str:
    """A text for sentences: on one line, and cut where nobody listens on."""
    line = " ".join(text[:LONGEST].split())
    return line + ELLIPSIS if len(text) > LONGEST else line


@dataclass(frozen=True, slots=True)
class Pair:
    """The baseline A and the candidate B, and the measure they are compared by ("nDCG@10").

    The colour and the hatch of each are its own in every chart: what is in favour of the candidate
    has the candidate's colour.
    """

    baseline: str
    candidate: str
    measure: str
    baseline_style: RankingStyle = RANKING_STYLES[0]
    candidate_style: RankingStyle = RANKING_STYLES[1]
    decimals: int = DECIMALS
    tie: float = 0.0
    """The largest difference of a query that is a tie."""

    @property
    def axis(self) -> str:
        """What an axis of differences is called."""
        return f"B − A, {self.measure}"

    @property
    def sides(self) -> str:
        """Which is which, in words."""
        return f"A is “{in_line(self.baseline)}”, B is “{in_line(self.candidate)}”."

    def sign(self, difference: Floats) -> NDArray[np.int64]:
        """1 where the candidate is better, -1 where the baseline is, 0 in a tie or where a
        difference is not known. Of the shape of ``difference``.
        """
        known = np.nan_to_num(difference)
        far = np.abs(known) > self.tie + ROUNDING
        return np.where(far, np.sign(known), 0).astype(np.int64)

    def outcome(self, difference: float) -> str:
        """What a difference says: "B better by 0.031"."""
        sign = int(self.sign(np.array(difference)))
        if not sign:
            return f"tied ({self.signed(difference)})" if difference else "tied"
        size = self.decimal(abs(difference))
        if not size.strip("0."):
            size = f"less than {self.decimal(10.0**-self.decimals)}"
        return f"{'B' if sign > 0 else 'A'} better by {size}"

    def counts(self, sign: NDArray[np.int64]) -> str:
        """How many queries each side is better on."""
        return (
            f"B better on {np.count_nonzero(sign > 0):,}, A better on "
            f"{np.count_nonzero(sign < 0):,}, {np.count_nonzero(sign == 0):,} tied."
        )

    def decimal(self, value: float) -> str:
        """A figure, with the decimals that are asked for."""
        return decimal(value, self.decimals)

    def signed(self, value: float) -> str:
        """A difference with its sign."""
        return signed(value, self.decimals)


class ComparisonChart(ABC):
    """One chart: what it says in words, what stands where, and how it is drawn.

    ``title`` and ``measure`` are written above it: text of files as it is, never mathematics.
    """

    title: str
    measure: str

    @property
    @abstractmethod
    def message(self) -> str:
        """What is said in the place of a plot, empty where there is something to plot."""

    @property
    @abstractmethod
    def items(self) -> Sequence[Item]:
        """All that can be pointed at, in the order in which keys reach them."""

    @abstractmethod
    def describe(self) -> str:
        """Say in words what the chart shows."""

    @abstractmethod
    def nearest(self, x: float, y: float) -> Item | None:
        """What stands nearest to a point of the plot, None where nothing is meant."""

    @abstractmethod
    def tip(self, item: Item) -> str:
        """What there is to be known about an item, which is one of ``items``."""

    @abstractmethod
    def box(self, item: Item) -> Box:
        """Where an item stands."""

    @abstractmethod
    def plot(self, sheet: Sheet) -> None:
        """Draw the plot, and the legend, on the rest of a sheet."""

    def step(self, item: Item | None, across: int, up: int) -> Item | None:
        """What an arrow key reaches from an item: the next in order, either way."""
        items = self.items
        if item is None or item not in items:
            return items[0] if items else None
        place = items.index(item) + (across or up)
        return items[min(max(place, 0), len(items) - 1)]

    def draw(self, sheet: Sheet) -> None:
        """Draw everything on an empty sheet."""
        sheet.head(self.title, self.measure)
        if self.message:
            sheet.say(self.message)
        else:
            self.plot(sheet)

    def _opening(self) -> list[str]:
        """The first sentences of a description."""
        return [f"{in_line(text)}." for text in (self.title, self.measure) if text]


def draw_comparison(figure: Figure, chart: ComparisonChart, theme: Theme = PRINT) -> None:
    """Draw a chart on a figure as large as it is, in the place of what was on it."""
    chart.draw(Sheet(figure, theme))


def picture_of(chart: ComparisonChart, kind: str, size: tuple[float, float] = SIZE) -> bytes:
    """Draw a chart in print colours, so many inches wide and high, as the content of a PNG, SVG or
    PDF file. Raises ValueError for another kind.
    """
    return drawn(lambda figure: draw_comparison(figure, chart), kind, size)
