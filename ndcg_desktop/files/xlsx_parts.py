"""The XML parts of a workbook, changed byte by byte without being parsed and written anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple
from xml.etree import ElementTree

HIDDEN = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
ROOT = re.compile(rb"<((?:[^\s<>/:!?]+:)?)[^\s<>/:!?]+[\s/>]")
_SPECIAL = re.compile(rb"<[!?]")
_PIECE = 4 << 20
MERGED = re.compile(rb"""<(?:[^\s<>/:!?]+:)?mergeCell\s[^>]*?ref=["']([^"']*)["']""")
ATTRIBUTE = re.compile(rb"""\s+([^\s=/>"']+)\s*=\s*("[^"]*"|'[^']*')""")


class WorkbookPatchError(ValueError):
    """Why the cells cannot be written, in a sentence for a person."""


class Relation(NamedTuple):
    """What a part refers to: by which key, as what kind of part, and where that is."""

    key: str
    kind: str
    target: str


def cell_name(row: int, column: int) -> str:
    """The name of a cell, whose row and column count from 1: D7."""
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row}"


@cache
def _start_tag(name: bytes) -> re.Pattern[bytes]:
    """Match a start tag: group 1 is its attributes, and the slash of an element without content."""
    values = rb"""(?:[^>"']|"[^"]*"|'[^']*')*+"""
    return re.compile(rb"<" + re.escape(name) + rb"(?=[\s/>])(" + values + rb")>")


@cache
def _end_tag(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"</" + re.escape(name) + rb"\s*>")


def attributes_of(tag: re.Match[bytes]) -> dict[bytes, bytes]:
    """The attributes of a start tag, as they are written."""
    return {match[1]: match[2][1:-1] for match in ATTRIBUTE.finditer(tag[1])}


class Part:
    """An XML part of the package, and the changes to be made to its bytes.

    Offsets hold in `data` and in `markup` alike: `markup` has blanks for comments and the like, so
    that a tag found there is a tag. `splices` are (start, end, new bytes).
    """

    def __init__(self, name: str, data: bytearray) -> None:
        self.name, self.data = name, data
        self.splices: list[tuple[int, int, bytes]] = []
        if b"\0" in data[:8]:
            raise WorkbookPatchError(f"The part {name} is no XML in UTF-8: it cannot be changed.")
        self.markup = self._without_hidden()
        root = ROOT.search(self.markup)
        if root is None:
            raise self.damaged("it is no XML")
        self.prefix = root[1]

    def damaged(self, why: str) -> WorkbookPatchError:
        """The error that says that this part is damaged."""
        return WorkbookPatchError(f"The part {self.name} is damaged: {why}.")

    def _without_hidden(self) -> bytes | bytearray:
        # The first bytes are the XML declaration, which holds no tags. Looked for piece by piece:
        # a window that waits for the interpreter would stand still for as long as a call takes.
        if not any(
            _SPECIAL.search(self.data, start, start + _PIECE + 1)
            for start in range(6, len(self.data), _PIECE)
        ):
            return self.data
        markup = HIDDEN.sub(lambda match: b" " * len(match[0]), self.data)
        if b"<!" in markup:
            raise WorkbookPatchError(f"The part {self.name} declares a document type of its own.")
        return markup

    def tags(self, name: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
        """The start tags of this name between two offsets."""
        return _start_tag(self.prefix + name).finditer(self.markup, start, end)

    def tag(self, name: bytes, start: int = 0, end: int | None = None) -> re.Match[bytes] | None:
        """The first of them, if there is one."""
        return next(self.tags(name, start, len(self.data) if end is None else end), None)

    def extent(self, tag: re.Match[bytes], name: bytes) -> tuple[int, int]:
        """Where the content of the element ends, and where the element does."""
        if tag[1].endswith(b"/"):
            return tag.end(), tag.end()
        end = _end_tag(self.prefix + name).search(self.markup, tag.end())
        if end is None:
            raise self.damaged(f"{name.decode()} is not closed")
        return end.span()

    def set_attribute(self, tag: re.Match[bytes], name: bytes, value: bytes) -> None:
        """Give a start tag an attribute, or an attribute that it has another value."""
        for match in ATTRIBUTE.finditer(self.markup, tag.start(1), tag.end(1)):
            if match[1] == name:
                self.replace(match.start(2) + 1, match.end(2) - 1, value)
                return
        self.replace(tag.start(1), tag.start(1), b' %s="%s"' % (name, value))

    def replace(self, start: int, end: int, text: bytes) -> None:
        """Note that these bytes give way to others."""
        if self.data[start:end] != text:
            self.splices.append((start, end, text))

    def remove(self, name: bytes, attribute: bytes, value: str) -> None:
        """Remove each element of this name whose attribute has this value, in any case."""
        for tag in self.tags(name, 0, len(self.data)):
            if attributes_of(tag).get(attribute, b"").decode().lower() == value.lower():
                self.replace(tag.start(), self.extent(tag, name)[1], b"")

    def fill(self, tag: re.Match[bytes], name: bytes, text: bytes) -> None:
        """Put text into an element without content, whichever way it is written."""
        if tag[1].endswith(b"/"):
            self.replace(tag.end() - 2, tag.end() - 1, b"")
            text += b"</" + self.prefix + name + b">"
        self.replace(tag.end(), tag.end(), text)

    def pieces(self) -> Iterator[bytes | memoryview]:
        """Give the bytes of the part as changed."""
        view, done = memoryview(self.data), 0
        for start, end, text in sorted(self.splices, key=lambda splice: splice[0]):
            yield view[done:start]
            yield text
            done = end
        yield view[done:]

    def parsed(self) -> ElementTree.Element:
        """The part as a tree, for the small parts that are only looked at."""
        try:
            return ElementTree.fromstring(self.data)
        except (ElementTree.ParseError, LookupError, ValueError) as error:
            raise self.damaged(f"it is no XML ({error})") from error
