"""Saving: nothing that was graded is lost, and nothing else is written over."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from ndcg_desktop.files.convert import FORMATS
from ndcg_desktop.files.read import read
from ndcg_desktop.files.table import FileError, Table, cell_text
from ndcg_desktop.session.consent import Consent

GRADES = "query,document,grade\nq1,a,1\nq1,b,\nq2,a,2\n"
RUN = "query,document,rank\nq1,b,1\nq1,a,2\nq2,a,1\n"
BOTH = "query,document,rank,grade\nq1,a,1,1\nq1,b,2,\n"


def written(path: Path, text: str) -> Path:
    """A text file with this text."""
    path.write_text(text, "utf-8")
    return path


def graded(session, query: int, document: str) -> float | None:
    """The grade of a document, None where it is not judged."""
    pair = session.evaluation.judgments.find(query, document)
    value = math.nan if pair is None else float(session.evaluation.judgments.grade[pair])
    return None if math.isnan(value) else value


@pytest.fixture
def save(qtbot, session):
    """Save, or do what saves, and wait until it is done."""

    def do(act=None):
        with qtbot.waitSignal(session.saved, timeout=20_000):
            (act or session.save)()

    return do


@pytest.fixture
def refused(qtbot, session):
    """Do what is refused, and give what is said."""

    def do(act) -> str:
        with qtbot.waitSignal(session.save_refused, timeout=20_000) as said:
            act()
        return str(said.args[0])

    return do


def book_of(path: Path, sheets: dict[str, list[list[object]]]) -> Path:
    """A workbook with these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


TWO_SHEETS = {
    "May": [["query", "document", "grade"], ["q1", "a", 1], ["q1", "b", None]],
    "June": [["query", "document", "grade"], ["q2", "a", 2], ["q2", "b", None]],
}


class TestSlots:
    """What runs at the same time does not get in each other's way."""

    def test_a_save_during_a_save_follows_it(self, qtbot, opened, save, tmp_path) -> None:
        """The second save writes what was graded after the first had begun."""
        path = written(tmp_path / "g.csv", GRADES)
        session = opened(path)
        session.set_grades(0, [("b", 3.0)])

        def twice() -> None:
            session.save()
            session.set_grades(1, [("a", 0.0)])
            session.save()

        save(twice)

        assert path.read_text() == "query,document,grade\nq1,a,1\nq1,b,3\nq2,a,0\n"
        assert not session.modified

    def test_a_load_during_a_save(self, qtbot, session, opened, tmp_path) -> None:
        """What was loaded takes its place after the save, which is not lost by it."""
        path = written(tmp_path / "g.csv", GRADES)
        other = written(tmp_path / "other.csv", BOTH)
        opened(path)
        session.set_grades(0, [("b", 3.0)])
        with qtbot.waitSignals([session.saved, session.replaced], timeout=20_000):
            session.save()
            session.open_paths([other])

        assert "q1,b,3" in path.read_text()
        assert session.title == "other.csv"

    def test_a_ranking_that_completes_during_a_save(
        self, qtbot, session, opened, save, tmp_path
    ) -> None:
        """The judgments that it completes are those of the saved file, which is saved again."""
        path = written(tmp_path / "g.csv", GRADES)
        run = written(tmp_path / "run.csv", RUN)
        opened(path)
        session.set_grades(0, [("b", 3.0)])
        with qtbot.waitSignals([session.saved, session.replaced], timeout=20_000):
            session.save()
            session.open_paths([run])
        session.set_grades(0, [("a", 0.0)])
        save()

        assert len(session.evaluation.rankings) == 1
        assert path.read_text() == "query,document,grade\nq1,a,0\nq1,b,3\nq2,a,2\n"

    def test_cancel_does_not_reach_a_save(self, qtbot, session, opened, save, tmp_path) -> None:
        """Giving up a load leaves a save alone."""
        path = written(tmp_path / "g.csv", GRADES)
        opened(path)
        session.set_grades(0, [("b", 3.0)])

        def cancelling() -> None:
            session.save()
            session.jobs.cancel()

        save(cancelling)

        assert not session.modified

    def test_closed_during_a_save(self, qtbot, session, opened, save, tmp_path) -> None:
        """A file is written though nothing is open any more."""
        path = written(tmp_path / "g.csv", GRADES)
        opened(path)
        session.set_grades(0, [("b", 3.0)])

        def closing() -> None:
            session.save()
            session.close()

        save(closing)

        assert "q1,b,3" in path.read_text()
        assert session.evaluation is None

    def test_an_export_does_not_end_a_load(self, qtbot, session, opened, tmp_path) -> None:
        """A report may be written while a file is being opened."""
        opened(written(tmp_path / "g.csv", GRADES))
        other = written(tmp_path / "other.csv", BOTH)
        with qtbot.waitSignals([session.exported, session.replaced], timeout=20_000):
            session.open_paths([other])
            session.export(tmp_path / "out.txt", lambda: None)

        assert session.title == "other.csv"


class TestReplacing:
    """Grades that no file holds are not given up unasked."""

    def test_another_evaluation_is_asked_about(self, qtbot, session, opened, tmp_path) -> None:
        """What is open stays until the answer is given."""
        opened(written(tmp_path / "g.csv", GRADES))
        session.set_grades(0, [("b", 3.0)])
        with qtbot.waitSignal(session.replacing, timeout=20_000) as asked:
            session.open_paths([written(tmp_path / "other.csv", BOTH)])

        assert (session.title, graded(session, 0, "b")) == ("g.csv", 3.0)

        asked.args[0]()

        assert session.title == "other.csv"
        assert not session.modified

    def test_a_load_that_fails_takes_nothing(self, qtbot, session, opened, tmp_path) -> None:
        """Grades are still there, and still not saved."""
        opened(written(tmp_path / "g.csv", GRADES))
        session.set_grades(0, [("b", 3.0)])
        with qtbot.waitSignal(session.failed, timeout=20_000):
            session.open_paths([written(tmp_path / "empty.csv", "")])

        assert graded(session, 0, "b") == 3.0
        assert session.modified

    def test_a_grade_without_a_place_is_asked_about(self, qtbot, session, opened, tmp_path) -> None:
        """A grade of a document that the new ranking no longer returns is not given up unasked."""
        grades, run = written(tmp_path / "g.csv", GRADES), written(tmp_path / "run.csv", RUN)
        opened(grades, written(tmp_path / "run.csv", RUN + "q1,x,3\n"))
        session.set_grades(0, [("x", 2.0)])
        run.write_text(RUN)
        with qtbot.waitSignal(session.replacing, timeout=20_000):
            session.open_paths([run])

        assert graded(session, 0, "x") == 2.0
        assert session.modified

    def test_options_chosen_during_a_load(self, qtbot, session, tmp_path) -> None:
        """What was chosen last holds for what is then shown."""
        path = written(tmp_path / "both.csv", BOTH)
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.open_paths([path])
            session.set_options(session.options.__class__(gain="exponential", cutoff=3))

        assert session.evaluation.options == session.options
        assert session.options.gain == "exponential"

    def test_one_file_by_two_names(self, opened, tmp_path) -> None:
        """A file that is named twice is opened once."""
        path = written(tmp_path / "both.csv", BOTH)
        (tmp_path / "link.csv").symlink_to(path)
        session = opened(path, tmp_path / "link.csv", path)

        assert len(session.parts) == 1


class TestSeveralTables:
    """Judgments that come from more than one table."""

    def test_sheets_of_one_workbook(self, opened, save, tmp_path) -> None:
        """Sheets are saved together and one after the other, and nothing is called changed."""
        path = book_of(tmp_path / "b.xlsx", TWO_SHEETS)
        session = opened(path)
        session.set_grades(0, [("b", 3.0)])
        save()
        session.set_grades(1, [("b", 2.0)])
        save()
        session.set_grades(0, [("a", 0.0)])
        session.set_grades(1, [("a", None)])
        save()

        book = openpyxl.load_workbook(path)
        assert [cell.value for cell in book["May"]["C"]] == ["grade", 0, 3]
        assert [cell.value for cell in book["June"]["C"]] == ["grade", None, 2]
        assert not session.modified

    def test_all_or_nothing(self, opened, refused, save, tmp_path) -> None:
        """Where one file has something in the way, the other is not written either."""
        sheets = {"S": [["query", "document", "grade"], ["q9", "x", "=1+1"], ["q9", "y", 1]]}
        book = book_of(tmp_path / "b.xlsx", sheets)
        path = written(tmp_path / "a.csv", GRADES)
        session = opened(path, book)
        session.set_grades(0, [("b", 3.0)])
        query = session.evaluation.queries.index("q9")
        session.set_grades(query, [("x", 2.0)])
        assert "formula" in refused(session.save)
        assert path.read_text() == GRADES

        save(lambda: session.save(Consent(formulas=True)))

        assert "q1,b,3" in path.read_text()
        assert openpyxl.load_workbook(book)["S"]["C2"].value == 2

    def test_what_was_written_before_a_failure_is_known(
        self, opened, refused, save, monkeypatch, tmp_path
    ) -> None:
        """A full disk at the second file does not make the first one “changed by another”."""
        first = written(tmp_path / "a.csv", GRADES)
        second = written(tmp_path / "b.csv", GRADES.replace("q1", "q7").replace("q2", "q8"))
        session = opened(first, second)
        session.set_grades(0, [("b", 3.0)])
        session.set_grades(session.evaluation.queries.index("q7"), [("b", 1.0)])
        from ndcg_desktop.files import save as files_save

        write = files_save.atomic_write

        def full(path: Path, act) -> None:
            if path == second:
                raise FileError(path, "The disk is full.")
            write(path, act)

        monkeypatch.setattr(files_save, "atomic_write", full)
        assert "full" in refused(session.save)
        assert "q1,b,3" in first.read_text()
        assert session.modified
        monkeypatch.undo()
        session.set_grades(0, [("a", 0.0)])
        save()

        assert "q1,a,0\nq1,b,3" in first.read_text()
        assert "q7,b,1" in second.read_text()


class TestFromOutside:
    """Another program has written the file meanwhile."""

    def test_its_grades_are_taken_up(self, opened, save, refused, tmp_path) -> None:
        """Saved anyway, the window shows the grades that the other program has written, and does
        not put the old ones back with the next save.
        """
        path = written(tmp_path / "g.csv", GRADES)
        session = opened(path)
        session.set_grades(0, [("b", 3.0)])
        path.write_text(GRADES.replace("q2,a,2", "q2,a,0"))
        refused(session.save)
        save(lambda: session.save(Consent(changed=True)))

        assert graded(session, 1, "a") == 0.0
        assert not session.modified
        session.set_grades(0, [("a", 2.0)])
        save()
        assert path.read_text() == "query,document,grade\nq1,a,2\nq1,b,3\nq2,a,0\n"


class TestAsWritten:
    """What nobody has changed goes into a new file as it stood in the old one."""

    @pytest.mark.parametrize("name", ["new.csv", "new.tsv", "new.xlsx"])
    def test_remarks_and_contradictions_stay(self, opened, save, tmp_path, name) -> None:
        """A remark among the grades, and each of two grades of a document, are not written over."""
        path = written(
            tmp_path / "g.csv", "query,document,grade\nq,a,2\nq,a,0\nq,b,not sure\nq,c,1\n"
        )
        session = opened(path)
        session.set_grades(0, [("c", 3.0)])
        new = tmp_path / name
        save(lambda: session.save_as(new))

        (table,) = read(new)
        assert [cell_text(cell) for cell in table.columns[2]] == ["2", "0", "not sure", "3"]
        assert not session.modified

    def test_a_remark_is_asked_about(self, opened, refused, save, tmp_path) -> None:
        """A grade for the document with the remark is asked about, as it is when saving back."""
        path = written(tmp_path / "g.csv", "query,document,grade\nq,a,1\nq,b,not sure\n")
        session = opened(path)
        session.set_grades(0, [("b", 3.0)])
        new = tmp_path / "new.tsv"
        assert "“not sure”" in refused(lambda: session.save_as(new))
        assert not new.exists()
        save(lambda: session.save_as(new, Consent(others=True)))
        assert new.read_text().splitlines()[2] == "q\tb\t3"


class TestSaveAs:
    """A file of its own, which the grades belong to from then on."""

    def entered(self, session, qtbot) -> None:
        """Three documents that were typed in."""
        table = Table(
            path=Path("Entered grades"),
            kind="entered",
            header=("document", "grade"),
            columns=(["a", "b", "c"], ["1", "2", ""]),
            row=np.arange(1, 4, dtype=np.int32),
        )
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.open_table(table)

    @pytest.mark.parametrize("name", ["out.csv", "out.xlsx"])
    def test_entered_grades_are_saved_again(self, qtbot, session, save, tmp_path, name) -> None:
        """Without a column for the query, further grades and cleared ones still reach the file."""
        self.entered(session, qtbot)
        path = tmp_path / name
        save(lambda: session.save_as(path))
        session.set_grades(0, [("a", None), ("c", 3.0)])
        save()

        assert not session.modified
        session.close()
        with qtbot.waitSignal(session.replaced, timeout=20_000):
            session.open_paths([path])
        assert [graded(session, 0, document) for document in "abc"] == [None, 2.0, 3.0]

    def test_qrels_keep_the_ranking(self, opened, save, tmp_path) -> None:
        """A table of both is left with its ranking when its grades go to qrels."""
        session = opened(written(tmp_path / "both.csv", BOTH))
        save(lambda: session.save_as(tmp_path / "g.qrels", form=FORMATS["qrels"]))

        assert session.title == "both.csv, g.qrels"
        assert len(session.evaluation.rankings) == 1

        opened(written(tmp_path / "run.csv", RUN))

        assert [ranking.name for ranking in session.evaluation.rankings] == ["both.csv", "run.csv"]

    @pytest.mark.parametrize(
        ("key", "home"),
        [("qrels", True), ("ltr", True), ("beir", True), ("rre", False), ("pytrec_eval", False)],
    )
    def test_other_formats(self, qtbot, session, opened, tmp_path, key, home) -> None:
        """A format that takes grades back is where they belong from then on, another is a copy;
        either reads back with the grades.
        """
        own = written(tmp_path / "both.csv", BOTH)
        opened(own)
        session.set_grades(0, [("b", 3.0)])
        form = FORMATS[key]
        path = tmp_path / f"out{form.suffix}"
        with qtbot.waitSignal(session.saved, timeout=20_000) as said:
            session.save_as(path, form=form)

        assert session.modified is not home
        assert session.judged[0].table.path == (path if home else own)
        assert ("is a copy" in said.args[0].note) is not home
        session.close()
        opened(path)
        assert [graded(session, 0, document) for document in "ab"] == [1.0, 3.0]

    def test_a_format_without_the_ids_is_a_copy(self, qtbot, session, opened, tmp_path) -> None:
        """Quepid knows a query by its text, so the grades stay with the file that has the ids."""
        own = written(tmp_path / "g.csv", "query id,query,document,grade\n7,red hat,a,1\n")
        opened(own)
        session.set_grades(0, [("a", 2.0)])
        with qtbot.waitSignal(session.saved, timeout=20_000) as said:
            session.save_as(tmp_path / "quepid.csv", form=FORMATS["quepid"])

        assert "is a copy" in said.args[0].note
        assert session.modified
        assert (tmp_path / "quepid.csv").read_text().splitlines()[1] == "red hat,a,2"

    def test_other_open_files_are_not_written_over(self, opened, refused, tmp_path) -> None:
        """The ranking's own file is no place for the judgments."""
        run = written(tmp_path / "run.csv", RUN)
        session = opened(written(tmp_path / "g.csv", GRADES), run)

        assert "is open" in refused(lambda: session.save_as(run))
        assert run.read_text() == RUN

    def test_grades_given_during_it(self, opened, save, tmp_path) -> None:
        """The new file has the grades of the moment it was asked for; later ones are unsaved."""
        session = opened(written(tmp_path / "both.csv", BOTH))
        path = tmp_path / "new.xlsx"

        def grading() -> None:
            session.save_as(path)
            session.set_grades(0, [("b", 3.0)])

        save(grading)

        assert [cell.value for cell in openpyxl.load_workbook(path).active["D"]][1:] == [1, None]
        assert session.modified
        save()
        assert [cell.value for cell in openpyxl.load_workbook(path).active["D"]][1:] == [1, 3]

    def test_where_no_copy_can_be_made(self, qtbot, session, opened, tmp_path) -> None:
        """The table is saved alone, and the reason is said."""
        opened(written(tmp_path / "list.txt", "1 qid:1 1:0.5\n2 qid:1 1:0.7\n"))
        session.set_grades(0, [("line 1", None)])
        path = tmp_path / "copy.txt"
        with qtbot.waitSignal(session.saved, timeout=20_000) as said:
            session.save_as(path)

        assert not session.modified
        assert said.args[0].note.startswith("copy.txt holds the table alone, without formats.")
        assert path.read_text().splitlines()[0].startswith("grade\tquery id")

    def test_another_query_gets_a_column(self, opened, save, tmp_path) -> None:
        """A table about one query alone names the queries once there are several."""
        one = written(tmp_path / "only.csv", "document,grade\na,1\nb,2\n")
        session = opened(one)
        opened(written(tmp_path / "run.csv", "query,document,rank\nonly,b,1\nother,x,1\n"))
        session.set_grades(session.evaluation.queries.index("other"), [("x", 3.0)])
        path = tmp_path / "all.tsv"
        save(lambda: session.save_as(path))

        assert path.read_text().splitlines() == [
            "document\tgrade\tquery",
            "a\t1\tonly",
            "b\t2\tonly",
            "x\t3\tother",
        ]
        assert not session.modified
