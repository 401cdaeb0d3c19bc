"""Texts that do not fit their ids: one id with two texts, one text with two ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ndcg_desktop.evaluation.alike import plain
from ndcg_desktop.evaluation.columns import Finding, JudgmentColumns, RankingColumns, Source
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ids import Ids

MOST_ROWS = 20_000
"""Rows of a table whose texts are compared."""

MOST_TEXTS = 20
"""Findings of one kind; past that many, one more says how many there are."""

Columns = JudgmentColumns | RankingColumns
Seen = tuple[str, Source, int]
"""A text, and the file and row where it first stood."""


def check_texts(evaluation: Evaluation) -> list[Finding]:
    """Ids of queries and documents with two texts, and texts of queries with two ids."""
    tables: list[Columns] = [entry.columns for entry in evaluation.entries]
    tables += [ranking.columns for ranking in evaluation.rankings]
    queries: dict[str, Seen] = {}
    documents: dict[str, Seen] = {}
    two_texts: list[Finding] = []
    two_titles: list[Finding] = []
    for columns in tables:
        if columns.query_text is not None:
            two_texts += _second_texts(columns, "query", columns.query, columns.query_text, queries)
        titles = columns.titles
        if titles is not None:
            two_titles += _second_texts(columns, "document", columns.document, titles, documents)
    found = (two_texts, _second_ids(queries), two_titles)
    return [finding for kind in found for finding in _shortened(kind)]


def _second_texts(
    columns: Columns, what: str, ids: Ids, texts: Sequence[str], seen: dict[str, Seen]
) -> list[Finding]:
    """The first row of each id whose text is not the one that the id had before."""
    found = []
    told: set[str] = set()
    for row, identity, text in _rows(ids, texts):
        here = (text, columns.source, int(columns.row[row]))
        first = seen.setdefault(identity, here)
        if identity in told or plain(first[0]) == plain(text):
            continue
        told.add(identity)
        code = "query-two-texts" if what == "query" else "document-two-titles"
        message = (
            f"The {what} “{identity}” is called “{text[:60]}” here and “{first[0][:60]}” in "
            f"{Finding('note', code, '', first[1], first[2]).place}. It is taken for one {what}."
        )
        found.append(Finding("note", code, message, columns.source, here[2]))
    return found


def _rows(ids: Ids, texts: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Row, id and text of the first rows that have both."""
    for row in range(min(len(ids), MOST_ROWS)):
        text = texts[row]
        if text:
            yield row, ids[row], text


def _second_ids(queries: dict[str, Seen]) -> list[Finding]:
    first: dict[str, str] = {}
    found = []
    for query, (text, source, row) in queries.items():
        other = first.setdefault(plain(text), query)
        if other != query:
            message = (
                f"The queries “{other}” and “{query}” have the same text, “{text[:60]}”. They are "
                "kept apart."
            )
            found.append(Finding("note", "text-two-queries", message, source, row))
    return found


def _shortened(found: list[Finding]) -> list[Finding]:
    found = list(dict.fromkeys(found))  # a table may be both judgments and ranking
    if len(found) <= MOST_TEXTS:
        return found
    last = found[MOST_TEXTS - 1]
    more = f"… and {len(found) - MOST_TEXTS:,} more."
    return [*found[:MOST_TEXTS], Finding(last.level, last.code, more, last.source)]
