"""The Compare and the Summary page, and the line-up, as a person uses them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QFileDialog,
    QLabel,
    QPushButton,
    QTableView,
    QTableWidget,
    QTabWidget,
)
from waiting import until_idle

from ndcg_desktop.evaluation.comparison import compare
from ndcg_desktop.evaluation.sensitivity import CUTOFFS, settings_of
from ndcg_desktop.evaluation.sureness import SurenessOptions, sureness
from ndcg_desktop.resources import examples
from ndcg_desktop.views.main_window import MainWindow

LIBRARY = next(example for example in examples() if example.name == "library")


@pytest.fixture
def library(qtbot, window: MainWindow) -> MainWindow:
    """The window on two rankings of 30 queries."""
    with qtbot.waitSignal(window.session.replaced, timeout=20_000):
        window.open_example(LIBRARY)
    until_idle(window.session)
    return window


@pytest.fixture
def compared(library: MainWindow) -> MainWindow:
    """The same with the Compare page open and computed."""
    library.do.compare.trigger()
    settle(library)
    return library


def settle(window: MainWindow) -> None:
    """Let the delay before computing pass, then the computing."""
    QTest.qWait(160)
    until_idle(window.session)


def label(window: MainWindow, name: str) -> str:
    """The text of a label."""
    found = window.findChild(QLabel, name)
    assert found is not None
    return found.text()


def box(window: MainWindow, name: str) -> QComboBox:
    """A box to choose from."""
    found = window.findChild(QComboBox, name)
    assert found is not None
    return found


def choose(found: QComboBox, text: str) -> None:
    """Choose an entry as a person does."""
    place = next(each for each in range(found.count()) if found.itemText(each) == text)
    found.setCurrentIndex(place)
    found.activated.emit(place)


def lines(window: MainWindow, name: str) -> list[list[str]]:
    """A table as it is read."""
    table = window.findChild(QTableView, name)
    assert table is not None
    return table.texts.lines()


def listed(window: MainWindow) -> list[list[str]]:
    """The rows of the list of queries, with the columns that are seen, from left to right."""
    table, header = window.queries.table, window.queries.table.horizontalHeader()
    columns = [header.logicalIndex(place) for place in range(header.count())]
    columns = [column for column in columns if not table.isColumnHidden(column)]
    model = window.queries.model
    head = [model.headerData(c, Qt.Orientation.Horizontal) for c in columns]
    rows = range(model.rowCount())
    return [head, *([model.index(row, c).data() for c in columns] for row in rows)]


def test_the_answer_is_in_plain_words(compared: MainWindow) -> None:
    """Which is better, by how much, in how many queries, and whether that could be chance."""
    evaluation = compared.session.evaluation
    found = compare(evaluation, 0, 1)
    sure = sureness(found, SurenessOptions())
    text = label(compared, "compareAnswer")
    assert text.startswith("“library-new.csv” is better than “library-old.csv” by ")
    assert f"by {found.mean:.3f} on average (nDCG@10)" in text
    assert f"With {found.n} queries this could be chance: p = {sure.p:.3f}" in text
    facts = label(compared, "compareFacts")
    assert (
        "linear gain, ideal from all judged" in facts
        and "left out: 1 (no relevant document judged)" in facts
    )
    names = [line[0] for line in lines(compared, "compareFigures")]
    assert {"t test", "Wilcoxon signed ranks", "Randomisation test", "95% interval"} <= {*names}
    assert "judged@10: 99% of “library-old.csv”" in label(compared, "compareFairness")
    assert "without “bridges”" in label(compared, "compareInfluence")


def test_the_list_has_a_column_for_each_ranking(compared: MainWindow) -> None:
    """Beside them the difference, here alone; while reviewing it is of the ranking shown."""
    head, first, *_ = listed(compared)
    assert head == ["Query", "library-old.csv", "library-new.csv", "Difference", "Judged"]
    assert first[3] == f"−{float(first[1]) - float(first[2]):.3f}"
    compared.do.review.trigger()
    assert listed(compared)[0] == ["Query", "nDCG@10", "Difference", "Judged"]


def test_sorted_by_size_of_difference(compared: MainWindow) -> None:
    """Whoever is better; queries that are not compared come last."""
    choose(box(compared, "orderOfQueries"), "Largest difference first")
    sizes = [row[3].lstrip("+−") for row in listed(compared)[1:]]
    assert sizes[-1] == "–"
    known = [float(size) for size in sizes[:-1]]
    assert known == sorted(known, reverse=True)
    choose(box(compared, "orderOfQueries"), "Largest loss first")
    assert listed(compared)[1][3].startswith("−0.2")


@pytest.mark.parametrize(
    ("which", "sign", "number"),
    [
        ("Won by the candidate", "+", 17),
        ("Lost by the candidate", "−", 10),
        ("Tied", "0", 2),
        ("Undefined, or not in both", "–", 1),
        ("kind: narrow", "", 12),
    ],
)
def test_filtered(compared: MainWindow, which: str, sign: str, number: int) -> None:
    """By what came of a query, or by its group."""
    choose(box(compared, "whichQueries"), which)
    rows = listed(compared)[1:]
    assert len(rows) == number
    assert all(row[3].startswith(sign) for row in rows)


def test_going_to_a_query_that_is_filtered_out_shows_it(compared: MainWindow) -> None:
    """Undo leads to what it changes, whatever the filter."""
    compared.session.set_grades(0, [("L01-13", 0.0)])
    choose(box(compared, "whichQueries"), "Tied")
    compared.session.undo_stack.undo()
    assert len(listed(compared)) == 31


def test_a_grade_changes_the_answer(compared: MainWindow) -> None:
    """What was computed before is not shown any more as if it were true."""
    before = label(compared, "compareAnswer")
    documents = [("L01-03", 0.0), ("L01-06", 0.0), ("L01-13", 3.0), ("L01-11", 3.0)]
    compared.session.set_grades(0, documents)
    assert label(compared, "compareAnswer") != before
    settle(compared)
    found = compare(compared.session.evaluation, 0, 1)
    assert f"by {found.mean:.3f} on average" in label(compared, "compareAnswer")


def test_open_grades_take_the_place_of_a_winner(
    opened: Callable[..., MainWindow], tmp_path: Path
) -> None:
    """Where what nobody has judged could turn it round, no winner is named."""
    (tmp_path / "judged.csv").write_text("query,document,grade\nq,A,1\nq,B,3\n", "utf-8")
    (tmp_path / "one.csv").write_text("query,rank,document\nq,1,A\nq,2,X\n", "utf-8")
    (tmp_path / "two.csv").write_text("query,rank,document\nq,1,Y\nq,2,B\n", "utf-8")
    window = opened(*(tmp_path / f"{name}.csv" for name in ("judged", "one", "two")))
    window.do.compare.trigger()
    settle(window)
    assert label(window, "compareAnswer").startswith("Which is better is open.")
    assert "They can change which of the two is better" in label(window, "compareFairness")


def test_side_by_side(compared: MainWindow) -> None:
    """What has moved is said in words, on both sides."""
    tabs(compared).setCurrentIndex(2)
    left, right = lines(compared, "compareBaseline"), lines(compared, "compareCandidate")
    assert left[1] == ["1", "Bird songs abroad (L01-13)", "2", "2.000", "down 5"]
    assert right[6][:2] == ["6", "Bird songs abroad (L01-13)"] and right[6][4] == "down 5"
    gone = {line[1] for line in left[1:] if line[4] == "gone"}
    assert gone == {line[1] for line in left[1:]} - {line[1] for line in right[1:]}
    alike = label(compared, "compareAlike")
    assert alike.startswith("overlap@10 0.900 · Jaccard@10 0.818 · RBO (p = 0.9, whole lists) ")
    sides = compared.comparing.page.sides
    table = sides.baseline
    table.setFocus()
    table.selectRow(0)
    assert sides.candidate.currentIndex().row() == 5, "the same document on the other side"


def tabs(window: MainWindow) -> QTabWidget:
    """The tabs of the Compare page."""
    found = window.findChild(QTabWidget, "compareTabs")
    assert found is not None
    return found


def test_a_bar_leads_to_its_query(compared: MainWindow) -> None:
    """By mouse, or by keyboard."""
    tabs(compared).setCurrentIndex(1)
    bars = compared.comparing.page.bars
    bars.setFocus()
    QTest.keyClick(bars, Qt.Key.Key_Home)
    QTest.keyClick(bars, Qt.Key.Key_Return)
    query = compared.session.evaluation.queries[compared._query]
    assert query == "L19", "the largest gain"
    assert tabs(compared).currentIndex() == 2
    assert compared.comparing.page.pair.chart.title == "organ pipes"


def test_subtotals(compared: MainWindow) -> None:
    """The groups of the column that is chosen."""
    tabs(compared).setCurrentIndex(1)
    assert [line[:2] for line in lines(compared, "compareSubtotals")[1:]] == [
        ["broad", "18"],
        ["narrow", "11"],
    ]


def test_the_strip_says_whether_it_depends_on_the_settings(compared: MainWindow) -> None:
    """Every cutoff, gain and convention."""
    tabs(compared).setCurrentIndex(3)
    settle(compared)
    number = len(settings_of(compared.session.options)) * len(CUTOFFS)
    said = f"Of {number} settings “library-new.csv” is better under {number}"
    assert label(compared, "compareAgreeing").startswith(said)
    assert compared.comparing.page.strip.chart.current == (0, 9)


def test_the_two_change_places(compared: MainWindow) -> None:
    """The baseline that is chosen as candidate leaves its place to the other."""
    choose(box(compared, "compareCandidateBox"), "library-old.csv")
    settle(compared)
    text = label(compared, "compareAnswer")
    assert text.startswith("“library-old.csv” is worse than “library-new.csv”")
    compared.session.undo_stack.undo()
    settle(compared)
    assert label(compared, "compareAnswer").startswith("“library-new.csv” is better than")


def test_a_wider_tie(compared: MainWindow) -> None:
    """Is an undo step, and is kept with the document."""
    spin = compared.findChild(QDoubleSpinBox, "compareTie")
    spin.setValue(0.05)
    spin.editingFinished.emit()
    settle(compared)
    record = next(line for line in lines(compared, "compareFigures") if line[0].startswith("Wins"))
    assert "a tie is up to 0.050 apart" in record[1] and not record[1].startswith("17 won")
    assert compared.session.undo_stack.undoText() == "limits of a comparison"


def test_one_ranking_alone(worked: MainWindow) -> None:
    """The page says what to do."""
    worked.do.compare.trigger()
    button = worked.findChild(QPushButton, "compareAdd")
    assert button.isVisible()
    assert worked.comparing.page.alone.text().startswith("One ranking is open. Add another")


def test_a_ranking_gets_a_name(compared: MainWindow, state: Path) -> None:
    """By keyboard in the dialog; the name is shown everywhere, and can be taken back."""

    def act() -> None:
        dialog = QApplication.activeModalWidget()
        table = dialog.findChild(QTableWidget, "lineup")
        table.item(1, 0).setText("Neu")
        table.setCurrentCell(1, 0)
        dialog.findChild(QPushButton, "rankingBaseline").click()
        assert [table.item(row, 2).text() for row in (0, 1)] == ["candidate", "baseline"]
        dialog.findChild(QPushButton, "rankingUp").click()
        assert table.item(0, 0).text() == "Neu"
        dialog.reject()

    QTimer.singleShot(0, act)
    compared.do.rankings.trigger()
    settle(compared)
    assert listed(compared)[0][1:3] == ["Neu", "library-old.csv"]
    assert label(compared, "compareAnswer").startswith("“library-old.csv” is worse than “Neu”")
    for _ in range(3):
        compared.session.undo_stack.undo()
    assert listed(compared)[0][1:3] == ["library-old.csv", "library-new.csv"]
    assert not compared.session.modified


def test_taken_out_and_brought_back(compared: MainWindow) -> None:
    """What is taken out stays in the list, to be brought back; the last one cannot be."""

    def act() -> None:
        dialog = QApplication.activeModalWidget()
        table = dialog.findChild(QTableWidget, "lineup")
        button = dialog.findChild(QPushButton, "rankingRemove")
        table.setCurrentCell(1, 0)
        button.click()
        assert table.item(1, 2).text() == "left out"
        assert button.text() == "&Bring back"
        table.setCurrentCell(0, 0)
        assert not button.isEnabled()
        dialog.reject()

    QTimer.singleShot(0, act)
    compared.do.rankings.trigger()
    settle(compared)
    assert len(compared.session.evaluation.rankings) == 1
    assert compared.findChild(QPushButton, "compareAdd").isVisible()
    compared.session.undo_stack.undo()
    settle(compared)
    assert label(compared, "compareAnswer").startswith("“library-new.csv” is better")


def test_the_line_up_is_kept_with_the_document(
    qtbot, opened: Callable[..., MainWindow], tmp_path: Path
) -> None:
    """Opened again, the same files have the names that they were given."""
    (tmp_path / "judged.csv").write_text("query,document,grade\nq,A,1\nq,B,3\n", "utf-8")
    (tmp_path / "one.csv").write_text("query,rank,document\nq,1,A\nq,2,B\n", "utf-8")
    (tmp_path / "two.csv").write_text("query,rank,document\nq,1,B\nq,2,A\n", "utf-8")
    paths = [tmp_path / f"{name}.csv" for name in ("judged", "one", "two")]
    window = opened(*paths)
    lineup = window.session.evaluation.lineup.renamed("two.csv", "New").against("two.csv")
    window.session.set_lineup(lineup, "names")
    window.session.close()
    opened(*paths)
    assert [ranking.name for ranking in window.session.evaluation.rankings] == ["one.csv", "New"]
    assert window.session.evaluation.baseline == 1


def test_summary(compared: MainWindow) -> None:
    """Every measure of every ranking, each named in full, with its interval."""
    compared.do.summary.trigger()
    settle(compared)
    head, *rows = lines(compared, "summary")
    assert head == ["Measure", "library-old.csv", "library-new.csv", "n"]
    names = [row[0] for row in rows]
    assert names[0] == "nDCG@10" and {"AP(rel=1)", "P(rel=1)@10", "Bpref(rel=1)"} <= {*names}
    mean = compare(compared.session.evaluation, 0, 1).means[0]
    assert rows[0][1].startswith(f"{mean:.3f} [")
    assert not any("★" in text for row in rows for text in row), "none is more than chance"
    spin = compared.findChild(QDoubleSpinBox, "summaryRelevant")
    spin.setValue(2)
    spin.editingFinished.emit()
    settle(compared)
    assert "AP(rel=2)" in [row[0] for row in lines(compared, "summary")[1:]]


def test_summary_is_sorted(compared: MainWindow) -> None:
    """Measures by a ranking's figures, and rankings by a measure."""
    compared.do.summary.trigger()
    settle(compared)
    page = compared.comparing.summary
    page.table.horizontalHeader().sectionClicked.emit(1)
    means = [float(row[1].split()[0]) for row in lines(compared, "summary")[1:]]
    assert means == sorted(means)
    page.table.horizontalHeader().sectionClicked.emit(1)
    assert lines(compared, "summary")[0][1] == "library-old.csv ▼"
    row = [line[0] for line in lines(compared, "summary")[1:]].index("nDCG@10")
    page.table.activated.emit(page.table.texts.index(row, 0))
    assert lines(compared, "summary")[0][1:3] == ["library-new.csv", "library-old.csv"]


def test_every_control_has_a_name(compared: MainWindow) -> None:
    """Whoever cannot see the page hears what each control is."""
    page = compared.comparing.page
    for kind in (QComboBox, QDoubleSpinBox, QTableView):
        for control in page.findChildren(kind):
            assert control.accessibleName(), control.objectName()
    for chart in (page.bars, page.scatter, page.pair, page.strip):
        assert chart.accessibleName()


@pytest.mark.parametrize("ending", ["html", "md"])
def test_a_report_is_written(
    qtbot, compared: MainWindow, tmp_path: Path, monkeypatch, ending: str
) -> None:
    """What the page says is in the file; the ending that is typed holds."""
    target = tmp_path / f"report.{ending}"
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *a, **k: (str(target), "Report to print (*.pdf)")
    )
    with qtbot.waitSignal(compared.session.exported, timeout=30_000):
        compared.do.report_comparison.trigger()
    text = target.read_text("utf-8-sig")
    assert "library-new.csv" in text and "0.863" in text and "nDCG@10" in text


def test_a_chart_is_saved_and_copied(
    qtbot, compared: MainWindow, tmp_path: Path, monkeypatch
) -> None:
    """By its menu, and by the window's own key."""
    tabs(compared).setCurrentIndex(1)
    target = tmp_path / "chart.svg"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(target), ""))
    copy, save = compared.comparing.page.bars.actions()
    with qtbot.waitSignal(compared.session.exported, timeout=30_000):
        save.trigger()
    assert "Difference of each query" in target.read_text("utf-8")
    QApplication.clipboard().clear()
    copy.trigger()
    assert not QApplication.clipboard().image().isNull()
    QApplication.clipboard().clear()
    compared.do.copy_chart.trigger()
    assert not QApplication.clipboard().image().isNull()


def test_a_report_never_takes_the_place_of_an_open_file(
    opened: Callable[..., MainWindow], tmp_path: Path, monkeypatch
) -> None:
    """Whatever is agreed to in the file dialog: the ranking would be lost."""
    (tmp_path / "judged.csv").write_text("query,document,grade\nq,A,1\nq,B,3\n", "utf-8")
    for name, first, second in (("one", "A", "B"), ("two", "B", "A")):
        rows = f"query,rank,document\nq,1,{first}\nq,2,{second}\n"
        (tmp_path / f"{name}.csv").write_text(rows, "utf-8")
    window = opened(*(tmp_path / f"{name}.csv" for name in ("judged", "one", "two")))
    before = (tmp_path / "one.csv").read_bytes()
    (tmp_path / "link.csv").symlink_to(tmp_path / "one.csv")
    for name in ("one.csv", "link.csv"):
        target = str(tmp_path / name)
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, t=target: (t, ""))
        window.do.report_comparison.trigger()
        settle(window)
        assert "This file is open here" in window.messages.texts[-1]
        window.messages.clear()
    assert (tmp_path / "one.csv").read_bytes() == before


def test_many_rankings_leave_room_for_the_queries(
    opened: Callable[..., MainWindow], tmp_path: Path
) -> None:
    """The name of a query and the difference are seen, however many rankings there are."""
    (tmp_path / "judged.csv").write_text("query,document,grade\nq,A,1\nq,B,3\n", "utf-8")
    paths = [tmp_path / "judged.csv"]
    for number in range(9):
        paths.append(tmp_path / f"run{number}.csv")
        paths[-1].write_text("query,rank,document\nq,1,A\nq,2,B\n", "utf-8")
    window = opened(*paths)
    window.do.compare.trigger()
    settle(window)
    table = window.queries.table
    header = table.horizontalHeader()
    head = listed(window)[0]
    assert head[:2] == ["Query", "Difference"] and len(head) == 12
    assert header.sectionSize(0) >= 150
    assert header.sectionPosition(3) + header.sectionSize(3) <= table.viewport().width()
    assert "run1.csv" in label(window, "compareAnswer")
