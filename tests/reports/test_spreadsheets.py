"""Tables as CSV and XLSX: full values, and no text that runs as a formula."""

import math

import pandas as pd
import pytest
from openpyxl import load_workbook
from small_evaluations import NAN, evaluate, worked_example

from ndcg_desktop.files.table import FileError
from ndcg_desktop.reports.spreadsheets import export_csv, export_xlsx
from ndcg_desktop.reports.tables import contribution_table, heading, query_table, with_measure

FORMULAS = ["=cmd|'/c calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "#N/A", "007", "a\x07b"]


@pytest.fixture
def odd_frame():
    """Texts that a spreadsheet program would take for something else."""
    return pd.DataFrame({"=id": FORMULAS, "value": [1 / 3, NAN, *[2.0] * 6]})


def written_cells(path):
    """Every cell of every sheet."""
    return [cell for sheet in load_workbook(path) for row in sheet.rows for cell in row]


def test_csv_keeps_every_digit(tmp_path):
    """Read back, the figures are those of the evaluation to the last bit, and blanks are blank."""
    evaluation = worked_example()
    table = query_table(evaluation, 0)
    export_csv(tmp_path / "t.csv", with_measure(table, evaluation, 0))
    back = pd.read_csv(tmp_path / "t.csv")

    assert back["nDCG"][0] == evaluation.scores().value[0] == pytest.approx(0.7104146679)
    assert back["DCG"][0] == pytest.approx(4.4922828697)
    assert back["ideal DCG"][0] == pytest.approx(6.3234658188)
    assert back["judged in top k"][0] == 4
    assert back["measure"][0] == "nDCG@4"
    assert pd.isna(back["why not scored"][0])


def test_csv_leaves_unjudged_empty(tmp_path):
    """An unjudged document's cells hold nothing."""
    evaluation = evaluate([("q", "A", 1)], [("q", "X"), ("q", "A")])[0]
    export_csv(tmp_path / "t.csv", contribution_table(evaluation, 0, 0))
    lines = (tmp_path / "t.csv").read_text(encoding="utf-8-sig").splitlines()

    assert lines[0].startswith("rank,document,grade,gain,discount")
    assert lines[1].startswith("1,X,,,1.0,,0.0,")


def test_csv_guards_formulas(tmp_path, odd_frame):
    """A quote stands before what would run; other texts and negative numbers stay as they are."""
    odd_frame["value"] = -1.5
    export_csv(tmp_path / "t.csv", odd_frame)
    back = pd.read_csv(tmp_path / "t.csv", dtype=str, keep_default_na=False)

    guarded = [f"'{text}" for text in FORMULAS[:5]]
    assert back["'=id"].tolist() == guarded + FORMULAS[5:]
    assert set(back["value"]) == {"-1.5"}


def test_csv_is_readable_in_a_spreadsheet_program(tmp_path):
    """The encoding is marked, so that Chinese stays Chinese."""
    export_csv(tmp_path / "t.csv", pd.DataFrame({"query": ["靴, ぶーつ"]}))

    assert (tmp_path / "t.csv").read_bytes() == '\ufeffquery\n"靴, ぶーつ"\n'.encode()


def test_xlsx_has_no_formula(tmp_path, odd_frame):
    """Whatever a text begins with, its cell is text and says that it is meant so."""
    lines = [("=label", "=1+1")]
    export_xlsx(tmp_path / "t.xlsx", {"odd": (lines, odd_frame)})
    cells = written_cells(tmp_path / "t.xlsx")

    assert {cell.data_type for cell in cells if cell.value is not None} == {"s", "n"}
    sheet = load_workbook(tmp_path / "t.xlsx")["odd"]
    assert [cell.value for cell in sheet["A"]][2:] == ["=id", *FORMULAS[:7], "a\ufffdb"]
    assert sheet["B1"].value == "=1+1"
    assert [cell.quotePrefix for cell in sheet["A"]][3:10] == [True] * 5 + [False] * 2
    assert math.isclose(sheet["B4"].value, 1 / 3)
    assert sheet["B5"].value is None


def test_xlsx_keeps_full_values(tmp_path):
    """A cell shows three decimals and holds them all; grades and counts show as they are."""
    evaluation = worked_example()
    sheets = {
        "queries": (heading(evaluation, 0, "Queries"), query_table(evaluation, 0)),
        "q1": (heading(evaluation, 0, "Sum", 0), contribution_table(evaluation, 0, 0)),
    }
    export_xlsx(tmp_path / "t.xlsx", sheets)
    book = load_workbook(tmp_path / "t.xlsx")
    rows = list(book["queries"].rows)
    header = {cell.value: cell.column for cell in rows[-2]}
    score = rows[-1][header["nDCG"] - 1]

    assert score.value == evaluation.scores().value[0]
    assert score.number_format == "0.000"
    assert rows[-1][header["judged in top k"] - 1].number_format == "General"
    assert rows[-2][0].font.bold
    assert book["queries"].freeze_panes == f"A{len(rows)}"
    words = {row[0].value: row[1].value for row in rows[: len(sheets["queries"][0])]}
    assert words["Measure"] == "nDCG@4"
    assert words["Mean"] == "mean nDCG@4 0.710 (n = 1)"
    grade = next(cell for cell in book["q1"]["C"] if cell.value == 3)
    assert grade.number_format == "General"


def test_xlsx_decimals(tmp_path):
    """The number of decimals is the one chosen, none among them."""
    for decimals, shown in ((6, "0.000000"), (0, "0")):
        export_xlsx(tmp_path / "t.xlsx", {"s": ([], pd.DataFrame({"x": [0.5]}))}, decimals)

        assert load_workbook(tmp_path / "t.xlsx")["s"]["A3"].number_format == shown


def test_xlsx_sheet_names(tmp_path):
    """Any query may name a sheet: what Excel refuses is replaced, and names stay apart."""
    empty = ([], pd.DataFrame({"x": [1]}))
    titles = ["a/b?*[x]:\\", "A/B?*[x]:\\", "'" + "long " * 20, "''", "靴"]
    export_xlsx(tmp_path / "t.xlsx", dict.fromkeys(titles, empty))
    names = load_workbook(tmp_path / "t.xlsx").sheetnames

    assert len({name.casefold() for name in names}) == len(titles)
    assert all(len(name) <= 31 and not set(name) & set("[]:*?/\\") for name in names)


def test_empty_table(tmp_path):
    """A table without rows is a header."""
    frame = query_table(evaluate([], [])[0], None)
    export_csv(tmp_path / "t.csv", frame)
    export_xlsx(tmp_path / "t.xlsx", {"s": ([], frame)})

    assert load_workbook(tmp_path / "t.xlsx")["s"]["A2"].value == "query"


def test_failure_is_said(tmp_path):
    """A folder that is not there is a FileError, for either format."""
    frame = pd.DataFrame({"x": [1]})
    with pytest.raises(FileError):
        export_csv(tmp_path / "no" / "t.csv", frame)
    with pytest.raises(FileError):
        export_xlsx(tmp_path / "no" / "t.xlsx", {"s": ([], frame)})
