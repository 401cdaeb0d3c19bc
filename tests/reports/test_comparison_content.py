"""What a report on compared rankings says, against figures worked out by other means."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from compared import DIGEST, compared, request_of
from scipy import stats

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.comparison_words import p_text
from ndcg_desktop.evaluation.sureness import SurenessOptions
from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.reports.comparison_content import ReportFile, content_of, report_files

NAMES = ["production", "candidate", "neural"]


@pytest.fixture(scope="module")
def evaluation():
    """Three rankings of twenty-five queries."""
    return compared(25, NAMES)


@pytest.fixture(scope="module")
def content(evaluation):
    """The report on them."""
    return content_of(request_of(evaluation))


def number(text):
    """A figure as it was written."""
    return float(text.replace("−", "-").strip("[]"))


def values(evaluation, ranking):
    """nDCG@10 of each query by the definition, one document at a time."""
    found = []
    for query in range(len(evaluation.queries)):
        rows = np.flatnonzero(evaluation.rankings[ranking].query == query)[:10]
        pairs = evaluation.rankings[ranking].pair[rows]
        grades = np.nan_to_num(evaluation.judgments.grade[pairs])
        own = evaluation.judgments.grade[evaluation.judgments.query == query]
        best = sorted(np.nan_to_num(own).tolist(), reverse=True)[:10]
        dcg, ideal = (
            sum(grade / np.log2(place + 2) for place, grade in enumerate(some))
            for some in (grades.tolist(), best)
        )
        found.append(dcg / ideal)
    return np.array(found)


def test_rankings(evaluation, content):
    """Means, differences, wins and n of every ranking are right."""
    rows = {row[0]: row for row in content.rankings.rows}
    assert list(rows) == NAMES
    base = values(evaluation, 0)
    for ranking, name in enumerate(NAMES):
        own = values(evaluation, ranking)
        assert number(rows[name][1]) == pytest.approx(own.mean(), abs=0.0006)
        assert rows[name][3] == "25"
        low, high = map(float, rows[name][2].split("–"))
        spread = own.std() / 5
        assert low == pytest.approx(own.mean() - 1.96 * spread, abs=spread / 2)
        assert high == pytest.approx(own.mean() + 1.96 * spread, abs=spread / 2)
        if ranking:
            difference = own - base
            assert number(rows[name][4]) == pytest.approx(difference.mean(), abs=0.0006)
            won, lost = (difference > 1e-12).sum(), (difference < -1e-12).sum()
            assert rows[name][6] == f"{won}/{25 - won - lost}/{lost}"
    assert rows["production"][4] == "baseline"
    assert content.rankings.headers[5] == "p (Holm)"


def test_statistics(evaluation, content):
    """The t test of the table is that of scipy, and the answer names its measure."""
    figures = {row[0]: row[1] for row in content.versus[1].figures.rows}
    test = stats.ttest_rel(values(evaluation, 2), values(evaluation, 0))
    statistic, p = figures["t test"].removeprefix("t = ").split(", ")
    assert number(statistic) == pytest.approx(test.statistic, abs=0.0006)
    assert p == p_text(test.pvalue)
    assert all("nDCG@10" in each.answer for each in content.versus)


def test_lowest_and_changed(evaluation, content):
    """Ten queries each, in order, with their figures."""
    base, own = values(evaluation, 0), values(evaluation, 1)
    lowest, changed = content.versus[0].lowest, content.versus[0].changed
    for table, order in ((lowest, np.argsort(own)), (changed, np.argsort(-abs(own - base)))):
        assert [row[0] for row in table.rows] == [evaluation.queries[q] for q in order[:10]]
        for row, query in zip(table.rows, order, strict=False):
            assert number(row[1]) == pytest.approx(base[query], abs=0.0006)
            assert number(row[2]) == pytest.approx(own[query], abs=0.0006)
            assert number(row[3]) == pytest.approx(own[query] - base[query], abs=0.0006)
        assert "the first 10 of 25" in table.caption


def test_settings_table(evaluation, content):
    """A cell of the table of settings is the difference under that cutoff and gain."""
    table = content.versus[0].sensitivity
    rows = {row[0]: row for row in table.rows}
    column = next(place for place, head in enumerate(table.headers) if "exp. as set" in head)
    still = evaluation.frozen()
    for k in (1, 7, None):
        still.options = replace(still.options, gain="exponential", cutoff=k)
        difference = still.scores(1).mean - still.scores(0).mean
        cell = rows["all" if k is None else str(k)][column]
        assert number(cell) == pytest.approx(difference, abs=0.0006)
    own = rows["10"][next(n for n, head in enumerate(table.headers) if "lin. as set" in head)]
    assert own.startswith("[")
    difference = values(evaluation, 1) - values(evaluation, 0)
    assert number(own) == pytest.approx(difference.mean(), abs=0.0006)
    assert "[" not in "".join(row[column] for row in table.rows)


def test_the_options_are_left_as_they_were(evaluation):
    """Gathering the content changes the options only for a while."""
    request = request_of(evaluation)
    before = request.evaluation.options
    content_of(request)
    assert request.evaluation.options == before


def test_no_table_without_its_measure(content):
    """Every table of scores names the measure, in its caption or row by row."""
    for table in content.tables:
        if table.title == "Files":
            continue
        assert "nDCG" in table.caption or "nDCG@10" in [row[0] for row in table.rows]
        assert len({len(row) for row in table.rows} | {len(table.headers), len(table.aligns)}) == 1


def test_every_measure(content):
    """All measures of all rankings, each named with its parameters."""
    (table,) = content.measures
    assert table.headers == ("measure", *NAMES, "n")
    names = [row[0] for row in table.rows]
    assert {"nDCG@10", "P(rel=1)@10", "AP(rel=1)", "Judged@10"} <= set(names)
    first = table.rows[names.index("nDCG@10")]
    assert [cell.split(" ")[0] for cell in first[1:4]] == [r[1] for r in content.rankings.rows]


def test_many_rankings_stand_in_several_tables():
    """More rankings than a page is wide for go into further tables."""
    names = [f"run {number}" for number in range(6)]
    content = content_of(request_of(compared(3, names)))
    assert [table.headers[1:-1] for table in content.measures] == [
        tuple(names[:4]),
        tuple(names[4:]),
    ]
    assert content.title == "5 rankings compared with “run 0”"


def test_what_was_compared(content):
    """The page says what, of which files, with which settings, when, with which program."""
    said = " ".join(content.compared)
    assert "25 queries" in said
    assert "Baseline: “production”" in said
    assert "25 queries count in both." in said
    assert content.files.rows == (("judgments.csv", DIGEST), ("run.csv", DIGEST[::-1]))
    assert content.day == "2024-02-29"
    assert content.findings == ("note: run.csv, row 3: Something <odd>.",)
    options = dict(content.options)
    for label in ("Cutoff k", "Gain", "Discount", "Ideal", "Order", "Unjudged", "Undefined"):
        assert options[label]
    assert {"Missing", "A tie is", "What matters", "Seed"} <= options.keys()


def test_chosen_options():
    """Tie, what matters and seed are said as they were chosen, and used."""
    evaluation = compared(12, NAMES[:2])
    content = content_of(request_of(evaluation, options=SurenessOptions(0.05, 0.1, 7)))
    options = dict(content.options)
    assert options["A tie is"] == "a difference of a query up to 0.05"
    assert options["What matters"] == "a mean difference of 0.1"
    assert options["Seed"].startswith("7 ")
    difference = values(evaluation, 1) - values(evaluation, 0)
    won, lost = (difference > 0.05).sum(), (difference < -0.05).sum()
    assert content.rankings.rows[1][6] == f"{won}/{12 - won - lost}/{lost}"
    assert content.rankings.headers[5] == "p"


def test_one_query():
    """A single query has no interval, and the answer says that it says nothing about others."""
    content = content_of(request_of(compared(1, NAMES[:2])))
    assert "One query says nothing about others" in content.versus[0].answer
    assert content.compared[-1] == "1 query counts in both."
    assert content.rankings.rows[0][2] == "–"
    assert len(content.versus[0].lowest.rows) == 1


def test_nothing_in_common():
    """Where no query is scored in both, the report says so."""
    evaluation = compared(4, NAMES[:2])
    evaluation.judgments.set_all(np.full(len(evaluation.judgments), np.nan))
    content = content_of(request_of(evaluation))
    assert "no query in common that is scored" in content.versus[0].answer
    assert content.versus[0].figures is None
    assert content.rankings.rows[1][1:] == ("–", "–", "0", "–", "–", "–")


def test_equal_rankings():
    """Of equal rankings no query has changed, and that table is left out."""
    evaluation = compared(6, NAMES[:2], blanks=0)
    evaluation.rankings[1].pair[:] = evaluation.rankings[0].pair
    content = content_of(request_of(evaluation))
    assert not content.versus[0].changed.rows
    assert content.versus[0].changed not in content.tables
    assert "are equal on average" in content.versus[0].answer


def test_groups():
    """Subtotals of a column are the means of its queries; of an unknown column there are none."""
    evaluation = compared(8, NAMES[:2])
    group = ["even" if number % 2 == 0 else "odd" for number in range(8)]
    entry = evaluation.entries[0]
    of_row = [group[query] for query in evaluation.judgments.query[entry.pair].tolist()]
    evaluation.entries = [replace(entry, columns=replace(entry.columns, other={"kind": of_row}))]
    table = content_of(request_of(evaluation, group="kind")).versus[0].groups
    base, own = values(evaluation, 0), values(evaluation, 1)
    assert [row[:2] for row in table.rows] == [("even", "4"), ("odd", "4")]
    for row, part in zip(table.rows, (slice(0, 8, 2), slice(1, 8, 2)), strict=True):
        assert number(row[2]) == pytest.approx(base[part].mean(), abs=0.0006)
        assert number(row[3]) == pytest.approx(own[part].mean(), abs=0.0006)
    assert content_of(request_of(evaluation, group="other")).versus[0].groups is None


def test_files(tmp_path):
    """A file of several tables stands once, with the SHA-256 of its bytes."""
    data = b"query,docid,grade\nq,A,1\n"
    path = tmp_path / "judgments.csv"
    tables = read_bytes(path, data)
    expected = ReportFile("judgments.csv", hashlib.sha256(data).hexdigest())
    assert report_files([*tables, *tables]) == (expected,)


def test_findings_are_kept_in_order(evaluation):
    """Findings are told in the order they were found."""
    found = tuple(Finding("note", "x", text) for text in "abc")
    content = content_of(request_of(evaluation, findings=found))
    assert content.findings == ("note: a", "note: b", "note: c")
