"""How rankings are told apart wherever several stand together: a colour and a hatch for each."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.colors import to_rgb

from ndcg_desktop.charts.theme import DARK, LIGHT, Theme


@dataclass(frozen=True, slots=True)
class RankingStyle:
    """A ranking's colour on light and on dark ground, and its hatch, empty for plain."""

    light: str
    dark: str
    hatch: str

    def colour(self, theme: Theme) -> str:
        """The colour on the background of a theme."""
        return self.dark if is_dark(theme) else self.light


RANKING_STYLES = (
    RankingStyle(LIGHT.ranking, DARK.ranking, ""),
    RankingStyle("#946300", "#d9b310", "...."),
    RankingStyle("#8e1af7", "#a638ee", "\\\\\\\\"),
    RankingStyle("#d5596d", "#ce4016", "xxxx"),
    RankingStyle("#358ece", "#12f8d6", "----"),
    RankingStyle("#8a1d01", "#959f81", "||||"),
    RankingStyle("#472a4d", "#d2f74a", "++++"),
    RankingStyle("#0930ac", "#417b8a", "oooo"),
)
"""In the order they are given out.

Found by search: each contrasts 3:1 or more with the background, and any two are apart, also as
seen with protanopia, deuteranopia or tritanopia (after Machado et al. 2009), by 0.1 of OKLab.
"""


def is_dark(theme: Theme) -> bool:
    """Whether the background is nearer to black than to white."""
    return sum(to_rgb(theme.background)) < 1.5
