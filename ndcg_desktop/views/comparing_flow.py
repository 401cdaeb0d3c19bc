"""Comparing rankings: the pages for it, which are made when they are first wanted, and dialogs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow, QStackedWidget

from ndcg_desktop.session.session import Session

if TYPE_CHECKING:
    from ndcg_desktop.session.comparing import Comparing
    from ndcg_desktop.views.compare_page import ComparePage
    from ndcg_desktop.views.drawn_view import DrawnView
    from ndcg_desktop.views.summary_page import SummaryPage

PAGES = ("compare", "summary")


class ComparingFlow(QObject):
    """Shows the Compare and the Summary page among the other pages of the window."""

    candidate_chosen = Signal(int)
    query_wanted = Signal(int)
    picture_wanted = Signal(object)  # a chart that is to be written to a file

    def __init__(
        self,
        session: Session,
        window: QMainWindow,
        add_files: Callable[[], object],
        report: Callable[[], object],
    ) -> None:
        super().__init__(window)
        self._session, self._window = session, window
        self._add_files, self._report = add_files, report
        self._pages: QStackedWidget | None = None
        self._place: tuple[int | None, int | None] = (None, None)

    def take_pages(self, pages: QStackedWidget) -> None:
        """Where the pages are to be shown."""
        self._pages = pages

    @cached_property
    def comparing(self) -> Comparing:
        """What is computed about the rankings."""
        from ndcg_desktop.session.comparing import Comparing

        return Comparing(self._session)

    @cached_property
    def page(self) -> ComparePage:
        """The Compare page."""
        from ndcg_desktop.views.compare_page import ComparePage

        page = ComparePage(self._session, self.comparing)
        page.candidate_chosen.connect(self.candidate_chosen)
        page.query_wanted.connect(self.query_wanted)
        page.rankings_wanted.connect(self.choose_rankings)
        page.ranking_wanted.connect(self._add_files)
        page.report_wanted.connect(self._report)
        page.picture_wanted.connect(self.picture_wanted)
        self._add(page)
        return page

    @property
    def group(self) -> str:
        """The column of groups that subtotals are shown of, empty for none."""
        return self.page.chosen_group if "page" in self.__dict__ else ""

    @property
    def chart(self) -> DrawnView | None:
        """The chart that is worked with, where the Compare page is seen."""
        return self.page.chart if self._sees("page") else None

    @cached_property
    def summary(self) -> SummaryPage:
        """The Summary page."""
        from ndcg_desktop.views.summary_page import SummaryPage

        page = SummaryPage(self._session, self.comparing)
        page.report_wanted.connect(self._report)
        self._add(page)
        return page

    def _add(self, page: ComparePage | SummaryPage) -> None:
        assert self._pages is not None
        self._pages.addWidget(page)

    def arrange(self, name: str) -> None:
        """Show a page, one of PAGES."""
        assert self._pages is not None
        self._pages.setCurrentWidget(self.page if name == "compare" else self.summary)
        self._refresh()

    def show(self, candidate: int | None, query: int | None) -> None:
        """Compare a ranking with the baseline, and show a query of both, where a page is seen."""
        self._place = candidate, query
        self._refresh()

    def show_query(self, query: int | None) -> None:
        """Show another query of both, where the page is seen."""
        self._place = self._place[0], query
        if self._sees("page"):
            self.page.show_query(query)

    def _sees(self, name: str) -> bool:
        """Whether a page is made, and seen: not, while the window shows the Judge page."""
        return name in self.__dict__ and getattr(self, name).isVisible()

    def _refresh(self) -> None:
        if self._sees("page"):
            self.page.show_comparison(*self._place)
        if self._sees("summary"):
            self.summary.refresh()

    def choose_rankings(self) -> None:
        """Name, colour, order and take out rankings, and choose the baseline."""
        from ndcg_desktop.views.rankings_dialog import RankingsDialog

        dialog = RankingsDialog(self._session, self._window)

        def add() -> None:
            dialog.accept()
            self._add_files()

        dialog.add_wanted.connect(add)
        dialog.exec()
