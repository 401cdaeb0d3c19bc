"""A document to be judged, large: what its files say about it, and nothing of how it was ranked."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFont, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.models.document_card import Card, Field
from ndcg_desktop.models.tooltip import plain_tip

WIDEST = 1_050
"""Pixels of a line of text at most."""
LONGEST = 20_000
"""Characters of a text that are shown."""
LARGEST_PICTURE = 640, 480
_HTTP = ("http://", "https://")


class DocumentView(QScrollArea):
    """Shows a Card. Addresses and pictures are opened only on request."""

    refused = Signal(str)  # why something cannot be opened

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("document")
        self.setAccessibleName("Document")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._folder: Path | None = None
        inside = QWidget()
        inside.setMaximumWidth(WIDEST)  # longer lines are hard to read
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(4, 4, 12, 4)
        self.query = _label("judgeQuery", 1.7, bold=True)
        self.description = _label("judgeDescription", 1.05)
        self.title = _label("judgeTitle", 1.5)
        self.document = _label("judgeDocument", 1.0)
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        line.setFrameShadow(QFrame.Shadow.Plain)
        line.setStyleSheet("color: palette(mid)")
        for widget in (self.query, self.description, line, self.title, self.document):
            self._column.addWidget(widget)
        self._fields = QWidget()
        self._column.addWidget(self._fields)
        self._column.addStretch(1)
        self.setWidget(inside)

    def show_card(self, card: Card, folder: Path | None = None) -> None:
        """Show a document; pictures named without a path are looked for in the ``folder``."""
        self._folder = folder
        self.query.setText(card.query[:LONGEST])
        self.description.setText(card.description[:LONGEST])
        self.description.setVisible(bool(card.description))
        self.title.setText((card.title or card.document)[:LONGEST])
        self.document.setText(card.document[:LONGEST] if card.title else "")
        self.document.setVisible(bool(card.title))
        self._show_fields(card)
        self.verticalScrollBar().setValue(0)

    def _show_fields(self, card: Card) -> None:
        fields = QWidget()
        grid = QGridLayout(fields)
        grid.setContentsMargins(0, 8, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        every = list(card.fields)
        if (address := card.document).lower().startswith(_HTTP):
            every.insert(0, Field("Document", address, "link"))
        for row, field in enumerate(every):
            name = _label("", 1.0)
            name.setText(field.header)
            name.setEnabled(False)
            grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
            grid.addWidget(self._value(field), row, 1)
        self._column.replaceWidget(self._fields, fields)
        self._fields.deleteLater()
        self._fields = fields

    def _value(self, field: Field) -> QWidget:
        text = _label("", 1.15)
        text.setText(field.text[:LONGEST])
        if field.sort == "text":
            return text
        button = QPushButton("Open" if field.sort == "link" else "Show picture")
        button.setAccessibleName(f"{button.text()} {field.header}")
        button.setToolTip(plain_tip(field.text))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        place = QWidget()
        row = QHBoxLayout(place)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(text, 1)
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        button.clicked.connect(lambda: self._open(field.text, text))
        return place

    def _open(self, text: str, label: QLabel) -> None:
        """Open an address in the browser, or show a picture in the place of its name."""
        if text.lower().startswith(_HTTP):
            if not QDesktopServices.openUrl(QUrl(text)):
                self.refused.emit(f"No program opens {text[:200]}.")
            return
        path = Path(text)
        if not path.is_absolute() and self._folder is not None:
            path = self._folder / path
        picture = QPixmap(str(path)) if path.is_file() else QPixmap()
        if picture.isNull():
            self.refused.emit(f"There is no picture {path}.")
            return
        width, height = LARGEST_PICTURE
        if picture.width() > width or picture.height() > height:
            picture = picture.scaled(
                width,
                height,
                Qt.AspectRatioMode.KeepAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )
        label.setPixmap(picture)


def _label(name: str, size: float, bold: bool = False) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(1)  # a long id must not widen the window
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    font = QFont(label.font())
    font.setPointSizeF(font.pointSizeF() * size)
    font.setBold(bold)
    label.setFont(font)
    return label
