"""Workbooks: where a table stands, what its cells hold, and files that are none."""

import datetime
import io
import random
import zipfile
from pathlib import Path

import pytest
import xlsxwriter
from build import rows_of, workbook

from ndcg_desktop.files.numbers import numbers
from ndcg_desktop.files.read import read, read_bytes
from ndcg_desktop.files.table import Cancelled, FileError, as_ids

TABLE = [
    ["query", "docid", "rank", "grade"],
    ["a", "d1", 1, 2],
    ["a", "d2", 2, 1],
    ["b", "d1", 1, 0],
]
BOOK = Path("book.xlsx")


def made(fill):
    """A workbook that ``fill`` writes."""
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer, {"in_memory": True}) as book:
        fill(book)
    return buffer.getvalue()


@pytest.mark.parametrize(("top", "left"), [(0, 0), (4, 0), (0, 2), (4, 2), (99, 25)])
def test_a_table_anywhere(top, left):
    """A table may begin in any cell; its rows and first column are numbered as in the sheet."""
    (table,) = read_bytes(BOOK, workbook({"S": TABLE}, top, left))
    assert table.header == tuple(TABLE[0])
    assert rows_of(table) == TABLE[1:]
    assert table.row.tolist() == [top + 2, top + 3, top + 4]
    assert table.first_column == left + 1


def test_rows_keep_their_numbers():
    """A title above and empty rows between do not shift the numbers."""
    rows = [["Review"], [], *TABLE[:2], [], *TABLE[2:]]
    (table,) = read_bytes(BOOK, workbook({"S": rows}))
    assert table.row.tolist() == [4, 6, 7]


def test_several_sheets():
    """Every sheet that holds something is a table, and says whether it is hidden."""

    def fill(book):
        for name in ("one", "two", "three"):
            book.add_worksheet(name).write_row(0, 0, ["query", "docid"])
        book.get_worksheet_by_name("two").hide()
        book.add_worksheet("empty")
        book.add_chartsheet("chart").set_chart(chart(book))

    def chart(book):
        made_chart = book.add_chart({"type": "bar"})
        made_chart.add_series({"values": "=one!$A$1:$A$1"})
        return made_chart

    tables = read_bytes(BOOK, made(fill))
    assert [(t.sheet, t.hidden) for t in tables] == [
        ("one", False),
        ("two", True),
        ("three", False),
    ]


def test_what_cells_hold():
    """Text ids keep their zeros, numbers lose their decimals, formulas give their values."""

    def fill(book):
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, TABLE[0])
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_string(1, 0, "007")
        sheet.write_number(1, 1, 12.0)
        sheet.write_formula(1, 3, "=1+1", None, 2)
        sheet.write_boolean(2, 0, True)
        sheet.write_datetime(2, 1, datetime.datetime(2026, 3, 4), day)
        sheet.write_formula(2, 3, "=1/0", None, "#DIV/0!")
        sheet.write_number(3, 0, 4006381333931)
        sheet.write_string(3, 1, "=2+3")
        sheet.write_string(3, 3, "n/a")

    (table,) = read_bytes(BOOK, made(fill))
    assert as_ids(table.columns[0]).texts() == ["007", "TRUE", "4006381333931"]
    assert as_ids(table.columns[1]).texts() == ["12", "2026-03-04", "=2+3"]
    grades, odd = numbers(table.columns[3])
    assert grades[0] == 2
    assert len(grades) == 3
    assert grades[1] != grades[1]
    assert 2 in odd


def test_merged_cells():
    """A query written once in a merged cell stands for every row that it spans."""

    def fill(book):
        sheet = book.add_worksheet("S")
        for number, row in enumerate(TABLE):
            sheet.write_row(number + 6, 3, row)
        sheet.merge_range(0, 0, 0, 9, "A title across")
        sheet.merge_range(7, 3, 8, 3, "a")

    (table,) = read_bytes(BOOK, made(fill))
    assert [row[3] for row in rows_of(table)] == ["a", "a", "b"]
    assert table.row.tolist() == [8, 9, 10]


def test_an_empty_merged_cell_beside_the_table():
    """A merged cell without a value, right of or below the table, does no harm."""

    def fill(book):
        sheet = book.add_worksheet("S")
        for number, row in enumerate(TABLE):
            sheet.write_row(number, 0, row)
        sheet.merge_range(1, 7, 2, 9, "")
        sheet.merge_range(20, 0, 22, 1, "")

    (table,) = read_bytes(BOOK, made(fill))
    assert [row[:4] for row in rows_of(table)] == TABLE[1:]


def test_a_merged_cell_left_of_the_table():
    """A merged cell that begins left of all values belongs to no column of theirs."""

    def fill(book):
        sheet = book.add_worksheet("S")
        for number, row in enumerate(TABLE):
            sheet.write_row(number, 2, row)
        sheet.merge_range(1, 0, 3, 0, "")

    (table,) = read_bytes(BOOK, made(fill))
    assert rows_of(table)[0][-4:] == TABLE[1]


def test_libreoffice(files):
    """A spreadsheet of LibreOffice opens."""
    (table,) = read(files / "58-libreoffice.ods")
    assert table.header[:2] == ("query", "docid")
    assert len(table) == 2


def test_no_table():
    """A workbook of empty sheets is refused in one sentence."""
    with pytest.raises(FileError, match="holds no table"):
        read_bytes(BOOK, workbook({"S": []}))


def test_cancelled():
    """Reading is given up when the user asks for that."""
    with pytest.raises(Cancelled):
        read_bytes(BOOK, workbook({"S": TABLE}), cancelled=lambda: True)


@pytest.mark.parametrize("part", [0.02, 0.3, 0.5, 0.9, 0.99])
def test_truncated(part):
    """A workbook that was cut short is refused as a file, whatever is missing."""
    data = workbook({"S": TABLE})
    with pytest.raises(FileError, match=r"^book\.xlsx"):
        read_bytes(BOOK, data[: int(len(data) * part)])


@pytest.mark.parametrize("missing", ["xl/workbook.xml", "xl/worksheets/sheet1.xml"])
def test_a_part_is_missing(missing):
    """A zip file without the parts of a workbook is refused as a file."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook({"S": TABLE}))) as old,
        zipfile.ZipFile(buffer, "w") as new,
    ):
        for name in old.namelist():
            if name != missing:
                new.writestr(name, old.read(name))
    with pytest.raises(FileError, match=r"^book\.xlsx"):
        read_bytes(BOOK, buffer.getvalue())


def damaged(data, rng):
    """A workbook with some bytes of its XML changed, taken out or put in."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            content = bytearray(old.read(name))
            for _ in range(rng.randint(0, 3)):
                place = rng.randrange(len(content))
                content[place : place + rng.choice((0, 1, 9))] = rng.choice(
                    (b"", b"<", b'"', b"99999999999", b"-1", b"&#0;", b'<c r="A0"/>', b"\xff")
                )
            new.writestr(name, bytes(content))
    return buffer.getvalue()


def test_damaged_inside():
    """Whatever is wrong inside a workbook, it is read, or refused as a file."""
    rng = random.Random(20261130)
    data = workbook({"S": TABLE}, 3, 1)
    refused = 0
    for _ in range(250):
        try:
            read_bytes(BOOK, damaged(data, rng))
        except FileError:
            refused += 1
    assert 50 < refused < 250


def test_damaged_bytes(files):
    """Bytes changed anywhere in a workbook give a table or a FileError."""
    rng = random.Random(7)
    for name in ("58-libreoffice.ods", "36-two-systems-wide.xlsx"):
        data = (files / name).read_bytes()
        refused = 0
        for _ in range(60):
            changed = bytearray(data)
            for _ in range(rng.randint(1, 9)):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            try:
                read_bytes(Path(name), bytes(changed))
            except FileError:
                refused += 1
        assert refused
