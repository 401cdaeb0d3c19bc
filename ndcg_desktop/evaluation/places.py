"""Where a row of a file is shown: its query, its document and the ranking that has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ranking import NO_PAIR


@dataclass(frozen=True, slots=True)
class Place:
    """A document of a query; ``ranking`` is None for a judgment, which every ranking shows."""

    query: int
    document: str
    ranking: int | None = None


def place_of(evaluation: Evaluation, finding: Finding) -> Place | None:
    """Find the document that a finding's row is about, None where the row was left out."""
    if finding.source is None or finding.row is None:
        return None
    for number, ranking in enumerate(evaluation.rankings):
        if ranking.columns.source == finding.source:
            rows = np.flatnonzero(ranking.columns.row == finding.row)
            if len(rows):
                row = int(rows[0])
                return Place(int(ranking.query[row]), ranking.columns.document[row], number)
    for entry in evaluation.entries:
        if entry.columns.source == finding.source:
            rows = np.flatnonzero((entry.columns.row == finding.row) & (entry.pair != NO_PAIR))
            if len(rows):
                pair = int(entry.pair[rows[0]])
                judgments = evaluation.judgments
                return Place(int(judgments.query[pair]), judgments.documents[pair])
    return None
