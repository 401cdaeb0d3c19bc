"""Every convention at once, the way from one to another, and what gives a number typed in."""

import time
from dataclasses import replace

import pytest
import strategies
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_evaluations import many_queries

from ndcg_desktop.evaluation.tools import (
    OWN,
    STEPS,
    explaining,
    steps_between,
    under_conventions,
    words_of,
)
from ndcg_desktop.scoring.conventions import CONVENTIONS, convention
from ndcg_desktop.scoring.options import Options

EXACT = 1e-12


def plainly(data, options, query):
    """The figure of an evaluation that was made for these options alone."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    if evaluation.disjoint(0):
        return None
    scores = evaluation.scores()
    if query is None:
        return scores.mean
    return float(scores.value[query]) if scores.counted[query] else None


def same(one, other):
    """Whether two figures, or their absence, are the same."""
    return one == other if None in (one, other) else one == pytest.approx(other, abs=EXACT)


@given(strategies.data(), strategies.options(), st.booleans())
@settings(max_examples=12)
def test_every_convention_at_once(data, options, mean):
    """Each value is that of an evaluation under the convention's options, one's own first."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = options
    query = None if mean else len(evaluation.queries) - 1
    found = under_conventions(evaluation, 0, query)
    assert [each.name for each in found] == [OWN, *CONVENTIONS]
    for each in found:
        expected = options if each.name == OWN else CONVENTIONS[each.name].apply(options)
        assert each.options == expected
        assert same(each.value, plainly(data, each.options, query))
    assert evaluation.options == options


def test_grades_given_later_count():
    """What was found before a grade was given does not stay."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)
    assert under_conventions(evaluation, 0, 0)[0].value == pytest.approx(0.710414667913779)
    evaluation.set_grades([(evaluation.pair_of(0, "C"), 3)])
    after = {each.name: each.value for each in under_conventions(evaluation, 0, 0)}
    assert after[OWN] == after["trec_eval"] == float(evaluation.scores().value[0])


# ---- steps


@given(strategies.data(), strategies.options(), strategies.options(), st.booleans())
@settings(max_examples=50)
def test_the_parts_add_up(data, a, b, mean):
    """One option changes at a time, in the one order, and the parts sum to the difference."""
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    query = None if mean else 0
    steps = steps_between(evaluation, 0, query, a, b)
    names = [step.name for step in steps]
    assert names == [name for name in STEPS if name in names]
    now, value = a, plainly(data, a, query)
    for step in steps:
        assert same(step.before, value)
        now = replace(now, **{field: getattr(b, field) for field in STEPS[step.name]})
        value = plainly(data, now, query)
        assert same(step.after, value)
        assert step.words[0] != step.words[1]
    end = plainly(data, b, query)
    assert same(value, end)
    parts = [step.part for step in steps]
    if None not in parts and steps:
        assert sum(parts) == pytest.approx(end - plainly(data, a, query), abs=EXACT)


def test_steps_of_the_worked_example():
    """From trec_eval to LightGBM the gain and the ideal change; each has its part."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)
    a, b = (convention(name).apply(evaluation.options) for name in ("trec_eval", "LightGBM"))
    steps = steps_between(evaluation, 0, 0, a, b)
    assert [step.name for step in steps] == ["gain", "ideal", "undefined"]
    figures = [steps[0].before, *(step.after for step in steps)]
    assert figures[:2] == pytest.approx([0.710414667913779, 0.6685274490004087])
    assert steps[1].words == ("ideal from all judged", "ideal from the returned only")
    assert steps[2].part == 0.0
    assert steps_between(evaluation, 0, 0, a, a) == []


def test_a_step_to_nothing_has_no_part():
    """A query that is left out on the way has no figure, and no part is made up."""
    evaluation = evaluation_of([("q", "A", 0)], [("q", "A")])
    (step,) = steps_between(evaluation, 0, 0, Options(undefined="one"), Options())
    assert (step.before, step.after, step.part) == (1.0, None, None)


def test_words():
    """Every option of a step is said, cutoff, discount and table too."""
    options = Options(gain="table", gain_table=((0, 0), (1, 2.5)), cutoff=None)
    said = [words_of(name, options) for name in STEPS]
    assert said[:3] == ["gain table 0=0, 1=2.5", "no cutoff", "discount 1/log2(i+1)"]
    assert words_of("cutoff", Options()) == "k = 10"


# ---- a number typed in


@given(
    strategies.data(),
    strategies.options(),
    st.sampled_from(sorted(CONVENTIONS)),
    st.sampled_from(("linear", "exponential")),
    st.none() | st.integers(1, 20),
    st.booleans(),
)
@settings(max_examples=10)
def test_a_tools_number_is_found(data, own, name, gain, cutoff, mean):
    """The number that a tool gives is found with that tool among those that give it, and every
    match gives it.
    """
    evaluation = evaluation_of(data.judgments, data.ranking, ideal=data.ideal)
    evaluation.options = own
    query = None if mean else 0
    tool = CONVENTIONS[name]
    value = plainly(data, tool.apply(replace(own, gain=gain, cutoff=cutoff)), query)
    assume(value is not None)
    typed = round(value, 4)
    found = explaining(evaluation, 0, query, typed, 4)
    assert any(name in match.tools for match in found)
    for match in found:
        assert match.value == pytest.approx(typed, abs=0.5e-4 + EXACT)
    for match in (*found[:3], *found[-3:]):
        assert same(plainly(data, match.options, query), match.value)
    counts = [len(match.changes) for match in found]
    assert counts == sorted(counts)
    assert len({match.options for match in found}) == len(found)


def test_ones_own_number_comes_first():
    """The figure on screen needs no change; and names the tools that have these settings."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)
    first = explaining(evaluation, 0, 0, 0.710, 3)[0]
    assert (first.changes, first.options.cutoff) == ((), 4)
    assert {"trec_eval", "ir_measures", "ranx", "BEIR, MTEB"} >= set(first.tools) > {"trec_eval"}


@pytest.mark.parametrize(
    ("typed", "decimals", "changes"),
    [
        (0.669, 3, ("exponential gain",)),
        (66.85, 2, ("exponential gain",)),
        (0.943, 3, ("ideal from the returned only",)),
        (0.644, 3, ("discount 1/log2(i), none before rank 2",)),
        (0.7, 1, ()),
    ],
)
def test_a_number_of_the_worked_example(typed, decimals, changes):
    """What explains it with the fewest changes comes first; a percentage is read as one."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)
    assert explaining(evaluation, 0, 0, typed, decimals)[0].changes == changes


def test_a_number_that_nothing_gives():
    """Nothing is made up."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)
    assert explaining(evaluation, 0, 0, 0.123456, 6) == []


@pytest.mark.parametrize(
    ("typed", "changes"),
    [
        (0.5, ()),
        (1.0, ("queries absent from the ranking left out",)),
        (0.333333, ("undefined queries count as 0",)),
        (0.666667, ("undefined queries count as 1",)),
    ],
)
def test_a_mean_over_other_queries(typed, changes):
    """A mean that differs by what undefined and absent queries count as is explained by that."""
    judgments = [("scored", "A", 1), ("barren", "A", 0), ("absent", "A", 1)]
    evaluation = evaluation_of(judgments, [("scored", "A"), ("barren", "A")])
    assert explaining(evaluation, 0, None, typed, 6)[0].changes == changes


def test_a_change_without_effect_is_none():
    """An order that comes to the same in this file, or a treatment of no query, is no change."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4, order="file")
    for match in explaining(evaluation, 0, None, 0.710415, 6):
        assert not any("undefined" in text or "absent" in text for text in match.changes)
        assert not any(text.startswith("order") for text in match.changes)


def test_a_thousand_queries_in_no_time():
    """All settings are looked through while somebody waits for it."""
    evaluation = many_queries(1_000)
    mean = evaluation.scores().mean
    begin = time.perf_counter()
    assert explaining(evaluation, 0, None, round(mean, 3), 3)[0].changes == ()
    assert time.perf_counter() - begin < 2
