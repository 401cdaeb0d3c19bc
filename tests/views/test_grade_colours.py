"""Colours of grades: one hue, light to dark, with text that can be read on each."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from PySide6.QtGui import QColor

from ndcg_desktop.evaluation.scale import MOST_LEVELS
from ndcg_desktop.views.grade_colours import HUE, grade_colours

READABLE = 4.5
"""The contrast that WCAG 2 asks of text."""
VISIBLE = 5.0
"""A difference of two colours (CIE76) that is seen side by side: more than twice the least one."""

EVERY = [(levels, dark) for levels in range(1, MOST_LEVELS + 1) for dark in (False, True)]


def linear(colour: str) -> tuple[float, float, float]:
    """Red, green and blue as amounts of light, by the definition of sRGB."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return red, green, blue


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, by the definition of WCAG."""
    lights = sorted(
        0.2126 * red + 0.7152 * green + 0.0722 * blue
        for red, green, blue in map(linear, (one, other))
    )
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def lab(colour: str) -> tuple[float, float, float]:
    """A colour in CIE L*a*b* under D65."""
    red, green, blue = linear(colour)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    a, b, c = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * b - 16, 500 * (a - b), 200 * (b - c)


@pytest.mark.parametrize(("levels", "dark"), EVERY)
def test_text_can_be_read(levels: int, dark: bool) -> None:
    """The text of each level stands out from its background."""
    pairs = grade_colours(levels, dark)

    assert len(pairs) == levels
    assert all(contrast(*pair) >= READABLE for pair in pairs)


@pytest.mark.parametrize(("levels", "dark"), EVERY)
def test_neighbours_differ(levels: int, dark: bool) -> None:
    """Two neighbouring grades are visibly different, and always in the same direction."""
    colours = [lab(background) for background, _ in grade_colours(levels, dark)]
    steps = list(pairwise(colours))

    assert all(math.dist(*step) >= VISIBLE for step in steps)
    assert all((after[0] > before[0]) == dark for before, after in steps)


@pytest.mark.parametrize(("levels", "dark"), EVERY)
def test_the_hue_is_one(levels: int, dark: bool) -> None:
    """All are the same blue, but for what eight bits of a colour can hold."""
    hues = [QColor(background).hslHueF() for background, _ in grade_colours(levels, dark)]

    assert all(abs(hue - HUE) < 0.02 for hue in hues)


def test_no_levels_have_no_colours() -> None:
    """Nothing has no colour."""
    assert grade_colours(0, False) == []
