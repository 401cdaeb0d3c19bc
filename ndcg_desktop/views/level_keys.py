"""The grades of a scale as a judge will see them: colour, number and name, and the key of each."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from ndcg_desktop.evaluation.scale import Scale
from ndcg_desktop.models.tooltip import plain_tip, short_text
from ndcg_desktop.views.grade_colours import grade_colours

LONGEST_COLUMN = 5
"""Grades below one another; more of them stand in two columns."""


class LevelKeys(QWidget):
    """Shows each grade in its colour, the lowest first, beside its key."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("levelKeys")
        self.setAccessibleName("Grades with their keys")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._scale: Scale | None = None
        self.chips: list[Chip] = []

    def show_scale(self, scale: Scale) -> None:
        """Show the grades of a scale."""
        self._scale = scale
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        dark = self.palette().window().color().lightnessF() < 0.5
        self.chips = []
        levels = len(scale.levels)
        longest = levels if levels <= LONGEST_COLUMN else (levels + 1) // 2
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1 if levels > longest else 0)
        colours = grade_colours(levels, dark)
        for place, (level, pair) in enumerate(zip(scale.levels, colours, strict=True)):
            column, row = divmod(place, longest)
            key = QLabel(f"Key {scale.key_of(place)}")
            chip = Chip(level.label, *pair)
            chip.setAccessibleName(f"{level.label}, key {scale.key_of(place)}")
            self._grid.addWidget(key, row, 2 * column)
            self._grid.addWidget(chip, row, 2 * column + 1)
            self.chips.append(chip)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._scale is not None:
            self.show_scale(self._scale)


class Chip(QLabel):
    """A name on its colour, shortened where there is no room for all of it."""

    def __init__(self, label: str, background: str, text: str) -> None:
        super().__init__()
        self._label = short_text(label)
        self.setIndent(0)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setToolTip(plain_tip(label))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setStyleSheet(
            f"background: {background}; color: {text}; border: 1px solid palette(mid); "
            "border-radius: 4px; padding: 3px 8px"
        )
        self.setText(self._label)

    def sizeHint(self) -> QSize:
        return QSize(120, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.contentsRect().width()
        self.setText(self.fontMetrics().elidedText(self._label, Qt.TextElideMode.ElideRight, room))
