"""The grades of a scale as a table to write in: number, name, and when to give it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.scale import MOST_LEVELS
from ndcg_desktop.files.numbers import number, number_text

GRADE, NAME, GUIDELINE = range(3)
HEADERS = ("Grade", "Name", "When to give it (Markdown)")
TALLEST_ROW = 96
LOWEST_EDITOR = 84
"""Pixels for writing a guideline: some lines."""

TABS = {
    Qt.Key.Key_Tab: QStyledItemDelegate.EndEditHint.EditNextItem,
    Qt.Key.Key_Backtab: QStyledItemDelegate.EndEditHint.EditPreviousItem,
}
RETURNS = Qt.Key.Key_Return, Qt.Key.Key_Enter
_Index = QModelIndex | QPersistentModelIndex
Row = tuple[str, str, str]
"""Grade, name and guideline, as they stand in the cells."""


class LevelsTable(QWidget):
    """A row for each grade, which can be changed, added and removed. The highest is the first, as
    in what a judge reads of them; the texts are taken and given lowest first, as a scale has them.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.table = QTableWidget(0, len(HEADERS))
        self.table.setObjectName("levels")
        self.table.setAccessibleName("Grades of the scale")
        self.table.setHorizontalHeaderLabels(HEADERS)
        header = self.table.horizontalHeaderItem(GRADE)
        assert header is not None
        header.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.table.setTabKeyNavigation(False)
        self.table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.table.setItemDelegateForColumn(GUIDELINE, _GuidelineDelegate(self.table))
        self._set_sizes()
        self.add = QPushButton("&Add grade")
        self.add.setObjectName("addLevel")
        self.remove = QPushButton("&Remove grade")
        self.remove.setObjectName("removeLevel")
        self.buttons = self.add, self.remove
        row = QHBoxLayout()
        row.addWidget(self.add)
        row.addWidget(self.remove)
        row.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.table)
        layout.addLayout(row)
        self.table.itemChanged.connect(self._on_changed)
        self.table.currentCellChanged.connect(self._follow)
        self.add.clicked.connect(self._add)
        self.remove.clicked.connect(self._remove)

    def _set_sizes(self) -> None:
        mode = QHeaderView.ResizeMode
        across, down = self.table.horizontalHeader(), self.table.verticalHeader()
        across.setSectionResizeMode(GUIDELINE, mode.Stretch)
        across.setHighlightSections(False)
        across.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.table.setColumnWidth(GRADE, 64)
        self.table.setColumnWidth(NAME, 150)
        down.hide()
        down.setMaximumSectionSize(TALLEST_ROW)
        down.setSectionResizeMode(mode.ResizeToContents)

    def rows(self) -> tuple[Row, ...]:
        """What stands in the cells, from the last row up."""
        return tuple(
            (self._text(row, GRADE), self._text(row, NAME), self._text(row, GUIDELINE))
            for row in reversed(range(self.table.rowCount()))
        )

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show other grades; nobody has changed them yet."""
        with QSignalBlocker(self.table):
            self.table.setRowCount(0)
            for row in rows:
                self._put_on_top(row)
        self._follow()

    def _put_on_top(self, texts: Row) -> None:
        self.table.insertRow(0)
        for column, text in enumerate(texts):
            item = QTableWidgetItem(text)
            side = Qt.AlignmentFlag.AlignRight if column == GRADE else Qt.AlignmentFlag.AlignLeft
            item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
            self.table.setItem(0, column, item)

    def _text(self, row: int, column: int) -> str:
        item = self.table.item(row, column)
        return "" if item is None else item.text()

    def _add(self) -> None:
        """Add the whole number above all grades."""
        grades = [grade for row in self.rows() if (grade := number(row[GRADE])) is not None]
        following = max(grades, default=-1.0) // 1 + 1
        with QSignalBlocker(self.table):
            self._put_on_top((number_text(following), "", ""))
        self.table.setCurrentCell(0, NAME)
        self.table.setFocus()
        self._on_changed()

    def _remove(self) -> None:
        self.table.removeRow(self.table.currentRow())
        self._on_changed()

    def _on_changed(self) -> None:
        self._follow()
        self.changed.emit()

    def _follow(self) -> None:
        self.add.setEnabled(self.table.rowCount() < MOST_LEVELS)
        self.remove.setEnabled(self.table.currentRow() >= 0)


class _GuidelineDelegate(QStyledItemDelegate):
    """Gives a guideline an editor of several lines, which Tab leaves as it leaves any other, and
    Ctrl+Return as Return leaves one of a single line.
    """

    def __init__(self, view: QTableWidget) -> None:
        super().__init__(view)
        self._view = view

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        editor = QPlainTextEdit(parent)
        editor.setAccessibleName(HEADERS[GUIDELINE])
        editor.setAccessibleDescription("Ctrl+Return ends the writing")
        editor.setStyleSheet("QPlainTextEdit { border: 1px solid palette(highlight); }")
        return editor

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        # Qt would have Tab written into an editor of several lines, and Ctrl+Return too.
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            hint = _ends(event)
            if hint is not None and isinstance(editor, QPlainTextEdit):
                self.commitData.emit(editor)
                self.closeEditor.emit(editor, hint)
                return True
        return super().eventFilter(editor, event)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        place: QRect = option.rect
        place.setHeight(max(place.height(), LOWEST_EDITOR))
        room = self._view.viewport().height()
        if place.bottom() > room:
            place.moveBottom(max(room - 1, LOWEST_EDITOR))
        editor.setGeometry(place)


def _ends(event: QKeyEvent) -> QStyledItemDelegate.EndEditHint | None:
    """Where a key goes that ends the writing of several lines, None for any other key."""
    if event.key() in RETURNS and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return QStyledItemDelegate.EndEditHint.NoHint
    return TABS.get(Qt.Key(event.key()))
