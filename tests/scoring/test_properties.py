"""What holds for every ranking, whatever the data and the options."""

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import strategies
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of, values_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.evaluation.open_grades import query_bounds
from ndcg_desktop.scoring.conventions import (
    ALIASES,
    CONVENTIONS,
    all_matching,
    convention,
    matching,
)
from ndcg_desktop.scoring.discount import cumulative, discount
from ndcg_desktop.scoring.gain import gain
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import Options, OptionsError, parse_discount, parse_gain

FIGURES = ("value", "dcg", "ideal_dcg")


@given(strategies.data(), strategies.options())
@settings(max_examples=60)
def test_between_0_and_1_and_finite(data, options):
    """No figure is NaN or infinite, and every value lies from 0 to 1."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    scores = evaluation.scores()
    for name in FIGURES:
        assert np.isfinite(getattr(scores, name)).all()
    assert ((scores.value >= 0) & (scores.value <= 1)).all()
    assert (scores.judged <= scores.returned).all()
    assert scores.mean is None or 0 <= scores.mean <= 1


@given(
    st.lists(st.sampled_from(strategies.GRADES), min_size=1, max_size=30),
    strategies.options(),
)
@settings(max_examples=60)
def test_the_ideal_order_is_exactly_1(grades, options):
    """A ranking in the order of the gains scores exactly 1, not 1 less a rounding."""
    if options.ideal_cut == "none":
        options = replace(options, cutoff=None)  # else it is less than the ideal
    gains = gain(grades, options)
    best = np.argsort(-np.nan_to_num(gains), kind="stable").tolist()
    names = [f"d{place}" for place in range(len(grades))]
    judgments = [("q", name, grade) for name, grade in zip(names, grades, strict=True)]
    evaluation = evaluation_of(
        judgments, [("q", names[place]) for place in best], ideal={"q": grades}
    )
    evaluation.options = options
    scores = evaluation.scores()
    if scores.status[0] == Status.SCORED:
        assert scores.value[0] == 1.0
        assert scores.mean == 1.0
    else:
        assert np.isnan(gains).any() or np.max(gains) == 0


@given(strategies.data(), strategies.options(), st.randoms(use_true_random=False))
@settings(max_examples=70)
def test_swapping_equal_grades_changes_nothing(data, options, random):
    """Two judged documents of one grade may change places anywhere in the ranking."""
    grades = {}
    for query, document, grade in data.judgments:
        grades.setdefault((query, document), grade)
    judgments = [(*pair, grade) for pair, grade in grades.items()]
    ranking = list({row[:2]: row for row in data.ranking}.values())
    alike = {}
    for place, row in enumerate(ranking):
        alike.setdefault((row[0], grades.get(row[:2], "unlisted")), []).append(place)
    swapped = list(ranking)
    for places in alike.values():
        names = [ranking[place][1] for place in places]
        # Ties go by document id, so where there are scores equal ones are left alone.
        if len({ranking[place][2] for place in places}) == len(places) or not any(
            row[2] is not None for row in ranking
        ):
            random.shuffle(names)
        for place, name in zip(places, names, strict=True):
            swapped[place] = (ranking[place][0], name, *ranking[place][2:])
    one = evaluation_of(judgments, ranking, ideal=data.ideal)
    other = evaluation_of(judgments, swapped, ideal=data.ideal)
    one.options = other.options = options
    if options.order in ("auto", "file"):
        assert values_of(one) == pytest.approx(values_of(other), abs=1e-12)
    np.testing.assert_array_equal(one.scores().ideal_dcg, other.scores().ideal_dcg)


def state(evaluation):
    """What each query came to, by its id."""
    scores = evaluation.scores()
    return {
        query: (
            Status(scores.status[number]).name,
            bool(scores.counted[number]),
            int(scores.judged[number]),
            *(round(float(getattr(scores, name)[number]), 11) for name in FIGURES),
        )
        for number, query in enumerate(evaluation.queries)
    }


edits = st.lists(
    st.tuples(strategies.pairs(), st.none() | st.sampled_from((*strategies.GRADES, 4.0, 7.5))),
    min_size=1,
    max_size=6,
)


@given(strategies.data(), strategies.options(), edits)
@settings(max_examples=70)
def test_edits_are_a_fresh_join_and_can_be_undone(data, options, edits):
    """Grades given one by one score like a fresh join with these grades, and undoing goes back."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    before = state(evaluation)
    grades = {}
    for query, document, grade in data.judgments:
        known = grades.get((query, document))
        grades[query, document] = grade if known is None else max(known, grade or known, known)
    undo = []
    for (query, document), grade in edits:
        if query not in evaluation.queries:
            continue
        pair = evaluation.pair_of(evaluation.queries.index(query), document)
        undo.append((pair, float(evaluation.judgments.grade[pair])))
        changed = evaluation.set_grades([(pair, math.nan if grade is None else grade)])
        assert [evaluation.queries[number] for number in changed] == [query]
        grades[query, document] = grade
    fresh = evaluation_of(
        [(*pair, grade) for pair, grade in grades.items()], data.ranking, ideal=data.ideal
    )
    fresh.options = options
    assert state(evaluation) == state(fresh)
    evaluation.options = options  # all is scored anew
    assert state(evaluation) == state(fresh)
    for pair, grade in reversed(undo):
        evaluation.set_grades([(pair, grade)])
    assert state(evaluation) == before
    assert len(evaluation.changed_pairs()) == 0


# ---- grades that are too large


@pytest.mark.parametrize("grade", [1024.0, 1e4, 1e308])
def test_a_grade_too_large_for_its_gain_is_refused(grade):
    """2^grade − 1 beyond a 64-bit float refuses the query, and no other query."""
    judgments = [("big", "A", grade), ("big", "B", 1), ("q", "A", 1), ("q", "B", 3)]
    rows = [("big", "A"), ("big", "B"), ("q", "A"), ("q", "B")]
    evaluation = evaluation_of(judgments, rows, gain="exponential")
    scores = evaluation.scores()
    assert scores.status.tolist() == [Status.REFUSED, Status.SCORED]
    assert scores.n == 1
    assert values_of(evaluation) == pytest.approx({"q": 0.70980974139686}, abs=1e-9)
    assert (scores.value[0], scores.dcg[0], scores.ideal_dcg[0]) == (0.0, 0.0, 0.0)
    finding = evaluation.first_refused(0)
    assert (finding.row, finding.source.file) == (2, "judgments.csv")


def test_a_sum_too_large_is_refused():
    """Gains that are finite by themselves and too large together refuse the query."""
    grades = [("q", name, 1023.5) for name in "ABCDEF"]
    evaluation = evaluation_of(grades, [row[:2] for row in grades], gain="exponential")
    assert evaluation.scores().status.tolist() == [Status.REFUSED]
    assert evaluation.scores().mean is None
    one = evaluation_of(grades[:1], [("q", "A")], gain="exponential")
    assert values_of(one) == {"q": 1.0}


@given(st.lists(st.floats(allow_infinity=False), min_size=1, max_size=5), strategies.options())
@settings(max_examples=60)
def test_any_finite_grade_at_all(grades, options):
    """Whatever finite grades there are, a query is scored or has a status, and all is finite."""
    judgments = [("q", f"d{place}", grade) for place, grade in enumerate(grades)]
    judgments += [("other", "a", 1), ("other", "b", 2)]
    rows = [*[row[:2] for row in judgments], ("q", "blank"), ("other", "c")]
    evaluation = evaluation_of(judgments, rows, ideal={"q": grades, "other": [2, 1]})
    evaluation.options = options
    scores, bounds = evaluation.scores(), query_bounds(evaluation, 0)
    for figures in (*(getattr(scores, name) for name in FIGURES), bounds.lower, bounds.upper):
        assert np.isfinite(figures).all()
    lacks_a_grade = bool(np.isnan(gain([1, 2], options)).any())
    assert scores.status[1] == (Status.REFUSED if lacks_a_grade else Status.SCORED)


# ---- options that some tools need


@given(strategies.data(), strategies.options())
@settings(max_examples=25)
def test_the_worst_order_of_ties_is_the_worst(data, options):
    """The DCG is the least that any order of the documents that tie gives."""
    rows = list({row[:2]: (*row[:2], row[2] or 0.0) for row in data.ranking}.values())
    rows = [row for row in rows if row[0] == "q1"][:6]
    evaluation = evaluation_of([("q1", "z", 1), *data.judgments], rows or [("q1", "z", 0.0)])
    options = replace(options, unjudged="zero", rounding="none", gain_table=strategies.TABLE)
    evaluation.options = replace(options, order="ties-worst")
    got = float(evaluation.scores().dcg[evaluation.queries.index("q1")])
    if not rows:
        return
    tried = []
    for order in permutations(rows):
        if [row[2] for row in order] == sorted((row[2] for row in rows), reverse=True):
            one = evaluation_of([("q1", "z", 1), *data.judgments], [row[:2] for row in order])
            one.options = replace(options, order="file")
            tried.append(float(one.scores().dcg[one.queries.index("q1")]))
    assert got == pytest.approx(min(tried), abs=1e-12)


def test_worst_ties_by_hand():
    """Two tied documents of grades 3 and 1: 1 comes first; the unjudged one before both."""
    judgments = [("q", "A", 3), ("q", "B", 1)]
    rows = [("q", "A", 1.0), ("q", "B", 1.0), ("q", "X", 1.0)]
    evaluation = evaluation_of(judgments, rows, order="ties-worst")
    assert evaluation.scores().dcg[0] == pytest.approx(1 / math.log2(3) + 3 / 2)
    evaluation.options = replace(evaluation.options, unjudged="remove")
    assert evaluation.scores().dcg[0] == pytest.approx(1 + 3 / math.log2(3))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 2 / (2 + 1 / math.log2(3))),
        ({"ideal_cut": "none"}, 2 / (2 + 1 / math.log2(3) + 1 / 2)),
        ({"ideal_cut": "returned"}, 1.0),
        ({"ideal_cut": "returned", "cutoff": 1}, 1.0),
        ({"rounding": "5-decimals"}, 0.76019),
        ({"rounding": "2-decimals"}, 0.76),
        ({"rounding": "floored-terms"}, 0.76),  # 2 / 2.63
        ({"rounding": "2-decimals", "cutoff": 3}, 0.64),  # 2 / 3.1309
        ({"rounding": "floored-terms", "cutoff": 3}, 0.63),  # 2 / 3.13
    ],
)
def test_the_ideal_cut_and_rounding_by_hand(changes, expected):
    """One document of grade 2 is returned, two of grade 1 are not."""
    judgments = [("q", "A", 2), ("q", "B", 1), ("q", "C", 1)]
    evaluation = evaluation_of(judgments, [("q", "A")])
    evaluation.options = Options(**{"cutoff": 2} | changes)
    assert values_of(evaluation) == pytest.approx({"q": expected}, abs=1e-12)


def test_a_mean_of_what_is_not_rounded():
    """Rounded to 5 decimals is what is shown, of queries and mean; to 2, what a mean is made of."""
    judgments = [("q", "A", 3), ("q", "B", 1), ("r", "A", 3), ("r", "B", 2)]
    rows = [("q", "B"), ("q", "A"), ("r", "B"), ("r", "A")]
    evaluation = evaluation_of(judgments, rows)
    exact = evaluation.scores()
    for rounding, decimals in (("5-decimals", 5), ("2-decimals", 2)):
        evaluation.options = Options(rounding=rounding)
        scores = evaluation.scores()
        assert scores.value.tolist() == [round(value, decimals) for value in exact.value]
        mean = exact.mean if decimals == 5 else sum(scores.value) / 2
        assert scores.mean == pytest.approx(round(mean, 5), abs=1e-12)


# ---- other implementations that are installed


@pytest.fixture(scope="module")
def random_queries():
    """Sixty random queries with ties, unjudged documents and documents that were not returned."""
    rng = np.random.default_rng(20261130)
    judgments, rows = [], []
    for number in range(60):
        query = f"q{number}"
        judged = rng.permutation(40)[: rng.integers(1, 20)]
        judgments += [(query, f"d{each}", int(rng.integers(-1, 4))) for each in judged]
        returned = rng.permutation(40)[: rng.integers(2, 30)]
        rows += [(query, f"d{each}", float(rng.integers(0, 12))) for each in returned]
    return judgments, rows


def by_query(rows):
    """Rows as a dictionary of dictionaries."""
    out = {}
    for query, document, number in rows:
        out.setdefault(query, {})[document] = number
    return out


@pytest.mark.parametrize("cutoff", [1, 5, 10, 1000])
def test_pytrec_eval(random_queries, cutoff):
    """Random queries score as pytrec_eval scores them, which is installed."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judgments, rows = random_queries
    measure = f"ndcg_cut_{cutoff}"
    evaluator = pytrec_eval.RelevanceEvaluator(by_query(judgments), {measure})
    expected = {
        query: figures[measure] for query, figures in evaluator.evaluate(by_query(rows)).items()
    }
    evaluation = evaluation_of(judgments, rows)
    evaluation.options = convention("pytrec_eval").apply(Options(cutoff=cutoff))
    assert values_of(evaluation) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("cutoff", [1, 3, 10, None])
def test_scikit_learn(random_queries, cutoff):
    """Random queries score as scikit-learn scores the returned documents, ties averaged."""
    metrics = pytest.importorskip("sklearn.metrics")
    judgments, rows = random_queries
    judgments = [(*row[:2], abs(row[2])) for row in judgments]
    grades = by_query(judgments)
    expected = {}
    for query, scores in by_query(rows).items():
        truth = [[grades[query].get(document, 0) for document in scores]]
        expected[query] = metrics.ndcg_score(truth, [list(scores.values())], k=cutoff)
    evaluation = evaluation_of(judgments, rows)
    evaluation.options = convention("sklearn").apply(Options(cutoff=cutoff))
    got = values_of(evaluation)
    # Queries whose judged documents are all absent are undefined here, and 0 there.
    assert got == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["ir_measures", "ir_measures exponential"])
def test_ir_measures(random_queries, name):
    """A measure printed here means to ir_measures what it means here."""
    ir_measures = pytest.importorskip("ir_measures")
    judgments, rows = random_queries
    # Its exponential gain comes from gdeval, which needs Perl; the notation is only read.
    options = convention("ir_measures").apply(
        Options(gain="exponential" if "exponential" in name else "linear", cutoff=7)
    )
    measure = ir_measures.parse_measure(options.measure)
    assert str(measure) == options.measure
    if options.gain == "linear":
        qrels = [ir_measures.Qrel(*row) for row in judgments]
        run = [ir_measures.ScoredDoc(*row) for row in rows]
        expected = {
            each.query_id: each.value for each in ir_measures.iter_calc([measure], qrels, run)
        }
        evaluation = evaluation_of(judgments, rows)
        evaluation.options = options
        assert values_of(evaluation) == pytest.approx(expected, abs=1e-9)


# ---- the parts


def test_worked_example():
    """The specification's example: linear 0.7104, exponential 0.6685, returned only 0.9434."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)
    assert values_of(evaluation) == pytest.approx({"q1": 0.710414667913779}, abs=1e-12)
    scores = evaluation.scores()
    assert scores.dcg[0] == pytest.approx(4.492282869718243, abs=1e-9)
    assert scores.ideal_dcg[0] == pytest.approx(6.323465818787766, abs=1e-9)
    evaluation.options = Options(cutoff=4, gain="exponential")
    assert values_of(evaluation) == pytest.approx({"q1": 0.6685274490004087}, abs=1e-12)
    evaluation.options = Options(cutoff=4, ideal="returned")
    assert values_of(evaluation) == pytest.approx({"q1": 0.9433883681321763}, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0, 0, 0, 0.5, 1, 3]),
        ({"gain": "exponential"}, [0, 0, 0, 2**0.5 - 1, 1, 7]),
        ({"gain": "table", "gain_table": ((3, 9), (0, 2), (1, 0))}, [0, 0, 2, np.nan, 0, 9]),
    ],
)
def test_gain(options, expected):
    """Blank and negative grades gain 0; a grade that the table lacks gains NaN."""
    got = gain([np.nan, -2, 0, 0.5, 1, 3], Options(**options))
    np.testing.assert_allclose(got, expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [1, 1 / math.log2(3), 0.5, 1 / math.log2(5)]),
        ({"discount": "reciprocal"}, [1, 1 / 2, 1 / 3, 1 / 4]),
        ({"discount": "base", "discount_base": 2}, [1, 1, 1 / math.log2(3), 0.5]),
        ({"discount": "base", "discount_base": 3}, [1, 1, 1, math.log(3) / math.log(4)]),
        ({"discount": "base", "discount_base": 1e6}, [1, 1, 1, 1]),
        ({"cutoff": 2}, [1, 1 / math.log2(3), 0, 0]),
    ],
)
def test_discount(options, expected):
    """Each discount at the ranks 1 to 4, and its running sum."""
    got = discount(4, Options(**options))
    np.testing.assert_allclose(got, expected, rtol=1e-14)
    np.testing.assert_allclose(cumulative(got), np.concatenate(([0], np.cumsum(expected))))


@pytest.mark.parametrize(
    "options",
    [
        {"cutoff": 0},
        {"cutoff": -3},
        {"cutoff": 2.5},
        {"cutoff": True},
        {"cutoff": 10**20},
        {"gain": "cubic"},
        {"ideal": "best"},
        {"order": "random"},
        {"unjudged": "one"},
        {"undefined": "nan"},
        {"missing": "one"},
        {"ideal_cut": "n"},
        {"rounding": "3-decimals"},
        {"discount": "log3"},
        {"discount_base": 1.0},
        {"discount_base": float("nan")},
        {"discount_base": float("inf")},
        {"gain": "table"},
        {"gain": "table", "gain_table": ((0, 0), (0.0, 1))},
        {"gain": "table", "gain_table": ((0, -1),)},
        {"gain": "table", "gain_table": ((0, float("inf")),)},
        {"gain": "table", "gain_table": ((float("nan"), 0),)},
    ],
)
def test_options_that_cannot_be(options):
    """An option that nothing can be scored under is refused with a sentence."""
    with pytest.raises(OptionsError, match=r"\.$"):
        Options(**options)


def test_the_greatest_cutoff_cuts_nothing():
    """A cutoff beyond any list is no cutoff; one beyond what can be counted is refused."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=2**31 - 1)
    got, bounds = values_of(evaluation), query_bounds(evaluation, 0)
    evaluation.options = Options(cutoff=None)
    assert got == values_of(evaluation)
    assert bounds.lower == query_bounds(evaluation, 0).lower


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("linear", ("linear", ())),
        ("exponential", ("exponential", ())),
        ("0=0,1=1,2=5", ("table", ((0.0, 0.0), (1.0, 1.0), (2.0, 5.0)))),
        ("0.5=2.25", ("table", ((0.5, 2.25),))),
    ],
)
def test_parse_gain(text, expected):
    """A gain is a word or a table of grade=gain."""
    assert parse_gain(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "Linear", "0", "0=", "=1", "1=1=1", "1=x", "0=0,0=1", "0=-1", "0=nan", "inf=1", ","],
)
def test_parse_gain_refuses(text):
    """Anything else is refused as an option, with a sentence."""
    with pytest.raises(OptionsError, match=r"\.$"):
        parse_gain(text)


def test_parse_discount():
    """A discount is a word or base:B, and anything else is refused."""
    assert parse_discount("log2") == ("log2", 2.0)
    assert parse_discount("reciprocal") == ("reciprocal", 2.0)
    assert parse_discount("base:2.5") == ("base", 2.5)
    for text in ("", "base", "base:", "base:x", "log3", "log2:3"):
        with pytest.raises(OptionsError, match=r"\.$"):
            parse_discount(text)


@pytest.mark.parametrize(
    ("options", "measure", "differences"),
    [
        ({}, "nDCG@10", []),
        ({"cutoff": None}, "nDCG", []),
        ({"gain": "exponential"}, "nDCG(dcg='exp-log2')@10", []),
        (
            {"gain": "table", "gain_table": ((0, 0), (1, 2.5))},
            "nDCG(gains={0: 0, 1: 2.5})@10",
            [],
        ),
        ({"discount": "base", "discount_base": 2.5}, "nDCG@10", ["none before rank 3"]),
        ({"discount": "reciprocal"}, "nDCG@10", ["discount 1/i"]),
        (
            {"ideal": "returned", "order": "score", "unjudged": "remove", "missing": "skip"},
            "nDCG@10",
            ["returned", "score", "removed", "left out"],
        ),
        ({"undefined": "one"}, "nDCG@10", ["undefined queries count as 1"]),
        (
            {"ideal_cut": "none", "order": "ties-worst", "rounding": "5-decimals"},
            "nDCG@10",
            ["ideal not cut", "lowest gain first", "rounded to 5"],
        ),
    ],
)
def test_the_name_of_a_measure(options, measure, differences):
    """A measure is named as ir_measures names it, then by every option that differs."""
    made = Options(**options)
    assert made.measure == measure
    assert len(made.differences) == len(differences)
    for text, part in zip(made.differences, differences, strict=True):
        assert part in text
    assert made.full_name == ", ".join([measure, *made.differences])


def test_as_dict_holds_every_option():
    """Two options that differ anywhere differ as plain values too."""
    plain = Options().as_dict()
    for change in (
        {"gain": "exponential"},
        {"gain": "table", "gain_table": ((0, 0), (1, 3))},
        {"cutoff": 5},
        {"ideal": "column"},
        {"order": "file"},
        {"unjudged": "remove"},
        {"undefined": "one"},
        {"missing": "skip"},
        {"discount": "base", "discount_base": 3},
        {"ideal_cut": "returned"},
        {"rounding": "2-decimals"},
    ):
        changed = Options(**change).as_dict()
        assert changed.keys() == plain.keys()
        assert [key for key in plain if changed[key] != plain[key]] == [next(iter(change))]


@pytest.mark.parametrize("name", CONVENTIONS)
def test_a_convention_is_recognised(name):
    """The options that a convention makes are recognised as that convention's, at any cutoff."""
    for cutoff in (None, 1, 10):
        options = convention(name).apply(Options(cutoff=cutoff, undefined="one"))
        assert options.cutoff == cutoff
        assert matching(options, name).name == name
        assert name in [each.name for each in all_matching(options)]


def test_tools_that_score_alike():
    """Of several the first is named, but for the one that was asked for."""
    options = convention("torchmetrics").apply(Options())
    assert [each.name for each in all_matching(options)] == ["scikit-learn", "torchmetrics"]
    assert matching(options).name == matching(options, "ranx").name == "scikit-learn"


@pytest.mark.parametrize("each", CONVENTIONS.values(), ids=CONVENTIONS)
@pytest.mark.parametrize("gain", ["linear", "exponential", "table"])
def test_the_gain_of_a_convention(each, gain):
    """The gain stays where the tool offers it, and is the tool's own where not."""
    options = Options(gain=gain, gain_table=((0, 0), (1, 1)))
    assert each.apply(options).gain == (gain if gain in each.gains else each.gains[0])
    assert each.about.endswith(".")


@pytest.mark.parametrize("alias", ALIASES)
def test_other_names_of_a_convention(alias):
    """Every alias leads to a convention, in capitals too."""
    assert convention(alias) is convention(alias.upper()) is CONVENTIONS[ALIASES[alias]]


def test_options_of_nobody():
    """Options that no tool has are no convention, also with a gain table."""
    assert matching(Options(discount="reciprocal")) is None
    assert matching(Options(gain="table", gain_table=((0, 0), (1, 1)))) is None
    assert convention("excel") is None
    assert convention("sklearn") is convention("scikit-learn")
