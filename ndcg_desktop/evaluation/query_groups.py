"""Columns of the files that put queries into groups: one value for all rows of a query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.ranking import NO_PAIR

if TYPE_CHECKING:
    from ndcg_desktop.evaluation.evaluation import Evaluation

NO_GROUP = "(none)"
"""What queries are in that the column says nothing about."""
MOST_GROUPS = 200
"""More values than these are texts, not groups."""


def group_columns(evaluation: Evaluation) -> dict[str, list[str]]:
    """Each further column that has one value for each query, and fewer values than queries: the
    group of every query, by header.
    """
    if len(evaluation.queries) < 2:
        return {}
    found: dict[str, list[str]] = {}
    refused: set[str] = set()
    for header, query, values in _columns(evaluation):
        if header in refused:
            continue
        groups = found.setdefault(header, [""] * len(evaluation.queries))
        if not _fill(groups, query, values):
            refused.add(header)
            del found[header]
    return {
        header: [group or NO_GROUP for group in groups]
        for header, groups in found.items()
        if 1 < len({*groups}) < min(len(groups), MOST_GROUPS)
    }


def _columns(
    evaluation: Evaluation,
) -> Iterator[tuple[str, NDArray[np.integer], Sequence[str]]]:
    """The further columns of all files, with the query of each row, -1 for none."""
    judgments = evaluation.judgments
    for entry in evaluation.entries:
        if len(judgments):
            query = np.where(entry.pair == NO_PAIR, -1, judgments.query[entry.pair])
            for header, values in entry.columns.other.items():
                yield header, query, values
    for ranking in evaluation.rankings:
        for header, values in ranking.columns.other.items():
            yield header, ranking.query, values


def _fill(groups: list[str], query: NDArray[np.integer], values: Sequence[str]) -> bool:
    """Write down each query's value; False as soon as one has two, or there are too many."""
    seen: set[str] = set()
    for number, value in zip(query.tolist(), values, strict=True):
        value = value.strip()
        if number < 0 or not value:
            continue
        if groups[number] and groups[number] != value:
            return False
        groups[number] = value
        seen.add(value)
        if len(seen) > MOST_GROUPS:
            return False
    return True
