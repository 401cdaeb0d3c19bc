"""The big buttons of a scale: which grade is chosen can be seen without its colour."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ndcg_desktop.evaluation.scale import MOST_LEVELS, Level, Scale
from ndcg_desktop.views.grade_buttons import GradeButton, GradeButtons
from ndcg_desktop.views.grade_colours import grade_colours, luminance
from ndcg_desktop.views.theme import apply_theme

SCALE = Scale("All", tuple(Level(float(grade), f"G{grade}") for grade in range(MOST_LEVELS)))


@pytest.fixture(params=["light", "dark"])
def dark(request, qapp: QApplication):
    """Each theme; afterwards it is light again."""
    QApplication.setStyle("Fusion")
    apply_theme(qapp, request.param)
    yield request.param == "dark"
    apply_theme(qapp, "light")


@pytest.fixture
def buttons(qtbot: QtBot, dark: bool) -> list[GradeButton]:
    """The buttons of a scale with a grade for each digit, shown."""
    widget = GradeButtons()
    qtbot.addWidget(widget)
    widget.show_scale(SCALE)
    widget.resize(900, 60)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.setFocus()
    return widget.buttons


def columns(button: GradeButton) -> list[QColor]:
    """The colours from the left edge inwards, half way down a button and above its words."""
    picture = button.grab().toImage()
    scale = picture.devicePixelRatio()
    return [picture.pixelColor(int(x * scale), int(20 * scale)) for x in range(10)]


def contrast(one: QColor, other: QColor) -> float:
    """The contrast of two colours, by the definition of WCAG."""
    lights = sorted((luminance(one), luminance(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def test_the_chosen_one_has_a_line_that_stands_out(buttons: list[GradeButton], dark: bool) -> None:
    """On each level, in both themes, a line inside differs from its colour by 3 to 1 or more."""
    for button, (back, _) in zip(buttons, grade_colours(MOST_LEVELS, dark), strict=True):
        ground = QColor(back)
        plain = [contrast(colour, ground) for colour in columns(button)[4:]]
        button.setChecked(True)
        marked = [contrast(colour, ground) for colour in columns(button)[4:]]

        assert max(plain) < 1.1
        assert max(marked) >= 3


def test_the_chosen_one_has_a_tick(qtbot: QtBot, buttons: list[GradeButton]) -> None:
    """A tick stands before the number of the grade that the document has, and of no other."""
    widget = buttons[0].parent()
    widget.mark(3.0)
    assert [b.text() for b in buttons[2:5]] == ["2\nG2", "✓ 3\nG3", "4\nG4"]
    widget.mark(None)

    assert buttons[3].text() == "3\nG3"
    assert buttons[3].accessibleName() == "Grade 3, G3"


def test_the_focus_is_seen(qtbot: QtBot, buttons: list[GradeButton]) -> None:
    """A button that has the focus differs from what it was, also where it is chosen."""
    top = buttons[0].window()
    with qtbot.waitActive(top):
        top.activateWindow()
    for chosen in (False, True):
        buttons[-1].setChecked(chosen)
        before = buttons[-1].grab().toImage()
        buttons[-1].setFocus(Qt.FocusReason.TabFocusReason)

        assert buttons[-1].grab().toImage() != before
        buttons[-1].clearFocus()
