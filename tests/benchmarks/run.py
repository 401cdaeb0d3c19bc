"""Measure what the program promises, each beside a peer in the same run.

Run by hand:

    python tests/benchmarks/run.py [memory] [files] [workbook] [window] [--folder DIR]

Times are medians; a ratio below 1 means that this program is faster.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from data import LARGE, write_trec, write_workbook

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.scoring.options import Options


def median_ms(act: Callable[[], object], runs: int = 7) -> float:
    """Median time of a call in milliseconds, after one call that is not counted."""
    act()
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        act()
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times)


def line(work: str, own: float, peer: str = "", theirs: float = 0.0, target: str = "") -> None:
    """Print one comparison."""
    beside = f"{peer} {theirs:10.1f} ms   ratio {own / theirs:.4f}" if theirs else ""
    print(f"{work:<54} {own:10.2f} ms   {beside:<52} {target}")


def load(qrels: Path, run: Path) -> Evaluation:
    """Read and join TREC files."""
    from ndcg_desktop.evaluation.join import join
    from ndcg_desktop.files.assemble import assemble
    from ndcg_desktop.files.plan import plan
    from ndcg_desktop.files.read import read

    parts = assemble(plan([*read(qrels), *read(run)]).parts)
    return join(parts.judgments, parts.rankings)[0]


def memory(folder: Path) -> None:
    """Score in memory: gain and k toggled, and one grade edited."""
    evaluation = load(*write_trec(folder, LARGE))
    peer = peer_in_memory(folder)

    def toggle(options: Options) -> Callable[[], object]:
        def act() -> object:
            evaluation.options = options
            return evaluation.scores(0).mean

        return act

    for name, options in (
        ("k = 10, linear", Options()),
        ("k = 10, exponential", Options(gain="exponential")),
        ("no cutoff", Options(cutoff=None)),
        (
            "k = 10, a table of gains",
            Options(gain="table", gain_table=((0, 0), (1, 1), (2, 5), (3, 2))),
        ),
    ):
        line(f"L in memory, {name}", median_ms(toggle(options)), *peer, "target 2 ms")
    evaluation.options = Options()
    pair = int(evaluation.judgments.of_query(3000)[0])
    grades = iter(range(10**9))

    def edit() -> object:
        evaluation.set_grades([(pair, float(next(grades) % 4))])
        return evaluation.scores(0).mean

    edit()
    line(
        "L in memory, one grade edited, its query and the mean",
        median_ms(edit),
        *peer,
        "target 16 ms, with the repaint",
    )


def peer_in_memory(folder: Path) -> tuple[str, float]:
    """pytrec_eval on the same data, where it is installed."""
    try:
        import pytrec_eval
    except ImportError:
        return "", 0.0
    qrels, run = write_trec(folder, LARGE)
    judged: dict[str, dict[str, int]] = {}
    for text in qrels.read_text().splitlines():
        query, _, document, grade = text.split()
        judged.setdefault(query, {})[document] = int(grade)
    ranked: dict[str, dict[str, float]] = {}
    for text in run.read_text().splitlines():
        query, _, document, _, score, _ = text.split()
        ranked.setdefault(query, {})[document] = float(score)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut_10"})
    return "pytrec_eval", median_ms(lambda: evaluator.evaluate(ranked), 3)


OWN = """
import sys; sys.argv = ["ndcg"]
from ndcg_desktop.cli import main
sys.exit(main(["score", {qrels!r}, {run!r}, "--format", "csv", "--convention", "trec_eval"]))
"""
PEER = """
import pytrec_eval
with open({qrels!r}) as file: qrels = pytrec_eval.parse_qrel(file)
with open({run!r}) as file: run = pytrec_eval.parse_run(file)
for query, row in pytrec_eval.RelevanceEvaluator(qrels, {{"ndcg_cut_10"}}).evaluate(run).items():
    print(query, row["ndcg_cut_10"])
"""


def process(code: str) -> tuple[float, float]:
    """Wall time in ms and peak memory in MiB of a fresh Python that runs this."""
    begin = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"the measured process ended with {child.returncode}")
    return (time.perf_counter() - begin) * 1000, usage.ru_maxrss / 1024


def files(folder: Path) -> None:
    """From TREC files to the figure of every query, whole processes."""
    qrels, run = map(str, write_trec(folder, LARGE))
    own = [process(OWN.format(qrels=qrels, run=run)) for _ in range(3)]
    theirs = [process(PEER.format(qrels=qrels, run=run)) for _ in range(3)]
    own_ms, own_mib = (statistics.median(values) for values in zip(*own, strict=True))
    peer_ms, peer_mib = (statistics.median(values) for values in zip(*theirs, strict=True))
    line(
        "L from TREC files, whole process",
        own_ms,
        "pytrec_eval",
        peer_ms,
        "target 2,000 ms (a third of trec_eval's 6,000)",
    )
    print(
        f"{'  peak memory':<54} {own_mib:10.0f} MiB  pytrec_eval {peer_mib:10.0f} MiB"
        "   target 593 MiB"
    )


def workbook(folder: Path) -> None:
    """A workbook of 300,000 rows: read, and one grade saved into it."""
    import openpyxl

    from ndcg_desktop.files.assemble import Understood
    from ndcg_desktop.files.read import read
    from ndcg_desktop.files.roles import guess
    from ndcg_desktop.files.xlsx_patch import CellEdit, patch_workbook

    path = write_workbook(folder / "large.xlsx")
    own = median_ms(lambda: read(path), 3)

    def peer_read() -> None:
        for _ in openpyxl.load_workbook(path, read_only=True).active.iter_rows(values_only=True):
            pass

    line(
        "workbook of 300,000 × 6 read", own, "openpyxl", median_ms(peer_read, 1), "target 1,200 ms"
    )
    out = folder / "patched.xlsx"

    def patch() -> None:
        with out.open("wb") as file:
            patch_workbook(path.read_bytes(), "Judgments", [CellEdit(200_000, 5, 2.0)], file)

    line("one grade patched into it", median_ms(patch, 3), target="target 1,000 ms")
    from ndcg_desktop.files.save import Change, GradeEdit, patched, write_patched

    table = read(path)[0]
    part = Understood(table, guess(table).roles)
    begin = time.perf_counter()
    write_patched(patched([Change(part, [GradeEdit(200_000, 3.0)])], out))
    line("the same, checked and read back", (time.perf_counter() - begin) * 1000)


WINDOW = """
import time; begin = time.perf_counter()
import os; os.environ["QT_QPA_PLATFORM"] = "offscreen"
{body}
from PySide6.QtCore import QObject, QEvent
class Painted(QObject):
    done = False
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and not self.done:
            self.done = True
            print((time.perf_counter() - begin) * 1000, flush=True)
            os._exit(0)
        return False
watch = Painted(); window.installEventFilter(watch); window.show(); application.exec()
"""
EMPTY = """
from PySide6.QtWidgets import QApplication, QMainWindow
application = QApplication([]); window = QMainWindow()
"""
FULL = """
from ndcg_desktop.app import make_application, create_window
application = make_application(); window = create_window()
"""


def window(_: Path) -> None:
    """From the start of Python's imports to the first paint, modules compiled as installed."""
    # An installed program has its modules compiled; the first run here compiles them.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def once(code: str) -> float:
        command = [sys.executable, "-c", code]
        out = subprocess.run(
            command, capture_output=True, text=True, check=True, env=environment
        ).stdout
        return float(out)

    def paint(body: str) -> float:
        code = WINDOW.format(body=body)
        once(code)
        return statistics.median(once(code) for _ in range(7))

    line("window painted", paint(FULL), "an empty window", paint(EMPTY), "target ratio 2")


def main() -> None:
    """Run the parts that were named, or all."""
    parts = {"memory": memory, "files": files, "workbook": workbook, "window": window}
    parser = argparse.ArgumentParser(description="Measure what the program promises.")
    parser.add_argument("parts", nargs="*", choices=[[], *parts], metavar="PART")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "ndcg-bench")
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    for name in arguments.parts or parts:
        parts[name](arguments.folder)


if __name__ == "__main__":
    main()
