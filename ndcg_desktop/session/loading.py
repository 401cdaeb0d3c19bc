"""What a load does on its thread: read, tell the columns, join, score. Nothing Qt in here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.evaluation.repairs import Repair, apply, propose
from ndcg_desktop.files.assemble import Understood, assemble
from ndcg_desktop.files.evaluation_file import is_evaluation
from ndcg_desktop.files.evaluation_reading import (
    EvaluationRead,
    doubting,
    read_evaluation,
    read_files,
)
from ndcg_desktop.files.plan import Plan, plan
from ndcg_desktop.files.read import file_bytes, read, read_as
from ndcg_desktop.files.same_file import real_path
from ndcg_desktop.files.shape import Choices, shape_of
from ndcg_desktop.files.table import Cancelled, FileError, Table
from ndcg_desktop.scoring.options import Options
from ndcg_desktop.session.commands import Opened


@dataclass(frozen=True, slots=True)
class Request:
    """What to load: files, and tables that are at hand already (entered, or opened before)."""

    paths: tuple[Path, ...]
    tables: tuple[Table, ...] = ()
    present: tuple[Understood, ...] = ()
    """Tables of the open evaluation, which new ones may complete."""
    unused: tuple[Understood, ...] = ()
    """Further tables of the files of the open evaluation."""
    options: Options | None = None
    """What it is meant to be seen under, in the place of what was last chosen."""
    example: bool = False
    repairs: tuple[Repair, ...] = ()
    """What brings the ids of rankings and judgments together, chosen for the open evaluation."""
    reload: bool = False
    """Whether these are the open files, as they now are."""
    again: str = ""
    """What is changed in how the open tables are read, where they are read again."""
    base: tuple[Understood, ...] = ()
    """The open tables as they were when that was asked for."""
    confirmed: tuple[Understood, ...] = ()
    """Tables whose reading a person has confirmed, to be remembered once it has worked."""
    found: Mapping[str, Path] = field(default_factory=dict)
    """Where files are now that an evaluation's file names, by the path that is written there."""
    evaluation: EvaluationRead | None = None
    """The evaluation's file that says what to load, once it is read."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """An evaluation ready to be shown."""

    request: Request
    opened: Opened
    planned: Plan
    completes: bool
    """Whether the tables that were open are still part of it."""


@dataclass(frozen=True, slots=True)
class Question:
    """Tables whose columns a person should confirm before they are used."""

    request: Request
    plan: Plan


@dataclass(frozen=True, slots=True)
class FilesMoved:
    """An evaluation's file that names files which are not found."""

    request: Request
    evaluation: EvaluationRead


def load(
    request: Request,
    options: Options,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
    remembered: Mapping[str, str],
) -> Loaded | Question | FilesMoved:
    """Read and join, or come back with a question. ``remembered`` has the choices for tables by
    the key of their shape. Raises FileError and Cancelled.
    """
    evaluation = next(filter(is_evaluation, request.paths), None)
    if evaluation is not None:
        return _load_evaluation(request, evaluation, cancelled, progress)
    tables = list(request.tables)
    for place, path in enumerate(request.paths):

        def tell(part: float, place: int = place) -> None:
            progress((place + part) / len(request.paths) * 0.8)

        tables += read(path, cancelled, tell)
    known = {
        place: choices
        for place, table in enumerate(tables)
        if (choices := Choices.from_json(remembered.get(shape_of(table).key, ""))) is not None
    }
    try:
        planned = _plan_as_before(tables, known, cancelled)
        if not planned.doubts:
            return build(request, planned, options, cancelled, progress)
    except FileError as error:
        if all(tables[place].source.file != error.source.file for place in known):
            raise
        planned = _plan_after_all(tables, error)
    return Question(request, planned)


def _load_evaluation(
    request: Request,
    path: Path,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> Loaded | Question | FilesMoved:
    """Read what an evaluation's file names, as it says. Raises FileError and Cancelled."""
    if len(request.paths) > 1:
        raise FileError(path, "Open an evaluation by itself, and add other files to it then.")
    read = read_evaluation(path, request.found)
    if read.missing:
        return FilesMoved(request, read)
    file = read.file
    options = file.chosen.options
    request = Request(
        (path,), options=options, repairs=file.repairs, found=request.found, evaluation=read
    )
    planned = read_files(read, cancelled, lambda part: progress(part * 0.8))
    try:
        if not planned.doubts:
            return build(request, planned, options, cancelled, progress)
    except FileError as error:
        if not doubting(planned, error):
            raise
    return Question(request, planned)


def _plan_as_before(
    tables: Sequence[Table], known: Mapping[int, Choices], cancelled: Callable[[], bool]
) -> Plan:
    """Tell what tables are, those of a remembered shape as a person chose then. Raises FileError
    where that cannot be.
    """
    choices: dict[int, Choices] = {}
    read_so = list(tables)
    for place, chosen in known.items():
        read_so[place] = _read_as_chosen(tables[place], chosen, cancelled)
        choices[id(read_so[place])] = chosen
    return plan(read_so, remembered=lambda table: choices.get(id(table)))


def _plan_after_all(tables: Sequence[Table], error: FileError) -> Plan:
    """Tell what tables are, without what is remembered, since that has failed for a file."""
    planned = plan(tables)
    why = f"It cannot be read as you chose for such a file before: {error.problem}"
    for place, part in enumerate(planned.parts):
        if part.table.source.file == error.source.file:
            planned.doubts[place] = why
    return planned


def _read_as_chosen(table: Table, known: Choices, cancelled: Callable[[], bool]) -> Table:
    """The table in the encoding and with the separator that were chosen for its shape."""
    dialect = known.dialect_for(table)
    if dialect is None:
        return table
    return read_as(table.path, file_bytes(table.path), dialect, cancelled)


def _up_to_date(part: Understood, base: Sequence[Understood]) -> Understood:
    """A table as its file now is, where it was saved after it was taken up. Raises FileError."""
    old = part.table
    path = real_path(old.path)
    now = [each.table for each in base if real_path(each.table.path) == path]
    if not now or any(table.digest == old.digest for table in now):
        return part
    data = file_bytes(old.path)
    chosen = old.dialect is not None and old.dialect.chosen
    found = [read_as(old.path, data, old.dialect)] if chosen and old.dialect else read(old.path)
    same = next((table for table in found if table.sheet == old.sheet), None)
    if same is None:
        raise FileError(old.path, "This table is no longer in the file.", old.sheet)
    return replace(part, table=same.with_header_row(old.header_row) if old.recut else same)


def build(
    request: Request,
    planned: Plan,
    options: Options,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> Loaded:
    """Join understood tables and score them. Raises FileError and Cancelled."""
    if request.again:
        parts, completes = [_up_to_date(part, request.base) for part in planned.parts], False
    else:
        parts, completes = combine(request.present, planned.parts)
    assembled = assemble(parts)
    same = completes or request.again or request.reload or request.evaluation is not None
    repairs = request.repairs if same else ()
    rankings = apply(assembled.rankings, repairs)
    progress(0.85)
    if cancelled():
        raise Cancelled
    evaluation, findings = join(assembled.judgments, rankings, assembled.ideal, options)
    evaluation.options = possible(options, evaluation)
    for ranking in range(len(evaluation.rankings)):
        if cancelled():
            raise Cancelled
        evaluation.scores(ranking)
    if len(evaluation.rankings) > 1:
        evaluation.groups()  # by which queries are filtered while rankings are compared
    progress(1.0)
    opened = Opened(
        evaluation=evaluation,
        parts=tuple(parts),
        judged=tuple(assembled.tables),
        unused=(*(request.unused if completes else ()), *planned.unused),
        findings=(*planned.findings, *map(_mended, repairs), *assembled.findings, *findings),
        repairs=repairs,
        proposed=tuple(propose(evaluation)),
    )
    return Loaded(request, opened, planned, completes)


def _mended(repair: Repair) -> Finding:
    return Finding("note", "mended", f"{repair.text} They are read as those of the judgments.")


def possible(options: Options, evaluation: Evaluation) -> Options:
    """An ideal from a column needs one; without it the ideal is that of all judged documents."""
    if options.ideal == "column" and not evaluation.has_given_ideal:
        return replace(options, ideal="judged")
    return options


def distinct(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Each file once, however it was named."""
    return tuple({real_path(path): path for path in reversed(paths)}.values())[::-1]


def combine(
    present: Sequence[Understood], new: Sequence[Understood]
) -> tuple[list[Understood], bool]:
    """The tables to use: new ones complete what is open where they bring only what it lacks, or a
    further ranking of the same judgments; else they take its place.
    """
    judges = any(part.roles.judges for part in new)
    has_judgments = any(part.roles.judges for part in present)
    files = {real_path(part.table.path) for part in new}
    kept = [part for part in present if real_path(part.table.path) not in files]
    if kept and judges != has_judgments:
        return [*kept, *new], True
    return list(new), False
