"""Other orders of a query, as a widget: moving, inserting, scenarios, keys, and the way back."""

import numpy as np
import pytest
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from PySide6.QtCore import QMimeData, QModelIndex, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton

from ndcg_desktop.evaluation.scenario import score_scenario
from ndcg_desktop.models.order_table import OrderTable
from ndcg_desktop.views.what_if_view import NO_RANKING, NOTHING_MISSED, WhatIfView
from ndcg_desktop.views.zoom import apply_zoom

ALT, CONTROL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def evaluation():
    """The worked example."""
    return evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)


@pytest.fixture
def view(qtbot, evaluation):
    """The view on the worked example, shown."""
    view = WhatIfView()
    qtbot.addWidget(view)
    view.resize(1280, 760)
    view.show_query(evaluation, 0, 0, 3)
    view.show()
    qtbot.waitExposed(view)
    return view


def order(view):
    """The documents of the table."""
    texts = view.table.texts
    return "".join(texts.text(row, 2) for row in range(texts.rowCount()))


def scores(view):
    """The table of scenarios."""
    return [line[:3] for line in view.scores.texts.lines()[1:]]


def press(qtbot, view, name):
    """Press a button."""
    qtbot.mouseClick(view.findChild(QPushButton, name), Qt.MouseButton.LeftButton)


def key(qtbot, view, which, modifier=Qt.KeyboardModifier.NoModifier):
    """Press a key in the table."""
    qtbot.keyClick(view.table, which, modifier)


def value(evaluation, documents):
    """The score of an order, as it is shown."""
    return f"{score_scenario(evaluation, 0, documents).value:.3f}"


def test_at_first(view):
    """The ranking's own order, its figures, and no difference."""
    assert order(view) == "ABCD"
    assert view.score.text() == "nDCG@4 0.710 → 0.710 (+0.000)"
    assert scores(view) == [["What if 1", "0.710", "0.000"]]
    assert [view.missed.itemText(i) for i in range(view.missed.count())] == ["E, grade 3"]
    assert not view.reset.isEnabled()


def test_keys_move_a_document(qtbot, view, evaluation):
    """Alt+Up and Alt+Down move the chosen row, which stays chosen."""
    view.table.selectRow(3)
    key(qtbot, view, Qt.Key.Key_Up, ALT)
    key(qtbot, view, Qt.Key.Key_Up, ALT)
    assert order(view) == "ADBC"
    assert view.table.currentIndex().row() == 1
    assert view.score.text().startswith(f"nDCG@4 0.710 → {value(evaluation, 'ADBC')} (+")
    key(qtbot, view, Qt.Key.Key_Down, ALT)
    assert order(view) == "ABDC"
    assert view.table.texts.text(2, 1) == "4"  # its rank before


def test_the_bars_before_stay(qtbot, view):
    """The chart has the figures before beside those of now."""
    view.table.selectRow(3)
    press(qtbot, view, "whatIfUp")
    chart = view.chart.chart
    log = np.log2
    np.testing.assert_allclose(chart.baseline, [3, 1 / log(3), 0, 2 / log(5)])
    np.testing.assert_allclose(chart.candidate, [3, 1 / log(3), 1, 0])
    np.testing.assert_allclose(chart.ideal, [3, 3 / log(3), 1, 1 / log(5)])
    assert "now: D" in chart.tip(3)
    assert view.score.text() in chart.measure


def test_a_missed_document_is_inserted_and_removed(qtbot, view, evaluation):
    """Ins puts it above the chosen row; Del takes the chosen row out."""
    view.table.selectRow(1)
    key(qtbot, view, Qt.Key.Key_Insert)
    assert order(view) == "AEBCD"
    assert view.table.texts.text(1, 1) == "new"
    assert view.missed.count() == 0
    assert view.missed.placeholderText() == NOTHING_MISSED
    assert not view.insert.isEnabled()
    assert value(evaluation, "AEBCD") in view.score.text()
    view.table.selectRow(0)
    key(qtbot, view, Qt.Key.Key_Delete)
    assert order(view) == "EBCD"
    assert [view.missed.itemText(i) for i in range(view.missed.count())] == ["A, grade 3"]


def test_back(qtbot, view):
    """Ctrl+Backspace gives the ranking's order back, Ctrl+Z the step before."""
    view.table.selectRow(0)
    key(qtbot, view, Qt.Key.Key_Down, ALT)
    key(qtbot, view, Qt.Key.Key_Down, ALT)
    key(qtbot, view, Qt.Key.Key_Backspace, CONTROL)
    assert order(view) == "ABCD"
    key(qtbot, view, Qt.Key.Key_Z, CONTROL)
    assert order(view) == "BCAD"
    press(qtbot, view, "whatIfBack")
    assert order(view) == "BACD"
    qtbot.keyClick(view, Qt.Key.Key_Backspace, CONTROL)
    assert order(view) == "ABCD"


def test_the_undo_of_the_window_is_not_meant(qtbot, view):
    """Ctrl+Z in the list takes a step back there, and never a grade in the window."""
    window = QMainWindow()
    qtbot.addWidget(window)
    window.setCentralWidget(view)
    undone = []
    QShortcut(QKeySequence("Ctrl+Z"), window).activated.connect(lambda: undone.append(1))
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    view.table.setFocus()
    view.table.selectRow(0)
    key(qtbot, view, Qt.Key.Key_Down, ALT)
    key(qtbot, view, Qt.Key.Key_Z, CONTROL)
    assert (order(view), undone) == ("ABCD", [])
    qtbot.keyClick(view.new, Qt.Key.Key_Z, CONTROL)
    assert undone == [1]
    window.takeCentralWidget().setParent(None)  # each is closed by itself


def drop(view, source, row, onto=None):
    """Drop a row before another, or onto one."""
    model = view.table.model()
    data = model.mimeData([model.index(source, 0)])
    parent = QModelIndex() if onto is None else model.index(onto, 0)
    return model.dropMimeData(data, Qt.DropAction.MoveAction, row, 0, parent)


@pytest.mark.parametrize(
    ("source", "row", "onto", "expected"),
    [
        (3, 1, None, "ADBC"),
        (0, 3, None, "BCAD"),
        (0, 4, None, "BCDA"),
        (0, -1, None, "BCDA"),
        (3, -1, 0, "DABC"),
        (0, -1, 2, "BCAD"),
        (1, 1, None, "ABCD"),
        (1, 2, None, "ABCD"),
    ],
)
def test_dragged(view, source, row, onto, expected):
    """A row that is dropped before, onto or below others goes there, and is nowhere twice."""
    assert not drop(view, source, row, onto)  # else Qt would remove the row
    assert order(view) == expected


def test_what_is_dropped_from_elsewhere_is_nothing(view):
    """Only rows of this table are taken."""
    data = QMimeData()
    data.setText("3")
    model = view.table.model()
    assert not model.dropMimeData(data, Qt.DropAction.MoveAction, 0, 0, QModelIndex())
    assert order(view) == "ABCD"


def test_the_model_keeps_qt_s_rules(qtbot):
    """Flags, rows and drops are as Qt wants them."""
    model = OrderTable()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show(("a", "b"), [["1", "2"], ["3", "4"]])
    assert model.flags(model.index(0, 0)) & Qt.ItemFlag.ItemIsDragEnabled
    assert model.supportedDropActions() == Qt.DropAction.MoveAction
    assert tester.model() is model


def test_several_scenarios(qtbot, view, evaluation):
    """New begins with the order in hand; each has its row, with score and difference."""
    view.table.selectRow(3)
    key(qtbot, view, Qt.Key.Key_Up, ALT)
    press(qtbot, view, "whatIfNew")
    assert view.name.selectedText() == "What if 2"
    qtbot.keyClicks(view.name, "D second")
    qtbot.keyClick(view.name, Qt.Key.Key_Return)
    key(qtbot, view, Qt.Key.Key_Up, ALT)
    assert order(view) == "ADBC"
    first, second = value(evaluation, "ABDC"), value(evaluation, "ADBC")
    assert [line[:2] for line in scores(view)] == [["What if 1", first], ["D second", second]]
    view.scores.selectRow(0)
    assert order(view) == "ABDC"
    assert view.name.text() == "What if 1"
    press(qtbot, view, "whatIfDelete")
    assert [line[0] for line in scores(view)] == ["D second"]
    assert order(view) == "ADBC"


def test_scenarios_stay_with_their_query(view, qtbot):
    """Another query has its own, and the first one's are there again afterwards."""
    judgments = [*WORKED_JUDGMENTS, ("q2", "X", 1), ("q2", "Y", 2)]
    both = evaluation_of(judgments, [*WORKED_RANKING, ("q2", "X"), ("q2", "Y")])
    view.show_query(both, 0, 0, 3)
    view.table.selectRow(0)
    key(qtbot, view, Qt.Key.Key_Down, ALT)
    view.show_query(both, 1, 0, 3)
    assert order(view) == "XY"
    view.show_query(both, 0, 0, 3)
    assert order(view) == "BACD"


def test_nothing_reaches_the_data(qtbot, view, evaluation):
    """Grades, documents and scores of the evaluation stay as they are."""
    before = evaluation.scores().value.copy()
    view.table.selectRow(0)
    for which, modifier in (
        (Qt.Key.Key_Down, ALT),
        (Qt.Key.Key_Insert, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Delete, Qt.KeyboardModifier.NoModifier),
    ):
        key(qtbot, view, which, modifier)
    assert not evaluation.modified
    assert len(evaluation.judgments) == 5
    np.testing.assert_array_equal(evaluation.scores().value, before)


def test_ties_are_spoken_of(view):
    """Where ties are averaged, the order as ranked scores another figure here, and that is said."""
    rows = [("q1", name, score) for name, score in zip("ABCD", (3, 3, 2, 2), strict=True)]
    tied = evaluation_of(WORKED_JUDGMENTS, rows, order="ties-averaged")
    view.show_query(tied, 0, 0, 3)
    assert "averages ties" in view.sentence.text()
    assert view.sentence.isVisible()


def test_without_anything(view, evaluation):
    """Without a ranking nothing can be pressed, and keys do nothing."""
    view.show_query(evaluation, 0, None, 3)
    assert view.sentence.text() == NO_RANKING
    assert not any(button.isEnabled() for button in view.findChildren(QPushButton))
    assert view.chart.chart is None
    view.show_query(None, None, None, 3)
    assert order(view) == ""


def test_an_emptied_list(qtbot, view):
    """All documents can be taken out; one can be put in again."""
    view.table.selectRow(0)
    for _ in range(5):
        key(qtbot, view, Qt.Key.Key_Delete)
    assert order(view) == ""
    key(qtbot, view, Qt.Key.Key_Up, ALT)
    key(qtbot, view, Qt.Key.Key_Insert)
    assert order(view) == "A"


def test_large_letters(view):
    """Rows grow with the letters."""
    before = view.table.rowHeight(0)
    application = QApplication.instance()
    apply_zoom(application, 200)
    try:
        assert view.table.rowHeight(0) > before
    finally:
        apply_zoom(application, 100)
