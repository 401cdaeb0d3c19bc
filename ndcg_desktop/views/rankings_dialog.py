"""The rankings that are compared: names, colours, order, the baseline; each change is one step."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.charts.ranking_styles import RANKING_STYLES
from ndcg_desktop.evaluation.lineup import Entrant, Lineup
from ndcg_desktop.models.tooltip import plain_tip, short_text
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.fitting import fit

NAME, COLOUR, ROLE, SOURCE = range(4)
HEADERS = ("Name", "Colour", "Compared as", "In its file")
ICON = QSize(46, 18)
BASELINE, CANDIDATE, OUT = "baseline", "candidate", "left out"


class RankingsDialog(QDialog):
    """Shows the line-up and changes it through the session, where each change can be undone."""

    add_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setObjectName("rankingsDialog")
        self.setWindowTitle("Rankings")
        self.table = self._table()
        layout = QVBoxLayout(self)
        words = QLabel(
            "The others are compared with the baseline. Double-click a name to change it (F2). "
            "Every change can be undone."
        )
        words.setWordWrap(True)
        layout.addWidget(words)
        layout.addWidget(self.table, 1)
        layout.addLayout(self._buttons())
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        layout.addWidget(close)
        self._fills = False
        session.lineup_changed.connect(self._fill)
        session.replaced.connect(self._fill)
        self._fill()
        self.table.setCurrentCell(0, NAME)
        fit(self, 700, 400)

    def _table(self) -> QTableWidget:
        table = QTableWidget(0, len(HEADERS))
        table.setObjectName("lineup")
        table.setAccessibleName("Rankings")
        table.setHorizontalHeaderLabels(HEADERS)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(30)
        table.setTabKeyNavigation(False)
        table.setIconSize(ICON)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in ((COLOUR, 110), (ROLE, 130), (SOURCE, 190)):
            table.setColumnWidth(column, width)
        table.itemChanged.connect(self._on_name)
        table.currentCellChanged.connect(lambda *_: self._enable())
        return table

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.buttons = {}
        for name, text, act in (
            ("rankingAdd", "&Add…", self.add_wanted.emit),
            ("rankingUp", "Move &up", lambda: self._move(-1)),
            ("rankingDown", "Move &down", lambda: self._move(1)),
            ("rankingBaseline", "Make it the &baseline", self._make_baseline),
            ("rankingRemove", "&Take out", self._take_out),
        ):
            button = QPushButton(text)
            button.setObjectName(name)
            button.setAutoDefault(False)
            button.clicked.connect(act)
            self.buttons[name] = button
            row.addWidget(button)
        row.addStretch(1)
        return row

    # ---- showing

    @property
    def _lineup(self) -> Lineup:
        evaluation = self._session.evaluation
        return Lineup() if evaluation is None else evaluation.lineup

    def _fill(self) -> None:
        row = self.table.currentRow()
        self._fills = True
        lineup = self._lineup
        entrants = [*lineup.taking_part, *(e for e in lineup.entrants if not e.taking_part)]
        self._entrants: list[Entrant] = entrants
        self.table.setRowCount(len(entrants))
        for place, entrant in enumerate(entrants):
            self._fill_row(place, entrant, lineup.baseline)
        self._fills = False
        if entrants:
            self.table.setCurrentCell(min(max(row, 0), len(entrants) - 1), NAME)
        self._enable()

    def _fill_row(self, row: int, entrant: Entrant, baseline: str) -> None:
        name = QTableWidgetItem(short_text(entrant.name))
        name.setToolTip(plain_tip(entrant.name))
        self.table.setItem(row, NAME, name)
        role = BASELINE if entrant.key == baseline else CANDIDATE if entrant.taking_part else OUT
        for column, text in ((COLOUR, ""), (ROLE, role), (SOURCE, entrant.key)):
            item = QTableWidgetItem(short_text(text))
            item.setToolTip(plain_tip(text))
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
            self.table.setItem(row, column, item)
        self.table.setCellWidget(row, COLOUR, self._colour_box(entrant))

    def _colour_box(self, entrant: Entrant) -> QComboBox:
        box = QComboBox()
        box.setIconSize(ICON)
        box.setAccessibleName(f"Colour and hatching of {entrant.name}")
        for place in range(len(RANKING_STYLES)):
            box.addItem(style_icon(place, self.palette()), str(place + 1))
        box.setCurrentIndex(entrant.style)
        box.activated.connect(
            lambda style, key=entrant.key: self._change(
                self._lineup.styled(key, style), "colour of a ranking"
            )
        )
        return box

    def _enable(self) -> None:
        entrant = self._current
        lineup = self._lineup
        part = [each.key for each in lineup.taking_part]
        there = entrant is not None and entrant.key in part
        place = part.index(entrant.key) if entrant is not None and there else 0
        self.buttons["rankingUp"].setEnabled(there and place > 0)
        self.buttons["rankingDown"].setEnabled(there and place < len(part) - 1)
        self.buttons["rankingBaseline"].setEnabled(
            there and entrant is not None and entrant.key != lineup.baseline
        )
        remove = self.buttons["rankingRemove"]
        remove.setText("&Take out" if there or entrant is None else "&Bring back")
        remove.setEnabled(entrant is not None and (not there or len(part) > 1))

    @property
    def _current(self) -> Entrant | None:
        row = self.table.currentRow()
        return self._entrants[row] if 0 <= row < len(self._entrants) else None

    # ---- changing

    def _change(self, lineup: Lineup, text: str) -> None:
        self._session.set_lineup(lineup, text)

    def _on_name(self, item: QTableWidgetItem) -> None:
        if self._fills or item.column() != NAME:
            return
        entrant = self._entrants[item.row()]
        self._change(self._lineup.renamed(entrant.key, item.text()), "name of a ranking")
        if not self._fills:
            self._fill()  # a name that was not taken is shown as it is

    def _move(self, by: int) -> None:
        entrant = self._current
        if entrant is None:
            return
        self._change(self._lineup.moved(entrant.key, by), "order of rankings")
        keys = [each.key for each in self._entrants]
        self.table.setCurrentCell(keys.index(entrant.key), NAME)

    def _make_baseline(self) -> None:
        if self._current is not None:
            self._change(self._lineup.against(self._current.key), "choice of the baseline")

    def _take_out(self) -> None:
        entrant = self._current
        if entrant is None:
            return
        if entrant.taking_part:
            self._change(self._lineup.without(entrant.key), "taking out of a ranking")
        else:
            self._change(self._lineup.with_again(entrant.key), "bringing back of a ranking")


HATCHES = {
    "": Qt.BrushStyle.SolidPattern,
    ".": Qt.BrushStyle.Dense6Pattern,
    "\\": Qt.BrushStyle.FDiagPattern,
    "x": Qt.BrushStyle.DiagCrossPattern,
    "-": Qt.BrushStyle.HorPattern,
    "|": Qt.BrushStyle.VerPattern,
    "+": Qt.BrushStyle.CrossPattern,
    "o": Qt.BrushStyle.Dense7Pattern,
}
"""Qt's pattern for a hatching of matplotlib, by its first letter."""


def style_icon(style: int, palette: QPalette) -> QIcon:
    """A swatch of a ranking's colour and hatching, on the ground of this palette."""
    chosen = RANKING_STYLES[style % len(RANKING_STYLES)]
    dark = palette.color(QPalette.ColorRole.Window).lightness() < 128
    picture = QPixmap(ICON * 2)
    picture.setDevicePixelRatio(2)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    colour = QColor(chosen.dark if dark else chosen.light)
    painter.setPen(colour)
    painter.setBrush(QBrush(colour, HATCHES[chosen.hatch[:1]]))
    painter.drawRect(1, 1, ICON.width() - 3, ICON.height() - 3)
    painter.end()
    return QIcon(picture)
