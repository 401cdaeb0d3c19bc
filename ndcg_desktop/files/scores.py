"""Scores that a ranking goes by, as its table writes them: what is odd about the cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.files.numbers import Decimal, is_blank, unclear_points
from ndcg_desktop.files.table import Table, Texts, as_ids


def missing_scores(
    table: Table, column: int, document: int, score: NDArray[np.float64]
) -> list[Finding]:
    """A finding for each row with a document and without a number as its score, shape (N,)."""
    rows = np.flatnonzero(np.isnan(score))
    if len(rows):
        rows = rows[as_ids(table.columns[document]).length[rows] > 0]
    cells = Texts(table.columns[column])

    def text(place: int) -> str:
        cell = cells[int(rows[place])]
        if is_blank(cell):
            return "This row has no score. Its document is ranked last in its query."
        return (
            f"The score “{cell[:40]}” of this row is not a number that can be compared. Its "
            "document is ranked last in its query."
        )

    return row_findings("warning", "not-a-score", table.source, table.row[rows].tolist(), text)


def points_of_scores(table: Table, column: int, decimal: Decimal) -> list[Finding]:
    """One finding for a column whose points may be decimal marks or set apart thousands."""
    rows = [] if decimal else unclear_points(table.columns[column])
    if not rows:
        return []
    text = (
        f"“{Texts(table.columns[column])[rows[0]]}” in the column “{table.names[column]}” may be a "
        "fraction or a whole number of thousands. Its point is taken for the decimal mark."
    )
    return [Finding("warning", "unclear-point", text, table.source, int(table.row[rows[0]]))]
