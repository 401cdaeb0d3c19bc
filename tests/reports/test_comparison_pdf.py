"""The report on paper, read back as text with poppler's pdftotext."""

import shutil
import subprocess
import sys

import pytest
from compared import DIGEST, compared, request_of
from PySide6.QtCore import QRunnable, QThreadPool

from ndcg_desktop.reports.comparison_content import ReportFile, content_of
from ndcg_desktop.reports.comparison_pdf import export_comparison_pdf

pytestmark = pytest.mark.usefixtures("qapp")

LONG = "the production ranking of the shop as it was on the fourteenth of March with all filters"

LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}


@pytest.fixture
def pages(tmp_path):
    """Export and give the text of each page."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not installed")

    def export(content):
        path = tmp_path / "report.pdf"
        export_comparison_pdf(path, content)
        command = ["pdftotext", "-layout", str(path), "-"]
        text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
        return text.split("\f")[:-1]

    return export


def words_of(text):
    """The words of a page, whatever its lines are, without the ligatures of some fonts."""
    for ligature, letters in LIGATURES.items():
        text = text.replace(ligature, letters)
    return " ".join(text.split())


def assert_stands_alone(page, content, answers):
    """The page says what was compared, the answers, under which settings, of which files, when."""
    words = words_of(page)
    assert words_of(content.title) in words
    assert [words_of(each.answer) in words for each in content.versus] == answers
    for line in content.compared:
        assert words_of(line) in words
    for label, text in content.options:
        assert label in words
        assert words_of(text) in words
    for name, digest in content.files.rows:
        assert f"{digest} {name}" in words
    assert content.day in words
    assert content.program in words
    assert content.measure in words
    assert "Difference of each query" in words  # the chart, whose letters are text
    assert "Queries that B scores lowest" in words
    assert "Queries that change most" in words


@pytest.mark.parametrize(("queries", "rankings"), [(1, 2), (30, 4), (12, 8)])
def test_first_page_stands_alone(pages, queries, rankings):
    """Whatever is compared, the first page has all that a meeting needs; of many candidates the
    answers stand further on, but for the first.
    """
    names = [f"ranking {number}" for number in range(rankings)]
    content = content_of(request_of(compared(queries, names)))
    texts = pages(content)
    told = rankings - 1 if rankings < 5 else 3
    answers = [place < told for place in range(rankings - 1)]
    assert_stands_alone(texts[0], content, answers)
    for query, *_ in content.versus[0].changed.rows[:1]:
        assert query in texts[0]
    for number, text in enumerate(texts, start=1):
        assert f"page {number} of {len(texts)}" in text


def test_rest(pages):
    """What follows has every table whole, with its caption, and what is to be known of the data."""
    content = content_of(request_of(compared(25, ["production", "candidate", "neural"])))
    texts = pages(content)
    words = words_of("".join(texts[1:]))
    for table in content.tables:
        if table in (content.rankings, content.files):
            continue
        assert words_of(table.caption) in words
        for row in table.rows:
            assert row[0] in words
    assert "note: run.csv, row 3: Something <odd>." in words
    for each in content.versus:
        assert all(line in words for line in (*each.influences, each.settings))


def test_long_names(pages):
    """A long name stands whole where it is said what was compared, and is cut elsewhere."""
    content = content_of(request_of(compared(30, [LONG, f"={LONG} 2"])))
    texts = pages(content)
    words = words_of(texts[0])
    assert words.count(LONG) == 2
    assert "the production ranking of the shop as it was on the fourtee…" in words
    assert DIGEST in words
    assert "A tie is" in words


def test_text_of_files_is_shown_as_it_is(pages):
    """Neither HTML nor mathematics nor Chinese is lost."""
    content = content_of(request_of(compared(3, ["靴 <b>x</b> $y$", "新しい候補"])))
    words = words_of(pages(content)[0])
    assert "“靴 <b>x</b> $y$”" in words
    assert "新しい候補" in words


def test_many_files(pages):
    """More files than the first page has room for stand at the end."""
    files = tuple(ReportFile(f"file{number}.csv", DIGEST) for number in range(20))
    content = content_of(request_of(compared(10, ["a", "b"]), files=files))
    texts = pages(content)
    assert "and 12 more at the end" in words_of(texts[0])
    assert "file19.csv" in words_of(texts[-1])


def test_on_a_thread(tmp_path):
    """A report can be made on a thread of the pool, as the window does."""
    path = tmp_path / "report.pdf"
    content = content_of(request_of(compared(3, ["a", "b"])))
    pool = QThreadPool()
    pool.start(QRunnable.create(lambda: export_comparison_pdf(path, content)))
    assert pool.waitForDone(20_000)
    assert path.read_bytes().startswith(b"%PDF")


def test_without_an_application(tmp_path):
    """Without a window, and without a screen, a report is made all the same."""
    script = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from pathlib import Path\n"
        "from compared import compared, request_of\n"
        "from ndcg_desktop.reports.comparison_report import write_report\n"
        f"write_report(Path({str(tmp_path / 'r.pdf')!r}), request_of(compared(3, ['a', 'b'])))\n"
        "assert 'PySide6.QtWidgets' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
    assert (tmp_path / "r.pdf").stat().st_size > 10_000
