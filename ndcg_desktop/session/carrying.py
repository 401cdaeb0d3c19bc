"""Grades that no file holds yet, carried over to another evaluation of the same tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ranking import NO_PAIR

if TYPE_CHECKING:
    from ndcg_desktop.files.assemble import Understood

Place = tuple[Path, str | None, int]
"""A file, its sheet, and a row of it."""


@dataclass(frozen=True, slots=True)
class Unsaved:
    """A grade, NaN for *not judged*, with the rows it goes to; without any it is that of a document
    that no table lists.
    """

    query: str
    document: str
    grade: float
    rows: tuple[Place, ...]


def unsaved(evaluation: Evaluation, judged: Sequence[Understood]) -> list[Unsaved]:
    """The changed grades of an evaluation; ``judged`` are the tables of its entries, in order."""
    pairs = evaluation.changed_pairs()
    rows: dict[int, list[Place]] = {pair: [] for pair in pairs.tolist()}
    for entry, part in zip(evaluation.entries, judged, strict=True):
        for row in np.flatnonzero(np.isin(entry.pair, pairs)).tolist():
            place = part.table.path, part.table.sheet, int(entry.columns.row[row])
            rows[int(entry.pair[row])].append(place)
    judgments = evaluation.judgments
    return [
        Unsaved(
            evaluation.queries[int(judgments.query[pair])],
            judgments.documents[pair],
            float(judgments.grade[pair]),
            tuple(places),
        )
        for pair, places in rows.items()
    ]


def carried(
    grades: Sequence[Unsaved], evaluation: Evaluation, judged: Sequence[Understood]
) -> tuple[list[tuple[int, float]], int]:
    """The pairs that grades go to in another evaluation, and how many have no place in it.

    A grade goes to its row, whatever the row is now about; one without a row to its query and
    document, where a ranking returns it.
    """
    wanted = {place for each in grades for place in each.rows}
    numbers_wanted = [number for _, _, number in wanted]
    pair_at: dict[Place, int] = {}
    for entry, part in zip(evaluation.entries, judged, strict=True):
        for row in np.flatnonzero(np.isin(entry.columns.row, numbers_wanted)).tolist():
            place = part.table.path, part.table.sheet, int(entry.columns.row[row])
            if place in wanted and entry.pair[row] != NO_PAIR:
                pair_at[place] = int(entry.pair[row])
    numbers = {query: number for number, query in enumerate(evaluation.queries)}
    out: list[tuple[int, float]] = []
    lost = 0
    for each in grades:
        pairs = {pair_at[place] for place in each.rows if place in pair_at}
        if not each.rows and each.query in numbers:
            query = numbers[each.query]
            if _is_returned(evaluation, query, each.document):
                pairs = {evaluation.pair_of(query, each.document)}
        out += [(pair, each.grade) for pair in pairs]
        lost += not pairs
    return out, lost


def _is_returned(evaluation: Evaluation, query: int, document: str) -> bool:
    return any(
        document in ranking.columns.document.take(ranking.arrange("auto").rows(query)).texts()
        for ranking in evaluation.rankings
    )
