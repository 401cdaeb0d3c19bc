"""Answers to a question, right and wrong: how they are read, and what is said of them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.mistakes import Mistake

TOLERANCE = 0.005
"""How far a figure asked for with two or three decimals may be off."""

ROUNDING = 1e-9
"""How far apart two figures may be that are the same."""

MOST_NAMED = 3
"""Mistakes that are named where several give the same figure."""

RIGHT = "Right."

_NUMBER = r"[+\-−]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)"
_FIGURE = re.compile(rf"[=≈~]?\s*({_NUMBER})\s*(?:/\s*({_NUMBER})|(%))?\s*")
LONGEST_FIGURE = 40
SEPARATOR = re.compile(r"\s*[,;>\n]\s*")
"""What stands between the documents of a list."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of an answer. One that is not ``understood`` is neither right nor wrong."""

    right: bool
    words: str
    understood: bool = True


@dataclass(frozen=True, slots=True)
class Given:
    """A number that was typed, and how far it may be from the figure that is meant by it."""

    value: float
    unit: float


def read_figure(text: str) -> Given | None:
    """Read "0.71", "0,71", "71 %" or "3/7"; None for anything else.

    ``unit`` is one of the last digit typed: some round there, and some cut off.
    """
    match = _FIGURE.fullmatch(text.strip())
    if match is None or len(text.strip()) > LONGEST_FIGURE:
        return None
    whole, divisor, percent = match.groups()
    value = _float(whole)
    if divisor is not None:
        below = _float(divisor)
        # Each part has been rounded by as much as its last digit.
        return None if below == 0 else Given(value / below, _of_ratio(whole, divisor))
    unit = 10.0 ** -_decimals(whole)
    return Given(value / 100, unit / 100) if percent else Given(value, unit)


def _float(text: str) -> float:
    return float(text.replace(",", ".").replace("−", "-"))


def _decimals(text: str) -> int:
    return len(re.split(r"[.,]", text)[1]) if re.search(r"[.,]", text) else 0


def _of_ratio(above: str, below: str) -> float:
    """How far a ratio may be off: not at all if of whole numbers."""
    decimals = [_decimals(part) for part in (above, below)]
    if max(decimals) == 0:
        return ROUNDING
    return 10.0 ** -min(each for each in decimals if each) / abs(_float(below))


# ---- numbers


@dataclass(frozen=True, slots=True)
class Number:
    """A figure, and the mistakes that lead to others, the likeliest first.

    ``decimals`` are asked for: none where the answer is a whole number.
    """

    value: float
    mistakes: tuple[Mistake, ...]
    decimals: int = wording.DECIMALS

    @property
    def tolerance(self) -> float:
        """How far an answer may be off."""
        return TOLERANCE + ROUNDING if self.decimals else ROUNDING

    @property
    def text(self) -> str:
        """The right answer."""
        return wording.decimal(self.value, self.decimals)

    @property
    def hint(self) -> str:
        """How it is to be typed."""
        if not self.decimals:
            return "a number such as 4"
        return f"a number with {self.decimals} decimals, such as 0.125, 12.5 % or 1/8"

    def check(self, text: str) -> Verdict:
        """What is said of a figure as it was typed."""
        given = read_figure(text)
        if given is None:
            shown = text.strip()[:LONGEST_FIGURE]
            problem = f"“{shown}” is not understood. " if shown else ""
            return Verdict(False, f"{problem}Type {self.hint}.", understood=False)
        if abs(given.value - self.value) <= self.tolerance:
            return Verdict(True, f"{RIGHT} It is {self.text}.")
        return Verdict(False, self._of_wrong(text.strip(), given))

    def _of_wrong(self, text: str, given: Given) -> str:
        causes = self.recognised(given)
        if causes:
            return f"{text} is what you get when {_one_of(causes)}."
        if given.unit > 10 * ROUNDING and abs(given.value - self.value) <= given.unit / 2:
            return f"{text} is rounded too much: give {self.decimals} decimals."
        if math.isclose(given.value, 100 * self.value, abs_tol=100 * self.tolerance):
            return f"{text} is 100 times too much; a percentage is typed with its sign, %."
        return f"{text} is not right, and no common mistake gives it."

    def recognised(self, given: Given) -> list[str]:
        """The mistakes that give a figure, at most three; the likeliest first."""
        near = max(min(given.unit, TOLERANCE), ROUNDING)
        return [
            mistake.when for mistake in self.wrong() if abs(mistake.value - given.value) <= near
        ][:MOST_NAMED]

    def wrong(self) -> list[Mistake]:
        """The mistakes whose figure cannot be taken for the right one."""
        return [each for each in self.mistakes if abs(each.value - self.value) > self.tolerance]


def _one_of(causes: Sequence[str]) -> str:
    return ", or when ".join(causes)


# ---- words


@dataclass(frozen=True, slots=True)
class Choice:
    """Some words to choose from, of which some are right; ``remarks`` say why each is or is not."""

    choices: tuple[str, ...]
    right: frozenset[int]
    remarks: tuple[str, ...]
    hint: str = "one of the choices"

    @property
    def text(self) -> str:
        """The right answer, or the right ones."""
        return " or ".join(self.choices[place] for place in sorted(self.right))

    def check(self, text: str) -> Verdict:
        """What is said of a choice: its words, or its number from 1."""
        chosen = self._place(text.strip())
        if chosen is None:
            return Verdict(False, "Choose one of the answers.", understood=False)
        remark = self.remarks[chosen]
        if chosen in self.right:
            return Verdict(True, f"{RIGHT} {remark}")
        return Verdict(False, f"Not this one. {remark}")

    def _place(self, text: str) -> int | None:
        words = [choice.casefold() for choice in self.choices]
        if text.casefold() in words:
            return words.index(text.casefold())
        numbers = [str(number) for number in range(1, len(words) + 1)]
        return numbers.index(text) if text in numbers else None


# ---- orders


@dataclass(frozen=True, slots=True)
class Ordering:
    """Documents, the one of most gain first. Documents of one gain may stand in any order, and
    those that gain nothing need not be named.

    ``gains`` are those of all documents that may be named, the judged ones; ``missed`` and
    ``unjudged`` tell what went wrong.
    """

    gains: dict[str, float]
    length: int
    """Documents that are asked for at the most: the cutoff."""
    missed: frozenset[str]
    unjudged: frozenset[str]

    @property
    def hint(self) -> str:
        """How it is to be typed."""
        return "the documents, best first, with commas between them"

    @property
    def best(self) -> list[str]:
        """The documents in an order that is right."""
        return sorted(self.gains, key=lambda name: -self.gains[name])[: self.length]

    @property
    def text(self) -> str:
        """A right answer."""
        return ", ".join(self.best)

    def check(self, text: str) -> Verdict:
        """What is said of a list of documents."""
        named = self._named(text)
        if not named:
            return Verdict(False, f"Type {self.hint}.", understood=False)
        known = {*self.gains, *self.unjudged}
        unknown = next((name for name in named if name not in known), None)
        if unknown is not None:
            words = f"There is no document “{unknown[:LONGEST_FIGURE]}”. Type {self.hint}."
            return Verdict(False, words, understood=False)
        problem = self._problem(named)
        return Verdict(False, problem) if problem else Verdict(True, f"{RIGHT}{self._also(named)}")

    def _named(self, text: str) -> list[str]:
        """The documents of a text, in the letters that they are written in here."""
        exact = {*self.gains, *self.unjudged}
        known = {name.casefold(): name for name in exact}
        parts = re.split(SEPARATOR, text.strip().strip(","))
        if len(parts) == 1 and parts[0].casefold() not in known:
            parts = parts[0].split()
        named = (part if part in exact else known.get(part.casefold(), part) for part in parts)
        return [name for name in named if name]

    def _problem(self, named: Sequence[str]) -> str:
        """What is wrong with documents that are known; empty if nothing is."""
        twice = next((name for name in named if named.count(name) > 1), None)
        if twice is not None:
            return f"{twice} stands twice: a document has one place in the ideal."
        unjudged = next((name for name in named if name in self.unjudged), None)
        if unjudged is not None:
            return f"{unjudged} is not judged: nobody knows its gain, so it is not in the ideal."
        gains = [self.gains[name] for name in named[: self.length]]
        wanted = [self.gains[name] for name in self.best]
        if _without_last_zeros(gains) == _without_last_zeros(wanted):
            return ""
        if gains[: len(wanted)] == sorted(self.gains.values())[: len(gains)]:
            return "This is sorted the wrong way: the best document comes first."
        left_out = [name for name in self.best if name not in named and name in self.missed]
        if left_out:
            return (
                f"{left_out[0]} is left out. It was judged, and it belongs in the ideal whether or "
                "not it was returned."
            )
        return self._first_fault(gains, wanted)

    def _first_fault(self, gains: Sequence[float], wanted: Sequence[float]) -> str:
        for place, (here, best) in enumerate(zip(gains, wanted, strict=False), start=1):
            if here != best:
                better = wording.grade_text(best)
                return f"At place {place} a document with gain {better} can stand."
        left = next(name for name in self.best[len(gains) :])
        return f"{left} is left out: there are {self.length} places."

    def _also(self, named: list[str]) -> str:
        return "" if named[: self.length] == self.best else f" So is {self.text}."


def _without_last_zeros(gains: Sequence[float]) -> list[float]:
    length = max((place for place, gain in enumerate(gains, start=1) if gain > 0), default=0)
    return list(gains[:length])


Answer = Number | Choice | Ordering
