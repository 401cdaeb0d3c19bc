"""The judge's record: time, order, drift and self-agreement."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from ndcg_desktop.session.journal import Change, Recorded
from ndcg_desktop.session.record import BLOCK, decisions, summaries, write_record


def change(number: int, **values) -> Recorded:
    """A change of the journal."""
    given = {
        "time": 1_700_000_000.0 + number,
        "judge": "Ann",
        "kind": "grade",
        "query": "q",
        "document": f"d{number}",
        "old": None,
        "new": float(number % 4),
        "seconds": 2.0,
        "seen": number,
    } | values
    return Recorded(number, "run", Change(**given))


def test_what_counts() -> None:
    """Grades of the Judge page count, verdicts and repeats too; other edits and marks do not."""
    every = [
        change(1),
        change(2, seconds=None),
        change(3, kind="mark", new="later"),
        change(4, new=None),
        change(5, kind="verdict"),
        change(6, kind="repeat", old=1.0, new=2.0),
        change(7, kind="repeat", old=0.0, new=0.0),
        change(8, kind="note", new="x"),
    ]
    found = decisions(every)
    assert [each.document for each in found] == ["d1", "d5", "d6", "d7"]
    assert [each.first for each in found] == [None, None, 1.0, 0.0]


def test_summary() -> None:
    """Median seconds, mean grade by blocks, and κ of repeats as scikit-learn has it."""
    grades = [1.0] * BLOCK + [3.0] * 10
    every = [change(n, new=grade, seconds=float(n % 3 + 1)) for n, grade in enumerate(grades)] + [
        change(100 + n, kind="repeat", old=old, new=new)
        for n, (old, new) in enumerate([(0.0, 0.0), (1.0, 1.0), (2.0, 1.0), (0.0, 2.0)])
    ]
    every.append(change(200, judge="Bob"))
    ann, bob = summaries(decisions(every))
    assert (ann.judge, ann.judgments, ann.again, ann.same) == ("Ann", BLOCK + 14, 4, 2)
    assert ann.seconds == 2.0
    assert [(b.begin, b.end) for b in ann.blocks] == [(1, BLOCK), (BLOCK + 1, BLOCK + 14)]
    assert ann.blocks[0].mean == 1.0
    assert ann.blocks[1].mean == pytest.approx((30 + 4) / 14)
    assert ann.kappa == pytest.approx(cohen_kappa_score([0, 1, 2, 0], [0, 1, 1, 2]))
    assert (bob.judge, bob.again) == ("Bob", 0)


def test_csv(tmp_path: Path) -> None:
    """The file has a line for each judgment, with the mean of the last ones for the drift."""
    path = tmp_path / "record.csv"
    every = decisions([change(1, document="ä,“x”"), change(2), change(3, kind="repeat", old=1.0)])
    write_record(path, every)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:8] == [
        "time (UTC)", "judge", "kind", "query", "document", "grade", "seconds", "order seen",
    ]  # fmt: skip
    assert rows[1] == [
        "2023-11-14T22:13:21+00:00", "Ann", "grade", "q", "ä,“x”", "1", "2.00", "1", "", "1.0000",
    ]  # fmt: skip
    assert rows[3][8] == "1"
    assert rows[3][9] == "2.0000"
