"""How far the judges agree: every measure as a row that can be shown, and what two judges said."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, takewhile

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.votes import Votes
from ndcg_desktop.scoring.agreement import (
    Level,
    Weights,
    codes,
    confusion,
    fleiss_kappa,
    kappa_of_codes,
    krippendorff_alpha,
)

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")

KAPPAS: dict[Weights, str] = {
    "none": "Cohen's κ",
    "linear": "Cohen's κ, linear weights",
    "quadratic": "Cohen's κ, quadratic weights",
}

FEW_JUDGES = 10
"""Up to so many, pairs of judges without a document in common are listed too."""

MOST_IN_PAIRS = 50
"""Up to so many judges are compared in pairs; among more only the FEW_JUDGES with most grades."""

MOST_GRADES = 100
"""Different grades that a confusion table has room for."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A measure of the agreement of some judges on n documents.

    ``value`` is NaN where the measure is not defined, and ``note`` says why in a few words.
    """

    name: str
    judges: str
    value: float
    n: int
    note: str


@dataclass(frozen=True, slots=True)
class Confusion:
    """What two judges gave the documents that both graded: the number of documents, shape (C, C),
    by the grade of the one (rows) and that of the other (columns), of the ``grades``, ascending.

    There are no counts where the grades are too many for a table; ``n`` documents there are always.
    """

    grades: tuple[float, ...]
    counts: NDArray[np.int64] | None
    n: int


def judges_of(votes: Votes) -> list[str]:
    """The judges who have graded something."""
    return [name for name, number in votes.counts().items() if number]


def agreements_of(
    votes: Votes, scale: Sequence[float], cancelled: Callable[[], bool] = lambda: False
) -> list[Agreement]:
    """Every measure for all who have graded something, and for each pair of them; of a crowd only
    for pairs of those with most grades. Cut short where it is cancelled.
    """
    names = judges_of(votes)
    if len(names) <= MOST_IN_PAIRS:
        rows = agreements(names, votes.matrix(names), scale)
    else:
        counts = votes.counts()
        most = sorted(names, key=lambda name: -counts[name])[:FEW_JUDGES]
        of_pairs = _of_pairs(most, votes.matrix(most), scale)
        rows = chain(_of_all(names, votes.stacked()), of_pairs)
    return list(takewhile(lambda _: not cancelled(), rows))


def confusion_of(votes: Votes, one: str, other: str, scale: Sequence[float]) -> Confusion:
    """What two judges gave the documents that both graded, by the grades of the scale and those
    off it that were given.
    """
    a, b = votes.matrix([one, other])
    grades = np.union1d(np.asarray(scale, dtype=np.float64), np.union1d(a, b))
    counts = confusion(a, b, grades) if len(grades) <= MOST_GRADES else None
    return Confusion(tuple(grades.tolist()), counts, len(a))


def agreements(
    names: Sequence[str], grades: NDArray[np.float64], scale: Sequence[float]
) -> Iterator[Agreement]:
    """Every measure for all judges and for each pair of them; none for fewer than two judges.

    ``grades`` has a row for each of the names and a column for each document, NaN where a judge
    did not judge it. Weights count the steps of the scale; grades off the scale are steps as well.
    """
    if len(names) >= 2:
        yield from _of_all(names, grades)
        yield from _of_pairs(names, grades, scale)


def _of_all(names: Sequence[str], grades: NDArray[np.float64]) -> Iterator[Agreement]:
    judges = " and ".join(names) if len(names) == 2 else f"{len(names):,} judges"
    none = "no document graded twice"
    for level in LEVELS:
        yield _row(f"Krippendorff's α, {level}", judges, *krippendorff_alpha(grades, level), none)
    fleiss = fleiss_kappa(grades)
    if fleiss.n:
        judges = f"{fleiss.raters} grades per document"
    yield _row("Fleiss' κ", judges, fleiss.value, fleiss.n, none)


def _of_pairs(
    names: Sequence[str], grades: NDArray[np.float64], scale: Sequence[float]
) -> Iterator[Agreement]:
    categories = np.union1d(np.asarray(scale, dtype=np.float64), grades[~np.isnan(grades)])
    coded = zip(names, codes(grades, categories), strict=True)
    for (name, a), (other, b) in combinations(coded, 2):
        for weights, kappa in KAPPAS.items():
            value, n = kappa_of_codes(a, b, len(categories), weights)
            if n or len(names) <= FEW_JUDGES:
                yield _row(kappa, f"{name} and {other}", value, n, "no document in common")


def _row(name: str, judges: str, value: float, n: int, none: str) -> Agreement:
    """A row with its note, which is ``none`` where there is no document to measure."""
    why = "every grade is the same" if n else none
    return Agreement(name, judges, value, n, why if math.isnan(value) else "")
