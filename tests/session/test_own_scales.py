"""Scales that somebody made are there in the next session."""

from __future__ import annotations

import json

import pytest

from ndcg_desktop.evaluation.scale import BUILT_IN, Level, Scale

ONE = Scale("one", (Level(0, "no"), Level(0.5, "so, so", "“Well” …")), "*All*\n\nof them")
OTHER = Scale("Other", (Level(0), Level(9)))


def test_they_come_back_as_they_were(preferences) -> None:
    """Own scales stand in the order of their names, each with all it has."""
    preferences.add_scale(OTHER)
    preferences.add_scale(ONE)
    preferences.add_scale(BUILT_IN[3])
    preferences._store.sync()

    assert preferences.scales == [BUILT_IN[3], ONE, OTHER]


def test_a_name_is_there_once(preferences) -> None:
    """A scale takes the place of another of its name."""
    preferences.add_scale(OTHER)
    preferences.add_scale(Scale("Other", (Level(1), Level(2))))

    assert [scale.grades for scale in preferences.scales] == [(1, 2)]


def test_removing(preferences) -> None:
    """A scale is removed by its name; a name that is not there removes none."""
    preferences.add_scale(OTHER)
    preferences.add_scale(ONE)
    preferences.remove_scale("Other")
    preferences.remove_scale("nobody")

    assert preferences.scales == [ONE]


@pytest.mark.parametrize("stored", ["", "{", "null", "3", "{}", "[" * 100_000, '"text"'])
def test_settings_that_cannot_be_read_hold_none(preferences, stored: str) -> None:
    """Damaged settings are no scales, and one can be added."""
    preferences._store.setValue("scales", stored)

    assert preferences.scales == []
    preferences.add_scale(ONE)
    assert preferences.scales == [ONE]


def test_an_entry_that_cannot_be_read_is_passed_over(preferences) -> None:
    """The good entries beside it are there."""
    entries = [3, None, "{", ONE.to_json(), '{"name": "a"}', {"name": "a"}]
    preferences._store.setValue("scales", json.dumps(entries))

    assert preferences.scales == [ONE]
