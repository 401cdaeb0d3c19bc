"""The Summary page: every ranking under every measure, with its interval."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.summary import Figure, Summary
from ndcg_desktop.models.text_table import Cell
from ndcg_desktop.session.comparing import Comparing
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.controls import sentence
from ndcg_desktop.views.copy_table import CopyTable

BEST = "★"
EXPLAINED = (
    f"Each figure is a mean over the queries that {{measure}} counts, with a 95% interval "
    f"(bootstrap, seed {{seed}}). {BEST} marks a ranking that is better than every other by more "
    "than chance: paired randomisation tests, Holm's correction, p < 0.05. A click on a "
    "header sorts the measures; Enter or a double click on a measure sorts the rankings by it. "
    "What stands behind RBP with a + is its residual: what unjudged documents could add."
)
NO_RANKINGS = "No ranking is open, so there is nothing to sum up."
COMPUTING = "Computing every measure…"


class SummaryPage(QWidget):
    """A row for each measure and a column for each ranking; a click on a header sorts."""

    report_wanted = Signal()

    def __init__(self, session: Session, comparing: Comparing) -> None:
        super().__init__()
        self.setObjectName("pageSummary")
        self._session, self._comparing = session, comparing
        self._sorted = (-1, False)
        self._by = ""
        """The measure that the rankings are put in order by, "" for none."""
        self._order: list[int] = []
        """The measure of each row."""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 8, 8, 8)
        self.words = sentence("summaryWords", "What the figures are")
        layout.addWidget(self.words)
        self.table = CopyTable("summary", "Every ranking under every measure")
        header = self.table.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self._on_header)
        self.table.activated.connect(self._on_measure)
        layout.addWidget(self.table, 1)
        layout.addLayout(self._foot())
        comparing.changed.connect(lambda part: self.refresh() if part == "summary" else None)

    def _foot(self) -> QHBoxLayout:
        self.relevant = QDoubleSpinBox()
        self.relevant.setObjectName("summaryRelevant")
        self.relevant.setAccessibleName("The least grade of a relevant document")
        self.relevant.setRange(0, 1000)
        self.relevant.setDecimals(1)
        self.relevant.editingFinished.connect(self._on_relevant)
        label = QLabel("&Relevant from grade")
        label.setBuddy(self.relevant)
        report = QPushButton("R&eport…")
        report.setObjectName("summaryReport")
        report.clicked.connect(self.report_wanted)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.relevant)
        row.addStretch(1)
        row.addWidget(self.table.copy_button())
        row.addWidget(report)
        return row

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._comparing.want({"summary"})
        self.refresh()

    def hideEvent(self, event: object) -> None:
        super().hideEvent(event)  # type: ignore[arg-type]
        self._comparing.want(set())

    def refresh(self) -> None:
        """Show what is known."""
        evaluation, found = self._session.evaluation, self._comparing.summary
        if evaluation is None or not evaluation.rankings:
            self.words.setText(NO_RANKINGS)
            self.table.texts.show((), [])
            return
        self.relevant.setValue(evaluation.lineup.relevant)
        if found is None:
            self.words.setText(COMPUTING)
            return
        self.words.setText(self._explained(evaluation, found))
        self._show(found)

    def _explained(self, evaluation: Evaluation, found: Summary) -> str:
        text = EXPLAINED.format(measure=evaluation.options.measure, seed=found.seed)
        return f"{text} {evaluation.options.measure}: {wording.named_in_full(evaluation)}."

    def _show(self, found: Summary) -> None:
        decimals, across = self._session.decimals, self._across(found)
        order = list(range(len(found.measures)))
        column, falling = self._sorted
        if column == 0:
            order.sort(key=lambda m: found.measures[m].casefold(), reverse=falling)
        elif 0 < column <= len(found.rankings):
            row = found.figures[across[column - 1]]
            order.sort(key=lambda m: _sort_key(row[m], falling))
        rows: list[list[Cell | str]] = [
            [
                found.measures[measure],
                *(_cell(found.figures[ranking][measure], decimals) for ranking in across),
                _n_text([figures[measure] for figures in found.figures]),
            ]
            for measure in order
        ]
        headers = ["Measure", *(found.rankings[ranking] for ranking in across), "n"]
        if 0 <= column < len(headers) - 1:
            headers[column] += " ▼" if falling else " ▲"
        numbers = range(1, len(headers))
        self._order = order
        self.table.texts.show(headers, rows, numbers)
        self.table.resizeColumnsToContents()

    def _across(self, found: Summary) -> list[int]:
        """The rankings from left to right: as they are lined up, or by the chosen measure."""
        across = list(range(len(found.rankings)))
        if self._by in found.measures:
            measure = found.measures.index(self._by)
            across.sort(key=lambda ranking: _sort_key(found.figures[ranking][measure], True))
        return across

    def _on_measure(self, index: QModelIndex) -> None:
        """Put the rankings in the order of a measure, and back as they were."""
        found = self._comparing.summary
        if found is not None:
            chosen = found.measures[self._order[index.row()]]
            self._by = "" if self._by == chosen else chosen
            self._sorted = (-1, False)
            self.refresh()

    def _on_header(self, column: int) -> None:
        """Sort by a column: up, down, and as the measures come."""
        last, falling = self._sorted
        self._sorted = (
            (column, False) if column != last else ((-1, False) if falling else (column, True))
        )
        self.refresh()

    def _on_relevant(self) -> None:
        evaluation = self._session.evaluation
        if evaluation is None:
            return
        lineup = evaluation.lineup
        chosen = lineup.deciding(lineup.tie, lineup.matters, self.relevant.value())
        self._session.set_lineup(chosen, "least relevant grade")


def _sort_key(figure: Figure, falling: bool) -> tuple[bool, float]:
    value = figure.mean or 0.0
    return figure.mean is None, -value if falling else value


def _n_text(figures: list[Figure]) -> str:
    """In how many queries the means are taken, by ranking where that differs."""
    numbers = [str(figure.n) for figure in figures]
    return numbers[0] if len(set(numbers)) == 1 else " / ".join(numbers)


def _cell(figure: Figure, decimals: int) -> Cell:
    """A mean, its interval, and whether it is the best."""
    text = wording.decimal(figure.mean, decimals)
    spoken = text
    if figure.interval is not None:
        low, high = (
            wording.decimal(each, decimals)
            for each in (figure.interval.lower, figure.interval.upper)
        )
        text += f"  [{low}, {high}]"
        spoken += f", interval from {low} to {high}"
    if figure.residual is not None:
        residual = wording.decimal(figure.residual, decimals)
        text += f" +{residual}"
        spoken += f", residual {residual}"
    if figure.best:
        text = f"{BEST} {text}"
        spoken += ", the best by more than chance"
    return Cell(text, spoken, figure.best)
