"""A table to read, whose cells can be copied into a spreadsheet."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QTableView

from ndcg_desktop.models.text_table import TextTable


class CopyTable(QTableView):
    """A view of a TextTable; Ctrl+C copies the chosen cells, or everything where none are."""

    def __init__(self, object_name: str, name: str, sides: bool = False) -> None:
        super().__init__()
        self.setObjectName(object_name)
        self.setAccessibleName(name)
        self.texts = TextTable(self)
        self.setModel(self.texts)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setAlternatingRowColors(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().setHighlightSections(False)
        # Names that begin alike often end otherwise; the tooltip has all of them.
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.horizontalHeader().setResizeContentsPrecision(100)
        self.verticalHeader().setVisible(sides)
        self.verticalHeader().setDefaultSectionSize(26)
        if sides:
            self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def copy_button(self) -> QPushButton:
        """A button that copies everything, with the headers."""
        button = QPushButton("Copy table")
        button.setObjectName(f"copy{self.objectName()[0].upper()}{self.objectName()[1:]}")
        button.setAccessibleDescription(f"Copy “{self.accessibleName()}” as a spreadsheet takes it")
        button.setAutoDefault(False)  # Return in a field of the dialog must not copy
        button.clicked.connect(self.copy_all)
        return button

    def copy_all(self) -> None:
        """Copy everything, with the headers."""
        lines = self.texts.lines()
        QGuiApplication.clipboard().setText("\n".join("\t".join(line) for line in lines))

    def copy(self) -> None:
        """Copy the chosen cells, or everything where none are."""
        chosen = {(i.row(), i.column()) for i in self.selectionModel().selectedIndexes()}
        if not chosen:
            self.copy_all()
            return
        rows, columns = (sorted({place[axis] for place in chosen}) for axis in (0, 1))
        lines = [
            [self.texts.text(row, c) if (row, c) in chosen else "" for c in columns] for row in rows
        ]
        QGuiApplication.clipboard().setText("\n".join("\t".join(line) for line in lines))

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Copy)
        ):
            event.accept()  # the window's own shortcut would copy from another table
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)
