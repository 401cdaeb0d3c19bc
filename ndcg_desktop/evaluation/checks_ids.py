"""Ids that a spreadsheet has damaged: shortened, rounded, turned into dates, cut of their zeros."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Finding, JudgmentColumns, RankingColumns
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.ids import Ids, factorize, find_pairs

MOST_IDS = 20
"""Findings of one kind in one file; past that many, one more says how many there are."""

MOST_ROWS = 300_000
"""A longer table is looked at in as many rows, evenly spread: damage is seldom in one row only."""

EXACT_DIGITS = 15
"""Digits of a number that a spreadsheet keeps; those after them become zeros."""

_MONTH = r"(?-i:Jan|Feb|Mar|Mrz|Mär|Apr|May|Mai|Jun|Jul|Aug|Sep|Sept|Oct|Okt|Nov|Dec|Dez)"
_SCIENTIFIC = re.compile(r"\d(?:[.,]\d+)?[eE]\+\d{2,3}")
_DATE = re.compile(
    rf"{_MONTH}-\d\d|\d{{1,2}}(?:-|\. ){_MONTH}(?:-\d\d)?"
    r"|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|\d{1,2}[./]\d{1,2}[./]\d{4}",
    re.IGNORECASE,
)
_LONG = re.compile(rf"[1-9]\d{{{EXACT_DIGITS},}}")
_PLACEHOLDER = re.compile(
    r"#n/a|#ref!|#value!|#name\?|#div/0!|#null!|#num!|n/?a|true|false|null|nan|none|nil|-|\?",
    re.IGNORECASE,
)
_LOOKED_FOR = re.compile(
    "|".join(
        f"(?P<{name}>^(?:{pattern.pattern})$)"
        for name, pattern in {
            "scientific": _SCIENTIFIC,
            "date": _DATE,
            "long": _LONG,
            "placeholder": _PLACEHOLDER,
        }.items()
    ),
    re.IGNORECASE | re.MULTILINE,
)


def _one_of(letters: bytes) -> NDArray[np.bool_]:
    """For each byte whether it is one of these."""
    table = np.zeros(256, dtype=bool)
    table[list(letters)] = True
    return table


_DIGIT = _one_of(b"0123456789")
_AFTER_ONE, _AFTER_TWO, _AFTER_MORE = _one_of(b".,eE-/"), _one_of(b".-/"), _one_of(b"-")
"""What stands after the first number or month of a damaged id."""

_SURE_ERRORS = ("#REF!", "#NAME?", "#VALUE!", "#DIV/0!")
_ERRORS = (*_SURE_ERRORS, "#N/A", "#NULL!", "#NUM!")
"""What a spreadsheet shows where a formula failed; only the first of them are never ids."""

LONGEST_WORD = 7
"""Bytes of the longest placeholder."""


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of ids. ``texts`` are the different ids that may be damaged by their first bytes,
    ``rows`` (C,) the rows of the table that have one, ``code`` which; ``ids`` are all ids.
    """

    columns: JudgmentColumns | RankingColumns
    what: str
    ids: Ids
    texts: list[str]
    rows: NDArray[np.int64]
    code: NDArray[np.int32]

    def finding(self, code: str, place: int, text: str) -> Finding:
        """A warning at the first row that has this id."""
        row = self.rows[int(np.argmax(self.code == place))]
        return Finding("warning", code, text, self.columns.source, int(self.columns.row[row]))

    def findings(self, code: str, places: list[int], text: Callable[[int], str]) -> list[Finding]:
        """One for each of these ids, the first MOST_IDS of them."""
        found = [self.finding(code, place, text(place)) for place in places[:MOST_IDS]]
        if len(places) > MOST_IDS:
            more = f"… and {len(places) - MOST_IDS:,} more ids."
            found.append(Finding("warning", code, more, self.columns.source))
        return found


def check_ids(evaluation: Evaluation) -> list[Finding]:
    """Ids of queries and documents, table by table, that do not look as they once were."""
    tables: list[JudgmentColumns | RankingColumns] = [each.columns for each in evaluation.entries]
    judged = {columns.source for columns in tables}  # a table may be both: it is told once
    rankings = [ranking.columns for ranking in evaluation.rankings]
    found = []
    for columns in tables + [each for each in rankings if each.source not in judged]:
        for what, ids in (("query", columns.query), ("document", columns.document)):
            found += _damaged(_column(columns, what, ids))
    return found


def _column(columns: JudgmentColumns | RankingColumns, what: str, ids: Ids) -> _Column:
    rows = np.arange(0, len(ids), max(-(-len(ids) // MOST_ROWS), 1))
    some = ids.take(rows)
    return _of_rows(columns, what, some, rows, np.flatnonzero(_may_be_damaged(some)))


def _of_rows(
    columns: JudgmentColumns | RankingColumns,
    what: str,
    ids: Ids,
    rows: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> _Column:
    candidates = ids.take(chosen)
    code, first = factorize(candidates)
    return _Column(columns, what, ids, candidates.take(first).texts(), rows[chosen], code)


def _may_be_damaged(ids: Ids) -> NDArray[np.bool_]:
    """Whether the first bytes and the length of an id are such as damaged ones have, shape (N,).

    Most ids are ruled out by this, without being made a text.
    """
    word = ids.words(slice(None), 0)
    byte = [(word >> np.uint64(8 * place) & np.uint64(0xFF)).astype(np.intp) for place in range(5)]
    marked = _AFTER_ONE[byte[1]] | _AFTER_TWO[byte[2]]
    marked |= _AFTER_MORE[byte[3]] | _AFTER_MORE[byte[4]]
    digit = _DIGIT[byte[0]]
    long = digit & (ids.length > EXACT_DIGITS)
    return marked | long | (~digit & (ids.length <= LONGEST_WORD))


def _damaged(column: _Column) -> list[Finding]:
    looks = _looks(column.texts)
    return [
        *_scientific(column, looks["scientific"]),
        *_rounded(column, looks["long"]),
        *_dates(column, looks["date"]),
        *_lost_zeros(column),
        *_placeholders(column, looks["placeholder"]),
        *_errors(column, looks["placeholder"]),
    ]


def _looks(texts: list[str]) -> dict[str, list[int]]:
    """The places of the ids of each look. One search in all of them is fastest."""
    found: dict[str, list[int]] = {name: [] for name in _LOOKED_FOR.groupindex}
    lines = "\n".join(texts)
    if lines.count("\n") >= len(texts):  # ids of several lines; they look like nothing here
        lines = "\n".join("" if "\n" in text else text for text in texts)
    place = end = 0
    for match in _LOOKED_FOR.finditer(lines):
        place += lines.count("\n", end, match.start())
        end = match.start()
        found[match.lastgroup or ""].append(place)
    return found


def _scientific(column: _Column, places: list[int]) -> list[Finding]:
    def text(place: int) -> str:
        number = int(np.count_nonzero(column.code == place))
        rows = "in 1 row" if number == 1 else f"in {number:,} rows"
        contradict = ", and some of these rows have different grades" * _conflict(column, place)
        return (
            f"The {column.what} id “{column.texts[place]}”, {rows}, is a number that a spreadsheet "
            f"has shortened: different ids may have become one{contradict}. It is used as it "
            "stands. Take the ids from the original data, as text."
        )

    return column.findings("id-scientific", places, text)


def _conflict(column: _Column, place: int) -> bool:
    """Whether rows with this document have different grades for one query."""
    columns = column.columns
    if column.what != "document" or not isinstance(columns, JudgmentColumns):
        return False
    grades: dict[str, set[float]] = {}
    for row in column.rows[column.code == place].tolist():
        if not np.isnan(columns.grade[row]):
            grades.setdefault(columns.query[row], set()).add(float(columns.grade[row]))
    return any(len(each) > 1 for each in grades.values())


def _rounded(column: _Column, places: list[int]) -> list[Finding]:
    """Long numbers that nearly all end in zeros after the fifteenth digit, as by chance they
    would not.
    """
    zeros = [place for place in places if not column.texts[place][EXACT_DIGITS:].strip("0")]
    digits = sum(len(column.texts[place]) - EXACT_DIGITS for place in zeros)
    if len(zeros) < 2 or len(zeros) < 0.9 * len(places) or digits < 4:
        return []
    some = ", ".join(f"“{column.texts[place]}”" for place in zeros[:3])
    text = (
        f"{len(zeros):,} long {column.what} ids end in zeros after the 15th digit ({some}), as a "
        "spreadsheet rounds them: different ids may have become one. They are used as they stand. "
        "Take the ids from the original data, as text."
    )
    return [column.finding("id-rounded", zeros[0], text)]


def _dates(column: _Column, places: list[int]) -> list[Finding]:
    """Dates among ids that look otherwise; where half of the rows have dates they are meant so."""
    if 2 * np.count_nonzero(np.isin(column.code, places)) >= len(column.ids):
        return []

    def text(place: int) -> str:
        return (
            f"The {column.what} id “{column.texts[place]}” is a date among ids that are none: a "
            "spreadsheet may have made it of an id such as “3-4”. It is used as it stands."
        )

    return column.findings("id-date", places, text)


def _lost_zeros(column: _Column) -> list[Finding]:
    """Numbers shorter than the others, where the others have one length and leading zeros."""
    first = column.ids.words(slice(None), 0) & np.uint64(0xFF)
    zeros = np.flatnonzero((first == ord("0")) & (column.ids.length > 1))
    if len(zeros) < 3 or not all(map(_is_number, column.ids.take(zeros).texts())):
        return []
    width = int(np.bincount(column.ids.length[zeros]).argmax())
    first_rows = factorize(column.ids)[1]
    texts = [text for text in column.ids.take(first_rows).texts() if _is_number(text)]
    short = [text for text in texts if len(text) < width]
    whole = [text for text in texts if len(text) == width]
    if len(short) + len(whole) < len(texts) or len(whole) < 4 * len(short):
        return []
    if not short or any(text.startswith("0") for text in short):
        return []
    one = len(short) == 1
    text = (
        f"{len(short):,} {column.what} {'id has' if one else 'ids have'} fewer than the {width} "
        f"digits of the others, such as “{short[0]}”: a spreadsheet may have dropped its leading "
        f"zeros (“{short[0].zfill(width)}”). It is used as it stands."
    )
    row = _row_of(column, short[0])
    return [Finding("warning", "id-lost-zeros", text, column.columns.source, row)]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _row_of(column: _Column, text: str) -> int:
    """The row of the file that has this id first."""
    ids = column.columns.query if column.what == "query" else column.columns.document
    one_query = np.zeros(len(ids), dtype=np.int32)
    found = find_pairs(one_query[:1], Ids.from_texts([text]), one_query, ids)
    return int(column.columns.row[int(np.argmax(found == 0))])


def _placeholders(column: _Column, places: list[int]) -> list[Finding]:
    """Such words may be ids, and are searched for; but not if one stands in nearly every row."""
    if not places or len(column.ids) < 5:
        return []
    counts = np.bincount(column.code)
    place = max(places, key=lambda each: int(counts[each]))
    share = counts[place] / len(column.ids)
    if share < 0.9:
        return []
    text = (
        f"{share:.0%} of the rows have the {column.what} “{column.texts[place]}”, which may stand "
        "for a value that is missing. It is taken for an id, as text."
    )
    return [column.finding("id-placeholder", place, text)]


def _errors(column: _Column, places: list[int]) -> list[Finding]:
    """Errors of a spreadsheet in place of ids; #N/A only where several queries return it."""

    def is_error(place: int) -> bool:
        name = column.texts[place].upper()
        rows = column.rows[column.code == place]
        queries = column.columns.query.take(rows)
        several = column.what == "document" and len(factorize(queries)[1]) > 1
        return name in _SURE_ERRORS or (several and name in _ERRORS)

    def text(place: int) -> str:
        number = int(np.count_nonzero(column.code == place))
        rows = "in 1 row" if number == 1 else f"in {number:,} rows"
        return (
            f"The {column.what} “{column.texts[place]}”, {rows}, is the error of a formula. It is "
            "taken for an id, the same in all these rows. Mend the formula, or take the ids from "
            "the original data."
        )

    return column.findings("id-error", [place for place in places if is_error(place)], text)
