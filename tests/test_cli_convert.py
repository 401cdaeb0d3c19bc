"""``ndcg convert``: what it writes, that scores stay the same, and what it refuses."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from build import CHECKOUT
from test_cli import process, refused, run

from ndcg_desktop.files.convert import FORMATS, SAVE_FORMATS

FILES = Path(__file__).parent / "data/files"
NO_HEADER = ("--columns", "query=1,document=2,rank=3")

PAIRS = [
    (("01-quepid-ratings-basic-ragged.csv", "02-quepid-snapshot.csv"), ()),
    (("08-qrels-negative-grades.txt", "09-run-6col-trailing-text.txt"), ()),
    (("10-qrels-tied.txt", "10-run-tied-scores.txt"), ()),
    (("10-qrels-tied.txt", "10-run-tied-scores.txt"), ("--order", "file")),
    (("11-qrels-subtopics.txt", "11-run.txt"), ()),
    (("12-msmarco-qrels-4col.tsv", "12-msmarco-run-3col.tsv"), NO_HEADER),
    (("15-qrels.json", "15-run.json"), ()),
    (("50-qrels-comments-and-hash-ids.txt", "50-run.txt.gz"), ()),
    (("03-quepid-detailed-team-comma.csv",), ()),
    (("32-merged-title-hidden-sheets.xlsx",), ()),
    (("42-rank-problems.csv",), ()),
    (("46-textbook-six-plus-two.csv",), ()),
    (("47-flat-and-single.csv",), ()),
    (("55-thirty-queries-some-stale.csv",), ()),
    (("58-libreoffice.ods",), ()),
    (("59-formula-like-text.csv",), ()),
]
"""Judgments and ranking, or one file that holds both, and what `ndcg score` must be told."""

REFUSALS = ("is not one word", "begins with “#”", "is no whole number", "stands there twice")


def converted(*arguments):
    """What was said of a conversion that succeeds; None for one that is refused for its ids."""
    code, out, err = run("convert", *arguments)
    assert out == ""
    if code == 0:
        return err
    assert code == 2
    assert err.count("\n") == 1
    assert any(words in err for words in REFUSALS), err
    return None


def scores(*arguments):
    """The value of each scored query, and the mean."""
    code, out, err = run("score", *arguments, "--format", "json")
    assert code == 0, err
    (result,) = json.loads(out)["results"]
    return {query: row["value"] for query, row in result["queries"].items()}, result["mean"]


def assert_same_scores(told, before, after):
    """Scores are equal to 1e-12, unless queries have other names, which is then told."""
    (queries, mean), (new_queries, new_mean) = before, after
    if "not their id" in told:
        queries, new_queries = sorted(queries.values()), sorted(new_queries.values())
    assert new_queries == pytest.approx(queries, abs=1e-12, rel=0)
    assert new_mean == pytest.approx(mean, abs=1e-12, rel=0)


@pytest.mark.parametrize("form", SAVE_FORMATS, ids=lambda f: f.key)
@pytest.mark.parametrize(("names", "options"), PAIRS)
def test_scores_stay_the_same_with_converted_judgments(names, options, form, tmp_path):
    """Judgments in another format give every query the score that the file gave."""
    paths = [FILES / name for name in names]
    target = tmp_path / f"judgments{form.suffix}"
    told = converted(paths[0], target, "--to", form.key, "--what", "judgments")
    if told is None:
        assert not target.exists()
        return
    ranking = tmp_path / "ranking.xlsx"
    assert converted(paths[-1], ranking, "--what", "ranking", *options) is not None
    assert_same_scores(told, scores(*paths, *options), scores(target, ranking))


@pytest.mark.parametrize("key", [key for key, form in FORMATS.items() if form.ranking is not None])
@pytest.mark.parametrize(("names", "options"), PAIRS)
def test_scores_stay_the_same_with_a_converted_ranking(names, options, key, tmp_path):
    """A ranking in another format gives every query the score that the file gave."""
    paths = [FILES / name for name in names]
    target = tmp_path / f"ranking{FORMATS[key].suffix}"
    told = converted(paths[-1], target, "--to", key, "--what", "ranking", *options)
    if told is None:
        assert not target.exists()
        return
    assert_same_scores(told, scores(*paths, *options), scores(paths[0], target))


@pytest.fixture
def judged(tmp_path):
    """A small file of judgments and a ranking."""
    path = tmp_path / "both.csv"
    path.write_text("query,docid,rank,grade,price\nq1,A,2,3,9\nq1,B,1,,8\n", "utf-8")
    return path


def test_the_name_tells_the_format(judged, tmp_path):
    """OUT's name says the format and, for one that holds either, the judgments come first."""
    said = {}
    for name in ("new.qrels", "new.run", "new.csv", "new.ltr"):
        code, out, said[name] = run("convert", judged, tmp_path / name)
        assert (code, out) == (0, "")
    assert (tmp_path / "new.qrels").read_text("utf-8") == "q1 0 A 3\n"
    assert (tmp_path / "new.run").read_text("utf-8") == "q1 Q0 B 1 2 ndcg\nq1 Q0 A 2 1 ndcg\n"
    assert (tmp_path / "new.csv").read_text("utf-8-sig") == "query,document,grade\nq1,A,3\nq1,B,\n"
    assert "1 document is not judged" in said["new.qrels"]
    assert "not judged" not in said["new.csv"]
    assert all("note: both.csv: These columns are not written: price." in e for e in said.values())


def test_what_chooses_the_ranking(judged, tmp_path):
    """--what ranking writes the ranking where the format could hold either."""
    assert run("convert", judged, tmp_path / "new.csv", "--what", "ranking")[0] == 0
    with (tmp_path / "new.csv").open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == [
            ["query", "document", "rank"],
            ["q1", "B", "1"],
            ["q1", "A", "2"],
        ]


def test_several_graders_are_merged_as_asked(tmp_path):
    """--merge says which grade several graders give, as in score."""
    source = FILES / "04-quepid-book-three-raters.csv"
    line = refused("convert", source, tmp_path / "new.qrels")
    assert "The grade 2.5 of the document “T2”" in line
    assert run("convert", source, tmp_path / "new.qrels", "--merge", "max")[0] == 0
    assert "tent 0 T2 3\n" in (tmp_path / "new.qrels").read_text("utf-8")


def test_the_order_of_rows_is_a_ranking_where_asked(tmp_path):
    """--order file takes the order of the rows, and --columns names them, as in score."""
    source = tmp_path / "list.csv"
    source.write_text("topic,item,mark\nq,B,1\nq,A,2\n", "utf-8")
    options = ("--columns", "query=topic,document=item,grade=mark", "--order", "file")
    assert run("convert", source, tmp_path / "new.run", *options)[0] == 0
    assert (tmp_path / "new.run").read_text("utf-8") == "q Q0 B 1 2 ndcg\nq Q0 A 2 1 ndcg\n"


def test_scores_stay_where_they_are_what_ranks(tmp_path):
    """Scores too close for 32 bits stay in a ranking by score, and are replaced in one by rank."""
    (tmp_path / "a.run").write_text("q Q0 a 1 0.3 t\nq Q0 b 2 0.29999999999 t\n", "utf-8")
    code, _, err = run("convert", tmp_path / "a.run", tmp_path / "b.run")
    assert code == 0
    assert "the same number of 32 bits" in err
    assert "q Q0 b 2 0.29999999999 " in (tmp_path / "b.run").read_text("utf-8")
    (tmp_path / "a.csv").write_text(
        "query,document,rank,score\nq,a,1,0.3\nq,b,2,0.29999999999\n", "utf-8"
    )
    code, _, err = run("convert", tmp_path / "a.csv", tmp_path / "c.run")
    assert code == 0
    assert "every score is made from the rank instead" in err
    assert "q Q0 b 2 1 " in (tmp_path / "c.run").read_text("utf-8")


def test_nothing_is_replaced_unasked(judged, tmp_path):
    """A file that is there stays, without --force; the file that is read stays in any case."""
    target, link = tmp_path / "new.csv", tmp_path / "link.csv"
    target.write_text("old", "utf-8")
    assert "say --force" in refused("convert", judged, target)
    assert target.read_text("utf-8") == "old"
    assert run("convert", judged, target, "--force")[0] == 0
    assert target.read_text("utf-8") != "old"
    before = judged.read_bytes()
    link.symlink_to(judged)
    roundabout = tmp_path / "sub" / ".." / "both.csv"
    for same in (judged, link, roundabout, Path(os.path.relpath(judged))):
        assert "this file is read" in refused("convert", judged, same, "--force")
    assert judged.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("both.csv", "new.txt"), "say --to csv|xlsx|qrels|run|ltr|quepid|rre|beir|pytrec_eval"),
        (("both.csv", "new.json"), "does not tell the format"),
        (("both.csv", "new.qrels", "--to", "word"), "invalid choice"),
        (("both.csv", "new.qrels", "--what", "ranking"), "holds judgments, and no ranking"),
        (("both.csv", "new.xlsx", "--to", "csv"), "name that ends in .csv"),
        (("both.csv", "new.qrels.gz", "--to", "qrels"), "name that ends in .qrels"),
        (("absent.csv", "new.qrels"), "absent.csv: There is no such file"),
        (("both.csv", "absent/new.qrels"), "The folder “absent” is not there"),
        (("both.csv", "new.qrels", "--columns", "grade=rating"), "There is no column “rating”"),
        (("both.csv", "new.qrels", "--sheet", "S"), "none of the files is a workbook"),
        (("both.csv", "new\0.csv"), "U+0000"),
        (("both.csv",), "the following arguments are required"),
    ],
)
def test_refusals_are_one_line_and_write_nothing(arguments, words, judged, tmp_path, monkeypatch):
    """Bad usage and bad input end with 2 and one line, and no file is there that was not."""
    monkeypatch.chdir(tmp_path)
    assert words in refused("convert", *arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["both.csv"]


def test_files_without_what_is_wanted_are_refused(tmp_path):
    """Judgments of a ranking, a ranking of judgments, and one of several rankings are refused."""
    new = tmp_path / "new.csv"
    line = refused("convert", FILES / "11-run.txt", new, "--what", "judgments")
    assert "no column of grades" in line
    line = refused("convert", FILES / "15-qrels.json", new, "--what", "ranking")
    assert "there is no ranking; say --order file" in line
    line = refused("convert", FILES / "36-two-systems-wide.xlsx", new, "--what", "ranking")
    assert "several rankings (“Live”, “New model”)" in line
    assert not new.exists()


def test_convert_loads_no_qt(judged, tmp_path):
    """A conversion in a process of its own ends with 0, and Qt is not loaded for it."""
    source, target = str(judged), str(tmp_path / "new.csv")
    code = (
        "import sys; from ndcg_desktop.cli import main; "
        f"assert main(['convert', {source!r}, {target!r}]) == 0; "
        "sys.exit(any(name.startswith('PySide6') for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, cwd=CHECKOUT, timeout=60)
    assert done.returncode == 0
    done = process("convert", source, target)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"ndcg: new.csv: the file is there already")
