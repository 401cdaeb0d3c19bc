"""How far judges agree: Cohen's and Fleiss' kappa, Krippendorff's alpha.

``grades`` has shape (judges, documents); NaN where a judge did not judge a document. Every measure
is

    1 - observed disagreement / disagreement expected by chance,

and NaN where chance could not disagree either, as when every grade is the same. No measure needs
the matrix of coincidences or of weights, whose size is the square of the number of different
grades: squared differences add up to variances, and steps of a scale to cumulative counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNGRADED = -1
"""Code of the grade that is not there."""


@dataclass(frozen=True, slots=True)
class Fleiss:
    """Fleiss' kappa of n documents that have the same number of grades, ``raters``, each."""

    value: float
    n: int
    raters: int


@dataclass(frozen=True, slots=True)
class _Tally:
    """How many judges gave a document which grade.

    ``document`` (numbered from 0), ``code`` (index into ``values``) and ``count`` have shape (T,);
    ``values``, shape (C,), are the grades seen, ascending.
    """

    document: Ints
    code: Ints
    count: Ints
    values: Floats

    @property
    def ratings(self) -> Floats:
        """Number of grades of each document, shape (N,)."""
        return _sums(self.document, self.count)

    @property
    def pool(self) -> Floats:
        """How often each grade was given, shape (C,)."""
        return _sums(self.code, self.count)


def codes(grades: Floats, categories: Floats) -> Ints:
    """Place of each grade among the categories, UNGRADED where there is none; shape of the grades.

    ``categories`` (C,) ascend. Raises ValueError for a grade that is not among them.
    """
    place = np.searchsorted(categories, grades)
    graded = ~np.isnan(grades)
    # NaN, and what is greater than every category, has the place after the last.
    if (graded & (np.append(categories, np.nan)[place] != grades)).any():
        raise ValueError("A grade is not among the categories.")
    return np.where(graded, place, UNGRADED)


def cohen_kappa(
    a: Floats, b: Floats, weights: Weights = "none", categories: Floats | None = None
) -> tuple[float, int]:
    """Kappa of two judges, (D,) each, and n, the number of documents that both graded.

    Cohen (1960), Educational and Psychological Measurement 20(1); with weights Cohen (1968),
    Psychological Bulletin 70(4). Weights are of the places of the grades among ``categories``,
    (C,), ascending: those seen in the n documents, if none are given. Raises ValueError for a grade
    that is not among them.
    """
    shared = ~(np.isnan(a) | np.isnan(b))
    a, b = a[shared], b[shared]
    if categories is None:
        categories = np.union1d(a, b)
    return kappa_of_codes(codes(a, categories), codes(b, categories), len(categories), weights)


def kappa_of_codes(
    a: Ints, b: Ints, categories: int, weights: Weights = "none"
) -> tuple[float, int]:
    """`cohen_kappa` of the `codes` of two judges, which many pairs need only once."""
    a, b = _shared(a, b)
    expected = _chance_distance(a, b, categories, weights) if len(a) else 0.0
    # A sum of terms that are not negative is exactly 0 where each of them is.
    if expected == 0:
        return math.nan, len(a)
    return 1 - _distance(a, b, weights) / expected, len(a)


def confusion(a: Floats, b: Floats, categories: Floats) -> Ints:
    """Number of documents by the grades that two judges gave them: rows judge a, columns judge b.

    Shape (C, C), for ascending ``categories``, (C,). Raises ValueError for a grade that is not
    among them.
    """
    size = len(categories)
    row, column = _shared(codes(a, categories), codes(b, categories))
    return np.bincount(row * size + column, minlength=size * size).reshape(size, size)


def fleiss_kappa(grades: Floats) -> Fleiss:
    """Fleiss' kappa of the documents that have the commonest number of grades, two or more.

    Fleiss (1971), Psychological Bulletin 76(5): each document has the same number of grades, given
    by any of the judges. Of two numbers of grades that are as common, the larger is taken.
    """
    ratings = _ratings(grades)
    documents = np.bincount(ratings, minlength=3)
    documents[:2] = 0
    raters = len(documents) - 1 - int(documents[::-1].argmax())
    n = int(documents[raters])
    if n == 0:
        return Fleiss(math.nan, 0, 0)
    tally = _tally(grades, ratings == raters)
    if len(tally.values) < 2:
        return Fleiss(math.nan, n, raters)
    observed = _disagreement(tally.document, tally.count).mean()
    # Fleiss draws two grades with replacement, where Krippendorff draws two different ones.
    expected = 1 - ((tally.pool / (n * raters)) ** 2).sum()
    return Fleiss(float(1 - observed / expected), n, raters)


def krippendorff_alpha(grades: Floats, level: Level = "nominal") -> tuple[float, int]:
    """Krippendorff's alpha, and n, the number of documents that have two or more grades.

    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability. A document adds to the
    coincidences its pairs of grades over one less than their number: m times the mean of its pairs.
    """
    paired = _ratings(grades) >= 2
    n = int(np.count_nonzero(paired))
    tally = _tally(grades, paired)
    if len(tally.values) < 2:
        return math.nan, n
    pool, ratings = tally.pool, tally.ratings
    values = _on_level(tally.values, pool, level)
    own = None if values is None else values[tally.code]
    within = _disagreement(tally.document, tally.count, own)
    overall = _disagreement(np.zeros(len(pool), dtype=np.int64), pool, values)
    return float(1 - ratings @ within / (ratings.sum() * overall[0])), n


def _shared(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """The codes of the documents that both judges graded."""
    shared = np.flatnonzero((a != UNGRADED) & (b != UNGRADED))
    return a[shared], b[shared]


def _distance(a: Ints, b: Ints, weights: Weights) -> float:
    """Sum of the distances between the n grades of one judge and those of the other."""
    if weights == "none":
        return float(np.count_nonzero(a != b))
    steps = np.abs(a - b)
    return float(steps.sum() if weights == "linear" else steps @ steps)


def _chance_distance(a: Ints, b: Ints, categories: int, weights: Weights) -> float:
    """Sum of n distances, if each grade of one judge met each grade of the other as often."""
    n = len(a)
    if weights == "quadratic":
        # In Python's integers, which neither round nor overflow.
        squares, product = int(a @ a) + int(b @ b), int(a.sum()) * int(b.sum())
        return (n * squares - 2 * product) / n
    of_a, of_b = (np.bincount(each, minlength=categories) for each in (a, b))
    if weights == "none":
        return (n * n - int(of_a @ of_b)) / n
    # The distance of two grades is the number of steps of the scale that lie between them.
    below_a, below_b = np.cumsum(of_a) / n, np.cumsum(of_b) / n
    return n * float(below_a @ (1 - below_b) + below_b @ (1 - below_a))


def _ratings(grades: Floats) -> Ints:
    """Number of grades of each document, (D,)."""
    number: Ints = np.count_nonzero(~np.isnan(grades), axis=0)
    return number


def _tally(grades: Floats, chosen: NDArray[np.bool_]) -> _Tally:
    """Count the grades of the chosen documents, (D,), each of which has some."""
    ordered = np.sort(grades[:, chosen].T, axis=1)
    first = np.ones(ordered.shape, dtype=bool)
    # NaN stands last and differs from every value, so it ends the run of the last grade.
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=first[:, 1:])
    starts = np.flatnonzero(first)
    given, count = ordered.ravel()[starts], np.diff(starts, append=ordered.size)
    graded = ~np.isnan(given)
    document, given, count = starts[graded] // len(grades), given[graded], count[graded]
    values = np.unique(given)
    return _Tally(document, np.searchsorted(values, given), count, values)


def _on_level(values: Floats, pool: Floats, level: Level) -> Floats | None:
    """Numbers whose squared difference is the distance of two grades, (C,); None for nominal."""
    if level == "nominal":
        return None
    if level == "ordinal":
        # Mean ranks: between two grades lie the judgments of those between, and half of their own.
        return np.cumsum(pool) - pool / 2
    # Large grades have squares beyond a float; a power of two changes nothing but the exponent.
    _, exponent = np.frexp(np.abs(values).max())
    scaled = np.ldexp(values, -exponent)
    shifted: Floats = scaled - scaled[0]
    return shifted


def _disagreement(group: Ints, count: Ints | Floats, value: Floats | None = None) -> Floats:
    """Mean distance over the pairs of judgments of a group, (G,).

    A row is a grade with its ``group``, its ``value`` and the ``count`` of judgments that gave it,
    (T,) each. The distance of two is their squared difference; without values it is 1 between
    rows and 0 within one.
    """
    size = _sums(group, count)
    if value is None:
        distance = size**2 - _sums(group, count**2)
    else:
        mean = _sums(group, count * value) / size
        # Over all ordered pairs, squared differences are 2 m times the squares around the mean.
        distance = 2 * size * _sums(group, count * (value - mean[group]) ** 2)
    return distance / (size * (size - 1))


def _sums(group: Ints, values: Ints | Floats) -> Floats:
    """Sum of the values of each group, (G,)."""
    return np.bincount(group, weights=values).astype(np.float64, copy=False)
