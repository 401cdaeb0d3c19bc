"""Text that comes from files, where there is little room for it: cells, tooltips, messages."""

from __future__ import annotations

import html
import re

LONGEST = 2_000
"""Characters of a tooltip."""

CELL = 300
"""Characters of a long text that a cell or a label shows; the tooltip has more."""

LONGEST_WORD = 80
"""Characters without a space that a line has room for; ids without any may be of any length."""

_HEAD, _TAIL = 50, 20
"""What is shown of the two ends of a longer word."""

_BREAK = "\u200b"
"""Has no width, and a line may end there."""


def plain_tip(text: str) -> str:
    """A tooltip that shows a text as it is: Qt would guess rich text from a "<"."""
    if len(text) > LONGEST:
        text = text[:LONGEST] + "…"
    text = re.sub(rf"\S{{{LONGEST_WORD}}}(?=\S)", rf"\g<0>{_BREAK}", text)
    return f'<span style="white-space: pre-wrap">{html.escape(text)}</span>' if text else ""


def short_text(text: str) -> str:
    """A text on one line, cut where nobody reads on."""
    cut = len(text) > CELL
    text = text[:CELL]
    line = " ".join(text.split()) if "\n" in text or "\r" in text else text
    return line + "…" if cut else line


def short_words(text: str) -> str:
    """A text with only the ends of its very long words, which no line could hold."""
    return re.sub(
        rf"\S{{{LONGEST_WORD + 1},}}", lambda word: f"{word[0][:_HEAD]}…{word[0][-_TAIL:]}", text
    )
