"""What a save does on its thread: write, read back, compare. Nothing Qt in here.

A save works on a snapshot, so that grading may go on while it runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ndcg_desktop.evaluation.entries import Entry
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.files.assemble import Understood, assemble, only_query
from ndcg_desktop.files.convert import Format, save_judgments
from ndcg_desktop.files.plain import judgments_of
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.save import (
    Change,
    FormulaInTheWay,
    OtherGrades,
    can_patch,
    patched,
    write_patched,
)
from ndcg_desktop.files.table import FileError, Table
from ndcg_desktop.files.write import write_judgments
from ndcg_desktop.session.consent import NO_CONSENT, Consent
from ndcg_desktop.session.new_file import new_file
from ndcg_desktop.session.snapshot import Snapshot, with_new_columns

NO_ROOM_FOR_NOTES = (
    "The grades are saved. The notes are not: such a file has no room for them. Use Save as to "
    "write a .csv or .xlsx file with all of it."
)


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
    copy: bool = False
    """Whether a copy was written, and what is open still belongs where it did."""


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
        if target is not None or any(map(_is_some, changes)):
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


def _is_some(change: Change) -> bool:
    return bool(change.edits or change.new_rows or change.texts)


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
    for place in tables:
        judged[place] = with_new_columns(taken.changes[place], judged[place])
    new = {id(old): part for old, part in zip(taken.judged, judged, strict=True)}
    parts = [new.get(id(part), part) for part in taken.parts]
    saved = _read_back(taken, parts, judged)
    note = NO_ROOM_FOR_NOTES if taken.homeless else ""
    return replace(saved, failure=failure, note=note)


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


def save_new(taken: Snapshot, target: Path, consent: Consent = NO_CONSENT) -> Saved:
    """Write a table to a file of its own. Raises FileError, and OtherGrades without consent."""
    _refuse_others(taken, consent)
    file = new_file(taken.evaluation, taken.parts)
    old = file.source
    labels = None if old is None else old.labels
    table = write_judgments(target, file.header, file.rows, file.roles.graded, words=True)
    part = Understood(
        table,
        replace(file.roles, ideal=None),
        row_order=old is not None and old.row_order,
        labels=labels,
        query_name=taken.evaluation.queries[0],
        names=() if old is None else old.names,
    )
    return _elsewhere(taken, part, old)


def save_format(taken: Snapshot, target: Path, form: Format) -> Saved:
    """Write judgments in another program's format. Raises FileError.

    They belong to the new file from then on where grades can go back to it, and where it knows the
    queries by the same ids; else it is a copy, and all stays as it was. So it is where several
    judge: what is written is made of their grades.
    """
    written = save_judgments(target, form, judgments_of(taken.evaluation))
    note = " ".join(finding.text for finding in written.findings)
    part = Understood(written.table, guess(written.table).roles)
    saved = _elsewhere(taken, part, None)
    (entry,) = saved.entries
    several = taken.evaluation.votes is not None
    if several or can_patch(part) or (entry.pair == NO_PAIR).any():
        note = f"{target.name} is a copy; the grades still belong where they did. {note}".strip()
        entries = tuple(taken.evaluation.entries)
        return Saved((target,), taken.parts, tuple(taken.judged), entries, note=note, copy=True)
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
