"""The blanks of an evaluation: documents that rankings return in the top k, and nobody judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.ids import Ids, find_pairs, repeated_pairs
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.evaluation.ranking import NO_PAIR, Arrangement
from ndcg_desktop.scoring.order import ranges, worst_places

if TYPE_CHECKING:
    from ndcg_desktop.evaluation.evaluation import Evaluation

Ints = NDArray[np.int64]

NOWHERE = -1
"""First and last place of a blank in a ranking that does not return it in the top k."""


@dataclass(frozen=True, slots=True)
class Blanks:
    """B blanks of R rankings, each once, by query and then by their best place.

    ``ranking`` and ``row``, shape (B,), say where a blank stands: a row of the ranking's file.
    ``first`` and ``last``, shape (R, B), are its places in each of the rankings, from 0 and end
    excluded: more than one place where it shares them with documents of the same score.
    """

    query: Ints
    ranking: Ints
    row: Ints
    first: Ints
    last: Ints

    def __len__(self) -> int:
        return len(self.query)

    @property
    def place(self) -> Ints:
        """The best place of each blank in any of the rankings, from 0, shape (B,)."""
        far = np.iinfo(np.int64).max
        places: Ints = np.where(self.first == NOWHERE, far, self.first).min(axis=0, initial=far)
        return places

    def take(self, which: Ints) -> Blanks:
        """Some of the blanks, in this order."""
        first, last = self.first[:, which], self.last[:, which]
        return Blanks(self.query[which], self.ranking[which], self.row[which], first, last)

    def ids(self, evaluation: Evaluation) -> Ids:
        """The documents' ids, in a buffer of their own."""
        return Ids.from_texts(self.documents(evaluation))

    def documents(self, evaluation: Evaluation, which: Ints | slice = slice(None)) -> list[str]:
        """The documents' ids as texts; of some of the blanks, where that is said."""
        ranking, row = self.ranking[which], self.row[which]
        texts = np.empty(len(row), dtype=object)
        for number in np.unique(ranking).tolist():
            here = ranking == number
            texts[here] = evaluation.rankings[number].columns.document.take(row[here]).texts()
        names: list[str] = texts.tolist()
        return names


def blanks(evaluation: Evaluation, rankings: Sequence[int], query: int | None = None) -> Blanks:
    """Every unjudged document in the top k of any of these rankings; of one query, where named."""
    queries = np.arange(len(evaluation.queries)) if query is None else np.array([query])
    found = [_in_top(evaluation, number, queries) for number in rankings]
    each = _concatenated(found)
    if len(found) == 1:
        return each
    numbers = np.repeat(np.arange(len(found)), [len(some) for some in found])
    code, heads = _same_pairs(each.query, each.ids(evaluation))
    first, last = np.full((2, len(found), len(heads)), NOWHERE)
    first[numbers, code], last[numbers, code] = each.first[0], each.last[0]
    once = Blanks(each.query[heads], each.ranking[heads], each.row[heads], first, last)
    return once.take(np.lexsort((once.place, once.query)))


def returned_by(evaluation: Evaluation, ranking: int, some: Blanks) -> NDArray[np.bool_]:
    """Whether a ranking returns each blank, at whatever place, shape (B,)."""
    table = evaluation.rankings[ranking]
    arrangement = table.arrange(evaluation.options.order)
    places = _within(arrangement, np.unique(some.query))[1]
    rows = places if arrangement.order is None else arrangement.order[places]
    documents = table.columns.document.take(rows)
    at = find_pairs(some.query.astype(np.int32), some.ids(evaluation), table.query[rows], documents)
    held = np.zeros(len(some), dtype=np.bool_)
    held[at[at >= 0]] = True
    return held


def _concatenated(found: Sequence[Blanks]) -> Blanks:
    columns = zip(*((b.query, b.ranking, b.row, b.first, b.last) for b in found), strict=True)
    return Blanks(*(np.concatenate(column, axis=-1) for column in columns))


def _same_pairs(query: Ints, documents: Ids) -> tuple[Ints, Ints]:
    """A number for each pair of query and document, (N,), and the first row of each number."""
    short = query.astype(np.int32)
    heads = np.flatnonzero(~repeated_pairs(short, documents))
    code = find_pairs(short[heads], documents.take(heads), short, documents)
    return code.astype(np.int64), heads


def _in_top(evaluation: Evaluation, ranking: int, queries: Ints) -> Blanks:
    """The blanks of one ranking, by query and place."""
    table, cutoff = evaluation.rankings[ranking], evaluation.options.cutoff
    arrangement = table.arrange(evaluation.options.order)
    # Tied documents share their places, so more of them than k may stand within the first k.
    most = cutoff if arrangement.ties is None else None
    number, places = _within(arrangement, queries, most)
    rows = places if arrangement.order is None else arrangement.order[places]
    pair = table.pair[rows]
    known = pair != NO_PAIR
    known[known] = evaluation.judgments.code[pair[known]] != UNJUDGED
    blank = np.flatnonzero(~known & ~arrangement.repeated[rows])
    if evaluation.options.order == "ties-worst" and arrangement.ties is not None:
        # What gains nothing as yet stands before what gains something, in the order of the rows.
        counts = known & ~arrangement.repeated[rows]
        gain = np.full(len(rows), -1.0)
        gain[counts] = np.nan_to_num(evaluation.gains)[evaluation.judgments.code[pair[counts]]]
        places = worst_places(number, arrangement.ties[1][places], gain)
    query, row, places = queries[number[blank]], rows[blank], places[blank]
    ends = (places, places + 1)
    if arrangement.ties is not None and evaluation.options.order != "ties-worst":
        ends = (arrangement.ties[0][places], arrangement.ties[1][places])
    first, last = (each - arrangement.start[query] for each in ends)
    found = Blanks(query, np.full_like(row, ranking), row, first[np.newaxis], last[np.newaxis])
    return found if cutoff is None else found.take(np.flatnonzero(first < cutoff))


def _within(arrangement: Arrangement, queries: Ints, most: int | None = None) -> tuple[Ints, Ints]:
    """Of each of these queries the first places: the query's place in ``queries``, and theirs."""
    count = arrangement.count[queries]
    if most is not None:
        count = np.minimum(count, most)
    return ranges(arrangement.start[queries], count)
