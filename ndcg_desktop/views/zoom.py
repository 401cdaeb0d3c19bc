"""Everything larger or smaller, for a projector or tired eyes: letters, rows, charts."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QHeaderView, QTableView, QWidget

STEPS = (80, 90, 100, 110, 125, 150, 175, 200)
"""Per cent."""
NORMAL = 100
_LETTERS = "ndcgLetters"
"""The property of the application that holds the size of its letters at 100 per cent."""
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
    size = letters(application) * zoom / NORMAL
    font = application.font()
    ratio = size / font.pointSizeF()
    # A style sheet keeps the application's font from widgets that are there already, and headings
    # have fonts of their own: each gets the size that it had, so many times.
    widgets = [each for window in application.topLevelWidgets() for each in _all_of(window)]
    sizes = [each.font().pointSizeF() for each in widgets]
    font.setPointSizeF(size)
    application.setFont(font)
    for widget, before in zip(widgets, sizes, strict=True):
        if ratio != 1 and before > 0:
            own = widget.font()
            own.setPointSizeF(before * ratio)
            widget.setFont(own)
        if isinstance(widget, QTableView):
            _fit_rows(widget, zoom)
            _fit_columns(widget, ratio)


def _fit_columns(table: QTableView, ratio: float) -> None:
    """Give each column that has a width of its own so many times as much of it."""
    header = table.horizontalHeader()
    if ratio == 1:
        return
    for column in range(header.count()):
        own = header.sectionResizeMode(column) == QHeaderView.ResizeMode.Interactive
        if own and not header.isSectionHidden(column):
            header.resizeSection(column, round(header.sectionSize(column) * ratio))


def _all_of(window: QWidget) -> list[QWidget]:
    return [window, *window.findChildren(QWidget)]


def _fit_rows(table: QTableView, zoom: int) -> None:
    rows = table.verticalHeader()
    if table.property(_ROW) is None:
        table.setProperty(_ROW, rows.defaultSectionSize())
    height = round(int(table.property(_ROW)) * max(zoom, NORMAL) / NORMAL)
    if height != rows.defaultSectionSize():
        rows.setDefaultSectionSize(height)
