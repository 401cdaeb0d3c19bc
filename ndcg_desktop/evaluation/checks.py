"""What a person should know about a ranking and its judgments before trusting the score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.evaluation import Entry, Evaluation
from ndcg_desktop.evaluation.ranking import NO_PAIR, Ranking
from ndcg_desktop.scoring.order import by_rank

MOST_QUERIES = 100
"""Findings of one kind about queries; past that many, one more says how many there are."""


def check_ranking(ranking: Ranking, queries: Sequence[str]) -> list[Finding]:
    """Documents returned twice, ranks that repeat or leave gaps, ranks against scores, ties."""
    found = _repeated(ranking, queries)
    columns = ranking.columns
    if columns.ranks_by == "rank" and columns.rank is not None:
        found += _rank_problems(ranking, queries, columns.rank)
    if columns.rank is not None and columns.score is not None:
        found += _rank_against_score(ranking, queries, columns.rank, columns.score)
    if columns.ranks_by == "score" and columns.score is not None:
        found += _ties(ranking, queries, columns.score)
        found += _ties_at_32_bits(ranking, columns.score)
    return found


def check_queries(evaluation: Evaluation) -> list[Finding]:
    """Queries that only one side has, and queries that differ only by case or spaces."""
    queries = evaluation.queries
    found = _near_misses(queries)
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
    judged = np.bincount(evaluation.judgments.query, minlength=len(evaluation.queries)) > 0
    returned = evaluation.rankings[ranking].returned > 0
    return bool(judged.any() and returned.any() and not (judged & returned).any())


def _per_query(found: list[Finding], ranking: Ranking) -> list[Finding]:
    if len(found) <= MOST_QUERIES:
        return found
    last = found[-1]
    more = f"… and {len(found) - MOST_QUERIES:,} more queries."
    return [*found[:MOST_QUERIES], Finding(last.level, last.code, more, last.source)]


def _repeated(ranking: Ranking, queries: Sequence[str]) -> list[Finding]:
    rows = np.flatnonzero(ranking.arrange("auto").repeated)
    columns = ranking.columns
    found = [
        Finding(
            "warning",
            "duplicate-document",
            f"“{columns.document[row]}” is returned twice for the query "
            f"“{queries[ranking.query[row]]}”. It counts at its better place only.",
            columns.source,
            int(columns.row[row]),
        )
        for row in rows[: MOST_QUERIES + 1].tolist()
    ]
    return _per_query(found + found[-1:] * max(len(rows) - len(found), 0), ranking)


def _rank_problems(
    ranking: Ranking, queries: Sequence[str], rank: NDArray[np.float64]
) -> list[Finding]:
    """Ranks that stand twice, and the first gap of each query."""
    order = np.lexsort((rank, ranking.query))
    query, sorted_rank = ranking.query[order], rank[order]
    same = query[1:] == query[:-1]
    step = np.diff(sorted_rank)
    rows = ranking.columns.row
    source = ranking.columns.source
    twice = [
        Finding(
            "warning",
            "rank-repeated",
            f"Rank {sorted_rank[place]:g} of the query “{queries[query[place]]}” stands twice; "
            "the rows keep the order of the file.",
            source,
            int(rows[order[place + 1]]),
        )
        for place in np.flatnonzero(same & (step == 0)).tolist()
    ]
    gaps = np.flatnonzero(same & (step > 1))
    _, first = np.unique(query[gaps], return_index=True)
    jumps = [
        Finding(
            "note",
            "rank-gap",
            f"The ranks of the query “{queries[query[place]]}” go from {sorted_rank[place]:g} to "
            f"{sorted_rank[place + 1]:g}. The gap is closed: documents stand at places 1, 2, 3, …",
            source,
            int(rows[order[place + 1]]),
        )
        for place in gaps[first].tolist()
    ]
    return _per_query(twice, ranking) + _per_query(jumps, ranking)


def _rank_against_score(
    ranking: Ranking,
    queries: Sequence[str],
    rank: NDArray[np.float64],
    score: NDArray[np.float64],
) -> list[Finding]:
    """The first row of each query whose rank is better though its score is lower."""
    order = by_rank(ranking.query, rank)
    if order is None:
        of_query, ranks, scores = ranking.query, rank, score
        order = np.arange(len(rank))
    else:
        of_query, ranks, scores = ranking.query[order], rank[order], score[order]
    # Equal ranks (a run whose ranks are all 0) say nothing about order.
    better = (of_query[1:] == of_query[:-1]) & (ranks[1:] > ranks[:-1])
    against = np.flatnonzero(better & (scores[1:] > scores[:-1]))
    _, first = np.unique(of_query[against], return_index=True)
    columns = ranking.columns
    used = "score" if columns.ranks_by == "score" else "rank"
    found = [
        Finding(
            "warning",
            "rank-against-score",
            f"Rank and score of the query “{queries[of_query[place]]}” contradict each other. "
            f"The {used} is used.",
            columns.source,
            int(columns.row[order[place + 1]]),
        )
        for place in against[np.sort(first)].tolist()
    ]
    return _per_query(found, ranking)


def _ties(ranking: Ranking, queries: Sequence[str], score: NDArray[np.float64]) -> list[Finding]:
    arrangement = ranking.arrange("auto")
    order = arrangement.order
    query = ranking.query if order is None else ranking.query[order]
    key = score if order is None else score[order]
    tied = np.flatnonzero((query[1:] == query[:-1]) & (key[1:] == key[:-1]))
    numbers, first = np.unique(query[tied], return_index=True)
    found = [
        Finding(
            "note",
            "tied-scores",
            f"The query “{queries[number]}” has documents with equal scores, the first at "
            f"{key[tied[place]]:g}. They are ordered by document id, descending, as in trec_eval.",
            ranking.columns.source,
            int(ranking.columns.row[tied[place] if order is None else order[tied[place]]]),
        )
        for number, place in zip(numbers[: MOST_QUERIES + 1].tolist(), first.tolist(), strict=False)
    ]
    return _per_query(found + found[-1:] * max(len(numbers) - len(found), 0), ranking)


def _ties_at_32_bits(ranking: Ranking, score: NDArray[np.float64]) -> list[Finding]:
    """Scores that only 64 bits tell apart: trec_eval 9 and pytrec_eval take them for ties."""
    order = ranking.arrange("auto").order
    query = ranking.query if order is None else ranking.query[order]
    key = score if order is None else score[order]
    with np.errstate(over="ignore"):
        narrow = key.astype(np.float32)
    same = (query[1:] == query[:-1]) & (narrow[1:] == narrow[:-1]) & (key[1:] != key[:-1])
    places = np.flatnonzero(same)
    if not len(places):
        return []
    text = (
        f"{len(places):,} documents have a score so near to the one above that 32 bits do not tell "
        "them apart. They are ordered by the full score, as trec_eval 10 does; pytrec_eval and "
        "trec_eval 9 take them for ties and give another figure."
    )
    row = places[0] + 1 if order is None else order[places[0] + 1]
    columns = ranking.columns
    return [Finding("note", "near-ties", text, columns.source, int(columns.row[row]))]


def _near_misses(queries: Sequence[str]) -> list[Finding]:
    alike: dict[str, list[str]] = defaultdict(list)
    for query in queries:
        alike[" ".join(query.casefold().split())].append(query)
    found = [
        Finding(
            "note",
            "similar-queries",
            "The queries " + ", ".join(f"“{query}”" for query in group) + " differ only by case "
            "or spaces. They are kept apart.",
        )
        for group in alike.values()
        if len(group) > 1
    ]
    return found[:MOST_QUERIES]


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
    return _per_query(unjudged, ranking) + _per_query(missing, ranking)


def _first_rows(query: NDArray[np.int32], wanted: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The first row of each of the wanted queries that is there."""
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
