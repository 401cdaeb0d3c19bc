"""The list of queries: nDCG and how much of the top k is judged, sorted and filtered by arrays.

With several rankings it has the difference from the baseline too, and a column for each ranking.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.comparison import Comparison, candidate_of, compare
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.evaluation.query_filter import QueryFilter, passing
from ndcg_desktop.models.tooltip import CELL, plain_tip, short_text

Index = QModelIndex | QPersistentModelIndex

QUERY, SCORE, JUDGED, DIFFERENCE = range(4)
RANKINGS = 4
"""The first of the columns of the rankings, one for each where there are several."""
SIZE = -2
"""What to sort by that is no column: the size of the difference, whoever is better."""
QUERY_ROLE = int(Qt.ItemDataRole.UserRole)
"""The number of the query that a row shows."""

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_EDIT = int(Qt.ItemDataRole.EditRole)
_ALIGN = int(Qt.ItemDataRole.TextAlignmentRole)
_TIP = int(Qt.ItemDataRole.ToolTipRole)
_ACCESSIBLE = int(Qt.ItemDataRole.AccessibleTextRole)
_NUMBERS_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class QueriesModel(QAbstractTableModel):
    """A row for each query that the filter lets through, in the order chosen."""

    def __init__(self) -> None:
        super().__init__()
        self._evaluation: Evaluation | None = None
        self._ranking: int | None = None
        self._decimals = wording.DECIMALS
        self._shown: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._counted: NDArray[np.bool_] = np.empty(0, dtype=bool)
        self._there: list[NDArray[np.bool_]] = []
        """Whether each query has a score, by ranking; ``_counted`` in the one that is shown."""
        self._labels: list[str] = []
        self._searched: list[str] = []
        self._filter = ""
        self._chosen = QueryFilter()
        self.comparison: Comparison | None = None
        """Of the ranking that is shown with the baseline; None where there is one ranking."""
        self._sort = (-1, Qt.SortOrder.AscendingOrder)

    # ---- what is shown

    def show(self, evaluation: Evaluation | None, ranking: int | None, decimals: int) -> None:
        """Show another evaluation, ranking or number of decimals."""
        self.beginResetModel()
        if evaluation is not self._evaluation:
            self._labels = [] if evaluation is None else _labels(evaluation)
            self._searched = [label.casefold() for label in self._labels]
        self._evaluation, self._ranking, self._decimals = evaluation, ranking, decimals
        self._count()
        self._arrange()
        self.endResetModel()

    @property
    def groups(self) -> dict[str, list[str]]:
        """Each query's group by the header of a column of groups, while rankings are compared."""
        if self._evaluation is None or self.comparison is None:
            return {}
        return self._evaluation.groups()

    def set_filter(self, text: str) -> None:
        """Show only the queries whose id or text holds this text, whatever its case."""
        self.beginResetModel()  # which rows there are changes
        self._filter = text.casefold().strip()
        self._arrange()
        self.endResetModel()

    def choose(self, chosen: QueryFilter) -> None:
        """Show only the queries of which this holds."""
        self.beginResetModel()
        self._chosen = chosen
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column, or by SIZE; -1: as in the file. Queries without a score come last."""
        self._sort = (column, order)
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        queries = [self.query_at(index.row()) for index in before]
        self._arrange()
        rows = {query: row for row, query in enumerate(self._shown.tolist())}
        after = [
            self.index(rows[query], index.column())
            for index, query in zip(before, queries, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def refresh(self, queries: set[int]) -> None:
        """The scores of these queries have changed; rows keep their places."""
        before = self._counted
        self._count()
        changed = before != self._counted  # the first common query makes all others count
        changed[list(queries)] = True
        for row in np.flatnonzero(changed[self._shown]).tolist():
            self.dataChanged.emit(self.index(row, SCORE), self.index(row, self.columnCount() - 1))

    def row_of(self, query: int) -> int | None:
        """The row that shows a query, None where the filter hides it."""
        rows = np.flatnonzero(self._shown == query)
        return int(rows[0]) if len(rows) else None

    def query_at(self, row: int) -> int:
        """The query of a row."""
        return int(self._shown[row])

    def _count(self) -> None:
        """Find out which queries have a score, and compare them, once for all cells."""
        found = self._evaluation
        candidate = None if found is None else candidate_of(found, self._ranking)
        self.comparison = (
            None
            if found is None or candidate is None
            else compare(found, found.baseline, candidate)
        )
        numbers = range(0 if found is None else len(found.rankings))
        self._there = [] if found is None else [wording.counted(found, each) for each in numbers]
        if self._ranking is None:
            self._counted = np.zeros(len(self._labels), dtype=bool)
        else:
            self._counted = self._there[self._ranking]

    def _arrange(self) -> None:
        if self._evaluation is None:
            self._shown = np.empty(0, dtype=np.int64)
            return
        shown = np.arange(len(self._evaluation.queries))
        if self._filter:
            shown = shown[[self._filter in text for text in self._searched]]
        if self.comparison is not None and self._chosen.kind != "all":
            passed = passing(self._evaluation, self.comparison, self._chosen)
            shown = shown[passed[shown]]
        column, order = self._sort
        if (column >= 0 or column == SIZE) and column < self.columnCount():
            keys, last = self._keys(column)
            if order is Qt.SortOrder.DescendingOrder:
                keys = -keys
            shown = shown[np.lexsort((keys[shown], last[shown]))]
        self._shown = shown

    def _keys(self, column: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Sort key of every query, and whether it comes last either way."""
        assert self._evaluation is not None
        count = len(self._evaluation.queries)
        nowhere = np.zeros(count, dtype=bool)
        if column == QUERY:
            _, place = np.unique(self._labels, return_inverse=True)
            return place.astype(np.float64), nowhere
        if self._ranking is None:
            return np.zeros(count), nowhere
        if column in (DIFFERENCE, SIZE):
            assert self.comparison is not None
            difference = np.nan_to_num(self.comparison.difference)
            keys = np.abs(difference) if column == SIZE else difference
            return keys, ~self.comparison.compared
        if column >= RANKINGS:
            number = column - RANKINGS
            return self._evaluation.scores(number).value, ~self._there[number]
        scores = self._evaluation.scores(self._ranking)
        if column == JUDGED:
            return scores.judged / np.maximum(scores.returned, 1), nowhere
        return scores.value, ~self._counted

    # ---- Qt's questions

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if parent.isValid():
            return 0
        if self._evaluation is None or self.comparison is None:
            return RANKINGS - 1
        return RANKINGS + len(self._evaluation.rankings)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if role == _DISPLAY and orientation == Qt.Orientation.Horizontal:
            return self._header(section)
        if role == _ALIGN and section != QUERY:
            return _NUMBERS_RIGHT
        if role == _TIP and section not in (QUERY, JUDGED) and self._evaluation is not None:
            return plain_tip(self._header_tip(section))
        return None

    def _header(self, section: int) -> str:
        if section >= RANKINGS:
            assert self._evaluation is not None
            return short_text(self._evaluation.rankings[section - RANKINGS].name)
        if section == SCORE and self._evaluation is not None:
            return self._evaluation.options.short_name
        return ("Query", "nDCG", "Judged", "Difference")[section]

    def _header_tip(self, section: int) -> str:
        assert self._evaluation is not None
        name = self._evaluation.options.full_name
        if section >= RANKINGS:
            return f"{self._evaluation.rankings[section - RANKINGS].name}: {name}"
        if section == DIFFERENCE and self.comparison is not None:
            found = self.comparison
            return f"{found.candidate_name} less {found.baseline_name}: {name}"
        return name

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid() or self._evaluation is None:
            return None
        query, column = self.query_at(index.row()), index.column()
        if role == _DISPLAY:
            return self._text(query, column)
        if role == QUERY_ROLE:
            return query
        if role == _ALIGN and column != QUERY:
            return _NUMBERS_RIGHT
        if role == _EDIT:
            return self._value(query, column)
        if role == _TIP:
            return plain_tip(self._tip(query))
        if role == _ACCESSIBLE:
            header = self.headerData(column, Qt.Orientation.Horizontal)
            return f"{header} {self._text(query, column)}"
        return None

    def _text(self, query: int, column: int) -> str:
        if column == QUERY:
            return short_text(self._labels[query])
        if column == SCORE or column >= RANKINGS:
            return wording.decimal(self._score(query, column), self._decimals)
        if column == DIFFERENCE:
            return wording.signed(self._difference(query), self._decimals)
        assert self._evaluation is not None
        if self._ranking is None:
            code = self._evaluation.judgments.code[self._evaluation.judgments.of_query(query)]
            return f"{np.count_nonzero(code != UNJUDGED)}/{len(code)}"
        scores = self._evaluation.scores(self._ranking)
        return f"{scores.judged[query]}/{scores.returned[query]}"

    def _value(self, query: int, column: int) -> float | str | None:
        if column == DIFFERENCE:
            return self._difference(query)
        if column == SCORE or column >= RANKINGS:
            return self._score(query, column)
        return self._text(query, column)

    def _score(self, query: int, column: int) -> float | None:
        assert self._evaluation is not None
        ranking = self._ranking if column == SCORE else column - RANKINGS
        if ranking is None or not self._there[ranking][query]:
            return None
        return float(self._evaluation.scores(ranking).value[query])

    def _difference(self, query: int) -> float | None:
        found = self.comparison
        if found is None or not found.compared[query]:
            return None
        return float(found.difference[query])

    def _tip(self, query: int) -> str:
        assert self._evaluation is not None
        label = self._labels[query]
        parts = [label] if len(label) > CELL else []
        if self._ranking is not None:
            parts.append(wording.outcome_sentence(self._evaluation, self._ranking, query))
        return "\n".join(filter(None, parts))


def _labels(evaluation: Evaluation) -> list[str]:
    """What each query is called: its text, with the id where that is another."""
    return [
        f"{title} ({name})" if (title := evaluation.titles.get(query)) and title != name else name
        for query, name in enumerate(evaluation.queries)
    ]
