"""The workbook that scores itself, calculated by LibreOffice and compared with our own figures."""

import re
import shutil
import subprocess

import numpy as np
import openpyxl
import pytest
from build import evaluation_of

from ndcg_desktop.evaluation.comparison import compare
from ndcg_desktop.files.table import FileError
from ndcg_desktop.reports import live_layout
from ndcg_desktop.reports.live_layout import FIRST_ROW
from ndcg_desktop.reports.live_workbook import (
    COUNT,
    FIRST_SCORE,
    MEAN,
    SCORE_COLUMNS,
    export_live_workbook,
)
from ndcg_desktop.reports.text_tables import ReportTable
from ndcg_desktop.scoring.options import Options

soffice = shutil.which("soffice")
needs_office = pytest.mark.skipif(soffice is None, reason="LibreOffice is not here")

TABLE = ((0.0, 0.0), (1.0, 3.0), (2.0, 2.0), (3.0, 9.5))


def rows_of_many(queries=7, seed=11):
    """Judgments, and three rankings with scores that tie: of some queries nothing is judged, of
    some nothing is relevant, and some are absent from a ranking. An id begins with "=", two differ
    in capitals only, one is what a lookup of text takes for a pattern.
    """
    random = np.random.default_rng(seed)
    names = ["=1+1", "doc", "DOC", "d*", "d?c", "~d", "-3", "@x", "日本", "a,b", 'q"t', "#N/A"]
    judged, rankings = [], ([], [], [])
    for number in range(queries):
        query = f"q{number}"
        for document in names:
            grade = float(random.integers(-1, 4)) * (number != 2)
            blank = random.random() < 0.25 or number == 3
            judged.append((query, document, None if blank else grade))
        for place, rows in enumerate(rankings):
            if number == 5 and place == 1:
                continue
            some = [*names, "unlisted", "other"]
            for spot in random.permutation(len(some))[:9].tolist():
                rows.append((query, some[spot], float(random.integers(0, 4))))
            if number == 4:
                rows.append(rows[-3])  # a document returned twice
    return judged, rankings


def many(**options):
    """An evaluation of these."""
    judged, rankings = rows_of_many()
    ideal = None
    if options.get("ideal") == "column":
        ideal = {f"q{number}": [3, 3, 2.0, 1, 1, 0] for number in range(6)} | {"q6": [1.0]}
    evaluation = evaluation_of(judged, *rankings, ideal=ideal)
    evaluation.options = Options(**options)
    return evaluation


def scored_as(options, judged, *rankings):
    """An evaluation under these options."""
    evaluation = evaluation_of(judged, *rankings)
    evaluation.options = Options(**options)
    return evaluation


def calculated(folder, *paths):
    """The same workbooks with all values, as LibreOffice works them out; one run for all of them,
    since it takes seconds to start.
    """
    profile = (folder / "profile").as_uri()
    out = folder / "calculated"
    command = [soffice, f"-env:UserInstallation={profile}", "--headless", "--convert-to", "xlsx"]
    command += ["--outdir", str(out), *map(str, paths)]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    return [openpyxl.load_workbook(out / path.name, data_only=True) for path in paths]


def scores_of(book, rankings, queries):
    """By ranking its DCG, ideal DCG, nDCG (None without one) and why, of each query; its mean and
    n; and of each ranking but the first the differences, their mean and n.
    """
    sheet = book["Scores"]
    rows = range(FIRST_SCORE, FIRST_SCORE + queries)

    def column(number):
        return [sheet.cell(row, number).value for row in rows]

    def footing(number):
        return sheet.cell(MEAN, number).value, sheet.cell(COUNT, number).value

    scored = []
    for number in range(rankings):
        first = 2 + SCORE_COLUMNS * number
        scored.append(([column(first + place) for place in range(4)], footing(first + 2)))
    after = 2 + SCORE_COLUMNS * rankings
    between = [(column(after + n), footing(after + n)) for n in range(rankings - 1)]
    return scored, between


def assert_equal(book, evaluation, rankings):
    """Every figure of the workbook is ours, to 1e-9."""
    scored, between = scores_of(book, len(rankings), len(evaluation.queries))
    for (columns, footing), ranking in zip(scored, rankings, strict=True):
        scores = evaluation.scores(ranking)
        dcg, ideal, value, why = columns
        assert dcg == pytest.approx(scores.dcg.tolist(), abs=1e-9)
        assert ideal == pytest.approx(scores.ideal_dcg.tolist(), abs=1e-9)
        expected = [v if c else None for v, c in zip(scores.value, scores.counted, strict=True)]
        assert_values(value, expected)
        assert [not text for text in why] == (scores.status == 0).tolist()
        assert_footing(footing, scores.mean, scores.n)
    for (differences, footing), ranking in zip(between, rankings[1:], strict=True):
        comparison = compare(evaluation, rankings[0], ranking)
        assert_values(differences, [None if np.isnan(d) else d for d in comparison.difference])
        assert_footing(footing, comparison.mean, comparison.n)


def assert_values(found, expected):
    """The same figures, and none in the same places."""
    assert [isinstance(each, int | float) for each in found] == [e is not None for e in expected]
    pairs = [(f, e) for f, e in zip(found, expected, strict=True) if e is not None]
    assert [f for f, _ in pairs] == pytest.approx([e for _, e in pairs], abs=1e-9)


def assert_footing(footing, mean, n):
    """The mean and the number of queries below a column."""
    assert footing[1] == n
    if n:
        assert footing[0] == pytest.approx(mean, abs=1e-9)
    else:
        assert not footing[0]


OPTIONS = [
    {"cutoff": 5},
    {"cutoff": 5, "gain": "exponential"},
    {"cutoff": None, "undefined": "one", "missing": "skip"},
    {"cutoff": 3, "gain": "table", "gain_table": TABLE},
    {"cutoff": 4, "ideal": "returned", "undefined": "zero"},
    {"cutoff": 4, "ideal": "column"},
    {"cutoff": 6, "discount": "base", "discount_base": 3.0},
    {"cutoff": 6, "discount": "reciprocal", "order": "file"},
    {"cutoff": 4, "unjudged": "remove"},
    {"cutoff": 4, "order": "ties-averaged", "ideal": "returned", "gain": "exponential"},
    {"cutoff": 4, "order": "ties-averaged", "unjudged": "remove"},
]


@needs_office
def test_figures_are_ours(tmp_path):
    """Under every option DCG, ideal DCG, nDCG, means and differences are those of the program."""
    evaluations = [many(**options) for options in OPTIONS]
    paths = [tmp_path / f"book{number}.xlsx" for number in range(len(OPTIONS))]
    for path, evaluation in zip(paths, evaluations, strict=True):
        export_live_workbook(path, evaluation, [1, 0, 2])
    books = calculated(tmp_path, *paths)
    for book, evaluation in zip(books, evaluations, strict=True):
        assert_equal(book, evaluation, [1, 0, 2])


def changed(path, settings, grades):
    """Change settings, by name, and grades, by query and document, as a person does."""
    book = openpyxl.load_workbook(path)
    for name, value in settings.items():
        (place,) = book.defined_names[name].destinations
        book[place[0]][place[1].replace("$", "")] = value
    sheet = book["Judgments"]
    wanted = dict(grades)
    for row in range(FIRST_ROW, sheet.max_row + 1):
        key = sheet.cell(row, 2).value, sheet.cell(row, 3).value
        if key in wanted:
            sheet.cell(row, 4).value = wanted.pop(key)
    assert not wanted
    book.save(path)


GRADES = {
    ("q0", "=1+1"): 3.0,
    ("q1", "unlisted"): 2.0,  # nobody had judged it
    ("q1", "DOC"): None,
    ("q2", "d*"): 1.0,  # nothing was relevant
    ("q3", "日本"): 2.5,  # nothing was judged
    ("q4", "a,b"): 0.0,
}


@needs_office
@pytest.mark.slow  # each starts LibreOffice
def test_figures_follow_changes(tmp_path):
    """After a change of grades, k, gain, discount or what undefined queries count as, the sheet
    has the figures of an evaluation that was made with these grades and options.
    """
    judged, rankings = rows_of_many()
    new = [(q, d, GRADES.get((q, d), grade)) for q, d, grade in judged]
    new += [(q, d, grade) for (q, d), grade in GRADES.items() if d == "unlisted"]
    cases = [
        ({"cutoff": 5}, {}, {}),
        ({"cutoff": 5}, {"cutoff_k": 3}, {"cutoff": 3}),
        ({"cutoff": 5}, {"cutoff_k": "all"}, {"cutoff": None}),
        ({}, {"gain_kind": "exponential", "cutoff_k": 4}, {"gain": "exponential", "cutoff": 4}),
        (
            {"gain": "exponential"},
            {"gain_kind": "linear", "undefined_as": "one", "missing_as": "skip"},
            {"gain": "linear", "undefined": "one", "missing": "skip"},
        ),
        ({"unjudged": "remove"}, {"cutoff_k": 4}, {"cutoff": 4}),
        ({"ideal": "returned", "order": "ties-averaged"}, {"cutoff_k": 2}, {"cutoff": 2}),
        (
            {},
            {"discount_kind": "base", "discount_base": 4},
            {"discount": "base", "discount_base": 4.0},
        ),
    ]
    paths = []
    for number, (options, settings, _) in enumerate(cases):
        paths.append(tmp_path / f"book{number}.xlsx")
        export_live_workbook(paths[-1], scored_as(options, judged, *rankings), [0, 1])
        changed(paths[-1], settings, GRADES)
    books = calculated(tmp_path, *paths)
    for book, (options, _, now) in zip(books, cases, strict=True):
        expected = scored_as(options | now, new, *rankings)
        assert_equal(book, expected, [0, 1])


@needs_office
@pytest.mark.slow  # each starts LibreOffice
def test_gain_that_cannot_be_computed(tmp_path):
    """A query whose gain is too large, or is not in the table, has no nDCG and a reason."""
    judged = [("a", "x", 2000.0), ("a", "y", 1), ("b", "x", 1), ("b", "y", 2)]
    rows = [("a", "x"), ("a", "y"), ("b", "y"), ("b", "x")]
    huge = evaluation_of(judged, rows, gain="exponential")
    short = evaluation_of(judged, rows, gain="table", gain_table=((1.0, 1.0), (2.0, 4.0)))
    paths = [tmp_path / "huge.xlsx", tmp_path / "short.xlsx"]
    for path, evaluation in zip(paths, (huge, short), strict=True):
        export_live_workbook(path, evaluation, [0])
    for book in calculated(tmp_path, *paths):
        (((_, _, value, why), footing),) = scores_of(book, 1, 2)[0]
        assert (value[0] or None, value[1]) == (None, 1)
        assert why[0] == "a gain cannot be computed"
        assert footing == (1, 1)


@needs_office
@pytest.mark.slow  # each starts LibreOffice
def test_measure_follows(tmp_path):
    """The name of the measure above the scores says what is set in the sheet."""
    path, other = tmp_path / "book.xlsx", tmp_path / "other.xlsx"
    export_live_workbook(path, many(undefined="one", unjudged="remove"), [0, 1])
    changed(path, {"gain_kind": "exponential", "cutoff_k": 7, "undefined_as": "zero"}, {})
    export_live_workbook(other, many(missing="skip", cutoff=None), [0, 1])
    names = [book["Scores"]["A1"].value for book in calculated(tmp_path, path, other)]
    assert names == [
        "nDCG(dcg='exp-log2')@7, exponential gain, ideal from all judged, unjudged removed before "
        "ranking, undefined queries count as 0",
        "nDCG, linear gain, ideal from all judged, queries absent from the ranking left out",
    ]


# ---- what is in the file


def test_text_is_no_formula(tmp_path):
    """An id that begins with "=" stays text, and only our own formulas are formulas."""
    path = tmp_path / "book.xlsx"
    table = ReportTable("=1", "+1", ("-1",), (("@1",),), ("left",))
    export_live_workbook(path, many(), [0, 1], [("=2", "=3")], [table])
    book = openpyxl.load_workbook(path)
    formulas = {
        (sheet.title, cell.column_letter)
        for sheet in book
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "f"
    }
    assert {letter for title, letter in formulas if title == "Judgments"} == {"E"}
    assert {letter for title, letter in formulas if title == "Rankings"} == set("FGJK")
    assert {letter for title, letter in formulas if title == "Ideal"} == set("EFG")
    assert not [each for each in formulas if each[0] in ("Settings", "Report")]
    texts = [cell.value for cell in book["Judgments"]["C"]]
    assert texts.count("=1+1") == 7
    assert texts.count("#N/A") == 7


def test_a_grade_stands_once(tmp_path):
    """Each document of a query is on the sheet Judgments once, those too that nobody has judged."""
    path = tmp_path / "book.xlsx"
    export_live_workbook(path, many(), [0, 1, 2])
    sheet = openpyxl.load_workbook(path)["Judgments"]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2, max_col=3)]
    keys = [(query, document) for _, query, document in rows]
    assert len(keys) == len(set(keys))
    assert ("q1", "unlisted") in keys
    numbers = [number for number, _, _ in rows]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.slow  # each starts LibreOffice
def test_only_old_functions(tmp_path):
    """Every function is one of Excel 2010, and none gives an array."""
    path = tmp_path / "book.xlsx"
    for options in OPTIONS:
        export_live_workbook(path, many(**options), [0, 1])
        for sheet in openpyxl.load_workbook(path):
            for cells in sheet.iter_rows():
                for cell in cells:
                    if cell.data_type == "f":
                        assert functions(cell.value) <= KNOWN


KNOWN = {"IF", "ISNUMBER", "INDEX", "MATCH", "MAX", "VLOOKUP", "N", "COUNT", "LARGE", "AND", "LOG"}
KNOWN |= {"SUM", "AVERAGE", "ISERROR"}


def test_texts_of_formulas_are_short(tmp_path):
    """Excel takes no text of more than 255 letters in a formula, nor a formula of 8,192."""
    evaluation = many(order="score", ideal="returned", unjudged="remove", undefined="zero")
    path = tmp_path / "book.xlsx"
    export_live_workbook(path, evaluation, [0, 1])
    for sheet in openpyxl.load_workbook(path):
        for cells in sheet.iter_rows():
            for cell in cells:
                if cell.data_type == "f":
                    assert len(cell.value) < 8192
                    assert max(map(len, re.findall(r'"[^"]*"', cell.value)), default=0) < 255


def functions(formula):
    """The names before an opening bracket, outside of texts."""
    return set(re.findall(r"([A-Z][A-Z.0-9]*)\(", re.sub(r'"[^"]*"', "", formula)))


# ---- large evaluations


def long_lists():
    """Two queries of three hundred returned documents, of which two are judged."""
    rows = [(query, f"d{place}") for query in "ab" for place in range(300)]
    judged = [(query, f"d{place}", grade) for query in "ab" for place, grade in ((1, 2), (250, 1))]
    return judged, rows


def test_rankings_are_cut(tmp_path, monkeypatch):
    """Where all rows would be too many, each ranking is cut at a place beyond k."""
    monkeypatch.setattr(live_layout, "MOST_FORMULAS", 1000)
    evaluation = evaluation_of(*long_lists())
    layout = live_layout.lay_out(evaluation, [0])
    assert layout.depth == 50
    assert layout.formulas <= 1000
    path = tmp_path / "book.xlsx"
    export_live_workbook(path, evaluation, [0])
    book = openpyxl.load_workbook(path)
    texts = [cell.value for cell in book["Settings"]["A"]]
    assert any("cut at place 50" in str(text) for text in texts)
    assert "up to 50" in book["Settings"]["C4"].value


@needs_office
@pytest.mark.slow  # each starts LibreOffice
def test_cut_rankings_score_the_same(tmp_path, monkeypatch):
    """A cut changes no figure: documents beyond it are in the ideal if they are judged."""
    monkeypatch.setattr(live_layout, "MOST_FORMULAS", 300)
    evaluation = evaluation_of(*long_lists())
    path = tmp_path / "book.xlsx"
    export_live_workbook(path, evaluation, [0])
    (book,) = calculated(tmp_path, path)
    assert_equal(book, evaluation, [0])


@pytest.mark.parametrize(
    "options", [{"cutoff": None}, {"ideal": "returned"}, {"unjudged": "remove"}]
)
def test_too_large(tmp_path, monkeypatch, options):
    """Where a cut would change scores, or does not help, the file is refused and not written."""
    monkeypatch.setattr(live_layout, "MOST_FORMULAS", 1000)
    path = tmp_path / "book.xlsx"
    with pytest.raises(FileError, match=r"would need .* up to 1,000 are written"):
        export_live_workbook(path, scored_as(options, *long_lists()), [0])
    assert not path.exists()


def test_the_count_of_formulas_is_right(tmp_path):
    """The count that the limit is held against is that of the file, up to the means."""
    evaluation = many(cutoff=4)
    path = tmp_path / "book.xlsx"
    export_live_workbook(path, evaluation, [0, 1])
    formulas = sum(
        cell.data_type == "f"
        for sheet in openpyxl.load_workbook(path)
        for row in sheet.iter_rows()
        for cell in row
    )
    assert live_layout.lay_out(evaluation, [0, 1]).formulas == pytest.approx(formulas, abs=60)
