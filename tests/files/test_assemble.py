"""Tables with their roles become judgments and rankings."""

import statistics
from dataclasses import replace

import numpy as np
import pytest
from build import table_of
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.evaluation.votes import merged_grades
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.labels import parse_labels, suggest
from ndcg_desktop.files.roles import Roles, guess
from ndcg_desktop.files.table import FileError


def assembled(text, merge="mean", row_order=False, roles=None):
    """What a text comes to with the roles that are guessed."""
    table = table_of(text)
    return assemble([Understood(table, roles or guess(table).roles, row_order, merge)])


def told(found):
    """Level, code and row of findings."""
    return [(each.level, each.code, each.row) for each in found.findings]


def test_one_table_of_both():
    """A table with grades and ranks is judgments and a ranking; the rest stays beside them."""
    both = assembled("query,docid,rank,grade,note\na,x,1,2,good\na,y,2,,\n")
    (judgments,), (ranking,) = both.judgments, both.rankings
    assert judgments.document.texts() == ranking.document.texts() == ["x", "y"]
    np.testing.assert_array_equal(judgments.grade, [2, np.nan])
    assert ranking.ranks_by == "rank"
    assert ranking.rank.tolist() == [1, 2]
    assert list(judgments.other) == ["note"]
    assert list(judgments.other["note"]) == ["good", ""]
    assert judgments.row.tolist() == [2, 3]
    assert both.tables[0].roles.grade == 3


@pytest.mark.parametrize(
    ("header", "row", "ranks_by"),
    [
        ("query,docid,rank,score", "a,x,1,2.5", "rank"),
        ("query,docid,score", "a,x,2.5", "score"),
    ],
)
def test_what_a_table_is_ranked_by(header, row, ranks_by):
    """The rank column says the order, else the score."""
    assert assembled(f"{header}\n{row}\n").rankings[0].ranks_by == ranks_by


def test_rows_as_a_ranking():
    """The order of rows is a ranking where the user said so, and only then."""
    text = "query,docid,grade\na,x,1\n"
    assert not assembled(text).rankings
    assert assembled(text, row_order=True).rankings[0].ranks_by == "rows"


def test_a_run_goes_by_score():
    """A TREC run goes by its scores, whatever ranks it has."""
    assert assembled("1 Q0 d 1 2.5 t\n").rankings[0].ranks_by == "score"


@pytest.mark.parametrize(
    ("merge", "expected"),
    [
        ("mean", [2.5, 4 / 3, np.nan]),
        ("median", [2.5, 1, np.nan]),
        ("min", [2, 0, np.nan]),
        ("max", [3, 3, np.nan]),
        ("majority", [2, 0, np.nan]),
        ("last", [3, 0, np.nan]),
        ("judge:Rater B", [np.nan, 3, np.nan]),
    ],
)
def test_several_graders(merge, expected):
    """Grades of several people become one over those that are there, by the rule that is named."""
    text = "query,docid,Rater A,Rater B,Rater C\na,x,2,,3\na,y,1,3,0\na,z,,,\n"
    (judgments,) = assembled(text, merge).judgments
    np.testing.assert_allclose(judgments.grade, expected)
    assert (judgments.votes.judges, judgments.votes.rule) == (
        ("Rater A", "Rater B", "Rater C"),
        merge,
    )


def test_a_cell_that_is_no_grade():
    """A word where a grade should be leaves the document unjudged, and is told with its row."""
    out = assembled("query,docid,rank,grade\na,x,1,3\na,y,2,not judged\na,z,third,1\na,w,4,\n")
    np.testing.assert_array_equal(out.judgments[0].grade, [3, np.nan, 1, np.nan])
    assert told(out) == [("warning", "not-a-number", 3), ("warning", "not-a-rank", 4)]
    assert "“not judged” in the column “grade”" in out.findings[0].text


def test_a_table_of_one_query():
    """Without a column of queries the file, or the sheet, names the only one."""
    (judgments,) = assembled("docid,rank,grade\nx,1,2\ny,2,1\n").judgments
    assert judgments.query.texts() == ["table", "table"]


def test_spaces_around_ids():
    """Ids lose the spaces around them, and nothing else."""
    (judgments,) = assembled("query,docid,grade\n a b ,\u00a0x,1\n007,1e5,1\n").judgments
    assert judgments.query.texts() == ["a b", "007"]
    assert judgments.document.texts() == ["x", "1e5"]


def test_systems():
    """Each column of documents is a ranking by the shared ranks; blanks end the shorter lists."""
    first, second = assembled("query,rank,Live,New\na,1,x,y\na,2,y,\n").rankings
    assert (first.name, second.name) == ("Live", "New")
    assert first.rank.tolist() == [1, 2]
    assert second.document.texts() == ["y", ""]


def test_an_ideal_column():
    """A column of ideal grades is kept apart from the grades."""
    out = assembled("docid,rank,grade,ideal\nx,1,1,3\ny,2,3,1\n")
    assert out.ideal.grade.tolist() == [3, 1]
    assert out.judgments[0].grade.tolist() == [1, 3]


# ---- several rankings, several people, words


SYSTEMS = """query,docid,rank,grade,system,title
a,x,1,3,old,Red
a,y,2,,old,Blue
a,y,1,,new,Blue
a,x,2,3,new,Red
a,z,3,0,,Grey
"""


def test_a_table_of_several_rankings():
    """Each system has its ranking, in order of appearance; a row that names none is told."""
    out = assembled(SYSTEMS)
    old, new = out.rankings
    assert (old.name, new.name) == ("old", "new")
    assert old.document.texts() == ["x", "y"]
    assert new.document.texts() == ["y", "x"]
    assert (new.rank.tolist(), new.row.tolist()) == ([1, 2], [4, 5])
    assert told(out) == [("warning", "no-system", 6)]


def test_judgments_of_several_rankings():
    """Grades that stand once for each ranking are one judgment, and repetition is no finding."""
    out = assembled(SYSTEMS)
    evaluation, findings = join(out.judgments, out.rankings)
    assert evaluation.judgments.documents.texts() == ["x", "y", "z"]
    np.testing.assert_array_equal(evaluation.judgments.grade, [3, np.nan, 0])
    assert {each.code for each in findings} == set()
    # 3 at the first place, and at the second: 3 / log2(3) of an ideal of 3
    values = [evaluation.scores(ranking).value[0] for ranking in (0, 1)]
    assert values == pytest.approx([1, 0.63093], abs=1e-5)
    other = assembled(SYSTEMS.replace("a,x,2,3", "a,x,2,1"))
    _, findings = join(other.judgments, other.rankings)
    assert [(each.code, each.row) for each in findings] == [("conflicting-judgment", 5)]


def test_titles():
    """The documents' names stay among the other columns, and are known as such."""
    out = assembled(SYSTEMS)
    assert (out.judgments[0].title, out.rankings[1].title) == ("title", "title")
    assert list(out.rankings[1].other["title"]) == ["Blue", "Red"]
    assert assembled("query,docid,grade\na,x,1\n").judgments[0].title is None


def test_notes_stay_among_the_other_columns():
    """What judges remark is shown beside a document as any other column is."""
    out = assembled("query,docid,grade,remark\na,x,1,fine\na,y,0,\n")
    assert out.tables[0].roles.note == 3
    assert list(out.judgments[0].other["remark"]) == ["fine", ""]


VOTES = """query,docid,rater,grade
a,x,Ann,2
a,y,Ann,1
a,x,Bob,
a,x,Cem,3
a,y,Bob,3
a,y,Cem,0
a,z,Ann,
b,x,Ann,1
"""


@pytest.mark.parametrize(
    ("merge", "expected"),
    [
        ("mean", [2.5, 4 / 3, np.nan, 1]),
        ("median", [2.5, 1, np.nan, 1]),
        ("min", [2, 0, np.nan, 1]),
        ("max", [3, 3, np.nan, 1]),
        ("last", [3, 0, np.nan, 1]),
    ],
)
def test_a_row_for_each_rater(merge, expected):
    """Several people's rows of a document are one judgment by the rule, and blanks no votes."""
    out = assembled(VOTES, merge)
    (judgments,) = out.judgments
    assert judgments.document.texts() == ["x", "y", "z", "x"]
    assert judgments.query.texts() == ["a", "a", "a", "b"]
    np.testing.assert_allclose(judgments.grade, expected)
    assert judgments.row.tolist() == [2, 3, 8, 9]
    assert (judgments.votes.judges, judgments.votes.rule) == (("Ann", "Bob", "Cem"), merge)
    assert told(out) == []


def test_a_second_vote():
    """Of two grades that somebody gives a document the last counts, which is told."""
    out = assembled(VOTES + "a,x,Cem,1\n")
    assert out.judgments[0].grade[0] == 1.5
    assert told(out) == [("warning", "repeated-vote", 10)]
    assert "“Cem” graded “x” before" in out.findings[0].text


def test_the_ranking_of_a_table_with_raters():
    """A document that several people graded is returned once."""
    text = "query,docid,rank,rater,grade\na,x,1,Ann,2\na,x,1,Bob,0\na,y,2,Ann,1\n"
    (ranking,) = assembled(text).rankings
    assert (ranking.document.texts(), ranking.rank.tolist()) == (["x", "y"], [1, 2])


@given(
    st.lists(st.tuples(st.integers(0, 4), st.none() | st.sampled_from([0.0, 1.0, 2.33, 3.0]))),
    st.sampled_from(("mean", "median", "majority", "min", "max", "last")),
)
def test_merged_grades(votes, rule):
    """Each pair's grade is that of the statistics module over its votes."""
    functions = {
        "mean": statistics.mean,
        "median": statistics.median,
        "majority": lambda own: min(statistics.multimode(own)),
        "min": min,
        "max": max,
        "last": lambda own: own[-1],
    }
    pair = np.array([each for each, _ in votes], dtype=np.int64)
    grade = np.array([np.nan if each is None else each for _, each in votes])
    merged = merged_grades(pair, grade, 5, rule)
    for place in range(5):
        own = [vote for at, vote in votes if at == place and vote is not None]
        expected = functions[rule](own) if own else np.nan
        np.testing.assert_allclose(merged[place], expected)


def test_grades_in_words():
    """Words are read by their labels and kept, with the word for each grade, to be shown."""
    table = table_of("query,docid,rank,grade\na,x,1,Exact\na,y,2,1\na,z,3,?\n")
    part = Understood(table, guess(table).roles, labels=parse_labels("Exact=2,Partial=1,?="))
    out = assemble([part])
    (judgments,) = out.judgments
    np.testing.assert_array_equal(judgments.grade, [2, 1, np.nan])
    assert list(judgments.label) == ["Exact", "1", "?"]
    assert judgments.label_of == {2: "Exact", 1: "Partial"}
    assert told(out) == []


def test_labels_of_rows_that_are_left_out():
    """Labels stay beside their grades where a row without a query is left out."""
    table = table_of("query,docid,grade\n,w,Partial\na,x,Exact\n")
    part = Understood(table, guess(table).roles, labels=parse_labels("Exact=2,Partial=1"))
    evaluation, _ = join(assemble([part]).judgments, [])
    (entry,) = evaluation.entries
    assert (list(entry.columns.label), entry.columns.grade.tolist()) == (["Exact"], [2])


def test_several_people_use_words():
    """Words of several columns are merged as numbers, and no single word is shown."""
    text = "query,docid,Rater A,Rater B\na,x,yes,no\na,y,yes,\n"
    table = table_of(text)
    part = Understood(
        table, Roles(query=0, document=1, graders=(2, 3)), labels=suggest(["yes", "no"])
    )
    (judgments,) = assemble([part]).judgments
    assert (judgments.grade.tolist(), judgments.label) == ([0.5, 1], None)


def test_places_of_a_ranking():
    """A row for each query, with a grade at each place, is judgments and a ranking of places."""
    out = assembled("query,1,2,3\na,3,,0\nb,1,2,\n")
    (judgments,), (ranking,) = out.judgments, out.rankings
    assert judgments.query.texts() == ["a", "a", "a", "b", "b", "b"]
    assert judgments.document.texts() == ranking.document.texts() == ["1", "2", "3"] * 2
    np.testing.assert_array_equal(judgments.grade, [3, np.nan, 0, 1, 2, np.nan])
    assert ranking.rank.tolist() == [1, 2, 3] * 2
    assert judgments.row.tolist() == [2, 2, 2, 3, 3, 3]
    assert out.tables[0].roles.positions == (1, 2, 3)


def test_lists_of_grades():
    """Several grades in a cell are refused, and a decimal comma is no list."""
    with pytest.raises(FileError, match="row of its own"):
        assembled("query,docid,grade\na,x|y,1|2\n", roles=Roles(0, None, 1, 2))
    assert assembled("query;docid;grade\na;x;2,5\n").judgments[0].grade[0] == 2.5


# ---- rows that sum up


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("query,docid,rank,grade\na,x,1,3\nAverage,,,1.5\n", [3]),
        ("query,docid,rank,grade\na,x,1,3\nTotal,,,\n", [3]),
        ("position,item,relevance\n1,x,3\n,Total,\n,nDCG,\n", [3, 4]),
        ("query,docid,rank,grade\na,x,1,3\n,,,1.5\n", [3]),
        ("query,docid,grade\na,x,3\nGrand total,,3\n", [3]),
    ],
)
def test_summary_rows(text, rows):
    """Rows such as Average or Total, that grade or rank no document, are left out and told."""
    out = assembled(text)
    assert told(out) == [("note", "summary-row", row) for row in rows]
    assert out.judgments[0].document.texts() == ["x"]


@pytest.mark.parametrize(
    "text",
    [
        "query,docid,rank,grade\ntotal,x,1,3\n",
        "query,docid,rank,grade\ntotal,x,1,\n",
        "query,docid,rank,grade\na,Average,1,3\n",
        "query,docid,grade\ncount,x,3\n",
        "query,docid,grade\ntotal,x,\ntotal,y,1\n",
        "query,docid,score\ntotal,x,2.5\n",
        "1 Q0 total 1 2.5 t\n",
        "total 0 x 1\n",
    ],
)
def test_searches_for_a_total(text):
    """One may search for "total" or "count": a row with a document is no sum."""
    out = assembled(text)
    rows = out.judgments[0] if out.judgments else out.rankings[0]
    assert len(rows.row) == len(table_of(text))
    assert told(out) == []


def test_a_ranking_of_bare_rows():
    """A search for "total" is kept in a ranking that has queries and documents alone."""
    roles = Roles(query=0, document=1)
    out = assembled("query,docid\ntotal,x\na,y\n", row_order=True, roles=roles)
    assert out.rankings[0].query.texts() == ["total", "a"]


# ---- tables that are neither


@pytest.mark.parametrize(
    ("text", "roles", "part"),
    [
        ("query,docid,grade\n", None, "a header and no rows"),
        ("query,docid,rank,grade\nTotal,,,\n", None, "a header and no rows"),
        ("query,grade\na,1\n", Roles(query=0, grade=1), "No column holds the documents"),
        ("query,docid\na,x\n", Roles(query=0, document=1), "neither grades, nor ranks"),
    ],
)
def test_neither(text, roles, part):
    """A table that is neither judgments nor a ranking is refused with the reason."""
    with pytest.raises(FileError, match=part):
        assembled(text, roles=roles)


def test_what_was_found_while_reading_is_kept():
    """A table's own findings come first."""
    out = assembled("1 qid:1 # a\nnonsense\n")
    assert told(out) == [("warning", "bad-line", 2)]


@pytest.mark.parametrize(
    ("grades", "row"), [(("1,234", "2"), 2), (("1,5", "2"), None), (("1,234", "1,234,567"), None)]
)
def test_a_comma_of_either_meaning_is_told(grades, row):
    """“1,234” alone may be a whole number: that it is read as a fraction is a warning."""
    lines = [f'q;d{place};"{grade}"\n' for place, grade in enumerate(grades)]
    found = assembled("".join(["query;doc;grade\n", *lines])).findings
    rows = [finding.row for finding in found if finding.code == "unclear-comma"]
    assert rows == ([] if row is None else [row])


def test_what_is_odd_about_a_row_that_sums_up_is_no_matter():
    """The reader's finding about a row that is left out is not told, that of another row is."""
    table = table_of("query,docid,grade\na,x,2\na,y,1\nTotal,,3\n")
    odd = tuple(Finding("warning", "error-cell", "odd", table.source, row) for row in (3, 4))
    part = Understood(replace(table, findings=odd), guess(table).roles)
    assert told(assemble([part])) == [("warning", "error-cell", 3), ("note", "summary-row", 4)]
