"""A window to act in, with settings of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from waiting import until_idle

from ndcg_desktop.app import create_window
from ndcg_desktop.resources import examples
from ndcg_desktop.views.main_window import MainWindow


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    """Preferences that nobody else reads."""
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A folder for the journals of one test."""
    return tmp_path / "state"


def _give_up(window: MainWindow) -> None:
    window.session.undo_stack.setClean()
    window.evaluations.modified = False


@pytest.fixture(scope="session")
def fusion(qapp: QApplication) -> None:
    """The style that the program sets; doing so for each window would take a tenth of its time."""
    qapp.setStyle("Fusion")


@pytest.fixture
def window(qtbot, fusion: None, settings: QSettings, state: Path) -> Iterator[MainWindow]:
    """An empty window, shown and ready."""
    window = create_window([], settings, state)
    window.resize(1280, 800)
    # A window with something unsaved would ask at the end of the test.
    qtbot.addWidget(window, before_close_func=_give_up)
    window.show()
    until_idle(window.session)
    return window


@pytest.fixture
def opened(qtbot, window: MainWindow) -> Callable[..., MainWindow]:
    """Open files in the window and wait until they are shown."""

    def open_files(*paths: Path) -> MainWindow:
        with qtbot.waitSignal(window.session.replaced, timeout=20_000):
            window.open_paths(paths)
        until_idle(window.session)
        return window

    return open_files


@pytest.fixture
def worked(qtbot, window: MainWindow) -> MainWindow:
    """The window on the worked example."""
    with qtbot.waitSignal(window.session.replaced, timeout=20_000):
        window.open_example(examples()[0])
    until_idle(window.session)
    return window


@pytest.fixture
def own(tmp_path: Path, files: Path) -> Callable[[str], Path]:
    """A copy of a sample file, to be written to."""

    def copy(name: str) -> Path:
        return Path(shutil.copy(files / name, tmp_path / name))

    return copy
