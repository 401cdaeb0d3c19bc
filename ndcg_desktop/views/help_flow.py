"""Help: the manual at the page for what is seen, and *What's this*."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QWhatsThis, QWidget

from ndcg_desktop.session.preferences import Preferences
from ndcg_desktop.views.judge_keys import keys_of
from ndcg_desktop.views.whats_this import explain, text_for

# Imported when the manual is first opened, not before the first paint.
if TYPE_CHECKING:
    from ndcg_desktop.views.actions import Actions
    from ndcg_desktop.views.manual_pages import Keys
    from ndcg_desktop.views.manual_window import ManualWindow

PAGES = {
    "entryDialog": "opening",
    "importPage": "opening",
    "report": "opening",
    "history": "saving",
    "optionsDialog": "scoring",
    "queueDialog": "judge",
    "scaleDialog": "judge",
    "judgesDialog": "judges",
    "recordDialog": "judges",
    "rankingsDialog": "compare",
    "keysDialog": "keys",
    "classroom": "classroom",
}
"""The page of the manual about each dialog and panel, by its object name; about the pages of the
window there is one of the same name.
"""
GLOSSARY = "glossary"
HELPED = "helped"
"""Property of a dialog whose F1 opens the manual."""
BUSY = "A dialog waits for an answer. Close it first."
BELOW = 40
"""Pixels below the top of a control that its explanation stands at most."""


class HelpFlow(QObject):
    """Opens the manual, and tells what a control is. ``seen`` gives the page about the window as it
    is arranged.
    """

    def __init__(
        self, window: QMainWindow, preferences: Preferences, seen: Callable[[], str]
    ) -> None:
        super().__init__(window)
        self._window, self._preferences, self._seen = window, preferences, seen

    def take_actions(self, actions: Actions) -> None:
        """The actions, whose keys the manual names."""
        self._actions = actions
        actions.whats_this.installEventFilter(self)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)

    # ---- the manual

    def open_manual(self) -> None:
        """Open the manual at the page for what is seen."""
        self.open_page(self.page_for(QApplication.focusWidget()))

    def open_glossary(self) -> None:
        """Open the manual at the glossary."""
        self.open_page(GLOSSARY)

    def page_for(self, part: QWidget | None) -> str:
        """The page about the dialog or the panel that a control is in, else about what is seen."""
        while part is not None:
            if part.objectName() in PAGES:
                return PAGES[part.objectName()]
            part = part.parentWidget()
        return self._seen()

    def open_page(self, name: str) -> None:
        """Open the manual. For a dialog that waits for an answer it is a window of the dialog: that
        of the main window could not be used before the dialog is closed.
        """
        manual = self._manual_of(QApplication.activeModalWidget() or self._window)
        manual.open_page(name)
        manual.show()
        manual.raise_()
        manual.activateWindow()

    def _manual_of(self, host: QWidget) -> ManualWindow:
        from ndcg_desktop.views.manual_window import ManualWindow

        manual = next((each for each in host.children() if isinstance(each, ManualWindow)), None)
        if manual is None:
            manual = ManualWindow(self._keys(), self._preferences, host)
            manual.action_wanted.connect(self._act)
            if isinstance(host, QDialog):
                host.finished.connect(manual.close)
        else:
            manual.take_keys(self._keys())
        return manual

    def _keys(self) -> Keys:
        from ndcg_desktop.views.manual_pages import Keys

        return Keys(self._actions.all, keys_of(self._preferences))

    def _act(self, name: str) -> None:
        """Do what a link in the manual asks for, unless a dialog waits for its answer."""
        action = getattr(self._actions, name, None)
        modal = QApplication.activeModalWidget()
        if modal is not None:
            self._manual_of(modal).messages.tell("note", BUSY)
        elif isinstance(action, QAction):
            action.trigger()
            self._manual_of(self._window).take_keys(self._keys())  # they may have been changed

    def shut_down(self) -> None:
        """Close the manual, which remembers its size."""
        for child in self._window.children():
            if isinstance(child, QWidget) and child.objectName() == "manual":
                child.close()

    # ---- What's this

    def ask(self) -> None:
        """Wait for a click, and tell what was clicked on."""
        explain(self._window)
        QWhatsThis.enterWhatsThisMode()

    def tell_focus(self) -> bool:
        """Tell what the control is that has the focus; False where nothing is known of it."""
        widget = QApplication.focusWidget()
        if widget is None or not (text := text_for(widget)):
            return False
        QWhatsThis.showText(
            widget.mapToGlobal(QPoint(8, min(widget.height(), BELOW))), text, widget
        )
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The key of *What's this* tells of the focus, where the menu asks for a click."""
        return event.type() == QEvent.Type.Shortcut and self.tell_focus()

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        """What is met for the first time gets its texts, and a dialog the keys of help."""
        if now is None or now.whatsThis() or not text_for(now):
            return
        window = now.window()
        explain(window)
        if isinstance(window, QDialog) and not window.property(HELPED):
            window.setProperty(HELPED, True)
            for action, act in (
                (self._actions.manual, self.open_manual),
                (self._actions.whats_this, self.tell_focus),
            ):
                QShortcut(QKeySequence(action.shortcut()), window, act)
