"""An evaluation: one set of judgments, any number of rankings, and the options they score under.

This is the only place where names become numbers. Everything above reads the arrays made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding, IdealColumns, JudgmentColumns
from ndcg_desktop.evaluation.ids import factorize, find_pairs
from ndcg_desktop.evaluation.judgments import UNJUDGED, Judgments, pooled, rule_of
from ndcg_desktop.evaluation.ranking import NO_PAIR, Ranking
from ndcg_desktop.scoring.bounds import Bounds, bounds, bounds_of_fixed_ideal
from ndcg_desktop.scoring.discount import cumulative, discount
from ndcg_desktop.scoring.gain import gain
from ndcg_desktop.scoring.ndcg import Groups, Hits, Scores, condensed, dcg, group, ideal_dcg, score
from ndcg_desktop.scoring.options import Options, Order

LARGE_UNIT = 2.0**-512
"""What large gains are measured in for bounds, which are ratios: sums of them are then finite."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Where one judgments table's rows went: the pair of each row, NO_PAIR where it made none."""

    columns: JudgmentColumns
    pair: NDArray[np.int32]


class Evaluation:
    """Judgments and rankings joined; scores follow each change of options or of one grade.

    ``queries`` are the query ids in order of appearance, ``titles`` their texts where a file has
    both an id and a text. ``loaded`` keeps the grades as they were read.
    """

    def __init__(
        self,
        queries: list[str],
        titles: dict[int, str],
        judgments: Judgments,
        entries: Sequence[Entry],
        rankings: Sequence[Ranking],
        ideal: tuple[NDArray[np.int32], IdealColumns] | None,
        options: Options,
    ) -> None:
        self.queries = queries
        self.titles = titles
        self.judgments = judgments
        self.entries = list(entries)
        self.rankings = list(rankings)
        self.loaded = judgments.grade.copy()
        self._given_ideal = ideal
        if ideal is not None:
            for grade in np.unique(ideal[1].grade):
                judgments.code_of(float(grade))  # the gains then reach as far as its grades
        self._scores: dict[int, Scores] = {}
        # What a toggle of gain or k reads again and again; an edit makes it void.
        self._hits: dict[tuple[int, Order], Hits] = {}
        self.options = options

    def frozen(self) -> Evaluation:
        """The evaluation as it stands now, for a thread to read while grading goes on."""
        still = copy(self)
        still.judgments = self.judgments.frozen()
        still.entries = list(self.entries)
        still.rankings = [ranking.frozen(still.judgments) for ranking in self.rankings]
        still.loaded = self.loaded.copy()
        still._scores, still._hits = {}, {}
        return still

    # ---- options

    @property
    def options(self) -> Options:
        """What the rankings are scored under; setting it makes all scores anew when next asked."""
        return self._options

    @options.setter
    def options(self, options: Options) -> None:
        self._options = options
        self._gains: NDArray[np.float64] | None = None
        self._scores.clear()

    @property
    def has_given_ideal(self) -> bool:
        """Whether a column of ideal grades was given."""
        return self._given_ideal is not None

    @property
    def merged(self) -> str:
        """The rule by which several graders' columns became one grade, empty where none did."""
        return next((entry.columns.merged for entry in self.entries if entry.columns.merged), "")

    @property
    def gains(self) -> NDArray[np.float64]:
        """The gain of each grade code."""
        values = self.judgments.values
        if self._gains is None or len(self._gains) != len(values):
            self._gains = gain(values, self._options)
        return self._gains

    # ---- scores

    def scores(self, ranking: int = 0) -> Scores:
        """The scores of one ranking, every query."""
        if ranking not in self._scores:
            hits = self._options_hits(self.all_hits(ranking))
            judged = self.judgments.groups()
            self._scores[ranking] = score(
                hits,
                judged,
                self._ideal(hits, judged),
                self.gains,
                self.rankings[ranking].returned,
                self._options,
            )
        return self._scores[ranking]

    def score_query(self, ranking: int, query: int) -> Scores:
        """The same of one query, by that query's rows alone."""
        table = self.rankings[ranking]
        hits = self._options_hits(table.hits_of_query(self._options.order, query))
        judged = self.judgments.groups_of_query(query)
        returned = table.returned[query : query + 1]
        ideal = self._ideal(hits, judged, query)
        return score(hits, judged, ideal, self.gains, returned, self._options)

    def ideal_of_query(self, query: int, ranking: int | None) -> Groups:
        """The documents that a query's ideal is built from, numbered 0."""
        judged = self.judgments.groups_of_query(query)
        if ranking is None:
            return self._given_groups(query) if self._uses_given_ideal else judged
        hits = self.rankings[ranking].hits_of_query(self._options.order, query)
        return self._ideal(hits, judged, query)

    def all_hits(self, ranking: int) -> Hits:
        """The judged documents of one ranking, in the order of the options."""
        key = ranking, self._options.order
        if key not in self._hits:
            self._hits[key] = self.rankings[ranking].hits(self._options.order)
        return self._hits[key]

    def _options_hits(self, hits: Hits) -> Hits:
        return condensed(hits) if self._options.unjudged == "remove" else hits

    def _ideal(self, hits: Hits, judged: Groups, query: int | None = None) -> Groups:
        """What the ideal is built from; of one query, numbered 0, where that is named."""
        if self._options.ideal == "returned":
            return group(hits.query, hits.code, len(self.judgments.values))
        if self._uses_given_ideal:
            return self._given_groups(query)
        return judged

    @property
    def _uses_given_ideal(self) -> bool:
        return self._options.ideal == "column" and self._given_ideal is not None

    def _given_groups(self, query: int | None) -> Groups:
        assert self._given_ideal is not None
        of_query, columns = self._given_ideal
        rows = ~np.isnan(columns.grade)
        if query is not None:
            rows &= of_query == query
        code = np.array([self.judgments.code_of(g) for g in columns.grade[rows]], dtype=np.int32)
        numbers = of_query[rows] if query is None else np.zeros(len(code), dtype=np.int32)
        return group(numbers, code, len(self.judgments.values))

    def first_refused(self, query: int) -> Finding:
        """Where the first grade of a query stands whose gain cannot be computed, or the one with
        the largest gain where only their sum cannot.
        """
        pairs = self.judgments.of_query(query)
        gains = self.gains[self.judgments.code[pairs]]
        bad = ~np.isfinite(gains)
        with np.errstate(over="ignore"):
            if np.isinf(gains.sum()) and not bad.any():
                bad = gains == gains.max()
        pairs = pairs[bad]
        for entry in self.entries:
            rows = np.flatnonzero(np.isin(entry.pair, pairs))
            if len(rows):
                grade = entry.columns.grade[rows[0]]
                row = int(entry.columns.row[rows[0]])
                return Finding("error", "refused", f"grade {grade:g}", entry.columns.source, row)
        return Finding("error", "refused", "a sum is too large")

    def disjoint(self, ranking: int) -> bool:
        """Whether judgments and a ranking, both there, have no query in common."""
        judged = self.judgments.listed() > 0
        returned = self.rankings[ranking].returned > 0
        return bool(judged.any() and returned.any() and not (judged & returned).any())

    # ---- bounds under unjudged documents

    def bounds(self, ranking: int = 0) -> Bounds:
        """Range of each query's nDCG, whatever grades the blanks in the top k turn out to have.

        A blank that is judged takes its place in the ranking, so the range is that of the whole
        list also when unjudged documents are left out of the score.
        """
        table = self.rankings[ranking]
        hits = self.all_hits(ranking)
        blanks = self._blanks(ranking, np.arange(len(self.queries)))
        return self._bounds(hits, self.judgments.groups(), blanks, table.returned)

    def bounds_of_query(self, ranking: int, query: int) -> Bounds:
        """The same of one query."""
        table = self.rankings[ranking]
        hits = table.hits_of_query(self._options.order, query)
        blanks = self._blanks(ranking, np.array([query]))
        returned = table.returned[query : query + 1]
        return self._bounds(hits, self.judgments.groups_of_query(query), blanks, returned, query)

    def _blanks(self, ranking: int, queries: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """Each unjudged document in the top k: its query's place in ``queries``, its tie range."""
        table = self.rankings[ranking]
        arrangement = table.arrange(self._options.order)
        count = arrangement.count[queries]
        if self._options.cutoff is not None and arrangement.ties is None:
            count = np.minimum(count, self._options.cutoff)
        number = np.repeat(np.arange(len(queries)), count)
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        places = arrangement.start[queries][number] + within
        rows = places if arrangement.order is None else arrangement.order[places]
        pair = table.pair[rows]
        known = pair != NO_PAIR
        known[known] = self.judgments.code[pair[known]] != UNJUDGED
        blank = np.flatnonzero(~known & ~arrangement.repeated[rows])
        if arrangement.ties is None:
            return number[blank], within[blank], within[blank] + 1
        base = arrangement.start[queries][number[blank]]
        return (number[blank], *(ends[places[blank]] - base for ends in arrangement.ties))

    def _bounds(
        self,
        hits: Hits,
        judged: Groups,
        blanks: tuple[NDArray[np.int64], ...],
        returned: NDArray[np.int64],
        query: int | None = None,
    ) -> Bounds:
        gains, scale = self._gains_for_bounds()
        queries = len(returned)
        ideal = self._ideal(hits, judged, query)
        longest = int(np.bincount(ideal.query, ideal.count, minlength=queries).max(initial=0))
        discounts = discount(longest + int(returned.max(initial=0)) + 1, self._options)
        upto = cumulative(discounts)
        number, first, last = blanks
        weight = (upto[last] - upto[first]) / (last - first)
        inside = weight > 0
        number, weight = number[inside], weight[inside]
        judged_dcg = dcg(hits, gains, discounts, queries)
        undefined = self._undefined_as(judged, returned)
        if self._uses_given_ideal:
            fixed = ideal_dcg(ideal, gains, discounts, queries)
            return bounds_of_fixed_ideal(number, weight, judged_dcg, fixed, scale, undefined)
        return bounds(
            number,
            weight,
            judged_dcg,
            ideal.query,
            gains[ideal.code],
            ideal.count,
            scale,
            upto if self._options.cutoff is None else upto[: self._options.cutoff + 1],
            undefined,
        )

    def _undefined_as(self, judged: Groups, returned: NDArray[np.int64]) -> NDArray[np.float64]:
        """What each query counts as where its ideal is 0, NaN where it is left out, as scored."""
        value = {"skip": np.nan, "zero": 0.0, "one": 1.0}[self._options.undefined]
        unjudged = np.bincount(judged.query, minlength=len(returned)) == 0
        # Without a returned document these are absent or not judged, whatever the ideal.
        other = (returned == 0) & (unjudged | (self._options.ideal == "returned"))
        return np.where(other, np.nan, value)

    def _gains_for_bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The gain of each grade code and of each grade that a blank may get, in any one unit.

        A gain table is a declared scale. A gain that is refused counts as 0: so does its query.
        """
        gains = np.where(np.isfinite(self.gains), self.gains, 0.0)
        if self._options.gain == "table":
            scale = np.array([each for _, each in self._options.gain_table], dtype=np.float64)
        else:
            scale = gain(self.judgments.scale(), self._options)
            scale = scale[np.isfinite(scale)]
        largest = max(gains.max(initial=0.0), scale.max(initial=0.0))
        unit = LARGE_UNIT if largest > 1 / LARGE_UNIT else 1.0
        return gains * unit, scale * unit

    # ---- grades

    def pair_of(self, query: int, document: str) -> int:
        """The pair of a query and a document; made, unjudged, where no judgment lists it."""
        pair = self.judgments.find(query, document)
        if pair is None:
            pair = self.judgments.add(query, document)
            self.loaded = np.append(self.loaded, np.nan)
            for ranking in self.rankings:
                ranking.adopt(query, document, pair)
        return pair

    def set_grades(self, grades: Sequence[tuple[int, float]]) -> set[int]:
        """Grade pairs (NaN: not judged) and score their queries again, in every ranking.

        Returns the queries.
        """
        for pair, grade in grades:
            self.judgments.set_grade(pair, grade)
        self._hits.clear()
        queries = {int(self.judgments.query[pair]) for pair, _ in grades}
        for number, scores in self._scores.items():
            for query in queries:
                scores.replace_query(query, self.score_query(number, query))
        return queries

    def changed_pairs(self) -> NDArray[np.int64]:
        """The pairs whose grade is not the one that was read or last saved."""
        now, before = self.judgments.grade, self.loaded
        return np.flatnonzero((now != before) & ~(np.isnan(now) & np.isnan(before)))

    def mark_saved(self, entries: Sequence[Entry]) -> None:
        """Take the grades of these tables, as they read back, for those that the files hold."""
        self.entries = list(entries)
        pairs = [entry.pair for entry in entries]
        grades = [entry.columns.grade for entry in entries]
        rule = rule_of(entry.columns for entry in entries)
        self.loaded = pooled(pairs, grades, len(self.judgments), rule)

    def entries_of(self, tables: Sequence[JudgmentColumns]) -> list[Entry]:
        """Where the rows of tables belong that the judgments have just been written to."""
        numbers = {query: number for number, query in enumerate(self.queries)}
        return [Entry(columns, self._pairs_of(columns, numbers)) for columns in tables]

    def _pairs_of(self, columns: JudgmentColumns, numbers: dict[str, int]) -> NDArray[np.int32]:
        code, first = factorize(columns.query)
        known = [numbers.get(text, NO_PAIR) for text in columns.query.take(first).texts()]
        query = np.array(known, dtype=np.int32)[code]
        judgments = self.judgments
        return find_pairs(judgments.query, judgments.documents, query, columns.document)
