"""What is found about judgments and rankings: its code, how serious it is, and where it stands."""

import statistics
from dataclasses import replace

import numpy as np
import pytest
from build import joined, judgment_columns, ranking_columns, values_of
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.evaluation.findings import MOST_QUERIES
from ndcg_desktop.evaluation.join import MOST_ROWS, join, row_findings

JUDGED = [("q", "A", 3), ("q", "B", 0)]
RANKED = [("q", "A"), ("q", "B")]


def found(judgments, *rankings):
    """Level, code, file and row of each finding."""
    _, findings = joined(judgments, *rankings)
    return [
        (each.level, each.code, each.source and each.source.file, each.row) for each in findings
    ]


def text_of(judgments, *rankings):
    """The text of the only finding."""
    _, findings = joined(judgments, *rankings)
    (finding,) = findings
    return finding.text


def test_nothing_to_find():
    """Judgments and a ranking that agree in everything give no finding."""
    assert found(JUDGED, RANKED) == []


CASES = {
    "no query, judged": (
        [*JUDGED, ("", "C", 1)],
        RANKED,
        [("warning", "no-query", "judgments.csv", 4)],
    ),
    "no query, returned": (JUDGED, [*RANKED, ("", "C")], [("warning", "no-query", "run.csv", 4)]),
    "no rank": (
        JUDGED,
        [("q", "A", None, 1), ("q", "C", None, None), ("q", "B", None, 2)],
        [("note", "no-rank", "run.csv", 3)],
    ),
    "negative grade": (
        [*JUDGED, ("q", "C", -2)],
        RANKED,
        [("note", "negative-grade", "judgments.csv", 4)],
    ),
    "the same judgment twice": (
        [*JUDGED, ("q", "A", 3)],
        RANKED,
        [("note", "duplicate-judgment", "judgments.csv", 4)],
    ),
    "judgments in conflict": (
        [*JUDGED, ("q", "A", 2)],
        RANKED,
        [("warning", "conflicting-judgment", "judgments.csv", 4)],
    ),
    "a grade and a blank": (
        [*JUDGED, ("q", "A", None)],
        RANKED,
        [("note", "duplicate-judgment", "judgments.csv", 4)],
    ),
    "a document twice": (
        JUDGED,
        [*RANKED, ("q", "A")],
        [("warning", "duplicate-document", "run.csv", 4)],
    ),
    "a rank twice": (
        JUDGED,
        [("q", "A", None, 1), ("q", "B", None, 1)],
        [("warning", "rank-repeated", "run.csv", 3)],
    ),
    "a gap": (
        JUDGED,
        [("q", "A", None, 1), ("q", "B", None, 5)],
        [("note", "rank-gap", "run.csv", 3)],
    ),
    "rank against score": (
        JUDGED,
        [("q", "A", 0.1, 1), ("q", "B", 0.9, 2)],
        [("warning", "rank-against-score", "run.csv", 3)],
    ),
    "tied scores": (
        JUDGED,
        [("q", "A", 1.5), ("q", "B", 1.5)],
        [("note", "tied-scores", "run.csv", 3)],
    ),
    "similar queries": (
        [*JUDGED, ("Q ", "A", 1)],
        [*RANKED, ("Q ", "A")],
        [("note", "similar-queries", "judgments.csv", 4)],
    ),
    "similar queries of a ranking": (
        JUDGED,
        [*RANKED, ("Q", "A")],
        [("note", "similar-queries", "run.csv", 4), ("warning", "unjudged-query", "run.csv", 4)],
    ),
    "a query that a repair would mend": (
        [*JUDGED, ("Hat", "A", 1)],
        [*RANKED, ("hat", "A")],
        [("warning", "near-miss-query", "run.csv", 4)],
    ),
    "a query without judgments": (
        JUDGED,
        [*RANKED, ("other", "A")],
        [("warning", "unjudged-query", "run.csv", 4)],
    ),
    "a query that is missing": (
        [*JUDGED, ("other", "A", 1)],
        RANKED,
        [("warning", "missing-query", "judgments.csv", 4)],
    ),
    "no query in common": (
        JUDGED,
        [("q.0", "A"), ("q.0", "B")],
        [("error", "no-common-query", "run.csv", None)],
    ),
}


@pytest.mark.parametrize(("judgments", "ranking", "expected"), CASES.values(), ids=CASES.keys())
def test_finding(judgments, ranking, expected):
    """Each kind of problem has its code and level, and names its file and row."""
    assert found(judgments, ranking) == expected


def test_a_repair_hides_nothing_of_another_ranking():
    """A ranking that lacks the query in every spelling is told, also where a repair mends it in
    another.
    """
    judged = [*JUDGED, ("Hat", "A", 1)]
    _, findings = joined(judged, [*RANKED, ("hat", "A")], RANKED)
    assert [each.code for each in findings] == ["near-miss-query", "missing-query"]


def test_what_is_not_a_problem():
    """Ranks out of order in the file, and ranks that agree with scores are fine."""
    assert found(JUDGED, [("q", "B", None, 2), ("q", "A", None, 1)]) == []
    assert found(JUDGED, [("q", "B", 0.2, 2), ("q", "A", 0.7, 1)]) == []
    assert found(JUDGED, [("q", "A", 0.7, 1), ("q", "B", 0.7, 2)]) == []


def test_a_ranking_without_judgments():
    """Nothing judged at all is not reported query by query."""
    assert found([("q", "A", None)], RANKED) == []


def test_texts_name_what_they_speak_of():
    """A finding names the document, the query, the grade and what was done."""
    assert text_of([*JUDGED, ("q", "A", 2)], RANKED) == (
        "“A” is judged more than once for this query, with different grades. "
        "The highest, 3, is used."
    )
    assert text_of(JUDGED, [*RANKED, ("q", "A")]) == (
        "“A” is returned twice for the query “q”. It counts at its better place only."
    )
    assert text_of([*JUDGED, ("q", "C", -2)], RANKED) == (
        "The grade -2 is below 0. It is kept, and gains 0."
    )
    assert "“q”" in text_of(JUDGED, [("q.0", "A")])
    assert "“q.0”" in text_of(JUDGED, [("q.0", "A")])
    assert "rank is used" in text_of(JUDGED, [("q", "A", 0.1, 1), ("q", "B", 0.9, 2)])


def test_a_conflict_is_settled_by_the_highest_grade():
    """A document judged twice counts once, with its highest grade, in whichever row that is."""
    for grades in ((3, 1), (1, 3), (3, None), (None, 3)):
        evaluation, _ = joined([("q", "A", grade) for grade in grades], [("q", "A")])
        assert evaluation.judgments.grade.tolist() == [3.0]


SETTLED = [("highest", 3), ("first", 1), ("last", 2), ("mean", 2)]


@pytest.mark.parametrize(("rule", "expected"), SETTLED)
def test_rules_for_judgments_in_conflict(rule, expected):
    """The rule that is chosen settles a conflict, over tables too, and the finding names it."""
    rows = [("q", "A", None), ("q", "A", 1), ("q", "B", 0), ("q", "A", 3)]
    first = replace(judgment_columns(rows, "first.csv"), duplicates=rule)
    second = judgment_columns([("q", "A", 2), ("q", "A", None)], "second.csv")
    evaluation, findings = join([first, second], [ranking_columns(RANKED)])
    assert evaluation.judgments.grade.tolist() == [expected, 0]
    texts = {each.text for each in findings if each.code == "conflicting-judgment"}
    name = {"mean": "Their mean"}.get(rule, f"The {rule}")
    (text,) = texts
    assert text.endswith(f"with different grades. {name}, {expected}, is used.")


GRADE = st.none() | st.sampled_from([-1.0, 0.0, 0.5, 3.0])


@given(
    st.lists(st.tuples(st.sampled_from("ABC"), GRADE), min_size=1),
    st.sampled_from(["highest", "first", "last", "mean"]),
)
def test_any_judgments_in_conflict(rows, rule):
    """Each rule gives what Python gives over the grades of a document that are not blank."""
    columns = judgment_columns([("q", *row) for row in rows])
    evaluation, _ = join([replace(columns, duplicates=rule)], [])
    rules = {
        "highest": max,
        "first": lambda grades: grades[0],
        "last": lambda grades: grades[-1],
        "mean": statistics.mean,
    }
    for place, document in enumerate(dict.fromkeys(document for document, _ in rows)):
        own = [grade for each, grade in rows if each == document and grade is not None]
        assert evaluation.judgments.documents[place] == document
        np.testing.assert_allclose(
            evaluation.judgments.grade[place], rules[rule](own) if own else np.nan
        )


@pytest.mark.parametrize(
    ("grades", "part"),
    [
        ((1, 2, 4), "The lowest grade is 1, so"),
        ((1, 2, 4), "by gains of 1=0,2=1,4=3."),
        ((1, 2.33, 3), "by gains of 1=0,2.33=1.33,3=2."),
        (range(1, 20), "subtract 1 from each grade."),
        ((1, 1), None),
        ((1, 2), None),
        ((0, 1), None),
        ((0, 1, 2), None),
        ((0.5, 1, 2), None),
        ((-1, 2, 3), None),
        ((None, 3), None),
    ],
)
def test_a_scale_from_one(grades, part):
    """Where no grade is below 1 the worst documents gain, too, which is told once."""
    judged = [("q", f"d{place}", grade) for place, grade in enumerate(grades)]
    _, findings = joined(judged, [("q", "d0")])
    told = [each for each in findings if each.code == "scale-from-one"]
    assert [(each.level, part in each.text) for each in told] == [("note", True)] * bool(part)


def test_two_tables_of_judgments():
    """The second table's repetition is reported in that table, with its own rows."""
    first = judgment_columns(JUDGED, "first.csv")
    second = judgment_columns([("q", "C", 1), ("q", "A", 1)], "second.csv")
    evaluation, findings = join([first, second], [ranking_columns(RANKED)])
    (finding,) = findings
    assert (finding.code, finding.source.file, finding.row) == (
        "conflicting-judgment",
        "second.csv",
        3,
    )
    assert [entry.pair.tolist() for entry in evaluation.entries] == [[0, 1], [2, 0]]


def test_rows_without_a_document():
    """A judgment or a rank of no document makes no pair and no result."""
    evaluation, _ = joined([("q", "A", 1), ("q", "", 2)], [("q", "", None, 1), ("q", "A", None, 2)])
    assert len(evaluation.judgments) == 1
    assert values_of(evaluation) == {"q": 1.0}


def test_a_finding_is_not_told_twice():
    """A table that is both judgments and ranking names a row without a query once."""
    judgments = judgment_columns([*JUDGED, ("", "C", 1)], "both.csv")
    ranking = ranking_columns([*RANKED, ("", "C")], "both.csv")
    _, findings = join([judgments], [ranking])
    assert [each.code for each in findings] == ["no-query"]


def test_very_many_findings_are_cut_short():
    """Past a number of rows or queries one finding says how many more there are."""
    rows = [("", f"d{place}", 1) for place in range(MOST_ROWS + 1234)]
    _, findings = joined([*JUDGED, *rows], RANKED)
    assert len(findings) == MOST_ROWS + 1
    assert findings[-1].text == "… and 1,234 more rows."
    queries = [f"q{number:04}" for number in range(MOST_QUERIES + 50)]
    judged = [(query, "A", 1) for query in queries]
    for twice in (
        [(query, "A") for query in queries for _ in range(2)],
        [(query, name, s) for query in queries for name, s in (("A", 1), ("B", 1), ("C", 0))],
        [(query, name, None, r) for query in queries for name, r in (("A", 1), ("B", 1), ("C", 2))],
        [(query, name, None, rank) for query in queries for name, rank in (("A", 1), ("B", 3))],
        [(q, n, s, r) for q in queries for n, s, r in (("A", 1, 1), ("B", 2, 2), ("C", 0, 3))],
    ):
        _, findings = joined(judged, twice)
        assert len(findings) == MOST_QUERIES + 1
        assert findings[-1].text == "… and 50 more queries."


def test_row_findings_asks_for_the_place():
    """The text is asked for by place in the rows, and the finding names the file's row."""
    findings = row_findings("note", "x", Source("f", "s"), [7, 9], lambda place: f"at {place}")
    assert [(each.row, each.text) for each in findings] == [(7, "at 0"), (9, "at 1")]


@pytest.mark.parametrize(
    ("source", "row", "place"),
    [
        (None, None, ""),
        (Source("a.csv"), None, "a.csv"),
        (Source("a.csv"), 3, "a.csv, row 3"),
        (Source("a.xlsx", "S 1"), 3, "a.xlsx, sheet “S 1”, row 3"),
    ],
)
def test_the_place_of_a_finding(source, row, place):
    """File, sheet and row are named as far as they are known."""
    finding = Finding("note", "x", "Text.", source, row)
    assert finding.place == place
    assert str(finding) == (f"{place}: Text." if place else "Text.")


def test_disjoint():
    """Only judgments and a ranking that are both there can have no query in common."""
    evaluation, _ = joined(JUDGED, RANKED, [("x", "A")])
    assert not evaluation.disjoint(0)
    assert evaluation.disjoint(1)


def test_titles():
    """A query's text is the first that a file has for its id."""
    judgments = replace(
        judgment_columns([("1", "A", 1), ("2", "A", 1), ("1", "B", 2)]),
        query_text=["shoes", "hats", "boots"],
    )
    evaluation, _ = join([judgments], [])
    assert evaluation.titles == {0: "shoes", 1: "hats"}


# ---- grades, their pairs and where they came from


def test_pairs_and_what_changed():
    """Changed pairs are those whose grade is not the one that was read or last saved."""
    evaluation, _ = joined([("q", "A", 1), ("q", "B", None)], [("q", "A"), ("q", "X")])
    assert evaluation.changed_pairs().tolist() == []
    new = evaluation.pair_of(0, "X")
    assert evaluation.pair_of(0, "X") == new
    assert evaluation.changed_pairs().tolist() == []
    evaluation.set_grades([(0, 1.0), (1, 0.0), (new, 2.0)])
    assert evaluation.changed_pairs().tolist() == [1, 2]
    saved = judgment_columns([("q", "A", 1), ("q", "B", 0)])
    evaluation.mark_saved(evaluation.entries_of([saved]))
    assert evaluation.changed_pairs().tolist() == [2]
    evaluation.set_grades([(0, float("nan"))])
    assert evaluation.changed_pairs().tolist() == [0, 2]


def test_saved_is_what_the_files_hold():
    """A grade that no row of the saved files holds is not saved; of several rows the highest is."""
    evaluation, _ = joined([("q", "A", 1), ("q", "B", 2)], [("q", "A")])
    saved = judgment_columns([("q", "B", 0), ("q", "B", 2), ("other", "A", 1)])
    evaluation.mark_saved(evaluation.entries_of([saved]))
    assert evaluation.changed_pairs().tolist() == [0]


def test_a_frozen_evaluation_stays_as_it_was():
    """Grades, new documents and their scores do not reach what a thread is reading."""
    evaluation, _ = joined([("q", "A", 1), ("q", "B", 2)], [("q", "A"), ("q", "X"), ("q", "B")])
    before = values_of(evaluation)
    still = evaluation.frozen()
    evaluation.set_grades([(0, 2.0), (evaluation.pair_of(0, "X"), 3.0)])
    assert values_of(still) == before
    assert values_of(evaluation) != before
    assert still.judgments.grade.tolist() == [1.0, 2.0]
    assert still.changed_pairs().tolist() == []


def test_a_new_pair_is_known_to_every_ranking():
    """A document graded in one ranking is graded in all that return it."""
    evaluation, _ = joined([("q", "A", 3)], [("q", "X"), ("q", "A")], [("q", "A"), ("q", "X")])
    before = values_of(evaluation, 1)
    evaluation.scores(0)
    pair = evaluation.pair_of(0, "X")
    assert evaluation.set_grades([(pair, 3.0)]) == {0}
    assert values_of(evaluation, 0) == {"q": 1.0}
    assert before == values_of(evaluation, 1) == {"q": 1.0}


def test_binding_to_new_tables():
    """After saving elsewhere the rows of the new tables belong to the same pairs."""
    evaluation, _ = joined(JUDGED, RANKED)
    table = judgment_columns([("q", "B", 1), ("other", "A", 1), ("q", "A", 3)], "new.csv")
    evaluation.entries = evaluation.entries_of([table])
    (entry,) = evaluation.entries
    assert entry.columns is table
    assert entry.pair.tolist() == [1, -1, 0]


def test_scores_that_only_64_bits_tell_apart():
    """Scores that pytrec_eval would take for ties are told, since its figure then differs."""
    near = [("q1", "A", 1.0), ("q1", "B", 1.0 + 1e-12), ("q1", "C", 0.5)]
    _, findings = joined(JUDGED, near)

    assert [f.code for f in findings if f.code == "near-ties"] == ["near-ties"]
