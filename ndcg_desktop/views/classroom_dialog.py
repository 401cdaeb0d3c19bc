"""The classroom: lessons, questions about the open data, and a teacher's sheet of either."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.question import Question
from ndcg_desktop.evaluation.questions import questions_of
from ndcg_desktop.files.lesson_file import SUFFIX, Lesson, Step, read_lesson
from ndcg_desktop.files.table import FileError
from ndcg_desktop.resources import lessons
from ndcg_desktop.views.fitting import Scrolled, fit
from ndcg_desktop.views.guideline_view import GuidelineView
from ndcg_desktop.views.question_view import QuestionView
from ndcg_desktop.views.saving_flow import may_replace

Export = Callable[[Path, Callable[[], None]], None]
"""Writes a file in the background, as `Session.export` does."""

SIZE = 1180, 700
LETTERS = 1.15
"""How much larger than elsewhere: students look over a shoulder, or at a wall."""

OPEN_DATA = "Questions about the open data"
MOST_QUESTIONS, QUESTIONS_AT_FIRST = 20, 8
LARGEST_SEED = 999_999
SHEETS = {
    "Questions (*.pdf)": (".pdf", False),
    "Questions with answers (*.pdf)": (".pdf", True),
    "Questions (*.xlsx)": (".xlsx", False),
    "Questions with answers (*.xlsx)": (".xlsx", True),
}
NOTHING_OPEN = "Open judgments and a ranking, or an example, to be asked about them."
NOTHING_TO_ASK = (
    "Nothing to ask about this query: the ranking returns nothing for it, a document stands in it "
    "twice, its grades are too high, or it has too many judged documents to be done by hand."
)


class ClassroomDialog(QDialog):
    """Asks one question after the other. Nothing is sent anywhere, and nothing is kept."""

    hide_scores = Signal(bool)  # whether the window is to show no score

    def __init__(self, export: Export, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("classroom")
        self.setWindowTitle("Classroom")
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * LETTERS)
        self.setFont(font)
        self._export = export
        self._evaluation: Evaluation | None = None
        self._lesson = Lesson("", (Step("", None, None),))
        self._place = 0
        self._outcomes: dict[int, bool] = {}
        """Whether the first answer to a question was right; a shown answer was not."""
        self._make_parts()
        self._lay_out()
        self._connect()
        self._choose(1)
        fit(self, *SIZE)

    # ---- parts

    def _make_parts(self) -> None:
        self.source = QComboBox()
        self.source.setObjectName("classroomSource")
        self.source.addItem(OPEN_DATA)
        for path in lessons():
            lesson = read_lesson(path)
            self.source.addItem(lesson.title, lesson)
        self.open_lesson = _button("classroomOpen", "&Open a lesson…")
        self.text = GuidelineView(self)
        self.text.setObjectName("classroomText")
        self.text.setAccessibleName("Lesson")
        self.question = QuestionView(self.font())
        self.problem = QLabel()
        self.problem.setObjectName("classroomProblem")
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setWordWrap(True)
        self.score = QLabel()
        self.score.setObjectName("classroomScore")
        self.back = _button("classroomBack", "&Back")
        self.check = _button("classroomCheck", "&Check")
        self.show_answer = _button("classroomShow", "&Show answer")
        self.next = _button("classroomNext", "&Next")
        self.hiding = QCheckBox("&Hide scores in the main window")
        self.hiding.setObjectName("classroomHide")
        self.sheet = _button("classroomSheet", "&Teacher's sheet…")
        self.leave = _button("classroomClose", "C&lose")

    def _data_row(self) -> QWidget:
        """What the open data are asked about."""
        self.of_data = QWidget()
        row = QHBoxLayout(self.of_data)
        row.setContentsMargins(0, 0, 0, 0)
        self.queries = QComboBox()
        self.queries.setObjectName("classroomQuery")
        self.rankings = QComboBox()
        self.rankings.setObjectName("classroomRanking")
        self.count = _number("classroomCount", MOST_QUESTIONS, QUESTIONS_AT_FIRST)
        self.seed = _number("classroomSeed", LARGEST_SEED, 1)
        self.seed.setToolTip("The same number asks the same questions again.")
        for label, widget, share in (
            ("&Query", self.queries, 2),
            ("&Ranking", self.rankings, 1),
            ("Q&uestions", self.count, 0),
            ("Nu&mber", self.seed, 0),
        ):
            row.addWidget(_named(label, widget))
            row.addWidget(widget, share)
        self.queries.setMinimumContentsLength(12)
        self.rankings.setMinimumContentsLength(8)
        for box in (self.queries, self.rankings):
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
        return self.of_data

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(_named("&Lesson", self.source))
        top.addWidget(self.source, 1)
        top.addWidget(self.open_lesson)
        buttons = QHBoxLayout()
        for button in (self.back, self.check, self.show_answer, self.next):
            buttons.addWidget(button)
        buttons.addStretch(1)
        right = QWidget()
        side = QVBoxLayout(right)
        side.setContentsMargins(0, 0, 0, 0)
        self._scrolled = Scrolled(self.question)
        side.addWidget(self._scrolled, 1)
        side.addLayout(buttons)
        side.addWidget(self.score)
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.text)
        halves.addWidget(right)
        halves.setSizes([SIZE[0] // 2, SIZE[0] // 2])
        bottom = QHBoxLayout()
        bottom.addWidget(self.hiding)
        bottom.addStretch(1)
        bottom.addWidget(self.sheet)
        bottom.addWidget(self.leave)
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(self._data_row())
        layout.addWidget(self.problem)
        layout.addWidget(halves, 1)
        layout.addLayout(bottom)

    def _connect(self) -> None:
        # Of what a person chooses; what the program changes begins no lesson anew.
        self.source.activated.connect(self._begin)
        self.open_lesson.clicked.connect(self._choose_lesson)
        for box in (self.queries, self.rankings):
            box.activated.connect(self._begin)
        for number in (self.count, self.seed):
            number.valueChanged.connect(self._begin)
        self.question.answered.connect(self._on_answered)
        self.question.said.connect(self._see)
        self.check.clicked.connect(self.question.check)
        self.show_answer.clicked.connect(self._give_answer)
        self.back.clicked.connect(partial(self._go, -1))
        self.next.clicked.connect(partial(self._go, 1))
        self.hiding.toggled.connect(self.hide_scores)
        self.sheet.clicked.connect(self._choose_sheet)
        self.leave.clicked.connect(self.close)

    # ---- what is asked about

    def show_data(self, evaluation: Evaluation | None, query: int | None = None) -> None:
        """Take these data for those that are open, and this query for the one that is asked about.

        Questions about what was open before are dropped; a lesson goes on.
        """
        self._evaluation = evaluation
        self.queries.clear()
        self.rankings.clear()
        if evaluation is not None:
            titles = evaluation.titles
            names = [titles.get(number) or name for number, name in enumerate(evaluation.queries)]
            self.queries.addItems(names)
            self.rankings.addItems([ranking.name for ranking in evaluation.rankings])
            self.queries.setCurrentIndex(query or 0)
        if self.asks_of_data:
            self._begin()

    def _choose(self, place: int) -> None:
        self.source.setCurrentIndex(place)
        self._begin()

    @property
    def asks_of_data(self) -> bool:
        """Whether the open data are asked about, and not a lesson."""
        return self.source.currentData() is None

    def _begin(self, _: int = 0) -> None:
        """Begin the chosen lesson, or new questions."""
        self.problem.hide()
        self.of_data.setVisible(self.asks_of_data)
        self._lesson = self._of_data() if self.asks_of_data else self.source.currentData()
        self._place, self._outcomes = 0, {}
        self.sheet.setEnabled(bool(self._lesson.questions))
        self._show()

    def _of_data(self) -> Lesson:
        evaluation = self._evaluation
        query, ranking = self.queries.currentIndex(), self.rankings.currentIndex()
        questions: list[Question] = []
        if evaluation is not None and query >= 0 and ranking >= 0:
            options, seed = evaluation.options, self.seed.value()
            count = self.count.value()
            questions = questions_of(evaluation, query, ranking, options, seed, count)
        if not questions:
            self._tell(NOTHING_OPEN if evaluation is None or ranking < 0 else NOTHING_TO_ASK)
        steps = [Step("", question.exercise, question) for question in questions]
        return Lesson(self.queries.currentText(), tuple(steps) or (Step("", None, None),))

    def _choose_lesson(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, "Open a lesson", "", f"Lessons (*{SUFFIX});;All files (*)"
        )
        if name:
            self.open_file(Path(name))

    def open_file(self, path: Path) -> None:
        """Begin the lesson of a file, or say why there is none in it."""
        try:
            lesson = read_lesson(path)
        except FileError as error:
            self._tell(str(error))
            return
        self.source.addItem(lesson.title, lesson)
        self._choose(self.source.count() - 1)

    def _tell(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.show()

    # ---- one question after the other

    @property
    def _step(self) -> Step:
        return self._lesson.steps[self._place]

    def _go(self, by: int) -> None:
        self._place = min(max(self._place + by, 0), len(self._lesson.steps) - 1)
        self._show()
        self.question.focus_answer()

    def _show(self) -> None:
        """Show the step that is reached: its text, or the one before that goes on for it."""
        steps = self._lesson.steps[: self._place + 1]
        text = next((step.text for step in reversed(steps) if step.text), "")
        self.text.setVisible(bool(text))
        self.text.show_markdown(text)
        self.question.show_question(self._heading(), self._step.exercise, self._step.question)
        self._scrolled.verticalScrollBar().setValue(0)
        self._follow()

    def _heading(self) -> str:
        if self._step.question is None:
            return ""
        here = [step for step in self._lesson.steps[: self._place + 1] if step.question]
        return f"Question {len(here)} of {len(self._lesson.questions)}"

    def _follow(self) -> None:
        """Enable what can be done now, and have Return do what is likely to be wanted."""
        asked = self._step.question is not None
        last = self._place == len(self._lesson.steps) - 1
        self.back.setEnabled(self._place > 0)
        self.next.setEnabled(not last)
        self.check.setEnabled(asked)
        self.show_answer.setEnabled(asked)
        goes_on = not last and (not asked or self.question.solved)
        self.check.setDefault(not goes_on)
        self.next.setDefault(goes_on)
        self.score.setText(self._score_words())

    def _score_words(self) -> str:
        count, answered = len(self._lesson.questions), len(self._outcomes)
        if not answered:
            return f"{count} questions" if count else ""
        right = sum(self._outcomes.values())
        return f"{right} of {answered} right at the first answer; {count} questions in all"

    def _see(self, words: QWidget) -> None:
        """Have words that were just said in sight, once they have their place."""
        QTimer.singleShot(0, words, partial(self._scrolled.ensureWidgetVisible, words))

    def _on_answered(self, right: bool) -> None:
        self._outcomes.setdefault(self._place, right)
        self._follow()

    def _give_answer(self) -> None:
        self._outcomes.setdefault(self._place, False)
        self.question.show_answer()
        self._follow()

    # ---- the teacher's sheet

    def _choose_sheet(self) -> None:
        name, chosen = QFileDialog.getSaveFileName(
            self, "Teacher's sheet", "questions.pdf", ";;".join(SHEETS)
        )
        if not name:
            return
        suffix, answers = SHEETS.get(chosen, (".pdf", False))
        path = Path(name)
        if path.suffix.lower() not in (".pdf", ".xlsx"):
            path = path.with_name(path.name + suffix)
        if path == Path(name) or may_replace(self, path):
            self.write_sheet(path, answers)

    def write_sheet(self, path: Path, answers: bool) -> None:
        """Write the questions as a sheet, in the format of the file's ending."""
        title, questions = self._lesson.title, self._lesson.questions

        def write() -> None:
            # openpyxl and the PDF writer are imported when first needed.
            from ndcg_desktop.reports import question_sheet

            if path.suffix.lower() == ".xlsx":
                question_sheet.export_question_xlsx(path, title, questions, answers)
            else:
                question_sheet.export_question_pdf(path, title, questions, answers)

        self._export(path, write)


def _button(name: str, text: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    # Return goes to the default button, whichever has the focus; Space presses the one that has.
    button.setAutoDefault(False)
    return button


def _named(label: str, widget: QWidget) -> QLabel:
    """A label for a widget, which is called like that."""
    name = QLabel(label)
    name.setBuddy(widget)
    parts = [widget, widget.lineEdit()] if isinstance(widget, QSpinBox) else [widget]
    for part in parts:
        part.setAccessibleName(label.replace("&", ""))
    return name


def _number(name: str, most: int, value: int) -> QSpinBox:
    box = QSpinBox()
    box.setObjectName(name)
    box.setRange(1, most)
    box.setValue(value)
    return box
