"""A small table of texts, to be read and copied."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from ndcg_desktop.models.tooltip import CELL, plain_tip, short_text

Index = QModelIndex | QPersistentModelIndex

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_ALIGN = int(Qt.ItemDataRole.TextAlignmentRole)
_TIP = int(Qt.ItemDataRole.ToolTipRole)
_FONT = int(Qt.ItemDataRole.FontRole)
_ACCESSIBLE = int(Qt.ItemDataRole.AccessibleTextRole)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True, slots=True)
class Cell:
    """A text; ``spoken`` is what a screen reader says instead, where the text alone is too little.

    Whatever ``strong`` stands for is said in words as well.
    """

    text: str
    spoken: str = ""
    strong: bool = False


class TextTable(QAbstractTableModel):
    """Rows of cells under headers, which are changed all at once; ``numbers`` are the columns that
    stand on the right.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._headers: list[str] = []
        self._sides: list[str] = []
        self._rows: list[list[Cell]] = []
        self._numbers: frozenset[int] = frozenset()
        self._bold = QFont()
        self._bold.setBold(True)

    def show(
        self,
        headers: Sequence[str],
        rows: Sequence[Sequence[Cell | str]],
        numbers: Collection[int] = (),
        sides: Sequence[str] = (),
    ) -> None:
        """Show these rows, with headers at their ``sides`` where they have some."""
        self.beginResetModel()
        self._headers, self._sides = list(headers), list(sides)
        self._rows = [[c if isinstance(c, Cell) else Cell(c) for c in row] for row in rows]
        self._numbers = frozenset(numbers)
        self.endResetModel()

    def text(self, row: int, column: int) -> str:
        """The whole text of a cell, on one line."""
        return _on_one_line(self._rows[row][column].text)

    def lines(self) -> list[list[str]]:
        """Everything, headers first."""
        head, sides = self._headers, self._sides
        if sides:
            head = ["", *head]
        rows = [[cell.text for cell in row] for row in self._rows]
        if sides:
            rows = [[side, *row] for side, row in zip(sides, rows, strict=True)]
        return [[_on_one_line(text) for text in line] for line in (head, *rows)]

    # ---- Qt's questions

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._headers)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        upright = orientation == Qt.Orientation.Horizontal
        if role == _ALIGN:
            return _RIGHT if not upright or section in self._numbers else _LEFT
        if role not in (_DISPLAY, _TIP):
            return None
        texts = self._headers if upright else self._sides
        if section >= len(texts):
            return None
        return plain_tip(texts[section]) if role == _TIP else short_text(texts[section])

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid():
            return None
        cell, column = self._rows[index.row()][index.column()], index.column()
        if role == _DISPLAY:
            return short_text(cell.text)
        if role == _ALIGN:
            return _RIGHT if column in self._numbers else _LEFT
        if role == _FONT:
            return self._bold if cell.strong else None
        if role == _ACCESSIBLE:
            return cell.spoken or cell.text
        if role == _TIP:
            return plain_tip(cell.text) if len(cell.text) > CELL // 10 else None
        return None


def _on_one_line(text: str) -> str:
    """A text that stays in one cell: a tab or line end would make two of it."""
    return " ".join(text.split())
