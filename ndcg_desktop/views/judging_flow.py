"""What a person is asked and told around judging: queue, scale, judges, keys, lost and found."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QDateTime, QLocale, QUrl
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QMainWindow

from ndcg_desktop.session.chronicle import Chronicle, LeftUnsaved
from ndcg_desktop.session.session import Session
from ndcg_desktop.session.sitting import Sitting
from ndcg_desktop.views.judge_keys import JUDGE_KEYS, keys_of
from ndcg_desktop.views.message_bar import Answer, MessageBar

# The dialogs are imported when they are first opened, not before the first paint.
if TYPE_CHECKING:
    from ndcg_desktop.session.journal import Left
    from ndcg_desktop.session.presence import Other
    from ndcg_desktop.views.judge_page import JudgePage
    from ndcg_desktop.views.judges_dialog import JudgesDialog

UNSAVED, OTHERS, ELSEWHERE, JOURNAL, JUDGE = "unsaved", "others", "elsewhere", "journal", "judge"
"""Keys of the messages: a new one takes the place of the one before."""


class JudgingFlow:
    """Opens the dialogs of judging, and tells what the journal has to say."""

    def __init__(
        self,
        session: Session,
        chronicle: Chronicle,
        sitting: Sitting,
        messages: MessageBar,
        window: QMainWindow,
    ) -> None:
        self._session = session
        self._chronicle = chronicle
        self._sitting = sitting
        self._messages = messages
        self._window = window
        self._judges: JudgesDialog | None = None
        chronicle.left.connect(self._tell_unsaved)
        chronicle.others_changed.connect(self._tell_others)
        chronicle.elsewhere.connect(self._tell_elsewhere)
        chronicle.troubled.connect(lambda text: messages.tell("warning", text, key=JOURNAL))
        session.judge_needed.connect(self._ask_who)
        chronicle.restored.connect(self._tell_restored)

    # ---- dialogs

    def choose_queue(self) -> None:
        """Choose what is to be judged, and in which order."""
        from ndcg_desktop.views.queue_dialog import QueueDialog

        evaluation, preferences = self._session.evaluation, self._session.preferences
        if evaluation is None:
            return
        dialog = QueueDialog(
            self._sitting.options,
            len(evaluation.rankings),
            evaluation.votes is not None,
            preferences.blind,
            preferences.minutes_to_pause,
            self._window,
        )
        if dialog.exec():
            preferences.blind = dialog.blind.isChecked()
            preferences.minutes_to_pause = dialog.minutes.value()
            self._sitting.set_options(dialog.chosen())
        dialog.deleteLater()

    def choose_scale(self) -> None:
        """Choose or change the scale."""
        from ndcg_desktop.views.scale_dialog import ScaleDialog

        dialog = ScaleDialog(self._session, self._window)
        if dialog.exec():
            self._session.set_scale(dialog.chosen())
        dialog.deleteLater()

    def show_judges(self) -> None:
        """Show who judges, how far they agree, and how their grades are merged."""
        from ndcg_desktop.views.judges_dialog import JudgesDialog

        if self._judges is None:
            self._judges = JudgesDialog(self._session, self._window)
        self._judges.show()
        self._judges.raise_()
        self._judges.activateWindow()

    def show_record(self) -> None:
        """Show what was judged on the Judge page, how fast and how evenly."""
        from ndcg_desktop.session.record import decisions
        from ndcg_desktop.views.record_dialog import RecordDialog

        journal = self._chronicle.journal
        every = [] if journal is None else decisions(journal.changes())
        dialog = RecordDialog(
            every,
            lambda path: self._window.statusBar().showMessage(f"Saved {path.name}.", 6000),
            self._window,
            folder=next((path.parent for path in self._session.paths), None),
        )
        dialog.exec()
        dialog.deleteLater()

    def shut_down(self) -> None:
        """Wait for what the dialogs compute."""
        if self._judges is not None:
            self._judges.shut_down()

    def show_keys(self, actions: list[QAction], page: JudgePage) -> None:
        """List the keys, and change those of the Judge page."""
        from ndcg_desktop.views.keys_dialog import KeysDialog

        preferences = self._session.preferences
        dialog = KeysDialog(keys_of(preferences), actions, self._window)
        if dialog.exec():
            chosen = dialog.chosen()
            preferences.keys = {n: k for n, k in chosen.items() if k != JUDGE_KEYS[n].key}
            page.show_keys()
        dialog.deleteLater()

    def _ask_who(self) -> None:
        self._messages.tell(
            "note",
            "Several people judge these documents. Say who you are, so that your grades go to your "
            "own column.",
            [Answer("Choose…", self.show_judges)],
            key=JUDGE,
        )

    def open_link(self, address: str) -> None:
        """Open an address of the guidelines in the browser: it was asked for."""
        if not QDesktopServices.openUrl(QUrl(address)):
            self._messages.tell("warning", f"No program opens {address[:200]}.")

    # ---- what was not saved

    def _tell_unsaved(self, left: LeftUnsaved) -> None:
        """Offer what an earlier run of the program had not saved of the open document."""
        chronicle = self._chronicle
        count = len(left.edits)
        changes = "1 change" if count == 1 else f"{count:,} changes"
        were = "was" if count == 1 else "were"
        parts = []
        if count:
            until = moment(left.time)
            parts.append(f"{changes} made until {until} {were} not saved when the program ended.")
        if left.lost:
            lost = "1 change" if left.lost == 1 else f"{left.lost:,} changes"
            parts.append(
                f"{lost} of an earlier run cannot be restored here: the query is not in these "
                "files, or another grade was saved since. The history lists them."
            )
        text = " ".join(parts)
        answers = [Answer("Restore", partial(chronicle.restore, left))] if count else []
        answers.append(Answer("Discard", partial(chronicle.settle, "discarded")))
        self._messages.tell("warning", text, answers, key=UNSAVED)

    def tell_left_behind(self) -> None:
        """At the start: offer what earlier runs had not saved of any document."""
        if self._session.evaluation is not None:
            return
        left = self._chronicle.left_behind()
        if not left:
            return
        newest = left[0]
        changes = "1 change" if newest.changes == 1 else f"{newest.changes:,} changes"
        were = "was" if newest.changes == 1 else "were"
        text = f"{newest.title}: {changes} of {moment(newest.time)} {were} not saved."
        if len(left) > 1:
            others = ", ".join(each.title for each in left[1:4])
            text += f" So were changes of {others}" + (" and others." if len(left) > 4 else ".")
        answers = [
            Answer("Open and restore", partial(self._chronicle.reopen, newest)),
            Answer("Discard", partial(self._discard, newest)),
        ]
        self._messages.tell("warning", text, answers, key=UNSAVED)

    def _discard(self, left: Left) -> None:
        self._chronicle.give_up(left)
        self.tell_left_behind()

    # ---- others

    def _tell_others(self, others: list[Other]) -> None:
        """Tell that another run of the program has one of the files open."""
        if not others:
            self._messages.dismiss(OTHERS)
            return
        names = ", ".join(dict.fromkeys(other.path.name for other in others))
        self._messages.tell(
            "warning",
            f"{names} is also open in another window of this program (process "
            f"{others[0].pid} on {others[0].host}). Who saves second is asked what to do.",
            key=OTHERS,
        )

    def _tell_restored(self, count: int) -> None:
        word = "1 change" if count == 1 else f"{count:,} changes"
        self._window.statusBar().showMessage(f"{word} restored. They are not saved yet.", 8000)

    def _tell_elsewhere(self, path: Path, program: str) -> None:
        """Tell that another program says that it has a file open."""
        self._messages.tell(
            "note",
            f"{path.name} is also open in {program}. Save there and close it before you save here: "
            "what is saved second would be asked about, or refused.",
            key=ELSEWHERE,
        )


def moment(seconds: float) -> str:
    """A time as people write it here; with its date, unless that is today."""
    when = QDateTime.fromSecsSinceEpoch(int(seconds))
    short = QLocale.FormatType.ShortFormat
    today = when.date() == QDate.currentDate()
    return QLocale().toString(when.time(), short) if today else QLocale().toString(when, short)
