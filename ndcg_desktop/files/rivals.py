"""Columns of one meaning: which of several is taken, and why a person should look at it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.files.contents import (
    all_texts,
    column_texts,
    distinct_rows,
    holds_labels,
    share,
)
from ndcg_desktop.files.header import WORDS
from ndcg_desktop.files.labels import suggest
from ndcg_desktop.files.numbers import number, numbers, rank_number
from ndcg_desktop.files.table import Table

MOSTLY = 0.9
LEAST_ROWS = 4
"""Rows of a table from which it is told that each has a name of its own."""
STRAY = 1.1
"""Pairs of an id and its text, for each id, up to which the text is the id's: some are mistyped."""

_SHOP = re.compile(
    r"price|(.* )?reviews|(review|rating|reviews|ratings) count|num(ber of)? ratings"
)
"""Columns beside which a rating may be the stars that customers gave."""
_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]")

Found = Mapping[str, int | None]


def taken(table: Table, headers: Sequence[str], found: Found) -> dict[str, int | None]:
    """Of several columns whose headers surely name a role, take one whose cells can be that.

    ``found`` has the first of each role. Grades that are fractions make way for whole ones, and a
    query with a name of its own on each row for one that repeats.
    """
    out = dict(found)
    for role in ("grade", "rank", "score"):
        first = out[role]
        others = [] if first is None else _others(table, headers, role, first, set(out.values()))
        if first is None or not others:
            continue
        unfit = not _can_be(table, role, first)
        if unfit or (role == "grade" and _has_fractions(table, first)):
            whole = (each for each in others if role != "grade" or not _has_fractions(table, each))
            out[role] = next(whole, others[0] if unfit else first)
    query = out["query"]
    if query is not None and _names_each_row(table, query):
        repeating = (p for p in _headed(headers, "query") if p != query and _repeats(table, p))
        out["query"] = next(repeating, query)
    return out


def people(table: Table, headers: Sequence[str], grade: int) -> tuple[int, ...]:
    """The columns of grades by several people, of whom the headers differ only in brackets:
    "relevance (ann)", "relevance (bob)". None where there is one column alone.
    """
    alike = [
        place
        for place, header in enumerate(headers)
        if header == headers[grade] and _can_be(table, "grade", place)
    ]
    inside = {tuple(_BRACKETS.findall(table.names[place].casefold())) for place in alike}
    return tuple(alike) if len(alike) > 1 and len(inside) == len(alike) and () not in inside else ()


def doubt(table: Table, headers: Sequence[str], found: Found, used: set[int]) -> str:
    """Name the columns that may be the one that was taken as well; empty where it is clearly that
    one. ``used`` are the columns that mean something else.
    """
    said = []
    for role in ("query", "document", "grade", "rank", "score"):
        first = found[role]
        if first is None or (role == "score" and found["rank"] is not None):
            continue
        rivals = [
            place
            for place in _others(table, headers, role, first, used)
            if not _is_clear(table, role, first, place, found)
        ]
        if rivals:
            said.append(_which(table, role, first, rivals))
    grade = found["grade"]
    if grade is not None and not said and _are_stars(table, headers, grade):
        name = table.names[grade]
        said.append(f"“{name}” perhaps holds the stars that customers gave, and no grades.")
    return " ".join(said)


def _headed(headers: Sequence[str], role: str) -> list[int]:
    return [place for place, header in enumerate(headers) if header in WORDS[role]]


def _others(
    table: Table, headers: Sequence[str], role: str, first: int, used: set[int] | set[int | None]
) -> list[int]:
    """Further columns that are headed like a role, and whose cells can be that."""
    return [
        place
        for place in _headed(headers, role)
        if place != first and place not in used and _can_be(table, role, place)
    ]


def _can_be(table: Table, role: str, column: int) -> bool:
    if not any(text.strip() for text in column_texts(table, column)):
        return False
    if role == "grade":
        return share(table, column, number) >= 0.5 or holds_labels(table, column)
    if role in ("rank", "score"):
        return share(table, column, rank_number if role == "rank" else number) >= 0.5
    return True


def _has_fractions(table: Table, column: int) -> bool:
    """Whether most numbers of a column are no whole ones."""
    values = _values(table, column)
    return len(values) > 0 and float(np.mean(values != np.round(values))) > 0.5


def _values(table: Table, column: int) -> NDArray[np.float64]:
    values, _ = numbers(table.columns[column])
    return values[~np.isnan(values)]


def _names_each_row(table: Table, column: int) -> bool:
    rows = len(table)
    return rows >= LEAST_ROWS and distinct_rows(table, column) >= MOSTLY * rows


def _repeats(table: Table, column: int) -> bool:
    return 2 * distinct_rows(table, column) <= len(table) and _can_be(table, "query", column)


def _is_clear(table: Table, role: str, first: int, other: int, found: Found) -> bool:
    """Whether the column that was taken is it: the other says the same, or what belongs to it."""
    if all_texts(table.columns[first]) == all_texts(table.columns[other]):
        return True
    if role in ("query", "document") and table.names[first] == table.names[other]:
        return False
    if role == "grade":
        return _same_numbers(table, first, other) or _are_its_words(table, first, other)
    if role == "rank":
        return _same_numbers(table, first, other, shifted=True)
    if role == "score":
        return _same_numbers(table, first, other)
    belongs = _belongs(table, first, other)
    if role == "document":
        query = found["query"]
        return belongs or (query is not None and _belongs(table, query, other))
    return belongs or not _repeats(table, other)


def _belongs(table: Table, key: int, other: int) -> bool:
    """Whether each id of one column goes with one text of the other."""
    return distinct_rows(table, key, other) <= STRAY * distinct_rows(table, key)


def _same_numbers(table: Table, first: int, other: int, shifted: bool = False) -> bool:
    """Whether two columns hold the same numbers, or such as are all further by the same."""
    read = rank_number if shifted else number
    one, two = (numbers(table.columns[column], read)[0] for column in (first, other))
    apart = (one - two)[~np.isnan(one) | ~np.isnan(two)]
    return bool(np.all(apart == (apart[0] if shifted and len(apart) else 0.0)))


def _are_its_words(table: Table, first: int, other: int) -> bool:
    """Whether one column holds grades and the other what those are called, in the same order."""
    in_words = [share(table, column, number) < 0.5 for column in (first, other)]
    if in_words[0] == in_words[1]:
        return False
    grades, words = (other, first) if in_words[0] else (first, other)
    labels = suggest(column_texts(table, words))
    values, _ = numbers(table.columns[grades])
    pairs = {
        (float(value), None if labels is None else labels.grade_of(text))
        for value, text in zip(values, all_texts(table.columns[words]), strict=True)
        if not np.isnan(value)
    }
    ordered = sorted((value, -1.0 if named is None else named) for value, named in pairs)
    return all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(ordered))


def _which(table: Table, role: str, first: int, rivals: Sequence[int]) -> str:
    places = (first, *rivals)
    names = [table.names[place] for place in places]
    alike = len(set(names)) < len(names)
    told = [
        f"“{name}” (column {place + table.first_column})" if alike else f"“{name}”"
        for place, name in zip(places, names, strict=True)
    ]
    listed = f"{', '.join(told[:-1])} and {told[-1]}"
    return f"{listed} may each be the {role}; {told[0]} was taken."


def _are_stars(table: Table, headers: Sequence[str], column: int) -> bool:
    """Whether a rating is what a shop shows: mostly fractions from 3 to 5, beside a price."""
    if headers[column] not in ("rating", "ratings"):
        return False
    values = _values(table, column)
    return (
        any(_SHOP.fullmatch(header) for header in headers)
        and _has_fractions(table, column)
        and float(values.min()) >= 0
        and float(values.max()) <= 5
        and float(np.mean(values >= 3)) > 0.5
    )
