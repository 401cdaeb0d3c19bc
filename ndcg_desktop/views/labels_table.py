"""What grades in words stand for: a grade beside each label of the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.wording import grade_text
from ndcg_desktop.files.labels import Labels, normal_label
from ndcg_desktop.files.numbers import number

LABEL, COUNT, GRADE = range(3)
NOT_JUDGED = "not judged"
TALLEST = 190


class LabelsTable(QWidget):
    """A row for each label: how often it stands there, and its grade, which can be changed."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        words = QLabel("&Grades in words: which grade each of them is (empty: not judged)")
        self.table = QTableWidget(0, 3)
        self.table.setObjectName("labels")
        self.table.setAccessibleName("Labels and their grades")
        self.table.setHorizontalHeaderLabels(["Label", "Rows", "Grade"])
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(26)
        self.table.horizontalHeader().setSectionResizeMode(LABEL, QHeaderView.ResizeMode.Stretch)
        self.table.itemChanged.connect(self._on_item)
        words.setBuddy(self.table)
        layout.addWidget(words)
        layout.addWidget(self.table)
        self._labels: Labels | None = None
        self.hide()

    def show_labels(self, labels: Labels | None, counts: Mapping[str, int]) -> None:
        """Show the labels of a table, by how often each stands there, with their grades."""
        self._labels = labels or Labels({})
        names: dict[str, str] = {}  # by the label as it is compared, its commonest spelling
        rows: Counter[str] = Counter()
        for text, count in counts.items():
            names.setdefault(normal_label(text), text)
            rows[normal_label(text)] += count
        for text in self._labels.spelling.values():
            names.setdefault(normal_label(text), text)
        self.table.blockSignals(True)
        self.table.setRowCount(len(names))
        for row, (label, text) in enumerate(names.items()):
            grade = self._labels.grade_of(text)
            self._put(row, LABEL, text, editable=False)
            self._put(row, COUNT, f"{rows[label]:,}", editable=False)
            self._put(row, GRADE, "" if grade is None else grade_text(grade), editable=True)
        self.table.blockSignals(False)
        height = self.table.verticalHeader().length() + self.table.horizontalHeader().height() + 4
        self.table.setFixedHeight(min(TALLEST, max(height, 60)))
        self.setVisible(bool(counts))

    def chosen(self) -> Labels | None:
        """The labels with the grades that they now have; None where there are none."""
        return self._labels if self.table.rowCount() else None

    def _put(self, row: int, column: int, text: str, editable: bool) -> None:
        item = QTableWidgetItem(text)
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        item.setFlags(flags | Qt.ItemFlag.ItemIsEditable if editable else flags)
        if column != LABEL:
            item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if editable:
            label = self.table.item(row, LABEL)
            name = label.text() if label is not None else ""
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, f"Grade of {name}: {text or NOT_JUDGED}"
            )
        self.table.setItem(row, column, item)

    def _on_item(self, item: QTableWidgetItem) -> None:
        label = self.table.item(item.row(), LABEL)
        if item.column() != GRADE or label is None or self._labels is None:
            return
        text = item.text().strip()
        grade = number(text)
        if grade is None and text and normal_label(text) != NOT_JUDGED:
            before = self._labels.grade_of(label.text())
            self.table.blockSignals(True)
            item.setText("" if before is None else grade_text(before))
            self.table.blockSignals(False)
            return
        self._labels = self._labels.with_grade(label.text(), grade)
        self.changed.emit()
