"""The chosen query: its score named in full, the ranking table, and the chart."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from ndcg_desktop.charts.bars import hover_text, query_bars
from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.evaluation.open_grades import query_bounds
from ndcg_desktop.models.ranking_model import RankingModel
from ndcg_desktop.models.tooltip import plain_tip, short_text
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.views.grade_table import GradeTable

NO_JUDGMENTS = "No judgments yet. Start grading, or open a judgments file."
OF_SCORE = ("Gain", "Discount", "Disc. gain", "DCG", "Ideal grade", "Ideal disc.")
"""Columns that a class could read the score off."""
NO_RANKING = "Open a ranking to compare with this ideal."


class RankingPage(QWidget):
    """Shows one query of one ranking, or the judgments alone where there is no ranking."""

    rows_selected = Signal(list)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pageRanking")
        self._evaluation: Evaluation | None = None
        self._query: int | None = None
        self._ranking: int | None = None
        self._decimals = wording.DECIMALS
        self.chart: QWidget | None = None
        self._hidden = False
        self.model = RankingModel()
        self.table = GradeTable(self.model)
        self.table.selectionModel().selectionChanged.connect(self._on_selection)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 8, 8, 8)
        layout.addLayout(self._head())
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.table)
        self._chart_place = QWidget()
        self._chart_place.setMinimumWidth(320)
        self._chart_layout = QVBoxLayout(self._chart_place)
        self._chart_layout.setContentsMargins(0, 0, 0, 0)
        self._waiting = QLabel("The chart is being prepared…")
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._chart_layout.addWidget(self._waiting)
        self.splitter.addWidget(self._chart_place)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        self.splitter.setSizes([670, 330])
        layout.addWidget(self.splitter, 1)

    def _head(self) -> QVBoxLayout:
        self.query_name = _plain_label()
        self.query_name.setObjectName("queryName")
        self.score = _plain_label()
        self.score.setObjectName("score")
        for label, size in ((self.query_name, 1.35), (self.score, 1.35)):
            font = QFont(label.font())
            font.setPointSizeF(font.pointSizeF() * size)
            font.setBold(True)
            label.setFont(font)
        self.range = _plain_label()
        self.range.setObjectName("range")
        self.facts = _plain_label()
        self.facts.setObjectName("facts")
        self.sentence = _plain_label()
        self.sentence.setObjectName("sentence")
        first = QHBoxLayout()
        first.addWidget(self.query_name, 1)
        first.addSpacing(8)
        first.addWidget(self.score)
        first.addSpacing(8)
        first.addWidget(self.range)
        self.query_name.setMinimumWidth(80)
        head = QVBoxLayout()
        head.setSpacing(2)
        head.addLayout(first)
        for label in (self.facts, self.sentence):
            label.setWordWrap(True)
            head.addWidget(label)
        return head

    def hide_scores(self, hidden: bool) -> None:
        """Show grades alone: no score, no gain, no chart."""
        self._hidden = hidden
        for label in (self.score, self.range, self.facts, self._chart_place):
            label.setVisible(not hidden)
        self._hide_columns()

    def _hide_columns(self) -> None:
        for column in range(self.model.columnCount()):
            if self.model.headerData(column, Qt.Orientation.Horizontal) in OF_SCORE:
                self.table.setColumnHidden(column, self._hidden)

    # ---- what is shown

    def show_query(
        self,
        evaluation: Evaluation | None,
        query: int | None,
        ranking: int | None,
        decimals: int,
    ) -> None:
        """Show a query, or nothing."""
        self._evaluation, self._query = evaluation, query
        self._ranking, self._decimals = ranking, decimals
        self.model.show(evaluation, query, ranking, decimals)
        self._hide_columns()
        self._show_numbers()

    def refresh(self) -> None:
        """The grades of the query have changed."""
        self.model.refresh()
        self._show_numbers()

    def set_chart(self, chart: QWidget) -> None:
        """Take the chart in, once its library is there."""
        from ndcg_desktop.views.chart_view import ChartView

        assert isinstance(chart, ChartView)
        self._waiting.hide()
        self.chart = chart
        self._chart_layout.addWidget(chart)
        chart.position_clicked.connect(self._on_position)
        self._show_chart()

    def _show_numbers(self) -> None:
        self._show_score()
        self._show_chart()

    def _show_score(self) -> None:
        evaluation, query = self._evaluation, self._query
        if evaluation is None or query is None:
            for label in (self.query_name, self.score, self.range, self.facts, self.sentence):
                label.setText("")
            return
        name = evaluation.queries[query]
        title = evaluation.titles.get(query, "") or name
        self.query_name.setText(short_text(title))
        self.query_name.setAccessibleDescription(short_text(name))
        self.query_name.setToolTip(plain_tip(f"{title} ({name})" if title != name else name))
        if self._ranking is None:
            self._show_ideal_alone(evaluation)
            return
        self._show_scored(evaluation, query, self._ranking)

    def _show_ideal_alone(self, evaluation: Evaluation) -> None:
        self.score.setText(f"{evaluation.options.measure} {wording.NONE}")
        self.range.setText("")
        numbers = self.model.numbers
        assert numbers is not None
        ideal = numbers.ideal_dcg
        self.facts.setText(
            f"ideal DCG {wording.decimal(ideal, self._decimals)} · "
            f"{wording.named_in_full(evaluation)}"
        )
        self.sentence.setText(NO_RANKING)

    def _show_scored(self, evaluation: Evaluation, query: int, ranking: int) -> None:
        scores = evaluation.scores(ranking)
        status = int(scores.status[query])
        counted = bool(wording.counted(evaluation, ranking)[query])
        value = float(scores.value[query]) if counted else None
        measure = evaluation.options.measure
        self.score.setText(f"{measure} {wording.decimal(value, self._decimals)}")
        self.score.setToolTip(evaluation.options.full_name)
        known = status not in (Status.REFUSED, Status.UNJUDGED)
        dcg, ideal = float(scores.dcg[query]), float(scores.ideal_dcg[query])
        facts = [
            f"DCG {wording.decimal(dcg if known else None, self._decimals)}",
            f"ideal DCG {wording.decimal(ideal if known else None, self._decimals)}",
            f"judged {scores.judged[query]} of {scores.returned[query]}",
            wording.named_in_full(evaluation),
        ]
        self.facts.setText(" · ".join(facts))
        self.range.setText(self._range(evaluation, query, ranking, status))
        self.sentence.setText(self._sentence(evaluation, query, ranking))

    def _range(self, evaluation: Evaluation, query: int, ranking: int, status: int) -> str:
        scores = evaluation.scores(ranking)
        if status in (Status.REFUSED, Status.ABSENT, Status.UNJUDGED):
            return ""
        if scores.judged[query] >= scores.returned[query] and evaluation.options.unjudged == "zero":
            return ""
        bounds = query_bounds(evaluation, ranking, query)
        if not bounds.defined[0]:
            return ""
        low, high = float(bounds.lower[0]), float(bounds.upper[0])
        return (
            f"between {wording.decimal(low, self._decimals)} and "
            f"{wording.decimal(high, self._decimals)}"
            f"{wording.range_caveat(evaluation.options)}"
        )

    def _sentence(self, evaluation: Evaluation, query: int, ranking: int) -> str:
        if not np.any(evaluation.judgments.code != UNJUDGED):
            return NO_JUDGMENTS
        returned = int(evaluation.rankings[ranking].returned[query])
        parts = [
            wording.outcome_sentence(evaluation, ranking, query),
            wording.beyond_list(evaluation.options, returned),
        ]
        return " ".join(part for part in parts if part)

    # ---- the chart

    def _show_chart(self) -> None:
        if self.chart is None:
            return
        from ndcg_desktop.views.chart_view import ChartView

        assert isinstance(self.chart, ChartView)
        evaluation, rows, numbers = self._evaluation, self.model.rows, self.model.numbers
        if evaluation is None or rows is None or numbers is None:
            return
        bars = query_bars(evaluation, rows, numbers, self._decimals)
        decimals = self._decimals
        self.chart.show_bars(
            bars, lambda position: hover_text(evaluation, rows, numbers, position, decimals)
        )
        self.chart.select_rows(set(self.table.selected_rows))

    def _on_selection(self) -> None:
        rows = self.table.selected_rows
        if self.chart is not None:
            self.chart.select_rows(set(rows))  # type: ignore[attr-defined]
        self.rows_selected.emit(rows)

    def _on_position(self, row: int) -> None:
        if 0 <= row < self.model.rowCount():
            self.table.select_row(row)


def _plain_label() -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
