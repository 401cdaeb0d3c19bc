"""The chart of one query: what its artists show, and how it stands on figures of any size."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from ndcg_desktop.charts.bars import Bars
from ndcg_desktop.charts.ranking_chart import (
    PICTURE_FORMATS,
    RankingChart,
    draw_ranking,
    picture,
)
from ndcg_desktop.charts.theme import DARK, LIGHT, PRINT

SIZES = [(360, 260), (700, 420), (1600, 900)]
MEASURE = "nDCG@4 0.710 · linear gain, ideal from all judged"
FOUR = Bars(
    ranking=np.array([1.0, 0.0, 1.5, 0.0]),
    ideal=np.array([3.0, 1.262, 0.5, 0.0]),
    unjudged=np.array([False, True, False, False]),
    row=np.array([0, 1, 2, -1]),
    title="running shoes",
    measure=MEASURE,
)


def figure(width=700, height=420, resolution=1):
    """Make a figure of so many pixels, each of one or more dots."""
    made = Figure((width / 96, height / 96), dpi=96 * resolution)
    FigureCanvasAgg(made)
    return made


def many(count, **changes):
    """Make a query of so many positions, every third of which is not judged."""
    discount = 1 / np.log2(np.arange(2, count + 2))
    gain = np.arange(count) % 4
    unjudged = np.arange(count) % 3 == 1
    bars = Bars(
        ranking=np.where(unjudged, 0, gain) * discount,
        ideal=np.sort(gain)[::-1] * discount,
        unjudged=unjudged,
        row=np.arange(count),
        title="running shoes",
        measure=MEASURE,
    )
    return replace(bars, **changes)


def polygons(chart, label):
    """Return left, right, bottom and top of each polygon of a collection."""
    found = [artist for artist in chart.axes.collections if artist.get_label() == label]
    boxes = [path.get_extents() for path in found[0].get_paths()]
    return [(box.x0, box.x1, box.y0, box.y1) for box in boxes]


def shown_texts(chart):
    """Return every text of the figure that is drawn and not empty."""
    texts = chart.axes.figure.findobj(Text)
    return [text for text in texts if text.get_text() and text.get_visible()]


def line(chart, marker):
    """Return the points that are marked so."""
    found = [artist for artist in chart.axes.lines if artist.get_marker() == marker]
    return list(found[0].get_xdata())


def contrast(colour, other):
    """Return the contrast of two colours as WCAG has it."""

    def luminance(colour):
        part = np.array(to_rgb(colour))
        linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
        return linear @ (0.2126, 0.7152, 0.0722)

    darker, lighter = sorted((luminance(colour), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_a_bar_is_as_high_as_its_discounted_gain():
    """Each position above 0 has one bar of the ranking and one of the ideal, next to it."""
    chart = draw_ranking(figure(), FOUR)
    ranking, ideal = polygons(chart, "ranking"), polygons(chart, "ideal")
    assert [top for *_, top in ranking] == [1.0, 1.5]
    assert [top for *_, top in ideal] == [3.0, 1.262, 0.5]
    assert [round((left + right) / 2 + 0.2) for left, right, *_ in ranking] == [1, 3]
    assert all(bottom == 0 for _, _, bottom, _ in ranking + ideal)
    assert ranking[0][1] <= ideal[0][0]


@pytest.mark.parametrize("resolution", [1, 1.25, 2])
@pytest.mark.parametrize("count", [4, 33, 100, 1000])
def test_bars_are_equally_wide_and_sharp(count, resolution):
    """The edges of bars stand between the dots of the screen, so that none is blurred."""
    drawn = figure(703, 420, resolution)
    chart = draw_ranking(drawn, many(count))
    left, right = np.array([box[:2] for box in polygons(chart, "ranking")]).T
    dots = chart.axes.transData.transform(np.stack((left, np.zeros(len(left))), axis=1))[:, 0]
    widths = np.ptp(chart.axes.get_xlim()) / chart.axes.bbox.width * (right - left)
    assert dots == pytest.approx(np.round(dots), abs=1e-6)
    assert np.ptp(widths) == pytest.approx(0)


def test_bars_of_many_positions_stand_before_a_staircase():
    """Where two bars find no room, the ideal is one area behind the ranking's bars."""
    chart = draw_ranking(figure(360, 260), many(100))
    (area,) = polygons(chart, "ideal")
    assert area == (0.5, 75.5, 0.0, pytest.approx(3.0))
    left, right, *_ = polygons(chart, "ranking")[0]
    assert (left + right) / 2 == pytest.approx(3, abs=0.3)


def test_the_ideal_stands_alone_without_a_ranking():
    """Only judgments: the ideal's bars stand over their numbers, and the legend says no more."""
    chart = draw_ranking(figure(), replace(FOUR, has_ranking=False, unjudged=np.zeros(4, bool)))
    assert polygons(chart, "ranking") == []
    left, right, *_ = polygons(chart, "ideal")[0]
    assert (left + right) / 2 == pytest.approx(1, abs=0.01)
    assert [text.get_text() for text in chart.axes.get_legend().get_texts()] == ["ideal"]


def test_unjudged_positions_are_marked():
    """An unjudged document is a question mark at the ranking's place, and in the legend."""
    chart = draw_ranking(figure(), FOUR)
    assert [round(x + 0.2) for x in line(chart, "$?$")] == [2]
    assert len(polygons(chart, "not judged")) == 1
    names = [text.get_text() for text in chart.axes.get_legend().get_texts()]
    assert names == ["this ranking", "ideal", "not judged"]
    chart.show(replace(FOUR, unjudged=np.zeros(4, bool)))
    assert line(chart, "$?$") == []
    names = [text.get_text() for text in chart.axes.get_legend().get_texts()]
    assert names == ["this ranking", "ideal"]


@pytest.mark.parametrize("name", ["ideal", "not judged", "_run.csv", "$x$", "跑"])
def test_a_ranking_may_have_any_name(name):
    """A ranking that is called like another entry of the legend has its own all the same."""
    drawn = figure()
    chart = draw_ranking(drawn, replace(FOUR, ranking_name=name))
    drawn.canvas.draw()
    names = [text.get_text() for text in chart.axes.get_legend().get_texts()]
    assert names[1:] == ["ideal", "not judged"]
    assert len(names[0]) == len(name)


def test_unjudged_positions_hide_no_bar_where_there_are_many():
    """Where there is no room for question marks the marks stand below the axis."""
    chart = draw_ranking(figure(360, 260), many(300))
    marks = polygons(chart, "not judged")
    assert len(marks) == 100
    assert all(top < 0 for *_, top in marks)
    assert line(chart, "$?$") == []


def test_only_artists_move_as_long_as_the_axes_stay():
    """Another score, other words or smaller bars move artists; other axes need a full drawing."""
    chart = draw_ranking(figure(), FOUR)
    lower = replace(FOUR, ranking=np.array([0.5, 0.0, 1.0, 0.0]))
    assert chart.show(lower)
    assert chart.show(replace(lower, measure=MEASURE.replace("0.710", "0.655")))
    assert chart.fit()
    assert not chart.show(replace(FOUR, ideal=FOUR.ideal * 2))
    assert not chart.show(many(5))
    assert chart.show(many(5, title="red hat", measure=MEASURE.replace("linear", "table")))
    assert not chart.show(many(5, measure="nDCG@4 0.5 · " + "options " * 40))  # a second line
    assert not chart.show(many(5, ranking_name="another"))
    assert not chart.show(many(5, unjudged=np.zeros(5, bool)))
    chart.axes.figure.set_size_inches(8, 8)
    assert not chart.fit()


def test_the_same_bars_look_the_same_whatever_was_shown_before():
    """A chart that moved to these bars is dot for dot one that was drawn with them."""
    pictures = []
    for before in (NO_BARS_YET, many(50), FOUR):
        drawn = figure()
        chart = RankingChart(drawn, LIGHT)
        chart.show(before)
        chart.show(many(10))
        drawn.canvas.draw()
        pictures.append(np.asarray(drawn.canvas.buffer_rgba()).copy())
    assert all(np.array_equal(one, other) for one, other in itertools.pairwise(pictures))


NO_BARS_YET = Bars(np.zeros(0), np.zeros(0), np.zeros(0, bool), np.zeros(0, int), "", "")


def test_selected_rows_are_marked():
    """A selected row has a triangle below the axis and an edge around its bars."""
    chart = draw_ranking(figure(), FOUR)
    chart.select({0, 2, 7})
    assert line(chart, "^") == [1, 3]
    assert chart.selected.tolist() == [0, 2]
    edged = [artist for artist in chart.axes.collections if artist.get_linewidth() == [1.8]]
    assert len(edged[0].get_paths()) == 4
    chart.show(replace(FOUR, row=np.array([2, 1, 0, -1])))
    assert line(chart, "^") == [1, 3]
    chart.select({-1})
    assert line(chart, "^") == []


def test_a_selected_position_of_a_thousand_is_seen():
    """Its shade and triangle are some pixels wide, however narrow the position."""
    drawn = figure(360, 260)
    chart = draw_ranking(drawn, many(1000))
    chart.select({500})
    assert line(chart, "^") == [501]
    (shade,) = chart.axes.collections[0].get_paths()
    width = chart.axes.transData.transform_path(shade).get_extents().width
    assert width == pytest.approx(3)


def test_a_point_finds_the_nearest_position():
    """Points of the plot belong to a position, others to none."""
    chart = draw_ranking(figure(), FOUR)
    assert chart.position_at(0.45, 0) == 0
    assert chart.position_at(1.49, 1) == 0
    assert chart.position_at(1.51, 1) == 1
    assert chart.position_at(4.55, 3.1) == 3
    assert chart.position_at(0.3, 1) is None
    assert chart.position_at(4.7, 1) is None
    assert chart.position_at(2, -0.1) is None
    assert chart.position_at(2, 3.3) is None
    assert draw_ranking(figure(), NO_BARS_YET).position_at(0.5, 0.5) is None


@pytest.mark.parametrize(
    ("bars", "message"),
    [
        (NO_BARS_YET, "Nothing to draw"),
        (replace(many(3), ranking=np.zeros(3), ideal=np.zeros(3)), "Every gain is 0"),
        (
            Bars(np.zeros(3), np.zeros(3), np.ones(3, bool), np.arange(3), "", ""),
            "No grades yet",
        ),
    ],
)
def test_a_chart_without_bars_says_why(bars, message):
    """An empty chart is calm: a few words, no numbers on the axis of gains but 0."""
    chart = draw_ranking(figure(), bars)
    assert message in [text.get_text() for text in shown_texts(chart)]
    assert [label.get_text() for label in chart.axes.get_yticklabels()] == ["0"]
    chart.show(FOUR)
    assert message not in [text.get_text() for text in shown_texts(chart)]


@pytest.mark.parametrize("size", [(320, 220), *SIZES])
@pytest.mark.parametrize("count", [1, 10, 1000])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_no_text_is_clipped_or_covered(size, count, scale):
    """Every text stands inside the figure, and the header above the bars."""
    drawn = figure(*size)
    bars = many(count, title="a long query " * 9, measure="nDCG@10 0.5 · " + "options " * 60)
    bars = replace(bars, ranking=bars.ranking * scale, ideal=bars.ideal * scale)
    chart = draw_ranking(drawn, replace(bars, ranking_name="a-very-long-run-name" * 4))
    drawn.canvas.draw()
    boxes = [text.get_window_extent() for text in shown_texts(chart)]
    width, height = drawn.bbox.size
    assert all(box.x0 >= 0 and box.x1 <= width for box in boxes)
    assert all(box.y0 >= 0 and box.y1 <= height for box in boxes)
    legend = chart.axes.get_legend().get_window_extent()
    assert legend.y0 >= chart.axes.bbox.y1
    assert legend.x1 <= width
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_labels_stand_in_the_middle_of_their_axis():
    """Along the axes "position" and "discounted gain" are centred."""
    drawn = figure()
    axes = draw_ranking(drawn, FOUR).axes
    drawn.canvas.draw()
    across, up = axes.xaxis.label.get_window_extent(), axes.yaxis.label.get_window_extent()
    assert (across.x0 + across.x1) / 2 == pytest.approx((axes.bbox.x0 + axes.bbox.x1) / 2, abs=2)
    assert (up.y0 + up.y1) / 2 == pytest.approx((axes.bbox.y0 + axes.bbox.y1) / 2, abs=2)


@pytest.mark.parametrize("size", SIZES)
def test_a_thousand_positions_have_few_numbers(size):
    """Ticks are whole numbers, and thinned so that they can be read."""
    chart = draw_ranking(figure(*size), many(1000))
    ticks = chart.axes.get_xticks()
    assert ticks[0] == 1
    assert ticks[-1] == 1000
    assert len(ticks) <= 41
    assert [label.get_text() for label in chart.axes.get_xticklabels()] == [
        str(tick) for tick in ticks
    ]


def test_text_of_files_is_taken_literally():
    """A dollar sign starts no mathematics, and a line break breaks no line."""
    bars = replace(FOUR, title="shoes $x^2$ \\alpha\n$5", ranking_name="run_$1$")
    drawn = figure()
    chart = draw_ranking(drawn, replace(bars, measure="$n$"))
    drawn.canvas.draw()
    texts = {text.get_text(): text for text in shown_texts(chart)}
    for text in ("shoes $x^2$ \\alpha $5", "run_$1$", "$n$"):
        assert not texts[text].get_parse_math()


@pytest.mark.parametrize("theme", [LIGHT, DARK, PRINT])
def test_colours_can_be_told_apart(theme):
    """Text contrasts 4.5:1, marks 3:1; the two kinds of bar differ in brightness too."""
    for text in (theme.text, theme.faint_text):
        assert contrast(text, theme.background) >= 4.5
    for mark in (theme.ranking, theme.ideal, theme.unjudged, theme.selected):
        assert contrast(mark, theme.background) >= 3
    assert contrast(theme.ranking, theme.ideal_fill) >= 3
    assert contrast(theme.selected, theme.ideal_fill) >= 3


def test_a_theme_colours_everything():
    """After a change of theme nothing keeps a colour of the old one."""
    drawn = figure()
    chart = draw_ranking(drawn, many(10), LIGHT)
    chart.select({3})
    chart.set_theme(DARK)
    drawn.canvas.draw()
    there = np.asarray(drawn.canvas.buffer_rgba()).copy()
    fresh = figure()
    draw_ranking(fresh, many(10), DARK).select({3})
    fresh.canvas.draw()
    assert np.array_equal(there, np.asarray(fresh.canvas.buffer_rgba()))


@pytest.mark.parametrize(
    ("format", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_pictures_are_files_of_their_format(format, start):
    """Each format is written; other names of formats are refused."""
    assert format in PICTURE_FORMATS
    assert picture(replace(FOUR, title="跑步鞋"), format).startswith(start)


def test_letters_of_an_svg_stay_letters():
    """The texts of an SVG can be searched and read aloud."""
    svg = picture(FOUR, "svg").decode()
    for text in ("running shoes", "discounted gain", "this ranking", "not judged"):
        assert text in svg


def test_no_other_format_is_written():
    """The refusal names what could be asked for."""
    with pytest.raises(ValueError, match="PNG, SVG, PDF"):
        picture(FOUR, "bmp")


@pytest.mark.parametrize("gain", [1e308, 1.79e308])
def test_gains_near_the_largest_number_are_drawn(gain):
    """The largest gains there are make a chart like any other."""
    huge = replace(FOUR, ranking=np.array([gain, 0, 1, 0]), ideal=np.array([gain, 1, 1, 0]))
    assert picture(huge, "png").startswith(b"\x89PNG")
