"""What if the documents of a query stood otherwise: a scratch copy to move them about in.

Importing this module imports matplotlib: the window does so after its first paint.
"""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.charts.comparison_chart import Pair
from ndcg_desktop.charts.ghost_bars import GhostBars
from ndcg_desktop.charts.ranking_styles import RANKING_STYLES
from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ranking import Ranking
from ndcg_desktop.evaluation.scenario import Scenarios, own_order, score_scenario
from ndcg_desktop.evaluation.scenario_rows import (
    ScenarioRow,
    at_positions,
    ideal_gains,
    last_counting,
    missed,
    scenario_rows,
)
from ndcg_desktop.models.order_table import OrderTable
from ndcg_desktop.models.text_table import Cell
from ndcg_desktop.models.tooltip import short_text
from ndcg_desktop.views.controls import narrow_box, sentence
from ndcg_desktop.views.copy_table import CopyTable
from ndcg_desktop.views.figure_view import FigureView

HEADERS = ("rank", "before", "document", "grade", "gain", "discount", "discounted gain")
NUMBERS = (0, 1, 3, 4, 5, 6)
SCORES = ("scenario", "score", "difference", "DCG")
NO_RANKING = "Open a ranking to try other orders of it."
NOTHING_MISSED = "Every judged document is in the list"
TIES = (
    "The score averages ties. Here every document has a place of its own, so that the order as "
    "ranked scores {}."
)
WIDEST = 40
"""Characters that the widest column may have room for."""
ROW_PADDING = 10
"""Pixels of a row beside its letters."""


class WhatIfView(QWidget):
    """An order to change, with its score before and after, beside other scenarios.

    Nothing here reaches the data: the scenarios of each query are kept while its rankings are open.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("whatIfView")
        self._evaluation: Evaluation | None = None
        self._query, self._ranking = 0, 0
        self._decimals = wording.DECIMALS
        self._scenarios: Scenarios | None = None
        self._kept: WeakKeyDictionary[Ranking, dict[int, Scenarios]] = WeakKeyDictionary()
        self.score = sentence("whatIfScore", "Score before and now")
        font = self.score.font()
        font.setBold(True)
        self.score.setFont(font)
        self.sentence = sentence("whatIfSentence")
        self.table = CopyTable("whatIf", "The order to try out")
        self._order = OrderTable(self.table)
        self._prepare_table()
        self.chart = FigureView("Discounted gains before and now")
        self.chart.setObjectName("whatIfChart")
        self.scores = CopyTable("whatIfScenarios", "Scenarios and their scores")
        self._prepare_scores()
        layout = QVBoxLayout(self)
        layout.addWidget(self.score)
        layout.addWidget(self.sentence)
        layout.addWidget(self._parts(), 1)
        self._take_font()
        self.show_query(None, None, None, wording.DECIMALS)

    # ---- how it is laid out

    def _prepare_table(self) -> None:
        table = self.table
        table.texts = self._order
        table.setModel(self._order)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        table.setDragDropOverwriteMode(False)
        table.setDropIndicatorShown(True)
        self._order.move_wanted.connect(lambda row, to: self._move(row, to - row))
        table.installEventFilter(self)

    def _prepare_scores(self) -> None:
        self.scores.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.scores.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.scores.selectionModel().currentRowChanged.connect(
            lambda now, _: self._take(now.row()) if now.isValid() else None
        )

    def _parts(self) -> QSplitter:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table, 1)
        column.addLayout(self._insertion())
        column.addLayout(self._row_buttons())
        right = QSplitter(Qt.Orientation.Vertical)
        right.setChildrenCollapsible(False)
        right.addWidget(self.chart)
        right.addWidget(self._scenario_place())
        right.setStretchFactor(0, 3)
        right.setStretchFactor(1, 2)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.setChildrenCollapsible(False)
        parts.addWidget(left)
        parts.addWidget(right)
        parts.setStretchFactor(0, 1)
        parts.setStretchFactor(1, 1)
        return parts

    def _insertion(self) -> QHBoxLayout:
        self.missed = narrow_box("whatIfMissed", "Judged documents that are not in the list")
        self.missed.setPlaceholderText(NOTHING_MISSED)
        self.insert = _button("whatIfInsert", "Insert", self._insert)
        self.insert.setToolTip("Put the document above the chosen one (Ins)")
        row = QHBoxLayout()
        row.addWidget(self.missed, 1)
        row.addWidget(self.insert)
        return row

    def _row_buttons(self) -> QHBoxLayout:
        self.up = _button("whatIfUp", "Up", lambda: self._move_chosen(-1))
        self.down = _button("whatIfDown", "Down", lambda: self._move_chosen(1))
        self.remove = _button("whatIfRemove", "Remove", self._remove)
        self.back = _button("whatIfBack", "One step back", self._undo)
        self.reset = _button("whatIfReset", "As ranked", self._reset)
        tips = ("Alt+Up", "Alt+Down", "Del", "Ctrl+Z in this list", "Ctrl+Backspace")
        row = QHBoxLayout()
        for button, tip in zip(
            (self.up, self.down, self.remove, self.back, self.reset), tips, strict=True
        ):
            button.setToolTip(tip)
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _scenario_place(self) -> QWidget:
        self.name = QLineEdit()
        self.name.setObjectName("whatIfName")
        self.name.setAccessibleName("Name of the scenario")
        self.name.setMaxLength(80)
        self.name.editingFinished.connect(self._rename)
        self.new = _button("whatIfNew", "New", self._new)
        self.new.setToolTip("Another scenario, which begins with this order")
        self.delete = _button("whatIfDelete", "Delete", self._delete)
        row = QHBoxLayout()
        caption = QLabel("&Name")
        caption.setBuddy(self.name)
        for widget in (caption, self.name, self.new, self.delete):
            row.addWidget(widget)
        place = QWidget()
        column = QVBoxLayout(place)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.scores, 1)
        column.addLayout(row)
        return place

    # ---- what is shown

    def show_query(
        self,
        evaluation: Evaluation | None,
        query: int | None,
        ranking: int | None,
        decimals: int,
    ) -> None:
        """Show the scenarios of a query in a ranking, under the grades and options of now."""
        self._decimals = decimals
        there = evaluation is not None and query is not None and ranking is not None
        self._evaluation = evaluation if there else None
        self._scenarios = None
        if evaluation is not None and query is not None and ranking is not None:
            self._query, self._ranking = query, ranking
            of_ranking = self._kept.setdefault(evaluation.rankings[ranking], {})
            own = own_order(evaluation, query, ranking)
            scenarios = of_ranking.get(query)
            if scenarios is None or scenarios.own != own:
                scenarios = of_ranking[query] = Scenarios(own)
            self._scenarios = scenarios
        self._show(0)

    def _show(self, row: int) -> None:
        """Show the scenario in hand, with this row chosen."""
        evaluation, scenarios = self._evaluation, self._scenarios
        for widget in self._controls:
            widget.setEnabled(scenarios is not None)
        if evaluation is None or scenarios is None:
            self.score.setText("")
            self._say(NO_RANKING)
            self._order.show(HEADERS, [], NUMBERS)
            self.scores.texts.show(SCORES, [], (1, 2, 3))
            self.chart.show_chart(None)
            return
        before, now = (
            scenario_rows(evaluation, self._query, each)
            for each in (scenarios.own, scenarios.documents)
        )
        self._show_rows(now, scenarios, row)
        self._show_missed(evaluation, scenarios)
        self._show_score(evaluation, scenarios)
        self._show_scenarios(evaluation, scenarios)
        self._show_bars(evaluation, before, now)
        self.back.setEnabled(scenarios.can_undo)
        self.reset.setEnabled(scenarios.changed)

    @property
    def _controls(self) -> tuple[QWidget, ...]:
        moves = (self.up, self.down, self.remove, self.back, self.reset, self.insert)
        return (*moves, self.missed, self.name, self.new, self.delete)

    def _show_rows(self, now: list[ScenarioRow], scenarios: Scenarios, chosen: int) -> None:
        ranks: dict[str, int] = {}
        for rank, document in enumerate(scenarios.own, start=1):
            ranks.setdefault(document, rank)
        rows = [self._cells(row, ranks.get(row.document)) for row in now]
        self._order.show(HEADERS, rows, NUMBERS)
        self._fit(self.table)
        if now:
            self.table.selectRow(min(max(chosen, 0), len(now) - 1))

    def _fit(self, table: CopyTable) -> None:
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setMaximumSectionSize(WIDEST * table.fontMetrics().averageCharWidth())

    def _cells(self, row: ScenarioRow, before: int | None) -> list[Cell | str]:
        place = Cell("new") if before is None else Cell(str(before), strong=before != row.rank)
        if row.grade is None:
            return [str(row.rank), place, row.document, "–", "not judged", "", ""]
        figures = (
            wording.decimal(each, self._decimals)
            for each in (row.gain, row.discount, row.discounted)
        )
        return [str(row.rank), place, row.document, wording.grade_text(row.grade), *figures]

    def _show_missed(self, evaluation: Evaluation, scenarios: Scenarios) -> None:
        found = missed(evaluation, self._query, scenarios.documents)
        self.missed.clear()
        for document, grade in found:
            self.missed.addItem(
                f"{short_text(document)}, grade {wording.grade_text(grade)}", document
            )
        if found:  # a box with a placeholder chooses nothing by itself
            self.missed.setCurrentIndex(0)
        self.missed.setEnabled(bool(found))
        self.insert.setEnabled(bool(found))

    def _show_score(self, evaluation: Evaluation, scenarios: Scenarios) -> None:
        now = score_scenario(evaluation, self._query, scenarios.documents)
        own = score_scenario(evaluation, self._query, scenarios.own)
        text = wording.moved(own.value, now.value, self._decimals)
        self.score.setText(f"{evaluation.options.measure} {text}")
        self._say(
            wording.query_sentence(now.status, evaluation.options, evaluation.gains)
            or self._about_ties(evaluation, own.value)
        )

    def _say(self, text: str) -> None:
        self.sentence.setText(text)
        self.sentence.setVisible(bool(text))

    def _about_ties(self, evaluation: Evaluation, own: float | None) -> str:
        scores = evaluation.scores(self._ranking)
        given = wording.decimal(float(scores.value[self._query]), self._decimals)
        here = wording.decimal(own, self._decimals)
        averaged = evaluation.options.order == "ties-averaged"
        return TIES.format(here) if averaged and given != here else ""

    def _show_scenarios(self, evaluation: Evaluation, scenarios: Scenarios) -> None:
        own = score_scenario(evaluation, self._query, scenarios.own).value
        rows = []
        for scenario in scenarios:
            figures = score_scenario(evaluation, self._query, scenario.documents)
            both = own is not None and figures.value is not None
            change = figures.value - own if both else None  # type: ignore[operator]
            rows.append(
                [
                    scenario.name,
                    wording.decimal(figures.value, self._decimals),
                    wording.signed(change, self._decimals),
                    wording.decimal(figures.dcg, self._decimals),
                ]
            )
        current = scenarios.current
        self.scores.texts.show(SCORES, rows, (1, 2, 3))
        self._fit(self.scores)
        self.scores.selectRow(current)
        self.name.setText(scenarios.scenario.name)

    def _show_bars(
        self, evaluation: Evaluation, before: list[ScenarioRow], now: list[ScenarioRow]
    ) -> None:
        assert self._scenarios is not None
        ideal = ideal_gains(evaluation, self._query, self._scenarios.documents)
        count = max(last_counting(before), last_counting(now), len(ideal))
        was, here = at_positions(before, count), at_positions(now, count)
        measure = evaluation.options.measure
        was_style, here_style = RANKING_STYLES[1], RANKING_STYLES[0]
        pair = Pair("before", "now", measure, was_style, here_style, self._decimals)
        self.chart.show_chart(
            GhostBars(
                baseline=was.gains,
                candidate=here.gains,
                ideal=np.append(ideal, np.zeros(count - len(ideal))),
                baseline_unjudged=was.unjudged,
                candidate_unjudged=here.unjudged,
                pair=pair,
                baseline_words=was.documents,
                candidate_words=here.documents,
                title=evaluation.titles.get(self._query) or evaluation.queries[self._query],
                measure=f"{self.score.text()} · {wording.named_in_full(evaluation)}",
            )
        )

    # ---- the order in hand

    @property
    def _chosen(self) -> int:
        return self.table.currentIndex().row()

    def _move_chosen(self, by: int) -> None:
        self._move(self._chosen, by)

    def _move(self, row: int, by: int) -> None:
        if self._scenarios is not None and row >= 0:
            self._show(self._scenarios.move(row, by))

    def _insert(self) -> None:
        document = self.missed.currentData()
        if self._scenarios is not None and document is not None:
            at = self._chosen if self._chosen >= 0 else len(self._scenarios.documents)
            self._scenarios.insert(document, at)
            self._show(at)

    def _remove(self) -> None:
        row = self._chosen
        if self._scenarios is not None and row >= 0:
            self._scenarios.remove(row)
            self._show(row)

    def _undo(self) -> None:
        if self._scenarios is not None:
            self._scenarios.undo()
            self._show(self._chosen)

    def _reset(self) -> None:
        if self._scenarios is not None:
            self._scenarios.reset()
            self._show(self._chosen)

    # ---- the scenarios

    def _take(self, number: int) -> None:
        if self._scenarios is not None and number != self._scenarios.current:
            self._scenarios.current = number
            self._show(self._chosen)

    def _new(self) -> None:
        if self._scenarios is not None:
            self._scenarios.new()
            self._show(self._chosen)
            self.name.setFocus()
            self.name.selectAll()

    def _rename(self) -> None:
        scenarios = self._scenarios
        if scenarios is not None and self.name.text() != scenarios.scenario.name:
            scenarios.rename(self.name.text())
            self._show(self._chosen)

    def _delete(self) -> None:
        if self._scenarios is not None:
            self._scenarios.delete()
            self._show(self._chosen)

    # ---- keys and letters

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the list; the window's undo must not be meant by those who undo here."""
        if isinstance(event, QKeyEvent) and self._meaning(event) is not None:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                meaning = self._meaning(event)
                assert meaning is not None
                meaning()
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is(event, Qt.Key.Key_Backspace, Qt.KeyboardModifier.ControlModifier):
            self._reset()
        else:
            super().keyPressEvent(event)

    def _meaning(self, event: QKeyEvent) -> Callable[[], None] | None:
        alt, control = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
        none = Qt.KeyboardModifier.NoModifier
        if event.matches(QKeySequence.StandardKey.Undo):
            return self._undo
        meanings: list[tuple[Qt.Key, Qt.KeyboardModifier, Callable[[], None]]] = [
            (Qt.Key.Key_Up, alt, lambda: self._move_chosen(-1)),
            (Qt.Key.Key_Down, alt, lambda: self._move_chosen(1)),
            (Qt.Key.Key_Insert, none, self._insert),
            (Qt.Key.Key_Delete, none, self._remove),
            (Qt.Key.Key_Backspace, control, self._reset),
        ]
        return next((do for key, modifier, do in meanings if _is(event, key, modifier)), None)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._take_font()

    def _take_font(self) -> None:
        for table in (self.table, self.scores):
            table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + ROW_PADDING)


def _is(event: QKeyEvent, key: Qt.Key, modifier: Qt.KeyboardModifier) -> bool:
    pressed = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() == key and pressed == modifier


def _button(name: str, text: str, slot: Callable[[], None]) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setAutoDefault(False)
    button.clicked.connect(lambda: slot())
    return button
