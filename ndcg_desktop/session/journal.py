"""The journal of a document: each change is on the disk as soon as it is made.

One SQLite file for each document holds the changes of every run that had it open, and how far each
run's are saved. What a dead run had not saved is offered at the next start; and the history can go
back to any point.

Whatever happens to the file, judging goes on: all that is raised is JournalError. A file that is
damaged is moved aside, and a new one begun.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ndcg_desktop.session.runs import Run, holder, is_alive

PATIENCE = 0.2
"""Seconds to wait for another program that writes: no longer, since the window waits too."""
_ROWS_AT_ONCE = 1_000
"""Changes between two looks at whether the history is still wanted."""
KEPT_DAYS = 400
"""Days after which a journal that nobody touched, and that has nothing unsaved, is removed."""

Value = float | str | None
"""A grade, a note or a mark; None: not judged, no note, no mark."""
Key = tuple[str, str, str, str]
"""What a value is of: its kind, owner, query and document."""

_KEY = ("kind", "owner", "query", "document")
_VERSION = 1
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS document (key TEXT, title TEXT, files TEXT, content TEXT)",
    "CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    # `last` is the id of a run's last change, `settled` of the last that is saved or given up.
    "CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY, pid INT, host TEXT, started REAL,"
    " last INT DEFAULT 0, settled INT DEFAULT 0) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS marks (run TEXT, what TEXT, upto INT, time REAL)",
    # `old` and `new` have no type: each value comes back as what it was.
    "CREATE TABLE IF NOT EXISTS changes (id INTEGER PRIMARY KEY, run TEXT, time REAL, judge TEXT,"
    " kind TEXT, query TEXT, document TEXT, old, new, owner TEXT, step INT, effect TEXT,"
    " seconds REAL, seen INT)",
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SMALLEST = 512
"""Bytes of the smallest database but for an empty one; SQLite takes less for a new one."""
_PROBLEMS = {
    sqlite3.SQLITE_BUSY: "another program keeps the file locked",
    sqlite3.SQLITE_LOCKED: "another program keeps the file locked",
    sqlite3.SQLITE_FULL: "there is no room left on the disk",
    sqlite3.SQLITE_READONLY: "the file or its folder does not allow writing",
    sqlite3.SQLITE_CANTOPEN: "the folder does not allow writing",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_NOTADB: "the file is damaged",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one value of one document by one judge."""

    time: float
    """Seconds since the epoch."""
    judge: str
    """The name of the person, "" where none was given."""
    kind: str
    """What the value is: "grade" of the file's one column, "vote" of one judge of several,
    "verdict", "note", "mark" or "repeat"."""
    query: str
    document: str
    old: Value
    new: Value
    owner: str = ""
    """The judge whose vote, note or mark it is."""
    step: int = 0
    """The changes of one user action share a number, which the journal gives."""
    effect: str = ""
    """The scores of the query before and after, as JSON text that is not looked at here."""
    seconds: float | None = None
    """Time spent on the document before the decision."""
    seen: int | None = None
    """How many documents were shown before it in this sitting."""

    @property
    def key(self) -> Key:
        """What was changed."""
        return (self.kind, self.owner, self.query, self.document)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A change in the journal: its number, and the run that made it."""

    id: int
    run: str
    change: Change


@dataclass(frozen=True, slots=True)
class Mark:
    """What became of a run's changes up to one of them: it stands right after that one."""

    run: str
    what: Literal["saved", "discarded", "restored"]
    upto: int
    time: float


class Told(NamedTuple):
    """A change as the history tells it."""

    id: int
    step: int
    time: float
    judge: str
    kind: str
    query: str
    document: str
    old: Value
    new: Value
    owner: str
    effect: str


@dataclass(frozen=True, slots=True)
class History:
    """What happened, oldest first: changes as the bare fields of a Told, of which there may be very
    many, and every mark.
    """

    changes: list[tuple[Any, ...]]
    marks: list[Mark]


@dataclass(frozen=True, slots=True)
class Left:
    """A document with changes that dead runs had not saved."""

    key: str
    title: str
    files: tuple[Path, ...]
    table: str
    """The content of a table that was entered by hand, as JSON text."""
    changes: int
    """How many values differ from what was saved."""
    time: float
    """When the last of them was changed."""
    path: Path
    """The journal's file."""


_FIELDS = tuple(field.name for field in fields(Change))
_COLUMNS = ", ".join(_FIELDS)
_GIVEN = tuple(name for name in _FIELDS if name != "step")
_TIME, _OLD, _NEW = (_FIELDS.index(name) for name in ("time", "old", "new"))
_INSERT = (
    f"INSERT INTO changes (id, run, step, {', '.join(_GIVEN)})"
    f" VALUES (?, ?, ?{', ?' * len(_GIVEN)})"
)
_values_of = attrgetter(*_GIVEN)
_key_of = itemgetter(*(_FIELDS.index(name) for name in _KEY))


class JournalError(Exception):
    """The journal cannot be kept or read; the text says why, and which file it is."""

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        self.problem = problem
        super().__init__(f"Changes are not kept for the case of a crash: {problem} ({path}).")


class _DamagedError(Exception):
    """The file is no database any more."""


_UNREADABLE = (sqlite3.Error, OSError, ValueError, TypeError, _DamagedError)


class Journal:
    """The changes of one document, on disk, of every run that had it open.

    It is a run of its own: two journals with one key count as two, in one program too.
    Raises JournalError, as every method does; nothing of what it was asked is done then.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self.key = key
        self.path = folder / f"{hashlib.sha256(_bytes(key)).hexdigest()[:32]}.sqlite"
        self.damaged: Path | None = None
        """Where a damaged journal was moved to, when there was one in the place of this."""
        self._folder = folder
        self._last = 0
        self._offered: dict[str, int] = {}
        with _explained(self.path):
            self._run = Run(folder)
            try:
                self._db = self._opened()
            except BaseException:
                self._run.end()
                raise
        try:
            self._register()
        except JournalError:
            self.close()
            raise

    # ---- writing

    def describe(self, title: str, files: Sequence[Path], table: str = "") -> None:
        """Say what to open again: files, or the content of a table that was entered by hand."""
        paths = json.dumps([str(path) for path in files])
        with self._writing():
            self._db.execute(
                "UPDATE document SET title = ?, files = ?, content = ?",
                [_stored(title), paths, _stored(table)],
            )

    def append(self, changes: Sequence[Change]) -> None:
        """Add the changes of one user action, as one step."""
        if not changes:
            return
        try:
            self._append([_values_of(change) for change in changes])
        except UnicodeEncodeError:  # half a character in an id
            self._append([tuple(map(_stored, _values_of(change))) for change in changes])

    def _append(self, rows: list[tuple[Any, ...]]) -> None:
        run = self._run.id
        with self._writing():
            first = self._db.execute("SELECT coalesce(max(id), 0) + 1 FROM changes").fetchone()[0]
            self._db.executemany(_INSERT, ((n, run, first, *r) for n, r in enumerate(rows, first)))
            last = first + len(rows) - 1
            self._db.execute("UPDATE runs SET last = ? WHERE id = ?", [last, run])
        self._last = last

    @property
    def last_id(self) -> int:
        """The number of this run's last change, 0 before the first."""
        return self._last

    def mark(self, what: Literal["saved", "discarded"], upto: int) -> None:
        """Say that this run's changes up to a number, a ``last_id``, are saved or given up."""
        with self._writing():
            self._settle(self._run.id, what, upto)

    def settle(self, what: Literal["restored", "discarded"]) -> None:
        """Offer no more what ``left_unsaved`` last gave: it was appended to this run, or given up.

        A run that has died since then is not meant.
        """
        with self._writing():
            for run, last in self._offered.items():
                self._settle(run, what, last)
        self._offered = {}

    def set_setting(self, name: str, text: str) -> None:
        """Keep a small setting of the document, as JSON text."""
        with self._writing():
            self._db.execute("REPLACE INTO settings VALUES (?, ?)", [name, _stored(text)])

    def copy_to(self, key: str) -> Journal:
        """The journal of another key, which has this history from now on: for "Save as".

        What this run has not saved is the copy's to offer, and given up here. The history of a
        file that was there before is gone, as that file is; other runs' changes are theirs to save.
        Both are open then, and to be closed; for its own key a journal gives itself.
        """
        if key == self.key:
            return self
        copy = Journal(self._folder, key)
        try:
            copy._take(self)
            if self._unsaved:
                self.mark("discarded", self._last)
        except BaseException:
            copy.close()
            raise
        return copy

    def close(self) -> None:
        """End the run. What it has not saved or given up is offered at the next start."""
        with suppress(sqlite3.Error):  # what was appended is on the disk already
            self._db.close()
        self._run.end()

    # ---- reading

    def changes(self) -> list[Recorded]:
        """Every change of every run, oldest first."""
        with _explained(self.path):
            rows = self._db.execute(f"SELECT id, run, {_COLUMNS} FROM changes ORDER BY id")
            return [Recorded(number, run, _change(row)) for number, run, *row in rows]

    def marks(self) -> list[Mark]:
        """Where changes were saved, given up or restored, oldest first."""
        with _explained(self.path):
            return _marks(self._db)

    @property
    def newest(self) -> int:
        """The number of the last change of any run, 0 before the first."""
        with _explained(self.path):
            row = self._db.execute("SELECT coalesce(max(id), 0) FROM changes").fetchone()
            return int(row[0])

    def left_unsaved(self) -> list[Change]:
        """What dead runs had not saved: of each value the first old and the last new, oldest first.

        Values that came back to what they were are left out.
        """
        with _explained(self.path):
            dead = _dead(self._db, self._folder)
            self._offered = {run: last for run, (_, last) in dead.items()}
            return [_change(row) for row in _left_by(self._db, dead)]

    def left_values(self) -> dict[Key, set[Value]]:
        """Every value that dead runs gave to what they had not saved, and the ones before: a file
        may hold any of them, as far as a save had come.
        """
        with _explained(self.path):
            known: dict[Key, set[Value]] = {}
            for _, row in _left_rows(self._db, _dead(self._db, self._folder)):
                change = _change(row)
                known.setdefault(change.key, set()).update((change.old, change.new))
            return known

    def last_values(self) -> dict[Key, Value]:
        """The last value that dead runs gave to what they had not saved, be it that of before."""
        with _explained(self.path):
            values: dict[Key, Value] = {}
            for _, row in _left_rows(self._db, _dead(self._db, self._folder)):
                change = _change(row)
                values.pop(change.key, None)  # in the order of their last changes
                values[change.key] = change.new
            return values

    def values_at(self, number: int) -> dict[Key, Value]:
        """The values just after a change, as the run that made it had them; of 0, before all.

        Only of what may have another value now: the rest is as it was then.
        """
        with _explained(self.path):
            return {**self._before_later(number), **self._made_until(number)}

    def _before_later(self, number: int) -> dict[Key, Value]:
        """What was changed later, with the value that it had until then."""
        rows = self._db.execute(
            "SELECT kind, owner, query, document, old, min(id) FROM changes WHERE id > ?"
            " GROUP BY kind, owner, query, document",
            [number],
        )
        return _keyed(rows)

    def _made_until(self, number: int) -> dict[Key, Value]:
        """What the run of a change had changed by then, itself: the next run need not have begun
        with it, if it was never saved.
        """
        rows = self._db.execute(
            "SELECT kind, owner, query, document, new, max(id) FROM changes WHERE id <= ?"
            " AND run = (SELECT run FROM changes WHERE id = ?)"
            " GROUP BY kind, owner, query, document",
            [number, number],
        )
        return _keyed(rows)

    def latest(self, kind: str) -> dict[Key, Value]:
        """The last value of each thing of a kind that was ever changed."""
        with _explained(self.path):
            rows = self._db.execute(
                "SELECT kind, owner, query, document, new, max(id) FROM changes WHERE kind = ?"
                " GROUP BY owner, query, document",
                [kind],
            )
            return _keyed(rows)

    def setting(self, name: str) -> str:
        """A small setting of the document, "" where it was never set."""
        with _explained(self.path):
            row = self._db.execute("SELECT value FROM settings WHERE name = ?", [name]).fetchone()
            return "" if row is None else str(_loaded(row[0]))

    # ---- within

    @property
    def _unsaved(self) -> bool:
        with _explained(self.path):
            row = self._db.execute("SELECT last > settled FROM runs WHERE id = ?", [self._run.id])
            return bool(row.fetchone()[0])

    def _opened(self) -> sqlite3.Connection:
        try:
            return _open(self.path)
        except _DamagedError:
            self.damaged = _moved_aside(self.path)
            return _open(self.path)

    def _register(self) -> None:
        with self._writing():
            self._db.execute(
                "INSERT INTO document SELECT ?, '', '[]', ''"
                " WHERE NOT EXISTS (SELECT * FROM document)",
                [_stored(self.key)],
            )
            self._db.execute(
                "INSERT INTO runs (id, pid, host, started) VALUES (?, ?, ?, ?)",
                [self._run.id, os.getpid(), platform.node(), time.time()],
            )

    def _settle(self, run: str, what: str, upto: int) -> None:
        self._db.execute("INSERT INTO marks VALUES (?, ?, ?, ?)", [run, what, upto, time.time()])
        self._db.execute(
            "UPDATE runs SET settled = max(settled, ?) WHERE id = ?",
            [upto, run],
        )

    def _take(self, source: Journal) -> None:
        """Have another journal's history instead of one's own, its run's part as this run's."""
        with _explained(self.path):
            self._db.execute("ATTACH ? AS source", [str(source.path)])
        try:
            with self._writing():
                self._copy_tables()
                self._continue(source._run.id)
        finally:
            with suppress(sqlite3.Error):
                self._db.execute("DETACH source")
        self._last = source._last

    def _copy_tables(self) -> None:
        self._db.execute("UPDATE runs SET last = 0, settled = 0")
        for table in ("settings", "marks", "changes"):
            self._db.execute(f"DELETE FROM {table}")
            self._db.execute(f"INSERT INTO {table} SELECT * FROM source.{table}")
        self._db.execute("REPLACE INTO runs SELECT * FROM source.runs")

    def _continue(self, run: str) -> None:
        """Go on in the place of a run; what the others have not saved is not offered here."""
        for table in ("marks", "changes"):
            self._db.execute(f"UPDATE {table} SET run = ? WHERE run = ?", [self._run.id, run])
        self._db.execute(
            "UPDATE runs SET (last, settled) = (SELECT last, settled FROM runs WHERE id = ?)"
            " WHERE id = ?",
            [run, self._run.id],
        )
        self._db.execute("UPDATE runs SET settled = last WHERE id <> ?", [self._run.id])

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of it is on the disk in the end, or nothing."""
        with _explained(self.path), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield


def read_history(
    path: Path, after: int = 0, cancelled: Callable[[], bool] = lambda: False
) -> History:
    """What happened after the change of a number, read on whatever thread this is called."""
    columns = ", ".join(Told._fields)
    with _explained(path), closing(_open_to_read(path)) as db:
        rows = db.execute(f"SELECT {columns} FROM changes WHERE id > ? ORDER BY id", [after])
        changes: list[tuple[Any, ...]] = []
        while not cancelled() and (some := rows.fetchmany(_ROWS_AT_ONCE)):
            changes += (
                tuple(map(_loaded, row)) if bytes in map(type, row) else row for row in some
            )
        return History(changes, _marks(db))


# ---- all journals of a folder


def left_behind(folder: Path) -> list[Left]:
    """Every document with changes that dead runs had not saved, newest first.

    What cannot be read is passed over.
    """
    found = []
    for path in folder.glob("*.sqlite"):
        with suppress(*_UNREADABLE):
            found += _left_in(path)
    return sorted(found, key=lambda left: left.time, reverse=True)


def prune(folder: Path) -> None:
    """Remove what is of no use any more: journals that nobody touched for long and that have
    nothing unsaved, damaged ones as old, and the locks of dead runs.
    """
    oldest = time.time() - KEPT_DAYS * 24 * 60 * 60
    for path in [*folder.glob("*.sqlite"), *folder.glob("*.damaged")]:
        with suppress(*_UNREADABLE):
            if path.stat().st_mtime < oldest and (path.suffix == ".damaged" or not _left_in(path)):
                _remove(path)
    for path in (folder / "runs").glob("*.lock"):
        holder(path)


def _left_in(path: Path) -> list[Left]:
    """What was left of one document, if anything was."""
    with closing(_open_to_read(path)) as db:
        rows = _left_by(db, _dead(db, path.parent))
        if not rows:
            return []
        _check(db)  # a damaged one gives nothing when it is opened
        key, title, files, table = map(_loaded, db.execute("SELECT * FROM document").fetchone())
        paths = tuple(Path(file) for file in json.loads(files))
        return [Left(key, title, paths, table, len(rows), rows[-1][_TIME], path)]


def _open_to_read(path: Path) -> sqlite3.Connection:
    # "immutable" spares three quarters of the time, and a journal without a WAL beside it is open
    # nowhere, or only just.
    in_use = _beside(path, "-wal").exists()
    mode = "mode=ro" if in_use else "mode=ro&immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=PATIENCE)


def _remove(path: Path) -> None:
    for each in (path, _beside(path, "-wal"), _beside(path, "-shm")):
        each.unlink(missing_ok=True)


# ---- the database


def _open(path: Path) -> sqlite3.Connection:
    """A journal's database, made where there was none.

    Raises _DamagedError, and whatever else keeps it from being opened.
    """
    if path.is_dir() or (path.exists() and 0 < path.stat().st_size < _SMALLEST):
        raise _DamagedError
    db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    try:
        _prepare(db, path)
    except BaseException as error:
        db.close()
        if isinstance(error, sqlite3.Error) and _code(error) in _DAMAGED:
            raise _DamagedError from error
        raise
    return db


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > _VERSION:
        raise JournalError(path, "the file is of a newer version of this program")
    _use_wal(db)
    db.execute("PRAGMA synchronous = NORMAL")
    if version:
        _check(db)
        return
    with db:
        db.execute("BEGIN IMMEDIATE")
        for statement in _SCHEMA:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {_VERSION}")


def _check(db: sqlite3.Connection) -> None:
    if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise _DamagedError


def _use_wal(db: sqlite3.Connection) -> None:
    """Let others read and write meanwhile. Of two that begin a file, SQLite lets one not wait."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(PATIENCE / 100)
        else:
            return


def _moved_aside(path: Path) -> Path:
    """Give a damaged journal another name; what may be told from it is kept."""
    aside = path.with_suffix(f".{time.time_ns()}.damaged")
    path.replace(aside)
    with suppress(FileNotFoundError):
        _beside(path, "-wal").replace(_beside(aside, "-wal"))
    _beside(path, "-shm").unlink(missing_ok=True)
    return aside


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Raise what goes wrong as JournalError."""
    try:
        yield
    except sqlite3.Error as error:
        raise JournalError(path, _PROBLEMS.get(_code(error), str(error))) from error
    except OSError as error:
        raise JournalError(path, f"the folder cannot be used: {error}") from error


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary code of an error, 0 where it is none of SQLite's."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


# ---- what was left, and rows


def _dead(db: sqlite3.Connection, folder: Path) -> dict[str, tuple[int, int]]:
    """The dead runs with something unsaved: their last settled change, and their last."""
    rows = db.execute("SELECT id, settled, last FROM runs WHERE last > settled").fetchall()
    return {run: (settled, last) for run, settled, last in rows if not is_alive(folder, run)}


def _left_rows(
    db: sqlite3.Connection, dead: dict[str, tuple[int, int]]
) -> Iterator[tuple[str, list[Any]]]:
    """The changes that runs had not saved, oldest first: the run, and the fields of the change."""
    if dead:
        first = min(settled for settled, _ in dead.values())
        found = db.execute(
            f"SELECT id, run, {_COLUMNS} FROM changes WHERE id > ? ORDER BY id", [first]
        )
        yield from ((r, row) for n, r, *row in found if r in dead and n > dead[r][0])


def _left_by(db: sqlite3.Connection, dead: dict[str, tuple[int, int]]) -> list[list[Any]]:
    """What runs had not saved, as rows of the fields of one change for each value.

    What one run took back is no reason to take back what another gave.
    """
    by_run: dict[str, list[list[Any]]] = {}
    for run, row in _left_rows(db, dead):
        by_run.setdefault(run, []).append(row)
    net = [row for rows in by_run.values() for row in _net(rows)]
    net.sort(key=itemgetter(_TIME))
    return list({_key_of(row): row for row in net}.values())


def _marks(db: sqlite3.Connection) -> list[Mark]:
    rows = db.execute("SELECT run, what, upto, time FROM marks ORDER BY rowid")
    return [Mark(*row) for row in rows]


def _net(rows: Iterable[list[Any]]) -> list[list[Any]]:
    net: dict[Any, list[Any]] = {}
    for row in rows:
        key = _key_of(row)
        row[_OLD] = net.pop(key, row)[_OLD]  # taken out: the last change says where it stands
        net[key] = row
    return [row for row in net.values() if row[_OLD] != row[_NEW]]


def _keyed(rows: Iterable[Sequence[Any]]) -> dict[Key, Value]:
    loaded = (tuple(map(_loaded, row)) for row in rows)
    return {
        (kind, owner, query, document): value for kind, owner, query, document, value, _ in loaded
    }


def _change(row: Sequence[Any]) -> Change:
    return Change(*map(_loaded, row)) if bytes in map(type, row) else Change(*row)


def _stored(value: Any) -> Any:
    """A value as the database can hold it: an id may have half a character, and its texts not."""
    return _bytes(value) if isinstance(value, str) and _LONE_SURROGATE.search(value) else value


def _loaded(value: Any) -> Any:
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
