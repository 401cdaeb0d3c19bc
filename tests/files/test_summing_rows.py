"""Rows that sum up others and have a grade, and queries that are written once for their rows."""

import pytest
from build import save_in_place, table_of

from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.read import read
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.save import GradeEdit
from ndcg_desktop.files.table import FileError

HEAD = "query,doc_id,grade\n"
ONE = "q1,a,1\nq1,b,2\n"
TWO = "q2,c,3\nq2,d,0\n"
PAIRS = [("q1", "a"), ("q1", "b"), ("q2", "c"), ("q2", "d")]


def read_as(text):
    """Query and document of each judgment, and code and row of the findings."""
    table = table_of(text)
    out = assemble([Understood(table, guess(table).roles)])
    (rows,) = out.judgments
    pairs = list(zip(rows.query.texts(), rows.document.texts(), strict=True))
    return pairs, [(each.code, each.row) for each in out.findings]


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (f"{ONE}q1,average,1.5\n{TWO}q2,Average,1.5\n", [4, 7]),
        (f"{ONE}q1,Total,3\n{TWO}", [4]),
        (f"{ONE}{TWO}q2,median,1.5\n", [6]),
        (f"{ONE}{TWO}Total,4 docs,6\n", [6]),
        (f"{ONE}{TWO}Grand Total,4,4\n", [6]),
        (f"{ONE}Total,2 docs,3\n{TWO}Total,2 docs,3\nGrand Total,4,6\n", [4, 7, 8]),
    ],
)
def test_rows_that_sum_up(body, rows):
    """The last row of a query, or of the table, that has the sum, mean or number is left out."""
    assert read_as(HEAD + body) == (PAIRS, [("summary-row", row) for row in rows])


@pytest.mark.parametrize(
    ("body", "pair", "row"),
    [
        (f"{ONE}q1,Total,4\n{TWO}", ("q1", "Total"), 4),
        (f"{ONE}{TWO}Grand Total,4,5\n", ("Grand Total", "4"), 6),
        (f"{ONE}{TWO}total,d9,6\n", ("total", "d9"), 6),
    ],
)
def test_rows_that_perhaps_sum_up(body, pair, row):
    """A row with such a word that says another number, or names a document, is kept and told."""
    pairs, told = read_as(HEAD + body)
    assert pair in pairs
    assert told == [("maybe-summary", row)]


@pytest.mark.parametrize(
    "body",
    [
        f"q1,a,1\nq1,Total,1\nq1,b,2\n{TWO}",
        f"{ONE}total,e,2\ntotal,f,6\n",
        f"{ONE}total,d9,3\n{TWO}",
        "average,a,1\naverage,b,2\naverage,count,2\n",
    ],
)
def test_rows_that_are_judgments(body):
    """A document called so within a query, and a search for such a word, are nothing special."""
    pairs, told = read_as(HEAD + body)
    assert (len(pairs), told) == (body.count("\n"), [])


def test_a_document_with_a_rank():
    """A document that is called so and has a rank is kept; the sum below it is not."""
    text = "query,doc_id,rank,grade\nq,a,1,1\nq,b,2,2\nq,total,3,3\nq,average,,2\n"
    assert read_as(text) == (
        [("q", "a"), ("q", "b"), ("q", "total")],
        [("summary-row", 5)],
    )


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}q1,a,1\n,b,2\nq2,c,3\n,d,0\n",
        "query,doc_id,rank,grade\nq1,a,1,1\n,b,2,2\nq2,c,1,3\n,d,2,0\n",
        f"{HEAD}q1,a,1\n,b,2\nq2,c,3\n,d,0\n,average,1.5\n",
    ],
)
def test_queries_are_filled_down(text):
    """A query on the first of its rows stands for those below, and that is told."""
    pairs, told = read_as(text)
    assert pairs == PAIRS
    assert told[0] == ("query-filled-down", 3)


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}q1,a,1\n,b,2\nq2,c,1\nq3,c,1\n",
        f"{HEAD},a,1\nq1,b,2\n,c,1\nq2,c,1\n,d,1\n",
        f"{HEAD}q1,a,1\n,b,2\nq1,c,1\nq2,c,1\n,d,1\n",
        "query,doc_id,rank,grade\nq1,a,1,1\n,b,1,2\nq2,a,1,1\n,b,2,2\n",
    ],
)
def test_queries_that_are_missing(text):
    """One blank among many, a blank at the top, and ranks that do not go on are not filled."""
    pairs, told = read_as(text)
    assert [query for query, _ in pairs].count("") == text.count("\n,")
    assert told == []


def test_a_filled_file_is_not_changed(tmp_path):
    """Such a file is not written in place: a new row would make its blanks ambiguous."""
    path = tmp_path / "f.csv"
    path.write_text(text := f"{HEAD}q1,a,1\n,b,2\nq2,c,3\n,d,0\n")
    (table,) = read(path)
    (part,) = assemble([Understood(table, guess(table).roles)]).tables
    with pytest.raises(FileError, match="Use Save as"):
        save_in_place(part, [GradeEdit(3, 3.0)], [])
    assert path.read_text() == text
