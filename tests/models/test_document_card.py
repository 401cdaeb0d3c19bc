"""What a judge sees of a document, and what not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_evaluations import evaluate, judgment_columns, ranking_columns

from ndcg_desktop.evaluation.join import join
from ndcg_desktop.models.document_card import card, sort_of


def test_texts_of_both_files() -> None:
    """The ranking's texts come first, then those of the judgments; the title has its place."""
    judgments = replace(
        judgment_columns([("q1", "A", 2.0), ("q1", "B", 1.0)]),
        other={
            "Brand": ["Acme", "Bolt"],
            "title": ["old name", ""],
            "intent": ["to run", "to run"],
        },
    )
    ranking = replace(
        ranking_columns([("q1", "B"), ("q1", "A")]),
        other={"title": ["Boot", "Runner"], "price": ["9", " "]},
        title="title",
    )
    evaluation, _ = join([judgments], [ranking])
    found = card(evaluation, 0, "A")
    assert (found.title, found.document, found.query) == ("Runner", "A", "q1")
    assert found.description == "to run"
    assert [(field.header, field.text) for field in found.fields] == [("Brand", "Acme")]


@pytest.mark.parametrize(
    "header",
    [
        *("Rank", "position", "Score", "BM25", "system", "final rating", "relevance", "run id"),
        *("Rater A", "judge Bob", "verdict"),
    ],
)
def test_nothing_tells_the_rank(header) -> None:
    """Columns that tell how a document was ranked or graded are left out, and those one hides."""
    judgments = replace(
        judgment_columns([("q1", "A", 2.0)]), other={header: ["7"], "remark": ["no"], "text": ["T"]}
    )
    evaluation, _ = join([judgments], [])
    assert [f.header for f in card(evaluation, 0, "A", {"remark"}).fields] == ["text"]


def test_a_document_without_texts() -> None:
    """Its id is all there is, also for one that no table lists."""
    evaluation, _ = evaluate([("q1", "A", 2.0)], [])
    assert card(evaluation, 0, "Z").fields == ()
    assert card(evaluation, 0, "A").title == ""


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("https://example.org/a", "link"),
        ("HTTP://example.org", "link"),
        ("https://example.org/a.PNG?size=2", "picture"),
        ("images/shoe.jpg", "picture"),
        ("C:\\pictures\\a shoe.jpg", "picture"),
        ("see https://example.org for more", "text"),
        ("a shoe.jpg", "text"),
        ("javascript:alert(1)", "text"),
        ("file:///etc/passwd", "text"),
        ("", "text"),
    ],
)
def test_what_can_be_opened(text, sort) -> None:
    """Addresses of the web and names of pictures, and nothing else."""
    assert sort_of(text) == sort
