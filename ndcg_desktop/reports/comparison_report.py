"""A report on compared rankings, written as what the name of its file asks for.

Plain functions with plain arguments, to be called on any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.files.table import FileError
from ndcg_desktop.reports.comparison_content import (
    ComparisonContent,
    ReportRequest,
    content_of,
)
from ndcg_desktop.reports.comparison_html import export_comparison_html
from ndcg_desktop.reports.live_workbook import export_live_workbook
from ndcg_desktop.reports.text_tables import as_csv, as_latex, as_markdown, csv_lines, markdown_text

Writer = Callable[[Path, ReportRequest, ComparisonContent], None]


def write_report(path: Path, request: ReportRequest) -> None:
    """Write a report as its suffix says, one of ``SUFFIXES``.

    Raises FileError for another suffix, where the file cannot be written, or where the evaluation
    is too large for a workbook of formulas; what stood there before is then untouched.
    """
    writer = report_writer(path)
    writer(path, request, content_of(request))


def report_writer(path: Path) -> Writer:
    """What writes a report of this name. Raises FileError where nothing does."""
    try:
        return SUFFIXES[path.suffix.lower()]
    except KeyError:
        known = ", ".join(SUFFIXES)
        raise FileError(path, f"A report is written as one of {known}.") from None


def about(content: ComparisonContent) -> list[tuple[str, str]]:
    """The sentences and settings of a report, each with a label: all that is in no table."""
    said = [("Report", content.title)]
    said += [("What was compared", line) for line in content.compared]
    for each in content.versus:
        said += [("Answer", each.answer)]
        said += [("Judged", line) for line in each.fairness]
        said += [("Single queries", line) for line in each.influences]
        said += [("Other settings", each.settings)]
    said += [("Measure", content.measure), ("Scored with", content.scored_with), *content.options]
    said += [("To know", line) for line in content.findings]
    return [*said, ("Date", content.day), ("Made with", content.program)]


# ---- as text


def as_markdown_report(content: ComparisonContent) -> str:
    """The whole report in Markdown."""
    lines = [f"# {markdown_text(content.title)}", ""]
    lines += [f"- {markdown_text(f'{label}: {text}')}" for label, text in about(content)[1:]]
    tables = [as_markdown(table, 2) for table in content.tables if table.rows]
    return "\n".join([*lines, "", *tables])


def as_csv_report(content: ComparisonContent) -> str:
    """Every table below its title, after what was compared and how."""
    tables = [as_csv(table) for table in content.tables if table.rows]
    return "\n".join([csv_lines(about(content)), *tables])


def as_latex_report(content: ComparisonContent) -> str:
    """Every table for a paper, after what was compared and how, as comments."""
    said = [f"% {label}: {' '.join(text.split())}" for label, text in about(content)]
    packages = (
        "% \\usepackage{booktabs} and \\usepackage[T1]{fontenc} are needed; scripts besides Latin "
        "need xelatex.\n"
    )
    tables = [as_latex(table) for table in content.tables if table.rows]
    return "\n".join(["\n".join(said), packages, *tables])


# ---- as files


def _as_text(text_of: Callable[[ComparisonContent], str], encoding: str) -> Writer:
    def export(path: Path, _: ReportRequest, content: ComparisonContent) -> None:
        data = text_of(content).encode(encoding, "replace")

        def write(stream: BinaryIO) -> None:
            stream.write(data)

        atomic_write(path, write)

    return export


def _as_pdf(path: Path, _: ReportRequest, content: ComparisonContent) -> None:
    from ndcg_desktop.reports.comparison_pdf import export_comparison_pdf  # the only one with Qt

    export_comparison_pdf(path, content)


def _as_html(path: Path, _: ReportRequest, content: ComparisonContent) -> None:
    export_comparison_html(path, content)


def _as_workbook(path: Path, request: ReportRequest, content: ComparisonContent) -> None:
    export_live_workbook(
        path,
        request.evaluation,
        request.rankings,
        about(content),
        [table for table in content.tables if table.rows],
        request.decimals,
    )


SUFFIXES: Mapping[str, Writer] = {
    ".pdf": _as_pdf,
    ".html": _as_html,
    ".xlsx": _as_workbook,
    # A byte order mark tells spreadsheet programs the encoding.
    ".csv": _as_text(as_csv_report, "utf-8-sig"),
    ".md": _as_text(as_markdown_report, "utf-8"),
    ".tex": _as_text(as_latex_report, "utf-8"),
}
"""What a report can be written as, by the suffix of its name."""
