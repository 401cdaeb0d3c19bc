"""Votes against a plain model of them: dictionaries, and Python's own statistics."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.evaluation.votes import (
    ONE_JUDGE,
    RULES,
    VERDICT,
    Votes,
    is_rule,
    merged_grades,
    rule_words,
)

PAIRS = 4
JUDGES = ("Ann", "Bob", "Cyd", "Dee")
NONE = math.nan
ALL_RULES = [*RULES, *(ONE_JUDGE + name for name in (*JUDGES, "nobody"))]

# Sums of these are exact, so that a mean is the same in any order.
GRADES = st.sampled_from((NONE, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 0.5, -1.0))
OWNERS = st.sampled_from((*JUDGES, VERDICT))
ROWS = st.lists(st.tuples(st.integers(0, PAIRS - 1), OWNERS, GRADES), max_size=14)
SET = st.tuples(st.just("set"), st.integers(0, PAIRS - 1), OWNERS, GRADES)
STEPS = st.lists(
    st.one_of(SET, SET, SET, st.tuples(st.sampled_from(("save", "freeze", "begin save")))),
    max_size=25,
)


def votes_of(rows, rule="mean") -> Votes:
    """Votes of rows (pair, judge, grade), as a reader gives them: judges by first appearance."""
    judges, *arrays = columns_of(rows)
    return Votes(judges, *arrays, rule)


def columns_of(rows):
    """The same rows as columns, with the names that the judge numbers stand for."""
    judges = list(dict.fromkeys(judge for _, judge, _ in rows))
    return (
        judges,
        np.array([pair for pair, _, _ in rows], dtype=np.int64),
        np.array([judges.index(judge) for _, judge, _ in rows], dtype=np.int64),
        np.array([grade for _, _, grade in rows], dtype=np.float64),
    )


class Model:
    """What votes are: of each pair a dictionary of judges, with grade and time."""

    def __init__(self, rows) -> None:
        self.now = {pair: {} for pair in range(PAIRS)}
        for at, (pair, judge, grade) in enumerate(rows):
            if not math.isnan(grade):
                self.now[pair][judge] = (grade, at)
        self.saved = {pair: dict(votes) for pair, votes in self.now.items()}
        self.before: dict[int, list[tuple[str, dict]]] = {pair: [] for pair in range(PAIRS)}
        self.clock = len(rows)
        self.given: dict[tuple[int, str], tuple[set, bool]] = {}  # grades, and all taken back
        self.kept: dict[tuple[int, str], tuple[float, int]] = {}

    def grade(self, pair, judge):
        """The grade of a judge, None for none."""
        return self.now[pair].get(judge, (None, 0))[0]

    def set(self, pair, judge, grade) -> None:
        """Grade, or take the last step back."""
        grade = None if math.isnan(grade) else grade
        if grade == self.grade(pair, judge):
            return
        grades, _ = self.given.get((pair, judge), (set(), False))
        self.given[pair, judge] = grades | {grade}, False
        if self.before[pair]:
            who, state = self.before[pair][-1]
            if who == judge and state.get(judge, (None, 0))[0] == grade:
                self.now[pair] = self.before[pair].pop()[1]
                steps = [name for name, _ in self.before[pair]]
                read = self.now[pair].get(judge) == self.saved[pair].get(judge)
                self.given[pair, judge] = grades | {grade}, judge not in steps and read
                return
        self.before[pair].append((judge, dict(self.now[pair])))
        self.clock += 1
        self.now[pair].pop(judge, None)
        if grade is not None:
            self.now[pair][judge] = (grade, self.clock)

    def cells(self):
        """A file that has a cell for each pair and judge: rows as a reader gives them."""
        owners = (*JUDGES, VERDICT)
        return [
            (pair, judge, NONE if (grade := self.grade(pair, judge)) is None else grade)
            for pair in range(PAIRS)
            for judge in owners
        ]

    def mark_saved(self, rows) -> None:
        """These rows are in the file; what was given here was given after them, and stays so."""
        fresh, self.clock = Model(rows), self.clock + len(rows)
        for (pair, judge), (grades, back) in self.given.items():
            own, there = self.now[pair].get(judge), fresh.grade(pair, judge)
            if own is not None and not back:
                self.kept[pair, judge] = own
            if self.grade(pair, judge) != there and (not back or there in grades):
                fresh.now[pair].pop(judge, None)
                if own is not None:
                    fresh.now[pair][judge] = (own[0], own[1] + len(rows))
                fresh.given[pair, judge] = {self.grade(pair, judge)}, False
        for (pair, judge), (grade, at) in self.kept.items():
            fresh.kept[pair, judge] = (grade, at + len(rows))
            if fresh.saved[pair].get(judge, (None, 0))[0] == grade == fresh.grade(pair, judge):
                fresh.now[pair][judge] = fresh.kept[pair, judge]
        self.given, self.kept = fresh.given, fresh.kept
        self.now, self.saved, self.before = fresh.now, fresh.saved, fresh.before

    def merged(self, pair, rule, verdicts=True) -> float:
        """One grade of a pair's votes."""
        votes = dict(self.now[pair])
        verdict = votes.pop(VERDICT, None)
        if verdict is not None and verdicts:
            return verdict[0]
        if rule.startswith(ONE_JUDGE):
            return votes.get(rule.removeprefix(ONE_JUDGE), (NONE, 0))[0]
        if not votes:
            return NONE
        grades = [grade for grade, _ in votes.values()]
        return {
            "mean": lambda: statistics.fmean(grades),
            "median": lambda: statistics.median(grades),
            "majority": lambda: min(statistics.multimode(grades)),
            "min": lambda: min(grades),
            "max": lambda: max(grades),
            "last": lambda: max(votes.values(), key=lambda vote: vote[1])[0],
        }[rule]()

    def changed(self) -> set[tuple[int, str]]:
        """What no file holds."""
        return {
            (pair, judge)
            for pair in range(PAIRS)
            for judge in (*JUDGES, VERDICT)
            if self.grade(pair, judge) != self.saved[pair].get(judge, (None, 0))[0]
        }


def assert_same(votes: Votes, model: Model) -> None:
    """Every question has the same answer."""
    for rule in ALL_RULES:
        votes.rule = rule
        expected = [model.merged(pair, rule) for pair in range(PAIRS)]
        np.testing.assert_array_equal(votes.merged(PAIRS), expected)
        np.testing.assert_array_equal([votes.merged_of(pair) for pair in range(PAIRS)], expected)
        alone = [model.merged(pair, rule, verdicts=False) for pair in range(PAIRS)]
        np.testing.assert_array_equal(votes.merged(PAIRS, rule, verdicts=False), alone)
    plain = {
        pair: {judge: grade for judge, (grade, _) in given.items() if judge != VERDICT}
        for pair, given in model.now.items()
    }
    assert [votes.of_pair(pair) for pair in range(PAIRS)] == list(plain.values())
    assert set(votes.changed()) == model.changed()
    assert len(votes.changed()) == len(model.changed())
    assert_same_counts(votes, model, plain)


def assert_same_counts(votes: Votes, model: Model, plain: dict[int, dict[str, float]]) -> None:
    """The same of numbers and of who graded what."""
    sizes = [len(given) for given in plain.values() if given]
    assert votes.spread == ((min(sizes), max(sizes)) if sizes else (0, 0))
    ruled = [pair for pair in range(PAIRS) if VERDICT in model.now[pair]]
    assert votes.verdicts == len(ruled)
    assert sorted(votes.pairs_of(VERDICT).tolist()) == ruled
    for judge in JUDGES:
        own = [pair for pair in range(PAIRS) if judge in plain[pair]]
        assert votes.counts().get(judge, 0) == len(own)
        assert sorted(votes.pairs_of(judge).tolist()) == own
        for pair in range(PAIRS):
            assert votes.get(pair, judge) == pytest.approx(
                plain[pair].get(judge, NONE), nan_ok=True
            )
    differ = [pair for pair in range(PAIRS) if len(set(plain[pair].values())) > 1]
    assert votes.disagreements().tolist() == differ
    every = {grade for given in model.now.values() for grade, _ in given.values()}
    assert votes.grades().tolist() == sorted(every)
    assert_same_matrices(votes, plain)


def assert_same_matrices(votes: Votes, plain: dict[int, dict[str, float]]) -> None:
    """The same of what agreement is measured by."""
    for names, least in ((JUDGES, 2), (("Cyd", "Ann"), 2), (("Bob", "nobody"), 1)):
        known = list(votes.judges)
        columns = [
            [given.get(name, NONE) for name in names]
            for given in plain.values()
            if sum(name in given for name in names) >= least
        ]
        expected = np.array(columns, dtype=float).reshape(-1, len(names)).T
        np.testing.assert_array_equal(votes.matrix(names, least), expected)
        assert votes.judges == known  # to ask makes no judge
    stacks = [sorted(given.values()) for given in plain.values() if len(given) >= 2]
    stacked = votes.stacked().T
    assert [sorted(column[~np.isnan(column)].tolist()) for column in stacked] == stacks


@given(ROWS, STEPS)
@settings(max_examples=120)
def test_votes_are_as_their_model(rows, steps):
    """Reading, grading, verdicts, saving with grades given meanwhile, and copies of all that."""
    votes, model = votes_of(rows), Model(rows)
    assert_same(votes, model)
    frozen = []
    written = None
    for step, *values in steps:
        if step == "set":
            votes.set(*values)
            model.set(*values)
        elif step == "freeze":
            frozen.append((votes.frozen(), [model.merged(p, "last") for p in range(PAIRS)]))
        elif step == "begin save":
            written = model.cells()
        else:
            saved = model.cells() if written is None else written
            votes.mark_saved(*columns_of(saved))
            model.mark_saved(saved)
            written = None
    assert_same(votes, model)
    for copy, expected in frozen:
        np.testing.assert_array_equal(copy.merged(PAIRS, "last"), expected)
        copy.set(0, "Zoe", 9.0)
        copy.rule = "max"
    assert_same(votes, model)


@given(ROWS, st.lists(SET, min_size=1, max_size=12), st.data())
@settings(max_examples=120)
def test_undo_and_redo_lead_back(rows, sets, data):
    """Old grades given back in reverse order restore the grade under every rule, by time too; and
    the new ones given again lead where they led before.
    """
    votes = votes_of(rows)
    states, done = [merged(votes)], []
    for _, pair, judge, grade in sets:
        old = votes.get(pair, judge)
        if old == grade or (math.isnan(old) and math.isnan(grade)):
            continue  # no step is made of an edit that changes nothing
        votes.set(pair, judge, grade)
        done.append((pair, judge, old, grade))
        states.append(merged(votes))
    at = len(done)
    for _ in range(12):
        back = data.draw(st.booleans())
        if back and at:
            at -= 1
            pair, judge, old, _ = done[at]
            votes.set(pair, judge, old)
        elif not back and at < len(done):
            pair, judge, _, new = done[at]
            votes.set(pair, judge, new)
            at += 1
        np.testing.assert_array_equal(merged(votes), states[at])


def merged(votes: Votes) -> np.ndarray:
    """The grades under every rule."""
    return np.array([votes.merged(PAIRS, rule) for rule in ALL_RULES])


def test_what_is_given_after_a_save_is_later_than_the_file():
    """A file with many blank cells has not more of the past than what is graded now."""
    votes = votes_of([(0, "Ann", 1.0)], "last")
    cells = [(pair, judge, NONE) for pair in range(100) for judge in ("Bob", "Cyd")]
    votes.mark_saved(*columns_of([*cells, (0, "Ann", 1.0)]))
    votes.set(0, "Bob", 3.0)
    assert votes.merged_of(0) == votes.merged(1)[0] == 3.0


def test_what_is_given_during_a_save_is_later_than_the_file():
    """A grade that came while the file was written is the last one, however long the file is."""
    votes = votes_of([(0, "Ann", 1.0)], "last")
    votes.set(0, "Bob", 3.0)
    cells = [(pair, "Cyd", NONE) for pair in range(100)]
    votes.mark_saved(*columns_of([*cells, (0, "Ann", 1.0)]))
    assert votes.changed() == [(0, "Bob")]
    assert votes.merged_of(0) == votes.merged(1)[0] == 3.0


def test_a_verdict_may_have_a_capital():
    """“Verdict” is the verdict whichever way it is asked for, and nobody's vote."""
    votes = votes_of([(0, "Verdict", 3.0), (0, "Ann", 1.0)])
    assert votes.judges == ["Ann"]
    assert votes.get(0, "Verdict") == votes.get(0, VERDICT) == 3.0
    assert votes.pairs_of("Verdict").tolist() == [0]
    votes.set(0, "VERDICT", NONE)
    assert (votes.verdicts, votes.merged_of(0)) == (0, 1.0)


def test_the_last_of_a_judges_own_rows_counts():
    """Somebody who graded a document twice has one vote, at the place of the second."""
    votes = votes_of([(0, "Ann", 1.0), (0, "Bob", 2.0), (0, "Ann", 3.0)])
    assert votes.of_pair(0) == {"Ann": 3.0, "Bob": 2.0}
    assert votes.merged(1, "last").tolist() == [3.0]


def test_more_judges_than_there_are_numbers(monkeypatch):
    """Too many judges are refused, and not confused with one another."""
    monkeypatch.setattr("ndcg_desktop.evaluation.votes.MOST_JUDGES", 2)
    votes = votes_of([(0, "Ann", 1.0), (0, "Bob", 2.0)])
    with pytest.raises(ValueError, match="more than 2 judges"):
        votes.set(0, "Cyd", 1.0)
    assert votes.of_pair(0) == {"Ann": 1.0, "Bob": 2.0}


def test_nothing_taken_back_is_nothing():
    """A judge without a vote who takes it back is no judge for that, and nothing changes."""
    votes = votes_of([(0, "Ann", 1.0)])
    votes.set(0, "Bob", NONE)
    assert (votes.judges, votes.changed()) == (["Ann"], [])


def test_names_of_rules():
    """A rule is called by its word, a judge's by the name; nothing else is a rule."""
    assert rule_words("majority") == "majority (of several the lowest)"
    assert rule_words("judge:Ann: B") == "grades of Ann: B"
    assert [is_rule(text) for text in ("mean", "judge:Ann", "judge:", "sum", "")] == [
        True,
        True,
        False,
        False,
        False,
    ]


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-9, 9, width=16)), max_size=30))
def test_merged_grades_of_many(rows):
    """The one grade of a pair is that of Python's statistics, to the last digits for a mean."""
    pair = np.array([p for p, _ in rows], dtype=np.int64)
    grade = np.array([g for _, g in rows], dtype=np.float64)
    for rule, expected in (
        ("mean", statistics.fmean),
        ("median", statistics.median),
        ("majority", lambda grades: min(statistics.multimode(grades))),
        ("last", lambda grades: grades[-1]),
    ):
        own = [[g for p, g in rows if p == number] for number in range(4)]
        wanted = [expected(grades) if grades else NONE for grades in own]
        assert merged_grades(pair, grade, 4, rule) == pytest.approx(wanted, nan_ok=True)
