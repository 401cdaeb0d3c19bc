"""What every command reads: the files, what a user says about them, and what is said of them."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from ndcg_desktop.evaluation.columns import Duplicates, Finding
from ndcg_desktop.evaluation.votes import RULES, is_rule
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.evaluation_file import is_evaluation
from ndcg_desktop.files.labels import Labels, parse_labels
from ndcg_desktop.files.plan import WORDS, Plan, Settings, plan
from ndcg_desktop.files.read import read
from ndcg_desktop.files.table import Table
from ndcg_desktop.scoring.options import Order

ROLES = ("query", "document", "grade", "rank", "score", "ideal", "title", "rater", "system")


class UsageError(ValueError):
    """The arguments or the files cannot be used; the text is the one line that says why."""


def add_order_option(command: argparse.ArgumentParser) -> None:
    """Add the option that says what puts the documents of a ranking in order."""
    command.add_argument(
        "--order",
        choices=get_args(Order),
        help="by rank where there is one, else by score, else as the rows stand; or as said",
    )


def add_input_options(command: argparse.ArgumentParser) -> None:
    """Add the options that say how the files are to be read."""
    command.add_argument(
        "--columns",
        default="",
        metavar="query=…,document=…,grade=…,rank=…,score=…",
        help="which column is which, by header or number, where it is not certain",
    )
    command.add_argument("--sheet", metavar="NAME", help="the sheet of a workbook to read")
    command.add_argument(
        "--merge",
        type=_rule,
        metavar="{" + ",".join(RULES) + ",judge:NAME}",
        help="how the grades of several people become one (mean)",
    )
    command.add_argument(
        "--labels",
        type=_labels,
        metavar="exact=2,partial=1,irrelevant=0",
        help="the grade of each word, where grades are words",
    )
    command.add_argument(
        "--duplicates",
        choices=get_args(Duplicates),
        help="which grade counts where a document is judged more than once (highest)",
    )


def settings_of(arguments: argparse.Namespace) -> Settings:
    """What these arguments say about the files. Raises UsageError."""
    return Settings(
        columns=_columns(arguments.columns),
        sheet=arguments.sheet,
        row_order=arguments.order == "file",
        merge=arguments.merge or "mean",
        labels=arguments.labels,
        duplicates=arguments.duplicates or "highest",
    )


def _rule(text: str) -> str:
    if not is_rule(text):
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(RULES)} and judge:NAME")
    return text


def _labels(text: str) -> Labels:
    try:
        return parse_labels(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _columns(text: str) -> dict[str, str]:
    """Read "query=Topic,grade=4": a column by its header or its number."""
    columns = {}
    for part in filter(None, text.split(",")):
        role, found, name = part.partition("=")
        if not found or role.strip() not in ROLES:
            raise UsageError(f"--columns: {part!r} is not one of {', '.join(ROLES)} and =COLUMN")
        columns[role.strip()] = name.strip()
    return columns


def read_plan(arguments: argparse.Namespace) -> Plan:
    """Read the files and tell their columns.

    Raises FileError, and UsageError where a guess would need a person's confirmation.
    """
    refuse_evaluations(arguments.files)
    tables = [table for path in arguments.files for table in read(path)]
    refuse_sheet(tables, arguments.sheet)
    planned = plan(tables, settings_of(arguments))
    refuse_doubts(planned, arguments.labels)
    return planned


def refuse_evaluations(files: Sequence[Path]) -> None:
    """Raise UsageError where a file is that of an evaluation, and no data."""
    for path in files:
        if is_evaluation(path):
            raise UsageError(
                f"{path.name}: this is an evaluation, which only ndcg score and ndcg compare read, "
                "by itself; name its data files instead"
            )


def refuse_sheet(tables: Sequence[Table], sheet: str | None) -> None:
    """Raise UsageError where a sheet is named and no file has sheets."""
    if sheet is not None and all(table.sheet is None for table in tables):
        raise UsageError(f"--sheet {sheet}: none of the files is a workbook")


def refuse_doubts(planned: Plan, labels: Labels | None) -> None:
    """Without a window nobody confirms a guess: say which one it was, ready to be copied."""
    for place, doubt in planned.doubts.items():
        part = planned.parts[place]
        sheet = "" if part.table.sheet is None else f", sheet “{part.table.sheet}”"
        columns = ", ".join(part.table.names)
        say = []
        if labels is None and part.labels is not None:
            say.append(f"--labels {shlex.quote(str(part.labels))}")
        if not doubt.startswith(WORDS):
            say.append(f"--columns {columns_argument(part) or 'document=…,grade=…,rank=…'}")
        raise UsageError(
            f"{part.table.path.name}{sheet}: {doubt} The columns are {columns}. If this is right "
            f"say {' '.join(say)}"
        )


def columns_argument(part: Understood) -> str:
    """What a table's columns are taken for, as --columns takes it; of the columns of several people
    the first. Empty where no role is told.
    """
    roles = {role: getattr(part.roles, role) for role in ROLES}
    if part.roles.graders:
        roles["grade"] = part.roles.graders[0]
    return ",".join(f"{role}={at + 1}" for role, at in roles.items() if at is not None)


def one_line(text: str) -> str:
    """A text without line breaks, whatever an id in it holds."""
    return " ".join(text.split())


def print_findings(findings: Sequence[Finding]) -> None:
    """Say on standard error what was found, a line each."""
    for finding in findings:
        print(f"{finding.level}: {one_line(str(finding))}", file=sys.stderr)


def finding_as_dict(finding: Finding) -> dict[str, Any]:
    """A finding as JSON has it."""
    return {
        "level": finding.level,
        "code": finding.code,
        "file": finding.source.file if finding.source else None,
        "sheet": finding.source.sheet if finding.source else None,
        "row": finding.row,
        "text": finding.text,
    }
