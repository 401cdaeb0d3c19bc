"""Dialogs on a small screen: what can be pressed is always seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from ndcg_desktop.evaluation.queue import QueueOptions
from ndcg_desktop.session.record import Decision
from ndcg_desktop.views.fitting import FRAME, Scrolled, fit
from ndcg_desktop.views.judge_keys import JUDGE_KEYS
from ndcg_desktop.views.judges_dialog import JudgesDialog
from ndcg_desktop.views.keys_dialog import KeysDialog
from ndcg_desktop.views.main_window import MainWindow
from ndcg_desktop.views.queue_dialog import QueueDialog
from ndcg_desktop.views.record_dialog import RecordDialog
from ndcg_desktop.views.scale_dialog import ScaleDialog

LOW = 900, 470
"""What a screen of 1920 × 1080 at twice the size leaves beside a panel and a frame."""

BAD = dict.fromkeys(JUDGE_KEYS, "5")
JUDGED = [Decision(n, "Anna", "grade", "q", f"D{n}", 1.0, 2.0, 1, None) for n in range(200)]


def of_scale(window: MainWindow) -> QDialog:
    """The dialog of the scale."""
    return ScaleDialog(window.session, window)


def of_keys(window: MainWindow) -> QDialog:
    """The dialog of the keys, with a problem."""
    return KeysDialog(BAD, window.do.all, window)


def of_judges(window: MainWindow) -> QDialog:
    """The dialog of the judges."""
    return JudgesDialog(window.session, window)


def of_record(window: MainWindow) -> QDialog:
    """The dialog of the record, with something in it."""
    return RecordDialog(JUDGED, lambda _: None, window)


def of_queue(window: MainWindow) -> QDialog:
    """The dialog of the queue, with its longest sentences."""
    return QueueDialog(QueueOptions("all", by="winner"), 2, True, True, 20, window)


@pytest.fixture
def made(worked: MainWindow) -> Iterator[Callable[..., QDialog]]:
    """Make a dialog over the worked example, and end what it computes."""
    dialogs: list[QDialog] = []

    def make(kind: Callable[[MainWindow], QDialog]) -> QDialog:
        dialogs.append(kind(worked))
        return dialogs[-1]

    yield make
    for dialog in dialogs:
        if isinstance(dialog, JudgesDialog):
            dialog.shut_down()


@pytest.mark.parametrize("kind", [of_scale, of_keys, of_judges, of_record, of_queue])
def test_every_button_is_seen_on_a_low_screen(qtbot: QtBot, made, kind) -> None:
    """A dialog can be made as small as that, and no button at its end is cut off."""
    dialog = made(kind)
    room = dialog.screen().availableGeometry()
    assert dialog.width() <= room.width() - FRAME[0]
    assert dialog.height() <= room.height() - FRAME[1]
    least = dialog.minimumSizeHint()
    assert least.width() <= LOW[0] and least.height() <= LOW[1]
    dialog.resize(*LOW)
    with qtbot.waitExposed(dialog):
        dialog.show()

    buttons = dialog.findChild(QDialogButtonBox).findChildren(QPushButton)
    assert buttons
    for button in buttons:
        place = QRect(button.mapTo(dialog, QPoint()), button.size())
        assert dialog.rect().contains(place)


@pytest.mark.parametrize(("width", "height"), [(300, 200), (5_000, 200), (300, 5_000)])
def test_no_larger_than_the_screen(qtbot: QtBot, width: int, height: int) -> None:
    """A dialog has the size that is wanted, where the screen has room for it and its frame."""
    dialog = QDialog()
    qtbot.addWidget(dialog)
    room = dialog.screen().availableGeometry()
    fit(dialog, width, height)

    assert dialog.width() == min(width, room.width() - FRAME[0])
    assert dialog.height() == min(height, room.height() - FRAME[1])


def test_contents_scroll_only_where_they_must(qtbot: QtBot) -> None:
    """With room for everything there is no scroll bar, with less there is one."""
    inside = QWidget()
    column = QVBoxLayout(inside)
    for number in range(20):
        column.addWidget(QLabel(str(number)))
    area = Scrolled(inside)
    qtbot.addWidget(area)
    area.resize(area.sizeHint())
    with qtbot.waitExposed(area):
        area.show()
    assert area.verticalScrollBar().maximum() == 0
    area.resize(area.minimumSizeHint())

    assert area.verticalScrollBar().maximum() > 0
    assert area.horizontalScrollBar().maximum() == 0


def test_the_record_is_saved_beside_the_workbook(qtbot: QtBot, tmp_path: Path, monkeypatch) -> None:
    """The question for a file begins in the folder of what is open, and numbers' headers stand over
    their numbers.
    """
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QFileDialog, QTableWidget

    asked: list[str] = []
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda _self, _title, path, _kind: (asked.append(path), "")
    )
    dialog = RecordDialog(JUDGED, lambda _: None, folder=tmp_path)
    qtbot.addWidget(dialog)
    dialog.save.click()

    assert asked == [str(tmp_path / "judging-record.csv")]
    table = dialog.findChild(QTableWidget, "recordJudges")
    for column in range(table.columnCount()):
        sides = {table.horizontalHeaderItem(column).textAlignment() & 0xF}
        sides.add(table.item(0, column).textAlignment() & 0xF)
        right = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
        assert sides == {right.value}
