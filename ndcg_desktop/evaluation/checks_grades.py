"""Grades that are off their scale, on another one than the rest, or the wrong way round."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.findings import MOST_QUERIES, capped
from ndcg_desktop.evaluation.ranking import NO_PAIR

Grades = NDArray[np.float64]

POWERS_OF_TEN = (0.0, 1.0, 10.0, 100.0, 1000.0)
"""A scale of its own, on which a rare 100 is no typing error."""

LARGEST_EXPONENTIAL = 16
"""Beyond this grade exponential gain leaves next to nothing to all the grades below it."""

FEWEST_JUDGED = 5
"""Judged documents from which on a query may be said to have another scale."""

FEWEST_QUERIES = 10
"""Queries from which on a scale may be said to run against the rankings."""


def check_grades(evaluation: Evaluation) -> list[Finding]:
    """Everything about the grades that makes a person look at them again."""
    grade = evaluation.judgments.grade
    judged = grade[~np.isnan(grade)]
    if not len(judged):
        return []
    top = usual_top(judged)
    found = _off_scale(evaluation, top)
    found += _mixed_by_query(evaluation, top) or _narrow_queries(evaluation)
    found += _mixed_by_table(evaluation)
    found += _like_scores(evaluation, judged)
    found += _too_large(evaluation, top)
    for ranking in range(len(evaluation.rankings)):
        found += _reversed(evaluation, ranking)
    return found


def usual_top(judged: Grades) -> float:
    """The highest grade of a scale of whole numbers, without the few far above all others."""
    values, counts = np.unique(judged, return_counts=True)
    whole = bool(np.all(values == np.floor(values)))
    if not whole or np.isin(values, POWERS_OF_TEN).all():
        return float(values[-1])
    if len(judged) < 10:
        lone = counts[-1] == 1 and _typed_twice(values)
        return float(values[-2] if lone else values[-1])
    for place in range(len(values) - 1, 0, -1):
        if counts[place:].sum() > max(2, len(judged) // 100):
            break
        below = float(values[place - 1])
        if 1 <= below <= 10 and values[place] > 2 * below + 1:
            return below
    return float(values[-1])


def _typed_twice(values: Grades) -> bool:
    """Whether the highest of some grades has two digits, both of them grades too: 33 or 10, where
    the others go up to 3.
    """
    others, highest = values[:-1], values[-1]
    if len(others) < 2 or not 10 <= highest <= 99 or highest <= 3 * others[-1]:
        return False
    return bool(np.isin(np.divmod(highest, 10), others).all())


def _off_scale(evaluation: Evaluation, top: float) -> list[Finding]:
    found = []
    for entry in evaluation.entries:
        columns = entry.columns
        rows = np.flatnonzero(columns.grade > top)
        for row in rows[: MOST_QUERIES + 1].tolist():
            text = (
                f"The grade {columns.grade[row]:g} of “{columns.document[row]}” is far above all "
                f"other grades, which go up to {top:g}. It is used as it stands; correct it if it "
                "is a typing error."
            )
            place = int(columns.row[row])
            found.append(Finding("warning", "grade-off-scale", text, columns.source, place))
    return capped(found)


def _mixed_by_query(evaluation: Evaluation, top: float) -> list[Finding]:
    """Queries with grades of a higher scale than nearly all others, or with fractions of 1."""
    judgments = evaluation.judgments
    known = ~np.isnan(judgments.grade) & (judgments.grade <= top)
    query, grade = judgments.query[known], judgments.grade[known]
    highest = np.full(judgments.queries, -np.inf)
    np.maximum.at(highest, query, grade)
    tops = np.sort(highest[np.isfinite(highest)])
    usual = float(tops[int(0.8 * (len(tops) - 1))]) if len(tops) >= 3 else 0.0
    if not 0 < usual <= 10:
        return []
    high = np.bincount(query[grade > max(3 * usual, usual + 3)], minlength=judgments.queries) >= 2
    parts = np.bincount(query[grade != np.floor(grade)], minlength=judgments.queries)
    low = (parts >= 2) & (highest <= 1) & (usual >= 2)
    if np.count_nonzero(parts) > np.count_nonzero(low):
        low[:] = False  # fractions are no sign of another scale where they are common
    odd = np.flatnonzero(high | low)
    if len(odd) > 0.2 * len(tops):
        return []
    found = []
    for each in odd[:MOST_QUERIES].tolist():
        source, row = _first_row(evaluation, judgments.of_query(each))
        text = (
            f"The grades of the query “{evaluation.queries[each]}” go up to {highest[each]:g}, "
            f"those of most of the other {len(tops) - 1:,} queries to {usual:g}: they may be on "
            "another scale. They are used as they stand."
        )
        found.append(Finding("warning", "mixed-scales", text, source, row))
    return capped(found, len(odd))


def _narrow_queries(evaluation: Evaluation) -> list[Finding]:
    """Queries graded 0 and 1 beside others graded up to 3 or more: many more of them than chance
    would leave without a higher grade, were the grades of all queries alike, and few that go up
    to 2, as there would be many of where high grades are rare.
    """
    judgments = evaluation.judgments
    known = ~np.isnan(judgments.grade)
    query, grade, queries = judgments.query[known], judgments.grade[known], judgments.queries
    if not len(grade) or np.any(grade != np.floor(grade)):
        return []
    highest = np.full(queries, -np.inf)
    np.maximum.at(highest, query, grade)
    enough = np.bincount(query, minlength=queries) >= FEWEST_JUDGED
    wide, narrow = enough & (highest >= 3), np.flatnonzero(enough & (highest == 1))
    between = int(np.count_nonzero(highest == 2))
    fewest = max(2, 0.1 * np.isfinite(highest).sum(), between + 1)
    if wide.sum() < max(2, 2 * between) or len(narrow) < fewest:
        return []
    relevant = np.bincount(query[grade > 0], minlength=queries)
    ones = np.count_nonzero(wide[query] & (grade == 1)) / relevant[wide].sum()
    by_chance = float((ones ** relevant[enough & (highest > 0)]).sum())
    if len(narrow) < 3 * by_chance:
        return []
    source, row = _first_row(evaluation, judgments.of_query(int(narrow[0])))
    text = (
        f"{len(narrow):,} queries, such as “{evaluation.queries[narrow[0]]}”, are graded 0 and 1 "
        f"only, {int(wide.sum()):,} others up to {highest[wide].max():g}: they may be on different "
        "scales. They are used together as they stand."
    )
    return [Finding("note", "mixed-scales", text, source, row)]


def _first_row(evaluation: Evaluation, pairs: NDArray[np.int64]) -> tuple[Source | None, int]:
    for entry in evaluation.entries:
        rows = np.flatnonzero(np.isin(entry.pair, pairs))
        if len(rows):
            return entry.columns.source, int(entry.columns.row[rows[0]])
    return None, 0


def _mixed_by_table(evaluation: Evaluation) -> list[Finding]:
    if len(evaluation.entries) < 2:
        return []
    tables = {
        f"“{entry.columns.source.file}”"
        + (f", sheet “{entry.columns.source.sheet}”" if entry.columns.source.sheet else ""): (
            entry.columns.grade
        )
        for entry in evaluation.entries
    }
    return different_scales(tables, None) or _shifted_scales(evaluation, tables)


def _shifted_scales(evaluation: Evaluation, tables: Mapping[str, Grades]) -> list[Finding]:
    """A finding where the scale of one table lies higher than that of another, both for the same
    queries: 0 to 4 and 1 to 5.

    Each must have 10 grades or more, and both ends of its scale twice.
    """
    ends: dict[str, tuple[float, float]] = {}
    queries: set[int] | None = None
    for (name, grades), entry in zip(tables.items(), evaluation.entries, strict=False):
        rows = np.flatnonzero(~np.isnan(grades) & (entry.pair != NO_PAIR))
        if len(rows) < 10:
            return []
        low, high = float(grades[rows].min()), float(grades[rows].max())
        if min(np.count_nonzero(grades == end) for end in (low, high)) < 2:
            return []
        ends[name] = low, high
        here = set(evaluation.judgments.query[entry.pair[rows]].tolist())
        queries = here if queries is None else queries & here
    lows, highs = zip(*ends.values(), strict=True)
    lowest, highest = int(np.argmin(lows)), int(np.argmax(lows))
    if not queries or lows[lowest] == lows[highest] or highs[lowest] >= highs[highest]:
        return []
    listed = "; ".join(f"{name} from {low:g} to {high:g}" for name, (low, high) in ends.items())
    text = f"Grades seem to be on different scales: {listed}. They are used together as they stand."
    return [Finding("warning", "mixed-scales", text, evaluation.entries[highest].columns.source)]


def different_scales(graded: Mapping[str, Grades], source: Source | None) -> list[Finding]:
    """A finding where tables or graders, each with their grades by name, use different scales.

    Each must have 20 grades or more and its highest one several times, and one scale must reach
    more than twice as high as another.
    """
    tops: dict[str, float] = {}
    for name, grades in graded.items():
        judged = grades[~np.isnan(grades)]
        top = usual_top(judged) if len(judged) >= 20 else 0.0
        if top > 0 and np.count_nonzero(judged == top) >= 3:
            tops[name] = top
    if len(tops) < 2 or max(tops.values()) <= 2 * min(tops.values()):
        return []
    listed = "; ".join(f"{name} up to {top:g}" for name, top in tops.items())
    text = f"Grades seem to be on different scales: {listed}. They are used together as they stand."
    return [Finding("warning", "mixed-scales", text, source)]


def _like_scores(evaluation: Evaluation, judged: Grades) -> list[Finding]:
    """Means of graders are fractions too, but only a few different ones."""
    fractions = judged[judged != np.floor(judged)]
    distinct = len(np.unique(judged))
    if len(judged) < 20 or 2 * len(fractions) < len(judged) or 2 * distinct < len(judged):
        return []
    source = evaluation.entries[0].columns.source
    text = (
        f"{len(judged):,} grades have {distinct:,} different values, most of them fractions: the "
        "column may hold scores of a search engine rather than grades. It is used as it stands."
    )
    return [Finding("warning", "grades-like-scores", text, source)]


def _too_large(evaluation: Evaluation, top: float) -> list[Finding]:
    if top <= LARGEST_EXPONENTIAL:
        return []
    text = (
        f"Grades go up to {top:g}. With exponential gain, 2^grade − 1, the highest would be all "
        "that counts; linear gain or a gain table suits them better."
    )
    return [Finding("note", "exponential-unsuited", text, evaluation.entries[0].columns.source)]


def _reversed(evaluation: Evaluation, ranking: int) -> list[Finding]:
    """Whether documents with high grades stand below those with low ones in nearly all queries."""
    hits = evaluation.all_hits(ranking)
    queries = len(evaluation.queries)
    grade = np.array(evaluation.judgments.values)[hits.code]
    correlation = _correlation(hits.query, grade, hits.first.astype(np.float64), queries)
    correlation = correlation[~np.isnan(correlation)]
    if len(correlation) < FEWEST_QUERIES:
        return []
    downward = int(np.count_nonzero(correlation > 0))
    mean = float(correlation.mean())
    # A ranking by chance has a mean near 0: four times its standard error is beyond chance.
    error = float(correlation.std()) / len(correlation) ** 0.5
    if mean < max(0.3, 4 * error) or downward < 0.8 * len(correlation):
        return []
    columns = evaluation.rankings[ranking].columns
    text = (
        f"In {downward:,} of {len(correlation):,} queries the documents with the highest grades "
        f"stand lower than the others (the mean correlation of grade and position is {mean:.2f}). "
        "The scale may run the other way, 1 for the best, or the ranking may be upside down. "
        "Higher grades are taken for better ones."
    )
    return [Finding("warning", "scale-reversed", text, columns.source)]


def _correlation(query: NDArray[np.integer], x: Grades, y: Grades, queries: int) -> Grades:
    """Pearson's correlation of x and y within each query, shape (Q,); NaN where a query has fewer
    than four values, or all of one kind the same.
    """

    def total(values: Grades) -> Grades:
        return np.bincount(query, values, minlength=queries).astype(np.float64)

    count = np.bincount(query, minlength=queries)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        x = x - (total(x) / count)[query]
        y = y - (total(y) / count)[query]
        out = total(x * y) / np.sqrt(total(x * x) * total(y * y))
    out[count < 4] = np.nan
    return out
