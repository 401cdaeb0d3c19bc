"""Opening: choosing files, confirming columns, entering by hand, and what was noticed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.message_bar import Answer, MessageBar

# The dialogs are imported when they are first opened, not before the first paint.
if TYPE_CHECKING:
    from ndcg_desktop.files.assemble import Understood
    from ndcg_desktop.session.loading import Question

FILTER = (
    "Judgments and rankings (*.xlsx *.xlsm *.xls *.ods *.csv *.tsv *.txt *.json *.qrels *.run "
    "*.gz *.trec *.dat);;All files (*)"
)
NO_RANKING = (
    "These are judgments without a ranking: the ideal ordering is shown alone. Open a ranking, or "
    "take the order of the rows for one."
)
SHOWN = 3
"""Warnings that the bar tells one by one; more are counted."""


class LoadingFlow:
    """Everything that a person is asked on the way from a file to the window."""

    def __init__(self, session: Session, messages: MessageBar, window: QWidget) -> None:
        self._session = session
        self._messages = messages
        self._window = window
        session.asked.connect(self._ask)

    def choose_files(self) -> None:
        """Let the user pick files, and open them."""
        files, _ = QFileDialog.getOpenFileNames(
            self._window, "Open judgments and rankings", self._folder(), FILTER
        )
        if files:
            self.open_paths([Path(file) for file in files])

    def _folder(self) -> str:
        recent = self._session.paths or next(iter(self._session.preferences.recent), [])
        return str(recent[0].parent) if recent else ""

    def open_paths(self, paths: list[Path]) -> None:
        """Open files. What is not saved is kept where they complete it, and else asked about."""
        if paths:
            self._session.open_paths(paths)

    def enter_by_hand(self) -> None:
        """Ask for grades in an empty table, and score them."""
        from ndcg_desktop.views.entry_dialog import EntryDialog

        dialog = EntryDialog(self._window)
        if dialog.exec():
            self._session.open_table(dialog.entered())

    def _ask(self, question: Question) -> None:
        """Have each doubtful table confirmed; giving one up gives up the load."""
        parts = list(question.plan.parts)
        for place, doubt in question.plan.doubts.items():
            answer = self._confirm(parts[place], doubt)
            if answer is None:
                return
            parts[place] = answer
        self._session.answer(question, parts)

    def _confirm(self, part: Understood, doubt: str) -> Understood | None:
        from ndcg_desktop.views.columns_dialog import ColumnsDialog

        dialog = ColumnsDialog(part, doubt, self._window)
        return dialog.understood() if dialog.exec() else None

    # ---- what was noticed

    def tell_findings(self) -> None:
        """Tell the few findings that matter most, and how many more there are."""
        session = self._session
        if session.evaluation is None:
            return
        if not session.evaluation.rankings and session.judged:
            answers = [Answer("Use the order of the rows", self._use_row_order)]
            self._messages.tell("note", NO_RANKING, answers)
        findings = [f for f in session.findings if f.level != "note"]
        if not findings:
            return
        level = "error" if any(f.level == "error" for f in findings) else "warning"
        self._messages.tell(level, _summary(findings), [Answer("Show all", self.show_findings)])

    def _use_row_order(self) -> None:
        parts = [replace(part, row_order=True) for part in self._session.parts]
        self._session.reread(parts, "use of the order of the rows")

    def show_findings(self) -> None:
        """List everything that was noticed about the files."""
        FindingsDialog(self._session.findings, self._window).exec()


def _summary(findings: list[Finding]) -> str:
    """The first findings in full, the others by their number."""
    kinds = Counter(finding.code for finding in findings)
    first = [next(f for f in findings if f.code == code) for code in kinds]
    lines = [str(finding) for finding in first[:SHOWN]]
    more = len(findings) - len(lines)
    return "\n".join(lines) + (f"\n… and {more:,} more." if more else "")


class FindingsDialog(QDialog):
    """A table of findings: level, file, sheet, row, and what was done."""

    def __init__(self, findings: tuple[Finding, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Findings")
        self.resize(900, 480)
        table = QTableWidget(len(findings), 5)
        table.setAccessibleName("Findings")
        table.setHorizontalHeaderLabels(["Level", "File", "Sheet", "Row", "What was found"])
        table.verticalHeader().hide()
        table.setWordWrap(True)
        for row, finding in enumerate(findings):
            source = finding.source
            cells = [
                finding.level,
                source.file if source else "",
                (source.sheet or "") if source else "",
                "" if finding.row is None else str(finding.row),
                finding.text,
            ]
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                table.setItem(row, column, item)
        table.horizontalHeader().setSectionResizeMode(4, QHeaderView.ResizeMode.Stretch)
        table.setColumnWidth(1, 190)
        if len(findings) <= 300:
            table.resizeRowsToContents()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(table)
        layout.addWidget(buttons)
