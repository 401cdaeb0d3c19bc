"""The waterfall of a query's losses, and the bars before and after a change."""

import math

import numpy as np
import pytest
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.text import Text

from ndcg_desktop.charts.comparison_chart import Pair, draw_comparison, picture_of
from ndcg_desktop.charts.ghost_bars import GhostBars
from ndcg_desktop.charts.theme import DARK, LIGHT
from ndcg_desktop.charts.waterfall import MOST, Fall, Waterfall, waterfall
from ndcg_desktop.evaluation.losses import losses

SIZES = [(320, 220), (700, 420), (1600, 900)]


def drawn(chart, theme=LIGHT, width=700, height=420, resolution=1):
    """Draw a chart on a new figure."""
    made = Figure((width / 96, height / 96), dpi=96 * resolution)
    FigureCanvasAgg(made)
    draw_comparison(made, chart, theme)
    made.canvas.draw()
    return made


def worked(by):
    """The waterfall of the worked example."""
    evaluation = evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)
    return waterfall(losses(evaluation, 0, 0), by, "nDCG@4", "shoes", "nDCG@4 0.710")


def falls(*values, by="document"):
    """A waterfall of these losses."""
    steps = [Fall(f"d{place}", f"document {place}", loss) for place, loss in enumerate(values)]
    return Waterfall(steps, 1 - math.fsum(values), by, "nDCG@10", "A title", "nDCG@10 · more")


def patches(made, label):
    """The paths that are drawn under a name."""
    return [each for each in made.axes[0].findobj(PathPatch) if each.get_label() == label]


def spans(patch):
    """The lower and upper end of each bar of a path."""
    polygons = [polygon[:4] for polygon in patch.get_path().to_polygons(closed_only=False)]
    return [(polygon[:, 1].min(), polygon[:, 1].max()) for polygon in polygons]


def words(made):
    """What is written."""
    return [each.get_text() for each in made.findobj(Text) if each.get_text()]


def test_by_position():
    """Bars fall from 1.000, rise where more is there than in the ideal, and end at the score."""
    chart = worked("position")
    made = drawn(chart)
    (lost,), (won,) = patches(made, "lost"), patches(made, "won")
    np.testing.assert_allclose(spans(lost), [(0.8004, 1), (0.6423, 0.8004)], atol=1e-4)
    np.testing.assert_allclose(spans(won), [(0.6423, 0.7104)], atol=1e-4)
    assert lost.get_hatch()
    assert not won.get_hatch()
    assert lost.get_facecolor() != won.get_facecolor()
    assert chart.levels[-1] == pytest.approx(chart.value, abs=1e-12)
    for text in ("ideal", "1", "4", "score", "1.000", "−0.200", "+0.068", "0.710"):
        assert text in words(made)


def test_by_document():
    """The missed document comes first, and what stands higher than in the ideal last."""
    chart = worked("document")
    assert [step.label for step in chart.steps] == ["E", "D", "B"]
    assert chart.tip(1) == "E, grade 3, was not returned: −0.299, leaves 0.701"
    assert chart.tip(3) == "B, grade 1, at rank 2, place 4 in the ideal: +0.032, leaves 0.710"
    assert (chart.tip(0), chart.tip(4)) == ("the ideal: 1.000", "nDCG@4: 0.710")
    assert chart.describe().splitlines() == [
        "shoes.",
        "nDCG@4 0.710.",
        "From the ideal, 1.000, to the score, 0.710.",
        "E, grade 3, was not returned: −0.299, leaves 0.701.",
        "D, grade 2, at rank 4, place 3 in the ideal: −0.022, leaves 0.679.",
        "B, grade 1, at rank 2, place 4 in the ideal: +0.032, leaves 0.710.",
    ]


def test_what_stands_where():
    """Each place is found under its bar, and keys go through all of them."""
    chart = worked("position")
    assert [chart.nearest(x, 0) for x in (0.2, 1, 2, 6, 6.6)] == [None, 0, 1, 5, None]
    for item in chart.items:
        left, low, right, high = chart.box(item)
        assert chart.nearest((left + right) / 2, 0) == item
        assert (low, high) == (-math.inf, math.inf)
    reached = [item := chart.step(None, 1, 0)]
    reached += [item := chart.step(item, 1, 0) for _ in range(6)]
    assert reached == [0, 1, 2, 3, 4, 5, 5]
    assert chart.step(3, 0, 1) == 2


@given(st.lists(st.floats(-0.05, 0.05), min_size=1, max_size=80))
def test_the_rest_is_one_step(values):
    """Never more than the most steps, which sum to the loss; the others are the smallest."""
    chart = falls(*values)
    assert len(chart.steps) == min(len(values), MOST)
    assert chart.levels[-1] == pytest.approx(chart.value, abs=1e-12)
    if len(values) > MOST:
        assert chart.steps[-1].words == f"{len(values) - MOST + 1} others together"
        kept = [abs(step.loss) for step in chart.steps[:-1]]
        assert min(kept) >= sorted(map(abs, values))[len(values) - MOST]


def test_where_nothing_was_lost():
    """A perfect ranking, and a query without a score, have a sentence instead of a plot."""
    assert "as good as the ideal" in drawn(falls(0.0, 1e-17)).findobj(Text)[-1].get_text()
    chart = waterfall(None, "position", "nDCG@4", why="Not scored: not judged.")
    assert chart.message == "Not scored: not judged."
    assert "Not scored: not judged." in words(drawn(chart))
    assert chart.describe() == "Not scored: not judged."


def boxes(made):
    """The extents of all that is written at bars and below them."""
    renderer = made.canvas.get_renderer()
    found = [each for each in made.findobj(Text) if each.get_text() and each.get_visible()]
    return [(each.get_text(), each.get_window_extent(renderer)) for each in found]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 5, MOST])
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_legible(size, count, theme):
    """Nothing that is written leaves the figure, and no two figures lie upon each other."""
    values = np.where(np.arange(count) % 4 == 3, -0.004, 0.9 / count)
    made = drawn(falls(*values), theme, *size)
    placed = boxes(made)
    width, height = size
    for text, box in placed:
        assert box.x0 >= -1 and box.x1 <= width + 1 and box.y0 >= -1 and box.y1 <= height + 1, text
    figures = [(text, box) for text, box in placed if text[0] in "+−"]
    for place, (text, box) in enumerate(figures):
        for other, further in figures[place + 1 :]:
            assert not box.overlaps(further), (text, other)


def test_names_are_no_mathematics():
    """Dollars and markup of a document's name are written as they are."""
    chart = Waterfall([Fall("$x^2$", "$x^2$", 0.5)], 0.5, "document", "nDCG@10")
    assert "$x^2$" in words(drawn(chart))
    assert picture_of(chart, "svg").count(b"$x^2$")


# ---- before and after

PAIR = Pair("before", "now", "nDCG@4")


def ghosts(before, now, ideal, unjudged=()):
    """Bars before and now."""
    three = [np.array(each, float) for each in (before, now, ideal)]
    blank = np.isin(np.arange(len(ideal)) + 1, unjudged)
    return GhostBars(*three, np.zeros(len(ideal), bool), blank, PAIR, ("A", "B"), ("B", "A"))


def test_the_bars_before_stay_as_ghosts():
    """Before is dashed and empty, now is filled; both stand beside each other."""
    made = drawn(ghosts([3, 0.6], [1, 1.9], [3, 1.2]))
    (before,), now = patches(made, "before"), patches(made, "now")
    assert before.get_linestyle() != "solid"
    assert before.get_facecolor() != now[0].get_facecolor()
    assert [high for _, high in spans(before)] == [3, 0.6]
    assert [high for _, high in spans(now[0])] == [1, 1.9]
    assert {"before", "now", "ideal"} <= set(words(made))


def test_before_and_now_in_words():
    """Figures and documents are said to be of before and now, never of A and B."""
    chart = ghosts([3, 0.6], [1, 0], [3, 1.2], unjudged=(2,))
    assert chart.tip(1) == "position 1: before 3.000, now 1.000, ideal 3.000\nbefore: A\nnow: B"
    assert chart.describe() == (
        "Position 1: before 3.000, now 1.000, ideal 3.000.\n"
        "Position 2: before 0.600, now not judged, ideal 1.200."
    )
    assert "not judged" in words(drawn(chart))
    assert ghosts([], [], []).message == "No document is returned for this query."


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [1, 10, 300])
def test_ghosts_of_any_size(size, count):
    """Few or many positions are drawn in any size."""
    gains = 3 / np.log2(np.arange(2, count + 2))
    assert drawn(ghosts(gains, gains[::-1], gains), DARK, *size).axes
