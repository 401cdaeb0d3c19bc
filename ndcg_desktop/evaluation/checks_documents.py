"""Judgments and a ranking that share their queries and none, or nearly none, of the documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ndcg_desktop.evaluation.columns import Finding, Level
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.evaluation.ranking import NO_PAIR, Ranking
from ndcg_desktop.evaluation.repairs import Repair

NEARLY_NONE = 0.02
"""Documents in common, of as many as there could be."""

ENOUGH_ROWS = 10
"""Returned documents of which some would be judged if the two files belonged together."""


def check_documents(evaluation: Evaluation, repairs: Sequence[Repair]) -> list[Finding]:
    """Rankings whose documents are not those of the judgments, unless a repair says why."""
    if any(repair.what == "document" for repair in repairs):
        return []
    return [
        finding for ranking in evaluation.rankings for finding in _strangers(evaluation, ranking)
    ]


def _strangers(evaluation: Evaluation, ranking: Ranking) -> list[Finding]:
    listed = evaluation.judgments.listed()
    both = (listed > 0) & (ranking.returned > 0)
    possible = int(np.minimum(listed, ranking.returned)[both].sum())
    common = int(np.count_nonzero(ranking.pair != NO_PAIR))
    if not possible or common >= NEARLY_NONE * possible:
        return []
    returned = int(ranking.returned[both].sum())
    query = int(np.flatnonzero(both)[0])
    rows = ranking.arrange("auto").rows(query)
    judged = evaluation.judgments.documents.take(evaluation.judgments.of_query(query))
    of_all = (
        f"only {common:,} of {returned:,} returned documents are judged"
        if common
        else ("no returned document is judged")
    )
    text = (
        f"In the queries that judgments and ranking have in common, {of_all}: the two may not "
        f"belong together, or name their documents differently. For “{evaluation.queries[query]}” "
        f"the judgments have {_some(judged)}; the ranking has "
        f"{_some(ranking.columns.document.take(rows))}. They are scored as they stand."
    )
    columns = ranking.columns
    level: Level = "warning" if common or returned < ENOUGH_ROWS else "error"
    return [Finding(level, "no-common-document", text, columns.source, int(columns.row[rows[0]]))]


def _some(documents: Ids, most: int = 3) -> str:
    texts = documents.take(slice(most)).texts()
    return ", ".join(f"“{text[:40]}”" for text in texts) + ", …" * (len(documents) > most)
