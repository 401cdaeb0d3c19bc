"""What a reader hands to the evaluation: columns of one table, and where each row stood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.ids import Ids

Level = Literal["note", "warning", "error"]
Duplicates = Literal["highest", "first", "last", "mean"]
"""Which grade counts where a document is judged more than once for a query, with several grades."""


@dataclass(frozen=True, slots=True)
class Source:
    """The file, and the sheet where it has sheets, that a table came from."""

    file: str
    sheet: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the data that a person should know; ``row`` counts from 1 as the file does.

    Findings never stop a load: what was done about each is in its text. ``repair`` is the kind of
    the repair that would mend it (evaluation/repairs.py), empty where there is none.
    """

    level: Level
    code: str
    text: str
    source: Source | None = None
    row: int | None = None
    repair: str = ""

    @property
    def place(self) -> str:
        """File, sheet and row, as far as they are known."""
        if self.source is None:
            return ""
        parts = [self.source.file]
        if self.source.sheet is not None:
            parts.append(f"sheet “{self.source.sheet}”")
        if self.row is not None:
            parts.append(f"row {self.row}")
        return ", ".join(parts)

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.place else self.text


@dataclass(frozen=True, slots=True)
class VoteColumns:
    """The grades of several people, one for each cell that may hold one, in order, shape (V,).

    ``judges`` are their names and ``judge`` says which of them; ``place`` is the row of the
    judgments that a vote is about; ``row`` and ``column`` are its cell: the row as the file counts
    and the column of the table, from 0. ``rule`` says how they become one grade.
    """

    judges: tuple[str, ...]
    place: NDArray[np.int64]
    judge: NDArray[np.int64]
    grade: NDArray[np.float64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    rule: str

    def of_rows(self, rows: NDArray[np.int64]) -> VoteColumns:
        """The votes about these rows of the judgments, ascending, numbered anew."""
        at = np.searchsorted(rows, self.place)
        at[at == len(rows)] = 0
        kept = rows[at] == self.place if len(rows) else np.zeros(len(at), dtype=bool)
        return VoteColumns(
            self.judges,
            at[kept],
            self.judge[kept],
            self.grade[kept],
            self.row[kept],
            self.column[kept],
            self.rule,
        )


@dataclass(frozen=True, slots=True)
class JudgmentColumns:
    """Judgments of one table, a row each, shape (N,). A blank grade is NaN: not judged, never 0.

    ``row`` is the row of the file, from 1; ``other`` the file's further columns by header;
    ``votes`` are the grades of several people, where ``grade`` is made of them; ``notes`` has by
    row and judge ("" where the file does not say whose) what was remarked about a document.
    ``title`` is the header among ``other`` of the document's name. ``label`` is each grade as the
    file writes it, where it writes words, and ``label_of`` the word for a grade. ``repeats`` says
    that a judgment stands on a row for each ranking of the same table, which is no peculiarity.
    """

    source: Source
    query: Ids
    document: Ids
    grade: NDArray[np.float64]
    row: NDArray[np.int32]
    query_text: Sequence[str] | None = None
    other: Mapping[str, Sequence[str]] = field(default_factory=dict)
    votes: VoteColumns | None = None
    notes: Mapping[tuple[int, str], str] = field(default_factory=dict)
    title: str | None = None
    label: Sequence[str] | None = None
    label_of: Mapping[float, str] = field(default_factory=dict)
    duplicates: Duplicates = "highest"
    repeats: bool = False

    @property
    def titles(self) -> Sequence[str] | None:
        """The documents' names, row by row, where the file has them."""
        return None if self.title is None else self.other.get(self.title)


@dataclass(frozen=True, slots=True)
class RankingColumns:
    """A ranking of one table, a row for each document returned, shape (N,).

    ``rank`` and ``score`` are NaN where a row has none, or None where the file has no such
    column; ``ranks_by`` is how this file says its order; ``title`` is the header among ``other``
    of the document's name.
    """

    name: str
    source: Source
    query: Ids
    document: Ids
    rank: NDArray[np.float64] | None
    score: NDArray[np.float64] | None
    row: NDArray[np.int32]
    ranks_by: Literal["rank", "score", "rows"]
    query_text: Sequence[str] | None = None
    other: Mapping[str, Sequence[str]] = field(default_factory=dict)
    title: str | None = None

    @property
    def titles(self) -> Sequence[str] | None:
        """The documents' names, row by row, where the file has them."""
        return None if self.title is None else self.other.get(self.title)


@dataclass(frozen=True, slots=True)
class IdealColumns:
    """Ideal grades given by the user: any number for each query, best first or not, shape (N,)."""

    query: Ids
    grade: NDArray[np.float64]
