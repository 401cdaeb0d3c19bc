"""A judge at work: the queue, the document that is shown, what is decided, and how fast."""

from __future__ import annotations

import json
import secrets
import statistics
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from ndcg_desktop.evaluation.edits import Edit, Kind
from ndcg_desktop.session.chronicle import Chronicle, Timing

# What the queue is made with is imported after the first paint.
if TYPE_CHECKING:
    from ndcg_desktop.evaluation.evaluation import Evaluation
    from ndcg_desktop.evaluation.queue import Queue, QueueOptions
    from ndcg_desktop.session.session import Session

PACE_OVER = 30
"""Decisions that the pace is taken from."""
LONGEST = 300.0
"""Seconds on one document that count; who takes longer is away."""
FEWEST_FOR_PACE = 5


@dataclass(frozen=True, slots=True)
class Shown:
    """A document to be judged. ``again`` says that it was shown before, which nobody is told."""

    query: int
    document: str
    again: bool
    worth: float
    """By how much a grade can shrink the range in question, NaN where that is not the order."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the judge is, in all and in the query of the document that is shown."""

    place: int
    length: int
    done: int
    total: int
    query_done: int
    query_total: int
    again: int
    """How many documents are shown a second time; ``done`` and ``total`` count them as well."""
    per_hour: float | None
    seconds_left: float | None


class Sitting(QObject):
    """Goes through a queue. Every decision is one undo step, and is kept with the time it took."""

    chosen = Signal()  # another queue was chosen
    moved = Signal()  # another document is shown, or the end of the queue
    decided = Signal(object, object)  # the Shown that was decided, and the grade or mark it got
    progressed = Signal()  # a decision was made or taken back
    settled_changed = Signal()  # it is now known whether the rest can change the winner
    outdated = Signal()  # something was judged elsewhere: the queue is to be made anew
    judge_needed = Signal()  # nobody has said who judges, and several people do

    def __init__(
        self,
        session: Session,
        chronicle: Chronicle,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(session)
        self._session = session
        self._chronicle = chronicle
        self._clock = clock
        self._jobs, self._settling = session.hire(), session.hire()
        self._queue: Queue | None = None
        self._options: QueueOptions | None = None
        self._place = 0
        self._since = clock()
        self._seen = 0
        self._times: deque[float] = deque(maxlen=PACE_OVER)
        self._furthest = 0
        self._deciding = self._undoing = False
        self._stale = False
        self._repeats: dict[int, float] = {}
        """The second grades that were given, by place."""
        self._done: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.settled = False
        """Whether nothing that is left can change which of two rankings is better."""
        session.written.connect(self._on_written)
        session.revealed.connect(self._on_revealed)
        session.replaced.connect(self._on_replaced)

    # ---- the queue

    @property
    def options(self) -> QueueOptions:
        """What is in the queue; what was last chosen for this document."""
        from ndcg_desktop.evaluation.queue import QueueOptions

        if self._options is None:
            self._options = QueueOptions(seed=secrets.randbelow(1_000_000))
            try:
                kept = json.loads(self._chronicle.setting("queue"))
                self._options = QueueOptions(**kept)
            except (ValueError, TypeError):
                self._keep_options()
        return self._options

    def _keep_options(self) -> None:
        if self._options is not None:
            self._chronicle.set_setting("queue", json.dumps(asdict(self._options)))

    def set_options(self, options: QueueOptions) -> None:
        """Judge another queue, and keep that with the document."""
        if options != self._options:
            self._options = options
            self._keep_options()
            self.chosen.emit()
        self.start()

    def _on_replaced(self) -> None:
        """Another document is open, or it is read in another way: its queue is another one."""
        self._options, self._queue = None, None
        self.settled = False
        self._jobs.cancel()
        self._times.clear()
        self._repeats.clear()
        self._seen = 0
        self.moved.emit()

    @property
    def started(self) -> bool:
        """Whether there is a queue, or one is being made."""
        return self._queue is not None or self.makes

    @property
    def makes(self) -> bool:
        """Whether a queue is being made."""
        return not self._jobs.idle

    def start(self) -> None:
        """Make the queue anew, in the background."""
        from ndcg_desktop.evaluation.queue import make_queue

        evaluation = self._session.evaluation
        if evaluation is None:
            return
        self._stale = False
        still, options, owner = evaluation.frozen(), self.options, self._session.owner
        self._jobs.run(
            "Making the queue",
            lambda ticket: make_queue(still, options, owner, ticket.cancelled),
            lambda queue: self._take(evaluation, queue),
            self._session.failed.emit,
        )

    def _take(self, evaluation: Evaluation, queue: Queue | None) -> None:
        if queue is None or evaluation is not self._session.evaluation:
            return
        if self._stale:  # a grade was given elsewhere while the queue was made
            self.start()
            return
        self._queue = queue
        self._done = queue.done.copy()
        self._place = self._furthest = 0
        self._repeats.clear()
        self._look_whether_settled()
        self._show()

    # ---- the document that is shown

    @property
    def shown(self) -> Shown | None:
        """The document to be judged; None at the end of the queue, and without one."""
        queue = self._queue
        if queue is None or not 0 <= self._place < len(queue):
            return None
        place = self._place
        return Shown(
            int(queue.query[place]),
            queue.documents[place],
            bool(queue.again[place]),
            float(queue.worth[place]),
        )

    @property
    def adjudicates(self) -> bool:
        """Whether grades are verdicts on what judges disagree about."""
        return self.options.which == "disagreements"

    def _show(self) -> None:
        self._since = self._clock()
        self.moved.emit()
        self.progressed.emit()

    def step(self, by: int) -> None:
        """Go to the next document (1) or the one before (-1), without a decision."""
        self._go(self._place + by)

    def _go(self, place: int) -> None:
        if self._queue is not None:
            self._place = min(max(place, 0), len(self._queue))
            self._furthest = max(self._furthest, self._place)
            self._show()

    def next_query(self) -> None:
        """Go to the first document further on that is of another query."""
        shown = self.shown
        if shown is None or self._queue is None:
            return
        others = np.flatnonzero(self._queue.query[self._place :] != shown.query)
        self._go(self._place + int(others[0]) if len(others) else len(self._queue))

    def resume(self) -> None:
        """Begin to count the time on this document now: the judge was elsewhere."""
        self._since = self._clock()
        if self._stale:
            self.start()

    # ---- decisions

    def grade(self, grade: float) -> None:
        """Give the document that is shown a grade, or a verdict, and go on."""
        shown = self.shown
        if shown is None or not self.may_judge():
            return
        before = self._value(shown)
        if shown.again and before is not None:
            with self._timed():
                self._chronicle.record_repeat(
                    self._name(shown.query), shown.document, before, grade
                )
            self._repeats[self._place] = grade
            self._seen += 1
            self.decided.emit(shown, grade)
            self._go(self._place + 1)
            return
        kind: Kind = "grade"
        if self.adjudicates:
            kind = "verdict"
        elif self._session.owner:
            kind = "vote"
        owner = "" if kind == "verdict" else self._session.owner
        self._decide(shown, [(kind, owner, grade)], None)

    def cannot_tell(self) -> None:
        """Mark the document as one that cannot be judged, and go on."""
        self._mark("cannot")

    def later(self) -> None:
        """Leave the document for later, and go on."""
        self._mark("later")

    def _mark(self, mark: str) -> None:
        shown = self.shown
        if shown is not None and self.may_judge():
            self._decide(shown, [], mark)

    def note_text(self) -> str:
        """What the judge has noted about the document that is shown."""
        return str(self._now("note") or "")

    def mark(self) -> str:
        """How the judge has marked the document that is shown, "" for not at all."""
        return str(self._now("mark") or "")

    def grade_now(self) -> float | None:
        """The grade that the judge has given, or the verdict, on the document that is shown; of one
        that is shown again the second: what was said before is not to be seen.
        """
        shown = self.shown
        if shown is not None and shown.again:
            return self._repeats.get(self._place)
        return None if shown is None else self._value(shown)

    def undo(self) -> None:
        """Take back the last decision, and go to its document."""
        last = next(reversed(self._repeats), None)
        if last is not None and last == self._place - 1:
            del self._repeats[last]  # nothing was changed; it is asked again
            self._go(last)
        else:
            self._undoing = True
            try:
                self._session.undo_stack.undo()
            finally:
                self._undoing = False

    def may_judge(self) -> bool:
        """Whether it is known who judges, where several people do; asks for it where it is not."""
        evaluation = self._session.evaluation
        several = evaluation is not None and evaluation.votes is not None
        if several and not self._session.judge:
            self.judge_needed.emit()
            return False
        return True

    def _decide(
        self,
        shown: Shown,
        values: Sequence[tuple[Kind, str, float]],
        mark: str | None,
    ) -> None:
        """Write a grade, or a mark, and the mark that goes with it; one step. Then go on, to where
        the judge had come before going back.
        """
        evaluation = self._session.evaluation
        assert evaluation is not None
        pair = evaluation.pair_of(shown.query, shown.document)
        owner = self._session.owner
        wanted: list[tuple[Kind, str, float | str | None]] = [*values, ("mark", owner, mark)]
        edits = [
            Edit(kind, whose, pair, evaluation.value_of(kind, whose, pair), value)
            for kind, whose, value in wanted
        ]
        place, before = self._place, self._furthest
        self._deciding = True
        try:
            with self._timed():
                self._session.write(edits)
        finally:
            self._deciding = False
        self._seen += 1
        self._follow_worth(max(place, before), shown.query)
        self.decided.emit(shown, values[0][2] if values else mark)
        went_back = self.options.which == "unjudged" and before > place
        self._go(before if went_back else place + 1)

    def _timed(self) -> AbstractContextManager[None]:
        seconds = min(self._clock() - self._since, LONGEST)
        self._times.append(seconds)
        return self._chronicle.timed(Timing(seconds, self._seen))

    def _follow_worth(self, place: int, query: int) -> None:
        """Put the rest of the queue in order again: the grade has changed what others are worth."""
        from ndcg_desktop.evaluation.queue import rankings_of
        from ndcg_desktop.evaluation.worth import worth_of_query

        evaluation = self._session.evaluation
        if evaluation is None or self._queue is None:
            return
        rankings = rankings_of(evaluation, self.options.by)
        if rankings:
            found = worth_of_query(evaluation, rankings, query)
            self._queue = self._queue.with_worth(place, evaluation, found)
            self._look_whether_settled()

    def _look_whether_settled(self) -> None:
        """Find out, in the background, whether what is left can change which ranking is better."""
        from ndcg_desktop.evaluation.open_grades import difference
        from ndcg_desktop.evaluation.queue import rankings_of

        evaluation = self._session.evaluation
        if evaluation is None or len(rankings_of(evaluation, self.options.by)) < 2:
            self._settle(evaluation, False)
            return
        still = evaluation.frozen()
        self._settling.run(
            "Comparing what is left",
            lambda _: difference(still, 0, 1).winner_settled is not None,
            lambda settled: self._settle(evaluation, settled),
            self._session.failed.emit,
        )

    def _settle(self, evaluation: Evaluation | None, settled: bool) -> None:
        if evaluation is self._session.evaluation and settled != self.settled:
            self.settled = settled
            self.settled_changed.emit()

    # ---- following

    def _on_written(self, edits: Sequence[Edit], _: object) -> None:
        """Count what is judged, whoever has changed it and wherever."""
        evaluation = self._session.evaluation
        if evaluation is None:
            return
        elsewhere = not (self._deciding or self._undoing)
        if elsewhere and len({edit.pair for edit in edits if edit.kind != "note"}) > 1:
            self._stale = True  # what is in the queue may be judged now, or open again
            self.outdated.emit()
        if self._queue is None:
            return
        counted = ("verdict",) if self.adjudicates else ("grade", "vote")
        owner = "" if self.adjudicates else self._session.owner
        for edit in edits:
            if edit.kind in counted and edit.owner == owner:
                query = int(evaluation.judgments.query[edit.pair])
                self._done[query] += (edit.new is not None) - (edit.old is not None)
        self.progressed.emit()

    def _on_revealed(self, query: int, documents: list[str]) -> None:
        """Go to the document that undo or redo has changed."""
        if self._queue is None:
            return
        places = np.flatnonzero((self._queue.query == query) & ~self._queue.again)
        texts = self._queue.documents.take(places).texts()
        found = (p for p, text in zip(places.tolist(), texts, strict=True) if text in documents)
        place = next(found, None)
        if place is not None:
            self._go(place)

    # ---- figures

    def progress(self) -> Progress:
        """How far the judge is, how fast, and how long the rest of the queue takes."""
        queue, shown = self._queue, self.shown
        if queue is None:
            return Progress(0, 0, 0, 0, 0, 0, 0, None, None)
        # What is shown again counts like the rest: a judge should not be able to tell.
        again = int(np.count_nonzero(queue.again))
        passed = int(np.count_nonzero(queue.again[: self._furthest]))
        total = int(queue.total.sum()) + again
        done = min(int(self._done.sum()) + passed, total)
        query = None if shown is None else shown.query
        query_total = 0 if query is None else int(queue.total[query])
        query_done = 0 if query is None else min(int(self._done[query]), query_total)
        per_hour = left = None
        if len(self._times) >= FEWEST_FOR_PACE:
            typical = max(statistics.median(self._times), 0.1)
            per_hour = 3600 / typical
            left = typical * (len(queue) - self._place)
        return Progress(
            self._place, len(queue), done, total, query_done, query_total, again, per_hour, left
        )

    def _name(self, query: int) -> str:
        assert self._session.evaluation is not None
        return self._session.evaluation.queries[query]

    def _value(self, shown: Shown) -> float | None:
        """The judge's own grade of a document, or the verdict."""
        evaluation = self._session.evaluation
        assert evaluation is not None
        pair = evaluation.judgments.find(shown.query, shown.document)
        if pair is None:
            return None
        kind: Kind = "grade" if evaluation.votes is None else "vote"
        kind = "verdict" if self.adjudicates else kind
        value = evaluation.value_of(kind, self._session.owner, pair)
        return None if value is None else float(value)

    def _now(self, kind: Kind) -> float | str | None:
        shown, evaluation = self.shown, self._session.evaluation
        if shown is None or evaluation is None:
            return None
        pair = evaluation.judgments.find(shown.query, shown.document)
        return None if pair is None else evaluation.value_of(kind, self._session.owner, pair)

    def votes(self) -> dict[str, tuple[float | None, str]]:
        """Each judge's grade and note on the document that is shown, for a verdict."""
        shown, evaluation = self.shown, self._session.evaluation
        if shown is None or evaluation is None or evaluation.votes is None:
            return {}
        pair = evaluation.judgments.find(shown.query, shown.document)
        if pair is None:
            return {}
        grades, notes = evaluation.votes.of_pair(pair), evaluation.remarks.of_pair(pair)
        return {name: (grades.get(name), notes.get(name, "")) for name in {**grades, **notes}}

    def left(self) -> int:
        """How many documents nobody has decided about: neither judged nor marked."""
        evaluation, progress = self._session.evaluation, self.progress()
        if evaluation is None:
            return 0
        owner = self._session.owner
        marked = sum(judge == owner for _, judge in evaluation.remarks.marks)
        return max(progress.total - progress.done - marked, 0)
