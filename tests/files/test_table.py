"""A table is cut anew below another header, without its file being read again."""

import pytest
from build import table_of, workbook
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.table import ROWS_SEARCHED, FileError

REVIEW = "Review,,\nweek,40,\n\nquery,docid,grade\na,x,1\nb,y,2\n"


def told(table):
    """Header, rows with their numbers, and the numbers of the rows above."""
    rows = zip(*table.columns, strict=True)
    above = [number for number, _ in table.above]
    return table.header, dict(zip(table.row.tolist(), rows, strict=True)), above


def test_as_read():
    """The header that was found is the last of the rows above the data."""
    table = table_of(REVIEW)
    assert told(table) == (
        ("query", "docid", "grade"),
        {5: ("a", "x", "1"), 6: ("b", "y", "2")},
        [1, 2, 4],
    )
    assert table.header_row == 4


def test_another_row():
    """A row above or below the one that was found may be the header; what follows it is data."""
    table = table_of(REVIEW)
    assert told(table.with_header_row(2)) == (
        ("week", "40", ""),
        {4: ("query", "docid", "grade"), 5: ("a", "x", "1"), 6: ("b", "y", "2")},
        [1, 2],
    )
    assert told(table.with_header_row(5)) == (
        ("a", "x", "1"),
        {6: ("b", "y", "2")},
        [1, 2, 4, 5],
    )


def test_no_header():
    """Without a header every row is data."""
    bare = table_of(REVIEW).with_header_row(None)
    assert (bare.header, bare.header_row, bare.above) == (None, None, ())
    assert bare.row.tolist() == [1, 2, 4, 5, 6]
    assert bare.names == ["Column 1", "Column 2", "Column 3"]


def test_a_workbook():
    """Numbers of a workbook stay numbers while they move between header and data."""
    rows = [["Week", 40], [2026.0, ""], ["docid", "grade"], ["x", 1.0]]
    (table,) = read_bytes(table_of(REVIEW).path, workbook({"S": rows}))
    assert table.header_row == 3
    moved = table.with_header_row(2)
    assert moved.header == ("2026", "")
    assert told(moved.with_header_row(1))[1] == {
        2: (2026.0, ""),
        3: ("docid", "grade"),
        4: ("x", 1.0),
    }


@pytest.mark.parametrize("row", [3, 7, 0, -1])
def test_a_row_that_is_not_there(row):
    """An empty row, and one beyond the file, are no header."""
    with pytest.raises(FileError, match="one of the first"):
        table_of(REVIEW).with_header_row(row)


def test_a_row_far_down():
    """A header is one of the first rows."""
    table = table_of("query,docid,grade\n" + "a,x,1\n" * 60)
    assert table.with_header_row(ROWS_SEARCHED).row[0] == ROWS_SEARCHED + 1
    with pytest.raises(FileError, match="one of the first 30 rows"):
        table.with_header_row(ROWS_SEARCHED + 1)


@pytest.mark.parametrize("text", ["1 0 d 3\n", "3 qid:1 # d\n", '{"q": {"d": 1}}'])
def test_files_that_need_no_header(text):
    """The columns of TREC, LTR and JSON files are known, and no row is their header."""
    with pytest.raises(FileError, match="are known"):
        table_of(text).with_header_row(1)


@given(st.integers(0, 40), st.lists(st.none() | st.integers(1, 45), max_size=4))
def test_there_and_back(rows, cuts):
    """Whatever row was the header meanwhile, the first one gives the table that was read."""
    table = table_of("query,docid,grade\n" + "".join(f"a,{n},1\n" for n in range(rows)))
    moved = table
    for cut in cuts:
        if cut is None or cut <= min(rows + 1, ROWS_SEARCHED):
            moved = moved.with_header_row(cut)
    assert told(moved.with_header_row(1)) == told(table)
