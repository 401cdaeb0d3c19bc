"""What if the documents of a query stood otherwise: orders to try out, which change nothing.

A document of a scenario has a place of its own: where the options average ties, the order that the
ranking has scores another figure here than among its ties.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ndcg_desktop.evaluation.detail import query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.scoring.ndcg import Groups, Hits, Status, condensed, score

Documents = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of an order; ``value`` is None where the query has no score in it."""

    dcg: float
    ideal_dcg: float
    value: float | None
    status: Status


@dataclass(frozen=True, slots=True)
class Scenario:
    """An order of a query's documents, by a name; best first."""

    name: str
    documents: Documents


def own_order(evaluation: Evaluation, query: int, ranking: int) -> Documents:
    """The documents as a ranking returns them."""
    rows = query_rows(evaluation, query, ranking)
    return tuple(rows.documents[: rows.returned])


def score_scenario(evaluation: Evaluation, query: int, documents: Sequence[str]) -> Figures:
    """Score documents in this order under the grades and options as they are now.

    One that stands twice counts at its better place. One that nobody judged gains nothing.
    """
    judgments, options = evaluation.judgments, evaluation.options
    hits = _hits(evaluation, query, documents)
    judged = judgments.groups_of_query(query)
    ideal = evaluation.ideal_from(hits, judged, query)
    if options.unjudged == "remove":
        hits = condensed(hits)
    returned = np.array([len(documents)])
    scores = score(hits, judged, ideal, evaluation.gains, returned, options)
    return Figures(
        float(scores.dcg[0]),
        float(scores.ideal_dcg[0]),
        float(scores.value[0]) if scores.counted[0] else None,
        Status(int(scores.status[0])),
    )


def ideal_of_scenario(evaluation: Evaluation, query: int, documents: Sequence[str]) -> Groups:
    """What the ideal is built from that an order is measured by."""
    judged = evaluation.judgments.groups_of_query(query)
    return evaluation.ideal_from(_hits(evaluation, query, documents), judged, query)


def codes_of(evaluation: Evaluation, query: int) -> dict[str, int]:
    """The code of the grade of each document that the judgments list."""
    judgments = evaluation.judgments
    pairs = judgments.of_query(query)
    texts = judgments.documents.take(pairs).texts()
    return dict(zip(texts, judgments.code[pairs].tolist(), strict=True))


def _hits(evaluation: Evaluation, query: int, documents: Sequence[str]) -> Hits:
    """The judged documents of an order, as those of a ranking."""
    codes = codes_of(evaluation, query)
    # Each at its first place; a dict keeps the first order of its keys.
    first = dict(zip(reversed(documents), range(len(documents) - 1, -1, -1), strict=True))
    places = sorted(first.values())
    found = [(place, codes.get(documents[place], UNJUDGED)) for place in places]
    judged = [(place, code) for place, code in found if code != UNJUDGED]
    place, code = np.array(judged, dtype=np.intp).reshape(-1, 2).T
    return Hits(np.zeros_like(code), code, place)


class Scenarios:
    """The scenarios of one query, one of them in hand; each can be taken back step by step."""

    def __init__(self, own: Sequence[str], name: str = "What if 1") -> None:
        self.own: Documents = tuple(own)
        self._names = [name]
        self._steps: list[list[Documents]] = [[self.own]]
        self.current = 0

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, number: int) -> Scenario:
        return Scenario(self._names[number], self._steps[number][-1])

    def __iter__(self) -> Iterator[Scenario]:
        return (self[number] for number in range(len(self)))

    @property
    def scenario(self) -> Scenario:
        """The one in hand."""
        return self[self.current]

    @property
    def documents(self) -> Documents:
        """Its documents."""
        return self._steps[self.current][-1]

    # ---- which scenarios

    def new(self) -> None:
        """Take a copy of the scenario in hand in hand, under a name of its own."""
        number = len(self) + 1
        while f"What if {number}" in self._names:
            number += 1
        self._names.append(f"What if {number}")
        self._steps.append([self.documents])
        self.current = len(self) - 1

    def rename(self, name: str) -> None:
        """Call the scenario in hand otherwise; an empty name is none."""
        self._names[self.current] = " ".join(name.split()) or self._names[self.current]

    def delete(self) -> None:
        """Drop the scenario in hand; the last one is set back instead."""
        if len(self) == 1:
            self.reset()
            return
        del self._names[self.current], self._steps[self.current]
        self.current = min(self.current, len(self) - 1)

    # ---- the order of the one in hand

    def move(self, row: int, by: int) -> int:
        """Move a document down by so many places, up where that is negative; within the list.

        Returns the row that it now has.
        """
        documents = list(self.documents)
        to = min(max(row + by, 0), len(documents) - 1)
        documents.insert(to, documents.pop(row))
        self._put(documents)
        return to

    def insert(self, document: str, at: int) -> None:
        """Put a document before the one at this row, or at the end."""
        documents = list(self.documents)
        documents.insert(at, document)
        self._put(documents)

    def remove(self, row: int) -> None:
        """Take a document out of the list."""
        documents = list(self.documents)
        del documents[row]
        self._put(documents)

    def reset(self) -> None:
        """Give the documents the order again that the ranking has them in."""
        self._put(self.own)

    def undo(self) -> None:
        """Take the last change of the order back, also a reset."""
        if self.can_undo:
            self._steps[self.current].pop()

    @property
    def can_undo(self) -> bool:
        """Whether the order in hand was changed."""
        return len(self._steps[self.current]) > 1

    @property
    def changed(self) -> bool:
        """Whether the order in hand is not the ranking's own."""
        return self.documents != self.own

    def _put(self, documents: Sequence[str]) -> None:
        if tuple(documents) != self.documents:
            self._steps[self.current].append(tuple(documents))
