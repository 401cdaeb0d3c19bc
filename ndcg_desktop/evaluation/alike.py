"""Forms under which two ids are alike though they differ: what a person would take for one id."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
"""Soft hyphen, zero-width spaces and joiners, and the byte order mark."""

_LEADING_ZEROS = re.compile(r"(?<![\d.,])0+(?=\d)")
_NO_DECIMALS = re.compile(r"(?<=\d)[.,]0{1,2}$")
_PUNCTUATION = ".,;:!?\"'“”„‘’‚«»()[] "
"""Without + and #: “c”, “c++” and “c#” are different searches."""

_SCHEME = re.compile(r"https?://")


@dataclass(frozen=True, slots=True)
class Rule:
    """A way in which ids may differ; ``form`` gives the same text for ids that differ so only."""

    name: str
    words: str
    form: Callable[[str], str]


def plain(text: str) -> str:
    """A text without case, invisible characters and spare spaces, its letters in their usual
    form.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE))
    return " ".join(text.casefold().split())


def numbered(text: str) -> str:
    """The plain text without leading zeros, and without decimals of 0 at its end."""
    return _NO_DECIMALS.sub("", _LEADING_ZEROS.sub("", plain(text)))


def unpunctuated(text: str) -> str:
    """The same without punctuation at its ends."""
    return numbered(text).strip(_PUNCTUATION)


def address(text: str) -> str:
    """The plain text; of an address on the web without its scheme and its last slash."""
    text = plain(text)
    return _SCHEME.sub("", text, count=1).rstrip("/") if _SCHEME.match(text) else text


SPELLING = Rule("spelling", "by case, spaces, or how their letters are stored", plain)
NUMBER = Rule("number", "by leading zeros or a “.0” at the end", numbered)
PUNCTUATION = Rule("punctuation", "by punctuation at the ends", unpunctuated)
ADDRESS = Rule("address", "by http or https, or a slash at the end", address)
