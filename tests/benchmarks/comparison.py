"""Measure what it costs to say how sure a comparison is, beside SciPy in the same run.

Run by hand:

    python tests/benchmarks/comparison.py

Times are medians; a ratio below 1 means that this program is faster. The queries are as many as in
the development set of MS MARCO. (Not named after what it measures, statistics, which would hide
the module of Python's library from its neighbours.)
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
from run import line, median_ms
from scipy import stats

from ndcg_desktop.scoring.similarity import kendall_tau, rbo
from ndcg_desktop.scoring.statistics import (
    bootstrap_interval,
    queries_needed,
    randomisation_test,
    t_test,
    wilcoxon,
)

QUERIES, SAMPLES, SEED = 6980, 10_000, 1


def mean(values: np.ndarray, axis: int) -> np.ndarray:
    """The statistic that SciPy resamples, in the form that it calls least often."""
    return values.mean(axis=axis)


def peak_mib(act: Callable[[], object]) -> float:
    """Most memory that NumPy and Python took at once during a call, in MiB."""
    tracemalloc.start()
    act()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def resampling(differences: np.ndarray) -> None:
    """The randomisation test and the bootstrap, with SciPy's blocks as small as ours."""

    def randomised() -> object:
        return randomisation_test(differences, SEED, SAMPLES)

    def bootstrapped() -> object:
        return bootstrap_interval(differences, SEED, SAMPLES)

    def randomised_by_scipy() -> object:
        return stats.permutation_test(
            (differences,),
            mean,
            permutation_type="samples",
            n_resamples=SAMPLES,
            batch=100,
            rng=SEED,
        )

    def bootstrapped_by_scipy() -> object:
        return stats.bootstrap(
            (differences,), mean, n_resamples=SAMPLES, batch=100, method="percentile", rng=SEED
        )

    for work, own, peer, target in (
        ("randomisation test", randomised, randomised_by_scipy, "target 100 ms"),
        ("bootstrap interval", bootstrapped, bootstrapped_by_scipy, ""),
    ):
        title = f"{work}, {SAMPLES:,} samples of {QUERIES:,} queries"
        line(title, median_ms(own), "scipy.stats", median_ms(peer, 1), target)
        print(f"{'  peak memory':<54} {peak_mib(own):10.1f} MiB")


def formulas(differences: np.ndarray) -> None:
    """What needs no samples."""
    line(
        "t test",
        median_ms(lambda: t_test(differences)),
        "scipy.stats",
        median_ms(lambda: stats.ttest_1samp(differences, 0)),
    )
    line(
        "Wilcoxon",
        median_ms(lambda: wilcoxon(differences)),
        "scipy.stats",
        median_ms(lambda: stats.wilcoxon(differences)),
    )
    for matters in (0.01, 1e-4):
        title = f"queries needed for a difference of {matters}"
        line(title, median_ms(lambda matters=matters: queries_needed(differences, matters)))


def similarity(rng: np.random.Generator) -> None:
    """Two rankings of a thousand documents, of which most are in both."""
    a, b = rng.permutation(1200)[:1000], rng.permutation(1200)[:1000]
    line("rank-biased overlap of two times 1,000", median_ms(lambda: rbo(a, b)))
    line("Kendall's tau of two times 1,000", median_ms(lambda: kendall_tau(a, b)))


def main() -> None:
    """Run all."""
    rng = np.random.default_rng(SEED)
    differences = rng.normal(0.002, 0.1, QUERIES)
    resampling(differences)
    formulas(differences)
    similarity(rng)


if __name__ == "__main__":
    main()
