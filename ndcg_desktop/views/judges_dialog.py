"""The judges: who they are, how far they agree, and what the rankings score under each of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtGui import QCloseEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTabWidget, QVBoxLayout, QWidget

from ndcg_desktop.evaluation.agreement import Agreement, Confusion, agreements_of, confusion_of
from ndcg_desktop.evaluation.by_judge import RuleScore, scores_by_rule
from ndcg_desktop.session.jobs import Jobs
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.copy_table import CopyTable
from ndcg_desktop.views.fitting import fit
from ndcg_desktop.views.judges_tabs import AgreementTab, JudgesTab, ScoresTab

TOGETHER = 200
"""Milliseconds in which changes are gathered: judging goes on meanwhile."""

SLOW = 300
"""Milliseconds for which figures that are being computed anew stay; a table must not flicker."""


class JudgesDialog(QDialog):
    """Follows the session while it is visible; only the page that is seen is computed.

    Who destroys it calls `shut_down` first.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("judgesDialog")
        self.setWindowTitle("Judges")
        self.setModal(False)
        fit(self, 800, 680)
        self._session = session
        self.judges = JudgesTab(session)
        self.agreement = AgreementTab(session)
        self.scores = ScoresTab(session)
        self._jobs = Jobs(self)
        self._pairs = Jobs(self)
        self._stale: set[QWidget] = set()
        self._computing: QWidget | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(TOGETHER)
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(SLOW)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.setObjectName("judgesTabs")
        self.tabs.setAccessibleName("Parts of this dialog")
        for tab, name in (
            (self.judges, "&Judges"),
            (self.agreement, "&Agreement"),
            (self.scores, "&Scores"),
        ):
            self.tabs.addTab(tab, name)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setAutoDefault(False)  # Return ends the typing of a name, and not the dialog
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.tabs, 1)
        layout.addWidget(buttons)

    def _connect(self) -> None:
        session = self._session
        self._timer.timeout.connect(self._follow)
        self._slow.timeout.connect(self._show_computing)
        self.tabs.currentChanged.connect(lambda _: self._follow())
        self.agreement.pair_changed.connect(self._compare)
        session.replaced.connect(self._on_replaced)
        for signal in (
            session.options_changed,
            session.queries_rescored,
            session.judge_changed,
            session.written,  # of notes as well
        ):
            signal.connect(self._on_changed)

    def is_idle(self) -> bool:
        """Whether everything on the page that is seen is as the session has it."""
        return not self._timer.isActive() and self._jobs.idle and self._pairs.idle

    def shut_down(self) -> None:
        """Give up what is being computed, and wait for the threads: the dialog is about to go."""
        self.judges.shut_down()
        self._end()

    def _end(self) -> None:
        self._give_up()
        self._jobs.wait()
        self._pairs.wait()

    # ---- following the session

    def _on_changed(self, *_: object) -> None:
        """Something is not as it is shown any more."""
        if self.isVisible():
            self._stale |= self._all()
            self._timer.start()

    def _on_replaced(self) -> None:
        """What is being computed is of an evaluation that is not open any more."""
        self._give_up()
        self._clear()
        self._on_changed()

    def _clear(self) -> None:
        for table in (self.agreement.table, self.agreement.confusion, self.scores.table):
            table.texts.show([], [])

    def _all(self) -> set[QWidget]:
        return {self.judges, self.agreement, self.scores}

    def _give_up(self) -> None:
        self._timer.stop()
        self._slow.stop()
        if not self._pairs.idle:
            self._stale.add(self.agreement)
        if self._computing is not None:
            self._stale.add(self._computing)
            self._computing = None
        self._jobs.cancel()
        self._pairs.cancel()

    def _follow(self) -> None:
        """Bring the page that is seen up to date."""
        tab = self.tabs.currentWidget()
        if not self.isVisible() or tab not in self._stale:
            return
        self._give_up()
        self._stale.discard(tab)
        if tab is self.judges:
            self.judges.refresh()
        elif tab is self.agreement:
            self._measure()
        else:
            self._score()

    # ---- computing, on a thread

    def _measure(self) -> None:
        """Compute how far the judges agree."""
        self.agreement.prepare()
        evaluation = self._session.evaluation
        if evaluation is None or evaluation.votes is None:
            self.agreement.show_rows([])
            self.agreement.no_confusion()
            return
        votes, scale = evaluation.votes.frozen(), self._session.scale.grades

        def show(rows: Sequence[Agreement]) -> None:
            self._computing = None
            self.agreement.show_rows(rows)

        self._computing = self.agreement
        self._jobs.run(
            "", lambda ticket: agreements_of(votes, scale, ticket.cancelled), show, self._failed
        )
        self._compare()
        self._wait_for(self.agreement.table)

    def _compare(self) -> None:
        """Count the grades of two judges."""
        evaluation, pair = self._session.evaluation, self.agreement.pair
        self._pairs.cancel()
        if evaluation is None or evaluation.votes is None or pair is None:
            self.agreement.no_confusion()
            return
        votes, scale, (one, other) = evaluation.votes.frozen(), self._session.scale.grades, pair

        def show(found: Confusion) -> None:
            self.agreement.show_confusion(one, other, found)

        self._pairs.run("", lambda _: confusion_of(votes, one, other, scale), show, self._failed)
        self._wait_for(self.agreement.confusion)

    def _score(self) -> None:
        """Compute what the rankings score under each rule and judge."""
        self.scores.prepare()
        evaluation = self._session.evaluation
        if evaluation is None or evaluation.votes is None:
            self.scores.table.texts.show([], [])
            return
        still = evaluation.frozen()

        def show(rows: Sequence[RuleScore]) -> None:
            self._computing = None
            self.scores.show_rows(rows)

        self._computing = self.scores
        self._jobs.run(
            "", lambda ticket: scores_by_rule(still, ticket.cancelled), show, self._failed
        )
        self._wait_for(self.scores.table)

    def _wait_for(self, table: CopyTable) -> None:
        """Say that a table is being computed: at once where it is empty, else if it takes long."""
        if table.texts.rowCount():
            self._slow.start()
        else:
            self._show_computing()

    def _show_computing(self) -> None:
        if self._computing is self.agreement:
            self.agreement.show_computing()
        elif self._computing is self.scores:
            self.scores.show_computing()
        if not self._pairs.idle:
            self.agreement.confusion_computing()

    def _failed(self, error: BaseException) -> None:
        """Show no figures, and say why in the one place where failures are told."""
        self._computing = None
        self._clear()
        self._session.failed.emit(error)

    # ---- Qt's events

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.tabs.currentWidget() is self.judges and not event.spontaneous():
            self.judges.name.setFocus()
        self._stale |= self._all()
        self._follow()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._give_up()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self._end()
