"""Judgments and rankings in every format, as that format's own readers take them."""

import csv
import io
import json
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from build import SHARED
from hypothesis import example, given, settings
from hypothesis import strategies as st
from openpyxl.utils.escape import unescape

from ndcg_desktop.files import convert
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.convert import (
    FORMATS,
    SAVE_FORMATS,
    encode_judgments,
    encode_ranking,
    save_judgments,
    save_ranking,
)
from ndcg_desktop.files.exchange import Encoded, Judged, Judgments, Ranked, Ranking
from ndcg_desktop.files.read import read
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.table import FileError

RANKING_FORMATS = [key for key, form in FORMATS.items() if form.ranking is not None]
JUDGMENT_FORMATS = [form.key for form in SAVE_FORMATS]

ROWS = [
    Judged("7", "A", 3.0, "An  anvil"),
    Judged("7", "0012", 0.0),
    Judged("7", "=B+1", None, "Broom"),
    Judged("12", "A", -1.0),
    Judged("12", "Ärmel", 2.0),
]
TEXTS = {"7": "red anvil", "12": "sleeve"}


def named(key, name="new"):
    """A path whose ending suits the format."""
    return Path(name + FORMATS[key].suffix)


def encode(key, rows, texts=None):
    """Judgments in a format."""
    return encode_judgments(named(key), FORMATS[key], Judgments(rows, texts or {}))


def encode_run(key, rows, by_score=False):
    """A ranking in a format."""
    return encode_ranking(named(key), FORMATS[key], Ranking(rows, by_score))


def codes(encoded):
    """The codes of what was told."""
    return [finding.code for finding in encoded.findings]


def nested(rows):
    """Rows of query, document and anything as {query: {document: anything}}."""
    out = defaultdict(dict)
    for query, document, value in rows:
        assert document not in out[query]
        out[query][document] = value
    return dict(out)


def lines(data):
    """Lines of text as Python's open() gives them."""
    return io.TextIOWrapper(io.BytesIO(data), "utf-8")


# ---- each format as its own readers read it


def from_qrels(data):
    """As pytrec_eval reads judgments."""
    return dict(pytest.importorskip("pytrec_eval").parse_qrel(lines(data)))


def from_ltr(data):
    """As RankLib reads: a line is cut at its first "#", and the first word behind is the id."""
    rows = []
    for line in lines(data):
        if not line.startswith("#"):
            before, _, after = line.partition("#")
            grade, query = before.split()
            rows.append((query.removeprefix("qid:"), after.split()[0], float(grade)))
    return nested(rows)


def from_quepid(data):
    """By place, below one header, blanks skipped, as Quepid's importer reads."""
    _, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    return nested((q.strip(), d.strip(), float(g)) for q, d, g in rows if g.strip())


def from_rre(data):
    """The gains of every group of queries."""
    (topic,) = json.loads(data)["topics"]
    return {
        group["name"]: {d: judged["gain"] for d, judged in group["relevant_documents"].items()}
        for group in topic["query_groups"]
    }


def from_beir(data):
    """As BEIR's GenericDataLoader reads: the csv module with tabs, and int()."""
    reader = csv.reader(lines(data), delimiter="\t", quoting=csv.QUOTE_MINIMAL)
    next(reader)
    return nested((row[0], row[1], int(row[2])) for row in reader)


def from_csv(data):
    """By header, as the csv module reads."""
    reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    return nested(
        (row.get("query id", row["query"]), row["document"], float(row["grade"]))
        for row in reader
        if row["grade"]
    )


def from_xlsx(data):
    """As openpyxl reads: ids are texts and grades numbers."""
    header, *rows = openpyxl.load_workbook(io.BytesIO(data)).active.iter_rows(values_only=True)
    query = header.index("query id" if "query id" in header else "query")
    document, grade = header.index("document"), header.index("grade")
    return nested(
        (unescape(row[query]), unescape(row[document]), row[grade])
        for row in rows
        if row[grade] is not None
    )


READERS = {
    "csv": from_csv,
    "xlsx": from_xlsx,
    "qrels": from_qrels,
    "ltr": from_ltr,
    "quepid": from_quepid,
    "rre": from_rre,
    "beir": from_beir,
    "pytrec_eval": json.loads,
}

ODD = st.text(
    st.sampled_from(
        "aZ09\u00e4\u03a9\u4e2d\U0001f600\u00a0\u2028\u0085\ufeff#:;,|\t\"'=+-@_x. \r\n\0\x1f\ud800"
    )
    | st.characters(),
    min_size=1,
    max_size=6,
)
ODD = ODD.map(str.strip).filter(bool)
PLAIN = st.text("aZ09äΩ中😀'=+-@_x.,;|", min_size=1, max_size=6)
GRADES = st.none() | st.integers(-3, 5).map(float) | st.floats(-9, 9)
WHOLE = st.none() | st.integers(-3, 5).map(float)


def judgments(ids, grades):
    """Rows with each pair once, of several queries."""
    return st.lists(
        st.builds(Judged, ids, ids, grades, st.just("")), min_size=1, unique_by=lambda r: r[:2]
    ).filter(lambda rows: any(row.grade is not None for row in rows))


@pytest.mark.parametrize("key", JUDGMENT_FORMATS)
@given(rows=judgments(ODD, GRADES))
@example(rows=[Judged("q", "_x0041_", 1.0)])
@example(rows=[Judged("q", '"a', 1.0), Judged("q", "b", 1.0)])
@example(rows=[Judged("query", "document", 1.0)])
@example(rows=[Judged("q", "total", None), Judged("q", "a", 1.0)])
@settings(max_examples=60, deadline=None)
def test_odd_ids_are_refused_or_read_as_they_were(key, rows, tmp_path_factory):
    """Whatever the ids and grades, the format's reader and this program read them, or none do."""
    wanted = nested(row[:3] for row in rows if row.grade is not None)
    target = tmp_path_factory.getbasetemp() / named(key, f"odd-{key}")
    try:
        written = save_judgments(target, FORMATS[key], Judgments(rows))
    except FileError:
        return
    assert READERS[key](target.read_bytes()) == wanted
    if written.table is not None:
        assert our_grades(target) == wanted


def our_grades(path):
    """The judged documents of a file as this program reads it."""
    (table,) = read(path)
    found = assemble([Understood(table, guess(table).roles)])
    assert found.rankings == []
    (columns,) = found.judgments
    rows = zip(columns.query.texts(), columns.document.texts(), columns.grade.tolist(), strict=True)
    return nested(row for row in rows if not math.isnan(row[2]))


@pytest.mark.parametrize("key", JUDGMENT_FORMATS)
@given(rows=judgments(PLAIN, WHOLE))
@settings(max_examples=40, deadline=None)
def test_plain_ids_are_never_refused(key, rows):
    """Ids without spaces and whole grades can be written in every format."""
    encoded = encode(key, rows)
    assert READERS[key](encoded.data) == nested(r[:3] for r in rows if r.grade is not None)


@pytest.mark.parametrize("key", JUDGMENT_FORMATS)
def test_the_samples_in_every_format(key, tmp_path):
    """Grades come back whole, numbers without ".0", and everything left out is told."""
    target = tmp_path / named(key)
    written = save_judgments(target, FORMATS[key], Judgments(ROWS, TEXTS))
    ids = {"7": "red anvil", "12": "sleeve"} if key == "quepid" else {"7": "7", "12": "12"}
    assert READERS[key](target.read_bytes()) == {
        ids["7"]: {"A": 3, "0012": 0},
        ids["12"]: {"A": -1, "Ärmel": 2},
    }
    assert b"3.0" not in target.read_bytes() or key == "xlsx"
    told = {finding.code for finding in written.findings}
    form = FORMATS[key]
    assert ("unjudged-left-out" in told) == (not form.unjudged)
    assert ("titles-left-out" in told) == (not form.titles)
    assert ("query-texts-left-out" in told) == (not form.query_texts)
    assert all(finding.source.file == target.name for finding in written.findings)


@pytest.mark.parametrize("key", ["csv", "xlsx", "ltr"])
def test_texts_and_titles_come_back(key, tmp_path):
    """Formats with a place for texts of queries and titles give them back to this program."""
    target = tmp_path / named(key)
    table = save_judgments(target, FORMATS[key], Judgments(ROWS, TEXTS)).table
    columns = assemble([Understood(table, guess(table).roles)]).judgments[0]
    assert dict(zip(columns.query.texts(), columns.query_text, strict=True)) == TEXTS
    titles = dict(zip(columns.document.texts(), columns.other["title"], strict=True))
    assert titles["0012"] == ""
    # A line of a learning-to-rank file cannot keep two spaces.
    assert columns.other["title"][0] == ("An anvil" if key == "ltr" else "An  anvil")


def test_unjudged_rows_stay_in_a_table():
    """A document that is not judged has an empty cell in CSV, XLSX and Quepid, never 0."""
    assert b"7,=B+1,\n" in encode("csv", [row._replace(title="") for row in ROWS]).data
    assert b"7,=B+1,\n" in encode("quepid", ROWS).data
    sheet = openpyxl.load_workbook(io.BytesIO(encode("xlsx", ROWS).data)).active
    assert [[cell.value for cell in row][1:] for row in sheet.iter_rows(min_row=4, max_row=4)] == [
        ["=B+1", "Broom", None]
    ]


def test_a_workbook_holds_ids_as_texts():
    """In XLSX an id like a number or a formula is a text cell and a grade a number."""
    sheet = openpyxl.load_workbook(io.BytesIO(encode("xlsx", ROWS).data)).active
    assert [sheet.cell(row, 2).data_type for row in range(2, 7)] == ["s"] * 5
    assert [sheet.cell(row, 2).value for row in (3, 4)] == ["0012", "=B+1"]
    assert sheet.cell(2, 4).data_type == "n"


def test_csv_marks_its_encoding_and_quotes_line_breaks():
    """CSV for spreadsheets begins with a byte order mark; Quepid's, which Ruby reads, does not."""
    rows = [Judged("a\nb", 'say "x", twice', 1.0)]
    assert (
        encode("csv", rows).data
        == '\ufeffquery,document,grade\n"a\nb","say ""x"", twice",1\n'.encode()
    )
    assert encode("quepid", rows).data.startswith(b"query,docid,rating\n")


# ---- the tools themselves


def test_ir_measures_reads_qrels_and_runs(tmp_path):
    """ir_measures reads the judgments and the ranking, and scores them as by hand."""
    ir_measures = pytest.importorskip("ir_measures")
    save_judgments(tmp_path / "j.qrels", FORMATS["qrels"], Judgments(ROWS[:2]))
    ranked = [Ranked("7", "0012", 1), Ranked("7", "A", 2)]
    save_ranking(tmp_path / "r.run", FORMATS["run"], Ranking(ranked))
    grades = list(ir_measures.read_trec_qrels(str(tmp_path / "j.qrels")))
    run = list(ir_measures.read_trec_run(str(tmp_path / "r.run")))
    assert [(q.query_id, q.doc_id, q.relevance) for q in grades] == [
        ("7", "A", 3),
        ("7", "0012", 0),
    ]
    # The only relevant document stands second: 1 / log2(3).
    value = ir_measures.calc_aggregate([ir_measures.nDCG @ 2], grades, run)[ir_measures.nDCG @ 2]
    assert value == pytest.approx(1 / math.log2(3), abs=1e-12)


def test_scikit_learn_reads_ltr(tmp_path):
    """scikit-learn reads grades and query ids of a learning-to-rank file."""
    datasets = pytest.importorskip("sklearn.datasets")
    save_judgments(tmp_path / "j.ltr", FORMATS["ltr"], Judgments(ROWS, TEXTS))
    _, grades, queries = datasets.load_svmlight_file(
        str(tmp_path / "j.ltr"), n_features=1, query_id=True
    )
    assert grades.tolist() == [3, 0, -1, 2]
    assert queries.tolist() == [7, 7, 12, 12]


def test_pytrec_eval_takes_the_json():
    """pytrec_eval takes both JSON files as they are, and scores the ranking by its rank."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    grades = json.loads(encode("pytrec_eval", ROWS[:2]).data)
    run = json.loads(encode_run("pytrec_eval", [Ranked("7", "0012", 1), Ranked("7", "A", 2)]).data)
    scores = pytrec_eval.RelevanceEvaluator(grades, {"ndcg_cut.2"}).evaluate(run)
    assert scores["7"]["ndcg_cut_2"] == pytest.approx(1 / math.log2(3), abs=1e-12)


@pytest.mark.filterwarnings("default")  # its own dependencies warn
def test_ranx_takes_the_json():
    """The library ranx takes both JSON files as they are."""
    ranx = pytest.importorskip("ranx", exc_type=ImportError)
    grades = json.loads(encode("pytrec_eval", ROWS[:2]).data)
    run = json.loads(encode_run("pytrec_eval", [Ranked("7", "0012", 1), Ranked("7", "A", 2)]).data)
    value = ranx.evaluate(ranx.Qrels(grades), ranx.Run(run), "ndcg@2")
    assert value == pytest.approx(1 / math.log2(3), abs=1e-12)


def test_rre_has_the_form_of_rres_own_example():
    """Every key and kind of value of our ratings stands in RRE's own example too."""
    example_file = SHARED / "real/rre/ratings_example.json"
    if not example_file.exists():
        pytest.skip("RRE's example is not here")
    ours, theirs = (
        json.loads(encode("rre", ROWS, TEXTS).data),
        json.loads(example_file.read_bytes()),
    )
    group, model = (each["topics"][0]["query_groups"][0] for each in (ours, theirs))
    assert {"index", "id_field", "topics"} == set(ours) <= set(theirs)
    assert set(group) <= set(model)
    assert group["queries"][0].keys() == model["queries"][0].keys()
    assert group["queries"][0]["placeholders"] == {"$query": "red anvil"}
    assert group["relevant_documents"] == {"A": {"gain": 3}, "0012": {"gain": 0}}
    assert all(set(judged) == {"gain"} for judged in model["relevant_documents"].values())


# ---- what is refused, and what is told

SPACED, HASHED = Judged("q", "a b", 1.0), Judged("#q", "a", 1.0)
HALF = Judged("q", "half", 0.5)


@pytest.mark.parametrize(
    ("key", "row", "words"),
    [
        ("qrels", SPACED, "document “a b” is not one word"),
        ("ltr", SPACED, "document “a b” is not one word"),
        ("qrels", HASHED, "“#q” begins with “#”"),
        ("ltr", Judged("c#", "a", 1.0), "“c#” holds “#”"),
        ("qrels", HALF, "grade 0.5 of the document “half”"),
        ("beir", HALF, "grade 0.5 of the document “half”"),
        ("pytrec_eval", HALF, "grade 0.5 of the document “half”"),
        ("qrels", Judged("q", "huge", 1e300), "grade 1e+300 of the document “huge”"),
        ("beir", Judged("q", "a\tb", 1.0), "This is about the document “a\tb” of the query “q”"),
        ("xlsx", Judged("q", "a\0b", 1.0), "This is about the document “a\0b” of the query “q”"),
        ("csv", Judged("q", "a\ud800", 1.0), "U+D800"),
        ("csv", Judged("q", " a", 1.0), "“ a” is empty, or has spaces"),
        ("csv", Judged("q", "", 1.0), "is empty"),
        ("csv", Judged("\ufeffq", "a", 1.0), "U+FEFF"),
        ("pytrec_eval", Judged("q", "a\ud800", 1.0), "U+D800"),
        ("qrels", Judged("q", "ok", 2.0), "stands there twice"),
    ],
)
def test_what_would_read_back_wrong_is_refused(key, row, words):
    """The first document that a format cannot hold is named, and nothing is made."""
    with pytest.raises(FileError) as error:
        encode(key, [Judged("q", "ok", 1.0), row])
    assert words in str(error.value)
    assert str(error.value).startswith(f"{named(key).name}: ")


def test_no_grade_and_no_document_is_refused():
    """A file of no judgments, or of no ranking, is not written."""
    with pytest.raises(FileError, match="Nothing is judged yet"):
        encode("qrels", [Judged("q", "a", None)])
    with pytest.raises(FileError, match="Nothing is judged yet"):
        encode("csv", [])
    with pytest.raises(FileError, match="returns no document"):
        encode_run("run", [])


def test_a_format_of_the_other_kind_is_refused():
    """A run holds no judgments and qrels no ranking, and no text is called .xlsx."""
    with pytest.raises(FileError, match="holds a ranking, and no judgments"):
        encode("run", ROWS)
    with pytest.raises(FileError, match="holds judgments, and no ranking"):
        encode_run("qrels", [Ranked("q", "a", 1)])
    for name, key in (("new.xlsx", "csv"), ("new.csv", "xlsx"), ("new.qrels.gz", "qrels")):
        with pytest.raises(FileError, match="Choose a name that ends in"):
            encode_judgments(Path(name), FORMATS[key], Judgments(ROWS))


def test_ltr_tells_what_its_readers_may_refuse():
    """Grades below 0, fractions, and query ids that are words are told; all are written."""
    encoded = encode("ltr", [Judged("shoes", "a", 1e-7)])
    assert encoded.data == b"0.0000001 qid:shoes # a\n"
    assert codes(encoded) == ["odd-grade", "query-not-a-number"]
    assert "the document “a” of the query “shoes”" in encoded.findings[0].text
    assert codes(encode("ltr", [Judged("1", "a", 2.0)])) == []


def test_ltr_tells_a_text_that_it_leaves_out():
    """A query id with a colon cannot head its text; a text on two lines becomes one."""
    encoded = encode("ltr", [Judged("1:2", "a", 1.0)], {"1:2": "red hat"})
    assert b"red hat" not in encoded.data
    assert "query-text-lost" in codes(encoded)
    encoded = encode("ltr", [Judged("1", "a", 1.0)], {"1": "red\nhat"})
    assert encoded.data == b"# qid:1: red hat\n1 qid:1 # a\n"
    assert codes(encoded) == ["text-on-one-line"]


def test_quepid_keeps_the_ids_where_texts_do_not_tell_queries_apart():
    """Two queries with one text stay two; where texts stand for ids, that is told."""
    rows = [Judged("1", "a", 1.0), Judged("2", "a", 0.0)]
    encoded = encode("quepid", rows, {"1": "hat", "2": "hat"})
    assert from_quepid(encoded.data) == {"1": {"a": 1}, "2": {"a": 0}}
    assert codes(encoded) == ["query-text-lost"]
    assert codes(encode("quepid", rows, {"1": "hat", "2": "cap"})) == ["query-id-lost"]
    assert codes(encode("quepid", rows, {"1": "1", "2": "2"})) == []


def test_a_file_that_would_read_back_wrong_is_not_written(tmp_path, monkeypatch):
    """Where the bytes do not say what they should, the file that was there stays."""
    target = tmp_path / "new.qrels"
    target.write_text("old", "utf-8")
    wrong = convert.replace(
        FORMATS["qrels"],
        judgments=lambda *_: Encoded(b"7 0 A 3\n7 0 0012 1\n"),
    )
    with pytest.raises(FileError, match="see the document “0012” of the query “7”"):
        save_judgments(target, wrong, Judgments(ROWS[:2]))
    assert target.read_text("utf-8") == "old"
    wrong = convert.replace(
        FORMATS["run"],
        ranking=lambda *_: Encoded(b"q Q0 a 1 1 t\nq Q0 b 2 2 t\n"),
    )
    with pytest.raises(FileError, match="see the document “a” of the query “q”"):
        save_ranking(target, wrong, Ranking([Ranked("q", "a", 1), Ranked("q", "b", 2)]))
    assert target.read_text("utf-8") == "old"


# ---- rankings


def from_run(data):
    """As pytrec_eval reads a run."""
    return dict(pytest.importorskip("pytrec_eval").parse_run(lines(data)))


def trec_order(scores, seen):
    """The documents of each query as trec_eval orders them, with the scores it sees."""
    return {
        query: sorted(found, key=lambda d: (seen(found[d]), d.encode()), reverse=True)
        for query, found in scores.items()
    }


def wanted_order(rows):
    """The documents of each query by rank."""
    order = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.rank):
        order[row.query].append(row.document)
    return dict(order)


SCORES = st.none() | st.sampled_from((0.0, -0.0, 1.0, 0.3, 0.300000001, 1e300, math.inf, math.nan))
SCORES |= st.floats()


@st.composite
def rankings(draw, ids=PLAIN):
    """Documents of some queries in any order, ranked from 1, with scores of every kind."""
    pairs = draw(st.lists(st.tuples(st.sampled_from("pqr"), ids), min_size=1, unique=True))
    place = defaultdict(int)
    rows = []
    for query, document in pairs:
        place[query] += 1
        rows.append(Ranked(query, document, place[query], draw(SCORES)))
    return draw(st.permutations(rows))


@given(rows=rankings())
@settings(max_examples=150, deadline=None)
def test_the_order_of_ranks_is_kept_by_every_reader_of_scores(rows):
    """trec_eval, with scores of 32 or 64 bits, orders a written ranking as it was ranked."""
    for data, reader in (
        (encode_run("run", rows).data, from_run),
        (encode_run("pytrec_eval", rows).data, json.loads),
    ):
        scores = reader(data)
        assert trec_order(scores, float) == wanted_order(rows)
        with np.errstate(over="ignore"):
            assert trec_order(scores, np.float32) == wanted_order(rows)
        assert all(math.isfinite(score) for found in scores.values() for score in found.values())


@pytest.mark.parametrize("key", RANKING_FORMATS)
@given(rows=rankings(ids=ODD))
@settings(max_examples=40, deadline=None)
def test_odd_rankings_are_refused_or_read_in_their_order(key, rows, tmp_path_factory):
    """A ranking with odd ids is read here in its order, or the file is refused."""
    target = tmp_path_factory.getbasetemp() / named(key, f"ranked-{key}")
    try:
        save_ranking(target, FORMATS[key], Ranking(rows))
    except FileError:
        return
    (table,) = read(target)
    found = assemble([Understood(table, guess(table).roles)])
    (columns,) = found.rankings
    read_rows = zip(columns.query.texts(), columns.document.texts(), strict=True)
    order = defaultdict(list)
    for query, document in read_rows:  # in every format the rows stand in the order of ranks
        order[query].append(document)
    assert order == wanted_order(rows)
    assert found.judgments == []


def test_scores_that_keep_the_order_stay():
    """Scores by which the order is that of the ranks are written as they are, to the last bit."""
    rows = [Ranked("q", "a", 1, 0.1 + 0.2), Ranked("q", "b", 2, -5e-324)]
    for by_score in (True, False):
        encoded = encode_run("run", rows, by_score)
        assert encoded.data == b"q Q0 a 1 0.30000000000000004 ndcg\nq Q0 b 2 -5e-324 ndcg\n"
        assert codes(encoded) == []


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("a", None), ("b", None)], "no score for the document “a” of the query “q”"),
        ([("a", 1.0), ("b", 1.0)], "the document “b” of the query “q” would stand higher"),
        ([("a", 1.0), ("b", 2.0)], "the document “b” of the query “q” would stand higher"),
        ([("a", 0.3), ("b", 0.29999999999)], "the document “b” of the query “q” would stand"),
    ],
)
def test_scores_that_lose_the_order_are_replaced_and_told(rows, words):
    """Where scores are missing, tie against the ranks or contradict them, others count down."""
    ranked = [Ranked("q", document, rank, score) for rank, (document, score) in enumerate(rows, 1)]
    encoded = encode_run("run", ranked)
    assert encoded.data == b"q Q0 a 1 2 ndcg\nq Q0 b 2 1 ndcg\n"
    assert codes(encoded) == ["scores-replaced"]
    assert words in encoded.findings[0].text


def test_a_ranking_by_score_keeps_scores_that_32_bits_confuse():
    """A ranking that goes by score keeps its scores; that pytrec_eval sees a tie is told."""
    rows = [Ranked("q", "a", 1, 0.3), Ranked("q", "b", 2, 0.29999999999)]
    encoded = encode_run("run", rows, by_score=True)
    assert from_run(encoded.data) == {"q": {"a": 0.3, "b": 0.29999999999}}
    assert codes(encoded) == ["scores-too-close"]


def test_a_json_run_of_whole_scores_does_not_look_like_grades():
    """Whole scores get others with a half in JSON, and that is told."""
    encoded = encode_run("pytrec_eval", [Ranked("q", "a", 1, 9.0), Ranked("q", "b", 2, 4.0)])
    assert json.loads(encoded.data) == {"q": {"a": 2.5, "b": 1.5}}
    assert codes(encoded) == ["scores-replaced"]


def test_a_ranking_with_a_document_twice_is_refused():
    """A document returned twice would be read once, and all below it a place too high."""
    rows = [Ranked("q", "a", 1), Ranked("q", "a", 2)]
    for key in RANKING_FORMATS:
        with pytest.raises(FileError, match="stands there twice"):
            encode_run(key, rows)
