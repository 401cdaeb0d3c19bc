"""The charts of a comparison: what they show, say and point at, and how they stand on a figure."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.text import Text

from ndcg_desktop.charts.comparison_chart import Pair, draw_comparison, picture_of
from ndcg_desktop.charts.difference_bars import DifferenceBars
from ndcg_desktop.charts.heat_map import HeatMap
from ndcg_desktop.charts.paired_bars import PairedBars
from ndcg_desktop.charts.ranking_styles import RANKING_STYLES
from ndcg_desktop.charts.scatter_chart import ScatterChart
from ndcg_desktop.charts.theme import DARK, LIGHT, PRINT

PAIR = Pair("production", "candidate", "nDCG@10")
LONG = Pair(
    "the production ranking of the winter index, with $synonyms$ and a long name.run",
    "候选排序模型（二〇二四年冬季版）検索結果ランキング 후보 순위",
    "nDCG(dcg='exp-log2')@10",
)
MEASURE = "nDCG@10 · linear gain, ideal from all judged"
SIZES = [(320, 220), (700, 420), (1600, 900)]
NO = np.nan


def figure(width=700, height=420, resolution=1):
    """Make a figure of so many pixels, each of one or more dots."""
    made = Figure((width / 96, height / 96), dpi=96 * resolution)
    FigureCanvasAgg(made)
    return made


def drawn(chart, theme=LIGHT, **size):
    """Draw a chart on a new figure."""
    made = figure(**size)
    draw_comparison(made, chart, theme)
    made.canvas.draw()
    return made


def differences(values, pair=PAIR, **more):
    """Make a chart of differences of queries that are numbered from 100."""
    values = np.array(values, float)
    labels = [f"query {place}" for place in range(len(values))]
    return DifferenceBars(values, labels, np.arange(len(values)) + 100, pair, **more)


def points(first, second, pair=PAIR, **more):
    """Make a chart of scores of queries that are numbered from 100."""
    labels = [f"query {place}" for place in range(len(first))]
    numbers = np.arange(len(first)) + 100
    return ScatterChart(
        np.array(first, float), np.array(second, float), labels, numbers, pair, **more
    )


def cells(values, pair=PAIR, **more):
    """Make a heat map."""
    values = np.array(values, float)
    rows = [f"setting {row}" for row in range(values.shape[0])]
    columns = [*map(str, range(1, values.shape[1])), "all"]
    return HeatMap(values, rows, columns, pair, **more)


def paired(first, second, ideal, unjudged=(), pair=PAIR, **more):
    """Make the bars of one query; at positions ``unjudged`` both documents are not judged."""
    three = [np.array(each, float) for each in (first, second, ideal)]
    blank = np.isin(np.arange(len(ideal)) + 1, unjudged)
    return PairedBars(*three, blank, blank, pair, **more)


def many(count, pair=PAIR):
    """Make one chart of each kind, of so many queries or positions."""
    rng = np.random.default_rng(count)
    first = rng.random(count)
    second = np.where(rng.random(count) < 0.2, first, rng.random(count))
    head = {"title": "A title $x^2$ that goes on and on " * 3, "measure": MEASURE + " · more" * 9}
    discount = 1 / np.log2(np.arange(2, count + 2))
    bars = differences(second - first, pair, **head)
    return [
        replace(bars, labels=[f"{label} 検索 with more words to it" for label in bars.labels]),
        points(first, second, pair, **head),
        cells(rng.normal(size=(min(count, 8), 21)) / 10, pair, current=(0, 9), **head),
        paired(first * discount, second * discount, discount, (2,), pair, **head),
    ]


def patches(made, label):
    """Return the paths that are drawn under a name."""
    return [each for each in made.axes[0].findobj(PathPatch) if each.get_label() == label]


def tops(patch):
    """Return the ends of bars that are not zero, from left to right."""
    polygons = [polygon[:4] for polygon in patch.get_path().to_polygons(closed_only=False)]
    return [float(polygon[np.abs(polygon[:, 1]).argmax(), 1]) for polygon in polygons]


def texts(made):
    """Return every text that is to be seen."""
    found = [each for each in made.findobj(Text) if each.get_text() and each.get_visible()]
    return [each for each in found if each.get_alpha() != 0]


def words(made):
    """Return what is written."""
    return [text.get_text() for text in texts(made)]


def contrast(colour, other):
    """Return the contrast of two colours as WCAG has it."""
    light = [linear(to_rgb(each)) @ (0.2126, 0.7152, 0.0722) for each in (colour, other)]
    return (max(light) + 0.05) / (min(light) + 0.05)


def linear(colour):
    """Return the light of an sRGB colour."""
    part = np.array(colour)
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


# ---- differences per query

FIVE = [0.1, -0.3, 0.0, 0.25, NO]


def test_bars_go_from_the_largest_gain_to_the_largest_loss():
    """Each compared query has its bar, in order; gains are plain and losses hatched."""
    made = drawn(differences(FIVE))
    (better,), (worse,) = patches(made, "better"), patches(made, "worse")
    assert tops(better) == [0.25, 0.1]
    assert tops(worse) == [-0.3]
    assert not better.get_hatch()
    assert worse.get_hatch()
    assert better.get_facecolor() != worse.get_facecolor()


def test_a_query_is_found_under_its_bar():
    """Order, tip and place belong to one another, and ties stand between gains and losses."""
    chart = differences(FIVE)
    assert [chart.nearest(place, 0.0) for place in range(6)] == [None, 103, 100, 102, 101, None]
    assert chart.tip(103) == "query 3\nB − A, nDCG@10: +0.250\nB better by 0.250, 1 of 4"
    assert chart.tip(102).endswith("\ntied, 3 of 4")
    for item in chart.items:
        left, low, right, high = chart.box(item)
        assert chart.nearest((left + right) / 2, 0) == item
        assert (low, high) == (-np.inf, np.inf)


@given(st.lists(st.floats(-1, 1) | st.just(NO), max_size=60))
def test_every_compared_query_is_reached_once(values):
    """Pointer and arrow keys meet the same queries, in falling order of difference."""
    chart = differences(values)
    known = [(value, number) for number, value in enumerate(values, 100) if value == value]
    expected = [number for _, number in sorted(known, key=lambda each: -each[0])]
    assert [chart.nearest(place + 1, 0) for place in range(len(known))] == expected
    reached, item = [], chart.step(None, 1, 0)
    while item is not None and item not in reached:
        reached.append(item)
        item = chart.step(item, 1, 0)
    assert reached == expected


def test_the_mean_is_a_line_with_its_number():
    """The dashed line lies at the mean of the compared queries."""
    made = drawn(differences(FIVE))
    dashed = [line for line in made.axes[0].lines if line.get_linestyle() == "--"]
    assert [line.get_ydata()[0] for line in dashed] == pytest.approx([0.0125])
    assert "mean +0.013" in words(made) or "mean +0.012" in words(made)


def test_few_queries_are_labelled_and_many_are_not():
    """Up to thirty queries have their texts below; the axis says how many there are."""
    assert {"query 0", "query 1"} <= set(words(drawn(differences(FIVE))))
    thirty = words(drawn(differences(np.linspace(-1, 1, 30))))
    assert sum(text.startswith("query") for text in thirty) == 30
    more = words(drawn(differences(np.linspace(-1, 1, 31))))
    assert not any(text.startswith("query") for text in more)
    assert "31 queries by difference, 1 tied" in more


def test_thousands_of_queries_are_a_handful_of_artists():
    """However many bars, there is one shape for gains and one for losses, as high as they are."""
    values = np.linspace(0.8, -0.4, 7000)
    made = drawn(differences(values))
    assert len(made.axes[0].get_children()) < 25
    (better,), (worse,) = patches(made, "better"), patches(made, "worse")
    box, other = (patch.get_path().get_extents() for patch in (better, worse))
    gains = np.count_nonzero(values > 0)
    assert (box.x0, box.x1, box.y1) == (0.5, gains + 0.5, 0.8)
    assert (other.x0, other.x1, other.y0) == (gains + 0.5, 7000.5, pytest.approx(-0.4))


def test_what_counts_as_a_tie_is_given():
    """Small differences are drawn, and counted as ties."""
    chart = differences([0.3, 0.01, -0.01, -0.2], replace(PAIR, tie=0.02))
    assert "B better on 1, A better on 1, 2 tied." in chart.describe()
    assert "tied (+0.010), 2 of 4" in chart.tip(101)
    assert "B better by less than 0.001" in differences([1e-7, -0.1]).tip(100)


# ---- scores


def test_points_are_marked_by_who_is_better():
    """Above the diagonal triangles point up, below down, and ties are rings."""
    made = drawn(points([0.2, 0.5, 0.6, NO], [0.7, 0.5, 0.1, 0.3]))
    found = {line.get_label(): line for line in made.axes[0].lines}
    shown = {name: found[name].get_xydata().tolist() for name in ("better", "worse", "tied")}
    assert shown == {"better": [[0.2, 0.7]], "worse": [[0.6, 0.1]], "tied": [[0.5, 0.5]]}
    assert [found[name].get_marker() for name in shown] == ["^", "v", "o"]
    assert {"A: production, nDCG@10", "B: candidate, nDCG@10"} <= set(words(made))
    assert {"B better (1)", "A better (1)", "tied (1)"} <= set(words(made))


@pytest.mark.parametrize("size", SIZES)
def test_both_scales_are_equal(size):
    """A tenth is as long across as up, and the diagonal goes from corner to corner."""
    made = drawn(points([0, 0.5], [1, 0.2]), width=size[0], height=size[1])
    to_pixels = made.axes[0].transData.transform
    (x0, y0), (x1, y1) = to_pixels((0, 0)), to_pixels((1, 1))
    assert x1 - x0 == pytest.approx(y1 - y0, abs=1)
    assert made.axes[0].get_xlim() == made.axes[0].get_ylim()


def test_scores_beyond_one_are_on_the_axes():
    """The scale is 0 to 1, and further where a score is."""
    assert points([0.4], [0.5]).limits == pytest.approx((-0.04, 1.04))
    low, high = points([-2, 0], [0.5, 3]).limits
    assert low < -2 and high > 3


score = st.floats(0, 1)


@given(st.lists(st.tuples(score, score), min_size=1, max_size=40), score, score)
def test_the_nearest_point_is_found(scores, x, y):
    """As found by measuring every distance; nothing is meant far from all points."""
    chart = points(*zip(*scores, strict=True))
    distance = {n: np.hypot(a - x, b - y) for n, (a, b) in enumerate(scores, 100)}
    found = chart.nearest(x, y)
    if found is None:
        assert min(distance.values()) > 0.04
    else:
        assert distance[found] == pytest.approx(min(distance.values()))


def test_points_upon_each_other_are_told():
    """A tip says how many more queries have the same scores."""
    chart = points([1, 1, 0.5], [1, 1, 0.75])
    assert chart.tip(100) == "query 0\nA 1.000, B 1.000 (nDCG@10)\ntied\n1 query more at this point"
    assert chart.tip(102) == "query 2\nA 0.500, B 0.750 (nDCG@10)\nB better by 0.250"


def test_keys_go_by_one_score_or_the_other():
    """Right is the next higher score of A, up the next higher one of B."""
    chart = points([0.1, 0.2, 0.3], [0.5, 0.9, 0.7])
    assert [chart.step(100, 1, 0), chart.step(100, 0, 1)] == [101, 102]
    assert [chart.step(100, -1, 0), chart.step(101, 0, 1)] == [100, 101]


# ---- settings

GRID = [[0.031, -0.02, NO], [0.0, 0.0001, -0.4]]


def test_every_cell_has_its_number_with_a_sign():
    """A number that is rounded to 0 is shown as the side that is ahead, and NaN as nothing."""
    made = drawn(cells(GRID), width=900)
    inside = [text.get_text() for text in made.axes[0].texts]
    assert inside == ["+0.031", "−0.020", "0.000", "▲", "−0.400"]


def test_narrow_cells_say_who_is_ahead():
    """Where no number fits there is a sign, the same for all cells."""
    values = np.tile(np.array([0.1, -0.2, 0.0]), (4, 7))
    made = drawn(cells(values), width=320, height=220)
    assert [text.get_text() for text in made.axes[0].texts][:3] == ["▲", "▼", "="]


@pytest.mark.parametrize("theme", [LIGHT, DARK, PRINT])
def test_numbers_are_legible_on_every_colour(theme):
    """Letters contrast 4.5:1 with their cell, from no difference to the largest."""
    made = drawn(cells(np.linspace(-0.3, 0.3, 84).reshape(4, 21)), theme, width=1600)
    (grid,) = [each for each in made.axes[0].collections if isinstance(each, PolyCollection)]
    for text, colour in zip(made.axes[0].texts, grid.get_facecolors(), strict=True):
        assert contrast(text.get_color(), colour[:3]) >= 4.5


def test_colours_say_who_is_better_and_how_much():
    """Cells tend to the better side's colour; none has a tie."""
    made = drawn(cells([[0.2, 0.1, 0.0, -0.1, -0.2]]))
    (grid,) = made.axes[0].collections
    colours = grid.get_facecolors()[:, :3]
    sides = [np.array(to_rgb(RANKING_STYLES[side].light)) for side in (1, 0)]
    to_b, to_a = (np.linalg.norm(colours - side, axis=1) for side in sides)
    assert (np.diff(to_b[:3]) > 0).all() and (np.diff(to_a[2:]) < 0).all()
    assert colours[2] == pytest.approx(to_rgb(LIGHT.background))


def test_the_current_setting_is_outlined():
    """A frame lies about the cell, and its tip says so."""
    chart = cells(GRID, current=(1, 2))
    frames = [patch for patch in drawn(chart).axes[0].patches if isinstance(patch, Rectangle)]
    assert {patch.get_xy() for patch in frames} == {(2, 1)}
    assert "setting 1\ncutoff k = all\nB − A, nDCG@10: −0.400" in chart.tip((1, 2))
    assert chart.tip((1, 2)).endswith("as set now")
    assert "as set now" not in chart.tip((0, 0))


def test_cells_are_found_and_empty_ones_passed():
    """A cell is where its numbers stand; keys go on over empty cells, and stop at the edge."""
    chart = cells([[0.1, NO, 0.2], [NO, 0.3, 0.4]])
    assert [chart.nearest(x, 0.5) for x in (-0.1, 0.5, 1.5, 2.9, 3.0)] == [
        None,
        (0, 0),
        None,
        (0, 2),
        None,
    ]
    assert chart.step((0, 0), 1, 0) == (0, 2)
    assert chart.step((0, 2), 1, 0) == (0, 2)
    assert chart.step((0, 2), 0, -1) == (1, 2)
    assert chart.step((0, 0), 0, -1) == (0, 0)
    assert chart.step(None, 1, 0) == (0, 0)
    assert all(chart.nearest(*chart.box(item)[:2]) == item for item in chart.items)


# ---- one query

QUERY = paired([1.0, 0, 1.5, 0], [0.5, 1.2, 0, 0], [3.0, 1.262, 0.5, 0], (2,))


def test_both_rankings_stand_before_one_ideal():
    """Each position above 0 has its bar of A, of B to the right of it, and of the ideal behind."""
    made = drawn(QUERY)
    fills = {label: patches(made, label)[0] for label in ("A", "B", "ideal")}
    assert {label: tops(patch) for label, patch in fills.items()} == {
        "A": [1.0, 1.5],
        "B": [0.5, 1.2],
        "ideal": [3.0, 1.262, 0.5],
    }
    first, second, ideal = (patch.get_path().to_polygons()[0][:, 0] for patch in fills.values())
    assert ideal.min() < first.min() < first.max() <= second.min() < second.max() < ideal.max()
    assert fills["ideal"].get_zorder() < fills["A"].get_zorder()


def test_rankings_have_the_hatches_they_are_given():
    """Colour and hatch come from the pair, so that any two rankings can be told apart."""
    style = RANKING_STYLES[3]
    made = drawn(replace(QUERY, pair=replace(PAIR, candidate_style=style)), DARK)
    fill = patches(made, "B")[0]
    assert fill.get_hatch() == style.hatch
    assert fill.get_facecolor()[:3] == pytest.approx(to_rgb(style.dark))


def test_unjudged_documents_are_marked_and_told():
    """A "?" stands in the place of a bar; neither tip nor description gives a 0."""
    made = drawn(QUERY)
    asked = [line for line in made.axes[0].lines if line.get_marker() == "$?$"]
    assert [line.get_xdata()[0] for line in asked] == pytest.approx([1.8, 2.2], abs=0.05)
    assert "not judged" in words(made)
    assert QUERY.tip(2) == "position 2: A not judged, B not judged, ideal 1.262"
    told = replace(QUERY, baseline_words=["d1: grade 1"], candidate_words=["d9: grade 0"])
    assert told.tip(1).endswith("\nA: d1: grade 1\nB: d9: grade 0")


def test_positions_without_room_have_points():
    """With hundreds of positions the two are points of two shapes."""
    count = 300
    chart = paired(np.ones(count), np.full(count, 0.5), np.ones(count))
    found = {line.get_label(): line for line in drawn(chart).axes[0].lines}
    assert [found[label].get_ydata()[-1] for label in "AB"] == [1.0, 0.5]
    assert found["A"].get_marker() != found["B"].get_marker()
    assert [chart.nearest(x, 0) for x in (0.4, 1.2, 300.4, 301)] == [None, 1, 300, None]


# ---- all of them


def test_the_charts_are_described_in_words():
    """Who is better, where and by how much, can be read without the picture."""
    head = {"title": "Differences", "measure": MEASURE}
    assert differences(FIVE[:2], **head).describe().split("\n") == [
        "Differences.",
        f"{MEASURE}.",
        "B − A, nDCG@10, of 2 queries. A is “production”, B is “candidate”.",
        "B better on 1, A better on 1, 0 tied. Mean difference −0.100.",
        "query 0: +0.100, B better by 0.100.",
        "query 1: −0.300, A better by 0.300.",
    ]
    assert "Mean of A 0.500, mean of B 0.250." in points([0.5], [0.25]).describe()
    told = cells(GRID, current=(0, 0)).describe()
    assert "B better under 2, A better under 2, 1 tied." in told
    assert "As set now: setting 0, cutoff k = 1: B better by 0.031." in told
    assert "setting 0, by cutoff k: 1 +0.031, 2 −0.020." in told
    assert "Position 1: A 1.000, B 0.500, ideal 3.000." in QUERY.describe()


@pytest.mark.parametrize("chart", [many(7000)[0], many(7000)[1]])
def test_many_queries_are_described_in_a_few_sentences(chart):
    """Nobody listens to thousands of lines."""
    assert len(chart.describe().split("\n")) < 10


EMPTY = [
    differences([]),
    differences([NO, NO]),
    differences([0.0, 0.0]),
    points([NO], [0.5]),
    cells([[NO, NO]]),
    paired([], [], []),
    paired([0, 0], [0, 0], [0, 0], (1, 2)),
]


@pytest.mark.parametrize("chart", EMPTY)
def test_where_there_is_nothing_a_sentence_says_so(chart):
    """No axes are drawn, and the description says the same."""
    made = drawn(chart)
    assert made.axes == []
    assert words(made) == [chart.message]
    assert chart.message.endswith(".") and chart.message in chart.describe()


@pytest.mark.parametrize("size", SIZES[:2])
@pytest.mark.parametrize("count", [3, 30, 1000])
def test_no_text_is_cut_or_upon_another(count, size):
    """Names of any length and script leave the figure at no size, and each other legible."""
    for chart in many(count, LONG):
        made = drawn(chart, width=size[0], height=size[1])
        boxes = [(each.get_text(), each.get_window_extent()) for each in texts(made)]
        for text, box in boxes:
            assert box.x0 >= 0 and box.y0 >= 0, text
            assert box.x1 <= size[0] and box.y1 <= size[1], text
        for (text, box), (other, second) in itertools.combinations(boxes, 2):
            across = min(box.x1, second.x1) - max(box.x0, second.x0)
            up = min(box.y1, second.y1) - max(box.y0, second.y0)
            assert across < 1 or up < 2, (text, other)


def test_text_of_files_is_shown_as_it_is():
    """Nothing is read as mathematics, and nothing is lost to a leading underscore."""
    pair = Pair("$a_1$", "_b$x$", "nDCG@10")
    head = {"title": "$x^2$ \\frac", "measure": "$y$ · z"}
    named = replace(differences([0.1, -0.1], pair, **head), labels=["_one", "$t$wo$"])
    made = drawn(named)
    assert {"$x^2$ \\frac", "$y$ · z", "_one", "$t$wo$"} <= set(words(made))
    assert {"B better (1): _b$x$", "A better (1): $a_1$"} <= set(words(made))
    for chart in (named, points([0], [1], pair), cells([[0.1]], pair), replace(QUERY, pair=pair)):
        for text in texts(drawn(chart)):
            assert "$" not in text.get_text() or not text.get_parse_math()


@pytest.mark.parametrize(
    ("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_pictures_of_every_kind(kind, start):
    """Each chart can be a file; an SVG's text can be searched."""
    for chart in many(12):
        assert picture_of(chart, kind).startswith(start)
    if kind == "svg":
        assert "query 1" in picture_of(differences(FIVE), kind).decode()


def test_a_picture_of_another_kind_is_refused():
    """The message names what there is."""
    with pytest.raises(ValueError, match="PNG, SVG, PDF, not as “gif”"):
        picture_of(QUERY, "gif")


# ---- colours of rankings

# Machado, Oliveira and Fernandes (2009), at full strength, on linear light.
SEEN = {
    "all": np.eye(3),
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanopia": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
# Ottosson's OKLab.
CONES = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
LAB = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]


@pytest.mark.parametrize("kind", SEEN)
@pytest.mark.parametrize("side", ["light", "dark"])
def test_rankings_are_told_apart_with_any_eyes(side, kind):
    """Any two of the colours are well apart, and so are their hatches."""
    light = linear([to_rgb(getattr(style, side)) for style in RANKING_STYLES])
    seen = np.clip(light @ np.array(SEEN[kind]).T, 0, 1)
    lab = np.cbrt(seen @ np.array(CONES).T) @ np.array(LAB).T
    apart = [np.linalg.norm(a - b) for a, b in itertools.combinations(lab, 2)]
    assert min(apart) >= 0.09
    assert len({style.hatch for style in RANKING_STYLES}) == len(RANKING_STYLES) == 8


@pytest.mark.parametrize("theme", [LIGHT, DARK, PRINT])
def test_rankings_are_seen_on_their_background(theme):
    """Each colour contrasts 3:1 or more."""
    for style in RANKING_STYLES:
        assert contrast(style.colour(theme), theme.background) >= 3
    assert RANKING_STYLES[0].colour(theme) == theme.ranking
