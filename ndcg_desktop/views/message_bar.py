"""The inline bar: what went wrong or wants an answer, above the page and never in its way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.columns import Level
from ndcg_desktop.models.findings_model import SIGNS
from ndcg_desktop.models.tooltip import plain_tip, short_words

COLOURS = {"error": "#c62f2f", "warning": "#b06f00", "note": "#1f5fa8"}
MOST = 3
"""Messages shown at once; an older one makes room for a newer."""

LONGEST = 900
"""Characters of a message that are shown; the tooltip has more."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A button of a message, and what it does; the message goes away with it."""

    text: str
    act: Callable[[], object]


class MessageBar(QWidget):
    """Messages one below the other, each with a sign, a text and its buttons."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messages")
        self.setAccessibleName("Messages")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.hide()

    @property
    def texts(self) -> list[str]:
        """The messages that are shown, oldest first."""
        return [message.text for message in self._messages()]

    def tell(self, level: Level, text: str, answers: Sequence[Answer] = (), key: str = "") -> None:
        """Show a message; one with the same key, or the same text, takes the place of the old."""
        self.dismiss(key or text)
        for message in self._messages()[: max(0, len(self._messages()) - MOST + 1)]:
            self._remove(message)
        message = _Message(level, text, answers, key or text, self._remove)
        self._layout.addWidget(message)
        self.show()
        QAccessible.updateAccessibility(QAccessibleEvent(message, QAccessible.Event.Alert))

    def dismiss(self, key: str) -> None:
        """Take away the message with this key, where it is shown."""
        for message in self._messages():
            if message.key == key:
                self._remove(message)

    def clear(self) -> None:
        """Take away every message."""
        for message in self._messages():
            self._remove(message)

    def _messages(self) -> list[_Message]:
        items = (self._layout.itemAt(place) for place in range(self._layout.count()))
        widgets = (item.widget() for item in items if item is not None)
        return [widget for widget in widgets if isinstance(widget, _Message)]

    def _remove(self, message: _Message) -> None:
        self._layout.removeWidget(message)
        message.hide()
        message.deleteLater()
        self.setVisible(bool(self._messages()))


class _Message(QFrame):
    def __init__(
        self,
        level: Level,
        text: str,
        answers: Sequence[Answer],
        key: str,
        remove: Callable[[_Message], None],
    ) -> None:
        super().__init__()
        self.text = text
        self.key = key
        self._remove = remove
        self.setObjectName("message")
        shown = short_words(text)
        if len(shown) > LONGEST:
            shown = shown[:LONGEST] + "…"
        self.setAccessibleName(f"{level}: {shown}")
        self.setStyleSheet(
            f"#message {{ border: 1px solid palette(mid); border-left: 5px solid {COLOURS[level]};"
            " background: palette(base); border-radius: 3px; }"
        )
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 6, 8, 6)
        sign = QLabel(SIGNS[level])
        sign.setStyleSheet("font-weight: 600;")
        words = QLabel(shown)
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setToolTip(plain_tip(text) if shown != text else "")
        words.setMinimumWidth(1)  # a long word is no reason for a wider window
        words.setWordWrap(True)
        words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        layout.addWidget(sign)
        layout.addWidget(words, 1)
        for answer in answers:
            self._add_button(layout, answer.text, answer.act)
        self._add_button(layout, "Dismiss", lambda: None)

    def _add_button(self, layout: QHBoxLayout, text: str, act: Callable[[], object]) -> None:
        button = QPushButton(text)
        button.setAccessibleDescription(short_words(self.text)[:LONGEST])

        def pressed() -> None:
            self._remove(self)
            act()

        button.clicked.connect(pressed)
        layout.addWidget(button)
