"""How one table is read: its header row, what each column is, and its grades in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSpinBox,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.votes import RULES, rule_words
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.delimited import DELIMITER_WORDS, ENCODINGS
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.table import ROWS_SEARCHED, Dialect, FileError
from ndcg_desktop.models.preview_model import ROLES, PreviewModel
from ndcg_desktop.views.labels_table import LabelsTable

DECIMALS = {"": "as found", ".": "point: 2.5", ",": "comma: 2,5"}
WIDTH = 150
LONGEST_NAME = 24


class ReadingPanel(QWidget):
    """The first rows of a table with the role of each column, and everything that can be chosen
    about how it is read.
    """

    changed = Signal()
    dialect_wanted = Signal(object)  # a Dialect to read the file with instead

    def __init__(self) -> None:
        super().__init__()
        self._part: Understood | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.doubt = QLabel()
        self.doubt.setObjectName("doubt")
        self.doubt.setTextFormat(Qt.TextFormat.PlainText)
        self.doubt.setWordWrap(True)
        self.doubt.setMinimumWidth(1)
        layout.addWidget(self.doubt)
        layout.addLayout(self._choices())
        layout.addWidget(self._preview(), 1)
        self.labels = LabelsTable()
        self.labels.changed.connect(self._on_labels)
        layout.addWidget(self.labels)

    def _choices(self) -> QVBoxLayout:
        self.role = _combo("role", ROLES)
        self.role_word = QLabel()
        self.header_row = QSpinBox()
        self.header_row.setObjectName("headerRow")
        self.header_row.setSpecialValueText("none")
        self.header_row.setKeyboardTracking(False)
        self.row_order = QCheckBox("The order of the ro&ws is the ranking")
        self.row_order.setObjectName("rowOrder")
        self.merge = _combo("merge", RULES)
        self.duplicates = _combo("duplicates", wording.DUPLICATES)
        self.separator = _combo("separator", DELIMITER_WORDS)
        self.encoding = _combo("encoding", {name: name for name in ENCODINGS})
        self.decimal = _combo("decimal", DECIMALS)
        self.role.activated.connect(self._on_role)
        self.header_row.valueChanged.connect(self._on_header_row)
        self.row_order.toggled.connect(self._on_row_order)
        for box in (self.merge, self.duplicates, self.decimal):
            box.activated.connect(self._on_rules)
        for box in (self.separator, self.encoding):
            box.activated.connect(self._on_dialect)
        first = QHBoxLayout()
        first.addWidget(_buddy(self.role_word, self.role))
        first.addWidget(self.role)
        first.addStretch(1)
        first.addWidget(self.row_order)
        rest = QGridLayout()
        rest.setHorizontalSpacing(8)
        self._words: dict[QWidget, QLabel] = {}
        fields: list[tuple[str, QWidget]] = [
            ("&Header row", self.header_row),
            ("&Separator", self.separator),
            ("&Encoding", self.encoding),
            ("Deci&mals", self.decimal),
            ("Several &people", self.merge),
            ("Judged &twice", self.duplicates),
        ]
        for place, (word, field) in enumerate(fields):
            self._words[field] = _buddy(QLabel(word), field)
            row, column = divmod(place, 3)
            rest.addWidget(self._words[field], row, 2 * column)
            rest.addWidget(field, row, 2 * column + 1)
        rest.setColumnStretch(6, 1)
        rows = QVBoxLayout()
        rows.addLayout(first)
        rows.addLayout(rest)
        return rows

    def _preview(self) -> QTableView:
        self.model = PreviewModel()
        self.view = QTableView()
        self.view.setObjectName("preview")
        self.view.setAccessibleName("First rows, with the role of each column in the header")
        self.view.setModel(self.model)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setTabKeyNavigation(False)
        self.view.setWordWrap(False)
        self.view.verticalHeader().setDefaultSectionSize(24)
        header = self.view.horizontalHeader()
        header.setDefaultSectionSize(WIDTH)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionsClickable(True)
        header.setToolTip("Click to say what this column is")
        header.setFixedHeight(2 * header.fontMetrics().height() + 16)
        header.sectionClicked.connect(self._offer_roles)
        self.view.activated.connect(lambda index: self._offer_roles(index.column()))
        self.view.selectionModel().currentChanged.connect(self._on_cell)
        return self.view

    # ---- what is shown

    def show_part(self, part: Understood, doubt: str) -> None:
        """Show how a table is read, and why a person should look at that."""
        self._part = part
        self.doubt.setText(f"⚠ {doubt}" if doubt else "")
        self.doubt.setVisible(bool(doubt))
        self.model.show(part)
        self.show_labels({})
        used = sorted(part.roles.used) or [0]
        self.view.setCurrentIndex(self.model.index(0, used[0]))
        self._follow()

    def show_labels(self, counts: Mapping[str, int]) -> None:
        """Show the words that stand among the grades, once they are counted."""
        self.labels.show_labels(self.part.labels, counts)

    @property
    def part(self) -> Understood:
        """The table as it is now understood."""
        assert self._part is not None
        return self._part

    def _follow(self) -> None:
        part, roles, dialect = self.part, self.part.roles, self.part.table.dialect
        cut = part.table.kind in ("workbook", "delimited", "entered")
        several = bool(roles.graders) or roles.rater is not None
        for field, there in (
            (self.header_row, cut),
            (self.separator, dialect is not None and not part.table.member),
            (self.encoding, dialect is not None and not part.table.member),
            (self.decimal, cut),
            (self.merge, several),
            (self.duplicates, roles.judges and not several),
        ):
            field.setVisible(there)
            self._words[field].setVisible(there)
        self.header_row.blockSignals(True)
        self.header_row.setMaximum(max(_header_rows(part), default=0))
        self.header_row.setValue(part.table.header_row or 0)
        self.header_row.blockSignals(False)
        _choose(self.merge, part.merge, rule_words(part.merge))
        self.duplicates.setCurrentIndex(self.duplicates.findData(part.duplicates))
        self.decimal.setCurrentIndex(self.decimal.findData(part.decimal))
        if dialect is not None:
            _choose(self.separator, dialect.delimiter)
            _choose(self.encoding, dialect.encoding)
        self.row_order.setVisible(not roles.ranks)
        self.row_order.setChecked(part.row_order)
        self._on_cell(self.view.currentIndex())

    def _on_cell(self, current: QModelIndex, _: QModelIndex | None = None) -> None:
        column = current.column()
        if not 0 <= column < len(self.part.table.columns):
            return
        name = self.part.table.names[column]
        short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
        self.role_word.setText(f"Column “{short.replace('&', '&&')}” &is the")
        self.role.setAccessibleName(f"Role of the column {name[:200]}")
        self.role.setCurrentIndex(self.role.findData(self.part.roles.role_of(column)))

    # ---- what is chosen

    def _take(self, part: Understood) -> None:
        self._part = part
        self.model.show(part)
        self._follow()
        self.changed.emit()

    def _offer_roles(self, column: int) -> None:
        """A menu of the roles below a column's header."""
        row = max(self.view.currentIndex().row(), 0)
        self.view.setCurrentIndex(self.model.index(row, column))
        menu = QMenu(self)
        menu.setObjectName("roles")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        group = QActionGroup(menu)
        chosen = self.part.roles.role_of(column)
        for role, words in ROLES.items():
            action = QAction(words, menu)
            action.setCheckable(True)
            action.setChecked(role == chosen)
            action.setData(role)
            group.addAction(action)
            menu.addAction(action)
        menu.triggered.connect(lambda action: self.set_role(column, action.data()))
        header = self.view.horizontalHeader()
        place = QPoint(header.sectionViewportPosition(column), header.height())
        menu.popup(header.mapToGlobal(place))

    def _on_role(self, _: int) -> None:
        current = self.view.currentIndex()
        if current.isValid():
            self.set_role(current.column(), self.role.currentData())

    def set_role(self, column: int, role: str) -> None:
        """Take a column for something; where only one may be that, the other no longer is."""
        before = self.part.roles
        if role == before.role_of(column):
            return
        roles = before.with_role(column, role)
        labels = self.part.labels if roles.graded == before.graded else None
        self._take(replace(self.part, roles=roles, labels=labels))

    def _on_header_row(self, row: int) -> None:
        """Cut the table below another row, and guess anew what its columns are."""
        row = _with_something(self.part, row)
        try:
            table = self.part.table.with_header_row(row or None)
        except FileError:
            self._follow()
            return
        self._take(replace(self.part, table=table, roles=guess(table).roles, labels=None))

    def _on_rules(self, _: int) -> None:
        self._take(
            replace(
                self.part,
                merge=self.merge.currentData(),
                duplicates=self.duplicates.currentData(),
                decimal=self.decimal.currentData(),
            )
        )

    def _on_dialect(self, _: int) -> None:
        delimiter, encoding = self.separator.currentData(), self.encoding.currentData()
        old = self.part.table.dialect
        if old is not None and (old.delimiter, old.encoding) != (delimiter, encoding):
            self.dialect_wanted.emit(Dialect(encoding, delimiter, quoting=True, chosen=True))

    def _on_row_order(self, on: bool) -> None:
        if on != self.part.row_order:
            self._take(replace(self.part, row_order=on))

    def _on_labels(self) -> None:
        self._part = replace(self.part, labels=self.labels.chosen())
        self.changed.emit()


def _header_rows(part: Understood) -> list[int]:
    """The rows that may be the header: the first ones that hold something."""
    table = part.table
    below = max(ROWS_SEARCHED - len(table.above), 0)
    rows: list[int] = table.row[:below].tolist()
    return [number for number, _ in table.above] + rows


def _with_something(part: Understood, row: int) -> int:
    """The next row, in the direction of a step, that holds something; 0 for none above."""
    rows, now = _header_rows(part), part.table.header_row or 0
    if row >= now:
        return min((each for each in rows if each >= row), default=now)
    return max((each for each in rows if each <= row), default=0)


def _choose(box: QComboBox, value: str, words: str = "") -> None:
    """Choose a value of a box, which is added where it is not there."""
    if box.findData(value) < 0:
        box.addItem(words or value, value)
    box.setCurrentIndex(box.findData(value))


def _combo(name: str, words: Mapping[Any, str]) -> QComboBox:
    box = QComboBox()
    box.setObjectName(name)
    for value, text in words.items():
        box.addItem(text, value)
    return box


def _buddy(word: QLabel, field: QWidget) -> QLabel:
    """A label whose key leads to a field, which takes its name from it."""
    word.setBuddy(field)
    field.setAccessibleName(word.text().replace("&", ""))
    return word
