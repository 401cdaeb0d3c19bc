"""Tables of web pages and of Excel 2003 XML, both often named .xls."""

import html
from pathlib import Path
from unittest import mock

import pytest
from build import rows_of, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.files import cell_grid, web_page
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.read import read, read_bytes
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.save import can_patch
from ndcg_desktop.files.table import Cancelled, FileError

HEADER = "<tr><th>query</th><th>docid</th><th>grade</th></tr>"


def page(rows, header=HEADER):
    """A page with one table."""
    return f"<html><body><table>{header}{rows}</table></body></html>"


def refusal(data):
    """The sentence that a page is refused with."""
    with pytest.raises(FileError) as caught:
        read_bytes(Path("x.xls"), data.encode())
    return str(caught.value)


def test_a_page():
    """Header, rows and cells of a table are told, and blanks and breaks in a cell are one space."""
    table = table_of(
        page("<tr><td> red\n shoes<td>A&amp;B &#228;<td>3</td></tr><tr><td>hat<td>C<br>D<td>&nbsp;")
    )
    assert (table.kind, table.sheet) == ("workbook", "Table 1")
    assert table.header == ("query", "docid", "grade")
    assert rows_of(table) == [["red shoes", "A&B ä", "3"], ["hat", "C D", ""]]
    assert table.row.tolist() == [2, 3]


@pytest.mark.parametrize(
    "start",
    [
        "<table>",
        "<!DOCTYPE html>\n<html><table>",
        '<?xml version="1.0"?><html xmlns:x="urn:schemas-microsoft-com:office:excel"><table>',
        "<!-- by a - program --><HTML><HEAD><STYLE>td{color:red}</STYLE></HEAD><TABLE>",
        "\ufeff  <html><script>if (a<b) '<table>'</script><table>",
        "<html><![if !supportMisalignedColumns]><table>",
    ],
)
def test_pages_of_many_programs(start):
    """A page is told by its tags, in any case, whatever stands above its table."""
    table = table_of(f"{start}{HEADER}<tr><td>q<td>d<td>1</table>", name="x.xls")
    assert rows_of(table) == [["q", "d", "1"]]


def test_spans():
    """A cell over several rows stands for each of them; over several columns it leaves blanks."""
    table = table_of(
        page(
            "<tr><td rowspan=3>q<td>a<td>1</tr><tr><td>b<td>2</tr><tr><td colspan='2'>c</tr>"
            "<tr><td>r<td>d<td rowspan=9>0</tr><tr><td>s<td>e</tr>"
        )
    )
    assert rows_of(table) == [
        ["q", "a", "1"],
        ["q", "b", "2"],
        ["q", "c", ""],
        ["r", "d", "0"],
        ["s", "e", "0"],
    ]


def test_several_tables():
    """Each table is one, also inside a cell of another, and is called by its place."""
    text = (
        f"<table><tr><td>menu<td><table>{HEADER}<tr><td>q<td>d<td>1</table>x</table><table></table>"
    )
    outer, inner = read_bytes(Path("x"), f"<html>{text}".encode())
    assert (outer.sheet, rows_of(outer)) == ("Table 1", [["menu", "x"]])
    assert (inner.sheet, rows_of(inner)) == ("Table 2", [["q", "d", "1"]])


def test_header_cells():
    """A first row of header cells is the header, even where its words and the cells do not say."""
    (table,) = read_bytes(Path("x"), page("<tr><td>a<td>b", "<tr><th>x<th>y").encode())
    assert table.header == ("x", "y")


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1251", "shift_jis", "utf-16"])
def test_encodings(encoding):
    """The encoding is the one that the page declares, or that its first bytes show."""
    meta = f'<meta http-equiv=Content-Type content="text/html; charset={encoding}">'
    text = f"<html><head>{meta}</head>" + page("<tr><td>тест<td>d<td>1")
    (table,) = read_bytes(Path("x"), text.encode(encoding))
    assert table.columns[0] == ["тест"]


def test_pages_without_a_table():
    """A page without a table, the frame of a saved workbook and a web archive say what to do."""
    assert "no table" in refusal("<html><body>Please log in</body></html>")
    assert "no table" in refusal("<html><table></table></html>")
    assert "folder beside it" in refusal("<html><frameset><frame src=sheet001.htm></frameset>")
    mht = 'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="b"\n\n--b\n'
    assert "web archive" in refusal(mht)


def test_text_with_tags_is_no_page():
    """A table of delimited text whose cells hold markup is not taken for a page."""
    table = table_of("query,docid,grade\n<table>,<b>x</b>,1\n")
    assert (table.kind, rows_of(table)) == ("delimited", [["<table>", "<b>x</b>", "1"]])


def test_grades_do_not_go_back(tmp_path):
    """Grades cannot be written into a page."""
    path = tmp_path / "x.xls"
    path.write_text(page("<tr><td>q<td>d<td>1"))
    (table,) = read(path)
    assert ".xlsx" in can_patch(Understood(table, guess(table).roles))


def test_cells_beyond_measure():
    """Spans that would fill the memory, tags that never end and endless tables are refused."""
    with mock.patch.object(cell_grid, "MOST_CELLS", 5_000):
        row = "<tr><td colspan=1000 rowspan=9>x</tr>"
        assert "too many cells" in refusal(page(row * 6))
        assert "too many cells" in refusal(page("<tr><td colspan=1000 rowspan=90>x" + "<tr>" * 9))
    assert "too many cells" in refusal(page("<td colspan=1000>x" * 17))
    with mock.patch.multiple(web_page, PIECE=100, LONGEST_TAG=1000):
        assert "does not end" in refusal("<html><table><tr><td>" + "<a " * 1000)
        assert "does not end" in refusal("<html><table><tr><td><!--" + "-" * 2000)
    assert "1,000 tables" in refusal("<html>" + "<table>" * 1001)
    assert refusal("<html><table><![foo bar")


def test_a_short_row_among_wide_ones():
    """Rows are filled up to the width of the widest, as long as that is not most of the table."""
    table = table_of(page("<tr><td>q<td>d<td>1<td>more</tr><tr><td>r"))
    assert rows_of(table) == [["q", "d", "1", "more"], ["r", "", "", ""]]


def test_pieces():
    """A page reads the same in whatever pieces it is parsed, and may be given up between two."""
    text = page("<tr><td>a &amp; b<td><!-- no -->d<td>1<br>2</td></tr>" * 3)
    whole = rows_of(table_of(text))
    for size in range(1, 40):
        with mock.patch.object(web_page, "PIECE", size):
            assert rows_of(table_of(text)) == whole
    with pytest.raises(Cancelled):
        read_bytes(Path("x"), text.encode(), cancelled=lambda: True)


CELL = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), max_size=6
)


@given(st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=5))
@settings(max_examples=80)
def test_any_cells_are_read_back(rows):
    """Whatever text stands in the cells of a page is read back, rows of nothing left out."""
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    data = page(f"<tr><td>q<td>d<td>1</tr>{body}").encode()
    (table,) = read_bytes(Path("x"), data)
    assert rows_of(table) == [["q", "d", "1"], *[row for row in rows if any(row)]]


TAGS = (
    *("<table>", "</table>", "<tr>", "<td>", "</td>", "<td rowspan=3>", "<th colspan=2>"),
    *("<!--", "-->", "<![", "<script>", "</script>", "<td colspan=", "&#x", "<", ">", '"', "'"),
)


@given(st.lists(st.sampled_from(TAGS) | st.text(max_size=3), max_size=30))
@settings(max_examples=200)
def test_any_tags(parts):
    """Whatever tags follow one another make tables of even rows, or a file that is refused."""
    data = ("<html><table>" + "".join(parts)).encode("utf-8", "replace")
    try:
        tables = read_bytes(Path("x"), data)
    except FileError:
        return
    for table in tables:
        assert {len(column) for column in table.columns} == {len(table)}


# ---- Excel 2003 XML

SPREADSHEET = (
    '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>'
    '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" '
    'xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">'
)


def sheet(rows, name="Grades"):
    """A sheet below the header query, docid, grade."""
    header = "<Row>" + "".join(map(text_cell, ("query", "docid", "grade"))) + "</Row>"
    return f'<Worksheet ss:Name="{name}"><Table>{header}{rows}</Table></Worksheet>'


def text_cell(text, kind="String", index=None, merge_down=0):
    """A cell of text, or of another type, perhaps in the column of this number."""
    attributes = f'ss:MergeDown="{merge_down}"' + (f' ss:Index="{index}"' if index else "")
    return f'<Cell {attributes}><Data ss:Type="{kind}">{text}</Data></Cell>'


def test_spreadsheet_xml():
    """Sheets, typed cells, skipped rows and columns, and merged cells are as Excel has them."""
    rows = (
        f'<Row ss:Index="4">{text_cell("q", merge_down=1)}{text_cell("a &amp; b")}'
        f"{text_cell('2.5', kind='Number')}</Row>"
        f"<Row>{text_cell('c', index=2)}</Row>"
        f"<Row>{text_cell('r')}{text_cell(12, kind='Number')}{text_cell(1, kind='Boolean')}</Row>"
    )
    data = f"{SPREADSHEET}{sheet(rows)}{sheet('', 'Empty')}<Other/></Workbook>"
    first, second = read_bytes(Path("x.xls"), data.encode())
    assert (first.kind, first.sheet, first.header) == ("workbook", "Grades", second.header)
    assert rows_of(first) == [["q", "a & b", 2.5], ["q", "c", ""], ["r", 12.0, True]]
    assert first.row.tolist() == [4, 5, 6]
    assert len(second) == 0


@pytest.mark.parametrize(
    "text",
    [
        SPREADSHEET,
        SPREADSHEET + sheet("<Row>") + "</Workbook>",
        SPREADSHEET + sheet(f"<Row>{text_cell('x', kind='Number')}</Row>") + "</Workbook>",
        SPREADSHEET + sheet(f"<Row>{text_cell('x', index=99999)}</Row>") + "</Workbook>",
        SPREADSHEET + sheet('<Row ss:Index="0"/>') + "</Workbook>",
        SPREADSHEET.replace("<Workbook", '<!DOCTYPE x [<!ENTITY a "b">]><Workbook'),
        SPREADSHEET + "</Workbook>",
    ],
)
def test_spreadsheet_xml_that_is_damaged(text):
    """An XML workbook that is cut, holds no table or says what cannot be is refused."""
    assert refusal(text).startswith("x.xls: ")


@given(st.text(alphabet='<>/="RowCelDat ss:Index1', max_size=80))
def test_any_xml(tail):
    """Whatever follows the start of an XML workbook is read, or refused as a file."""
    try:
        tables = read_bytes(Path("x"), (SPREADSHEET + sheet("") + tail).encode())
    except FileError:
        return
    assert tables
