"""Any chart of a comparison as a widget, which matplotlib draws and Qt shows.

Importing this module imports matplotlib: the window does so after its first paint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QWidget

from ndcg_desktop.charts.comparison_chart import ComparisonChart, Item, draw_comparison, picture_of
from ndcg_desktop.charts.theme import LIGHT, Theme
from ndcg_desktop.views.drawn_view import DrawnView

ARROWS: dict[int, tuple[int, int]] = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}
"""How far a key goes, across and up."""

ENDS: dict[int, int] = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}
ENTER = Qt.Key.Key_Return, Qt.Key.Key_Enter

DASHES = (2.0, 1.0)
"""Of the outline of an item, in widths of its line."""

LEAST_OUTLINE = 9.0
"""Pixels that the outline of an item is wide and high at least."""


class FigureView(DrawnView):
    """Shows a chart; what stands in it can be pointed at, or reached with the arrow keys."""

    clicked = Signal(object)
    """The item that was clicked, or on which Enter was pressed: a query's number, a position, or a
    row and column.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self._chart: ComparisonChart | None = None
        self._theme = LIGHT
        self._current: Item | None = None
        self._hovered: Item | None = None
        self._take_palette()

    @property
    def chart(self) -> ComparisonChart | None:
        """What is shown."""
        return self._chart

    @property
    def current(self) -> Item | None:
        """The item that is outlined."""
        return self._current

    def show_chart(self, chart: ComparisonChart | None) -> None:
        """Show this chart, or none; the current item stays where it is in this one too."""
        self._chart = chart
        self.set_current(self._current)
        if self._hovered is not None:
            self._hide_tip()
        self.setAccessibleDescription(self.describe())
        self.draw_idle()

    def set_current(self, item: Item | None) -> None:
        """Outline this item, or none where the chart does not have it."""
        there = self._chart is not None and item in self._chart.items
        self._current = item if there else None
        self.update()

    def describe(self) -> str:
        """Say in words what the chart shows."""
        return "" if self._chart is None else self._chart.describe()

    def _picture(self) -> Callable[[str], bytes]:
        chart = self._chart
        if chart is None:
            raise ValueError("There is no chart yet.")
        return lambda kind: picture_of(chart, kind)

    # Drawing

    def _draw_figure(self) -> None:
        if self._chart is None:
            self.figure.clear()
            self.figure.set_facecolor(self._theme.background)
        else:
            draw_comparison(self.figure, self._chart, self._theme)
        self._draw_canvas()

    def _take_theme(self, theme: Theme) -> None:
        self._theme = theme

    def paintEvent(self, event: QPaintEvent) -> None:
        """Outline the current item upon the figure."""
        super().paintEvent(event)
        axes = self._axes
        if self._current is not None and axes is not None:
            # Dashes, since a chart may have an outline of its own.
            colour = self.palette().color(QPalette.ColorRole.WindowText)
            pen = QPen(colour, 2, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern(DASHES)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)  # others fill the gaps
            self._paint_frame(self._outline(self._current), pen)

    def _outline(self, item: Item) -> QRectF:
        """Where an item stands in the widget."""
        assert self._chart is not None
        axes = self._axes
        left, low, right, high = self._chart.box(item)
        x, y = (
            np.clip((left, right), *sorted(axes.get_xlim())),
            np.clip((low, high), *sorted(axes.get_ylim())),
        )
        corners = [self._point_of(axes, *corner) for corner in zip(x, y, strict=True)]
        box = QRectF(*corners).normalized()
        wider, higher = (max(LEAST_OUTLINE - size, 0) / 2 for size in (box.width(), box.height()))
        return box.adjusted(-wider, -higher, wider, higher)

    @property
    def _axes(self) -> Any:
        """The axes of what was drawn last, None where there is no plot."""
        return self.figure.axes[0] if self.figure.axes else None

    # Pointing

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what stands under the pointer."""
        item = self._item_at(event.position())
        if item == self._hovered:
            return
        if item is None or self._chart is None:
            self._hide_tip()
            return
        self._hovered = item
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._show_tip(self._chart.tip(item), event.globalPosition().toPoint())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose what stands under the pointer."""
        item = self._item_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and item is not None:
            self.set_current(item)
            self.clicked.emit(item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the current item, or choose it; other keys are the window's."""
        key = event.key()
        modified = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modified or self._chart is None or not self._has_plot():
            event.ignore()
        elif key in ENTER and self._current is not None:
            self.clicked.emit(self._current)
        elif key in ARROWS:
            self._go_to(self._chart.step(self._current, *ARROWS[key]))
        elif key in ENDS:
            self._go_to(self._chart.items[ENDS[key]])
        else:
            event.ignore()

    def _has_plot(self) -> bool:
        return self._chart is not None and not self._chart.message

    def _go_to(self, item: Item | None) -> None:
        self.set_current(item)
        if item is None or self._chart is None or self._axes is None:
            return
        place = self._outline(item).center().toPoint()
        self._show_tip(self._chart.tip(item), self.mapToGlobal(place))

    def _item_at(self, point: QPointF) -> Item | None:
        axes = self._axes
        if self._chart is None or axes is None or self._changed:
            return None
        x, y = self._data_at(axes, point)
        (left, right), (low, high) = sorted(axes.get_xlim()), sorted(axes.get_ylim())
        inside = left <= x <= right and low <= y <= high
        return self._chart.nearest(x, y) if inside else None

    def _hide_tip(self) -> None:
        self._hovered = None
        super()._hide_tip()
