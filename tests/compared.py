"""Small comparisons to report on, built without a file."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np
from build import evaluation_of

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.reports.comparison_content import ReportFile, ReportRequest

DIGEST = "0123456789abcdef" * 4


def compared(queries: int, names: Sequence[str], blanks: float = 0.1, **options) -> Evaluation:
    """Rankings of twelve of twenty documents, each of which is better than the one before it."""
    random = np.random.default_rng(queries + len(names))
    judged, rankings = [], [[] for _ in names]
    for number in range(queries):
        query = f"query {number}"
        grades = random.integers(0, 4, 20)
        blank = random.random(20) < blanks
        judged += [
            (query, f"d{place}", None if blank[place] else float(grades[place]))
            for place in range(20)
        ]
        for place, rows in enumerate(rankings):
            noisy = grades + random.normal(0, 2.5 / (place + 1), 20)
            rows += [(query, f"d{document}") for document in np.argsort(-noisy)[:12].tolist()]
    evaluation = evaluation_of(judged, *rankings, **options)
    lineup = evaluation.lineup
    for entrant, name in zip(lineup.entrants, names, strict=True):
        lineup = lineup.renamed(entrant.key, name)
    evaluation.line_up(lineup)
    return evaluation


def request_of(evaluation: Evaluation, **changes) -> ReportRequest:
    """A request that compares all rankings with the first one."""
    request = ReportRequest(
        evaluation.frozen(),
        0,
        tuple(range(1, len(evaluation.rankings))),
        files=(ReportFile("judgments.csv", DIGEST), ReportFile("run.csv", DIGEST[::-1])),
        findings=(Finding("note", "x", "Something <odd>.", Source("run.csv"), 3),),
        day=date(2024, 2, 29),
    )
    return replace(request, **changes)
