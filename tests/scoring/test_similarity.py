"""Likeness of two rankings, against SciPy, the papers' formulas with sets, and known values."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ndcg_desktop.scoring.similarity import jaccard, kendall_tau, overlap, rbo

EXACT = 1e-12
DOCUMENTS = tuple(range(3, 15))


def documents(text):
    """A ranking of documents named by letters."""
    return np.array([ord(letter) for letter in text], dtype=np.int64)


def rankings(minimum=0):
    """Some of the documents, in any order."""
    ordered = st.permutations(DOCUMENTS)
    return st.tuples(ordered, st.integers(minimum, len(DOCUMENTS))).map(
        lambda drawn: np.array(drawn[0][: drawn[1]], dtype=np.int32)
    )


PAIRS = st.tuples(rankings(), rankings())
CUTOFFS = st.none() | st.integers(1, 14)
P = st.sampled_from((0.1, 0.5, 0.9, 0.98))


def same(expected):
    """Equal but for rounding; None only if None."""
    return None if expected is None else pytest.approx(expected, rel=EXACT, abs=EXACT)


def rbo_by_depths(a, b, p):
    """Sum of (1 - p) p^(d - 1) × agreement at depth d, as section 4.5 of the paper extends it.

    To the end of the shorter list the agreement is seen. Beyond, the shorter list is taken to go on
    agreeing as it did at its end, and beyond both ends the agreement stays.
    """
    short, long = sorted((a.tolist(), b.tolist()), key=len)
    s, l = len(short), len(long)  # noqa: E741 - the names of the paper
    agreement, total = 0.0, 0.0
    at_end = len(set(short) & set(long[:s])) / s
    for d in range(1, 3000):
        if d <= l:
            seen = len(set(short[:d]) & set(long[:d]))
            agreement = (seen + at_end * max(0, d - s)) / d
        total += (1 - p) * p ** (d - 1) * agreement
    return total


# ---- overlap and Jaccard


@given(PAIRS, CUTOFFS)
def test_overlap_and_jaccard_by_sets(pair, k):
    """Both are of the sets of the top k; overlap is over k, or the longer length if less."""
    a, b = (set(each[:k].tolist()) for each in pair)
    longest = max(len(a), len(b))
    assert overlap(*pair, k) == same(len(a & b) / longest if longest else None)
    assert jaccard(*pair, k) == same(len(a & b) / len(a | b) if longest else None)


@pytest.mark.parametrize(
    ("a", "b", "k", "shared", "of_either"),
    [
        ("abcd", "badx", 2, 1.0, 1.0),
        ("abcd", "badx", 3, 2 / 3, 0.5),
        ("abcd", "badx", 10, 0.75, 0.6),
        ("abc", "abc", 10, 1.0, 1.0),
        ("abc", "ab", 10, 2 / 3, 2 / 3),
        ("abc", "", 10, 0.0, 0.0),
        ("abc", "xyz", None, 0.0, 0.0),
        ("", "", 10, None, None),
    ],
)
def test_overlap_and_jaccard_by_hand(a, b, k, shared, of_either):
    """Shorter rankings than k are measured by their own length; two empty ones not at all."""
    assert overlap(documents(a), documents(b), k) == same(shared)
    assert jaccard(documents(a), documents(b), k) == same(of_either)


# ---- rank-biased overlap


@given(st.tuples(rankings(1), rankings(1)), P)
def test_rbo_is_the_sum_over_all_depths(pair, p):
    """RBO is the infinite sum it stands for, whatever the lengths."""
    assert rbo(*pair, p) == same(rbo_by_depths(*pair, p))


@pytest.mark.parametrize(
    ("a", "b", "p", "value"),
    [
        # Only the first depth disagrees, which weighs 1 - p.
        ("abcdefg", "bacdefg", 0.9, 0.9),
        # As the Scala library rankmeasures gives it.
        ("abcde", "bcdae", 0.9, 0.828),
        ("abcdefg", "abcdefg", 0.9, 1.0),
        ("abcdefgh", "abc", 0.9, 1.0),
        ("abc", "xyz", 0.9, 0.0),
        ("abc", "", 0.9, 0.0),
        ("", "", 0.9, None),
        # By hand: depth 1 agrees; one of two from depth 2 on.
        ("ab", "ac", 0.5, 0.75),
        # By hand: 1 at depth 1, where "a" ends and is taken to go on so: (1 + 1) / 2 ever after.
        ("a", "ab", 0.5, 1.0),
        # By hand: 0 at depth 1; at depth 2 and beyond (1 + 0) / 2.
        ("b", "ab", 0.5, 0.25),
    ],
)
def test_rbo_of_known_pairs(a, b, p, value):
    """Published and hand-made values."""
    expected = (
        None if value is None else pytest.approx(value, abs=5e-4 if value == 0.828 else EXACT)
    )
    assert rbo(documents(a), documents(b), p) == expected
    assert rbo(documents(b), documents(a), p) == expected


@given(PAIRS, P)
def test_rbo_knows_no_side(pair, p):
    """RBO is the same for either order of the rankings, and between 0 and 1."""
    got = rbo(*pair, p)
    assert got == same(rbo(*pair[::-1], p))
    assert got is None or 0 <= got <= 1 + EXACT


@pytest.mark.parametrize("p", [-0.5, 0.0, 1.0, 1.5])
def test_rbo_needs_a_p_between_0_and_1(p):
    """With a p of 0 or 1 no reader, or every reader, would go on for ever."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        rbo(documents("ab"), documents("ba"), p)


# ---- Kendall's tau


@given(PAIRS)
def test_tau_is_that_of_scipy(pair):
    """Tau is SciPy's of the places of the shared documents, and None where there is no pair."""
    a, b = (each.tolist() for each in pair)
    shared = [document for document in a if document in b]
    expected = None
    if len(shared) >= 2:
        places = [[ranking.index(document) for document in shared] for ranking in (a, b)]
        expected = stats.kendalltau(*places).statistic
    assert kendall_tau(*pair) == same(expected)


@given(PAIRS)
def test_tau_counts_pairs(pair):
    """Tau is the pairs in the same order less those that are not, over all; no side counts."""
    a, b = (each.tolist() for each in pair)
    signs = [
        1 if b.index(first) < b.index(second) else -1
        for first, second in combinations([each for each in a if each in b], 2)
    ]
    assert kendall_tau(*pair) == same(np.mean(signs) if signs else None)
    assert kendall_tau(*pair[::-1]) == same(kendall_tau(*pair))


def test_tau_of_long_rankings():
    """Ten thousand documents: 1 for the same order, -1 for the opposite, SciPy's for another."""
    a = np.arange(10_000)
    b = np.random.default_rng(0).permutation(a)
    assert kendall_tau(a, a) == 1.0
    assert kendall_tau(a, a[::-1]) == -1.0
    assert kendall_tau(a, b) == same(stats.kendalltau(a, np.argsort(b)).statistic)
