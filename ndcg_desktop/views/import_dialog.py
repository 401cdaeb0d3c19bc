"""The import page: what each table of the files was taken for, to be seen and changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, QTimer
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
from ndcg_desktop.session.jobs import Jobs
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
        self, offered: Sequence[Offered], done: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("importPage")
        names = list(dict.fromkeys(each.part.table.source.file for each in offered))
        self.setWindowTitle(f"How {', '.join(names[:3])}{', …' if names[3:] else ''} is read")
        self.offered = list(offered)
        self._jobs = Jobs(self)
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
        self._summaries.pop(self.tables.currentRow(), None)
        self._follow()

    def _read_as(self, dialect: Dialect) -> None:
        """Read the file of the table anew, in another encoding or with another separator."""
        place, part = self.tables.currentRow(), self._current.part
        path = part.table.path
        self.outcome.setText("Reading…")
        self._jobs.run(
            "Reading",
            lambda ticket: read_as(path, file_bytes(path), dialect, ticket.cancelled),
            lambda table: self._on_read(place, table),
            self._on_not_read,
        )

    def _on_read(self, place: int, table: Table) -> None:
        known = guess(table)
        each = self.offered[place]
        each.part = replace(each.part, table=table, roles=known.roles, labels=None)
        each.doubt = known.doubt
        self._summaries.pop(place, None)
        if place == self.tables.currentRow():
            self._on_table(place)

    def _on_not_read(self, error: BaseException) -> None:
        self._on_table(self.tables.currentRow())
        self._timer.stop()
        self._on_not_counted(error)

    def _follow(self) -> None:
        place = self.tables.currentRow()
        summary = self._summaries.get(place)
        if summary is not None:
            self._show(self._current.part, summary)
        else:
            self.outcome.setText("Counting…")
            self.histogram.show_grades({})
            self._timer.start()
        usable = [each for each in self.offered if each.used]
        ok = bool(usable) and all(_usable(each.part) for each in usable)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(ok)
        if not _usable(self._current.part):
            self.outcome.setText(
                "Say which column is the document, and which the grade, the rank or the score."
            )

    def _count(self) -> None:
        place, part = self.tables.currentRow(), self._current.part
        if _usable(part):
            self._jobs.run(
                "Counting",
                lambda _: summarize(part),
                lambda summary: self._on_counted(place, part, summary),
                self._on_not_counted,
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

    def _on_not_counted(self, error: BaseException) -> None:
        text = error.problem if isinstance(error, FileError) else str(error)
        self.outcome.setText(f"✕ {text}")

    def _show(self, part: Understood, summary: Summary) -> None:
        self.outcome.setText(_outcome(part, summary))
        self.histogram.show_grades(summary.grades)
        self.reading.show_labels(summary.labels)

    def done(self, result: int) -> None:
        self._timer.stop()
        self._jobs.wait()
        super().done(result)


def _name(each: Offered) -> str:
    table = each.part.table
    name = table.source.file if table.sheet is None else f"{table.source.file}: {table.sheet}"
    return f"{name} (hidden)" if table.hidden else name


def _usable(part: Understood) -> bool:
    ranks = part.roles.ranks or (part.row_order and part.roles.document is not None)
    return part.roles.judges or ranks


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
