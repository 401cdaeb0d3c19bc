"""Terms of the sum, gain ÷ log2(rank + 1), as text, LaTeX and spreadsheets write them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ndcg_desktop.evaluation.explanation import Step
from ndcg_desktop.evaluation.wording import grade_text
from ndcg_desktop.scoring.options import Options


@dataclass(frozen=True, slots=True)
class Notation:
    """How numbers, logarithms, fractions and means are written.

    ``number`` writes a grade or gain, ``power`` the gain 2^grade − 1 of a grade as a factor or
    numerator, ``log2`` the divisor of a rank, ``log`` a logarithm of a rank to a base; ``mean``
    takes a gain, a sum and the number of its terms.
    """

    number: Callable[[float], str]
    power: Callable[[str], str]
    log2: Callable[[int], str]
    log: Callable[[int, str], str]
    quotient: Callable[[str, str], str]
    mean: Callable[[str, str, int], str]
    plus: str


def literal(value: float) -> str:
    """A number to the last bit, as programs read it: 3, 2.33, 1E+16."""
    text = repr(float(value)).upper()
    return text.removesuffix(".0")


PLAIN = Notation(
    number=grade_text,
    power=lambda grade: f"(2^{grade} − 1)",
    log2=lambda rank: f"log2({rank} + 1)",
    log=lambda rank, base: f"log{base}({rank})",
    quotient=lambda gain, divisor: f"{gain}/{divisor}",
    mean=lambda gain, terms, count: f"{gain} × ({terms})/{count}",
    plus=" + ",
)
LATEX = Notation(
    number=grade_text,
    power=lambda grade: f"(2^{{{grade}}} - 1)",
    log2=lambda rank: rf"\log_2({rank} + 1)",
    log=lambda rank, base: rf"\log_{{{base}}} {rank}",
    quotient=lambda gain, divisor: rf"\frac{{{gain}}}{{{divisor}}}",
    mean=lambda gain, terms, count: rf"{gain} \cdot \frac{{1}}{{{count}}} \left({terms}\right)",
    plus=" + ",
)
SHEET = Notation(
    number=literal,
    power=lambda grade: f"(2^{grade}-1)",
    log2=lambda rank: f"LOG({rank}+1,2)",
    log=lambda rank, base: f"LOG({rank},{base})",
    quotient=lambda gain, divisor: f"{gain}/{divisor}",
    mean=lambda gain, terms, count: f"{gain}*({terms})/{count}",
    plus="+",
)


def gain_factor(step: Step, options: Options, notation: Notation) -> str:
    """The gain of a step, as it is put into a sum."""
    if options.gain == "exponential" and step.grade is not None and step.grade >= 0:
        return notation.power(notation.number(step.grade))
    return notation.number(step.gain or 0.0)


def term(step: Step, options: Options, notation: Notation) -> str:
    """The discounted gain of a step that has a place, written out."""
    return _discounted(gain_factor(step, options, notation), step, options, notation)


def weight(step: Step, options: Options, notation: Notation) -> str:
    """The discount of a step that has a place, written out."""
    return _discounted("1", step, options, notation)


def _discounted(gain: str, step: Step, options: Options, notation: Notation) -> str:
    assert step.places is not None
    first, last = step.places
    if first == last:
        return _at(gain, first, options, notation)
    end = last if options.cutoff is None else min(last, options.cutoff)
    terms = [_at("1", place, options, notation) for place in range(first, end + 1)]
    return notation.mean(gain, notation.plus.join(terms) or "0", last - first + 1)


def _at(gain: str, place: int, options: Options, notation: Notation) -> str:
    if options.cutoff is not None and place > options.cutoff:
        return "0"
    if options.discount == "reciprocal":
        return notation.quotient(gain, str(place))
    if options.discount == "log2":
        return notation.quotient(gain, notation.log2(place))
    if place < options.discount_base:
        return gain
    return notation.quotient(gain, notation.log(place, notation.number(options.discount_base)))


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{each: "\\" + each for each in "{}$&#_%"},
}


def latex_text(text: str) -> str:
    """A text of a file on one line, with what LaTeX would take for commands made harmless."""
    line = " ".join(text.split())
    return re.sub(r"[\\~^{}$&#_%]", lambda each: _LATEX[each[0]], line)
