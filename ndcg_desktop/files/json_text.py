"""JSON as a file holds it: one value, or one after another, and what was odd about it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.files.delimited import BYTE_ORDER_MARK, decode
from ndcg_desktop.files.table import Cancelled, FileError

OBJECTS_BETWEEN_LOOKS = 5_000
MOST_DIGITS = 300
"""Digits of a whole number past which it fits no double."""

_JSON = re.compile(r"""[{\[]\s*(?:$|["'}\]{\[\-\dtfnNI])""")
_SPACE = re.compile(r"[ \t\n\r]*")
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}"  # a pair: one character
    r"|(u[dD][89a-fA-F][\da-fA-F]{2})|.)",
    re.DOTALL,
)


class Repeats(dict[str, Any]):
    """An object in which a name stands more than once; ``pairs`` has all of them."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def pairs_of(node: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """The names and values of an object, also those of a name that stands again."""
    return node.pairs if isinstance(node, Repeats) else node.items()


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none where this is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


@dataclass(slots=True)
class Json:
    """What a JSON file holds. ``root`` is its value; of a file with several, one after another as
    in JSON Lines, it is the list of them and ``lines`` has the line that each begins on.
    """

    path: Path
    root: Any = None
    lines: list[int] | None = None
    findings: list[Finding] = field(default_factory=list)


def looks_like_json(head: bytes) -> bool:
    """Whether the first characters are those of an object or a list."""
    text = head.decode("utf-8-sig", "replace")
    return _JSON.match(text.lstrip()) is not None


def parse(path: Path, data: bytes, cancelled: Callable[[], bool]) -> Json:
    """Read JSON or JSON Lines. Names that stand twice, numbers that are none and half characters
    are findings. Raises FileError for text that is no JSON, and Cancelled.
    """
    text, _ = decode(path, data)
    text, halves = _without_halves(text.removeprefix(BYTE_ORDER_MARK))
    out = Json(path)
    maker = _Maker(cancelled)
    try:
        _read(text, maker, out)
    except RecursionError:
        raise FileError(path, "This JSON is nested too deeply to be read.") from None
    except json.JSONDecodeError as error:
        problem = f"This is not valid JSON ({error.msg}, at column {error.colno} of the line)."
        raise FileError(path, problem, row=error.lineno) from None
    out.findings += maker.findings(Source(path.name))
    if halves:
        text = (
            f"Half a character stands in the text, such as \\ud83d alone ({halves:,} in all). "
            "It is shown as it is written."
        )
        out.findings.append(Finding("note", "half-character", text, Source(path.name)))
    return out


def _without_halves(text: str) -> tuple[str, int]:
    """Spell out escapes of lone surrogates: no file that is written later could hold those."""
    count = 0

    def spelled(match: re.Match[str]) -> str:
        nonlocal count
        if match[1] is None:
            return match[0]
        count += 1
        return "\\" + match[0]

    return (_ESCAPE.sub(spelled, text), count) if _HALF.search(text) else (text, 0)


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    assert found is not None  # it may be empty
    return found.end()


def _read(text: str, maker: _Maker, out: Json) -> None:
    decoder = maker.decoder()
    first, end = decoder.raw_decode(text, _skip(text, 0))
    rest = _skip(text, end)
    if rest == len(text):
        out.root = first
        return
    if "\n" not in text[end:rest]:
        raise json.JSONDecodeError("there is more after the end", text, rest)
    _read_lines(text, decoder, out)


def _read_lines(text: str, decoder: json.JSONDecoder, out: Json) -> None:
    """Read one value after another; a line that holds none is left out."""
    values, lines, bad = [], [], []
    line, counted, place = 1, 0, _skip(text, 0)
    problem: json.JSONDecodeError | None = None
    while place < len(text):
        line += text.count("\n", counted, place)
        counted = place
        try:
            value, end = decoder.raw_decode(text, place)
            if not isinstance(value, dict | list):
                raise json.JSONDecodeError("no object", text, place)
        except json.JSONDecodeError as error:
            problem = problem or error
            bad.append(line)
            end = text.find("\n", place) % (len(text) + 1)  # -1 becomes the end
        else:
            values.append(value)
            lines.append(line)
        place = _skip(text, end)
    if problem is not None and len(bad) >= len(values):
        raise problem
    out.root, out.lines = values, lines
    out.findings += row_findings(
        "warning",
        "bad-line",
        Source(out.path.name),
        bad,
        lambda _: "This line is not valid JSON and was left out.",
    )


class _Maker:
    """Makes objects and numbers while JSON is read, and remembers what was odd about them."""

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        self._cancelled = cancelled
        self._made = 0
        self._repeated: dict[str, None] = {}
        self._no_numbers: list[str] = []

    def decoder(self) -> json.JSONDecoder:
        return json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=self._integer,
            parse_float=self._float,
            parse_constant=self._constant,
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        self._made += 1
        if self._made % OBJECTS_BETWEEN_LOOKS == 0 and self._cancelled():
            raise Cancelled
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                self._repeated[name] = None
            seen.add(name)
        return Repeats(pairs)

    def _integer(self, text: str) -> int | None:
        if len(text) < MOST_DIGITS:
            return int(text)
        self._no_numbers.append(text[:20])
        return None

    def _float(self, text: str) -> float | None:
        value = float(text)
        if math.isfinite(value):
            return value
        self._no_numbers.append(text[:20])
        return None

    def _constant(self, text: str) -> None:
        self._no_numbers.append(text)

    def findings(self, source: Source) -> list[Finding]:
        found = []
        if self._repeated:
            names = ", ".join(f"“{name[:40]}”" for name in list(self._repeated)[:5])
            text = (
                f"{names}{', …' if len(self._repeated) > 5 else ''} stands more than once in the "
                "same object. Of a query or a document all are read, of anything else the last."
            )
            found.append(Finding("warning", "repeated-name", text, source))
        if self._no_numbers:
            text = (
                f"{len(self._no_numbers):,} numbers are too large or none at all, the first "
                f"{self._no_numbers[0]}. They count as blank."
            )
            found.append(Finding("warning", "not-a-number", text, source))
        return found
