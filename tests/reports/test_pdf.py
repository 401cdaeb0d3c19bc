"""The PDF summary, read back as text with poppler's pdftotext."""

import re
import shutil
import subprocess
import sys

import pytest
from small_evaluations import (
    WORKED_JUDGMENTS,
    WORKED_RANKING,
    evaluate,
    many_queries,
    worked_example,
)

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.files.table import FileError
from ndcg_desktop.reports.pdf import export_pdf

pytestmark = pytest.mark.usefixtures("qapp")

ODD = "靴 <b>x</b> $y$ & z"


@pytest.fixture
def pages(tmp_path):
    """Export and give the text of each page."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not installed")

    def export(evaluation, ranking=0, query=0, decimals=3, findings=()):
        path = tmp_path / "summary.pdf"
        export_pdf(path, evaluation, ranking, query, decimals, findings)
        command = ["pdftotext", "-layout", str(path), "-"]
        text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
        return text.split("\f")[:-1]

    return export


def test_worked_example(pages):
    """Figures, measure, chart and sentence are there, as text."""
    (page,) = pages(worked_example())
    words = " ".join(page.split())

    assert re.search(r"^ *0\.710\b", page, re.MULTILINE)
    assert "mean nDCG@4 0.710 (n = 1)" in page
    assert "Measure: nDCG@4" in page
    assert page.count("linear gain, ideal from all judged") >= 3
    assert "DCG 4.492 of an ideal 6.323" in words
    assert "Missed: E (grade 3, lost 1.893)" in words
    assert "discounted gain" in page
    assert re.search(r"running shoes \(q1\) +0\.710 +4\.492 +6\.323 +4/4", page)
    assert "judgments.xlsx, sheet “grades”" in page
    assert "page 1 of 1" in page


def test_decimals(pages):
    """All figures have the decimals that were chosen."""
    (page,) = pages(worked_example(), decimals=6)

    assert "0.710415" in page
    assert "4.492283" in page


def test_many_queries(pages):
    """The table runs over pages with measure and header on each, and has every query once."""
    evaluation = many_queries(200)
    texts = pages(evaluation)

    assert len(texts) > 3
    for number, text in enumerate(texts, start=1):
        assert f"page {number} of {len(texts)}" in text
        assert "nDCG@10 · linear gain, ideal from all judged" in text
        assert re.search(r"query +nDCG +between +DCG +ideal DCG +judged +why not scored", text)
    table = "".join(texts[1:])
    assert all(table.count(f"({query})") == 1 for query in evaluation.queries)
    assert "The 10 queries that score lowest" in texts[0]
    assert "absent from the" in texts[0]


@pytest.mark.parametrize("count", [10, 11, 44, 46, 64, 73, 150])
def test_every_query_stands_once(pages, count):
    """Wherever a page ends, no row is lost or printed twice, and the findings come at the end."""
    evaluation = many_queries(count)
    text = pages(evaluation, findings=[Finding("note", "x", "The last line.")])
    table = "".join(text).split("Every query")

    assert len(table) == 2
    assert all(table[1].count(f"({query})") == 1 for query in evaluation.queries)
    assert "The last line." in text[-1]


def test_rows_of_several_lines(pages):
    """Long rows fill a page too, each of which is printed once."""
    texts = {f"q{number}": f"{number} " + "very long words " * 20 for number in range(90)}
    judged = [(query, "A", 1) for query in texts]
    text = pages(evaluate(judged, [(query, "A") for query in texts], texts)[0])

    assert len(text) > 8
    table = "".join(text).split("Every query")[1]
    assert all(table.count(f"({query})") == 1 for query in texts)


def test_endless_ids_are_cut(pages):
    """An id of a hundred thousand letters fills no pages."""
    endless = "x" * 100_000
    found = [Finding("warning", "x", f"“{endless}” is returned twice.")]
    evaluation = evaluate([(endless, endless, 1), (endless, "B", 0)], [(endless, "B")])[0]

    assert len(pages(evaluation, findings=found)) <= 2


def test_findings(pages):
    """The first fifty are listed with their place, and how many more there are."""
    source = Source("run.csv")
    findings = [Finding("warning", "x", f"Something <{n}>.", source, n) for n in range(1, 61)]
    text = "".join(pages(worked_example(), findings=findings))

    assert "warning run.csv, row 50: Something <50>." in text
    assert "Something <51>" not in text
    assert "… and 10 more." in text


def test_text_of_files_is_shown_as_it_is(pages):
    """Neither HTML nor mathematics nor Chinese is lost."""
    judged = [(ODD, "<i>&amp;", 3), (ODD, "=1", 1)]
    text = "".join(pages(evaluate(judged, [(ODD, "=1")])[0]))

    assert text.count("<b>x</b> $y$ & z") == 3
    assert "<i>&amp; (grade 3" in text


def test_options_that_differ(pages):
    """What is not the default is named, and so is every gain of a table."""
    evaluation = evaluate(
        WORKED_JUDGMENTS,
        WORKED_RANKING,
        gain="table",
        gain_table=((0, 0), (1, 1), (2, 5), (3, 9)),
        cutoff=None,
        ideal="returned",
    )[0]
    text = "".join(pages(evaluation))

    assert "gain table: 0 → 0, 1 → 1, 2 → 5, 3 → 9" in text
    assert "ideal from the returned only" in text
    assert "Missed" not in text


def test_range_under_unjudged(pages):
    """Where blanks are in the top k the possible range is said."""
    (page,) = pages(evaluate([("q", "A", 1)], [("q", "X"), ("q", "A")])[0])
    words = " ".join(page.split())

    assert "every document of the top 10 judged, the score would lie between" in words
    assert "k is 10, this ranking has 2 documents" in words


def test_no_judgments(pages):
    """No score is shown, and no 0."""
    (page,) = pages(evaluate([], WORKED_RANKING)[0])

    assert "mean nDCG@10 – (no query is scored)" in page
    assert "0.000" not in page


def test_no_ranking(pages):
    """The ideal alone."""
    (page,) = pages(evaluate(WORKED_JUDGMENTS, [])[0], ranking=None)

    assert "Judgments without a ranking" in page
    assert "6.323" in page


def test_undefined_query(pages):
    """A dash with the reason."""
    (page,) = pages(evaluate([("q1", "A", 0)], WORKED_RANKING)[0])

    assert "Every grade of this query is 0: there is nothing to normalise by." in page


def test_no_query(pages):
    """Nothing at all is still a page."""
    (page,) = pages(evaluate([], [])[0], ranking=None, query=None)

    assert "page 1 of 1" in page


def test_long_ids_stay_on_the_page(pages):
    """An id without a space is broken, and the figures beside it are still there."""
    (page,) = pages(evaluate([("x" * 300, "A", 1)], [("x" * 300, "A")])[0])

    assert re.search(r"x +1\.000 +1\.000 +1\.000 +1/1", page)


def test_no_raster(tmp_path):
    """The chart is drawn in vectors."""
    export_pdf(tmp_path / "t.pdf", worked_example(), 0, 0, 3, [])

    assert b"/Subtype /Image" not in (tmp_path / "t.pdf").read_bytes()


def test_failure_is_said(tmp_path):
    """A folder that is not there is a FileError."""
    with pytest.raises(FileError):
        export_pdf(tmp_path / "no" / "t.pdf", worked_example(), 0, 0, 3, [])


def test_without_an_application(tmp_path):
    """A program without a window can make one too."""
    code = (
        "from pathlib import Path\n"
        "from small_evaluations import worked_example\n"
        "from ndcg_desktop.reports.pdf import export_pdf\n"
        "export_pdf(Path('t.pdf'), worked_example(), 0, 0, 3, [])\n"
    )
    paths = f"import sys; sys.path[:0] = {sys.path!r}\n"
    subprocess.run([sys.executable, "-c", paths + code], cwd=tmp_path, check=True)

    assert (tmp_path / "t.pdf").read_bytes().startswith(b"%PDF")
