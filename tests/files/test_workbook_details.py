"""What a workbook hides or shows otherwise: each is told with its cell, and what was done."""

import datetime
import io
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from books import row_of, xlsx

from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.table import as_ids

BOOK = Path("book.xlsx")
HEADER = ["query", "docid", "title", "grade"]


def read_made(fill):
    """The table of a workbook whose sheet "S" ``fill`` writes below a header."""
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer, {"in_memory": True}) as book:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, HEADER)
        for row in range(1, 5):
            sheet.write_row(row, 0, ["shoes", f"D{row}", "a title", row % 3])
        fill(book, sheet)
    (table,) = read_bytes(BOOK, buffer.getvalue())
    return table


def told(table):
    """Level, code and row of each finding."""
    return [(each.level, each.code, each.row) for each in table.findings]


def test_an_ordinary_sheet_has_nothing_to_tell():
    """Values, styles, dates and texts in ordinary cells are no findings."""

    def fill(book, sheet):
        sheet.write_string(0, 5, "remark")
        sheet.write_datetime(
            1, 5, datetime.datetime(2026, 3, 4), book.add_format({"num_format": 14})
        )
        sheet.write_number(2, 5, 2.5, book.add_format({"num_format": "0.00", "bold": True}))
        sheet.write_string(3, 5, ' r="XFD1" t="e" hidden="1" <f>')

    assert told(read_made(fill)) == []


def test_errors_are_named():
    """An error in a grade is no silent blank; one in a title is only noted."""

    def fill(book, sheet):
        sheet.write_formula(1, 3, "=1/0", None, "#DIV/0!")
        sheet.write_formula(2, 2, "=NA()", None, "#N/A")
        sheet.write_formula(3, 1, "=NA()", None, "#N/A")

    table = read_made(fill)
    assert [each for each in told(table) if each[1] == "error-cell"] == [
        ("warning", "error-cell", 2),
        ("warning", "error-cell", 4),
        ("note", "error-cell", 3),
    ]
    text = "Cell D2 (grade) holds the error #DIV/0!. It was read as not judged."
    assert table.findings[0].text == text
    assert table.columns[3][0] == ""


def test_formulas_that_nobody_worked_out_are_named():
    """A grade whose formula has no stored value is no silent blank; an empty text is a value."""
    book = openpyxl.Workbook()
    book.active.append(HEADER)
    for row in range(2, 5):
        book.active.append(["shoes", f"D{row}", "a title", f"=MAX(1,{row})"])
    buffer = io.BytesIO()
    book.save(buffer)
    (table,) = read_bytes(BOOK, buffer.getvalue())
    unstored = [each for each in table.findings if each.code == "formula-without-value"]
    assert [each.row for each in unstored] == [2, 3, 4]
    assert "Cell D2 (grade) holds a formula (=MAX(1,2)) whose value is not" in unstored[0].text
    assert unstored[0].text.endswith("save it there. It was read as not judged.")

    rows = row_of(1, *HEADER) + '<row r="2"><c r="A2" t="str"><f>""</f><v></v></c></row>'
    (table,) = read_bytes(BOOK, xlsx(rows + row_of(3, "q", "d", "t", 1)))
    assert told(table) == []


def test_a_shared_formula_without_a_value_is_named():
    """The dependent cells of a shared formula are looked at like any other."""
    rows = (
        row_of(1, *HEADER)
        + row_of(2, "q", "a", "t").replace(
            "</row>", '<c r="D2"><f t="shared" ref="D2:D3" si="0">1+1</f><v>2</v></c></row>'
        )
        + row_of(3, "q", "b", "t").replace("</row>", '<c r="D3"><f t="shared" si="0"/></c></row>')
    )
    (table,) = read_bytes(BOOK, xlsx(rows))
    assert told(table) == [("warning", "formula-without-value", 3)]


def test_values_that_are_to_be_worked_out_anew():
    """Formulas of grades in a workbook that asks for calculation may have old values."""

    def fill(book, sheet):
        sheet.write_formula(1, 3, "=1+1")

    table = read_made(fill)
    assert told(table) == [("warning", "stale-formulas", None)]
    assert "Column D (grade)" in table.findings[0].text


def test_many_are_counted():
    """Of very many cells of a kind the first are told, and then how many more there are."""

    def fill(book, sheet):
        for row in range(1, 301):
            sheet.write_formula(row, 3, "=NA()", None, "#N/A")

    found = [each for each in read_made(fill).findings if each.code == "error-cell"]
    assert len(found) == 201
    assert found[-1].text == "… and 100 more rows."


def test_merged_cells_are_told():
    """A query merged over its rows is noted; a grade merged over documents is a warning."""

    def fill(book, sheet):
        sheet.merge_range("A2:A4", "shoes", book.add_format())
        sheet.merge_range("D2:D3", 2, book.add_format())

    table = read_made(fill)
    assert table.columns[0] == ["shoes"] * 4
    assert table.columns[3] == [2, 2, 0, 1]
    assert told(table) == [("note", "merged-cells", 2), ("warning", "merged-grade", 2)]
    assert "1 merged cell, the first of them A2:A4 (“shoes”)" in table.findings[0].text
    assert table.findings[1].text.startswith("The merged cell D2:D3 holds 2 once for several rows.")


def test_hidden_rows_and_columns_are_read_and_told():
    """Rows hidden by hand or by a filter, and hidden columns, are read like the others."""

    def fill(book, sheet):
        sheet.set_row(2, None, None, {"hidden": True})
        sheet.set_row(3, None, None, {"hidden": True})
        sheet.set_row(40, None, None, {"hidden": True})
        sheet.set_column("D:D", None, None, {"hidden": True})
        sheet.set_column("H:XFD", None, None, {"hidden": True})

    table = read_made(fill)
    assert len(table) == 4
    assert told(table) == [("note", "hidden-rows", 3), ("note", "hidden-column", None)]
    assert table.findings[0].text.startswith("The sheet hides 2 rows, by hand or by a filter, from")
    assert table.findings[1].text == "Column D (grade) is hidden. It was read like the others."


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("00000", 123, "00123"),
        ("00000", 1234567, "1234567"),
        ("000-00", 12345, "123-45"),
        ("000\\-0000", 5551234, "555-1234"),
        ('000"-"0000', 15551234, "1555-1234"),
        ("00 00", 7, "00 07"),
        ("0", 7, "7"),
        ("0.00", 7, "7"),
        ("#,##0", 1234, "1234"),
        ("00000", 1.5, "1.5"),
        ('0" pcs"', 7, "7"),
        ("00000;@", 7, "7"),
    ],
)
def test_ids_are_read_as_their_format_shows_them(code, value, shown):
    """A whole number whose format adds zeros or dashes is the id that a person sees."""

    def fill(book, sheet):
        sheet.write_number(2, 1, value, book.add_format({"num_format": code}))

    table = read_made(fill)
    assert as_ids(table.columns[1]).texts() == ["D1", shown, "D3", "D4"]
    expected = [("note", "shown-as", 3)] if shown != str(value) or code == "00000" else []
    assert told(table) == ([] if isinstance(value, float) else expected)


def test_grades_shown_with_zeros_stay_numbers():
    """A grade that shows as 02 is still 2."""

    def fill(book, sheet):
        sheet.write_number(2, 3, 2, book.add_format({"num_format": "00"}))

    assert read_made(fill).columns[3][1] == "02"


@pytest.mark.parametrize("code", ["d-mmm", "mmm-yy", "m/d", "dd/mm", "[$-409]d\\-mmm", "d/m;@"])
def test_ids_that_became_dates_are_told(code):
    """A date among the ids that shows as a day and a month was an id once; elsewhere it is none."""

    def fill(book, sheet):
        style = book.add_format({"num_format": code})
        sheet.write_datetime(2, 1, datetime.datetime(2026, 3, 4), style)
        sheet.write_datetime(2, 2, datetime.datetime(2026, 3, 4), style)

    table = read_made(fill)
    assert told(table) == [("warning", "damaged-id", 3)]
    assert "Cell B3 (docid) is a date that shows as" in table.findings[0].text
    assert as_ids(table.columns[1]).texts()[1] == "2026-03-04"


def test_a_prefix_in_the_sheet_changes_nothing():
    """Sheets whose elements have a prefix, as some writers give them, are looked at too."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = "".join(
        f'<x:row r="{row}" hidden="{row - 1}">'
        + "".join(
            f'<x:c r="{letter}{row}" t="str"><x:v>{value}</x:v></x:c>'
            for letter, value in zip("AB", values, strict=True)
        )
        + f'<x:c r="C{row}" t="e"><x:f>NA()</x:f><x:v>#N/A</x:v></x:c></x:row>'
        for row, values in enumerate([("query", "docid"), ("q", "d1")], 1)
    )
    sheet = f'<x:worksheet xmlns:x="{main}"><x:sheetData>{rows}</x:sheetData></x:worksheet>'
    (table,) = read_bytes(BOOK, xlsx("", worksheets__sheet1=sheet))
    assert [each.code for each in table.findings] == ["error-cell", "error-cell", "hidden-rows"]
