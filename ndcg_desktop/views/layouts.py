"""Three arrangements of the window: to judge, to review, and to explain."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget


class LayoutSwitch(QWidget):
    """The three arrangements side by side, in the corner of the menu bar."""

    def __init__(self, actions: Sequence[QAction]) -> None:
        super().__init__()
        self.setObjectName("layouts")
        self.setAccessibleName("Arrangement of the window")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 6, 2)
        row.setSpacing(0)
        group = QActionGroup(self)
        for action in actions:
            action.setCheckable(True)
            group.addAction(action)
            button = QToolButton()
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
