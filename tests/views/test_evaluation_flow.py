"""Evaluations in the window: saved, opened, looked for, and never left unsaved unasked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QCommandLinkButton,
    QFileDialog,
    QLabel,
    QMessageBox,
)
from test_window import act_in_dialog, choose, save_to, table, trigger
from waiting import until_idle

from ndcg_desktop.evaluation.scale import BUILT_IN
from ndcg_desktop.views.import_dialog import ImportDialog
from ndcg_desktop.views.main_window import MainWindow

JUDGMENTS = "query,docid,grade\nq1,A,3\nq1,B,1\nq1,C,0\nq2,D,2\n"
RUN = "query,docid,rank\nq1,B,1\nq1,A,2\nq1,C,3\nq2,D,1\n"

Open = Callable[..., MainWindow]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with judgments and a ranking."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "judgments.csv").write_text(JUDGMENTS, "utf-8")
    (folder / "run.csv").write_text(RUN, "utf-8")
    return folder


@pytest.fixture
def review(opened: Open, data: Path, tmp_path: Path, monkeypatch) -> Path:
    """An evaluation that was saved in the window and closed."""
    window = opened(data / "judgments.csv", data / "run.csv")
    window.session.set_scale(BUILT_IN[2])
    save_to(monkeypatch, tmp_path / "review")
    trigger(window, "actionSaveEvaluation")
    until_idle(window.session)
    trigger(window, "actionClose")
    return tmp_path / "review.ndcg"


def locate(monkeypatch, path: Path | None) -> list[str]:
    """Answer the next questions for a file, and tell what was asked."""
    asked: list[str] = []

    def choose_file(_parent, title: str, *_rest: object) -> tuple[str, str]:
        asked.append(title)
        return "" if path is None else str(path), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose_file)
    return asked


def answer(window: MainWindow, text: str) -> QAbstractButton:
    """The button of the message bar that says this."""
    buttons = window.messages.findChildren(QAbstractButton)
    return next(b for b in buttons if b.text() == text and b.isVisible())


def links(window: MainWindow) -> list[str]:
    """What the start page offers to open."""
    return [link.text() for link in window.start.findChildren(QCommandLinkButton)]


def headings(window: MainWindow) -> list[str]:
    """The headings that are seen on the start page."""
    return [label.text() for label in window.start.findChildren(QLabel) if label.isVisible()]


def press(window: MainWindow, name: str, keys: str) -> None:
    """Press the keys of an action, which must be its own."""
    action = window.findChild(QAction, name)
    assert QKeySequence(keys) in action.shortcuts()
    action.trigger()


class TestSaving:
    """Saved where a person says."""

    def test_asked_the_first_time(self, review: Path, window: MainWindow) -> None:
        """The name is completed, and the file names its data."""
        assert [each["path"] for each in json.loads(review.read_text("utf-8"))["files"]] == [
            "data/judgments.csv",
            "data/run.csv",
        ]

    def test_title_and_star(self, review: Path, opened: Open, monkeypatch) -> None:
        """The title names the evaluation; the star tells of what it does not have; the second time
        nothing is asked.
        """
        window = opened(review)
        assert window.windowTitle() == "review.ndcg[*] – nDCG Desktop"
        assert not window.isWindowModified()
        window.session.set_scale(None)
        assert window.isWindowModified()
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: pytest.fail("asked"))
        press(window, "actionSaveEvaluation", "Ctrl+Alt+S")
        until_idle(window.session)

        assert not window.isWindowModified()
        assert json.loads(review.read_text("utf-8"))["scale"] is None
        assert window.statusBar().currentMessage() == "Saved review.ndcg."

    def test_ctrl_s_saves_both(self, qtbot, review: Path, opened: Open, data: Path) -> None:
        """Grades go to their file and what is chosen to the evaluation; nothing is unsaved then,
        and the file of grades has not changed for the evaluation.
        """
        window = opened(review)
        window.session.set_decimals(6)
        choose(window, 2)
        qtbot.keyClick(table(window), Qt.Key.Key_2)
        with qtbot.waitSignal(window.evaluations.saved, timeout=20_000):
            press(window, "actionSave", "Ctrl+S")
        until_idle(window.session)

        assert "q1,C,2" in (data / "judgments.csv").read_text("utf-8")
        assert json.loads(review.read_text("utf-8"))["decimals"] == 6
        assert not window.isWindowModified()
        trigger(window, "actionClose")
        opened(review)
        assert window.messages.texts == []

    def test_ctrl_s_without_grades(self, review: Path, opened: Open, data: Path) -> None:
        """Where only something was chosen, files of grades are left alone."""
        before = (data / "judgments.csv").stat().st_mtime_ns
        window = opened(review)
        window.session.set_decimals(6)
        trigger(window, "actionSave")
        until_idle(window.session)

        assert (data / "judgments.csv").stat().st_mtime_ns == before
        assert not window.isWindowModified()

    def test_grades_alone_stay_unsaved(self, qtbot, review: Path, opened: Open) -> None:
        """Saving the evaluation does not save grades, and says so."""
        window = opened(review)
        choose(window, 2)
        qtbot.keyClick(table(window), Qt.Key.Key_2)
        trigger(window, "actionSaveEvaluation")
        until_idle(window.session)

        assert window.isWindowModified()
        assert "The grades are not in it" in window.statusBar().currentMessage()

    def test_example_is_saved_first(self, worked: MainWindow, monkeypatch, tmp_path: Path) -> None:
        """An example has no file: the bar says what to do, and has the button for it."""
        trigger(worked, "actionSaveEvaluation")
        assert worked.messages.texts[-1].startswith("Save the judgments to a file first")
        save_to(monkeypatch, tmp_path / "own.csv", "Comma-separated values (*.csv)")
        answer(worked, "Save as…").click()
        until_idle(worked.session)
        save_to(monkeypatch, tmp_path / "own.ndcg")
        trigger(worked, "actionSaveEvaluation")
        until_idle(worked.session)

        assert (tmp_path / "own.ndcg").exists()
        assert worked.windowTitle().startswith("own.ndcg")

    def test_changed_by_another_program(self, review: Path, opened: Open) -> None:
        """What another program has written is replaced only when that is said."""
        window = opened(review)
        window.session.set_scale(None)
        review.write_text("theirs", "utf-8")
        trigger(window, "actionSave")
        until_idle(window.session)
        assert "changed by another program" in window.messages.texts[-1]
        assert review.read_text("utf-8") == "theirs"
        answer(window, "Save anyway").click()
        until_idle(window.session)

        assert json.loads(review.read_text("utf-8"))["scale"] is None
        assert not window.isWindowModified()
        assert window.messages.texts == []

    def test_nothing_to_save(self, window: MainWindow) -> None:
        """With nothing open there is nothing to save."""
        assert not window.findChild(QAction, "actionSaveEvaluation").isEnabled()


class TestLeaving:
    """Never without a question."""

    @pytest.mark.parametrize("button", ["Save", "Discard", "Cancel"])
    def test_closing_asks(self, review: Path, opened: Open, button: str) -> None:
        """Closing an evaluation that is not saved asks, and does what is answered."""
        window = opened(review)
        window.session.set_scale(None)
        asked: list[str] = []

        def reply(box: QMessageBox) -> None:
            asked.append(box.text())
            box.button(getattr(QMessageBox.StandardButton, button)).click()

        act_in_dialog(QMessageBox, reply)
        trigger(window, "actionClose")
        until_idle(window.session)

        assert asked == ["What was changed in review.ndcg is not saved."]
        assert (window.session.evaluation is None) == (button != "Cancel")
        saved = json.loads(review.read_text("utf-8"))["scale"] is None
        assert saved == (button == "Save")

    def test_both_unsaved(self, qtbot, review: Path, opened: Open, data: Path) -> None:
        """Save in the question saves grades and evaluation, and then closes."""
        window = opened(review)
        window.session.set_scale(None)
        choose(window, 2)
        qtbot.keyClick(table(window), Qt.Key.Key_2)
        asked: list[str] = []

        def save(box: QMessageBox) -> None:
            asked.append(box.text())
            box.button(QMessageBox.StandardButton.Save).click()

        act_in_dialog(QMessageBox, save)
        trigger(window, "actionClose")
        qtbot.waitUntil(lambda: window.session.evaluation is None, timeout=20_000)

        assert asked == ["1 grade is not saved. Nor are other changes of review.ndcg."]
        assert "q1,C,2" in (data / "judgments.csv").read_text("utf-8")
        assert json.loads(review.read_text("utf-8"))["scale"] is None

    def test_nothing_unsaved(self, review: Path, opened: Open) -> None:
        """An evaluation that is as it was saved closes at once."""
        window = opened(review)
        trigger(window, "actionClose")

        assert window.session.evaluation is None
        assert window.windowTitle() == "nDCG Desktop[*]"


class TestOpening:
    """From the start page, the menu, by dropping, and from the dialog."""

    def test_start_page(self, qtbot, review: Path, window: MainWindow) -> None:
        """Recent evaluations stand under a heading of their own, and open with a click."""
        assert "Recent evaluations" in headings(window)
        assert "Recent files" in headings(window)
        assert "review.ndcg" in links(window)
        assert "judgments.csv, run.csv" in links(window)
        link = next(
            each
            for each in window.start.findChildren(QCommandLinkButton)
            if each.text() == "review.ndcg"
        )
        link.setFocus()
        with qtbot.waitSignal(window.session.replaced, timeout=20_000):
            qtbot.keyClick(link, Qt.Key.Key_Space)
        until_idle(window.session)

        assert window.session.scale == BUILT_IN[2]

    def test_no_heading_for_nothing(self, window: MainWindow) -> None:
        """Without recent ones there are no headings."""
        assert not {"Recent evaluations", "Recent files"} & set(headings(window))

    def test_recent_menu(self, qtbot, review: Path, window: MainWindow) -> None:
        """Open recent has it too."""
        window.menus.recent.aboutToShow.emit()
        entry = next(a for a in window.menus.recent.actions() if a.text() == "review.ndcg")
        with qtbot.waitSignal(window.session.replaced, timeout=20_000):
            entry.trigger()
        until_idle(window.session)

        assert window.evaluations.path == review

    def test_drop(self, qtbot, review: Path, window: MainWindow) -> None:
        """An evaluation is dropped like any file."""
        dropped = QMimeData()
        dropped.setUrls([QUrl.fromLocalFile(str(review))])
        event = QDropEvent(
            QPointF(100, 100),
            Qt.DropAction.CopyAction,
            dropped,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        with qtbot.waitSignal(window.session.replaced, timeout=20_000):
            window.dropEvent(event)
        until_idle(window.session)

        assert window.evaluations.title == "review.ndcg"

    def test_dialog_offers_them(self, window: MainWindow, monkeypatch) -> None:
        """The dialog for files lists evaluations."""
        filters: list[str] = []
        monkeypatch.setattr(
            QFileDialog, "getOpenFileNames", lambda *a: (filters.append(a[3]), ([], ""))[1]
        )
        trigger(window, "actionOpen")

        assert "Evaluations (*.ndcg)" in filters[0]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "It is damaged"),
            ('{"format": "nDCG Desktop evaluation", "version": 9}', "later version"),
            ("query,docid\n", "It is damaged"),
            ('{"a": 1}', "no evaluation"),
            ("[" * 100_000, "nested too deeply"),
        ],
    )
    def test_bad_file(self, qtbot, opened: Open, data: Path, window, text, said) -> None:
        """A file that is none is told in the bar, and what is open stays."""
        opened(data / "judgments.csv", data / "run.csv")
        bad = data / "bad.ndcg"
        bad.write_text(text, "utf-8")
        with qtbot.waitSignal(window.session.failed, timeout=20_000):
            window.open_paths([bad])
        until_idle(window.session)

        assert window.messages.texts[-1].startswith("bad.ndcg")
        assert said in window.messages.texts[-1]
        assert window.session.evaluation is not None


class TestMoved:
    """Files that are somewhere else, or others now."""

    def test_located(self, qtbot, review, window, data, tmp_path, monkeypatch) -> None:
        """The bar asks for the first file; the second is found beside it."""
        data.rename(tmp_path / "new place")
        window.open_paths([review])
        until_idle(window.session)
        (text,) = window.messages.texts
        assert text.startswith("2 files are not where they were when review.ndcg was saved:")
        assert "data/judgments.csv, data/run.csv" in text
        asked = locate(monkeypatch, tmp_path / "new place" / "judgments.csv")
        button = answer(window, "Locate…")
        button.setFocus()
        with qtbot.waitSignal(window.session.replaced, timeout=20_000):
            qtbot.keyClick(button, Qt.Key.Key_Space)
        until_idle(window.session)

        assert asked == ["Where is judgments.csv?"]
        assert window.session.scale == BUILT_IN[2]
        assert window.isWindowModified()  # it does not know the new places yet
        assert window.messages.texts == []

    def test_one_after_the_other(self, qtbot, review, window, data, tmp_path, monkeypatch) -> None:
        """What is not found beside it is asked for in turn."""
        for place in ("one", "two"):
            (tmp_path / place).mkdir()
        (data / "judgments.csv").rename(tmp_path / "one" / "renamed.csv")
        (data / "run.csv").rename(tmp_path / "two" / "run.csv")
        window.open_paths([review])
        until_idle(window.session)
        locate(monkeypatch, tmp_path / "one" / "renamed.csv")
        answer(window, "Locate…").click()
        until_idle(window.session)
        (text,) = window.messages.texts
        assert text.startswith("data/run.csv is not where it was when review.ndcg was saved.")
        locate(monkeypatch, tmp_path / "two" / "run.csv")
        with qtbot.waitSignal(window.session.replaced, timeout=20_000):
            answer(window, "Locate…").click()
        until_idle(window.session)

        assert [path.name for path in window.session.paths] == ["renamed.csv", "run.csv"]

    def test_not_located(self, review, window, data, monkeypatch) -> None:
        """Who gives up in the dialog is still asked; Dismiss ends it, and nothing was opened."""
        data.rename(data.with_name("gone"))
        window.open_paths([review])
        until_idle(window.session)
        locate(monkeypatch, None)
        answer(window, "Locate…").click()
        assert len(window.messages.texts) == 1
        answer(window, "Dismiss").click()

        assert window.messages.texts == []
        assert window.session.evaluation is None

    def test_changed(self, review, opened: Open, data: Path) -> None:
        """The bar names a file that has changed; the evaluation is open all the same."""
        (data / "run.csv").write_text(RUN + "q2,A,2\n", "utf-8")
        window = opened(review)

        assert "run.csv" in window.messages.texts[0]
        assert "has changed since the evaluation was saved" in window.messages.texts[0]
        assert not window.isWindowModified()

    def test_other_columns(self, qtbot, review, window, data: Path) -> None:
        """Columns that do not fit any more are confirmed in the dialog for files."""
        text = "\n".join(",".join(reversed(line.split(","))) for line in RUN.split())
        (data / "run.csv").write_text(text, "utf-8")
        seen: list[str] = []

        def accept(dialog: ImportDialog) -> None:
            seen.extend(each.doubt for each in dialog.offered if each.doubt)
            dialog.accept()

        act_in_dialog(ImportDialog, accept)
        with qtbot.waitSignal(window.session.replaced, timeout=20_000):
            window.open_paths([review])
        until_idle(window.session)

        assert "other columns" in seen[0]
        assert window.session.scale == BUILT_IN[2]


def test_names_for_a_screen_reader(review: Path, window: MainWindow, data: Path) -> None:
    """The bar and its button say what they are about."""
    data.rename(data.with_name("gone"))
    window.open_paths([review])
    until_idle(window.session)

    assert "review.ndcg" in answer(window, "Locate…").accessibleDescription()
