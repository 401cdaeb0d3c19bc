"""One question: its documents, a place for the answer, and what is said of it."""

from __future__ import annotations

from textwrap import fill

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QFont
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QRadioButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.answers import Choice
from ndcg_desktop.evaluation.exercise import Exercise, header_of, table_of
from ndcg_desktop.evaluation.question import Question
from ndcg_desktop.evaluation.questions import check
from ndcg_desktop.models.tooltip import plain_tip

RIGHT_SIGN, WRONG_SIGN = "✓", "✗"
QUESTION_SIZE = 1.2
"""How much larger the question is than the text around it."""

LONGEST_CELL = 200
LINE = 60
"""Letters of a line of a choice."""


class QuestionView(QWidget):
    """Shows a question, or documents alone where nothing is asked."""

    said = Signal(QWidget)  # words that were not there before
    answered = Signal(bool)  # an answer that was understood: whether it was right

    def __init__(self, font: QFont) -> None:
        super().__init__()
        self.setObjectName("question")
        self.setFont(font)
        self._question: Question | None = None
        self.solved = False
        """Whether the last answer was right, or the answer is shown."""
        self.heading = self._words("questionHeading", bold=True)
        self.asked = self._words("questionText", QUESTION_SIZE, bold=True)
        self.measure = self._words("questionMeasure")
        self.table = _table()
        # Under a style sheet of the application fonts do not reach these by themselves.
        self.table.setFont(font)
        self.verdict = self._words("questionVerdict", QUESTION_SIZE)
        self.explanation = self._words("questionExplanation")
        layout = QVBoxLayout(self)
        layout.addWidget(self.heading)
        layout.addWidget(self.asked)
        layout.addWidget(self.measure)
        layout.addWidget(self.table)
        layout.addLayout(self._answer_row())
        self._choices = QVBoxLayout()
        layout.addLayout(self._choices)
        layout.addWidget(self.verdict)
        layout.addWidget(self.explanation)
        layout.addStretch(1)
        self.group: QButtonGroup | None = None

    def _answer_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self._label = QLabel("&Answer")
        self.field = QLineEdit()
        self.field.setObjectName("questionAnswer")
        self.field.setFont(self.font())
        self._label.setBuddy(self.field)
        row.addWidget(self._label)
        row.addWidget(self.field, 1)
        return row

    def _words(self, name: str, size: float = 1.0, bold: bool = False) -> QLabel:
        """A label, its letters so many times as large as the others."""
        label = QLabel()
        label.setObjectName(name)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * size)
        font.setBold(bold)
        label.setFont(font)
        return label

    # ---- what is shown

    def show_question(
        self, heading: str, exercise: Exercise | None, question: Question | None
    ) -> None:
        """Show this question, unanswered."""
        self._question = question
        self.solved = False
        self.heading.setText(heading)
        self._say(self.asked, "" if question is None else question.text)
        self._say(self.measure, "" if question is None else f"Measure: {question.measure}")
        self._say(self.verdict, "")
        self._say(self.explanation, "")
        self._fill(exercise if question is None else question.exercise)
        self._offer(question)

    def _say(self, label: QLabel, text: str) -> None:
        label.setText(text)
        label.setVisible(bool(text))

    def _fill(self, exercise: Exercise | None) -> None:
        self.table.setVisible(exercise is not None)
        if exercise is None:
            return
        header, rows = header_of(exercise), table_of(exercise)
        query = f" of the query {exercise.query}" if exercise.query else ""
        self.table.setAccessibleName(f"Documents{query}")
        self.table.setRowCount(len(rows))
        self.table.setColumnCount(len(header))
        self.table.setHorizontalHeaderLabels([name.capitalize() for name in header])
        for row, texts in enumerate(rows):
            for column, text in enumerate(texts):
                self.table.setItem(row, column, QTableWidgetItem(text[:LONGEST_CELL]))
        self.table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.table.resizeRowsToContents()
        rows_height = sum(self.table.rowHeight(row) for row in range(len(rows)))
        head = self.table.horizontalHeader().sizeHint().height()
        self.table.setFixedHeight(rows_height + head + 2 * self.table.frameWidth())

    def _offer(self, question: Question | None) -> None:
        """A field to type into, or the answers to choose from."""
        while (item := self._choices.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()  # until it is deleted it would be seen
                widget.deleteLater()
        self.group = None
        answer = None if question is None else question.answer
        typed = answer is not None and not isinstance(answer, Choice)
        self.field.clear()
        self.field.setVisible(typed)
        self._label.setVisible(typed)
        if isinstance(answer, Choice):
            self._offer_choices(answer)
        elif answer is not None:
            self.field.setPlaceholderText(answer.hint)
            self.field.setAccessibleDescription(answer.hint)
            self.field.setToolTip(plain_tip(answer.hint))

    def _offer_choices(self, answer: Choice) -> None:
        self.group = QButtonGroup(self)
        for number, choice in enumerate(answer.choices, start=1):
            # A button breaks no lines by itself.
            button = QRadioButton(fill(choice, LINE).replace("&", "&&"))
            button.setAccessibleName(choice)
            button.setObjectName(f"choice{number}")
            button.setFont(self.font())
            self.group.addButton(button, number)
            self._choices.addWidget(button)

    def focus_answer(self) -> None:
        """Have the keys go to where the answer is given."""
        if self.group is not None:
            self.group.buttons()[0].setFocus()
        elif self._question is not None:
            self.field.setFocus()

    # ---- what is said

    @property
    def given(self) -> str:
        """The answer as it stands."""
        if self.group is None:
            return self.field.text()
        return str(self.group.checkedId()) if self.group.checkedId() > 0 else ""

    def check(self) -> None:
        """Say what is to be said of the answer."""
        if self._question is None:
            return
        verdict = check(self._question, self.given)
        sign = (RIGHT_SIGN if verdict.right else WRONG_SIGN) + " " if verdict.understood else ""
        self._say(self.verdict, sign + verdict.words)
        self._announce(self.verdict)
        self.solved = self.solved or verdict.right
        if verdict.understood:
            self.answered.emit(verdict.right)

    def show_answer(self) -> None:
        """Show the right answer with its numbers written out."""
        if self._question is None:
            return
        self.solved = True
        lines = [f"Answer: {self._question.answer.text}", *self._question.explanation]
        self._say(self.explanation, "\n".join(lines))
        self._announce(self.explanation)

    def _announce(self, label: QLabel) -> None:
        self.said.emit(label)
        QAccessible.updateAccessibility(QAccessibleEvent(label, QAccessible.Event.Alert))


def _table() -> QTableWidget:
    table = QTableWidget()
    table.setObjectName("questionDocuments")
    table.setAccessibleName("Documents")
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)  # Tab leads on to the answer
    table.verticalHeader().hide()
    table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return table
