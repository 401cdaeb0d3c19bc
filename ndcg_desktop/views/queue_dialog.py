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

from ndcg_desktop.evaluation.queue import BY, POOLS, RANKINGS_OF, WHICH, QueueOptions
from ndcg_desktop.session.preferences import MOST_MINUTES

DEEPEST = 100_000
LARGEST_SEED = 999_999
MOST_REPEATS = 50


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
        self._options = options
        form = QFormLayout()
        which = {
            key: text for key, text in WHICH.items() if several_judges or key != "disagreements"
        }
        self.which = _combo("queueWhich", which, options.which)
        form.addRow("&Documents", self.which)
        pools = {key: text for key, text in POOLS.items() if rankings or key == "all"}
        self.pool = _combo("queuePool", pools, options.pool)
        form.addRow("&From those", self.pool)
        orders = {key: text for key, text in BY.items() if RANKINGS_OF.get(key, 0) <= rankings}
        self.by = _combo("queueBy", orders, options.by)
        form.addRow("&Order", self.by)
        self.deepest = _number("queueDepth", 0, DEEPEST, options.depth or 0, "the whole ranking")
        form.addRow("Down to &rank", self.deepest)
        self.shuffle = QCheckBox("so that a document's rank cannot be told")
        self.shuffle.setObjectName("queueShuffle")
        self.shuffle.setChecked(options.seed is not None)
        form.addRow("&Shuffle", self.shuffle)
        self.seed = _number("queueSeed", 0, LARGEST_SEED, options.seed or 0)
        form.addRow("Seed of the shu&ffle", self.seed)
        self.repeats = _number("queueRepeats", 0, MOST_REPEATS, options.repeats, "none", " %")
        self.repeats.setToolTip(
            "Some documents are shown a second time, without saying so: the second grade changes "
            "nothing, and tells how far a judge agrees with himself."
        )
        form.addRow("Hidden re&peats", self.repeats)
        self.blind = QCheckBox("rank, score and ranking are not shown, nor why a document is next")
        self.blind.setObjectName("queueBlind")
        self.blind.setChecked(blind)
        form.addRow("&Blind", self.blind)
        self.minutes = _number("queuePause", 0, MOST_MINUTES, minutes, "never", " minutes")
        form.addRow("Propose a pa&use after", self.minutes)
        self.about = QLabel()
        self.about.setWordWrap(True)
        self.about.setMinimumHeight(3 * self.about.fontMetrics().lineSpacing())
        self.about.setAlignment(Qt.AlignmentFlag.AlignTop)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.about)
        layout.addWidget(buttons)
        self.shuffle.toggled.connect(self._follow)
        self.by.currentIndexChanged.connect(self._follow)
        self.which.currentIndexChanged.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        by = self.by.currentData()
        self.shuffle.setEnabled(by == "query")
        self.seed.setEnabled(self.shuffle.isChecked() or by == "mixed")
        self.repeats.setEnabled(self.which.currentData() == "unjudged")
        self.about.setText(_ABOUT[by])

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


_ABOUT = {
    "query": "One query after the other, as the file has them.",
    "mixed": "Documents of all queries, in one shuffled order.",
    "range": "First the documents whose grade narrows the range of their query's score most, on "
    "average over the grades of the scale.",
    "winner": "First the documents whose grade narrows the range of the difference between the "
    "first two rankings most. It is said when nothing that is left can change which is better.",
}


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
