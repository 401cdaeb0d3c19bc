"""A comparison of rankings on paper. The first page can be put before a meeting on its own; what
it rests on follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, BinaryIO
from unicodedata import east_asian_width

from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.reports.comparison_content import ComparisonContent, Versus
from ndcg_desktop.reports.comparison_pictures import ReportChart
from ndcg_desktop.reports.paper import (
    Column,
    Paper,
    Printed,
    html_text,
    paper_table,
    picture,
    printed,
    short,
    two_columns,
)
from ndcg_desktop.reports.svg import fit_for_qt
from ndcg_desktop.reports.text_tables import ReportTable

FRONT = "front"
CHART_WIDTH = 6.85
"""Inches."""
MOST_FILES_IN_FRONT = 8
LONGEST_NAME = 60
"""Letters of a ranking's name, but where it says what was compared."""
LONGEST_QUERY = 38
"""Letters of a query on the first page, where two tables stand side by side."""
MOST_FINDINGS = 50
NARROWEST, WIDEST = 5, 34
"""Characters that a column is made wide for."""
BOLD = 1.25
"""How much wider letters of a header are."""
MANY_COLUMNS = 8
"""From so many on the letters of a table are small."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How much of the first page is for what: the queries in its tables, the height of its chart in
    inches, the size of the answers' letters, and how many answers.
    """

    rows: int
    chart: float
    letters: str
    answers: int = 100


FITS = (
    Fit(10, 3.2, "large"),
    Fit(10, 2.7, "large"),
    Fit(10, 2.35, "large"),
    Fit(8, 2.35, "large"),
    Fit(6, 2.35, "text"),
    Fit(5, 2.2, "text"),
    Fit(3, 2.2, "small"),
    Fit(3, 1.8, "small"),
    Fit(3, 1.8, "small", answers=3),
    Fit(5, 2.2, "small", answers=1),
    Fit(3, 1.8, "small", answers=1),
    Fit(0, 1.8, "small", answers=1),
)
"""From the roomiest; the first that leaves one page is taken."""


def export_comparison_pdf(path: Path, content: ComparisonContent) -> None:
    """Write a report as a PDF in A4.

    Raises FileError where the file cannot be written; what stood there before is then untouched.
    """
    content = _with_short_names(content)
    pictures = {chart.name: fit_for_qt(chart.svg()) for chart in _charts(content)}

    def lay_out(paper: Paper) -> Iterator[Printed]:
        fit, front = _front_page(content, paper)
        for first in content.versus[:1]:
            chart = first.differences.svg(size=(CHART_WIDTH, fit.chart))
            pictures[FRONT] = fit_for_qt(chart)
        yield front
        yield from paper.blocks(_rest(content))

    data = printed(content.title, pictures, lay_out)

    def write(stream: BinaryIO) -> None:
        stream.write(data)

    atomic_write(path, write)


def _charts(content: ComparisonContent) -> Iterator[ReportChart]:
    for place, each in enumerate(content.versus):
        if place:  # that of the first is on the first page
            yield each.differences
        yield each.scatter
        yield each.strip


def _with_short_names(content: ComparisonContent) -> ComparisonContent:
    """The same with long names of rankings cut, but where it says what was compared."""
    names = sorted((row[0] for row in content.rankings.rows), key=len, reverse=True)
    cuts = [(name, _cut(name, LONGEST_NAME)) for name in names if _width(name) > LONGEST_NAME]

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            for name, cut in cuts:
                value = value.replace(name, cut)
        elif isinstance(value, tuple):
            return tuple(map(changed, value))
        elif isinstance(value, ComparisonContent | Versus | ReportTable):
            return replace(
                value, **{f.name: changed(getattr(value, f.name)) for f in fields(value)}
            )
        return value

    shorter: ComparisonContent = changed(content)
    return replace(shorter, compared=content.compared, files=content.files)


# ---- the first page


def _front_page(content: ComparisonContent, paper: Paper) -> tuple[Fit, Printed]:
    """The first page, and what it has room for."""
    for fit in FITS:
        printed_page = paper.whole(_front(content, fit))
        if printed_page[1] == 1:
            break
    return fit, printed_page


def _front(content: ComparisonContent, fit: Fit) -> str:
    parts = [
        f'<p class="quiet">nDCG comparison · {html_text(content.day)} · '
        f"{html_text(content.program)}</p>",
        f"<h1>{html_text(short(content.title))}</h1>",
        *(f'<p class="small quiet">{html_text(short(line))}</p>' for line in content.compared),
        *_answers(content.versus, fit),
        _table(content.rankings, title=False),
    ]
    for first in content.versus[:1]:
        beside = [_few(each, fit.rows) for each in (first.lowest, first.changed)]
        parts.append(f"<p>{picture(FRONT, (CHART_WIDTH, fit.chart))}</p>")
        sides = f"{first.sides}; {content.measure}"
        parts.append(f'<p class="caption">{html_text(sides)}</p>')
        parts.append(_side_by_side(beside))
    parts += [two_columns(content.options), _files(content.files)]
    return "".join(parts)


def _answers(versus: Sequence[Versus], fit: Fit) -> Iterator[str]:
    space = 'style="margin-top: 7px"'
    for each in versus[: fit.answers]:
        judged = f"{each.judged}." if each.judged else ""
        words = f'{html_text(each.answer)} <span class="small quiet">{html_text(judged)}</span>'
        yield f'<p class="{fit.letters}" {space}>{words}</p>'
    more = len(versus) - fit.answers
    if more > 0:
        yield f'<p class="small">{more} more: figures below, words on the pages that follow.</p>'


def _few(table: ReportTable, rows: int) -> ReportTable:
    """The first rows of a table of queries, without what is judged of them."""
    some = tuple((_cut(row[0], LONGEST_QUERY), *row[1:4]) for row in table.rows[:rows])
    return ReportTable(table.title, "", table.headers[:4], some, table.aligns[:4])


def _side_by_side(beside: Sequence[ReportTable]) -> str:
    cells = "".join(f'<td width="50%" valign="top">{_table(each)}</td>' for each in beside)
    return f'<table width="100%" cellspacing="0" cellpadding="2"><tr>{cells}</tr></table>'


def _files(files: ReportTable) -> str:
    """The files, as far as the first page has room for them; all of them stand at the end."""
    some = files.rows[:MOST_FILES_IN_FRONT]
    lines = [
        f'<p class="narrow"><span class="quiet">SHA-256</span> {html_text(digest)} '
        f"{html_text(_cut(name, LONGEST_NAME))}</p>"
        for name, digest in some
    ]
    more = len(files.rows) - len(some)
    if more > 0:
        lines.append(f'<p class="narrow">… and {more} more at the end.</p>')
    return "".join(lines)


# ---- what it rests on


def _rest(content: ComparisonContent) -> Iterator[str]:
    """All that follows, in parts that are not to be broken."""
    for place, each in enumerate(content.versus):
        yield from _versus(each, chart=place > 0)
    for table in content.measures:
        yield _table(table)
    if content.findings:
        yield _findings(content.findings)
    if len(content.files.rows) > MOST_FILES_IN_FRONT:
        yield _table(content.files)


def _versus(each: Versus, chart: bool) -> Iterator[str]:
    """What is told of one candidate; its chart, where that is not on the first page."""
    lines = "".join(f"<p>{html_text(line)}</p>" for line in (each.answer, *each.fairness))
    yield f"<h2>“{html_text(each.candidate)}” against the baseline</h2>{lines}"
    if chart:
        yield _picture(each.differences)
    if each.figures is not None:
        yield _table(each.figures)
    if each.influences:
        some = "".join(f"<p>{html_text(short(line))}</p>" for line in each.influences)
        yield f"<h3>The mean difference without single queries</h3>{some}"
    yield _picture(each.scatter)
    for table in (each.lowest, each.changed, each.groups):
        if table is not None:
            yield _table(table)
    yield f"<p>{html_text(each.settings)}</p>{_picture(each.strip)}"
    yield _table(each.sensitivity)


def _findings(findings: Sequence[str]) -> str:
    lines = [f'<p class="small">{html_text(short(each))}</p>' for each in findings[:MOST_FINDINGS]]
    more = len(findings) - MOST_FINDINGS
    if more > 0:
        lines.append(f'<p class="small">… and {more:,} more.</p>')
    return f"<h3>What to know about the data</h3>{''.join(lines)}"


def _picture(chart: ReportChart) -> str:
    return f"<p>{picture(chart.name, chart.size)}</p>"


# ---- tables


def _table(table: ReportTable, title: bool = True) -> str:
    """A table below its title, nothing where it has no row."""
    if not table.rows:
        return ""
    columns = [
        Column(header, [short(text) for text in texts], _share(header, texts), align, "")
        for header, align, texts in zip(
            table.headers, table.aligns, zip(*table.rows, strict=True), strict=True
        )
    ]
    letters = "narrow" if len(columns) >= MANY_COLUMNS else "table"
    head = f"<h3>{html_text(table.title)}</h3>" if title else ""
    return head + paper_table(table.caption, columns, letters).html()


def _share(header: str, texts: Iterable[str]) -> float:
    """How wide a column is to be: for its longest text, and for the longest word of its header."""
    word = max(map(_width, header.split()), default=0) * BOLD
    longest = max(word, *map(_width, texts), NARROWEST)
    return min(longest, WIDEST) + 2


def _width(text: str) -> int:
    """How wide a text is, in letters; Chinese, Japanese and Korean ones count twice."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _cut(text: str, longest: int) -> str:
    """A text of up to so many letters."""
    if _width(text) <= longest:
        return text
    while _width(text) >= longest:
        text = text[:-1]
    return text + "…"
