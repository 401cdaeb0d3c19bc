"""What ``ndcg score`` and ``ndcg compare`` share: the options of scoring, and the evaluation."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import numpy as np

from ndcg_desktop.cli_evaluation import evaluation_of, line_up, mended, options_of, plan_of
from ndcg_desktop.cli_input import UsageError, add_order_option
from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.evaluation_reading import EvaluationRead
from ndcg_desktop.files.plan import Plan
from ndcg_desktop.files.table import Table
from ndcg_desktop.scoring.conventions import ALIASES, CONVENTIONS, Convention, convention
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import (
    CHOSEN,
    IdealCut,
    Options,
    Rounding,
    parse_discount,
    parse_gain,
)


def add_scoring_options(command: argparse.ArgumentParser) -> None:
    """Add the options that say what rankings are scored under, but for the cutoff."""
    add_order_option(command)
    command.add_argument("--gain", help="linear (the default), exponential, or 0=0,1=1,2=5")
    command.add_argument(
        "--ideal",
        choices=("judged", "returned", "column"),
        help="what the ideal is made of: all judged documents, the returned ones, or a column",
    )
    command.add_argument(
        "--unjudged",
        choices=("zero", "remove"),
        help="documents without a grade gain 0, or are taken out of the ranking",
    )
    command.add_argument(
        "--undefined",
        choices=("skip", "zero", "one"),
        help="queries whose ideal is 0 are left out of the mean, or count as 0 or 1",
    )
    command.add_argument(
        "--missing",
        choices=("zero", "skip"),
        help="judged queries that a ranking lacks count as 0, or are left out",
    )
    command.add_argument(
        "--ideal-cut",
        choices=get_args(IdealCut),
        help="the ideal is cut at k, not at all, or at the number of documents returned",
    )
    command.add_argument(
        "--rounding",
        choices=get_args(Rounding),
        help="what is rounded inside the score, as some tools do",
    )
    command.add_argument("--discount", help="log2, reciprocal, or base:B")
    command.add_argument("--convention", metavar="NAME", help="score as another tool does")


def cutoff(text: str) -> int | None:
    """Read a cutoff: a number, or None for "all"."""
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"k is {text!r}; it is a number from 1, or all")
    return int(text)


def _options(arguments: argparse.Namespace, otherwise: Options) -> Options:
    """The options that were said, and ``otherwise`` for those that were not."""
    known = _convention(arguments.convention)
    said = {name: value for name in CHOSEN if (value := getattr(arguments, name)) is not None}
    if arguments.gain is not None:
        said["gain"], said["gain_table"] = parse_gain(arguments.gain)
    elif known is not None:
        said["gain"], said["gain_table"] = known.gains[0], ()
    if arguments.discount is not None:
        said["discount"], said["discount_base"] = parse_discount(arguments.discount)
    options = replace(otherwise, **said)
    if known is None:
        return options
    applied = known.apply(options)
    if applied.gain != options.gain:
        raise UsageError(f"{known.name} has {applied.gain} gain, not {arguments.gain}")
    return applied


def _convention(name: str | None) -> Convention | None:
    if name is None:
        return None
    known = convention(name)
    if known is None:
        raise UsageError(
            f"there is no convention {name!r}; known are {'; '.join(CONVENTIONS)}; and for short "
            f"{', '.join(ALIASES)}"
        )
    return known


@dataclass(frozen=True, slots=True)
class Loaded:
    """An evaluation with its options, what was found on the way, and the tables it came from."""

    evaluation: Evaluation
    findings: list[Finding]
    tables: list[Table]


def load(arguments: argparse.Namespace) -> Loaded:
    """Read, join, and set the options, but for the cutoff. Raises FileError, OptionsError, and
    UsageError where there is nothing that could be scored.
    """
    saved = evaluation_of(arguments)
    options = _options(arguments, options_of(saved))
    loaded = _joined(arguments, saved)
    for finding in loaded.findings:
        if finding.code == "no-common-query":
            raise UsageError(str(finding))
    if options.ideal == "column" and not loaded.evaluation.has_given_ideal:
        raise UsageError(f"{arguments.files[0].name}: there is no column of ideal grades")
    loaded.evaluation.options = options
    return loaded


def _joined(arguments: argparse.Namespace, saved: EvaluationRead | None) -> Loaded:
    planned = plan_of(saved, arguments)
    if len(arguments.files) > 1:
        _take_sides(planned, arguments.files[0])
    parts = assemble(planned.parts)
    if not parts.judgments:
        raise UsageError(
            f"{arguments.files[0].name}: no column of grades was found. The columns are "
            f"{', '.join(planned.parts[0].table.names)}. Say which holds them, as in --columns "
            "grade=NAME"
        )
    if not parts.rankings:
        raise UsageError(
            f"{arguments.files[-1].name}: these are judgments without a ranking; name a ranking "
            "file too, or say --order file to take the order of the rows"
        )
    rankings = mended(saved, parts.rankings)
    evaluation, findings = join(parts.judgments, rankings, parts.ideal)
    line_up(saved, evaluation)
    findings = planned.findings + parts.findings + findings
    return Loaded(evaluation, findings, [part.table for part in planned.parts])


def _take_sides(planned: Plan, first: Path) -> None:
    """Of several files the first is the judgments and the others are the rankings, whatever else
    they hold; further files of judgments alone are judgments, too. Where the first has no grades,
    every file counts for what it is.
    """
    own = [part for part in planned.parts if part.table.path == first]
    others = [part for part in planned.parts if part.table.path != first]
    if not any(part.roles.judges for part in own) or not any(map(_can_rank, others)):
        return
    only = [replace(part, roles=replace(part.roles, rank=None, score=None)) for part in own]
    only = [replace(part, row_order=False) for part in only]
    rest = [_ranking_alone(part) if _can_rank(part) else part for part in others]
    planned.parts = [p for p in only if p.roles.judges] + rest
    planned.findings += [
        _unused_grades(part, first) for part in others if _can_rank(part) and part.roles.judges
    ]


def _ranking_alone(part: Understood) -> Understood:
    return replace(part, roles=replace(part.roles, grade=None, graders=(), rater=None))


def _unused_grades(part: Understood, first: Path) -> Finding:
    text = (
        f"This file has grades, too. They were not used, since {first.name} was named first and "
        "has the judgments."
    )
    return Finding("warning", "grades-unused", text, part.table.source)


def _can_rank(part: Understood) -> bool:
    return part.roles.ranks or part.row_order


def refuse_gains(evaluation: Evaluation) -> None:
    """Name the first row whose gain cannot be computed: a mean without it would be another mean."""
    for number in range(len(evaluation.rankings)):
        status = evaluation.scores(number).status
        refused = np.flatnonzero(status == Status.REFUSED)
        if len(refused):
            query = evaluation.queries[int(refused[0])]
            why = wording.reason(Status.REFUSED, evaluation.options, evaluation.gains)
            place = evaluation.first_refused(int(refused[0]))
            raise UsageError(f"{place}: the query “{query}” cannot be scored: {why}")
