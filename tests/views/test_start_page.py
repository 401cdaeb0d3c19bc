"""The start page has room for all that one may begin with."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea
from waiting import until_idle

from ndcg_desktop.resources import examples
from ndcg_desktop.views.main_window import MainWindow


def test_every_example_is_seen(qtbot, window: MainWindow) -> None:
    """At 1280 × 800 nothing is scrolled, and each link is as high as its words."""
    until_idle(window.session)
    page = window.findChild(QScrollArea, "pageStart")
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() == 0)

    assert page.horizontalScrollBar().maximum() == 0
    for example in examples():
        link = page.findChild(object, f"example-{example.name}")
        assert link.heightForWidth(link.width()) <= link.height()
        assert page.rect().contains(link.mapTo(page, link.rect().bottomRight()))
