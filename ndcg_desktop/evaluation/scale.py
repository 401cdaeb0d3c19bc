"""A scale: which grades there are, what each is called, and what it means."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.entries import Entry
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.findings import MOST_QUERIES, capped
from ndcg_desktop.evaluation.wording import grade_text

CODE = "grade-not-on-scale"
"""Of the findings that `off_scale` makes."""

MOST_LEVELS = 10
"""Grades of a scale: as many as there are digits."""


class ScaleError(ValueError):
    """A scale that nobody can judge by; the text says why."""


@dataclass(frozen=True, slots=True)
class Level:
    """A grade, its name, and in which cases to give it (Markdown)."""

    grade: float
    name: str = ""
    guideline: str = ""

    @property
    def label(self) -> str:
        """The name with the number, which is always there: "3 Exact"."""
        return f"{grade_text(self.grade)} {self.name}".rstrip()


@dataclass(frozen=True, slots=True)
class Scale:
    """Grades with their names, lowest first; ``guideline`` is for all of them (Markdown).

    Raises ScaleError for fewer than two grades, more than MOST_LEVELS, one that stands twice, or
    one that is no finite number.
    """

    name: str
    levels: tuple[Level, ...]
    guideline: str = ""

    def __post_init__(self) -> None:
        grades = [level.grade for level in self.levels]
        if not 2 <= len(grades) <= MOST_LEVELS:
            raise ScaleError(f"A scale has from 2 to {MOST_LEVELS} grades.")
        if not all(map(math.isfinite, grades)):
            raise ScaleError("Every grade is a number.")
        twice = next((grade for grade in grades if grades.count(grade) > 1), None)
        if twice is not None:
            raise ScaleError(f"The grade {grade_text(twice)} stands twice.")
        ascending = tuple(sorted(self.levels, key=lambda level: level.grade))
        object.__setattr__(self, "levels", ascending)

    @property
    def grades(self) -> tuple[float, ...]:
        """The grades, lowest first."""
        return tuple(level.grade for level in self.levels)

    def key_of(self, place: int) -> str:
        """The digit that gives the grade at a place: the grade itself where all are digits, else
        the place, from 0.
        """
        digits = all(grade in range(10) for grade in self.grades)
        return grade_text(self.grades[place]) if digits else str(place)

    def by_key(self, key: str) -> Level | None:
        """The grade that a digit gives, None where it gives none."""
        places = range(len(self.levels))
        return next((self.levels[place] for place in places if self.key_of(place) == key), None)

    def markdown(self) -> str:
        """The guidelines of the scale as one text."""
        parts = [self.guideline]
        for level in reversed(self.levels):
            parts += [f"**{level.label}**", level.guideline]
        return "\n\n".join(filter(None, parts))

    def to_json(self) -> str:
        """The scale as one line of text."""
        levels = [
            {"grade": level.grade, "name": level.name, "guideline": level.guideline}
            for level in self.levels
        ]
        whole = {"name": self.name, "guideline": self.guideline, "levels": levels}
        return json.dumps(whole, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> Scale:
        """The scale that `to_json` wrote. Raises ScaleError for anything else."""
        try:
            given = json.loads(text)
            levels = tuple(
                Level(float(each["grade"]), _text(each["name"]), _text(each["guideline"]))
                for each in given["levels"]
            )
            return Scale(_text(given["name"]), levels, _text(given["guideline"]))
        except ScaleError:
            raise
        except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
            raise ScaleError("This is no scale.") from error


def _text(value: object) -> str:
    """A text of a file. Raises ValueError or TypeError for what is none, or no file could hold."""
    if not isinstance(value, str):
        raise TypeError("This is no text.")
    value.encode()  # half of a pair of surrogates, which JSON can spell out
    return value


def _named(name: str, *words: tuple[str, str]) -> Scale:
    levels = enumerate(words)
    return Scale(name, tuple(Level(float(grade), *each) for grade, each in levels))


BUILT_IN = (
    _named(
        "Binary",
        ("Not relevant", "The document is of no use for this query."),
        ("Relevant", "The document is of use for this query."),
    ),
    _named(
        "0–3",
        ("Not relevant", "The document is of no use for this query."),
        ("Marginally relevant", "It touches the topic, and would disappoint by itself."),
        ("Relevant", "It answers the query, in part or with some effort."),
        ("Highly relevant", "It is what somebody with this query hopes to find."),
    ),
    _named(
        "0–4",
        ("Bad", "The document is of no use for this query."),
        ("Fair", "It touches the topic, and would disappoint by itself."),
        ("Good", "It answers the query in part."),
        ("Excellent", "It answers the query well."),
        ("Perfect", "It is the one document that somebody with this query wants."),
    ),
    _named(
        "ESCI (shopping queries)",
        ("Irrelevant", "The product is not what was asked for, nor of use beside it."),
        ("Complement", "Not what was asked for, but used together with it: a case for a phone."),
        ("Substitute", "It fails some of what was asked for, and could serve in its place."),
        ("Exact", "It is all that was asked for."),
    ),
    _named(
        "TREC Deep Learning",
        ("Irrelevant", "The passage has nothing to do with the query."),
        ("Related", "The passage seems related to the query but does not answer it."),
        (
            "Highly relevant",
            "It has some answer, unclear or hidden among other things.",
        ),
        ("Perfectly relevant", "It is dedicated to the query and has the exact answer."),
    ),
)
"""Scales to choose from; each may be changed into one's own."""


def suggested_scale(evaluation: Evaluation) -> Scale:
    """The scale that the grades which are there suggest, called by the words that files have."""
    labels: dict[float, str] = {}
    for entry in evaluation.entries:
        for grade, word in entry.columns.label_of.items():
            labels.setdefault(grade, word)
    seen = _seen(evaluation)
    top = float(seen.max(initial=0))
    whole = bool(np.all(seen == np.floor(seen)))
    if len(labels) >= 2:
        grades = sorted({*labels, *seen.tolist()})
        grades = grades if len(grades) <= MOST_LEVELS else sorted(labels)[:MOST_LEVELS]
        return Scale("As the file has it", tuple(Level(g, labels.get(g, "")) for g in grades))
    for scale in BUILT_IN[1:3]:
        if whole and top <= scale.grades[-1]:
            return Scale(scale.name, tuple(Level(grade) for grade in scale.grades))
    if whole and top < MOST_LEVELS:
        grades = np.arange(top + 1).tolist()
    else:
        grades = np.union1d(np.maximum(seen, 0.0), [0.0, top or 1.0]).tolist()
    if len(grades) > MOST_LEVELS:
        steps = np.linspace(0, max(top, 1.0), MOST_LEVELS).tolist()
        grades = [round(grade, 0 if whole else 2) for grade in steps]
    return Scale("As the file has it", tuple(Level(float(grade)) for grade in grades))


def _seen(evaluation: Evaluation) -> NDArray[np.float64]:
    """The grades that are there, ascending: those of each judge, not what was made of them."""
    grade = evaluation.judgments.grade
    if evaluation.votes is not None and evaluation.entries:
        grade = np.concatenate([_given(entry) for entry in evaluation.entries])
    return np.unique(grade[~np.isnan(grade)])


def _given(entry: Entry) -> NDArray[np.float64]:
    """The grades of a table as its cells have them."""
    votes = entry.columns.votes
    return entry.columns.grade if votes is None else votes.grade


def _odd(entry: Entry, scale: Scale) -> NDArray[np.intp]:
    """Where the grades of a table are off a scale."""
    grade = _given(entry)
    return np.flatnonzero(~np.isnan(grade) & ~np.isin(grade, scale.grades))


def count_off_scale(evaluation: Evaluation, scale: Scale) -> int:
    """How many grades of the files are none of the scale's."""
    return sum(len(_odd(entry, scale)) for entry in evaluation.entries)


def off_scale(evaluation: Evaluation, scale: Scale) -> list[Finding]:
    """The rows whose grade is none of the scale's."""
    known = ", ".join(map(grade_text, scale.grades))
    found: list[Finding] = []
    total = 0
    for entry in evaluation.entries:
        columns, votes = entry.columns, entry.columns.votes
        grade, odd = _given(entry), _odd(entry, scale)
        total += len(odd)
        for each in odd[:MOST_QUERIES].tolist():
            row, place = (columns.row, each) if votes is None else (votes.row, votes.place[each])
            text = (
                f"The grade {grade_text(float(grade[each]))} of “{columns.document[int(place)]}” "
                f"is not on the scale “{scale.name}” ({known}). It is used as it stands."
            )
            number = int(row[each])
            found.append(Finding("warning", "grade-not-on-scale", text, columns.source, number))
    return capped(found, total, "grades")
