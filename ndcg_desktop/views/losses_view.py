"""Where the points of a query went, as a waterfall, and which single change brings most back.

Importing this module imports matplotlib: the window does so after its first paint.
"""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QVBoxLayout, QWidget

from ndcg_desktop.charts.waterfall import By, waterfall
from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.best_changes import best_grades, best_missed, best_move, best_swap
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.explanation import explain
from ndcg_desktop.evaluation.losses import losses
from ndcg_desktop.evaluation.losses_words import (
    grades_words,
    missed_words,
    move_words,
    swap_words,
)
from ndcg_desktop.views.controls import sentence, toggle
from ndcg_desktop.views.figure_view import FigureView

NO_RANKING = "Open a ranking to see what it loses against the ideal."


class LossesView(QWidget):
    """The waterfall by position or by document, and sentences below it."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("lossesView")
        self._shown: tuple[Evaluation, int, int | None] | None = None
        self._decimals = wording.DECIMALS
        self.chart = FigureView("Where the points went")
        self.chart.setObjectName("waterfall")
        self.by_position = toggle("lossesByPosition", "By &position")
        self.by_document = toggle("lossesByDocument", "By &document")
        self.words = sentence("lossesWords", "The best single changes")
        layout = QVBoxLayout(self)
        layout.addLayout(self._switch())
        layout.addWidget(self.chart, 1)
        layout.addWidget(self.words)

    def _switch(self) -> QHBoxLayout:
        group = QButtonGroup(self)
        row = QHBoxLayout()
        row.setSpacing(0)
        for button in (self.by_position, self.by_document):
            group.addButton(button)
            row.addWidget(button)
        row.addStretch(1)
        self.by_position.setChecked(True)
        group.buttonToggled.connect(lambda _, on: self._show_chart() if on else None)
        return row

    def show_query(
        self,
        evaluation: Evaluation | None,
        query: int | None,
        ranking: int | None,
        decimals: int,
    ) -> None:
        """Show what a query loses, or nothing."""
        self._decimals = decimals
        self._shown = None
        if evaluation is not None and query is not None:
            self._shown = evaluation, query, ranking
        self._show_chart()
        self.words.setText(self._sentences())

    @property
    def _by(self) -> By:
        return "position" if self.by_position.isChecked() else "document"

    def _show_chart(self) -> None:
        if self._shown is None:
            self.chart.show_chart(None)
            return
        evaluation, query, ranking = self._shown
        explained = explain(evaluation, query, ranking)
        figure = wording.decimal(explained.value, self._decimals)
        found = None if ranking is None else losses(evaluation, query, ranking)
        self.chart.show_chart(
            waterfall(
                found,
                self._by,
                explained.measure,
                explained.query,
                f"{explained.measure} {figure} · {explained.named}",
                NO_RANKING if ranking is None else explained.sentence,
                self._decimals,
            )
        )

    def _sentences(self) -> str:
        if self._shown is None or self._shown[2] is None:
            return ""
        evaluation, query, ranking = self._shown
        assert ranking is not None
        if losses(evaluation, query, ranking) is None:
            return ""
        decimals = self._decimals
        sentences = [
            move_words(best_move(evaluation, query, ranking), decimals),
            swap_words(best_swap(evaluation, query, ranking), decimals),
            missed_words(best_missed(evaluation, query, ranking), decimals),
            *grades_words(*best_grades(evaluation, query, ranking), decimals),
        ]
        return "\n".join(each for each in sentences if each)
