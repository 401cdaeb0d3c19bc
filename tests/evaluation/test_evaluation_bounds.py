"""Bounds of an evaluation under unjudged documents: by the oracle, and by trying every grade."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import strategies
from build import evaluation_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.evaluation.detail import query_numbers, query_rows
from ndcg_desktop.evaluation.open_grades import query_bounds
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import Options

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "oracle" / "bounds.json").read_text("utf-8")
)["cases"]
EXACT = 1e-9


def range_of(evaluation, query=0):
    """The bounds of a query, None where none are defined; the same alone as among all."""
    bounds, alone = query_bounds(evaluation, 0), query_bounds(evaluation, 0, query)
    assert alone.lower[0] == pytest.approx(bounds.lower[query], abs=1e-12)
    assert alone.upper[0] == pytest.approx(bounds.upper[query], abs=1e-12)
    assert alone.defined[0] == bounds.defined[query]
    if not bounds.defined[query]:
        return None
    return float(bounds.lower[query]), float(bounds.upper[query])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_oracle(case):
    """Each case of bounds.json, through judgments, ranking and options, has its bounds."""
    judgments = [("q", document, grade) for document, grade in case["judgments"].items()]
    # A document of another query makes the scale the declared one.
    judgments.append(("other", "x", max(case["scale"])))
    ranking = [("q", document) for document in case["ranking"]]
    evaluation = evaluation_of(judgments, ranking, cutoff=case["k"], gain=case["gain"])
    assert evaluation.judgments.scale().tolist() == case["scale"]
    expected = None if case["lower"] is None else (case["lower"], case["upper"])
    got = range_of(evaluation, evaluation.queries.index("q"))
    assert got == (expected and pytest.approx(expected, abs=EXACT))


def brute(data, options):
    """The least and greatest nDCG of a query, every blank of the top k tried with every grade."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    scale = evaluation.judgments.scale().tolist()
    if options.gain == "table":
        scale = [grade for grade, _ in options.gain_table]
    evaluation.options = options
    arranged = evaluation.rankings[0].arrange(options.order)
    within = arranged.rows(0)
    if options.cutoff is not None:
        first = np.arange(len(within)) if arranged.ties is None else arranged.ties[0]
        within = within[first < options.cutoff]
    blanks = []
    judged = {row[:2] for row in data.judgments if row[2] is not None}
    for row in within.tolist():
        document = evaluation.rankings[0].columns.document[row]
        if ("q", document) not in judged and document not in blanks:
            blanks.append(document)
    found = []
    for grades in itertools.product(scale, repeat=len(blanks)):
        filled = [row for row in data.judgments if row[2] is not None]
        filled += [("q", name, grade) for name, grade in zip(blanks, grades, strict=True)]
        other = evaluation_of(filled, data.ranking, ideal=data.ideal)
        other.options = options
        scores = other.scores()
        if scores.counted[0] and scores.status[0] in (Status.SCORED, Status.UNDEFINED):
            found.append(float(scores.value[0]))
        elif scores.status[0] == Status.IDEAL_TOO_LOW:
            found.append(1.0)
    return (min(found), max(found)) if found else None


@st.composite
def one_query(draw, ideals):
    """A query of few documents, some of them blank, ranked in any form; and its options."""
    names = draw(st.permutations("abcdef"))
    grades = st.sampled_from((None, None, 0.0, 1.0, 2.0, -1.0, 2.33))
    judgments = [("q", name, draw(grades)) for name in names[: draw(st.integers(1, 6))]]
    scored = draw(st.booleans())
    ranking = [
        ("q", name, draw(st.sampled_from((1.0, 2.0))) if scored else None, None)
        for name in draw(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5))
    ]
    options = draw(strategies.options(as_shown=True))
    options = replace(
        options,
        ideal=draw(st.sampled_from(ideals)),
        unjudged="zero",
        gain_table=((0.0, 0.0), (1.0, 1.0), (2.0, 5.0), (2.33, 3.0)),
    )
    given = draw(st.lists(st.sampled_from((1.0, 2.0)), min_size=1, max_size=7))
    return strategies.Data(judgments, ranking, {"q": given}), options


@given(one_query(["judged", "returned"]))
@settings(max_examples=40)
def test_brute_force(case):
    """The bounds are the extremes over every grade that the blanks of the top k may get."""
    data, options = case
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    expected = brute(data, options)
    assert range_of(evaluation) == (expected and pytest.approx(expected, abs=EXACT))


@given(one_query(["column"]))
@settings(max_examples=40)
def test_brute_force_under_a_given_ideal(case):
    """A blank adds nothing to an ideal that is given; where that is too low, the bound is 1."""
    data, options = case
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    expected = brute(data, options)
    if expected is not None:
        assert range_of(evaluation) == pytest.approx(expected, abs=EXACT)


@given(strategies.data(), strategies.options(as_shown=True))
@settings(max_examples=60)
def test_the_score_lies_within_its_bounds(data, options):
    """With a grade 0 on the scale, counting blanks as 0 is one of the possibilities."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = replace(options, unjudged="zero", gain_table=strategies.TABLE)
    scores, bounds = evaluation.scores(), query_bounds(evaluation, 0)
    assert ((bounds.lower >= 0) & (bounds.upper <= 1) & (bounds.lower <= bounds.upper)).all()
    # An absent query counts as 0 whatever is known of its documents: it has no range.
    scored = scores.counted & (scores.status != Status.ABSENT)
    assert bounds.defined[scored].all()
    assert (bounds.lower[scored] <= scores.value[scored] + EXACT).all()
    assert (bounds.upper[scored] >= scores.value[scored] - EXACT).all()


@given(strategies.data(), strategies.options())
@settings(max_examples=60)
def test_ranges_before_rounding_and_as_ties_stand(data, options):
    """Rounding changes no range; ties that the grades order keep the order that they have."""
    rows = list({row[:2]: (*row[:2], row[2] or 0.0) for row in data.ranking}.values())
    judged = [row for row in data.judgments if row[2] is not None]
    options = replace(options, unjudged="zero", gain_table=strategies.TABLE, order="ties-worst")
    evaluation = evaluation_of(judged, rows, ideal=data.ideal)
    evaluation.options = options
    got = query_bounds(evaluation, 0)
    fixed = []
    for query in dict.fromkeys(row[0] for row in rows):
        shown = query_rows(evaluation, evaluation.queries.index(query))
        position = query_numbers(evaluation, shown).position[: shown.returned]
        fixed += [(query, shown.documents[row]) for row in np.argsort(position).tolist()]
    other = evaluation_of(judged, fixed, ideal=data.ideal)
    other.options = replace(options, order="file", rounding="none")
    expected = query_bounds(other, 0)
    for number, query in enumerate(evaluation.queries):
        there = other.queries.index(query)
        for name in ("lower", "upper", "defined", "certain"):
            here, want = getattr(got, name)[number], getattr(expected, name)[there]
            assert here == pytest.approx(want, abs=1e-12)
    evaluation.options = replace(options, rounding="none")
    np.testing.assert_array_equal(query_bounds(evaluation, 0).lower, got.lower)


@pytest.mark.parametrize("ideal", ["judged", "returned", "column"])
@pytest.mark.parametrize(
    ("undefined", "expected"),
    [("skip", (1.0, 1.0)), ("zero", (0.0, 1.0)), ("one", (1.0, 1.0))],
)
def test_nothing_relevant_so_far(ideal, undefined, expected):
    """Where every blank may turn out to be 0, what the query then counts as is within the range;
    an ideal that is given and is 0 stays so.
    """
    evaluation = evaluation_of(
        [("q", "A", 0)], [("q", "X"), ("q", "A")], ideal={"q": [0]}, undefined=undefined
    )
    evaluation.options = replace(evaluation.options, ideal=ideal)
    if ideal == "column":
        expected = {"skip": None, "zero": (0.0, 0.0), "one": (1.0, 1.0)}[undefined]
    assert range_of(evaluation) == expected
    scores = evaluation.scores()
    if scores.counted[0]:
        assert expected[0] <= scores.value[0] <= expected[1]


def test_undefined_without_a_blank_has_no_range():
    """A query of which all is judged, and is 0, is what it counts as, and nothing else."""
    evaluation = evaluation_of([("q", "A", 0)], [("q", "A")], undefined="one")
    assert range_of(evaluation) == (1.0, 1.0)
    evaluation.options = Options(undefined="skip")
    assert range_of(evaluation) is None


def test_an_absent_query_has_no_undefined_value():
    """Nothing returned is absence under an ideal from the returned only, which counts as 0."""
    evaluation = evaluation_of([("q", "A", 1), ("r", "A", 1)], [("r", "A")])
    evaluation.options = Options(ideal="returned", undefined="one")
    absent = evaluation.queries.index("q")
    assert evaluation.scores().status[absent] == Status.ABSENT
    assert range_of(evaluation, absent) is None


def test_everything_judged_has_no_range():
    """Without a blank in the top k both bounds are the value itself."""
    evaluation = evaluation_of(
        [("q", "A", 1), ("q", "B", 3)], [("q", "A"), ("q", "B"), ("q", "X")], cutoff=2
    )
    value = evaluation.scores().value[0]
    assert range_of(evaluation) == pytest.approx((value, value), abs=1e-12)
    evaluation.options = Options(cutoff=3)
    lower, upper = range_of(evaluation)
    assert lower < upper


def test_a_repeated_blank_is_one_document():
    """A document that stands twice and is not judged may gain something once, at its best place."""
    evaluation = evaluation_of([("q", "A", 1)], [("q", "X"), ("q", "X"), ("q", "A")])
    log3 = 1 / np.log2(3)
    assert range_of(evaluation) == pytest.approx((0.5, 1.5 / (1 + log3)), abs=1e-12)


def test_a_given_ideal_is_not_raised_by_a_blank():
    """A blank at rank 2, ideal 1 and 1: the ideal stays, and only the DCG can grow."""
    evaluation = evaluation_of([("q", "A", 1)], [("q", "A"), ("q", "X")], ideal={"q": [1, 1]})
    evaluation.options = Options(ideal="column")
    assert range_of(evaluation) == pytest.approx((1 / (1 + 1 / np.log2(3)), 1.0), abs=1e-12)


def test_a_gain_table_is_a_declared_scale():
    """A blank may get any grade of a gain table, also one that no document has had so far."""
    evaluation = evaluation_of([("q", "A", 1)], [("q", "A"), ("q", "X")], cutoff=2)
    evaluation.options = Options(gain="table", gain_table=((0, 0), (1, 1), (2, 9)), cutoff=2)
    log3 = 1 / np.log2(3)
    assert range_of(evaluation) == pytest.approx(((1 + 9 * log3) / (9 + log3), 1.0), abs=1e-12)


@pytest.mark.parametrize("grades", [[None, None], [1, None]])
def test_a_table_without_the_grades_seen(grades):
    """A gain table that knows none of the grades seen still gives bounds, and no error."""
    judgments = [("q", name, grade) for name, grade in zip("AB", grades, strict=True)]
    evaluation = evaluation_of(judgments, [("q", "A"), ("q", "B")])
    evaluation.options = Options(gain="table", gain_table=((7, 2),))
    bounds = query_bounds(evaluation, 0)
    assert np.isfinite([bounds.lower, bounds.upper]).all()
    assert not evaluation.scores().counted.any()


@pytest.mark.parametrize(
    ("grades", "scale"),
    [
        ([], [0, 1]),
        ([0], [0, 1]),
        ([1, 4], [0, 1, 2, 3, 4]),
        ([-2, 2], [0, 1, 2]),
        ([0.5, 3], [0, 0.5, 3]),
        ([2000], [0, 2000]),
    ],
)
def test_scale(grades, scale):
    """Whole grades make a scale from 0 to the highest; fractional ones, those seen and 0."""
    judgments = [("q", f"d{place}", grade) for place, grade in enumerate([*grades, None])]
    assert evaluation_of(judgments).judgments.scale().tolist() == scale


def test_a_blank_takes_its_place_also_in_a_condensed_list():
    """Bounds of a list without its unjudged documents are those of the whole list."""
    judgments = [("q", "A", 1), ("q", "B", 2), ("q", "C", 0)]
    rows = [("q", name) for name in "XAYBC"]
    evaluation = evaluation_of(judgments, rows, cutoff=4)
    whole = range_of(evaluation)
    evaluation.options = Options(cutoff=4, unjudged="remove")
    assert range_of(evaluation) == pytest.approx(whole, abs=1e-12)
