"""Of all tables that were read: which are used, and as what."""

from dataclasses import replace
from pathlib import Path

import pytest
from build import table_of, workbook

from ndcg_desktop.files.labels import parse_labels
from ndcg_desktop.files.plan import Settings, plan
from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.shape import Choices, shape_of
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


# ---- grades in words


WORDS = [["query_id", "product_id", "label"], ["a", "x", "Exact"], ["a", "y", "Partial"]]


def test_words_of_a_known_scale():
    """Words of a known scale are suggested with a doubt that spells the suggestion out."""
    (table,) = read_bytes(Path("book.xlsx"), workbook({"J": WORDS}))
    made = plan([table])
    assert made.doubts == {
        0: "The grades are words: “exact” is 2, “partial” is 1, “irrelevant” is 0."
    }
    assert made.parts[0].labels.grade_of("Partial") == 1


def test_words_that_a_person_explained():
    """Labels that are given leave no doubt, and stay off a file of numbers."""
    labels = parse_labels("exact=3,partial=2")
    numbers = table_of("query,docid,grade\na,x,2\n", "numbers.csv")
    words = table_of("query,docid,grade\na,x,Exact\na,y,3\n")
    made = plan([words, numbers], Settings(labels=labels))
    assert not made.doubts
    assert [part.labels for part in made.parts] == [labels, None]


def test_words_of_no_scale():
    """Remarks in the place of grades are no labels."""
    made = plan([table_of("query,docid,rating\na,x,fits well\na,y,wrong colour\n")])
    assert made.parts[0].labels is None
    assert made.doubts == {0: "“rating” holds words rather than grades."}


def test_a_word_among_numbers():
    """One word among numbers is no scale: it is told when the table is read."""
    made = plan([table_of("query,docid,rating\na,x,3\na,y,bad\na,z,1\n")])
    assert made.parts[0].labels is None
    assert not made.doubts


def test_two_reasons_to_ask():
    """Where the columns are unsure too, both are said."""
    made = plan([table_of("Suchanfrage,Dokument,Bewertung\na,x,Exact\na,y,Irrelevant\n")])
    assert made.doubts[0].startswith("“Bewertung” is perhaps the grade. The grades are words:")


def test_words_do_not_push_a_sheet_aside():
    """A sheet whose columns are sure is used beside others, though its words are asked about."""
    made = planned({"J": WORDS, "R": RANKED})
    assert used(made) == ["J", "R"]
    assert list(made.doubts) == [0]


def test_the_rule_for_duplicates():
    """The rule for judgments that contradict each other goes along."""
    table = table_of("query,docid,grade\na,x,1\n")
    assert plan([table], Settings(duplicates="last")).parts[0].duplicates == "last"


# ---- what was chosen before


def test_what_was_chosen_before():
    """A table of a shape that a person has explained is read so, with a note and no doubt."""
    table = table_of("Thema,Ware,Urteil\na,x,1\n")
    choices = Choices(Roles(query=0, document=1, grade=2), row_order=True, merge="max")
    known = {shape_of(table): choices}
    made = plan([table], remembered=lambda each: known.get(shape_of(each)))
    assert not made.doubts
    assert made.remembered == {0}
    assert (made.parts[0].roles, made.parts[0].row_order) == (choices.roles, True)
    assert [(each.level, each.code) for each in made.findings] == [("note", "columns-remembered")]
    assert "as you chose for a file of this shape before" in made.findings[0].text


def test_choices_that_do_not_fit_any_more():
    """Where what was chosen cannot be applied, the table is guessed as ever."""
    table = table_of("query,docid,grade\na,x,1\n")
    made = plan([table], remembered=lambda _: Choices(Roles(document=7, grade=2)))
    assert made.parts[0].roles.query == 0
    assert made.findings == []


def test_columns_named_now_count_for_more():
    """Columns that are named for this very file are not overruled by older ones."""
    table = table_of("query,docid,grade,mine\na,x,1,2\n")
    choices = Choices(Roles(query=0, document=1, grade=2))
    settings = Settings(columns={"query": "query", "document": "docid", "grade": "mine"})
    assert plan([table], settings, lambda _: choices).parts[0].roles.grade == 3


def test_systems_and_bare_rows_chosen_before():
    """What would be asked about is not asked again."""
    rankings = table_of("query,rank,Live,New\na,1,x,y\na,2,y,x\n")
    choices = Choices(Roles(query=0, rank=1, systems=(2, 3)))
    assert not plan([rankings], remembered=lambda _: choices).doubts
    bare = table_of("query,docid\na,x\n")
    choices = Choices(Roles(query=0, document=1), row_order=True)
    assert not plan([bare], remembered=lambda _: choices).doubts


@pytest.mark.parametrize(("sheet", "doubts"), [("two", 0), ("three", 1)])
def test_the_sheet_chosen_before(sheet, doubts):
    """Of several sheets of one shape the one that was chosen before is taken."""
    tables = read_bytes(Path("book.xlsx"), workbook({"one": BOTH, "two": BOTH}))
    choices = Choices(Roles(query=0, document=1, rank=2, grade=3), sheet=sheet)
    made = plan(tables, remembered=lambda _: choices)
    assert used(made) == ["two" if sheet == "two" else "one"]
    assert len(made.doubts) == doubts


CHOSEN = Choices(Roles(query=0, document=1, grade=2), parse_labels("exact=2,partial=1"))


@pytest.mark.parametrize(
    ("text", "choices", "doubt"),
    [
        ("query,doc,verdict\nq,A,Exact\nq,B,partial\nq,C,\n", CHOSEN, ""),
        ("query,doc,verdict\nq,A,Exact\nq,B,superb\n", CHOSEN, "had no “superb”"),
        ("query,doc,verdict\nq,A,yes\nq,B,no\n", replace(CHOSEN, labels=None), "had numbers"),
        ("query,doc,verdict\nq,A,1\nq,B,2\nq,C,n/a\n", replace(CHOSEN, labels=None), ""),
        ("q1,A7,1\nq1,B7,2\nq2,C7,0\n", replace(CHOSEN, labels=None), ""),
        ("A7,q1,1\nB7,q1,2\nC7,q2,0\n", replace(CHOSEN, labels=None), "another order"),
    ],
)
def test_contents_of_another_kind_are_asked_about(text, choices, doubt):
    """A remembered reading holds for the same words and the same order of columns, and for no
    others: a new word would be not judged, and a document a query, in silence.
    """
    made = plan([table_of(text)], remembered=lambda _: choices)
    assert bool(made.doubts) == bool(doubt)
    assert doubt in made.doubts.get(0, "")
    if "superb" in doubt:
        labels = made.parts[0].labels
        assert [labels.grade_of(word) for word in ("exact", "partial", "superb")] == [2, 1, None]
