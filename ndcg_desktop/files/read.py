"""Read a file of any kind: what it is, is told by its content and not by its name."""

from __future__ import annotations

import codecs
import hashlib
import stat
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.files import trec
from ndcg_desktop.files.archives import LARGEST, OLE, PARQUET, ZIP, table_in_zip, unpacked
from ndcg_desktop.files.delimited import decode, decoded, read_delimited
from ndcg_desktop.files.json_tables import read_json
from ndcg_desktop.files.json_text import looks_like_json
from ndcg_desktop.files.ltr import looks_like_ltr, read_ltr
from ndcg_desktop.files.odd_bytes import is_utf8, mended
from ndcg_desktop.files.parquet import read_parquet
from ndcg_desktop.files.spreadsheet_xml import looks_like_spreadsheet_xml, read_spreadsheet_xml
from ndcg_desktop.files.table import Dialect, FileError, Table
from ndcg_desktop.files.web_page import looks_like_page, looks_like_web_archive, read_page
from ndcg_desktop.files.wide_rows import beside
from ndcg_desktop.files.workbook import read_workbook

HEAD = 64 * 1024
FEW_LINES = 50
MOST_LINES = 0.6
BAD_LINES = 200
"""Lines that cannot be read and are told one by one."""

_TEXTS = ("delimited", "qrels", "run", "ltr", "json")
_GUESSED = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}
_TrecKind = Literal["qrels", "run", "run without Q0"]
_NO_BREAK_SPACE = "\u00a0".encode()
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _never() -> bool:
    return False


def _nowhere(_: float) -> None:
    return None


def read(
    path: Path,
    cancelled: Callable[[], bool] = _never,
    progress: Callable[[float], None] = _nowhere,
) -> list[Table]:
    """The tables of a file: one, or one for each sheet of a workbook, or table of a web page, that
    holds something.

    ``progress`` is told the part done, 0 to 1. Raises FileError, whose text a person can act on,
    and Cancelled once ``cancelled`` is true.
    """
    return read_bytes(path, file_bytes(path), cancelled, progress)


def read_bytes(
    path: Path,
    data: bytes,
    cancelled: Callable[[], bool] = _never,
    progress: Callable[[float], None] = _nowhere,
) -> list[Table]:
    """Read the tables of a file from its bytes, as `read` does; ``path`` is not looked at."""
    content = unpacked(path, data)
    packed = table_in_zip(path, content)
    if packed is None:
        tables = _told_of_bytes(_tables(path, content, cancelled, progress), content)
    else:
        tables = _tables_of_member(path, *packed, cancelled, progress)
    digest = hashlib.sha256(data).hexdigest()
    return [_told_of_width(replace(table, digest=digest)) for table in tables]


def _tables_of_member(
    path: Path,
    member: str,
    data: bytes,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> list[Table]:
    """The tables of the one file in an archive; what is said about them names that file too."""
    inside = f"{path.name} ({member})"
    try:
        content = unpacked(path, data)
        if table_in_zip(path, content) is not None:
            raise FileError(path, "It is an archive itself. Unpack it and open the file in it.")
        tables = _told_of_bytes(_tables(path, content, cancelled, progress), content)
    except FileError as error:
        raise FileError(inside, error.problem, error.source.sheet, error.row) from error
    named = [replace(table, member=member) for table in tables]
    return [
        replace(t, findings=tuple(replace(found, source=t.source) for found in t.findings))
        for t in named
    ]


def read_as(
    path: Path,
    data: bytes,
    dialect: Dialect,
    cancelled: Callable[[], bool] = _never,
    progress: Callable[[float], None] = _nowhere,
) -> Table:
    """Read a file's bytes as delimited text of this encoding and delimiter, whatever it looks like.

    Raises FileError and Cancelled.
    """
    table = read_delimited(path, unpacked(path, data), cancelled, progress, dialect)
    return replace(table, digest=hashlib.sha256(data).hexdigest())


def file_digest(path: Path) -> str:
    """SHA-256 of a file as it is on disk now. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _tables(
    path: Path,
    data: bytes,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> list[Table]:
    if not data or data.isspace():
        raise FileError(path, "The file is empty.")
    head = data[:HEAD]
    if head.startswith((ZIP, OLE)):
        return _some(path, read_workbook(path, data, cancelled, progress))
    if head.startswith(PARQUET):
        return [read_parquet(path, data, cancelled, progress)]
    plain = data
    if head.startswith(_UTF16):  # as PowerShell writes what is redirected to a file
        plain = decode(path, data)[0].encode()
        head = plain[:HEAD]
    if looks_like_spreadsheet_xml(head):
        return _some(path, read_spreadsheet_xml(path, data, cancelled, progress))
    if looks_like_page(head):
        return read_page(path, data, cancelled, progress)
    if looks_like_web_archive(head):
        raise FileError(path, "This is a web archive. Open it in Excel and save it as .xlsx.")
    if looks_like_json(head):
        return read_json(path, data, cancelled, progress)
    if looks_like_ltr(head):
        return [read_ltr(path, data, cancelled, progress)]
    kind = _trec_kind(head)
    if kind is None and (b"\r" in head or _NO_BREAK_SPACE in head) and b"," not in head:
        other = _with_plain_blanks(plain)
        kind = _trec_kind(other[:HEAD])
        plain = plain if kind is None else other
    if kind is not None and not is_utf8(plain) and (text := mended(plain)) is not None:
        plain = text[0].encode()
    if kind == "qrels":
        return [_qrels(path, trec.read_qrels(plain, cancelled, progress))]
    if kind == "run":
        return [_run(path, trec.read_run(plain, cancelled, progress))]
    if kind == "run without Q0":
        return [_run(path, trec.read_run(plain, cancelled, progress, trec.WITHOUT_Q0))]
    return [read_delimited(path, data, cancelled, progress)]


def _told_of_bytes(tables: list[Table], data: bytes) -> list[Table]:
    """Say in which encoding a text was read, where that is a guess."""
    if not tables or tables[0].kind not in _TEXTS or is_utf8(data):
        return tables
    source = tables[0].source
    encoding = decoded(data)[1]
    odd = mended(data) if encoding == "utf-8" else None
    if odd is not None:
        text = (
            "This line has bytes that are not UTF-8, as the rest of the file is. They were read as "
            "Windows-1252. The file cannot be changed in place."
        )
        found = row_findings("warning", "odd-bytes", source, odd[1], lambda _: text)
    elif encoding in _GUESSED:
        text = (
            f"The file is not UTF-8. It was read as {_GUESSED[encoding]}: see whether its letters "
            "beyond A to Z are right. Where they are not, save it as UTF-8 anew."
        )
        found = [Finding("note", "encoding-guessed", text, source)]
    else:
        return tables
    return [replace(tables[0], findings=(*tables[0].findings, *found)), *tables[1:]]


def _with_plain_blanks(data: bytes) -> bytes:
    """Lines that end with CR alone end with LF, and no-break spaces are spaces."""
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return data.replace(_NO_BREAK_SPACE, b" ")


def _trec_kind(head: bytes) -> _TrecKind | None:
    return trec.looks_like(head) or _kind_of_most_lines(head)


def _kind_of_most_lines(head: bytes) -> _TrecKind | None:
    """What most of the few lines of a file read as, the first among them: the others are bad
    lines. In a longer file these are few enough for `trec.looks_like`.
    """
    lines = [line for line in head.split(b"\n") if line.strip()]
    if not lines or len(lines) > FEW_LINES or trec.looks_like(lines[0]) is None:
        return None
    kinds = [trec.looks_like(line) for line in lines]
    kind, count = Counter(kinds).most_common(1)[0]
    if kind is None or kind != kinds[0] or count < max(2, MOST_LINES * len(lines)):
        return None
    good = [line for line, its in zip(lines, kinds, strict=True) if its == kind]
    return kind if trec.looks_like(b"\n".join(good)) == kind else None


def _told_of_width(table: Table) -> Table:
    if table.kind != "workbook":
        return table
    return replace(table, findings=(*table.findings, *beside(table)))


def _some(path: Path, tables: list[Table]) -> list[Table]:
    if not tables:
        raise FileError(path, "The workbook holds no table.")
    return tables


def file_bytes(path: Path) -> bytes:
    """Read all of a file. Raises FileError where that cannot be done."""
    if "\0" in str(path):
        raise FileError(path, "There is no such file.")
    try:
        found = path.stat()
        size = found.st_size
        if path.is_dir():
            raise FileError(path, "This is a folder. Open the files in it.")
        if size > LARGEST:
            raise FileError(
                path, f"The file is too large ({size / 1024**3:.1f} GiB; 4 is the most)."
            )
        if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
            raise FileError(path, "This is a device and no file.")
        return path.read_bytes()
    except FileNotFoundError:
        raise FileError(path, "There is no such file.") from None
    except PermissionError:
        raise FileError(path, "The file may not be read (no permission).") from None
    except OSError as error:
        raise FileError(path, f"The file cannot be read ({error.strerror}).") from error


def _qrels(path: Path, qrels: trec.Qrels) -> Table:
    table = Table(
        path=path,
        kind="qrels",
        header=("query", "iteration", "document", "grade"),
        columns=(qrels.query, qrels.subtopic, qrels.document, qrels.grade),
        row=qrels.line,
    )
    found = _bad_lines(table, qrels.bad, qrels.left_out)
    for line in qrels.hash_data[:20]:
        text = "This line begins with “#” but reads as a judgment. It is taken for one."
        found.append(Finding("warning", "hash-line", text, table.source, line))
    return replace(table, findings=tuple(found))


def _run(path: Path, run: trec.Run) -> Table:
    table = Table(
        path=path,
        kind="run",
        header=("query", "document", "rank", "score"),
        columns=(run.query, run.document, run.rank, run.score),
        row=run.line,
    )
    return replace(table, findings=tuple(_bad_lines(table, run.bad, run.left_out)))


def _bad_lines(table: Table, bad: list[trec.BadLine], left_out: int) -> list[Finding]:
    found = [
        Finding(
            "warning",
            "bad-line",
            f"{line.problem} The line was left out: {line.text[:80]}",
            table.source,
            line.line,
        )
        for line in bad[:BAD_LINES]
    ]
    if left_out > len(found):
        more = f"… and {left_out - len(found):,} more lines that were left out."
        found.append(Finding("warning", "bad-line", more, table.source))
    return found
