"""Grades of several judges saved: each to its judge's cell, with notes and in new columns."""

import csv
import io
import itertools
import shutil
import subprocess
import zipfile
from dataclasses import replace

import openpyxl
import pytest
import xlsxwriter
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from openpyxl.worksheet.table import Table as ExcelTable

from ndcg_desktop.files import save
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.labels import read_grade
from ndcg_desktop.files.numbers import number, number_text
from ndcg_desktop.files.plan import plan
from ndcg_desktop.files.read import read
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.save import (
    Change,
    ChangedOnDisk,
    FormulaInTheWay,
    GradeEdit,
    TextEdit,
    patched,
    write_patched,
)
from ndcg_desktop.files.table import FileError, Texts
from ndcg_desktop.files.text_patch import NewRow

WIDE = "query,docid,title,Rater A,Rater B,note\nshoes,A,Red,1,,\nshoes,B,Blue,2,0,see\n"
WIDE_ROLES = Roles(query=0, document=1, title=2, graders=(3, 4), note=5)
LONG = "query,docid,rank,rater,grade,comment\nq,A,1,Ann,3,\nq,A,1,Ben,2,no\nq,B,2,Ann,1,\n"
LONG_ROLES = Roles(query=0, document=1, rank=2, rater=3, grade=4, note=5)
ODD_NOTES = ["=1+2", "+49 30", "@home", 'say "ah"', "Müßig\nzwei", "a;b,c", " pad ", "12"]


def understood(path):
    """The first table of a file and what its columns are taken for."""
    return plan(read(path)).parts[0]


def saved(path, edits=(), new_rows=(), texts=(), new_columns=(), part=None, **consent):
    """Save a change of the only table of a file; the table as it then stands."""
    change = Change(part or understood(path), edits, new_rows, texts, new_columns)
    (table,) = write_patched(patched([change], **consent))
    return table


def refusal(path, kind=FileError, **change):
    """What a save that must fail says; the file is as it was."""
    before = path.read_bytes()
    with pytest.raises(kind) as refused:
        saved(path, **change)
    assert path.read_bytes() == before
    return refused.value


def texts_of(table):
    """The rows of a table as texts."""
    columns = [list(Texts(column)) for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def written(tmp_path, text, name="grades.csv", encoding="utf-8"):
    """A file with this text."""
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


# ---- delimited text


def test_each_judge_has_a_cell_of_their_own(tmp_path):
    """Grades go to the columns that are named, and every other byte stays."""
    path = written(tmp_path, WIDE)
    assert understood(path).roles == WIDE_ROLES

    saved(path, [GradeEdit(2, 3.0, 4), GradeEdit(3, None, 3)])

    assert path.read_text() == WIDE.replace("Red,1,,", "Red,1,3,").replace("Blue,2,0", "Blue,,0")


def test_a_european_file_stays_as_it_was_written(tmp_path):
    """Semicolons, quotes, CRLF, a byte order mark and decimal commas stay, and are used anew."""
    text = (
        '\ufeffquery;docid;"Rater A";"Rater B";remark\r\n'
        '"schuh; rot";A;"2,5";1;"alt"\r\nhut;B;;0;\r\nhut;C\r\n'
    )
    path = written(tmp_path, text)
    edits = [GradeEdit(2, 1.5, 2), GradeEdit(2, 0.5, 3), GradeEdit(3, 1.5, 2), GradeEdit(4, 2.0, 3)]
    notes = [TextEdit(2, 4, "schön; neu"), TextEdit(3, 4, "a\nb")]

    saved(path, edits, texts=notes)

    assert path.read_bytes().decode() == (
        '\ufeffquery;docid;"Rater A";"Rater B";remark\r\n'
        '"schuh; rot";A;"1,5";0,5;"schön; neu"\r\nhut;B;1,5;0;"a\nb"\r\nhut;C;;2\r\n'
    )


def test_an_old_encoding_stays_and_lacks_letters(tmp_path):
    """Notes are written in the encoding of the file; a letter that it lacks is named."""
    path = written(tmp_path, WIDE.replace("Red", "Élan"), encoding="cp1252")

    saved(path, texts=[TextEdit(2, 5, "très – bien")])

    text = path.read_bytes().decode("cp1252")
    assert text == WIDE.replace("Red,1,,", "Élan,1,,très – bien")
    assert "“ł” cannot be added" in str(refusal(path, texts=[TextEdit(3, 5, "miły")]))


def test_notes_come_back_as_they_were_given(tmp_path):
    """Signs of a formula, quotes, umlauts, line breaks and spaces are kept; "" empties the cell,
    and rows below a note of several lines are found.
    """
    rows = "".join(f"q,D{row},{row % 3},1,old\n" for row in range(len(ODD_NOTES) + 1))
    path = written(tmp_path, f"query,docid,Rater A,Rater B,note\n{rows}")
    notes = [TextEdit(row, 4, note) for row, note in enumerate([*ODD_NOTES, ""], 2)]

    table = saved(path, [GradeEdit(10, 2.0, 3)], texts=notes)

    assert table.columns[4] == [*ODD_NOTES, ""]
    assert table.columns[3][8] == "2"
    saved(path, texts=[TextEdit(6, 4, "short"), TextEdit(8, 4, "a\r\n\r\nb")])
    assert understood(path).table.columns[4][4:6] == ["short", "a\r\n\r\nb"]
    assert "no such column" in str(refusal(path, texts=[TextEdit(2, 5, "x")]))


def test_a_file_without_quotes_holds_no_line_breaks(tmp_path):
    """Where quotes mean nothing, a note of several lines is refused."""
    path = written(tmp_path, WIDE.replace(",", "\t"), "grades.tsv")

    saved(path, texts=[TextEdit(2, 5, "plain")])
    assert path.read_text() == WIDE.replace(",", "\t").replace("Red\t1\t\t", "Red\t1\t\tplain")
    assert "no quotes" in str(refusal(path, texts=[TextEdit(2, 5, "a\nb")]))


def test_a_new_column_stands_at_the_right_of_every_line(tmp_path):
    """All lines of the table get the field, short ones are filled up, and what stands above the
    header and blank lines are left as they are.
    """
    text = (
        "sep=;\nReview of May;;\n\nquery;docid;title;rater a;rater b\r\n"
        'q;A;"Red; bright";1;2\r\nq;B;Blue\r\n\r\n  \nq;C;;;1\nAverage;;;1;1,5'
    )
    path = written(tmp_path, text)
    part = understood(path)

    table = saved(
        path,
        [GradeEdit(5, 2.5, 5), GradeEdit(6, 0.0, 5)],
        texts=[TextEdit(5, 6, 'so "so"')],
        new_columns=["Cem; jr", "note"],
        part=part,
    )

    assert path.read_bytes().decode() == (
        'sep=;\nReview of May;;\n\nquery;docid;title;rater a;rater b;"Cem; jr";note\r\n'
        'q;A;"Red; bright";1;2;2,5;"so ""so"""\r\nq;B;Blue;;;0;\r\n\r\n  \nq;C;;;1;;\n'
        "Average;;;1;1,5;;"
    )
    assert table.header[5:] == ("Cem; jr", "note")


def test_a_table_without_a_header_gets_no_name_for_a_column(tmp_path):
    """Without a header row the new field is added to the rows alone."""
    path = written(tmp_path, "q,A,1\nq,B,2\n")
    part = Understood(read(path)[0], Roles(query=0, document=1, grade=2))
    assert part.table.header is None

    saved(path, [GradeEdit(2, 3.0, 3)], new_columns=["Ann"], part=part)

    assert path.read_text() == "q,A,1,\nq,B,2,3\n"


def test_a_name_of_two_lines_moves_the_rows(tmp_path):
    """The rows are found below a new header that has more lines than the old."""
    path = written(tmp_path, WIDE)
    table = saved(path, [GradeEdit(3, 1.0, 6)], new_columns=["Cem\nJr"])
    assert (table.header[-1], table.row.tolist()) == ("Cem\nJr", [3, 4])
    assert table.columns[6] == ["", "1"]


def test_a_new_column_may_be_empty(tmp_path):
    """A judge who has not begun has a column, too."""
    path = written(tmp_path, WIDE)
    assert saved(path, new_columns=["Cem"]).header[-1] == "Cem"
    assert path.read_text() == WIDE.replace("note\n", "note,Cem\n").replace(",\n", ",,\n").replace(
        "see\n", "see,\n"
    )


def test_rows_of_one_judge_each(tmp_path):
    """In a table of a row for each judgment the rows are the judges', and a further one is added
    like that of another.
    """
    path = written(tmp_path, LONG)
    assert understood(path).roles == LONG_ROLES

    table = saved(
        path,
        [GradeEdit(3, 0.0)],
        [
            NewRow("q", "B", 2.0, rater="Ben", note="a,b", like=4),
            NewRow("q", "A", None, rater="Cem", note="unsure", like=3),
            NewRow("r", "C", 1.0, rater="Ann"),
        ],
        [TextEdit(4, 5, "yes")],
    )

    assert path.read_text() == LONG.replace("Ben,2", "Ben,0").replace("Ann,1,\n", "Ann,1,yes\n") + (
        'q,B,2,Ben,2,"a,b"\nq,A,1,Cem,,unsure\nr,C,,Ann,1,\n'
    )
    assert len(table) == 6


def test_new_rows_of_a_wide_table_have_cells_of_judges(tmp_path):
    """A document that is added takes a grade of each judge, and of a new one."""
    path = written(tmp_path, WIDE)
    new = NewRow("shoes", "C", None, note="new", like=3, cells={3: 2.0, 6: 1.5, 7: "x"})

    saved(path, [], [new, NewRow("hats", "D", None)], new_columns=["Cem", "Cem's note"])

    assert path.read_text().splitlines()[-2:] == ["shoes,C,Blue,2,,new,1.5,x", "hats,D,,,,,,"]


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (NewRow("shoes", "C", 1.0), "grade"),
        (NewRow("shoes", "C", None, rater="Ann"), "rater"),
    ],
)
def test_nothing_of_a_new_row_is_lost_in_silence(tmp_path, row, what):
    """A grade or a rater that the table has no column for is refused."""
    path = written(tmp_path, WIDE)
    assert f"no column for the {what}" in str(refusal(path, new_rows=[row]))


def test_a_grade_of_nobody_is_refused(tmp_path):
    """Where each judge has a column, a grade that names none of them goes nowhere."""
    path = written(tmp_path, WIDE)
    refused = refusal(path, edits=[GradeEdit(2, 3.0)])
    assert "none of the graders' columns" in str(refused)
    assert refused.row == 2


@pytest.mark.parametrize(
    "change",
    [
        {"new_columns": ["Ann"]},
        {"texts": [TextEdit(1, 3, "note")]},
        {"edits": [GradeEdit(1, 1.0, 2)]},
        {"new_rows": [NewRow("2", "C", None)]},
        {"new_rows": [NewRow("2", "C", 1.0, note="x")]},
    ],
)
@pytest.mark.parametrize("text", ["1 0 A 2\n1 0 B 0\n", "2 qid:1 1:0.5 # A\n0 qid:1 1:2 # B\n"])
def test_lines_of_one_grade_have_no_room_for_more(tmp_path, text, change):
    """Lines of qrels and LTR hold neither a column for each judge nor notes."""
    path = written(tmp_path, text, "judgments.txt")
    assert "no room for a column per judge" in str(refusal(path, **change))


@pytest.mark.parametrize("name", ["grades.csv", "grades.xlsx"])
def test_words_are_those_of_every_judge(tmp_path, name):
    """Labels are read and written in each judge's column, a new one's too."""
    rows = [["query", "docid", "judge 1", "judge 2"], ["q", "A", "Good", "Bad"], ["q", "B", "", ""]]
    path = tmp_path / name
    if name.endswith("csv"):
        path.write_text("".join(",".join(row) + "\n" for row in rows))
    else:
        workbook(path, rows)
    part = understood(path)
    assert part.labels is not None

    table = saved(
        path,
        [GradeEdit(2, 0.0, 2), GradeEdit(3, 1.0, 3), GradeEdit(3, 0.0, 4), GradeEdit(2, 7.0, 4)],
        [NewRow("q", "C", None, cells={2: 1.0, 4: None})],
        new_columns=["judge 3"],
        part=part,
    )

    assert [row[2:] for row in texts_of(table)] == [
        ["Bad", "Bad", "7"],
        ["", "Good", "Bad"],
        ["Good", "", ""],
    ]


def test_a_line_like_another_has_its_grade_alone(tmp_path):
    """The features of an LTR file are not those of another judge's line, and are left out."""
    text = "2 qid:1 1:0.5 # A\n0 qid:1 1:2 # B\n"
    path = written(tmp_path, text, "judgments.txt")
    saved(path, new_rows=[NewRow("1", "C", 1.0, like=1)])
    assert path.read_text() == text + "1 qid:1 # C\n"


# ---- another program has been there


def test_a_changed_file_takes_the_grades_where_they_belong(tmp_path):
    """A column and rows that another judge has added meanwhile are left, and the new column goes to
    the right of theirs.
    """
    path = written(tmp_path, WIDE)
    part = understood(path)
    theirs = [row.split(",") for row in WIDE.splitlines()]
    lines = [",".join([*row, "Dan" if place == 0 else "1"]) for place, row in enumerate(theirs)]
    path.write_text("\n".join(lines) + "\nhats,X,,,,,2\n")
    change = {
        "edits": [GradeEdit(2, 3.0, 4), GradeEdit(3, 2.0, 6)],
        "texts": [TextEdit(2, 7, "why")],
        "new_rows": [NewRow("hats", "Y", None, cells={6: 1.0})],
        "new_columns": ["Cem", "Cem's note"],
        "part": part,
    }
    refusal(path, ChangedOnDisk, **change)

    table = saved(path, **change, replace_changed=True)

    assert table.header[6:] == ("Dan", "Cem", "Cem's note")
    assert [row[3:] for row in texts_of(table)] == [
        ["1", "3", "", "1", "", "why"],
        ["2", "0", "see", "1", "2", ""],
        ["", "", "", "2", "", ""],
        ["", "", "", "", "1", ""],
    ]


@pytest.mark.parametrize(
    ("text", "old", "new", "change"),
    [
        (WIDE, "Rater B", "Rater C", {"edits": [GradeEdit(2, 1.0, 3)]}),
        (WIDE, "title", "subject", {"texts": [TextEdit(2, 2, "x")]}),
        (WIDE, "title", "subject", {"new_rows": [NewRow("q", "Z", None, cells={2: "x"})]}),
        (WIDE, "note", "remark", {"edits": [GradeEdit(2, 1.0, 3)]}),
        (LONG, "Ben", "Cem", {"edits": [GradeEdit(3, 1.0)]}),
        (LONG, "B,2,Ann", "C,2,Ann", {"new_rows": [NewRow("q", "B", 1.0, "Ben", like=4)]}),
    ],
)
def test_grades_do_not_go_to_another_judge(tmp_path, text, old, new, change):
    """Where a column or a row has become another's, nothing is written."""
    path = written(tmp_path, text)
    part = understood(path)
    path.write_text(text.replace(old, new))

    refused = refusal(path, **change, part=part, replace_changed=True)
    assert "have moved" in str(refused)


def test_what_both_have_added_is_not_added_twice(tmp_path):
    """A row of the same rater and document, and a column of the same judge, stay single; a row of
    another rater is none of these.
    """
    path = written(tmp_path, LONG)
    part = understood(path)
    path.write_text(LONG + "q,B,2,Ben,3,\n")
    ben, cem = (NewRow("q", "B", 2.0, rater=name, like=4) for name in ("Ben", "Cem"))

    refused = refusal(path, new_rows=[ben], part=part, replace_changed=True)
    assert "now lists “B”" in str(refused)
    assert refused.row == 5
    saved(path, new_rows=[cem], part=part, replace_changed=True)
    assert path.read_text() == LONG + "q,B,2,Ben,3,\nq,B,2,Cem,2,\n"

    path = written(tmp_path, WIDE)
    part = understood(path)
    saved(path, new_columns=["Cem"])
    refused = refusal(path, new_columns=["Cem"], part=part, replace_changed=True)
    assert "now has a column “Cem”" in str(refused)


# ---- nothing is replaced before it reads back

GOOD = (
    "query,docid,title,Rater A,Rater B,note,Cem\n"
    'shoes,A,Red,3,,"a\nb",\nshoes,B,Blue,2,0,see,1\nTotal,,,5,,,\nhats,C,,,,,2\n'
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("Red,3,,", "Red,2,,", id="another grade"),
        pytest.param("Red,3,,", "Red,,3,", id="another judge"),
        pytest.param("Blue,2,0", "Blue,2,1", id="another row"),
        pytest.param("a\nb", "a b", id="another note"),
        pytest.param("see", "saw", id="an old note"),
        pytest.param("Blue", "Green", id="another column"),
        pytest.param("see,1", "see,", id="a new cell is missing"),
        pytest.param('b",\n', 'b",1\n', id="a new cell too many"),
        pytest.param("Total,,,5,,,", "Total,,,5,,,1", id="a sum in the new column"),
        pytest.param("Cem", "Ben", id="another header"),
        pytest.param("title", "titles", id="a header that was there"),
        pytest.param("hats,C,,", "hats,C,x,", id="something more in the new row"),
        pytest.param("hats,C,,,,,2", "hats,C,,,,,3", id="another grade in the new row"),
        pytest.param("hats,C,,,,,2\n", "", id="no new row"),
        pytest.param(",Cem", "", id="no header"),
    ],
)
def test_bytes_that_do_not_read_back_are_not_saved(tmp_path, monkeypatch, old, new):
    """Whatever went wrong in the making, the file is left as it was."""
    text = WIDE + "Total,,,5,,\n"
    path = written(tmp_path, text)
    part = understood(path)
    part = replace(part, table=part.table.take(part.table.row[:2] - 2))  # as without its sum
    change = {
        "edits": [GradeEdit(2, 3.0, 3), GradeEdit(3, 1.0, 6)],
        "texts": [TextEdit(2, 5, "a\nb")],
        "new_rows": [NewRow("hats", "C", None, cells={6: 2.0})],
        "new_columns": ["Cem"],
        "part": part,
    }
    saved(path, **change)
    assert path.read_text() == GOOD
    path.write_text(text)
    assert GOOD.count(old) == 1
    monkeypatch.setattr(save, "patch_text", lambda *_: GOOD.replace(old, new).encode())

    assert "read back" in str(refusal(path, **change))


def test_an_open_quote_takes_no_new_field(tmp_path):
    """A last record whose quote is not closed would swallow the new column."""
    path = written(tmp_path, 'query,docid,grade,note\nq,A,1,\nq,B,2,"open\n')
    part = Understood(read(path)[0], Roles(query=0, document=1, grade=2, note=3))

    assert "cannot be changed in place" in str(refusal(path, new_columns=["Ann"], part=part))


# ---- workbooks


def workbook(path, rows, sheet="Judgments"):
    """A workbook with these rows; a text with a leading “=” is a formula, with the value 7."""
    with xlsxwriter.Workbook(path) as book:
        page = book.add_worksheet(sheet)
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                if isinstance(cell, str) and cell.startswith("="):
                    page.write_formula(row, column, cell, None, 7)
                elif cell not in (None, ""):
                    page.write(row, column, cell)
    return path


HEADER = ["query", "docid", "title", "Rater A", "Rater B", "note"]
ROWS = [
    ["shoes", "A", "Red", 1, None, None],
    ["shoes", "B", "Blue", 2.5, 0, "see"],
    ["hats", "C", "Green", None, 3, None],
]


@pytest.fixture
def book(tmp_path):
    """A workbook with a table of two judges and much else."""
    path = tmp_path / "grades.xlsx"
    with xlsxwriter.Workbook(path) as made:
        sheet = made.add_worksheet("Judgments")
        head = made.add_format({"bold": True, "bg_color": "#CCDDEE"})
        cell = made.add_format({"num_format": "0.0", "border": 1})
        columns = [{"header": name, "header_format": head} for name in HEADER]
        sheet.add_table(0, 0, 3, 5, {"columns": columns, "name": "Grades"})
        for number_, row in enumerate(ROWS, 1):
            sheet.write_row(number_, 0, row[:3])
            sheet.write_row(number_, 3, row[3:5], cell)
            sheet.write(number_, 5, row[5])
        sheet.conditional_format("D2:E4", {"type": "data_bar"})
        chart = made.add_chart({"type": "bar"})
        chart.add_series({"values": "=Judgments!$D$2:$D$4"})
        sheet.insert_chart("J20", chart)
        made.add_worksheet("Sums").write_formula("A1", "=SUM(Judgments!D2:D4)", None, 3.5)
    return path


def members(path):
    """The content of each part of a workbook, by name."""
    with zipfile.ZipFile(path) as package:
        assert package.testzip() is None
        return {info.filename: package.read(info) for info in package.infolist()}


def cells_of(path, sheet="Judgments"):
    """Value, number format and weight of each cell of a sheet that holds something."""
    page = openpyxl.load_workbook(path)[sheet]
    return {
        cell.coordinate: (cell.value, cell.number_format, cell.font.bold)
        for row in page.iter_rows()
        for cell in row
        if cell.value is not None
    }


SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.filterwarnings("ignore:.*extension is not supported")
def test_each_judge_has_a_cell_of_their_own_in_a_workbook(book):
    """Grades and notes go to their cells in the style of these; all other cells and parts stay."""
    assert understood(book).roles == WIDE_ROLES
    before, parts = cells_of(book), members(book)

    saved(
        book,
        [GradeEdit(2, 3.0, 4), GradeEdit(3, None, 3), GradeEdit(4, 1.5, 3)],
        texts=[TextEdit(4, 5, "=2+2"), TextEdit(3, 5, ""), TextEdit(2, 5, "zwei\nZeilen, “ü”")],
    )

    after = cells_of(book)
    expected = before | {
        "E2": (3, "0.0", False),
        "D4": (1.5, "0.0", False),
        "F4": ("=2+2", "General", False),
        "F2": ("zwei\nZeilen, “ü”", "General", False),
    }
    del expected["D3"], expected["F3"]
    assert after == expected
    assert openpyxl.load_workbook(book)["Judgments"]["F4"].data_type == "s"
    now = members(book)
    assert {name for name in parts if now[name] != parts[name]} == {SHEET}


@pytest.mark.filterwarnings("ignore:.*extension is not supported")
def test_new_columns_stand_beside_the_table(book):
    """They have headers in the style of the others, and grades in that of the judges; the table of
    the spreadsheet program stays as it is.
    """
    before, parts = cells_of(book), members(book)

    table = saved(
        book,
        [GradeEdit(2, 2.0, 6), GradeEdit(4, 0.5, 6)],
        texts=[TextEdit(3, 7, "-1 ?")],
        new_columns=["Cem", "Cem's note"],
    )

    assert cells_of(book) == before | {
        "G1": ("Cem", "General", True),
        "H1": ("Cem's note", "General", True),
        "G2": (2, "0.0", False),
        "G4": (0.5, "0.0", False),
        "H3": ("-1 ?", "General", False),
    }
    assert table.header == (*HEADER, "Cem", "Cem's note")
    now = members(book)
    assert {name for name in parts if now[name] != parts[name]} == {SHEET}


@pytest.mark.filterwarnings("ignore:.*extension is not supported")
def test_new_rows_of_a_workbook_have_their_new_cells(book):
    """A document that is added has the title of another, the grade of a new judge and a note."""
    new = NewRow("hats", "D", None, note="late", like=4, cells={4: 2.0, 6: 1.0})

    saved(book, [GradeEdit(2, 3.0, 6)], [new], new_columns=["Cem"])

    sheet = openpyxl.load_workbook(book)["Judgments"]
    row = [cell.value for cell in sheet[5]]
    assert row == ["hats", "D", "Green", None, 2, "late", 1]
    assert sheet.tables["Grades"].ref == "A1:F5"
    assert (sheet["G2"].value, sheet["G4"].value) == (3, None)


def test_a_new_cell_of_an_old_column_looks_like_the_one_above(tmp_path):
    """Only in a new column is the style that of the other judge in the same row."""
    path = tmp_path / "grades.xlsx"
    with xlsxwriter.Workbook(path) as made:
        page = made.add_worksheet()
        for row, cells in enumerate([HEADER, *(row[:3] for row in ROWS)]):
            page.write_row(row, 0, cells)
        for row, column, shown in ((1, 3, "0.0"), (2, 3, "0.0"), (1, 4, "0.000")):
            page.write_number(row, column, 1, made.add_format({"num_format": shown}))

    saved(path, [GradeEdit(3, 2.0, 4), GradeEdit(3, 2.0, 6)], new_columns=["Cem"])

    page = openpyxl.load_workbook(path).active
    assert (page["E3"].number_format, page["G3"].number_format) == ("0.000", "0.0")


def test_columns_that_hold_anything_are_not_taken(tmp_path):
    """A stray cell, a formula without a value and a merged cell each keep their column."""
    path = tmp_path / "grades.xlsx"
    made = openpyxl.Workbook()
    page = made.active
    page.merge_cells("A1:K1")
    page["A1"] = "Review of May"
    for row in (HEADER, *ROWS):
        page.append(row)
    page["G40"] = "stray"
    page["H9"] = '=IF(TRUE,"","x")'
    page.merge_cells("I4:I5")
    page["J3"].fill = openpyxl.styles.PatternFill("solid", fgColor="FFEE00")
    made.save(path)
    before = cells_of(path, "Sheet")

    part = understood(path)
    width = len(part.table.columns)
    table = saved(path, [GradeEdit(3, 1.0, width)], new_columns=["Cem", "Dan"], part=part)

    added = {name: (*value, "General", False)[:3] for name, value in {"J2": ["Cem"]}.items()}
    added |= {"K2": ("Dan", "General", False), "J3": (1, "General", False)}
    assert cells_of(path, "Sheet") == before | added
    assert table.header[table.header.index("Cem") :] == ("Cem", "Dan")
    again = openpyxl.load_workbook(path)["Sheet"]
    assert {area.coord for area in again.merged_cells.ranges} == {"A1:K1", "I4:I5"}
    assert again["J3"].fill.fgColor.rgb == "00FFEE00"


def test_a_sheet_without_a_header_gets_no_name_for_a_column(tmp_path):
    """Without a header row the new cells stand in the rows alone."""
    path = workbook(tmp_path / "grades.xlsx", [["q", "A", 1], ["q", "B", 2]])
    part = Understood(read(path)[0], Roles(query=0, document=1, grade=2))
    assert part.table.header is None

    saved(path, [GradeEdit(2, 3.0, 3)], new_columns=["Ann"], part=part)
    page = openpyxl.load_workbook(path).active
    assert [[cell.value for cell in row] for row in page] == [["q", "A", 1, None], ["q", "B", 2, 3]]
    saved(path, new_columns=["Ben"], part=replace(part, table=read(path)[0]))


def test_a_sheet_may_be_full(tmp_path):
    """A sheet whose last column holds something near the table has no room for another."""
    path = tmp_path / "grades.xlsx"
    with xlsxwriter.Workbook(path) as made:
        page = made.add_worksheet()
        for row, cells in enumerate([["query", "docid", "grade"], ["q", "A", 1], ["q", "B", 2]]):
            page.write_row(row, 16_381, cells)

    assert "no room for another column" in str(refusal(path, new_columns=["Ann"]))


def test_rows_of_one_judge_each_in_a_workbook(tmp_path):
    """A further judge's row is like another's but for grade, judge and note, and comes into the
    table of the spreadsheet program.
    """
    path = tmp_path / "grades.xlsx"
    made = openpyxl.Workbook()
    rows = [line.split(",") for line in LONG.splitlines()]
    for row in rows:
        made.active.append([float(cell) if cell.isdigit() else cell or None for cell in row])
    made.active.add_table(ExcelTable(displayName="T", ref="A1:F4"))
    made.save(path)
    assert understood(path).roles == LONG_ROLES

    saved(
        path,
        [GradeEdit(2, None)],
        [
            NewRow("q", "B", 2.0, rater="Ben", note="=A1", like=4),
            NewRow("q", "D", 0.0, rater="Ann"),
        ],
    )

    page = openpyxl.load_workbook(path).active
    assert [[cell.value for cell in row] for row in page["A4:F6"]] == [
        ["q", "B", 2, "Ann", 1, None],
        ["q", "B", 2, "Ben", 2, "=A1"],
        ["q", "D", None, "Ann", 0, None],
    ]
    assert page["F5"].data_type == "s"
    assert page["E2"].value is None
    assert page.tables["T"].ref == "A1:F6"


def test_formulas_of_a_judge_are_not_replaced_unasked(tmp_path):
    """A judge's column that is worked out is named by its cells; told so, values replace it."""
    path = workbook(tmp_path / "grades.xlsx", [HEADER, *([*row[:4], "=D2", "x"] for row in ROWS)])
    change = {"edits": [GradeEdit(2, 2.0, 4), GradeEdit(3, 2.0, 3)]}

    assert refusal(path, FormulaInTheWay, **change).cells == ["E2"]
    saved(path, **change, replace_formulas=True)
    page = openpyxl.load_workbook(path).active
    assert [page["E2"].value, page["E3"].value, page["D3"].value] == [2, "=D2", 2]


def test_merged_cells_of_judges_and_notes_are_split_where_they_differ(tmp_path):
    """Of two merged grades of different judges and a merged note, only those are split that come to
    hold different things.
    """
    path = tmp_path / "grades.xlsx"
    with xlsxwriter.Workbook(path) as made:
        page = made.add_worksheet()
        for row, cells in enumerate([HEADER, *(row[:3] for row in ROWS)]):
            page.write_row(row, 0, cells)
        page.merge_range("D2:D3", 1)
        page.merge_range("E2:E4", 2)
        page.merge_range("F2:F3", "12")

    edits = [GradeEdit(3, 3.0, 3), *(GradeEdit(row, 0.0, 4) for row in (2, 3, 4))]
    table = saved(path, edits, texts=[TextEdit(2, 5, "other")])

    page = openpyxl.load_workbook(path).active
    assert [area.coord for area in page.merged_cells.ranges] == ["E2:E4"]
    assert [row[3:] for row in texts_of(table)] == [
        ["1", "0", "other"],
        ["3", "0", "12"],
        ["", "0", ""],
    ]
    assert page["F3"].data_type == "s"


soffice = shutil.which("soffice")


@pytest.mark.slow
@pytest.mark.skipif(soffice is None, reason="LibreOffice is not here")
@pytest.mark.filterwarnings("ignore:.*extension is not supported")
def test_libreoffice_reads_what_was_saved(book, tmp_path):
    """LibreOffice opens a workbook with saved grades, notes, columns and rows, and finds them."""
    table = saved(
        book,
        [GradeEdit(2, 3.0, 4), GradeEdit(3, 2.0, 6)],
        [NewRow("hats", "D", None, note="=1+1", like=4, cells={3: 2.0})],
        [TextEdit(3, 5, "ü\n“x”"), TextEdit(2, 7, "_x0041_")],
        ["Cem", "Cem's note"],
    )
    out = tmp_path / "out"
    profile = f"-env:UserInstallation={(out / 'profile').as_uri()}"
    command = [soffice, profile, "--headless", "--convert-to", "ods", "--outdir", out, book]
    subprocess.run(command, check=True, capture_output=True, timeout=180)

    (again,) = (each for each in read(out / "grades.ods") if each.sheet == "Judgments")
    assert again.header == table.header
    assert texts_of(again) == texts_of(table)


# ---- any delimited text

LETTERS = "ab 1,;|\"'\n=äß"
GRADES = st.sampled_from([0.0, 1.0, 2.5, 3.0])
NOTES = st.text(LETTERS, max_size=6)


@st.composite
def files(draw):
    """A table of two judges as text in some style: its bytes, and its cells as text by row."""
    delimiter, end = draw(st.sampled_from(",;|")), draw(st.sampled_from(["\n", "\r\n"]))
    comma = delimiter != "," and draw(st.booleans())
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    grade = (GRADES | st.none()).map(lambda g: "" if g is None else number_text(g, comma))
    row = st.tuples(NOTES, grade, grade, NOTES)
    rows = [
        ["q", f"D{place}", *cells]
        for place, cells in enumerate(draw(st.lists(row, min_size=1, max_size=5)))
    ]
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(HEADER)
    for cells in rows:
        least = max(place + 1 for place, cell in enumerate(cells) if cell)
        writer.writerow(cells[: draw(st.integers(least, len(cells)))])
        out.write(draw(st.sampled_from(["", end])))
    mark = draw(st.sampled_from(["", "\ufeff"]))
    text = out.getvalue().removesuffix(draw(st.sampled_from(["", end])))
    encoding = "utf-8" if mark else draw(st.sampled_from(["utf-8", "cp1252", "utf-16"]))
    return (mark + text).encode(encoding), delimiter, rows


def records_of(data, delimiter):
    """The text of each record of a file that is no blank line."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252")
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="").readlines()
    reader, begin, found = csv.reader(lines, delimiter=delimiter), 0, []
    for fields in reader:
        if fields:
            found.append("".join(lines[begin : reader.line_num]))
        begin = reader.line_num
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(files(), st.data())
def test_any_change_of_any_text_reads_back(tmp_path, made, draws):
    """Whatever is edited and added, the table that is read again is the one that was meant, and
    all records without a change keep their bytes.
    """
    data, delimiter, rows = made
    path = tmp_path / "any.csv"
    path.write_bytes(data)
    (table,) = read(path)
    assume(texts_of(table) == rows)
    places, width = st.integers(0, len(rows) - 1), len(HEADER)
    names = draws.draw(st.lists(st.sampled_from(["Cem", "x;y,|"]), unique=True), label="columns")
    cell = st.tuples(places, st.sampled_from([3, 4, *range(width, width + len(names))]))
    grades = draws.draw(st.dictionaries(cell, GRADES | st.none()), label="grades")
    notes = draws.draw(st.dictionaries(places, NOTES), label="notes")
    new = st.builds(
        NewRow,
        st.just("r"),
        st.text("xyz", min_size=1, max_size=2),
        st.none(),
        note=NOTES,
        like=st.none() | places.map(lambda place: int(table.row[place])),
        cells=st.dictionaries(st.sampled_from([3, 4]), GRADES),
    )
    added = draws.draw(st.lists(new, max_size=2), label="rows")

    model: list[list[object]] = [[*row, *[""] * len(names)] for row in rows]
    touched = {place for place, _ in grades} | notes.keys()
    for (place, column), grade in grades.items():
        if read_grade(model[place][column], None) != grade:
            model[place][column] = grade
    for place, note in notes.items():
        model[place][5] = note
    like = {int(row): place for place, row in enumerate(table.row)}
    for row in added:
        title = "" if row.like is None else rows[like[row.like]][2]
        cells = [row.query, row.document, title, "", "", row.note, *[""] * len(names)]
        model.append([row.cells.get(at, text) for at, text in enumerate(cells)])
    edits = [GradeEdit(int(table.row[at]), grade, column) for (at, column), grade in grades.items()]
    texts = [TextEdit(int(table.row[at]), 5, note) for at, note in notes.items()]
    change = Change(Understood(table, WIDE_ROLES), edits, added, texts, names)
    try:
        (again,) = write_patched(patched([change]))
    except FileError as error:
        # What would make the rows look like others is refused.
        if "read back" not in error.problem:
            raise
        assert path.read_bytes() == data
        return

    assert again.header == (*HEADER, *names)
    for row, expected in itertools.zip_longest(texts_of(again), model):
        for text, value in itertools.zip_longest(row, expected):
            same = text == value if isinstance(value, str) else number(text) == value
            assert same or (value is None and text == "")
    before, after = (records_of(each, delimiter) for each in (data, path.read_bytes()))
    for place, (old, new) in enumerate(zip(before, after, strict=False), -1):
        bare = old.rstrip("\r\n")
        if place not in touched:
            assert new.startswith(bare + delimiter) if names else new.rstrip("\r\n") == bare
        assert new.endswith(old[len(bare) :])
