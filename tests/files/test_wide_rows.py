"""Rows with more cells than the header, quotes that join two rows, and a bad line among few."""

from pathlib import Path

import pytest
from build import rows_of, table_of, workbook

from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.roles import guess


def told(table):
    """Level, code and row of the findings of a table."""
    return [(each.level, each.code, each.row) for each in table.findings]


def test_a_decimal_comma_without_quotes():
    """A grade of 0,5 in a file of commas is no silent 0; where most rows have one, it is asked."""
    table = table_of("query,doc_id,grade\nq1,a,0,5\nq1,b,1\nq1,c,2\n")
    assert told(table) == [("warning", "row-too-wide", 2)]
    assert "“q1,a,0,5”" in table.findings[0].text
    assert "query: q1 · doc_id: a · grade: 0" in table.findings[0].text
    assert guess(table).doubt == ""
    table = table_of("query,doc_id,grade\nq1,a,0,5\nq1,b,1,5\nq1,c,2\n")
    assert guess(table).doubt.startswith("Most rows have more cells than the header")


def test_a_comma_in_a_title():
    """The row whose grade is pushed aside is told with what was read."""
    table = table_of("query,doc_id,title,grade\nq1,a,Red, big,3\nq1,b,Blue,1\n")
    assert told(table) == [("warning", "row-too-wide", 2)]
    assert "grade:  big" in table.findings[0].text


@pytest.mark.parametrize(
    "text",
    [
        "query,doc_id,grade\nq1,a,0,\nq1,b,1,,\n",
        "query,doc_id,grade,\nq1,a,0,see below\nq1,b,1,\n",
        'query,doc_id,grade\nq1,"a,b",0\n',
    ],
)
def test_no_row_too_wide(text):
    """Blank cells beyond the header, a column without a name and quoted commas are in order."""
    assert told(table_of(text)) == []
    assert guess(table_of(text)).doubt == ""


def test_remarks_beside_a_sheet():
    """Cells to the right of a sheet's header are noted once."""
    rows = [["query", "doc_id", "grade"], ["a", "x", 1, "", "why?"], ["a", "y", 0, "", "ok"]]
    (table,) = read_bytes(Path("b.xlsx"), workbook({"S": rows}))
    assert told(table) == [("note", "row-too-wide", 2)]
    (table,) = read_bytes(Path("b.xlsx"), workbook({"S": [row[:3] for row in rows]}))
    assert told(table) == []


@pytest.mark.parametrize("second", ['"flat tv,3', 'flat 32",3'])
def test_two_quotes_that_join_two_rows(second):
    """Two lone quotes swallow no row: each line is one of the table."""
    table = table_of(f'query,doc_id,title,grade\nq1,a,"smart tv,0\nq1,b,{second}\nq1,c,y,2\n')
    assert [row[3] for row in rows_of(table)] == ["0", "3", "2"]
    assert told(table) == [("warning", "open-quote", 2)]


@pytest.mark.parametrize("cell", ["smart\ntv", "big, red\ntv, new", "one, two\nthree"])
def test_a_title_of_two_lines(cell):
    """A title on two lines, with commas or not, stays one."""
    table = table_of(f'query,doc_id,title,grade\nq1,a,"{cell}",0\nq1,b,x,3\n')
    assert (table.columns[2][0], told(table)) == (cell, [])


@pytest.mark.parametrize(
    ("data", "kind", "rows", "bad"),
    [
        (b"q1 0 d1 3\nq1 0 d2 0\nq1 0 d3\nq2 0 d1 1\nq2 0 d4 2\n", "qrels", 4, 3),
        (b"q1 0 d1 3\nq1 0 d2 x\nq2 0 d4 2\n", "qrels", 2, 2),
        (b"q Q0 a 1 9 t\nq Q0 b 2 x t\nq Q0 c 3 7 t\n", "run", 2, 2),
    ],
)
def test_a_bad_line_among_few(data, kind, rows, bad):
    """A short file of TREC with one bad line is one of TREC, and the line is named."""
    (table,) = read_bytes(Path("f.txt"), data)
    assert (table.kind, len(table), told(table)) == (kind, rows, [("warning", "bad-line", bad)])


@pytest.mark.parametrize(
    "data",
    [
        b"query iteration doc grade\nq1 0 d1 3\nq1 0 d2 1\n",
        b"q1 0 d1 3\nq1 d2\nq2 d4 2\n",
        b"q1,0,d1,3\nq1,0,d2,1\nq1,0,d3\n",
    ],
)
def test_most_lines_are_no_judgments(data):
    """A header, lines of which most are something else, and commas are no file of TREC."""
    assert read_bytes(Path("f.txt"), data)[0].kind == "delimited"


@pytest.mark.parametrize(("blank", "end"), [("\u00a0", "\n"), (" ", "\r"), ("\t", "\r")])
def test_other_blanks_and_line_ends(blank, end):
    """Judgments with no-break spaces, or lines that end with CR alone, are judgments."""
    lines = [blank.join(("q1", "0", f"d{place}", "1")) + end for place in range(3)]
    (table,) = read_bytes(Path("f.txt"), "".join(lines).encode())
    assert (table.kind, table.columns[2].texts()) == ("qrels", ["d0", "d1", "d2"])
