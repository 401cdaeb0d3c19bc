"""Judgments and rankings of an evaluation as plain rows, which the formats are written from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import RankingColumns
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.evaluation.ranking import Ranking as JoinedRanking
from ndcg_desktop.files.exchange import Judged, Judgments, Ranked, Ranking
from ndcg_desktop.scoring.options import Order


def judgments_of(evaluation: Evaluation) -> Judgments:
    """The judgments of an evaluation as plain rows; a pair judged twice has its highest grade."""
    pool = evaluation.judgments
    titles = _titles(evaluation)
    rows = [
        Judged(evaluation.queries[query], document, None if grade != grade else grade, title)
        for query, document, grade, title in zip(
            pool.query.tolist(), pool.documents.texts(), pool.grade.tolist(), titles, strict=True
        )
    ]
    return Judgments(rows, _texts(evaluation))


def rows_in_order(ranking: JoinedRanking, order: Order = "auto") -> NDArray[np.int64]:
    """The rows of a joined ranking, query by query in the order of appearance, best first."""
    arrangement = ranking.arrange(order)
    queries = dict.fromkeys(ranking.query.tolist())
    return np.concatenate([arrangement.rows(query) for query in queries])


def _titles(evaluation: Evaluation) -> list[str]:
    """The title of each pair, where some column of the file holds titles."""
    titles = [""] * len(evaluation.judgments)
    for entry in evaluation.entries:
        if (column := entry.columns.titles) is not None:
            for pair, title in zip(entry.pair.tolist(), column, strict=True):
                if pair != NO_PAIR:
                    titles[pair] = titles[pair] or title
    return titles


def _texts(evaluation: Evaluation) -> dict[str, str]:
    return {evaluation.queries[number]: text for number, text in evaluation.titles.items()}


def ranking_of(evaluation: Evaluation, number: int, order: Order) -> Ranking:
    """A ranking of an evaluation as plain rows, best first."""
    ranking = evaluation.rankings[number]
    rows = rows_in_order(ranking, order)
    queries = ranking.query[rows].tolist()
    documents = ranking.columns.document.take(rows).texts()
    scores = _scores(ranking.columns, rows)
    ranks: dict[int, int] = {}
    ranked = []
    for query, document, score in zip(queries, documents, scores, strict=True):
        ranks[query] = ranks.get(query, 0) + 1
        ranked.append(Ranked(evaluation.queries[query], document, ranks[query], score))
    return Ranking(ranked, ranking.resolve(order) == "score", _texts(evaluation))


def _scores(columns: RankingColumns, rows: NDArray[np.int64]) -> Iterator[float | None]:
    if columns.score is None:
        return iter([None] * len(rows))
    return (None if score != score else score for score in columns.score[rows].tolist())
