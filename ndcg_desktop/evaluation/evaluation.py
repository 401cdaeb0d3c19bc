"""An evaluation: one set of judgments, any number of rankings, and the options they score under.

This is the only place where names become numbers. Everything above reads the arrays made here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding, IdealColumns, JudgmentColumns
from ndcg_desktop.evaluation.edits import Edit, Kind
from ndcg_desktop.evaluation.entries import Entry, notes_of, renamed, votes_in
from ndcg_desktop.evaluation.ids import factorize, find_pairs
from ndcg_desktop.evaluation.judgments import Judgments, pooled, rule_of
from ndcg_desktop.evaluation.lineup import Lineup, keys_of
from ndcg_desktop.evaluation.query_groups import group_columns
from ndcg_desktop.evaluation.ranking import NO_PAIR, Ranking
from ndcg_desktop.evaluation.remarks import Remarks
from ndcg_desktop.evaluation.votes import VERDICT, Votes
from ndcg_desktop.scoring.gain import gain
from ndcg_desktop.scoring.ndcg import Groups, Hits, Scores, condensed, group, score, worst
from ndcg_desktop.scoring.options import Options, Order


class Evaluation:
    """Judgments and rankings joined; scores follow each change of options or of one grade.

    ``queries`` are the query ids in order of appearance, ``titles`` their texts where a file has
    both an id and a text. ``loaded`` keeps the grades as they were read. ``rankings`` are those of
    the files that take part, in the order of ``lineup``.
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
        votes: Votes | None = None,
    ) -> None:
        self.queries = queries
        self.titles = titles
        self.judgments = judgments
        self.entries = list(entries)
        keys = keys_of([ranking.name for ranking in rankings])
        self._every = dict(zip(keys, rankings, strict=True))
        self.rankings = list(rankings)
        self.lineup = Lineup().fitted(keys)
        self.loaded = judgments.grade.copy()
        self.votes = votes
        self.remarks = Remarks(notes_of(entries))
        self._given_ideal = ideal
        if ideal is not None:
            for grade in np.unique(ideal[1].grade):
                judgments.code_of(float(grade))  # the gains then reach as far as its grades
        self._groups: dict[str, list[str]] | None = None
        self._scores: dict[int, Scores] = {}
        # What a toggle of gain or k reads again and again; an edit makes it void.
        self._hits: dict[tuple[int, Order], Hits] = {}
        self.options = options

    def frozen(self) -> Evaluation:
        """The evaluation as it stands now, for a thread to read while grading goes on."""
        still = copy(self)
        still.judgments = self.judgments.frozen()
        still.entries = list(self.entries)
        still._every = {
            key: ranking.frozen(still.judgments) for key, ranking in self._every.items()
        }
        still.rankings = still._taking_part()
        still.loaded = self.loaded.copy()
        still.votes = None if self.votes is None else self.votes.frozen()
        still.remarks = self.remarks.frozen()
        still._scores, still._hits = {}, {}
        return still

    # ---- which rankings

    def line_up(self, lineup: Lineup) -> None:
        """Compare these rankings in this way; what the line-up does not know comes last."""
        self.lineup = lineup.fitted(list(self._every))
        before, self.rankings = self.rankings, self._taking_part()
        if self.rankings != before:  # another name changes no score
            self._void()

    def _taking_part(self) -> list[Ranking]:
        rankings = []
        for entrant in self.lineup.taking_part:
            ranking = self._every[entrant.key]
            ranking.name = entrant.name
            rankings.append(ranking)
        return rankings

    @property
    def baseline(self) -> int:
        """The number of the ranking that the others are compared with; 0 where there is none."""
        keys = [each.key for each in self.lineup.taking_part]
        return keys.index(self.lineup.baseline) if self.lineup.baseline in keys else 0

    def groups(self) -> dict[str, list[str]]:
        """The columns that put queries into groups, as `group_columns` finds them; they are looked
        for once, since that reads every row, and no grade changes them.
        """
        if self._groups is None:
            self._groups = group_columns(self)
        return self._groups

    def under(self, options: Options) -> Evaluation:
        """The same judgments and rankings under other options, to be read before any is changed."""
        other = copy(self)
        other._scores = {}
        other.options = options
        return other

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
            hits = self.placed(self.all_hits(ranking))
            judged = self.judgments.groups()
            self._scores[ranking] = score(
                hits,
                judged,
                self.ideal_from(hits, judged),
                self.gains,
                self.rankings[ranking].returned,
                self._options,
            )
        return self._scores[ranking]

    def score_query(self, ranking: int, query: int) -> Scores:
        """The same of one query, by that query's rows alone."""
        table = self.rankings[ranking]
        hits = self.placed(table.hits_of_query(self._options.order, query))
        judged = self.judgments.groups_of_query(query)
        returned = table.returned[query : query + 1]
        ideal = self.ideal_from(hits, judged, query)
        return score(hits, judged, ideal, self.gains, returned, self._options)

    def ideal_of_query(self, query: int, ranking: int | None) -> Groups:
        """The documents that a query's ideal is built from, numbered 0."""
        judged = self.judgments.groups_of_query(query)
        if ranking is None:
            return self._given_groups(query) if self.uses_given_ideal else judged
        hits = self.rankings[ranking].hits_of_query(self._options.order, query)
        return self.ideal_from(hits, judged, query)

    def all_hits(self, ranking: int) -> Hits:
        """The judged documents of one ranking, in the order of the options."""
        key = ranking, self._options.order
        if key not in self._hits:
            self._hits[key] = self.rankings[ranking].hits(self._options.order)
        return self._hits[key]

    def placed(self, hits: Hits, remove: bool | None = None) -> Hits:
        """Hits at the places they are scored at, what is unjudged taken out of the ranking if
        ``remove`` or, where that is None, the options say so.
        """
        if remove is None:
            remove = self._options.unjudged == "remove"
        if remove:
            hits = condensed(hits)
        return worst(hits, self.gains) if self._options.order == "ties-worst" else hits

    def ideal_from(self, hits: Hits, judged: Groups, query: int | None = None) -> Groups:
        """What the ideal is built from; of one query, numbered 0, where that is named."""
        if self._options.ideal == "returned":
            return group(hits.query, hits.code, len(self.judgments.values))
        if self.uses_given_ideal:
            return self._given_groups(query)
        return judged

    @property
    def uses_given_ideal(self) -> bool:
        """Whether the ideal is that of the column of ideal grades."""
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

    # ---- grades

    def pair_of(self, query: int, document: str) -> int:
        """The pair of a query and a document; made, unjudged, where no judgment lists it."""
        pair = self.judgments.find(query, document)
        if pair is None:
            pair = self.judgments.add(query, document)
            self.loaded = np.append(self.loaded, np.nan)
            for ranking in self._every.values():
                ranking.adopt(query, document, pair)
        return pair

    def write(self, edits: Iterable[Edit]) -> set[int]:
        """Give documents what these edits say, and score the queries of changed grades again.

        Returns those queries.
        """
        grades: dict[int, float] = {}
        for edit in edits:
            pair, new = edit.pair, edit.new
            if edit.kind == "note":
                self.remarks.set_note(pair, edit.owner, None if new is None else str(new))
            elif edit.kind == "mark":
                self.remarks.set_mark(pair, edit.owner, None if new is None else str(new))
            elif edit.kind == "grade":
                grades[pair] = math.nan if new is None else float(new)
            else:
                assert self.votes is not None
                owner = VERDICT if edit.kind == "verdict" else edit.owner
                self.votes.set(pair, owner, math.nan if new is None else float(new))
                grades[pair] = self.votes.merged_of(pair)
        return self.set_grades(list(grades.items())) if grades else set()

    def value_of(self, kind: Kind, owner: str, pair: int) -> float | str | None:
        """What a document has now of what an edit may change; None for *nothing*."""
        if kind == "note":
            return self.remarks.notes.get((pair, owner))
        if kind == "mark":
            return self.remarks.marks.get((pair, owner))
        if kind == "grade":
            grade = float(self.judgments.grade[pair])
        else:
            assert self.votes is not None
            grade = self.votes.get(pair, VERDICT if kind == "verdict" else owner)
        return None if math.isnan(grade) else grade

    def rename_judge(self, old: str, new: str) -> None:
        """Call a judge otherwise, before anything is changed; nobody may be called so already."""
        if self.votes is None or old not in self.votes.judges or new in self.votes.judges:
            return
        self.votes.judges[self.votes.judges.index(old)] = new
        self.entries = [renamed(entry, old, new) for entry in self.entries]

    def merge(self, rule: str, verdicts: bool = True) -> None:
        """Make one grade of several judges' in another way; all scores are made anew. Without the
        verdicts it is for looking at only: the next vote would bring that document's back.
        """
        assert self.votes is not None
        self.votes.rule = rule
        self.judgments.set_all(self.votes.merged(len(self.judgments), rule, verdicts))
        self._void()

    def declare(self, grades: Sequence[float]) -> None:
        """Say which grades the scale has; none, and it is what the grades seen suggest."""
        self.judgments.declared = tuple(grades)

    def _void(self) -> None:
        self._hits.clear()
        self._scores.clear()

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

    @property
    def modified(self) -> bool:
        """Whether there is a grade or a note that no file holds."""
        return bool(len(self.changed_pairs()) or self.remarks.changed())

    def changed_pairs(self) -> NDArray[np.int64]:
        """The pairs with a grade that is not the one that was read or last saved."""
        if self.votes is not None:
            return np.unique(np.array([p for p, _ in self.votes.changed()], dtype=np.int64))
        now, before = self.judgments.grade, self.loaded
        return np.flatnonzero((now != before) & ~(np.isnan(now) & np.isnan(before)))

    def mark_saved(self, entries: Sequence[Entry]) -> None:
        """Take the grades of these tables, as they read back, for those that the files hold."""
        self.entries = list(entries)
        pairs = [entry.pair for entry in entries]
        grades = [entry.columns.grade for entry in entries]
        rule = rule_of(entry.columns for entry in entries)
        self.loaded = pooled(pairs, grades, len(self.judgments), rule)
        self.remarks.mark_saved(notes_of(entries))
        if self.votes is not None:
            self.votes.mark_saved(*votes_in(entries))
            self.loaded = self.votes.merged(len(self.judgments))

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
