"""The chart as a widget: what it draws anew, and how pointer, keys and files reach it."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QKeyEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip, QVBoxLayout, QWidget

from ndcg_desktop.charts.bars import Bars
from ndcg_desktop.views.chart_view import ChartView

# Of the tooltips, which are windows: those of the offscreen platform do not lie upon each other.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)

BARS = Bars(
    ranking=np.array([1.0, 0.0, 1.5, 0.0]),
    ideal=np.array([3.0, 1.262, 0.5, 0.431]),
    unjudged=np.array([False, True, False, False]),
    row=np.array([0, 1, 2, -1]),
    title="running shoes",
    measure="nDCG@4 0.710 · linear gain, ideal from all judged",
)
OTHER = replace(
    BARS,
    ranking=np.array([2.0, 0.0, 0.5, 0.0]),
    measure="nDCG@4 0.655 · linear gain, ideal from all judged",
)
DARK_PALETTE = QPalette(QColor("#202428"))


@pytest.fixture
def holder(qtbot):
    """A window, shown, that holds a chart and has the focus elsewhere."""
    QApplication.instance().setStyleSheet("")  # of a window before: palettes would not go down
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(ChartView())
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
    view = holder.findChild(ChartView, "chart")
    view.show_bars(BARS, lambda position: f"position {position}")
    settle()
    return view


def settle():
    """Let Qt paint what it has to paint."""
    QCoreApplication.processEvents()


@pytest.fixture
def drawings(view):
    """A list that grows by one with each full drawing."""
    made = []
    view.mpl_connect("draw_event", made.append)
    return made


def shown(view):
    """Return the picture in the widget, as an array."""
    settle()
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    dots = np.frombuffer(image.constBits(), np.uint8)
    return dots.reshape(image.height(), image.width(), 4).copy()


def drawn_anew(view):
    """Return the picture after a full drawing."""
    view.draw()
    return shown(view)


def place(view, position, gain=0.1):
    """Return the point of the widget at a position and a gain."""
    x, y = view.figure.axes[0].transData.transform((position, gain))
    ratio = view.device_pixel_ratio
    return QPoint(round(x / ratio), round(view.height() - y / ratio))


def heights(view):
    """Return the heights of the ranking's bars."""
    found = [a for a in view.figure.axes[0].collections if a.get_label() == "ranking"]
    return [path.get_extents().y1 for path in found[0].get_paths()]


def test_moving_bars_leave_the_rest_of_the_picture(view, drawings):
    """Other bars and marks are drawn on the kept picture, dot for dot as if all was drawn."""
    before = shown(view)
    view.show_bars(OTHER, str)
    view.select_rows({2})
    moved = shown(view)
    assert heights(view) == [2.0, 0.5]
    assert drawings == []
    assert not np.array_equal(before, moved)
    assert np.array_equal(moved, drawn_anew(view))
    view.select_rows(set())
    view.show_bars(BARS, str)
    assert np.array_equal(before, shown(view))


def test_another_query_of_the_same_size_leaves_the_axes(view, drawings):
    """Title and measure are written on the kept picture, dot for dot as if all was drawn."""
    measure = "nDCG(dcg='exp-log2')@4 0.5 · exponential gain, ideal from the returned only"
    view.show_bars(replace(OTHER, title="a much longer query than before", measure=measure), str)
    moved = shown(view)
    assert drawings == []
    assert np.array_equal(moved, drawn_anew(view))


def test_a_fresh_figure_looks_the_same(view):
    """The kept picture with bars upon it is what matplotlib draws of the figure by itself."""
    view.show_bars(OTHER, str)
    view.select_rows({0})
    moved = shown(view)
    whole = FigureCanvasAgg(view.figure)
    for artist in view.figure.axes[0].get_children():
        artist.set_animated(False)
    whole.draw()
    dots = np.asarray(whole.buffer_rgba())[..., [2, 1, 0]]
    assert np.array_equal(moved[..., :3], dots)


def test_many_changes_make_one_drawing(view, drawings, qtbot):
    """Full drawings wait for the paint, and a hidden chart makes none."""
    for count in range(2, 40):
        view.show_bars(replace(BARS, ranking_name=f"run {count}"), str)
    settle()
    assert len(drawings) == 1
    view.hide()
    view.show_bars(replace(BARS, ranking_name="another"), str)
    settle()
    assert len(drawings) == 1
    view.show()
    qtbot.waitUntil(lambda: len(drawings) == 2)


def test_a_new_size_is_drawn_anew(view, holder, drawings):
    """After a change of size, bars move on a picture of the new size."""
    holder.resize(800, 300)
    assert shown(view).shape[:2] == (300, 800)
    assert len(drawings) == 1
    view.show_bars(OTHER, str)
    assert np.array_equal(shown(view), drawn_anew(view))


def test_a_finer_screen_is_drawn_anew(view, holder, monkeypatch):
    """On a screen with more dots the figure has more of them, and the same layout."""
    before = view.figure.axes[0].get_position().bounds
    monkeypatch.setattr(view, "devicePixelRatioF", lambda: 2.0)
    event = QEvent(QEvent.Type.DevicePixelRatioChange)
    QCoreApplication.sendEvent(holder.windowHandle(), event)
    view.show_bars(OTHER, str)
    settle()
    assert view.figure.dpi == 192
    assert view.figure.axes[0].get_position().bounds == pytest.approx(before, abs=0.002)
    assert np.array_equal(shown(view), drawn_anew(view))


def test_the_colours_follow_the_palette(view, holder):
    """In a dark window the chart is dark, at once and when bars move."""
    holder.setPalette(DARK_PALETTE)
    background = DARK_PALETTE.color(QPalette.ColorRole.Window)
    assert view.figure.get_facecolor()[:3] == pytest.approx(background.getRgbF()[:3], abs=0.01)
    corner = shown(view)[3, 3, :3]
    assert corner.tolist() == [background.blue(), background.green(), background.red()]
    assert view.figure.axes[0].xaxis.label.get_color() > "#a0a0a0"
    view.show_bars(OTHER, str)
    assert np.array_equal(shown(view), drawn_anew(view))
    view.hide()
    holder.setPalette(QPalette(QColor("#f4f4f4")))
    view.show()
    assert shown(view)[3, 3, :3].tolist() == [0xF4, 0xF4, 0xF4]


def test_a_click_names_the_row(view, qtbot):
    """A click on a position selects it and tells its row; places without a document do not."""
    with qtbot.waitSignal(view.position_clicked) as clicked:
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place(view, 3))
    assert clicked.args == [2]
    for point in (place(view, 4), QPoint(3, 3)):
        with qtbot.assertNotEmitted(view.position_clicked):
            qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=point)


def test_arrow_keys_move_the_selected_position(view, qtbot):
    """Left and Right go on from the selected position, and stop at the ends of the ranking."""
    rows = []
    view.position_clicked.connect(rows.append)
    keys = "Right Right Right Right Left Home End"
    for key in keys.split():
        qtbot.keyClick(view, getattr(Qt.Key, f"Key_{key}"))
    assert rows == [0, 1, 2, 2, 1, 0, 2]
    view.select_rows({1})
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert rows[-1] == 2


def test_arrow_keys_say_what_stands_at_the_position(view, qtbot):
    """What the pointer can learn the keys can learn too."""
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert "position 1" in QToolTip.text()
    QToolTip.hideText()


def test_other_keys_and_the_wheel_are_left_to_the_window(view, holder, qtbot, monkeypatch):
    """The chart takes only the keys it knows, and scrolls nothing."""
    seen = []
    monkeypatch.setattr(holder, "keyPressEvent", lambda event: seen.append(event.key()))
    qtbot.keyClick(view, Qt.Key.Key_3)
    assert seen == [Qt.Key.Key_3]
    for key, modifier, text in (
        (ord("Ж"), Qt.KeyboardModifier.NoModifier, "Ж"),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier, ""),
    ):
        event = QKeyEvent(QEvent.Type.KeyPress, key, modifier, text)
        view.keyPressEvent(event)
        assert not event.isAccepted()
    wheel = QWheelEvent(
        QPointF(50, 50),
        QPointF(view.mapToGlobal(QPoint(50, 50))),
        QPoint(0, 0),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    view.wheelEvent(wheel)
    assert not wheel.isAccepted()


def test_the_focus_is_seen(view):
    """A frame shows that the arrow keys go to the chart."""
    assert not view.hasFocus()
    before = shown(view)
    view.setFocus()
    framed = shown(view)
    assert not np.array_equal(before[0], framed[0])
    assert np.array_equal(before[20:-20, 20:-20], framed[20:-20, 20:-20])


def test_the_pointer_is_told_what_stands_there(view, qtbot):
    """Tips are plain text whatever a document is called, and go where there is nothing."""
    view.show_bars(BARS, lambda position: f"<b>{position}</b>\n$x$ & more")
    qtbot.mouseMove(view, place(view, 2))
    settle()
    assert "&lt;b&gt;2&lt;/b&gt;\n$x$ &amp; more" in QToolTip.text()
    qtbot.mouseMove(view, QPoint(3, 3))
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_the_position_under_the_pointer_is_told(view, qtbot):
    """The row at the position, and once -1 where the pointer has left it."""
    view.show_bars(BARS, str)
    rows = []
    view.position_hovered.connect(rows.append)
    for point in (place(view, 2), QPoint(3, 3), QPoint(4, 4)):
        qtbot.mouseMove(view, point)
        settle()
    assert rows == [int(BARS.row[1]), -1]


@pytest.mark.parametrize(
    ("name", "start"),
    [("chart.png", b"\x89PNG"), ("chart.SVG", b"<?xml"), ("chart.pdf", b"%PDF")],
)
def test_a_picture_is_saved_as_its_name_says(view, tmp_path, name, start):
    """The suffix chooses the format."""
    view.save_picture(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_saved_picture_is_white_whatever_the_window(view, holder, tmp_path):
    """Pictures have print colours and no selection, twice as fine as the screen."""
    view.save_picture(tmp_path / "light.png")
    holder.setPalette(DARK_PALETTE)
    view.select_rows({1})
    view.save_picture(tmp_path / "dark.png")
    light = QImage(str(tmp_path / "light.png"))
    assert light == QImage(str(tmp_path / "dark.png"))
    assert light.width() == 1536
    assert light.pixelColor(0, 0) == QColor("white")


def test_a_picture_that_cannot_be_saved_is_an_error(view, tmp_path):
    """An unknown suffix or a missing folder is told, and no file is left."""
    with pytest.raises(ValueError, match="not as “txt”"):
        view.save_picture(tmp_path / "chart.txt")
    with pytest.raises((OSError, ValueError)):
        view.save_picture(tmp_path / "nowhere" / "chart.png")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_can_be_copied(view):
    """The clipboard holds an image."""
    view.copy_picture()
    assert QGuiApplication.clipboard().image().width() == 1536


def test_matplotlib_can_save_the_shown_figure_too(view, tmp_path):
    """The figure is whole to whoever takes it, with its title and bars."""
    before = shown(view)
    view.figure.savefig(tmp_path / "figure.png")
    saved = QImage(str(tmp_path / "figure.png")).convertToFormat(QImage.Format.Format_RGB32)
    dots = np.frombuffer(saved.constBits(), np.uint8).reshape(before.shape[0], -1, 4)
    assert np.array_equal(dots, before)
    assert np.array_equal(shown(view), before)


def test_the_chart_is_described_in_words(view):
    """A screen reader is told every position's numbers."""
    assert view.accessibleName() == "Chart of discounted gains"
    assert view.accessibleDescription().split("\n") == [
        "running shoes. nDCG@4 0.710 · linear gain, ideal from all judged.",
        "Position 1: this ranking 1.000, ideal 3.000.",
        "Position 2: not judged, ideal 1.262.",
        "Position 3: this ranking 1.500, ideal 0.500.",
        "Position 4: no document, ideal 0.431.",
    ]


def test_equal_positions_are_described_once(view):
    """A thousand unjudged documents are one sentence."""
    view.show_bars(
        Bars(np.zeros(1000), np.zeros(1000), np.ones(1000, bool), np.arange(1000), "red hat", ""),
        str,
    )
    assert view.describe() == (
        "red hat. No grades yet.\nPositions 1 to 1000: not judged, ideal 0.000."
    )


def test_the_ideal_alone_is_described(view):
    """Without a ranking only the ideal's numbers are told."""
    view.show_bars(replace(BARS, has_ranking=False), str)
    assert "Position 1: ideal 3.000." in view.describe()


def test_a_chart_without_bars_yet(qtbot, tmp_path):
    """Before the first query nothing happens, and nothing can be saved."""
    view = ChartView()
    qtbot.addWidget(view)
    view.show()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton)
    view.select_rows({3})
    assert view.describe() == ""
    assert isinstance(view.figure, Figure)
    with pytest.raises(ValueError, match="no chart yet"):
        view.save_picture(tmp_path / "chart.png")
