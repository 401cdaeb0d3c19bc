"""Questions about one query: computed by hand by a student, and by scoring here.

A question states its measure in full, as a score does. `ask` makes one of a given kind, as a lesson
wants it; `questions_of` picks some that suit the open data, the same ones for the same seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from ndcg_desktop.evaluation import choice_questions, figure_questions, wording
from ndcg_desktop.evaluation.answers import Verdict
from ndcg_desktop.evaluation.choice_questions import BOTH_GAINS
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.exercise import Exercise, exercise_of, figures, fitting, gains_of
from ndcg_desktop.evaluation.question import Question, QuestionError
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import Options


def check(question: Question, text: str) -> Verdict:
    """What is said of an answer as it was typed or chosen."""
    return question.answer.check(text)


# ---- by name


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of question is made, and what must be said for it beside the options."""

    make: Callable[..., Question]
    settings: tuple[str, ...] = ()
    of_documents: bool = True


KINDS = {
    "gain": Kind(figure_questions.gain_question, ("grade",), of_documents=False),
    "discount": Kind(figure_questions.discount_question, ("rank",), of_documents=False),
    "dcg": Kind(figure_questions.dcg_question),
    "ideal-order": Kind(choice_questions.ideal_order_question),
    "ideal-dcg": Kind(figure_questions.ideal_question),
    "ndcg": Kind(figure_questions.ndcg_question),
    "which-gain": Kind(choice_questions.which_gain_question),
    "swap": Kind(choice_questions.swap_question, ("pairs",)),
    "found": Kind(figure_questions.found_question, ("document", "rank")),
    "tie": Kind(figure_questions.tie_question),
    "why-undefined": Kind(choice_questions.why_undefined_question),
}
"""The kinds of questions, the easy ones first."""


def ask(kind: str, exercise: Exercise, options: Options, **settings: Any) -> Question:
    """A question of one of the KINDS. Raises QuestionError where it cannot be asked."""
    if KINDS[kind].of_documents and figures(exercise, options).status == Status.REFUSED:
        raise QuestionError(f"Nothing is scored here: {wording.reason(Status.REFUSED, options)}.")
    return KINDS[kind].make(exercise, options, **settings)


# ---- from the open data


def questions_of(
    evaluation: Evaluation,
    query: int,
    ranking: int | None,
    options: Options,
    seed: int,
    count: int,
) -> list[Question]:
    """At most ``count`` questions about a query, of as many kinds as there are, easy ones first.

    The same seed gives the same questions of the same data. None of a query that is too large, or
    that no ranking returns anything for.
    """
    exercise = None if ranking is None else exercise_of(evaluation, query, ranking, options)
    if exercise is None or not exercise.ranked:
        return []
    chance = random.Random(seed)
    options = fitting(options, exercise)
    piles = [_pile(kind, exercise, options, chance) for kind in KINDS]
    chosen: list[Question] = []
    while piles and len(chosen) < count:
        for pile in chance.sample(piles, len(piles)):
            question = next(pile, None) if len(chosen) < count else None
            if question is None:
                piles.remove(pile)
            else:
                chosen.append(question)
    order = list(KINDS)
    return sorted(chosen, key=lambda question: order.index(question.kind))


def _pile(
    kind: str, exercise: Exercise, options: Options, chance: random.Random
) -> Iterator[Question]:
    """All questions of a kind that can be asked, in a random order, each made when it is taken."""
    variants = list(_variants(kind, exercise, options))
    chance.shuffle(variants)
    for its_options, settings in variants:
        with suppress(QuestionError):
            yield ask(kind, exercise, its_options, **settings)


def _variants(
    kind: str, exercise: Exercise, options: Options
) -> Iterator[tuple[Options, dict[str, Any]]]:
    """Options and settings that a kind of question can be asked under."""
    k = options.cutoff or 1
    if kind == "gain":
        exponential = replace(options, gain="exponential")
        grades = {row.grade for row in exercise.judged if row.grade is not None and row.grade > 1}
        yield from ((exponential, {"grade": grade}) for grade in sorted(grades))
    elif kind == "discount":
        yield from ((options, {"rank": rank}) for rank in range(2, k + 1))
    elif kind == "swap":
        yield from ((options, {"pairs": pairs}) for pairs in ("neighbours", "any"))
    elif kind == "found":
        gains = gains_of(exercise.missed, options)
        for row in (exercise.missed[place] for place in gains.nonzero()[0]):
            for rank in range(1, min(k, exercise.returned + 1) + 1):
                yield options, {"document": row.document, "rank": rank}
    elif kind == "which-gain":
        yield from ((replace(options, gain=each), {}) for each in BOTH_GAINS)
    elif kind in ("ideal-order", "why-undefined", "tie"):
        yield options, {}
    else:
        yield from ((replace(options, cutoff=cutoff), {}) for cutoff in range(min(k, 3), k + 1))
