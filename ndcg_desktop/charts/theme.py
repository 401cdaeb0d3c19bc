"""The colours of a chart."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.colors import to_hex, to_rgb


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours. Against the background text contrasts 4.5:1 or more, and all but the grid 3:1."""

    background: str
    text: str
    grid: str
    ranking: str
    ideal: str
    unjudged: str
    selected: str

    @property
    def faint_text(self) -> str:
        """For what is read second."""
        return _mixed(self.text, self.background, 0.78)

    @property
    def ideal_fill(self) -> str:
        """Between the hatching of the ideal's bars."""
        return _mixed(self.ideal, self.background, 0.18)


# Blue and orange are told apart in every common kind of colour blindness.
LIGHT = Theme(
    background="#f5f6f8",
    text="#1b1f24",
    grid="#dadde2",
    ranking="#1769aa",
    ideal="#b4500f",
    unjudged="#5c5c5c",
    selected="#111111",
)
DARK = Theme(
    background="#1f2328",
    text="#e6e9ed",
    grid="#3d434b",
    ranking="#5ab0f2",
    ideal="#f0a04b",
    unjudged="#b9bec6",
    selected="#ffffff",
)
PRINT = Theme(
    background="#ffffff",
    text="#1b1f24",
    grid="#dedede",
    ranking="#1769aa",
    ideal="#b4500f",
    unjudged="#5c5c5c",
    selected="#111111",
)


def _mixed(colour: str, other: str, part: float) -> str:
    red, green, blue = (
        part * one + (1 - part) * two
        for one, two in zip(to_rgb(colour), to_rgb(other), strict=True)
    )
    return str(to_hex((red, green, blue)))
