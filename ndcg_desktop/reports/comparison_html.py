"""A comparison of rankings as one HTML file that needs no other: style and charts are inside.

There are no scripts in it; it follows the reader's choice of light or dark, and prints in light.
All text that came from a file is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import BinaryIO

from ndcg_desktop.charts.theme import DARK, PRINT
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.reports.comparison_content import ComparisonContent, Versus
from ndcg_desktop.reports.comparison_pictures import ReportChart
from ndcg_desktop.reports.text_tables import ReportTable

STYLE = f"""
:root {{ color-scheme: light dark; --ground: {PRINT.background}; --text: {PRINT.text};
  --quiet: #5f6368; --line: {PRINT.grid}; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ground: {DARK.background}; --text: {DARK.text}; --quiet: #a9afb7;
    --line: {DARK.grid}; }}
}}
body {{ background: var(--ground); color: var(--text); max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.8rem; line-height: 1.2; margin: 0.2rem 0; }}
h2 {{ font-size: 1.3rem; margin: 2.5rem 0 0.5rem; border-bottom: 1px solid var(--line); }}
.answer {{ font-size: 1.25rem; }}
.quiet, caption, dt {{ color: var(--quiet); }}
.scroll {{ overflow-x: auto; margin: 1rem 0; }}
table {{ border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }}
caption {{ text-align: left; padding-bottom: 0.3rem; overflow-wrap: normal; }}
caption b {{ color: var(--text); display: block; font-size: 1rem; }}
th, td {{ padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }}
th {{ border-bottom: 2px solid var(--text); vertical-align: bottom; }}
td {{ border-bottom: 1px solid var(--line); }}
.right {{ text-align: right; white-space: nowrap; }}
figure {{ margin: 1rem 0; }}
figure svg {{ width: 100%; height: auto; stroke-linejoin: round; stroke-linecap: butt; }}
figure.small svg {{ max-width: 30rem; }}
svg.dark {{ display: none; }}
figcaption summary {{ color: var(--quiet); font-size: 0.875rem; cursor: pointer; }}
figcaption p {{ white-space: pre-line; font-size: 0.875rem; }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; }}
dd {{ margin: 0; }}
@media screen and (prefers-color-scheme: dark) {{
  svg.dark {{ display: inline; }}
  svg.light {{ display: none; }}
}}
@media print {{
  :root {{ color-scheme: light; --ground: #fff; --text: {PRINT.text}; --quiet: #5f6368;
    --line: {PRINT.grid}; }}
  body {{ margin: 0; max-width: none; font-size: 0.75rem; }}
  thead {{ display: table-header-group; }}
  tr, figure {{ break-inside: avoid; }}
  h2 {{ break-after: avoid; }}
  figcaption {{ display: none; }}
  .scroll {{ overflow: visible; }}
}}
"""


def export_comparison_html(path: Path, content: ComparisonContent) -> None:
    """Write a report as one HTML file.

    Raises FileError where the file cannot be written; what stood there before is then untouched.
    """
    data = comparison_html(content).encode("utf-8", "replace")

    def write(stream: BinaryIO) -> None:
        stream.write(data)

    atomic_write(path, write)


def comparison_html(content: ComparisonContent) -> str:
    """The file's text."""
    title = escape(content.title)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="{escape(content.program)}">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(_body(content))
        + "\n</main>\n</body>\n</html>\n"
    )


def _body(content: ComparisonContent) -> Iterator[str]:
    made = f"nDCG comparison · {content.day} · {content.program}"
    yield from _paragraphs([made], "quiet")
    yield f"<h1>{escape(content.title)}</h1>"
    yield from _paragraphs(content.compared, "quiet")
    yield from _paragraphs((each.answer for each in content.versus), "answer")
    yield _table(content.rankings)
    for each in content.versus:
        yield from _versus(each)
    yield "<h2>Measures</h2>"
    yield from map(_table, content.measures)
    yield "<h2>Settings</h2>"
    pairs = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in content.options
    )
    yield f"<p>{escape(content.measure)}; scored with {escape(content.scored_with)}.</p>"
    yield f"<dl>{pairs}</dl>"
    if content.findings:
        yield "<h2>What to know about the data</h2>"
        yield f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in content.findings)}</ul>"
    yield _table(content.files)


def _versus(each: Versus) -> Iterator[str]:
    yield f"<h2>“{escape(each.candidate)}” against the baseline</h2>"
    yield f'<p class="quiet">{escape(each.sides)}.</p>'
    yield _figure(each.differences)
    yield from _paragraphs(each.fairness)
    for table in (each.figures, each.lowest, each.changed, each.groups):
        if table is not None:
            yield _table(table)
    if each.influences:
        lines = "".join(f"<li>{escape(line)}</li>" for line in each.influences)
        yield f"<p>The mean difference without single queries:</p><ul>{lines}</ul>"
    yield _figure(each.scatter, "small")
    yield f"<p>{escape(each.settings)}</p>"
    yield _figure(each.strip)
    yield _table(each.sensitivity)


def _paragraphs(lines: Iterable[str], kind: str = "") -> Iterator[str]:
    kind = f' class="{kind}"' if kind else ""
    for line in lines:
        yield f"<p{kind}>{escape(line)}</p>"


def _figure(chart: ReportChart, kind: str = "") -> str:
    """A chart in light and in dark, with what it shows in words, to be read aloud or unfolded."""
    kind = f' class="{kind}"' if kind else ""
    words = f'<p id="{chart.name}-words">{escape(chart.words)}</p>'
    return (
        f'<figure{kind}><div role="img" aria-label="{escape(chart.title)}" '
        f'aria-describedby="{chart.name}-words">{chart.inline()}</div>'
        f"<figcaption><details><summary>The chart in words</summary>{words}</details></figcaption>"
        "</figure>"
    )


def _table(table: ReportTable) -> str:
    """A table below its title and caption, nothing where it has no row."""
    if not table.rows:
        return ""
    kinds = ["" if align == "left" else ' class="right"' for align in table.aligns]
    head = "".join(
        f'<th scope="col"{kind}>{escape(header)}</th>'
        for kind, header in zip(kinds, table.headers, strict=True)
    )
    rows = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{escape(text)}</td>" for kind, text in zip(kinds, row, strict=True))
        + "</tr>"
        for row in table.rows
    )
    caption = f"<caption><b>{escape(table.title)}</b> {escape(table.caption)}</caption>"
    return (
        f'<div class="scroll"><table>{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
