"""Everything larger or smaller, for a projector or tired eyes: letters, rows, charts."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QHeaderView, QTableView, QWidget

STEPS = (80, 90, 100, 110, 125, 150, 175, 200)
"""Per cent."""
NORMAL = 100
TOLERANCE = 0.01
"""Points by which letters may miss their size."""
LOWEST_ROW = 24
"""Pixels of a row at 100 per cent."""
_LETTERS = "ndcgLetters"
"""The property of the application, and of a widget, that holds the size of its letters at 100 per
cent.
"""
_ROW = "ndcgRowHeight"
"""The property of a table that holds the height of its rows at 100 per cent."""


def letters(application: QApplication) -> float:
    """The points of letters at 100 per cent, which the platform has chosen."""
    if application.property(_LETTERS) is None:
        application.setProperty(_LETTERS, application.font().pointSizeF())
    return float(application.property(_LETTERS))


def zoom_of(widget: QWidget) -> float:
    """How many times as large as usual the letters of a widget are."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    return widget.font().pointSizeF() / letters(application)


def next_step(zoom: int, by: int) -> int:
    """The next larger (1) or smaller (-1) zoom, in per cent; 0 is the usual one."""
    if not by:
        return NORMAL
    wanted = [step for step in STEPS if (step > zoom if by > 0 else step < zoom)]
    return (min(wanted) if by > 0 else max(wanted)) if wanted else zoom


def apply_zoom(application: QApplication, zoom: int) -> None:
    """Make all letters so many per cent of their usual size, and the rows of tables as high."""
    usual = letters(application)
    now = application.font().pointSizeF() / usual
    ratio = zoom / NORMAL / now
    # A style sheet keeps the application's font from widgets that are there already, and headings
    # have fonts of their own: each gets the size that it has at 100 per cent, so many times.
    widgets = [each for window in application.topLevelWidgets() for each in _all_of(window)]
    for widget in widgets:
        if widget.property(_LETTERS) is None:
            widget.setProperty(_LETTERS, widget.font().pointSizeF() / now)
    font = application.font()
    font.setPointSizeF(usual * zoom / NORMAL)
    application.setFont(font)
    for widget in widgets:
        _fit_letters(widget, zoom)
        if isinstance(widget, QTableView):
            _fit_rows(widget, zoom, now)
            _fit_columns(widget, ratio)


def _fit_letters(widget: QWidget, zoom: int) -> None:
    wanted = float(widget.property(_LETTERS)) * zoom / NORMAL
    font = widget.font()
    if wanted > 0 and abs(font.pointSizeF() - wanted) > TOLERANCE:
        font.setPointSizeF(wanted)
        widget.setFont(font)


def _fit_columns(table: QTableView, ratio: float) -> None:
    """Give each column that has a width of its own so many times as much of it."""
    header = table.horizontalHeader()
    if abs(ratio - 1) < TOLERANCE:
        return
    for column in range(header.count()):
        own = header.sectionResizeMode(column) == QHeaderView.ResizeMode.Interactive
        if own and not header.isSectionHidden(column):
            header.resizeSection(column, round(header.sectionSize(column) * ratio))


def _all_of(window: QWidget) -> list[QWidget]:
    return [window, *window.findChildren(QWidget)]


def _fit_rows(table: QTableView, zoom: int, now: float) -> None:
    rows = table.verticalHeader()
    if table.property(_ROW) is None:  # one made while zoomed has rows for such letters
        height = rows.defaultSectionSize()
        table.setProperty(_ROW, max(round(height / now), LOWEST_ROW) if now > 1 else height)
    height = round(int(table.property(_ROW)) * max(zoom, NORMAL) / NORMAL)
    if height != rows.defaultSectionSize():
        rows.setDefaultSectionSize(height)
