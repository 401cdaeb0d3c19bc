"""Which rows the sheets of a live workbook have, and which rows of one belong to a row of another.

A block is a run of adjacent rows of one sheet, from and to, both included and counted from 1 as the
sheet does; None stands for no row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.scoring.ndcg import condensed

MOST_FORMULAS = 200_000
"""A spreadsheet program takes seconds for as many, and minutes for ten times as many."""
DEPTHS = (1000, 500, 200, 100, 50, 20, 10)
"""To how many places of each ranking a workbook may be cut that would be too large."""
FIRST_ROW = 2
"""Below the header."""

Block = tuple[int, int] | None
Places = Literal["ranks", "judged", "tied", "fixed"]
"""What a returned document is counted at: its rank; its place among the judged, which follows the
grades; the places that tied documents share; or places that no longer follow the grades."""


class TooLargeError(ValueError):
    """The evaluation has more rows than a workbook of formulas can have; the text says so."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A document of a query, which has one grade: NaN where it is not judged."""

    number: int
    query: int
    document: str
    grade: float


@dataclass(frozen=True, slots=True)
class Returned:
    """A document that a ranking returns. ``places`` are the first and the last place it is counted
    at, None where it is not counted or its place is worked out in the sheet.
    """

    query: int
    ranking: int
    rank: int
    document: str
    number: int
    repeated: bool
    places: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Ideal:
    """One place of an ideal ordering; ``grade`` where it was given, ``source`` the rows whose
    gains it is made of elsewhere.
    """

    query: int
    ranking: int | None
    place: int
    grade: float | None
    source: Block


@dataclass
class Layout:
    """The rows of all sheets. ``depth`` is how many places of each ranking there are, None for all;
    ``rankings`` are the numbers of the rankings, the baseline first.
    """

    rankings: tuple[int, ...]
    places: Places
    depth: int | None
    listed: list[Listed] = field(default_factory=list)
    returned: list[Returned] = field(default_factory=list)
    ideal: list[Ideal] = field(default_factory=list)
    listed_of: dict[int, Block] = field(default_factory=dict)
    """By query."""
    returned_of: dict[tuple[int, int], Block] = field(default_factory=dict)
    """By query and ranking."""
    ideal_of: dict[tuple[int, int | None], Block] = field(default_factory=dict)
    """By query and ranking, or None where all rankings share the ideal."""

    @cached_property
    def longest(self) -> int:
        """The number of places that need a discount."""
        ranked = max((each.rank for each in self.returned), default=1)
        return max(ranked, max((each.place for each in self.ideal), default=1))

    @property
    def formulas(self) -> int:
        """About how many formulas the workbook has."""
        of_row = 5 if self.places == "judged" else 4
        scores = len(self.listed_of) * 5 * len(self.rankings)
        return len(self.listed) + of_row * len(self.returned) + 3 * len(self.ideal) + scores


def lay_out(evaluation: Evaluation, rankings: Sequence[int]) -> Layout:
    """The rows of an evaluation with these rankings, the baseline first.

    Rankings are cut where all of them would be too much, and where a cut changes no score.
    Raises TooLargeError where that does not help.
    """
    layout = _laid_out(evaluation, rankings, None)
    for depth in _depths(evaluation):
        if layout.formulas <= MOST_FORMULAS:
            break
        layout = _laid_out(evaluation, rankings, depth)
    if layout.formulas > MOST_FORMULAS:
        raise TooLargeError(
            f"A workbook with live formulas would need {layout.formulas:,} of them; up to "
            f"{MOST_FORMULAS:,} are written. Take fewer queries or rankings, or write CSV."
        )
    return layout


def _depths(evaluation: Evaluation) -> tuple[int, ...]:
    """The depths that rankings can be cut at without a change of any score."""
    options = evaluation.options
    if options.cutoff is None or options.ideal == "returned" or _places(evaluation) != "ranks":
        return ()
    return (*(depth for depth in DEPTHS if depth > options.cutoff), options.cutoff)


def _places(evaluation: Evaluation) -> Places:
    tied = evaluation.options.order == "ties-averaged"
    if evaluation.options.unjudged == "remove":
        return "fixed" if tied else "judged"
    return "tied" if tied else "ranks"


def _laid_out(evaluation: Evaluation, rankings: Sequence[int], depth: int | None) -> Layout:
    layout = Layout(tuple(rankings), _places(evaluation), depth)
    numbers = count(1)
    for query in range(len(evaluation.queries)):
        known = _list_judged(layout, evaluation, query, numbers)
        for ranking in rankings:
            _list_returned(layout, evaluation, ranking, query, known, numbers)
        layout.listed_of[query] = _block(layout.listed, query)
        _add_ideal(layout, evaluation, query)
    return layout


def _list_judged(
    layout: Layout, evaluation: Evaluation, query: int, numbers: Iterator[int]
) -> dict[str, int]:
    """List what the judgments have of a query; gives the number of each document."""
    judgments = evaluation.judgments
    pairs = judgments.of_query(query)
    documents = judgments.documents.take(pairs).texts()
    known = {}
    for document, grade in zip(documents, judgments.grade[pairs].tolist(), strict=True):
        known[document] = next(numbers)
        layout.listed.append(Listed(known[document], query, document, grade))
    return known


def _list_returned(
    layout: Layout,
    evaluation: Evaluation,
    ranking: int,
    query: int,
    known: dict[str, int],
    numbers: Iterator[int],
) -> None:
    """Add what one ranking returns for a query, and list the documents that nobody has judged."""
    table = evaluation.rankings[ranking]
    arrangement = table.arrange(evaluation.options.order)
    rows = arrangement.rows(query)[: layout.depth]
    places = _counted_places(layout, evaluation, ranking, query, rows)
    before = len(layout.returned)
    documents = table.columns.document.take(rows).texts()
    marked = zip(documents, arrangement.repeated[rows].tolist(), strict=True)
    for rank, (document, repeated) in enumerate(marked, start=1):
        if document not in known:
            known[document] = next(numbers)
            layout.listed.append(Listed(known[document], query, document, math.nan))
        layout.returned.append(
            Returned(query, ranking, rank, document, known[document], repeated, places[rank - 1])
        )
    rows_there = len(layout.returned) - before
    first = FIRST_ROW + before
    layout.returned_of[query, ranking] = (first, first + rows_there - 1) if rows_there else None


def _counted_places(
    layout: Layout, evaluation: Evaluation, ranking: int, query: int, rows: NDArray[np.int64]
) -> list[tuple[int, int] | None]:
    """First and last place of each row, from 1."""
    if layout.places == "judged":
        return [None] * len(rows)
    table = evaluation.rankings[ranking]
    arrangement = table.arrange(evaluation.options.order)
    if layout.places == "fixed":
        hits = condensed(table.hits_of_query(evaluation.options.order, query))
        last = hits.first + 1 if hits.last is None else hits.last
        counted = iter(zip((hits.first + 1).tolist(), last.tolist(), strict=True))
        judged = _judged_rows(evaluation, ranking, rows)
        return [next(counted) if each else None for each in judged.tolist()]
    if arrangement.ties is None:
        return [(place, place) for place in range(1, len(rows) + 1)]
    start = int(arrangement.start[query])
    here = slice(start, start + len(rows))
    first, end = (ends[here] - start for ends in arrangement.ties)
    return list(zip((first + 1).tolist(), end.tolist(), strict=True))


def _judged_rows(
    evaluation: Evaluation, ranking: int, rows: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which rows of a ranking are counted where unjudged documents are taken out."""
    table = evaluation.rankings[ranking]
    pair = table.pair[rows]
    graded = (pair != NO_PAIR) & ~np.isnan(evaluation.judgments.grade[pair])
    judged: NDArray[np.bool_] = graded & ~table.arrange(evaluation.options.order).repeated[rows]
    return judged


def _add_ideal(layout: Layout, evaluation: Evaluation, query: int) -> None:
    if evaluation.options.ideal == "returned":
        for ranking in layout.rankings:
            block = layout.returned_of[query, ranking]
            _add_places(layout, query, ranking, _length(block), block)
    elif evaluation.uses_given_ideal:
        groups = evaluation.ideal_of_query(query, None)
        codes = np.repeat(groups.code, groups.count)
        gains = np.nan_to_num(evaluation.gains, nan=-1.0, posinf=np.inf)[codes]
        best = codes[np.argsort(-gains, kind="stable")]
        grades = np.array(evaluation.judgments.values)[best].tolist()
        _add_places(layout, query, None, len(grades), None, grades)
    else:
        block = layout.listed_of[query]
        places = _length(block) if layout.depth is None else min(_length(block), layout.depth)
        _add_places(layout, query, None, places, block)


def _add_places(
    layout: Layout,
    query: int,
    ranking: int | None,
    places: int,
    source: Block,
    grades: Sequence[float] = (),
) -> None:
    first = FIRST_ROW + len(layout.ideal)
    for place in range(1, places + 1):
        grade = grades[place - 1] if grades else None
        layout.ideal.append(Ideal(query, ranking, place, grade, source))
    layout.ideal_of[query, ranking] = (first, first + places - 1) if places else None


def _length(block: Block) -> int:
    return 0 if block is None else block[1] - block[0] + 1


def _block(listed: Sequence[Listed], query: int) -> Block:
    """The rows of the query that was listed last."""
    last = len(listed)
    first = last
    while first and listed[first - 1].query == query:
        first -= 1
    return (FIRST_ROW + first, FIRST_ROW + last - 1) if first < last else None
