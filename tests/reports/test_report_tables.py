"""The data frames of the reports."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_evaluations import (
    NAN,
    WORKED_JUDGMENTS,
    WORKED_RANKING,
    evaluate,
    judgment_columns,
    many_queries,
    ranking_columns,
    worked_example,
)

from ndcg_desktop.evaluation.join import join
from ndcg_desktop.evaluation.open_grades import query_bounds
from ndcg_desktop.reports.tables import contribution_table, heading, query_table, with_measure


def test_contributions_of_the_worked_example():
    """Every step of the sum, and what the missed document lost."""
    table = contribution_table(worked_example(), 0, 0)

    assert table["document"].tolist() == ["A", "B", "C", "D", "E"]
    assert table["rank"].tolist()[:4] == [1, 2, 3, 4]
    assert table["grade"].tolist() == [3, 1, 0, 2, 3]
    np.testing.assert_allclose(
        table["cumulative DCG"][:4], [3, 3.6309297536, 3.6309297536, 4.4922828697]
    )
    assert table["ideal grade"].tolist() == [3, 3, 2, 1, 0]
    assert table["ideal discounted gain"].sum() == pytest.approx(6.3234658188)
    assert table["lost"][4] == pytest.approx(1.8927892607)
    assert table["note"].tolist() == ["", "", "", "", "not returned"]


def test_unjudged_stays_empty():
    """A document that nobody judged has no grade, gain, or loss: not one of 0."""
    judged = [("q", "A", 1), ("q", "B", NAN), ("q", "C", NAN)]
    table = contribution_table(evaluate(judged, [("q", "B"), ("q", "A")])[0], 0, 0)

    unjudged = table[table["document"].isin(["B", "C"])]
    for name in ("grade", "gain", "discounted gain", "lost"):
        assert unjudged[name].isna().all(), name
    assert unjudged["note"].tolist() == ["not judged", "not returned, not judged"]
    assert table["cumulative DCG"].tolist()[:2] == [0, pytest.approx(0.6309297536)]


def test_places_under_removal():
    """With unjudged documents removed the place that counts stands beside the rank."""
    judged = [("q", "A", 1)]
    evaluation = evaluate(judged, [("q", "X"), ("q", "A"), ("q", "A")], unjudged="remove")[0]
    table = contribution_table(evaluation, 0, 0)

    assert table["rank"].tolist() == [1, 2, 3]
    assert table["counted at"].isna().tolist() == [True, False, True]
    assert table["counted at"][1] == 1
    assert table["note"][2] == "returned before, counts at its better place only"


def test_nothing_is_lost_where_the_ideal_is_of_the_returned():
    """A document outside the ideal is no part of the shortfall."""
    table = contribution_table(
        evaluate(WORKED_JUDGMENTS, WORKED_RANKING, ideal="returned")[0], 0, 0
    )

    assert table["lost"].isna().all()
    assert table["ideal grade"].dropna().tolist() == [3, 2, 1, 0]


def test_other_columns_of_the_files():
    """A returned document shows the ranking's columns, a missed one those of the judgments; a
    column named like a calculated one does not take its place.
    """
    judged = replace(
        judgment_columns([("q", "A", 1), ("q", "B", 2)]),
        other={"title": ["judged A", "judged B"], "rater": ["Ann", "Bob"]},
    )
    ranked = replace(
        ranking_columns([("q", "A")]),
        other={"title": ["ranked A"], "grade": ["good"]},
        score=np.array([7.5]),
    )
    table = contribution_table(join([judged], [ranked])[0], 0, 0)

    assert table["title"].tolist() == ["ranked A", "judged B"]
    assert table["rater"].tolist() == ["Ann", "Bob"]
    assert table["grade (file)"].tolist() == ["good", ""]
    assert table["score"][0] == 7.5
    assert table["grade"].tolist() == [1, 2]


def test_contributions_without_a_ranking():
    """The judged documents, and the ideal beside them."""
    table = contribution_table(evaluate(WORKED_JUDGMENTS, [])[0], 0, None)

    assert table["rank"].isna().all()
    assert table["ideal grade"].tolist() == [3, 3, 2, 1, 0]
    assert table["note"].tolist() == [""] * 5


def test_query_table_equals_the_evaluation():
    """The columns are the evaluation's own arrays, and the mean of nDCG is the reported one."""
    evaluation = many_queries(200)
    table, scores = query_table(evaluation, 0), evaluation.scores()
    bounds = query_bounds(evaluation, 0)

    assert table["query"].tolist() == evaluation.queries
    assert table["nDCG"].mean() == pytest.approx(scores.mean)
    counted = scores.counted
    np.testing.assert_array_equal(table["nDCG"][counted], scores.value[counted])
    np.testing.assert_array_equal(table["DCG"], scores.dcg)
    np.testing.assert_array_equal(table["ideal DCG"], scores.ideal_dcg)
    np.testing.assert_array_equal(table["judged in top k"], scores.judged)
    np.testing.assert_array_equal(table["returned in top k"], scores.returned)
    np.testing.assert_array_equal(table["lower bound"][counted], bounds.lower[counted])
    np.testing.assert_array_equal(table["upper bound"][counted], bounds.upper[counted])


def test_why_a_query_is_not_scored():
    """A query outside the mean has no nDCG, one that counts without a score has its figure."""
    table = query_table(many_queries(200), 0).set_index("query")

    assert pd.isna(table.loc["q009", "nDCG"])
    assert table.loc["q009", "why not scored"] == "no relevant document judged"
    assert table.loc["q019", "nDCG"] == 0
    assert table.loc["q019", "why not scored"] == "absent from the ranking, counts as 0"
    assert table.loc["q000", "why not scored"] == ""


def test_nothing_judged():
    """Without judgments no figure is a 0."""
    table = query_table(evaluate([], WORKED_RANKING)[0], 0)

    assert table[["nDCG", "DCG", "ideal DCG", "lower bound"]].isna().all(axis=None)
    assert table["why not scored"].tolist() == ["not judged"]


def test_no_query_in_common():
    """Judgments of other queries give no column of zeros."""
    table = query_table(evaluate([("a", "A", 1)], [("b", "B")])[0], 0)

    assert table["nDCG"].isna().all()


def test_no_ranking():
    """Judgments alone have an ideal DCG."""
    table = query_table(evaluate(WORKED_JUDGMENTS, [], cutoff=4)[0], None)

    assert table["ideal DCG"][0] == pytest.approx(6.3234658188)
    assert table["nDCG"].isna().all()
    assert table["why not scored"].tolist() == ["no ranking"]


def test_heading_names_everything():
    """What was scored, under which measure, from which files, and when."""
    lines = dict(heading(worked_example(), 0, "Contributions", 0))

    assert lines["Query"] == "running shoes (q1)"
    assert lines["Measure"] == "nDCG@4"
    assert lines["Scored with"] == "linear gain, ideal from all judged"
    assert lines["Mean"] == "mean nDCG@4 0.710 (n = 1)"
    assert lines["Judgments from"] == "judgments.xlsx, sheet “grades”"
    assert lines["Ranking from"] == "run.csv"
    assert lines["Made with"].startswith("nDCG Desktop")
    assert "left out: 2 (no relevant" in dict(heading(many_queries(200), 0, "Queries"))["Mean"]


def test_heading_without_a_ranking():
    """There is no mean, and that is said."""
    lines = dict(heading(evaluate(WORKED_JUDGMENTS, [])[0], None, "Queries"))

    assert lines["Mean"] == "mean nDCG@10 – (no ranking)"
    assert lines["Ranking from"] == "none"


def test_measure_as_columns():
    """Each row of a plain table says what it was scored under."""
    evaluation = evaluate(WORKED_JUDGMENTS, WORKED_RANKING, ideal="returned")[0]
    table = with_measure(contribution_table(evaluation, 0, 0), evaluation, 0, 0)

    assert set(table["measure"]) == {evaluation.options.full_name}
    assert set(table["scored with"]) == {"linear gain, ideal from the returned only"}
    assert set(table["query"]) == {"q1"}
    assert set(table["ranking"]) == {"production"}
