"""The chart of the chosen query as a widget, which matplotlib draws and Qt shows.

Importing this module imports matplotlib: the window does so after its first paint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from ndcg_desktop.charts.bars import Bars
from ndcg_desktop.charts.ranking_chart import DRAWING, RankingChart, picture
from ndcg_desktop.charts.theme import LIGHT, Theme
from ndcg_desktop.evaluation.wording import decimal
from ndcg_desktop.models.tooltip import short_text
from ndcg_desktop.views.drawn_view import DrawnView

STEPS: dict[int, int] = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
ENDS: dict[int, int] = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}


class ChartView(DrawnView):
    """The bars of one query; a position can be clicked, or reached with the arrow keys.

    Axes are drawn when they change; else only bars and words are drawn anew, on a kept picture of
    the rest.
    """

    position_clicked = Signal(int)
    """The row, in the ranking table, of the document at the position."""

    position_hovered = Signal(int)
    """The same of the position under the pointer, -1 where there is none or it has no document."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chart")
        self.setAccessibleName("Chart of discounted gains")
        self._bars: Bars | None = None
        self._hover: Callable[[int], str] = str
        self._hovered: int | None = None
        self._still: Any = None
        """The drawn figure without what moves, None where it has to be drawn."""
        with DRAWING:
            self._chart = RankingChart(self.figure, LIGHT)
        for artist in self._chart.artists:
            artist.set_animated(True)
        self._take_palette()

    def show_bars(self, bars: Bars, hover: Callable[[int], str]) -> None:
        """Show the bars of a query; ``hover`` says what stands at a position, from 1."""
        self._bars, self._hover = bars, hover
        if self._hovered is not None:
            self._hide_tip()
        with DRAWING:  # a picture takes a tenth of a second, and few are made
            self._redraw(self._chart.show(bars))
        self.setAccessibleDescription(self.describe())

    def select_rows(self, rows: set[int]) -> None:
        """Mark the positions of these rows of the ranking table."""
        self._chart.select(rows)
        self._redraw(True)

    def _picture(self) -> Callable[[str], bytes]:
        bars = self._bars
        if bars is None:
            raise ValueError("There is no chart yet.")
        return lambda format: picture(bars, format)

    def describe(self) -> str:
        """Say in words what the chart shows: each position's numbers, once for equal ones."""
        bars = self._bars
        if bars is None:
            return ""
        title = short_text(bars.title)
        parts = [". ".join(filter(None, (title, bars.measure, bars.message))) + "."]
        first = 1
        for words, run in groupby(_words(bars)):
            last = first + len(list(run)) - 1
            where = f"Position {first}" if first == last else f"Positions {first} to {last}"
            parts.append(f"{where}: {words}.")
            first = last + 1
        return "\n".join(parts)

    # Drawing

    def draw_idle(self) -> None:
        """Draw everything with the next paint."""
        self._still = None
        super().draw_idle()

    def _redraw(self, only_artists: bool) -> None:
        if only_artists:
            self._changed = True
            self.update()
        else:
            self.draw_idle()

    def _draw_figure(self) -> None:
        if self._still is None:
            self._chart.fit()
            self._draw_canvas()
            self._still = self.copy_from_bbox(self.figure.bbox)
        else:
            self.restore_region(self._still)
        for artist in self._chart.artists:
            self.figure.draw_artist(artist)

    def _take_theme(self, theme: Theme) -> None:
        self._chart.set_theme(theme)

    # Pointing

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what stands at the position under the pointer."""
        index = self._index_at(event.position())
        if index == self._hovered:
            return
        if index is None:
            self._hide_tip()
            return
        self._hovered = index
        clickable = self._row(index) >= 0
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if clickable else Qt.CursorShape.ArrowCursor
        )
        self._show_tip(self._hover(index + 1), event.globalPosition().toPoint())
        self.position_hovered.emit(self._row(index))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the position under the pointer."""
        index = self._index_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and index is not None:
            self._choose(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the selected position; other keys are the window's."""
        key = event.key()
        places = self._places()
        modified = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modified or not places or key not in (*STEPS, *ENDS):
            event.ignore()
            return
        index = places[ENDS[key] if key in ENDS else self._next_place(places, STEPS[key])]
        self._choose(index)
        self._show_tip(self._hover(index + 1), self.mapToGlobal(self._point(index)))

    def _places(self) -> list[int]:
        """Index of each position at which the ranking has a document."""
        if self._bars is None:
            return []
        return [int(index) for index in np.flatnonzero(self._bars.row >= 0)]

    def _next_place(self, places: list[int], step: int) -> int:
        selected = self._chart.selected
        if not len(selected):
            return 0
        place = places.index(int(selected[0] if step < 0 else selected[-1]))
        return min(max(place + step, 0), len(places) - 1)

    def _choose(self, index: int) -> None:
        row = self._row(index)
        if row >= 0:
            self.select_rows({row})
            self.position_clicked.emit(row)

    def _row(self, index: int) -> int:
        return -1 if self._bars is None else int(self._bars.row[index])

    def _index_at(self, point: QPointF) -> int | None:
        return self._chart.position_at(*self._data_at(self._chart.axes, point))

    def _point(self, index: int) -> QPoint:
        """Where a position's bars stand on the axis, in the widget."""
        return self._point_of(self._chart.axes, index + 1, 0).toPoint()

    def _hide_tip(self) -> None:
        if self._hovered is not None:
            self.position_hovered.emit(-1)
        self._hovered = None
        super()._hide_tip()


def _words(bars: Bars) -> Iterator[str]:
    """Each position's numbers in words."""
    name = short_text(bars.ranking_name or "ranking")
    for ranking, ideal, unjudged, row in zip(
        bars.ranking.tolist(),
        bars.ideal.tolist(),
        bars.unjudged.tolist(),
        bars.row.tolist(),
        strict=True,
    ):
        own = f"{name} {decimal(ranking)}, "
        if not bars.has_ranking:
            own = ""
        elif unjudged:
            own = "not judged, "
        elif row < 0:
            own = "no document, "
        yield f"{own}ideal {decimal(ideal)}"
