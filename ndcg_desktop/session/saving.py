"""What a save does on its thread: write, read back, compare. Nothing Qt in here.

A save works on a snapshot, so that grading may go on while it runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.evaluation import Entry, Evaluation
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.numbers import is_blank
from ndcg_desktop.files.read import read
from ndcg_desktop.files.roles import Roles, guess
from ndcg_desktop.files.save import ChangedOnDisk, GradeEdit, OtherGrades, save_in_place
from ndcg_desktop.files.table import FileError, Table, Texts
from ndcg_desktop.files.text_patch import NewRow
from ndcg_desktop.files.write import write_judgments, write_qrels
from ndcg_desktop.session.consent import Consent

QRELS_SUFFIXES = (".qrels", ".trec")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The grades to be written: for each judged table its edits and new rows, in order."""

    evaluation: Evaluation
    """Asked only for what an edit does not change: its queries and its pairs."""
    parts: tuple[Understood, ...]
    edits: tuple[tuple[GradeEdit, ...], ...]
    new_rows: tuple[tuple[NewRow, ...], ...]
    others: tuple[tuple[tuple[int, str], ...], ...]
    """For each table the rows, with their texts, that hold something else than was shown."""
    pairs: NDArray[np.int64]
    grades: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Saved:
    """What was written, read back."""

    paths: tuple[Path, ...]
    parts: tuple[Understood, ...]
    entries: tuple[Entry, ...]
    snapshot: Snapshot


def snapshot(evaluation: Evaluation, parts: Sequence[Understood]) -> Snapshot:
    """Gather what has changed since the files were read, by table and row."""
    pairs = evaluation.changed_pairs()
    grade = evaluation.judgments.grade
    edits = []
    others = []
    listed: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    for entry, part in zip(evaluation.entries, parts, strict=True):
        rows = np.flatnonzero(np.isin(entry.pair, pairs))
        others.append(_others_than_shown(evaluation, entry, part, rows))
        edits.append(
            tuple(
                GradeEdit(int(entry.columns.row[row]), _or_none(grade[entry.pair[row]]))
                for row in rows.tolist()
            )
        )
        listed = np.union1d(listed, entry.pair[rows])
    unlisted = [p for p in np.setdiff1d(pairs, listed).tolist() if not math.isnan(grade[p])]
    added = tuple(_new_row(evaluation, pair) for pair in unlisted)
    # A document that no table lists is added to the first.
    new_rows = tuple(added if place == 0 else () for place in range(len(parts)))
    return Snapshot(
        evaluation, tuple(parts), tuple(edits), new_rows, tuple(others), pairs, grade[pairs]
    )


def _others_than_shown(
    evaluation: Evaluation, entry: Entry, part: Understood, rows: NDArray[np.int64]
) -> tuple[tuple[int, str], ...]:
    """The rows to be written whose cell is neither blank nor the grade that was shown: a word, or
    a grade of a document that is judged more than once.
    """
    assert part.roles.grade is not None or not len(rows) or part.roles.graders
    own, shown = entry.columns.grade[rows], evaluation.loaded[entry.pair[rows]]
    suspect = rows[own != shown]  # NaN too: a blank, or a word
    if not len(suspect) or part.roles.grade is None:
        return ()
    numbers = entry.columns.row[suspect]
    texts = Texts(part.table.columns[part.roles.grade])
    cells = (texts[place] for place in np.searchsorted(part.table.row, numbers).tolist())
    pairs = zip(numbers.tolist(), cells, strict=True)
    return tuple((row, text) for row, text in pairs if not is_blank(text))


def _new_row(evaluation: Evaluation, pair: int) -> NewRow:
    judgments = evaluation.judgments
    query = evaluation.queries[int(judgments.query[pair])]
    return NewRow(query, judgments.documents[pair], float(judgments.grade[pair]))


def _or_none(grade: float) -> float | None:
    return None if math.isnan(grade) else float(grade)


def save_back(taken: Snapshot, target: Path | None, consent: Consent) -> Saved:
    """Write each table's grades to its own file, or the only table's to a copy at ``target``.

    Raises FileError, and its kinds ChangedOnDisk, OtherGrades and FormulaInTheWay where there is no
    consent.
    """
    for part, others in zip(taken.parts, taken.others, strict=True):
        if others and not consent.others:
            raise OtherGrades(part.table, others)
    written: set[Path] = set()
    parts = []
    for part, edits, new_rows in zip(taken.parts, taken.edits, taken.new_rows, strict=True):
        table = part.table
        if edits or new_rows or target is not None:
            table = save_in_place(
                part,
                edits,
                new_rows,
                target,
                # A second sheet of a file finds it changed by the first.
                replace_changed=consent.changed or part.table.path in written,
                replace_formulas=consent.formulas,
            )
            written.add(part.table.path)
        parts.append(replace(part, table=table))
    return _read_back(parts, taken)


def save_copy(
    taken: Snapshot,
    evaluation: Evaluation,
    parts: Sequence[Understood],
    target: Path,
    consent: Consent,
) -> Saved:
    """Write a copy of the judgments' file, with nothing but the grades changed; a table of its own
    where that file is no longer the one that was read. Raises FileError.
    """
    try:
        return save_back(taken, target, consent)
    except ChangedOnDisk:
        return save_new(taken, new_file(evaluation, parts), target)


def _read_back(parts: Sequence[Understood], taken: Snapshot) -> Saved:
    entries = taken.evaluation.entries_of(assemble(parts).judgments)
    paths = tuple(dict.fromkeys(part.table.path for part in parts))
    return Saved(paths, tuple(parts), tuple(entries), taken)


@dataclass(frozen=True, slots=True)
class NewFile:
    """A table to be written to a file of its own."""

    header: tuple[str, ...]
    rows: list[list[str | float | None]]
    roles: Roles

    @property
    def grade(self) -> int:
        """The column of the grades."""
        assert self.roles.grade is not None
        return self.roles.grade


def new_file(evaluation: Evaluation, parts: Sequence[Understood]) -> NewFile:
    """The table to write: the judgments' own with its other columns, or that of the ranking that
    was graded, or, of several judgments tables, one of query, document and grade.
    """
    judged = [part for part in parts if part.roles.judges]
    rankings = [part for part in parts if part.roles.ranks or part.row_order]
    if len(judged) == 1:
        return _whole_table(
            evaluation, judged[0], evaluation.entries[0].columns.row, evaluation.entries[0].pair
        )
    if not judged and len(rankings) == 1 and not rankings[0].roles.systems:
        ranking = evaluation.rankings[0]
        return _whole_table(evaluation, rankings[0], ranking.columns.row, ranking.pair)
    return _pool_table(evaluation)


def _whole_table(
    evaluation: Evaluation,
    part: Understood,
    row_number: NDArray[np.int32],
    pair: NDArray[np.int32],
) -> NewFile:
    """Every row and column of a table, with the grades as they now are."""
    table, roles = part.table, part.roles
    header = list(table.names)
    if roles.grade is None:
        header.append("grade")
        roles = replace(roles, grade=len(header) - 1, graders=())
    assert roles.grade is not None
    pairs = dict(zip(row_number.tolist(), pair.tolist(), strict=True))
    columns = [Texts(column) for column in table.columns]
    rows: list[list[str | float | None]] = []
    for place, number in enumerate(table.row.tolist()):
        cells: list[str | float | None] = [column[place] for column in columns]
        cells += [None] * (len(header) - len(cells))
        cells[roles.grade] = _grade_of(evaluation, pairs.get(number, NO_PAIR))
        rows.append(cells)
    listed = set(pairs.values())
    rows += [_row_for(evaluation, p, roles, len(header)) for p in _others(evaluation, listed)]
    return NewFile(tuple(header), rows, roles)


def _others(evaluation: Evaluation, listed: set[int]) -> Iterator[int]:
    """Judged pairs that the table does not list."""
    grade = evaluation.judgments.grade
    return (p for p in np.flatnonzero(~np.isnan(grade)).tolist() if p not in listed)


def _row_for(
    evaluation: Evaluation, pair: int, roles: Roles, width: int
) -> list[str | float | None]:
    judgments = evaluation.judgments
    cells: list[str | float | None] = [""] * width
    if roles.query is not None:
        cells[roles.query] = evaluation.queries[int(judgments.query[pair])]
    assert roles.document is not None and roles.grade is not None
    cells[roles.document] = judgments.documents[pair]
    cells[roles.grade] = _grade_of(evaluation, pair)
    return cells


def _grade_of(evaluation: Evaluation, pair: int) -> float | None:
    return None if pair == NO_PAIR else _or_none(evaluation.judgments.grade[pair])


def _pool_table(evaluation: Evaluation) -> NewFile:
    roles = Roles(query=0, document=1, grade=2)
    rows = [_row_for(evaluation, pair, roles, 3) for pair in range(len(evaluation.judgments))]
    return NewFile(("query", "document", "grade"), rows, roles)


def save_new(taken: Snapshot, file: NewFile, target: Path) -> Saved:
    """Write a table to a file of its own. Raises FileError."""
    table = write_judgments(target, file.header, file.rows, file.grade)
    return _read_back([Understood(table, replace(file.roles, ideal=None))], taken)


def _judged_rows(evaluation: Evaluation) -> list[tuple[str, str, float]]:
    """Query, document and grade of everything judged."""
    judgments = evaluation.judgments
    judged = np.flatnonzero(~np.isnan(judgments.grade))
    documents = judgments.documents.take(judged).texts()
    queries = [evaluation.queries[query] for query in judgments.query[judged].tolist()]
    return list(zip(queries, documents, judgments.grade[judged].tolist(), strict=True))


def save_qrels(taken: Snapshot, evaluation: Evaluation, target: Path) -> Saved:
    """Write judgments in the form of TREC. Raises FileError."""
    write_qrels(target, _judged_rows(evaluation))
    table: Table = read(target)[0]
    if table.kind != "qrels":
        raise FileError(target, "The file was written but does not read back as qrels.")
    return _read_back([Understood(table, guess(table).roles)], taken)
