"""Text of files in cells and tooltips, however long, and what a model shows where there is none."""

from __future__ import annotations

import re

import pytest
from build import evaluation_of
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from ndcg_desktop.models.queries_model import JUDGED, QUERY, SCORE, QueriesModel
from ndcg_desktop.models.ranking_model import RankingModel
from ndcg_desktop.models.tooltip import (
    CELL,
    LONGEST,
    LONGEST_WORD,
    plain_tip,
    short_text,
    short_words,
)

LONG = "x" * 100_000
ROLES = [
    int(role)
    for role in (
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.AccessibleTextRole,
    )
]
TIP = int(Qt.ItemDataRole.ToolTipRole)


def longest_word(html: str) -> int:
    """Characters of the longest part of a tooltip that a line cannot be broken within."""
    text = re.sub(r"<[^>]+>", "", html)
    return max(map(len, re.split("[\\s\u200b]+", text)))


class TestTexts:
    """What is left of a text."""

    def test_a_tooltip_can_be_wrapped(self) -> None:
        """A tooltip is of bounded length, and no word of it is wider than a screen."""
        tip = plain_tip(LONG)

        assert len(tip) < LONGEST + 200
        assert longest_word(tip) <= LONGEST_WORD + 1
        assert plain_tip("a <b>c</b>") == (
            '<span style="white-space: pre-wrap">a &lt;b&gt;c&lt;/b&gt;</span>'
        )
        assert plain_tip("") == ""

    def test_short_text(self) -> None:
        """A cell holds one line of some hundred characters."""
        assert short_text("running\nshoes") == "running shoes"
        assert short_text("running  shoes") == "running  shoes"
        assert short_text("y" * CELL) == "y" * CELL
        assert short_text(LONG) == "x" * CELL + "…"

    @given(st.text("ab \n“", max_size=300))
    def test_short_words(self, text: str) -> None:
        """Only very long words lose something, and both of their ends stay."""
        short = short_words(text)

        if all(len(word) <= LONGEST_WORD for word in text.split()):
            assert short == text
        assert all(len(word) <= LONGEST_WORD for word in short.split())
        for before, after in zip(text.split(), short.split(), strict=True):
            assert before[:50] == after[:50]
            assert before[-20:] == after[-20:]


class TestLongIds:
    """Ids of a hundred thousand characters."""

    def test_queries(self, qapp) -> None:
        """The list of queries gives a view no more than it can show, and finds by all of it."""
        evaluation = evaluation_of([(LONG + "end", "A", 1)], [(LONG + "end", "A")])
        model = QueriesModel()
        model.show(evaluation, 0, 3)
        given = [model.index(0, QUERY).data(role) for role in ROLES]

        assert all(0 < len(text) < LONGEST + 200 for text in given)
        model.set_filter("xend")
        assert model.rowCount() == 1

    def test_ranking(self, qapp) -> None:
        """So does the ranking table; a grade asked for names the document in full."""
        evaluation = evaluation_of([("q", LONG, 1)], [("q", LONG)])
        model = RankingModel()
        model.show(evaluation, 0, 0, 3)
        cells = [model.index(0, column) for column in range(model.columnCount())]
        asked: list[list[tuple[str, float | None]]] = []
        model.grades_wanted.connect(asked.append)
        model.set_grades([0], [2.0])

        assert all(len(str(cell.data(role))) < LONGEST + 200 for cell in cells for role in ROLES)
        assert asked == [[(LONG, 2.0)]]


class TestNoFigure:
    """Cells that have no figure."""

    def test_refused_gain(self, qapp) -> None:
        """A gain that cannot be computed is a dash, and the tooltip says why."""
        evaluation = evaluation_of(
            [("q", "A", 1100), ("q", "B", 1), ("q", "C", 1100)],
            [("q", "A"), ("q", "B")],
            gain="exponential",
        )
        model = RankingModel()
        model.show(evaluation, 0, 0, 3)
        headers = [column.header for column in model.columns]
        shown = [
            [model.index(row, column).data() for column in range(model.columnCount())]
            for row in range(model.rowCount())
        ]

        assert not {"inf", "nan"} & {text for row in shown for text in row}
        assert [row[headers.index("Gain")] for row in shown] == ["–", "1.000", "–"]
        assert [row[headers.index("#")] for row in shown] == ["1", "2", "missed"]
        assert "too large" in model.index(0, headers.index("Gain")).data(TIP)
        assert "too large" not in model.index(1, headers.index("DCG")).data(TIP)

    def test_no_common_query(self, qapp) -> None:
        """Where no query is in common no query has a score, as the mean has none, until one is."""
        evaluation = evaluation_of(
            [("1.0", "A", 1), ("2.0", "A", 1)], [("1", "A"), ("2", "B"), ("2", "A")]
        )
        model = QueriesModel()
        model.show(evaluation, 0, 3)

        def scores() -> list[str]:
            return [model.index(row, SCORE).data() for row in range(model.rowCount())]

        assert scores() == ["–"] * 4
        assert all("in common" in model.index(row, JUDGED).data(TIP) for row in range(4))
        model.sort(SCORE)
        assert scores() == ["–"] * 4
        model.sort(-1)
        changed: list[int] = []
        model.dataChanged.connect(lambda first, last: changed.append(first.row()))
        query = evaluation.queries.index("2")
        evaluation.set_grades([(evaluation.pair_of(query, "A"), 1.0)])
        model.refresh({query})

        # The others count again, as absent: their rows are told too.
        assert sorted(scores()) == ["0.000", "0.000", "0.631", "–"]
        assert len(changed) == 3

    @pytest.mark.parametrize("ranking", [0, None])
    def test_refresh_without_a_score(self, qapp, ranking: int | None) -> None:
        """A change is told also where judgments stand alone."""
        evaluation = evaluation_of([("q", "A", 1)], [("q", "A")])
        model = QueriesModel()
        model.show(evaluation, ranking, 3)
        changed: list[int] = []
        model.dataChanged.connect(lambda first, last: changed.append(first.row()))
        model.refresh({0})

        assert changed == [0]
