"""A summary on paper: what was scored and how, the mean, one query's chart, every query's score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pandas as pd

from ndcg_desktop.charts.bars import query_bars
from ndcg_desktop.charts.ranking_chart import picture as chart_picture
from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.detail import query_numbers, query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.open_grades import query_bounds
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.reports import tables
from ndcg_desktop.reports.paper import (
    GAP,
    Column,
    Paper,
    PaperTable,
    Printed,
    html_text,
    paper_table,
    picture,
    printed,
    short,
    two_columns,
)
from ndcg_desktop.reports.svg import fit_for_qt
from ndcg_desktop.scoring.ndcg import Status

WORST = 10
MOST_FINDINGS = 50
MOST_MISSED = 3
CHART = "chart"
CHART_INCHES = (6.85, 2.9)
SAYING_NOTHING = {"", wording.NONE}


@dataclass(frozen=True, slots=True)
class _Summary:
    """What the pages tell about."""

    evaluation: Evaluation
    ranking: int | None
    query: int | None
    decimals: int
    scores: pd.DataFrame
    """The table of all queries."""

    def figure(self, value: float | None) -> str:
        return wording.decimal(value, self.decimals)


def export_pdf(
    path: Path,
    evaluation: Evaluation,
    ranking: int | None,
    query: int | None,
    decimals: int,
    findings: Sequence[Finding],
) -> None:
    """Write the summary of one ranking, with the chart of one query, as a PDF in A4.

    Raises FileError where the file cannot be written; what stood there before is then untouched.
    """
    scores = tables.query_table(evaluation, ranking)
    summary = _Summary(evaluation, ranking, query, decimals, scores)
    pictures = {} if query is None else {CHART: _chart_svg(summary, query)}
    front, rest = _front(summary), _rest(summary, findings)
    data = printed(_title(summary), pictures, lambda paper: _laid_out(front, rest, paper))

    def write(stream: BinaryIO) -> None:
        stream.write(data)

    atomic_write(path, write)


# ---- what the pages say


def _front(summary: _Summary) -> str:
    parts = [
        _head(summary),
        _mean(summary),
        _options(summary),
        _query(summary),
        _worst_queries(summary),
    ]
    return "".join(parts)


def _rest(summary: _Summary, findings: Sequence[Finding]) -> _Rest:
    """Every query, and what was found."""
    count = len(summary.scores)
    title = "Every query" if count > 1 else "The query"
    table = _query_table(summary, summary.scores.index)
    return _Rest(f"<h2>{title}</h2>" if count else "", table, _findings(findings))


def _title(summary: _Summary) -> str:
    if summary.ranking is None:
        return "Judgments without a ranking"
    return short(summary.evaluation.rankings[summary.ranking].name)


def _head(summary: _Summary) -> str:
    evaluation = summary.evaluation
    judged = ", ".join(tables.judgment_files(evaluation))
    lines = [f"Judgments from {judged}" if judged else "No judgments"]
    if summary.ranking is not None:
        lines.append(f"Ranking from {tables.ranking_file(evaluation, summary.ranking)}")
    quiet = "".join(f'<p class="quiet">{html_text(line)}</p>' for line in lines)
    return f'<p class="quiet">nDCG report</p><h1>{html_text(_title(summary))}</h1>{quiet}'


def _mean(summary: _Summary) -> str:
    evaluation, ranking = summary.evaluation, summary.ranking
    value = None if ranking is None else wording.mean_value(evaluation, ranking)
    lines = [
        f"<b>{html_text(tables.mean_line(evaluation, ranking, summary.decimals))}</b>",
        f"Measure: {html_text(wording.full_name(evaluation))}",
        f"Scored with {html_text(wording.named_in_full(evaluation))}",
    ]
    return (
        '<table width="100%" cellspacing="0" cellpadding="0" style="margin-top: 10px"><tr>'
        f'<td width="26%" valign="middle" class="value">{summary.figure(value)}</td>'
        f'<td width="74%" valign="middle">{"".join(f"<p>{line}</p>" for line in lines)}</td>'
        "</tr></table>"
    )


def _options(summary: _Summary) -> str:
    """Every option, those too that are at their default, in two columns."""
    return two_columns(tables.options_in_words(summary.evaluation.options))


def _query(summary: _Summary) -> str:
    if summary.query is None:
        return ""
    label = short(tables.query_label(summary.evaluation, summary.query))
    sentences = " ".join(_sentences(summary, summary.query))
    return (
        f"<h2>Query: {html_text(label)}</h2>"
        f"<p>{picture(CHART, CHART_INCHES)}</p>"
        f"<p>{html_text(sentences)}</p>"
    )


def _sentences(summary: _Summary, query: int) -> list[str]:
    """What the chart shows, in words."""
    evaluation, ranking = summary.evaluation, summary.ranking
    if ranking is None:
        return ["This is the ideal ordering alone: there is no ranking to compare it with."]
    scores = evaluation.scores(ranking)
    status = int(scores.status[query])
    if status != Status.SCORED:
        return [wording.outcome_sentence(evaluation, ranking, query)]
    bounds = query_bounds(evaluation, ranking, query)
    lower, upper = float(bounds.lower[0]), float(bounds.upper[0])
    sums = (float(total[query]) for total in (scores.value, scores.dcg, scores.ideal_dcg))
    value, dcg, ideal = map(summary.figure, sums)
    said = [
        f"{evaluation.options.measure} is {value}: DCG {dcg} of an ideal {ideal}.",
        f"Of the {scores.returned[query]} documents that count, {scores.judged[query]} are judged.",
    ]
    if lower < upper:
        k = evaluation.options.cutoff
        every = "returned document" if k is None else f"document of the top {k}"
        said.append(
            f"With every {every} judged, the score would lie between "
            f"{summary.figure(lower)} and {summary.figure(upper)}."
        )
    said.append(_missed(summary, query))
    said.append(
        wording.beyond_list(evaluation.options, int(evaluation.rankings[ranking].returned[query]))
    )
    return [sentence for sentence in said if sentence]


def _missed(summary: _Summary, query: int) -> str:
    table = tables.contribution_table(summary.evaluation, query, summary.ranking)
    lost = table[table["lost"] > 0]
    if lost.empty:
        return ""
    some = lost[:MOST_MISSED]
    named = [
        f"{short(document)} (grade {wording.grade_text(grade)}, lost {summary.figure(gain)})"
        for document, grade, gain in zip(some["document"], some["grade"], some["lost"], strict=True)
    ]
    more = len(lost) - len(named)
    return f"Missed: {', '.join(named)}{f', and {more} more' if more else ''}."


def _worst_queries(summary: _Summary) -> str:
    """The queries that pull the mean down most; of a handful the whole table says it all."""
    value = summary.scores["nDCG"].dropna()
    if len(value) <= WORST:
        return ""
    worst = value.sort_values(kind="stable").index[:WORST]
    table = _query_table(summary, worst)
    return f"<h2>The {WORST} queries that score lowest</h2>{table.html()}"


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    lines = [
        f'<p class="small"><b>{finding.level}</b> {html_text(short(str(finding)))}</p>'
        for finding in findings[:MOST_FINDINGS]
    ]
    more = len(findings) - MOST_FINDINGS
    if more > 0:
        lines.append(f'<p class="small">… and {more:,} more.</p>')
    return f"<h2>What to know about the data</h2>{''.join(lines)}"


# ---- tables


@dataclass(frozen=True, slots=True)
class _Rest:
    """What follows the summary: a title, a table that may be long, and what stands after it."""

    title: str
    table: PaperTable
    end: str

    @property
    def long(self) -> bool:
        """Whether the table begins on a page of its own, not with two rows at the foot of one."""
        return len(self.table.rows) > WORST


def _query_table(summary: _Summary, queries: pd.Index[int]) -> PaperTable:
    """The rows of these queries. A column that says nothing about any of them is left out."""
    frame = summary.scores.loc[queries]
    labels = [short(tables.query_label(summary.evaluation, query)) for query in queries.tolist()]
    figures = {
        name: [summary.figure(value) for value in frame[name].tolist()]
        for name in ("nDCG", "lower bound", "upper bound", "DCG", "ideal DCG")
    }
    between = [
        f"{lower}–{upper}" if lower != upper else ""
        for lower, upper in zip(figures["lower bound"], figures["upper bound"], strict=True)
    ]
    counts = zip(frame["judged in top k"], frame["returned in top k"], strict=True)
    judged = ["" if summary.ranking is None else f"{part}/{whole}" for part, whole in counts]
    caption = f"{summary.evaluation.options.measure} · {wording.named_in_full(summary.evaluation)}"
    columns = [
        Column("query", labels, 31, "left"),
        Column("nDCG", figures["nDCG"], 8),
        Column("between", between, 13),
        Column("DCG", figures["DCG"], 9),
        Column("ideal DCG", figures["ideal DCG"], 10),
        Column("judged", judged, 9),
        Column("why not scored", frame["why not scored"].tolist(), 20, "left", GAP),
    ]
    return paper_table(
        caption, [column for column in columns if set(column.texts) - SAYING_NOTHING]
    )


# ---- the chart


def _chart_svg(summary: _Summary, query: int) -> bytes:
    """The chart as vectors, its letters as text."""
    rows = query_rows(summary.evaluation, query, summary.ranking)
    numbers = query_numbers(summary.evaluation, rows)
    bars = query_bars(summary.evaluation, rows, numbers, summary.decimals)
    return fit_for_qt(chart_picture(bars, "svg", CHART_INCHES))


# ---- the pages


def _laid_out(front: str, rest: _Rest, paper: Paper) -> Iterator[Printed]:
    """Documents, and how many pages of each are to be printed."""
    if not rest.long:
        yield paper.whole(front + rest.title + rest.table.html() + rest.end)
        return
    yield paper.whole(front)
    yield from paper.long_table(rest.title, rest.table, rest.end)
