"""`ndcg score` of an evaluation's file: what it says, unless the arguments say otherwise."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from ndcg_desktop.cli_input import UsageError, read_plan, refuse_doubts
from ndcg_desktop.evaluation.columns import RankingColumns
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.repairs import apply
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.evaluation_file import is_evaluation
from ndcg_desktop.files.evaluation_reading import (
    EvaluationRead,
    not_there,
    read_evaluation,
    read_files,
)
from ndcg_desktop.files.plan import Plan
from ndcg_desktop.scoring.options import Options


def evaluation_of(arguments: argparse.Namespace) -> EvaluationRead | None:
    """The evaluation whose file is named; None where data files are. Raises FileError where one of
    its files is not found, and UsageError where other files are named beside it.
    """
    path = next(filter(is_evaluation, arguments.files), None)
    if path is None:
        return None
    if len(arguments.files) > 1:
        raise UsageError(f"{path.name}: an evaluation names its own files; name it alone")
    read = read_evaluation(path)
    if read.missing:
        raise not_there(read)
    return read


def options_of(read: EvaluationRead | None) -> Options:
    """The options that hold where no argument says another."""
    return Options() if read is None else read.file.chosen.options


def plan_of(read: EvaluationRead | None, arguments: argparse.Namespace) -> Plan:
    """Read the files, as the evaluation says or as the arguments do. Raises FileError and
    UsageError.
    """
    if read is None:
        return read_plan(arguments)
    if arguments.columns or arguments.sheet or arguments.labels:
        files = [place for place in read.places if place is not None]
        return read_plan(argparse.Namespace(**{**vars(arguments), "files": files}))
    planned = read_files(read, lambda: False, lambda _: None)
    refuse_doubts(planned, arguments.labels)
    planned.parts = [_as_said(part, arguments) for part in planned.parts]
    return planned


def _as_said(part: Understood, arguments: argparse.Namespace) -> Understood:
    """A table as the evaluation reads it, but for what the arguments say."""
    ranks_rows = arguments.order == "file" and not part.roles.ranks
    return replace(
        part,
        row_order=part.row_order or (ranks_rows and part.roles.document is not None),
        merge=arguments.merge or part.merge,
        duplicates=arguments.duplicates or part.duplicates,
    )


def mended(
    read: EvaluationRead | None, rankings: Sequence[RankingColumns]
) -> Sequence[RankingColumns]:
    """The rankings with the ids replaced that the evaluation replaces."""
    return rankings if read is None else apply(rankings, read.file.repairs)


def line_up(read: EvaluationRead | None, evaluation: Evaluation) -> None:
    """Let those rankings take part that the evaluation compares, under its names, and use its
    scale.
    """
    if read is None:
        return
    chosen = read.file.chosen
    evaluation.line_up(chosen.lineup)
    evaluation.declare(() if chosen.scale is None else chosen.scale.grades)
