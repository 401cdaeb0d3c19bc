"""Text on a figure: fonts for every script at hand, and lines cut to the room there is."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.textpath import text_to_path

FAMILIES = (
    "DejaVu Sans",  # comes with matplotlib
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Hiragino Sans",
    "Hiragino Sans GB",
    "Apple SD Gothic Neo",
    "WenQuanYi Zen Hei",
    "Nirmala UI",
    "Leelawadee UI",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
    "Segoe UI Symbol",
)
"""Asked for a glyph in this order. None but the first has to be installed."""

ELLIPSIS = "…"
LONGEST = 400
"""Characters that a line of a figure may have room for; measuring more takes long."""

NO_GLYPH = "□"
SPACE = 0.318
"""Width of a space, as part of the font's size."""

INVISIBLE = ("Cc", "Cf", "Mn")
"""Categories of characters that leave no gap where no font has them, as variation selectors."""


@cache
def families() -> tuple[str, ...]:
    """Those of FAMILIES that are installed: matplotlib complains about any other."""
    installed = set(fontManager.get_font_names())
    return tuple(name for name in FAMILIES if name in installed)


@cache
def font(size: float, weight: str = "normal") -> FontProperties:
    """Return a font of this size in points, with all the fallbacks."""
    return FontProperties(family=list(families()), size=size, weight=weight)


@lru_cache(maxsize=4096)
def _has_glyph(character: str) -> bool:
    paths = [fontManager.findfont(FontProperties(family=[name])) for name in families()]
    return any(get_font(path).get_char_index(ord(character)) for path in paths)


def _drawn(character: str) -> str:
    if _has_glyph(character):
        return character
    return "" if unicodedata.category(character) in INVISIBLE else NO_GLYPH


@lru_cache(maxsize=256)
def one_line(text: str) -> str:
    """Put the text on one line, with a box for each character that no font has.

    matplotlib draws the box too, but with a warning for every draw. What no line has room for is
    left out.
    """
    if len(text) > LONGEST:
        text = text[:LONGEST] + ELLIPSIS
    line = " ".join(text.split())
    return line if line.isascii() and line.isprintable() else "".join(map(_drawn, line))


@lru_cache(maxsize=1024)
def text_width(text: str, font: FontProperties) -> float:
    """Measure a line, in points."""
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, False)
    return float(width)


@lru_cache(maxsize=256)
def elided(text: str, font: FontProperties, width: float) -> str:
    """Cut a line to this many points, with an ellipsis where something is left out."""
    if len(text) <= LONGEST and text_width(text, font) <= width:
        return text
    fits, too_long = 0, min(len(text), LONGEST)
    while too_long - fits > 1:
        length = (fits + too_long) // 2
        if text_width(text[:length].rstrip() + ELLIPSIS, font) <= width:
            fits = length
        else:
            too_long = length
    return text[:fits].rstrip() + ELLIPSIS


def words_width(words: Sequence[str], font: FontProperties) -> float:
    """Measure words in a line, in points: one by one, since most have been measured before."""
    spaces = max(len(words) - 1, 0) * SPACE * font.get_size_in_points()
    return sum(text_width(word, font) for word in words) + float(spaces)


def wrapped(text: str, font: FontProperties, width: float, lines: int) -> list[str]:
    """Break the text between words into at most this many lines, the last one elided."""
    words = text.split()
    done: list[str] = []
    while words and len(done) < lines:
        count = len(words)
        if len(done) < lines - 1:
            while count > 1 and words_width(words[:count], font) > width:
                count -= 1
        line = " ".join(words[:count])
        fits = words_width(words[:count], font) <= width
        done.append(line if fits else elided(line, font, width))
        words = words[count:]
    return done
