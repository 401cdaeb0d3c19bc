"""Saving: where to, what to ask first, and never leaving with unsaved grades unasked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QMainWindow, QMessageBox, QWidget

from ndcg_desktop.evaluation.columns import Level
from ndcg_desktop.files.table import FileError
from ndcg_desktop.session.consent import NO_CONSENT, Consent
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.message_bar import Answer, MessageBar

if TYPE_CHECKING:
    from ndcg_desktop.files.convert import Format
    from ndcg_desktop.session.evaluation_files import EvaluationFiles
    from ndcg_desktop.session.saving import Saved

TABLES = {
    "Excel workbook (*.xlsx)": ".xlsx",
    "Comma-separated values (*.csv)": ".csv",
    "Tab-separated values (*.tsv)": ".tsv",
}
"""Kinds of files that keep every column; the formats of other programs come after them."""
OF_TABLES = ("csv", "xlsx")
EVALUATIONS = "Evaluations (*.ndcg)"


def formats() -> dict[str, Format]:
    """The formats of other programs, by how a dialog lists them."""
    from ndcg_desktop.files.convert import SAVE_FORMATS, filter_text

    return {filter_text(form): form for form in SAVE_FORMATS if form.key not in OF_TABLES}


def form_of(path: Path, chosen: str) -> Format | None:
    """The format of another program that a file is to have: the chosen one, unless the name ends as
    a table's, else what the name alone tells; None for a table.
    """
    from ndcg_desktop.files.convert import format_of

    known, suffix = formats(), path.suffix.lower()
    if chosen in known and (suffix == known[chosen].suffix or suffix not in TABLES.values()):
        return known[chosen]
    told = format_of(path)
    table = suffix in TABLES.values() or told is None or told.key in OF_TABLES
    return None if table else told


def _ends_as_known(path: Path) -> bool:
    """Whether a name has an ending of its own: that of “review v1.2” is none."""
    known = {*TABLES.values(), ".xlsm", ".txt", ".trec", *(f.suffix for f in formats().values())}
    return path.suffix.lower() in known


def may_replace(parent: QWidget, path: Path) -> bool:
    """Whether a file is not there, or may be written over; asks where it is there."""
    if not path.exists():
        return True
    question = f"{path.name} is there already. Replace it?"
    return (
        QMessageBox.question(parent, "Replace the file?", question)
        == QMessageBox.StandardButton.Yes
    )


class SavingFlow:
    """Everything that a person is asked on the way from the window to a file."""

    def __init__(
        self,
        session: Session,
        evaluations: EvaluationFiles,
        messages: MessageBar,
        window: QMainWindow,
    ) -> None:
        self._session = session
        self._evaluations = evaluations
        self._messages = messages
        self._window = window
        self._afterwards: Callable[[], object] | None = None
        self._target: tuple[Path, Format | None] | None = None
        self._consent = NO_CONSENT
        session.needs_target.connect(self._on_needs_target)
        session.save_refused.connect(self._on_refused)
        session.saved.connect(self._on_saved)
        session.replacing.connect(self.then)
        session.failed.connect(self._on_failed)
        evaluations.saved.connect(self._on_evaluation_saved)
        evaluations.refused.connect(self._on_evaluation_refused)

    def save(self) -> None:
        """Save to the files that the grades came from, and to that of the evaluation."""
        self._target, self._consent = None, NO_CONSENT
        self._session.collecting.emit()
        if self._evaluations.path is not None and not self._session.modified:
            self._evaluations.save()
        else:
            self._session.save()

    def save_as(self) -> None:
        """Ask for a file and save to it."""
        target = self._choose()
        if target is not None:
            self._target, self._consent = target, NO_CONSENT
            path, form = target
            self._session.save_as(path, form=form)
        else:
            self._afterwards = None

    def _choose(self) -> tuple[Path, Format | None] | None:
        name, chosen = QFileDialog.getSaveFileName(
            self._window, "Save judgments as", str(self._suggestion()), ";;".join(self._filters())
        )
        if not name:
            return None
        path = Path(name)
        if _ends_as_known(path):
            return path, form_of(path, chosen)
        # The dialog has asked about the name that was typed, not about the one with an ending.
        form = formats().get(chosen)
        suffix = TABLES.get(chosen, ".xlsx") if form is None else form.suffix
        path = path.with_name(path.name + suffix)
        return (path, form) if may_replace(self._window, path) else None

    def _filters(self) -> list[str]:
        """The kinds of file, the one that is open first; with macros only where it has some."""
        suffix = self._suggestion().suffix.lower()
        kinds = list(TABLES)
        if suffix == ".xlsm":
            kinds.insert(0, "Excel workbook with macros (*.xlsm)")
        kinds.sort(key=lambda kind: f"*{suffix})" not in kind)
        return [*kinds, *formats()]

    def _suggestion(self) -> Path:
        paths = self._session.paths
        if not paths:
            return Path("judgments.xlsx")
        good = (*TABLES.values(), ".xlsm")
        return paths[0] if paths[0].suffix.lower() in good else paths[0].with_suffix(".xlsx")

    def _on_needs_target(self, why: str) -> None:
        self._messages.tell("note", f"{why} Choose where to save.", key="save")
        self.save_as()

    def _on_refused(self, error: FileError) -> None:
        """Ask what to do about a save that would overwrite something, or could not be made."""
        from ndcg_desktop.files.save import ChangedOnDisk, FormulaInTheWay, OtherGrades

        answers = []
        consent = self._consent
        if isinstance(error, ChangedOnDisk):
            answers.append(self._agree("Save anyway", replace(consent, changed=True)))
            answers.append(Answer("Load it again", self._reload))
        elif isinstance(error, OtherGrades):
            answers.append(self._agree("Replace them", replace(consent, others=True)))
        elif isinstance(error, FormulaInTheWay):
            answers.append(self._agree("Replace the formulas", replace(consent, formulas=True)))
        answers.append(Answer("Save as…", self.save_as))
        self._afterwards = None
        level: Level = "warning" if len(answers) > 1 else "error"  # a question, or a failure
        self._messages.tell(level, str(error), answers, key="save")

    def _agree(self, text: str, consent: Consent) -> Answer:
        """A button that saves again, to the same place, with what was agreed to so far."""

        def save_again() -> None:
            self._consent = consent
            if self._target is not None:
                path, form = self._target
                self._session.save_as(path, consent, form)
            else:
                self._session.save(consent)

        return Answer(text, save_again)

    def _reload(self) -> None:
        self._session.open_again(self._session.paths)

    def _on_failed(self, _: BaseException) -> None:
        self._afterwards = None

    def _on_saved(self, saved: Saved) -> None:
        from ndcg_desktop.session.saving import NO_ROOM_FOR_NOTES

        self._messages.dismiss("save")
        names = ", ".join(path.name for path in saved.paths)
        self._window.statusBar().showMessage(f"Saved {names}.", 6000)
        follows = self._evaluations.path is not None and not saved.copy
        if saved.note and not (follows and saved.note == NO_ROOM_FOR_NOTES):  # it has room
            self._messages.tell("note", saved.note, key="save")
        if follows:
            self._evaluations.save()
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Do what was to be done once all is saved."""
        afterwards, self._afterwards = self._afterwards, None
        if afterwards is None:
            return
        if self._is_unsaved() and afterwards != self._window.close:  # which asks by itself
            self.then(afterwards)
        else:
            afterwards()

    # ---- the evaluation's own file

    def save_evaluation(self) -> None:
        """Save which files are open, and all that is chosen for them; ask for a place the first
        time.
        """
        if why := self._evaluations.why_not():
            self._messages.tell("note", why, [Answer("Save as…", self.save_as)], key="save")
        elif self._evaluations.path is not None:
            self._evaluations.save()
        else:
            self._save_evaluation_as()

    def _save_evaluation_as(self) -> None:
        suggestion = self._evaluations.path or self._session.paths[0].with_suffix(".ndcg")
        name, _ = QFileDialog.getSaveFileName(
            self._window, "Save evaluation", str(suggestion), EVALUATIONS
        )
        if not name:
            return
        path = Path(name)
        if path.suffix.lower() != suggestion.suffix:
            # The dialog has asked about the name that was typed, not about the one with an ending.
            path = path.with_name(path.name + suggestion.suffix)
            if not may_replace(self._window, path):
                return
        self._evaluations.save(path, consent=True)

    def _on_evaluation_saved(self, path: Path) -> None:
        self._messages.dismiss("save")
        rest = " The grades are not in it: Ctrl+S saves them." if self._session.modified else ""
        self._window.statusBar().showMessage(f"Saved {path.name}.{rest}", 6000)
        self._go_on()

    def _on_evaluation_refused(self, error: FileError) -> None:
        from ndcg_desktop.files.evaluation_file import OtherEvaluation

        self._afterwards = None
        answers = [Answer("Save elsewhere…", self._save_evaluation_as)]
        other = isinstance(error, OtherEvaluation)
        if other:
            answers.insert(0, Answer("Save anyway", lambda: self._evaluations.save(consent=True)))
        level: Level = "warning" if other else "error"
        self._messages.tell(level, str(error), answers, key="save")

    # ---- not leaving unsaved grades behind

    def close_document(self) -> None:
        """Close what is open, and show the start page."""
        self.then(self._session.close)

    def then(self, act: Callable[[], object]) -> None:
        """Do something that puts another evaluation in the place of this one."""
        if self.may_leave(act):
            act()

    def may_leave(self, afterwards: Callable[[], object]) -> bool:
        """Whether nothing is lost; asks where something is not saved.

        When the answer is to save, ``afterwards`` is done once the file is written; so it is where
        a save is still running.
        """
        self._session.collecting.emit()
        if not (self._session.saves.idle and self._evaluations.idle):
            self._afterwards = afterwards
            return False
        if not self._is_unsaved() or self._session.evaluation is None:
            return True
        answer = self._ask()
        if answer == QMessageBox.StandardButton.Save:
            self._afterwards = afterwards
            self.save()
        return answer == QMessageBox.StandardButton.Discard

    def _is_unsaved(self) -> bool:
        """Whether grades are not saved, or what is chosen besides."""
        return self._session.modified or self._evaluations.modified

    def _unsaved_text(self) -> str:
        """How many grades and notes are not saved, or else that what is chosen is not."""
        evaluation = self._session.evaluation
        assert evaluation is not None
        if not self._session.modified:
            return f"What was changed in {self._evaluations.title} is not saved."
        counts = {
            "grade": len(evaluation.changed_pairs()),
            "note": len(evaluation.remarks.changed()),
        }
        parts = [
            f"{count:,} {word}" + ("" if count == 1 else "s")
            for word, count in counts.items()
            if count
        ]
        verb = "is" if sum(counts.values()) == 1 else "are"
        more = f" Nor are other changes of {self._evaluations.title}."
        both = more if self._evaluations.modified else ""
        return f"{' and '.join(parts)} {verb} not saved.{both}"

    def _ask(self) -> QMessageBox.StandardButton:
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        title = "Unsaved grades" if self._session.modified else "Unsaved evaluation"
        box.setWindowTitle(title)
        box.setText(self._unsaved_text())
        box.setInformativeText("Save before going on?")
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        return QMessageBox.StandardButton(box.exec())
