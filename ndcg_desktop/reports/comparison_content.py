"""What a report on compared rankings says, gathered once, whatever it is then written as.

No Qt and no files in here; it runs on any thread, on an evaluation of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from ndcg_desktop.charts import compared
from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.comparison import Comparison, compare, fairness
from ndcg_desktop.evaluation.comparison_words import (
    answer,
    fairness_lines,
    influence_lines,
)
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.sensitivity import Sensitivity, sensitivity
from ndcg_desktop.evaluation.summary import summarise
from ndcg_desktop.evaluation.sureness import (
    Sureness,
    SurenessOptions,
    all_sureness,
    most_influential,
)
from ndcg_desktop.files.table import Table
from ndcg_desktop.reports import tables
from ndcg_desktop.reports.comparison_pictures import ReportChart
from ndcg_desktop.reports.comparison_tables import (
    changed_table,
    figures_table,
    judged_words,
    lowest_table,
    measure_tables,
    rankings_table,
    sensitivity_table,
    sensitivity_words,
    sides,
    subtotals_table,
)
from ndcg_desktop.reports.text_tables import ReportTable

WIDE, SQUARE = (6.85, 2.6), (4.4, 3.7)
"""Inches of a chart."""
STRIP_HEIGHT = 0.33
"""Inches of one row of the chart of settings."""


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A file that was read, and the SHA-256 of its bytes as they were then."""

    name: str
    digest: str


def report_files(read: Iterable[Table]) -> tuple[ReportFile, ...]:
    """The files that tables came from, each once, without what was entered by hand."""
    files = {each.path: ReportFile(each.path.name, each.digest) for each in read if each.digest}
    return tuple(files.values())


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """What to report on. ``evaluation`` is one of its own (`Evaluation.frozen`), whose options are
    changed for a while; ``candidates`` are compared with ``baseline``, the first is told of first;
    ``group`` is the column whose groups get subtotals, empty for none.
    """

    evaluation: Evaluation
    baseline: int
    candidates: tuple[int, ...]
    options: SurenessOptions = field(default_factory=SurenessOptions)
    files: tuple[ReportFile, ...] = ()
    findings: tuple[Finding, ...] = ()
    decimals: int = wording.DECIMALS
    group: str = ""
    day: date = field(default_factory=date.today)

    @property
    def rankings(self) -> tuple[int, ...]:
        """All rankings, the baseline first."""
        return (self.baseline, *self.candidates)


@dataclass(frozen=True, slots=True)
class Versus:
    """One candidate beside the baseline. A is the baseline, B the candidate."""

    candidate: str
    sides: str
    answer: str
    judged: str
    fairness: tuple[str, ...]
    influences: tuple[str, ...]
    settings: str
    """Under how many other settings each is better."""
    differences: ReportChart
    scatter: ReportChart
    strip: ReportChart
    lowest: ReportTable
    changed: ReportTable
    figures: ReportTable | None
    groups: ReportTable | None
    sensitivity: ReportTable

    @property
    def tables(self) -> tuple[ReportTable, ...]:
        """All tables with something in them, the one of the statistics first."""
        found = (self.figures, self.lowest, self.changed, self.groups, self.sensitivity)
        return tuple(each for each in found if each is not None and each.rows)


@dataclass(frozen=True, slots=True)
class ComparisonContent:
    """A report: every sentence, figure and table is text that can be shown as it is."""

    title: str
    measure: str
    """In full; it is also in the caption of every table."""
    scored_with: str
    compared: tuple[str, ...]
    """What was compared, a sentence each."""
    rankings: ReportTable
    versus: tuple[Versus, ...]
    measures: tuple[ReportTable, ...]
    options: tuple[tuple[str, str], ...]
    """Every setting in words, those too that are at their default."""
    files: ReportTable
    findings: tuple[str, ...]
    day: str
    program: str

    @property
    def tables(self) -> tuple[ReportTable, ...]:
        """Every table, in order."""
        parts = [self.rankings]
        for each in self.versus:
            parts += each.tables
        return (*parts, *self.measures, self.files)


def content_of(request: ReportRequest) -> ComparisonContent:
    """Gather the content of a report. Takes the arithmetic of all settings."""
    evaluation, decimals = request.evaluation, request.decimals
    comparisons = [compare(evaluation, request.baseline, each) for each in request.candidates]
    sure = all_sureness(comparisons, request.options)
    summary = summarise(evaluation)
    assert summary is not None  # nobody gives it up
    return ComparisonContent(
        title=_title(evaluation, request),
        measure=wording.full_name(evaluation),
        scored_with=wording.named_in_full(evaluation),
        compared=tuple(_compared(evaluation, request, comparisons)),
        rankings=rankings_table(evaluation, request.baseline, comparisons, sure, summary, decimals),
        versus=tuple(
            _versus(request, place, comparison, found)
            for place, (comparison, found) in enumerate(zip(comparisons, sure, strict=True))
        ),
        measures=measure_tables(evaluation, request.rankings, summary, decimals),
        options=tuple(_options(evaluation, request.options)),
        files=_files(request.files),
        findings=tuple(f"{each.level}: {each}" for each in request.findings),
        day=request.day.isoformat(),
        program=tables.program_name(),
    )


# ---- what was compared


def _title(evaluation: Evaluation, request: ReportRequest) -> str:
    names = [f"“{evaluation.rankings[each].name}”" for each in request.candidates]
    baseline = f"“{evaluation.rankings[request.baseline].name}”"
    if not names:
        return f"{baseline} alone"
    if len(names) > 2:
        return f"{len(names)} rankings compared with {baseline}"
    return f"{' and '.join(names)} compared with {baseline}"


def _compared(
    evaluation: Evaluation, request: ReportRequest, comparisons: Sequence[Comparison]
) -> list[str]:
    judged = int(evaluation.judgments.listed().astype(bool).sum())
    grades = int(np.count_nonzero(~np.isnan(evaluation.judgments.grade)))
    sources = ", ".join(tables.judgment_files(evaluation))
    lines = [
        f"Judgments: {grades:,} grades of {wording.queries_text(judged)}"
        + (f", from {sources}." if sources else ".")
    ]
    lines.append(f"Baseline: {_with_file(evaluation, request.baseline)}.")
    if request.candidates:
        named = "; ".join(_with_file(evaluation, each) for each in request.candidates)
        lines.append(f"{'Candidate' if len(request.candidates) == 1 else 'Candidates'}: {named}.")
    counts = {each.n for each in comparisons}
    if len(counts) == 1:
        n = counts.pop()
        lines.append(f"{wording.queries_text(n)} {'counts' if n == 1 else 'count'} in both.")
    return lines


def _with_file(evaluation: Evaluation, ranking: int) -> str:
    name, place = evaluation.rankings[ranking].name, tables.ranking_file(evaluation, ranking)
    return f"“{name}”" if name == place else f"“{name}”, from {place}"


def _options(evaluation: Evaluation, chosen: SurenessOptions) -> list[tuple[str, str]]:
    tie = "equal scores" if chosen.tie == 0 else f"a difference of a query up to {chosen.tie:g}"
    merged = wording.merged_words(evaluation)
    return [
        *tables.options_in_words(evaluation.options),
        *([("Grades", merged)] if merged else []),
        ("A tie is", tie),
        ("What matters", f"a mean difference of {chosen.matters:g}"),
        ("Relevant", f"from grade {evaluation.lineup.relevant:g} on"),
        ("Seed", f"{chosen.seed} for every resampling"),
    ]


def _files(files: Sequence[ReportFile]) -> ReportTable:
    rows = tuple((each.name, each.digest) for each in files)
    return ReportTable("Files", "as they were read", ("file", "SHA-256"), rows, ("left", "left"))


# ---- one candidate


def _versus(
    request: ReportRequest, place: int, comparison: Comparison, sure: Sureness | None
) -> Versus:
    evaluation, decimals = request.evaluation, request.decimals
    fair = fairness(evaluation, comparison)
    found = sensitivity(evaluation, comparison.baseline, comparison.candidate)
    assert found is not None  # nobody gives it up
    influences = [] if sure is None else most_influential(comparison, sure)
    differences, scatter, strip = _charts(request, place, comparison, found)
    return Versus(
        candidate=comparison.candidate_name,
        sides=sides(comparison),
        answer=answer(evaluation, comparison, sure, fair, decimals),
        judged=judged_words(evaluation, fair),
        fairness=tuple(fairness_lines(evaluation, comparison, fair, decimals)),
        influences=tuple(influence_lines(evaluation, influences, decimals)),
        settings=sensitivity_words(comparison, found),
        differences=differences,
        scatter=scatter,
        strip=strip,
        lowest=lowest_table(evaluation, comparison, decimals),
        changed=changed_table(evaluation, comparison, decimals),
        figures=None if sure is None else figures_table(evaluation, comparison, sure, decimals),
        groups=subtotals_table(evaluation, comparison, request.group, decimals),
        sensitivity=sensitivity_table(comparison, found, decimals),
    )


def _charts(
    request: ReportRequest, place: int, comparison: Comparison, found: Sensitivity
) -> tuple[ReportChart, ReportChart, ReportChart]:
    evaluation, decimals = request.evaluation, request.decimals
    strip = WIDE[0], 1.4 + STRIP_HEIGHT * len(found.settings)
    charts = (
        ("differences", compared.difference_bars(evaluation, comparison, decimals), WIDE),
        ("scatter", compared.scatter_chart(evaluation, comparison, decimals), SQUARE),
        ("strip", compared.heat_map(evaluation, comparison, found, decimals), strip),
    )
    first, second, third = (
        ReportChart(f"{name}{place + 1}", chart.describe(), chart, size)
        for name, chart, size in charts
    )
    return first, second, third
