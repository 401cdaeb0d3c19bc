"""A teacher's sheet on paper and as a workbook, with and without answers."""

from __future__ import annotations

import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest
from openpyxl import load_workbook

from ndcg_desktop.evaluation.question import Question
from ndcg_desktop.files.lesson_file import lesson_of, read_lesson
from ndcg_desktop.files.table import FileError
from ndcg_desktop.reports.question_sheet import (
    export_question_pdf,
    export_question_xlsx,
    mistakes_line,
)
from ndcg_desktop.resources import lessons

HOSTILE = """# <b>T</b>
```ranking =1+1
=HYPERLINK("x") 3
<img src=x> 0
B 2
```
question: dcg k=3
question: which-gain k=3
question: swap k=3
question: gain grade=2 gain=exponential
"""


@pytest.fixture
def questions() -> list[Question]:
    """Those of the lesson on the ideal."""
    return read_lesson(lessons()[1]).questions


@pytest.fixture
def hostile() -> list[Question]:
    """About documents called like formulas and like HTML."""
    return lesson_of(Path("x.md"), HOSTILE.encode()).questions


def pdf_text(path: Path) -> str:
    """What stands on the pages."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not installed")
    done = subprocess.run(
        ["pdftotext", "-layout", str(path), "-"], capture_output=True, check=True, text=True
    )
    # The "fi" of "first" is one letter in print.
    return " ".join(unicodedata.normalize("NFKC", done.stdout).split())


def cells(path: Path) -> list:
    """Every cell that holds something, in the order of the rows."""
    sheet = load_workbook(path).active
    return [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]


def test_pdf_without_answers(qapp, tmp_path: Path, questions) -> None:
    """Questions, tables, a line for the name; no answer and no sum."""
    export_question_pdf(tmp_path / "q.pdf", "The ideal", questions, answers=False)
    text = pdf_text(tmp_path / "q.pdf")

    assert "Name" in text and "Date" in text
    assert all(f"{n}. {question.text}" in text for n, question in enumerate(questions, start=1))
    assert "missed E 3" in text
    assert text.count("Query: running shoes") == 1  # once for all questions about it
    assert "0.710" not in text and "6.323" not in text


def test_pdf_with_answers(qapp, tmp_path: Path, questions) -> None:
    """Answers, sums written out, and the mistakes to look for."""
    export_question_pdf(tmp_path / "a.pdf", "The ideal", questions, answers=True)
    text = pdf_text(tmp_path / "a.pdf")

    assert "With answers" in text and " Date " not in text
    for question in questions:
        assert question.answer.text in text
        assert all(line in text for line in question.explanation)
    assert "0.943 when the ideal is built from the returned documents only" in text


def test_xlsx_without_answers(tmp_path: Path, questions) -> None:
    """A cell for each answer, empty; no sum anywhere."""
    export_question_xlsx(tmp_path / "q.xlsx", "The ideal", questions, answers=False)
    sheet = load_workbook(tmp_path / "q.xlsx").active
    texts = [str(cell.value) for cell in cells(tmp_path / "q.xlsx")]
    rooms = [cell for cell in sheet["B"] if cell.value == "Answer"]

    assert sheet.title == "Questions"
    assert len(rooms) == len(questions)
    assert all(cell.offset(0, 1).value is None for cell in rooms)
    assert not any("0.710" in text or "6.323" in text for text in texts)


def test_xlsx_with_answers(tmp_path: Path, questions) -> None:
    """The answers are numbers at full precision, shown as they are asked for."""
    export_question_xlsx(tmp_path / "a.xlsx", "The ideal", questions, answers=True)
    sheet = load_workbook(tmp_path / "a.xlsx").active
    answers = [cell.offset(0, 1) for cell in sheet["B"] if cell.value == "Answer"]
    texts = [cell.value for cell in cells(tmp_path / "a.xlsx")]

    assert answers[0].value == "A, E, D, B"
    assert answers[2].value == pytest.approx(0.7104, abs=5e-5)
    assert answers[2].number_format == "0.000"
    assert "nDCG@4 = 4.492 / 6.323 = 0.710" in texts


def test_nothing_is_run(qapp, tmp_path: Path, hostile) -> None:
    """A document called like a formula is a text, and one called like HTML is no HTML."""
    for answers in (False, True):
        export_question_xlsx(tmp_path / "h.xlsx", "=1+1", hostile, answers)
        assert all(cell.data_type != "f" for cell in cells(tmp_path / "h.xlsx"))
        export_question_pdf(tmp_path / "h.pdf", "<b>T</b>", hostile, answers)
        text = pdf_text(tmp_path / "h.pdf")
        assert "<b>T</b>" in text and "<img src=x>" in text


def test_long_sheets_run_over_pages(qapp, tmp_path: Path, questions) -> None:
    """Forty questions stand on several pages, none of them broken in two."""
    export_question_pdf(tmp_path / "l.pdf", "Long", questions * 8, answers=False)
    text = pdf_text(tmp_path / "l.pdf")
    assert "40. " in text and "page 1 of 1" not in text


def test_refused(tmp_path: Path, questions) -> None:
    """A folder that is not there is said, and nothing is written."""
    with pytest.raises(FileError, match="not there"):
        export_question_xlsx(tmp_path / "none" / "q.xlsx", "T", questions, answers=False)


def test_mistakes_in_a_line(questions) -> None:
    """The likeliest wrong figures, each once, and none for a choice."""
    assert mistakes_line(questions[2]).startswith("0.943 when the ideal is built from the returned")
    assert mistakes_line(questions[0]) == ""
