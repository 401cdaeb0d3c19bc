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
    meant: float = math.nan
    """What it adds to the mean."""


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
    return 0.0 if options.cutoff is not None and rank > options.cutoff else uncut(rank, options)


def uncut(rank, options):
    """The discount of a rank from 1, without a cutoff."""
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
    tied = scored and options.order.startswith("ties")
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
        if options.order == "ties-worst":
            tied.sort(key=lambda grade: _finite(grade, options))
        places = range(rank, rank + len(tied))
        discounts = [discount_of(place, options) for place in places]
        for place, discount, grade in zip(places, discounts, tied, strict=True):
            if options.order != "ties-worst":
                place, discount = rank, sum(discounts) / len(tied)
            if grade is not None:
                gain = gain_of(grade, options)
                dcg += term(gain, discount, options) if math.isfinite(gain) else 0.0
                judged += options.cutoff is None or place <= options.cutoff
        rank += len(tied)

    best = {"judged": list(grades.values()), "returned": found, "column": ideal}[options.ideal]
    gains = [gain_of(grade, options) for grade in [*best, *grades.values()]]
    refused = not all(map(math.isfinite, gains))
    sorted_gains = sorted(gains[: len(best)], reverse=True)
    ideal_dcg = 0.0 if refused else _sum(_cut(sorted_gains, returned, options), options)

    cut = returned if options.cutoff is None else min(returned, options.cutoff)
    if refused or not math.isfinite(dcg + ideal_dcg):
        refused, dcg, ideal_dcg = True, 0.0, 0.0
    status = _status(grades, returned, dcg, ideal_dcg, refused, options)
    value = min(dcg / ideal_dcg, 1.0) if status == "SCORED" else 0.0
    if status == "UNDEFINED" and options.undefined == "one":
        value = 1.0
    meant, value = value, rounded(value, options)
    if options.rounding != "5-decimals":
        meant = value
    counted = (
        status == "SCORED"
        or (status == "UNDEFINED" and options.undefined != "skip")
        or (status == "ABSENT" and options.missing == "zero")
    )
    return Outcome(status, value, dcg, ideal_dcg, min(judged, cut), cut, counted, meant)


def _finite(grade, options):
    """The gain as far as it is known; what is not judged comes before what gains nothing."""
    if grade is None:
        return -1.0
    gain = gain_of(grade, options)
    return 0.0 if math.isnan(gain) else gain


def _cut(gains, returned, options):
    """The gains of the ideal ordering that count."""
    cut = {"k": options.cutoff, "none": None, "returned": returned}[options.ideal_cut]
    if options.ideal_cut == "returned" and options.cutoff is not None:
        cut = min(returned, options.cutoff)
    return gains[:cut]


def _sum(gains, options):
    return sum(term(gain, uncut(rank, options), options) for rank, gain in enumerate(gains, 1))


def term(gain, discount, options):
    """What is summed of a gain × discount."""
    value = gain * discount
    divided = options.rounding == "floored-terms" and discount < 1
    return down(value) if divided and math.isfinite(value) else value


def down(value):
    """Cut off after 2 decimals, 2.3 being 2.30 and not 2.29."""
    return math.floor(value * 100 * (1 + 1e-12)) / 100


def rounded(value, options):
    """What a query comes to."""
    if options.rounding == "floored-terms":
        return down(value)
    if options.rounding == "2-decimals":
        return math.floor(value * 100 * (1 + 1e-12) + 0.5) / 100
    if options.rounding == "5-decimals":
        return round(value, 5)
    return value


def _status(grades, returned, dcg, ideal_dcg, refused, options):
    if not grades:
        return "UNJUDGED"
    if refused:
        return "REFUSED"
    if not returned and "returned" in (options.ideal, options.ideal_cut):
        return "ABSENT"
    if ideal_dcg <= 0:
        return "UNDEFINED"
    if not returned:
        return "ABSENT"
    too_low = options.ideal == "column" and dcg > ideal_dcg * (1 + 1e-12)
    return "IDEAL_TOO_LOW" if too_low else "SCORED"


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


def mean(outcomes, options):
    """The mean over the counted queries, None where there is none."""
    values = [outcome.meant for outcome in outcomes.values() if outcome.counted]
    if not values:
        return None
    found = math.fsum(values) / len(values)
    return round(found, 5) if options.rounding == "5-decimals" else found
