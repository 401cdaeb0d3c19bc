"""Of all tables that were read: which are used, as what, and about which a person must be asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ndcg_desktop.evaluation.columns import Duplicates, Finding
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.contents import share
from ndcg_desktop.files.labels import Labels, suggest
from ndcg_desktop.files.numbers import number
from ndcg_desktop.files.roles import (
    WORDS_FOR_GRADES,
    Guess,
    Roles,
    column_of,
    guess,
    named,
)
from ndcg_desktop.files.shape import Choices
from ndcg_desktop.files.table import FileError, Table, Texts


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user says about tables beforehand: columns by role, the sheet, whether the order
    of rows may stand for a ranking, how several people's grades become one, what grades in words
    stand for, and which of several judgments of one document counts.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    sheet: str | None = None
    row_order: bool = False
    merge: str = "mean"
    labels: Labels | None = None
    duplicates: Duplicates = "highest"


MOST_NAMED = 3
WORDS = "The grades are words:"
"""How the doubt begins that is about nothing but what words stand for."""

Remembered = Callable[[Table], Choices | None]
"""What a person chose for an earlier table of the same shape, if any."""


@dataclass(slots=True)
class Plan:
    """The tables to use. ``doubts`` says, by the place of a table in ``parts``, why a person
    should confirm what its columns were taken for; ``remembered`` are the places of those that
    are read as a person chose before.
    """

    parts: list[Understood]
    doubts: dict[int, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    remembered: set[int] = field(default_factory=set)
    unused: list[Understood] = field(default_factory=list)
    """Further tables of the files, with what their columns seem to be."""


def plan(
    tables: Sequence[Table],
    settings: Settings | None = None,
    remembered: Remembered | None = None,
) -> Plan:
    """Choose among the tables and tell their columns; what is ``remembered`` of a table's shape
    takes the place of the guess, and is no doubt, but a finding.

    Raises FileError where a named sheet or column is not there.
    """
    settings = settings or Settings()
    _check_columns(tables, settings.columns)
    out = Plan([])
    by_file: dict[Path, list[Table]] = defaultdict(list)
    for table in tables:
        by_file[table.path].append(table)
    for path, sheets in by_file.items():
        _choose(path, sheets, settings, remembered or (lambda _: None), out)
    _check_systems(out)
    _use_row_order(out, settings)
    return out


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A table that may be used, as what, and why to ask.

    ``sure`` says that the roles are; ``choices`` are what is remembered of its shape.
    """

    part: Understood
    doubt: str = ""
    sure: bool = True
    choices: Choices | None = None

    @property
    def sheet_chosen(self) -> bool:
        """Whether this sheet was taken before, where several have its shape."""
        return self.choices is not None and self.choices.sheet == self.part.table.sheet


def _choose(
    path: Path, sheets: list[Table], settings: Settings, remembered: Remembered, out: Plan
) -> None:
    """Take the sheets of one file that hold something to score."""
    if settings.sheet is not None and any(table.sheet is not None for table in sheets):
        sheets = [table for table in sheets if table.sheet == settings.sheet]
        if not sheets:
            raise FileError(path, f"There is no sheet “{settings.sheet}”.")
    found = [_candidate(table, settings, remembered) for table in sheets]
    visible = [each for each in found if not each.part.table.hidden] or found
    useful = [each for each in visible if _holds_something(each.part.roles)]
    chosen = [each for each in useful if each.sure] or useful or visible[:1]
    whole = [each for each in chosen if each.part.roles.judges and each.part.roles.ranks]
    before = [each for each in whole if each.sheet_chosen]
    if len(whole) > 1 and len(before) == 1:
        chosen = before
    elif len(whole) > 1:
        names = ", ".join(f"“{each.part.table.sheet}”" for each in whole)
        reason = f"Several sheets hold grades and a ranking ({names}); the first is shown."
        chosen = [replace(whole[0], doubt=reason)]
    for each in chosen:
        if each.doubt:
            out.doubts[len(out.parts)] = each.doubt
        if each.choices is not None:
            out.remembered.add(len(out.parts))
            out.findings.append(_as_before(each.part.table))
        out.parts.append(each.part)
    taken = {each.part.table.sheet for each in chosen}
    out.findings += [_unused(table) for table in sheets if table.sheet not in taken]
    out.unused += [each.part for each in found if each.part.table.sheet not in taken]


def _candidate(table: Table, settings: Settings, remembered: Remembered) -> _Candidate:
    choices = None if settings.columns else remembered(table)
    part = None if choices is None else choices.apply(table)
    if part is not None:
        return _as_chosen(part, choices)
    known = _guess(table, settings)
    part = Understood(
        table,
        known.roles,
        merge=settings.merge,
        labels=settings.labels,
        duplicates=settings.duplicates,
    )
    return _with_labels(part, known.doubt, known.which)


def _as_chosen(part: Understood, choices: Choices | None) -> _Candidate:
    """A table read as one of its shape was before, or a doubt: its contents are of another kind."""
    if part.labels is None and (labels := suggested_labels(part)) is not None:
        doubt = f"{WORDS} {_in_words(labels)}. The file before had numbers."
        return _Candidate(replace(part, labels=labels), doubt, choices=choices)
    if part.labels is not None and (new := _new_words(part, part.labels)):
        words = ", ".join(f"“{word[:40]}”" for word in new[:MOST_NAMED])
        doubt = f"{WORDS} the files before had no {words}."
        return _Candidate(_with_new(part, part.labels), doubt, choices=choices)
    here = guess(part.table).roles
    moved = (here.query, here.document) != (part.roles.query, part.roles.document)
    if part.table.header is None and moved:
        doubt = "Without a header, its columns may stand in another order than in the file before."
        return _Candidate(part, doubt, choices=choices)
    return _Candidate(part, choices=choices)


def _new_words(part: Understood, labels: Labels) -> list[str]:
    """The words among the grades that have no place among the labels."""
    columns = (part.table.columns[column] for column in part.roles.graded)
    texts = dict.fromkeys(text.strip() for column in columns for text in Texts(column))
    return [text for text in texts if text and number(text) is None and not labels.knows(text)]


def _with_new(part: Understood, labels: Labels) -> Understood:
    """The table with what is suggested for new words beside the labels that were chosen."""
    new = suggested_labels(part) or labels
    grades = {**new.grades, **labels.grades}
    return replace(part, labels=Labels(grades, {**new.spelling, **labels.spelling}))


def _with_labels(part: Understood, doubt: str, which: str) -> _Candidate:
    """Say what grades in words stand for. A suggestion is a doubt: a person is to see it first."""
    labels = part.labels or suggested_labels(part)
    columns = (part.table.columns[column] for column in part.roles.graded)
    if labels is None or not any(
        number(text) is None and labels.knows(text) for column in columns for text in Texts(column)
    ):
        return _Candidate(replace(part, labels=None), doubt, doubt == which)
    if doubt.endswith(WORDS_FOR_GRADES):  # which is what the labels are about
        doubt = which
    words = f"{WORDS} {_in_words(labels)}." if part.labels is None else ""
    return _Candidate(replace(part, labels=labels), f"{doubt} {words}".strip(), doubt == which)


def suggested_labels(part: Understood) -> Labels | None:
    """The labels of those columns of grades that hold words more than numbers."""
    table = part.table
    columns = [column for column in part.roles.graded if share(table, column, number) < 0.5]
    return suggest(text for column in columns for text in Texts(table.columns[column]))


MOST_WORDS = 12
"""Labels that a doubt names one by one."""


def _in_words(labels: Labels) -> str:
    told = [
        f"“{label}” is {'not judged' if grade is None else f'{grade:g}'}"
        for label, grade in labels.grades.items()
    ]
    more = len(told) - MOST_WORDS
    return ", ".join(told[:MOST_WORDS]) + (f" and {more} more" if more > 0 else "")


def _as_before(table: Table) -> Finding:
    text = "Columns are read as you chose for a file of this shape before."
    return Finding("note", "columns-remembered", text, table.source)


def _unused(table: Table) -> Finding:
    what = "hidden and" if table.hidden else "not a table of judgments or a ranking and"
    return Finding("note", "sheet-unused", f"This sheet is {what} was not used.", table.source)


def _check_columns(tables: Sequence[Table], columns: Mapping[str, str]) -> None:
    """Judgments and ranking may each have only some of the columns, but some table each of them."""
    able = [table for table in tables if _takes_columns(table)]
    for role, wanted in columns.items():
        if able and all(column_of(table, wanted) is None for table in able):
            named(able[0], {role: wanted})


def _takes_columns(table: Table) -> bool:
    return table.kind not in ("qrels", "run")


def _guess(table: Table, settings: Settings) -> Guess:
    here = {role: w for role, w in settings.columns.items() if column_of(table, w) is not None}
    return Guess(named(table, here)) if here and _takes_columns(table) else guess(table)


def _holds_something(roles: Roles) -> bool:
    return roles.judges or roles.ranks or (roles.query is not None and roles.document is not None)


def _check_systems(out: Plan) -> None:
    """Columns of documents side by side are sure only where the judgments know the documents."""
    if not any(part.roles.systems for part in out.parts):
        return
    judged = {
        text
        for part in out.parts
        if part.roles.judges and part.roles.document is not None
        for text in Texts(part.table.columns[part.roles.document])
    }
    for place, part in enumerate(out.parts):
        if not part.roles.systems or place in out.remembered:
            continue
        known = tuple(
            column
            for column in part.roles.systems
            if judged.intersection(Texts(part.table.columns[column]))
        )
        if known:
            out.parts[place] = replace(part, roles=replace(part.roles, systems=known))
        else:
            out.doubts.setdefault(place, "Its columns may be rankings side by side.")


def _use_row_order(out: Plan, settings: Settings) -> None:
    """Let the order of rows stand for a ranking: where the user said so, or where a table names
    queries and documents and nothing else.
    """
    for place, part in enumerate(out.parts):
        roles = part.roles
        if roles.ranks or roles.document is None or place in out.remembered:
            continue
        bare = not roles.judges
        if settings.row_order or bare:
            out.parts[place] = replace(part, row_order=True)
        if bare and not settings.row_order:
            out.doubts.setdefault(place, "It has no rank and no score; is the order of its rows?")
