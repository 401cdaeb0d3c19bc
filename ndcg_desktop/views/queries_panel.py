"""The queries on the left: filter, list, and the mean below."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.query_filter import KINDS, QueryFilter
from ndcg_desktop.models.queries_model import (
    DIFFERENCE,
    JUDGED,
    QUERY,
    RANKINGS,
    SCORE,
    SIZE,
    QueriesModel,
)
from ndcg_desktop.models.tooltip import plain_tip, short_text
from ndcg_desktop.views.controls import narrow_box

ROW_HEIGHT = 26
COLUMN_WIDTHS = {SCORE: 108, JUDGED: 62, DIFFERENCE: 84}
RANKING_WIDTH = 84
QUERY_WIDTH = 180
"""Pixels of the name of a query, where there are more columns than have room."""
LEAST_QUERY = 112
"""Pixels of the name of a query and the scroll bar, at least."""
NARROWEST, WIDEST = 230, 560
RANGE_AFTER = 150
"""Milliseconds from a change to the range of the mean."""


_UP, _DOWN = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
ORDERS = {
    "As in the files": (-1, _UP),
    "Largest difference first": (SIZE, _DOWN),
    "Largest gain first": (DIFFERENCE, _DOWN),
    "Largest loss first": (DIFFERENCE, _UP),
}
"""How queries may be put in order, beside a click on a column's header."""


class QueriesPanel(QWidget):
    """Lists the queries and says which one is chosen."""

    query_chosen = Signal(int)
    ranking_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.model = QueriesModel()
        self._wide = self._hidden = False
        self._columns: tuple[int, bool] | None = None
        """How many columns there were, and whether all were shown, when they were last arranged."""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 4, 8)
        self.rankings = narrow_box("rankings", "Ranking", 8)
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
        layout.addLayout(self._choices())
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

    def _choices(self) -> QHBoxLayout:
        """Which queries, and in what order, where rankings are compared."""
        self.which = narrow_box("whichQueries", "Which queries", 6)
        self.which.activated.connect(lambda _: self._on_choice())
        self.order = narrow_box("orderOfQueries", "Order of the queries", 6)
        self.order.addItems(list(ORDERS))
        self.order.activated.connect(lambda _: self._on_order())
        row = QHBoxLayout()
        row.addWidget(self.which, 1)
        row.addWidget(self.order, 1)
        return row

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
        header.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.model.modelReset.connect(self._arrange_columns)
        self._arrange_columns()
        self.table.setSortingEnabled(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        return self.table

    def _on_row(self, current: QModelIndex, _: QModelIndex) -> None:
        if current.isValid():
            self.query_chosen.emit(self.model.query_at(current.row()))

    def arrange(self, wide: bool) -> None:
        """Show a column for each ranking, or that of the one that is shown alone."""
        self._wide = wide
        self.rankings.setVisible(self.rankings.count() > 1 and not wide)
        self.mean.setHidden(wide or self._hidden)  # both means stand on the page
        self.range.setHidden(wide or self._hidden or not self.range.text())
        self._arrange_columns()

    def _arrange_columns(self) -> None:
        count = self.model.columnCount()
        if self._columns == (count, self._wide):
            return
        self._columns = count, self._wide
        wide = self._wide and count > RANKINGS
        shown = [
            column
            for column in range(SCORE, count)
            if (column != SCORE if wide else column < RANKINGS)
        ]
        for column in range(SCORE, count):
            self.table.setColumnWidth(column, COLUMN_WIDTHS.get(column, RANKING_WIDTH))
            of_score = self._hidden and column != JUDGED
            self.table.setColumnHidden(column, of_score or column not in shown)
        widths = sum(COLUMN_WIDTHS.get(column, RANKING_WIDTH) for column in shown)
        self._place_columns(count, crowded=widths + LEAST_QUERY > WIDEST)
        self.setMinimumWidth(min(max(widths + LEAST_QUERY, NARROWEST), WIDEST))

    def _place_columns(self, count: int, crowded: bool) -> None:
        """Put the difference behind the scores that it is of; before them, where they do not all
        have room, since it is what the list is looked at for.
        """
        header = self.table.horizontalHeader()
        for column in (DIFFERENCE, JUDGED):
            if column < count:
                header.moveSection(header.visualIndex(column), count - 1)
        if crowded and count > DIFFERENCE:
            header.moveSection(header.visualIndex(DIFFERENCE), 1)
        modes = QHeaderView.ResizeMode
        header.setSectionResizeMode(QUERY, modes.Interactive if crowded else modes.Stretch)
        if crowded:
            self.table.setColumnWidth(QUERY, QUERY_WIDTH)

    def hide_scores(self, hidden: bool) -> None:
        """Show the names of queries alone; they then stand as in the files."""
        self._hidden, self._columns = hidden, None
        if hidden:
            self.order.setCurrentIndex(0)
            self._on_order()
        self.order.setDisabled(hidden)
        self.which.setDisabled(hidden)
        self.table.setSortingEnabled(not hidden)
        self.arrange(self._wide)

    def show_choices(self) -> None:
        """Offer what queries can be filtered by, where rankings are compared."""
        compared = self.model.comparison is not None
        self.which.setVisible(compared)
        self.order.setVisible(compared)
        chosen = self.which.currentData() or QueryFilter()
        self.which.clear()
        for kind, words in KINDS.items():
            self.which.addItem(words, QueryFilter(kind))
        for header, groups in self.model.groups.items():
            for group in dict.fromkeys(groups):
                text = short_text(f"{header}: {group}")
                self.which.addItem(text, QueryFilter("group", header, group))
        place = max(self.which.findData(chosen), 0)
        self.which.setCurrentIndex(place)
        if self.which.currentData() != chosen:
            self._on_choice()

    def _on_choice(self) -> None:
        current = self.table.currentIndex()
        query = self.model.query_at(current.row()) if current.isValid() else None
        self.model.choose(self.which.currentData())
        self._stay_with(query)

    def _on_order(self) -> None:
        column, order = ORDERS[self.order.currentText()]
        header = self.table.horizontalHeader()
        header.setSortIndicator(column if column >= 0 else -1, order)
        self.model.sort(column, order)

    def show_all_queries(self) -> None:
        """Filter none, so that whichever query is gone to is shown."""
        self.filter.clear()
        if self.which.currentIndex() > 0:
            self.which.setCurrentIndex(0)
            self._on_choice()

    def _on_filter(self, text: str) -> None:
        """Filter, and stay with the query where it is still shown, else go to the first."""
        current = self.table.currentIndex()
        query = self.model.query_at(current.row()) if current.isValid() else None
        self.model.set_filter(text)
        self._stay_with(query)

    def _stay_with(self, query: int | None) -> None:
        """Choose a query again where it is still shown, else the first."""
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
        self.rankings.setVisible(len(names) > 1 and not self._wide)

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
        self.range.setVisible(bool(text) and not self._wide and not self._hidden)
