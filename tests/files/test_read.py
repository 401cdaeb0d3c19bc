"""Files as they are found on a disk: compressed, missing, empty, no files at all."""

import gzip
import hashlib
import os
from pathlib import Path

import pytest
from build import table_of, workbook

from ndcg_desktop.files.read import file_digest, read, read_bytes
from ndcg_desktop.files.table import FileError

CSV = b"query,docid,rank,grade\na,b,1,2\n"


def problem(path):
    """The sentence that a file is refused with."""
    with pytest.raises(FileError) as caught:
        read(path)
    text = str(caught.value)
    assert text.startswith(f"{path.name}: ")
    assert text.endswith(".")
    assert "\n" not in text
    return text.removeprefix(f"{path.name}: ")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (CSV, "delimited"),
        (workbook({"S": [["query", "docid"], ["a", "b"]]}), "workbook"),
        (b"1 0 d1 3\n1 0 d2 0\n", "qrels"),
        (b"1 Q0 d1 1 3.5 tag\n1 Q0 d2 2 1.5 tag\n", "run"),
        (b"3 qid:1 # d1\n", "ltr"),
        (b'{"q": {"d": 1}}', "json"),
    ],
)
@pytest.mark.parametrize("name", ["data", "data.csv", "data.xlsx", "data.txt"])
@pytest.mark.parametrize("packed", [False, True])
def test_the_kind_is_told_by_the_content(tmp_path, content, kind, name, packed):
    """Whatever its name, and packed with gzip or not, a file is read as what it is."""
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if packed else content)
    (table,) = read(path)
    assert table.kind == kind
    assert table.path == path


def test_digest(tmp_path):
    """A table carries the SHA-256 of its file as it is on disk, packed or not."""
    for content in (CSV, gzip.compress(CSV)):
        path = tmp_path / "data.csv"
        path.write_bytes(content)
        (table,) = read(path)
        assert table.digest == file_digest(path) == hashlib.sha256(content).hexdigest()


def test_missing(tmp_path):
    """A file that is not there is called that."""
    assert problem(tmp_path / "none.csv") == "There is no such file."
    path = tmp_path / "gone.csv"
    path.symlink_to(tmp_path / "target")
    assert problem(path) == "There is no such file."


def test_a_file_that_vanishes(tmp_path, monkeypatch):
    """A file that disappears between the look at it and its reading is missing too."""
    path = tmp_path / "data.csv"
    path.write_bytes(CSV)

    def vanish(self):
        raise FileNotFoundError(self)

    monkeypatch.setattr(Path, "read_bytes", vanish)
    assert problem(path) == "There is no such file."


def test_a_disk_that_fails(tmp_path, monkeypatch):
    """An error of the disk is told in the system's words."""
    path = tmp_path / "data.csv"
    path.write_bytes(CSV)

    def fail(self):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", fail)
    assert problem(path) == "The file cannot be read (Input/output error)."


def test_a_folder(tmp_path):
    """A folder is not a file."""
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    assert "folder" in problem(folder)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root"
)
def test_no_permission(tmp_path):
    """A file that may not be read is called that."""
    path = tmp_path / "data.csv"
    path.write_bytes(CSV)
    path.chmod(0)
    assert "no permission" in problem(path)


def test_permission_is_told_apart(tmp_path, monkeypatch):
    """A refusal by the system reads the same whoever is refused."""
    path = tmp_path / "data.csv"
    path.write_bytes(CSV)

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert "no permission" in problem(path)


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"  \r\n\t", b"\xef\xbb\xbf", b"\xff\xfe", b",,\n,,\n"]
)
def test_empty(tmp_path, content):
    """Nothing, or nothing but blanks, is an empty file."""
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    assert problem(path) == "The file is empty."


def test_names_that_no_file_has(tmp_path):
    """A name that the system refuses is a file that cannot be read."""
    assert problem(tmp_path / ("x" * 300))
    with pytest.raises(FileError):
        read(Path("a\0b"))
    path = tmp_path / "data.csv"
    path.write_bytes(CSV)
    assert problem(path / "below")


@pytest.mark.parametrize("damage", [slice(0, -5), slice(0, 12), slice(0, 3)])
def test_a_damaged_archive(damage):
    """A gzip file that was cut short is refused as damaged."""
    with pytest.raises(FileError, match=r"damaged|not text"):
        read_bytes(Path("run.gz"), gzip.compress(CSV * 50)[damage])


def test_changed_bytes_in_an_archive():
    """A gzip file whose bytes were changed is refused, or its checksum would not be one."""
    data = bytearray(gzip.compress(CSV * 50))
    for place in range(10, len(data) - 8):
        changed = bytearray(data)
        changed[place] ^= 0xFF
        with pytest.raises(FileError, match="damaged"):
            read_bytes(Path("run.gz"), bytes(changed))


def test_comments_alone_are_no_table():
    """A file of comments holds nothing to score, and that is an error of the file."""
    for text in ("# nothing\n", "# a\n# b\n"):
        try:
            table = table_of(text)
        except FileError:
            continue
        assert table.header is None


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_trec_files_with_a_byte_order_mark(encoding):
    """Judgments and runs that PowerShell or Notepad wrote are told by what follows the mark."""
    qrels = table_of("1 0 tält 3\r\n2 0 b 0\r\n".encode(encoding))
    assert (qrels.kind, qrels.columns[2].texts()) == ("qrels", ["tält", "b"])
    run = table_of("1 Q0 tält 1 2.5 t\r\n1 Q0 b 2 1.5 t\r\n".encode(encoding))
    assert (run.kind, run.columns[0].texts()) == ("run", ["1", "1"])


def test_bad_lines_of_qrels():
    """A line that is no judgment is left out and told; a comment is not."""
    table = table_of("# by B\n" + "".join(f"1 0 d{n} 1\n" for n in range(30)) + "1 0 d99\n")
    assert (table.kind, len(table)) == ("qrels", 30)
    (finding,) = table.findings
    assert (finding.code, finding.row, finding.level) == ("bad-line", 32, "warning")
    assert "1 0 d99" in finding.text


def test_a_hash_that_is_data():
    """A line that begins with # and reads as a judgment is one, and is pointed out."""
    table = table_of("1 0 d#1 1\n#tag 0 d#2 2\n")
    assert len(table) == 2
    (finding,) = table.findings
    assert (finding.code, finding.row) == ("hash-line", 2)


def test_a_ranking_without_q0():
    """A ranking of query, document, rank, score and tag is one, and goes by its scores."""
    table = table_of("q d1 1 2.5 tag\nq d2 2 1.5 tag\n")
    assert (table.kind, table.findings) == ("run", ())
    assert table.columns[1].texts() == ["d1", "d2"]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there are no devices here")
def test_a_device_is_no_file():
    """What never ends is refused before it is read."""
    with pytest.raises(FileError, match="a device and no file"):
        read(Path("/dev/zero"))
