"""Explaining and teaching: the Explain page, the classroom, scores hidden for a class."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow, QStackedWidget

from ndcg_desktop.session.session import Session

if TYPE_CHECKING:
    from ndcg_desktop.views.classroom_dialog import ClassroomDialog
    from ndcg_desktop.views.drawn_view import DrawnView
    from ndcg_desktop.views.explain_page import ExplainPage


class ExplainingFlow(QObject):
    """Makes the page and the dialog when they are first wanted, and keeps them up to date."""

    hide_scores = Signal(bool)  # whether no score is to be shown

    def __init__(self, session: Session, window: QMainWindow) -> None:
        super().__init__(window)
        self._session, self._window = session, window
        self._pages: QStackedWidget | None = None
        self._place: tuple[int | None, int | None] = (None, None)
        session.replaced.connect(self._show_to_class)

    def take_pages(self, pages: QStackedWidget) -> None:
        """Where the page is to be shown."""
        self._pages = pages

    @cached_property
    def page(self) -> ExplainPage:
        """The Explain page."""
        from ndcg_desktop.views.explain_page import ExplainPage

        page = ExplainPage(self._session)
        page.options_wanted.connect(self._session.set_options)
        assert self._pages is not None
        self._pages.addWidget(page)
        return page

    @cached_property
    def classroom(self) -> ClassroomDialog:
        """The classroom, which stays beside the window."""
        from ndcg_desktop.views.classroom_dialog import ClassroomDialog

        dialog = ClassroomDialog(self._session.export, self._window)
        dialog.hide_scores.connect(self.hide_scores)
        return dialog

    def open_classroom(self) -> None:
        """Show the classroom, about the query that is shown."""
        self.classroom.show_data(self._session.evaluation, self._place[0])
        self.classroom.show()
        self.classroom.raise_()
        self.classroom.activateWindow()

    def _show_to_class(self) -> None:
        if "classroom" in self.__dict__ and self.classroom.isVisible():
            self.classroom.show_data(self._session.evaluation, self._place[0])

    @property
    def chart(self) -> DrawnView | None:
        """The chart that is seen on the page, where that is seen."""
        seen = "page" in self.__dict__ and self.page.isVisible()
        return self.page.seen_chart if seen else None

    def arrange(self) -> None:
        """Show the page."""
        assert self._pages is not None
        self._pages.setCurrentWidget(self.page)
        self._refresh()

    def show(self, query: int | None, ranking: int | None) -> None:
        """Explain a query of a ranking, where the page is seen."""
        self._place = query, ranking
        self._refresh()

    def _refresh(self) -> None:
        # Not while the window shows the Judge page: each of its keys is to answer at once.
        if "page" in self.__dict__ and self.page.isVisible():
            query, ranking = self._place
            session = self._session
            self.page.show_query(session.evaluation, query, ranking, session.decimals)
