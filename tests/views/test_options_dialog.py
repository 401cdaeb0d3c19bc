"""The dialog of all options, and the bar of the commonest: an option stays exactly as it is until
somebody changes it.
"""

from __future__ import annotations

import math

import pytest
import strategies
from hypothesis import HealthCheck, given, settings
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QDialogButtonBox

from ndcg_desktop.scoring.options import GREATEST_CUTOFF, WORDS, Options
from ndcg_desktop.views.options_dialog import OptionsDialog
from ndcg_desktop.views.scoring_bar import OWN, ScoringBar

EXACT = [
    Options(discount="base", discount_base=math.e),
    Options(discount="base", discount_base=1.0000000001),
    Options(discount="base", discount_base=1e6),
    Options(discount="log2", discount_base=7.5),
    Options(gain="table", gain_table=((0.1 + 0.2, 1234567.0), (2.0, 1e300), (3.0, 1 / 3))),
    Options(gain="linear", gain_table=((0.0, 0.0), (1.0, 5.0))),
    Options(ideal="column"),
    Options(cutoff=GREATEST_CUTOFF),
]


@pytest.mark.parametrize("options", EXACT, ids=str)
@pytest.mark.parametrize("given_ideal", [True, False])
def test_ok_without_a_change_changes_nothing(qtbot, options: Options, given_ideal: bool) -> None:
    """What the fields cannot hold in full is kept, where they are not touched."""
    dialog = OptionsDialog(options, 3, given_ideal)
    qtbot.addWidget(dialog)

    assert dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()
    assert dialog.chosen() == options


@given(strategies.options())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_options_stay(qapp, options: Options) -> None:
    """The same of any options."""
    assert OptionsDialog(options, 3, False).chosen() == options


def test_another_option_leaves_the_exact_values(qtbot) -> None:
    """A change of one field leaves the others exact."""
    options = Options(
        discount="base", discount_base=math.e, gain="table", gain_table=((1.0, 1 / 3),)
    )
    dialog = OptionsDialog(options, 3, False)
    qtbot.addWidget(dialog)
    box = dialog.findChild(type(dialog.gain), "optionUndefined")
    box.setCurrentIndex(box.findData("one"))
    chosen = dialog.chosen()

    assert (chosen.undefined, chosen.discount_base, chosen.gain_table) == (
        "one",
        math.e,
        ((1.0, 1 / 3),),
    )


def test_an_edited_field_is_taken(qtbot) -> None:
    """A base and a table that were typed in replace the exact ones."""
    options = Options(discount="base", discount_base=math.e, gain="table", gain_table=((1, 1 / 3),))
    dialog = OptionsDialog(options, 3, False)
    qtbot.addWidget(dialog)
    dialog.base.setValue(2.5)
    dialog.table.setText("1=2, 2.5=1e300")
    chosen = dialog.chosen()

    assert (chosen.discount_base, chosen.gain_table) == (2.5, ((1, 2), (2.5, 1e300)))


def test_a_gain_that_needs_no_table_forgets_it(qtbot) -> None:
    """Who chooses linear gain gets the options that have no table, and so their convention."""
    dialog = OptionsDialog(Options(gain="table", gain_table=((1.0, 1.0),)), 3, False)
    qtbot.addWidget(dialog)
    dialog.gain.setCurrentIndex(dialog.gain.findData("linear"))

    assert dialog.chosen() == Options()


def test_a_base_is_shown_as_short_as_it_is(qtbot) -> None:
    """2 is "2", and the base of natural logarithms has its decimals."""
    dialog = OptionsDialog(Options(discount="base", discount_base=math.e), 3, False)
    qtbot.addWidget(dialog)

    assert dialog.base.text().replace(",", ".") == "2.718282"
    for base, text in ((2.0, "2"), (1e6, "1000000"), (1.000001, "1.000001")):
        dialog.base.setValue(base)
        assert dialog.base.text().replace(",", ".") == text


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("optionIdealCut", "ideal_cut", "none"),
        ("optionIdealCut", "ideal_cut", "returned"),
        ("optionRounding", "rounding", "5-decimals"),
        ("optionRounding", "rounding", "2-decimals"),
        ("optionRounding", "rounding", "floored-terms"),
        ("optionOrder", "order", "ties-worst"),
    ],
)
def test_options_that_few_tools_have(qtbot, name: str, field: str, value: str) -> None:
    """Each is chosen by its words, named beside the score, and has a label of its own."""
    dialog = OptionsDialog(Options(), 3, False)
    qtbot.addWidget(dialog)
    box = dialog.findChild(type(dialog.gain), name)
    place = box.findData(value)
    assert box.itemText(place) == WORDS[field][value]
    box.setCurrentIndex(place)

    assert dialog.chosen() == Options(**{field: value})
    assert WORDS[field][value] in dialog.name.text()
    assert QAccessible.queryAccessibleInterface(box).text(QAccessible.Text.Name)


def test_of_tools_that_score_alike_the_chosen_one_stays(qtbot) -> None:
    """The bar shows torchmetrics when that was chosen, though scikit-learn scores alike."""
    bar = ScoringBar()
    qtbot.addWidget(bar)
    asked: list[Options] = []
    bar.chosen.connect(asked.append)
    for name in ("torchmetrics", "scikit-learn", "LightGBM", "XGBoost", "RRE"):
        bar.convention.setCurrentIndex(bar.convention.findData(name))
        bar.convention.activated.emit(bar.convention.currentIndex())
        bar.show_options(asked[-1])
        assert bar.convention.currentText() == name
    bar.show_options(Options(discount="reciprocal"))
    assert bar.convention.currentText() == OWN


def test_restoring_defaults_restores_all(qtbot) -> None:
    """Defaults are those of every option, whatever was there before."""
    for options in EXACT[:-1]:
        dialog = OptionsDialog(options, 3, True)
        qtbot.addWidget(dialog)
        dialog.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults).click()

        assert dialog.chosen() == Options()


@pytest.mark.parametrize("cutoff", [1, 1_000_001, GREATEST_CUTOFF])
def test_any_cutoff_is_shown_and_kept(qtbot, cutoff: int) -> None:
    """The bar shows a stored cutoff of any size, whole, and asks for no other."""
    bar = ScoringBar()
    qtbot.addWidget(bar)
    asked: list[Options] = []
    bar.chosen.connect(asked.append)
    bar.show_options(Options(cutoff=cutoff))
    bar.show()
    field = bar.cutoff.lineEdit()

    assert asked == []
    assert bar.cutoff.value() == cutoff
    assert field.fontMetrics().horizontalAdvance(bar.cutoff.text()) < field.width()
