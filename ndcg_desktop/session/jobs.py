"""Slow work on a pool thread: plain functions with plain arguments, and a value back."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QRunnable, QThreadPool, QTimer, Signal

from ndcg_desktop.files.table import Cancelled

SHOWN_FIRST = 100
"""Milliseconds that are left to show what a thread has brought, before the collector runs again."""


class _NoCollection:
    """Keeps Python's collector still while a thread runs.

    It runs in whichever thread allocates, and would destroy Qt objects of the window's thread on
    a thread of the pool, which Qt does not survive. A load also takes a third less time without.

    What a thread leaves, libraries or the cells of a file, stays for long. It is looked through
    once and then set aside: doing so again and again would keep the window waiting for tenths of
    a second.
    """

    def __init__(self) -> None:
        self._threads = 0
        self._froze = False

    def begin(self) -> None:
        """A thread begins."""
        self._threads += 1
        gc.disable()

    def end(self, threads: int = 1) -> None:
        """Threads have ended; with the last the collector may run again, when it is resumed."""
        self._threads -= threads

    def resume(self) -> None:
        """Let the collector run, unless a thread does."""
        if self._threads or gc.isenabled():
            return
        if self._froze:  # the first thread imports libraries: no garbage worth a search
            gc.collect(0)  # what is new since the threads began, and no more
        gc.freeze()
        self._froze = True  # Python counts what is frozen one by one, which takes 20 ms
        gc.enable()


_no_collection = _NoCollection()


class Ticket:
    """What a running job looks at: whether to give up, and where to tell its progress."""

    def __init__(self, tell: Callable[[float], None]) -> None:
        self._event = threading.Event()
        self._tell = tell

    def cancel(self) -> None:
        """Ask the job to give up at its next look."""
        self._event.set()

    def cancelled(self) -> bool:
        """Whether the job was asked to give up."""
        return self._event.is_set()

    def progress(self, part: float) -> None:
        """Tell how much is done, 0 to 1."""
        if not self.cancelled():
            self._tell(part)


class _Job(QRunnable):
    """Runs one function. The signals are the caller's: a runnable dies on the pool's thread."""

    def __init__(
        self, work: Callable[[Ticket], Any], ticket: Ticket, done: Callable[[object, object], None]
    ) -> None:
        super().__init__()
        self._work = work
        self._ticket = ticket
        self._done = done

    def run(self) -> None:
        try:
            result = self._work(self._ticket)
        except BaseException as error:  # every failure travels as a value to one place
            self._done(self._ticket, error)
        else:
            self._done(self._ticket, result)


class Jobs(QObject):
    """One job at a time; a new one takes the place of the one before, whose result is dropped."""

    progressed = Signal(float)  # the part of the running job that is done
    started = Signal(str)  # what is being done, in words
    ended = Signal()  # nothing is running any more
    _told = Signal(object, float)
    _returned = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(2)
        self._unfinished = 0
        self._current: Ticket | None = None
        self._succeed: Callable[[Any], None] | None = None
        self._fail: Callable[[BaseException], None] | None = None
        self._told.connect(self._on_told)
        self._returned.connect(self._on_returned)

    @property
    def idle(self) -> bool:
        """Whether nothing is running."""
        return self._current is None

    def run(
        self,
        words: str,
        work: Callable[[Ticket], Any],
        succeed: Callable[[Any], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        """Start ``work`` on a thread; one of the two others is called here with what came of it.

        Nothing is called for a job that was cancelled.
        """
        if self._current is not None:
            self._current.cancel()
        ticket = Ticket(lambda part: self._told.emit(ticket, part))
        self._current, self._succeed, self._fail = ticket, succeed, fail
        self.started.emit(words)
        self._unfinished += 1
        _no_collection.begin()
        self._pool.start(_Job(work, ticket, self._returned.emit))

    def cancel(self) -> None:
        """Give up the running job; what it would have brought is dropped."""
        if self._current is not None:
            self._current.cancel()
            self._current = None
            self.ended.emit()

    def wait(self) -> None:
        """Give up and wait for the threads: a thread must not outlive the program."""
        self.cancel()
        self._pool.waitForDone()
        # What the threads still had to tell is not heard any more.
        _no_collection.end(self._unfinished)
        _no_collection.resume()
        self._unfinished = 0

    def _on_told(self, ticket: Ticket, part: float) -> None:
        if ticket is self._current:
            self.progressed.emit(part)

    def _on_returned(self, ticket: Ticket, result: object) -> None:
        if self._unfinished:
            self._unfinished -= 1
            _no_collection.end()
            QTimer.singleShot(SHOWN_FIRST, _no_collection.resume)
        if ticket is not self._current:
            return
        succeed, fail = self._succeed, self._fail
        self._current = None
        self.ended.emit()
        if isinstance(result, Cancelled) or succeed is None or fail is None:
            return
        if isinstance(result, BaseException):
            fail(result)
        else:
            succeed(result)
