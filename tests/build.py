"""Evaluations and files, built by hand for the tests."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xlsxwriter

from ndcg_desktop.evaluation.columns import (
    Finding,
    IdealColumns,
    JudgmentColumns,
    RankingColumns,
    Source,
)
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.save import Change, patched, write_patched
from ndcg_desktop.files.table import Table
from ndcg_desktop.scoring.options import Options

Judgment = tuple[str, str, float | None]
"""Query, document, grade; None where the grade is blank."""
Returned = Sequence[Any]
"""Query and document, then perhaps score and rank, None where a row has none."""

WORKED_JUDGMENTS: list[Judgment] = [
    ("q1", "A", 3),
    ("q1", "B", 1),
    ("q1", "C", 0),
    ("q1", "D", 2),
    ("q1", "E", 3),
]
"""The worked example of the specification; E is judged and not returned."""
WORKED_RANKING: list[Returned] = [("q1", "A"), ("q1", "B"), ("q1", "C"), ("q1", "D")]

CHECKOUT = Path(__file__).parents[1]
SHARED = CHECKOUT / "../shared"
"""What lies beside the checkout of a maintainer: other people's data, never copied here."""


def judgment_columns(rows: Iterable[Judgment], file: str = "judgments.csv") -> JudgmentColumns:
    """Judgments as a reader gives them, from row 2 of the file on."""
    rows = list(rows)
    return JudgmentColumns(
        source=Source(file),
        query=Ids.from_texts([row[0] for row in rows]),
        document=Ids.from_texts([row[1] for row in rows]),
        grade=_numbers([row[2] for row in rows]),
        row=np.arange(2, len(rows) + 2, dtype=np.int32),
    )


def ranking_columns(rows: Iterable[Returned], file: str = "run.csv") -> RankingColumns:
    """A ranking as a reader gives it: by rank where some row has one, else by score, or by row."""
    rows = [(*row, None, None)[:4] for row in rows]
    scored = any(row[2] is not None for row in rows)
    ranked = any(row[3] is not None for row in rows)
    return RankingColumns(
        name=file,
        source=Source(file),
        query=Ids.from_texts([row[0] for row in rows]),
        document=Ids.from_texts([row[1] for row in rows]),
        rank=_numbers([row[3] for row in rows]) if ranked else None,
        score=_numbers([row[2] for row in rows]) if scored else None,
        row=np.arange(2, len(rows) + 2, dtype=np.int32),
        ranks_by="rank" if ranked else "score" if scored else "rows",
    )


def ideal_columns(grades: Mapping[str, Iterable[float | None]]) -> IdealColumns:
    """Ideal grades by query."""
    rows = [(query, grade) for query, some in grades.items() for grade in some]
    return IdealColumns(
        Ids.from_texts([query for query, _ in rows]), _numbers([grade for _, grade in rows])
    )


def _numbers(values: Iterable[float | None]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def joined(
    judgments: Iterable[Judgment],
    *rankings: Iterable[Returned],
    ideal: Mapping[str, Iterable[float | None]] | None = None,
    **options: Any,
) -> tuple[Evaluation, list[Finding]]:
    """An evaluation of judgments and rankings, and what was found on the way."""
    return join(
        [judgment_columns(judgments)],
        [ranking_columns(rows) for rows in rankings],
        None if ideal is None else ideal_columns(ideal),
        Options(**options),
    )


def evaluation_of(
    judgments: Iterable[Judgment],
    *rankings: Iterable[Returned],
    ideal: Mapping[str, Iterable[float | None]] | None = None,
    **options: Any,
) -> Evaluation:
    """The evaluation alone."""
    return joined(judgments, *rankings, ideal=ideal, **options)[0]


def values_of(evaluation: Evaluation, ranking: int = 0) -> dict[str, float]:
    """The value of each query that is in the mean."""
    scores = evaluation.scores(ranking)
    numbers = np.flatnonzero(scores.counted).tolist()
    return {evaluation.queries[number]: float(scores.value[number]) for number in numbers}


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]], top: int = 0, left: int = 0) -> bytes:
    """The bytes of an .xlsx whose tables begin ``top`` rows and ``left`` columns from A1."""
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer, {"in_memory": True}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(top + number, left, row)
    return buffer.getvalue()


def table_of(text: str | bytes, name: str = "table.csv") -> Table:
    """The only table of a file with this content."""
    data = text.encode() if isinstance(text, str) else text
    (table,) = read_bytes(Path(name), data)
    return table


def rows_of(table: Table) -> list[list[Any]]:
    """The rows of a table as lists of cells."""
    return [list(row) for row in zip(*table.columns, strict=True)]


def save_in_place(part, edits, new_rows, target=None, **consent):
    """Write grades into the only table of a file, or into a copy; the table as it now stands."""
    (table,) = write_patched(patched([Change(part, edits, new_rows)], target, **consent))
    return table
