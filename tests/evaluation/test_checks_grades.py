"""Grades off their scale, on different scales, or upside down are told, and others are not."""

import numpy as np
import pytest
from build import joined, judgment_columns
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.evaluation.checks_grades import different_scales, usual_top
from ndcg_desktop.evaluation.columns import Source
from ndcg_desktop.evaluation.join import join


def told(rows, code, *rankings):
    """The findings of a code."""
    return [finding for finding in joined(rows, *rankings)[1] if finding.code == code]


def graded(grades, query="q"):
    """Judgments of one query with these grades."""
    return [(query, f"{query} {place}", grade) for place, grade in enumerate(grades)]


def queries_graded(grades, number):
    """Judgments of several queries, each with these grades."""
    return [row for query in range(number) for row in graded(grades, f"q{query}")]


def test_a_typing_error():
    """A lone 22 among grades of 0 to 3 is told with its row, and kept."""
    rows = graded([0, 1, 2, 3] * 5)
    (finding,) = told([*rows, ("q", "X", 22)], "grade-off-scale")
    assert (finding.level, finding.row) == ("warning", 22)
    assert "“X”" in finding.text
    assert "up to 3" in finding.text
    assert joined([*rows, ("q", "X", 22)])[0].judgments.grade[-1] == 22


@pytest.mark.parametrize("grade", [33, 22, 30, 10, 21])
def test_a_typing_error_among_few(grade):
    """In a short file too, where the highest grade has two digits that are grades each."""
    (finding,) = told(graded([3, 0, 2, grade, 1]), "grade-off-scale")
    assert finding.row == 5
    assert "up to 3" in finding.text
    (finding,) = told(graded([3, 0, 33, 1]), "grade-off-scale")
    assert finding.row == 4


@pytest.mark.parametrize(
    "grades",
    [
        [0, 1, 2, 3] * 5 + [4],
        [0, 1, 2, 3] * 5 + [22] * 5,
        [0, 1, 10] * 10 + [100],
        [0, 0.5, 2.5] * 10 + [22],
        [0, 1, 22],
        [0, 3, 1, 12],
        [0, 1, 1, 10],
        [0, 5, 10, 15],
        [3, 33],
        [0, 3, 33, 33],
        [0] * 30 + [3],
        list(range(11)) * 3,
    ],
)
def test_a_scale_that_has_room(grades):
    """A rare top grade, powers of ten, and grades that come often are on the scale."""
    assert told(graded(grades), "grade-off-scale") == []


def test_a_query_on_another_scale():
    """A query graded 0 to 100, or in parts of 1, among others graded 0 to 3 is told."""
    rows = queries_graded([0, 1, 2, 3], 6)
    for odd in ([0, 50, 100, 70], [0.2, 0.4, 1.0]):
        (finding,) = told([*rows, *graded(odd, "odd")], "mixed-scales")
        assert finding.row == len(rows) + 2
        assert "“odd”" in finding.text
        assert f"up to {max(odd):g}" in finding.text
    for fine in ([0, 1, 1, 0], [4, 3, 2, 4], [0.5, 3, 1, 1]):
        assert told([*rows, *graded(fine, "fine")], "mixed-scales") == []
    halves = queries_graded([0, 0.5, 1.5, 3], 6)
    assert told([*halves, *graded([0.5, 0.5, 1], "low")], "mixed-scales") == []


def test_tables_on_different_scales():
    """Two tables of judgments whose grades reach 3 and 100 are told, 3 and 4 are not."""
    first = judgment_columns(queries_graded([0, 1, 2, 3], 6), "first.csv")
    for top, count in ((100, 1), (4, 0)):
        second = judgment_columns(
            [(q, f"other {d}", g * top / 3) for q, d, g in queries_graded([0, 0, 3, 3], 6)],
            "second.csv",
        )
        _, findings = join([first, second], [])
        found = [each for each in findings if "second.csv" in each.text]
        assert len(found) == count
        assert {each.code for each in found} <= {"mixed-scales"}


def test_graders_on_different_scales():
    """Graders are compared only where each has graded enough, and blanks do not count."""
    three, ten = np.array([0.0, 1, 2, 3] * 6), np.array([0.0, 4, 7, 10] * 6)
    (finding,) = different_scales({"Ann": three, "Bob": ten}, Source("a.csv"))
    assert "Ann up to 3; Bob up to 10" in finding.text
    assert different_scales({"Ann": three, "Bob": three}, None) == []
    few = np.where(np.arange(24) < 10, ten, np.nan)
    assert different_scales({"Ann": three, "Bob": few}, None) == []


def test_scores_in_place_of_grades():
    """Many different fractions are told; means of graders and whole numbers are not."""
    rng = np.random.default_rng(1)
    assert len(told(graded(rng.random(40).tolist()), "grades-like-scores")) == 1
    thirds = (rng.integers(0, 10, 40) / 3).tolist()
    assert told(graded(thirds), "grades-like-scores") == []
    assert told(graded(list(range(40))), "grades-like-scores") == []
    assert told(graded(rng.random(10).tolist()), "grades-like-scores") == []


def test_grades_too_large_for_exponential_gain():
    """Grades of 100 are noted, grades up to 10 and a lone typing error are not."""
    (finding,) = told(graded([100, 10, 1, 0]), "exponential-unsuited")
    assert finding.level == "note"
    assert told(graded([0, 5, 10]), "exponential-unsuited") == []
    assert told(graded([0, 1, 2, 3] * 5 + [22]), "exponential-unsuited") == []


def ranked(grades, number):
    """Queries whose documents are ranked in the order of these grades."""
    rows = queries_graded(grades, number)
    return rows, [(query, document) for query, document, _ in rows]


def test_a_scale_upside_down():
    """Where the best grades stand last in ten queries that is told with its figures."""
    rows, ranking = ranked([0, 1, 1, 2, 3], 10)
    (finding,) = told(rows, "scale-reversed", ranking)
    # Grades 0 1 1 2 3 at places 1 to 5: 7 / sqrt(10 * 5.2) = 0.97.
    assert "In 10 of 10 queries" in finding.text
    assert "is 0.97" in finding.text
    assert finding.source.file == "run.csv"


def test_a_scale_the_right_way():
    """Good rankings, few queries, equal grades, and as many up as down are not told."""
    for grades, number in (([3, 2, 1, 1, 0], 12), ([0, 1, 1, 2, 3], 9), ([1, 1, 1, 1], 12)):
        rows, ranking = ranked(grades, number)
        assert told(rows, "scale-reversed", ranking) == []
    up, down = ranked([0, 1, 1, 2, 3], 12), ranked([3, 2, 1, 1, 0], 24)
    rows = up[0] + down[0][len(up[0]) :]
    ranking = up[1] + down[1][len(up[1]) :]
    assert told(rows, "scale-reversed", ranking) == []


def test_the_usual_top():
    """The top of a scale is its highest grade, but for one or two far above all others."""
    assert usual_top(np.array([0, 1, 2, 3.0] * 5)) == 3
    assert usual_top(np.array([0, 1, 2, 3.0] * 5 + [33, 22])) == 3
    assert usual_top(np.array([0, 1, 2, 3.0] * 5 + [33, 22, 23])) == 33
    assert usual_top(np.array([0, 1.0])) == 1


NEW = {
    "near-miss-query", "near-miss-document", "query-two-texts", "text-two-queries",
    "document-two-titles", "id-scientific", "id-rounded", "id-date", "id-lost-zeros",
    "id-placeholder", "grade-off-scale", "mixed-scales", "grades-like-scores", "scale-reversed",
    "exponential-unsuited", "rank-restart", "rank-constant", "rank-from-zero",
    "rank-score-reversed", "scores-equal", "short-ranking",
}  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    queries=st.integers(1, 30),
    documents=st.integers(1, 20),
    top=st.sampled_from((1, 2, 3, 4, 10)),
    names=st.sampled_from(("q{}", "{}", "query {}", "2024-{}", "shoes {} x")),
    ids=st.sampled_from(("D{}", "{}", "B0{:06}", "https://shop.example/p/{}", "doc-{}-a")),
    form=st.sampled_from(("rank", "score", "both", "rows")),
)
def test_clean_data_give_no_finding(seed, queries, documents, top, names, ids, form):
    """Whatever their ids and scale, judgments and a ranking that fit give no such finding."""
    rng = np.random.default_rng(seed)
    judged, ranking = [], []
    for query in range(queries):
        name = names.format(query + 1)
        numbers = rng.choice(100_000, documents + 5, replace=False)
        grades = -np.sort(-rng.integers(0, top + 1, documents + 5))
        for place, (number, grade) in enumerate(zip(numbers, grades, strict=True)):
            document = ids.format(number)
            if rng.random() < 0.8:
                judged.append((name, document, float(grade)))
            if place < documents:
                score = 1 / (place + 1) if form in ("score", "both") else None
                rank = place + 1 if form in ("rank", "both") else None
                ranking.append((name, document, score, rank))
    assert {finding.code for finding in joined(judged, ranking)[1]} & NEW == set()


def two_tables(first, second):
    """The levels and texts of scales that differ, for two tables with these grades in turn."""
    tables = [
        judgment_columns(
            [(f"q{n % 3}", f"{name} {n}", grade) for n, grade in enumerate(grades)], name
        )
        for name, grades in (("first.csv", first), ("second.csv", second))
    ]
    return [(e.level, e.text) for e in join(tables, [])[1] if e.code == "mixed-scales"]


def test_tables_of_scales_that_are_shifted():
    """Grades 0 to 4 in one table and 1 to 5 in another, for the same queries, are told."""
    ((level, text),) = two_tables([0, 1, 2, 3, 4] * 3, [1, 2, 3, 4, 5] * 3)
    assert level == "warning"
    assert "“first.csv” from 0 to 4; “second.csv” from 1 to 5" in text
    assert two_tables([0, 1, 2, 3, 4] * 3, [0, 1, 2, 3, 4, 5] * 3) == []
    assert two_tables([0, 1, 2, 3, 4] * 3, [1, 2, 3, 4] * 3) == []
    assert two_tables([0, 1, 2, 3, 4] * 3, [1, 2, 3, 5]) == []


def narrow(wide, other, number):
    """Scales that differ, for six queries with some grades and several with others."""
    rows = queries_graded(wide, 6)
    rows += [row for query in range(number) for row in graded(other, f"narrow {query}")]
    return [(each.level, each.row) for each in told(rows, "mixed-scales")]


def test_queries_of_two_grades_among_others_of_four():
    """Several queries graded 0 and 1 only, with documents enough, are noted at the first."""
    wide, other = [0, 1, 2, 3, 2, 3], [0, 1, 1, 1, 1]
    assert narrow(wide, other, 2) == [("note", 6 * len(wide) + 2)]
    assert narrow(wide, other, 1) == []
    assert narrow(wide, [0, 1, 1, 1], 2) == []
    assert narrow([0, 1, 1, 1, 1, 2], other, 2) == []
    assert narrow([0, 1, 1, 1, 1, 3], [0, 1, 0, 0, 0], 2) == []
