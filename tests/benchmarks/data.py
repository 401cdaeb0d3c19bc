"""Made-up judgments and rankings of the sizes that the targets are stated for."""

from __future__ import annotations

from pathlib import Path

import numpy as np

LARGE = (6_980, 1_000, 72)
MEDIUM = (1_000, 100, 30)
"""Queries, documents returned for each, documents judged for each."""


def write_trec(folder: Path, size: tuple[int, int, int]) -> tuple[Path, Path]:
    """Write qrels and a run; about half of the judged documents are returned."""
    queries, depth, judged = size
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    if qrels.exists() and run.exists():
        return qrels, run
    random = np.random.default_rng(6980)
    with qrels.open("w") as judgments, run.open("w") as ranking:
        for query in range(queries):
            documents = random.choice(8_800_000, depth + judged // 2, replace=False)
            score = np.sort(random.random(depth) * 30)[::-1]
            ranking.writelines(
                f"{query + 1_000_000} Q0 {document} {rank} {value:.5f} run1\n"
                for rank, (document, value) in enumerate(
                    zip(documents[:depth].tolist(), score.tolist(), strict=True), 1
                )
            )
            seen = random.choice(depth, judged - judged // 2, replace=False)
            pool = [*documents[seen].tolist(), *documents[depth:].tolist()]
            grades = random.choice(4, len(pool), p=[0.55, 0.25, 0.15, 0.05])
            judgments.writelines(
                f"{query + 1_000_000} 0 {document} {grade}\n"
                for document, grade in zip(pool, grades.tolist(), strict=True)
            )
    return qrels, run


def write_workbook(path: Path, rows: int = 300_000) -> Path:
    """Write a workbook of six columns."""
    import xlsxwriter

    if path.exists():
        return path
    book = xlsxwriter.Workbook(str(path), {"constant_memory": True})
    sheet = book.add_worksheet("Judgments")
    sheet.write_row(0, 0, ["query", "docid", "title", "rank", "grade", "comment"])
    for row in range(rows):
        query, rank = divmod(row, 30)
        cells = [f"query {query}", f"D{row}", f"A title of document {row}", rank + 1, row % 4, ""]
        sheet.write_row(row + 1, 0, cells)
    book.close()
    return path


def write_csv(path: Path, rows: int = 300_000) -> Path:
    """Write the same table as CSV."""
    if path.exists():
        return path
    with path.open("w", encoding="utf-8") as stream:
        stream.write("query,docid,title,rank,grade,comment\n")
        for row in range(rows):
            query, rank = divmod(row, 30)
            stream.write(f"query {query},D{row},A title of document {row},{rank + 1},{row % 4},\n")
    return path
