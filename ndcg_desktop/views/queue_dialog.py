"""What is to be judged, and how: the queue, its order, repeats, the pause, and what is hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation.queue import BY, POOLS, RANKINGS_OF, WHICH, By, QueueOptions
from ndcg_desktop.session.preferences import MOST_MINUTES
from ndcg_desktop.views.fitting import Scrolled, fit

DEEPEST = 100_000
LARGEST_SEED = 999_999
MOST_REPEATS = 50
LINES = 5
"""Lines that the sentences about the order may have."""


class QueueDialog(QDialog):
    """Shows a queue's options and gives back those that were chosen."""

    def __init__(
        self,
        options: QueueOptions,
        rankings: int,
        several_judges: bool,
        blind: bool,
        minutes: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("queueDialog")
        self.setWindowTitle("What to judge")
        self._ranked = rankings > 0
        inside = QWidget()
        self._form = QFormLayout(inside)
        self._add_documents(options, rankings, several_judges)
        self._add_order(options)
        self._add_judge(blind, minutes)
        self.about = QLabel()
        self.about.setObjectName("queueAbout")
        self.about.setWordWrap(True)
        self.about.setMinimumHeight(LINES * self.about.fontMetrics().lineSpacing())
        self.about.setAlignment(Qt.AlignmentFlag.AlignTop)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(Scrolled(inside), 1)
        layout.addWidget(self.about)
        layout.addWidget(buttons)
        self.shuffle.toggled.connect(self._follow)
        self.by.currentIndexChanged.connect(self._follow)
        self.which.currentIndexChanged.connect(self._follow)
        self._follow()
        fit(self, self.sizeHint().width(), self.sizeHint().height())

    def _add_documents(self, options: QueueOptions, rankings: int, several_judges: bool) -> None:
        which = {
            key: text for key, text in WHICH.items() if several_judges or key != "disagreements"
        }
        self.which = _combo("queueWhich", which, options.which)
        self._form.addRow("&Documents", self.which)
        pools = {key: text for key, text in POOLS.items() if rankings or key == "all"}
        self.pool = _combo("queuePool", pools, options.pool)
        self._form.addRow("&Among", self.pool)
        orders = {key: text for key, text in BY.items() if RANKINGS_OF.get(key, 0) <= rankings}
        self.by = _combo("queueBy", orders, options.by)
        self._form.addRow("&Order", self.by)
        self.deepest = _number("queueDepth", 0, DEEPEST, options.depth or 0, "the whole ranking")
        self._add_number("Down to &rank", self.deepest)

    def _add_order(self, options: QueueOptions) -> None:
        self.shuffle = _check("queueShuffle", "so that a document's rank cannot be told")
        self.shuffle.setChecked(options.seed is not None)
        self._add_check("&Shuffle", self.shuffle)
        self.seed = _number("queueSeed", 0, LARGEST_SEED, options.seed or 0)
        self._add_number(
            "Number of the shu&ffle", self.seed, "The same number gives the same order again."
        )
        self.repeats = _number("queueRepeats", 0, MOST_REPEATS, options.repeats, "none", " %")
        self._add_number(
            "Hidden re&peats",
            self.repeats,
            "Some documents are shown a second time, without saying so: the second grade changes "
            "nothing, and tells how far a judge agrees with himself.",
        )

    def _add_judge(self, blind: bool, minutes: int) -> None:
        self.blind = _check(
            "queueBlind", "rank, score and ranking are not shown, nor why a document is next"
        )
        self.blind.setChecked(blind)
        self._add_check("&Blind", self.blind)
        self.minutes = _number("queuePause", 0, MOST_MINUTES, minutes, "never", " minutes")
        self._add_number("Propose a pa&use after", self.minutes)

    def _add_number(self, label: str, box: QSpinBox, tip: str = "") -> None:
        """A row with a number, whose field has the name that its label shows."""
        self._form.addRow(label, box)
        box.setToolTip(tip)
        for widget in (box, box.lineEdit()):
            widget.setAccessibleName(label.replace("&", ""))
            widget.setAccessibleDescription(tip)

    def _add_check(self, label: str, box: QCheckBox) -> None:
        """A row with a box to tick: its label is its name, its text says more."""
        self._form.addRow(label, box)
        box.setAccessibleName(label.replace("&", ""))
        box.setAccessibleDescription(box.text())

    def _follow(self) -> None:
        by = self.by.currentData()
        fresh = self.which.currentData() == "unjudged"
        self.shuffle.setEnabled(by == "query")
        self.seed.setEnabled(self.shuffle.isChecked() or by == "mixed")
        self.repeats.setEnabled(fresh)
        about = [self._order_in_words(by)]
        if not fresh:
            about.append("Hidden repeats are only for documents that are not judged yet.")
        self.about.setText("\n".join(about))

    def _order_in_words(self, by: By) -> str:
        """The order, and why it cannot be shuffled where it cannot."""
        shuffled, as_it_is = self.shuffle.isChecked(), "ranked" if self._ranked else "in the file"
        if by == "mixed":
            return f"{_ABOUT[by]} Mixed queries are always shuffled."
        if by == "query":
            how = "in a shuffled order" if shuffled else f"as they are {as_it_is}"
            return f"{_ABOUT[by]}, and the documents of each {how}."
        alike = "are shuffled" if shuffled else f"stay as they are {as_it_is}"
        return (
            f"{_ABOUT[by]} Shuffle has no say in that order; documents that narrow it alike "
            f"{alike}."
        )

    def chosen(self) -> QueueOptions:
        """The options as they stand in the fields."""
        by = self.by.currentData()
        shuffled = self.shuffle.isChecked() or by == "mixed"
        return QueueOptions(
            which=self.which.currentData(),
            pool=self.pool.currentData(),
            by=by,
            depth=self.deepest.value() or None,
            seed=self.seed.value() if shuffled else None,
            repeats=self.repeats.value(),
        )


_ABOUT: dict[By, str] = {
    "query": "One query after the other",
    "mixed": "Documents of all queries, in one order.",
    "range": "First the documents whose grade narrows the range of their query's score most, on "
    "average over the grades of the scale.",
    "winner": "First the documents whose grade narrows the range of the difference between the "
    "first two rankings most. It is said when nothing that is left can change which is better.",
}


def _check(name: str, text: str) -> QCheckBox:
    box = QCheckBox(text)
    box.setObjectName(name)
    return box


def _combo(name: str, words: Mapping[Any, str], chosen: str) -> QComboBox:
    box = QComboBox()
    box.setObjectName(name)
    for value, text in words.items():
        box.addItem(text[0].upper() + text[1:], value)
    box.setCurrentIndex(max(box.findData(chosen), 0))
    return box


def _number(
    name: str, least: int, most: int, value: int, for_least: str = "", suffix: str = ""
) -> QSpinBox:
    box = QSpinBox()
    box.setObjectName(name)
    box.setRange(least, most)
    box.setSpecialValueText(for_least)
    box.setSuffix(suffix)
    box.setValue(value)
    return box
