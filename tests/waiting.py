"""Waiting for threads of the pool: an event loop leaves them time, which qWait does not always."""

from __future__ import annotations

import time

from PySide6.QtCore import QEventLoop, QTimer

from ndcg_desktop.session.session import Session

LONGEST = 20.0
LOOKS = 10


def until_idle(session: Session) -> None:
    """Let the window work until nothing is being loaded, saved or computed."""
    loop, timer, end = QEventLoop(), QTimer(), time.monotonic() + LONGEST
    timer.timeout.connect(
        lambda: loop.quit() if session.is_idle() or time.monotonic() > end else None
    )
    timer.start(LOOKS)
    loop.exec()
    timer.stop()
    assert session.is_idle()
