"""Pages of paper: text, tables and charts laid out and painted by Qt as a PDF in A4.

Text stays text, charts stay vectors, and a table's header is repeated on each page. There are no
widgets here, so a report can be made without a window. All text that came from a file is escaped
before it becomes HTML.

Qt keeps every other thread waiting while it works, so it gets a long table a page at a time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from html import escape

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QMarginsF,
    QPointF,
    QRect,
    QRectF,
    QSizeF,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPyTextObject,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextOption,
)
from PySide6.QtSvg import QSvgRenderer

from ndcg_desktop.reports import tables

LONGEST_TEXT = 500
"""Characters of an id or a finding; the rest would fill pages."""

ROWS_AT_FIRST = 64
"""Rows of a long table that are taken for a page, before it is known how many it holds."""

ROWS_OF_HEAD = 2
"""Caption and header of a long table."""

DOTS_PER_INCH = 600
HTML_DOTS_PER_INCH = 96
"""What Qt takes a pixel of HTML for."""

MARGINS = QMarginsF(18, 16, 18, 14)
"""Of the paper, in millimetres."""

FOOTER = 9.0
"""Height left to the footer at the foot of each page, in millimetres."""

TEXT_POINTS = 9
FOOTER_POINTS = 7.5
GAP = "padding-left: 10px"
GREY = "#5f6368"

STYLE = f"""
h1 {{ font-size: 18pt; font-weight: 600; margin: 0; }}
h2 {{ font-size: 12pt; font-weight: 600; margin: 16px 0 4px 0; }}
h3 {{ font-size: 10pt; font-weight: 600; margin: 12px 0 3px 0; }}
p {{ margin: 3px 0; }}
.value {{ font-size: 34pt; font-weight: 600; }}
.large {{ font-size: 12pt; }}
.quiet {{ color: {GREY}; }}
.small {{ font-size: 8pt; }}
.caption {{ color: {GREY}; font-size: 8pt; font-weight: normal; }}
th {{ font-weight: 600; }}
.table {{ font-size: 8pt; }}
.narrow {{ font-size: 6.5pt; }}
"""

Pictures = Mapping[str, bytes]
"""Charts as SVG that Qt can paint, by the name that the text has them under."""


@cache
def application() -> QGuiApplication:
    """Qt draws no text without an application: the running one, or one that needs no screen."""
    running = QGuiApplication.instance()
    if isinstance(running, QGuiApplication):
        return running
    return QGuiApplication(["ndcg", "-platform", "offscreen"])


# ---- text


def short(text: str) -> str:
    """A text that fills no page."""
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"


def html_text(text: str) -> str:
    """Text of a file as HTML that shows just that text."""
    return escape(" ".join(text.split()))


def picture(name: str, size: tuple[float, float]) -> str:
    """A chart, so many inches wide and high."""
    width, height = (inches * HTML_DOTS_PER_INCH for inches in size)
    return f'<img src="{name}" width="{width:.0f}" height="{height:.0f}">'


def two_columns(said: Sequence[tuple[str, str]]) -> str:
    """Labels with their texts, two to a line."""
    rows = []
    for place in range(0, len(said), 2):
        pair = [*said[place : place + 2], ("", "")][:2]
        cells = (
            f'<td width="12%" class="quiet">{html_text(label)}</td>'
            f'<td width="38%">{html_text(words)}</td>'
            for label, words in pair
        )
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return (
        '<table class="table" width="100%" cellspacing="0" cellpadding="2" '
        f'style="margin-top: 10px">{"".join(rows)}</table>'
    )


# ---- tables


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    header: str
    texts: Sequence[str]
    share: float
    """Of the table's width."""
    align: str = "right"
    style: str = ""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table as HTML: its head, which is repeated on each page that it runs over, and its rows."""

    head: str
    rows: list[str]
    letters: str = "table"

    def html(self, first: int = 0, last: int | None = None) -> str:
        """The table with these of its rows, and nothing where there is none."""
        rows = self.rows[first:last]
        if not rows:
            return ""
        return (
            f'<table class="{self.letters}" width="100%" cellspacing="0" cellpadding="3" '
            f'style="margin-bottom: 14px"><thead>{self.head}</thead>{"".join(rows)}</table>'
        )


def paper_table(caption: str, columns: Sequence[Column], letters: str = "table") -> PaperTable:
    """A table whose caption and header are its head; ``letters`` is the class of its text."""
    whole = sum(column.share for column in columns)
    head = "".join(
        f'<th width="{100 * column.share / whole:.1f}%" align="{column.align}" '
        f'style="{column.style}; border-bottom: 1px solid #333">{html_text(column.header)}</th>'
        for column in columns
    )
    # Qt stretches the last row of a page to its foot: a line below it would stand there astray.
    rows: list[str] = []
    for cells in zip(*(column.texts for column in columns), strict=True):
        line = "border-top: 1px solid #ddd" if rows else ""
        row = "".join(
            f'<td align="{column.align}" style="{column.style}; {line}">{html_text(text)}</td>'
            for text, column in zip(cells, columns, strict=True)
        )
        rows.append(f"<tr>{row}</tr>")
    head = f"<tr>{head}</tr>"
    if caption:
        above = f'align="left" colspan="{len(columns)}" class="caption"'
        head = f"<tr><th {above}>{html_text(caption)}</th></tr>{head}"
    return PaperTable(head, rows, letters)


# ---- charts


class _Charts(QPyTextObject):
    """Draws a chart where the text has its image: an image format alone would be a raster."""

    def __init__(self, pictures: Pictures, parent: QTextDocument) -> None:
        super().__init__(parent)
        self._pictures = pictures

    def intrinsicSize(  # noqa: N802 - Qt's name
        self,
        doc: QTextDocument,
        posInDocument: int,  # noqa: N803 - Qt's name
        format: QTextFormat,
    ) -> QSizeF:
        # Only text is scaled to the device by Qt; an object has to see to that itself.
        device = doc.documentLayout().paintDevice()
        scale = device.logicalDpiX() / HTML_DOTS_PER_INCH
        image = format.toImageFormat()
        return QSizeF(image.width() * scale, image.height() * scale)

    def drawObject(  # noqa: N802 - Qt's name
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        posInDocument: int,  # noqa: N803 - Qt's name
        format: QTextFormat,
    ) -> None:
        svg = self._pictures[format.toImageFormat().name()]
        QSvgRenderer(QByteArray(svg)).render(painter, QRectF(rect))


# ---- pages

Printed = tuple[QTextDocument, int]
"""A document, and how many pages of it are to be printed."""


class Paper:
    """Sheets of A4 that texts are laid out for."""

    def __init__(self, writer: QPdfWriter, pictures: Pictures) -> None:
        self._writer = writer
        self._pictures = pictures

    def document(self, html: str) -> QTextDocument:
        """A text laid out on pages of this paper."""
        document = QTextDocument()
        document.setDocumentMargin(0)
        font = QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family())
        font.setPointSizeF(TEXT_POINTS)
        document.setDefaultFont(font)
        document.setDefaultTextOption(_wrapping_anywhere())
        document.setDefaultStyleSheet(STYLE)
        layout = document.documentLayout()
        layout.setPaintDevice(self._writer)
        if self._pictures:
            charts = _Charts(self._pictures, document)
            layout.registerHandler(QTextFormat.ObjectTypes.ImageObject.value, charts)
        document.setPageSize(QSizeF(self._writer.width(), self.height))
        document.setHtml(html)
        return document

    @property
    def height(self) -> float:
        """Of the part of a page that text may fill, in dots."""
        return self._writer.height() - _footer_height()

    def whole(self, html: str) -> Printed:
        """A text with all its pages."""
        document = self.document(html)
        return document, document.pageCount()

    def blocks(self, parts: Iterable[str]) -> Iterator[Printed]:
        """Texts one below the other, none of which is broken that a page can hold."""
        page = ""
        for part in parts:
            if page and self.document(page + part).pageCount() > 1:
                yield self.whole(page)
                page = ""
            page += part
        if page:
            yield self.whole(page)

    def long_table(self, title: str, table: PaperTable, end: str) -> Iterator[Printed]:
        """A table that runs over pages, below its title, and what stands after it."""
        first, guess, count = 0, ROWS_AT_FIRST, len(table.rows)
        while first + guess < count:
            document = self.document(title + table.html(first, first + guess))
            fitting = _rows_on_first_page(document, guess)
            if fitting == guess:
                guess *= 2
                continue
            # The rows that do not fit begin the next page, whole. No row fills a page.
            yield self.document(title + table.html(first, first + fitting)), 1
            first, guess, title = first + fitting, fitting + 2, ""
        yield self.whole(title + table.html(first) + end)


def printed(title: str, pictures: Pictures, lay_out: Callable[[Paper], Iterable[Printed]]) -> bytes:
    """The bytes of a PDF with the documents that ``lay_out`` makes of paper."""
    application()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DOTS_PER_INCH)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(MARGINS, QPageLayout.Unit.Millimeter)
    writer.setTitle(title)
    writer.setCreator(tables.program_name())
    painter = QPainter(writer)
    try:
        _paint_pages(painter, list(lay_out(Paper(writer, pictures))), writer)
    finally:
        painter.end()
    return bytes(buffer.data().data())


def _rows_on_first_page(document: QTextDocument, rows: int) -> int:
    """How many rows of the only table stand whole on the first page, but at least one."""
    layout, height = document.documentLayout(), document.pageSize().height()
    document.pageCount()  # lays out
    table = QTextCursor(document.lastBlock().previous()).currentTable()

    def reaches_beyond(row: int) -> bool:
        cells = (table.cellAt(row + ROWS_OF_HEAD, column) for column in range(table.columns()))
        blocks = (cell.lastCursorPosition().block() for cell in cells)
        return any(layout.blockBoundingRect(block).bottom() > height for block in blocks)

    return bisect_left(range(rows), True, lo=1, key=reaches_beyond)


def _wrapping_anywhere() -> QTextOption:
    """An id of a hundred letters is broken rather than pushing its table off the page."""
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    return option


def _footer_height() -> float:
    return FOOTER / 25.4 * DOTS_PER_INCH


def _paint_pages(painter: QPainter, documents: Sequence[Printed], writer: QPdfWriter) -> None:
    pages = [(document, page) for document, count in documents for page in range(count)]
    for number, (document, page) in enumerate(pages, start=1):
        if number > 1:
            writer.newPage()
        size = document.pageSize()
        painter.save()
        painter.translate(0, -page * size.height())
        document.drawContents(painter, QRectF(QPointF(0, page * size.height()), size))
        painter.restore()
        foot = QRectF(0, size.height(), size.width(), _footer_height())
        _paint_footer(painter, foot, f"page {number} of {len(pages)}", document.defaultFont())


def _paint_footer(painter: QPainter, foot: QRectF, page: str, font: QFont) -> None:
    font.setPointSizeF(FOOTER_POINTS)
    painter.setFont(font)
    painter.setPen(QColor(GREY))
    bottom = Qt.AlignmentFlag.AlignBottom
    made = f"{tables.program_name()} · {date.today().isoformat()}"
    painter.drawText(foot, bottom | Qt.AlignmentFlag.AlignLeft, made)
    painter.drawText(foot, bottom | Qt.AlignmentFlag.AlignRight, page)
