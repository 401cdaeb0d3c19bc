"""Judgment lists of learning to rank (LETOR, MSLR, LibSVM with qid), with their features.

The features may be hundreds for each of a hundred thousand lines. They are read a block of lines
at a time, as numbers from bytes, and become columns of floats: NaN where a line has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.files.delimited import BYTE_ORDER_MARK, decode, split_lines
from ndcg_desktop.files.packed_numbers import MARGIN, numbers_at
from ndcg_desktop.files.table import Cancelled, Column, FileError, Table

BLOCK = 2_000
"""Lines whose features are read together."""

MOST_VALUES = 100_000_000
"""Features times lines, 800 MB. Beyond, the features are left out: grades are still there."""

LTR_LINE = re.compile(
    r"\s*+([+-]?\d+(?:\.\d+)?)\s+qid:(\S+)((?:\s+\d{1,15}:[^\s#]+)*+)(?:\s*+#\s*+(.*\S)?)?\s*+",
    re.ASCII,
)
"""Groups: grade, query, features, and what follows the “#”. Each blank is tried once, however many
there are.
"""

_FIRST = re.compile(r"\s*[+-]?\d+(\.\d+)?\s+qid:\S")
_QUERY = re.compile(r"#\s*+qid:(\S+?):\s*+(.*\S)?\s*")
_DOCUMENT = re.compile(r"(?:doc(?:id|no)?\s*=\s*)?(\S+)\s*(.*)", re.IGNORECASE)
"""A comment: “7555 Rambo”, or “docid = GX000 inc = 1 prob = 0.5” as LETOR has it."""

_COLON = ord(":")


def looks_like_ltr(head: bytes) -> bool:
    """Whether the first data line is "grade qid:Q …"."""
    for line in head.decode("utf-8-sig", "replace").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return _FIRST.match(line) is not None
    return False


def read_ltr(
    path: Path,
    data: bytes,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> Table:
    """Read "grade qid:Q [feature:value …] [# document text]", with "# qid:Q: text" for queries.

    Lines without a document get one named after their line, so that the ids stay the same. Raises
    FileError for what is no text, and Cancelled.
    """
    lines = split_lines(decode(path, data)[0].removeprefix(BYTE_ORDER_MARK))
    rows, features = _Rows(), _Features()
    for begin in range(0, len(lines), BLOCK):
        if cancelled():
            raise Cancelled
        progress(begin / len(lines))
        features.add(rows.add(lines[begin : begin + BLOCK], begin + 1))
    if not rows.number:
        raise FileError(path, "No line of the file reads as “grade qid:Q …”.")
    return _table(path, rows, features)


@dataclass(slots=True)
class _Rows:
    """What the lines say beside their features; ``number`` counts lines from 1."""

    grade: list[str] = field(default_factory=list)
    query: list[str] = field(default_factory=list)
    document: list[str] = field(default_factory=list)
    title: list[str] = field(default_factory=list)
    number: list[int] = field(default_factory=list)
    query_texts: dict[str, str] = field(default_factory=dict)
    bad: list[tuple[int, str]] = field(default_factory=list)
    unnamed: int = 0

    def add(self, lines: Sequence[str], first: int) -> list[str]:
        """Add some lines, and give the features of those that are data, as text."""
        features = []
        for number, line in enumerate(lines, first):
            if match := LTR_LINE.fullmatch(line):
                features.append(match[3])
                self._add(match, number)
            elif not line.lstrip().startswith("#"):
                if line.strip():
                    self.bad.append((number, line))
            elif query := _QUERY.fullmatch(line):
                self.query_texts[query[1]] = query[2] or ""
        return features

    def _add(self, match: re.Match[str], number: int) -> None:
        document = _DOCUMENT.fullmatch(match[4]) if match[4] else None
        self.unnamed += document is None
        self.grade.append(match[1])
        self.query.append(match[2])
        self.document.append(document[1] if document else f"line {number}")
        self.title.append(document[2] if document else "")
        self.number.append(number)


class _Features:
    """The values of the features, a matrix for each block of lines."""

    def __init__(self) -> None:
        self.odd: list[int] = []
        self.left_out = 0
        self._lines = 0
        self._names: set[int] = set()
        self._blocks: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []

    def add(self, texts: Sequence[str]) -> None:
        """Read the features of some more lines."""
        line, name, value = _pairs(texts)
        self.odd += (self._lines + np.unique(line[np.isnan(value)])).tolist()
        names, column = _numbered(name)
        self._lines += len(texts)
        self._names.update(names.tolist())
        if len(self._names) * self._lines > MOST_VALUES:
            self.left_out = len(self._names)
        if self.left_out:
            self._blocks.clear()
            return
        matrix = np.full((len(names), len(texts)), np.nan)
        matrix[column, line] = value  # of a feature that a line has twice, the last
        self._blocks.append((names, matrix))

    def columns(self) -> dict[int, NDArray[np.float64]]:
        """The column of each feature, in the order of their numbers."""
        if self.left_out:
            return {}
        columns = {name: np.full(self._lines, np.nan) for name in sorted(self._names)}
        begin = 0
        for names, matrix in self._blocks:
            end = begin + matrix.shape[1]
            for name, values in zip(names.tolist(), matrix, strict=True):
                columns[name][begin:end] = values
            begin = end
        return columns


def _pairs(
    texts: Sequence[str],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Line, feature and value of each "feature:value" of some lines; NaN for no number."""
    raw = "\n".join(texts).encode()
    padded = np.zeros(MARGIN + len(raw) + 1, dtype=np.uint8)
    padded[MARGIN:-1] = np.frombuffer(raw, dtype=np.uint8)
    text = padded[MARGIN:]
    # As in LTR_LINE: blanks are tab to carriage return, and the space. The text's end is one too.
    blank = (text == ord(" ")) | (text - 9 <= 13 - 9)
    blank[-1] = True
    edges = np.flatnonzero(np.diff(blank, prepend=True))
    start, end = edges[::2], edges[1::2]
    colons = np.flatnonzero(text == _COLON)
    colon = colons[np.searchsorted(colons, start)] if len(start) else start
    line = np.searchsorted(np.flatnonzero(text == ord("\n")), start)
    name = numbers_at(padded, start, colon).astype(np.int64)
    value = numbers_at(padded, colon + 1, end)
    value[np.isinf(value)] = np.nan
    return line, name, value


def _numbered(name: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different features, and which of them each is: mostly the same for every line."""
    most = int(name.max(initial=0))
    if most > 100 * len(name):
        return np.unique(name, return_inverse=True)
    names = np.flatnonzero(np.bincount(name, minlength=1))
    place = np.zeros(most + 1, dtype=np.int64)
    place[names] = np.arange(len(names))
    return names, place[name]


def _table(path: Path, rows: _Rows, features: _Features) -> Table:
    columns = features.columns()
    texts: list[Column] = [
        rows.grade,
        rows.query,
        [rows.query_texts.get(query, "") for query in rows.query],
        rows.document,
        rows.title,
    ]
    header = ("grade", "query id", "query", "document", "title")
    return Table(
        path=path,
        kind="ltr",
        header=(*header, *(f"feature {name}" for name in columns)),
        columns=(*texts, *columns.values()),
        row=np.array(rows.number, dtype=np.int32),
        findings=tuple(_findings(Source(path.name), rows, features)),
    )


def _findings(source: Source, rows: _Rows, features: _Features) -> list[Finding]:
    found = row_findings(
        "warning",
        "bad-line",
        source,
        [number for number, _ in rows.bad],
        lambda place: (
            "This line is not “grade qid:Q …” and was left out: " + rows.bad[place][1].strip()[:80]
        ),
    )
    found += row_findings(
        "warning",
        "not-a-number",
        source,
        [rows.number[place] for place in features.odd],
        lambda place: "A feature of this line is not a number. It counts as blank.",
    )
    if features.left_out:
        text = f"The file has {features.left_out:,} features, too many to be kept: all left out."
        found.append(Finding("warning", "features-left-out", text, source))
    if rows.unnamed == len(rows.number):
        text = "The file names no documents; each is called after its line: “line 1”, “line 2”, …"
        found.append(Finding("note", "no-document-ids", text, source))
    return found
