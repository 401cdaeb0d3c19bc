"""Dialogs no larger than the screen: what can be pressed must be seen."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QFrame, QScrollArea, QWidget

FRAME = 16, 48
"""Pixels that a window manager's frame may add to the width and height."""

LOWEST = 120
"""Pixels of contents that are seen at the least, however low the window is."""


def fit(dialog: QDialog, width: int, height: int) -> None:
    """Give a dialog this size, or what the screen has room for beside the window's own frame."""
    room = (dialog.parentWidget() or dialog).screen().availableGeometry()
    dialog.resize(min(width, room.width() - FRAME[0]), min(height, room.height() - FRAME[1]))


class Scrolled(QScrollArea):
    """Contents that are scrolled where there is no room for them; what stands below stays seen."""

    def __init__(self, contents: QWidget) -> None:
        super().__init__()
        self._contents = contents
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # who comes to a field sees it at once
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        contents.setContentsMargins(0, 0, 0, 0)
        if (layout := contents.layout()) is not None:
            # Room for the outline of a field that has the focus.
            layout.setContentsMargins(1, 1, 1, 1)
        self.setWidget(contents)

    def sizeHint(self) -> QSize:
        return self._contents.sizeHint()

    def minimumSizeHint(self) -> QSize:
        least = self._contents.minimumSizeHint()
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(least.width() + bar, min(least.height(), LOWEST))
