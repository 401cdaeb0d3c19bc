"""The charts of two compared rankings, from an evaluation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ndcg_desktop.charts.bars import NO_ROW, query_bars
from ndcg_desktop.charts.comparison_chart import Pair
from ndcg_desktop.charts.difference_bars import DifferenceBars
from ndcg_desktop.charts.heat_map import HeatMap
from ndcg_desktop.charts.paired_bars import PairedBars
from ndcg_desktop.charts.ranking_styles import RANKING_STYLES, RankingStyle
from ndcg_desktop.charts.scatter_chart import ScatterChart
from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.comparison import Comparison
from ndcg_desktop.evaluation.detail import query_numbers, query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.sensitivity import Sensitivity


def pair_of(evaluation: Evaluation, comparison: Comparison, decimals: int) -> Pair:
    """The two sides, named and coloured as the line-up has them."""
    return Pair(
        comparison.baseline_name,
        comparison.candidate_name,
        evaluation.options.measure,
        _style(evaluation, comparison.baseline),
        _style(evaluation, comparison.candidate),
        decimals,
        evaluation.lineup.tie,
    )


def _style(evaluation: Evaluation, ranking: int) -> RankingStyle:
    return RANKING_STYLES[evaluation.lineup.taking_part[ranking].style % len(RANKING_STYLES)]


def query_names(evaluation: Evaluation) -> list[str]:
    """What each query is called: its text where a file has one, else its id."""
    return [evaluation.titles.get(number) or name for number, name in enumerate(evaluation.queries)]


def difference_bars(
    evaluation: Evaluation, comparison: Comparison, decimals: int
) -> DifferenceBars:
    """The difference of each query, sorted."""
    return DifferenceBars(
        difference=comparison.difference,
        labels=query_names(evaluation),
        queries=np.arange(len(evaluation.queries)),
        pair=pair_of(evaluation, comparison, decimals),
        title="Difference of each query",
        measure=f"{evaluation.options.measure} · {wording.named_in_full(evaluation)}",
    )


def scatter_chart(evaluation: Evaluation, comparison: Comparison, decimals: int) -> ScatterChart:
    """The two scores of each query."""
    return ScatterChart(
        baseline=comparison.baseline_score,
        candidate=comparison.candidate_score,
        labels=query_names(evaluation),
        queries=np.arange(len(evaluation.queries)),
        pair=pair_of(evaluation, comparison, decimals),
        title="Each query under both",
        measure=f"{evaluation.options.measure} · {wording.named_in_full(evaluation)}",
    )


def heat_map(
    evaluation: Evaluation, comparison: Comparison, found: Sensitivity, decimals: int
) -> HeatMap:
    """The mean difference under many settings."""
    return HeatMap(
        difference=found.difference,
        rows=[setting.label for setting in found.settings],
        columns=["all" if cutoff is None else str(cutoff) for cutoff in found.cutoffs],
        pair=replace(pair_of(evaluation, comparison, decimals), measure="mean nDCG"),
        current=found.current,
        title="Mean difference of nDCG by cutoff, gain and convention",
        measure="each row names its gain and convention, each column its cutoff k",
    )


def paired_bars(
    evaluation: Evaluation, comparison: Comparison, query: int, decimals: int
) -> PairedBars:
    """The discounted gains of one query in both rankings, and the ideal that they share."""
    sides = []
    for ranking in (comparison.baseline, comparison.candidate):
        rows = query_rows(evaluation, query, ranking)
        numbers = query_numbers(evaluation, rows)
        bars = query_bars(evaluation, rows, numbers, decimals)
        words = [rows.documents[row] if row != NO_ROW else "" for row in bars.row.tolist()]
        sides.append((bars, words))
    size = max(len(bars) for bars, _ in sides)
    ideal = max((bars.ideal for bars, _ in sides), key=len)
    (first, first_words), (second, second_words) = sides
    return PairedBars(
        baseline=_padded(first.ranking, size),
        candidate=_padded(second.ranking, size),
        ideal=_padded(ideal, size),
        baseline_unjudged=_padded(first.unjudged, size),
        candidate_unjudged=_padded(second.unjudged, size),
        pair=pair_of(evaluation, comparison, decimals),
        baseline_words=first_words + [""] * (size - len(first_words)),
        candidate_words=second_words + [""] * (size - len(second_words)),
        title=query_names(evaluation)[query],
        measure=f"{evaluation.options.measure} · {wording.named_in_full(evaluation)}",
    )


def _padded(values: np.ndarray, size: int) -> np.ndarray:
    padded = np.zeros(size, dtype=values.dtype)
    padded[: len(values)] = values
    return padded
