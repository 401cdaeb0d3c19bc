"""Which documents are to be judged, and in which order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_evaluations import NAN, evaluate, judgment_columns, ranking_columns

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.evaluation.queue import LEAST_APART, Queue, QueueOptions, make_queue
from ndcg_desktop.evaluation.votes import Votes
from ndcg_desktop.evaluation.worth import worth, worth_between, worth_of_query
from ndcg_desktop.scoring.options import Options

JUDGED = [("q1", "A", 2.0), ("q1", "B", NAN), ("q1", "X", NAN), ("q2", "C", NAN)]
RETURNED = [("q1", "B"), ("q1", "A"), ("q1", "N"), ("q2", "M"), ("q2", "C")]


def shown(queue: Queue | None) -> list[tuple[int, str]]:
    """Query and document of each place of a queue."""
    assert queue is not None
    return list(zip(queue.query.tolist(), queue.documents.texts(), strict=True))


def small() -> Evaluation:
    """Two queries, some documents judged, some listed without a grade, some only returned."""
    return evaluate(JUDGED, RETURNED)[0]


def test_in_the_order_of_the_ranking() -> None:
    """Unjudged documents by query and rank, then those that only the judgments list."""
    queue = make_queue(small(), QueueOptions(), "")
    assert shown(queue) == [(0, "B"), (0, "N"), (0, "X"), (1, "M"), (1, "C")]
    assert queue.total.tolist() == [4, 2]
    assert queue.done.tolist() == [1, 0]


def test_depth_and_pool() -> None:
    """Only so far down the ranking, and, where that is wanted, only what it returns."""
    options = QueueOptions(pool="returned", depth=1)
    assert shown(make_queue(small(), options, "")) == [(0, "B"), (1, "M")]
    assert shown(make_queue(small(), replace(options, pool="all"), "")) == [
        (0, "B"),
        (0, "X"),
        (1, "M"),
        (1, "C"),
    ]


def test_what_every_ranking_returns() -> None:
    """Of two rankings only the documents that both return."""
    other = replace(ranking_columns([("q1", "N"), ("q1", "Z"), ("q2", "C")]), name="other")
    evaluation, _ = join([judgment_columns(JUDGED)], [ranking_columns(RETURNED), other])
    queue = make_queue(evaluation, QueueOptions(pool="common"), "")
    assert shown(queue) == [(0, "N"), (1, "C")]
    assert queue.total.tolist() == [1, 1]


def test_marks() -> None:
    """Documents nobody could judge leave the queue, those for later come last; both have theirs."""
    evaluation = small()
    evaluation.remarks.set_mark(evaluation.pair_of(0, "B"), "", "later")
    evaluation.remarks.set_mark(evaluation.pair_of(1, "M"), "", "cannot")
    evaluation.remarks.set_mark(evaluation.pair_of(1, "C"), "Ann", "cannot")  # somebody else's
    assert shown(make_queue(evaluation, QueueOptions(), "")) == [
        (0, "N"),
        (0, "X"),
        (1, "C"),
        (0, "B"),
    ]
    assert shown(make_queue(evaluation, QueueOptions(which="later"), "")) == [(0, "B")]
    assert shown(make_queue(evaluation, QueueOptions(which="cannot"), "")) == [(1, "M")]


def test_a_judge_of_several() -> None:
    """What others have judged is still to be judged; open disagreements are a queue."""
    evaluation = small()
    names = evaluation.judgments.documents.texts()
    pair = np.array([names.index("A"), names.index("A"), names.index("B"), names.index("B")])
    judge, grade = np.array([0, 1, 0, 1]), np.array([2.0, 1.0, 3.0, 3.0])
    evaluation.votes = Votes(["Ann", "Bob"], pair, judge, grade, "mean")
    assert (0, "A") in shown(make_queue(evaluation, QueueOptions(), "Cem"))
    assert (0, "A") not in shown(make_queue(evaluation, QueueOptions(), "Ann"))
    options = QueueOptions(which="disagreements")
    queue = make_queue(evaluation, options, "Ann")
    assert shown(queue) == [(0, "A")]
    assert (queue.total.tolist(), queue.done.tolist()) == ([1, 0], [0, 0])
    evaluation.votes.set(names.index("A"), "verdict", 1.0)
    queue = make_queue(evaluation, options, "Ann")
    assert shown(queue) == []
    assert (queue.total.tolist(), queue.done.tolist()) == ([1, 0], [1, 0])


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("ABCDEFGHIJ"), st.booleans()), max_size=40
    ),
    st.integers(0, 5),
    st.sampled_from(["query", "mixed"]),
    st.integers(0, 50),
)
def test_every_open_document_once(rows, seed, by, repeats) -> None:
    """Whatever the order, each unjudged document is there, and again only where it is marked so."""
    graded = {(query, document): grade for query, document, grade in rows}
    judged = [(q, d, 1.0 if grade else NAN) for (q, d), grade in graded.items()]
    if not judged:
        return
    evaluation = evaluate(judged, [])[0]
    options = QueueOptions(seed=seed, by=by, repeats=repeats)
    queue = make_queue(evaluation, options, "")
    got = shown(queue)
    names = evaluation.queries
    first = [(names[q], d) for (q, d), again in zip(got, queue.again, strict=True) if not again]
    second = [(names[q], d) for (q, d), again in zip(got, queue.again, strict=True) if again]
    wanted = {key for key, grade in graded.items() if not grade}
    assert sorted(first) == sorted(wanted)
    assert len(second) == len(set(second)) == len(wanted) * repeats // 100
    for key in second:  # the second showing is far behind the first, where there is room
        a, b = (i for i, (q, d) in enumerate(got) if (names[q], d) == key)
        assert not queue.again[a] and queue.again[b]
        between = int(np.count_nonzero(~queue.again[a + 1 : b]))
        assert between >= min(LEAST_APART - 1, len(first) - 1 - first.index(key))
    if by == "query":
        order = [q for q, _ in got if True]
        assert repeats or order == sorted(order)


def test_the_seed_makes_the_order() -> None:
    """The same seed gives the same order, also of what is left when some are judged."""
    judged = [("q", f"d{number}", NAN) for number in range(30)]
    evaluation = evaluate(judged, [])[0]
    options = QueueOptions(seed=4)
    before = shown(make_queue(evaluation, options, ""))
    assert before != shown(make_queue(evaluation, replace(options, seed=5), ""))
    assert before != shown(make_queue(evaluation, replace(options, seed=None), ""))
    evaluation.set_grades([(evaluation.pair_of(0, document), 1.0) for _, document in before[:10]])
    assert shown(make_queue(evaluation, options, "")) == before[10:]


@pytest.mark.parametrize("by", ["range", "winner"])
def test_by_worth(by) -> None:
    """Judge next: the order is that of the worth, and follows it when a query gets a grade."""
    generator = np.random.default_rng(3)
    judged = [
        (f"q{q}", f"d{d}", NAN if generator.random() < 0.6 else float(generator.integers(0, 4)))
        for q in range(4)
        for d in range(12)
    ]
    rankings = [
        replace(
            ranking_columns(
                [(f"q{q}", f"d{d}") for q in range(4) for d in generator.permutation(12)]
            ),
            name=name,
        )
        for name in ("a", "b")
    ]
    evaluation, _ = join([judgment_columns(judged)], rankings, options=Options(cutoff=5))
    queue = make_queue(evaluation, QueueOptions(by=by), "")
    found = worth(evaluation, 0) if by == "range" else worth_between(evaluation, 0, 1)
    value = {
        (int(q), d): v
        for q, d, v in zip(
            found.blanks.query, found.blanks.documents(evaluation), found.mean, strict=True
        )
    }
    expected = [value.get(each, -1.0) for each in shown(queue)]
    assert expected == pytest.approx(sorted(expected, reverse=True), abs=1e-9)
    assert max(expected) > 0 and min(expected) == -1.0

    query, document = shown(queue)[0]
    evaluation.set_grades([(evaluation.pair_of(query, document), 3.0)])
    rankings_used = [0] if by == "range" else [0, 1]
    queue = queue.with_worth(0, evaluation, worth_of_query(evaluation, rankings_used, query))
    anew = make_queue(evaluation, QueueOptions(by=by), "")
    np.testing.assert_allclose(queue.worth[1:], anew.worth, atol=1e-9)
    assert sorted(shown(queue)[1:]) == sorted(shown(anew))


def test_given_up() -> None:
    """A queue whose worth takes long can be given up."""
    assert make_queue(small(), QueueOptions(by="range"), "", lambda: True) is None
