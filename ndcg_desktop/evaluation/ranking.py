"""One ranking: for each query its documents in order, and which of them the judgments know."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import RankingColumns
from ndcg_desktop.evaluation.ids import document_order, find_pairs, repeated_pairs
from ndcg_desktop.evaluation.judgments import UNJUDGED, Judgments
from ndcg_desktop.scoring import order as ordering
from ndcg_desktop.scoring.ndcg import Hits
from ndcg_desktop.scoring.options import Order

NO_PAIR = -1


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The rows of a ranking put in order: the rows of a query adjacent, best first.

    ``order`` is None where the file's rows stand so already. ``start`` and ``count``, shape (Q,),
    cut out a query. ``ties`` are the ranges of rows that share their places, or among which the
    grades decide, where ties are not broken by document id.
    ``repeated`` marks, by file row, each appearance of a document but its best: it keeps its place
    and gains nothing.
    """

    order: NDArray[np.int64] | None
    start: NDArray[np.int64]
    count: NDArray[np.int64]
    ties: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    repeated: NDArray[np.bool_]

    def rows(self, query: int) -> NDArray[np.int64]:
        """The file rows of a query, best first."""
        places = np.arange(self.start[query], self.start[query] + self.count[query])
        return places if self.order is None else self.order[places]


class Ranking:
    """The rows of one ranking joined to the judgments.

    ``query`` and ``pair`` (int32; NO_PAIR where the judgments do not list the document) have a row
    for each row of the table.
    """

    def __init__(
        self, columns: RankingColumns, query: NDArray[np.int32], judgments: Judgments
    ) -> None:
        self.columns = columns
        self.name = columns.name
        self.query = query
        self.judgments = judgments
        self.returned = np.bincount(query, minlength=judgments.queries)
        self._arrangements: dict[Order, Arrangement] = {}
        self.pair = find_pairs(judgments.query, judgments.documents, query, columns.document)
        # Whether a document stands twice does not depend on the order; which one counts does.
        self._repeats = bool(repeated_pairs(query, columns.document).any())

    def __len__(self) -> int:
        return len(self.query)

    def frozen(self, judgments: Judgments) -> Ranking:
        """The ranking as it stands now, over judgments that are still too."""
        still = copy(self)
        still.judgments = judgments
        still.pair = self.pair.copy()
        still._arrangements = dict(self._arrangements)
        return still

    def resolve(self, order: Order) -> Order:
        """What an order comes to for this file: without scores there are no ties to break."""
        if order == "auto":
            return "score" if self.columns.ranks_by == "score" else "file"
        return "file" if self.columns.score is None else order

    def arrange(self, order: Order) -> Arrangement:
        """The rows in this order; made once for each order."""
        order = self.resolve(order)
        if order not in self._arrangements:
            self._arrangements[order] = self._arrange(order)
        return self._arrangements[order]

    def _arrange(self, order: Order) -> Arrangement:
        columns = self.columns
        if order == "file" or columns.score is None:
            rows = ordering.by_rank(self.query, columns.rank)
        else:
            rows = ordering.by_score(
                self.query, columns.score, lambda tied: document_order(columns.document.take(tied))
            )
        query = self.query if rows is None else self.query[rows]
        heads = ordering.heads_of(query)
        start = np.zeros(self.judgments.queries, dtype=np.int64)
        start[query[heads]] = heads
        ties = None
        if order in ("ties-averaged", "ties-worst") and columns.score is not None:
            score = columns.score if rows is None else columns.score[rows]
            ties = ordering.tie_ranges(query, score)
        return Arrangement(rows, start, self.returned, ties, self._repeated(rows))

    def _repeated(self, order: NDArray[np.int64] | None) -> NDArray[np.bool_]:
        repeated = np.zeros(len(self.query), dtype=bool)
        if self._repeats:
            rows = np.arange(len(self.query)) if order is None else order
            documents = self.columns.document.take(rows)
            repeated[rows] = repeated_pairs(self.query[rows], documents)
        return repeated

    def hits(self, order: Order) -> Hits:
        """The judged documents of every query."""
        arrangement = self.arrange(order)
        pair = self.pair if arrangement.order is None else self.pair[arrangement.order]
        places = np.flatnonzero(pair != NO_PAIR)
        return self._hits(arrangement, places, pair[places])

    def hits_of_query(self, order: Order, query: int) -> Hits:
        """The judged documents of one query, numbered 0."""
        arrangement = self.arrange(order)
        pair = self.pair[arrangement.rows(query)]
        places = np.flatnonzero(pair != NO_PAIR)
        hits = self._hits(arrangement, places + arrangement.start[query], pair[places])
        return Hits(np.zeros_like(hits.query), hits.code, hits.first, hits.last)

    def _hits(
        self, arrangement: Arrangement, places: NDArray[np.int64], pair: NDArray[np.int32]
    ) -> Hits:
        # Indexes of NumPy's own kind: others are converted anew each time they are used.
        code = self.judgments.code[pair].astype(np.intp)
        rows = places if arrangement.order is None else arrangement.order[places]
        counts = (code != UNJUDGED) & ~arrangement.repeated[rows]
        places, code = places[counts], code[counts]
        query = self.query[rows[counts]].astype(np.intp)
        start = arrangement.start[query]
        if arrangement.ties is None:
            return Hits(query, code, places - start)
        first, last = (ends[places] - start for ends in arrangement.ties)
        return Hits(query, code, first, last)

    def adopt(self, query: int, document: str, pair: int) -> None:
        """Join a pair that the judgments have just got, where this ranking returns its document."""
        rows = self.arrange("auto").rows(query)
        texts = self.columns.document.take(rows).texts()
        for row, text in zip(rows.tolist(), texts, strict=True):
            if text == document:
                self.pair[row] = pair
