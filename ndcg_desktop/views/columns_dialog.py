"""Ask which column is which: the first rows of a table, and a role above each column."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.roles import Roles, guess
from ndcg_desktop.files.table import Texts

ROWS_SHOWN = 20
ROLES = {
    "": "—",
    "query": "Query",
    "query_text": "Query text",
    "document": "Document",
    "grade": "Grade",
    "rank": "Rank",
    "score": "Score",
    "ideal": "Ideal grade",
    "graders": "Grade by one of several",
    "systems": "Ranking of its own",
    "positions": "Grade at one place",
    "title": "Document title",
    "rater": "Rater's name",
    "system": "Name of the ranking",
}
SEVERAL = ("graders", "systems", "positions")


class ColumnsDialog(QDialog):
    """Confirm or change what the columns of one table were taken for."""

    def __init__(self, part: Understood, doubt: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._part = self._as_read = part
        self.setWindowTitle("Which column is which?")
        self.resize(900, 620)
        layout = self._layout = QVBoxLayout(self)
        layout.addWidget(self._heading(doubt))
        self.table = self._preview()
        layout.addWidget(self.table, 1)
        self.first_row = QCheckBox("The &first row is a header")
        self.first_row.setObjectName("firstRowIsHeader")
        self.first_row.setVisible(part.table.header is None and len(part.table) > 1)
        self.first_row.toggled.connect(self._take_header)
        layout.addWidget(self.first_row)
        self.row_order = QCheckBox("The order of the &rows is the ranking")
        self.row_order.setObjectName("rowOrder")
        self.row_order.setChecked(part.row_order)
        self.row_order.toggled.connect(self._follow)
        layout.addWidget(self.row_order)
        self.outcome = QLabel()
        self.outcome.setWordWrap(True)
        self.outcome.setTextFormat(Qt.TextFormat.PlainText)
        layout.addWidget(self.outcome)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText("Open")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout.addWidget(self.buttons)
        self._follow()

    def _take_header(self, there_is_one: bool) -> None:
        """Show the table with or without a header, with the roles that it then suggests."""
        part = self._as_read
        if there_is_one:
            table = part.table.with_header_row(int(part.table.row[0]))
            part = replace(part, table=table, roles=guess(table).roles)
        self._part = part
        preview = self._preview()
        self._layout.replaceWidget(self.table, preview)
        self.table.deleteLater()
        self.table = preview
        self._follow()

    def _heading(self, doubt: str) -> QLabel:
        table = self._part.table
        sheet = "" if table.sheet is None else f", sheet “{table.sheet}”"
        heading = QLabel(
            f"{table.path.name}{sheet}: {len(table):,} rows, the first "
            f"{min(ROWS_SHOWN, len(table))} below.\n{doubt}"
        )
        heading.setTextFormat(Qt.TextFormat.PlainText)
        heading.setWordWrap(True)
        return heading

    def _preview(self) -> QTableWidget:
        table = self._part.table
        shown = min(len(table), ROWS_SHOWN)
        view = QTableWidget(shown + 1, len(table.columns))
        view.setAccessibleName("First rows, with the role of each column on top")
        view.setHorizontalHeaderLabels(table.names)
        view.setVerticalHeaderLabels(["is the", *map(str, table.row[:shown].tolist())])
        self.boxes = []
        for place, column in enumerate(table.columns):
            box = self._role_box(place, table.names[place])
            view.setCellWidget(0, place, box)
            self.boxes.append(box)
            texts = Texts(column)
            for row in range(shown):
                item = QTableWidgetItem(texts[row][:200])
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                view.setItem(row + 1, place, item)
            view.setColumnWidth(place, 150)
        view.setRowHeight(0, 34)
        return view

    def _role_box(self, place: int, name: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(f"Role of the column {name}")
        for role, words in ROLES.items():
            box.addItem(words, role)
        box.setCurrentIndex(box.findData(self._guessed(place)))
        box.currentIndexChanged.connect(self._follow)
        return box

    def _guessed(self, place: int) -> str:
        roles = self._part.roles
        for role in ROLES:
            if role and (
                getattr(roles, role) == place or (role in SEVERAL and place in getattr(roles, role))
            ):
                return role
        return ""

    def understood(self) -> Understood:
        """The table with the roles as they now stand."""
        values: dict[str, int | tuple[int, ...]] = {}
        for place, box in enumerate(self.boxes):
            role = box.currentData()
            if role in SEVERAL:
                values[role] = (*values.get(role, ()), place)  # type: ignore[misc]
            elif role:
                values[role] = place
        roles = Roles(**values)  # type: ignore[arg-type]
        return replace(self._part, roles=roles, row_order=self.row_order.isChecked())

    def _follow(self) -> None:
        part = self.understood()
        twice = self._twice()
        if twice:
            text = f"Two columns are the {ROLES[twice].lower()}; one has to be another."
        else:
            text = _outcome(part)
        self.outcome.setText(text)
        usable = (
            part.roles.judges
            or part.roles.ranks
            or (part.row_order and part.roles.document is not None)
        )
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(usable and not twice)

    def _twice(self) -> str:
        roles = [box.currentData() for box in self.boxes]
        return next((r for r in roles if r and r not in SEVERAL and roles.count(r) > 1), "")


def _outcome(part: Understood) -> str:
    """What will be read, in a sentence."""
    roles = part.roles
    ranks = roles.ranks or (part.row_order and roles.document is not None)
    if not roles.judges and not ranks:
        return "Say which column is the document, and which the grade, the rank or the score."
    what = " and ".join(
        word for word, there in (("judgments", roles.judges), ("a ranking", ranks)) if there
    )
    query = "" if roles.query is not None else ", all of one query"
    return f"This will be read as {what}{query}."
