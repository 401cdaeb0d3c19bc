"""Which rankings take part, under what names, in which order, and against which baseline."""

from __future__ import annotations

import pytest
from build import evaluation_of
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.evaluation.lineup import STYLES, Lineup, keys_of

JUDGED = [("q1", "A", 3), ("q1", "B", 1), ("q2", "C", 2)]
GOOD = [("q1", "A"), ("q1", "B"), ("q2", "C")]
BAD = [("q1", "B"), ("q1", "A"), ("q2", "X")]


def three():
    """A line-up of three rankings."""
    return Lineup().fitted(["a", "b", "c"])


def test_all_take_part_at_first() -> None:
    """Every ranking of the files, each with a style of its own."""
    lineup = three()
    assert [each.key for each in lineup.taking_part] == ["a", "b", "c"]
    assert len({each.style for each in lineup.entrants}) == 3
    assert lineup.baseline == "a"


def test_one_that_is_taken_out_can_come_back() -> None:
    """It is not lost, and neither is its name."""
    lineup = three().against("b").without("b")
    assert [each.key for each in lineup.taking_part] == ["a", "c"]
    assert lineup.baseline == "a", "a baseline takes part"
    assert len(lineup.with_again("b").taking_part) == 3


def test_the_last_one_stays() -> None:
    """There is always something to be shown."""
    lineup = three().without("a").without("b")
    assert lineup.without("c") == lineup


def test_moved() -> None:
    """A ranking moves among those that take part, and no further than the ends."""
    keys = [each.key for each in three().moved("c", -2).taking_part]
    assert keys == ["c", "a", "b"]
    assert three().moved("a", -1) == three()


def test_a_blank_name_is_that_of_the_file() -> None:
    """A name is one line, and never empty."""
    lineup = three().renamed("a", "  Production\n system ")
    assert lineup.of_key("a").name == "Production system"
    assert lineup.renamed("a", " ").of_key("a").name == "a"


def test_further_files_come_last_with_a_style_of_their_own() -> None:
    """What was chosen for the others stays."""
    lineup = three().renamed("b", "Candidate").without("c").fitted(["a", "b", "c", "d"])
    assert [each.name for each in lineup.taking_part] == ["a", "Candidate", "d"]
    assert lineup.of_key("d").style not in {each.style for each in lineup.entrants[:3]}


def test_text_and_back() -> None:
    """What is kept with the document is read as it was."""
    lineup = three().renamed("b", "Neu „B“").styled("c", 7).without("a").against("c")
    assert Lineup.from_json(lineup.to_json()) == lineup


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda x: (
            st.lists(x)
            | st.dictionaries(st.sampled_from(["entrants", "baseline", "key", "style", "name"]), x)
        ),
    )
)
def test_any_json_is_a_line_up_or_refused(plain: object) -> None:
    """A damaged setting is no trouble."""
    try:
        lineup = Lineup.from_plain(plain)
    except ValueError:
        return
    fitted = lineup.fitted(["a", "b"])
    assert {each.key for each in fitted.entrants} == {"a", "b"}
    assert fitted.baseline in {each.key for each in fitted.taking_part}
    assert all(0 <= each.style < STYLES for each in fitted.entrants)


@given(st.lists(st.sampled_from(["run", "run (2)", "x"]), max_size=8))
def test_keys_are_distinct(names: list[str]) -> None:
    """Several files may have one name."""
    keys = keys_of(names)
    assert len(set(keys)) == len(names)
    assert all(key.startswith(name) for key, name in zip(keys, names, strict=True))


def test_scores_follow_the_line_up() -> None:
    """Numbers of rankings are places in the line-up; a grade reaches those that are out too."""
    evaluation = evaluation_of(JUDGED, GOOD, BAD)
    before = [evaluation.scores(number).mean for number in range(2)]
    assert before[0] == 1.0 and before[1] < 1.0
    second = evaluation.lineup.entrants[1].key
    evaluation.line_up(evaluation.lineup.moved(second, -1))
    assert [evaluation.scores(number).mean for number in range(2)] == before[::-1]
    evaluation.line_up(evaluation.lineup.without(second))
    assert len(evaluation.rankings) == 1
    pair = evaluation.pair_of(1, "X")
    evaluation.set_grades([(pair, 3.0)])
    evaluation.line_up(evaluation.lineup.with_again(second))
    after = evaluation.scores(0)  # it is back at its place
    assert after.dcg[1] == pytest.approx(3.0), "X was judged while its ranking was out"
    still = evaluation.frozen()
    evaluation.line_up(evaluation.lineup.without(second))
    assert len(still.rankings) == 2


def test_another_name_keeps_the_scores() -> None:
    """Only which rankings take part, and their order, makes scores void."""
    evaluation = evaluation_of(JUDGED, GOOD, BAD)
    scores = evaluation.scores(0)
    key = evaluation.lineup.entrants[0].key
    evaluation.line_up(evaluation.lineup.renamed(key, "Production"))
    assert evaluation.rankings[0].name == "Production"
    assert evaluation.scores(0) is scores
    assert evaluation.rankings[0].columns.name == key
