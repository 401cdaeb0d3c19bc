"""The history as rows: what each says, where a mark stands, and that it grows at the top."""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QDateTime, QLocale, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from ndcg_desktop.models.history_model import (
    CHANGE,
    EFFECT,
    HEADERS,
    JUDGE,
    QUERY,
    TIME,
    HistoryModel,
)
from ndcg_desktop.session.journal import History, Mark, Told

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal
TIP = int(Qt.ItemDataRole.ToolTipRole)
ACCESSIBLE = int(Qt.ItemDataRole.AccessibleTextRole)
RISE = json.dumps([["a.csv", "nDCG@10", 0.71, 0.745], ["b.csv", "nDCG@10", 0.5, 0.25]])


def told(number: int, document: str = "B", step: int = 0, **others) -> Told:
    """A change, of a grade from 1 to 3 if nothing else is said."""
    values = {"time": time.time(), "judge": "Anna", "kind": "grade", "query": "q1", **others}
    values = {"old": 1.0, "new": 3.0, "owner": "", "effect": "", **values}
    return Told(id=number, step=step or number, document=document, **values)


def mark(what: str, upto: int, run: str = "r") -> Mark:
    """A mark that was set now."""
    return Mark(run, what, upto, time.time())


def shown(*changes: Told, marks=(), names=None) -> HistoryModel:
    """A model of a history, with Qt's tester watching."""
    model = HistoryModel()
    QAbstractItemModelTester(model, FATAL)
    model.clear(names)
    model.add(History([tuple(change) for change in changes], list(marks)))
    return model


def column(model: HistoryModel, number: int) -> list[str]:
    """What a column shows, from the top."""
    return [model.index(row, number).data() for row in range(model.rowCount())]


def cell(model: HistoryModel, number: int) -> str:
    """What the first row shows in a column."""
    return model.index(0, number).data()


def tip(model: HistoryModel) -> str:
    """The tooltip of the first row."""
    return model.index(0, 0).data(TIP)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "B: 1 → 3"),
        ({"old": None, "new": 2.5}, "B: not judged → 2.5"),
        ({"new": None}, "B: 1 → not judged"),
        ({"kind": "vote", "owner": "Anna"}, "B: 1 → 3"),
        ({"kind": "vote", "owner": "Bo"}, "Bo's grade of B: 1 → 3"),
        ({"kind": "verdict", "old": None}, "verdict on B: not judged → 3"),
        ({"kind": "note", "old": None, "new": "too old"}, "note on B"),
        ({"kind": "note", "old": "too old", "new": None}, "note on B removed"),
        ({"kind": "note", "old": None, "new": "x", "owner": "Bo"}, "Bo's note on B"),
        ({"kind": "mark", "old": None, "new": "cannot"}, "B: can't tell"),
        ({"kind": "mark", "new": "later", "owner": "Bo"}, "Bo's mark on B: later"),
        ({"kind": "mark", "old": "later", "new": None}, "B: no longer “later”"),
        ({"kind": "repeat", "old": 2.0}, "B shown again: 2, then 3"),
    ],
)
def test_every_kind_of_change_is_said_in_words(qapp, fields, words) -> None:
    """A row says what was changed, and whose it is where the judge changed another one's."""
    assert cell(shown(told(1, **fields)), CHANGE) == words


def test_newest_step_stands_first(qapp) -> None:
    """A row for each step; who has given no name is a dash."""
    model = shown(told(1, "A"), told(2, "B", judge=""), told(3, "C", query="q2"))

    assert column(model, CHANGE) == ["C: 1 → 3", "B: 1 → 3", "A: 1 → 3"]
    assert column(model, JUDGE) == ["Anna", "–", "Anna"]
    assert column(model, QUERY) == ["q2", "q1", "q1"]


def test_step_of_many_documents_is_one_row(qapp) -> None:
    """Its tooltip lists the first twenty, and says how many there are beside."""
    model = shown(told(1, "first"), *(told(n, f"d{n}", step=2) for n in range(2, 27)))

    assert column(model, CHANGE) == ["grades of 25 documents", "first: 1 → 3"]
    assert tip(model).count("1 → 3") == 20
    assert "d21:" in tip(model)
    assert "d22:" not in tip(model)
    assert "and 5 more" in tip(model)
    assert (model.number_at(0), model.place_at(0)) == (26, ("q1", "d2"))


def test_step_of_several_kinds_and_queries(qapp) -> None:
    """It is counted, and its effect is told by query in the tooltip."""
    fall = json.dumps([["a.csv", "nDCG@10", 0.5, 0.25]])
    same = json.dumps([["a.csv", "nDCG@10", 0.5, 0.5]])
    model = shown(
        told(1, step=1, effect=RISE),
        told(2, step=1, kind="note", new="x", effect=RISE),
        told(3, step=1, query="q2", effect=fall),
        told(4, step=1, query="q3", effect=same),
    )

    assert cell(model, CHANGE) == "4 changes of 3 documents"
    assert cell(model, QUERY) == "3 queries"
    assert cell(model, EFFECT) == "nDCG@10 changed in 2 queries"
    assert "q2 · a.csv: nDCG@10 0.500 → 0.250 (−0.250)" in tip(model)
    assert "q3 · a.csv" not in tip(model)


def test_text_of_a_note_is_in_the_tooltip_as_it_is(qapp) -> None:
    """A note that looks like markup is shown, not obeyed."""
    model = shown(told(1, kind="note", old=None, new="<b>old</b>"))

    assert "note on B: &lt;b&gt;old&lt;/b&gt;" in tip(model)


class TestEffect:
    """The score before and after."""

    def test_of_the_ranking_that_is_shown(self, qapp) -> None:
        """The measure is named; a ranking that is not there shows the first."""
        model = shown(told(1, effect=RISE))
        seen = [cell(model, EFFECT)]
        for name in ("b.csv", "gone.csv"):
            model.set_ranking(name)
            seen.append(cell(model, EFFECT))

        assert seen == [
            "nDCG@10 0.710 → 0.745 (+0.035)",
            "nDCG@10 0.500 → 0.250 (−0.250)",
            "nDCG@10 0.710 → 0.745 (+0.035)",
        ]

    def test_has_the_decimals_of_the_session(self, qapp, qtbot) -> None:
        """Other decimals change the effects alone, and no row."""
        model = shown(told(1, effect=RISE))
        with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
            model.set_decimals(1)

        assert cell(model, EFFECT) == "nDCG@10 0.7 → 0.7 (+0.0)"

    @pytest.mark.parametrize(
        ("effect", "text"),
        [
            ("", "–"),
            ('[["a", "nDCG", 0.5, 0.5]]', "–"),
            ('[["a", "nDCG", null, null]]', "–"),
            ("{broken", "–"),
            ("[[1]]", "–"),
            ('[["a", "nDCG", null, 0.5]]', "nDCG – → 0.500"),
            ('[["a", "nDCG", 0.5, null]]', "nDCG 0.500 → –"),
        ],
    )
    def test_none_is_a_dash(self, qapp, effect, text) -> None:
        """No change, or none that can be read, is a dash; a score that began or ended is told."""
        assert cell(shown(told(1, effect=effect)), EFFECT) == text


class TestMarks:
    """What became of the changes."""

    def test_stand_right_after_their_change(self, qapp) -> None:
        """Newest first, that is above it."""
        model = shown(
            *(told(n) for n in range(1, 4)),
            marks=[mark("saved", 2), mark("discarded", 1, "other"), mark("restored", 3, "third")],
        )

        assert column(model, CHANGE) == [
            "— restored —",
            "B: 1 → 3",
            "— saved —",
            "B: 1 → 3",
            "— given up —",
            "B: 1 → 3",
        ]
        assert model.number_at(2) == 2
        assert model.place_at(2) is None
        assert model.index(2, CHANGE).data(ACCESSIBLE) == "Change saved"
        assert "is in the file" in model.index(2, CHANGE).data(TIP)

    def test_one_that_settles_nothing_is_not_told(self, qapp) -> None:
        """A file that was saved and then closed has nothing that was given up."""
        model = shown(
            told(1), marks=[mark("saved", 1), mark("discarded", 1), mark("saved", 0, "s")]
        )

        assert column(model, CHANGE) == ["— saved —", "B: 1 → 3"]

    def test_one_that_comes_late_goes_to_its_place(self, qapp, qtbot) -> None:
        """A save may end after further changes; no mark comes twice."""
        model = shown(told(1), told(2))
        saved = mark("saved", 1)
        with qtbot.assertNotEmitted(model.modelReset):
            model.add(History([], [saved]))
            model.add(History([tuple(told(3))], [saved]))

        assert column(model, CHANGE) == ["B: 1 → 3", "B: 1 → 3", "— saved —", "B: 1 → 3"]


class TestGrowth:
    """Changes that are added while it is shown."""

    def test_comes_in_at_the_top(self, qapp, qtbot) -> None:
        """Nothing is reset, and a selected row stays with its change."""
        model = shown(told(1, "A"), told(2, "B"))
        kept = QPersistentModelIndex(model.index(1, CHANGE))
        inserted = []
        model.rowsInserted.connect(lambda _, first, last: inserted.append((first, last)))
        with qtbot.assertNotEmitted(model.modelReset):
            model.add(History([tuple(told(3, "C", step=3)), tuple(told(4, "D", step=3))], []))
            model.add(History([], []))

        assert inserted == [(0, 0)]
        assert (kept.row(), kept.data()) == (2, "A: 1 → 3")
        assert model.newest == 4

    def test_what_the_filter_hides_comes_when_it_is_gone(self, qapp) -> None:
        """A filter holds for what is added too."""
        model = shown(told(1, "A"))
        model.set_filter("a")
        model.set_filter("x")
        model.add(History([tuple(told(2, "B")), tuple(told(3, "X"))], [mark("saved", 3)]))
        filtered = column(model, CHANGE)
        model.set_filter("")

        assert filtered == ["X: 1 → 3"]
        assert column(model, CHANGE) == ["— saved —", "X: 1 → 3", "B: 1 → 3", "A: 1 → 3"]


class TestFilter:
    """What the filter looks at."""

    @pytest.mark.parametrize("text", ["SHOES", "q7", " doc-x ", "bo"])
    def test_looks_at_query_document_and_judge(self, qapp, text) -> None:
        """Whatever the case; a query is also found by its text."""
        model = shown(
            told(1),
            told(2, "Doc-X", query="q7", judge="Bo"),
            names={"q7": "running shoes (q7)"},
        )
        model.set_filter(text)

        assert column(model, QUERY) == ["running shoes (q7)"]

    def test_finds_a_step_by_any_of_its_documents(self, qapp) -> None:
        """The rows of one step are one."""
        model = shown(told(1, "A", step=1), told(2, "Z", step=1), told(3, "A"))
        model.set_filter("z")

        assert column(model, CHANGE) == ["grades of 2 documents"]

    def test_row_of_an_entry(self, qapp) -> None:
        """A row is found again where it is still shown."""
        model = shown(told(1, "one"), told(2, "two"), told(3, "one more"))
        first, second = model.entry_at(2), model.entry_at(1)
        model.set_filter("one")

        assert (model.row_of(first), model.row_of(second)) == (1, None)

    def test_finds_saves_by_their_word(self, qapp) -> None:
        """To go from save to save."""
        model = shown(told(1), marks=[mark("saved", 1)])
        model.set_filter("saved")

        assert column(model, CHANGE) == ["— saved —"]


def test_date_is_told_of_another_day_only(qapp) -> None:
    """Today the time is enough."""
    now = datetime.now().replace(hour=12, minute=5)
    before = now - timedelta(days=1)
    model = shown(told(1, time=before.timestamp()), told(2, time=now.timestamp()))
    locale, short = QLocale(), QLocale.FormatType.ShortFormat
    moments = [QDateTime.fromSecsSinceEpoch(int(each.timestamp())) for each in (now, before)]

    assert column(model, TIME) == [
        locale.toString(moments[0].time(), short),
        locale.toString(moments[1], short),
    ]
    assert model.time_at(0) == column(model, TIME)[0]


def test_every_value_is_plain_python(qapp) -> None:
    """Anything else would be a blank cell without an error."""
    model = shown(told(1, effect=RISE), marks=[mark("saved", 1)])
    roles = [role for role in Qt.ItemDataRole if role.value < 15]
    values = [
        model.data(model.index(row, column), int(role))
        for row in range(2)
        for column in range(len(HEADERS))
        for role in roles
    ]

    assert {type(value) for value in values} == {str, int, type(None)}


def test_is_read_out_with_its_header(qapp) -> None:
    """An arrow is no word."""
    model = shown(told(1, effect=RISE))

    assert model.index(0, CHANGE).data(ACCESSIBLE) == "Change B: 1 to 3"
    assert model.index(0, EFFECT).data(ACCESSIBLE) == "Effect nDCG@10 0.710 to 0.745 (+0.035)"
