"""What is computed about the rankings in the background: how sure, how fair, under which settings.

Each is made when it is wanted and shown, and made anew when grades, options or rankings change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from ndcg_desktop.session.jobs import Jobs, Ticket

if TYPE_CHECKING:
    from ndcg_desktop.evaluation.comparison import Comparison, Fairness
    from ndcg_desktop.evaluation.evaluation import Evaluation
    from ndcg_desktop.evaluation.sensitivity import Sensitivity
    from ndcg_desktop.evaluation.summary import Summary
    from ndcg_desktop.evaluation.sureness import Sureness
    from ndcg_desktop.session.session import Session

AFTER = 120
"""Milliseconds from a change to its computing: many changes at once are computed once."""

Part = Literal["answer", "strip", "summary"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One candidate beside the baseline. ``sure`` is None where no query is compared."""

    comparison: Comparison
    sure: Sureness | None
    fair: Fairness


class Comparing(QObject):
    """Holds what is known of the chosen comparison; None where that is being computed."""

    changed = Signal(str)  # this part, a Part, is known now, or not any more

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._jobs: dict[Part, Jobs] = {
            "answer": session.hire(),
            "strip": session.hire(),
            "summary": session.hire(),
        }
        self._known: dict[Part, Any] = {}
        self._wanted: set[Part] = set()
        self._candidate: int | None = None
        self._later = QTimer(self, singleShot=True, interval=AFTER)
        self._later.timeout.connect(self._compute)
        for signal in (session.replaced, session.options_changed, session.lineup_changed):
            signal.connect(self._forget)
        session.queries_rescored.connect(lambda _: self._forget())

    # ---- what is known

    @property
    def answer(self) -> Answer | None:
        """How sure and how fair the comparison is."""
        found: Answer | None = self._known.get("answer")
        return found

    @property
    def strip(self) -> Sensitivity | None:
        """The difference under other settings."""
        found: Sensitivity | None = self._known.get("strip")
        return found

    @property
    def summary(self) -> Summary | None:
        """Every ranking under every measure."""
        found: Summary | None = self._known.get("summary")
        return found

    # ---- what is wanted

    def compare(self, candidate: int | None) -> None:
        """Compare another candidate with the baseline."""
        if candidate != self._candidate:
            self._candidate = candidate
            self._forget()

    def want(self, parts: set[Part]) -> None:
        """Compute these parts, and keep them up to date, since they are seen."""
        self._wanted = parts
        if parts - self._known.keys():
            self._later.start()

    def _forget(self) -> None:
        """What is known is not true any more."""
        for jobs in self._jobs.values():
            jobs.cancel()
        parts, self._known = list(self._known), {}
        for part in parts:
            self.changed.emit(part)
        if self._wanted:
            self._later.start()

    def _compute(self) -> None:
        evaluation, candidate = self._session.evaluation, self._candidate
        if evaluation is None or not evaluation.rankings:
            return
        for part in sorted(self._wanted - self._known.keys()):
            if not self._jobs[part].idle or (part != "summary" and candidate is None):
                continue
            work = self._work(part, evaluation.frozen(), candidate or 0)
            self._jobs[part].run("Comparing", work, partial(self._take, part), self._fail)

    def _work(self, part: Part, still: Evaluation, candidate: int) -> Callable[[Ticket], Any]:
        """What is done on a thread: plain functions on an evaluation of its own."""
        if part == "answer":
            return lambda _: _answer(still, candidate)
        if part == "strip":
            return lambda ticket: _strip(still, candidate, ticket)
        return lambda ticket: _summary(still, ticket)

    def _take(self, part: Part, found: Any) -> None:
        if found is not None:
            self._known[part] = found
            self.changed.emit(part)

    def _fail(self, error: BaseException) -> None:
        self._session.failed.emit(error)


def _answer(still: Evaluation, candidate: int) -> Answer:
    from ndcg_desktop.evaluation.comparison import compare, fairness
    from ndcg_desktop.evaluation.sureness import SurenessOptions, all_sureness

    numbers = [each for each in range(len(still.rankings)) if each != still.baseline]
    comparisons = [compare(still, still.baseline, each) for each in numbers]
    options = SurenessOptions(still.lineup.tie, still.lineup.matters)
    sure = all_sureness(comparisons, options)
    place = numbers.index(candidate)
    return Answer(comparisons[place], sure[place], fairness(still, comparisons[place]))


def _strip(still: Evaluation, candidate: int, ticket: Ticket) -> Sensitivity | None:
    from ndcg_desktop.evaluation.sensitivity import sensitivity

    return sensitivity(still, still.baseline, candidate, ticket.cancelled)


def _summary(still: Evaluation, ticket: Ticket) -> Summary | None:
    from ndcg_desktop.evaluation.summary import summarise

    return summarise(still, cancelled=ticket.cancelled)
