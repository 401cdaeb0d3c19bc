"""The first rows of a table as they will be read, with the role of each column in its header."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.table import Texts

Index = QModelIndex | QPersistentModelIndex

ROWS_SHOWN = 50
LONGEST = 200
"""Characters of a cell that are shown."""

ROLES = {
    "": "not used",
    "query": "Query",
    "query_text": "Query text",
    "document": "Document",
    "title": "Title",
    "grade": "Grade",
    "rank": "Rank",
    "score": "Score",
    "ideal": "Ideal grade",
    "rater": "Rater",
    "system": "Name of the ranking",
    "note": "Note",
    "graders": "Grade by one of several",
    "systems": "Ranking of its own",
    "positions": "Grade at one place",
}
"""What a column may be taken for, and how that is called."""

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TIP = int(Qt.ItemDataRole.ToolTipRole)
_ACCESSIBLE = int(Qt.ItemDataRole.AccessibleTextRole)


class PreviewModel(QAbstractTableModel):
    """Cells are texts, cut where they are long; the row headers are the numbers of the file."""

    def __init__(self) -> None:
        super().__init__()
        self._part: Understood | None = None
        self._texts: list[Texts] = []
        self._roles: dict[int, str] = {}

    def show(self, part: Understood) -> None:
        """Show a table, or the same with other roles."""
        self._roles = part.roles.by_column()
        if self._part is not None and part.table is self._part.table:
            self._part = part
            last = len(part.table.columns) - 1
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
            return
        self.beginResetModel()
        self._part = part
        self._texts = [Texts(column) for column in part.table.columns]
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if parent.isValid() or self._part is None:
            return 0
        return min(len(self._part.table), ROWS_SHOWN)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._texts)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if self._part is None or role not in (_DISPLAY, _ACCESSIBLE, _TIP):
            return None
        if orientation == Qt.Orientation.Vertical:
            return str(self._part.table.row[section])
        name = self._part.table.names[section][:LONGEST]
        word = ROLES[self._roles.get(section, "")]
        if role == _DISPLAY:
            return f"{name}\n{word} ▾"
        return f"{name}: {word}"

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid() or role not in (_DISPLAY, _TIP):
            return None
        text = self._texts[index.column()][index.row()]
        return text[:LONGEST] + ("…" if len(text) > LONGEST else "")
