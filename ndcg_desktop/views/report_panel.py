"""The import report: everything that was noticed about the files, beside what it is about."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDockWidget,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.columns import Finding, Level
from ndcg_desktop.evaluation.findings import HEADINGS
from ndcg_desktop.models.findings_model import FILE, ORDER, ROW, SHEET, SIGNS, WHAT, FindingsModel
from ndcg_desktop.models.tooltip import plain_tip
from ndcg_desktop.session.session import Session

WORDS: dict[Level, tuple[str, str]] = {
    "error": ("error", "errors"),
    "warning": ("warning", "warnings"),
    "note": ("note", "notes"),
}
CONFLICT = "conflicting-judgment"
NOTHING = "Nothing was noticed about these files: every row was read and used as it stands."


class ReportPanel(QDockWidget):
    """Findings by kind; a click goes to the row, and what can be mended safely has a button."""

    row_wanted = Signal(object)  # a Finding whose row is to be shown

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__("Import report", parent)
        self.setObjectName("report")
        self.setAccessibleName("Import report")
        self._session = session
        self.model = FindingsModel(self)
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(8, 4, 8, 8)
        layout.addLayout(self._head())
        layout.addWidget(self._tree(), 1)
        layout.addLayout(self._detail())
        self.setWidget(inside)
        self.show_findings()

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.levels: dict[Level, QCheckBox] = {}
        for level in ORDER:
            box = QCheckBox()
            box.setObjectName(f"show{level.capitalize()}s")
            box.setChecked(True)
            box.toggled.connect(lambda _: self._fill())
            self.levels[level] = box
            row.addWidget(box)
        row.addStretch(1)
        self.copy = QPushButton("Copy report")
        self.copy.setObjectName("copyReport")
        self.copy.clicked.connect(self._copy)
        row.addWidget(self.copy)
        return row

    def _tree(self) -> QTreeView:
        self.tree = QTreeView()
        self.tree.setObjectName("findings")
        self.tree.setAccessibleName("Findings")
        self.tree.setModel(self.model)
        self.tree.setUniformRowHeights(True)
        self.tree.setAlternatingRowColors(True)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(WHAT, QHeaderView.ResizeMode.Stretch)
        for column, width in ((FILE, 190), (SHEET, 110), (ROW, 80)):
            self.tree.setColumnWidth(column, width)
        self.tree.selectionModel().currentRowChanged.connect(self._on_current)
        self.tree.activated.connect(self._on_activated)
        self.tree.clicked.connect(self._on_activated)
        return self.tree

    def _detail(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.text = QLabel()
        self.text.setObjectName("findingText")
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.text.setMinimumWidth(1)  # a long id must not widen the window
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.go = QPushButton("Go to row")
        self.go.setObjectName("goToRow")
        self.go.clicked.connect(lambda: self._want_row(self.tree.currentIndex()))
        self.rule_word = QLabel("&Use the")
        self.rule = QComboBox()
        self.rule.setObjectName("rule")
        self.rule.setAccessibleName("Which grade of several counts")
        for rule, words in wording.DUPLICATES.items():
            self.rule.addItem(words, rule)
        self.rule.activated.connect(self._use_rule)
        self.rule_word.setBuddy(self.rule)
        self.repair = QPushButton("Match the ids")
        self.repair.setObjectName("repair")
        self.repair.clicked.connect(self._want_repair)
        row.addWidget(self.text, 1)
        row.addWidget(self.rule_word, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.rule, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.go, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.repair, 0, Qt.AlignmentFlag.AlignTop)
        return row

    # ---- what is shown

    def show_findings(self) -> None:
        """Show what was noticed about the files that are open."""
        counts = Counter(finding.level for finding in self._session.findings)
        for level, box in self.levels.items():
            count = counts[level]
            box.setText(f"{SIGNS[level].split()[0]} {count:,} {WORDS[level][count != 1]}")
            box.setEnabled(count > 0)
        self.copy.setEnabled(bool(self._session.findings))
        self._fill()

    def _fill(self) -> None:
        levels = {level for level, box in self.levels.items() if box.isChecked()}
        self.model.show(self._session.findings, HEADINGS, levels)
        for group in range(self.model.rowCount()):
            index = self.model.index(group, 0)
            self.tree.setFirstColumnSpanned(group, QModelIndex(), True)
            self.tree.setExpanded(index, self.model.rowCount(index) <= 20)
        self._show_detail(None)

    def _show_detail(self, finding: Finding | None) -> None:
        if finding is None:
            open_ = self._session.evaluation is not None
            self.text.setText(NOTHING if open_ and not self._session.findings else "")
        else:
            row = self._session.row_text(finding)
            self.text.setText(f"{finding}" + (f"\nIn the file: {row}" if row else ""))
        self.go.setEnabled(finding is not None and finding.row is not None)
        repair = None if finding is None else self._session.repair_of(finding)
        self.repair.setVisible(repair is not None)
        self.repair.setToolTip("" if repair is None else plain_tip(repair.text))
        self.repair.setAccessibleDescription("" if repair is None else repair.text)
        contradict = finding is not None and finding.code == CONFLICT
        self.rule.setVisible(contradict)
        self.rule_word.setVisible(contradict)
        if contradict and self._session.judged:
            self.rule.setCurrentIndex(self.rule.findData(self._session.judged[0].duplicates))

    # ---- what is wanted

    def _on_current(self, index: QModelIndex, _: QModelIndex) -> None:
        self._show_detail(self.model.finding_at(index))

    def _on_activated(self, index: QModelIndex) -> None:
        if self.model.finding_at(index) is None:
            self.tree.setExpanded(index, not self.tree.isExpanded(index))
        else:
            self._want_row(index)

    def _want_row(self, index: QModelIndex) -> None:
        finding = self.model.finding_at(index)
        if finding is not None:
            self.row_wanted.emit(finding)

    def _want_repair(self) -> None:
        finding = self.model.finding_at(self.tree.currentIndex())
        repair = None if finding is None else self._session.repair_of(finding)
        if repair is not None:
            self._session.mend(repair)

    def _use_rule(self, _: int) -> None:
        """Let another grade count where a document has several."""
        rule = self.rule.currentData()
        if all(part.duplicates == rule for part in self._session.judged):
            return
        parts = [replace(part, duplicates=rule) for part in self._session.parts]
        self._session.reread(parts, f"use of the {wording.DUPLICATES[rule]} of several judgments")

    def _copy(self) -> None:
        lines = [f"{finding.level}: {finding}" for finding in self._session.findings]
        QGuiApplication.clipboard().setText("\n".join(lines))
