"""The Explain page: a query's score written out, where its points went, what if, other tools."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from ndcg_desktop.charts.bars import hover_text, query_bars
from ndcg_desktop.evaluation.detail import query_numbers, query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.models.tooltip import short_text
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.chart_view import ChartView
from ndcg_desktop.views.controls import heading, sentence
from ndcg_desktop.views.drawn_view import DrawnView
from ndcg_desktop.views.explain_view import ExplainView
from ndcg_desktop.views.fitting import Scrolled
from ndcg_desktop.views.losses_view import LossesView
from ndcg_desktop.views.ranking_page import NO_JUDGMENTS, NO_RANKING
from ndcg_desktop.views.tools_view import ToolsView
from ndcg_desktop.views.what_if_view import WhatIfView

SUM, LOSSES, WHAT_IF, TOOLS = range(4)


class ExplainPage(QWidget):
    """Shows one query of one ranking in four ways; only the one that is seen is made anew."""

    options_wanted = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setObjectName("pageExplain")
        self._shown: tuple[Evaluation | None, int | None, int | None, int] = (None, None, None, 3)
        self.title = heading(size=1.35)
        self.title.setObjectName("explainTitle")
        self.title.setWordWrap(True)
        self.note = sentence("explainNote", "What there is to be explained")
        self.chart = ChartView()
        self.chart.setObjectName("chartExplain")
        self.steps, self.losses, self.what_if = ExplainView(), LossesView(), WhatIfView()
        self.tools = ToolsView(session)
        self.tools.options_wanted.connect(self.options_wanted)
        self.tabs = QTabWidget()
        self.tabs.setObjectName("explainTabs")
        self.tabs.setAccessibleName("The score of a query, explained")
        self.tabs.setDocumentMode(True)
        for text, page in (
            ("Step &by step", self._sum_tab()),
            ("&Where the points went", self.losses),
            ("What &if", self.what_if),
            ("Other &tools", self.tools),
        ):
            self.tabs.addTab(Scrolled(page), text)  # large letters need more than a screen
        self.tabs.currentChanged.connect(lambda _: self.refresh())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(self.title)
        layout.addWidget(self.note)
        layout.addWidget(self.tabs, 1)

    def _sum_tab(self) -> QSplitter:
        """The chart above the sums; a rank that is pointed at lights up in both."""
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.chart)
        split.addWidget(self.steps)
        split.setSizes([230, 420])
        self.steps.step_hovered.connect(
            lambda rank: self.chart.select_rows({rank - 1} if rank else set())
        )
        self.chart.position_hovered.connect(lambda row: self.steps.highlight(row + 1))
        self.chart.position_clicked.connect(lambda row: self.steps.highlight(row + 1))
        return split

    @property
    def seen_chart(self) -> DrawnView | None:
        """The chart of the tab that is seen, None where it has none."""
        charts = {SUM: self.chart, LOSSES: self.losses.chart, WHAT_IF: self.what_if.chart}
        return charts.get(self.tabs.currentIndex())

    def show_query(
        self,
        evaluation: Evaluation | None,
        query: int | None,
        ranking: int | None,
        decimals: int,
    ) -> None:
        """Explain a query of a ranking, or of the judgments alone."""
        self._shown = evaluation, query, ranking, decimals
        self.refresh()

    def refresh(self) -> None:
        """The grades, options or ranking have changed, or another tab is seen."""
        evaluation, query, ranking, decimals = self._shown
        self._show_title(evaluation, query, ranking)
        seen = self.tabs.currentIndex()
        if seen == SUM:
            self._show_chart(evaluation, query, ranking, decimals)
        view = (self.steps, self.losses, self.what_if, self.tools)[seen]
        view.show_query(evaluation, query, ranking, decimals)

    def _show_title(
        self, evaluation: Evaluation | None, query: int | None, ranking: int | None
    ) -> None:
        if evaluation is None or query is None:
            self.title.setText("")
            self.note.setText("")
            return
        name = evaluation.titles.get(query) or evaluation.queries[query]
        of = "" if ranking is None else f" in “{evaluation.rankings[ranking].name}”"
        self.title.setText(short_text(f"{name}{of}"))
        judged = bool((evaluation.judgments.code != UNJUDGED).any())
        note = NO_JUDGMENTS if not judged else NO_RANKING if ranking is None else ""
        self.note.setText(note)
        self.note.setVisible(bool(note))

    def _show_chart(
        self,
        evaluation: Evaluation | None,
        query: int | None,
        ranking: int | None,
        decimals: int,
    ) -> None:
        if evaluation is None or query is None:
            return
        rows = query_rows(evaluation, query, ranking)
        numbers = query_numbers(evaluation, rows)
        self.chart.show_bars(
            query_bars(evaluation, rows, numbers, decimals),
            lambda position: hover_text(evaluation, rows, numbers, position, decimals),
        )
