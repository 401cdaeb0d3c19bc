"""Cells written into workbooks: they change, and nothing else does."""

import contextlib
import datetime
import io
import math
import struct
import zipfile
import zlib
from xml.etree import ElementTree

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table
from python_calamine import CalamineWorkbook

from ndcg_desktop.files import xlsx_package
from ndcg_desktop.files.xlsx_parts import WorkbookPatchError
from ndcg_desktop.files.xlsx_patch import (
    CellEdit,
    formula_cells,
    free_columns,
    merged_below,
    patch_workbook,
)

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
STRICT_MAIN = "http://purl.oclc.org/ooxml/spreadsheetml/main"
STRICT_REL = "http://purl.oclc.org/ooxml/officeDocument/relationships"
SHEET = "xl/worksheets/sheet1.xml"
BOOK = "xl/workbook.xml"
CHAIN = "xl/calcChain.xml"


def relation(key, kind, target, base=REL):
    """Write one relationship."""
    return f'<Relationship Id="{key}" Type="{base}/{kind}" Target="{target}"/>'


def relations(*items):
    """Write a part of relationships."""
    return f'<Relationships xmlns="{PACKAGE}/relationships">{"".join(items)}</Relationships>'


def worksheet(rows, before="", after=""):
    """Write a sheet part around the content of its sheetData."""
    data = rows if rows.startswith("<sheetData") else f"<sheetData>{rows}</sheetData>"
    return f'<?xml version="1.0"?>\n<worksheet xmlns="{MAIN}">{before}{data}{after}</worksheet>'


def workbook(sheets='<sheet name="Data" sheetId="7" r:id="rId1"/>', after=""):
    """Write a workbook part."""
    return f'<workbook xmlns="{MAIN}" xmlns:r="{REL}"><sheets>{sheets}</sheets>{after}</workbook>'


def members(rows="", **changes):
    """Return the parts of a small workbook by name; a change of None leaves a part out."""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        f'<Override PartName="/{CHAIN}" ContentType="chain"/></Types>',
        "_rels/.rels": relations(relation("rId1", "officeDocument", "xl/workbook.xml")),
        BOOK: workbook(),
        "xl/_rels/workbook.xml.rels": relations(
            relation("rId1", "worksheet", "worksheets/sheet1.xml")
        ),
        SHEET: rows if rows.startswith("<?xml") else worksheet(rows),
        "xl/vbaProject.bin": bytes(range(256)) * 40,
    }
    parts.update(changes.pop("parts", {}))
    return {name: text for name, text in parts.items() if text is not None}


def save(path, parts, kind=zipfile.ZIP_DEFLATED):
    """Write the parts as a zip archive."""
    with zipfile.ZipFile(path, "w", kind) as package:
        for name, text in parts.items():
            package.writestr(name, text)
    return path


def patched(path, edits, sheet="Data"):
    """Return the bytes of the workbook with the (row, column, value) edits made."""
    out = io.BytesIO()
    patch_workbook(path.read_bytes(), sheet, [CellEdit(*edit) for edit in edits], out)
    return out.getvalue()


def part(data, name=SHEET):
    """Return the text of a part, which has to be XML."""
    text = zipfile.ZipFile(io.BytesIO(data)).read(name)
    ElementTree.fromstring(text)
    return text.decode()


def raw_members(data):
    """Return, for each member in order, all that its directory entry says and its packed bytes."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        assert package.testzip() is None
        for info in package.infolist():
            start = info.header_offset
            name, extra = struct.unpack_from("<HH", data, start + 26)
            body = start + 30 + name + extra
            found[info.filename] = (
                info.date_time,
                (info.external_attr, info.internal_attr, info.create_system, info.flag_bits),
                (info.extra, info.comment, info.compress_type, info.CRC),
                data[start:body],
                data[body : body + info.compress_size],
            )
    return found


def assert_others_untouched(old, new, changed=(SHEET,)):
    """Assert that the archives differ in these members only."""
    before, after = raw_members(old), raw_members(new)
    assert list(before) == list(after)
    assert {name for name in before if before[name] != after[name]} <= set(changed)


@pytest.fixture
def book(tmp_path):
    """Return a function that writes a small workbook around the rows of its sheet."""

    def write(rows="", kind=zipfile.ZIP_DEFLATED, **parts):
        return save(tmp_path / "book.xlsx", members(rows, **parts), kind)

    return write


def edit_rows(book, rows, *edits, before="", after=""):
    """Return the content of sheetData after the edits, all around it being as it was."""
    text = part(patched(book(worksheet(rows, before, after)), edits))
    head = worksheet("", before, after).split("<sheetData>")[0]
    assert text.startswith(head)
    body = text[len(head) :].removesuffix(f"{after}</worksheet>")
    assert len(body) < len(text)
    return body.removeprefix("<sheetData>").removesuffix("</sheetData>")


D6 = "<row r='6'>{}</row>"
CELLS = {
    "number": ('<c r="D6"><v>1</v></c>', 2.5, '<c r="D6"><v>2.5</v></c>'),
    "number with its type": ('<c r="D6" t="n"><v>1</v></c>', 3, '<c r="D6" t="n"><v>3</v></c>'),
    "whole number": ('<c r="D6" s="1"><v>1</v></c>', 3.0, '<c r="D6" s="1"><v>3</v></c>'),
    "shared string": ('<c r="D6" s="2" t="s"><v>9</v></c>', 1, '<c r="D6" s="2"><v>1</v></c>'),
    "attributes in any order": (
        "<c t='s' s='2' r='D6'><v>9</v></c>",
        1,
        "<c s='2' r='D6'><v>1</v></c>",
    ),
    "rich text": (
        '<c r="D6" t="inlineStr"><is><r><rPr><b/><color rgb="FF00FF00"></color></rPr>'
        '<t>a</t></r><r><t xml:space="preserve"> b</t></r></is></c>',
        1,
        '<c r="D6"><v>1</v></c>',
    ),
    "text of a formula": ('<c r="D6" t="str"><v>abc</v></c>', 1, '<c r="D6"><v>1</v></c>'),
    "truth value": ('<c r="D6" t="b"><v>1</v></c>', 0, '<c r="D6"><v>0</v></c>'),
    "error": ('<c r="D6" t="e"><v>#N/A</v></c>', -1.5, '<c r="D6"><v>-1.5</v></c>'),
    "date": ('<c r="D6" s="14"><v>45000</v></c>', 45001, '<c r="D6" s="14"><v>45001</v></c>'),
    "self-closed": ('<c r="D6" s="3"/>', 2, '<c r="D6" s="3"><v>2</v></c>'),
    "self-closed with a space": ('<c r="D6" s="3" />', 2, '<c r="D6" s="3"><v>2</v></c>'),
    "empty": ('<c r="D6" s="3"></c>', 2, '<c r="D6" s="3"><v>2</v></c>'),
    "emptied": ('<c r="D6" s="3" t="s"><v>5</v></c>', None, '<c r="D6" s="3"/>'),
    "text": (
        '<c r="D6" s="3"><v>5</v></c>',
        "ok",
        '<c r="D6" s="3" t="inlineStr"><is><t>ok</t></is></c>',
    ),
    "line breaks": ('<c\n  r="D6"\n  t="s"\n>\n<v>\n5</v>\n</c >', 1, '<c\n  r="D6"><v>1</v></c>'),
    "phonetic kept, metadata dropped": (
        '<c r="D6" cm="1" vm="2" ph="1" t="e"><v>#VALUE!</v></c>',
        1,
        '<c r="D6" ph="1"><v>1</v></c>',
    ),
    "extension kept": (
        '<c r="D6" t="s"><v>1</v><extLst><ext uri="{x}"></ext></extLst></c>',
        2,
        '<c r="D6"><v>2</v><extLst><ext uri="{x}"></ext></extLst></c>',
    ),
    "extension kept in an emptied cell": (
        '<c r="D6"><v>1</v><extLst><ext uri="{x}"/></extLst></c>',
        None,
        '<c r="D6"><extLst><ext uri="{x}"/></extLst></c>',
    ),
    "bracket in an attribute": ('<c r="D6" x=">"><v>1</v></c>', 2, '<c r="D6" x=">"><v>2</v></c>'),
    "comment": ('<c r="D6"><!-- </c> --><v>1</v></c>', 2, '<c r="D6"><v>2</v></c>'),
    "character data": (
        '<c r="D6" t="inlineStr"><is><t><![CDATA[</c><c r="D6">]]></t></is></c>',
        2,
        '<c r="D6"><v>2</v></c>',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "value", "new"), CELLS.values(), ids=CELLS)
def test_changes_the_cell_and_nothing_around_it(book, old, value, new):
    """A cell of each kind takes the value, and its neighbours keep every byte."""
    around = '<c r="C6" t="s"><v>4</v></c>{}<c r="E6" s="9"><f>A1</f><v>7</v></c>'
    rows = "\n <row r='1'/>" + D6.format(around) + '<row r="8"><c r="D8"><v>1</v></c></row>\n'
    assert edit_rows(book, rows.format(old), (6, 4, value)) == rows.format(new)


NEW = {
    "between cells": (
        '<row r="6"><c r="C6"/><c r="F6"/></row>',
        '<row r="6"><c r="C6"/><c r="D6"><v>2</v></c><c r="F6"/></row>',
    ),
    "after the last cell": (
        '<row r="6"><c r="C6"/> <extLst/></row>',
        '<row r="6"><c r="C6"/><c r="D6"><v>2</v></c> <extLst/></row>',
    ),
    "in an empty row": ('<row r="6"></row>', '<row r="6"><c r="D6"><v>2</v></c></row>'),
    "in a self-closed row": (
        '<row r="6" ht="20"/><row r="7"/>',
        '<row r="6" ht="20"><c r="D6"><v>2</v></c></row><row r="7"/>',
    ),
    "in a new row between": (
        '<row r="5"/> <row r="7"/>',
        '<row r="5"/> <row r="6"><c r="D6"><v>2</v></c></row><row r="7"/>',
    ),
    "in a new row at the end": (
        '<row r="5"/>\n',
        '<row r="5"/>\n<row r="6"><c r="D6"><v>2</v></c></row>',
    ),
    "in a sheet without rows": ("<sheetData/>", '<row r="6"><c r="D6"><v>2</v></c></row>'),
    "row number said last": (
        '<row ht="20" r="6"><c r="C6"/></row>',
        '<row ht="20" r="6"><c r="C6"/><c r="D6"><v>2</v></c></row>',
    ),
    "row number counted": (
        '<row r="4"/><row/><row><c/><c/><c/><c s="1"/><c/></row><row/>',
        '<row r="4"/><row/><row><c/><c/><c/><c s="1"><v>2</v></c><c/></row><row/>',
    ),
    "row number said by its cells": (
        '<row r="2"/><row><c r="C6"/><c><v>1</v></c></row>',
        '<row r="2"/><row><c r="C6"/><c><v>2</v></c></row>',
    ),
    "row that is a comment": (
        '<row r="5"/><!-- <row r="6"> --><row r="6"/>',
        '<row r="5"/><!-- <row r="6"> --><row r="6"><c r="D6"><v>2</v></c></row>',
    ),
    "spans that hold it": (
        '<row r="6" spans="1:9"/>',
        '<row r="6" spans="1:9"><c r="D6"><v>2</v></c></row>',
    ),
    "spans that do not": (
        '<row r="6" spans="1:3 5:6" s="1"/>',
        '<row r="6" s="1"><c r="D6"><v>2</v></c></row>',
    ),
}


@pytest.mark.parametrize(("old", "new"), NEW.values(), ids=NEW)
def test_adds_the_cell_where_it_belongs(book, old, new):
    """A cell that the sheet lacks comes in order, with its row if that is missing too."""
    assert edit_rows(book, old, (6, 4, 2)) == new


def test_emptying_a_missing_cell_changes_nothing(book):
    """A cell that is not there is empty: the file stays byte for byte."""
    path = book('<row r="6"/>')
    edits = [(6, 4, None), (9, 1, None)]
    assert patched(path, edits) == path.read_bytes()


TEXT_ABOVE = '<row r="4"/><row r="5"><c r="D5" s="3" t="s"><v>1</v></c></row><row r="6"/>'


@pytest.mark.parametrize(
    ("rows", "value", "style"),
    [
        ('<row r="4"/><row r="5"><c r="D5" s="3"><v>1</v></c></row><row r="6"/>', 1, ' s="3"'),
        (TEXT_ABOVE, 1, ' s="5"'),
        (TEXT_ABOVE, "a", ' s="3"'),
        ('<row r="5"><c r="D5" s="3"><v>1</v></c></row><row r="6"/>', 1, ' s="5"'),
        ('<row r="4"/><row r="5"><c r="D5"/></row><row r="6"/>', 1, ""),
        ('<row r="4"/><row r="5"/><row r="6" s="4" customFormat="1"/>', 1, ' s="4"'),
        ('<row r="4"/><row r="5"/><row r="6" s="4"/>', 1, ' s="5"'),
        ('<row r="4"/><row r="5"><c r="D5" s="3"/></row>', 1, ' s="3"'),
    ],
    ids=[
        "number above", "text above a number", "text above a text", "heading above",
        "plain above", "row", "column", "new row",
    ],
)  # fmt: skip
def test_new_cell_takes_the_style_around_it(book, rows, value, style):
    """The style comes from the cell above, the row or the column, and never from a heading."""
    columns = '<cols><col min="1" max="3" style="6"/><col min="4" max="5" style="5"/></cols>'
    text = edit_rows(book, rows, (6, 4, value), before=columns)
    assert f'<c r="D6"{style}>' in text.replace(' t="inlineStr"', "")


def test_new_cells_below_each_other_share_a_style(book):
    """Cells added in one call go on with the style that the first of them took."""
    rows = '<row r="1"/><row r="2"><c r="A2" s="3"><v>1</v></c></row>' + "".join(
        f'<row r="{row}"/>' for row in range(3, 7)
    )
    text = edit_rows(book, rows, *((row, 1, 1) for row in range(3, 7)))
    assert text.count('s="3"') == 5


def test_a_new_cell_takes_the_style_of_another_of_its_row(book):
    """A named cell of the row goes before the cell above; where there is none, that is taken."""
    rows = (
        '<row r="4"><c r="A4"/></row><row r="5"><c r="D5" s="2"><v>1</v></c></row>'
        '<row r="6"><c r="B6" s="4"><v>1</v></c></row><row r="7"/>'
    )
    for row, column, style in ((6, 2, 4), (6, 3, 2), (7, 2, 2)):
        text = edit_rows(book, rows, (6, 4, 1.0), (row, 4, 2.0, column))
        assert f'<c r="D{row}" s="{style}"><v>2</v></c>' in text


@pytest.mark.parametrize(
    ("old", "cell", "new"),
    [
        ("A1", (6, 4), "A1:D6"),
        ("B2:C9", (6, 3), "B2:C9"),
        ("B2:C9", (1, 5), "B1:E9"),
        ("", (6, 4), ""),
    ],
)
def test_dimension_comes_to_hold_the_cell(book, old, cell, new):
    """The sheet's dimension grows to a cell outside of it, and is left alone otherwise."""
    text = part(patched(book(worksheet("", f'<dimension ref="{old}"/>')), [(*cell, 1)]))
    assert f'<dimension ref="{new}"/>' in text


def test_prefixed_names_and_single_quotes(book):
    """A sheet whose elements carry a prefix takes elements with that prefix."""
    text = (
        f"<?xml version='1.0'?><x:worksheet xmlns:x='{MAIN}'><x:sheetData>{{}}"
        "</x:sheetData></x:worksheet>"
    )
    old = "<x:row r='2'><x:c r='A2' t='s'><x:v>1</x:v></x:c></x:row>"
    new = (
        "<x:row r='2'><x:c r='A2'><x:v>2</x:v></x:c>"
        '<x:c r="B2" t="inlineStr"><x:is><x:t>b</x:t></x:is></x:c></x:row>'
        '<x:row r="3"><x:c r="A3"><x:v>4</x:v></x:c></x:row>'
    )
    data = patched(book(text.format(old)), [(2, 1, 2), (2, 2, "b"), (3, 1, 4)])
    assert part(data) == text.format(new)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3.0, "<v>3</v>"),
        (2.5, "<v>2.5</v>"),
        (0.1 + 0.2, "<v>0.30000000000000004</v>"),
        (1e300, "<v>1e+300</v>"),
        (True, "<v>1</v>"),
        ("a<b>&c", "<t>a&lt;b&gt;&amp;c</t>"),
        (" a", '<t xml:space="preserve"> a</t>'),
        ("a\nb", '<t xml:space="preserve">a\nb</t>'),
        ("a\rb", "<t>a&#13;b</t>"),
        ("é😀", "<t>&#233;&#128512;</t>"),
        ("_x0041_", "<t>_x005F_x0041_</t>"),
        ("", "<t></t>"),
    ],
)
def test_writes_values_as_they_are(book, value, written):
    """Numbers are as short as can be, and texts survive the way through XML."""
    assert written in edit_rows(book, '<row r="1"/>', (1, 1, value))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ((2, 4, "a\x07"), r"D2.*U\+0007"),
        ((2, 4, "\ud800"), r"D2.*U\+D800"),
        ((2, 4, "\ufffe"), r"D2.*U\+FFFE"),
        ((2, 4, math.nan), "D2.*nan"),
        ((2, 28, math.inf), "AB2.*inf"),
        ((2, 4, "a" * 32_768), "D2.*32767"),
        ((0, 1, 1), "outside"),
        ((1, 16_385, 1), "outside"),
        ((1_048_577, 1, 1), "outside"),
    ],
)
def test_refuses_what_a_cell_cannot_hold(book, edit, message):
    """A value or a place that the format does not know is refused with its cell's name."""
    with pytest.raises(WorkbookPatchError, match=message):
        patched(book(), [edit])


def test_later_edit_of_a_cell_holds(book):
    """Of two edits of one cell the later one is written."""
    assert "<v>2</v>" in edit_rows(book, "<sheetData/>", (1, 1, 1), (1, 1, 2))


# -- columns without content


@pytest.mark.parametrize(
    ("rows", "merged", "free"),
    [
        ("", "", [3, 4]),
        ('<row r="9"><c r="A9"><v>1</v></c><c r="B9"><v>1</v></c></row>', "", [3, 4]),
        ('<row r="9"><c r="D9"><v>1</v></c></row>', "", [3, 5]),
        ('<row r="9"><c r="C9" s="1"/><c s="2" r="D9"><f>A1</f></c></row>', "", [3, 5]),
        ("<row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row>", "", [4, 5]),
        ('<row r="2"><c r="C2" t="inlineStr"><is><t>x</t></is></c></row>', "", [4, 5]),
        ('<row r="2"><c r="AA2"><v>1</v></c></row>', "", [3, 4]),
        ('<row r="1"><c r="A1"><f t="array" ref="A1:C2">1</f></c></row>', "", [4, 5]),
        ("", "C3:C5", [4, 5]),
        ("", "A1:E2", [3, 4]),
        ("", "B2:D3", [5, 6]),
    ],
)
def test_free_columns_hold_nothing(book, rows, merged, free):
    """Values, formulas without one and merged cells below the header take up their columns; styles
    alone do not.
    """
    after = f'<mergeCells><mergeCell ref="{merged}"/></mergeCells>' if merged else ""
    data = book(worksheet(rows, after=after)).read_bytes()
    assert free_columns(data, "Data", 3, 3, 2) == free


def test_merged_cells_of_several_columns_are_found(book):
    """Of the merged cells those of several rows are found by any cell of their first column."""
    areas = ("A2:A4", "B2:C3", "D2:E2", "D4:D5", "F9:F10")
    merges = "".join(f'<mergeCell ref="{area}"/>' for area in areas)
    data = book(worksheet("", after=f"<mergeCells>{merges}</mergeCells>")).read_bytes()
    asked = [(4, 1), (3, 1), (2, 3), (2, 4), (5, 4), (1, 6)]
    assert merged_below(data, "Data", asked) == [(2, 4, 1), (4, 5, 4)]
    assert merged_below(data, "Data", [(3, 2), (8, 6)]) == [(2, 3, 2)]


# -- formulas

SHARED = (
    '<row r="1"><c r="A1"><f t="shared" ref="A1:A3" si="0">B1*2</f><v>2</v></c></row>'
    '<row r="2"><c r="A2"><f t="shared" si="0"/><v>4</v></c></row>'
    '<row r="3"><c r="A3"><f t="shared" si="0"/><v>6</v></c></row>'
)
ARRAY = (
    '<row r="1"><c r="A1"><f t="array" ref="A1:A3">B1:B3*2</f><v>2</v></c></row>'
    '<row r="2"><c r="A2"><v>4</v></c></row><row r="3"><c r="A3"><v>6</v></c></row>'
)


def test_finds_the_cells_with_formulas(book):
    """Cells with a formula of their own, a shared one, or in an array are found."""
    rows = (
        SHARED + '<row r="5"><c r="A5"><v>1</v></c><c r="B5"><f>A5</f><v>1</v></c><c r="C5"/></row>'
    )
    asked = [(1, 1), (2, 1), (5, 1), (5, 2), (5, 3), (4, 1), (9, 9)]
    assert formula_cells(book(rows).read_bytes(), "Data", asked) == {(1, 1), (2, 1), (5, 2)}
    assert formula_cells(book(ARRAY).read_bytes(), "Data", [(3, 1), (4, 1)]) == {(3, 1)}
    assert formula_cells(book(rows).read_bytes(), "Data", []) == set()


def test_shared_formula_may_lose_a_dependent_cell(book):
    """A cell that only refers to a shared formula takes a value."""
    assert edit_rows(book, SHARED, (2, 1, 9)) == SHARED.replace(
        '<f t="shared" si="0"/><v>4</v>', "<v>9</v>"
    )


def test_shared_formula_may_not_lose_its_master(book):
    """The cell that holds the formula of others is refused by name, unless none is left."""
    with pytest.raises(WorkbookPatchError, match="A1 holds the formula"):
        patched(book(SHARED), [(1, 1, 9), (2, 1, 9)])
    assert "<f" not in edit_rows(book, SHARED, (1, 1, 9), (2, 1, 9), (3, 1, None))


@pytest.mark.parametrize("row", [1, 3])
@pytest.mark.parametrize("kind", ["array", "dataTable"])
def test_array_formula_stays_whole(book, row, kind):
    """No cell of an array formula or a data table can be changed alone."""
    with pytest.raises(WorkbookPatchError, match=f"A{row} belongs to A1:A3"):
        patched(book(ARRAY.replace("array", kind)), [(row, 1, 9)])


def test_array_formula_of_one_cell_gives_way(book):
    """An array formula that fills its own cell only is replaced like any other."""
    rows = '<row r="1"><c r="A1" cm="1"><f t="array" ref="A1">SUM(B1:B3*2)</f><v>2</v></c></row>'
    assert edit_rows(book, rows, (1, 1, 9)) == '<row r="1"><c r="A1"><v>9</v></c></row>'


def test_merged_cells_take_values_at_their_corner_only(book):
    """Only the top left cell of a merged one can be written."""
    merges = '<mergeCells count="2"><mergeCell ref="B2:C3"/><mergeCell ref="E1:E9"/></mergeCells>'
    path = book(worksheet('<row r="2"/>', after=merges))
    for cell in [(2, 3), (3, 2), (3, 3)]:
        with pytest.raises(WorkbookPatchError, match="hidden in the merged cell B2:C3: only B2"):
            patched(path, [(*cell, 1)])
    assert 'r="B2"' in part(patched(path, [(2, 2, 1), (2, 4, 1), (4, 2, 1), (1, 5, 1)]))


def chained(entries, **parts):
    """Return the parts of a workbook with a calculation chain."""
    rows = '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>1+1</f><v>2</v></c></row>'
    links = relations(
        relation("rId1", "worksheet", "worksheets/sheet1.xml"),
        relation("rId2", "calcChain", "calcChain.xml"),
    )
    parts = {"xl/_rels/workbook.xml.rels": links, **parts}
    return members(rows, parts={**parts, CHAIN: f'<calcChain xmlns="{MAIN}">{entries}</calcChain>'})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('<c r="A1" i="7"/><c r="B1"/>', '<c i="7" r="B1"/>'),
        ('<c r="A1" i="7"/><c r="B1" i="7"/>', '<c r="B1" i="7"/>'),
        ('<c r="A1" i="7"/><c r="A1" i="8"/>', '<c r="A1" i="8"/>'),
        ('<c r="Z1" i="8"/><c r="A1" i="7"></c><c r="B1"/>', '<c r="Z1" i="8"/><c i="7" r="B1"/>'),
        ('<c r="B1" i="7"/><c r="A1" l="1"/>', '<c r="B1" i="7"/>'),
        ('<c r="B1" i="7"/><c r="A1"/><c r="C1"/>', '<c r="B1" i="7"/><c r="C1"/>'),
        ('<c r="A1"/><c r="B1"/>', '<c r="B1"/>'),
    ],
)  # fmt: skip
def test_calculation_chain_forgets_the_cell(tmp_path, old, new):
    """A replaced formula is taken off the chain, and the entries left keep their sheet."""
    path = save(tmp_path / "book.xlsx", chained(old))
    data = patched(path, [(1, 1, 5)])
    assert part(data, CHAIN) == f'<calcChain xmlns="{MAIN}">{new}</calcChain>'
    assert_others_untouched(path.read_bytes(), data, (SHEET, CHAIN, BOOK))


def test_calculation_chain_goes_when_it_would_be_empty(tmp_path):
    """A chain without entries is not valid: it goes, with all that refers to it."""
    path = save(tmp_path / "book.xlsx", chained('<c r="A1" i="7"/><c r="B1" l="1"/>'))
    data = patched(path, [(1, 1, 5), (1, 2, None)])
    assert CHAIN not in zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert "calcChain" not in part(data, "xl/_rels/workbook.xml.rels")
    assert "calcChain" not in part(data, "[Content_Types].xml")
    assert 'Id="rId1"' in part(data, "xl/_rels/workbook.xml.rels")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", '<calcPr fullCalcOnLoad="1"/>'),
        ('<calcPr calcId="1"/>', '<calcPr fullCalcOnLoad="1" calcId="1"/>'),
        ('<calcPr fullCalcOnLoad="0"/>', '<calcPr fullCalcOnLoad="1"/>'),
        ("<calcPr fullCalcOnLoad='true'/>", "<calcPr fullCalcOnLoad='true'/>"),
        (
            '<definedNames><definedName name="a">1</definedName></definedNames><oleSize ref="A1"/>',
            '<definedNames><definedName name="a">1</definedName></definedNames>'
            '<calcPr fullCalcOnLoad="1"/><oleSize ref="A1"/>',
        ),
        (
            "<externalReferences/><customWorkbookViews/>",
            '<externalReferences/><calcPr fullCalcOnLoad="1"/><customWorkbookViews/>',
        ),
    ],
)
def test_workbook_with_formulas_asks_for_calculation(book, old, new):
    """The workbook part gets the one attribute, at the place that the schema has for it."""
    rows = '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1</f><v>1</v></c></row>'
    data = patched(book(rows, parts={BOOK: workbook(after=old)}), [(1, 1, 5)])
    assert part(data, BOOK) == workbook(after=new)


@pytest.mark.parametrize(
    ("other", "asks"),
    [
        (worksheet('<row r="1"><c r="A1"><f>1</f></c></row>'), True),
        (worksheet(" " * ((1 << 20) - 90) + '<row r="1"><c r="A1"><f>1</f></c></row>'), True),
        (f"<!--<a>--><x:worksheet xmlns:x='{MAIN}'><x:f\n>1</x:f></x:worksheet>", True),
        (worksheet("", after="<x><formula>1</formula><headerFooter/></x>"), False),
    ],
    ids=["formula", "across chunks", "prefix", "none"],
)
def test_formulas_of_other_sheets_count(book, other, asks):
    """A formula in any other sheet makes the workbook ask for calculation, and only that does."""
    parts = {
        BOOK: workbook(
            '<sheet name="Data" sheetId="7" r:id="rId1"/><sheet name="B" sheetId="8" r:id="rId2"/>'
        ),
        "xl/_rels/workbook.xml.rels": relations(
            relation("rId1", "worksheet", "worksheets/sheet1.xml"),
            relation("rId2", "worksheet", "worksheets/sheet2.xml"),
        ),
        "xl/worksheets/sheet2.xml": other,
    }
    path = book("", parts=parts)
    data = patched(path, [(1, 1, 5)])
    assert ("fullCalcOnLoad" in part(data, BOOK)) == asks
    assert_others_untouched(path.read_bytes(), data, (SHEET, BOOK) if asks else (SHEET,))


# -- finding the sheet


@pytest.mark.parametrize("target", ["/xl/worksheets/sheet1.xml", "../xl/worksheets/Sheet1.xml"])
def test_follows_targets_of_every_kind(book, target):
    """Targets may be absolute, climb, or differ in case from the member's name."""
    links = relations(relation("rId1", "worksheet", target))
    path = book("", parts={"xl/_rels/workbook.xml.rels": links})
    assert 'r="A1"' in part(patched(path, [(1, 1, 1)]))


def test_finds_the_sheet_by_its_name_in_a_strict_workbook(book):
    """Names are unescaped, the main part may have any name, and namespaces may be strict."""
    sheets = '<x:sheet name="Q&amp;A &lt;1&gt;" sheetId="1" s:id="a"/>'
    parts = {
        "_rels/.rels": relations(relation("x", "officeDocument", "/other/main.xml", STRICT_REL)),
        BOOK: None,
        "other/main.xml": f'<x:workbook xmlns:x="{STRICT_MAIN}" xmlns:s="{STRICT_REL}">'
        f"<x:sheets>{sheets}</x:sheets></x:workbook>",
        "other/_rels/main.xml.rels": relations(
            relation("a", "worksheet", "../xl/worksheets/sheet1.xml", STRICT_REL)
        ),
    }
    rows = worksheet('<row r="2"><c r="A2"><f>1</f></c></row>').replace(MAIN, STRICT_MAIN)
    data = patched(book(rows, parts=parts), [(1, 1, 1)], "Q&A <1>")
    assert 'r="A1"' in part(data)
    assert '</x:sheets><x:calcPr fullCalcOnLoad="1"/></x:workbook>' in part(data, "other/main.xml")


# -- the archive


def test_leaves_all_other_members_as_they_are(tmp_path):
    """Stored members, dates, comments, extra fields and directories stay byte for byte."""
    path = tmp_path / "book.xlsm"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.comment = b"a comment"
        package.mkdir("xl/")
        for place, (name, text) in enumerate(members('<row r="1"/>').items()):
            info = zipfile.ZipInfo(name, (1999, 12, 31, 23, 59, 2 * place))
            info.external_attr, info.comment = 0o640 << 16, name.encode()
            info.extra = struct.pack("<HHL", 0xCAFE, 4, place)
            info.compress_type = zipfile.ZIP_STORED if place % 2 else zipfile.ZIP_DEFLATED
            package.writestr(info, text, compresslevel=1)
    data = patched(path, [(1, 1, 1)])
    assert_others_untouched(path.read_bytes(), data)
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        info = package.getinfo(SHEET)
        assert package.comment == b"a comment"
        assert info.date_time[0] == 1999
        assert info.extra == struct.pack("<HHL", 0xCAFE, 4, 4)
        assert info.external_attr == 0o640 << 16


class Pipe(io.BytesIO):
    """A file that cannot seek: zipfile writes the sizes after the data."""

    def seekable(self):
        """Say no."""
        return False

    def tell(self):
        """Refuse, as a pipe does."""
        raise OSError

    seek = tell


@pytest.mark.parametrize("wide", [False, True])
def test_handles_sizes_that_follow_the_data_and_zip64(tmp_path, wide):
    """Members with a data descriptor or with 64-bit sizes are read and copied whole."""
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in members('<row r="1"/>').items():
            with package.open(name, "w", force_zip64=wide) as stream:
                stream.write(text if isinstance(text, bytes) else text.encode())
    path = tmp_path / "book.xlsx"
    path.write_bytes(pipe.getvalue())
    data = patched(path, [(1, 1, 1)])
    assert_others_untouched(path.read_bytes(), data)
    assert 'r="A1"' in part(data)


def test_handles_a_directory_in_zip64(tmp_path):
    """A directory that keeps sizes and places in 64 bits throughout keeps them so."""
    path = save(tmp_path / "book.xlsx", members('<row r="1"/>'))
    old = path.read_bytes()
    with zipfile.ZipFile(path) as package:
        infos, end = package.infolist(), package.start_dir
    entries, place = b"", end
    for info in infos:
        length = len(info.filename)
        entry = bytearray(old[place : place + 46 + length])
        place += len(entry)
        struct.pack_into("<H", entry, 30, 34)
        struct.pack_into("<LL", entry, 20, 0xFFFFFFFF, 0xFFFFFFFF)
        struct.pack_into("<L", entry, 42, 0xFFFFFFFF)
        sizes = (info.file_size, info.compress_size, info.header_offset)
        entries += entry + struct.pack("<HHH", 0xCAFE, 2, 0) + struct.pack("<HHQQQ", 1, 24, *sizes)
    count = (len(infos),) * 2
    wide = struct.pack("<4sQHHLLQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, *count, len(entries), end)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, end + len(entries), 1)
    last = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *count, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(old[:end] + entries + wide + locator + last)
    data = patched(path, [(1, 1, 1)])
    assert 'r="A1"' in part(data)
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        assert package.testzip() is None
        assert [info.filename for info in package.infolist()] == [info.filename for info in infos]


def test_members_need_not_lie_in_the_order_of_the_directory(tmp_path):
    """The directory may list the members in another order than they have in the file."""
    path = save(tmp_path / "book.xlsx", members('<row r="1"/>'))
    old = path.read_bytes()
    with zipfile.ZipFile(path) as package:
        place, entries = package.start_dir, []
        for info in package.infolist():
            entries.append(old[place : place + 46 + len(info.filename)])
            place += len(entries[-1])
    path.write_bytes(old[: -len(b"".join(entries)) - 22] + b"".join(entries[::-1]) + old[-22:])
    data = patched(path, [(1, 1, 1)])
    assert_others_untouched(path.read_bytes(), data)
    assert data.index(b"_rels/.rels") < data.index(SHEET.encode())


# -- refusals


def wrong(**parts):
    """Return a workbook with these parts changed."""
    return members('<row r="1"><c r="A1"><f>1</f></c></row>', parts=parts)


WRONG = {
    "sheet missing": (wrong(**{BOOK: workbook("")}), "no sheet named “Data”"),
    "part missing": (wrong(**{SHEET: None}), "part xl/worksheets/sheet1.xml is missing"),
    "no main part": (wrong(**{"_rels/.rels": relations()}), "no main part"),
    "no relations": (wrong(**{"_rels/.rels": None}), "_rels/.rels is missing"),
    "workbook is no XML": (wrong(**{BOOK: "<workbook>"}), "workbook.xml is damaged"),
    "sheet is no XML": (wrong(**{SHEET: "abc"}), "sheet1.xml is damaged"),
    "sheet without rows": (wrong(**{SHEET: "<worksheet/>"}), "holds no rows"),
    "sheetData open": (wrong(**{SHEET: "<worksheet><sheetData>"}), "sheetData is not closed"),
    "row open": (wrong(**{SHEET: worksheet('<row r="1">')}), "row is not closed"),
    "row without an end": (wrong(**{SHEET: worksheet("<row x='")}), "a row has no end"),
    "rows out of order": (
        wrong(**{SHEET: worksheet('<row r="3"/><row r="1"/><row r="4"/>')}),
        "row 1 follows row 3",
    ),
    "cells out of order": (
        wrong(**{SHEET: worksheet('<row r="1"><c r="C1"/><c r="B1"/></row><row r="4"/>')}),
        "out of order",
    ),
    "UTF-16": (wrong(**{SHEET: worksheet("").encode("utf-16")}), "sheet1.xml is no XML in UTF-8"),
    "UTF-16 workbook": (wrong(**{BOOK: workbook().encode("utf-16-le")}), "no XML in UTF-8"),
    "sheets in another namespace": (
        wrong(
            **{
                BOOK: workbook()
                .replace("sheets>", "x:sheets>")
                .replace(" ", f' xmlns:x="{MAIN}" ', 1)
            }
        ),
        "another namespace",
    ),
    "document type": (
        wrong(**{SHEET: "<!DOCTYPE worksheet [<!ENTITY a 'b'>]>" + worksheet("")[22:]}),
        "document type",
    ),
    "chart sheet": (
        wrong(**{"xl/_rels/workbook.xml.rels": relations(relation("rId1", "chartsheet", "a.xml"))}),
        "no sheet of cells",
    ),
}


@pytest.mark.parametrize(("parts", "message"), WRONG.values(), ids=WRONG)
def test_refuses_damaged_workbooks_in_a_sentence(tmp_path, parts, message):
    """What is wrong is said of the part it is wrong with, and nothing is written."""
    path, out = save(tmp_path / "book.xlsx", parts), io.BytesIO()
    with pytest.raises(WorkbookPatchError, match=message):
        patch_workbook(path.read_bytes(), "Data", [CellEdit(4, 1, 1), CellEdit(1, 9, 1)], out)
    assert out.getvalue() == b""


def test_refuses_files_that_are_no_archive(tmp_path):
    """Encrypted workbooks and other files are refused."""
    path = tmp_path / "book.xlsx"
    for content, message in [
        (bytes.fromhex("D0CF11E0A1B11AE1") + bytes(600), "password"),
        (b"PK\3\4 and no more", "The file is damaged"),
        (b"", "The file is damaged"),
    ]:
        path.write_bytes(content)
        with pytest.raises(WorkbookPatchError, match=message):
            patched(path, [(1, 1, 1)])
    with pytest.raises(FileNotFoundError):
        patched(tmp_path / "none.xlsx", [])


def test_refuses_two_parts_of_one_name(tmp_path):
    """An archive with two members of one name has no certain content."""
    path = save(tmp_path / "book.xlsx", {**members(), SHEET.upper(): ""})
    with pytest.raises(WorkbookPatchError, match="two parts of one name"):
        patched(path, [])


def test_refuses_an_archive_that_would_outgrow_its_fields(book, monkeypatch):
    """Places in the archive are written in 32 bits: a workbook of 4 GiB is refused."""
    monkeypatch.setattr(xlsx_package, "_ALL_ONES", 1000)
    with pytest.raises(WorkbookPatchError, match="4 GiB"):
        patched(book(), [(1, 1, 1)])


@pytest.mark.parametrize(("size", "message"), [(3 << 30, "2 GiB"), (5000, "cut short|damaged")])
def test_refuses_parts_that_lie_about_their_size(book, size, message):
    """A part that would fill the memory, or is shorter than it says, is refused."""
    path = book()
    data = bytearray(path.read_bytes())
    entry = data.rindex(SHEET.encode()) - 46
    struct.pack_into("<L", data, entry + 24, size)
    path.write_bytes(data)
    with pytest.raises(WorkbookPatchError, match=message):
        patched(path, [(1, 1, 1)])


def test_refuses_a_part_with_a_wrong_checksum(book):
    """A sheet part that was damaged in storage is not written on."""
    path = book('<row r="1"/>', kind=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b'<row r="1"/>', b'<row r="2"/>'))
    with pytest.raises(WorkbookPatchError, match="damaged"):
        patched(path, [(1, 1, 1)])


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damage_never_ends_in_another_error(tmp_path_factory, data):
    """Whatever bytes are damaged, the error is the one that people can read."""
    path = tmp_path_factory.getbasetemp() / "damaged.xlsx"
    content = bytearray(save_shared(path))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(len(content) // 2, len(content)))])
    with contextlib.suppress(WorkbookPatchError):
        patched(path, [(1, 2, 5), (3, 1, 1), (9, 1, "x")])


def save_shared(path):
    """Return the bytes of a stored workbook, in which damage reaches the XML too."""
    with zipfile.ZipFile(path, "w") as package:
        for name, text in chained('<c r="A1" i="7"/>').items():
            if name != "xl/vbaProject.bin":
                package.writestr(name, text)
    return path.read_bytes()


def test_takes_many_edits_in_one_pass(tmp_path):
    """Ten thousand edits, given backwards, are in place, and so are all other cells."""
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as file:
        sheet = file.add_worksheet("Data")
        for row in range(12_000):
            sheet.write_row(row, 0, [f"q{row}", row, 1])
    edits = [(row, column, row * 2.0) for row in range(10_000, 0, -2) for column in (3, 5)]
    rows = CalamineWorkbook.from_filelike(io.BytesIO(patched(path, edits))).get_sheet_by_index(0)
    cells = rows.to_python()
    assert len(cells) == 12_000
    for row, found in enumerate(cells, 1):
        edited = row % 2 == 0 and row <= 10_000
        grade, added = (row * 2.0, row * 2.0) if edited else (1.0, "")
        assert found == [f"q{row - 1}", row - 1.0, grade, "", added]


# -- workbooks of real writers


def png():
    """Return a picture of one pixel."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">L", len(data)) + body + struct.pack(">L", zlib.crc32(body))

    header = struct.pack(">LLBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\0\0")
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


FIRST = 2  # the table's heading stands in row 1
NAMES = ["query", "document", "grade", "remark"]


def by_openpyxl(path, rows):
    """Write the rows below a heading, with one of everything that is easily lost."""
    file = openpyxl.Workbook()
    sheet = file.active
    sheet.title = "Data"
    sheet.append(NAMES)
    for row in rows:
        sheet.append(row)
    last = len(rows) + 1
    sheet["A1"].font, sheet["B2"].fill = Font(bold=True), PatternFill("solid", fgColor="FFFF00")
    sheet["A2"].comment = Comment("look", "me")
    sheet.add_table(Table(displayName="T", ref=f"A1:D{last}"))
    rule = CellIsRule(operator="greaterThan", formula=["2"], font=Font(bold=True))
    sheet.conditional_formatting.add(f"C2:C{last}", rule)
    check = DataValidation(type="whole", operator="between", formula1="0", formula2="4")
    check.add(f"C2:C{last}")
    sheet.add_data_validation(check)
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=3, min_row=1, max_row=last))
    sheet.add_chart(chart, "H2")
    sheet.add_image(Image(io.BytesIO(png())), "H20")
    sheet["J2"] = datetime.datetime(2024, 5, 6)
    sheet.merge_cells("A30:D31")
    sheet.freeze_panes = "A2"
    file.defined_names["grades"] = DefinedName("grades", attr_text=f"Data!$C$2:$C${last}")
    file.create_sheet("Other")["A1"] = "=SUM(Data!C2:C99)"
    file.save(path)


def by_xlsxwriter(path, rows):
    """Write the same with the other library."""
    with xlsxwriter.Workbook(path) as file:
        sheet = file.add_worksheet("Data")
        yellow = file.add_format({"bg_color": "#FFFF00", "num_format": "0.0"})
        last = len(rows)
        for number, row in enumerate(rows, 1):
            for column, value in enumerate(row):
                write = sheet.write_string if isinstance(value, str) else sheet.write
                write(number, column, value, yellow if number % 2 else None)
        sheet.add_table(0, 0, last, 3, {"columns": [{"header": name} for name in NAMES]})
        rich = ["a", file.add_format({"bold": True}), "b"]
        sheet.write_rich_string(0, 6, *rich)
        sheet.write_formula(1, 6, "=C2*2", None, 1)
        sheet.write_comment(1, 0, "look")
        sheet.conditional_format(1, 2, last, 2, {"type": "data_bar", "data_bar_2010": True})
        sheet.data_validation(1, 2, last, 2, {"validate": "list", "source": [0, 1, 2]})
        chart = file.add_chart({"type": "column"})
        chart.add_series({"values": ["Data", 1, 2, last, 2]})
        sheet.insert_chart("H2", chart)
        sheet.insert_image("H20", "a.png", {"image_data": io.BytesIO(png())})
        sheet.freeze_panes(1, 0)
        sheet.merge_range("A30:D31", "merged")
        sheet.write_datetime("J2", datetime.datetime(2024, 5, 6), yellow)
        sheet.add_sparkline(1, 7, {"range": f"Data!C2:C{last + 1}"})
        file.define_name("grades", f"=Data!$C$2:$C${last + 1}")
        other = file.add_worksheet("Other")
        other.autofilter(0, 0, 5, 2)
        other.write_formula("A1", "=SUM(Data!C2:C99)")


def read_openpyxl(data):
    """Return each cell that is not empty of each sheet, with its style and comment."""
    file = openpyxl.load_workbook(io.BytesIO(data), rich_text=True)
    return {
        (sheet.title, cell.row, cell.column): (
            cell.value.__class__.__name__ if cell.data_type == "f" else cell.value,
            cell.number_format,
            cell.fill.fgColor.rgb,
            cell.comment and cell.comment.text,
        )
        for sheet in file
        for row in sheet.iter_rows()
        for cell in row
        if cell.value not in (None, "")
    }


def read_calamine(data):
    """Return each cell that is not empty of each sheet."""
    file = CalamineWorkbook.from_filelike(io.BytesIO(data))
    found = {}
    for name in file.sheet_names:
        rows = file.get_sheet_by_name(name).to_python(skip_empty_area=False)
        found |= {
            (name, r, c): value
            for r, row in enumerate(rows, 1)
            for c, value in enumerate(row, 1)
            if value != ""
        }
    return found


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=6)
NUMBERS = st.one_of(st.integers(-5, 9), st.floats(allow_nan=False, allow_infinity=False))
VALUES = st.one_of(st.none(), NUMBERS, TEXTS.filter(lambda text: not text.startswith("=")))
STORED = st.one_of(VALUES, st.booleans())
ROWS = st.lists(st.tuples(TEXTS.map("q{}".format), STORED, STORED, STORED), min_size=1, max_size=6)
EDITS = st.dictionaries(
    st.tuples(st.integers(FIRST, 9), st.sampled_from([1, 2, 3, 4, 5, 6, 30])), VALUES, max_size=8
)
WRITERS = st.sampled_from([by_openpyxl, by_xlsxwriter])
QUARTERS = st.integers(-40, 40).map(lambda number: number / 4)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Return the path of a workbook that is written anew for each example."""
    return tmp_path_factory.mktemp("written") / "book.xlsx"


def as_edits(edits):
    """Return the edits, a dictionary by cell, as triples."""
    return [(*cell, value) for cell, value in edits.items()]


@pytest.mark.filterwarnings("ignore:.*extension is not supported")
@settings(max_examples=60, deadline=None)
@given(WRITERS, ROWS, EDITS)
def test_real_workbooks_keep_all_else(file, write, rows, edits):
    """Two other readers find the new values, and every other cell and member as it was."""
    write(file, rows)
    old = file.read_bytes()
    new = patched(file, as_edits(edits))
    assert_others_untouched(old, new, (SHEET, BOOK))
    part(new)
    expected, found = read_openpyxl(old), read_openpyxl(new)
    values = read_calamine(old)
    for cell, value in edits.items():
        key = ("Data", *cell)
        style = expected.pop(key, (None, *found.get(key, (None,))[1:]))[1:]
        values.pop(key, None)
        if value not in (None, ""):
            expected[key] = (value, *style)
            values[key] = value
    assert found == expected
    assert read_calamine(new) == values


@settings(max_examples=40, deadline=None)
@given(WRITERS, st.lists(st.tuples(QUARTERS, QUARTERS), min_size=1, max_size=6), st.data())
def test_old_numbers_bring_back_the_old_bytes(file, write, numbers, data):
    """A grade that is taken back leaves the sheet as if nothing had been."""
    write(file, [("q", "d", *pair) for pair in numbers])
    old = file.read_bytes()
    cells = st.tuples(st.integers(0, len(numbers) - 1), st.integers(0, 1))
    chosen = data.draw(st.dictionaries(cells, QUARTERS, min_size=1))
    file.write_bytes(patched(file, [(r + FIRST, c + 3, v) for (r, c), v in chosen.items()]))
    back = patched(file, [(r + FIRST, c + 3, numbers[r][c]) for r, c in chosen])
    assert part(back) == part(old)
