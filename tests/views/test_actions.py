"""Menus by keyboard: no two entries share the letter that chooses them."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from ndcg_desktop.views.main_window import MainWindow


def letter(text: str) -> str:
    """The letter that chooses an entry, "" where it has none."""
    _, mark, rest = text.replace("&&", "").partition("&")
    return rest[0].lower() if mark else ""


@pytest.mark.parametrize("title", ["File", "Edit", "Judge", "View", "Help"])
def test_letters_differ(window: MainWindow, title: str) -> None:
    """Each entry of a menu that has a letter has one of its own."""
    menu = menu_of(window, title)
    letters = Counter(letter(a.text()) for a in menu.actions() if not a.isSeparator())

    assert [key for key, count in letters.items() if key and count > 1] == []


def test_every_entry_of_judge_has_one(window: MainWindow) -> None:
    """Alt+J and a letter open each of the dialogs of judging."""
    texts = [a.text() for a in menu_of(window, "Judge").actions() if not a.isSeparator()]

    assert [letter(text) for text in texts] == ["w", "s", "j", "h", "r"]


def test_alt_j_and_j_are_the_judges(qtbot, worked: MainWindow, monkeypatch) -> None:
    """The two keys, one after the other, do one thing."""
    done: list[str] = []
    worked.do.judges.triggered.connect(lambda _=False: done.append("judges"))
    with qtbot.waitActive(worked):
        worked.activateWindow()
    QTest.keyClick(worked, Qt.Key.Key_J, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is menu_of(worked, "Judge"))
    QTest.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_J)

    assert done == ["judges"]


def menu_of(window: MainWindow, title: str) -> QMenu:
    """A menu of the menu bar."""
    return next(a.menu() for a in window.menuBar().actions() if a.text().replace("&", "") == title)
