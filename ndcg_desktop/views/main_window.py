"""The main window: actions, toolbar, the queries, the page, and the bar for messages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QEvent, Qt
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
)
from PySide6.QtWidgets import (
    QApplication,
    QMainWindow,
    QSplitter,
    QStackedWidget,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.comparison import candidate_of
from ndcg_desktop.evaluation.places import place_of
from ndcg_desktop.evaluation.scale import count_off_scale
from ndcg_desktop.resources import Example, examples
from ndcg_desktop.session.chronicle import Chronicle
from ndcg_desktop.session.evaluation_files import EvaluationFiles
from ndcg_desktop.session.session import Session
from ndcg_desktop.session.sitting import Sitting
from ndcg_desktop.views.actions import make_actions
from ndcg_desktop.views.comparing_flow import PAGES, ComparingFlow
from ndcg_desktop.views.controls import heading
from ndcg_desktop.views.explaining_flow import ExplainingFlow
from ndcg_desktop.views.exporting import Exporting
from ndcg_desktop.views.fitting import FRAME
from ndcg_desktop.views.help_flow import HelpFlow
from ndcg_desktop.views.job_progress import JobProgress
from ndcg_desktop.views.judging_flow import JudgingFlow
from ndcg_desktop.views.loading_flow import LoadingFlow
from ndcg_desktop.views.menus import Menus
from ndcg_desktop.views.message_bar import Answer, MessageBar
from ndcg_desktop.views.options_dialog import OptionsDialog
from ndcg_desktop.views.queries_panel import QueriesPanel
from ndcg_desktop.views.ranking_page import RankingPage
from ndcg_desktop.views.report_panel import ReportPanel
from ndcg_desktop.views.saving_flow import SavingFlow
from ndcg_desktop.views.scoring_bar import ScoringBar
from ndcg_desktop.views.start_page import StartPage
from ndcg_desktop.views.theme import apply_theme
from ndcg_desktop.views.zoom import apply_zoom, next_step

# Made when they are first wanted, not before the first paint.
if TYPE_CHECKING:
    from ndcg_desktop.views.history_panel import HistoryPanel
    from ndcg_desktop.views.judge_page import JudgePage

WIDE_LIST = 0.34
"""Part of the window that the list of queries takes at first while rankings are compared."""
HIDDEN = "Scores are hidden. View → Hide scores shows them again."
ONE_ROW = 1240
"""Width of a window that has room for all tools in one row."""


class MainWindow(QMainWindow):
    """Shows a session; every change goes through it."""

    def __init__(
        self,
        session: Session,
        chronicle: Chronicle,
        sitting: Sitting,
        evaluations: EvaluationFiles,
    ) -> None:
        super().__init__()
        self.session, self.chronicle, self.sitting = session, chronicle, sitting
        self.evaluations = evaluations
        self.setObjectName("mainWindow")
        self.setWindowTitle("nDCG Desktop[*]")
        self.setAcceptDrops(True)
        self._fit_screen()
        self._ranking: int | None = None
        self._query: int | None = None
        self._wide = False
        self._widths: dict[bool, list[int]] = {}
        """What the list and the page had of the width, while rankings were compared, and else."""
        self._shown, self._shown_key = ("", ""), ""
        self.messages = MessageBar()
        self.loading = LoadingFlow(session, self.messages, self, self.show_report)
        self.saving = SavingFlow(session, evaluations, self.messages, self)
        self.exporting = Exporting(session, self.messages, self)
        self.comparing = ComparingFlow(
            session, self, self.loading.choose_files, lambda: self._report_comparison()
        )
        self.explaining = ExplainingFlow(session, self)
        self._scores_hidden = False
        self.judging = JudgingFlow(session, chronicle, sitting, self.messages, self)
        self.help = HelpFlow(self, session.preferences, self._seen)
        self._create_actions()
        self._lay_out()
        self._create_menus()
        self._create_toolbars()
        self._create_status()
        self._connect()
        self._restore_layout()
        self._on_replaced()

    # ---- making it

    def _fit_screen(self) -> None:
        """1280 × 800, or what the screen has room for beside the window's own frame."""
        room = self.screen().availableGeometry()
        self.resize(min(1280, room.width() - FRAME[0]), min(800, room.height() - FRAME[1]))

    def _create_actions(self) -> None:
        self.do = make_actions(
            self,
            self.session.undo_stack,
            {
                "new": self.loading.enter_by_hand,
                "open": self.loading.choose_files,
                "save": self.saving.save,
                "save_as": self.saving.save_as,
                "save_evaluation": self.saving.save_evaluation,
                "export": self._export,
                "close": self.saving.close_document,
                "quit": self.close,
                "copy": lambda: self.page.table.copy(),
                "paste": lambda: self.page.table.paste(),
                "fill_down": lambda: self.page.table.fill_down(),
                "clear_grades": lambda: self.page.table.clear_grades(),
                "copy_chart": self._copy_chart,
                "options": self._choose_options,
                "next_query": self._next_query,
                "previous_query": lambda: self.queries.step(-1),
                "filter": lambda: self.queries.filter.setFocus(),
                "reading": self.loading.show_reading,
                "report": self._toggle_report,
                "judge": lambda: self.arrange("judge"),
                "review": lambda: self.arrange("review"),
                "explain": lambda: self.arrange("explain"),
                "compare": lambda: self.arrange("compare"),
                "classroom": self.explaining.open_classroom,
                "hide_scores": lambda: self.hide_scores(not self._scores_hidden),
                "zoom_in": lambda: self._zoom(1),
                "zoom_out": lambda: self._zoom(-1),
                "zoom_normal": lambda: self._zoom(0),
                "summary": lambda: self.arrange("summary"),
                "rankings": self.comparing.choose_rankings,
                "report_comparison": self._report_comparison,
                "queue": self.judging.choose_queue,
                "scale": self.judging.choose_scale,
                "judges": self.judging.show_judges,
                "history": self._toggle_history,
                "record": self.judging.show_record,
                "manual": self.help.open_manual,
                "whats_this": self.help.ask,
                "glossary": self.help.open_glossary,
                "keys": self._show_keys,
                "about": self._about,
            },
        )
        self.help.take_actions(self.do)

    def _lay_out(self) -> None:
        self.queries = QueriesPanel()
        self.page = RankingPage()
        self.start = StartPage(
            [self.do.open, self.do.new], examples(), self.open_example, self.open_paths
        )
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.queries.setMinimumWidth(230)
        self.splitter.addWidget(self.queries)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.page)
        self.comparing.take_pages(self.pages)
        self.explaining.take_pages(self.pages)
        self.hidden = heading(HIDDEN)
        self.hidden.setObjectName("scoresHidden")
        self.hidden.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hidden.setWordWrap(True)
        self.pages.addWidget(self.hidden)
        self.splitter.addWidget(self.pages)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([290, 990])
        self.stack = QStackedWidget()
        self.stack.addWidget(self.start)
        self.stack.addWidget(self.splitter)
        centre = QWidget()
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        holder = QVBoxLayout()
        holder.setContentsMargins(8, 4, 8, 0)
        holder.addWidget(self.messages)
        layout.addLayout(holder)
        layout.addWidget(self.stack, 1)
        self.setCentralWidget(centre)
        self.report = ReportPanel(self.session, self)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.report)
        self.report.hide()

    @cached_property
    def judge_page(self) -> JudgePage:
        """The Judge page, made when it is first wanted: the first paint does not wait for it."""
        from ndcg_desktop.views.judge_page import JudgePage

        page = JudgePage(self.session, self.sitting)
        self.stack.addWidget(page)
        page.scale_wanted.connect(self.judging.choose_scale)
        page.queue_wanted.connect(self.judging.choose_queue)
        page.judges_wanted.connect(self.judging.show_judges)
        page.review_wanted.connect(lambda: self.arrange("review"))
        page.link_wanted.connect(self.judging.open_link)
        page.problem.connect(lambda text: self.messages.tell("warning", text, key="g"))
        page.told.connect(self.statusBar().showMessage)
        self.sitting.moved.connect(self._hide_scores)
        return page

    @cached_property
    def history(self) -> HistoryPanel:
        """The history, made when it is first wanted."""
        from ndcg_desktop.views.history_panel import HistoryPanel

        history = HistoryPanel(self.session, self.chronicle, self)
        history.place_wanted.connect(self._go_to_document)
        if not self.restoreDockWidget(history):
            self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, history)
        history.hide()
        history.set_ranking(self._shown[0])
        return history

    @property
    def _judges(self) -> bool:
        """Whether the Judge page is seen."""
        return "judge_page" in self.__dict__ and self.stack.currentWidget() is self.judge_page

    def _create_menus(self) -> None:
        self.menus = Menus(
            self.menuBar(),
            self.do,
            self.session.preferences,
            self.open_example,
            self.open_paths,
            self._set_theme,
        )
        self.page.table.addActions(self.do.of_grades)
        self.page.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def _create_toolbars(self) -> None:
        files = self._toolbar("File and undo", "toolbar")
        files.addActions([self.do.open, self.do.save])
        for text, action in (("Undo", self.do.undo), ("Redo", self.do.redo)):
            # The action's own text names the whole change: too long for a button.
            button = QToolButton()
            button.setText(text)
            button.setObjectName(f"button{text}")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(action.trigger)
            action.changed.connect(lambda b=button, a=action: _follow(b, a))
            _follow(button, action)
            files.addWidget(button)
        if self.width() < ONE_ROW:
            self.addToolBarBreak()
        scoring = self.scoring_toolbar = self._toolbar("Scoring", "scoringBar")
        self.scoring = ScoringBar()
        scoring.addWidget(self.scoring)
        scoring.addActions([self.do.options, self.do.export])
        for bar, action in (
            (files, self.do.open),
            (files, self.do.save),
            (scoring, self.do.options),
            (scoring, self.do.export),
        ):
            bar.widgetForAction(action).setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def _toolbar(self, title: str, name: str) -> QToolBar:
        bar = QToolBar(title)
        bar.setObjectName(name)
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.addToolBar(bar)
        return bar

    def _create_status(self) -> None:
        session = self.session
        for jobs, name, can_cancel in (
            (session.jobs, "load", True),
            (session.exports, "export", True),
            (session.saves, "save", False),
        ):
            self.statusBar().addPermanentWidget(JobProgress(jobs, name, can_cancel))

    def _connect(self) -> None:
        session = self.session
        session.replaced.connect(self._on_replaced)
        session.options_changed.connect(self._on_options)
        session.lineup_changed.connect(self._on_lineup)
        session.scale_changed.connect(self._on_scale)
        session.queries_rescored.connect(self._on_rescored)
        session.revealed.connect(self._on_revealed)
        session.undo_stack.cleanChanged.connect(self._show_title)
        self.evaluations.changed.connect(self._show_title)
        session.saved.connect(lambda _: self._show_title())
        session.save_refused.connect(lambda _: self._show_title())
        session.failed.connect(self.show_failure)
        self.report.row_wanted.connect(self._go_to)
        self.scoring.chosen.connect(session.set_options)
        self.queries.query_chosen.connect(self._on_query)
        self.queries.ranking_chosen.connect(self._on_ranking)
        self.comparing.candidate_chosen.connect(self._choose_ranking)
        self.comparing.query_wanted.connect(self._show_query)
        self.explaining.hide_scores.connect(self.hide_scores)
        self.comparing.picture_wanted.connect(self.exporting.save_picture)
        self.page.model.grades_wanted.connect(self._on_grades)
        self.page.model.rejected.connect(lambda text: self.messages.tell("warning", text, key="g"))
        self.page.table.filled.connect(self.statusBar().showMessage)
        QGuiApplication.styleHints().colorSchemeChanged.connect(
            lambda _: self._set_theme(self.session.preferences.theme)
        )

    # ---- what other programs call

    def open_paths(self, paths: Sequence[str | Path]) -> None:
        """Open files, as if they were dropped on the window."""
        self.loading.open_paths([Path(path) for path in paths])

    def open_example(self, example: Example) -> None:
        """Open one of the program's own examples."""
        self.session.open_example(example)

    def take_chart(self) -> None:
        """Make the chart; its library was imported after the first paint."""
        from ndcg_desktop.views.chart_view import ChartView

        chart = ChartView()
        chart.addActions([self.do.copy_chart, self.do.export])
        chart.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.page.set_chart(chart)
        self.judging.tell_left_behind()

    # ---- following the session

    def _on_replaced(self) -> None:
        evaluation = self.session.evaluation
        self.messages.clear()
        names = [ranking.name for ranking in evaluation.rankings] if evaluation else []
        queries = evaluation.queries if evaluation else []
        # The same files read in another way: the next digit must not land on another query.
        self._ranking = _place_of(self._shown[0], names)
        self._query = _place_of(self._shown[1], queries)
        self.queries.show_rankings(names, self._ranking or 0)
        self.queries.filter.clear()
        self.scoring.show_options(self.session.options)
        self.start.show_recent(self.session.preferences.recent)
        self._show_all()
        self._enable()
        self._show_title()
        self.loading.tell_findings()
        self.report.show_findings()
        self.arrange(self.session.preferences.layout_name if evaluation else "")

    def arrange(self, name: str) -> None:
        """Arrange the window to "judge", "review" or "explain"; "" is the start page."""
        if name:
            self.session.preferences.layout_name = name
            getattr(self.do, name).setChecked(True)
        shown = self.judge_page if name == "judge" else self.splitter if name else self.start
        self.stack.setCurrentWidget(shown)
        self.queries.setVisible(name not in ("explain", "summary"))
        self._share_width(wide=name == "compare")
        if self._scores_hidden and name in (*PAGES, "explain"):
            self.pages.setCurrentWidget(self.hidden)
        elif name in PAGES:
            self.comparing.arrange(name)
        elif name == "explain":
            self.explaining.arrange()
        else:
            self.pages.setCurrentWidget(self.page)
        self.scoring_toolbar.setVisible(name != "judge")
        self._hide_scores()
        if name in ("review", "explain"):
            self.page.refresh()  # it was not kept up to date while it was not seen
            self.page.table.setFocus()

    def _share_width(self, wide: bool) -> None:
        """The list of queries has a column for each ranking while rankings are compared."""
        if wide != self._wide:
            self._widths[self._wide] = self.splitter.sizes()
            self._wide = wide
        self.queries.arrange(wide)
        if wide in self._widths:
            self.splitter.setSizes(self._widths[wide])
        elif wide:
            room = self.splitter.width()
            self.splitter.setSizes([int(room * WIDE_LIST), int(room * (1 - WIDE_LIST))])

    def _show_all(self) -> None:
        evaluation, decimals = self.session.evaluation, self.session.decimals
        self._note_place()
        self.queries.model.show(evaluation, self._ranking, decimals)
        self.queries.show_choices()
        self.queries.show_mean(evaluation, self._ranking, decimals)
        self.page.show_query(evaluation, self._query, self._ranking, decimals)
        self.comparing.show(self._candidate, self._query)
        self.explaining.show(self._query, self._ranking)
        if self._query is not None:
            self.queries.select(self._query)

    @property
    def _candidate(self) -> int | None:
        """What is compared with the baseline."""
        evaluation = self.session.evaluation
        return None if evaluation is None else candidate_of(evaluation, self._ranking)

    def _on_lineup(self) -> None:
        """Rankings have other names, places or colours, or others take part."""
        evaluation = self.session.evaluation
        assert evaluation is not None
        names = [ranking.name for ranking in evaluation.rankings]
        key = self._shown_key
        keys = [each.key for each in evaluation.lineup.taking_part]
        self._ranking = keys.index(key) if key in keys else 0 if names else None
        self.queries.show_rankings(names, self._ranking or 0)
        self._show_all()

    def _on_options(self) -> None:
        self.scoring.show_options(self.session.options)
        row = self.page.table.currentIndex().row()
        self._show_all()
        if 0 <= row < self.page.model.rowCount():
            self.page.table.select_row(row)
        self._show_title()

    def _on_scale(self) -> None:
        """Grades that another scale does not have are findings."""
        self.report.show_findings()
        evaluation, session = self.session.evaluation, self.session
        chosen = evaluation is not None and session.scale_is_chosen
        odd = count_off_scale(evaluation, session.scale) if evaluation and chosen else 0
        if odd:
            text = "1 grade is" if odd == 1 else f"{odd:,} grades are"
            answers = [Answer("Show", self.show_report)]
            self.messages.tell("warning", f"{text} not on this scale.", answers, key="scale")
        else:
            self.messages.dismiss("scale")

    def _on_rescored(self, queries: set[int]) -> None:
        self.queries.model.refresh(queries)
        self.queries.show_mean(self.session.evaluation, self._ranking, self.session.decimals)
        self.comparing.show(self._candidate, self._query)
        self.explaining.show(self._query, self._ranking)
        if self._query in queries and self.stack.currentWidget() is self.splitter:
            self.page.refresh()

    def _on_revealed(self, query: int, documents: list[str]) -> None:
        """Go to what undo or redo has changed: the next digit must not land elsewhere."""
        if query != self._query:
            self.queries.show_all_queries()
            self.queries.select(query)
        rows = self.page.model.rows
        changed = set(documents)
        places = (
            []
            if rows is None
            else [row for row, document in enumerate(rows.documents) if document in changed]
        )
        if places:
            self.page.table.select_rows(places)

    def _go_to(self, finding: Finding) -> None:
        """Go to the document that a finding is about, in the ranking that has it."""
        evaluation = self.session.evaluation
        place = None if evaluation is None else place_of(evaluation, finding)
        if place is None:
            self.statusBar().showMessage("This row was left out, so it is shown nowhere.", 6000)
            return
        if place.ranking is not None and place.ranking != self._ranking:
            self._choose_ranking(place.ranking)
        self._on_revealed(place.query, [place.document])

    def _toggle_report(self) -> None:
        self.report.setVisible(not self.report.isVisible())
        if self.report.isVisible():
            self.report.tree.setFocus()

    def _toggle_history(self) -> None:
        self.history.setVisible(not self.history.isVisible())
        if self.history.isVisible():
            self._hide_scores()
            self.history.take_focus()

    def _go_to_document(self, query: str, document: str) -> None:
        """Go to a document that the history names."""
        evaluation = self.session.evaluation
        if evaluation is not None and query in evaluation.queries:
            if self._judges:
                self.arrange("review")
            self._on_revealed(evaluation.queries.index(query), [document])

    def show_report(self) -> None:
        """Show the import report below the page."""
        self.report.show()
        self.report.raise_()
        self.report.tree.setFocus()

    def _on_query(self, query: int) -> None:
        if query != self._query:
            self._query = query
            self._note_place()
            self.page.show_query(
                self.session.evaluation, query, self._ranking, self.session.decimals
            )
            self.comparing.show_query(query)
            self.explaining.show(query, self._ranking)

    def _show_query(self, query: int) -> None:
        """Go to a query, whatever the list shows."""
        if self.queries.model.row_of(query) is None:
            self.queries.show_all_queries()
        self.queries.select(query)

    def _note_place(self) -> None:
        """Remember by name which ranking and query are shown."""
        evaluation = self.session.evaluation
        if evaluation is None:
            self._shown, self._shown_key = ("", ""), ""
            return
        part = evaluation.lineup.taking_part
        self._shown_key = "" if self._ranking is None else part[self._ranking].key
        ranking = "" if self._ranking is None else evaluation.rankings[self._ranking].name
        if "history" in self.__dict__:
            self.history.set_ranking(ranking)
        query = "" if self._query is None else evaluation.queries[self._query]
        self._shown = (ranking, query)

    def _seen(self) -> str:
        """The page that is seen: one of LAYOUTS, or "start"."""
        started = self.stack.currentWidget() is self.start
        return "start" if started else self.session.preferences.layout_name

    def _hide_scores(self) -> None:
        """Who judges blindly does not see what a grade does to the score."""
        if "history" in self.__dict__:
            blind = self._judges and self.session.preferences.blind
            self.history.set_blind(blind or self._scores_hidden)

    def _next_query(self) -> None:
        if self._judges:
            self.judge_page.next_query()
        else:
            self.queries.step(1)

    def _choose_ranking(self, ranking: int) -> None:
        self.queries.rankings.setCurrentIndex(ranking)
        self._on_ranking(ranking)

    def _on_ranking(self, ranking: int) -> None:
        self._ranking = ranking
        self._show_all()

    def _on_grades(self, grades: list[tuple[str, float | None]]) -> None:
        assert self._query is not None
        for _, grade in grades:
            if grade is not None and (why := self.session.refused(grade)):
                self.messages.tell("warning", why, key="g")
                break
        else:
            self.messages.dismiss("g")
        self.session.set_grades(self._query, grades)

    def _enable(self) -> None:
        evaluation = self.session.evaluation
        for action in self.do.of_data:
            action.setEnabled(evaluation is not None)
        for action in self.do.of_scores:
            action.setEnabled(evaluation is not None and not self._scores_hidden)
        self.scoring.setEnabled(evaluation is not None)

    def _show_title(self, _: object = None) -> None:
        name = self.evaluations.title or self.session.title
        self.setWindowTitle(f"{name}[*] – nDCG Desktop" if name else "nDCG Desktop[*]")
        self.setWindowModified(self.session.modified or self.evaluations.modified)

    # ---- failures

    def show_failure(self, error: BaseException) -> None:
        """The one place where what went wrong is shown."""
        from ndcg_desktop.views.failures import failure_message

        text, report = failure_message(error)
        answers = []
        if report:
            answers.append(
                Answer("Copy report", lambda: QGuiApplication.clipboard().setText(report))
            )
        self.messages.tell("error", text, answers)

    # ---- actions

    def _choose_options(self) -> None:
        evaluation = self.session.evaluation
        given = evaluation is not None and evaluation.has_given_ideal
        dialog = OptionsDialog(self.session.options, self.session.decimals, given, self)
        if dialog.exec():
            self.session.set_options(dialog.chosen())
            self.session.set_decimals(dialog.decimals.value())

    def _export(self) -> None:
        self.exporting.choose(self._query, self._ranking, self.page)

    def _report_comparison(self) -> None:
        self.exporting.choose_comparison(self._candidate, self.comparing)

    def _show_keys(self) -> None:
        self.judging.show_keys(self.do.all, self.judge_page)

    def _copy_chart(self) -> None:
        chart: Any = self.comparing.chart or self.explaining.chart or self.page.chart
        if chart is not None:
            chart.copy_picture()
            self.statusBar().showMessage("Chart copied.", 4000)

    def hide_scores(self, hidden: bool) -> None:
        """Show no score, for a class that is to find it, or show them again."""
        self._scores_hidden = hidden
        self.do.hide_scores.setChecked(hidden)
        if "classroom" in self.explaining.__dict__:
            self.explaining.classroom.hiding.setChecked(hidden)
        self.page.hide_scores(hidden)
        self.queries.hide_scores(hidden)
        self._enable()
        if self.session.evaluation is not None:
            self.arrange(self.session.preferences.layout_name)

    def _zoom(self, by: int) -> None:
        preferences, application = self.session.preferences, QApplication.instance()
        assert isinstance(application, QApplication)
        preferences.zoom = next_step(preferences.zoom, by)
        apply_zoom(application, preferences.zoom)
        self.statusBar().showMessage(f"Zoom {preferences.zoom} %", 3000)

    def _set_theme(self, theme: str) -> None:
        self.session.preferences.theme = theme
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        apply_theme(application, theme)
        # A style sheet that is set anew gives widgets the letters that they had at first.
        apply_zoom(application, self.session.preferences.zoom)

    def _about(self) -> None:
        from ndcg_desktop.views.about import show_about

        show_about(self)

    # ---- Qt's events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = _dropped(event)
        if paths:
            event.acceptProposedAction()
            self.open_paths(paths)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.chronicle.presence.look()  # a run that was killed tells nobody

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.saving.may_leave(self.close):
            self._save_layout()
            self.help.shut_down()
            self.chronicle.leave()  # what is not saved was asked about
            self.judging.shut_down()
            self.session.shut_down()
            event.accept()
        else:
            event.ignore()

    def _parts_with_layout(self) -> dict[str, QSplitter]:
        return {"splitter": self.splitter, "page": self.page.splitter}

    def _save_layout(self) -> None:
        preferences = self.session.preferences
        preferences.set_layout("window", self.saveGeometry())
        for name, splitter in self._parts_with_layout().items():
            preferences.set_layout(name, splitter.saveState())
        preferences.set_layout("docks", self.saveState())

    def _restore_layout(self) -> None:
        preferences = self.session.preferences
        if (geometry := preferences.layout("window")) is not None:
            self.restoreGeometry(geometry)
        for name, splitter in self._parts_with_layout().items():
            if (state := preferences.layout(name)) is not None:
                splitter.restoreState(QByteArray(state))
        if (state := preferences.layout("docks")) is not None:
            self.restoreState(state)


def _place_of(name: str, names: Sequence[str]) -> int | None:
    """Where a name stands, else the first place; None where there is none."""
    return names.index(name) if name in names else 0 if names else None


def _follow(button: QToolButton, action: QAction) -> None:
    """A button shows whether its action can be done, and names it in full."""
    button.setEnabled(action.isEnabled())
    text = action.text().replace("&&", "\0").replace("&", "").replace("\0", "&")
    button.setToolTip(text)
    button.setAccessibleName(text)


def _dropped(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
