"""Queries that only one side has, and queries that are kept apart though they look alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.alike import plain
from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.evaluation.entries import Entry
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.findings import MOST_QUERIES, capped
from ndcg_desktop.evaluation.ranking import NO_PAIR, Ranking
from ndcg_desktop.evaluation.repairs import Repair


def check_queries(evaluation: Evaluation, repairs: Sequence[Repair]) -> list[Finding]:
    """Queries that only one side has, and queries that differ only in their spelling; but not
    those that a repair would bring together, which are told with it.
    """
    queries = evaluation.queries
    number = {query: place for place, query in enumerate(queries)}
    pairs = [
        (number[old], number[new])
        for repair in repairs
        if repair.what == "query"
        for old, new in repair.mapping.items()
    ]
    found = _similar(evaluation, {query for pair in pairs for query in pair})
    judged = np.bincount(
        evaluation.judgments.query[~np.isnan(evaluation.judgments.grade)], minlength=len(queries)
    )
    if not judged.any():
        return found
    for ranking in evaluation.rankings:
        told = {query for old, new in pairs if ranking.returned[old] for query in (old, new)}
        found += _one_sided(evaluation, ranking, judged > 0, told)
    return found


def _similar(evaluation: Evaluation, told: set[int]) -> list[Finding]:
    alike: dict[str, list[int]] = defaultdict(list)
    for number, query in enumerate(evaluation.queries):
        alike[plain(query)].append(number)
    found: list[Finding] = []
    for numbers in alike.values():
        if len(numbers) > 1 and not told.issuperset(numbers):
            group = ", ".join(f"“{evaluation.queries[number]}”" for number in numbers)
            text = (
                f"The queries {group} differ only by case, spaces, or how their letters are "
                "stored. They are kept apart."
            )
            source, row = _place(evaluation, numbers[1]) if len(found) < MOST_QUERIES else NOWHERE
            found.append(Finding("note", "similar-queries", text, source, row))
    return capped(found)


NOWHERE: tuple[None, None] = (None, None)


def _place(evaluation: Evaluation, query: int) -> tuple[Source, int] | tuple[None, None]:
    """File and row where a query first stands."""
    pairs = evaluation.judgments.of_query(query)
    for entry in evaluation.entries if len(pairs) else ():
        rows = np.flatnonzero(np.isin(entry.pair, pairs))
        if len(rows):
            return entry.columns.source, int(entry.columns.row[rows[0]])
    for ranking in evaluation.rankings:
        if ranking.returned[query]:
            row = ranking.arrange("auto").rows(query).min()
            return ranking.columns.source, int(ranking.columns.row[row])
    return NOWHERE


def _one_sided(
    evaluation: Evaluation, ranking: Ranking, judged: NDArray[np.bool_], told: set[int]
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
    only_judged, only_returned = (
        some[~np.isin(some, list(told))] for some in (only_judged, only_returned)
    )
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
