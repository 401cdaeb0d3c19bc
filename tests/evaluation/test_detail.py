"""The rows and numbers of one query, as the ranking table and the chart show them."""

import math
from dataclasses import replace

import numpy as np
import pytest
import strategies
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from hypothesis import given, settings

from ndcg_desktop.evaluation.detail import query_numbers, query_rows
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import Options

NAN = math.nan
LOG3, LOG5 = 1 / math.log2(3), 1 / math.log2(5)


def detail(evaluation, query="q1"):
    """The rows of a query and their numbers."""
    rows = query_rows(evaluation, evaluation.queries.index(query))
    return rows, query_numbers(evaluation, rows)


def same(got, expected):
    """Compare numbers, NaN being equal to NaN."""
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


def test_worked_example():
    """Gain, discount, running sum and ideal of the specification's example, and what E lost."""
    rows, numbers = detail(evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4))
    assert rows.documents == ["A", "B", "C", "D", "E"]
    assert (rows.returned, rows.file_row.tolist()) == (4, [0, 1, 2, 3, -1])
    same(numbers.position, [1, 2, 3, 4, NAN])
    same(numbers.grade, [3, 1, 0, 2, 3])
    same(numbers.gain, [3, 1, 0, 2, 3])
    same(numbers.discount, [1, LOG3, 0.5, LOG5, NAN])
    same(numbers.discounted, [3, LOG3, 0, 2 * LOG5, NAN])
    same(numbers.running, [3, 3 + LOG3, 3 + LOG3, 3 + LOG3 + 2 * LOG5, NAN])
    same(numbers.lost, [NAN, NAN, NAN, NAN, 3 * LOG3])
    same(numbers.ideal_grade, [3, 3, 2, 1, 0])
    same(numbers.ideal_discounted, [3, 3 * LOG3, 1, LOG5, 0])


def test_missed_documents_are_listed_by_gain():
    """Documents that were not returned follow, the most valuable first, in the file's order."""
    judgments = [("q1", name, grade) for name, grade in zip("ABCD", (1, 2, 3, 2), strict=True)]
    rows, numbers = detail(evaluation_of(judgments, [("q1", "X")]))
    assert rows.documents == ["X", "C", "B", "D", "A"]
    same(numbers.lost, [NAN, 3, 2 * LOG3, 1, LOG5])
    assert rows.pair[0] == NO_PAIR


def test_unjudged_rows_have_no_gain():
    """A blank has a place and a discount, and no grade and no gain, never 0."""
    rows, numbers = detail(
        evaluation_of([("q1", "A", None), ("q1", "B", 2)], [("q1", "A"), ("q1", "X"), ("q1", "B")])
    )
    same(numbers.position, [1, 2, 3])
    same(numbers.grade, [NAN, NAN, 2])
    same(numbers.gain, [NAN, NAN, 2])
    same(numbers.discounted, [NAN, NAN, 1])
    same(numbers.running, [0, 0, 1])
    assert rows.pair[0] != NO_PAIR
    assert rows.pair[1] == NO_PAIR


def test_condensed():
    """Without unjudged documents the judged ones move up; the blanks have no place."""
    evaluation = evaluation_of(
        [("q1", "A", 1), ("q1", "B", 2)],
        [("q1", "X"), ("q1", "A"), ("q1", "Y"), ("q1", "B")],
        unjudged="remove",
    )
    rows, numbers = detail(evaluation)
    assert rows.documents == ["X", "A", "Y", "B"]
    same(numbers.position, [NAN, 1, NAN, 2])
    same(numbers.discount, [NAN, 1, NAN, LOG3])
    same(numbers.running, [NAN, 1, NAN, 1 + 2 * LOG3])


def test_beyond_the_cutoff():
    """Past the cutoff the discount is 0 and the running sum stands still."""
    _, numbers = detail(evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=2))
    same(numbers.discount, [1, LOG3, 0, 0, NAN])
    same(numbers.running, [3, 3 + LOG3, 3 + LOG3, 3 + LOG3, NAN])
    same(numbers.ideal_discounted, [3, 3 * LOG3, 0, 0, 0])


def test_averaged_ties():
    """Tied documents share the mean of their places' discounts, also across the cutoff."""
    judgments = [("q1", name, grade) for name, grade in zip("ABC", (3, 1, 2), strict=True)]
    rows = [("q1", "A", 2.0), ("q1", "B", 1.0), ("q1", "C", 1.0)]
    _, numbers = detail(evaluation_of(judgments, rows, order="ties-averaged"))
    shared = (LOG3 + 0.5) / 2
    same(numbers.discount, [1, shared, shared])
    _, numbers = detail(evaluation_of(judgments, rows, order="ties-averaged", cutoff=2))
    same(numbers.discount, [1, LOG3 / 2, LOG3 / 2])


def test_worst_ties():
    """Rows stay in the order of the file; the place that the grades give them is their position,
    and the sums run down the positions.
    """
    judgments = [("q", "A", 1), ("q", "B", 3)]
    rows = [("q", "A", 1.0), ("q", "B", 1.0), ("q", "X", 1.0), ("q", "C", 0.5)]
    evaluation = evaluation_of(judgments, rows, order="ties-worst")
    shown, numbers = detail(evaluation, "q")
    assert shown.documents == ["X", "B", "A", "C"]
    same(numbers.position, [1, 3, 2, 4])
    second, third = 1 / np.log2(3), 3 / 2
    same(numbers.running, [0, second + third, second, second + third])
    evaluation.set_grades([(evaluation.pair_of(0, "B"), 0)])
    same(query_numbers(evaluation, shown).position, [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("changes", "places"),
    [({}, 2), ({"ideal_cut": "none"}, 3), ({"ideal_cut": "returned"}, 1), ({"cutoff": None}, 3)],
)
def test_the_ideal_ordering_as_far_as_it_is_summed(changes, places):
    """Where the ideal is cut, its ordering stops to count, and what is missed loses nothing."""
    evaluation = evaluation_of([("q", "A", 2), ("q", "B", 1), ("q", "C", 1)], [("q", "A")])
    evaluation.options = Options(**{"cutoff": 2} | changes)
    _, numbers = detail(evaluation, "q")
    assert numbers.ideal_places == places
    terms = np.array([2, 1 / np.log2(3), 1 / 2]) * (np.arange(3) < places)
    same(numbers.ideal_discounted, terms)
    same(numbers.lost, [np.nan, *terms[1:]])


def test_terms_that_are_cut_off():
    """The figures of the rows are those that are summed."""
    evaluation = evaluation_of([("q", "A", 1), ("q", "B", 3)], [("q", "A"), ("q", "B")])
    evaluation.options = Options(rounding="floored-terms")
    _, numbers = detail(evaluation, "q")
    same(numbers.discounted, [1, 1.89])
    same(numbers.ideal_discounted, [3, 0.63])


def test_a_repeated_document_counts_once():
    """The second appearance keeps its place and gains nothing."""
    evaluation = evaluation_of(
        [("q1", "A", 2), ("q1", "B", 1)], [("q1", "A"), ("q1", "A"), ("q1", "B")]
    )
    rows, numbers = detail(evaluation)
    assert rows.repeated.tolist() == [False, True, False]
    same(numbers.gain, [2, 0, 1])
    same(numbers.running, [2, 2, 2.5])
    assert len(numbers.ideal_grade) == 3
    same(numbers.ideal_grade, [2, 1, NAN])


def test_a_repeated_document_has_no_place_in_a_condensed_list():
    """Without the unjudged documents a second appearance is left out too."""
    evaluation = evaluation_of(
        [("q1", "A", 2), ("q1", "B", 1)],
        [("q1", "A"), ("q1", "A"), ("q1", "X"), ("q1", "B")],
        unjudged="remove",
    )
    _, numbers = detail(evaluation)
    same(numbers.position, [1, NAN, NAN, 2])
    same(numbers.running, [2, NAN, NAN, 2 + LOG3])


def test_without_a_ranking():
    """Judgments alone show every listed document and the ideal order."""
    evaluation = evaluation_of([("q1", "A", 1), ("q1", "B", 3), ("q1", "C", None)])
    rows = query_rows(evaluation, 0, None)
    numbers = query_numbers(evaluation, rows)
    assert (rows.documents, rows.returned) == (["A", "B", "C"], 0)
    same(numbers.ideal_grade, [3, 1, NAN])
    same(numbers.position, [NAN, NAN, NAN])


def test_grading_changes_no_place():
    """A grade changes the numbers of a row, and never where the row stands."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)
    rows, before = detail(evaluation)
    evaluation.set_grades([(int(rows.pair[2]), 3.0)])
    after = query_numbers(evaluation, rows)
    assert query_rows(evaluation, 0).documents == rows.documents
    same(after.position, before.position)
    same(after.grade, [3, 1, 3, 2, 3])


@pytest.mark.parametrize("cutoff", [1, None])
@pytest.mark.parametrize("grade", [2000.0, 1e308])
def test_a_refused_grade_has_no_figures(cutoff, grade):
    """A gain that is too large has no figure, nor has a sum that it counts in; the rest has."""
    judgments = [("q1", "A", 1), ("q1", "B", grade)]
    evaluation = evaluation_of(
        judgments, [("q1", "A"), ("q1", "X"), ("q1", "B")], gain="exponential", cutoff=cutoff
    )
    _, numbers = detail(evaluation)
    assert numbers.discounted[0] == 1
    assert numbers.running[:2].tolist() == [1, 1]
    assert numbers.refused.tolist() == [False, False, True]
    assert np.isnan([numbers.gain[2], numbers.discounted[2]]).all()
    assert np.isnan(numbers.running[2]) == (cutoff is None)  # beyond the cutoff it adds nothing
    assert numbers.ideal_grade[:2].tolist() == [grade, 1]
    weight = 0 if cutoff else 1 / np.log2(3)
    np.testing.assert_allclose(numbers.ideal_discounted[:2], [np.nan, weight])
    assert np.isnan(numbers.ideal_dcg)


def test_a_refused_grade_that_was_not_returned():
    """What a document lost whose gain cannot be computed is unknown."""
    judgments = [("q1", "A", 1), ("q1", "B", 2000), ("q1", "C", 1)]
    _, numbers = detail(evaluation_of(judgments, [("q1", "A")], gain="exponential"))
    np.testing.assert_allclose(numbers.lost, [np.nan, np.nan, 1 / np.log2(4)])


def test_a_grade_that_the_table_lacks_stands_last():
    """The place of a grade without an entry is unknown, so it pushes none of the others down."""
    options = {"gain": "table", "gain_table": ((1.0, 2.0),)}
    judgments = [("q1", "A", 3), ("q1", "B", 1)]
    _, numbers = detail(evaluation_of(judgments, [("q1", "A"), ("q1", "B")], **options))
    assert numbers.ideal_grade.tolist() == [1, 3]
    np.testing.assert_array_equal(numbers.ideal_discounted, [2, np.nan])


def test_a_sum_that_is_too_large():
    """Two gains that are each a number may have a sum that is none: it is left empty, not inf."""
    judgments = [("q1", "A", 1.7e308), ("q1", "B", 1.7e308)]
    _, numbers = detail(evaluation_of(judgments, [("q1", "A"), ("q1", "B")]))
    assert np.isfinite(numbers.discounted).all()
    np.testing.assert_array_equal(numbers.running, [1.7e308, np.nan])
    assert np.isnan(numbers.ideal_dcg)


def test_the_ideal_sum():
    """The ideal ordering's length and sum are those of all judged documents."""
    _, numbers = detail(evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING))
    assert numbers.ideal_length == 5
    log = np.log2
    assert numbers.ideal_dcg == pytest.approx(3 + 3 / log(3) + 2 / log(4) + 1 / log(5), abs=1e-12)


@given(strategies.data(), strategies.options())
@settings(max_examples=100)
def test_the_rows_add_up_to_the_score(data, options):
    """Discounted gains sum to the DCG, ideal ones to the ideal DCG; positions count up."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    scores = evaluation.scores()
    for query in range(len(evaluation.queries)):
        rows = query_rows(evaluation, query)
        numbers = query_numbers(evaluation, rows)
        positions = numbers.position[~np.isnan(numbers.position)]
        if options.order == "ties-worst":
            positions = np.sort(positions)
        assert positions.tolist() == list(range(1, len(positions) + 1))
        assert len(rows) == len(rows.documents) == len(numbers.gain)
        if scores.status[query] not in (Status.REFUSED, Status.UNJUDGED):
            assert np.nansum(numbers.discounted) == pytest.approx(scores.dcg[query], abs=1e-9)
            assert np.nansum(numbers.ideal_discounted) == pytest.approx(
                scores.ideal_dcg[query], abs=1e-9
            )
            running = numbers.running[np.argsort(numbers.position)]
            running = running[~np.isnan(running)]
            assert (np.diff(running) >= 0).all()
            assert len(running) == 0 or running[-1] == pytest.approx(scores.dcg[query], abs=1e-9)


@given(strategies.data(), strategies.options())
@settings(max_examples=50)
def test_what_was_lost(data, options):
    """What the missed documents lost is part of the ideal DCG, and nothing in another ideal."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = replace(options, ideal="judged")
    scores = evaluation.scores()
    for query in range(len(evaluation.queries)):
        rows = query_rows(evaluation, query)
        lost = query_numbers(evaluation, rows).lost
        assert np.isnan(lost[: rows.returned]).all()
        if scores.status[query] != Status.REFUSED:
            assert np.nansum(lost) <= scores.ideal_dcg[query] + 1e-9
        evaluation.options = replace(options, ideal="returned")
        assert np.isnan(query_numbers(evaluation, rows).lost).all()
        evaluation.options = replace(options, ideal="judged")


def test_options_reach_the_rows():
    """A change of gain shows in the numbers at once."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING)
    rows, _ = detail(evaluation)
    evaluation.options = Options(gain="exponential")
    same(query_numbers(evaluation, rows).gain, [7, 1, 0, 3, 7])
