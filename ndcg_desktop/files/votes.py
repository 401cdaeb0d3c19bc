"""The grades that several people gave to the same documents, as a table holds them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding, VoteColumns
from ndcg_desktop.evaluation.ids import Ids, factorize, factorize_pairs
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.evaluation.votes import Votes
from ndcg_desktop.files.judges import judge_of
from ndcg_desktop.files.table import Table, as_ids


def votes_of_columns(
    table: Table,
    columns: Sequence[int],
    grades: Sequence[NDArray[np.float64]],
    rule: str,
    names: Sequence[tuple[str, str]] = (),
) -> VoteColumns:
    """The votes of a table with a column for each judge, who is called as its header says, or as
    ``names`` does for a header.

    ``grades`` are those of each column, shape (N,).
    """
    rows, judges = len(table), len(columns)
    return VoteColumns(
        judges=tuple(judge_of(table.names[column], names) for column in columns),
        place=np.repeat(np.arange(rows), judges),
        judge=np.tile(np.arange(judges), rows),
        grade=np.array(grades).T.ravel(),
        row=np.repeat(table.row.astype(np.int64), judges),
        column=np.tile(np.array(columns, dtype=np.int64), rows),
        rule=rule,
    )


def votes_of_rows(
    table: Table,
    query: Ids,
    document: Ids,
    rater: Ids,
    grade: NDArray[np.float64],
    column: int,
    rule: str,
) -> tuple[NDArray[np.int64], VoteColumns, list[Finding]]:
    """The first row of each (query, document), and the votes of a table with a row for each.

    ``grade`` is each row's, shape (N,), in this ``column``. Of several grades that somebody gave
    one document the last counts, which is a finding.
    """
    code, _ = factorize(query)
    pair, first = factorize_pairs(code, document)
    judge, names = factorize(rater)
    given = np.flatnonzero(~np.isnan(grade))
    key = pair[given].astype(np.int64) * len(names) + judge[given]
    _, at = np.unique(key, return_index=True)
    again = given[np.setdiff1d(np.arange(len(given)), at)]
    findings = row_findings(
        "warning",
        "repeated-vote",
        table.source,
        table.row[again].tolist(),
        lambda place: (
            f"“{rater[int(again[place])]}” graded “{document[int(again[place])]}” before for this "
            "query. The last grade counts."
        ),
    )
    # Pairs are numbered by their first rows, and so are the judgments.
    votes = VoteColumns(
        judges=tuple(rater.take(names).texts()),
        place=pair.astype(np.int64),
        judge=judge.astype(np.int64),
        grade=grade,
        row=table.row.astype(np.int64),
        column=np.full(len(grade), column, dtype=np.int64),
        rule=rule,
    )
    return first, votes, findings


def merged(votes: VoteColumns, rows: int) -> NDArray[np.float64]:
    """The one grade of each of so many rows of judgments, NaN where nobody has judged it."""
    return Votes(votes.judges, votes.place, votes.judge, votes.grade, votes.rule).merged(rows)


def first_rows(table: Table, *columns: int | None) -> NDArray[np.int64]:
    """The first row of each combination of texts in these columns; None stands for no column."""
    texts = [as_ids(table.columns[column]).texts() for column in columns if column is not None]
    first: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(zip(*texts, strict=True)):
        first.setdefault(key, row)
    return np.array(list(first.values()), dtype=np.int64)
