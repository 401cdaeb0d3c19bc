"""Which queries to look at: by what came of them in a comparison, or by a group of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.comparison import Comparison, few_judged
from ndcg_desktop.evaluation.evaluation import Evaluation

Kind = Literal["all", "won", "lost", "tied", "undefined", "few", "group"]

KINDS: dict[Kind, str] = {
    "all": "All queries",
    "won": "Won by the candidate",
    "lost": "Lost by the candidate",
    "tied": "Tied",
    "undefined": "Undefined, or not in both",
    "few": "Less than half judged",
}
"""How each is called, but for groups, which are called as their column calls them."""


@dataclass(frozen=True, slots=True)
class QueryFilter:
    """What a query must be; a group has the header of its column."""

    kind: Kind = "all"
    header: str = ""
    group: str = ""


def passing(
    evaluation: Evaluation,
    comparison: Comparison,
    chosen: QueryFilter,
) -> NDArray[np.bool_]:
    """Whether each query is to be looked at, shape (Q,)."""
    outcome = comparison.outcomes(evaluation.lineup.tie)
    if chosen.kind == "group":
        of_query = evaluation.groups().get(chosen.header)
        if of_query is None:
            return np.ones(len(outcome), dtype=bool)
        return np.array([group == chosen.group for group in of_query], dtype=bool)
    if chosen.kind == "few":
        return few_judged(evaluation, (comparison.baseline, comparison.candidate))
    wanted: dict[str, NDArray[np.bool_]] = {
        "all": np.ones(len(outcome), dtype=bool),
        "won": outcome > 0,
        "lost": outcome < 0,
        "tied": comparison.compared & (outcome == 0),
        "undefined": ~comparison.compared,
    }
    return wanted[chosen.kind]
