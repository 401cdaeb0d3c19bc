"""Old and binary workbooks (.xls, .xlsb) that would exhaust the memory are refused before it."""

import random
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from books import archive, limited, read_apart
from build import rows_of, workbook

from ndcg_desktop.files.read import read, read_bytes
from ndcg_desktop.files.table import FileError

FREE, END, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
BOOK = Path("book.xls")
ROWS = [["query", "docid", "grade"], ["q", "d1", 2], ["q", "d2", 0.5]]


def record(kind, *numbers, form="H"):
    """A record of an old workbook."""
    body = struct.pack(f"<{len(numbers)}{form}", *numbers)
    return struct.pack("<HH", kind, len(body)) + body


def number(row, column):
    """A cell of a sheet that holds 0."""
    return record(0x0203, row, column, 0, 0, 0, 0, 0)


BEGIN = record(0x0809, 0x0600, 0x0010, 0, 0, 0, 0, 0, 0)


def entry(name, kind, start, size):
    """An entry of a compound file's directory."""
    text = name.encode("utf-16-le")
    head = text.ljust(64, b"\0") + struct.pack("<HBB", len(text) + 2, kind, 1)
    return head + bytes(48) + struct.pack("<LQ", start, size)


def compound(stream, follows=END):
    """A compound file of one stream; ``follows`` comes after its last sector."""
    body = stream.ljust(4096, b"\0")
    count = -(-len(body) // 512)
    table = [TABLE, END, *range(3, count + 2), follows]
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<5H", 62, 3, 0xFFFE, 9, 6) + bytes(10)
    head += struct.pack("<8L", 1, 1, 0, 4096, END, 0, END, 0)
    head += struct.pack("<109L", 0, *[FREE] * 108)
    directory = entry("Root Entry", 5, END, 0) + entry("Workbook", 2, 2, len(body))
    parts = (struct.pack("<128L", *(table + [FREE] * 128)[:128]), directory.ljust(512, b"\0"))
    return head + b"".join(parts) + body.ljust(count * 512, b"\0")


@pytest.mark.parametrize(
    ("stream", "follows", "words"),
    [
        (BEGIN + BEGIN + number(0, 0) + number(65535, 255), END, "16,777,216 cells"),
        ((BEGIN + number(9999, 255)) * 5, END, "12,800,000 cells"),
        (BEGIN + struct.pack("<HHLLHHH", 0x0200, 14, 0, 1 << 31, 0, 9, 0), END, "larger than a"),
        (BEGIN + struct.pack("<HHLLHHH", 0x0200, 14, 9, 3, 0, 9, 0), END, "larger than a"),
        (BEGIN + record(0xFC, 1, 1 << 30, form="L"), END, "more texts"),
        (BEGIN, 2, "has no end"),
    ],
)
def test_an_old_workbook_that_claims_too_much(stream, follows, words):
    """Cells far apart, sizes that no sheet has and chains without an end are refused."""
    with pytest.raises(FileError, match=words):
        read_bytes(BOOK, compound(stream, follows))


def test_the_small_streams_of_an_old_workbook():
    """A workbook of less than four kibibytes lies among the small streams; it is looked at too."""
    stream = (BEGIN + number(65535, 255)).ljust(512, b"\0")
    data = bytearray(compound(stream + bytes(3584)))
    # The root entry's stream holds the small ones; their table is put into its last sector.
    directory = 1024
    struct.pack_into("<LL", data, directory + 116, 2, 4096)
    struct.pack_into("<LQ", data, directory + 128 + 116, 0, 512)
    struct.pack_into("<LL", data, 60, 9, 1)
    struct.pack_into("<128L", data, 512 * 10, *range(1, 8), END, *[FREE] * 120)
    with pytest.raises(FileError, match="16,777,216 cells"):
        read_bytes(BOOK, bytes(data))


def wide_number(value):
    """A number of seven bits a byte."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def test_a_binary_workbook_that_claims_too_much():
    """The sheets of an .xlsb are looked at in the same way."""
    records = b""
    for kind, place in ((0, 0), (5, 0), (0, 1048575), (5, 16383)):
        body = struct.pack("<L", place).ljust(200, b"\0")
        records += wide_number(kind) + wide_number(len(body)) + body
    data = archive({"xl/workbook.bin": b"", "xl/worksheets/sheet1.bin": records})
    with pytest.raises(FileError, match="17,179,869,184 cells"):
        read_bytes(Path("book.xlsb"), data)


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """A workbook in the old format, by LibreOffice."""
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("LibreOffice is not here")
    folder = tmp_path_factory.mktemp("old")
    made = folder / "book.xlsx"
    made.write_bytes(workbook({"S": ROWS}))
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [soffice, profile, "--headless", "--convert-to", "xls", "--outdir", str(folder)]
    subprocess.run([*command, str(made)], check=True, capture_output=True, timeout=180)
    return folder / "book.xls"


@pytest.mark.slow
def test_an_old_workbook_is_read(old):
    """A real .xls is read to its last cell."""
    (table,) = read(old)
    assert [list(table.header), *rows_of(table)] == ROWS


@pytest.mark.slow
@limited
@pytest.mark.parametrize("seed", range(20))
def test_any_damage_of_an_old_workbook(old, tmp_path, seed):
    """An .xls with bytes changed, or cut short, is read or refused in little memory."""
    rng = random.Random(seed)
    content = bytearray(old.read_bytes())
    for _ in range(rng.randint(1, 20)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    if seed % 3 == 0:
        del content[rng.randrange(1, len(content)) :]
    answer = read_apart(tmp_path / "bad.xls", bytes(content))
    assert isinstance(answer, list) or answer.startswith("bad.xls")
