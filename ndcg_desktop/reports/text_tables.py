"""A table of a report, whose figures are text already, in the formats that other programs take.

The caption names the measure, and goes wherever the table goes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Literal

from ndcg_desktop.evaluation.wording import NONE
from ndcg_desktop.reports.spreadsheets import guarded

Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table as people read it: each row has a text for each header."""

    title: str
    caption: str
    """Under which measure, and of what; never empty where there are scores."""
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    aligns: tuple[Align, ...]

    @property
    def heading(self) -> str:
        """Title and caption in one line."""
        return f"{self.title}: {self.caption}" if self.caption else self.title


# ---- CSV


def as_csv(table: ReportTable) -> str:
    """The table as CSV below a line with its title and caption, safe in a spreadsheet program."""
    return csv_lines([[table.heading], table.headers, *table.rows])


def csv_lines(rows: Iterable[Sequence[str]]) -> str:
    """Rows of text as lines of CSV, safe in a spreadsheet program."""
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for cells in rows:
        writer.writerow([_spreadsheet_text(cell) for cell in cells])
    return stream.getvalue()


def _spreadsheet_text(text: str) -> str:
    """A figure with a sign that is read as a number, "–" as nothing, and no text as a formula."""
    number = text.replace("−", "-")
    if _is_number(number):
        return number
    return "" if text == NONE else guarded(" ".join(text.split()))


def _is_number(text: str) -> bool:
    return bool(text) and set(text) <= set("+-.0123456789e") and _parses(text)


def _parses(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# ---- Markdown


def as_markdown(table: ReportTable, level: int = 3) -> str:
    """The table in Markdown of GitHub's kind, below its title and caption."""
    rules = {"left": ":---", "right": "---:"}
    lines = [f"{'#' * level} {markdown_text(table.title)}", ""]
    if table.caption:
        lines += [f"*{markdown_text(table.caption)}*", ""]
    lines.append(_markdown_row(map(markdown_text, table.headers)))
    lines.append(_markdown_row(rules[align] for align in table.aligns))
    lines += [_markdown_row(map(markdown_text, row)) for row in table.rows]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def markdown_text(text: str) -> str:
    """Text that Markdown shows just so, on one line."""
    one_line = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|~&$" else letter for letter in one_line)


# ---- LaTeX


LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": r"\ensuremath{-}",
    "–": "--",
    "→": r"\ensuremath{\to}",
    "×": r"\ensuremath{\times}",
    "÷": r"\ensuremath{\div}",
    "…": r"\dots{}",
    "·": r"\textperiodcentered{}",
}
"""What LaTeX would take for a command, and signs that not every font of it has."""


def as_latex(table: ReportTable) -> str:
    r"""The table for a paper, with the rules of the package booktabs; the caption names the
    measure. Letters beyond Latin need ``\usepackage[T1]{fontenc}`` or XeLaTeX.
    """
    columns = "".join({"left": "l", "right": "r"}[align] for align in table.aligns)
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{latex_text(table.heading)}}}",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        f"    {_latex_row(table.headers)}",
        r"    \midrule",
        *(f"    {_latex_row(row)}" for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Sequence[str]) -> str:
    row = " & ".join(map(latex_text, cells))
    # An optional argument of the line before is what a row that begins with "[" would be taken for.
    return (f"{{}}{row}" if row.startswith("[") else row) + r" \\"


def latex_text(text: str) -> str:
    """Text that LaTeX sets just so, on one line."""
    return "".join(LATEX.get(letter, letter) for letter in " ".join(text.split()))
