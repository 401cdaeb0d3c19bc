"""What was judged is never lost: while a save runs, in the journal, and in files of other kinds."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from test_several_judges import LONG, RANKING, SINGLE, WIDE, grade, rows, save

from ndcg_desktop.files.convert import SAVE_FORMATS
from ndcg_desktop.session.chronicle import Chronicle
from ndcg_desktop.session.preferences import Preferences
from ndcg_desktop.session.session import Session


@pytest.fixture
def made(tmp_path: Path):
    """Write a text to a file of this test's own."""

    def write(text: str, name: str = "judgments.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.fixture
def died(qtbot, session: Session, preferences: Preferences, tmp_path: Path):
    """End a session as a crash does, and open files in the next one; gives it, and what is left."""
    after: list[Session] = []

    def go(*paths: Path) -> tuple[Session, list]:
        session.chronicle.end()  # its lock is free and nothing was settled, as after a kill
        session.chronicle.presence.release()
        settings = QSettings(str(tmp_path / "next.ini"), QSettings.Format.IniFormat)
        following = Session(Preferences(settings))
        following.chronicle = Chronicle(following, tmp_path / "state")
        after.append(following)
        left: list = []
        following.chronicle.left.connect(left.append)
        following.open_paths(paths)
        qtbot.waitUntil(lambda: following.evaluation is not None and following.jobs.idle)
        return following, left

    yield go
    for each in after:
        each.chronicle.shut_down()
        each.shut_down()


class TestWhileSaving:
    """What is changed while a save runs stays as it is."""

    @pytest.mark.parametrize("text", [WIDE, SINGLE])
    def test_undo(self, qtbot, opened, made, text) -> None:
        """A grade that is taken back meanwhile is not put back, and is unsaved."""
        path = made(text)
        session = opened(path)
        session.set_judge("Ann")
        before = grade(session, 0, "B")
        session.set_grades(0, [("B", 3.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()
            session.undo_stack.undo()

        assert (grade(session, 0, "B"), session.modified) == (before, True)
        save(qtbot, session)
        assert path.read_text("utf-8") == text

    def test_the_last_vote_stays_the_last(self, qtbot, opened, made) -> None:
        """Saving does not change which of several votes was given last."""
        session = opened(made(WIDE))
        session.set_merging("last")
        session.set_judge("Ann")
        session.set_grades(0, [("A", 1.0)])
        assert grade(session, 0, "A") == 1
        save(qtbot, session)
        assert grade(session, 0, "A") == 1


class TestFiles:
    """Each grade goes to its own cell."""

    @pytest.mark.parametrize("ending", ["csv", "xlsx"])
    def test_a_ranking_that_was_graded(self, qtbot, opened, made, tmp_path, ending) -> None:
        """Saved as a file of its own, further grades fill the blank cells of their rows."""
        session = opened(made(RANKING, "run.csv"))
        session.set_grades(0, [("B", 1.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save_as(tmp_path / f"graded.{ending}")
        session.set_grades(0, [("A", 2.0)])
        session.set_grades(1, [("D", 3.0)])
        session.set_values("note", "", 0, [("Z", "why?")])
        save(qtbot, session)

        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.open_paths([tmp_path / f"graded.{ending}"])
        assert len(session.evaluation.rankings[0]) == 4
        assert [grade(session, q, d) for q, d in ((0, "B"), (0, "A"), (1, "D"))] == [1, 2, 3]
        assert list(session.evaluation.remarks.notes.values()) == ["why?"]

    @pytest.mark.parametrize("key", ["qrels", "quepid", "pytrec_eval"])
    def test_another_format_of_several_judges(self, qtbot, opened, made, tmp_path, key) -> None:
        """It is a copy of the merged grades: the judges stay where they are."""
        form = next(each for each in SAVE_FORMATS if each.key == key)
        path = made(WIDE.replace("red shoes", "1").replace("hat", "2"))
        session = opened(path)
        session.set_merging("max")  # such formats take whole numbers
        session.set_judge("Ann")
        session.set_grades(0, [("A", 1.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000) as told:
            session.save_as(tmp_path / f"copy{form.suffix}", form=form)

        assert "is a copy" in told.args[0].note
        assert session.evaluation.votes.judges == ["Ann", "Bob"]
        assert (grade(session, 0, "A"), session.modified) == (2, True)
        save(qtbot, session)
        assert rows(path)[0]["Ann"] == "1"

    @pytest.mark.parametrize("name", ["note", "rank", "score", "relevance", "title", "Ann: x"])
    def test_names_that_mean_something(self, qtbot, opened, made, tmp_path, name) -> None:
        """A judge called as another kind of column keeps votes and notes, elsewhere too."""
        path = made(WIDE)
        session = opened(path)
        session.set_judge(name)
        session.set_grades(0, [("A", 1.0), ("B", 0.0)])
        session.set_values("note", name, 0, [("A", "n1\nBob: no, mine")])
        save(qtbot, session)
        assert not session.modified

        settings = QSettings(str(tmp_path / "other.ini"), QSettings.Format.IniFormat)
        other = Session(Preferences(settings))
        with qtbot.waitSignal(other.replaced, timeout=20_000):
            other.open_paths([path])
        assert other.evaluation.votes.judges == ["Ann", "Bob", name]
        assert other.evaluation.votes.of_pair(0) == {"Ann": 3, "Bob": 2, name: 1}
        assert other.evaluation.remarks.of_pair(0) == {name: "n1\nBob: no, mine"}
        other.shut_down()

    def test_a_note_before_any_vote(self, qtbot, opened, made) -> None:
        """A judge who has only noted something is known by the note when it is read again."""
        path = made(WIDE)
        session = opened(path)
        session.set_values("note", "Cem", 0, [("A", "hello")])
        save(qtbot, session)

        assert not session.modified
        session = opened(path)
        assert session.evaluation.remarks.of_pair(0) == {"Cem": "hello"}

    def test_a_judge_in_two_files(self, qtbot, opened, made) -> None:
        """The vote goes to both, since either of them would count."""
        one, two = made(WIDE, "a.csv"), made(WIDE.replace("3,2", "1,1"), "b.csv")
        session = opened(one, two)
        session.set_judge("Ann")
        session.set_grades(0, [("A", 0.0)])
        with qtbot.waitSignal(session.save_refused, timeout=20_000):
            session.save()  # a.csv has another grade than the one that counted
        from ndcg_desktop.session.consent import Consent

        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save(Consent(others=True))
        assert rows(one)[0]["Ann"] == rows(two)[0]["Ann"] == "0"
        assert not session.modified

    def test_differing_cells_are_asked_about(self, qtbot, opened, made) -> None:
        """Two rows with different grades of one judge are not overwritten without a question."""
        path = made(WIDE + "red shoes,A,Runner,1,\n")
        session = opened(path)
        session.set_judge("Ann")
        session.set_grades(0, [("A", 0.0)])
        with qtbot.waitSignal(session.save_refused, timeout=20_000) as told:
            session.save()

        assert "“3” on row 2" in str(told.args[0])
        assert path.read_text("utf-8") == WIDE + "red shoes,A,Runner,1,\n"


class TestJournal:
    """What the journal has is all that no file has."""

    def test_several_judges_of_a_file_of_one(self, qtbot, opened, made, died) -> None:
        """Votes that were given after judging together come back, with the judges."""
        path = made(SINGLE)
        session = opened(path)
        session.set_grades(0, [("B", 0.0)])
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.judge_together("Alice")
        session.set_judge("Bob")
        session.set_grades(0, [("A", 1.0), ("B", 2.0)])
        session.set_values("note", "Bob", 0, [("A", "hm")])
        following, left = died(path)
        qtbot.waitUntil(lambda: bool(left))
        (found,) = left
        assert found.lost == 0
        following.chronicle.restore(found)

        assert following.evaluation.votes.of_pair(0) == {"Alice": 3, "Bob": 1}
        assert following.evaluation.votes.of_pair(1) == {"Alice": 0, "Bob": 2}
        assert following.evaluation.remarks.of_pair(0) == {"Bob": "hm"}

    def test_carried_over(self, qtbot, opened, made, died) -> None:
        """Grades that went over to judgments that were opened later are offered with these."""
        run, judged = made(RANKING, "run.csv"), made(SINGLE)
        session = opened(run)
        session.set_grades(0, [("Z", 1.0)])
        opened(judged)
        assert grade(session, 0, "Z") == 1
        following, left = died(judged, run)
        assert [(edit.old, edit.new) for edit in left[0].edits] == [(None, 1.0)]
        following.chronicle.restore(left[0])
        assert grade(following, 0, "Z") == 1

    def test_a_change_during_a_save(self, qtbot, opened, made, died) -> None:
        """The file has one value, the person gave another after it: that one is offered."""
        path = made(SINGLE)
        session = opened(path)
        session.set_grades(0, [("B", 2.0)])
        session.set_grades(0, [("B", 1.0)])
        path.write_text(SINGLE.replace("Boot,", "Boot,2"), "utf-8")  # as far as the save had come
        _, left = died(path)
        assert [(edit.old, edit.new) for edit in left[0].edits] == [(2.0, 1.0)]

    def test_back_to_what_was_there_before_the_save(self, qtbot, opened, made, died) -> None:
        """A change that comes to nothing is one where the save had written what lay between."""
        path = made(SINGLE)
        session = opened(path)
        session.set_grades(0, [("B", 2.0)])
        session.set_grades(0, [("B", None)])
        path.write_text(SINGLE.replace("Boot,", "Boot,2"), "utf-8")
        _, left = died(path)
        assert [(edit.old, edit.new) for edit in left[0].edits] == [(2.0, None)]

    def test_notes_without_room(self, qtbot, opened, made, died) -> None:
        """A note that the file cannot hold is offered after a crash; the grades are saved."""
        path = made("1 0 A 3\n1 0 B 1\n", "judgments.qrels")
        session = opened(path)
        session.set_values("note", "", 0, [("A", "why?")])
        session.set_grades(0, [("B", 2.0)])
        save(qtbot, session)
        _, left = died(path)
        assert [(edit.kind, edit.new) for edit in left[0].edits] == [("note", "why?")]

    def test_two_runs(self, qtbot, opened, made, died, tmp_path) -> None:
        """What one window took back does not take back what the other gave."""
        path = made(SINGLE)
        session = opened(path)
        settings = QSettings(str(tmp_path / "second.ini"), QSettings.Format.IniFormat)
        second = Session(Preferences(settings))
        second.chronicle = Chronicle(second, tmp_path / "state")
        with qtbot.waitSignal(second.replaced, timeout=20_000):
            second.open_paths([path])
        session.set_grades(0, [("B", 3.0)])
        second.set_grades(0, [("B", 2.0)])
        second.undo_stack.undo()
        second.chronicle.end()
        second.shut_down()
        _, left = died(path)
        assert [edit.new for edit in left[0].edits] == [3.0]

    def test_what_cannot_be_restored_is_told(self, qtbot, opened, made, died) -> None:
        """With a query that is gone the rest is restored, and the change stays on offer."""
        path = made(SINGLE)
        session = opened(path)
        session.set_grades(0, [("B", 1.0)])
        session.set_grades(1, [("D", 0.0)])
        path.write_text(SINGLE.replace("hat,D,Cap,2\n", ""), "utf-8")
        following, left = died(path)
        assert (len(left[0].edits), left[0].lost) == (1, 1)
        following.chronicle.restore(left[0])
        assert following.chronicle.journal.left_values()


def test_long_files_keep_each_note(qtbot, opened, made) -> None:
    """Notes of a row for each judgment stay on their own rows."""
    path = made(LONG)
    session = opened(path)
    session.set_values("note", "Bob", 0, [("A", "two\nlines")])
    save(qtbot, session)
    with path.open(encoding="utf-8", newline="") as file:
        notes = [row["note"] for row in csv.DictReader(file)]
    assert notes == ["fits well", "two\nlines", "", ""]


class TestFirstJudge:
    """The grades that were there before several judged."""

    def together(self, qtbot, session: Session, name: str = "") -> None:
        """Let several people judge."""
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.judge_together(name)

    def test_a_name_survives_save_as(self, qtbot, opened, made, tmp_path) -> None:
        """In a file of another kind the first judge is one person still."""
        session = opened(made(SINGLE))
        self.together(qtbot, session, "Alice")
        session.set_judge("Alice")
        session.set_grades(0, [("B", 3.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save_as(tmp_path / "o.xlsx")
        assert not session.modified
        assert session.evaluation.votes.of_pair(1) == {"Alice": 3}
        session.set_grades(0, [("A", 0.0)])
        save(qtbot, session)
        assert session.evaluation.votes.judges == ["Alice"]
        assert session.evaluation.votes.of_pair(0) == {"Alice": 0}

    def test_a_regrade_is_restored(self, qtbot, opened, made, died) -> None:
        """What the first judge changed, before and after several judged, comes back as it was."""
        path = made(SINGLE)
        session = opened(path)
        session.set_grades(0, [("B", 2.0)])
        self.together(qtbot, session, "Alice")
        session.set_judge("Alice")
        session.set_grades(0, [("B", 3.0), ("A", 1.0)])
        following, left = died(path)
        qtbot.waitUntil(lambda: bool(left))
        assert left[0].lost == 0
        following.chronicle.restore(left[0])
        votes = following.evaluation.votes
        assert (votes.of_pair(0), votes.of_pair(1)) == ({"Alice": 1}, {"Alice": 3})

    def test_all_of_it_undone(self, qtbot, opened, made, died) -> None:
        """Nothing is offered where everything was taken back."""
        path = made(SINGLE)
        session = opened(path)
        session.set_grades(0, [("B", 2.0)])
        self.together(qtbot, session)
        session.set_judge("grade")
        session.set_grades(0, [("B", 3.0)])
        for _ in range(3):
            session.undo_stack.undo()
        following, left = died(path)
        qtbot.waitUntil(lambda: following.evaluation.votes is not None)  # as several had judged
        assert [edit for each in left for edit in each.edits] == []
        assert all(each.lost == 0 for each in left)


def test_a_vote_that_was_taken_back_is_not_the_last(qtbot, opened, made) -> None:
    """A save does not make a vote the newest that was given and undone."""
    session = opened(made(WIDE))
    session.set_merging("last")
    session.set_judge("Ann")
    session.set_grades(0, [("A", 1.0)])
    session.undo_stack.undo()
    session.set_grades(0, [("B", 2.0)])
    assert grade(session, 0, "A") == 2
    save(qtbot, session)
    assert grade(session, 0, "A") == 2


def test_another_programs_change_of_a_vote(qtbot, opened, made) -> None:
    """What another program wrote into a cell whose vote was saved here before is taken over."""
    from ndcg_desktop.session.consent import Consent

    path = made(WIDE)
    session = opened(path)
    session.set_judge("Ann")
    session.set_grades(0, [("A", 1.0)])
    save(qtbot, session)
    path.write_text(path.read_text("utf-8").replace("Runner,1,2", "Runner,0,2"), "utf-8")
    session.set_grades(1, [("D", 3.0)])
    with qtbot.waitSignal(session.saved, timeout=20_000):
        session.save(Consent(changed=True))

    assert session.evaluation.votes.of_pair(0) == {"Ann": 0, "Bob": 2}
    assert (grade(session, 0, "A"), session.modified) == (1, False)
