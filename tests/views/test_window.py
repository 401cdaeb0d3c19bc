"""The main job end to end, acted through the widgets as a person does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QAccessible, QAction, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QSpinBox,
    QTableView,
    QTableWidgetItem,
)

from ndcg_desktop.views.entry_dialog import EntryDialog, grades_in
from ndcg_desktop.views.exporting import kind_of
from ndcg_desktop.views.main_window import MainWindow
from ndcg_desktop.views.options_dialog import OptionsDialog

Open = Callable[..., MainWindow]
Own = Callable[[str], Path]


def score(window: MainWindow) -> str:
    """The score above the table."""
    return window.findChild(QLabel, "score").text()


def mean(window: MainWindow) -> str:
    """The mean below the list."""
    return window.findChild(QLabel, "mean").text()


def table(window: MainWindow) -> QTableView:
    """The ranking table."""
    return window.findChild(QTableView, "ranking")


def queries(window: MainWindow) -> QTableView:
    """The list of queries."""
    return window.findChild(QTableView, "queries")


def column(window: MainWindow, header: str) -> int:
    """The place of the column with this header."""
    model = table(window).model()
    headers = [model.headerData(c, Qt.Orientation.Horizontal) for c in range(model.columnCount())]
    return headers.index(header)


def cell(window: MainWindow, row: int, header: str) -> str:
    """What a cell of the ranking table shows."""
    return table(window).model().index(row, column(window, header)).data()


def grade(window: MainWindow, row: int) -> float | None:
    """The grade of a row, None where it is not judged."""
    index = table(window).model().index(row, column(window, "Grade"))
    return index.data(Qt.ItemDataRole.EditRole)


def choose(window: MainWindow, row: int, header: str = "Grade") -> None:
    """Put the focus on a cell."""
    view = table(window)
    view.setFocus()
    view.setCurrentIndex(view.model().index(row, column(window, header)))


def click(qtbot, window: MainWindow, name: str) -> None:
    """Click the button of this name."""
    qtbot.mouseClick(window.findChild(QAbstractButton, name), Qt.MouseButton.LeftButton)


def trigger(window: MainWindow, name: str) -> None:
    """Do the action of this name."""
    window.findChild(QAction, name).trigger()


def act_in_dialog(kind: type, act: Callable) -> None:
    """Do something in the next dialog of this kind, once it is up."""

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, kind):
            act(dialog)
        else:
            QTimer.singleShot(20, look)

    QTimer.singleShot(0, look)


def save_to(monkeypatch, path: Path, chosen: str = "") -> None:
    """Answer the next question for a file to write."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(path), chosen))


def saved(qtbot, window: MainWindow, act: Callable[[], object]) -> None:
    """Do something that saves, and wait until it is done."""
    with qtbot.waitSignal(window.session.saved, timeout=20_000):
        act()
    qtbot.waitUntil(window.session.is_idle, timeout=20_000)


class TestExample:
    """1. The worked example."""

    def test_linear_and_exponential(self, qtbot, worked: MainWindow) -> None:
        """The example shows 0.710, and one click on Exponential 0.669."""
        assert score(worked) == "nDCG@4 0.710"
        click(qtbot, worked, "gainExponential")

        assert score(worked) == "nDCG(dcg='exp-log2')@4 0.669"

        click(qtbot, worked, "gainLinear")

        assert score(worked) == "nDCG@4 0.710"

    def test_start_page_opens_an_example(self, qtbot, window: MainWindow) -> None:
        """The start page's link opens the example."""
        with qtbot.waitSignal(window.session.replaced):
            click(qtbot, window, "example-worked-example")

        assert score(window) == "nDCG@4 0.710"

    def test_its_k_is_not_remembered(self, qtbot, worked: MainWindow, settings) -> None:
        """The cutoff that an example comes with does not become the user's own."""
        assert worked.session.preferences.options.cutoff == 10


class TestOpening:
    """2. Opening files."""

    def test_two_files(self, opened: Open, files: Path) -> None:
        """Judgments and a ranking in two files are joined."""
        window = opened(
            files / "01-quepid-ratings-basic-ragged.csv", files / "02-quepid-snapshot.csv"
        )

        assert mean(window).startswith("mean nDCG@10 0.729 (n = 3)")
        assert "not judged" in mean(window)

    def test_one_after_the_other(self, opened: Open, files: Path) -> None:
        """A ranking that is opened after the judgments completes them."""
        window = opened(files / "01-quepid-ratings-basic-ragged.csv")

        assert "Open a ranking" in window.findChild(QLabel, "sentence").text()

        opened(files / "02-quepid-snapshot.csv")

        assert mean(window).startswith("mean nDCG@10 0.729 (n = 3)")

    def test_two_sheets_with_two_systems(self, qtbot, opened: Open, files: Path) -> None:
        """Rankings side by side in one sheet can be chosen."""
        window = opened(files / "36-two-systems-wide.xlsx")
        box = window.findChild(QComboBox, "rankings")

        assert [box.itemText(i) for i in range(box.count())] == ["Live", "New model"]
        assert "0.688" in mean(window)

        qtbot.keyClick(box, Qt.Key.Key_Down)

        assert "0.761" in mean(window)

    def test_row_order_by_consent(self, qtbot, opened: Open, files: Path) -> None:
        """Judgments alone are ranked by their rows only once the user says so."""
        window = opened(files / "04-quepid-book-three-raters.csv")
        assert window.messages.texts
        button = next(
            b
            for b in window.messages.findChildren(QAbstractButton)
            if b.text() == "Use the order of the rows"
        )
        with qtbot.waitSignal(window.session.replaced):
            button.click()

        assert "0.895" in mean(window)
        assert "mean of 2–3 judges" in window.findChild(QLabel, "facts").text()

    def test_drop(self, qtbot, window: MainWindow, files: Path) -> None:
        """Files dropped on the window are opened."""
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(files / "03-quepid-detailed-team-comma.csv"))])
        event = QDropEvent(
            QPointF(5, 5),
            Qt.DropAction.CopyAction,
            mime,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        with qtbot.waitSignal(window.session.replaced):
            window.dropEvent(event)

        assert "0.957" in mean(window)

    @pytest.mark.parametrize(
        "name",
        ["57-empty.csv", "57-header-only.csv", "57-not-a-spreadsheet.xlsx", "57-binary.csv"],
    )
    def test_broken_files(self, qtbot, worked: MainWindow, files: Path, name: str) -> None:
        """A broken file is one sentence in the bar, and the old view stays."""
        with qtbot.waitSignal(worked.session.failed):
            worked.open_paths([files / name])

        assert name in worked.messages.texts[-1]
        assert "Traceback" not in worked.messages.texts[-1]
        assert score(worked) == "nDCG@4 0.710"

    def test_vanished_file(self, qtbot, worked: MainWindow, tmp_path: Path) -> None:
        """A file that is gone is said to be gone."""
        with qtbot.waitSignal(worked.session.failed):
            worked.open_paths([tmp_path / "gone.xlsx"])

        assert "no such file" in worked.messages.texts[-1]

    def test_cancel(self, qtbot, worked: MainWindow, files: Path) -> None:
        """A load that is cancelled changes nothing."""
        worked.open_paths([files / "55-thirty-queries-some-stale.csv"])
        worked.session.jobs.cancel()
        qtbot.wait(200)

        assert worked.session.is_idle()
        assert score(worked) == "nDCG@4 0.710"

    def test_only_a_ranking(self, opened: Open, files: Path) -> None:
        """A ranking alone has no score, never 0."""
        window = opened(files / "02-quepid-snapshot.csv")

        assert score(window) == "nDCG@10 –"
        assert "No judgments yet" in window.findChild(QLabel, "sentence").text()
        assert "–" in mean(window)

    def test_no_query_in_common(self, opened: Open, files: Path) -> None:
        """Without a common query there is no mean, and both sides' ids are shown."""
        window = opened(files / "49-qrels-qid-suffix.txt", files / "49-run-qid-nosuffix.txt")

        assert "–" in mean(window)
        assert "2024-1.0" in window.messages.texts[0]


class TestReading:
    """3. The query list, the table, and what stands above and below them."""

    def test_table_of_the_worked_example(self, worked: MainWindow) -> None:
        """Each factor of each document stands in the table, then what was missed."""
        assert [cell(worked, 1, h) for h in ("#", "Document", "Grade", "Gain", "Discount")] == [
            "2", "B", "1", "1.000", "0.631",
        ]  # fmt: skip
        assert cell(worked, 3, "DCG") == "4.492"
        assert cell(worked, 1, "Ideal grade") == "3"
        assert cell(worked, 1, "Ideal disc.") == "1.893"
        assert cell(worked, 4, "#") == "missed"
        assert cell(worked, 4, "Disc. gain") == "lost 1.893"

    def test_facts(self, worked: MainWindow) -> None:
        """DCG, ideal DCG, judged and the measure's options stand above the table."""
        facts = worked.findChild(QLabel, "facts").text()

        assert "DCG 4.492" in facts
        assert "ideal DCG 6.324" in facts or "ideal DCG 6.323" in facts
        assert "judged 4 of 4" in facts
        assert "linear gain, ideal from all judged" in facts

    def test_sorting_puts_undefined_last(self, qtbot, opened: Open, files: Path) -> None:
        """The worst query is first on one click, queries without a score last either way."""
        window = opened(files / "47-flat-and-single.csv")
        view = queries(window)
        view.sortByColumn(1, Qt.SortOrder.AscendingOrder)
        names = [view.model().index(r, 0).data() for r in range(view.model().rowCount())]

        assert names[0] == "only third"
        assert set(names[4:]) == {"all zeros", "one doc bad", "blank all"}

        view.sortByColumn(1, Qt.SortOrder.DescendingOrder)
        names = [view.model().index(r, 0).data() for r in range(view.model().rowCount())]

        assert names[3] == "only third"
        assert set(names[4:]) == {"all zeros", "one doc bad", "blank all"}

    def test_filter(self, qtbot, opened: Open, files: Path) -> None:
        """The filter line shows the queries that hold its text."""
        window = opened(files / "55-thirty-queries-some-stale.csv")
        qtbot.keyClicks(window.findChild(QLineEdit, "filter"), "topic 1")

        assert queries(window).model().rowCount() == 10

    def test_undefined_query_is_explained(self, opened: Open, files: Path) -> None:
        """A query whose grades are all 0 has a dash and a sentence."""
        window = opened(files / "47-flat-and-single.csv")
        window.queries.select(1)

        assert score(window) == "nDCG@10 –"
        assert "nothing to normalise by" in window.findChild(QLabel, "sentence").text()

    def test_cutoff_beyond_the_list(self, qtbot, worked: MainWindow) -> None:
        """A k beyond the ranking is said to count empty places."""
        click(qtbot, worked, "cutoff10")

        assert "places 5–10 count as empty" in worked.findChild(QLabel, "sentence").text()

    def test_other_columns_are_shown(self, opened: Open, files: Path) -> None:
        """The file's other columns stand beside the document."""
        window = opened(files / "03-quepid-detailed-team-comma.csv")

        assert cell(window, 1, "title") == "Kettle, retro"

    def test_range_under_unjudged(self, opened: Open, files: Path) -> None:
        """Unjudged documents in the top k give a range."""
        window = opened(files / "03-quepid-detailed-team-comma.csv")

        assert window.findChild(QLabel, "range").text().startswith("between ")


class TestChart:
    """4. The chart."""

    def test_bars_follow_a_grade(self, qtbot, worked: MainWindow) -> None:
        """A grade that is changed moves the bars."""
        before = worked.page.chart.describe()
        choose(worked, 1)
        qtbot.keyClick(table(worked), Qt.Key.Key_3)

        assert worked.page.chart.describe() != before

    def test_click_selects_the_row(self, worked: MainWindow) -> None:
        """A position that is clicked selects its row."""
        worked.page.chart.position_clicked.emit(2)

        assert table(worked).currentIndex().row() == 2

    @pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
    def test_picture(self, worked: MainWindow, tmp_path: Path, suffix: str) -> None:
        """The chart is saved as PNG, SVG and PDF."""
        path = tmp_path / f"chart{suffix}"
        worked.page.chart.save_picture(path)

        head = path.read_bytes()[:200]
        assert {".png": b"PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix] in head

    def test_copy(self, worked: MainWindow) -> None:
        """The chart is copied as a picture."""
        trigger(worked, "actionCopyChart")

        assert not QGuiApplication.clipboard().image().isNull()


class TestEditing:
    """5. Grades are typed, filled, pasted, undone."""

    def test_digit_grades_and_moves_on(self, qtbot, worked: MainWindow) -> None:
        """A digit sets the grade and the next row is current; everything follows at once."""
        choose(worked, 1)
        qtbot.keyClick(table(worked), Qt.Key.Key_3)

        assert grade(worked, 1) == 3.0
        assert table(worked).currentIndex().row() == 2
        assert score(worked) == "nDCG@4 0.793"
        assert mean(worked) == "mean nDCG@4 0.793 (n = 1)"
        assert queries(worked).model().index(0, 1).data() == "0.793"

    def test_undo_and_redo_name_the_change(self, qtbot, worked: MainWindow) -> None:
        """Undo names document and grades, and takes the change back; redo makes it again."""
        choose(worked, 1)
        qtbot.keyClick(table(worked), Qt.Key.Key_2)

        assert worked.do.undo.text().replace("&", "") == "Undo grade of 'B' 1 → 2"
        assert worked.isWindowModified()

        worked.do.undo.trigger()

        assert grade(worked, 1) == 1.0
        assert not worked.isWindowModified()

        worked.do.redo.trigger()

        assert grade(worked, 1) == 2.0
        assert worked.isWindowModified()

    def test_undo_goes_to_what_it_changed(self, qtbot, opened: Open, files: Path) -> None:
        """Undo selects the grade that it took back, in whichever query that is."""
        window = opened(files / "55-thirty-queries-some-stale.csv")
        choose(window, 3)
        qtbot.keyClick(table(window), Qt.Key.Key_3)
        window.queries.select(5)
        window.do.undo.trigger()

        assert queries(window).currentIndex().data() == "topic 01"
        assert table(window).currentIndex().row() == 3

    def test_editor_takes_any_number(self, qtbot, worked: MainWindow) -> None:
        """F2 opens an editor for fractions; text that is no number changes nothing."""
        choose(worked, 0)
        view = table(worked)
        qtbot.keyClick(view, Qt.Key.Key_F2)
        editor = view.findChild(QLineEdit)
        editor.selectAll()
        qtbot.keyClicks(editor, "2,5")
        qtbot.keyClick(editor, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: view.currentIndex().row() == 1)

        assert grade(worked, 0) == 2.5

        view.model().setData(view.model().index(0, column(worked, "Grade")), "good")

        assert grade(worked, 0) == 2.5
        assert "not a grade" in worked.messages.texts[-1]

    def test_delete_makes_not_judged(self, qtbot, worked: MainWindow) -> None:
        """Delete takes the grade away: not judged, never 0."""
        choose(worked, 0)
        qtbot.keyClick(table(worked), Qt.Key.Key_Delete)

        assert grade(worked, 0) is None
        assert cell(worked, 0, "Gain") == "–"
        assert "judged 3 of 4" in worked.findChild(QLabel, "facts").text()

    def test_selection_takes_one_grade_in_one_step(self, qtbot, worked: MainWindow) -> None:
        """A selection is graded at once, and undone at once."""
        view = table(worked)
        view.setFocus()
        view.selectAll()
        qtbot.keyClick(view, Qt.Key.Key_2)

        assert [grade(worked, row) for row in range(5)] == [2.0] * 5

        worked.do.undo.trigger()

        assert [grade(worked, row) for row in range(5)] == [3.0, 1.0, 0.0, 2.0, 3.0]

    def test_fill_down(self, qtbot, worked: MainWindow) -> None:
        """Ctrl+D gives the rows below the grade of the first."""
        view = table(worked)
        choose(worked, 0)
        selection = view.selectionModel()
        for row in range(3):
            index = view.model().index(row, column(worked, "Grade"))
            selection.select(index, selection.SelectionFlag.Select)
        trigger(worked, "actionFillDown")

        assert [grade(worked, row) for row in range(4)] == [3.0, 3.0, 3.0, 2.0]

    def test_paste_a_block(self, qtbot, worked: MainWindow) -> None:
        """A column from a spreadsheet is pasted from the current row on; a blank is not judged."""
        choose(worked, 1)
        QGuiApplication.clipboard().setText("2\n\nx\n1\n")
        table(worked).paste()

        assert [grade(worked, row) for row in range(5)] == [3.0, 2.0, None, 2.0, 1.0]
        assert "1 made not judged; 1 left out" in worked.statusBar().currentMessage()
        assert worked.session.undo_stack.count() == 1

    def test_copy_a_block(self, qtbot, worked: MainWindow) -> None:
        """A block is copied as a spreadsheet takes it."""
        view = table(worked)
        view.selectAll()
        view.copy()
        lines = QGuiApplication.clipboard().text().splitlines()

        assert len(lines) == 5
        assert lines[0].split("\t")[:3] == ["1", "A", "3"]

    def test_same_grade_is_no_step(self, qtbot, worked: MainWindow) -> None:
        """Typing the grade that is there makes no undo step."""
        choose(worked, 0)
        qtbot.keyClick(table(worked), Qt.Key.Key_3)

        assert worked.session.undo_stack.count() == 0

    def test_digits_in_the_filter_are_text(self, qtbot, worked: MainWindow) -> None:
        """A digit typed into the filter line grades nothing."""
        qtbot.keyClicks(worked.findChild(QLineEdit, "filter"), "2")

        assert worked.session.undo_stack.count() == 0

    def test_unlisted_document_can_be_graded(self, qtbot, opened: Open, files: Path) -> None:
        """A returned document that the judgments do not list is graded like any other."""
        window = opened(
            files / "01-quepid-ratings-basic-ragged.csv", files / "02-quepid-snapshot.csv"
        )
        row = next(r for r in range(10) if cell(window, r, "Document") == "G150")
        choose(window, row)
        qtbot.keyClick(table(window), Qt.Key.Key_3)

        assert grade(window, row) == 3.0

        window.do.undo.trigger()

        assert grade(window, row) is None
        assert mean(window).startswith("mean nDCG@10 0.729")


class TestOptions:
    """6. Options are set, remembered and named."""

    def test_cutoff_controls(self, qtbot, worked: MainWindow) -> None:
        """Spin box, quick picks and All set k."""
        click(qtbot, worked, "cutoff3")
        assert score(worked).startswith("nDCG@3 0.616")

        click(qtbot, worked, "cutoffAll")
        assert score(worked) == "nDCG 0.710"

        click(qtbot, worked, "cutoffAll")
        spin = worked.findChild(QSpinBox, "cutoff")
        spin.setValue(2)
        assert score(worked) == "nDCG@2 0.742"

    def test_every_option_is_named(self, qtbot, worked: MainWindow) -> None:
        """Options that are not the default are named beside the score, and remembered."""

        def set_all(dialog: OptionsDialog) -> None:
            for name, value in (
                ("Ideal", "returned"), ("Unjudged", "remove"), ("Undefined", "one"),
                ("Missing", "skip"), ("Order", "file"), ("Discount", "base"),
            ):  # fmt: skip
                box = dialog.findChild(QComboBox, f"option{name}")
                box.setCurrentIndex(box.findData(value))
            dialog.decimals.setValue(5)
            dialog.accept()

        act_in_dialog(OptionsDialog, set_all)
        trigger(worked, "actionOptions")
        facts = worked.findChild(QLabel, "facts").text()

        for words in (
            "ideal from the returned only", "unjudged removed", "count as 1",
            "absent from the ranking left out", "order by rank or row", "discount 1/log2(i)",
        ):  # fmt: skip
            assert words in facts
        assert worked.session.preferences.options.unjudged == "remove"
        assert score(worked).split()[-1].count("0") <= 5
        assert len(score(worked).split(".")[-1]) == 5

    def test_gain_table(self, qtbot, worked: MainWindow) -> None:
        """A table of gains scores by it; a grade it lacks is refused with a reason."""

        def set_table(dialog: OptionsDialog) -> None:
            dialog.gain.setCurrentIndex(dialog.gain.findData("table"))
            dialog.table.setText("0=0, 1=1, 2=3, 3=7")
            dialog.accept()

        act_in_dialog(OptionsDialog, set_table)
        trigger(worked, "actionOptions")

        assert score(worked).endswith("0.669")  # the same gains as 2^grade - 1

        choose(worked, 1)
        qtbot.keyClick(table(worked), Qt.Key.Key_9)

        assert score(worked).endswith("–")
        assert "no entry" in worked.findChild(QLabel, "sentence").text()

    def test_bad_table_cannot_be_accepted(self, qtbot, worked: MainWindow) -> None:
        """A gain table that is none disables OK and says why."""
        dialog = OptionsDialog(worked.session.options, 3, False)
        qtbot.addWidget(dialog)
        dialog.gain.setCurrentIndex(dialog.gain.findData("table"))
        dialog.table.setText("0=0, 0=1")

        ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
        assert not ok.isEnabled()
        assert "twice" in dialog.problem.text()

    def test_convention(self, qtbot, opened: Open, files: Path) -> None:
        """Score as trec_eval counts an undefined query as 0 and skips an absent one."""
        window = opened(
            files / "08-qrels-negative-grades.txt", files / "09-run-6col-trailing-text.txt"
        )
        box = window.findChild(QComboBox, "convention")
        box.setCurrentIndex(box.findData("trec_eval"))
        box.activated.emit(box.currentIndex())

        assert "0.566" in mean(window)  # trec_eval's own mean over 101, 102 and 103

    def test_remembered_in_the_next_window(self, qtbot, worked, settings, state) -> None:
        """A gain that was chosen is there in the next window."""
        from ndcg_desktop.app import create_window

        click(qtbot, worked, "gainExponential")
        other = create_window([], settings, state)
        qtbot.addWidget(other)

        assert other.session.options.gain == "exponential"
        qtbot.waitUntil(other.session.is_idle, timeout=20_000)


class TestEntering:
    """7. Grades entered by hand."""

    def test_paste_and_score(self, qtbot, window: MainWindow) -> None:
        """A pasted list is scored as a ranking."""

        def fill(dialog: EntryDialog) -> None:
            dialog.paste.setText("3, 2, 3, 0, 1, 2")
            qtbot.keyClick(dialog.paste, Qt.Key.Key_Return)

        act_in_dialog(EntryDialog, fill)
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            trigger(window, "actionNew")

        assert score(window) == "nDCG@10 0.961"

    def test_missed_item_and_ideal_column(self, qtbot, window: MainWindow) -> None:
        """Rows without a position are missed; ideal grades can be the ideal."""
        dialog = EntryDialog()
        qtbot.addWidget(dialog)
        dialog.paste.setText("3 1 0 2 3")
        dialog.table.item(4, 0).setText("")
        entered = dialog.entered()

        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.session.open_table(entered)
        window.findChild(QSpinBox, "cutoff").setValue(4)

        assert score(window) == "nDCG@4 0.710"

    def test_blank_between_is_a_place(self, qtbot, window: MainWindow) -> None:
        """A blank between two grades is a document that was returned and not judged."""
        dialog = EntryDialog()
        qtbot.addWidget(dialog)
        dialog.paste.setText("3,,2")
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.session.open_table(dialog.entered())

        assert score(window) == "nDCG@10 0.939"
        assert "judged 2 of 3" in window.findChild(QLabel, "facts").text()

    def test_ideal_grades_are_used_and_named(self, qtbot, window: MainWindow) -> None:
        """Ideal grades that were typed are the ideal, and the score says so."""
        dialog = EntryDialog()
        qtbot.addWidget(dialog)
        dialog.paste.setText("3, 2")
        for row in range(2):
            dialog.table.setItem(row, 3, QTableWidgetItem("3"))
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.session.open_table(dialog.entered())

        assert score(window) == "nDCG@10 0.871"
        assert "ideal from the ideal column" in window.findChild(QLabel, "facts").text()

    @pytest.mark.parametrize(
        ("text", "cells"),
        [
            ("3, 2, 3, 0", ["3", "2", "3", "0"]),
            ("3 2 3 0", ["3", "2", "3", "0"]),
            ("2,5; 1; ; 0", ["2,5", "1", "", "0"]),
            ("3,,1", ["3", "", "1"]),
            ("", []),
        ],
    )
    def test_lists(self, text: str, cells: list[str]) -> None:
        """Lists are split at commas, semicolons or spaces; a blank stays a blank."""
        assert grades_in(text) == cells

    def test_wrong_cell_is_named(self, qtbot) -> None:
        """A cell that is no number is named by its row, and cannot be scored."""
        dialog = EntryDialog()
        qtbot.addWidget(dialog)
        dialog.paste.setText("3, x")

        assert "Row 2" in dialog.problem.text()
        assert not dialog.score_button.isEnabled()


class TestSaving:
    """8. Grades go back to their files."""

    def test_csv_changes_one_cell(self, qtbot, opened: Open, own: Own) -> None:
        """In a CSV only the graded cell changes."""
        path = own("03-quepid-detailed-team-comma.csv")
        before = path.read_bytes()
        window = opened(path)
        choose(window, 3)
        qtbot.keyClick(table(window), Qt.Key.Key_1)
        saved(qtbot, window, lambda: trigger(window, "actionSave"))

        assert path.read_bytes() == before.replace(b"35.00, clear,\n", b"35.00, clear,1\n")
        assert not window.isWindowModified()

    def test_workbook_changes_one_cell(self, qtbot, opened: Open, own: Own) -> None:
        """In a workbook only the graded cell changes, and the saved state is clean."""
        path = own("36-two-systems-wide.xlsx")
        window = opened(path)
        choose(window, 0)
        qtbot.keyClick(table(window), Qt.Key.Key_3)
        saved(qtbot, window, lambda: trigger(window, "actionSave"))
        sheet = openpyxl.load_workbook(path)["Judgments"]

        assert sheet["C2"].value == 3
        assert sheet["C3"].value == 0
        assert not window.isWindowModified()

    def test_new_document_is_added(self, qtbot, opened: Open, own: Own) -> None:
        """A document that the judgments did not list is added below them, once."""
        judgments, ranking = (
            own("01-quepid-ratings-basic-ragged.csv"), own("02-quepid-snapshot.csv"),
        )  # fmt: skip
        window = opened(judgments, ranking)
        row = next(r for r in range(10) if cell(window, r, "Document") == "G150")
        choose(window, row)
        qtbot.keyClick(table(window), Qt.Key.Key_3)
        saved(qtbot, window, lambda: trigger(window, "actionSave"))
        choose(window, row)
        qtbot.keyClick(table(window), Qt.Key.Key_2)
        saved(qtbot, window, lambda: trigger(window, "actionSave"))

        lines = judgments.read_text().splitlines()
        assert [line for line in lines if "G150" in line] == ["garden hose,G150,2"]

    def test_changed_on_disk_is_asked_first(self, qtbot, opened: Open, own: Own) -> None:
        """A file that another program changed is not overwritten unasked."""
        path = own("03-quepid-detailed-team-comma.csv")
        window = opened(path)
        choose(window, 0)
        qtbot.keyClick(table(window), Qt.Key.Key_1)
        path.write_bytes(path.read_bytes().replace(b"29.90", b"31.00"))
        with qtbot.waitSignal(window.session.save_refused):
            trigger(window, "actionSave")

        assert b",1\n" not in path.read_bytes().splitlines(keepends=True)[1]
        button = next(
            b for b in window.messages.findChildren(QAbstractButton) if b.text() == "Save anyway"
        )
        saved(qtbot, window, button.click)

        text = path.read_text()
        assert "31.00" in text
        assert "red,1\n" in text

    def test_other_grades_are_asked_about_first(self, qtbot, opened: Open, own: Own) -> None:
        """Rows of a document judged twice are not all overwritten unasked."""
        path = own("11-qrels-subtopics.txt")
        before = path.read_bytes()
        window = opened(path, own("11-run.txt"))
        row = next(r for r in range(3) if cell(window, r, "Document") == "DOC-A")
        choose(window, row)
        qtbot.keyClick(table(window), Qt.Key.Key_3)
        with qtbot.waitSignal(window.session.save_refused):
            trigger(window, "actionSave")

        assert path.read_bytes() == before
        assert "“1” on row 3" in window.messages.texts[-1]
        button = next(
            b for b in window.messages.findChildren(QAbstractButton) if b.text() == "Replace them"
        )
        saved(qtbot, window, button.click)

        assert path.read_text().count("DOC-A 3") == 2

    @pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx", ".qrels"])
    def test_save_as_reads_back(self, qtbot, opened, own, monkeypatch, tmp_path, suffix) -> None:
        """Saved as another kind of file, the judgments open again with the same score."""
        window = opened(own("46-textbook-six-plus-two.csv"))
        choose(window, 3)
        qtbot.keyClick(table(window), Qt.Key.Key_2)
        before = score(window)
        path = tmp_path / f"other{suffix}"
        save_to(monkeypatch, path)
        saved(qtbot, window, lambda: trigger(window, "actionSaveAs"))

        assert not window.isWindowModified()
        assert score(window) == before
        if suffix != ".qrels":
            opened(path)
            assert score(window) == before

    def test_example_asks_where_to(self, qtbot, worked, monkeypatch, tmp_path: Path) -> None:
        """An example is never written over; saving asks for a file."""
        choose(worked, 1)
        qtbot.keyClick(table(worked), Qt.Key.Key_2)
        save_to(monkeypatch, tmp_path / "mine.xlsx")
        saved(qtbot, worked, lambda: trigger(worked, "actionSave"))

        assert openpyxl.load_workbook(tmp_path / "mine.xlsx").active["C3"].value == 2

    def test_read_only_folder(self, qtbot, opened: Open, own: Own, monkeypatch) -> None:
        """A folder that cannot be written to is an error in the bar, and nothing is lost."""
        path = own("03-quepid-detailed-team-comma.csv")
        window = opened(path)
        choose(window, 0)
        qtbot.keyClick(table(window), Qt.Key.Key_1)

        def refuse(*_a: object, **_k: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("ndcg_desktop.files.atomic.os.replace", refuse)
        with qtbot.waitSignal(window.session.save_refused):
            trigger(window, "actionSave")

        assert path.name in window.messages.texts[-1]
        assert window.isWindowModified()
        assert grade(window, 0) == 1.0

    @pytest.mark.parametrize("answer", ["Discard", "Cancel", "Save"])
    def test_closing_asks(self, qtbot, opened: Open, own: Own, answer: str) -> None:
        """Closing with unsaved grades asks; Save writes them first, Cancel stays."""
        path = own("03-quepid-detailed-team-comma.csv")
        window = opened(path)
        choose(window, 0)
        qtbot.keyClick(table(window), Qt.Key.Key_1)
        button = getattr(QMessageBox.StandardButton, answer)
        act_in_dialog(QMessageBox, lambda box: box.button(button).click())
        window.close()
        qtbot.waitUntil(lambda: window.isVisible() == (answer == "Cancel"), timeout=10_000)

        assert ("red,1\n" in path.read_text()) == (answer == "Save")


class TestExporting:
    """9. Exports."""

    @pytest.mark.parametrize(
        ("kind", "name"),
        [
            ("Contributions of this query (*.csv)", "c.csv"),
            ("Contributions of this query (*.xlsx)", "c.xlsx"),
            ("Queries with their scores (*.csv)", "q.csv"),
            ("Queries and contributions of this query (*.xlsx)", "q.xlsx"),
            ("Summary of all queries, with the chart (*.pdf)", "s.pdf"),
            ("Chart of this query (*.png)", "chart.png"),
        ],
    )
    def test_kinds(self, qtbot, opened, files, monkeypatch, tmp_path, kind, name) -> None:
        """Each kind is written, and names the measure."""
        window = opened(files / "59-formula-like-text.csv")
        save_to(monkeypatch, tmp_path / name, kind)
        with qtbot.waitSignal(window.session.exported, timeout=20_000):
            trigger(window, "actionExport")
        qtbot.waitUntil(window.session.is_idle, timeout=20_000)

        assert (tmp_path / name).stat().st_size > 100
        if name.endswith(".csv"):
            assert "nDCG@10" in (tmp_path / name).read_text(encoding="utf-8-sig")
        if name.endswith(".xlsx"):
            for sheet in openpyxl.load_workbook(tmp_path / name):
                assert not [c for row in sheet for c in row if c.data_type == "f"]


class TestNames:
    """The name that was typed holds."""

    @pytest.mark.parametrize(
        ("typed", "chosen", "what", "written"),
        [
            ("a.xlsx", "Summary of all queries, with the chart (*.pdf)", "queries", "a.xlsx"),
            ("a.pdf", "Chart of this query (*.png)", "chart", "a.pdf"),
            ("a", "Queries with their scores (*.csv)", "queries", "a.csv"),
            ("v1.2", "Chart of this query (*.svg)", "chart", "v1.2.svg"),
        ],
    )
    def test_kind_of(self, typed: str, chosen: str, what: str, written: str) -> None:
        """A known ending says the kind; without one the chosen kind's is added."""
        assert kind_of(Path(typed), chosen) == (what, Path(written))


class TestMessages:
    """Errors are shown, never swallowed."""

    def test_unexpected_exception_is_shown(self, worked: MainWindow) -> None:
        """An exception that nobody expected is a message with a report to copy."""
        try:
            raise RuntimeError("boom")
        except RuntimeError as error:
            worked.show_failure(error)

        assert "boom" in worked.messages.texts[-1]
        button = next(
            b for b in worked.messages.findChildren(QAbstractButton) if b.text() == "Copy report"
        )
        button.click()

        assert "Traceback" in QGuiApplication.clipboard().text()

    def test_text_from_files_is_plain(self, qtbot, opened: Open, tmp_path: Path) -> None:
        """Markup in ids is shown as it is."""
        path = tmp_path / "markup.csv"
        path.write_text("query,docid,rank,grade\n<b>x</b>,<i>d</i>,1,3\n")
        window = opened(path)
        label = window.findChild(QLabel, "queryName")

        assert label.text() == "<b>x</b>"
        assert label.textFormat() == Qt.TextFormat.PlainText


def test_every_control_has_an_accessible_name(worked: MainWindow) -> None:
    """Screen readers name every control."""
    nameless = []
    for kind in (QAbstractButton, QLineEdit, QComboBox, QSpinBox, QTableView):
        for widget in worked.findChildren(kind):
            if not widget.isVisible() or widget.objectName().startswith("qt_"):
                continue
            interface = QAccessible.queryAccessibleInterface(widget)
            named = interface is None or bool(interface.text(QAccessible.Text.Name))
            if not named and not isinstance(widget.parent(), QSpinBox):
                nameless.append((type(widget).__name__, widget.objectName()))

    assert nameless == []


def test_the_toolbar_fits(worked: MainWindow) -> None:
    """At 1280 pixels nothing of the toolbar is cut off."""
    for child in (worked.scoring.convention, worked.scoring.exponential):
        corner = child.mapTo(worked, QPoint(child.width(), child.height()))
        assert corner.x() <= worked.width()
    extensions = worked.findChildren(QAbstractButton, "qt_toolbar_ext_button")
    assert all(button.isHidden() for button in extensions)
