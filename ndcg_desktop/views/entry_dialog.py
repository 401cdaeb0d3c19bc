"""Enter grades by hand: position, item, grade and, if wanted, ideal grade."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.files.entered import entered_table
from ndcg_desktop.files.numbers import is_blank, number
from ndcg_desktop.files.table import Table

ROWS = 12
HEADER = ("Position", "Item", "Grade", "Ideal grade")
ITEM, GRADE, IDEAL = 1, 2, 3


def grades_in(text: str) -> list[str]:
    """The cells of a list such as "3, 2, 3, 0, 1, 2": split at commas, semicolons and spaces.

    Two separators in a row leave a blank cell: not judged.
    """
    text = text.strip()
    for separators in (r"\s*[;\t\n]\s*", r"\s*,\s*", r"\s+"):
        if re.search(separators, text):
            return re.split(separators, text)
    return [text] if text else []


class EntryDialog(QDialog):
    """An empty table to type or paste into; gives back a table that is opened like a file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("entryDialog")
        self.setWindowTitle("Enter grades by hand")
        self.resize(560, 600)
        layout = QVBoxLayout(self)
        layout.addLayout(self._paste_row())
        self.table = _EntryTable(ROWS, len(HEADER))
        self.table.setObjectName("entryTable")
        self.table.setAccessibleName("Positions with their items and grades")
        self.table.setHorizontalHeaderLabels(list(HEADER))
        self.table.verticalHeader().hide()
        self.table.setTabKeyNavigation(False)  # Tab leads on to the buttons
        self.table.horizontalHeader().setSectionResizeMode(ITEM, QHeaderView.ResizeMode.Stretch)
        self._number_rows()
        layout.addWidget(self.table, 1)
        hint = QLabel(
            "Rows with a position are returned, in that order. Clear a position for an item that "
            "was judged but not returned. A blank grade is not judged."
        )
        hint.setWordWrap(True)
        layout.addWidget(hint)
        self.problem = QLabel()
        self.problem.setWordWrap(True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        layout.addWidget(self.problem)
        layout.addWidget(self._button_box())
        self.table.itemChanged.connect(self._follow)
        self._follow()
        self.paste.setFocus()

    def _paste_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        label = QLabel("&Paste grades")
        self.paste = QLineEdit()
        self.paste.setObjectName("pasteGrades")
        self.paste.setPlaceholderText("such as 3, 2, 3, 0, 1, 2")
        label.setBuddy(self.paste)
        self.paste.textChanged.connect(self._fill)
        self.paste.returnPressed.connect(self._score)
        row.addWidget(label)
        row.addWidget(self.paste, 1)
        return row

    def _button_box(self) -> QDialogButtonBox:
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.score_button = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        self.score_button.setText("&Score")
        self.score_button.setAutoDefault(False)
        self.buttons.button(QDialogButtonBox.StandardButton.Cancel).setAutoDefault(False)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        more = self.buttons.addButton("&More rows", QDialogButtonBox.ButtonRole.ActionRole)
        more.setObjectName("moreRows")
        more.setAutoDefault(False)
        more.clicked.connect(self._more)
        return self.buttons

    def _number_rows(self) -> None:
        for row in range(self.table.rowCount()):
            if self.table.item(row, 0) is None:
                self.table.setItem(row, 0, QTableWidgetItem(str(row + 1)))

    def _more(self) -> None:
        self.table.setRowCount(self.table.rowCount() + ROWS)
        self._number_rows()

    def _score(self) -> None:
        if self.score_button.isEnabled():
            self.accept()

    def _fill(self) -> None:
        """Put the listed grades into the rows, from the first, as they are typed or pasted."""
        cells = grades_in(self.paste.text())
        while self.table.rowCount() < len(cells):
            self._more()
        for row in range(self.table.rowCount()):
            self.table.setItem(row, GRADE, QTableWidgetItem(cells[row] if row < len(cells) else ""))

    def _cell(self, row: int, column: int) -> str:
        item = self.table.item(row, column)
        return "" if item is None else item.text().strip()

    def _filled(self) -> list[int]:
        """The rows up to the last that says something; one with a position alone is an item that
        was returned and not judged.
        """
        says = [
            row
            for row in range(self.table.rowCount())
            if any(self._cell(row, column) for column in (ITEM, GRADE, IDEAL))
        ]
        rows = range(says[-1] + 1 if says else 0)
        return [row for row in rows if row in says or self._cell(row, 0)]

    def _follow(self) -> None:
        """Say what is missing or wrong, and whether there is something to score."""
        rows = self._filled()
        for row in rows:
            for column in (0, GRADE, IDEAL):
                cell = self._cell(row, column)
                if not is_blank(cell) and number(cell) is None:
                    self._say(f"Row {row + 1}: “{cell[:40]}” is not a number.")
                    return
        items = [self._item(row) for row in rows]
        twice = next((item for item in items if items.count(item) > 1), None)
        if twice is not None:
            self._say(f"The item “{twice}” stands twice; give each its own name.")
            return
        self._say("" if rows else "Type a grade, or paste a list above.")
        self.score_button.setEnabled(bool(rows))

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.score_button.setEnabled(False)

    def _item(self, row: int) -> str:
        return self._cell(row, ITEM) or f"Item {row + 1}"

    def entered(self) -> Table:
        """What was entered, as a table."""
        rows = self._filled()
        columns = [
            [self._cell(row, 0) for row in rows],
            [self._item(row) for row in rows],
            [self._cell(row, GRADE) for row in rows],
        ]
        header = ["position", "item", "grade"]
        ideal = [self._cell(row, IDEAL) for row in rows]
        if any(ideal):
            columns.append(ideal)
            header.append("ideal grade")
        return entered_table(header, columns)


class _EntryTable(QTableWidget):
    """A table that takes a block from a spreadsheet."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            self._paste()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.edit(self.currentIndex())  # and not the dialog's default button
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            for item in self.selectedItems():
                item.setText("")
        else:
            super().keyPressEvent(event)

    def _paste(self) -> None:
        top, left = max(self.currentRow(), 0), max(self.currentColumn(), 0)
        lines = QGuiApplication.clipboard().text().splitlines()
        self.setRowCount(max(self.rowCount(), top + len(lines)))
        for row, line in enumerate(lines, top):
            for column, cell in enumerate(line.split("\t"), left):
                if column < self.columnCount():
                    self.setItem(row, column, QTableWidgetItem(cell.strip()))
