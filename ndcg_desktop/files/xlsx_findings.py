"""What a person should know of a sheet besides its values: said of each kind, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ndcg_desktop.evaluation.columns import Finding, Level, Source
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.files.header import GRADER, LIKELY, normal, role_of
from ndcg_desktop.files.numbers import number
from ndcg_desktop.files.table import Cell, cell_text
from ndcg_desktop.files.xlsx_details import Details, LoudCell
from ndcg_desktop.files.xlsx_parts import cell_name

MOST_NAMED = 20
"""Cells that one sentence names."""

_LONGEST = 40


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged cell whose value was taken for further rows: column and rows from 1."""

    column: int
    top: int
    bottom: int
    value: Cell

    def __str__(self) -> str:
        return f"{cell_name(self.top, self.column)}:{cell_name(self.bottom, self.column)}"


@dataclass(frozen=True, slots=True)
class SheetTold:
    """The sheet that findings are about: its header, where it begins, the rows it has."""

    source: Source
    header: Sequence[str] | None
    first_column: int
    rows: Sequence[int]
    roles: Mapping[str, str] = field(init=False)
    """The role of each header that has one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", _roles(self.header or ()))

    def name(self, column: int) -> str:
        """The header of a sheet's column, from 1, or nothing."""
        place = column - self.first_column
        return self.header[place] if self.header and 0 <= place < len(self.header) else ""

    def role(self, column: int) -> str:
        """The role that the header of a column names, surely, or likely where none does surely."""
        return self.roles.get(self.name(column), "")

    def level(self, column: int) -> Level:
        """How grave a lost value is: where the header says what it is of, and that is no matter
        of the score, it is only noted.
        """
        return "note" if self.name(column) and not self.role(column) else "warning"

    def cell(self, row: int, column: int) -> str:
        """A cell for a person: D7, and the header of its column."""
        name = self.name(column)
        return f"Cell {cell_name(row, column)}" + (f" ({name})" if name else "")

    def column(self, column: int) -> str:
        """A column for a person."""
        name = self.name(column)
        return f"Column {cell_name(0, column)[:-1]}" + (f" ({name})" if name else "")


def _roles(header: Sequence[str]) -> dict[str, str]:
    roles = {name: role for name in header if (role := role_of(name))}
    roles |= {name: "grade" for name in header if GRADER.fullmatch(normal(name))}
    for role, words in LIKELY.items():
        if role not in roles.values():
            roles |= {name: role for name in header if normal(name) in words and name not in roles}
    return roles


def sheet_findings(
    sheet: SheetTold, details: Details, merged: Sequence[Merged], left_out: Sequence[str]
) -> tuple[Finding, ...]:
    """Everything there is to say of a sheet; the texts say what was done about it."""
    return (
        *_left_out(sheet, left_out),
        *_cells(sheet, details.errors, "error-cell", _error),
        *_cells(sheet, details.unstored, "formula-without-value", _unstored),
        *_stale(sheet, details),
        *_merged(sheet, merged),
        *_hidden(sheet, details),
        *_shown(sheet, details),
        *_dates(sheet, details),
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _cells(
    sheet: SheetTold, cells: Sequence[LoudCell], code: str, tell: Callable[[str, str], str]
) -> Iterator[Finding]:
    levels: tuple[Level, ...] = ("warning", "note")
    for level in levels:
        told = [cell for cell in cells if sheet.level(cell.column) == level]
        yield from row_findings(
            level, code, sheet.source, [cell.row for cell in told], _telling(sheet, told, tell)
        )


def _telling(
    sheet: SheetTold, cells: Sequence[LoudCell], tell: Callable[[str, str], str]
) -> Callable[[int], str]:
    def text(place: int) -> str:
        cell = cells[place]
        read_as = "not judged" if sheet.role(cell.column) == "grade" else "blank"
        words = tell(_short(cell.text), sheet.cell(cell.row, cell.column))
        return f"{words} It was read as {read_as}."

    return text


def _error(text: str, cell: str) -> str:
    return f"{cell} holds the error {text or 'of a formula'}."


def _unstored(text: str, cell: str) -> str:
    return (
        f"{cell} holds a formula{f' ({text})' if text else ''} whose value is not in the file. "
        "Open the workbook in the spreadsheet program and save it there."
    )


def _stale(sheet: SheetTold, details: Details) -> Iterator[Finding]:
    for column in sorted(details.formula_columns) if details.stale else ():
        if sheet.role(column):
            text = (
                f"{sheet.column(column)} has formulas that the workbook wants to be worked out "
                "anew. Their values of last time were read: to be sure of them, open the workbook "
                "in the spreadsheet program and save it there."
            )
            yield Finding("warning", "stale-formulas", text, sheet.source)


def _left_out(sheet: SheetTold, cells: Sequence[str]) -> Iterator[Finding]:
    if cells:
        named = ", ".join(cells[:MOST_NAMED]) + (
            f" and {len(cells) - MOST_NAMED:,} more" if len(cells) > MOST_NAMED else ""
        )
        text = f"Far to the side of the table something stands in {named}. It was left out."
        yield Finding("warning", "far-cells", text, sheet.source)


def _merged(sheet: SheetTold, merged: Sequence[Merged]) -> Iterator[Finding]:
    ordered = sorted(merged, key=lambda cell: (cell.column, cell.top))
    for column, group in groupby(ordered, lambda cell: cell.column):
        cells = list(group)
        if sheet.role(column) == "grade" or not sheet.header:
            cells = [cell for cell in cells if number(cell.value) is None]
        if cells:
            first = f"{cells[0]} (“{_short(cell_text(cells[0].value))}”)"
            text = (
                f"{sheet.column(column)} has {_count(len(cells), 'merged cell')}, the first of "
                f"them {first}. The value was read in each row that the cell covers."
            )
            yield Finding("note", "merged-cells", text, sheet.source, cells[0].top)
    grades = [
        cell
        for cell in ordered
        if number(cell.value) is not None
        and (sheet.role(cell.column) == "grade" or not sheet.header)
    ]
    yield from row_findings(
        "warning",
        "merged-grade",
        sheet.source,
        [cell.top for cell in grades],
        lambda place: (
            f"The merged cell {grades[place]} holds {cell_text(grades[place].value)} once for "
            "several rows. It was read as the grade of each of them."
        ),
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _hidden(sheet: SheetTold, details: Details) -> Iterator[Finding]:
    if details.hidden_rows:
        rows = sorted(set(details.hidden_rows) & set(sheet.rows))
        if rows:
            text = (
                f"The sheet hides {_count(len(rows), 'row')}, by hand or by a filter, from row "
                f"{rows[0]} on. They were read like the others."
            )
            yield Finding("note", "hidden-rows", text, sheet.source, rows[0])
    width = len(sheet.header or ())
    for first, last in details.hidden_columns[:MOST_NAMED]:
        for column in range(first, last + 1)[:MOST_NAMED]:
            if sheet.first_column <= column < sheet.first_column + width:
                text = f"{sheet.column(column)} is hidden. It was read like the others."
                yield Finding("note", "hidden-column", text, sheet.source)


def _shown(sheet: SheetTold, details: Details) -> Iterator[Finding]:
    columns: dict[int, list[tuple[int, str]]] = {}
    for (row, column), text in details.shown.items():
        columns.setdefault(column, []).append((row, text))
    for column, cells in sorted(columns.items()):
        row, text = cells[0]
        words = (
            f"{sheet.column(column)} has {_count(len(cells), 'number')} that the sheet shows with "
            f"further zeros or dashes, the first of them “{text}”. They were read as shown."
        )
        yield Finding("note", "shown-as", words, sheet.source, row)


def _dates(sheet: SheetTold, details: Details) -> list[Finding]:
    cells = [cell for cell in details.dates if sheet.role(cell.column) in ("query", "document")]
    return row_findings(
        "warning",
        "damaged-id",
        sheet.source,
        [cell.row for cell in cells],
        lambda place: (
            f"{sheet.cell(cells[place].row, cells[place].column)} is a date that shows as "
            f"{cells[place].text} only: it looks like an id that a spreadsheet turned into a "
            "date. It was read as the date."
        ),
    )
