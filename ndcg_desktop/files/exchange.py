"""What is written for other programs: plain judgments and rankings, and what is said of losses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ndcg_desktop.evaluation.columns import Finding, Level, Source
from ndcg_desktop.files.table import FileError
from ndcg_desktop.files.text_patch import is_one_word

LARGEST_WHOLE = 1e15
"""Whole numbers from here on are no longer written as such: 1e+15."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BYTE_ORDER_MARK = "\ufeff"


class Judged(NamedTuple):
    """A document of a query with its grade; None where it is not judged."""

    query: str
    document: str
    grade: float | None
    title: str = ""


class Ranked(NamedTuple):
    """A document that a query returns; ``rank`` counts from 1, None is a document without score."""

    query: str
    document: str
    rank: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Judgments:
    """Judgments to be written: each pair once, with the texts of queries by id where they have
    one.
    """

    rows: Sequence[Judged]
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranking to be written: the rows of a query by rank, each document once. ``by_score`` says
    that the order is that of the scores, ties by document id descending.
    """

    rows: Sequence[Ranked]
    by_score: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Encoded:
    """The bytes of a file, and what could not be said in it."""

    data: bytes
    findings: tuple[Finding, ...] = ()


def told(target: Path, code: str, text: str, level: Level = "warning") -> Finding:
    """Something that a person should know about the file that is written."""
    return Finding(level, code, text, Source(target.name))


def is_whole(grade: float) -> bool:
    """Whether a grade is written as a whole number."""
    return float(grade).is_integer() and abs(grade) < LARGEST_WHOLE


def of(row: Judged | Ranked) -> str:
    """The document and the query of a row, as messages name them."""
    return f"the document “{row.document[:60]}” of the query “{row.query[:60]}”"


def by_query(rows: Iterable[Judged]) -> dict[str, list[Judged]]:
    """The rows of each query, in the order of appearance."""
    queries: dict[str, list[Judged]] = {}
    for row in rows:
        queries.setdefault(row.query, []).append(row)
    return queries


# ---- what no file can hold, and what only some can


def refuse_lost_ids(target: Path, rows: Sequence[Judged] | Sequence[Ranked]) -> None:
    """Raise FileError for an id that is empty or no text, and for a pair that stands twice."""
    seen: set[tuple[str, str]] = set()
    for row in rows:
        for name, text in _ids(row):
            if text.strip() != text or not text:
                problem = "is empty, or has spaces before or after it"
                raise FileError(target, f"The {name} “{text[:60]}” {problem}. Correct it first.")
            if bad := _SURROGATE.search(text):
                problem = f"holds U+{ord(bad[0]):04X}, which is no character"
                raise FileError(target, f"The {name} of {of(row)} {problem}.".replace(bad[0], "?"))
            if text.startswith(_BYTE_ORDER_MARK):
                problem = "begins with the invisible character U+FEFF. Correct it first."
                raise FileError(target, f"The {name} “{text[:60]}” {problem}")
        if (pair := (row.query, row.document)) in seen:
            problem = "stands there twice, and such a file can hold it once. Choose .csv or .xlsx."
            raise FileError(target, f"{of(row).capitalize()} {problem}")
        seen.add(pair)


def refuse_spaces(target: Path, rows: Sequence[Judged] | Sequence[Ranked]) -> None:
    """Raise FileError for an id that is not one word, and for a query that begins with "#"."""
    for row in rows:
        for name, text in _ids(row):
            if not is_one_word(text) or _CONTROL.search(text):
                raise FileError(
                    target,
                    f"The {name} “{text[:60]}” is not one word, as ids in such a file must be. "
                    "Choose .csv or .xlsx, or use ids without spaces.",
                )
        if row.query.startswith("#"):
            raise FileError(
                target,
                f"The query “{row.query[:60]}” begins with “#”, and programs take such a line for "
                "a remark. Choose .csv or .xlsx, or another id.",
            )


def refuse_fractions(target: Path, rows: Sequence[Judged], why: str) -> None:
    """Raise FileError for a grade that is no whole number; ``why`` says what would become of it."""
    for row in rows:
        if row.grade is not None and not is_whole(row.grade):
            raise FileError(
                target,
                f"The grade {row.grade:g} of {of(row)} is no whole number: {why}. Round the grades "
                "first (for several graders, with the median, the lowest or the highest), or "
                "choose .csv or .xlsx.",
            )


def flat(text: str) -> str:
    """A text on one line, its line breaks and runs of spaces made one space."""
    return " ".join(_CONTROL.sub(" ", text).split())


def _ids(row: Judged | Ranked) -> Iterator[tuple[str, str]]:
    yield "query", row.query
    yield "document", row.document
