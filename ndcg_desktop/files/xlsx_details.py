"""What a sheet of an .xlsx says of its cells besides their values: what is hidden, how it is shown.

One pass over the sheet's XML, in pieces that end with a row; a piece is looked at closely only
where it holds what is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from typing import NamedTuple

from ndcg_desktop.files.xlsx_package import DAMAGE, Package
from ndcg_desktop.files.xlsx_parts import WorkbookPatchError

_BUILT_IN = {"16": "d-mmm", "17": "mmm-yy"}
_DAY_OR_MONTH = re.compile(r"(?:\[\$-[^\]]*\])?(?:d{1,2}[-/. ]m{1,3}|m{1,3}[-/. ](?:d{1,2}|y{2}))")

_P = rb"(?:[^\s<>/:!?]+:)?"
_END = rb"</" + _P + rb"c\s*>"
_ERROR = re.compile(rb"<" + _P + rb"""c(\s[^>]*\bt="e"[^>]*)>(.*?)""" + _END, re.DOTALL)
_FORMULA = re.compile(
    rb"<" + _P + rb"c(\s[^>]*)>\s*<" + _P + rb"f(?=[\s/>])(.*?)" + _END, re.DOTALL
)
_VALUE = re.compile(rb"<" + _P + rb"v(?:\s[^>]*)?>([^<]+)")
_EMPTY_TEXT = re.compile(rb"""\st=["']str["']""")
_FORMULA_TEXT = re.compile(rb"[^>]*>([^<]*)")
_ROW = re.compile(rb"<" + _P + rb"row(\s[^>]*)>")
_COLUMN = re.compile(rb"<" + _P + rb"col(\s[^>]*)>")
_MIN_MAX = re.compile(rb"""\s(min|max)=["']([0-9]{1,5})["']""")
_HIDDEN = re.compile(rb"""\shidden=["'](?:1|true)["']""")
_NAME = re.compile(rb"""\sr=["']([A-Za-z]*)([0-9]+)["']""")


class LoudCell(NamedTuple):
    """A cell that there is something to say of: row and column from 1, and what it holds."""

    row: int
    column: int
    text: str


@dataclass(slots=True)
class Details:
    """What there is to say of a sheet."""

    errors: list[LoudCell] = field(default_factory=list)
    unstored: list[LoudCell] = field(default_factory=list)
    """Formulas whose value nobody has worked out."""
    formula_columns: set[int] = field(default_factory=set)
    stale: bool = False
    """Whether the workbook wants all formulas to be worked out anew."""
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    """First and last column, from 1, of those that are hidden."""
    dates: list[LoudCell] = field(default_factory=list)
    """Dates shown as a day and a month, or a month and a year, with their format."""
    shown: dict[tuple[int, int], str] = field(default_factory=dict)
    """Whole numbers whose format adds zeros or dashes, as they are shown, by row and column."""


@cache
def column_number(letters: bytes) -> int:
    """The number of a column, from 1, of its letters."""
    column = 0
    for letter in letters.upper():
        column = column * 26 + letter - ord("A") + 1
    return column


def details_of(data: bytes, sheet: str, loud: Collection[str]) -> Details:
    """What the sheet of this name says; nothing where the workbook cannot be looked into.

    ``loud`` names the parts whose cells are worth a look, whatever their style.
    """
    details = Details()
    try:
        package = Package(BytesIO(data))
        book = Main(package)
        if sheet not in book.sheets:
            return details
        details.stale = book.stale
        formats = _formats(package)
        part = book.sheets[sheet]
        for number, piece in enumerate(_whole_rows(package, part)):
            if number == 0:
                details.hidden_columns = _hidden_columns(piece)
            if part not in loud and formats.cells is None:
                break
            _look(details, piece, formats)
    except (WorkbookPatchError, *DAMAGE):
        return details
    return details


class Main:
    """The main part of a workbook: the part of each sheet, by the name of the sheet.

    Raises WorkbookPatchError, or one of DAMAGE, where it cannot be understood.
    """

    def __init__(self, package: Package) -> None:
        main = next((r.target for r in package.relations("") if r.kind == "officeDocument"), "")
        targets = {relation.key: relation.target for relation in package.relations(main)}
        self.sheets: dict[str, str] = {}
        self.stale = False
        for element in package.part(main).parsed().iter():
            kind = element.tag.rpartition("}")[2]
            if kind == "sheet":
                key = next((value for name, value in element.items() if name.endswith("}id")), "")
                if key in targets:
                    self.sheets[element.get("name", "")] = targets[key]
            if kind == "calcPr":
                self.stale = element.get("fullCalcOnLoad") in ("1", "true")


def _loud(attributes: bytes, text: bytes) -> list[LoudCell]:
    """A cell by the attributes of its tag, which must name it."""
    name = _NAME.search(attributes)
    if name is None:
        return []
    return [LoudCell(int(name[2]), column_number(name[1]), text.decode(errors="replace"))]


def _whole_rows(package: Package, part: str) -> Iterator[bytes]:
    """A sheet in pieces of about a mebibyte that each end with a row."""
    rest = b""
    for chunk in package.chunks(part):
        whole, end, begun = (rest + chunk).rpartition(b"row>")
        yield whole + end
        rest = begun
    yield rest


def _look(details: Details, piece: bytes, formats: _Formats) -> None:
    if b' t="e"' in piece:
        for match in _ERROR.finditer(piece):
            value = _VALUE.search(match[2])
            details.errors += _loud(match[1], value[1] if value else b"")
    if b"<f" in piece or b":f" in piece:
        for match in _FORMULA.finditer(piece):
            if details.stale and (name := _NAME.search(match[1])):
                details.formula_columns.add(column_number(name[1]))
            if not _VALUE.search(match[2]) and not _EMPTY_TEXT.search(match[1]):
                text = _FORMULA_TEXT.match(match[2])
                details.unstored += _loud(match[1], b"=" + text[1] if text and text[1] else b"")
    if b"hidden=" in piece:
        rows = (match[1] for match in _ROW.finditer(piece) if _HIDDEN.search(match[1]))
        details.hidden_rows += [int(name[2]) for row in rows if (name := _NAME.search(row))]
    if formats.cells is not None:
        _look_at_formats(details, piece, formats, formats.cells)


def _look_at_formats(
    details: Details, piece: bytes, formats: _Formats, cells: re.Pattern[bytes]
) -> None:
    for match in cells.finditer(piece):
        name, value = _NAME.search(match[1]), _VALUE.search(match[3])
        if name is None or value is None or b' t="' in match[1].replace(b' t="n"', b""):
            continue
        if match[2] in formats.dates:
            details.dates += _loud(match[1], formats.dates[match[2]].encode())
        elif value[1].isdigit():
            place = int(name[2]), column_number(name[1])
            details.shown[place] = _shown(value[1].decode(), formats.digits[match[2]])


def _shown(digits: str, parts: Sequence[str | None]) -> str:
    """A whole number as a format of zeros, which are None, and dashes shows it."""
    zeros = parts.count(None)
    digits = digits.zfill(zeros)
    if zeros == len(parts):
        return digits
    # Digits beyond the zeros stand before the first of them.
    more, ordinary = digits[: len(digits) - zeros], iter(digits[len(digits) - zeros :])
    text = ""
    for part in parts:
        text, more = (text + more + next(ordinary), "") if part is None else (text + part, more)
    return text


def _hidden_columns(start: bytes) -> list[tuple[int, int]]:
    columns = []
    for match in _COLUMN.finditer(start):
        bounds = {name: int(value) for name, value in _MIN_MAX.findall(match[1])}
        if _HIDDEN.search(match[1]) and len(bounds) == 2:
            columns.append((bounds[b"min"], bounds[b"max"]))
    return columns


@dataclass(slots=True)
class _Formats:
    """The cell styles, by number, whose number format says more than the number."""

    digits: dict[bytes, list[str | None]] = field(default_factory=dict)
    """Formats of nothing but zeros, here None, and dashes."""
    dates: dict[bytes, str] = field(default_factory=dict)
    cells: re.Pattern[bytes] | None = None
    """Finds the cells of these styles: their attributes, the style and what is in them."""


def _formats(package: Package) -> _Formats:
    formats, styles = _Formats(), "xl/styles.xml"
    if not package.has(styles):
        return formats
    codes, numbers = dict(_BUILT_IN), []
    for element in package.part(styles).parsed():
        kind = element.tag.rpartition("}")[2]
        if kind == "numFmts":
            codes |= {e.get("numFmtId", ""): e.get("formatCode", "") for e in element}
        if kind == "cellXfs":
            numbers = [e.get("numFmtId", "") for e in element]
    for number, key in enumerate(numbers):
        style, code = str(number).encode(), codes.get(key, "")
        if parts := _zeros_and_dashes(code):
            formats.digits[style] = parts
        elif _DAY_OR_MONTH.fullmatch(_plain(code)):
            formats.dates[style] = code
    if known := [*formats.digits, *formats.dates]:
        pattern = rb"""c(\s[^>]*\bs="(%s)"[^>/]*)>(.*?)""" % b"|".join(known)
        formats.cells = re.compile(rb"<" + _P + pattern + _END, re.DOTALL)
    return formats


def _plain(code: str) -> str:
    """A format without what only quotes its texts."""
    return code.partition(";")[0].replace("\\", "").replace('"', "")


def _zeros_and_dashes(code: str) -> list[str | None]:
    """A format that has nothing but zeros, here None, and dashes or blanks; else nothing."""
    plain = _plain(code)
    if code.count(";") or plain.count("0") < 2 or not re.fullmatch(r"0[0 -]*", plain):
        return []
    return [None if sign == "0" else sign for sign in plain]
