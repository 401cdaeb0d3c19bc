"""Packed files: gzip, bzip2, xz, and one table in a .zip archive."""

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from build import rows_of, save_in_place, workbook
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.files import archives
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.read import read, read_bytes
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.save import GradeEdit, can_patch
from ndcg_desktop.files.table import FileError

CSV = b"query,docid,grade\na,b,1\n"
XLSX = workbook({"S": [["query", "docid", "grade"], ["a", "b", 1]]})
PACK = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


def archive(method=zipfile.ZIP_DEFLATED, **members):
    """The bytes of an archive; in the members' names "__" stands for a slash, "_" for a point."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file:
        for name, content in members.items():
            file.writestr(name.replace("__", "/").replace("_", "."), content)
    return buffer.getvalue()


def refusal(data):
    """The sentence that an archive is refused with."""
    with pytest.raises(FileError) as caught:
        read_bytes(Path("data.zip"), data)
    return str(caught.value)


@pytest.mark.parametrize(
    ("content", "kind"),
    [(CSV, "delimited"), (XLSX, "workbook"), (b"1 0 d 3\n1 0 e 2\n", "qrels")],
)
def test_one_table_in_a_zip(content, kind):
    """The one file of an archive is read as what it is, and its name stands in the source."""
    (table,) = read_bytes(Path("data.zip"), archive(folder__file_bin=content))
    assert (table.kind, table.member, table.path) == (kind, "file.bin", Path("data.zip"))
    assert table.source.file == "data.zip (file.bin)"


def test_what_is_by_the_way():
    """A readme, a picture, and what systems put into archives do not stand beside the table."""
    data = archive(
        __MACOSX___a_csv=b"\0\1", _DS_Store=b"x", README_txt="read me", LICENSE="all rights",
        chart_png=b"\x89PNG\r\n\x1a\n" + bytes(range(256)), a_csv=CSV,
    )  # fmt: skip
    (table,) = read_bytes(Path("data.zip"), data)
    assert (table.member, rows_of(table)) == ("a.csv", [["a", "b", "1"]])


def test_findings_inside_an_archive():
    """What is found in the file of an archive names the archive and the file."""
    data = archive(a_txt=b"1 0 d 3\n" * 30 + b"1 0 d\n")
    (table,) = read_bytes(Path("data.zip"), data)
    (finding,) = table.findings
    assert str(finding).startswith("data.zip (a.txt), row 31: ")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (archive(a_csv=CSV, b_csv=CSV), "“a.csv”, “b.csv”"),
        (archive(**{f"n{n}_csv": CSV for n in range(9)}), "and 4 more"),
        (archive(), "is empty"),
        (archive(a_png=b"\x89PNG\0\0", b_png=b"\x89PNG\0\0"), "holds no table"),
        (archive(a_zip=archive(a_csv=CSV)), "archive itself"),
        (archive(a_csv=b"\0\1\2"), "not text"),
        (archive(a_csv=b""), "empty"),
        (archive(Index__Document_iwa=b"x"), "Numbers"),
        (archive(zipfile.ZIP_LZMA, a_csv=CSV), "“a.csv” is packed in a way"),
    ],
)
def test_refused(data, words):
    """An archive that is not one table is refused with what is in it and what to do."""
    assert words in refusal(data)


def test_locked():
    """A file behind a password is called that, before it is looked at."""
    data = bytearray(archive(a_csv=CSV))
    for magic, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + flags] |= 1
    assert "password" in refusal(bytes(data))


def test_damaged():
    """An archive that was cut, or whose bytes were changed, is refused or reads as it was."""
    whole = archive(a_csv=CSV * 20)
    (good,) = read_bytes(Path("data.zip"), whole)
    for place in range(4, len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        for data in (whole[:place], bytes(changed)):
            try:
                (table,) = read_bytes(Path("data.zip"), data)
            except FileError:
                continue
            assert rows_of(table) == rows_of(good)


@pytest.mark.parametrize("name", PACK)
def test_bombs(name):
    """What unpacks to far more than text shrinks by is refused; it is not unpacked to its end."""
    with mock.patch.multiple(archives, ALWAYS_ALLOWED=1000, MOST_TIMES_LARGER=20):
        with pytest.raises(FileError, match="unpacks to more than"):
            read_bytes(Path("x"), PACK[name](b"0" * 200_000))
        assert read_bytes(Path("x"), PACK[name](CSV))


def test_bombs_in_a_zip():
    """So is the file of an archive, whether the archive says its size or lies about it."""
    honest = archive(a_csv=b"0" * 200_000)
    lying = bytearray(honest)
    for magic, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        begin = lying.index(magic) + place
        lying[begin : begin + 4] = (500).to_bytes(4, "little")
    with mock.patch.multiple(archives, ALWAYS_ALLOWED=1000, MOST_TIMES_LARGER=20):
        assert "unpacks to more than" in refusal(honest)
        assert "damaged" in refusal(bytes(lying))


@pytest.mark.parametrize("name", PACK)
def test_a_packed_file_is_saved_packed(tmp_path, name):
    """A grade goes back into a packed file, which is then packed in the same way."""
    path = tmp_path / "judgments"
    path.write_bytes(PACK[name](CSV))
    (table,) = read(path)
    save_in_place(Understood(table, guess(table).roles), [GradeEdit(2, 3.0)], [])
    assert archives.unpacked(path, path.read_bytes()) == CSV.replace(b"1", b"3")
    assert path.read_bytes() != CSV.replace(b"1", b"3")


def test_a_packed_workbook(tmp_path):
    """A packed workbook is read as one; grades do not go back into it."""
    path = tmp_path / "book.xlsx.gz"
    path.write_bytes(gzip.compress(XLSX))
    (table,) = read(path)
    assert (table.kind, table.sheet, rows_of(table)) == ("workbook", "S", [["a", "b", 1.0]])
    assert can_patch(Understood(table, guess(table).roles))


def test_no_saving_into_an_archive(tmp_path):
    """Grades do not go back into a file inside an archive, and the reason names it."""
    path = tmp_path / "data.zip"
    path.write_bytes(archive(a_csv=CSV))
    (table,) = read(path)
    part = Understood(table, guess(table).roles)
    assert "“a.csv” is inside an archive" in can_patch(part)
    with pytest.raises(FileError, match="Save as"):
        save_in_place(part, [GradeEdit(2, 3.0)], [])
    assert path.read_bytes() == archive(a_csv=CSV)


MAGIC = [b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08\x00", b"BZh91AY&SY", b"\xfd7zXZ\0", b"PAR1"]


@given(st.sampled_from(MAGIC), st.binary(max_size=300))
@settings(max_examples=300)
def test_any_bytes_after_the_magic(magic, tail):
    """Whatever follows the first bytes of a packed file is read, or refused as a file."""
    try:
        tables = read_bytes(Path("x"), magic + tail)
    except FileError:
        return
    assert all(np.all(np.diff(table.row) > 0) for table in tables)


@given(st.data())
@settings(max_examples=100)
def test_any_change_of_an_archive(data):
    """So is an archive, packed file or workbook in which some bytes are others."""
    whole = data.draw(st.sampled_from([archive(a_csv=CSV, README=b"x"), archive(b_xlsx=XLSX)]))
    changed = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(4, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        tables = read_bytes(Path("x"), bytes(changed))
    except FileError:
        return
    assert tables
