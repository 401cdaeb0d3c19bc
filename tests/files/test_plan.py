"""Of all tables that were read: which are used, and as what."""

from dataclasses import replace
from pathlib import Path

import pytest
from build import table_of, workbook

from ndcg_desktop.files.plan import Settings, plan
from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.table import FileError

BOTH = [["query", "docid", "rank", "grade"], ["a", "x", 1, 2]]
JUDGED = [["query", "docid", "grade"], ["a", "x", 2]]
RANKED = [["query", "docid", "rank"], ["a", "x", 1]]
SYSTEMS = [["query", "rank", "Live", "New"], ["a", 1, "x", "y"], ["a", 2, "y", "x"]]
NOTES = [["Guide"], ["3 = perfect"]]


def planned(sheets, hidden=(), settings=None):
    """The plan of a workbook."""
    tables = read_bytes(Path("book.xlsx"), workbook(sheets))
    tables = [replaced(table, table.sheet in hidden) for table in tables]
    return plan(tables, settings)


def replaced(table, hidden):
    """The table, hidden or not."""
    return replace(table, hidden=hidden)


def used(made):
    """The sheets that are used."""
    return [part.table.sheet for part in made.parts]


def test_judgments_and_ranking_in_two_sheets():
    """Sheets that each hold a half are both used; a guide is not, and that is told."""
    made = planned({"READ ME": NOTES, "J": JUDGED, "R": RANKED})
    assert used(made) == ["J", "R"]
    assert not made.doubts
    assert [(each.code, each.source.sheet) for each in made.findings] == [
        ("sheet-unused", "READ ME")
    ]


def test_hidden_sheets():
    """A hidden sheet is not used beside a visible one, and is where all are hidden."""
    made = planned({"now": BOTH, "old": BOTH}, hidden=["old"])
    assert used(made) == ["now"]
    assert "hidden" in made.findings[0].text
    assert used(planned({"old": BOTH}, hidden=["old"])) == ["old"]


def test_several_whole_sheets():
    """Of several sheets with grades and a ranking the first is taken, with a doubt."""
    made = planned({"one": BOTH, "two": BOTH})
    assert used(made) == ["one"]
    assert "“one”, “two”" in made.doubts[0]


def test_a_named_sheet():
    """A named sheet is used, also a hidden one, and must be there."""
    sheets = {"one": BOTH, "two": BOTH}
    assert used(planned(sheets, settings=Settings(sheet="two"))) == ["two"]
    assert used(planned(sheets, hidden=["two"], settings=Settings(sheet="two"))) == ["two"]
    with pytest.raises(FileError, match="no sheet “three”"):
        planned(sheets, settings=Settings(sheet="three"))


def test_a_sheet_is_named_for_workbooks_alone():
    """A named sheet is looked for in workbooks, not in the text files beside them."""
    text = table_of("query,docid,rank\na,x,1\n", "run.csv")
    tables = [text, *read_bytes(Path("book.xlsx"), workbook({"J": JUDGED, "K": JUDGED}))]
    assert used(plan(tables, Settings(sheet="K"))) == [None, "K"]


def test_systems_that_the_judgments_know():
    """Columns side by side are surely rankings where the judgments know their documents."""
    made = planned({"J": JUDGED, "S": SYSTEMS})
    assert made.parts[1].roles.systems == (2, 3)
    assert not made.doubts
    assert "side by side" in planned({"S": SYSTEMS}).doubts[0]


def test_a_column_of_remarks_is_no_system():
    """Beside a column that the judgments know, one that they do not know is no ranking."""
    rows = [["query", "rank", "Live", "Remark"], ["a", 1, "x", "fine"], ["a", 2, "y", "so so"]]
    made = planned({"J": JUDGED, "S": rows})
    assert made.parts[1].roles.systems == (2,)


def test_row_order():
    """The order of rows ranks where the user says so; a bare list is asked about."""
    judged = table_of("query,docid,grade\na,x,1\n")
    assert not plan([judged]).parts[0].row_order
    assert plan([judged], Settings(row_order=True)).parts[0].row_order
    bare = table_of("query,docid\na,x\n")
    assert plan([bare]).parts[0].row_order
    assert plan([bare]).doubts


def test_named_columns_and_merge():
    """Named columns replace the guess and its doubt; the rule for graders goes along."""
    table = table_of("Topic,Ware,Stars\na,x,1\n")
    settings = Settings(columns={"query": "Topic", "document": "Ware", "grade": "3"}, merge="max")
    made = plan([table], settings)
    assert not made.doubts
    assert made.parts[0].roles.judges
    assert made.parts[0].merge == "max"


def test_columns_named_for_one_of_two_files():
    """Columns are named for the file that has them: the other keeps its own."""
    judged = table_of("query,docid,grade\na,x,1\n", "qrels.csv")
    ranked = table_of("Topic,Ware,Platz\na,x,1\n", "run.csv")
    settings = Settings(columns={"query": "Topic", "document": "Ware", "rank": "Platz"})
    made = plan([judged, ranked], settings)
    assert made.parts[0].roles.judges
    assert made.parts[1].roles.ranks


def test_columns_named_for_one_of_several_sheets():
    """A guide beside the table lacks the columns that are named, and does no harm."""
    stars = [["Topic", "Ware", "Stars", "Platz"], ["a", "x", 2, 1]]
    columns = {"query": "Topic", "document": "Ware", "grade": "Stars", "rank": "Platz"}
    made = planned({"READ ME": NOTES, "S": stars}, settings=Settings(columns=columns))
    assert used(made) == ["S"]
    assert not made.doubts


def test_a_named_column_must_be_somewhere():
    """A column that no table has is refused."""
    tables = [
        table_of("query,docid,grade\na,x,1\n"),
        table_of("query,docid,rank\na,x,1\n", "r.csv"),
    ]
    with pytest.raises(FileError, match="no column “stars”"):
        plan(tables, Settings(columns={"query": "query", "grade": "stars"}))


def test_trec_columns_are_not_renamed():
    """Named columns do not touch a TREC file, whose columns are known."""
    qrels = table_of("1 0 d 3\n", "qrels")
    made = plan([qrels], Settings(columns={"query": "9"}))
    assert made.parts[0].roles.judges
