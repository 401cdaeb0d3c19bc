"""The list of keys, and the keys of the Judge page as they are changed there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialogButtonBox, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from ndcg_desktop.views.judge_keys import JUDGE_KEYS
from ndcg_desktop.views.keys_dialog import KeysDialog

DEFAULTS = {name: spec.key for name, spec in JUDGE_KEYS.items()}
_Key, _Held = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def actions(qapp) -> list[QAction]:
    """Actions elsewhere, with their keys."""
    made = []
    for text, key in (("&Save", "Ctrl+S"), ("&Keys", "F1"), ("&Open…", "Ctrl+O")):
        action = QAction(text)
        action.setShortcut(key)
        made.append(action)
    return made


@pytest.fixture
def ask(qtbot: QtBot, actions: list[QAction]) -> Callable[..., KeysDialog]:
    """The dialog, shown and in front."""

    def make(**changed: str) -> KeysDialog:
        dialog = KeysDialog(DEFAULTS | changed, actions)
        qtbot.addWidget(dialog)
        with qtbot.waitActive(dialog):
            dialog.show()
            dialog.activateWindow()
        return dialog

    return make


def press(key: Qt.Key, held: Qt.KeyboardModifier = _Held.NoModifier) -> None:
    """Press a key where the focus is."""
    focus = QApplication.focusWidget()
    QTest.keyClick(focus, key, held)
    if held != _Held.NoModifier:  # else it is held for the tests that follow
        QTest.keyRelease(focus, _Key.Key_Control)


def ok(dialog: KeysDialog) -> QAbstractButton:
    """The button that takes the keys."""
    return dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)


class TestFocus:
    """Reading comes first."""

    def test_the_list_has_the_focus_and_escape_leaves(self, qtbot: QtBot, ask) -> None:
        """Esc, pressed at once, leaves the dialog and is nobody's new key."""
        dialog = ask()

        assert QApplication.focusWidget() is dialog.table
        with qtbot.waitSignal(dialog.rejected):
            press(_Key.Key_Escape)
        assert dialog.chosen() == DEFAULTS

    def test_escape_leaves_from_a_field(self, qtbot: QtBot, ask) -> None:
        """Where a key could be given, Esc leaves as well."""
        dialog = ask()
        dialog.fields["cannot"].setFocus()
        with qtbot.waitSignal(dialog.rejected):
            press(_Key.Key_Escape)

        assert dialog.chosen() == DEFAULTS

    @pytest.mark.parametrize("key", [_Key.Key_Return, _Key.Key_Enter])
    def test_return_is_ok(self, qtbot: QtBot, ask, key: Qt.Key) -> None:
        """Return in a field presses the default button."""
        dialog = ask()
        dialog.fields["later"].setFocus()
        with qtbot.waitSignal(dialog.accepted):
            press(key)

        assert dialog.chosen() == DEFAULTS

    def test_a_click_takes_the_next_key(self, qtbot: QtBot, ask) -> None:
        """A click into the line gives the field the focus."""
        dialog = ask()
        field = dialog.fields["later"]
        qtbot.mouseClick(field.findChild(QLineEdit), Qt.MouseButton.LeftButton)
        press(_Key.Key_W)

        assert dialog.chosen() == DEFAULTS | {"later": "W"}

    def test_tab_moves(self, ask) -> None:
        """Tab and Shift+Tab go from field to field, and change none."""
        dialog = ask()
        first, second = dialog.fields["cannot"], dialog.fields["later"]
        first.setFocus()
        press(_Key.Key_Tab)
        assert QApplication.focusWidget() is second
        press(_Key.Key_Backtab, _Held.ShiftModifier)

        assert QApplication.focusWidget() is first
        assert dialog.chosen() == DEFAULTS


class TestKeys:
    """Which keys can be given."""

    def test_a_letter_is_taken(self, ask) -> None:
        """Another letter is a good key, also one with Shift, and one of the number pad."""
        dialog = ask()
        for name, key, held in (
            ("cannot", _Key.Key_C, _Held.NoModifier),
            ("later", _Key.Key_L, _Held.ShiftModifier),
            ("next", _Key.Key_Plus, _Held.KeypadModifier),
        ):
            dialog.fields[name].setFocus()
            press(key, held)

        assert dialog.chosen() == DEFAULTS | {"cannot": "C", "later": "Shift+L", "next": "+"}
        assert ok(dialog).isEnabled()

    @pytest.mark.parametrize(
        ("key", "held", "why"),
        [
            (_Key.Key_Space, _Held.NoModifier, "Space presses the button that has the focus."),
            (_Key.Key_5, _Held.NoModifier, "5 gives a grade."),
            (_Key.Key_5, _Held.KeypadModifier, "5 gives a grade."),
            (_Key.Key_S, _Held.ControlModifier, "Ctrl+S is “Save” everywhere."),
            (_Key.Key_F1, _Held.NoModifier, "F1 is “Keys” everywhere."),
            (_Key.Key_F2, _Held.NoModifier, "F2 is “Enter any grade” everywhere."),
            (_Key.Key_Delete, _Held.NoModifier, "Del is “Not judged” everywhere."),
            (_Key.Key_Left, _Held.NoModifier, "Left moves in lists and texts."),
            (_Key.Key_PageDown, _Held.NoModifier, "PgDown scrolls the document."),
            (_Key.Key_Home, _Held.NoModifier, "Home scrolls the document."),
            (_Key.Key_B, _Held.ControlModifier, "Ctrl+B is no single key"),
            (_Key.Key_B, _Held.AltModifier, "Alt+B is no single key"),
            (_Key.Key_B, _Held.MetaModifier, "Meta+B is no single key"),
        ],
    )
    def test_a_key_that_does_something_else(self, ask, key, held, why: str) -> None:
        """It is said what the key does already, and OK waits."""
        dialog = ask()
        dialog.fields["note"].setFocus()
        press(key, held)

        assert dialog.problem.text().startswith(f"Problem: {why}")
        assert dialog.problem.isVisible() and dialog.sign.isVisible()
        assert not dialog.sign.pixmap().isNull()
        assert not ok(dialog).isEnabled()

    def test_all_problems_are_listed(self, ask) -> None:
        """Two keys that are one, a digit and somebody else's key are said at once."""
        dialog = ask(cannot="L", note="5", undo="Ctrl+O")

        assert dialog.problem.text().split("\n") == [
            "Problems:",
            "L is both “Can't tell” and “Later”.",
            "5 gives a grade.",
            "Ctrl+O is “Open” everywhere.",
        ]
        described = {n: f.accessibleDescription() for n, f in dialog.fields.items()}
        assert described["note"] == "5 gives a grade."
        assert described["next"] == ""

    def test_three_times_the_same(self, ask) -> None:
        """A key of three things names all of them."""
        dialog = ask(cannot="L", note="L")

        assert dialog.problem.text() == "Problem: L is “Can't tell”, “Later” and “Note”."

    def test_none_and_the_defaults(self, qtbot: QtBot, ask) -> None:
        """Things may be without a key; one button brings all keys back, and the problem goes."""
        dialog = ask(cannot="", later="", note="5")
        assert dialog.problem.text() == "Problem: 5 gives a grade."
        restore = dialog.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        qtbot.mouseClick(restore, Qt.MouseButton.LeftButton)

        assert dialog.chosen() == DEFAULTS
        assert ok(dialog).isEnabled() and not dialog.sign.isVisible()
        assert dialog.findChild(QLabel, "keyProblems").text() == ""


def test_every_field_has_a_name(ask) -> None:
    """The line inside a field, which a screen reader finds, is called as the field."""
    dialog = ask()

    for name, field in dialog.fields.items():
        assert field.findChild(QLineEdit).accessibleName() == JUDGE_KEYS[name].text
        assert field.isClearButtonEnabled()
