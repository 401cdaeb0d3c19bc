"""Forms under which two ids are alike though they differ: what a person would take for one id."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress

_RANGES = ((0x200B, 0x2010), (0x202A, 0x202F), (0x2060, 0x206A))
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u180e\ufeff")) | {
    code: None for begin, end in _RANGES for code in range(begin, end)
}
"""Soft hyphen, zero-width spaces and joiners, marks of direction, and the byte order mark."""

_SEPARATORS = dict.fromkeys((0x2028, 0x2029))
"""Separators of lines and of paragraphs: a space where there is none, or nothing."""

_STRAIGHT = str.maketrans(
    dict.fromkeys("‘’‚‛′´`", "'") | dict.fromkeys("“”„‟″", '"') | dict.fromkeys("‐‑‒–—―−", "-")
)
"""Quotes and dashes as a keyboard types them, for those that a word processor makes of them."""

_AS_TEXT = re.compile(r"=\"(?P<quoted>[^\"]+)\"|'(?P<rest>[^']+)")
"""The ways to keep a spreadsheet from reading an id as a number: ="001", and '001."""

_GROUPED = re.compile(r"[1-9]\d{0,2}(?P<mark>[,.'’ ])\d{3}(?:(?P=mark)\d{3})*")
_LEADING_ZEROS = re.compile(r"(?<![\d.,])0+(?=\d)")
_NO_DECIMALS = re.compile(r"(?<=\d)[.,]0{1,2}$")
_PUNCTUATION = ".,;:!?\"'“”„‘’‚«»()[] "
"""Without + and #: “c”, “c++” and “c#” are different searches."""

_SCHEME = re.compile(r"https?://")
_SCHEMES = re.compile(r"^[^\S\n]*https?://", re.MULTILINE)
_NO_PART = re.compile(r"^https?://|[\W_0]+")
_NO_LETTER = bytes(c for c in range(128) if not chr(c).isalnum() and c != ord("\n")) + b"0"
"""The same in ASCII, but for the end of a line."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A way in which ids may differ; ``form`` gives the same text for ids that differ so only.

    ``fewest`` are the documents that must differ so where most others are found.
    """

    name: str
    words: str
    form: Callable[[str], str]
    fewest: int = 2


def visible(text: str) -> str:
    """A text without the characters that are not shown."""
    return text if text.isascii() else text.translate(_INVISIBLE | _SEPARATORS)


def plain(text: str) -> str:
    """A text without case, invisible characters and spare spaces, its letters in their usual
    form.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE))
    return " ".join(text.casefold().split())


def typed(text: str) -> str:
    """The plain text with straight quotes and simple dashes."""
    return plain(text if text.isascii() else text.translate(_STRAIGHT))


def unmarked(text: str) -> str:
    """The plain text without what a spreadsheet takes for the mark of a text."""
    text = typed(text)
    match = _AS_TEXT.fullmatch(text)
    return match["quoted"] or match["rest"] if match else text


def ungrouped(text: str) -> str:
    """The plain text; of a whole number without marks between its thousands."""
    text = plain(text)
    match = _GROUPED.fullmatch(text)
    return text.replace(match["mark"], "") if match else text


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


def loose(texts: Sequence[str]) -> list[bytes]:
    """What is left of each text when all is taken away that any rule may: equal for ids that are
    alike, and for some that are not. It is fast, so that few need be compared by all rules.
    """
    simple = [text.isascii() and "\n" not in text for text in texts]
    lines = "\n".join(compress(texts, simple)).lower()
    if "http" in lines:
        lines = _SCHEMES.sub("", lines)
    fast = iter(lines.encode().translate(None, _NO_LETTER).split(b"\n"))
    return [
        next(fast) if is_simple else _NO_PART.sub("", plain(text)).encode("utf-8", "surrogatepass")
        for text, is_simple in zip(texts, simple, strict=True)
    ]


INVISIBLE = Rule("invisible", "by characters that are not shown", visible, fewest=1)
SPELLING = Rule("spelling", "by case, spaces, or how their letters are stored", plain)
NUMBER = Rule("number", "by leading zeros or a “.0” at the end", numbered)
MARKS = Rule("marks", "by the shape of quotes or dashes", typed)
TEXT_MARK = Rule("text-mark", 'by a mark that keeps a number a text, such as \' or ="…"', unmarked)
THOUSANDS = Rule("thousands", "by marks between thousands", ungrouped)
PUNCTUATION = Rule("punctuation", "by punctuation at the ends", unpunctuated)
ADDRESS = Rule("address", "by http or https, or a slash at the end", address)
