"""A table of a report as CSV, for the clipboard, as Markdown and as LaTeX."""

import csv
import io
import re

from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.reports.text_tables import (
    ReportTable,
    as_csv,
    as_latex,
    as_markdown,
    latex_text,
)

TABLE = ReportTable(
    "Queries that change most",
    "nDCG@10 · linear gain; A is “50%_off & co”",
    ("query", "A", "B − A"),
    (("red | shoes", "0.500", "−0.125"), ("=1+1", "–", "+0.031"), ("[x] \\ {y}", "1.000", "0.000")),
    ("left", "right", "right"),
)
texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=12)


def test_spreadsheet_text():
    """Figures are read as numbers, a dash as nothing, and no text as a formula."""
    rows = list(csv.reader(io.StringIO(as_csv(TABLE))))
    assert rows == [
        ["Queries that change most: nDCG@10 · linear gain; A is “50%_off & co”"],
        ["query", "A", "B − A"],
        ["red | shoes", "0.500", "-0.125"],
        ["'=1+1", "", "+0.031"],
        ["[x] \\ {y}", "1.000", "0.000"],
    ]


@given(st.lists(texts, min_size=1, max_size=4))
def test_no_text_is_a_formula(cells):
    """Whatever a cell holds, a spreadsheet program reads a number or a text."""
    table = ReportTable("t", "", ("h",) * len(cells), (tuple(cells),), ("left",) * len(cells))
    row = list(csv.reader(io.StringIO(as_csv(table))))[2]
    for cell in row:
        if cell.startswith(("=", "+", "-", "@")):
            float(cell)


def test_markdown():
    """Title, caption with the measure, and alignment; a bar within a cell begins no other."""
    assert as_markdown(TABLE).splitlines() == [
        "### Queries that change most",
        "",
        "*nDCG@10 · linear gain; A is “50%\\_off \\& co”*",
        "",
        "| query | A | B − A |",
        "| :--- | ---: | ---: |",
        "| red \\| shoes | 0.500 | −0.125 |",
        "| =1+1 | – | +0.031 |",
        "| \\[x\\] \\\\ \\{y\\} | 1.000 | 0.000 |",
    ]


def test_latex():
    """The rules are those of booktabs, the caption names the measure, and nothing is a command."""
    assert as_latex(TABLE).splitlines() == [
        r"\begin{table}",
        r"  \centering",
        r"  \caption{Queries that change most: nDCG@10 \textperiodcentered{} linear gain; "
        r"A is “50\%\_off \& co”}",
        r"  \begin{tabular}{lrr}",
        r"    \toprule",
        r"    query & A & B \ensuremath{-} A \\",
        r"    \midrule",
        r"    red \textbar{} shoes & 0.500 & \ensuremath{-}0.125 \\",
        r"    =1+1 & -- & +0.031 \\",
        r"    {}[x] \textbackslash{} \{y\} & 1.000 & 0.000 \\",
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]


COMMAND = re.compile(r"\\(text[a-z]+\{\}|dots\{\}|ensuremath\{[^{}]*\}|[{}$&%#_])")


@given(st.text(max_size=30))
def test_latex_escapes_everything(text):
    """Once our own commands are taken away, no letter is left that LaTeX reads as one."""
    assert not set(COMMAND.sub("", latex_text(text))) & set("\\{}$&%#_~^")


@given(st.lists(texts, min_size=2, max_size=2))
def test_markdown_keeps_its_columns(cells):
    """Whatever cells hold, a row has two of them."""
    table = ReportTable("t", "c", ("a", "b"), (tuple(cells),), ("left", "right"))
    row = as_markdown(table).split("\n")[6]
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3
