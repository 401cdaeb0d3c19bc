"""Guidelines to read: Markdown of other people, of which nothing is fetched and nothing opened."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QUrl, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget

from ndcg_desktop.evaluation.scale import Scale
from ndcg_desktop.models.tooltip import plain_tip

_FEATURES = (
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub
    | QTextDocument.MarkdownFeature.MarkdownNoHTML
)
NO_GUIDELINES = (
    "*No guidelines yet. “Scale…” names the grades, and says when to give each of them.*"
)


class GuidelineView(QTextBrowser):
    """Shows what a scale says of its grades. A link is only shown: its tooltip has the address."""

    link_wanted = Signal(str)  # somebody wants to see what is at this address
    _shown: QTextDocument | None = None
    _text = ""

    def __init__(self, parent: QWidget | None = None, nothing: str = NO_GUIDELINES) -> None:
        super().__init__(parent)
        self._nothing = nothing
        self.setObjectName("guidelines")
        self.setAccessibleName("Guidelines")
        self.setOpenLinks(False)
        self.anchorClicked.connect(lambda url: self.link_wanted.emit(_address(url)))
        self.highlighted.connect(lambda url: self.setToolTip(plain_tip(_address(url))))

    def show_scale(self, scale: Scale) -> None:
        """Show the guidelines of a scale; bare numbers would say ``nothing``."""
        says = scale.guideline or any(level.name or level.guideline for level in scale.levels)
        self.show_markdown(scale.markdown() if says else self._nothing)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        return None  # whatever the text names, of this computer or of another, stays where it is

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.show_markdown(self._text)  # links have the colour of when they were read

    def show_markdown(self, text: str) -> None:
        """Show this text of somebody."""
        self._text = text
        place = self.verticalScrollBar().value()
        document = QTextDocument(self)
        document.setDefaultFont(self.font())
        document.setMarkdown(text, _FEATURES)
        # Before it is laid out: for that Qt would open a picture's file by itself, on a network
        # drive too.
        _put_words_for_pictures(document)
        document.setUndoRedoEnabled(False)
        self.setDocument(document)
        if self._shown is not None:
            self._shown.deleteLater()
        self._shown = document
        self.verticalScrollBar().setValue(place)


def _address(url: QUrl) -> str:
    return url.toString(QUrl.ComponentFormattingOption.FullyEncoded)


def _put_words_for_pictures(document: QTextDocument) -> None:
    """Have the words that stand for a picture in its place."""
    pictures: list[tuple[int, int, str]] = []
    block = document.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            piece = pieces.fragment()
            shape = piece.charFormat()
            if shape.isImageFormat():
                words = shape.toImageFormat().property(shape.Property.ImageAltText.value)
                pictures.append((piece.position(), piece.length(), str(words or "")))
            pieces += 1
        block = block.next()
    cursor = QTextCursor(document)
    for position, length, words in reversed(pictures):
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(f"[picture: {words}]" if words else "[picture]", QTextCharFormat())
