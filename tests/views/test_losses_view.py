"""Where the points went, as a widget: the waterfall in two ways, and the best changes in words."""

import pytest
from build import WORKED_JUDGMENTS, WORKED_RANKING, evaluation_of
from PySide6.QtCore import Qt

from ndcg_desktop.views.losses_view import NO_RANKING, LossesView


@pytest.fixture
def view(qtbot):
    """The view on the worked example, where F is not judged."""
    view = LossesView()
    qtbot.addWidget(view)
    ranking = [*WORKED_RANKING, ("q1", "F")]
    view.show_query(evaluation_of(WORKED_JUDGMENTS, ranking, cutoff=5), 0, 0, 3)
    view.show()
    return view


def test_by_position_and_by_document(qtbot, view):
    """The two buttons change what the steps are; both end at the score."""
    assert [step.label for step in view.chart.chart.steps] == ["1", "2", "3", "4", "5"]
    qtbot.mouseClick(view.by_document, Qt.MouseButton.LeftButton)
    assert [step.label for step in view.chart.chart.steps] == ["E", "D", "B"]
    assert not view.by_position.isChecked()
    assert view.chart.chart.levels[-1] == pytest.approx(view.chart.chart.value)
    assert view.chart.chart.measure == "nDCG@5 0.710 · linear gain, ideal from all judged"
    assert "E, grade 3, was not returned" in view.chart.accessibleDescription()


def test_the_best_changes(view):
    """Below the chart: move, exchange, missed document, and grade, each with what it brings."""
    lines = view.words.text().splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "Best single move",
        "Best exchange",
        "Best document to return",
        "Best single grade",
    ]
    assert lines[0].startswith("Best single move: D from rank 4 to rank 2: 0.710 → 0.")
    assert "E, grade 3, at rank 1" in lines[2]
    assert "if F (rank 5), which is not judged, had grade 3" in lines[3]


def test_without_a_score(view):
    """What cannot be drawn is said, and no change is proposed."""
    view.show_query(evaluation_of([("q1", "A", 0)], [("q1", "A")]), 0, 0, 3)
    assert "nothing to normalise by" in view.chart.describe()
    assert view.words.text() == ""
    view.show_query(evaluation_of(WORKED_JUDGMENTS), 0, None, 3)
    assert NO_RANKING in view.chart.describe()
    view.show_query(None, None, None, 3)
    assert view.chart.chart is None
