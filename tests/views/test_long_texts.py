"""Ids without end: the window keeps its size, and what is shown of them can be shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from ndcg_desktop.models.tooltip import LONGEST_WORD
from ndcg_desktop.views.chart_view import ChartView
from ndcg_desktop.views.main_window import MainWindow
from ndcg_desktop.views.message_bar import LONGEST, MessageBar

LONG = "x" * 100_000


def shown(bar: MessageBar) -> QLabel:
    """The words of the only message."""
    labels = [label for label in bar.findChildren(QLabel) if label.isVisibleTo(bar)]
    return max(labels, key=lambda label: len(label.text()))


def test_a_message_does_not_widen_its_bar(qtbot) -> None:
    """An id without a space is cut, and its message is no wider than without it."""
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.tell("warning", "x is returned twice.")
    narrow = bar.minimumSizeHint().width()
    bar.clear()
    text = f"“{LONG}” is returned twice.\n… and 7 more."
    bar.tell("warning", text)
    label = shown(bar)

    assert bar.minimumSizeHint().width() <= narrow
    assert max(map(len, label.text().split())) <= LONGEST_WORD
    assert label.text().endswith("” is returned twice.\n… and 7 more.")
    assert label.toolTip()
    assert bar.texts == [text]


def test_a_message_is_cut_where_nobody_reads_on(qtbot) -> None:
    """A message of many words is cut too; a short one is not, and needs no tooltip."""
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.tell("error", "word " * 10_000)

    assert len(shown(bar).text()) == LONGEST + 1
    bar.clear()
    bar.tell("error", "a short one, with its words")
    assert shown(bar).text() == "a short one, with its words"
    assert shown(bar).toolTip() == ""


@pytest.mark.slow  # it draws texts of a million letters
def test_a_file_of_long_ids(opened: Callable[..., MainWindow], tmp_path: Path) -> None:
    """Such a file is shown, with its finding, in a window of the size it had."""
    path = tmp_path / "long.csv"
    rows = [f"{LONG},{LONG}{place},{place + 1},{place % 4}" for place in (0, 1, 2, 1)]
    path.write_text("\n".join(["query,document,rank,grade", *rows]), "utf-8")
    window = opened(path)
    name = window.findChild(QLabel, "queryName")
    chart = window.findChild(ChartView, "chart")

    assert window.minimumSizeHint().width() <= 1280
    assert len(name.text()) < 1000
    assert len(chart.accessibleDescription()) < 5000
    assert window.messages.texts
