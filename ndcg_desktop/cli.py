"""The command line: scores without a window, and imports no Qt."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ndcg_desktop import cli_check, cli_convert
from ndcg_desktop.cli_input import (
    UsageError,
    add_input_options,
    add_order_option,
    finding_as_dict,
    one_line,
    print_findings,
    read_plan,
)
from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.evaluation.open_grades import mean_bounds, query_bounds
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.plan import Plan
from ndcg_desktop.files.table import FileError
from ndcg_desktop.scoring.conventions import ALIASES, CONVENTIONS, Convention, convention
from ndcg_desktop.scoring.ndcg import Status
from ndcg_desktop.scoring.options import Options, OptionsError, parse_discount, parse_gain
from ndcg_desktop.version import program_version

BAD_INPUT = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line: 0 when scored, 2 for bad input or usage, told in one line."""
    if sys.stderr is None:  # where it is closed: 2>&-
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123
    if sys.stdout is None:
        return _complain("the output cannot be written (it is closed)")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # it may know few letters, and ids many
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except (UsageError, FileError, OptionsError) as error:
        return _complain(str(error))
    except BrokenPipeError:
        _lead_to_nowhere()  # nobody reads on
        return 0
    except OSError as error:
        _lead_to_nowhere()
        return _complain(f"the output cannot be written ({error.strerror})")
    except MemoryError:
        return _complain("the files are too large for the memory of this machine")
    except KeyboardInterrupt:
        return _complain("given up")


def _run(arguments: Sequence[str] | None) -> int:
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as end:  # --help and --version
        return int(end.code or 0)
    return int(options.run(options))


def _complain(text: str) -> int:
    with suppress(OSError):
        print(f"ndcg: {one_line(text)}", file=sys.stderr)
    return BAD_INPUT


def _lead_to_nowhere() -> None:
    """What is left of the output is written once more at exit, which must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="ndcg", description="Score rankings against judgments.")
    parser.add_argument("--version", action="version", version=f"ndcg {program_version()}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    score = commands.add_parser(
        "score",
        help="nDCG of rankings, for each query and in the mean",
        description="Score rankings against judgments. One file that holds both may stand alone.",
    )
    score.set_defaults(run=_score)
    score.add_argument("files", nargs="+", type=Path, metavar="FILE", help="judgments, rankings")
    add_order_option(score)
    score.add_argument("-k", action="append", type=_cutoff, metavar="N|all", help="cutoff (10)")
    score.add_argument("--gain", help="linear (the default), exponential, or 0=0,1=1,2=5")
    score.add_argument(
        "--ideal",
        default="judged",
        choices=("judged", "returned", "column"),
        help="what the ideal is made of: all judged documents, the returned ones, or a column",
    )
    score.add_argument(
        "--unjudged",
        default="zero",
        choices=("zero", "remove"),
        help="documents without a grade gain 0, or are taken out of the ranking",
    )
    score.add_argument(
        "--undefined",
        default="skip",
        choices=("skip", "zero", "one"),
        help="queries whose ideal is 0 are left out of the mean, or count as 0 or 1",
    )
    score.add_argument(
        "--missing",
        default="zero",
        choices=("zero", "skip"),
        help="judged queries that a ranking lacks count as 0, or are left out",
    )
    score.add_argument(
        "--ideal-cut",
        default="k",
        choices=("k", "none", "returned"),
        help="the ideal is cut at k, not at all, or at the number of documents returned",
    )
    score.add_argument(
        "--rounding",
        default="none",
        choices=("none", "5-decimals", "2-decimals", "floored-terms"),
        help="what is rounded inside the score, as some tools do",
    )
    score.add_argument("--discount", default="log2", help="log2, reciprocal, or base:B")
    score.add_argument("--convention", metavar="NAME", help="score as another tool does")
    score.add_argument("--bounds", action="store_true", help="range under unjudged documents")
    add_input_options(score)
    score.add_argument("--format", default="table", choices=("table", "json", "csv"))
    cli_check.add_command(commands)
    cli_convert.add_command(commands)
    return parser


def _cutoff(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"k is {text!r}; it is a number from 1, or all")
    return int(text)


def _options(arguments: argparse.Namespace) -> Options:
    known = _convention(arguments.convention)
    own = "linear" if known is None else known.gains[0]
    gain, table = parse_gain(arguments.gain or own)
    discount, base = parse_discount(arguments.discount)
    options = Options(
        gain=gain,
        gain_table=table,
        ideal=arguments.ideal,
        order=arguments.order,
        unjudged=arguments.unjudged,
        undefined=arguments.undefined,
        missing=arguments.missing,
        discount=discount,
        discount_base=base,
        ideal_cut=arguments.ideal_cut,
        rounding=arguments.rounding,
    )
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


def _load(arguments: argparse.Namespace) -> tuple[Evaluation, list[Finding]]:
    planned = read_plan(arguments)
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
    evaluation, findings = join(parts.judgments, parts.rankings, parts.ideal)
    return evaluation, planned.findings + parts.findings + findings


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


def _score(arguments: argparse.Namespace) -> int:
    options = _options(arguments)
    evaluation, findings = _load(arguments)
    for finding in findings:
        if finding.code == "no-common-query":
            raise UsageError(str(finding))
    if options.ideal == "column" and not evaluation.has_given_ideal:
        raise UsageError(f"{arguments.files[0].name}: there is no column of ideal grades")
    results = []
    for cutoff in arguments.k or [10]:
        evaluation.options = replace(options, cutoff=cutoff)
        _refuse_gains(evaluation)
        results += [_result(evaluation, number) for number in range(len(evaluation.rankings))]
    PRINTERS[arguments.format](results, findings, arguments.bounds)
    return 0


def _refuse_gains(evaluation: Evaluation) -> None:
    """Name the first row whose gain cannot be computed: a mean without it would be another mean."""
    for number in range(len(evaluation.rankings)):
        status = evaluation.scores(number).status
        refused = np.flatnonzero(status == Status.REFUSED)
        if len(refused):
            query = evaluation.queries[int(refused[0])]
            why = wording.reason(Status.REFUSED, evaluation.options, evaluation.gains)
            place = evaluation.first_refused(int(refused[0]))
            raise UsageError(f"{place}: the query “{query}” cannot be scored: {why}")


def _result(evaluation: Evaluation, ranking: int) -> dict[str, Any]:
    scores, bounds = evaluation.scores(ranking), query_bounds(evaluation, ranking)
    queries = {
        evaluation.queries[query]: {
            "value": float(scores.value[query]),
            "dcg": float(scores.dcg[query]),
            "ideal_dcg": float(scores.ideal_dcg[query]),
            "judged": int(scores.judged[query]),
            "returned": int(scores.returned[query]),
            "lower": float(bounds.lower[query]),
            "upper": float(bounds.upper[query]),
        }
        for query in np.flatnonzero(scores.counted).tolist()
    }
    spread = None if evaluation.disjoint(ranking) else mean_bounds(evaluation, ranking)
    return {
        "ranking": evaluation.rankings[ranking].name,
        "measure": evaluation.options.measure,
        "name": wording.full_name(evaluation),
        "cutoff": evaluation.options.cutoff,
        "options": evaluation.options.as_dict()
        | {"grades": wording.merged_words(evaluation) or "as given"},
        "mean": wording.mean_value(evaluation, ranking),
        "mean_text": wording.mean_text(evaluation, ranking, 6),
        "mean_range": wording.mean_range_text(evaluation, ranking, 6),
        "mean_lower": None if spread is None else spread.lower,
        "mean_upper": None if spread is None else spread.upper,
        "queries_scored": scores.n,
        "queries": queries,
        "left_out": wording.left_out(evaluation, scores),
    }


def _print_json(results: list[dict[str, Any]], findings: list[Finding], _: bool) -> None:
    for result in results:
        del result["mean_text"], result["mean_range"]
    told = [finding_as_dict(finding) for finding in findings]
    json.dump({"results": results, "findings": told}, sys.stdout, indent=1)
    print()


def _print_csv(results: list[dict[str, Any]], findings: list[Finding], bounds: bool) -> None:
    """One line for each query and one for the mean, the measure named in each."""
    names = ["value", "dcg", "ideal_dcg", "judged", "returned"]
    names += ["lower", "upper"] if bounds else []
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["ranking", "measure", "query", *names, "left out"])
    for result in results:
        head = [result["ranking"], result["name"]]
        for query, row in result["queries"].items():
            writer.writerow([*head, query, *(repr(row[name]) for name in names), ""])
        for query, why in result["left_out"].items():
            writer.writerow([*head, query, *[""] * len(names), why])
        mean = "" if result["mean"] is None else repr(result["mean"])
        blanks = [""] * (len(names) - 1)
        if bounds:
            blanks[-2:] = ["" if each is None else repr(each) for each in _mean_range(result)]
        writer.writerow([*head, f"mean (n = {result['queries_scored']})", mean, *blanks, ""])
    print_findings(findings)


def _print_table(results: list[dict[str, Any]], findings: list[Finding], bounds: bool) -> None:
    for result in results:
        print(f"{result['ranking']}: {result['name']}")
        width = max([len(query) for query in (*result["queries"], *result["left_out"])] + [5])
        for query, row in result["queries"].items():
            span = f"  between {row['lower']:.6f} and {row['upper']:.6f}" if bounds else ""
            judged = f"judged {row['judged']}/{row['returned']}"
            print(f"  {query:<{width}}  {row['value']!r:<20}  {judged}{span}")
        for query, why in result["left_out"].items():
            print(f"  {query:<{width}}  {wording.NONE:<20}  {why}")
        mean = wording.NONE if result["mean"] is None else repr(result["mean"])
        print(f"  {'mean':<{width}}  {mean}")
        print(f"  {result['mean_text']}")
        if bounds and result["mean_range"]:
            print(f"  {result['mean_range']}")
    print_findings(findings)


def _mean_range(result: dict[str, Any]) -> tuple[float | None, float | None]:
    return result["mean_lower"], result["mean_upper"]


PRINTERS = {"json": _print_json, "csv": _print_csv, "table": _print_table}

if __name__ == "__main__":
    sys.exit(main())
