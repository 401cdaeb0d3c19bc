"""Scores that are missing, no numbers, or unclear are told where a ranking goes by them."""

import pytest
from build import table_of

from ndcg_desktop.evaluation.join import join
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.roles import Roles


def assembled(text, *names):
    """What is made of a table whose columns mean what their names say."""
    table = table_of(text)
    roles = Roles(**{name: place for place, name in enumerate(table.header)})
    return assemble([Understood(table, roles)])


def told(text):
    """Code, row and text of each finding about scores."""
    return [
        (each.code, each.row, each.text)
        for each in assembled(text).findings
        if each.code in ("not-a-score", "unclear-point", "unclear-comma")
    ]


def column(*scores):
    """A table of one query with these scores."""
    return "query,document,score\n" + "".join(
        f'q,d{place},"{score}"\n' for place, score in enumerate(scores)
    )


@pytest.mark.parametrize("text", ["n/a", "NaN", "inf", "-Infinity", "#N/A", "high"])
def test_a_score_that_is_no_number(text):
    """Its row and text are told, and its document is ranked last."""
    out = assembled(column("0.5", text, "2.5"))
    (finding,) = out.findings
    assert (finding.level, finding.code, finding.row) == ("warning", "not-a-score", 3)
    assert finding.text.startswith(f"The score “{text}” of this row is not a number")
    evaluation, _ = join(out.judgments, out.rankings)
    ranking = evaluation.rankings[0]
    rows = ranking.arrange("auto").rows(0)
    assert ranking.columns.document.take(rows).texts() == ["d2", "d0", "d1"]


def test_a_score_that_is_blank():
    """A row without a score is told, a row without a document is none."""
    ((code, row, text),) = told("query,document,score\nq,a,1.5\nq,b,\nq,,\n")
    assert (code, row) == ("not-a-score", 3)
    assert text == "This row has no score. Its document is ranked last in its query."


def test_scores_that_are_not_used():
    """Where the ranks say the order, and where all scores are numbers, nothing is told."""
    assert told("query,document,rank,score\nq,a,1,n/a\nq,b,2,\n") == []
    assert told(column("1e3", "-2", "0.5")) == []


def test_points_that_may_set_apart_thousands():
    """Such a column is told once, at its first row with a point, and read with decimals."""
    out = assembled(column("900", "1.000", "2.500", "400"))
    (finding,) = out.findings
    assert (finding.level, finding.code, finding.row) == ("warning", "unclear-point", 3)
    assert "“1.000” in the column “score”" in finding.text
    assert out.rankings[0].score.tolist() == [900, 1, 2.5, 400]


def test_commas_beside_decimals():
    """Decimals after a point prove that the comma sets apart thousands."""
    out = assembled(column("1,000", "2,500", "900.5", "400.25"))
    assert out.findings == []
    assert out.rankings[0].score.tolist() == [1000, 2500, 900.5, 400.25]
