"""Join judgments with rankings, once; what does not fit becomes a finding, never an exception."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.checks import check
from ndcg_desktop.evaluation.columns import (
    Duplicates,
    Finding,
    IdealColumns,
    JudgmentColumns,
    Level,
    RankingColumns,
    Source,
)
from ndcg_desktop.evaluation.entries import Entry, votes_of
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ids import Ids, concatenate, factorize, factorize_pairs
from ndcg_desktop.evaluation.judgments import Judgments, pooled, rule_of
from ndcg_desktop.evaluation.ranking import NO_PAIR, Ranking
from ndcg_desktop.scoring.options import Options

Columns = TypeVar("Columns", JudgmentColumns, RankingColumns)

_NO_CODES = np.empty(0, dtype=np.int32)
_NO_GRADES = np.empty(0, dtype=np.float64)

MOST_ROWS = 200
"""Findings of one kind in one file; past that many, one more says how many there are."""


def join(
    judgments: Sequence[JudgmentColumns],
    rankings: Sequence[RankingColumns],
    ideal: IdealColumns | None = None,
    options: Options | None = None,
) -> tuple[Evaluation, list[Finding]]:
    """Make an evaluation of tables that are already understood column by column.

    A judgment listed twice counts once, with its highest grade or by the rule that the first of
    the tables to name another names; a document returned twice counts at its better place; rows
    without a query or a document are left out. Each is a finding.
    """
    findings: list[Finding] = []
    judgments = [_with_queries(columns, findings) for columns in judgments]
    rankings = [_complete(_with_queries(columns, findings), findings) for columns in rankings]
    parts: list[JudgmentColumns | RankingColumns] = [*judgments, *rankings]
    ids = [columns.query for columns in parts] + ([ideal.query] if ideal else [])
    queries, codes = _number_queries(ids)
    pool, entries = _pool(judgments, codes[: len(judgments)], len(queries), findings)
    tables = [
        Ranking(columns, code, pool)
        for columns, code in zip(rankings, codes[len(judgments) :], strict=False)
    ]
    given = (codes[-1], ideal) if ideal else None
    titles = _titles(parts, codes)
    votes = votes_of(entries)
    if votes is not None:
        pool.set_all(votes.merged(len(pool)))
    evaluation = Evaluation(
        queries, titles, pool, entries, tables, given, options or Options(), votes
    )
    findings += check(evaluation)
    # A table that is both judgments and ranking is looked at twice.
    return evaluation, list(dict.fromkeys(findings))


def row_findings(
    level: Level,
    code: str,
    source: Source,
    rows: Iterable[int],
    text: Callable[[int], str],
) -> list[Finding]:
    """A finding for each row (number in the file), the first MOST_ROWS of them; ``text`` is asked
    with the place in ``rows``.
    """
    rows = list(rows)
    found = [
        Finding(level, code, text(place), source, row) for place, row in enumerate(rows[:MOST_ROWS])
    ]
    if len(rows) > MOST_ROWS:
        found.append(Finding(level, code, f"… and {len(rows) - MOST_ROWS:,} more rows.", source))
    return found


def _with_queries(columns: Columns, findings: list[Finding]) -> Columns:
    """Leave out the rows without a query."""
    lost = np.flatnonzero(columns.query.length == 0)
    if not len(lost):
        return columns
    findings += row_findings(
        "warning",
        "no-query",
        columns.source,
        columns.row[lost].tolist(),
        lambda place: "This row has no query. It was left out.",
    )
    return _take(columns, np.flatnonzero(columns.query.length > 0))


def _complete(columns: RankingColumns, findings: list[Finding]) -> RankingColumns:
    """Leave out the rows that rank nothing: without a document, or without a rank where others
    have one.
    """
    keep = columns.document.length > 0
    if columns.ranks_by == "rank" and columns.rank is not None:
        unranked = keep & np.isnan(columns.rank)
        findings += row_findings(
            "note",
            "no-rank",
            columns.source,
            columns.row[unranked].tolist(),
            lambda place: "This row has no rank. Its document counts as not returned.",
        )
        keep &= ~unranked
    return columns if keep.all() else _take(columns, np.flatnonzero(keep))


def _take(columns: Columns, rows: NDArray[np.int64]) -> Columns:
    def text(values: Sequence[str]) -> list[str]:
        return [values[row] for row in rows]

    numbers: dict[str, Any] = {
        name: getattr(columns, name)[rows]
        for name in ("grade", "rank", "score", "row")
        if getattr(columns, name, None) is not None
    }
    if isinstance(columns, JudgmentColumns):
        numbers |= _judged_rows(columns, rows)
    return replace(
        columns,
        query=columns.query.take(rows),
        document=columns.document.take(rows),
        query_text=None if columns.query_text is None else text(columns.query_text),
        other={name: text(values) for name, values in columns.other.items()},
        **numbers,
    )


def _judged_rows(columns: JudgmentColumns, rows: NDArray[np.int64]) -> dict[str, Any]:
    """What judgments alone have, of these rows."""
    now_at = {row: place for place, row in enumerate(rows.tolist())}
    return {
        "label": None if columns.label is None else [columns.label[row] for row in rows],
        "votes": None if columns.votes is None else columns.votes.of_rows(rows),
        "notes": {
            (now_at[row], judge): note
            for (row, judge), note in columns.notes.items()
            if row in now_at
        },
    }


def _number_queries(ids: Sequence[Ids]) -> tuple[list[str], list[NDArray[np.int32]]]:
    """All query ids in order of appearance, and the number of each row of each column."""
    numbers: dict[str, int] = {}
    codes = []
    for column in ids:
        code, first = factorize(column)
        texts = column.take(first).texts()
        here = [numbers.setdefault(text, len(numbers)) for text in texts]
        codes.append(np.array(here, dtype=np.int32)[code] if here else code)
    return list(numbers), codes


def _titles(
    parts: Sequence[JudgmentColumns | RankingColumns], codes: Sequence[NDArray[np.int32]]
) -> dict[int, str]:
    titles: dict[int, str] = {}
    for columns, code in zip(parts, codes, strict=False):
        if columns.query_text is not None:
            numbers, first = np.unique(code, return_index=True)
            for number, row in zip(numbers.tolist(), first.tolist(), strict=True):
                titles.setdefault(number, columns.query_text[row])
    return titles


def _pool(
    judgments: Sequence[JudgmentColumns],
    codes: Sequence[NDArray[np.int32]],
    queries: int,
    findings: list[Finding],
) -> tuple[Judgments, list[Entry]]:
    """One pair for each distinct (query, document) of all judgments tables."""
    kept = [np.flatnonzero(columns.document.length > 0) for columns in judgments]
    query = np.concatenate(
        [_NO_CODES, *(code[rows] for code, rows in zip(codes, kept, strict=True))]
    )
    documents = concatenate(
        [columns.document.take(rows) for columns, rows in zip(judgments, kept, strict=True)]
    )
    grade = np.concatenate(
        [_NO_GRADES, *(c.grade[rows] for c, rows in zip(judgments, kept, strict=True))]
    )
    pair, first = factorize_pairs(query, documents)
    pool = Judgments(
        query[first],
        documents.take(first),
        pooled([pair], [grade], len(first), rule_of(judgments)),
        queries,
    )
    entries = []
    end = 0
    for columns, rows in zip(judgments, kept, strict=True):
        of_row = np.full(len(columns.row), NO_PAIR, dtype=np.int32)
        of_row[rows] = pair[end : end + len(rows)]
        end += len(rows)
        entries.append(Entry(columns, of_row))
        findings += _negative(columns)
    if len(first) < len(pair):
        findings += _duplicates(entries, pool, rule_of(judgments))
    findings += _scale_from_one(entries)
    return pool, entries


FEWEST_GRADES = 3
"""Grades that make a scale of which 0 is no part; fewer are often the relevant documents alone."""
MOST_GAINS = 12
"""Grades of a scale that a finding names one by one."""


def _scale_from_one(entries: Sequence[Entry]) -> list[Finding]:
    """Say that the lowest grade of a scale from 1 gains something, and how it would not."""
    grades = np.unique(np.concatenate([_NO_GRADES, *(each.columns.grade for each in entries)]))
    grades = grades[~np.isnan(grades)]
    if len(grades) < FEWEST_GRADES or grades[0] < 1:
        return []
    text = (
        f"The lowest grade is {grades[0]:g}, so that every judged document gains something. If it "
        "stands for “not relevant”, subtract 1 from each grade"
    )
    if len(grades) <= MOST_GAINS:
        text += ", by gains of " + ",".join(f"{grade:.10g}={grade - 1:.10g}" for grade in grades)
    return [Finding("note", "scale-from-one", f"{text}.", entries[0].columns.source)]


def _negative(columns: JudgmentColumns) -> list[Finding]:
    """One finding for all: TREC judgments of spam are negative by the thousand."""
    rows = np.flatnonzero(columns.grade < 0)
    if not len(rows):
        return []
    grade = f"{columns.grade[rows[0]]:g}"
    text = f"The grade {grade} is below 0. It is kept, and gains 0."
    if len(rows) > 1:
        text = f"{len(rows):,} grades are below 0, the first {grade}. They are kept, and gain 0."
    row = int(columns.row[rows[0]])
    return [Finding("note", "negative-grade", text, columns.source, row)]


def _duplicates(entries: Sequence[Entry], pool: Judgments, rule: Duplicates) -> list[Finding]:
    """Rows whose pair stood on an earlier row, of this table or of one before it."""
    seen = np.zeros(len(pool), dtype=bool)
    conflicting = _conflicting(entries, pool)
    found: list[Finding] = []
    for entry in entries:
        rows = np.flatnonzero(entry.pair != NO_PAIR)
        pair = entry.pair[rows]
        _, first = np.unique(pair, return_index=True)
        again = seen[pair]
        later = np.ones(len(pair), dtype=bool)
        later[first] = False
        seen[pair] = True
        repeated = again | later
        if entry.columns.repeats:
            repeated &= conflicting[pair]
        found += _duplicate_rows(entry, rows[repeated], pool, conflicting, rule)
    return found


_RULES: dict[Duplicates, str] = {
    "highest": "The highest",
    "first": "The first",
    "last": "The last",
    "mean": "Their mean",
}


def _duplicate_rows(
    entry: Entry,
    rows: NDArray[np.int64],
    pool: Judgments,
    conflicting: NDArray[np.bool_],
    rule: Duplicates,
) -> list[Finding]:
    columns = entry.columns
    pair = entry.pair[rows]
    if columns.votes is not None:
        return row_findings(
            "note",
            "duplicate-judgment",
            columns.source,
            columns.row[rows].tolist(),
            lambda place: (
                f"“{columns.document[int(rows[place])]}” stands on several rows for this query. Of "
                "a judge's several grades the last counts."
            ),
        )

    def text(place: int) -> str:
        row = chosen[place]
        document = columns.document[int(rows[row])]
        if not conflict:
            return f"“{document}” is judged twice for this query, with the same grade."
        return (
            f"“{document}” is judged more than once for this query, with different grades. "
            f"{_RULES[rule]}, {pool.grade[pair[row]]:g}, is used."
        )

    found: list[Finding] = []
    for conflict in (True, False):
        chosen = np.flatnonzero(conflicting[pair] == conflict)
        level: Level = "warning" if conflict else "note"
        code = "conflicting-judgment" if conflict else "duplicate-judgment"
        found += row_findings(level, code, columns.source, columns.row[rows[chosen]].tolist(), text)
    return found


def _conflicting(entries: Sequence[Entry], pool: Judgments) -> NDArray[np.bool_]:
    """Whether some row gives a pair a grade other than the one that is used, shape (P,)."""
    conflicting = np.zeros(len(pool), dtype=bool)
    for entry in entries:
        rows = np.flatnonzero(entry.pair != NO_PAIR)
        pair, grade = entry.pair[rows], entry.columns.grade[rows]
        conflicting[pair[(grade != pool.grade[pair]) & ~np.isnan(grade)]] = True
    return conflicting
