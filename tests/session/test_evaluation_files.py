"""An evaluation saved and opened again: everything is as it was, and nothing is lost between."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from waiting import until_idle

from ndcg_desktop.evaluation.queue import QueueOptions
from ndcg_desktop.evaluation.scale import BUILT_IN
from ndcg_desktop.files.evaluation_file import OtherEvaluation, from_bytes
from ndcg_desktop.files.table import FileError
from ndcg_desktop.resources import examples
from ndcg_desktop.scoring.options import Options
from ndcg_desktop.session.chronicle import Chronicle
from ndcg_desktop.session.evaluation_files import EvaluationFiles
from ndcg_desktop.session.preferences import Preferences
from ndcg_desktop.session.session import Session
from ndcg_desktop.session.sitting import Sitting

JUDGMENTS = "query,docid,grade\nq1,A,3\nq1,B,1\nq1,C,0\nq2,D,2\n"
RUN = "query,docid,rank\nq1,B,1\nq1,A,2\nq1,C,3\nq2,D,1\n"
OTHER = "query,docid,rank\nq1,A,1\nq1,B,2\nq2,D,1\n"
QRELS = "q1 0 A 3\nq1 0 B 1\nq2 0 D 2\n"


class Run:
    """One run of the program in a folder: its session and all that belongs to it."""

    def __init__(self, preferences: Preferences, folder: Path) -> None:
        self.session = Session(preferences)
        self.chronicle = Chronicle(self.session, folder / "state")
        self.sitting = Sitting(self.session, self.chronicle)
        self.files = EvaluationFiles(self.session, self.chronicle, self.sitting)
        self.refused: list[FileError] = []
        self.files.refused.connect(self.refused.append)
        self.session.replacing.connect(lambda go_on: go_on())  # what is unsaved is given up
        self.session._warming = False
        self.moved: list[object] = []
        self.questions: list[object] = []
        self.session.files_moved.connect(self.moved.append)
        self.session.asked.connect(self.questions.append)

    def open(self, *paths: Path) -> None:
        """Open files, and wait."""
        self.session.open_paths(paths)
        until_idle(self.session)

    def save(self, path: Path | None = None, consent: bool = False) -> None:
        """Save the evaluation, and wait."""
        self.files.save(path, consent)
        until_idle(self.session)

    def end(self) -> None:
        """End as a program does that is killed: nothing is asked, nothing given up."""
        self.chronicle.shut_down()
        self.session.shut_down()

    @property
    def evaluation(self):
        """What is open."""
        return self.session.evaluation

    def pair(self, query: int, document: str) -> int:
        """The number of a query's document."""
        return self.evaluation.pair_of(query, document)


@pytest.fixture
def start(qapp, preferences: Preferences, tmp_path: Path):
    """Start the program, again and again, in one folder."""
    runs: list[Run] = []

    def go() -> Run:
        if runs:
            runs[-1].end()
        runs.append(Run(preferences, tmp_path))
        return runs[-1]

    yield go
    runs[-1].end()


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A folder of judgments and two rankings."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name, text in (("judgments.csv", JUDGMENTS), ("run.csv", RUN), ("other.csv", OTHER)):
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def chosen(start, data: Path, tmp_path: Path) -> Path:
    """An evaluation's file, of a run in which everything was chosen that can be."""
    run = start()
    run.open(data / "judgments.csv")
    run.open(data / "run.csv")
    run.open(data / "other.csv")
    session, evaluation = run.session, run.evaluation
    session.set_options(Options(gain="exponential", cutoff=2, order="file"))
    session.set_decimals(5)
    lineup = evaluation.lineup.renamed("run.csv", "Production").moved("run.csv", 1)
    session.set_lineup(lineup.against("other.csv").styled("run.csv", 5), "names")
    session.set_scale(BUILT_IN[2])
    run.sitting.set_options(QueueOptions(which="all", seed=11))
    session.set_judge("Ann")
    session.set_values("mark", "", 0, [("C", "cannot")])
    run.save(tmp_path / "review.ndcg")
    until_idle(session)
    assert run.refused == []
    assert not run.files.modified
    # What the next run knows besides is other, and must not get in the way.
    session.preferences.options = Options()
    session.preferences.decimals = 3
    run.session.close()
    run.end()
    shutil.rmtree(tmp_path / "state")
    return tmp_path / "review.ndcg"


def check_chosen(run: Run) -> None:
    """That everything is as the fixture has chosen it."""
    session, evaluation = run.session, run.evaluation
    assert session.options == Options(gain="exponential", cutoff=2, order="file")
    assert evaluation.options == session.options
    assert session.decimals == 5
    assert [ranking.name for ranking in evaluation.rankings] == ["other.csv", "Production"]
    assert evaluation.lineup.baseline == "other.csv"
    assert evaluation.lineup.of_key("run.csv").style == 5
    assert session.scale == BUILT_IN[2]
    assert run.sitting.options == QueueOptions(which="all", seed=11)
    assert evaluation.remarks.marks == {(run.pair(0, "C"), ""): "cannot"}


class TestRoundTrip:
    """What is saved comes back."""

    def test_everything(self, start, chosen: Path, preferences) -> None:
        """Files, options, decimals, line-up, scale, queue and marks are as they were; nothing is
        unsaved, and the preferences are the person's own still.
        """
        run = start()
        run.open(chosen)

        check_chosen(run)
        assert not run.files.modified
        assert not run.session.modified
        assert run.files.title == "review.ndcg"
        assert preferences.options == Options()
        assert preferences.decimals == 3
        assert preferences.recent[0] == [chosen.resolve()]

    def test_scores_are_the_same(self, start, chosen: Path, data: Path) -> None:
        """The scores of an opened evaluation are those of the same files under the same options."""
        run = start()
        run.open(data / "judgments.csv", data / "other.csv")
        run.session.set_options(Options(gain="exponential", cutoff=2, order="file"))
        expected = run.evaluation.scores(0).value.tolist()
        run.open(chosen)

        assert run.evaluation.scores(0).value.tolist() == expected

    def test_saving_again_changes_nothing(self, start, chosen: Path) -> None:
        """A file that was opened and saved is the same but for its time."""
        before = json.loads(chosen.read_text("utf-8"))
        run = start()
        run.open(chosen)
        run.save()
        after = json.loads(chosen.read_text("utf-8"))

        assert {**after, "saved": ""} == {**before, "saved": ""}

    def test_paths_are_relative(self, chosen: Path) -> None:
        """The file names its files from its own folder."""
        files = json.loads(chosen.read_text("utf-8"))["files"]

        assert [file["path"] for file in files] == [
            "data/judgments.csv",
            "data/run.csv",
            "data/other.csv",
        ]

    def test_grades_are_not_in_it(self, start, data: Path, tmp_path: Path) -> None:
        """Saving the evaluation leaves grades unsaved, and files of data as they are."""
        run = start()
        run.open(data / "judgments.csv", data / "run.csv")
        run.session.set_grades(0, [("C", 2.0)])
        run.save(tmp_path / "a.ndcg")

        assert run.session.modified
        assert not run.files.modified
        assert (data / "judgments.csv").read_text("utf-8") == JUDGMENTS

    def test_another_document_has_its_own(self, start, chosen: Path, data: Path) -> None:
        """Data that is opened afterwards has nothing of the evaluation."""
        run = start()
        run.open(chosen)
        (data / "third.csv").write_text(JUDGMENTS, "utf-8")
        run.open(data / "third.csv")

        assert run.files.path is None
        assert run.session.options == Options()
        assert run.session.decimals == 3
        assert not run.session.scale_is_chosen

    def test_a_further_ranking_keeps_options(self, start, chosen: Path, data: Path) -> None:
        """What completes an evaluation belongs to it: the options stay, and it is to be saved."""
        run = start()
        run.open(chosen)
        (data / "third.csv").write_text(RUN, "utf-8")
        run.open(data / "third.csv")

        assert run.session.options.gain == "exponential"
        assert run.files.path == chosen
        assert run.files.modified
        run.save()
        assert not run.files.modified
        assert b"third.csv" in chosen.read_bytes()

    def test_settings_win_over_the_journal(self, start, chosen: Path, data: Path) -> None:
        """What was chosen for the same judgments without the evaluation gives way to it."""
        run = start()
        run.open(data / "judgments.csv")
        run.session.set_scale(BUILT_IN[0])
        run.session.set_values("mark", "", 0, [("C", "later"), ("A", "later")])
        run.session.close()
        run.open(chosen)

        assert run.session.scale == BUILT_IN[2]
        marks = run.evaluation.remarks.marks
        assert marks[run.pair(0, "C"), ""] == "cannot"
        assert marks[run.pair(0, "A"), ""] == "later"  # it is not lost ...
        assert run.files.modified  # ... and is told to be no part of the file

    def test_without_a_journal(self, start, chosen: Path, tmp_path: Path) -> None:
        """Where no journal can be kept, an evaluation opens as it was saved all the same."""
        run = start()
        (tmp_path / "state").mkdir(exist_ok=True)
        run.chronicle._folder = chosen / "no folder"
        run.open(chosen)

        check_chosen(run)

    def test_several_judges(self, start, tmp_path: Path) -> None:
        """Names of judges and the rule that makes one grade of theirs come back."""
        table = tmp_path / "wide.csv"
        table.write_text("query,docid,grade\nq1,A,3\nq1,B,1\n", "utf-8")
        run = start()
        run.open(table)
        run.session.judge_together("Ann")
        until_idle(run.session)
        run.session.set_merging("max")
        run.save(tmp_path / "a.ndcg")
        run.end()
        shutil.rmtree(tmp_path / "state")
        run = start()
        run.open(tmp_path / "a.ndcg")

        assert run.evaluation.votes.judges == ["Ann"]
        assert run.evaluation.votes.rule == "max"
        assert not run.files.modified

    def test_repairs(self, start, tmp_path: Path) -> None:
        """Ids that were matched are matched again."""
        (tmp_path / "j.csv").write_text("query,docid,grade\nred shoes,A,3\nhat,B,1\n", "utf-8")
        (tmp_path / "r.csv").write_text("query,docid,rank\nRed Shoes,A,1\nHAT,B,1\n", "utf-8")
        run = start()
        run.open(tmp_path / "j.csv", tmp_path / "r.csv")
        run.session.mend(run.session.proposed[0])
        until_idle(run.session)
        assert run.evaluation.scores(0).mean == 1.0
        run.save(tmp_path / "a.ndcg")
        run = start()
        run.open(tmp_path / "a.ndcg")

        assert run.evaluation.scores(0).mean == 1.0
        assert not run.files.modified


class TestUnsaved:
    """Whatever is chosen makes the evaluation unsaved, and taking it back saved again."""

    @pytest.mark.parametrize(
        "change",
        [
            lambda run: run.session.set_options(replace(run.session.options, cutoff=1)),
            lambda run: run.session.set_decimals(7),
            lambda run: run.session.set_lineup(
                run.evaluation.lineup.renamed("other.csv", "Candidate"), "name"
            ),
            lambda run: run.session.set_scale(None),
            lambda run: run.session.set_values("mark", "", 0, [("A", "later")]),
            lambda run: run.session.set_values("mark", "", 0, [("C", None)]),
            lambda run: run.sitting.set_options(QueueOptions(which="later")),
        ],
    )
    def test_change(self, start, chosen: Path, change) -> None:
        """A change is noticed, saved, and is there when it is opened again."""
        run = start()
        run.open(chosen)
        change(run)
        until_idle(run.session)
        assert run.files.modified
        now = run.files._content(chosen)
        run.save()
        assert not run.files.modified
        held = from_bytes(chosen.read_bytes(), chosen)
        assert (held.chosen, held.marks) == (now.chosen, now.marks)

    def test_undo(self, start, chosen: Path) -> None:
        """A line-up or a mark that is undone is not unsaved any more."""
        run = start()
        run.open(chosen)
        run.session.set_lineup(run.evaluation.lineup.renamed("other.csv", "X"), "name")
        run.session.set_values("mark", "", 0, [("A", "later")])
        assert run.files.modified
        run.session.undo_stack.undo()
        run.session.undo_stack.undo()

        assert not run.files.modified

    def test_grades_are_not_its_own(self, start, chosen: Path) -> None:
        """A grade makes the document unsaved, not the evaluation's file."""
        run = start()
        run.open(chosen)
        run.session.set_grades(0, [("C", 2.0)])

        assert not run.files.modified
        assert run.session.modified

    def test_leaving_is_asked(self, qtbot, start, chosen: Path, data: Path) -> None:
        """What takes the place of an unsaved evaluation is asked about first."""
        run = start()
        run.open(chosen)
        run.session.set_scale(None)
        (data / "third.csv").write_text(JUDGMENTS, "utf-8")

        with qtbot.waitSignal(run.session.replacing, timeout=20_000):
            run.session.open_paths([data / "third.csv"])
        until_idle(run.session)

    def test_what_is_not_there_is_kept(self, start, chosen: Path, data: Path) -> None:
        """A mark on a query that the files have lost is still in the file when it is saved."""
        text = JUDGMENTS.replace("q1", "q9")
        (data / "judgments.csv").write_text(text, "utf-8")
        (data / "run.csv").write_text(RUN.replace("q1", "q9"), "utf-8")
        (data / "other.csv").write_text(OTHER.replace("q1", "q9"), "utf-8")
        run = start()
        run.open(chosen)
        assert run.evaluation.remarks.marks == {}
        run.save()

        (mark,) = json.loads(chosen.read_text("utf-8"))["marks"]
        assert mark == {"query": "q1", "document": "C", "owner": "", "mark": "cannot"}


class TestNotes:
    """Notes that no file of judgments has room for."""

    @pytest.fixture
    def noted(self, start, data: Path, tmp_path: Path) -> Run:
        """A run with a note on TREC judgments, and its evaluation saved."""
        (data / "a.qrels").write_text(QRELS, "utf-8")
        run = start()
        run.open(data / "a.qrels", data / "run.csv")
        run.session.set_values("note", "", 0, [("B", "why?")])
        assert run.session.modified
        run.save(tmp_path / "a.ndcg")
        return run

    def test_saved_with_the_evaluation(self, noted: Run, start, tmp_path: Path) -> None:
        """The evaluation has them; nothing is unsaved, and nothing is offered at the next start."""
        assert not noted.session.modified
        assert not noted.files.modified
        shutil.copytree(tmp_path / "state", tmp_path / "before")
        run = start()
        assert run.chronicle.left_behind() == []
        run.open(tmp_path / "a.ndcg")

        assert run.evaluation.remarks.notes == {(run.pair(0, "B"), ""): "why?"}
        assert not run.session.modified
        assert not run.files.modified

    def test_survive_another_reading(self, noted: Run) -> None:
        """Notes go over when the files are read in another way, and come back by undo; one that is
        taken away stays so.
        """
        session = noted.session
        session.reread(session.parts, "another reading")
        until_idle(session)
        assert noted.evaluation.remarks.notes == {(noted.pair(0, "B"), ""): "why?"}
        assert not session.modified
        session.set_values("note", "", 0, [("B", None)])
        assert noted.files.modified
        session.reread(session.parts, "another reading")
        until_idle(session)

        assert noted.evaluation.remarks.notes == {}
        session.undo_stack.undo()
        session.undo_stack.undo()
        assert noted.evaluation.remarks.notes == {(noted.pair(0, "B"), ""): "why?"}

    def test_go_into_a_table(self, noted: Run, tmp_path: Path) -> None:
        """Once the judgments are a table, the notes are in it and not in the evaluation."""
        noted.session.save_as(tmp_path / "table.csv")
        until_idle(noted.session)
        noted.save()

        assert "why?" in (tmp_path / "table.csv").read_text("utf-8")
        assert json.loads((tmp_path / "a.ndcg").read_text("utf-8"))["notes"] == []
        assert noted.evaluation.remarks.notes == {(noted.pair(0, "B"), ""): "why?"}
        assert not noted.session.modified
        assert not noted.files.modified

    def test_stay_after_grades_are_saved(self, noted: Run, data: Path) -> None:
        """Saving grades to the qrels and then the evaluation leaves nothing unsaved."""
        noted.session.set_grades(0, [("B", 2.0)])
        noted.session.save()
        until_idle(noted.session)
        noted.save()

        assert (data / "a.qrels").read_text("utf-8") == QRELS.replace("B 1", "B 2")
        assert not noted.session.modified
        assert not noted.files.modified


class TestCrash:
    """The program dies with things unsaved."""

    def test_what_was_chosen_is_there_again(self, start, chosen: Path) -> None:
        """Options, scale, line-up and marks that were not saved are back, and still unsaved."""
        run = start()
        run.open(chosen)
        run.session.set_options(replace(run.session.options, cutoff=3))
        run.session.set_scale(BUILT_IN[1])
        run.session.set_lineup(run.evaluation.lineup.renamed("run.csv", "Old"), "name")
        run.session.set_values("mark", "", 0, [("A", "later"), ("C", None)])
        run.session.preferences.options = Options()
        run = start()
        run.open(chosen)

        assert run.session.options == Options(gain="exponential", cutoff=3, order="file")
        assert run.session.scale == BUILT_IN[1]
        assert run.evaluation.lineup.of_key("run.csv").name == "Old"
        assert run.evaluation.remarks.marks == {(run.pair(0, "A"), ""): "later"}
        assert run.files.modified

    def test_grades_are_offered(self, start, chosen: Path) -> None:
        """Grades that were not saved are offered as with any file."""
        run = start()
        run.open(chosen)
        run.session.set_grades(0, [("C", 2.0)])
        run = start()
        left: list[object] = []
        run.chronicle.left.connect(left.append)
        run.open(chosen)

        assert [len(each.edits) for each in left] == [1]

    def test_offered_at_the_start(self, start, chosen: Path) -> None:
        """“Open and restore” at the next start opens the evaluation, and gives the grade back."""
        run = start()
        run.open(chosen)
        run.session.set_grades(0, [("C", 2.0)])
        run.session.set_decimals(6)
        run = start()
        (left,) = run.chronicle.left_behind()
        run.chronicle.reopen(left)
        until_idle(run.session)

        assert run.files.path == chosen
        assert run.session.decimals == 6
        assert run.evaluation.value_of("grade", "", run.pair(0, "C")) == 2.0
        assert run.files.modified
        assert run.session.modified

    def test_a_file_that_somebody_else_saved(self, start, chosen: Path) -> None:
        """The file is what counts where it is another one than that run had."""
        run = start()
        run.open(chosen)
        run.session.set_scale(BUILT_IN[1])
        plain = json.loads(chosen.read_text("utf-8"))
        chosen.write_text(json.dumps({**plain, "decimals": 6}), "utf-8")
        run = start()
        run.open(chosen)

        assert run.session.decimals == 6
        assert run.session.scale == BUILT_IN[2]
        assert not run.files.modified

    def test_given_up(self, start, chosen: Path) -> None:
        """What was given up is not there again."""
        run = start()
        run.open(chosen)
        run.session.set_scale(BUILT_IN[1])
        run.session.close()
        run = start()
        run.open(chosen)

        check_chosen(run)
        assert not run.files.modified


class TestFiles:
    """Files that are elsewhere, or others."""

    def test_moved_is_asked(self, start, chosen: Path, data: Path, tmp_path: Path) -> None:
        """Files that are not found are asked for; then the new place is to be saved."""
        data.rename(tmp_path / "moved")
        run = start()
        run.open(chosen)
        (moved,) = run.moved
        assert moved.evaluation.missing == [
            "data/judgments.csv",
            "data/run.csv",
            "data/other.csv",
        ]
        assert run.evaluation is None
        place = tmp_path / "moved" / "judgments.csv"
        run.session.open_evaluation(chosen, {"data/judgments.csv": place})
        until_idle(run.session)

        check_chosen(run)
        assert run.files.modified
        run.save()
        assert b'"moved/run.csv"' in chosen.read_bytes()
        assert not run.files.modified

    def test_other_name(self, start, chosen: Path, data: Path) -> None:
        """A ranking whose file is called otherwise now keeps its name, colour and place."""
        (data / "run.csv").rename(data / "run of May.csv")
        run = start()
        run.session.open_evaluation(chosen, {"data/run.csv": data / "run of May.csv"})
        until_idle(run.session)

        assert [r.name for r in run.evaluation.rankings] == ["other.csv", "Production"]
        assert run.evaluation.lineup.of_key("run of May.csv").style == 5

    def test_relative_name(self, start, chosen: Path, monkeypatch) -> None:
        """An evaluation named from its folder stays where it is when the program goes elsewhere."""
        monkeypatch.chdir(chosen.parent)
        run = start()
        run.open(Path(chosen.name))
        monkeypatch.chdir("/")
        run.session.set_decimals(7)
        run.save()

        assert json.loads(chosen.read_text("utf-8"))["decimals"] == 7

    def test_loaded_again(self, start, chosen: Path, data: Path) -> None:
        """Files that are loaded again as they now are still belong to the evaluation."""
        run = start()
        run.open(chosen)
        (data / "judgments.csv").write_text(JUDGMENTS + "q2,A,1\n", "utf-8")
        run.session.open_again(run.session.paths)
        until_idle(run.session)

        check_chosen(run)
        assert run.files.path == chosen
        assert not run.files.modified

    def test_changed_rows(self, start, chosen: Path, data: Path) -> None:
        """A changed file opens, and a finding says that it has changed."""
        (data / "run.csv").write_text(RUN + "q2,A,2\n", "utf-8")
        run = start()
        run.open(chosen)

        check_chosen(run)
        (found,) = [each for each in run.session.findings if each.code == "file-changed"]
        assert found.level == "warning"
        assert "run.csv" in str(found)
        assert not run.files.modified

    def test_changed_columns(self, start, chosen: Path, data: Path) -> None:
        """Columns that are others are asked about; with the answer all is as it was chosen."""
        text = "\n".join(",".join(reversed(line.split(","))) for line in RUN.split())
        (data / "run.csv").write_text(text, "utf-8")
        run = start()
        run.open(chosen)
        (question,) = run.questions
        assert [question.plan.parts[at].table.path.name for at in question.plan.doubts] == [
            "run.csv"
        ]
        run.session.answer(question, question.plan.parts, question.plan.unused)
        until_idle(run.session)

        check_chosen(run)
        assert run.files.modified

    def test_not_over_another_evaluation(self, start, chosen: Path) -> None:
        """An evaluation that somebody else has saved is written over only with consent."""
        run = start()
        run.open(chosen)
        run.session.set_scale(None)
        chosen.write_text("theirs", "utf-8")
        run.save()
        (error,) = run.refused
        assert isinstance(error, OtherEvaluation)
        assert chosen.read_text("utf-8") == "theirs"
        assert run.files.modified
        run.save(consent=True)

        assert not run.files.modified
        assert from_bytes(chosen.read_bytes(), chosen).chosen.scale is None

    def test_not_over_its_data(self, start, chosen: Path, data: Path) -> None:
        """A file of data is never written over."""
        run = start()
        run.open(chosen)
        run.save(data / "run.csv", consent=True)

        assert "data of the evaluation" in str(run.refused[0])
        assert (data / "run.csv").read_text("utf-8") == RUN

    def test_folder_that_is_gone(self, start, chosen: Path, tmp_path: Path) -> None:
        """A place that cannot be written to is told, and the evaluation stays where it was."""
        run = start()
        run.open(chosen)
        run.save(tmp_path / "nowhere" / "a.ndcg")

        assert "“nowhere” is not there" in str(run.refused[0])
        assert run.files.path == chosen

    def test_example_has_no_file(self, start, tmp_path: Path) -> None:
        """An example says what to do first."""
        run = start()
        run.session.open_example(examples()[0])
        until_idle(run.session)
        run.save(tmp_path / "a.ndcg")

        assert "Save the judgments to a file first" in str(run.refused[0])
        assert not (tmp_path / "a.ndcg").exists()

    def test_not_beside_others(self, qtbot, start, chosen: Path, data: Path) -> None:
        """An evaluation is opened by itself."""
        run = start()
        with qtbot.waitSignal(run.session.failed, timeout=20_000) as failed:
            run.session.open_paths([chosen, data / "run.csv"])

        assert "by itself" in str(failed.args[0])

    def test_read_in_another_way_meanwhile(self, start, data: Path, tmp_path: Path) -> None:
        """A save that ends after the files were read in another way is that of this document."""
        run = start()
        run.open(data / "judgments.csv", data / "run.csv")
        run.files.save(tmp_path / "a.ndcg")
        run.session.reread(run.session.parts, "another reading")
        until_idle(run.session)

        assert run.files.title == "a.ndcg"
        assert not run.files.modified

    def test_two_saves_at_once(self, start, chosen: Path) -> None:
        """A save that is asked for while one runs is made after it, with what is there then."""
        run = start()
        run.open(chosen)
        run.session.set_decimals(6)
        run.files.save()
        run.session.set_decimals(7)
        run.files.save()
        until_idle(run.session)

        assert json.loads(chosen.read_text("utf-8"))["decimals"] == 7
        assert not run.files.modified
