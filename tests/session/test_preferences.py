"""What is remembered between two runs, also when the run before was killed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QLockFile, QSettings

from ndcg_desktop.scoring.options import Options
from ndcg_desktop.session.preferences import Preferences


def settings_in(folder: Path) -> QSettings:
    """The settings kept in a folder."""
    return QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)


def test_a_lock_that_a_killed_program_left(tmp_path: Path) -> None:
    """One that names nobody is dropped; Qt would keep the window waiting for half a minute."""
    lock = tmp_path / "settings.ini.lock"
    lock.touch()
    Preferences(settings_in(tmp_path))
    assert not lock.exists()


def test_a_lock_that_is_held(tmp_path: Path) -> None:
    """One that names a running program is left to it."""
    lock = QLockFile(str(tmp_path / "settings.ini.lock"))
    assert lock.tryLock(0)
    Preferences(settings_in(tmp_path))
    assert (tmp_path / "settings.ini.lock").exists()
    lock.unlock()


def test_options_of_a_version_before(tmp_path: Path) -> None:
    """Options that were stored before some of them were there still load; new ones are kept."""
    store = settings_in(tmp_path)
    store.setValue("options", '{"gain": "exponential", "cutoff": 5, "order": "ties-averaged"}')
    preferences = Preferences(store)
    assert preferences.options == Options(gain="exponential", cutoff=5, order="ties-averaged")
    new = Options(ideal_cut="returned", rounding="floored-terms", order="ties-worst")
    preferences.options = new
    assert Preferences(settings_in(tmp_path)).options == new
