"""The arithmetic of the chart: ticks, and the room that bars have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.charts.layout import (
    Slots,
    axis_top,
    gain_labels,
    gain_ticks,
    position_ticks,
    rectangles,
    staircase,
)


@given(st.floats(1e-9, 1e15), st.floats(20, 2000))
def test_gain_ticks_are_few_and_reach_far(top, pixels):
    """From 0 in equal steps, at most eight, the last less than a step from the top."""
    ticks = gain_ticks(top, pixels)
    assert ticks[0] == 0
    assert 2 <= len(ticks) <= 8
    assert ticks[-1] <= top * (1 + 1e-9)
    assert top - ticks[-1] < ticks[1] * (1 + 1e-9)
    assert len(set(gain_labels(ticks))) == len(ticks)


@pytest.mark.parametrize(
    ("top", "pixels", "labels"),
    [
        (3.18, 300, ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"]),
        (3.18, 100, ["0", "2"]),
        (7.42, 400, ["0", "2", "4", "6"]),
        (0.02, 160, ["0.000", "0.005", "0.010", "0.015", "0.020"]),
        (3e6, 160, ["0", "1e+06", "2e+06", "3e+06"]),
    ],
)
def test_gain_labels(top, pixels, labels):
    """Ticks have as many decimals as they need, all of them the same."""
    assert gain_labels(gain_ticks(top, pixels)) == labels


def test_the_axis_has_headroom():
    """The highest bar ends below the top; without a bar the axis ends at 1."""
    assert axis_top(3.0) == pytest.approx(3.18)
    assert axis_top(0.0) == 1.0


@pytest.mark.parametrize("highest", [1e308, 1.7e308, np.finfo(np.float64).max])
def test_the_axis_ends_before_numbers_do(highest):
    """The largest gains there are still have an axis, with ticks."""
    top = axis_top(highest)
    assert np.isfinite(top)
    assert 2 <= len(gain_ticks(top, 300)) <= 8


@pytest.mark.parametrize(
    ("count", "width", "ticks"),
    [
        (4, 300, [1, 2, 3, 4]),
        (15, 280, [1, 5, 10, 15]),
        (30, 240, [1, 5, 10, 15, 20, 25, 30]),
        (100, 300, [1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]),
        (1000, 280, [1, 200, 400, 600, 800, 1000]),
    ],
)
def test_position_ticks(count, width, ticks):
    """Every position has its number, or the first and round ones."""
    assert position_ticks(Slots(count, width, 1.0, True), 7.2).tolist() == ticks


@given(st.integers(1, 3000), st.floats(60, 2000))
def test_numbers_of_positions_do_not_touch(count, width):
    """Whatever the width, there is room for a digit between two numbers."""
    slots = Slots(count, width, 1.0, True)
    ticks = position_ticks(slots, 7.2)
    middle = ticks * slots.pixels
    half = np.array([len(str(tick)) for tick in ticks]) * 7.2 / 2
    assert len(ticks) == 1 or (np.diff(middle) - half[1:] - half[:-1]).min() > 3


@given(st.integers(1, 1000), st.integers(100, 1600), st.sampled_from([1.0, 1.25, 1.5, 2.0]))
def test_bars_of_a_position_stay_in_it(count, width, resolution):
    """No bar reaches into the next position, as long as a position is wider than a bar."""
    slots = Slots(count, float(width), resolution, True)
    index = np.arange(count)
    if slots.pixels < 5:
        return
    left, right = slots.ranking(index)
    tolerance = 1 / slots.pixels
    assert (left >= index + 0.5 - tolerance).all()
    assert (right <= index + 1.5 + tolerance).all()
    if not slots.overlaid:
        ideal_left, ideal_right = slots.ideal(index)
        gap = (ideal_left - right) * slots.pixels * resolution
        assert gap == pytest.approx(np.round(gap)[0])
        assert gap.min() > 0.9
        assert (ideal_right <= index + 1.5 + tolerance).all()


def test_shapes():
    """Rectangles stand on zero; a staircase starts and ends there."""
    one = rectangles(np.array([1.0]), np.array([2.0]), np.array([3.0]))
    assert one.tolist() == [[[1, 0], [1, 3], [2, 3], [2, 0]]]
    stairs = staircase(np.array([3.0, 1.0]))
    assert stairs.tolist() == [[0.5, 0], [0.5, 3], [1.5, 3], [1.5, 1], [2.5, 1], [2.5, 0]]
