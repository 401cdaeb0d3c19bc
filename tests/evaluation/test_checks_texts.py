"""One id with two texts, and one text with two ids."""

from dataclasses import replace

from build import judgment_columns, ranking_columns

from ndcg_desktop.evaluation.checks_texts import MOST_TEXTS
from ndcg_desktop.evaluation.join import join

JUDGED = judgment_columns([("1", "A", 1), ("1", "B", 2), ("2", "A", 1)])
RANKED = ranking_columns([("1", "A"), ("2", "A")])


def told(judgments, *rankings):
    """Code, file and row of each finding."""
    _, findings = join([judgments], list(rankings))
    return [(each.code, each.source.file, each.row) for each in findings]


def test_a_query_with_two_texts():
    """A query id with another text further down, or in the other file, is noted there."""
    twice = replace(JUDGED, query_text=["shoes", "boots", "hats"])
    assert told(twice) == [("query-two-texts", "judgments.csv", 3)]
    first = replace(JUDGED, query_text=["shoes", "shoes", "hats"])
    second = replace(RANKED, query_text=["boots", "hats"])
    assert told(first, second) == [("query-two-texts", "run.csv", 2)]
    _, findings = join([first], [second])
    assert findings[0].text == (
        "The query “1” is called “boots” here and “shoes” in judgments.csv, row 2. It is taken for "
        "one query."
    )


def test_texts_that_agree():
    """Texts that differ by case or spaces, and blank ones, are one text."""
    first = replace(JUDGED, query_text=["Shoes", "", "hats"])
    second = replace(RANKED, query_text=["shoes ", "hats"])
    assert told(first, second) == []


def test_a_text_with_two_queries():
    """Two query ids with one text are noted at the second."""
    assert told(replace(JUDGED, query_text=["shoes", "shoes", "Shoes"])) == [
        ("text-two-queries", "judgments.csv", 4)
    ]


def test_a_document_with_two_titles():
    """A document with two titles is noted; two documents may share one."""
    titled = replace(JUDGED, other={"Title": ["Boot", "Shoe", "Sandal"]}, title="Title")
    assert told(titled) == [("document-two-titles", "judgments.csv", 4)]
    assert told(replace(titled, other={"Title": ["Boot", "Boot", "Boot"]})) == []
    assert told(replace(JUDGED, other={"remark": ["x", "y", "z"]})) == []


def test_a_table_that_is_both():
    """What is noted of a table's judgments is not noted again of its ranking."""
    both = replace(RANKED, source=JUDGED.source, query_text=["shoes", "shoes"])
    same = judgment_columns([("1", "A", 1), ("2", "A", 1)])
    assert told(replace(same, query_text=["shoes", "shoes"]), both) == [
        ("text-two-queries", "judgments.csv", 3)
    ]


def test_very_many_are_cut_short():
    """Past a number one finding says how many more there are."""
    rows = [(f"{number}", "A", 1) for number in range(MOST_TEXTS + 4)]
    _, findings = join([replace(judgment_columns(rows), query_text=["shoes"] * len(rows))], [])
    assert len(findings) == MOST_TEXTS + 1
    assert findings[-1].text == "… and 3 more."
