"""The command ``ndcg check``: what was understood of files, and everything noticed about them."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_desktop.cli_input import (
    UsageError,
    add_input_options,
    add_order_option,
    columns_argument,
    finding_as_dict,
    one_line,
    refuse_evaluations,
    refuse_sheet,
    settings_of,
)
from ndcg_desktop.evaluation.columns import Finding, JudgmentColumns, RankingColumns
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.findings import HEADINGS
from ndcg_desktop.evaluation.ids import concatenate, factorize
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.evaluation.ranking import NO_PAIR
from ndcg_desktop.files.assemble import Assembled, Understood, assemble
from ndcg_desktop.files.delimited import DELIMITER_WORDS
from ndcg_desktop.files.plan import WORDS, Plan, plan
from ndcg_desktop.files.read import read
from ndcg_desktop.files.table import FileError, Table

CLEAN, WARNED, BAD_INPUT = 0, 1, 2

MOST_GRADES = 12
"""Different grades that are counted one by one; of more, the lowest and the highest are told."""

KINDS = {
    "workbook": "workbook",
    "delimited": "delimited text",
    "qrels": "TREC judgments (qrels)",
    "run": "TREC run",
    "ltr": "judgment list (grade qid:… # …)",
    "json": "JSON",
    "parquet": "Parquet",
    "entered": "entered by hand",
}
PLURALS = {"row": "rows", "query": "queries", "document": "documents"}


@dataclass(slots=True)
class _Checked:
    """What a check has to tell."""

    tables: list[dict[str, Any]] = field(default_factory=list)
    rankings: list[dict[str, Any]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unread: bool = False

    @property
    def code(self) -> int:
        """The exit code."""
        if self.unread:
            return BAD_INPUT
        return WARNED if any(each.level != "note" for each in self.findings) else CLEAN


def add_command(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to those of the command line."""
    check = commands.add_parser(
        "check",
        help="what is understood of files, and what is wrong with them",
        description="Tell what is understood of judgments and rankings, and what is noticed about "
        "them. Columns that are not sure are taken as guessed. Several files are checked together.",
        epilog="Exit code: 0 where there is nothing worse than a note, 1 where there are warnings, "
        "2 where a file cannot be read or the arguments are wrong.",
    )
    check.set_defaults(run=_check)
    check.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="judgments and rankings, in any order"
    )
    add_order_option(check)
    add_input_options(check)
    check.add_argument("--format", default="text", choices=("text", "json"))


def _check(arguments: argparse.Namespace) -> int:
    checked = _Checked()
    refuse_evaluations(arguments.files)
    tables = _read(arguments.files, checked)
    if tables:
        refuse_sheet(tables, arguments.sheet)
        planned = plan(tables, settings_of(arguments))
        parts = _assemble(planned, checked)
        evaluation, findings = join(parts.judgments, parts.rankings, parts.ideal)
        checked.findings += findings
        if evaluation.entries:
            numbers = range(len(evaluation.rankings))
            checked.rankings = [_ranking(evaluation, number) for number in numbers]
    if not checked.tables:
        raise UsageError(" ".join(str(each) for each in checked.findings if each.level == "error"))
    PRINTERS[arguments.format](checked)
    for finding in checked.findings:
        if finding.code == "file":
            print(f"ndcg: {one_line(str(finding))}", file=sys.stderr)
    return checked.code


def _read(paths: list[Path], checked: _Checked) -> list[Table]:
    """The tables of the files that can be read; the others become findings."""
    tables: list[Table] = []
    for path in paths:
        try:
            tables += read(path)
        except FileError as error:
            _cannot_use(error, checked)
    return tables


def _cannot_use(error: FileError, checked: _Checked) -> None:
    checked.unread = True
    checked.findings.append(Finding("error", "file", error.problem, error.source, error.row))


def _assemble(planned: Plan, checked: _Checked) -> Assembled:
    """All tables that hold judgments or a ranking, each described on the way."""
    out = Assembled()
    checked.findings += planned.findings
    for place, part in enumerate(planned.parts):
        if place in planned.doubts:
            checked.findings.append(_guessed(part, planned.doubts[place]))
        try:
            one = assemble([part])
        except FileError as error:
            _cannot_use(error, checked)
            continue
        out.judgments += one.judgments
        out.rankings += one.rankings
        out.ideal = one.ideal or out.ideal
        checked.findings += one.findings
        checked.tables.append(_table(part, one))
    return out


def _guessed(part: Understood, doubt: str) -> Finding:
    told = columns_argument(part)
    if doubt.startswith(WORDS):
        text = f"{doubt} Give --labels if that is wrong."
    else:
        text = (
            f"{doubt} It is taken for {told}; give --columns if that is wrong." if told else doubt
        )
    return Finding("warning", "columns-guessed", text, part.table.source)


# ---- what is told of a table


def _table(part: Understood, parts: Assembled) -> dict[str, Any]:
    table = part.table
    columns: list[JudgmentColumns | RankingColumns] = [*parts.judgments, *parts.rankings]
    grade = np.concatenate([each.grade for each in parts.judgments]) if parts.judgments else None
    documents = concatenate([each.document for each in columns])
    return {
        "file": table.path.name,
        "sheet": table.sheet,
        "kind": table.kind,
        "encoding": table.dialect.encoding if table.dialect else None,
        "delimiter": table.dialect.delimiter if table.dialect else None,
        "header": list(table.names) if _has_header(table) else None,
        "first_row": int(table.row[0]),
        "judgments": bool(parts.judgments),
        "rankings": [each.name for each in parts.rankings],
        "ordered_by": parts.rankings[0].ranks_by if parts.rankings else None,
        "columns": _roles(part),
        "unused": [name for at, name in enumerate(table.names) if at not in part.roles.used],
        "rows": len(table),
        "queries": _distinct([each.query for each in columns]),
        "documents": _distinct([documents.take(np.flatnonzero(documents.length > 0))]),
        "judged": None if grade is None else int(np.count_nonzero(~np.isnan(grade))),
        "grades": None if grade is None else _histogram(grade),
    }


def _has_header(table: Table) -> bool:
    """Whether the header stands in the file: those of TREC files and JSON are made up."""
    return table.header is not None and table.kind in ("workbook", "delimited")


WORDS_OF_ROLES = {
    "query": "query",
    "query_text": "query text",
    "document": "document",
    "title": "title",
    "grade": "grade",
    "rank": "rank",
    "score": "score",
    "ideal": "ideal grade",
    "rater": "rater",
    "system": "name of the ranking",
    "note": "note",
    "graders": "graders",
    "systems": "documents of rankings",
    "positions": "grades by place",
}


def _roles(part: Understood) -> dict[str, list[str]]:
    """The columns of each role that has some."""
    names = part.table.names
    out: dict[str, list[str]] = {}
    for column, role in part.roles.by_column().items():
        out.setdefault(WORDS_OF_ROLES[role], []).append(names[column])
    return out


def _distinct(ids: list[Any]) -> int:
    return len(factorize(concatenate(ids))[1])


def _histogram(grade: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, int]:
    """How many documents have each grade, lowest first."""
    values, counts = np.unique(grade[~np.isnan(grade)], return_counts=True)
    return {f"{value:g}": int(count) for value, count in zip(values, counts, strict=True)}


def _ranking(evaluation: Evaluation, number: int) -> dict[str, Any]:
    """How a ranking and the judgments fit together."""
    ranking = evaluation.rankings[number]
    judged = evaluation.judgments.grade[ranking.pair[ranking.pair != NO_PAIR]]
    with_grades = evaluation.judgments.query[~np.isnan(evaluation.judgments.grade)]
    known = np.bincount(with_grades, minlength=len(evaluation.queries)) > 0
    return {
        "ranking": ranking.name,
        "queries_returned": int(np.count_nonzero(ranking.returned)),
        "queries_judged": int(np.count_nonzero(known)),
        "queries_in_both": int(np.count_nonzero(known & (ranking.returned > 0))),
        "documents_returned": len(ranking),
        "documents_judged": int(np.count_nonzero(~np.isnan(judged))),
    }


# ---- printing


def _print_json(checked: _Checked) -> None:
    findings = [
        finding_as_dict(each)
        | {"heading": HEADINGS.get(each.code, each.code), "repair": each.repair or None}
        for each in checked.findings
    ]
    told = {"files": checked.tables, "rankings": checked.rankings, "findings": findings}
    json.dump(told, sys.stdout, indent=1)
    print()


def _print_text(checked: _Checked) -> None:
    blocks = [_table_lines(table) for table in checked.tables]
    blocks += [[_ranking_line(each) for each in checked.rankings]] if checked.rankings else []
    for code in dict.fromkeys(each.code for each in checked.findings):
        some = [each for each in checked.findings if each.code == code]
        lines = [f"  {each.level}: {one_line(str(each))}" for each in some]
        blocks.append([HEADINGS.get(code, code), *lines])
    if not checked.findings:
        blocks.append(["Nothing was found that is wrong."])
    print("\n\n".join("\n".join(lines) for lines in blocks))


def _ranking_line(told: dict[str, Any]) -> str:
    return (
        f"“{told['ranking']}” and the judgments: {_count(told['queries_in_both'], 'query')} in "
        f"both, of {told['queries_judged']:,} judged and {told['queries_returned']:,} returned; "
        f"{told['documents_judged']:,} of {_count(told['documents_returned'], 'document')} judged"
    )


def _table_lines(table: dict[str, Any]) -> list[str]:
    sheet = f", sheet “{table['sheet']}”" if table["sheet"] is not None else ""
    kind = KINDS[table["kind"]]
    if table["encoding"]:
        delimiter = table["delimiter"]
        kind += f", {table['encoding']}, {DELIMITER_WORDS.get(delimiter, delimiter)}"
    first = f"first row of data {table['first_row']}"
    if table["kind"] in ("workbook", "delimited"):
        first = f"{'with' if table['header'] else 'without'} a header, {first}"
    lines = [f"{table['file']}{sheet}: {kind}", f"  {first}"]
    roles = table["columns"] | ({"not used": table["unused"]} if table["unused"] else {})
    lines += [f"  {role}: {one_line(', '.join(names))}" for role, names in roles.items()]
    if table["ordered_by"]:
        rows = "the order of the rows"
        lines.append(
            f"  ranked by: {rows if table['ordered_by'] == 'rows' else table['ordered_by']}"
        )
    counts = [_count(table[PLURALS[one]], one) for one in PLURALS]
    counts += [] if table["judged"] is None else [f"{table['judged']:,} judged"]
    lines.append(f"  {', '.join(counts)}")
    return lines + ([f"  grades: {_grades(table['grades'])}"] if table["grades"] else [])


def _count(number: int, one: str) -> str:
    return f"{number:,} {one if number == 1 else PLURALS[one]}"


def _grades(histogram: dict[str, int]) -> str:
    if len(histogram) <= MOST_GRADES:
        return ", ".join(f"{grade} (×{count:,})" for grade, count in histogram.items())
    values = list(histogram)
    return f"{len(values):,} different ones from {values[0]} to {values[-1]}"


PRINTERS = {"text": _print_text, "json": _print_json}
