"""Mistakes that people make with DCG and nDCG, and the figure that each of them gives.

Every figure is that of the exercise under other options, or of the exercise changed by the mistake:
none is written down here. The likeliest mistakes come first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ndcg_desktop.evaluation.exercise import (
    Exercise,
    Term,
    best_first,
    dcg_terms,
    figures,
    ideal_terms,
    reordered,
)
from ndcg_desktop.scoring.discount import discount
from ndcg_desktop.scoring.gain import gain
from ndcg_desktop.scoring.options import Options

Measure = Callable[[Exercise, Options], float]

NO_DISCOUNT = 1e6
"""A base that no list reaches: nothing above this rank is discounted."""

EXPONENTIAL = "the gain is exponential, 2^grade − 1"
LINEAR = "the gain is linear, the grade itself"
RETURNED_ONLY = "the ideal is built from the returned documents only"


@dataclass(frozen=True, slots=True)
class Mistake:
    """What was done wrong, as the end of "… is what you get when", and what comes of it."""

    when: str
    value: float


def dcg(exercise: Exercise, options: Options) -> float:
    """The DCG of an exercise."""
    return figures(exercise, options).dcg


def ideal_dcg(exercise: Exercise, options: Options) -> float:
    """The ideal DCG of an exercise."""
    return figures(exercise, options).ideal


def ndcg(exercise: Exercise, options: Options) -> float:
    """The nDCG of an exercise, NaN where it has none."""
    return figures(exercise, options).ndcg


# ---- of the three measures


def dcg_mistakes(exercise: Exercise, options: Options) -> list[Mistake]:
    """Wrong ways to a DCG."""
    terms = dcg_terms(exercise, options)
    return [
        *_under_other_options(dcg, exercise, options),
        *_other_logarithms(dcg(exercise, options), options),
        Mistake("the missed documents are added at the end", dcg(_completed(exercise), options)),
        *_rounded(terms),
        *_stopped(terms),
        Mistake("the ideal DCG is given", ideal_dcg(exercise, options)),
        Mistake("the nDCG is given", ndcg(exercise, options)),
    ]


def ideal_mistakes(exercise: Exercise, options: Options) -> list[Mistake]:
    """Wrong ways to an ideal DCG."""
    terms = ideal_terms(exercise, options)
    return [
        *_under_other_options(ideal_dcg, exercise, options),
        Mistake("the DCG of the ranking as it stands is given", dcg(exercise, options)),
        *(Mistake(when, dcg(other, options)) for when, other in _other_ideals(exercise, options)),
        *_other_logarithms(ideal_dcg(exercise, options), options),
        *_rounded(terms),
        *_stopped(terms),
    ]


def ndcg_mistakes(exercise: Exercise, options: Options) -> list[Mistake]:
    """Wrong ways to an nDCG."""
    right = figures(exercise, options)
    endless = replace(options, cutoff=None)
    return [
        *_under_other_options(ndcg, exercise, options),
        Mistake("the DCG is not divided by the ideal DCG", right.dcg),
        *(
            Mistake(when, _ratio(right.dcg, dcg(other, options)))
            for when, other in _other_ideals(exercise, options)
        ),
        Mistake("only the ideal DCG is computed", right.ideal),
        Mistake("the ideal DCG is divided by the DCG", _ratio(right.ideal, right.dcg)),
        Mistake(
            "k is applied to the ranking and not to the ideal",
            _ratio(right.dcg, ideal_dcg(exercise, endless)),
        ),
        Mistake(
            "k is applied to the ideal and not to the ranking",
            _ratio(dcg(exercise, endless), right.ideal),
        ),
        Mistake(
            "the missed documents are added at the end of the ranking",
            _ratio(dcg(_completed(exercise), options), right.ideal),
        ),
        *_rounded_ratio(exercise, options),
        *(
            Mistake(each.when, _ratio(each.value, right.ideal))
            for each in _stopped(dcg_terms(exercise, options))
        ),
    ]


def found_mistakes(
    before: Exercise, after: Exercise, document: str, rank: int, options: Options
) -> list[Mistake]:
    """Wrong ways to the nDCG that a ranking would have with a missed document in it."""
    ideal = ideal_dcg(before, options)
    replaced = [
        replace(row, rank=rank) if row.document == document else row
        for row in before.rows
        if row.rank != rank
    ]
    replacing = replace(before, rows=tuple(replaced))
    twice = replace(after, rows=(*after.rows, *(r for r in before.rows if r.document == document)))
    return [
        Mistake("nothing is changed: this is the nDCG as it stands", ndcg(before, options)),
        Mistake(
            f"{document} takes the place of the document at rank {rank}, instead of moving it and "
            "all below it down by one",
            _ratio(dcg(replacing, options), ideal),
        ),
        Mistake(
            "the ideal is built from the documents that were returned before",
            _ratio(dcg(after, options), ideal_dcg(before, replace(options, ideal="returned"))),
        ),
        Mistake(
            f"{document} is counted twice in the ideal",
            _ratio(dcg(after, options), ideal_dcg(twice, options)),
        ),
        *ndcg_mistakes(after, options),
    ]


# ---- of parts of the sum


def gain_mistakes(grade: float, options: Options) -> list[Mistake]:
    """Wrong ways to the gain of a grade."""
    exponential = replace(options, gain="exponential")
    return [
        Mistake(LINEAR, _gain(grade, replace(options, gain="linear"))),
        Mistake(EXPONENTIAL, _gain(grade, exponential)),
        Mistake("the 1 is not taken away from 2^grade", _gain(grade, exponential) + 1),
        Mistake("1 is taken away from the grade, not from the power", 2.0 ** (grade - 1)),
        Mistake("the grade is squared", grade**2),
        Mistake("the grade is doubled", 2 * grade),
    ]


def discount_mistakes(rank: int, options: Options) -> list[Mistake]:
    """Wrong ways to the discount of a rank."""
    value = discount_at(rank, options)
    others = [Mistake(when, discount_at(rank, other)) for when, other in _discounts(options)]
    return [
        *others,
        Mistake("the logarithm is not turned over: the discount is 1 divided by it", 1 / value),
        Mistake("the rank is counted from 0", discount_at(rank - 1, options)),
        Mistake("the rank is one too high", discount_at(rank + 1, options)),
        *_other_logarithms(value, options),
    ]


def discount_at(rank: int, options: Options) -> float:
    """The discount of a rank, whatever the cutoff; NaN for rank 0."""
    if rank < 1:
        return math.nan
    return float(discount(rank, replace(options, cutoff=None))[-1])


def _gain(grade: float, options: Options) -> float:
    return float(gain([grade], options)[0])


# ---- what all of them share


def _under_other_options(
    measure: Measure, exercise: Exercise, options: Options
) -> Iterator[Mistake]:
    for when, other in (
        *_ideals(options),
        *_gains(options),
        *_discounts(options),
        *_cutoffs(options),
        *_unjudged(exercise, options),
    ):
        yield Mistake(when, measure(exercise, other))


def _ideals(options: Options) -> Iterator[tuple[str, Options]]:
    if options.ideal != "returned":
        yield RETURNED_ONLY, replace(options, ideal="returned")
    if options.ideal != "judged":
        yield "the ideal is built from all judged documents", replace(options, ideal="judged")


def _gains(options: Options) -> Iterator[tuple[str, Options]]:
    if options.gain != "exponential":
        yield EXPONENTIAL, replace(options, gain="exponential")
    if options.gain != "linear":
        yield LINEAR, replace(options, gain="linear")


def _discounts(options: Options) -> Iterator[tuple[str, Options]]:
    if options.discount != "log2":
        yield "the discount is 1/log2(i+1)", replace(options, discount="log2")
    yield (
        "nothing is discounted",
        replace(options, discount="base", discount_base=NO_DISCOUNT),
    )
    if options.discount != "base":
        yield (
            "the discount is 1/log2(i), with none at rank 1 (Järvelin & Kekäläinen), instead of "
            "1/log2(i+1)",
            replace(options, discount="base", discount_base=2.0),
        )
    if options.discount != "reciprocal":
        yield "the gain is divided by the rank itself, 1/i", replace(options, discount="reciprocal")
    yield (
        "the discount is 1/ln(i), with none at ranks 1 and 2",
        replace(options, discount="base", discount_base=math.e),
    )


def _cutoffs(options: Options) -> Iterator[tuple[str, Options]]:
    k = options.cutoff
    if k is None:
        return
    if k > 1:
        yield f"only the first {k - 1} count instead of {k}", replace(options, cutoff=k - 1)
    yield f"the first {k + 1} count instead of {k}", replace(options, cutoff=k + 1)
    yield "k is ignored, so that every document counts", replace(options, cutoff=None)


def _unjudged(exercise: Exercise, options: Options) -> Iterator[tuple[str, Options]]:
    if all(row.grade is not None for row in exercise.rows):
        return
    if options.unjudged == "zero":
        yield (
            "unjudged documents are removed, and those below them move up",
            replace(options, unjudged="remove"),
        )
    else:
        yield "unjudged documents keep their places", replace(options, unjudged="zero")


def _other_logarithms(value: float, options: Options) -> Iterator[Mistake]:
    """The same sum by ln(i+1) or log10(i+1), which are log2(i+1) times a constant."""
    if options.discount == "log2":
        yield Mistake("the logarithm is the natural one, ln(i+1)", value / math.log(2))
        yield Mistake("the logarithm is log10(i+1)", value / math.log10(2))


def _other_ideals(exercise: Exercise, options: Options) -> Iterator[tuple[str, Exercise]]:
    """Rankings that are taken for the ideal one."""
    k = options.cutoff
    best = best_first(exercise, options)
    yield "the ideal is sorted the wrong way, worst first", reordered(exercise, best[::-1])
    yield "the ideal keeps the order of the ranking, the missed last", _completed(exercise)
    if k is not None and exercise.returned > k:
        seen = [row for row in best if row.rank is not None and row.rank <= k]
        yield f"the ideal is built from the first {k} results only", reordered(exercise, seen)


def _completed(exercise: Exercise) -> Exercise:
    """The missed documents returned too, at the end."""
    rank = exercise.returned
    rows = []
    for row in exercise.rows:
        rank += row.rank is None
        rows.append(replace(row, rank=rank) if row.rank is None else row)
    return replace(exercise, rows=tuple(rows), returned=rank)


def _rounded(terms: Sequence[Term]) -> Iterator[Mistake]:
    for what, total in _roundings(terms):
        yield Mistake(f"{what} before they are added up", total)


def _roundings(terms: Sequence[Term]) -> Iterator[tuple[str, float]]:
    gains = np.array([term.gain for term in terms])
    discounts = np.array([term.discount for term in terms])
    yield "the discounts are rounded to one decimal", float(gains @ discounts.round(1))
    yield "the terms are rounded to one decimal", float((gains * discounts).round(1).sum())
    yield "the terms are rounded to whole numbers", float((gains * discounts).round(0).sum())


def _rounded_ratio(exercise: Exercise, options: Options) -> Iterator[Mistake]:
    pairs = zip(
        _roundings(dcg_terms(exercise, options)),
        _roundings(ideal_terms(exercise, options)),
        strict=True,
    )
    for (what, above), (_, below) in pairs:
        yield Mistake(f"{what} before they are added up", _ratio(above, below))
    right = figures(exercise, options)
    sums = round(right.dcg, 1), round(right.ideal, 1)
    yield Mistake("both sums are rounded to one decimal before they are divided", _ratio(*sums))


def _stopped(terms: Sequence[Term]) -> Iterator[Mistake]:
    """The sum given too early, as it stands after some of its terms."""
    upto = np.cumsum([term.gain * term.discount for term in terms])
    for number, total in reversed(list(enumerate(upto[:-1].tolist(), start=1))):
        terms_words = "its first term" if number == 1 else f"{number} terms"
        yield Mistake(f"the sum stops after {terms_words}", total)


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else math.nan
