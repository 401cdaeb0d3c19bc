"""Rows with more cells than their header names: a comma that was meant to stand in a cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.files.table import Table, Texts

MOST = 0.5


def header_width(table: Table) -> int:
    """How many columns the header names, up to its last word; all of them where there is none."""
    if table.header is None:
        return len(table.columns)
    return max((place + 1 for place, name in enumerate(table.header) if name), default=0)


def rows_beyond(table: Table, width: int) -> list[int]:
    """The rows, from 0, that hold something to the right of these many columns."""
    beyond = [Texts(column) for column in table.columns[width:]]
    return sorted({row for texts in beyond for row, text in enumerate(texts) if text.strip()})


def too_wide(table: Table, width: int, lines: Sequence[str]) -> list[Finding]:
    """A finding for each row of delimited text with cells beyond the ``width`` of its header;
    ``lines`` are those of the file.
    """
    rows = rows_beyond(table, width)
    raw = _raw_text(table, rows, lines)

    def text(place: int) -> str:
        cells = [Texts(column)[rows[place]] for column in table.columns]
        filled = max(at + 1 for at, cell in enumerate(cells) if cell.strip())
        named = [
            f"{name}: {cell[:40]}"
            for name, cell in zip(table.names[:width], cells, strict=False)
            if cell.strip()
        ]
        whose = "the other rows" if table.header is None else "the header"
        return (
            f"This row has {filled} cells, and {whose} {width}: {raw[place]}. It was read as "
            f"{' · '.join(named)}; the rest was left out. Enclose a cell that holds the separator "
            "in quotes."
        )

    return row_findings("warning", "row-too-wide", table.source, table.row[rows].tolist(), text)


def _raw_text(table: Table, rows: Sequence[int], lines: Sequence[str]) -> Mapping[int, str]:
    return {
        place: "“" + lines[int(table.row[row]) - 1].rstrip("\r\n")[:100] + "”"
        for place, row in enumerate(rows)
    }


def common_width(rows: Sequence[Sequence[str]]) -> int:
    """How many cells most rows have."""
    return Counter(map(len, rows)).most_common(1)[0][0]


def beside(table: Table) -> list[Finding]:
    """One note for a sheet with cells to the right of its header, where remarks stand."""
    rows = rows_beyond(table, width) if (width := header_width(table)) > 0 else []
    if not rows:
        return []
    more = f" and {len(rows) - 1:,} more rows have" if len(rows) > 1 else " has"
    text = f"This row{more} cells to the right of the header. They were left out."
    return [Finding("note", "row-too-wide", text, table.source, int(table.row[rows[0]]))]


def most_are_wide(table: Table) -> str:
    """The doubt about delimited text of which most rows are wider than the header; else empty."""
    if table.kind != "delimited" or table.header is None:
        return ""
    wide = rows_beyond(table, header_width(table))
    if not wide or len(wide) <= MOST * len(table):
        return ""
    return (
        "Most rows have more cells than the header names: is there a comma in a cell, "
        "or a column without a name?"
    )
