"""The colours of a scale: one hue by lightness, and never without the number."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

from ndcg_desktop.views.theme import LIGHT

HUE = QColor(LIGHT[QPalette.ColorRole.Accent]).hslHueF()
SATURATION = 0.55
LIGHT_ENDS = 94.0, 26.0
"""Lightness (CIE L*) of the lowest and the highest grade; the lowest is nearest to the page."""
DARK_ENDS = 22.0, 88.0


def grade_colours(levels: int, dark: bool) -> list[tuple[str, str]]:
    """Background and text for each level, lowest first: even steps of the lightness one sees."""
    lowest, highest = DARK_ENDS if dark else LIGHT_ENDS
    step = (highest - lowest) / max(levels - 1, 1)
    return [_pair(_luminance_of(lowest + place * step)) for place in range(levels)]


def luminance(colour: QColor) -> float:
    """The relative luminance of a colour, as WCAG has it."""
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _pair(wanted: float) -> tuple[str, str]:
    """The background of a luminance, and black or white, whichever stands out more from it: of
    these two one always has a contrast of 4.58.
    """
    least, most = 0.0, 1.0
    for _ in range(20):
        middle = (least + most) / 2
        if luminance(_of(middle)) < wanted:
            least = middle
        else:
            most = middle
    colour = _of(least)
    lit = luminance(colour) + 0.05
    return colour.name(), "#000000" if lit / 0.05 > 1.05 / lit else "#ffffff"


def _of(lightness: float) -> QColor:
    return QColor.fromHslF(HUE, SATURATION, lightness)


def _luminance_of(lightness: float) -> float:
    """The luminance of a CIE L* above 8."""
    return float(((lightness + 16) / 116) ** 3)
