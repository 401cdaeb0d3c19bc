"""The grades that several people gave to one document become one."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.ids import Ids, factorize, factorize_pairs
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.files.table import Table, as_ids

Merge = Literal["mean", "median", "min", "max"]


def merged_grades(
    pair: NDArray[np.integer], grade: NDArray[np.float64], pairs: int, rule: Merge
) -> NDArray[np.float64]:
    """One grade for each pair, shape (pairs,), of the grades of its rows, shape (N,).

    Blanks (NaN) are passed over; a pair of blanks alone stays blank.
    """
    out = np.full(pairs, np.nan)
    there = np.flatnonzero(~np.isnan(grade))
    there = there[np.lexsort((grade[there], pair[there]))]
    found, begin, count = np.unique(pair[there], return_index=True, return_counts=True)
    if not len(found):
        return out
    grade = grade[there]
    lowest, highest = begin, begin + count - 1
    if rule == "mean":
        out[found] = np.add.reduceat(grade, begin) / count
    elif rule == "median":
        out[found] = (grade[(lowest + highest) // 2] + grade[(lowest + highest + 1) // 2]) / 2
    else:
        out[found] = grade[lowest if rule == "min" else highest]
    return out


def merge_votes(
    table: Table,
    query: Ids,
    document: Ids,
    rater: Ids,
    grade: NDArray[np.float64],
    rule: Merge,
) -> tuple[NDArray[np.int64], NDArray[np.float64], str, list[Finding]]:
    """The first row of each (query, document), its merged grade, and how it came about.

    ``grade`` is each row's, shape (N,). Somebody who graded a document more than once has as many
    votes, which is a finding.
    """
    code, _ = factorize(query)
    pair, first = factorize_pairs(code, document)
    votes = np.flatnonzero(~np.isnan(grade))
    voter, at = factorize_pairs(pair[votes], rater.take(votes))
    again = np.setdiff1d(np.arange(len(votes)), at)
    findings = row_findings(
        "warning",
        "repeated-vote",
        table.source,
        table.row[votes[again]].tolist(),
        lambda place: (
            f"“{rater[int(votes[again[place]])]}” graded “{document[int(votes[again[place]])]}” "
            "before for this query. Both grades count."
        ),
    )
    raters = int(np.bincount(pair[votes[at]]).max()) if len(voter) else 0
    merged = merged_grades(pair, grade, len(first), rule)
    return first, merged, f"{rule} of up to {raters} raters", findings


def first_rows(table: Table, *columns: int | None) -> NDArray[np.int64]:
    """The first row of each combination of texts in these columns; None stands for no column."""
    texts = [as_ids(table.columns[column]).texts() for column in columns if column is not None]
    first: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(zip(*texts, strict=True)):
        first.setdefault(key, row)
    return np.array(list(first.values()), dtype=np.int64)
