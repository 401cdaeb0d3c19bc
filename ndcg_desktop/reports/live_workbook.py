"""A workbook that scores itself: change a grade or k in it, and every figure follows.

A grade stands once, on the sheet Judgments; each ranking looks it up by the number of the document
(an id may hold ``*``, or differ in capitals only, which a lookup of text would mix up). Excel 2010
and LibreOffice know the functions used. openpyxl writes no worked-out values: a spreadsheet program
works them out when it opens the file, a previewer shows the formulas' cells empty.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from openpyxl import Workbook
from openpyxl.cell.cell import Cell
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.files.table import FileError
from ndcg_desktop.reports.live_layout import (
    FIRST_ROW,
    Block,
    Ideal,
    Layout,
    Returned,
    TooLargeError,
    lay_out,
)
from ndcg_desktop.reports.spreadsheets import number_format, write_text
from ndcg_desktop.reports.text_tables import ReportTable
from ndcg_desktop.scoring.ndcg import ROUNDING, Status
from ndcg_desktop.scoring.options import GREATEST_CUTOFF, WORDS, Options

SETTINGS, SCORES, JUDGMENTS = "Settings", "Scores", "Judgments"
RANKINGS, IDEAL, DISCOUNTS, REPORT = "Rankings", "Ideal", "Discounts", "Report"

FIRST_SCORE = 7
"""The row of the first query on the sheet Scores; the means stand above it."""
MEAN, COUNT = 5, 6
"""Rows of the sheet Scores."""
SCORE_COLUMNS = 4
"""DCG, ideal DCG, nDCG and why there is none, for each ranking."""

MAY_BE_CHANGED = PatternFill("solid", fgColor="FFF4CC")
LETTERS = "Calibri"
"""The workbook's own; a font without a name is another one in some programs."""
BOLD = Font(name=LETTERS, size=11, bold=True)
TITLE = Font(name=LETTERS, size=14, bold=True)
QUIET = Font(name=LETTERS, size=11, color="5F6368")
LINE = Border(bottom=Side(style="thin"))

NAMES = {
    "cutoff_k": "k",
    "gain_kind": "gain",
    "discount_kind": "discount",
    "discount_base": "discount base",
    "undefined_as": "undefined queries",
    "missing_as": "queries absent from a ranking",
}
"""The names that formulas know the settings by, and how they are called."""

CHOICES = {
    "gain_kind": "linear,exponential,table",
    "discount_kind": "log2,base,reciprocal",
    "undefined_as": "skip,zero,one",
    "missing_as": "zero,skip",
}


def export_live_workbook(
    path: Path,
    evaluation: Evaluation,
    rankings: Sequence[int],
    about: Sequence[tuple[str, str]] = (),
    tables: Iterable[ReportTable] = (),
    decimals: int = wording.DECIMALS,
) -> None:
    """Write a workbook of formulas for these rankings, the baseline first.

    ``about`` and ``tables`` are the report as it was, for the sheet Report. Raises FileError where
    the file cannot be written, or the evaluation is too large for a workbook of formulas; what
    stood there before is then untouched.
    """
    try:
        layout = lay_out(evaluation, rankings)
    except TooLargeError as error:
        raise FileError(path, str(error)) from error
    data = BytesIO()
    live_workbook(evaluation, layout, about, tables, decimals).save(data)

    def write(stream: BinaryIO) -> None:
        stream.write(data.getvalue())

    atomic_write(path, write)


def live_workbook(
    evaluation: Evaluation,
    layout: Layout,
    about: Sequence[tuple[str, str]],
    tables: Iterable[ReportTable],
    decimals: int,
) -> Workbook:
    """The workbook, not yet written."""
    book = Workbook()
    book.remove(book.active)
    _write_settings(book, evaluation, layout)
    _write_scores(book.create_sheet(SCORES), evaluation, layout, decimals)
    _write_judgments(book.create_sheet(JUDGMENTS), evaluation, layout)
    _write_rankings(book.create_sheet(RANKINGS), evaluation, layout, decimals)
    _write_ideal(book.create_sheet(IDEAL), evaluation, layout, decimals)
    _write_discounts(book.create_sheet(DISCOUNTS), layout)
    _write_report(book.create_sheet(REPORT), about, tables)
    book.calculation.fullCalcOnLoad = True
    return book


# ---- settings


def _write_settings(book: Workbook, evaluation: Evaluation, layout: Layout) -> None:
    sheet, options = book.create_sheet(SETTINGS), evaluation.options
    _text(sheet, 1, 1, "Settings").font = TITLE
    note = "Cells on this ground may be changed, and so may the grades; every figure follows."
    _text(sheet, 2, 1, note).fill = MAY_BE_CHANGED
    values = {
        "cutoff_k": "all" if options.cutoff is None else options.cutoff,
        "gain_kind": options.gain,
        "discount_kind": options.discount,
        "discount_base": options.discount_base,
        "undefined_as": options.undefined,
        "missing_as": options.missing,
    }
    row = 3
    for row, (name, value) in enumerate(values.items(), start=4):
        _text(sheet, row, 1, NAMES[name]).font = BOLD
        cell = sheet.cell(row, 2, value)
        cell.fill, cell.alignment = MAY_BE_CHANGED, Alignment(horizontal="right")
        _name(book, name, f"{SETTINGS}!$B${row}")
        words = _text(sheet, row, 3, _setting_words(name, layout))
        words.font, words.alignment = QUIET, Alignment(indent=1)
        sheet.add_data_validation(_validation(name, cell, layout))
    row = _write_fixed(sheet, options, row + 2)
    row = _write_gain_table(book, sheet, evaluation, row + 1)
    for text in _notes(layout):
        row += 1
        _text(sheet, row, 1, text)
    sheet.column_dimensions["A"].width = 34
    sheet.column_dimensions["B"].width = 16
    sheet.column_dimensions["C"].width = 80
    _fit_print(sheet)


def _setting_words(name: str, layout: Layout) -> str:
    most = "" if layout.depth is None else f", up to {layout.depth}"
    return {
        "cutoff_k": f"a whole number from 1{most}" + ("" if layout.depth else ", or all"),
        "gain_kind": "linear: the grade; exponential: 2^grade − 1; table: the gain table below",
        "discount_kind": "log2: 1/log2(i+1); base: 1/log(i) to the base below, from that rank on; "
        "reciprocal: 1/i",
        "discount_base": "is read only where the discount is “base”",
        "undefined_as": "skip: left out of the mean; zero, one: count as that",
        "missing_as": "zero: count as 0; skip: left out of the mean",
    }[name]


def _validation(name: str, cell: Cell, layout: Layout) -> DataValidation:
    if name in CHOICES:
        rule = DataValidation("list", formula1=f'"{CHOICES[name]}"')
    elif name == "cutoff_k":
        place, most = cell.coordinate, layout.depth or GREATEST_CUTOFF
        whole = f"AND(ISNUMBER({place}),{place}>=1,{place}<={most},{place}=INT({place}))"
        every = "" if layout.depth else f',{place}="all"'
        rule = DataValidation("custom", formula1=f"OR({whole}{every})")
    else:
        rule = DataValidation("decimal", operator="greaterThan", formula1="1")
    rule.showErrorMessage = True
    rule.error = _setting_words(name, layout)[:250]
    rule.add(cell)
    return rule


def _write_fixed(sheet: Worksheet, options: Options, row: int) -> int:
    """The options that are built into the sheets; gives the row below them."""
    for name in ("ideal", "order", "unjudged"):
        _text(sheet, row, 1, f"{name}, built into the sheets").font = BOLD
        _text(sheet, row, 2, WORDS[name][getattr(options, name)])
        row += 1
    return row


def _write_gain_table(book: Workbook, sheet: Worksheet, evaluation: Evaluation, row: int) -> int:
    """The gain of each grade, read where the gain is "table"; gives the last row."""
    _text(sheet, row, 1, "Gain table: grade").font = BOLD
    _text(sheet, row, 2, "gain").font = BOLD
    words = "is read only where the gain is “table”; insert rows within it for further grades"
    _text(sheet, row, 3, words).font = QUIET
    pairs = sorted(evaluation.options.gain_table) if evaluation.options.gain == "table" else []
    if not pairs:
        seen = [grade for grade in evaluation.judgments.values if not math.isnan(grade)]
        pairs = [(grade, max(grade, 0.0)) for grade in sorted(seen)] or [(0.0, 0.0), (1.0, 1.0)]
    first = row + 1
    for row, pair in enumerate(pairs, start=first):
        for column, value in enumerate(pair, start=1):
            sheet.cell(row, column, value).fill = MAY_BE_CHANGED
    _name(book, "gain_table", f"{SETTINGS}!$A${first}:$B${row}")
    return row + 1


def _notes(layout: Layout) -> list[str]:
    notes = [
        "A blank grade is not judged: it gains nothing and is no part of the ideal.",
        "Keep the rows of the sheets in their order: the formulas know them by their place.",
        "The figures are worked out when a spreadsheet program opens this file; a previewer that "
        "does not calculate shows none.",
    ]
    if layout.depth is not None:
        notes.append(
            f"Each ranking is cut at place {layout.depth}, so that the file stays of a usable size."
        )
    if layout.places == "tied":
        notes.append("Documents of one score share the mean discount of their places.")
    if layout.places == "fixed":
        notes.append(
            "The places of the judged documents, with ties averaged, are as they were: they do not "
            "follow where a blank is graded or a grade is taken away."
        )
    return notes


def _name(book: Workbook, name: str, place: str) -> None:
    book.defined_names[name] = DefinedName(name, attr_text=place)


# ---- grades, rankings, ideal


def _write_judgments(sheet: Worksheet, evaluation: Evaluation, layout: Layout) -> None:
    _header(sheet, ("no.", "query", "document", "grade", "gain"), (8, 24, 30, 9, 12))
    for row, each in enumerate(layout.listed, start=FIRST_ROW):
        sheet.cell(row, 1, each.number).font = QUIET
        _text(sheet, row, 2, evaluation.queries[each.query])
        _text(sheet, row, 3, each.document)
        grade = sheet.cell(row, 4, None if math.isnan(each.grade) else each.grade)
        grade.fill = MAY_BE_CHANGED
        sheet.cell(row, 5, f'=IF(ISNUMBER(D{row}),{_gain(f"D{row}")},"")')


def _gain(grade: str) -> str:
    """The gain of the grade in a cell."""
    return (
        f'IF(gain_kind="exponential",2^MAX({grade},0)-1,IF(gain_kind="table",'
        f"IF({grade}<0,0,VLOOKUP({grade},gain_table,2,FALSE)),MAX({grade},0)))"
    )


RANKING_HEADER = (
    ("query", 24),
    ("ranking", 20),
    ("rank", 7),
    ("document", 30),
    ("no.", 8),
    ("grade", 9),
    ("gain", 12),
    ("place", 9),
    ("last place", 10),
    ("discount", 11),
    ("discounted gain", 16),
    ("note", 30),
)


def _write_rankings(
    sheet: Worksheet, evaluation: Evaluation, layout: Layout, decimals: int
) -> None:
    names, widths = zip(*RANKING_HEADER, strict=True)
    _header(sheet, names, widths)
    sheet.column_dimensions["I"].hidden = layout.places not in ("tied", "fixed")
    shown = number_format(decimals)
    for row, each in enumerate(layout.returned, start=FIRST_ROW):
        _text(sheet, row, 1, evaluation.queries[each.query])
        _text(sheet, row, 2, evaluation.rankings[each.ranking].name)
        sheet.cell(row, 3, each.rank)
        _text(sheet, row, 4, each.document)
        sheet.cell(row, 5, each.number).font = QUIET
        grade = _looked_up("D", row, layout.listed_of[each.query])
        sheet.cell(row, 6, f'=IF(ISNUMBER({grade}),{grade},"")')
        if each.repeated:
            _text(sheet, row, 12, "returned before, counts at its better place only")
        else:
            gain = _looked_up("E", row, layout.listed_of[each.query])
            sheet.cell(row, 7, f'=IF(F{row}="","",{gain})')
        _write_places(sheet, row, each, layout)
        sheet.cell(row, 10).number_format = shown
        sheet.cell(row, 11, f"=N(G{row})*N(J{row})").number_format = shown


def _looked_up(column: str, row: int, block: Block) -> str:
    """The cell of the sheet Judgments with the number that stands in column E."""
    assert block is not None
    first, last = block
    return (
        f"INDEX({JUDGMENTS}!${column}${first}:${column}${last},"
        f"MATCH(E{row},{JUDGMENTS}!$A${first}:$A${last},0))"
    )


def _write_places(sheet: Worksheet, row: int, each: Returned, layout: Layout) -> None:
    """The place that a document is counted at, and its discount there."""
    if layout.places == "judged":
        block = layout.returned_of[each.query, each.ranking]
        assert block is not None
        sheet.cell(row, 8, f'=IF(ISNUMBER(G{row}),COUNT(G${block[0]}:G{row}),"")')
        sheet.cell(row, 10, f'=IF(H{row}="","",{_discount(f"H{row}", layout)})')
    elif each.places is not None:
        first, last = each.places
        sheet.cell(row, 8, first)
        sheet.cell(row, 9, last)
        places = f"{_discount(f'H{row}', layout)}"
        if layout.places != "ranks":
            places = f"AVERAGE({places}:{_discount(f'I{row}', layout)})"
        sheet.cell(row, 10, f"={places}")


def _discount(place: str, layout: Layout) -> str:
    return f"INDEX({DISCOUNTS}!$B${FIRST_ROW}:$B${FIRST_ROW + layout.longest - 1},{place})"


def _write_ideal(sheet: Worksheet, evaluation: Evaluation, layout: Layout, decimals: int) -> None:
    header = ("query", "ranking", "place", "grade", "gain, best first", "discount")
    _header(sheet, (*header, "discounted gain"), (24, 20, 7, 9, 16, 11, 16))
    shown = number_format(decimals)
    for row, each in enumerate(layout.ideal, start=FIRST_ROW):
        name = "" if each.ranking is None else evaluation.rankings[each.ranking].name
        _text(sheet, row, 1, evaluation.queries[each.query])
        _text(sheet, row, 2, name)
        sheet.cell(row, 3, each.place)
        sheet.cell(row, 5, f"={_ideal_gain(each, row)}")
        if each.grade is not None:
            sheet.cell(row, 4, each.grade).fill = MAY_BE_CHANGED
        sheet.cell(row, 6, f"={_discount(f'C{row}', layout)}").number_format = shown
        sheet.cell(row, 7, f"=N(E{row})*F{row}").number_format = shown


def _ideal_gain(each: Ideal, row: int) -> str:
    if each.source is None:
        return f'IF(ISNUMBER(D{row}),{_gain(f"D{row}")},"")'
    sheet, column = (JUDGMENTS, "E") if each.ranking is None else (RANKINGS, "G")
    gains = f"{sheet}!${column}${each.source[0]}:${column}${each.source[1]}"
    return f'IF(C{row}<=COUNT({gains}),LARGE({gains},C{row}),"")'


def _write_discounts(sheet: Worksheet, layout: Layout) -> None:
    _header(sheet, ("place", "discount"), (9, 14))
    for place in range(1, layout.longest + 1):
        row = FIRST_ROW + place - 1
        sheet.cell(row, 1, place)
        base = f"IF(A{row}<discount_base,1,1/LOG(A{row},discount_base))"
        sheet.cell(
            row,
            2,
            f"=IF(AND(ISNUMBER(cutoff_k),A{row}>cutoff_k),0,"
            f'IF(discount_kind="reciprocal",1/A{row},'
            f'IF(discount_kind="base",{base},1/LOG(A{row}+1,2))))',
        )


# ---- scores


def _write_scores(sheet: Worksheet, evaluation: Evaluation, layout: Layout, decimals: int) -> None:
    sheet.cell(1, 1, f"={_measure(evaluation)}").font = TITLE
    baseline = evaluation.rankings[layout.rankings[0]].name
    _text(sheet, 2, 1, f"A difference is a ranking's nDCG less that of the baseline, “{baseline}”.")
    _text(sheet, MEAN - 1, 1, "query")
    _text(sheet, MEAN, 1, "mean").font = BOLD
    _text(sheet, COUNT, 1, "number of queries").font = BOLD
    last = FIRST_SCORE + len(evaluation.queries) - 1
    for query, name in enumerate(evaluation.queries):
        _text(sheet, FIRST_SCORE + query, 1, name)
    for number, ranking in enumerate(layout.rankings):
        first = 2 + SCORE_COLUMNS * number
        _write_ranking_scores(sheet, evaluation, layout, ranking, first, decimals)
        _write_mean(sheet, first + 2, last, decimals)
    _write_differences(sheet, evaluation, layout, last, decimals)
    for column in range(1, sheet.max_column + 1):
        sheet.cell(MEAN - 1, column).font, sheet.cell(MEAN - 1, column).border = BOLD, LINE
    sheet.column_dimensions["A"].width = 30
    sheet.freeze_panes = sheet.cell(FIRST_SCORE, 2)
    sheet.print_title_rows = f"1:{COUNT}"
    _fit_print(sheet)


def _measure(evaluation: Evaluation) -> str:
    """The name of the measure, which follows the settings."""
    options = evaluation.options
    said = [WORDS["ideal"][options.ideal]]
    said += [
        WORDS[name][getattr(options, name)]
        for name in ("order", "unjudged")
        if getattr(options, name) != getattr(Options(), name)
    ]
    merged = wording.merged_words(evaluation)
    said += [f"grades: {merged}"] if merged else []
    return "&".join(
        (
            '"nDCG"',
            'IF(gain_kind="exponential","(dcg=\'exp-log2\')","")',
            'IF(ISNUMBER(cutoff_k),"@"&cutoff_k,"")',
            '", "&gain_kind&" gain"',
            *_pieces("".join(f", {text}" for text in said)),
            'IF(discount_kind="log2","",", discount "&discount_kind)',
            'IF(discount_kind="base"," "&discount_base,"")',
            _when("undefined_as", "undefined", ("zero", "one")),
            _when("missing_as", "missing", ("skip",)),
        )
    )


def _when(name: str, option: str, values: Sequence[str]) -> str:
    """What is said of an option where it has one of these values."""
    said = '""'
    for value in values:
        said = f'IF({name}="{value}",{_quoted(", " + WORDS[option][value])},{said})'
    return said


def _pieces(text: str) -> list[str]:
    """A text as texts of a formula, each as short as Excel wants them."""
    return [_quoted(text[place : place + 100]) for place in range(0, len(text), 100)]


def _write_ranking_scores(
    sheet: Worksheet,
    evaluation: Evaluation,
    layout: Layout,
    ranking: int,
    first: int,
    decimals: int,
) -> None:
    """Four columns of a ranking, from column ``first`` on."""
    _text(sheet, MEAN - 2, first, evaluation.rankings[ranking].name).font = BOLD
    for column, name in enumerate(("DCG", "ideal DCG", "nDCG", "why none"), start=first):
        _text(sheet, MEAN - 1, column, name).alignment = Alignment(
            horizontal="left" if name == "why none" else "right"
        )
        letter = get_column_letter(column)
        sheet.column_dimensions[letter].width = 18 if name == "why none" else 11
    letters = [get_column_letter(first + place) for place in range(SCORE_COLUMNS)]
    for query in range(len(evaluation.queries)):
        row = FIRST_SCORE + query
        cells = tuple(f"{letter}{row}" for letter in letters)
        formulas = (
            _sum(RANKINGS, "K", layout.returned_of[query, ranking]),
            _sum(IDEAL, "G", _ideal_block(layout, query, ranking)),
            _value(evaluation, cells),
            _why(evaluation, layout, query, ranking, cells),
        )
        for cell, formula in zip(cells, formulas, strict=True):
            sheet[cell] = f"={formula}"
            sheet[cell].number_format = number_format(decimals)


def _ideal_block(layout: Layout, query: int, ranking: int) -> Block:
    """The rows of the ideal that a ranking is measured by."""
    if (query, None) in layout.ideal_of:
        return layout.ideal_of[query, None]
    return layout.ideal_of.get((query, ranking))


def _sum(sheet: str, column: str, block: Block) -> str:
    return "0" if block is None else f"SUM({sheet}!${column}${block[0]}:${column}${block[1]})"


def _value(evaluation: Evaluation, cells: tuple[str, ...]) -> str:
    """The nDCG, or what a query without one counts as."""
    dcg, ideal, _, why = cells
    undefined = _quoted(wording.reason(Status.UNDEFINED, evaluation.options))
    absent = _quoted(wording.reason(Status.ABSENT, evaluation.options))
    return (
        f'IF({why}="",{dcg}/{ideal},IF({why}={undefined},'
        'IF(undefined_as="zero",0,IF(undefined_as="one",1,"")),'
        f'IF({why}={absent},IF(missing_as="zero",0,""),"")))'
    )


def _why(
    evaluation: Evaluation, layout: Layout, query: int, ranking: int, cells: tuple[str, ...]
) -> str:
    """Why a query has no nDCG, in the order of scoring.ndcg; "" where it has one."""
    options = evaluation.options
    listed = layout.listed_of[query]
    if evaluation.disjoint(ranking):
        return _quoted(wording.NO_COMMON_QUERY)
    if listed is None:
        return _quoted(wording.reason(Status.UNJUDGED, options))
    dcg, ideal = cells[:2]
    absent = layout.returned_of[query, ranking] is None
    rest = _quoted(wording.reason(Status.ABSENT, options)) if absent else '""'
    if not absent and evaluation.uses_given_ideal:
        low = _quoted(wording.reason(Status.IDEAL_TOO_LOW, options))
        rest = f'IF({dcg}*(1-{ROUNDING!r})>{ideal},{low},"")'
    if not (absent and options.ideal == "returned"):
        rest = f"IF({ideal}<=0,{_quoted(wording.reason(Status.UNDEFINED, options))},{rest})"
    gains = f"{JUDGMENTS}!$E${listed[0]}:$E${listed[1]}"
    refused = _quoted(wording.REASONS[Status.REFUSED])
    rest = f"IF(ISERROR(SUM({gains})+{dcg}+{ideal}),{refused},{rest})"
    unjudged = _quoted(wording.reason(Status.UNJUDGED, options))
    return f"IF(COUNT({JUDGMENTS}!$D${listed[0]}:$D${listed[1]})=0,{unjudged},{rest})"


def _write_differences(
    sheet: Worksheet, evaluation: Evaluation, layout: Layout, last: int, decimals: int
) -> None:
    """A column for each ranking but the baseline; a query counts where it counts in both."""
    baseline = get_column_letter(4)
    for number, ranking in enumerate(layout.rankings[1:], start=1):
        own = get_column_letter(4 + SCORE_COLUMNS * number)
        column = 1 + SCORE_COLUMNS * len(layout.rankings) + number
        _text(sheet, MEAN - 2, column, evaluation.rankings[ranking].name).font = BOLD
        _text(sheet, MEAN - 1, column, "difference")
        sheet.column_dimensions[get_column_letter(column)].width = 14
        for row in range(FIRST_SCORE, last + 1):
            one, other = f"{baseline}{row}", f"{own}{row}"
            both = f"AND(ISNUMBER({one}),ISNUMBER({other}))"
            cell = sheet.cell(row, column, f'=IF({both},{other}-{one},"")')
            cell.number_format = _signed(decimals)
        _write_mean(sheet, column, last, decimals)
        sheet.cell(MEAN, column).number_format = _signed(decimals)


def _write_mean(sheet: Worksheet, column: int, last: int, decimals: int) -> None:
    letter = get_column_letter(column)
    values = f"{letter}{FIRST_SCORE}:{letter}{last}"
    mean = sheet.cell(MEAN, column, f'=IF(COUNT({values})=0,"",AVERAGE({values}))')
    mean.number_format, mean.font = number_format(decimals), BOLD
    sheet.cell(COUNT, column, f"=COUNT({values})")


def _signed(decimals: int) -> str:
    shown = number_format(decimals)
    return f"+{shown};-{shown};{shown}"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


# ---- the report as it was


def _write_report(
    sheet: Worksheet, about: Sequence[tuple[str, str]], tables: Iterable[ReportTable]
) -> None:
    note = "The report as it was when this file was made. This sheet does not follow changes."
    _text(sheet, 1, 1, note).font = QUIET
    row = 2
    for label, text in about:
        row += 1
        _text(sheet, row, 1, label).font = BOLD
        _text(sheet, row, 2, text)
    for table in tables:
        row = _write_table(sheet, table, row + 2)
    sheet.column_dimensions["A"].width = 40
    _fit_print(sheet)


def _write_table(sheet: Worksheet, table: ReportTable, row: int) -> int:
    """One table from a row on; gives its last row."""
    _text(sheet, row, 1, table.title).font = BOLD
    _text(sheet, row + 1, 1, table.caption).font = QUIET
    row += 2
    for line, cells in enumerate((table.headers, *table.rows)):
        for column, text in enumerate(cells, start=1):
            cell = _text(sheet, row + line, column, text)
            cell.alignment = Alignment(horizontal=table.aligns[column - 1])
            if not line:
                cell.font, cell.border = BOLD, LINE
    return row + len(table.rows)


# ---- cells


def _text(sheet: Worksheet, row: int, column: int, text: str) -> Cell:
    return write_text(sheet.cell(row, column), text)


def _header(sheet: Worksheet, names: Sequence[str], widths: Sequence[float]) -> None:
    for column, (name, width) in enumerate(zip(names, widths, strict=True), start=1):
        cell = _text(sheet, 1, column, name)
        cell.font, cell.border = BOLD, LINE
        sheet.column_dimensions[get_column_letter(column)].width = width
    sheet.freeze_panes = "A2"
    sheet.print_title_rows = "1:1"
    _fit_print(sheet)


def _fit_print(sheet: Worksheet) -> None:
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
