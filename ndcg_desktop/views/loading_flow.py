"""Opening: choosing files, confirming columns, entering by hand, and what was noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QWidget

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.message_bar import Answer, MessageBar

# The dialogs are imported when they are first opened, not before the first paint.
if TYPE_CHECKING:
    from ndcg_desktop.files.assemble import Understood
    from ndcg_desktop.session.loading import FilesMoved, Question
    from ndcg_desktop.views.import_dialog import Offered

FILTER = (
    "Judgments, rankings, evaluations (*.ndcg *.xlsx *.xlsm *.xls *.ods *.csv *.tsv *.txt *.json "
    "*.jsonl *.qrels *.run *.gz *.zip *.bz2 *.xz *.trec *.dat *.ltr *.htm *.html *.xml *.parquet);;"
    "Evaluations (*.ndcg);;All files (*)"
)
NO_RANKING = (
    "These are judgments without a ranking: the ideal ordering is shown alone. Open a ranking, or "
    "take the order of the rows for one."
)
MOVED = "moved"
"""The key of the message about files that are not found."""
SHOWN = 3
"""Warnings that the bar tells one by one; more are counted."""


class LoadingFlow:
    """Everything that a person is asked on the way from a file to the window."""

    def __init__(
        self,
        session: Session,
        messages: MessageBar,
        window: QWidget,
        show_report: Callable[[], object],
    ) -> None:
        self._session = session
        self._messages = messages
        self._window = window
        self._show_report = show_report
        session.asked.connect(self._ask)
        session.files_moved.connect(self._tell_moved)

    def choose_files(self) -> None:
        """Let the user pick files, and open them."""
        files, _ = QFileDialog.getOpenFileNames(
            self._window, "Open judgments and rankings", self._folder(), FILTER
        )
        if files:
            self.open_paths([Path(file) for file in files])

    def _folder(self) -> str:
        recent = self._session.paths or next(iter(self._session.preferences.recent), [])
        return str(recent[0].parent) if recent else ""

    def open_paths(self, paths: list[Path]) -> None:
        """Open files. What is not saved is kept where they complete it, and else asked about."""
        if paths:
            self._session.open_paths(paths)

    def _tell_moved(self, moved: FilesMoved) -> None:
        """Ask for the files of an evaluation that are not found."""
        missing = moved.evaluation.missing
        name = moved.evaluation.path.name
        if len(missing) == 1:
            text = f"{missing[0]} is not where it was when {name} was saved. Where is it now?"
        else:
            text = (
                f"{len(missing)} files are not where they were when {name} was saved: "
                f"{', '.join(missing)}. Say where the first is: the others are looked for beside "
                "it."
            )
        self._messages.tell(
            "warning", text, [Answer("Locate…", partial(self._locate, moved))], key=MOVED
        )

    def _locate(self, moved: FilesMoved) -> None:
        """Let a person say where the first missing file is; one that is not said is asked again."""
        evaluation = moved.evaluation
        wanted = evaluation.missing[0]
        name = wanted.rpartition("/")[2]
        file, _ = QFileDialog.getOpenFileName(
            self._window,
            f"Where is {name}?",
            str(evaluation.path.parent / name),
            f"*{Path(name).suffix};;All files (*)",
        )
        if file:
            found = {**moved.request.found, wanted: Path(file)}
            self._session.open_evaluation(evaluation.path, found)
        else:
            self._tell_moved(moved)

    def enter_by_hand(self) -> None:
        """Ask for grades in an empty table, and score them."""
        from ndcg_desktop.views.entry_dialog import EntryDialog

        dialog = EntryDialog(self._window)
        if dialog.exec():
            self._session.open_table(dialog.entered())

    def _ask(self, question: Question) -> None:
        """Have doubtful tables confirmed; giving that up gives up the load."""
        from ndcg_desktop.views.import_dialog import ImportDialog, Offered

        planned = question.plan
        offered = [
            Offered(part, planned.doubts.get(place, "")) for place, part in enumerate(planned.parts)
        ]
        offered += [Offered(part, used=False) for part in planned.unused]
        dialog = ImportDialog(self._session, offered, "&Open", self._window)
        if dialog.exec():
            files = {each.part.table.path for each in offered if each.doubt}
            asked = [each for each in dialog.offered if each.part.table.path in files]
            confirmed = [each.part for each in asked if each.used]
            self._session.answer(question, *_sorted(dialog.offered), confirmed)
        dialog.deleteLater()

    def show_reading(self) -> None:
        """Show how the open files are read, and read them in another way where that is wanted."""
        from ndcg_desktop.views.import_dialog import ImportDialog, Offered

        session = self._session
        offered = [Offered(part) for part in session.parts]
        offered += [Offered(part, used=False) for part in session.unused]
        evaluation = session.evaluation
        dialog = ImportDialog(session, offered, "&Use", self._window)
        if dialog.exec():
            if session.evaluation is evaluation:
                self._use(dialog.offered)
            else:
                text = "Something else was opened meanwhile, so its reading was not changed."
                self._messages.tell("note", text)
        dialog.deleteLater()

    def _use(self, offered: Sequence[Offered]) -> None:
        session = self._session
        used, unused = _sorted(offered)
        changed = [part for part in used if not any(_same(part, old) for old in session.parts)]
        if changed or len(used) != len(session.parts):
            text = "change of how files are read"
            session.reread(used, text, unused=unused, confirmed=changed)

    # ---- what was noticed

    def tell_findings(self) -> None:
        """Tell the few findings that matter most, and how many more there are."""
        session = self._session
        if session.evaluation is None:
            return
        if not session.evaluation.rankings and session.judged:
            answers = [Answer("Use the order of the rows", self._use_row_order)]
            self._messages.tell("note", NO_RANKING, answers)
        findings = [f for f in session.findings if f.level != "note"]
        if not findings:
            return
        findings.sort(key=lambda finding: finding.level != "error")
        answers = [Answer("Show all", self._show_report)]
        answers[:0] = [
            Answer(f"Match the {repair.what} ids", partial(session.mend, repair))
            for repair in session.proposed[:1]
        ]
        self._messages.tell(findings[0].level, _summary(findings), answers)

    def _use_row_order(self) -> None:
        parts = [replace(part, row_order=True) for part in self._session.parts]
        self._session.reread(parts, "use of the order of the rows")


def _same(part: Understood, other: Understood) -> bool:
    """Whether a table is understood as another is, which may be the same after a save."""
    a, b = part.table, other.table
    cut = (a.path, a.sheet, a.header_row, a.dialect) == (b.path, b.sheet, b.header_row, b.dialect)
    return cut and replace(part, table=b) == other


def _sorted(offered: Sequence[Offered]) -> tuple[list[Understood], list[Understood]]:
    """The tables that are used, and the others."""
    used = [each.part for each in offered if each.used]
    return used, [each.part for each in offered if not each.used]


def _summary(findings: list[Finding]) -> str:
    """The first findings in full, the others by their number."""
    kinds = Counter(finding.code for finding in findings)
    first = [next(f for f in findings if f.code == code) for code in kinds]
    lines = [str(finding) for finding in first[:SHOWN]]
    more = len(findings) - len(lines)
    return "\n".join(lines) + (f"\n… and {more:,} more." if more else "")
