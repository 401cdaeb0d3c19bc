"""The chart of the chosen query as a widget, which matplotlib draws and Qt shows.

Importing this module imports matplotlib: the window does so after its first paint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_qtagg import FigureCanvasQTAgg
from matplotlib.figure import Figure
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ndcg_desktop.charts.bars import Bars
from ndcg_desktop.charts.layout import PIXELS
from ndcg_desktop.charts.ranking_chart import DRAWING, RankingChart, picture
from ndcg_desktop.charts.theme import DARK, LIGHT, Theme
from ndcg_desktop.evaluation.wording import decimal
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.models.tooltip import plain_tip, short_text

MINIMUM = QSize(320, 220)

STEPS: dict[int, int] = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
ENDS: dict[int, int] = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}

DRAWN_LATER = 20
"""Milliseconds until another try, where a picture is being made."""

# Its methods have no types.
_Canvas: Any = FigureCanvasQTAgg


class ChartView(_Canvas):  # type: ignore[misc]
    """The bars of one query; a position can be clicked, or reached with the arrow keys.

    Drawing waits for the next paint, so that many changes make one drawing and a hidden chart
    makes none. Axes are drawn when they change; else only bars and words are drawn anew, on a kept
    picture of the rest.
    """

    position_clicked = Signal(int)
    """The row, in the ranking table, of the document at the position."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Figure(dpi=PIXELS))
        self.setParent(parent)
        self.setObjectName("chart")
        self.setAccessibleName("Chart of discounted gains")
        self.setMinimumSize(MINIMUM)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._bars: Bars | None = None
        self._hover: Callable[[int], str] = str
        self._hovered: int | None = None
        self._still: Any = None
        """The drawn figure without what moves, None where it has to be drawn."""
        self._moved = False
        with DRAWING:
            self._chart = RankingChart(self.figure, LIGHT)
        for artist in self._chart.artists:
            artist.set_animated(True)
        # matplotlib gives its canvas a white palette, which would hide the window's from it.
        self.setPalette(QPalette())
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

    def save_picture(self, path: Path) -> None:
        """Write the chart, in print colours, as PNG, SVG or PDF, as the name's suffix says.

        Raises ValueError, also as a FileError, where that cannot be done.
        """
        self.picture_writer(path)()

    def picture_writer(self, path: Path) -> Callable[[], None]:
        """What writes the chart as it now is, in print colours, as the name's suffix says: it may
        be called on another thread. Raises ValueError where there is no chart.
        """
        bars = self._shown_bars()

        def save() -> None:
            data = picture(bars, path.suffix.lower().removeprefix("."))
            atomic_write(path, lambda stream: stream.write(data))

        return save

    def copy_picture(self) -> None:
        """Put the chart, in print colours, on the clipboard."""
        image = QImage.fromData(picture(self._shown_bars(), "png"))
        QGuiApplication.clipboard().setImage(image)

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

    def draw(self) -> None:
        """Draw everything now."""
        with DRAWING:
            self._draw_all()
        self.update()

    def draw_idle(self) -> None:
        """Draw everything with the next paint; matplotlib asks for it after a change of size."""
        self._still = None
        self.update()

    def _redraw(self, only_artists: bool) -> None:
        if only_artists:
            self._moved = True
            self.update()
        else:
            self.draw_idle()

    def _draw_all(self) -> None:
        self._chart.fit()
        FigureCanvasAgg.draw(self)  # type: ignore[no-untyped-call]
        self._still = self.copy_from_bbox(self.figure.bbox)
        self._draw_artists()

    def _draw_artists(self) -> None:
        for artist in self._chart.artists:
            self.figure.draw_artist(artist)
        self._moved = False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what has changed, show it, and frame it where it has the focus."""
        if self._still is None or self._moved:
            self._draw_changes()
        super().paintEvent(event)
        if self.hasFocus():
            self._paint_focus()

    def _draw_changes(self) -> None:
        """Draw what has changed, or, while a thread draws a picture, a little later."""
        if not DRAWING.acquire(blocking=False):
            QTimer.singleShot(DRAWN_LATER, self.update)
            return
        try:
            if self._still is None:
                self._draw_all()
            else:
                self.restore_region(self._still)
                self._draw_artists()
        finally:
            DRAWING.release()

    def _paint_focus(self) -> None:
        with QPainter(self) as painter:
            pen = QPen(self.palette().color(QPalette.ColorRole.Highlight), 2)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the window's colours."""
        super().changeEvent(event)
        # matplotlib sets a palette before there is a chart.
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_chart"):
            self._take_palette()

    def _take_palette(self) -> None:
        with DRAWING:
            self._chart.set_theme(self._theme())
        self.draw_idle()

    def _theme(self) -> Theme:
        window = self.palette().color(QPalette.ColorRole.Window)
        return replace(DARK if window.lightness() < 128 else LIGHT, background=window.name())

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
        self._show_tip(index, event.globalPosition().toPoint())

    def leaveEvent(self, event: QEvent) -> None:
        """Say nothing any more."""
        self._hide_tip()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the position under the pointer."""
        index = self._index_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and index is not None:
            self._choose(index)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to what the chart stands in."""
        event.ignore()

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
        self._show_tip(index, self.mapToGlobal(self._point(index)))

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Leave it to the window."""
        event.ignore()

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
        place = self.mouseEventCoords(point)
        x, y = self._chart.axes.transData.inverted().transform(place)
        return self._chart.position_at(float(x), float(y))

    def _point(self, index: int) -> QPoint:
        """Where a position's bars stand on the axis, in the widget."""
        x, y = self._chart.axes.transData.transform((index + 1, 0))
        ratio = self.device_pixel_ratio
        return QPoint(round(x / ratio), round(self.height() - y / ratio))

    def _show_tip(self, index: int, place: QPoint) -> None:
        QToolTip.showText(place, plain_tip(self._hover(index + 1)), self, self.rect())

    def _hide_tip(self) -> None:
        self._hovered = None
        self.unsetCursor()
        QToolTip.hideText()

    def _shown_bars(self) -> Bars:
        if self._bars is None:
            raise ValueError("There is no chart yet.")
        return self._bars


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
