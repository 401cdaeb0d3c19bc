"""The measures beside nDCG: their names, and their figures for a ranking of an evaluation.

All measures of a table are means over the same queries: those that nDCG counts under the options.
They also follow the options' cutoff, order, and whether unjudged documents are removed; the gain is
that of the options wherever there is one. The other options concern nDCG alone: a query without
relevant documents that counts as 1 there has its own figure here, mostly 0.

Averaged ties, and the worst order of ties, are for nDCG and DCG; the others need one order, and
take ties by document id descending, as trec_eval does. Their name then says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.wording import counted
from ndcg_desktop.scoring import companions
from ndcg_desktop.scoring.companions import Ranked
from ndcg_desktop.scoring.ndcg import Hits, Scores, Status, condensed, score
from ndcg_desktop.scoring.options import WORDS, Options, OptionsError

Floats = NDArray[np.float64]

SHARING = ("ties-averaged", "ties-worst")
"""Orders in which documents share places, which not every measure can be taken of."""


@dataclass(frozen=True, slots=True)
class MeasureSettings:
    """What the measures need beside the options. Raises OptionsError for what none can be under.

    ``relevant`` is the least grade of a relevant document. ``persistence`` is p of RBP, ``beta``
    that of Q-measure. ``highest`` is the highest grade of ERR's scale; None is that of the
    evaluation's own, which `settled` finds.
    """

    relevant: float = 1.0
    persistence: float = 0.8
    beta: float = 1.0
    highest: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.relevant < math.inf:
            raise OptionsError(
                f"The least relevant grade is {self.relevant:g}; it must be a number from 0 on, "
                "since a grade below 0 is never relevant."
            )
        if not 0 < self.persistence < 1:
            raise OptionsError(
                f"The persistence p is {self.persistence:g}; it must lie between 0 and 1."
            )
        if not 0 <= self.beta < math.inf:
            raise OptionsError(f"Beta is {self.beta:g}; it must be a number from 0 on.")
        if self.highest is not None and not 0 < self.highest < math.inf:
            raise OptionsError(
                f"The highest grade of the scale is {self.highest:g}; it must be above 0."
            )


DEFAULT = MeasureSettings()


@dataclass(frozen=True, slots=True)
class _Part:
    """One ranking of an evaluation: all its queries, or the one that is named, numbered 0."""

    evaluation: Evaluation
    ranking: int
    query: int | None
    settings: MeasureSettings

    @property
    def options(self) -> Options:
        """What the ranking is scored under."""
        return self.evaluation.options

    @property
    def returned(self) -> NDArray[np.int64]:
        """The number of documents returned."""
        returned = self.evaluation.rankings[self.ranking].returned
        return returned if self.query is None else returned[self.query : self.query + 1]

    @property
    def scores(self) -> Scores:
        """The scores under the options."""
        if self.query is None:
            return self.evaluation.scores(self.ranking)
        return self.evaluation.score_query(self.ranking, self.query)

    def hits(self, averaged: bool) -> Hits:
        """The judged documents in the options' order, or with averaged ties broken."""
        order = self.options.order
        if order in SHARING and not averaged:
            order = "score"
        ranking = self.evaluation.rankings[self.ranking]
        if self.query is not None:
            return ranking.hits_of_query(order, self.query)
        if order == self.options.order:
            return self.evaluation.all_hits(self.ranking)
        return ranking.hits(order)

    @property
    def whole(self) -> Ranked:
        """The ranking as it was returned."""
        judgments = self.evaluation.judgments
        judged = judgments.groups() if self.query is None else judgments.groups_of_query(self.query)
        return Ranked(self.hits(False), judged, np.array(judgments.values), self.returned)

    @property
    def ranked(self) -> Ranked:
        """The ranking, without its unjudged documents where the options remove them."""
        whole = self.whole
        if self.options.unjudged == "zero":
            return whole
        hits = condensed(whole.hits)
        return replace(whole, hits=hits, returned=np.bincount(hits.query, minlength=whole.queries))

    @property
    def condensed_scores(self) -> Scores:
        """The scores under the same options with unjudged documents removed."""
        if self.options.unjudged == "remove":
            return self.scores
        hits, judged = self.evaluation.placed(self.hits(True), remove=True), self.whole.judged
        return score(
            hits,
            judged,
            self.evaluation.ideal_from(hits, judged, self.query),
            self.evaluation.gains,
            self.returned,
            replace(self.options, unjudged="remove"),
        )


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure by its key.

    ``parameters`` are those that its name shows, in order: "rel", the least relevant grade; "gain",
    which is the options'; "p", "beta" and "max_rel", the highest grade.
    """

    key: str
    figures: Callable[[_Part], Floats] = field(repr=False, compare=False)
    has_cutoff: bool = False
    parameters: tuple[str, ...] = ()

    @property
    def uses_threshold(self) -> bool:
        """Whether only relevant and not relevant matters, so that the threshold is to be shown."""
        return "rel" in self.parameters

    @property
    def uses_gain(self) -> bool:
        """Whether it reads the options' gain."""
        return "gain" in self.parameters


# ---- figures


def _ndcg(scores: Scores) -> Floats:
    return np.where(scores.status == Status.IDEAL_TOO_LOW, np.nan, scores.value)


def _err(part: _Part) -> Floats:
    highest = settled(part.evaluation, part.settings).highest
    assert highest is not None
    return companions.expected_reciprocal_rank(part.ranked, highest, part.options.cutoff)


def _q(part: _Part) -> Floats:
    gains = part.evaluation.gains
    finite = np.where(np.isfinite(gains), gains, 0.0)
    return companions.q_measure(part.ranked, finite, part.settings.beta)


def _rbp(part: _Part) -> Floats:
    settings = part.settings
    return companions.rank_biased_precision(part.ranked, settings.relevant, settings.persistence)


def _cut(function: Callable[[Ranked, float, int | None], Floats]) -> Callable[[_Part], Floats]:
    """The figures of a measure with threshold and cutoff."""
    return lambda part: function(part.ranked, part.settings.relevant, part.options.cutoff)


def _uncut(function: Callable[[Ranked, float], Floats]) -> Callable[[_Part], Floats]:
    """The figures of a measure with a threshold, over the whole ranking."""
    return lambda part: function(part.ranked, part.settings.relevant)


MEASURES = {
    measure.key: measure
    for measure in (
        Measure("nDCG", lambda part: _ndcg(part.scores), True, ("gain",)),
        Measure("nDCG'", lambda part: _ndcg(part.condensed_scores), True, ("gain",)),
        Measure("DCG", lambda part: part.scores.dcg, True, ("gain",)),
        Measure("P", _cut(companions.precision), True, ("rel",)),
        Measure("R", _cut(companions.recall), True, ("rel",)),
        Measure("Success", _cut(companions.success), True, ("rel",)),
        Measure("RR", _uncut(companions.reciprocal_rank), False, ("rel",)),
        Measure("AP", _uncut(companions.average_precision), False, ("rel",)),
        Measure("ERR", _err, True, ("max_rel",)),
        Measure("RBP", _rbp, False, ("p", "rel")),
        Measure("Q", _q, False, ("beta", "gain")),
        Measure("Bpref", _uncut(companions.binary_preference), False, ("rel",)),
        Measure(
            "Judged", lambda part: companions.judged_share(part.whole, part.options.cutoff), True
        ),
    )
}
"""By key. "nDCG'" is nDCG of the condensed list, from which unjudged documents are removed."""


def settled(evaluation: Evaluation, settings: MeasureSettings) -> MeasureSettings:
    """The settings with the highest grade of the scale: the declared or the highest one seen,
    whichever is higher, where none is given.
    """
    if settings.highest is not None:
        return settings
    seen = evaluation.judgments.grade
    highest = max(evaluation.judgments.scale().max(), seen[~np.isnan(seen)].max(initial=0.0))
    return replace(settings, highest=float(highest) or 1.0)


def values(
    evaluation: Evaluation,
    ranking: int,
    measure: Measure,
    settings: MeasureSettings = DEFAULT,
    query: int | None = None,
) -> Floats:
    """A measure of every query, (Q,), unrounded; of one query alone, (1,), where it is named.

    NaN where there is no figure: the query has no judgment; or a gain of it cannot be computed and
    the measure needs gains; or, for ERR, a grade of it is above the highest that was given.
    """
    part = _Part(evaluation, ranking, query, settings)
    figures, status = measure.figures(part), part.scores.status
    none = status == Status.UNJUDGED
    if measure.uses_gain:
        none |= status == Status.REFUSED
    return np.where(none, np.nan, figures)


def residuals(
    evaluation: Evaluation,
    ranking: int,
    settings: MeasureSettings = DEFAULT,
    query: int | None = None,
) -> Floats:
    """How much each query's RBP may rise, (Q,) or (1,); NaN where the query has no judgment."""
    part = _Part(evaluation, ranking, query, settings)
    figures = companions.rank_biased_residual(part.ranked, settings.persistence)
    return np.where(part.scores.status == Status.UNJUDGED, np.nan, figures)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean and the number of queries in it; None where there is none."""

    value: float | None
    n: int


def mean(
    evaluation: Evaluation,
    ranking: int,
    measure: Measure,
    settings: MeasureSettings = DEFAULT,
) -> Mean:
    """The mean over the queries that nDCG counts. A query without a figure is left out of it, so n
    is then less than that of nDCG.
    """
    return mean_of(evaluation, ranking, values(evaluation, ranking, measure, settings))


def mean_of(evaluation: Evaluation, ranking: int, figures: Floats) -> Mean:
    """The mean of some figures, (Q,), over the queries that nDCG counts and that have one."""
    there = figures[counted(evaluation, ranking) & ~np.isnan(figures)]
    return Mean(float(there.mean()) if len(there) else None, len(there))


# ---- names

_WITHOUT_CUTOFF = {"P": "SetP", "R": "SetR"}
"""What ir_measures calls these of the whole ranking."""


def measure_name(measure: Measure, options: Options, settings: MeasureSettings = DEFAULT) -> str:
    """The measure with all its parameters, in ir_measures' notation or after its manner.

    ``settings`` should be `settled`, or the highest grade is only said to be that of the scale.
    """
    cutoff = options.cutoff if measure.has_cutoff else None
    key = "nDCG" if measure.key == "nDCG'" else measure.key
    if cutoff is None:
        key = _WITHOUT_CUTOFF.get(key, key)
    said = [_parameter(name, measure, options, settings) for name in measure.parameters]
    if measure.key == "nDCG'" or (options.unjudged == "remove" and measure.key != "Judged"):
        said.append("judged_only=True")
    inside = ", ".join(filter(None, said))
    name = key + (f"({inside})" if inside else "") + ("" if cutoff is None else f"@{cutoff}")
    averages = measure.key in ("nDCG", "nDCG'", "DCG")
    if options.order in SHARING and not averages:
        name += ", " + WORDS["order"]["score"]
    return name


def _parameter(name: str, measure: Measure, options: Options, settings: MeasureSettings) -> str:
    """A parameter as "name=value"; empty for the linear gain, where ir_measures leaves it out."""
    if name == "gain":
        gain = replace(options, cutoff=None).measure.removeprefix("nDCG").strip("()")
        # No tool's notation says what the gain of Q-measure is when nothing is said.
        return gain or ("gain='linear'" if measure.key == "Q" else "")
    if name == "max_rel" and settings.highest is None:
        return "max_rel=scale"
    value = {
        "rel": settings.relevant,
        "p": settings.persistence,
        "beta": settings.beta,
        "max_rel": settings.highest,
    }[name]
    return f"{name}={value:g}"
