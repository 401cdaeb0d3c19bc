"""The bars of a query's chart and the text beside them."""

import numpy as np
import pytest
from small_evaluations import NAN, WORKED_JUDGMENTS, WORKED_RANKING, evaluate, worked_example

from ndcg_desktop.charts.bars import NO_ROW, Bars, hover_text, query_bars
from ndcg_desktop.evaluation.detail import query_numbers, query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation


def bars_of(evaluation: Evaluation, ranking: int | None = 0) -> Bars:
    """The bars of the first query."""
    rows = query_rows(evaluation, 0, ranking)
    return query_bars(evaluation, rows, query_numbers(evaluation, rows), 3)


def hover(evaluation: Evaluation, position: int, ranking: int | None = 0) -> str:
    """What is said about a position of the first query."""
    rows = query_rows(evaluation, 0, ranking)
    return hover_text(evaluation, rows, query_numbers(evaluation, rows), position, 3)


def test_worked_example():
    """Each bar is a term of the two sums, at its position."""
    bars = bars_of(worked_example())

    np.testing.assert_allclose(bars.ranking, [3, 0.6309297536, 0, 0.8613531161])
    np.testing.assert_allclose(bars.ideal, [3, 1.8927892607, 1, 0.4306765581])
    assert bars.row.tolist() == [0, 1, 2, 3]
    assert not bars.unjudged.any()
    assert bars.ranking_name == "production"


def test_the_score_is_named_in_full():
    """Title and measure line are what a picture of the chart needs to stand alone."""
    bars = bars_of(worked_example())

    assert bars.title == "running shoes"
    assert bars.measure == "nDCG@4 0.710 · linear gain, ideal from all judged"


def test_bars_add_up_to_the_sums_that_are_scored():
    """Whatever the options, the bars of a chart are all that its score is made of."""
    judged = [("q", "A", 1), ("q", "B", NAN), ("q", "C", 2), ("q", "D", 3), ("q", "E", 0)]
    returned = [("q", "B"), ("q", "A"), ("q", "X"), ("q", "C"), ("q", "A"), ("q", "E")]
    for options in (
        {"cutoff": 2},
        {"cutoff": None, "gain": "exponential"},
        {"cutoff": 3, "unjudged": "remove", "discount": "reciprocal"},
        {"cutoff": 4, "ideal": "returned"},
        {"cutoff": 2, "ideal_cut": "none"},
        {"cutoff": None, "ideal_cut": "returned"},
        {"cutoff": 3, "rounding": "floored-terms", "gain": "exponential"},
    ):
        evaluation = evaluate(judged, returned, **options)[0]
        bars, scores = bars_of(evaluation), evaluation.scores()

        assert bars.ranking.sum() == pytest.approx(scores.dcg[0]), options
        assert bars.ideal.sum() == pytest.approx(scores.ideal_dcg[0]), options


@pytest.mark.parametrize(("cutoff", "positions"), [(2, 2), (5, 5), (10, 5), (None, 5)])
def test_no_positions_that_add_nothing(cutoff, positions):
    """A cutoff beyond both lists does not make the chart wider than the longer of them."""
    bars = bars_of(evaluate(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=cutoff)[0])

    assert len(bars) == positions
    assert bars.row[4:].tolist() == [NO_ROW] * (positions - 4)


def test_unjudged_is_marked():
    """A document that nobody judged is marked; one that is returned again is not."""
    judged = [("q", "A", 1)]
    bars = bars_of(evaluate(judged, [("q", "X"), ("q", "A"), ("q", "A")])[0])

    assert bars.unjudged.tolist() == [True, False, False]
    assert bars.ranking[0] == 0


def test_unjudged_removed():
    """Under removal a document stands at its place among the judged."""
    judged = [("q", "A", 1), ("q", "B", 2)]
    evaluation = evaluate(judged, [("q", "X"), ("q", "A"), ("q", "B")], unjudged="remove")[0]
    bars = bars_of(evaluation)

    assert bars.row.tolist() == [1, 2]
    assert bars.ranking[0] == 1
    assert not bars.unjudged.any()


def test_query_without_a_score():
    """A dash and the reason, never a 0."""
    bars = bars_of(evaluate([("q1", "A", 0)], WORKED_RANKING)[0])

    assert bars.measure == (
        "nDCG@10 – · linear gain, ideal from all judged · no relevant document judged"
    )


def test_query_that_counts_without_a_score():
    """The figure that it counts as, and why."""
    bars = bars_of(evaluate([("q1", "A", 0)], WORKED_RANKING, undefined="one")[0])

    assert bars.measure.startswith("nDCG@10 1.000 · ")
    assert bars.measure.endswith("no relevant document judged, counts as 1")


def test_without_a_ranking():
    """The ideal stands alone, and the score is a dash."""
    bars = bars_of(evaluate(WORKED_JUDGMENTS, [], cutoff=4)[0], None)

    assert not bars.has_ranking
    assert bars.row.tolist() == [NO_ROW] * 4
    np.testing.assert_allclose(bars.ideal, [3, 1.8927892607, 1, 0.4306765581])
    assert bars.measure == "nDCG@4 – · linear gain, ideal from all judged · no ranking"


def test_gain_beyond_a_float_has_no_bar():
    """A gain that cannot be computed stretches no axis."""
    judged = [("q1", "A", 2000), ("q1", "B", 1)]
    bars = bars_of(evaluate(judged, WORKED_RANKING, gain="exponential")[0])

    assert np.isfinite(bars.ranking).all()
    assert "2^grade − 1 is too large" in bars.measure


def test_hover_names_every_factor():
    """The factors of a bar, and the grade the ideal has at that place."""
    assert hover(worked_example(), 2) == (
        "position 2\n"
        "B: grade 1, gain 1.000 × discount 0.631 = 0.631\n"
        "ideal: grade 3, discounted gain 1.893"
    )


def test_hover_without_a_figure():
    """What is not there is said, not shown as 0."""
    evaluation = evaluate([("q", "A", 1), ("q", "B", 2)], [("q", "X"), ("q", "A"), ("q", "A")])[0]

    assert hover(evaluation, 1).splitlines()[1] == "X: not judged"
    assert hover(evaluation, 3).splitlines()[1:] == ["A: returned before, gains nothing here"]
    short = evaluate([("q", "A", 1), ("q", "B", 2)], [("q", "A")])[0]
    assert hover(short, 2).splitlines()[1] == "no document returned"
    assert hover(evaluate(WORKED_JUDGMENTS, [])[0], 1, None).splitlines()[1:] == [
        "ideal: grade 3, discounted gain 3.000"
    ]


def test_a_gain_that_cannot_be_computed():
    """It has no bar, and is told as such, never as infinite or as 0."""
    judged = [("q", "A", 1100), ("q", "B", 1)]
    evaluation = evaluate(judged, [("q", "A"), ("q", "B")], gain="exponential")[0]
    bars = bars_of(evaluation)

    assert bars.ranking.tolist() == [0, pytest.approx(0.6309297536)]
    assert hover(evaluation, 1) == (
        "position 1\nA: grade 1100, its gain cannot be computed\n"
        "ideal: grade 1100, discounted gain –"
    )
    assert bars.message == ""
    alone = evaluate(judged[:1], [("q", "A")], gain="exponential")[0]
    assert bars_of(alone).message == "Some gains cannot be computed"


def test_no_common_query():
    """Without a common query the measure has no value, and the line says why."""
    evaluation = evaluate([("q", "A", 1)], [("q.0", "A")])[0]

    assert bars_of(evaluation).measure == (
        "nDCG@10 – · linear gain, ideal from all judged · "
        "judgments and ranking have no query in common"
    )
