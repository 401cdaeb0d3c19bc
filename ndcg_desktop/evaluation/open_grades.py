"""What is certain while documents are unjudged: of each query's nDCG, of the mean, of a difference.

All ranges are over every grade that the blanks, the unjudged documents returned in the top k, may
turn out to have. A blank that is judged takes its place in the ranking, so they are of the whole
list also where unjudged documents are left out of the score.

A difference is paired by query: a query counts in its mean where it counts in both rankings. The
two share one ideal, which the blanks of both add to. Under an ideal from the returned only each has
its own, as it has where the ideal is cut at what each returns and that differs; one range less the
other is then all that is said; it is exact where no blank is in both. The same is said of a query
whose given ideal may turn out to be too low.

Ranges are of figures before they are rounded, and while tied documents keep the order that they
have now, also where the options say that they are rounded, or that grades decide among ties.

A query without a judgment counts as soon as one of its blanks is graded, and not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.blanks import NOWHERE, Blanks, blanks, returned_by
from ndcg_desktop.scoring.bounds import (
    ROUNDING,
    Bounds,
    MeanRange,
    bounds,
    bounds_of_fixed_ideal,
    counting,
    difference_bounds,
    mean_range,
)
from ndcg_desktop.scoring.discount import cumulative, discount, ideal_discount
from ndcg_desktop.scoring.gain import gain
from ndcg_desktop.scoring.ndcg import Groups, Status, dcg, ideal_dcg, ideal_reach
from ndcg_desktop.scoring.options import Options

if TYPE_CHECKING:
    from ndcg_desktop.evaluation.evaluation import Evaluation

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.integer]

LARGE_UNIT = 2.0**-512
"""What large gains are measured in for bounds, which are ratios: sums of them are then finite."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The nDCG of one ranking less that of another: the range of each query's, and of the mean."""

    queries: Bounds
    """``defined`` where the query may count in both; lower = upper = 0.0 elsewhere."""
    mean: MeanRange | None
    """None where no query can count in both."""
    exact: bool
    """Whether both ends of every range are reached; else they are certain, but perhaps too wide."""
    certain: bool = True
    """Whether the figures are as shown: not so before rounding, or while ties may change."""

    @property
    def winner_settled(self) -> Literal["a", "b", "tie"] | None:
        """Whose mean is higher whatever the blanks turn out to be; None while that is open.

        A tie is settled where the means are equal whatever the blanks turn out to be.
        """
        if self.mean is None or not self.certain:
            return None
        if self.mean.lower > ROUNDING:
            return "a"
        if self.mean.upper < -ROUNDING:
            return "b"
        return "tie" if max(-self.mean.lower, self.mean.upper) <= ROUNDING else None


@dataclass(frozen=True, slots=True)
class Judged:
    """Judged documents that an ideal is built from, counted by query and gain, shape (G,)."""

    query: Ints
    gain: Floats
    count: Ints


@dataclass(frozen=True, slots=True)
class OpenQueries:
    """Q queries under one ranking, or two (R = 1, 2): what is judged of them, and B blanks.

    Of two rankings ``ideals`` are two only where each has its own; ``held``, (R, B), then says
    whose ideal a blank adds to. ``weight``, (R, B), is a blank's discount, 0 where a ranking does
    not have it in the top k. ``given``, (R, Q), is the ideal DCG where it is given. ``gains`` are
    those of the grades of the scale, ``upto`` the sums of the first discounts of the ideal, ending
    where it is cut; ``reach``, (R, Q), where each query's is.
    """

    options: Options
    gains: Floats
    upto: Floats
    blank_query: Ints
    weight: Floats
    held: Bools
    dcg: Floats
    ideals: tuple[Judged, ...]
    given: Floats | None
    absent: Bools
    refused: Bools
    unjudged: Bools
    reach: Ints | None = None

    def ratios(self, ranking: int) -> Bounds:
        """Range of one ranking's nDCG over the assignments whose ideal is above 0."""
        if self.given is not None:
            return self._of_given_ideal(
                self.given[ranking], self.weight[ranking], self.dcg[ranking]
            )
        judged = self.ideals[ranking if len(self.ideals) > 1 else 0]
        held = self.held[ranking]
        return bounds(
            self.blank_query[held],
            self.weight[ranking, held],
            self.dcg[ranking],
            judged.query,
            judged.gain,
            judged.count,
            self.gains,
            self.upto,
            reach=None if self.reach is None else self.reach[ranking],
        )

    def counted(self) -> Bounds:
        """Range of each query's nDCG, or difference, as it may count in a mean."""
        if len(self.dcg) == 1:
            return self._as_counted(self.ratios(0), self.absent[0], self._undefined)
        if len(self.ideals) > 1:
            return self._separate()
        absent = self.absent[0] | self.absent[1]
        # What is undefined is so in both, and counts as the same in both.
        ranges = self._as_counted(self._shared(), absent, self._undefined * 0.0)
        doubtful = self._too_low()[1]
        if not doubtful.any():
            return ranges
        apart = self._separate()
        return Bounds(
            np.where(doubtful, apart.lower, ranges.lower),
            np.where(doubtful, apart.upper, ranges.upper),
            np.where(doubtful, apart.defined, ranges.defined),
            np.where(doubtful, apart.certain, ranges.certain),
        )

    @property
    def exact(self) -> bool:
        """Whether the ranges of `counted` are reached at both ends."""
        if len(self.ideals) > 1:
            return not bool(self.held.all(axis=0).any())
        return not bool(self._too_low()[1].any())

    @property
    def _undefined(self) -> float:
        """What a query counts as where its ideal is 0, NaN where it is left out."""
        return {"skip": np.nan, "zero": 0.0, "one": 1.0}[self.options.undefined]

    def _shared(self) -> Bounds:
        """Range of the first ranking's nDCG less the second's, under one ideal."""
        weight, sums = self.weight[0] - self.weight[1], self.dcg[0] - self.dcg[1]
        if self.given is not None:
            return self._of_given_ideal(self.given[0], weight, sums)
        (judged,) = self.ideals
        query, gains, count = judged.query, judged.gain, judged.count
        reach = None if self.reach is None else self.reach[0]
        return difference_bounds(
            self.blank_query, weight, sums, query, gains, count, self.gains, self.upto, reach
        )

    def _separate(self) -> Bounds:
        """Range of the first ranking's nDCG less that of the second's, which are certain."""
        first, second = (
            self._as_counted(self.ratios(number), self.absent[number], self._undefined)
            for number in (0, 1)
        )
        defined = first.defined & second.defined
        return Bounds(
            np.where(defined, first.lower - second.upper, 0.0),
            np.where(defined, first.upper - second.lower, 0.0),
            defined,
            first.certain & second.certain,
        )

    def _of_given_ideal(self, ideal: Floats, weight: Floats, sums: Floats) -> Bounds:
        return bounds_of_fixed_ideal(self.blank_query, weight, sums, ideal, self.gains)

    def _as_counted(self, ratios: Bounds, absent: Bools, undefined: float) -> Bounds:
        """Ranges as the options and the state of each query let it count in a mean."""
        if self.options.ideal_needs_returned:
            # Without an ideal of its own, what is absent is that, and not undefined.
            ratios = replace(
                ratios, defined=ratios.defined | absent, certain=ratios.certain | absent
            )
        ranges = counting(ratios, np.full(len(absent), undefined))
        if self.options.missing == "skip":
            ranges = _without_ratios(ranges, ratios, absent, undefined)
        never, perhaps = self._too_low()
        blank = np.bincount(self.blank_query, minlength=len(absent)) > 0
        never |= self.refused | (self.unjudged & ~blank)
        defined = ranges.defined & ~never
        return Bounds(
            np.where(defined, ranges.lower, 0.0),
            np.where(defined, ranges.upper, 0.0),
            defined,
            ranges.certain & defined & ~perhaps & ~self.unjudged,
        )

    def _too_low(self) -> tuple[Bools, Bools]:
        """Where the ideal that is given is too low for a ranking: always; perhaps. (Q,) each."""
        never = np.zeros((2, self.dcg.shape[1]), dtype=np.bool_)
        if self.given is None:
            return never[0], never[1]
        for weight, sums, given in zip(self.weight, self.dcg, self.given, strict=True):
            open_ = np.bincount(self.blank_query, weight, minlength=len(sums))
            for row, each in zip(never, (self.gains.min(), self.gains.max()), strict=True):
                row |= (given > 0) & ((sums + open_ * each) * (1 - ROUNDING) > given)
        return never[0], never[1]


def _without_ratios(ranges: Bounds, ratios: Bounds, where: Bools, undefined: float) -> Bounds:
    """Ranges that, in some queries, only assignments with an ideal of 0 count in."""
    barren = ~ratios.certain & ~np.isnan(undefined)
    value = np.where(barren, undefined, 0.0)
    return Bounds(
        np.where(where, value, ranges.lower),
        np.where(where, value, ranges.upper),
        np.where(where, barren, ranges.defined),
        np.where(where, barren & ~ratios.defined, ranges.certain),
    )


# ---- one ranking


def query_bounds(evaluation: Evaluation, ranking: int, query: int | None = None) -> Bounds:
    """Range of each query's nDCG, or of one query's, whether or not it counts in a mean."""
    queries = open_queries(evaluation, blanks(evaluation, [ranking], query), [ranking], query)
    absent = queries.absent[0]
    other = absent & (queries.unjudged | evaluation.options.ideal_needs_returned)
    undefined = {"skip": np.nan, "zero": 0.0, "one": 1.0}[evaluation.options.undefined]
    return counting(queries.ratios(0), np.where(other, np.nan, undefined))


def mean_bounds(evaluation: Evaluation, ranking: int = 0) -> MeanRange | None:
    """Range of a ranking's mean; None where no query can count."""
    found = blanks(evaluation, [ranking])
    return mean_range(open_queries(evaluation, found, [ranking]).counted())


# ---- two rankings


def difference(evaluation: Evaluation, a: int, b: int) -> Difference:
    """Range of the nDCG of ranking a less that of ranking b."""
    found = blanks(evaluation, [a, b])
    queries = open_queries(evaluation, found, [a, b])
    ranges = queries.counted()
    certain = as_shown(evaluation.options)
    return Difference(ranges, mean_range(ranges), queries.exact and certain, certain)


def as_shown(options: Options) -> bool:
    """Whether ranges are of the very figures that are shown."""
    return options.rounding == "none" and options.order != "ties-worst"


# ---- names become numbers


def open_queries(
    evaluation: Evaluation, found: Blanks, rankings: Sequence[int], query: int | None = None
) -> OpenQueries:
    """What is judged of these rankings, and these blanks; of one query, numbered 0, where named."""
    options, judgments = evaluation.options, evaluation.judgments
    tables = [evaluation.rankings[number] for number in rankings]
    which = slice(None) if query is None else slice(query, query + 1)
    judged = judgments.groups() if query is None else judgments.groups_of_query(query)
    hits = [
        evaluation.placed(
            evaluation.all_hits(number)
            if query is None
            else evaluation.rankings[number].hits_of_query(options.order, query),
            remove=False,
        )
        for number in rankings
    ]
    returned = np.array([table.returned[which] for table in tables])
    total = returned.shape[1]
    reach = ideal_reach(returned.astype(np.int64), options)
    apart = options.ideal == "returned" or (reach is not None and bool(np.ptp(reach, axis=0).any()))
    ideals = [evaluation.ideal_from(each, judged, query) for each in (hits if apart else hits[:1])]
    longest = max(_longest(each, total) for each in ideals)
    most = longest + int(returned.max(axis=1, initial=0).sum()) + 1
    discounts, ideal_discounts = discount(most, options), ideal_discount(most, options)
    gains, scale = _gains(evaluation)
    held = np.ones(found.first.shape, dtype=np.bool_)
    if options.ideal == "returned" and len(rankings) > 1:
        held = np.array([returned_by(evaluation, number, found) for number in rankings])
    given = None
    if evaluation.uses_given_ideal:
        cuts = [None] * len(rankings) if reach is None else list(reach)
        sums = [ideal_dcg(ideals[0], gains, ideal_discounts, total, each) for each in cuts]
        given = np.array(sums)
    return OpenQueries(
        options=options,
        gains=scale,
        upto=_until_cut(cumulative(ideal_discounts), options),
        blank_query=found.query if query is None else np.zeros_like(found.query),
        weight=_weights(found, cumulative(discounts)),
        held=held,
        dcg=np.array([dcg(each, gains, discounts, total) for each in hits]),
        ideals=tuple(Judged(each.query, gains[each.code], each.count) for each in ideals),
        given=given,
        absent=returned == 0,
        refused=_refused(evaluation, rankings, query),
        unjudged=np.bincount(judged.query, minlength=total) == 0,
        reach=reach,
    )


def _until_cut(upto: Floats, options: Options) -> Floats:
    """Sums of the discounts of the ideal, ending at k where it is cut there."""
    if options.cutoff is None or options.ideal_cut == "none":
        return upto
    return upto[: options.cutoff + 1]


def _longest(ideal: Groups, queries: int) -> int:
    return int(np.bincount(ideal.query, ideal.count, minlength=queries).max(initial=0))


def _weights(found: Blanks, upto: Floats) -> Floats:
    """Discount of each blank in each ranking, the mean of those of the places it shares."""
    there = found.first != NOWHERE
    size = np.where(there, found.last - found.first, 1)
    weight: Floats = np.where(there, upto[found.last] - upto[found.first], 0.0) / size
    return weight


def _refused(evaluation: Evaluation, rankings: Sequence[int], query: int | None) -> Bools:
    """Where a gain cannot be computed, whatever the blanks turn out to be."""
    scores = [
        evaluation.scores(number) if query is None else evaluation.score_query(number, query)
        for number in rankings
    ]
    refused: Bools = np.any([each.status == Status.REFUSED for each in scores], axis=0)
    return refused


def _gains(evaluation: Evaluation) -> tuple[Floats, Floats]:
    """The gain of each grade code and of each grade that a blank may get, in any one unit.

    A gain table is a declared scale. A gain that is refused counts as 0: so does its query.
    """
    options = evaluation.options
    gains = np.where(np.isfinite(evaluation.gains), evaluation.gains, 0.0)
    if options.gain == "table":
        scale = np.array([each for _, each in options.gain_table], dtype=np.float64)
    else:
        scale = gain(evaluation.judgments.scale(), options)
        scale = scale[np.isfinite(scale)]
    largest = max(gains.max(initial=0.0), scale.max(initial=0.0))
    unit = LARGE_UNIT if largest > 1 / LARGE_UNIT else 1.0
    return gains * unit, scale * unit
