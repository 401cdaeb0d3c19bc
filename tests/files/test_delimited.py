"""Delimited text in the dialects that spreadsheets write."""

import codecs
from pathlib import Path
from unittest import mock

import pytest
import strategies
from build import rows_of, save_in_place, table_of
from hypothesis import assume, given, settings

from ndcg_desktop.files import table as table_module
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.delimited import decode, split_lines
from ndcg_desktop.files.read import read, read_bytes
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.save import GradeEdit
from ndcg_desktop.files.table import Cancelled, FileError

ROWS = [["rød sko", "A", "1"], ["hat", "B", "2"]]


def text_of(rows, delimiter=",", end="\n"):
    """Rows below a header."""
    return "".join(delimiter.join(row) + end for row in [["query", "docid", "rank"], *rows])


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(delimiter, end):
    """Each delimiter and line end is told from the content."""
    table = table_of(text_of(ROWS, delimiter, end))
    assert table.header == ("query", "docid", "rank")
    assert rows_of(table) == ROWS
    assert table.dialect.delimiter == delimiter
    assert table.row.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-16-le", b""),
        ("utf-16-be", b""),
        ("cp1252", b""),
    ],
)
def test_encodings(encoding, mark):
    """UTF-8, UTF-16 and Windows-1252, with a byte order mark and without, read alike."""
    table = table_of(mark + text_of(ROWS).encode(encoding))
    assert table.header == ("query", "docid", "rank")
    assert rows_of(table) == ROWS
    assert table.dialect.encoding == encoding


def test_the_encoding_gives_the_same_bytes_again():
    """The text of a file, encoded again, is the file, also with the odd bytes of Windows-1252."""
    for data in (
        b"\xef\xbb\xbfa,b\n",
        b"caf\xe9 \x93x\x94",
        b"\x81\x8d caf\xe9",
        "é".encode("utf-16"),
    ):
        text, encoding = decode(Path("x"), data)
        assert text.encode(encoding) == data


@pytest.mark.parametrize(
    "data", [b"\x00\x01\x02\x03" * 50, bytes(range(256)), b"a,b\n\x00,c\n", b"\x01" * 99]
)
def test_binary(data):
    """Bytes that are no text are refused in one sentence."""
    with pytest.raises(FileError, match="not text"):
        read_bytes(Path("x.csv"), data)


@pytest.mark.parametrize("line", ["sep=;", "SEP=;", "\ufeffsep=;", "sep=; "])
def test_sep_line(line):
    """A first line sep=; says the delimiter and is no header."""
    table = table_of(f"{line}\r\nquery;docid;rank\r\na,b;c;1\r\n")
    assert rows_of(table) == [["a,b", "c", "1"]]
    assert (table.dialect.first_line, table.row.tolist()) == (1, [3])


def test_sep_line_with_a_tab():
    """The delimiter that a first line names may be a tab."""
    table = table_of("sep=\t\nquery\tdocid\trank\na\tb,c\t1\n")
    assert rows_of(table) == [["a", "b,c", "1"]]


def test_quotes():
    """Quoted cells hold delimiters, doubled quotes and line ends."""
    table = table_of('query,docid,rank\n"a, ""b""","c\nd",1\ne,f,2\n')
    assert rows_of(table) == [['a, "b"', "c\nd", "1"], ["e", "f", "2"]]
    assert table.row.tolist() == [2, 4]


def test_inch_marks():
    """In tab-separated text an inch mark or a quote that is never closed swallows no row."""
    table = table_of('query\tdocid\trank\n"Mini table 40 cm\tA\t1\n10" nails\tB\t2\nx\tC\t3\n')
    assert rows_of(table) == [
        ['"Mini table 40 cm', "A", "1"],
        ['10" nails', "B", "2"],
        ["x", "C", "3"],
    ]


def test_quotes_that_hold_in_tabs():
    """Tab-separated cells that are quoted throughout lose their quotes."""
    table = table_of('"query"\t"docid"\t"rank"\n"a"\t"C"\t"1"\n')
    assert table.header == ("query", "docid", "rank")
    assert rows_of(table) == [["a", "C", "1"]]


@pytest.mark.parametrize("cell", ["two\nlines", "a\ttab", 'an "inch"\nmark'])
def test_tab_separated_as_a_spreadsheet_writes_it(cell):
    """Tab-separated text quotes a cell with a tab or a line end, and only such a cell."""
    quoted = cell.replace('"', '""')
    table = table_of(f'query\tdocid\trank\n"{quoted}"\tA\t1\nb\tB\t2\n')
    assert rows_of(table) == [[cell, "A", "1"], ["b", "B", "2"]]


def lines(begin, end):
    """Some rows of query, document and grade."""
    return "".join(f"q{n},d{n},{n % 4}\n" for n in range(begin, end))


OPEN_QUOTE = '"Mini table,d,1\n'


@pytest.mark.parametrize(
    ("below", "count"),
    [(lines(4, 8), 8), (lines(4, 8) + '10" nails,d,2\n' + lines(9, 11), 11), ("q,d,2", 5)],
)
def test_a_quote_that_is_never_closed(below, count):
    """A quote swallows no rows where all are of equal width without it; it is told with its row."""
    table = table_of("query,docid,grade\n" + lines(0, 3) + OPEN_QUOTE + below)
    assert (len(table), table.row.tolist()) == (count, list(range(2, count + 2)))
    assert table.columns[0][3] == '"Mini table'
    assert not table.dialect.quoting
    (finding,) = table.findings
    assert (finding.level, finding.code, finding.row) == ("warning", "open-quote", 5)
    assert "equal width" in finding.text


def test_an_open_quote_among_others():
    """Where other quotes hold, an open one is told and the file read as it stands."""
    text = 'query,docid,grade\n"a, b",d,1\n' + OPEN_QUOTE + lines(2, 6)
    table = table_of(text)
    assert [len(table), table.columns[0][0]] == [2, "a, b"]
    assert table.dialect.quoting
    (finding,) = table.findings
    assert (finding.code, finding.row) == ("open-quote", 3)
    assert "Close it" in finding.text


@pytest.mark.parametrize(
    "cell", ["one\ntwo\nthree\nfour", "a, b\nc, d, e\n\nf", "one, two,\nthree", ",,\n1,2,3\n,,"]
)
def test_cells_of_several_lines_are_no_open_quotes(cell):
    """A cell of several lines is one, with commas too, unless most of its lines are rows."""
    table = table_of(f'query,docid,grade\n"{cell}",d,1\n{lines(0, 3)}')
    assert (len(table), table.columns[0][0], table.findings) == (4, cell, ())


def test_a_grade_is_saved_below_an_open_quote(tmp_path):
    """A file with an open quote keeps it, and its rows, when a grade goes back."""
    path = tmp_path / "f.csv"
    path.write_text("query,docid,grade\n" + lines(0, 3) + OPEN_QUOTE + lines(4, 8))
    (table,) = read(path)
    save_in_place(Understood(table, guess(table).roles), [GradeEdit(6, 3.0)], [])
    after = lines(0, 3) + OPEN_QUOTE + lines(4, 8).replace("q4,d4,0", "q4,d4,3")
    assert path.read_text() == "query,docid,grade\n" + after


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("q1 d1 1\nq1 d2 2\nq2 d1 1\n", [["q1", "q1", "q2"], ["d1", "d2", "d1"], ["1", "2", "1"]]),
        ("q d 1 -0.5\r\nq e 2 -1e-3\r\n", [["q", "q"], ["d", "e"], ["1", "2"], ["-0.5", "-1e-3"]]),
        ("query doc grade\nq d 1\n", [["q"], ["d"], ["1"]]),
    ],
)
def test_words_set_apart_by_spaces(text, columns):
    """Rankings and judgments of three or four words, the last a number, are columns."""
    table = table_of(text)
    assert list(table.columns) == columns
    assert table.dialect.delimiter == " "


@pytest.mark.parametrize(
    "text", ["red shoes\nblue hat\n", "red hat 4\nblue hat\n", "a b c\nd e f\n", "a  b 1\nc d 2\n"]
)
def test_queries_are_not_cut_at_spaces(text):
    """A list of queries, one on each line, stays one column."""
    assert len(table_of(text).columns) == 1


def test_a_row_of_very_many_cells():
    """One row as wide as a million cells does not widen a hundred thousand others."""
    with mock.patch.object(table_module, "MOST_CELLS_ADDED", 10_000):
        with pytest.raises(FileError, match="too many cells"):
            table_of("query,docid,grade\n" + lines(0, 50) + "," * 300 + "x\n")
        assert len(table_of("query,docid,grade\n" + lines(0, 50) + ",,,,,x\n")) == 51


def test_ragged_rows():
    """Rows that are too short are filled up; a longer one widens the table."""
    table = table_of("query,docid,rating\na\nb,c\nd,e,1,more\n")
    assert rows_of(table) == [["a", "", "", ""], ["b", "c", "", ""], ["d", "e", "1", "more"]]
    assert table.names == ["query", "docid", "rating", "Column 4"]


def test_empty_rows_are_skipped():
    """Rows of nothing but delimiters and spaces are no rows, and the others keep their numbers."""
    table = table_of("\nquery,docid,rank\n,,\n  ,\t,\na,b,1\n\n")
    assert rows_of(table) == [["a", "b", "1"]]
    assert table.row.tolist() == [5]


def test_cells_stay_as_they_are():
    """Ids such as 007, NA, null, 1e5, 12.0 and URLs are text."""
    ids = ["007", "NA", "null", "1e5", "12.0", "TRUE", "nan", "http://a.b/?c=d&e=1", "=1+2", "#x"]
    table = table_of(text_of([[name, name, "1"] for name in ids]))
    assert table.columns[0] == ids


def test_lines_end_as_in_files():
    """Only CR LF, LF and CR end a line: other separators of Unicode stand within cells."""
    text = "a\u2028b\u0085c\x0bd\r\ne\rf\n"
    assert split_lines(text) == ["a\u2028b\u0085c\x0bd\r\n", "e\r", "f\n"]
    assert split_lines(text)[0][:7] == "a\u2028b\u0085c\x0bd"


@given(strategies.written(delimiters=",;|"))
@settings(max_examples=120)
def test_what_csv_writes_is_read_back(written):
    """A table that the csv module writes, in any of the dialects, is read back cell by cell."""
    table = table_of(written.text)
    assert table.header == ("query", "document", "rank", "remark")
    assert rows_of(table) == written.rows
    assert table.dialect.delimiter == written.delimiter


@given(strategies.written(delimiters="\t"))
@settings(max_examples=60)
def test_tabs_are_read_back(written):
    """So are tab-separated cells without quotes, tabs and line ends."""
    cells = "".join(map("".join, written.rows))
    assume(not set(cells) & set('"\t\n'))
    assert rows_of(table_of(written.text)) == written.rows


def test_a_cell_beyond_measure():
    """A cell of many megabytes, a quote that is never closed, is told by its line."""
    text = "query,docid,rank\na,b,1\n" + '"' + "x" * (17 * 1024 * 1024)
    with pytest.raises(FileError, match="longer than 16 MiB") as refused:
        table_of(text)
    assert refused.value.row == 3


def test_cancelled():
    """A long file is given up when the user asks for that."""
    with pytest.raises(Cancelled):
        read_bytes(Path("x.csv"), text_of(ROWS).encode(), cancelled=lambda: True)


def test_progress():
    """The part done goes from 0 up and stays within 1."""
    done = []
    text = text_of([["a", str(number), "1"] for number in range(50_000)])
    read_bytes(Path("x.csv"), text.encode(), progress=done.append)
    assert done == sorted(done)
    assert done[0] == 0
    assert len(done) == 3
    assert 0.5 < done[-1] <= 1
