"""Two rankings of one query beside each other: what stands where, and what has moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_desktop.evaluation.detail import query_numbers, query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.scoring.similarity import jaccard, kendall_tau, overlap, rbo

PERSISTENCE = 0.9
"""Of rank-biased overlap: how likely a reader is to go on to the next rank."""
ALL_SHOWN = 100
"""Ranks that are shown where there is no cutoff."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A document at its rank in one ranking, with its rank in the other, None where it has none.

    ``grade`` and ``gain`` (discounted) are None where nobody has judged it.
    """

    rank: int
    document: str
    grade: float | None
    gain: float | None
    other_rank: int | None
    title: str = ""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The first ``shown`` ranks of a baseline and a candidate, and how alike the two are.

    Similarity is of the top k, all of each list without a cutoff; None where there is none to tell.
    """

    baseline: tuple[Placed, ...]
    candidate: tuple[Placed, ...]
    shown: int
    overlap: float | None
    jaccard: float | None
    rbo: float | None
    kendall: float | None
    in_common: int
    """Documents that both return, whatever the cutoff, which Kendall's τ is about."""


def side_by_side(evaluation: Evaluation, query: int, baseline: int, candidate: int) -> SideBySide:
    """Lay out one query of two rankings.

    A document that stands twice counts at its better place.
    """
    cutoff = evaluation.options.cutoff
    lists = [_ranks(evaluation, query, ranking) for ranking in (baseline, candidate)]
    longest = max(len(each) for each in lists)
    shown = min(longest, cutoff if cutoff is not None else ALL_SHOWN)
    first, second = lists
    sides = [
        _placed(evaluation, query, ranking, other, shown)
        for ranking, other in ((baseline, second), (candidate, first))
    ]
    numbers = {document: number for number, document in enumerate({**first, **second})}
    a, b = (np.array([numbers[each] for each in some], dtype=np.int64) for some in lists)
    return SideBySide(
        baseline=sides[0],
        candidate=sides[1],
        shown=shown,
        overlap=overlap(a, b, cutoff),
        jaccard=jaccard(a, b, cutoff),
        rbo=rbo(a, b, PERSISTENCE),
        kendall=kendall_tau(a, b),
        in_common=len(first.keys() & second.keys()),
    )


def _ranks(evaluation: Evaluation, query: int, ranking: int) -> dict[str, int]:
    """The rank of each document, from 1, at its best place."""
    rows = query_rows(evaluation, query, ranking)
    ranks: dict[str, int] = {}
    for rank, document in enumerate(rows.documents[: rows.returned], start=1):
        ranks.setdefault(document, rank)
    return ranks


def _placed(
    evaluation: Evaluation, query: int, ranking: int, other: dict[str, int], shown: int
) -> tuple[Placed, ...]:
    rows = query_rows(evaluation, query, ranking)
    numbers = query_numbers(evaluation, rows)
    titles = evaluation.rankings[ranking].columns.titles
    return tuple(
        Placed(
            rank=place + 1,
            document=rows.documents[place],
            grade=_known(numbers.grade[place]),
            gain=_known(numbers.discounted[place]),
            other_rank=other.get(rows.documents[place]),
            title="" if titles is None else titles[int(rows.file_row[place])],
        )
        for place in range(min(rows.returned, shown))
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def movement_text(placed: Placed, of_candidate: bool) -> str:
    """How a document has moved from the baseline to the candidate: "up 4", "new", "gone"."""
    if placed.other_rank is None:
        return "new" if of_candidate else "gone"
    up = placed.other_rank - placed.rank if of_candidate else placed.rank - placed.other_rank
    return "same place" if up == 0 else f"up {up}" if up > 0 else f"down {-up}"
