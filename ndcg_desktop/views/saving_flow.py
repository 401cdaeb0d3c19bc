"""Saving: where to, what to ask first, and never leaving with unsaved grades unasked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMainWindow, QMessageBox

from ndcg_desktop.files.table import FileError
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.message_bar import Answer, MessageBar

FILTERS = {
    "Excel workbook (*.xlsx)": ".xlsx",
    "Comma-separated values (*.csv)": ".csv",
    "Tab-separated values (*.tsv)": ".tsv",
    "TREC qrels (*.qrels)": ".qrels",
}


class SavingFlow:
    """Everything that a person is asked on the way from the window to a file."""

    def __init__(self, session: Session, messages: MessageBar, window: QMainWindow) -> None:
        self._session = session
        self._messages = messages
        self._window = window
        self._afterwards: Callable[[], object] | None = None
        self._target: Path | None = None
        session.needs_target.connect(self._on_needs_target)
        session.save_refused.connect(self._on_refused)
        session.saved.connect(self._on_saved)

    def save(self) -> None:
        """Save to the files that the grades came from."""
        self._target = None
        self._session.save()

    def save_as(self) -> None:
        """Ask for a file and save to it."""
        target = self._choose()
        if target is not None:
            self._target = target
            self._session.save_as(target)
        else:
            self._afterwards = None

    def _choose(self) -> Path | None:
        name, chosen = QFileDialog.getSaveFileName(
            self._window, "Save judgments as", str(self._suggestion()), ";;".join(self._filters())
        )
        if not name:
            return None
        path = Path(name)
        return path if path.suffix else path.with_suffix(FILTERS.get(chosen, ".xlsx"))

    def _filters(self) -> list[str]:
        """The kinds of file, the one that is open first; with macros only where it has some."""
        suffix = self._suggestion().suffix.lower()
        kinds = list(FILTERS)
        if suffix == ".xlsm":
            kinds.insert(0, "Excel workbook with macros (*.xlsm)")
        return sorted(kinds, key=lambda kind: f"*{suffix})" not in kind)

    def _suggestion(self) -> Path:
        paths = self._session.paths
        if not paths:
            return Path("judgments.xlsx")
        good = (*FILTERS.values(), ".xlsm")
        return paths[0] if paths[0].suffix.lower() in good else paths[0].with_suffix(".xlsx")

    def _on_needs_target(self, why: str) -> None:
        self._window.statusBar().showMessage(why, 8000)
        self.save_as()

    def _on_refused(self, error: FileError) -> None:
        """Ask what to do about a save that would overwrite something, or could not be made."""
        from ndcg_desktop.files.save import ChangedOnDisk, FormulaInTheWay

        answers = []
        if isinstance(error, ChangedOnDisk):
            answers.append(Answer("Save anyway", lambda: self._session.save(replace_changed=True)))
            answers.append(Answer("Load it again", self._reload))
        elif isinstance(error, FormulaInTheWay):
            answers.append(Answer("Replace the formulas", self._replace_formulas))
        answers.append(Answer("Save as…", self.save_as))
        self._afterwards = None
        self._messages.tell("error", str(error), answers, key="save")

    def _replace_formulas(self) -> None:
        if self._target is not None:
            self._session.save_as(self._target, replace_formulas=True)
        else:
            self._session.save(replace_formulas=True)

    def _reload(self) -> None:
        paths = self._session.paths
        self.then(lambda: self._session.open_again(paths))

    def _on_saved(self, paths: tuple[Path, ...]) -> None:
        self._messages.dismiss("save")
        names = ", ".join(path.name for path in paths)
        self._window.statusBar().showMessage(f"Saved {names}.", 6000)
        afterwards, self._afterwards = self._afterwards, None
        if afterwards is not None and not self._session.modified:
            afterwards()

    # ---- not leaving unsaved grades behind

    def close_document(self) -> None:
        """Close what is open, and show the start page."""
        self.then(self._session.close)

    def then(self, act: Callable[[], object]) -> None:
        """Do something that puts another evaluation in the place of this one."""
        if self.may_leave(act):
            act()

    def may_leave(self, afterwards: Callable[[], object]) -> bool:
        """Whether nothing is lost; asks where there are unsaved grades.

        When the answer is to save, ``afterwards`` is done once the file is written.
        """
        if not self._session.modified or self._session.evaluation is None:
            return True
        answer = self._ask()
        if answer == QMessageBox.StandardButton.Save:
            self._afterwards = afterwards
            self.save()
        elif answer == QMessageBox.StandardButton.Discard:
            self._session.undo_stack.setClean()
            return True
        return False

    def _ask(self) -> QMessageBox.StandardButton:
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Unsaved grades")
        count = len(self._session.evaluation.changed_pairs()) if self._session.evaluation else 0
        box.setText(f"{count:,} {'grade is' if count == 1 else 'grades are'} not saved.")
        box.setInformativeText("Save them first?")
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        return QMessageBox.StandardButton(box.exec())
