"""``ndcg compare``: which ranking is better, by how much, how sure that is, and a report of it."""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_desktop.cli_input import UsageError, add_input_options, finding_as_dict, print_findings
from ndcg_desktop.cli_scoring import Loaded, add_scoring_options, cutoff, load, refuse_gains
from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.comparison import Comparison, Fairness, compare, fairness
from ndcg_desktop.evaluation.comparison_words import answer, fairness_lines, figures
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.sureness import (
    SEED,
    Sureness,
    SurenessOptions,
    all_sureness,
    most_influential,
)

OUTCOMES = {1: "won", 0: "tied", -1: "lost"}
DECIMALS = 6
"""Of the figures among words; JSON and CSV have all digits."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """One candidate beside the baseline."""

    comparison: Comparison
    sure: Sureness | None
    fair: Fairness


@dataclass(frozen=True, slots=True)
class _Answers:
    """What is to be told, and what it was made of."""

    loaded: Loaded
    baseline: int
    options: SurenessOptions
    compared: list[_Compared]

    @property
    def evaluation(self) -> Evaluation:
        """The judgments and rankings."""
        return self.loaded.evaluation


def add_command(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command to those of the command line."""
    command = commands.add_parser(
        "compare",
        help="which ranking is better, and how sure that is",
        description="Compare rankings with one of them, the baseline: which is better, by how "
        "much, whether that could be chance, and whether enough is judged to tell.",
        epilog="A report is written as the name of its file asks for: .pdf, .html, .xlsx (with "
        "live formulas), .csv, .md or .tex. --report may be said several times.",
    )
    command.set_defaults(run=_compare)
    command.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="judgments, then rankings; or an evaluation's .ndcg file, which says all the rest",
    )
    add_scoring_options(command)
    command.add_argument(
        "-k", type=cutoff, default=argparse.SUPPRESS, metavar="N|all", help="cutoff (10)"
    )
    command.add_argument("--baseline", metavar="NAME", help="the ranking to compare with (first)")
    command.add_argument(
        "--tie", type=_from_zero, metavar="X", help="differences of a query up to this are ties (0)"
    )
    command.add_argument(
        "--matters", type=_above_zero, metavar="X", help="mean difference that matters (0.02)"
    )
    command.add_argument(
        "--seed", type=_seed, default=SEED, metavar="N", help=f"of every resampling ({SEED})"
    )
    add_input_options(command)
    command.add_argument(
        "--report", action="append", default=[], type=Path, metavar="FILE", help="write a report"
    )
    command.add_argument("--format", default="table", choices=tuple(PRINTERS))


def _from_zero(text: str) -> float:
    return _number(text, lambda value: value >= 0, "a number from 0 on")


def _above_zero(text: str) -> float:
    return _number(text, lambda value: value > 0, "a number above 0")


def _number(text: str, allowed: Callable[[float], bool], words: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and allowed(value)):
        raise argparse.ArgumentTypeError(f"{text!r} is not {words}")
    return value


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def _compare(arguments: argparse.Namespace) -> int:
    for path in arguments.report:
        _refuse_report(path, arguments.files)
    answers = _answers(arguments)
    for path in arguments.report:
        _refuse_over(path, [table.path for table in answers.loaded.tables])
    for path in arguments.report:
        _write_report(path, answers)
    PRINTERS[arguments.format](answers)
    return 0


def _refuse_report(path: Path, files: Sequence[Path]) -> None:
    from ndcg_desktop.reports.comparison_report import report_writer

    if "\0" in str(path):
        raise UsageError("a name of a file cannot hold the character U+0000")
    report_writer(path)
    _refuse_over(path, files)


def _refuse_over(path: Path, files: Sequence[Path]) -> None:
    """Raise UsageError for a report that would take the place of a file that is read."""
    real = os.path.realpath(path)
    if any(os.path.realpath(each) == real for each in files if "\0" not in str(each)):
        raise UsageError(f"{path.name}: this file is read; write the report to another one")


def _answers(arguments: argparse.Namespace) -> _Answers:
    loaded = load(arguments)
    evaluation = loaded.evaluation
    if hasattr(arguments, "k"):
        evaluation.options = replace(evaluation.options, cutoff=arguments.k)
    refuse_gains(evaluation)
    if len(evaluation.rankings) < 2:
        raise UsageError(
            f"there is only one ranking, “{evaluation.rankings[0].name}”; name another to compare "
            "it with"
        )
    said = {name: getattr(arguments, name) for name in ("tie", "matters")}
    known = {name: value for name, value in said.items() if value is not None}
    evaluation.line_up(replace(evaluation.lineup, **known))
    options = SurenessOptions(evaluation.lineup.tie, evaluation.lineup.matters, arguments.seed)
    baseline = _baseline(evaluation, arguments.baseline)
    candidates = [number for number in range(len(evaluation.rankings)) if number != baseline]
    comparisons = [compare(evaluation, baseline, candidate) for candidate in candidates]
    compared = [
        _Compared(comparison, sure, fairness(evaluation, comparison))
        for comparison, sure in zip(comparisons, all_sureness(comparisons, options), strict=True)
    ]
    return _Answers(loaded, baseline, options, compared)


def _baseline(evaluation: Evaluation, name: str | None) -> int:
    """The number of the ranking of this name, or of the one that is the baseline anyway."""
    if name is None:
        return evaluation.baseline
    keys = [entrant.key for entrant in evaluation.lineup.taking_part]
    names = [ranking.name for ranking in evaluation.rankings]
    for known in (keys, names):
        if known.count(name) == 1:
            return known.index(name)
    told = ", ".join(f"“{key}”" for key in keys)
    raise UsageError(f"there is no ranking “{name}” to be the baseline; the rankings are {told}")


# ---- reports


def _write_report(path: Path, answers: _Answers) -> None:
    from ndcg_desktop.reports.comparison_report import write_report

    write_report(path, _request(answers))


def _request(answers: _Answers) -> Any:
    from ndcg_desktop.reports.comparison_content import ReportRequest, report_files

    return ReportRequest(
        answers.evaluation.frozen(),
        answers.baseline,
        tuple(each.comparison.candidate for each in answers.compared),
        answers.options,
        report_files(answers.loaded.tables),
        tuple(answers.loaded.findings),
    )


# ---- answers


def _print_table(answers: _Answers) -> None:
    evaluation = answers.evaluation
    for each in answers.compared:
        print(answer(evaluation, each.comparison, each.sure, each.fair, DECIMALS))
        for line in fairness_lines(evaluation, each.comparison, each.fair, DECIMALS):
            print(f"  {line}")
        told = [] if each.sure is None else figures(each.sure, DECIMALS)
        width = max((len(name) for name, _, _ in told), default=0)
        for name, text, words in told:
            print(f"  {name:<{width}}  {text} ({words})")
        print()
    print(f"Measure: {wording.full_name(evaluation)}")
    numbers = [answers.baseline, *(each.comparison.candidate for each in answers.compared)]
    for number in numbers:
        print(f"  {evaluation.rankings[number].name}: {wording.mean_text(evaluation, number, 6)}")
    print_findings(answers.loaded.findings)


def _print_json(answers: _Answers) -> None:
    from ndcg_desktop.reports.comparison_content import report_files

    json.dump(
        {
            "comparisons": [_as_dict(answers, each) for each in answers.compared],
            "files": [asdict(each) for each in report_files(answers.loaded.tables)],
            "findings": [finding_as_dict(finding) for finding in answers.loaded.findings],
        },
        sys.stdout,
        indent=1,
    )
    print()


def _as_dict(answers: _Answers, each: _Compared) -> dict[str, Any]:
    evaluation, comparison, sure = answers.evaluation, each.comparison, each.sure
    means = comparison.means
    mean = each.fair.range.mean
    return {
        "baseline": comparison.baseline_name,
        "candidate": comparison.candidate_name,
        "measure": evaluation.options.measure,
        "name": wording.full_name(evaluation),
        "cutoff": evaluation.options.cutoff,
        "options": evaluation.options.as_dict()
        | {"grades": wording.merged_words(evaluation) or "as given"},
        "answer": answer(evaluation, comparison, sure, each.fair, DECIMALS),
        "baseline_mean": None if means is None else means[0],
        "candidate_mean": None if means is None else means[1],
        "mean_difference": comparison.mean,
        "queries_compared": comparison.n,
        "statistics": None if sure is None else _statistics(evaluation, comparison, sure),
        "judged": each.fair.judged,
        "lower": None if mean is None else mean.lower,
        "upper": None if mean is None else mean.upper,
        "range_exact": each.fair.range.exact,
        "settled": each.fair.settled,
        "queries": _queries(answers, comparison),
    }


def _statistics(evaluation: Evaluation, comparison: Comparison, sure: Sureness) -> dict[str, Any]:
    """The statistics with all digits; null where there is none."""
    return {
        "interval": _plain(sure.interval),
        "randomisation_test": _plain(sure.randomisation),
        "comparisons": sure.comparisons,
        "holm_p": sure.adjusted_p,
        "t_test": _plain(sure.t),
        "wilcoxon": _plain(sure.wilcoxon),
        "effect_size": sure.effect,
        **asdict(sure.record),
        "queries_needed": sure.needed,
        **asdict(sure.options),
        "influence": [
            {"query": evaluation.queries[each.query], "without": each.without, "flips": each.flips}
            for each in most_influential(comparison, sure)
        ],
    }


def _plain(value: Any) -> dict[str, Any] | None:
    return None if value is None else asdict(value)


def _queries(answers: _Answers, comparison: Comparison) -> dict[str, dict[str, Any]]:
    """Each compared query with both scores, and what came of it."""
    outcomes = comparison.outcomes(answers.options.tie)
    return {
        answers.evaluation.queries[query]: {
            "baseline": float(comparison.baseline_score[query]),
            "candidate": float(comparison.candidate_score[query]),
            "difference": float(comparison.difference[query]),
            "outcome": OUTCOMES[int(outcomes[query])],
        }
        for query in np.flatnonzero(comparison.compared).tolist()
    }


def _print_csv(answers: _Answers) -> None:
    """A line for each query of each candidate and one for the mean, the measure named in each."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    names = ["baseline", "candidate", "measure", "query", "baseline value", "candidate value"]
    writer.writerow([*names, "difference", "outcome"])
    for each in answers.compared:
        comparison = each.comparison
        head = [comparison.baseline_name, comparison.candidate_name]
        head.append(wording.full_name(answers.evaluation))
        for query, row in _queries(answers, comparison).items():
            values = (repr(row[name]) for name in ("baseline", "candidate", "difference"))
            writer.writerow([*head, query, *values, row["outcome"]])
        if comparison.means is not None:
            means = (repr(value) for value in (*comparison.means, comparison.mean))
            writer.writerow([*head, f"mean (n = {comparison.n})", *means, ""])
    print_findings(answers.loaded.findings)


def _print_markdown(answers: _Answers) -> None:
    from ndcg_desktop.reports.comparison_content import content_of
    from ndcg_desktop.reports.comparison_report import as_markdown_report

    print(as_markdown_report(content_of(_request(answers))), end="")


def _print_latex(answers: _Answers) -> None:
    from ndcg_desktop.reports.comparison_content import content_of
    from ndcg_desktop.reports.comparison_report import as_latex_report

    print(as_latex_report(content_of(_request(answers))), end="")


PRINTERS = {
    "table": _print_table,
    "json": _print_json,
    "csv": _print_csv,
    "markdown": _print_markdown,
    "latex": _print_latex,
}
