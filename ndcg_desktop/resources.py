"""The files that come with the program: examples, icons and styles."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


def folder() -> Path:
    """Where they are: in the package when installed, beside it in a checkout."""
    inside = Path(__file__).parent / "resources"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "resources"


@dataclass(frozen=True, slots=True)
class Example:
    """An example that opens with one click, with the options it is meant to be seen under."""

    name: str
    title: str
    teaches: str
    files: tuple[Path, ...]
    options: dict[str, Any]


def examples() -> list[Example]:
    """The examples in the order of their list."""
    home = folder() / "examples"
    entries = json.loads((home / "examples.json").read_text(encoding="utf-8"))
    return [
        Example(
            entry["name"],
            entry["title"],
            entry["teaches"],
            tuple(home / file for file in entry["files"]),
            entry["options"],
        )
        for entry in entries
    ]


def lessons() -> list[Path]:
    """The lessons that come with the program, in the order they are meant to be taken."""
    return sorted((folder() / "lessons").glob("*.md"))
