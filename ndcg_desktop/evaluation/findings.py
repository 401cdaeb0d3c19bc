"""Findings as a list: what each kind is called, and how long a list of one kind may grow."""

from __future__ import annotations

from collections.abc import Sequence

from ndcg_desktop.evaluation.columns import Finding

MOST_QUERIES = 100
"""Findings of one kind about queries; past that many, one more says how many there are."""

HEADINGS = {
    # the files
    "file": "Files that cannot be read",
    "file-changed": "Files that have changed since the evaluation was saved",
    "bad-line": "Lines that cannot be read",
    "hash-line": "Lines that look like comments",
    "sheet-unused": "Sheets that were not used",
    "summary-row": "Rows that sum up",
    "columns-guessed": "Columns whose meaning was guessed",
    "grades-unused": "Grades that were not used",
    "columns-remembered": "Columns that are read as before",
    "row-too-wide": "Rows with more cells than the header",
    "odd-bytes": "Bytes that do not fit the rest of the file",
    "encoding-guessed": "Files whose encoding was guessed",
    "maybe-summary": "Rows that perhaps sum up",
    "query-filled-down": "Queries written once for several rows",
    "open-quote": "Quotes that are not closed",
    "unclear-comma": "Commas that may be decimal marks or not",
    "repeated-name": "Names that stand twice in a JSON file",
    "half-character": "Texts with half a character",
    "true-false": "Grades given as true or false",
    "spaces-around": "Ids with spaces around them",
    "ratings-of-hits": "Ratings of the returned documents only",
    "failed-request": "Requests that failed",
    "features-left-out": "Features that were not read",
    "nested-column": "Columns of lists that were not read",
    "columns-left-out": "Columns that are not written",
    "no-document-ids": "Documents without an id",
    # workbooks
    "error-cell": "Cells with an error",
    "formula-without-value": "Formulas without a stored value",
    "stale-formulas": "Formulas that want to be calculated anew",
    "merged-cells": "Merged cells",
    "merged-grade": "Grades in merged cells",
    "hidden-rows": "Hidden rows",
    "hidden-column": "Hidden columns",
    "shown-as": "Ids that are shown otherwise than they are stored",
    "damaged-id": "Ids that a spreadsheet took for dates",
    "far-cells": "Cells far from the table",
    # rows
    "no-query": "Rows without a query",
    "no-system": "Rows that name no ranking",
    "no-rank": "Documents without a rank",
    "not-a-rank": "Ranks that are not numbers",
    "not-a-number": "Grades that are not numbers",
    # queries
    "no-common-query": "Judgments and ranking that do not belong together",
    "no-common-document": "Judgments and ranking without a document in common",
    "near-miss-query": "Queries written differently in the two files",
    "similar-queries": "Queries that look alike",
    "empty-query": "Queries without documents",
    "unjudged-query": "Queries without judgments",
    "missing-query": "Judged queries that are not in the ranking",
    "query-two-texts": "Queries with two texts",
    "text-two-queries": "Texts that belong to two queries",
    # documents and their ids
    "mended": "Ids that are read as those of the judgments",
    "near-miss-document": "Documents written differently in the two files",
    "duplicate-document": "Documents returned twice",
    "document-two-titles": "Documents with two titles",
    "id-scientific": "Ids shortened to 1.23E+12",
    "id-rounded": "Long ids rounded to zeros",
    "id-date": "Ids turned into dates",
    "id-lost-zeros": "Ids that lost their leading zeros",
    "id-placeholder": "Words such as NULL in place of ids",
    "id-error": "Errors of formulas in place of ids",
    # grades
    "duplicate-judgment": "Judgments listed twice",
    "conflicting-judgment": "Judgments that contradict each other",
    "negative-grade": "Grades below 0",
    "grade-off-scale": "Grades off the scale",
    "grade-not-on-scale": "Grades that the chosen scale does not have",
    "mixed-scales": "Grades on different scales",
    "scale-from-one": "Scales that begin at 1",
    "label-spelling": "Words spelled in several ways",
    "unknown-label": "Words that stand for no grade",
    "repeated-vote": "People who judged a document twice",
    "grades-like-scores": "Grades that look like scores",
    "scale-reversed": "A scale that looks reversed",
    "exponential-unsuited": "Grades too large for exponential gain",
    "refused": "Gains that cannot be computed",
    # ranks and scores
    "rank-repeated": "Ranks that stand twice",
    "rank-restart": "Ranks that begin again",
    "rank-impossible": "Ranks below 0 or between two places",
    "rank-sparse": "Ranks far above the number of documents",
    "rank-gap": "Gaps in the ranks",
    "rank-constant": "Ranks that are all the same",
    "rank-from-zero": "Ranks that begin at 0",
    "rank-against-score": "Ranks that contradict the scores",
    "rank-score-reversed": "Scores that grow down the list",
    "not-a-score": "Scores that are missing or no numbers",
    "unclear-point": "Points that may set apart thousands",
    "tied-scores": "Equal scores",
    "scores-equal": "Scores that are all the same",
    "near-ties": "Scores that are almost equal",
    "short-ranking": "Queries with very few results",
}
"""What each code of the program is called, as a heading above its findings."""


def capped(
    found: Sequence[Finding], total: int | None = None, what: str = "queries"
) -> list[Finding]:
    """The first MOST_QUERIES findings of one kind, and one that tells how many more there are.

    ``total`` is their number where not all of them were made, and ``what`` they are about.
    """
    total = len(found) if total is None else total
    if total <= MOST_QUERIES:
        return list(found)
    last = found[MOST_QUERIES - 1]
    more = f"… and {total - MOST_QUERIES:,} more {what}."
    return [*found[:MOST_QUERIES], Finding(last.level, last.code, more, last.source)]
