"""How many judgments there are of each grade, as bars with their numbers."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from ndcg_desktop.evaluation.wording import grade_text

MOST_BARS = 12
"""Grades that get a bar of their own; more are put together into equal steps."""
WIDEST = 56


class Histogram(QWidget):
    """A bar for each grade; above it how many have it, below it the grade."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("histogram")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._bars: list[tuple[str, int]] = []
        self.show_grades({})

    def show_grades(self, grades: dict[float, int]) -> None:
        """Show how many judgments have each grade."""
        self._bars = _bars(grades)
        said = ", ".join(f"grade {grade}: {count:,}" for grade, count in self._bars)
        self.setAccessibleName("Histogram of grades")
        self.setAccessibleDescription(said or "No grades")
        self.setToolTip(said)
        self.setVisible(bool(self._bars))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(280, 96)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._bars:
            return
        painter = QPainter(self)
        line = self.fontMetrics().height() + 2
        room = self.height() - 2 * line
        step = min(WIDEST, self.width() / len(self._bars))
        most = max(count for _, count in self._bars)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        for place, (grade, count) in enumerate(self._bars):
            left = place * step
            height = max(1.0, room * count / most)
            bar = QRectF(left + 3, line + room - height, step - 6, height)
            painter.fillRect(bar, self.palette().color(QPalette.ColorRole.Highlight))
            centre = Qt.AlignmentFlag.AlignCenter
            painter.drawText(QRectF(left, bar.top() - line, step, line), centre, _short(count))
            painter.drawText(QRectF(left, line + room, step, line), centre, grade)


def _bars(grades: dict[float, int]) -> list[tuple[str, int]]:
    if len(grades) <= MOST_BARS:
        return [(grade_text(grade), count) for grade, count in sorted(grades.items())]
    low, high = min(grades), max(grades)
    step = (high - low) / MOST_BARS
    counts = [0] * MOST_BARS
    for grade, count in grades.items():
        counts[min(int((grade - low) / step), MOST_BARS - 1)] += count
    return [(f"{low + place * step:.3g}–", count) for place, count in enumerate(counts)]


def _short(count: int) -> str:
    """A count that fits above a bar: 12, 3.4k, 1.2M."""
    if count < 10_000:
        return str(count)
    return f"{count / 1000:.0f}k" if count < 1_000_000 else f"{count / 1e6:.1f}M"
