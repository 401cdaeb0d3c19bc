"""The measures that are shown beside nDCG, each as its reference tool computes it.

Every function gives one figure for each query, shape (Q,). A relevant document is one judged at
``threshold``, 0 or more, or above; a document judged below 0 is judged, but never relevant. A query
without a relevant document has 0, as trec_eval counts it, and so has one for which the ranking
returns nothing; whether such a query belongs in a mean is not decided here.

Documents that tie need an order of their own here: averaged ties are for nDCG.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.scoring.ndcg import Groups, Hits

Floats = NDArray[np.float64]
Ints = NDArray[np.integer]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One ranking of Q queries, and their judgments.

    ``hits`` are the judged documents returned, ``judged`` all judged ones, ``grades``, (C,), the
    grade of each code, NaN for *not judged*; ``returned``, (Q,), the number of documents returned.
    Raises ValueError where hits share places.
    """

    hits: Hits
    judged: Groups
    grades: Floats
    returned: Ints

    def __post_init__(self) -> None:
        if self.hits.last is not None:
            raise ValueError("These measures need one order, not places that documents share.")

    @property
    def queries(self) -> int:
        """Number of queries, Q."""
        return len(self.returned)

    def relevant_hits(self, threshold: float, k: int | None = None) -> Ints:
        """The rows of ``hits`` that are relevant and among the first k, if there is a k."""
        relevant = (self.grades >= threshold)[self.hits.code]
        return np.flatnonzero(relevant if k is None else relevant & (self.hits.first < k))

    def sums(self, rows: Ints, values: Floats | None = None) -> Floats:
        """Sum of the values of these hits, or their number, for each query."""
        sums = np.bincount(self.hits.query[rows], values, minlength=self.queries)
        return sums.astype(np.float64, copy=False)

    def judged_as(self, these: Bools) -> Floats:
        """Number of judged documents, returned or not, of the codes marked in ``these``, (C,)."""
        counts = np.where(these[self.judged.code], self.judged.count, 0)
        return np.bincount(self.judged.query, counts, minlength=self.queries).astype(np.float64)


def precision(ranked: Ranked, threshold: float, k: int | None) -> Floats:
    """P@k: trec_eval's P divides by k also where fewer are returned; without k its set_P."""
    found = ranked.sums(ranked.relevant_hits(threshold, k))
    return found / k if k is not None else _shares(found, ranked.returned)


def recall(ranked: Ranked, threshold: float, k: int | None) -> Floats:
    """R@k: share of the relevant documents among the first k; trec_eval's recall, set_recall."""
    found = ranked.sums(ranked.relevant_hits(threshold, k))
    return _shares(found, ranked.judged_as(ranked.grades >= threshold))


def success(ranked: Ranked, threshold: float, k: int | None) -> Floats:
    """Success@k: 1 where one of the first k is relevant, else 0; trec_eval's success."""
    return (ranked.sums(ranked.relevant_hits(threshold, k)) > 0).astype(np.float64)


def reciprocal_rank(ranked: Ranked, threshold: float) -> Floats:
    """RR: 1 / rank of the first relevant document; trec_eval's recip_rank."""
    rows = ranked.relevant_hits(threshold)
    best = rows[_heads(ranked.hits.query[rows])]
    return ranked.sums(best, 1.0 / (ranked.hits.first[best] + 1))


def average_precision(ranked: Ranked, threshold: float) -> Floats:
    """AP: precision at each relevant document, over all the relevant ones; trec_eval's map."""
    rows = ranked.relevant_hits(threshold)
    precisions = _numbered(ranked.hits.query[rows]) / (ranked.hits.first[rows] + 1)
    sums = ranked.sums(rows, precisions)
    return _shares(sums, ranked.judged_as(ranked.grades >= threshold))


def expected_reciprocal_rank(ranked: Ranked, highest: float, k: int | None) -> Floats:
    """ERR@k: Chapelle et al. (2009), CIKM. A reader stops at a grade with the probability
    (2^grade - 1) / 2^highest; gdeval is the same with 4 as the highest.

    NaN where a document of the query is judged above the highest grade, which gdeval refuses.
    """
    hits, grades = ranked.hits, np.maximum(ranked.grades, 0.0)
    # Two terms, since 2^grade alone may be beyond a float.
    stops = np.exp2(np.minimum(grades - highest, 0.0)) - np.exp2(-highest)
    rows = np.arange(len(hits.query)) if k is None else np.flatnonzero(hits.first < k)
    stop, starts = stops[hits.code[rows]], _heads(hits.query[rows])
    goes_on = np.empty_like(stop)
    goes_on[1:] = 1.0 - stop[:-1]
    goes_on[starts] = 1.0
    reached = _running(np.multiply, starts, goes_on)
    figures = ranked.sums(rows, stop * reached / (hits.first[rows] + 1))
    return np.where(ranked.judged_as(ranked.grades > highest) > 0, np.nan, figures)


def rank_biased_precision(ranked: Ranked, threshold: float, persistence: float) -> Floats:
    """RBP: (1 - p) times the sum of p^(rank - 1) over the relevant documents; cwl_eval's RBP.

    Moffat & Zobel (2008), ACM TOIS 27(1); p, the persistence, lies between 0 and 1.
    """
    return _weight(ranked, ranked.relevant_hits(threshold), persistence)


def rank_biased_residual(ranked: Ranked, persistence: float) -> Floats:
    """How much RBP would rise if all that is not judged, and all beyond the end, were relevant.

    Moffat & Zobel (2008). All ranks of an endless list weigh 1 together, so it is 1 less the weight
    of the judged. A document's second appearance, which nothing can make relevant, is in it.
    """
    judged = _weight(ranked, np.arange(len(ranked.hits.query)), persistence)
    return np.maximum(1.0 - judged, 0.0)


def _weight(ranked: Ranked, rows: Ints, persistence: float) -> Floats:
    """Sum of the weights that RBP gives the ranks of these hits, for each query."""
    longest = int(ranked.hits.first.max(initial=0)) + 1
    weights = (1.0 - persistence) * np.power(persistence, np.arange(longest, dtype=np.float64))
    return ranked.sums(rows, weights[ranked.hits.first[rows]])


def judged_share(ranked: Ranked, k: int | None) -> Floats:
    """judged@k: share of the first k, or of fewer where fewer are returned, that is judged.

    This is Judged of ir_measures.
    """
    first = ranked.hits.first
    rows = np.arange(len(first)) if k is None else np.flatnonzero(first < k)
    returned = ranked.returned if k is None else np.minimum(ranked.returned, k)
    return _shares(ranked.sums(rows), returned)


def binary_preference(ranked: Ranked, threshold: float) -> Floats:
    """bpref: how few of the documents judged not relevant stand above the relevant ones.

    Buckley & Voorhees (2004), SIGIR, as trec_eval computes it: with R relevant and N judged not
    relevant, each relevant document returned adds 1 - min(n, R) / min(N, R), where n of the N stand
    above it, and the sum is divided by R. A document judged below 0 is, as there, not judged.
    """
    hits, grades = ranked.hits, ranked.grades
    irrelevant = (grades >= 0) & (grades < threshold)
    of_relevant = ranked.judged_as(grades >= threshold)
    rows = ranked.relevant_hits(threshold)
    query = hits.query[rows]
    above = _so_far(hits.query, irrelevant[hits.code])[rows]
    relevant, pairs = of_relevant[query], np.minimum(ranked.judged_as(irrelevant), of_relevant)
    lost = _shares(np.minimum(above, relevant), pairs[query])
    return _shares(ranked.sums(rows, 1.0 - lost), of_relevant)


def q_measure(ranked: Ranked, gains: Floats, beta: float) -> Floats:
    """Q-measure: Sakai (2004), NTCIR-4, as pyNTCIREVAL computes it without a cutoff.

    The sum of (relevant so far + beta x gain so far) / (rank + beta x ideal gain so far) over the
    documents returned with a grade above 0, over the number of all of these. The ideal is that of
    all judged documents; ``gains``, (C,), are finite. NaN where gains are too large to be added up.
    """
    hits, relevant = ranked.hits, ranked.grades > 0
    rows = np.flatnonzero(relevant[hits.code])
    query, rank = hits.query[rows], hits.first[rows] + 1
    with np.errstate(over="ignore", invalid="ignore"):
        gain = _running(np.add, _heads(hits.query), gains[hits.code])[rows]
        ideal = _ideal_gain(ranked.judged, gains, query, rank)
        blended = (_numbered(query) + beta * gain) / (rank + beta * ideal)
        figures = _shares(ranked.sums(rows, blended), ranked.judged_as(relevant))
    return np.where(np.isfinite(figures), figures, np.nan)


def _ideal_gain(judged: Groups, gains: Floats, query: Ints, rank: Ints) -> Floats:
    """Gain of the best ``rank`` judged documents of a query, for each of some pairs of the two."""
    gain = gains[judged.code]
    order = np.lexsort((-gain, judged.query))
    of, gain, count = judged.query[order], gain[order], judged.count[order]
    starts = _heads(of)
    upto = _running(np.add, starts, gain * count)
    ends = np.cumsum(count)
    ends = ends - _spread(starts, (ends - count)[starts], len(ends))
    # Groups and pairs on one line: a query has as much of it as the deepest of either needs.
    room = int(max(ends.max(initial=0), rank.max(initial=0))) + 1
    line = of.astype(np.int64) * room + ends
    place = np.searchsorted(line, query.astype(np.int64) * room + rank)
    # Beyond the last judged document lies the next query's first group, or nothing.
    place = np.minimum(place, len(line) - 1)
    place -= of[place] != query
    short: Floats = np.maximum(ends[place] - rank, 0) * gain[place]
    return upto[place] - short


def _heads(query: Ints) -> Ints:
    """The first row of each run of one query."""
    heads = np.ones(len(query), dtype=bool)
    np.not_equal(query[1:], query[:-1], out=heads[1:])
    return np.flatnonzero(heads)


def _spread(starts: Ints, values: Ints, rows: int) -> Ints:
    """The value of each run, on every one of its rows."""
    return np.repeat(values, np.diff(starts, append=rows))


def _numbered(query: Ints) -> Ints:
    """Number of each row within its run of one query, from 1."""
    starts = _heads(query)
    return np.arange(1, len(query) + 1) - _spread(starts, starts, len(query))


def _so_far(query: Ints, these: Bools) -> Ints:
    """How many rows from the first of a run to each row are marked in ``these``."""
    starts, upto = _heads(query), np.cumsum(these)
    return upto - _spread(starts, (upto - these)[starts], len(upto))


def _running(ufunc: np.ufunc, starts: Ints, values: Floats) -> Floats:
    """Running sums or products within each run, which begin at ``starts``.

    Runs about as long are laid out as rows of one matrix: the difference of two sums over the runs
    before would lose the digits of a run that has small values.
    """
    sizes = np.diff(starts, append=len(values))
    widths = np.exp2(np.ceil(np.log2(sizes))).astype(np.int64)
    out = np.empty_like(values)
    for width in np.unique(widths):
        chosen, columns = np.flatnonzero(widths == width), np.arange(width)
        inside = columns < sizes[chosen, None]
        rows = (starts[chosen, None] + columns)[inside]
        block = np.zeros(inside.shape)
        block[inside] = values[rows]
        out[rows] = ufunc.accumulate(block, axis=1)[inside]
    return out


def _shares(part: Ints | Floats, whole: Ints | Floats) -> Floats:
    """Part over whole, 0 where there is no whole."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
