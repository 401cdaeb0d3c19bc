"""Grades in words: what they stand for, and how they are written back."""

from contextlib import suppress

import numpy as np
import pytest
from build import table_of
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.files.labels import (
    MOST_LABELS,
    SCALES,
    Labels,
    labelled_grades,
    normal_label,
    parse_labels,
    suggest,
)

NAMES = [name for scale in SCALES for some in scale for name in some.split(" | ")]
TEXTS = st.text(max_size=12) | st.sampled_from([*NAMES, "3 - good", "★★☆", "n/a", "?", "2", ""])


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ("E S C I", {"e": 3, "s": 2, "c": 1, "i": 0}),
        ("Exact Substitute Complement Irrelevant", [3, 2, 1, 0]),
        ("Exact Partial Irrelevant", [2, 1, 0]),
        ("Perfect Excellent Good Fair Bad", [4, 3, 2, 1, 0]),
        ("excellent good fair poor", [3, 2, 1, 0]),
        (["Highly relevant", "Relevant", "Partially relevant", "Not relevant"], [3, 2, 1, 0]),
        (["Highly relevant", "Relevant", "Marginally relevant", "Irrelevant"], [3, 2, 1, 0]),
        (["relevant", "somewhat relevant", "not relevant"], [2, 1, 0]),
        (["Perfectly relevant", "Highly relevant", "Related", "Irrelevant"], [3, 2, 1, 0]),
        ("r n m i", [3, 2, 1, 0]),
        ("r n", [1, 0]),
        ("yes no", [1, 0]),
        ("TRUE FALSE", [1, 0]),
        ("✓ ✗", [1, 0]),
        ("✓ x", [1, 0]),
        ("relevant irrelevant", [1, 0]),
        ("good bad", [1, 0]),
        ("👍 👎", [1, 0]),
        (["thumbs up", "thumbs down"], [1, 0]),
        (["relevant", "nicht relevant"], [1, 0]),
        ("ja nein", [1, 0]),
        ("oui non", [1, 0]),
        (["pertinent", "non pertinent"], [1, 0]),
        ("sí no", [1, 0]),
        (["relevante", "no relevante"], [1, 0]),
        ("A B C D E F", [5, 4, 3, 2, 1, 0]),
        ("A B C D F", [4, 3, 2, 1, 0]),
        ("★★★ ★★☆ ☆☆☆", [3, 2, 0]),
        (["3 - Highly relevant", "1 (Related)", "2: partial", "0 = off"], [3, 1, 2, 0]),
        (["4 stars", "2,5 – so so"], [4, 2.5]),
        ("none low medium high", [0, 1, 2, 3]),
    ],
)
def test_known_scales(texts, expected):
    """Each known scale gives its grades."""
    texts = texts.split() if isinstance(texts, str) else texts
    labels = suggest(texts)
    wanted = list(expected.values()) if isinstance(expected, dict) else expected
    assert [labels.grade_of(text) for text in texts] == wanted


@pytest.mark.parametrize(
    "text", ["can't tell", "Can’t tell", "n/a", "unjudged", "Not  judged", "?", "non jugé"]
)
def test_words_for_no_grade(text):
    """Such words are known, and stand for no grade."""
    labels = suggest(["yes", "no", text])
    assert labels.knows(text)
    assert labels.grade_of(text) is None


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["", " "],
        ["1", "2,5", "3"],
        ["fits well", "wrong colour"],
        ["2026-09-28"],
        [f"Exact {number}" for number in range(MOST_LABELS + 1)],
    ],
)
def test_no_suggestion(texts):
    """Numbers, blanks, remarks and dates are no labels."""
    assert suggest(texts) is None


def test_a_label_that_no_scale_has():
    """An unknown label is not judged until a person gives it a grade."""
    labels = suggest(["Exact", "Partial", "meh", "2"])
    assert labels.grade_of("meh") is None
    assert labels.knows("meh")
    assert "2" not in labels.grades
    told = labels.with_grade("meh", 0.5)
    assert told.grade_of(" MEH ") == 0.5
    assert (told.text_of(0.5), told.text_of(2)) == ("meh", "Exact")
    assert told.with_grade("exact", None).text_of(2) is None


def test_a_grade_keeps_its_other_label():
    """Where two labels share a grade and one is taken away, the other is written."""
    labels = suggest(["Bad", "Bad", "Poor", "Good"]).with_grade("Bad", None)
    assert labels.grade_of(labels.text_of(0)) == 0


def test_how_a_grade_is_spelled():
    """A grade is written as it is most often spelled, without the spaces around it."""
    labels = suggest(["exact", "Exact ", " Exact", "PARTIAL"])
    assert (labels.text_of(2), labels.text_of(1)) == ("Exact", "PARTIAL")
    assert labels.text_of(7) is None


@pytest.mark.parametrize(
    ("texts", "grade", "expected"),
    [
        (["Exact", "Partial"], 0, "Irrelevant"),
        (["E", "S"], 1, "C"),
        (["yes"], 0, "no"),
        (["x"], 0, None),
        (["3 - good"], 2, None),
    ],
)
def test_grades_that_no_row_has_yet(texts, grade, expected):
    """The rest of a scale can be written too, in the case of the labels that are there."""
    labels = suggest(texts)
    assert labels.text_of(grade) == expected
    if expected is not None:
        assert labels.grade_of(expected) == grade


def test_labels_of_the_command_line():
    """Labels and grades are read as they are written, with commas and blanks within labels."""
    labels = parse_labels("Exact=2, so, so = 1.5,n/a=,bad=-1")
    assert labels.grades == {"exact": 2, "so, so": 1.5, "n/a": None, "bad": -1}
    assert labels.text_of(2) == "Exact"
    assert parse_labels(str(labels)).grades == labels.grades


@pytest.mark.parametrize("text", ["", "exact", "exact=two", "=1", "a=1,b"])
def test_labels_that_cannot_be_read(text):
    """Anything else is refused with an example."""
    with pytest.raises(ValueError, match="exact=2,partial=1"):
        parse_labels(text)


def test_a_column_of_labels_and_numbers():
    """Labels and numbers stand side by side; spellings, and labels without a grade, are told."""
    table = table_of(
        "query,docid,g\na,1,Exact\na,2, exact\na,3,1\na,4,\na,5,meh\na,6,?\na,7,Exact\n"
    )
    labels = parse_labels("exact=2,?=")
    grades, found = labelled_grades(table, 2, labels)
    np.testing.assert_array_equal(grades, [2, 2, 1, np.nan, np.nan, np.nan, 2])
    assert [(each.level, each.code, each.row) for each in found] == [
        ("warning", "unknown-label", 6),
        ("note", "label-spelling", 3),
    ]
    assert "“meh” in the column “g”" in found[0].text


@given(st.lists(TEXTS, max_size=12))
def test_labels_never_raise_and_come_back(texts):
    """Whatever a column holds: a label's grade is written as a label of that very grade."""
    labels = suggest(texts)
    for text in texts:
        if labels is not None and (grade := labels.grade_of(text)) is not None:
            assert labels.grade_of(labels.text_of(grade)) == grade
    if labels is not None:
        assert set(labels.spelling) == set(labels.grades.values()) - {None}
        assert all(normal_label(label) == label for label in labels.grades)


@given(st.lists(TEXTS, max_size=6), TEXTS, st.none() | st.sampled_from([-1.0, 0.0, 1.0, 2.5]))
def test_a_person_has_the_last_word(texts, text, grade):
    """The grade that a person gives a label is the label's, and all others keep theirs."""
    before = suggest(texts) or Labels({})
    after = before.with_grade(text, grade)
    assert after.grade_of(text) == grade
    for other in texts:
        if normal_label(other) != normal_label(text):
            assert after.grade_of(other) == before.grade_of(other)
    for kept in set(after.grades.values()) - {None}:
        assert after.grade_of(after.text_of(kept)) == kept


@given(st.text(max_size=30))
def test_any_text_of_the_command_line(text):
    """Any text is read, or refused with ValueError and nothing else."""
    with suppress(ValueError):
        assert parse_labels(text).grades


def test_a_word_keeps_its_case_when_another_moves():
    """Of two words with one grade the second is written in the case of the file's words."""
    labels = suggest(["Relevant", "Yes", "Irrelevant", "Relevant"])
    labels = labels.with_grade("Yes", 1.0).with_grade("Relevant", 2.0)
    assert (labels.text_of(1.0), labels.text_of(2.0)) == ("Yes", "Relevant")
