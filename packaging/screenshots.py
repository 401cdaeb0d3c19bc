"""Make every picture of the README and of the manual, from the examples, without a screen.

Run after a change to what the window looks like::

    python packaging/screenshots.py            # all of them
    python packaging/screenshots.py judge main # only these

The same program makes the same pictures again: 1280 × 800, light, with DejaVu fonts and a fixed
clock. The screen, which is large enough for every dialog, is described in ``screenshots.json``.
"""

import csv
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={Path(__file__).with_suffix('.json')}"
os.environ["TZ"] = "UTC"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from PIL import Image
from PySide6.QtCore import QEventLoop, QLocale, QSettings, Qt, QTimer
from PySide6.QtGui import QFont, QImage, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from ndcg_desktop.app import create_window, make_application
from ndcg_desktop.evaluation.scale import BUILT_IN
from ndcg_desktop.resources import examples
from ndcg_desktop.session import chronicle, journal, sitting
from ndcg_desktop.views.main_window import MainWindow

HOME = Path(__file__).resolve().parent.parent
TARGET = HOME / "resources" / "screenshots"
SIZE = 1280, 800
COLOURS = 160
"""Colours of a picture: small enough for 120 KB, and nothing is seen of it."""
CLOCK = 1_790_000_000.0
"""The moment at which everything in the pictures happens, in seconds since 1970."""
SEED = 2002
"""Of the order in which documents are to be judged; a program that starts takes another one."""
SCRATCH = tempfile.TemporaryDirectory()
EXAMPLES = {example.name: example for example in examples()}
ESCI = next(scale for scale in BUILT_IN if "ESCI" in scale.name)
Picture = QWidget | QPixmap
WORDS = {"3": "Exact", "2": "Substitute", "1": "Complement", "0": "Irrelevant"}


# ---- acting


def wait(milliseconds: int) -> None:
    """Let the window work for so long."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def settle(window: MainWindow) -> None:
    """Wait until nothing is computed, and everything is painted."""
    wait(300)
    while not window.session.is_idle():
        wait(50)
    wait(200)


def opened(name: str) -> MainWindow:
    """A new window on an example; "" is one with nothing open."""
    window = _window()
    if name:
        window.open_example(EXAMPLES[name])
        settle(window)
    return window


def opened_files(*paths: Path) -> MainWindow:
    """A new window on some files."""
    window = _window()
    window.open_paths(paths)
    settle(window)
    return window


def _window() -> MainWindow:
    folder = Path(tempfile.mkdtemp(dir=SCRATCH.name))
    settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    settings.setValue("theme", "light")
    window = create_window([], settings, folder / "state")
    window.resize(*SIZE)
    window.show()
    settle(window)
    return window


def asked(open_dialog: Callable[[], object]) -> QPixmap:
    """A picture of the dialog that something opens, which is then given up."""
    taken: list[QPixmap] = []
    QTimer.singleShot(600, lambda: _look(taken))
    open_dialog()
    while not taken:
        wait(50)
    return taken[0]


def _look(taken: list[QPixmap]) -> None:
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QDialog)
    wait(400)  # until it has counted
    taken.append(dialog.grab())
    dialog.reject()


# ---- files made of the examples


def _rows(name: str) -> list[list[str]]:
    with (HOME / "resources" / "examples" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def _written(name: str, rows: list[list[str]]) -> Path:
    path = Path(SCRATCH.name) / name
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def in_words() -> Path:
    """The judgments of the shop with words for grades."""
    header, *rows = _rows("shop-judgments.csv")
    at = header.index("grade")
    return _written(
        "shop-labels.csv",
        [header, *([*r[:at], WORDS.get(r[at], ""), *r[at + 1 :]] for r in rows)],
    )


def of_judges() -> Path:
    """The same with a column for each of three judges, who differ now and then."""
    header, *rows = _rows("shop-judgments.csv")
    at = header.index("grade")
    out = [[*header[:at], "grade Ann", "grade Ben", "grade Cleo"]]
    for number, row in enumerate(rows):
        grade = int(row[at] or 0)
        others = [min(grade + (number % 4 == 0), 3), max(grade - (number % 5 == 0), 0)]
        out.append([*row[:at], str(grade), *map(str, others)])
    return _written("shop-judges.csv", out)


def with_faults() -> Path:
    """The same with judgments that contradict each other, and a grade off the scale."""
    header, *rows = _rows("shop-judgments.csv")
    at = header.index("grade")
    rows[3] = [*rows[3][:at], "30", *rows[3][at + 1 :]]
    twice = [[*row[:at], str(3 - int(row[at])), *row[at + 1 :]] for row in rows[:2]]
    return _written("shop-faults.csv", [header, *rows, *twice, rows[5]])


# ---- the pictures


def main_picture() -> QWidget:
    """The worked example."""
    return opened("worked-example")


def start() -> QWidget:
    """Nothing open."""
    return opened("")


def review() -> QWidget:
    """The shop, with documents that are not judged."""
    window = opened("shop")
    window.queries.select(2)
    settle(window)
    return window


def explain(name: str = "worked-example", tab: int = 0) -> MainWindow:
    """An example, large."""
    window = opened(name)
    window.arrange("explain")
    settle(window)
    window.explaining.page.tabs.setCurrentIndex(tab)
    settle(window)
    return window


def what_if() -> QWidget:
    """The worked example with D moved up, and E put in."""
    window = explain(tab=2)
    view = window.explaining.page.what_if
    view.table.selectRow(3)
    view.up.click()
    view.up.click()
    view.new.click()
    view.table.selectRow(1)
    view.insert.click()
    view.table.setFocus()
    settle(window)
    return window


def losses() -> QWidget:
    """The worked example's losses by document."""
    window = explain(tab=1)
    window.explaining.page.losses.by_document.click()
    settle(window)
    return window


def tools() -> QWidget:
    """Why scikit-learn gives another number, and what gives 0.843."""
    window = explain("library", 3)
    view = window.explaining.page.tools
    names = [view.end.itemText(place) for place in range(view.end.count())]
    view.tools.selectRow(names.index("scikit-learn"))
    view.number.setText("0.843")
    view.number.returnPressed.emit()
    settle(window)
    return window


def classroom() -> QWidget:
    """The first lesson at its third question, answered without the discount."""
    window = opened("worked-example")
    window.do.classroom.trigger()
    dialog = window.explaining.classroom
    while dialog.question.table.isHidden():
        dialog.next.click()
    dialog.question.field.setText("6")
    dialog.check.click()
    settle(window)
    return dialog


def judge() -> QWidget:
    """The shop, half way through its documents."""
    window = opened("shop")
    window.session.set_scale(ESCI)
    window.arrange("judge")
    box = window.judge_page.which
    box.setCurrentIndex(box.findData("all"))
    box.activated.emit(box.currentIndex())
    settle(window)
    for grade in (3.0, 3.0, 1.0):
        window.sitting.grade(grade)
    window.statusBar().clearMessage()
    settle(window)
    return window


def compare(tab: int = 0) -> QWidget:
    """The library's two systems."""
    window = opened("library")
    window.arrange("compare")
    settle(window)
    window.comparing.page.tabs.setCurrentIndex(tab)
    settle(window)
    return window


def summary() -> QWidget:
    """The library's two systems under every measure."""
    window = opened("library")
    window.arrange("summary")
    settle(window)
    return window


def report() -> QWidget:
    """The import report on files with faults."""
    window = opened_files(with_faults(), HOME / "resources" / "examples" / "shop-ranking.csv")
    window.show_report()
    window.report.tree.expandAll()
    window.report.tree.setCurrentIndex(window.report.model.index(0, 0))
    window.messages.clear()
    settle(window)
    return window


def history() -> QWidget:
    """Some grades of the shop, and what they did."""
    window = opened("shop")
    for row, grade in ((0, 2.0), (1, 3.0), (2, 0.0)):
        document = window.page.model.rows.documents[row]
        window.session.set_grades(0, [(document, grade)])
    window.do.history.trigger()
    settle(window)
    return window


def judges() -> QWidget:
    """Three judges of the shop."""
    window = opened_files(of_judges(), HOME / "resources" / "examples" / "shop-ranking.csv")
    window.judging.show_judges()
    settle(window)
    dialog = window.findChild(QDialog, "judgesDialog")
    assert dialog is not None
    return dialog


def of_dialog(name: str, open_dialog: Callable[[MainWindow], object]) -> Callable[[], Picture]:
    """A picture of a dialog over an example."""

    def show() -> QPixmap:
        window = opened(name)
        return asked(lambda: open_dialog(window))

    return show


def import_page() -> QPixmap:
    """How a table with grades in words is read."""
    window = opened("")
    return asked(lambda: (window.open_paths([in_words()]), settle(window)))


PICTURES: dict[str, Callable[[], Picture]] = {
    "main": main_picture,
    "start": start,
    "import": import_page,
    "report": report,
    "judge": judge,
    "queue": of_dialog("library", lambda window: window.judging.choose_queue()),
    "scale": of_dialog(
        "shop", lambda window: (window.session.set_scale(ESCI), window.judging.choose_scale())
    ),
    "review": review,
    "explain": explain,
    "what-if": what_if,
    "losses": losses,
    "tools": tools,
    "classroom": classroom,
    "compare": compare,
    "compare-queries": lambda: compare(1),
    "compare-query": lambda: compare(2),
    "summary": summary,
    "judges": judges,
    "history": history,
    "options": of_dialog("shop", lambda window: window._choose_options()),
}
"""Each picture by the name of its file."""


def take(name: str) -> Path:
    """Write one picture, with few colours."""
    shown = PICTURES[name]()
    picture = shown if isinstance(shown, QPixmap) else shown.grab()
    whole = picture.toImage().convertToFormat(QImage.Format.Format_RGB888)
    plain = Image.frombytes(
        "RGB", (whole.width(), whole.height()), bytes(whole.constBits()), "raw", "RGB",
        whole.bytesPerLine(),
    )  # fmt: skip
    path = TARGET / f"{name}.png"
    few = plain.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    _close_all()
    return path


def _close_all() -> None:
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, MainWindow):
            widget.session.undo_stack.setClean()
            widget.evaluations.modified = False
            widget.close()
            widget.deleteLater()
    wait(50)


def main() -> int:
    """Write the pictures that are named, or all of them."""
    still = SimpleNamespace(time=lambda: CLOCK, monotonic=time.monotonic, sleep=time.sleep)
    chronicle.time = journal.time = still
    sitting.secrets = SimpleNamespace(randbelow=lambda _: SEED)
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedKingdom))
    application = make_application()
    application.setFont(QFont("DejaVu Sans", 10))
    application.setCursorFlashTime(0)
    application.setEffectEnabled(Qt.UIEffect.UI_AnimateCombo, False)
    for name in sys.argv[1:] or PICTURES:
        path = take(name)
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
