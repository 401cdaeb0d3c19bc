"""The big buttons of a scale."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from ndcg_desktop.evaluation.scale import Scale
from ndcg_desktop.evaluation.wording import grade_text
from ndcg_desktop.views.grade_colours import grade_colours

HEIGHT = 58
STYLE = """
QPushButton {{
    background: {back}; color: {text}; border: 1px solid palette(mid); border-radius: 6px;
    padding: 4px 10px; font-size: 13pt;
}}
QPushButton:hover {{ border: 2px solid palette(text); }}
QPushButton:focus {{ border: 3px solid palette(text); }}
QPushButton:checked {{ border: 2px solid palette(text); font-weight: 700; }}
QPushButton:checked:focus {{ border: 3px solid palette(text); }}
"""
MARK = "✓ "
INSET = 5.0
"""Pixels from the edge to the line inside a button; its border may be 3."""
LINE = 2.0


class GradeButtons(QWidget):
    """A button for each grade, lowest first, with its name, its number and its key."""

    chosen = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("gradeButtons")
        self.setAccessibleName("Grades")
        self._scale: Scale | None = None
        self.buttons: list[GradeButton] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)

    def show_scale(self, scale: Scale) -> None:
        """Make the buttons of a scale."""
        if scale == self._scale:
            return
        self._scale = scale
        for button in self.buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self.buttons = [self._button(place) for place in range(len(scale.levels))]
        self._colour()

    def _button(self, place: int) -> GradeButton:
        assert self._scale is not None
        level, key = self._scale.levels[place], self._scale.key_of(place)
        number = grade_text(level.grade)
        button = GradeButton(f"{number}\n{level.name}".rstrip().replace("&", "&&"))
        button.setObjectName(f"grade{key}")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setMinimumHeight(HEIGHT)
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        named = f", {level.name}" if level.name else ""
        button.setAccessibleName(f"Grade {number}{named}")
        button.setToolTip(
            f"Press {key}" if key == number else f"Press {key} for the grade {number}"
        )
        button.clicked.connect(lambda _=False, grade=level.grade: self._on_clicked(grade))
        self._row.addWidget(button, 1)
        return button

    def _on_clicked(self, grade: float) -> None:
        self.chosen.emit(grade)

    def mark(self, grade: float | None) -> None:
        """Show which grade the document has."""
        assert self._scale is not None
        for level, button in zip(self._scale.levels, self.buttons, strict=True):
            button.setChecked(level.grade == grade)

    def _colour(self) -> None:
        dark = self.palette().color(QPalette.ColorRole.Window).lightness() < 128
        colours = grade_colours(len(self.buttons), dark)
        for button, (back, text) in zip(self.buttons, colours, strict=True):
            button.ink = QColor(text)
            button.setStyleSheet(STYLE.format(back=back, text=text))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colour()


class GradeButton(QPushButton):
    """A button on the colour of its grade. The grade that is chosen has a tick before its number
    and a line inside, in the ``ink`` of the text: a border alone would not be seen beside a dark
    colour. The one that has the focus has a line of dashes.
    """

    ink = QColor(Qt.GlobalColor.black)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setCheckable(True)
        self.toggled.connect(lambda on: self.setText(MARK + text if on else text))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not (self.isChecked() or self.hasFocus()):
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(
            QPen(
                self.ink, LINE, Qt.PenStyle.SolidLine if self.isChecked() else Qt.PenStyle.DashLine
            )
        )
        edge = INSET + LINE / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(edge, edge, -edge, -edge), 3, 3)
        painter.end()
