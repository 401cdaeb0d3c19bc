"""The current score as a few lines of another tool that give the same number.

The documents stand in the code in the order in which they are scored, with whole numbers that
count down for scores, so that no tool breaks ties in its own way; and with their gains for grades,
so that none needs to know how a grade becomes a gain. nDCG is linear in the gains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.detail import QueryNumbers, QueryRows, query_numbers, query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.scoring.discount import discount
from ndcg_desktop.scoring.gain import gain
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import Options

MOST_ROWS = 5_000
"""Documents that are written out, at most."""

LONGEST_FORMULA = 8_000
"""Characters; a cell of Excel takes 8,192."""

LARGEST_GAIN = 2**31 - 1
"""A whole number that each tool holds."""


@dataclass(frozen=True, slots=True)
class Why:
    """Why a score cannot be written as code of a tool, in a sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class _Query:
    """A scored query: the documents in the order they are scored in, and what its ideal is of.

    ``gains`` are the documents' gains, 0 where one is not judged; ``scores`` fall, and are equal
    where documents share their places; ``weights`` are the discounts. ``relevance`` is the gain of
    each document that the ideal is of, by its name here; ``ideal`` their gains, best first, as
    far as they count, with ``reach`` as the number that can.
    """

    name: str
    documents: list[str]
    gains: list[float]
    scores: list[int]
    weights: list[float]
    relevance: dict[str, float]
    ideal: list[float]
    reach: int | None


@dataclass(frozen=True, slots=True)
class _Mean:
    """The scored queries, and what the others add: ``ones`` of the ``count`` in the mean are 1."""

    queries: list[_Query]
    ones: int
    count: int


def as_code(evaluation: Evaluation, ranking: int, query: int | None, tool: str) -> str | Why:
    """The score of a query, or the mean, as code of one of TOOLS; ``score`` then holds it.

    Of a spreadsheet it is a formula, with English names.
    """
    why = _no_score(evaluation, ranking, query)
    if why:
        return Why(why)
    numbers = range(len(evaluation.queries)) if query is None else [query]
    scores = evaluation.scores(ranking)
    scored = [each for each in numbers if scores.status[each] == Status.SCORED]
    if sum(_size(evaluation, ranking, each) for each in scored) > MOST_ROWS:
        return Why(
            f"These are more than {MOST_ROWS:,} documents: too many to be written out. Save the "
            "ranking and the judgments as files of the tool, or take a single query."
        )
    if not scored:
        return Why("No query has a score of its own: all of them count as 0 or 1.")
    found = [_query(evaluation, ranking, each) for each in scored]
    if query is not None:
        return TOOLS[tool](found, None, evaluation.options)
    counted_otherwise = scores.counted & (scores.status != Status.SCORED)
    ones = int(scores.value[counted_otherwise].sum())
    return TOOLS[tool](found, _Mean(found, ones, scores.n), evaluation.options)


def _no_score(evaluation: Evaluation, ranking: int, query: int | None) -> str:
    """Why there is no score to be written down, empty where there is one."""
    if query is not None:
        return wording.outcome_sentence(evaluation, ranking, query)
    if wording.mean_value(evaluation, ranking) is None:
        return "No query is scored, so there is no mean."
    return ""


def _size(evaluation: Evaluation, ranking: int, query: int) -> int:
    listed = len(evaluation.judgments.of_query(query))
    return int(evaluation.rankings[ranking].returned[query]) + listed


# ---- a query in numbers


def _query(evaluation: Evaluation, ranking: int, query: int) -> _Query:
    rows = query_rows(evaluation, query, ranking)
    numbers = query_numbers(evaluation, rows)
    placed = np.flatnonzero(~np.isnan(numbers.position))
    placed = placed[np.argsort(numbers.position[placed], kind="stable")]
    names = _names(rows)
    gains = np.nan_to_num(numbers.gain)
    options = evaluation.options
    reach = options.cutoff
    if options.ideal_cut == "returned":
        reach = min(rows.returned, options.cutoff or rows.returned)
    elif options.ideal_cut == "none":
        reach = None
    return _Query(
        name=evaluation.queries[query],
        documents=[names[row] for row in placed.tolist()],
        gains=gains[placed].tolist(),
        scores=_falling(evaluation, rows, placed),
        weights=np.nan_to_num(numbers.discount[placed]).tolist(),
        relevance=_relevance(rows, numbers, names, options),
        ideal=_ideal(evaluation, numbers)[:reach],
        reach=reach,
    )


def _names(rows: QueryRows) -> list[str]:
    """The documents' names; one that is returned again gets another, since it gains nothing."""
    taken, names = set(rows.documents), []
    for row, (document, again) in enumerate(zip(rows.documents, rows.repeated, strict=True)):
        name = document
        while again and name in taken:
            name = f"{document} (again, row {row + 1})" if name == document else f"{name}'"
        taken.add(name)
        names.append(name)
    return names


def _falling(evaluation: Evaluation, rows: QueryRows, placed: NDArray[np.int64]) -> list[int]:
    """Scores that put the documents in this order, equal where they share their places."""
    size = len(placed)
    if evaluation.options.order != "ties-averaged" or rows.ranking is None:
        return list(range(size, 0, -1))
    arrangement = evaluation.rankings[rows.ranking].arrange(evaluation.options.order)
    if arrangement.ties is None:
        return list(range(size, 0, -1))
    first = arrangement.ties[0][arrangement.start[rows.query] + placed]
    return [size - place for place in np.searchsorted(np.unique(first), first).tolist()]


def _relevance(
    rows: QueryRows, numbers: QueryNumbers, names: list[str], options: Options
) -> dict[str, float]:
    end = rows.returned if options.ideal == "returned" else len(rows)
    judged = ~np.isnan(numbers.grade) & ~rows.repeated
    return {names[row]: float(numbers.gain[row]) for row in np.flatnonzero(judged[:end]).tolist()}


def _ideal(evaluation: Evaluation, numbers: QueryNumbers) -> list[float]:
    gains: list[float] = gain(
        numbers.ideal_grade[: numbers.ideal_length], evaluation.options
    ).tolist()
    return gains


# ---- tools that read dictionaries of judgments and of a ranking


def _pytrec_eval(queries: list[_Query], mean: _Mean | None, options: Options) -> str | Why:
    cut = _cut_of_dictionaries("pytrec_eval", queries, options)
    if isinstance(cut, Why):
        return cut
    measure, key = ("ndcg", "ndcg") if cut is None else (f"ndcg_cut.{cut}", f"ndcg_cut_{cut}")
    return _lines(
        "import pytrec_eval",
        "",
        *_dictionaries(queries, options),
        f'evaluator = pytrec_eval.RelevanceEvaluator(qrels, {{"{measure}"}})',
        f'values = [each["{key}"] for each in evaluator.evaluate(run).values()]',
        *_last(mean, options),
    )


def _ir_measures(queries: list[_Query], mean: _Mean | None, options: Options) -> str | Why:
    cut = _cut_of_dictionaries("ir_measures", queries, options)
    if isinstance(cut, Why):
        return cut
    measure = "nDCG" if cut is None else f"nDCG @ {cut}"
    return _lines(
        "import ir_measures",
        "from ir_measures import nDCG",
        "",
        *_dictionaries(queries, options),
        f"values = [each.value for each in ir_measures.iter_calc([{measure}], qrels, run)]",
        *_last(mean, options),
    )


def _ranx(queries: list[_Query], mean: _Mean | None, options: Options) -> str | Why:
    cut = _cut_of_dictionaries("ranx", queries, options)
    if isinstance(cut, Why):
        return cut
    measure = "ndcg" if cut is None else f"ndcg@{cut}"
    return _lines(
        "from ranx import Qrels, Run, evaluate",
        "",
        *_dictionaries(queries, options),
        "ranked = Run(run)",
        f'evaluate(Qrels(qrels), ranked, "{measure}")',
        f'values = list(ranked.scores["{measure}"].values())',
        *_last(mean, options),
    )


def _cut_of_dictionaries(tool: str, queries: list[_Query], options: Options) -> int | Why | None:
    """The cutoff that the tool is asked for, None for none; or why it cannot give the score."""
    why = _cannot(tool, options)
    if not why and options.order == "ties-averaged" and any(map(_ties, queries)):
        why = f"{tool} breaks ties, where these settings average them."
    if not why and options.ideal == "column":
        why = f"{tool} makes the ideal of the judgments, and has no column of ideal grades."
    if not why and not all(map(_whole, queries)):
        why = f"{tool} takes whole grades alone, and some of these gains are not, or are too large."
    reaches = {each.reach for each in queries}
    if not why and len(reaches) > 1:
        why = f"{tool} cuts the ideal at one k, where these settings cut it for each query."
    return Why(why) if why else next(iter(reaches), options.cutoff)


def _ties(query: _Query) -> bool:
    return len(set(query.scores)) < len(query.scores)


def _whole(query: _Query) -> bool:
    return all(each == int(each) and each <= LARGEST_GAIN for each in query.relevance.values())


def _dictionaries(queries: list[_Query], options: Options) -> list[str]:
    what = "grade" if options.gain == "linear" else "gain"
    lines = [f"qrels = {{  # the {what} of each judged document"]
    for query in queries:
        relevance = {name: int(each) for name, each in query.relevance.items()}
        lines.append(f"    {query.name!r}: {relevance!r},")
    lines += ["}", "run = {  # the order, best first"]
    for query in queries:
        # Where the ideal is not cut the ranking alone is.
        top = options.cutoff if options.ideal_cut == "none" else None
        ranked = dict(list(zip(query.documents, query.scores, strict=True))[:top])
        floats = {name: float(score) for name, score in ranked.items()}
        lines.append(f"    {query.name!r}: {floats or {'(nothing)': 1.0}!r},")
    return [*lines, "}"]


# ---- scikit-learn


def _scikit_learn(queries: list[_Query], mean: _Mean | None, options: Options) -> str | Why:
    why = _cannot("scikit-learn", options)
    if why:
        return Why(why)
    rows: list[tuple[Sequence[float], ...]] = [
        (_padded(each.gains), [*each.scores, *_missing(each.gains)], _padded(each.ideal))
        for each in queries
    ]
    k = options.cutoff
    plain = all(sorted(row[0])[::-1][:k] == _trimmed(row[2], row[0], k) for row in rows)
    if plain:
        function, shown = "ndcg_score", [row[:2] for row in rows]
        names, value = "gains, scores", f"ndcg_score([gains], [scores], k={k})"
    else:
        function, shown = "dcg_score", rows
        names = "gains, scores, ideal"
        value = f"dcg_score([gains], [scores], k={k}) / dcg_score([ideal], [ideal])"
    return _lines(
        f"from sklearn.metrics import {function}",
        "",
        f"rows = [  # of each query: {names}, in the order of the ranking",
        *(f"    ({', '.join(map(_list, row))})," for row in shown),
        "]",
        f"values = [float({value}) for {names} in rows]",
        *_last(mean, options),
    )


def _padded(gains: list[float]) -> list[float]:
    """The gains with documents of gain 0 at the end: a list of fewer than two is refused."""
    return [*gains, *([0.0] * len(_missing(gains)))]


def _missing(gains: list[float]) -> list[int]:
    return [0, -1][: max(2 - len(gains), 0)]


def _trimmed(ideal: Sequence[float], gains: Sequence[float], k: int | None) -> list[float]:
    """The ideal as long as the gains in it, of which those of 0 do not matter."""
    size = len(gains) if k is None else min(len(gains), k)
    if any(ideal[size:]):
        return []
    return [*ideal[:size], *([0.0] * (size - len(ideal)))]


def _list(values: Sequence[float]) -> str:
    return f"[{', '.join(map(_number, values))}]"


# ---- a spreadsheet


def _spreadsheet(queries: list[_Query], mean: _Mean | None, options: Options) -> str | Why:
    parts = [_formula(query, options) for query in queries]
    if mean is None:
        formula = _rounded_formula(parts[0], options.rounding, "5-decimals")
    else:
        total = "+".join(parts + ([str(mean.ones)] if mean.ones else [])) or "0"
        formula = _rounded_formula(f"({total})/{mean.count}", options.rounding, "5-decimals")
    if len(formula) > LONGEST_FORMULA:
        return Why("The formula is longer than a cell of a spreadsheet takes.")
    return f"={formula}"


def _formula(query: _Query, options: Options) -> str:
    pairs = zip(query.gains, query.weights, range(1, len(query.gains) + 1), strict=True)
    shared = options.order == "ties-averaged" and _ties(query)
    sums = [
        _term(each, rank, weight if shared else None, options)
        for each, weight, rank in pairs
        if each > 0 and weight > 0
    ]
    ideal = [_term(each, rank, None, options) for rank, each in enumerate(query.ideal, 1) if each]
    ratio = f"({'+'.join(sums) or '0'})/({'+'.join(ideal)})"
    if options.rounding == "floored-terms":
        return f"ROUNDDOWN(MIN(1,{ratio}),2)"
    return _rounded_formula(ratio, options.rounding, "2-decimals")


def _rounded_formula(text: str, rounding: str, which: str) -> str:
    return f"ROUND({text},{which[0]})" if rounding == which else text


def _term(gained: float, rank: int, weight: float | None, options: Options) -> str:
    """Gain times discount, the discount written out unless it is a mean of several."""
    amount = _number(gained)
    if options.gain == "exponential":
        amount = f"(2^{_number(float(np.log2(gained + 1)))}-1)"
    if weight is not None:
        text = f"{amount}*{_number(weight)}"
    elif options.discount == "reciprocal":
        text = f"{amount}/{rank}"
    elif options.discount == "base":
        base = options.discount_base
        text = amount if rank < base else f"{amount}/LOG({rank},{_number(base)})"
    else:
        text = f"{amount}/LOG({rank + 1},2)"
    divides = (weight if weight is not None else discount(rank, _uncut(options))[-1]) < 1
    return f"ROUNDDOWN({text},2)" if options.rounding == "floored-terms" and divides else text


def _uncut(options: Options) -> Options:
    return Options(discount=options.discount, discount_base=options.discount_base, cutoff=None)


# ---- all of them


def _cannot(tool: str, options: Options) -> str:
    """Why none of the programs in Python can give a score of these options."""
    if options.discount != "log2":
        return f"{tool} has no other discount than 1/log2(i+1)."
    if options.rounding == "floored-terms":
        return f"{tool} does not round the terms of a sum."
    return ""


def _last(mean: _Mean | None, options: Options) -> list[str]:
    """The last lines: from the values of the queries to the score, rounded where it is."""
    lines = []
    if options.rounding == "2-decimals":
        lines.append("values = [int(each * 100 * (1 + 1e-12) + 0.5) / 100 for each in values]")
    if mean is None:
        lines.append("(score,) = values")
    else:
        rest = mean.count - len(mean.queries)
        ones = f" + {mean.ones}" if mean.ones else ""
        note = f"  # {rest} without a score count, too" if rest else ""
        lines.append(f"score = (sum(values){ones}) / {mean.count}{note}")
    if options.rounding == "5-decimals":
        lines.append("score = round(score, 5)")
    return [*lines, "print(score)"]


def _number(value: float) -> str:
    """A number as Python and a spreadsheet read it, whole ones without a point."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"


TOOLS: dict[str, Callable[[list[_Query], _Mean | None, Options], str | Why]] = {
    "ir_measures": _ir_measures,
    "pytrec_eval": _pytrec_eval,
    "scikit-learn": _scikit_learn,
    "ranx": _ranx,
    "spreadsheet": _spreadsheet,
}
"""What a score can be written for, by name."""
