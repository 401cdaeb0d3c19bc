"""What a person chose for a table is there again for the next of the same shape."""

import json
from dataclasses import replace

import pytest
from build import table_of, workbook
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.labels import Labels, parse_labels
from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.shape import AS_READ, NO_HEADER, Choices, choices_of, shape_of

WARES = "Query,Doc ID,Urteil\na,x,gut\na,y,schlecht\n"


def test_the_same_shape():
    """Case, punctuation, file name and contents are no part of a shape; columns are."""
    shape = shape_of(table_of(WARES))
    assert shape_of(table_of("QUERY,doc_id ,Urteil (0-1)\nb,z,1\nb,v,2\n", "other.csv")) == shape
    assert shape_of(table_of("Query,Urteil,Doc ID\na,1,x\nb,2,y\n")) != shape
    assert shape_of(table_of("Query,Doc ID,Urteil,Rest\na,x,1,2\n")) != shape
    assert shape.key == shape_of(table_of(WARES)).key
    assert shape.key != shape_of(table_of("Query,Urteil,Doc ID\na,1,x\nb,2,y\n")).key


def test_a_sheet_is_no_part_of_it():
    """The sheet of another week has the same shape."""
    rows = [["query", "docid", "grade"], ["a", "x", 1]]
    one, two = read_bytes(table_of(WARES).path, workbook({"Week 1": rows, "Week 2": rows}))
    assert shape_of(one) == shape_of(two)
    assert shape_of(one) != shape_of(table_of("query,docid,grade\na,x,1\n"))


def test_a_shape_without_header():
    """Without a header the number of columns and what they hold tell shapes apart."""
    shape = shape_of(table_of("a,x,1\na,y,2\n"))
    assert shape.columns == ("text", "text", "number")
    assert shape_of(table_of("c,z,7\nd,v,9\n")) == shape
    assert shape_of(table_of("c,7,z\nd,9,v\n")) != shape


CHOICES = Choices(
    Roles(query=0, document=1, grade=2),
    parse_labels("gut=1,schlecht=0,?="),
    row_order=True,
    merge="max",
    duplicates="last",
    sheet="Week 1",
)


def test_choices_are_applied():
    """The next table is understood as the first was."""
    part = CHOICES.apply(table_of(WARES))
    assert (part.roles, part.row_order) == (CHOICES.roles, True)
    assert (part.merge, part.duplicates, part.labels) == ("max", "last", CHOICES.labels)


@pytest.mark.parametrize(
    "choices",
    [
        Choices(Roles(query=0, document=1, grade=3)),
        Choices(Roles(query=0, document=1)),
        Choices(),
        Choices(Roles(query=0, document=1, grade=2), header_row=9),
    ],
)
def test_choices_that_do_not_fit(choices):
    """A column or a row that is not there, and roles that say nothing, are not applied."""
    assert choices.apply(table_of(WARES)) is None


@pytest.mark.parametrize("row", [None, 1, 2])
def test_the_header_row_is_chosen_again(row):
    """Which row is the header, or that none is, is among the choices."""
    read = table_of(WARES)
    cut = read.with_header_row(row)
    part = Understood(cut, Roles(query=0, document=1, grade=2))
    choices = choices_of(part, read)
    assert choices.header_row == {None: NO_HEADER, 1: AS_READ, 2: 2}[row]
    again = choices.apply(table_of(WARES)).table
    assert (again.header, again.columns) == (cut.header, cut.columns)


def test_a_header_further_down():
    """A header that the reader finds is found wherever the next file has it."""
    below = table_of("Review\nby B.\nquery,docid,grade\na,x,1\n")
    part = Understood(below, Roles(query=0, document=1, grade=2))
    choices = choices_of(part, below)
    next_one = choices.apply(table_of("query,docid,grade\na,x,1\n"))
    assert next_one.table.header == ("query", "docid", "grade")


PLACES = st.integers(0, 9)
ROLES = st.builds(
    Roles,
    query=st.none() | PLACES,
    document=st.none() | PLACES,
    grade=st.none() | PLACES,
    title=st.none() | PLACES,
    rater=st.none() | PLACES,
    graders=st.lists(PLACES, max_size=3).map(tuple),
    positions=st.lists(PLACES, max_size=3).map(tuple),
)
GRADES = st.sampled_from([-1.0, 0.0, 1.0, 2.33])
LABELS = st.builds(
    Labels, st.dictionaries(st.text(), st.none() | GRADES), st.dictionaries(GRADES, st.text())
)


@given(
    st.builds(
        Choices,
        ROLES,
        st.none() | LABELS,
        st.booleans(),
        st.sampled_from(("mean", "median", "min", "max")),
        st.sampled_from(("highest", "first", "last", "mean")),
        st.integers(AS_READ, 40),
        st.none() | st.text(),
    )
)
def test_choices_come_back(choices):
    """Choices are the same after a stay in the preferences."""
    assert Choices.from_json(choices.to_json()) == choices


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"grade": 2', '"grade": -1'),
        ('"grade": 2', '"grade": true'),
        ('"grade": 2', '"stars": 2'),
        ('"grade": 2', '"graders": 2'),
        ('"max"', '"sum"'),
        ('"last"', "[]"),
        ('"sheet": "Week 1"', '"sheet": 1'),
        ('"header_row": -1', '"header_row": -2'),
        ('"gut": 1.0', '"gut": NaN'),
        ('"gut": 1.0', '"gut": "1"'),
    ],
)
def test_choices_that_were_spoiled(old, new):
    """One wrong value is as good as none of them."""
    text = CHOICES.to_json()
    assert old in text
    assert Choices.from_json(text.replace(old, new)) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda some: st.lists(some, max_size=3) | st.dictionaries(st.text(max_size=5), some),
)


@given(st.text() | JSON.map(json.dumps))
def test_garbage(text):
    """Whatever else stands in the preferences, it is no choice."""
    assert Choices.from_json(text) is None


@given(st.sampled_from(sorted(json.loads(CHOICES.to_json()))), JSON)
def test_one_part_is_garbage(name, value):
    """Whatever one part is, the rest is applied as it was, or nothing is."""
    choices = Choices.from_json(json.dumps(json.loads(CHOICES.to_json()) | {name: value}))
    part = None if choices is None else choices.apply(table_of(WARES))
    assert part is None or part.roles == CHOICES.roles or name == "roles"


def test_nothing_else_is_carried_over():
    """The choices of a table say nothing about its rows."""
    part = CHOICES.apply(table_of(WARES))
    other = replace(part, table=table_of(WARES + "b,z,gut\n"))
    assert choices_of(other, other.table) == replace(CHOICES, sheet=None)
