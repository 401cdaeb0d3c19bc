"""What runs in the background, shown in the status bar once it takes a while."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QWidget

from ndcg_desktop.session.jobs import Jobs

SHOWN_AFTER = 500
"""Milliseconds after which a job shows its progress; most are done before."""


class JobProgress(QWidget):
    """What is being done, how far it is, and, where that loses nothing, a button to give it up."""

    def __init__(self, jobs: Jobs, name: str, can_cancel: bool) -> None:
        super().__init__()
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000 if can_cancel else 0)
        self.bar.setMaximumWidth(220)
        self.bar.setAccessibleName(f"Progress of the {name}")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.words)
        layout.addWidget(self.bar)
        if can_cancel:
            cancel = QPushButton("Cancel")
            cancel.setObjectName(f"cancel{name.capitalize()}")
            cancel.setAccessibleDescription(f"Give up the {name}")
            cancel.clicked.connect(jobs.cancel)
            jobs.progressed.connect(lambda part: self.bar.setValue(int(part * 1000)))
            layout.addWidget(cancel)
        self.hide()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_AFTER)
        self._timer.timeout.connect(self.show)
        jobs.started.connect(self._on_started)
        jobs.ended.connect(self._on_ended)

    def _on_started(self, words: str) -> None:
        self.words.setText(words)
        self.bar.reset()
        self._timer.start()

    def _on_ended(self) -> None:
        self._timer.stop()
        self.hide()
