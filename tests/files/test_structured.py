"""Judgment lists of learning to rank, and bytes of no meaning."""

from pathlib import Path

import numpy as np
import pytest
from build import rows_of, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.files.json_text import looks_like_json
from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.structured import looks_like_ltr
from ndcg_desktop.files.table import FileError


def test_ltr_line():
    """Grade, query, document and title are told apart, with spaces or tabs between them."""
    table = table_of("4 qid:1 # 7555 Rambo\n3\tqid:1 #\t1370\tTarp # blue\n")
    assert table.kind == "ltr"
    assert table.header[:5] == ("grade", "query id", "query", "document", "title")
    assert rows_of(table) == [
        ["4", "1", "", "7555", "Rambo"],
        ["3", "1", "", "1370", "Tarp # blue"],
    ]


def test_ltr_query_texts():
    """A comment "# qid:1: text" names the text of a query; other comments name nothing."""
    table = table_of("# judged by B\n# qid:1: blue tent\n\n4 qid:1 # 7\n0 qid:2 # 8\n")
    assert table.columns[2] == ["blue tent", ""]
    assert table.row.tolist() == [4, 5]


def test_ltr_features():
    """Features are columns, in the order of their numbers, blank where a line has none."""
    table = table_of("1 qid:1 10:0.5 2:7 # a\n0 qid:1 2:8\n")
    assert table.header[5:] == ("feature 2", "feature 10")
    assert rows_of(table)[0][5:] == ["7", "0.5"]
    assert rows_of(table)[1][5:] == ["8", ""]


def test_ltr_without_documents():
    """Lines without a document get one named after the line, and the file says so."""
    table = table_of("1 qid:1 1:0.5 \n0 qid:1 1:8 \n")
    assert table.columns[3] == ["line 1", "line 2"]
    (finding,) = table.findings
    assert (finding.level, finding.code) == ("note", "no-document-ids")


def test_ltr_lines_that_are_none():
    """A line of another form is left out, and told with its number."""
    table = table_of("1 qid:1 # a\nnonsense\n2 qid:1 # b\n")
    assert table.columns[3] == ["a", "b"]
    (finding,) = table.findings
    assert (finding.level, finding.code, finding.row) == ("warning", "bad-line", 2)
    assert "nonsense" in finding.text


@pytest.mark.parametrize("grade", ["-1", "2.5", "0"])
def test_ltr_grades(grade):
    """A grade may be negative or have decimals."""
    assert table_of(f"{grade} qid:1 # a\n").columns[0] == [grade]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_hides_neither(encoding):
    """A file that begins with a byte order mark is told by what follows it."""
    assert table_of("3 qid:1 # 7 tält\n".encode(encoding)).kind == "ltr"
    assert table_of('{"q": {"tält": 1}}'.encode(encoding)).kind == "json"


@pytest.mark.parametrize(
    ("text", "ltr", "is_json"),
    [
        ("3 qid:1 # 7", True, False),
        ("# note\n\n3 qid:x 1:2", True, False),
        ("1 0 d 3", False, False),
        ("qid:1 3", False, False),
        ("", False, False),
        (' \n {"a": 1}', False, True),
        ("[1]", False, True),
        ("{", False, True),
        ("{'q': 1}", False, True),
        ("[brand] shoes,d,1", False, False),
        ("query,doc", False, False),
    ],
)
def test_looks_like(text, ltr, is_json):
    """The kind of a file is told from its first line of data."""
    assert looks_like_ltr(text.encode()) is ltr
    assert looks_like_json(text.encode()) is is_json


# ---- bytes of no meaning, for every reader

HEADS = (
    b"",
    b"{",
    b'{"q": {"d": ',
    b"[",
    b"3 qid:1 ",
    b"3 qid:1 # a\n",
    b"1 0 d 3\n",
    b"1 Q0 d 1 2.5 tag\n",
    b"query,docid,rank\n",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xfe\xff",
    b"sep=",
    b"\x1f\x8b\x08\x00",
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
)


@given(
    st.sampled_from(HEADS),
    st.binary(max_size=200)
    | st.text(max_size=80).map(lambda text: text.encode("utf-8", "replace")),
)
@settings(max_examples=500)
def test_any_bytes_give_a_table_or_a_file_error(head, tail):
    """Whatever a file holds it is read, or refused as a file: no other exception is raised."""
    try:
        tables = read_bytes(Path("x"), head + tail)
    except FileError as error:
        assert str(error).startswith("x")  # noqa: PT017 - that it is raised is not the point
        return
    for table in tables:
        assert len({len(column) for column in table.columns} | {len(table)}) == 1
        assert table.header is None or len(table.header) == len(table.columns)
        assert np.all(np.diff(table.row) > 0)
        assert table.row.min(initial=1) >= 1
