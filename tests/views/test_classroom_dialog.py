"""The classroom by keyboard: lessons, questions about the open data, and a sheet of either."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QSpinBox,
    QTableWidget,
    QTextBrowser,
)

from ndcg_desktop.evaluation.answers import Choice
from ndcg_desktop.resources import lessons
from ndcg_desktop.views.classroom_dialog import ClassroomDialog
from ndcg_desktop.views.question_view import RIGHT_SIGN, WRONG_SIGN

IDEAL_LESSON = 2
"""Place of the lesson on the ideal among the sources; its third question is the nDCG@4."""


@pytest.fixture
def dialog(qtbot) -> ClassroomDialog:
    """The classroom over the worked example, which writes its sheets at once."""
    dialog = ClassroomDialog(lambda path, write: write())
    qtbot.addWidget(dialog)
    dialog.show_data(evaluation_of(WORKED_JUDGMENTS, WORKED_RANKING, cutoff=4), 0)
    dialog.show()
    return dialog


@pytest.fixture
def press(dialog) -> Callable[[str], None]:
    """Press a button by its name."""

    def press_button(name: str) -> None:
        button = dialog.findChild(QAbstractButton, name)
        assert button.isEnabled()
        button.setFocus()
        QTest.keyClick(button, Qt.Key.Key_Space)

    return press_button


def choose(dialog: ClassroomDialog, place: int, name: str = "classroomSource") -> None:
    """Choose an entry of a list, as a person does."""
    box = dialog.findChild(QComboBox, name)
    box.setCurrentIndex(place)
    box.activated.emit(place)


def shown(dialog: ClassroomDialog, name: str) -> str:
    """The words of a label, nothing where it is hidden."""
    label = dialog.findChild(QLabel, name)
    return label.text() if label.isVisible() else ""


def answer(dialog: ClassroomDialog, text: str) -> None:
    """Type an answer and press Return."""
    field = dialog.findChild(QLineEdit, "questionAnswer")
    field.clear()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def open_data(dialog: ClassroomDialog, press, kind: str) -> None:
    """Go on to the question of a kind about the open data."""
    choose(dialog, 0)
    dialog.findChild(QSpinBox, "classroomCount").setValue(20)
    while dialog.question._question.kind != kind:
        press("classroomNext")


class TestLessons:
    """Text on the left, one question after the other on the right."""

    def test_begins_with_the_first(self, dialog) -> None:
        """Its text is there, and its first question."""
        assert "how good is the list" in dialog.findChild(QTextBrowser).toPlainText().lower()
        assert shown(dialog, "questionHeading") == "Question 1 of 4"
        assert shown(dialog, "questionText") == "What is the discount at rank 3?"
        assert shown(dialog, "classroomScore") == "4 questions"

    def test_a_mistake_is_named(self, dialog, press) -> None:
        """The sentence of the mistake, with a sign that is no colour; Return has checked."""
        choose(dialog, IDEAL_LESSON)
        press("classroomNext")
        press("classroomNext")
        answer(dialog, "0.943")

        assert shown(dialog, "questionVerdict") == (
            f"{WRONG_SIGN} 0.943 is what you get when the ideal is built from the returned "
            "documents only."
        )
        assert shown(dialog, "classroomScore").startswith("0 of 1 right at the first answer")

    def test_return_goes_on_after_the_right_answer(self, dialog) -> None:
        """Typed, Return, Return, and the next question has the keys."""
        answer(dialog, "0,5")
        assert shown(dialog, "questionVerdict") == f"{RIGHT_SIGN} Right. It is 0.500."
        QTest.keyClick(dialog.findChild(QLineEdit, "questionAnswer"), Qt.Key.Key_Return)

        assert shown(dialog, "questionHeading") == "Question 2 of 4"
        assert shown(dialog, "questionVerdict") == ""
        assert dialog.focusWidget() is dialog.findChild(QLineEdit, "questionAnswer")
        assert shown(dialog, "classroomScore").startswith("1 of 1 right")

    def test_what_is_no_answer_does_not_count(self, dialog) -> None:
        """A slip of the keys is no wrong answer."""
        answer(dialog, "half")
        assert "is not understood" in shown(dialog, "questionVerdict")
        assert shown(dialog, "classroomScore") == "4 questions"

    def test_only_the_first_answer_counts(self, dialog) -> None:
        """Right at the second time is not right at the first."""
        answer(dialog, "1")
        answer(dialog, "0.5")
        assert shown(dialog, "questionVerdict").startswith(RIGHT_SIGN)
        assert shown(dialog, "classroomScore").startswith("0 of 1 right")

    def test_show_answer(self, dialog, press) -> None:
        """The numbers are written out, and that was no right answer."""
        choose(dialog, IDEAL_LESSON)
        press("classroomNext")
        press("classroomShow")
        assert shown(dialog, "questionExplanation").splitlines() == [
            "Answer: 6.323",
            "Best first: A, E, D, B.",
            "ideal DCG@4 = 3 × 1.000 + 3 × 0.631 + 2 × 0.500 + 1 × 0.431 = 6.323",
        ]
        assert shown(dialog, "classroomScore").startswith("0 of 1 right")

    def test_back(self, dialog, press) -> None:
        """Back is there from the second question on, Next up to the last."""
        assert not dialog.findChild(QAbstractButton, "classroomBack").isEnabled()
        for _ in range(3):
            press("classroomNext")
        assert not dialog.findChild(QAbstractButton, "classroomNext").isEnabled()
        press("classroomBack")
        assert shown(dialog, "questionHeading") == "Question 3 of 4"

    def test_the_text_of_a_question_stays(self, dialog, press) -> None:
        """A question without a text of its own has the one before it."""
        before = dialog.findChild(QTextBrowser).toPlainText()
        press("classroomNext")
        assert dialog.findChild(QTextBrowser).toPlainText() == before

    def test_a_teacher_s_own(self, dialog, monkeypatch, tmp_path: Path) -> None:
        """A file is opened, begun, and stays among the lessons."""
        path = tmp_path / "mine.md"
        path.write_text("# Mine & yours\n\n<img src=x> text\n", encoding="utf-8")
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
        dialog.open_lesson.click()

        assert dialog.source.currentText() == "Mine & yours"
        assert not dialog.findChild(QAbstractButton, "classroomCheck").isEnabled()
        assert not dialog.findChild(QAbstractButton, "classroomSheet").isEnabled()
        assert dialog.source.count() == len(lessons()) + 2

    def test_a_file_that_is_none(self, dialog, tmp_path: Path) -> None:
        """What is wrong is said with its line, and the lesson goes on."""
        path = tmp_path / "bad.md"
        path.write_text("# T\nquestion: what", encoding="utf-8")
        dialog.open_file(path)

        assert "bad.md, row 2" in shown(dialog, "classroomProblem")
        assert shown(dialog, "questionHeading") == "Question 1 of 4"


class TestOpenData:
    """Questions about what is open."""

    def test_documents(self, dialog, press) -> None:
        """Rank, document and grade; the missed one is called so."""
        open_data(dialog, press, "ndcg")
        table = dialog.findChild(QTableWidget, "questionDocuments")
        rows = [
            [table.item(row, column).text() for column in range(3)]
            for row in range(table.rowCount())
        ]
        assert rows[0] == ["1", "A", "3"] and rows[4] == ["missed", "E", "3"]
        assert table.accessibleName() == "Documents of the query q1"

    def test_choices(self, dialog, press) -> None:
        """Chosen by key and checked by Return."""
        open_data(dialog, press, "swap")
        right = next(iter(dialog.question._question.answer.right)) + 1
        assert isinstance(dialog.question._question.answer, Choice)
        button = dialog.findChild(QAbstractButton, f"choice{right}")
        button.setFocus()
        QTest.keyClick(button, Qt.Key.Key_Space)
        QTest.keyClick(button, Qt.Key.Key_Return)
        assert shown(dialog, "questionVerdict").startswith(f"{RIGHT_SIGN} Right.")

    def test_nothing_chosen(self, dialog, press) -> None:
        """To check without choosing is no answer."""
        open_data(dialog, press, "which-gain")
        press("classroomCheck")
        assert shown(dialog, "questionVerdict") == "Choose one of the answers."

    def test_number(self, dialog) -> None:
        """Another number asks otherwise, the same number the same again."""
        choose(dialog, 0)
        seed = dialog.findChild(QSpinBox, "classroomSeed")
        texts = []
        for number in (2, 3, 2):
            seed.setValue(number)
            texts.append([question.text for question in dialog._lesson.questions])
        assert texts[0] == texts[2] != texts[1]

    def test_count(self, dialog) -> None:
        """As many questions as are wanted."""
        choose(dialog, 0)
        dialog.findChild(QSpinBox, "classroomCount").setValue(3)
        assert shown(dialog, "questionHeading") == "Question 1 of 3"

    def test_nothing_open(self, dialog) -> None:
        """What is to be done first is said."""
        choose(dialog, 0)
        dialog.show_data(None)
        assert shown(dialog, "classroomProblem").startswith("Open judgments and a ranking")
        assert not dialog.findChild(QAbstractButton, "classroomSheet").isEnabled()

    def test_nothing_to_ask(self, dialog) -> None:
        """A query that nothing is returned for has no questions."""
        data = evaluation_of([("a", "x", 1), ("b", "y", 1)], [("a", "x")])
        choose(dialog, 0)
        dialog.show_data(data, 1)
        assert shown(dialog, "classroomProblem").startswith("Nothing to ask about this query")
        choose(dialog, 0, "classroomQuery")
        assert shown(dialog, "classroomProblem") == ""

    def test_a_lesson_goes_on(self, dialog, press) -> None:
        """Other data that are opened end no lesson."""
        press("classroomNext")
        dialog.show_data(None)
        assert shown(dialog, "questionHeading") == "Question 2 of 4"


class TestRest:
    """The sheet, the switch, and what everybody needs."""

    @pytest.mark.parametrize(
        ("name", "chosen", "suffix"),
        [
            ("a.pdf", "Questions (*.pdf)", ".pdf"),
            ("b", "Questions with answers (*.xlsx)", ".xlsx"),
            ("c.xlsx", "Questions with answers (*.pdf)", ".xlsx"),
        ],
    )
    def test_sheet(self, dialog, monkeypatch, tmp_path, name, chosen, suffix) -> None:
        """A sheet is written in the format that was typed, or else chosen."""
        monkeypatch.setattr(
            QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), chosen)
        )
        dialog.findChild(QAbstractButton, "classroomSheet").click()
        (path,) = tmp_path.iterdir()

        assert path.suffix == suffix
        assert path.read_bytes()[:2] == (b"%P" if suffix == ".pdf" else b"PK")

    def test_hide_scores(self, qtbot, dialog, press) -> None:
        """The switch tells the window."""
        with qtbot.waitSignal(dialog.hide_scores, check_params_cb=lambda hidden: hidden):
            press("classroomHide")

    def test_everything_has_a_name(self, dialog) -> None:
        """What can be reached by Tab is called something."""
        QAccessible.setActive(True)
        choose(dialog, 0)
        for kind in (QComboBox, QSpinBox, QAbstractButton, QLineEdit, QTableWidget, QTextBrowser):
            for widget in dialog.findChildren(kind):
                if widget.objectName().startswith(("classroom", "question")):
                    interface = QAccessible.queryAccessibleInterface(widget)
                    assert interface.text(QAccessible.Text.Name), widget.objectName()

    @pytest.mark.parametrize("size", [(1180, 700), (620, 360)])
    def test_the_verdict_is_in_sight(self, qtbot, dialog, press, size) -> None:
        """Also in a small window, what is said of an answer is seen at once."""
        dialog.resize(*size)
        choose(dialog, IDEAL_LESSON)
        press("classroomNext")
        answer(dialog, "4.762")
        verdict = dialog.findChild(QLabel, "questionVerdict")
        qtbot.waitUntil(lambda: not verdict.visibleRegion().isEmpty())
        assert verdict.visibleRegion().boundingRect().height() > verdict.fontMetrics().height() / 2
