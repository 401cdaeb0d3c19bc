"""Lessons are read as a teacher writes them, and what is wrong with one is said with its line."""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.evaluation.questions import KINDS
from ndcg_desktop.files.lesson_file import LARGEST, Lesson, lesson_of, read_lesson
from ndcg_desktop.files.table import FileError
from ndcg_desktop.resources import lessons

LESSON = """# A title

Some *text*.

```ranking running shoes
A 3
Trail runner 1 score 0.5
C ?
missed E 3
```

More text.
question: dcg k=2
question: found document=E rank=1 k=3 gain=exponential ideal=judged

```
question: this is code
```
"""


def read(text: str) -> Lesson:
    """The lesson of this text."""
    return lesson_of(Path("lesson.md"), text.encode())


def test_a_lesson() -> None:
    """Title, text, documents and questions, each in its place."""
    lesson = read(LESSON)
    first, second, last = lesson.steps

    assert lesson.title == "A title"
    assert (first.text, second.text) == ("Some *text*.\n\n\nMore text.", "")
    assert "question: this is code" in last.text and last.question is None
    assert first.exercise is second.exercise is not None
    assert first.exercise.query == "running shoes"
    assert [(r.document, r.grade, r.rank, r.score) for r in first.exercise.rows] == [
        ("A", 3.0, 1, None),
        ("Trail runner", 1.0, 2, 0.5),
        ("C", None, 3, None),
        ("E", 3.0, None, None),
    ]
    assert [question.kind for question in lesson.questions] == ["dcg", "found"]
    assert lesson.questions[0].answer.text == "3.631"
    assert "exponential" in lesson.questions[1].measure


def test_a_document_with_spaces_is_quoted() -> None:
    """Settings are words; one with spaces stands in quotation marks."""
    ranking = "# T\n```ranking\nA 3\nmissed Trail runner 2\n```\n"
    lesson = read(f'{ranking}question: found document="Trail runner" rank=1')
    assert "Trail runner was missed" in lesson.questions[0].text


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("text only", 1, "has no title"),
        ("# T\n```ranking\nA 3\n", 2, "not closed: end it with a line ```"),
        ("# T\n```ranking\nA\n```", 3, "“A” has no grade"),
        ("# T\n```ranking\nA good\n```", 3, "grade “good” is not a number"),
        ("# T\n```ranking\nA 99\n```", 3, "grade “99” is beyond 30"),
        ("# T\n```ranking\nA 3\nA 2\n```", 4, "“A” stands twice"),
        ("# T\n```ranking\nmissed A 3\nB 2\n```", 4, "The missed documents come last"),
        ("# T\n```ranking\n```", 3, "has no documents"),
        ("# T\n```ranking\n" + "".join(f"d{n} 1\n" for n in range(26)) + "```", 29, "more than 25"),
        ("# T\nquestion: dcg", 2, "No ranking stands above"),
        ("# T\nquestion: sum", 2, "no question “sum”. There are: gain, discount, dcg,"),
        ("# T\nquestion:", 2, "There is no question “”"),
        ("# T\nquestion: gain", 2, "needs grade="),
        ("# T\nquestion: gain grade=x", 2, "grade “x” is not a number"),
        ("# T\nquestion: gain grade=3 gain=square", 2, "'square' is not understood"),
        ("# T\nquestion: gain grade=3 colour=red", 2, "no setting “colour” of the question gain"),
        ("# T\nquestion: gain grade", 2, "“grade” is no setting"),
        ("# T\nquestion: discount rank=2 k=0", 2, "The cutoff k is 0"),
        ("# T\nquestion: discount rank=2 k=ten", 2, "must be a whole number"),
        ("# T\nquestion: discount rank=2 ideal=best", 2, "judged or returned"),
        ("# T\nquestion: discount rank=2 unjudged=maybe", 2, "must be one of zero, remove"),
        ("# T\nquestion: discount rank='2", 2, "quotation mark"),
        ("# T\n```ranking\nA 0\n```\nquestion: ndcg", 5, "cannot be asked here. There is no nDCG"),
        ("# T\n```ranking\nA 3\n```\nquestion: ndcg gain=1=5", 5, "the gain table has no entry"),
        ("# T\n" + "question: discount rank=2\n" * 101, 102, "at most 100 questions"),
    ],
)
def test_what_is_wrong(text: str, line: int, said: str) -> None:
    """An error names the file, the line, what is wrong and what to do."""
    with pytest.raises(FileError) as caught:
        read(text)

    assert said in str(caught.value)
    assert caught.value.row == line
    assert caught.value.source.file == "lesson.md"


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\xff\xfe# T", "text in UTF-8"), (b"# T\n" + b" " * LARGEST, "too large")],
)
def test_no_text(content: bytes, said: str) -> None:
    """What is no text, or no lesson for its size, is refused."""
    with pytest.raises(FileError, match=said):
        lesson_of(Path("lesson.md"), content)


def test_no_file(tmp_path: Path) -> None:
    """A folder, or nothing at all, is no lesson."""
    for path in (tmp_path, tmp_path / "none.md"):
        with pytest.raises(FileError):
            read_lesson(path)


LINES = st.sampled_from(
    [
        *LESSON.splitlines(),
        "```",
        "~~~",
        "```ranking",
        "A",
        "question:",
        "missed B ?",
        "# x",
        "B 2 score",
    ]
)
SETTINGS = st.sampled_from(
    ["k=2", "k=all", "gain=0=0,3=1", "gain=exponential", "discount=base:3", "discount=base:x",
     "ideal=returned", "unjudged=remove", "rank=3", "rank=-1", "grade=3", "grade=nan", "document=E",
     "pairs=any", "document='", "k=99999999999", "=", "grade=-2", "rank=1"]
)  # fmt: skip


@given(
    st.lists(
        st.one_of(
            LINES,
            st.text(max_size=20),
            st.builds(
                lambda kind, some: f"question: {kind} {' '.join(some)}",
                st.sampled_from(list(KINDS)),
                st.lists(SETTINGS, max_size=4),
            ),
            st.builds(
                lambda name, grade: f"{name} {grade}",
                st.sampled_from("ABCD"),
                st.sampled_from(["0", "3", "?", "-1", "2,5", "30", "1 score 2", "3 score 2"]),
            ),
        ),
        max_size=14,
    )
)
def test_anything(lines: list[str]) -> None:
    """Whatever a file holds, it is a lesson or the error of a file."""
    text = "\n".join(["# T", "```ranking", "A 2", "B ?", "```", *lines])
    with suppress(FileError):
        assert all(question.explanation for question in read(text).questions)


@given(st.binary(max_size=60))
def test_any_bytes(content: bytes) -> None:
    """Bytes of any kind are a lesson or the error of a file."""
    with suppress(FileError):
        assert lesson_of(Path("x"), content).title


class TestThoseThatComeAlong:
    """The lessons of the program."""

    def test_there_are_four(self) -> None:
        """What DCG is; the ideal; linear or exponential, and k; unjudged and undefined."""
        titles = [read_lesson(path).title for path in lessons()]
        assert titles == [
            "What DCG is",
            "The ideal, and what was missed",
            "Linear or exponential, and k",
            "Not judged, and not defined",
        ]

    @pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
    def test_their_figures(self, path: Path) -> None:
        """Every figure that a text names is one that its rankings have."""
        lesson = read_lesson(path)
        assert len(lesson.questions) >= 4
        text = " ".join(step.text for step in lesson.steps)
        known = {"0.000"} | {
            word for q in lesson.questions for line in q.explanation for word in line.split()
        }
        known |= {q.answer.text for q in lesson.questions}
        discounts = [1 / math.log2(rank + 1) for rank in range(1, 6)]
        known |= {f"{each:.3f}" for each in (*discounts, 3 * discounts[0] + discounts[1])}
        named = {
            w.strip(".,:?") for w in text.split() if w[:1].isdigit() and "." in w.strip(".,:?")
        }
        assert named <= known
