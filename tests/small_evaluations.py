"""Small evaluations to report on, built without a file."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ndcg_desktop.evaluation.columns import Finding, JudgmentColumns, RankingColumns, Source
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.scoring.options import Options

NAN = float("nan")

Judged = Sequence[tuple[str, str, float]]
Returned = Sequence[tuple[str, str]]

WORKED_JUDGMENTS = [("q1", "A", 3), ("q1", "B", 1), ("q1", "C", 0), ("q1", "D", 2), ("q1", "E", 3)]
WORKED_RANKING = [("q1", "A"), ("q1", "B"), ("q1", "C"), ("q1", "D")]


def judgment_columns(rows: Judged) -> JudgmentColumns:
    """Judgments of (query, document, grade) rows."""
    queries, documents, grades = zip(*rows, strict=True)
    return JudgmentColumns(
        Source("judgments.xlsx", "grades"),
        Ids.from_texts(queries),
        Ids.from_texts(documents),
        np.array(grades, dtype=np.float64),
        np.arange(2, len(rows) + 2, dtype=np.int32),
    )


def ranking_columns(rows: Returned) -> RankingColumns:
    """A ranking of (query, document) rows, in the order of the rows."""
    queries, documents = zip(*rows, strict=True)
    return RankingColumns(
        "production",
        Source("run.csv"),
        Ids.from_texts(queries),
        Ids.from_texts(documents),
        None,
        None,
        np.arange(2, len(rows) + 2, dtype=np.int32),
        "rows",
    )


def evaluate(
    judged: Judged, returned: Returned, titles: dict[str, str] | None = None, **options: object
) -> tuple[Evaluation, list[Finding]]:
    """Join rows, either side of which may be empty; ``titles`` are the texts of queries."""
    judgments = [judgment_columns(judged)] if judged else []
    rankings = [ranking_columns(returned)] if returned else []
    if titles:
        texts = [titles.get(query, "") for query, _, _ in judged]
        judgments = [replace(judgments[0], query_text=texts)]
    return join(judgments, rankings, options=Options(**options))


def worked_example() -> Evaluation:
    """Six grades of a slide; E is the document that was not returned."""
    return evaluate(WORKED_JUDGMENTS, WORKED_RANKING, {"q1": "running shoes"}, cutoff=4)[0]


def many_queries(count: int) -> Evaluation:
    """Queries of ten returned documents, some of them unjudged, and two queries without a score."""
    generator = np.random.default_rng(7)
    judged: list[tuple[str, str, float]] = []
    returned: list[tuple[str, str]] = []
    for number in range(count):
        query = f"q{number:03}"
        documents = [f"{query}-{letter}" for letter in "abcdefghijkl"]
        grades = generator.integers(0, 4, 12) * (number % 100 != 9)
        blank = generator.random(12) < 0.15
        judged += [
            (query, document, NAN if no else float(grade))
            for document, grade, no in zip(documents, grades, blank, strict=True)
        ]
        if number % 100 != 19:
            returned += [(query, documents[place]) for place in generator.permutation(12)[:10]]
    words = ("red", "running", "shoes", "leather", "winter", "jacket", "women", "size 42")
    titles = {
        f"q{number:03}": " ".join(words[place] for place in generator.permutation(8)[:3])
        for number in range(count)
    }
    return evaluate(judged, returned, titles)[0]
