"""Numbers as people write them."""

import datetime
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.files.numbers import (
    is_blank,
    number,
    number_text,
    numbers,
    rank_number,
    unclear_commas,
    unclear_points,
    uses_decimal_comma,
)
from ndcg_desktop.files.table import cell_text


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("3", 3.0),
        (" 2.5 ", 2.5),
        ("2,5", 2.5),
        ("-0,25", -0.25),
        ("+1", 1.0),
        ("1e3", 1000.0),
        (".5", 0.5),
        (7, 7.0),
        (7.5, 7.5),
        ("\u00a03\u00a0", 3.0),
    ],
)
def test_number(cell, expected):
    """Points and single commas are decimal marks, and blanks around do no harm."""
    assert number(cell) == expected


@pytest.mark.parametrize(
    "cell",
    [
        *("", " ", "x", "3 stars", "nan", "inf", "-Infinity", "1_000", "1,2,3", "1,234.5", "٣,x"),
        *(None, True, False, math.nan, math.inf, datetime.date(2026, 3, 4), "#DIV/0!"),
    ],
)
def test_not_a_number(cell):
    """Words, truth values, dates, errors and what is not finite are no numbers."""
    assert number(cell) is None


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("#1", 1.0),
        ("# 2", 2.0),
        ("2nd", 2.0),
        ("3.", 3.0),
        ("3.0", 3.0),
        ("4,0", 4.0),
        ("1er", 1.0),
        ("2º", 2.0),
        ("10TH", 10.0),
        ("5", 5.0),
        (6.0, 6.0),
        ("#3.0", 3.0),
    ],
)
def test_rank_number(cell, expected):
    """A rank may be written as people count: #1, 2nd, 3."""
    assert rank_number(cell) == expected


@pytest.mark.parametrize("cell", ["", "first", "#", "1 of 10", "-", None, True])
def test_not_a_rank(cell):
    """Anything else is no rank."""
    assert rank_number(cell) is None


def test_blank():
    """Nothing and spaces are blank; 0 and False are not."""
    assert [is_blank(cell) for cell in ("", " \t", None, "\u00a0")] == [True] * 4
    assert [is_blank(cell) for cell in (0, 0.0, False, "0", "-")] == [False] * 5


def test_numbers_of_a_column():
    """A column gives NaN where there is no number, and names the rows that hold something else."""
    array, odd = numbers(["1", "", "x", 2.5, None, "nan", True])
    np.testing.assert_array_equal(array, [1, np.nan, np.nan, 2.5, np.nan, np.nan, np.nan])
    assert odd == [2, 5, 6]
    array, odd = numbers(Ids.from_texts(["3", "x", ""]))
    np.testing.assert_array_equal(array, [3, np.nan, np.nan])
    assert odd == [1]
    given_array = np.array([1.0, np.nan])
    assert numbers(given_array) == (given_array, [])


@given(st.floats(allow_nan=False, allow_infinity=False), st.booleans())
def test_a_number_written_is_the_number_read(value, decimal_comma):
    """Whatever is written for a number reads back as that very number."""
    text = number_text(value, decimal_comma)
    if decimal_comma and "e" in text:
        return
    assert number(text) == value


def test_whole_numbers_have_no_decimals():
    """A grade 3 is written "3"."""
    assert [number_text(3.0), number_text(2.5), number_text(2.5, True)] == ["3", "2.5", "2,5"]


def test_decimal_comma():
    """A column writes its decimals after a comma where one of its cells does."""
    assert uses_decimal_comma(["1", "2,5"])
    assert not uses_decimal_comma(["1", "2.5", "a,5", 2.5])
    assert not uses_decimal_comma(np.array([2.5]))


@pytest.mark.parametrize(
    ("cells", "values", "ranks"),
    [
        (["1,234", "1,234,567", "7"], [1234, 1234567, 7], [1234, 1234567, 7]),
        (["1,234.5", "1,234", "0.5"], [1234.5, 1234, 0.5], [1234.5, 1234, 0.5]),
        (["1,234", "2,5"], [1.234, 2.5], [1.234, 2.5]),
        (["1,234", "0,667"], [1.234, 0.667], [1.234, 0.667]),
        (["999", "1,000", "1,001"], [999, 1, 1.001], [999, 1000, 1001]),
        (["1,000", "2,500", "900.5"], [1000, 2500, 900.5], [1000, 2500, 900.5]),
        (["1,000", "900.500"], [1, 900.5], [1000, 900.5]),
        (["1,234", "so, so", ""], [1.234, math.nan, math.nan], [1234, math.nan, math.nan]),
    ],
)
def test_what_a_comma_means(cells, values, ranks):
    """A comma means one thing in a whole column, and in a rank, which is whole, no decimals."""
    np.testing.assert_array_equal(numbers(cells)[0], values)
    np.testing.assert_array_equal(numbers(cells, rank_number)[0], ranks)


def test_commas_that_are_unclear():
    """Rows with a comma are named where no cell of the column tells what it means."""
    assert unclear_commas(["7", "1,234", "", "9,001"]) == [1, 3]
    assert unclear_commas(["1,234", "2,5"]) == unclear_commas(["1,234", "1,234,567"]) == []
    assert unclear_commas(["1", "2.5"]) == unclear_commas(np.array([1.5])) == []
    assert not uses_decimal_comma(["1,234,567", "1,234"])


@pytest.mark.parametrize(
    ("cells", "rows"),
    [
        (["1.000", "2.500", "900", "400"], [0, 1]),
        (["900", "1.234", "", "450"], [1]),
        (["n.a", "1.234", "inf", "x", "900"], [1]),
        (["1.234", "1.2.3", "900"], []),
        (["1.000", "1e-3", "900"], []),
        (["1.234", "1.234.567"], [0]),
        (["1.000", "0.500", "0"], []),
        (["1.125", "2.5", "900"], []),
        (["12.345", "11.208", "10.001", "12"], []),
        (["1.000", "1"], []),
        (["1.000", "2.500"], []),
        (["900", "400"], []),
        ([1.5, 900.0], []),
    ],
)
def test_points_that_are_unclear(cells, rows):
    """Three digits after a point are doubted beside whole numbers that decimals do not fit."""
    assert unclear_points(cells) == rows
    assert unclear_points(np.array([1.0])) == []


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("007", "007"),
        (12.0, "12"),
        (12.5, "12.5"),
        (4006381333931.0, "4006381333931"),
        (True, "TRUE"),
        (False, "FALSE"),
        (None, ""),
        (datetime.date(2026, 3, 4), "2026-03-04"),
        (5, "5"),
        (math.nan, ""),
        (math.inf, "inf"),
    ],
)
def test_a_cell_as_text(cell, text):
    """An id that a workbook holds as a number has no decimals; a truth value is as shown."""
    assert cell_text(cell) == text
