"""What every widget that matplotlib draws has in common.

Importing this module imports matplotlib: the window does so after its first paint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_qtagg import FigureCanvasQTAgg
from matplotlib.figure import Figure
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QGuiApplication,
    QImage,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ndcg_desktop.charts.layout import PIXELS
from ndcg_desktop.charts.ranking_chart import DRAWING
from ndcg_desktop.charts.theme import DARK, LIGHT, Theme
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.models.tooltip import plain_tip
from ndcg_desktop.views.zoom import zoom_of

MINIMUM = QSize(320, 220)

DRAWN_LATER = 20
"""Milliseconds until another try, where a picture is being made."""

# Its methods have no types.
_Canvas: Any = FigureCanvasQTAgg


class DrawnView(_Canvas):  # type: ignore[misc]
    """A figure as a widget, drawn with the next paint, so that many changes make one drawing and a
    hidden one makes none.

    A kind of it says how the figure is drawn (``_draw_figure``), what follows the palette
    (``_take_theme``), and how a file of it is made (``_picture``).
    """

    _coloured = False
    """Whether there is something to colour; matplotlib sets a palette before."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Figure(dpi=PIXELS))
        self.setParent(parent)
        self.setMinimumSize(MINIMUM)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._changed = True
        """Whether the next paint has to draw."""
        # matplotlib gives its canvas a white palette, which would hide the window's from it.
        self.setPalette(QPalette())

    def _draw_figure(self) -> None:
        """Draw into the canvas what has changed. DRAWING is held."""
        raise NotImplementedError

    def _take_theme(self, theme: Theme) -> None:
        """Draw in these colours from now on. DRAWING is held."""
        raise NotImplementedError

    def _picture(self) -> Callable[[str], bytes]:
        """What makes the content of a file of what is shown now, given its format; it may be
        called on another thread. Raises ValueError where there is no chart.
        """
        raise NotImplementedError

    def save_picture(self, path: Path) -> None:
        """Write the chart, in print colours, as PNG, SVG or PDF, as the name's suffix says.

        Raises ValueError, also as a FileError, where that cannot be done.
        """
        self.picture_writer(path)()

    def picture_writer(self, path: Path) -> Callable[[], None]:
        """What writes the chart as it now is, in print colours, as the name's suffix says: it may
        be called on another thread. Raises ValueError where there is no chart.
        """
        picture = self._picture()

        def save() -> None:
            data = picture(path.suffix.lower().removeprefix("."))
            atomic_write(path, lambda stream: stream.write(data))

        return save

    def copy_picture(self) -> None:
        """Put the chart, in print colours, on the clipboard."""
        QGuiApplication.clipboard().setImage(QImage.fromData(self._picture()("png")))

    # Drawing

    def draw(self) -> None:
        """Draw everything now."""
        self.draw_idle()
        with DRAWING:
            self._draw_changes()

    def draw_idle(self) -> None:
        """Draw everything with the next paint; matplotlib asks for it after a change of size."""
        self._changed = True
        self.update()

    def _draw_canvas(self) -> None:
        """Draw the figure as it is."""
        FigureCanvasAgg.draw(self)  # type: ignore[no-untyped-call]

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what has changed, show it, and frame it where it has the focus."""
        if self._changed:
            self._try_to_draw()
        super().paintEvent(event)
        if self.hasFocus():
            self._paint_focus()

    def _try_to_draw(self) -> None:
        """Draw what has changed, or, while a thread draws a picture, a little later."""
        if not DRAWING.acquire(blocking=False):
            QTimer.singleShot(DRAWN_LATER, self.update)
            return
        try:
            self._draw_changes()
        finally:
            DRAWING.release()

    def _draw_changes(self) -> None:
        self._draw_figure()
        self._changed = False

    def _paint_focus(self) -> None:
        pen = QPen(self.palette().color(QPalette.ColorRole.Highlight), 2)
        self._paint_frame(QRectF(self.rect()).adjusted(1, 1, -1, -1), pen)

    def _paint_frame(self, box: QRectF, pen: QPen) -> None:
        """Draw a rectangle over the figure."""
        with QPainter(self) as painter:
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.drawRect(box)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the window's colours."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._coloured:
            self._take_palette()
        elif event.type() == QEvent.Type.FontChange and self._coloured:
            self._take_zoom()

    def _take_zoom(self) -> None:
        """Draw as much larger as the window's letters are: an inch then has more pixels."""
        zoom = zoom_of(self)
        self.setMinimumSize(MINIMUM * max(zoom, 1.0))
        # What matplotlib multiplies with the screen's own ratio.
        self.figure._original_dpi = PIXELS * zoom
        ratio = self.device_pixel_ratio
        dpi = self.figure._original_dpi * ratio
        self.figure._set_dpi(dpi, forward=False)
        width, height = (each * ratio / dpi for each in (self.width(), self.height()))
        self.figure.set_size_inches(width, height, forward=False)
        self.draw_idle()

    def _take_palette(self) -> None:
        """Take the window's colours, from the first call on."""
        if not self._coloured:
            self._coloured = True
            self._take_zoom()
        window = self.palette().color(QPalette.ColorRole.Window)
        theme = replace(DARK if window.lightness() < 128 else LIGHT, background=window.name())
        with DRAWING:
            self._take_theme(theme)
        self.draw_idle()

    # Pointing

    def leaveEvent(self, event: QEvent) -> None:
        """Say nothing any more."""
        self._hide_tip()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to what the chart stands in."""
        event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Leave it to the window."""
        event.ignore()

    def _data_at(self, axes: Any, point: QPointF) -> tuple[float, float]:
        """The coordinates, on these axes, of a point of the widget."""
        x, y = axes.transData.inverted().transform(self.mouseEventCoords(point))
        return float(x), float(y)

    def _point_of(self, axes: Any, x: float, y: float) -> QPointF:
        """Where a point of these axes is in the widget."""
        right, up = axes.transData.transform((x, y)) / self.device_pixel_ratio
        return QPointF(float(right), self.height() - float(up))

    def _show_tip(self, text: str, place: QPoint) -> None:
        """Show text as it is, whatever it looks like, at a place of the screen."""
        QToolTip.showText(place, plain_tip(text), self, self.rect())

    def _hide_tip(self) -> None:
        self.unsetCursor()
        QToolTip.hideText()
