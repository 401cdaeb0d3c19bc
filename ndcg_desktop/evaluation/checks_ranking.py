"""What is odd about one ranking: documents, ranks and scores that repeat, restart or contradict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.findings import MOST_QUERIES, capped
from ndcg_desktop.evaluation.ranking import Ranking
from ndcg_desktop.scoring.order import by_rank, heads_of

Numbers = NDArray[np.float64]

FEWEST_STEPS = 10
"""From one place to the next; with fewer of them scores cannot be said to grow everywhere."""

SPARSE = 20
"""How many times the number of documents a rank must be to be one of another list."""


def check_ranking(ranking: Ranking, queries: Sequence[str]) -> list[Finding]:
    """Documents returned twice, ranks that repeat, restart or leave gaps, ranks against scores,
    ties, and queries with few results.
    """
    found = _repeated(ranking, queries)
    columns = ranking.columns
    if columns.ranks_by == "rank" and columns.rank is not None and len(ranking):
        found += _rank_problems(ranking, queries, columns.rank)
    if columns.rank is not None and columns.score is not None:
        found += _rank_against_score(ranking, queries, columns.rank, columns.score)
    if columns.ranks_by == "score" and columns.score is not None:
        found += _ties(ranking, queries, columns.score)
        found += _ties_at_32_bits(ranking, columns.score)
    found += _short(ranking, queries)
    return found


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
        for row in rows[:MOST_QUERIES].tolist()
    ]
    return capped(found, len(rows))


# ---- ranks


def _rank_problems(ranking: Ranking, queries: Sequence[str], rank: Numbers) -> list[Finding]:
    constant = _constant_rank(ranking, rank)
    if constant:
        return constant
    order = by_rank(ranking.query, rank)
    if order is None:
        order = np.arange(len(rank))
    query, ascending = ranking.query[order], rank[order]
    restarted, restarts = _restarts(ranking, queries, rank, order)
    same = query[1:] == query[:-1]
    step = np.diff(ascending)
    rows, source = ranking.columns.row, ranking.columns.source
    repeats = np.flatnonzero(same & (step == 0) & ~np.isin(query[1:], restarted))
    twice = [
        Finding(
            "warning",
            "rank-repeated",
            f"Rank {ascending[place]:g} of the query “{queries[query[place]]}” stands twice; "
            "the rows keep the order of the file.",
            source,
            int(rows[order[place + 1]]),
        )
        for place in repeats[:MOST_QUERIES].tolist()
    ]
    gaps = _sparse(ranking, query, ascending, order) or _gaps(
        ranking, queries, query, ascending, order
    )
    first = _from_zero(ranking, query, ascending, order)
    return restarts + capped(twice, len(repeats)) + gaps + first + _impossible(ranking, rank)


def _gaps(
    ranking: Ranking,
    queries: Sequence[str],
    query: NDArray[np.int32],
    ascending: Numbers,
    order: NDArray[np.int64],
) -> list[Finding]:
    """The first gap of each query; ranks that begin above 1 have one before the first."""
    before = np.append(0.0, ascending[:-1])
    heads = heads_of(query)
    before[heads] = np.where(ascending[heads] >= 2, 0.0, ascending[heads])
    gaps = np.flatnonzero(ascending - before > 1)
    gaps = gaps[np.unique(query[gaps], return_index=True)[1]]
    head = np.isin(gaps, heads)
    found = [
        Finding(
            "note",
            "rank-gap",
            f"The ranks of the query “{queries[query[place]]}” "
            + (
                f"begin at {ascending[place]:g}"
                if begins
                else f"go from {ascending[place - 1]:g} to {ascending[place]:g}"
            )
            + ". The gap is closed: documents stand at places 1, 2, 3, …",
            ranking.columns.source,
            int(ranking.columns.row[order[place]]),
        )
        for place, begins in zip(gaps[:MOST_QUERIES].tolist(), head.tolist(), strict=False)
    ]
    return capped(found, len(gaps))


def _sparse(
    ranking: Ranking, query: NDArray[np.int32], ascending: Numbers, order: NDArray[np.int64]
) -> list[Finding]:
    """One finding where the ranks are not those of the documents returned, but of many more."""
    heads = heads_of(query)
    ends = np.append(heads[1:], len(query)) - 1
    first, last = ascending[heads], ascending[ends]
    returned = ranking.returned[query[heads]]
    sparse = (first > returned) & (last > SPARSE * returned)
    if 2 * np.count_nonzero(sparse) < len(heads):
        return []
    worst = int(np.argmax(last))
    documents = "1 document" if returned[worst] == 1 else f"{returned[worst]:,} documents"
    text = (
        f"The ranks go up to {last[worst]:g}, in a query of {documents}. They may be places in "
        "another list, such as a rank by sales; if another column holds the ranks or scores, "
        "choose that one. The documents stand at places 1, 2, 3, … in the order of these ranks."
    )
    row = int(ranking.columns.row[order[ends[worst]]])
    return [Finding("warning", "rank-sparse", text, ranking.columns.source, row)]


def _impossible(ranking: Ranking, rank: Numbers) -> list[Finding]:
    """One finding for all ranks that no document can have."""
    rows = np.flatnonzero((rank < 0) | (rank != np.floor(rank)))
    if not len(rows):
        return []
    are = "1 rank is" if len(rows) == 1 else f"{len(rows):,} ranks are"
    text = (
        f"{are} below 0 or no whole number, the first {rank[rows[0]]:g}. The documents stand in "
        "the order of the ranks all the same, at places 1, 2, 3, …"
    )
    columns = ranking.columns
    row = int(columns.row[rows[0]])
    return [Finding("warning", "rank-impossible", text, columns.source, row)]


def _constant_rank(ranking: Ranking, rank: Numbers) -> list[Finding]:
    """Where every row has the same rank, a column of ranks says no order at all."""
    if len(rank) < 3 or ranking.returned.max() < 2 or rank.min() != rank.max():
        return []
    text = (
        f"Every rank is {rank[0]:g}. The documents stand in the order of the rows; if another "
        "column holds the ranks or scores, choose that one."
    )
    columns = ranking.columns
    return [Finding("warning", "rank-constant", text, columns.source, int(columns.row[0]))]


def _restarts(
    ranking: Ranking, queries: Sequence[str], rank: Numbers, by_rank: NDArray[np.int64]
) -> tuple[NDArray[np.int32], list[Finding]]:
    """The queries whose ranks, in the order of the file, come back to the first one and go on:
    two lists, most likely, of which one has lost its query.
    """
    same = ranking.query[by_rank][1:] == ranking.query[by_rank][:-1]
    ascending = rank[by_rank]
    again = np.bincount(
        ranking.query[by_rank][1:][same & (ascending[1:] == ascending[:-1])],
        minlength=len(ranking.returned),
    )
    if again.max(initial=0) < 2:
        return np.empty(0, dtype=np.int32), []
    first = np.full(len(ranking.returned), np.inf)
    np.minimum.at(first, ranking.query, rank)
    order = np.argsort(ranking.query, kind="stable")
    query, in_file = ranking.query[order], rank[order]
    back = (query[1:] == query[:-1]) & (in_file[1:] < in_file[:-1])
    back &= (in_file[1:] == first[query[1:]]) & (again[query[1:]] >= 2)
    places = np.flatnonzero(back) + 1
    numbers, at = np.unique(query[places], return_index=True)
    columns = ranking.columns
    found = [
        Finding(
            "warning",
            "rank-restart",
            f"The ranks of the query “{queries[query[place]]}” begin again at {in_file[place]:g}: "
            "these may be two queries, or two rankings, in one. They are taken for one, rows of "
            "equal rank in the order of the file.",
            columns.source,
            int(columns.row[order[place]]),
        )
        for place in places[at][:MOST_QUERIES].tolist()
    ]
    return numbers, capped(found, len(numbers))


def _from_zero(
    ranking: Ranking,
    query: NDArray[np.int32],
    ascending: Numbers,
    order: NDArray[np.int64],
) -> list[Finding]:
    heads = heads_of(query)
    zero = heads[ascending[heads] == 0]
    if not len(zero):
        return []
    whose = "" if len(zero) == len(heads) else f" of {len(zero):,} of {len(heads):,} queries"
    text = f"The ranks{whose} begin at 0. The first document stands at place 1 all the same."
    columns = ranking.columns
    row = int(columns.row[order[zero[0]]])
    return [Finding("note", "rank-from-zero", text, columns.source, row)]


def _rank_against_score(
    ranking: Ranking, queries: Sequence[str], rank: Numbers, score: Numbers
) -> list[Finding]:
    """The first row of each query whose rank is better though its score is lower."""
    order = by_rank(ranking.query, rank)
    if order is None:
        of_query, ranks, scores = ranking.query, rank, score
    else:
        of_query, ranks, scores = ranking.query[order], rank[order], score[order]
    # Equal ranks (a run whose ranks are all 0) say nothing about order.
    better = (of_query[1:] == of_query[:-1]) & (ranks[1:] > ranks[:-1])
    upward = better & (scores[1:] > scores[:-1])
    against = np.flatnonzero(upward)
    if not len(against):
        return []
    columns = ranking.columns
    used = "score" if columns.ranks_by == "score" else "rank"
    steps = int(np.count_nonzero(better & (scores[1:] != scores[:-1])))
    if steps >= FEWEST_STEPS and len(against) >= 0.9 * steps:
        return _all_against(ranking, len(against), steps, used)
    _, first = np.unique(of_query[against], return_index=True)
    found = [
        Finding(
            "warning",
            "rank-against-score",
            f"Rank and score of the query “{queries[of_query[place]]}” contradict each other. "
            f"The {used} is used.",
            columns.source,
            int(columns.row[place + 1 if order is None else order[place + 1]]),
        )
        for place in against[np.sort(first)][:MOST_QUERIES].tolist()
    ]
    return capped(found, len(first))


def _all_against(ranking: Ranking, against: int, steps: int, used: str) -> list[Finding]:
    """One finding where the scores as a whole grow with the number of the rank."""
    text = (
        f"From rank to rank the score grows, in {against:,} of {steps:,} cases: it may be a "
        "distance, where the lowest is the best, or the ranks count from the worst. "
        f"The {used} is used; the highest score and the lowest rank count as the best."
    )
    return [Finding("warning", "rank-score-reversed", text, ranking.columns.source)]


# ---- scores


def _ties(ranking: Ranking, queries: Sequence[str], score: Numbers) -> list[Finding]:
    order = ranking.arrange("auto").order
    query = ranking.query if order is None else ranking.query[order]
    key = score if order is None else score[order]
    tied = np.flatnonzero((query[1:] == query[:-1]) & (key[1:] == key[:-1]))
    columns = ranking.columns
    if len(tied) >= 2 and key.min() == key.max():
        text = (
            f"Every score is {key[0]:g}, so that the scores say no order: documents are ordered "
            "by their id, descending, as in trec_eval. Choose another column, or the order of "
            "the rows."
        )
        return [Finding("warning", "scores-equal", text, columns.source, int(columns.row[0]))]
    numbers, first = np.unique(query[tied], return_index=True)
    found = [
        Finding(
            "note",
            "tied-scores",
            f"The query “{queries[number]}” has documents with equal scores, the first at "
            f"{key[tied[place]]:g}. They are ordered by document id, descending, as in trec_eval.",
            columns.source,
            int(columns.row[tied[place] if order is None else order[tied[place]]]),
        )
        for number, place in zip(numbers[:MOST_QUERIES].tolist(), first.tolist(), strict=False)
    ]
    return capped(found, len(numbers))


def _ties_at_32_bits(ranking: Ranking, score: Numbers) -> list[Finding]:
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


# ---- lengths


def _short(ranking: Ranking, queries: Sequence[str]) -> list[Finding]:
    """Queries with a fifth of the usual number of results or fewer, where they are exceptions."""
    returned = ranking.returned[ranking.returned > 0]
    if len(returned) < 5:
        return []
    usual = float(np.median(returned))
    short = np.flatnonzero((ranking.returned > 0) & (5 * ranking.returned <= usual))
    if usual < 10 or not len(short) or len(short) > 0.1 * len(returned) + 1:
        return []
    named = ", ".join(f"“{queries[q]}” ({ranking.returned[q]:,})" for q in short[:3].tolist())
    text = (
        f"Most queries have {usual:,.0f} documents, but {len(short):,} "
        f"{'has' if len(short) == 1 else 'have'} far fewer: {named}"
        f"{', …' if len(short) > 3 else ''}. The missing places count as empty."
    )
    return [Finding("note", "short-ranking", text, ranking.columns.source)]
