"""Every combination of options against the definition written out in plain Python."""

from itertools import product

import numpy as np
import pytest
import reference
import strategies
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of, values_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import Options

EXACT = 1e-9

CHOICES = {
    "gain": ("linear", "exponential", "table"),
    "ideal": ("judged", "returned", "column"),
    "order": ("auto", "file", "score", "ties-averaged"),
    "unjudged": ("zero", "remove"),
    "undefined": ("skip", "zero", "one"),
    "missing": ("zero", "skip"),
    "discount": ("log2", "base", "reciprocal"),
}

JUDGMENTS = [
    *[("tied", name, grade) for name, grade in zip("abcdef", (1, 3, 0, None, 2, 3), strict=True)],
    *[("tied", "b", 2), ("tied", "e", None)],
    *[("odd", "a", -1), ("odd", "b", 2.33), ("odd", "c", 0.5), ("odd", "d", -2)],
    *[("barren", "a", 0), ("barren", "b", -2)],
    *[("absent", "a", 2), ("absent", "b", 1)],
    *[("absent and barren", "a", 0)],
    *[("blank", "a", None)],
    *[("unknown grade", "a", 2.5), ("unknown grade", "b", 1)],
    *[("missed", "z", 3), ("missed", "a", 1), ("low", "a", 3)],
]
RANKING = [
    *[("tied", name, score) for name, score in zip("fdcabe", (5, 5, 4, 4, 4, 1), strict=True)],
    *[("odd", "d", 9), ("tied", "a", 0.5), ("odd", "x", 3), ("odd", "b", 3), ("odd", "a", 3)],
    *[("barren", "b", 2), ("barren", "a", 1)],
    *[("unjudged", "a", 1), ("blank", "a", 1)],
    *[("unknown grade", "b", 2), ("unknown grade", "a", 1)],
    *[
        ("missed", "y", 3),
        ("missed", "a", 2),
        ("missed", "x", None),
        ("missed", "w", None),
        ("low", "a", 2),
    ],
]
IDEAL = {
    "tied": [3, 3, 3, 2, 1],
    "odd": [2.33, None],
    "missed": [0],
    "unknown grade": [3, 2.5],
    "low": [1],
}


def check(evaluation, data, options):
    """Compare every row of the scores, and the mean, with the reference."""
    expected = reference.scores(data.judgments, data.ranking, options, data.ideal)
    scores = evaluation.scores()
    got = {
        query: reference.Outcome(
            Status(scores.status[number]).name,
            float(scores.value[number]),
            float(scores.dcg[number]),
            float(scores.ideal_dcg[number]),
            int(scores.judged[number]),
            int(scores.returned[number]),
            bool(scores.counted[number]),
        )
        for number, query in enumerate(evaluation.queries)
    }
    assert got.keys() == expected.keys()
    for query, outcome in expected.items():
        here = got[query]
        assert (here.status, here.counted) == (outcome.status, outcome.counted), query
        assert (here.judged, here.returned) == (outcome.judged, outcome.returned), query
        assert (here.value, here.dcg, here.ideal_dcg) == pytest.approx(
            (outcome.value, outcome.dcg, outcome.ideal_dcg), rel=EXACT, abs=EXACT
        ), query
    assert scores.n == sum(outcome.counted for outcome in expected.values())
    mean = reference.mean(expected, options)
    assert (scores.mean is None) == (mean is None)
    if mean is not None:
        assert scores.mean == pytest.approx(mean, abs=EXACT)


def test_the_reference_gives_the_worked_example():
    """The reference itself gives the figures that the specification has for its example."""
    rows = [(*row, None, None) for row in WORKED_RANKING]
    for gain, figure in (("linear", 0.710414667913779), ("exponential", 0.6685274490004087)):
        found = reference.scores(WORKED_JUDGMENTS, rows, Options(gain=gain, cutoff=4))
        assert found["q1"].value == pytest.approx(figure, abs=1e-12)


@pytest.mark.parametrize(
    ("cutoff", "with_ranks"), [(1, False), (3, False), (3, True), (None, False)]
)
def test_every_combination(cutoff, with_ranks):
    """All 1,296 combinations give what the definition gives, on data with every oddity."""
    ranking = [(*row, None) for row in RANKING]
    if with_ranks:
        once = {row[:2]: row for row in reversed(RANKING)}
        ranking = [(*row, (place * 7) % 11) for place, row in enumerate(once.values())]
    data = strategies.Data(JUDGMENTS, ranking, IDEAL)
    evaluation = evaluation_of(JUDGMENTS, ranking, ideal=IDEAL)
    seen = set()
    for values in product(*CHOICES.values()):
        options = Options(
            cutoff=cutoff,
            gain_table=strategies.TABLE,
            discount_base=3.0,
            **dict(zip(CHOICES, values, strict=True)),
        )
        evaluation.options = options
        check(evaluation, data, options)
        seen |= set(evaluation.scores().status.tolist())
    assert seen == {status.value for status in Status}


@pytest.mark.parametrize("cutoff", [2, None])
def test_every_combination_of_ideal_order_and_rounding(cutoff):
    """The options that few tools have, with each other and with those that they bear on."""
    ranking = [(*row, None) for row in RANKING]
    data = strategies.Data(JUDGMENTS, ranking, IDEAL)
    evaluation = evaluation_of(JUDGMENTS, ranking, ideal=IDEAL)
    for ideal, cut, order, unjudged, rounding in product(
        CHOICES["ideal"],
        ("none", "returned"),
        ("ties-worst", "file", "ties-averaged"),
        CHOICES["unjudged"],
        ("none", "5-decimals", "2-decimals", "floored-terms"),
    ):
        evaluation.options = Options(
            cutoff=cutoff,
            gain="exponential",
            ideal=ideal,
            ideal_cut=cut,
            order=order,
            unjudged=unjudged,
            rounding=rounding,
        )
        check(evaluation, data, evaluation.options)


@given(strategies.data(), strategies.options())
@settings(max_examples=200)
def test_any_data_and_options(data, options):
    """Any judgments, ranking, ideal grades and options give what the definition gives."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    check(evaluation, data, options)


@given(strategies.data(), strategies.options())
@settings(max_examples=60)
def test_one_query_is_scored_as_among_all(data, options):
    """A query scored by itself, as after an edit, has the row it has among all queries."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    together = evaluation.scores()
    for query in range(len(evaluation.queries)):
        alone = evaluation.score_query(0, query)
        for name in ("value", "dcg", "ideal_dcg"):
            assert getattr(alone, name)[0] == pytest.approx(
                getattr(together, name)[query], abs=1e-12
            )
        for name in ("status", "counted", "judged", "returned"):
            assert getattr(alone, name)[0] == getattr(together, name)[query]


@pytest.mark.parametrize("order", CHOICES["order"])
def test_a_repeated_document_counts_at_its_better_place(order):
    """A document returned twice counts where it stands higher, by rank and by score alike."""
    rows = [("q", "A", 0.1, 1), ("q", "B", 0.5, 2), ("q", "A", 0.9, 3)]
    evaluation = evaluation_of([("q", "A", 3), ("q", "B", 1)], rows, order=order)
    assert values_of(evaluation) == pytest.approx({"q": 1.0}, abs=EXACT)


@given(st.data())
@settings(max_examples=25)
def test_a_large_evaluation_in_many_queries(data):
    """Queries do not leak into each other: each has the figure it has by itself."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    options = data.draw(strategies.options())
    queries = [f"q{number}" for number in range(12)]
    judgments = [
        (query, f"d{document}", float(rng.choice([0, 1, 2, 3])))
        for query in queries
        for document in rng.permutation(12)[: rng.integers(1, 9)]
    ]
    rows = [
        (query, f"d{document}", float(rng.integers(0, 5)))
        for query in queries
        for document in rng.permutation(12)[: rng.integers(0, 9)]
    ]
    rows = [rows[place] for place in rng.permutation(len(rows))]
    together = evaluation_of(judgments, rows)
    together.options = options
    for query in queries:
        alone = evaluation_of(
            [row for row in judgments if row[0] == query], [row for row in rows if row[0] == query]
        )
        alone.options = options
        expected = values_of(alone).get(query)
        assert values_of(together).get(query) == pytest.approx(expected, abs=1e-12)
