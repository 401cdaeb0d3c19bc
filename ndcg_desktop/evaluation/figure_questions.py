"""Questions that are answered with a figure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from ndcg_desktop.evaluation import mistakes, wording
from ndcg_desktop.evaluation.answers import TOLERANCE, Number
from ndcg_desktop.evaluation.exercise import (
    GREATEST_GRADE,
    Exercise,
    Row,
    figures,
    found,
    reordered,
)
from ndcg_desktop.evaluation.mistakes import Mistake
from ndcg_desktop.evaluation.question import (
    Question,
    QuestionError,
    dcg_line,
    gain_words,
    ideal_lines,
    in_one_order,
    measure_words,
    named_at,
    ndcg_lines,
    scored,
    unjudged_lines,
)
from ndcg_desktop.scoring.gain import gain
from ndcg_desktop.scoring.options import Options


def dcg_question(exercise: Exercise, options: Options) -> Question:
    """The DCG of a ranking."""
    value = figures(exercise, options).dcg
    if value <= 0:
        raise QuestionError("Nothing in this ranking gains anything: its DCG is 0.")
    return Question(
        "dcg",
        f"What is the {named_at('DCG', options)} of this ranking?",
        measure_words("DCG", options, exercise),
        exercise,
        _number(value, mistakes.dcg_mistakes(exercise, options)),
        (*unjudged_lines(exercise, options), dcg_line(exercise, options)),
    )


def ideal_question(exercise: Exercise, options: Options) -> Question:
    """The DCG of the ideal ordering."""
    value = figures(exercise, options).ideal
    if value <= 0:
        raise QuestionError("No judged document has a gain: the ideal DCG is 0.")
    return Question(
        "ideal-dcg",
        f"What is the {named_at('ideal DCG', options)} of this query?",
        measure_words("ideal DCG", options, exercise),
        exercise,
        _number(value, mistakes.ideal_mistakes(exercise, options)),
        tuple(ideal_lines(exercise, options)),
    )


def ndcg_question(exercise: Exercise, options: Options) -> Question:
    """The nDCG of a ranking."""
    sums = scored(exercise, options)
    return Question(
        "ndcg",
        f"What is the {named_at('nDCG', options)} of this ranking?",
        measure_words("nDCG", options, exercise),
        exercise,
        _number(sums.ndcg, mistakes.ndcg_mistakes(exercise, options)),
        (*unjudged_lines(exercise, options), *ndcg_lines(exercise, options)),
    )


def found_question(exercise: Exercise, options: Options, document: str, rank: int) -> Question:
    """The nDCG of a ranking that had returned a missed document too."""
    in_one_order(exercise, options)
    if document not in [row.document for row in exercise.missed]:
        raise QuestionError(f"“{document}” is not among the missed documents.")
    if not 1 <= rank <= exercise.returned + 1:
        raise QuestionError(f"The rank is {rank}; it must be from 1 to {exercise.returned + 1}.")
    after = found(exercise, document, rank)
    wrong = mistakes.found_mistakes(exercise, after, document, rank, options)
    below = "" if rank > exercise.returned else ", with all below it one place lower"
    return Question(
        "found",
        f"{document} was missed. What would the {named_at('nDCG', options)} be if it had been "
        f"found at rank {rank}{below}?",
        measure_words("nDCG", options, exercise),
        exercise,
        _number(scored(after, options).ndcg, wrong),
        (
            f"The ranking is then {', '.join(row.document for row in after.ranked)}.",
            *ndcg_lines(after, options),
        ),
    )


def tie_question(exercise: Exercise, options: Options) -> Question:
    """The DCG of a ranking whose tied results share their places."""
    averaged = replace(options, order="ties-averaged")
    as_shown = replace(options, order="file")
    value = figures(exercise, averaged).dcg
    other = figures(_ties_turned(exercise), as_shown).dcg
    if not exercise.has_ties or abs(figures(exercise, as_shown).dcg - other) <= TOLERANCE:
        raise QuestionError("No results with the same score have different gains within the top k.")
    wrong = [
        Mistake(
            "tied results count in the order they are shown in",
            figures(exercise, as_shown).dcg,
        ),
        Mistake("tied results count in the other order", other),
        *mistakes.dcg_mistakes(exercise, averaged),
    ]
    return Question(
        "tie",
        "Some results have the same score, and could stand in any order. What is the "
        f"{named_at('DCG', options)} if each of them gets the mean discount of the places they "
        "share?",
        measure_words("DCG", averaged, exercise),
        exercise,
        _number(value, wrong),
        (dcg_line(exercise, averaged),),
    )


def _ties_turned(exercise: Exercise) -> Exercise:
    """The tied results in the opposite order."""
    rows: list[Row] = []
    for _, tied in groupby(exercise.ranked, key=lambda row: row.score):
        rows += reversed(list(tied))
    return replace(reordered(exercise, rows), returned=exercise.returned)


def gain_question(exercise: Exercise, options: Options, grade: float) -> Question:
    """The gain of one grade."""
    value = float(gain([grade], options)[0])
    if not (0 <= grade <= GREATEST_GRADE and value >= 0):  # NaN is not, either
        raise QuestionError(f"The grade {grade:g} has no gain that could be computed by hand.")
    text = wording.grade_text(grade)
    words = {
        "linear": f"Linear gain is the grade itself: {text}.",
        "exponential": f"2^{text} − 1 = {wording.grade_text(value + 1)} − 1 = "
        f"{wording.grade_text(value)}.",
        "table": f"The table gives grade {text} the gain {wording.grade_text(value)}.",
    }[options.gain]
    decimals = 0 if value == int(value) else wording.DECIMALS
    wrong = mistakes.gain_mistakes(grade, options)
    return Question(
        "gain",
        f"A document has grade {text}. What is its gain?",
        gain_words(options),
        None,
        _number(value, wrong, decimals),
        (words,),
    )


def discount_question(exercise: Exercise, options: Options, rank: int) -> Question:
    """The discount of one rank."""
    if not 1 <= rank <= 1000:
        raise QuestionError(f"The rank is {rank}; it must be from 1 to 1,000.")
    value = mistakes.discount_at(rank, options)
    formula = {
        "log2": f"1 / log2({rank} + 1)",
        "reciprocal": f"1 / {rank}",
        "base": f"1 / log{options.discount_base:g}({rank})"
        if rank >= options.first_rank
        else f"none before rank {options.first_rank}",
    }[options.discount]
    return Question(
        "discount",
        f"What is the discount at rank {rank}?",
        options.discount_words,
        None,
        _number(value, mistakes.discount_mistakes(rank, options)),
        (f"{formula} = {wording.decimal(value)}",),
    )


def _number(value: float, wrong: Iterable[Mistake], decimals: int = wording.DECIMALS) -> Number:
    """A figure with the mistakes that give another; those that give none are left out."""
    finite = [each for each in wrong if abs(each.value) < wording.LARGE]
    return Number(value, tuple(finite), decimals)
