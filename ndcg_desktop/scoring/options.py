"""The options a ranking is scored under, and the name that a score therefore carries.

A score is never shown without its name, so the name is made here, in one place, from the very
value that the arithmetic reads. Where ir_measures can express a measure its notation is used
(``nDCG@10``, ``nDCG(dcg='exp-log2')@10``); whatever else differs from the default follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

GainKind = Literal["linear", "exponential", "table"]
IdealSource = Literal["judged", "returned", "column"]
IdealCut = Literal["k", "none", "returned"]
Order = Literal["auto", "file", "score", "ties-averaged", "ties-worst"]
Unjudged = Literal["zero", "remove"]
Undefined = Literal["skip", "zero", "one"]
Missing = Literal["zero", "skip"]
DiscountKind = Literal["log2", "base", "reciprocal"]
Rounding = Literal["none", "5-decimals", "2-decimals", "floored-terms"]

WORDS: dict[str, dict[str, str]] = {
    "gain": {
        "linear": "linear gain",
        "exponential": "exponential gain",
        "table": "gain table",
    },
    "ideal": {
        "judged": "ideal from all judged",
        "returned": "ideal from the returned only",
        "column": "ideal from the ideal column",
    },
    "ideal_cut": {
        "k": "ideal cut at k",
        "none": "ideal not cut",
        "returned": "ideal cut at the number of documents returned",
    },
    "order": {
        "auto": "order as the file ranks",
        "file": "order by rank or row",
        "score": "order by score, ties by document id descending",
        "ties-averaged": "order by score, ties averaged",
        "ties-worst": "order by score, the lowest gain first among ties",
    },
    "unjudged": {
        "zero": "unjudged count as gain 0",
        "remove": "unjudged removed before ranking",
    },
    "undefined": {
        "skip": "undefined queries left out",
        "zero": "undefined queries count as 0",
        "one": "undefined queries count as 1",
    },
    "missing": {
        "zero": "queries absent from the ranking count as 0",
        "skip": "queries absent from the ranking left out",
    },
    "rounding": {
        "none": "not rounded",
        "5-decimals": "queries and mean rounded to 5 decimals",
        "2-decimals": "each query rounded to 2 decimals",
        "floored-terms": "each discounted gain and each query cut off after 2 decimals",
    },
}
"""Each value of each option in words, as shown beside a score."""

CHOSEN = ("ideal", "ideal_cut", "order", "unjudged", "undefined", "missing", "rounding")
"""The options that a score's name says by these words alone, in the order in which it does."""

GREATEST_CUTOFF = 2**31 - 1


class OptionsError(ValueError):
    """An option has a value that nothing can be scored under; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a ranking is scored under. The defaults give the figure of ir_measures.

    ``cutoff`` None means no cutoff. ``gain_table`` holds (grade, gain) pairs and is read only
    when ``gain`` is "table"; ``discount_base`` is read only when ``discount`` is "base".
    """

    gain: GainKind = "linear"
    cutoff: int | None = 10
    ideal: IdealSource = "judged"
    order: Order = "auto"
    unjudged: Unjudged = "zero"
    undefined: Undefined = "skip"
    missing: Missing = "zero"
    discount: DiscountKind = "log2"
    discount_base: float = 2.0
    gain_table: tuple[tuple[float, float], ...] = ()
    ideal_cut: IdealCut = "k"
    rounding: Rounding = "none"

    def __post_init__(self) -> None:
        self._check_choices()
        if self.cutoff is not None and (
            type(self.cutoff) is not int or not 1 <= self.cutoff <= GREATEST_CUTOFF
        ):
            raise OptionsError(
                f"The cutoff k is {self.cutoff}; it must be a whole number from 1 to "
                f"{GREATEST_CUTOFF:,}."
            )
        if not isinstance(self.discount_base, int | float):
            raise OptionsError("The discount base is no number.")
        if not 1 < self.discount_base <= 1e6:
            raise OptionsError(
                f"The discount base is {self.discount_base:g}; it must lie above 1, "
                "up to a million."
            )
        if self.gain == "table":
            _check_table(self.gain_table)

    def _check_choices(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise OptionsError(f"{name} is {value!r}; it must be one of {', '.join(choices)}.")

    @property
    def measure(self) -> str:
        """The measure in ir_measures' notation, as far as that can express it."""
        parameters = {"linear": "", "exponential": "(dcg='exp-log2')"}.get(self.gain)
        if parameters is None:
            pairs = ", ".join(f"{grade:g}: {gain:g}" for grade, gain in self.gain_table)
            parameters = f"(gains={{{pairs}}})"
        return f"nDCG{parameters}" + ("" if self.cutoff is None else f"@{self.cutoff}")

    @property
    def short_name(self) -> str:
        """The measure where there is little room; never without its gain and cutoff."""
        gain = {"linear": "", "exponential": " exp", "table": " table"}[self.gain]
        return "nDCG" + ("" if self.cutoff is None else f"@{self.cutoff}") + gain

    @property
    def differences(self) -> list[str]:
        """In words, each option that is not the default and that the measure does not say."""
        default = Options()
        said = [
            WORDS[name][getattr(self, name)]
            for name in CHOSEN
            if getattr(self, name) != getattr(default, name)
        ]
        if self.discount != default.discount:
            said.append(self.discount_words)
        return said

    @property
    def discount_words(self) -> str:
        """The discount as a formula in words."""
        if self.discount == "base":
            return f"discount 1/log{self.discount_base:g}(i), none before rank {self.first_rank}"
        return "discount 1/i" if self.discount == "reciprocal" else "discount 1/log2(i+1)"

    @property
    def first_rank(self) -> int:
        """First rank that a discount of base b touches (Järvelin & Kekäläinen 2002)."""
        base = self.discount_base
        return int(base) if base == int(base) else int(base) + 1

    @property
    def ideal_needs_returned(self) -> bool:
        """Whether a query of which nothing is returned has no ideal for that alone."""
        return "returned" in (self.ideal, self.ideal_cut)

    @property
    def full_name(self) -> str:
        """The measure and everything that differs from the default, in one line."""
        return ", ".join([self.measure, *self.differences])

    @property
    def statement(self) -> str:
        """Gain and ideal always, then everything else that differs from the default."""
        head = [WORDS["gain"][self.gain], WORDS["ideal"][self.ideal]]
        return ", ".join(head + [text for text in self.differences if text not in head])

    def as_dict(self) -> dict[str, Any]:
        """Every option as plain values, for JSON."""
        out: dict[str, Any] = {name: getattr(self, name) for name in _CHOICES}
        out["cutoff"] = self.cutoff
        if self.discount == "base":
            out["discount"] = f"base:{self.discount_base:g}"
        if self.gain == "table":
            out["gain"] = ",".join(f"{grade:g}={gain:g}" for grade, gain in self.gain_table)
        return out


_CHOICES: dict[str, tuple[str, ...]] = {
    "gain": get_args(GainKind),
    "ideal": get_args(IdealSource),
    "order": get_args(Order),
    "unjudged": get_args(Unjudged),
    "undefined": get_args(Undefined),
    "missing": get_args(Missing),
    "discount": get_args(DiscountKind),
    "ideal_cut": get_args(IdealCut),
    "rounding": get_args(Rounding),
}


def _check_table(pairs: tuple[tuple[float, float], ...]) -> None:
    if not pairs:
        raise OptionsError("The gain table is empty; give it at least one grade with its gain.")
    grades = [grade for grade, _ in pairs]
    if len(set(grades)) < len(grades):
        raise OptionsError("The gain table names a grade twice.")
    for grade, gain in pairs:
        if not (abs(grade) < float("inf") and 0 <= gain < float("inf")):
            raise OptionsError(
                f"The gain table gives grade {grade:g} the gain {gain:g}; gains must be "
                "finite and 0 or more."
            )


def parse_gain(text: str) -> tuple[GainKind, tuple[tuple[float, float], ...]]:
    """Read "linear", "exponential" or a table such as "0=0,1=1,2=5".

    Raises OptionsError for anything else.
    """
    if text == "linear":
        return "linear", ()
    if text == "exponential":
        return "exponential", ()
    try:
        pairs = [tuple(map(float, part.split("="))) for part in text.split(",")]
        table = tuple((grade, gain) for grade, gain in pairs)
    except ValueError:
        raise OptionsError(
            f"The gain {text!r} is not understood: it is linear, exponential, or a table of "
            "grade=gain such as 0=0,1=1,2=5."
        ) from None
    _check_table(table)
    return "table", table


def parse_discount(text: str) -> tuple[DiscountKind, float]:
    """Read "log2", "reciprocal" or "base:B". Raises OptionsError for anything else."""
    if text == "log2":
        return "log2", 2.0
    if text == "reciprocal":
        return "reciprocal", 2.0
    kind, _, base = text.partition(":")
    try:
        if kind == "base":
            return "base", float(base)
    except ValueError:
        pass
    raise OptionsError(
        f"The discount {text!r} is not understood: it is log2, reciprocal or base:B."
    )
