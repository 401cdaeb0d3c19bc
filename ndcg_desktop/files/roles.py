"""Which column of a table means what: guessed from headers and content, or told by the user."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.files.header import GRADER, LIKELY, WORDS, normal
from ndcg_desktop.files.numbers import is_blank, number, numbers, rank_number
from ndcg_desktop.files.table import FileError, Table, cell_text

ROWS_JUDGED = 2_000
"""Rows of a column that are looked at to tell what it holds."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The column, from 0, of each role; None where the table has none.

    ``graders`` are columns of grades by several people; ``systems`` are columns that each hold
    the documents of one ranking, in a table that has a rank for all of them.
    """

    query: int | None = None
    query_text: int | None = None
    document: int | None = None
    grade: int | None = None
    rank: int | None = None
    score: int | None = None
    ideal: int | None = None
    graders: tuple[int, ...] = ()
    systems: tuple[int, ...] = ()

    @property
    def judges(self) -> bool:
        """Whether the table holds judgments."""
        return self.document is not None and (self.grade is not None or bool(self.graders))

    @property
    def ranks(self) -> bool:
        """Whether the table says an order of documents."""
        if self.systems:
            return self.rank is not None
        return self.document is not None and (self.rank is not None or self.score is not None)

    @property
    def used(self) -> set[int]:
        """The columns that have a role."""
        single = {getattr(self, field.name) for field in fields(self) if field.name not in _SEVERAL}
        return (single - {None}) | set(self.graders) | set(self.systems)


_SEVERAL = ("graders", "systems")


@dataclass(frozen=True, slots=True)
class Guess:
    """What a table's columns are taken for; ``doubt`` says why to ask a person, or is empty."""

    roles: Roles
    doubt: str = ""


def guess(table: Table) -> Guess:
    """Tell the roles of a table's columns. Never raises: what cannot be told is a doubt."""
    if table.kind == "qrels":
        return Guess(Roles(query=0, document=2, grade=3))
    if table.kind == "run":
        return Guess(Roles(query=0, document=1, rank=2, score=3))
    if table.kind == "ltr":
        return Guess(Roles(query=1, query_text=2, document=3, grade=0))
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
    found = {role: _first(headers, words) for role, words in WORDS.items()}
    doubt = ""
    for role, words in LIKELY.items():
        if found.get(role) is None and role not in ("score", "rank"):
            found[role] = _free(headers, words, found)
            if found[role] is not None:
                doubt = f"“{table.names[found[role] or 0]}” is perhaps the {role}."
    if found["rank"] is None and found["score"] is None and doubt:
        found["rank"] = _free(headers, LIKELY["rank"], found)
    roles = _refined(table, headers, found)
    return Guess(roles, doubt or _doubt(table, roles))


def _first(headers: list[str], words: tuple[str, ...]) -> int | None:
    return next((headers.index(word) for word in words if word in headers), None)


def _free(
    headers: list[str], words: tuple[str, ...], found: Mapping[str, int | None]
) -> int | None:
    taken = set(found.values())
    return next(
        (headers.index(w) for w in words if w in headers and headers.index(w) not in taken), None
    )


def _refined(table: Table, headers: list[str], found: dict[str, int | None]) -> Roles:
    """Add what headers alone do not say: graders, a query's text, systems side by side."""
    graders: tuple[int, ...] = ()
    if found["grade"] is None:
        graders = tuple(place for place, header in enumerate(headers) if GRADER.fullmatch(header))
        if len(graders) == 1:
            found["grade"], graders = graders[0], ()
    query_text = None
    if found["query"] is not None and headers[found["query"]] in _QUERY_IDS:
        query_text = _first(headers, _QUERY_TEXTS)
    roles = Roles(**found, query_text=query_text, graders=graders)  # type: ignore[arg-type]
    if roles.document is None and roles.rank is not None and not roles.judges:
        return Roles(query=roles.query, rank=roles.rank, systems=_id_columns(table, roles))
    return roles


_QUERY_IDS = WORDS["query"][: WORDS["query"].index("query")]
_QUERY_TEXTS = WORDS["query"][WORDS["query"].index("query") :]


def _id_columns(table: Table, roles: Roles) -> tuple[int, ...]:
    """The further columns that hold ids: text, and no text twice among the rows of a query."""
    return tuple(
        place
        for place in range(len(table.columns))
        if place not in roles.used and _share(table, place, number) < 0.5
    )


def _doubt(table: Table, roles: Roles) -> str:
    """Why roles told by header want a look: no document, or contents that do not fit."""
    if not roles.judges and not roles.ranks:
        if roles.document is None:
            return "No column is recognised as the document."
        return "No column is recognised as grade, rank or score."
    if roles.grade is not None and _share(table, roles.grade, number) < 0.5:
        return f"“{table.names[roles.grade]}” holds words rather than grades."
    if roles.rank is not None and _share(table, roles.rank, rank_number) < 0.5:
        return f"“{table.names[roles.rank]}” holds no ranks."
    if roles.query is None and _restarts(table, roles):
        return "No column is recognised as the query, and the ranks begin again."
    return ""


def _share(table: Table, column: int, read: object) -> float:
    """The share of a column's filled cells that read as numbers; 1 for an empty column."""
    cells = table.columns[column]
    if isinstance(cells, np.ndarray):
        return 1.0
    if isinstance(cells, Ids):
        return 0.0
    filled = [cell for cell in cells[:ROWS_JUDGED] if not is_blank(cell)]
    if not filled or not callable(read):
        return 1.0
    return sum(read(cell) is not None for cell in filled) / len(filled)


def _restarts(table: Table, roles: Roles) -> bool:
    if roles.rank is None:
        return False
    ranks, _ = numbers(table.columns[roles.rank], rank_number)
    ranks = ranks[~np.isnan(ranks)]
    return int(np.count_nonzero(ranks == ranks.min())) > 1 if len(ranks) else False


# ---- by content


def _by_content(table: Table) -> Roles:
    """Roles of a table without a header: texts are query and document, numbers grade and rank."""
    numeric = [p for p in range(len(table.columns)) if _share(table, p, number) > 0.9]
    texts = [p for p in range(len(table.columns)) if p not in numeric]
    if len(texts) < 2:
        # MS MARCO: all ids are numbers, and stand first.
        texts, numeric = [0, 1], [p for p in numeric if p > 1]
    if len(table.columns) < 2:
        return Roles(document=0 if len(table.columns) else None)
    query, document = sorted(texts[:2], key=lambda place: _distinct(table, place))
    rank = next((p for p in numeric if _counts_up(table, query, p)), None)
    rest = [place for place in numeric if place != rank]
    grade = next((place for place in reversed(rest) if _is_scale(table, place)), None)
    score = next((p for p in rest if p != grade), None) if rank is None else None
    return Roles(query=query, document=document, grade=grade, rank=rank, score=score)


def _texts(table: Table, column: int) -> list[str]:
    cells = table.columns[column]
    return [cell_text(cell) for cell in list(cells[:ROWS_JUDGED])]  # type: ignore[index]


def _distinct(table: Table, column: int) -> int:
    return len(set(_texts(table, column)))


def _counts_up(table: Table, query: int, column: int) -> bool:
    """Whether a column counts 1, 2, 3, … (or 0, 1, 2, …) among the rows of each query."""
    last: dict[str, float] = {}
    for name, text in zip(_texts(table, query), _texts(table, column), strict=True):
        value = number(text)
        if value is None or value not in ((0.0, 1.0) if name not in last else (last[name] + 1,)):
            return False
        last[name] = value
    return True


def _is_scale(table: Table, column: int) -> bool:
    """Whether the values look like grades: few of them, and small."""
    values = {text for text in _texts(table, column) if re.fullmatch(r"-?\d{1,3}(\.\d+)?|", text)}
    return 0 < len(values) <= 12 and values == set(_texts(table, column))
