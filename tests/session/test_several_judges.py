"""Several judges in one file: each grade goes to its judge's own place, and comes back from it."""

from __future__ import annotations

import csv
from pathlib import Path

import openpyxl
import pytest
from PySide6.QtCore import QSettings

from ndcg_desktop.session.preferences import Preferences
from ndcg_desktop.session.session import Session

WIDE = """query,docid,title,Ann,Bob
red shoes,A,Runner,3,2
red shoes,B,Boot,1,
red shoes,C,Sock,,0
hat,D,Cap,2,2
"""
LONG = """query,docid,title,rater,grade,note
red shoes,A,Runner,Ann,3,fits well
red shoes,A,Runner,Bob,2,
red shoes,B,Boot,Ann,1,
hat,D,Cap,Bob,2,
"""
SINGLE = """query,docid,title,grade
red shoes,A,Runner,3
red shoes,B,Boot,
hat,D,Cap,2
"""
RANKING = """query,docid,rank
red shoes,B,1
red shoes,A,2
red shoes,Z,3
hat,D,1
"""


@pytest.fixture
def made(tmp_path: Path):
    """Write a text to a file of this test's own."""

    def write(text: str, name: str = "judgments.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


def rows(path: Path) -> list[dict[str, str]]:
    """What a CSV holds, a dictionary for each row."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def grade(session: Session, query: int, document: str) -> float | None:
    """The merged grade of a document."""
    evaluation = session.evaluation
    pair = evaluation.judgments.find(query, document)
    return evaluation.value_of("grade", "", pair)


def save(qtbot, session: Session) -> None:
    """Save, and wait for it."""
    with qtbot.waitSignal(session.saved, timeout=20_000):
        session.save()


class TestColumns:
    """A column for each judge."""

    def test_a_vote_goes_to_its_own_column(self, qtbot, opened, made) -> None:
        """Only the judge's own cell changes, the merged grade follows, and undo takes it back."""
        path = made(WIDE)
        session = opened(path)
        session.set_judge("Bob")
        assert grade(session, 0, "B") == 1
        session.set_grades(0, [("B", 3.0)])

        assert grade(session, 0, "B") == 2  # the mean of Ann's 1 and Bob's 3
        assert session.modified
        save(qtbot, session)

        assert path.read_text("utf-8") == WIDE.replace("Boot,1,\n", "Boot,1,3\n")
        assert not session.modified
        session.undo_stack.undo()
        assert (grade(session, 0, "B"), session.modified) == (1, True)

    def test_a_new_judge_gets_a_column(self, qtbot, opened, made) -> None:
        """The column is added at the right with the judge's name, and read as a judge's again."""
        path = made(WIDE)
        session = opened(path)
        session.set_judge("Cem")
        session.set_grades(0, [("A", 1.0), ("C", 3.0)])
        save(qtbot, session)

        assert [row["Cem"] for row in rows(path)] == ["1", "", "3", ""]
        assert session.evaluation.votes.judges == ["Ann", "Bob", "Cem"]
        session.set_grades(1, [("D", 0.0)])
        save(qtbot, session)
        assert [row["Cem"] for row in rows(path)] == ["1", "", "3", "0"]
        again = opened(path)
        assert again.evaluation.votes.judges == ["Ann", "Bob", "Cem"]
        assert not again.modified

    def test_a_new_judge_in_a_workbook(self, qtbot, opened, tmp_path) -> None:
        """The same in a workbook, whose other sheet stays."""
        path = tmp_path / "judgments.xlsx"
        book = openpyxl.Workbook()
        for row in csv.reader(WIDE.splitlines()):
            book.active.append([int(cell) if cell.isdigit() else cell or None for cell in row])
        book.create_sheet("Notes")["A1"] = "keep me"
        book.save(path)
        session = opened(path)
        session.set_judge("Cem")
        session.set_grades(0, [("A", 1.0)])
        save(qtbot, session)

        book = openpyxl.load_workbook(path)
        sheet = book.worksheets[0]
        assert [cell.value for cell in sheet["F"]] == ["Cem", 1, None, None, None]
        assert book["Notes"]["A1"].value == "keep me"

    def test_a_document_that_only_the_ranking_has(self, qtbot, opened, made) -> None:
        """It is added as a row, with the grade in the judge's column."""
        path = made(WIDE)
        session = opened(path, made(RANKING, "run.csv"))
        session.set_judge("Ann")
        session.set_grades(0, [("Z", 2.0)])
        save(qtbot, session)

        added = rows(path)[-1]
        assert (added["query"], added["docid"], added["Ann"], added["Bob"]) == (
            "red shoes",
            "Z",
            "2",
            "",
        )

    def test_nobody_has_said_who_judges(self, qtbot, opened, made) -> None:
        """A grade is not taken while it is not known whose it is; that is asked for."""
        session = opened(made(WIDE))
        with qtbot.waitSignal(session.judge_needed):
            session.set_grades(0, [("A", 0.0)])

        assert grade(session, 0, "A") == 2.5
        assert not session.modified

    def test_a_verdict_is_kept_apart(self, qtbot, opened, made) -> None:
        """It stands for the grade whatever the votes say, and has a column of its own."""
        path = made(WIDE)
        session = opened(path)
        session.set_judge("Chief")
        session.set_values("verdict", "", 0, [("A", 0.0)])
        assert grade(session, 0, "A") == 0
        session.set_merging("max")
        assert (grade(session, 0, "A"), grade(session, 1, "D")) == (0, 2)
        save(qtbot, session)

        assert [row["verdict"] for row in rows(path)] == ["0", "", "", ""]
        assert [row["Ann"] for row in rows(path)] == ["3", "1", "", "2"]
        again = opened(path)
        assert again.evaluation.votes.judges == ["Ann", "Bob"]
        assert grade(again, 0, "A") == 0

    def test_notes_of_several(self, qtbot, opened, made) -> None:
        """Notes of two judges share the cell of a column that is added, each with its name."""
        path = made(WIDE)
        session = opened(path)
        for judge, text in (("Ann", "a, “fine” one"), ("Bob", "no")):
            session.set_judge(judge)
            session.set_values("note", judge, 0, [("A", text)])
        assert session.modified
        save(qtbot, session)

        assert rows(path)[0]["note"] == "Ann: a, “fine” one\nBob: no"
        assert not session.modified
        again = opened(path)
        pair = again.evaluation.judgments.find(0, "A")
        assert again.evaluation.remarks.of_pair(pair) == {"Ann": "a, “fine” one", "Bob": "no"}


class TestRows:
    """A row for each judgment, with its rater."""

    def test_a_vote_goes_to_its_own_row(self, qtbot, opened, made) -> None:
        """The judge's own row changes, and no other."""
        path = made(LONG)
        session = opened(path)
        session.set_judge("Bob")
        session.set_grades(0, [("A", 0.0)])
        save(qtbot, session)

        assert path.read_text("utf-8") == LONG.replace("Bob,2,\nred", "Bob,0,\nred")

    def test_a_new_vote_is_a_new_row(self, qtbot, opened, made) -> None:
        """It repeats what the file has of the document, with the judge, the grade and the note."""
        path = made(LONG)
        session = opened(path)
        session.set_judge("Cem")
        session.set_grades(0, [("A", 1.0)])
        session.set_values("note", "Cem", 0, [("A", "too small")])
        save(qtbot, session)

        assert rows(path)[-1] == {
            "query": "red shoes",
            "docid": "A",
            "title": "Runner",
            "rater": "Cem",
            "grade": "1",
            "note": "too small",
        }
        assert len(rows(path)) == 5
        assert grade(session, 0, "A") == 2
        again = opened(path)
        assert again.evaluation.remarks.of_pair(again.evaluation.judgments.find(0, "A")) == {
            "Ann": "fits well",
            "Cem": "too small",
        }


class TestFromOneToSeveral:
    """A file of one grade for each document is taken up by several judges."""

    def test_the_grades_become_those_of_the_first(self, qtbot, opened, made) -> None:
        """Its column stays, and the next judge gets one beside it; undo leads back."""
        path = made(SINGLE)
        session = opened(path)
        session.set_grades(0, [("B", 1.0)])  # not saved yet
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.judge_together()
        assert session.evaluation.votes.judges == ["grade"]
        assert grade(session, 0, "B") == 1
        session.set_judge("Bob")
        session.set_grades(0, [("A", 1.0)])
        assert grade(session, 0, "A") == 2
        save(qtbot, session)

        assert [(row["grade"], row["judge Bob"]) for row in rows(path)] == [
            ("3", "1"),
            ("1", ""),
            ("2", ""),
        ]

    def test_undo(self, qtbot, opened, made) -> None:
        """Judging by several is one step that undo takes back, with the grades made since."""
        session = opened(made(SINGLE))
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.judge_together()
        session.set_judge("Bob")
        session.set_grades(0, [("A", 1.0)])
        session.undo_stack.undo()
        session.undo_stack.undo()

        assert session.evaluation.votes is None
        assert grade(session, 0, "A") == 3
        assert not session.modified


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (WIDE, ["Ann", "Bob", "Cem"]),
        (WIDE.replace("Ann,Bob", "Rater A,Rater B"), ["Rater A", "Rater B", "Cem"]),
        (WIDE, ["Ann", "Bob", "title"]),  # as another column is called
    ],
)
def test_read_elsewhere(qtbot, opened, made, tmp_path, text, names) -> None:
    """A file with a further judge and a verdict is understood where it was never seen."""
    path = made(text)
    session = opened(path)
    session.set_judge(names[-1])
    session.set_grades(0, [("A", 1.0)])
    session.set_values("verdict", "", 0, [("B", 0.0)])
    save(qtbot, session)
    settings = QSettings(str(tmp_path / "other.ini"), QSettings.Format.IniFormat)
    other = Session(Preferences(settings))
    with qtbot.waitSignal(other.replaced, timeout=20_000):
        other.open_paths([path])

    votes = other.evaluation.votes
    assert votes.judges == names
    assert votes.of_pair(0) == {names[0]: 3, names[1]: 2, names[-1]: 1}
    assert grade(other, 0, "B") == 0
    other.shut_down()


def test_save_as_has_every_judge(qtbot, opened, made, tmp_path) -> None:
    """A file of another kind gets a column for each judge, the verdict and the notes."""
    session = opened(made(LONG))
    session.set_judge("Bob")
    session.set_values("verdict", "", 0, [("B", 3.0)])
    target = tmp_path / "new.xlsx"
    with qtbot.waitSignal(session.saved, timeout=20_000):
        session.save_as(target)

    sheet = openpyxl.load_workbook(target).worksheets[0]
    table = list(sheet.iter_rows(values_only=True))
    assert table[0] == ("query", "document", "Ann", "Bob", "verdict", "note")
    assert table[1:] == [
        ("red shoes", "A", 3, 2, None, "Ann: fits well"),
        ("red shoes", "B", 1, None, 3, None),
        ("hat", "D", None, 2, None, None),
    ]
    assert not session.modified
    assert session.evaluation.votes.judges == ["Ann", "Bob"]
    session.set_grades(0, [("B", 2.0)])
    save(qtbot, session)
    assert openpyxl.load_workbook(target).worksheets[0]["D3"].value == 2


def test_a_note_in_a_file_of_one_judge(qtbot, opened, made) -> None:
    """A note gets a column of its own; graded anew, both are saved at once."""
    path = made(SINGLE)
    session = opened(path)
    session.set_values("note", "", 0, [("B", "not sure: =1+1")])
    session.set_grades(0, [("B", 1.0)])
    save(qtbot, session)

    assert [row["note"] for row in rows(path)] == ["", "not sure: =1+1", ""]
    assert rows(path)[1]["grade"] == "1"
    again = opened(path)
    assert again.evaluation.remarks.notes == {(1, ""): "not sure: =1+1"}


def test_no_room_for_notes(qtbot, opened, made) -> None:
    """A qrels file takes the grades; that the notes are not saved is said, and they stay."""
    path = made("1 0 A 3\n1 0 B 1\n", "judgments.qrels")
    session = opened(path)
    session.set_grades(0, [("B", 2.0)])
    session.set_values("note", "", 0, [("B", "why?")])
    with qtbot.waitSignal(session.saved, timeout=20_000) as told:
        session.save()

    assert path.read_text("utf-8") == "1 0 A 3\n1 0 B 2\n"
    assert "The notes are not" in told.args[0].note
    assert session.modified


def test_the_rule_is_kept(qtbot, opened, made) -> None:
    """How votes are merged is there again when the file is opened again."""
    path = made(WIDE)
    session = opened(path)
    session.set_merging("judge:Ann")
    assert grade(session, 0, "C") is None
    session.close()
    session = opened(path)

    assert session.evaluation.votes.rule == "judge:Ann"
    assert grade(session, 0, "C") is None
    assert grade(session, 0, "B") == 1


def test_words(qtbot, opened, tmp_path) -> None:
    """Judges who use words get words, in a new column too."""
    path = tmp_path / "judgments.csv"
    path.write_text(
        "query,docid,Rater A,Rater B\nq,A,Exact,Partial\nq,B,Irrelevant,Exact\n", "utf-8"
    )
    from ndcg_desktop.files.assemble import Understood
    from ndcg_desktop.files.labels import parse_labels
    from ndcg_desktop.files.plan import Plan
    from ndcg_desktop.files.read import read
    from ndcg_desktop.files.roles import Roles
    from ndcg_desktop.session.loading import Question, Request

    (table,) = read(path)
    part = Understood(
        table,
        Roles(query=0, document=1, graders=(2, 3)),
        labels=parse_labels("Exact=2,Partial=1,Irrelevant=0"),
    )
    # A session that asked about the words, and got this answer.
    session = opened.session
    with qtbot.waitSignal(session.replaced, timeout=20_000):
        session.answer(Question(Request((path,)), Plan([part])), [part], [])
    session.set_judge("Rater C")
    session.set_grades(0, [("A", 0.0)])
    save(qtbot, session)

    assert [row["Rater C"] for row in rows(path)] == ["Irrelevant", ""]


def test_the_first_judge_has_a_name(qtbot, opened, made) -> None:
    """The grades that are there are called by their judge, also when the file is opened again."""
    path = made(SINGLE)
    session = opened(path)
    session.set_grades(0, [("B", 1.0)])
    with qtbot.waitSignal(session.replaced, timeout=20_000):
        session.judge_together("Alice")
    assert session.evaluation.votes.of_pair(1) == {"Alice": 1}
    session.set_judge("Bob")
    session.set_grades(0, [("A", 1.0)])
    session.set_judge("Alice")
    session.set_grades(1, [("D", 0.0)])
    save(qtbot, session)

    assert [(row["grade"], row["judge Bob"]) for row in rows(path)] == [
        ("3", "1"),
        ("1", ""),
        ("0", ""),
    ]
    session.close()
    again = opened(path)
    assert again.evaluation.votes.of_pair(0) == {"Alice": 3, "Bob": 1}
    again.set_grades(0, [("A", 2.0)])
    save(qtbot, again)
    assert rows(path)[0]["grade"] == "2"
    assert not again.modified
