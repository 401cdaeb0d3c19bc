"""Why two tools differ, and which settings give a number that another tool gave.

All of it is for one query, or for the mean where no query is named, in one ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ranking import Ranking
from ndcg_desktop.scoring.conventions import BOTH, CONVENTIONS
from ndcg_desktop.scoring.ndcg import Groups, Hits, Scores, Status, counted_as, score
from ndcg_desktop.scoring.options import WORDS, Options

OWN = "these settings"

STEPS: dict[str, tuple[str, ...]] = {
    "gain": ("gain", "gain_table"),
    "cutoff": ("cutoff",),
    "discount": ("discount", "discount_base"),
    "ideal": ("ideal",),
    "ideal_cut": ("ideal_cut",),
    "order": ("order",),
    "unjudged": ("unjudged",),
    "undefined": ("undefined",),
    "missing": ("missing",),
    "rounding": ("rounding",),
}
"""What options are changed one after the other on the way from one tool to another."""

CUTOFFS = range(1, 21)
"""Those that a number is looked for at, besides the present one and none."""

DISCOUNTS = (("log2", 2.0), ("base", 2.0), ("base", 10.0), ("reciprocal", 2.0))

EQUAL = 1e-12
"""Rounding of sums, by which a figure may miss the half that it is rounded at."""


@dataclass(frozen=True, slots=True)
class ToolScore:
    """What one tool makes of a query or the mean; ``value`` is None where that is nothing.

    ``version`` and ``about`` are the convention's, empty for the present settings.
    """

    name: str
    version: str
    about: str
    options: Options
    value: float | None


@dataclass(frozen=True, slots=True)
class Step:
    """One option changed: ``words`` say it before and after, ``part`` is what that adds.

    A figure is None where there is none; it then adds nothing that could be told.
    """

    name: str
    words: tuple[str, str]
    before: float | None
    after: float | None

    @property
    def part(self) -> float | None:
        """What the change adds to the figure."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Match:
    """Settings that give the number that was typed.

    ``changes`` say in words what differs from the present settings and bears on the figure;
    ``tools`` are those that have these settings.
    """

    options: Options
    value: float
    changes: tuple[str, ...]
    tools: tuple[str, ...]


class Figures:
    """The figures of a query, or of the mean, under any options; what they share is made once."""

    def __init__(self, evaluation: Evaluation, ranking: int, query: int | None) -> None:
        self._evaluation, self._number, self._query = evaluation, ranking, query
        self._table = evaluation.rankings[ranking]
        self._judged = (
            evaluation.judgments.groups()
            if query is None
            else evaluation.judgments.groups_of_query(query)
        )
        which = slice(None) if query is None else slice(query, query + 1)
        self._returned = self._table.returned[which]
        self._disjoint = evaluation.disjoint(ranking)
        self._scores: dict[Options, Scores] = {}
        self._hits: dict[tuple[object, ...], Hits] = {}
        self._ideals: dict[tuple[object, ...], Groups] = {}

    def value(self, options: Options) -> float | None:
        """The figure under these options, None where there is none."""
        scores = self.scores(options)
        if self._disjoint:
            return None
        if self._query is None:
            return scores.mean
        return float(scores.value[0]) if scores.counted[0] else None

    def scores(self, options: Options) -> Scores:
        """The scores under these options, of one query alone where one is named."""
        floors = options.rounding == "floored-terms"
        sums = replace(
            options,
            undefined="skip",
            missing="skip",
            rounding="floored-terms" if floors else "none",
        )
        if sums not in self._scores:
            self._scores[sums] = self._scored(sums)
        return counted_as(self._scores[sums], options)

    def _scored(self, options: Options) -> Scores:
        other = self._evaluation.under(options)
        hits = self._placed(other)
        ideal = self._ideal(other, hits)
        return score(hits, self._judged, ideal, other.gains, self._returned, options)

    def _placed(self, other: Evaluation) -> Hits:
        options = other.options
        gain = (options.gain, options.gain_table) if options.order == "ties-worst" else ()
        key = (options.order, options.unjudged, gain)
        if key not in self._hits:
            hits = (
                other.all_hits(self._number)
                if self._query is None
                else self._table.hits_of_query(options.order, self._query)
            )
            self._hits[key] = other.placed(hits)
        return self._hits[key]

    def _ideal(self, other: Evaluation, hits: Hits) -> Groups:
        options = other.options
        by_hits = (options.order, options.unjudged) if options.ideal == "returned" else ()
        key = (options.ideal, by_hits)
        if key not in self._ideals:
            self._ideals[key] = other.ideal_from(hits, self._judged, self._query)
        return self._ideals[key]


# ---- what each tool gives


def under_conventions(evaluation: Evaluation, ranking: int, query: int | None) -> list[ToolScore]:
    """The figure under the present settings, then under every convention at the same cutoff."""
    figures, own = Figures(evaluation, ranking, query), evaluation.options
    found = [ToolScore(OWN, "", "", own, figures.value(own))]
    for each in CONVENTIONS.values():
        options = each.apply(own)
        value = figures.value(options)
        found.append(ToolScore(each.name, each.version, each.about, options, value))
    return found


# ---- from one to another


def steps_between(
    evaluation: Evaluation, ranking: int, query: int | None, a: Options, b: Options
) -> list[Step]:
    """The options changed one at a time from a to b, in the order of STEPS.

    The parts add up to the difference. Each depends on what was changed before it, so another
    order would share the difference out otherwise; this one is always the same.
    """
    figures, table = Figures(evaluation, ranking, query), evaluation.rankings[ranking]
    a, b = _resolved(a, table), _resolved(b, table)
    found, now, before = [], a, figures.value(a)
    for name in _differing(a, b):
        then = _with(now, {field: getattr(b, field) for field in STEPS[name]})
        after = figures.value(then)
        found.append(Step(name, (words_of(name, now), words_of(name, then)), before, after))
        now, before = then, after
    return found


def words_of(name: str, options: Options) -> str:
    """One of the options of STEPS in words."""
    if name == "cutoff":
        return "no cutoff" if options.cutoff is None else f"k = {options.cutoff}"
    if name == "discount":
        return options.discount_words
    if name == "gain" and options.gain == "table":
        pairs = ", ".join(f"{grade:g}={gain:g}" for grade, gain in options.gain_table)
        return f"{WORDS['gain']['table']} {pairs}"
    return WORDS[name][getattr(options, name)]


def _differing(a: Options, b: Options) -> list[str]:
    return [
        name
        for name, fields in STEPS.items()
        if any(getattr(a, field) != getattr(b, field) for field in fields)
    ]


def _resolved(options: Options, table: Ranking) -> Options:
    """The options without what makes no difference whatever the grades are."""
    options = replace(options, order=table.resolve(options.order))
    if options.gain != "table":
        options = replace(options, gain_table=())
    if options.discount != "base":
        options = replace(options, discount_base=Options().discount_base)
    if options.cutoff is None and options.ideal_cut == "none":
        options = replace(options, ideal_cut="k")
    return options


# ---- "my other tool says"


def explaining(
    evaluation: Evaluation, ranking: int, query: int | None, value: float, decimals: int
) -> list[Match]:
    """The settings that give a number of so many decimals, those that change least first.

    Looked through are the present settings and every convention, at each gain and many cutoffs;
    each other choice of one option alone; and for the mean all of these with undefined and absent
    queries treated otherwise. A number above 1 is taken for a percentage.
    """
    if value > 1:
        value, decimals = value / 100, decimals + 2
    figures, table = Figures(evaluation, ranking, query), evaluation.rankings[ranking]
    own = _resolved(evaluation.options, table)
    found: dict[Options, Match] = {}
    seen: set[Options] = set()
    for tool, candidate in _candidates(evaluation, ranking, query):
        options = _resolved(candidate, table)
        if options in seen and tool is None:
            continue
        seen.add(options)
        got = figures.value(options)
        if got is None or abs(got - value) > 0.5 * 10.0**-decimals + EQUAL:
            continue
        options = _bearing(options, own, figures)
        changes = tuple(words_of(name, options) for name in _differing(own, options))
        tools = found[options].tools if options in found else ()
        if tool is not None and tool not in tools:
            tools = (*tools, tool)
        found[options] = Match(options, got, changes, tools)
    return sorted(found.values(), key=lambda match: _remoteness(match, own))


def _remoteness(match: Match, own: Options) -> tuple[int, bool, int]:
    """What matches are put in order by: changes, then tools first, then the nearest cutoff."""
    cutoff, mine = match.options.cutoff, own.cutoff
    away = 1_000 if (cutoff is None) != (mine is None) else abs((cutoff or 0) - (mine or 0))
    return len(match.changes), not match.tools, away


def _bearing(options: Options, own: Options, figures: Figures) -> Options:
    """The options, with the present treatment of queries of a kind that there is none of."""
    status = figures.scores(options).status
    if not (status == Status.UNDEFINED).any():
        options = replace(options, undefined=own.undefined)
    if not (status == Status.ABSENT).any():
        options = replace(options, missing=own.missing)
    return options


def _candidates(
    evaluation: Evaluation, ranking: int, query: int | None
) -> Iterator[tuple[str | None, Options]]:
    """Settings to be tried, each with the tool that has them."""
    own = evaluation.options
    cutoffs = _cutoffs(evaluation, ranking, query)
    for tool, base in _bases(own):
        for cutoff in cutoffs:
            options = replace(base, cutoff=cutoff)
            yield tool, options
            yield from ((None, each) for each in _treated(options, query))
    for options in _single_changes(evaluation):
        yield None, options
        yield from ((None, each) for each in _treated(options, query))


def _cutoffs(evaluation: Evaluation, ranking: int, query: int | None) -> list[int | None]:
    found: dict[int | None, None] = dict.fromkeys([evaluation.options.cutoff, *CUTOFFS, None])
    if query is not None:
        returned = int(evaluation.rankings[ranking].returned[query])
        found.update(dict.fromkeys([returned] if returned else []))
    return list(found)


def _bases(own: Options) -> Iterator[tuple[str | None, Options]]:
    """The present settings and those of every tool, at each gain."""
    yield None, own
    yield from ((None, _with(own, {"gain": gain})) for gain in BOTH)
    for each in CONVENTIONS.values():
        for gain in each.gains:
            yield each.name, each.apply(replace(own, gain=gain))


def _single_changes(evaluation: Evaluation) -> Iterator[Options]:
    own = evaluation.options
    for name in STEPS:
        for value in WORDS.get(name, ()):
            if (name, value) == ("ideal", "column") and not evaluation.has_given_ideal:
                continue
            if name != "gain":
                yield _with(own, {name: value})
    for kind, base in DISCOUNTS:
        yield _with(own, {"discount": kind, "discount_base": base})


def _treated(options: Options, query: int | None) -> Iterable[Options]:
    """The options with every other treatment of queries that have no score, for the mean."""
    if query is not None:
        return ()
    treatments = product(WORDS["undefined"], WORDS["missing"])
    return (
        _with(options, {"undefined": undefined, "missing": missing})
        for undefined, missing in treatments
    )


def _with(options: Options, changes: dict[str, Any]) -> Options:
    return replace(options, **changes)
