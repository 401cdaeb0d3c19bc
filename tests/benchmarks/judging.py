"""Measure judging by keyboard: how long each key takes until its document is painted, and memory.

Run by hand:

    QT_QPA_PLATFORM=offscreen python tests/benchmarks/judging.py [--rows N] [--keys N] [--order BY]

A key should be answered within a frame, 16 milliseconds; memory should stay flat.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEventLoop, QSettings, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from ndcg_desktop.app import create_window
from ndcg_desktop.evaluation.queue import BY, QueueOptions
from ndcg_desktop.views.main_window import MainWindow

FRAME = 16.0
PER_QUERY = 30
WARM = 200
"""Keys after which memory is looked at for the first time."""


def write_table(path: Path, rows: int) -> Path:
    """Write a table without a grade, thirty documents for each query."""
    lines = ["query,docid,title,text,rank,grade"]
    for row in range(rows):
        query, rank = divmod(row, PER_QUERY)
        lines.append(f"query {query},D{row},Title of {row},{'words of it ' * 20},{rank + 1},")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def wait(window: MainWindow) -> None:
    """Let the window work until it is idle, as threads of the pool need it."""
    loop = QEventLoop()
    timer = QTimer()
    timer.timeout.connect(lambda: loop.quit() if window.session.is_idle() else None)
    timer.start(20)
    loop.exec()


def memory() -> float:
    """What the process holds now, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    """Judge, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--keys", type=int, default=2_000)
    parser.add_argument("--order", choices=BY, default="query")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    path = write_table(folder / "table.csv", arguments.rows)
    application = QApplication([])
    application.setStyle("Fusion")
    settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    window = create_window([], settings, folder / "state")
    window.resize(1280, 800)
    window.show()
    wait(window)
    window.open_paths([path])
    loop = QEventLoop()
    window.session.replaced.connect(loop.quit)
    loop.exec()
    wait(window)
    began = time.perf_counter()
    window.arrange("judge")
    wait(window)
    window.session.sitting.set_options(QueueOptions(seed=1, by=arguments.order))
    wait(window)
    print(f"queue of {arguments.rows:,} documents made in {time.perf_counter() - began:.2f} s")
    taken = np.zeros(arguments.keys)
    answer = QEventLoop()

    def answered() -> None:
        """Paint, and let go of what is not shown any more, which only an event loop does."""
        QTimer.singleShot(0, answer.quit)
        answer.exec()

    at_first = 0.0
    for key in range(arguments.keys):
        begin = time.perf_counter()
        QTest.keyClicks(window.judge_page, str(key % 4))
        answered()
        taken[key] = (time.perf_counter() - begin) * 1000
        if key == WARM:
            at_first = memory()
    late = int(np.count_nonzero(taken > FRAME))
    print(
        f"{arguments.keys:,} keys: median {np.median(taken):.1f} ms, 99 % "
        f"{np.percentile(taken, 99):.1f} ms, longest {taken.max():.1f} ms; {late:,} took longer "
        f"than a frame of {FRAME:.0f} ms"
    )
    print(f"memory {at_first:.0f} MiB after {WARM} keys, {memory():.0f} MiB at the end")
    window.session.undo_stack.setClean()
    window.close()


if __name__ == "__main__":
    main()
