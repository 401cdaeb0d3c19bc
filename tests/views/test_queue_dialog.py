"""What is to be judged, and how, by the fields of its dialog."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QCheckBox, QLabel, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from ndcg_desktop.evaluation.queue import QueueOptions
from ndcg_desktop.views.queue_dialog import QueueDialog


@pytest.fixture
def ask(qtbot: QtBot) -> Callable[..., QueueDialog]:
    """The dialog with these options, for so many rankings."""

    def make(rankings: int = 2, **options) -> QueueDialog:
        dialog = QueueDialog(QueueOptions(**options), rankings, False, False, 0)
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return make


def says(dialog: QueueDialog) -> str:
    """The sentences about the order."""
    return dialog.findChild(QLabel, "queueAbout").text()


def spoken(widget: QWidget, what: QAccessible.Text = QAccessible.Text.Name) -> str:
    """What a screen reader is told."""
    return QAccessible.queryAccessibleInterface(widget).text(what)


class TestOrderInWords:
    """The sentence is true of what is ticked."""

    def test_query_by_query(self, qtbot: QtBot, ask) -> None:
        """The documents of a query are as ranked, until they are shuffled."""
        dialog = ask()
        assert says(dialog) == (
            "One query after the other, and the documents of each as they are ranked."
        )
        dialog.shuffle.setFocus()
        qtbot.keyClick(dialog.shuffle, Qt.Key.Key_Space)

        assert says(dialog) == (
            "One query after the other, and the documents of each in a shuffled order."
        )
        assert dialog.seed.isEnabled() and dialog.chosen().seed == 0

    def test_without_a_ranking(self, ask) -> None:
        """Then there is but the order of the file."""
        assert "as they are in the file" in says(ask(rankings=0))

    def test_mixed_is_always_shuffled(self, ask) -> None:
        """Shuffle is grey there, and it is said why."""
        dialog = ask(by="mixed")

        assert not dialog.shuffle.isEnabled() and dialog.seed.isEnabled()
        assert says(dialog).endswith("Mixed queries are always shuffled.")

    @pytest.mark.parametrize("by", ["range", "winner"])
    @pytest.mark.parametrize(
        ("seed", "alike"), [(None, "stay as they are ranked."), (7, "are shuffled.")]
    )
    def test_what_narrows_most(self, ask, by: str, seed: int | None, alike: str) -> None:
        """Shuffle is grey there, and it is said why, and what becomes of equals."""
        dialog = ask(by=by, seed=seed)

        assert not dialog.shuffle.isEnabled()
        assert "Shuffle has no say in that order" in says(dialog)
        assert says(dialog).endswith(alike)
        assert dialog.chosen().seed == seed

    @pytest.mark.parametrize(("which", "fresh"), [("unjudged", True), ("all", False)])
    def test_repeats_of_what_is_judged(self, ask, which: str, fresh: bool) -> None:
        """Where repeats are grey it is said why."""
        dialog = ask(which=which, repeats=10)

        assert dialog.repeats.isEnabled() == fresh
        assert ("Hidden repeats are only for" in says(dialog)) != fresh


def test_fields_are_named(ask) -> None:
    """A screen reader has the name of each box and of the line in each field of a number."""
    dialog = ask()
    names = {
        "queueDepth": "Down to rank",
        "queueSeed": "Number of the shuffle",
        "queueRepeats": "Hidden repeats",
        "queuePause": "Propose a pause after",
    }
    for name, label in names.items():
        box = dialog.findChild(QSpinBox, name)
        assert spoken(box) == spoken(box.lineEdit()) == label
    for name, label in (("queueShuffle", "Shuffle"), ("queueBlind", "Blind")):
        box = dialog.findChild(QCheckBox, name)
        assert spoken(box) == label
        assert spoken(box, QAccessible.Text.Description) == box.text() != ""
    assert dialog.seed.toolTip() == "The same number gives the same order again."
