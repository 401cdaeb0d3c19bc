"""Which column means what: by header, by content, and by what the user says."""

from dataclasses import fields

import pytest
from build import table_of

from ndcg_desktop.files.roles import Roles, guess, named
from ndcg_desktop.files.table import FileError


def roles_of(header, *rows):
    """The columns, by role, of a table of comma-separated lines; empty roles left out."""
    known = guess(table_of("\n".join([header, *rows]) + "\n"))
    return told(known.roles), known.doubt


def told(roles):
    """The roles that a table has."""
    every = {field.name: getattr(roles, field.name) for field in fields(roles)}
    return {name: place for name, place in every.items() if place not in (None, ())}


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        (
            "query,docid,rank,rating",
            "a,b,1,2",
            {"query": 0, "document": 1, "rank": 2, "grade": 3},
        ),
        (
            "Query Text,Doc ID,Doc Position,Case ID",
            "a,b,1,7",
            {"query": 0, "document": 1, "rank": 2},
        ),
        ("position,document,relevance", "1,b,2", {"rank": 0, "document": 1, "grade": 2}),
        (
            "qid,query,docno,score",
            "1,a,b,2.5",
            {"query": 0, "query_text": 1, "document": 2, "score": 3},
        ),
        (
            "Position,Item,Ranked Relevance,Ideal Relevance",
            "1,b,2,3",
            {"rank": 0, "document": 1, "grade": 2, "ideal": 3},
        ),
        ("query,docid,Rater A", "a,b,1", {"query": 0, "document": 1, "grade": 2}),
        ("query,docid,Rater A,Rater B", "a,b,1,2", {"query": 0, "document": 1, "graders": (2, 3)}),
        (
            "query,docid,Judge 1,Judge 2",
            "a,b,85,72",
            {"query": 0, "document": 1, "graders": (2, 3)},
        ),
        (
            "query,docid,grade,Rater A,Rater B",
            "a,b,1,1,2",
            {"query": 0, "document": 1, "grade": 2},
        ),
        (
            "search_term,product_uid,relevance,id",
            "a,b,1,7",
            {"query": 0, "document": 1, "grade": 2},
        ),
        ("query,docid,price,rating", "a,b,9.5,2", {"query": 0, "document": 1, "grade": 3}),
        (
            "id,product_uid,product_title,search_term,relevance",
            "2,b,Angle bracket,a,2.33",
            {"query": 3, "document": 1, "grade": 4, "title": 2},
        ),
        ("id,query_id,product_id,label", "0,0,7,2", {"query": 1, "document": 2, "grade": 3}),
        ("query-id\tcorpus-id\tscore", "a\tb\t1", {"query": 0, "document": 1, "grade": 2}),
        ("Query_ID,Corpus ID,SCORE", "a,b,1", {"query": 0, "document": 1, "grade": 2}),
        ("query-id,corpus-id,score", "a,b,17.4253", {"query": 0, "document": 1, "score": 2}),
        (
            "query-id,corpus-id,score,rank",
            "a,b,1,1",
            {"query": 0, "document": 1, "score": 2, "rank": 3},
        ),
        ("query,docid,Maria,Jo", "a,b,3,", {"query": 0, "document": 1, "graders": (2, 3)}),
        (
            "query,docid,Maria,Jo,remark",
            "a,b,1,2,fine",
            {"query": 0, "document": 1, "graders": (2, 3), "note": 4},
        ),
        ("query,1,2,3", "a,r,,r", {"query": 0, "positions": (1, 2, 3)}),
        ("Topic,Pos 0,Pos 1", "a,3,3", {"query": 0, "positions": (1, 2)}),
        (
            "query,docid,title,Maria,Jo",
            "a,b,Red,3,2",
            {"query": 0, "document": 1, "title": 2, "graders": (3, 4)},
        ),
    ],
)
def test_known_headers(header, row, expected):
    """Known headers name their roles without a doubt, and other columns get none."""
    assert roles_of(header, row) == (expected, "")


@pytest.mark.parametrize(
    ("header", "row", "expected", "word"),
    [
        (
            "Suchanfrage,Dokument,Position,Bewertung",
            "a,b,1,2",
            {"query": 0, "document": 1, "rank": 2, "grade": 3},
            "Bewertung",
        ),
        (
            "Requête,Document,Rang,Note",
            "a,b,1,2",
            {"query": 0, "document": 1, "rank": 2, "grade": 3},
            "Note",
        ),
        ("query,title,rating", "a,b,1", {"query": 0, "document": 1, "grade": 2}, "title"),
        ("query,docid,Maria", "a,b,1", {"query": 0, "document": 1, "grade": 2}, "Maria"),
        (
            "query,docid,Maria,Jo,shelf",
            "a,b,1,2,top left",
            {"query": 0, "document": 1, "graders": (2, 3)},
            "Maria",
        ),
        ("Topic,Pos 1,Pos 2", "a,3,1", {"query": 0, "positions": (1, 2)}, "Pos 1"),
        (
            "id,query,product_title,product_description,median_relevance,relevance_variance",
            "1,a,Lamp,long,1,0",
            {"query": 1, "document": 2, "grade": 4},
            "product_title",
        ),
    ],
)
def test_likely_headers(header, row, expected, word):
    """Headers that only suggest a role are taken with a doubt that names them."""
    roles, doubt = roles_of(header, row)
    assert roles == expected
    assert f"“{word}”" in doubt


@pytest.mark.parametrize(
    ("header", "rows", "part"),
    [
        ("query,rating", ["a,1"], "No column is recognised as the document"),
        ("query,docid", ["a,b"], "No column is recognised as grade, rank or score"),
        ("query,docid,rating", ["a,b,good", "a,c,bad", "a,d,1"], "“rating” holds words"),
        ("query,docid,rank", ["a,b,first", "a,c,second"], "“rank” holds no ranks"),
        ("docid,rank,grade", ["a,1,1", "b,2,0", "a,1,1"], "the ranks begin again"),
        ("query,results,grades", ["a,m1|m2,0|3", 'b,"b1, b2","2, 2"'], "several grades in a cell"),
    ],
)
def test_doubts(header, rows, part):
    """Contents that do not fit their header are a doubt, told in words."""
    assert part in roles_of(header, *rows)[1]


def test_systems_side_by_side():
    """Columns of documents beside one column of ranks are rankings."""
    roles, _ = roles_of("Query,Rank,Live,New", "a,1,F1,F2", "a,2,F2,F3")
    assert roles == {"query": 0, "rank": 1, "systems": (2, 3)}


RANKED = ("a,x,1,A", "a,y,2,A", "a,x,1,B", "a,z,2,B")


@pytest.mark.parametrize("word", ["System", "run", "search_engine", "ranker"])
def test_several_rankings_in_one_table(word):
    """A column tells rankings apart where ranks stand twice for a query without it."""
    roles, doubt = roles_of(f"query,docid,rank,{word}", *RANKED)
    assert (roles, doubt) == ({"query": 0, "document": 1, "rank": 2, "system": 3}, "")


def test_words_that_may_mean_a_system():
    """A word with other meanings is taken for a system with a doubt that names it."""
    roles, doubt = roles_of("query,docid,rank,variant", *RANKED)
    assert roles["system"] == 3
    assert doubt == "“variant” perhaps tells several rankings apart."


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("query,docid,rank,variant", ["a,x,1,red", "a,y,2,blue", "b,x,1,red"]),
        ("query,docid,rank,engine", ["a,x,1,V8", "a,y,2,V6"]),
        ("query,docid,rank,run", ["a,x,1,prod", "a,y,2,prod"]),
        ("query,docid,grade,system", ["a,x,1,A", "a,x,1,B"]),
        ("query,docid,score,model", ["a,x,1.5,T1", "a,y,0.5,T2"]),
    ],
)
def test_columns_that_are_no_system(header, rows):
    """A property of the documents, one name for all rows, and judgments alone rank nothing."""
    roles, doubt = roles_of(header, *rows)
    assert ("system" in roles, doubt) == (False, "")


def test_scores_of_systems():
    """Where a table has scores alone, a sure word and two systems for a query are enough."""
    roles, _ = roles_of("query,docid,score,system", "a,x,1.5,A", "a,y,0.5,B")
    assert roles["system"] == 3


def test_a_row_for_each_rater():
    """A column of names is that of raters where it tells grades of one document apart."""
    rows = ("a,x,Ann,3", "a,x,Bob,1", "a,y,Ann,0")
    expected = {"query": 0, "document": 1, "rater": 2, "grade": 3}
    assert roles_of("query,docid,rater,grade", *rows) == (expected, "")
    assert roles_of("query,docid,user,grade", *rows) == (expected, "“user” perhaps is the rater.")
    single = {"query": 0, "document": 1, "grade": 3}
    assert roles_of("query,docid,rater,grade", rows[0], rows[2]) == (single, "")


@pytest.mark.parametrize(
    ("header", "row", "note"),
    [
        ("query,docid,grade,Comments", "a,b,1,fine", 3),
        ("query,docid,rater 1,rater 2,Bemerkung", "a,b,1,2,gut", 4),
        ("query,docid,grade,note", "a,b,1,", 3),
        ("query,docid,grade,note", "a,b,1,2", None),
        ("query,docid,rater 1,rater 2,note", "a,b,1,2,", 4),
        ("query,docid,grader,note", "a,b,1,very good", 3),
        ("query,docid,grade,note,comment", "a,b,1,2,fine", 4),
        ("Anfrage,docid,Note", "a,b,2", None),
        ("query,docid,rank,remark", "a,b,1,fine", None),
    ],
)
def test_notes_of_judges(header, row, note):
    """A column of remarks beside grades is that of the notes, be it empty, but not one of numbers,
    and nobody is asked about it.
    """
    roles, doubt = roles_of(header, row)
    assert roles.get("note") == note
    assert not doubt or header.startswith("Anfrage")


def test_systems_are_no_raters():
    """One judge's grades repeat for each ranking: that is no second vote."""
    rows = ("a,x,1,A,3,Ann", "a,y,2,A,0,Bob", "a,x,1,B,3,Ann", "a,z,2,B,0,Bob")
    roles, _ = roles_of("query,docid,rank,system,grade,judge", *rows)
    assert (roles["system"], "rater" in roles) == (3, False)


def test_places_that_hold_documents():
    """Columns of places that hold no grades are not taken for grades."""
    for row in ("a,SKU-71,SKU-72", "a,71,72"):
        roles, doubt = roles_of("query,1,2", row)
        assert "positions" not in roles
        assert "No column is recognised as the document" in doubt


def test_remarks_are_no_grades():
    """A column of remarks, one of them a word of a scale, is not taken for grades."""
    roles, _ = roles_of("a,d1,good", "a,d2,wrong colour", "b,d3,too small")
    assert "grade" not in roles


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            ["a,d1,Exact", "a,d2,Partial", "b,d3,Irrelevant"],
            {"query": 0, "document": 1, "grade": 2},
        ),
        (
            ["star light,M1,1,3", "star light,M2,2,0", "star bright,M3,1,2"],
            {"query": 0, "document": 1, "rank": 2, "grade": 3},
        ),
        (["10,71,1", "10,72,2", "11,71,1"], {"query": 0, "document": 1, "rank": 2}),
        (["a,d1,2", "a,d2,0", "b,d1,2"], {"query": 0, "document": 1, "grade": 2}),
        (["a,d1,17.25", "a,d2,3.5", "b,d1,2000"], {"query": 0, "document": 1, "score": 2}),
        (["x", "y"], {"document": 0}),
    ],
)
def test_by_content(rows, expected):
    """Without a header the contents tell, and a person is asked."""
    roles, doubt = roles_of(*rows)
    assert roles == expected
    assert "no header" in doubt


def test_kinds_that_say_it_themselves():
    """Judgments and runs of TREC, and LTR lists, have their columns by definition."""
    assert told(guess(table_of("1 0 d 3\n")).roles) == {"query": 0, "document": 2, "grade": 3}
    run = guess(table_of("1 Q0 d 1 2.5 t\n")).roles
    assert told(run) == {"query": 0, "document": 1, "rank": 2, "score": 3}
    ltr = guess(table_of("3 qid:1 # d\n")).roles
    assert told(ltr) == {"query": 1, "query_text": 2, "document": 3, "grade": 0, "title": 4}
    assert told(guess(table_of('{"q": {"d": 1}}')).roles) == {"query": 0, "document": 1, "grade": 2}


def test_named_columns():
    """The user names columns by header, in any spelling, or by number."""
    table = table_of("Topic Text,Ware,Stars (1-5)\na,b,1\n")
    given = {"query": "topic_text", "document": "2", "grade": "stars"}
    assert told(named(table, given)) == {"query": 0, "document": 1, "grade": 2}


@pytest.mark.parametrize("name", ["nope", "0", "4", "-1", "²", "1.0", ""])
def test_a_named_column_that_is_not_there(name):
    """A column that is not there is refused, and those that are there are listed."""
    table = table_of("query,docid,grade\na,b,1\n")
    with pytest.raises(FileError, match=r"the columns are query, docid, grade\.$"):
        named(table, {"query": name})


def test_what_roles_come_to():
    """Judging needs a document and a grade; ranking needs a document and a rank or score."""
    assert Roles(document=0, grade=1).judges
    assert Roles(document=0, graders=(1, 2)).judges
    assert not Roles(query=0, grade=1).judges
    assert Roles(document=0, rank=1).ranks
    assert Roles(document=0, score=1).ranks
    assert not Roles(document=0, grade=1).ranks
    assert Roles(rank=0, systems=(1, 2)).ranks
    assert not Roles(systems=(1, 2)).ranks
    assert Roles(query=0, rank=3, systems=(1, 2)).used == {0, 1, 2, 3}
    assert Roles(query=0, positions=(1, 2)).judges
    assert Roles(query=0, positions=(1, 2)).ranks
    assert Roles(grade=1, graders=(2, 3)).graded == (2, 3)
    assert (Roles(grade=1).graded, Roles().graded) == ((1,), ())
