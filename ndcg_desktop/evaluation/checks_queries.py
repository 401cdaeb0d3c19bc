"""Queries that only one side has, and queries that are kept apart though they look alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.alike import plain
from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.evaluation import Entry, Evaluation
from ndcg_desktop.evaluation.findings import capped
from ndcg_desktop.evaluation.ranking import NO_PAIR, Ranking


def check_queries(evaluation: Evaluation) -> list[Finding]:
    """Queries that only one side has, and queries that differ only in their spelling."""
    queries = evaluation.queries
    found = _similar(queries)
    judged = np.bincount(
        evaluation.judgments.query[~np.isnan(evaluation.judgments.grade)], minlength=len(queries)
    )
    if not judged.any():
        return found
    for ranking in evaluation.rankings:
        found += _one_sided(evaluation, ranking, judged > 0)
    return found


def disjoint(evaluation: Evaluation, ranking: int) -> bool:
    """Whether judgments and a ranking, both there, have no query in common."""
    judged = evaluation.judgments.listed() > 0
    returned = evaluation.rankings[ranking].returned > 0
    return bool(judged.any() and returned.any() and not (judged & returned).any())


def _similar(queries: Sequence[str]) -> list[Finding]:
    alike: dict[str, list[str]] = defaultdict(list)
    for query in queries:
        alike[plain(query)].append(query)
    found = [
        Finding(
            "note",
            "similar-queries",
            "The queries " + ", ".join(f"“{query}”" for query in group) + " differ only by case, "
            "spaces, or how their letters are stored. They are kept apart.",
        )
        for group in alike.values()
        if len(group) > 1
    ]
    return capped(found)


def _one_sided(
    evaluation: Evaluation, ranking: Ranking, judged: NDArray[np.bool_]
) -> list[Finding]:
    queries = evaluation.queries
    returned = ranking.returned > 0
    source = ranking.columns.source
    only_judged, only_returned = (
        np.flatnonzero(judged & ~returned),
        np.flatnonzero(returned & ~judged),
    )
    if not (judged & returned).any():
        text = (
            "Judgments and ranking have no query in common. The judgments have "
            f"{_examples(queries, only_judged)}; the ranking has "
            f"{_examples(queries, only_returned)}."
        )
        return [Finding("error", "no-common-query", text, source)]
    unjudged = [
        Finding(
            "warning",
            "unjudged-query",
            f"The query “{queries[query]}” of the ranking has no judgment. It is left out.",
            source,
            int(ranking.columns.row[row]),
        )
        for query, row in _first_rows(ranking.query, only_returned)
    ]
    missing = [
        Finding(
            "warning",
            "missing-query",
            f"The judged query “{queries[query]}” is absent from the ranking “{ranking.name}”.",
            entry.columns.source,
            int(entry.columns.row[row]),
        )
        for entry in evaluation.entries
        for query, row in _first_rows(_queries_of(evaluation, entry), only_judged)
    ]
    return capped(unjudged) + capped(missing)


def _first_rows(query: NDArray[np.int32], wanted: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The first row of each of the wanted queries that is there."""
    if not len(wanted):
        return []
    numbers, rows = np.unique(query, return_index=True)
    there = np.isin(numbers, wanted)
    return list(zip(numbers[there].tolist(), rows[there].tolist(), strict=True))


def _queries_of(evaluation: Evaluation, entry: Entry) -> NDArray[np.int32]:
    """The query of each row of a judgments table, -1 for a row that makes no pair."""
    query = evaluation.judgments.query[np.maximum(entry.pair, 0)]
    return np.where(entry.pair == NO_PAIR, -1, query).astype(np.int32)


def _examples(queries: Sequence[str], numbers: NDArray[np.int64], most: int = 3) -> str:
    some = ", ".join(f"“{queries[number]}”" for number in numbers[:most].tolist())
    return some + (", …" if len(numbers) > most else "")
