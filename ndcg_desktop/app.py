"""Start the window.

The window is painted before matplotlib and pandas are imported: they load afterwards, on a thread.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QEventLoop,
    QObject,
    QSettings,
    QStandardPaths,
    QTimer,
)
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from ndcg_desktop.resources import examples, folder
from ndcg_desktop.session.chronicle import Chronicle
from ndcg_desktop.session.evaluation_files import EvaluationFiles
from ndcg_desktop.session.preferences import Preferences
from ndcg_desktop.session.session import Session
from ndcg_desktop.session.sitting import Sitting
from ndcg_desktop.views.main_window import MainWindow
from ndcg_desktop.views.theme import apply_theme
from ndcg_desktop.views.zoom import apply_zoom

NAME = "nDCG Desktop"
DESKTOP_FILE = "io.github.ndcg_desktop.NdcgDesktop"
SELF_CHECK = "nDCG@4 0.710"


def main(arguments: Sequence[str] | None = None) -> int:
    """Open the window with the files that were named; 0 when it was closed."""
    options = _parser().parse_args(arguments)
    application = make_application()
    window = create_window(options.files)
    sys.excepthook = _show_in(window)
    if options.example or options.self_check:
        window.open_example(examples()[0])
    window.show()
    if options.self_check:
        return _self_check(window)
    return application.exec()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ndcg-desktop", description="Judge search results.")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--example", action="store_true", help="open the worked example")
    parser.add_argument("--self-check", action="store_true", help=argparse.SUPPRESS)
    return parser


def make_application() -> QApplication:
    """The one QApplication, with the name that its settings go by."""
    QCoreApplication.setOrganizationName("ndcg-desktop")
    QCoreApplication.setApplicationName(NAME)
    QGuiApplication.setDesktopFileName(DESKTOP_FILE)
    application = QApplication(sys.argv[:1])
    application.setStyle("Fusion")
    application.setWindowIcon(QIcon(str(folder() / "icons" / "ndcg-desktop.svg")))
    return application


def create_window(
    paths: Sequence[str | Path] = (),
    settings: QSettings | None = None,
    state: Path | None = None,
) -> MainWindow:
    """The main window, not shown yet; files that are named begin to load. A QApplication must
    exist. ``settings`` is where preferences are kept and ``state`` the folder of the journals, the
    user's own by default.
    """
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    preferences = Preferences(settings if settings is not None else QSettings())
    apply_theme(application, preferences.theme)
    apply_zoom(application, preferences.zoom)
    session = Session(preferences)
    chronicle = Chronicle(session, state if state is not None else _state_folder())
    sitting = Sitting(session, chronicle)
    evaluations = EvaluationFiles(session, chronicle, sitting)
    window = MainWindow(session, chronicle, sitting, evaluations)
    session.setParent(window)
    application.aboutToQuit.connect(chronicle.shut_down)
    application.aboutToQuit.connect(session.shut_down)
    _AfterPaint(window, lambda: session.warm_up(window.take_chart))
    if paths:
        window.open_paths(paths)
    return window


def _state_folder() -> Path:
    """Where the platform keeps what a program must not lose between two runs."""
    place = QStandardPaths.StandardLocation.StateLocation
    return Path(QStandardPaths.writableLocation(place)) / "journals"


class _AfterPaint(QObject):
    """Calls something once, after a window was painted, or soon where it is never shown."""

    PATIENCE = 300

    def __init__(self, window: MainWindow, act: Callable[[], object]) -> None:
        super().__init__(window)
        self._window = window
        self._act: Callable[[], object] | None = act
        window.installEventFilter(self)
        QTimer.singleShot(self.PATIENCE, self, self._now)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self, self._now)
        return False

    def _now(self) -> None:
        act, self._act = self._act, None
        if act is not None:
            self._window.removeEventFilter(self)
            act()


def _show_in(
    window: MainWindow,
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """An excepthook that shows an error bar: the program never dies silently, nor goes on so."""

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)
        if issubclass(kind, Exception):
            window.show_failure(error)

    return show


def _self_check(window: MainWindow) -> int:
    """Wait for the example, print its score, and say whether it is right."""
    while not window.session.is_idle():
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 1000)
    print(window.page.score.text())  # noqa: T201 - this is what the check is for
    return 0 if window.page.score.text() == SELF_CHECK else 1


if __name__ == "__main__":
    sys.exit(main())
