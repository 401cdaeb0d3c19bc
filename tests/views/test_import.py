"""The import page and the import report, acted in as a person does."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QListWidget,
    QPushButton,
    QTableView,
    QTableWidget,
    QTreeView,
)

from ndcg_desktop.views.import_dialog import ImportDialog
from ndcg_desktop.views.main_window import MainWindow

Open = Callable[..., MainWindow]


def mean(window: MainWindow) -> str:
    """The mean below the list."""
    return window.findChild(QLabel, "mean").text()


def trigger(window: MainWindow, name: str) -> None:
    """Do the action of this name."""
    window.findChild(QAction, name).trigger()


@pytest.fixture
def page(qtbot):
    """Act in the import page once it is up and has counted its table."""

    def do(act: Callable[[ImportDialog], None]) -> None:
        def look() -> None:
            dialog = QApplication.activeModalWidget()
            counted = isinstance(dialog, ImportDialog) and outcome(dialog) not in (
                "Counting…",
                "Reading…",
            )
            if counted:
                act(dialog)
            else:
                QTimer.singleShot(20, look)

        QTimer.singleShot(0, look)

    return do


def outcome(dialog: ImportDialog) -> str:
    """What the page says comes out of the table."""
    return dialog.findChild(QLabel, "outcome").text()


def settled(qtbot, dialog: ImportDialog) -> str:
    """The same once everything is counted."""
    qtbot.waitUntil(lambda: outcome(dialog) not in ("Counting…", "Reading…"), timeout=10_000)
    return outcome(dialog)


def headers(dialog: ImportDialog) -> list[str]:
    """The names and the roles of the columns."""
    model = dialog.findChild(QTableView, "preview").model()
    count = range(model.columnCount())
    texts = (model.headerData(place, Qt.Orientation.Horizontal) for place in count)
    return [text.replace("\n", ": ").removesuffix(" ▾") for text in texts]


def choose_role(dialog: ImportDialog, column: int, words: str) -> None:
    """Go to a column, and say what it is."""
    view = dialog.findChild(QTableView, "preview")
    view.setCurrentIndex(view.model().index(0, column))
    choose(dialog, "role", words)


def choose(dialog: ImportDialog, name: str, words: str) -> None:
    """Choose an entry of a box."""
    box = dialog.findChild(QComboBox, name)
    box.setCurrentIndex(box.findText(words))
    box.activated.emit(box.currentIndex())


class TestPage:
    """What was understood is shown, and can be changed."""

    def test_it_opens_where_columns_are_uncertain(self, qtbot, window, page, files) -> None:
        """Unknown headers open it with roles, rows, counts and grades; accepted, it is opened."""
        seen = {}

        def act(dialog: ImportDialog) -> None:
            seen["roles"] = headers(dialog)
            seen["rows"] = dialog.findChild(QTableView, "preview").model().rowCount()
            seen["outcome"] = outcome(dialog)
            seen["histogram"] = dialog.histogram.accessibleDescription()
            dialog.accept()

        page(act)
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.open_paths([files / "28-german-excel-bom-semicolon.csv"])

        assert seen["roles"][:4] == [
            "Suchanfrage: Query",
            "Dokument: Document",
            "Position: Rank",
            "Bewertung: Grade",
        ]
        assert seen["rows"] == 6
        assert seen["outcome"].startswith("Read as judgments and a ranking: 6 rows, 2 queries")
        assert "grade 2.5: 1" in seen["histogram"]
        assert "0.796" in mean(window)

    def test_giving_up_keeps_the_old_view(self, qtbot, worked, page, files) -> None:
        """Cancelling it leaves everything as it was."""
        page(lambda dialog: dialog.reject())
        with qtbot.waitSignal(worked.session.asked):
            worked.open_paths([files / "56-no-header.csv"])

        assert "nDCG@4 0.710" in worked.findChild(QLabel, "score").text()

    def test_another_header_row(self, qtbot, window, page, tmp_path: Path) -> None:
        """A header that was not recognised is told by its row; its words then head the columns."""
        path = tmp_path / "words.csv"
        path.write_text("was,wer,wo,wie\nschuh,A,eins,x\nschuh,B,zwei,y\n")
        seen = []

        def act(dialog: ImportDialog) -> None:
            dialog.reading.header_row.setValue(1)
            seen.extend(text.split(":")[0] for text in headers(dialog))
            seen.append(len(dialog.reading.part.table))
            dialog.reject()

        page(act)
        with qtbot.waitSignal(window.session.asked):
            window.open_paths([path])

        assert seen == ["was", "wer", "wo", "wie", 2]

    def test_a_click_on_a_header_changes_its_role(self, qtbot, opened: Open, page, files) -> None:
        """The menu of a header takes another column for the grade; undo takes that back."""
        window = opened(files / "03-quepid-detailed-team-comma.csv")
        before = mean(window)
        names = []

        def act(dialog: ImportDialog) -> None:
            roles = headers(dialog)
            names.extend(roles)
            price = next(place for place, text in enumerate(roles) if text.startswith("price"))
            header = dialog.findChild(QTableView, "preview").horizontalHeader()
            header.sectionClicked.emit(price)
            menu = QApplication.activePopupWidget()
            next(each for each in menu.actions() if each.text() == "Grade").trigger()
            menu.close()
            names.append(headers(dialog)[price])
            dialog.accept()

        page(act)
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            trigger(window, "actionReading")

        assert names[-1] == "price: Grade"
        assert mean(window) != before
        trigger(window, "actionUndo")
        assert mean(window) == before

    def test_by_the_keyboard(self, qtbot, opened: Open, page, files) -> None:
        """Arrow keys go to a column, and the box above it says what the column is."""
        window = opened(files / "03-quepid-detailed-team-comma.csv")
        seen = []

        def act(dialog: ImportDialog) -> None:
            view = dialog.findChild(QTableView, "preview")
            view.setFocus()
            view.setCurrentIndex(view.model().index(0, 0))
            qtbot.keyClick(view, Qt.Key.Key_Right)
            box = dialog.findChild(QComboBox, "role")
            seen.append(box.accessibleName())
            qtbot.keyClick(view, Qt.Key.Key_Return)
            seen.append(QApplication.activePopupWidget() is not None)
            QApplication.activePopupWidget().close()
            dialog.reject()

        page(act)
        trigger(window, "actionReading")

        assert seen[0].startswith("Role of the column ")
        assert seen[1]

    def test_another_separator_and_encoding(self, qtbot, window, page, tmp_path: Path) -> None:
        """A file read with the wrong ones is read anew with those that a person says."""
        path = tmp_path / "odd.csv"
        rows = ["query;doc,no;rank;grade", "Käse;a,1;1;3", "Käse;b,1;2;0"]
        path.write_bytes("\n".join(rows).encode("cp1250"))
        seen = []

        def act(dialog: ImportDialog) -> None:
            choose(dialog, "separator", "comma")
            QTimer.singleShot(300, lambda: again(dialog))

        def again(dialog: ImportDialog) -> None:
            seen.append(len(headers(dialog)))
            choose(dialog, "separator", "semicolon")
            QTimer.singleShot(300, lambda: then(dialog))

        def then(dialog: ImportDialog) -> None:
            seen.append(len(headers(dialog)))
            choose_role(dialog, 1, "Document")
            settled(qtbot, dialog)
            dialog.accept()

        page(act)
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.open_paths([path])

        assert seen == [2, 4]
        assert window.session.evaluation.rankings[0].columns.document.texts() == ["a,1", "b,1"]

    def test_sheets_are_chosen(self, qtbot, window, page, tmp_path: Path) -> None:
        """Of two sheets with rankings the first is ticked; the other can be taken instead."""
        book = openpyxl.Workbook()
        for name, grades in (("May", (0, 3)), ("June", (3, 0))):
            sheet = book.create_sheet(name)
            sheet.append(["query", "document", "rank", "grade"])
            for rank, grade in enumerate(grades, 1):
                sheet.append(["q", f"d{rank}", rank, grade])
        book.remove(book.active)
        book.save(tmp_path / "two.xlsx")
        seen = []

        def act(dialog: ImportDialog) -> None:
            tables = dialog.findChild(QListWidget, "tables")
            items = [tables.item(row) for row in range(tables.count())]
            seen.extend((item.text(), item.checkState().name) for item in items)
            items[0].setCheckState(Qt.CheckState.Unchecked)
            items[1].setCheckState(Qt.CheckState.Checked)
            dialog.accept()

        page(act)
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.open_paths([tmp_path / "two.xlsx"])

        assert seen == [("two.xlsx: May", "Checked"), ("two.xlsx: June", "Unchecked")]
        assert "1.000" in mean(window)

    def test_what_cannot_be_used_cannot_be_accepted(self, qtbot, opened, page, files) -> None:
        """Without a document the button is off, and the page says what is missing."""
        window = opened(files / "03-quepid-detailed-team-comma.csv")
        seen = []

        def act(dialog: ImportDialog) -> None:
            place = next(p for p, text in enumerate(headers(dialog)) if "Document" in text)
            choose_role(dialog, place, "not used")
            ok = dialog.buttons.button(dialog.buttons.StandardButton.Ok)
            seen.extend([ok.isEnabled(), outcome(dialog)])
            dialog.reject()

        page(act)
        trigger(window, "actionReading")

        assert seen[0] is False
        assert seen[1].startswith("Say which column is the document")

    def test_nothing_is_accepted_before_it_is_counted(self, qtbot, window, page, tmp_path) -> None:
        """While a choice is being counted the button is off; then the labels are those shown."""
        path = tmp_path / "verdicts.csv"
        path.write_text("query,doc,rank,verdict,grade\nq,A,1,yes,1\nq,B,2,no,0\n")
        seen = []

        def act(dialog: ImportDialog) -> None:
            ok = dialog.buttons.button(dialog.buttons.StandardButton.Ok)
            choose_role(dialog, 3, "Grade")
            seen.append(ok.isEnabled())
            qtbot.waitUntil(ok.isEnabled, timeout=10_000)
            seen.append(dialog.reading.part.labels.grade_of("yes"))
            dialog.reject()

        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.open_paths([path])
        page(act)
        trigger(window, "actionReading")

        assert seen == [False, 1.0]

    def test_return_does_not_accept(self, qtbot, opened: Open, page, files) -> None:
        """Return in the preview opens the roles, and the page stays; Ctrl+Return is its key."""
        window = opened(files / "03-quepid-detailed-team-comma.csv")
        seen = []

        def act(dialog: ImportDialog) -> None:
            view = dialog.findChild(QTableView, "preview")
            view.setFocus()
            qtbot.keyClick(view, Qt.Key.Key_Return)
            QApplication.activePopupWidget().close()
            qtbot.keyClick(dialog.findChild(QComboBox, "role"), Qt.Key.Key_Return)
            seen.append(dialog.isVisible())
            keys = [each.key().toString() for each in dialog.findChildren(QShortcut)]
            keys = [key for key in keys if "F1" not in key]  # help is on these everywhere
            ok = dialog.buttons.button(dialog.buttons.StandardButton.Ok)
            seen.extend([keys, ok.shortcut().toString()])
            dialog.reject()

        page(act)
        trigger(window, "actionReading")

        assert seen == [True, ["Ctrl+Return"], "Alt+U"]

    def test_blank_rows_are_passed(self, qtbot, window, page, tmp_path: Path) -> None:
        """Going up and down the rows of the header steps over those that hold nothing."""
        path = tmp_path / "gaps.csv"
        path.write_text("a,b,c\n\n\nq,A,x\nq,B,y\n")
        seen = []

        def act(dialog: ImportDialog) -> None:
            box = dialog.reading.header_row
            for value in (1, 2, 3):
                box.setValue(value)
                seen.append(box.value())
            dialog.reject()

        page(act)
        with qtbot.waitSignal(window.session.asked):
            window.open_paths([path])

        assert seen == [1, 4, 1]

    def test_rankings_beside_each_other_need_a_rank(self, qtbot, opened, page, files) -> None:
        """Columns that are rankings without a rank cannot be used, and the page says so."""
        window = opened(files / "36-two-systems-wide.xlsx")
        seen = []

        def act(dialog: ImportDialog) -> None:
            place = next(p for p, text in enumerate(headers(dialog)) if text.endswith(": Rank"))
            choose_role(dialog, place, "not used")
            seen.append(outcome(dialog))
            dialog.reject()

        page(act)
        trigger(window, "actionReading")

        assert seen[0].startswith("Say which column is the rank")

    def test_something_else_opened_behind_it(self, qtbot, opened: Open, page, files) -> None:
        """What was opened while the page was up is not replaced by what the page was about."""
        window = opened(files / "03-quepid-detailed-team-comma.csv")
        other = files / "55-thirty-queries-some-stale.csv"

        def act(dialog: ImportDialog) -> None:
            with qtbot.waitSignal(window.session.replaced, timeout=10_000):
                window.session.open_paths([other])
            choose_role(dialog, 0, "not used")
            dialog.done(ImportDialog.DialogCode.Accepted)

        page(act)
        trigger(window, "actionReading")

        assert window.session.title == other.name
        assert "was opened meanwhile" in window.messages.texts[-1]


class TestRemembered:
    """What was chosen holds for files of the same shape."""

    def test_the_second_file_opens_without_a_question(
        self, qtbot, window, page, files, tmp_path
    ) -> None:
        """A file with the same headers is read as the first was confirmed, and that is told."""
        first = files / "28-german-excel-bom-semicolon.csv"
        page(lambda dialog: dialog.accept())
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.open_paths([first])
        again = Path(shutil.copy(first, tmp_path / "next-week.csv"))
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.open_paths([again])

        assert "0.796" in mean(window)
        codes = [finding.code for finding in window.session.findings]
        assert "columns-remembered" in codes


class TestWords:
    """Grades in words."""

    def labelled(self, tmp_path: Path) -> Path:
        """A table whose grades are words."""
        path = tmp_path / "words.csv"
        rows = ["query,doc,rank,grade", "q,A,1,Partial", "q,B,2,Exact", "q,C,3,maybe", "q,D,4,"]
        path.write_text("\n".join(rows) + "\n")
        return path

    def test_the_mapping_is_shown_changed_used_and_kept(
        self, qtbot, window, page, tmp_path
    ) -> None:
        """Labels have suggested grades; one is changed; the window shows and saves the labels."""
        path = self.labelled(tmp_path)
        seen = {}

        def act(dialog: ImportDialog) -> None:
            labels = dialog.findChild(QTableWidget, "labels")
            rows = range(labels.rowCount())
            seen["labels"] = {labels.item(r, 0).text(): labels.item(r, 2).text() for r in rows}
            row = next(r for r in rows if labels.item(r, 0).text() == "maybe")
            labels.item(row, 2).setText("0.5")
            seen["outcome"] = settled(qtbot, dialog)
            dialog.accept()

        page(act)
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.open_paths([path])

        assert seen["labels"]["Exact"] == "2"
        assert seen["labels"]["Partial"] == "1"
        assert seen["labels"]["maybe"] == ""
        assert "3 judged" in seen["outcome"]
        table = window.findChild(QTableView, "ranking")
        model = table.model()
        place = next(
            c
            for c in range(model.columnCount())
            if model.headerData(c, Qt.Orientation.Horizontal) == "Grade"
        )
        shown = [model.index(row, place).data() for row in range(4)]
        assert shown == ["Partial (1)", "Exact (2)", "maybe (0.5)", ""]

        model.setData(model.index(3, place), "exact")
        model.setData(model.index(0, place), "0")
        with qtbot.waitSignal(window.session.saved, timeout=10_000):
            window.session.save()

        lines = path.read_text().splitlines()
        assert lines[4] == "q,D,4,Exact"
        assert lines[1].casefold() == "q,a,1,irrelevant"
        assert lines[2:4] == ["q,B,2,Exact", "q,C,3,maybe"]

    def test_each_table_has_its_own_words(self, qtbot, window, page, tmp_path: Path) -> None:
        """Two files with different words show and take the words of each."""
        first, second = tmp_path / "a.csv", tmp_path / "b.csv"
        first.write_text("query,doc,grade\nq,A,good\nq,B,bad\n")
        second.write_text("query,doc,grade\np,C,excellent\np,D,good\np,E,poor\n")

        page(lambda dialog: dialog.accept())
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.open_paths([first, second])

        def shown() -> list[str]:
            model = window.page.model
            return [model.index(row, model.grade_column).data() for row in range(model.rowCount())]

        own = window.session.judged[0].labels, window.session.judged[1].labels
        words = [f"{each.text_of(g)} ({g:g})" for each, g in ((own[0], 1.0), (own[0], 0.0))]
        assert shown() == words
        window.queries.select(1)
        top = own[1].grade_of("excellent")
        assert shown()[0] == f"excellent ({top:g})"
        model = window.page.model
        model.setData(model.index(2, model.grade_column), "good")
        assert window.page.model.grade(2) == own[1].grade_of("good")


class TestReport:
    """The import report stays beside what it is about."""

    def rows(self, window: MainWindow) -> list[str]:
        """All findings that are listed."""
        model = window.report.model
        groups = [model.index(row, 0) for row in range(model.rowCount())]
        return [
            model.index(row, 0, group).data()
            for group in groups
            for row in range(model.rowCount(group))
        ]

    def choose(self, window: MainWindow, part: str) -> None:
        """Go to the first finding with this text, as arrow keys do."""
        model = window.report.model
        for group in (model.index(row, 0) for row in range(model.rowCount())):
            for row in range(model.rowCount(group)):
                index = model.index(row, 0, group)
                if part in index.data():
                    window.report.tree.setCurrentIndex(index)
                    return
        raise AssertionError(part)

    def test_all_findings_are_listed(self, opened: Open, files: Path) -> None:
        """Each finding stands below the heading of its kind, and the row of the file is shown."""
        window = opened(files / "42-rank-problems.csv")
        trigger(window, "actionReport")

        assert window.report.isVisible()
        assert len(self.rows(window)) == len(window.session.findings) >= 3

        self.choose(window, "stands twice")

        text = window.findChild(QLabel, "findingText").text()
        assert "42-rank-problems.csv, row 5" in text
        assert "In the file: query: pen · doc: P4" in text

    def test_a_click_goes_to_the_row(self, qtbot, opened: Open, files: Path) -> None:
        """The finding's document is selected, in its query."""
        window = opened(files / "42-rank-problems.csv")
        trigger(window, "actionReport")
        self.choose(window, "go from 3 to 10")
        qtbot.mouseClick(window.findChild(QPushButton, "goToRow"), Qt.MouseButton.LeftButton)

        assert window.findChild(QLabel, "queryName").text() == "ink"
        view = window.findChild(QTableView, "ranking")
        finding = window.report.model.finding_at(window.report.tree.currentIndex())
        documents = window.page.model.rows.documents
        assert documents[view.currentIndex().row()] in window.session.row_text(finding)

    def test_levels_can_be_hidden(self, opened: Open, files: Path) -> None:
        """Without the notes only the warnings are left."""
        window = opened(files / "42-rank-problems.csv")
        trigger(window, "actionReport")
        window.report.levels["note"].setChecked(False)

        assert len(self.rows(window)) == sum(
            finding.level != "note" for finding in window.session.findings
        )

    def test_ids_are_mended_and_that_is_undone(self, qtbot, opened: Open, files: Path) -> None:
        """One click reads the ranking's queries as those of the judgments; undo takes it back."""
        window = opened(files / "49-qrels-qid-suffix.txt", files / "49-run-qid-nosuffix.txt")
        assert "–" in mean(window)
        trigger(window, "actionReport")
        self.choose(window, "they differ only")
        button = window.findChild(QPushButton, "repair")
        assert button.isVisible()
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

        assert "–" not in mean(window)
        assert any(finding.code == "mended" for finding in window.session.findings)
        assert not window.session.modified

        trigger(window, "actionUndo")

        assert "–" in mean(window)

    def test_contradictions_have_a_choice(self, qtbot, opened: Open, tmp_path: Path) -> None:
        """Which of several grades counts is chosen at the finding, and can be undone."""
        path = tmp_path / "twice.csv"
        path.write_text("query,doc,rank,grade\nq,A,1,0\nq,A,,2\nq,B,2,1\n")
        window = opened(path)
        assert "1.000" in mean(window)
        trigger(window, "actionReport")
        self.choose(window, "judged more than once")
        rule = window.findChild(QComboBox, "rule")
        assert (rule.isVisible(), rule.currentText()) == (True, "highest grade")
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            rule.setCurrentIndex(rule.findText("first row"))
            rule.activated.emit(rule.currentIndex())

        assert "0.631" in mean(window)
        trigger(window, "actionUndo")
        assert "1.000" in mean(window)

    def test_a_reading_keeps_the_place(self, qtbot, opened: Open, tmp_path: Path) -> None:
        """The query that is shown stays: the next digit must not land on another."""
        path = tmp_path / "twice.csv"
        path.write_text("query,doc,rank,grade\no,Z,1,1\nq,A,1,0\nq,A,,2\nq,B,2,1\n")
        window = opened(path)
        window.queries.select(1)
        parts = [replace(part, duplicates="first") for part in window.session.parts]
        with qtbot.waitSignal(window.session.replaced, timeout=10_000):
            window.session.reread(parts, "first")

        assert window.findChild(QLabel, "queryName").text() == "q"
        trigger(window, "actionUndo")
        assert window.findChild(QLabel, "queryName").text() == "q"

    def test_nothing_found_says_so(self, opened: Open, tmp_path: Path) -> None:
        """An empty report is no empty box."""
        path = tmp_path / "clean.csv"
        path.write_text("query,doc,rank,grade\nq,A,1,0\nq,B,2,1\n")
        window = opened(path)
        trigger(window, "actionReport")

        assert window.findChild(QTreeView, "findings").model().rowCount() == 0
        assert "Nothing was noticed" in window.findChild(QLabel, "findingText").text()
