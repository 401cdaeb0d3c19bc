"""Judgments and rankings that share queries and no documents are told, and others are not."""

from build import joined, values_of


def told(judgments, *rankings):
    """The findings about documents in common."""
    _, findings = joined(judgments, *rankings)
    return [each for each in findings if each.code == "no-common-document"]


def rows(name, number, queries=2):
    """Some documents of each query, named alike."""
    return [(f"q{query}", f"{name}{place}") for query in range(queries) for place in range(number)]


def test_no_document_in_common():
    """The score 0 of a ranking of other documents is explained, with examples of both sides."""
    evaluation, findings = joined([("q1", "a", 3)], [("q1", "W")])
    assert values_of(evaluation) == {"q1": 0.0}
    (finding,) = findings
    assert (finding.level, finding.code, finding.row) == ("warning", "no-common-document", 2)
    assert finding.text == (
        "In the queries that judgments and ranking have in common, no returned document is judged: "
        "the two may not belong together, or name their documents differently. For “q1” the "
        "judgments have “a”; the ranking has “W”. They are scored as they stand."
    )


def test_the_level():
    """Ten returned documents without a judgment, or more, are an error."""
    judged = [(*row, 1) for row in rows("a", 5)]
    (few,) = told(judged, rows("x", 4))
    (many,) = told(judged, rows("x", 5))
    assert (few.level, many.level) == ("warning", "error")
    assert "“x0”, “x1”, “x2”, …" in many.text


def test_nearly_no_document_in_common():
    """One document in common of more than fifty is told as well, with its number."""
    judged = [(*row, 1) for row in rows("a", 30)]
    (finding,) = told(judged, [("q0", "a0"), *rows("x", 30)])
    assert finding.level == "warning"
    assert "only 1 of 61 returned documents are judged" in finding.text


def test_documents_in_common():
    """Few judgments among many returned documents, and queries of one side, are no sign."""
    judged = [("q0", "x3", 1), ("q1", "x900", 1)]
    assert told(judged, rows("x", 800)) == []
    assert told([("q0", "a", 1), ("other", "b", 1)], [("q0", "a"), ("third", "c")]) == []
    assert told([("q0", "x0", None)], rows("x", 4)) == []


def test_a_repair_says_more():
    """Where ids are only written differently, that is what is told."""
    assert told([("q", "doc1", 1), ("q", "doc2", 1)], [("q", "DOC1"), ("q", "DOC2")]) == []


def test_each_ranking_for_itself():
    """Of two rankings the one of other documents is told."""
    judged = [(*row, 1) for row in rows("a", 3)]
    (finding,) = told(judged, rows("a", 3), rows("x", 3))
    assert "the ranking has “x0”" in finding.text
