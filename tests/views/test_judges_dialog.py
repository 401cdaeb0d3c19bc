"""The dialog about judges, worked as a person does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.agreement import FEW_JUDGES, MOST_IN_PAIRS, agreements
from ndcg_desktop.evaluation.by_judge import scores_by_rule
from ndcg_desktop.evaluation.votes import RULES, rule_words
from ndcg_desktop.views import judges_dialog
from ndcg_desktop.views.judges_dialog import JudgesDialog
from ndcg_desktop.views.judges_tabs import (
    COMPUTING,
    CROWD,
    NOBODY,
    NOTHING_OPEN,
    ONE_GRADE,
    TWO_NEEDED,
)
from ndcg_desktop.views.main_window import MainWindow

RATERS = "04-quepid-book-three-raters.csv"
THREE = [(3, 3, 0), (2, 1, 2), (0, 0, 1), (1, "", 1), (2, 2, ""), ("", "", "")]
JUDGES, AGREEMENT, SCORES = range(3)


@pytest.fixture
def dialog(qtbot, window: MainWindow) -> Iterator[JudgesDialog]:
    """The dialog of a window, not shown yet."""
    dialog = JudgesDialog(window.session, window)
    yield dialog
    dialog.shut_down()


@pytest.fixture
def three(tmp_path: Path, opened: Callable[..., MainWindow]) -> MainWindow:
    """A ranking of two queries that three people have judged."""
    return opened(judged_by(tmp_path / "three.csv", ("Rater A", "Rater B", "Rater C"), THREE))


def judged_by(path: Path, names, rows) -> Path:
    """A file with a column of grades for each name; four documents to a query."""
    lines = [",".join(["query", "docid", "rank", *names])]
    lines += [
        ",".join([f"q{n // 4}", f"D{n}", str(n % 4 + 1), *map(str, row)])
        for n, row in enumerate(rows)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def show(qtbot, dialog: JudgesDialog, tab: int) -> None:
    """Show a page, and wait until it is up to date."""
    dialog.tabs.setCurrentIndex(tab)
    dialog.show()
    settle(qtbot, dialog)


def settle(qtbot, dialog: JudgesDialog) -> None:
    """Wait until what is seen is up to date."""
    qtbot.waitUntil(dialog.is_idle, timeout=20_000)


def lines(table) -> list[list[str]]:
    """What a table shows, without its headers."""
    return table.texts.lines()[1:]


def choose(box: QComboBox, data: str) -> None:
    """Choose an entry of a box as a person does."""
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())


def child(dialog: JudgesDialog, kind: type, name: str):
    """A widget of the dialog."""
    found = dialog.findChild(kind, name)
    assert found is not None
    return found


def clipboard() -> list[list[str]]:
    """What was copied."""
    return [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]


# ---- who judges


def test_nothing_is_open(qtbot, dialog):
    """Without an evaluation each page says so, and a name can be given all the same."""
    for tab, name in enumerate(("judgesWords", "agreementWords", "byJudgeMeasure")):
        show(qtbot, dialog, tab)
        assert child(dialog, QLabel, name).text() == NOTHING_OPEN
    for name in ("judges", "agreement", "byJudge"):
        assert not child(dialog, judges_dialog.CopyTable, name).isVisible()


def test_each_judge_has_a_row(qtbot, dialog, opened, files):
    """The judges of a file are listed with what each has graded."""
    opened(files / RATERS)
    show(qtbot, dialog, JUDGES)
    expected = opened_counts(dialog)
    assert [row[:2] for row in lines(dialog.judges.table)] == expected
    assert [name for name, _ in expected] == ["Rater A", "Rater B", "Rater C"]


def opened_counts(dialog: JudgesDialog) -> list[list[str]]:
    """The judges of the open evaluation and how often each has graded."""
    evaluation = dialog._session.evaluation
    assert evaluation is not None
    return [[name, f"{number}"] for name, number in evaluation.votes.counts().items()]


def test_a_new_name_judges(qtbot, dialog, three):
    """A name that is typed is that of who judges from then on; what they grade is theirs."""
    show(qtbot, dialog, JUDGES)
    box = child(dialog, QComboBox, "judgeName")
    field = box.lineEdit()
    field.selectAll()
    qtbot.keyClicks(field, "Rater")  # begins the name of others
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert three.session.judge == "Rater"
    settle(qtbot, dialog)
    assert lines(dialog.judges.table)[-1] == ["Rater", "0", "0", "judges here"]
    three.session.set_grades(0, [("D0", 1.0)])
    settle(qtbot, dialog)
    assert lines(dialog.judges.table)[-1] == ["Rater", "1", "0", "judges here"]
    three.session.undo_stack.undo()
    settle(qtbot, dialog)
    assert lines(dialog.judges.table)[-1][1] == "0"


def test_a_known_name_is_chosen(qtbot, dialog, three):
    """A judge of the file is chosen from the list; an empty name is nobody's."""
    show(qtbot, dialog, JUDGES)
    box = child(dialog, QComboBox, "judgeName")
    assert [box.itemText(i) for i in range(box.count())] == ["Rater A", "Rater B", "Rater C"]
    assert box.currentText() == ""
    choose(box, "Rater B")
    assert three.session.judge == "Rater B"
    box.lineEdit().selectAll()
    qtbot.keyClick(box.lineEdit(), Qt.Key.Key_Delete)
    qtbot.keyClick(box.lineEdit(), Qt.Key.Key_Return)
    assert three.session.judge == ""
    settle(qtbot, dialog)
    assert {row[3] for row in lines(dialog.judges.table)} == {""}


@pytest.mark.parametrize("name", ["verdict", " Verdict "])
def test_nobody_is_called_verdict(qtbot, dialog, three, name):
    """The word that files have for a settled grade is refused as a name, and why is said."""
    three.session.set_judge("Rater A")
    show(qtbot, dialog, JUDGES)
    field = child(dialog, QComboBox, "judgeName").lineEdit()
    field.selectAll()
    qtbot.keyClicks(field, name)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert three.session.judge == field.text() == "Rater A"
    assert "Choose another name" in child(dialog, QLabel, "judgeProblem").text()
    assert child(dialog, QLabel, "judgeProblem").isVisible()


def test_what_is_typed_is_not_overwritten(qtbot, dialog, three):
    """A change elsewhere leaves a name alone that is being typed."""
    show(qtbot, dialog, JUDGES)
    dialog.activateWindow()
    field = child(dialog, QComboBox, "judgeName").lineEdit()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClicks(field, "Dee")
    three.session.set_values("note", "Rater A", 0, [("D0", "odd")])
    settle(qtbot, dialog)
    assert field.text() == "Dee"
    assert lines(dialog.judges.table)[0][2] == "1"


def test_notes_and_verdicts_are_counted(qtbot, dialog, three):
    """Each judge's notes are counted, those without a name too, and the verdicts in a sentence."""
    show(qtbot, dialog, JUDGES)
    session = three.session
    assert child(dialog, QLabel, "verdicts").text() == "No document has a verdict."
    session.set_values("note", "Rater B", 0, [("D0", "odd"), ("D1", "new")])
    session.set_values("note", "", 0, [("D0", "whose?")])
    session.set_values("verdict", "", 0, [("D0", 3.0)])
    settle(qtbot, dialog)
    rows = {row[0]: row[2] for row in lines(dialog.judges.table)}
    assert rows == {"Rater A": "0", "Rater B": "2", "Rater C": "0", NOBODY: "1"}
    assert child(dialog, QLabel, "verdicts").text().startswith("1 document has a verdict")


def test_merging_is_chosen_and_named(qtbot, dialog, three):
    """Each rule and each judge can be chosen; the measure is named with it, and scored by it."""
    show(qtbot, dialog, JUDGES)
    box, named = child(dialog, QComboBox, "merging"), child(dialog, QLabel, "namedInFull")
    wanted = [*RULES, "judge:Rater A", "judge:Rater B", "judge:Rater C"]
    assert [box.itemData(i) for i in range(box.count())] == wanted
    evaluation = three.session.evaluation
    means = set()
    for rule in wanted:
        choose(box, rule)
        settle(qtbot, dialog)
        assert evaluation.votes.rule == box.currentData() == rule
        assert rule_words(rule) in named.text()
        assert named.text().endswith(wording.named_in_full(evaluation))
        assert evaluation.options.measure in named.text()
        means.add(round(evaluation.scores(0).mean, 9))
    assert len(means) > 4


def test_one_grade_for_each_document(qtbot, dialog, opened, tmp_path):
    """A file with one column of grades says what would become of it, and a button does that."""
    window = opened(judged_by(tmp_path / "one.csv", ("grade",), [(3,), (1,), (0,)]))
    for tab in (AGREEMENT, SCORES, JUDGES):
        show(qtbot, dialog, tab)
    assert child(dialog, QLabel, "judgesWords").text() == ONE_GRADE
    assert not child(dialog, QComboBox, "merging").isVisible()
    button = child(dialog, QPushButton, "judgeTogether")
    with qtbot.waitSignal(window.session.replaced, timeout=20_000):
        button.click()
    settle(qtbot, dialog)
    assert [row[:2] for row in lines(dialog.judges.table)] == [["grade", "3"]]
    assert not button.isVisible()
    assert child(dialog, QComboBox, "merging").isVisible()
    window.session.undo_stack.undo()
    settle(qtbot, dialog)
    assert button.isVisible()


def test_only_a_ranking(qtbot, dialog, opened, tmp_path):
    """Without judgments there is no column that others could add to, and no button."""
    path = tmp_path / "run.trec"
    path.write_text("q1 Q0 a 1 2.0 x\nq1 Q0 b 2 1.0 x\n")
    opened(path)
    show(qtbot, dialog, JUDGES)
    assert not child(dialog, QPushButton, "judgeTogether").isVisible()
    assert "No judgments are open" in child(dialog, QLabel, "judgesWords").text()


# ---- agreement


def test_every_measure_is_shown(qtbot, dialog, three):
    """Each measure has its name, judges, value and n."""
    show(qtbot, dialog, AGREEMENT)
    votes = three.session.evaluation.votes
    names = list(votes.judges)
    wanted = list(agreements(names, votes.matrix(names), three.session.scale.grades))
    assert lines(dialog.agreement.table) == [
        [row.name, row.judges, wording.decimal(row.value), str(row.n), row.note] for row in wanted
    ]
    assert len(wanted) == 4 + 9
    three.session.set_decimals(5)
    settle(qtbot, dialog)
    assert lines(dialog.agreement.table)[0][2] == wording.decimal(wanted[0].value, 5)


def test_the_confusion_table(qtbot, dialog, three):
    """Any two judges are compared; what is alike is bold, and said in words."""
    show(qtbot, dialog, AGREEMENT)
    one, other = (child(dialog, QComboBox, f"confusion{n}") for n in ("One", "Other"))
    assert (one.currentText(), other.currentText()) == ("Rater A", "Rater B")
    table = dialog.agreement.confusion.texts
    # A: 3 2 0 1 2 –, B: 3 1 0 – 2 –
    assert table.lines() == [
        ["", "0", "1", "2", "3"],
        ["0", "1", "0", "0", "0"],
        ["1", "0", "0", "0", "0"],
        ["2", "0", "1", "1", "0"],
        ["3", "0", "0", "0", "1"],
    ]
    words = child(dialog, QLabel, "confusionWords").text()
    assert words.startswith("4 documents graded by both, 3 of them alike")
    for row, column in np.ndindex(4, 4):
        index = table.index(row, column)
        bold = index.data(Qt.ItemDataRole.FontRole) is not None
        spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
        assert bold == (row == column) == (", alike." in spoken)
        assert spoken.endswith(f"Rater A: {row}; Rater B: {column}")
    choose(other, "Rater C")
    settle(qtbot, dialog)
    assert child(dialog, QLabel, "confusionWords").text().endswith("Columns: Rater C.")
    assert [row[1:] for row in lines(dialog.agreement.confusion)] == [
        ["0", "1", "0", "0"],
        ["0", "1", "0", "0"],
        ["0", "0", "1", "0"],
        ["1", "0", "0", "0"],
    ]
    choose(one, "Rater C")
    settle(qtbot, dialog)
    assert child(dialog, QLabel, "confusionWords").text() == "Choose two different judges."
    assert lines(dialog.agreement.confusion) == []


def test_confusion_names_the_grades_of_the_scale(qtbot, dialog, three):
    """Grades are headed as the scale calls them; a grade off it by its number."""
    from ndcg_desktop.evaluation.scale import Level, Scale

    show(qtbot, dialog, AGREEMENT)
    scale = Scale("own", (Level(0, "Bad"), Level(1, "Fair"), Level(2, "Good")))
    three.session.set_scale(scale)
    settle(qtbot, dialog)
    assert dialog.agreement.confusion.texts.lines()[0] == ["", "0 Bad", "1 Fair", "2 Good", "3"]


def test_the_scale_is_that_of_the_judges(three):
    """Means of their grades, which have fractions, are no grades to judge by."""
    assert three.session.evaluation.votes.rule == "mean"
    assert 1 / 3 in three.session.evaluation.judgments.grade
    assert three.session.scale.grades == (0.0, 1.0, 2.0, 3.0)


def test_agreement_follows_the_grades(qtbot, dialog, three):
    """A grade given while the page is seen changes its figures, and another page's when it is
    looked at next.
    """
    show(qtbot, dialog, AGREEMENT)
    before = lines(dialog.agreement.table)
    three.session.set_judge("Rater A")
    three.session.set_grades(0, [("D3", 3.0), ("D2", 3.0)])
    settle(qtbot, dialog)
    after = lines(dialog.agreement.table)
    assert after != before
    dialog.tabs.setCurrentIndex(SCORES)
    settle(qtbot, dialog)
    three.session.undo_stack.undo()
    settle(qtbot, dialog)
    assert lines(dialog.agreement.table) == after  # nobody sees it
    dialog.tabs.setCurrentIndex(AGREEMENT)
    settle(qtbot, dialog)
    assert lines(dialog.agreement.table) == before


def test_one_judge_alone_cannot_agree(qtbot, dialog, opened, tmp_path):
    """Where the second judge has graded nothing there is a sentence and no figure."""
    opened(judged_by(tmp_path / "a.csv", ("Rater A", "Rater B"), [(1, ""), (2, ""), (0, "")]))
    show(qtbot, dialog, AGREEMENT)
    assert lines(dialog.agreement.table) == []
    assert child(dialog, QLabel, "agreementWords").text().startswith(TWO_NEEDED)


def test_a_crowd(qtbot, dialog, opened, tmp_path):
    """Of more than 50 judges pairs are those of the ten with most grades, and that is said."""
    judges = MOST_IN_PAIRS + 1
    rows = [[(n * j) % 4 if n <= j else "" for j in range(judges)] for n in range(20)]
    opened(judged_by(tmp_path / "crowd.csv", [f"Rater {n}" for n in range(judges)], rows))
    show(qtbot, dialog, AGREEMENT)
    assert len(lines(dialog.agreement.table)) == 4 + 3 * FEW_JUDGES * (FEW_JUDGES - 1) // 2
    assert lines(dialog.agreement.table)[0][1] == "51 judges"
    assert child(dialog, QLabel, "agreementWords").text().endswith(CROWD)


# ---- scores


def test_scores_under_each_rule(qtbot, dialog, three):
    """Each rule and judge has its mean and n; the one in use is bold, and said in a word."""
    show(qtbot, dialog, SCORES)
    evaluation = three.session.evaluation
    table = dialog.scores.table.texts
    assert table.lines()[0] == ["Grades", "Used", "Graded", "three.csv", "n"]
    rows = scores_by_rule(evaluation)
    assert lines(dialog.scores.table) == [
        [
            row.name,
            "in use" if row.in_use else "",
            str(row.graded),
            wording.decimal(row.means[0]),
            str(row.n[0]),
        ]
        for row in rows
    ]
    assert [row.name for row in rows if row.in_use] == ["mean"]
    for number, row in enumerate(rows):
        bold = table.index(number, 3).data(Qt.ItemDataRole.FontRole) is not None
        assert bold == row.in_use
    assert table.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "mean, in use"
    assert evaluation.options.full_name in child(dialog, QLabel, "byJudgeMeasure").text()
    assert "mean of 2–3 judges" in child(dialog, QLabel, "byJudgeMeasure").text()


def test_scores_follow_options_and_rule(qtbot, dialog, three):
    """Another gain, cutoff or rule is scored and named at once."""
    from dataclasses import replace

    show(qtbot, dialog, SCORES)
    session = three.session
    session.set_options(replace(session.options, gain="exponential", cutoff=2))
    session.set_merging("judge:Rater C")
    settle(qtbot, dialog)
    rows = scores_by_rule(session.evaluation)
    shown = lines(dialog.scores.table)
    assert [row[3] for row in shown] == [wording.decimal(row.means[0]) for row in rows]
    assert [row[0] for row in shown if row[1]] == ["grades of Rater C"]
    words = child(dialog, QLabel, "byJudgeMeasure").text()
    assert "nDCG(dcg='exp-log2')@2" in words
    assert words.endswith("In use: grades of Rater C.")
    assert shown[-1][3] == wording.decimal(session.evaluation.scores(0).mean)


def test_verdicts_are_left_out_of_a_judges_own_score(qtbot, dialog, three):
    """With a verdict the rules say so, and a judge's row is without it."""
    show(qtbot, dialog, SCORES)
    alone = lines(dialog.scores.table)[6:]
    three.session.set_values("verdict", "", 0, [("D0", 0.0)])
    settle(qtbot, dialog)
    shown = lines(dialog.scores.table)
    assert shown[0][0] == "mean, 1 by verdict"
    assert shown[6:] == alone
    assert "without the verdicts" in child(dialog, QLabel, "byJudgeWords").text()


def test_a_column_for_each_ranking(qtbot, dialog, three, opened, tmp_path):
    """Each ranking has a column with its name, and an n of its own."""
    other = tmp_path / "other.csv"
    other.write_text("query,docid,rank\nq0,D2,1\nq0,D0,2\n")
    opened(other)
    show(qtbot, dialog, SCORES)
    names = [ranking.name for ranking in three.session.evaluation.rankings]
    assert len(names) == 2
    head = dialog.scores.table.texts.lines()[0]
    assert head[3:] == [names[0], "n", names[1], "n"]
    spoken = dialog.scores.table.texts.index(0, 6).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith(f"{names[1]}, mean: ")
    rows = scores_by_rule(three.session.evaluation)
    for row, shown in zip(rows, lines(dialog.scores.table), strict=True):
        assert shown[3::2] == [wording.decimal(mean) for mean in row.means]
        assert shown[4::2] == [str(n) for n in row.n]


def test_judgments_alone_have_no_score(qtbot, dialog, opened, tmp_path):
    """Without a ranking the page says what is missing."""
    path = tmp_path / "judged.csv"
    path.write_text("query,docid,Rater A,Rater B\nq,a,1,2\nq,b,0,0\n")
    opened(path)
    show(qtbot, dialog, SCORES)
    assert dialog.scores.table.texts.lines()[0] == ["Grades", "Used", "Graded"]
    assert child(dialog, QLabel, "byJudgeWords").text().startswith("Open a ranking")


# ---- copying


@pytest.mark.parametrize(
    ("tab", "name"),
    [(JUDGES, "judges"), (AGREEMENT, "agreement"), (AGREEMENT, "confusion"), (SCORES, "byJudge")],
)
def test_tables_are_copied(qtbot, dialog, three, tab, name):
    """A button and Ctrl+C copy the whole table with its headers; chosen cells alone else."""
    show(qtbot, dialog, tab)
    table = child(dialog, judges_dialog.CopyTable, name)
    child(dialog, QPushButton, f"copy{name[0].upper()}{name[1:]}").click()
    assert clipboard() == table.texts.lines()
    QGuiApplication.clipboard().clear()
    table.clearSelection()
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard() == table.texts.lines()
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    sides = 1 if name == "confusion" else 0
    assert clipboard() == [table.texts.lines()[2][sides:]]
    qtbot.keyRelease(table, Qt.Key.Key_Control)  # else it is held for the tests that follow


def test_tables_are_proper_models(qtbot, dialog, three):
    """Qt's own tester finds nothing wrong while the tables are filled and emptied."""
    fatal = QAbstractItemModelTester.FailureReportingMode.Fatal
    tables = dialog.findChildren(judges_dialog.CopyTable)
    testers = [QAbstractItemModelTester(table.texts, fatal) for table in tables]
    for tab in (JUDGES, AGREEMENT, SCORES):
        show(qtbot, dialog, tab)
    three.session.close()
    settle(qtbot, dialog)
    assert len(testers) == 4


def test_every_control_is_named(qtbot, dialog, three):
    """A screen reader has a name for each table and box."""
    QAccessible.setActive(True)
    for tab in (JUDGES, AGREEMENT, SCORES):
        show(qtbot, dialog, tab)
    for kind in (judges_dialog.CopyTable, QComboBox, QPushButton):
        for widget in dialog.findChildren(kind):
            interface = QAccessible.queryAccessibleInterface(widget)
            assert interface.text(QAccessible.Text.Name), widget.objectName()


# ---- computing


def test_computing_is_said_and_a_later_result_wins(qtbot, dialog, three, monkeypatch):
    """While scores are computed the table says so; of two results the later one is shown."""
    go = threading.Event()
    first = threading.Event()

    def slow(evaluation, cancelled):
        stale = not first.is_set()
        first.set()
        go.wait(10)
        rows = scores_by_rule(evaluation)
        return rows[:1] if stale else rows

    monkeypatch.setattr(judges_dialog, "scores_by_rule", slow)
    dialog.tabs.setCurrentIndex(SCORES)
    dialog.show()
    qtbot.waitUntil(first.is_set)
    assert lines(dialog.scores.table) == [[COMPUTING, "", "", "", ""]]
    three.session.set_merging("max")
    qtbot.wait(judges_dialog.TOGETHER + 100)
    go.set()
    settle(qtbot, dialog)
    shown = lines(dialog.scores.table)
    assert len(shown) == 9
    assert [row[0] for row in shown if row[1]] == ["highest"]


def test_slow_figures_give_way_to_the_word(qtbot, dialog, three, monkeypatch):
    """Figures that are computed anew stay for a moment, and then “Computing…” stands there."""
    show(qtbot, dialog, SCORES)
    go = threading.Event()

    def slow(evaluation, cancelled):
        go.wait(10)
        return scores_by_rule(evaluation)

    monkeypatch.setattr(judges_dialog, "scores_by_rule", slow)
    three.session.set_merging("max")
    qtbot.waitUntil(lambda: not dialog._jobs.idle)
    assert len(lines(dialog.scores.table)) == 9
    qtbot.waitUntil(lambda: lines(dialog.scores.table)[0][0] == COMPUTING)
    go.set()
    settle(qtbot, dialog)
    assert len(lines(dialog.scores.table)) == 9


def test_another_file_ends_what_is_computed(qtbot, dialog, three, opened, tmp_path, monkeypatch):
    """Figures of a file that is not open any more are never shown."""
    go = threading.Event()

    def slow(evaluation, cancelled):
        go.wait(10)
        return scores_by_rule(evaluation)

    monkeypatch.setattr(judges_dialog, "scores_by_rule", slow)
    dialog.tabs.setCurrentIndex(SCORES)
    dialog.show()
    three.session.close()
    assert lines(dialog.scores.table) == []
    go.set()
    settle(qtbot, dialog)
    assert lines(dialog.scores.table) == []
    assert child(dialog, QLabel, "byJudgeMeasure").text() == NOTHING_OPEN


def test_a_failure_is_told(qtbot, dialog, three, monkeypatch):
    """What goes wrong on the thread is told where failures are; the page does not go on waiting."""
    told: list[BaseException] = []
    three.session.failed.disconnect()
    three.session.failed.connect(told.append)

    def broken(*_):
        raise MemoryError("too much")

    monkeypatch.setattr(judges_dialog, "scores_by_rule", broken)
    show(qtbot, dialog, SCORES)
    assert [str(error) for error in told] == ["too much"]
    assert lines(dialog.scores.table) == []


def test_hidden_it_costs_nothing(qtbot, dialog, three):
    """While it is hidden nothing is computed; shown again it is up to date; closed, no thread
    runs.
    """
    show(qtbot, dialog, SCORES)
    dialog.hide()
    three.session.set_merging("min")
    assert dialog.is_idle()
    assert [row[0] for row in lines(dialog.scores.table) if row[1]] == ["mean"]
    show(qtbot, dialog, SCORES)
    assert [row[0] for row in lines(dialog.scores.table) if row[1]] == ["lowest"]
    three.session.set_merging("max")
    dialog.close()
    assert dialog.is_idle()


def test_many_grades_are_gathered(qtbot, dialog, three, monkeypatch):
    """A row of grades given quickly is computed once."""
    show(qtbot, dialog, SCORES)
    computed: list[int] = []

    def counting(evaluation, cancelled):
        computed.append(1)
        return scores_by_rule(evaluation, cancelled)

    monkeypatch.setattr(judges_dialog, "scores_by_rule", counting)
    three.session.set_judge("Rater A")
    for grade in (0.0, 1.0, 2.0, 3.0, 2.0):
        three.session.set_grades(0, [("D3", grade)])
    settle(qtbot, dialog)
    assert computed == [1]


def test_long_and_strange_names(qtbot, dialog, opened, tmp_path):
    """A name of any length and with any signs neither widens the dialog nor is taken for markup."""
    names = ["Rater " + "x" * 3000, "Rater <b>B</b> & Sons", "Rater C"]
    opened(judged_by(tmp_path / "long.csv", names, THREE))
    width = dialog.width()
    for tab in (JUDGES, AGREEMENT, SCORES):
        show(qtbot, dialog, tab)
    assert dialog.width() == width
    assert dialog.minimumSizeHint().width() <= width
    assert lines(dialog.judges.table)[1][0] == names[1]
    assert child(dialog, QLabel, "confusionWords").textFormat() == Qt.TextFormat.PlainText


# ---- finding one's way


def test_the_name_has_the_focus(qtbot, dialog, three):
    """Whoever opens the dialog can say at once who judges."""
    with qtbot.waitActive(dialog):
        dialog.show()
        dialog.activateWindow()
    name = dialog.judges.name
    assert dialog.focusWidget() in (name, name.lineEdit())


@pytest.mark.parametrize("tab", [AGREEMENT, SCORES])
def test_an_empty_page_says_what_to_do(qtbot, dialog, opened, tmp_path, tab):
    """With one grade for each document the pages about several judges tell how there can be two."""
    opened(judged_by(tmp_path / "one.csv", ("grade",), [(3,), (1,), (0,)]))
    show(qtbot, dialog, tab)
    name = {AGREEMENT: "agreementWords", SCORES: "byJudgeMeasure"}[tab]
    words = child(dialog, QLabel, name).text()
    assert words.startswith(TWO_NEEDED)
    assert "Let several people judge" in words


def test_measures_have_the_room(qtbot, dialog, three):
    """The grades of two judges take what they need, and the table of measures all that is left."""
    show(qtbot, dialog, AGREEMENT)
    table, confusion = dialog.agreement.table, dialog.agreement.confusion
    dialog.resize(800, 1200)
    qtbot.waitUntil(lambda: table.verticalScrollBar().maximum() == 0)
    assert confusion.verticalScrollBar().maximum() == 0
    assert confusion.height() <= 26 * 6 + 20
    choose(dialog.agreement.other, "Rater A")
    assert not confusion.isVisible()


def test_the_usual_coefficient_is_named(qtbot, dialog, three):
    """One sentence says which measure is usual for ordered grades, as the table calls it."""
    show(qtbot, dialog, AGREEMENT)
    assert "Krippendorff's α, ordinal, is usual" in child(dialog, QLabel, "agreementWords").text()
    assert "Krippendorff's α, ordinal" in [row[0] for row in lines(dialog.agreement.table)]


def test_a_long_name_is_cut_in_the_middle(qtbot, dialog, three, opened, tmp_path):
    """The header of a ranking fits its column, and its tooltip has all of the name."""
    other = tmp_path / ("long-name-" * 10 + "end.csv")
    other.write_text("query,docid,rank\nq0,D2,1\nq0,D0,2\n")
    opened(other)
    show(qtbot, dialog, SCORES)
    table = dialog.scores.table
    assert table.horizontalHeader().textElideMode() == Qt.TextElideMode.ElideMiddle
    assert table.horizontalScrollBar().maximum() == 0
    tip = table.texts.headerData(5, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert "end.csv" in tip
    short = table.texts.headerData(3, Qt.Orientation.Horizontal)
    assert table.columnWidth(3) > table.horizontalHeader().fontMetrics().horizontalAdvance(short)


def test_majority_is_explained(qtbot, dialog, three):
    """The tooltip of the box, and of the entry, says what becomes of a tie."""
    show(qtbot, dialog, JUDGES)
    box = child(dialog, QComboBox, "merging")
    assert "lowest" in box.toolTip()
    tip = box.itemData(box.findData("majority"), Qt.ItemDataRole.ToolTipRole)
    assert tip == box.toolTip()
