"""The command line: what it prints, what it refuses, and that it never shows a traceback."""

import contextlib
import csv
import io
import json
import math
import os
import shlex
import subprocess
import sys

import pytest
from build import CHECKOUT, WORKED_JUDGMENTS, workbook
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.cli import main
from ndcg_desktop.scoring.conventions import CONVENTIONS

LINEAR, EXPONENTIAL, RETURNED = 0.710414667913779, 0.6685274490004087, 0.9433883681321763

QUERY_KEYS = {"value", "dcg", "ideal_dcg", "judged", "returned", "lower", "upper"}
RESULT_KEYS = {"ranking", "measure", "cutoff", "options", "mean", "queries_scored", "queries"} | {
    "left_out"
}
FINDING_KEYS = {"level", "code", "file", "sheet", "row", "text"}
OPTION_KEYS = {"gain", "cutoff", "ideal", "order", "unjudged", "undefined", "missing"} | {
    "discount",
    "ideal_cut",
    "rounding",
}


@pytest.fixture
def folder(tmp_path):
    """A folder with the worked example, as two files and as one, and a second ranking."""
    judged = "".join(f"q1,{document},{grade}\n" for _, document, grade in WORKED_JUDGMENTS)
    ranked = "".join(f"q1,{document},{place}\n" for place, document in enumerate("ABCD", 1))
    other = "".join(f"q1,{document},{place}\n" for place, document in enumerate("EAXD", 1))
    (tmp_path / "judgments.csv").write_text("query,docid,grade\n" + judged, "utf-8")
    (tmp_path / "run.csv").write_text("query,docid,rank\n" + ranked, "utf-8")
    (tmp_path / "other.csv").write_text("query,docid,rank\n" + other, "utf-8")
    (tmp_path / "both.csv").write_text(
        "query,docid,rank,grade\nq1,A,1,3\nq1,B,2,1\nq1,C,3,0\nq1,D,4,2\nq1,E,,3\n", "utf-8"
    )
    return tmp_path


def run(*arguments):
    """Exit code, standard output and standard error of the command line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(each) for each in arguments])
        except SystemExit as end:
            code = end.code
    return code, out.getvalue(), err.getvalue()


def score(*arguments):
    """The JSON answer of a score that succeeds."""
    code, out, err = run("score", *arguments, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def value(*arguments):
    """The mean of the only result."""
    (result,) = score(*arguments)["results"]
    return result["mean"]


def refused(*arguments):
    """The one line of a refusal."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("ndcg: ")
    assert err.count("\n") == 1
    return err


def process(*arguments, **options):
    """The command line in a process of its own."""
    options = {"capture_output": True, "cwd": CHECKOUT, "timeout": 60} | options
    command = [sys.executable, "-m", "ndcg_desktop.cli", *map(str, arguments)]
    return subprocess.run(command, check=False, **options)


# ---- what is printed


def test_json(folder):
    """The answer has the keys that other programs rely on."""
    answer = score(folder / "judgments.csv", folder / "run.csv", "-k", 4)
    assert answer.keys() == {"results", "findings"}
    (result,) = answer["results"]
    assert result.keys() == RESULT_KEYS | {"name", "mean_lower", "mean_upper"}
    assert result["ranking"] == "run.csv"
    assert (result["measure"], result["cutoff"]) == ("nDCG@4", 4)
    assert result["options"].keys() == OPTION_KEYS | {"grades"}
    assert (result["queries_scored"], result["left_out"]) == (1, {})
    assert result["queries"].keys() == {"q1"}
    query = result["queries"]["q1"]
    assert query.keys() == QUERY_KEYS
    assert query["value"] == result["mean"] == pytest.approx(LINEAR, abs=1e-12)
    assert (query["judged"], query["returned"]) == (4, 4)
    assert query["lower"] == query["upper"] == pytest.approx(LINEAR, abs=1e-12)
    assert answer["findings"] == []


def test_json_findings(folder):
    """A finding names level, code, file, sheet and row, null where there is none."""
    answer = score(folder / "both.csv")
    (finding,) = answer["findings"]
    assert finding.keys() == FINDING_KEYS
    assert (finding["level"], finding["code"]) == ("note", "no-rank")
    assert (finding["file"], finding["sheet"], finding["row"]) == ("both.csv", None, 6)
    assert finding["text"].endswith(".")


def test_json_of_a_workbook(tmp_path):
    """A workbook's findings name the sheet, and its ranking names it too."""
    rows = [["query", "docid", "rank", "grade"], ["q", "A", 1, 1], ["q", "A", 2, 1]]
    path = tmp_path / "book.xlsx"
    path.write_bytes(workbook({"Week 1": rows}))
    answer = score(path)
    assert answer["results"][0]["ranking"] == "book.xlsx: Week 1"
    assert {(each["sheet"], each["row"]) for each in answer["findings"]} == {("Week 1", 3)}


def test_json_keeps_full_precision(folder):
    """Figures are the very 64-bit numbers, and no cutoff is null."""
    (result,) = score(folder / "judgments.csv", folder / "run.csv", "-k", "all")["results"]
    assert result["cutoff"] is None
    query = result["queries"]["q1"]
    assert query["value"] == query["dcg"] / query["ideal_dcg"]


def test_left_out(tmp_path):
    """Queries that are not in the mean are listed with the reason; a mean of nothing is null."""
    path = tmp_path / "both.csv"
    path.write_text("query,docid,rank,grade\nzero,A,1,0\nblank,A,1,\n", "utf-8")
    (result,) = score(path)["results"]
    assert result["left_out"] == {"zero": "no relevant document judged", "blank": "not judged"}
    assert (result["mean"], result["queries_scored"], result["queries"]) == (None, 0, {})
    code, out, _ = run("score", path)
    assert code == 0
    assert "no query is scored" in out


def test_several_cutoffs_and_rankings(folder):
    """Each cutoff is taken for each ranking, in the order that they were named."""
    files = [folder / name for name in ("judgments.csv", "run.csv", "other.csv")]
    results = score(*files, "-k", 1, "-k", "all")["results"]
    assert [(each["ranking"], each["cutoff"]) for each in results] == [
        ("run.csv", 1),
        ("other.csv", 1),
        ("run.csv", None),
        ("other.csv", None),
    ]
    assert results[0]["mean"] == results[1]["mean"] == 1.0


def test_csv(folder):
    """A line for each query and one for the mean, each with the measure's full name."""
    code, out, err = run(
        "score", folder / "both.csv", "-k", 4, "--format", "csv", "--undefined", "zero"
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert [row["query"] for row in rows] == ["q1", "mean (n = 1)"]
    assert {row["measure"] for row in rows} == {"nDCG@4, undefined queries count as 0"}
    assert [float(row["value"]) for row in rows] == pytest.approx([LINEAR, LINEAR], abs=1e-12)
    assert (rows[0]["judged"], rows[0]["returned"]) == ("4", "4")
    assert "lower" not in rows[0]
    assert "row 6" in err


def test_table(folder):
    """The table names ranking and measure, each query and the mean, and findings go to stderr."""
    code, out, err = run("score", folder / "both.csv", "-k", 4)
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "both.csv: nDCG@4"
    assert lines[1].split()[:2] == ["q1", repr(LINEAR)]
    assert lines[-1] == "  mean nDCG@4 0.710415 (n = 1)"
    assert err == (
        "note: both.csv, row 6: This row has no rank. Its document counts as not returned.\n"
    )


def test_bounds(folder):
    """--bounds shows the range beside each value; JSON has it always."""
    files = [folder / name for name in ("judgments.csv", "other.csv")]
    _, plain, _ = run("score", *files)
    _, table, _ = run("score", *files, "--bounds")
    assert "between" not in plain
    assert "between" in table
    _, text, _ = run("score", *files, "--bounds", "--format", "csv")
    row = next(csv.DictReader(io.StringIO(text)))
    query = score(*files)["results"][0]["queries"]["q1"]
    assert (float(row["lower"]), float(row["upper"])) == (query["lower"], query["upper"])
    assert query["lower"] < query["upper"]


# ---- options


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), LINEAR),
        (("--gain", "exponential"), EXPONENTIAL),
        (("--gain", "0=0,1=1,2=3,3=7"), EXPONENTIAL),
        (("--ideal", "returned"), RETURNED),
        (("--order", "file"), LINEAR),
        (("--order", "score"), LINEAR),
        (("--unjudged", "remove"), LINEAR),
        (("--discount", "log2"), LINEAR),
        (("--discount", "base:2"), 0.644175534921588),
        (("--discount", "base:10"), 6 / 9),
        (("--discount", "reciprocal"), 4 / (3 + 3 / 2 + 2 / 3 + 1 / 4)),
        (("--convention", "trec_eval"), LINEAR),
        (("--convention", "pytrec_eval"), LINEAR),
        (("--convention", "ranx", "--gain", "exponential"), EXPONENTIAL),
        (("--convention", "ir_measures"), LINEAR),
        (("--convention", "scikit-learn"), RETURNED),
        (("--convention", "sklearn"), RETURNED),
        (("--convention", "quepid"), EXPONENTIAL),
        (("--convention", "OpenSearch"), 0.67),
        (("--convention", "RRE"), 0.66),
        (("--convention", "gdeval"), 0.66853),
        (("--convention", "calculator"), RETURNED),
        (("--convention", "xgboost", "--gain", "linear"), RETURNED),
        (("--ideal-cut", "none"), LINEAR),
        (("--ideal-cut", "returned"), LINEAR),
        (("--rounding", "2-decimals"), 0.71),
        (("--rounding", "5-decimals"), 0.71041),
        (("--rounding", "floored-terms"), 0.71),  # (3 + 0.63 + 0.86) / (3 + 1.89 + 1 + 0.43)
        (("--order", "ties-worst"), LINEAR),
    ],
)
def test_options(folder, arguments, expected):
    """Each option and each convention gives its figure of the worked example."""
    files = (folder / "judgments.csv", folder / "run.csv")
    assert value(*files, "-k", 4, *arguments) == pytest.approx(expected, abs=1e-12)


def test_options_are_named(folder):
    """The options in the answer are those that were asked for, as they would be asked again."""
    asked = {
        "gain": "0=0,1=1,2=3,3=7",
        "ideal": "returned",
        "order": "score",
        "unjudged": "remove",
        "undefined": "one",
        "missing": "skip",
        "discount": "base:3",
        "ideal_cut": "none",
        "rounding": "2-decimals",
    }
    arguments = [
        part for name, each in asked.items() for part in (f"--{name.replace('_', '-')}", each)
    ]
    (result,) = score(folder / "both.csv", *arguments)["results"]
    assert result["options"] == asked | {"cutoff": 10, "grades": "as given"}


@pytest.mark.parametrize(
    ("option", "choice", "mean"),
    [
        ("--undefined", "skip", 0.5),
        ("--undefined", "zero", 1 / 3),
        ("--undefined", "one", 2 / 3),
        ("--missing", "zero", 0.5),
        ("--missing", "skip", 1.0),
    ],
)
def test_what_a_mean_is_over(tmp_path, option, choice, mean):
    """Undefined and missing queries count as the options say."""
    (tmp_path / "j.csv").write_text("query,docid,grade\na,A,1\nb,A,0\nc,A,1\n", "utf-8")
    (tmp_path / "r.csv").write_text("query,docid,rank\na,A,1\nb,A,1\n", "utf-8")
    assert value(tmp_path / "j.csv", tmp_path / "r.csv", option, choice) == pytest.approx(mean)


def test_a_file_without_known_headers(tmp_path):
    """Columns may be named by header or number, also for two files with headers of their own."""
    (tmp_path / "j.csv").write_text("Topic,Ware,Stars\na,A,1\na,B,2\n", "utf-8")
    (tmp_path / "r.csv").write_text("Topic,Ware,Platz\na,A,1\na,B,2\n", "utf-8")
    columns = "query=Topic,document=Ware,grade=Stars,rank=Platz"
    got = value(tmp_path / "j.csv", tmp_path / "r.csv", "--columns", columns)
    assert got == pytest.approx(0.8597186998521972, abs=1e-12)


def test_a_sheet(tmp_path):
    """One of several sheets is named, and must be there."""
    rows = [["query", "docid", "rank", "grade"], ["q", "A", 1, 1], ["q", "B", 2, 2]]
    swapped = [rows[0], ["q", "A", 2, 1], ["q", "B", 1, 2]]
    path = tmp_path / "book.xlsx"
    path.write_bytes(workbook({"one": rows, "two": swapped}))
    assert value(path, "--sheet", "two") == 1.0
    assert value(path, "--sheet", "one") < 1.0
    assert "book.xlsx" in refused("score", path, "--sheet", "three")
    assert "“one”, “two”" in refused("score", path)


# ---- what is refused


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((), "required"),
        (("nothing",), "invalid choice"),
        (("score",), "required"),
        (("score", "FILE", "--nothing"), "unrecognized"),
        (("score", "FILE", "-k"), "expected one argument"),
        (("score", "FILE", "-k", "0"), "k is '0'"),
        (("score", "FILE", "-k", "-1"), "k"),
        (("score", "FILE", "-k", "ten"), "k is 'ten'"),
        (("score", "FILE", "-k", "2.5"), "k is '2.5'"),
        (("score", "FILE", "-k", "²"), "k is '²'"),
        (("score", "FILE", "-k", "9" * 30), "k"),
        (("score", "FILE", "--gain", "cubic"), "gain 'cubic'"),
        (("score", "FILE", "--gain", "1=1,1=2"), "twice"),
        (("score", "FILE", "--gain", "0=-1"), "0 or more"),
        (("score", "FILE", "--ideal", "best"), "invalid choice"),
        (("score", "FILE", "--order", "random"), "invalid choice"),
        (("score", "FILE", "--unjudged", "one"), "invalid choice"),
        (("score", "FILE", "--undefined", "nan"), "invalid choice"),
        (("score", "FILE", "--missing", "one"), "invalid choice"),
        (("score", "FILE", "--format", "xml"), "invalid choice"),
        (("score", "FILE", "--discount", "base:1"), "discount base"),
        (("score", "FILE", "--discount", "base:x"), "discount"),
        (("score", "FILE", "--discount", "base:nan"), "discount base"),
        (("score", "FILE", "--convention", "excel"), "known are trec_eval"),
        (("score", "FILE", "--columns", "query"), "--columns"),
        (("score", "FILE", "--columns", "price=3"), "--columns"),
        (("score", "FILE", "--columns", "query=nope"), "no column “nope”"),
        (("score", "FILE", "--columns", "query=²"), "no column “²”"),
        (("score", "FILE", "--columns", "query=1,grade=4,rank=3"), "both.csv: No column holds"),
        (("score", "FILE", "--ideal", "column"), "no column of ideal grades"),
        (("score", "NONE"), "none.csv: There is no such file."),
        (("score", "FILE", "NONE"), "none.csv: There is no such file."),
        (("score", "FOLDER"), "folder"),
    ],
)
def test_refused(folder, arguments, part):
    """What cannot be done is told in one line, with exit code 2 and nothing on standard output."""
    names = {"FILE": folder / "both.csv", "NONE": folder / "none.csv", "FOLDER": folder}
    assert part in refused(*(names.get(each, each) for each in arguments))


@pytest.mark.parametrize(
    ("text", "arguments", "parts"),
    [
        (
            "query,docid,rank,grade\nq,A,1,1\nq,B,2,2000\n",
            ("--gain", "exponential"),
            ("both.csv, row 3", "2000", "“q”", "too large"),
        ),
        (
            "query,docid,rank,grade\nq,A,1,1\nq,B,2,2.5\n",
            ("--gain", "0=0,1=1,2=3"),
            ("both.csv, row 3", "2.5", "no entry"),
        ),
        ("query,docid,rank\nq,A,1\n", (), ("both.csv", "no column of grades")),
        ("query,docid,grade\nq,A,1\n", (), ("both.csv", "without a ranking")),
        ("query,docid\nq,A\n", (), ("both.csv", "--columns query=1,document=2")),
    ],
)
def test_files_that_are_refused(tmp_path, text, arguments, parts):
    """A file that cannot be scored is named, with the row where there is one, and what to do."""
    path = tmp_path / "both.csv"
    path.write_text(text, "utf-8")
    line = refused("score", path, *arguments)
    for part in parts:
        assert part in line


def test_a_gain_table_without_the_grades_of_blanks(tmp_path):
    """Nothing judged and a gain table: no query is scored, and that is no error."""
    path = tmp_path / "both.csv"
    path.write_text("query,docid,rank,grade\nq,A,1,\nq,B,2,\n", "utf-8")
    assert value(path, "--gain", "7=2") is None


def test_grades_near_the_largest_number(tmp_path):
    """Grades whose sum is just within a 64-bit float are scored, with bounds, and no warning."""
    path = tmp_path / "both.csv"
    path.write_text("query,docid,rank,grade\nq,A,1,1e308\nq,B,2,1e308\nq,C,3,\n", "utf-8")
    query = score(path)["results"][0]["queries"]["q"]
    assert query["value"] == 1.0
    assert 0 < query["lower"] <= query["upper"] == 1.0


def test_help():
    """Help is no error."""
    code, out, _ = run("score", "--help")
    assert code == 0
    for name in (
        "--gain",
        "--ideal",
        "--order",
        "--unjudged",
        "--undefined",
        "--missing",
        "--bounds",
    ):
        assert name in out
    for name in ("--discount", "--convention", "--columns", "--sheet", "--format"):
        assert name in out


WORDS = st.sampled_from(
    (
        *("score", "-k", "all", "3", "--gain", "exponential", "0=0,1=2", "--ideal", "returned"),
        *("--order", "file", "ties-averaged", "--unjudged", "remove", "--discount", "base:2"),
        *("--columns", "query=1", "document=2,grade=3", "--sheet", "--format", "json", "csv"),
        *("--bounds", "column", "--merge", "max", "--convention", *CONVENTIONS, "--", "-", ""),
        *("=", "query=", "ideal=1", "rank=99"),
    )
)
SAMPLES = sorted(
    str(path)
    for path in (CHECKOUT / "tests/data/files").iterdir()
    if path.suffix != ".json" and not path.name.startswith("33")
)


@given(
    st.lists(st.sampled_from(SAMPLES), max_size=3),
    st.lists(WORDS | st.text(max_size=4), max_size=7),
    st.booleans(),
)
@settings(max_examples=250)
def test_any_arguments(files, words, named):
    """Whatever is asked, the answer is 0 with a result, or 2 with one line: never an exception."""
    code, out, err = run(*(["score"] if named else []), *files, *words)
    assert code in (0, 2)
    if code == 2:
        assert out == ""
        assert err.startswith("ndcg: ")
        assert err.count("\n") == 1
    else:
        assert out


# ---- in a process of its own


def test_no_qt(folder):
    """Scoring loads no Qt, and neither the charts' nor the reports' libraries."""
    program = (
        "import sys; from ndcg_desktop.cli import main; "
        "code = main(sys.argv[1:]); "
        "heavy = {name.partition('.')[0] for name in sys.modules}; "
        "heavy &= {'PySide6', 'shiboken6', 'matplotlib', 'pandas', 'openpyxl'}; "
        "print(code, sorted(heavy))"
    )
    arguments = ["score", str(folder / "judgments.csv"), str(folder / "run.csv")]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=CHECKOUT,
    )
    assert done.stdout.splitlines()[-1] == "0 []"


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_a_terminal_of_ascii_alone(tmp_path, form):
    """Where standard output cannot show a letter there is still an answer, and no traceback."""
    path = tmp_path / "both.csv"
    path.write_text("query,docid,rank,grade\nvélo 🚲,A,1,1\nzéro,A,1,0\n", "utf-8")
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = process("score", path, "--format", form, env=environment)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert b"1.0" in done.stdout
    if form == "json":
        answer = json.loads(done.stdout.decode("ascii"))
        assert list(answer["results"][0]["queries"]) == ["vélo 🚲"]


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_ids_that_are_no_text(tmp_path, form):
    """An id with half a surrogate pair, which JSON allows, is printed as it is written."""
    judged, ranked = tmp_path / "qrels.json", tmp_path / "run.json"
    judged.write_text('{"q\\ud800": {"A": 1}}', "ascii")
    ranked.write_text('{"q\\ud800": {"A": 0.5}}', "ascii")
    done = process("score", judged, ranked, "--format", form)
    assert done.returncode == 0
    assert b"q\\ud800" in done.stdout.replace(b"\\\\", b"\\")
    assert b"1.0" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe is broken in another way there")
@pytest.mark.parametrize("form", ["table", "json"])
def test_a_reader_that_goes_away(folder, form):
    """A pipe that nobody reads, as of `| head`, ends the program without a complaint."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = process(
            "score",
            folder / "both.csv",
            "--format",
            form,
            capture_output=False,
            env=environment,
            stdout=pipe,
            stderr=subprocess.PIPE,
        )
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr
    assert b"Broken" not in done.stderr


def test_exit_code_and_one_line(tmp_path):
    """A process ends with 2 and one line on standard error."""
    done = process("score", tmp_path / "none.csv", text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "ndcg: none.csv: There is no such file.\n"


def test_a_convention_does_not_change_the_gain_in_silence(files, capsys):
    """A gain that a tool does not have is refused with its convention, not passed over."""
    judged = str(files / "46-textbook-six-plus-two.csv")
    code = main(["score", judged, "--convention", "trec_eval", "--gain", "exponential"])

    assert code == 2
    assert capsys.readouterr().err == "ndcg: trec_eval has linear gain, not exponential\n"


# ---- grades in words, and judgments in conflict


WORDS = "query,docid,rank,label\nq,A,1,Partial\nq,B,2,Exact\nq,C,3,can't tell\n"


def test_grades_in_words(tmp_path):
    """Words are refused with the labels to copy, and scored with them."""
    path = tmp_path / "words.csv"
    path.write_text(WORDS, "utf-8")
    code, out, err = run("score", path)
    assert (code, out) == (2, "")
    labels = shlex.split(err.split("say --labels ")[1])[0]
    assert labels == "exact=2,partial=1,irrelevant=0,can't tell="
    (result,) = score(path, "--labels", labels)["results"]
    # 1 at the first place and 2 at the second, of 2 and 1
    expected = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    assert result["mean"] == pytest.approx(expected, abs=1e-12)
    assert result["queries"]["q"]["judged"] == 2
    (other,) = score(path, "--labels", "exact=1,partial=1,can't tell=0")["results"]
    assert (other["mean"], other["queries"]["q"]["judged"]) == (1, 3)


def test_labels_that_cannot_be_read():
    """Labels of another form are refused in one line."""
    code, out, err = run("score", "x.csv", "--labels", "exact:2")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "exact=2,partial=1" in err


def test_columns_by_people_to_copy(tmp_path):
    """Columns that may be people's are refused with one of them to copy as the grade."""
    path = tmp_path / "people.csv"
    path.write_text("query,docid,Maria,Jo,shelf\nq,A,1,2,fine\nq,B,0,1,so so\n", "utf-8")
    _, _, err = run("score", path, "--order", "file")
    assert err.endswith("say --columns query=1,document=2,grade=3\n")
    columns = err.split("--columns ")[1].strip()
    assert score(path, "--order", "file", "--columns", columns)["results"][0]["mean"] == 1


@pytest.mark.parametrize(
    ("rule", "grade"), [("highest", 3), ("first", 1), ("last", 2), ("mean", 2)]
)
def test_duplicates(tmp_path, rule, grade):
    """The rule for judgments in conflict is an option, and the finding names it."""
    path = tmp_path / "twice.csv"
    path.write_text("query,docid,grade\nq,A,1\nq,A,3\nq,A,2\nq,B,0\n", "utf-8")
    answer = score(path, "--order", "file", "--duplicates", rule)
    assert answer["results"][0]["queries"]["q"]["ideal_dcg"] == grade
    texts = {each["text"] for each in answer["findings"] if each["code"] == "conflicting-judgment"}
    assert all(text.endswith(f", {grade}, is used.") for text in texts)
    assert texts


def test_columns_of_raters_and_systems(tmp_path):
    """Raters and systems may be named, and each system is a result of its own."""
    path = tmp_path / "long.csv"
    path.write_text(
        "q,d,r,g,who,which\nq,A,1,3,Ann,one\nq,B,2,0,Ann,one\nq,B,1,0,Ann,two\nq,A,2,1,Bob,two\n",
        "utf-8",
    )
    roles = "query=q,document=d,rank=r,grade=g,rater=who,system=which"
    one, two = score(path, "--columns", roles, "--merge", "mean")["results"]
    assert (one["ranking"], one["mean"]) == ("one", 1)
    assert (two["ranking"], two["mean"]) == ("two", pytest.approx(1 / math.log2(3)))
    assert one["options"]["grades"] == "mean of 1–2 judges"


def test_further_judgments_and_grades_of_rankings(tmp_path):
    """A further file of judgments counts wherever it stands; grades beside a ranking are not used
    where judgments were named first, which is told.
    """
    first, second, both = (tmp_path / name for name in ("a.csv", "b.csv", "both.csv"))
    first.write_text("query,doc,grade\nq1,a,0\nq1,b,3\n")
    second.write_text("query,doc,grade\nq2,a,1\n")
    both.write_text("query,doc,rank,grade\nq1,b,1,0\nq1,a,2,1\nq2,a,1,1\n")
    for order in ((first, second, both), (first, both, second)):
        answer = score(*order)
        (result,) = answer["results"]
        assert {query: row["value"] for query, row in result["queries"].items()} == {
            "q1": 1.0,
            "q2": 1.0,
        }
        assert [each["file"] for each in answer["findings"]] == ["both.csv"]
        assert answer["findings"][0]["code"] == "grades-unused"


@pytest.mark.parametrize(
    ("grades", "arguments", "part"),
    [
        (
            "110",
            ("--gain", "0=1e308,1=1e308"),
            "row 2: grade 1: the query “q” cannot be scored: its gains are too large",
        ),
        (
            "012",
            ("--gain", "0=0,1=1"),
            "row 4: grade 2: the query “q” cannot be scored: the gain table has no",
        ),
        (
            ("0", *["1e308"] * 3),
            (),
            "row 3: grade 1e+308: the query “q” cannot be scored: its grades are too",
        ),
    ],
)
def test_why_a_gain_is_refused(tmp_path, grades, arguments, part):
    """A sum that is too large is told from a grade without a gain, with file and row."""
    path = tmp_path / "both.csv"
    rows = [f"q,d{rank},{rank},{grade}" for rank, grade in enumerate(grades, 1)]
    path.write_text("\n".join(["query,docid,rank,grade", *rows]), "utf-8")
    line = refused("score", path, *arguments)
    assert "both.csv, " + part in line


def test_several_judges_are_named(tmp_path):
    """How several judges' grades became one stands with the score; the mean has its range."""
    judged, ranked = tmp_path / "j.csv", tmp_path / "r.csv"
    judged.write_text("query,docid,Ann,Bob\nq,A,3,1\nq,B,,0\nq,C,,\n", "utf-8")
    ranked.write_text("query,docid,rank\nq,C,1\nq,A,2\nq,B,3\n", "utf-8")
    code, out, _ = run("score", judged, ranked, "--merge", "judge:Bob", "--bounds")
    assert code == 0
    assert "r.csv: nDCG@10, grades: grades of Bob" in out
    assert "between 0.630930 and 1.000000 (n = 1)" in out
    found = score(judged, ranked, "--merge", "max")["results"][0]
    assert found["name"] == "nDCG@10, grades: highest of 1–2 judges"
    assert found["mean"] == pytest.approx(1 / math.log2(3))
    assert (found["mean_lower"], found["mean_upper"]) == (
        found["queries"]["q"]["lower"],
        found["queries"]["q"]["upper"],
    )
