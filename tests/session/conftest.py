"""Sessions of a test's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from ndcg_desktop.session.chronicle import Chronicle
from ndcg_desktop.session.preferences import Preferences
from ndcg_desktop.session.session import Session


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    """Preferences of this test's own."""
    return Preferences(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def session(qapp, preferences, tmp_path):
    """An empty session."""
    session = Session(preferences)
    session.chronicle = Chronicle(session, tmp_path / "state")
    yield session
    session.chronicle.shut_down()
    session.shut_down()


@pytest.fixture
def opened(qtbot, session):
    """Open files and wait until they are there."""

    def open_files(*paths: Path) -> Session:
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.open_paths(paths)
        return session

    open_files.session = session
    return open_files
