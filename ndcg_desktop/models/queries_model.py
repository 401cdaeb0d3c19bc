"""The list of queries: nDCG and how much of the top k is judged, sorted and filtered by arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.models.tooltip import CELL, plain_tip, short_text

Index = QModelIndex | QPersistentModelIndex

QUERY, SCORE, JUDGED = range(3)
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
        self._labels: list[str] = []
        self._searched: list[str] = []
        self._filter = ""
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

    def set_filter(self, text: str) -> None:
        """Show only the queries whose id or text holds this text, whatever its case."""
        self.beginResetModel()  # which rows there are changes
        self._filter = text.casefold().strip()
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; queries without a score come last, either way. -1: as in the file."""
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
            self.dataChanged.emit(self.index(row, SCORE), self.index(row, JUDGED))

    def row_of(self, query: int) -> int | None:
        """The row that shows a query, None where the filter hides it."""
        rows = np.flatnonzero(self._shown == query)
        return int(rows[0]) if len(rows) else None

    def query_at(self, row: int) -> int:
        """The query of a row."""
        return int(self._shown[row])

    def _count(self) -> None:
        """Find out which queries have a score, once for all cells."""
        if self._evaluation is None or self._ranking is None:
            self._counted = np.zeros(len(self._labels), dtype=bool)
        else:
            self._counted = wording.counted(self._evaluation, self._ranking)

    def _arrange(self) -> None:
        if self._evaluation is None:
            self._shown = np.empty(0, dtype=np.int64)
            return
        shown = np.arange(len(self._evaluation.queries))
        if self._filter:
            shown = shown[[self._filter in text for text in self._searched]]
        column, order = self._sort
        if column >= 0:
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
        scores = self._evaluation.scores(self._ranking)
        if column == JUDGED:
            return scores.judged / np.maximum(scores.returned, 1), nowhere
        return scores.value, ~self._counted

    # ---- Qt's questions

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 3

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if role == _DISPLAY and orientation == Qt.Orientation.Horizontal:
            if section == SCORE and self._evaluation is not None:
                return self._evaluation.options.short_name
            return ("Query", "nDCG", "Judged")[section]
        if role == _ALIGN and section != QUERY:
            return _NUMBERS_RIGHT
        if role == _TIP and section == SCORE and self._evaluation is not None:
            return self._evaluation.options.full_name
        return None

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
        if column == SCORE:
            return wording.decimal(self._score(query), self._decimals)
        assert self._evaluation is not None
        if self._ranking is None:
            code = self._evaluation.judgments.code[self._evaluation.judgments.of_query(query)]
            return f"{np.count_nonzero(code != UNJUDGED)}/{len(code)}"
        scores = self._evaluation.scores(self._ranking)
        return f"{scores.judged[query]}/{scores.returned[query]}"

    def _value(self, query: int, column: int) -> float | str | None:
        return self._score(query) if column == SCORE else self._text(query, column)

    def _score(self, query: int) -> float | None:
        assert self._evaluation is not None
        if self._ranking is None:
            return None
        if not self._counted[query]:
            return None
        return float(self._evaluation.scores(self._ranking).value[query])

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
