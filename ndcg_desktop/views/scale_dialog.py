"""Which grades a judge gives: a scale to choose, to write, and to hand to others."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.scale import (
    BUILT_IN,
    Level,
    Scale,
    ScaleError,
    count_off_scale,
    suggested_scale,
)
from ndcg_desktop.files.numbers import number, number_text
from ndcg_desktop.files.scale_file import SUFFIX, read_scale, write_scale
from ndcg_desktop.files.table import FileError
from ndcg_desktop.models.tooltip import short_text
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.fitting import Scrolled, fit
from ndcg_desktop.views.guideline_view import GuidelineView
from ndcg_desktop.views.level_keys import LevelKeys
from ndcg_desktop.views.levels_table import LevelsTable, Row
from ndcg_desktop.views.saving_flow import may_replace

AS_SUGGESTED = "As the grades suggest"
FILTER = f"Scale (*{SUFFIX})"
NOTHING_WRITTEN = (
    "*Nothing yet. Name the grades in the table, and write when to give each of them.*"
)
SUGGESTION, DRAFT = 0, -1
"""Places of what is no scale of the list: that of the grades, and that of the fields."""


@dataclass(frozen=True, slots=True)
class _Fields:
    """A scale as it stands in the fields, which may be none.

    Fields can hold less than a scale, as another kind of line end: ``exact`` is the scale that was
    put into them.
    """

    name: str
    rows: tuple[Row, ...]
    guideline: str
    exact: Scale | None = field(default=None, compare=False)

    @staticmethod
    def of(scale: Scale) -> _Fields:
        rows = ((number_text(each.grade), each.name, each.guideline) for each in scale.levels)
        return _Fields(scale.name, tuple(rows), scale.guideline, scale)

    def scale(self) -> Scale:
        """The scale of the fields. Raises ScaleError where they are none."""
        if self.exact is not None:
            return self.exact
        levels = tuple(
            Level(math.nan if (value := number(grade)) is None else value, name.strip(), guideline)
            for grade, name, guideline in self.rows
        )
        scale = Scale(self.name.strip(), levels, self.guideline)
        if not scale.name:
            raise ScaleError("Give the scale a name.")
        return scale


class ScaleDialog(QDialog):
    """Shows the scale of a session, and gives back the one that was chosen or written.

    A scale of the list is given back as it is; whatever is changed is another one, the *draft*.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scaleDialog")
        self.setWindowTitle("Scale")
        self._session = session
        evaluation = session.evaluation
        suggested = BUILT_IN[1] if evaluation is None else suggested_scale(evaluation)
        self._given = (suggested, *BUILT_IN)
        self._offered = [*self._given]
        self._picked = SUGGESTION
        self._draft: _Fields | None = None
        self._counted: tuple[tuple[float, ...], int] = ((), 0)
        self._make_fields()
        self._make_buttons()
        self._lay_out()
        self._connect()
        self._take(session.scale if session.scale_is_chosen else None)
        self._had = self._draft

    # ---- building

    def _make_fields(self) -> None:
        self.scales = QComboBox()
        self.scales.setObjectName("scales")
        self.scales.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.scales.setMinimumContentsLength(24)
        self.name = QLineEdit()
        self.name.setObjectName("scaleName")
        self.levels = LevelsTable()
        self.guideline = QPlainTextEdit()
        self.guideline.setObjectName("scaleGuideline")
        self.guideline.setTabChangesFocus(True)
        self.guideline.setPlaceholderText("What holds for every grade, in Markdown")
        self.view = GuidelineView(nothing=NOTHING_WRITTEN)
        self.keys = LevelKeys()
        self.off_scale = QLabel()
        self.off_scale.setObjectName("offScale")
        self.off_scale.setWordWrap(True)
        self.problem = QLabel()
        self.problem.setObjectName("scaleProblem")
        self.problem.setWordWrap(True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)

    def _make_buttons(self) -> None:
        self.keep = QPushButton("&Keep as own scale")
        self.keep.setObjectName("keepScale")
        self.forget = QPushButton("Remove o&wn scale")
        self.forget.setObjectName("removeScale")
        self.load = QPushButton("&Load…")
        self.load.setObjectName("loadScale")
        self.save = QPushButton("Sa&ve…")
        self.save.setObjectName("saveScale")
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )

    def _lay_out(self) -> None:
        choice = QHBoxLayout()
        label = QLabel("&Scale")
        label.setBuddy(self.scales)
        choice.addWidget(label)
        choice.addWidget(self.scales, 1)
        for button in (self.keep, self.forget, self.load, self.save):
            choice.addWidget(button)
        for button in (self.keep, self.forget, self.load, self.save, *self.levels.buttons):
            button.setAutoDefault(False)  # Enter in a field is OK
        written = QVBoxLayout()
        form = QFormLayout()
        form.addRow("&Name", self.name)
        written.addLayout(form)
        written.addWidget(_label("&Grades", self.levels.table))
        written.addWidget(self.levels, 3)
        written.addWidget(_label("&For all grades", self.guideline))
        written.addWidget(self.guideline, 1)
        shown = QVBoxLayout()
        shown.addWidget(_label("As it will stand &beside the document", self.view))
        shown.addWidget(self.view, 1)
        shown.addWidget(QLabel("Grades with their keys"))
        shown.addWidget(self.keys)
        both = QHBoxLayout()
        both.addLayout(written, 3)
        both.addLayout(shown, 2)
        inside = QWidget()
        inside.setLayout(both)
        layout = QVBoxLayout(self)
        layout.addLayout(choice)
        layout.addWidget(Scrolled(inside), 1)
        layout.addWidget(self.off_scale)
        layout.addWidget(self.problem)
        layout.addWidget(self.buttons)
        fit(self, 980, 660)

    def _connect(self) -> None:
        self.scales.currentIndexChanged.connect(self._on_picked)
        self.name.textEdited.connect(self._on_edited)
        self.levels.changed.connect(self._on_edited)
        self.guideline.textChanged.connect(self._on_edited)
        self.keep.clicked.connect(self._keep)
        self.forget.clicked.connect(self._forget)
        self.load.clicked.connect(self._load)
        self.save.clicked.connect(self._save)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape, which may have been pressed once too often in a cell, asks before it gives up
        what was written.
        """
        if event.key() == Qt.Key.Key_Escape and self._written() and not self._may_give_up():
            return
        super().keyPressEvent(event)

    def _written(self) -> bool:
        """Whether there is a draft that the evaluation does not have."""
        return self._draft is not None and self._draft != self._had

    def _may_give_up(self) -> bool:
        answers = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self,
            "Scale",
            "Give up what was written?",
            answers.Discard | answers.Cancel,
            answers.Cancel,
        )
        return answer == answers.Discard

    # ---- what is chosen

    def chosen(self) -> Scale | None:
        """The scale that is chosen, None for what the grades suggest.

        Raises ScaleError where the fields are no scale.
        """
        place = self.scales.currentData()
        return None if place == SUGGESTION else self._at(place)

    def _at(self, place: int) -> Scale:
        """The scale of a place of the list. Raises ScaleError where the draft is none."""
        if place != DRAFT:
            return self._offered[place]
        fields = self._fields()
        return (self._shown if fields == self._filled else fields).scale()

    def _fields(self) -> _Fields:
        return _Fields(self.name.text(), self.levels.rows(), self.guideline.toPlainText())

    def _fill(self, fields: _Fields) -> None:
        self.name.setText(fields.name)
        self.name.setCursorPosition(0)
        self.levels.show_rows(fields.rows)
        with QSignalBlocker(self.guideline):
            self.guideline.setPlainText(fields.guideline)
        self._shown, self._filled = fields, self._fields()
        self._follow()

    def _take(self, scale: Scale | None) -> None:
        """Choose a scale, one of the list or any other; None for what the grades suggest."""
        self._offered = [*self._given, *self._session.preferences.scales]
        known = scale is None or scale in self._offered[1:]
        place = SUGGESTION if scale is None else DRAFT
        if scale is not None and known:
            place = self._offered.index(scale, 1)
        if scale is not None and not known:
            self._draft = _Fields.of(scale)
        self._offer(place)
        self._on_picked()

    def _offer(self, place: int) -> None:
        """List the scales, with the one of a place chosen."""
        with QSignalBlocker(self.scales):
            self.scales.clear()
            self.scales.addItem(AS_SUGGESTED, SUGGESTION)
            for number_, scale in enumerate(self._offered[1:], 1):
                if number_ in (1, len(self._given)):
                    self.scales.insertSeparator(self.scales.count())
                self.scales.addItem(short_text(scale.name), number_)
            if self._draft is not None:
                self.scales.insertSeparator(self.scales.count())
                name = short_text(self._draft.name.strip()) or "without a name"
                self.scales.addItem(f"This evaluation only: {name}", DRAFT)
            self.scales.setCurrentIndex(self.scales.findData(place))

    def _on_picked(self) -> None:
        self._picked = self.scales.currentData()
        draft = self._draft if self._picked == DRAFT else None
        self._fill(draft or _Fields.of(self._offered[self._picked]))

    def _on_edited(self) -> None:
        """Take what stands in the fields for a scale of its own, unless it is as it was."""
        fields = self._fields()
        if fields == self._filled:
            self._draft = self._shown if self._picked == DRAFT else None
            self._offer(self._picked)
        else:
            given = SUGGESTION <= self._picked < len(self._given)
            if given and fields.name == self._filled.name:
                self.name.setText(_own(fields.name))
            self._draft = self._fields()
            self._offer(DRAFT)
        self._follow()

    # ---- what it comes to

    def _follow(self) -> None:
        """Show what the fields come to, or what is wrong with them."""
        place = self.scales.currentData()
        self.forget.setEnabled(place >= len(self._given))
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        try:
            scale = self._at(place)
        except ScaleError as error:
            self._say(str(error))
            self.off_scale.hide()
            for button in (ok, self.keep, self.save):
                button.setEnabled(False)
            return
        self._say("")
        ok.setEnabled(True)
        self.save.setEnabled(True)
        self.keep.setEnabled(place in (SUGGESTION, DRAFT))
        self.view.show_scale(scale)
        self.keys.show_scale(scale)
        self._tell_off_scale(None if place == SUGGESTION else scale)

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _tell_off_scale(self, scale: Scale | None) -> None:
        evaluation = self._session.evaluation
        count = 0
        if evaluation is not None and scale is not None:
            if self._counted[0] != scale.grades:
                self._counted = scale.grades, count_off_scale(evaluation, scale)
            count = self._counted[1]
        self.off_scale.setText(
            "1 grade is not on this scale; it stays, and is listed in the import report."
            if count == 1
            else f"{count:,} grades are not on this scale; they stay, and are listed in the import "
            "report."
        )
        self.off_scale.setVisible(count > 0)

    # ---- own scales, and files

    def _keep(self) -> None:
        scale = self._at(self.scales.currentData())
        if scale.name in {given.name for given in self._given}:
            scale = replace(scale, name=_own(scale.name))
        self._session.preferences.add_scale(scale)
        self._draft = None
        self._take(scale)

    def _forget(self) -> None:
        """Take a scale off the list; it is still in the fields, and may be kept again."""
        scale = self._offered[self.scales.currentData()]
        self._session.preferences.remove_scale(scale.name)
        self._take(scale)

    def _load(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Load a scale", "", FILTER)
        if not name:
            return
        try:
            scale = read_scale(Path(name))
        except FileError as error:
            self._say(str(error))
        else:
            self._take(scale)

    def _save(self) -> None:
        scale = self._at(self.scales.currentData())
        proposed = re.sub(r'[\\/:*?"<>|\x00-\x1f]+', "-", scale.name)[:80].strip(" .") or "scale"
        name, _ = QFileDialog.getSaveFileName(self, "Save the scale", proposed + SUFFIX, FILTER)
        if not name:
            return
        path = Path(name)
        if path.suffix.lower() != SUFFIX:
            # The dialog has asked about the name that was typed, not about the one with an ending.
            path = path.with_name(path.name + SUFFIX)
            if not may_replace(self, path):
                return
        try:
            write_scale(path, scale)
        except FileError as error:
            self._say(str(error))


def _label(text: str, buddy: QWidget) -> QLabel:
    label = QLabel(text)
    label.setBuddy(buddy)
    return label


def _own(name: str) -> str:
    return f"{name} (own)"
