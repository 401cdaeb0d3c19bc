"""What is to be saved, as it stood when that was asked for: cells by table, row and column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.entries import Entry
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.evaluation.remarks import joined
from ndcg_desktop.evaluation.votes import VERDICT
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.judges import header_of
from ndcg_desktop.files.numbers import is_blank
from ndcg_desktop.files.save import Change, GradeEdit, TextEdit
from ndcg_desktop.files.table import Texts
from ndcg_desktop.files.text_patch import NewRow

NOTE = "note"
"""The header of a column of notes that is added."""

WITH_COLUMNS = ("workbook", "delimited")
"""Kinds of file that a column can be added to, and that have room for notes."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is to be saved. ``parts`` are all tables that are open, ``changes`` the judged ones of
    them, in the order of the evaluation's entries; ``others`` has for each the rows, with their
    texts, that hold something else than was shown. ``homeless`` counts the notes that their file
    has no room for.
    """

    evaluation: Evaluation
    parts: tuple[Understood, ...]
    changes: tuple[Change, ...]
    others: tuple[tuple[tuple[int, str], ...], ...]
    homeless: int = 0

    @property
    def judged(self) -> list[Understood]:
        """The tables with judgments."""
        return [change.part for change in self.changes]


def snapshot(
    evaluation: Evaluation, parts: Sequence[Understood], judged: Sequence[Understood]
) -> Snapshot:
    """Gather what has changed since the files were read, by table, row and column."""
    still = evaluation.frozen()
    tables = [_Table(still, entry, part) for entry, part in zip(still.entries, judged, strict=True)]
    if tables:
        if still.votes is None:
            _put_grades(still, tables)
        else:
            for pair, judge in still.votes.changed():
                for table in _tables_for(tables, pair, judge):
                    table.put_vote(pair, judge)
        for pair, owner in sorted(still.remarks.changed()):
            for table in _tables_for(tables, pair, owner)[:1]:
                table.put_note(pair, owner)
    return Snapshot(
        still,
        tuple(parts),
        tuple(table.change() for table in tables),
        tuple(tuple(table.others) for table in tables),
        sum(table.homeless for table in tables),
    )


def _put_grades(evaluation: Evaluation, tables: Sequence[_Table]) -> None:
    """Put the one grade of each document on every row about it; one that no table lists is added
    to the first.
    """
    pairs = evaluation.changed_pairs()
    listed: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    for table in tables:
        listed = np.union1d(listed, table.put_grades(pairs))
    for pair in np.setdiff1d(pairs, listed).tolist():
        grade = or_none(evaluation.judgments.grade[pair])
        there = [table for table in tables if len(table.rows(pair))]
        for table in there:
            table.put_grade(pair, grade)
        if not there and grade is not None:
            tables[0].added(pair, "").grade = grade


def _tables_for(tables: Sequence[_Table], pair: int, judge: str) -> list[_Table]:
    """Where a judge's vote on a document belongs: all tables that have it, else the best one."""

    def fits(table: _Table) -> tuple[bool, bool]:
        known = judge in table.columns or table.by_row
        return known and bool(len(table.rows(pair))), known or bool(len(table.rows(pair)))

    return [table for table in tables if table.lists(pair, judge)] or [max(tables, key=fits)]


@dataclass(slots=True)
class _Added:
    """A row that is to be added."""

    grade: float | None = None
    note: str = ""
    cells: dict[int, float | str | None] = field(default_factory=dict)


class _Table:
    """The changes of one table, gathered cell by cell."""

    def __init__(self, evaluation: Evaluation, entry: Entry, part: Understood) -> None:
        self._evaluation = evaluation
        self._entry = entry
        self._part = part
        self._edits: list[GradeEdit] = []
        self._texts: dict[tuple[int, int], str] = {}
        self._new_columns: list[str] = []
        self._added: dict[tuple[int, str], _Added] = {}
        self.others: list[tuple[int, str]] = []
        self.homeless = 0
        self.by_row = part.roles.rater is not None
        votes = entry.columns.votes
        self.columns: dict[str, int] = {}
        """The column of each judge, in a table that has one for each."""
        if votes is not None and not self.by_row:
            names = (judge_name(name) for name in votes.judges)
            self.columns = dict(zip(names, part.roles.graders, strict=True))

    def change(self) -> Change:
        """All that goes into the table."""
        return Change(
            self._part,
            self._edits,
            [
                NewRow(
                    self._query_of(pair),
                    self._document_of(pair),
                    row.grade,
                    rater=judge if self.by_row else "",
                    note=row.note if self._part.roles.note is not None else "",
                    like=self._like(pair),
                    cells=row.cells,
                )
                for (pair, judge), row in self._added.items()
            ],
            [TextEdit(row, column, text) for (row, column), text in self._texts.items()],
            self._new_columns,
        )

    def _document_of(self, pair: int) -> str:
        return self._evaluation.judgments.documents[pair]

    def _query_of(self, pair: int) -> str:
        return self._evaluation.queries[int(self._evaluation.judgments.query[pair])]

    def _like(self, pair: int) -> int | None:
        """The row that a further judge's row repeats."""
        rows = self.rows(pair)
        return int(self._entry.columns.row[rows[0]]) if len(rows) else None

    def rows(self, pair: int) -> NDArray[np.int64]:
        """The rows of the judgments that are about a pair. One that had no grade yet when the table
        was read back is not known by its pair.
        """
        found = np.flatnonzero(self._entry.pair == pair)
        if len(found):
            return found
        rows = self._unpaired.get((self._query_of(pair), self._document_of(pair)), [])
        return np.array(rows, dtype=np.int64)

    @cached_property
    def _unpaired(self) -> dict[tuple[str, str], list[int]]:
        """The rows that are about no pair, by query and document."""
        rows = np.flatnonzero(self._entry.pair == NO_PAIR)
        columns = self._entry.columns
        keys = zip(
            columns.query.take(rows).texts(), columns.document.take(rows).texts(), strict=True
        )
        found: dict[tuple[str, str], list[int]] = {}
        for row, key in zip(rows.tolist(), keys, strict=True):
            found.setdefault(key, []).append(row)
        return found

    def lists(self, pair: int, judge: str) -> bool:
        """Whether there is a cell for a judge's vote on a document."""
        return bool(len(self._cells(pair, judge)))

    def _cells(self, pair: int, judge: str) -> NDArray[np.int64]:
        """The places among the votes of a judge's votes on a document."""
        votes = self._entry.columns.votes
        if votes is None:
            return np.empty(0, dtype=np.int64)
        numbers = [n for n, name in enumerate(votes.judges) if judge_name(name) == judge]
        found = np.isin(votes.place, self.rows(pair)) & np.isin(votes.judge, numbers)
        return np.flatnonzero(found)

    # ---- grades

    def put_grades(self, pairs: NDArray[np.int64]) -> NDArray[np.int32]:
        """Put the one grade of each of these pairs on its rows; gives those that have some."""
        entry, grade = self._entry, self._evaluation.judgments.grade
        rows = np.flatnonzero(np.isin(entry.pair, pairs))
        self._edits += [
            GradeEdit(int(entry.columns.row[row]), or_none(grade[entry.pair[row]]))
            for row in rows.tolist()
        ]
        self._note_others(rows)
        return entry.pair[rows]

    def put_grade(self, pair: int, grade: float | None) -> None:
        """Put a grade on the rows of a document that had none when the table was read."""
        rows = self.rows(pair)
        numbers = self._entry.columns.row[rows]
        self._edits += [GradeEdit(number, grade) for number in numbers.tolist()]
        if self._part.roles.grade is not None:
            self._note_texts(numbers, self._part.roles.grade)

    def _note_others(self, rows: NDArray[np.int64]) -> None:
        """Note the rows to be written whose cell is neither blank nor the grade that was shown: a
        word, or a grade of a document that is judged more than once.
        """
        entry, column = self._entry, self._part.roles.grade
        own, shown = entry.columns.grade[rows], self._evaluation.loaded[entry.pair[rows]]
        suspect = rows[own != shown]  # NaN too: a blank, or a word
        if column is not None:
            self._note_texts(entry.columns.row[suspect], column)

    def _note_texts(self, numbers: NDArray[np.integer], column: int) -> None:
        table = self._part.table
        texts = Texts(table.columns[column])
        for number in numbers.tolist():
            text = texts[int(np.searchsorted(table.row, number))]
            if not is_blank(text):
                self.others.append((number, text))

    def put_vote(self, pair: int, judge: str) -> None:
        """Put a judge's vote into its cell, or into one of a column or a row that is added."""
        votes = self._evaluation.votes
        assert votes is not None
        grade = or_none(votes.get(pair, judge))
        cells = self._cells(pair, judge)
        own = self._entry.columns.votes
        if len(cells) and own is not None:
            for at in cells.tolist():
                row, column = int(own.row[at]), int(own.column[at])
                self._edits.append(GradeEdit(row, grade, column))
                if own.grade[at] != votes.saved(pair, judge):  # a word, or one of several grades
                    self._note_texts(own.row[at : at + 1], column)
        elif own is None and judge == self._entry.columns.source.file:
            self._edits += [GradeEdit(number, grade) for number in self._numbers(pair)]
        elif self.by_row:
            if grade is not None:
                self.added(pair, judge).grade = grade
        else:
            self._put_in_column(pair, self._column_of(judge), grade)

    def _put_in_column(self, pair: int, column: int, grade: float | None) -> None:
        numbers = self._numbers(pair)
        self._edits += [GradeEdit(number, grade, column) for number in numbers]
        if not numbers and grade is not None:
            self.added(pair, "").cells[column] = grade

    def _numbers(self, pair: int) -> list[int]:
        """The rows of the file that are about a pair."""
        numbers: list[int] = self._entry.columns.row[self.rows(pair)].tolist()
        return numbers

    def _column_of(self, judge: str) -> int:
        """The column of a judge, one that is added where there is none yet."""
        if judge not in self.columns:
            header = header_of(judge, self._part.table, self._part.roles.graders)
            self.columns[judge] = self._added_column(header)
        return self.columns[judge]

    def _added_column(self, header: str) -> int:
        if header not in self._new_columns:
            self._new_columns.append(header)
        return len(self._part.table.columns) + self._new_columns.index(header)

    def added(self, pair: int, judge: str) -> _Added:
        """The row that is added for a document; of a judge, where each has rows of their own."""
        key = pair, judge if self.by_row else ""
        return self._added.setdefault(key, _Added())

    # ---- notes

    def put_note(self, pair: int, owner: str) -> None:
        """Put what is noted about a document where the file has it, or into a column that is
        added; a file without columns has no room.
        """
        if self._part.table.kind not in WITH_COLUMNS:
            self.homeless += 1
            return
        remarks = self._evaluation.remarks
        if self.by_row:
            note = remarks.notes.get((pair, owner), "")
            own = self._entry.columns.votes
            cells = self._cells(pair, owner)
            numbers = [] if own is None else own.row[cells].tolist()
        else:
            note = joined(remarks.of_pair(pair))
            numbers = self._numbers(pair)
            if owner and self.columns:
                self._column_of(owner)  # a name in a note is told by the judge's column
        column = self._part.roles.note
        if column is None:
            column = self._added_column(NOTE)
        self._texts |= {(number, column): note for number in numbers}
        if not numbers and note:
            row = self.added(pair, owner)
            row.note = note
            if self._part.roles.note is None:
                row.cells[column] = note


def judge_name(name: str) -> str:
    """A judge as votes know them; the verdict may be written with a capital."""
    return VERDICT if name.casefold() == VERDICT else name


def or_none(grade: float) -> float | None:
    """A grade, None where it is NaN, *not judged*."""
    return None if math.isnan(grade) else float(grade)


def with_new_columns(change: Change, part: Understood) -> Understood:
    """A table as it reads after columns were added to it: with what they are."""
    roles = part.roles
    for header in change.new_columns:
        names = part.table.names
        column = len(names) - 1 - names[::-1].index(header)
        if header == NOTE and roles.note is None:
            roles = replace(roles, note=column)
        else:
            roles = replace(roles, graders=(*roles.graders, column))
    return replace(part, roles=roles)
