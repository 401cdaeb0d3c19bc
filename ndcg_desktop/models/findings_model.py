"""The findings of an import report, grouped by what they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ndcg_desktop.evaluation.columns import Finding, Level

Index = QModelIndex | QPersistentModelIndex

WHAT, FILE, SHEET, ROW = range(4)
HEADERS = ("What was found", "File", "Sheet", "Row")
SIGNS: dict[Level, str] = {"error": "✕ Error", "warning": "⚠ Warning", "note": "ℹ Note"}
"""A level is told by sign and word, never by colour alone."""
ORDER: tuple[Level, ...] = ("error", "warning", "note")
LONGEST = 500
"""Characters of a finding that the list shows; the whole text stands below it."""

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_ACCESSIBLE = int(Qt.ItemDataRole.AccessibleTextRole)
_ALIGN = int(Qt.ItemDataRole.TextAlignmentRole)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_NO_GROUP = 0


class FindingsModel(QAbstractItemModel):
    """Two levels: a group for each kind of finding, the gravest first, and its findings."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: list[tuple[str, list[Finding]]] = []

    def show(
        self, findings: Sequence[Finding], headings: Mapping[str, str], levels: set[Level]
    ) -> None:
        """Show the findings of these levels, under the heading of their code."""
        self.beginResetModel()
        groups: dict[tuple[int, str], list[Finding]] = {}
        for finding in findings:
            if finding.level in levels:
                key = ORDER.index(finding.level), headings.get(finding.code, finding.code)
                groups.setdefault(key, []).append(finding)
        self._groups = [
            (f"{SIGNS[ORDER[level]]}: {heading}", found)
            for (level, heading), found in sorted(groups.items(), key=lambda item: item[0][0])
        ]
        self.endResetModel()

    def finding_at(self, index: Index) -> Finding | None:
        """The finding of a row; None for a heading."""
        if not index.isValid() or index.internalId() == _NO_GROUP:
            return None
        return self._groups[index.internalId() - 1][1][index.row()]

    # ---- Qt's model

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        group = parent.row() + 1 if parent.isValid() else _NO_GROUP
        return self.createIndex(row, column, group)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        if not index.isValid() or index.internalId() == _NO_GROUP:
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, _NO_GROUP)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if not parent.isValid():
            return len(self._groups)
        if parent.internalId() == _NO_GROUP and parent.column() == 0:
            return len(self._groups[parent.row()][1])
        return 0

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == _DISPLAY:
            return HEADERS[section]
        return None

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid():
            return None
        if role == _ALIGN:
            return _RIGHT if index.column() == ROW else None
        if role not in (_DISPLAY, _ACCESSIBLE):
            return None
        finding = self.finding_at(index)
        if finding is None:
            heading, found = self._groups[index.row()]
            return f"{heading} ({len(found):,})" if index.column() == WHAT else ""
        if role == _ACCESSIBLE and index.column() == WHAT:
            return f"{finding.level}: {finding}"
        return _cell(finding, index.column())


def _cell(finding: Finding, column: int) -> str:
    source = finding.source
    if column == WHAT:
        return " ".join(finding.text[:LONGEST].split())
    if column == FILE:
        return source.file if source else ""
    if column == SHEET:
        return (source.sheet or "") if source else ""
    return "" if finding.row is None else f"{finding.row:,}"
