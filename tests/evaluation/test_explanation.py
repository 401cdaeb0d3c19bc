"""A score written out: every step of the sum, and what is copied of it."""

import math
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import openpyxl
import pytest
import strategies
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from hypothesis import given, settings

from ndcg_desktop.evaluation.explanation import explain
from ndcg_desktop.evaluation.explanation_words import (
    LONGEST_FORMULA,
    as_formula,
    as_latex,
    as_text,
    cells,
    discount_words,
    formula_parts,
    gain_words,
    in_words,
    terms_of,
)
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import Options

LOG3, LOG5 = 1 / math.log2(3), 1 / math.log2(5)
soffice = shutil.which("soffice")


def worked(**options):
    """The worked example, explained."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, **{"cutoff": 4, **options})
    return explain(evaluation, 0, 0)


def computed(formula):
    """What a spreadsheet makes of a formula of numbers, LOG and the four operations."""
    assert re.fullmatch(r"=[-+*/^(),.\dELOG]+", formula)
    python = formula[1:].replace("^", "**").replace("LOG", "log").replace("E+", "e+")
    return eval(python, {"__builtins__": {}, "log": math.log})


def line(parts):
    """The text of a line of a formula."""
    return "".join(part.text for part in parts)


def test_worked_example():
    """Every step of the sum of the specification's example, and of its ideal."""
    explanation = worked()
    assert [step.document for step in explanation.steps] == ["A", "B", "C", "D"]
    assert [step.grade for step in explanation.steps] == [3, 1, 0, 2]
    running = [step.running for step in explanation.steps]
    np.testing.assert_allclose(running, np.cumsum([3, LOG3, 0, 2 * LOG5]), atol=1e-12)
    assert [step.document for step in explanation.ideal] == ["A", "E", "D", "B", "C"]
    assert [step.state for step in explanation.ideal] == ["counted"] * 4 + ["beyond"]
    assert explanation.value == pytest.approx(0.7104, abs=5e-5)
    assert [step.document for step in explanation.missed] == ["E"]
    assert explanation.scored
    assert explanation.sentence == ""


@given(strategies.data(), strategies.options())
@settings(max_examples=80)
def test_steps_add_up_to_the_score(data, options):
    """Under every option the terms sum to DCG and ideal DCG, and their ratio is the value."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    scores = evaluation.scores()
    for query in range(len(evaluation.queries)):
        explanation = explain(evaluation, query, 0)
        status = scores.status[query]
        assert explanation.scored == (
            status == Status.SCORED and not evaluation.disjoint(0) and scores.counted[query]
        )
        if status == Status.REFUSED:
            assert explanation.dcg is None
            continue
        assert (explanation.dcg, explanation.ideal_dcg) == (
            scores.dcg[query],
            scores.ideal_dcg[query],
        )
        if status == Status.UNJUDGED:
            continue
        for steps, total in (
            (explanation.steps, scores.dcg),
            (explanation.ideal, scores.ideal_dcg),
        ):
            terms = terms_of(steps)
            assert sum(step.discounted for step in terms) == pytest.approx(total[query], abs=1e-12)
            for step in terms:
                assert step.gain * step.discount == pytest.approx(step.discounted, abs=1e-12)
            last = [step.running for step in steps if step.running is not None][-1:]
            assert last == pytest.approx([total[query]] * len(last), abs=1e-12)
        if explanation.scored:
            assert explanation.value == scores.value[query]


@given(strategies.data(), strategies.options())
@settings(max_examples=60)
def test_the_formula_computes_the_value(data, options):
    """A formula read by another program gives the same value; without a value there is none."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    for query in range(len(evaluation.queries)):
        explanation = explain(evaluation, query, 0)
        formula = as_formula(explanation)
        assert bool(formula) == explanation.scored
        if formula:
            assert ";" not in formula
            assert computed(formula) == pytest.approx(explanation.value, abs=1e-12)


@given(strategies.data(), strategies.options())
@settings(max_examples=30)
def test_everything_can_be_put_into_words(data, options):
    """Text, LaTeX and sentences are there under every option; braces of LaTeX are balanced."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    for query in range(len(evaluation.queries)):
        for ranking in (0, None):
            explanation = explain(evaluation, query, ranking)
            text, latex = as_text(explanation), as_latex(explanation)
            assert explanation.measure in text
            assert latex.count("{") == latex.count("}")
            assert "nan" not in text + latex + in_words(explanation)
            for step in (*explanation.steps, *explanation.ideal):
                assert all(cells(step, options))


@pytest.mark.parametrize(
    ("options", "gain", "discount"),
    [
        ({}, "2", "1/log2(4 + 1) = 0.431"),
        ({"gain": "exponential"}, "2^2 − 1 = 3", "1/log2(4 + 1) = 0.431"),
        (
            {"gain": "table", "gain_table": ((0, 0), (1, 1), (2, 5), (3, 7))},
            "5 (table)",
            "1/log2(4 + 1) = 0.431",
        ),
        ({"discount": "reciprocal"}, "2", "1/4 = 0.250"),
        ({"discount": "base", "discount_base": 3.0}, "2", "1/log3(4) = 0.792"),
        ({"discount": "base", "discount_base": 5.0}, "2", "1.000 before rank 5"),
        ({"cutoff": 3}, "2", "0 beyond k = 3"),
    ],
)
def test_how_gain_and_discount_came(options, gain, discount):
    """Each gain and discount tells what it was computed of."""
    explanation = worked(**options)
    step = explanation.steps[3]
    assert gain_words(step, explanation.options) == gain
    assert discount_words(step, explanation.options) == discount


def test_why_a_document_does_not_count():
    """Not judged, returned before, removed, and beyond the cutoff are told apart."""
    judgments = [("q1", "A", 2), ("q1", "B", 1), ("q1", "N", -1)]
    ranking = [("q1", each) for each in ("A", "X", "A", "N", "B")]
    evaluation = evaluation_of(judgments, ranking, cutoff=4)
    states = [step.state for step in explain(evaluation, 0, 0).steps]
    assert states == ["counted", "unjudged", "repeated", "counted", "beyond"]
    steps = explain(evaluation, 0, 0).steps
    options = evaluation.options
    assert [gain_words(step, options) for step in steps] == [
        "2",
        "not judged",
        "0 (returned before)",
        "0 (grade below 0)",
        "1",
    ]
    evaluation.options = replace(options, unjudged="remove")
    steps = explain(evaluation, 0, 0).steps
    assert [step.state for step in steps] == [
        "counted",
        "removed",
        "repeated",
        "counted",
        "counted",
    ]
    assert [step.position for step in steps] == [1, None, None, 2, 3]
    assert discount_words(steps[1], evaluation.options) == "left out"


def test_averaged_ties_share_their_places():
    """The discount of tied documents is the mean of their places', and is written so."""
    judgments = [("q1", name, grade) for name, grade in zip("ABC", (3, 1, 2), strict=True)]
    rows = [("q1", "A", 2.0), ("q1", "B", 1.0), ("q1", "C", 1.0)]
    evaluation = evaluation_of(judgments, rows, order="ties-averaged")
    explanation = explain(evaluation, 0, 0)
    assert [step.places for step in explanation.steps] == [(1, 1), (2, 3), (2, 3)]
    assert (
        discount_words(explanation.steps[1], evaluation.options)
        == "(1/log2(2 + 1) + 1/log2(3 + 1))/2 = 0.565"
    )
    assert line(formula_parts(explanation)[0]) == (
        "DCG@10 = 3/log2(1 + 1) + 2 × (1/log2(2 + 1) + 1/log2(3 + 1))/2 "
        "+ 1 × (1/log2(2 + 1) + 1/log2(3 + 1))/2"
    )


def test_the_formula_line_by_line():
    """Each term belongs to its rank, so that it can be lit; the sums end in their totals."""
    lines = formula_parts(worked())
    assert [line(parts) for parts in lines] == [
        "DCG@4 = 3/log2(1 + 1) + 1/log2(2 + 1) + 0/log2(3 + 1) + 2/log2(4 + 1)",
        "      = 3.000 + 0.631 + 0.000 + 0.861 = 4.492",
        "ideal DCG@4 = 3/log2(1 + 1) + 3/log2(2 + 1) + 2/log2(3 + 1) + 1/log2(4 + 1)",
        "            = 3.000 + 1.893 + 1.000 + 0.431 = 6.323",
        "nDCG@4 = 4.492 / 6.323 = 0.710",
    ]
    assert [part.text for part in lines[0] if part.rank == 4] == ["2/log2(4 + 1)"]
    assert [part.of_ideal for part in lines[3] if part.rank] == [True] * 4


def test_rank_by_rank():
    """Of what is not revealed yet nothing is written, and no total that would tell it."""
    lines = [line(parts) for parts in formula_parts(worked(), upto=2)]
    assert lines[:2] == [
        "DCG@4 = 3/log2(1 + 1) + 1/log2(2 + 1) + …",
        "      = 3.000 + 0.631 + …",
    ]
    assert len(lines) == 4
    assert line(formula_parts(worked(), upto=0)[0]) == "DCG@4 = …"
    assert line(formula_parts(worked(), upto=4)[1]).endswith("= 4.492")


def test_long_sums_leave_out_zeros():
    """Of many terms those that are 0 are counted, not written."""
    names = [f"d{number}" for number in range(40)]
    judgments = [("q1", name, number == 39) for number, name in enumerate(names)]
    evaluation = evaluation_of(judgments, [("q1", name) for name in names], cutoff=None)
    lines = [line(parts) for parts in formula_parts(explain(evaluation, 0, 0))]
    assert lines[0] == "DCG = 1/log2(40 + 1) + 39 × 0"


def test_in_words():
    """Each place beside the ideal, and what was missed with its cost."""
    assert in_words(worked()) == (
        "nDCG@4 is 0.710: 4.492 of 6.323. "
        "The first place holds A with grade 3, as the ideal does. "
        "The second place holds B with grade 1, the ideal grade 3: 0.200 less. "
        "The third place holds C with grade 0, the ideal grade 2: 0.158 less. "
        "The fourth place holds D with grade 2, the ideal grade 1: 0.068 more. "
        "E, grade 3, was not returned and cost 0.299."
    )
    short = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING[:1], cutoff=4)
    assert "Places 2 to 4 are empty." in in_words(explain(short, 0, 0))


@pytest.mark.parametrize(
    ("judgments", "ranking", "options", "words"),
    [
        ([("q1", "A", 0)], [("q1", "A")], {}, "nDCG@10 is –. Every grade of this query is 0"),
        ([("q1", "A", 0)], [("q1", "A")], {"undefined": "one"}, "nDCG@10 is 1.000. Every grade"),
        ([("q1", "A", 1)], [("q2", "A")], {}, "nDCG@10 is –. Judgments and ranking have no"),
        ([("q1", "A", 2000)], [("q1", "A")], {"gain": "exponential"}, "@10 is –. Not scored: 2^g"),
    ],
)
def test_why_there_is_no_score(judgments, ranking, options, words):
    """A query without a score has the reason in the place of the division, and no formula."""
    explanation = explain(evaluation_of(judgments, ranking, **options), 0, 0)
    assert words in in_words(explanation)
    assert as_formula(explanation) == ""
    assert explanation.sentence in as_text(explanation)


def test_without_a_ranking():
    """Judgments alone have the sum of their ideal."""
    explanation = explain(evaluation_of(WORKED_JUDGMENTS, cutoff=4), 0, None)
    assert explanation.steps == ()
    assert explanation.ideal_dcg == pytest.approx(6.3235, abs=5e-5)
    assert line(formula_parts(explanation)[0]).startswith("ideal DCG@4 = 3/log2(1 + 1)")
    assert "this is the ideal alone" in as_text(explanation)


def test_latex_of_hostile_names():
    """Names of documents are text, whatever they look like."""
    name = "a_b%$&#{x}~^\\end{align*}\n\\input{x}"
    explanation = explain(evaluation_of([("q1", name, 1)], [("q1", name)]), 0, 0)
    latex = as_latex(explanation)
    assert latex.count(r"\end{align*}") == 1
    assert r"\input{" not in latex
    assert r"a\_b\%\$\&\#\{x\}\textasciitilde{}\textasciicircum{}\textbackslash{}end" in latex
    assert latex.startswith("\\begin{align*}\n")
    assert latex.endswith("\\end{align*}\n")


def test_text_keeps_a_row_for_a_document():
    """A document with a line end or a tab in its name stays on its row."""
    name = "a\nb\tc"
    text = as_text(explain(evaluation_of([("q1", name, 1)], [("q1", name)]), 0, 0))
    assert "   1  a b c " in text


def test_a_formula_that_no_spreadsheet_takes():
    """Zeros are left out of a long formula, and one that is longer still is not made."""
    names = [f"d{number}" for number in range(1000)]
    ranking = [("q1", name) for name in names]
    few = [("q1", name, number % 10 == 0) for number, name in enumerate(names)]
    explanation = explain(evaluation_of(few, ranking, cutoff=None), 0, 0)
    formula = as_formula(explanation)
    assert 0 < len(formula) <= LONGEST_FORMULA
    assert computed(formula) == pytest.approx(explanation.value, abs=1e-12)
    many = evaluation_of([("q1", name, 1) for name in names], ranking, cutoff=None)
    assert as_formula(explain(many, 0, 0)) == ""


def test_fractional_and_large_numbers():
    """Numbers reach the formula to the last bit."""
    judgments = [("q1", "A", 1 / 3), ("q1", "B", 1e17), ("q1", "C", 2.5)]
    explanation = explain(evaluation_of(judgments, [("q1", "A"), ("q1", "B")]), 0, 0)
    formula = as_formula(explanation)
    assert "0.3333333333333333/" in formula
    assert "1E+17/" in formula
    assert computed(formula) == pytest.approx(explanation.value, abs=1e-12)


@pytest.mark.slow
@pytest.mark.skipif(soffice is None, reason="LibreOffice is not here")
def test_libreoffice_computes_the_formula(tmp_path):
    """A spreadsheet program gives the value of the formula, under every kind of term."""
    judgments = [*WORKED_JUDGMENTS, ("q1", "F", 2.33)]
    rows = [("q1", name, score) for name, score in zip("ABCDF", (5, 4, 4, 2, 1), strict=True)]
    kinds = [
        {},
        {"gain": "exponential"},
        {"discount": "reciprocal"},
        {"discount": "base", "discount_base": 3.0},
        {"order": "ties-averaged", "gain": "exponential"},
    ]
    found = [explain(evaluation_of(judgments, rows, **kind), 0, 0) for kind in kinds]
    page = tmp_path / "formulas.csv"
    page.write_text("".join(f'"{as_formula(each)}"\n' for each in found), encoding="utf-8")
    profile = (tmp_path / "profile").as_uri()
    subprocess.run(
        [
            soffice,
            f"-env:UserInstallation={profile}",
            "--headless",
            # Comma, quotation mark, UTF-8, from line 1, language en-US, formulas are computed.
            "--infilter=CSV:44,34,76,1,,1033,false,true,false,false,false,-1,true",
            "--convert-to",
            "xlsx",
            "--outdir",
            str(tmp_path),
            str(page),
        ],
        check=True,
        capture_output=True,
        timeout=180,
    )
    sheet = openpyxl.load_workbook(tmp_path / "formulas.xlsx", data_only=True).active
    values = [row[0] for row in sheet.iter_rows(values_only=True)]
    assert values == pytest.approx([each.value for each in found], abs=1e-12)


def test_options_are_those_of_the_evaluation():
    """A change of options is explained at once."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING)
    assert explain(evaluation, 0, 0).measure == "nDCG@10"
    evaluation.options = Options(cutoff=None)
    assert line(formula_parts(explain(evaluation, 0, 0))[0]).startswith("DCG = ")
