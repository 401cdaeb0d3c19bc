"""The list of keys; those of the Judge page can be changed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QStyle,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.views.fitting import Scrolled, fit
from ndcg_desktop.views.judge_keys import JUDGE_KEYS, problems_with

TABLE_KEYS = (
    ("Give a grade, and go to the next row", "0–9"),
    ("Enter any grade", "F2", "Return"),
    ("Not judged", "Del"),
)
"""Keys of the ranking table that belong to no action."""

LEAVES = Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter
"""Keys that do in a field of a key what they do in any other."""

MOVES = Qt.Key.Key_Tab, Qt.Key.Key_Backtab
_SHIFT = Qt.KeyboardModifier.ShiftModifier
HELD = Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta, Qt.Key.Key_AltGr
"""Keys that are no keys by themselves: Qt would begin one, and so take the old one away."""


class KeysDialog(QDialog):
    """Shows every key. `chosen` gives those of the Judge page as they stand in the fields."""

    def __init__(
        self, keys: dict[str, str], actions: Sequence[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("keysDialog")
        self.setWindowTitle("Keys")
        self._taken = _taken(actions)
        self.fields: dict[str, KeyField] = {}
        self.table = _table(actions)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok
            | QDialogButtonBox.StandardButton.Cancel
            | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        restore = self.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        restore.clicked.connect(self._restore)
        everywhere = QVBoxLayout()
        everywhere.addWidget(_heading("Everywhere"))
        everywhere.addWidget(self.table, 1)
        both = QHBoxLayout()
        both.addLayout(everywhere, 1)
        both.addWidget(Scrolled(self._judging(keys)), 1)
        layout = QVBoxLayout(self)
        layout.addLayout(both, 1)
        layout.addWidget(self.buttons)
        fit(self, 860, 520)
        self._follow()
        self.table.setFocus()  # who asks for keys wants to read, and Esc is no new key

    def _judging(self, keys: dict[str, str]) -> QWidget:
        """The keys that can be changed, and what is wrong with them."""
        form = QFormLayout()
        for name, spec in JUDGE_KEYS.items():
            field = KeyField(name, spec.text, keys[name])
            field.keySequenceChanged.connect(self._follow)
            self.fields[name] = field
            form.addRow(spec.text, field)
        self.sign = QLabel()
        self.sign.setAlignment(Qt.AlignmentFlag.AlignTop)
        style = self.style()
        icon = style.standardIcon(QStyle.StandardPixmap.SP_MessageBoxWarning)
        self.sign.setPixmap(icon.pixmap(style.pixelMetric(QStyle.PixelMetric.PM_SmallIconSize)))
        self.problem = QLabel()
        self.problem.setObjectName("keyProblems")
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setWordWrap(True)
        row = QHBoxLayout()
        row.addWidget(self.sign)
        row.addWidget(self.problem, 1)
        about = QLabel(
            "Digits give grades; Ctrl+PgDown goes to the next query. To change a key, click into "
            "its field and press another one."
        )
        about.setWordWrap(True)
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.addWidget(_heading("On the Judge page"))
        layout.addWidget(about)
        layout.addLayout(form)
        layout.addLayout(row)
        layout.addStretch(1)
        return inside

    def chosen(self) -> dict[str, str]:
        """The key of each thing that can be done on the Judge page; "" for none."""
        return {name: field.keySequence().toString() for name, field in self.fields.items()}

    def _follow(self) -> None:
        """Say all that is wrong at once, and let only good keys be taken."""
        problems = problems_with(self.chosen(), self._taken)
        for name, field in self.fields.items():
            field.tell(problems.get(name, ""))
        lines = list(dict.fromkeys(problems.values()))  # two fields may have the same
        head = "Problem: " if len(lines) == 1 else "Problems:\n"
        self.problem.setText(head + "\n".join(lines) if lines else "")
        for label in (self.sign, self.problem):
            label.setVisible(bool(lines))
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not lines)

    def _restore(self) -> None:
        for name, field in self.fields.items():
            field.setKeySequence(QKeySequence(JUDGE_KEYS[name].key))


class KeyField(QKeySequenceEdit):
    """Takes the next key that is pressed, but for those that leave any field."""

    def __init__(self, name: str, spoken: str, key: str) -> None:
        super().__init__(QKeySequence(key))
        self.setObjectName(f"key{name.capitalize()}")
        self.setAccessibleName(spoken)
        self.setMaximumSequenceLength(1)
        self.setClearButtonEnabled(True)
        field = self.findChild(QLineEdit)
        assert isinstance(field, QLineEdit)
        field.setAccessibleName(spoken)
        field.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # else Shift+Tab would come back from it
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # its own follows that of the line
        self._field = field
        icon = self.style().standardIcon(QStyle.StandardPixmap.SP_MessageBoxWarning)
        self._mark = field.addAction(icon, QLineEdit.ActionPosition.LeadingPosition)
        self._mark.setVisible(False)

    def tell(self, problem: str) -> None:
        """Show that this key cannot be used, and say why; "" where it can."""
        self._mark.setVisible(bool(problem))
        self._mark.setToolTip(problem)
        for widget in (self, self._field):
            widget.setAccessibleDescription(problem)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in LEAVES or event.key() in HELD:
            event.ignore()
            return
        if event.key() in MOVES:  # Qt's own field does not let Shift+Tab go back
            back = event.key() == Qt.Key.Key_Backtab or event.modifiers() & _SHIFT
            self.focusNextPrevChild(not back)
            return
        # The Judge page does not tell a key of the number pad from its double.
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        super().keyPressEvent(QKeyEvent(event.type(), event.key(), held, event.text()))


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def listed_keys(actions: Sequence[QAction]) -> list[tuple[str, list[str]]]:
    """What has a key everywhere, with all its keys."""
    rows = [
        (plain_text(action.text()), [key.toString() for key in action.shortcuts()])
        for action in actions
        if action.shortcuts()
    ]
    return rows + [(text, list(keys)) for text, *keys in TABLE_KEYS]


def _taken(actions: Sequence[QAction]) -> dict[str, str]:
    """What the keys do that the Judge page cannot have."""
    return {key: text for text, keys in listed_keys(actions) for key in keys}


def _table(actions: Sequence[QAction]) -> QTableWidget:
    """Every action that has a key, with its keys."""
    rows = [(text, ", ".join(keys)) for text, keys in listed_keys(actions)]
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
    header = table.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setHighlightSections(False)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    table.setColumnWidth(1, 170)
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.setItem(row, column, QTableWidgetItem(text))
    table.setCurrentCell(0, 0)
    return table


def plain_text(text: str) -> str:
    """An action's text without the mark of its mnemonic, and without its dots."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").removesuffix("…")
