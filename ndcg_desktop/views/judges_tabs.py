"""The pages of the dialog about judges: who they are, how far they agree, what each makes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.agreement import (
    FEW_JUDGES,
    MOST_GRADES,
    MOST_IN_PAIRS,
    Agreement,
    Confusion,
    judges_of,
)
from ndcg_desktop.evaluation.by_judge import RuleScore
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.votes import ONE_JUDGE, RULES, VERDICT, Votes, rule_words
from ndcg_desktop.models.text_table import Cell
from ndcg_desktop.models.tooltip import CELL
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.controls import narrow_box, sentence
from ndcg_desktop.views.copy_table import CopyTable

NOTHING_OPEN = "Nothing is open. Open judgments first (Ctrl+O)."
TWO_NEEDED = "Two judges are needed"
ALONE = (
    f"{TWO_NEEDED}: this file has one grade for each document. On the page “Judges”, “Let several "
    "people judge” gives each of them a column of their own."
)
TOO_FEW = (
    f"{TWO_NEEDED}: fewer than two have graded anything. Whoever judges next types a name under "
    "“Who judges here”, and grades documents that others have graded."
)
MAJORITY = (
    "Majority: the grade that most judges gave. Where several grades have equally many judges, it "
    "is the lowest of them."
)
COMPUTING = "Computing…"
ONE_GRADE = (
    "This file has one grade for each document. To let several people judge, its column of grades "
    "becomes that of the first judge, and each further judge gets a column of their own."
)
NO_GRADES = "No judgments are open that several people could add to."
IN_USE = "in use"
HERE = "judges here"
NOBODY = "(without a name)"
RESERVED = f"“{VERDICT}” is what files call a settled grade. Choose another name."
COEFFICIENTS = (
    "1 is perfect agreement, 0 is what chance would give; below 0 they agree less than by chance. "
    "n is the number of documents measured. For ordered grades Krippendorff's α, ordinal, is "
    "usual: a near miss counts less than a far one, and not everybody needs to have graded "
    "everything."
)
CROWD = (
    f"There are more than {MOST_IN_PAIRS} judges: pairs are those of the {FEW_JUDGES} with the "
    "most grades."
)
PADDING = 20
"""Pixels of a header beside its words."""
WIDEST = 170
"""Pixels of a column that takes its width from a name."""
NARROWEST_NAME = 105
"""Pixels of a column under the name of a ranking: its scores."""
ROOM = 2
"""Rankings whose scores stand beside one another without scrolling."""


def beside(words: QLabel, button: QPushButton) -> QHBoxLayout:
    """A button at the right of a sentence."""
    row = QHBoxLayout()
    row.addWidget(words, 1)
    row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
    return row


def fill(box: QComboBox, items: Sequence[tuple[str, str]], chosen: str) -> None:
    """Let a box have these texts and data, and show one; what it has already stays untouched."""
    there = [(box.itemText(i), box.itemData(i)) for i in range(box.count())]
    if there != list(items):
        box.clear()
        for text, data in items:
            box.addItem(text, data)
    box.setCurrentIndex(box.findData(chosen))


def stretch(table: CopyTable, column: int, widths: dict[int, int]) -> None:
    """Give columns their widths, and one of them the room that is left."""
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    if column < table.texts.columnCount():
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
    for each, width in widths.items():
        table.setColumnWidth(each, width)


class JudgesTab(QWidget):
    """Who judges here, what each has done, and how one grade is made of several."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        layout = QVBoxLayout(self)
        form = QFormLayout()
        form.addRow("&Who judges here", self._name_box())
        layout.addLayout(form)
        self.problem = sentence("judgeProblem")
        self.problem.hide()
        layout.addWidget(self.problem)
        self.words = sentence("judgesWords")
        layout.addWidget(self.words)
        self.together = QPushButton("Let several people judge")
        self.together.setObjectName("judgeTogether")
        self.together.setAutoDefault(False)
        self.together.clicked.connect(self._judge_together)
        layout.addWidget(self._first_judge())
        layout.addWidget(self._several(), 1)
        layout.addStretch(0)

    def _first_judge(self) -> QWidget:
        """Whose the grades are that are there, and the button that lets others judge as well."""
        self.first = QWidget()
        form = QFormLayout(self.first)
        form.setContentsMargins(0, 0, 0, 0)
        self.first_name = QLineEdit()
        self.first_name.setObjectName("firstJudge")
        self.first_name.setPlaceholderText("a name; else as their column is headed")
        form.addRow("The grades that are there were &given by", self.first_name)
        form.addRow(self.together)
        return self.first

    def _judge_together(self) -> None:
        name = " ".join(self.first_name.text().split())
        if name.casefold() == VERDICT:
            self.problem.setText(RESERVED)
            self.problem.show()
        else:
            self._session.judge_together(name)

    def _name_box(self) -> QComboBox:
        self.name = narrow_box("judgeName", "Who judges here")
        self.name.setEditable(True)
        self.name.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.name.setCompleter(None)  # type: ignore[arg-type]  # a new name may begin a known one
        field = self.name.lineEdit()
        assert field is not None
        field.setPlaceholderText("nobody has said; type a name")
        self._field = field
        field.editingFinished.connect(self._take_name)
        field.textEdited.connect(lambda _: self.problem.hide())
        self.name.activated.connect(lambda _: self.problem.hide())
        self.name.activated.connect(lambda _: self._take_name())
        return self.name

    def _several(self) -> QWidget:
        """What there is to see and to choose where several people judge."""
        self.several = QWidget()
        layout = QVBoxLayout(self.several)
        layout.setContentsMargins(0, 0, 0, 0)
        self.table = CopyTable("judges", "Judges")
        layout.addWidget(self.table, 1)
        self.verdicts = sentence("verdicts")
        layout.addLayout(beside(self.verdicts, self.table.copy_button()))
        self.merging = narrow_box("merging", "How one grade is made of several")
        self.merging.setToolTip(MAJORITY)
        self.merging.setAccessibleDescription(MAJORITY)
        self.merging.activated.connect(
            lambda _: self._session.set_merging(self.merging.currentData())
        )
        form = QFormLayout()
        form.addRow("One &grade of several", self.merging)
        layout.addLayout(form)
        self.named = sentence("namedInFull")
        layout.addWidget(self.named)
        return self.several

    def refresh(self) -> None:
        """Show the judges as they now are."""
        evaluation = self._session.evaluation
        votes = None if evaluation is None else evaluation.votes
        self._show_name([] if votes is None else votes.judges)
        self.several.setVisible(votes is not None)
        one_grade = evaluation is not None and votes is None
        able = any(part.roles.grade is not None for part in self._session.judged)
        self.first.setVisible(one_grade and able)
        self.words.setVisible(votes is None)
        if evaluation is None:
            self.words.setText(NOTHING_OPEN)
        elif votes is None:
            self.words.setText(ONE_GRADE if able else NO_GRADES)
        else:
            self._show_judges(evaluation, votes)
            self._show_merging(evaluation, votes)

    def _show_name(self, judges: Sequence[str]) -> None:
        if self._field.hasFocus() and self._field.isModified():
            return  # somebody is typing
        name = self._session.judge
        names = [*judges, name] if name and name not in judges else judges
        fill(self.name, [(each, each) for each in names], name)
        self.name.setEditText(name)

    def _take_name(self) -> None:
        name = self.name.currentText().strip()
        if name.casefold() == VERDICT:
            self.problem.setText(RESERVED)
            self.problem.show()  # until something else is typed
            name = self._session.judge
        self.name.setEditText(name)
        self._session.set_judge(name)

    def shut_down(self) -> None:
        """Take no name that is half typed when the window is destroyed."""
        self._field.blockSignals(True)

    def _show_judges(self, evaluation: Evaluation, votes: Votes) -> None:
        here = self._session.judge
        graded: dict[str, int] = votes.counts()
        notes = Counter(judge for _, judge in evaluation.remarks.notes)
        names = dict.fromkeys([*graded, *filter(None, [here]), *notes])
        rows: list[list[Cell | str]] = [
            [
                Cell(name or NOBODY, strong=name == here != ""),
                f"{graded.get(name, 0):,}",
                f"{notes[name]:,}",
                HERE if name == here != "" else "",
            ]
            for name in names
        ]
        self.table.texts.show(["Judge", "Documents graded", "Notes", "Here"], rows, (1, 2))
        stretch(self.table, 0, {1: 150, 2: 80, 3: 110})
        self.verdicts.setText(verdicts_sentence(votes.verdicts))

    def _show_merging(self, evaluation: Evaluation, votes: Votes) -> None:
        rules = [*RULES, *(ONE_JUDGE + name for name in votes.judges)]
        if votes.rule not in rules:
            rules.append(votes.rule)
        fill(self.merging, [(rule_words(rule), rule) for rule in rules], votes.rule)
        self.merging.setItemData(rules.index("majority"), MAJORITY, Qt.ItemDataRole.ToolTipRole)
        full = wording.named_in_full(evaluation)
        self.named.setText(f"Scores are named: {evaluation.options.measure}, {full}")


def verdicts_sentence(verdicts: int) -> str:
    """How many documents have a verdict, and what that means."""
    if not verdicts:
        return "No document has a verdict."
    what = "1 document has a verdict" if verdicts == 1 else f"{verdicts:,} documents have a verdict"
    return f"{what}, which stands for the grade whatever the votes say."


class AgreementTab(QWidget):
    """Every measure of agreement, and what any two judges said of the same documents."""

    pair_changed = Signal()  # two other judges are to be compared

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        layout = QVBoxLayout(self)
        self.words = sentence("agreementWords")
        self.table = CopyTable("agreement", "Agreement of the judges")
        self.caption = sentence("confusionWords")
        self.confusion = CopyTable("confusion", "Grades of two judges", sides=True)
        self.copy_measures = self.table.copy_button()
        layout.addLayout(beside(self.words, self.copy_measures))
        self.several = QWidget()
        layout.addWidget(self.several, 1)
        layout.addStretch(0)
        inside = QVBoxLayout(self.several)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.table, 1)
        inside.addLayout(self._pair())
        inside.addLayout(beside(self.caption, self.confusion.copy_button()))
        inside.addWidget(self.confusion, 1)
        self.confusion.texts.modelReset.connect(self._let_measures_have_the_room)

    def _pair(self) -> QHBoxLayout:
        self.one = narrow_box("confusionOne", "The judge in the rows")
        self.other = narrow_box("confusionOther", "The judge in the columns")
        row = QHBoxLayout()
        for text, box in (("Grades of (&rows)", self.one), ("and of (&columns)", self.other)):
            label = QLabel(text)
            label.setBuddy(box)
            row.addWidget(label)
            row.addWidget(box, 1)
            box.activated.connect(lambda _: self.pair_changed.emit())
        return row

    def _let_measures_have_the_room(self) -> None:
        """Let the grades of two judges be as high as they need, and the measures have the rest."""
        table = self.confusion
        rows = sum(table.rowHeight(row) for row in range(table.texts.rowCount()))
        bar = table.horizontalScrollBar().sizeHint().height()
        head = table.horizontalHeader().sizeHint().height()
        table.setMaximumHeight(head + rows + 2 * table.frameWidth() + bar)
        table.setVisible(table.texts.columnCount() > 0)

    @property
    def pair(self) -> tuple[str, str] | None:
        """The two judges to compare; None while there are not two."""
        one, other = self.one.currentData(), self.other.currentData()
        return None if one is None or other is None or one == other else (one, other)

    def prepare(self) -> None:
        """Show whom there is to choose from, and what this is about."""
        evaluation = self._session.evaluation
        votes = None if evaluation is None else evaluation.votes
        names = [] if votes is None else judges_of(votes)
        for place, box in enumerate((self.one, self.other)):
            before = box.currentData()
            default = names[place] if place < len(names) else ""
            fill(box, [(n, n) for n in names], before if before in names else default)
        for widget in (self.several, self.copy_measures):
            widget.setVisible(len(names) > 1)
        if evaluation is None:
            self.words.setText(NOTHING_OPEN)
        elif votes is None:
            self.words.setText(ALONE)
        elif len(names) < 2:
            self.words.setText(TOO_FEW)
        else:
            crowd = f" {CROWD}" if len(names) > MOST_IN_PAIRS else ""
            self.words.setText(COEFFICIENTS + crowd)

    def show_computing(self) -> None:
        """Say that the measures are on their way."""
        self._show_rows([[COMPUTING, "", "", "", ""]])

    def show_rows(self, rows: Sequence[Agreement]) -> None:
        """Show every measure."""
        decimals = self._session.decimals
        self._show_rows(
            [
                [
                    row.name,
                    row.judges,
                    Cell(
                        value := wording.decimal(row.value, decimals),
                        f"{row.name}, {row.judges}: {value}" + (f", {row.note}" * bool(row.note)),
                    ),
                    f"{row.n:,}",
                    row.note,
                ]
                for row in rows
            ]
        )

    def _show_rows(self, rows: Sequence[Sequence[Cell | str]]) -> None:
        self.table.texts.show(["Measure", "Judges", "Value", "n", "Note"], rows, (2, 3))
        stretch(self.table, 1, {0: 205, 2: 75, 3: 65, 4: 190})

    # ---- two judges

    def confusion_computing(self) -> None:
        """Say that the grades of two judges are on their way."""
        self.caption.setText(COMPUTING)
        self.confusion.texts.show([], [])

    def no_confusion(self) -> None:
        """Show that there are no two judges to compare."""
        two = self.one.count() > 1
        self.caption.setText("Choose two different judges." if two else "")
        self.confusion.texts.show([], [])

    def show_confusion(self, one: str, other: str, found: Confusion) -> None:
        """Show how many documents have which grade of the one and which of the other."""
        words = f"{found.n:,} document{'' if found.n == 1 else 's'} graded by both"
        if found.counts is None:
            more = f"more than {MOST_GRADES} different grades, too many for a table"
            self.caption.setText(f"{words}; {more}.")
            self.confusion.texts.show([], [])
            return
        alike = int(found.counts.trace())
        self.caption.setText(
            f"{words}, {alike:,} of them alike (the diagonal, in bold). Rows: {one}. "
            f"Columns: {other}."
        )
        labels = self._labels(found.grades)
        rows = [
            [
                _count(number, i == j, f"{one}: {labels[i]}; {other}: {labels[j]}")
                for j, number in enumerate(counts)
            ]
            for i, counts in enumerate(found.counts.tolist())
        ]
        self.confusion.texts.show(labels, rows, range(len(labels)), labels)
        self.confusion.resizeColumnsToContents()
        for column in range(len(labels)):
            width = self.confusion.columnWidth(column)
            self.confusion.setColumnWidth(column, min(max(width, 48), WIDEST))

    def _labels(self, grades: Sequence[float]) -> list[str]:
        named = {level.grade: level.label for level in self._session.scale.levels}
        return [named.get(grade, wording.grade_text(grade)) for grade in grades]


def _count(number: int, alike: bool, grades: str) -> Cell:
    documents = "1 document" if number == 1 else f"{number:,} documents"
    spoken = f"{documents}, {'alike' if alike else 'not alike'}. {grades}"
    return Cell(f"{number:,}", spoken, strong=alike)


class ScoresTab(QWidget):
    """What the rankings score under each rule and each judge."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        layout = QVBoxLayout(self)
        self.words = sentence("byJudgeMeasure")
        layout.addWidget(self.words)
        self.table = CopyTable("byJudge", "Scores under each rule and judge")
        layout.addWidget(self.table, 1)
        self.note = sentence("byJudgeWords")
        self.copy = self.table.copy_button()
        layout.addLayout(beside(self.note, self.copy))
        layout.addStretch(0)

    def prepare(self) -> None:
        """Name the measure, and say what the rows are."""
        evaluation = self._session.evaluation
        votes = None if evaluation is None else evaluation.votes
        self.note.setText("")
        for widget in (self.table, self.copy):
            widget.setVisible(votes is not None)
        if evaluation is None:
            self.words.setText(NOTHING_OPEN)
        elif votes is None:
            self.words.setText(ALONE)
        else:
            measure = f"Mean of {evaluation.options.full_name}"
            self.words.setText(f"{measure}. In use: {wording.merged_words(evaluation)}.")
            note = (
                "Each row takes its own grades for the ranking and for the ideal, so that n, the "
                "number of queries in the mean, may differ."
            )
            if votes.verdicts:
                note += " A judge alone is scored without the verdicts."
            if not evaluation.rankings:
                note = "Open a ranking to see its scores."
            self.note.setText(note)

    def show_computing(self) -> None:
        """Say that the scores are on their way."""
        self._show([[COMPUTING, *[""] * (self._columns() - 1)]])

    def show_rows(self, rows: Sequence[RuleScore]) -> None:
        """Show the scores; the figures of a row belong to the rankings in their order."""
        evaluation, decimals = self._session.evaluation, self._session.decimals
        assert evaluation is not None
        rankings = [ranking.name for ranking in evaluation.rankings]
        lines = []
        for row in rows:
            line = [
                Cell(row.name, f"{row.name}, {IN_USE}" if row.in_use else "", row.in_use),
                Cell(IN_USE if row.in_use else "", strong=row.in_use),
                Cell(f"{row.graded:,}", strong=row.in_use),
            ]
            for ranking, mean, n in zip(rankings, row.means, row.n, strict=True):
                value = wording.decimal(mean, decimals)
                words = f"{ranking}, {row.name}: {value}, n = {n:,}"
                line += [Cell(value, words, row.in_use), Cell(f"{n:,}", words, row.in_use)]
            lines.append(line)
        self._show(lines)

    def _columns(self) -> int:
        evaluation = self._session.evaluation
        return 3 if evaluation is None else 3 + 2 * len(evaluation.rankings)

    def _show(self, rows: Sequence[Sequence[Cell | str]]) -> None:
        evaluation = self._session.evaluation
        assert evaluation is not None
        headers = ["Grades", "Used", "Graded"]
        for ranking in evaluation.rankings:
            headers += [ranking.name, "n"]
        self.table.texts.show(headers, rows, range(2, len(headers)))
        widths = {0: 220, 1: 58, 2: 70}
        for column in range(3, len(headers)):
            widths[column] = self._width_of(headers[column]) if column % 2 else 50
        room = len(evaluation.rankings) <= ROOM
        stretch(self.table, 0 if room else len(headers), widths)

    def _width_of(self, name: str) -> int:
        """Pixels for the scores of a ranking: those of its name, as far as there is room."""
        header = self.table.horizontalHeader()
        words = header.fontMetrics().horizontalAdvance(name[:CELL]) + PADDING
        return min(max(words, NARROWEST_NAME), WIDEST)
