"""Hypothesis strategies for evaluations, options and tables."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from ndcg_desktop.scoring.options import Options

QUERIES = ("q1", "q2", "9")
DOCUMENTS = ("a", "b", "B", "é", "10", "9", "100")
"""Few, so that duplicates and matches are common."""

GRADES = (-2.0, -0.5, 0.0, 0.0, 0.5, 1.0, 1.0, 2.0, 2.33, 3.0)
SCORES = (-1.5, -0.0, 0.0, 1.0, 1.0, 2.5)
TABLE = ((0.0, 0.0), (0.5, 0.25), (1.0, 1.0), (2.0, 0.5), (2.33, 4.0), (3.0, 4.0))
"""A table may give a higher grade a lower gain."""

ORDERS = ("auto", "file", "score", "ties-averaged", "ties-worst")
ROUNDINGS = ("none", "none", "none", "5-decimals", "2-decimals", "floored-terms")
FORMS = ("rows", "score", "rank", "rank and score")


@dataclass
class Data:
    """Judgments (query, document, grade), a ranking (…, score, rank) and ideal grades."""

    judgments: list[tuple[str, str, float | None]]
    ranking: list[tuple[str, str, float | None, float | None]]
    ideal: dict[str, list[float | None]] = field(default_factory=dict)


def pairs() -> st.SearchStrategy[tuple[str, str]]:
    """A query and a document."""
    return st.tuples(st.sampled_from(QUERIES), st.sampled_from(DOCUMENTS))


def grades() -> st.SearchStrategy[float | None]:
    """A grade or a blank: negative, fractional, often the same as another."""
    return st.none() | st.sampled_from(GRADES)


@st.composite
def judgments(draw: st.DrawFn) -> list[tuple[str, str, float | None]]:
    """Judgments with blanks, duplicates and conflicts."""
    rows = draw(st.lists(st.tuples(pairs(), grades()), min_size=1, max_size=14))
    return [(*pair, grade) for pair, grade in rows]


@st.composite
def rankings(draw: st.DrawFn) -> list[tuple[str, str, float | None, float | None]]:
    """A ranking in each of the forms of a file, its rows in any order, some without a number."""
    form = draw(st.sampled_from(FORMS))
    rows = draw(st.lists(pairs(), max_size=16))
    scores = st.none() | st.sampled_from(SCORES)
    ranks = st.none() | st.integers(0, 9).map(float)
    return [
        (*row, draw(scores) if "score" in form else None, draw(ranks) if "rank" in form else None)
        for row in rows
    ]


@st.composite
def data(draw: st.DrawFn) -> Data:
    """Judgments, a ranking and ideal grades of some of the queries."""
    given = st.lists(grades(), min_size=1, max_size=6)
    ideal = draw(st.dictionaries(st.sampled_from(QUERIES), given))
    return Data(draw(judgments()), draw(rankings()), ideal)


@st.composite
def options(draw: st.DrawFn, as_shown: bool = False) -> Options:
    """Any combination of options; a gain table may lack some of the grades.

    ``as_shown`` leaves out those under which a range is not of the very figure that is shown.
    """
    gain = draw(st.sampled_from(("linear", "exponential", "table")))
    missing = draw(st.none() | st.sampled_from(TABLE)) if gain == "table" else None
    return Options(
        gain=gain,
        gain_table=tuple(pair for pair in TABLE if pair != missing),
        cutoff=draw(st.none() | st.integers(1, 9)),
        ideal=draw(st.sampled_from(("judged", "returned", "column"))),
        order=draw(st.sampled_from(ORDERS[: 4 if as_shown else 5])),
        unjudged=draw(st.sampled_from(("zero", "remove"))),
        undefined=draw(st.sampled_from(("skip", "zero", "one"))),
        missing=draw(st.sampled_from(("zero", "skip"))),
        discount=draw(st.sampled_from(("log2", "base", "reciprocal"))),
        discount_base=draw(st.sampled_from((1.5, 2.0, 3.0, 10.0))),
        ideal_cut=draw(st.sampled_from(("k", "none", "returned"))),
        rounding=draw(st.sampled_from(ROUNDINGS[: 1 if as_shown else None])),
    )


# ---- tables of delimited text

CELLS = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"), exclude_characters="\ufeff\x85")
    | st.sampled_from(',;\t|"\n '),
    max_size=8,
)


@dataclass(frozen=True)
class Written:
    """A table, and the text that the csv module makes of it."""

    rows: list[list[str]]
    text: str
    delimiter: str


@st.composite
def written(draw: st.DrawFn, delimiters: str = ",;\t|") -> Written:
    """A table of a query, a document, a rank and a remark, written in some dialect."""
    delimiter = draw(st.sampled_from(delimiters))
    ids = CELLS.map(str.strip).filter(bool)
    row = st.tuples(ids, ids, st.integers(1, 99).map(str), CELLS)
    rows = [list(each) for each in draw(st.lists(row, min_size=1, max_size=8))]
    buffer = io.StringIO(newline="")
    writer: Any = csv.writer(
        buffer,
        delimiter=delimiter,
        quoting=draw(st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))),
        lineterminator=draw(st.sampled_from(("\r\n", "\n"))),
    )
    writer.writerows([["query", "document", "rank", "remark"], *rows])
    return Written(rows, buffer.getvalue(), delimiter)
