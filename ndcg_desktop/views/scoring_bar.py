"""The controls that a score depends on: gain, cutoff k, and whose convention it is."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QToolButton,
    QWidget,
)

from ndcg_desktop.models.tooltip import plain_tip
from ndcg_desktop.scoring.conventions import CONVENTIONS, GROUPS, matching
from ndcg_desktop.scoring.options import GREATEST_CUTOFF, Options

QUICK = (1, 3, 5, 10, 20)
CUTOFF_WIDTH, BESIDE_DIGITS = 74, 34
"""Pixels that the cutoff takes at least, and those of it that are not for digits."""
CONVENTION_LETTERS = 12
"""Letters of a convention's name that the bar has room for at least."""
OWN = "own settings"


class ScoringBar(QWidget):
    """Shows the options and gives back changed ones; it keeps none itself."""

    chosen = Signal(object)  # the Options that were asked for

    def __init__(self) -> None:
        super().__init__()
        self._options = Options()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 0)
        layout.setSpacing(4)
        self._add_gain(layout)
        layout.addSpacing(12)
        self._add_cutoff(layout)
        layout.addSpacing(12)
        self._add_convention(layout)

    def _add_gain(self, layout: QHBoxLayout) -> None:
        layout.addWidget(QLabel("Gain"))
        self._gains = QButtonGroup(self)
        self.linear = _toggle("Li&near", "gainLinear", "Linear gain: the grade itself")
        self.exponential = _toggle(
            "E&xponential", "gainExponential", "Exponential gain: 2^grade − 1"
        )
        for button in (self.linear, self.exponential):
            self._gains.addButton(button)
            layout.addWidget(button)
        self.linear.clicked.connect(lambda: self._ask(gain="linear"))
        self.exponential.clicked.connect(lambda: self._ask(gain="exponential"))

    def _add_cutoff(self, layout: QHBoxLayout) -> None:
        label = QLabel("&k")
        self.cutoff = QSpinBox()
        self.cutoff.setObjectName("cutoff")
        self.cutoff.setAccessibleName("Cutoff k")
        self.cutoff.setToolTip("Cutoff k: how many places of the ranking count")
        self.cutoff.setRange(1, GREATEST_CUTOFF)
        self.cutoff.setKeyboardTracking(False)
        self.cutoff.setFixedWidth(CUTOFF_WIDTH)
        label.setBuddy(self.cutoff)
        layout.addWidget(label)
        layout.addWidget(self.cutoff)
        self.quick = []
        for k in QUICK:
            button = _toggle(str(k), f"cutoff{k}", f"Cutoff k = {k}")
            button.clicked.connect(lambda _=False, k=k: self._ask(cutoff=k))
            layout.addWidget(button)
            self.quick.append(button)
        self.all = _toggle("All", "cutoffAll", "No cutoff: every place counts")
        self.all.clicked.connect(self._on_all)
        layout.addWidget(self.all)
        self.cutoff.valueChanged.connect(lambda k: self._ask(cutoff=k))

    def _add_convention(self, layout: QHBoxLayout) -> None:
        label = QLabel("Score &as")
        self.convention = QComboBox()
        self.convention.setObjectName("convention")
        self.convention.setAccessibleName("Score as another tool does")
        self.convention.addItem(OWN, None)
        for group in GROUPS.values():
            self.convention.insertSeparator(self.convention.count())
            for each in group:
                self.convention.addItem(each.name, each.name)
                place = self.convention.count() - 1
                tip = plain_tip(f"As {each.name} ({each.version}) scores. {each.about}")
                self.convention.setItemData(place, tip, Qt.ItemDataRole.ToolTipRole)
        # The bar is no wider for the longest name: the list is.
        self.convention.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.convention.setMinimumContentsLength(CONVENTION_LETTERS)
        view = self.convention.view()
        view.setMinimumWidth(view.sizeHintForColumn(0) + BESIDE_DIGITS)
        label.setBuddy(self.convention)
        layout.addWidget(label)
        layout.addWidget(self.convention)
        self.convention.activated.connect(self._on_convention)

    def show_options(self, options: Options) -> None:
        """Show these options; nothing is asked for by that."""
        self._options = options
        self._gains.setExclusive(False)
        self.linear.setChecked(options.gain == "linear")
        self.exponential.setChecked(options.gain == "exponential")
        self._gains.setExclusive(options.gain != "table")
        self.all.setChecked(options.cutoff is None)
        self.cutoff.setEnabled(options.cutoff is not None)
        for button, k in zip(self.quick, QUICK, strict=True):
            button.setChecked(options.cutoff == k)
        if options.cutoff is not None:
            digits = self.cutoff.fontMetrics().horizontalAdvance(str(options.cutoff))
            self.cutoff.setFixedWidth(max(CUTOFF_WIDTH, digits + BESIDE_DIGITS))
            self.cutoff.setValue(options.cutoff)  # asks for what is so already: nothing changes
        # Some tools score alike: the one that was chosen stays.
        known = matching(options, self.convention.currentData())
        self.convention.setCurrentIndex(self.convention.findData(known.name if known else None))

    def _ask(self, **changes: object) -> None:
        options = replace(self._options, **changes)  # type: ignore[arg-type]
        if options != self._options:
            self.chosen.emit(options)
        self.show_options(self._options)  # a toggle that changed nothing stays as it was

    def _on_all(self, checked: bool) -> None:
        self._ask(cutoff=None if checked else self.cutoff.value())

    def _on_convention(self, place: int) -> None:
        name = self.convention.itemData(place)
        own = replace(
            Options(cutoff=self._options.cutoff),
            gain=self._options.gain,
            gain_table=self._options.gain_table,
        )
        options = own if name is None else CONVENTIONS[name].apply(self._options)
        self.chosen.emit(options)


def _toggle(text: str, name: str, explanation: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setObjectName(name)
    button.setCheckable(True)
    button.setAccessibleName(explanation)
    button.setToolTip(explanation)
    return button
