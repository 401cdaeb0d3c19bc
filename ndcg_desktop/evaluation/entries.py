"""Where the rows of judgments tables went, and the votes and notes that they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import JudgmentColumns
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.evaluation.votes import Votes


@dataclass(frozen=True, slots=True)
class Entry:
    """Where one judgments table's rows went: the pair of each row, NO_PAIR where it made none."""

    columns: JudgmentColumns
    pair: NDArray[np.int32]


def votes_in(
    entries: Sequence[Entry],
) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The names of the judges of some tables, and of each vote the pair, the judge and the grade.

    A table of one grade for each document, beside others with several, is one more judge, called
    as its file.
    """
    judges: list[str] = []
    parts: list[tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.float64]]] = []
    for entry in entries:
        votes = entry.columns.votes
        if votes is None:
            number = np.full(len(entry.pair), len(judges), dtype=np.int64)
            judges.append(entry.columns.source.file)
            parts.append((entry.pair, number, entry.columns.grade))
        else:
            parts.append((entry.pair[votes.place], votes.judge + len(judges), votes.grade))
            judges += votes.judges
    pair, judge, grade = (np.concatenate(each) for each in zip(*parts, strict=True))
    known = pair != NO_PAIR
    return judges, pair[known].astype(np.int64), judge[known], grade[known]


def votes_of(entries: Sequence[Entry]) -> Votes | None:
    """The votes that tables hold; None where no table has the grades of several people."""
    rule = next((e.columns.votes.rule for e in entries if e.columns.votes is not None), None)
    return None if rule is None else Votes(*votes_in(entries), rule)


def notes_of(entries: Sequence[Entry]) -> dict[tuple[int, str], str]:
    """The notes that tables hold, by pair and judge."""
    return {
        (int(entry.pair[row]), judge): note
        for entry in entries
        for (row, judge), note in entry.columns.notes.items()
        if entry.pair[row] != NO_PAIR
    }


def renamed(entry: Entry, old: str, new: str) -> Entry:
    """The same table with another name of a judge."""
    votes = entry.columns.votes
    if votes is None or old not in votes.judges:
        return entry
    judges = tuple(new if judge == old else judge for judge in votes.judges)
    columns = replace(entry.columns, votes=replace(votes, judges=judges))
    return replace(entry, columns=columns)
