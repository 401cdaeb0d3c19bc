"""What is said about a comparison: the statistics, the words, and the summary."""

from __future__ import annotations

import numpy as np
import pytest
from build import evaluation_of
from scipy import stats
from statsmodels.stats.multitest import multipletests

from ndcg_desktop.evaluation.comparison import compare, fairness
from ndcg_desktop.evaluation.comparison_words import answer, chance_words, figures, p_text
from ndcg_desktop.evaluation.measures import MEASURES, values
from ndcg_desktop.evaluation.side_by_side import movement_text, side_by_side
from ndcg_desktop.evaluation.summary import summarise
from ndcg_desktop.evaluation.sureness import (
    SurenessOptions,
    all_sureness,
    most_influential,
    sureness,
)
from ndcg_desktop.evaluation.wording import signed


def several(queries: int, shift: float, seed: int = 7, systems: int = 2):
    """Queries of six documents; a later system tends to rank better the larger the shift is."""
    random = np.random.default_rng(seed)
    judged, returned = [], [[] for _ in range(systems)]
    for query in range(queries):
        grades = random.integers(0, 4, 6)
        judged += [(f"q{query}", f"d{place}", float(g)) for place, g in enumerate(grades)]
        for number in range(systems):
            key = grades * shift * number + random.normal(0, 1, 6)
            order = np.argsort(-key)[:5]
            returned[number] += [(f"q{query}", f"d{place}") for place in order.tolist()]
    return evaluation_of(judged, *returned)


def test_the_figures_are_those_of_scipy() -> None:
    """By the paired scores themselves."""
    evaluation = several(24, 0.4)
    found = compare(evaluation, 0, 1)
    sure = sureness(found, SurenessOptions(tie=0.01))
    both = [each.value[found.compared] for each in map(evaluation.scores, (0, 1))]
    t = stats.ttest_rel(both[1], both[0])
    assert sure.t.t == pytest.approx(t.statistic) and sure.t.p == pytest.approx(t.pvalue)
    w = stats.wilcoxon(found.differences)
    assert sure.wilcoxon.p == pytest.approx(w.pvalue)
    assert sure.mean == pytest.approx(np.mean(both[1]) - np.mean(both[0]))
    record = sure.record
    assert record.won == np.count_nonzero(found.differences > 0.01)
    assert (record.won, record.tied, record.lost) == tuple(
        int(np.count_nonzero(found.outcomes(0.01)[found.compared] == sign)) for sign in (1, 0, -1)
    )


def test_several_candidates_are_corrected_for() -> None:
    """By Holm's method, as statsmodels does it."""
    evaluation = several(24, 0.4, systems=4)
    found = [compare(evaluation, 0, each) for each in (1, 2, 3)]
    sure = all_sureness(found, SurenessOptions())
    raw = [each.randomisation.p for each in sure]
    expected = multipletests(raw, method="holm")[1]
    assert [each.adjusted_p for each in sure] == pytest.approx(expected)
    assert all("after correction for 3 comparisons" in chance_words(each) for each in sure)
    assert any(name == "Holm's correction" for name, _, _ in figures(sure[0]))


def test_the_query_that_moves_the_mean_most_comes_first() -> None:
    """Against the means themselves, each query left out in turn."""
    evaluation = several(12, 0.2)
    found = compare(evaluation, 0, 1)
    first, *_ = most_influential(found, sureness(found, SurenessOptions()))
    queries = np.flatnonzero(found.compared)
    means = {int(q): found.difference[[p for p in queries if p != q]].mean() for q in queries}
    farthest = max(means, key=lambda query: abs(means[query] - found.mean))
    assert first.query == farthest
    assert first.without == pytest.approx(means[farthest])
    assert first.flips == (means[farthest] * found.mean < 0)


def test_one_query_says_nothing_about_others() -> None:
    """And fails nowhere."""
    evaluation = evaluation_of(
        [("q", "A", 1), ("q", "B", 3)], [("q", "A"), ("q", "B")], [("q", "B"), ("q", "A")]
    )
    found = compare(evaluation, 0, 1)
    sure = sureness(found, SurenessOptions())
    assert (sure.t, sure.effect, sure.needed) == (None, None, None)
    assert most_influential(found, sure) == []
    text = answer(evaluation, found, sure, fairness(evaluation, found))
    assert text.endswith("One query says nothing about others.")


def test_equal_rankings() -> None:
    """Are called equal, not better by 0.000."""
    evaluation = evaluation_of([("q", "A", 1)], [("q", "A")], [("q", "A")])
    found = compare(evaluation, 0, 1)
    sure = sureness(found, SurenessOptions())
    assert "are equal on average (nDCG@10, 1 query)" in answer(evaluation, found, sure, None)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0311, "+0.031"), (-0.0311, "−0.031"), (0.0001, "0.000"), (-0.0, "0.000"), (None, "–")],
)
def test_signed(value: float | None, text: str) -> None:
    """A difference says which way, unless it shows as none."""
    assert signed(value) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.11, "p = 0.11"),
        (0.0941, "p = 0.094"),
        (0.0496, "p = 0.0496"),
        (0.05, "p = 0.050"),
        (0.0004, "p < 0.001"),
    ],
)
def test_p_text(p: float, text: str) -> None:
    """A p near the limit has a digit more."""
    assert p_text(p) == text


def test_the_best_is_marked_only_where_that_is_no_chance() -> None:
    """And never where the tests say it could be."""
    clear = summarise(several(40, 3.0))
    assert [row[0].best for row in clear.figures] == [False, True]
    chance = summarise(several(6, 0.0))
    assert not any(figure.best for row in chance.figures for figure in row)
    alone = summarise(evaluation_of([("q", "A", 1)], [("q", "A")]))
    assert not any(figure.best for figure in alone.figures[0])


def test_the_summary_has_the_mean_of_every_measure() -> None:
    """Over the queries that count, with an interval that holds it."""
    evaluation = several(15, 1.0)
    found = summarise(evaluation)
    for number, row in enumerate(found.figures):
        for measure, figure in zip(MEASURES.values(), row, strict=True):
            these = values(evaluation, number, measure)[evaluation.scores(number).counted]
            assert figure.mean == pytest.approx(these.mean())
            assert figure.interval.lower <= figure.mean <= figure.interval.upper
    assert summarise(evaluation, cancelled=lambda: True) is None


def test_side_by_side_says_what_moved() -> None:
    """Ranks from the baseline to the candidate, within the cutoff and beyond it."""
    evaluation = evaluation_of(
        [("q", "A", 1), ("q", "B", 3)],
        [("q", each) for each in "ABCDE"],
        [("q", each) for each in "EAXB"],
        cutoff=3,
    )
    found = side_by_side(evaluation, 0, 0, 1)
    assert [movement_text(each, False) for each in found.baseline] == ["down 1", "down 2", "gone"]
    assert [movement_text(each, True) for each in found.candidate] == ["up 4", "down 1", "new"]
    assert [each.grade for each in found.baseline] == [1, 3, None]
    assert found.overlap == pytest.approx(1 / 3)  # A, of ABC and EAX
    assert found.jaccard == pytest.approx(1 / 5)
    tau = stats.kendalltau([1, 2, 3], [2, 3, 1]).statistic  # A, B, E in both
    assert found.kendall == pytest.approx(tau)
    assert found.in_common == 3


def test_a_document_that_stands_twice_counts_at_its_better_place() -> None:
    """So do the ranks that it is compared by."""
    evaluation = evaluation_of(
        [("q", "A", 1)], [("q", each) for each in "ABA"], [("q", each) for each in "BA"]
    )
    found = side_by_side(evaluation, 0, 0, 1)
    assert [each.other_rank for each in found.candidate] == [2, 1]
