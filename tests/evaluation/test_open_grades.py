"""Ranges of means and differences, and what a grade is worth, by trying every grade."""

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

from ndcg_desktop.evaluation.blanks import blanks
from ndcg_desktop.evaluation.open_grades import difference, mean_bounds, query_bounds
from ndcg_desktop.evaluation.worth import worth, worth_between, worth_of_query
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import Options

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "oracle" / "bounds.json").read_text("utf-8")
)["cases"]
TOLERANCE = 1e-12
TABLE = ((0.0, 0.0), (1.0, 4.0), (2.0, 4.0))
"""Two grades of one gain: a grade is then twice as likely to bring it."""


# ---- the slow way


def open_documents(evaluation, rankings, query):
    """The unjudged documents of a query in the top k of these rankings, each once."""
    judged = {
        evaluation.judgments.documents[pair]
        for pair in evaluation.judgments.of_query(query).tolist()
        if not np.isnan(evaluation.judgments.grade[pair])
    }
    found = []
    for number in rankings:
        table = evaluation.rankings[number]
        arranged = table.arrange(evaluation.options.order)
        for place, row in enumerate(arranged.rows(query).tolist()):
            if arranged.ties is not None:
                start = arranged.start[query]
                place = arranged.ties[0][start + place] - start
            document = table.columns.document[row]
            cutoff = evaluation.options.cutoff
            if (cutoff is None or place < cutoff) and document not in (*judged, *found):
                found.append(document)
    return found


def scale_of(evaluation):
    """The grades that a blank may get."""
    if evaluation.options.gain == "table":
        return [grade for grade, _ in evaluation.options.gain_table]
    return evaluation.judgments.scale().tolist()


def outcomes(evaluation, rankings, query):
    """What a query counts as in these rankings, None for nothing, with every grade of its blanks.

    Also whether an ideal that is given was ever too low.
    """
    documents = open_documents(evaluation, rankings, query)
    scale = scale_of(evaluation)
    pairs = [evaluation.pair_of(query, document) for document in documents]
    found, too_low = [], False
    for grades in itertools.product(scale, repeat=len(pairs)):
        evaluation.set_grades(list(zip(pairs, grades, strict=True)))
        scores = [evaluation.score_query(number, query) for number in rankings]
        too_low |= any(each.status[0] == Status.IDEAL_TOO_LOW for each in scores)
        counted = all(each.counted[0] for each in scores)
        found.append([float(each.value[0]) for each in scores] if counted else None)
    evaluation.set_grades([(pair, np.nan) for pair in pairs])
    signs = (1, -1)[: len(rankings)]
    values = [each if each is None else float(np.dot(signs, each)) for each in found]
    return values, too_low


def span(values):
    """The least and greatest of what counts, None where nothing does."""
    some = [value for value in values if value is not None]
    return (min(some), max(some)) if some else None


def every_mean(per_query):
    """The mean of every combination of the queries' outcomes that has one, and their numbers."""
    sets = [
        {None if value is None else round(value, 14) for value in values} for values in per_query
    ]
    means, numbers = [], []
    for chosen in itertools.product(*sets):
        some = [value for value in chosen if value is not None]
        numbers.append(len(some))
        means += [sum(some) / len(some)] if some else []
    return means, numbers


def all_outcomes(evaluation, rankings):
    """The outcomes of every query, None among them where it is without a judgment as yet."""
    found, doubtful = [], False
    for query in range(len(evaluation.queries)):
        judged = len(evaluation.judgments.groups_of_query(query).count) > 0
        values, too_low = outcomes(evaluation, rankings, query)
        found.append(values if judged else [*values, None])
        doubtful |= too_low
    return found, doubtful


# ---- small evaluations


@st.composite
def evaluations(draw, rankings=2):
    """One to three queries of few documents, few of them judged, and any options."""
    names = ["q1", "q2", "q3"][: draw(st.integers(1, 3))]
    grades = st.sampled_from((None, 0.0, 0.0, 1.0, 2.0, -1.0))
    # No more than two blanks in all but the first query, so that all can be tried.
    judgments = [("q1", document, draw(grades)) for document in "ab"]
    for name in names[1:]:
        judgments += [(name, document, draw(grades)) for document in "abc"]
    lists = []
    for _ in range(rankings):
        scored, rows = draw(st.booleans()), []
        for name in names:
            pool = "abcd" if name == "q1" else "abcx"
            returned = draw(st.lists(st.sampled_from(pool), max_size=4))
            score = st.sampled_from((1.0, 2.0))
            rows += [(name, each, draw(score) if scored else None) for each in returned]
        lists.append(rows)
    given_ideal = st.lists(st.sampled_from((0.0, 1.0, 2.0)), min_size=1, max_size=4)
    ideal = {name: draw(given_ideal) for name in names}
    evaluation = evaluation_of(judgments, *lists, ideal=ideal)
    evaluation.options = replace(
        draw(strategies.options(as_shown=True)),
        cutoff=draw(st.sampled_from((None, 1, 2, 3, 9))),
        unjudged="zero",
        gain_table=TABLE,
    )
    return evaluation


def check_ranges(ranges, per_query, exact):
    """Check the range of every query: the extremes of its outcomes, or no narrower than that."""
    for query, values in enumerate(per_query):
        expected = span(values)
        if expected is None:
            # Where nothing is said to be exact, a query may count as far as is known.
            assert not (exact and ranges.defined[query])
            continue
        assert ranges.defined[query]
        assert not (ranges.certain[query] and None in values)
        got = (ranges.lower[query], ranges.upper[query])
        if exact:
            assert got == pytest.approx(expected, rel=0, abs=TOLERANCE)
            assert ranges.certain[query] == (None not in values)
        assert got[0] <= expected[0] + TOLERANCE
        assert got[1] >= expected[1] - TOLERANCE


def check_mean(got, per_query, exact):
    """Check a range of means against every combination of outcomes."""
    means, numbers = every_mean(per_query)
    if not means:
        assert got is None or not exact
        return
    if exact:
        expected = (min(means), max(means))
        assert (got.lower, got.upper) == pytest.approx(expected, rel=0, abs=TOLERANCE)
        assert (got.n_least, got.n_most) == (min(numbers), max(numbers))
    assert got.lower <= min(means) + TOLERANCE
    assert got.upper >= max(means) - TOLERANCE
    assert got.n_least <= min(numbers) <= max(numbers) <= got.n_most


# ---- one ranking


@given(evaluations(rankings=1))
@settings(max_examples=60)
def test_mean_bounds(evaluation):
    """The range of the mean is that of every grade of every blank, whatever the options."""
    got = mean_bounds(evaluation)
    per_query, doubtful = all_outcomes(evaluation, [0])
    check_mean(got, per_query, exact=not doubtful)


@given(strategies.data(), strategies.options(as_shown=True))
@settings(max_examples=60)
def test_the_mean_lies_within_its_range(data, options):
    """With a gain of 0 on the scale, counting blanks as 0 is one of the possibilities."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = replace(options, unjudged="zero", gain_table=strategies.TABLE)
    scores, got = evaluation.scores(), mean_bounds(evaluation)
    if scores.mean is not None:
        assert got.lower - TOLERANCE <= scores.mean <= got.upper + TOLERANCE
        assert got.n_least <= scores.n <= got.n_most


def test_a_query_without_a_judgment_may_count_or_not():
    """It counts as soon as a blank of it is graded; one that is absent and not judged never."""
    evaluation = evaluation_of([("q", "A", 1), ("s", "A", None)], [("q", "A"), ("r", "X")])
    got = mean_bounds(evaluation)
    assert (got.lower, got.upper, got.n_least, got.n_most) == (1.0, 1.0, 1, 2)
    evaluation.options = Options(undefined="zero")
    assert mean_bounds(evaluation).lower == 0.5


def test_no_query_that_can_count():
    """Without one there is no mean, and no range of it."""
    evaluation = evaluation_of([("q", "A", 0)], [("q", "A")], [("q", "A")])
    assert mean_bounds(evaluation) is None
    got = difference(evaluation, 0, 1)
    assert got.mean is None
    assert got.winner_settled is None


# ---- two rankings


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_oracle_difference(case):
    """Each case of bounds.json, through judgments, rankings and options, has its difference."""
    judgments = [("q", document, grade) for document, grade in case["judgments"].items()]
    judgments.append(("other", "x", max(case["scale"])))
    rankings = [[("q", document) for document in case[name]] for name in ("other", "ranking")]
    evaluation = evaluation_of(judgments, *rankings, cutoff=case["k"], gain=case["gain"])
    got, query = difference(evaluation, 0, 1), evaluation.queries.index("q")
    expected = case["difference_other_minus_ranking"]
    assert got.exact
    assert got.queries.defined[query] == (expected is not None)
    if expected is not None:
        both = (got.queries.lower[query], got.queries.upper[query])
        assert both == pytest.approx((expected["lower"], expected["upper"]), rel=0, abs=TOLERANCE)


@given(evaluations())
@settings(max_examples=100)
def test_difference(evaluation):
    """Ranges of the difference are those of every grade of every blank, whatever the options;
    where they are not said to be exact they are no narrower.
    """
    got = checked_difference(evaluation)
    means, _ = every_mean(all_outcomes(evaluation, [0, 1])[0])
    if got.winner_settled is not None:
        signs = {0 if abs(mean) <= TOLERANCE else np.sign(mean) for mean in means}
        assert signs <= {{"a": 1, "b": -1, "tie": 0}[got.winner_settled]}
    elif got.exact and means:
        assert min(means) <= TOLERANCE
        assert max(means) >= -TOLERANCE


@given(evaluations())
@settings(max_examples=40)
def test_difference_swapped(evaluation):
    """B less A is minus A less B, and has the other winner."""
    there, back = difference(evaluation, 0, 1), difference(evaluation, 1, 0)
    np.testing.assert_allclose(back.queries.lower, -there.queries.upper, rtol=0, atol=TOLERANCE)
    np.testing.assert_array_equal(back.queries.certain, there.queries.certain)
    assert (there.exact, {"a": "b", "b": "a"}.get(there.winner_settled, there.winner_settled)) == (
        back.exact,
        back.winner_settled,
    )


@pytest.mark.parametrize(
    ("first", "second", "settled"),
    [("AX", "XA", None), ("AB", "BA", "a"), ("BA", "AB", "b"), ("AX", "AX", "tie")],
)
def test_settled(first, second, settled):
    """A winner is settled where no blank can change it, and so is a tie."""
    rankings = [[("q", document) for document in names] for names in (first, second)]
    evaluation = evaluation_of([("q", "A", 1), ("q", "B", 0)], *rankings)
    assert difference(evaluation, 0, 1).winner_settled == settled


def checked_difference(evaluation):
    """The difference of two rankings, found to be what every grade of every blank makes of it."""
    got = difference(evaluation, 0, 1)
    per_query, _ = all_outcomes(evaluation, [0, 1])
    check_ranges(got.queries, per_query, got.exact)
    check_mean(got.mean, per_query, got.exact)
    return got


def test_an_absent_query_may_turn_out_to_be_undefined():
    """Absent queries are left out, but one without a relevant document counts, as undefined."""
    judgments = [("q", "A", 0), ("r", "A", 1)]
    evaluation = evaluation_of(judgments, [("r", "A")], [("q", "X"), ("r", "A")])
    evaluation.options = Options(missing="skip", undefined="one")
    got = checked_difference(evaluation)
    assert got.queries.defined.tolist() == [True, True]
    assert got.queries.certain.tolist() == [False, True]


def test_a_blank_that_the_other_returns_beyond_k():
    """It adds to the other's ideal, where that is from all that it returned."""
    rankings = [[("q", "X"), ("q", "A")], [("q", "A"), ("q", "X")]]
    evaluation = evaluation_of([("q", "A", 1), ("r", "A", 3)], *rankings)
    evaluation.options = Options(ideal="returned", cutoff=1)
    got = checked_difference(evaluation)
    # X of grade 3 leaves B one third; that A then has 0 is what the two ranges cannot exclude.
    assert (got.queries.lower[0], got.queries.upper[0]) == pytest.approx((-1.0, 2 / 3))
    assert not got.exact


def test_many_different_blanks_without_a_cutoff():
    """All blanks of both rankings may be relevant, so the ideal is as long as both together."""
    judgments = [("q", "A", 0), ("r", "A", 1)]
    rankings = [[("q", f"{name}{place}") for place in range(4)] for name in "XY"]
    evaluation = evaluation_of(judgments, *rankings)
    # No grade gains nothing, so each is relevant.
    evaluation.options = Options(cutoff=None, gain="table", gain_table=((0, 1), (1, 3)))
    assert checked_difference(evaluation).exact


def test_separate_ideals_are_said_not_to_be_exact():
    """Under ideals of their own a blank of both makes the range one range less the other."""
    evaluation = evaluation_of(
        [("q", "A", 1)], [("q", "A"), ("q", "X")], [("q", "X"), ("q", "A")], [("q", "Y")]
    )
    assert difference(evaluation, 0, 1).exact
    evaluation.options = Options(ideal="returned")
    got = difference(evaluation, 0, 1)
    first, second = query_bounds(evaluation, 0), query_bounds(evaluation, 1)
    assert not got.exact
    assert got.queries.upper[0] == first.upper[0] - second.lower[0]
    assert difference(evaluation, 0, 2).exact


@pytest.mark.parametrize("returned", [1, 2])
def test_an_ideal_cut_at_what_each_returns(returned):
    """It is shared, and ranges are exact, only where both return as many documents."""
    rows = [("q", "X"), ("q", "Y")]
    evaluation = evaluation_of([("q", "A", 1)], rows, rows[:returned], ideal_cut="returned")
    assert difference(evaluation, 0, 1).exact == (returned == 2)


@pytest.mark.parametrize(
    "changes", [{"rounding": "2-decimals"}, {"rounding": "floored-terms"}, {"order": "ties-worst"}]
)
def test_what_is_not_as_shown_settles_nothing(changes):
    """A range before rounding, or while ties keep their order, is said to be no more than that."""
    rows = [("q", "A"), ("q", "B")]
    evaluation = evaluation_of([("q", "A", 1), ("q", "B", 0)], rows, rows[::-1])
    assert difference(evaluation, 0, 1).winner_settled == "a"
    evaluation.options = Options(**changes)
    got = difference(evaluation, 0, 1)
    assert (got.exact, got.certain, got.winner_settled) == (False, False, None)


# ---- blanks


@given(evaluations(), st.sampled_from([[0], [1], [0, 1], [1, 0]]))
@settings(max_examples=60)
def test_blanks(evaluation, rankings):
    """Every unjudged document in the top k of the rankings is found once, by query and place."""
    found = blanks(evaluation, rankings)
    names = found.documents(evaluation)
    for query in range(len(evaluation.queries)):
        here = np.flatnonzero(found.query == query)
        expected = open_documents(evaluation, rankings, query)
        assert sorted(names[i] for i in here) == sorted(expected)
        assert found.documents(evaluation, here) == [names[i] for i in here]
        alone = blanks(evaluation, rankings, query)
        assert alone.documents(evaluation) == [names[i] for i in here]
        assert (np.diff(found.place[here]) >= 0).all()
    assert (np.diff(found.query) >= 0).all()


def test_blanks_that_tie_at_the_cutoff():
    """Documents that share places of the top k are all in it; those that tie below it are not."""
    rows = [("q", "X", 3.0), ("q", "Y", 2.0), ("q", "Z", 2.0), ("q", "A", 1.0), ("q", "B", 1.0)]
    evaluation = evaluation_of([("q", "C", 1)], rows)
    evaluation.options = Options(cutoff=2, order="ties-averaged")
    found = blanks(evaluation, [0])
    assert sorted(found.documents(evaluation)) == ["X", "Y", "Z"]
    assert (found.first[0].tolist(), found.last[0].tolist()) == ([0, 1, 1], [1, 3, 3])


# ---- worth


def width(evaluation, rankings, query):
    """The width of a query's range, by trying every grade."""
    ends = span(outcomes(evaluation, rankings, query)[0])
    return 0.0 if ends is None else ends[1] - ends[0]


def slow_worth(evaluation, rankings):
    """Query, document, mean shrink and greatest shrink of each blank, by trying every grade."""
    for query in range(len(evaluation.queries)):
        now = width(evaluation, rankings, query)
        for document in open_documents(evaluation, rankings, query):
            pair, after = evaluation.pair_of(query, document), []
            for grade in scale_of(evaluation):
                evaluation.set_grades([(pair, grade)])
                after.append(width(evaluation, rankings, query))
            evaluation.set_grades([(pair, np.nan)])
            yield (query, document), (now - sum(after) / len(after), now - min(after))


def check_worth(evaluation, rankings, got):
    """Check worth against the slow way, together and query by query."""
    expected = dict(slow_worth(evaluation, rankings))
    keys = list(zip(got.blanks.query.tolist(), got.blanks.documents(evaluation), strict=True))
    assert set(keys) == set(expected)
    for key, mean, most in zip(keys, got.mean, got.most, strict=True):
        assert (mean, most) == pytest.approx(expected[key], rel=0, abs=TOLERANCE)
    for query in range(len(evaluation.queries)):
        alone, here = worth_of_query(evaluation, rankings, query), got.blanks.query == query
        assert alone.blanks.query.tolist() == got.blanks.query[here].tolist()
        assert alone.mean == pytest.approx(got.mean[here], rel=0, abs=TOLERANCE)
        assert alone.most == pytest.approx(got.most[here], rel=0, abs=TOLERANCE)


def exact(evaluation):
    """Whether no ideal that is given can be too low."""
    return evaluation.options.ideal != "column"


def shares_its_ideal(evaluation):
    """Whether two rankings have one ideal, so that the range of their difference is exact."""
    return evaluation.options.ideal == "judged" and evaluation.options.ideal_cut != "returned"


@given(evaluations(rankings=1).filter(exact))
@settings(max_examples=40)
def test_worth(evaluation):
    """What a grade is worth is what its query's range shrinks by, on average and at most."""
    check_worth(evaluation, [0], worth(evaluation))


@given(evaluations().filter(shares_its_ideal))
@settings(max_examples=40)
def test_worth_between(evaluation):
    """Between two rankings it is what the range of their difference shrinks by."""
    check_worth(evaluation, [0, 1], worth_between(evaluation, 0, 1))


@given(evaluations())
@settings(max_examples=60)
def test_worth_between_by_grading(evaluation):
    """Whatever the options, worth is the shrink that grading the blank really brings about."""
    got = worth_between(evaluation, 0, 1)
    before = difference(evaluation, 0, 1).queries
    scale, names = scale_of(evaluation), got.blanks.documents(evaluation)
    for number, (query, document) in enumerate(zip(got.blanks.query.tolist(), names, strict=True)):
        pair, shrinks = evaluation.pair_of(query, document), []
        for grade in scale:
            evaluation.set_grades([(pair, grade)])
            after = difference(evaluation, 0, 1).queries
            shrinks.append((before.upper - before.lower - after.upper + after.lower)[query])
        evaluation.set_grades([(pair, np.nan)])
        assert got.mean[number] == pytest.approx(sum(shrinks) / len(scale), rel=0, abs=TOLERANCE)
        assert got.most[number] == pytest.approx(max(shrinks), rel=0, abs=TOLERANCE)


def test_order():
    """The blank worth most comes first; of equal ones the one that stands higher."""
    judgments = [("q", "A", 1), ("r", "A", 0), ("r", "B", 0)]
    evaluation = evaluation_of(
        judgments, [("q", name) for name in "XAY"] + [("r", name) for name in "ABZ"]
    )
    got = worth(evaluation)
    names = np.array(got.blanks.documents(evaluation))
    assert names[got.order].tolist() == ["X", "Y", "Z"]
    assert got.mean[got.order].tolist() == sorted(got.mean.tolist(), reverse=True)
    same = evaluation_of([("q", "A", 1), ("r", "A", 1)], [("r", "X"), ("q", "A"), ("q", "X")])
    assert worth(same).blanks.place[worth(same).order].tolist() == [0, 1]
    twins = evaluation_of([("q", "A", 1), ("r", "A", 1)], [("r", "X"), ("q", "X")])
    order = worth(twins).order
    assert worth(twins).blanks.query[order].tolist() == [0, 1]


def test_nothing_to_tell_is_worth_nothing():
    """A blank of a query that cannot count, or without any blank, has no worth."""
    evaluation = evaluation_of([("q", "A", 1)], [("q", "A"), ("q", "X")], [("r", "X")])
    evaluation.options = Options(missing="skip")
    got = worth_between(evaluation, 0, 1)
    assert got.mean.tolist() == got.most.tolist() == [0.0, 0.0]
    all_judged = evaluation_of([("q", "A", 1)], [("q", "A")])
    assert len(worth(all_judged).mean) == 0


def test_worth_cancelled():
    """A worth that is given up on the way is none at all."""
    evaluation = evaluation_of([("q", "A", 1)], [("q", "X"), ("q", "A")], [("q", "A")])
    assert worth(evaluation, 0, lambda: True) is None
    assert worth_between(evaluation, 0, 1, lambda: True) is None


def test_worth_in_parts(monkeypatch):
    """What is done in many small parts is the same as done at once."""
    rng = np.random.default_rng(1)
    judgments = [(f"q{q}", f"d{d}", int(rng.integers(0, 4))) for q in range(30) for d in range(4)]
    rankings = [
        [(f"q{q}", f"d{d}") for q in range(30) for d in rng.permutation(12)] for _ in range(2)
    ]
    evaluation = evaluation_of(judgments, *rankings)
    whole = worth_between(evaluation, 0, 1)
    monkeypatch.setattr("ndcg_desktop.evaluation.worth.CELLS", 500)
    parts = worth_between(evaluation, 0, 1)
    np.testing.assert_allclose(parts.mean, whole.mean, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(parts.most, whole.most, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("options", [Options(gain="exponential"), Options(cutoff=None)])
def test_large_gains(options):
    """Grades whose gains are nearly too large for a float still have ranges and worth."""
    judgments = [("q", "A", 900), ("q", "B", 900)]
    evaluation = evaluation_of(judgments, [("q", "A"), ("q", "X")], [("q", "X"), ("q", "B")])
    evaluation.options = options
    got = difference(evaluation, 0, 1)
    assert np.isfinite([got.mean.lower, got.mean.upper]).all()
    assert np.isfinite(worth_of_query(evaluation, [0, 1], 0).mean).all()
