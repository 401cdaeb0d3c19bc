"""Every scoring option in one place, with what each does in words."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.files.numbers import number_text
from ndcg_desktop.files.plain_options import options_from
from ndcg_desktop.scoring.options import WORDS, Options, OptionsError, parse_gain
from ndcg_desktop.session.preferences import FEWEST_DECIMALS, MOST_DECIMALS

LABELS = {
    "ideal": "&Ideal from",
    "ideal_cut": "Ideal &cut",
    "order": "&Order",
    "unjudged": "&Unjudged documents",
    "undefined": "Un&defined queries",
    "missing": "&Absent queries",
    "rounding": "&Rounding",
}
DISCOUNTS = {
    "log2": "1/log2(i+1)",
    "base": "Järvelin & Kekäläinen, base b (none before rank b)",
    "reciprocal": "1/i",
}
EXAMPLE_TABLE = "0=0, 1=1, 2=3, 3=7"
BASES = 1.000001, 1e6
"""Least and greatest base of a discount that can be entered."""
BASE_DECIMALS = 6


class OptionsDialog(QDialog):
    """Shows options and gives back those that were chosen.

    A field can hold less than its option, as a base of more decimals: one that was not touched
    gives back the option itself.
    """

    def __init__(
        self, options: Options, decimals: int, given_ideal: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("optionsDialog")
        self.setWindowTitle("Scoring options")
        self._options = options
        self._choices: dict[str, QComboBox] = {}
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._add_gain(form)
        for name, label in LABELS.items():
            self._add_choice(form, name, label, given_ideal)
        self._add_discount(form)
        self.decimals = QSpinBox()
        self.decimals.setObjectName("optionDecimals")
        self.decimals.setRange(FEWEST_DECIMALS, MOST_DECIMALS)
        self.decimals.setValue(decimals)
        form.addRow("Deci&mals shown", self.decimals)
        self.problem = QLabel()
        self.problem.setWordWrap(True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.name = QLabel()
        self.name.setWordWrap(True)
        self._add_buttons(form)
        self._untouched = self._gain_fields(), self._discount_fields()
        self._follow()

    def _add_gain(self, form: QFormLayout) -> None:
        self.gain = QComboBox()
        self.gain.setObjectName("optionGain")
        for kind, words in (
            ("linear", "linear: the grade itself"),
            ("exponential", "exponential: 2^grade − 1"),
            ("table", "a table of gains"),
        ):
            self.gain.addItem(words, kind)
        self.gain.setCurrentIndex(self.gain.findData(self._options.gain))
        self.table = QLineEdit()
        self.table.setObjectName("optionGainTable")
        self.table.setAccessibleName("Table of gains")
        self.table.setPlaceholderText(f"grade=gain, such as {EXAMPLE_TABLE}")
        self.table.setText(_table_text(self._options.gain_table))
        self.table.setMinimumWidth(280)
        form.addRow("&Gain", self.gain)
        form.addRow("Gain &table", self.table)
        self.gain.currentIndexChanged.connect(self._follow)
        self.table.textChanged.connect(self._follow)

    def _add_choice(self, form: QFormLayout, name: str, label: str, given_ideal: bool) -> None:
        box = QComboBox()
        box.setObjectName(f"option{name.title().replace('_', '')}")
        for value, words in WORDS[name].items():
            chosen = getattr(self._options, name) == value
            if value == "column" and not given_ideal and not chosen:
                continue
            box.addItem(words, value)
        box.setCurrentIndex(max(box.findData(getattr(self._options, name)), 0))
        box.currentIndexChanged.connect(self._follow)
        form.addRow(label, box)
        self._choices[name] = box

    def _add_discount(self, form: QFormLayout) -> None:
        self.discount = QComboBox()
        self.discount.setObjectName("optionDiscount")
        for kind, words in DISCOUNTS.items():
            self.discount.addItem(words, kind)
        self.discount.setCurrentIndex(self.discount.findData(self._options.discount))
        self.base = _BaseBox()
        self.base.setObjectName("optionBase")
        self.base.setAccessibleName("Base b of the discount")
        self.base.setDecimals(BASE_DECIMALS)
        self.base.setRange(*BASES)
        self.base.setValue(self._options.discount_base)
        row = QHBoxLayout()
        row.addWidget(self.discount, 1)
        row.addWidget(QLabel("b"))
        row.addWidget(self.base)
        label = QLabel("Di&scount")
        label.setBuddy(self.discount)  # a form finds the buddy of a field, not of a row of two
        form.addRow(label, row)
        self.discount.currentIndexChanged.connect(self._follow)
        self.base.valueChanged.connect(self._follow)

    def _add_buttons(self, form: QFormLayout) -> None:
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok
            | QDialogButtonBox.StandardButton.Cancel
            | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        restore = self.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        restore.clicked.connect(self._restore)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.name)
        layout.addWidget(self.problem)
        layout.addWidget(self.buttons)

    def chosen(self) -> Options:
        """The options as they stand in the fields. Raises OptionsError where they are none."""
        gain, table = self._gain()
        discount, base = self._discount()
        values = {name: box.currentData() for name, box in self._choices.items()}
        return options_from(
            values
            | {
                "gain": gain,
                "gain_table": table,
                "cutoff": self._options.cutoff,
                "discount": discount,
                "discount_base": base,
            }
        )

    def _gain_fields(self) -> tuple[str, str]:
        return self.gain.currentData(), self.table.text()

    def _discount_fields(self) -> tuple[str, float]:
        return self.discount.currentData(), self.base.value()

    def _gain(self) -> tuple[str, tuple[tuple[float, float], ...]]:
        """The gain and its table. Raises OptionsError where the table is none."""
        kind, text = self._gain_fields()
        if (kind, text) == self._untouched[0]:
            return self._options.gain, self._options.gain_table
        if kind != "table":
            return kind, ()
        kind, table = parse_gain(text.replace(" ", ""))
        if kind != "table":
            raise OptionsError(f"Give each grade its gain, such as {EXAMPLE_TABLE}.")
        return kind, table

    def _discount(self) -> tuple[str, float]:
        """The discount and its base."""
        kind, base = self._discount_fields()
        kind_before, base_before = self._untouched[1]
        if base == base_before:
            base = self._options.discount_base
            if kind == kind_before:
                return kind, base
        return kind, base if kind == "base" else Options().discount_base

    def _follow(self) -> None:
        """Show what the fields come to, or what is wrong with them."""
        self.table.setEnabled(self.gain.currentData() == "table")
        self.base.setEnabled(self.discount.currentData() == "base")
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        try:
            options = self.chosen()
        except OptionsError as error:
            self.problem.setText(str(error))
            self.problem.show()
            ok.setEnabled(False)
            return
        self.problem.hide()
        self.name.setText(f"Scores will be named: {options.full_name}")
        ok.setEnabled(True)

    def _restore(self) -> None:
        default = Options()
        self.gain.setCurrentIndex(self.gain.findData(default.gain))
        self.table.setText(_table_text(default.gain_table))
        self.discount.setCurrentIndex(self.discount.findData(default.discount))
        self.base.setValue(default.discount_base)
        for name, box in self._choices.items():
            box.setCurrentIndex(box.findData(getattr(default, name)))


class _BaseBox(QDoubleSpinBox):
    """Shows 2 as "2" and 2.718282 as that."""

    def textFromValue(self, value: float) -> str:
        locale = self.locale()
        text = locale.toString(value, "g", BASE_DECIMALS + 7)
        return text.replace(locale.groupSeparator(), "")


def _table_text(pairs: tuple[tuple[float, float], ...]) -> str:
    return ", ".join(f"{number_text(grade)}={number_text(gain)}" for grade, gain in pairs)
