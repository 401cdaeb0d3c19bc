"""The item models, asked as Qt asks them, with Qt's own model tester watching."""

from __future__ import annotations

import pytest
from build import evaluation_of
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from ndcg_desktop.models.queries_model import QUERY_ROLE, QueriesModel
from ndcg_desktop.models.ranking_model import RankingModel

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal
JUDGMENTS = [
    ("b", "A", 3), ("b", "B", 0), ("a", "A", 1), ("a", "C", 2), ("c", "A", 0), ("B c", "A", None),
]  # fmt: skip
RETURNED = [("b", "B"), ("b", "A"), ("a", "A"), ("a", "C"), ("a", "X"), ("c", "A"), ("B c", "A")]


@pytest.fixture
def evaluation():
    """Four queries: two scored, one undefined, one not judged."""
    return evaluation_of(JUDGMENTS, RETURNED)


class TestQueries:
    """The list of queries."""

    def test_sort_filter_and_reset_obey_qt(self, qapp, evaluation) -> None:
        """Sorting, filtering and showing anew keep every promise of an item model."""
        model = QueriesModel()
        QAbstractItemModelTester(model, FATAL)
        model.show(evaluation, 0, 3)
        for column in (0, 1, 2, -1):
            for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
                model.sort(column, order)
        model.set_filter("B")
        model.set_filter("nothing of the kind")
        model.set_filter("")
        model.show(None, None, 3)

        assert model.rowCount() == 0

    def test_every_value_is_plain_python(self, qapp, evaluation) -> None:
        """A NumPy scalar would be a blank cell without an error."""
        model = QueriesModel()
        model.show(evaluation, 0, 3)
        roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole, QUERY_ROLE)
        values = [
            model.data(model.index(row, column), role)
            for row in range(4)
            for column in range(3)
            for role in map(int, roles)
        ]

        assert {type(value) for value in values} <= {str, float, int, type(None)}

    def test_filter_ignores_case(self, qapp, evaluation) -> None:
        """The filter finds text whatever its case."""
        model = QueriesModel()
        model.show(evaluation, 0, 3)
        model.set_filter("B")

        assert sorted(model.index(r, 0).data() for r in range(model.rowCount())) == ["B c", "b"]

    def test_selected_query_moves_with_the_sort(self, qapp, evaluation) -> None:
        """A persistent index follows its query."""
        model = QueriesModel()
        model.show(evaluation, 0, 3)
        kept = QPersistentModelIndex(model.index(1, 0))
        name = kept.data()
        model.sort(0, Qt.SortOrder.DescendingOrder)

        assert kept.data() == name


class TestRanking:
    """The ranking table."""

    def test_obeys_qt_through_edits(self, qapp, evaluation) -> None:
        """Showing queries and refreshing after a grade keep every promise of an item model."""
        model = RankingModel()
        QAbstractItemModelTester(model, FATAL)
        for query in range(4):
            model.show(evaluation, query, 0, 3)
        model.show(evaluation, 1, 0, 3)
        pair = evaluation.pair_of(1, "X")
        evaluation.set_grades([(pair, 3.0)])
        model.refresh()

        assert model.grade(2) == 3.0

    def test_edit_role_is_a_number_or_none(self, qapp, evaluation) -> None:
        """The edit role of a grade gives the number, None where it is not judged."""
        model = RankingModel()
        model.show(evaluation, 1, 0, 3)
        column = model.grade_column
        edit = Qt.ItemDataRole.EditRole

        assert model.headerData(column, Qt.Orientation.Horizontal) == "Grade"
        assert [model.index(row, column).data(edit) for row in range(3)] == [1.0, 2.0, None]

    @pytest.mark.parametrize(
        ("typed", "asked"), [("2", 2.0), ("2,5", 2.5), (" ", None), ("", None), ("-1", -1.0)]
    )
    def test_setting_asks_and_changes_nothing(self, qtbot, evaluation, typed, asked) -> None:
        """SetData checks the value and asks for it; the model itself changes nothing."""
        model = RankingModel()
        model.show(evaluation, 1, 0, 3)
        with qtbot.waitSignal(model.grades_wanted) as wanted:
            assert model.setData(model.index(0, model.grade_column), typed)

        assert wanted.args == [[("A", asked)]]
        assert model.grade(0) == 1.0

    @pytest.mark.parametrize("typed", ["good", "inf", "nan", "1e999", "1_0"])
    def test_no_number_is_rejected(self, qtbot, evaluation, typed) -> None:
        """What is no finite number is rejected with a sentence."""
        model = RankingModel()
        model.show(evaluation, 1, 0, 3)
        with qtbot.waitSignal(model.rejected) as rejected:
            assert not model.setData(model.index(0, model.grade_column), typed)

        assert typed in rejected.args[0]

    def test_only_grades_are_editable(self, qapp, evaluation) -> None:
        """No other column can be edited."""
        model = RankingModel()
        model.show(evaluation, 1, 0, 3)
        editable = [
            column
            for column in range(model.columnCount())
            if model.flags(model.index(0, column)) & Qt.ItemFlag.ItemIsEditable
        ]

        assert editable == [model.grade_column]

    def test_tooltips_show_markup_as_text(self, qapp) -> None:
        """Text from files is never taken for rich text."""
        evaluation = evaluation_of([("q", "<b>x</b>", 1)], [("q", "<b>x</b>")])
        model = RankingModel()
        model.show(evaluation, 0, 0, 3)

        assert "&lt;b&gt;" in model.index(0, 1).data(Qt.ItemDataRole.ToolTipRole)
