"""`ndcg score` of an evaluation's file: files, options and names, unless arguments say others."""

import json
from pathlib import Path

import pytest
from test_cli import run

from ndcg_desktop.evaluation.lineup import Entrant, Lineup
from ndcg_desktop.evaluation.repairs import Repair
from ndcg_desktop.evaluation.scale import BUILT_IN
from ndcg_desktop.files.evaluation_file import (
    Chosen,
    EvaluationFile,
    as_written,
    write_evaluation,
)
from ndcg_desktop.files.evaluation_reading import readings
from ndcg_desktop.files.plan import plan
from ndcg_desktop.files.read import read
from ndcg_desktop.scoring.options import Options

OPTIONS = Options(gain="exponential", cutoff=2, undefined="zero")
LINEUP = Lineup(
    (
        Entrant("other.csv", "Candidate", 0),
        Entrant("run.csv", "Production", 1),
        Entrant("third.csv", "Third", 2, taking_part=False),
    ),
    "run.csv",
)


@pytest.fixture
def folder(tmp_path):
    """Judgments and three rankings in a folder below that of the evaluation."""
    data = tmp_path / "data"
    data.mkdir()
    judged = "query,docid,grade\nq1,A,3\nq1,B,1\nq1,C,0\nq1,D,2\nq2,A,1\nq2,B,\n"
    (data / "judgments.csv").write_text(judged, "utf-8")
    for name, order in (("run", "BACD"), ("other", "ABDC"), ("third", "CDBA")):
        rows = "".join(
            f"{query},{document},{place}\n"
            for query in ("q1", "q2")
            for place, document in enumerate(order, 1)
        )
        (data / f"{name}.csv").write_text("query,docid,rank\n" + rows, "utf-8")
    return data


def save(path: Path, files, chosen=None, repairs=()) -> Path:
    """Save an evaluation of files as they are read without being told how."""
    planned = plan([table for file in files for table in read(file)])
    found = readings(planned.parts, planned.unused, lambda p: as_written(p, path.parent))
    content = EvaluationFile(found, tuple(repairs), chosen or Chosen(OPTIONS, lineup=LINEUP))
    write_evaluation(path, content.to_text("test", ""))
    return path


@pytest.fixture
def review(folder):
    """An evaluation of all four files."""
    names = ("judgments.csv", "run.csv", "other.csv", "third.csv")
    return save(folder.parent / "review.ndcg", [folder / name for name in names])


def results(*arguments):
    """What a score that succeeds gives, as JSON has it."""
    code, out, err = run("score", *arguments, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)["results"]


def figures(found):
    """The queries' values of each ranking."""
    return [{query: row["value"] for query, row in result["queries"].items()} for result in found]


def test_same_as_its_files(review, folder):
    """Names and order are the line-up's; values are those of the files under the same options."""
    found = results(review)
    options = ("--gain", "exponential", "-k", "2", "--undefined", "zero")
    plain = results(folder / "judgments.csv", folder / "other.csv", folder / "run.csv", *options)

    assert [result["ranking"] for result in found] == ["Candidate", "Production"]
    assert figures(found) == figures(plain)
    assert [r["measure"] for r in found] == ["nDCG(dcg='exp-log2')@2"] * 2
    assert found[0]["options"]["undefined"] == "zero"


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        (["--gain", "linear"], "gain", "linear"),
        (["-k", "all"], "cutoff", None),
        (["-k", "10"], "cutoff", 10),
        (["--undefined", "skip"], "undefined", "skip"),
        (["--discount", "log2"], "discount", "log2"),
        (["--ideal", "judged"], "ideal", "judged"),
        (["--convention", "trec_eval"], "missing", "skip"),
    ],
)
def test_arguments_win(folder, arguments, name, value):
    """What is said counts, even where it is the default; the rest is the evaluation's."""
    chosen = Chosen(
        Options(
            gain="exponential", cutoff=2, undefined="zero", discount="reciprocal", ideal="returned"
        )
    )
    path = save(folder.parent / "a.ndcg", [folder / "judgments.csv", folder / "run.csv"], chosen)
    (result,) = results(path, *arguments)

    assert result["options"][name] == value
    if name not in ("undefined", "missing"):
        assert result["options"]["undefined"] == "zero"


def test_from_another_folder(review, monkeypatch, tmp_path):
    """Its files are found from where it is, wherever the command is run."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    assert len(results("../review.ndcg")) == 2


def test_scale(folder):
    """The range under unjudged documents reaches as far as the scale does."""
    files = [folder / "judgments.csv", folder / "run.csv"]
    lower = []
    for scale in (None, BUILT_IN[2]):  # the grades that are there go to 3, the scale to 4
        path = save(folder.parent / "a.ndcg", files, Chosen(Options(), scale=scale))
        lower.append(results(path)[0]["queries"]["q2"]["lower"])

    assert lower[1] < lower[0]


def test_repairs(tmp_path):
    """Ids that were matched in the window are matched here."""
    (tmp_path / "j.csv").write_text("query,docid,grade\nred shoes,A,3\nhat,B,1\n", "utf-8")
    (tmp_path / "r.csv").write_text("query,docid,rank\nRed Shoes,A,1\nhat,B,1\n", "utf-8")
    repair = Repair("query-case", "query", "in case", {"Red Shoes": "red shoes"})
    path = save(tmp_path / "a.ndcg", [tmp_path / "j.csv", tmp_path / "r.csv"], None, [repair])

    assert results(path)[0]["queries"].keys() == {"red shoes", "hat"}


def test_columns_that_are_said(folder):
    """--columns reads the files anew; names and options are the evaluation's still."""
    two = folder / "two.csv"
    two.write_text("query,docid,grade,score,second\nq1,A,3,1,0\nq1,B,1,2,3\n", "utf-8")
    path = save(folder.parent / "a.ndcg", [two], Chosen(Options(cutoff=1)))
    (before,) = results(path)
    (after,) = results(path, "--columns", "query=1,document=2,grade=5,score=4")

    assert before["queries"]["q1"]["value"] == pytest.approx(1 / 3)
    assert after["queries"]["q1"]["value"] == 1.0
    assert after["cutoff"] == 1


def refused(*arguments):
    """The one line that is said about what is refused."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("ndcg: ")
    assert err.count("\n") == 1
    return err


def test_changed_file_is_told(review, folder):
    """A file that has changed is scored as it is now, and that is told."""
    with (folder / "run.csv").open("a", encoding="utf-8") as file:
        file.write("q1,Z,5\n")
    code, _, err = run("score", review)

    assert code == 0
    assert "warning: run.csv" in err
    assert "has changed since the evaluation was saved" in err


def test_other_columns_are_refused(review, folder):
    """Columns that are others now are nothing that a command could confirm."""
    (folder / "run.csv").write_text("rank,query,docid\n1,q1,A\n", "utf-8")

    assert "run.csv" in (said := refused("score", review))
    assert "other columns" in said


def test_missing_file(review, folder):
    """A file that is gone is named, and what to do."""
    (folder / "run.csv").unlink()

    assert "review.ndcg" in (said := refused("score", review))
    assert "data/run.csv" in said


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a": 1}', "\0"])
def test_damaged(tmp_path, text):
    """A damaged file is one line."""
    (tmp_path / "a.ndcg").write_text(text, "utf-8")

    assert "a.ndcg" in refused("score", tmp_path / "a.ndcg")


def test_absent(tmp_path):
    """So is one that is not there."""
    assert "no such file" in refused("score", tmp_path / "a.ndcg")


def test_beside_others(review, folder):
    """Beside other files it is refused, and so it is by the commands that read data."""
    assert "name it alone" in refused("score", review, folder / "run.csv")
    assert "only ndcg score" in refused("check", review)
    assert "only ndcg score" in refused("convert", review, folder / "out.qrels")


def test_a_report_never_takes_the_place_of_a_file_that_is_named(folder, tmp_path):
    """Also where only the evaluation's file names it."""
    names = ("judgments", "run", "other")
    saved = save(tmp_path / "e.ndcg", [folder / f"{name}.csv" for name in names])
    target = folder / "run.csv"
    before = target.read_bytes()
    code, _, err = run("compare", saved, "--report", target)
    assert (code, target.read_bytes()) == (2, before)
    assert "this file is read" in err
