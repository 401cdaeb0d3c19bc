"""The files that an evaluation's file names: where they are now, and read as they were then."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.evaluation.lineup import Lineup
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.evaluation_file import EvaluationFile, FileReading, TableReading, from_bytes
from ndcg_desktop.files.plan import Plan, plan
from ndcg_desktop.files.read import file_bytes, read_as, read_bytes
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.shape import as_read as table_as_read
from ndcg_desktop.files.shape import choices_of, shape_of
from ndcg_desktop.files.table import FileError, Table

CHANGED = "file-changed"
"""The code of the finding about a file that has changed since the evaluation was saved."""
OTHER_COLUMNS = "It has changed since the evaluation was saved, and has other columns now."


@dataclass(frozen=True, slots=True)
class EvaluationRead:
    """An evaluation's file as it was read, with the SHA-256 of it, and where its files are now:
    None for those that are not found.
    """

    path: Path
    file: EvaluationFile
    digest: str
    places: tuple[Path | None, ...]

    @property
    def missing(self) -> list[str]:
        """The paths, as they are written, of the files that are not found."""
        pairs = zip(self.file.files, self.places, strict=True)
        return [file.path for file, place in pairs if place is None]


def read_evaluation(path: Path, found: Mapping[str, Path] | None = None) -> EvaluationRead:
    """Read an evaluation's file and look where its files are; ``found`` says where those are that
    have moved, by the path that is written. Raises FileError.
    """
    if path.is_fifo():  # nobody may be at its other end
        raise FileError(path, "This is a pipe and no file.")
    data = file_bytes(path)
    file = from_bytes(data, path)
    found = found or {}
    folders = list(dict.fromkeys([path.parent, *(place.parent for place in found.values())]))
    places = tuple(_place(each.path, path.parent, found, folders) for each in file.files)
    names = {
        _name_of(each.path): place.name
        for each, place in zip(file.files, places, strict=True)
        if place is not None
    }
    chosen = replace(file.chosen, lineup=_renamed(file.chosen.lineup, names))
    digest = hashlib.sha256(data).hexdigest()
    return EvaluationRead(path, replace(file, chosen=chosen), digest, places)


def _renamed(lineup: Lineup, names: Mapping[str, str]) -> Lineup:
    """The same line-up of rankings whose files have other names now, which are their keys."""
    entrants = tuple(
        replace(
            each,
            key=names.get(each.key, each.key),
            name=names.get(each.name, each.name) if each.name == each.key else each.name,
        )
        for each in lineup.entrants
    )
    return replace(lineup, entrants=entrants, baseline=names.get(lineup.baseline, lineup.baseline))


def _name_of(written: str) -> str:
    """The name of a file by its path as it is written, on whatever system that was."""
    return written.replace("\\", "/").rpartition("/")[2]


def _place(
    written: str, home: Path, found: Mapping[str, Path], folders: Iterable[Path]
) -> Path | None:
    """Where a file is: where it was told to be, where it is written to be, or else in one of the
    folders under its own name.
    """
    name = _name_of(written)
    there = home.resolve() / written
    tried = [found.get(written, there)]
    tried += [folder / name for folder in folders if name]
    place = next((place for place in tried if _is_file(place)), None)
    return None if place is None else place.parent.resolve() / place.name


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):  # a name that is too long, or none at all
        return False


def not_there(read: EvaluationRead) -> FileError:
    """What is said where nobody can be asked for files that are not found."""
    names = ", ".join(read.missing)
    if len(read.missing) == 1:
        problem = f"{names}, which it names, is not there. Put it back, or beside the evaluation."
    else:
        problem = f"Files that it names are not there: {names}. Put them back, or beside it."
    return FileError(read.path, problem)


# ---- reading the files


def read_files(
    read: EvaluationRead,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> Plan:
    """Read all files as the evaluation says. A file that has changed is a finding; where its
    columns are others, it is a doubt as with any new file. Raises FileError and Cancelled.
    """
    out = Plan([])
    for number, (file, place) in enumerate(zip(read.file.files, read.places, strict=True)):
        if place is None:
            raise not_there(read)

        def tell(part: float, number: int = number) -> None:
            progress((number + part) / len(read.places))

        data = file_bytes(place)
        changed = hashlib.sha256(data).hexdigest() != file.sha256
        if changed:
            out.findings.append(_changed(place))
        tables = read_bytes(place, data, cancelled, tell)
        _add(file, data, tables, changed, read.file.chosen.names, out)
    return out


def _changed(place: Path) -> Finding:
    text = "The file has changed since the evaluation was saved. It is read as it is now."
    return Finding("warning", "file-changed", text, Source(place.name))


def _add(
    file: FileReading,
    data: bytes,
    tables: Sequence[Table],
    changed: bool,
    names: tuple[tuple[str, str], ...],
    out: Plan,
) -> None:
    """Add the tables of one file to those that are used, and to the others."""
    used = [reading for reading in file.tables if reading.used]
    parts = [_as_saved(reading, data, tables, changed) for reading in used]
    if any(part is None for part in parts):
        _add_guessed(tables, out)
        return
    for part in parts:
        assert part is not None
        out.parts.append(replace(part, names=names) if part.roles.judges else part)
    taken = {reading.sheet for reading in used}
    known = {reading.sheet: reading for reading in file.tables}
    for table in tables:
        if table.sheet not in taken:
            reading = known.get(table.sheet)
            part = None if reading is None else _as_saved(reading, data, [table], changed)
            out.unused.append(part or Understood(table, guess(table).roles))


def _as_saved(
    reading: TableReading, data: bytes, tables: Sequence[Table], changed: bool
) -> Understood | None:
    """A table as it was read when the evaluation was saved; None where it is not there any more, or
    has other columns.
    """
    table = next((each for each in tables if each.sheet == reading.sheet), None)
    if table is None:
        return None
    dialect = reading.choices.dialect_for(table)
    if dialect is not None:
        table = read_as(table.path, data, dialect)
    if changed and shape_of(table).columns != reading.columns:
        return None
    part = reading.choices.apply(table)
    return None if part is None else replace(part, query_name=reading.query_name)


def _add_guessed(tables: Sequence[Table], out: Plan) -> None:
    """Add a file whose tables are others now as a new one, for a person to look at."""
    guessed = plan(tables)
    begin = len(out.parts)
    for place, part in enumerate(guessed.parts):
        doubt = guessed.doubts.get(place, "")
        out.doubts[begin + place] = f"{OTHER_COLUMNS} {doubt}".rstrip()
        out.parts.append(part)
    out.findings += guessed.findings
    out.unused += guessed.unused


def doubting(planned: Plan, error: FileError) -> bool:
    """Make what cannot be used as it was a doubt, where that is because its file has changed; gives
    whether it is so.
    """
    changed = {
        found.source.file
        for found in planned.findings
        if found.code == CHANGED and found.source is not None
    }
    places = [
        place
        for place, part in enumerate(planned.parts)
        if part.table.path.name in changed and part.table.source.file == error.source.file
    ]
    for place in places:
        planned.doubts[place] = f"It cannot be read as before: {error.problem}"
    return bool(places)


# ---- what is open, to be written down


def readings(
    parts: Sequence[Understood],
    unused: Sequence[Understood],
    written: Callable[[Path], str],
) -> tuple[FileReading, ...]:
    """How tables are read that are open, by their files in the order in which these are used;
    ``written`` gives the path of a file as it is to be written.
    """
    files: dict[Path, list[TableReading]] = {}
    digests: dict[Path, str] = {}
    for used, tables in ((True, parts), (False, unused)):
        for part in tables:
            path = part.table.path
            if used or path in files:
                files.setdefault(path, []).append(_reading(part, used))
                digests[path] = part.table.digest
    return tuple(
        FileReading(written(path), digests[path], tuple(tables)) for path, tables in files.items()
    )


def _reading(part: Understood, used: bool) -> TableReading:
    table = table_as_read(part.table)
    choices = choices_of(part, table)
    return TableReading(part.table.sheet, used, shape_of(table).columns, choices, part.query_name)
