"""Light and dark: what can be ticked or typed into is outlined in both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDoubleSpinBox,
    QSpinBox,
    QStyle,
    QStyleOptionButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from ndcg_desktop.views.grade_colours import luminance
from ndcg_desktop.views.theme import apply_theme

OUTLINED = 3.0
"""The contrast that WCAG 2 asks of what one needs to see to use a control."""


@pytest.fixture(params=["light", "dark"])
def page(request, qapp: QApplication, qtbot: QtBot) -> Iterator[QWidget]:
    """A page in each theme; afterwards it is light again."""
    QApplication.setStyle("Fusion")
    apply_theme(qapp, request.param)
    page = QWidget()
    qtbot.addWidget(page)
    QVBoxLayout(page)
    yield page
    apply_theme(qapp, "light")


def shown(qtbot: QtBot, page: QWidget, widget: QWidget) -> QImage:
    """A picture of a page with a widget on it."""
    page.layout().addWidget(widget)
    with qtbot.waitExposed(page):
        page.show()
    return page.grab().toImage()


def contrast(one: QColor, other: QColor) -> float:
    """The contrast of two colours, by the definition of WCAG."""
    lights = sorted((luminance(one), luminance(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def edge(picture: QImage, corner: QPoint) -> float:
    """The contrast of an outline to the page, from left to right over a left edge."""
    page = picture.pixelColor(1, 1)
    around = [picture.pixelColor(corner.x() + step, corner.y()) for step in range(-1, 3)]
    return max(contrast(colour, page) for colour in around)


def indicator(box: QCheckBox) -> QPoint:
    """Where the left edge of the box to tick is, half way down, on the page."""
    option = QStyleOptionButton()
    box.initStyleOption(option)
    part = box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box)
    return box.mapTo(box.window(), QPoint(part.left(), part.center().y()))


@pytest.mark.parametrize("ticked", [False, True])
def test_boxes_to_tick_are_outlined(qtbot: QtBot, page: QWidget, ticked: bool) -> None:
    """A box has an outline that stands out, ticked or not."""
    box = QCheckBox("Blind")
    box.setChecked(ticked)

    assert edge(shown(qtbot, page, box), indicator(box)) >= OUTLINED


def test_the_tick_is_seen(qtbot: QtBot, page: QWidget) -> None:
    """Inside a ticked box something stands out from its ground."""
    box = QCheckBox("Blind")
    box.setChecked(True)
    picture = shown(qtbot, page, box)
    left = indicator(box)
    ground = picture.pixelColor(left + QPoint(2, 0))
    inside = [
        contrast(picture.pixelColor(left + QPoint(x, y)), ground)
        for x in range(3, 10)
        for y in range(-4, 5)
    ]

    assert max(inside) >= OUTLINED


@pytest.mark.parametrize("kind", [QSpinBox, QDoubleSpinBox])
@pytest.mark.parametrize("focus", [False, True])
def test_fields_of_numbers_are_outlined(
    qtbot: QtBot, page: QWidget, kind: type, focus: bool
) -> None:
    """A field of a number has an outline that stands out, with the focus and without."""
    field = kind()
    shown(qtbot, page, field)
    with qtbot.waitActive(page):
        page.activateWindow()
    (field if focus else page).setFocus()
    assert field.hasFocus() == focus
    place = field.mapTo(page, QPoint(0, field.height() // 2))

    assert edge(page.grab().toImage(), place) >= OUTLINED


def test_other_themes_leave_no_outline_behind(qapp: QApplication, qtbot: QtBot, page) -> None:
    """Whichever theme comes after another, boxes have the ground of their own theme."""
    box = QCheckBox("Blind")
    shown(qtbot, page, box)
    for theme in ("dark", "light", "dark"):
        apply_theme(qapp, theme)
        assert box.palette().base().color() == page.palette().base().color()
        assert edge(page.grab().toImage(), indicator(box)) >= OUTLINED
