"""Lessons as files that a teacher can read and write: Markdown, rankings and questions.

    # What DCG is

    Text in Markdown.

    ```ranking running shoes
    A 3
    B 1
    C ?
    missed E 3
    ```

    question: dcg k=3
    question: found document=E rank=1 k=3 gain=exponential

The first heading is the title. A block ``ranking`` lists the documents in their order, each with
its grade (``?``: not judged) and, if wanted, ``score`` and a number; those after ``missed`` were
judged and not returned. A line ``question:`` names a kind of question and its settings; it is about
the ranking above it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ndcg_desktop.evaluation.exercise import GREATEST_GRADE, MOST_ROWS, Exercise, Row
from ndcg_desktop.evaluation.question import Question, QuestionError
from ndcg_desktop.evaluation.questions import KINDS, ask
from ndcg_desktop.files.numbers import number
from ndcg_desktop.files.table import FileError
from ndcg_desktop.scoring.options import Options, OptionsError, parse_discount, parse_gain

SUFFIX = ".md"
LARGEST = 200_000
"""Bytes of a file that may be a lesson."""
MOST_QUESTIONS = 100

FENCES = "```", "~~~"
RANKING, QUESTION, MISSED, SCORE = "ranking", "question:", "missed", "score"
NOT_JUDGED = {"?", "-", "–"}
LONGEST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Step:
    """A piece of a lesson: what is read (Markdown), the documents it is about, what is asked."""

    text: str
    exercise: Exercise | None
    question: Question | None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson in its steps, of which there is at least one."""

    title: str
    steps: tuple[Step, ...]

    @property
    def questions(self) -> list[Question]:
        """What the lesson asks, in its order."""
        return [step.question for step in self.steps if step.question is not None]


class _ProblemError(Exception):
    """Something about a line that a teacher has to change."""


def read_lesson(path: Path) -> Lesson:
    """The lesson that a file holds. Raises FileError, with the line, for one that holds none."""
    try:
        if not path.is_file():  # to open a pipe would wait for its other end
            raise FileError(path, "This is no file that could be read.")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise FileError(path, f"The file cannot be read ({error.strerror}).") from error
    return lesson_of(path, content)


def lesson_of(path: Path, content: bytes) -> Lesson:
    """The lesson that these bytes are; ``path`` is named in errors. Raises FileError."""
    if len(content) > LARGEST:
        raise FileError(path, "This is no lesson: it is too large.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(path, "This is no lesson: save it as text in UTF-8.") from error
    reader = _Reader()
    for line_number, line in enumerate(text.splitlines(), start=1):
        try:
            reader.take(line_number, line)
        except _ProblemError as error:
            raise FileError(path, str(error), row=line_number) from error
    try:
        return reader.lesson()
    except _ProblemError as error:
        raise FileError(path, str(error), row=reader.opened_at) from error


class _Reader:
    """Takes a lesson line by line."""

    def __init__(self) -> None:
        self.opened_at: int | None = None
        """The line where the block began that is open, None outside of blocks."""
        self._title = ""
        self._text: list[str] = []
        self._exercise: Exercise | None = None
        self._new_exercise = False
        self._steps: list[Step] = []
        self._fence = ""
        self._query = ""
        self._rows: list[Row] | None = None
        """Those of the ranking that is open, None outside of one."""

    def take(self, number: int, line: str) -> None:
        """Read the next line."""
        if self._fence:
            self._inside(line)
        elif line.startswith(FENCES):
            self._open(number, line)
        elif line.lower().startswith(QUESTION):
            self._ask(line[len(QUESTION) :])
        elif line.startswith("# ") and not self._title:
            self._title = line[2:].strip()
        else:
            self._text.append(line)

    def lesson(self) -> Lesson:
        """The lesson, at the end of its file."""
        if self._fence:
            raise _ProblemError(f"This block is not closed: end it with a line {self._fence}")
        self.opened_at = 1
        if not self._title:
            raise _ProblemError("The lesson has no title: begin it with a line such as “# Title”.")
        text = self._taken_text()
        if text or self._new_exercise or not self._steps:
            self._steps.append(Step(text, self._exercise, None))
        return Lesson(self._title, tuple(self._steps))

    # ---- blocks

    def _open(self, number: int, line: str) -> None:
        self._fence, self.opened_at = line[:3], number
        kind, _, query = line[3:].strip().partition(" ")
        if kind.lower() == RANKING:
            self._rows, self._query = [], query.strip()
        else:
            self._text.append(line)

    def _inside(self, line: str) -> None:
        closes = line.strip() == self._fence
        if closes:
            self._fence, self.opened_at = "", None
        if self._rows is None:
            self._text.append(line)
        elif closes:
            self._close_ranking(self._rows)
        elif line.strip():
            self._rows.append(self._row(line.strip(), self._rows))

    def _row(self, line: str, before: list[Row]) -> Row:
        words = line.split()
        missed = words[0].lower() == MISSED and len(words) > 2
        if missed:
            words = words[1:]
        score = None
        if len(words) > 3 and words[-2].lower() == SCORE:
            score = _number(words[-1], "score")
            words = words[:-2]
        if len(words) < 2:
            raise _ProblemError(
                f"“{_shown(line)}” has no grade. Write document and grade, as in “A 3”, with ? for "
                "the grade of a document that is not judged."
            )
        document = " ".join(words[:-1])
        if document in [row.document for row in before]:
            raise _ProblemError(f"The document “{_shown(document)}” stands twice in this ranking.")
        grade = None if words[-1] in NOT_JUDGED else _grade(words[-1])
        if not missed and before and before[-1].rank is None:
            raise _ProblemError("The missed documents come last: move this line above them.")
        return Row(document, grade, None if missed else len(before) + 1, score)

    def _close_ranking(self, rows: list[Row]) -> None:
        if not rows:
            raise _ProblemError("This ranking has no documents.")
        if len(rows) > MOST_ROWS:
            raise _ProblemError(f"This ranking has more than {MOST_ROWS} documents.")
        returned = sum(row.rank is not None for row in rows)
        self._exercise = Exercise(self._query, tuple(rows), returned)
        self._new_exercise = True
        self._rows = None

    # ---- questions

    def _ask(self, line: str) -> None:
        if len(self._steps) >= MOST_QUESTIONS:
            raise _ProblemError(f"A lesson has at most {MOST_QUESTIONS} questions.")
        kind, options, settings = _read_question(line)
        if self._exercise is None and KINDS[kind].of_documents:
            raise _ProblemError("No ranking stands above this question; it would be about that.")
        exercise = self._exercise or Exercise("", (), 0)
        try:
            question = ask(kind, exercise, options, **settings)
        except QuestionError as error:
            raise _ProblemError(f"This cannot be asked here. {error}") from error
        self._steps.append(Step(self._taken_text(), self._exercise, question))
        self._new_exercise = False

    def _taken_text(self) -> str:
        text = "\n".join(self._text).strip("\n")
        self._text = []
        return text if text.strip() else ""


def _read_question(line: str) -> tuple[str, Options, dict[str, Any]]:
    """The kind of a question, the options it is asked under, and its own settings."""
    try:
        kind, *words = shlex.split(line) or [""]
    except ValueError:
        raise _ProblemError("A quotation mark is not closed.") from None
    if kind not in KINDS:
        raise _ProblemError(
            f"There is no question “{_shown(kind)}”. There are: {', '.join(KINDS)}."
        )
    options, settings = Options(cutoff=None), {}
    for word in words:
        name, is_setting, value = word.partition("=")
        if not is_setting:
            raise _ProblemError(f"“{_shown(word)}” is no setting; one is written as in k=4.")
        if name in KINDS[kind].settings:
            settings[name] = _SETTINGS[name](value)
        elif name in _OPTIONS:
            options = _with_option(options, name, value)
        else:
            known = ", ".join([*KINDS[kind].settings, *_OPTIONS])
            raise _ProblemError(
                f"There is no setting “{_shown(name)}” of the question {kind}. There are: {known}."
            )
    needed = [name for name in KINDS[kind].settings if name != "pairs" and name not in settings]
    if needed:
        raise _ProblemError(f"The question {kind} needs {needed[0]}=…")
    return kind, options, settings


def _with_option(options: Options, name: str, value: str) -> Options:
    try:
        return replace(options, **_OPTIONS[name](value))
    except OptionsError as error:
        raise _ProblemError(_shown(str(error), 300)) from error


def _cutoff(value: str) -> dict[str, Any]:
    return {"cutoff": None if value == "all" else _whole(value, "k")}


def _gain(value: str) -> dict[str, Any]:
    kind, table = parse_gain(value)
    return {"gain": kind, "gain_table": table}


def _discount(value: str) -> dict[str, Any]:
    kind, base = parse_discount(value)
    return {"discount": kind, "discount_base": base}


def _ideal(value: str) -> dict[str, Any]:
    if value not in ("judged", "returned"):
        raise _ProblemError(f"The ideal is “{_shown(value)}”; it must be judged or returned.")
    return {"ideal": value}


_OPTIONS: dict[str, Callable[[str], dict[str, Any]]] = {
    "k": _cutoff,
    "gain": _gain,
    "discount": _discount,
    "ideal": _ideal,
    "unjudged": lambda value: {"unjudged": value},
}


def _number(text: str, what: str) -> float:
    value = number(text)
    if value is None or not abs(value) < 1e9:
        raise _ProblemError(f"The {what} “{_shown(text)}” is not a number.")
    return value


def _grade(text: str) -> float:
    value = _number(text, "grade")
    if abs(value) > GREATEST_GRADE:
        raise _ProblemError(f"The grade “{_shown(text)}” is beyond {GREATEST_GRADE:g}.")
    return value


def _whole(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise _ProblemError(f"{what} is “{_shown(text)}”; it must be a whole number.")
    return int(text)


_SETTINGS: dict[str, Callable[[str], Any]] = {
    "grade": _grade,
    "rank": lambda text: _whole(text, "rank"),
    "document": str,
    "pairs": str,
}


def _shown(text: str, longest: int = LONGEST_SHOWN) -> str:
    return text if len(text) <= longest else text[:longest] + "…"
