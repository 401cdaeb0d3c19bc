"""Ranks that restart or say nothing, scores that say nothing, and queries with few results."""

from dataclasses import replace

import numpy as np
import pytest
from build import joined, judgment_columns, ranking_columns

from ndcg_desktop.evaluation.join import join


def told(ranking, *codes):
    """Level, code and row of the findings with these codes, or of all."""
    queries = dict.fromkeys(row[0] for row in ranking)
    _, findings = joined([(query, "d1", 1) for query in queries], ranking)
    return [
        (each.level, each.code, each.row) for each in findings if not codes or each.code in codes
    ]


def ranks(*some, query="q"):
    """Rows of one query with these ranks, each of another document."""
    return [(query, f"d{place}", None, rank) for place, rank in enumerate(some, 1)]


def scores(*some, query="q"):
    """Rows of one query with these scores."""
    return [(query, f"d{place}", score) for place, score in enumerate(some, 1)]


def test_ranks_that_begin_again():
    """1 to 3 and 1 to 3 again within a query is told once, where it begins again."""
    assert told(ranks(1, 2, 3, 1, 2, 3)) == [("warning", "rank-restart", 5)]
    assert told(ranks(0, 1, 2, 0, 1, 2), "rank-restart") == [("warning", "rank-restart", 5)]
    two = ranks(1, 2, 3, 1, 2, 3) + ranks(1, 2, 3, query="other")
    assert told(two) == [("warning", "rank-restart", 5)]


def test_ranks_that_do_not_begin_again():
    """A rank that stands twice, and rows in another order, are no second list."""
    assert told(ranks(1, 2, 1, 3)) == [("warning", "rank-repeated", 4)]
    assert told(ranks(3, 2, 1)) == []
    assert told(ranks(1, 1, 2, 2, 3)) == [("warning", "rank-repeated", row) for row in (3, 5)]
    assert told(ranks(1, 2, 3) + ranks(1, 2, 3, query="other")) == []


def test_ranks_that_are_all_the_same():
    """Ranks of 0 throughout are told once, and not as ranks that repeat."""
    for rank in (0, 1):
        assert told(ranks(rank, rank, rank)) == [("warning", "rank-constant", 2)]
    one_each = [(f"q{number}", "d1", None, 1) for number in range(5)]
    assert told(one_each) == []


def test_ranks_from_zero():
    """Ranks from 0 are noted with their first row, in some of the queries too."""
    assert told(ranks(0, 1, 2)) == [("note", "rank-from-zero", 2)]
    mixed = ranks(1, 2, 3) + ranks(0, 1, 2, query="other")
    assert told(mixed) == [("note", "rank-from-zero", 5)]
    _, findings = joined([("q", "d1", 1), ("other", "d1", 1)], mixed)
    assert findings[0].text.startswith("The ranks of 1 of 2 queries begin at 0.")
    assert told(ranks(1, 2, 3)) == []


def test_impossible_ranks():
    """Ranks below 0 and between two places are told once, with the first of them."""
    assert told(ranks(1, 2, -3), "rank-impossible") == [("warning", "rank-impossible", 4)]
    assert told(ranks(1, 1.5, 2, 2.5)) == [("warning", "rank-impossible", 3)]
    _, findings = joined([("q", "d1", 1)], ranks(1, 1.5, 2, 2.5))
    assert findings[0].text.startswith("2 ranks are below 0 or no whole number, the first 1.5.")
    assert told(ranks(1, 2, 3)) == []


def test_no_ranks_at_all():
    """A ranking none of whose rows has a rank is left with no rows, and told row by row."""
    columns = replace(ranking_columns(ranks(1, 2)), rank=np.array([np.nan, np.nan]))
    _, findings = join([judgment_columns([("q", "d1", 1)])], [columns])
    assert [each.code for each in findings] == ["no-rank", "no-rank", "no-common-query"]


def test_a_gap_at_the_top():
    """Ranks that begin above 1 are told as a gap, one for each query; from 0 or 1 there is none."""
    assert told(ranks(2, 3, 4, 5)) == [("note", "rank-gap", 2)]
    assert told(ranks(1, 2, 3) + ranks(3, 2, 7, query="other")) == [("note", "rank-gap", 6)]
    assert told(ranks(0, 1, 2), "rank-gap") == told(ranks(1, 2), "rank-gap") == []
    _, findings = joined([("q", "d1", 1)], ranks(2, 3))
    assert findings[0].text.startswith("The ranks of the query “q” begin at 2. The gap is closed")
    _, findings = joined([("q", "d1", 1)], ranks(1, 4))
    assert findings[0].text.startswith("The ranks of the query “q” go from 1 to 4. The gap")


def test_ranks_of_another_list():
    """A rank by sales is told once, with the highest; judged rows of a long list are only gaps."""
    assert told(ranks(477, 15846)) == [("warning", "rank-sparse", 3)]
    sales = ranks(477, 15846) + ranks(90, 8, 3201, query="other")
    assert told(sales) == [("warning", "rank-sparse", 3)]
    assert told(ranks(1, 7, 950)) == [("note", "rank-gap", 3)]
    assert told(ranks(*range(11, 21))) == [("note", "rank-gap", 2)]


def test_scores_that_grow_with_the_rank():
    """Distances, lowest first, are told once; a single contradiction is told of its query."""
    distances = [("q", f"d{place}", place / 10, place) for place in range(1, 13)]
    assert told(distances) == [("warning", "rank-score-reversed", None)]
    falling = [("q", f"d{place}", -place / 10, place) for place in range(1, 13)]
    assert told(falling) == []
    one_wrong = [*falling[:-1], ("q", "d12", 9.0, 12)]
    assert told(one_wrong) == [("warning", "rank-against-score", 13)]


def test_scores_that_are_all_the_same():
    """Equal scores throughout are told once; some ties are told of their query."""
    assert told(scores(0, 0, 0)) == [("warning", "scores-equal", 2)]
    assert told(scores(2, 1, 1)) == [("note", "tied-scores", 4)]  # by id, descending
    assert told(scores(3, 2, 1)) == []
    assert told(scores(1) + scores(1, query="other")) == []


@pytest.mark.parametrize(("few", "noted"), [(1, True), (4, True), (5, False), (20, False)])
def test_short_rankings(few, noted):
    """A query with a fifth of the usual number of documents is noted with its number."""
    ranking = [(f"q{query}", f"d{place}") for query in range(10) for place in range(1, 21)]
    ranking += [("short", f"d{place}") for place in range(1, few + 1)]
    assert told(ranking) == ([("note", "short-ranking", None)] if noted else [])
    _, findings = joined([("short", "d1", 1)], ranking)
    assert any(f"“short” ({few})" in each.text for each in findings) == noted


def test_lengths_that_differ_all_over():
    """Where many queries have few documents, or all have few, that is how the search is."""
    many = [(f"q{query}", f"d{n}") for query in range(10) for n in range(2 if query % 2 else 40)]
    assert told(many, "short-ranking") == []
    few = [(f"q{query}", f"d{n}") for query in range(10) for n in range(1 if query == 0 else 8)]
    assert told(few, "short-ranking") == []
