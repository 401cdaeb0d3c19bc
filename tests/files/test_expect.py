"""Each sample file, through the command line, gives the figures that EXPECT.json has for it."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from build import SHARED, rows_of

from ndcg_desktop.cli import main
from ndcg_desktop.evaluation.votes import RULES
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.read import read
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.table import FileError

FILES = Path(__file__).parents[1] / "data" / "files"
EXPECT = {
    entry["file"][:2]: entry
    for entry in json.loads((FILES / "EXPECT.json").read_text("utf-8"))["entries"]
    if (FILES / entry["file"]).exists()
}
SIX_DECIMALS = 6e-7
MEAN_OF_SIX_DECIMALS = 1.1e-6
"""The means of EXPECT.json are taken over values that are rounded already."""
GAINS = {"lin": "linear", "exp": "exponential"}


def path_of(name):
    """The only sample file whose name begins so; a path as it is."""
    (path,) = [Path(name)] if Path(name).is_absolute() else FILES.glob(f"{name}*")
    return str(path)


@dataclass
class Sample:
    """Files and arguments, and where the figures stand in the entry's ``numbers``."""

    entry: str
    files: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    part: tuple[str, ...] = ()
    ranking: int = 0

    @property
    def figures(self):
        """Gain, cutoff and the figures for them."""
        numbers = EXPECT[self.entry]["numbers"]
        for name in self.part:
            numbers = numbers[name]
        for name, figures in numbers.items():
            if match := re.fullmatch(r"(lin|exp)@(\d+|all)", name):
                yield match[1], match[2], figures


ZERO = ("--undefined", "zero")
COLUMNS = ("--columns",)
SAMPLES = [
    Sample("01", ("01", "02")),
    Sample("03", ("03",)),
    *[
        Sample("04", ("04",), ("--order", "file", "--merge", rule), (rule,))
        for rule in ("mean", "median", "min", "max")
    ],
    Sample("07", ("07",), ("--order", "file", *ZERO), ("file order",)),
    Sample(
        "07",
        ("07",),
        ("--columns", "grade=grade,query=query id,document=document,score=feature 3", *ZERO),
        ("ranked by feature 3 descending",),
    ),
    Sample("08", ("08", "09"), ZERO),
    Sample(
        "08", ("08", "09"), (*ZERO, "--order", "file"), ("if the rank column were used instead",)
    ),
    Sample("10", ("10-qrels", "10-run"), ("--order", "file"), ("rank as given",)),
    Sample("10", ("10-qrels", "10-run"), (), ("trec_eval tie order",)),
    Sample("10", ("10-qrels", "10-run"), ("--order", "score"), ("trec_eval tie order",)),
    Sample("11", ("11-qrels", "11-run"), (), ("max grade per doc",)),
    Sample("12", ("12-msmarco-qrels", "12-msmarco-run"), (*COLUMNS, "query=1,document=2,rank=3")),
    Sample("15", ("15-qrels", "15-run")),
    Sample("23", ("23", "24"), ("--labels", "exact=2,partial=1,irrelevant=0", *ZERO)),
    Sample("38", ("38",), ("--labels", "r=3,n=2,m=1,i=0")),
    Sample("18", ("18", "19")),
    Sample("28", ("28",), (*COLUMNS, "query=1,document=2,rank=3,grade=4")),
    Sample("30", ("30",), (*COLUMNS, "query=Requête,document=Document,rank=Rang,grade=Note")),
    Sample("32", ("32",)),
    Sample("33", ("33",)),
    Sample("36", ("36",), part=("Live",)),
    Sample("36", ("36",), part=("New model",), ranking=1),
    Sample("45", ("45",)),
    Sample("47", ("47",), ZERO),
    Sample("55", ("55",), ZERO),
    Sample("56", ("56",), (*COLUMNS, "query=1,document=2,rank=3,grade=4")),
    Sample("58", ("58",)),
    Sample("59", ("59",)),
]


def scored(capsys, files, *arguments):
    """The results and findings of the command line."""
    paths = [path_of(name) for name in files]
    code = main(["score", *paths, "--format", "json", *arguments])
    output = capsys.readouterr()
    assert (code, output.err) == (0, "")
    return json.loads(output.out)


def told(answer):
    """Level, code and row of every finding."""
    return [(each["level"], each["code"], each["row"]) for each in answer["findings"]]


def refused(capsys, *files_and_arguments):
    """The one line that a refusal writes."""
    assert main(["score", *files_and_arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("ndcg: ")
    assert output.err.count("\n") == 1
    return output.err


@pytest.mark.parametrize(
    "sample",
    SAMPLES,
    ids=lambda sample: " ".join((*sample.files, *sample.part, *sample.arguments)),
)
def test_figures(capsys, sample):
    """Each query's value, the mean and its n are those of the independent reference."""
    compared = 0
    for gain, cutoff, expected in sample.figures:
        answer = scored(
            capsys, sample.files, *sample.arguments, "--gain", GAINS[gain], "-k", cutoff
        )
        result = answer["results"][sample.ranking]
        got = {query: row["value"] for query, row in result["queries"].items()}
        values = expected["per_query"]
        if sample.entry in ("30", "58"):  # where a query's name is cut to one letter
            got = {query[0]: value for query, value in got.items()}
        assert got == pytest.approx(values, abs=SIX_DECIMALS)
        assert result["mean"] == pytest.approx(expected["mean"], abs=MEAN_OF_SIX_DECIMALS)
        assert result["queries_scored"] == expected["n"]
        compared += 1
    assert compared >= 2


@pytest.mark.parametrize(
    ("entry", "name", "arguments", "query"),
    [
        ("27", "lin@6", ("-k", "6"), "nDCG"),
        ("27", "exp@6", ("-k", "6", "--gain", "exponential"), "nDCG"),
        ("46", "lin@6 ideal=all judged cut at 6", ("-k", "6"), None),
        ("46", "lin@6 ideal=retrieved only", ("-k", "6", "--ideal", "returned"), None),
        ("46", "exp@6 ideal=all judged cut at 6", ("-k", "6", "--gain", "exponential"), None),
        (
            "46",
            "exp@6 ideal=retrieved only",
            ("-k", "6", "--gain", "exponential", "--ideal", "returned"),
            None,
        ),
        ("46", "lin all", ("-k", "all"), None),
    ],
)
def test_one_query_in_detail(capsys, entry, name, arguments, query):
    """DCG, ideal DCG and nDCG of a single query, with how many of its documents are judged."""
    expected = EXPECT[entry]["numbers"][name]
    (result,) = scored(capsys, (entry,), *arguments)["results"]
    row = result["queries"][query or "46-textbook-six-plus-two"]
    figures = (row["dcg"], row["ideal_dcg"], row["value"])
    assert figures == pytest.approx(
        (expected["dcg"], expected["idcg"], expected["ndcg"]), abs=SIX_DECIMALS
    )
    assert row["judged"] == expected["judged_at_k"]
    assert row["returned"] - row["judged"] == expected["unjudged_at_k"]


def test_01_ideal_of_the_returned_documents(capsys):
    """The retrieved-only figure of "garden hose" is the one that EXPECT.json has."""
    (result,) = scored(capsys, ("01", "02"), "-k", "5", "--ideal", "returned")["results"]
    expected = EXPECT["01"]["numbers"]["garden hose retrieved-only ideal lin@5"]
    assert result["queries"]["garden hose"]["value"] == pytest.approx(expected, abs=SIX_DECIMALS)


def test_01_what_is_left_out(capsys):
    """A query without judgments, and a row that has only a query, are listed and not scored."""
    answer = scored(capsys, ("01", "02"))
    (result,) = answer["results"]
    assert result["left_out"] == {"star trek": "not judged", "wars": "not judged"}
    assert told(answer) == [("warning", "unjudged-query", 12)]
    assert '"on leave" policy' in result["queries"]
    assert result["queries"]["hose, expandable 50ft"]["judged"] == 2


@pytest.mark.parametrize("name", ["01", "04", "05", "07", "08"])
def test_judgments_alone(capsys, name):
    """Judgments without a ranking are refused with a word on what is missing."""
    assert "without a ranking" in refused(capsys, path_of(name))


def test_03_one_file_of_both(capsys):
    """A cell of two lines is one row, and queries that differ by case are kept apart and told."""
    assert len(read(Path(path_of("03")))[0]) == 6
    answer = scored(capsys, ("03",))
    assert told(answer) == [("note", "similar-queries", 7)]
    assert answer["results"][0]["queries"]["red kettle"]["judged"] == 3


@pytest.mark.parametrize("rule", ["mean", "median", "min", "max"])
def test_04_grades(capsys, rule):
    """Three raters become one grade by each rule, over the raters that there are."""
    (table,) = read(Path(path_of("04")))
    known = guess(table)
    assert known.doubt == ""
    assert [table.names[place] for place in known.roles.graders] == [
        "Rater A",
        "Rater B",
        "Rater C",
    ]
    (judgments,) = assemble([Understood(table, known.roles, merge=rule)]).judgments
    expected = EXPECT["04"]["numbers"][rule]["grades"]
    flat = {
        (query, document): grade
        for query, some in expected.items()
        for document, grade in some.items()
    }
    for query, document, grade in zip(
        judgments.query.texts(), judgments.document.texts(), judgments.grade, strict=True
    ):
        if flat[query, document] is None:
            assert grade != grade
        else:
            assert grade == pytest.approx(flat[query, document], abs=5e-5)
    (result,) = scored(capsys, ("04",), "--order", "file", "--merge", rule)["results"]
    assert result["options"]["grades"] == f"{RULES[rule]} of 2–3 judges"


def test_05_an_ltr_list():
    """Grades, queries, documents and titles of the list, and the query texts of its comments."""
    (table,) = read(Path(path_of("05")))
    (judgments,) = assemble([Understood(table, guess(table).roles)]).judgments
    got = {}
    for query, document, grade in zip(
        judgments.query.texts(), judgments.document.texts(), judgments.grade, strict=True
    ):
        got.setdefault(query, {})[document] = grade
    assert got == EXPECT["05"]["numbers"]["judgments"]
    assert list(judgments.query_text)[::3] == ["blue tent", "camp stove", "head lamp"]
    assert "Blue mug # sale" in list(table.columns[4])


def test_07_documents_without_a_name(capsys):
    """The file says that its documents are called after their lines."""
    answer = scored(capsys, ("07",), "--order", "file", "-k", "50", "-k", "all")
    assert told(answer) == [("note", "no-document-ids", None)]
    assert [result["cutoff"] for result in answer["results"]] == [50, None]
    assert answer["results"][0]["left_out"] == {"5": "no relevant document judged"}


def test_08_what_is_missing_may_be_left_out(capsys):
    """The query that the run misses counts as 0, or is left out."""
    expected = EXPECT["08"]["numbers"]["lin@5"]
    (result,) = scored(capsys, ("08", "09"), "-k", "5", *ZERO, "--missing", "skip")["results"]
    assert result["mean"] == pytest.approx(expected["mean_excluding_missing_104"], abs=SIX_DECIMALS)
    assert result["left_out"] == {"104": "absent from the ranking", "105": "not judged"}


def test_08_what_is_found(capsys):
    """Negative grades, ranks against scores, and one-sided queries are told with their rows."""
    found = told(scored(capsys, ("08", "09")))
    assert [row for _, code, row in found if code == "negative-grade"] == [2]
    assert [row for _, code, row in found if code == "rank-against-score"] == [5, 9]
    assert {code for _, code, _ in found} == {
        "negative-grade",
        "rank-against-score",
        "unjudged-query",
        "missing-query",
    }


def test_10_ties_are_told(capsys):
    """Each query with tied scores is told; taken as ranked there is nothing to tell of them."""
    found = told(scored(capsys, ("10-qrels", "10-run")))
    assert [(level, code) for level, code, _ in found] == [("note", "tied-scores")] * 2


def test_11_subtopics_do_not_overwrite(capsys):
    """A document graded for several subtopics is a conflict that is told, not the last line's."""
    found = told(scored(capsys, ("11-qrels", "11-run")))
    assert found == [("warning", "conflicting-judgment", row) for row in (3, 5, 6)]


def test_12_three_columns_are_asked_about(capsys):
    """A file without a header is asked about, with columns to copy that are the right ones."""
    line = refused(capsys, path_of("12-msmarco-qrels"), path_of("12-msmarco-run"))
    assert "--columns query=1,document=2,rank=3" in line


@pytest.mark.parametrize("name", ["28", "30", "56"])
def test_the_columns_to_copy(capsys, name):
    """A guess that wants confirmation is told as the argument that confirms it."""
    line = refused(capsys, path_of(name))
    columns = re.search(r"--columns (\S+)$", line)[1]
    (result,) = scored(capsys, (name,), "--columns", columns)["results"]
    assert result["queries_scored"] == EXPECT[name]["numbers"]["lin@10"]["n"]


@pytest.mark.parametrize(
    ("files", "labels"),
    [(("23", "24"), "exact=2,partial=1,irrelevant=0"), (("38",), "r=3,n=2,m=1,i=0")],
)
def test_the_labels_to_copy(capsys, files, labels):
    """Grades in words are never scored unseen: the refusal has the suggestion to copy."""
    line = refused(capsys, *(path_of(name) for name in files))
    assert line.rstrip().endswith(f"If this is right say --labels {labels}")
    assert "“" + labels.split("=")[0] + "” is " in line


def test_23_spellings_are_told(capsys):
    """“exact” and “Partial ” are the labels of the other rows, which is told with their rows."""
    answer = scored(capsys, ("23", "24"), "--labels", "exact=2,partial=1,irrelevant=0")
    spelled = [each["row"] for each in answer["findings"] if each["code"] == "label-spelling"]
    assert spelled == [4, 7]


def test_24_titles():
    """The name of a product stands beside it, the text of a query beside its id."""
    (table,) = read(Path(path_of("24")))
    roles = guess(table).roles
    assert (roles.query, roles.query_text, roles.document, roles.title) == (0, 1, 4, 5)


def test_25_a_scale_from_one(capsys, tmp_path):
    """Home Depot's lowest grade gains, which is told, with the gains that subtract 1."""
    lines = Path(path_of("25")).read_bytes().splitlines(keepends=True)
    reverse = tmp_path / "reverse.csv"
    reverse.write_bytes(b"".join([lines[0], *reversed(lines[1:])]))
    answer = scored(capsys, (str(reverse),), "--order", "file")
    finding, encoding = sorted(answer["findings"], key=lambda each: each["code"], reverse=True)
    assert (encoding["level"], encoding["code"]) == ("note", "encoding-guessed")
    assert (finding["level"], finding["code"]) == ("note", "scale-from-one")
    gains = re.search(r"by gains of (\S+)\.$", finding["text"])[1]
    less = scored(capsys, (str(reverse),), "--order", "file", "--gain", gains)
    expected = EXPECT["25"]["numbers"]["convection otr in file order"]
    values = [each["results"][0]["queries"]["convection otr"]["value"] for each in (answer, less)]
    assert values == pytest.approx(
        [expected["reversed order raw"], expected["reversed order minus 1"]], abs=6e-6
    )


def test_26_titles_for_documents(capsys):
    """Without a document id the title is asked about, and the median is the grade."""
    line = refused(capsys, path_of("26"))
    assert "“product_title” is perhaps the document" in line
    (result,) = scored(
        capsys, ("26",), "--order", "file", "--columns", re.search(r"--columns (\S+)$", line)[1]
    )["results"]
    assert result["queries"]["led lights"]["value"] == pytest.approx(1.0)


def test_39_lists_in_a_cell(capsys):
    """Several grades in a cell are refused with what to do about them, also where confirmed."""
    line = refused(capsys, path_of("39"))
    assert "“grades” holds several grades in a cell, such as “0|3|1|2”" in line
    again = refused(capsys, path_of("39"), "--columns", "query=1,document=2,grade=3")
    assert "Give each document a row of its own" in again


def test_15_an_empty_query(capsys):
    """A query without judgments is told, kept, and disturbs no other."""
    answer = scored(capsys, ("15-qrels", "15-run"))
    assert told(answer) == [("note", "empty-query", 5), ("warning", "unjudged-query", 6)]
    assert answer["results"][0]["left_out"] == {"q3": "not judged"}


def grades_of(table):
    """The grades of a table of judgments, by query and document."""
    known = guess(table)
    assert known.doubt == ""
    (judgments,) = assemble([Understood(table, known.roles)]).judgments
    got = {}
    for query, document, grade in zip(
        judgments.query.texts(), judgments.document.texts(), judgments.grade.tolist(), strict=True
    ):
        got.setdefault(query, {})[document] = grade
    return got


def test_16_ratings_of_a_group(capsys):
    """Every query of a group has its judgments; topic and group stay beside them."""
    (table,) = read(Path(path_of("16")))
    assert grades_of(table) == EXPECT["16"]["numbers"]["judgments"]
    assert rows_of(table)[0] == ["lumo", "1", 3, "Desk lamps", "Brand"]
    assert rows_of(table)[5] == ["desk lamp", "7", 1, "Desk lamps", "Type"]
    assert "without a ranking" in refused(capsys, path_of("16"))


def test_18_the_text_of_a_request():
    """The text that a request matches stands beside its id."""
    (table,) = read(Path(path_of("18")))
    (judgments,) = assemble([Understood(table, guess(table).roles)]).judgments
    assert set(zip(judgments.query.texts(), judgments.query_text, strict=True)) == {
        ("oslo_query", "oslo"),
        ("bergen_query", "bergen"),
        ("trondheim_query", "trondheim"),
    }


def test_18_what_the_hits_leave_open(capsys):
    """A hit without a rating is unjudged, and a request without hits is absent, not undefined."""
    answer = scored(capsys, ("18", "19"))
    (result,) = answer["results"]
    oslo, bergen = (result["queries"][name] for name in ("oslo_query", "bergen_query"))
    assert (oslo["judged"], oslo["returned"]) == (2, 3)
    assert (bergen["value"], bergen["returned"]) == (0.0, 0)
    assert ("warning", "missing-query", 4) in told(answer)


def test_19_alone(capsys):
    """The answer alone has a ranking with some ratings, and says what its ideal lacks."""
    answer = scored(capsys, ("19",))
    (result,) = answer["results"]
    assert result["queries"]["trondheim_query"]["value"] == 1.0
    # 3 at the second place: 3 / log2(3) over 3
    assert result["queries"]["oslo_query"]["value"] == pytest.approx(0.6309297535714575)
    assert result["left_out"] == {"bergen_query": "not judged"}
    assert told(answer) == [
        ("note", "ratings-of-hits", None),
        ("note", "empty-query", 4),
    ]


@pytest.mark.parametrize("gain", ["lin", "exp"])
def test_20_ratings_as_text(capsys, tmp_path, gain):
    """Ratings such as "100.000" are numbers, and a ranking meets their queries and documents."""
    ranking = tmp_path / "ranking.csv"
    rows = [f"tea towel,B0TT00000{place},{rank}" for rank, place in enumerate((3, 1, 2, 4), 1)]
    ranking.write_text("\n".join(["query,docid,rank", *rows]), "utf-8")
    answer = scored(capsys, ("20", str(ranking)), "-k", "4", "--gain", GAINS[gain])
    row = answer["results"][0]["queries"]["tea towel"]
    expected = EXPECT["20"]["numbers"]["tea towel in order 3,1,2,4"][gain]
    assert row["dcg"] == pytest.approx(expected["dcg"], rel=1e-8)
    assert row["ideal_dcg"] == pytest.approx(expected["idcg"], rel=1e-8)
    assert row["value"] == pytest.approx(expected["ndcg"], abs=SIX_DECIMALS)
    assert row["judged"] == expected["judged_at_k"]


def test_20_a_blank_before_a_query():
    """The blank is left out as it is of any id, and said; a grade of 0.7 stays one."""
    (table,) = read(Path(path_of("20")))
    assert grades_of(table)["adf"] == {"B0TT000009": 0.7, "B0TT000010": 1.0}
    (finding,) = table.findings
    assert (finding.code, finding.row) == ("spaces-around", 5)


def test_52_two_people(capsys):
    """Two people's ratings become their mean, and a task that was skipped is not judged."""
    (table,) = read(Path(path_of("52")))
    expected = EXPECT["52"]["numbers"]["mean grades"]
    got = grades_of(table)["grill"]
    assert {name: None if grade != grade else grade for name, grade in got.items()} == expected
    (result,) = scored(capsys, ("52",))["results"]
    assert result["options"]["grades"] == "mean of 1–2 judges"
    assert result["queries"]["grill"]["judged"] == 2


def test_27_sums_are_no_items(capsys):
    """Total and nDCG are left out, and the list of ideal grades is not taken for grades."""
    answer = scored(capsys, ("27",), "-k", "all")
    assert told(answer) == [("note", "summary-row", 8), ("note", "summary-row", 9)]
    (result,) = scored(capsys, ("27",), "-k", "all", "--ideal", "column")["results"]
    assert result["queries"]["nDCG"]["ideal_dcg"] == pytest.approx(7.140995, abs=SIX_DECIMALS)


def test_28_decimal_commas():
    """2,5 is 2.5, the byte order mark belongs to no header, and quoted semicolons are text."""
    (table,) = read(Path(path_of("28")))
    assert table.header[0] == "Suchanfrage"
    (judgments,) = assemble([Understood(table, guess(table).roles)]).judgments
    assert judgments.grade[:3].tolist() == [2.5, 3, 0.5]
    assert table.columns[4][0] == "gut; fast perfekt"


def test_30_a_word_for_a_grade(capsys):
    """The words "non jugé" are no number: the row is unjudged, and told with its line."""
    columns = "query=Requête,document=Document,rank=Rang,grade=Note"
    answer = scored(capsys, ("30",), "--columns", columns)
    assert sorted(told(answer)) == [
        ("note", "encoding-guessed", None),
        ("warning", "not-a-number", 5),
    ]
    assert any("non jugé" in each["text"] for each in answer["findings"])
    assert answer["results"][0]["queries"]["vélo électrique"]["judged"] == 2


def test_32_sheets(capsys):
    """The sheet with the table is used, the guide and the hidden sheet are not, nor the footer."""
    answer = scored(capsys, ("32",))
    assert [(each["code"], each["sheet"], each["row"]) for each in answer["findings"]] == [
        ("sheet-unused", "READ ME", None),
        ("sheet-unused", "old", None),
        ("merged-cells", "Week 40", 5),
        ("hidden-rows", "Week 40", 6),
        ("summary-row", "Week 40", 15),
    ]
    (table,) = [table for table in read(Path(path_of("32"))) if table.sheet == "Week 40"]
    assert table.row.tolist() == [5, 6, 7, 9, 10, 11, 12, 15]
    (old,) = scored(capsys, ("32",), "--sheet", "old")["results"]
    assert list(old["queries"]) == ["winter boots"]


def test_33_a_million_empty_rows():
    """A cell in the last of a million rows leaves two rows of data."""
    (table,) = read(Path(path_of("33")))
    assert table.row.tolist() == [2, 3]


def test_36_unjudged_in_one_system(capsys):
    """A document that only the new model returns is unjudged in its list."""
    answer = scored(capsys, ("36",), "-k", "4")
    live, new = answer["results"]
    assert (live["ranking"], new["ranking"]) == ("Live", "New model")
    sofa = new["queries"]["sofa"]
    assert (sofa["judged"], sofa["returned"]) == (3, 4)
    assert sofa["lower"] == sofa["value"] < sofa["upper"]


def test_42_ranks_as_people_write_them(capsys):
    """#1, 2nd and 3.0 are ranks; what is missing or stands twice is told."""
    answer = scored(capsys, ("42",), "-k", "3", "-k", "5", "-k", "10")
    values = {
        (result["cutoff"], query): row["value"]
        for result in answer["results"]
        for query, row in result["queries"].items()
    }
    numbers = EXPECT["42"]["numbers"]
    ink = numbers["ink (close gaps)"]
    for cutoff in (3, 10):
        expected = ink[f"lin@{cutoff}"]["per_query"]["ink"]
        assert values[cutoff, "ink"] == pytest.approx(expected, abs=SIX_DECIMALS)
    expected = numbers["pen with P5 left out of the ranking but judged lin@5"]
    assert values[5, "pen"] == pytest.approx(expected, abs=SIX_DECIMALS)
    assert told(answer) == [
        ("note", "no-rank", 6),
        ("warning", "rank-repeated", 5),
        ("note", "rank-gap", 4),
        ("note", "rank-gap", 9),
    ]


def test_45_ids_are_text(capsys):
    """null, NA, TRUE and N/A are queries, and only the row without one is told."""
    answer = scored(capsys, ("45",))
    assert list(answer["results"][0]["queries"]) == ["null", "NA", "TRUE", "N/A"]
    assert told(answer) == [("warning", "no-query", 8)]
    (table,) = read(Path(path_of("45")))
    assert table.columns[1] == ["NA", "None", "nan", "1e5", "inf", "-", "X"]


def test_46_without_a_query(capsys):
    """Documents without a position are judged and not returned."""
    answer = scored(capsys, ("46",))
    assert told(answer) == [("note", "no-rank", 8), ("note", "no-rank", 9)]


def test_47_what_has_no_score(capsys):
    """Queries without a relevant document stand apart, and one without judgments too."""
    (result,) = scored(capsys, ("47",))["results"]
    assert result["mean"] == pytest.approx(
        EXPECT["47"]["numbers"]["mean over queries with a relevant doc lin@10"], abs=1e-9
    )
    assert result["left_out"] == {
        "all zeros": "no relevant document judged",
        "one doc bad": "no relevant document judged",
        "blank all": "not judged",
    }


def test_49_no_query_in_common(capsys):
    """Ids that never match are refused with examples of both files, not scored as 0."""
    line = refused(capsys, path_of("49-qrels"), path_of("49-run"))
    for query in ("2024-1.0", "2024-2.0", "2024-1”", "2024-2”"):
        assert query in line


def test_50_hashes_in_ids(capsys):
    """Comments are left out, a # within an id is data, and a line that reads as data is told."""
    answer = scored(capsys, ("50-qrels", "50-run"))
    (result,) = answer["results"]
    expected = EXPECT["50"]["numbers"]["query 2024-7"]["lin@10"]["per_query"]["2024-7"]
    assert result["queries"]["2024-7"]["value"] == pytest.approx(expected, abs=SIX_DECIMALS)
    assert told(answer) == [("warning", "hash-line", 6)]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("57-empty", "empty"),
        ("57-header-only", "no rows"),
        ("57-not-a-spreadsheet", "not a workbook|no table|not text"),
        ("57-binary", "not text"),
    ],
)
def test_57_what_cannot_be_read(capsys, name, part):
    """Each of these gives one plain sentence that says what is wrong."""
    line = refused(capsys, path_of(name))
    assert re.search(part, line)
    assert line.rstrip().endswith((".", ")"))


def test_59_text_that_looks_like_formulas(capsys):
    """Queries that begin with = + - @ are text."""
    (result,) = scored(capsys, ("59",))["results"]
    assert list(result["queries"]) == ["=2+3", "+49 30 1234", "-5 degrees", "@home"]


def test_55_judged_beside_the_score(capsys):
    """How many of the first ten documents are judged stands beside each query's score."""
    (result,) = scored(capsys, ("55",))["results"]
    got = {query: row["judged"] for query, row in result["queries"].items()}
    got |= dict.fromkeys(result["left_out"], None)
    expected = EXPECT["55"]["numbers"]["judged@10 per query"]
    assert {query: judged for query, judged in got.items() if judged is not None}.items() <= (
        expected.items()
    )
    assert got.keys() == expected.keys()


def test_every_sample_is_used():
    """No file with figures is left out of this test."""
    with_figures = {name for name, entry in EXPECT.items() if entry["numbers"]}
    elsewhere = {"05", "16", "20", "25", "26", "27", "39", "42", "46", "50", "52"}
    assert with_figures == {sample.entry for sample in SAMPLES} | elsewhere


# ---- other people's data, beside the checkout

REAL = SHARED / "real"
real_data = pytest.mark.skipif(not REAL.is_dir(), reason="the data of others are not here")
REAL_EXPECT = (
    json.loads((REAL / "EXPECT.json").read_text("utf-8")) if (REAL / "EXPECT.json").exists() else {}
)
TREC_EVAL = [name for name in REAL_EXPECT if name.startswith("trec_eval")]
REAL_FIGURES = r"(lin|exp)(?:@(\d+)| no cutoff)"


@real_data
@pytest.mark.parametrize("name", TREC_EVAL)
def test_the_data_of_trec_eval(capsys, name):
    """trec_eval's own test files give its figures, per query and both ways of taking the mean."""
    expected = REAL_EXPECT[name]
    paths = (str(REAL / expected["qrels"]), str(REAL / expected["run"]))
    compared = 0
    for key, figures in expected.items():
        if not (match := re.fullmatch(REAL_FIGURES, key)):
            continue
        arguments = ("--gain", GAINS[match[1]], "-k", match[2] or "all", *ZERO)
        common, absent_as_zero = (
            scored(capsys, paths, *arguments, "--missing", missing)["results"][0]
            for missing in ("skip", "zero")
        )
        if not isinstance(figures, dict):
            figures = {"mean_over_common": figures}
        assert common["queries_scored"] == expected["queries_in_common"]
        assert common["mean"] == pytest.approx(
            figures["mean_over_common"], abs=MEAN_OF_SIX_DECIMALS
        )
        if "mean_missing_as_zero" in figures:
            assert absent_as_zero["queries_scored"] == expected["queries_judged"]
            assert absent_as_zero["mean"] == pytest.approx(
                figures["mean_missing_as_zero"], abs=MEAN_OF_SIX_DECIMALS
            )
        if figures.get("per_query"):
            got = {query: row["value"] for query, row in common["queries"].items()}
            assert got == pytest.approx(figures["per_query"], abs=SIX_DECIMALS)
        compared += 1
    assert compared == 7


@real_data
@pytest.mark.parametrize("name", TREC_EVAL)
def test_the_rank_column_of_trec_eval(capsys, name):
    """Going by the rank column gives other figures where ranks and scores disagree."""
    expected = REAL_EXPECT[name]
    paths = (str(REAL / expected["qrels"]), str(REAL / expected["run"]))
    for cutoff in (5, 10, 20):
        arguments = ("--order", "file", "--missing", "skip", *ZERO, "-k", str(cutoff))
        (result,) = scored(capsys, paths, *arguments)["results"]
        assert result["mean"] == pytest.approx(
            expected[f"rank column lin@{cutoff}"], abs=MEAN_OF_SIX_DECIMALS
        )


@real_data
def test_the_official_output_of_trec_eval(capsys):
    """The output that trec_eval ships with its sample is met to its four decimals."""
    expected = REAL_EXPECT["trec_eval sample"]
    paths = (str(REAL / expected["qrels"]), str(REAL / expected["run"]))
    for measure, cutoff in (("ndcg", "all"), ("ndcg_cut_5", "5"), ("ndcg_cut_20", "20")):
        (result,) = scored(capsys, paths, "-k", cutoff, "--convention", "trec_eval")["results"]
        got = {query: row["value"] for query, row in result["queries"].items()}
        got["all"] = result["mean"]
        official = expected["official output out.test.aq"]
        assert got == pytest.approx(
            {query: figures[measure] for query, figures in official.items()}, abs=5.1e-5
        )


@real_data
@pytest.mark.parametrize("gain", ["lin", "exp"])
@pytest.mark.parametrize("cutoff", ["5", "10"])
def test_three_raters_of_chorus(capsys, gain, cutoff):
    """The final ratings of 135 queries, their rows taken as a ranking, give the figures."""
    expected = REAL_EXPECT["chorus individual"]
    path = str(REAL / "chorus" / "Broad_Query_Set_individual_ratings.csv")
    (result,) = scored(
        capsys, (path,), "--order", "file", *ZERO, "--gain", GAINS[gain], "-k", cutoff
    )["results"]
    name = f"file order as ranking, final_rating, {gain}@{cutoff} mean over all queries"
    assert result["mean"] == pytest.approx(
        expected[f"{name} (no-relevant = 0)"], abs=MEAN_OF_SIX_DECIMALS
    )
    assert result["queries_scored"] == expected["queries"]
    assert len(result["left_out"]) == 0


@real_data
def test_what_chorus_holds():
    """Rows, queries and ratings of the Chorus files are read in full."""
    counts = {}
    for name in ("rated", "unrated", "individual_ratings"):
        (table,) = read(REAL / "chorus" / f"Broad_Query_Set_{name}.csv")
        known = guess(table)
        assert known.doubt == ""
        (judgments,) = assemble([Understood(table, known.roles)]).judgments
        judged = int((judgments.grade == judgments.grade).sum())
        counts[name] = (len(table), len(set(judgments.query.texts())), judged)
    unrated, individual = REAL_EXPECT["chorus unrated"], REAL_EXPECT["chorus individual"]
    assert counts["unrated"] == (unrated["rows"], unrated["queries"], unrated["with_rating"])
    assert counts["individual_ratings"][:2] == (individual["rows"], individual["queries"])
    assert counts["rated"][0] == REAL_EXPECT["chorus rated vs individual"]["rated_rows"]


@real_data
def test_a_tab_separated_file_named_csv():
    """The queries of WANDS are separated by tabs, and their inch marks swallow no row."""
    expected = REAL_EXPECT["wands query"]
    (table,) = read(REAL / "wands" / "query.csv")
    assert (len(table), list(table.header)) == (expected["rows"], expected["columns"])
    assert sum('"' in query for query in table.columns[1]) == expected["with_quote"]


@real_data
def test_the_judgments_of_opensearch():
    """Queries, judgments and grades of the ESCI list are all there, and no finding is made up."""
    expected = REAL_EXPECT["opensearch esci"]
    (table,) = read(REAL / "opensearch" / "esci_us_judgments.json")
    assert table.findings == ()
    counts = Counter(table.columns[table.names.index("rating")])
    assert counts == expected["grades"]
    assert (len(table), len(grades_of(table))) == (expected["judgments"], expected["queries"])


@real_data
def test_a_query_listed_twice_by_opensearch():
    """A list that names a query again loses none of its rows."""
    path = REAL / "opensearch" / "ImportJudgments.json"
    lists = json.loads(path.read_text("utf-8"))["judgmentRatings"]
    (table,) = read(path)
    expected = [
        [each["query"], rated["docId"], rated["rating"]]
        for each in lists
        for rated in each["ratings"]
    ]
    places = [table.names.index(name) for name in ("query", "docId", "rating")]
    assert [[row[place] for place in places] for row in rows_of(table)] == expected
    assert len({each["query"] for each in lists}) < len(lists)


@real_data
def test_a_query_set_of_opensearch():
    """A query set is refused with a word on what it lacks."""
    with pytest.raises(FileError, match="queries and no judgments"):
        read(REAL / "opensearch" / "esci_us_queryset.json")


@real_data
def test_the_ratings_of_rre():
    """RRE's own example gives each query of a group the group's judgments."""
    (table,) = read(REAL / "rre" / "ratings_example.json")
    assert grades_of(table) == {
        **{query: {"1": 3, "2": 3} for query in ("fender", "Fender", "Fender bass")},
        **{query: {"1": 3} for query in ("jazz", "Jazz", "Jazz Bass")},
    }
