"""The program is killed for real; nothing that was judged is lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QAbstractButton
from test_window import column, table
from waiting import until_idle

from ndcg_desktop.app import create_window
from ndcg_desktop.resources import examples
from ndcg_desktop.views.main_window import MainWindow

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no SIGKILL")

JUDGE = """
import sys
from pathlib import Path
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtTest import QTest
from ndcg_desktop.app import create_window, make_application
from ndcg_desktop.resources import examples

folder, what = Path(sys.argv[1]), sys.argv[2]
application = make_application()
settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
window = create_window([], settings, folder / "state")
window.show()

def ready():
    return window.session.is_idle()

def wait():
    while not ready():
        application.processEvents()

wait()
if what == "example":
    window.open_example(examples()[0])
elif what == "entered":
    from ndcg_desktop.files.entered import entered_table
    window.session.open_table(
        entered_table(["position", "item", "grade"], [["1", "2"], ["A", "B"], ["3", ""]])
    )
else:
    window.open_paths([folder / what])
while window.session.evaluation is None:
    application.processEvents()
wait()
{act}
print("done", flush=True)
while True:
    application.processEvents()
"""


def killed(folder: Path, what: str, act: str) -> None:
    """Run the program, do something in it, and kill it at once without a chance to clean up."""
    script = JUDGE.replace("{act}", textwrap.dedent(act))
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(folder), what],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "done\n"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()


@pytest.fixture
def start(qtbot, tmp_path: Path):
    """Start the program again in the same folder."""

    def go() -> MainWindow:
        settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        window = create_window([], settings, tmp_path / "state")
        qtbot.addWidget(window, before_close_func=lambda w: w.session.undo_stack.setClean())
        window.show()
        until_idle(window.session)
        qtbot.waitUntil(lambda: window.page.chart is not None, timeout=20_000)
        return window

    return go


def answer(window: MainWindow, text: str) -> QAbstractButton:
    """The button of the message bar that says this."""
    return next(b for b in window.messages.findChildren(QAbstractButton) if b.text() == text)


def grades(window: MainWindow) -> list[str]:
    """The grades of the query that is shown."""
    model = table(window).model()
    place = column(window, "Grade")
    return [model.index(row, place).data() for row in range(model.rowCount())]


def test_grades_survive(qtbot, start, tmp_path: Path, files: Path) -> None:
    """The next start offers the file with what was unsaved, and restores it as one step."""
    name = "46-textbook-six-plus-two.csv"
    shutil.copy(files / name, tmp_path / name)
    before = (tmp_path / name).read_bytes()
    killed(
        tmp_path,
        name,
        """
        window.session.set_judge("Ann")
        window.arrange("judge")
        wait()
        window.arrange("review")
        window.page.table.setFocus()
        QTest.keyClicks(window.page.table, "10")
        window.session.undo_stack.undo()
        QTest.keyClicks(window.page.table, "3")
        """,
    )
    window = start()

    (text,) = window.messages.texts
    assert name in text and "2 changes" in text and "were not saved" in text
    with qtbot.waitSignal(window.session.replaced, timeout=20_000):
        answer(window, "Open and restore").click()
    until_idle(window.session)
    window.arrange("review")
    assert grades(window)[:2] == ["1", "3"]
    assert window.session.modified
    assert (tmp_path / name).read_bytes() == before
    window.session.undo_stack.undo()
    assert grades(window)[:2] == ["3", "2"]
    window.session.undo_stack.redo()
    with qtbot.waitSignal(window.session.saved, timeout=20_000):
        window.session.save()
    window.close()
    again = start()
    assert again.messages.texts == []


def test_discarded(qtbot, start, tmp_path: Path, files: Path) -> None:
    """What is not wanted is offered no more."""
    name = "46-textbook-six-plus-two.csv"
    shutil.copy(files / name, tmp_path / name)
    killed(tmp_path, name, 'QTest.keyClicks(window.page.table, "1")')
    window = start()
    answer(window, "Discard").click()
    assert window.messages.texts == []
    window.close()
    assert start().messages.texts == []


def test_opened_by_hand(qtbot, start, tmp_path: Path, files: Path) -> None:
    """Opened in another way, the file offers its unsaved grades itself."""
    name = "46-textbook-six-plus-two.csv"
    shutil.copy(files / name, tmp_path / name)
    killed(tmp_path, name, 'QTest.keyClicks(window.page.table, "1")')
    window = start()
    with qtbot.waitSignal(window.session.replaced, timeout=20_000):
        window.open_paths([tmp_path / name])
    assert "1 change made until" in window.messages.texts[0]
    answer(window, "Restore").click()
    assert grades(window)[0] == "1"


def test_entered_by_hand(qtbot, start, tmp_path: Path) -> None:
    """Grades that have no file at all come back with their table."""
    killed(tmp_path, "entered", 'window.session.set_grades(0, [("B", 2.0)])')
    window = start()
    with qtbot.waitSignal(window.session.replaced, timeout=20_000):
        answer(window, "Open and restore").click()
    assert grades(window) == ["3", "2"]


def test_the_example(qtbot, start, tmp_path: Path) -> None:
    """Changes of an example come back to it, and it stays an example."""
    killed(tmp_path, "example", 'QTest.keyClicks(window.page.table, "0")')
    window = start()
    with qtbot.waitSignal(window.session.replaced, timeout=20_000):
        answer(window, "Open and restore").click()
    assert grades(window)[0] == "0"
    assert window.session.example
    assert window.session.title == examples()[0].files[0].name


def test_somebody_else_saved_since(qtbot, start, tmp_path: Path) -> None:
    """A grade that was saved after the crash is not written over by an older one."""
    path = tmp_path / "j.csv"
    path.write_text("query,docid,rank,grade\nq,A,1,3\nq,B,2,1\n", "utf-8")
    killed(tmp_path, "j.csv", 'QTest.keyClicks(window.page.table, "02")')
    path.write_text("query,docid,rank,grade\nq,A,1,2\nq,B,2,1\n", "utf-8")
    window = start()
    with qtbot.waitSignal(window.session.replaced, timeout=20_000):
        answer(window, "Open and restore").click()
    assert grades(window) == ["2", "2"]


def test_two_windows_notice_each_other(qtbot, start, tmp_path: Path, files: Path) -> None:
    """With one file open in both, each says so until the other is closed."""
    name = "46-textbook-six-plus-two.csv"
    shutil.copy(files / name, tmp_path / name)
    first, second = start(), start()
    for window in (first, second):
        with qtbot.waitSignal(window.session.replaced, timeout=20_000):
            window.open_paths([tmp_path / name])

    def told(window: MainWindow) -> bool:
        return any("also open in another window" in text for text in window.messages.texts)

    qtbot.waitUntil(lambda: told(first) and told(second), timeout=5_000)
    second.close()
    qtbot.waitUntil(lambda: not told(first), timeout=5_000)


def test_within_a_second(tmp_path: Path) -> None:
    """A grade is on the disk as soon as it is made: the program is killed right after it."""
    path = tmp_path / "j.csv"
    path.write_text("query,docid,rank,grade\nq,A,1,3\n", "utf-8")
    began = time.time()
    killed(tmp_path, "j.csv", 'QTest.keyClicks(window.page.table, "0")')
    from ndcg_desktop.session.journal import left_behind

    (left,) = left_behind(tmp_path / "state")
    assert left.changes == 1
    assert began <= left.time <= time.time()
