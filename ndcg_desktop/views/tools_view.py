"""What other tools make of the score, why they differ, and the score as their code."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.as_code import TOOLS, Why, as_code
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.tools import (
    Match,
    Step,
    ToolScore,
    explaining,
    steps_between,
    under_conventions,
)
from ndcg_desktop.models.text_table import Cell
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.controls import heading, narrow_box, sentence, toggle
from ndcg_desktop.views.copy_table import CopyTable

if TYPE_CHECKING:
    from ndcg_desktop.session.jobs import Jobs

AFTER = 120
"""Milliseconds from a change to its computing."""
TOOL_HEADERS = ("Tool", "Score", "Difference", "Read from", "What is its own")
STEP_HEADERS = ("Step", "Part", "Score then", "From", "To")
MATCH_HEADERS = ("Score", "What differs from the settings here", "Tools with these settings")
NAMES = {
    "ideal_cut": "ideal cut",
    "undefined": "undefined queries",
    "missing": "absent queries",
    "unjudged": "unjudged documents",
    "order": "order and ties",
}
"""What a step is called, where that is not the option's own name."""
NUMBER = re.compile(r"\s*([0-9]*[.,]?[0-9]+)\s*%?\s*")
NOT_A_NUMBER = "Type the number that the other tool printed, as 0.684 or 68.4 %."
FEWEST_DECIMALS = 2
TOO_SHORT = "Type at least two decimals: too many settings give a number so short."
NOTHING_GIVES = (
    "None of the settings looked through gives this number: neither any tool's at k = 1 to 20, "
    "without a cutoff or at the number returned, nor a change of one option alone. Perhaps the "
    "other tool has read other grades or another order."
)
ON_ITS_OWN = "nothing: the settings here give it"


class ToolsView(QWidget):
    """The figure of the query, or of the mean, under every convention; computed on a thread."""

    options_wanted = Signal(object)
    """Options that give the number of another tool: they are to be scored under."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setObjectName("toolsView")
        self._session = session
        self._place: tuple[int | None, int | None] = (None, None)
        self._tools: list[ToolScore] = []
        self._matches: list[Match] = []
        self._jobs: dict[str, Jobs] = {name: session.hire() for name in ("tools", "steps", "find")}
        self._later = QTimer(self, singleShot=True, interval=AFTER)
        self._later.timeout.connect(self._compute)
        upper = QSplitter(Qt.Orientation.Horizontal)
        upper.setChildrenCollapsible(False)
        upper.addWidget(self._left())
        upper.addWidget(self._right())
        upper.setSizes([560, 440])
        layout = QVBoxLayout(self)
        layout.addLayout(self._switch())
        layout.addWidget(upper, 1)
        layout.addWidget(self._finding())

    # ---- making it

    def _switch(self) -> QHBoxLayout:
        self.of_query = toggle("toolsOfQuery", "This &query")
        self.of_mean = toggle("toolsOfMean", "The &mean")
        group = QButtonGroup(self)
        row = QHBoxLayout()
        row.setSpacing(0)
        for button in (self.of_query, self.of_mean):
            group.addButton(button)
            row.addWidget(button)
        self.of_query.setChecked(True)
        group.buttonToggled.connect(lambda _, on: self.refresh() if on else None)
        self.about = sentence("toolsAbout", "What is compared")
        row.addSpacing(12)
        row.addWidget(self.about, 1)
        return row

    def _left(self) -> QWidget:
        self.tools = CopyTable("toolsTable", "The score under every tool's convention")
        self.tools.setSelectionBehavior(CopyTable.SelectionBehavior.SelectRows)
        self.tools.selectionModel().currentRowChanged.connect(
            lambda now, _: self._choose(now.row())
        )
        return _titled("What each tool gives", self.tools, self.tools.copy_button())

    def _right(self) -> QWidget:
        self.start = narrow_box("toolsFrom", "From which tool", 12)
        self.end = narrow_box("toolsTo", "To which tool", 12)
        for box in (self.start, self.end):
            box.activated.connect(lambda _: self._compute_steps())
        self.steps = CopyTable("toolsSteps", "The steps from one tool to the other")
        self.steps.setMinimumHeight(110)
        row = QHBoxLayout()
        for text, box in (("&From", self.start), ("&to", self.end)):
            label = QLabel(text)
            label.setBuddy(box)
            row.addWidget(label)
            row.addWidget(box, 1)
        place = QWidget()
        column = QVBoxLayout(place)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(heading("Why two tools differ"))
        column.addLayout(row)
        column.addWidget(self.steps, 1)
        self.sum = sentence("toolsSum", "The whole difference")
        column.addWidget(self.sum)
        column.addLayout(self._code())
        return place

    def _code(self) -> QVBoxLayout:
        self.language = narrow_box("toolsCode", "As code of", 12)
        self.language.addItems(list(TOOLS))
        self.language.activated.connect(lambda _: self._show_code())
        copy = QPushButton("&Copy as code")
        copy.setObjectName("toolsCopyCode")
        copy.clicked.connect(self._copy_code)
        row = QHBoxLayout()
        row.addWidget(heading("As code of"))
        row.addWidget(self.language, 1)
        row.addWidget(copy)
        self.code = QPlainTextEdit()
        self.code.setObjectName("toolsCodeText")
        self.code.setAccessibleName("The score as code")
        self.code.setReadOnly(True)
        self.code.setTabChangesFocus(True)
        self.code.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.code.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.code.setMinimumHeight(70)
        column = QVBoxLayout()
        column.addLayout(row)
        column.addWidget(self.code, 1)
        return column

    def _finding(self) -> QWidget:
        self.number = QLineEdit()
        self.number.setObjectName("toolsNumber")
        self.number.setAccessibleName("The number that another tool printed")
        self.number.setPlaceholderText("0.684")
        self.number.setMaximumWidth(120)
        self.number.returnPressed.connect(self._find)
        find = QPushButton("F&ind what gives it")
        find.setObjectName("toolsFind")
        find.clicked.connect(self._find)
        self.use = QPushButton("&Use these settings")
        self.use.setObjectName("toolsUse")
        self.use.clicked.connect(self._use)
        self.use.setEnabled(False)
        label = QLabel("My &other tool says")
        label.setBuddy(self.number)
        row = QHBoxLayout()
        for widget in (label, self.number, find):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.use)
        self.found = sentence("toolsFound", "What gives this number")
        self.matches = CopyTable("toolsMatches", "Settings that give this number")
        self.matches.setSelectionBehavior(CopyTable.SelectionBehavior.SelectRows)
        self.matches.setMaximumHeight(112)
        self.matches.hide()
        self.matches.selectionModel().currentRowChanged.connect(
            lambda now, _: self.use.setEnabled(now.isValid())
        )
        place = QWidget()
        column = QVBoxLayout(place)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.found)
        column.addWidget(self.matches)
        return place

    # ---- what is shown

    def show_query(
        self,
        evaluation: Evaluation | None,
        query: int | None,
        ranking: int | None,
        decimals: int,
    ) -> None:
        """Show a query of a ranking, or the mean of that ranking; nothing where there is none."""
        self._decimals = decimals
        self._place = (None, None) if evaluation is None else (query, ranking)
        self.refresh()

    def refresh(self) -> None:
        """Grades, options or the query have changed: compute it all anew."""
        for jobs in self._jobs.values():
            jobs.cancel()
        self._later.start()

    @property
    def _query(self) -> int | None:
        return None if self.of_mean.isChecked() else self._place[0]

    def _compute(self) -> None:
        evaluation, (query, ranking) = self._session.evaluation, self._place
        if (
            evaluation is None
            or ranking is None
            or (query is None and not self.of_mean.isChecked())
        ):
            self._show_tools([])
            self.code.setPlainText("")
            self.about.setText("Open a ranking: the judgments alone have no score.")
            return
        name = (
            "the mean of all queries"
            if self._query is None
            else evaluation.titles.get(self._query) or evaluation.queries[self._query]
        )
        self.about.setText(
            f"{name} in “{evaluation.rankings[ranking].name}”, "
            f"{evaluation.options.measure}: {wording.named_in_full(evaluation)}"
        )
        still, which = evaluation.frozen(), self._query
        self._run("tools", lambda: under_conventions(still, ranking, which), self._show_tools)
        self._show_code()

    def _run(self, name: str, work: Callable[[], Any], show: Callable[[Any], None]) -> None:
        self._jobs[name].run("Comparing tools", lambda _: work(), show, self._session.failed.emit)

    def _show_tools(self, found: list[ToolScore]) -> None:
        self._tools = found
        own = found[0].value if found else None
        rows = [self._tool_row(each, own) for each in found]
        self.tools.texts.show(TOOL_HEADERS, rows, (1, 2))
        self.tools.resizeColumnsToContents()
        names = [each.name for each in found]
        if [self.end.itemText(each) for each in range(self.end.count())] != names:
            for box in (self.start, self.end):
                box.clear()
                box.addItems(names)
            self.end.setCurrentIndex(min(1, len(names) - 1))
        self._compute_steps()

    def _tool_row(self, each: ToolScore, own: float | None) -> list[Cell | str]:
        apart = None if each.value is None or own is None else each.value - own
        name = f"{each.name}, {each.options.gain}"
        return [
            Cell(name, strong=not each.version),
            wording.decimal(each.value, self._decimals),
            wording.signed(apart, self._decimals),
            each.version,
            each.about,
        ]

    def _choose(self, row: int) -> None:
        """Show the steps from the settings here to the tool of a row."""
        if 0 < row < len(self._tools):
            self.start.setCurrentIndex(0)
            self.end.setCurrentIndex(row)
            self._compute_steps()

    def _compute_steps(self) -> None:
        evaluation, (_, ranking) = self._session.evaluation, self._place
        first, last = self.start.currentIndex(), self.end.currentIndex()
        if evaluation is None or ranking is None or not self._tools or min(first, last) < 0:
            self.steps.texts.show(STEP_HEADERS, [])
            self.sum.setText("")
            return
        still, which = evaluation.frozen(), self._query
        a, b = self._tools[first], self._tools[last]
        self._run(
            "steps",
            lambda: steps_between(still, ranking, which, a.options, b.options),
            partial(self._show_steps, a, b),
        )

    def _show_steps(self, a: ToolScore, b: ToolScore, steps: list[Step]) -> None:
        decimals = self._decimals
        rows = [
            [
                NAMES.get(each.name, each.name),
                wording.signed(each.part, decimals),
                wording.decimal(each.after, decimals),
                *each.words,
            ]
            for each in steps
        ]
        self.steps.texts.show(STEP_HEADERS, rows, (1, 2))
        self.steps.resizeColumnsToContents()
        if not steps:
            self.sum.setText("The two score by the same rules.")
            return
        self.sum.setText(
            f"{a.name} {wording.decimal(a.value, decimals)}, {b.name} "
            f"{wording.moved(a.value, b.value, decimals)}: the parts add up to it."
            if a.value is not None and b.value is not None
            else "One of the two gives no figure."
        )

    # ---- code

    def _as_code(self) -> str | Why:
        evaluation, (_, ranking) = self._session.evaluation, self._place
        if evaluation is None or ranking is None:
            return Why("There is no ranking.")
        return as_code(evaluation, ranking, self._query, self.language.currentText())

    def _show_code(self) -> None:
        found = self._as_code()
        self.code.setPlainText(found.text if isinstance(found, Why) else found)

    def _copy_code(self) -> None:
        found = self._as_code()
        if isinstance(found, Why):
            self.code.setPlainText(found.text)
        else:
            QGuiApplication.clipboard().setText(found)

    # ---- "my other tool says"

    def _find(self) -> None:
        evaluation, (_, ranking) = self._session.evaluation, self._place
        text = self.number.text()
        typed = NUMBER.fullmatch(text)
        if typed is None or evaluation is None or ranking is None:
            self.found.setText(NOT_A_NUMBER)
            self.matches.hide()
            return
        digits = typed.group(1).replace(",", ".")
        decimals = len(digits.partition(".")[2])
        value = float(digits)
        if "%" in text:
            value, decimals = value / 100, decimals + 2
        if decimals < FEWEST_DECIMALS:
            self.found.setText(TOO_SHORT)
            self.matches.hide()
            return
        still, which = evaluation.frozen(), self._query
        self.found.setText("Looking…")
        self._run(
            "find",
            lambda: explaining(still, ranking, which, value, decimals),
            self._show_matches,
        )

    def _show_matches(self, found: list[Match]) -> None:
        self._matches = found
        self.matches.setVisible(bool(found))
        self.use.setEnabled(False)
        if not found:
            self.found.setText(NOTHING_GIVES)
            return
        count = "1 set of settings gives" if len(found) == 1 else f"{len(found)} settings give"
        self.found.setText(f"{count} this number; those that change least come first.")
        rows: list[list[Cell | str]] = [
            [
                wording.decimal(each.value, max(self._decimals, 4)),
                "; ".join(each.changes) or ON_ITS_OWN,
                ", ".join(each.tools),
            ]
            for each in found
        ]
        self.matches.texts.show(MATCH_HEADERS, rows, (0,))
        self.matches.resizeColumnsToContents()
        self.matches.selectRow(0)

    def _use(self) -> None:
        row = self.matches.currentIndex().row()
        if 0 <= row < len(self._matches):
            self.options_wanted.emit(self._matches[row].options)


def _titled(title: str, table: CopyTable, button: QPushButton) -> QWidget:
    place = QWidget()
    column = QVBoxLayout(place)
    column.setContentsMargins(0, 0, 0, 0)
    row = QHBoxLayout()
    row.addWidget(heading(title), 1)
    row.addWidget(button)
    column.addLayout(row)
    column.addWidget(table, 1)
    return place
