"""Which single change of one query's list, or which single grade, changes its nDCG most.

Changes of the list are tried on the order of a scenario, in which every document has a place of its
own. A document that is returned twice is moved by its first appearance, and not below its next,
where it would count instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.detail import QueryRows, query_rows, row_codes
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.evaluation.scenario import Figures, score_scenario
from ndcg_desktop.scoring.discount import discount
from ndcg_desktop.scoring.gain import gain
from ndcg_desktop.scoring.ndcg import ROUNDING, Groups, Hits, Status, condensed, group, score

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EQUAL = 1e-12
"""Two changes whose effects differ by no more than this do the same."""

CELLS = 1 << 20
"""Size of the tables of grades that are tried at once."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change makes of the nDCG."""

    before: float
    value: float

    @property
    def change(self) -> float:
        """The rise, or fall."""
        return self.value - self.before


@dataclass(frozen=True, slots=True)
class Move(Effect):
    """A document goes from one rank to another, and those between make way."""

    document: str
    rank: int
    to: int


@dataclass(frozen=True, slots=True)
class Swap(Effect):
    """Two documents change places, the first of them going down."""

    document: str
    rank: int
    other: str
    to: int


@dataclass(frozen=True, slots=True)
class Insertion(Effect):
    """A document that was not returned is, and those from its rank on make way."""

    document: str
    grade: float
    to: int


@dataclass(frozen=True, slots=True)
class Grading(Effect):
    """An unjudged document, at its ``rank`` or not returned (None), gets a grade."""

    document: str
    rank: int | None
    grade: float


# ---- the list


@dataclass(frozen=True, slots=True)
class _Places:
    """The m places of a list at which a document can count, best first, shape (m,).

    ``rank`` is that in the list; they differ where unjudged documents are removed. ``movable`` and
    ``limit`` say which documents can be moved, and the last place to which; ``discount`` has one
    more, for a document that is inserted.
    """

    rank: Ints
    gain: Floats
    discount: Floats
    movable: NDArray[np.bool_]
    limit: Ints

    @property
    def lowered(self) -> Floats:
        """What is won when the first i documents go down by one, at i; shape (m + 1,)."""
        return np.concatenate(([0.0], np.cumsum(self.gain * np.diff(self.discount))))

    @property
    def raised(self) -> Floats:
        """What is won when the documents after the first, up to i, go up by one; shape (m,)."""
        steps = np.diff(self.discount[:-1])
        return np.concatenate(([0.0], np.cumsum(-self.gain[1:] * steps)))[: len(self.gain)]


def _places(evaluation: Evaluation, rows: QueryRows) -> _Places:
    options = evaluation.options
    code = row_codes(evaluation, rows)[: rows.returned]
    repeated = rows.repeated[: rows.returned]
    here = np.arange(rows.returned)
    if options.unjudged == "remove":
        here = np.flatnonzero((code != UNJUDGED) & ~repeated)
    gains = np.where(repeated, 0.0, evaluation.gains[code])[here]
    ends = _next_appearance(rows)[here]
    return _Places(
        rank=here + 1,
        gain=gains,
        discount=discount(len(here) + 1, options),
        movable=~repeated[here],
        limit=np.searchsorted(here, ends) - 1,
    )


def _next_appearance(rows: QueryRows) -> Ints:
    """The row at which each returned document stands next, else the end of the list."""
    found = np.full(rows.returned, rows.returned)
    if rows.repeated.any():
        later: dict[str, int] = {}
        for row in range(rows.returned - 1, -1, -1):
            found[row] = later.get(rows.documents[row], rows.returned)
            later[rows.documents[row]] = row
    return found


@dataclass(slots=True)
class _Best:
    """The best so far: a rise of no more than ``room``, and which document goes where."""

    room: float
    rise: float = EQUAL
    place: int = -1
    to: int = -1

    def look(self, place: int, to: Ints, rise: Floats) -> None:
        """Take the best of these rises, and of equal ones the nearest, if it is better."""
        possible = rise <= self.room
        to, rise = to[possible], rise[possible]
        if not len(rise) or rise.max() <= self.rise + EQUAL:
            return
        best = to[rise >= rise.max() - EQUAL]
        self.rise, self.place = float(rise.max()), place
        self.to = int(best[np.argmin(np.abs(best - place))])


def best_move(evaluation: Evaluation, query: int, ranking: int) -> Move | None:
    """The document that, moved to another rank of the list, raises nDCG most; None where none
    does, or where the query is not scored.
    """
    rows = query_rows(evaluation, query, ranking)
    now = _now(evaluation, rows)
    if now.value is None:
        return None
    places = _places(evaluation, rows)
    gain, weight = places.gain, places.discount
    lowered, raised = places.lowered, places.raised
    best = _Best(_room(evaluation, now))
    for place in np.flatnonzero(places.movable).tolist():
        to = np.arange(places.limit[place] + 1)
        others = np.where(to < place, lowered[place] - lowered[to], raised[to] - raised[place])
        best.look(place, to, gain[place] * (weight[to] - weight[place]) + others)
    if best.place < 0:
        return None
    row, to_row = (int(places.rank[each]) - 1 for each in (best.place, best.to))
    documents = list(rows.documents[: rows.returned])
    document = documents.pop(row)
    documents.insert(to_row, document)
    value = _value(evaluation, query, documents)
    return Move(now.value, value, document, row + 1, to_row + 1)


def best_swap(evaluation: Evaluation, query: int, ranking: int) -> Swap | None:
    """The two documents that, each at the other's rank, raise nDCG most. Both are judged where the
    unjudged are removed: there an exchange with one of them is a move.
    """
    rows = query_rows(evaluation, query, ranking)
    now = _now(evaluation, rows)
    if now.value is None:
        return None
    places = _places(evaluation, rows)
    gain, weight = places.gain, places.discount
    best = _Best(_room(evaluation, now))
    for place in np.flatnonzero(places.movable).tolist():
        to = np.arange(place + 1, places.limit[place] + 1)
        to = to[places.movable[to]]
        best.look(place, to, (gain[place] - gain[to]) * (weight[to] - weight[place]))
    if best.place < 0:
        return None
    row, other = (int(places.rank[each]) - 1 for each in (best.place, best.to))
    documents = list(rows.documents[: rows.returned])
    documents[row], documents[other] = documents[other], documents[row]
    value = _value(evaluation, query, documents)
    return Swap(now.value, value, documents[other], row + 1, documents[row], other + 1)


def best_missed(evaluation: Evaluation, query: int, ranking: int) -> Insertion | None:
    """The judged document that was not returned and would, at its best rank, raise nDCG most."""
    rows = query_rows(evaluation, query, ranking)
    now = _now(evaluation, rows)
    if now.value is None:
        return None
    code = row_codes(evaluation, rows)
    missed = rows.returned + np.flatnonzero(code[rows.returned :] != UNJUDGED)
    # Of equal gains one stands for all.
    _, first = np.unique(evaluation.gains[code[missed]], return_index=True)
    places = _places(evaluation, rows)
    found = [
        _inserted(evaluation, rows, places, int(row), now)
        for row in missed[np.sort(first)].tolist()
    ]
    helping = [each for each in found if each is not None and each.change > EQUAL]
    return max(helping, key=lambda each: each.value, default=None)


def _inserted(
    evaluation: Evaluation, rows: QueryRows, places: _Places, row: int, now: Figures
) -> Insertion | None:
    """A missed document at the rank at which it helps most."""
    assert now.value is not None
    code = int(row_codes(evaluation, rows)[row])
    lowered = places.lowered
    rise = evaluation.gains[code] * places.discount + lowered[-1] - lowered
    possible = np.flatnonzero(rise <= _room(evaluation, now))
    if not len(possible):
        return None
    at = int(possible[rise[possible] >= rise[possible].max() - EQUAL][0])
    to = int(places.rank[at]) if at < len(places.rank) else rows.returned + 1
    documents = list(rows.documents[: rows.returned])
    documents.insert(to - 1, rows.documents[row])
    value = _value(evaluation, rows.query, documents)
    return Insertion(now.value, value, rows.documents[row], evaluation.judgments.values[code], to)


def _now(evaluation: Evaluation, rows: QueryRows) -> Figures:
    """The figures of the list, without a value where there is none to be raised."""
    figures = score_scenario(evaluation, rows.query, rows.documents[: rows.returned])
    scored = figures.status in (Status.SCORED, Status.ABSENT)
    return figures if scored else replace(figures, value=None)


def _room(evaluation: Evaluation, now: Figures) -> float:
    """How far the DCG may rise: above an ideal that was given there is no score."""
    if not evaluation.uses_given_ideal:
        return np.inf
    return now.ideal_dcg * (1 + ROUNDING) - now.dcg


def _value(evaluation: Evaluation, query: int, documents: Sequence[str]) -> float:
    value = score_scenario(evaluation, query, documents).value
    return 0.0 if value is None else value


# ---- a grade


def top_grade(evaluation: Evaluation) -> float:
    """The highest grade that a document can get; a gain table is a scale of its own."""
    options = evaluation.options
    if options.gain == "table":
        return max(grade for grade, _ in options.gain_table)
    return float(evaluation.judgments.scale().max())


def best_grades(
    evaluation: Evaluation, query: int, ranking: int
) -> tuple[Grading | None, Grading | None]:
    """The unjudged documents that, given the highest grade, raise and lower nDCG most; None where
    none does, or where the query is not scored. The first of equal ones.
    """
    scores = evaluation.scores(ranking)
    if scores.status[query] != Status.SCORED:
        return None, None
    rows = query_rows(evaluation, query, ranking)
    blank = np.flatnonzero((row_codes(evaluation, rows) == UNJUDGED) & ~rows.repeated)
    if not len(blank):
        return None, None
    size = max(CELLS // max(len(rows), 1), 1)
    parts = [blank[start : start + size] for start in range(0, len(blank), size)]
    value = np.concatenate([_graded(evaluation, rows, part) for part in parts])
    before = float(scores.value[query])
    change = np.nan_to_num(value - before)

    def grading(end: float) -> Grading:
        at = int(np.flatnonzero(np.abs(change - end) <= EQUAL)[0])
        row = int(blank[at])
        rank = row + 1 if row < rows.returned else None
        grade = top_grade(evaluation)
        return Grading(before, float(value[at]), rows.documents[row], rank, grade)

    most, least = float(change.max()), float(change.min())
    return grading(most) if most > EQUAL else None, grading(least) if least < -EQUAL else None


def _graded(evaluation: Evaluation, rows: QueryRows, blank: Ints) -> Floats:
    """The nDCG if each of these rows, alone, had the highest grade; NaN where there is none.

    Each is a query of its own, so that all are scored at once.
    """
    options, judgments = evaluation.options, evaluation.judgments
    count, top = len(blank), len(evaluation.gains)
    gains = np.append(evaluation.gains, gain([top_grade(evaluation)], options))
    hits = _hits_with(evaluation, rows, blank, top)
    base = judgments.groups_of_query(rows.query)
    judged = _one_more(base, count, top)
    if options.ideal == "returned":
        ideal = group(hits.query, hits.code, top + 1)
    elif evaluation.uses_given_ideal:
        ideal = _tiled(evaluation.ideal_of_query(rows.query, rows.ranking), count)
    else:
        ideal = judged
    if options.unjudged == "remove":
        hits = condensed(hits)
    scores = score(hits, judged, ideal, gains, np.full(count, rows.returned), options)
    return np.where(scores.status == Status.SCORED, scores.value, np.nan)


def _hits_with(evaluation: Evaluation, rows: QueryRows, blank: Ints, top: int) -> Hits:
    """For each blank, numbered from 0, the judged documents of the list and that one."""
    assert rows.ranking is not None
    code = row_codes(evaluation, rows)[: rows.returned]
    there = (code != UNJUDGED) & ~rows.repeated[: rows.returned]
    is_blank = np.arange(rows.returned) == blank[:, None]
    number, row = np.nonzero(there | is_blank)
    codes = np.where(is_blank[number, row], top, code[row])
    arrangement = evaluation.rankings[rows.ranking].arrange(evaluation.options.order)
    if arrangement.ties is None:
        return Hits(number, codes, row)
    start = arrangement.start[rows.query]
    first, last = (ends[start + row] - start for ends in arrangement.ties)
    return Hits(number, codes, first, last)


def _tiled(groups: Groups, count: int) -> Groups:
    """The groups of one query for each of so many queries."""
    number = np.repeat(np.arange(count, dtype=np.int32), len(groups.code))
    return Groups(number, np.tile(groups.code, count), np.tile(groups.count, count))


def _one_more(groups: Groups, count: int, code: int) -> Groups:
    """The same, each with one more document of a grade."""
    one = np.ones(1, dtype=np.int32)
    return _tiled(
        Groups(
            np.append(groups.query, 0 * one),
            np.append(groups.code, code * one),
            np.append(groups.count, one),
        ),
        count,
    )
