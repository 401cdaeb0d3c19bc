"""Who else has a file open: other runs of this program, and other programs by their lock files."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QLockFile, QObject, QTimer, Signal

from ndcg_desktop.session.runs import hold, holder

MOMENT = 50
"""Milliseconds from a change of the folder to a look at it: a lock is first made, then filled."""


@dataclass(frozen=True, slots=True)
class Other:
    """Another living run of this program that has a file open."""

    path: Path
    pid: int
    host: str
    program: str


class Presence(QObject):
    """Says which files this run has open, and notices other runs that have one of them open too.

    Only a notice: where the folder cannot be used, nobody is noticed, and nothing fails.
    """

    others_changed = Signal(object)  # the other runs, a list of Other, that now have one open

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder / "open"
        self._run = uuid.uuid4().hex
        self._paths: dict[str, Path] = {}
        self._locks: dict[str, QLockFile] = {}
        self._told: list[Other] = []
        self._watcher = QFileSystemWatcher(self)
        self._later = QTimer(self, singleShot=True, interval=MOMENT)
        self._watcher.directoryChanged.connect(self._later.start)
        self._later.timeout.connect(self.look)

    def hold(self, paths: Sequence[Path]) -> None:
        """Say that this run has these files open, and no others any more."""
        self._paths = {_name(path): path for path in paths}
        for name in self._locks.keys() - self._paths.keys():
            self._locks.pop(name).unlock()
        with suppress(OSError):
            for name in self._paths.keys() - self._locks.keys():
                self._locks[name] = hold(self._folder / f"{name}-{self._run}.lock")
            self._watch()
        self.look()

    def release(self) -> None:
        """Say that this run has no file open."""
        self.hold(())

    def others(self) -> list[Other]:
        """The other living runs that have one of the files open."""
        return [
            Other(path, by.pid, by.host, by.program)
            for name, path in self._paths.items()
            for lock in sorted(self._folder.glob(f"{name}-*.lock"))
            if not lock.stem.endswith(self._run) and (by := holder(lock))
        ]

    def look(self) -> None:
        """Look who is there now: the end of a run that was killed is noticed only then."""
        others = self.others()
        if others != self._told:
            self._told = others
            self.others_changed.emit(others)

    def _watch(self) -> None:
        watched = self._watcher.directories()
        if self._locks and not watched:
            self._watcher.addPath(str(self._folder))
        elif watched and not self._locks:
            self._watcher.removePaths(watched)


def elsewhere(path: Path) -> str:
    """The name of another program that has a file open, "" where none says so.

    It is told by the file that the program puts beside it, which a crash may leave there.
    """
    beside = {"LibreOffice": f".~lock.{path.name}#", "Excel": f"~${path.name}"}
    for program, name in beside.items():  # LibreOffice may leave the other's mark too
        with suppress(OSError):
            if path.with_name(name).exists():
                return program
    return ""


def _name(path: Path) -> str:
    """A name for a file that is the same for every run, however the file was named."""
    place = os.path.normcase(os.path.realpath(path))
    return hashlib.sha256(os.fsencode(place)).hexdigest()[:32]
