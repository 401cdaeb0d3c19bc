"""The Compare page: which of two rankings is better, how sure that is, where, and why."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from ndcg_desktop.charts.compared import (
    difference_bars,
    heat_map,
    paired_bars,
    scatter_chart,
)
from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.comparison import Comparison, Subtotal, compare, subtotals
from ndcg_desktop.evaluation.comparison_words import (
    answer,
    fairness_lines,
    figures,
    influence_lines,
    left_out_text,
)
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.side_by_side import side_by_side
from ndcg_desktop.evaluation.sureness import most_influential
from ndcg_desktop.models.text_table import Cell
from ndcg_desktop.models.tooltip import plain_tip, short_text
from ndcg_desktop.session.comparing import Answer, Comparing, Part
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.controls import heading, narrow_box, sentence
from ndcg_desktop.views.copy_table import CopyTable
from ndcg_desktop.views.figure_view import FigureView
from ndcg_desktop.views.side_by_side_view import SideBySideView

ALONE = "One ranking is open. Add another one to compare it with: of the same queries, in any file."
NO_RANKINGS = "No ranking is open. Open two rankings of the same queries to compare them."
COMPUTING = "Computing how sure this is…"
HIGHEST_SUBTOTALS = 190
NO_GROUPS = "(no column puts queries into groups)"


class ComparePage(QWidget):
    """Shows a candidate beside the baseline. What takes time is computed in the background, for the
    tab that is seen alone.
    """

    candidate_chosen = Signal(int)
    query_wanted = Signal(int)
    rankings_wanted = Signal()
    ranking_wanted = Signal()
    """Another ranking is to be opened."""
    report_wanted = Signal()
    picture_wanted = Signal(object)
    """A chart, which is to be written to a file."""

    def __init__(self, session: Session, comparing: Comparing) -> None:
        super().__init__()
        self.setObjectName("pageCompare")
        self._session, self._comparing = session, comparing
        self._comparison: Comparison | None = None
        self._query: int | None = None
        self._fills = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 8, 8, 8)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._nothing())
        self._stack.addWidget(self._whole())
        layout.addWidget(self._stack)
        comparing.changed.connect(self._on_known)

    # ---- making it

    def _nothing(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        self.alone = QLabel(ALONE)
        self.alone.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.alone.setWordWrap(True)
        add = QPushButton("Add a ranking…")
        add.setObjectName("compareAdd")
        add.clicked.connect(self.ranking_wanted)
        column.addStretch(1)
        column.addWidget(self.alone)
        column.addWidget(add, 0, Qt.AlignmentFlag.AlignCenter)
        column.addStretch(2)
        return page

    def _whole(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._head())
        self.answer = sentence("compareAnswer", "The answer")
        self.answer.setFont(heading(size=1.3).font())
        self.facts = sentence("compareFacts", "What was compared")
        column.addWidget(self.answer)
        column.addWidget(self.facts)
        self.tabs = QTabWidget()
        self.tabs.setObjectName("compareTabs")
        self.tabs.setAccessibleName("Parts of the comparison")
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self._sure_tab(), "How &sure")
        self.tabs.addTab(self._queries_tab(), "&Queries")
        self.tabs.addTab(self._query_tab(), "This q&uery")
        self.tabs.addTab(self._settings_tab(), "Se&ttings")
        self.tabs.currentChanged.connect(lambda _: self._on_tab())
        column.addWidget(self.tabs, 1)
        return page

    def _chart(self, name: str, words: str) -> FigureView:
        """A chart that can be copied and saved from its menu."""
        chart = FigureView(words)
        chart.setObjectName(name)
        for text, act in (
            ("&Copy chart", chart.copy_picture),
            ("&Save chart…", lambda: self.picture_wanted.emit(chart)),
        ):
            action = QAction(text, chart)
            action.triggered.connect(act)
            chart.addAction(action)
        chart.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        return chart

    def _head(self) -> QHBoxLayout:
        self.candidate = narrow_box("compareCandidateBox", "Candidate", 8)
        self.candidate.activated.connect(self._on_candidate)
        self.baseline = narrow_box("compareBaselineBox", "Baseline", 8)
        self.baseline.activated.connect(self._on_baseline)
        row = QHBoxLayout()
        for text, box in (("&Candidate", self.candidate), ("against &baseline", self.baseline)):
            label = QLabel(text)
            label.setBuddy(box)
            row.addWidget(label)
            row.addWidget(box, 1)
        for name, text, signal in (
            ("compareRankings", "&Rankings…", self.rankings_wanted),
            ("compareReport", "R&eport…", self.report_wanted),
        ):
            button = QPushButton(text)
            button.setObjectName(name)
            button.clicked.connect(signal)
            row.addWidget(button)
        return row

    def _sure_tab(self) -> QWidget:
        tab = QWidget()
        column = QVBoxLayout(tab)
        self.figures = CopyTable("compareFigures", "Figures of the comparison")
        self.figures.verticalHeader().setDefaultSectionSize(28)
        self.figures.setWordWrap(True)
        self.figures.texts.modelReset.connect(self._size_figures)
        column.addWidget(self.figures, 1)
        row = QHBoxLayout()
        self.tie = _limit("compareTie", "A query is tied up to a difference of", 0.0, 0.5)
        self.matters = _limit("compareMatters", "A mean difference that matters", 0.001, 1.0)
        for text, box in (
            ("&Tied up to", self.tie),
            ("A difference that &matters", self.matters),
        ):
            label = QLabel(text)
            label.setBuddy(box)
            row.addWidget(label)
            row.addWidget(box)
            row.addSpacing(12)
            box.editingFinished.connect(self._on_limits)
        row.addStretch(1)
        row.addWidget(self.figures.copy_button())
        column.addLayout(row)
        self.fairness = sentence("compareFairness", "Whether the comparison is fair")
        column.addWidget(heading("Is it fair?"))
        column.addWidget(self.fairness)
        self.influence = sentence("compareInfluence", "Queries that it depends on most")
        column.addWidget(heading("What it depends on"))
        column.addWidget(self.influence)
        return tab

    def _queries_tab(self) -> QWidget:
        tab = QWidget()
        column = QVBoxLayout(tab)
        self.bars = self._chart("chartDifferences", "Chart of the differences of all queries")
        self.scatter = self._chart("chartScatter", "Chart of both scores of all queries")
        for view in (self.bars, self.scatter):
            view.clicked.connect(self._on_item)
        charts = QSplitter(Qt.Orientation.Horizontal)
        charts.setChildrenCollapsible(False)
        charts.addWidget(self.bars)
        charts.addWidget(self.scatter)
        charts.setSizes([600, 400])
        column.addWidget(charts, 1)
        self.group = narrow_box("compareGroup", "Group queries by", 8)
        self.group.activated.connect(lambda _: self._show_subtotals())
        row = QHBoxLayout()
        label = QLabel("&Group by")
        label.setBuddy(self.group)
        row.addWidget(label)
        row.addWidget(self.group, 1)
        row.addStretch(2)
        self.subtotals = CopyTable("compareSubtotals", "Means of each group of queries")
        row.addWidget(self.subtotals.copy_button())
        column.addLayout(row)
        column.addWidget(self.subtotals)
        return tab

    def _query_tab(self) -> QWidget:
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        self.sides = SideBySideView()
        self.pair = self._chart("chartPair", "Chart of both rankings of this query")
        split.addWidget(self.sides)
        split.addWidget(self.pair)
        split.setSizes([320, 260])
        return split

    def _settings_tab(self) -> QWidget:
        tab = QWidget()
        column = QVBoxLayout(tab)
        self.agreeing = sentence("compareAgreeing", "Whether it depends on the settings")
        self.strip = self._chart("chartSettings", "Chart of the difference under all settings")
        column.addWidget(self.agreeing)
        column.addWidget(self.strip, 1)
        return tab

    # ---- what is shown

    @property
    def chart(self) -> FigureView | None:
        """The chart of the tab that is seen; of two, the one that has the focus, else the first."""
        charts = {1: (self.bars, self.scatter), 2: (self.pair,), 3: (self.strip,)}
        seen = charts.get(self.tabs.currentIndex(), ())
        return next((each for each in seen if each.hasFocus()), seen[0] if seen else None)

    @property
    def chosen_group(self) -> str:
        """The column of groups that subtotals are shown of, empty for none."""
        header = str(self.group.currentData() or "")
        return header if self.group.isEnabled() else ""

    def show_comparison(self, candidate: int | None, query: int | None) -> None:
        """Compare a ranking with the baseline, and show a query of both."""
        evaluation = self._session.evaluation
        self._query = query
        self._comparing.compare(candidate)
        if evaluation is None or candidate is None:
            self._comparison = None
            rankings = 0 if evaluation is None else len(evaluation.rankings)
            self.alone.setText(ALONE if rankings else NO_RANKINGS)
            self._stack.setCurrentIndex(0)
            return
        self._stack.setCurrentIndex(1)
        self._comparison = compare(evaluation, evaluation.baseline, candidate)
        self._fill_boxes(evaluation)
        self._show_all(evaluation)
        self._want()

    def show_query(self, query: int | None) -> None:
        """Show another query of both."""
        self._query = query
        evaluation = self._session.evaluation
        if evaluation is not None and self._comparison is not None:
            self._show_tab(evaluation, self._comparison)

    def _fill_boxes(self, evaluation: Evaluation) -> None:
        assert self._comparison is not None
        self._fills = True
        names = [short_text(ranking.name) for ranking in evaluation.rankings]
        for box, current in (
            (self.candidate, self._comparison.candidate),
            (self.baseline, self._comparison.baseline),
        ):
            box.clear()
            box.addItems(names)
            box.setCurrentIndex(current)
            box.setToolTip(plain_tip(evaluation.rankings[current].name))
        self.tie.setValue(evaluation.lineup.tie)
        self.matters.setValue(evaluation.lineup.matters)
        headers = list(evaluation.groups()) or [NO_GROUPS]
        if [self.group.itemData(each) for each in range(self.group.count())] != headers:
            self.group.clear()
            for header in headers:
                self.group.addItem(short_text(header), header)
            self.group.setEnabled(headers != [NO_GROUPS])
        self._fills = False

    def _show_all(self, evaluation: Evaluation) -> None:
        assert self._comparison is not None
        self.facts.setText(facts_text(evaluation, self._comparison, self._session.decimals))
        self._show_answer()
        self._show_tab(evaluation, self._comparison)

    def _want(self) -> None:
        """Have computed what the tab that is seen shows."""
        evaluation = self._session.evaluation
        if evaluation is None or self._comparison is None or not self.isVisible():
            return
        wanted: set[Part] = {"answer"}
        if self.tabs.currentIndex() == self.tabs.count() - 1:
            wanted.add("strip")
        self._comparing.want(wanted)

    def _on_tab(self) -> None:
        """Show another tab as things are now: it was not kept up to date while it was not seen."""
        self._want()
        evaluation = self._session.evaluation
        if evaluation is not None and self._comparison is not None:
            self._show_tab(evaluation, self._comparison)

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._want()

    def hideEvent(self, event: object) -> None:
        super().hideEvent(event)  # type: ignore[arg-type]
        self._comparing.want(set())

    def _on_known(self, part: str) -> None:
        if part == "answer":
            self._show_answer()
        elif part == "strip":
            self._show_strip()

    def _show_answer(self) -> None:
        evaluation, known = self._session.evaluation, self._comparing.answer
        decimals = self._session.decimals
        if evaluation is None or self._comparison is None:
            return
        if known is None:
            self.answer.setText(COMPUTING)
            return
        self.answer.setText(answer(evaluation, known.comparison, known.sure, known.fair, decimals))
        rows = [] if known.sure is None else figures(known.sure, decimals)
        self.figures.texts.show(
            ("Figure", "Value", "What it says"), [list(row) for row in rows], ()
        )
        lines = fairness_lines(evaluation, known.comparison, known.fair, decimals)
        self.fairness.setText("\n".join(lines))
        self.influence.setText(self._influence(evaluation, known))

    def _influence(self, evaluation: Evaluation, known: Answer) -> str:
        decimals = self._session.decimals
        if known.sure is None:
            return ""
        found = most_influential(known.comparison, known.sure)
        if not found:
            return "No query alone moves the mean difference."
        mean = wording.signed(known.sure.mean, decimals)
        lines = influence_lines(evaluation, found, decimals)
        return f"The mean difference is {mean}; " + "; ".join(lines) + "."

    def _size_figures(self) -> None:
        header = self.figures.horizontalHeader()
        if header.count() == 3:
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
            header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
            header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
            rows = self.figures.verticalHeader()
            rows.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def _show_tab(self, evaluation: Evaluation, comparison: Comparison) -> None:
        """Show the tab that is seen; the others when they are."""
        decimals, place = self._session.decimals, self.tabs.currentIndex()
        if place == 1:
            self.bars.show_chart(difference_bars(evaluation, comparison, decimals))
            self.scatter.show_chart(scatter_chart(evaluation, comparison, decimals))
            self._show_subtotals()
        elif place == 2:
            self._show_query(evaluation, comparison)
        elif place == 3:
            self._show_strip()

    def _show_query(self, evaluation: Evaluation, comparison: Comparison) -> None:
        if self._query is None:
            return
        decimals = self._session.decimals
        found = side_by_side(evaluation, self._query, comparison.baseline, comparison.candidate)
        names = comparison.baseline_name, comparison.candidate_name
        self.sides.show_query(found, names, decimals)
        self.pair.show_chart(paired_bars(evaluation, comparison, self._query, decimals))

    def _show_subtotals(self) -> None:
        evaluation, comparison = self._session.evaluation, self._comparison
        if evaluation is None or comparison is None or self._fills:
            return
        groups = evaluation.groups().get(self.group.currentData() or "")
        found = [] if groups is None else subtotals(comparison, groups)
        decimals = self._session.decimals
        measure = evaluation.options.short_name
        headers = (
            "Group",
            "n",
            f"{measure}: {comparison.baseline_name}",
            f"{measure}: {comparison.candidate_name}",
            "Difference",
        )
        self.subtotals.texts.show(
            headers, [_subtotal_row(each, decimals) for each in found], (1, 2, 3, 4)
        )
        self.subtotals.setVisible(bool(found))
        self.subtotals.resizeColumnsToContents()
        rows = self.subtotals.verticalHeader().length() + self.subtotals.horizontalHeader().height()
        self.subtotals.setMaximumHeight(min(rows + 6, HIGHEST_SUBTOTALS))

    def _show_strip(self) -> None:
        evaluation, comparison = self._session.evaluation, self._comparison
        found = self._comparing.strip
        if evaluation is None or comparison is None:
            return
        if found is None:
            self.agreeing.setText("Computing the difference under every setting…")
            return
        better, worse, tied = found.agreeing
        self.agreeing.setText(
            f"Of {better + worse + tied} settings “{comparison.candidate_name}” is better under "
            f"{better}, “{comparison.baseline_name}” under {worse}, and neither under {tied}."
        )
        self.strip.show_chart(heat_map(evaluation, comparison, found, self._session.decimals))

    # ---- choosing

    def _on_candidate(self, ranking: int) -> None:
        evaluation = self._session.evaluation
        assert evaluation is not None and self._comparison is not None
        if ranking == evaluation.baseline:  # the two change places
            self._make_baseline(self._comparison.candidate)
        self.candidate_chosen.emit(ranking)

    def _on_baseline(self, ranking: int) -> None:
        assert self._comparison is not None
        candidate = self._comparison.candidate
        if ranking == candidate:
            candidate = self._comparison.baseline
        self._make_baseline(ranking)
        self.candidate_chosen.emit(candidate)

    def _make_baseline(self, ranking: int) -> None:
        evaluation = self._session.evaluation
        assert evaluation is not None
        key = evaluation.lineup.taking_part[ranking].key
        self._session.set_lineup(evaluation.lineup.against(key), "choice of the baseline")

    def _on_limits(self) -> None:
        evaluation = self._session.evaluation
        if evaluation is None or self._fills:
            return
        lineup = evaluation.lineup
        chosen = lineup.deciding(self.tie.value(), self.matters.value(), lineup.relevant)
        self._session.set_lineup(chosen, "limits of a comparison")

    def _on_item(self, item: object) -> None:
        if isinstance(item, int):
            self.query_wanted.emit(item)
            self.tabs.setCurrentIndex(2)


def facts_text(evaluation: Evaluation, comparison: Comparison, decimals: int) -> str:
    """Both means over the same queries, and everything that the measure is named by."""
    means = comparison.means
    parts = []
    if means is not None:
        first, second = (wording.decimal(each, decimals) for each in means)
        parts.append(
            f"{evaluation.options.measure}: “{comparison.candidate_name}” {second}, "
            f"“{comparison.baseline_name}” {first}, over "
            f"{wording.queries_text(comparison.n)} in both"
        )
    if left := left_out_text(evaluation, comparison):
        parts.append(f"left out: {left}")
    parts.append(wording.named_in_full(evaluation))
    return " · ".join(parts)


def _subtotal_row(found: Subtotal, decimals: int) -> list[Cell | str]:
    return [
        found.group,
        str(found.n),
        wording.decimal(found.baseline, decimals),
        wording.decimal(found.candidate, decimals),
        wording.signed(found.difference, decimals),
    ]


def _limit(name: str, words: str, least: float, most: float) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setObjectName(name)
    box.setAccessibleName(words)
    box.setDecimals(3)
    box.setRange(least, most)
    box.setSingleStep(0.005)
    return box
