"""The score written out as a widget: tables, formula, revealing, lighting up, copying, keys."""

import pytest
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton

from ndcg_desktop.evaluation.explanation import explain
from ndcg_desktop.evaluation.explanation_words import as_formula, as_latex, as_text
from ndcg_desktop.views.explain_view import NOTHING_SHOWN, ExplainView
from ndcg_desktop.views.zoom import apply_zoom


@pytest.fixture
def evaluation():
    """The worked example."""
    return evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4)


@pytest.fixture
def view(qtbot, evaluation):
    """The view on the worked example, shown."""
    view = ExplainView()
    qtbot.addWidget(view)
    view.resize(1280, 760)
    view.show_query(evaluation, 0, 0, 3)
    view.show()
    qtbot.waitExposed(view)
    return view


def column(table, number):
    """The texts of a column."""
    return [table.texts.text(row, number) for row in range(table.texts.rowCount())]


def lit(table):
    """The ranks of the rows that are lit."""
    return [index.row() + 1 for index in table.selectionModel().selectedRows()]


def press(qtbot, view, name):
    """Press a button."""
    qtbot.mouseClick(view.findChild(QPushButton, name), Qt.MouseButton.LeftButton)


def test_both_sums_are_written_out(view):
    """Every row of the ranking's sum and of the ideal's, the formula, and the words."""
    assert column(view.steps, 1) == ["A", "B", "C", "D"]
    assert column(view.steps, 4)[1] == "1/log2(2 + 1) = 0.631"
    assert column(view.steps, 6) == ["3.000", "3.631", "3.631", "4.492"]
    assert column(view.ideal, 1) == ["A", "E", "D", "B"]
    assert view.formula.toPlainText().endswith("nDCG@4 = 4.492 / 6.323 = 0.710")
    assert "E, grade 3, was not returned and cost 0.299." in view.words.toPlainText()


def test_a_rank_lights_up_everywhere(view):
    """Table, ideal and formula show the same rank; with none nothing is lit."""
    view.highlight(2)
    assert (lit(view.steps), lit(view.ideal)) == ([2], [2])
    assert view.formula.lit == ["1/log2(2 + 1)", "0.631", "3/log2(2 + 1)", "1.893"]
    view.highlight(0)
    assert (lit(view.steps), lit(view.ideal), view.formula.lit) == ([], [], [])
    view.highlight(99)
    assert lit(view.steps) == []


def test_the_pointer_lights_a_rank(qtbot, view):
    """Over a row of either table the rank is told and lit."""
    for table, other, row in ((view.steps, view.ideal, 2), (view.ideal, view.steps, 1)):
        place = table.visualRect(table.texts.index(row, 1)).center()
        with qtbot.waitSignal(view.step_hovered) as told:
            qtbot.mouseMove(table.viewport(), place + QPoint(1, 1))
            qtbot.mouseMove(table.viewport(), place)
        assert told.args == [row + 1]
        assert lit(table) == lit(other) == [row + 1]


def test_arrow_keys_light_a_rank(qtbot, view):
    """The cursor of a table does what the pointer does."""
    view.steps.setFocus()
    view.highlight(1)
    with qtbot.waitSignal(view.step_hovered) as told:
        qtbot.keyClick(view.steps, Qt.Key.Key_Down)
    assert told.args == [2]
    assert lit(view.ideal) == [2]


def test_the_ideal_beyond_the_list(qtbot):
    """A place of the ideal at which the ranking has nothing lights alone, and is told as 0."""
    view = ExplainView()
    qtbot.addWidget(view)
    view.show_query(evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING[:1], cutoff=4), 0, 0, 3)
    with qtbot.waitSignal(view.step_hovered) as told:
        view.ideal.hovered.emit(3)
    assert told.args == [0]
    assert (lit(view.steps), lit(view.ideal)) == ([], [3])
    assert view.formula.lit == ["2/log2(3 + 1)", "1.000"]


def test_without_the_unjudged_the_place_of_the_ideal_is_another(qtbot):
    """Where unjudged documents are removed, a rank lights the place that it is scored at."""
    view = ExplainView()
    qtbot.addWidget(view)
    ranking = [("q1", name) for name in "XYAD"]
    view.show_query(evaluation_of(WORKED_JUDGMENTS, ranking, unjudged="remove"), 0, 0, 3)
    view.highlight(4)
    assert (lit(view.steps), lit(view.ideal)) == ([4], [2])
    assert view.formula.lit[:1] == ["2/log2(2 + 1)"]
    view.highlight(1)
    assert (lit(view.steps), lit(view.ideal)) == ([1], [])


def test_revealed_rank_by_rank(qtbot, view):
    """From nothing to the division, one rank at a time; no total is told before."""
    seen = []
    for _ in range(6):
        press(qtbot, view, "explainReveal")
        seen.append((view.steps.texts.rowCount(), view.ideal.texts.rowCount(), view.reveal.text()))
    assert seen == [
        (0, 0, "Reveal rank 1"),
        (1, 1, "Reveal rank 2"),
        (2, 2, "Reveal rank 3"),
        (3, 3, "Reveal rank 4"),
        (4, 4, "Reveal the score"),
        (4, 4, "Reveal"),
    ]
    press(qtbot, view, "explainReveal")
    press(qtbot, view, "explainReveal")
    assert lit(view.steps) == [1]
    assert "0.710" not in view.formula.toPlainText()
    assert not view.words.isVisible()
    press(qtbot, view, "explainAll")
    assert view.steps.texts.rowCount() == 4
    assert view.formula.toPlainText().endswith("0.710")
    assert view.words.isVisible()


def test_keys_reveal(qtbot, view):
    """Space and → reveal, ← takes it back, from the tables too; with Ctrl they do not."""
    view.steps.setFocus()
    qtbot.keyClick(view.steps, Qt.Key.Key_Right)
    qtbot.keyClick(view.steps, Qt.Key.Key_Space)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.steps.texts.rowCount() == 2
    qtbot.keyClick(view.ideal, Qt.Key.Key_Left)
    assert view.steps.texts.rowCount() == 1
    qtbot.keyClick(view.steps, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert view.steps.texts.rowCount() == 1
    view.show_all()
    qtbot.keyClick(view.steps, Qt.Key.Key_Left)
    assert (view.steps.texts.rowCount(), view.reveal.text()) == (4, "Reveal the score")


def test_another_query_is_shown_whole(view, evaluation):
    """What is revealed is of one query."""
    view.reveal_next()
    view.show_query(evaluation, 0, 0, 2)
    assert view.formula.toPlainText().endswith("0.71")


@pytest.mark.parametrize(
    ("button", "rendered"),
    [
        ("explainCopyText", as_text),
        ("explainCopyLatex", as_latex),
        ("explainCopyFormula", as_formula),
    ],
)
def test_copied(qtbot, view, evaluation, button, rendered):
    """Each button copies what it says."""
    press(qtbot, view, button)
    assert QGuiApplication.clipboard().text() == rendered(explain(evaluation, 0, 0))


def test_without_a_score(qtbot, view):
    """A query without a score says why, and has no formula to copy."""
    view.show_query(evaluation_of([("q1", "A", 0)], [("q1", "A")]), 0, 0, 3)
    assert "nothing to normalise by" in view.formula.toPlainText()
    assert not view.copy_formula.isEnabled()
    assert view.copy_text.isEnabled()


def test_without_anything(qtbot, view, evaluation):
    """With nothing open nothing can be pressed, and keys do nothing; judgments alone show the
    ideal.
    """
    view.show_query(None, None, None, 3)
    assert view.words.toPlainText() == NOTHING_SHOWN
    assert not any(button.isEnabled() for button in view.findChildren(QPushButton))
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert view.steps.texts.rowCount() == 0
    view.show_query(evaluation, 0, None, 3)
    assert not view.steps.isVisible()
    assert column(view.ideal, 1) == ["A", "E", "D", "B"]


def test_large_letters(qtbot, view):
    """With larger letters rows and formula grow, and the tables stand below each other."""
    before = view.steps.rowHeight(0), view.formula.font().pointSizeF()
    assert view.sums.orientation() == Qt.Orientation.Horizontal
    application = QApplication.instance()
    apply_zoom(application, 200)
    try:
        assert view.steps.rowHeight(0) > before[0]
        assert view.formula.font().pointSizeF() == pytest.approx(before[1] * 2)
        qtbot.waitUntil(lambda: view.sums.orientation() == Qt.Orientation.Vertical)
    finally:
        apply_zoom(application, 100)


def test_read_aloud(view):
    """Tables, formula and words have names, and their cells their texts."""
    QAccessible.setActive(True)
    for widget in (view.steps, view.ideal, view.formula, view.words):
        assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)
