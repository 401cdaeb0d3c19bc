"""The pages of the manual: Markdown files, in the order in which the index names them.

Keys are not written down there: `{key:save}` stands for the key of the action "save",
`{judge:next}` for the one that does that on the Judge page, as it is set now, and `{keys}` for all
of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from PySide6.QtGui import QAction

from ndcg_desktop.resources import folder
from ndcg_desktop.views.judge_keys import JUDGE_KEYS
from ndcg_desktop.views.keys_dialog import listed_keys

INDEX = "index"
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
"""A link in Markdown, with its words and its address."""
PLACE = re.compile(r"\{(key|judge):(\w+)\}")
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_MARKS = re.compile(r"[*`#|]|\\(?=\W)")


class Page(NamedTuple):
    """A page: the name of its file, its title, the part of the index it is listed in, its text."""

    name: str
    title: str
    part: str
    text: str


def home() -> Path:
    """The folder of the pages."""
    return folder() / "manual"


@cache
def pages() -> dict[str, Page]:
    """Every page by its name, the index first."""
    index = _text(INDEX)
    found = {INDEX: Page(INDEX, _title(index), "", index)}
    part = ""
    for line in index.splitlines():
        if line.startswith("## "):
            part = line.removeprefix("## ")
        for _, address in LINK.findall(line):
            name = address.partition("#")[0].removesuffix(".md")
            if address.partition("#")[0].endswith(".md") and name not in found:
                text = _text(name)
                found[name] = Page(name, _title(text), part, text)
    return found


def _text(name: str) -> str:
    """The text of a page. Qt shows a picture twice whose words go on in another line."""
    text = (home() / f"{name}.md").read_text(encoding="utf-8")
    return _PICTURE.sub(lambda found: found.group().replace("\n", " "), text)


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def slug(heading: str) -> str:
    """What a link to a heading says after #: "The cutoff k" is "the-cutoff-k"."""
    plain = _MARKS.sub("", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain))


def headings(text: str) -> list[str]:
    """The headings of a page, without their marks."""
    return [_MARKS.sub("", found).strip() for _, found in _HEADING.findall(text)]


def plain(text: str) -> str:
    """The words of a page that are seen, for a search."""
    return _MARKS.sub("", LINK.sub(r"\1", _PICTURE.sub("", text)))


class Keys:
    """The keys as they are now, which the pages are filled with."""

    def __init__(self, actions: Sequence[QAction], judging: Mapping[str, str]) -> None:
        self._actions, self._judging = actions, judging

    def filled(self, text: str) -> str:
        """A text with every key in the place that is kept for it."""
        if "{keys}" in text:
            text = text.replace("{keys}", self._all())
        return PLACE.sub(lambda found: self._key(*found.groups()), text)

    def _key(self, kind: str, name: str) -> str:
        """A key, "no key" where there is none. Raises KeyError for what is not there."""
        if kind == "judge":
            return _code(self._judging[name])
        keys = {_own_name(action): action.shortcut().toString() for action in self._actions}
        return _code(keys[name])

    def _all(self) -> str:
        """Two tables: what has a key everywhere, and on the Judge page."""
        everywhere = [(text, ", ".join(map(_code, keys))) for text, keys in self._listed()]
        judging = [(spec.text, _code(self._judging[name])) for name, spec in JUDGE_KEYS.items()]
        judging.insert(0, ("Give a grade, and go on", _code("0–9")))
        return "\n\n".join(
            (
                "## Everywhere\n\n" + _table(everywhere),
                "## On the Judge page\n\n" + _table(judging),
            )
        )

    def _listed(self) -> list[tuple[str, list[str]]]:
        return listed_keys(self._actions)


def _own_name(action: QAction) -> str:
    """An action's name as the table of actions has it: "save_as" of "actionSaveAs"."""
    bare = action.objectName().removeprefix("action")
    return re.sub(r"(?<!^)(?=[A-Z])", "_", bare).lower()


def _code(key: str) -> str:
    return f"`{key}`" if key else "no key"


def _table(rows: Sequence[tuple[str, str]]) -> str:
    return "\n".join(("| what it does | key |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows)))
