"""The list of keys; those of the Judge page can be changed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.views.judge_keys import JUDGE_KEYS, problem_with

TABLE_KEYS = (
    ("Give a grade, and go to the next row", "0–9"),
    ("Enter any grade", "F2, Return"),
    ("Not judged", "Del"),
)
"""Keys of the ranking table that belong to no action."""


class KeysDialog(QDialog):
    """Shows every key. `chosen` gives those of the Judge page as they stand in the fields."""

    def __init__(
        self, keys: dict[str, str], actions: Sequence[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("keysDialog")
        self.setWindowTitle("Keys")
        self.resize(560, 620)
        self.fields: dict[str, QKeySequenceEdit] = {}
        form = QFormLayout()
        for name, spec in JUDGE_KEYS.items():
            field = QKeySequenceEdit(QKeySequence(keys[name]))
            field.setObjectName(f"key{name.capitalize()}")
            field.setAccessibleName(spec.text)
            field.setMaximumSequenceLength(1)
            field.setClearButtonEnabled(True)
            field.keySequenceChanged.connect(self._follow)
            self.fields[name] = field
            form.addRow(spec.text, field)
        layout = QVBoxLayout(self)
        layout.addWidget(_heading("On the Judge page"))
        layout.addWidget(QLabel("Digits give grades; Ctrl+PgDown goes to the next query."))
        layout.addLayout(form)
        self.problem = QLabel()
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        layout.addWidget(self.problem)
        layout.addWidget(_heading("Everywhere"))
        layout.addWidget(_table(actions), 1)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok
            | QDialogButtonBox.StandardButton.Cancel
            | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        restore = self.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        restore.clicked.connect(self._restore)
        layout.addWidget(self.buttons)
        self._follow()

    def chosen(self) -> dict[str, str]:
        """The key of each thing that can be done on the Judge page; "" for none."""
        return {name: field.keySequence().toString() for name, field in self.fields.items()}

    def _follow(self) -> None:
        problem = problem_with(self.chosen())
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not problem)

    def _restore(self) -> None:
        for name, field in self.fields.items():
            field.setKeySequence(QKeySequence(JUDGE_KEYS[name].key))


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def _table(actions: Sequence[QAction]) -> QTableWidget:
    """Every action that has a key, with its keys."""
    rows = [
        (_plain(action.text()), ", ".join(key.toString() for key in action.shortcuts()))
        for action in actions
        if action.shortcuts()
    ]
    rows += TABLE_KEYS
    table = QTableWidget(len(rows), 2)
    table.setObjectName("keys")
    table.setAccessibleName("Keys")
    table.setHorizontalHeaderLabels(["What it does", "Key"])
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    table.setColumnWidth(1, 200)
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.setItem(row, column, QTableWidgetItem(text))
    return table


def _plain(text: str) -> str:
    """An action's text without the mark of its mnemonic."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").removesuffix("…")
