"""Statistics of a comparison, against SciPy, statsmodels, brute force and what other tools do."""

import math
import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import special, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower, ttest_power

from ndcg_desktop.scoring.statistics import (
    EXACT_RANKS,
    EXACT_SIGNS,
    EXACT_TIED_RANKS,
    Interval,
    Randomisation,
    Record,
    Wilcoxon,
    _power,
    _resampled_means,
    _two_sided_p,
    bootstrap_interval,
    effect_size,
    holm,
    leave_one_out,
    queries_needed,
    randomisation_test,
    t_test,
    wilcoxon,
    wins_ties_losses,
)

EXACT = 1e-12
SEED = 20
LARGE = 6980
"""Queries of the development set of MS MARCO."""

NOTHING = np.zeros(0)
ONE = np.array([0.25])
CONSTANT = np.full(7, 0.1)
"""Whose mean, as floats add up, is not 0.1, so that each seems to deviate from it."""
ZEROS = np.zeros(7)
NO_SPREAD = (NOTHING, ONE, CONSTANT, ZEROS)

SLEEP = np.array([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])
"""Hours that ten patients slept longer with one drug than with another: Student (1908)."""

CORN = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]) / 8
"""Inches by which crossed plants of maize were taller than self-fertilised ones: Darwin (1876)."""


def drawn(n, mean=0.0, seed=0):
    """Differences of two rankings, no two the same in size."""
    return np.random.default_rng(seed).normal(mean, 0.2, n)


def lists(low=0, high=12, limit=20):
    """Differences that are multiples of 1/8, so that sums are exact, many 0 or tied."""
    return st.lists(st.integers(-limit, limit), min_size=low, max_size=high).map(
        lambda eighths: np.array(eighths) / 8
    )


def same(expected):
    """Equal but for rounding."""
    return pytest.approx(expected, rel=EXACT, abs=EXACT)


# ---- bootstrap


def test_bootstrap_is_that_of_scipy():
    """The interval differs from SciPy's percentile bootstrap as two seeds of SciPy's may."""
    values = drawn(200, 0.03) ** 3
    ours = [bootstrap_interval(values, seed, 4000) for seed in range(4)]
    theirs = [
        stats.bootstrap(
            (values,), np.mean, n_resamples=4000, method="percentile", batch=500, rng=seed
        ).confidence_interval
        for seed in range(4)
    ]
    # The deviation of a 2.5 % quantile of 16,000 means is about 0.02 of theirs.
    room = 0.1 * values.std() / math.sqrt(len(values))
    assert np.mean([each.lower for each in ours]) == pytest.approx(
        np.mean([each.low for each in theirs]), abs=room
    )
    assert np.mean([each.upper for each in ours]) == pytest.approx(
        np.mean([each.high for each in theirs]), abs=room
    )


def test_bootstrap_of_three_values_is_known():
    """Resamples of 0, 0, 1 have the mean 0, 1/3, 2/3 or 1 in 8, 12, 6 and 1 of 27 cases."""
    for level, lower, upper in ((0.95, 0, 1), (0.9, 0, 2 / 3), (0.3, 1 / 3, 1 / 3)):
        got = bootstrap_interval(np.array([0.0, 0.0, 1.0]), SEED, level=level)
        assert (got.lower, got.upper) == same((lower, upper))


@pytest.mark.parametrize("n", [2, 3, 1000])
def test_every_value_is_drawn_as_often(n):
    """With value i worth 1 and the rest 0, the mean over resamples is 1 / n, for first and last."""
    for i in (0, n // 2, n - 1):
        values = np.zeros(n)
        values[i] = 1.0
        means = _resampled_means(values, SEED, 20_000)
        # n draws in each of 20,000 resamples: the count has about its own root as deviation.
        assert means.sum() * n == pytest.approx(20_000, abs=5 * math.sqrt(20_000))
        assert means.var() == pytest.approx((1 / n) * (1 - 1 / n) / n, rel=0.1)


def test_bootstrap_says_what_it_did():
    """An interval carries level, samples and seed; the seed decides it, and blocks do not."""
    values = drawn(50_000)
    first = bootstrap_interval(values, SEED, 20, 0.9)
    assert first == bootstrap_interval(values, SEED, 20, 0.9)
    assert (first.level, first.samples, first.seed) == (0.9, 20, SEED)
    assert first != bootstrap_interval(values, SEED + 1, 20, 0.9)


def test_bootstrap_without_spread():
    """The interval of equal values is that value; of fewer than two there is none."""
    assert bootstrap_interval(NOTHING, SEED) is None
    assert bootstrap_interval(ONE, SEED) is None
    assert bootstrap_interval(CONSTANT, SEED, 100) == Interval(0.1, 0.1, 0.95, 100, SEED)
    assert bootstrap_interval(ZEROS, SEED, 100) == Interval(0.0, 0.0, 0.95, 100, SEED)


def test_bootstrap_of_many_queries_is_small():
    """10,000 resamples of 6,980 queries, or one of more than a block holds, need under 20 MB."""
    for n, samples in ((LARGE, 10_000), (300_000, 3)):
        values = drawn(n)
        tracemalloc.start()
        assert bootstrap_interval(values, SEED, samples).samples == samples
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20e6


@given(lists(2, 20), st.integers(0, 99), st.integers(-3, 3))
def test_bootstrap_knows_no_zero_and_no_sign(values, seed, shift):
    """Shifted values have the shifted interval, negated ones the mirrored one."""
    got = bootstrap_interval(values, seed, 200)
    shifted = bootstrap_interval(values + shift, seed, 200)
    negated = bootstrap_interval(-values, seed, 200)
    assert (shifted.lower, shifted.upper) == same((got.lower + shift, got.upper + shift))
    assert (-negated.upper, -negated.lower) == same((got.lower, got.upper))
    assert values.min() <= got.lower <= got.upper <= values.max()


# ---- randomisation


def by_all_signs(differences):
    """Share of all patterns of signs with a mean as far from 0; for multiples of 1/8."""
    sums = [abs(np.dot(signs, differences)) for signs in product((1, -1), repeat=len(differences))]
    return np.mean(np.array(sums) >= abs(differences.sum()))


def as_ranx(control, treatment, permutations, rng):
    """Fisher's randomisation as ranx runs it: results change places query by query."""
    observed, hits = abs(control.mean() - treatment.mean()), 0
    for _ in range(permutations):
        swap = rng.random(len(control)) < 0.5
        one, other = np.where(swap, treatment, control), np.where(swap, control, treatment)
        hits += abs(one.mean() - other.mean()) >= observed - EXACT
    return hits / permutations


@given(lists(1, 10))
def test_randomisation_tries_every_sign(differences):
    """The p is the share among all patterns of signs, zeros or none."""
    p = same(by_all_signs(differences))
    number = 2 ** np.count_nonzero(differences)
    assert randomisation_test(differences, SEED) == Randomisation(p, True, number, SEED)


def test_randomisation_is_that_of_scipy():
    """The p is that of scipy.stats.permutation_test where both try every pattern."""
    for n in (2, 5, 8, 9, 13):
        differences = drawn(n, 0.1, seed=n)
        theirs = stats.permutation_test(
            (differences,), np.mean, permutation_type="samples", n_resamples=np.inf
        )
        got = randomisation_test(differences, SEED)
        assert got.exact
        assert got.p == same(theirs.pvalue)


def test_darwins_plants():
    """Fisher (1935), The Design of Experiments, section 21: 1,726 of the 32,768 patterns."""
    assert randomisation_test(CORN, SEED) == Randomisation(1726 / 2**15, True, 2**15, SEED)


@pytest.mark.parametrize("mean", [0.0, 0.03, 0.05])
def test_sampled_randomisation_is_that_of_scipy_and_of_ranx(mean):
    """By sampling, p differs from SciPy's and ranx's, also sampled, as chance allows."""
    control = np.random.default_rng(1).random(101)
    treatment = control + drawn(101, mean)
    ours = randomisation_test(treatment - control, SEED, 20_000)
    scipy = stats.permutation_test(
        (treatment - control,),
        lambda x, axis: x.mean(axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        batch=2000,
        rng=2,
    )
    ranx = as_ranx(control, treatment, 2000, np.random.default_rng(3))
    assert not ours.exact and ours.samples == 20_000
    deviation = math.sqrt(max(ours.p * (1 - ours.p), 1e-4))
    assert ours.p == pytest.approx(scipy.pvalue, abs=5 * deviation * math.sqrt(2 / 20_000))
    assert ours.p == pytest.approx(ranx, abs=5 * deviation * math.sqrt(1.1 / 2000))


def test_sampling_agrees_with_every_pattern():
    """Just above the limit, p by sampling is about the share among all 2^17 patterns."""
    differences = np.round(drawn(EXACT_SIGNS + 1, 0.08, seed=5) * 64) / 64
    assert np.count_nonzero(differences) == EXACT_SIGNS + 1
    sums = np.zeros(1)
    for each in differences:
        sums = np.concatenate((sums + each, sums - each))
    p = np.mean(np.abs(sums) >= abs(differences.sum()))
    got = randomisation_test(differences, SEED, 100_000)
    assert not got.exact
    assert got.p == pytest.approx(p, abs=5 * math.sqrt(p / 100_000))
    assert randomisation_test(differences[1:], SEED).exact


def test_sampled_p_is_never_0():
    """If no sample comes near what was observed, p is 1 / (1 + samples)."""
    got = randomisation_test(np.full(60, 0.1), SEED, 999)
    assert got == Randomisation(1 / 1000, False, 999, SEED)


@pytest.mark.parametrize("n", [4, 40])
def test_rounding_does_not_tell_equal_sums_apart(n):
    """As many differences of 0.1, 0.2 and -0.3 add up to 0, though not as floats: p is 1."""
    differences = np.tile([0.1, 0.2, -0.3], n)
    assert differences.sum() != 0
    assert randomisation_test(differences, SEED).p == 1.0


def test_randomisation_of_little():
    """Without queries there is no test; where nothing differs, or for one query, p is 1."""
    assert randomisation_test(NOTHING, SEED) is None
    assert randomisation_test(ZEROS, SEED) == Randomisation(1.0, True, 1, SEED)
    assert randomisation_test(ONE, SEED) == Randomisation(1.0, True, 2, SEED)
    assert randomisation_test(CONSTANT, SEED) == Randomisation(2 / 2**7, True, 2**7, SEED)


@given(lists(0, 40), st.integers(0, 9), st.randoms(use_true_random=False))
def test_randomisation_knows_no_sign_and_no_zeros(differences, seed, random):
    """Exchanged rankings have the same p, and so have more queries where nothing differs."""
    got = randomisation_test(differences, seed, 100)
    assert got == randomisation_test(-differences, seed, 100)
    assume(len(differences))
    with_zeros = np.insert(differences, random.randint(0, len(differences)), (0.0, 0.0))
    assert got == randomisation_test(with_zeros, seed, 100)


# ---- t


@given(
    lists(2, 40, limit=1000),
    st.sampled_from((1.0, 1e-9, 1e6)),
    st.floats(-1, 1),
)
def test_t_test_is_that_of_scipy(differences, unit, base):
    """Both t and p are those of scipy.stats.ttest_rel on the scores, as in PyTerrier."""
    baseline = np.linspace(0, 1, len(differences)) * unit
    candidate = baseline + (differences + base) * unit
    differences = candidate - baseline
    assume(np.ptp(differences) > 1e-6 * np.abs(differences).max())
    theirs = stats.ttest_rel(candidate, baseline)
    got = t_test(differences)
    assert (got.t, got.degrees, got.p) == same((theirs.statistic, theirs.df, theirs.pvalue))


def test_student_1908():
    """The published example: t = 4.06 on 9 degrees of freedom, p = 0.0028."""
    got = t_test(SLEEP)
    assert (round(got.t, 4), got.degrees, round(got.p, 6)) == (4.0621, 9, 0.002833)


@pytest.mark.parametrize("degrees", [1, 2, 3, 8, 29, 58, 59, 60, 61, 99, 1000, LARGE, 10**6, 10**9])
def test_p_is_right_in_the_tails(degrees):
    """SciPy has the same p to 12 digits, from t near 0 to p almost too small for a float."""
    for t in (0.0, 1e-3, 0.3, 0.99, 1.0, 1.01, 1.7, 2, 2.5, 4, 8, 15, 36, 100, 1e4):
        expected = 2 * special.stdtr(degrees, -t)
        if expected > 1e-290:
            assert _two_sided_p(t, degrees) == pytest.approx(expected, rel=EXACT, abs=0)
            assert _two_sided_p(-t, degrees) == _two_sided_p(t, degrees)
        else:
            assert _two_sided_p(t, degrees) < 1e-289


def test_p_of_one_degree_is_an_arc_tangent():
    """With one degree of freedom p is 1 - 2 arctan(t) / pi, and there SciPy itself is off."""
    for t in (1e-12, 1e-8, 0.5, 3.0):
        assert _two_sided_p(t, 1) == same(1 - 2 * math.atan(t) / math.pi)


def test_without_spread_there_is_no_t():
    """Fewer than two queries, or the same difference on all, rounding aside: no t and no size."""
    noisy = np.array([0.3, 0.4, 0.5]) - np.array([0.2, 0.3, 0.4])
    assert np.ptp(noisy) > 0
    for differences in (*NO_SPREAD, noisy):
        assert t_test(differences) is None
        assert effect_size(differences) is None
        assert queries_needed(differences, 0.01) is None


# ---- Wilcoxon


def signed_ranks_of_scipy(differences):
    """Statistic and p of SciPy, by the method that it chooses itself."""
    theirs = stats.wilcoxon(differences, zero_method="wilcox", correction=False)
    return theirs.statistic, theirs.pvalue


@given(lists(1, 18, limit=6) | lists(1, 70, limit=200))
def test_wilcoxon_is_that_of_scipy(differences):
    """Statistic and p are SciPy's with zeros and ties, at and around every limit of exactness."""
    assume(differences.any())
    got = wilcoxon(differences)
    assert (got.statistic, got.p) == same(signed_ranks_of_scipy(differences))
    assert got.n == np.count_nonzero(differences)


@pytest.mark.parametrize(
    "n", [1, 2, 13, 14, 15, EXACT_RANKS - 1, EXACT_RANKS, EXACT_RANKS + 1, 500]
)
@pytest.mark.parametrize("zeros", [0, 1])
def test_wilcoxon_without_ties(n, zeros):
    """Without ties p is SciPy's, exact up to 50 queries, or 13 if they differ on one less."""
    differences = drawn(n, 0.05, seed=n)
    differences[:zeros] = 0
    if not differences.any():
        return
    got = wilcoxon(differences)
    assert (got.statistic, got.p) == same(signed_ranks_of_scipy(differences))
    assert got.exact == (n <= (EXACT_TIED_RANKS if zeros else EXACT_RANKS))


@given(lists(1, EXACT_TIED_RANKS, limit=5))
def test_exact_signed_ranks_by_every_sign(differences):
    """With ties, the exact p is the share of all signs with as uneven sums of ranks."""
    signed = differences[differences != 0]
    assume(1 <= len(signed) <= 9)
    ranks = stats.rankdata(np.abs(signed))
    half = ranks.sum() / 2
    sums = [
        abs(ranks[np.array(signs) > 0].sum() - half)
        for signs in product((1, -1), repeat=len(signed))
    ]
    observed = abs(ranks[signed > 0].sum() - half)
    got = wilcoxon(differences)
    assert got.exact
    assert got.p == same(np.mean(np.array(sums) >= observed))


def test_wilcoxon_of_little():
    """Where nothing differs there are no ranks; of one query p is 1."""
    assert wilcoxon(NOTHING) is None
    assert wilcoxon(ZEROS) is None
    assert wilcoxon(ONE) == Wilcoxon(0.0, 1.0, 1, True)
    assert wilcoxon(CONSTANT) == Wilcoxon(0.0, 2 / 2**7, 7, True)


def test_darwins_plants_by_ranks():
    """The sum of the ranks of the two negative differences is 24: p = 0.0413 exactly."""
    got = wilcoxon(CORN)
    assert (got.statistic, got.n, got.exact, round(got.p, 4)) == (24.0, 15, True, 0.0413)


# ---- Holm


# Each call of statsmodels takes 50 ms.
@settings(max_examples=12)
@given(st.lists(st.sampled_from((0.0, 1e-9, 0.01, 0.01, 0.02, 0.04, 0.5, 1.0)), max_size=9))
def test_holm_is_that_of_statsmodels(p_values):
    """Adjusted p values are statsmodels', in the order given, ties and all."""
    p_values = np.array(p_values, dtype=float)
    got = holm(p_values)
    assert got.shape == p_values.shape
    if len(p_values):
        assert got == same(multipletests(p_values, method="holm")[1])


def test_holm_by_hand():
    """0.01, 0.04 and 0.03 become 3 × 0.01, then 2 × 0.03, and 0.04 no less than that."""
    assert holm(np.array([0.01, 0.04, 0.03])) == same([0.03, 0.06, 0.06])


# ---- size, record, influence


@given(lists(2, 30), st.sampled_from((1.0, -1.0, 0.5, 1e6)))
def test_effect_size_is_mean_over_deviation(differences, unit):
    """The size is t over the root of n; no unit changes it but its sign."""
    assume(np.ptp(differences) > 0)
    got = effect_size(differences)
    assert got == same(differences.mean() / differences.std(ddof=1))
    assert got * math.sqrt(len(differences)) == same(t_test(differences).t)
    assert effect_size(differences * unit) == same(got * math.copysign(1, unit))


def test_wins_ties_losses():
    """A difference of just the threshold is a tie, also where floats make it a little more."""
    differences = np.array([0.4 - 0.3, 0.3 - 0.4, 0.11, -0.11, -0.2, 0.0, 1e-3])
    assert differences[0] > 0.1
    assert wins_ties_losses(differences, 0.1) == Record(1, 4, 2)
    assert wins_ties_losses(differences, 0.0) == Record(3, 1, 3)
    assert wins_ties_losses(NOTHING, 0.1) == Record(0, 0, 0)


@given(lists(), st.sampled_from((0.0, 0.125, 1.0)))
def test_exchanging_the_rankings_exchanges_wins_and_losses(differences, threshold):
    """Won and lost change places, ties stay, and all queries are in the record."""
    got = wins_ties_losses(differences, threshold)
    assert got.won == sum(each > threshold for each in differences.tolist())
    assert got.won + got.tied + got.lost == len(differences)
    assert wins_ties_losses(-differences, threshold) == Record(got.lost, got.tied, got.won)


@given(lists(0, 9))
def test_leave_one_out(differences):
    """Each is the mean of the others."""
    got = leave_one_out(differences)
    if len(differences) < 2:
        assert got is None
    else:
        assert got == same([np.delete(differences, i).mean() for i in range(len(differences))])


# ---- queries needed

UNIT_SPREAD = np.array([-1.0, 1.0]) / math.sqrt(2)
"""With a standard deviation of 1, so that what matters is the effect itself."""


@pytest.mark.parametrize("effect", [0.02, 0.1, 0.2, 0.5, 0.8, 1.3])
@pytest.mark.parametrize(("power", "level"), [(0.8, 0.05), (0.9, 0.01), (0.95, 0.1), (0.5, 0.05)])
def test_queries_needed_are_those_of_statsmodels(effect, power, level):
    """The number is that of TTestPower, rounded up."""
    theirs = TTestPower().solve_power(effect, nobs=None, alpha=level, power=power)
    assert queries_needed(UNIT_SPREAD, effect, power, level) == math.ceil(float(np.squeeze(theirs)))


@given(st.floats(-3, 0.3).map(lambda x: 10**x), st.sampled_from((0.5, 0.8, 0.99)))
def test_queries_needed_are_the_least(effect, power):
    """The power of that number, by statsmodels, is enough, and that of one less is not."""
    n = queries_needed(UNIT_SPREAD, effect, power)
    assert ttest_power(effect, n, 0.05) >= power - 1e-9
    assert n == 2 or ttest_power(effect, n - 1, 0.05) < power + 1e-9


@pytest.mark.parametrize(
    ("n", "effect"), [(2, 0.1), (2, 2.0), (3, 1.0), (20, 0.0001), (20, 0.6), (5000, 0.04)]
)
def test_power_is_that_of_statsmodels(n, effect):
    """Power is right to ten digits: the noncentral t distribution."""
    for level in (0.01, 0.05, 0.2):
        assert _power(n, effect, level) == pytest.approx(ttest_power(effect, n, level), abs=1e-10)


def test_cohens_table():
    """Textbook: 80 % power at 5 % for a paired effect of 0.5 takes 34 pairs, for 0.2 takes 199."""
    assert queries_needed(UNIT_SPREAD, 0.5) == 34
    assert queries_needed(UNIT_SPREAD, 0.2) == 199


def test_what_no_number_of_queries_shows():
    """A difference that is none, or far too small, is shown by no number; a huge one by two."""
    assert queries_needed(UNIT_SPREAD, 0.0) is None
    assert queries_needed(UNIT_SPREAD, -1.0) is None
    assert queries_needed(UNIT_SPREAD, 1e-300) is None
    assert queries_needed(UNIT_SPREAD, 1e-6) == pytest.approx(7.8489e12, rel=1e-4)
    assert queries_needed(UNIT_SPREAD, 1e300) == 2


@given(lists(2, 20), st.floats(0.01, 3))
def test_queries_needed_know_no_mean_and_no_sign(differences, matters):
    """Only the spread counts: not the mean seen, nor which ranking is the baseline."""
    assume(np.ptp(differences) > 0)
    got = queries_needed(differences, matters)
    assert got == queries_needed(-differences, matters)
    assert abs(got - queries_needed(differences + 4.0, matters)) <= 1
