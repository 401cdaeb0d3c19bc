"""What-if orders: their scores are those of a ranking so ordered, and nothing else changes."""

import numpy as np
import pytest
import strategies
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.evaluation.scenario import Scenarios, own_order, score_scenario
from ndcg_desktop.evaluation.scenario_rows import (
    at_positions,
    ideal_gains,
    last_counting,
    missed,
    scenario_rows,
)
from ndcg_desktop.scoring.ndcg import Status


@given(
    strategies.data(),
    strategies.options(),
    st.lists(st.sampled_from([*strategies.DOCUMENTS, "new"]), max_size=9),
)
@settings(max_examples=80)
def test_a_scenario_scores_as_a_ranking_would(data, options, documents):
    """Any order, with repeats and unknown documents, scores as a file of these rows."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    for query, name in enumerate(evaluation.queries):
        rows = [(name, document) for document in documents]
        changed = evaluation_of(data.judgments, rows, ideal=data.ideal)
        changed.options = options
        figures = score_scenario(evaluation, query, documents)
        if name not in changed.queries:
            continue
        number = changed.queries.index(name)
        scores = changed.scores()
        assert figures.status == scores.status[number]
        assert (figures.value is not None) == scores.counted[number]
        if figures.value is not None:
            assert figures.value == pytest.approx(scores.value[number], abs=1e-12)
        assert figures.dcg == pytest.approx(scores.dcg[number], abs=1e-12)
        assert figures.ideal_dcg == pytest.approx(scores.ideal_dcg[number], abs=1e-12)


@given(strategies.data(), strategies.options().filter(lambda each: each.order != "ties-averaged"))
@settings(max_examples=60)
def test_the_ranking_s_own_order_has_its_score(data, options):
    """Nothing moved is nothing changed, also where documents are returned twice."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    scores = evaluation.scores()
    for query in range(len(evaluation.queries)):
        figures = score_scenario(evaluation, query, own_order(evaluation, query, 0))
        assert figures.status == scores.status[query]
        assert figures.dcg == pytest.approx(scores.dcg[query], abs=1e-12)
        assert figures.value is None or figures.value == pytest.approx(scores.value[query])


def test_grades_are_those_of_now():
    """A grade that is given later counts in a scenario at once."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING)
    before = score_scenario(evaluation, 0, ["C", "A"]).value
    evaluation.set_grades([(2, 3.0)])
    assert score_scenario(evaluation, 0, ["C", "A"]).value > before


def test_the_evaluation_stays_as_it_is():
    """Neither grades nor documents nor scores of the evaluation change."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING)
    scores = evaluation.scores().value.copy()
    score_scenario(evaluation, 0, ["E", "new", "A"])
    assert len(evaluation.judgments) == 5
    np.testing.assert_array_equal(evaluation.scores().value, scores)
    assert own_order(evaluation, 0, 0) == ("A", "B", "C", "D")


@given(
    strategies.data(),
    strategies.options(),
    st.lists(st.sampled_from([*strategies.DOCUMENTS, "new"]), max_size=9),
)
@settings(max_examples=80)
def test_the_rows_add_up(data, options, documents):
    """What rows, bars and ideal of an order show sums to its figures."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    for query in range(len(evaluation.queries)):
        figures = score_scenario(evaluation, query, documents)
        if figures.status == Status.REFUSED:
            continue
        rows = scenario_rows(evaluation, query, documents)
        assert [row.document for row in rows] == documents
        assert sum(row.discounted or 0.0 for row in rows) == pytest.approx(figures.dcg, abs=1e-12)
        bars = at_positions(rows, last_counting(rows))
        assert bars.gains.sum() == pytest.approx(figures.dcg, abs=1e-12)
        ideal = ideal_gains(evaluation, query, documents)
        assert ideal.sum() == pytest.approx(figures.ideal_dcg, abs=1e-12)
        assert options.cutoff is None or len(ideal) <= options.cutoff


def test_what_is_missed():
    """Judged documents that an order does not have, the best first; blanks are not among them."""
    judgments = [*WORKED_JUDGMENTS, ("q1", "F", None)]
    evaluation = evaluation_of(judgments, WORKED_RANKING)
    assert missed(evaluation, 0, ["B", "C"]) == [("A", 3), ("E", 3), ("D", 2)]


def test_places_without_the_unjudged():
    """In a condensed list an unjudged document has no position, and the next moves up."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, unjudged="remove")
    rows = scenario_rows(evaluation, 0, ["new", "A", "A", "D"])
    assert [row.position for row in rows] == [None, 1, None, 2]
    bars = at_positions(rows, 3)
    assert bars.documents == ["A", "D", ""]
    assert not bars.unjudged.any()


def test_moves_insertions_and_the_way_back():
    """Each change is one step, and each step is taken back; a reset is a step too."""
    scenarios = Scenarios("ABCD")
    assert scenarios.move(3, -2) == 1
    assert scenarios.documents == tuple("ADBC")
    scenarios.insert("E", 0)
    scenarios.remove(4)
    assert scenarios.documents == tuple("EADB")
    assert scenarios.changed
    scenarios.reset()
    assert not scenarios.changed
    for expected in ("EADB", "EADBC", "ADBC", "ABCD", "ABCD"):
        scenarios.undo()
        assert scenarios.documents == tuple(expected)
    assert not scenarios.can_undo


def test_a_move_ends_at_the_list():
    """Nothing moves out of the list, and what does not move is no step."""
    scenarios = Scenarios("ABC")
    assert scenarios.move(0, -1) == 0
    assert not scenarios.can_undo
    assert scenarios.move(0, 9) == 2
    assert scenarios.documents == tuple("BCA")


def test_several_scenarios():
    """A new one starts as a copy of the one in hand; names are their own; the last one stays."""
    scenarios = Scenarios("ABC")
    scenarios.move(0, 1)
    scenarios.new()
    assert (scenarios.scenario.name, scenarios.documents) == ("What if 2", tuple("BAC"))
    scenarios.move(2, -2)
    scenarios.rename("  C\nfirst ")
    assert [each.name for each in scenarios] == ["What if 1", "C first"]
    assert [each.documents for each in scenarios] == [tuple("BAC"), tuple("CBA")]
    scenarios.rename(" ")
    assert scenarios.scenario.name == "C first"
    scenarios.current = 0
    scenarios.delete()
    assert [each.name for each in scenarios] == ["C first"]
    scenarios.delete()
    assert scenarios.documents == tuple("ABC")
    assert len(scenarios) == 1
