"""Workbooks that would exhaust the memory: each is read, or refused, in a process with a limit."""

import contextlib
import struct
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from books import (
    SHEET,
    archive,
    limited,
    number_cell,
    ods,
    read_apart,
    row_of,
    text_cell,
    worksheet,
    xlsx,
)
from build import workbook
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.files.read import read, read_bytes
from ndcg_desktop.files.table import FileError

BOOK = Path("book.xlsx")
HEAD = row_of(1, "query", "docid", "grade") + row_of(2, "q", "d1", 2)


def beside(rows, cell):
    """The first of these rows with one more cell."""
    return rows.replace("</row>", cell + "</row>", 1)


FAR = {
    "down": (HEAD + row_of(1048576, "q", "d9", 1), [2, 1048576], []),
    "down and right": (
        HEAD + f'<row r="1048576">{text_cell("XFD1048576", "x")}</row>',
        [2],
        ["far-cells"],
    ),
    "right of many": (
        beside(HEAD, text_cell("XFD1", "x")) + row_of(20000, "q", "d", 1),
        [2, 20000],
        ["far-cells"],
    ),
    "left of the table": (
        f'<row r="1">{text_cell("A1", "note")}</row>'
        + "".join(
            f'<row r="{row}">'
            + text_cell(f"XEA{row}", "query" if row == 2 else "q")
            + text_cell(f"XEB{row}", "docid" if row == 2 else f"d{row}")
            + "</row>"
            for row in (2, 3, 900000)
        ),
        [3, 900000],
        ["far-cells"],
    ),
    "spaces around the sign": (
        HEAD + "<row r = '1048576'><c\n r = 'XFD1048576'><v>1</v></c></row>",
        [2],
        ["far-cells"],
    ),
    "a prefix of its own": (
        HEAD + '<row r="9"><x:c r="XFD1048576"><v>1</v></x:c></row>',
        [2],
        ["far-cells"],
    ),
    "another order of attributes": (
        HEAD + '<row r="9"><c s="0" r="XFD1048576"><v>1</v></c></row>',
        [2],
        ["far-cells"],
    ),
    "a name within a value": (
        HEAD + """<row r="9"><c x=' r="A9"' r="XFD1048576"><v>1</v></c></row>""",
        [2],
        ["far-cells"],
    ),
    "no names": (
        "<row><c t='str'><v>query</v></c><c t='str'><v>docid</v></c></row>"
        '<row r="1048576"><c><v>1</v></c><c><v>2</v></c></row>',
        [1048576],
        [],
    ),
    "in a comment": (HEAD + f"<!--{number_cell('XFD1048576', 1)}-->", [2], []),
    "a gap": (HEAD + row_of(603, "q", "d9", 1), [2, 603], []),
    "styled blanks": (HEAD + '<row r="1048576"><c r="XFD1048576" s="0"/></row>', [2], []),
}


@limited
@pytest.mark.parametrize("name", FAR)
def test_cells_far_apart(tmp_path, name):
    """Few cells far apart take little memory, keep the numbers of their rows, and lose nothing
    but what stands far to the side, which is told.
    """
    rows, expected, codes = FAR[name]
    header, numbers, found = read_apart(tmp_path / "far.xlsx", xlsx(rows))
    assert header[:2] == ["query", "docid"]
    assert (numbers, found) == (expected, codes)


def test_a_sheet_moved_together_keeps_types_and_merged_cells():
    """Dates, formulas, texts of several runs and merged cells survive between far rows."""
    rows = (
        row_of(5, "query", "docid", "grade")
        + '<row r="300000"><c r="A300000" t="inlineStr"><is><r><t>run</t></r><r><t>ning</t></r>'
        '</is></c><c r="B300000" s="1"><v>46085</v></c><c r="C300000"><f>1+1</f><v>2</v></c></row>'
        + row_of(300001, "", "d2", 1)
        + row_of(900000, "", "d3", 0)
    )
    styles = (
        '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs>'
        '<xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'
    )
    after = '<mergeCells><mergeCell ref="A300000:A900000"/></mergeCells>'
    (table,) = read_bytes(BOOK, xlsx(rows, after=after, styles=styles))
    assert table.columns[0] == ["running"] * 3
    assert str(table.columns[1][0]) == "2026-03-04"
    assert table.columns[2] == [2, 1, 0]
    assert table.row.tolist() == [300000, 300001, 900000]


@given(
    st.dictionaries(
        st.tuples(st.integers(1, 60000), st.integers(1, 700)), st.integers(0, 9), min_size=1
    )
)
@settings(max_examples=60)
def test_any_far_cells_keep_their_places(cells):
    """Whichever way a sheet is read, each number is at its row and column or told as left out."""
    wanted = {(1, 1): 1, (1, 2): 2} | cells
    rows = ""
    for row in sorted({place[0] for place in wanted}):
        names = sorted(column for at, column in wanted if at == row)
        inner = "".join(number_cell(f"{_letters(c)}{row}", wanted[row, c]) for c in names)
        rows += f'<row r="{row}">{inner}</row>'
    (table,) = read_bytes(BOOK, xlsx(rows))
    found = {
        (int(row), table.first_column + place): cell
        for place, column in enumerate(table.columns)
        for row, cell in zip(table.row, column, strict=True)
        if cell != ""
    }
    left_out = [f.text for f in table.findings if f.code == "far-cells"]
    assert found.items() <= wanted.items()
    for row, column in wanted.keys() - found.keys():
        assert f"{_letters(column)}{row}" in left_out[0] or " more" in left_out[0]


def _letters(column):
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(65 + letter) + letters
    return letters


def _ods(*rows):
    return ods(f'<table:table table:name="S">{"".join(rows)}</table:table>')


def _ods_row(*values, repeated=1):
    cells = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
        if isinstance(value, str)
        else f'<table:table-cell table:number-columns-repeated="{value}"/>'
        for value in values
    )
    return f'<table:table-row table:number-rows-repeated="{repeated}">{cells}</table:table-row>'


ODS_HEAD = _ods_row("query", "docid") + _ods_row("q", "d1")


@limited
@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (_ods_row(16384, repeated=1048574), [2]),
        (_ods_row(16384, repeated=600) + _ods_row("q", "d9"), [2, 603]),
        (_ods_row(1, repeated=900000) + _ods_row("q", "d9"), [2, 900003]),
        (_ods_row("q", "d9", repeated=3), [2, 3, 4, 5]),
    ],
)
def test_repeated_rows_of_an_open_document(tmp_path, rows, expected):
    """Rows and columns that are repeated up to a sheet's end cost little, and none is lost."""
    _, numbers, _ = read_apart(tmp_path / "far.ods", _ods(ODS_HEAD, rows))
    assert numbers == expected


@limited
@pytest.mark.parametrize(
    "rows",
    [
        _ods_row(16380, "x") + _ods_row("q", "d") * 2000,
        _ods_row(2000000000, "x"),
        _ods_row("q", "d", repeated=1048574000),
        _ods_row("x", repeated="-1"),
        _ods_row('<text:s text:c="4000000000"/>'),
    ],
)
def test_an_open_document_too_large_is_refused(tmp_path, rows):
    """A table that would be laid out to many millions of cells is refused in a sentence."""
    answer = read_apart(tmp_path / "far.ods", _ods(ODS_HEAD, rows))
    assert answer.startswith("far.ods")


@limited
def test_an_open_document_without_an_end_is_refused(tmp_path):
    """A table that is never closed is refused, not waited for."""
    data = ods(f'<table:table table:name="S">{ODS_HEAD}<table:table-row>')
    assert "no XML" in read_apart(tmp_path / "open.ods", data)


def lying(data, size):
    """The archive whose last member says that it unpacks to another size."""
    data = bytearray(data)
    place = data.rindex(b"PK\1\2")
    struct.pack_into("<L", data, place + 24, size)
    return bytes(data)


REFUSED = {
    "a bad name": (xlsx(HEAD + '<row r="3"><c r="ZZZZ99999999"><v>1</v></c></row>'), "beyond"),
    "a name of many zeros": (
        xlsx(HEAD + '<row r="3"><c r="XFD0000000001048576"><v>1</v></c></row>'),
        "beyond",
    ),
    "a row too far": (xlsx(HEAD + row_of(1048577, "q", "d", 1)), "beyond"),
    "rows of unnamed cells": (xlsx(f"<row>{'<c><v>1</v></c>' * 20000}</row>"), "too large"),
    "strewn cells": (
        xlsx(
            "".join(
                f'<row r="{9 * n}">{number_cell(f"{_letters(n)}{9 * n}", 1)}</row>'
                for n in range(1, 3000)
            )
        ),
        "strewn",
    ),
    "entities": (
        xlsx("", worksheets__sheet1='<!DOCTYPE x [<!ENTITY a "aaaa">]>' + worksheet(HEAD)),
        "document type",
    ),
    "entities of the strings": (
        xlsx(HEAD, sharedStrings='<?xml version="1.0"?><!DOCTYPE sst []><sst/>'),
        "document type",
    ),
    "UTF-16": (
        archive({SHEET: worksheet(HEAD).encode("utf-16")}),
        "UTF-8",
    ),
    "a bomb": (xlsx(HEAD, worksheets__sheet2=" " * (80 << 20)), "unpack to 80 MiB"),
    "a bomb that lies": (lying(xlsx(HEAD, x="<a>" + " " * (40 << 20)), 5), "longer than it says"),
    "a short part": (lying(xlsx(HEAD, x="<a>"), 50), "cut short"),
}


@limited
@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_workbook_is_refused(tmp_path, name):
    """What would exhaust the memory, or what no spreadsheet program writes, is refused."""
    data, words = REFUSED[name]
    answer = read_apart(tmp_path / "bad.xlsx", data)
    assert answer.startswith("bad.xlsx")
    assert words in answer


def test_two_parts_of_one_name():
    """Which of two parts of one name a program reads is anyone's guess: it is refused."""
    buffer = BytesIO(xlsx(HEAD))
    with zipfile.ZipFile(buffer, "a") as package, pytest.warns(UserWarning, match="Duplicate"):
        package.writestr(SHEET, worksheet(HEAD))
    with pytest.raises(FileError, match="two parts of one name"):
        read_bytes(BOOK, buffer.getvalue())


def test_a_password():
    """A workbook under a password says what to do about it."""
    container = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
    container += "EncryptedPackage".encode("utf-16-le") + bytes(600)
    with pytest.raises(FileError, match=r"protected by a password\. Remove it"):
        read_bytes(BOOK, container)


def test_unusual_cells_are_read(tmp_path):
    """A cell of ten megabytes, one of a NUL and merged cells over a whole sheet do no harm."""
    rows = HEAD + row_of(3, "q", "d" * 10_000_000, 1) + row_of(4, "", "d\0", 1)
    merges = "<mergeCells>%s</mergeCells>" % ('<mergeCell ref="A2:XFD1048576"/>' * 2000)
    (table,) = read_bytes(BOOK, xlsx(rows, after=merges))
    assert len(table.columns[1][1]) == 10_000_000
    assert table.columns[0] == ["q", "q", "q"]


@given(st.data())
@settings(max_examples=80)
def test_any_damage_is_read_or_refused(files, data):
    """A workbook cut anywhere, or with any bytes changed, gives a table or a FileError."""
    name = data.draw(st.sampled_from(["36-two-systems-wide.xlsx", "58-libreoffice.ods"]))
    whole = (files / name).read_bytes()
    content = bytearray(whole[: data.draw(st.integers(1, len(whole)))])
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(FileError):
        assert read_bytes(Path(name), bytes(content))


def test_a_sheet_of_every_column(tmp_path):
    """A sheet whose first row has all 16,384 columns is read to the last."""
    path = tmp_path / "wide.xlsx"
    path.write_bytes(workbook({"S": [[f"c{n}" for n in range(16384)], ["x"] * 16384]}))
    (table,) = read(path)
    assert len(table.columns) == 16384
