"""A question, and the words that all questions share: the measure in full, sums written out."""

from __future__ import annotations

from dataclasses import dataclass

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.answers import Answer
from ndcg_desktop.evaluation.exercise import (
    Exercise,
    Figures,
    dcg_terms,
    figures,
    ideal_terms,
    sum_words,
)
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import WORDS, Options


class QuestionError(ValueError):
    """A question that cannot be asked about an exercise; the text says why."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, under which measure, about which documents (None: about none).

    ``explanation`` are lines with the numbers written out.
    """

    kind: str
    text: str
    measure: str
    exercise: Exercise | None
    answer: Answer
    explanation: tuple[str, ...]


def scored(exercise: Exercise, options: Options) -> Figures:
    """The figures of an exercise. Raises QuestionError where it has no nDCG."""
    sums = figures(exercise, options)
    if sums.status != Status.SCORED:
        raise QuestionError(f"There is no nDCG here: {wording.reason(sums.status, options)}.")
    return sums


def in_one_order(exercise: Exercise, options: Options) -> Figures:
    """The figures of an exercise whose results each have a place. Raises QuestionError."""
    if options.order == "ties-averaged" and exercise.has_ties:
        raise QuestionError("Results with the same score have no place that could be changed.")
    return scored(exercise, options)


# ---- the measure in words


def named_at(name: str, options: Options) -> str:
    """A measure with its cutoff: "DCG@4"."""
    return name if options.cutoff is None else f"{name}@{options.cutoff}"


def measure_words(name: str, options: Options, exercise: Exercise, *left_out: str) -> str:
    """A measure with all that its figure depends on; ``left_out`` is not told."""
    said = {"gain": gain_words(options), "discount": options.discount_words}
    if name != "DCG":
        said["ideal"] = WORDS["ideal"][options.ideal]
    if options.order == "ties-averaged":
        said["order"] = WORDS["order"][options.order]
    if any(row.grade is None for row in exercise.rows):
        said["unjudged"] = WORDS["unjudged"][options.unjudged]
    words = [text for part, text in said.items() if part not in left_out]
    return ", ".join([named_at(name, options), *words])


def gain_words(options: Options) -> str:
    """The gain with its formula."""
    if options.gain == "table":
        pairs = ", ".join(f"{grade:g} → {value:g}" for grade, value in options.gain_table)
        return f"gain table {pairs}"
    return {"linear": "linear gain (the grade)", "exponential": "exponential gain (2^grade − 1)"}[
        options.gain
    ]


# ---- explanations


def dcg_line(exercise: Exercise, options: Options) -> str:
    """The sum of a DCG."""
    terms = sum_words(dcg_terms(exercise, options))
    total = wording.decimal(figures(exercise, options).dcg)
    return f"{named_at('DCG', options)} = {terms} = {total}"


def ideal_lines(exercise: Exercise, options: Options) -> list[str]:
    """The order and the sum of an ideal DCG."""
    terms = ideal_terms(exercise, options)
    total = wording.decimal(figures(exercise, options).ideal)
    lines = [f"{named_at('ideal DCG', options)} = {sum_words(terms)} = {total}"]
    if named := [term.document for term in terms if term.document]:
        lines.insert(0, f"Best first: {', '.join(named)}.")
    return lines


def ndcg_lines(exercise: Exercise, options: Options) -> list[str]:
    """Both sums of an nDCG, and their ratio."""
    sums = figures(exercise, options)
    above, below, value = map(wording.decimal, (sums.dcg, sums.ideal, sums.ndcg))
    last = f"{named_at('nDCG', options)} = {above} / {below} = {value}"
    return [dcg_line(exercise, options), *ideal_lines(exercise, options), last]


def unjudged_lines(exercise: Exercise, options: Options) -> list[str]:
    """What is done about documents that are not judged, where there are some."""
    blank = [row.document for row in exercise.ranked if row.grade is None]
    if not blank:
        return []
    what = {"zero": "nothing is added for it", "remove": "it is taken out of the ranking first"}
    return [f"Not judged: {', '.join(blank)}. Of such a document, {what[options.unjudged]}."]
