"""The charts of a comparison as pictures that a page can hold: SVG, in light and in dark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO

import matplotlib as mpl
from matplotlib.figure import Figure

from ndcg_desktop.charts.comparison_chart import ComparisonChart, draw_comparison
from ndcg_desktop.charts.layout import PIXELS
from ndcg_desktop.charts.ranking_chart import DRAWING
from ndcg_desktop.charts.theme import DARK, PRINT, Theme

Size = tuple[float, float]
"""Inches across and down."""


@dataclass(frozen=True, slots=True)
class ReportChart:
    """A chart of a report: its name, unlike that of any other, what it shows in words, and itself,
    so that it can be drawn in the size and the colours of a page.
    """

    name: str
    words: str
    chart: ComparisonChart
    size: Size

    @property
    def title(self) -> str:
        """What is written above it."""
        return self.chart.title

    def svg(self, theme: Theme = PRINT, size: Size | None = None) -> bytes:
        """The chart as vectors, its letters as text."""
        stream = BytesIO()
        with DRAWING, mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": self.name}):
            figure = Figure(size or self.size, dpi=PIXELS)
            draw_comparison(figure, self.chart, theme)
            figure.savefig(stream, format="svg", dpi="figure", metadata={"Date": None})
        return stream.getvalue()

    def inline(self) -> str:
        """The chart in light and in dark as elements of an HTML page, of which it shows one."""
        pictures = (("light", PRINT), ("dark", DARK))
        return "".join(
            _as_element(self.svg(theme).decode(), f"{self.name}-{kind}", kind)
            for kind, theme in pictures
        )


_BEFORE = re.compile(r"^.*?(?=<svg\b)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>", re.DOTALL)
_ID = re.compile(r'(\bid="|url\(#|href="#)')
_TAG = re.compile(r"<svg\b[^>]*>")
_VIEW = re.compile(r'viewBox="[^"]*"')


def _as_element(svg: str, name: str, kind: str) -> str:
    """A picture for the inside of a page: ids that no other has, no prolog, as wide as there is
    room. What it shows is told by the figure around it.
    """
    svg = _METADATA.sub("", _BEFORE.sub("", svg))
    svg = _ID.sub(rf"\g<1>{name}-", svg)
    view = _VIEW.search(svg)
    assert view is not None
    tag = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'class="{kind}" {view[0]} aria-hidden="true">'
    )
    return _TAG.sub(lambda _: tag, svg, count=1).strip()
