"""Grades saved into workbooks full of other things: only the graded cells change."""

import datetime
import io
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import openpyxl
import pytest
import xlsxwriter
from books import MAIN, OFFICE, archive
from build import save_in_place
from matplotlib.figure import Figure
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.formatting.rule import ColorScaleRule
from openpyxl.styles import PatternFill
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table as ExcelTable

from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.numbers import number
from ndcg_desktop.files.read import read
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.save import GradeEdit
from ndcg_desktop.files.text_patch import NewRow

HEADER = ["query", "docid", "title", "grade"]
ROWS = [[f"q{row // 5}", f"D{row:03}", f"A “title” & <text> {row}", row % 4] for row in range(20)]
SHEET = "xl/worksheets/sheet1.xml"
EDITS = {2: 3.0, 3: None, 7: 2.5, 12: 0.0, 21: 4.0}
"""A number over a number, a grade taken back, a fraction, and the last row."""


def picture():
    """A small PNG."""
    buffer = io.BytesIO()
    Figure((0.2, 0.2)).savefig(buffer, format="png")
    buffer.seek(0)
    return buffer


def by_xlsxwriter(path, formulas=True):
    """A workbook with macros and all that XlsxWriter can put into one."""
    stub = path.with_name("vbaProject.bin")
    stub.write_bytes(bytes(range(256)) * 20)
    with xlsxwriter.Workbook(path) as book:
        book.add_vba_project(str(stub))
        sheet = book.add_worksheet("Judgments")
        cell = book.add_format({"num_format": "0.0", "bg_color": "#FFEE00", "border": 1})
        for number, row in enumerate(ROWS, 1):
            sheet.write_row(number, 0, row[:3])
            sheet.write_number(number, 3, row[3], cell if number % 3 else None)
        columns = [{"header": name} for name in HEADER]
        sheet.add_table(0, 0, 20, 3, {"columns": columns, "style": "Table Style Medium 4"})
        sheet.freeze_panes(1, 2)
        sheet.write_rich_string("F1", "a", book.add_format({"bold": True}), "b")
        sheet.write_comment("D2", "Are you sure?")
        sheet.write_url("F2", "https://example.org/a?b=1&c=2")
        sheet.write_datetime("F3", datetime.datetime(2026, 3, 4), cell)
        sheet.write_boolean("F4", True)
        sheet.merge_range("F6:G7", "merged")
        sheet.set_row(30, 40, None, {"hidden": True})
        sheet.set_column("C:C", 30, None, {"level": 1})
        sheet.conditional_format("D2:D21", {"type": "icon_set", "icon_style": "3_arrows"})
        sheet.data_validation("D2:D21", {"validate": "integer", "criteria": ">=", "value": 0})
        sheet.add_sparkline("G9", {"range": "Judgments!D2:D21"})
        sheet.insert_textbox("I2", "A note")
        sheet.insert_image("I10", "a.png", {"image_data": picture()})
        chart = book.add_chart({"type": "bar"})
        chart.add_series({"values": "=Judgments!$D$2:$D$21"})
        sheet.insert_chart("I20", chart)
        sheet.protect("", {"objects": True})
        sheet.set_header("&LJudgments", {})
        book.define_name("grades", "=Judgments!$D$2:$D$21")
        other = book.add_worksheet("Sums")
        other.autofilter("A1:C9")
        if formulas:
            other.write_formula("A1", "=AVERAGE(Judgments!D2:D21)", None, 1.5)
            sheet.write_formula("G1", "=D2*2", None, 0)
        else:
            # The library asks for calculation in any case; spreadsheet programs do not.
            book.calc_on_load = False
        line = book.add_chart({"type": "line"})
        line.add_series({"values": "=Judgments!$D$2:$D$21"})
        book.add_chartsheet("Chart").set_chart(line)


def by_openpyxl(path):
    """A workbook as openpyxl writes it, with shared strings."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Judgments"
    for row in [HEADER, *ROWS]:
        sheet.append(row)
    sheet.auto_filter.ref = "A1:D21"
    sheet.auto_filter.add_filter_column(3, ["1", "2"])
    sheet.row_dimensions[4].hidden = True
    sheet["D3"].fill = PatternFill("solid", fgColor="FFEE00")
    sheet["D3"].comment = Comment("why?", "me")
    sheet.freeze_panes = "A2"
    rule = DataValidation(type="list", formula1='"0,1,2,3"')
    rule.add("D2:D21")
    sheet.add_data_validation(rule)
    scale = ColorScaleRule("min", None, "FFFFFF", "max", None, "00FF00")
    sheet.conditional_formatting.add("D2:D21", scale)
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=4, min_row=1, max_row=21))
    sheet.add_chart(chart, "H2")
    sheet.add_image(Image(picture()), "H20")
    book.defined_names["grades"] = DefinedName("grades", attr_text="Judgments!$D$2:$D$21")
    sheet["F1"] = "=SUM(D2:D21)"
    book.save(path)


def with_external_link(path):
    """Have the workbook refer to another one, as programs write it."""
    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    kind = f"{OFFICE}/externalLink".encode()
    link = "xl/externalLinks/externalLink1.xml"
    parts[link] = f'<externalLink xmlns="{MAIN}" xmlns:r="{OFFICE}"/>'.encode()
    for name, end, added in (
        (
            "[Content_Types].xml",
            b"</Types>",
            b'<Override PartName="/%s" ContentType="application/vnd.openxmlformats-officedocument.'
            b'spreadsheetml.externalLink+xml"/>' % link.encode(),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            b"</Relationships>",
            b'<Relationship Id="rIdX" Type="%s" Target="externalLinks/externalLink1.xml"/>' % kind,
        ),
    ):
        parts[name] = parts[name].replace(end, added + end)
    references = b'<externalReferences><externalReference r:id="rIdX"/></externalReferences>'
    main = parts["xl/workbook.xml"]
    parts["xl/workbook.xml"] = main.replace(b"</sheets>", b"</sheets>" + references)
    path.write_bytes(archive(parts))


def understood(path, sheet="Judgments"):
    """The table of grades and its roles."""
    (table,) = [table for table in read(path) if table.sheet == sheet]
    return Understood(table, guess(table).roles)


def grades(path):
    """The grade of each row of the file."""
    part = understood(path)
    column = part.table.columns[part.roles.grade]
    return {int(row): number(cell) for row, cell in zip(part.table.row, column, strict=True)}


def members(data):
    """The content of each part, by name, in the order of the archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        assert package.testzip() is None
        return {info.filename: package.read(info) for info in package.infolist()}


def cells(sheet):
    """Each cell of a sheet's XML as text, by its name."""
    root = ElementTree.fromstring(sheet)
    return {cell.get("r"): ElementTree.tostring(cell) for cell in root.iter(f"{{{MAIN}}}c")}


def without_cells(sheet):
    """The text of a sheet's XML without its cells."""
    return re.sub(rb"<c [^>]*?(?:/>|>.*?</c>)", b"", sheet, flags=re.DOTALL)


@pytest.fixture(params=["xlsxwriter", "openpyxl"])
def book(request, tmp_path):
    """A workbook of either library."""
    path = tmp_path / ("book.xlsm" if request.param == "xlsxwriter" else "book.xlsx")
    {"xlsxwriter": by_xlsxwriter, "openpyxl": by_openpyxl}[request.param](path)
    with_external_link(path)
    return path


def save(path, edits, new_rows=()):
    """Save these grades; the parts before and after."""
    old = members(path.read_bytes())
    save_in_place(understood(path), [GradeEdit(*edit) for edit in edits.items()], new_rows)
    return old, members(path.read_bytes())


def test_only_graded_cells_change(book):
    """Every part is as it was byte for byte, but for the graded cells, and the one flag that has
    formulas worked out anew.
    """
    before = grades(book)
    old, new = save(book, EDITS)
    assert list(new) == list(old)
    assert {name for name in old if new[name] != old[name]} <= {SHEET, "xl/workbook.xml"}
    was, now = cells(old[SHEET]), cells(new[SHEET])
    assert was.keys() == now.keys()
    assert {name for name in was if was[name] != now[name]} == {f"D{row}" for row in EDITS}
    assert without_cells(new[SHEET]) == without_cells(old[SHEET])
    flagged = re.sub(rb' fullCalcOnLoad="1"', b"", new["xl/workbook.xml"])
    assert flagged == re.sub(rb' fullCalcOnLoad="1"', b"", old["xl/workbook.xml"])
    assert b'fullCalcOnLoad="1"' in new["xl/workbook.xml"]
    assert grades(book) == before | EDITS


def test_styles_of_graded_cells_stay(book):
    """A graded cell keeps its style, and so does one whose grade is taken back."""
    old, new = save(book, EDITS)
    for row in EDITS:
        style = [re.search(rb' s="[0-9]+"', cells(part[SHEET])[f"D{row}"]) for part in (old, new)]
        assert (style[0] and style[0][0]) == (style[1] and style[1][0])


def test_a_workbook_without_formulas_is_not_flagged(tmp_path):
    """Where nothing is to be worked out, the workbook's own part stays as it was."""
    path = tmp_path / "book.xlsm"
    by_xlsxwriter(path, formulas=False)
    old, new = save(path, EDITS)
    assert {name for name in old if new[name] != old[name]} == {SHEET}


@pytest.mark.filterwarnings("ignore:.*extension is not supported")
def test_new_rows_come_into_the_table(tmp_path):
    """A table of the spreadsheet program reaches down over rows that are added right below it."""
    path = tmp_path / "book.xlsm"
    by_xlsxwriter(path)
    added = [NewRow("q9", "N1", 3.0), NewRow("q9", "N2", None)]
    old, new = save(path, {2: 1.0}, added)
    table = "xl/tables/table1.xml"
    changed = {name for name in old if new[name] != old[name]}
    assert changed <= {SHEET, table, "xl/workbook.xml"}
    assert new[table] == old[table].replace(b'ref="A1:D21"', b'ref="A1:D23"')
    page = openpyxl.load_workbook(path)["Judgments"]
    (listed,) = page.tables.values()
    assert listed.ref == listed.autoFilter.ref == "A1:D23"
    assert [page["B22"].value, page["D22"].value, page["B23"].value] == ["N1", 3, "N2"]


@pytest.mark.parametrize("totals", [0, 1])
def test_a_table_with_totals_or_rows_below_keeps_its_place(tmp_path, totals):
    """A row of totals, or a note below the table, is not taken in among the rows."""
    path = tmp_path / "book.xlsx"
    book = openpyxl.Workbook()
    for row in [HEADER, *ROWS]:
        book.active.append(row)
    book.active.title = "Judgments"
    book.active.append(["Total", None, None, 30] if totals else [])
    last = 21 + totals
    listed = ExcelTable(displayName="T", ref=f"A1:D{last}", totalsRowCount=totals or None)
    book.active.add_table(listed)
    if not totals:
        book.active["B30"] = "checked by Ann"
    book.save(path)
    old, new = save(path, {}, [NewRow("q9", "N1", 3.0)])
    assert new["xl/tables/table1.xml"] == old["xl/tables/table1.xml"]


# ---- the spreadsheet program itself

soffice = shutil.which("soffice")
needs_office = pytest.mark.skipif(soffice is None, reason="LibreOffice is not here")


def convert(path, kind, folder):
    """What LibreOffice makes of a file."""
    profile = (folder / "profile").as_uri()
    command = [soffice, f"-env:UserInstallation={profile}", "--headless", "--convert-to", kind]
    subprocess.run(
        [*command, "--outdir", str(folder), str(path)], check=True, capture_output=True, timeout=180
    )
    return folder / f"{path.stem}.{kind}"


@pytest.mark.filterwarnings("ignore:.*extension is not supported")
@pytest.mark.slow
@needs_office
def test_libreoffice_reads_what_was_saved(book, tmp_path):
    """LibreOffice opens a workbook with saved grades and finds them."""
    before = grades(book)
    save(book, EDITS)
    out = tmp_path / "out"
    out.mkdir()
    again = convert(book, "xlsx", out)
    assert grades(again) == before | EDITS
    # LibreOffice keeps what Excel seems to have worked out, whatever the file asks for.
    if book.suffix == ".xlsx":
        values = openpyxl.load_workbook(again, data_only=True)
        given = [grade for grade in (before | EDITS).values() if grade is not None]
        assert values["Judgments"]["F1"].value == pytest.approx(sum(given))


@pytest.mark.slow
@needs_office
@pytest.mark.parametrize("kind", ["ods", "xls"])
def test_workbooks_of_libreoffice_take_grades(book, tmp_path, kind):
    """A workbook that LibreOffice wrote, by way of its own or an old format, takes grades."""
    out = tmp_path / "out"
    out.mkdir()
    other = convert(book, kind, out)
    assert grades(other) == grades(book)
    path = convert(other, "xlsx", Path(out))
    before = grades(path)
    old, new = save(path, EDITS)
    assert {name for name in old if new[name] != old[name]} <= {SHEET, "xl/workbook.xml"}
    assert grades(path) == before | EDITS
    assert grades(convert(path, "ods", out)) == before | EDITS
