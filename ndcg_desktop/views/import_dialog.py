"""The import page: what each table of the files was taken for, to be seen and changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.read import file_bytes, read_as
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.summary import Summary, summarize
from ndcg_desktop.files.table import Dialect, FileError, Table
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.histogram import Histogram
from ndcg_desktop.views.reading_panel import ReadingPanel

COUNTED_AFTER = 150
"""Milliseconds that choices may follow one another before the table is counted anew."""


@dataclass(slots=True)
class Offered:
    """A table of the files: how it is read, why a person should look, and whether it is used."""

    part: Understood
    doubt: str = ""
    used: bool = True


class ImportDialog(QDialog):
    """Every table of the files at the left, the chosen one at the right."""

    def __init__(
        self, session: Session, offered: Sequence[Offered], done: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("importPage")
        names = list(dict.fromkeys(each.part.table.source.file for each in offered))
        verb = "is" if len(names) == 1 else "are"
        self.setWindowTitle(f"How {', '.join(names[:3])}{', …' if names[3:] else ''} {verb} read")
        self.offered = list(offered)
        # They are the session's: what cannot be given up at once must not keep the page open.
        self._readings, self._counts = session.readings, session.counts
        self._unread: dict[int, str] = {}
        self._summaries: dict[int, Summary] = {}
        room = parent.size() if parent is not None else self.size()
        self.resize(max(760, int(room.width() * 0.9)), max(520, int(room.height() * 0.9)))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(COUNTED_AFTER)
        self._timer.timeout.connect(self._count)
        layout = QVBoxLayout(self)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._list())
        splitter.addWidget(self._reading())
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([230, 900])
        layout.addWidget(splitter, 1)
        layout.addLayout(self._result())
        layout.addWidget(self._buttons(done))
        doubtful = next((p for p, each in enumerate(self.offered) if each.doubt), 0)
        self.tables.setCurrentRow(doubtful)

    def _list(self) -> QWidget:
        self.tables = QListWidget()
        self.tables.setObjectName("tables")
        self.tables.setAccessibleName("Tables of the files; those that are ticked are used")
        self.tables.setWordWrap(True)
        for each in self.offered:
            item = QListWidgetItem(_name(each))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            state = Qt.CheckState.Checked if each.used else Qt.CheckState.Unchecked
            item.setCheckState(state)
            self.tables.addItem(item)
        self.tables.currentRowChanged.connect(self._on_table)
        self.tables.itemChanged.connect(self._on_used)
        self.tables.setVisible(len(self.offered) > 1)
        return self.tables

    def _reading(self) -> QWidget:
        self.reading = ReadingPanel()
        self.reading.changed.connect(self._on_changed)
        self.reading.dialect_wanted.connect(self._read_as)
        return self.reading

    def _result(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.outcome = QLabel()
        self.outcome.setObjectName("outcome")
        self.outcome.setTextFormat(Qt.TextFormat.PlainText)
        self.outcome.setWordWrap(True)
        self.outcome.setMinimumWidth(1)
        self.histogram = Histogram()
        row.addWidget(self.outcome, 3)
        row.addWidget(self.histogram, 2)
        return row

    def _buttons(self, done: str) -> QDialogButtonBox:
        standard = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(standard.Ok | standard.Cancel)
        self.buttons.button(standard.Ok).setText(done)
        self.buttons.button(standard.Ok).setToolTip("Ctrl+Return")
        # A shortcut of the button itself would take the place of its underlined letter.
        QShortcut(QKeySequence("Ctrl+Return"), self, self.buttons.button(standard.Ok).click)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        return self.buttons

    # ---- following what is chosen

    @property
    def _current(self) -> Offered:
        return self.offered[self.tables.currentRow()]

    def _on_table(self, row: int) -> None:
        if row >= 0:
            self.reading.show_part(self.offered[row].part, self.offered[row].doubt)
            self._follow()

    def _on_used(self, item: QListWidgetItem) -> None:
        each = self.offered[self.tables.row(item)]
        each.used = item.checkState() == Qt.CheckState.Checked
        self._follow()

    def _on_changed(self) -> None:
        self._current.part = self.reading.part
        self._forget(self.tables.currentRow())
        self._follow()

    def _forget(self, place: int) -> None:
        """What was counted of a table no longer holds."""
        self._summaries.pop(place, None)
        self._unread.pop(place, None)

    def _read_as(self, dialect: Dialect) -> None:
        """Read the file of the table anew, in another encoding or with another separator."""
        place, part = self.tables.currentRow(), self._current.part
        path = part.table.path
        self._timer.stop()
        self.outcome.setText("Reading…")
        self._allow(False)
        self.reading.setEnabled(False)
        self._readings.run(
            "Reading",
            lambda ticket: read_as(path, file_bytes(path), dialect, ticket.cancelled),
            lambda table: self._on_read(place, table),
            lambda error: self._on_not_read(place, error),
        )

    def _on_read(self, place: int, table: Table) -> None:
        known = guess(table)
        each = self.offered[place]
        each.part = replace(each.part, table=table, roles=known.roles, labels=None)
        each.doubt = known.doubt
        self._forget(place)
        self.reading.setEnabled(True)
        if place == self.tables.currentRow():
            self._on_table(place)
        else:
            self._follow()

    def _on_not_read(self, place: int, error: BaseException) -> None:
        self.reading.setEnabled(True)
        self._on_table(self.tables.currentRow())
        if place == self.tables.currentRow():
            self._timer.stop()
            self._say(_failure(error))

    def _follow(self) -> None:
        """Show what is known of the table, and count it where that is not yet known."""
        place = self.tables.currentRow()
        self._timer.stop()
        if why := _unusable(self._current.part):
            self._say(why)
        elif place in self._unread:
            self._say(self._unread[place])
        elif (summary := self._summaries.get(place)) is not None:
            self._show(self._current.part, summary)
        else:
            self._say("Counting…")
            self._timer.start()
        self._allow(not self._timer.isActive() and self._readings.idle)

    def _say(self, text: str) -> None:
        self.outcome.setText(text)
        self.histogram.show_grades({})
        self.reading.show_labels({})

    def _allow(self, settled: bool) -> None:
        """Let the page be accepted once it shows what will be used."""
        used = [each for each in self.offered if each.used]
        read = all(
            place not in self._unread for place, each in enumerate(self.offered) if each.used
        )
        usable = bool(used) and read and not any(_unusable(each.part) for each in used)
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setEnabled(bool(usable) and settled)

    def _count(self) -> None:
        place, part = self.tables.currentRow(), self._current.part
        self._counts.run(
            "Counting",
            lambda _: summarize(part),
            lambda summary: self._on_counted(place, part, summary),
            lambda error: self._on_not_counted(place, part, error),
        )

    def _on_counted(self, place: int, part: Understood, summary: Summary) -> None:
        each = self.offered[place]
        if each.part is not part:
            return
        if part.labels is None and summary.suggested is not None:
            # Words among the grades are read as the scale that knows them; that is shown at once.
            each.part = replace(part, labels=summary.suggested)
            self._on_table(place)
            return
        self._summaries[place] = summary
        self._follow()

    def _on_not_counted(self, place: int, part: Understood, error: BaseException) -> None:
        if self.offered[place].part is part:
            self._unread[place] = _failure(error)
            self._follow()

    def _show(self, part: Understood, summary: Summary) -> None:
        self.outcome.setText(_outcome(part, summary))
        self.histogram.show_grades(summary.grades)
        self.reading.show_labels(summary.labels)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()  # it belongs to the fields and the tables, and does not accept the page
            return
        super().keyPressEvent(event)

    def done(self, result: int) -> None:
        self._timer.stop()
        self._readings.cancel()
        self._counts.cancel()
        super().done(result)


def _name(each: Offered) -> str:
    table = each.part.table
    name = table.source.file if table.sheet is None else f"{table.source.file}: {table.sheet}"
    return f"{name} (hidden)" if table.hidden else name


def _unusable(part: Understood) -> str:
    """What has to be said of a table before it can be used, empty where nothing has."""
    roles = part.roles
    if roles.systems and roles.rank is None:
        return "Say which column is the rank, which the rankings beside each other share."
    ranks = roles.ranks or (part.row_order and roles.document is not None)
    if roles.judges or ranks:
        return ""
    return "Say which column is the document, and which the grade, the rank or the score."


def _failure(error: BaseException) -> str:
    return f"✕ {error.problem if isinstance(error, FileError) else error}"


def _outcome(part: Understood, summary: Summary) -> str:
    """What comes out of a table, in a few sentences."""
    roles = part.roles
    ranks = summary.rankings
    what = " and ".join(
        word
        for word in (
            "judgments" if roles.judges else "",
            "" if not ranks else "a ranking" if ranks == 1 else f"{ranks:,} rankings",
        )
        if word
    )
    counts = [
        _counted(summary.rows, "row", "rows"),
        _counted(summary.queries, "query", "queries"),
        _counted(summary.documents, "document", "documents"),
    ]
    if roles.judges:
        counts += [f"{summary.judged:,} judged", f"{summary.unjudged:,} not judged"]
    one = "" if roles.query is not None else " All rows are of one query."
    return f"Read as {what}: {', '.join(counts)}.{one}"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
