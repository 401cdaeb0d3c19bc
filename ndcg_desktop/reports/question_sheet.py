"""A teacher's sheet: questions to be answered on paper or in a workbook, with or without answers.

A ranking is printed where the questions about it begin. All text comes from files, so in a PDF it
is escaped, and in a workbook it is marked as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from math import ceil
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, Side
from openpyxl.worksheet.worksheet import Worksheet

from ndcg_desktop.evaluation.answers import Choice, Number
from ndcg_desktop.evaluation.exercise import Exercise, header_of, table_of
from ndcg_desktop.evaluation.question import Question
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.reports.paper import (
    Column,
    Paper,
    Printed,
    html_text,
    paper_table,
    printed,
    short,
)
from ndcg_desktop.reports.spreadsheets import number_format, write_text

NAME, DATE = "Name", "Date"
WITH_ANSWERS = "With answers"
LINES = {"gain": 1, "discount": 1, "ideal-order": 1, "dcg": 2, "ideal-dcg": 2, "tie": 3}
MOST_LINES = 4
"""Lines to write on, of questions that are answered by more than one sum."""

SHARES = {"rank": 12.0, "document": 48.0, "grade": 20.0, "score": 20.0}
LINE = '<td height="26" style="border-bottom: 1px solid #999">&nbsp;</td>'
MISTAKES_SHOWN = 4


def mistakes_line(question: Question) -> str:
    """The likeliest wrong figures and where they come from, for whoever marks the answers."""
    if not isinstance(question.answer, Number):
        return ""
    by_figure: dict[str, str] = {}
    for mistake in question.answer.wrong():
        by_figure.setdefault(f"{mistake.value:.{question.answer.decimals}f}", mistake.when)
    shown = list(by_figure.items())[:MISTAKES_SHOWN]
    return "; ".join(f"{figure} when {when}" for figure, when in shown)


def _with_new_tables(
    questions: Sequence[Question],
) -> Iterator[tuple[int, Question, Exercise | None]]:
    """Each question with its number, and its ranking where that is another one than before."""
    before: Exercise | None = None
    for number, question in enumerate(questions, start=1):
        new = question.exercise if question.exercise != before else None
        yield number, question, new
        before = question.exercise or before


# ---- on paper


def export_question_pdf(
    path: Path, title: str, questions: Sequence[Question], answers: bool
) -> None:
    """Write the sheet as a PDF in A4.

    Raises FileError where the file cannot be written; what stood there before is then untouched.
    """
    parts = [_head(title, answers)]
    parts += [_block(*each, answers) for each in _with_new_tables(questions)]
    # The title stays with the first question.
    parts[:2] = ["".join(parts[:2])]

    def lay_out(paper: Paper) -> Iterator[Printed]:
        return paper.blocks(parts)

    data = printed(title, {}, lay_out)
    atomic_write(path, lambda file: file.write(data))


def _head(title: str, answers: bool) -> str:
    if answers:
        return f'<p class="quiet">{WITH_ANSWERS}</p><h1>{html_text(short(title))}</h1>'
    cells = f'<td width="8%">{NAME}</td>{LINE}<td width="10%" align="right">{DATE}&nbsp;</td>{LINE}'
    return (
        f"<h1>{html_text(short(title))}</h1>"
        f'<table width="100%" cellspacing="0" cellpadding="4"><tr valign="bottom">{cells}</tr>'
        "</table>"
    )


def _block(number: int, question: Question, new: Exercise | None, answers: bool) -> str:
    table = "" if new is None else _html_table(new)
    asked = f"<h3>{number}. {html_text(question.text)}</h3>"
    measure = f'<p class="quiet">{html_text(question.measure)}</p>'
    return table + asked + measure + (_answer(question) if answers else _room(question))


def _html_table(exercise: Exercise) -> str:
    """A ranking, about half as wide as the page."""
    header = header_of(exercise)
    columns = [
        Column(name, [short(row[place]) for row in table_of(exercise)], SHARES[name], "left")
        for place, name in enumerate(header)
    ]
    caption = f"Query: {short(exercise.query)}" if exercise.query else "One query"
    table = paper_table(caption, columns).html()
    return (
        '<table width="60%" cellspacing="0" cellpadding="0" style="margin-top: 14px">'
        f"<tr><td>{table}</td></tr></table>"
    )


def _room(question: Question) -> str:
    """Where the answer is written."""
    if isinstance(question.answer, Choice):
        return "".join(f"<p>☐ {html_text(choice)}</p>" for choice in question.answer.choices)
    rows = f"<tr>{LINE}</tr>" * LINES.get(question.kind, MOST_LINES)
    return f'<table width="100%" cellspacing="0" cellpadding="0">{rows}</table>'


def _answer(question: Question) -> str:
    lines = [f"<p><b>{html_text(question.answer.text)}</b></p>"]
    lines += [f"<p>{html_text(line)}</p>" for line in question.explanation]
    if mistakes := mistakes_line(question):
        lines.append(f'<p class="quiet small">Wrong: {html_text(mistakes)}.</p>')
    return "".join(lines)


# ---- in a workbook

WIDTHS = {"A": 5, "B": 12, "C": 24, "D": 12, "E": 12, "F": 35}
FIRST, LAST = 2, 6
CHARACTERS = 88
"""That have room in the columns of a text."""
POINTS = 15


def _font(bold: bool = False, italic: bool = False, size: int = 11) -> Font:
    # Without a name LibreOffice takes a font with serifs.
    return Font(name="Calibri", size=size, bold=bold, italic=italic)


def export_question_xlsx(
    path: Path, title: str, questions: Sequence[Question], answers: bool
) -> None:
    """Write the sheet as a workbook, with a cell for each answer.

    Raises FileError where the file cannot be written; what stood there before is then untouched.
    """
    book = Workbook()
    writer = _SheetWriter(book.active)
    writer.head(title, answers)
    for number, question, new in _with_new_tables(questions):
        if new is not None:
            writer.table(new)
        writer.question(number, question, answers)
    data = BytesIO()
    book.save(data)
    atomic_write(path, lambda file: file.write(data.getvalue()))


@dataclass
class _SheetWriter:
    """Writes from the top to the bottom; ``row`` is the next one that is free."""

    sheet: Worksheet
    row: int = 1

    def head(self, title: str, answers: bool) -> None:
        """Title, and a line for a name and a date, or the words that answers follow."""
        self.sheet.title = "Answers" if answers else "Questions"
        for letter, width in WIDTHS.items():
            self.sheet.column_dimensions[letter].width = width
        self.sheet.page_setup.paperSize = self.sheet.PAPERSIZE_A4
        self.sheet.page_setup.fitToHeight = 0
        self.sheet.sheet_properties.pageSetUpPr.fitToPage = True
        self._line(short(title), _font(bold=True, size=16), column=1, points=22)
        if answers:
            self._line(WITH_ANSWERS, _font(italic=True), column=1)
            return
        for column, label in ((1, NAME), (4, DATE)):
            write_text(self.sheet.cell(self.row, column), label)
        for column in (2, 3, 5, 6):
            self.sheet.cell(self.row, column).border = Border(bottom=Side(style="thin"))
        self.row += 2

    def table(self, exercise: Exercise) -> None:
        """A ranking under the words of its query."""
        self.row += 1
        self._line(f"Query: {short(exercise.query)}" if exercise.query else "One query", _font())
        bold, under = _font(bold=True), Border(bottom=Side(style="thin"))
        for column, name in enumerate(header_of(exercise), start=FIRST):
            cell = write_text(self.sheet.cell(self.row, column), name)
            cell.font, cell.border = bold, under
        self.row += 1
        for texts in table_of(exercise):
            for column, text in enumerate(texts, start=FIRST):
                write_text(self.sheet.cell(self.row, column), short(text))
            self.row += 1

    def question(self, number: int, question: Question, answers: bool) -> None:
        """What is asked, a cell for the answer, and what it is if that is wanted."""
        self.row += 1
        self.sheet.cell(self.row, 1, number).alignment = Alignment(vertical="top")
        self._line(question.text, _font(bold=True))
        self._line(question.measure, _font(italic=True))
        if isinstance(question.answer, Choice):
            for choice in question.answer.choices:
                self._line(f"☐ {choice}", _font())
        self._answer_cell(question, answers)
        if answers:
            for line in question.explanation:
                self._line(line, _font())
            if mistakes := mistakes_line(question):
                self._line(f"Wrong: {mistakes}.", _font(italic=True))

    def _answer_cell(self, question: Question, answers: bool) -> None:
        write_text(self.sheet.cell(self.row, FIRST), "Answer")
        cell, answer = self.sheet.cell(self.row, FIRST + 1), question.answer
        cell.border = Border(*[Side(style="thin")] * 4)
        cell.alignment = Alignment(horizontal="left")
        if isinstance(answer, Number):
            cell.number_format = number_format(answer.decimals)
            if answers:
                cell.value = answer.value
        elif answers:
            write_text(cell, short(answer.text))
        if answers:
            cell.font = _font(bold=True)
        self.row += 1

    def _line(self, text: str, font: Font, column: int = FIRST, points: int = POINTS) -> None:
        """A text across the columns, in a row that is as high as it needs."""
        cell = write_text(self.sheet.cell(self.row, column), text)
        cell.font, cell.alignment = font, Alignment(wrap_text=True, vertical="top")
        self.sheet.merge_cells(
            start_row=self.row, end_row=self.row, start_column=column, end_column=LAST
        )
        # A program that opens the file makes no merged cell as high as its text.
        self.sheet.row_dimensions[self.row].height = points * ceil(len(text) / CHARACTERS)
        self.row += 1
