"""One query laid out small enough to be worked out by hand, and its figures under any options.

A question of the classroom is asked about an exercise. Its wrong answers are figures of the same
exercise, or of one changed by a mistake, under other options: all of them come from scoring.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.detail import query_numbers, query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.scoring.discount import discount
from ndcg_desktop.scoring.gain import gain
from ndcg_desktop.scoring.ndcg import Groups, Hits, Status, condensed, score, weights
from ndcg_desktop.scoring.options import Options
from ndcg_desktop.scoring.order import tie_ranges

LARGEST_CUTOFF = 10
"""The longest sum that is worth doing by hand."""

MOST_ROWS = 25
"""Documents that a student can oversee."""

GREATEST_GRADE = 30.0
"""A grade whose gain can still be written down, whatever the gain."""

HIGHEST_GRADE = {"linear": GREATEST_GRADE, "exponential": 6.0, "table": GREATEST_GRADE}
"""Of the open data, that its sums can be done by hand."""

MISSED, NOT_JUDGED = "missed", "not judged"


@dataclass(frozen=True, slots=True)
class Row:
    """A document: its grade, None where it is not judged; its rank, None where it was missed."""

    document: str
    grade: float | None
    rank: int | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Exercise:
    """The documents returned for a query, by rank, and those that were judged and missed.

    Rows that change no figure may be left out, so ranks may have gaps; ``returned`` counts all.
    ``ideal_grades`` are those of a column of ideal grades, None where there is none.
    """

    query: str
    rows: tuple[Row, ...]
    returned: int
    ideal_grades: tuple[float, ...] | None = None

    @property
    def ranked(self) -> tuple[Row, ...]:
        """The documents that were returned."""
        return tuple(row for row in self.rows if row.rank is not None)

    @property
    def missed(self) -> tuple[Row, ...]:
        """The documents that were judged and not returned."""
        return tuple(row for row in self.rows if row.rank is None)

    @property
    def judged(self) -> tuple[Row, ...]:
        """The documents that have a grade."""
        return tuple(row for row in self.rows if row.grade is not None)

    @property
    def has_ties(self) -> bool:
        """Whether two returned documents have one score."""
        scores = [row.score for row in self.ranked if row.score is not None]
        return len(set(scores)) < len(scores)


@dataclass(frozen=True, slots=True)
class Figures:
    """The sums of an exercise; ``ndcg`` is NaN where there is none, and ``status`` says why."""

    dcg: float
    ideal: float
    ndcg: float
    status: Status


@dataclass(frozen=True, slots=True)
class Term:
    """One product of a sum: the document (empty in an ideal of given grades), gain, discount."""

    document: str
    gain: float
    discount: float


# ---- making exercises


def exercise_of(
    evaluation: Evaluation, query: int, ranking: int | None, options: Options
) -> Exercise | None:
    """A query of the open data as an exercise, None where it is too large to be done by hand."""
    laid_out = query_rows(evaluation, query, ranking)
    if laid_out.repeated.any():
        return None
    grades = query_numbers(evaluation, laid_out).grade.tolist()
    rows = [
        Row(
            document,
            None if np.isnan(grades[place]) else float(grades[place]),
            place + 1 if place < laid_out.returned else None,
            _score(evaluation, ranking, int(laid_out.file_row[place])),
        )
        for place, document in enumerate(laid_out.documents)
    ]
    name = evaluation.titles.get(query) or evaluation.queries[query]
    given = _given(evaluation, query, ranking)
    exercise = Exercise(name, _that_count(rows, options), laid_out.returned, given)
    return exercise if _fits(exercise, options) else None


def _score(evaluation: Evaluation, ranking: int | None, file_row: int) -> float | None:
    if ranking is None or file_row < 0:
        return None
    scores = evaluation.rankings[ranking].columns.score
    value = None if scores is None else float(scores[file_row])
    return None if value is None or np.isnan(value) else value


def _that_count(rows: list[Row], options: Options) -> tuple[Row, ...]:
    """The first rows, and of the others those that a figure may depend on."""
    if options.order == "ties-averaged":
        return tuple(rows)
    gaining = (gains_of(rows, options) > 0) | np.array([(row.grade or 0) > 0 for row in rows])
    # A document of grade 0 keeps others down where those not judged are removed, and where there
    # is no better one it makes the query undefined, not unjudged.
    judged_count = options.unjudged == "remove" or not gaining.any()
    return tuple(
        row
        for row, gains in zip(rows, gaining.tolist(), strict=True)
        if (row.rank or LARGEST_CUTOFF + 1) <= LARGEST_CUTOFF
        or gains
        or (judged_count and row.grade is not None)
    )


def _given(evaluation: Evaluation, query: int, ranking: int | None) -> tuple[float, ...] | None:
    if not evaluation.uses_given_ideal:
        return None
    groups = evaluation.ideal_of_query(query, ranking)
    values = np.array(evaluation.judgments.values)
    return tuple(np.repeat(values[groups.code], groups.count).tolist())


def _fits(exercise: Exercise, options: Options) -> bool:
    grades = [row.grade for row in exercise.judged if row.grade is not None]
    grades += exercise.ideal_grades or ()
    highest = HIGHEST_GRADE[options.gain]
    return 0 < len(exercise.rows) <= MOST_ROWS and max(grades, default=0.0) <= highest


def fitting(options: Options, exercise: Exercise) -> Options:
    """Options that sums can be done by hand under: with a small cutoff, and with nothing that a
    question does not tell of. An exercise has its documents in order, so only ties matter of that.
    """
    longest = min(max(exercise.returned, 1), LARGEST_CUTOFF)
    return Options(
        gain=options.gain,
        gain_table=options.gain_table,
        cutoff=longest if options.cutoff is None else min(options.cutoff, LARGEST_CUTOFF),
        ideal=options.ideal,
        order="ties-averaged" if options.order == "ties-averaged" else "auto",
        unjudged=options.unjudged,
        undefined=options.undefined,
        discount=options.discount,
        discount_base=options.discount_base,
    )


# ---- changing exercises


def swapped(exercise: Exercise, a: int, b: int) -> Exercise:
    """The exercise with the documents at two ranks in each other's place."""
    place = {a: b, b: a}
    return _ranked_anew(exercise, lambda row: place.get(row.rank or 0, row.rank))


def found(exercise: Exercise, document: str, rank: int) -> Exercise:
    """The exercise with a missed document returned at a rank, those from there on one lower."""

    def moved(row: Row) -> int | None:
        if row.document == document:
            return rank
        return row.rank + 1 if row.rank is not None and row.rank >= rank else row.rank

    changed = _ranked_anew(exercise, moved)
    return replace(changed, returned=max(exercise.returned + 1, rank))


def reordered(exercise: Exercise, rows: Sequence[Row]) -> Exercise:
    """These documents returned in this order, which owes nothing to scores; the others missed."""
    ranks = {row.document: rank for rank, row in enumerate(rows, start=1)}
    unscored = replace(exercise, rows=tuple(replace(row, score=None) for row in exercise.rows))
    changed = _ranked_anew(unscored, lambda row: ranks.get(row.document))
    return replace(changed, returned=len(rows))


def _ranked_anew(exercise: Exercise, rank_of: Callable[[Row], int | None]) -> Exercise:
    rows = [replace(row, rank=rank_of(row)) for row in exercise.rows]
    rows.sort(key=lambda row: (row.rank is None, row.rank or 0))
    return replace(exercise, rows=tuple(rows))


def best_first(exercise: Exercise, options: Options) -> list[Row]:
    """The judged documents in the ideal order."""
    gains = gains_of(exercise.judged, options)
    return [exercise.judged[place] for place in np.argsort(-gains, kind="stable").tolist()]


# ---- figures


def gains_of(rows: Sequence[Row], options: Options) -> NDArray[np.float64]:
    """The gain of each document, 0 where it is not judged; shape (len(rows),)."""
    return gain([np.nan if row.grade is None else row.grade for row in rows], options)


def figures(exercise: Exercise, options: Options) -> Figures:
    """DCG, ideal DCG and nDCG, by the same functions as every score of the program."""
    hits, judged, ideal, gains = _arrays(exercise, options)
    returned = np.array([exercise.returned])
    scores = score(hits, judged, ideal, gains, returned, options)
    status = Status(int(scores.status[0]))
    value = float(scores.value[0]) if status == Status.SCORED else float("nan")
    return Figures(float(scores.dcg[0]), float(scores.ideal_dcg[0]), value, status)


def _arrays(
    exercise: Exercise, options: Options
) -> tuple[Hits, Groups, Groups, NDArray[np.float64]]:
    """Hits, judged documents, ideal documents, and gains; each document is a code of its own."""
    rows, given = exercise.rows, exercise.ideal_grades
    grades = [np.nan if row.grade is None else row.grade for row in rows]
    judged = np.flatnonzero(~np.isnan(np.array(grades)))
    hits = _hits(exercise, options)
    ideal: NDArray[np.integer] = judged
    if options.ideal == "returned":
        ideal = hits.code
    elif options.ideal == "column" and given is not None:
        ideal = np.arange(len(rows), len(rows) + len(given))
    gains = gain([*grades, *(given or ())], options)
    return hits, _groups(judged), _groups(np.sort(ideal)), gains


def _groups(codes: NDArray[np.integer]) -> Groups:
    zeros, ones = np.zeros(len(codes), np.int32), np.ones(len(codes), np.int32)
    return Groups(zeros, codes.astype(np.int32), ones)


def _hits(exercise: Exercise, options: Options) -> Hits:
    ranked = exercise.ranked
    codes = np.array([exercise.rows.index(row) for row in ranked], dtype=np.intp)
    judged = np.array([row.grade is not None for row in ranked], dtype=bool)
    first = np.array([row.rank or 0 for row in ranked], dtype=np.int64) - 1
    last = None
    if options.order == "ties-averaged" and exercise.has_ties:
        scores = np.array([np.nan if row.score is None else row.score for row in ranked])
        starts, ends = tie_ranges(np.zeros(len(ranked), np.int32), scores)
        first, last = first[starts], first[ends - 1] + 1
        last = last[judged]
    zeros = np.zeros(int(judged.sum()), dtype=np.intp)
    hits = Hits(zeros, codes[judged], first[judged], last)
    return condensed(hits) if options.unjudged == "remove" else hits


def dcg_terms(exercise: Exercise, options: Options) -> list[Term]:
    """The products that a DCG is the sum of, down to the cutoff."""
    hits = _hits(exercise, options)
    discounts = discount(max(exercise.returned, 1), options)
    weight = weights(hits, discounts)
    rows = [exercise.rows[code] for code in hits.code.tolist()]
    gains = gains_of(rows, options).tolist()
    terms = zip(rows, gains, weight.tolist(), strict=True)
    return [Term(row.document, each, factor) for row, each, factor in terms if factor > 0]


def ideal_terms(exercise: Exercise, options: Options) -> list[Term]:
    """The products that an ideal DCG is the sum of, down to the cutoff."""
    _, _, ideal, gains = _arrays(exercise, options)
    codes = ideal.code[np.argsort(-gains[ideal.code], kind="stable")]
    names = [row.document for row in exercise.rows] + [""] * len(exercise.ideal_grades or ())
    factors = discount(len(codes), options).tolist()
    terms = zip(codes.tolist(), factors, strict=True)
    return [Term(names[code], float(gains[code]), factor) for code, factor in terms if factor > 0]


# ---- in words


def sum_words(terms: Sequence[Term]) -> str:
    """A sum written out: "3 × 1.000 + 1 × 0.631"."""
    if not terms:
        return "nothing is judged here: 0"
    return " + ".join(
        f"{wording.grade_text(term.gain)} × {wording.decimal(term.discount)}" for term in terms
    )


def header_of(exercise: Exercise) -> tuple[str, ...]:
    """The columns of `table_of`; scores only where they matter, since some are equal."""
    return ("rank", "document", "grade", *(("score",) if exercise.has_ties else ()))


def table_of(exercise: Exercise) -> list[tuple[str, ...]]:
    """The exercise as rows of text."""
    return [
        (
            MISSED if row.rank is None else str(row.rank),
            row.document,
            NOT_JUDGED if row.grade is None else wording.grade_text(row.grade),
            *((wording.grade_text(row.score),) if exercise.has_ties else ()),
        )
        for row in exercise.rows
    ]
