"""The command that checks files: what it tells, its exit codes, and that it never fails loudly."""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from build import CHECKOUT, SHARED, workbook
from test_cli import process, run

from ndcg_desktop.cli_check import KINDS, WORDS_OF_ROLES
from ndcg_desktop.evaluation.findings import HEADINGS
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.table import Kind

FILES = Path(__file__).parent / "data" / "files"

JUDGED = "query,docid,grade\n1,A,3\n1,B,1\n2,A,0\n"
RANKED = "query,docid,rank\n1,A,1\n1,B,2\n2,A,1\n"


@pytest.fixture
def pair(tmp_path):
    """Judgments and a ranking that fit together."""
    paths = tmp_path / "judgments.csv", tmp_path / "run.csv"
    for path, text in zip(paths, (JUDGED, RANKED), strict=True):
        path.write_text(text, "utf-8")
    return paths


def check(*arguments):
    """The exit code and the JSON answer."""
    code, out, _ = run("check", *arguments, "--format", "json")
    return code, json.loads(out)


def sample(name):
    """The only sample file whose name begins so."""
    (path,) = FILES.glob(f"{name}*")
    return path


def test_clean_files(pair):
    """Of clean files is told what was understood, and that nothing is wrong."""
    code, out, err = run("check", *pair)
    assert (code, err) == (0, "")
    assert out == (
        "judgments.csv: delimited text, utf-8, comma\n"
        "  with a header, first row of data 2\n"
        "  query: query\n"
        "  document: docid\n"
        "  grade: grade\n"
        "  3 rows, 2 queries, 2 documents, 3 judged\n"
        "  grades: 0 (×1), 1 (×1), 3 (×1)\n"
        "\n"
        "run.csv: delimited text, utf-8, comma\n"
        "  with a header, first row of data 2\n"
        "  query: query\n"
        "  document: docid\n"
        "  rank: rank\n"
        "  ranked by: rank\n"
        "  3 rows, 2 queries, 2 documents\n"
        "\n"
        "“run.csv” and the judgments: 2 queries in both, of 2 judged and 2 returned; 3 of 3 "
        "documents judged\n"
        "\n"
        "Nothing was found that is wrong.\n"
    )


def test_json(pair):
    """As JSON the same has keys, and null for what a file has not."""
    code, answer = check(*pair)
    assert code == 0
    judgments, ranking = answer["files"]
    assert judgments["columns"] == {"query": ["query"], "document": ["docid"], "grade": ["grade"]}
    assert judgments["grades"] == {"0": 1, "1": 1, "3": 1}
    assert (judgments["rows"], judgments["queries"], judgments["documents"]) == (3, 2, 2)
    assert (judgments["judgments"], judgments["rankings"]) == (True, [])
    assert (ranking["judged"], ranking["grades"], ranking["sheet"]) == (None, None, None)
    assert ranking["rankings"] == ["run.csv"]
    assert answer["rankings"] == [
        {
            "ranking": "run.csv",
            "queries_returned": 2,
            "queries_judged": 2,
            "queries_in_both": 2,
            "documents_returned": 3,
            "documents_judged": 3,
        }
    ]
    assert answer["findings"] == []


def test_near_misses_of_two_files(pair):
    """Files are joined, so that queries written differently are told, under their heading."""
    judgments, ranking = pair
    ranking.write_text(RANKED.replace("\n1,", "\nq1,").replace("\n2,", "\nq2,"), "utf-8")
    code, out, err = run("check", judgments, ranking)
    assert (code, err) == (1, "")
    heading, first = out.split("\n\n")[3].splitlines()[:2]
    assert heading == HEADINGS["near-miss-query"]
    assert first.startswith("  warning: run.csv, row 2: The query “q1” of the ranking")
    _, answer = check(judgments, ranking)
    finding = answer["findings"][0]
    assert (finding["code"], finding["repair"]) == ("near-miss-query", "query-affix")
    assert finding["heading"] == heading


def test_notes_are_no_failure(pair):
    """The exit code is 0 where there are only notes."""
    pair[1].write_text(RANKED.replace("B,2", "B,5"), "utf-8")
    code, answer = check(*pair)
    assert (code, [each["level"] for each in answer["findings"]]) == (0, ["note"])


def test_a_guess_is_told(tmp_path):
    """Columns without a header are taken as guessed, and the guess can be copied."""
    code, answer = check(sample("56"))
    assert code == 1
    (finding,) = answer["findings"]
    assert finding["code"] == "columns-guessed"
    assert "query=1,document=2,grade=4,rank=3" in finding["text"]
    assert answer["files"][0]["header"] is None
    code, answer = check(sample("56"), "--columns", "query=1,document=2,grade=4,rank=3")
    assert (code, answer["findings"]) == (0, [])


def test_files_that_cannot_be_read(pair):
    """One bad file is told on standard error and among the findings; the others are checked."""
    bad = sample("57-binary")
    code, out, err = run("check", pair[0], bad, "--format", "json")
    assert code == 2
    assert err.startswith("ndcg: 57-binary.csv: ")
    assert err.count("\n") == 1
    answer = json.loads(out)
    assert [each["file"] for each in answer["files"]] == ["judgments.csv"]
    assert [(each["level"], each["code"]) for each in answer["findings"]] == [("error", "file")]


@pytest.mark.parametrize(
    "arguments",
    [
        (sample("57-empty"),),
        (sample("57-header-only"),),
        ("no-such-file.csv",),
        (sample("01"), "--sheet", "One"),
        (sample("01"), "--columns", "query=nothing"),
        (sample("01"), "--columns", "colour=1"),
        (sample("32"), "--sheet", "nothing"),
        (),
    ],
)
def test_nothing_to_check(arguments):
    """Files of which none can be used, and wrong arguments, are refused in one line."""
    code, out, err = run("check", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("ndcg: ")
    assert err.count("\n") == 1


def test_sheets(tmp_path):
    """Each sheet of a workbook is told, and one can be chosen."""
    path = tmp_path / "book.xlsx"
    judged = [["query", "docid", "grade"], ["q", "A", 1], ["q", "B", 0]]
    ranked = [["query", "docid", "rank"], ["q", "A", 1], ["q", "B", 2]]
    path.write_bytes(workbook({"Grades": judged, "Live": ranked}))
    code, answer = check(path)
    assert [each["sheet"] for each in answer["files"]] == ["Grades", "Live"]
    assert (code, answer["rankings"][0]["ranking"]) == (0, "book.xlsx: Live")
    code, answer = check(path, "--sheet", "Live")
    assert [each["sheet"] for each in answer["files"]] == ["Live"]
    assert (code, answer["rankings"]) == (0, [])


def test_many_grades_are_told_by_their_range(tmp_path):
    """Of many different grades the lowest and the highest are told."""
    path = tmp_path / "judgments.csv"
    rows = [f"q,d{number},{number}" for number in range(15)]
    path.write_text("query,docid,grade\n" + "\n".join(rows), "utf-8")
    _, out, _ = run("check", path)
    assert "  grades: 15 different ones from 0 to 14\n" in out


def test_graders_on_different_scales(tmp_path):
    """Two graders of one table, of whom one grades up to 3 and one up to 10, are told."""
    path = tmp_path / "judgments.csv"
    rows = [f"q{n % 4},d{n},{n % 4},{10 * (n % 4) // 3}" for n in range(24)]
    path.write_text("query,docid,rater a,rater b\n" + "\n".join(rows), "utf-8")
    code, answer = check(path)
    (finding,) = answer["findings"]
    assert (code, finding["code"], finding["file"]) == (1, "mixed-scales", "judgments.csv")
    assert "“rater a” up to 3; “rater b” up to 10" in finding["text"]


FIRES = {
    ("01", "02"): {"unjudged-query"},
    ("03",): {"similar-queries"},
    ("04",): set(),
    ("05",): set(),
    ("07",): {"no-document-ids"},
    ("08", "09"): {"negative-grade", "rank-against-score", "unjudged-query", "missing-query"},
    ("10-q", "10-r"): {"tied-scores"},
    ("11-q", "11-r"): {"conflicting-judgment"},
    ("12-msmarco-q", "12-msmarco-r"): {"columns-guessed", "missing-query"},
    ("15-q", "15-r"): {"empty-query", "unjudged-query"},
    ("16",): {"scale-from-one", "similar-queries"},
    ("18", "19"): {"duplicate-judgment", "empty-query", "missing-query", "ratings-of-hits"},
    ("23", "24"): {"columns-guessed", "label-spelling", "rank-from-zero"},
    ("25",): {"encoding-guessed", "scale-from-one"},
    ("27",): {"summary-row"},
    ("28",): {"columns-guessed"},
    ("30",): {"columns-guessed", "encoding-guessed", "not-a-number"},
    ("31",): {"id-scientific", "id-date", "conflicting-judgment", "duplicate-document"},
    ("32",): {"hidden-rows", "merged-cells", "sheet-unused", "summary-row"},
    ("33",): set(),
    ("36",): set(),
    ("42",): {"no-rank", "rank-repeated", "rank-gap"},
    ("45",): {"no-query"},
    ("46",): {"no-rank"},
    ("47",): {"unjudged-query"},
    ("49-q", "49-r"): {"near-miss-query", "no-common-query"},
    ("50-q", "50-r"): {"hash-line"},
    ("55",): set(),
    ("58",): set(),
    ("59",): set(),
}


@pytest.mark.parametrize(("names", "codes"), FIRES.items(), ids=lambda each: " ".join(sorted(each)))
def test_what_the_samples_have(names, codes):
    """Each sample gives the findings that it was made to show, and no other."""
    _, answer = check(*map(sample, names))
    assert {each["code"] for each in answer["findings"]} == codes


REAL = SHARED / "real"
CLEAN = [
    *(("chorus/Broad_Query_Set_" + name,) for name in ("rated.csv", "unrated.csv")),
    ("chorus/Broad_Query_Set_individual_ratings.csv",),
    ("chorus/Chorus_Electronics_basic.csv",),
    ("quepid/static_queryset.csv",),
    ("trec_eval/qrels.test", "trec_eval/results.test"),
    ("trec_eval/qrels.rel_level", "trec_eval/results.test"),
]


@pytest.mark.skipif(not REAL.is_dir(), reason="the data of others are not here")
@pytest.mark.parametrize("names", CLEAN, ids=lambda each: each[0])
def test_clean_data_of_others(names):
    """Data that others work with give no warning."""
    code, answer = check(*(REAL / name for name in names))
    assert code == 0
    assert {each["code"] for each in answer["findings"]} <= {"tied-scores", "negative-grade"}


def test_no_qt():
    """Checking loads no Qt."""
    program = (
        "import sys; from ndcg_desktop.cli import main; "
        f"main(['check', {str(sample('55'))!r}]); "
        "sys.exit(any(name.startswith('PySide6') for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=CHECKOUT, check=False
    )
    assert done.returncode == 0


# ---- an output that cannot be written


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("command", ["score", "check"])
def test_a_full_device(pair, command):
    """An output that is full ends with one line and code 2, not with a traceback."""
    with Path("/dev/full").open("w") as full:
        done = process(command, *pair, stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert done.returncode == 2
    assert done.stderr == b"ndcg: the output cannot be written (No space left on device)\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of another kind")
@pytest.mark.parametrize("command", ["score", "check"])
def test_a_closed_output(pair, command):
    """An output that is closed is told in one line; a closed standard error is no failure."""
    shell = 'exec "$0" -m ndcg_desktop.cli "$@"'

    def run_closed(closed):
        return subprocess.run(
            ["sh", "-c", f"{shell} {closed}", sys.executable, command, *map(str, pair)],
            capture_output=True,
            cwd=CHECKOUT,
            check=False,
        )

    done = run_closed(">&-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"ndcg: the output cannot be written (it is closed)\n"
    done = run_closed("2>&-")
    assert done.returncode == 0
    assert b"run.csv" in done.stdout


def test_every_role_has_its_words(capsys):
    """A column is either named with its role or among those that are not used."""
    assert set(WORDS_OF_ROLES) == {field.name for field in fields(Roles)}
    _, answer = check(sample("23"), sample("24"))
    _, ranking = answer["files"]
    assert ranking["columns"]["title"] == ["product_name"]
    assert not {"product_name"} & set(ranking["unused"])
    (guessed,) = [each for each in answer["findings"] if each["code"] == "columns-guessed"]
    assert guessed["text"].endswith("Give --labels if that is wrong.")


def test_every_kind_of_table_has_its_words():
    """A kind without them would stop the command at the first such file."""
    assert set(KINDS) == set(get_args(Kind))
