"""Runs, and which of them are alive: each holds a lock file for as long as it lives.

Whether a lock is held is asked of the system, by trying to remove the file: that works only for
what no living process holds. The number of the process and the name of the computer, which
QLockFile looks at, tell less: a sandbox gives every start the same number, and a laptop has another
name in another network.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QLockFile


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds a lock."""

    pid: int
    host: str
    program: str


class Run:
    """One opening of a document, alive until it is ended or its process dies.

    Raises OSError where the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.id = uuid.uuid4().hex
        self._lock = hold(_lock_of(folder, self.id))

    def end(self) -> None:
        """Be dead from now on."""
        self._lock.unlock()


def is_alive(folder: Path, run: str) -> bool:
    """Whether a run, of any program, has neither ended nor died."""
    return holder(_lock_of(folder, run)) is not None


def hold(path: Path) -> QLockFile:
    """Take a lock that nobody else knows yet. Raises OSError where the file cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = QLockFile(str(path))
    lock.setStaleLockTime(0)  # however long it is held: only its process's end frees it
    if not lock.tryLock(0):
        raise OSError(f"The file {path} cannot be written.")
    return lock


def holder(path: Path) -> Holder | None:
    """Who holds a lock; what a dead process left is removed."""
    lock = QLockFile(str(path))
    pid, host, program = lock.getLockInfo()
    if not pid:  # not there; or being made, when it must not be taken from its maker
        return None
    if lock.removeStaleLockFile() or not path.exists():
        return None
    return Holder(pid, host, program)


def _lock_of(folder: Path, run: str) -> Path:
    return folder / "runs" / f"{run}.lock"
