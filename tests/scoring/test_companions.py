"""Each measure beside nDCG: the figures that its reference tool printed, and plain Python."""

import gzip
import json
import math
import re
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pytest
from build import evaluation_of
from hypothesis import given
from hypothesis import strategies as st
from test_oracle import (
    CASES,
    EXACT,
    FIVE_DECIMALS,
    IR_MEASURES,
    NTCIR,
    NTCIREVAL,
    ORACLE,
    PYTREC_EVAL,
    like,
    ranking_of,
)

from ndcg_desktop.evaluation.measures import DEFAULT, MEASURES, MeasureSettings, mean, values
from ndcg_desktop.scoring import companions
from ndcg_desktop.scoring.companions import Ranked
from ndcg_desktop.scoring.ndcg import Hits, group
from ndcg_desktop.scoring.options import Options

# ---- what other tools printed


@dataclass(frozen=True)
class Tool:
    """A tool's measure, named up to the cutoff, and what it is called and scored under here.

    ``goes_by`` is as in test_oracle; ``differs`` names the cases that it treats in its own way.
    """

    name: str
    measure: str
    key: str
    options: Options
    goes_by: str = "float64"
    tolerance: float = EXACT
    settings: MeasureSettings = DEFAULT
    differs: dict[str, str] = field(default_factory=dict)


GDEVAL = f"{IR_MEASURES} gdeval.pl"
ELASTICSEARCH = "Elasticsearch rank_eval dcg @d04e400 (method bodies)"
QUEPID = "Quepid scorers @f80322f (browser)"

TREC = like("pytrec_eval")
IRM = like("ir_measures")
GAIN_BELOW_0 = {
    "negative-grade-returned": "2^-1 - 1 is a gain below 0",
    "negative-all-minus1": "likewise",
    "negative-all-minus2": "likewise",
}
BY_HIT = replace(like("ranx", "exponential"), undefined="zero")
COUNTED_TWICE = {"duplicate-in-run": "a document returned twice gains twice"}
ID_ASCENDING = {"tie-with-unjudged": "ties by document id ascending"}
AS_LISTED = {"tie-with-unjudged": "ties as the run lists them", "tie-across-k": "likewise"}
ROUNDING = 1e-14
"""Part of a DCG that its terms' logarithms may make."""

TOOLS = [
    Tool(PYTREC_EVAL, "P", "P", TREC, "float32"),
    Tool(PYTREC_EVAL, "recall", "R", TREC, "float32"),
    Tool(PYTREC_EVAL, "success", "Success", TREC, "float32"),
    Tool(PYTREC_EVAL, "recip_rank", "RR", TREC, "float32"),
    Tool(PYTREC_EVAL, "map", "AP", TREC, "float32"),
    Tool(PYTREC_EVAL, "bpref", "Bpref", TREC, "float32"),
    Tool(IR_MEASURES, "RR", "RR", IRM, "float32"),
    Tool(IR_MEASURES, "Judged", "Judged", IRM, differs=ID_ASCENDING),
    Tool(IR_MEASURES, "RBP(rel=1,p=0.8) via cwl_eval", "RBP", IRM, differs=AS_LISTED),
    Tool(
        IR_MEASURES,
        "nDCG(judged_only=True)",
        "nDCG'",
        IRM,
        "float32",
        differs={"negative-grade-returned": "-J drops what is judged below 0 as if not judged"},
    ),
    Tool(GDEVAL, "err", "ERR", IRM, tolerance=FIVE_DECIMALS, settings=MeasureSettings(highest=4)),
    Tool(NTCIREVAL, "Q-measure(beta=1)", "Q", NTCIR, "rank"),
    Tool(
        f"{NTCIREVAL} condensed",
        "Q-measure(beta=1)",
        "Q",
        replace(NTCIR, unjudged="remove"),
        "rank",
    ),
    Tool(ELASTICSEARCH, "dcg", "DCG", BY_HIT, "rank", differs=GAIN_BELOW_0 | COUNTED_TWICE),
    Tool(QUEPID, "dcg", "DCG", BY_HIT, "rank", differs=GAIN_BELOW_0 | COUNTED_TWICE),
]


def cutoffs_of(tool, case):
    """The cutoffs that the tool gave figures for, by query, and not an error."""
    printed = case["expected"].get(tool.name)
    for name, figures in printed.items() if isinstance(printed, dict) else ():
        match = re.fullmatch(re.escape(tool.measure) + r"(?:@(\d+))?", name)
        if match is None or (match[1] and not MEASURES[tool.key].has_cutoff):
            continue
        if all(isinstance(figure, float | int) for figure in figures.values()):
            yield int(match[1]) if match[1] else None, figures


COMPARED = [
    pytest.param(tool, case, id=f"{tool.name} {tool.measure}: {case['id']}")
    for tool in TOOLS
    for case in CASES.values()
    if case["id"] not in tool.differs and any(cutoffs_of(tool, case))
]


@pytest.mark.parametrize(("tool", "case"), COMPARED)
def test_case(tool, case):
    """Every query and the mean are the tool's, at each of its cutoffs."""
    judgments = [tuple(row) for row in case["judgments"]]
    evaluation = evaluation_of(judgments, ranking_of(case, tool.goes_by))
    measure = MEASURES[tool.key]
    for cutoff, figures in cutoffs_of(tool, case):
        evaluation.options = replace(tool.options, cutoff=cutoff)
        expected = {query: value for query, value in figures.items() if query != "mean"}
        got = by_query(evaluation, measure, tool.settings)
        near = partial(pytest.approx, rel=ROUNDING, abs=tool.tolerance)
        assert {query: got[query] for query in expected} == near(expected)
        if "mean" in figures and not evaluation.disjoint(0):
            average = mean(evaluation, 0, measure, tool.settings)
            assert average.n == len(expected)
            assert average.value == near(figures["mean"])


def by_query(evaluation, measure, settings):
    """The figure of each query, by its id."""
    figures = values(evaluation, 0, measure, settings).tolist()
    return dict(zip(evaluation.queries, figures, strict=True))


def test_every_tool_was_compared():
    """No tool drops out of the comparison because its name or measure is spelled differently."""
    compared = {(each.values[0].name, each.values[0].measure) for each in COMPARED}
    assert compared == {(tool.name, tool.measure) for tool in TOOLS}
    assert {tool.key for tool in TOOLS} == set(MEASURES) - {"nDCG"}
    assert len(COMPARED) > 600


@pytest.fixture(scope="module")
def large():
    """500 queries of 100 documents, with the figures of pytrec_eval, and their evaluation."""
    case = json.loads(gzip.decompress((ORACLE / "random_500q.json.gz").read_bytes()))
    judgments = [
        (q, d, grade) for q, some in case["judgments"].items() for d, grade in some.items()
    ]
    ranking = [(q, d, score) for q, some in case["ranking"].items() for d, score in some]
    return case, evaluation_of(judgments, ranking)


@pytest.mark.parametrize(
    ("printed", "key"),
    [
        ("P_{k}", "P"),
        ("recall_{k}", "R"),
        ("success_{k}", "Success"),
        ("recip_rank", "RR"),
        ("map", "AP"),
        ("bpref", "Bpref"),
    ],
)
def test_500_queries(large, printed, key):
    """Each of 500 queries, and their mean, is pytrec_eval's at every cutoff it was run at."""
    case, evaluation = large
    expected = case["expected"][PYTREC_EVAL]
    for k in case["k"] if "{k}" in printed else [10]:
        evaluation.options = replace(TREC, cutoff=k)
        name, got = printed.format(k=k), by_query(evaluation, MEASURES[key], DEFAULT)
        theirs = {query: figures[name] for query, figures in expected["per_query"].items()}
        assert got == pytest.approx(theirs, rel=0, abs=EXACT)
        average = mean(evaluation, 0, MEASURES[key])
        assert average.value == pytest.approx(expected["mean"][name], rel=0, abs=EXACT)


def test_500_condensed_queries(large):
    """Of the condensed list nDCG is pytrec_eval's with judged documents only."""
    case, evaluation = large
    expected = case["expected"][f"{PYTREC_EVAL} judged_docs_only"]["per_query"]
    evaluation.options = replace(TREC, cutoff=10)
    theirs = {query: figures["ndcg_cut_10"] for query, figures in expected.items()}
    got = by_query(evaluation, MEASURES["nDCG'"], DEFAULT)
    assert got == pytest.approx(theirs, rel=0, abs=EXACT)


# ---- plain Python, a query at a time


@dataclass
class Query:
    """The grades of the documents returned, best first, None where not judged; and of the others
    that are judged.
    """

    returned: list[float | None]
    missed: list[float]

    @property
    def judged(self):
        """The grades of all judged documents."""
        return [grade for grade in self.returned if grade is not None] + self.missed


def is_relevant(grade, threshold):
    """Whether a document with this grade, or without one, is relevant."""
    return grade is not None and grade >= threshold


def plain_precision(query, threshold, k):
    """P@k, or of the whole ranking."""
    places = len(query.returned) if k is None else k
    found = sum(is_relevant(grade, threshold) for grade in query.returned[:k])
    return found / places if places else 0.0


def plain_recall(query, threshold, k):
    """R@k."""
    relevant = sum(is_relevant(grade, threshold) for grade in query.judged)
    found = sum(is_relevant(grade, threshold) for grade in query.returned[:k])
    return found / relevant if relevant else 0.0


def plain_success(query, threshold, k):
    """Success@k."""
    return float(any(is_relevant(grade, threshold) for grade in query.returned[:k]))


def plain_rr(query, threshold):
    """RR."""
    for rank, grade in enumerate(query.returned, 1):
        if is_relevant(grade, threshold):
            return 1 / rank
    return 0.0


def plain_ap(query, threshold):
    """AP, from P at every rank with a relevant document."""
    relevant = sum(is_relevant(grade, threshold) for grade in query.judged)
    precisions = [
        plain_precision(query, threshold, rank)
        for rank, grade in enumerate(query.returned, 1)
        if is_relevant(grade, threshold)
    ]
    return sum(precisions) / relevant if relevant else 0.0


def plain_err(query, highest, k):
    """ERR@k: the expectation of 1 / rank of where a reader stops."""
    if any(grade > highest for grade in query.judged):
        return math.nan
    expected, reading = 0.0, 1.0
    for rank, grade in enumerate(query.returned[:k], 1):
        stop = (2 ** max(grade or 0, 0) - 1) / 2**highest
        expected += reading * stop / rank
        reading *= 1 - stop
    return expected


def plain_rbp(grades, threshold, p):
    """RBP of a list of grades."""
    ranks = [rank for rank, grade in enumerate(grades) if is_relevant(grade, threshold)]
    return (1 - p) * sum(p**rank for rank in ranks)


def plain_residual(query, p):
    """RBP once every blank is relevant, and 2,000 relevant documents follow, less RBP as it is."""
    filled = [1.0 if grade is None else 0.0 for grade in query.returned] + [1.0] * 2000
    return plain_rbp(filled, 1, p)


def plain_judged(query, k):
    """judged@k."""
    first = query.returned[:k]
    return sum(grade is not None for grade in first) / len(first) if first else 0.0


def plain_bpref(query, threshold):
    """bpref: over the relevant documents, how many of the first R judged not relevant stand above;
    a grade below 0 is none of either.
    """
    relevant = sum(is_relevant(grade, threshold) for grade in query.judged)
    others = sum(0 <= grade < threshold for grade in query.judged)
    total = 0.0
    for place, grade in enumerate(query.returned):
        if is_relevant(grade, threshold):
            above = [g for g in query.returned[:place] if g is not None and 0 <= g < threshold]
            lost = min(len(above), relevant) / min(others, relevant) if above else 0.0
            total += 1 - lost
    return total / relevant if relevant else 0.0


def plain_q(query, gain, beta):
    """Q-measure, each sum taken anew."""
    relevant = sum(grade > 0 for grade in query.judged)
    ideal = sorted((gain[grade] for grade in query.judged), reverse=True)
    total = 0.0
    for rank, grade in enumerate(query.returned, 1):
        if grade is not None and grade > 0:
            above = [each for each in query.returned[:rank] if each is not None]
            good = sum(each > 0 for each in above)
            gained = sum(gain[each] for each in above)
            total += (good + beta * gained) / (rank + beta * sum(ideal[:rank]))
    return total / relevant if relevant else 0.0


GRADES = (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0)
GAINS = (
    dict(zip(GRADES, (0.0, 0.0, 0.0, 0.5, 1.0, 2.0, 3.0), strict=True)),
    dict(zip(GRADES, (0.0, 0.0, 0.0, 0.25, 5.0, 5.0, 2.0), strict=True)),
    dict(zip(GRADES, (0.0, 0.0, 1.0, 0.0, 0.0, 7.5, 1e6), strict=True)),
)

queries = st.lists(
    st.builds(
        Query,
        st.lists(st.none() | st.sampled_from(GRADES), max_size=20),
        st.lists(st.sampled_from(GRADES), max_size=8),
    ),
    min_size=1,
    max_size=5,
)
thresholds = st.sampled_from((0.0, 0.5, 1.0, 2.0, 4.0))
cutoffs = st.none() | st.integers(1, 25)


def ranked_of(all_queries):
    """The same queries as arrays, the last of them first: only the rows of one are adjacent."""
    grades = [math.nan, *GRADES]
    rows = [
        (number, grades.index(grade), place)
        for number, query in reversed(list(enumerate(all_queries)))
        for place, grade in enumerate(query.returned)
        if grade is not None
    ]
    judged = [(n, grades.index(g)) for n, query in enumerate(all_queries) for g in query.judged]
    hits = Hits(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)
    groups = group(*np.array(judged, dtype=np.int64).reshape(-1, 2).T, len(grades))
    returned = np.array([len(query.returned) for query in all_queries])
    return Ranked(hits, groups, np.array(grades), returned)


def same(figures, all_queries, plain, *arguments):
    """Whether a measure is what plain Python says of each query."""
    expected = [plain(query, *arguments) for query in all_queries]
    return figures.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


@given(queries, thresholds, cutoffs)
def test_relevant_or_not(some, threshold, k):
    """The measures that know relevant and not relevant only."""
    ranked = ranked_of(some)
    assert same(companions.precision(ranked, threshold, k), some, plain_precision, threshold, k)
    assert same(companions.recall(ranked, threshold, k), some, plain_recall, threshold, k)
    assert same(companions.success(ranked, threshold, k), some, plain_success, threshold, k)
    assert same(companions.reciprocal_rank(ranked, threshold), some, plain_rr, threshold)
    assert same(companions.average_precision(ranked, threshold), some, plain_ap, threshold)
    assert same(companions.binary_preference(ranked, threshold), some, plain_bpref, threshold)
    assert same(companions.judged_share(ranked, k), some, plain_judged, k)


@given(queries, st.sampled_from((2.0, 3.0, 4.0, 10.0)), cutoffs)
def test_expected_reciprocal_rank(some, highest, k):
    """ERR under any highest grade; none where a grade is above it, returned or not."""
    figures = companions.expected_reciprocal_rank(ranked_of(some), highest, k)
    assert same(figures, some, plain_err, highest, k)


@given(queries, thresholds, st.sampled_from((0.5, 0.8, 0.95)))
def test_rank_biased_precision(some, threshold, p):
    """RBP, and its residual as the difference of two RBP."""
    ranked = ranked_of(some)
    figures = companions.rank_biased_precision(ranked, threshold, p)
    expected = [plain_rbp(query.returned, threshold, p) for query in some]
    assert figures.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert same(companions.rank_biased_residual(ranked, p), some, plain_residual, p)


@given(queries, st.sampled_from(GAINS), st.sampled_from((0.0, 0.5, 1.0, 10.0)))
def test_q_measure(some, gain, beta):
    """Q-measure under gains that need not rise with the grade."""
    gains = np.array([0.0, *gain.values()])
    assert same(companions.q_measure(ranked_of(some), gains, beta), some, plain_q, gain, beta)


# ---- what is easily lost


def test_a_large_query_does_not_blur_a_small_one():
    """Sums of one query keep their digits beside another whose gains are 2^60 times as large."""
    hits = Hits(np.array([0, 0, 1, 1, 1]), np.array([2, 2, 1, 1, 1]), np.array([0, 1, 0, 2, 5]))
    judged = group(hits.query, hits.code, 3)
    ranked = Ranked(hits, judged, np.array([np.nan, 1.0, 2.0]), np.array([2, 6]))
    figures = companions.q_measure(ranked, np.array([0.0, 0.1, 0.1 * 2.0**60]), 1.0)
    expected = (1.1 / 1.1 + 2.2 / 3.3 + 3.3 / 6.3) / 3
    assert figures.tolist() == pytest.approx([1.0, expected], rel=1e-14)


def test_a_long_chain_keeps_its_digits():
    """After 5,000 documents the chance that ERR's reader goes on is still right, query by query."""
    some = [Query([1.0] * 5000 + [3.0], []), Query([0.5, 3.0], [])] * 3
    figures = companions.expected_reciprocal_rank(ranked_of(some), 10.0, None)
    assert same(figures, some, plain_err, 10.0, None)


def test_grades_beyond_a_float():
    """2^2000 is no float, but the chance to stop at the highest grade is 1 all the same."""
    hits = Hits(np.array([0, 0]), np.array([1, 2]), np.array([0, 1]))
    grades = np.array([np.nan, 1999.0, 2000.0])
    ranked = Ranked(hits, group(hits.query, hits.code, 3), grades, np.array([2]))
    figures = companions.expected_reciprocal_rank(ranked, 2000.0, None)
    assert figures.tolist() == pytest.approx([0.5 + 0.5 / 2])


def test_gains_that_cannot_be_added_up():
    """Q-measure has no figure where the gains of a query add up to more than a float holds."""
    hits = Hits(np.array([0, 0, 1]), np.array([2, 2, 1]), np.array([0, 1, 0]))
    grades = np.array([np.nan, 1.0, 2.0])
    ranked = Ranked(hits, group(hits.query, hits.code, 3), grades, np.array([2, 1]))
    figures = companions.q_measure(ranked, np.array([0.0, 1.0, 1.5e308]), 1.0)
    assert figures.tolist() == pytest.approx([np.nan, 1.0], nan_ok=True)


def test_shared_places_are_refused():
    """Documents that share places have no rank of their own, which all of these measures need."""
    one = np.array([0])
    with pytest.raises(ValueError, match="one order"):
        Ranked(Hits(one, one, one, one + 1), group(one, one, 2), np.array([np.nan, 1.0]), one + 1)


def test_no_query_at_all():
    """Without queries, or without a judged document, there is nothing to stumble over."""
    for some in ([], [Query([], [])], [Query([None, None], [])]):
        ranked = ranked_of(some)
        zeros = [0.0] * len(some)
        assert companions.average_precision(ranked, 1.0).tolist() == zeros
        assert companions.binary_preference(ranked, 1.0).tolist() == zeros
        assert companions.expected_reciprocal_rank(ranked, 3.0, None).tolist() == zeros
        assert companions.q_measure(ranked, np.zeros(8), 1.0).tolist() == zeros
        assert companions.rank_biased_residual(ranked, 0.8).tolist() == [1.0] * len(some)
