"""The open document: undo, options, jobs, and grades that survive a further file."""

from __future__ import annotations

import gc
import math
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.read import read, read_as
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.table import Dialect, FileError
from ndcg_desktop.resources import examples
from ndcg_desktop.scoring.options import Options
from ndcg_desktop.session.jobs import Jobs
from ndcg_desktop.session.session import Session


def graded(session: Session, query: int, document: str) -> float | None:
    """The grade of a document, None where it is not judged."""
    pair = session.evaluation.judgments.find(query, document)
    value = math.nan if pair is None else float(session.evaluation.judgments.grade[pair])
    return None if math.isnan(value) else value


class TestUndo:
    """Every change of grades is one step."""

    def test_do_undo_redo(self, opened, files: Path) -> None:
        """Grade, score and clean state go there, back, and there again."""
        session = opened(files / "46-textbook-six-plus-two.csv")
        before = session.evaluation.scores(0).mean
        session.set_grades(0, [("D4", 3.0), ("D7", None)])
        after = session.evaluation.scores(0).mean

        assert after != before
        assert session.modified
        assert session.undo_stack.undoText() == "grades of 2 documents"

        session.undo_stack.undo()

        assert (graded(session, 0, "D4"), graded(session, 0, "D7")) == (0.0, 3.0)
        assert session.evaluation.scores(0).mean == before
        assert not session.modified

        session.undo_stack.redo()

        assert session.evaluation.scores(0).mean == after
        assert (graded(session, 0, "D4"), graded(session, 0, "D7")) == (3.0, None)

    def test_infinite_grade_is_refused(self, opened, files: Path) -> None:
        """A grade that is no finite number raises, and changes nothing."""
        session = opened(files / "46-textbook-six-plus-two.csv")
        with pytest.raises(ValueError, match="finite"):
            session.set_grades(0, [("D4", math.inf)])

        assert not session.modified

    def test_only_the_query_is_told(self, qtbot, opened, files: Path) -> None:
        """A grade announces its own query and no other."""
        session = opened(files / "55-thirty-queries-some-stale.csv")
        with qtbot.waitSignal(session.queries_rescored) as told:
            session.set_grades(3, [("N0401", 1.0)])

        assert told.args == [{3}]


class TestOpening:
    """What a further file does to what is open."""

    def test_unsaved_grades_survive_a_further_ranking(self, opened, files: Path) -> None:
        """Grades that no file holds are still there when a ranking completes the judgments."""
        session = opened(files / "01-quepid-ratings-basic-ragged.csv")
        session.set_grades(0, [("G102", 3.0)])
        opened(files / "02-quepid-snapshot.csv")

        assert graded(session, 0, "G102") == 3.0
        assert session.modified

    def test_another_evaluation_takes_the_place(self, opened, files: Path) -> None:
        """A file with judgments of its own replaces what is open."""
        session = opened(files / "01-quepid-ratings-basic-ragged.csv")
        opened(files / "46-textbook-six-plus-two.csv")

        assert session.title == "46-textbook-six-plus-two.csv"

    def test_a_cancelled_load_is_dropped(self, qtbot, session, files: Path) -> None:
        """A load that is given up never arrives."""
        session.open_paths([files / "55-thirty-queries-some-stale.csv"])
        session.jobs.cancel()
        qtbot.wait(150)

        assert session.evaluation is None

    def test_the_later_of_two_loads_wins(self, qtbot, session, files: Path) -> None:
        """A second load takes the place of the one that is running."""
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.open_paths([files / "55-thirty-queries-some-stale.csv"])
            session.open_paths([files / "46-textbook-six-plus-two.csv"])
        qtbot.wait(150)

        assert session.title == "46-textbook-six-plus-two.csv"

    @pytest.mark.parametrize("number", range(3))
    def test_examples(self, qtbot, session, number: int) -> None:
        """Each example opens, is no file of the user's, and scores what it says."""
        example = examples()[number]
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.open_example(example)
        mean = f"{session.evaluation.scores(0).mean:.3f}"

        assert session.paths == []
        assert session.preferences.recent == []
        if number < 2:
            assert mean in example.teaches


class TestRereading:
    """The open files understood in another way: one step among the others."""

    def reread(self, qtbot, session) -> None:
        """Take the order of the rows for a ranking."""
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            parts = [replace(part, row_order=True) for part in session.parts]
            session.reread(parts, "use of the order of the rows")

    def test_undo_goes_back_to_each_reading(self, qtbot, opened, files: Path) -> None:
        """Grades before and after a reading are undone in the evaluation they were made in."""
        session = opened(files / "01-quepid-ratings-basic-ragged.csv")
        session.set_grades(0, [("G102", 3.0)])
        self.reread(qtbot, session)
        session.set_grades(0, [("G103", 2.0)])
        assert len(session.evaluation.rankings) == 1
        assert graded(session, 0, "G102") == 3.0
        assert session.undo_stack.count() == 3

        session.undo_stack.undo()
        assert session.undo_stack.undoText() == "use of the order of the rows"
        session.undo_stack.undo()
        assert session.evaluation.rankings == []
        assert graded(session, 0, "G102") == 3.0
        assert session.modified
        session.undo_stack.undo()
        assert not session.modified

        for _ in range(3):
            session.undo_stack.redo()
        assert len(session.evaluation.rankings) == 1
        assert [graded(session, 0, document) for document in ("G102", "G103")] == [3.0, 2.0]
        assert session.modified

    def test_a_reading_alone_changes_no_file(self, qtbot, opened, files: Path) -> None:
        """Nothing is there to be saved after it, nor after its undo."""
        session = opened(files / "01-quepid-ratings-basic-ragged.csv")
        self.reread(qtbot, session)
        assert not session.modified
        session.undo_stack.undo()
        assert not session.modified
        session.undo_stack.redo()
        assert not session.modified

    def test_the_options_stay(self, qtbot, opened, files: Path) -> None:
        """What was chosen between two readings holds for the one that is shown again."""
        session = opened(files / "01-quepid-ratings-basic-ragged.csv")
        self.reread(qtbot, session)
        session.set_options(Options(gain="exponential", cutoff=3))
        session.undo_stack.undo()
        assert session.evaluation.options == session.options == Options("exponential", cutoff=3)

    def test_a_save_ends_the_steps(self, qtbot, opened, files: Path, tmp_path) -> None:
        """The reading before a save is of a file that is no more, so it is not gone back to."""
        path = Path(shutil.copy(files / "01-quepid-ratings-basic-ragged.csv", tmp_path))
        session = opened(path)
        self.reread(qtbot, session)
        session.set_grades(0, [("G102", 3.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()
        assert not session.undo_stack.canUndo()
        assert not session.modified
        session.set_grades(0, [("G102", 2.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()
        assert not session.modified

    def test_during_a_save(self, qtbot, opened, files: Path, tmp_path) -> None:
        """A reading that overlaps a save is of the file as it is after the save."""
        path = Path(shutil.copy(files / "01-quepid-ratings-basic-ragged.csv", tmp_path))
        session = opened(path)
        session.set_grades(0, [("G102", 3.0)])
        parts = [replace(part, row_order=True) for part in session.parts]
        with qtbot.waitSignals([session.saved, session.replaced], timeout=20_000):
            session.reread(parts, "use of the order of the rows")
            session.save()
        assert graded(session, 0, "G102") == 3.0
        assert not session.modified
        session.set_grades(0, [("G102", 2.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()
        assert "G102,2" in path.read_text()

    def test_no_undo_into_another_reading_during_a_save(
        self, qtbot, opened, files: Path, tmp_path
    ) -> None:
        """While a save runs no undo leads away from the reading that is being saved."""
        path = Path(shutil.copy(files / "01-quepid-ratings-basic-ragged.csv", tmp_path))
        session = opened(path)
        self.reread(qtbot, session)
        session.set_grades(0, [("G102", 3.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()
            session.undo_stack.undo()
            session.undo_stack.undo()
        assert graded(session, 0, "G102") == 3.0
        assert not session.modified
        session.set_grades(0, [("G102", 1.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()
        assert "G102,1" in path.read_text()

    def test_tables_taken_up_before_a_save(self, qtbot, opened, files: Path, tmp_path) -> None:
        """Tables that a page has held since before a save are read as they are after it."""
        path = Path(shutil.copy(files / "01-quepid-ratings-basic-ragged.csv", tmp_path))
        session = opened(path)
        held = session.parts
        session.set_grades(0, [("G102", 3.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.reread([replace(part, row_order=True) for part in held], "order")
        assert graded(session, 0, "G102") == 3.0
        assert not session.modified

    def test_unsaved_grades_stay_with_their_rows(self, qtbot, opened, tmp_path) -> None:
        """With another column for the documents a grade is still that of its row."""
        path = tmp_path / "two.csv"
        path.write_text("query,doc,other,grade\nq,A,x,1\nq,x,A,\n")
        session = opened(path)
        session.set_grades(0, [("A", 3.0)])
        (part,) = session.parts
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.reread([replace(part, roles=replace(part.roles, document=2))], "document")
        assert [graded(session, 0, document) for document in ("x", "A")] == [3.0, None]
        assert session.modified
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()
        assert path.read_text() == "query,doc,other,grade\nq,A,x,3\nq,x,A,\n"

    def test_unsaved_grades_are_not_lost(self, qtbot, opened, tmp_path) -> None:
        """A reading without the table of an unsaved grade is refused, and the old one stays."""
        first, second = tmp_path / "a.csv", tmp_path / "b.csv"
        first.write_text("query,doc,grade\nq,A,1\n")
        second.write_text("query,doc,grade\np,B,1\n")
        session = opened(first, second)
        session.set_grades(1, [("B", 3.0)])
        with qtbot.waitSignal(session.failed, timeout=20_000) as said:
            session.reread(session.parts[:1], "fewer tables")
        assert "1 grade that is not saved would have no place" in str(said.args[0])
        assert graded(session, 1, "B") == 3.0
        assert session.modified


class TestRemembering:
    """Readings that were confirmed before."""

    def test_one_that_does_not_fit_is_asked_about(self, qtbot, session, tmp_path) -> None:
        """A file that cannot be read as one of its shape was before is not locked out."""
        path = tmp_path / "first.csv"
        path.write_text("query,doc,grade\nq,ä,1\n", "utf-8")
        (table,) = read(path)
        dialect = Dialect("utf-8", ",", quoting=True, chosen=True)
        part = Understood(read_as(path, path.read_bytes(), dialect), guess(table).roles)
        session._remember([part])
        later = tmp_path / "later.csv"
        later.write_bytes("query,doc,grade\nq,ä,1\n".encode("cp1252"))
        with qtbot.waitSignal(session.asked, timeout=20_000) as asked:
            session.open_paths([later])
        (why,) = asked.args[0].plan.doubts.values()
        assert "as you chose for such a file before" in why
        assert "utf-8" in why

    def test_one_that_fails_is_not_remembered(self, qtbot, session, tmp_path) -> None:
        """What was confirmed and then could not be used is asked about again."""
        path = tmp_path / "odd.csv"
        path.write_text("q,A,1\nq,B,2\n")
        with qtbot.waitSignal(session.asked, timeout=20_000) as asked:
            session.open_paths([path])
        question = asked.args[0]
        (part,) = question.plan.parts
        bad = replace(part, table=part.table.with_header_row(2))
        with qtbot.waitSignal(session.failed, timeout=20_000):
            session.answer(question, [bad], [], [bad])
        assert session.preferences.choices == {}


class TestSaving:
    """Grades go back where they came from."""

    def test_edits_during_a_save_stay_unsaved(self, qtbot, opened, files, tmp_path) -> None:
        """What is graded while a save runs is still modified afterwards, and saved by the next."""
        path = Path(shutil.copy(files / "46-textbook-six-plus-two.csv", tmp_path))
        session = opened(path)
        session.set_grades(0, [("D4", 3.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()
            session.set_grades(0, [("D5", 3.0)])

        assert session.modified
        assert "4,D4,3" in path.read_text()
        assert "5,D5,1" in path.read_text()

        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()

        assert not session.modified
        assert "5,D5,3" in path.read_text()

    def test_undo_past_a_save_is_saved_again(self, qtbot, opened, files, tmp_path) -> None:
        """A grade that is undone after a save is a change of its own."""
        path = Path(shutil.copy(files / "46-textbook-six-plus-two.csv", tmp_path))
        before = path.read_bytes()
        session = opened(path)
        session.set_grades(0, [("D4", 3.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()
        session.undo_stack.undo()

        assert session.modified

        with qtbot.waitSignal(session.saved, timeout=20_000):
            session.save()

        assert path.read_bytes() == before

    def test_nothing_of_its_own_needs_a_target(self, qtbot, session) -> None:
        """An example has no file to be written to."""
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.open_example(examples()[0])
        with qtbot.waitSignal(session.needs_target):
            session.save()

    def test_vanished_file_is_refused(self, qtbot, opened, files, tmp_path) -> None:
        """A file that is gone is not made anew without a word."""
        path = Path(shutil.copy(files / "46-textbook-six-plus-two.csv", tmp_path))
        session = opened(path)
        session.set_grades(0, [("D4", 3.0)])
        path.unlink()
        with qtbot.waitSignal(session.needs_target, timeout=20_000):
            session.save()

        assert session.modified
        assert not path.exists()


class TestPreferences:
    """What is remembered."""

    def test_round_trip(self, preferences) -> None:
        """Every option comes back as it was set."""
        options = Options(
            gain="table", gain_table=((0.0, 0.0), (1.0, 2.5)), cutoff=None, ideal="returned",
            order="ties-averaged", unjudged="remove", undefined="one", missing="skip",
            discount="base", discount_base=3.0,
        )  # fmt: skip
        preferences.options = options

        assert preferences.options == options

    @pytest.mark.parametrize(
        "stored", ["", "{", "[1]", '{"gain": "cubic"}', '{"cutoff": "ten"}', "null", '{"k": 3}']
    )
    def test_damaged_settings_are_the_default(self, preferences, stored: str) -> None:
        """Settings that cannot be read are the default, never an error."""
        preferences._store.setValue("options", stored)
        preferences._store.setValue("decimals", "many")
        preferences._store.setValue("recent", stored)

        assert preferences.options == Options()
        assert preferences.decimals == 3
        assert preferences.recent == []


class TestJobs:
    """Slow work on a thread."""

    def test_failure_travels_as_a_value(self, qtbot) -> None:
        """An exception of the work comes to the one place that handles it."""
        jobs = Jobs()
        failures: list[BaseException] = []

        def fail(_: object) -> None:
            raise FileError("x.csv", "It is broken.")

        with qtbot.waitSignal(jobs.ended, timeout=5_000):
            jobs.run("", fail, lambda _: None, failures.append)
        qtbot.waitUntil(lambda: bool(failures))

        assert str(failures[0]) == "x.csv: It is broken."

    def test_the_collector_rests_while_a_thread_runs(self, qtbot) -> None:
        """Qt objects are never collected on a thread of the pool, and the collector comes back."""
        jobs = Jobs()
        seen: list[bool] = []
        with qtbot.waitSignal(jobs.ended, timeout=5_000):
            jobs.run("", lambda _: seen.append(gc.isenabled()), lambda _: None, seen.append)
        jobs.run("", lambda _: None, lambda _: None, seen.append)
        jobs.wait()

        assert seen == [False]
        assert gc.isenabled()

    def test_progress_is_told(self, qtbot) -> None:
        """The part that is done is told while the work runs."""
        jobs = Jobs()
        told: list[float] = []
        jobs.progressed.connect(told.append)

        def work(ticket: object) -> None:
            ticket.progress(0.5)

        with qtbot.waitSignal(jobs.ended, timeout=5_000):
            jobs.run("", work, lambda _: None, lambda _: None)

        assert told == [0.5]
