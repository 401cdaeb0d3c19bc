"""The History panel, acted in as a person does: look, go to a document, and go back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QPushButton, QTableView

from ndcg_desktop.app import create_window
from ndcg_desktop.models.history_model import CHANGE, EFFECT, JUDGE
from ndcg_desktop.session import chronicle
from ndcg_desktop.session.journal import Change, Journal
from ndcg_desktop.views import history_panel
from ndcg_desktop.views.history_panel import HistoryPanel
from ndcg_desktop.views.main_window import MainWindow

FILE = "46-textbook-six-plus-two.csv"
Own = Callable[[str], Path]
Open = Callable[..., MainWindow]


def panel_in(window: MainWindow) -> HistoryPanel:
    """A history panel at the bottom of a window."""
    panel = HistoryPanel(window.session, window.chronicle, window)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, panel)
    panel.show()
    return panel


@pytest.fixture
def panel(opened: Open, own: Own) -> HistoryPanel:
    """The panel of a window on a copy of the textbook example."""
    window = opened(own(FILE))
    window.session.set_judge("Anna")
    return panel_in(window)


def changes(panel: HistoryPanel) -> QTableView:
    """The table of the panel."""
    return panel.findChild(QTableView, "changes")


def button(panel: HistoryPanel, name: str) -> QPushButton:
    """A button of the panel."""
    return panel.findChild(QPushButton, name)


def rows(panel: HistoryPanel, column: int = CHANGE) -> list[str]:
    """What a column shows, from the top."""
    model = changes(panel).model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


def grade(qtbot, window: MainWindow, row: int, key: Qt.Key) -> None:
    """Type a grade into a row of the ranking table."""
    table = window.findChild(QTableView, "ranking")
    model = table.model()
    table.setFocus()
    table.setCurrentIndex(model.index(row, model.grade_column))
    qtbot.keyClick(table, key)


def grades(window: MainWindow) -> list[float | None]:
    """The grades of the ranking table."""
    model = window.findChild(QTableView, "ranking").model()
    return [model.grade(row) for row in range(model.rowCount())]


def choose(panel: HistoryPanel, row: int) -> None:
    """Select a row of the history."""
    flag = QItemSelectionModel.SelectionFlag
    index = changes(panel).model().index(row, 0)
    changes(panel).selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)


def go_back(qtbot, panel: HistoryPanel, row: int) -> None:
    """Go back to a row of the history."""
    choose(panel, row)
    qtbot.mouseClick(button(panel, "goBack"), Qt.MouseButton.LeftButton)


def listed(qtbot, panel: HistoryPanel, *words: str) -> None:
    """Wait until the history shows these changes."""
    qtbot.waitUntil(lambda: rows(panel) == list(words))


class TestList:
    """What is listed."""

    def test_nothing_yet(self, panel: HistoryPanel) -> None:
        """Before the first change a sentence says what will be here, and nothing can be pressed."""
        assert panel.text.text() == history_panel.NOTHING
        assert not changes(panel).isVisible()
        assert not button(panel, "goBack").isEnabled()
        assert not button(panel, "goToDocument").isEnabled()

    def test_grade_is_listed_with_judge_and_effect(self, qtbot, panel, window) -> None:
        """A grade that is typed is there with who gave it and what it did."""
        grade(qtbot, window, 1, Qt.Key.Key_0)
        listed(qtbot, panel, "D2: 2 → 0")

        assert rows(panel, JUDGE) == ["Anna"]
        assert rows(panel, EFFECT) == ["nDCG@10 0.756 → 0.668 (−0.088)"]
        assert not panel.text.isVisible()

    def test_undo_and_redo_are_listed(self, qtbot, panel, window) -> None:
        """What was taken back has happened too."""
        grade(qtbot, window, 1, Qt.Key.Key_0)
        window.findChild(QAction, "actionUndo").trigger()
        window.findChild(QAction, "actionRedo").trigger()

        listed(qtbot, panel, "D2: 2 → 0", "D2: 0 → 2", "D2: 2 → 0")

    def test_save_is_marked(self, qtbot, panel, window) -> None:
        """A save stands above what it saved, and below what comes later."""
        grade(qtbot, window, 1, Qt.Key.Key_0)
        with qtbot.waitSignal(window.session.saved, timeout=20_000):
            window.findChild(QAction, "actionSave").trigger()
        grade(qtbot, window, 2, Qt.Key.Key_1)

        listed(qtbot, panel, "D3: 3 → 1", "— saved —", "D2: 2 → 0")

    def test_reads_only_while_it_is_seen(self, qtbot, panel, window) -> None:
        """A hidden panel asks for nothing, and has everything when it is shown again."""
        panel.hide()
        grade(qtbot, window, 1, Qt.Key.Key_0)
        qtbot.wait(50)
        hidden = rows(panel)
        panel.show()

        assert hidden == []
        listed(qtbot, panel, "D2: 2 → 0")

    def test_long_history_comes_from_a_thread(self, qtbot, panel, window, monkeypatch) -> None:
        """A sentence says so meanwhile; what is graded meanwhile is there in the end."""
        monkeypatch.setattr(chronicle, "READ_AT_ONCE", 0)
        panel.hide()
        grade(qtbot, window, 1, Qt.Key.Key_0)
        panel.show()

        assert panel.text.text() == history_panel.READING

        grade(qtbot, window, 2, Qt.Key.Key_1)
        listed(qtbot, panel, "D3: 3 → 1", "D2: 2 → 0")

    def test_other_file_has_another_history(self, qtbot, panel, window, opened, files) -> None:
        """Nothing of the file before is left."""
        grade(qtbot, window, 1, Qt.Key.Key_0)
        listed(qtbot, panel, "D2: 2 → 0")
        window.session.undo_stack.setClean()
        opened(files / "04-quepid-book-three-raters.csv")

        listed(qtbot, panel)
        assert panel.text.text() == history_panel.NOTHING

    def test_filter(self, qtbot, panel, window) -> None:
        """The filter keeps the chosen change where it still shows it, and says if it shows none."""
        for row in (1, 2):
            grade(qtbot, window, row, Qt.Key.Key_0)
        listed(qtbot, panel, "D3: 3 → 0", "D2: 2 → 0")
        choose(panel, 1)
        line = panel.findChild(QLineEdit, "historyFilter")
        qtbot.keyClicks(line, "d2")

        assert rows(panel) == ["D2: 2 → 0"]
        assert changes(panel).currentIndex().row() == 0

        qtbot.keyClicks(line, "x")

        assert panel.text.text() == history_panel.NOT_FOUND
        assert not button(panel, "goBack").isEnabled()

        line.clear()

        assert len(rows(panel)) == 2

    def test_unreadable_history_is_told(self, panel, window) -> None:
        """A journal that cannot be read is no reason to stop."""
        window.chronicle.journal.close()
        panel._follow()

        assert panel.text.text().startswith("The history cannot be read: ")


class TestFocusAndBlindness:
    """Where keys go, and what is not shown."""

    def test_the_changes_take_the_focus(self, qtbot, panel, window) -> None:
        """The newest change is chosen, so that arrows go on from there."""
        grade(qtbot, window, 1, Qt.Key.Key_0)
        listed(qtbot, panel, "D2: 2 → 0")
        panel.take_focus()

        assert window.focusWidget() is changes(panel)
        assert changes(panel).currentIndex().row() == 0

    def test_they_take_it_once_they_are_read(self, qtbot, opened, own) -> None:
        """A panel that is shown while the history is read has the focus afterwards."""
        window = opened(own(FILE))
        grade(qtbot, window, 1, Qt.Key.Key_0)
        panel = panel_in(window)
        panel.take_focus()
        listed(qtbot, panel, "D2: 2 → 0")

        qtbot.waitUntil(lambda: window.focusWidget() is changes(panel))

    def test_an_empty_history_takes_nothing_later(self, qtbot, panel, window) -> None:
        """A grade that is given long after leaves the focus where one types."""
        qtbot.waitUntil(lambda: panel.text.text() == history_panel.NOTHING)
        panel.take_focus()
        grade(qtbot, window, 1, Qt.Key.Key_0)
        listed(qtbot, panel, "D2: 2 → 0")

        assert window.focusWidget() is window.findChild(QTableView, "ranking")

    def test_blind(self, qtbot, panel, window) -> None:
        """No score is shown, nor told by a tooltip, until one is not blind any more."""
        tip = Qt.ItemDataRole.ToolTipRole
        grade(qtbot, window, 1, Qt.Key.Key_0)
        listed(qtbot, panel, "D2: 2 → 0")
        model = changes(panel).model()
        before = model.index(0, CHANGE).data(tip)
        panel.set_blind(True)

        assert changes(panel).isColumnHidden(EFFECT)
        assert rows(panel, EFFECT) == ["–"]
        assert "nDCG" in before and "nDCG" not in model.index(0, CHANGE).data(tip)
        panel.set_blind(False)
        assert not changes(panel).isColumnHidden(EFFECT)
        assert model.index(0, CHANGE).data(tip) == before


class TestGoingToADocument:
    """From a change to what it is about."""

    @pytest.mark.parametrize("way", ["button", "return", "double click"])
    def test_says_where(self, qtbot, panel, window, way) -> None:
        """By the button, by Return, or by a double click."""
        grade(qtbot, window, 1, Qt.Key.Key_0)
        listed(qtbot, panel, "D2: 2 → 0")
        table = changes(panel)
        choose(panel, 0)
        with qtbot.waitSignal(panel.place_wanted) as wanted:
            if way == "button":
                qtbot.mouseClick(button(panel, "goToDocument"), Qt.MouseButton.LeftButton)
            elif way == "return":
                qtbot.keyClick(table, Qt.Key.Key_Return)
            else:
                at = table.visualRect(table.currentIndex()).topLeft() + QPoint(4, 4)
                qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
                qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)

        assert wanted.args == [window.session.evaluation.queries[0], "D2"]


class TestGoingBack:
    """To any point, and forth again."""

    def test_restores_all_values_and_can_be_undone(self, qtbot, panel, window) -> None:
        """Everything is as it was just after the chosen change; one undo takes that back."""
        before = grades(window)
        for row in (1, 2, 3):
            grade(qtbot, window, row, Qt.Key.Key_1)
        after = grades(window)
        listed(qtbot, panel, "D4: 0 → 1", "D3: 3 → 1", "D2: 2 → 1")
        time = panel.model.time_at(2)
        go_back(qtbot, panel, 2)

        assert grades(window) == [before[0], 1.0, *before[2:]]
        assert window.session.undo_stack.undoText() == f"going back to {time}"
        qtbot.waitUntil(lambda: rows(panel)[0] == "grades of 2 documents")
        assert changes(panel).currentIndex().row() == 3
        assert panel.text.text() == f"2 grades are as they were at {time}."

        window.findChild(QAction, "actionUndo").trigger()

        assert grades(window) == after

    def test_to_what_is_there_changes_nothing(self, qtbot, panel, window) -> None:
        """It is said, and there is nothing to undo; the next row takes the sentence away."""
        grade(qtbot, window, 1, Qt.Key.Key_1)
        grade(qtbot, window, 2, Qt.Key.Key_1)
        listed(qtbot, panel, "D3: 3 → 1", "D2: 2 → 1")
        go_back(qtbot, panel, 0)

        assert panel.text.text() == history_panel.AS_IT_WAS
        assert window.session.undo_stack.count() == 2

        choose(panel, 1)

        assert not panel.text.isVisible()

    def test_to_a_save(self, qtbot, panel, window) -> None:
        """A mark is a point to go back to, though it is about no document."""
        grade(qtbot, window, 1, Qt.Key.Key_0)
        with qtbot.waitSignal(window.session.saved, timeout=20_000):
            window.findChild(QAction, "actionSave").trigger()
        saved = grades(window)
        grade(qtbot, window, 2, Qt.Key.Key_1)
        listed(qtbot, panel, "D3: 3 → 1", "— saved —", "D2: 2 → 0")
        choose(panel, 1)

        assert not button(panel, "goToDocument").isEnabled()

        go_back(qtbot, panel, 1)

        assert grades(window) == saved

    def test_says_what_has_no_place_any_more(self, qtbot, panel, window) -> None:
        """A value of a query that is gone is counted, and the rest is brought back."""
        grade(qtbot, window, 1, Qt.Key.Key_0)
        gone = Change(1.0, "Bo", "grade", "gone", "X", None, 1.0)
        window.chronicle.journal.append([gone])
        grade(qtbot, window, 2, Qt.Key.Key_0)
        listed(qtbot, panel, "D3: 3 → 0", "X: not judged → 1", "D2: 2 → 0")
        go_back(qtbot, panel, 2)
        qtbot.waitUntil(lambda: len(rows(panel)) == 4)

        assert grades(window)[1:3] == [0.0, 3.0]
        assert panel.text.text().startswith("1 value has no place")
        assert "did not come back. 1 grade is as it was at " in panel.text.text()

    def test_after_a_restart(self, qtbot, panel, window, settings, state) -> None:
        """The next window on the file lists everything, and goes back behind its own start."""
        path = window.session.paths[0]
        before = grades(window)
        for row in (1, 2):
            grade(qtbot, window, row, Qt.Key.Key_1)
        with qtbot.waitSignal(window.session.saved, timeout=20_000):
            window.findChild(QAction, "actionSave").trigger()
        window.close()
        other = create_window([], settings, state)
        qtbot.addWidget(other, before_close_func=lambda w: w.session.undo_stack.setClean())
        other.show()
        with qtbot.waitSignal(other.session.replaced, timeout=20_000):
            other.open_paths([path])
        qtbot.waitUntil(other.session.is_idle, timeout=20_000)
        again = panel_in(other)
        listed(qtbot, again, "— saved —", "D3: 3 → 1", "D2: 2 → 1")

        go_back(qtbot, again, 2)

        assert grades(other) == [before[0], 1.0, *before[2:]]

        other.findChild(QAction, "actionUndo").trigger()

        assert grades(other)[1:3] == [1.0, 1.0]

    def test_what_was_restored_is_marked(self, qtbot, panel, window, opened, state) -> None:
        """What a run before had not saved is marked as restored, and what restored it is above."""
        path, key = window.session.paths[0], window.chronicle.journal.key
        query = window.session.evaluation.queries[0]
        window.session.close()
        with closing(Journal(state, key)) as dead:
            dead.append([Change(1.0, "Bo", "grade", query, "D1", 3.0, 0.0)])
        with qtbot.waitSignal(window.chronicle.left) as left:
            opened(path)
        window.chronicle.restore(left.args[0])

        listed(qtbot, panel, "D1: 3 → 0", "— restored —", "D1: 3 → 0")
        assert rows(panel, JUDGE) == ["Anna", "", "Bo"]
