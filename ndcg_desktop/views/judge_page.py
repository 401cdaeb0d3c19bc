"""The Judge page: one document at a time, large, graded by a digit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.queue import BY, RANKINGS_OF, WHICH
from ndcg_desktop.evaluation.remarks import MARKS
from ndcg_desktop.evaluation.wording import grade_text
from ndcg_desktop.models.document_card import card
from ndcg_desktop.models.judging import ending, pace_text, place_text, reason_text
from ndcg_desktop.models.tooltip import short_text
from ndcg_desktop.session.session import Session
from ndcg_desktop.session.sitting import Shown, Sitting
from ndcg_desktop.views.document_view import DocumentView
from ndcg_desktop.views.grade_buttons import GradeButtons
from ndcg_desktop.views.guideline_view import GuidelineView
from ndcg_desktop.views.judge_keys import JUDGE_KEYS, action_of, keys_of

_RETURNS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
TYPED = 700
"""Milliseconds until a note that is being typed is kept."""
LONGEST_NOTE = 1_000_000
MINUTE = 60_000
"""Milliseconds."""


class JudgePage(QWidget):
    """Shows what the sitting has come to, and asks it for every decision."""

    scale_wanted = Signal()  # the scale is to be chosen or changed
    queue_wanted = Signal()  # the queue is to be chosen
    judges_wanted = Signal()  # who judges is to be said
    review_wanted = Signal()  # the results are to be looked at
    problem = Signal(str)  # what was pressed does nothing here, and why
    told = Signal(str)  # what the last decision was
    link_wanted = Signal(str)  # an address in the guidelines

    def __init__(self, session: Session, sitting: Sitting) -> None:
        super().__init__()
        self.setObjectName("pageJudge")
        self.setAccessibleName("Judge")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._session = session
        self._sitting = sitting
        self._keys = keys_of(session.preferences)
        # A note is kept while it is typed: a crash must not take more than a second of it.
        self._typing = QTimer(self, singleShot=True, interval=TYPED)
        self._typing.timeout.connect(self.hand_in_note)
        self.document = DocumentView()
        self.guidelines = GuidelineView()
        self.grades = GradeButtons()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 10)
        layout.setSpacing(8)
        layout.addLayout(self._head())
        self.body = QStackedWidget()
        self.body.addWidget(self._judging())
        self.body.addWidget(self._end())
        layout.addWidget(self.body, 1)
        self._noted: tuple[int, str, str] | None = None
        self._note_begun = False
        """Whether a part of what is being typed is kept already: the rest is one step with it."""
        self._waiting: list[tuple[Evaluation, tuple[int, str, str], str, bool]] = []
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self._propose_pause)
        self._connect()

    # ---- making it

    def _head(self) -> QVBoxLayout:
        row = QHBoxLayout()
        self.which = _combo("judgeWhich", "Documents to judge")
        self.by = _combo("judgeBy", "Order of the documents")
        self.which.activated.connect(self._on_queue)
        self.by.activated.connect(self._on_queue)
        self.queue = _button("judgeQueue", "Queue…", "Depth, shuffle, repeats, pause")
        self.queue.clicked.connect(self.queue_wanted)
        self.scale = _button("judgeScale", "Scale…", "Grades, their names and guidelines")
        self.scale.clicked.connect(self.scale_wanted)
        self.judge = _button("judgeWho", "", "Who judges here, and how far judges agree")
        self.judge.clicked.connect(self.judges_wanted)
        for widget in (self.which, self.by, self.queue, self.scale, self.judge):
            row.addWidget(widget)
        row.addStretch(1)
        self.pace = QLabel()
        self.pace.setObjectName("judgePace")
        self.pace.setAccessibleName("Progress")
        row.addWidget(self.pace)
        self.bar = QProgressBar()
        self.bar.setObjectName("judgeProgress")
        self.bar.setAccessibleName("Judged documents")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        head = QVBoxLayout()
        head.setSpacing(6)
        head.addLayout(row)
        head.addWidget(self.bar)
        return head

    def _judging(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.document)
        side = QWidget()
        side_column = QVBoxLayout(side)
        side_column.setContentsMargins(0, 0, 0, 0)
        self.votes = _plain("judgeVotes")
        font = QFont(self.votes.font())
        font.setPointSizeF(font.pointSizeF() * 1.15)
        self.votes.setFont(font)
        side_column.addWidget(self.votes)
        side_column.addWidget(self.guidelines, 1)
        self.splitter.addWidget(side)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([900, 330])
        column.addWidget(self.splitter, 1)
        self.state = _plain("judgeState")
        column.addWidget(self.state)
        column.addLayout(self._note_row())
        column.addWidget(self.grades)
        column.addLayout(self._more_buttons())
        return page

    def _note_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        word = QLabel("Note")
        self.note = QLineEdit()
        self.note.setObjectName("judgeNote")
        self.note.setAccessibleName("Note about this document")
        self.note.setClearButtonEnabled(True)
        self.note.installEventFilter(self)
        self.note.setMaxLength(LONGEST_NOTE)
        self.note.textEdited.connect(self._on_typed)
        self.note.editingFinished.connect(self.hand_in_note)
        word.setBuddy(self.note)
        row.addWidget(word)
        row.addWidget(self.note, 1)
        return row

    def _more_buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.more: dict[str, QPushButton] = {}
        for name in JUDGE_KEYS:
            button = _button(f"judge{name.capitalize()}", "", "")
            button.clicked.connect(lambda _=False, n=name: self._act(n))
            self.more[name] = button
            row.addWidget(button)
        row.insertStretch(list(JUDGE_KEYS).index("previous"), 1)
        self.show_keys()
        return row

    def _end(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        self.ending = _plain("judgeEnding")
        font = QFont(self.ending.font())
        font.setPointSizeF(font.pointSizeF() * 1.3)
        self.ending.setFont(font)
        self.ending.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row = QHBoxLayout()
        self.go_on = _button("judgeGoOn", "Go on", "")
        self.go_on.clicked.connect(self._go_on)
        self.rest = _button("judgeRest", "Judge what is left", "")
        self.rest.clicked.connect(lambda: self._judge_only("unjudged"))
        self.take_later = _button("judgeTakeLater", "Judge those left for later", "")
        self.take_later.clicked.connect(lambda: self._judge_only("later"))
        self.back = _button("judgeBack", "Back to the last document", "")
        self.back.clicked.connect(lambda: self._act("previous"))
        self.review = _button("judgeReview", "Review the result", "")
        self.review.clicked.connect(self.review_wanted)
        row.addStretch(1)
        for button in (self.go_on, self.rest, self.take_later, self.back, self.review):
            row.addWidget(button)
        row.addStretch(1)
        column.addStretch(1)
        column.addWidget(self.ending)
        column.addSpacing(12)
        column.addLayout(row)
        column.addStretch(2)
        return page

    def _connect(self) -> None:
        session, sitting = self._session, self._sitting
        sitting.chosen.connect(self._show_choices)
        sitting.chosen.connect(self._restart_pause)
        sitting.outdated.connect(self._on_outdated)
        sitting.decided.connect(self._tell_decision)
        sitting.moved.connect(self._show_document)
        sitting.progressed.connect(self._show_progress)
        sitting.settled_changed.connect(self._show_state)
        sitting.judge_needed.connect(self.judges_wanted)
        session.replaced.connect(self._on_replaced)
        session.scale_changed.connect(self._show_scale)
        session.judge_changed.connect(self._on_judge)
        session.written.connect(lambda *_: self._show_state())
        session.collecting.connect(self.hand_in_note)
        self.grades.chosen.connect(self._grade)
        self.document.refused.connect(self.problem)
        self.guidelines.link_wanted.connect(self.link_wanted)

    # ---- following

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._begin()

    def _begin(self) -> None:
        """Make the queue where there is none, and count the time from now on."""
        if self._session.evaluation is None or not self.isVisible():
            return
        if self._sitting.started:
            self._sitting.resume()
        else:
            self._show_choices()
            self._show_scale()
            self._sitting.start()
        self._restart_pause()
        self.setFocus()

    def _on_replaced(self) -> None:
        self._noted = None
        if self._session.evaluation is not None:
            self._show_scale()
            self._show_choices()
        self._begin()

    def _on_judge(self) -> None:
        """Somebody else judges: other documents are done."""
        if self._session.evaluation is None:
            return
        self.hand_in_note()
        self._show_choices()
        if self.isVisible():
            self._sitting.start()

    def show_keys(self) -> None:
        """Name the keys on the buttons, as they now are."""
        self._keys = keys_of(self._session.preferences)
        for name, button in self.more.items():
            key = self._keys[name]
            text = JUDGE_KEYS[name].text
            button.setText(f"{text} ({key})" if key else text)
            button.setAccessibleName(text)

    def _show_scale(self) -> None:
        if self._session.evaluation is None:
            return
        scale = self._session.scale
        self.grades.show_scale(scale)
        self.guidelines.show_scale(scale)
        self._show_state()

    def _show_choices(self) -> None:
        """Offer the queues that there can be for these files."""
        evaluation, options = self._session.evaluation, self._sitting.options
        assert evaluation is not None
        rankings, several = len(evaluation.rankings), evaluation.votes is not None
        self.which.clear()
        for which, text in WHICH.items():
            if several or which != "disagreements":
                self.which.addItem(text[0].upper() + text[1:], which)
        self.by.clear()
        for by, text in BY.items():
            if rankings >= RANKINGS_OF.get(by, 0):
                self.by.addItem(text[0].upper() + text[1:], by)
        self.which.setCurrentIndex(self.which.findData(options.which))
        self.by.setCurrentIndex(max(self.by.findData(options.by), 0))
        name = self._session.judge
        self.judge.setText(f"Judge: {short_text(name) or 'not named'}".replace("&", "&&"))

    def _show_document(self) -> None:
        shown, evaluation = self._sitting.shown, self._session.evaluation
        if evaluation is None:
            return
        if shown is None:
            self._show_end()
            return
        self.body.setCurrentIndex(0)
        hidden = [
            part.table.names[part.roles.note]
            for part in self._session.judged
            if part.roles.note is not None
        ]
        self.document.show_card(
            card(evaluation, shown.query, shown.document, hidden), self._folder()
        )
        self._put_note_aside()
        if self._waiting:
            QTimer.singleShot(0, self, self.hand_in_note)
        self._note_begun = False
        self._noted = shown.query, shown.document, self._session.owner
        self.note.setModified(False)
        self.note.setText(self._sitting.note_text())
        self._show_state()
        if self.isVisible() and not self.note.hasFocus():
            self.setFocus()

    def _folder(self) -> Path | None:
        paths = self._session.paths
        return paths[0].parent if paths else None

    def _show_state(self) -> None:
        """Show what is decided about the document, and, unless blind, why it is shown now."""
        evaluation, shown = self._session.evaluation, self._sitting.shown
        if evaluation is None or shown is None or not self.grades.buttons:
            return
        self._show_note()
        grade = self._sitting.grade_now()
        self.grades.mark(grade)
        parts = []
        mark = self._sitting.mark()
        if mark and not shown.again:
            parts.append(f"Marked: {MARKS[mark]}.")
        if self._sitting.settled:
            parts.append("Nothing that is left can change which ranking is better.")
        if not self._session.preferences.blind:
            options, decimals = self._sitting.options, self._session.decimals
            if grade is None:
                parts.append(reason_text(evaluation, shown, options, decimals))
            parts.append(place_text(evaluation, shown))
        self.state.setText("  ·  ".join(filter(None, parts)))
        self.state.setVisible(bool(self.state.text()))
        self._show_votes()

    def _show_votes(self) -> None:
        """For a verdict: what each judge has said."""
        self.votes.setVisible(self._sitting.adjudicates)
        if self._sitting.adjudicates:
            lines = [
                f"{name or 'Note'}: {grade_text(grade) or '–'}" + (f" – {note}" if note else "")
                for name, (grade, note) in self._sitting.votes().items()
            ]
            self.votes.setText("\n".join(["Your grade is the verdict.", *lines]))

    def _show_progress(self) -> None:
        progress = self._sitting.progress()
        self.pace.setText(pace_text(progress, self._sitting.adjudicates))
        self.bar.setMaximum(max(progress.total, 1))
        self.bar.setValue(progress.done)

    def _show_end(self) -> None:
        self.body.setCurrentIndex(1)
        evaluation = self._session.evaluation
        assert evaluation is not None
        if self._sitting.makes:
            self.ending.setText("The queue is being made…")
            for button in (self.go_on, self.rest, self.take_later, self.back, self.review):
                button.hide()
            return
        text, later = ending(evaluation, self._sitting, self._session.owner)
        self.ending.setText(text)
        self.go_on.hide()
        left = not self._sitting.adjudicates and self._sitting.left() > 0
        self.rest.setVisible(left)
        self.take_later.setVisible(bool(later) and self._sitting.options.which != "later")
        self.back.setVisible(self._sitting.progress().length > 0)
        self.review.show()

    def _on_outdated(self) -> None:
        """Something was judged elsewhere, by undo or from the history."""
        if self.isVisible():
            self._sitting.start()

    def _tell_decision(self, shown: Shown, decision: float | str | None) -> None:
        """Say what the last document got, which is out of sight by then."""
        evaluation = self._session.evaluation
        if evaluation is None or decision is None:
            return
        said = MARKS.get(str(decision), "")
        if isinstance(decision, float):
            levels = self._session.scale.levels
            label = next((each.label for each in levels if each.grade == decision), "")
            said = label or grade_text(decision)
        name = card(evaluation, shown.query, shown.document).title or shown.document
        self.told.emit(f"{short_text(name)}: {said}")

    # ---- pauses

    def _restart_pause(self) -> None:
        minutes = self._session.preferences.minutes_to_pause
        self._pause.stop()
        if minutes:
            self._pause.start(minutes * MINUTE)

    def _propose_pause(self) -> None:
        if not self.isVisible() or self._sitting.shown is None:
            return
        minutes = self._session.preferences.minutes_to_pause
        if not minutes:
            return
        word = "1 minute" if minutes == 1 else f"{minutes} minutes"
        self.ending.setText(
            f"You have judged for {word}. Take a pause: attention fades before one notices.\n"
            "Return goes on."
        )
        self.go_on.show()
        for button in (self.rest, self.take_later, self.back, self.review):
            button.hide()
        self.body.setCurrentIndex(1)
        self.setFocus()

    def _go_on(self) -> None:
        self._sitting.resume()
        self._restart_pause()
        self._show_document()
        self.setFocus()

    @property
    def pauses(self) -> bool:
        """Whether a pause is proposed, so that nothing is judged."""
        return self.body.currentIndex() == 1 and self._sitting.shown is not None

    # ---- what is wanted

    def _on_queue(self, _: int) -> None:
        options = replace(
            self._sitting.options, which=self.which.currentData(), by=self.by.currentData()
        )
        self._sitting.set_options(options)
        self.setFocus()

    def _judge_only(self, which: str) -> None:
        self.which.setCurrentIndex(self.which.findData(which))
        self._on_queue(0)

    def _grade(self, grade: float) -> None:
        if not self.pauses:
            self._sitting.grade(grade)

    def _act(self, name: str) -> None:
        if self.pauses:
            return
        self.hand_in_note()
        acts: dict[str, Callable[[], object]] = {
            "cannot": self._sitting.cannot_tell,
            "later": self._sitting.later,
            "note": self._begin_note,
            "undo": self._sitting.undo,
            "next": lambda: self._sitting.step(1),
            "previous": lambda: self._sitting.step(-1),
        }
        acts[name]()

    def next_query(self) -> None:
        """Go on with the next query."""
        if not self.pauses:
            self._sitting.next_query()

    def _on_typed(self, _: str) -> None:
        if not self._typing.isActive():  # else who types without a pause would lose all of it
            self._typing.start()

    def _begin_note(self) -> None:
        if self._sitting.may_judge():
            self.note.setFocus()

    def hand_in_note(self) -> None:
        """Keep what was typed about a document, which may not be the one that is shown any more."""
        self._put_note_aside()
        waiting, self._waiting = self._waiting, []
        for evaluation, (query, document, owner), text, joins in waiting:
            if evaluation is self._session.evaluation:
                note = text if text.strip() else None
                self._session.set_values("note", owner, query, [(document, note)], joins=joins)

    def _put_note_aside(self) -> None:
        """Take what was typed from the field; it is kept by `hand_in_note`, which an undo that is
        going on must not be disturbed by.
        """
        self._typing.stop()
        evaluation = self._session.evaluation
        typed = self._noted is not None and self.note.isModified()
        if evaluation is None or not typed or not self._sitting.may_judge():
            return
        assert self._noted is not None
        text = self.note.text() if self.note.hasFocus() else self.note.text().strip()
        self._waiting.append((evaluation, self._noted, text, self._note_begun))
        self._note_begun = self.note.hasFocus()
        self.note.setModified(False)

    def _show_note(self) -> None:
        """Show what is noted, unless something is being typed."""
        text = self._sitting.note_text()
        if not self.note.isModified() and text.strip() != self.note.text().strip():
            self.note.setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Digits and letters act here; a text field that has the focus takes them for itself."""
        text = event.text()
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain == Qt.KeyboardModifier.NoModifier and len(text) == 1 and text in "0123456789":
            self._on_digit(text)
        elif self.pauses and event.key() in _RETURNS:
            self._go_on()
        elif name := action_of(event, self._keys):
            self._act(name)
        else:
            super().keyPressEvent(event)

    def _on_digit(self, digit: str) -> None:
        if self._session.evaluation is None:
            return
        if self._sitting.shown is None or self.pauses:
            self.told.emit("There is no document here to be graded.")
            return
        scale = self._session.scale
        level = scale.by_key(digit)
        if level is None:
            self.problem.emit(
                f"{digit} is no grade of the scale “{scale.name}”: "
                + ", ".join(each.label for each in scale.levels)
            )
        else:
            self._grade(level.grade)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Return and Escape leave the note, so that keys grade again."""
        if watched is self.note and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
                self.note.setText(self._sitting.note_text())  # which is as it was a moment ago
                self.setFocus()
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() in (*_RETURNS,):
                self.setFocus()  # which finishes the editing
                return True
        return super().eventFilter(watched, event)


def _plain(name: str) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def _button(name: str, text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setToolTip(tip)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def _combo(name: str, accessible: str) -> QComboBox:
    box = QComboBox()
    box.setObjectName(name)
    box.setAccessibleName(accessible)
    box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return box
