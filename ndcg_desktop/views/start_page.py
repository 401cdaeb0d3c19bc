"""What shows when nothing is open: how to begin."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QPixmap
from PySide6.QtWidgets import (
    QCommandLinkButton,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.resources import Example, folder

WIDTH = 1180
EXAMPLE_COLUMNS = 2
RECENT_SHOWN = 5
EVALUATION = ".ndcg"
BETWEEN = 8
"""Pixels between two entries."""


class StartPage(QScrollArea):
    """Open, enter by hand, examples, what was open last, and a place to drop files."""

    def __init__(
        self,
        actions: list[QAction],
        examples: list[Example],
        open_example: Callable[[Example], None],
        open_paths: Callable[[list[Path]], None],
    ) -> None:
        super().__init__()
        self.setObjectName("pageStart")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._open_paths = open_paths
        inside = QWidget()
        inside.setMaximumWidth(WIDTH)
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(32, 20, 32, 16)
        layout.setSpacing(14)
        layout.addLayout(_title())
        layout.addWidget(self._drop_place())
        columns = QHBoxLayout()
        columns.setSpacing(32)
        columns.addLayout(self._begin(actions), 1)
        columns.addLayout(_examples(examples, open_example), 2)
        layout.addLayout(columns)
        layout.addStretch(1)
        outer = QWidget()
        centre = QHBoxLayout(outer)
        centre.addStretch(1)
        centre.addWidget(inside, 10)
        centre.addStretch(1)
        self.setWidget(outer)

    def _drop_place(self) -> QLabel:
        place = QLabel(
            "Drop judgments and rankings here: workbooks, .csv, qrels, runs, JSON, LETOR, …"
        )
        place.setAlignment(Qt.AlignmentFlag.AlignCenter)
        place.setWordWrap(True)
        place.setMinimumHeight(64)
        place.setStyleSheet("border: 2px dashed palette(mid); border-radius: 8px;")
        return place

    def _begin(self, actions: list[QAction]) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(BETWEEN)
        column.addWidget(_heading("Begin"))
        for action in actions:
            column.addWidget(
                _link(action.text().replace("&", ""), action.toolTip(), action.trigger)
            )
        self._evaluations = _Recent("Recent evaluations", self._open_paths)
        self._files = _Recent("Recent files", self._open_paths)
        column.addLayout(self._evaluations)
        column.addLayout(self._files)
        column.addStretch(1)
        return column

    def show_recent(self, recent: list[list[Path]]) -> None:
        """List the evaluations and files opened last; those that are gone are left out."""
        there = [files for files in recent if files and all(path.exists() for path in files)]
        evaluations = [files for files in there if files[0].suffix.lower() == EVALUATION]
        self._evaluations.show_entries(evaluations)
        self._files.show_entries([files for files in there if files not in evaluations])


class _Recent(QVBoxLayout):
    """A heading with links below it; nothing where there are none."""

    def __init__(self, heading: str, open_paths: Callable[[list[Path]], None]) -> None:
        super().__init__()
        self._open_paths = open_paths
        self._heading = _heading(heading)
        self.setSpacing(BETWEEN)
        self.addWidget(self._heading)
        self._links: list[QCommandLinkButton] = []

    def show_entries(self, entries: list[list[Path]]) -> None:
        """List these sets of files."""
        for link in self._links:
            self.removeWidget(link)
            link.hide()
            link.deleteLater()
        self._heading.setVisible(bool(entries))
        self._links = [
            _link(
                ", ".join(path.name for path in files),
                str(files[0].parent),
                partial(self._open_paths, files),
            )
            for files in entries[:RECENT_SHOWN]
        ]
        for link in self._links:
            link.setObjectName("recent")
            self.addWidget(link)


def _title() -> QHBoxLayout:
    row = QHBoxLayout()
    icon = QLabel()
    icon.setPixmap(QPixmap(str(folder() / "icons" / "ndcg-desktop-64.png")))
    title = QLabel("nDCG Desktop")
    font = title.font()
    font.setPointSizeF(font.pointSizeF() * 1.9)
    font.setBold(True)
    title.setFont(font)
    words = QVBoxLayout()
    words.addWidget(title)
    words.addWidget(QLabel("Judge search results, and see why a ranking scores what it scores."))
    row.addWidget(icon)
    row.addSpacing(12)
    row.addLayout(words, 1)
    return row


def _examples(examples: list[Example], open_example: Callable[[Example], None]) -> QVBoxLayout:
    """The examples in two columns, read from the left to the right."""
    column = QVBoxLayout()
    column.setSpacing(BETWEEN)
    column.addWidget(_heading("Examples"))
    grid = QGridLayout()
    grid.setVerticalSpacing(0)
    for number, example in enumerate(examples):
        button = _link(example.title, example.teaches, partial(open_example, example))
        button.setObjectName(f"example-{example.name}")
        row, side = divmod(number, EXAMPLE_COLUMNS)
        grid.addWidget(button, row, side, Qt.AlignmentFlag.AlignTop)
        grid.setColumnStretch(side, 1)
    column.addLayout(grid)
    column.addStretch(1)
    return column


def _heading(text: str) -> QLabel:
    heading = QLabel(text)
    font = heading.font()
    font.setPointSizeF(font.pointSizeF() * 1.2)
    font.setBold(True)
    heading.setFont(font)
    return heading


def _link(text: str, description: str, act: Callable[[], object]) -> QCommandLinkButton:
    link = QCommandLinkButton(text.replace("&", "&&"), description)
    link.setIconSize(QSize(0, 0))  # the arrow that the style puts back is black in the dark, too
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    policy.setHeightForWidth(True)  # as high as its words are where it stands
    link.setSizePolicy(policy)
    link.clicked.connect(lambda: act())
    return link
