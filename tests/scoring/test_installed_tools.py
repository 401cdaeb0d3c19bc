"""Conventions against the tools themselves, random queries each; a tool that is not installed is
passed over. None of these is asked for by the tests' own dependencies but pytrec_eval.
"""

import numpy as np
import pytest
from build import evaluation_of, values_of

from ndcg_desktop.scoring.conventions import convention
from ndcg_desktop.scoring.options import Options

FLOAT32 = 1e-6
PRINTED = 1.1e-6
"""XGBoost prints 6 decimals."""


@pytest.fixture(scope="module")
def groups():
    """Grades and distinct scores of the returned documents of forty queries, one without any
    relevant document.
    """
    rng = np.random.default_rng(20261130)
    found = {}
    for number in range(40):
        size = int(rng.integers(2, 25))
        grades = rng.integers(0, 4, size) * (number != 7)
        found[f"q{number:02}"] = grades.tolist(), rng.permutation(size).astype(float).tolist()
    return found


def tied(groups):
    """The same with scores that are often equal."""
    return {
        query: (grades, [score // 4 for score in scores])
        for query, (grades, scores) in groups.items()
    }


def evaluated(groups, name, by_rows, **options):
    """The groups scored by a convention; ``by_rows`` puts the documents in order first."""
    judgments, rows = [], []
    for query, (grades, scores) in groups.items():
        order = np.argsort(-np.array(scores), kind="stable").tolist()
        judgments += [(query, f"d{row:02}", grade) for row, grade in enumerate(grades)]
        rows += [(query, f"d{row:02}", None if by_rows else scores[row]) for row in order]
    evaluation = evaluation_of(judgments, rows)
    evaluation.options = convention(name).apply(Options(**options))
    return evaluation


def dictionaries(groups):
    """Grades and scores as dictionaries of dictionaries."""
    qrels, run = {}, {}
    for query, (grades, scores) in groups.items():
        names = [f"d{row:02}" for row in range(len(grades))]
        qrels[query] = {name: int(grade) for name, grade in zip(names, grades, strict=True)}
        run[query] = dict(zip(names, scores, strict=True))
    return qrels, run


def columns(groups):
    """Grades and scores one below the other, and the size of each group."""
    grades = np.concatenate([np.array(grades, float) for grades, _ in groups.values()])
    scores = np.concatenate([np.array(scores) for _, scores in groups.values()])
    return grades, scores, [len(grades) for grades, _ in groups.values()]


@pytest.mark.parametrize("cutoff", [1, 5, 10])
@pytest.mark.parametrize("gain", ["linear", "exponential"])
@pytest.mark.filterwarnings("ignore")
def test_ranx(groups, cutoff, gain):
    """Each query is ranx's, with judged documents that are not returned."""
    ranx = pytest.importorskip("ranx")
    evaluation = evaluated(groups, "ranx", True, gain=gain, cutoff=cutoff)
    qrels = {q: {f"d{row:02}": int(g) for row, g in enumerate(gs)} for q, (gs, _) in groups.items()}
    run = {
        q: {f"d{row:02}": s for row, s in enumerate(scores)} for q, (_, scores) in groups.items()
    }
    measure = f"{'ndcg' if gain == 'linear' else 'ndcg_burges'}@{cutoff}"
    made = ranx.Qrels(qrels), ranx.Run(run)
    ranx.evaluate(*made, measure)
    assert values_of(evaluation) == pytest.approx(dict(made[1].scores[measure]), abs=1e-9)


@pytest.mark.parametrize("cutoff", [1, 5, None])
@pytest.mark.parametrize("gain", ["linear", "exponential"])
@pytest.mark.filterwarnings("ignore")
def test_xgboost(groups, cutoff, gain):
    """The mean is XGBoost's, of scores that a model starts from."""
    xgboost = pytest.importorskip("xgboost")
    grades, scores, sizes = columns(groups)
    data = xgboost.DMatrix(np.zeros((len(grades), 1)), grades, base_margin=scores)
    data.set_group(sizes)
    metric = "ndcg" if cutoff is None else f"ndcg@{cutoff}"
    settings = {
        "objective": "rank:ndcg",
        "eval_metric": metric,
        "ndcg_exp_gain": gain == "exponential",
    }
    model = xgboost.train(settings, data, num_boost_round=0)
    printed = float(model.eval(data).rpartition(":")[2])
    evaluation = evaluated(groups, "XGBoost", True, gain=gain, cutoff=cutoff)
    assert evaluation.scores().n == len(groups)
    assert evaluation.scores().mean == pytest.approx(printed, abs=PRINTED)


@pytest.mark.parametrize("cutoff", [1, 5, 10])
@pytest.mark.filterwarnings("ignore")
def test_lightgbm(groups, cutoff):
    """The mean is LightGBM's, of scores that a model starts from and can learn nothing on."""
    lightgbm = pytest.importorskip("lightgbm")
    grades, scores, sizes = columns(groups)
    data = lightgbm.Dataset(np.zeros((len(grades), 1)), grades, group=sizes, init_score=scores)
    settings = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [cutoff], "verbose": -1}
    found = {}
    lightgbm.train(
        settings, data, 1, [data], ["all"], callbacks=[lightgbm.record_evaluation(found)]
    )
    evaluation = evaluated(groups, "LightGBM", True, cutoff=cutoff)
    assert evaluation.scores().mean == pytest.approx(found["all"][f"ndcg@{cutoff}"][0], abs=FLOAT32)


@pytest.mark.parametrize("cutoff", [1, 3, 5, None])
@pytest.mark.parametrize("gain", ["linear", "exponential"])
@pytest.mark.filterwarnings("ignore")
def test_catboost(groups, cutoff, gain):
    """The mean is CatBoost's, with and without ties."""
    utils = pytest.importorskip("catboost.utils")
    top = "" if cutoff is None else f";top={cutoff}"
    metric = f"NDCG:type={'Base' if gain == 'linear' else 'Exp'}{top}"
    for some in (groups, tied(groups)):
        grades, scores, sizes = columns(some)
        group = np.repeat(np.arange(len(sizes)), sizes)
        (expected,) = utils.eval_metric(grades, scores, metric, group_id=group)
        evaluation = evaluated(some, "CatBoost", False, gain=gain, cutoff=cutoff)
        assert evaluation.scores().mean == pytest.approx(expected, abs=FLOAT32)


@pytest.mark.parametrize("cutoff", [1, 5, None])
@pytest.mark.filterwarnings("ignore")
def test_torchmetrics(groups, cutoff):
    """Each query is torchmetrics', with ties; all scores above 0."""
    torch = pytest.importorskip("torch")
    retrieval = pytest.importorskip("torchmetrics.functional.retrieval")
    some = tied(groups)
    evaluation = evaluated(some, "torchmetrics", False, cutoff=cutoff)
    expected = {
        query: float(
            retrieval.retrieval_normalized_dcg(
                torch.tensor(scores) + 1, torch.tensor(grades), top_k=cutoff
            )
        )
        for query, (grades, scores) in some.items()
    }
    assert values_of(evaluation) == pytest.approx(expected, abs=FLOAT32)


def test_beir(groups):
    """The mean is what BEIR makes of pytrec_eval's figures: their mean, rounded to 5 decimals."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels = {q: {f"d{row:02}": int(g) for row, g in enumerate(gs)} for q, (gs, _) in groups.items()}
    run = {
        q: {f"d{row:02}": s for row, s in enumerate(scores)} for q, (_, scores) in groups.items()
    }
    measures = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(run)
    figures = [each["ndcg_cut_10"] for each in measures.values()]
    evaluation = evaluated(groups, "BEIR, MTEB", False, cutoff=10)
    assert evaluation.scores().mean == round(sum(figures) / len(figures), 5)
