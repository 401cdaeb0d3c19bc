"""The measures of an evaluation: names, queries without a figure, means, and other programs."""

import math
import random
import re
from dataclasses import replace

import numpy as np
import pytest
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from strategies import data, options

from ndcg_desktop.evaluation.measures import (
    DEFAULT,
    MEASURES,
    MeasureSettings,
    mean,
    mean_of,
    measure_name,
    residuals,
    settled,
    values,
)
from ndcg_desktop.scoring.options import Options, OptionsError

EXACT = 1e-9


def figure(evaluation, key, settings=DEFAULT):
    """The figure of the first query."""
    return values(evaluation, 0, MEASURES[key], settings)[0]


def by_query(evaluation, key, settings=DEFAULT):
    """The figure of each query, by its id."""
    figures = values(evaluation, 0, MEASURES[key], settings).tolist()
    return dict(zip(evaluation.queries, figures, strict=True))


# ---- names


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("nDCG", "nDCG@10"),
        ("nDCG'", "nDCG(judged_only=True)@10"),
        ("DCG", "DCG@10"),
        ("P", "P(rel=2)@10"),
        ("R", "R(rel=2)@10"),
        ("Success", "Success(rel=2)@10"),
        ("RR", "RR(rel=2)"),
        ("AP", "AP(rel=2)"),
        ("ERR", "ERR(max_rel=3)@10"),
        ("RBP", "RBP(p=0.95, rel=2)"),
        ("Q", "Q(beta=10, gain='linear')"),
        ("Bpref", "Bpref(rel=2)"),
        ("Judged", "Judged@10"),
    ],
)
def test_names(key, name):
    """Cutoff, threshold, p, beta and highest grade are in every name that depends on them."""
    settings = MeasureSettings(relevant=2, persistence=0.95, beta=10, highest=3)
    assert measure_name(MEASURES[key], Options(), settings) == name


LIVELY_JUDGMENTS = [
    ("q1", "A", 1),
    ("q1", "B", 0),
    ("q1", "C", 2),
    ("q1", "D", 3),
    ("q1", "E", 1),
    ("q2", "A", 1),
    ("q2", "B", 3),
]
LIVELY_RANKING = [("q1", name) for name in "BXACYD"] + [("q2", name) for name in "AB"]


@pytest.mark.parametrize(
    ("sign", "changed", "settings"),
    [
        ("@1", Options(cutoff=3), DEFAULT),
        ("rel=1", Options(cutoff=1), MeasureSettings(relevant=2)),
        ("p=0.8", Options(cutoff=1), MeasureSettings(persistence=0.5)),
        ("beta=1", Options(cutoff=1), MeasureSettings(beta=10)),
        ("max_rel=3", Options(cutoff=1), MeasureSettings(highest=9)),
    ],
)
def test_names_tell_what_a_figure_depends_on(sign, changed, settings):
    """A measure changes with the cutoff or a setting just where its name shows that."""
    evaluation = evaluation_of(LIVELY_JUDGMENTS, LIVELY_RANKING)
    for measure in MEASURES.values():
        evaluation.options = Options(cutoff=1)
        before = values(evaluation, 0, measure).tolist()
        name = measure_name(measure, evaluation.options, settled(evaluation, DEFAULT))
        evaluation.options = changed
        after = values(evaluation, 0, measure, settings).tolist()
        assert (before != after) == (sign in name), name


def test_names_of_gains():
    """The gain is in the name of each measure that gains something."""
    exponential = Options(gain="exponential", cutoff=None)
    table = Options(gain="table", gain_table=((0.0, 0.0), (1.0, 5.0)))
    names = {key: measure_name(MEASURES[key], exponential, DEFAULT) for key in ("DCG", "nDCG'")}
    assert names["DCG"] == "DCG(dcg='exp-log2')"
    assert names["nDCG'"] == "nDCG(dcg='exp-log2', judged_only=True)"
    assert measure_name(MEASURES["Q"], exponential, DEFAULT) == "Q(beta=1, dcg='exp-log2')"
    assert measure_name(MEASURES["Q"], table, DEFAULT) == "Q(beta=1, gains={0: 0, 1: 5})"


def test_names_without_a_cutoff():
    """Of the whole ranking P and R are what ir_measures calls SetP and SetR."""
    whole = Options(cutoff=None)
    names = [measure_name(MEASURES[key], whole) for key in ("P", "R", "Success", "ERR", "Judged")]
    assert names == ["SetP(rel=1)", "SetR(rel=1)", "Success(rel=1)", "ERR(max_rel=scale)", "Judged"]


def test_names_of_condensed_lists_and_broken_ties():
    """What the options change of the other measures too is in their names."""
    condensed = Options(unjudged="remove")
    assert measure_name(MEASURES["P"], condensed) == "P(rel=1, judged_only=True)@10"
    assert measure_name(MEASURES["nDCG"], condensed) == "nDCG(judged_only=True)@10"
    assert measure_name(MEASURES["Judged"], condensed) == "Judged@10"
    averaged = Options(order="ties-averaged")
    assert measure_name(MEASURES["nDCG'"], averaged) == "nDCG(judged_only=True)@10"
    assert measure_name(MEASURES["AP"], averaged) == (
        "AP(rel=1), order by score, ties by document id descending"
    )


@pytest.mark.parametrize("cutoff", [10, None])
@pytest.mark.parametrize("unjudged", ["zero", "remove"])
def test_names_are_those_of_ir_measures(cutoff, unjudged):
    """Where ir_measures knows a measure, it reads the name as that measure."""
    ir_measures = pytest.importorskip("ir_measures")
    known = {"nDCG", "nDCG'", "P", "R", "RR", "AP", "Bpref", "Judged"}
    if unjudged == "zero":
        known |= {"RBP"}
    if unjudged == "remove":
        known -= {"Bpref"}
    if cutoff is None and unjudged == "remove":
        known -= {"R"}
    for key in sorted(known | ({"Success"} if cutoff else set())):
        options = Options(cutoff=cutoff, unjudged=unjudged)
        name = measure_name(MEASURES[key], options, MeasureSettings(relevant=2))
        read = ir_measures.parse_measure(name)
        assert re.match(r"\w+", name)[0] == read.NAME
        assert read.params.get("cutoff") == (cutoff if MEASURES[key].has_cutoff else None)
        assert read.params.get("rel") == (2 if MEASURES[key].uses_threshold else None)
        condensed = key == "nDCG'" or (unjudged == "remove" and key != "Judged")
        assert bool(read.params.get("judged_only")) == condensed


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("relevant", -1.0),
        ("relevant", math.nan),
        ("persistence", 1.0),
        ("persistence", 0.0),
        ("beta", -0.5),
        ("beta", math.inf),
        ("highest", 0.0),
        ("highest", math.nan),
    ],
)
def test_settings_that_mean_nothing(setting, value):
    """A setting that no measure can be under is refused where it is made."""
    with pytest.raises(OptionsError):
        MeasureSettings(**{setting: value})


# ---- the scale


def test_the_highest_grade():
    """ERR takes the declared scale's highest grade, or the highest seen if that is higher."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING)
    assert settled(evaluation, DEFAULT).highest == 3
    assert figure(evaluation, "ERR") == figure(evaluation, "ERR", MeasureSettings(highest=3))
    evaluation.declare([0, 1, 2, 3, 4])
    assert settled(evaluation, DEFAULT).highest == 4
    assert figure(evaluation, "ERR") == pytest.approx(0.4798, abs=5.1e-6)  # gdeval's
    evaluation.declare([0, 1])
    assert settled(evaluation, DEFAULT).highest == 3
    assert settled(evaluation, MeasureSettings(highest=7)).highest == 7
    assert settled(evaluation_of([("q", "A", 0)], [("q", "A")]), DEFAULT).highest == 1
    assert settled(evaluation_of([("q", "A", 0.4)], [("q", "A")]), DEFAULT).highest == 0.4
    assert settled(evaluation_of([("q", "A", -1)], [("q", "A")]), DEFAULT).highest == 1


def test_a_grade_above_the_highest():
    """A query with a grade above the given scale has no ERR, and the mean says so by its n."""
    judgments = [("q1", "A", 3), ("q2", "A", 1), ("q2", "B", 0)]
    evaluation = evaluation_of(judgments, [("q1", "A"), ("q2", "A")])
    settings = MeasureSettings(highest=2)
    assert math.isnan(by_query(evaluation, "ERR", settings)["q1"])
    average = mean(evaluation, 0, MEASURES["ERR"], settings)
    assert (average.value, average.n) == (0.25, 1)


# ---- which queries

MIXED_JUDGMENTS = [
    ("plain", "A", 2),
    ("plain", "B", 0),
    ("zero", "A", 0),
    ("absent", "A", 1),
    ("blank", "A", None),
]
MIXED_RANKING = [("plain", "A"), ("plain", "B"), ("zero", "A"), ("blank", "A"), ("foreign", "A")]


@pytest.mark.parametrize("key", MEASURES)
def test_queries_without_a_figure(key):
    """A query that is not judged has none, one that is absent 0; none is inf."""
    figures = by_query(evaluation_of(MIXED_JUDGMENTS, MIXED_RANKING), key)
    assert math.isnan(figures["blank"]) and math.isnan(figures["foreign"])
    assert figures["absent"] == 0
    assert figures["zero"] == (1 if key == "Judged" else 0)
    assert figures["plain"] > 0


@pytest.mark.parametrize("undefined", ["skip", "zero", "one"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_means_are_over_the_queries_that_ndcg_counts(undefined, missing):
    """All means have the n of nDCG; that of nDCG is the program's own mean."""
    evaluation = evaluation_of(MIXED_JUDGMENTS, MIXED_RANKING, undefined=undefined, missing=missing)
    scores = evaluation.scores()
    for measure in MEASURES.values():
        average = mean(evaluation, 0, measure)
        assert average.n == scores.n == 1 + (undefined != "skip") + (missing == "zero")
    assert mean(evaluation, 0, MEASURES["nDCG"]).value == scores.mean
    assert mean(evaluation, 0, MEASURES["P"]).value == pytest.approx(0.1 / scores.n)


def test_nothing_to_take_a_mean_of():
    """No mean where judgments and ranking have no query in common, nor where none is counted."""
    apart = evaluation_of([("q1", "A", 1)], [("q2", "A")])
    zero = evaluation_of([("q1", "A", 0)], [("q1", "A")])
    for evaluation in (apart, zero):
        average = mean(evaluation, 0, MEASURES["AP"])
        assert (average.value, average.n) == (None, 0)


def test_gains_that_are_refused():
    """A gain that cannot be computed takes the figure of the measures that need it, no other's."""
    evaluation = evaluation_of(
        [("q1", "A", 2000), ("q1", "B", 1), ("q2", "A", 1)],
        [("q1", "A"), ("q2", "A")],
        gain="exponential",
    )
    for key, measure in MEASURES.items():
        figures = by_query(evaluation, key)
        assert math.isnan(figures["q1"]) == measure.uses_gain, key
        assert math.isfinite(figures["q2"])


def test_a_given_ideal_that_is_too_low():
    """Without an ideal there is no nDCG, but a DCG."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, ideal={"q1": [1.0, 0.0]})
    evaluation.options = Options(ideal="column")
    assert math.isnan(figure(evaluation, "nDCG"))
    assert figure(evaluation, "DCG") == evaluation.scores().dcg[0] > 0


def test_condensed_lists():
    """Where the options remove unjudged documents, the ranks of all measures are the judged ones';
    only how much is judged is told of the ranking as it was returned.
    """
    judgments = [("q1", "A", 1), ("q1", "B", 2)]
    evaluation = evaluation_of(judgments, [("q1", name) for name in "XAYBZ"], cutoff=2)
    whole = {key: figure(evaluation, key) for key in MEASURES}
    residual = residuals(evaluation, 0)[0]
    evaluation.options = Options(cutoff=2, unjudged="remove")
    assert figure(evaluation, "nDCG") == whole["nDCG'"] == figure(evaluation, "nDCG'")
    assert (whole["P"], figure(evaluation, "P")) == (0.5, 1.0)
    assert (whole["RR"], figure(evaluation, "RR")) == (0.5, 1.0)
    assert figure(evaluation, "Judged") == whole["Judged"] == 0.5
    assert residual == pytest.approx(1 - 0.2 * (0.8 + 0.8**3))
    assert residuals(evaluation, 0)[0] == pytest.approx(0.8**2)
    evaluation.options = Options(cutoff=None, unjudged="remove")
    assert figure(evaluation, "P") == 1.0


def test_averaged_ties():
    """Under averaged ties nDCG averages, and the others take them by document id descending."""
    judgments = [("q1", "A", 1), ("q1", "B", 0)]
    rows = [("q1", "A", 1.0), ("q1", "B", 1.0)]
    evaluation = evaluation_of(judgments, rows, order="ties-averaged")
    assert figure(evaluation, "nDCG") == pytest.approx((1 + 1 / math.log2(3)) / 2)
    assert figure(evaluation, "DCG") == figure(evaluation, "nDCG'") == figure(evaluation, "nDCG")
    assert figure(evaluation, "RR") == 0.5


@hypothesis_settings(max_examples=40)
@given(data(), options())
def test_one_query_is_as_all_of_them(drawn, chosen):
    """A query's figure by itself is its figure among all; no figure is inf; means stay in range."""
    evaluation = evaluation_of(drawn.judgments, drawn.ranking, ideal=drawn.ideal)
    evaluation.options = chosen
    for measure in MEASURES.values():
        figures = values(evaluation, 0, measure)
        single = [values(evaluation, 0, measure, query=n)[0] for n in range(len(figures))]
        assert np.array(single) == pytest.approx(figures, rel=1e-12, nan_ok=True)
        assert not np.isinf(figures).any()
        if measure.key != "DCG":
            assert (np.nan_to_num(figures) <= 1 + 1e-12).all()
    rests = residuals(evaluation, 0)
    above = rests + values(evaluation, 0, MEASURES["RBP"])
    assert (np.nan_to_num(above) <= 1 + 1e-12).all()
    single = [residuals(evaluation, 0, query=number)[0] for number in range(len(rests))]
    assert single == pytest.approx(rests.tolist(), rel=1e-12, nan_ok=True)


@hypothesis_settings(max_examples=60)
@given(data(), options())
def test_condensed_ndcg_is_an_option(drawn, chosen):
    """The nDCG of the condensed list is nDCG under the option that removes unjudged documents."""
    evaluation = evaluation_of(drawn.judgments, drawn.ranking, ideal=drawn.ideal)
    evaluation.options = chosen
    beside = by_query(evaluation, "nDCG'")
    evaluation.options = replace(chosen, unjudged="remove")
    assert beside == pytest.approx(by_query(evaluation, "nDCG"), rel=1e-15, nan_ok=True)


def test_an_edit_shows():
    """A grade given later is in every measure, and in the highest grade of the scale."""
    evaluation = evaluation_of(LIVELY_JUDGMENTS, LIVELY_RANKING)
    before = {key: figure(evaluation, key) for key in MEASURES}
    evaluation.set_grades([(evaluation.pair_of(0, "B"), 4.0)])
    for key in MEASURES:
        assert (figure(evaluation, key) != before[key]) == (key not in ("Judged", "Success")), key
    assert settled(evaluation, DEFAULT).highest == 4


def test_the_mean_of_given_figures():
    """Figures that are at hand already need not be made again for their mean."""
    evaluation = evaluation_of(MIXED_JUDGMENTS, MIXED_RANKING)
    figures = values(evaluation, 0, MEASURES["AP"])
    assert mean_of(evaluation, 0, figures) == mean(evaluation, 0, MEASURES["AP"])


# ---- other programs, on random data


def random_case(seed):
    """Judgments by query and document, some below 0, and scores with ties; short rankings, some
    unjudged documents, some judged ones not returned.
    """
    draw = random.Random(seed)
    qrels, run = {}, {}
    for query in map(str, range(1, 31)):
        pool = [f"d{number}" for number in range(draw.randint(1, 30))]
        grades = {
            d: draw.choice((-2, -1, 0, 0, 0, 1, 1, 2, 3)) for d in pool if draw.random() < 0.7
        }
        # pytrec_eval crashes where every grade is below -1.
        qrels[query] = {**grades, "spare": 0}
        returned = draw.sample(pool, draw.randint(1, len(pool)))
        run[query] = {document: float(draw.randint(0, 8)) for document in returned}
    return qrels, run


def joined(qrels, run, **chosen):
    """The evaluation of the same."""
    judgments = [(q, d, float(grade)) for q, some in qrels.items() for d, grade in some.items()]
    ranking = [(q, d, score) for q, some in run.items() for d, score in some.items()]
    return evaluation_of(judgments, ranking, undefined="zero", **chosen)


@pytest.mark.parametrize("relevant", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_like_pytrec_eval(seed, relevant):
    """Each measure of trec_eval at each relevance level, every query and the mean."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_case(seed)
    names = {"map", "bpref", "recip_rank", "P", "recall", "success", "set_P", "set_recall"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=relevant)
    theirs = evaluator.evaluate(run)
    pairs = [("AP", "map", 10), ("Bpref", "bpref", 10), ("RR", "recip_rank", 10)]
    pairs += [("P", f"P_{k}", k) for k in (5, 10, 20)] + [("P", "set_P", None)]
    pairs += [("R", f"recall_{k}", k) for k in (5, 10, 20)] + [("R", "set_recall", None)]
    pairs += [("Success", f"success_{k}", k) for k in (1, 5, 10)]
    evaluation, settings = joined(qrels, run), MeasureSettings(relevant=relevant)
    for key, name, cutoff in pairs:
        evaluation.options = replace(evaluation.options, cutoff=cutoff)
        expected = {query: figures[name] for query, figures in theirs.items()}
        assert sum(expected.values()) > 0
        assert by_query(evaluation, key, settings) == pytest.approx(expected, rel=0, abs=EXACT)
        average = mean(evaluation, 0, MEASURES[key], settings)
        assert average.n == len(expected)
        assert average.value == pytest.approx(sum(expected.values()) / len(expected), abs=EXACT)


@pytest.mark.parametrize("seed", range(4))
def test_like_ir_measures(seed):
    """By the very name that is shown, ir_measures gives the same figures, absent queries too."""
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = random_case(seed)
    run = {q: {d: n for n, d in enumerate(some)} for q, some in list(run.items())[3:]}  # no ties
    evaluation, settings = joined(qrels, run, cutoff=5), MeasureSettings(relevant=2)
    keys = ("nDCG", "P", "R", "Success", "RR", "AP", "Bpref", "Judged")
    names = {measure_name(MEASURES[key], evaluation.options, settings): key for key in keys}
    # One at a time: some pairs of measures in one call give a wrong figure.
    for name, key in names.items():
        measure = ir_measures.parse_measure(name)
        theirs = {
            each.query_id: each.value for each in ir_measures.iter_calc([measure], qrels, run)
        }
        assert by_query(evaluation, key, settings) == pytest.approx(theirs, rel=0, abs=EXACT)


@pytest.mark.parametrize("seed", range(2))
def test_condensed_like_ir_measures(seed):
    """The same of judged documents only, where none of them is below 0."""
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = random_case(seed)
    qrels = {q: {d: max(grade, 0) for d, grade in some.items()} for q, some in qrels.items()}
    evaluation = joined(qrels, run, cutoff=5, unjudged="remove")
    for key in ("nDCG", "P", "R", "Success", "RR", "AP"):
        measure = ir_measures.parse_measure(measure_name(MEASURES[key], evaluation.options))
        theirs = {
            each.query_id: each.value for each in ir_measures.iter_calc([measure], qrels, run)
        }
        assert by_query(evaluation, key) == pytest.approx(theirs, rel=0, abs=EXACT)
