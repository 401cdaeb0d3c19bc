"""Grades written as words, letters or signs: what each stands for, and how it is written back."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.files.numbers import Decimal, number, number_text, numbers
from ndcg_desktop.files.table import Cell, Table, Texts, cell_text

MOST_LABELS = 100
"""A column with more different texts than this holds remarks and no labels."""

UNJUDGED = frozenset(
    (
        "?", "-", "–", "n/a", "na", "none", "null", "nan", "unjudged", "not judged", "unrated",
        "not rated", "unlabelled", "unlabeled", "no label", "skip", "skipped", "can't tell",
        "can’t tell", "cannot tell", "cant tell", "unsure", "not sure", "don't know", "don’t know",
        "unknown", "nicht bewertet", "unbewertet", "unklar", "weiß nicht", "non jugé", "non juge",
        "ne sait pas", "no juzgado", "sin juzgar", "sin evaluar", "no sé",
    )
)  # fmt: skip
"""Labels that say that there is no grade."""

SCALES: tuple[tuple[str, ...], ...] = tuple(
    tuple(scale.split(" < "))
    for scale in (
        "irrelevant | not relevant | nonrelevant | non-relevant | non relevant < relevant",
        "not relevant | irrelevant < relevant < highly relevant | very relevant",
        "not relevant | irrelevant < partially relevant | partly relevant | marginally relevant | "
        "somewhat relevant | slightly relevant < relevant",
        "not relevant | irrelevant < partially relevant | partly relevant | marginally relevant | "
        "somewhat relevant | slightly relevant < highly relevant | very relevant",
        "not relevant | irrelevant < partially relevant | partly relevant | marginally relevant | "
        "somewhat relevant | slightly relevant < relevant < highly relevant | very relevant",
        # The passages and documents of TREC Deep Learning.
        "irrelevant | not relevant < related | relevant < highly relevant < perfectly relevant",
        "irrelevant | no match < partial | partial match < exact | exact match",
        "irrelevant < complement < substitute < exact",
        "i < c < s < e",
        "irrelevant < relevant < vital",
        "bad | poor < good",
        "bad | poor < fair < good < excellent",
        "bad < poor < fair < good < excellent",
        "bad | poor < fair < good < excellent < perfect",
        "no < yes",
        "no < maybe | partly | partially < yes",
        "n < y",
        "false < true",
        "f < t",
        "n < r",
        "i < m < n < r",  # irrelevant, misplaced, near, relevant: the VA's search reviews
        "unmarked < x",
        "✗ | ✘ | ✕ | × | x | ❌ < ✓ | ✔ | ☑ | ✅",
        "👎 < 👍",
        "thumbs down < thumbs up",
        "down < up",
        "f < d < c < b < a",
        "f < e < d < c < b < a",
        "low < medium < high",
        "none < low < medium < high",
        "nein < ja",
        "nein < teilweise < ja",
        "nicht relevant | irrelevant < relevant",
        "nicht relevant | irrelevant < teilweise relevant < relevant < sehr relevant",
        "schlecht < gut",
        "non < oui",
        "non pertinent | hors sujet < pertinent",
        "non pertinent | hors sujet < peu pertinent | partiellement pertinent < pertinent < "
        "très pertinent",
        "mauvais < bon",
        "no < sí | si",
        "no relevante | irrelevante < relevante",
        "no relevante | irrelevante < poco relevante | parcialmente relevante < relevante < "
        "muy relevante",
        "malo < bueno",
        "falso < verdadero",
        "faux < vrai",
        "falsch < wahr",
    )
)
"""Known scales from grade 0 up, the names of one grade apart by "|", the first of them the usual
one. Where several scales know the labels of a column as well, the one with fewest grades, and then
the first, is suggested.
"""

_LEADING = re.compile(r"(-?\d{1,3}(?:[.,]\d+)?)(?:\s*[-–—:=.)(\]\[]+\s*|\s+)[^\W\d].*")
_STARS = re.compile(r"[★⭐☆✩*\s]+")
_FILLED = "★⭐*"


def normal_label(text: str) -> str:
    """A label as it is compared: no case, no spaces around it, single ones within."""
    # An emoji's request to be drawn in colour, U+FE0F, is no part of what it says.
    return " ".join(text.replace("\ufe0f", "").casefold().split())


@dataclass(frozen=True, slots=True)
class Labels:
    """What the labels of a column of grades stand for.

    ``grades`` has the grade of each label, as `normal_label` writes it, None for "not judged";
    ``spelling`` the label to write for a grade, as the file spells it.
    """

    grades: Mapping[str, float | None]
    spelling: Mapping[float, str] = field(default_factory=dict)

    def knows(self, text: str) -> bool:
        """Whether the label has a place here, be it "not judged"."""
        return normal_label(text) in self.grades

    def grade_of(self, text: str) -> float | None:
        """The grade of a label; None where that is "not judged", and for an unknown label."""
        return self.grades.get(normal_label(text))

    def text_of(self, grade: float) -> str | None:
        """The label that stands for exactly this grade; None where none does."""
        return self.spelling.get(grade)

    def with_grade(self, text: str, grade: float | None) -> Labels:
        """The same labels but for one, which is given another grade or, by None, "not judged"."""
        grades = {**self.grades, normal_label(text): grade}
        known = [(written, 1) for written in (*self.spelling.values(), text.strip())]
        return Labels(grades, _spellings(grades, known))

    def __str__(self) -> str:
        """Labels and grades as the command line takes them: exact=2,partial=1,n/a="."""
        return ",".join(
            f"{label}={'' if grade is None else number_text(grade)}"
            for label, grade in self.grades.items()
        )


def read_grade(cell: Cell, labels: Labels | None) -> float | None:
    """The grade that a cell gives, None for *not judged*."""
    value = number(cell)
    return labels.grade_of(cell_text(cell)) if value is None and labels is not None else value


def written_grade(grade: float | None, labels: Labels | None) -> float | str | None:
    """What a cell is to hold for a grade: its label where it has one, else the number."""
    label = None if grade is None or labels is None else labels.text_of(grade)
    return grade if label is None else label


def suggest(texts: Iterable[str]) -> Labels | None:
    """The labels of a column of grades, with the grades that they have on a scale that is known.

    Blanks and numbers are passed over. A label that the scale does not know is not judged until a
    person says more. None where no label is known, or the column holds remarks.
    """
    counted: Counter[str] = Counter()
    for text in texts:
        counted[text.strip()] += 1
    written = [(text, n) for text, n in counted.most_common() if text and number(text) is None]
    labels = list(dict.fromkeys(normal_label(text) for text, _ in written))
    if not labels or len(labels) > MOST_LABELS:
        return None
    said = {label: _said(label) for label in labels}
    scale = _scale([label for label in labels if said[label] is None])
    grades = {label: scale.get(label) if said[label] is None else said[label] for label in labels}
    if not any(grade is not None or label in UNJUDGED for label, grade in grades.items()):
        return None
    spelling = _spellings(grades, written)
    _add_unused(scale, grades, spelling)
    best_first = sorted(grades.items(), key=lambda each: (each[1] is None, -(each[1] or 0)))
    return Labels(dict(best_first), spelling)


def labelled_grades(
    table: Table, column: int, labels: Labels, decimal: Decimal = ""
) -> tuple[NDArray[np.float64], list[Finding]]:
    """A column of numbers and labels as grades, NaN where there is none, and what is told of it:
    labels that have no place among ``labels``, and labels that are spelled in several ways.
    """
    cells = table.columns[column]
    read: dict[str, float | None] = {}

    def grade(cell: Cell) -> float | None:
        text = cell_text(cell)
        if text not in read:
            value = number(cell)
            read[text] = labels.grade_of(text) if value is None else value
        return read[text]

    grades, odd = numbers(cells, grade, decimal)
    texts = Texts(cells)
    unknown = [row for row in odd if not labels.knows(texts[row])]
    found = row_findings(
        "warning",
        "unknown-label",
        table.source,
        table.row[unknown].tolist() if unknown else [],
        lambda place: (
            f"“{texts[unknown[place]][:40]}” in the column “{table.names[column]}” stands for no "
            "grade. The document counts as not judged."
        ),
    )
    return grades, found + _spelled_apart(table, texts, labels)


def _spelled_apart(table: Table, texts: Texts, labels: Labels) -> list[Finding]:
    """A finding for each further spelling of a label, at its first row."""
    counts = Counter(texts)
    first: dict[str, int] = {}
    for row, text in enumerate(texts):
        first.setdefault(text, row)
    alike: dict[str, list[str]] = defaultdict(list)
    for text, _ in counts.most_common():
        if labels.knows(text):
            alike[normal_label(text)].append(text)
    odd = [(some[0], text) for some in alike.values() for text in some[1:]]
    odd.sort(key=lambda pair: first[pair[1]])
    return row_findings(
        "note",
        "label-spelling",
        table.source,
        [int(table.row[first[text]]) for _, text in odd],
        lambda place: f"“{odd[place][1]}” is taken for “{odd[place][0]}”, the same grade.",
    )


def parse_labels(text: str) -> Labels:
    """Read "exact=2,partial=1,n/a=" as the command line has it. Raises ValueError."""
    grades: dict[str, float | None] = {}
    written = []
    end = 0
    for match in re.finditer(r"\s*(.+?)\s*=\s*((?:-?\d+(?:\.\d+)?)?)\s*(?:,|$)", text):
        if match.start() != end:
            break
        end = match.end()
        grades[normal_label(match[1])] = float(match[2]) if match[2] else None
        written.append((match[1], 1))
    if not grades or end != len(text):
        raise ValueError(f"{text!r} is not of the form exact=2,partial=1,irrelevant=0")
    return Labels(grades, _spellings(grades, written))


def _said(label: str) -> float | None:
    """The grade that a label names itself: "3 - highly relevant", "★★☆"."""
    if match := _LEADING.fullmatch(label):
        return float(match[1].replace(",", "."))
    if _STARS.fullmatch(label):
        return float(sum(label.count(star) for star in _FILLED))
    return None


def _scale(labels: list[str]) -> dict[str, float]:
    """The scale that knows most of these labels, as grades by name; empty where none does."""
    best: dict[str, float] = {}
    most = (0, 0)
    for scale in SCALES:
        names = {
            name: float(grade) for grade, some in enumerate(scale) for name in some.split(" | ")
        }
        fit = (sum(label in names for label in labels), -len(scale))
        if fit[0] and fit > most:
            best, most = names, fit
    return best


def _spellings(
    grades: Mapping[str, float | None], written: Iterable[tuple[str, int]]
) -> dict[float, str]:
    """The commonest spelling of each grade, the first of those that are as common; of a label whose
    spelling is not known, that in the case of the others.
    """
    counts: dict[float, Counter[str]] = defaultdict(Counter)
    written = list(written)
    used = [text for text, _ in written]
    for text, count in written:
        grade = grades.get(normal_label(text))
        if grade is not None:
            counts[grade][text] += count
    for label, grade in grades.items():
        if grade is not None:
            counts[grade].setdefault(_in_case_of(used, label), 0)
    return {grade: some.most_common(1)[0][0] for grade, some in counts.items()}


def _in_case_of(used: Sequence[str], label: str) -> str:
    """A label in the case that all of those have which are used, if there is one."""
    if used and all(text == text.upper() for text in used):
        return label.upper()
    if used and all(text == text.capitalize() for text in used):
        return label.capitalize()
    return label


def _add_unused(
    scale: Mapping[str, float], grades: dict[str, float | None], spelling: dict[float, str]
) -> None:
    """Name the grades of the scale that the file does not use yet, in the case of those it does."""
    used = list(spelling.values())
    for name, grade in scale.items():
        if grade in spelling or name in grades or name == "unmarked":
            continue
        name = _in_case_of(used, name)
        grades[normal_label(name)] = grade
        spelling[grade] = name
