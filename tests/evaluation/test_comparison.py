"""Two rankings compared by query, against the scores themselves and brute force."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from build import evaluation_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.evaluation.comparison import compare, fairness, few_judged, subtotals
from ndcg_desktop.evaluation.query_groups import NO_GROUP, group_columns
from ndcg_desktop.evaluation.sensitivity import CUTOFFS, sensitivity, settings_of

ORACLE = Path(__file__).parents[1] / "data" / "oracle"
JUDGED = [
    ("q1", "A", 3),
    ("q1", "B", 1),
    ("q2", "C", 2),
    ("q2", "D", 0),
    ("q3", "E", 0),
    ("q4", "F", 1),
]
OLD = [("q1", "B"), ("q1", "A"), ("q2", "C"), ("q3", "E"), ("q4", "F")]
NEW = [("q1", "A"), ("q1", "B"), ("q2", "D"), ("q2", "C"), ("q3", "E"), ("q4", "F")]


def test_differences_are_of_the_queries_that_count_in_both() -> None:
    """A query that is undefined is in neither mean."""
    evaluation = evaluation_of(JUDGED, OLD, NEW)
    found = compare(evaluation, 0, 1)
    assert found.compared.tolist() == [True, True, False, True], "q3 has no ideal"
    old, new = (evaluation.scores(number).value for number in (0, 1))
    assert found.differences == pytest.approx((new - old)[[0, 1, 3]], abs=1e-15)
    assert found.outcomes().tolist() == [1, -1, 0, 0]
    assert np.isnan(found.difference[2])
    assert found.mean == pytest.approx((new - old)[[0, 1, 3]].mean())
    assert found.means is not None
    assert found.means[1] - found.means[0] == pytest.approx(found.mean)


def test_a_tie_is_as_wide_as_is_said() -> None:
    """The largest difference of a tie is a tie."""
    found = compare(evaluation_of(JUDGED, OLD, NEW), 0, 1)
    largest = float(np.abs(found.differences).max())
    assert found.outcomes(largest).tolist() == [0, 0, 0, 0]
    assert np.count_nonzero(found.outcomes(largest - 1e-9)) == 1


def test_the_other_way_round_is_the_opposite() -> None:
    """Each difference changes its sign."""
    evaluation = evaluation_of(JUDGED, OLD, NEW)
    there, back = compare(evaluation, 0, 1), compare(evaluation, 1, 0)
    assert np.array_equal(there.differences, -back.differences)


def test_without_a_common_query() -> None:
    """Nothing is compared, and nothing fails."""
    evaluation = evaluation_of([("q1", "A", 1)], [("q1", "A")], [("q9", "A")], missing="skip")
    found = compare(evaluation, 0, 1)
    assert (found.n, found.mean, found.means) == (0, None, None)
    assert fairness(evaluation, found).judged is None


@pytest.mark.parametrize("case", json.loads((ORACLE / "bounds.json").read_text("utf-8"))["cases"])
def test_the_range_of_the_difference_is_that_of_brute_force(case: dict) -> None:
    """Both rankings share one ideal, whose blanks are those of both together."""
    judged = [("q", document, grade) for document, grade in case["judgments"].items()]
    first, second = ([("q", each) for each in case[name]] for name in ("ranking", "other"))
    if not first or not second or not judged:
        pytest.skip("nothing to compare")
    evaluation = evaluation_of(judged, first, second, cutoff=case["k"], gain=case["gain"])
    evaluation.declare(case["scale"])
    expected = case["difference_other_minus_ranking"]
    mean = fairness(evaluation, compare(evaluation, 0, 1)).range.mean
    if expected["lower"] is None:
        assert mean is None
    else:
        assert mean is not None
        assert (mean.lower, mean.upper) == pytest.approx(
            (expected["lower"], expected["upper"]), abs=1e-9
        )


def test_unjudged_documents_leave_the_winner_open() -> None:
    """A winner that a grade could change is none."""
    judged = [("q1", "A", 1), ("q1", "B", 3)]
    evaluation = evaluation_of(judged, [("q1", "A"), ("q1", "X")], [("q1", "B"), ("q1", "A")])
    fair = fairness(evaluation, compare(evaluation, 0, 1))
    assert fair.judged == (0.5, 1.0)
    assert fair.range.mean is not None
    certain = evaluation_of(judged, [("q1", "A"), ("q1", "B")], [("q1", "B"), ("q1", "A")])
    assert fairness(certain, compare(certain, 0, 1)).settled
    open_ = evaluation_of([("q1", "A", 3)], [("q1", "A"), ("q1", "X")], [("q1", "X"), ("q1", "A")])
    assert not fairness(open_, compare(open_, 0, 1)).settled


def test_few_judged() -> None:
    """A query counts as judged by its worse judged side."""
    judged = [("q1", "A", 1), ("q2", "B", 1)]
    evaluation = evaluation_of(
        judged, [("q1", "A"), ("q1", "X"), ("q1", "Y"), ("q2", "B")], [("q1", "A"), ("q2", "B")]
    )
    assert few_judged(evaluation, (0, 1)).tolist() == [True, False]


def test_subtotals_are_the_means_of_the_groups() -> None:
    """They add up to the mean of all."""
    evaluation = evaluation_of(JUDGED, OLD, NEW)
    found = compare(evaluation, 0, 1)
    first, second = subtotals(found, ["x", "y", "x", "y"])
    assert (first.group, first.n, second.group, second.n) == ("x", 1, "y", 2)
    assert first.difference == pytest.approx(found.difference[0])
    assert second.difference == pytest.approx(found.difference[[1, 3]].mean())
    parts = first.n * first.difference + second.n * second.difference
    assert parts / found.n == pytest.approx(found.mean)


def test_a_group_column_has_one_value_for_each_query() -> None:
    """And fewer values than there are queries."""
    evaluation = evaluation_of(JUDGED, OLD)
    entry = evaluation.entries[0]
    other = {
        "kind": ["nav", "nav", "info", "info", "", "nav"],
        "differs": ["1", "2", "1", "1", "1", "1"],
        "every query its own": ["1", "1", "2", "2", "3", "4"],
        "all one": ["x"] * 6,
    }
    columns = replace(entry.columns, other=other)
    evaluation.entries = [replace(entry, columns=columns)]
    assert group_columns(evaluation) == {"kind": ["nav", "info", NO_GROUP, "nav"]}


@settings(max_examples=4, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=4, max_size=20))
def test_each_cell_of_the_strip_is_the_score_under_that_setting(pairs: list) -> None:
    """Against an evaluation made anew."""
    grades = {f"d{number}": grade for number, (grade, _) in enumerate(pairs)}
    judged = [("q", document, grade) for document, grade in grades.items()]
    order = sorted(grades, key=lambda d: pairs[int(d[1:])][1])
    first, second = ([("q", each) for each in some] for some in (order, order[::-1]))
    evaluation = evaluation_of(judged, first, second)
    found = sensitivity(evaluation.frozen(), 0, 1)
    assert found is not None
    every = settings_of(evaluation.options)
    names = [name for setting in found.settings for name in setting.names]
    assert sorted(names) == sorted(setting.names[0] for setting in every)
    assert found.difference.shape == (len(found.settings), len(CUTOFFS))
    for setting in every:
        row = next(
            row
            for row, those in enumerate(found.settings)
            if setting.names[0] in those.names and those.options.gain == setting.options.gain
        )
        for column in (0, 4, 20):
            other = evaluation_of(judged, first, second)
            other.options = replace(setting.options, cutoff=CUTOFFS[column])
            mean = compare(other, 0, 1).mean
            here = found.difference[row, column]
            assert (np.isnan(here) and mean is None) or here == pytest.approx(mean, abs=1e-11)
    assert found.current == (0, 9), "linear gain, k = 10, as set"
    undefined = np.isnan(found.difference).any()
    assert undefined or sum(found.agreeing) == len(every) * len(CUTOFFS)


def test_the_strip_can_be_given_up() -> None:
    """Another choice makes it void."""
    evaluation = evaluation_of(JUDGED, OLD, NEW)
    assert sensitivity(evaluation.frozen(), 0, 1, lambda: True) is None
