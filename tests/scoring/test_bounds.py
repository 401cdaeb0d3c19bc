"""Exact bounds of nDCG, against brute force and against the cases of bounds.json."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.scoring import bounds as module
from ndcg_desktop.scoring.bounds import bounds, bounds_of_fixed_ideal

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "oracle" / "bounds.json").read_text("utf-8")
)["cases"]
TOLERANCE = 1e-12

GAINS = {"linear": lambda grade: max(grade, 0.0), "exponential": lambda g: 2.0 ** max(g, 0.0) - 1.0}


def log2_discounts(ranks):
    """Return the discounts of the ranks from 1 on."""
    return 1.0 / np.log2(np.arange(2, ranks + 2))


def cut_sums(discounts):
    """Return the sums of the first i discounts."""
    return np.concatenate(([0.0], np.cumsum(discounts)))


def query(weights, dcg, judged, scale, cumulative):
    """Hold a query: weights of its blanks, (gain, count) pairs of its judged documents."""
    return {
        "weights": list(weights),
        "dcg": dcg,
        "judged": list(judged),
        "scale": list(scale),
        "cumulative": np.asarray(cumulative, dtype=float),
    }


def compute(queries, undefined=None):
    """Compute the bounds of queries of one scale and cutoff, in one call."""
    blanks = [(i, weight) for i, q in enumerate(queries) for weight in q["weights"]]
    groups = [(i, gain, count) for i, q in enumerate(queries) for gain, count in q["judged"]]
    blank_query, weight = np.array(blanks).reshape(-1, 2).T
    judged_query, gain, count = np.array(groups).reshape(-1, 3).T
    return bounds(
        blank_query.astype(int),
        weight,
        np.array([q["dcg"] for q in queries]),
        judged_query.astype(int),
        gain,
        count.astype(int),
        np.array(queries[0]["scale"], dtype=float),
        queries[0]["cumulative"],
        None if undefined is None else np.array(undefined),
    )


def ratio(q, gains):
    """Divide DCG by ideal with these gains of the blanks; None where the ideal is 0."""
    gain, count = np.array(q["judged"]).reshape(-1, 2).T
    discounts = np.diff(q["cumulative"])
    best = np.sort(np.concatenate((gain.repeat(count.astype(int)), gains)))[::-1]
    best = best[: len(discounts)]
    ideal = best @ discounts[: len(best)]
    return (q["dcg"] + np.dot(q["weights"], gains)) / ideal if ideal > 0 else None


def extremes(q, assignments, undefined=None):
    """Find the least and greatest ratio over the assignments; None where all are undefined."""
    ratios = [ratio(q, gains) for gains in assignments]
    ratios = [undefined if value is None else value for value in ratios]
    ratios = [value for value in ratios if value is not None]
    return (min(ratios), max(ratios)) if ratios else None


def brute(q, undefined=None):
    """Find the extremes over every assignment."""
    return extremes(q, itertools.product(q["scale"], repeat=len(q["weights"])), undefined)


def check(queries, expected, undefined=None):
    """Check that one call for all queries gives what is expected of each of them."""
    got = compute(queries, undefined)
    for i, pair in enumerate(expected):
        assert got.defined[i] == (pair is not None)
        assert (got.lower[i], got.upper[i]) == pytest.approx(
            pair or (0.0, 0.0), rel=0, abs=TOLERANCE
        )
    assert (got.lower >= 0).all()
    assert (got.upper <= 1).all()
    assert (got.lower <= got.upper).all()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_oracle_case(case):
    """Each case of bounds.json has the bounds given there, or none at all."""
    gain, judgments, top = GAINS[case["gain"]], case["judgments"], case["ranking"][: case["k"]]
    discounts = log2_discounts(case["k"])
    weights = [w for doc, w in zip(top, discounts, strict=False) if doc not in judgments]
    dcg = sum(gain(judgments.get(doc, 0)) * w for doc, w in zip(top, discounts, strict=False))
    judged = [(gain(grade), 1) for grade in judgments.values()]
    q = query(weights, dcg, judged, map(gain, case["scale"]), cut_sums(discounts))
    expected = None if case["lower"] is None else (case["lower"], case["upper"])
    check([q], [expected])


grades = st.one_of(
    st.integers(-2, 4).map(float), st.sampled_from([0.5, 1.5, 2.75, 7.0, 30.0]), st.floats(0, 5)
)
scales = st.one_of(
    st.integers(1, 4).map(lambda top: [float(grade) for grade in range(top + 1)]),
    st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.0, 3.0, 4.0]), min_size=1, max_size=4),
)


def ranked_query(draw, scale, discounts, gain):
    """Draw a query whose ranking holds judged documents, blanks, and ties of averaged weight."""
    length = draw(st.integers(0, 7))
    weights = np.zeros(length)
    cut = min(length, len(discounts))
    weights[:cut] = discounts[:cut]
    if length and draw(st.booleans()):
        first = draw(st.integers(0, length - 1))
        last = draw(st.integers(first + 1, length))
        weights[first:last] = weights[first:last].mean()
    ranking = [draw(st.one_of(st.none(), grades)) for _ in range(length)]
    blank = [i for i in range(length) if ranking[i] is None and weights[i] > 0][:5]
    gains = [gain(grade) for grade in ranking if grade is not None]
    dcg = sum(gain(g) * w for g, w in zip(ranking, weights, strict=True) if g is not None)
    elsewhere = draw(st.lists(st.tuples(grades.map(gain), st.integers(1, 3)), max_size=3))
    judged = [(value, 1) for value in gains] + elsewhere
    return query(weights[blank], dcg, judged, scale, cut_sums(discounts))


@st.composite
def collections(draw, most=3):
    """Draw some queries of one scale and cutoff."""
    gain = GAINS[draw(st.sampled_from(sorted(GAINS)))]
    scale = [gain(grade) for grade in draw(scales)]
    if draw(st.booleans()):
        # A table may give a higher grade a lower gain, and need not start at 0.
        scale = draw(st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.0, 5.5]), min_size=1, max_size=4))
    discounts = log2_discounts(draw(st.integers(1, 9)))
    if draw(st.booleans()):
        discounts[:2] = 1.0  # as of a logarithm of base 2 from rank 2 on: equal discounts
    return [ranked_query(draw, scale, discounts, gain) for _ in range(draw(st.integers(1, most)))]


@given(collections())
def test_brute_force(queries):
    """Bounds are the extremes over every assignment, whatever grades, gains, ties and cutoff."""
    check(queries, [brute(q) for q in queries])


def barren(q):
    """Take all gain from the judged documents: an ideal of 0 is then often possible."""
    return {**q, "dcg": 0.0, "judged": [(0.0, count) for _, count in q["judged"]]}


@given(collections(), st.data())
def test_brute_force_where_undefined_counts(queries, data):
    """An assignment whose ideal is 0 counts as what is given for its query; NaN leaves it out."""
    queries = [barren(q) if data.draw(st.booleans()) else q for q in queries]
    counts = [data.draw(st.sampled_from([0.0, 0.4, 1.0, None])) for _ in queries]
    expected = [brute(q, count) for q, count in zip(queries, counts, strict=True)]
    check(queries, expected, [np.nan if count is None else count for count in counts])


def test_a_fixed_ideal_of_0_counts_as_given():
    """No blank raises an ideal that is given: where it is 0 the query is undefined all the same."""
    none, dcg, ideal = np.array([], dtype=int), np.zeros(4), np.array([2.0, 0.0, 0.0, 0.0])
    undefined = np.array([1.0, 1.0, 0.0, np.nan])
    got = bounds_of_fixed_ideal(none, np.zeros(0), dcg, ideal, np.array([0.0, 1.0]), undefined)
    assert got.lower.tolist() == got.upper.tolist() == [0.0, 1.0, 0.0, 0.0]
    assert got.defined.tolist() == [True, True, True, False]


@given(collections(most=12), st.randoms(use_true_random=False))
def test_together_as_alone(queries, random):
    """A query has the same bounds in a call of many queries, in any order, as in its own."""
    random.shuffle(queries)
    together = compute(queries)
    for i, q in enumerate(queries):
        alone = compute([q])
        assert together.lower[i] == pytest.approx(alone.lower[0], rel=0, abs=TOLERANCE)
        assert together.upper[i] == pytest.approx(alone.upper[0], rel=0, abs=TOLERANCE)
        assert together.defined[i] == alone.defined[0]


@given(collections(), st.randoms(use_true_random=False))
def test_input_order(queries, random):
    """The order of blanks, groups and grades in the input makes no difference."""
    expected = compute(queries)
    for q in queries:
        random.shuffle(q["weights"])
        random.shuffle(q["judged"])
        random.shuffle(q["scale"])
    got = compute([{**q, "scale": queries[0]["scale"]} for q in queries])
    np.testing.assert_allclose(got.lower, expected.lower, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(got.upper, expected.upper, rtol=0, atol=TOLERANCE)


def many(size, seed):
    """Make queries of one scale, with 0 to 8 blanks in the top 8 and fractional judged grades."""
    rng = np.random.default_rng(seed)
    discounts = log2_discounts(8)
    for _ in range(size):
        blank = rng.random(8) < rng.random() * 0.8
        gains = np.where(blank, 0.0, rng.choice([0, 1, 1.5, 2, 3], 8))
        judged = [(gain, 1) for gain in gains[~blank]] + [(1.5, 2), (3.0, rng.integers(1, 4))]
        yield query(discounts[blank], gains @ discounts, judged, [0, 1, 2, 3], cut_sums(discounts))


def test_blocks(monkeypatch):
    """Queries treated in many small blocks have the bounds they have in one."""
    queries = list(many(200, seed=1))
    whole = compute(queries)
    monkeypatch.setattr(module, "CELLS", 50)
    parts = compute(queries)
    np.testing.assert_allclose(parts.lower, whole.lower, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(parts.upper, whole.upper, rtol=0, atol=TOLERANCE)


def orderly(q):
    """List the assignments that matter: higher gains where the weight is higher.

    Exchanging two gains leaves the ideal as it is, so the greatest ratio is among these, and the
    least among their reverses.
    """
    size, levels = len(q["weights"]), sorted(set(q["scale"]))
    for ends in itertools.combinations_with_replacement(range(size + 1), len(levels) - 1):
        yield np.repeat(levels[::-1], np.diff([0, *ends, size]))


@pytest.mark.parametrize(
    ("blanks", "scale"), [(150, [0.0, 1.0, 3.0]), (300, [2.0, 2.5]), (40, [0.0, 1.0, 2.0, 4.0])]
)
def test_many_blanks(blanks, scale):
    """Without a cutoff, hundreds of blanks have the bounds of a slow search."""
    rng = np.random.default_rng(blanks)
    ranks = blanks + 60
    discounts = log2_discounts(ranks + 40)
    blank = np.sort(rng.permutation(ranks)[:blanks])
    gains = rng.choice([0.0, 1.0, 1.7, 3.0, 6.0], ranks)
    gains[blank] = 0.0
    groups = zip(*np.unique(np.delete(gains, blank), return_counts=True), strict=True)
    judged = [*groups, (1.7, 10), (3.0, 30)]
    dcg = gains @ discounts[:ranks]
    q = query(discounts[blank], dcg, judged, scale, cut_sums(discounts))
    upper = extremes(q, orderly(q))[1]
    lower = extremes(q, (gains[::-1] for gains in orderly(q)))[0]
    check([q], [(lower, upper)])
    # Beside small queries, the large one keeps its bounds and does not disturb theirs.
    small = [{**s, "cumulative": q["cumulative"], "scale": scale} for s in many(20, seed=2)]
    mixed, alone = compute([*small, q]), compute(small)
    np.testing.assert_allclose(mixed.lower, [*alone.lower, lower], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(mixed.upper, [*alone.upper, upper], rtol=0, atol=TOLERANCE)


def test_neither_all_lowest_nor_all_highest():
    """The bounds may lie beyond both uniform fillings, which is why they are computed."""
    discounts = log2_discounts(5)
    dcg = 2 * (discounts[0] + discounts[3])
    judged = [(0.0, 1), (2.0, 2)]
    q = query(discounts[[1, 4]], dcg, judged, [0, 1, 2, 3], cut_sums(discounts))
    uniform = [ratio(q, [gain, gain]) for gain in (0.0, 3.0)]
    got = compute([q])
    assert got.lower[0] < min(uniform) - 0.09
    assert got.upper[0] > max(uniform) + 0.09


@pytest.mark.parametrize("top", [1e3, 1e9, 1e16, 1e60])
@pytest.mark.parametrize("third", [0.0, 1.0])
def test_gains_far_apart(top, third):
    """A grade that gains far more than all others does not blur the bounds."""
    discounts = log2_discounts(3)
    judged = [(1.0, 1), (third, 1), (0.4, 1)]
    q = query(discounts[1:2], 0.8, judged, [0.0, 0.3, 1.0, top], cut_sums(discounts))
    check([q], [brute(q)])
    alone = query([1 / 3], 2 / 3, [(1.0, 2)], [0.0, top], [0.0, 1.0])
    check([alone], [brute(alone)])


def test_no_blanks():
    """Without blanks both bounds are the nDCG itself, on a scale of any number of grades."""
    discounts = log2_discounts(3)
    for scale in ([0.0], [1.0, 4.0]):
        q = query([], 2.0, [(1.0, 1), (2.0, 1)], scale, cut_sums(discounts))
        check([q, q], [(ratio(q, []), ratio(q, []))] * 2)


def test_undefined():
    """A query is undefined where nothing gains, and defined where one grade of a blank would."""
    sums = cut_sums(log2_discounts(3))
    barren = query([1.0], 0.0, [(0.0, 2)], [0.0], sums)
    check([barren, {**barren, "judged": []}, {**barren, "weights": []}], [None] * 3)
    check([{**barren, "scale": [0.0, 1.0]}], [(1.0, 1.0)])


def test_no_queries():
    """No query at all gives empty bounds."""
    none = np.array([], dtype=int)
    got = bounds(none, np.zeros(0), np.zeros(0), none, np.zeros(0), none, np.ones(1), np.zeros(2))
    assert (got.lower.size, got.upper.size, got.defined.size) == (0, 0, 0)


def test_empty_scale():
    """A scale without grades is refused: it says nothing about a blank."""
    q = query([1.0], 0.0, [(1.0, 1)], [], [0.0, 1.0])
    with pytest.raises(ValueError, match="no grades"):
        compute([q])


def test_clipped_against_rounding_only():
    """A ratio a rounding above 1 becomes 1; one that is plainly above 1 is left to be seen."""
    close = query([], 1.0 + 1e-14, [(1.0, 1)], [0.0, 1.0], [0.0, 1.0])
    got = compute([close, {**close, "dcg": 1.5}])
    assert got.upper.tolist() == [1.0, 1.5]
    assert got.lower.tolist() == [1.0, 1.5]
