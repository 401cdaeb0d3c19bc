"""Judging by keyboard, as a person does it."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
)
from waiting import until_idle

from ndcg_desktop.evaluation.queue import QueueOptions
from ndcg_desktop.session.record import decisions
from ndcg_desktop.views.main_window import MainWindow

Open = Callable[..., MainWindow]

HEADER = "query,information need,docid,title,text,url,rank,score,Grade"


def judgments(path: Path, queries: int = 3, documents: int = 4, graded: int = 1) -> Path:
    """A table to be judged, some of it graded."""
    lines = [HEADER]
    for query in range(queries):
        for place in range(documents):
            grade = "2" if place < graded else ""
            lines.append(
                f"query {query},what {query} is about,q{query}d{place},Title {query}.{place},"
                f"Text of {query}.{place},https://example.org/{query}/{place},{place + 1},"
                f"{9 - place}.5,{grade}"
            )
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def rows(path: Path) -> list[dict[str, str]]:
    """What a CSV holds."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def judging(qtbot, opened: Open, tmp_path: Path) -> Callable[..., MainWindow]:
    """The window on the Judge page, over a table, in the order of the file."""

    def go(path: Path | None = None, **options) -> MainWindow:
        window = opened(path or judgments(tmp_path / "judgments.csv"))
        window.findChild(QAction, "actionJudge").trigger()
        until_idle(window.session)
        window.sitting.set_options(QueueOptions(**options))
        until_idle(window.session)
        return window

    return go


def text(window: MainWindow, name: str) -> str:
    """What a label of the page says."""
    return window.judge_page.findChild(QLabel, name).text()


def press(window: MainWindow, *keys: str | Qt.Key) -> None:
    """Press keys where the focus is."""
    for key in keys:
        focus = QApplication.focusWidget() or window.judge_page
        if isinstance(key, str):
            QTest.keyClicks(focus, key)
        else:
            QTest.keyClick(focus, key)


def grade_of(window: MainWindow, document: str) -> float | None:
    """The grade of a document."""
    judgments = window.session.evaluation.judgments
    pairs = [p for p, text in enumerate(judgments.documents.texts()) if text == document]
    value = float(judgments.grade[pairs[0]])
    return None if value != value else value


class TestPage:
    """One document at a time, large, and nothing of how it was ranked."""

    def test_what_is_shown(self, judging) -> None:
        """The query with its description, the title, and every other text; no rank, no score."""
        window = judging()
        page = window.judge_page

        assert page.isVisible()
        assert text(window, "judgeQuery") == "query 0"
        assert text(window, "judgeDescription") == "what 0 is about"
        assert text(window, "judgeTitle") == "Title 0.1"
        assert text(window, "judgeDocument") == "q0d1"
        seen = " ".join(label.text() for label in page.document.findChildren(QLabel))
        assert "Text of 0.1" in seen
        assert "8.5" not in seen and "rank" not in seen and "score" not in seen
        assert not window.scoring_toolbar.isVisible()
        assert text(window, "judgePace").startswith("3 of 12 judged  ·  this query 1 of 4")

    def test_links_are_opened_on_request_only(self, qtbot, judging, monkeypatch) -> None:
        """Nothing is opened until its button is pressed."""
        opened_links: list[str] = []
        monkeypatch.setattr(
            QDesktopServices, "openUrl", lambda url: opened_links.append(url.toString()) or True
        )
        window = judging()
        assert opened_links == []
        button = next(
            b for b in window.judge_page.document.findChildren(QPushButton) if b.text() == "Open"
        )
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

        assert opened_links == ["https://example.org/0/1"]

    def test_a_picture_beside_the_file(self, qtbot, judging, tmp_path) -> None:
        """A picture is shown when its button is pressed, from the folder of the file."""
        from PySide6.QtGui import QPixmap

        picture = QPixmap(1000, 300)
        picture.fill(Qt.GlobalColor.red)
        assert picture.save(str(tmp_path / "shoe.png"))
        path = tmp_path / "j.csv"
        path.write_text(
            "query,docid,rank,image,other,grade\nq,A,1,shoe.png,gone.png,\nq,B,2,x,,2\n", "utf-8"
        )
        window = judging(path)
        buttons = [
            b
            for b in window.judge_page.document.findChildren(QPushButton)
            if b.text() == "Show picture"
        ]
        pictures = window.judge_page.document.findChildren(QLabel)
        assert all(label.pixmap().isNull() for label in pictures)
        for button in buttons:
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

        (shown,) = (label for label in pictures if not label.pixmap().isNull())
        assert shown.pixmap().width() == 640
        assert "gone.png" in window.messages.texts[0]

    def test_grades_off_the_scale(self, qtbot, judging) -> None:
        """A scale without a grade that is there makes findings, which its choice tells."""
        from ndcg_desktop.evaluation.scale import BUILT_IN

        window = judging()
        window.session.set_scale(BUILT_IN[0])
        assert window.messages.texts == ["3 grades are not on this scale."]
        codes = [finding.code for finding in window.session.findings]
        assert codes.count("grade-not-on-scale") == 3
        assert [b.text() for b in window.judge_page.grades.buttons] == [
            "0\nNot relevant",
            "1\nRelevant",
        ]
        window.session.set_scale(None)
        assert window.messages.texts == []

    def test_layouts(self, judging, qtbot) -> None:
        """Ctrl+1, 2 and 3 switch the whole arrangement, which is there again next time."""
        window = judging()
        QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
        assert window.page.isVisible() and window.queries.isVisible()
        assert window.scoring_toolbar.isVisible()
        QTest.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
        assert window.explaining.page.isVisible() and not window.queries.isVisible()
        assert not window.page.isVisible()
        QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        assert window.judge_page.isVisible()
        assert window.session.preferences.layout_name == "judge"
        QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
        assert window.page.isVisible() and not window.explaining.page.isVisible()


class TestKeys:
    """Digits grade and move on; letters do the rest."""

    def test_a_digit_grades_and_moves_on(self, judging) -> None:
        """Each document takes one key."""
        window = judging()
        press(window, "3", "0")

        assert (grade_of(window, "q0d1"), grade_of(window, "q0d2")) == (3, 0)
        assert text(window, "judgeDocument") == "q0d3"
        assert "5 of 12 judged" in text(window, "judgePace")

    def test_a_digit_off_the_scale_is_refused(self, judging) -> None:
        """It changes nothing, and says which grades there are."""
        window = judging()
        press(window, "9")

        assert grade_of(window, "q0d1") is None
        assert text(window, "judgeDocument") == "q0d1"
        assert "9 is no grade" in window.messages.texts[0]

    def test_marks(self, qtbot, judging) -> None:
        """X and L mark and move on; the marked ones are queues of their own."""
        window = judging()
        press(window, "x", "l", "1")
        sitting = window.sitting
        window.sitting.set_options(QueueOptions(which="cannot"))
        until_idle(window.session)
        assert text(window, "judgeDocument") == "q0d1"
        assert "can't tell" in text(window, "judgeState")
        sitting.set_options(QueueOptions(which="later"))
        until_idle(window.session)
        assert text(window, "judgeDocument") == "q0d2"
        press(window, "2")

        assert grade_of(window, "q0d2") == 2
        assert list(window.session.evaluation.remarks.marks.values()) == ["cannot"]

    def test_undo_goes_back(self, judging) -> None:
        """U takes the last decision back and shows its document."""
        window = judging()
        press(window, "3", "x", "u")
        assert text(window, "judgeDocument") == "q0d2"
        press(window, "u")

        assert text(window, "judgeDocument") == "q0d1"
        assert grade_of(window, "q0d1") is None
        assert "3 of 12 judged" in text(window, "judgePace")

    def test_next_and_previous(self, judging) -> None:
        """J and K walk without deciding; Ctrl+PgDown goes to the next query."""
        window = judging()
        press(window, "j", "j", "k")
        assert text(window, "judgeDocument") == "q0d2"
        QTest.keyClick(window, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)

        assert text(window, "judgeDocument") == "q1d1"
        assert not window.session.modified

    def test_letters_and_digits_in_the_note(self, judging) -> None:
        """While the note has the focus they are text; Return ends it, and digits grade again."""
        window = judging()
        press(window, "n")
        note = window.judge_page.findChild(QLineEdit, "judgeNote")
        assert note.hasFocus()
        press(window, "x3 unsure", Qt.Key.Key_Return)

        assert text(window, "judgeDocument") == "q0d1"
        assert grade_of(window, "q0d1") is None
        assert window.session.evaluation.remarks.notes
        assert not note.hasFocus()
        press(window, "3")
        assert grade_of(window, "q0d1") == 3
        press(window, "k")
        assert note.text() == "x3 unsure"

    def test_escape_leaves_the_note_as_it_was(self, judging) -> None:
        """What was typed is given up."""
        window = judging()
        press(window, "n", "something", Qt.Key.Key_Escape)

        assert window.session.evaluation.remarks.notes == {}
        assert window.judge_page.findChild(QLineEdit, "judgeNote").text() == ""

    def test_keys_can_be_changed(self, qtbot, judging) -> None:
        """Another key does what X did, and the buttons say so."""
        from PySide6.QtGui import QKeySequence
        from test_window import act_in_dialog

        from ndcg_desktop.views.keys_dialog import KeysDialog

        window = judging()

        def change(dialog: KeysDialog) -> None:
            dialog.fields["cannot"].setKeySequence(QKeySequence("L"))
            assert "both" in dialog.problem.text()
            dialog.fields["cannot"].setKeySequence(QKeySequence("C"))
            dialog.accept()

        act_in_dialog(KeysDialog, change)
        window.findChild(QAction, "actionKeys").trigger()
        button = window.judge_page.findChild(QAbstractButton, "judgeCannot")
        assert button.text() == "Can't tell (C)"
        # Offscreen nobody gives the focus back when a dialog is closed.
        QTest.keyClicks(window.judge_page, "x")
        assert text(window, "judgeDocument") == "q0d1"
        QTest.keyClicks(window.judge_page, "c")
        assert text(window, "judgeDocument") == "q0d2"

    def test_buttons(self, qtbot, judging) -> None:
        """Everything that a key does a button does too."""
        window = judging()
        for name in ("grade1", "judgeCannot", "judgePrevious", "judgeUndo"):
            qtbot.mouseClick(
                window.judge_page.findChild(QAbstractButton, name), Qt.MouseButton.LeftButton
            )

        assert grade_of(window, "q0d1") == 1
        assert text(window, "judgeDocument") == "q0d2"


class TestQueue:
    """What is judged, in which order, and its end."""

    def test_the_end(self, qtbot, judging) -> None:
        """At the end it is said how much is judged, and the result can be reviewed."""
        window = judging()
        press(window, *"111222", "x", "l", "3")

        assert "The end of the queue." in text(window, "judgeEnding")
        assert "10 of 12 documents are judged." in text(window, "judgeEnding")
        later = window.judge_page.findChild(QAbstractButton, "judgeTakeLater")
        assert later.isVisible()
        qtbot.mouseClick(later, Qt.MouseButton.LeftButton)
        until_idle(window.session)
        assert text(window, "judgeDocument") == "q2d2"
        press(window, "0")
        review = window.judge_page.findChild(QAbstractButton, "judgeReview")
        qtbot.mouseClick(review, Qt.MouseButton.LeftButton)
        assert window.page.isVisible()

    def test_the_dialog(self, qtbot, judging) -> None:
        """Depth, order and seed are chosen in a dialog and kept with the document."""
        from test_window import act_in_dialog

        from ndcg_desktop.views.queue_dialog import QueueDialog

        window = judging()

        def choose(dialog: QueueDialog) -> None:
            dialog.findChild(QComboBox, "queueWhich").setCurrentIndex(dialog.which.findData("all"))
            dialog.findChild(QSpinBox, "queueDepth").setValue(2)
            dialog.findChild(QComboBox, "queuePool").setCurrentIndex(
                dialog.pool.findData("returned")
            )
            dialog.accept()

        act_in_dialog(QueueDialog, choose)
        qtbot.mouseClick(
            window.judge_page.findChild(QAbstractButton, "judgeQueue"), Qt.MouseButton.LeftButton
        )
        until_idle(window.session)
        assert window.sitting.progress().length == 6
        options = window.sitting.options
        assert (options.depth, options.which, options.seed) == (2, "all", None)
        again = window.chronicle.setting("queue")
        assert '"depth": 2' in again

    def test_hidden_repeats(self, judging, tmp_path) -> None:
        """A document that is shown again takes a second grade, which changes nothing."""
        window = judging(judgments(tmp_path / "many.csv", 4, 25, 0), repeats=10, seed=1)
        sitting = window.sitting
        assert sitting.progress().length == 110
        shown = []
        while (item := sitting.shown) is not None:
            shown.append(item.document)
            assert sitting.grade_now() is None
            press(window, "1" if item.again else "2")

        assert len(shown) == 110 and len(set(shown)) == 100
        assert set(window.session.evaluation.judgments.grade.tolist()) == {2.0}
        found = decisions(window.chronicle.journal.changes())
        again = [each for each in found if each.first is not None]
        assert len(found) == 110
        assert [(each.first, each.grade) for each in again] == [(2.0, 1.0)] * 10
        assert "100 of 100 documents are judged." in text(window, "judgeEnding")

    def test_undo_of_a_repeat_asks_again(self, judging, tmp_path) -> None:
        """U after a second grade goes back to the document, and takes no real grade away."""
        window = judging(judgments(tmp_path / "many.csv", 4, 25, 0), repeats=50, seed=3)
        sitting = window.sitting
        while not sitting.shown.again:
            press(window, "2")
        document, place = sitting.shown.document, sitting.progress().place
        press(window, "1", "u")

        assert (sitting.shown.document, sitting.progress().place) == (document, place)
        assert grade_of(window, document) == 2

    def test_a_pause_is_proposed(self, qtbot, judging) -> None:
        """After the chosen time nothing is graded until one goes on."""
        window = judging()
        page = window.judge_page
        window.session.preferences.minutes_to_pause = 1
        page._propose_pause()

        assert "Take a pause" in text(window, "judgeEnding")
        press(window, "3")
        assert grade_of(window, "q0d1") is None
        qtbot.mouseClick(page.findChild(QAbstractButton, "judgeGoOn"), Qt.MouseButton.LeftButton)
        press(window, "3")
        assert grade_of(window, "q0d1") == 3

    def test_judge_next(self, qtbot, judging, tmp_path) -> None:
        """Not blind, it is said why a document is next; blind, it is not."""
        window = judging(judgments(tmp_path / "many.csv", 3, 12, 2), by="range")
        assert text(window, "judgeDocument") == "q0d2"  # the first blank weighs most
        assert text(window, "judgeState") == ""
        window.session.preferences.blind = False
        press(window, "j", "k")

        assert "A grade narrows the range of the query's nDCG@10 by" in text(window, "judgeState")
        assert "rank 3 in many.csv" in text(window, "judgeState")

    def test_the_winner_is_settled(self, qtbot, opened, tmp_path) -> None:
        """Of two rankings it is said when nothing that is left can change which is better."""
        (tmp_path / "q.csv").write_text("query,docid,grade\nq,A,2\nq,B,0\nq,C,\nq,D,\n", "utf-8")
        (tmp_path / "a.csv").write_text("query,docid,rank\nq,A,1\nq,C,2\nq,B,3\n", "utf-8")
        (tmp_path / "b.csv").write_text("query,docid,rank\nq,B,1\nq,D,2\nq,A,3\n", "utf-8")
        window = opened(*(tmp_path / name for name in ("q.csv", "a.csv", "b.csv")))
        window.arrange("judge")
        window.sitting.set_options(QueueOptions(by="winner"))
        until_idle(window.session)
        assert not window.sitting.settled
        press(window, "0")
        until_idle(window.session)
        press(window, "0")
        until_idle(window.session)

        assert window.sitting.settled
        assert "Whatever is left, a.csv has a higher mean nDCG@10 than b.csv." in text(
            window, "judgeEnding"
        )


def test_five_hundred_rows(qtbot, judging, tmp_path) -> None:
    """Five hundred documents are graded by one key each, saved, and are in the file."""
    path = judgments(tmp_path / "week.csv", 50, 10, 0)
    window = judging(path)
    keys = [str(place % 4) for place in range(500)]
    for place, key in enumerate(keys):
        press(window, key)
        if place % 100 == 50:  # a mistake, taken back and done again
            press(window, "u", key)

    assert "500 of 500 documents are judged." in text(window, "judgeEnding")
    with qtbot.waitSignal(window.session.saved, timeout=20_000):
        window.findChild(QAction, "actionSave").trigger()
    assert [row["Grade"] for row in rows(path)] == keys
    assert not window.session.modified


class TestNotes:
    """What is typed as a note is kept without being asked for."""

    def type_note(self, window: MainWindow, words: str) -> None:
        """Type into the note, and stay there."""
        press(window, "n")
        press(window, words)
        assert window.judge_page.note.hasFocus()

    def notes(self, window: MainWindow) -> list[str]:
        """Every note there is."""
        return list(window.session.evaluation.remarks.notes.values())

    def test_saved_while_typing(self, qtbot, judging, tmp_path) -> None:
        """Save takes what stands in the field."""
        path = judgments(tmp_path / "j.csv")
        window = judging(path)
        self.type_note(window, "too small")
        with qtbot.waitSignal(window.session.saved, timeout=20_000):
            window.findChild(QAction, "actionSave").trigger()

        assert rows(path)[1]["note"] == "too small"
        assert not window.session.modified

    def test_kept_within_a_second(self, qtbot, judging) -> None:
        """After a moment it is kept, as one step however often that happens."""
        window = judging()
        self.type_note(window, "ab")
        qtbot.waitUntil(lambda: self.notes(window) == ["ab"], timeout=2_000)
        press(window, "c")
        qtbot.waitUntil(lambda: self.notes(window) == ["abc"], timeout=2_000)
        assert window.session.undo_stack.count() == 1
        window.session.undo_stack.undo()
        assert self.notes(window) == []

    @pytest.mark.parametrize("how", ["next query", "judge", "close", "digit"])
    def test_left_in_any_way(self, qtbot, judging, how, monkeypatch) -> None:
        """It belongs to the document that it was typed for, however that is left."""
        from ndcg_desktop.views.saving_flow import SavingFlow

        window = judging()
        self.type_note(window, "mine")
        if how == "next query":
            QTest.keyClick(window, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
        elif how == "judge":
            window.session.set_judge("Bob")
        elif how == "digit":
            qtbot.mouseClick(
                window.judge_page.findChild(QAbstractButton, "grade1"), Qt.MouseButton.LeftButton
            )
        else:
            from PySide6.QtWidgets import QMessageBox

            monkeypatch.setattr(SavingFlow, "_ask", lambda _: QMessageBox.StandardButton.Cancel)
            window.close()

        qtbot.waitUntil(lambda: bool(self.notes(window)), timeout=2_000)
        judgments_ = window.session.evaluation.judgments
        ((pair, _),) = window.session.evaluation.remarks.notes
        assert judgments_.documents[pair] == "q0d1"
        assert self.notes(window) == ["mine"]

    @pytest.mark.parametrize("step", ["undo", "redo"])
    def test_undo_while_typing(self, qtbot, judging, step) -> None:
        """A note that is being typed does not come between an undo, and is not lost by it."""
        window = judging()
        press(window, "1")
        if step == "redo":
            press(window, "u", "j")
        self.type_note(window, "noteB")
        (window.do.undo if step == "undo" else window.do.redo).trigger()
        qtbot.waitUntil(lambda: self.notes(window) == ["noteB"], timeout=2_000)

        assert grade_of(window, "q0d1") == (None if step == "undo" else 1)
        assert window.session.modified
        stack = window.session.undo_stack
        assert stack.index() == stack.count()
        stack.undo()
        assert self.notes(window) == []

    def test_words_stay_apart(self, qtbot, judging) -> None:
        """A pause after a space does not glue two words together."""
        window = judging()
        self.type_note(window, "hello ")
        qtbot.waitUntil(lambda: bool(self.notes(window)), timeout=2_000)
        press(window, "world", Qt.Key.Key_Return)
        assert self.notes(window) == ["hello world"]

    def test_typing_without_a_pause_is_kept(self, qtbot, judging) -> None:
        """Whoever types on and on has the note kept all the same."""
        window = judging()
        press(window, "n")
        for _ in range(12):
            press(window, "a")
            qtbot.wait(100)
        assert self.notes(window) and set(self.notes(window)[0]) == {"a"}
        press(window, Qt.Key.Key_Return)  # else the end of the test would be asked about

    def test_a_cleared_note_comes_back(self, judging) -> None:
        """A note that is cleared later is a step of its own."""
        window = judging()
        self.type_note(window, "precious")
        press(window, Qt.Key.Key_Return, "j", "k", "n")
        window.judge_page.note.selectAll()
        press(window, Qt.Key.Key_Delete, Qt.Key.Key_Return)
        assert self.notes(window) == []
        press(window, "u")
        assert self.notes(window) == ["precious"]

    def test_typed_and_taken_back(self, qtbot, judging) -> None:
        """A note that came back to what it was leaves nothing to save."""
        window = judging()
        self.type_note(window, "ab")
        qtbot.waitUntil(lambda: self.notes(window) == ["ab"], timeout=2_000)
        press(window, Qt.Key.Key_Backspace, Qt.Key.Key_Backspace)
        qtbot.waitUntil(lambda: self.notes(window) == [], timeout=2_000)
        press(window, Qt.Key.Key_Return)
        assert not window.session.modified

    def test_a_note_from_elsewhere_is_shown(self, judging) -> None:
        """What undo or a restore brings is in the field, and Return leaves it as it is."""
        window = judging()
        window.session.set_values("note", "", 0, [("q0d1", "from\nelsewhere")])
        press(window, "n", Qt.Key.Key_Return)

        assert self.notes(window) == ["from\nelsewhere"]

    def test_a_long_note_is_not_cut(self, judging) -> None:
        """Looking at a note changes nothing."""
        window = judging()
        long = "x" * 40_000
        window.session.set_values("note", "", 0, [("q0d1", long)])
        press(window, "n", Qt.Key.Key_Return)
        assert self.notes(window) == [long]


class TestElsewhere:
    """The page follows what is judged elsewhere, and takes the keys back."""

    def test_restored_grades_leave_the_queue(self, qtbot, judging) -> None:
        """Several grades given elsewhere make the queue anew, with the right count."""
        window = judging()
        window.session.set_grades(0, [("q0d1", 3.0), ("q0d2", 1.0)])
        until_idle(window.session)

        assert text(window, "judgeDocument") == "q0d3"
        assert text(window, "judgePace").startswith("5 of 12 judged")

    def test_back_to_where_one_was(self, judging) -> None:
        """A grade that is corrected after going back leads to where the judge had come."""
        window = judging()
        press(window, "1", "1", "k", "k", "3")

        assert text(window, "judgeDocument") == "q0d3"
        assert grade_of(window, "q0d1") == 3

    def test_keys_after_the_end(self, qtbot, judging) -> None:
        """A queue chosen at the end of another takes digits at once."""
        window = judging()
        press(window, *"111222333")
        assert "The end of the queue." in text(window, "judgeEnding")
        window.sitting.set_options(QueueOptions(which="all"))
        until_idle(window.session)
        assert window.judge_page.hasFocus()
        press(window, "0")
        assert grade_of(window, "q0d0") == 0

    def test_what_was_passed_over(self, qtbot, judging) -> None:
        """At the end it is said what is left, and a button leads there."""
        window = judging()
        press(window, "j", "1", "j")
        QTest.keyClick(window, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(window, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)

        assert "8 not judged yet." in text(window, "judgeEnding")
        rest = window.judge_page.findChild(QAbstractButton, "judgeRest")
        qtbot.mouseClick(rest, Qt.MouseButton.LeftButton)
        until_idle(window.session)
        assert text(window, "judgeDocument") == "q0d1"

    def test_the_last_decision_is_said(self, judging) -> None:
        """The status bar names the document that was just graded, and the grade."""
        window = judging()
        press(window, "3")
        assert window.statusBar().currentMessage() == "Title 0.1: 3"
        press(window, "x")
        assert window.statusBar().currentMessage() == "Title 0.2: can't tell"

    def test_a_pause_ends_with_return(self, judging) -> None:
        """Return goes on, and no pause is proposed where none is wanted."""
        window = judging()
        window.session.preferences.minutes_to_pause = 1
        window.judge_page._propose_pause()
        assert "You have judged for 1 minute." in text(window, "judgeEnding")
        press(window, Qt.Key.Key_Return, "3")
        assert grade_of(window, "q0d1") == 3
        window.session.preferences.minutes_to_pause = 0
        window.judge_page._propose_pause()
        assert not window.judge_page.pauses


def test_verdicts(qtbot, opened: Open, tmp_path) -> None:
    """Disagreements show what each judge said, and the grade that is given is the verdict."""
    path = tmp_path / "j.csv"
    path.write_text("query,docid,Ann,Bob,note\nq,A,3,2,Ann: good\nq,B,1,1,\nq,C,0,2,\n", "utf-8")
    window = opened(path)
    window.session.set_judge("Chief")
    window.arrange("judge")
    window.sitting.set_options(QueueOptions(which="disagreements"))
    until_idle(window.session)
    assert text(window, "judgeDocument") == "" or text(window, "judgeTitle") == "A"
    assert "Ann: 3 – good" in text(window, "judgeVotes")
    assert "Bob: 2" in text(window, "judgeVotes")
    assert text(window, "judgePace").startswith("0 of 2 settled")
    press(window, "3", "1")

    votes = window.session.evaluation.votes
    assert votes.of_pair(0) == {"Ann": 3, "Bob": 2}
    assert [votes.get(pair, "verdict") for pair in (0, 2)] == [3, 1]
    assert "2 of 2 documents are settled." in text(window, "judgeEnding")
    press(window, "u")
    assert text(window, "judgeTitle") == "C"
