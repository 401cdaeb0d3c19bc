"""Keeps the journal of the open document, and brings back what it holds."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, QTimer, Signal

from ndcg_desktop.evaluation.edits import Edit, Kind
from ndcg_desktop.evaluation.lineup import Lineup
from ndcg_desktop.evaluation.scale import Scale, ScaleError
from ndcg_desktop.evaluation.votes import is_rule
from ndcg_desktop.files.entered import entered_from_text, entered_to_text
from ndcg_desktop.resources import examples
from ndcg_desktop.session.effect import Moved
from ndcg_desktop.session.jobs import Jobs
from ndcg_desktop.session.journal import (
    Change,
    History,
    Journal,
    JournalError,
    Key,
    Left,
    Value,
    left_behind,
    prune,
    read_history,
)
from ndcg_desktop.session.presence import Presence, elsewhere

if TYPE_CHECKING:
    from ndcg_desktop.evaluation.evaluation import Evaluation
    from ndcg_desktop.session.saving import Saved
    from ndcg_desktop.session.session import Session

AGAIN = 1000
"""Milliseconds after which changes that could not be written are tried again."""

READ_AT_ONCE = 5_000
"""Changes that are read while the window waits: some 15 ms."""
CONTINUES = "continues"
"""The setting that says which state of which evaluation's file this document goes on from, and what
is chosen now; it is forgotten where that was given up."""
REPEAT = "repeat"
"""The kind of a change that is none: a second grade of a document that was shown again."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a judge looked at a document, and how many had been shown before it."""

    seconds: float
    seen: int


@dataclass(frozen=True, slots=True)
class LeftUnsaved:
    """What an earlier run of the program had not saved, as edits of the open evaluation."""

    edits: tuple[Edit, ...]
    time: float
    lost: int
    """How many changes have no place any more: the query is gone, or another value was saved."""


class Chronicle(QObject):
    """One journal at a time, of what the session has open. Where it cannot be kept this is said
    once, judging goes on, and what was to be written is tried again.
    """

    grown = Signal()  # the history has more to tell
    following = Signal()  # the settings of what is about to be shown can be set, and are then used
    restored = Signal(int)  # so many changes of an earlier run were made again
    left = Signal(object)  # a LeftUnsaved of the document that was just opened
    troubled = Signal(str)  # the journal cannot be kept, and why
    elsewhere = Signal(object, str)  # a file that was opened, and another program that has it open
    others_changed = Signal(object)  # other runs that have one of the files open, a list of Other

    def __init__(self, session: Session, folder: Path) -> None:
        super().__init__(session)
        self._session = session
        self._folder = folder
        self._journal: Journal | None = None
        self._settings: dict[str, str] = {}
        self._settings_of = ""
        """What was set in this run for the document with this key: it holds without a journal."""
        self._timing: Timing | None = None
        self._readings = Jobs(self)
        self._unwritten: list[Change] = []
        self._told = False
        self._again = QTimer(self, singleShot=True, interval=AGAIN)
        self._again.timeout.connect(lambda: self._append(()))
        self._restores = ""
        """The key of a document whose changes are restored without asking once it is open."""
        self._together = ""
        """The key of a document that several judge again, since they did in an earlier run."""
        self._fresh = False
        """Whether the journal was just opened: it knows nothing of what is not saved here."""
        self.presence = Presence(folder, self)
        self.presence.others_changed.connect(self.others_changed)
        self._saving_upto = 0
        session.showing.connect(self._follow)
        session.replaced.connect(self._on_replaced)
        session.shown.connect(self._greet)
        session.written.connect(self._record)
        session.carried.connect(self._on_carried)
        session.saving.connect(self._on_saving)
        session.saved.connect(self._on_saved)
        session.scale_changed.connect(self._keep_scale)
        session.lineup_changed.connect(self._keep_lineup)
        session.judges_named.connect(
            lambda names: self.set_setting("names", json.dumps(sorted(names)))
        )
        session.merging_changed.connect(lambda rule: self.set_setting("merging", rule))

    # ---- which journal

    def _follow(self) -> None:
        """Take up the journal of what is about to be shown, and what it knows about it."""
        key = self._key()
        if self._journal is None or self._journal.key != key:
            self.end(given_up=True)  # leaving unsaved grades behind was asked about
            with self._reporting():
                self._journal = Journal(self._folder, key)
                self._fresh = True
                if self._journal.damaged is not None:
                    moved = self._journal.damaged.name
                    self._trouble(f"The journal was damaged; it was kept as {moved}.")
        if key != self._settings_of:
            self._settings, self._settings_of = {}, key
        with self._reporting():
            self._describe()  # a ranking may have joined the judgments
        self.following.emit()
        self._apply_settings()

    def _greet(self) -> None:
        """What is open is shown: tell who else has it open, and what an earlier run has left."""
        self.presence.hold([path.resolve() for path in self._session.paths])
        if others := self.presence.others():
            self.others_changed.emit(others)
        for path in self._session.paths:
            if program := elsewhere(path):
                self.elsewhere.emit(path, program)
        if self._must_judge_together():
            self._together = self._key()
            names = dict(_names_from(self.setting("names")))
            # This shows it all again, and brings back here.
            self._session.judge_together(next(iter(names.values()), ""))
            return
        found = self.left_unsaved()
        restores, self._restores = self._restores == self._key(), ""
        if found is not None and restores and found.edits:
            self.restore(found)
            found = replace(found, edits=()) if found.lost else None
        if found is not None:
            self.left.emit(found)

    def _must_judge_together(self) -> bool:
        """Whether an earlier run has left votes of several judges on what has one grade now."""
        session = self._session
        if session.evaluation is None or session.evaluation.votes is not None:
            return False
        kinds: set[str] = set()
        if self._journal is not None and self._together != self._key():
            with self._reporting():
                kinds = {kind for kind, *_ in self._journal.left_values()}
        return not kinds.isdisjoint(("vote", "verdict")) and session.can_judge_together

    def _on_carried(self, edits: Sequence[Edit]) -> None:
        """What went over from another document is unsaved in this one, and so in its journal."""
        fresh, self._fresh = self._fresh, False
        if fresh and edits:
            self._record(edits, ())

    def _key(self) -> str:
        """What tells this document from others: its judgments, else all its files."""
        session = self._session
        parts = session.judged or session.parts
        if any(part.table.kind == "entered" for part in parts):
            return "entered:" + hashlib.sha256(self._entered().encode()).hexdigest()
        paths = {str(part.table.path.resolve()) for part in parts}
        return "\n".join(sorted(paths))

    def _entered(self) -> str:
        """The table that was entered by hand, as text."""
        tables = (part.table for part in self._session.parts)
        return entered_to_text(next(table for table in tables if table.kind == "entered"))

    def _describe(self) -> None:
        session = self._session
        entered = any(part.table.kind == "entered" for part in session.parts)
        files = [part.table.path.resolve() for part in session.parts]
        if self._journal is not None:
            self._journal.describe(
                session.title,
                [] if entered else list(dict.fromkeys(files)),
                self._entered() if entered else "",
            )

    def end(self, given_up: bool = False) -> None:
        """Keep no journal any more; ``given_up`` says that what is not saved is not wanted."""
        self._readings.wait()
        self._append(())
        self._unwritten, self._told = [], False
        if given_up:
            self.set_setting(CONTINUES, "")
        journal, self._journal = self._journal, None
        if journal is None:
            return
        if given_up and journal.last_id:
            with self._reporting():
                journal.mark("discarded", journal.last_id)
        journal.close()

    def _on_replaced(self) -> None:
        if self._session.evaluation is None:
            self.leave()

    def leave(self) -> None:
        """Nothing is open any more; what is not saved was given up."""
        self.end(given_up=True)
        self.presence.release()

    def shut_down(self) -> None:
        """The program ends; what is not saved is offered at the next start."""
        self.end()
        self.presence.release()

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Say once that the journal of this document fails."""
        try:
            yield
        except JournalError as error:
            if not self._told:
                self._told = True
                self._trouble(str(error))

    def _trouble(self, text: str) -> None:
        """Say what is wrong with the journal, once what is being shown is there."""
        QTimer.singleShot(0, self, lambda: self.troubled.emit(text))

    # ---- writing

    @contextmanager
    def timed(self, timing: Timing) -> Iterator[None]:
        """Record what is changed meanwhile with the time that it took."""
        self._timing = timing
        try:
            yield
        finally:
            self._timing = None

    def _record(self, edits: Sequence[Edit], moved: Sequence[Moved]) -> None:
        evaluation = self._session.evaluation
        if self._journal is None or evaluation is None:
            return
        effects: dict[int, list[Any]] = {}
        for each in moved:
            told = [each.ranking, each.measure, each.before, each.after]
            effects.setdefault(each.query, []).append(told)
        texts = {query: json.dumps(told) for query, told in effects.items()}
        now, judge = time.time(), self._session.judge
        seconds, seen = (
            (None, None) if self._timing is None else (self._timing.seconds, self._timing.seen)
        )
        judgments = evaluation.judgments
        changes = []
        for edit in edits:
            query = int(judgments.query[edit.pair])
            changes.append(
                Change(
                    now,
                    judge,
                    edit.kind,
                    evaluation.queries[query],
                    judgments.documents[edit.pair],
                    edit.old,
                    edit.new,
                    edit.owner,
                    effect=texts.get(query, ""),
                    seconds=seconds,
                    seen=seen,
                )
            )
        self._append(changes)

    def record_repeat(self, query: str, document: str, before: float, again: float) -> None:
        """Keep the second grade of a document that was shown again; it changes nothing."""
        timing = self._timing or Timing(0.0, 0)
        self._append(
            [
                Change(
                    time.time(),
                    self._session.judge,
                    REPEAT,
                    query,
                    document,
                    before,
                    again,
                    self._session.owner,
                    seconds=timing.seconds,
                    seen=timing.seen,
                )
            ]
        )

    def _append(self, changes: Sequence[Change]) -> None:
        """Write changes, and those that could not be written before."""
        self._unwritten += changes
        if self._journal is None or not self._unwritten:
            return
        with self._reporting():
            self._journal.append(self._unwritten)
            self._unwritten = []
        if self._unwritten:
            self._again.start()
        self.grown.emit()

    @property
    def last_id(self) -> int:
        """The number of the last change that this run has made."""
        return 0 if self._journal is None else self._journal.last_id

    def _on_saving(self) -> None:
        self._saving_upto = self.last_id

    def _on_saved(self, saved: Saved) -> None:
        """What was gathered is in the file, which may be another one than before."""
        if self._journal is None or saved.copy:
            return
        evaluation = self._session.evaluation
        with self._reporting():
            key = self._key()
            if key != self._journal.key:
                old = self._journal
                self._journal = old.copy_to(key)
                old.close()
                self._settings_of = key
                self._describe()
                self.presence.hold([path.resolve() for path in self._session.paths])
            if evaluation is not None and not evaluation.remarks.changed():
                self._journal.mark("saved", self._saving_upto)  # notes may have had no room
        self.grown.emit()

    def note_saved(self, upto: int) -> None:
        """What was changed up to a number, a ``last_id``, needs no saving any more."""
        if self._journal is not None:
            with self._reporting():
                self._journal.mark("saved", upto)
        self.grown.emit()

    # ---- settings of the document

    def _keep_scale(self) -> None:
        chosen = self._session.scale if self._session.scale_is_chosen else None
        self.set_setting("scale", "" if chosen is None else chosen.to_json())

    def _keep_lineup(self) -> None:
        evaluation = self._session.evaluation
        if evaluation is not None:
            self.set_setting("lineup", evaluation.lineup.to_json())

    def setting(self, name: str) -> str:
        """A small setting that is kept with the document, "" where there is none."""
        found = self._settings.get(name, "")
        if self._journal is not None and name not in self._settings:
            with self._reporting():
                found = self._journal.setting(name)
        return found

    def set_setting(self, name: str, text: str) -> None:
        """Keep a small setting with the document."""
        self._settings[name] = text
        if self._journal is not None:
            with self._reporting():
                self._journal.set_setting(name, text)

    def _apply_settings(self) -> None:
        """Put back what no file holds: the scale, the line-up of rankings, how votes are merged,
        and the marks.
        """
        evaluation = self._session.evaluation
        assert evaluation is not None
        scale = None
        with suppress(ScaleError):
            scale = Scale.from_json(self.setting("scale"))
        self._session.take_scale(scale)
        evaluation.line_up(Lineup.from_json(self.setting("lineup")))
        names = _names_from(self.setting("names"))
        if names and evaluation.votes is not None:
            self._session.take_names(names)
        rule = self.setting("merging")
        if is_rule(rule) and evaluation.votes is not None and evaluation.votes.rule != rule:
            self._session.take_merging(rule)
        numbers = _numbers(evaluation)
        for (_, owner, query, document), mark in self.marks().items():
            if query in numbers and mark is not None:
                pair = evaluation.pair_of(numbers[query], document)
                evaluation.remarks.marks.setdefault((pair, owner), str(mark))

    def marks(self) -> dict[Key, Value]:
        """The last mark of each document that was ever marked, None where it was taken away."""
        marks: dict[Key, Value] = {}
        if self._journal is not None:
            with self._reporting():
                marks = self._journal.latest("mark")
        return marks

    # ---- what an earlier run had not saved

    def left_unsaved(self) -> LeftUnsaved | None:
        """What an earlier run had not saved of the open document; None where there is nothing."""
        evaluation, journal = self._session.evaluation, self._journal
        if journal is None or evaluation is None:
            return None
        changes: list[Change] = []
        known: dict[Key, set[Value]] = {}
        wanted: dict[Key, Value] = {}
        with self._reporting():
            changes = journal.left_unsaved()
            known = journal.left_values()
            wanted = {**journal.last_values(), **{each.key: each.new for each in changes}}
        if not known:
            return None
        kept, lost = _restoring(evaluation, wanted, known)
        if not kept and not lost:
            self.settle("restored")
            return None
        return LeftUnsaved(
            tuple(kept), max((each.time for each in changes), default=time.time()), lost
        )

    def restore(self, left: LeftUnsaved) -> None:
        """Make the changes that an earlier run had not saved: one undo step."""
        count = len(left.edits)
        word = "1 unsaved change" if count == 1 else f"{count:,} unsaved changes"
        self._session.write(left.edits, f"restoring of {word}")
        if not left.lost:
            self.settle("restored")
        self.restored.emit(count)

    def settle(self, what: str) -> None:
        """Offer the changes of earlier runs no more: they were "restored" or "discarded"."""
        if self._journal is not None:
            with self._reporting():
                self._journal.settle("restored" if what == "restored" else "discarded")
            self.grown.emit()

    def left_behind(self) -> list[Left]:
        """The documents that earlier runs left with unsaved changes, newest first."""
        prune(self._folder)
        return left_behind(self._folder)

    def reopen(self, left: Left) -> None:
        """Open a document that an earlier run left with unsaved changes, and restore them."""
        self._restores = left.key
        files = set(left.files)
        example = next((e for e in examples() if {f.resolve() for f in e.files} == files), None)
        if left.table:
            self._session.open_table(entered_from_text(left.table))
        elif example is not None:
            self._session.open_example(example)
        else:
            self._session.open_paths(self._evaluation_of(left) or left.files)

    def _evaluation_of(self, left: Left) -> list[Path]:
        """The evaluation's file that a document belonged to, if it is still there."""
        kept = ""
        with self._reporting(), closing(Journal(self._folder, left.key)) as journal:
            kept = journal.setting(CONTINUES)
        with suppress(ValueError, TypeError, LookupError, RecursionError):
            path = Path(json.loads(kept or "{}")["path"])
            return [path] if path.is_file() else []
        return []

    def give_up(self, left: Left) -> None:
        """Offer the unsaved changes of a document no more."""
        with self._reporting(), closing(Journal(self._folder, left.key)) as journal:
            journal.left_unsaved()
            journal.settle("discarded")

    # ---- history

    @property
    def journal(self) -> Journal | None:
        """The journal of the open document, to be read; None where none is kept."""
        return self._journal

    def read_history(
        self,
        after: int,
        succeed: Callable[[History], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        """Read what happened after a change: one of the two others is called with what came of it,
        at once, or a while later where it is much.
        """
        journal = self._journal
        if journal is None:
            return
        try:
            if journal.newest - after > READ_AT_ONCE:
                self._readings.run(
                    "Reading the history",
                    lambda ticket: read_history(journal.path, after, ticket.cancelled),
                    succeed,
                    fail,
                )
                return
            self._readings.cancel()
            history = read_history(journal.path, after)
        except JournalError as error:
            fail(error)
        else:
            succeed(history)

    def go_back(self, number: int, text: str) -> int:
        """Bring all values back to what they were just after a change: one undo step, called
        ``text``. Gives how many values cannot be, since their queries are not there any more.
        """
        evaluation = self._session.evaluation
        if self._journal is None or evaluation is None:
            return 0
        values: dict[tuple[str, str, str, str], float | str | None] = {}
        with self._reporting():
            values = self._journal.values_at(number)
        edits, lost = _edits(evaluation, values)
        self._session.write(edits, text)
        return lost


def _names_from(text: str) -> list[tuple[str, str]]:
    """What judges are called, by header, as a setting holds it."""
    try:
        return [(str(header), str(name)) for header, name in json.loads(text or "[]")]
    except (ValueError, TypeError):
        return []


def _numbers(evaluation: Evaluation) -> dict[str, int]:
    return {query: number for number, query in enumerate(evaluation.queries)}


def _whose(evaluation: Evaluation, kind: str, owner: str) -> tuple[Kind, str] | None:
    """What a value is in an evaluation that has one judge, or several; None where it has no place.

    The one grade of a document is the vote of the first judge, whose column it was.
    """
    several = evaluation.votes is not None
    if kind == "grade" and several:
        assert evaluation.votes is not None
        return ("vote", evaluation.votes.judges[0]) if evaluation.votes.judges else None
    if kind in ("vote", "verdict") and not several:
        return None
    return cast(Kind, kind), owner


def _targets(
    evaluation: Evaluation, wanted: Mapping[Key, Value]
) -> tuple[dict[tuple[Kind, str, int], list[Key]], int]:
    """What the keys of a journal are about in this evaluation, and how many are about nothing. The
    grade of one judge and the vote of the first are one thing.
    """
    numbers = _numbers(evaluation)
    targets: dict[tuple[Kind, str, int], list[Key]] = {}
    lost = 0
    for key in wanted:
        kind, owner, query, document = key
        if kind == REPEAT:
            continue
        whose = _whose(evaluation, kind, owner)
        if query not in numbers or whose is None:
            lost += 1
        else:
            pair = evaluation.pair_of(numbers[query], document)
            targets.setdefault((*whose, pair), []).append(key)
    return targets, lost


def _edits(evaluation: Evaluation, wanted: Mapping[Key, Value]) -> tuple[list[Edit], int]:
    """What gives documents the wanted values, of several for one the last, and how many of these
    have no place there.
    """
    targets, lost = _targets(evaluation, wanted)
    edits = [
        Edit(*target, evaluation.value_of(*target), wanted[keys[-1]])
        for target, keys in targets.items()
    ]
    return [edit for edit in edits if edit.old != edit.new], lost


def _restoring(
    evaluation: Evaluation, wanted: Mapping[Key, Value], known: Mapping[Key, set[Value]]
) -> tuple[list[Edit], int]:
    """The edits that make what was wanted where a value stands that the earlier run knew. What was
    saved since then by somebody else is not written over, but counted.
    """
    targets, lost = _targets(evaluation, wanted)
    edits = []
    for target, keys in targets.items():
        old, new = evaluation.value_of(*target), wanted[keys[-1]]
        if old == new:
            continue
        if any(old in known[key] for key in keys):
            edits.append(Edit(*target, old, new))
        else:
            lost += 1
    return edits, lost
