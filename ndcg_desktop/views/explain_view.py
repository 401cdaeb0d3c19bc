"""The score of a query written out: the ranking's sum, the ideal's, and their ratio."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QGuiApplication,
    QKeyEvent,
    QPalette,
    QResizeEvent,
    QTextCharFormat,
)
from PySide6.QtGui import QTextCursor as Cursor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.explanation import Explanation, Step, explain
from ndcg_desktop.evaluation.explanation_words import (
    HEADERS,
    as_formula,
    as_latex,
    as_text,
    cells,
    formula_parts,
    in_words,
)
from ndcg_desktop.models.text_table import Cell
from ndcg_desktop.views.controls import sentence
from ndcg_desktop.views.copy_table import CopyTable

NUMBERS = (0, 2, 5, 6)
"""Columns that stand on the right."""

WIDEST = 40
"""Characters that the widest column may have room for."""

NOTHING_SHOWN = "Choose a query to see its score written out."
NO_FORMULA = "There is no formula: the query has no score, or too many documents for one cell."
ROW_PADDING = 10
"""Pixels of a row beside its letters."""
FEWEST_ROWS = 4.5
"""Rows, the headers among them, that a table of a sum has room for at least."""


class StepTable(CopyTable):
    """The steps of one sum; the row under the pointer is told."""

    hovered = Signal(int)
    """The rank of the step."""

    def __init__(self, object_name: str, name: str) -> None:
        super().__init__(object_name, name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setMouseTracking(True)
        self.entered.connect(self._on_row)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.texts.modelReset.connect(self._fit)

    def show_steps(self, rows: Sequence[Sequence[str]]) -> None:
        """Show these rows, the first being rank 1."""
        self.texts.show(HEADERS, [[Cell(text) for text in row] for row in rows], NUMBERS)

    def light(self, rank: int | None) -> None:
        """Light the row of a rank, or none."""
        if rank is None or not 1 <= rank <= self.texts.rowCount():
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
            return
        if self.currentIndex().row() != rank - 1:
            self.setCurrentIndex(self.texts.index(rank - 1, 0))

    def fit_rows(self) -> None:
        """Make the rows as high as the letters need."""
        height = self.fontMetrics().height() + ROW_PADDING
        self.verticalHeader().setDefaultSectionSize(height)
        self.setMinimumHeight(round(height * FEWEST_ROWS))
        self._fit()

    def _on_current(self, current: QModelIndex) -> None:
        if current.isValid() and self.hasFocus():  # else it is lit from elsewhere
            self.hovered.emit(current.row() + 1)

    def _on_row(self, index: QModelIndex) -> None:
        self.hovered.emit(index.row() + 1)

    def _fit(self) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setMaximumSectionSize(WIDEST * self.fontMetrics().averageCharWidth())


class Formula(QPlainTextEdit):
    """The sums as text that can be selected; the terms of one place can be lit."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("formula")
        self.setAccessibleName("The sums written out")
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._terms: list[tuple[int, bool, int, int]] = []
        self._lit: tuple[int | None, int | None] = (None, None)

    def show_explanation(self, explanation: Explanation, decimals: int, upto: int | None) -> None:
        """Write the sums, up to a rank where one is given."""
        self._terms = []
        text = ""
        for line in formula_parts(explanation, decimals, upto):
            for part in line:
                if part.rank is not None:
                    end = len(text) + len(part.text)
                    self._terms.append((part.rank, part.of_ideal, len(text), end))
                text += part.text
            text += "\n"
        self.setPlainText(text.rstrip("\n"))
        self.light(*self._lit)

    def light(self, rank: int | None, ideal_rank: int | None) -> None:
        """Light the terms of a rank of the ranking, and of one of the ideal."""
        self._lit = rank, ideal_rank
        lit = QTextCharFormat()
        lit.setBackground(self.palette().brush(QPalette.ColorRole.Highlight))
        lit.setForeground(self.palette().brush(QPalette.ColorRole.HighlightedText))
        selections = []
        for of_rank, of_ideal, start, end in self._terms:
            if of_rank == (ideal_rank if of_ideal else rank):
                selection = QTextEdit.ExtraSelection()
                cursor = Cursor(self.document())
                cursor.setPosition(start)
                cursor.setPosition(end, Cursor.MoveMode.KeepAnchor)
                selection.cursor, selection.format = cursor, lit
                selections.append(selection)
        self.setExtraSelections(selections)

    @property
    def lit(self) -> list[str]:
        """The texts that are lit."""
        return [each.cursor.selectedText() for each in self.extraSelections()]

    def take_font(self, around: QFont) -> None:
        """Write in letters of one width, as large as those around."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        size = around.pointSizeF()
        if size > 0:
            font.setPointSizeF(size)
        self.setFont(font)


class ExplainView(QWidget):
    """Both sums as tables, the formula below them; one rank lights up in all of them."""

    step_hovered = Signal(int)
    """The rank, from 1, of the document under the pointer or the cursor; 0 where the ranking has
    none there.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("explainView")
        self._explanation: Explanation | None = None
        self._decimals = wording.DECIMALS
        self._revealed: int | None = None
        """So many ranks are shown, all and the division where it is None."""
        self.steps = StepTable("explainSteps", "Sum of the ranking")
        self.ideal = StepTable("explainIdeal", "Sum of the ideal")
        self.formula = Formula()
        self.words = _prose()
        self._tables()
        layout = QVBoxLayout(self)
        layout.addLayout(self._buttons())
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setChildrenCollapsible(False)
        self.sums = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(self._with_tables(self.sums))
        self.splitter.addWidget(self.formula)
        self.splitter.addWidget(self.words)
        for place, part in enumerate((5, 4, 2)):
            self.splitter.setStretchFactor(place, part)
        layout.addWidget(self.splitter, 1)
        self._take_font()
        self._show()

    def _tables(self) -> None:
        self.steps.hovered.connect(self._on_step)
        self.ideal.hovered.connect(self._on_ideal)
        for table in (self.steps, self.ideal):
            table.installEventFilter(self)

    def _with_tables(self, sums: QSplitter) -> QSplitter:
        sums.setChildrenCollapsible(False)
        self._places: list[QWidget] = []
        self._titles: list[QLabel] = []
        for table in (self.steps, self.ideal):
            title = sentence(f"{table.objectName()}Title")
            title.setBuddy(table)
            self._titles.append(title)
            place = QWidget()
            column = QVBoxLayout(place)
            column.setContentsMargins(0, 0, 0, 0)
            column.addWidget(title)
            column.addWidget(table, 1)
            self._places.append(place)
            sums.addWidget(place)
        return sums

    def _buttons(self) -> QHBoxLayout:
        self.reveal = _button("explainReveal", "Reveal", self.reveal_next)
        self.reveal.setToolTip("Rank by rank, for a class (Space or →)")
        self.all = _button("explainAll", "Show all", self.show_all)
        self.copy_text = _button("explainCopyText", "Copy text", lambda: self._copy(self._text))
        self.copy_latex = _button("explainCopyLatex", "Copy LaTeX", lambda: self._copy(self._latex))
        self.copy_formula = _button(
            "explainCopyFormula", "Copy formula", lambda: self._copy(as_formula)
        )
        row = QHBoxLayout()
        for button in (self.reveal, self.all):
            row.addWidget(button)
        row.addStretch(1)
        for button in (self.copy_text, self.copy_latex, self.copy_formula):
            row.addWidget(button)
        return row

    # ---- what is shown

    def show_query(
        self,
        evaluation: Evaluation | None,
        query: int | None,
        ranking: int | None,
        decimals: int,
    ) -> None:
        """Show a query's score written out, or nothing; all of it is to be seen."""
        self._decimals = decimals
        self._explanation = None
        if evaluation is not None and query is not None:
            self._explanation = explain(evaluation, query, ranking)
        self._revealed = None
        self._show()

    def reveal_next(self) -> None:
        """Show one rank more, from none at first; after the last the division, then anew."""
        if self._explanation is None:
            return
        if self._revealed is None:
            self._revealed = 0
        elif self._revealed >= self._ranks:
            self._revealed = None
        else:
            self._revealed += 1
        self._show()
        self.highlight(self._revealed or 0)

    def reveal_back(self) -> None:
        """Hide what was revealed last."""
        if self._explanation is None:
            return
        before = self._ranks + 1 if self._revealed is None else self._revealed
        self._revealed = max(before - 1, 0)
        self._show()
        self.highlight(self._revealed)

    def show_all(self) -> None:
        """Show every rank and the division."""
        self._revealed = None
        self._show()

    @property
    def _ranks(self) -> int:
        """How many ranks there are to be revealed."""
        explanation = self._explanation
        assert explanation is not None
        ideal = sum(bool(step.discount) for step in explanation.ideal)
        return max(explanation.last, ideal)

    def _show(self) -> None:
        explanation = self._explanation
        there = explanation is not None
        for button in (self.reveal, self.all, self.copy_text, self.copy_latex):
            button.setEnabled(there)
        formula = "" if explanation is None else as_formula(explanation)
        self.copy_formula.setEnabled(bool(formula))
        self.copy_formula.setToolTip("" if formula or not there else NO_FORMULA)
        if explanation is None:
            self.words.setPlainText(NOTHING_SHOWN)
            self.formula.setPlainText("")
            self.steps.show_steps([])
            self.ideal.show_steps([])
            return
        self._show_tables(explanation)
        self.formula.show_explanation(explanation, self._decimals, self._revealed)
        hidden = self._revealed is not None
        self.words.setPlainText("" if hidden else in_words(explanation, self._decimals))
        self.words.setVisible(not hidden)
        last = self._revealed == self._ranks
        self.reveal.setText(
            "Reveal" if not hidden else "Reveal the score" if last else f"Reveal rank {self._next}"
        )
        self.all.setEnabled(hidden)

    @property
    def _next(self) -> int:
        return (self._revealed or 0) + 1

    def _show_tables(self, explanation: Explanation) -> None:
        name = explanation.ranking or "no ranking"
        for title, text in zip(self._titles, (name, "ideal"), strict=True):
            title.setText(text)
        self._places[0].setVisible(explanation.ranking is not None)
        shown = explanation.last if explanation.scored else len(explanation.steps)
        self.steps.show_steps(self._rows(explanation.steps[: shown or None], explanation))
        ideal = [step for step in explanation.ideal if step.discount]
        self.ideal.show_steps(self._rows(ideal, explanation))
        self._arrange()

    def _rows(self, steps: Sequence[Step], explanation: Explanation) -> list[list[str]]:
        if self._revealed is not None:
            steps = steps[: self._revealed]
        return [cells(step, explanation.options, self._decimals) for step in steps]

    # ---- one rank lights up everywhere

    def highlight(self, rank: int) -> None:
        """Light a rank of the ranking, and the place of the ideal beside it; 0 lights nothing."""
        explanation = self._explanation
        step = None
        if explanation is not None and 1 <= rank <= len(explanation.steps):
            step = explanation.steps[rank - 1]
        place = rank if step is None else step.position
        self._light(None if step is None else rank, place or None)

    def _on_step(self, rank: int) -> None:
        self.highlight(rank)
        self.step_hovered.emit(rank)

    def _on_ideal(self, place: int) -> None:
        assert self._explanation is not None
        steps = self._explanation.steps
        rank = next((step.rank for step in steps if step.position == place), None)
        self._light(rank, place)
        self.step_hovered.emit(rank or 0)

    def _light(self, rank: int | None, place: int | None) -> None:
        self.steps.light(rank)
        self.ideal.light(place)
        self.formula.light(rank, place)

    # ---- copying

    def _copy(self, rendered: Callable[[Explanation], str]) -> None:
        if self._explanation is not None:
            QGuiApplication.clipboard().setText(rendered(self._explanation))

    def _text(self, explanation: Explanation) -> str:
        return as_text(explanation, self._decimals)

    def _latex(self, explanation: Explanation) -> str:
        return as_latex(explanation, self._decimals)

    # ---- keys and letters

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FontChange:  # a table's width follows its letters
            QTimer.singleShot(0, self, self._take_font)
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._revealing(event)
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._revealing(event):
            super().keyPressEvent(event)

    def _revealing(self, event: QKeyEvent) -> bool:
        """Whether a key reveals, or hides, a rank."""
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Right):
            self.reveal_next()
        elif event.key() == Qt.Key.Key_Left:
            self.reveal_back()
        else:
            return False
        return True

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._take_font()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Put the tables beside each other where they find room, else one below the other."""
        widest = max(t.horizontalHeader().length() for t in (self.steps, self.ideal))
        beside = 2 * widest <= self.width() or self._places[0].isHidden()
        self.sums.setOrientation(Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical)

    def _take_font(self) -> None:
        self.formula.take_font(self.font())
        for table in (self.steps, self.ideal):
            table.fit_rows()
        self._arrange()


def _prose() -> QPlainTextEdit:
    """A place for sentences, which may be many."""
    prose = QPlainTextEdit()
    prose.setObjectName("explainWords")
    prose.setAccessibleName("The score in words")
    prose.setReadOnly(True)
    prose.setTabChangesFocus(True)
    prose.setFrameShape(QFrame.Shape.NoFrame)
    prose.setBackgroundVisible(False)
    prose.viewport().setAutoFillBackground(False)
    return prose


def _button(name: str, text: str, slot: Callable[[], None]) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setAutoDefault(False)
    button.clicked.connect(lambda: slot())
    return button
