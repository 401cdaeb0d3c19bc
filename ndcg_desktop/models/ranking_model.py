"""The ranking table of one query: what was returned, then what was judged and not returned."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.detail import (
    QueryNumbers,
    QueryRows,
    query_numbers,
    query_rows,
)
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.evaluation.votes import VERDICT
from ndcg_desktop.files.numbers import is_blank, number
from ndcg_desktop.models.tooltip import plain_tip, short_text
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import Options

Index = QModelIndex | QPersistentModelIndex

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_EDIT = int(Qt.ItemDataRole.EditRole)
_ALIGN = int(Qt.ItemDataRole.TextAlignmentRole)
_TIP = int(Qt.ItemDataRole.ToolTipRole)
_ACCESSIBLE = int(Qt.ItemDataRole.AccessibleTextRole)
MUTED_ROLE = int(Qt.ItemDataRole.UserRole)
"""Whether a row is beside the score: not returned, or below the cutoff."""
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)

OF_GAIN = ("Gain", "Disc. gain", "DCG")
"""Headers of the columns that have no figure where a gain cannot be computed."""

MOST_JUDGES_SHOWN = 8
"""Judges who have a column of their own here; of a crowd nobody reads all."""

ROWS_COMPARED = 200
"""Rows of a file by which a column is told to be the same throughout."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table: its header, what it shows of a row, and what that is, in words."""

    header: str
    text: Callable[[int], str]
    explanation: str = ""
    align: int = _RIGHT
    editable: bool = False
    constant: bool = False


class RankingModel(QAbstractTableModel):
    """Rows of a QueryRows with the numbers of a QueryNumbers.

    Editing asks for a grade through ``grades_wanted``; the model changes nothing itself.
    """

    grades_wanted = Signal(list)  # (document, grade or None) pairs of this query
    rejected = Signal(str)  # what was typed or pasted is no grade, and why

    def __init__(self) -> None:
        super().__init__()
        self._evaluation: Evaluation | None = None
        self._decimals = wording.DECIMALS
        self.rows: QueryRows | None = None
        self.numbers: QueryNumbers | None = None
        self.columns: list[Column] = []
        self._judged_row: dict[int, tuple[int, int]] = {}

    # ---- what is shown

    def show(
        self, evaluation: Evaluation | None, query: int | None, ranking: int | None, decimals: int
    ) -> None:
        """Show another query."""
        self.beginResetModel()
        self._evaluation, self._decimals = evaluation, decimals
        self.rows = self.numbers = None
        self.columns = []
        if evaluation is not None and query is not None:
            self.rows = query_rows(evaluation, query, ranking)
            self.numbers = query_numbers(evaluation, self.rows)
            self._find_judged_rows()
            self.columns = self._columns()
        self.endResetModel()

    def refresh(self) -> None:
        """Grades of this query have changed: the numbers follow, the rows keep their places."""
        if self._evaluation is None or self.rows is None:
            return
        if self._has_new_judge():
            self.show(self._evaluation, self.rows.query, self.rows.ranking, self._decimals)
            return
        self._relist()
        self.numbers = query_numbers(self._evaluation, self.rows)
        first = self.index(0, 0)
        last = self.index(len(self.rows) - 1, len(self.columns) - 1)
        self.dataChanged.emit(first, last)

    def _relist(self) -> None:
        """A document that was graded for the first time has a pair now."""
        assert self._evaluation is not None and self.rows is not None
        if self.rows.ranking is not None:
            table = self._evaluation.rankings[self.rows.ranking]
            here = slice(0, self.rows.returned)
            self.rows.pair[here] = table.pair[self.rows.file_row[here]]

    @property
    def grade_column(self) -> int:
        """The column that can be edited, -1 where there is none."""
        places = (place for place, column in enumerate(self.columns) if column.editable)
        return next(places, -1)

    def grade(self, row: int) -> float | None:
        """The grade of a row, None where it is not judged."""
        assert self.numbers is not None
        value = float(self.numbers.grade[row])
        return None if math.isnan(value) else value

    def set_grades(self, rows: Sequence[int], grades: Sequence[float | None]) -> None:
        """Ask for these grades; a document that stands twice has one grade."""
        assert self.rows is not None
        documents = [self.rows.documents[row] for row in rows]
        self.grades_wanted.emit(list(zip(documents, grades, strict=True)))

    # ---- columns

    def _columns(self) -> list[Column]:
        left = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        titles = self._title_columns()
        own = [
            Column(name, partial(self._other_text, name), "", left, constant=constant)
            for name, constant in self._other_columns().items()
        ]
        own.sort(key=lambda column: column.header not in titles)  # a name beside its document
        return [
            Column("#", self._rank_text, "Place in the ranking", _CENTRE),
            Column("Document", self._document_text, "Document id", left),
            *(other for other in own if not other.constant),
            Column("Grade", self._grade_text, "Type a digit, or press F2", _CENTRE, editable=True),
            *self._judge_columns(),
            Column("Gain", self._gain_text, "What the grade is worth"),
            Column("Discount", self._discount_text, self._evaluation_options().discount_words),
            Column("Disc. gain", self._discounted_text, "Gain × discount"),
            Column("DCG", self._running_text, "Sum of the discounted gains so far"),
            Column("Ideal grade", self._ideal_grade_text, "Grade at this place in the best order"),
            Column("Ideal disc.", self._ideal_text, "Discounted gain there"),
            # What is the same in every row would only push the numbers out of sight.
            *(other for other in own if other.constant),
        ]

    def _judge_columns(self) -> list[Column]:
        """Each judge's own grade, beside the one that is made of them, and the verdict."""
        assert self._evaluation is not None
        votes = self._evaluation.votes
        if votes is None:
            return []
        names = votes.judges[:MOST_JUDGES_SHOWN]
        if votes.verdicts:
            names = [*names, VERDICT]
        return [
            Column(name, partial(self._vote_text, name), f"The grade that {name} gave", _CENTRE)
            for name in names
        ]

    def _has_new_judge(self) -> bool:
        """Whether somebody has graded for the first time, who has no column here yet."""
        shown = [column.header for column in self.columns]
        return any(column.header not in shown for column in self._judge_columns())

    def _vote_text(self, judge: str, row: int) -> str:
        assert self._evaluation is not None and self._evaluation.votes is not None
        pair = int(self._rows().pair[row])
        if pair == NO_PAIR:
            return ""
        return wording.grade_text(self._evaluation.votes.get(pair, judge))

    def _evaluation_options(self) -> Options:
        assert self._evaluation is not None
        return self._evaluation.options

    def _title_columns(self) -> set[str | None]:
        """The columns with the documents' names."""
        assert self._evaluation is not None
        entries = {entry.columns.title for entry in self._evaluation.entries}
        return entries | {ranking.columns.title for ranking in self._evaluation.rankings}

    def _other_columns(self) -> dict[str, bool]:
        """The files' other columns, the ranking's before what only the judgments have, and whether
        each is the same in all of the first rows.
        """
        assert self._evaluation is not None and self.rows is not None
        tables = [entry.columns.other for entry in self._evaluation.entries]
        if self.rows.ranking is not None:
            tables.insert(0, self._evaluation.rankings[self.rows.ranking].columns.other)
        found: dict[str, bool] = {}
        for table in tables:
            for name, texts in table.items():
                head = texts[:ROWS_COMPARED]
                found.setdefault(name, len(head) > 1 and len(set(head)) == 1)
        return found

    def _find_judged_rows(self) -> None:
        """Where each pair of this query stands in the judgments tables."""
        assert self._evaluation is not None and self.rows is not None
        self._judged_row = {}
        for number_of_table, entry in enumerate(self._evaluation.entries):
            for row in np.flatnonzero(np.isin(entry.pair, self.rows.pair)).tolist():
                self._judged_row.setdefault(int(entry.pair[row]), (number_of_table, row))

    def _other_text(self, name: str, row: int) -> str:
        assert self._evaluation is not None and self.rows is not None
        file_row = int(self.rows.file_row[row])
        if self.rows.ranking is not None and file_row >= 0:
            values = self._evaluation.rankings[self.rows.ranking].columns.other.get(name)
            if values is not None:
                return values[file_row]
        table, judged_row = self._judged_row.get(int(self.rows.pair[row]), (-1, -1))
        if table < 0:
            return ""
        values = self._evaluation.entries[table].columns.other.get(name)
        return "" if values is None else values[judged_row]

    def _numbers(self) -> QueryNumbers:
        assert self.numbers is not None
        return self.numbers

    def _rows(self) -> QueryRows:
        assert self.rows is not None
        return self.rows

    def _decimal(self, value: float) -> str:
        return wording.decimal(value, self._decimals)

    def is_returned(self, row: int) -> bool:
        """Whether the ranking returned this row's document."""
        return row < self._rows().returned

    def _rank_text(self, row: int) -> str:
        rows = self._rows()
        if self.is_returned(row):
            return str(row + 1)
        if rows.ranking is None:
            return ""
        numbers = self._numbers()
        return "missed" if numbers.gain[row] > 0 or numbers.refused[row] else "unreturned"

    def _document_text(self, row: int) -> str:
        rows = self._rows()
        return rows.documents[row] + (" (again)" if rows.repeated[row] else "")

    def _grade_text(self, row: int) -> str:
        return wording.labelled_grade(self.grade(row), self._labels(row))

    def _gain_text(self, row: int) -> str:
        return self._decimal(float(self._numbers().gain[row]))

    def _discount_text(self, row: int) -> str:
        weight = float(self._numbers().discount[row])
        return wording.NONE if weight == 0 else self._decimal(weight)

    def _discounted_text(self, row: int) -> str:
        numbers = self._numbers()
        lost = float(numbers.lost[row])
        if lost > 0:
            return f"lost {self._decimal(lost)}"
        return (
            wording.NONE
            if numbers.discount[row] == 0
            else self._decimal(float(numbers.discounted[row]))
        )

    def _running_text(self, row: int) -> str:
        beyond = self._numbers().discount[row] == 0
        return wording.NONE if beyond else self._decimal(float(self._numbers().running[row]))

    def _by_place(self, row: int) -> bool:
        """Whether a row stands at a place of the ideal ordering."""
        return self.is_returned(row) or self._rows().ranking is None

    def _ideal_grade_text(self, row: int) -> str:
        if not self._by_place(row):
            return ""
        return wording.grade_text(float(self._numbers().ideal_grade[row])) or wording.NONE

    def _ideal_text(self, row: int) -> str:
        return (
            self._decimal(float(self._numbers().ideal_discounted[row]))
            if (self._by_place(row))
            else ""
        )

    # ---- Qt's questions

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or self.rows is None else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        if role == _DISPLAY:
            return short_text(self.columns[section].header)
        if role == _TIP:
            return plain_tip(self.columns[section].explanation or self.columns[section].header)
        return self.columns[section].align if role == _ALIGN else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid() and index.column() == self.grade_column:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid() or self.rows is None:
            return None
        row, column = index.row(), self.columns[index.column()]
        if role == _DISPLAY:
            return short_text(column.text(row))
        if role == _EDIT:
            return self.grade(row) if column.editable else column.text(row)
        if role == _ALIGN:
            return column.align
        if role == _TIP:
            return plain_tip(self._tip(column, row))
        if role == MUTED_ROLE:
            return not self.is_returned(row) or bool(self._numbers().discount[row] == 0)
        if role == _ACCESSIBLE:
            return self._in_words(column, row)
        return None

    def _tip(self, column: Column, row: int) -> str:
        text = column.text(row)
        if text == wording.NONE and column.header in OF_GAIN and self._numbers().refused[row]:
            why = wording.reason(Status.REFUSED, self._evaluation_options())
            return f"This gain cannot be computed: {why}."
        return text

    def _in_words(self, column: Column, row: int) -> str:
        text = short_text(column.text(row))
        if column.editable and not text:
            text = "not judged"
        return f"{short_text(column.header)} {text}"

    def setData(self, index: Index, value: Any, role: int = _EDIT) -> bool:
        """Check what was entered and ask for it; the session changes, and says so."""
        if role != _EDIT or index.column() != self.grade_column:
            return False
        if not self.is_grade(index.row(), value):
            self.rejected.emit(f"“{str(value)[:40]}” is not a grade. The grade stays as it was.")
            return False
        self.set_grades([index.row()], [self.read_grade(index.row(), value)])
        return True

    def _labels(self, row: int) -> Mapping[float, str]:
        """The words for grades of the table that a row's judgment stands in; of a document that
        none lists, those of the first, which it will be added to.
        """
        if self._evaluation is None or not self._evaluation.entries:
            return {}
        table, _ = self._judged_row.get(int(self._rows().pair[row]), (0, 0))
        return self._evaluation.entries[table].columns.label_of

    @property
    def has_wide_grades(self) -> bool:
        """Whether grades are more than a digit: words, or made of several judges' grades."""
        if self._evaluation is None:
            return False
        words = any(entry.columns.label_of for entry in self._evaluation.entries)
        return words or self._evaluation.votes is not None

    def is_grade(self, row: int, value: Any) -> bool:
        """Whether a text says a grade, as a number or by its word, or, blank, *not judged*."""
        return is_blank(value) or self.read_grade(row, value) is not None

    def read_grade(self, row: int, value: Any) -> float | None:
        """The grade that a text says for this row, None where it says none."""
        grade = number(value)
        if grade is None and not is_blank(value):
            wanted = str(value).strip().casefold()
            labels = self._labels(row)
            words = (each for each, word in labels.items() if word.casefold() == wanted)
            grade = next(words, None)
        return grade
