"""Which column of a table means what: guessed from headers and content, or told by the user."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ndcg_desktop.files import rivals
from ndcg_desktop.files.contents import (
    column_texts,
    counts,
    counts_up,
    distinct,
    distinct_rows,
    holds_grades,
    holds_labels,
    is_scale,
    is_small_scale,
    measures,
    rises,
    several_in_a_cell,
    share,
)
from ndcg_desktop.files.header import (
    BEIR,
    BESIDE,
    GRADER,
    JUDGE,
    LIKELY,
    LIKELY_BESIDE,
    VERDICT,
    WORDS,
    normal,
    positions,
)
from ndcg_desktop.files.numbers import number, numbers, rank_number
from ndcg_desktop.files.table import FileError, Table
from ndcg_desktop.files.wide_rows import most_are_wide


@dataclass(frozen=True, slots=True)
class Roles:
    """The column, from 0, of each role; None where the table has none.

    ``title`` is the document's name, shown beside it. ``rater`` names who gave a row's grade,
    where every row is one person's; ``system`` the ranking that a row belongs to, where one table
    holds several; ``note`` what judges remark. ``graders`` are columns of grades by several people;
    ``systems`` are columns that each hold the documents of one ranking, in a table that has a rank
    for all of them; ``positions`` are columns, best place first, that each hold the grade of the
    document at one place of a query's ranking, in a table of a row for each query and no documents.
    """

    query: int | None = None
    query_text: int | None = None
    document: int | None = None
    grade: int | None = None
    rank: int | None = None
    score: int | None = None
    ideal: int | None = None
    title: int | None = None
    rater: int | None = None
    system: int | None = None
    note: int | None = None
    graders: tuple[int, ...] = ()
    systems: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()

    @property
    def graded(self) -> tuple[int, ...]:
        """The columns that hold grades."""
        if self.positions or self.graders:
            return self.positions or self.graders
        return () if self.grade is None else (self.grade,)

    @property
    def judges(self) -> bool:
        """Whether the table holds judgments."""
        if self.positions:
            return True
        return self.document is not None and (self.grade is not None or bool(self.graders))

    @property
    def ranks(self) -> bool:
        """Whether the table says an order of documents."""
        if self.positions:
            return True
        if self.systems:
            return self.rank is not None
        return self.document is not None and (self.rank is not None or self.score is not None)

    def role_of(self, column: int) -> str:
        """The role that a column has, empty where it has none."""
        return self.by_column().get(column, "")

    def by_column(self) -> dict[int, str]:
        """The role of each column that has one."""
        found: dict[int, str] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                columns = value if field.name in _SEVERAL else (value,)
                found |= dict.fromkeys(columns, field.name)
        return found

    def with_role(self, column: int, role: str) -> Roles:
        """The same roles with a column in another, or in none; a role that only one column may have
        is taken from the one that had it.
        """
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, value in values.items():
            if name in _SEVERAL:
                values[name] = tuple(each for each in value if each != column)
            elif value == column:
                values[name] = None
        if role in _SEVERAL:
            values[role] = tuple(sorted((*values[role], column)))
        elif role:
            values[role] = column
        return Roles(**values)

    @property
    def used(self) -> set[int]:
        """The columns that have a role."""
        single = {getattr(self, field.name) for field in fields(self) if field.name not in _SEVERAL}
        return (single - {None}).union(self.graders, self.systems, self.positions)


WORDS_FOR_GRADES = "holds words rather than grades."
"""How the doubt about a column of grades ends that has words in it."""

_SEVERAL = ("graders", "systems", "positions")


@dataclass(frozen=True, slots=True)
class Guess:
    """What a table's columns are taken for; ``doubt`` says why to ask a person, or is empty.

    ``which`` is the part of the doubt about several columns of one meaning, whichever of which
    counts: the table is what it is taken for all the same.
    """

    roles: Roles
    doubt: str = ""
    which: str = ""


def guess(table: Table) -> Guess:
    """Tell the roles of a table's columns. Never raises: what cannot be told is a doubt."""
    if table.kind == "qrels":
        return Guess(Roles(query=0, document=2, grade=3))
    if table.kind == "run":
        return Guess(Roles(query=0, document=1, rank=2, score=3))
    if table.kind == "ltr":
        return Guess(Roles(query=1, query_text=2, document=3, grade=0, title=4))
    if table.header is None:
        return Guess(_by_content(table), "The table has no header row.")
    return _by_header(table)


def column_of(table: Table, wanted: str) -> int | None:
    """The column of this header, or of this number from 1; None where there is none."""
    names = [normal(name) for name in table.names]
    if normal(wanted) in names:
        return names.index(normal(wanted))
    return int(wanted) - 1 if wanted.isdecimal() and 1 <= int(wanted) <= len(names) else None


def named(table: Table, columns: Mapping[str, str]) -> Roles:
    """The roles that a user gave, by header or by number from 1.

    Raises FileError where a column is not there.
    """
    found = {role: column_of(table, wanted) for role, wanted in columns.items()}
    for role, place in found.items():
        if place is None:
            raise FileError(
                table.path,
                f"There is no column “{columns[role]}”; the columns are {', '.join(table.names)}.",
                table.sheet,
            )
    return Roles(**found)  # type: ignore[arg-type]  # the values are numbers of columns


# ---- by header


def _by_header(table: Table) -> Guess:
    headers = [normal(name) for name in table.names]
    if (beir := _beir(table, headers)) is not None:
        return Guess(beir)
    found = rivals.taken(table, headers, {r: _first(headers, w) for r, w in WORDS.items()})
    places = positions(headers)
    if places and found["document"] is None and all(holds_grades(table, p) for p in places):
        return Guess(Roles(query=found["query"], positions=places), _doubt_of_places(table, places))
    doubt = ""
    for role, words in {**LIKELY, "grade": _words_of_grades(table, headers)}.items():
        if found.get(role) is None and role not in ("score", "rank"):
            found[role] = _free(headers, words, found)
            if found[role] is not None:
                doubt = f"“{table.names[found[role] or 0]}” is perhaps the {role}."
    if found["rank"] is None and found["score"] is None and doubt:
        found["rank"] = _free(headers, LIKELY["rank"], found)
    roles = _refined(table, headers, found)
    if roles.document is not None:
        roles = replace(roles, title=_unused(headers, BESIDE["title"], roles))
    roles, people = _people(table, headers, roles)
    roles, beside = _beside(table, headers, roles)
    roles, which = _which(table, headers, roles)
    roles, which = _with_judges(table, headers, roles, which)
    which = f"{most_are_wide(table)} {which}".strip()
    other = doubt or people or beside or _doubt(table, roles)
    roles = _with_note(table, headers, roles)
    return Guess(roles, f"{which} {other}".strip(), which)


def _beir(table: Table, headers: list[str]) -> Roles | None:
    """Judgments of BEIR: exactly these columns, and whole numbers for scores."""
    places = [next((p for p, h in enumerate(headers) if h in words), None) for words in BEIR]
    query, document, score = places
    if query is None or document is None or score is None or len(headers) != len(BEIR):
        return None
    if not all(re.fullmatch(r"-?\d{1,3}(\.0)?|", text) for text in column_texts(table, score)):
        return None
    return Roles(query=query, document=document, grade=score)


def _doubt_of_places(table: Table, places: tuple[int, ...]) -> str:
    """Numbers at the places of a ranking may be documents, until one stands twice for a query."""
    rows = zip(*(column_texts(table, place) for place in places), strict=True)
    filled = ([text for text in row if text] for row in rows)
    if any(len(set(row)) < len(row) for row in filled):
        return ""
    names = [table.names[place] for place in (places[0], places[-1])]
    return f"“{names[0]}” to “{names[1]}” perhaps hold the grades at the places of a ranking."


def _first(headers: list[str], words: tuple[str, ...]) -> int | None:
    return next((headers.index(word) for word in words if word in headers), None)


def _which(table: Table, headers: list[str], roles: Roles) -> tuple[Roles, str]:
    """The roles, and a doubt about columns that have the same meaning as one of them."""
    if roles.document is None:
        return roles, ""
    if roles.grade is not None and (several := rivals.people(table, headers, roles.grade)):
        names = " and ".join(f"“{table.names[place]}”" for place in several)
        roles = replace(roles, grade=None, graders=several)
        return roles, f"{names} are perhaps the grades of several people."
    found = {role: getattr(roles, role) for role in WORDS}
    return roles, rivals.doubt(table, headers, found, roles.used - {roles.query_text})


def _free(
    headers: list[str], words: tuple[str, ...], found: Mapping[str, int | None]
) -> int | None:
    taken = set(found.values())
    return next(
        (headers.index(w) for w in words if w in headers and headers.index(w) not in taken), None
    )


def _refined(table: Table, headers: list[str], found: dict[str, int | None]) -> Roles:
    """Add what headers alone do not say: graders, a query's text, systems side by side."""
    graders = _graders(table, headers) if found["grade"] is None else ()
    if len(graders) == 1:
        found["grade"], graders = graders[0], ()
    query_text = None
    if found["query"] is not None and headers[found["query"]] in _QUERY_IDS:
        query_text = _first(headers, _QUERY_TEXTS)
    roles = Roles(**found, query_text=query_text, graders=graders)  # type: ignore[arg-type]
    if roles.document is None and roles.rank is not None and not roles.judges:
        return Roles(query=roles.query, rank=roles.rank, systems=_id_columns(table, roles))
    return roles


def _graders(table: Table, headers: list[str]) -> tuple[int, ...]:
    """The columns of one grader each."""
    heads = (place for place, header in enumerate(headers) if GRADER.fullmatch(header))
    return tuple(place for place in heads if _may_be_grades(table, place))


def _may_be_grades(table: Table, column: int) -> bool:
    return share(table, column, number) >= 0.5 or holds_labels(table, column)


def _words_of_grades(table: Table, headers: list[str]) -> tuple[str, ...]:
    """The words that suggest a grade, but for one that heads remarks here: “note” beside graders,
    or above texts.
    """
    graders = _graders(table, headers)

    def heads_remarks(word: str) -> bool:
        if word not in BESIDE["note"] or word not in headers:
            return False
        return bool(graders) or not _may_be_grades(table, headers.index(word))

    return tuple(word for word in LIKELY["grade"] if not heads_remarks(word))


_QUERY_IDS = WORDS["query"][: WORDS["query"].index("query")]
_QUERY_TEXTS = WORDS["query"][WORDS["query"].index("query") :]


def _id_columns(table: Table, roles: Roles) -> tuple[int, ...]:
    """The further columns that hold ids: text, and no text twice among the rows of a query."""
    return tuple(
        place
        for place in range(len(table.columns))
        if place not in roles.used and share(table, place, number) < 0.5
    )


def _people(table: Table, headers: list[str], roles: Roles) -> tuple[Roles, str]:
    """Take columns that are headed by people's names for their grades: those of small numbers in a
    table of query, document and nothing else that is known. A doubt where there are others, too.
    """
    if roles.query is None or roles.document is None or roles.judges:
        return roles, ""
    rest = [
        place
        for place in range(len(table.columns))
        if place not in roles.used
        and (headers[place] not in BESIDE["note"] or _holds_numbers(table, place))
    ]
    graders = [
        place
        for place in rest
        if is_small_scale(table, place)
        and not counts(table, roles.query, place)
        and not measures(table, place)
    ]
    if not any(any(column_texts(table, place)) for place in graders):
        return roles, ""
    names = ", ".join(f"“{table.names[place]}”" for place in graders)
    if roles.ranks:  # a ranking may have any small numbers beside it
        if len(graders) < 2:
            return roles, ""
        text = f"{names} are perhaps the grades of several people."
        return replace(roles, graders=tuple(graders)), text
    if len(graders) == 1:
        return replace(roles, grade=graders[0]), f"{names} is perhaps the grade."
    roles = replace(roles, graders=tuple(graders))
    return roles, "" if graders == rest else f"{names} are perhaps the grades of several people."


def _beside(table: Table, headers: list[str], roles: Roles) -> tuple[Roles, str]:
    """Add the columns that tell apart what several systems ranked, or several people graded."""
    if roles.document is None:
        return roles, ""
    doubt = ""
    for role, tells in (("system", _tells_systems), ("rater", _tells_raters)):
        for words, sure in ((BESIDE[role], True), (LIKELY_BESIDE[role], False)):
            place = _unused(headers, words, roles)
            if place is not None and tells(table, roles, place, sure):
                roles = _with(roles, role, place)
                if not sure:
                    what = "tells several rankings apart" if role == "system" else "is the rater"
                    doubt = f"“{table.names[place]}” perhaps {what}."
                break
    return roles, doubt


def _with(roles: Roles, role: str, column: int) -> Roles:
    return replace(roles, **{role: column})  # type: ignore[arg-type]  # no tuple is named here


def _unused(headers: list[str], words: tuple[str, ...], roles: Roles) -> int | None:
    return _free(headers, words, {str(place): place for place in roles.used})


def _with_judges(table: Table, headers: list[str], roles: Roles, which: str) -> tuple[Roles, str]:
    """Add the columns that are headed as those of further judges, or of their verdict; beside one
    grade they are doubtful.
    """
    if roles.rater is not None or not roles.judges or roles.positions:
        return roles, which
    further = tuple(
        place
        for place, header in enumerate(headers)
        if place not in roles.used
        and (header.startswith(JUDGE) or header == VERDICT)
        and (holds_grades(table, place) or not any(column_texts(table, place)))
    )
    judges = roles.graders or any(headers[place].startswith(JUDGE) for place in further)
    if not further or not judges:  # a verdict alone may be anything
        return roles, which
    if roles.grade is None:
        return replace(roles, graders=tuple(sorted((*roles.graders, *further)))), which
    graders = (roles.grade, *further)
    names = " and ".join(f"“{table.names[place]}”" for place in graders)
    which = f"{which} {names} are perhaps the grades of several people.".strip()
    return replace(roles, grade=None, graders=tuple(sorted(graders))), which


def _with_note(table: Table, headers: list[str], roles: Roles) -> Roles:
    """Add the column of what judges remark, be it empty yet. One of numbers holds grades perhaps,
    as a French “note” does.
    """
    if not roles.judges:
        return roles
    places = (headers.index(word) for word in BESIDE["note"] if word in headers)
    free = (place for place in places if place not in roles.used)
    return replace(roles, note=next((p for p in free if not _holds_numbers(table, p)), None))


def _holds_numbers(table: Table, column: int) -> bool:
    return share(table, column, number) >= 0.5 and any(column_texts(table, column))


def _tells_systems(table: Table, roles: Roles, column: int, sure: bool) -> bool:
    """Whether a column tells rankings apart: within a query the same rank, or the same document,
    stands more than once, and not within a query and a system. Documents that are scored by one
    system each are taken for rankings where the header is sure.
    """
    if roles.judges and not roles.ranks:
        return False
    what = roles.rank if roles.rank is not None else roles.document
    alone, apart = (distinct_rows(table, roles.query, what, c) for c in (None, column))
    if apart > alone:
        return True
    systems = distinct_rows(table, roles.query, column)
    return sure and roles.rank is None and systems > distinct_rows(table, roles.query)


def _tells_raters(table: Table, roles: Roles, column: int, sure: bool) -> bool:
    """Whether a column tells apart the grades that several people gave to the same document."""
    key = (roles.query, roles.document, roles.system)
    return roles.judges and distinct_rows(table, *key, column) > distinct_rows(table, *key)


def _doubt(table: Table, roles: Roles) -> str:
    """Why roles told by header want a look: no document, or contents that do not fit."""
    if not roles.judges and not roles.ranks:
        if roles.document is None:
            return "No column is recognised as the document."
        return "No column is recognised as grade, rank or score."
    if roles.grade is not None and (lists := several_in_a_cell(table, roles.grade)):
        return lists
    if roles.grade is not None and share(table, roles.grade, number) < 0.5:
        return f"“{table.names[roles.grade]}” {WORDS_FOR_GRADES}"
    if roles.rank is not None and share(table, roles.rank, rank_number) < 0.5:
        return f"“{table.names[roles.rank]}” holds no ranks."
    if roles.score is not None and roles.rank is None and rises(table, roles.query, roles.score):
        return f"“{table.names[roles.score]}” grows from row to row, as a distance does."
    if roles.query is None and _restarts(table, roles):
        return "No column is recognised as the query, and the ranks begin again."
    return ""


def _restarts(table: Table, roles: Roles) -> bool:
    if roles.rank is None:
        return False
    ranks, _ = numbers(table.columns[roles.rank], rank_number)
    ranks = ranks[~np.isnan(ranks)]
    return int(np.count_nonzero(ranks == ranks.min())) > 1 if len(ranks) else False


# ---- by content


def _by_content(table: Table) -> Roles:
    """Roles of a table without a header: texts are query and document, numbers grade and rank."""
    numeric = [p for p in range(len(table.columns)) if share(table, p, number) > 0.9]
    texts = [p for p in range(len(table.columns)) if p not in numeric]
    if len(texts) < 2:
        # MS MARCO: all ids are numbers, and stand first.
        texts, numeric = [0, 1], [p for p in numeric if p > 1]
    if len(table.columns) < 2:
        return Roles(document=0 if len(table.columns) else None)
    words = next((p for p in texts[2:] if holds_labels(table, p)), None)
    query, document = sorted(texts[:2], key=lambda place: distinct(table, place))
    rank = next((p for p in numeric if counts_up(table, query, p)), None)
    rest = [place for place in numeric if place != rank]
    grade = next((place for place in reversed(rest) if is_scale(table, place)), words)
    score = next((p for p in rest if p != grade), None) if rank is None else None
    return Roles(query=query, document=document, grade=grade, rank=rank, score=score)
