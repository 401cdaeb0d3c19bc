"""The keys of the Judge page: single letters, which a person may change."""

from __future__ import annotations

from collections.abc import Mapping
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
_Key, _Held = Qt.Key, Qt.KeyboardModifier

_HELD = (
    (_Held.ControlModifier, "Ctrl"),
    (_Held.AltModifier, "Alt"),
    (_Held.MetaModifier, "Meta"),
)
_BUTTON, _FIELD = "presses the button that has the focus", "goes to another field"
_MOVES, _SCROLLS = "moves in lists and texts", "scrolls the document"
RESERVED = {
    _Key.Key_Space: _BUTTON,
    _Key.Key_Return: _BUTTON,
    _Key.Key_Enter: _BUTTON,
    _Key.Key_Escape: "leaves a dialog or a field",
    _Key.Key_Tab: _FIELD,
    _Key.Key_Backtab: _FIELD,
    _Key.Key_Left: _MOVES,
    _Key.Key_Right: _MOVES,
    _Key.Key_Up: _MOVES,
    _Key.Key_Down: _MOVES,
    _Key.Key_PageUp: _SCROLLS,
    _Key.Key_PageDown: _SCROLLS,
    _Key.Key_Home: _SCROLLS,
    _Key.Key_End: _SCROLLS,
    **{_Key(_Key.Key_0 + digit): "gives a grade" for digit in range(10)},
}
"""Keys that do something else everywhere, and what that is."""


def keys_of(preferences: Preferences) -> dict[str, str]:
    """The key of everything that has one on the Judge page."""
    changed = preferences.keys
    return {name: changed.get(name, spec.key) for name, spec in JUDGE_KEYS.items()}


def action_of(event: QKeyEvent, keys: dict[str, str]) -> str:
    """What a key that was pressed does, "" where it does nothing here."""
    plain = event.modifiers() & ~_IGNORED
    pressed = QKeySequence(event.key() | plain.value).toString()
    return next((name for name, key in keys.items() if key and key == pressed), "")


def problems_with(keys: Mapping[str, str], taken: Mapping[str, str]) -> dict[str, str]:
    """Why keys cannot be used, a sentence for each of the things that have such a key: somebody
    else has it, or it does two things. ``taken`` says what other keys do elsewhere.
    """
    problems = {}
    for name, key in keys.items():
        alike = [JUDGE_KEYS[other].text for other, k in keys.items() if k == key]
        if not key:
            continue
        if why := _elsewhere(key, taken):
            problems[name] = why
        elif len(alike) > 1:
            both = "both " if len(alike) == 2 else ""
            words = ", ".join(f"“{text}”" for text in alike[:-1])
            problems[name] = f"{key} is {both}{words} and “{alike[-1]}”."
    return problems


def _elsewhere(key: str, taken: Mapping[str, str]) -> str:
    """What a key does already, whatever the Judge page would do with it; "" for nothing."""
    if key in taken:
        return f"{key} is “{taken[key]}” everywhere."
    pressed = QKeySequence(key)[0]  # type: ignore[index]  # it can be indexed
    if (does := RESERVED.get(pressed.key())) is not None:
        return f"{key} {does}."
    held = [word for held, word in _HELD if pressed.keyboardModifiers() & held]
    if held:
        return f"{key} is no single key: it is pressed together with {' and '.join(held)}."
    return ""
