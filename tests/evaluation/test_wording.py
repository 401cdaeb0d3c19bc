"""Figures and outcomes in words."""

import math

import pytest
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of

from ndcg_desktop.evaluation import wording
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import Options

QUERIES = {
    "good": [("A", 1)],
    "barren": [("A", 0)],
    "absent": [("B", 2)],
    "blank": [("A", None)],
}


def mixed(**options):
    """A query of each outcome."""
    judgments = [(query, *row) for query, rows in QUERIES.items() for row in rows]
    ranking = [(query, "A") for query in QUERIES if query != "absent"]
    return evaluation_of(judgments, ranking, **options)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.71041, "0.710"),
        (1.0, "1.000"),
        (0.0, "0.000"),
        (1048575.0, "1048575.000"),
        (2.0**40, "1.100e+12"),
        (1e308, "1.000e+308"),
        (-1e308, "-1.000e+308"),
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "–"),
    ],
)
def test_decimal(value, text):
    """A figure has three decimals, a very large one a power of ten; a dash where there is none."""
    assert wording.decimal(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"),
        (2.5, "2.5"),
        (-1.0, "-1"),
        (0.0, "0"),
        (1e20, "100000000000000000000"),
        (1e308, "1e+308"),
        (-1.5e300, "-1.5e+300"),
        (None, ""),
        (math.nan, ""),
    ],
)
def test_grade_text(value, text):
    """A grade reads as it was given, and a blank is empty, never 0."""
    assert wording.grade_text(value) == text


def test_every_status_has_a_reason_and_a_sentence():
    """Each outcome but a score is said in words, differently from every other."""
    options = Options()
    left = [status for status in Status if status != Status.SCORED]
    assert len({wording.reason(status, options) for status in left}) == len(left)
    for status in left:
        assert wording.query_sentence(status, options).endswith(".")
    assert wording.query_sentence(Status.SCORED, options) == ""


@pytest.mark.parametrize(
    ("undefined", "end"),
    [
        ("skip", "Not scored."),
        ("zero", "counts as 0 in the mean."),
        ("one", "counts as 1 in the mean."),
    ],
)
def test_no_relevant_document(undefined, end):
    """The sentence for a query without a relevant document says what it counts as."""
    sentence = wording.query_sentence(Status.UNDEFINED, Options(undefined=undefined))
    assert sentence.startswith("Every grade of this query is 0: there is nothing to normalise by.")
    assert sentence.endswith(end)


def test_sentences_follow_the_options():
    """An absent query, a returned-only ideal and a refused gain are explained by their options."""
    absent = Status.ABSENT
    assert "counts as 0" in wording.query_sentence(absent, Options())
    assert "left out" in wording.query_sentence(absent, Options(missing="skip"))
    returned = Options(ideal="returned")
    assert wording.reason(Status.UNDEFINED, returned) == "no relevant document returned"
    assert "too large" in wording.reason(Status.REFUSED, Options(gain="exponential"))
    assert "added up" in wording.reason(Status.REFUSED, Options(gain="linear"))
    table = Options(gain="table", gain_table=((0, 0),))
    assert "no entry" in wording.reason(Status.REFUSED, table)


@pytest.mark.parametrize(
    ("k", "returned", "text"),
    [
        (10, 4, "k is 10, this ranking has 4 documents: places 5–10 count as empty."),
        (5, 4, "k is 5, this ranking has 4 documents: place 5 counts as empty."),
        (3, 1, "k is 3, this ranking has 1 document: places 2–3 count as empty."),
        (4, 4, ""),
        (10, 0, ""),
        (None, 4, ""),
    ],
)
def test_beyond_the_list(k, returned, text):
    """A cutoff beyond the list is explained, in the singular too."""
    assert wording.beyond_list(Options(cutoff=k), returned) == text


def test_left_out():
    """Each query that is not in the mean is named with its reason."""
    evaluation = mixed()
    assert wording.left_out(evaluation, evaluation.scores()) == {
        "barren": "no relevant document judged",
        "blank": "not judged",
    }
    evaluation = mixed(missing="skip", undefined="zero")
    assert wording.left_out(evaluation, evaluation.scores()) == {
        "absent": "absent from the ranking",
        "blank": "not judged",
    }


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {},
            "mean nDCG@10 0.500 (n = 2, 1 absent as 0); left out: "
            "1 (no relevant document judged), 1 (not judged)",
        ),
        (
            {"undefined": "one", "missing": "skip"},
            "mean nDCG@10 1.000 (n = 2, 1 undefined as 1); left out: "
            "1 (not judged), 1 (absent from the ranking)",
        ),
        (
            {"undefined": "zero", "cutoff": None},
            "mean nDCG 0.333 (n = 3, 1 undefined as 0, 1 absent as 0); left out: 1 (not judged)",
        ),
    ],
)
def test_mean_text(options, text):
    """The mean names its measure, its n, what counts as something, and what is left out."""
    assert wording.mean_text(mixed(**options), 0) == text


def test_a_mean_of_nothing():
    """Where nothing is scored, or no query is in common, there is no mean, and never a 0."""
    blank = evaluation_of([("q", "A", None)], [("q", "A")])
    assert wording.mean_value(blank, 0) is None
    assert wording.mean_text(blank, 0) == "mean nDCG@10 – (no query is scored)"
    apart = evaluation_of([("q", "A", 1)], [("q.0", "A")])
    assert apart.scores().mean == 0.0
    assert wording.mean_value(apart, 0) is None


def test_no_common_query():
    """Where no query is in common no single one has a figure, and the reason is said of each."""
    apart = evaluation_of([("q", "A", 1)], [("q.0", "A")])
    assert apart.scores().counted.any()
    assert not wording.counted(apart, 0).any()
    for query in range(2):
        assert wording.outcome(apart, 0, query).endswith("no query in common")
        assert wording.outcome_sentence(apart, 0, query).endswith("common: nothing is scored.")
    some = mixed()
    assert wording.counted(some, 0).tolist() == some.scores().counted.tolist()
    barren = some.queries.index("barren")
    assert wording.outcome(some, 0, barren) == "no relevant document judged"
    assert "Every grade" in wording.outcome_sentence(some, 0, barren)
    assert wording.outcome(some, 0, some.queries.index("good")) == ""


def test_named_in_full():
    """A score is named by gain and ideal, and by whatever is not the default."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING)
    assert wording.named_in_full(evaluation) == "linear gain, ideal from all judged"
    evaluation.options = Options(gain="exponential", ideal="returned", unjudged="remove")
    assert wording.named_in_full(evaluation) == (
        "exponential gain, ideal from the returned only, unjudged removed before ranking"
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"rounding": "5-decimals"}, ", before rounding"),
        ({"order": "ties-worst"}, ", while tied documents keep their order"),
        (
            {"order": "ties-worst", "rounding": "2-decimals"},
            ", before rounding and while tied documents keep their order",
        ),
    ],
)
def test_what_a_range_does_not_allow_for(changes, said):
    """It is said after every range, and nothing where a range is of what is shown."""
    evaluation = evaluation_of([("q", "A", 1)], [("q", "X"), ("q", "A")])
    evaluation.options = Options(**changes)
    assert wording.range_caveat(evaluation.options) == said
    assert wording.mean_range_text(evaluation, 0).endswith(f"turn out to be{said}")


def test_an_ideal_that_ends_with_the_list():
    """Places beyond the list do not count as empty where the ideal is cut there."""
    said = wording.beyond_list(Options(ideal_cut="returned"), 3)
    assert said == "k is 10, this ranking has 3 documents: the ideal is cut there, too."
