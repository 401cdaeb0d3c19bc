"""*What's this*: every control of the window, its pages and its dialogs says what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTabWidget,
    QTextEdit,
    QWhatsThis,
    QWidget,
)
from pytestqt.qtbot import QtBot
from waiting import until_idle

from ndcg_desktop.evaluation.queue import QueueOptions
from ndcg_desktop.resources import examples
from ndcg_desktop.session.preferences import LAYOUTS
from ndcg_desktop.session.record import Decision
from ndcg_desktop.views.classroom_dialog import ClassroomDialog
from ndcg_desktop.views.entry_dialog import EntryDialog
from ndcg_desktop.views.import_dialog import ImportDialog, Offered
from ndcg_desktop.views.judge_keys import JUDGE_KEYS
from ndcg_desktop.views.judges_dialog import JudgesDialog
from ndcg_desktop.views.keys_dialog import KeysDialog
from ndcg_desktop.views.main_window import MainWindow
from ndcg_desktop.views.options_dialog import OptionsDialog
from ndcg_desktop.views.queue_dialog import QueueDialog
from ndcg_desktop.views.rankings_dialog import RankingsDialog
from ndcg_desktop.views.record_dialog import RecordDialog
from ndcg_desktop.views.scale_dialog import ScaleDialog
from ndcg_desktop.views.whats_this import PATTERNS, TEXTS, explain, text_for

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QKeySequenceEdit,
    QLineEdit,
    QPlainTextEdit,
    QTabWidget,
    QTextEdit,
)
CHARTS = ("ChartView", "FigureView", "DrawnView")
PARTS = (QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QKeySequenceEdit, QTabWidget)
QTS_OWN = ("qt_menubar_ext_button", "qt_toolbar_ext_button")
"""Buttons that Qt shows where a bar has no room for all of its entries."""
JUDGED = [Decision(n, "Anna", "grade", "q", f"D{n}", 1.0, 2.0, 1, None) for n in range(9)]


def is_control(widget: QWidget) -> bool:
    """Whether somebody acts on it, and not on something that it is a part of."""
    parent, kind = widget.parentWidget(), type(widget).__name__
    if isinstance(widget, QHeaderView) or widget.objectName() in QTS_OWN:
        return False
    while parent is not None and not isinstance(parent, QDialog):
        if isinstance(parent, PARTS) and not isinstance(parent, QTabWidget):
            return isinstance(widget, QComboBox)  # those that a table holds are its own controls
        if type(parent).__name__ == "QTabBar":
            return False
        parent = parent.parentWidget()
    in_popup = isinstance(widget.window(), QWidget) and widget.window().windowType() == _POPUP
    return (isinstance(widget, CONTROLS) or kind in CHARTS) and not in_popup


_POPUP = Qt.WindowType.Popup


def controls(root: QWidget) -> list[QWidget]:
    """Everything below ``root`` that somebody acts on."""
    return [widget for widget in root.findChildren(QWidget) if is_control(widget)]


def spoken(widget: QWidget) -> str:
    """The name that a screen reader says."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else ""


def lacking(root: QWidget) -> list[str]:
    """The controls without a text or without a name."""
    found = []
    for widget in controls(root):
        what = f"{type(widget).__name__} {widget.objectName()!r} of {root.objectName()!r}"
        if not widget.whatsThis():
            found.append(f"{what} has no What's this")
        if not spoken(widget):
            found.append(f"{what} has no name")
    return found


@pytest.fixture
def library(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """The window on two rankings, where everything can be shown."""
    with qtbot.waitSignal(window.session.replaced, timeout=20_000):
        window.open_example(next(each for each in examples() if each.name == "library"))
    until_idle(window.session)
    return window


def test_every_page_of_the_window(qtbot: QtBot, library: MainWindow) -> None:
    """Start page, toolbars, panels, messages, and each page with its charts."""
    qtbot.waitUntil(lambda: library.page.chart is not None, timeout=10_000)
    library.start.show_recent([[examples()[0].files[0]]])
    for name in LAYOUTS:
        library.arrange(name)
        until_idle(library.session)
    library.do.history.trigger()
    library.show_report()
    library.messages.tell("note", "Something.")
    explain(library)

    found = controls(library)
    assert len(found) > 80
    assert {"chart", "ranking", "queries", "summary", "changes", "findings", "judgeNote"} <= {
        widget.objectName() for widget in found
    }
    assert lacking(library) == []


def of_entry(window: MainWindow) -> QDialog:
    """The dialog of grades by hand."""
    return EntryDialog(window)


def of_options(window: MainWindow) -> QDialog:
    """The dialog of the options."""
    return OptionsDialog(window.session.options, 3, True, window)


def of_rankings(window: MainWindow) -> QDialog:
    """The dialog of the rankings."""
    return RankingsDialog(window.session, window)


def of_scale(window: MainWindow) -> QDialog:
    """The dialog of the scale."""
    return ScaleDialog(window.session, window)


def of_keys(window: MainWindow) -> QDialog:
    """The dialog of the keys."""
    keys = {name: spec.key for name, spec in JUDGE_KEYS.items()}
    return KeysDialog(keys, window.do.all, window)


def of_judges(window: MainWindow) -> QDialog:
    """The dialog of the judges."""
    return JudgesDialog(window.session, window)


def of_record(window: MainWindow) -> QDialog:
    """The dialog of the record."""
    return RecordDialog(JUDGED, lambda _: None, window)


def of_queue(window: MainWindow) -> QDialog:
    """The dialog of the queue."""
    return QueueDialog(QueueOptions(), 2, True, True, 0, window)


def of_classroom(window: MainWindow) -> QDialog:
    """The classroom with its questions about the open data."""
    dialog = ClassroomDialog(window.session.export, window)
    dialog.source.setCurrentIndex(0)
    dialog.show_data(window.session.evaluation)
    return dialog


def of_lesson(window: MainWindow) -> QDialog:
    """The classroom with a lesson."""
    return ClassroomDialog(window.session.export, window)


def of_import(window: MainWindow) -> QDialog:
    """The import page."""
    return ImportDialog(
        window.session, [Offered(part) for part in window.session.parts], "&Open", window
    )


DIALOGS = (
    of_entry,
    of_options,
    of_rankings,
    of_scale,
    of_keys,
    of_judges,
    of_record,
    of_queue,
    of_classroom,
    of_lesson,
    of_import,
)


@pytest.fixture
def shown(qtbot: QtBot, library: MainWindow) -> Iterator[Callable[..., QDialog]]:
    """Show a dialog over the library, in front and with the focus."""
    dialogs: list[QDialog] = []

    def show(kind: Callable[[MainWindow], QDialog]) -> QDialog:
        dialog = kind(library)
        dialogs.append(dialog)
        qtbot.addWidget(dialog)
        with qtbot.waitActive(dialog):
            dialog.show()
            dialog.activateWindow()
        qtbot.waitUntil(lambda: dialog.isAncestorOf(QApplication.focusWidget() or library))
        return dialog

    yield show
    for dialog in dialogs:
        dialog.close()
        if isinstance(dialog, JudgesDialog):
            dialog.shut_down()
    until_idle(library.session)


@pytest.mark.parametrize("kind", DIALOGS)
def test_every_dialog(shown, kind) -> None:
    """A dialog that is shown has its texts, without anybody having asked it."""
    dialog = shown(kind)

    assert dialog.objectName()
    assert len(controls(dialog)) >= 3
    assert lacking(dialog) == []


def test_a_control_without_a_text_is_noticed(qtbot: QtBot) -> None:
    """The walk above can fail: it does for a button that nobody has told of."""
    place = QWidget()
    place.setObjectName("place")
    qtbot.addWidget(place)
    QPushButton(place)
    explain(place)

    assert lacking(place) == [
        "QPushButton '' of 'place' has no What's this",
        "QPushButton '' of 'place' has no name",
    ]


def test_no_text_is_of_nothing(qtbot: QtBot, library: MainWindow) -> None:
    """Every text of the table is that of a widget which is there; a control that goes takes its
    text with it.
    """
    from ndcg_desktop.views.manual_pages import Keys
    from ndcg_desktop.views.manual_window import ManualWindow

    qtbot.waitUntil(lambda: library.page.chart is not None, timeout=10_000)
    library.start.show_recent([[examples()[0].files[0]]])
    for name in LAYOUTS:
        library.arrange(name)
        until_idle(library.session)
    library.history.show()
    library.messages.tell("note", "Something.")
    roots: list[QWidget] = [library, *(kind(library) for kind in DIALOGS)]
    roots.append(ManualWindow(Keys(library.do.all, {}), library.session.preferences, library))
    names = {widget.objectName() for root in roots for widget in root.findChildren(QWidget)}
    judges = next(root for root in roots if isinstance(root, JudgesDialog))
    judges.shut_down()

    assert set(TEXTS) - names == set()


def test_texts_are_sentences() -> None:
    """Each begins with a capital, ends with a full stop, and is no rich text."""
    for text in (*TEXTS.values(), *PATTERNS.values()):
        assert text[0].isupper(), text
        assert text.endswith("."), text
        assert "<" not in text and "&" not in text, text


class TestAsking:
    """How it is asked for."""

    def told(self) -> str:
        """What stands in the window of What's this."""
        for widget in QApplication.topLevelWidgets():
            if widget.metaObject().className() == "QWhatsThat" and widget.isVisible():
                return "shown"
        return ""

    def test_the_key_tells_of_the_focus(self, qtbot: QtBot, worked: MainWindow) -> None:
        """Shift+F1 tells of the control that has the focus; it does not wait for a click."""
        with qtbot.waitActive(worked):
            worked.activateWindow()
        worked.queries.filter.setFocus()
        QTest.keyClick(worked, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
        qtbot.waitUntil(lambda: self.told() == "shown")

        assert not QWhatsThis.inWhatsThisMode()
        QWhatsThis.hideText()
        QTest.keyRelease(worked, Qt.Key.Key_Shift)

    def test_the_menu_waits_for_a_click(self, worked: MainWindow) -> None:
        """Help → What's this? waits, with every control ready to tell."""
        worked.do.whats_this.trigger()

        assert QWhatsThis.inWhatsThisMode()
        assert worked.page.table.whatsThis() == TEXTS["ranking"]
        assert worked.scoring.quick[0].whatsThis() == PATTERNS[r"cutoff\d+"]
        QWhatsThis.leaveWhatsThisMode()

    def test_a_dialog_has_the_key(self, qtbot: QtBot, shown) -> None:
        """Shift+F1 in a dialog tells of its own control."""
        dialog = shown(of_queue)
        box = dialog.findChild(QComboBox, "queueWhich")
        box.setFocus()
        QTest.keyClick(box, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
        qtbot.waitUntil(lambda: self.told() == "shown")
        QWhatsThis.hideText()
        QTest.keyRelease(box, Qt.Key.Key_Shift)

    def test_nothing_of_a_file_is_rich_text(self, worked: MainWindow) -> None:
        """A query that looks like a tag does not get into a text."""
        label = worked.findChild(QLabel, "queryName")
        label.setText("<b>bold</b>")

        assert text_for(label) == "The query that is shown."
