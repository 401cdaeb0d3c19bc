"""A table whose rows can be dragged to another place; what comes of it is for others to do."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, QModelIndex, QObject, Qt, Signal

from ndcg_desktop.models.text_table import Index, TextTable

ROW = "application/x-ndcg-row"


class OrderTable(TextTable):
    """Rows that ask to be moved when they are dropped; the model moves nothing itself."""

    move_wanted = Signal(int, int)
    """A row, and the row that it is to have afterwards."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mime: QMimeData | None = None

    def flags(self, index: Index) -> Qt.ItemFlag:
        drop = Qt.ItemFlag.ItemIsDropEnabled
        if not index.isValid():  # between rows and below them
            return drop
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usual | Qt.ItemFlag.ItemIsDragEnabled | drop

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [ROW]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        # Python must hold on to it while Qt drags.
        self._mime = QMimeData()
        self._mime.setData(ROW, str(indexes[0].row()).encode())
        return self._mime

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Ask for the move. False, else Qt would remove the row where it was."""
        if not data.hasFormat(ROW):
            return False
        source = int(bytes(data.data(ROW).data()))
        before = parent.row() if parent.isValid() else row if row >= 0 else self.rowCount()
        to = before - 1 if source < before and not parent.isValid() else before
        if to != source:
            self.move_wanted.emit(source, to)
        return False
