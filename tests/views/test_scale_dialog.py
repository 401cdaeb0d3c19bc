"""The dialog of the scale, by its fields and buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from build import WORKED_RANKING, evaluation_of
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QSettings, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from ndcg_desktop.evaluation.scale import BUILT_IN, MOST_LEVELS, Level, Scale, suggested_scale
from ndcg_desktop.files.scale_file import read_scale, write_scale
from ndcg_desktop.session.preferences import Preferences
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.levels_table import GRADE, GUIDELINE, NAME
from ndcg_desktop.views.scale_dialog import AS_SUGGESTED, ScaleDialog

JUDGMENTS = [("q1", "A", 3.0), ("q1", "B", 1.0), ("q1", "C", 0.0), ("q1", "D", 7.0)]
ESCI = BUILT_IN[3]
OWN = Scale("Ours", (Level(0, "No"), Level(0.5, "So", "Two\nlines"), Level(1, "Yes")), "*Read*")
FROM_FILE = Scale("Theirs", (Level(0), Level(1)))


@pytest.fixture
def session(qapp, settings: QSettings, state: Path) -> Iterator[Session]:
    """A session with an evaluation that nobody has chosen a scale for."""
    session = Session(Preferences(settings))
    session.evaluation = evaluation_of(JUDGMENTS, WORKED_RANKING)
    yield session
    session.shut_down()


@pytest.fixture
def ask(qtbot, session: Session) -> Callable[[], ScaleDialog]:
    """The dialog as it opens now."""

    def make() -> ScaleDialog:
        dialog = ScaleDialog(session)
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return make


def pick(dialog: ScaleDialog, name: str) -> None:
    """Choose a scale of the list."""
    dialog.scales.setCurrentIndex(dialog.scales.findText(name))


def listed(dialog: ScaleDialog) -> list[str]:
    """The scales of the list."""
    texts = [dialog.scales.itemText(place) for place in range(dialog.scales.count())]
    return [text for text in texts if text]


def press(dialog: ScaleDialog, name: str) -> None:
    """Press a button."""
    button = dialog.findChild(QPushButton, name)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def write(dialog: ScaleDialog, row: int, column: int, text: str) -> None:
    """Write into a cell of the grades, as a person does; the lowest grade, 0, is the last row."""
    editor = edit(dialog, row, column)
    editor.selectAll()
    if text:
        QTest.keyClicks(editor, text)
    else:
        QTest.keyClick(editor, Qt.Key.Key_Delete)
    leave(dialog, editor)


def edit(dialog: ScaleDialog, row: int, column: int) -> QLineEdit | QPlainTextEdit:
    """Begin to write into a cell, and give its editor."""
    table = dialog.levels.table
    place = table.rowCount() - 1 - row
    table.setCurrentCell(place, column)
    table.editItem(table.item(place, column))
    return table.viewport().findChild(QPlainTextEdit if column == GUIDELINE else QLineEdit)


def leave(dialog: ScaleDialog, editor: QWidget) -> None:
    """Go on to the next cell by Tab, and out of it."""
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    viewport = dialog.levels.table.viewport()
    for kind in (QLineEdit, QPlainTextEdit):
        for following in viewport.findChildren(kind):
            if following is not editor:
                QTest.keyClick(following, Qt.Key.Key_Escape)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def accepts(dialog: ScaleDialog) -> bool:
    """Whether OK can be pressed."""
    return dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()


class TestList:
    """The list of scales."""

    def test_it_opens_with_the_suggestion(self, ask, session: Session) -> None:
        """Where nobody has chosen, it is what the grades suggest, which stays no choice."""
        dialog = ask()
        scale = suggested_scale(session.evaluation)

        assert listed(dialog) == [AS_SUGGESTED, *(each.name for each in BUILT_IN)]
        assert dialog.scales.currentText() == AS_SUGGESTED
        assert len(dialog.levels.rows()) == len(scale.levels) == 8
        assert dialog.chosen() is None
        assert accepts(dialog)

    @pytest.mark.parametrize("scale", BUILT_IN, ids=lambda scale: scale.name)
    def test_a_built_in_scale_fills_the_fields(self, ask, scale: Scale) -> None:
        """Its name, grades and guidelines stand in the fields, and it is chosen as it is."""
        dialog = ask()
        pick(dialog, scale.name)

        assert dialog.name.text() == scale.name
        assert [row[NAME] for row in dialog.levels.rows()] == [each.name for each in scale.levels]
        assert dialog.chosen() == scale

    @pytest.mark.parametrize("scale", [ESCI, OWN])
    def test_it_opens_with_the_chosen_one(self, ask, session: Session, scale: Scale) -> None:
        """The scale of the evaluation is there, also where it is none of the list."""
        session.take_scale(scale)

        assert ask().chosen() == scale

    def test_own_scales_are_listed(self, ask, session: Session) -> None:
        """A kept scale can be chosen like a built-in one."""
        session.preferences.add_scale(OWN)
        dialog = ask()
        pick(dialog, "Ours")

        assert dialog.chosen() == OWN
        assert listed(dialog)[-1] == "Ours"

    def test_without_an_evaluation(self, ask, session: Session) -> None:
        """With nothing open there is a scale to begin with, and no grade is off any."""
        session.evaluation = None
        dialog = ask()
        pick(dialog, "Binary")

        assert dialog.chosen() == BUILT_IN[0]
        assert not dialog.off_scale.isVisible()

    def test_each_field_can_be_reached_by_name(self, ask) -> None:
        """A screen reader has a name for every field of the dialog."""
        dialog = ask()
        fields = (dialog.name, dialog.levels.table, dialog.guideline, dialog.view)
        names = [
            QAccessible.queryAccessibleInterface(field).text(QAccessible.Text.Name)
            for field in fields
        ]

        assert names == ["Name", "Grades of the scale", "For all grades", "Guidelines"]


class TestWriting:
    """Changing a scale."""

    def test_a_changed_built_in_scale_is_an_own_one(self, ask) -> None:
        """The first change gives it a name of its own; the built-in one stays as it was."""
        dialog = ask()
        pick(dialog, ESCI.name)
        write(dialog, 3, NAME, "Just it")
        name = f"{ESCI.name} (own)"
        chosen = dialog.chosen()

        assert dialog.name.text() == chosen.name == name
        assert dialog.scales.currentText() == f"This evaluation only: {name}"
        assert [level.name for level in chosen.levels] == [
            "Irrelevant",
            "Complement",
            "Substitute",
            "Just it",
        ]
        pick(dialog, ESCI.name)
        assert dialog.chosen() == ESCI

    def test_the_draft_can_be_gone_back_to(self, ask) -> None:
        """A look at another scale loses nothing that was written."""
        dialog = ask()
        pick(dialog, "Binary")
        write(dialog, 1, GUIDELINE, "Worth it")
        draft = dialog.chosen()
        pick(dialog, "0–4")
        dialog.scales.setCurrentIndex(dialog.scales.count() - 1)

        assert draft.levels[1].guideline == "Worth it"
        assert dialog.chosen() == draft

    def test_the_guideline_of_all_grades(self, ask) -> None:
        """What is written for all grades is shown with them, as it will stand there."""
        dialog = ask()
        pick(dialog, "Binary")
        QTest.keyClicks(dialog.guideline, "Read *all* of it.")

        assert dialog.chosen().guideline == "Read *all* of it."
        assert dialog.view.toPlainText().startswith("Read all of it.\n1 Relevant\n")

    def test_fractions(self, ask) -> None:
        """A grade may be a fraction, with a decimal comma too, and stands where it belongs."""
        dialog = ask()
        pick(dialog, "Binary")
        write(dialog, 0, GRADE, "2,5")

        assert dialog.chosen().grades == (1, 2.5)
        assert [chip.text() for chip in dialog.keys.chips] == ["1 Relevant", "2.5 Not relevant"]

    def test_a_grade_more_and_a_grade_less(self, ask) -> None:
        """A new row is the next whole grade; the row one stands on is removed."""
        dialog = ask()
        pick(dialog, "0–3")
        press(dialog, "addLevel")
        assert dialog.chosen().grades == (0, 1, 2, 3, 4)
        dialog.levels.table.setCurrentCell(3, GRADE)
        press(dialog, "removeLevel")

        assert dialog.chosen().grades == (0, 2, 3, 4)

    def test_there_are_no_more_grades_than_digits(self, ask) -> None:
        """The button rests once each digit has its grade."""
        dialog = ask()
        for _ in range(MOST_LEVELS):
            press(dialog, "addLevel")

        assert len(dialog.levels.rows()) == MOST_LEVELS
        assert not dialog.levels.add.isEnabled()

    @pytest.mark.parametrize(
        ("row", "column", "text", "problem"),
        [
            (0, GRADE, "1", "The grade 1 stands twice."),
            (0, GRADE, "much", "Every grade is a number."),
            (1, GRADE, "", "Every grade is a number."),
            (1, GRADE, "inf", "Every grade is a number."),
        ],
    )
    def test_what_is_no_scale(self, ask, row: int, column: int, text: str, problem: str) -> None:
        """It is said what is wrong, and OK waits until it is mended."""
        dialog = ask()
        pick(dialog, "Binary")
        before = dialog.levels.rows()[row][column]
        write(dialog, row, column, text)

        assert dialog.problem.text() == problem
        assert dialog.problem.isVisible()
        assert [accepts(dialog), dialog.keep.isEnabled(), dialog.save.isEnabled()] == [False] * 3
        write(dialog, row, column, before)
        assert not dialog.problem.isVisible()
        assert accepts(dialog)

    def test_one_grade_is_no_scale(self, ask) -> None:
        """A scale that has lost all grades but one says so."""
        dialog = ask()
        pick(dialog, "Binary")
        dialog.levels.table.setCurrentCell(0, NAME)
        press(dialog, "removeLevel")

        assert dialog.problem.text() == "A scale has from 2 to 10 grades."

    def test_a_scale_has_a_name(self, ask) -> None:
        """An empty name is asked for."""
        dialog = ask()
        pick(dialog, "Binary")
        dialog.name.selectAll()
        QTest.keyClick(dialog.name, Qt.Key.Key_Delete)

        assert dialog.problem.text() == "Give the scale a name."
        QTest.keyClicks(dialog.name, "Mine")
        assert dialog.chosen() == Scale("Mine", BUILT_IN[0].levels)

    def test_a_change_taken_back_is_none(self, ask, session: Session) -> None:
        """An own scale that stands in the fields as it was kept is that one."""
        session.preferences.add_scale(OWN)
        dialog = ask()
        pick(dialog, "Ours")
        QTest.keyClick(dialog.name, Qt.Key.Key_End)
        QTest.keyClicks(dialog.name, "x")
        assert dialog.scales.currentText().endswith("Oursx")
        QTest.keyClick(dialog.name, Qt.Key.Key_Backspace)

        assert dialog.scales.currentText() == "Ours"
        assert len(listed(dialog)) == len(BUILT_IN) + 2

    def test_enter_in_the_name_is_ok(self, qtbot, ask) -> None:
        """Enter accepts the dialog, and presses none of the other buttons."""
        dialog = ask()
        pick(dialog, "Binary")
        with qtbot.waitSignal(dialog.accepted):
            QTest.keyClick(dialog.name, Qt.Key.Key_Return)

        assert dialog.chosen() == BUILT_IN[0]

    def test_several_lines_stay(self, ask, session: Session) -> None:
        """A guideline of several lines is written and kept as such."""
        session.take_scale(OWN)
        dialog = ask()
        editor = edit(dialog, 1, GUIDELINE)
        editor.moveCursor(editor.textCursor().MoveOperation.End)
        QTest.keyClick(editor, Qt.Key.Key_Return)
        QTest.keyClicks(editor, "more")
        leave(dialog, editor)

        assert dialog.chosen().levels[1].guideline == "Two\nlines\nmore"


class TestKeyboard:
    """Escape, Return and Tab."""

    @pytest.fixture
    def dialog(self, qtbot, ask) -> ScaleDialog:
        """The dialog on a built-in scale, in front."""
        dialog = ask()
        pick(dialog, "Binary")
        with qtbot.waitActive(dialog):
            dialog.activateWindow()
        return dialog

    @pytest.mark.parametrize("column", [NAME, GUIDELINE])
    def test_escape_in_a_cell_drops_that_edit_alone(self, dialog, column: int) -> None:
        """What was written before stays, and so does the dialog."""
        write(dialog, 0, NAME, "Bad")
        editor = edit(dialog, 1, column)
        QTest.keyClicks(editor, "oops")
        QTest.keyClick(editor, Qt.Key.Key_Escape)

        assert dialog.isVisible()
        levels = BUILT_IN[0].levels
        assert dialog.chosen().levels == (Level(0, "Bad", levels[0].guideline), levels[1])

    @pytest.mark.parametrize(("answer", "stays"), [("Cancel", True), ("Discard", False)])
    def test_escape_asks_before_it_drops_all(self, dialog, monkeypatch, answer, stays) -> None:
        """Once more than needed, Esc gives up a draft only where that is wanted."""
        asked: list[str] = []

        def question(_parent, _title, text, *_buttons):
            asked.append(text)
            return QMessageBox.StandardButton[answer]

        monkeypatch.setattr(QMessageBox, "question", question)
        write(dialog, 0, NAME, "Bad")
        QTest.keyClick(dialog.levels.table, Qt.Key.Key_Escape)

        assert asked == ["Give up what was written?"]
        assert dialog.isVisible() == stays

    def test_escape_leaves_what_nobody_changed(self, qtbot, dialog, monkeypatch) -> None:
        """There is nothing to ask where nothing was written."""
        monkeypatch.setattr(QMessageBox, "question", lambda *_: pytest.fail("asked"))
        with qtbot.waitSignal(dialog.rejected):
            QTest.keyClick(dialog.name, Qt.Key.Key_Escape)

    @pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
    def test_control_and_return_end_a_guideline(self, dialog, key: Qt.Key) -> None:
        """The text is taken, the editor goes, and the dialog stays."""
        editor = edit(dialog, 1, GUIDELINE)
        editor.selectAll()
        QTest.keyClicks(editor, "Take it")
        QTest.keyClick(editor, key, Qt.KeyboardModifier.ControlModifier)
        QTest.keyRelease(dialog, Qt.Key.Key_Control)  # else it is held for the tests that follow
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

        assert dialog.isVisible()
        assert dialog.levels.table.viewport().findChild(QPlainTextEdit) is None
        assert dialog.chosen().levels[1].guideline == "Take it"

    def test_tab_leaves_the_text_for_all_grades(self, dialog) -> None:
        """The focus goes to the guidelines as they will stand, and can be seen there."""
        dialog.guideline.setFocus()
        before = dialog.view.grab().toImage()
        QTest.keyClick(dialog.guideline, Qt.Key.Key_Tab)

        assert QApplication.focusWidget() is dialog.view
        assert dialog.view.grab().toImage() != before


def test_the_highest_grade_is_first(ask) -> None:
    """The table has the order of the guidelines beside it; the digits have their own."""
    dialog = ask()
    pick(dialog, "0–3")
    table = dialog.levels.table
    shown = [table.item(row, GRADE).text() for row in range(table.rowCount())]
    read = [line[0] for line in dialog.view.toPlainText().split("\n") if line[0].isdigit()]

    assert shown == read == ["3", "2", "1", "0"]
    assert [chip.text()[0] for chip in dialog.keys.chips] == ["0", "1", "2", "3"]
    press(dialog, "addLevel")
    assert table.item(0, GRADE).text() == "4"
    assert (table.currentRow(), table.currentColumn()) == (0, NAME)


def test_nothing_to_read_says_what_to_do_here(ask) -> None:
    """A scale of bare numbers does not send to the dialog that is open already."""
    dialog = ask()
    pick(dialog, AS_SUGGESTED)

    assert dialog.view.toPlainText().startswith("Nothing yet. Name the grades in the table")


@st.composite
def any_scales(draw: st.DrawFn) -> Scale:
    """Any scale with a name."""
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
    grades = draw(st.lists(numbers, min_size=2, max_size=MOST_LEVELS, unique=True))
    levels = tuple(Level(grade, draw(texts), draw(texts)) for grade in grades)
    return Scale("n" + draw(texts), levels, draw(texts))


@given(any_scales())
@hypothesis_settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_scale_that_nobody_touched_stays_as_it_is(session: Session, scale: Scale) -> None:
    """Whatever the fields cannot hold, OK without a change gives back the scale."""
    session.take_scale(scale)

    assert ScaleDialog(session).chosen() == scale


class TestOffScale:
    """Grades of the evaluation that the scale does not have."""

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            (
                "Binary",
                "2 grades are not on this scale; they stay, and are listed in the import report.",
            ),
            ("0–3", "1 grade is not on this scale; it stays, and is listed in the import report."),
        ],
    )
    def test_they_are_counted(self, ask, name: str, words: str) -> None:
        """It is said how many there are, and what becomes of them."""
        dialog = ask()
        pick(dialog, name)

        assert dialog.off_scale.isVisible()
        assert dialog.off_scale.text() == words

    def test_a_grade_that_is_added_is_on_it(self, ask) -> None:
        """The count follows what is written."""
        dialog = ask()
        pick(dialog, "0–3")
        write(dialog, 2, GRADE, "7")

        assert not dialog.off_scale.isVisible()

    def test_nothing_is_off_what_the_grades_suggest(self, ask) -> None:
        """No sentence is there where no scale is chosen."""
        assert not ask().off_scale.isVisible()


class TestOwnScales:
    """Keeping and removing."""

    def test_keep(self, ask, session: Session) -> None:
        """A kept scale is in the preferences and the list, and the next dialog has it."""
        dialog = ask()
        pick(dialog, "Binary")
        assert not dialog.keep.isEnabled()
        write(dialog, 1, NAME, "Yes")
        press(dialog, "keepScale")
        chosen = dialog.chosen()

        assert session.preferences.scales == [chosen]
        assert dialog.scales.currentText() == "Binary (own)"
        assert not any(text.startswith("This evaluation") for text in listed(dialog))
        assert not dialog.keep.isEnabled()
        assert "Binary (own)" in listed(ask())

    def test_a_kept_suggestion_gets_a_name_of_its_own(self, ask, session: Session) -> None:
        """No own scale is called as a built-in one."""
        session.evaluation = evaluation_of(JUDGMENTS[:3])
        press(ask(), "keepScale")

        assert [scale.name for scale in session.preferences.scales] == ["0–3 (own)"]

    def test_removing_leaves_the_fields(self, ask, session: Session) -> None:
        """A scale that is off the list is still that of the evaluation, and can be kept again."""
        session.preferences.add_scale(OWN)
        session.take_scale(OWN)
        dialog = ask()
        press(dialog, "removeScale")

        assert session.preferences.scales == []
        assert "Ours" not in listed(dialog)
        assert dialog.chosen() == OWN
        assert not dialog.forget.isEnabled()
        press(dialog, "keepScale")
        assert session.preferences.scales == [OWN]

    def test_a_built_in_scale_cannot_be_removed(self, ask) -> None:
        """Only what somebody made here can go."""
        dialog = ask()
        for place in range(dialog.scales.count()):
            if dialog.scales.itemText(place):
                dialog.scales.setCurrentIndex(place)
                assert not dialog.forget.isEnabled()


class TestFiles:
    """Handing a scale to other judges."""

    @pytest.mark.parametrize("typed", ["theirs.json", "theirs"])
    def test_save_and_load(self, ask, tmp_path: Path, monkeypatch, typed: str) -> None:
        """What one judge saves another loads; a missing ending is added."""
        proposed: list[str] = []

        def name(_parent: QWidget, _title: str, file: str, _kinds: str) -> tuple[str, str]:
            proposed.append(file)
            return str(tmp_path / typed), ""

        monkeypatch.setattr(QFileDialog, "getSaveFileName", name)
        dialog = ask()
        pick(dialog, ESCI.name)
        press(dialog, "saveScale")
        assert read_scale(tmp_path / "theirs.json") == ESCI
        assert proposed == ["ESCI (shopping queries).json"]

        write_scale(tmp_path / "theirs.json", FROM_FILE)
        answer = (str(tmp_path / "theirs.json"), "")
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: answer)
        press(dialog, "loadScale")

        assert dialog.chosen() == FROM_FILE
        assert dialog.scales.currentText() == "This evaluation only: Theirs"

    def test_a_file_that_is_no_scale(self, ask, tmp_path: Path, monkeypatch) -> None:
        """It is said in the dialog, and the scale stays."""
        path = tmp_path / "other.json"
        path.write_text("{}")
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
        dialog = ask()
        pick(dialog, "Binary")
        press(dialog, "loadScale")

        assert dialog.problem.isVisible()
        assert dialog.problem.text() == "other.json: This is no scale."
        assert dialog.chosen() == BUILT_IN[0]
        assert accepts(dialog)

    def test_a_file_that_cannot_be_written(self, ask, tmp_path: Path, monkeypatch) -> None:
        """The reason stands in the dialog."""
        path = str(tmp_path / "none" / "s.json")
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (path, ""))
        dialog = ask()
        press(dialog, "saveScale")

        assert "is not there" in dialog.problem.text()

    def test_no_other_file_is_written_over(self, ask, tmp_path: Path, monkeypatch) -> None:
        """A name that becomes one of a file that is there is asked about."""
        kept = tmp_path / "s.json"
        kept.write_text("mine")
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "s"), ""))
        monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.No)
        press(ask(), "saveScale")

        assert kept.read_text() == "mine"

    def test_giving_up_changes_nothing(self, ask, tmp_path: Path, monkeypatch) -> None:
        """A file dialog that is left without a name does nothing."""
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
        dialog = ask()
        press(dialog, "loadScale")
        press(dialog, "saveScale")

        assert dialog.chosen() is None
        assert not dialog.problem.isVisible()


def test_each_grade_is_shown_with_its_key(ask) -> None:
    """The colours never stand alone: each has its number, its name and its digit."""
    dialog = ask()
    pick(dialog, ESCI.name)

    assert [chip.accessibleName() for chip in dialog.keys.chips] == [
        "0 Irrelevant, key 0",
        "1 Complement, key 1",
        "2 Substitute, key 2",
        "3 Exact, key 3",
    ]
    assert [chip.text() for chip in dialog.keys.chips] == [each.label for each in ESCI.levels]


def test_long_texts_do_not_widen_the_dialog(ask, session: Session) -> None:
    """Names of any length are cut where there is no room for them."""
    before = ask().minimumSizeHint().width()
    long = "W" * 5_000
    session.take_scale(Scale(long, (Level(0, long, long), Level(1, long)), long))

    assert ask().minimumSizeHint().width() == before
