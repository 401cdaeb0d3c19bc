"""What a save does on its thread: write, read back, compare. Nothing Qt in here.

A save works on a snapshot, so that grading may go on while it runs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.evaluation import Entry, Evaluation
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.files.assemble import Understood, assemble, only_query
from ndcg_desktop.files.convert import Format, save_judgments
from ndcg_desktop.files.labels import written_grade
from ndcg_desktop.files.numbers import is_blank
from ndcg_desktop.files.plain import judgments_of
from ndcg_desktop.files.roles import Roles, guess
from ndcg_desktop.files.save import (
    Change,
    FormulaInTheWay,
    GradeEdit,
    OtherGrades,
    can_patch,
    patched,
    write_patched,
)
from ndcg_desktop.files.table import FileError, Table, Texts
from ndcg_desktop.files.text_patch import NewRow
from ndcg_desktop.files.write import write_judgments
from ndcg_desktop.session.consent import NO_CONSENT, Consent


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is to be saved, as it stood when that was asked for.

    ``parts`` are all tables that are open, ``changes`` the judged ones of them, in the order of the
    evaluation's entries; ``others`` has for each the rows, with their texts, that hold something
    else than was shown.
    """

    evaluation: Evaluation
    parts: tuple[Understood, ...]
    changes: tuple[Change, ...]
    others: tuple[tuple[tuple[int, str], ...], ...]

    @property
    def judged(self) -> list[Understood]:
        """The tables with judgments."""
        return [change.part for change in self.changes]


@dataclass(frozen=True, slots=True)
class Saved:
    """What was written, read back: all tables that are open from now on, and the judged ones."""

    paths: tuple[Path, ...]
    parts: tuple[Understood, ...]
    judged: tuple[Understood, ...]
    entries: tuple[Entry, ...]
    failure: FileError | None = None
    """What kept a further file from being written."""
    note: str = ""
    """What is not as one may expect."""


def snapshot(
    evaluation: Evaluation, parts: Sequence[Understood], judged: Sequence[Understood]
) -> Snapshot:
    """Gather what has changed since the files were read, by table and row."""
    still = evaluation.frozen()
    pairs = still.changed_pairs()
    grade = still.judgments.grade
    changes, others = [], []
    listed: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    for entry, part in zip(still.entries, judged, strict=True):
        rows = np.flatnonzero(np.isin(entry.pair, pairs))
        others.append(_others_than_shown(still, entry, part, rows))
        edits = [
            GradeEdit(int(entry.columns.row[row]), _or_none(grade[entry.pair[row]]))
            for row in rows.tolist()
        ]
        changes.append(Change(part, edits))
        listed = np.union1d(listed, entry.pair[rows])
    unlisted = [p for p in np.setdiff1d(pairs, listed).tolist() if not math.isnan(grade[p])]
    if changes:  # a document that no table lists is added to the first
        changes[0] = replace(changes[0], new_rows=[_new_row(still, pair) for pair in unlisted])
    return Snapshot(still, tuple(parts), tuple(changes), tuple(others))


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


# ---- back into the files, or into a copy of one


def save_back(taken: Snapshot, target: Path | None = None, consent: Consent = NO_CONSENT) -> Saved:
    """Write each table's grades to its own file, or the only table's to a copy at ``target``.

    No file is written before the new content of all of them is there and checked. Where one then
    cannot be written, the result says so and what was written before it.

    Raises FileError, and its kinds ChangedOnDisk, OtherGrades and FormulaInTheWay where there is no
    consent; nothing is written then.
    """
    _refuse_others(taken, consent)
    by_file: dict[Path, list[int]] = defaultdict(list)
    for place, change in enumerate(taken.changes):
        by_file[change.part.table.path.resolve()].append(place)
    made = []
    for places in by_file.values():
        changes = [taken.changes[place] for place in places]
        if target is not None or any(change.edits or change.new_rows for change in changes):
            new = patched(
                changes,
                target,
                replace_changed=consent.changed,
                replace_formulas=consent.formulas,
            )
            made.append((places, new))
    tables: dict[int, Table] = {}
    failure = None
    try:
        for places, new in made:
            tables |= zip(places, write_patched(new), strict=True)
    except FileError as error:
        if not tables:
            raise
        failure = error
    return _patched_parts(taken, tables, failure)


def _refuse_others(taken: Snapshot, consent: Consent) -> None:
    for change, others in zip(taken.changes, taken.others, strict=True):
        if others and not consent.others:
            raise OtherGrades(change.part.table, others)


def _patched_parts(taken: Snapshot, tables: dict[int, Table], failure: FileError | None) -> Saved:
    """The open tables, with the written ones as they now are."""
    judged = [
        # A copy has another name; the query of a table without a column for it keeps its own.
        replace(part, table=tables.get(place, part.table), query_name=only_query(part))
        for place, part in enumerate(taken.judged)
    ]
    new = {id(old): part for old, part in zip(taken.judged, judged, strict=True)}
    parts = [new.get(id(part), part) for part in taken.parts]
    saved = _read_back(taken, parts, judged)
    return replace(saved, failure=failure)


def save_copy(taken: Snapshot, target: Path, consent: Consent) -> Saved:
    """Write a copy of the judgments' file, with nothing but the grades changed; a table of its own
    where such a copy cannot be made. Raises FileError.
    """
    try:
        return save_back(taken, target, consent)
    except (OtherGrades, FormulaInTheWay):
        raise
    except FileError as error:
        saved = save_new(taken, target, consent)
        note = f"{target.name} holds the table alone, without formats. {error.problem}"
        return replace(saved, note=note)


def _read_back(taken: Snapshot, parts: Sequence[Understood], judged: Sequence[Understood]) -> Saved:
    entries = taken.evaluation.entries_of(assemble(judged).judgments)
    paths = tuple(dict.fromkeys(part.table.path for part in judged))
    return Saved(paths, tuple(parts), tuple(judged), tuple(entries))


# ---- into a file of its own


@dataclass(frozen=True, slots=True)
class NewFile:
    """A table to be written to a file of its own, and the open table that it is made from."""

    header: tuple[str, ...]
    rows: list[list[str | float | None]]
    roles: Roles
    source: Understood | None = None

    @property
    def grade(self) -> int:
        """The column of the grades."""
        assert self.roles.grade is not None
        return self.roles.grade


def save_new(taken: Snapshot, target: Path, consent: Consent = NO_CONSENT) -> Saved:
    """Write a table to a file of its own. Raises FileError, and OtherGrades without consent."""
    _refuse_others(taken, consent)
    file = _new_file(taken.evaluation, taken.parts)
    old = file.source
    labels = None if old is None else old.labels
    table = write_judgments(target, file.header, file.rows, file.grade, words=True)
    part = Understood(
        table,
        replace(file.roles, ideal=None),
        row_order=old is not None and old.row_order,
        labels=labels,
        query_name=taken.evaluation.queries[0],
    )
    return _elsewhere(taken, part, old)


def save_format(taken: Snapshot, target: Path, form: Format) -> Saved:
    """Write judgments in another program's format. Raises FileError.

    They belong to the new file from then on where grades can go back to it, and where it knows the
    queries by the same ids; else it is a copy, and all stays as it was.
    """
    written = save_judgments(target, form, judgments_of(taken.evaluation))
    note = " ".join(finding.text for finding in written.findings)
    part = Understood(written.table, guess(written.table).roles)
    saved = _elsewhere(taken, part, None)
    (entry,) = saved.entries
    if can_patch(part) or (entry.pair == NO_PAIR).any():
        note = f"{target.name} is a copy; the grades still belong where they did. {note}".strip()
        entries = tuple(taken.evaluation.entries)
        return Saved((target,), taken.parts, tuple(taken.judged), entries, note=note)
    return replace(saved, note=note)


def _elsewhere(taken: Snapshot, new: Understood, source: Understood | None) -> Saved:
    """The judgments live in a new table; the rankings stay where they are, but for that of the
    table that the new one repeats.
    """
    ranks = new.roles.ranks or new.row_order
    kept = [_unjudging(p) for p in taken.parts if not (ranks and p is source)]
    rankings = [part for part in kept if part.roles.ranks or part.row_order]
    return _read_back(taken, [*rankings, new], [new])


def _unjudging(part: Understood) -> Understood:
    """A table whose grades now live in another file; its ranking stays."""
    return replace(part, roles=replace(part.roles, grade=None, graders=(), ideal=None))


def _new_file(evaluation: Evaluation, parts: Sequence[Understood]) -> NewFile:
    """The table to write: the judgments' own with its other columns, or that of the ranking that
    was graded, or, of several judgments tables, one of query, document and grade.
    """
    judged = [part for part in parts if part.roles.judges]
    rankings = [part for part in parts if part.roles.ranks or part.row_order]
    if len(judged) == 1 and _has_a_row_each(judged[0]):
        return _whole_table(
            evaluation, judged[0], evaluation.entries[0].columns.row, evaluation.entries[0].pair
        )
    if not judged and len(rankings) == 1 and _has_a_row_each(rankings[0]):
        ranking = evaluation.rankings[0]
        return _whole_table(evaluation, rankings[0], ranking.columns.row, ranking.pair)
    return _pool_table(evaluation)


def _has_a_row_each(part: Understood) -> bool:
    """Whether a row of the table is one document of one query and ranking."""
    roles = part.roles
    return not (roles.systems or roles.positions) and roles.rater is None and roles.system is None


def _whole_table(
    evaluation: Evaluation,
    part: Understood,
    row_number: NDArray[np.int32],
    pair: NDArray[np.int32],
) -> NewFile:
    """Every row and column of a table, with the grades as they now are."""
    table = part.table
    header, roles = _with_columns(evaluation, part)
    assert roles.grade is not None
    pairs = dict(zip(row_number.tolist(), pair.tolist(), strict=True))
    changed = set(evaluation.changed_pairs().tolist())
    columns = [Texts(column) for column in table.columns]
    rows: list[list[str | float | None]] = []
    for place, number in enumerate(table.row.tolist()):
        cells: list[str | float | None] = [column[place] for column in columns]
        cells += [None] * (len(header) - len(cells))
        own = pairs.get(number, NO_PAIR)
        if own in changed or part.roles.grade is None:
            # What nobody has changed stays as it is written: a remark, one of several grades.
            cells[roles.grade] = written_grade(_grade_of(evaluation, own), part.labels)
        if part.roles.query is None and roles.query is not None:
            cells[roles.query] = only_query(part)
        rows.append(cells)
    listed = set(pairs.values())
    for other in _others(evaluation, listed):
        cells = _row_for(evaluation, other, roles, len(header))
        cells[roles.grade] = written_grade(_grade_of(evaluation, other), part.labels)
        rows.append(cells)
    return NewFile(tuple(header), rows, roles, part)


def _with_columns(evaluation: Evaluation, part: Understood) -> tuple[list[str], Roles]:
    """The columns of a table, with those for the grade and, where there are several queries, for
    the query, which it may lack.
    """
    header, roles = list(part.table.names), part.roles
    if roles.grade is None:
        header.append("grade")
        roles = replace(roles, grade=len(header) - 1, graders=())
    if roles.query is None and len(evaluation.queries) > 1:
        header.append("query")
        roles = replace(roles, query=len(header) - 1)
    return header, roles


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
