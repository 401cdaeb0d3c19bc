"""Grades saved: into the file they came from, and into files of their own."""

import errno
import gzip
import math
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pytest
import xlsxwriter
from build import save_in_place
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ndcg_desktop.files import save, write
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.plan import plan
from ndcg_desktop.files.read import read
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.save import (
    ChangedOnDisk,
    FormulaInTheWay,
    GradeEdit,
    can_patch,
)
from ndcg_desktop.files.table import FileError, Table, cell_text
from ndcg_desktop.files.text_patch import NewRow
from ndcg_desktop.files.write import write_judgments

CSV = b"query,doc,rank,grade\nshoes,A,1,1\nshoes,B,2,\nred hat,C,1,2\n"


def understood(path):
    """The first table of a file and what its columns are taken for."""
    return plan(read(path)).parts[0]


def grades(path):
    """What a file says when it is read again: the grades by query and document."""
    (columns,) = assemble([understood(path)]).judgments
    grade = [None if math.isnan(value) else value for value in columns.grade.tolist()]
    pairs = zip(columns.query.texts(), columns.document.texts(), strict=True)
    return dict(zip(pairs, grade, strict=True))


def workbook(path, rows, sheet="Judgments", at=(0, 0)):
    """A workbook with these rows; a text with a leading “=” is a formula, with the value 7."""
    with xlsxwriter.Workbook(path) as book:
        page = book.add_worksheet(sheet)
        for row, cells in enumerate(rows, at[0]):
            for column, cell in enumerate(cells, at[1]):
                if isinstance(cell, str) and cell.startswith("="):
                    page.write_formula(row, column, cell, None, 7)
                else:
                    page.write(row, column, cell)
    return path


ROWS = [["query", "doc", "rank", "grade"], ["shoes", "A", 1, 1], ["shoes", "B", 2, None]]


@pytest.fixture
def path(tmp_path):
    """A table in delimited text."""
    path = tmp_path / "grades.csv"
    path.write_bytes(CSV)
    return path


@pytest.fixture
def book(tmp_path):
    """The same in a workbook."""
    return workbook(tmp_path / "grades.xlsx", ROWS)


def refusal(path, *arguments, kind=FileError, part=None, **options):
    """What a save that must fail says; the file is as it was, and alone."""
    before = path.read_bytes()
    with pytest.raises(kind) as refused:
        save_in_place(part or understood(path), *arguments, **options)
    assert path.read_bytes() == before
    assert not list(path.parent.glob("*.tmp"))
    return refused.value


# ---- can it go back?


def test_text_and_new_workbooks_can_be_patched(path, book, files):
    """Grades can go back to delimited text, qrels, LTR and .xlsx."""
    for name in (
        "05-ltr-judgments.txt",
        "11-qrels-subtopics.txt",
        "01-quepid-ratings-basic-ragged.csv",
        "04-quepid-book-three-raters.csv",
    ):
        assert can_patch(understood(files / name)) == ""
    assert can_patch(understood(path)) == ""
    assert can_patch(understood(book)) == ""


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("15-qrels.json", "JSON"),
        ("10-run-tied-scores.txt", "no column for grades"),
        ("58-libreoffice.ods", "xlsx and .xlsm workbooks only"),
    ],
)
def test_what_cannot_be_patched_says_why(files, name, reason):
    """Other files are named as what they are, and Save as is offered."""
    part = understood(files / name)
    if name.endswith(".ods"):
        part = replace(part, roles=Roles(query=0, document=1, grade=2))

    assert reason in can_patch(part)
    with pytest.raises(FileError, match="Save as"):
        save_in_place(part, [], [])


def test_an_old_workbook_cannot_be_patched(book):
    """An .xls file is told by its content, whatever its name."""
    part = understood(book)
    book.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500))

    assert "xlsx" in can_patch(part)


def test_entered_grades_have_no_file():
    """Grades typed into the program have no file to go back to."""
    table = Table(Path("entered"), "entered", None, (), np.empty(0, dtype=np.int32))

    assert "no file yet" in can_patch(Understood(table, Roles(document=0, grade=1)))


def test_a_file_that_has_gone_is_missed(path):
    """A file that was deleted or renamed meanwhile is not made anew in silence."""
    part = understood(path)
    path.unlink()

    assert "no longer there" in can_patch(part)
    with pytest.raises(FileError, match=r"no longer there.*Save as"):
        save_in_place(part, [GradeEdit(2, 3.0)], [])
    assert not path.exists()


# ---- back into text


def test_grades_go_back_to_their_rows(path):
    """Edited rows have their new grades; every other byte is as it was."""
    table = save_in_place(understood(path), [GradeEdit(3, 3.0), GradeEdit(4, None)], [])

    assert table.path == path

    assert path.read_bytes() == CSV.replace(b"B,2,", b"B,2,3").replace(b"C,1,2", b"C,1,")
    assert grades(path) == {("shoes", "A"): 1, ("shoes", "B"): 3, ("red hat", "C"): None}


def test_new_rows_are_added(path):
    """A document that the file did not list is read back with its grade, and without a rank."""
    save_in_place(understood(path), [], [NewRow("red hat", "D,1", 0.5)])

    assert path.read_bytes() == CSV + b'red hat,"D,1",,0.5\n'
    assert grades(path)["red hat", "D,1"] == 0.5


def test_a_save_without_edits_changes_nothing(path, book):
    """Nothing to write leaves the same bytes."""
    for file in (path, book):
        before = file.read_bytes()
        save_in_place(understood(file), [], [])
        assert file.read_bytes() == before


def test_a_copy_leaves_the_file_alone(path, book):
    """Saved under another name, the file itself stays as it was."""
    for file, row in ((path, 3), (book, 3)):
        before = file.read_bytes()
        target = file.with_stem("copy")

        assert save_in_place(understood(file), [GradeEdit(row, 2.0)], [], target).path == target
        assert grades(target)["shoes", "B"] == 2
        assert file.read_bytes() == before


@pytest.mark.parametrize("name", ["copy.csv", "copy.xls", "copy"])
def test_a_copy_keeps_its_kind(book, name):
    """A workbook cannot be copied to a name that says it is something else."""
    refused = refusal(book, [], [], book.with_name(name))

    assert "“.xlsx”" in str(refused)


def test_text_cannot_be_copied_to_the_name_of_a_workbook(tmp_path, files):
    """A file without an ending stays without one."""
    path = tmp_path / "judgments"
    shutil.copyfile(files / "11-qrels-subtopics.txt", path)

    assert "leave “.xlsx” off" in str(refusal(path, [], [], tmp_path / "copy.xlsx"))


def test_a_compressed_file_stays_compressed(tmp_path, files):
    """A .gz is unpacked, changed and packed again; the same content makes the same bytes."""
    path = tmp_path / "qrels.txt.gz"
    content = (files / "11-qrels-subtopics.txt").read_bytes()
    path.write_bytes(gzip.compress(content))

    save_in_place(understood(path), [GradeEdit(1, 3.0)], [])

    assert gzip.decompress(path.read_bytes()) == content.replace(b"DOC-A 2", b"DOC-A 3")
    assert path.read_bytes()[4:8] == bytes(4)  # no time


def test_qrels_taken_back_go_and_new_ones_come(tmp_path, files):
    """Lines move up where others are left out, and all grades are still their documents'."""
    path = tmp_path / "qrels.txt"
    shutil.copyfile(files / "50-qrels-comments-and-hash-ids.txt", path)
    before = grades(path)
    query, first, second = "2024-7", "msm_v2.1_doc_00_88#4_163", "msm_v2.1_doc_05_16#0_307"

    edits = [GradeEdit(2, None), GradeEdit(3, 0.0)]
    save_in_place(understood(path), edits, [NewRow("9", "new", 1.0)])

    del before[query, first]
    assert grades(path) == before | {(query, second): 0, ("9", "new"): 1}
    assert path.read_bytes().startswith(
        b"# judged by team B, second pass\n2024-7 0 msm_v2.1_doc_05"
    )


def test_the_last_judgment_of_a_qrels_file_stays(tmp_path):
    """A file without judgments would not be read again: the last one is not taken out of it."""
    path = tmp_path / "qrels.txt"
    path.write_bytes(b"1 0 A 2\n")

    assert "No judgment would be left" in str(refusal(path, [GradeEdit(1, None)], []))


def test_ltr_grades_go_back(tmp_path, files):
    """Judgments of learning to rank are saved likewise."""
    path = tmp_path / "judgments.txt"
    shutil.copyfile(files / "05-ltr-judgments.txt", path)
    row = int(understood(path).table.row[0])

    save_in_place(understood(path), [GradeEdit(row, 1.0)], [NewRow("3", "77", 2.0)])

    assert grades(path)["1", "7555"] == 1
    assert grades(path)["3", "77"] == 2


def test_an_ltr_feature_may_go_with_its_only_line(tmp_path):
    """Features that a removed line alone had leave the others where they were."""
    path = tmp_path / "judgments.txt"
    path.write_bytes(b"2 qid:1 1:5 3:1 # A\n1 qid:1 2:7 # B\n0 qid:1 3:2 # C\n")

    save_in_place(understood(path), [GradeEdit(2, None), GradeEdit(3, 1.0)], [])

    assert path.read_bytes() == b"2 qid:1 1:5 3:1 # A\n1 qid:1 3:2 # C\n"


@pytest.mark.parametrize(
    ("name", "row", "old", "new"),
    [
        ("28-german-excel-bom-semicolon.csv", 7, b"B-003;3;;", b"B-003;3;1,5;"),
        ("30-sep-line-cp1252.csv", 5, "non jugé".encode("cp1252"), b"1.5"),
    ],
)
def test_files_of_european_spreadsheets_stay_theirs(tmp_path, files, name, row, old, new):
    """Semicolons, decimal commas, byte order marks, sep= lines and old encodings are kept."""
    path = tmp_path / name
    shutil.copyfile(files / name, path)
    before = path.read_bytes()

    save_in_place(understood(path), [GradeEdit(row, 1.5)], [])

    assert path.read_bytes() == before.replace(old, new)


def test_a_table_of_one_query_takes_its_own_documents_only(tmp_path):
    """Without a column for queries, a document of another query has no place."""
    path = tmp_path / "shoes.csv"
    path.write_bytes(b"doc,grade\nA,1\nB,2\n")

    assert "no column for the query" in str(refusal(path, [], [NewRow("hats", "C", 1.0)]))
    save_in_place(understood(path), [], [NewRow("shoes", "C", 1.0)])
    assert grades(path)["shoes", "C"] == 1


# ---- back into a workbook


def test_grades_go_back_to_their_cells(book):
    """A workbook's cells are written as numbers, and emptied where a grade is taken back."""
    save_in_place(understood(book), [GradeEdit(2, None), GradeEdit(3, 2.5)], [])

    sheet = openpyxl.load_workbook(book).active
    assert [cell.value for cell in sheet["D"]] == ["grade", None, 2.5]
    assert grades(book) == {("shoes", "A"): None, ("shoes", "B"): 2.5}


@pytest.mark.parametrize("above", [0, 4])
def test_a_table_is_found_where_it_stands(tmp_path, above):
    """A table that begins elsewhere than in A1 is written where it is."""
    book = workbook(tmp_path / "grades.xlsx", ROWS, at=(above, 2))
    row = above + 3
    save_in_place(understood(book), [GradeEdit(row, 3.0)], [NewRow("red hat", "007", 1.0)])

    sheet = openpyxl.load_workbook(book).active
    assert sheet.cell(row, 6).value == 3
    new = [sheet.cell(row + 1, column).value for column in range(1, 7)]
    assert new == [None, None, "red hat", "007", None, 1]
    assert grades(book)["red hat", "007"] == 1


def test_a_first_column_of_grades_may_be_emptied(tmp_path):
    """Where no cell is left in it, the sheet's table begins one column further right."""
    rows = [[1, "shoes", "Alpha one"], [2, "shoes", "Beta two"], [1, "hats", "Gamma six"]]
    book = workbook(tmp_path / "grades.xlsx", rows)
    part = replace(understood(book), roles=Roles(query=1, document=2, grade=0))

    save_in_place(part, [GradeEdit(row, None) for row in (1, 2, 3)], [])

    sheet = openpyxl.load_workbook(book).active
    assert [cell.value for cell in sheet["A"]] == [None, None, None]


def test_new_rows_go_below_all_that_the_sheet_holds(tmp_path):
    """A row of totals, which is no judgment, is not written over."""
    book = workbook(tmp_path / "grades.xlsx", [*ROWS, ["Average", None, None, "=AVERAGE(D2:D3)"]])
    part = assemble([understood(book)]).tables[0]
    assert len(part.table) == 2

    save_in_place(part, [], [NewRow("shoes", "C", 3.0)])

    sheet = openpyxl.load_workbook(book).active
    assert sheet["D4"].value == "=AVERAGE(D2:D3)"
    assert [cell.value for cell in sheet[5]] == ["shoes", "C", None, 3]


def test_formulas_are_not_replaced_unasked(tmp_path):
    """Cells with formulas are named; told so, the program replaces them."""
    book = workbook(tmp_path / "grades.xlsx", [*ROWS, ["shoes", "C", 3, "=D2+1"]])
    edits = [GradeEdit(3, 2.0), GradeEdit(4, 3.0)]

    refused = refusal(book, edits, [], kind=FormulaInTheWay)
    assert refused.cells == ["D4"]
    assert "D4" in str(refused)

    save_in_place(understood(book), edits, [], replace_formulas=True)
    assert openpyxl.load_workbook(book).active["D4"].value == 3


def test_many_formulas_are_counted():
    """The message names some cells, the error all of them."""
    cells = [f"D{row}" for row in range(2, 40)]
    error = FormulaInTheWay(Path("grades.xlsx"), "Judgments", cells)

    assert error.cells == cells
    assert "D2, D3, D4, D5, D6 and 33 more" in str(error)


@pytest.fixture
def merged(tmp_path):
    """A workbook whose grades of rows 2 and 3 are one merged cell, and of rows 4 and 5 another."""
    book = tmp_path / "grades.xlsx"
    with xlsxwriter.Workbook(book) as made:
        page = made.add_worksheet()
        rows = [["shoes", name, number, None] for number, name in enumerate("ABCDE", 1)]
        for row, cells in enumerate([ROWS[0], *rows]):
            page.write_row(row, 0, cells)
        page.merge_range("D2:D3", 1)
        page.merge_range("D4:D5", 2)
    return book


@pytest.mark.parametrize(
    ("edits", "expected", "left"),
    [
        ({2: 3.0}, [3, 1, 2, 2, None], ["D4:D5"]),
        ({3: 3.0, 6: 0.0}, [1, 3, 2, 2, 0], ["D4:D5"]),
        ({3: None}, [1, None, 2, 2, None], ["D4:D5"]),
        ({2: 3.0, 3: 3.0}, [3, 3, 2, 2, None], ["D2:D3", "D4:D5"]),
        ({3: 0.0, 5: 0.0}, [1, 0, 2, 0, None], []),
    ],
)
def test_a_grade_merged_over_rows_is_split_where_they_differ(merged, edits, expected, left):
    """Documents that shared one merged grade get grades of their own, and others stay merged."""
    save_in_place(understood(merged), [GradeEdit(*edit) for edit in edits.items()], [])
    page = openpyxl.load_workbook(merged).active
    assert [area.coord for area in page.merged_cells.ranges] == left
    part = understood(merged)
    column = part.table.columns[part.roles.grade]
    assert [None if cell == "" else cell for cell in column] == expected


LABELLED = b"query,doc,rank,grade\nshoes,A,1,Exact\nshoes,B,2,\nshoes,C,3, irrelevant\n"


def labelled(path):
    """A table whose grades are words, with the grades that are suggested for them."""
    part = understood(path)
    assert part.labels is not None
    return part


@pytest.mark.parametrize("name", ["grades.csv", "grades.xlsx"])
def test_grades_in_words_are_saved_as_words(tmp_path, name):
    """A grade goes back as the label that stands for it, also one that the file did not use yet;
    a grade without a label goes back as a number, and a cleared one leaves a blank.
    """
    path = tmp_path / name
    if name.endswith("csv"):
        path.write_bytes(LABELLED)
    else:
        rows = [line.split(",") for line in LABELLED.decode().splitlines()]
        workbook(path, rows)
    part = labelled(path)
    assert part.labels.grade_of("exact") == 2

    edits = [GradeEdit(2, None), GradeEdit(3, 2.0), GradeEdit(4, 1.0)]
    table = save_in_place(part, edits, [NewRow("shoes", "D", 0.0), NewRow("shoes", "E", 7.0)])

    cells = [cell_text(cell) for cell in table.columns[3]]
    assert cells[:2] == ["", "Exact"]
    assert (part.labels.grade_of(cells[2].strip()), cells[3].strip(), cells[4]) == (
        1,
        "irrelevant",
        "7",
    )


def test_a_header_that_a_person_chose_stays(tmp_path):
    """Grades are saved below the row that was said to be the header, which the reader passes."""
    path = tmp_path / "grades.csv"
    path.write_bytes(b"a,b,c\nx,y,z\nshoes,A,1\nshoes,B,2\n")
    (table,) = read(path)
    part = Understood(table.with_header_row(2), Roles(query=0, document=1, grade=2))

    saved = save_in_place(part, [GradeEdit(3, 3.0)], [])

    assert path.read_bytes() == b"a,b,c\nx,y,z\nshoes,A,3\nshoes,B,2\n"
    assert saved.header == ("x", "y", "z")


def test_the_other_sheet_of_a_file_is_saved_after_the_first(tmp_path):
    """Two sheets of one file are written one after the other, the second into the new file."""
    book = tmp_path / "grades.xlsx"
    with xlsxwriter.Workbook(book) as made:
        for name in ("May", "June"):
            page = made.add_worksheet(name)
            for row, cells in enumerate(
                [["query", "doc", "grade"], [name, "A", 1], [name, "B", 2]]
            ):
                page.write_row(row, 0, cells)
    may, june = plan(read(book)).parts

    save_in_place(may, [GradeEdit(2, 3.0)], [])
    save_in_place(june, [GradeEdit(3, 0.0)], [], replace_changed=True)

    saved = openpyxl.load_workbook(book)
    assert [cell.value for cell in saved["May"]["C"]] == ["grade", 3, 2]
    assert [cell.value for cell in saved["June"]["C"]] == ["grade", 1, 0]


# ---- another program has been there


def test_a_file_that_has_changed_is_not_written_over(path):
    """What another program has written since is not lost unasked."""
    part = understood(path)
    path.write_bytes(CSV.replace(b"A,1,1", b"A,1,0"))

    assert "changed by another program" in str(
        refusal(path, [GradeEdit(3, 3.0)], [], kind=ChangedOnDisk, part=part)
    )


def test_grades_may_go_into_the_changed_file(path):
    """Told so, the program writes its grades and leaves what the other one wrote."""
    part = understood(path)
    path.write_bytes(CSV.replace(b"A,1,1", b"A,1,0") + b"red hat,D,2,1\n")

    save_in_place(part, [GradeEdit(3, 3.0)], [NewRow("shoes", "E", 2.0)], replace_changed=True)

    new = {("shoes", "A"): 0, ("shoes", "B"): 3, ("red hat", "D"): 1, ("shoes", "E"): 2}
    assert grades(path) == {("red hat", "C"): 2} | new


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(CSV.replace(b"grade\n", b"grade\nhats,X,1,1\n"), id="a row above"),
        pytest.param(CSV.replace(b"shoes,B", b"boots,B"), id="another query"),
        pytest.param(CSV.replace(b"shoes,B,2,\n", b""), id="the row is gone"),
        pytest.param(b"".join(CSV.splitlines(True)[:2]), id="all below is gone"),
        pytest.param(CSV.replace(b"rank,grade", b"grade,rank"), id="columns have moved"),
        pytest.param(b"query,doc\nshoes,A\nshoes,B\n", id="no such column"),
        pytest.param(b"1 0 A 1\n1 0 B 2\n", id="another kind of file"),
    ],
)
def test_grades_do_not_go_to_rows_that_have_moved(path, changed):
    """Where a row is not about the same document any more, nothing is written."""
    part = understood(path)
    path.write_bytes(changed)

    refused = refusal(path, [GradeEdit(3, 3.0)], [], part=part, replace_changed=True)
    assert "have moved" in str(refused)
    assert "Save as" in str(refused)


def test_a_document_added_by_both_is_not_listed_twice(path):
    """A new row that the other program has added too is not added again."""
    part = understood(path)
    path.write_bytes(CSV + b"shoes,D,3,1\n")

    refused = refusal(path, [], [NewRow("shoes", "D", 2.0)], part=part, replace_changed=True)
    assert "row 5: " in str(refused)
    assert "now lists “D”" in str(refused)


def test_a_change_during_the_save_is_noticed(path, monkeypatch):
    """A file written by another program while the save runs is not replaced."""
    part = understood(path)
    real = save.patch_text

    def slow(*arguments):
        new = real(*arguments)
        path.write_bytes(b"written by another program")
        return new

    monkeypatch.setattr(save, "patch_text", slow)
    with pytest.raises(ChangedOnDisk):
        save_in_place(part, [GradeEdit(3, 3.0)], [])
    assert path.read_bytes() == b"written by another program"

    monkeypatch.setattr(save, "patch_text", lambda *a: (real(*a), path.unlink())[0])
    path.write_bytes(CSV)
    with pytest.raises(ChangedOnDisk):
        save_in_place(part, [GradeEdit(3, 3.0)], [])
    assert not path.exists()


# ---- nothing is replaced before it reads back


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(CSV, id="the grade is missing"),
        pytest.param(CSV.replace(b"B,2,", b"B,2,2"), id="another grade"),
        pytest.param(CSV.replace(b"B,2,", b"B,2,3").replace(b"C,1,2", b"C,1,1"), id="another row"),
        pytest.param(CSV.replace(b"B,2,", b"X,2,3"), id="another document"),
        pytest.param(CSV.replace(b"B,2,", b"B,9,3"), id="another rank"),
        pytest.param(CSV.replace(b"B,2,", b"B,2,3")[:-14], id="a row is lost"),
        pytest.param(CSV[:21], id="all rows are lost"),
        pytest.param(b"", id="empty"),
        pytest.param(b"{}", id="of another kind"),
    ],
)
def test_bytes_that_do_not_read_back_are_not_saved(path, monkeypatch, wrong):
    """Whatever went wrong in the making, the file is left as it was."""
    monkeypatch.setattr(save, "patch_text", lambda *arguments: wrong)

    assert "read back" in str(refusal(path, [GradeEdit(3, 3.0)], []))


def test_a_row_that_would_turn_into_a_header_is_not_saved(tmp_path):
    """Without a header, a first row that lost its grade would be taken for one."""
    path = tmp_path / "grades.csv"
    path.write_bytes(b"star light,M1,1\nstar light,M2,0\nstar bright,M3,2\n")
    part = replace(understood(path), roles=Roles(query=0, document=1, grade=2))

    assert "row 1: " in str(refusal(path, [GradeEdit(1, None)], [], part=part))


def test_a_new_row_that_does_not_read_back_is_not_saved(path):
    """Ids are read without the spaces around them: such an id would come back as another."""
    assert "read back" in str(refusal(path, [], [NewRow("shoes", " D ", 1.0)]))


def test_a_row_that_is_not_in_the_table_is_not_saved(path):
    """An edit of a row without a judgment is refused."""
    assert "row 1: " in str(refusal(path, [GradeEdit(1, 1.0)], []))


# ---- disks and folders


def test_a_link_and_the_mode_are_kept(tmp_path, path):
    """A file opened by a link is saved where it is, with its permissions."""
    path.chmod(0o640)
    link = tmp_path / "link.csv"
    link.symlink_to(path)

    save_in_place(understood(link), [GradeEdit(3, 3.0)], [])

    assert link.is_symlink()
    assert grades(path)["shoes", "B"] == 3
    assert sys.platform == "win32" or stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_full_disk_and_a_read_only_folder_leave_the_file(path, monkeypatch):
    """Neither costs the old grades, and both say what to do."""
    for code, words in ((errno.ENOSPC, "no room"), (errno.EACCES, "does not allow writing")):
        with monkeypatch.context() as patch:

            def fail(*arguments, code=code):
                raise OSError(code, os.strerror(code))

            patch.setattr(os, "open", fail)
            assert words in str(refusal(path, [GradeEdit(3, 3.0)], []))


SAVING = """
import sys
from pathlib import Path
from ndcg_desktop.files.plan import plan
from ndcg_desktop.files.read import read
from ndcg_desktop.files.save import Change, GradeEdit, patched, write_patched

path, rows = Path(sys.argv[1]), int(sys.argv[2])
print("ready", flush=True)
for turn in range(1_000_000):
    part = plan(read(path)).parts[0]
    edits = [GradeEdit(row, turn % 2) for row in range(2, rows + 2)]
    write_patched(patched([Change(part, edits)]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no such signal")
@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_a_killed_save_leaves_all_old_or_all_new_grades(tmp_path, suffix):
    """Killed at whatever moment of a save, the file reads with the grades of one save."""
    path = tmp_path / f"grades{suffix}"
    rows = 400
    table = [["query", "doc", "grade"], *(["shoes", f"D{row}", 0] for row in range(rows))]
    if suffix == ".xlsx":
        workbook(path, table)
    else:
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in table))
    for delay in (0.005, 0.02, 0.06):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVING, path, str(rows)], stdout=subprocess.PIPE
        )
        with process:
            process.stdout.readline()
            time.sleep(delay)
            process.kill()
        assert process.returncode == -signal.SIGKILL
        assert set(grades(path).values()) in ({0.0}, {1.0})
        assert len(grades(path)) == rows


# ---- files of their own

HEADER = ["query", "document", "grade", "note"]
ODD = ["=2+3", "+49 30", "-5 degrees", "@home", "007", "12", "1e5", "TRUE", "a;b,c", 'say "x"']


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".xlsx", ".XLSX"])
def test_a_new_file_reads_back(tmp_path, suffix):
    """Every kind of file gives back the texts and the grades that went into it."""
    target = tmp_path / f"new{suffix}"
    rows = [["vélo", text, float(place), None] for place, text in enumerate(ODD)]
    rows += [["vélo", "none", None, "x"], ["vélo", "nan", math.nan, ""], ["vélo", "half", 0.5, ""]]

    write_judgments(target, HEADER, rows, [2])

    (table,) = read(target)
    assert table.header == tuple(HEADER)
    assert list(map(cell_text, table.columns[1])) == [row[1] for row in rows]
    numbers = [*map(str, range(len(ODD))), "", "", "0.5"]
    assert list(map(cell_text, table.columns[2])) == numbers
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_csv_is_written_plainly(tmp_path):
    """A .csv has a byte order mark for spreadsheets, commas, LF, and quotes where needed."""
    target = tmp_path / "new.csv"
    write_judgments(target, HEADER, [["vélo", "=A,1", 2.0, "x\ny"], ["vélo", "B", None, None]], [2])

    assert (
        target.read_bytes()
        == ("\ufeffquery,document,grade,note\n" + 'vélo,"=A,1",2,"x\ny"\nvélo,B,,\n').encode()
    )


def test_a_new_tsv_has_no_mark(tmp_path):
    """A .tsv is plain for other programs; what would need quotes around a line is refused."""
    target = tmp_path / "new.tsv"
    write_judgments(target, HEADER, [["vélo", "A", 2.0, ""], ["vélo", "B", 0.5, ""]], [2])

    assert (
        target.read_bytes()
        == "query\tdocument\tgrade\tnote\nvélo\tA\t2\t\nvélo\tB\t0.5\t\n".encode()
    )
    for text in ("a\tb", "a\nb"):
        with pytest.raises(FileError, match=r"row 3: .*\.csv or \.xlsx"):
            write_judgments(target, HEADER, [["q", "A", 1.0, ""], ["q", text, 1.0, ""]], [2])


def test_a_new_workbook_is_pleasant_to_read(tmp_path):
    """The header is bold and stays in view, columns are wide enough, grades are numbers."""
    target = tmp_path / "new.xlsx"
    rows = [["shoes", "=1+1", 2 / 3, "a long text " * 20], ["shoes", "007", 3.0, None]]
    write_judgments(target, HEADER, rows, [2])

    sheet = openpyxl.load_workbook(target).active
    assert all(cell.font.bold for cell in sheet[1])
    assert sheet.freeze_panes == "A2"
    assert [sheet.column_dimensions[name].width for name in "ABCD"] == [10, 10, 20, 60]
    assert [(cell.data_type, cell.value) for cell in sheet["C"]][1:] == [("n", 2 / 3), ("n", 3)]
    assert [(cell.data_type, cell.value) for cell in sheet["B"]][1:] == [
        ("s", "=1+1"),
        ("s", "007"),
    ]


def test_texts_that_a_workbook_would_change_come_back(tmp_path):
    """What looks like an escape, and a carriage return, are written so that they read back."""
    target = tmp_path / "new.xlsx"
    texts = ["_x0041_", "_x005F_", "a\r\nb", "#N/A", " pad ", "\ta"]
    write_judgments(target, HEADER, [[text, "A", 1.0, text] for text in texts], [2])

    assert list(read(target)[0].columns[0]) == texts


@pytest.mark.parametrize(
    ("suffix", "text", "words"),
    [
        (".xlsx", "a\x0bb", r"U\+000B.*\.csv"),
        (".xlsx", "a\ufffe", r"U\+FFFE"),
        (".xlsx", "a\ud800", r"U\+D800"),
        (".xlsx", "x" * 40_000, r"32,767 characters.*\.csv"),
        (".csv", "a\ud800", r"U\+D800"),
    ],
)
def test_texts_that_a_file_cannot_hold_name_their_row(tmp_path, suffix, text, words):
    """A letter or a length that the format lacks is told with its row; nothing is written."""
    target = tmp_path / f"new{suffix}"
    with pytest.raises(FileError, match=rf"row 3: .*{words}"):
        write_judgments(target, HEADER, [["q", "A", 1.0, ""], ["q", text, 1.0, ""]], [2])
    assert not target.exists()


def test_a_new_file_that_would_not_read_back_is_not_written(tmp_path):
    """Text that this program itself could not open again is not made."""
    target = tmp_path / "new.csv"
    for text in ("nul\0", "\x01\x02\x03" * 9):
        with pytest.raises(FileError, match="would not read back"):
            write_judgments(target, HEADER, [["q", text, 1.0, ""]], [2])
    assert not target.exists()


def test_a_new_file_needs_a_known_ending_and_numbers(tmp_path):
    """Other endings are refused with those that there are, and words are no grades."""
    with pytest.raises(FileError, match=r"\.csv, \.tsv, \.txt or \.xlsx"):
        write_judgments(tmp_path / "new.ods", HEADER, [], [2])
    with pytest.raises(FileError, match="row 2: “good” is no grade"):
        write_judgments(tmp_path / "new.csv", HEADER, [["q", "A", "good", ""]], [2])


def test_a_new_file_may_be_empty_of_judgments(tmp_path):
    """A header alone can be written."""
    for suffix in (".csv", ".xlsx"):
        write_judgments(tmp_path / f"new{suffix}", HEADER, [], [2])


def test_a_sheet_has_room_for_so_many_rows(tmp_path, monkeypatch):
    """More rows than a sheet can hold are refused rather than cut off."""
    monkeypatch.setattr(write, "LAST_ROW", 3)
    rows = [["q", f"D{row}", 1.0, ""] for row in range(3)]

    write_judgments(tmp_path / "new.xlsx", HEADER, rows[:2], [2])
    with pytest.raises(FileError, match=r"rows at the most.*\.csv"):
        write_judgments(tmp_path / "new.xlsx", HEADER, rows, [2])


CELLS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.lists(st.tuples(CELLS, CELLS, st.none() | st.floats(0, 9)), min_size=1, max_size=5),
    st.sampled_from([".csv", ".tsv", ".xlsx"]),
)
def test_any_judgments_read_back_or_are_refused(tmp_path, rows, suffix):
    """No text and no grade is changed in silence."""
    target = tmp_path / f"new{suffix}"
    try:
        write_judgments(target, HEADER[:3], rows, [2])
    except FileError:
        return

    table = read(target)[0]
    assert len(table) == len(rows)
    for column in (0, 1):
        assert list(table.columns[column]) == [row[column] for row in rows]
    texts = ["" if grade is None else cell_text(grade) for _, _, grade in rows]
    assert list(map(cell_text, table.columns[2])) == texts
