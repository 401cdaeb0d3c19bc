"""Judgment lists of learning to rank, and bytes of no meaning."""

from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from build import rows_of, save_in_place, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.files import ltr
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.json_text import looks_like_json
from ndcg_desktop.files.ltr import looks_like_ltr
from ndcg_desktop.files.read import read, read_bytes
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.save import GradeEdit
from ndcg_desktop.files.table import Cancelled, FileError, Texts


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
    assert [list(Texts(column)) for column in table.columns[5:]] == [["7", "8"], ["0.5", ""]]


@pytest.mark.parametrize(
    ("comment", "document", "title"),
    [
        ("#docid = GX000-00-0000000 inc = 1 prob = 0.0246906", "GX000-00-0000000",
         "inc = 1 prob = 0.0246906"),
        ("# docid=X", "X", ""),
        ("# DOCNO = X  y ", "X", "y"),
        ("# doc7 = x", "doc7", "= x"),
        ("#", "line 1", ""),
        ("#   ", "line 1", ""),
    ],
)  # fmt: skip
def test_ltr_documents_of_letor(comment, document, title):
    """LETOR names a document as “docid = X”; a comment of blanks names none."""
    table = table_of(f"2 qid:10 1:0.03 {comment}\n")
    assert (table.columns[3], table.columns[4]) == ([document], [title])


def test_ltr_features_in_any_order():
    """Features may be unsorted, missing or there twice, and the last of two counts."""
    table = table_of("1 qid:1 3:1 1:2 3:4\n0 qid:1\n+2 qid:2 2:-1e-3 \n")
    assert table.header[5:] == ("feature 1", "feature 2", "feature 3")
    nan = np.nan
    expected = [[2, nan, nan], [nan, nan, -1e-3], [4, nan, nan]]
    np.testing.assert_array_equal(table.columns[5:], expected)
    assert table.columns[0] == ["1", "0", "+2"]


def test_ltr_features_that_are_no_numbers():
    """A feature that is no finite number is blank, and its line is told."""
    table = table_of("1 qid:1 1:x 2:3\n1 qid:1 1:0x1 2:inf\n1 qid:1 1:2:3\n1 qid:1 1:5\n")
    np.testing.assert_array_equal(table.columns[5], [np.nan, np.nan, np.nan, 5])
    np.testing.assert_array_equal(table.columns[6], [3, np.nan, np.nan, np.nan])
    told = [(f.code, f.row) for f in table.findings if f.level == "warning"]
    assert told == [("not-a-number", 1), ("not-a-number", 2), ("not-a-number", 3)]


def test_ltr_with_too_many_features():
    """Features that would fill the memory are left out and told; the judgments are read."""
    text = "".join(f"1 qid:1 {n}:1 # d{n}\n" for n in range(1, 60))
    with mock.patch.multiple(ltr, BLOCK=10, MOST_VALUES=1000):
        table = table_of(text)
    assert (len(table), len(table.columns)) == (59, 5)
    (finding,) = table.findings
    assert (finding.code, finding.text.split()[4] > "32") == ("features-left-out", True)


FEATURES = st.dictionaries(
    st.integers(0, 10**15 - 1) | st.integers(1, 5), st.floats(allow_nan=False, allow_infinity=False)
)


@given(st.lists(FEATURES, min_size=1, max_size=8), st.integers(1, 4), st.sampled_from(" \t"))
@settings(max_examples=150)
def test_any_ltr_features(rows, block, blank):
    """Whatever features lines have, each is read as float() reads it, in blocks of any size."""
    lines = [
        blank.join(["1", "qid:1", *(f"{name}:{value!r}" for name, value in row.items())])
        for row in rows
    ]
    with mock.patch.object(ltr, "BLOCK", block):
        table = table_of("\n".join(lines))
    names = sorted({name for row in rows for name in row})
    assert table.header[5:] == tuple(f"feature {name}" for name in names)
    for name, column in zip(names, table.columns[5:], strict=True):
        np.testing.assert_array_equal(column, [row.get(name, np.nan) for row in rows])


def test_ltr_cancelled():
    """A long file is given up when the user asks for that."""
    with pytest.raises(Cancelled):
        read_bytes(Path("x"), b"1 qid:1 # a\n" * 9, cancelled=lambda: True)


def test_ltr_lines_of_blanks_take_no_time():
    """A comment of many blanks is read at once: no pattern tries them in every way."""
    blanks = " " * 200_000
    table = table_of(
        f"1 qid:1 # a{blanks}b\n# qid:1: x{blanks}y\n1 qid:1{blanks}x\n1 qid:1 #{blanks}\n"
    )
    assert table.row.tolist() == [1, 4]


@pytest.mark.parametrize("grade", [3.0, None])
def test_ltr_is_saved_with_its_features(tmp_path, grade):
    """A grade goes back into a file with features, also where a line with its own feature goes."""
    path = tmp_path / "f.txt"
    path.write_text("1 qid:1 1:0.5 # a\n0 qid:1 1:0.25 7:1 # b\n2 qid:1 # c\n")
    (table,) = read(path)
    saved = save_in_place(Understood(table, guess(table).roles), [GradeEdit(2, grade)], [])
    left = "3 qid:1 1:0.25 7:1 # b\n" if grade else ""
    assert path.read_text() == f"1 qid:1 1:0.5 # a\n{left}2 qid:1 # c\n"
    assert ("feature 7" in saved.header) == (grade is not None)


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
    b"<html><table><tr><td>",
    b"q d 1 2.5 tag\n",
    b'query,docid,rank\n"',
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
