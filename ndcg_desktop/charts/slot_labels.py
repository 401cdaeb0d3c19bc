"""What stands below the bars of a chart whose bars have texts of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ndcg_desktop.charts.comparison_sheet import Area, Sheet, area_below, left_of_plot, width_of
from ndcg_desktop.charts.layout import POINT, Slots
from ndcg_desktop.charts.lettering import elided, font, one_line
from ndcg_desktop.charts.ranking_chart import LINE, SMALL

LETTERING = 13.0
"""Pixels that a label on its side is wide, with the space to the next."""

LABEL_PART = 0.3
"""Part of the plot's height that labels on their side may take."""


@dataclass(frozen=True, slots=True)
class SlotLabels:
    """Texts below the slots of a plot: in a line, on their side, or none for want of room."""

    texts: Sequence[str]
    height: float
    on_side: bool

    @classmethod
    def fitted(cls, sheet: Sheet, texts: Sequence[str]) -> SlotLabels:
        """Find how the labels can be written on what is left of a sheet."""
        area = area_below(sheet, left_of_plot())
        slot = Slots(len(texts), area.width, sheet.resolution, False).pixels
        if not texts or slot < LETTERING:
            return cls((), 0.0, False)
        lines = [one_line(text) for text in texts]
        if all(width_of(text) <= slot - 6 for text in lines):
            return cls(lines, LINE, False)
        longest = LABEL_PART * area.height
        if slot - 6 >= longest:  # in a line they say as much, and are read more easily
            return cls(
                [elided(text, font(SMALL), (slot - 6) / POINT) for text in lines], LINE, False
            )
        cut = [elided(text, font(SMALL), longest / POINT) for text in lines]
        return cls(cut, max(map(width_of, cut)) + 4, True)

    def write(self, sheet: Sheet, area: Area, slots: Slots) -> None:
        """Write the labels below their bars."""
        first = area.left - slots.limits[0] * slots.pixels
        top = area.top + area.height + 4
        for place, text in enumerate(self.texts, 1):
            x = first + place * slots.pixels
            turned = {"rotation": 90, "rotation_mode": "default"} if self.on_side else {}
            sheet.write(text, x, top, ha="center", va="top", **turned)
