"""Files that are UTF-8 but for a few bytes, and those whose encoding is a guess."""

from pathlib import Path

import pytest
from build import rows_of, save_in_place
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.odd_bytes import is_utf8, mended
from ndcg_desktop.files.read import read, read_bytes
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.save import GradeEdit
from ndcg_desktop.files.table import FileError

LINES = "query,doc_id,grade\nschön,é1,1\ncafé,ä2,2\n"


def found(data, name="f.csv"):
    """The first table of a file, and level, code and row of its findings."""
    table = read_bytes(Path(name), data)[0]
    return table, [(each.level, each.code, each.row) for each in table.findings]


def test_one_stray_byte():
    """One byte of Windows-1252 leaves the other ids as they are, and its line is told."""
    table, told = found(LINES.encode() + b"x,caf\xe9,1\n")
    assert rows_of(table)[1:] == [["café", "ä2", "2"], ["x", "café", "1"]]
    assert told == [("warning", "odd-bytes", 4)]


def test_qrels_with_a_stray_byte():
    """The same in judgments of TREC."""
    table, told = found("schön 0 é1 1\ncafé 0 ä2 2\n".encode() + b"x 0 caf\xe9 1\n")
    assert table.columns[2].texts() == ["é1", "ä2", "café"]
    assert told == [("warning", "odd-bytes", 3)]


@pytest.mark.parametrize("name", ["f.csv", "f.txt"])
def test_a_guessed_encoding(name):
    """A file without UTF-8 is read as Windows-1252, which is noted; UTF-8 and ASCII are not."""
    text = LINES if name == "f.csv" else "schön 0 é1 1\ncafé 0 ä2 2\n"
    _, told = found(text.encode("cp1252"), name)
    assert told == [("note", "encoding-guessed", None)]
    assert found(text.encode(), name)[1] == []
    assert found(text.encode("ascii", "ignore"), name)[1] == []
    assert found(text.encode("utf-16"), name)[1] == []


def test_nothing_is_saved_over_odd_bytes(tmp_path):
    """A file whose bytes would change beyond the grade is not changed."""
    path = tmp_path / "f.csv"
    path.write_bytes(data := LINES.encode() + b"x,caf\xe9,1\n")
    (table,) = read(path)
    with pytest.raises(FileError, match="encoding is not clear enough"):
        save_in_place(Understood(table, guess(table).roles), [GradeEdit(2, 3.0)], [])
    assert path.read_bytes() == data


@given(st.text(), st.integers(0, 2))
def test_bytes_that_are_utf8(text, cut):
    """Only what decodes is UTF-8, and that is never mended."""
    data = text.encode()
    assert is_utf8(data)
    assert mended(data) is None
    broken = data[: len(data) - cut]
    assert is_utf8(broken) == (broken.decode(errors="ignore").encode() == broken)
