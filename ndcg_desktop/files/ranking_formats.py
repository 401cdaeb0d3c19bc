"""Rankings as the files of other programs, each by the rules of the program that reads it.

trec_eval and its kin look at the scores alone: the highest first, ties by document id descending.
Where that would not be the order of the ranking, other scores are written that are.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.files.exchange import Encoded, Ranked, Ranking, of, refuse_spaces, told
from ndcg_desktop.files.numbers import number_text
from ndcg_desktop.files.write import Row, text_bytes, workbook_bytes

TAG = "ndcg"
"""The name of the ranking in a TREC run."""


def run(target: Path, ranking: Ranking) -> Encoded:
    """Lines of "query Q0 document rank score tag", as trec_eval reads them."""
    refuse_spaces(target, ranking.rows)
    scores, findings = falling_scores(target, ranking)
    lines = [
        f"{row.query} Q0 {row.document} {row.rank} {number_text(score)} {TAG}\n"
        for row, score in zip(ranking.rows, scores, strict=True)
    ]
    return Encoded("".join(lines).encode(), tuple(findings))


def pytrec_eval(target: Path, ranking: Ranking) -> Encoded:
    """JSON of {query: {document: score}}, as pytrec_eval and ranx take a run."""
    scores, findings = falling_scores(target, ranking)
    if all(score.is_integer() for score in scores):
        # Whole numbers alone look like grades.
        scores = [score + 0.5 for score in _places(ranking.rows)]
        if not findings:
            text = (
                "All scores are whole numbers, which in such a file look like grades. Others with "
                "a half are written, in the same order."
            )
            findings = [told(target, "scores-replaced", text)]
    nested: dict[str, dict[str, float]] = {}
    for row, score in zip(ranking.rows, scores, strict=True):
        nested.setdefault(row.query, {})[row.document] = score
    return Encoded(
        (json.dumps(nested, ensure_ascii=False, indent=1) + "\n").encode(), tuple(findings)
    )


def table_csv(target: Path, ranking: Ranking) -> Encoded:
    """Comma-separated text with a header."""
    header, rows = _table(ranking)
    return Encoded(text_bytes(target, header, rows, ","))


def table_xlsx(target: Path, ranking: Ranking) -> Encoded:
    """A workbook of one sheet."""
    header, rows = _table(ranking)
    return Encoded(workbook_bytes(target, header, rows, "Ranking"))


def _table(ranking: Ranking) -> tuple[list[str], list[Row]]:
    """The header and the rows, with texts of queries and scores only where there are some."""
    with_texts = any(ranking.texts.get(row.query) for row in ranking.rows)
    with_scores = any(row.score is not None for row in ranking.rows)
    header = ["query id", "query"] if with_texts else ["query"]
    header += ["document", "rank", "score"] if with_scores else ["document", "rank"]
    rows: list[Row] = []
    for row in ranking.rows:
        cells: Row = [row.query, ranking.texts.get(row.query, "")] if with_texts else [row.query]
        cells += [row.document, float(row.rank)]
        rows.append([*cells, row.score] if with_scores else cells)
    return header, rows


def falling_scores(target: Path, ranking: Ranking) -> tuple[list[float], list[Finding]]:
    """Scores by which trec_eval orders the documents as they are ranked.

    These are the ranking's own where they do that, else as many as a query has documents, counting
    down, which is said.
    """
    rows = ranking.rows
    own = [row.score for row in rows if row.score is not None and math.isfinite(row.score)]
    if len(own) < len(rows):
        missing = next(r for r in rows if r.score is None or not math.isfinite(r.score))
        text = f"There is no score for {of(missing)}. Every score is made from the rank instead."
        return _places(rows), [told(target, "scores-replaced", text, "note")]
    exact = _out_of_order(rows, float)
    rough = exact or _out_of_order(rows, _as_32_bits)
    if rough is None:
        return own, []
    if ranking.by_score and exact is None:
        text = (
            f"The score of {of(rough)} and the one before it are the same number of 32 bits. "
            "pytrec_eval, which looks at no more, takes them in another order."
        )
        return own, [told(target, "scores-too-close", text)]
    text = (
        f"By its score {of(rough)} would stand higher than its rank {rough.rank}. As programs that "
        "read such a file go by scores alone, every score is made from the rank instead."
    )
    return _places(rows), [told(target, "scores-replaced", text)]


def _places(rows: Sequence[Ranked]) -> list[float]:
    """For each row how many documents of its query stand there or lower."""
    left = Counter(row.query for row in rows)
    places = []
    for row in rows:
        places.append(float(left[row.query]))
        left[row.query] -= 1
    return places


def _as_32_bits(score: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(score))


def _out_of_order(rows: Sequence[Ranked], seen: Callable[[float], float]) -> Ranked | None:
    """The first row that trec_eval would put before the one above it, with the scores it sees."""
    for above, row in pairwise(rows):
        assert above.score is not None and row.score is not None
        if above.query == row.query:
            high, low = seen(above.score), seen(row.score)
            if high < low or (high == low and above.document.encode() < row.document.encode()):
                return row
    return None
