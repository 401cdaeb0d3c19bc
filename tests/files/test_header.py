"""Which row is the header, and what its words mean."""

import pytest
from build import table_of

from ndcg_desktop.files.header import (
    BESIDE,
    LIKELY,
    LIKELY_BESIDE,
    WORDS,
    Grid,
    find_header,
    normal,
    positions,
    role_of,
)


def header_of(*rows):
    """The header and how many rows stand above the data."""
    width = max(len(row) for row in rows)
    rows = [list(row) + [""] * (width - len(row)) for row in rows]
    return find_header(Grid(rows, list(range(1, len(rows) + 1))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Query_ID", "query id"),
        ("  Doc-Id ", "doc id"),
        ("Grade (0–3)", "grade"),
        ("Rating [1-5]", "rating"),
        ("Pos.", "pos"),
        ("doc/id", "doc id"),
    ],
)
def test_normal(text, expected):
    """Case, punctuation and what stands in brackets make no difference."""
    assert normal(text) == expected


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Query Text", "query"),
        ("search_term", "query"),
        ("docid", "document"),
        ("ASIN", "document"),
        ("Relevance", "grade"),
        ("judgement", "grade"),
        ("Doc Position", "rank"),
        ("similarity", "score"),
        ("Ideal Relevance", "ideal"),
        ("price", None),
        ("id", None),
        ("title", None),
    ],
)
def test_role_of(text, role):
    """Common headers name their role; others none."""
    assert role_of(text) == role


def test_no_word_means_two_things():
    """Each header word stands for one role, among the sure ones and among the likely ones."""
    for words in (WORDS, LIKELY, {**BESIDE, "-": sum(LIKELY_BESIDE.values(), ())}):
        every = [word for some in words.values() for word in some]
        assert len(every) == len(set(every))
        assert all(normal(word) == word for word in every)


def test_first_row():
    """The usual header is the first row."""
    assert header_of(["query", "docid", "rank"], ["a", "b", "1"])[1] == 1


def test_below_a_title():
    """A title, a date and a note may stand above the header."""
    header, first = header_of(
        ["Review of week 40"], ["made by B.", "2026"], ["Query", "Doc"], ["a", "b"]
    )
    assert (header, first) == (("Query", "Doc"), 3)


def test_unknown_words_above_numbers():
    """Words above a column of numbers are a header even where no word is known."""
    assert header_of(["Anfrage", "Note"], ["a", "1"], ["b", ""])[1] == 1


def test_words_that_suggest_a_header():
    """Two words that suggest roles are a header above text alone; one is not."""
    rows = ["schuh", "D1", "gut"], ["hut", "D2", "schlecht"]
    assert header_of(["Suchanfrage", "Dokument", "Meinung"], *rows)[1] == 1
    assert header_of(["Thema", "Dokument", "Meinung"], *rows)[1] == 0


def test_places_for_a_header():
    """A query and the places of a ranking are a header; numbers beside other words are not."""
    assert header_of(["query", "1", "2", "3"], ["a", "r", "", "n"])[1] == 1
    assert header_of(["search", "1", "3", "2"], ["a", "1", "2", "0"])[1] == 0
    assert header_of(["Query", "Pos 1", "Pos 2"], ["a", "3", "0"])[1] == 1


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (("query", "1", "2"), (1, 2)),
        (("p1", "p2", "note"), (0, 1)),
        (("#1", "#2", "#3"), (0, 1, 2)),
        (("result 0", "result 1"), (0, 1)),
        (("query", "1"), ()),
        (("2", "3"), ()),
        (("1", "3"), ()),
        (("2", "1"), ()),
        ((), ()),
    ],
)
def test_positions(headers, expected):
    """Headers that count the places of a ranking from 0 or 1 are found, and others are not."""
    assert positions(headers) == expected


def test_no_header():
    """Data from the first row on is no header."""
    assert header_of(["star light", "M1", "1"], ["star bright", "M2", "2"]) == (None, 0)
    assert header_of(["a", "b"], ["c", "d"]) == (None, 0)


def test_header_alone():
    """A single row of header words is a header without rows."""
    assert header_of(["query", "docid"])[1] == 1


def test_data_that_reads_like_a_header():
    """A first row of data with one known word is data."""
    assert header_of(["search", "M1", "1", "3"], ["star", "M2", "2", "1"]) == (None, 0)


def test_the_header_is_not_looked_for_below_data():
    """A row of data that happens to name two roles does not swallow the rows above it."""
    table = table_of("Anfrage,Ergebnis,Note\nschuh,D1,3\nhut,D2,1\nsearch,product,2\njacke,D3,0\n")
    assert len(table) == 4
