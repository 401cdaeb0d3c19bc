"""The rows of agreement: which there are, of whom, and why one has no value."""

import math
from dataclasses import astuple

import numpy as np
import pytest

from ndcg_desktop.evaluation.agreement import (
    FEW_JUDGES,
    MOST_GRADES,
    MOST_IN_PAIRS,
    agreements,
    agreements_of,
    confusion_of,
)
from ndcg_desktop.evaluation.votes import Votes
from ndcg_desktop.scoring.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha

NONE = math.nan
SCALE = [0.0, 1.0, 2.0, 3.0]
OF_ALL = [
    "Krippendorff's α, nominal",
    "Krippendorff's α, ordinal",
    "Krippendorff's α, interval",
    "Fleiss' κ",
]
OF_A_PAIR = ["Cohen's κ", "Cohen's κ, linear weights", "Cohen's κ, quadratic weights"]
GRADES = np.array(
    [
        [0.0, 1.0, 3.0, 3.0, 2.0, NONE, 1.0],
        [0.0, 1.0, 1.0, 3.0, NONE, 1.0, 0.0],
        [1.0, 1.0, 3.0, 2.0, NONE, 0.0, 3.0],
    ]
)


def test_two_judges():
    """Two judges have every measure once, by their names, with the documents both graded."""
    rows = list(agreements(["Alice", "Bob"], GRADES[:2], SCALE))
    assert [row.name for row in rows] == OF_ALL + OF_A_PAIR
    judges = [row.judges for row in rows]
    assert judges == ["Alice and Bob"] * 3 + ["2 grades per document"] + ["Alice and Bob"] * 3
    assert {row.n for row in rows} == {5}
    assert {row.note for row in rows} == {""}


def test_each_row_has_the_value_of_its_name():
    """Each measure is under its own name, for all judges and for each pair in turn."""
    rows = [astuple(row) for row in agreements(["A", "B", "C"], GRADES, SCALE)]
    expected = [
        (name, "3 judges", *krippendorff_alpha(GRADES, level), "")
        for name, level in zip(OF_ALL, ("nominal", "ordinal", "interval"), strict=False)
    ]
    fleiss = fleiss_kappa(GRADES)
    expected.append((OF_ALL[3], "3 grades per document", fleiss.value, fleiss.n, ""))
    for judges, a, b in (("A and B", 0, 1), ("A and C", 0, 2), ("B and C", 1, 2)):
        for name, weights in zip(OF_A_PAIR, ("none", "linear", "quadratic"), strict=True):
            kappa = cohen_kappa(GRADES[a], GRADES[b], weights, np.array(SCALE))
            expected.append((name, judges, *kappa, ""))
    assert rows == expected
    # None of the rows could be mistaken for another.
    assert len({row[2] for row in rows}) == len(rows)


def test_grades_off_the_scale_are_steps():
    """A grade off the scale is counted, and lies between its neighbours for the weights; so does a
    grade of the scale that nobody gave.
    """
    grades = np.array([[0.0, 2.5, 3.0, -1.0], [0.0, 3.0, 3.0, 0.0]])
    linear = list(agreements(["A", "B"], grades, SCALE))[5]
    categories = np.array([-1.0, 0.0, 1.0, 2.0, 2.5, 3.0])
    assert (linear.value, linear.n) == cohen_kappa(*grades, "linear", categories)
    assert linear.value != pytest.approx(cohen_kappa(*grades, "linear")[0], abs=0.01)


@pytest.mark.parametrize("judges", [0, 1])
def test_fewer_than_two_judges(judges):
    """One judge cannot agree or disagree: there are no rows."""
    assert list(agreements(["A"][:judges], np.ones((judges, 3)), SCALE)) == []


def test_why_there_is_no_value():
    """A row without a value says whether there was no document, or only one grade."""
    apart = list(agreements(["A", "B"], np.array([[1.0, NONE], [NONE, 2.0]]), SCALE))
    assert [row.note for row in apart] == ["no document graded twice"] * 4 + [
        "no document in common"
    ] * 3
    assert {(row.judges, row.n) for row in apart} == {("A and B", 0)}
    alike = list(agreements(["A", "B"], np.ones((2, 5)), SCALE))
    assert {(row.note, row.n) for row in alike} == {("every grade is the same", 5)}
    assert all(math.isnan(row.value) for row in apart + alike)


@pytest.mark.parametrize("judges", [FEW_JUDGES, FEW_JUDGES + 1])
def test_pairs_without_a_common_document(judges):
    """Pairs that share no document are listed among ten judges, and left out among more."""
    grades = np.full((judges, judges), NONE)
    np.fill_diagonal(grades, 1.0)
    grades[:2, 0] = grades[:2, 1] = 1.0, 2.0
    names = [f"judge {number}" for number in range(judges)]
    pairs = list(agreements(names, grades, SCALE))[4:]
    shared = [row for row in pairs if row.judges == "judge 0 and judge 1"]
    assert [(row.name, row.n) for row in shared] == [(name, 2) for name in OF_A_PAIR]
    others = [row for row in pairs if row not in shared]
    assert len(others) == (3 * (judges * (judges - 1) // 2 - 1) if judges <= FEW_JUDGES else 0)
    assert {row.note for row in others} <= {"no document in common"}


def votes_of(grades: np.ndarray) -> Votes:
    """Votes of a row for each judge."""
    judge, pair = np.nonzero(~np.isnan(grades))
    names = [f"judge {number}" for number in range(len(grades))]
    return Votes(names, pair, judge, grades[judge, pair], "mean")


def random_grades(judges: int, documents: int = 40) -> np.ndarray:
    """Grades of many judges, who left out more of the documents the later they come."""
    generator = np.random.default_rng(judges)
    grades = generator.integers(0, 4, (judges, documents)).astype(float)
    grades[generator.random(grades.shape) < np.linspace(0.2, 0.9, judges)[:, None]] = NONE
    return grades


@pytest.mark.parametrize("judges", [3, MOST_IN_PAIRS])
def test_agreement_of_votes(judges):
    """The rows of votes are those of their matrix, without judges who have graded nothing."""
    grades = np.vstack([random_grades(judges), np.full(40, NONE)])
    names = [f"judge {number}" for number in range(judges)]
    rows = agreements_of(votes_of(grades), SCALE)
    assert [astuple(row) for row in rows] == [
        astuple(row) for row in agreements(names, grades[:-1], SCALE)
    ]


def test_agreement_of_a_crowd():
    """Of more judges the measures of all are of all, and pairs are of those with most grades."""
    grades = random_grades(MOST_IN_PAIRS + 1)
    rows = agreements_of(votes_of(grades), SCALE)
    names = [f"judge {number}" for number in range(len(grades))]
    whole = list(agreements(names, grades, SCALE))
    for row, wanted in zip(rows[:4], whole[:4], strict=True):
        assert (row.name, row.judges, row.n) == (wanted.name, wanted.judges, wanted.n)
        assert row.value == pytest.approx(wanted.value, rel=1e-12)
    counts = np.count_nonzero(~np.isnan(grades), axis=1)
    most = np.argsort(-counts, kind="stable")[:FEW_JUDGES].tolist()
    pairs = {frozenset((names[a], names[b])) for a in most for b in most if a != b}
    assert {frozenset(row.judges.split(" and ")) for row in rows[4:]} == pairs
    by_key = {(row.name, frozenset(row.judges.split(" and "))): row for row in whole[4:]}
    for row in rows[4:]:
        wanted = by_key[row.name, frozenset(row.judges.split(" and "))]
        assert (row.value, row.n) == pytest.approx((wanted.value, wanted.n))


def test_agreement_given_up():
    """Once it is cancelled no further measure is computed."""
    asked = iter([False, False, True])
    assert len(agreements_of(votes_of(GRADES), SCALE, lambda: next(asked))) == 2


def test_confusion():
    """Documents are counted by what each of two judges gave, where both gave something."""
    found = confusion_of(votes_of(GRADES), "judge 0", "judge 2", [0.0, 1.0, 2.0, 3.0, 4.0])
    assert found.grades == (0.0, 1.0, 2.0, 3.0, 4.0)
    assert found.n == 5
    assert found.counts is not None
    counted = {(i, j): n for (i, j), n in np.ndenumerate(found.counts) if n}
    assert counted == {(0, 1): 1, (1, 1): 1, (3, 3): 1, (3, 2): 1, (1, 3): 1}


def test_confusion_of_too_many_grades():
    """More grades than a table has room for are no table; the documents are counted."""
    grades = np.arange(2.0 * (MOST_GRADES + 1)).reshape(2, -1)
    found = confusion_of(votes_of(grades), "judge 0", "judge 1", [0.0, 1.0])
    assert (found.counts, found.n) == (None, MOST_GRADES + 1)
