"""Scales: what is none, what a file holds of one, which key gives what, and grades off a scale."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from build import evaluation_of, judgment_columns
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.evaluation.columns import VoteColumns
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.findings import MOST_QUERIES
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.evaluation.scale import (
    BUILT_IN,
    MOST_LEVELS,
    Level,
    Scale,
    ScaleError,
    count_off_scale,
    off_scale,
    suggested_scale,
)

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)


def scale_of(*grades: float) -> Scale:
    """A scale without names."""
    return Scale("some", tuple(map(Level, grades)))


def graded(grades: Sequence[float | None]) -> Evaluation:
    """An evaluation of one query with these grades."""
    return evaluation_of([("q", f"d{place}", grade) for place, grade in enumerate(grades)])


def labelled(words: Mapping[float, str], grades: Sequence[float]) -> Evaluation:
    """The same from a file that writes words."""
    columns = judgment_columns([("q", f"d{place}", grade) for place, grade in enumerate(grades)])
    return join([replace(columns, label_of=dict(words))], [])[0]


def voted(votes: Sequence[Sequence[float]]) -> Evaluation:
    """An evaluation of documents that two people graded, the mean of theirs being the grade."""
    grade = np.array(votes, dtype=np.float64)
    places = np.repeat(np.arange(len(grade)), 2)
    columns = judgment_columns(
        [("q", f"d{each}", float(m)) for each, m in enumerate(grade.mean(1))]
    )
    judges = np.tile([0, 1], len(grade))
    held = VoteColumns(
        ("Ann", "Ben"), places, judges, grade.ravel(), places + 2, judges + 2, "mean"
    )
    return join([replace(columns, votes=held)], [])[0]


@st.composite
def scales(draw: st.DrawFn) -> Scale:
    """Any scale."""
    grades = draw(st.lists(NUMBERS, min_size=2, max_size=MOST_LEVELS, unique=True))
    levels = tuple(Level(grade, draw(TEXTS), draw(TEXTS)) for grade in grades)
    return Scale(draw(TEXTS), levels, draw(TEXTS))


class TestScale:
    """What a scale is."""

    @pytest.mark.parametrize(
        ("grades", "why"),
        [
            ((), "from 2 to 10"),
            ((1.0,), "from 2 to 10"),
            (tuple(range(11)), "from 2 to 10"),
            ((0.0, math.nan), "is a number"),
            ((0.0, math.inf), "is a number"),
            ((0.0, 2.0, 1.0, 2.0), "grade 2 stands twice"),
            ((0.0, -0.0), "grade 0 stands twice"),
        ],
    )
    def test_what_is_none_is_refused_in_words(self, grades: tuple[float, ...], why: str) -> None:
        """A scale that nobody can judge by is refused, and it says why."""
        with pytest.raises(ScaleError, match=why):
            scale_of(*grades)

    def test_grades_are_put_in_order(self) -> None:
        """However they are given, the lowest stands first."""
        assert scale_of(3, -1, 0.5).grades == (-1, 0.5, 3)

    @given(scales())
    def test_json_holds_all_of_it(self, scale: Scale) -> None:
        """A scale comes back from JSON as it was, on one line that every file can hold."""
        text = scale.to_json()

        assert Scale.from_json(text) == scale
        assert "\n" not in text
        assert Scale.from_json(text.encode().decode()) == scale

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "null",
            "[]",
            "3",
            '"text"',
            "{",
            "[" * 100_000,
            '{"name": "a", "guideline": "", "levels": 3}',
            '{"name": "a", "guideline": "", "levels": ["0", "1"]}',
            '{"name": "a", "guideline": "", "levels": {"0": "1"}}',
            '{"name": "a", "guideline": ""}',
        ],
    )
    def test_what_is_no_scale_is_said_to_be_none(self, text: str) -> None:
        """Any other text is refused with one sentence."""
        with pytest.raises(ScaleError, match=r"^This is no scale\.$"):
            Scale.from_json(text)

    @pytest.mark.parametrize("text", [None, 3, ["a"], "half of 😀: \ud83d"])
    @pytest.mark.parametrize("key", ["name", "guideline"])
    def test_texts_are_texts(self, key: str, text: object) -> None:
        """A name that is none, or that no file could hold, is refused, of the scale or a level."""
        good = json.loads(scale_of(0, 1).to_json())
        levels = [good["levels"][0], {**good["levels"][1], key: text}]

        for bad in ({**good, key: text}, {**good, "levels": levels}):
            with pytest.raises(ScaleError, match="no scale"):
                Scale.from_json(json.dumps(bad))

    def test_too_large_a_number_is_refused(self) -> None:
        """A whole number that no float holds is no grade."""
        text = scale_of(0.0, 1.0).to_json().replace("1.0", "1" + "0" * 400)

        with pytest.raises(ScaleError):
            Scale.from_json(text)

    def test_the_number_is_always_there(self) -> None:
        """A level is called by its number, with a name or without."""
        assert [Level(0.5).label, Level(3.0, "Exact").label] == ["0.5", "3 Exact"]

    def test_markdown_has_the_best_first(self) -> None:
        """The guidelines of all grades come first, then those of each, what is empty left out."""
        levels = (Level(0, "No", "Useless."), Level(1, "Yes"))

        assert (
            Scale("s", levels, "Read.").markdown() == "Read.\n\n**1 Yes**\n\n**0 No**\n\nUseless."
        )


class TestKeys:
    """Which digit gives which grade."""

    @pytest.mark.parametrize(
        ("grades", "keys"),
        [
            ((0, 1, 2, 3), "0123"),
            ((1, 3, 9), "139"),
            ((0, 0.5, 1), "012"),
            ((-2, 0, 1), "012"),
            ((0, 10), "01"),
            (tuple(range(10)), "0123456789"),
            (tuple(range(0, 100, 10)), "0123456789"),
        ],
    )
    def test_digits(self, grades: tuple[float, ...], keys: str) -> None:
        """Grades that are digits are their own keys; others are counted from 0."""
        scale = scale_of(*grades)

        assert [scale.key_of(place) for place in range(len(grades))] == list(keys)
        assert [scale.by_key(key) for key in keys] == list(scale.levels)

    def test_another_key_gives_nothing(self) -> None:
        """A digit that no grade has gives none."""
        assert [scale_of(0, 1).by_key(key) for key in ("2", "x", "")] == [None] * 3

    @given(scales())
    def test_each_grade_has_one_key(self, scale: Scale) -> None:
        """On any scale each grade has a digit of its own."""
        keys = [scale.key_of(place) for place in range(len(scale.levels))]

        assert len(set(keys)) == len(keys)
        assert all(key in "0123456789" and len(key) == 1 for key in keys)


class TestSuggestion:
    """The scale that grades suggest."""

    @pytest.mark.parametrize(
        ("grades", "name", "suggested"),
        [
            ([], "0–3", [0, 1, 2, 3]),
            ([None], "0–3", [0, 1, 2, 3]),
            ([0, 1], "0–3", [0, 1, 2, 3]),
            ([0, 3], "0–3", [0, 1, 2, 3]),
            ([-2, 1], "0–3", [0, 1, 2, 3]),
            ([0, 4], "0–4", [0, 1, 2, 3, 4]),
            ([1, 6], "As the file has it", [0, 1, 2, 3, 4, 5, 6]),
            ([9], "As the file has it", list(range(10))),
            ([0, 50, 100], "As the file has it", [0, 50, 100]),
            ([0.5, 1], "As the file has it", [0, 0.5, 1]),
            ([0.5], "As the file has it", [0, 0.5]),
            ([-0.5], "As the file has it", [0, 1]),
        ],
    )
    def test_by_the_grades(
        self, grades: list[float | None], name: str, suggested: list[float]
    ) -> None:
        """Whole grades suggest all whole numbers from 0, fractions themselves; names none."""
        scale = suggested_scale(graded(grades))

        assert (scale.name, list(scale.grades)) == (name, suggested)
        assert not any(level.name for level in scale.levels)

    def test_many_different_grades_are_ten_steps(self) -> None:
        """Percentages, whole or not, are judged in ten even steps from 0 to the highest."""
        whole = suggested_scale(graded(list(range(0, 101, 5))))
        parts = suggested_scale(graded([each / 20 for each in range(21)]))

        assert whole.grades == (0, 11, 22, 33, 44, 56, 67, 78, 89, 100)
        assert parts.grades == (0, 0.11, 0.22, 0.33, 0.44, 0.56, 0.67, 0.78, 0.89, 1)

    def test_words_of_the_file_are_the_names(self) -> None:
        """Grades are called as the file calls them, also those that nobody has given."""
        scale = suggested_scale(labelled({0: "Bad", 2: "Good", 1: "Fair"}, [0, 2]))

        assert [level.label for level in scale.levels] == ["0 Bad", "1 Fair", "2 Good"]

    def test_a_grade_without_a_word_is_on_the_scale(self) -> None:
        """A number that stands between the words can be given as well."""
        scale = suggested_scale(labelled({0: "Bad", 2: "Good"}, [0, 1, 2]))

        assert [level.label for level in scale.levels] == ["0 Bad", "1", "2 Good"]

    def test_many_words_are_the_lowest_ten(self) -> None:
        """A scale has no more grades than there are digits."""
        scale = suggested_scale(labelled({each: f"w{each}" for each in range(12)}, [0, 11]))

        assert scale.grades == tuple(range(10))

    def test_judges_are_asked_for_what_each_may_give(self) -> None:
        """Means of several judges are no grades of their scale."""
        evaluation = voted([[0, 1], [2, 3], [3, 3]])

        assert evaluation.judgments.grade.tolist() == [0.5, 2.5, 3]
        assert suggested_scale(evaluation).grades == (0, 1, 2, 3)

    @given(st.lists(st.none() | NUMBERS, max_size=14))
    def test_any_grades_suggest_a_scale(self, grades: list[float | None]) -> None:
        """There is always one to judge by."""
        assert suggested_scale(graded(grades)).grades[0] == 0


class TestOffScale:
    """Grades that a scale does not have."""

    def test_rows_are_named(self) -> None:
        """Each such row is a finding with its place; blanks are none."""
        evaluation = graded([0, 7, None, 0.5, 1])
        found = off_scale(evaluation, BUILT_IN[0])

        assert [(each.code, each.row) for each in found] == [
            ("grade-not-on-scale", 3),
            ("grade-not-on-scale", 5),
        ]
        assert found[0].text == (
            "The grade 7 of “d1” is not on the scale “Binary” (0, 1). It is used as it stands."
        )
        assert count_off_scale(evaluation, BUILT_IN[0]) == 2

    def test_votes_are_looked_at_each(self) -> None:
        """Of several judges it is the grade of each, not the mean that they come to."""
        evaluation = voted([[0, 1], [1, 7]])
        found = off_scale(evaluation, BUILT_IN[0])

        assert [(each.row, each.text.split(" is ")[0]) for each in found] == [
            (3, "The grade 7 of “d1”")
        ]
        assert count_off_scale(evaluation, BUILT_IN[0]) == 1

    def test_many_are_counted(self) -> None:
        """Past a hundred, one more says how many grades there are."""
        evaluation = graded([5] * (MOST_QUERIES + 20))
        found = off_scale(evaluation, BUILT_IN[0])

        assert len(found) == MOST_QUERIES + 1
        assert found[-1].text == "… and 20 more grades."
        assert count_off_scale(evaluation, BUILT_IN[0]) == MOST_QUERIES + 20

    def test_a_scale_that_has_all_finds_nothing(self) -> None:
        """Grades of the scale are no findings."""
        assert off_scale(graded([0, 1, 2, 3, None]), BUILT_IN[1]) == []
