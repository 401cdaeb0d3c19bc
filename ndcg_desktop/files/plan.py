"""Of all tables that were read: which are used, as what, and about which a person must be asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.files.assemble import Merge, Understood
from ndcg_desktop.files.roles import Guess, Roles, column_of, guess, named
from ndcg_desktop.files.table import FileError, Table, Texts


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user says about tables beforehand: columns by role, the sheet, whether the order
    of rows may stand for a ranking, and how several graders' columns become one grade.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    sheet: str | None = None
    row_order: bool = False
    merge: Merge = "mean"


@dataclass(slots=True)
class Plan:
    """The tables to use. ``doubts`` says, by the place of a table in ``parts``, why a person
    should confirm what its columns were taken for.
    """

    parts: list[Understood]
    doubts: dict[int, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def plan(tables: Sequence[Table], settings: Settings | None = None) -> Plan:
    """Choose among the tables and tell their columns.

    Raises FileError where a named sheet or column is not there.
    """
    settings = settings or Settings()
    _check_columns(tables, settings.columns)
    out = Plan([])
    by_file: dict[Path, list[Table]] = defaultdict(list)
    for table in tables:
        by_file[table.path].append(table)
    for path, sheets in by_file.items():
        _choose(path, sheets, settings, out)
    _check_systems(out)
    _use_row_order(out, settings)
    return out


def _choose(path: Path, sheets: list[Table], settings: Settings, out: Plan) -> None:
    """Take the sheets of one file that hold something to score."""
    if settings.sheet is not None and any(table.sheet is not None for table in sheets):
        sheets = [table for table in sheets if table.sheet == settings.sheet]
        if not sheets:
            raise FileError(path, f"There is no sheet “{settings.sheet}”.")
    guesses = [(table, _guess(table, settings)) for table in sheets]
    visible = [pair for pair in guesses if not pair[0].hidden] or guesses
    useful = [(t, g) for t, g in visible if _holds_something(g.roles)]
    chosen = [(t, g) for t, g in useful if not g.doubt] or useful or visible[:1]
    whole = [pair for pair in chosen if pair[1].roles.judges and pair[1].roles.ranks]
    if len(whole) > 1:
        names = ", ".join(f"“{table.sheet}”" for table, _ in whole)
        reason = f"Several sheets hold grades and a ranking ({names}); the first is shown."
        chosen = [(whole[0][0], replace(whole[0][1], doubt=reason))]
    for table, known in chosen:
        if known.doubt:
            out.doubts[len(out.parts)] = known.doubt
        out.parts.append(Understood(table, known.roles, merge=settings.merge))
    taken = [table for table, _ in chosen]
    out.findings += [_unused(table) for table in sheets if not any(table is t for t in taken)]


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
        if not part.roles.systems:
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
        if roles.ranks or roles.document is None:
            continue
        bare = not roles.judges
        if settings.row_order or bare:
            out.parts[place] = replace(part, row_order=True)
        if bare and not settings.row_order:
            out.doubts.setdefault(place, "It has no rank and no score; is the order of its rows?")
