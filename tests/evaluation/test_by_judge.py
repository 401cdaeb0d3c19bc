"""The score under each rule and each judge, against evaluations that have those grades alone."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest
import strategies
from build import evaluation_of, judgment_columns, ranking_columns
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.evaluation.by_judge import RuleScore, scores_by_rule
from ndcg_desktop.evaluation.columns import VoteColumns
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.evaluation.votes import ONE_JUDGE, RULES, VERDICT
from ndcg_desktop.scoring.options import Options

JUDGES = ("Ann", "Bob", "Cyd")
PAIRS = [("q1", "a"), ("q1", "b"), ("q1", "c"), ("q2", "a"), ("q2", "d"), ("q3", "a")]
RANKINGS = (
    [("q1", "b"), ("q1", "a"), ("q2", "d"), ("q2", "a"), ("q3", "a")],
    [("q1", "c"), ("q1", "x"), ("q1", "a"), ("q2", "a")],
)
GRADES = st.sampled_from((None, 0.0, 0.0, 1.0, 2.0, 3.0))
VOTES = st.lists(
    st.tuples(*[GRADES] * len(JUDGES), st.sampled_from((None, None, None, 0.0, 3.0))),
    min_size=len(PAIRS),
    max_size=len(PAIRS),
)


def several(votes, rule="mean", rankings=RANKINGS, options=None) -> Evaluation:
    """An evaluation with a column of grades for each judge, and one of verdicts."""
    names = (*JUDGES, VERDICT)
    blank = judgment_columns([(*pair, None) for pair in PAIRS])
    rows, width = len(PAIRS), len(names)
    columns = VoteColumns(
        judges=names,
        place=np.repeat(np.arange(rows), width),
        judge=np.tile(np.arange(width), rows),
        grade=np.array([np.nan if g is None else g for row in votes for g in row]),
        row=np.repeat(np.arange(rows), width) + 2,
        column=np.tile(np.arange(width), rows) + 2,
        rule=rule,
    )
    tables = [ranking_columns(each) for each in rankings]
    return join([replace(blank, votes=columns)], tables, options=options)[0]


def brute(votes, rule, verdicts=True) -> list[float | None]:
    """The one grade of each pair, by Python's statistics."""
    out: list[float | None] = []
    for *given_grades, verdict in votes:
        grades = [grade for grade in given_grades if grade is not None]
        if verdict is not None and verdicts:
            out.append(verdict)
        elif rule.startswith(ONE_JUDGE):
            out.append(given_grades[JUDGES.index(rule.removeprefix(ONE_JUDGE))])
        elif not grades:
            out.append(None)
        else:
            out.append(
                {
                    "mean": statistics.fmean,
                    "median": statistics.median,
                    "majority": lambda some: min(statistics.multimode(some)),
                    "min": min,
                    "max": max,
                    "last": lambda some: some[-1],
                }[rule](grades)
            )
    return out


def assert_as_alone(row: RuleScore, grades, options: Options) -> None:
    """A row has the scores of an evaluation whose single column holds these grades."""
    column = judgment_columns([(*p, grade) for p, grade in zip(PAIRS, grades, strict=True)])
    alone, _ = join([column], [ranking_columns(each) for each in RANKINGS], options=options)
    scores = [alone.scores(ranking) for ranking in range(len(RANKINGS))]
    assert row.n == tuple(each.n for each in scores)
    assert row.graded == sum(grade is not None for grade in grades)
    for mean, each in zip(row.means, scores, strict=True):
        assert (mean is None) == (each.mean is None)
        if mean is not None:
            assert mean == pytest.approx(each.mean, rel=1e-12, abs=1e-15)


@given(VOTES, strategies.options(), st.sampled_from([*RULES, *(ONE_JUDGE + n for n in JUDGES)]))
@settings(max_examples=40)
def test_as_a_column_of_the_merged_grades(votes, options, rule):
    """Under any options each rule, with the verdicts, and each judge, without them, scores as a
    file would that had these grades in its only column.
    """
    evaluation = several(votes, rule, options=options)
    rows = scores_by_rule(evaluation)
    ruled = sum(row[-1] is not None for row in votes)
    for row in rows:
        assert row.verdicts in (0, ruled)
        alone = row.rule.startswith(ONE_JUDGE) and not row.verdicts
        assert_as_alone(row, brute(votes, row.rule, verdicts=not alone), options)
    graders = [n for place, n in enumerate(JUDGES) if any(row[place] is not None for row in votes)]
    wanted = [*RULES, *([rule] if ruled and rule not in RULES else [])]
    wanted += [ONE_JUDGE + name for name in graders]
    if rule not in wanted:
        wanted.append(rule)
    assert [row.rule for row in rows] == wanted
    (used,) = [row for row in rows if row.in_use]
    assert used.rule == rule
    assert used.means == tuple(evaluation.scores(ranking).mean for ranking in range(2))


ROWS = [
    (3.0, 3.0, 0.0, None),
    (1.0, None, 2.0, None),
    (0.0, 0.0, None, 2.0),
    (2.0, 1.0, 1.0, None),
    (0.0, 3.0, None, None),
    (None, None, None, None),
]


def test_the_evaluation_stays_as_it_is():
    """Nothing of the evaluation is other than before: rule, grades, scores, what is not saved."""
    evaluation = several(ROWS)
    before = evaluation.judgments.grade.copy(), evaluation.scores(0).value.copy()
    codes, values = evaluation.judgments.code.copy(), list(evaluation.judgments.values)
    scores_by_rule(evaluation)
    assert evaluation.votes is not None
    assert evaluation.votes.rule == "mean"
    np.testing.assert_array_equal(evaluation.judgments.grade, before[0])
    np.testing.assert_array_equal(evaluation.judgments.code, codes)
    np.testing.assert_array_equal(evaluation.judgments.values, values)
    np.testing.assert_array_equal(evaluation.scores(0).value, before[1])
    assert not evaluation.modified


def test_a_frozen_evaluation_is_not_reached():
    """What is merged and graded after an evaluation was frozen does not change its scores."""
    evaluation = several(ROWS)
    still = evaluation.frozen()
    wanted = scores_by_rule(evaluation)
    evaluation.merge("max")
    assert evaluation.votes is not None
    evaluation.votes.set(0, "Zoe", 2.5)
    evaluation.merge("last")
    assert scores_by_rule(still) == wanted
    assert scores_by_rule(evaluation) != wanted


def test_how_rows_are_called():
    """A row says by how many verdicts it is what it is; the judge in use has a row with them."""
    rows = scores_by_rule(several(ROWS, "judge:Bob"))
    names = [row.name for row in rows]
    assert names[0] == "mean, 1 by verdict"
    assert names[6:] == [
        "grades of Bob, 1 by verdict",
        "grades of Ann",
        "grades of Bob",
        "grades of Cyd",
    ]
    assert [row.name for row in rows if row.in_use] == ["grades of Bob, 1 by verdict"]


def test_without_several_judges_or_rankings():
    """One grade for each document has no rows; without a ranking there are only the grades."""
    assert scores_by_rule(evaluation_of([("q1", "a", 1)], [("q1", "a")])) == []
    rows = scores_by_rule(several(ROWS, rankings=()))
    assert {(row.means, row.n) for row in rows} == {((), ())}
    assert [row.graded for row in rows] == [5] * len(RULES) + [5, 4, 3]


def test_no_query_in_common():
    """Where judgments and ranking have no query in common there is no score, and not 0."""
    rows = scores_by_rule(several(ROWS, rankings=[[("other", "a")]]))
    assert {(row.means, row.n) for row in rows} == {((None,), (0,))}


def test_given_up():
    """Once it is cancelled no further rule is scored."""
    asked = iter([False, False, True])
    assert len(scores_by_rule(several(ROWS), lambda: next(asked))) == 2
    assert not math.isnan(scores_by_rule(several(ROWS))[0].means[0] or 0.0)
