"""The manual in a window of its own: pages, search, the way back, and larger letters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDesktopServices,
    QGuiApplication,
    QKeySequence,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.session.preferences import Preferences
from ndcg_desktop.views.fitting import FRAME
from ndcg_desktop.views.manual_pages import INDEX, Keys, pages, plain
from ndcg_desktop.views.manual_text import ManualText
from ndcg_desktop.views.message_bar import Answer, MessageBar
from ndcg_desktop.views.whats_this import explain

SIZE = 1080, 760
LIST = 250
"""Pixels of the list at first."""
LAYOUT = "manual"
NAME = Qt.ItemDataRole.UserRole
STEP = 1.0
"""Points that letters grow by."""
ACTION, WEB = "action", ("http", "https")
"""Schemes of links: what the program does, and what lies outside of the manual."""


class Place(NamedTuple):
    """A page, the heading that was gone to, and how far down it was read."""

    page: str
    anchor: str = ""
    down: int = 0


class ManualWindow(QWidget):
    """Shows the manual beside the window or dialog that it was asked for in. ``keys`` are those
    that its pages name.
    """

    action_wanted = Signal(str)  # a link to something that the program does

    def __init__(self, keys: Keys, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("manual")
        self.setWindowTitle("Manual – nDCG Desktop")
        self._keys, self._preferences = keys, preferences
        self._back: list[Place] = []
        self._forward: list[Place] = []
        self._here = Place("")
        self.messages = MessageBar()
        self.text = ManualText()
        self.text.link_wanted.connect(self._follow)
        layout = QVBoxLayout(self)
        layout.addLayout(self._head())
        layout.addWidget(self.messages)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self._list())
        self.splitter.addWidget(self.text)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([LIST, SIZE[0] - LIST])
        layout.addWidget(self.splitter, 1)
        self._add_keys()
        self._fit()
        explain(self)

    # ---- making it

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.back = _button("manualBack", "Back", "Alt+Left", self.go_back)
        self.forward = _button("manualForward", "Forward", "Alt+Right", self.go_forward)
        self.search = QLineEdit()
        self.search.setObjectName("manualSearch")
        self.search.setAccessibleName("Search the manual")
        self.search.setPlaceholderText("Search the manual (Ctrl+F)")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self.next_place)
        row.addWidget(self.back)
        row.addWidget(self.forward)
        row.addWidget(self.search, 1)
        return row

    def _list(self) -> QListWidget:
        self.list = QListWidget()
        self.list.setObjectName("manualPages")
        self.list.setAccessibleName("Pages of the manual")
        self.list.setSpacing(1)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        part = ""
        for page in pages().values():
            if page.part != part:
                part = page.part
                self.list.addItem(_heading(part, self))
            item = QListWidgetItem(page.title)
            item.setData(NAME, page.name)
            self.list.addItem(item)
        self.list.currentItemChanged.connect(lambda item: self._on_item(item))
        return self.list

    def _add_keys(self) -> None:
        for keys, act in (
            (("Alt+Left",), self.go_back),
            (("Alt+Right",), self.go_forward),
            (("Ctrl+F",), self._begin_search),
            (("Ctrl++", "Ctrl+="), partial(self.text.zoom, STEP)),
            (("Ctrl+-",), partial(self.text.zoom, -STEP)),
            (("Ctrl+0",), partial(self.text.zoom, 0)),
            (("Esc",), self._leave),
        ):
            for key in keys:
                QShortcut(QKeySequence(key), self, act)

    def _fit(self) -> None:
        """As large as it was left, or as there is room for."""
        room = self.screen().availableGeometry()
        self.resize(min(SIZE[0], room.width() - FRAME[0]), min(SIZE[1], room.height() - FRAME[1]))
        if (geometry := self._preferences.layout(LAYOUT)) is not None:
            self.restoreGeometry(geometry)

    # ---- pages

    @property
    def page(self) -> str:
        """The name of the page that is shown."""
        return self._here.page

    def take_keys(self, keys: Keys) -> None:
        """Name the keys as they now are."""
        self._keys = keys
        if self.page:
            self._show(self._here._replace(down=self.text.verticalScrollBar().value()))

    def open_page(self, name: str, anchor: str = "") -> None:
        """Go to a page, and to one of its headings."""
        if self._here.page:
            self._back.append(self._here._replace(down=self.text.verticalScrollBar().value()))
        self._forward.clear()
        self._show(Place(name, anchor))

    def go_back(self) -> None:
        """Go to the page that was shown before."""
        self._step(self._back, self._forward)

    def go_forward(self) -> None:
        """Go on to the page that was come back from."""
        self._step(self._forward, self._back)

    def _step(self, take: list[Place], keep: list[Place]) -> None:
        if take:
            keep.append(self._here._replace(down=self.text.verticalScrollBar().value()))
            self._show(take.pop())

    def _show(self, place: Place) -> None:
        page = pages().get(place.page) or pages()[INDEX]
        self._here = place._replace(page=page.name)
        self.text.show_page(self._keys.filled(page.text))
        if place.down:
            self.text.verticalScrollBar().setValue(place.down)
        elif place.anchor:
            self.text.go_to(place.anchor)
        self.setWindowTitle(f"{page.title} – Manual of nDCG Desktop")
        self.messages.clear()
        self.back.setEnabled(bool(self._back))
        self.forward.setEnabled(bool(self._forward))
        self._choose(page.name)

    def _choose(self, name: str) -> None:
        """Have a page chosen in the list; it is shown already."""
        self.list.blockSignals(True)
        for row in range(self.list.count()):
            if self.list.item(row).data(NAME) == name:
                self.list.setCurrentRow(row)
        self.list.blockSignals(False)

    def _on_item(self, item: QListWidgetItem | None) -> None:
        if item is not None and (name := item.data(NAME)) and name != self.page:
            self.open_page(name)

    # ---- links

    def _follow(self, url: QUrl) -> None:
        """Go to a page, do what the program does, or ask about what lies outside."""
        name = url.path()
        if url.scheme() == ACTION:
            self.action_wanted.emit(name)
        elif url.scheme() in WEB:
            self._ask(url)
        elif not url.scheme() and (not name or name.endswith(".md")):
            self.open_page(name.removesuffix(".md") or self.page, url.fragment())

    def _ask(self, url: QUrl) -> None:
        address = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        self.messages.tell(
            "note",
            f"This lies outside of the manual, and needs a network: {address}",
            [
                Answer("Open in the browser", lambda: QDesktopServices.openUrl(url)),
                Answer("Copy address", lambda: QGuiApplication.clipboard().setText(address)),
            ],
            key="link",
        )

    # ---- searching

    def _begin_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _on_search(self, words: str) -> None:
        """List the pages that have the words, and mark these."""
        words = words.strip()
        for row in range(self.list.count()):
            item = self.list.item(row)
            name = item.data(NAME)
            item.setHidden(bool(words) and (name is None or not self._has(name, words)))
        self.text.mark(words)

    def _has(self, name: str, words: str) -> bool:
        return words.casefold() in plain(self._keys.filled(pages()[name].text)).casefold()

    def next_place(self) -> None:
        """Go to the next place that has the words, in this page or in another one."""
        words = self.search.text().strip()
        if not words or self.text.next_place():
            return
        names = [page for page in pages() if self._has(page, words)]
        if not names:
            self.messages.tell("note", f"The manual does not have “{words[:80]}”.", key="search")
            return
        later = names[names.index(self.page) + 1 :] if self.page in names else names
        self.open_page((later or names)[0])
        self.text.mark(words)
        self.text.next_place()

    def _leave(self) -> None:
        """Give up a search, or else close the window."""
        if self.search.hasFocus() and self.search.text():
            self.search.clear()
        else:
            self.close()

    # ---- Qt's events

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.text.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._preferences.set_layout(LAYOUT, self.saveGeometry())
        super().closeEvent(event)


def _heading(text: str, window: QWidget) -> QListWidgetItem:
    """An entry that parts the list, and cannot be chosen."""
    item = QListWidgetItem(text)
    font = window.font()
    font.setBold(True)
    item.setFont(font)
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item


def _button(name: str, text: str, key: str, act: Callable[[], object]) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setToolTip(f"{text} ({key})")
    button.setAutoDefault(False)
    button.clicked.connect(lambda: act())
    return button
