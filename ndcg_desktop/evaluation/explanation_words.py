"""An explanation of a score as text, as LaTeX, as a spreadsheet formula, and in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ndcg_desktop.evaluation.explanation import Explanation, Step
from ndcg_desktop.evaluation.notation import (
    LATEX,
    PLAIN,
    SHEET,
    latex_text,
    term,
    weight,
)
from ndcg_desktop.evaluation.wording import DECIMALS, decimal, grade_text
from ndcg_desktop.scoring.options import Options

LONGEST_FORMULA = 8192
"""Characters that a formula of Excel may have."""

MOST_TERMS = 30
"""Terms of a sum that are written in a line; of more, those that are 0 are left out."""

TOLD = 20
"""Places, and missed documents, that are each told in words."""

MOST_TIED = 4
"""Tied places whose discounts are each written in a cell."""

HEADERS = ("rank", "document", "grade", "gain", "discount", "discounted gain", "running sum")

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a formula; a term of a sum has its ``rank``, of the ranking or of the ideal."""

    text: str
    rank: int | None = None
    of_ideal: bool = False


# ---- one step


def gain_words(step: Step, options: Options) -> str:
    """How a gain comes of a grade: "3", "2^3 − 1 = 7", "4 (table)"; else why there is none."""
    if step.state == "repeated":
        return "0 (returned before)"
    if step.grade is None:
        return "not judged"
    if step.gain is None:
        return "cannot be computed"
    gain = grade_text(step.gain)
    if step.grade < 0:
        return f"{gain} (grade below 0)"
    if options.gain == "exponential":
        return f"2^{grade_text(step.grade)} − 1 = {gain}"
    return f"{gain} (table)" if options.gain == "table" else gain


def discount_words(step: Step, options: Options, decimals: int = DECIMALS) -> str:
    """How a discount comes of a rank: "1/log2(1 + 1) = 1.000"; else why there is none."""
    if step.state == "removed":
        return "left out"
    if step.places is None or step.discount is None:
        return "no place"
    if not step.discount:
        return f"0 beyond k = {options.cutoff}"
    figure = decimal(step.discount, decimals)
    first, last = step.places
    if last - first >= MOST_TIED:
        return f"mean of places {first}–{last} = {figure}"
    if options.discount == "base" and first == last and first < options.discount_base:
        return f"{figure} before rank {options.first_rank}"
    return f"{weight(step, options, PLAIN).removeprefix('1 × ')} = {figure}"


def state_words(step: Step) -> str:
    """What comes of a document that does not count, empty for one that does."""
    return {
        "counted": "",
        "unjudged": "not judged",
        "beyond": "beyond k",
        "repeated": "returned before",
        "removed": "not judged, removed",
        "refused": "its gain cannot be computed",
    }[step.state]


def cells(step: Step, options: Options, decimals: int = DECIMALS) -> list[str]:
    """The texts of a step under HEADERS."""
    unjudged = step.grade is None
    return [
        str(step.rank),
        step.document or "(ideal column)",
        "–" if unjudged else grade_text(step.grade),
        gain_words(step, options),
        discount_words(step, options, decimals),
        decimal(None if unjudged else step.discounted, decimals),
        decimal(step.running, decimals),
    ]


# ---- the sums


def dcg_name(options: Options) -> str:
    """What the sum is called, as DCG@10."""
    return "DCG" if options.cutoff is None else f"DCG@{options.cutoff}"


def terms_of(steps: Iterable[Step]) -> list[Step]:
    """The steps that are terms of a sum: those that are judged and have a discount."""
    return [step for step in steps if step.counts and step.discount]


def formula_parts(
    explanation: Explanation, decimals: int = DECIMALS, upto: int | None = None
) -> list[list[Part]]:
    """The two sums and the division, line by line; ``upto`` leaves out the ranks after it, and
    what comes of them.
    """
    lines: list[list[Part]] = []
    name = dcg_name(explanation.options)
    if explanation.ranking is not None:
        lines += _sum_lines(name, explanation, False, decimals, upto)
    lines += _sum_lines(f"ideal {name}", explanation, True, decimals, upto)
    if upto is None:
        lines.append([Part(division(explanation, decimals))])
    return lines


def division(explanation: Explanation, decimals: int = DECIMALS) -> str:
    """The score as the ratio of the sums, or why there is none."""
    value = decimal(explanation.value, decimals)
    if not explanation.scored:
        return f"{explanation.measure} = {value}: {explanation.sentence}"
    dcg, ideal = decimal(explanation.dcg, decimals), decimal(explanation.ideal_dcg, decimals)
    return f"{explanation.measure} = {dcg} / {ideal} = {value}"


def _sum_lines(
    name: str, explanation: Explanation, of_ideal: bool, decimals: int, upto: int | None
) -> list[list[Part]]:
    """A sum as its terms, and below them as its figures with the total."""
    every = terms_of(explanation.ideal if of_ideal else explanation.steps)
    steps = every if upto is None else [step for step in every if step.rank <= upto]
    nothing = 0
    if len(every) > MOST_TERMS:
        nothing = sum(not step.gain and step.state == "counted" for step in steps)
        steps = [step for step in steps if step.gain or step.state == "refused"]
    more = len(steps) + nothing < len(every)
    total = explanation.ideal_dcg if of_ideal else explanation.dcg
    end = [] if more else [Part(f" = {decimal(total, decimals)}")]
    options = explanation.options
    written = [(step.rank, term(step, options, PLAIN)) for step in steps]
    figures = [(step.rank, decimal(step.discounted, decimals)) for step in steps]
    rest = [f"{nothing} × 0"] if nothing else []
    rest += ["…"] if more else []
    return [
        [Part(f"{name} = "), *_joined(written, rest, of_ideal)],
        [Part(" " * len(name) + " = "), *_joined(figures, rest, of_ideal), *end],
    ]


def _joined(terms: Sequence[tuple[int, str]], rest: Sequence[str], of_ideal: bool) -> list[Part]:
    parts: list[Part] = []
    for rank, text in terms:
        parts += [Part(" + ")] if parts else []
        parts.append(Part(text, rank, of_ideal))
    for text in rest:
        parts.append(Part(f" + {text}" if parts else text))
    return parts or [Part("0")]


# ---- to be copied


def as_text(explanation: Explanation, decimals: int = DECIMALS) -> str:
    """Everything as plain text, in columns."""
    head = [explanation.query, explanation.ranking or "ideal", explanation.named]
    parts = [" · ".join(" ".join(each.split()) for each in head)]
    name = dcg_name(explanation.options)
    if explanation.ranking is not None:
        parts.append(_table(name, explanation.steps[: explanation.last], explanation, decimals))
        beyond = len(explanation.steps) - explanation.last
        if beyond:
            parts[-1] += f"\n({beyond} more returned, which do not count)"
    ideal = [step for step in explanation.ideal if step.discount]
    parts.append(_table(f"ideal {name}", ideal, explanation, decimals))
    lines = formula_parts(explanation, decimals)
    parts.append("\n".join("".join(part.text for part in line) for line in lines))
    return "\n\n".join(parts) + "\n"


def _table(name: str, steps: Sequence[Step], explanation: Explanation, decimals: int) -> str:
    rows = [list(HEADERS)]
    rows += [
        [" ".join(text.split()) for text in cells(step, explanation.options, decimals)]
        for step in steps
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = (0, 2, 5, 6)
    lines = [
        "  ".join(
            text.rjust(width) if column in right else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([name, *lines])


def as_latex(explanation: Explanation, decimals: int = DECIMALS) -> str:
    """The sums and the division as an align environment of amsmath, a line for each document."""
    name = dcg_name(explanation.options)
    lines: list[str] = []
    if explanation.ranking is not None:
        lines += _latex_sum(name, explanation.steps, explanation.dcg, explanation, decimals)
    lines += _latex_sum(
        f"ideal {name}", explanation.ideal, explanation.ideal_dcg, explanation, decimals
    )
    if explanation.scored:
        dcg, ideal = (
            _latex_figure(each, decimals) for each in (explanation.dcg, explanation.ideal_dcg)
        )
        value = decimal(explanation.value, decimals)
        measure = latex_text(explanation.measure)
        lines.append(rf"\text{{{measure}}} &= \frac{{{dcg}}}{{{ideal}}} = {value}")
    body = " \\\\\n".join(f"  {line}" for line in lines)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}\n"


def _latex_sum(
    name: str, steps: Sequence[Step], total: float | None, explanation: Explanation, decimals: int
) -> list[str]:
    options, terms = explanation.options, terms_of(steps)
    lines = []
    for place, step in enumerate(terms):
        sign = rf"\text{{{name}}} &= " if not place else r"&\quad + "
        note = latex_text(step.document) or "ideal"
        lines.append(f"{sign}{term(step, options, LATEX)} && \\text{{{note}}}")
    figures = " + ".join(_latex_figure(step.discounted, decimals) for step in terms) or "0"
    start = "&= " if terms else rf"\text{{{name}}} &= "
    return [*lines, f"{start}{figures} = {_latex_figure(total, decimals)}"]


def _latex_figure(value: float | None, decimals: int) -> str:
    """A figure; 1.5e+20 would be a product and a sum."""
    if value is None:
        return "?"
    digits, _, power = decimal(value, decimals).partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}" if power else digits


def as_formula(explanation: Explanation) -> str:
    """One formula that a spreadsheet computes to the value; empty where there is no value, or
    where it would be longer than a spreadsheet takes.

    Function names and separators are the English ones.
    """
    if not explanation.scored:
        return ""
    for zeros in (True, False):
        dcg, ideal = (
            SHEET.plus.join(
                term(step, explanation.options, SHEET)
                for step in terms_of(steps)
                if step.gain or zeros
            )
            for steps in (explanation.steps, explanation.ideal)
        )
        formula = f"=({dcg or '0'})/({ideal})"
        if len(formula) <= LONGEST_FORMULA:
            return formula
    return ""


# ---- in sentences


def in_words(explanation: Explanation, decimals: int = DECIMALS) -> str:
    """What table and chart show, for those who do not see them."""
    if not explanation.scored:
        value = decimal(explanation.value, decimals)
        return f"{explanation.measure} is {value}. {explanation.sentence}".strip()
    parts = [
        f"{explanation.measure} is {decimal(explanation.value, decimals)}: "
        f"{decimal(explanation.dcg, decimals)} of {decimal(explanation.ideal_dcg, decimals)}."
    ]
    placed = [step for step in explanation.steps if step.position and step.discount]
    parts += [_place_words(step, explanation, decimals) for step in placed[:TOLD]]
    if len(placed) > TOLD:
        parts.append(f"{len(placed) - TOLD:,} more places count.")
    return " ".join([*parts, *_empty_words(explanation), *_missed_words(explanation, decimals)])


def _place_words(step: Step, explanation: Explanation, decimals: int) -> str:
    position = step.position or step.rank
    known = position <= len(_ORDINALS)
    place = f"The {_ORDINALS[position - 1]} place" if known else f"Place {position}"
    document = " ".join(step.document.split())
    if step.state != "counted":
        return f"{place} holds {document}, {state_words(step)}."
    here = f"{place} holds {document} with grade {grade_text(step.grade)}"
    ideal = next((each for each in explanation.ideal if each.rank == position), None)
    if ideal is None or ideal.grade is None:
        return f"{here}; the ideal has nothing there."
    if ideal.grade == step.grade:
        return f"{here}, as the ideal does."
    gap = _gap(step, ideal, explanation, decimals)
    return f"{here}, the ideal grade {grade_text(ideal.grade)}{gap}."


def _gap(step: Step, ideal: Step, explanation: Explanation, decimals: int) -> str:
    gap = (ideal.discounted or 0.0) - (step.discounted or 0.0)
    part = decimal(abs(gap) / (explanation.ideal_dcg or 1.0), decimals)
    if not gap:
        return ", which gains the same"
    return f": {part} {'less' if gap > 0 else 'more'}"


def _empty_words(explanation: Explanation) -> list[str]:
    """Where the ideal goes on after the ranking has ended."""
    last = max((step.position or 0 for step in explanation.steps), default=0)
    further = [step.rank for step in explanation.ideal if step.discount and step.rank > last]
    if not further:
        return []
    if len(further) == 1:
        return [f"Place {further[0]} is empty."]
    return [f"Places {further[0]} to {further[-1]} are empty."]


def _missed_words(explanation: Explanation, decimals: int) -> list[str]:
    missed = [step for step in explanation.missed if step.discounted]
    total = explanation.ideal_dcg or 1.0
    words = [
        f"{' '.join(step.document.split())}, grade {grade_text(step.grade)}, was not returned "
        f"and cost {decimal((step.discounted or 0.0) / total, decimals)}."
        for step in missed[:TOLD]
    ]
    if len(missed) > TOLD:
        rest = sum(step.discounted or 0.0 for step in missed[TOLD:]) / total
        words.append(
            f"{len(missed) - TOLD:,} more were not returned and cost {decimal(rest, decimals)}."
        )
    return words
