"""How sure a comparison of two rankings is: intervals, tests, size and number of queries.

``differences``, shape (n,), are candidate minus baseline, finite, of the queries that count in
both; n may be 0. A figure that does not exist is None, never NaN: an interval or a spread of fewer
than two queries, a t test without spread, signed ranks where nothing differs.

What is random starts from a seed and draws the raw stream of PCG64, which NumPy keeps the same in
all its versions: the same seed gives the same figure everywhere.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.scoring.ndcg import ROUNDING

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CELLS = 1 << 18
"""Values drawn at a time by the bootstrap: what bounds its memory, at 20 bytes each."""

GROUP = 8
"""Differences whose signs one random byte draws."""

EXACT_SIGNS = 16
"""Differences, other than 0, up to which every pattern of signs is tried: 2^16 of them."""

EXACT_RANKS = 50
"""Differences up to which SciPy takes signed ranks exactly, if none are tied and none is 0."""

EXACT_TIED_RANKS = 13
"""Differences up to which SciPy takes signed ranks exactly in any case."""

LEAST_EFFECT = 1e-6
"""An effect, mean over spread, below which the queries needed are millions of millions."""

CERTAIN_EFFECT = 100.0
"""An effect that two or three queries show; a larger one needs no fewer."""

FRACTION = 1e-15
"""Relative change at which a continued fraction is taken to have converged."""

NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Interval:
    """Confidence interval of a mean at a level such as 0.95, of so many bootstrap samples."""

    lower: float
    upper: float
    level: float
    samples: int
    seed: int


@dataclass(frozen=True, slots=True)
class Randomisation:
    """Two-sided p of a randomisation test, of so many patterns of signs.

    Where ``exact`` these are all there are, and the seed was not used.
    """

    p: float
    exact: bool
    samples: int
    seed: int


@dataclass(frozen=True, slots=True)
class TTest:
    """Student's t, positive where the candidate is better, its degrees of freedom, two-sided p."""

    t: float
    degrees: int
    p: float


@dataclass(frozen=True, slots=True)
class Wilcoxon:
    """The smaller sum of ranks, two-sided p, and n, the number of differences other than 0."""

    statistic: float
    p: float
    n: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Record:
    """Number of queries on which the candidate is better, as good and worse."""

    won: int
    tied: int
    lost: int


# ---- resampling


def bootstrap_interval(
    values: Floats, seed: int, samples: int = 10_000, level: float = 0.95
) -> Interval | None:
    """Percentile bootstrap interval of the mean; of differences it is the paired bootstrap.

    Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 13.3. None for fewer than
    two values, which tell nothing of the others. ``values``: (n,).
    """
    if len(values) < 2:
        return None
    tail = (1 - level) / 2
    lower, upper = np.quantile(_resampled_means(values, seed, samples), (tail, 1 - tail))
    return Interval(float(lower), float(upper), level, samples, seed)


def _resampled_means(values: Floats, seed: int, samples: int) -> Floats:
    """Mean of n values drawn with replacement, as many times as wanted, (samples,)."""
    n = len(values)
    bits = np.random.PCG64(seed)
    means = np.empty(samples)
    rows = max(1, CELLS // n)
    for start in range(0, samples, rows):
        block = means[start : start + rows]
        drawn = bits.random_raw((block.size * n + 1) // 2).view(np.uint32)[: block.size * n]
        # The place of 32 random bits among n equal parts of their range: no value is likelier than
        # another by more than n / 2^32.
        place = drawn.astype(np.int64)
        place *= n
        place >>= 32
        np.take(values, place).reshape(-1, n).mean(axis=1, out=block)
    # Rounding must not lead beyond the values, as it would where they are all the same.
    return np.clip(means, values.min(), values.max(), out=means)


def randomisation_test(
    differences: Floats, seed: int, samples: int = 10_000
) -> Randomisation | None:
    """Two-sided paired randomisation test of the mean, also called Fisher's: any sign may flip.

    p is the share of the patterns of signs whose sum is as far from 0 as the one observed. Up to
    EXACT_SIGNS differences other than 0 all 2^m patterns are tried; beyond, p is
    (1 + hits) / (1 + samples): Phipson & Smyth (2010), Permutation P-values Should Never Be Zero,
    Statistical Applications in Genetics and Molecular Biology 9(1). 1 where nothing differs, None
    without queries.
    """
    if len(differences) == 0:
        return None
    signed = differences[differences != 0]
    # Two sums of the same numbers in another order are the same; how far they may lie apart goes
    # by the numbers, not by a sum that may be almost 0.
    observed = abs(float(signed.sum())) - ROUNDING * float(np.abs(signed).sum())
    if len(signed) <= EXACT_SIGNS:
        low, high = _signed_sums(signed, EXACT_SIGNS // GROUP)
        p = float(np.mean(np.abs(np.add.outer(low, high)) >= observed))
        return Randomisation(p, True, 2 ** len(signed), seed)
    hits = np.count_nonzero(np.abs(_random_sums(signed, seed, samples)) >= observed)
    return Randomisation((1 + int(hits)) / (1 + samples), False, samples, seed)


def _signed_sums(values: Floats, groups: int) -> Floats:
    """Sums of each group of values under every pattern of signs, (groups, 2^GROUP).

    The last groups are filled with zeros, which give each sum several times, all as often.
    """
    padded = np.zeros(groups * GROUP)
    padded[: len(values)] = values
    patterns = np.arange(1 << GROUP, dtype=np.uint8)[:, np.newaxis]
    signs = 1.0 - 2.0 * np.unpackbits(patterns, axis=1)
    # Not by a matrix product, whose threads take longer to gather than this takes.
    sums: Floats = np.einsum("gi,pi->gp", padded.reshape(groups, GROUP), signs)
    return sums


def _random_sums(values: Floats, seed: int, samples: int) -> Floats:
    """Sum of the values under random signs, as many times as wanted, (samples,)."""
    bits = np.random.PCG64(seed)
    words = -(-samples // 8)
    sums = np.zeros(samples)
    # A random byte is the signs of a whole group, whose sum is then looked up.
    for table in _signed_sums(values, -(-len(values) // GROUP)):
        sums += np.take(table, bits.random_raw(words).view(np.uint8)[:samples])
    return sums


# ---- tests by a distribution


def t_test(differences: Floats) -> TTest | None:
    """Paired two-sided t test of the mean: Student (1908), Biometrika 6(1).

    None for fewer than two queries, and where all differ by the same, which leaves no spread to
    measure the mean by.
    """
    spread = _spread(differences)
    if not spread:
        return None
    n = len(differences)
    t = float(differences.mean()) / spread * math.sqrt(n)
    return TTest(t, n - 1, _two_sided_p(t, n - 1))


def wilcoxon(differences: Floats) -> Wilcoxon | None:
    """Two-sided signed-rank test: Wilcoxon (1945), Biometrics Bulletin 1(6).

    Zeros are dropped, tied sizes share their mean rank; None where nothing is left. Exact wherever
    scipy.stats.wilcoxon 1.17 is (method "auto", zero_method "wilcox"): up to EXACT_RANKS
    differences if none is 0 or tied, up to EXACT_TIED_RANKS anyhow. Beyond, the normal
    approximation with the variance corrected for ties, and without a correction for continuity.
    """
    signed = differences[differences != 0]
    if len(signed) == 0:
        return None
    _, place, ties = np.unique(np.abs(signed), return_inverse=True, return_counts=True)
    # Twice the ranks, so that mean ranks are whole numbers.
    ranks = (2 * np.cumsum(ties) - ties + 1)[place]
    smaller = min(int(ranks[signed > 0].sum()), int(ranks[signed < 0].sum()))
    # So there is neither a tie nor a zero.
    untied = len(ties) == len(differences)
    exact = len(differences) <= (EXACT_RANKS if untied else EXACT_TIED_RANKS)
    p = _exact_rank_p(ranks, smaller) if exact else _normal_rank_p(ties, smaller / 2)
    return Wilcoxon(smaller / 2, p, len(signed), exact)


def _exact_rank_p(ranks: Ints, smaller: int) -> float:
    """Twice the share of the 2^n choices of ranks whose sum is ``smaller`` or less, at most 1."""
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1
    for rank in ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    # Whole numbers up to 2^EXACT_RANKS, so nothing is rounded.
    return min(1.0, 2 * float(ways[: smaller + 1].sum() / ways.sum()))


def _normal_rank_p(ties: Ints, statistic: float) -> float:
    """Two-sided p of a sum of ranks by its mean and variance; ``ties``: how many share a rank."""
    n, tied = int(ties.sum()), ties.astype(np.float64)
    variance = (n * (n + 1) * (2 * n + 1) - float((tied**3 - tied).sum()) / 2) / 24
    z = (statistic - n * (n + 1) / 4) / math.sqrt(variance)
    return math.erfc(abs(z) / math.sqrt(2))


def holm(p_values: Floats) -> Floats:
    """P values adjusted for being several, same shape and order; 1 at most.

    Holm (1979), Scandinavian Journal of Statistics 6(2): of m, the smallest is multiplied by m, the
    next by m - 1 and so on, and none is below a smaller one.
    """
    order = np.argsort(p_values, kind="stable")
    stepped = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


# ---- how large, on how many queries, by which of them


def effect_size(differences: Floats) -> float | None:
    """Cohen's d of paired values, d_z: mean over standard deviation (n - 1).

    Cohen (1988), Statistical Power Analysis, section 2.3. None where there is no spread.
    """
    spread = _spread(differences)
    return float(differences.mean()) / spread if spread else None


def wins_ties_losses(differences: Floats, threshold: float) -> Record:
    """Count the queries that differ by more than the threshold; on it is a tie.

    Within ROUNDING is on it: of scores 0.4 and 0.3 the difference is not more than 0.1.
    """
    threshold += ROUNDING
    won = int(np.count_nonzero(differences > threshold))
    lost = int(np.count_nonzero(differences < -threshold))
    return Record(won, len(differences) - won - lost, lost)


def leave_one_out(differences: Floats) -> Floats | None:
    """The mean without each of the queries, (n,); None for fewer than two."""
    n = len(differences)
    return (differences.sum() - differences) / (n - 1) if n > 1 else None


def queries_needed(
    differences: Floats, matters: float, power: float = 0.8, level: float = 0.05
) -> int | None:
    """Least number of queries, in all, on which a mean difference of ``matters`` would show.

    That is, on which a paired two-sided t test at this level finds it with this power, by the
    noncentral t distribution, if the spread is the one seen here. None where there is no spread,
    and for a difference below LEAST_EFFECT of it, such as 0, which no number of queries shows.
    """
    spread = _spread(differences)
    if not spread or matters < LEAST_EFFECT * spread:
        return None
    effect = min(matters / spread, CERTAIN_EFFECT)
    by_normal = ((NORMAL.inv_cdf(1 - level / 2) + NORMAL.inv_cdf(power)) / effect) ** 2
    enough = max(2, math.ceil(by_normal))
    while _power(enough, effect, level) < power:
        enough *= 2
    return 2 + bisect_left(range(2, enough), power, key=lambda n: _power(n, effect, level))


def _spread(differences: Floats) -> float | None:
    """Standard deviation (n - 1); 0.0 where all are the same but for rounding, None for n < 2."""
    if len(differences) < 2:
        return None
    if np.ptp(differences) <= ROUNDING * np.abs(differences).max():
        return 0.0
    return float(differences.std(ddof=1))


# ---- Student's t distribution


def _power(n: int, effect: float, level: float) -> float:
    """Power of a paired two-sided t test of n queries, for a mean of ``effect`` spreads.

    t^2 / (t^2 + degrees) has the beta distribution of (j + 1/2, degrees / 2), where j has the
    Poisson distribution of mean n effect^2 / 2: Johnson, Kotz & Balakrishnan (1995), Continuous
    Univariate Distributions 2, chapters 30 and 31.
    """
    degrees, mean = n - 1, n * effect**2 / 2
    critical = _critical_t(level, degrees)
    x = critical**2 / (critical**2 + degrees)
    # What lies ten standard deviations above a Poisson mean is lost in rounding.
    j = np.arange(1, int(mean + 10 * math.sqrt(mean)) + 40)
    weight = np.exp(j * math.log(mean) - np.cumsum(np.log(j)) - mean)
    # P(beta > x) is the level for j = 0, and each j adds a term to it: DLMF 8.17.20.
    growth = x * (j[:-1] + (degrees - 1) / 2) / (j[:-1] + 0.5)
    first = 2 * critical * _t_density(critical, degrees)
    beyond = level + first * np.cumsum(np.cumprod(np.append(1.0, growth)))
    return math.exp(-mean) * level + float(weight @ beyond)


def _critical_t(level: float, degrees: int) -> float:
    """The t whose two-sided p is ``level``.

    By Newton's method, from the normal quantile, which is below it: p is convex, so every step goes
    up, and none too far.
    """
    t = NORMAL.inv_cdf(1 - level / 2)
    while True:
        step = (_two_sided_p(t, degrees) - level) / (2 * _t_density(t, degrees))
        if step <= ROUNDING * t:
            return t
        t += step


def _two_sided_p(t: float, degrees: int) -> float:
    """P(|T| >= |t|) of Student's t: I_x(degrees / 2, 1/2) at x = degrees / (degrees + t^2).

    I is the regularised incomplete beta function: DLMF 8.17.
    """
    square = t * t
    x, y = degrees / (degrees + square), square / (degrees + square)
    front = abs(t) * _t_density(t, degrees)
    # The fraction is for an x below the mean of the distribution; else 1 - I is of use.
    if square >= 1:
        return front / _beta_fraction(x, y, degrees / 2, 0.5)
    return 1 - front / _beta_fraction(y, x, 0.5, degrees / 2)


def _t_density(t: float, degrees: int) -> float:
    """Density of Student's t distribution."""
    # 1 + t^2 / degrees, rounded, would be off by as many digits as its power is large.
    power = -(degrees + 1) / 2 * math.log1p(t * t / degrees)
    return math.exp(power) * _gamma_ratio(degrees / 2) / math.sqrt(math.pi * degrees)


def _gamma_ratio(a: float) -> float:
    """Gamma(a + 1/2) / Gamma(a), to the last digits: a difference of lgamma loses four of them.

    From the expansion of ln Gamma(a + h), DLMF 5.11.8, at h = 1/2 and 0, whose terms beyond these
    are below 1e-16 from a = 30 on; below 30 by the recurrence of Gamma.
    """
    factor = 1.0
    while a < 30:
        factor *= a / (a + 0.5)
        a += 1
    series = -1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5) + 17 / (14336 * a**7)
    return factor * math.sqrt(a) * math.exp(series)


def _beta_fraction(x: float, y: float, a: float, b: float) -> float:
    """x^a y^b / B(a, b) over I_x(a, b), for y = 1 - x, which is given lest it be rounded off.

    The continued fraction of Didonato & Morris (1992), ACM Transactions on Mathematical Software
    18(3), for x <= a / (a + b), evaluated from the front by Lentz's method as modified by Thompson
    & Barnett (1986), Journal of Computational Physics 64.
    """
    above = a * y - b * x + 1
    value = upper = a * above / (a + 1)
    n, lower, change = 0, 0.0, 0.0
    while abs(change - 1) > FRACTION:
        n += 1
        last = a + 2 * n - 1
        numerator = (a + n - 1) * (a + b + n - 1) * n * (b - n) * (x / last) ** 2
        term = n + n * (b - n) * x / last + (a + n) * (above + n * (1 + y)) / (last + 2)
        lower = 1 / (term + numerator * lower)
        upper = term + numerator / upper
        change = upper * lower
        value *= change
    return value
