"""Where the points went, and which single change brings most of them back."""

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest
import strategies
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.evaluation.best_changes import (
    best_grades,
    best_missed,
    best_move,
    best_swap,
    top_grade,
)
from ndcg_desktop.evaluation.losses import losses
from ndcg_desktop.evaluation.scenario import own_order, score_scenario
from ndcg_desktop.evaluation.scenario_rows import scenario_rows
from ndcg_desktop.scoring.ndcg import Status


def worked(**options):
    """The worked example."""
    return evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, **{"cutoff": 4, **options})


@st.composite
def one_query(draw):
    """A longer list of one query, often with ties and with documents returned twice."""
    names = "abcdefgh"
    grades = st.sampled_from((None, None, 0.0, 1.0, 1.0, 2.0, 3.0))
    judged = [("q1", name, draw(grades)) for name in draw(st.permutations(names))[:7]]
    listed = draw(st.lists(st.sampled_from(names), min_size=3, max_size=8))
    once = listed if draw(st.booleans()) else list(dict.fromkeys(listed))
    scored = draw(st.booleans())
    scores = st.sampled_from((1.0, 2.0, 3.0))
    returned = [("q1", name, draw(scores) if scored else None, None) for name in once]
    return strategies.Data(judged, returned, {"q1": [3.0, 2.0, 2.0, 1.0]})


def evaluated(data, options):
    """An evaluation of data that were drawn."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    return evaluation


def test_worked_example():
    """The example's loss: by place, with what D has more than the ideal there, and by document."""
    found = losses(worked(), 0, 0)
    assert [round(part.loss, 3) for part in found.by_position] == [0, 0.2, 0.158, -0.068]
    assert [(part.document, round(part.loss, 3)) for part in found.by_document] == [
        ("E", 0.299),
        ("D", 0.022),
        ("A", 0.0),
        ("C", 0.0),
        ("B", -0.032),
    ]
    missed = found.by_document[0]
    assert (missed.rank, missed.place, missed.grade) == (None, 2, 3)


@given(strategies.data() | one_query(), strategies.options())
@settings(max_examples=100)
def test_the_parts_are_the_whole(data, options):
    """Under every option both ways sum to 1 − nDCG; a query without a score has no parts."""
    evaluation = evaluated(data, options)
    scores = evaluation.scores()
    for query in range(len(evaluation.queries)):
        found = losses(evaluation, query, 0)
        if found is None:
            assert scores.status[query] != Status.SCORED or evaluation.disjoint(0)
            continue
        assert found.value == scores.value[query]
        for parts in (found.by_position, found.by_document):
            whole = sum(part.loss for part in parts) + found.rounding
            assert whole == pytest.approx(1 - found.value, abs=1e-12)
        if options.rounding == "none":
            assert found.rounding == pytest.approx(0, abs=1e-12)


def test_equal_gains_keep_the_places_of_the_ranking():
    """Of documents of one gain the ideal has them as the ranking does, so none of them loses."""
    judgments = [("q1", name, 2) for name in "ABCD"]
    found = losses(evaluation_of(judgments, [("q1", name) for name in "CAD"]), 0, 0)
    assert {part.document: part.place for part in found.by_document} == {
        "C": 1,
        "A": 2,
        "D": 3,
        "B": 4,
    }
    assert [part.document for part in found.by_document if part.loss > 1e-12] == ["B"]


def test_a_given_ideal_names_no_document_for_a_grade_that_nobody_has():
    """Of a column of ideal grades a grade without a document is a part of its own."""
    judgments, ideal = [("q1", "A", 1)], {"q1": [3, 1]}
    evaluation = evaluation_of(judgments, [("q1", "A")], ideal=ideal)
    evaluation.options = replace(evaluation.options, ideal="column")
    found = losses(evaluation, 0, 0)
    assert [(part.document, part.grade) for part in found.by_document] == [("", 3), ("A", 1)]


# ---- by brute force


def appearances(documents):
    """Of each row whether it is a first appearance, and where its document stands next."""
    first = [documents.index(each) == row for row, each in enumerate(documents)]
    later = [
        next((at for at in range(row + 1, len(documents)) if documents[at] == each), len(documents))
        for row, each in enumerate(documents)
    ]
    return first, later


def value_of(evaluation, query, documents):
    """The score of an order, 0 without one."""
    return score_scenario(evaluation, query, documents).value or 0.0


def moves(documents):
    """Every list with one document at another rank."""
    first, later = appearances(documents)
    for row, to in itertools.permutations(range(len(documents)), 2):
        if first[row] and to < later[row]:
            moved = list(documents)
            moved.insert(to, moved.pop(row))
            yield moved


def swaps(evaluation, query, documents):
    """Every list with two documents changed over; of a condensed list, of those that are in it."""
    first, later = appearances(documents)
    if evaluation.options.unjudged == "remove":
        rows = scenario_rows(evaluation, query, documents)
        first = [row.position is not None for row in rows]
    for row, to in itertools.combinations(range(len(documents)), 2):
        if first[row] and first[to] and to < later[row]:
            swapped = list(documents)
            swapped[row], swapped[to] = swapped[to], swapped[row]
            yield swapped


def insertions(evaluation, query, documents):
    """Every list with one judged document more."""
    judgments = evaluation.judgments
    for pair in judgments.of_query(query):
        text = judgments.documents.take(np.array([pair])).texts()[0]
        if judgments.code[pair] and text not in documents:
            for to in range(len(documents) + 1):
                yield [*documents[:to], text, *documents[to:]]


@given(strategies.data() | one_query(), strategies.options())
@settings(max_examples=120)
def test_no_other_change_does_better(data, options):
    """The best move, swap and insertion are those that trying all of them finds."""
    evaluation = evaluated(data, options)
    for query in range(len(evaluation.queries)):
        documents = list(own_order(evaluation, query, 0))
        now = score_scenario(evaluation, query, documents)
        scored = now.status in (Status.SCORED, Status.ABSENT) and now.value is not None
        for best, every in (
            (best_move, moves(documents)),
            (best_swap, swaps(evaluation, query, documents)),
            (best_missed, insertions(evaluation, query, documents)),
        ):
            found = best(evaluation, query, 0)
            highest = max((value_of(evaluation, query, each) for each in every), default=0.0)
            if not scored or highest <= now.value + 1e-12:
                assert found is None
                continue
            assert found.before == now.value
            assert found.value == pytest.approx(highest, abs=1e-12)
            assert found.change > 0


def test_what_a_move_says_is_what_it_does():
    """Document and ranks lead to the value."""
    evaluation = worked()
    move = best_move(evaluation, 0, 0)
    assert (move.document, move.rank, move.to) == ("D", 4, 2)
    assert move.value == value_of(evaluation, 0, ["A", "D", "B", "C"])
    swap = best_swap(evaluation, 0, 0)
    assert (swap.document, swap.rank, swap.other, swap.to) == ("B", 2, "D", 4)
    assert swap.value == value_of(evaluation, 0, ["A", "D", "C", "B"])
    missed = best_missed(evaluation, 0, 0)
    assert (missed.document, missed.grade, missed.to) == ("E", 3, 1)
    assert missed.value == value_of(evaluation, 0, ["E", "A", "B", "C", "D"])


def test_a_perfect_list_has_no_better_one():
    """Where nothing can be won nothing is proposed."""
    evaluation = evaluation_of([("q1", "A", 2), ("q1", "B", 1)], [("q1", "A"), ("q1", "B")])
    assert best_move(evaluation, 0, 0) is None
    assert best_swap(evaluation, 0, 0) is None
    assert best_missed(evaluation, 0, 0) is None
    assert best_grades(evaluation, 0, 0) == (None, None)


def test_no_change_beyond_a_given_ideal():
    """An order that is worth more than the ideal that was given has no score, so it is not best."""
    judgments, ranking = [("q1", "A", 0), ("q1", "B", 3)], [("q1", "A"), ("q1", "B")]
    evaluation = evaluation_of(judgments, ranking, ideal={"q1": [2]})
    evaluation.options = replace(evaluation.options, ideal="column")
    assert evaluation.scores().status[0] == Status.SCORED
    assert best_move(evaluation, 0, 0) is None
    assert best_swap(evaluation, 0, 0) is None


def graded_values(data, options, query):
    """The value for each unjudged document, by grading it in an evaluation of its own."""
    values = {}
    evaluation = evaluated(data, options)
    listed = evaluation.judgments.documents.take(evaluation.judgments.of_query(query)).texts()
    for document in dict.fromkeys([*own_order(evaluation, query, 0), *listed]):
        changed = evaluated(data, options)
        pair = changed.pair_of(query, document)
        if changed.judgments.code[pair]:
            continue
        changed.set_grades([(pair, top_grade(evaluation))])
        scores = changed.scores()
        if scores.status[query] == Status.SCORED:
            values[document] = scores.value[query]
    return values


@given(strategies.data() | one_query(), strategies.options())
@settings(max_examples=70)
def test_no_other_grade_does_more(data, options):
    """The grades that raise and lower most are those that grading each document finds."""
    evaluation = evaluated(data, options)
    scores = evaluation.scores()
    for query in range(len(evaluation.queries)):
        raising, lowering = best_grades(evaluation, query, 0)
        if scores.status[query] != Status.SCORED:
            assert (raising, lowering) == (None, None)
            continue
        before = scores.value[query]
        values = graded_values(data, options, query)
        for found, end, sign in ((raising, max, 1), (lowering, min, -1)):
            extreme = end(values.values(), default=before)
            if sign * (extreme - before) <= 1e-12:
                assert found is None
                continue
            assert found.value == pytest.approx(extreme, abs=1e-12)
            assert found.value == pytest.approx(values[found.document], abs=1e-12)
            assert found.before == before


def test_which_grade():
    """A blank high in the list raises the score, one below the cutoff lowers it."""
    judgments = [("q1", "A", 2), ("q1", "B", 1), ("q1", "L", None)]
    ranking = [("q1", name) for name in "XABY"]
    raising, lowering = best_grades(evaluation_of(judgments, ranking, cutoff=3), 0, 0)
    assert (raising.document, raising.rank, raising.grade) == ("X", 1, 2)
    assert raising.change > 0
    assert (lowering.document, lowering.rank) == ("Y", 4)
    assert lowering.change < 0


def test_nothing_is_touched():
    """Trying changes leaves grades and scores as they were."""
    evaluation = evaluation_of([("q1", "A", 2), ("q1", "B", None)], [("q1", "B"), ("q1", "A")])
    before = evaluation.scores().value.copy()
    best_grades(evaluation, 0, 0)
    best_move(evaluation, 0, 0)
    assert len(evaluation.judgments) == 2
    assert evaluation.judgments.values[1:] == [2]
    np.testing.assert_array_equal(evaluation.scores().value, before)


def test_long_lists_are_quick():
    """A thousand documents, all of which count, take a moment."""
    rng = np.random.default_rng(3)
    names = [f"d{number}" for number in range(1000)]
    judgments = [("q1", name, int(rng.integers(0, 4))) for name in names[::2]]
    ranking = [("q1", names[place]) for place in rng.permutation(1000)]
    evaluation = evaluation_of(judgments, ranking, cutoff=None)
    start = time.perf_counter()
    assert best_move(evaluation, 0, 0).change > 0
    assert best_swap(evaluation, 0, 0).change > 0
    best_missed(evaluation, 0, 0)
    assert best_grades(evaluation, 0, 0)[0].change > 0
    assert losses(evaluation, 0, 0) is not None
    assert time.perf_counter() - start < 3
