"""Tooltips of text that comes from files."""

from __future__ import annotations

import html

LONGEST = 2_000


def plain_tip(text: str) -> str:
    """A tooltip that shows a text as it is: Qt would guess rich text from a "<"."""
    if len(text) > LONGEST:
        text = text[:LONGEST] + "…"
    return f'<span style="white-space: pre-wrap">{html.escape(text)}</span>' if text else ""
