"""Which documents are to be judged, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ids import Ids, concatenate, factorize_pairs, find_pairs
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.evaluation.votes import VERDICT
from ndcg_desktop.evaluation.worth import EQUAL, Worth, worth, worth_between

Which = Literal["unjudged", "all", "cannot", "later", "disagreements"]
Pool = Literal["all", "returned", "common"]
By = Literal["query", "mixed", "range", "winner"]

WHICH: dict[Which, str] = {
    "unjudged": "not judged yet",
    "all": "all documents",
    "cannot": "can't tell",
    "later": "later",
    "disagreements": "disagreements",
}
POOLS: dict[Pool, str] = {
    "all": "judged and returned",
    "returned": "returned by a ranking",
    "common": "returned by every ranking",
}
BY: dict[By, str] = {
    "query": "query by query",
    "mixed": "queries mixed",
    "range": "what narrows the score's range most",
    "winner": "what tells two rankings apart most",
}
"""Orders of a queue; the last two *judge next* what is worth most."""

LEAST_APART = 10
"""Documents that lie between two showings of one that is shown again, where there are as many."""


@dataclass(frozen=True, slots=True)
class QueueOptions:
    """What is in a queue. ``depth`` is how far down each ranking it goes, None for all of it;
    ``seed`` makes an order in which a document's rank cannot be told, None keeps that of the
    ranking, also where queries would be mixed; ``repeats`` is the percentage of documents to be
    shown again without saying so.
    """

    which: Which = "unjudged"
    pool: Pool = "all"
    by: By = "query"
    depth: int | None = None
    seed: int | None = None
    repeats: int = 0


@dataclass(frozen=True, slots=True)
class Queue:
    """Documents in the order in which they are to be judged, shape (N,).

    ``again`` marks those that are shown a second time. ``worth`` is by how much a grade can shrink
    the range in question, on average over the scale; NaN where the order does not go by that, and
    for documents that cannot. ``total`` and ``done``, by query, count the documents that are there
    to be judged, and those that the judge has.
    """

    query: NDArray[np.int32]
    documents: Ids
    again: NDArray[np.bool_]
    worth: NDArray[np.float64]
    total: NDArray[np.int64]
    done: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.query)

    def with_worth(self, place: int, evaluation: Evaluation, found: Worth) -> Queue:
        """The queue with what is behind a place in order again, after a query has got a grade.

        ``found`` is what grades for that query's documents are now worth.
        """
        query = self.query[place]
        rest = np.arange(place + 1, len(self))
        own = rest[self.query[rest] == query]
        values = self.worth.copy()
        values[own] = _worth_of(evaluation, found, self.query[own], self.documents.take(own))
        order = np.arange(len(self))
        order[place + 1 :] = rest[_by_worth(values[rest])]
        return replace(
            self,
            query=self.query[order],
            documents=self.documents.take(order),
            again=self.again[order],
            worth=values[order],
        )


def make_queue(
    evaluation: Evaluation,
    options: QueueOptions,
    owner: str,
    cancelled: Callable[[], bool] = lambda: False,
) -> Queue | None:
    """The queue of one judge; ``owner`` is "" where the file has one grade for each document.

    None where it was cancelled on the way.
    """
    query, documents = _candidates(evaluation, options)
    judgments = evaluation.judgments
    pair = find_pairs(judgments.query, judgments.documents, query, documents)
    done = _judged(evaluation, owner, pair)
    cannot, later = (_marked(evaluation, owner, mark, pair) for mark in ("cannot", "later"))
    there = np.ones(len(query), dtype=bool)
    order = _order(query, options)
    if options.which == "unjudged":
        order = order[~(done | cannot)[order]]
        order = order[np.argsort(later[order], kind="stable")]  # later comes last
    elif options.which == "cannot":
        order = order[cannot[order]]
    elif options.which == "later":
        order = order[(later & ~done)[order]]
    elif options.which == "disagreements":
        open_, settled = (np.isin(pair, pairs) for pairs in _disagreements(evaluation))
        order = order[open_[order]]
        there, done = open_ | settled, settled
    values = np.full(len(query), np.nan)
    if options.by in RANKINGS_OF and evaluation.rankings:
        found = _worth(evaluation, options, cancelled)
        if found is None:
            return None
        values = _worth_of(evaluation, found, query, documents)
        order = order[_by_worth(values[order])]
    order, again = _with_repeats(order, options)
    queries = len(evaluation.queries)
    return Queue(
        query[order],
        documents.take(order),
        again,
        values[order],
        np.bincount(query[there], minlength=queries),
        np.bincount(query[done], minlength=queries),
    )


RANKINGS_OF: dict[By, int] = {"range": 1, "winner": 2}
"""How many rankings the orders by worth are about: the first, or the first two."""


def rankings_of(evaluation: Evaluation, by: By) -> range:
    """The rankings that an order by worth is about; fewer than it needs where there are fewer."""
    return range(min(RANKINGS_OF.get(by, 0), len(evaluation.rankings)))


def _worth(
    evaluation: Evaluation, options: QueueOptions, cancelled: Callable[[], bool]
) -> Worth | None:
    rankings = rankings_of(evaluation, options.by)
    if len(rankings) == 2:
        return worth_between(evaluation, 0, 1, cancelled)
    return worth(evaluation, 0, cancelled)


def _worth_of(
    evaluation: Evaluation, found: Worth, query: NDArray[np.int32], documents: Ids
) -> NDArray[np.float64]:
    """What a grade for each of these documents is worth, NaN for one that is worth nothing."""
    blanks = found.blanks
    place = find_pairs(blanks.query.astype(np.int32), blanks.ids(evaluation), query, documents)
    return np.where(place >= 0, np.append(found.mean, np.nan)[place], np.nan)


def _by_worth(worth: NDArray[np.float64]) -> NDArray[np.int64]:
    """The order from the most worth down; those of equal worth, or of none, stay as they stand."""
    steps = np.round(np.nan_to_num(worth, nan=-1.0) / EQUAL)
    return np.argsort(-steps, kind="stable")


def _disagreements(evaluation: Evaluation) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs that judges disagree about: those without a verdict, and those with one."""
    votes = evaluation.votes
    if votes is None:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    every, settled = votes.disagreements(), votes.pairs_of(VERDICT)
    return np.setdiff1d(every, settled), np.intersect1d(every, settled)


def _candidates(evaluation: Evaluation, options: QueueOptions) -> tuple[NDArray[np.int32], Ids]:
    """Every document that may be in the queue, once, by query and then by rank."""
    queries: list[NDArray[np.int32]] = []
    documents: list[Ids] = []
    for ranking in evaluation.rankings:
        arrangement = ranking.arrange(evaluation.options.order)
        rows = np.arange(len(ranking)) if arrangement.order is None else arrangement.order
        query = ranking.query[rows]
        if options.depth is not None:
            within = np.arange(len(rows)) - arrangement.start[query] < options.depth
            rows, query = rows[within], query[within]
        queries.append(query)
        documents.append(ranking.columns.document.take(rows))
    returned = sum(map(len, queries))
    if options.pool == "all" or not evaluation.rankings:
        queries.append(evaluation.judgments.query)
        documents.append(evaluation.judgments.documents)
    query, ids = _joined(queries, documents)
    code, first = factorize_pairs(query, ids)
    if options.pool == "common":
        first = first[_in_all(code[:returned], queries[: len(evaluation.rankings)], len(first))]
    first = first[np.argsort(query[first], kind="stable")]
    return query[first], ids.take(first)


def _joined(
    queries: Sequence[NDArray[np.int32]], documents: Sequence[Ids]
) -> tuple[NDArray[np.int32], Ids]:
    return np.concatenate([np.empty(0, dtype=np.int32), *queries]), concatenate(documents)


def _in_all(
    code: NDArray[np.int32], parts: Sequence[NDArray[np.int32]], codes: int
) -> NDArray[np.bool_]:
    """Whether each of so many documents stands in every one of the parts that ``code`` is made of,
    one after the other.
    """
    there = np.ones(codes, dtype=bool)
    end = 0
    for part in parts:
        there &= np.bincount(code[end : end + len(part)], minlength=codes) > 0
        end += len(part)
    return there


def _judged(evaluation: Evaluation, owner: str, pair: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether the judge has graded each of these pairs, NO_PAIR among them."""
    if evaluation.votes is not None:
        return np.isin(pair, evaluation.votes.pairs_of(owner))
    judged: NDArray[np.bool_] = pair != NO_PAIR
    judged[judged] = evaluation.judgments.code[pair[judged]] != UNJUDGED
    return judged


def _marked(
    evaluation: Evaluation, owner: str, mark: str, pair: NDArray[np.int32]
) -> NDArray[np.bool_]:
    marks = evaluation.remarks.marks.items()
    pairs = [each for (each, judge), given in marks if judge == owner and given == mark]
    return np.isin(pair, pairs)


def _order(query: NDArray[np.int32], options: QueueOptions) -> NDArray[np.int64]:
    """The candidates in the order of the options, the same for a seed whatever is judged."""
    if options.seed is None:
        return np.arange(len(query))
    key = np.random.default_rng(options.seed).random(len(query))
    return np.argsort(key) if options.by == "mixed" else np.lexsort((key, query))


def _with_repeats(
    order: NDArray[np.int64], options: QueueOptions
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The queue with some documents a second time, further down, and which showings are those."""
    count = len(order) * options.repeats // 100
    if options.which != "unjudged" or not count:
        return order, np.zeros(len(order), dtype=bool)
    random = np.random.default_rng(options.seed)
    first = np.sort(random.choice(len(order), count, replace=False))
    after = np.minimum(first + LEAST_APART, len(order) - 1)
    second = random.integers(after, len(order)) + 0.5
    places = np.concatenate((np.arange(len(order)), second))
    sequence = np.argsort(places, kind="stable")
    return np.concatenate((order, order[first]))[sequence], sequence >= len(order)
