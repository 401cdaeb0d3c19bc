"""The rows of a what-if order with their figures, as a table and bars show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.detail import discounted_gains, ideal_discounts
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.evaluation.scenario import codes_of, ideal_of_scenario
from ndcg_desktop.scoring.discount import discount
from ndcg_desktop.scoring.options import Options


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """A document of an order. Figures are None for one that is not judged, and where a gain
    cannot be computed; ``discount`` is 0 beyond the cutoff.

    ``position`` is what it is scored at, None where it has no place in a list without the
    unjudged.
    """

    rank: int
    position: int | None
    document: str
    grade: float | None
    gain: float | None
    discount: float | None
    discounted: float | None


def scenario_rows(
    evaluation: Evaluation, query: int, documents: Sequence[str]
) -> list[ScenarioRow]:
    """The figures of each document where it stands. One that stands twice gains once."""
    codes = codes_of(evaluation, query)
    values, gains = evaluation.judgments.values, evaluation.gains
    discounts = discount(len(documents), evaluation.options)
    options = evaluation.options
    condensed = options.unjudged == "remove"
    seen: set[str] = set()
    rows, judged = [], 0
    for rank, document in enumerate(documents, start=1):
        code = codes.get(document, UNJUDGED)
        again, blank = document in seen, code == UNJUDGED
        seen.add(document)
        judged += not (again or blank)
        position = rank if not condensed else None if again or blank else judged
        gain = None if blank else _known(0.0 if again else gains[code])
        weight = None if position is None else float(discounts[position - 1])
        product = None if gain is None or weight is None else _term(options, gain, weight)
        grade = None if blank else values[code]
        rows.append(ScenarioRow(rank, position, document, grade, gain, weight, product))
    return rows


@dataclass(frozen=True, slots=True)
class AtPositions:
    """What stands at the positions 1..n: discounted gains, 0 where there are none, whether the
    document is not judged, shape (n,), and its name, empty where there is no document.
    """

    gains: NDArray[np.float64]
    unjudged: NDArray[np.bool_]
    documents: list[str]


def at_positions(rows: Sequence[ScenarioRow], count: int) -> AtPositions:
    """The rows of an order by the positions they are scored at, as many as are wanted."""
    found = AtPositions(np.zeros(count), np.zeros(count, dtype=np.bool_), [""] * count)
    for row in rows:
        if row.position is not None and row.position <= count:
            found.gains[row.position - 1] = row.discounted or 0.0
            found.unjudged[row.position - 1] = row.grade is None
            found.documents[row.position - 1] = row.document
    return found


def last_counting(rows: Sequence[ScenarioRow]) -> int:
    """The last position of an order that has a discount above 0."""
    return max((row.position or 0 for row in rows if row.discount), default=0)


def ideal_gains(
    evaluation: Evaluation, query: int, documents: Sequence[str]
) -> NDArray[np.float64]:
    """The discounted gains of the ideal of an order, up to the cutoff; shape (positions,)."""
    ideal = ideal_of_scenario(evaluation, query, documents)
    gains = np.where(np.isfinite(evaluation.gains), evaluation.gains, 0.0)
    ordered = np.sort(np.repeat(gains[ideal.code], ideal.count))[::-1]
    options = evaluation.options
    discounts = ideal_discounts(options, len(ordered), len(documents))
    terms = discounted_gains(options, ordered, discounts)
    return terms if options.ideal_cut == "none" else terms[: options.cutoff]


def missed(evaluation: Evaluation, query: int, documents: Sequence[str]) -> list[tuple[str, float]]:
    """The judged documents that an order does not have, and their grades, the best first."""
    there = set(documents)
    values = evaluation.judgments.values
    found = [
        (document, values[code])
        for document, code in codes_of(evaluation, query).items()
        if code != UNJUDGED and document not in there
    ]
    return sorted(found, key=lambda each: -each[1])


def _term(options: Options, gain: float, weight: float) -> float:
    """What a document adds to the sum."""
    return float(discounted_gains(options, np.array([gain]), np.array([weight]))[0])


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
