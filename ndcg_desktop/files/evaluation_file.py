"""An evaluation as one small file: which files, how they are read, and all that is chosen for them.

It is JSON that a person can read. Grades are not in it: they live in the files of judgments.
"""

from __future__ import annotations

import hashlib
import json
import math
import os.path
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

from ndcg_desktop.evaluation.lineup import Lineup
from ndcg_desktop.evaluation.queue import By, Pool, QueueOptions, Which
from ndcg_desktop.evaluation.remarks import MARKS
from ndcg_desktop.evaluation.repairs import Repair, What
from ndcg_desktop.evaluation.scale import Scale
from ndcg_desktop.evaluation.votes import is_rule
from ndcg_desktop.evaluation.wording import DECIMALS
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.files.plain_options import options_from, plain_options
from ndcg_desktop.files.read import file_bytes
from ndcg_desktop.files.shape import Choices
from ndcg_desktop.files.table import FileError
from ndcg_desktop.scoring.options import Options, OptionsError

SUFFIX = ".ndcg"
FORMAT = "nDCG Desktop evaluation"
VERSION = 1
"""Of the format. What only a later one can mean rightly has a higher number; names that are not
known are passed over."""
LARGEST = 64 * 1024 * 1024
"""Bytes of a file that may be an evaluation: some hundred thousand notes."""
HEAD = 200
"""Bytes in which the format is named."""
MOST_DECIMALS = 20

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class TableReading:
    """How one table of a file is read. ``columns`` are those of its shape, as it was read;
    ``query_name`` is the query of a table without a column for it, "" where its name tells it.
    """

    sheet: str | None
    used: bool
    columns: tuple[str, ...]
    choices: Choices
    query_name: str = ""


@dataclass(frozen=True, slots=True)
class FileReading:
    """One file: its ``path`` as it is written, from the folder of the evaluation's file and with
    “/”, the SHA-256 that it had, and its tables.
    """

    path: str
    sha256: str
    tables: tuple[TableReading, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is chosen for an evaluation; None where nothing is. ``merging`` makes one grade of
    several judges', who are called by ``names``, of headers.
    """

    options: Options = Options()  # noqa: RUF009 - it is frozen
    decimals: int = DECIMALS
    lineup: Lineup = Lineup()  # noqa: RUF009 - it is frozen
    scale: Scale | None = None
    merging: str | None = None
    names: tuple[tuple[str, str], ...] = ()
    queue: QueueOptions | None = None


@dataclass(frozen=True, slots=True, order=True)
class Remark:
    """What a judge, "" for nobody by name, has marked a document as, or noted about it."""

    query: str
    document: str
    owner: str
    text: str


@dataclass(frozen=True, slots=True)
class EvaluationFile:
    """All that an evaluation's file holds. ``notes`` are those that no file of judgments has."""

    files: tuple[FileReading, ...]
    repairs: tuple[Repair, ...] = ()
    chosen: Chosen = Chosen()
    marks: tuple[Remark, ...] = ()
    notes: tuple[Remark, ...] = ()

    def to_text(self, program: str, saved: str) -> str:
        """The content of the file; ``saved`` is the time, as ISO 8601 has it."""
        chosen = self.chosen
        plain = {
            "format": FORMAT,
            "version": VERSION,
            "program": program,
            "saved": saved,
            "files": [_plain_file(each) for each in self.files],
            "repairs": [{**asdict(each), "mapping": dict(each.mapping)} for each in self.repairs],
            "options": plain_options(chosen.options),
            "decimals": chosen.decimals,
            "lineup": asdict(chosen.lineup),
            "scale": None if chosen.scale is None else json.loads(chosen.scale.to_json()),
            "merging": chosen.merging,
            "names": chosen.names,
            "queue": None if chosen.queue is None else asdict(chosen.queue),
            "marks": [_plain_remark(each, "mark") for each in self.marks],
            "notes": [_plain_remark(each, "note") for each in self.notes],
        }
        return json.dumps(plain, ensure_ascii=False, indent=2) + "\n"


def _plain_file(file: FileReading) -> dict[str, Any]:
    tables = [
        {
            "sheet": table.sheet,
            "used": table.used,
            "columns": table.columns,
            "reading": json.loads(table.choices.to_json()),
            "query_name": table.query_name,
        }
        for table in file.tables
    ]
    return {"path": file.path, "sha256": file.sha256, "tables": tables}


def _plain_remark(remark: Remark, name: str) -> dict[str, str]:
    return {
        "query": remark.query,
        "document": remark.document,
        "owner": remark.owner,
        name: remark.text,
    }


# ---- reading


def is_evaluation(path: Path) -> bool:
    """Whether a file is the file of an evaluation, by its name or by how it begins."""
    if path.suffix.lower() == SUFFIX:
        return True
    try:
        if not path.is_file():  # to open a pipe would wait for its other end
            return False
        with path.open("rb") as file:
            head = file.read(HEAD)
    except (OSError, ValueError):
        return False
    return head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{") and FORMAT.encode() in head


def from_bytes(data: bytes, path: Path) -> EvaluationFile:
    """The evaluation that a file's bytes hold. Raises FileError where they hold none, or one that
    only a later version of the program can read.
    """
    plain = _plain(data, path)
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise FileError(path, "This is no evaluation of nDCG Desktop. Open the data files instead.")
    version = plain.get("version")
    if type(version) is not int or version < 1:
        raise FileError(path, "“version” is no number of a format: the file is damaged.")
    if version > VERSION:
        raise FileError(
            path,
            f"It was written by a later version of the program (format {version}; this one reads "
            f"up to {VERSION}). Install the newer version to open it.",
        )
    return _Reader(plain, path).evaluation()


def _plain(data: bytes, path: Path) -> Any:
    """The JSON of a file. Raises FileError, also for what no file could be written with again."""
    if len(data) > LARGEST:
        raise FileError(path, "This is no evaluation: it is too large.")
    try:
        plain = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse, parse_float=_finite)
        json.dumps(plain, ensure_ascii=False).encode()  # half a character, which JSON can spell
    except RecursionError:
        raise FileError(path, "It is damaged: it is nested too deeply to be read.") from None
    except json.JSONDecodeError as error:
        problem = (
            f"It is damaged: this is not valid JSON ({error.msg}). Take a copy from before, or "
            "open the data files and save the evaluation anew."
        )
        raise FileError(path, problem, row=error.lineno) from None
    except ValueError:  # no UTF-8, a number too large
        raise FileError(
            path, "It is damaged: it holds characters or numbers that no evaluation has."
        ) from None
    return plain


def _refuse(text: str) -> float:
    raise ValueError(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


class _Reader:
    """Takes the plain values of a file apart, and says which of them is not as it should be."""

    def __init__(self, plain: dict[str, Any], path: Path) -> None:
        self._plain = plain
        self._path = path

    def evaluation(self) -> EvaluationFile:
        files = self._read("files", _list_of(_file), None)
        if not files:
            raise FileError(self._path, "“files” names no file: there is nothing to open.")
        chosen = Chosen(
            self._read("options", options_from, Options()),
            self._read("decimals", _decimals, DECIMALS),
            self._read("lineup", Lineup.from_plain, Lineup()),
            self._read("scale", _optional(_scale), None),
            self._read("merging", _optional(_rule), None),
            self._read("names", _list_of(_name), ()),
            self._read("queue", _optional(_queue), None),
        )
        return EvaluationFile(
            files,
            self._read("repairs", _list_of(_repair), ()),
            chosen,
            self._read("marks", _list_of(_mark), ()),
            self._read("notes", _list_of(lambda each: _remark(each, "note")), ()),
        )

    def _read(self, name: str, read: Callable[[Any], _T], absent: _T | None) -> _T:
        """What stands under a name. Raises FileError where it cannot be meant."""
        if name not in self._plain and absent is not None:
            return absent
        try:
            return read(self._plain.get(name))
        except OptionsError as error:
            why = f" {error}"
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError):
            why = ""
        raise FileError(
            self._path, f"It is damaged: “{name}” holds something else than it should.{why}"
        )


def _list_of(read: Callable[[Any], _T]) -> Callable[[Any], tuple[_T, ...]]:
    def read_all(value: Any) -> tuple[_T, ...]:
        if not isinstance(value, list):
            raise TypeError(value)
        return tuple(read(each) for each in value)

    return read_all


def _optional(read: Callable[[Any], _T]) -> Callable[[Any], _T | None]:
    return lambda value: None if value is None else read(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _file(given: Any) -> FileReading:
    path = _text(given["path"])
    if not path.strip() or "\0" in path:
        raise ValueError(path)
    return FileReading(path, _text(given["sha256"]), _list_of(_table)(given["tables"]))


def _table(given: Any) -> TableReading:
    choices = Choices.from_json(json.dumps(given["reading"]))
    if choices is None or not isinstance(given["used"], bool):
        raise ValueError(given)
    return TableReading(
        _optional(_text)(given["sheet"]),
        given["used"],
        _list_of(_text)(given["columns"]),
        choices,
        _text(given.get("query_name", "")),
    )


def _repair(given: Any) -> Repair:
    mapping = {_text(old): _text(new) for old, new in given["mapping"].items()}
    if not mapping:
        raise ValueError(given)
    return Repair(
        _text(given["kind"]), _one_of(given["what"], What), _text(given["difference"]), mapping
    )


def _decimals(value: Any) -> int:
    return _whole(value, 0, MOST_DECIMALS)


def _whole(value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(value)
    return value


def _scale(value: Any) -> Scale:
    return Scale.from_json(json.dumps(value))


def _rule(value: Any) -> str:
    if not is_rule(_text(value)):
        raise ValueError(value)
    return str(value)


def _name(value: Any) -> tuple[str, str]:
    header, name = value
    return _text(header), _text(name)


def _queue(given: Any) -> QueueOptions:
    return QueueOptions(
        _one_of(given["which"], Which),
        _one_of(given["pool"], Pool),
        _one_of(given["by"], By),
        _optional(lambda depth: _whole(depth, 1, 2**31 - 1))(given["depth"]),
        _optional(lambda seed: _whole(seed, 0, 2**63 - 1))(given["seed"]),
        _whole(given["repeats"], 0, 100),
    )


def _mark(given: Any) -> Remark:
    remark = _remark(given, "mark")
    if remark.text not in MARKS:
        raise ValueError(remark.text)
    return remark


def _remark(given: Any, name: str) -> Remark:
    return Remark(*(_text(given[each]) for each in ("query", "document", "owner", name)))


def _one_of(value: Any, known: Any) -> Any:
    if value not in get_args(known):
        raise ValueError(value)
    return value


def as_written(path: Path, folder: Path) -> str:
    """A path as an evaluation's file in a folder names it: from there, and with “/”; in full where
    it lies on another drive. A link stays a link.
    """
    place = path.parent.resolve() / path.name
    try:
        return Path(os.path.relpath(place, folder.resolve())).as_posix()
    except ValueError:
        return place.as_posix()


# ---- writing


class OtherEvaluation(FileError):  # noqa: N818 - named for what has happened
    """The file is not the one that was opened or last saved."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            "This evaluation has been changed by another program since it was opened. Save over "
            "what it is now, or save to another file.",
        )


def write_evaluation(path: Path, text: str, known: str = "") -> str:
    """Write the text of an evaluation's file, whole or not at all; gives the SHA-256 of the file.

    Raises FileError, and OtherEvaluation where what is there has another SHA-256 than is ``known``.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        problem = (
            "A name in it has characters that no such file can hold: "
            f"{error.object[max(error.start - 20, 0) : error.end]!r}. Rename the file that is "
            "called so, and open it again."
        )
        raise FileError(path, problem) from None
    if known and path.is_file() and hashlib.sha256(file_bytes(path)).hexdigest() != known:
        raise OtherEvaluation(path)
    atomic_write(path, lambda file: file.write(data))
    return hashlib.sha256(data).hexdigest()
