"""``ndcg compare``: what it tells, the reports it writes, and what it refuses."""

import contextlib
import csv
import hashlib
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from build import CHECKOUT
from scipy import stats

from ndcg_desktop.cli import main

QUERIES = 14


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Judgments and three rankings, of which each is better than the one before it."""
    folder = tmp_path_factory.mktemp("compare")
    random = np.random.default_rng(5)
    judged, runs = ["query,docid,grade"], [["query,docid,rank"] for _ in range(3)]
    for query in range(QUERIES):
        grades = random.integers(0, 4, 15)
        judged += [f"q{query},d{place},{grade}" for place, grade in enumerate(grades)]
        for number, run in enumerate(runs):
            order = np.argsort(-(grades + random.normal(0, 2.4 / (number + 1), 15)))
            run += [f"q{query},d{d},{rank}" for rank, d in enumerate(order[:12], start=1)]
    (folder / "judgments.csv").write_text("\n".join(judged) + "\n", "utf-8")
    for name, run in zip("abc", runs, strict=True):
        (folder / f"{name}.csv").write_text("\n".join(run) + "\n", "utf-8")
    return folder


def run(*arguments):
    """Exit code, standard output and standard error of the command line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(each) for each in arguments])
    return code, out.getvalue(), err.getvalue()


def compare(folder, *names, form="json"):
    """The answer of a comparison that succeeds."""
    files = [folder / f"{name}.csv" for name in ("judgments", *names[0])]
    code, out, err = run("compare", *files, *names[1:], "--format", form)
    assert (code, err) == (0, "")
    return json.loads(out) if form == "json" else out


def refused(*arguments):
    """The one line of a refusal."""
    code, out, err = run("compare", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("ndcg: ")
    assert err.count("\n") == 1
    return err


def scores(folder, name, *arguments):
    """What ``ndcg score`` says of each query."""
    files = folder / "judgments.csv", folder / f"{name}.csv"
    code, out, _ = run("score", *files, *arguments, "--format", "json")
    assert code == 0
    return {q: each["value"] for q, each in json.loads(out)["results"][0]["queries"].items()}


# ---- what is told


def test_json(folder):
    """All figures are those of score and of scipy, at full precision."""
    answer = compare(folder, "ab")
    assert answer.keys() == {"comparisons", "files", "findings"}
    (found,) = answer["comparisons"]
    base, own = scores(folder, "a"), scores(folder, "b")
    assert (found["baseline"], found["candidate"]) == ("a.csv", "b.csv")
    assert (found["measure"], found["cutoff"]) == ("nDCG@10", 10)
    assert found["queries_compared"] == QUERIES
    differences = np.array([own[query] - base[query] for query in base])
    assert found["mean_difference"] == pytest.approx(differences.mean(), abs=1e-12)
    assert found["baseline_mean"] == pytest.approx(np.mean(list(base.values())), abs=1e-12)
    for query, row in found["queries"].items():
        assert (row["baseline"], row["candidate"]) == (base[query], own[query])
        assert row["difference"] == pytest.approx(own[query] - base[query], abs=1e-12)
        sign = 0 if abs(row["difference"]) < 1e-12 else np.sign(row["difference"])
        assert row["outcome"] == {1: "won", 0: "tied", -1: "lost"}[int(sign)]
    told = found["statistics"]
    test = stats.ttest_1samp(differences, 0)
    assert told["t_test"]["t"] == pytest.approx(test.statistic, rel=1e-9)
    assert told["t_test"]["p"] == pytest.approx(test.pvalue, rel=1e-6)
    assert told["won"] == (differences > 1e-12).sum()
    assert told["interval"]["lower"] < differences.mean() < told["interval"]["upper"]
    assert told["seed"] == told["interval"]["seed"] == 2002
    assert found["lower"] == found["upper"] == pytest.approx(differences.mean(), abs=1e-9)
    assert found["judged"] == [1.0, 1.0]


def test_files_and_findings(folder):
    """Each file is named with the SHA-256 of its bytes."""
    answer = compare(folder, "ab")
    expected = [
        {"name": name, "digest": hashlib.sha256((folder / name).read_bytes()).hexdigest()}
        for name in ("judgments.csv", "a.csv", "b.csv")
    ]
    assert answer["files"] == expected
    assert answer["findings"] == []


def test_words_first(folder):
    """A person reads the answer in words first, then the figures, with the measure."""
    out = compare(folder, "ac", form="table")
    lines = out.splitlines()
    assert lines[0].startswith("“c.csv” is better than “a.csv” by 0.")
    assert "on average (nDCG@10)" in lines[0]
    assert any(line.startswith("  Mean difference") for line in lines)
    assert any(line.startswith("  Randomisation test") for line in lines)
    assert "Measure: nDCG@10" in lines
    assert lines[-2].startswith("  a.csv: mean nDCG@10 0.")


def test_baseline(folder):
    """The first ranking is the baseline, or the one that is named."""
    first = compare(folder, "abc")["comparisons"]
    assert [(each["baseline"], each["candidate"]) for each in first] == [
        ("a.csv", "b.csv"),
        ("a.csv", "c.csv"),
    ]
    other = compare(folder, "abc", "--baseline", "b.csv")["comparisons"]
    assert [(each["baseline"], each["candidate"]) for each in other] == [
        ("b.csv", "a.csv"),
        ("b.csv", "c.csv"),
    ]
    assert other[0]["mean_difference"] == -first[0]["mean_difference"]
    assert {each["statistics"]["comparisons"] for each in first} == {2}


def test_options(folder):
    """The options of scoring are those of score; tie, what matters and seed are used and told."""
    arguments = ["--gain", "exponential", "-k", "5", "--discount", "reciprocal"]
    (found,) = compare(
        folder, "ab", *arguments, "--tie", "0.05", "--matters", "0.1", "--seed", "9"
    )["comparisons"]
    base, own = scores(folder, "a", *arguments), scores(folder, "b", *arguments)
    assert {query: row["candidate"] for query, row in found["queries"].items()} == own
    assert found["measure"] == "nDCG(dcg='exp-log2')@5"
    told = found["statistics"]
    differences = np.array([own[query] - base[query] for query in base])
    assert told["won"] == (differences > 0.05).sum()
    assert told["tied"] == (abs(differences) <= 0.05).sum()
    assert (told["tie"], told["matters"], told["seed"]) == (0.05, 0.1, 9)
    assert told["interval"]["seed"] == 9
    (every,) = compare(folder, "ab", "-k", "all")["comparisons"]
    assert every["cutoff"] is None


def test_csv(folder):
    """A line for each query and one for the mean, with all digits."""
    rows = list(csv.reader(io.StringIO(compare(folder, "ab", form="csv"))))
    base = scores(folder, "a")
    assert len(rows) == QUERIES + 2
    for row in rows[1:-1]:
        assert row[:3] == ["a.csv", "b.csv", "nDCG@10"]
        assert float(row[4]) == base[row[3]]
    assert rows[-1][3] == f"mean (n = {QUERIES})"


def test_markdown_and_latex(folder):
    """Tables for a page or a paper, with answer and measure."""
    out = compare(folder, "ab", form="markdown")
    assert out.startswith("# “b.csv” compared with “a.csv”\n")
    assert "| ranking | mean nDCG@10 |" in out
    out = compare(folder, "ab", form="latex")
    assert r"\toprule" in out
    assert r"\caption{The rankings: nDCG@10" in out


# ---- reports


def test_reports(folder, tmp_path):
    """Each report is written, several at once, and the answer is told all the same."""
    names = ("r.html", "r.xlsx", "r.csv", "r.md", "r.tex")
    reports = [part for name in names for part in ("--report", tmp_path / name)]
    answer = compare(folder, "ab", *reports)
    assert len(answer["comparisons"]) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    digest = answer["files"][0]["digest"]
    assert digest in (tmp_path / "r.html").read_text("utf-8")
    assert digest in (tmp_path / "r.md").read_text("utf-8")


def test_no_qt(folder, tmp_path):
    """Only a PDF needs Qt."""
    script = (
        "import sys; from ndcg_desktop.cli import main; "
        "code = main(sys.argv[1:]); "
        "assert not any(name.startswith('PySide6') for name in sys.modules); sys.exit(code)"
    )
    files = [folder / f"{name}.csv" for name in ("judgments", "a", "b")]
    command = [sys.executable, "-c", script, "compare", *files, "--report", tmp_path / "r.xlsx"]
    subprocess.run(list(map(str, command)), check=True, cwd=CHECKOUT, timeout=60)
    pdf = [sys.executable, "-m", "ndcg_desktop.cli", "compare", *files, "--report"]
    command = [*map(str, pdf), str(tmp_path / "r.pdf")]
    subprocess.run(command, check=True, cwd=CHECKOUT, timeout=60, capture_output=True)
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")


# ---- what is refused


def test_refusals(folder, tmp_path):
    """Bad input is told in one line, and no report is written."""
    judged, a, b = (folder / f"{name}.csv" for name in ("judgments", "a", "b"))
    assert "there is only one ranking, “a.csv”" in refused(judged, a)
    assert "no ranking “x” to be the baseline; the rankings are “a.csv”, “b.csv”" in refused(
        judged, a, b, "--baseline", "x"
    )
    assert "r.docx: A report is written as one of .pdf" in refused(
        judged, a, b, "--report", tmp_path / "r.docx"
    )
    assert "this file is read" in refused(judged, a, b, "--report", a)
    assert "is not there" in refused(judged, a, b, "--report", tmp_path / "x" / "r.md")
    assert "not a number from 0 on" in refused(judged, a, b, "--tie", "-1")
    assert "not a number above 0" in refused(judged, a, b, "--matters", "0")
    assert "not a whole number" in refused(judged, a, b, "--seed", "1.5")
    assert "it is a number from 1, or all" in refused(judged, a, b, "-k", "0")
    assert "nowhere.csv" in refused(judged, a, folder / "nowhere.csv")
    assert "there is no convention" in refused(judged, a, b, "--convention", "x")
    assert "no column of ideal grades" in refused(judged, a, b, "--ideal", "column")
    assert list(tmp_path.iterdir()) == []
    assert a.read_text("utf-8").startswith("query,docid,rank")
