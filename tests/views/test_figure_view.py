"""A chart of a comparison as a widget: drawing, pointer, keys, words and files."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QColor, QGuiApplication, QImage, QKeyEvent, QPalette
from PySide6.QtWidgets import QApplication, QToolTip, QVBoxLayout, QWidget

from ndcg_desktop.charts.comparison_chart import Pair
from ndcg_desktop.charts.difference_bars import DifferenceBars
from ndcg_desktop.charts.heat_map import HeatMap
from ndcg_desktop.charts.paired_bars import PairedBars
from ndcg_desktop.charts.ranking_chart import DRAWING
from ndcg_desktop.charts.scatter_chart import ScatterChart
from ndcg_desktop.views.figure_view import FigureView

# Of the tooltips, which are windows: those of the offscreen platform do not lie upon each other.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)

PAIR = Pair("production", "candidate", "nDCG@10")
DIFFERENCES = np.array([0.1, -0.3, 0.2, 0.0])
LABELS = ["<b>red</b> hat", "shoes", "$tv$", "usb"]
QUERIES = np.array([7, 3, 11, 5])
BARS = DifferenceBars(DIFFERENCES, LABELS, QUERIES, PAIR, "Differences", "nDCG@10 · linear gain")
POINTS = ScatterChart(np.full(4, 0.5), 0.5 + DIFFERENCES, LABELS, QUERIES, PAIR)
CELLS = HeatMap(
    np.array([[0.1, np.nan, 0.2], [0.3, -0.4, 0.0]]),
    ["linear", "exponential"],
    ["1", "2", "all"],
    PAIR,
)
NONE = np.zeros(3, bool)
QUERY = PairedBars(
    np.array([1.0, 0, 0.5]), np.array([0, 2.0, 0.5]), np.array([2.0, 1, 0]), NONE, NONE, PAIR
)
EMPTY = replace(BARS, difference=np.full(4, np.nan))
DARK_PALETTE = QPalette(QColor("#202428"))


@pytest.fixture
def holder(qtbot):
    """A window, shown, that holds a chart and has the focus elsewhere."""
    QApplication.instance().setStyleSheet("")  # of a window before: palettes would not go down
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(FigureView("Differences of queries"))
    holder.resize(500, 360)
    qtbot.addWidget(holder)
    elsewhere = QWidget(holder)
    elsewhere.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    with qtbot.waitActive(holder):
        holder.show()
    elsewhere.setFocus()
    return holder


@pytest.fixture
def view(holder):
    """The chart of the window, showing BARS."""
    view = holder.findChild(FigureView)
    view.show_chart(BARS)
    settle()
    return view


@pytest.fixture
def drawings(view):
    """A list that grows by one with each drawing of the figure."""
    made = []
    view.mpl_connect("draw_event", made.append)
    return made


def settle():
    """Let Qt paint what it has to paint."""
    QCoreApplication.processEvents()


def shown(view):
    """Return the picture in the widget, as an array."""
    settle()
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    dots = np.frombuffer(image.constBits(), np.uint8)
    return dots.reshape(image.height(), image.width(), 4)[..., :3].copy()


def place(view, x, y):
    """Return the point of the widget at these coordinates of the axes."""
    across, up = view.figure.axes[0].transData.transform((x, y))
    ratio = view.device_pixel_ratio
    return QPoint(round(across / ratio), round(view.height() - up / ratio))


def changed(before, after):
    """Return left, top, right and bottom of where two pictures differ, in dots."""
    rows, columns = np.nonzero((before != after).any(axis=2))
    return columns.min(), rows.min(), columns.max(), rows.max()


def press(view, qtbot, keys):
    """Press these keys, one after the other."""
    for key in keys.split():
        qtbot.keyClick(view, getattr(Qt.Key, f"Key_{key}"))


def test_drawing_waits_for_the_paint(view, drawings, qtbot):
    """Many charts make one drawing, and a hidden view makes none."""
    for chart in (POINTS, CELLS, QUERY, BARS):
        view.show_chart(chart)
    settle()
    assert len(drawings) == 1
    view.hide()
    view.show_chart(CELLS)
    settle()
    assert len(drawings) == 1
    view.show()
    qtbot.waitUntil(lambda: len(drawings) == 2)
    assert view.chart is CELLS


def test_another_chart_takes_the_place_of_the_first(view):
    """Nothing of the chart before is left, whatever the two are."""
    before = shown(view)
    for chart in (CELLS, POINTS, EMPTY, QUERY):
        view.show_chart(chart)
        assert not np.array_equal(shown(view), before)
        assert len(view.figure.axes) == (chart is not EMPTY)
    view.show_chart(BARS)
    assert np.array_equal(shown(view), before)


def test_while_a_picture_is_made_the_view_waits(view, drawings, qtbot):
    """A thread that draws is not disturbed; the view draws when it has done."""
    held, done = threading.Event(), threading.Event()

    def make_picture():
        with DRAWING:
            held.set()
            done.wait(5)

    thread = threading.Thread(target=make_picture)
    thread.start()
    held.wait(5)
    view.show_chart(CELLS)
    settle()
    assert drawings == []
    done.set()
    thread.join()
    qtbot.waitUntil(lambda: len(drawings) == 1)


def test_a_new_size_is_drawn_anew(view, holder, drawings):
    """The figure fills the widget."""
    holder.resize(800, 300)
    assert shown(view).shape[:2] == (300, 800)
    assert len(drawings) == 1


def test_a_finer_screen_is_drawn_anew(view, holder, monkeypatch):
    """On a screen with more dots the figure has more of them, and the same layout."""
    before = view.figure.axes[0].get_position().bounds
    monkeypatch.setattr(view, "devicePixelRatioF", lambda: 2.0)
    QCoreApplication.sendEvent(holder.windowHandle(), QEvent(QEvent.Type.DevicePixelRatioChange))
    settle()
    assert view.figure.dpi == 192
    assert view.figure.axes[0].get_position().bounds == pytest.approx(before, abs=0.002)


def test_the_colours_follow_the_palette(view, holder):
    """In a dark window the chart is dark, and light again in a light one."""
    before = shown(view)
    light = holder.palette()
    holder.setPalette(DARK_PALETTE)
    background = DARK_PALETTE.color(QPalette.ColorRole.Window)
    dark = shown(view)
    assert dark[3, 3].tolist() == [background.blue(), background.green(), background.red()]
    assert dark.mean() < before.mean() / 2
    holder.setPalette(light)
    assert np.array_equal(shown(view), before)


@pytest.mark.parametrize(
    ("chart", "x", "y", "item"),
    [
        (BARS, 1, -0.1, 11),
        (BARS, 4, 0.1, 3),
        (POINTS, 0.5, 0.71, 11),
        (CELLS, 1.5, 1.5, (1, 1)),
        (QUERY, 2.2, 0.3, 2),
    ],
)
def test_a_click_tells_the_item(view, qtbot, chart, x, y, item):
    """What stands under the pointer is told, and becomes the current item."""
    view.show_chart(chart)
    settle()
    with qtbot.waitSignal(view.clicked) as clicked:
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place(view, x, y))
    assert clicked.args == [item]
    assert view.current == item


def test_a_click_on_nothing_tells_nothing(view, qtbot):
    """Outside the plot, on an empty cell, beside every point, and with another button."""
    with qtbot.assertNotEmitted(view.clicked):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
        above = QPoint(place(view, 1, 0).x(), 5)
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=above)
        qtbot.mouseClick(view, Qt.MouseButton.RightButton, pos=place(view, 1, 0))
        for chart, x, y in ((CELLS, 1.5, 0.5), (POINTS, 0.1, 0.9)):
            view.show_chart(chart)
            settle()
            qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place(view, x, y))
        view.show_chart(EMPTY)
        settle()
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.rect().center())


def test_keys_move_the_current_item_and_choose_it(view, qtbot):
    """Arrows, Home and End move without choosing; Enter tells the current item."""
    told, visited = [], []
    view.clicked.connect(told.append)
    for key in ["Return", "Right", "Right", "Left", "Down", "End", "Right", "Home"]:
        press(view, qtbot, key)
        visited.append(view.current)
    assert visited == [None, 11, 7, 11, 7, 3, 3, 11]
    assert told == []
    press(view, qtbot, "Return Enter")
    assert told == [11, 11]
    view.show_chart(CELLS)
    press(view, qtbot, "Right Right Down Left")
    assert view.current == (1, 1)


def test_the_current_item_is_outlined(view, drawings):
    """A frame lies about it, upon the drawn figure."""
    before = shown(view)
    view.set_current(11)
    left, top, right, bottom = changed(before, shown(view))
    first = place(view, 0.5, BARS.difference.max())
    last = place(view, 1.5, BARS.difference.min())
    assert left == pytest.approx(first.x(), abs=2) and right == pytest.approx(last.x(), abs=2)
    assert top < first.y() and bottom > last.y()
    view.set_current(12345)
    assert view.current is None
    assert np.array_equal(shown(view), before)
    assert drawings == []


def test_the_outline_of_a_narrow_bar_is_wide_enough_to_be_seen(view):
    """Among thousands of queries the frame is some pixels wide, and within the widget."""
    values = np.linspace(0.5, -0.5, 7000)
    view.show_chart(DifferenceBars(values, [""] * 7000, np.arange(7000), PAIR))
    before = shown(view)
    view.set_current(3500)
    left, _, right, _ = changed(before, shown(view))
    assert 8 <= right - left <= 14


def test_the_current_item_stays_with_the_next_chart(view):
    """The same query is outlined in the other chart, and in one without it none."""
    view.set_current(3)
    view.show_chart(POINTS)
    assert view.current == 3
    view.show_chart(CELLS)
    assert view.current is None


def test_other_keys_are_left_to_the_window(view, holder, qtbot, monkeypatch):
    """The chart takes only the keys it knows, and none where there is nothing to move."""
    seen = []
    monkeypatch.setattr(holder, "keyPressEvent", lambda event: seen.append(event.key()))
    press(view, qtbot, "3 Escape")
    view.show_chart(EMPTY)
    press(view, qtbot, "Right")
    assert seen == [Qt.Key.Key_3, Qt.Key.Key_Escape, Qt.Key.Key_Right]
    view.show_chart(BARS)
    event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    view.keyPressEvent(event)
    assert not event.isAccepted()


def test_pointer_and_keys_are_told_what_stands_there(view, qtbot):
    """Tips are plain text whatever a query is called, and go where there is nothing."""
    qtbot.mouseMove(view, place(view, 2, 0.05))
    settle()
    assert "&lt;b&gt;red&lt;/b&gt; hat\nB − A, nDCG@10: +0.100" in QToolTip.text()
    qtbot.mouseMove(view, QPoint(3, 3))
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
    press(view, qtbot, "Home")
    assert "$tv$" in QToolTip.text()
    QToolTip.hideText()


def test_the_focus_is_seen(view):
    """A frame shows that the keys go to the chart."""
    before = shown(view)
    view.setFocus()
    framed = shown(view)
    assert not np.array_equal(before[0], framed[0])
    assert np.array_equal(before[20:-20, 20:-20], framed[20:-20, 20:-20])


def test_the_chart_is_described_to_a_screen_reader(view):
    """It has a name, and says what it shows; another chart says something else."""
    described = QAccessible.queryAccessibleInterface(view)
    assert described.text(QAccessible.Text.Name) == "Differences of queries"
    assert described.text(QAccessible.Text.Description) == BARS.describe()
    view.show_chart(CELLS)
    assert described.text(QAccessible.Text.Description) == CELLS.describe()


@pytest.mark.parametrize(
    ("name", "start"),
    [("chart.png", b"\x89PNG"), ("chart.SVG", b"<?xml"), ("chart.pdf", b"%PDF")],
)
def test_a_picture_is_saved_as_its_name_says(view, tmp_path, name, start):
    """The suffix chooses the format."""
    view.save_picture(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)


def test_a_saved_picture_is_white_and_of_the_chart_as_it_was(view, holder, tmp_path):
    """Pictures have print colours and no outline, and a writer keeps to its chart."""
    view.save_picture(tmp_path / "light.png")
    holder.setPalette(DARK_PALETTE)
    view.set_current(11)
    write = view.picture_writer(tmp_path / "dark.png")
    view.show_chart(CELLS)
    write()
    light = QImage(str(tmp_path / "light.png"))
    assert light == QImage(str(tmp_path / "dark.png"))
    assert light.pixelColor(0, 0) == QColor("white")
    view.show_chart(BARS)
    view.copy_picture()
    assert QGuiApplication.clipboard().image().size() == light.size()


def test_a_view_without_a_chart(qtbot, tmp_path):
    """Before the first chart nothing happens, and nothing can be saved."""
    view = FigureView("Scores")
    qtbot.addWidget(view)
    view.show()
    press(view, qtbot, "Right Return")
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton)
    view.set_current(3)
    assert view.current is None
    assert view.describe() == ""
    with pytest.raises(ValueError, match="no chart yet"):
        view.save_picture(tmp_path / "chart.png")
    view.show_chart(BARS)
    view.show_chart(None)
    settle()
    assert view.figure.axes == []
