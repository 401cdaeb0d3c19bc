"""TREC qrels and runs, from bytes to columns, a chunk of lines at a time.

Lines end with LF or CR LF. Fields are set apart by any run of blanks: spaces, tabs and other
control characters. A line that holds a NUL, or is longer than LONGEST_LINE, is never data. A file
that is not valid UTF-8 is taken for Windows-1252.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.ids import Ids, Rows, count_type
from ndcg_desktop.files.packed_numbers import MARGIN, float_or_nan, numbers_at
from ndcg_desktop.files.table import Cancelled

CHUNK = 1 << 19
"""Bytes that are worked on together."""

PIECE = 1 << 23
"""Bytes that are scanned together before the reading. It is well above what a chunk takes: glibc
holds back, once it is freed, as much for the chunks, which then cost no page faults."""

LONGEST_LINE = 1 << 16
MOST_BAD = 1000
"""Bad lines that are kept. Further ones are only counted."""

HEAD = 64 * 1024
LINES_LOOKED_AT = 200
NEARLY_ALL = 0.9

_ALL = slice(None)
_BOM = b"\xef\xbb\xbf"
_LF, _SPACE, _QUOTE, _HASH = b'\n "#'
_COMMENT = (b"#", b"//")
_SHOWN = 200
_QRELS_FIELDS = 4
_RUN_FIELDS = 5
_SHORTEST_LINE = len(b"1 0 2 3\n")
_UNREADABLE = -1
_UNREADABLE_LINE = "This line is too long, or holds bytes that are not text."
_LAST_ASCII = 127
_ITERATION = re.compile(rb"-?\d{1,4}|[Qq]\d|[A-Za-z_-]+")


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was left out: its number from 1, its first 200 characters, and why."""

    line: int
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judgments, a row each, shape (N,); ``line`` counts from 1.

    ``hash_data`` are the lines of data that begin with "#". ``bad`` holds the first MOST_BAD of
    the ``left_out`` lines that do not read as data.
    """

    query: Ids
    subtopic: Ids
    document: Ids
    grade: NDArray[np.float64]
    line: NDArray[np.int32]
    bad: list[BadLine]
    comments: list[int]
    hash_data: list[int]
    left_out: int


@dataclass(frozen=True, slots=True)
class Run:
    """A ranking, a row for each document returned, shape (N,); ``line`` counts from 1.

    ``rank`` is NaN where it is no number; ``tag`` is that of the first row that has one. ``bad``
    holds the first MOST_BAD of the ``left_out`` lines that do not read as data.
    """

    query: Ids
    document: Ids
    rank: NDArray[np.float64]
    score: NDArray[np.float64]
    tag: str
    line: NDArray[np.int32]
    bad: list[BadLine]
    comments: list[int]
    left_out: int


@dataclass(frozen=True, slots=True)
class RunForm:
    """The fields of a line of a ranking, by number from 0, and their names."""

    document: int
    rank: int
    score: int
    names: str

    @property
    def tag(self) -> int:
        """The field below which all must be there; what follows it is left out."""
        return self.score + 1


WITH_Q0 = RunForm(2, 3, 4, "6 fields (query, Q0, document, rank, score and tag)")
WITHOUT_Q0 = RunForm(1, 2, 3, "5 fields (query, document, rank, score and tag)")


def looks_like(data: bytes) -> Literal["qrels", "run", "run without Q0"] | None:
    """Tell what the beginning of a file, up to 64 KiB, reads as; None if it is neither."""
    data = data[:HEAD]
    if b"\0" in data or data.count(b"\r") > data.count(b"\r\n") + data.endswith(b"\r"):
        return None
    lines = data.removeprefix(_BOM).split(b"\n")
    if len(data) == HEAD:
        del lines[-1]  # it may be cut
    lines = [line.strip() for line in lines]
    lines = [line for line in lines if line and not line.startswith(_COMMENT)][:LINES_LOOKED_AT]
    rows = [line.split() for line in lines]
    if not rows or any(_is_delimited(lines, mark) for mark in (b",", b";", b"|")):
        return None
    if _nearly_all(rows, _is_judgment):
        return "qrels" if _have_iterations(rows) else None
    if _nearly_all(rows, _is_result) and len({row[1] for row in rows if len(row) > 1}) <= 2:
        return "run"
    if _nearly_all(rows, _is_result_without_q0) and len({row[-1] for row in rows}) == 1:
        return "run without Q0"
    return None


def _is_delimited(lines: Sequence[bytes], mark: bytes) -> bool:
    counts = {line.count(mark) for line in lines}
    return len(counts) == 1 and counts.pop() >= 2


def _nearly_all(rows: Sequence[list[bytes]], test: Callable[[list[bytes]], bool]) -> bool:
    """Tell whether nearly all rows pass, the first among them: it may be a header."""
    return test(rows[0]) and sum(map(test, rows)) >= NEARLY_ALL * len(rows)


def _is_judgment(row: list[bytes]) -> bool:
    return (
        len(row) == _QRELS_FIELDS
        and _ITERATION.fullmatch(row[1]) is not None
        and math.isfinite(float_or_nan(row[3].strip(b'"')))
    )


def _is_result(row: list[bytes]) -> bool:
    return (
        len(row) >= _RUN_FIELDS
        and _ITERATION.fullmatch(row[1]) is not None
        and not math.isnan(float_or_nan(row[3]))
        and not math.isnan(float_or_nan(row[4]))
    )


def _is_result_without_q0(row: list[bytes]) -> bool:
    return (
        len(row) == _RUN_FIELDS
        and row[2].isdigit()
        and not math.isnan(float_or_nan(row[3]))
        and math.isnan(float_or_nan(row[4]))
    )


def _have_iterations(rows: Sequence[list[bytes]]) -> bool:
    """Tell whether the second column holds iterations or subtopics.

    In a table of query, document, rank and score it holds documents: many different words, or
    numbers beside a third column that counts 1, 2, 3 for each query.
    """
    rows = [row for row in rows if len(row) == _QRELS_FIELDS]
    different = {row[1] for row in rows}
    words = [word for word in different if not word.lstrip(b"-").isdigit()]
    if len(words) > max(1, len(rows) // 2):
        return False
    return len(different) == 1 or not _counts_up(rows)


def _counts_up(rows: Sequence[list[bytes]]) -> bool:
    rank: dict[bytes, int] = {}
    for query, _, place, _ in rows:
        rank[query] = rank.get(query, 0) + 1
        if place != b"%d" % rank[query]:
            return False
    return True


def read_qrels(
    data: NDArray[np.uint8] | bytes,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[float], None] = lambda done: None,
) -> Qrels:
    """Read lines of "query subtopic document grade".

    ``data`` is contiguous, shape (B,). The ids stay in its buffer, or in a copy if it is not
    UTF-8. ``progress`` is told the part done, 0 to 1. Raises Cancelled once ``cancelled`` is true.
    """
    buffer = _as_utf8(data)
    rows = _Rows(buffer, ids=(0, 1, 2), numbers=1)
    hash_data: list[int] = []
    for lines in _chunks(buffer, cancelled, progress):
        chosen = lines.those(lines.count == _QRELS_FIELDS)
        grade = numbers_at(lines.padded, *_unquoted(lines, *lines.fields(chosen, 3)))
        good = np.isfinite(grade)
        chosen = lines.those(good, chosen)
        rows.extend(lines, chosen, grade[good])
        rows.extend_rest(lines, chosen, _qrels_problem)
        begin, _ = lines.fields(chosen, 0)
        hash_data += lines.numbers(chosen)[lines.text[begin] == _HASH].tolist()
    query, subtopic, document = (column.ids() for column in rows.ids)
    grade = rows.numbers[0].values()
    line = rows.line.values()
    return Qrels(
        query, subtopic, document, grade, line, rows.bad, rows.comments, hash_data, rows.left_out
    )


def read_run(
    data: NDArray[np.uint8] | bytes,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[float], None] = lambda done: None,
    form: RunForm = WITH_Q0,
) -> Run:
    """Read lines of "query Q0 document rank score [tag [more words]]", as ``read_qrels`` does, or
    of another form.
    """
    buffer = _as_utf8(data)
    rows = _Rows(buffer, ids=(0, form.document), numbers=2)
    tag = ""
    for lines in _chunks(buffer, cancelled, progress):
        chosen = lines.those(lines.count >= form.tag)
        score = numbers_at(lines.padded, *lines.fields(chosen, form.score))
        good = ~np.isnan(score)
        chosen = lines.those(good, chosen)
        rank = numbers_at(lines.padded, *lines.fields(chosen, form.rank))
        rows.extend(lines, chosen, rank, score[good])
        rows.extend_rest(lines, chosen, partial(_run_problem, form))
        tag = tag or _tag(lines, chosen, form)
    query, document = (column.ids() for column in rows.ids)
    rank, score = (column.values() for column in rows.numbers)
    line = rows.line.values()
    return Run(query, document, rank, score, tag, line, rows.bad, rows.comments, rows.left_out)


def _tag(lines: _Lines, chosen: Rows, form: RunForm) -> str:
    """Return the tag of the first of these lines that has one."""
    tagged = np.arange(len(lines.count))[chosen][lines.count[chosen] > form.tag]
    return lines.field(int(tagged[0]), form.tag) if len(tagged) else ""


def _qrels_problem(lines: _Lines, line: int) -> str:
    if lines.count[line] != _QRELS_FIELDS:
        return (
            "A judgment has 4 fields (query, iteration, document and grade); "
            f"this line has {lines.count[line]}."
        )
    return f"The grade “{lines.field(line, 3)}” is not a finite number."


def _run_problem(form: RunForm, lines: _Lines, line: int) -> str:
    if lines.count[line] < form.tag:
        return f"A line of a ranking has {form.names}; this one has {lines.count[line]}."
    return f"The score “{lines.field(line, form.score)}” is not a number."


def _unquoted(
    lines: _Lines, start: NDArray[np.int64], end: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Take the double quotes off the fields that stand in a pair of them."""
    quoted = (lines.text[start] == _QUOTE) & (lines.text[end - 1] == _QUOTE) & (end - start > 1)
    return start + quoted, end - quoted


def _as_utf8(data: NDArray[np.uint8] | bytes) -> NDArray[np.uint8]:
    buffer = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else np.asarray(data)
    if _is_utf8(buffer):
        return buffer
    text = buffer.tobytes().decode("cp1252", "replace")
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _is_utf8(buffer: NDArray[np.uint8]) -> bool:
    """Tell whether the bytes are UTF-8; the last character may be cut."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for piece in _pieces(buffer):
            unfinished, _ = decoder.getstate()
            if unfinished or piece.max() > _LAST_ASCII:
                decoder.decode(piece.tobytes())
    except UnicodeDecodeError:
        return False
    return True


def _pieces(buffer: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    for begin in range(0, len(buffer), PIECE):
        yield buffer[begin : begin + PIECE]


class _Rows:
    """The rows that were read so far, and the lines that are none."""

    def __init__(self, buffer: NDArray[np.uint8], ids: Sequence[int], numbers: int) -> None:
        lines = 1 + sum(int(np.count_nonzero(piece == _LF)) for piece in _pieces(buffer))
        most = min(lines, len(buffer) // _SHORTEST_LINE + 1)
        self.ids = [_IdColumn(buffer, most, place) for place in ids]
        self.numbers = [_Column(most, np.float64) for _ in range(numbers)]
        self.line = _Column(most, count_type(lines))
        self.bad: list[BadLine] = []
        self.comments: list[int] = []
        self.left_out = 0

    def extend(self, lines: _Lines, chosen: Rows, *numbers: NDArray[np.float64]) -> None:
        """Add these lines as rows, with their numbers."""
        for column in self.ids:
            column.extend(lines, chosen)
        for store, values in zip(self.numbers, numbers, strict=True):
            store.extend(values)
        self.line.extend(lines.numbers(chosen))

    def extend_rest(
        self,
        lines: _Lines,
        chosen: Rows,
        problem: Callable[[_Lines, int], str],
    ) -> None:
        """Add the lines other than these as comments or bad lines, unless they are blank."""
        rest = lines.count != 0
        rest[chosen] = False
        for line in np.flatnonzero(rest).tolist():
            text = lines.shown(line)
            if text.encode().startswith(_COMMENT):
                self.comments.append(lines.number + line)
                continue
            self.left_out += 1
            if len(self.bad) < MOST_BAD:
                why = _UNREADABLE_LINE if lines.count[line] == _UNREADABLE else problem(lines, line)
                self.bad.append(BadLine(lines.number + line, text, why))


class _Column:
    """Room for a value of each row, filled from the front; what stays empty costs no memory."""

    def __init__(self, most: int, kind: type[np.generic]) -> None:
        self._values: NDArray[Any] = np.empty(most, dtype=kind)
        self._size = 0

    def extend(self, values: NDArray[Any]) -> None:
        if self._values.dtype == np.uint8 and values.max(initial=0) > np.iinfo(np.uint8).max:
            self._values = self._values.astype(np.int32)
        self._values[self._size : self._size + len(values)] = values
        self._size += len(values)

    def values(self) -> NDArray[Any]:
        return self._values[: self._size]


class _IdColumn:
    """Where the ids of one field stand in the buffer of the file."""

    def __init__(self, buffer: NDArray[np.uint8], most: int, place: int) -> None:
        self._buffer = buffer
        self._place = place
        self._start = _Column(most, count_type(len(buffer)))
        self._length = _Column(most, np.uint8)

    def extend(self, lines: _Lines, chosen: Rows) -> None:
        start, end = lines.fields(chosen, self._place)
        self._start.extend(start + lines.begin)
        self._length.extend(end - start)

    def ids(self) -> Ids:
        return Ids(self._buffer, self._start.values(), self._length.values())


@dataclass(frozen=True, slots=True)
class _Lines:
    """Some whole lines, cut into fields. All places count from the first byte of ``text``.

    ``begin`` is the place of that byte in the file, ``number`` the number of the first line.
    ``padded`` is the text with MARGIN bytes before it. ``newline``, ``first`` (a line's first
    field) and ``count`` (of fields, _UNREADABLE for a line that is never data) have a value for
    each line; ``start`` and ``end`` one for each field. ``each`` is the number of fields where it
    is that of every line, otherwise 0.
    """

    begin: int
    number: int
    padded: NDArray[np.uint8]
    text: NDArray[np.uint8]
    newline: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    each: int
    first: NDArray[np.int64]
    count: NDArray[np.int64]

    def those(self, good: NDArray[np.bool_], chosen: Rows = _ALL) -> Rows:
        """Return the chosen lines that are good; ``good`` has a value for each chosen line."""
        return chosen if good.all() else np.arange(len(self.count))[chosen][good]

    def fields(self, chosen: Rows, place: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where field number ``place`` of these lines begins and ends."""
        if self.each and isinstance(chosen, slice):
            return self.start[place :: self.each], self.end[place :: self.each]
        at = self.first[chosen] + place
        return self.start[at], self.end[at]

    def numbers(self, chosen: Rows) -> NDArray[np.int64]:
        """Return the numbers of these lines in the file."""
        return np.arange(self.number, self.number + len(self.count))[chosen]

    def field(self, line: int, place: int) -> str:
        """Return the text of one field, the first 200 characters."""
        at = self.first[line] + place
        return self._decoded(int(self.start[at]), int(self.end[at]))

    def shown(self, line: int) -> str:
        """Return the text of a line, the first 200 characters, without the blanks around it."""
        start = int(self.newline[line - 1]) + 1 if line else 0
        return self._decoded(start, int(self.newline[line]))

    def _decoded(self, start: int, end: int) -> str:
        longest = 4 * _SHOWN  # bytes of UTF-8
        raw = self.text[start : min(end, start + longest)].tobytes()
        return raw.decode("utf-8", "replace").strip()[:_SHOWN]


def _chunks(
    buffer: NDArray[np.uint8],
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> Iterator[_Lines]:
    begin = len(_BOM) if buffer[: len(_BOM)].tobytes() == _BOM else 0
    number = 1
    while begin < len(buffer):
        if cancelled():
            raise Cancelled
        end = _chunk_end(buffer, begin)
        # What is longer than this is one line, and too long.
        shown = min(end, begin + max(CHUNK, LONGEST_LINE + 1))
        lines = _split(buffer[begin:shown], begin, number)
        yield lines
        number += len(lines.newline)
        begin = end
        progress(end / len(buffer))


def _chunk_end(buffer: NDArray[np.uint8], begin: int) -> int:
    """Return the end of the last whole line of a chunk, or of the one line that is longer."""
    end = begin + CHUNK
    if end >= len(buffer):
        return len(buffer)
    for stop in range(end, begin, -LONGEST_LINE):
        start = max(begin, stop - LONGEST_LINE)
        found = np.flatnonzero(buffer[start:stop] == _LF)
        if len(found):
            return start + int(found[-1]) + 1
    for start in range(end, len(buffer), LONGEST_LINE):
        found = np.flatnonzero(buffer[start : start + LONGEST_LINE] == _LF)
        if len(found):
            return start + int(found[0]) + 1
    return len(buffer)


def _split(raw: NDArray[np.uint8], begin: int, number: int) -> _Lines:
    padded = np.zeros(MARGIN + len(raw) + 1, dtype=np.uint8)
    padded[MARGIN:-1] = raw
    padded[-1] = _LF
    text = padded[MARGIN:] if raw[-1] != _LF else padded[MARGIN:-1]
    end = np.flatnonzero(text <= _SPACE)
    start = np.empty_like(end)
    start[0], start[1:] = 0, end[:-1] + 1
    each = len(end) // int(np.count_nonzero(text == _LF))
    newline = end[each - 1 :: each]
    field = start < end
    if not (field.all() and (text[newline] == _LF).all()):
        # Two blanks stand together, or the lines differ: the ends of the lines are to be found.
        newline = np.flatnonzero(text == _LF)
        start, end = start[field], end[field]
    each, first, count = _by_line(start, end, newline)
    size = np.diff(newline, prepend=-1) - 1
    spoilt = size > LONGEST_LINE
    if text.min() == 0:
        spoilt[np.searchsorted(newline, np.flatnonzero(text == 0))] = True
    count[spoilt] = _UNREADABLE
    return _Lines(begin, number, padded, text, newline, start, end, each, first, count)


def _by_line(
    start: NDArray[np.int64], end: NDArray[np.int64], newline: NDArray[np.int64]
) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """Return the fields of every line, 0 if they differ; for each line its first, and how many."""
    each, over = divmod(len(end), len(newline))
    if each and not over:
        last, following = end[each - 1 :: each], start[each::each]
        if (last <= newline).all() and (following > newline[:-1]).all():
            return each, np.arange(0, len(end), each), np.full(len(newline), each)
    bound = np.searchsorted(end, newline, side="right")
    return 0, np.append(0, bound[:-1]), np.diff(bound, prepend=0)
