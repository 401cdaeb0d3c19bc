"""The ranking table: grades are typed, filled, copied and pasted as in a spreadsheet."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ndcg_desktop.files.numbers import is_blank, number_text
from ndcg_desktop.models.ranking_model import MUTED_ROLE, RankingModel

Index = QModelIndex | QPersistentModelIndex

ROW_HEIGHT = 26
WIDTHS = {
    "#": 76, "Document": 94, "Grade": 60, "Gain": 58, "Discount": 68, "Disc. gain": 80,
    "DCG": 58, "Ideal grade": 80, "Ideal disc.": 72,
}  # fmt: skip
OTHER_WIDTHS = 70, 220
"""Least and greatest width of a column of the file's own."""
ROWS_MEASURED = 40


class GradeTable(QTableView):
    """A table view over a RankingModel with the keys of a judge."""

    filled = Signal(str)  # what a paste or fill did, in words

    def __init__(self, model: RankingModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setObjectName("ranking")
        self.setAccessibleName("Ranking")
        self.setModel(model)
        self.setItemDelegate(_Delegate(self))
        self.setAlternatingRowColors(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        model.modelReset.connect(self._on_reset)

    def _on_reset(self) -> None:
        for place, column in enumerate(self._model.columns):
            wide = column.editable and self._model.has_wide_grades
            fixed = None if wide else WIDTHS.get(column.header)
            self.setColumnWidth(place, fixed or self._content_width(place))
        if self._model.rowCount():
            self.setCurrentIndex(self._model.index(0, self._model.grade_column))

    def _content_width(self, place: int) -> int:
        """As wide as the first cells need, within bounds: the numbers should stay in sight."""
        column = self._model.columns[place]
        rows = range(min(self._model.rowCount(), ROWS_MEASURED))
        texts = [column.header, *(column.text(row)[:80] for row in rows)]
        widest = max(self.fontMetrics().horizontalAdvance(text) for text in texts)
        return min(max(widest + 18, OTHER_WIDTHS[0]), OTHER_WIDTHS[1])

    @property
    def selected_rows(self) -> list[int]:
        """The rows with something selected, else the current row; in order."""
        rows = {index.row() for index in self.selectionModel().selectedIndexes()}
        if not rows and self.currentIndex().isValid():
            rows = {self.currentIndex().row()}
        return sorted(rows)

    def select_row(self, row: int) -> None:
        """Make a row current, at its grade."""
        index = self._model.index(row, self._model.grade_column)
        self.selectionModel().setCurrentIndex(
            index, QItemSelectionModel.SelectionFlag.ClearAndSelect
        )
        self.scrollTo(index)

    def select_rows(self, rows: list[int]) -> None:
        """Select the grades of some rows, the first of them current."""
        self.select_row(rows[0])
        for row in rows[1:]:
            index = self._model.index(row, self._model.grade_column)
            self.selectionModel().select(index, QItemSelectionModel.SelectionFlag.Select)

    # ---- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        editing = self.state() == QAbstractItemView.State.EditingState
        if self._model.rowCount() and not editing and self._handle(event):
            event.accept()
            return
        super().keyPressEvent(event)

    def _handle(self, event: QKeyEvent) -> bool:
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain == Qt.KeyboardModifier.NoModifier:
            if len(event.text()) == 1 and event.text() in "0123456789":
                self.type_grade(float(event.text()))
                return True
            if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
                self.clear_grades()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._edit_current()
                return True
        if event.matches(QKeySequence.StandardKey.Cut):
            self.copy()
            self.clear_grades()
            return True
        return False

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        row = self.currentIndex().row()
        super().closeEditor(editor, hint)
        committed = hint == QAbstractItemDelegate.EndEditHint.SubmitModelCache
        if committed and row + 1 < self._model.rowCount():
            self.select_row(row + 1)  # as a digit does

    def _edit_current(self) -> None:
        row = self.currentIndex().row()
        if row >= 0:
            self.edit(self._model.index(row, self._model.grade_column))

    def type_grade(self, grade: float) -> None:
        """Grade the selected rows; from a single row go on to the next."""
        rows = self.selected_rows
        self._model.set_grades(rows, [grade] * len(rows))
        if len(rows) == 1 and rows[0] + 1 < self._model.rowCount():
            self.select_row(rows[0] + 1)

    def clear_grades(self) -> None:
        """Make the selected rows *not judged*."""
        rows = self.selected_rows
        self._model.set_grades(rows, [None] * len(rows))

    def fill_down(self) -> None:
        """Give the selected rows the grade of the first; a single row that of the row above."""
        rows = self.selected_rows
        if len(rows) == 1 and rows[0] > 0:
            rows = [rows[0] - 1, rows[0]]
        if len(rows) > 1:
            grade = self._model.grade(rows[0])
            self._model.set_grades(rows[1:], [grade] * (len(rows) - 1))

    # ---- clipboard

    def copy(self) -> None:
        """Copy the selected block as a spreadsheet takes it."""
        chosen = self.selectionModel().selectedIndexes()
        indexes = [index for index in chosen if not self.isColumnHidden(index.column())]
        if not indexes:
            return
        rows = sorted({index.row() for index in indexes})
        columns = sorted({index.column() for index in indexes})
        cells = {(index.row(), index.column()) for index in indexes}
        lines = [
            "\t".join(
                self._cell(row, column) if (row, column) in cells else "" for column in columns
            )
            for row in rows
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def _cell(self, row: int, column: int) -> str:
        text = self._model.columns[column].text(row)
        # A tab or line end inside a cell would make two of it.
        return " ".join(text.split()) if any(mark in text for mark in "\t\r\n") else text

    def paste(self) -> None:
        """Paste grades: one to all selected rows, or a block from the current row on."""
        block = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
        if not block:
            return
        cells = self._column_of(block)
        rows = self.selected_rows
        if len(cells) == 1:
            cells *= len(rows)
        elif len(rows) != len(cells):
            first = rows[0] if rows else 0
            rows = list(range(first, min(first + len(cells), self._model.rowCount())))
        good = [
            (row, cell)
            for row, cell in zip(rows, cells, strict=False)
            if self._model.is_grade(row, cell)
        ]
        grades = [self._model.read_grade(row, cell) for row, cell in good]
        self._model.set_grades([row for row, _ in good], grades)
        taken = sum(is_blank(cell) for _, cell in good)
        self.filled.emit(_pasted(len(good) - taken, taken, len(cells) - len(good)))

    def _column_of(self, block: list[list[str]]) -> list[str]:
        """The pasted column that falls on the grades: a single one wherever the cursor is."""
        width = max(len(line) for line in block)
        place = 0 if width == 1 else self._model.grade_column - self.currentIndex().column()
        return [line[place] if 0 <= place < len(line) else "–" for line in block]


def _pasted(given: int, taken: int, left: int) -> str:
    text = f"{given} {'grade' if given == 1 else 'grades'} pasted"
    if taken:
        text += f", {taken} made not judged"
    return f"{text}." if not left else f"{text}; {left} left out: no grade, or no row for it."


class _Delegate(QStyledItemDelegate):
    """Grades edited as text; rows beside the score shown muted; the grade cell has an outline."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName("Grade")
        editor.setAlignment(Qt.AlignmentFlag.AlignCenter)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        grade = index.data(Qt.ItemDataRole.EditRole)
        editor.setText("" if grade is None else number_text(grade))

    def setModelData(self, editor: QWidget, model: object, index: Index) -> None:
        assert isinstance(editor, QLineEdit) and isinstance(model, RankingModel)
        model.setData(index, editor.text())

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.data(MUTED_ROLE):
            muted = option.palette.color(QPalette.ColorRole.PlaceholderText)
            option.palette.setColor(QPalette.ColorRole.Text, muted)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        model = index.model()
        if isinstance(model, RankingModel) and index.column() == model.grade_column:
            painter.save()
            painter.setPen(option.palette.color(QPalette.ColorRole.Mid))
            painter.drawRoundedRect(option.rect.adjusted(6, 3, -7, -4), 4, 4)
            painter.restore()
