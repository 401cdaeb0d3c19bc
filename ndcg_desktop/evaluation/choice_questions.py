"""Questions that are answered by an order of documents, or by choosing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.answers import SEPARATOR, TOLERANCE, Choice, Ordering
from ndcg_desktop.evaluation.exercise import (
    Exercise,
    Row,
    best_first,
    figures,
    gains_of,
    swapped,
)
from ndcg_desktop.evaluation.question import (
    Question,
    QuestionError,
    in_one_order,
    measure_words,
    named_at,
    ndcg_lines,
    scored,
)
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import GainKind, Options

MOST_CHOICES = 6
EQUAL = 1e-9
"""How far apart two scores may be that are the same."""


def ideal_order_question(exercise: Exercise, options: Options) -> Question:
    """The documents of the ideal in their order."""
    if options.ideal != "judged":
        raise QuestionError("The ideal ordering is asked for where it is of all judged documents.")
    best = best_first(exercise, options)
    gains = dict(zip((r.document for r in best), gains_of(best, options).tolist(), strict=True))
    if len(set(gains.values())) < 2:
        raise QuestionError("All judged documents gain the same: any order is ideal.")
    if any(SEPARATOR.search(name) for name in gains):
        raise QuestionError("A document has a comma, ; or > in its name: a list could not be read.")
    length = len(gains) if options.cutoff is None else min(options.cutoff, len(gains))
    answer = Ordering(
        gains,
        length,
        frozenset(row.document for row in exercise.missed),
        frozenset(row.document for row in exercise.rows if row.grade is None),
    )
    first = "" if options.cutoff is None else f" Name the first {length}."
    grades = ", ".join(f"{r.document} ({wording.grade_text(r.grade)})" for r in best[:length])
    return Question(
        "ideal-order",
        f"In which order are the documents of this query ideal?{first}",
        measure_words("ideal", replace(options, cutoff=None), exercise, "discount", "unjudged"),
        exercise,
        answer,
        (f"{grades}: all that is judged, whether or not it was returned, best first.",),
    )


def swap_question(exercise: Exercise, options: Options, pairs: str = "neighbours") -> Question:
    """Which two results are best exchanged: neighbours, or "any" two."""
    before = in_one_order(exercise, options).ndcg
    changes = {
        pair: figures(swapped(exercise, pair[0].rank or 0, pair[1].rank or 0), options).ndcg
        for pair in _pairs(exercise, options, pairs)
    }
    best = max(changes.values(), default=0.0)
    if best - before <= EQUAL or min(changes.values()) >= best - EQUAL:
        raise QuestionError("No exchange of two results helps more than another.")
    kept = sorted(changes, key=lambda pair: -changes[pair])[:MOST_CHOICES]
    kept.sort(key=lambda pair: (pair[0].rank or 0, pair[1].rank or 0))
    right = frozenset(n for n, pair in enumerate(kept) if changes[pair] >= best - EQUAL)
    remarks = [_swap_remark(pair, changes, before, options) for pair in kept]
    neighbours = "neighbouring " if pairs == "neighbours" else ""
    return Question(
        "swap",
        f"The {named_at('nDCG', options)} is {wording.decimal(before)}. Which two {neighbours}"
        "results should be exchanged to raise it most?",
        measure_words("nDCG", options, exercise),
        exercise,
        Choice(tuple(_pair_words(pair) for pair in kept), right, tuple(remarks)),
        tuple(f"{_pair_words(pair)}: {wording.moved(before, changes[pair])}" for pair in kept),
    )


Pair = tuple[Row, Row]


def _pairs(exercise: Exercise, options: Options, which: str) -> Iterator[Pair]:
    if which not in ("neighbours", "any"):
        raise QuestionError(f"The pairs are “{which}”; they must be neighbours or any.")
    for first, second in combinations(exercise.ranked, 2):
        assert first.rank is not None and second.rank is not None
        if options.cutoff is not None and first.rank > options.cutoff:
            continue
        if which == "any" or second.rank == first.rank + 1:
            yield first, second


def _pair_words(pair: Pair) -> str:
    return f"{pair[0].document} and {pair[1].document} (ranks {pair[0].rank} and {pair[1].rank})"


def _swap_remark(pair: Pair, changes: Mapping[Pair, float], before: float, options: Options) -> str:
    """What an exchange does, and why it tempts where it does not do most."""
    after = changes[pair]
    text = f"{named_at('nDCG', options)} would go {wording.moved(before, after)}."
    if after < before - EQUAL:
        return f"{text} The better document stands higher already."
    steps = {a: (a[1].grade or 0.0) - (a[0].grade or 0.0) for a in changes}
    if after < max(changes.values()) - EQUAL and steps[pair] == max(steps.values()):
        return f"{text} Grades differ most here, but what counts is gain times discount."
    return text


BOTH_GAINS: tuple[GainKind, ...] = ("linear", "exponential")


def which_gain_question(exercise: Exercise, options: Options) -> Question:
    """Whether a score was made with linear or with exponential gain."""
    values = {kind: scored(exercise, replace(options, gain=kind)).ndcg for kind in BOTH_GAINS}
    if options.gain not in values or abs(values["linear"] - values["exponential"]) <= TOLERANCE:
        raise QuestionError("Linear and exponential gain give the same nDCG here.")
    remarks = tuple(f"With {kind} gain it is {wording.decimal(values[kind])}." for kind in values)
    lines = [
        line
        for kind in values
        for line in (f"With {kind} gain:", *ndcg_lines(exercise, replace(options, gain=kind)))
    ]
    return Question(
        "which-gain",
        f"The {named_at('nDCG', options)} of this ranking is "
        f"{wording.decimal(values[options.gain])}. Is that with linear or with exponential gain?",
        measure_words("nDCG", options, exercise, "gain"),
        exercise,
        Choice(tuple(values), frozenset([list(values).index(options.gain)]), remarks),
        tuple(lines),
    )


_WHY = {
    None: "The ranking is as bad as a ranking can be.",
    Status.UNJUDGED: "No document has been judged, so nothing is known of their gains.",
    Status.UNDEFINED: "No judged document has a grade above 0, so the ideal DCG is 0, and nothing "
    "can be divided by it.",
    Status.ABSENT: "The ranking returned nothing.",
}


def why_undefined_question(exercise: Exercise, options: Options) -> Question:
    """Why a query has no nDCG."""
    status = figures(exercise, options).status
    if status not in (Status.UNDEFINED, Status.UNJUDGED) or options.ideal != "judged":
        raise QuestionError("This query has an nDCG, or lacks it for another reason.")
    truth = wording.query_sentence(status, options)
    remarks = {
        None: "The worst ranking of a query with a relevant document has an nDCG: 0.",
        Status.UNJUDGED: "Look at the grades: a grade of 0 is a judgment, too.",
        Status.UNDEFINED: "Nothing is judged here, not even as 0.",
        Status.ABSENT: "Look at the table: some documents were returned.",
    }
    remarks[status] = truth
    right = frozenset([list(_WHY).index(status)])
    return Question(
        "why-undefined",
        f"This query has no {named_at('nDCG', options)}. Why?",
        measure_words("nDCG", options, exercise),
        exercise,
        Choice(tuple(_WHY.values()), right, tuple(remarks.values())),
        (truth,),
    )
