"""What a table comes to when it is read so: how many rows, queries, documents and grades."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from ndcg_desktop.evaluation.columns import JudgmentColumns, RankingColumns
from ndcg_desktop.evaluation.ids import concatenate, factorize
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.labels import MOST_LABELS, Labels
from ndcg_desktop.files.numbers import number
from ndcg_desktop.files.plan import suggested_labels
from ndcg_desktop.files.table import Texts


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a table. ``rows`` are those of the file below its header; ``queries`` and
    ``documents`` are distinct ids; ``grades`` has how many judgments there are of each grade,
    ascending; ``unjudged`` those without one; ``labels`` how often each word stands among the
    grades, and ``suggested`` which grades those may be.
    """

    rows: int
    queries: int
    documents: int
    rankings: int
    grades: dict[float, int] = field(default_factory=dict)
    unjudged: int = 0
    labels: dict[str, int] = field(default_factory=dict)
    suggested: Labels | None = None

    @property
    def judged(self) -> int:
        """Judgments that have a grade."""
        return sum(self.grades.values())


def summarize(part: Understood) -> Summary:
    """Count a table as it is understood. Raises FileError for one that cannot be used so."""
    made = assemble([part])
    columns: list[JudgmentColumns | RankingColumns] = [*made.judgments, *made.rankings]
    labels = _labels(part)
    grade = np.concatenate([each.grade for each in made.judgments] or [np.empty(0)])
    values, counts = np.unique(grade[~np.isnan(grade)], return_counts=True)
    return Summary(
        rows=len(part.table),
        queries=len(factorize(concatenate([each.query for each in columns]))[1]),
        documents=len(factorize(concatenate([each.document for each in columns]))[1]),
        rankings=len(made.rankings),
        grades=dict(zip(values.tolist(), counts.tolist(), strict=True)),
        unjudged=int(np.isnan(grade).sum()),
        labels=labels,
        suggested=suggested_labels(part),
    )


def _labels(part: Understood) -> dict[str, int]:
    """The words among the grades, the commonest first; none where they are remarks."""
    counts: Counter[str] = Counter()
    for column in part.roles.graded:
        counts.update(text.strip() for text in Texts(part.table.columns[column]))
    words = {text: n for text, n in counts.most_common() if text and number(text) is None}
    return words if len(words) <= MOST_LABELS else {}
