"""``ndcg convert``: judgments or a ranking written in another program's format."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ndcg_desktop.cli_input import UsageError, add_input_options, print_findings, read_plan
from ndcg_desktop.evaluation.columns import Finding, JudgmentColumns, RankingColumns
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.files.assemble import Assembled, assemble
from ndcg_desktop.files.convert import (
    FORMATS,
    Format,
    format_of,
    save_judgments,
    save_ranking,
)
from ndcg_desktop.files.plain import judgments_of, ranking_of


def add_command(commands: Any) -> None:
    """Add ``convert`` to the commands, which are argparse's sub-parsers."""
    known = "\n".join(f"  {form.key:<12} {form.label}" for form in FORMATS.values())
    command = commands.add_parser(
        "convert",
        help="judgments or a ranking in another program's format",
        description="Write judgments, or a ranking, in another program's format.",
        epilog=f"formats:\n{known}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=_convert)
    command.add_argument("files", nargs="+", type=Path, metavar="IN", help="what is read")
    command.add_argument("target", type=Path, metavar="OUT", help="the file that is written")
    command.add_argument(
        "--to", choices=tuple(FORMATS), metavar="FORMAT", help="default: as OUT's name tells"
    )
    command.add_argument("--what", choices=("judgments", "ranking"))
    command.add_argument("--order", default="auto", choices=("auto", "file", "score"))
    command.add_argument("--force", action="store_true", help="replace OUT where it is there")
    add_input_options(command)


def _convert(arguments: argparse.Namespace) -> int:
    target: Path = arguments.target
    form = FORMATS[arguments.to] if arguments.to else format_of(target)
    if form is None:
        raise UsageError(
            f"{target.name}: the name does not tell the format; say --to {'|'.join(FORMATS)}"
        )
    _refuse_target(target, arguments)
    planned = read_plan(arguments)
    parts = assemble(planned.parts)
    convert = _convert_judgments if _wants_judgments(arguments, form, parts) else _convert_ranking
    print_findings([*planned.findings, *parts.findings, *convert(target, form, parts, arguments)])
    return 0


def _refuse_target(target: Path, arguments: argparse.Namespace) -> None:
    if "\0" in str(target):
        raise UsageError("a name of a file cannot hold the character U+0000")
    real = os.path.realpath(target)
    if any(os.path.realpath(path) == real for path in arguments.files if "\0" not in str(path)):
        raise UsageError(f"{target.name}: this file is read; write to another one")
    if os.path.lexists(target) and not arguments.force:
        raise UsageError(f"{target.name}: the file is there already; say --force to replace it")


def _convert_judgments(
    target: Path, form: Format, parts: Assembled, _: argparse.Namespace
) -> list[Finding]:
    evaluation, findings = join(parts.judgments, [])
    findings += _left_out(parts.judgments, titles_too=False)  # the format says what becomes of them
    return findings + list(save_judgments(target, form, judgments_of(evaluation)).findings)


def _convert_ranking(
    target: Path, form: Format, parts: Assembled, arguments: argparse.Namespace
) -> list[Finding]:
    if len(parts.rankings) > 1:
        names = ", ".join(f"“{ranking.name}”" for ranking in parts.rankings)
        raise UsageError(f"there are several rankings ({names}); convert them one by one")
    evaluation, found = join([], parts.rankings)
    findings = [each for each in found if each.code not in _ABOUT_JUDGMENTS]
    findings += _left_out(parts.rankings, titles_too=True)
    ranking = ranking_of(evaluation, 0, arguments.order)
    return findings + list(save_ranking(target, form, ranking).findings)


_ABOUT_JUDGMENTS = ("no-common-query", "unjudged-query")
"""Findings about judgments, which a ranking alone does not need."""


def _wants_judgments(arguments: argparse.Namespace, form: Format, parts: Assembled) -> bool:
    """Whether judgments are to be written. Raises UsageError where there are none to write."""
    name = arguments.files[0].name
    what = arguments.what
    if what is None:
        able = form.judgments is not None and (parts.judgments or form.ranking is None)
        what = "judgments" if able else "ranking"
    if what == "judgments" and not parts.judgments:
        raise UsageError(f"{name}: no column of grades was found")
    if what == "ranking" and not parts.rankings:
        raise UsageError(
            f"{name}: there is no ranking; say --order file to take the order of the rows"
        )
    return bool(what == "judgments")


def _left_out(
    tables: Sequence[JudgmentColumns | RankingColumns], titles_too: bool
) -> list[Finding]:
    """Say which further columns of the files are not written."""
    found = []
    for columns in tables:
        title = None if titles_too else columns.title
        names = [name for name, cells in columns.other.items() if name != title and any(cells)]
        if names:
            text = f"These columns are not written: {', '.join(names)}."
            found.append(Finding("note", "columns-left-out", text, columns.source))
    return found
