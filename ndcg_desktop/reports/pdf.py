"""A summary on paper: what was scored and how, the mean, one query's chart, every query's score.

Qt lays the pages out and paints them: text stays text, the chart stays vectors, and a table's
header is repeated on each page. There are no widgets here, so a report can be made without a
window. All text that came from a file is escaped before it becomes HTML.

Qt keeps every other thread waiting while it works, so it gets a long table a page at a time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from html import escape
from pathlib import Path
from typing import BinaryIO

import pandas as pd
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

from ndcg_desktop.charts.bars import query_bars
from ndcg_desktop.charts.ranking_chart import picture
from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.detail import query_numbers, query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.open_grades import query_bounds
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.reports import tables
from ndcg_desktop.reports.svg import fit_for_qt
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import CHOSEN, WORDS

WORST = 10
MOST_FINDINGS = 50
MOST_MISSED = 3
LONGEST_TEXT = 500
"""Characters of an id or a finding; the rest would fill pages."""

ROWS_AT_FIRST = 64
"""Rows of a long table that are taken for a page, before it is known how many it holds."""

ROWS_OF_HEAD = 2

DOTS_PER_INCH = 600
HTML_DOTS_PER_INCH = 96
"""What Qt takes a pixel of HTML for."""

MARGINS = QMarginsF(18, 16, 18, 14)
"""Of the paper, in millimetres."""

FOOTER = 9.0
"""Height left to the footer at the foot of each page, in millimetres."""

CHART_INCHES = (6.85, 2.9)
TEXT_POINTS = 9
FOOTER_POINTS = 7.5
GAP = "padding-left: 10px"
SAYING_NOTHING = {"", wording.NONE}
GREY = "#5f6368"

STYLE = f"""
h1 {{ font-size: 18pt; font-weight: 600; margin: 0; }}
h2 {{ font-size: 12pt; font-weight: 600; margin: 16px 0 4px 0; }}
p {{ margin: 3px 0; }}
.value {{ font-size: 34pt; font-weight: 600; }}
.quiet {{ color: {GREY}; }}
.small {{ font-size: 8pt; }}
.caption {{ color: {GREY}; font-size: 8pt; font-weight: normal; }}
th {{ font-weight: 600; }}
.table {{ font-size: 8pt; }}
"""


@dataclass(frozen=True, slots=True)
class _Summary:
    """What the pages tell about."""

    evaluation: Evaluation
    ranking: int | None
    query: int | None
    decimals: int
    scores: pd.DataFrame
    """The table of all queries."""

    def figure(self, value: float | None) -> str:
        return wording.decimal(value, self.decimals)


def export_pdf(
    path: Path,
    evaluation: Evaluation,
    ranking: int | None,
    query: int | None,
    decimals: int,
    findings: Sequence[Finding],
) -> None:
    """Write the summary of one ranking, with the chart of one query, as a PDF in A4.

    Raises FileError where the file cannot be written; what stood there before is then untouched.
    """
    _application()
    scores = tables.query_table(evaluation, ranking)
    summary = _Summary(evaluation, ranking, query, decimals, scores)
    chart = None if query is None else _chart_svg(summary, query)
    data = _print(_front(summary), _rest(summary, findings), chart, _title(summary))

    def write(stream: BinaryIO) -> None:
        stream.write(data)

    atomic_write(path, write)


@cache
def _application() -> QGuiApplication:
    """Qt draws no text without an application: the running one, or one that needs no screen."""
    running = QGuiApplication.instance()
    if isinstance(running, QGuiApplication):
        return running
    return QGuiApplication(["ndcg", "-platform", "offscreen"])


# ---- what the pages say


def _front(summary: _Summary) -> str:
    parts = [
        _head(summary),
        _mean(summary),
        _options(summary),
        _query(summary),
        _worst_queries(summary),
    ]
    return "".join(parts)


def _rest(summary: _Summary, findings: Sequence[Finding]) -> _Rest:
    """Every query, and what was found."""
    count = len(summary.scores)
    title = "Every query" if count > 1 else "The query"
    table = _query_table(summary, summary.scores.index)
    return _Rest(f"<h2>{title}</h2>" if count else "", table, _findings(findings))


def _title(summary: _Summary) -> str:
    if summary.ranking is None:
        return "Judgments without a ranking"
    return _short(summary.evaluation.rankings[summary.ranking].name)


def _head(summary: _Summary) -> str:
    evaluation = summary.evaluation
    judged = ", ".join(tables.judgment_files(evaluation))
    lines = [f"Judgments from {judged}" if judged else "No judgments"]
    if summary.ranking is not None:
        lines.append(f"Ranking from {tables.ranking_file(evaluation, summary.ranking)}")
    quiet = "".join(f'<p class="quiet">{_text(line)}</p>' for line in lines)
    return f'<p class="quiet">nDCG report</p><h1>{_text(_title(summary))}</h1>{quiet}'


def _mean(summary: _Summary) -> str:
    evaluation, ranking = summary.evaluation, summary.ranking
    value = None if ranking is None else wording.mean_value(evaluation, ranking)
    lines = [
        f"<b>{_text(tables.mean_line(evaluation, ranking, summary.decimals))}</b>",
        f"Measure: {_text(wording.full_name(evaluation))}",
        f"Scored with {_text(wording.named_in_full(evaluation))}",
    ]
    return (
        '<table width="100%" cellspacing="0" cellpadding="0" style="margin-top: 10px"><tr>'
        f'<td width="26%" valign="middle" class="value">{summary.figure(value)}</td>'
        f'<td width="74%" valign="middle">{"".join(f"<p>{line}</p>" for line in lines)}</td>'
        "</tr></table>"
    )


def _options(summary: _Summary) -> str:
    """Every option, those too that are at their default, in two columns."""
    options = summary.evaluation.options
    gain = WORDS["gain"][options.gain]
    if options.gain == "table":
        gain += ": " + ", ".join(f"{grade:g} → {gain:g}" for grade, gain in options.gain_table)
    said = [
        ("Cutoff k", "none" if options.cutoff is None else str(options.cutoff)),
        ("Gain", gain),
        ("Discount", options.discount_words),
        *(
            (name.capitalize().replace("_", " "), WORDS[name][getattr(options, name)])
            for name in CHOSEN
        ),
    ]
    rows = []
    for left, right in zip(said[::2], said[1::2], strict=True):
        cells = (
            f'<td width="12%" class="quiet">{_text(label)}</td><td width="38%">{_text(words)}</td>'
            for label, words in (left, right)
        )
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return (
        '<table class="table" width="100%" cellspacing="0" cellpadding="2" '
        f'style="margin-top: 10px">{"".join(rows)}</table>'
    )


def _query(summary: _Summary) -> str:
    if summary.query is None:
        return ""
    width, height = (inches * HTML_DOTS_PER_INCH for inches in CHART_INCHES)
    label = _short(tables.query_label(summary.evaluation, summary.query))
    sentences = " ".join(_sentences(summary, summary.query))
    return (
        f"<h2>Query: {_text(label)}</h2>"
        f'<p><img src="chart" width="{width:.0f}" height="{height:.0f}"></p>'
        f"<p>{_text(sentences)}</p>"
    )


def _sentences(summary: _Summary, query: int) -> list[str]:
    """What the chart shows, in words."""
    evaluation, ranking = summary.evaluation, summary.ranking
    if ranking is None:
        return ["This is the ideal ordering alone: there is no ranking to compare it with."]
    scores = evaluation.scores(ranking)
    status = int(scores.status[query])
    if status != Status.SCORED:
        return [wording.outcome_sentence(evaluation, ranking, query)]
    bounds = query_bounds(evaluation, ranking, query)
    lower, upper = float(bounds.lower[0]), float(bounds.upper[0])
    sums = (float(total[query]) for total in (scores.value, scores.dcg, scores.ideal_dcg))
    value, dcg, ideal = map(summary.figure, sums)
    said = [
        f"{evaluation.options.measure} is {value}: DCG {dcg} of an ideal {ideal}.",
        f"Of the {scores.returned[query]} documents that count, {scores.judged[query]} are judged.",
    ]
    if lower < upper:
        k = evaluation.options.cutoff
        every = "returned document" if k is None else f"document of the top {k}"
        said.append(
            f"With every {every} judged, the score would lie between "
            f"{summary.figure(lower)} and {summary.figure(upper)}"
            f"{wording.range_caveat(evaluation.options)}."
        )
    said.append(_missed(summary, query))
    said.append(
        wording.beyond_list(evaluation.options, int(evaluation.rankings[ranking].returned[query]))
    )
    return [sentence for sentence in said if sentence]


def _missed(summary: _Summary, query: int) -> str:
    table = tables.contribution_table(summary.evaluation, query, summary.ranking)
    lost = table[table["lost"] > 0]
    if lost.empty:
        return ""
    some = lost[:MOST_MISSED]
    named = [
        f"{_short(document)} (grade {wording.grade_text(grade)}, lost {summary.figure(gain)})"
        for document, grade, gain in zip(some["document"], some["grade"], some["lost"], strict=True)
    ]
    more = len(lost) - len(named)
    return f"Missed: {', '.join(named)}{f', and {more} more' if more else ''}."


def _worst_queries(summary: _Summary) -> str:
    """The queries that pull the mean down most; of a handful the whole table says it all."""
    value = summary.scores["nDCG"].dropna()
    if len(value) <= WORST:
        return ""
    worst = value.sort_values(kind="stable").index[:WORST]
    table = _query_table(summary, worst)
    return f"<h2>The {WORST} queries that score lowest</h2>{table.html()}"


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    lines = [
        f'<p class="small"><b>{finding.level}</b> {_text(_short(str(finding)))}</p>'
        for finding in findings[:MOST_FINDINGS]
    ]
    more = len(findings) - MOST_FINDINGS
    if more > 0:
        lines.append(f'<p class="small">… and {more:,} more.</p>')
    return f"<h2>What to know about the data</h2>{''.join(lines)}"


# ---- tables


@dataclass(frozen=True, slots=True)
class _Column:
    header: str
    texts: list[str]
    share: float
    """Of the table's width."""
    align: str = "right"
    style: str = ""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table as HTML: its head, which is repeated on each page that it runs over, and its rows."""

    head: str
    rows: list[str]

    def html(self, first: int = 0, last: int | None = None) -> str:
        """The table with these of its rows, and nothing where there is none."""
        rows = self.rows[first:last]
        if not rows:
            return ""
        return (
            '<table class="table" width="100%" cellspacing="0" cellpadding="3" '
            f'style="margin-bottom: 14px"><thead>{self.head}</thead>{"".join(rows)}</table>'
        )


@dataclass(frozen=True, slots=True)
class _Rest:
    """What follows the summary: a title, a table that may be long, and what stands after it."""

    title: str
    table: _Table
    end: str

    @property
    def long(self) -> bool:
        """Whether the table begins on a page of its own, not with two rows at the foot of one."""
        return len(self.table.rows) > WORST


def _query_table(summary: _Summary, queries: pd.Index[int]) -> _Table:
    """The rows of these queries. A column that says nothing about any of them is left out."""
    frame = summary.scores.loc[queries]
    labels = [_short(tables.query_label(summary.evaluation, query)) for query in queries.tolist()]
    figures = {
        name: [summary.figure(value) for value in frame[name].tolist()]
        for name in ("nDCG", "lower bound", "upper bound", "DCG", "ideal DCG")
    }
    between = [
        f"{lower}–{upper}" if lower != upper else ""
        for lower, upper in zip(figures["lower bound"], figures["upper bound"], strict=True)
    ]
    counts = zip(frame["judged in top k"], frame["returned in top k"], strict=True)
    judged = ["" if summary.ranking is None else f"{part}/{whole}" for part, whole in counts]
    caption = f"{summary.evaluation.options.measure} · {wording.named_in_full(summary.evaluation)}"
    columns = [
        _Column("query", labels, 31, "left"),
        _Column("nDCG", figures["nDCG"], 8),
        _Column("between", between, 13),
        _Column("DCG", figures["DCG"], 9),
        _Column("ideal DCG", figures["ideal DCG"], 10),
        _Column("judged", judged, 9),
        _Column("why not scored", frame["why not scored"].tolist(), 20, "left", GAP),
    ]
    return _table(caption, [column for column in columns if set(column.texts) - SAYING_NOTHING])


def _table(caption: str, columns: Sequence[_Column]) -> _Table:
    """A table whose caption and header are its head."""
    whole = sum(column.share for column in columns)
    head = "".join(
        f'<th width="{100 * column.share / whole:.1f}%" align="{column.align}" '
        f'style="{column.style}; border-bottom: 1px solid #333">{_text(column.header)}</th>'
        for column in columns
    )
    # Qt stretches the last row of a page to its foot: a line below it would stand there astray.
    rows: list[str] = []
    for cells in zip(*(column.texts for column in columns), strict=True):
        line = "border-top: 1px solid #ddd" if rows else ""
        row = "".join(
            f'<td align="{column.align}" style="{column.style}; {line}">{_text(text)}</td>'
            for text, column in zip(cells, columns, strict=True)
        )
        rows.append(f"<tr>{row}</tr>")
    caption = f'<th align="left" colspan="{len(columns)}" class="caption">{_text(caption)}</th>'
    return _Table(f"<tr>{caption}</tr><tr>{head}</tr>", rows)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"


def _text(text: str) -> str:
    """Text of a file as HTML that shows just that text."""
    return escape(" ".join(text.split()))


# ---- the chart


def _chart_svg(summary: _Summary, query: int) -> bytes:
    """The chart as vectors, its letters as text."""
    rows = query_rows(summary.evaluation, query, summary.ranking)
    numbers = query_numbers(summary.evaluation, rows)
    bars = query_bars(summary.evaluation, rows, numbers, summary.decimals)
    return fit_for_qt(picture(bars, "svg", CHART_INCHES))


class _Chart(QPyTextObject):
    """Draws the chart where the text has its image: an image format alone would be a raster."""

    def __init__(self, svg: bytes, parent: QTextDocument) -> None:
        super().__init__(parent)
        self._renderer = QSvgRenderer(QByteArray(svg))

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
        self._renderer.render(painter, QRectF(rect))


# ---- the pages


def _print(front: str, rest: _Rest, chart: bytes | None, title: str) -> bytes:
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
        _paint_pages(painter, list(_laid_out(front, rest, chart, writer)), writer)
    finally:
        painter.end()
    return bytes(buffer.data().data())


def _laid_out(
    front: str, rest: _Rest, chart: bytes | None, writer: QPdfWriter
) -> Iterator[tuple[QTextDocument, int]]:
    """Documents, and how many pages of each are to be printed."""
    if not rest.long:
        document = _document(front + rest.title + rest.table.html() + rest.end, chart, writer)
        yield document, document.pageCount()
        return
    document = _document(front, chart, writer)
    yield document, document.pageCount()
    first, guess, count = 0, ROWS_AT_FIRST, len(rest.table.rows)
    title = rest.title
    while first + guess < count:
        document = _document(title + rest.table.html(first, first + guess), None, writer)
        fitting = _rows_on_first_page(document, guess)
        if fitting == guess:
            guess *= 2
            continue
        # The rows that do not fit begin the next page, whole. No row fills a page (LONGEST_TEXT).
        document = _document(title + rest.table.html(first, first + fitting), None, writer)
        yield document, 1
        first, guess, title = first + fitting, fitting + 2, ""
    document = _document(title + rest.table.html(first) + rest.end, None, writer)
    yield document, document.pageCount()


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


def _document(html: str, chart: bytes | None, writer: QPdfWriter) -> QTextDocument:
    document = QTextDocument()
    document.setDocumentMargin(0)
    font = QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family())
    font.setPointSizeF(TEXT_POINTS)
    document.setDefaultFont(font)
    document.setDefaultTextOption(_wrapping_anywhere())
    document.setDefaultStyleSheet(STYLE)
    layout = document.documentLayout()
    layout.setPaintDevice(writer)
    if chart is not None:
        layout.registerHandler(QTextFormat.ObjectTypes.ImageObject.value, _Chart(chart, document))
    document.setPageSize(QSizeF(writer.width(), writer.height() - _footer_height()))
    document.setHtml(html)
    return document


def _wrapping_anywhere() -> QTextOption:
    """An id of a hundred letters is broken rather than pushing its table off the page."""
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    return option


def _footer_height() -> float:
    return FOOTER / 25.4 * DOTS_PER_INCH


def _paint_pages(
    painter: QPainter, documents: Sequence[tuple[QTextDocument, int]], writer: QPdfWriter
) -> None:
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
