"""The Explain page in the window: four tabs, other tools, hidden scores, zoom, the classroom."""

from __future__ import annotations

import subprocess
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QTabWidget,
)
from waiting import until_idle

from ndcg_desktop.resources import examples
from ndcg_desktop.scoring.conventions import CONVENTIONS
from ndcg_desktop.views.explain_page import TOOLS, ExplainPage
from ndcg_desktop.views.main_window import MainWindow
from ndcg_desktop.views.zoom import next_step


@pytest.fixture
def explained(worked: MainWindow) -> MainWindow:
    """The worked example on the Explain page."""
    worked.do.explain.trigger()
    return worked


@pytest.fixture
def tools(explained: MainWindow) -> MainWindow:
    """The same on the tab of other tools, computed."""
    page(explained).tabs.setCurrentIndex(TOOLS)
    settle(explained)
    return explained


def page(window: MainWindow) -> ExplainPage:
    """The page itself."""
    return window.explaining.page


def settle(window: MainWindow) -> None:
    """Let the delay before computing pass, then the computing."""
    QTest.qWait(160)
    until_idle(window.session)


def lines(window: MainWindow, name: str) -> list[list[str]]:
    """A table as it is read."""
    table = window.findChild(QTableView, name)
    assert table is not None
    return table.texts.lines()


def press(window: MainWindow, name: str) -> None:
    """Press a button."""
    button = window.findChild(QPushButton, name)
    assert button is not None and button.isEnabled(), name
    button.click()


def test_ctrl_3_is_the_page(explained: MainWindow) -> None:
    """It says which query of which ranking it is about."""
    assert explained.pages.currentWidget() is page(explained)
    assert page(explained).title.text() == "worked-example in “worked-example.csv”"
    assert not explained.queries.isVisible()


def test_a_rank_lights_up_in_chart_and_table(explained: MainWindow, monkeypatch) -> None:
    """Whichever of the two is pointed at."""
    view, lit = page(explained), []
    monkeypatch.setattr(view.chart, "select_rows", lit.append)
    view.steps.steps.hovered.emit(2)
    view.steps.steps.hovered.emit(0)
    assert lit == [{1}, set()]
    view.chart.position_clicked.emit(3)
    assert any("2/log2(4 + 1)" in each for each in view.steps.formula.lit)


def test_a_grade_and_an_option_are_followed(explained: MainWindow) -> None:
    """The page is of the data as they are now."""
    explained.session.set_grades(0, [("C", 3.0)])
    assert "3/log2(3 + 1)" in page(explained).steps.formula.toPlainText()
    explained.scoring.exponential.click()
    assert "(2^3 − 1)" in page(explained).steps.formula.toPlainText()


def test_every_tool_stands_in_the_table(tools: MainWindow) -> None:
    """With what it gives of this query; scikit-learn on the returned documents 0.943."""
    _, *rows = lines(tools, "toolsTable")
    names = [row[0].rpartition(", ")[0] for row in rows]
    assert names == ["these settings", *CONVENTIONS]
    found = dict(zip(names, (row[1] for row in rows), strict=True))
    assert (found["trec_eval"], found["gdeval"], found["scikit-learn"]) == (
        "0.710",
        "0.669",
        "0.943",
    )


def test_the_steps_from_one_tool_to_another_add_up(tools: MainWindow) -> None:
    """A tool that is chosen is compared with the settings here."""
    row = 1 + list(CONVENTIONS).index("scikit-learn")
    tools.findChild(QTableView, "toolsTable").selectRow(row)
    settle(tools)
    head, *rows = lines(tools, "toolsSteps")
    assert head[:2] == ["Step", "Part"]
    parts = {row[0]: float(row[1].replace("−", "-")) for row in rows}
    assert parts["ideal"] == 0.233
    assert sum(parts.values()) == pytest.approx(0.943 - 0.710, abs=0.0015)
    assert "0.710 → 0.943 (+0.233)" in tools.findChild(QLabel, "toolsSum").text()


@pytest.mark.parametrize("typed", ["0.943", "0,943", "94.3 %"])
def test_my_other_tool_says(tools: MainWindow, typed: str) -> None:
    """The settings that give the number are found, and can be taken up."""
    field = tools.findChild(QLineEdit, "toolsNumber")
    field.setText(typed)
    QTest.keyClick(field, Qt.Key.Key_Return)
    until_idle(tools.session)
    _, first, *_ = lines(tools, "toolsMatches")
    assert first[1] == "ideal from the returned only"
    press(tools, "toolsUse")
    assert tools.session.options.ideal == "returned"
    settle(tools)
    assert lines(tools, "toolsTable")[1][1] == "0.943"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("0.123", "None of the settings looked through"),
        ("much", "Type the number"),
        ("", "Type"),
        ("0.7", "Type at"),
    ],
)
def test_a_number_that_nothing_gives(tools: MainWindow, typed: str, said: str) -> None:
    """Is answered in words."""
    field = tools.findChild(QLineEdit, "toolsNumber")
    field.setText(typed)
    press(tools, "toolsFind")
    until_idle(tools.session)
    assert tools.findChild(QLabel, "toolsFound").text().startswith(said)
    assert not tools.findChild(QPushButton, "toolsUse").isEnabled()


def test_the_code_gives_the_number_on_screen(tools: MainWindow) -> None:
    """What is copied runs, in a Python of its own."""
    pytest.importorskip("ir_measures")
    press(tools, "toolsCopyCode")
    code = QApplication.clipboard().text()
    assert code == tools.findChild(QPlainTextEdit, "toolsCodeText").toPlainText()
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(run.stdout) == pytest.approx(0.710414667913779, abs=1e-12)


def test_the_mean(qtbot, window: MainWindow) -> None:
    """The same of all queries."""
    library = next(example for example in examples() if example.name == "library")
    with qtbot.waitSignal(window.session.replaced, timeout=20_000):
        window.open_example(library)
    window.do.explain.trigger()
    page(window).tabs.setCurrentIndex(TOOLS)
    press(window, "toolsOfMean")
    settle(window)
    assert lines(window, "toolsTable")[1][1] == "0.828"
    assert "the mean of all queries" in window.findChild(QLabel, "toolsAbout").text()


def test_without_a_ranking(opened, tmp_path) -> None:
    """Each tab says what there is to do, and fails nowhere."""
    (tmp_path / "judged.csv").write_text("query,document,grade\nq,A,1\nq,B,3\n", "utf-8")
    window = opened(tmp_path / "judged.csv")
    window.do.explain.trigger()
    for tab in range(page(window).tabs.count()):
        page(window).tabs.setCurrentIndex(tab)
        settle(window)
    assert "Open a ranking" in page(window).note.text()
    assert "Open a ranking" in window.findChild(QLabel, "toolsAbout").text()


def test_hidden_scores(explained: MainWindow) -> None:
    """No page shows one, until they are shown again; grades stay."""
    explained.do.hide_scores.trigger()
    assert explained.pages.currentWidget() is explained.hidden
    assert "View → Hide scores" in explained.hidden.text()
    explained.do.review.trigger()
    texts = [each.text() for each in explained.findChildren(QLabel) if each.isVisible()]
    assert not any("0.710" in text or "4.492" in text for text in texts)
    seen = visible_columns(explained)
    assert "Grade" in seen and not {"Gain", "Disc. gain", "DCG"} & {*seen}
    assert not explained.page.chart.isVisible()
    explained.page.table.selectAll()
    explained.do.copy.trigger()
    assert QApplication.clipboard().text().splitlines()[1] == "2\tB\t1"
    assert not any(action.isEnabled() for action in explained.do.of_scores)
    explained.do.compare.trigger()
    assert explained.pages.currentWidget() is explained.hidden
    explained.do.review.trigger()
    explained.do.hide_scores.trigger()
    assert "0.710" in explained.page.score.text() and explained.page.score.isVisible()
    assert "Gain" in visible_columns(explained)
    assert explained.page.chart.isVisible()


def visible_columns(window: MainWindow) -> list[str]:
    """The headers of the ranking table that are seen."""
    table, model = window.page.table, window.page.model
    columns = range(model.columnCount())
    seen = [column for column in columns if not table.isColumnHidden(column)]
    return [model.headerData(column, Qt.Orientation.Horizontal) for column in seen]


def test_scores_stay_hidden_for_another_query_and_grade(qtbot, window: MainWindow) -> None:
    """Going on does not give them away."""
    shop = next(example for example in examples() if example.name == "shop")
    with qtbot.waitSignal(window.session.replaced, timeout=20_000):
        window.open_example(shop)
    window.do.review.trigger()
    window.do.hide_scores.trigger()
    window.queries.step(1)
    window.session.set_grades(1, [(window.page.model.rows.documents[0], 1.0)])
    assert not window.page.score.isVisible() and not window.queries.mean.isVisible()
    assert "Gain" not in visible_columns(window)
    window.do.hide_scores.trigger()


def test_zoom(explained: MainWindow) -> None:
    """Letters, rows and charts; it is remembered."""
    label, table = page(explained).title, explained.page.table
    chart = page(explained).chart
    before = label.font().pointSizeF(), table.verticalHeader().defaultSectionSize()
    inches = chart.figure.get_size_inches()[0]
    for _ in range(3):
        explained.do.zoom_in.trigger()
    assert explained.session.preferences.zoom == 150
    assert label.font().pointSizeF() == pytest.approx(before[0] * 1.5)
    assert table.verticalHeader().defaultSectionSize() == round(before[1] * 1.5)
    assert chart.figure.get_size_inches()[0] == pytest.approx(inches / 1.5, rel=0.02)
    explained._set_theme("dark")  # which sets the style sheet anew
    assert label.font().pointSizeF() == pytest.approx(before[0] * 1.5)
    explained.do.compare.trigger()  # made while letters are large
    explained.do.zoom_normal.trigger()
    assert label.font().pointSizeF() == pytest.approx(before[0])
    assert table.verticalHeader().defaultSectionSize() == before[1]


@pytest.mark.parametrize(
    ("zoom", "by", "then"), [(100, 1, 110), (200, 1, 200), (80, -1, 80), (150, 0, 100)]
)
def test_steps_of_zoom(zoom: int, by: int, then: int) -> None:
    """Neither end is passed."""
    assert next_step(zoom, by) == then


def test_the_classroom_asks_about_what_is_open(explained: MainWindow) -> None:
    """It opens beside the window, and its switch hides the scores there."""
    explained.do.classroom.trigger()
    classroom = explained.explaining.classroom
    assert classroom.isVisible() and not classroom.isModal()
    classroom.hiding.click()
    assert explained.do.hide_scores.isChecked()
    assert explained.pages.currentWidget() is explained.hidden
    explained.do.hide_scores.trigger()
    assert not classroom.hiding.isChecked()
    classroom.close()


def test_tabs_have_names(explained: MainWindow) -> None:
    """They are reached and named without a mouse."""
    tabs = explained.findChild(QTabWidget, "explainTabs")
    letters = [tabs.tabText(each).partition("&")[2][:1] for each in range(tabs.count())]
    assert all(letters) and len(set(letters)) == tabs.count()
