"""The table that is written where grades go to a file of their own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.evaluation.remarks import joined
from ndcg_desktop.evaluation.votes import VERDICT
from ndcg_desktop.files.assemble import Understood, only_query
from ndcg_desktop.files.judges import header_of, judge_of
from ndcg_desktop.files.labels import Labels, written_grade
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.table import Texts
from ndcg_desktop.session.snapshot import NOTE, judge_name, or_none

Cell = str | float | None


@dataclass(frozen=True, slots=True)
class NewFile:
    """A table to be written to a file of its own, and the open table that it is made from."""

    header: tuple[str, ...]
    rows: list[list[Cell]]
    roles: Roles
    source: Understood | None = None


def new_file(evaluation: Evaluation, parts: Sequence[Understood]) -> NewFile:
    """The table to write: the judgments' own with its other columns, or that of the ranking that
    was graded, or, of several judgments tables, one of query, document and grades.
    """
    judged = [part for part in parts if part.roles.judges]
    rankings = [part for part in parts if part.roles.ranks or part.row_order]
    if len(judged) == 1 and _has_a_row_each(judged[0]):
        entry = evaluation.entries[0]
        return _NewTable(evaluation, judged[0]).whole(entry.columns.row, entry.pair)
    if not judged and len(rankings) == 1 and _has_a_row_each(rankings[0]):
        ranking = evaluation.rankings[0]
        return _NewTable(evaluation, rankings[0]).whole(ranking.columns.row, ranking.pair)
    return _NewTable(evaluation, None).pool()


def _has_a_row_each(part: Understood) -> bool:
    """Whether a row of the table is one document of one query and ranking."""
    roles = part.roles
    return not (roles.systems or roles.positions) and roles.rater is None and roles.system is None


class _NewTable:
    """Lays out the columns of a new table, and fills its rows."""

    def __init__(self, evaluation: Evaluation, part: Understood | None) -> None:
        self._evaluation = evaluation
        self._part = part
        self._labels: Labels | None = None if part is None else part.labels
        self._header = ["query", "document"] if part is None else list(part.table.names)
        self._roles = Roles(query=0, document=1) if part is None else part.roles
        self._added: set[int] = set()
        """The columns that the table did not have."""
        self._judges: dict[str, int] = {}
        """The column of each judge, and of the verdict; empty where there is one grade."""
        self._add_grades()
        if self._roles.query is None and len(evaluation.queries) > 1:
            self._roles = replace(self._roles, query=self._add("query"))
        if self._roles.note is None and evaluation.remarks.notes:
            self._roles = replace(self._roles, note=self._add(NOTE))

    def _add(self, header: str) -> int:
        self._header.append(header)
        self._added.add(len(self._header) - 1)
        return len(self._header) - 1

    def _add_grades(self) -> None:
        votes = self._evaluation.votes
        if votes is None:
            if self._roles.grade is None:
                self._roles = replace(self._roles, grade=self._add("grade"), graders=())
            return
        names = [*votes.judges, VERDICT]
        called = () if self._part is None else self._part.names
        headers = {column: self._header[column] for column in self._roles.graders}
        there = {judge_name(judge_of(header, called)): column for column, header in headers.items()}
        unused = VERDICT not in there and not votes.verdicts
        self._judges = {
            name: there[name] if name in there else self._add(self._header_of(name))
            for name in names
            if not (name == VERDICT and unused)
        }
        graders = tuple(sorted(self._judges.values()))
        self._roles = replace(self._roles, grade=None, graders=graders)

    def _header_of(self, judge: str) -> str:
        """How the column of a judge is headed in a table that has none for them yet."""
        if self._part is None:
            return judge
        return header_of(judge, self._part.table, self._part.roles.graders)

    # ---- rows

    def whole(self, row_number: NDArray[np.int32], pair: NDArray[np.int32]) -> NewFile:
        """Every row and column of the table, with the grades and notes as they now are."""
        part = self._part
        assert part is not None
        pairs = dict(zip(row_number.tolist(), pair.tolist(), strict=True))
        columns = [Texts(column) for column in part.table.columns]
        rows: list[list[Cell]] = []
        for place, number in enumerate(part.table.row.tolist()):
            cells: list[Cell] = [column[place] for column in columns]
            cells += [None] * (len(self._header) - len(cells))
            self._put_changed(cells, pairs.get(number, NO_PAIR))
            if part.roles.query is None and self._roles.query is not None:
                cells[self._roles.query] = only_query(part)
            rows.append(cells)
        rows += [self._row_for(other) for other in self._others(set(pairs.values()))]
        return NewFile(tuple(self._header), rows, self._roles, part)

    def pool(self) -> NewFile:
        """A row for each document that is listed."""
        rows = [self._row_for(pair) for pair in range(len(self._evaluation.judgments))]
        return NewFile(tuple(self._header), rows, self._roles)

    def _put_changed(self, cells: list[Cell], pair: int) -> None:
        """Put what has changed, and what the table has no column for yet. The rest stays as it is
        written: a remark, one of several grades.
        """
        values = {} if pair == NO_PAIR else self._values(pair)
        for column in (self._added | self._changed.get(pair, set())) & values.keys():
            cells[column] = values[column]

    @cached_property
    def _changed(self) -> dict[int, set[int]]:
        """The columns of each document with something that no file holds."""
        found: defaultdict[int, set[int]] = defaultdict(set)
        votes = self._evaluation.votes
        if votes is not None:
            for pair, judge in votes.changed():
                if judge in self._judges:  # a verdict that was taken back has no column
                    found[pair].add(self._judges[judge])
        elif self._roles.grade is not None:
            for pair in self._evaluation.changed_pairs().tolist():
                found[pair].add(self._roles.grade)
        if self._roles.note is not None:
            for pair, _ in self._evaluation.remarks.changed():
                found[pair].add(self._roles.note)
        return found

    def _values(self, pair: int) -> dict[int, Cell]:
        """The grades and the note of a document, by column."""
        evaluation = self._evaluation
        grades: dict[int, float]
        if evaluation.votes is None:
            assert self._roles.grade is not None
            grades = {self._roles.grade: float(evaluation.judgments.grade[pair])}
        else:
            votes = evaluation.votes
            grades = {column: votes.get(pair, name) for name, column in self._judges.items()}
        values: dict[int, Cell] = {
            column: written_grade(or_none(grade), self._labels) for column, grade in grades.items()
        }
        if self._roles.note is not None:
            values[self._roles.note] = joined(evaluation.remarks.of_pair(pair))
        return values

    def _row_for(self, pair: int) -> list[Cell]:
        judgments = self._evaluation.judgments
        cells: list[Cell] = [""] * len(self._header)
        if self._roles.query is not None:
            cells[self._roles.query] = self._evaluation.queries[int(judgments.query[pair])]
        assert self._roles.document is not None
        cells[self._roles.document] = judgments.documents[pair]
        for column, value in self._values(pair).items():
            cells[column] = value
        return cells

    def _others(self, listed: set[int]) -> Iterator[int]:
        """Judged pairs that the table does not list."""
        grade = self._evaluation.judgments.grade
        return (p for p in np.flatnonzero(~np.isnan(grade)).tolist() if p not in listed)
