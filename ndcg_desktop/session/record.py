"""A judge's record: what was judged on the Judge page, when, how fast, and how evenly."""

from __future__ import annotations

import csv
import io
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.files.delimited import BYTE_ORDER_MARK
from ndcg_desktop.files.numbers import number_text
from ndcg_desktop.scoring.agreement import cohen_kappa
from ndcg_desktop.session.chronicle import REPEAT
from ndcg_desktop.session.journal import Recorded

BLOCK = 50
"""Judgments whose mean grade is compared with that of the next ones."""

HEADER = (
    "time (UTC)", "judge", "kind", "query", "document", "grade", "seconds", "order seen",
    "first grade, where shown again", f"mean grade of the last {BLOCK}",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Decision:
    """A grade that was given on the Judge page. ``first`` is what the judge had said before of a
    document that was shown again, None of one that was not.
    """

    time: float
    judge: str
    kind: str
    query: str
    document: str
    grade: float
    seconds: float
    seen: int
    first: float | None


@dataclass(frozen=True, slots=True)
class Block:
    """So many judgments of one judge, one after the other."""

    begin: int
    end: int
    mean: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The record of one judge. ``again`` counts the documents that were shown twice, ``same`` those
    with the same grade; ``kappa`` is Cohen's κ between the two, NaN where it is undefined.
    """

    judge: str
    judgments: int
    seconds: float
    mean: float
    blocks: tuple[Block, ...]
    again: int
    same: int
    kappa: float


def decisions(changes: Iterable[Recorded]) -> list[Decision]:
    """What was decided on the Judge page, oldest first; changes made elsewhere have no time."""
    found = []
    for recorded in changes:
        change = recorded.change
        if change.kind in ("note", "mark") or change.seconds is None:
            continue
        if isinstance(change.new, float | int):
            again = change.kind == REPEAT and isinstance(change.old, float | int)
            found.append(
                Decision(
                    change.time,
                    change.judge,
                    change.kind,
                    change.query,
                    change.document,
                    float(change.new),
                    change.seconds,
                    change.seen or 0,
                    float(change.old or 0.0) if again else None,
                )
            )
    return found


def summaries(every: Sequence[Decision]) -> list[Summary]:
    """The record of each judge, in order of their first judgment."""
    of_judge: dict[str, list[Decision]] = defaultdict(list)
    for decision in every:
        of_judge[decision.judge].append(decision)
    return [_summary(judge, own) for judge, own in of_judge.items()]


def _summary(judge: str, own: Sequence[Decision]) -> Summary:
    repeats = [each for each in own if each.first is not None]
    first = np.array([each.first for each in repeats], dtype=np.float64)
    second = np.array([each.grade for each in repeats])
    blocks = [own[begin : begin + BLOCK] for begin in range(0, len(own), BLOCK)]
    return Summary(
        judge=judge,
        judgments=len(own),
        seconds=statistics.median(each.seconds for each in own),
        mean=statistics.fmean(each.grade for each in own),
        blocks=tuple(
            Block(
                number * BLOCK + 1,
                number * BLOCK + len(block),
                statistics.fmean(each.grade for each in block),
                statistics.median(each.seconds for each in block),
            )
            for number, block in enumerate(blocks)
        ),
        again=len(repeats),
        same=int(np.count_nonzero(first == second)),
        kappa=cohen_kappa(first, second)[0],
    )


def write_record(path: Path, every: Sequence[Decision]) -> None:
    """Write decisions as CSV, whole or not at all. Raises FileError."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    recent: dict[str, list[float]] = defaultdict(list)
    for each in every:
        last = recent[each.judge]
        last.append(each.grade)
        del last[:-BLOCK]
        writer.writerow(
            (
                datetime.fromtimestamp(each.time, UTC).isoformat(timespec="seconds"),
                each.judge,
                each.kind,
                each.query,
                each.document,
                number_text(each.grade),
                f"{each.seconds:.2f}",
                each.seen,
                "" if each.first is None else number_text(each.first),
                f"{statistics.fmean(last):.4f}",
            )
        )
    data = (BYTE_ORDER_MARK + out.getvalue()).encode("utf-8", "surrogatepass")
    atomic_write(path, lambda file: file.write(data))
