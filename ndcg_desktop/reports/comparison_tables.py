"""The tables of a report on compared rankings: figures as text, under the name of their measure.

A is the baseline and B the candidate, as in the charts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation import comparison_words, wording
from ndcg_desktop.evaluation.comparison import Comparison, Fairness, subtotals
from ndcg_desktop.evaluation.comparison_words import p_text
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.sensitivity import Sensitivity
from ndcg_desktop.evaluation.summary import Figure, Summary
from ndcg_desktop.evaluation.sureness import Sureness
from ndcg_desktop.reports import tables
from ndcg_desktop.reports.text_tables import Align, ReportTable

MOST_QUERIES = 10
"""Of the lowest-scoring and of the most changed queries."""
BESIDE = 4
"""Rankings that stand beside each other in one table."""


def measured(evaluation: Evaluation) -> str:
    """What is written beside every figure: the measure, and what it was scored with."""
    return f"{evaluation.options.measure} · {wording.named_in_full(evaluation)}"


def sides(comparison: Comparison) -> str:
    """Which ranking is which."""
    return f"A is “{comparison.baseline_name}”, B is “{comparison.candidate_name}”"


def _table(
    title: str,
    caption: str,
    columns: Sequence[tuple[str, Align]],
    rows: Iterable[Sequence[str]],
) -> ReportTable:
    headers, aligns = zip(*columns, strict=True)
    return ReportTable(title, caption, headers, tuple(map(tuple, rows)), aligns)


# ---- every ranking


def rankings_table(
    evaluation: Evaluation,
    baseline: int,
    comparisons: Sequence[Comparison],
    sure: Sequence[Sureness | None],
    summary: Summary,
    decimals: int,
) -> ReportTable:
    """Each ranking with its mean, and how far it is from the baseline."""
    rows = [_ranking_row(evaluation, baseline, summary, decimals, ["baseline", "", ""])]
    for comparison, found in zip(comparisons, sure, strict=True):
        beside = [wording.NONE] * 3
        if found is not None and comparison.mean is not None:
            record = found.record
            beside = [
                wording.signed(comparison.mean, decimals),
                p_text(found.p).removeprefix("p ").removeprefix("= "),
                f"{record.won}/{record.tied}/{record.lost}",
            ]
        rows.append(_ranking_row(evaluation, comparison.candidate, summary, decimals, beside))
    corrected = any(each is not None and each.comparisons > 1 for each in sure)
    p = "p (Holm)" if corrected else "p"
    return _table(
        "The rankings",
        f"{measured(evaluation)}; means over the queries that count, with "
        f"{1 - summary.level:.0%} intervals; differences over the queries that count in both",
        [
            ("ranking", "left"),
            (f"mean {evaluation.options.measure}", "right"),
            ("interval", "right"),
            ("n", "right"),
            ("difference", "right"),
            (p, "right"),
            ("won/tied/lost", "right"),
        ],
        rows,
    )


def _ranking_row(
    evaluation: Evaluation, ranking: int, summary: Summary, decimals: int, beside: list[str]
) -> list[str]:
    figure = summary.figures[ranking][0]  # nDCG is the first of the measures
    mean = wording.decimal(wording.mean_value(evaluation, ranking), decimals)
    name = evaluation.rankings[ranking].name
    return [name, mean, _interval(figure, decimals), str(figure.n), *beside]


def measure_tables(
    evaluation: Evaluation, rankings: Sequence[int], summary: Summary, decimals: int
) -> tuple[ReportTable, ...]:
    """Every ranking under every measure, a few rankings in each table."""
    caption = (
        f"Means over the queries that count, with {1 - summary.level:.0%} intervals (bootstrap, "
        f"seed {summary.seed}); scored with {wording.named_in_full(evaluation)}; * better than "
        "every other ranking by more than chance"
    )
    found = []
    for first in range(0, len(rankings), BESIDE):
        some = rankings[first : first + BESIDE]
        title = "Every measure" if not first else "Every measure, continued"
        columns: list[tuple[str, Align]] = [("measure", "left")]
        columns += [(evaluation.rankings[each].name, "right") for each in some]
        rows = [
            cells
            for row, name in enumerate(summary.measures)
            for cells in _measure_rows(row, name, some, summary, decimals)
        ]
        found.append(_table(title, caption, [*columns, ("n", "right")], rows))
    return tuple(found)


def _measure_rows(
    row: int, name: str, rankings: Sequence[int], summary: Summary, decimals: int
) -> Iterator[list[str]]:
    """One measure of some rankings, and what it may gain where documents are unjudged."""
    figures = [summary.figures[each][row] for each in rankings]
    numbers = [str(figure.n) for figure in figures]
    n = numbers[0] if len(set(numbers)) == 1 else " / ".join(numbers)
    yield [name, *(_cell(figure, decimals) for figure in figures), n]
    if any(figure.residual for figure in figures):
        rest = (wording.decimal(figure.residual, decimals) for figure in figures)
        yield [f"{name}, residual", *rest, n]


def _cell(figure: Figure, decimals: int) -> str:
    text = wording.decimal(figure.mean, decimals)
    if figure.interval is not None:
        text += f" ({_interval(figure, decimals)})"
    return f"{text} *" if figure.best else text


def _interval(figure: Figure, decimals: int) -> str:
    if figure.interval is None:
        return wording.NONE
    low, high = figure.interval.lower, figure.interval.upper
    return f"{wording.decimal(low, decimals)}–{wording.decimal(high, decimals)}"


# ---- one candidate beside the baseline


def figures_table(
    evaluation: Evaluation, comparison: Comparison, sure: Sureness, decimals: int
) -> ReportTable:
    """Each figure of the statistics, and what it says."""
    return _table(
        "How sure the difference is",
        f"{measured(evaluation)}; B − A; {sides(comparison)}",
        [("figure", "left"), ("value", "left"), ("of what", "left")],
        comparison_words.figures(sure, decimals),
    )


def lowest_table(evaluation: Evaluation, comparison: Comparison, decimals: int) -> ReportTable:
    """The queries that the candidate scores lowest."""
    compared = np.flatnonzero(comparison.compared)
    order = compared[np.argsort(comparison.candidate_score[compared], kind="stable")]
    return _queries("Queries that B scores lowest", evaluation, comparison, order, decimals)


def changed_table(evaluation: Evaluation, comparison: Comparison, decimals: int) -> ReportTable:
    """The queries whose scores differ most, either way."""
    changed = np.flatnonzero(comparison.compared & (np.nan_to_num(comparison.difference) != 0))
    order = changed[np.argsort(-np.abs(comparison.difference[changed]), kind="stable")]
    return _queries("Queries that change most", evaluation, comparison, order, decimals)


def _queries(
    title: str,
    evaluation: Evaluation,
    comparison: Comparison,
    order: NDArray[np.int64],
    decimals: int,
) -> ReportTable:
    """The first of these queries with both scores, and what is judged of them."""
    first, second = (
        evaluation.scores(each) for each in (comparison.baseline, comparison.candidate)
    )
    rows = [
        [
            tables.query_label(evaluation, query),
            wording.decimal(float(comparison.baseline_score[query]), decimals),
            wording.decimal(float(comparison.candidate_score[query]), decimals),
            wording.signed(float(comparison.difference[query]), decimals),
            f"{first.judged[query]}/{first.returned[query]}",
            f"{second.judged[query]}/{second.returned[query]}",
        ]
        for query in order[:MOST_QUERIES].tolist()
    ]
    more = len(order) - len(rows)
    rest = f"; the first {len(rows)} of {len(order):,}" if more else ""
    return _table(
        title,
        f"{measured(evaluation)}; {sides(comparison)}{rest}",
        [
            ("query", "left"),
            ("A", "right"),
            ("B", "right"),
            ("B − A", "right"),
            ("judged A", "right"),
            ("judged B", "right"),
        ],
        rows,
    )


def subtotals_table(
    evaluation: Evaluation, comparison: Comparison, column: str, decimals: int
) -> ReportTable | None:
    """The means of each group of queries; None where no such column puts them into groups."""
    groups = evaluation.groups().get(column)
    if groups is None:
        return None
    rows = [
        [
            each.group,
            str(each.n),
            wording.decimal(each.baseline, decimals),
            wording.decimal(each.candidate, decimals),
            wording.signed(each.difference, decimals),
        ]
        for each in subtotals(comparison, groups)
    ]
    return _table(
        f"By {column}",
        f"{measured(evaluation)}, means of the queries that count in both; {sides(comparison)}",
        [(column, "left"), ("n", "right"), ("A", "right"), ("B", "right"), ("B − A", "right")],
        rows,
    )


def sensitivity_table(comparison: Comparison, found: Sensitivity, decimals: int) -> ReportTable:
    """The mean difference under other settings: a row for each cutoff, a column for each gain and
    convention; that of the chosen settings in brackets.
    """
    rows = [
        [
            "all" if cutoff is None else str(cutoff),
            *(_setting(found, row, column, decimals) for row in range(len(found.settings))),
        ]
        for column, cutoff in enumerate(found.cutoffs)
    ]
    columns: list[tuple[str, Align]] = [("k", "right")]
    columns += [(setting.label, "right") for setting in found.settings]
    return _table(
        "Under other settings",
        "Mean difference of nDCG, B − A; each row is a cutoff k, each column a convention and a "
        f"gain; [ ] as set now; {sides(comparison)}",
        columns,
        rows,
    )


def _setting(found: Sensitivity, row: int, column: int, decimals: int) -> str:
    value = float(found.difference[row, column])
    text = wording.signed(value, decimals)
    return f"[{text}]" if found.current == (row, column) else text


def sensitivity_words(comparison: Comparison, found: Sensitivity) -> str:
    """Under how many settings each of the two is better."""
    better, worse, equal = found.agreeing
    return (
        f"Of {better + worse + equal} settings of cutoff, gain and convention, "
        f"“{comparison.candidate_name}” is better under {better}, “{comparison.baseline_name}” "
        f"under {worse}, neither under {equal}."
    )


def judged_words(evaluation: Evaluation, fair: Fairness) -> str:
    """How much of the top k is judged of both, in a few words; empty where that is not known."""
    if fair.judged is None:
        return ""
    k = evaluation.options.cutoff
    first, second = (f"{part:.0%}" for part in fair.judged)
    return f"{'judged' if k is None else f'judged@{k}'}: A {first}, B {second}"
