"""Small controls that several pages and dialogs are made of."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

LETTERS = 16
"""Of a name that a box has room for at least."""


def sentence(name: str = "", spoken: str = "") -> QLabel:
    """A label of words that come from a file, perhaps many of them; they can be selected."""
    label = QLabel()
    label.setObjectName(name)
    label.setAccessibleName(spoken)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(1)  # a long name must not widen the window
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def heading(text: str = "", size: float = 1.0) -> QLabel:
    """A bold line, so many times as large as other text."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    font = QFont(label.font())
    font.setBold(True)
    font.setPointSizeF(font.pointSizeF() * size)
    label.setFont(font)
    return label


def narrow_box(name: str, spoken: str, letters: int = LETTERS) -> QComboBox:
    """A box of names, which may be long: it is no wider for that."""
    box = QComboBox()
    box.setObjectName(name)
    box.setAccessibleName(spoken)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(letters)
    return box


def toggle(name: str, text: str) -> QPushButton:
    """A button that stays pressed; the style sheet shows it as the toolbar's are shown."""
    button = QPushButton(text)
    button.setObjectName(name)
    button.setCheckable(True)
    button.setAutoDefault(False)  # Return elsewhere must not press it
    button.setProperty("toggle", True)
    return button
