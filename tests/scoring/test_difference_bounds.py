"""Exact bounds of a difference of two nDCG, and of a mean, against brute force and bounds.json."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.scoring import bounds as module
from ndcg_desktop.scoring.bounds import (
    Bounds,
    bounds,
    bounds_of_fixed_ideal,
    difference_bounds,
    mean_range,
)

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "oracle" / "bounds.json").read_text("utf-8")
)["cases"]
TOLERANCE = 1e-12

GAINS = {"linear": lambda grade: max(grade, 0.0), "exponential": lambda g: 2.0 ** max(g, 0.0) - 1.0}


def log2_discounts(ranks):
    """Return the discounts of the ranks from 1 on."""
    return 1.0 / np.log2(np.arange(2, ranks + 2))


def query(weights, dcg, judged, scale, discounts):
    """Hold a query: signed weights of its blanks, difference of DCG, (gain, count) of judged."""
    return {
        "weights": [float(weight) for weight in weights],
        "dcg": float(dcg),
        "judged": [(float(gain), int(count)) for gain, count in judged],
        "scale": [float(gain) for gain in scale],
        "discounts": np.asarray(discounts, dtype=float),
    }


def compute(queries):
    """Compute the bounds of queries of one scale and cutoff, in one call."""
    blanks = [(i, weight) for i, q in enumerate(queries) for weight in q["weights"]]
    groups = [(i, gain, count) for i, q in enumerate(queries) for gain, count in q["judged"]]
    blank_query, weight = np.array(blanks).reshape(-1, 2).T
    judged_query, gain, count = np.array(groups).reshape(-1, 3).T
    return difference_bounds(
        blank_query.astype(int),
        weight,
        np.array([q["dcg"] for q in queries]),
        judged_query.astype(int),
        gain,
        count.astype(int),
        np.array(queries[0]["scale"]),
        np.concatenate(([0.0], np.cumsum(queries[0]["discounts"]))),
    )


def ratio(q, gains):
    """Divide the difference of DCG by the ideal with these gains of the blanks; None at ideal 0."""
    documents = [gain for gain, count in q["judged"] for _ in range(count)]
    best = np.sort([*documents, *gains])[::-1][: len(q["discounts"])]
    ideal = best @ q["discounts"][: len(best)]
    return (q["dcg"] + np.dot(q["weights"], gains)) / ideal if ideal > 0 else None


def ratios(q):
    """List the ratio of every assignment, None where its ideal is 0."""
    return [ratio(q, gains) for gains in itertools.product(q["scale"], repeat=len(q["weights"]))]


def check(queries, expected):
    """Check that one call for all queries gives the extremes of these ratios of each of them."""
    got = compute(queries)
    for i, values in enumerate(expected):
        some = [value for value in values if value is not None] or [0.0]
        assert got.lower[i] == pytest.approx(min(some), rel=0, abs=TOLERANCE)
        assert got.upper[i] == pytest.approx(max(some), rel=0, abs=TOLERANCE)
        assert got.defined[i] == any(value is not None for value in values)
        assert got.certain[i] == (None not in values)
    assert (got.lower <= got.upper).all()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_oracle_case(case):
    """Each case of bounds.json has the difference given there, or none at all."""
    gain, judgments, k = GAINS[case["gain"]], case["judgments"], case["k"]
    discounts = log2_discounts(k)
    weight = {}
    for sign, ranking in ((1, case["other"]), (-1, case["ranking"])):
        for document, each in zip(ranking[:k], discounts, strict=False):
            weight[document] = weight.get(document, 0.0) + sign * each
    dcg = sum(gain(judgments[name]) * w for name, w in weight.items() if name in judgments)
    blanks = [w for name, w in weight.items() if name not in judgments]
    judged = [(gain(grade), 1) for grade in judgments.values()]
    got = compute([query(blanks, dcg, judged, map(gain, case["scale"]), discounts)])
    expected = case["difference_other_minus_ranking"]
    assert got.defined[0] == (expected is not None)
    if expected is not None:
        both = (got.lower[0], got.upper[0])
        assert both == pytest.approx((expected["lower"], expected["upper"]), rel=0, abs=TOLERANCE)


grades = st.one_of(
    st.integers(-2, 4).map(float), st.sampled_from([0.5, 1.5, 7.0, 30.0]), st.floats(0, 5)
)


def compared_query(draw, scale, discounts, gain):
    """Draw a query of two rankings of the same documents, each of its own length and ties."""
    size = draw(st.integers(0, 7))
    known = [draw(st.one_of(st.none(), grades)) for _ in range(size)]
    weight = np.zeros((2, size))
    for row in weight:
        order = draw(st.permutations(range(size)))[: draw(st.integers(0, size))]
        places = np.concatenate((discounts, np.zeros(size)))[: len(order)]
        if len(order) > 1 and draw(st.booleans()):
            places[1:] = places[1:].mean()
        row[list(order)] = places
    both = weight[0] - weight[1]
    blank = [i for i in range(size) if known[i] is None and weight[:, i].any()][:5]
    dcg = sum(gain(g) * w for g, w in zip(known, both, strict=True) if g is not None)
    elsewhere = draw(st.lists(st.tuples(grades.map(gain), st.integers(1, 3)), max_size=3))
    judged = [(gain(grade), 1) for grade in known if grade is not None] + elsewhere
    return query(both[blank], dcg, judged, scale, discounts)


@st.composite
def collections(draw, most=3):
    """Draw some queries of one scale and cutoff."""
    gain = GAINS[draw(st.sampled_from(sorted(GAINS)))]
    top = draw(st.integers(1, 3))
    scale = [gain(grade) for grade in range(top + 1)]
    if draw(st.booleans()):
        # A table may give a higher grade a lower gain, and need not start at 0.
        scale = draw(st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.0, 5.5]), min_size=1, max_size=4))
    discounts = log2_discounts(draw(st.integers(1, 9)))
    if draw(st.booleans()):
        discounts[:2] = 1.0  # as of a logarithm of base 2 from rank 2 on: equal discounts
    return [compared_query(draw, scale, discounts, gain) for _ in range(draw(st.integers(1, most)))]


@given(collections())
def test_brute_force(queries):
    """Bounds are the extremes over every assignment, whatever grades, gains, ties and cutoff."""
    check(queries, [ratios(q) for q in queries])


@given(collections())
def test_brute_force_where_nothing_judged_gains(queries):
    """An ideal that may be 0 leaves those assignments out, and says that the query is uncertain."""
    barren = [
        {**q, "dcg": 0.0, "judged": [(0.0, count) for _, count in q["judged"]]} for q in queries
    ]
    check(barren, [ratios(q) for q in barren])


@given(collections(most=2))
def test_swapped(queries):
    """The least difference is minus the greatest of the rankings swapped."""
    there = compute(queries)
    back = compute(
        [{**q, "dcg": -q["dcg"], "weights": [-w for w in q["weights"]]} for q in queries]
    )
    np.testing.assert_allclose(back.lower, -there.upper, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(back.upper, -there.lower, rtol=0, atol=TOLERANCE)


@given(collections())
def test_nothing_to_compare_with_is_the_measure_itself(queries):
    """The difference to a ranking without documents is nDCG, and has its bounds."""
    alone = [{**q, "dcg": abs(q["dcg"]), "weights": np.abs(q["weights"]).tolist()} for q in queries]
    got = compute(alone)
    for i, q in enumerate(alone):
        gain, count = np.array(q["judged"]).reshape(-1, 2).T
        size = len(q["weights"])
        own = bounds(
            np.zeros(size, dtype=int),
            np.array(q["weights"]),
            np.array([q["dcg"]]),
            np.zeros(len(gain), dtype=int),
            gain,
            count.astype(int),
            np.array(q["scale"]),
            np.concatenate(([0.0], np.cumsum(q["discounts"]))),
        )
        assert own.lower[0] == pytest.approx(got.lower[i], rel=0, abs=TOLERANCE)
        assert own.upper[0] == pytest.approx(got.upper[i], rel=0, abs=TOLERANCE)


def many(size, seed):
    """Make queries of one scale, of two rankings of 8 documents, many of them blank."""
    rng = np.random.default_rng(seed)
    discounts = log2_discounts(8)
    for _ in range(size):
        blank = rng.random(8) < rng.random() * 0.8
        weight = rng.permutation(discounts) - rng.permutation(discounts)
        gains = np.where(blank, 0.0, rng.choice([0, 1, 1.5, 2, 3], 8))
        judged = [(gain, 1) for gain in gains[~blank]] + [(1.5, 2)]
        yield query(weight[blank], gains @ weight, judged, [0, 1, 2, 3], discounts)


def test_blocks(monkeypatch):
    """Queries treated in many small blocks have the bounds they have in one, and alone."""
    queries = list(many(200, seed=1))
    whole = compute(queries)
    alone = [compute([q]) for q in queries]
    monkeypatch.setattr(module, "CELLS", 50)
    parts = compute(queries)
    for got, expected in itertools.product(
        (whole.lower, parts.lower), [[a.lower[0] for a in alone]]
    ):
        np.testing.assert_allclose(got, expected, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(parts.upper, whole.upper, rtol=0, atol=TOLERANCE)


def test_a_blank_at_the_same_place_in_both_still_counts():
    """A blank that weighs nothing shrinks the difference, by raising the ideal of both."""
    log3 = 1 / np.log2(3)
    q = query([0.0], 1 - log3, [(1.0, 1)], [0.0, 4.0], log2_discounts(3))
    got = compute([q])
    expected = ((1 - log3) / (4 + log3), 1 - log3)
    assert (got.lower[0], got.upper[0]) == pytest.approx(expected, abs=TOLERANCE)
    without = compute([{**q, "weights": []}])
    assert without.lower[0] == without.upper[0] == pytest.approx(1 - log3, abs=TOLERANCE)


@given(
    st.lists(st.sampled_from([-1.0, -0.4, 0.0, 0.3, 1.0]), max_size=4),
    st.sampled_from([0.0, 1.0, 9.0]),
    st.floats(-1, 1),
)
def test_a_fixed_ideal(weights, ideal, dcg):
    """Where the ideal is given each blank counts by itself, for or against the first ranking."""
    scale = np.array([0.5, 2.0])
    number = np.zeros(len(weights), dtype=int)
    got = bounds_of_fixed_ideal(
        number, np.array(weights), np.array([dcg]), np.array([ideal]), scale
    )
    assert got.defined[0] == got.certain[0] == (ideal > 0)
    if ideal:
        values = [
            min((dcg + np.dot(weights, gains)) / ideal, 1.0)
            for gains in itertools.product(scale, repeat=len(weights))
        ]
        both = (got.lower[0], got.upper[0])
        assert both == pytest.approx((min(values), max(values)), rel=0, abs=TOLERANCE)


def mean_of(chosen):
    """The mean of what counts, None of nothing."""
    some = [value for value in chosen if value is not None]
    return sum(some) / len(some) if some else None


@given(
    st.lists(
        st.tuples(st.lists(st.floats(-1, 1), max_size=3), st.booleans()),
        max_size=6,
    )
)
def test_mean_range(queries):
    """The range of the mean is that over every combination, with and without what may be left."""
    values = [(sorted(some), may_miss or not some) for some, may_miss in queries]
    got = mean_range(
        Bounds(
            np.array([min(some, default=0.0) for some, _ in values]),
            np.array([max(some, default=0.0) for some, _ in values]),
            np.array([bool(some) for some, _ in values], dtype=bool),
            np.array([not may_miss for _, may_miss in values], dtype=bool),
        )
    )
    every = [[*some, None] if may_miss else some for some, may_miss in values]
    means = [mean_of(chosen) for chosen in itertools.product(*every)]
    means = [mean for mean in means if mean is not None]
    if not means:
        assert got is None
        return
    assert (got.lower, got.upper) == pytest.approx((min(means), max(means)), abs=TOLERANCE)
    counts = [len(chosen) - chosen.count(None) for chosen in itertools.product(*every)]
    assert (got.n_least, got.n_most) == (min(counts), max(counts))
