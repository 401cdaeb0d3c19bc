"""The judges' record: how many, how fast, how evenly, and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.wording import decimal
from ndcg_desktop.files.table import FileError
from ndcg_desktop.models.tooltip import short_text
from ndcg_desktop.session.record import BLOCK, Decision, Summary, summaries, write_record
from ndcg_desktop.views.fitting import fit

FILE = "judging-record.csv"
NOTHING = (
    "Nothing has been judged on the Judge page yet. What is judged there is listed here with its "
    "time."
)
ABOUT = (
    "Seconds are medians. A mean grade that rises or falls from block to block is a drift: one "
    "grades more mildly or more strictly as one goes on. Self-agreement is Cohen's κ between the "
    "two grades of documents that were shown again without saying so."
)


class RecordDialog(QDialog):
    """Shows the record of each judge, and how the mean grade went. The question where to save it
    begins in the ``folder``.
    """

    def __init__(
        self,
        every: Sequence[Decision],
        saved: Callable[[Path], object],
        parent: QWidget | None = None,
        folder: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("recordDialog")
        self.setWindowTitle("Judge's record")
        self._folder = folder
        self._every = every
        self._saved = saved
        each = summaries(every)
        layout = QVBoxLayout(self)
        self.text = QLabel(ABOUT if each else NOTHING)
        self.text.setWordWrap(True)
        layout.addWidget(self.text)
        if each:
            layout.addWidget(_judges(each), 1)
            layout.addWidget(_blocks(each), 2)
        else:
            layout.addStretch(1)
        self.problem = QLabel()
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setWordWrap(True)
        self.problem.hide()
        layout.addWidget(self.problem)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        self.save = buttons.addButton("Save as &CSV…", QDialogButtonBox.ButtonRole.ActionRole)
        self.save.setObjectName("saveRecord")
        self.save.setEnabled(bool(each))
        self.save.clicked.connect(self._save)
        layout.addWidget(buttons)
        fit(self, 760, 480)

    def _save(self) -> None:
        proposed = FILE if self._folder is None else str(self._folder / FILE)
        name, _ = QFileDialog.getSaveFileName(
            self, "Save the record", proposed, "Comma-separated values (*.csv)"
        )
        if not name:
            return
        path = Path(name) if Path(name).suffix else Path(name + ".csv")
        try:
            write_record(path, self._every)
        except FileError as error:
            self.problem.setText(str(error))
            self.problem.show()
        else:
            self._saved(path)
            self.accept()


def _judges(each: Sequence[Summary]) -> QTableWidget:
    headers = ["Judge", "Judgments", "Seconds each", "Mean grade", "Shown again", "Same grade", "κ"]
    rows = [
        [
            one.judge or "–",
            f"{one.judgments:,}",
            f"{one.seconds:.1f}",
            decimal(one.mean, 2),
            f"{one.again:,}",
            f"{one.same:,}",
            f"{decimal(one.kappa)} (n = {one.again})" if one.again else "–",
        ]
        for one in each
    ]
    return _table("recordJudges", "Record of each judge", headers, rows)


def _blocks(each: Sequence[Summary]) -> QTableWidget:
    headers = ["Judge", f"Judgments, {BLOCK} at a time", "Mean grade", "Seconds each"]
    rows = [
        [
            one.judge or "–",
            f"{block.begin:,}–{block.end:,}",
            decimal(block.mean, 2),
            f"{block.seconds:.1f}",
        ]
        for one in each
        for block in one.blocks
    ]
    return _table("recordBlocks", "How the mean grade went", headers, rows)


def _table(name: str, accessible: str, headers: list[str], rows: list[list[str]]) -> QTableWidget:
    table = QTableWidget(len(rows), len(headers))
    table.setObjectName(name)
    table.setAccessibleName(accessible)
    for column, header in enumerate(headers):
        table.setHorizontalHeaderItem(column, _cell(header, column))
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.setItem(row, column, _cell(text, column))
    return table


def _cell(text: str, column: int) -> QTableWidgetItem:
    """A cell or a header; all but the first column are numbers, and stand on the right."""
    item = QTableWidgetItem(short_text(text))
    side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
    item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    return item
