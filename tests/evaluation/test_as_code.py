"""Code of other tools runs, and gives the number on screen; so does the formula in LibreOffice."""

import csv
import importlib.util
import io
import math
import shutil
import subprocess
from contextlib import redirect_stdout

import openpyxl
import pytest
import strategies
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_evaluations import many_queries

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.as_code import LONGEST_FORMULA, TOOLS, Why, as_code
from ndcg_desktop.scoring.conventions import CONVENTIONS
from ndcg_desktop.scoring.options import Options

MODULES = {
    "ir_measures": "ir_measures",
    "pytrec_eval": "pytrec_eval",
    "scikit-learn": "sklearn",
    "ranx": "ranx",
}
EXACT = 1e-9
HERE = [tool for tool, module in MODULES.items() if importlib.util.find_spec(module)]


def run(code):
    """What the code leaves in ``score``, which is also what it prints."""
    names, printed = {}, io.StringIO()
    with redirect_stdout(printed):
        exec(code, names)
    assert float(printed.getvalue()) == names["score"]
    return names["score"]


def formula_value(formula):
    """What a formula comes to, read as Python: an independent reading, without LibreOffice."""
    names = {
        "LOG": math.log,
        "MIN": min,
        "ROUNDDOWN": lambda value, places: math.floor(value * 100 * (1 + 1e-12)) / 100,
        "ROUND": lambda value, places: (
            math.floor(value * 10**places * (1 + 1e-12) + 0.5) / 10**places
        ),
    }
    assert formula.startswith("=")
    return eval(formula[1:].replace("^", "**"), {"__builtins__": {}}, names)


def on_screen(evaluation, query):
    """The number on screen, None where there is none."""
    if query is None:
        return wording.mean_value(evaluation, 0)
    scores = evaluation.scores()
    return float(scores.value[query]) if scores.counted[query] else None


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("tool", HERE)
@given(data=strategies.data(), options=strategies.options(), mean=st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
def test_the_code_gives_the_number(tool, data, options, mean):
    """Whatever the data and the options, code runs and gives the number, or a sentence says why
    there is none.
    """
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    query = None if mean else 0
    code = as_code(evaluation, 0, query, tool)
    if isinstance(code, Why):
        assert code.text.endswith(".")
        return
    # Half of a last decimal may go either way.
    step = {"5-decimals": 1.01e-5, "2-decimals": 0.0101}.get(options.rounding, EXACT)
    assert run(code) == pytest.approx(on_screen(evaluation, query), abs=step)


@given(strategies.data(), strategies.options(), st.booleans())
@settings(max_examples=100)
def test_the_formula_gives_the_number(data, options, mean):
    """A formula expresses every option; it is refused only where there is no score, or no room."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    query = None if mean else 0
    formula = as_code(evaluation, 0, query, "spreadsheet")
    if isinstance(formula, Why):
        scored = evaluation.scores().status == 0
        assert not (scored.any() if mean else scored[0]) or evaluation.disjoint(0)
        return
    step = {"5-decimals": 1.01e-5, "2-decimals": 0.0101, "floored-terms": 0.0101}.get(
        options.rounding, EXACT
    )
    assert formula_value(formula) == pytest.approx(on_screen(evaluation, query), abs=step)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("tool", HERE)
@pytest.mark.parametrize("name", CONVENTIONS)
def test_each_convention_of_the_worked_example(tool, name):
    """The worked example under every convention, in every tool that can express it."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)
    evaluation.options = CONVENTIONS[name].apply(evaluation.options)
    for query in (0, None):
        code = as_code(evaluation, 0, query, tool)
        refused = "RRE" in name or "Järvelin" in name
        assert isinstance(code, Why) == refused
        if not refused:
            assert run(code) == pytest.approx(on_screen(evaluation, query), abs=EXACT)


def test_a_formula_by_hand():
    """The worked example as one would write it, its gains and discounts to be recognised."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)
    ideal = "3/LOG(2,2)+3/LOG(3,2)+2/LOG(4,2)+1/LOG(5,2)"
    expected = f"=(3/LOG(2,2)+1/LOG(3,2)+2/LOG(5,2))/({ideal})"
    assert as_code(evaluation, 0, 0, "spreadsheet") == expected
    evaluation.options = Options(cutoff=1, gain="exponential", rounding="2-decimals")
    expected = "=ROUND(((2^3-1)/LOG(2,2))/((2^3-1)/LOG(2,2)),2)"
    assert as_code(evaluation, 0, 0, "spreadsheet") == expected


@pytest.mark.parametrize(
    ("tool", "changes", "part"),
    [
        ("pytrec_eval", {"discount": "reciprocal"}, "no other discount"),
        ("scikit-learn", {"rounding": "floored-terms"}, "does not round the terms"),
        ("ranx", {"ideal": "column"}, "no column of ideal grades"),
        ("ir_measures", {"order": "ties-averaged"}, "breaks ties"),
        ("pytrec_eval", {"gain": "table", "gain_table": ((0, 0.5), (3, 1))}, "whole grades"),
    ],
)
def test_why_not(tool, changes, part):
    """What a tool cannot express is said in a sentence that names the tool."""
    rows = [("q", "A", 1.0), ("q", "B", 1.0)]
    evaluation = evaluation_of([("q", "A", 3), ("q", "B", 0)], rows, ideal={"q": [3]})
    evaluation.options = Options(**changes)
    why = as_code(evaluation, 0, 0, tool)
    assert isinstance(why, Why) and part in why.text and tool in why.text


def test_no_score_no_code():
    """A query without a score has no code, and the reason is the one on screen."""
    evaluation = evaluation_of([("q", "A", 0)], [("q", "A")], undefined="zero")
    for tool in TOOLS:
        assert as_code(evaluation, 0, 0, tool) == Why(wording.outcome_sentence(evaluation, 0, 0))
        assert "No query has a score" in as_code(evaluation, 0, None, tool).text


def test_too_much_to_be_written_out():
    """Neither thousands of documents nor a formula that no cell holds are given."""
    evaluation = many_queries(600)
    for tool in TOOLS:
        assert "too many" in as_code(evaluation, 0, None, tool).text
    few = many_queries(100)
    assert "longer" in as_code(few, 0, None, "spreadsheet").text
    assert run(as_code(few, 0, None, "scikit-learn")) == pytest.approx(few.scores().mean, abs=EXACT)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_formulas_in_libreoffice(tmp_path):
    """LibreOffice computes the number of each convention, option by option."""
    evaluation = evaluation_of(
        [*WORKED_JUDGMENTS, ("r", "A", 2), ("r", "B", 1)],
        [*WORKED_RANKING, ("r", "X"), ("r", "B"), ("r", "A")],
        cutoff=4,
    )
    formulas, expected = [], []
    for each in CONVENTIONS.values():
        evaluation.options = each.apply(evaluation.options)
        for query in (0, 1, None):
            formulas.append(as_code(evaluation, 0, query, "spreadsheet"))
            expected.append(on_screen(evaluation, query))
    assert max(map(len, formulas)) < LONGEST_FORMULA
    book(tmp_path / "formulas.xlsx", formulas)
    subprocess.run(
        [
            "soffice",
            f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}",
            "--headless",
            *("--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false"),
            *("--outdir", str(tmp_path), str(tmp_path / "formulas.xlsx")),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    text = (tmp_path / "formulas.csv").read_text("utf-8")
    got = [float(row[0]) for row in csv.reader(io.StringIO(text))]
    assert got == pytest.approx(expected, abs=EXACT)


def book(path, formulas):
    """A workbook with a formula in each row, and no values that were computed elsewhere."""
    made = openpyxl.Workbook()
    for row, formula in enumerate(formulas, 1):
        made.active.cell(row, 1, formula)
    made.save(path)
