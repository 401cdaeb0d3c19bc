"""What no file holds yet, carried over to another evaluation of the same tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ndcg_desktop.evaluation.edits import Edit, Kind
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.evaluation.votes import VERDICT
from ndcg_desktop.files.judges import judge_of

if TYPE_CHECKING:
    from ndcg_desktop.files.assemble import Understood

Place = tuple[Path, str | None, int]
"""A file, its sheet, and a row of it."""


@dataclass(frozen=True, slots=True)
class Unsaved:
    """A value that an edit gave, with the rows that its document stands on; without any it is that
    of a document that no table lists.

    ``owner`` of the one grade of a document is the header of its column: when the column is read as
    that of a judge, the grade is this judge's.
    """

    query: str
    document: str
    kind: Kind
    owner: str
    value: float | str | None
    rows: tuple[Place, ...]


def unsaved(evaluation: Evaluation, judged: Sequence[Understood]) -> list[Unsaved]:
    """The changed grades and notes of an evaluation, and its marks, which no file holds; ``judged``
    are the tables of its entries, in order.
    """
    values = list(_values(evaluation, _grade_column(judged)))
    rows: dict[int, list[Place]] = {pair: [] for pair, _, _ in values}
    for entry, part in zip(evaluation.entries, judged, strict=True):
        for row in np.flatnonzero(np.isin(entry.pair, list(rows))).tolist():
            place = part.table.path, part.table.sheet, int(entry.columns.row[row])
            rows[int(entry.pair[row])].append(place)
    judgments = evaluation.judgments
    return [
        Unsaved(
            evaluation.queries[int(judgments.query[pair])],
            judgments.documents[pair],
            kind,
            owner,
            evaluation.value_of(kind, "" if kind == "grade" else owner, pair),
            tuple(rows[pair]),
        )
        for pair, kind, owner in values
    ]


def _values(evaluation: Evaluation, column: str) -> Iterator[tuple[int, Kind, str]]:
    """The pair, kind and owner of each value that no file holds."""
    if evaluation.votes is None:
        yield from ((pair, "grade", column) for pair in evaluation.changed_pairs().tolist())
    else:
        for pair, judge in evaluation.votes.changed():
            yield (pair, "verdict", "") if judge == VERDICT else (pair, "vote", judge)
    yield from ((pair, "note", judge) for pair, judge in evaluation.remarks.changed())
    yield from ((pair, "mark", judge) for pair, judge in evaluation.remarks.marks)


def _grade_column(judged: Sequence[Understood]) -> str:
    """The header of the column that grades stand in, "" where there is none."""
    named = (part.table.names[c] for part in judged if (c := part.roles.grade) is not None)
    return next(named, "")


def carried(
    values: Sequence[Unsaved], evaluation: Evaluation, judged: Sequence[Understood]
) -> tuple[list[Edit], int]:
    """What writes values into another evaluation, and how many have no place in it.

    A value goes to its row, whatever the row is now about; one without a row to its query and
    document, where a ranking returns it.
    """
    wanted = {place for each in values for place in each.rows}
    numbers_wanted = [number for _, _, number in wanted]
    pair_at: dict[Place, int] = {}
    for entry, part in zip(evaluation.entries, judged, strict=True):
        for row in np.flatnonzero(np.isin(entry.columns.row, numbers_wanted)).tolist():
            place = part.table.path, part.table.sheet, int(entry.columns.row[row])
            if place in wanted and entry.pair[row] != NO_PAIR:
                pair_at[place] = int(entry.pair[row])
    numbers = {query: number for number, query in enumerate(evaluation.queries)}
    column = _grade_column(judged)
    names = tuple(name for part in judged for name in part.names)
    out: list[Edit] = []
    lost = 0
    for each in values:
        whose = _whose(each, evaluation, column, names)
        pairs = {pair_at[place] for place in each.rows if place in pair_at}
        if not each.rows and each.query in numbers:
            query = numbers[each.query]
            if _is_returned(evaluation, query, each.document):
                pairs = {evaluation.pair_of(query, each.document)}
        if whose is not None:
            kind, owner = whose
            out += [
                Edit(kind, owner, pair, evaluation.value_of(kind, owner, pair), each.value)
                for pair in pairs
            ]
        lost += not pairs or whose is None
    return out, lost


def _whose(
    each: Unsaved, evaluation: Evaluation, column: str, names: Sequence[tuple[str, str]]
) -> tuple[Kind, str] | None:
    """What a value is in an evaluation that has one judge, or several; None where it has no place.

    ``column`` is the header of the evaluation's column of grades, ``names`` who judges have been
    called by header.
    """
    if each.kind in ("note", "mark"):
        return each.kind, each.owner
    if evaluation.votes is not None:
        return (
            ("vote", judge_of(each.owner, names))
            if each.kind == "grade"
            else (each.kind, each.owner)
        )
    own = each.kind == "grade" or (each.kind == "vote" and each.owner == column)
    return ("grade", "") if own else None


def _is_returned(evaluation: Evaluation, query: int, document: str) -> bool:
    """Whether some ranking returns a document for a query."""
    return any(
        document in ranking.columns.document.take(ranking.arrange("auto").rows(query)).texts()
        for ranking in evaluation.rankings
    )
