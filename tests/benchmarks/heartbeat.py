"""Measure how long the window keeps a person waiting: the longest pause of each action.

Run by hand:

    QT_QPA_PLATFORM=offscreen python tests/benchmarks/heartbeat.py [--rows N] [--folder DIR]

A timer of 5 milliseconds runs beside each action; what passes between two of its beats is a pause.
Figures are the worst and the median of some runs of each action. What the window's own thread
computed in the busiest pause stands beside them: it does not depend on what else the machine does,
and leaves out the waiting for other threads.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from data import write_csv, write_workbook
from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication

from ndcg_desktop.app import create_window
from ndcg_desktop.views.main_window import MainWindow

BEAT = 5
RUNS = 7
SETTLED = 40
"""Beats after an action that belong to it: what it asked to be painted, is."""
LONGEST = 300.0
"""Seconds after which an action is given up."""


class Heart:
    """Beats in the event loop, and remembers the longest pause and the most work in one."""

    def __init__(self) -> None:
        self._loop = QEventLoop()
        self._timer = QTimer()
        self._timer.setInterval(BEAT)
        self._timer.timeout.connect(self._beat)
        self._done: Callable[[], bool] = bool
        self._left = 0
        self._last = self._end = self._worked = 0.0
        self._longest = self._busiest = 0.0

    def pause_of(self, act: Callable[[], object], done: Callable[[], bool]) -> tuple[float, float]:
        """The longest pause, and the most that this thread computed in one, both in milliseconds,
        from an action until it is done and shown.
        """
        self._done, self._left = done, SETTLED
        self._longest = self._busiest = 0.0
        self._last, self._worked = time.perf_counter(), time.thread_time()
        self._end = self._last + LONGEST
        QTimer.singleShot(0, act)
        self._timer.start()
        # Another way of waiting, as QTest.qWait, would leave no time to the threads of the pool.
        self._loop.exec()
        self._timer.stop()
        return self._longest, self._busiest

    def _beat(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self._longest = max(self._longest, (now - self._last) * 1000)
        self._busiest = max(self._busiest, (worked - self._worked) * 1000)
        self._last, self._worked = now, worked
        if self._done():
            self._left -= 1
        if self._left <= 0 or now > self._end:
            self._loop.quit()


class Measured:
    """A window of which each action is measured."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.heart = Heart()

    def measure(self, name: str, *acts: Callable[[], object], runs: int = RUNS) -> None:
        """Print the longest pause of an action; several take turns."""
        idle = self.window.session.is_idle
        found = [
            self.heart.pause_of(act, idle) for _ in range(max(1, runs // len(acts))) for act in acts
        ]
        pauses, work = zip(*found, strict=True)
        print(
            f"{name:<28} worst {max(pauses):7.1f} ms   median {statistics.median(pauses):7.1f} ms"
            f"   own work {max(work):6.1f} ms, median {statistics.median(work):6.1f} ms",
            flush=True,
        )

    def click(self, name: str) -> Callable[[], None]:
        """The click on a button."""
        return self.window.findChild(QAbstractButton, name).click


def measure(window: MainWindow, path: Path, folder: Path) -> None:
    """Open a file and do with it what people do."""
    measured = Measured(window)
    session, page = window.session, window.page
    print(path.name)
    measured.measure("  open", lambda: window.open_paths([path]), runs=1)
    assert session.evaluation is not None, window.messages.texts
    measured.measure("  open again", lambda: session.open_again([path]), runs=3)
    measured.measure("  next query", lambda: window.queries.step(1))
    measured.measure("  previous query", lambda: window.queries.step(-1))
    far = len(session.evaluation.queries) // 2
    measured.measure(
        "  a query far away", lambda: window.queries.select(far), lambda: window.queries.select(3)
    )
    measured.measure(
        "  gain", measured.click("gainExponential"), measured.click("gainLinear"), runs=8
    )
    measured.measure("  cutoff", measured.click("cutoff5"), measured.click("cutoff10"), runs=8)
    sort = window.queries.table.sortByColumn
    ascending, descending = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
    for column, words in ((0, "query"), (1, "score")):
        measured.measure(
            f"  sort by {words}",
            lambda c=column: sort(c, ascending),
            lambda c=column: sort(c, descending),
        )
    measured.measure(
        "  gain, sorted by score",
        measured.click("gainExponential"),
        measured.click("gainLinear"),
        runs=8,
    )
    sort(-1, ascending)
    measured.measure("  filter", lambda: window.queries.filter.setText("77"), runs=1)
    measured.measure("  filter cleared", lambda: window.queries.filter.setText(""), runs=1)
    measured.measure("  grade", *(lambda g=g: page.table.type_grade(g) for g in (3.0, 1.0, 2.0)))
    measured.measure("  undo", session.undo_stack.undo, runs=3)
    exports = (("summary", "summary.pdf"), ("queries", "all.xlsx"), ("chart", "chart.png"))
    for what, name in (*exports, ("chart", "chart.svg"), ("chart", "chart.pdf")):
        target = folder / name
        measured.measure(
            f"  export {name}",
            lambda w=what, t=target: window.exporting.export(w, t, 0, 0, page),
            runs=1,
        )
        assert target.exists(), window.messages.texts
    session.undo_stack.setClean()


def main() -> None:
    """Measure a workbook and a CSV of so many rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "heartbeat")
    parser.add_argument("--only", choices=("csv", "xlsx"))
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(exist_ok=True)
    application = QApplication([])
    application.setStyle("Fusion")
    settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    settings.clear()
    window = create_window([], settings, folder / "state")
    window.resize(1280, 800)  # the offscreen platform has a smaller screen
    window.show()
    heart = Heart()
    pause, work = heart.pause_of(lambda: None, window.session.is_idle)
    print(f"start: pause {pause:.1f} ms, own work {work:.1f} ms")
    kinds = {"csv": write_csv, "xlsx": write_workbook}
    for kind, write in kinds.items():
        if arguments.only in (None, kind):
            path = write(folder / f"rows-{arguments.rows}.{kind}", arguments.rows)
            measure(window, path, folder)
    window.close()


if __name__ == "__main__":
    main()
