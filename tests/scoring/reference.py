"""nDCG in plain Python, a query at a time, written from the definition in DESIGN.md alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby

INF = math.inf


@dataclass
class Outcome:
    """What comes of one query."""

    status: str
    value: float
    dcg: float
    ideal_dcg: float
    judged: int
    returned: int
    counted: bool


def gain_of(grade, options):
    """The gain of a grade; inf or NaN where it cannot be computed."""
    if grade < 0:
        return 0.0
    if options.gain == "table":
        return dict(options.gain_table).get(grade, math.nan)
    if options.gain == "exponential":
        return 2.0**grade - 1 if grade < 1024 else INF
    return float(grade)


def discount_of(rank, options):
    """The discount of a rank from 1."""
    if options.cutoff is not None and rank > options.cutoff:
        return 0.0
    if options.discount == "reciprocal":
        return 1 / rank
    if options.discount == "base":
        base = options.discount_base
        return 1.0 if rank < base else 1 / (math.log(rank) / math.log(base))
    return 1 / math.log2(rank + 1)


def ordered(rows, ranked, scored, options):
    """The rows of one query, best first: (document, key) with equal keys for tied documents.

    rows: (document, score, rank), None where a row has none; ``ranked`` and ``scored`` say whether
    the file has such columns at all.
    """
    by_score = scored and (options.order not in ("auto", "file") or _goes_by_score(ranked, options))
    if by_score:
        # Without a score comes last.
        rows = sorted(rows, key=lambda row: row[0].encode(), reverse=True)
        rows = sorted(rows, key=lambda row: (row[1] is None, -(row[1] or 0.0)))
    elif ranked:
        rows = sorted(rows, key=lambda row: row[2])
    tied = scored and options.order == "ties-averaged"
    return [
        (document, score if tied and score is not None else (place,))
        for place, (document, score, _) in enumerate(rows)
    ]


def _goes_by_score(ranked, options):
    return options.order == "auto" and not ranked


def score_query(grades, rows, ideal, options):
    """Score one query: grades by document, rows as `ordered` gives them, ideal grades."""
    entries, seen = [], set()
    for document, key in rows:
        grade = None if document in seen else grades.get(document)
        seen.add(document)
        if grade is not None or options.unjudged == "zero":
            entries.append((grade, key))
    returned = len(rows)
    found = [grade for grade, _ in entries if grade is not None]

    dcg, judged, rank = 0.0, 0, 1
    for _, group in groupby(entries, key=lambda entry: entry[1]):
        tied = [grade for grade, _ in group]
        places = range(rank, rank + len(tied))
        discount = sum(discount_of(place, options) for place in places) / len(tied)
        for grade in tied:
            if grade is not None:
                gain = gain_of(grade, options)
                dcg += gain * discount if math.isfinite(gain) else 0.0
                judged += options.cutoff is None or rank <= options.cutoff
        rank += len(tied)

    best = {"judged": list(grades.values()), "returned": found, "column": ideal}[options.ideal]
    gains = [gain_of(grade, options) for grade in [*best, *grades.values()]]
    refused = not all(map(math.isfinite, gains))
    sorted_gains = sorted(gains[: len(best)], reverse=True)
    ideal_dcg = 0.0 if refused else _sum(sorted_gains, options)

    cut = returned if options.cutoff is None else min(returned, options.cutoff)
    if refused or not math.isfinite(dcg + ideal_dcg):
        refused, dcg, ideal_dcg = True, 0.0, 0.0
    status = _status(grades, returned, dcg, ideal_dcg, refused, options)
    value = dcg / ideal_dcg if status == "SCORED" else 0.0
    if status == "UNDEFINED" and options.undefined == "one":
        value = 1.0
    counted = (
        status == "SCORED"
        or (status == "UNDEFINED" and options.undefined != "skip")
        or (status == "ABSENT" and options.missing == "zero")
    )
    return Outcome(status, value, dcg, ideal_dcg, min(judged, cut), cut, counted)


def _sum(gains, options):
    return sum(gain * discount_of(rank, options) for rank, gain in enumerate(gains, 1))


def _status(grades, returned, dcg, ideal_dcg, refused, options):
    if not grades:
        return "UNJUDGED"
    if refused:
        return "REFUSED"
    if not returned and options.ideal == "returned":
        return "ABSENT"
    if ideal_dcg <= 0:
        return "UNDEFINED"
    if not returned:
        return "ABSENT"
    return "IDEAL_TOO_LOW" if dcg > ideal_dcg * (1 + 1e-12) else "SCORED"


def scores(judgments, ranking, options, ideal=None):
    """Score every query, by its id.

    judgments: (query, document, grade or None); ranking: (query, document, score, rank).
    """
    ranked = any(row[3] is not None for row in ranking)
    ranking = [row for row in ranking if row[3] is not None or not ranked]
    queries = dict.fromkeys(
        [row[0] for row in judgments] + [row[0] for row in ranking] + list(ideal or {})
    )
    out = {}
    scored = any(row[2] is not None for row in ranking)
    for query in queries:
        grades = {}
        for other, document, grade in judgments:
            if other == query and grade is not None:
                grades[document] = max(grade, grades.get(document, grade))
        rows = [row[1:] for row in ranking if row[0] == query]
        given = [grade for grade in (ideal or {}).get(query, []) if grade is not None]
        best_first = ordered(rows, ranked, scored, options)
        out[query] = score_query(grades, best_first, given, options)
    return out


def mean(outcomes):
    """The mean over the counted queries, None where there is none."""
    values = [outcome.value for outcome in outcomes.values() if outcome.counted]
    return math.fsum(values) / len(values) if values else None
