"""The figures that other tools printed, at their full precision, from the same options here."""

import gzip
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from build import evaluation_of, values_of

from ndcg_desktop.evaluation.open_grades import query_bounds
from ndcg_desktop.scoring.conventions import convention
from ndcg_desktop.scoring.options import Options

ORACLE = Path(__file__).parents[1] / "data" / "oracle"
CASES = {case["id"]: case for case in json.loads((ORACLE / "cases.json").read_text("utf-8"))}
EXACT, FLOAT32, FOUR_DECIMALS, FIVE_DECIMALS = 1e-9, 1e-6, 5.1e-5, 5.1e-6

FRACTIONS = {"float-grades-below-one": "fractions are cut off to whole grades"}
DROPS_NEGATIVE = {"negative-grade-returned": "-J drops what is judged below 0 as if not judged"}
REFUSES_NEGATIVE = {
    "negative-grade-returned": "refused",
    "negative-all-minus1": "refused",
    "negative-all-minus2": "refused",
}
SKLEARN_REFUSES = REFUSES_NEGATIVE | {"one-doc-each": "refused", "infinite-scores": "refused"}
NEGATIVE_COUNT = dict.fromkeys(
    ("negative-grade-returned", "negative-all-minus1", "negative-all-minus2"),
    "a negative grade has a negative gain",
)
COUNTS_ALL = NEGATIVE_COUNT | {"duplicate-in-run": "a document returned twice counts twice"}
RRE_DIFFERS = COUNTS_ALL | {
    "grade-60": "(2^59 - 1) / (2^60 - 1) is less than 0.5, but not in a float"
}
QUEPID_DIFFERS = COUNTS_ALL | FRACTIONS
EMPTY_LIST = {"one-doc-each": "a list without judged documents is refused"}


@dataclass(frozen=True)
class Tool:
    """A tool's measure, named up to the cutoff, and the options that are the same.

    ``goes_by`` is the width of the scores that it compares; or "sorted" where a stable sort by
    score makes its order; or "rank". ``differs`` names the cases that it refuses or treats in its
    own way.
    """

    name: str
    measure: str
    options: Options
    goes_by: str = "float64"
    tolerance: float = EXACT
    differs: dict[str, str] | None = None
    names_missing: bool = True


def like(name, gain="linear", **changes):
    """The options of a convention with some of them changed."""
    return replace(convention(name).apply(Options(gain=gain)), **changes)


PYTREC_EVAL = "pytrec_eval-terrier 0.5.11"
QUEPID = "Quepid scorers @f80322f (browser)"
OPENSEARCH = "OpenSearch search-relevance @d8be5d1 Evaluation.java"
ELASTICSEARCH = "Elasticsearch rank_eval dcg @d04e400 (method bodies)"
RRE = "Rated Ranking Evaluator @e478aa7 NDCGAtK"
CATBOOST = "catboost 1.2.10 (returned documents only)"
V9 = "trec_eval v9.0.8 (git d95ca64, 2020, 32-bit scores)"
V10 = "trec_eval v10.0 (git f425365, 2026, 64-bit scores)"
IR_MEASURES = "ir_measures 0.4.3"
XGBOOST = "xgboost 3.2.0"
NTCIREVAL = "pyNTCIREVAL 0.0.3"

EXPONENTIAL = like("trec_eval", gain="exponential")
NTCIR = like("ranx", undefined="skip", missing="skip")


def fixed(options, **changes):
    """Options with changes that a convention does not leave to the user."""
    return replace(options, **changes)


TOOLS = [
    Tool(PYTREC_EVAL, "ndcg", like("pytrec_eval"), "float32"),
    Tool(
        f"{PYTREC_EVAL} judged_docs_only",
        "ndcg",
        like("pytrec_eval", unjudged="remove"),
        "float32",
        differs=DROPS_NEGATIVE,
    ),
    Tool(
        f"{PYTREC_EVAL} grades mapped to 2^g-1",
        "ndcg",
        fixed(like("pytrec_eval"), gain="exponential"),
        "float32",
    ),
    Tool(V9, "ndcg", like("trec_eval"), "float32", FOUR_DECIMALS, FRACTIONS),
    Tool(
        f"{V9} -c",
        "ndcg",
        like("trec_eval", missing="zero"),
        "float32",
        FOUR_DECIMALS,
        FRACTIONS,
        names_missing=False,
    ),
    Tool(V10, "ndcg", like("trec_eval"), "float64", FOUR_DECIMALS, FRACTIONS),
    Tool(
        f"{V10} -c",
        "ndcg",
        like("trec_eval", missing="zero"),
        "float64",
        FOUR_DECIMALS,
        FRACTIONS,
    ),
    Tool(IR_MEASURES, "nDCG", like("ir_measures"), "float32"),
    Tool(
        IR_MEASURES,
        "nDCG(judged_only=True)",
        like("ir_measures", unjudged="remove"),
        "float32",
        differs=DROPS_NEGATIVE,
    ),
    Tool(
        f"{IR_MEASURES} gdeval.pl",
        "ndcg",
        like("gdeval"),
    ),
    Tool("ranx 0.3.21", "ndcg", like("ranx"), "sorted", differs=FRACTIONS),
    Tool("ranx 0.3.21", "ndcg_burges", like("ranx", "exponential"), "sorted", differs=FRACTIONS),
    Tool(
        "scikit-learn 1.9.1 (returned documents only)",
        "ndcg",
        like("scikit-learn"),
        differs=SKLEARN_REFUSES,
    ),
    Tool(
        "scikit-learn 1.9.1 (returned + unreturned judged, tied last)",
        "ndcg",
        like("scikit-learn"),
        "appended",
        differs=SKLEARN_REFUSES,
    ),
    Tool(
        "lightgbm 4.7.0 (returned documents only)",
        "ndcg",
        like("LightGBM"),
        "sorted",
        FLOAT32,
        REFUSES_NEGATIVE,
    ),
    Tool(
        f"{XGBOOST} (returned documents only)",
        "ndcg",
        like("XGBoost", gain="exponential"),
        "sorted",
        FLOAT32,
        REFUSES_NEGATIVE,
    ),
    Tool(
        f"{XGBOOST} ndcg_exp_gain=False (returned documents only)",
        "ndcg",
        like("XGBoost"),
        "sorted",
        FLOAT32,
        REFUSES_NEGATIVE,
    ),
    Tool(CATBOOST, "NDCG:type=Base", like("CatBoost"), tolerance=FLOAT32, differs=NEGATIVE_COUNT),
    Tool(
        CATBOOST,
        "NDCG:type=Exp",
        like("CatBoost", gain="exponential"),
        tolerance=FLOAT32,
        differs=NEGATIVE_COUNT,
    ),
    Tool(QUEPID, "ndcg", like("Quepid nDCG@k"), "listed", differs=QUEPID_DIFFERS),
    Tool(QUEPID, "ndcg_cut", like("Quepid nDCG cut"), "listed", differs=QUEPID_DIFFERS),
    Tool(OPENSEARCH, "NDCG", like("OpenSearch"), "listed", differs=COUNTS_ALL),
    Tool(
        ELASTICSEARCH,
        "dcg(normalize=true)",
        like("Elasticsearch"),
        "listed",
        differs=COUNTS_ALL,
        names_missing=False,
    ),
    Tool(RRE, "NDCG", like("RRE"), "listed", differs=RRE_DIFFERS, names_missing=False),
    Tool(NTCIREVAL, "MSnDCG", NTCIR, "rank"),
    Tool(NTCIREVAL, "nDCG(logb=2)", like("jarvelin-kekalainen"), "rank"),
    Tool(NTCIREVAL, "nDCG(logb=10)", fixed(NTCIR, discount="base", discount_base=10.0), "rank"),
    Tool(
        f"{NTCIREVAL} condensed",
        "MSnDCG",
        fixed(NTCIR, unjudged="remove"),
        "rank",
        differs=EMPTY_LIST,
    ),
]


def cutoffs_of(tool, case):
    """The cutoffs that the tool gave figures for, by query, and not an error."""
    printed = case["expected"].get(tool.name)
    for name, figures in printed.items() if isinstance(printed, dict) else ():
        match = re.fullmatch(re.escape(tool.measure) + r"(?:(?:@|;top=)(\d+))?", name)
        if match and all(isinstance(figure, float | int) for figure in figures.values()):
            yield int(match[1]) if match[1] else None, figures


def ranking_of(case, goes_by):
    """The rows as the tool has them: a rank without a score is a score to it."""
    rows = []
    for query, document, score, rank in case["ranking"]:
        value = -rank if score is None else float(score)
        with np.errstate(over="ignore"):
            rows.append(
                (query, document, float(np.float32(value)) if goes_by == "float32" else value)
            )
    if goes_by == "appended":
        returned = {row[:2] for row in rows}
        queries = {row[0] for row in rows}
        judged = dict.fromkeys((query, document) for query, document, _ in case["judgments"])
        last = min((row[2] for row in rows), default=0) - 1
        rows += [(*pair, last) for pair in judged if pair not in returned and pair[0] in queries]
    if goes_by == "listed":
        rows = [row[:2] for row in sorted(case["ranking"], key=lambda row: (row[0], row[3]))]
    if goes_by == "sorted":
        rows = [row[:2] for row in sorted(rows, key=lambda row: -row[2])]
    if goes_by == "rank":
        rows = [(query, document, None, rank) for query, document, _, rank in case["ranking"]]
    return rows


COMPARED = [
    pytest.param(tool, case, id=f"{tool.name} {tool.measure}: {case['id']}")
    for tool in TOOLS
    for case in CASES.values()
    if case["id"] not in (tool.differs or {}) and any(cutoffs_of(tool, case))
]


@pytest.mark.parametrize(("tool", "case"), COMPARED)
def test_case(tool, case):
    """Every query, the mean and the set of queries are the tool's, at each of its cutoffs."""
    judgments = [tuple(row) for row in case["judgments"]]
    evaluation = evaluation_of(judgments, ranking_of(case, tool.goes_by))
    for cutoff, figures in cutoffs_of(tool, case):
        evaluation.options = replace(tool.options, cutoff=cutoff)
        expected = {query: value for query, value in figures.items() if query != "mean"}
        got = values_of(evaluation)
        if tool.names_missing:
            assert got.keys() == expected.keys()
        assert {query: got[query] for query in expected} == pytest.approx(
            expected, rel=0, abs=tool.tolerance
        )
        if "mean" in figures:
            assert evaluation.scores().mean == pytest.approx(
                figures["mean"], rel=0, abs=tool.tolerance
            )


def test_every_tool_was_compared():
    """No tool drops out of the comparison because its name or measure is spelled differently."""
    compared = {(each.values[0].name, each.values[0].measure) for each in COMPARED}
    assert compared == {(tool.name, tool.measure) for tool in TOOLS}
    assert len(COMPARED) > 750


def test_mean_without_the_missing_query():
    """trec_eval -c counts a judged query that the run misses as 0, and leaves it out without -c."""
    case = CASES["query-missing-from-run"]
    evaluation = evaluation_of(map(tuple, case["judgments"]), ranking_of(case, "float64"))
    evaluation.options = like("trec_eval", cutoff=4)
    assert evaluation.scores().mean == pytest.approx(0.710414667913779, abs=EXACT)
    evaluation.options = like("trec_eval", cutoff=4, missing="zero")
    assert evaluation.scores().mean == pytest.approx(0.710414667913779 / 2, abs=EXACT)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("gain", ["linear", "exponential"])
def test_no_case_is_too_much(case, gain):
    """Every case, also one that other tools stop or crash on, gives finite figures from 0 to 1."""
    rows = [tuple(row) for row in case["judgments"]]
    evaluation = evaluation_of(rows, ranking_of(case, "float64"), gain=gain)
    scores, bounds = evaluation.scores(), query_bounds(evaluation, 0)
    figures = np.array([scores.value, scores.dcg, scores.ideal_dcg, bounds.lower, bounds.upper])
    assert np.isfinite(figures).all()
    assert ((scores.value >= 0) & (scores.value <= 1)).all()


# ---- 500 queries

LARGE = [
    (PYTREC_EVAL, "ndcg_cut_", like("pytrec_eval"), "float64"),
    (
        f"{PYTREC_EVAL} judged_docs_only",
        "ndcg_cut_",
        like("pytrec_eval", unjudged="remove"),
        "float64",
    ),
    (
        f"{PYTREC_EVAL} grades mapped to 2^g-1",
        "ndcg_cut_",
        fixed(like("pytrec_eval"), gain="exponential"),
        "float64",
    ),
    ("ranx 0.3.21 (ties pre-broken in trec_eval order)", "ndcg@", like("ranx"), "broken"),
    (
        "ranx 0.3.21 (ties pre-broken in trec_eval order)",
        "ndcg_burges@",
        like("ranx", gain="exponential"),
        "broken",
    ),
    (
        "scikit-learn 1.9.1 (returned + unreturned judged, tied last)",
        "ndcg@",
        like("scikit-learn"),
        "appended",
    ),
]


@pytest.fixture(scope="module")
def large():
    """500 queries of 100 documents, with the figures of three tools."""
    return json.loads(gzip.decompress((ORACLE / "random_500q.json.gz").read_bytes()))


@pytest.fixture(scope="module")
def joined_large(large):
    """These queries as they are, with judged documents appended, and with their ties broken."""
    judgments = [
        (query, document, grade)
        for query, grades in large["judgments"].items()
        for document, grade in grades.items()
    ]
    rows = [
        (q, document, score) for q, some in large["ranking"].items() for document, score in some
    ]
    returned = {row[:2] for row in rows}
    appended = [(*row[:2], -1.0) for row in judgments if row[:2] not in returned]
    by_id = sorted(rows, key=lambda row: row[1].encode(), reverse=True)
    broken = [row[:2] for row in sorted(by_id, key=lambda row: (row[0], -row[2]))]
    return {
        "float64": evaluation_of(judgments, rows),
        "appended": evaluation_of(judgments, rows + appended),
        "broken": evaluation_of(judgments, broken),
    }


@pytest.mark.parametrize(("tool", "prefix", "options", "goes_by"), LARGE)
def test_500_queries(large, joined_large, tool, prefix, options, goes_by):
    """Each of 500 queries, and their mean, is the tool's at every cutoff it was run at."""
    printed = large["expected"][tool]
    evaluation = joined_large[goes_by]
    cutoffs = [k for k in large["k"] if f"{prefix}{k}" in printed["mean"]]
    assert len(cutoffs) >= 3
    for cutoff in cutoffs:
        measure = f"{prefix}{cutoff}"
        evaluation.options = replace(options, cutoff=cutoff)
        expected = {query: figures[measure] for query, figures in printed["per_query"].items()}
        assert values_of(evaluation) == pytest.approx(expected, rel=0, abs=EXACT)
        assert evaluation.scores().mean == pytest.approx(printed["mean"][measure], abs=EXACT)


def test_500_queries_without_a_cutoff(large, joined_large):
    """Without a cutoff the figure is trec_eval's ndcg."""
    printed = large["expected"][PYTREC_EVAL]
    evaluation = joined_large["float64"]
    evaluation.options = like("pytrec_eval", cutoff=None)
    expected = {query: figures["ndcg"] for query, figures in printed["per_query"].items()}
    assert values_of(evaluation) == pytest.approx(expected, rel=0, abs=EXACT)
