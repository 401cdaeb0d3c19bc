"""The history: every change of the open document, of all runs, and the way back to any of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDockWidget,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.edits import Edit, Kind
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.models.history_model import (
    CHANGE,
    EFFECT,
    JUDGE,
    QUERY,
    TIME,
    Entry,
    HistoryModel,
    when,
)
from ndcg_desktop.session.chronicle import Chronicle
from ndcg_desktop.session.journal import History, Journal, JournalError
from ndcg_desktop.session.session import Session

ROW_HEIGHT = 24
PADDING = 14
NARROWEST = 100
"""Pixels of a column, so that the change itself is never squeezed to nothing."""
LATE = datetime(2028, 12, 30, 22, 58)
ROOM_FOR = {
    JUDGE: "Anna Lindqvist",
    QUERY: "waterproof jackets",
    EFFECT: "nDCG(dcg='exp-log2')@10… 0.000 → 0.000 (+0.000)",
}
"""What a column has room for, in whatever font; the change has the rest."""
NOTHING = "Nothing has been changed yet. Every grade will be listed here, also after a restart."
NOT_FOUND = "No change is about what the filter says."
READING = "Reading the history…"
NOT_KEPT = "The changes of this document are not kept, so there is no history to go back in."
KINDS: dict[Kind, str] = {
    "grade": "grade",
    "vote": "grade",
    "verdict": "verdict",
    "note": "note",
    "mark": "mark",
}
AS_IT_WAS = "Everything is as it was then: nothing had to be changed."


class HistoryPanel(QDockWidget):
    """Lists the changes while it is seen, and goes back to any of them: one undo step."""

    place_wanted = Signal(str, str)  # the query and the document of a change

    def __init__(self, session: Session, chronicle: Chronicle, parent: QWidget) -> None:
        super().__init__("History", parent)
        self.setObjectName("history")
        self.setAccessibleName("History")
        self._session = session
        self._chronicle = chronicle
        self._journal: Journal | None = None  # whose history is shown
        self._reading = False
        self._problem = ""
        self._note = ""  # what came of going back, until another row is chosen
        self._focus_wanted = False  # once the changes are read
        self.model = HistoryModel(self)
        # Changes come in bursts, and a restored one is marked as such after it was made.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._follow)
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(8, 4, 8, 8)
        layout.addLayout(self._head())
        layout.addWidget(self._table(), 1)
        layout.addWidget(self._message())
        self.setWidget(inside)
        self.setTabOrder(self.filter, self.table)
        self.setTabOrder(self.table, self.go)
        self.setTabOrder(self.go, self.back)
        chronicle.grown.connect(self._soon.start)
        session.replaced.connect(self._forget)
        session.options_changed.connect(self._show_decimals)
        self._show_decimals()
        self._tell()

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.filter = QLineEdit()
        self.filter.setObjectName("historyFilter")
        self.filter.setPlaceholderText("Filter by query, document or judge…")
        self.filter.setAccessibleName("Filter the history by query, document or judge")
        self.filter.setClearButtonEnabled(True)
        self.filter.setMaximumWidth(360)
        self.filter.textChanged.connect(self._on_filter)
        self.go = QPushButton("Go to document")
        self.go.setObjectName("goToDocument")
        self.go.clicked.connect(lambda: self._want_place(self.table.currentIndex()))
        self.back = QPushButton("Go back to here")
        self.back.setObjectName("goBack")
        self.back.setToolTip(
            "Bring everything back to what it was just after this change. This can be undone."
        )
        self.back.setAccessibleDescription(self.back.toolTip())
        self.back.clicked.connect(self._go_back)
        row.addWidget(self.filter, 1)
        row.addStretch(1)
        row.addWidget(self.go)
        row.addWidget(self.back)
        return row

    def _table(self) -> QTableView:
        self.table = QTableView()
        self.table.setObjectName("changes")
        self.table.setAccessibleName("Changes, newest first")
        self.table.setModel(self.model)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setAlternatingRowColors(True)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.setWordWrap(False)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # the values stand at the end
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setSectionResizeMode(CHANGE, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(NARROWEST)
        for column, text in {TIME: when(LATE.timestamp()), **ROOM_FOR}.items():
            width = self.table.fontMetrics().horizontalAdvance(text) + PADDING
            self.table.setColumnWidth(column, width)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._on_current())
        self.table.activated.connect(self._want_place)
        return self.table

    def _message(self) -> QLabel:
        self.text = QLabel()
        self.text.setObjectName("historyText")
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.text.setMinimumWidth(1)  # a long path must not widen the window
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        return self.text

    # ---- what is shown

    def set_ranking(self, name: str) -> None:
        """Show the effects on this ranking."""
        self.model.set_ranking(name)

    def set_blind(self, blind: bool) -> None:
        """Show no scores while somebody judges without seeing what comes of it."""
        self.model.set_blind(blind)
        self.table.setColumnHidden(EFFECT, blind)

    def take_focus(self) -> None:
        """Let keys go to the changes: now, or as soon as they have been read."""
        self._focus_wanted = self._reading and self.model.empty
        if not self.model.empty:
            self._focus_table()

    def _focus_table(self) -> None:
        if not self.table.currentIndex().isValid() and self.model.rowCount():
            self._select(self.model.entry_at(0))
        self.table.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def _show_decimals(self) -> None:
        self.model.set_decimals(self._session.decimals)

    def _forget(self) -> None:
        """Something else is open, or its queries are called otherwise."""
        self._journal, self._reading, self._note = None, False, ""
        self.model.clear()
        self._tell()
        self._soon.start()

    def _follow(self) -> None:
        """Show what has happened since it was last looked at."""
        if not self.isVisible():
            return
        journal = self._chronicle.journal
        if journal is not self._journal:
            self._journal, self._reading = journal, False
            self.model.clear(_names(self._session.evaluation))
        if journal is not None and not self._reading:
            self._reading = True
            self._chronicle.read_history(
                self.model.newest,
                lambda history: self._add(journal, history),
                lambda error: self._fail(journal, error),
            )
        self._tell()

    def _add(self, journal: Journal, history: History) -> None:
        if journal is not self._journal:
            return
        self._reading, self._problem = False, ""
        self.model.add(history)
        self._tell()
        wanted, self._focus_wanted = self._focus_wanted, False
        if wanted and not self.model.empty:
            self._focus_table()
        if history.changes:  # there may be more, if it took a while
            self._soon.start()

    def _fail(self, journal: Journal, error: BaseException) -> None:
        if journal is self._journal:
            self._reading = False
            why = error.problem if isinstance(error, JournalError) else str(error)
            self._problem = f"The history cannot be read: {why}."
            self._tell()

    def _tell(self) -> None:
        """Say what the table does not, and offer what can be done with its current row."""
        self.text.setText(self._sentence())
        self.text.setVisible(bool(self.text.text()))
        self.table.setVisible(not self.model.empty)
        self.filter.setEnabled(not self.model.empty)
        current = self.table.currentIndex()
        self.back.setEnabled(current.isValid())
        self.go.setEnabled(current.isValid() and self.model.place_at(current.row()) is not None)

    def _sentence(self) -> str:
        if self._session.evaluation is None:
            return NOTHING
        if self._chronicle.journal is None:
            return NOT_KEPT
        if self._problem or self._note:
            return self._problem or self._note
        if self.model.empty:
            return READING if self._reading else NOTHING
        return "" if self.model.rowCount() else NOT_FOUND

    # ---- what is wanted

    def _on_current(self) -> None:
        self._note = ""
        self._tell()

    def _on_filter(self, text: str) -> None:
        """Filter, and stay with the change where it is still shown."""
        current = self.table.currentIndex()
        entry = self.model.entry_at(current.row()) if current.isValid() else None
        self.model.set_filter(text)
        if entry is not None:
            self._select(entry)
        self._on_current()

    def _select(self, entry: Entry) -> None:
        row = self.model.row_of(entry)
        if row is not None:
            flag = QItemSelectionModel.SelectionFlag
            index = self.model.index(row, TIME)
            self.table.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
            self.table.scrollTo(index)

    def _want_place(self, index: QModelIndex) -> None:
        place = self.model.place_at(index.row()) if index.isValid() else None
        if place is not None:
            self.place_wanted.emit(*place)

    def _go_back(self) -> None:
        row = self.table.currentIndex().row()
        time = self.model.time_at(row)
        made: list[Edit] = []
        noting = self._session.written.connect(lambda edits, _: made.extend(edits))
        lost = self._chronicle.go_back(self.model.number_at(row), f"going back to {time}")
        self._session.written.disconnect(noting)
        self._note = _what_came_back(made, time)
        if lost:
            values = "1 value has" if lost == 1 else f"{lost:,} values have"
            gone = f"{values} no place in what is open now, and did not come back."
            self._note = f"{gone} {self._note}" if made else gone
        self._tell()


def _what_came_back(edits: Sequence[Edit], time: str) -> str:
    """How many values of which kind are as they were."""
    if not edits:
        return AS_IT_WAS
    counts = Counter(KINDS[edit.kind] for edit in edits)
    what = " and ".join(f"{n:,} {kind}{'' if n == 1 else 's'}" for kind, n in counts.items())
    return f"{what} {'is as it was' if len(edits) == 1 else 'are as they were'} at {time}."


def _names(evaluation: Evaluation | None) -> dict[str, str]:
    """What queries are called that have a text beside their id."""
    if evaluation is None:
        return {}
    return {
        (query := evaluation.queries[number]): f"{title} ({query})"
        for number, title in evaluation.titles.items()
        if title and title != evaluation.queries[number]
    }
