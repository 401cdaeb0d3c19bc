"""The queries on the left: filter, list, and the mean below."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.models.queries_model import SCORE, QueriesModel
from ndcg_desktop.models.tooltip import plain_tip, short_text

ROW_HEIGHT = 26
RANGE_AFTER = 150
"""Milliseconds from a change to the range of the mean."""


class QueriesPanel(QWidget):
    """Lists the queries and says which one is chosen."""

    query_chosen = Signal(int)
    ranking_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.model = QueriesModel()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 4, 8)
        self.rankings = QComboBox()
        self.rankings.setObjectName("rankings")
        self.rankings.setAccessibleName("Ranking")
        self.rankings.setMinimumContentsLength(8)
        self.rankings.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.rankings.activated.connect(self.ranking_chosen)
        self.filter = QLineEdit()
        self.filter.setObjectName("filter")
        self.filter.setPlaceholderText("Filter queries…")
        self.filter.setAccessibleName("Filter queries")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._on_filter)
        self.mean = QLabel()
        self.mean.setObjectName("mean")
        self.mean.setWordWrap(True)
        self.mean.setTextFormat(Qt.TextFormat.PlainText)
        self.mean.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(self.rankings)
        layout.addWidget(self.filter)
        layout.addWidget(self._table(), 1)
        layout.addWidget(self.mean)
        self.range = QLabel()
        self.range.setObjectName("meanRange")
        self.range.setAccessibleName("Range of the mean")
        self.range.setWordWrap(True)
        self.range.setTextFormat(Qt.TextFormat.PlainText)
        layout.addWidget(self.range)
        # The mean follows each grade at once; its range takes all queries' arithmetic.
        self._later = QTimer(self, singleShot=True, interval=RANGE_AFTER)
        self._later.timeout.connect(self._show_range)
        self._shown: tuple[Evaluation, int, int] | None = None

    def _table(self) -> QTableView:
        self.table = QTableView()
        self.table.setObjectName("queries")
        self.table.setAccessibleName("Queries")
        self.table.setModel(self.model)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setAlternatingRowColors(True)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.setWordWrap(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        header = self.table.horizontalHeader()
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.setColumnWidth(SCORE, 108)
        self.table.setColumnWidth(2, 62)
        self.table.setSortingEnabled(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        return self.table

    def _on_row(self, current: QModelIndex, _: QModelIndex) -> None:
        if current.isValid():
            self.query_chosen.emit(self.model.query_at(current.row()))

    def _on_filter(self, text: str) -> None:
        """Filter, and stay with the query where it is still shown, else go to the first."""
        current = self.table.currentIndex()
        query = self.model.query_at(current.row()) if current.isValid() else None
        self.model.set_filter(text)
        if query is not None and self.model.row_of(query) is not None:
            self.select(query)
        elif self.model.rowCount():
            self.select(self.model.query_at(0))

    def select(self, query: int) -> None:
        """Make a query current, where the filter shows it."""
        row = self.model.row_of(query)
        if row is None:
            return
        index = self.model.index(row, 0)
        self.table.selectionModel().setCurrentIndex(
            index,
            QItemSelectionModel.SelectionFlag.ClearAndSelect
            | QItemSelectionModel.SelectionFlag.Rows,
        )
        self.table.scrollTo(index)

    def step(self, by: int) -> None:
        """Go to the next query (1) or the one before (-1)."""
        row = self.table.currentIndex().row() + by
        if 0 <= row < self.model.rowCount():
            self.select(self.model.query_at(row))

    def show_rankings(self, names: list[str], current: int) -> None:
        """Offer the rankings, where there is a choice."""
        self.rankings.clear()
        self.rankings.addItems([short_text(name) for name in names])
        self.rankings.setCurrentIndex(current)
        self.rankings.setVisible(len(names) > 1)

    def show_mean(self, evaluation: Evaluation | None, ranking: int | None, decimals: int) -> None:
        """Write the mean with its n and what was left out."""
        if evaluation is None or ranking is None:
            self._shown = None
            self.mean.setText("")
            self.range.setText("")
            return
        self._shown = evaluation, ranking, decimals
        self._later.start()
        self.mean.setText(wording.mean_text(evaluation, ranking, decimals))
        self.mean.setToolTip(plain_tip(wording.named_in_full(evaluation)))

    def _show_range(self) -> None:
        """Write what the mean may turn out to be, given what is unjudged."""
        text = "" if self._shown is None else wording.mean_range_text(*self._shown)
        self.range.setText(text)
        self.range.setVisible(bool(text))
