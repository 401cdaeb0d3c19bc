"""Several columns of one meaning: the one that is clearly it is taken, or a person is asked."""

import pytest
from build import table_of, workbook

from ndcg_desktop.files.header import normal
from ndcg_desktop.files.plan import plan
from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.roles import guess


def guessed(header, *cells):
    """The guess for a table of two rows for each query, each with a document of its own."""
    rows = [f"q{place // 2},d{place},{each}" for place, each in enumerate(cells)]
    return guess(table_of("\n".join([f"query,doc_id,{header}", *rows]) + "\n"))


@pytest.mark.parametrize(
    ("header", "cells", "role", "place", "names"),
    [
        ("rating,relevance", ["4.5,0", "3.8,3", "4.9,1", "4.1,2"], "grade", 3, 2),
        ("label,judgement score", ["1,0", "0,3", "1,1", "1,1"], "grade", 2, 2),
        ("grade,rating", ["1,0", "0,3", "1,1", "1,1"], "grade", 2, 2),
        ("relevance,relevance (bob)", ["1,0", "0,3", "1,1", "1,1"], "grade", 2, 2),
        ("grade,label", ["3,Exact", "1,Partial", "0,Exact", "1,Partial"], "grade", 2, 2),
        ("position,rank,grade", ["1,2,1", "2,1,1", "1,1,1", "2,2,1"], "rank", 3, 2),
        ("score,bm25,grade", ["0.9,1,1", "0.5,2,1", "0.8,1,0", "0.7,2,1"], "score", 2, 2),
    ],
)
def test_rivals_are_a_doubt(header, cells, role, place, names):
    """A second column that may hold the same is named, beside the one that was taken."""
    known = guessed(header, *cells)
    assert getattr(known.roles, role) == place
    rivals = header.split(",")[:names]
    assert all(f"“{name}”" in known.doubt for name in rivals)
    assert known.doubt.endswith(f"; “{['', '', *header.split(',')][place]}” was taken.")


@pytest.mark.parametrize(
    ("header", "cells", "role", "place"),
    [
        ("grade,rating", ["1,1", "0,0.0", "1,1", "2,2"], "grade", 2),
        ("grade,label", ["3,Exact", "1,Partial", "0,Irrelevant", "1,Partial"], "grade", 2),
        ("grade,label", ["3,red shoes", "1,blue", "0,yellow", "1,yellow"], "grade", 2),
        ("label,judgement score", ["shoes,0", "shoes,3", "hats,1", "hats,1"], "grade", 3),
        ("position,rank,grade", ["0,1,1", "1,2,1", "0,1,1", "1,2,1"], "rank", 3),
        ("place,rank,grade", ["Rome,1,1", "Oslo,2,1", "Rome,1,1", "Rome,2,1"], "rank", 3),
        ("rank,score,bm25", ["1,0.9,1", "2,0.5,2", "1,0.8,1", "2,0.7,2"], "score", 3),
        ("grade,url", ["1,/a", "0,/b", "1,/c", "2,/d"], "document", 1),
        ("grade,results", ["1,120", "0,120", "1,7", "2,7"], "document", 1),
        ("rating,price", ["4,9", "0,9", "3,9", "5,9"], "grade", 2),
        ("final_rating,Rater A,Rater B", ["1,1,2", "0,0,0", "1,1,0", "2,2,2"], "grade", 2),
    ],
)
def test_no_rival(header, cells, role, place):
    """The same numbers, words for the grades, an id's address and other things are no rivals."""
    known = guessed(header, *cells)
    assert (getattr(known.roles, role), known.doubt) == (place, "")


def test_people_in_brackets():
    """Headers that differ in brackets alone are the grades of several people, once confirmed."""
    known = guessed("relevance (ann),relevance (bob)", "1,0", "0,3", "1,1", "2,1")
    assert (known.roles.grade, known.roles.graders) == (None, (2, 3))
    assert "“relevance (ann)” and “relevance (bob)” are perhaps" in known.doubt


def test_a_header_twice():
    """Two columns of one header are told apart by their numbers; identical ones are no doubt."""
    doubt = guessed("grade,grade", "1,0", "0,3", "1,1", "2,1").doubt
    assert "“grade” (column 3) and “grade” (column 4)" in doubt
    assert guessed("grade,grade", "1,1", "0,0").doubt == ""
    side_by_side = guessed("rank,doc_id,grade", "1,d1,1", "2,d0,0", "1,d3,1", "2,d2,0").doubt
    assert "“doc_id” (column 2) and “doc_id” (column 4)" in side_by_side


def test_stars_of_a_shop():
    """A rating that is mostly fractions up to 5 beside a price is perhaps no grade."""
    stars = ["4.5,9", "3.9,7", "4.2,8", "5,9"]
    assert "stars" in guessed("rating,price", *stars).doubt
    assert guessed("rating,remark", *stars).doubt == ""


def test_the_query_that_repeats():
    """An id of its own on each row is no query where another column is; an id of queries is."""
    rows = "".join(f"r{n},q{n // 3},d{n},{n % 3},{n % 3 + 1}\n" for n in range(9))
    known = guess(table_of("request id,query,doc_id,grade,rank\n" + rows))
    assert (known.roles.query, known.doubt) == (1, "")
    rows = "".join(f"r{n // 3},q{n // 3},d{n},{n % 3},{n % 3 + 1}\n" for n in range(9))
    known = guess(table_of("request id,query,doc_id,grade,rank\n" + rows))
    assert (known.roles.query, known.roles.query_text, known.doubt) == (0, 1, "")


def test_topics_of_several_queries():
    """A topic under which there are several queries is perhaps not what was searched for."""
    rows = "".join(f"t{n // 6},q{n // 3},d{n},{n % 3}\n" for n in range(12))
    doubt = guess(table_of("topic,query,doc_id,grade\n" + rows)).doubt
    assert "“topic” and “query” may each be the query" in doubt


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("order", "123123"),
        ("rank_old", "321312"),
        ("cosine", ["0.9", "0.8", "0.7", "0.9", "0.6", "0.5"]),
    ],
)
def test_what_is_no_scale(name, cells):
    """Numbers that count the rows, or are all fractions below 1, are not proposed as grades."""
    rows = "".join(f"q{place // 3},d{place},{cell}\n" for place, cell in enumerate(cells))
    known = guess(table_of(f"query,doc_id,{name}\n{rows}"))
    assert (known.roles.grade, known.roles.graders) == (None, ())
    assert known.doubt == "No column is recognised as grade, rank or score."
    rows = "".join(f"q{place // 3},d{place},{cell}\n" for place, cell in enumerate("310200"))
    assert guess(table_of(f"query,doc_id,{name}\n{rows}")).roles.grade == 2


def test_scores_that_grow():
    """Scores that grow down the rows of every query are perhaps distances."""

    def doubt(cells):
        rows = "".join(f"q{place // 3},d{place},{cell}\n" for place, cell in enumerate(cells))
        return guess(table_of(f"query,doc_id,score\n{rows}")).doubt

    assert "as a distance does" in doubt([0.1, 0.2, 0.3, 0.1, 0.4, 0.5])
    assert doubt([0.3, 0.2, 0.1, 0.1, 0.4, 0.5]) == ""


def test_a_doubt_about_columns_keeps_the_sheet():
    """Judgments with two columns of grades are used beside a sheet that is sure."""
    judged = [["query", "doc_id", "grade", "rating"], ["a", "x", 2, 1], ["a", "y", 0, 1]]
    ranked = [["query", "doc_id", "rank"], ["a", "x", 1]]
    made = plan(read_bytes(path_of(), workbook({"J": judged, "R": ranked})))
    assert [part.table.sheet for part in made.parts] == ["J", "R"]
    assert list(made.doubts) == [0]


def path_of():
    """The path of a workbook that is not on the disk."""
    return table_of("a,b\n").path.with_name("book.xlsx")


def test_a_long_header():
    """A cell of open brackets is compared quickly; brackets still go, and long texts are cut."""
    assert normal("(" * 1_000_000) == "(" * 300
    assert normal("Relevance (0-3) [ann]") == "relevance"
