"""A page of the manual as it is read: Markdown of this program, and pictures of this program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QWheelEvent,
)
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from ndcg_desktop.resources import folder
from ndcg_desktop.views.manual_pages import slug

FEATURES = (
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub
    | QTextDocument.MarkdownFeature.MarkdownNoHTML
)
SMALLEST, LARGEST = 7.0, 28.0
"""Points of the letters."""
MARGIN = 18
LINE_HEIGHT = 125.0
"""Percent of a single line."""
MARK = QColor("#ffd75e")
"""Behind what was searched for; the letters on it are black."""
WAIT = 80
"""Milliseconds after which pictures follow a new width."""


class ManualText(QTextBrowser):
    """Shows one page. Nothing is loaded but this program's own pictures, and no link is followed:
    whoever asks for one is told.
    """

    link_wanted = Signal(QUrl)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("manualText")
        self.setAccessibleName("Page of the manual")
        self.setOpenLinks(False)
        # Pictures are as wide as there is room: that must not change by their own height.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.anchorClicked.connect(self.link_wanted)
        self._text = ""
        self._points = self._own_points = self.font().pointSizeF()
        self._later = QTimer(self, singleShot=True, interval=WAIT)
        self._later.timeout.connect(self._again)
        self._words = ""

    # ---- what is shown

    def show_page(self, text: str) -> None:
        """Show a page from its beginning."""
        self._text = text
        self._render()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(0)

    def go_to(self, anchor: str) -> bool:
        """Show the heading of this name at the top; False where there is none."""
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and slug(block.text()) == anchor:
                self._show_at_top(block)
                return True
            block = block.next()
        return False

    def _show_at_top(self, block: QTextBlock) -> None:
        self.setTextCursor(QTextCursor(block))
        place = self.document().documentLayout().blockBoundingRect(block).top()
        self.verticalScrollBar().setValue(int(place) - MARGIN // 2)

    def zoom(self, by: float) -> None:
        """Make letters larger or smaller by some points; 0 gives them their own size again."""
        self._points = min(max(self._points + by, SMALLEST), LARGEST) if by else self._own_points
        self._again()

    def _again(self) -> None:
        """The same page in another width, size or colour, as far down as it was."""
        bar = self.verticalScrollBar()
        part = bar.value() / max(bar.maximum(), 1)
        self._render()
        bar.setValue(round(part * bar.maximum()))

    def _render(self) -> None:
        font = QFont(self.font())
        font.setPointSizeF(self._points)
        document = self.document()
        document.clear()  # pictures are kept by their names otherwise, in the old width
        document.setDefaultFont(font)
        document.setDocumentMargin(MARGIN)
        self.setMarkdown(self._text)
        _space_out(document, self.palette())
        self.mark(self._words)

    def setMarkdown(self, markdown: str) -> None:
        self.document().setMarkdown(markdown, FEATURES)

    # ---- finding

    def mark(self, words: str) -> int:
        """Mark every place that has these words, and count them."""
        self._words = words
        shape = QTextCharFormat()
        shape.setBackground(MARK)
        shape.setForeground(Qt.GlobalColor.black)
        selections = []
        cursor = self.document().find(words) if words else QTextCursor()
        while not cursor.isNull():
            selection = QTextEdit.ExtraSelection()
            selection.cursor, selection.format = cursor, shape
            selections.append(selection)
            cursor = self.document().find(words, cursor)
        self.setExtraSelections(selections)
        return len(selections)

    def next_place(self) -> bool:
        """Go to the next place that has the words; False after the last one."""
        return bool(self._words) and self.find(self._words)

    # ---- Qt's events

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """A picture of the program, as wide as there is room. Anything else is one clear pixel:
        for nothing at all Qt would look for a file of that name by itself.
        """
        path = _own_picture(name.toString() if isinstance(name, QUrl) else name)
        picture = QImage() if path is None else QImage(str(path))
        if picture.isNull():
            picture = QImage(1, 1, QImage.Format.Format_ARGB32)
            picture.fill(Qt.GlobalColor.transparent)
            return picture
        sharp = self.devicePixelRatioF()
        room = max(self.viewport().width() - 2 * MARGIN - 8, 100)
        width = min(picture.width(), room)
        if width < picture.width() or sharp > 1:
            smooth = Qt.TransformationMode.SmoothTransformation
            picture = picture.scaledToWidth(round(width * sharp), smooth)
            picture.setDevicePixelRatio(sharp)
        return picture

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width() and self._text:
            self._later.start()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1 if event.angleDelta().y() > 0 else -1)
        else:
            super().wheelEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._text:
            self._again()  # links have the colour of when they were read


def _own_picture(name: str) -> Path | None:
    """The file of a picture that a page names, None where it is none of this program's."""
    screenshots = (folder() / "screenshots").resolve()
    path = (folder() / "manual" / name).resolve()
    return path if path.parent == screenshots and path.suffix == ".png" else None


def _space_out(document: QTextDocument, palette: QPalette) -> None:
    """Lines, links and tables as they are read best; Markdown says nothing of that."""
    line = QTextBlockFormat()
    line.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    block = document.begin()
    while block.isValid():
        if not _underline_links(block):
            QTextCursor(block).mergeBlockFormat(line)
        block = block.next()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _dress(frame, palette)


def _underline_links(block: QTextBlock) -> bool:
    """Underline links, which are not to be told by their colour alone; whether there is a picture,
    below which a higher line would leave a gap.
    """
    links, picture, pieces = [], False, block.begin()
    while not pieces.atEnd():
        piece = pieces.fragment()
        picture |= piece.charFormat().isImageFormat()
        if piece.charFormat().isAnchor():
            links.append((piece.position(), piece.length()))
        pieces += 1
    shape = QTextCharFormat()
    shape.setFontUnderline(True)
    cursor = QTextCursor(block)
    for position, length in links:
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(shape)
    return picture


def _dress(table: QTextTable, palette: QPalette) -> None:
    """A table with thin lines, its first row set off."""
    shape = table.format()
    shape.setBorderCollapse(True)
    shape.setBorder(1)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderBrush(palette.mid())
    shape.setCellPadding(5)
    shape.setCellSpacing(0)
    shape.setWidth(QTextLength())
    table.setFormat(shape)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        head = QTextCharFormat(cell.format())
        head.setProperty(QTextFormat.Property.BackgroundBrush.value, palette.alternateBase())
        cell.setFormat(head)
