"""One query of two rankings side by side: two tables, and lines from where a document stood to
where it stands now.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.side_by_side import PERSISTENCE, Placed, SideBySide, movement_text
from ndcg_desktop.models.text_table import Cell
from ndcg_desktop.models.tooltip import plain_tip, short_text
from ndcg_desktop.views.controls import heading, sentence
from ndcg_desktop.views.copy_table import CopyTable

HEADERS = ("#", "Document", "Grade", "Disc. gain", "Moved")
NUMBERS = (0, 2, 3)
LINES_WIDTH = 60
"""Pixels between the two tables."""
THIN, THICK = 1.4, 2.6


class SideBySideView(QWidget):
    """The baseline on the left, the candidate on the right; a line joins each document's places.

    What a line says is in the column *Moved* of both tables too.
    """

    def __init__(self) -> None:
        super().__init__()
        self.baseline = _table("compareBaseline", "Baseline")
        self.candidate = _table("compareCandidate", "Candidate")
        self.lines = MovementLines(self.baseline, self.candidate)
        self.names = (_name_label(), _name_label())
        self.facts = sentence("compareAlike", "How alike the two are")
        row = QHBoxLayout()
        row.setSpacing(0)
        for label, table in zip(self.names, (self.baseline, self.candidate), strict=True):
            side = QVBoxLayout()
            side.addWidget(label)
            side.addWidget(table, 1)
            row.addLayout(side, 1)
            if table is self.baseline:
                row.addWidget(self.lines)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 6, 0, 0)
        layout.addLayout(row, 1)
        layout.addWidget(self.facts)
        for table in (self.baseline, self.candidate):
            table.verticalScrollBar().valueChanged.connect(self.lines.update)
            table.selectionModel().currentRowChanged.connect(lambda *_, t=table: self._follow(t))

    def show_query(self, found: SideBySide | None, names: tuple[str, str], decimals: int) -> None:
        """Show a query of these two rankings; nothing where there is none."""
        for label, name, side in zip(self.names, names, ("Baseline", "Candidate"), strict=True):
            label.setText(f"{side}: {short_text(name)}" if name else "")
            label.setToolTip(plain_tip(name))
        sides: tuple[Sequence[Placed], Sequence[Placed]] = (
            ((), ()) if found is None else (found.baseline, found.candidate)
        )
        for table, placed, right in zip(
            (self.baseline, self.candidate), sides, (False, True), strict=True
        ):
            table.texts.show(HEADERS, [_row(each, right, decimals) for each in placed], NUMBERS)
        self.lines.show_lines(*sides)
        self.facts.setText("" if found is None else alike_text(found, decimals))

    def _follow(self, table: CopyTable) -> None:
        """Choose the same document on the other side, where it is shown there."""
        other = self.candidate if table is self.baseline else self.baseline
        row = table.currentIndex().row()
        partner = self.lines.partner(row, of_candidate=table is self.candidate)
        self.lines.choose(row, of_candidate=table is self.candidate)
        if partner is not None and other.currentIndex().row() != partner and table.hasFocus():
            other.selectRow(partner)


class MovementLines(QWidget):
    """Lines between two tables, from the row of a document to its row on the other side."""

    def __init__(self, left: QTableView, right: QTableView) -> None:
        super().__init__()
        self._left, self._right = left, right
        self._pairs: list[tuple[int, int]] = []
        self._chosen: tuple[int, int] | None = None
        self.setFixedWidth(LINES_WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Lines from each document's old place to its new one")

    def show_lines(self, baseline: Sequence[Placed] = (), candidate: Sequence[Placed] = ()) -> None:
        """Draw the lines of these documents."""
        rows = {placed.rank: row for row, placed in enumerate(baseline)}
        self._pairs = [
            (rows[placed.other_rank], row)
            for row, placed in enumerate(candidate)
            if placed.other_rank in rows
        ]
        self._chosen = None
        moved = sum(a != b for a, b in self._pairs)
        self.setAccessibleDescription(
            f"{len(self._pairs)} documents in both, {moved} of them at another place; the column "
            "Moved says where to."
        )
        self.update()

    def partner(self, row: int, of_candidate: bool) -> int | None:
        """The row of the same document on the other side, None where it is not shown there."""
        for a, b in self._pairs:
            if (b if of_candidate else a) == row:
                return a if of_candidate else b
        return None

    def choose(self, row: int, of_candidate: bool) -> None:
        """Draw the line of a row thicker."""
        other = self.partner(row, of_candidate)
        if other is not None:
            self._chosen = (other, row) if of_candidate else (row, other)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(LINES_WIDTH, 120)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        for pair in sorted(self._pairs, key=lambda each: each == self._chosen):
            left = self._height(self._left, pair[0])
            right = self._height(self._right, pair[1])
            chosen = pair == self._chosen
            role = QPalette.ColorRole.Highlight if chosen else QPalette.ColorRole.Mid
            if pair[0] != pair[1] and not chosen:
                role = QPalette.ColorRole.WindowText
            pen = QPen(palette.color(role), THICK if chosen else THIN)
            if pair[1] > pair[0]:
                pen.setStyle(Qt.PenStyle.DashLine)  # lower down than before
            painter.setPen(pen)
            path = QPainterPath(QPointF(2, left))
            middle = self.width() / 2
            path.cubicTo(middle, left, middle, right, self.width() - 2, right)
            painter.drawPath(path)

    def _height(self, table: QTableView, row: int) -> float:
        """Where the middle of a row stands, in the coordinates of this widget."""
        inside = table.rowViewportPosition(row) + table.rowHeight(row) / 2
        top = table.viewport().mapTo(table.window(), table.viewport().rect().topLeft()).y()
        own = self.mapTo(self.window(), self.rect().topLeft()).y()
        return min(max(float(top - own + inside), 0.0), float(self.height()))


def alike_text(found: SideBySide, decimals: int) -> str:
    """How alike the two are, each figure by its name."""
    return " · ".join(
        (
            f"overlap@{found.shown} {wording.decimal(found.overlap, decimals)}",
            f"Jaccard@{found.shown} {wording.decimal(found.jaccard, decimals)}",
            f"RBO (p = {PERSISTENCE:g}, whole lists) {wording.decimal(found.rbo, decimals)}",
            f"Kendall's τ {wording.decimal(found.kendall, decimals)} "
            f"(of the {found.in_common} documents in both)",
        )
    )


def _row(placed: Placed, of_candidate: bool, decimals: int) -> list[Cell | str]:
    grade = wording.grade_text(placed.grade)
    moved = movement_text(placed, of_candidate)
    text = placed.document if not placed.title else f"{placed.title} ({placed.document})"
    return [
        str(placed.rank),
        text,
        Cell(grade or "–", spoken=f"grade {grade}" if grade else "not judged"),
        wording.decimal(placed.gain, decimals),
        Cell(moved, strong=moved != "same place"),
    ]


def _table(name: str, words: str) -> CopyTable:
    table = CopyTable(name, f"{words}: the first ranks of this query")
    header = table.horizontalHeader()
    table.setSelectionBehavior(CopyTable.SelectionBehavior.SelectRows)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def size() -> None:
        for column, width in ((0, 30), (2, 50), (3, 80), (4, 84)):
            table.setColumnWidth(column, width)
        if header.count() > 1:
            header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)

    table.texts.modelReset.connect(size)
    return table


def _name_label() -> QLabel:
    label = heading()
    label.setMinimumWidth(40)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return label
