"""The menu bar: every action in its place, files opened lately, the arrangements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QMenuBar

from ndcg_desktop.resources import Example, examples
from ndcg_desktop.session.preferences import Preferences
from ndcg_desktop.views.actions import Actions
from ndcg_desktop.views.layouts import LayoutSwitch

THEMES = (("system", "As the &system"), ("light", "&Light"), ("dark", "&Dark"))


class Menus(QObject):
    """Fills a menu bar; what an action does is the window's."""

    def __init__(
        self,
        bar: QMenuBar,
        do: Actions,
        preferences: Preferences,
        open_example: Callable[[Example], None],
        open_paths: Callable[[list[Path]], None],
        set_theme: Callable[[str], None],
    ) -> None:
        super().__init__(bar)
        self._do, self._preferences = do, preferences
        self._open_example, self._open_paths = open_example, open_paths
        self._set_theme = set_theme
        self._fill_file(bar.addMenu("&File"))
        _fill(
            bar.addMenu("&Edit"),
            [do.undo, do.redo],
            [*do.of_grades, do.copy_chart],
            [do.options],
        )
        _fill(bar.addMenu("&Judge"), [do.queue, do.scale, do.judges], [do.history, do.record])
        self._fill_view(bar.addMenu("&View"))
        _fill(
            bar.addMenu("&Help"),
            [do.manual, do.whats_this],
            [do.glossary, do.keys, do.classroom],
            [do.about],
        )
        # The menu bar does not keep it.
        self.layouts = LayoutSwitch(do.of_arrangement)
        bar.setCornerWidget(self.layouts, Qt.Corner.TopRightCorner)

    def _fill_file(self, menu: QMenu) -> None:
        do = self._do
        menu.addActions([do.new, do.open])
        self.recent = menu.addMenu("Open &recent")
        self.recent.aboutToShow.connect(self._fill_recent)
        example_menu = menu.addMenu("E&xamples")
        for example in examples():
            entry = example_menu.addAction(example.title)
            entry.setStatusTip(example.teaches)
            entry.triggered.connect(lambda _=False, e=example: self._open_example(e))
        menu.addSeparator()
        _fill(
            menu,
            [do.save, do.save_as, do.save_evaluation],
            [do.export, do.report_comparison],
            [do.close, do.quit],
        )

    def _fill_view(self, menu: QMenu) -> None:
        do = self._do
        do.hide_scores.setCheckable(True)
        _fill(
            menu,
            do.of_arrangement,
            [do.rankings],
            [do.next_query, do.previous_query, do.filter],
            [do.reading, do.report, do.hide_scores],
            [do.zoom_in, do.zoom_out, do.zoom_normal],
        )
        self._fill_themes(menu.addMenu("&Appearance"))

    def _fill_themes(self, menu: QMenu) -> None:
        group = QActionGroup(self)
        for theme, text in THEMES:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(self._preferences.theme == theme)
            action.triggered.connect(lambda _=False, t=theme: self._set_theme(t))
            group.addAction(action)

    def _fill_recent(self) -> None:
        self.recent.clear()
        for files in self._preferences.recent:
            text = ", ".join(path.name for path in files).replace("&", "&&")
            action = self.recent.addAction(text)
            action.setEnabled(all(path.exists() for path in files))
            action.triggered.connect(lambda _=False, f=files: self._open_paths(f))
        if self.recent.isEmpty():
            self.recent.addAction("Nothing yet").setEnabled(False)


def _fill(menu: QMenu, *groups: list[QAction]) -> None:
    """Add groups of actions with lines between them."""
    for place, group in enumerate(groups):
        if place:
            menu.addSeparator()
        menu.addActions(group)
