"""The file that the open evaluation is saved to and was opened from, if any."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from ndcg_desktop.evaluation.edits import Edit
from ndcg_desktop.evaluation.lineup import Lineup
from ndcg_desktop.evaluation.remarks import Key
from ndcg_desktop.files.plain_options import options_from, plain_options
from ndcg_desktop.files.same_file import real_path, same_file
from ndcg_desktop.files.table import FileError
from ndcg_desktop.scoring.options import Options
from ndcg_desktop.session.chronicle import CONTINUES, Chronicle
from ndcg_desktop.session.sitting import Sitting

# What reads and writes files is imported after the first paint.
if TYPE_CHECKING:
    from ndcg_desktop.evaluation.evaluation import Evaluation
    from ndcg_desktop.files.assemble import Understood
    from ndcg_desktop.files.evaluation_file import Chosen, EvaluationFile, FileReading, Remark
    from ndcg_desktop.files.evaluation_reading import EvaluationRead
    from ndcg_desktop.session.loading import Loaded
    from ndcg_desktop.session.session import Session

NOT_IN_A_FILE = (
    "Save the judgments to a file first: an evaluation names files, and these have none."
)


@dataclass(frozen=True, slots=True)
class _Taken:
    """What is being written, gathered when that was asked for."""

    path: Path
    content: EvaluationFile
    document: object
    evaluation: Evaluation
    notes: dict[Key, str]
    upto: int
    """The last change that is part of it."""


@dataclass(frozen=True, slots=True)
class _Readings:
    """How the tables are read that were open, as a file at a path has it."""

    parts: tuple[Understood, ...]
    unused: tuple[Understood, ...]
    path: Path
    files: tuple[FileReading, ...]

    def are_of(
        self, parts: tuple[Understood, ...], unused: tuple[Understood, ...], path: Path
    ) -> bool:
        """Whether these very tables are open now."""
        return self.parts is parts and self.unused is unused and self.path == path


class EvaluationFiles(QObject):
    """Saves the open evaluation to its file, puts back what an opened one holds, and tells whether
    something has been chosen since that the file does not have.

    What is chosen besides is kept in the journal as ever, with the state of the file that it goes
    on from: after a crash it is there again, and not saved.
    """

    changed = Signal()  # another file, none, or it is saved now or not any more
    saved = Signal(object)  # the path that was written
    refused = Signal(object)  # a FileError: nothing was written

    def __init__(self, session: Session, chronicle: Chronicle, sitting: Sitting) -> None:
        super().__init__(session)
        self._session = session
        self._chronicle = chronicle
        self._sitting = sitting
        self._jobs = session.hire()
        self.path: Path | None = None
        self._digest = ""
        self._held: EvaluationFile | None = None
        """What the file holds; None while nothing is known of it."""
        self._opening: EvaluationRead | None = None
        self._continues = False
        self._document = object()
        """Another one for each document that is open."""
        self._unplaced: tuple[tuple[Remark, ...], tuple[Remark, ...]] = (), ()
        """Marks and notes on queries that the files do not have."""
        self._last: Evaluation | None = None
        self._readings: _Readings | None = None
        self._again: tuple[Path, bool] | None = None
        self.modified = False
        """Whether something was chosen that the evaluation's file does not have."""
        session.also_unsaved = lambda: self.modified
        session.also_open = lambda: [] if self.path is None else [self.path]
        session.taking.connect(self._on_taking)
        chronicle.following.connect(self._on_following)
        session.showing.connect(self._on_showing)
        session.shown.connect(self._on_shown)
        session.replaced.connect(self._on_replaced)
        session.written.connect(self._on_written)
        session.saved.connect(lambda _: self._look())
        for signal in (
            session.options_changed,
            session.scale_changed,
            session.lineup_changed,
            session.merging_changed,
            sitting.chosen,
        ):
            signal.connect(self._look)

    @property
    def title(self) -> str:
        """The name of the evaluation's file, "" where there is none."""
        return "" if self.path is None else self.path.name

    @property
    def idle(self) -> bool:
        """Whether nothing is being written."""
        return self._jobs.idle

    # ---- saving

    def why_not(self) -> str:
        """Why the evaluation cannot be saved to a file of its own, empty where it can."""
        session = self._session
        entered = any(part.table.kind == "entered" for part in session.parts)
        return NOT_IN_A_FILE if session.example or entered else ""

    def save(self, path: Path | None = None, consent: bool = False) -> None:
        """Write the evaluation to a file, in the background; without a path to its own. ``consent``
        says that what another program has put there may be lost.
        """
        from ndcg_desktop.files.evaluation_file import write_evaluation
        from ndcg_desktop.version import program_version

        path = path or self.path
        assert path is not None
        self._session.collecting.emit()
        evaluation = self._session.evaluation
        if evaluation is None:
            return
        if why := self.why_not() or self._why_not_there(path):
            self.refused.emit(FileError(path, why))
            return
        if not self.idle:  # what is being written is never given up
            self._again = path, consent
            return
        taken = self._taken(path, evaluation)
        text = taken.content.to_text(
            f"nDCG Desktop {program_version()}", datetime.now(UTC).isoformat(timespec="seconds")
        )
        known = "" if consent or path != self.path else self._digest
        self._jobs.run(
            "Saving the evaluation",
            lambda _: write_evaluation(path, text, known),
            lambda digest: self._after_save(taken, digest),
            self._after_failure,
        )

    def _why_not_there(self, path: Path) -> str:
        if same_file(path, self._session.paths):
            return "This file has data of the evaluation in it. Choose another name."
        return ""

    def _taken(self, path: Path, evaluation: Evaluation) -> _Taken:
        return _Taken(
            path,
            self._content(path),
            self._document,
            evaluation,
            dict(evaluation.remarks.notes) if self._holds_notes() else {},
            self._chronicle.last_id,
        )

    def _after_save(self, taken: _Taken, digest: str) -> None:
        if taken.document is self._document:  # it may have been closed meanwhile
            self.path, self._digest, self._held = taken.path, digest, taken.content
            if taken.evaluation is self._session.evaluation:  # or read in another way
                self._after_notes(taken)
            self._session.preferences.add_recent([taken.path])
            self._look()
        again, self._again = self._again, None
        if again is not None and self._session.evaluation is not None:
            self.save(*again)
        else:
            self.saved.emit(taken.path)

    def _after_notes(self, taken: _Taken) -> None:
        """Notes that the evaluation's file has are saved; the journal offers them no more."""
        if self._holds_notes():
            taken.evaluation.remarks.mark_saved(taken.notes)
            self._session.look_whether_saved()
        if not taken.evaluation.modified:
            self._chronicle.note_saved(taken.upto)

    def _after_failure(self, error: BaseException) -> None:
        self._again = None
        if isinstance(error, FileError):
            self.refused.emit(error)
        else:
            self._session.failed.emit(error)

    # ---- what there is to be saved

    def _content(self, path: Path) -> EvaluationFile:
        """All that the file would hold now, if it were at this path."""
        from ndcg_desktop.files.evaluation_file import EvaluationFile

        evaluation = self._session.evaluation
        assert evaluation is not None
        marks, notes = self._unplaced
        own = own_notes(evaluation) if self._holds_notes() else {}
        return EvaluationFile(
            self._files(path),
            tuple(self._session.repairs),
            self._chosen(),
            tuple(sorted([*_remarks(evaluation, evaluation.remarks.marks), *marks])),
            tuple(sorted([*_remarks(evaluation, own), *notes])),
        )

    def _files(self, path: Path) -> tuple[FileReading, ...]:
        """How the tables are read, which is found out again only when others are open."""
        from ndcg_desktop.files.evaluation_file import as_written
        from ndcg_desktop.files.evaluation_reading import readings

        session = self._session
        known = self._readings
        if known is None or not known.are_of(session.parts, session.unused, path):
            folder = path.parent
            found = readings(session.parts, session.unused, lambda p: as_written(p, folder))
            known = self._readings = _Readings(session.parts, session.unused, path, found)
        return known.files

    def _chosen(self) -> Chosen:
        from ndcg_desktop.files.evaluation_file import Chosen

        session = self._session
        evaluation = session.evaluation
        assert evaluation is not None
        names = next((part.names for part in session.judged if part.names), ())
        return Chosen(
            session.options,
            session.decimals,
            evaluation.lineup,
            session.scale if session.scale_is_chosen else None,
            None if evaluation.votes is None else evaluation.votes.rule,
            tuple(sorted(names)),
            self._sitting.options,
        )

    def _holds_notes(self) -> bool:
        """Whether notes are the evaluation's own to hold: no file of judgments has room for any."""
        from ndcg_desktop.session.snapshot import WITH_COLUMNS

        return all(part.table.kind not in WITH_COLUMNS for part in self._session.judged)

    # ---- whether it is saved

    def _on_written(self, edits: Sequence[Edit], _: object) -> None:
        if any(edit.kind in ("mark", "note") for edit in edits):
            self._look()

    def _look(self) -> None:
        """Find out whether the file has all that is chosen now."""
        if self.path is None or self._held is None or self._session.evaluation is None:
            self._tell(False)
            return
        now = self._content(self.path)
        kept = json.dumps(
            {"path": str(real_path(self.path)), "digest": self._digest, **_plain(now.chosen)}
        )
        if kept != self._chronicle.setting(CONTINUES):
            self._chronicle.set_setting(CONTINUES, kept)
        self._tell(_comparable(now) != _comparable(self._held))

    def _tell(self, modified: bool) -> None:
        self.modified = modified
        self.changed.emit()

    # ---- opening

    def _on_taking(self, loaded: Loaded) -> None:
        """Something takes the place of what is open: it belongs to another file, or to none."""
        if loaded.completes or loaded.request.reload:
            return
        if self.path is not None:  # what was chosen for it is saved, or given up
            self._chronicle.set_setting(CONTINUES, "")
        self._forget()
        read = loaded.request.evaluation
        if read is None:
            self._session.take_decimals(self._session.preferences.decimals)
        else:
            self.path, self._digest, self._opening = read.path.absolute(), read.digest, read

    def _forget(self) -> None:
        self.path, self._digest, self._held = None, "", None
        self._document = object()
        self._opening, self._last = None, None
        self._readings = None  # it would keep millions of cells
        self._unplaced = (), ()
        self.modified = False

    def _on_following(self) -> None:
        """Hand over what is chosen in a file that is being opened, for the journal to put back."""
        if self._opening is None:
            return
        chosen = self._opening.file.chosen
        options, decimals = chosen.options, chosen.decimals
        left = self._left_by_a_crash()
        self._continues = left is not None
        if left is not None:
            options, decimals = left
            self._set_options(options)
        else:
            for name, text in _settings(chosen).items():
                self._chronicle.set_setting(name, text)
        self._session.take_decimals(decimals)
        self._place_marks(self._opening.file.marks)
        self._place_notes(self._opening.file.notes)

    def _set_options(self, options: Options) -> None:
        from ndcg_desktop.session.loading import possible

        evaluation = self._session.evaluation
        assert evaluation is not None
        self._session.take_options(possible(options, evaluation))

    def _left_by_a_crash(self) -> tuple[Options, int] | None:
        """Options and decimals that were chosen after this very state of the file was opened or
        saved, and that an earlier run could not save; None where there are none.
        """
        assert self._opening is not None
        with suppress(ValueError, TypeError, LookupError, RecursionError):
            kept = json.loads(self._chronicle.setting(CONTINUES) or "{}")
            if kept["digest"] == self._opening.digest:
                return options_from(kept["options"]), int(kept["decimals"])
        return None

    def _place_marks(self, marks: Sequence[Remark]) -> None:
        """Mark documents as the file says; what an earlier run has marked after that stands."""
        assert self._session.evaluation is not None
        since = self._chronicle.marks() if self._continues else {}
        placed, unplaced = self._placed(
            [m for m in marks if ("mark", m.owner, m.query, m.document) not in since]
        )
        self._session.evaluation.remarks.marks.update(placed)
        self._unplaced = unplaced, self._unplaced[1]

    def _place_notes(self, notes: Sequence[Remark]) -> None:
        """Note what the file says, which is then saved. Where the judgments are in a file now that
        has room for notes, what is not noted there is to be saved to it.
        """
        evaluation = self._session.evaluation
        assert evaluation is not None
        placed, unplaced = self._placed(notes)
        if self._holds_notes():
            take_notes(evaluation, placed)
        else:
            evaluation.remarks.notes = {**placed, **evaluation.remarks.notes}
        self._unplaced = self._unplaced[0], unplaced

    def _placed(self, remarks: Sequence[Remark]) -> tuple[dict[Key, str], tuple[Remark, ...]]:
        """Remarks by what they are about, and those on queries that are not there."""
        evaluation = self._session.evaluation
        assert evaluation is not None
        numbers = {query: number for number, query in enumerate(evaluation.queries)}
        placed = {
            (evaluation.pair_of(numbers[each.query], each.document), each.owner): each.text
            for each in remarks
            if each.query in numbers
        }
        return placed, tuple(each for each in remarks if each.query not in numbers)

    def _on_showing(self) -> None:
        """The same files are read in another way, or again: what only the evaluation's file has
        goes over to what is now shown.
        """
        evaluation, last = self._session.evaluation, self._last
        assert evaluation is not None
        if self.path is not None and last is not None and last is not evaluation:
            marks, notes = self._unplaced
            placed, marks = self._placed([*_remarks(last, last.remarks.marks), *marks])
            evaluation.remarks.marks.update(placed)
            if self._holds_notes():
                held, notes = self._placed([*_remarks(last, own_notes(last)), *notes])
                take_notes(evaluation, held)
            self._unplaced = marks, notes
        self._last = evaluation

    def _on_shown(self) -> None:
        opening, self._opening = self._opening, None
        if opening is not None:
            self._held = self._as_read(opening)
        self._look()

    def _as_read(self, read: EvaluationRead) -> EvaluationFile:
        """What a file holds that was just opened, as it is compared with what is there now."""
        now = self._content(read.path.absolute())
        chosen = now.chosen  # the same, but for what the files do not allow any more
        if self._continues:
            chosen = replace(read.file.chosen, queue=read.file.chosen.queue or chosen.queue)
        return replace(read.file, chosen=chosen)

    def _on_replaced(self) -> None:
        if self._session.evaluation is None:
            self._forget()
            self._session.take_decimals(self._session.preferences.decimals)
            self.changed.emit()


def _remarks(evaluation: Evaluation, by_key: Mapping[Key, str]) -> list[Remark]:
    """Marks or notes with what they are about by name."""
    from ndcg_desktop.files.evaluation_file import Remark

    judgments = evaluation.judgments
    return [
        Remark(
            evaluation.queries[int(judgments.query[pair])], judgments.documents[pair], owner, text
        )
        for (pair, owner), text in by_key.items()
    ]


def own_notes(evaluation: Evaluation) -> dict[Key, str]:
    """The notes of an evaluation that are not those of its files; "" for what was taken away."""
    from ndcg_desktop.evaluation.entries import notes_of

    ours, theirs = evaluation.remarks.notes, notes_of(evaluation.entries)
    return {
        key: ours.get(key, "")
        for key in {**theirs, **ours}
        if ours.get(key, "") != theirs.get(key, "")
    }


def take_notes(evaluation: Evaluation, notes: Mapping[Key, str]) -> None:
    """Note what an evaluation's file has about documents, as something that is saved."""
    from ndcg_desktop.evaluation.entries import notes_of

    for (pair, owner), text in notes.items():
        evaluation.remarks.set_note(pair, owner, text)
    saved = {**notes_of(evaluation.entries), **notes}
    evaluation.remarks.mark_saved({key: text for key, text in saved.items() if text})


def _comparable(content: EvaluationFile) -> EvaluationFile:
    """What must be equal for nothing to be unsaved: all but what the data files hold."""
    return replace(
        content,
        files=tuple(replace(file, sha256="") for file in content.files),
        marks=tuple(sorted(content.marks)),
        notes=tuple(sorted(content.notes)),
    )


def _plain(chosen: Chosen) -> dict[str, Any]:
    return {"options": plain_options(chosen.options), "decimals": chosen.decimals}


def _settings(chosen: Chosen) -> dict[str, str]:
    """What is chosen, as the journal keeps it by name."""
    return {
        "scale": "" if chosen.scale is None else chosen.scale.to_json(),
        "lineup": "" if chosen.lineup == Lineup() else chosen.lineup.to_json(),
        "merging": chosen.merging or "",
        "names": json.dumps(chosen.names) if chosen.names else "",
        "queue": "" if chosen.queue is None else json.dumps(asdict(chosen.queue)),
    }
