"""The open document. Views ask it for changes; it makes them, and says what changed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoStack

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.edits import Edit, Kind
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.lineup import Lineup
from ndcg_desktop.evaluation.scale import CODE as OFF_SCALE
from ndcg_desktop.evaluation.scale import Scale, off_scale, suggested_scale
from ndcg_desktop.evaluation.wording import grade_text
from ndcg_desktop.files.judges import judge_of
from ndcg_desktop.files.plain_options import options_from
from ndcg_desktop.files.same_file import same_file
from ndcg_desktop.files.table import Column, FileError, Table
from ndcg_desktop.resources import Example
from ndcg_desktop.scoring.gain import gain
from ndcg_desktop.scoring.options import Options
from ndcg_desktop.session.carrying import carried, unsaved
from ndcg_desktop.session.commands import LineUp, Opened, Reread, Write
from ndcg_desktop.session.consent import NO_CONSENT, Consent
from ndcg_desktop.session.effect import Effect, step_text
from ndcg_desktop.session.jobs import Jobs
from ndcg_desktop.session.preferences import FEWEST_DECIMALS, MOST_DECIMALS, Preferences

# Readers and writers are imported after the first paint (see warm_up), so only where they are used.
if TYPE_CHECKING:
    from ndcg_desktop.evaluation.repairs import Repair
    from ndcg_desktop.files.assemble import Understood
    from ndcg_desktop.files.convert import Format
    from ndcg_desktop.files.plan import Plan
    from ndcg_desktop.session.loading import FilesMoved, Loaded, Question, Request
    from ndcg_desktop.session.saving import Saved
    from ndcg_desktop.session.snapshot import Snapshot


class Session(QObject):
    """One evaluation at most, its undo stack, and the jobs that load and save it."""

    replaced = Signal()  # another evaluation, or none, is open: everything shown is void
    options_changed = Signal()  # the same evaluation is scored under other options
    queries_rescored = Signal(object)  # set of queries whose grades, and so scores, changed
    written = Signal(object, object)  # the Edits that were just made, and what the scores became
    scale_changed = Signal()  # another scale is judged by
    judges_named = Signal(object)  # (header, name) of judges whose columns are headed otherwise
    merging_changed = Signal(str)  # several judges' grades become one by this rule
    shown = Signal()  # every listener of `replaced` has shown it
    carried = Signal(object)  # the Edits that went over from what was open before to what is now
    collecting = Signal()  # what is being typed is to be handed in: it is about to be saved
    saving = Signal()  # what is to be saved was just gathered
    taking = Signal(object)  # a loading.Loaded: it takes the place of what is open
    showing = Signal()  # another evaluation is about to be shown: what belongs to it is to be added
    judge_changed = Signal()  # somebody else judges
    lineup_changed = Signal()  # other rankings are compared, or are called otherwise
    judge_needed = Signal()  # several people judge, and nobody has said who judges here
    revealed = Signal(int, object)  # a query, and the documents that undo or redo changed in it
    asked = Signal(object)  # a loading.Question: columns that a person should confirm
    files_moved = Signal(object)  # a loading.FilesMoved: files that are not found
    failed = Signal(object)  # an exception that ended a job
    replacing = Signal(object)  # how to go on, once unsaved grades are saved or given up
    saved = Signal(object)  # a saving.Saved: what was written
    exported = Signal(object)  # the path of a report that was written
    save_refused = Signal(object)  # a FileError that a person may overrule, or send elsewhere
    needs_target = Signal(str)  # grades cannot go back to their own file, and why

    def __init__(self, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.preferences = preferences
        self.jobs = Jobs(self)
        self.exports = Jobs(self)
        self.readings = Jobs(self)  # of the import page: a file in another dialect
        self.counts = Jobs(self)  # of the import page: what a table comes to
        # What is being written is never given up: a save that is asked for meanwhile waits.
        self.saves = Jobs(self)
        self._leaving: list[Column] = []
        self._next_save: Callable[[], None] | None = None
        self._waiting: Callable[[], None] | None = None
        self._warm = Jobs(self)
        self._hired: list[Jobs] = []
        self.also_unsaved: Callable[[], bool] = lambda: False
        """Whether something besides the grades is not saved of what is open."""
        self._warming = True
        self.undo_stack = QUndoStack(self)
        self.undo_stack.indexChanged.connect(self._on_step)
        self._rereads = self._index_tells_not = False
        self.evaluation: Evaluation | None = None
        self.findings: tuple[Finding, ...] = ()
        self.parts: tuple[Understood, ...] = ()
        self.judged: tuple[Understood, ...] = ()
        self.unused: tuple[Understood, ...] = ()
        self.repairs: tuple[Repair, ...] = ()
        self.proposed: tuple[Repair, ...] = ()
        self.example = False
        self._options = preferences.options
        self.also_open: Callable[[], list[Path]] = list
        """Files that are open beside those of judgments and rankings."""
        self._own_options = False
        """Whether what is open was to be seen under options of its own."""
        self._decimals = preferences.decimals
        self._scale: Scale | None = None

    def is_idle(self) -> bool:
        """Whether nothing is being loaded or saved, and everything is there to be shown."""
        jobs = (self.jobs, self.exports, self.saves, *self._hired)
        return all(each.idle for each in jobs) and not self._warming

    def hire(self) -> Jobs:
        """Threads for what else belongs to the document; it is not idle while they work."""
        self._hired.append(Jobs(self))
        return self._hired[-1]

    @property
    def modified(self) -> bool:
        """Whether there are grades that no file holds."""
        return not self.undo_stack.isClean()

    @property
    def paths(self) -> list[Path]:
        """The files that the evaluation comes from; none for an example or entered grades."""
        if self.example:
            return []
        found = (part.table.path for part in self.parts if part.table.kind != "entered")
        return list(dict.fromkeys(found))

    @property
    def title(self) -> str:
        """The names of the files, or what else is open."""
        names = dict.fromkeys(part.table.path.name for part in self.parts)
        return ", ".join(names)

    def row_text(self, finding: Finding) -> str:
        """What the row of a finding holds in its file, empty where it cannot be told."""
        if finding.row is None:
            return ""
        rows = (
            p.table.row_words(finding.row) for p in self.parts if p.table.source == finding.source
        )
        return next((words for words in rows if words), "")

    def warm_up(self, ready: Callable[[], object]) -> None:
        """Import what the first paint did not need, on a thread, and say when it is there."""
        from ndcg_desktop.session.warming import import_slow_modules

        self._warming = True

        def done() -> None:
            self._warming = False
            ready()

        self._warm.run("", lambda _: import_slow_modules(), lambda _: done(), self.failed.emit)

    # ---- loading

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Load files in the background; the open evaluation stays until they are ready."""
        from ndcg_desktop.session.loading import Request, distinct

        present = () if self.example else self.parts
        self._load(
            Request(distinct(paths), present=present, unused=self.unused, repairs=self.repairs)
        )

    def open_evaluation(self, path: Path, found: Mapping[str, Path] | None = None) -> None:
        """Load what an evaluation's file names; ``found`` says where files are that have moved, by
        the path that is written there.
        """
        from ndcg_desktop.session.loading import Request

        self._load(Request((path,), found=found or {}))

    def open_again(self, paths: Sequence[Path]) -> None:
        """Load files as they now are, in the place of what is open."""
        from ndcg_desktop.session.loading import Request

        self._load(Request(tuple(paths), repairs=self.repairs, reload=True))

    def reread(
        self,
        parts: Sequence[Understood],
        text: str,
        repairs: tuple[Repair, ...] | None = None,
        unused: Sequence[Understood] | None = None,
        confirmed: Sequence[Understood] = (),
    ) -> None:
        """Understand the open tables in another way; ``text`` names the step that undo takes back.

        Grades that are not saved go over to the new reading; where one has no place in it, the old
        one stays. What was ``confirmed`` is remembered once it has worked.
        """
        from ndcg_desktop.files.plan import Plan
        from ndcg_desktop.session.loading import Request

        repairs = self.repairs if repairs is None else repairs
        request = Request(
            (),
            example=self.example,
            repairs=repairs,
            again=text,
            base=self.parts,
            confirmed=tuple(confirmed),
        )
        self._build(
            request, Plan(list(parts), unused=list(self.unused if unused is None else unused))
        )

    def repair_of(self, finding: Finding) -> Repair | None:
        """The repair that would mend what was found, None where there is none."""
        return next((each for each in self.proposed if each.kind == finding.repair), None)

    def mend(self, repair: Repair) -> None:
        """Read ids of the rankings as those of the judgments."""
        self.reread(self.parts, "mending of ids", (*self.repairs, repair))

    def open_table(self, table: Table) -> None:
        """Load a table that was entered by hand."""
        from ndcg_desktop.session.loading import Request

        options = self.preferences.options
        if "ideal grade" in (table.header or ()):
            options = replace(options, ideal="column")  # it was typed in order to be used
        self._load(Request((), (table,), options=options))

    def open_example(self, example: Example) -> None:
        """Load an example, under the options that it is meant to be seen with."""
        from ndcg_desktop.session.loading import Request

        options = options_from(example.options)
        self._load(Request(example.files, options=options, example=True))

    def answer(
        self,
        question: Question,
        parts: list[Understood],
        unused: list[Understood],
        confirmed: Sequence[Understood] = (),
    ) -> None:
        """Go on with a load after its columns were ``confirmed``, which is then remembered."""
        from ndcg_desktop.files.plan import Plan

        planned = Plan(parts, findings=question.plan.findings, unused=unused)
        self._build(replace(question.request, confirmed=tuple(confirmed)), planned)

    def _remember(self, parts: Sequence[Understood]) -> None:
        """Keep how tables are read for the next ones of the same shape."""
        for shape, choices in _choices(parts).items():
            self.preferences.remember(shape, choices)

    def _build(self, request: Request, planned: Plan) -> None:
        from ndcg_desktop.session.loading import build

        options = request.options or self._options
        self.jobs.run(
            "Joining judgments and rankings",
            lambda ticket: build(request, planned, options, ticket.cancelled, ticket.progress),
            self._adopt,
            self.failed.emit,
        )

    def _load(self, request: Request) -> None:
        from ndcg_desktop.session.loading import load

        options = request.options or self.preferences.options
        names = ", ".join(path.name for path in request.paths) or "the entered grades"
        remembered = self.preferences.choices  # read here: settings are not for threads
        if request.reload and self._own_options:  # an evaluation's file had its own choices
            remembered |= _choices(self.parts)
        self.jobs.run(
            f"Opening {names}",
            lambda ticket: load(request, options, ticket.cancelled, ticket.progress, remembered),
            self._adopt,
            self.failed.emit,
        )

    def _adopt(self, result: Loaded | Question | FilesMoved) -> None:
        """Show what was loaded, as soon as nothing is lost by that."""
        from ndcg_desktop.session.loading import FilesMoved, Question

        request = result.request
        if isinstance(result, Question):
            self.asked.emit(result)
        elif isinstance(result, FilesMoved):
            self.files_moved.emit(result)
        elif not self.saves.idle:
            self._waiting = lambda: self._adopt(result)
        elif result.completes and request.present is not self.parts:
            # Saving has put other tables in the place of those that were to be completed.
            self._build(replace(request, present=self.parts), result.planned)
        elif request.again and request.base is not self.parts:
            self._build(replace(request, base=self.parts), result.planned)
        elif request.again and self.evaluation is not None:
            self._take_again(request, result.opened)
        else:
            edits, lost = self._carried(result.opened) if result.completes else ([], 0)
            grades_lost = self.modified and (lost or not result.completes)
            others_lost = not (result.completes or request.reload) and self.also_unsaved()
            if grades_lost or others_lost:
                self.replacing.emit(lambda: self._take(result, edits))
            else:
                self._take(result, edits)

    def _carried(self, opened: Opened) -> tuple[list[Edit], int]:
        """What no file holds of what is open, for other tables, and how much has no place there."""
        if self.evaluation is None:
            return [], 0
        values = unsaved(self.evaluation, self.judged)
        return carried(values, opened.evaluation, opened.judged)

    def _take(self, result: Loaded, edits: Sequence[Edit]) -> None:
        from ndcg_desktop.session.loading import possible

        request, opened = result.request, result.opened
        same = result.completes or request.reload
        wanted = self._options if same and self._own_options else self.preferences.options
        options = possible(wanted, opened.evaluation)
        self._own_options = request.options is not None or (same and self._own_options)
        if request.options is None and options != opened.evaluation.options:
            opened.evaluation.options = options  # they were changed since the load began
        self._forget_steps()
        self._release(self.parts)
        self.example = request.example
        self._remember(request.confirmed)
        opened.evaluation.write(edits)
        self.taking.emit(result)
        self._show(opened)
        self.carried.emit(edits)
        self.look_whether_saved()  # what was carried over cannot be undone, and is not saved
        if request.evaluation is not None:
            self.preferences.add_recent([request.evaluation.path])
        elif request.paths and not request.example:
            self.preferences.add_recent(self.paths)

    def _release(self, parts: Sequence[Understood]) -> None:
        """Let go of tables a column at a time: millions of cells at once would keep the window
        waiting.
        """
        self._leaving += [column for part in parts for column in part.table.columns]
        QTimer.singleShot(0, self._release_next)

    def _release_next(self) -> None:
        if self._leaving:
            self._leaving.pop()
            QTimer.singleShot(0, self._release_next)

    def _take_again(self, request: Request, opened: Opened) -> None:
        assert self.evaluation is not None
        edits, lost = self._carried(opened)
        if lost:
            self.failed.emit(_no_place(lost, self.parts))
            return
        opened.evaluation.write(edits)
        self._remember(request.confirmed)
        now = Opened(
            self.evaluation,
            self.parts,
            self.judged,
            self.unused,
            self.findings,
            self.repairs,
            self.proposed,
        )
        self._rereads = self._index_tells_not = True
        self.undo_stack.push(Reread(self._show, now, opened, request.again))

    def _show(self, opened: Opened) -> None:
        self.evaluation = opened.evaluation
        self.parts, self.judged = opened.parts, opened.judged
        self.unused, self.findings = opened.unused, opened.findings
        self.repairs, self.proposed = opened.repairs, opened.proposed
        if self._rereads:
            from ndcg_desktop.session.loading import possible

            options = possible(self._options, opened.evaluation)
            if options != opened.evaluation.options:
                opened.evaluation.options = options  # those of a reading before may be older
        self._options = opened.evaluation.options
        self.showing.emit()
        self.replaced.emit()
        self.shown.emit()

    def _on_step(self, _: int) -> None:
        """Only the values tell whether they are saved, when a step was another reading, or a mark,
        which no file holds.
        """
        if self._index_tells_not and self.evaluation is not None:
            self.look_whether_saved()

    def look_whether_saved(self) -> None:
        """Take the grades and notes as they are: they alone tell whether they are saved."""
        assert self.evaluation is not None
        if self.evaluation.modified:
            self.undo_stack.resetClean()
        else:
            self.undo_stack.setClean()

    def _forget_steps(self) -> None:
        self._rereads = self._index_tells_not = False
        self.undo_stack.clear()

    def shut_down(self) -> None:
        """Wait for every thread: none must outlive the program."""
        own = (self._warm, self.readings, self.counts, self.jobs, self.exports, self.saves)
        for jobs in (*own, *self._hired):
            jobs.wait()

    def close(self) -> None:
        """Show nothing."""
        self.jobs.cancel()
        self.evaluation = None
        self.findings, self.parts, self.judged = (), (), ()
        self.unused, self.repairs, self.proposed = (), (), ()
        self.example = False
        self._forget_steps()
        self.replaced.emit()

    # ---- options

    @property
    def options(self) -> Options:
        """What rankings are scored under."""
        return self._options

    def set_options(self, options: Options) -> None:
        """Score under other options, and remember them."""
        if options == self._options:
            return
        self._options = options
        self.preferences.options = options
        if self.evaluation is not None:
            self.evaluation.options = options
        self.options_changed.emit()

    def take_options(self, options: Options) -> None:
        """Take up the options of what is about to be shown, for as long as that is open."""
        assert self.evaluation is not None
        self._options = self.evaluation.options = options

    @property
    def decimals(self) -> int:
        """Decimals of every score on screen."""
        return self._decimals

    def set_decimals(self, decimals: int) -> None:
        """Show and remember another number of decimals."""
        if decimals != self._decimals:
            self._decimals = self.preferences.decimals = decimals
            self.options_changed.emit()

    def take_decimals(self, decimals: int) -> None:
        """Take up the decimals of what is about to be shown, for as long as that is open."""
        self._decimals = min(max(decimals, FEWEST_DECIMALS), MOST_DECIMALS)

    # ---- the rankings that are compared

    def set_lineup(self, lineup: Lineup, text: str) -> None:
        """Compare rankings in this way: one undo step with this ``text``, none if nothing differs.
        It is kept with the evaluation.
        """
        assert self.evaluation is not None
        if lineup != self.evaluation.lineup:
            self._index_tells_not = True  # no file of grades holds it
            self.undo_stack.push(LineUp(self._line_up, self.evaluation.lineup, lineup, text))

    def _line_up(self, lineup: Lineup) -> None:
        assert self.evaluation is not None
        self.evaluation.line_up(lineup)
        self.lineup_changed.emit()

    # ---- the scale, and several judges

    @property
    def scale(self) -> Scale:
        """The scale to judge by: the chosen one, else the one that the grades suggest."""
        if self._scale is not None:
            return self._scale
        assert self.evaluation is not None
        return suggested_scale(self.evaluation)

    @property
    def scale_is_chosen(self) -> bool:
        """Whether a person has chosen the scale."""
        return self._scale is not None

    def set_scale(self, scale: Scale | None) -> None:
        """Judge by a scale, None for what the grades suggest; it is kept with the evaluation."""
        if scale != self._scale:
            self.take_scale(scale)
            self.scale_changed.emit()
            self.options_changed.emit()  # the ranges under unjudged documents are others

    def take_scale(self, scale: Scale | None) -> None:
        """Take up the scale that was chosen before for what is about to be shown."""
        assert self.evaluation is not None
        self._scale = scale
        self.evaluation.declare(() if scale is None else scale.grades)
        odd = () if scale is None else off_scale(self.evaluation, scale)
        self.findings = (*(f for f in self.findings if f.code != OFF_SCALE), *odd)

    def set_merging(self, rule: str) -> None:
        """Make one grade of several judges' in another way; it is kept with the evaluation."""
        votes = None if self.evaluation is None else self.evaluation.votes
        if votes is not None and rule != votes.rule:
            self.take_merging(rule)
            self.merging_changed.emit(rule)
            self.options_changed.emit()

    def take_merging(self, rule: str) -> None:
        """Take up the rule that was chosen before for what is about to be shown."""
        assert self.evaluation is not None
        self.evaluation.merge(rule)
        changed = {id(part): replace(part, merge=rule) for part in self.judged}
        self.parts = tuple(changed.get(id(part), part) for part in self.parts)
        self.judged = tuple(changed[id(part)] for part in self.judged)

    @property
    def can_judge_together(self) -> bool:
        """Whether there is a column of grades that several judges can take up."""
        parts = [part for part in self.parts if part.roles.grade is not None]
        return bool(parts) and all(part.roles.rater is None for part in parts)

    def judge_together(self, first: str = "") -> None:
        """Let several people judge: the column of grades becomes that of the first judge, who is
        called as it is headed unless a name is given.
        """
        parts = [
            self._of_several(part, first)
            if part.roles.grade is not None and part.roles.rater is None
            else part
            for part in self.parts
        ]
        self.judges_named.emit({name for part in parts for name in part.names})
        self.reread(parts, "judging by several people")

    @staticmethod
    def _of_several(part: Understood, first: str) -> Understood:
        assert part.roles.grade is not None
        roles = replace(part.roles, graders=(part.roles.grade,), grade=None)
        names = ((part.table.names[part.roles.grade], first),) if first else ()
        return replace(part, roles=roles, names=names)

    def take_names(self, names: Sequence[tuple[str, str]]) -> None:
        """Call the judges of what is about to be shown as they were called before, by header."""
        assert self.evaluation is not None
        for header, name in names:
            self.evaluation.rename_judge(judge_of(header), name)
        changed = {id(part): replace(part, names=tuple(names)) for part in self.judged}
        self.parts = tuple(changed.get(id(part), part) for part in self.parts)
        self.judged = tuple(changed[id(part)] for part in self.judged)

    # ---- grades

    @property
    def judge(self) -> str:
        """The name of whoever judges here, "" while nobody has given one."""
        return self.preferences.judge

    def set_judge(self, name: str) -> None:
        """Say who judges from now on."""
        name = " ".join(name.split())
        if name != self.judge:
            self.preferences.judge = name
            self.judge_changed.emit()

    @property
    def owner(self) -> str:
        """Whose the values are that are given now: the judge's where the file has several, and else
        nobody's.
        """
        votes = None if self.evaluation is None else self.evaluation.votes
        return "" if votes is None else self.judge

    def set_grades(self, query: int, grades: Sequence[tuple[str, float | None]]) -> None:
        """Grade documents of a query, None for *not judged*: one undo step, none if all are equal.

        Where several people judge it is the vote of the one who judges here; while nobody has said
        who that is, `judge_needed` is emitted and nothing is changed. Raises ValueError for a grade
        that is no finite number.
        """
        assert self.evaluation is not None
        if self.evaluation.votes is not None and not self.judge:
            self.judge_needed.emit()
            return
        kind: Kind = "grade" if self.evaluation.votes is None else "vote"
        self.set_values(kind, self.owner, query, grades)

    def set_values(
        self,
        kind: Kind,
        owner: str,
        query: int,
        values: Sequence[tuple[str, float | str | None]],
        joins: bool = False,
    ) -> None:
        """Give documents of a query a grade, a note or a mark: one undo step, none if all are as
        they were; one with the step before where a note ``joins`` it. Raises ValueError for a grade
        that is no finite number.
        """
        assert self.evaluation is not None
        edits = []
        for document, value in values:
            if isinstance(value, float | int):
                value = float(value)
                if not math.isfinite(value):
                    raise ValueError("A grade must be a finite number.")
            pair = self.evaluation.pair_of(query, document)
            old = self.evaluation.value_of(kind, owner, pair)
            edits.append(Edit(kind, owner, pair, old, value))
        self.write(edits, joins=joins)

    def write(self, edits: Sequence[Edit], text: str = "", *, joins: bool = False) -> None:
        """Change what is said of documents: one undo step, none if nothing differs. ``text`` names
        the step, where the edits should not name it themselves.
        """
        assert self.evaluation is not None
        edits = [edit for edit in edits if edit.old != edit.new]
        if not edits:
            return
        self._index_tells_not |= any(edit.kind == "mark" for edit in edits)
        text = text or step_text(self.evaluation, edits)
        self.undo_stack.push(Write(self._write, self._reveal, edits, text, joins))

    def _write(self, edits: Sequence[Edit]) -> None:
        assert self.evaluation is not None
        effect = Effect(self.evaluation, edits)
        queries = self.evaluation.write(edits)
        self.written.emit(edits, effect.after())
        if queries:
            self.queries_rescored.emit(queries)

    def _reveal(self, edits: Sequence[Edit]) -> None:
        assert self.evaluation is not None
        judgments = self.evaluation.judgments
        documents = [judgments.documents[edit.pair] for edit in edits]
        self.revealed.emit(int(judgments.query[edits[0].pair]), documents)

    def refused(self, grade: float) -> str:
        """Why this grade cannot be scored under the options, empty where it can."""
        value = float(gain([grade], self._options)[0])
        if math.isinf(value):
            return f"2^{grade_text(grade)} − 1 is too large to be computed. Use linear gain."
        if math.isnan(value):
            return f"The gain table has no entry for the grade {grade_text(grade)}."
        return ""

    # ---- saving

    def save(self, consent: Consent = NO_CONSENT) -> None:
        """Write the changed grades back to the files they came from, in the background."""
        from ndcg_desktop.session import saving
        from ndcg_desktop.session.targets import why_not_back

        if self.evaluation is None:
            return
        why = why_not_back(self.judged, self.example)
        if why:
            self.needs_target.emit(why)
            return
        self._run_save(lambda taken: saving.save_back(taken, None, consent))

    def save_as(
        self, target: Path, consent: Consent = NO_CONSENT, form: Format | None = None
    ) -> None:
        """Write the judgments to another file, which they belong to from then on; in the ``form``
        of another program, or as a table with the further columns.
        """
        from ndcg_desktop.session import saving
        from ndcg_desktop.session.targets import copies_to, why_not_there

        if self.evaluation is None:
            return
        open_paths = [] if self.example else self.paths
        if why := why_not_there(target, open_paths, self.judged):
            self.save_refused.emit(FileError(target, why))
        elif form is not None:
            self._run_save(lambda taken: saving.save_format(taken, target, form))
        elif copies_to(target, self.judged):
            self._run_save(lambda taken: saving.save_copy(taken, target, consent))
        else:
            self._run_save(lambda taken: saving.save_new(taken, target, consent))

    def _run_save(self, work: Callable[[Snapshot], Saved]) -> None:
        """Save the grades as they are now; after the save that is running, as they then are."""
        from ndcg_desktop.session.snapshot import snapshot

        self.collecting.emit()
        if not self.saves.idle:
            self._next_save = lambda: self._run_save(work)
            return
        assert self.evaluation is not None
        if self._rereads:
            # An undo must not lead to another reading while the grades of this one are written.
            self._forget_steps()
            self.look_whether_saved()
        evaluation = self.evaluation
        taken = snapshot(evaluation, self.parts, self.judged)
        self.saving.emit()
        self.saves.run(
            "Saving",
            lambda ticket: work(taken),
            lambda result: self._after_save(evaluation, taken, result),
            self._save_failed,
        )

    def _after_save(self, evaluation: Evaluation, taken: Snapshot, result: Saved) -> None:
        if evaluation is self.evaluation:  # it may have been closed meanwhile
            if not result.copy:
                evaluation.mark_saved(result.entries)
                self._take_up_from_outside(taken.evaluation)
                self.parts, self.judged = result.parts, result.judged
                self.example = False
            # Only the grades themselves tell: an undo and a new edit lead to the same index.
            self.look_whether_saved()
            self.preferences.add_recent(self.paths)
            # What was just written is read that way again, without a question.
            self._remember(
                [
                    p
                    for p, old in zip(result.judged, taken.judged, strict=False)
                    if p.roles != old.roles
                ]
            )
        if result.failure is not None:
            self._save_failed(result.failure)
            return
        following, self._next_save = self._next_save, None
        if following is not None and self.evaluation is not None:
            following()
            return
        self.saved.emit(result)
        self._go_on()

    def _take_up_from_outside(self, before: Evaluation) -> None:
        """Take the grades that another program has changed in the file, where nobody has changed
        them here: else the next save would put the old ones back.
        """
        assert self.evaluation is not None
        votes = self.evaluation.votes
        if votes is not None:  # what nobody has changed here is as the file has it
            self._take_up_grades(votes.merged(len(self.evaluation.judgments)))
            return
        now, known = self.evaluation.judgments.grade, len(before.judgments)
        ours = np.zeros(len(now), dtype=bool)
        ours[before.changed_pairs()] = True
        ours[known:] = True
        ours[:known] |= _differ(now[:known], before.judgments.grade)
        self._take_up_grades(np.where(ours, now, self.evaluation.loaded))

    def _take_up_grades(self, grade: NDArray[np.float64]) -> None:
        """Take these grades, of every pair, for those that are there."""
        assert self.evaluation is not None
        new = np.flatnonzero(_differ(self.evaluation.judgments.grade, grade))
        if len(new):
            grades = list(zip(new.tolist(), grade[new].tolist(), strict=True))
            self.queries_rescored.emit(self.evaluation.set_grades(grades))

    def _save_failed(self, error: BaseException) -> None:
        self._next_save = None
        if isinstance(error, FileError):
            self.save_refused.emit(error)
        else:
            self.failed.emit(error)
        self._go_on()

    def _go_on(self) -> None:
        """Adopt what was loaded while a save ran."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting()

    def export(self, path: Path, write: Callable[[], None]) -> None:
        """Write a report in the background; never over a file that is open."""
        if same_file(path, [*self.paths, *self.also_open()]):
            self.failed.emit(FileError(path, "This file is open here. Choose another name."))
            return
        self.exports.run(
            f"Exporting {path.name}",
            lambda ticket: write(),
            lambda _: self.exported.emit(path),
            self.failed.emit,
        )


def _choices(parts: Sequence[Understood]) -> dict[str, str]:
    """How tables are read, by the key of their shape."""
    from ndcg_desktop.files.shape import as_read, choices_of, shape_of

    tables = [(part, as_read(part.table)) for part in parts]
    return {shape_of(table).key: choices_of(part, table).to_json() for part, table in tables}


def _no_place(grades: int, parts: Sequence[Understood]) -> FileError:
    some = "1 grade that is" if grades == 1 else f"{grades:,} grades that are"
    return FileError(
        parts[0].table.path,
        f"{some} not saved would have no place in this reading, which was not used. Save first.",
    )


def _differ(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether grades differ; *not judged* does not differ from itself."""
    differ: NDArray[np.bool_] = (a != b) & ~(np.isnan(a) & np.isnan(b))
    return differ
