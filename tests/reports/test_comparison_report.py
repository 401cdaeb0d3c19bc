"""The one entry point: a report is written as the name of its file asks for."""

import csv
import re

import openpyxl
import pytest
from compared import DIGEST, compared, request_of

from ndcg_desktop.files.table import FileError
from ndcg_desktop.reports import live_layout
from ndcg_desktop.reports.comparison_content import content_of
from ndcg_desktop.reports.comparison_report import SUFFIXES, about, write_report

pytestmark = pytest.mark.usefixtures("qapp")

BEGIN = {
    ".pdf": b"%PDF",
    ".html": b"<!DOCTYPE html>",
    ".xlsx": b"PK",
    ".csv": b"\xef\xbb\xbfReport,",
    ".md": b"# ",
    ".tex": b"% Report: ",
}


@pytest.fixture(scope="module")
def evaluation():
    """Three rankings, one of whose names is none of a command's."""
    return compared(6, ["production", "=50%_off", "neural"])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_suffixes(evaluation, tmp_path, suffix):
    """Each suffix, in capitals too, gives a file of its kind, in the place of an old one."""
    path = tmp_path / f"report{suffix.upper()}"
    path.write_text("old")
    write_report(path, request_of(evaluation))
    assert path.read_bytes().startswith(BEGIN[suffix])
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_unknown_suffix(evaluation, tmp_path):
    """What cannot be written is refused, with what can."""
    with pytest.raises(FileError, match=r"report.docx: A report is written as one of .pdf, "):
        write_report(tmp_path / "report.docx", request_of(evaluation))


def test_a_folder_that_is_not_there(evaluation, tmp_path):
    """A file that cannot be written is told by its name."""
    with pytest.raises(FileError, match="is not there"):
        write_report(tmp_path / "nowhere" / "report.md", request_of(evaluation))


def test_a_workbook_that_would_be_too_large(evaluation, tmp_path, monkeypatch):
    """It is refused in words, and the old file stays."""
    monkeypatch.setattr(live_layout, "MOST_FORMULAS", 10)
    path = tmp_path / "report.xlsx"
    path.write_text("old")
    with pytest.raises(FileError, match="Take fewer queries or rankings"):
        write_report(path, request_of(evaluation))
    assert path.read_text() == "old"


@pytest.mark.parametrize("suffix", [".md", ".tex", ".csv"])
def test_text(evaluation, tmp_path, suffix):
    """Every answer, setting, table and file stands in the report as text."""
    path = tmp_path / f"report{suffix}"
    request = request_of(evaluation)
    write_report(path, request)
    text = path.read_text("utf-8-sig")
    content = content_of(request)
    plain = text.replace("\\", "")
    if suffix == ".csv":
        plain = " ".join(cell for row in csv.reader(text.splitlines()) for cell in row)
    for each in content.versus:
        assert each.answer in plain
    for label, words in content.options:
        assert f"{label}: {words}" in plain or f"{label} {words}" in plain
    for table in content.tables:
        assert table.title in plain
    assert DIGEST in plain


def test_csv_is_safe(evaluation, tmp_path):
    """No cell is a formula."""
    path = tmp_path / "report.csv"
    write_report(path, request_of(evaluation))
    for row in csv.reader(path.read_text("utf-8-sig").splitlines()):
        for cell in row:
            assert not cell.startswith(("=", "@"))
            assert re.fullmatch(r"[+-][\d.]+", cell) or not cell.startswith(("+", "-"))


def test_workbook_has_the_report(evaluation, tmp_path):
    """Beside the sheets that calculate there is the report as it was."""
    path = tmp_path / "report.xlsx"
    request = request_of(evaluation)
    write_report(path, request)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == [
        "Settings", "Scores", "Judgments", "Rankings", "Ideal", "Discounts", "Report",
    ]  # fmt: skip
    cells = {cell.value for row in book["Report"].iter_rows() for cell in row}
    content = content_of(request)
    assert {text for _, text in about(content)} <= cells
    assert {table.caption for table in content.tables if table.rows} <= cells
    assert DIGEST in cells
