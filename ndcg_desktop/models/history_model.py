"""The history of a document: every step that changed something, newest first, and what became of
them.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QAbstractTableModel,
    QDate,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from ndcg_desktop.evaluation import wording
from ndcg_desktop.models.tooltip import plain_tip, short_text
from ndcg_desktop.session.effect import value_text
from ndcg_desktop.session.journal import History, Mark, Told

Index = QModelIndex | QPersistentModelIndex

TIME, JUDGE, QUERY, CHANGE, EFFECT = range(5)
HEADERS = ("Time", "Judge", "Query", "Change", "Effect")
TOLD_ONE_BY_ONE = 20
"""Changes of one step, and queries, that the tooltip lists."""

LONGEST_MEASURE = 23
"""Characters of a measure in a cell, so that there is room for the figures; the tooltip has all."""

MARKED = {"saved": "saved", "discarded": "given up", "restored": "restored"}
"""What became of the changes below a mark, in a word."""
_MEANT = {
    "saved": "What was changed up to here is in the file.",
    "discarded": "What was changed up to here and not saved was given up.",
    "restored": "What was changed up to here and not saved was restored later.",
}
_SEVERAL = {
    "grade": "grades of {}",
    "vote": "grades of {}",
    "verdict": "verdicts on {}",
    "note": "notes on {}",
    "mark": "marks on {}",
    "repeat": "{} shown again",
}

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_ALIGN = int(Qt.ItemDataRole.TextAlignmentRole)
_TIP = int(Qt.ItemDataRole.ToolTipRole)
_ACCESSIBLE = int(Qt.ItemDataRole.AccessibleTextRole)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

# The fields of a change, where there may be too many changes to make a Told of each.
_CHANGE_STEP, _KIND, _QUERY, _DOCUMENT, _EFFECT = (
    Told._fields.index(name) for name in ("step", "kind", "query", "document", "effect")
)
_STEP, _MARK = range(2)
Entry = tuple[int, int, int, int]
"""A row: the number of the change that it ends with, whether it is a step or a mark, and either the
first change and the one after the last, or the place of the mark. Their order is the history's."""


class _Move(NamedTuple):
    """What a step did to the score of a query in a ranking."""

    ranking: str
    measure: str
    before: float | None
    after: float | None

    def named(self, longest: int | None = None) -> str:
        """The measure, cut where it is longer than there is room."""
        cut = longest is not None and len(self.measure) > longest
        return f"{self.measure[:longest]}…" if cut else self.measure

    def text(self, decimals: int, longest: int | None = None) -> str:
        """The measure, the score before and after, and the difference."""
        return f"{self.named(longest)} {wording.moved(self.before, self.after, decimals)}"


class HistoryModel(QAbstractTableModel):
    """A row for each step that the filter lets through; what is added comes in at the top."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._changes: list[tuple[Any, ...]] = []
        self._marks: list[Mark] = []
        self._settled: dict[str, int] = {}
        self._entries: list[Entry] = []  # all, oldest first
        self._rows: list[Entry] = []  # those that are shown, oldest first
        self._names: Mapping[str, str] = {}
        self._filter = ""
        self._searched: list[str] = []
        self._ranking = ""
        self._decimals = wording.DECIMALS
        self._blind = False
        self._texts: dict[Entry, tuple[str, str, str]] = {}  # of long steps, which take time

    # ---- what is shown

    def clear(self, names: Mapping[str, str] | None = None) -> None:
        """Show nothing; ``names`` are what the queries of the next history are called."""
        self.beginResetModel()
        self._changes, self._marks, self._settled = [], [], {}
        self._entries, self._rows, self._searched = [], [], []
        self._names = names or {}
        self._texts.clear()
        self.endResetModel()

    @property
    def newest(self) -> int:
        """The number of the last change that is known, 0 before the first."""
        return int(self._changes[-1][0]) if self._changes else 0

    @property
    def empty(self) -> bool:
        """Whether nothing has happened, whatever the filter lets through."""
        return not self._entries

    def add(self, history: History) -> None:
        """Show what happened after the newest change; of the marks those that are new."""
        steps = self._steps_of(history.changes)
        marks = self._marks_of(history.marks)
        if self._entries:
            self._insert(steps)
            for mark in marks:
                self._insert([mark])
        elif steps or marks:
            self.beginResetModel()
            self._entries = sorted(steps + marks)
            self._rows = self._matching(self._entries)
            self.endResetModel()

    def _steps_of(self, changes: Sequence[tuple[Any, ...]]) -> list[Entry]:
        """Take up changes, and find the steps that they make."""
        first = len(self._changes)
        self._changes += changes
        if not changes:
            return []
        begins = [
            place
            for place, (before, after) in enumerate(
                zip(changes, islice(changes, 1, None), strict=False), first + 1
            )
            if before[_CHANGE_STEP] != after[_CHANGE_STEP]
        ]
        bounds = [first, *begins, len(self._changes)]
        return [
            (self._changes[end - 1][0], _STEP, begin, end)
            for begin, end in zip(bounds, islice(bounds, 1, None), strict=False)
        ]

    def _marks_of(self, marks: Sequence[Mark]) -> list[Entry]:
        """Take up marks; one that settles nothing is none: a saved file, say, that is closed."""
        entries = []
        for mark in marks[len(self._marks) :]:
            if mark.upto > self._settled.get(mark.run, 0):
                self._settled[mark.run] = mark.upto
                entries.append((mark.upto, _MARK, len(self._marks), 0))
            self._marks.append(mark)
        return entries

    def _insert(self, entries: list[Entry]) -> None:
        """Add entries that have no other one between them."""
        if not entries:
            return
        place = bisect_right(self._entries, entries[0])
        self._entries[place:place] = entries
        shown = self._matching(entries)
        if shown:
            place = bisect_right(self._rows, shown[0])
            row = len(self._rows) - place
            self.beginInsertRows(QModelIndex(), row, row + len(shown) - 1)
            self._rows[place:place] = shown
            self.endInsertRows()

    def set_ranking(self, name: str) -> None:
        """Show the effect on this ranking; on the first where it has none."""
        if name != self._ranking:
            self._ranking = name
            self._effects_changed()

    def set_decimals(self, decimals: int) -> None:
        """Show scores with this many decimals."""
        if decimals != self._decimals:
            self._decimals = decimals
            self._effects_changed()

    def set_blind(self, blind: bool) -> None:
        """Say nothing of scores."""
        if blind != self._blind:
            self._blind = blind
            self._effects_changed()

    def _effects_changed(self) -> None:
        self._texts.clear()
        if self._rows:
            last = self.index(len(self._rows) - 1, EFFECT)
            self.dataChanged.emit(self.index(0, EFFECT), last)

    # ---- the filter

    def set_filter(self, text: str) -> None:
        """Show only what is about a query or document, or by a judge, that holds this text,
        whatever its case.
        """
        self.beginResetModel()  # which rows there are changes
        self._filter = text.casefold().strip()
        self._rows = self._matching(self._entries)
        self.endResetModel()

    def _matching(self, entries: Sequence[Entry]) -> list[Entry]:
        wanted = self._filter
        if not wanted:
            return list(entries)
        self._searched += [
            f"{document}\n{self._name(query)}\n{judge}\n{owner}".casefold()
            for _, _, _, judge, _, query, document, _, _, owner, _ in islice(
                self._changes, len(self._searched), None
            )
        ]
        return [
            entry
            for entry in entries
            if (
                any(wanted in words for words in self._searched[entry[2] : entry[3]])
                if entry[1] == _STEP
                else wanted in MARKED[self._marks[entry[2]].what]
            )
        ]

    # ---- what stands in a row

    def entry_at(self, row: int) -> Entry:
        """What tells a row from all others, for `row_of`."""
        return self._rows[-1 - row]

    def row_of(self, entry: Entry) -> int | None:
        """The row of an entry, None where the filter hides it."""
        place = bisect_right(self._rows, entry) - 1
        if place < 0 or self._rows[place] != entry:
            return None
        return len(self._rows) - 1 - place

    def number_at(self, row: int) -> int:
        """The number of the change that a row ends with."""
        return self._rows[-1 - row][0]

    def time_at(self, row: int) -> str:
        """When it was, as short as it can be said today."""
        return when(self._time(self._rows[-1 - row]))

    def place_at(self, row: int) -> tuple[str, str] | None:
        """The query and document that a row is about, the first of several; None for a mark."""
        entry = self._rows[-1 - row]
        if entry[1] == _MARK:
            return None
        told = self._told(entry[2])
        return told.query, told.document

    def _told(self, place: int) -> Told:
        return Told._make(self._changes[place])

    def _time(self, entry: Entry) -> float:
        if entry[1] == _MARK:
            return self._marks[entry[2]].time
        return self._told(entry[3] - 1).time

    # ---- Qt's questions

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == _DISPLAY:
                return HEADERS[section]
            if role == _ALIGN:
                return _LEFT
        return None

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if not index.isValid():
            return None
        entry, column = self._rows[-1 - index.row()], index.column()
        if role == _DISPLAY:
            return self._text(entry, column)
        if role == _ALIGN:
            return _LEFT
        if role == _TIP:
            return plain_tip("\n".join(self._tip(entry)))
        if role == _ACCESSIBLE:
            text = self._text(entry, column).strip("— ")
            return f"{HEADERS[column]} {text}".replace(" → ", " to ")
        return None

    def _text(self, entry: Entry, column: int) -> str:
        if column == TIME:
            return when(self._time(entry))
        if entry[1] == _MARK:
            what = MARKED[self._marks[entry[2]].what]
            return f"— {what} —" if column == CHANGE else ""
        if column == JUDGE:
            return short_text(self._told(entry[2]).judge) or wording.NONE
        return self._texts_of(entry)[column - QUERY]

    def _texts_of(self, entry: Entry) -> tuple[str, str, str]:
        """Query, change and effect of a step."""
        *_, begin, end = entry
        if end - begin == 1:
            told = self._told(begin)
            effect = self._effect({told.query: told.effect})
            return short_text(self._name(told.query)), _words(told), effect
        if entry not in self._texts:
            rows = self._changes[begin:end]
            effects = {row[_QUERY]: row[_EFFECT] for row in rows}
            one = self._name(rows[0][_QUERY])
            query = short_text(one) if len(effects) == 1 else f"{len(effects):,} queries"
            self._texts[entry] = query, _words_of_several(rows), self._effect(effects)
        return self._texts[entry]

    def _name(self, query: str) -> str:
        return self._names.get(query, query)

    def _effect(self, effects: Mapping[str, str]) -> str:
        """What a step did to the scores in the ranking that is shown, by query."""
        if self._blind:
            return wording.NONE
        moves = [
            move
            for text in effects.values()
            if (move := _shown(_moves(text), self._ranking)) and move.before != move.after
        ]
        if not moves:
            return wording.NONE
        if len(effects) == 1:
            return moves[0].text(self._decimals, LONGEST_MEASURE)
        queries = "1 query" if len(moves) == 1 else f"{len(moves):,} queries"
        return f"{moves[0].named(LONGEST_MEASURE)} changed in {queries}"

    # ---- tooltips

    def _tip(self, entry: Entry) -> list[str]:
        moment = _moment(self._time(entry))
        day = QLocale().toString(moment.date(), QLocale.FormatType.LongFormat)
        head = f"{day}, {QLocale().toString(moment.time(), QLocale.FormatType.ShortFormat)}"
        if entry[1] == _MARK:
            return [head, _MEANT[self._marks[entry[2]].what]]
        *_, begin, end = entry
        rows = self._changes[begin : min(end, begin + TOLD_ONE_BY_ONE)]
        changes = [Told._make(row) for row in rows]
        effects = {told.query: told.effect for told in changes}
        names = {query: f"{self._name(query)} · " for query in effects}
        if len(effects) == 1:  # said once, for all
            head = f"{head}\n{self._name(changes[0].query)}"
            names = dict.fromkeys(effects, "")
        lines = [names[told.query] + _words_in_full(told) for told in changes]
        if end - begin > len(changes):
            lines.append(f"… and {end - begin - len(changes):,} more")
        for query, effect in () if self._blind else effects.items():
            lines += [
                f"{names[query]}{move.ranking}: {move.text(self._decimals)}"
                for move in _moves(effect)[:TOLD_ONE_BY_ONE]
                if move.before != move.after
            ]
        return [head, *lines]


# ---- in words


def _moment(seconds: float) -> QDateTime:
    return QDateTime.fromMSecsSinceEpoch(int(seconds * 1000))


def when(seconds: float) -> str:
    """A time, with its date where that is not today's."""
    moment, short = _moment(seconds), QLocale.FormatType.ShortFormat
    if moment.date() == QDate.currentDate():
        return QLocale().toString(moment.time(), short)
    return QLocale().toString(moment, short)


def _words(told: Told) -> str:
    """What was changed, such as "B: 1 → 3"."""
    document = short_text(told.document)
    old, new = value_text(told.kind, told.old), value_text(told.kind, told.new)
    if told.kind == "repeat":
        return f"{document} shown again: {old}, then {new}"
    whose = f"{short_text(told.owner)}'s " if told.owner not in ("", told.judge) else ""
    if told.kind == "note":
        return f"{whose}note on {document}" + ("" if told.new else " removed")
    if told.kind == "mark":
        mark = new if told.new else f"no longer “{old}”"
        return f"{whose}mark on {document}: {mark}" if whose else f"{document}: {mark}"
    if told.kind == "verdict":
        return f"verdict on {document}: {old} → {new}"
    return f"{whose}grade of {document}: {old} → {new}" if whose else f"{document}: {old} → {new}"


def _words_in_full(told: Told) -> str:
    """What was changed, with the text of a note."""
    if told.kind == "note" and told.new:
        return f"{_words(told)}: {told.new}"
    return _words(told)


def _words_of_several(rows: Sequence[tuple[Any, ...]]) -> str:
    """What the changes of one step are, such as "grades of 12 documents"."""
    count = len({(row[_QUERY], row[_DOCUMENT]) for row in rows})
    documents = "1 document" if count == 1 else f"{count:,} documents"
    kinds = {row[_KIND] for row in rows}
    pattern = _SEVERAL.get(kinds.pop(), "") if len(kinds) == 1 else ""
    return (pattern or f"{len(rows):,} changes of {{}}").format(documents)


def _moves(effect: str) -> list[_Move]:
    """What the journal says of the scores; nothing where it says nothing that can be read."""
    try:
        return [_Move(*move) for move in json.loads(effect)] if effect else []
    except (ValueError, TypeError):
        return []


def _shown(moves: Sequence[_Move], ranking: str) -> _Move | None:
    """The ranking that is shown, else the first."""
    first = moves[0] if moves else None
    return next((move for move in moves if move.ranking == ranking), first)
