"""Records of JSON become a table; what is odd about their queries and documents is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.files.header import role_of
from ndcg_desktop.files.json_text import Json
from ndcg_desktop.files.numbers import is_blank
from ndcg_desktop.files.table import Cell, Column, FileError, Table

Record = dict[str, Cell]
"""A row: cells by the header of their column."""

MOST_COLUMNS = 1_000
DEEPEST = 8
"""Levels of objects within a record that become columns; what is deeper stays text."""

NO_DOCUMENT_IDS = "The file names no documents; each is called after its task: “task 1”, …"


def cell(value: Any) -> Cell:
    """A value of JSON as a cell: null is blank, and a list or an object its JSON text."""
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value


def flat(record: dict[str, Any], prefix: str = "", level: int = 0) -> Record:
    """An object as a row: a field within a field is named "outer.inner"."""
    out: Record = {}
    for name, value in record.items():
        if isinstance(value, dict) and value and level < DEEPEST:
            out |= flat(value, f"{prefix}{name}.", level + 1)
        else:
            out[prefix + name] = cell(value)
    return out


def records_table(
    source: Json, records: Sequence[Record], sheet: str | None = None, *more: Finding
) -> Table:
    """A table with a column for each field of any record, blank where a record has none.

    Raises FileError where there are no records, or more fields than a table can have columns.
    """
    header = tuple(dict.fromkeys(name for record in records for name in record))
    if not header:
        raise FileError(source.path, "This JSON holds no records.", sheet)
    if len(header) > MOST_COLUMNS:
        raise FileError(
            source.path,
            f"The records of this JSON have {len(header):,} different fields, such as "
            f"“{header[0]}” and “{header[-1]}”. That is no table; save it as .csv with the "
            "columns query, document and grade.",
            sheet,
        )
    columns = tuple([record.get(name, "") for record in records] for name in header)
    return json_table(source, header, columns, sheet, *more)


def json_table(
    source: Json,
    header: tuple[str, ...],
    columns: tuple[Column, ...],
    sheet: str | None = None,
    *more: Finding,
) -> Table:
    """A table of these columns, with what is to be told of them. ``row`` is the line of a file
    that has a record on each line, else the number of the record.
    """
    lines = source.lines
    one_each = lines is not None and len(lines) == len(columns[0]) == len(set(lines))
    row = np.array(lines if one_each else range(1, len(columns[0]) + 1), dtype=np.int32)
    numbered = tuple(map(_numbers_for_booleans, header, columns))
    table = Table(source.path, "json", header, numbered, row, sheet)
    notes = [
        Finding("note", "true-false", f"“{name}” holds true and false: 1 and 0.", table.source)
        for name, before, after in zip(header, columns, numbered, strict=True)
        if after is not before
    ]
    notes += _spaces(table) + _empty_queries(table)
    return replace(table, findings=(*source.findings, *more, *notes))


def _numbers_for_booleans(name: str, column: Column) -> Column:
    """True and false as grades are 1 and 0; elsewhere they stay what they are."""
    if role_of(name) != "grade" or not isinstance(column, list):
        return column
    if not any(isinstance(each, bool) for each in column):
        return column
    return [int(each) if isinstance(each, bool) else each for each in column]


def _spaces(table: Table) -> list[Finding]:
    """One finding for each column of ids: spaces around ids are left out wherever ids are read."""
    found = []
    for name, column in zip(table.names, table.columns, strict=True):
        if role_of(name) not in ("query", "document") or not isinstance(column, list):
            continue
        cells = [each if isinstance(each, str) else "" for each in column]
        rows = [row for row, text in enumerate(cells) if text != text.strip()]
        if rows:
            text = (
                f"“{cells[rows[0]][:60]}” has spaces around it. They are left out, here and in "
                "every other file."
            )
            row = int(table.row[rows[0]])
            found.append(Finding("note", "spaces-around", text, table.source, row))
    return found


def _empty_queries(table: Table) -> list[Finding]:
    """Queries that list no document are kept, and score nothing."""
    roles = [role_of(name) for name in table.names]
    if "query" not in roles or "document" not in roles:
        return []
    queries = table.columns[roles.index("query")]
    documents = table.columns[roles.index("document")]
    if not isinstance(documents, list) or not isinstance(queries, list):
        return []
    rows = [r for r, each in enumerate(documents) if is_blank(each) and not is_blank(queries[r])]
    return row_findings(
        "note",
        "empty-query",
        table.source,
        table.row[rows].tolist() if rows else [],
        lambda place: f"The query “{queries[rows[place]]}” has no documents here. It is kept.",
    )


# ---- several raters


def by_rater(records: Sequence[Record]) -> list[Record]:
    """Grades of several raters side by side, in columns "rater …"; those of one stay "grade".

    The records have the fields "grade" and "rater". Those that are alike in everything else
    become one row; a rater who has graded twice gets a second one.
    """
    raters = {record["rater"] for record in records if not is_blank(record["rater"])}
    if len(raters) < 2:
        return list(records)
    rows: dict[tuple[tuple[str, Cell], ...], list[Record]] = {}
    for record in records:
        rest = {name: value for name, value in record.items() if name not in ("grade", "rater")}
        same = rows.setdefault(tuple(rest.items()), [rest])
        column = f"rater {record['rater']}" if not is_blank(record["rater"]) else "rater unknown"
        free = next((row for row in same if is_blank(row.get(column))), None)
        if free is None:
            free = dict(rest)
            same.append(free)
        free[column] = record["grade"]
    return [row for same in rows.values() for row in same]


def no_document_ids(source: Json) -> Finding:
    """What is told of a file that names no documents."""
    return Finding("note", "no-document-ids", NO_DOCUMENT_IDS, Source(source.path.name))
