"""The keys of the Judge page: single letters, which a person may change."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from ndcg_desktop.session.preferences import Preferences


class JudgeKey(NamedTuple):
    """What a key does, in words, and which key it is unless a person has changed it."""

    text: str
    key: str


JUDGE_KEYS = {
    "cannot": JudgeKey("Can't tell", "X"),
    "later": JudgeKey("Later", "L"),
    "note": JudgeKey("Note", "N"),
    "undo": JudgeKey("Undo", "U"),
    "previous": JudgeKey("Previous document", "K"),
    "next": JudgeKey("Next document", "J"),
}
"""What can be done on the Judge page by one key; digits give grades."""

_IGNORED = Qt.KeyboardModifier.KeypadModifier


def keys_of(preferences: Preferences) -> dict[str, str]:
    """The key of everything that has one on the Judge page."""
    changed = preferences.keys
    return {name: changed.get(name, spec.key) for name, spec in JUDGE_KEYS.items()}


def action_of(event: QKeyEvent, keys: dict[str, str]) -> str:
    """What a key that was pressed does, "" where it does nothing here."""
    plain = event.modifiers() & ~_IGNORED
    pressed = QKeySequence(event.key() | plain.value).toString()
    return next((name for name, key in keys.items() if key and key == pressed), "")


def problem_with(keys: dict[str, str]) -> str:
    """Why keys cannot be used together, "" where they can: one does two things, or is a digit."""
    for name, key in keys.items():
        if key in tuple("0123456789"):
            return f"{key} gives a grade."
        other = next((n for n, k in keys.items() if n != name and k and k == key), None)
        if other is not None:
            return f"{key} is both “{JUDGE_KEYS[name].text}” and “{JUDGE_KEYS[other].text}”."
    return ""
