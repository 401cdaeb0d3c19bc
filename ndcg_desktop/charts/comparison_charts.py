"""The charts of a comparison, and how any of them is drawn on a figure or into a file.

Each chart is a plain value with its data; it says what it shows in words, and what stands where.
"""

from __future__ import annotations

from io import BytesIO

import matplotlib as mpl
from matplotlib.figure import Figure

from ndcg_desktop.charts.comparison_chart import Box, ComparisonChart, Item, Pair
from ndcg_desktop.charts.comparison_sheet import Sheet
from ndcg_desktop.charts.difference_bars import DifferenceBars
from ndcg_desktop.charts.heat_map import HeatMap
from ndcg_desktop.charts.layout import PIXELS
from ndcg_desktop.charts.paired_bars import PairedBars
from ndcg_desktop.charts.ranking_chart import DRAWING, PICTURE_FORMATS
from ndcg_desktop.charts.ranking_styles import RANKING_STYLES, RankingStyle
from ndcg_desktop.charts.scatter_chart import ScatterChart
from ndcg_desktop.charts.theme import PRINT, Theme

__all__ = [
    "RANKING_STYLES",
    "Box",
    "ComparisonChart",
    "DifferenceBars",
    "HeatMap",
    "Item",
    "Pair",
    "PairedBars",
    "RankingStyle",
    "ScatterChart",
    "draw_comparison",
    "picture_of",
]


def draw_comparison(figure: Figure, chart: ComparisonChart, theme: Theme = PRINT) -> None:
    """Draw a chart on a figure as large as it is, in the place of what was on it."""
    chart.draw(Sheet(figure, theme))


def picture_of(chart: ComparisonChart, kind: str, size: tuple[float, float] = (8.0, 4.8)) -> bytes:
    """Draw a chart in print colours, so many inches wide and high, as the content of a PNG, SVG or
    PDF file. Raises ValueError for another kind.
    """
    if kind not in PICTURE_FORMATS:
        kinds = ", ".join(each.upper() for each in PICTURE_FORMATS)
        raise ValueError(f"A picture can be saved as {kinds}, not as “{kind}”.")
    stream = BytesIO()
    # Text stays text, to be searched and read aloud.
    with DRAWING, mpl.rc_context({"svg.fonttype": "none"}):
        figure = Figure(size, dpi=2 * PIXELS if kind == "png" else PIXELS)
        draw_comparison(figure, chart)
        figure.savefig(stream, format=kind, dpi="figure")
    return stream.getvalue()
