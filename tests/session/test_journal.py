"""The journal: no change is lost, whatever becomes of the program, the file or the disk."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.session.journal import (
    KEPT_DAYS,
    PATIENCE,
    Change,
    Journal,
    JournalError,
    Value,
    left_behind,
    prune,
)

KEY = "/data/grades.csv"
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals and limits")


def changed(document: str, old: Value, new: Value, **others) -> Change:
    """A change of a document's grade, or of what ``others`` say."""
    values = {"time": 1000.5, "judge": "Anna", "kind": "grade", "query": "q1", **others}
    return Change(document=document, old=old, new=new, **values)


def brief(changes) -> list[tuple[str, Value, Value]]:
    """Of each change the document, the old and the new value."""
    return [(change.document, change.old, change.new) for change in changes]


@contextmanager
def opened(folder: Path, key: str = KEY) -> Iterator[Journal]:
    """A journal for as long as it is needed."""
    with closing(Journal(folder, key)) as journal:
        yield journal


def run(folder: Path, *changes: Change, saved: int = 0, key: str = KEY) -> None:
    """A run that makes changes, of which the first so many are saved, and ends."""
    with opened(folder, key) as journal:
        journal.append(changes[:saved])
        if saved:
            journal.mark("saved", journal.last_id)
        journal.append(changes[saved:])


def left(folder: Path, key: str = KEY) -> list[tuple[str, Value, Value]]:
    """What a new run is offered."""
    with opened(folder, key) as journal:
        return brief(journal.left_unsaved())


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """A journal that another program keeps locked."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


# ---- what comes back


def test_every_field_of_a_change_comes_back_as_it_was(tmp_path):
    """Grades stay numbers, notes texts, and blanks None; the steps are numbered."""
    changes = [
        changed("d", None, 2.0, effect='{"before": 0.1}', seconds=3.25, seen=17),
        changed("d2", 1.0, None, owner="Bo", kind="vote", query="größe"),
        changed("d3", "", "2", kind="note", judge=""),
    ]
    with opened(tmp_path) as journal:
        journal.append(changes[:2])
        journal.append(changes[2:])
        recorded = journal.changes()

    assert [each.change for each in recorded] == [
        replace(change, step=step) for change, step in zip(changes, (1, 1, 3), strict=True)
    ]
    assert [type(each.change.new) for each in recorded] == [float, type(None), str]
    assert [each.id for each in recorded] == [1, 2, 3]


@pytest.mark.parametrize("odd", ["a\ud800b", "a\0b", "'; --", "\U0001f600", "x" * 100_000])
def test_any_text_is_kept(tmp_path, odd):
    """Half a character, which a file may hold in an id, is no reason to lose a judgment."""
    change = changed(odd, None, odd, judge=odd, kind="note")
    with opened(tmp_path, odd) as journal:
        journal.describe(odd, [Path("a")], odd)
        journal.set_setting("scale", odd)
        journal.append([changed("plain", None, 1.0), change])

        assert journal.setting("scale") == odd

    (found,) = left_behind(tmp_path)
    assert (found.key, found.title, found.table) == (odd, odd, odd)
    with opened(tmp_path, odd) as journal:
        assert journal.left_unsaved() == [
            changed("plain", None, 1.0, step=1),
            replace(change, step=1),
        ]


def test_nothing_appended_is_no_step(tmp_path):
    """An action that changes nothing leaves no trace."""
    with opened(tmp_path) as journal:
        journal.append([])

        assert (journal.changes(), journal.last_id) == ([], 0)


def test_settings_are_kept_and_replaced(tmp_path):
    """What was set last is there at the next start; what was never set is empty."""
    with opened(tmp_path) as journal:
        journal.set_setting("scale", "[0, 1]")
        journal.set_setting("scale", "[0, 1, 2]")
    with opened(tmp_path) as journal:
        assert (journal.setting("scale"), journal.setting("seed")) == ("[0, 1, 2]", "")


# ---- what was left unsaved


def test_a_run_that_saved_all_leaves_nothing(tmp_path):
    """What is in the file is not offered again."""
    run(tmp_path, changed("a", None, 1.0), changed("b", None, 2.0), saved=2)

    assert left(tmp_path) == []
    assert left_behind(tmp_path) == []


def test_changes_after_the_last_save_are_left(tmp_path):
    """Only they; the old value is the saved one."""
    run(tmp_path, changed("a", None, 1.0), changed("a", 1.0, 2.0), saved=1)

    assert left(tmp_path) == [("a", 1.0, 2.0)]


def test_grading_goes_on_while_a_save_runs(tmp_path):
    """A save is of what there was when it was asked for, not of what came meanwhile."""
    with opened(tmp_path) as journal:
        journal.append([changed("a", None, 1.0)])
        snapshot = journal.last_id
        journal.append([changed("b", None, 2.0)])
        journal.mark("saved", snapshot)

    assert left(tmp_path) == [("b", None, 2.0)]


def test_a_late_mark_of_an_earlier_state_takes_nothing_back(tmp_path):
    """What was saved stays saved."""
    with opened(tmp_path) as journal:
        journal.append([changed("a", None, 1.0)])
        journal.append([changed("b", None, 2.0)])
        journal.mark("saved", journal.last_id)
        journal.mark("saved", 1)

    assert left(tmp_path) == []


def test_discarded_changes_are_not_offered(tmp_path):
    """Who closes without saving has said so."""
    with opened(tmp_path) as journal:
        journal.append([changed("a", None, 1.0)])
        journal.mark("discarded", journal.last_id)

    assert left(tmp_path) == []


def test_of_many_changes_of_one_value_the_first_old_and_the_last_new_is_left(tmp_path):
    """In the order of the last changes, with the time, judge and step of those."""
    run(
        tmp_path,
        changed("a", None, 1.0, time=1),
        changed("b", None, 1.0, time=2),
        changed("a", 1.0, 3.0, time=3, judge="Bo"),
    )
    with opened(tmp_path) as journal:
        assert journal.left_unsaved() == [
            changed("b", None, 1.0, time=2, step=1),
            changed("a", None, 3.0, time=3, judge="Bo", step=1),
        ]


def test_undo_that_leads_back_leaves_nothing(tmp_path):
    """There is nothing to restore where all is as it was."""
    run(tmp_path, changed("a", None, 1.0), changed("a", 1.0, None))

    assert left(tmp_path) == []
    assert left_behind(tmp_path) == []


def test_values_of_different_kinds_and_owners_are_kept_apart(tmp_path):
    """A note is no grade, and Bo's vote not Anna's."""
    run(
        tmp_path,
        changed("a", None, 1.0),
        changed("a", None, "odd", kind="note", owner="Anna"),
        changed("a", None, 2.0, kind="vote", owner="Anna"),
        changed("a", None, 3.0, kind="vote", owner="Bo"),
        changed("a", None, 0.0, query="q2"),
    )

    assert left(tmp_path) == [("a", None, value) for value in (1.0, "odd", 2.0, 3.0, 0.0)]


def test_what_a_living_run_has_not_saved_is_not_offered(tmp_path):
    """Neither to itself nor to another, of this program or of another; until it is dead."""
    with opened(tmp_path) as first, opened(tmp_path) as second:
        first.append([changed("a", None, 1.0)])

        assert first.left_unsaved() == second.left_unsaved() == left_behind(tmp_path) == []

        first.close()

        assert brief(second.left_unsaved()) == [("a", None, 1.0)]


def test_a_mark_is_of_the_run_that_sets_it(tmp_path):
    """One window's save does not save what another has changed."""
    with opened(tmp_path) as first, opened(tmp_path) as second:
        first.append([changed("a", None, 1.0)])
        second.append([changed("b", None, 2.0)])
        second.mark("saved", second.last_id)

    assert left(tmp_path) == [("a", None, 1.0)]


def test_what_is_restored_is_offered_no_more_by_the_dead_run(tmp_path):
    """It is the restoring run's now, which may die as well."""
    run(tmp_path, changed("a", None, 1.0))
    with opened(tmp_path) as journal:
        journal.append(journal.left_unsaved())
        journal.settle("restored")
        journal.append([changed("b", None, 2.0)])

    assert left(tmp_path) == [("a", None, 1.0), ("b", None, 2.0)]


def test_dying_between_restoring_and_settling_offers_the_same_again(tmp_path):
    """Twice journalled is once restored."""
    run(tmp_path, changed("a", None, 1.0))
    with opened(tmp_path) as journal:
        journal.append(journal.left_unsaved())

    assert left(tmp_path) == [("a", None, 1.0)]


def test_what_is_given_up_is_offered_no_more(tmp_path):
    """One answer is enough."""
    run(tmp_path, changed("a", None, 1.0))
    with opened(tmp_path) as journal:
        journal.left_unsaved()
        journal.settle("discarded")

    assert left(tmp_path) == []


def test_an_answer_does_not_mean_a_run_that_died_since(tmp_path):
    """Nobody gave up what nobody was shown."""
    run(tmp_path, changed("a", None, 1.0))
    with opened(tmp_path) as other, opened(tmp_path) as journal:
        other.append([changed("b", None, 2.0)])
        journal.left_unsaved()
        other.close()
        journal.settle("discarded")

        assert brief(journal.left_unsaved()) == [("b", None, 2.0)]


def test_no_answer_offers_it_again(tmp_path):
    """At the next start, and the one after that."""
    run(tmp_path, changed("a", None, 1.0))

    assert left(tmp_path) == left(tmp_path) == [("a", None, 1.0)]


# ---- a real death

CHILD = """
import sys, time
from pathlib import Path
from ndcg_desktop.session.journal import Change, Journal
journal = Journal(Path(sys.argv[1]), sys.argv[2])
journal.describe("Grades", [Path("/data/grades.csv")])
print("open", flush=True)
for number in range(int(sys.argv[3])):
    journal.append([Change(float(number), "Anna", "grade", "q1", f"d{number}", None, 1.0)])
    print(number, flush=True)
    if number == 2:
        journal.mark("saved", journal.last_id)
print("done", flush=True)
sys.stdin.read()
"""


@contextmanager
def child(folder: Path, count: int) -> Iterator[subprocess.Popen[str]]:
    """Another program, which makes changes, saves the first three of them and waits."""
    command = [sys.executable, "-c", CHILD, str(folder), KEY, str(count)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "open\n"
            yield process
        finally:
            process.kill()


def until(process: subprocess.Popen[str], line: str) -> None:
    """Wait until a program has written a line."""
    assert process.stdout is not None and f"{line}\n" in iter(process.stdout.readline, "")


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a program so that it can do nothing about it."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


@posix
def test_after_kill_9_exactly_what_was_unsaved_is_there(tmp_path):
    """As long as it lives nothing is offered; after its death all that came after the save is."""
    with child(tmp_path, 7) as process:
        until(process, "done")
        assert left_behind(tmp_path) == []
        kill(process)

    (found,) = left_behind(tmp_path)
    assert (found.key, found.title, found.files) == (KEY, "Grades", (Path("/data/grades.csv"),))
    assert (found.changes, found.time, found.table) == (4, 6.0, "")
    assert left(tmp_path) == [(f"d{number}", None, 1.0) for number in (3, 4, 5, 6)]


@posix
def test_killed_in_the_middle_of_writing_no_change_that_was_made_is_lost(tmp_path):
    """What append came back from is on the disk, at whatever moment the program dies."""
    with child(tmp_path, 1_000_000) as process:
        until(process, "500")
        kill(process)
        assert process.stdout is not None
        told = [line for line in process.stdout.read().split("\n")[:-1] if line]  # whole lines

    last = int(told[-1]) if told else 500
    found = [document for document, _, _ in left(tmp_path)]
    assert len(found) >= last - 2
    assert found == [f"d{number}" for number in range(3, 3 + len(found))]


@posix
@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_torn_end_of_the_file_costs_no_more_than_what_it_held(tmp_path, part):
    """After a loss of power the last pages may be missing; all before them is there."""
    with child(tmp_path, 50) as process:
        until(process, "done")
        kill(process)
    (log,) = tmp_path.glob("*.sqlite-wal")
    os.truncate(log, int(log.stat().st_size * part))

    with opened(tmp_path) as journal:
        found = [each.change.document for each in journal.changes()]
    assert found == [f"d{number}" for number in range(len(found))]
    assert len(found) >= 50 * part - 5


@posix
def test_two_programs_write_one_journal_at_once(tmp_path):
    """Neither keeps the other out, and each change of both is there."""
    with child(tmp_path, 300) as process, opened(tmp_path) as journal:
        for number in range(300):
            journal.append([changed(f"mine{number}", None, 2.0)])
        until(process, "done")
        documents = {each.change.document for each in journal.changes()}

    assert documents == {f"{whose}{n}" for whose in ("d", "mine") for n in range(300)}


# ---- history


def test_the_history_tells_where_was_saved(tmp_path):
    """Every change of every run stands in it, and each mark after the change that it is up to."""
    run(tmp_path, changed("a", None, 1.0), changed("b", None, 1.0), saved=1)
    with opened(tmp_path) as journal:
        journal.left_unsaved()
        journal.settle("discarded")
        recorded, marks = journal.changes(), journal.marks()

    assert brief(each.change for each in recorded) == [("a", None, 1.0), ("b", None, 1.0)]
    assert [(mark.what, mark.upto) for mark in marks] == [("saved", 1), ("discarded", 2)]
    assert {each.run for each in recorded} == {mark.run for mark in marks}
    assert all(abs(mark.time - time.time()) < 60 for mark in marks)


def test_the_values_of_any_point_can_be_had(tmp_path):
    """Before all, in the middle, at the end; also after a restart."""
    a, b = changed("a", None, 1.0), changed("b", 2.0, 3.0)
    run(tmp_path, a, b, changed("a", 1.0, None), saved=3)
    with opened(tmp_path) as journal:
        journal.append([changed("c", None, 0.0)])

        assert journal.values_at(0) == {
            a.key: None,
            b.key: 2.0,
            changed("c", None, 0.0).key: None,
        }
        assert journal.values_at(1)[a.key] == 1.0
        assert journal.values_at(1)[b.key] == 2.0
        assert journal.values_at(2)[b.key] == 3.0
        assert journal.values_at(3)[a.key] is None


def test_a_point_before_a_crash_is_as_it_was_then(tmp_path):
    """The restoring run begins with what was saved: that is not what was on the screen."""
    a = changed("a", None, 1.0)
    run(tmp_path, a, changed("a", 1.0, 2.0))
    with opened(tmp_path) as journal:
        journal.append(journal.left_unsaved())
        journal.settle("restored")

        assert [journal.values_at(number)[a.key] for number in (0, 1, 2, 3)] == [None, 1, 2, 2]


def test_what_was_given_up_is_not_in_later_points(tmp_path):
    """But one can go back to it."""
    a = changed("a", None, 1.0)
    run(tmp_path, a)
    with opened(tmp_path) as journal:
        journal.left_unsaved()
        journal.settle("discarded")
        journal.append([changed("b", None, 2.0)])

        assert journal.values_at(1)[a.key] == 1.0
        assert a.key not in journal.values_at(2)


# ---- save as


def test_the_history_goes_along_to_another_file(tmp_path):
    """With its settings and marks; from then on each has its own."""
    run(tmp_path, changed("a", None, 1.0), saved=1)
    with opened(tmp_path) as journal:
        journal.set_setting("seed", "7")
        journal.append([changed("b", None, 2.0)])
        snapshot = journal.last_id
        journal.append([changed("c", None, 3.0)])
        with closing(journal.copy_to("/data/copy.csv")) as copy:
            copy.mark("saved", snapshot)
            copy.append([changed("d", None, 0.0)])

            assert [each.change.document for each in copy.changes()] == ["a", "b", "c", "d"]
            assert copy.setting("seed") == "7"
            assert [mark.what for mark in copy.marks()] == ["saved", "saved"]
        assert [each.change.document for each in journal.changes()] == ["a", "b", "c"]

    assert left(tmp_path) == []
    assert left(tmp_path, "/data/copy.csv") == [("c", None, 3.0), ("d", None, 0.0)]


def test_a_copy_does_not_offer_what_other_runs_have_not_saved(tmp_path):
    """That belongs to the old file, and is offered there."""
    run(tmp_path, changed("a", None, 1.0))
    with opened(tmp_path) as journal:
        journal.copy_to("copy").close()

    assert left(tmp_path, "copy") == []
    assert left(tmp_path) == [("a", None, 1.0)]


def test_a_copy_takes_the_place_of_the_history_of_the_file_that_it_replaces(tmp_path):
    """Another window that still has that file open goes on in it and loses nothing more."""
    run(tmp_path, changed("gone", None, 1.0), key="copy")
    with opened(tmp_path) as journal, opened(tmp_path, "copy") as other:
        journal.append([changed("a", None, 1.0)])
        with closing(journal.copy_to("copy")) as copy:
            other.append([changed("b", None, 2.0)])

            assert [each.change.document for each in copy.changes()] == ["a", "b"]
            copy.mark("saved", copy.last_id)

    assert left(tmp_path, "copy") == [("b", None, 2.0)]


def test_a_journal_is_its_own_copy_under_its_own_key(tmp_path):
    """Save as over the file itself changes nothing."""
    with opened(tmp_path) as journal:
        assert journal.copy_to(KEY) is journal


def test_a_copy_that_cannot_be_made_leaves_all_as_it_was(tmp_path):
    """The old journal goes on, and nothing of it is given up."""
    with opened(tmp_path, "copy") as target, opened(tmp_path) as journal:
        journal.append([changed("a", None, 1.0)])
        with locked(target.path), pytest.raises(JournalError, match="locked"):
            journal.copy_to("copy")
        journal.append([changed("b", None, 1.0)])

    assert left(tmp_path) == [("a", None, 1.0), ("b", None, 1.0)]


# ---- what goes wrong


def only(folder: Path) -> Path:
    """The one journal of a folder."""
    (path,) = folder.glob("*.sqlite")
    return path


def assert_begun_anew(folder: Path) -> None:
    """The damaged journal is moved aside, which is told, and a new one works."""
    assert left_behind(folder) == []  # passed over
    with opened(folder) as journal:
        assert journal.damaged is not None and journal.damaged.exists()
        assert journal.damaged.suffix == ".damaged"
        journal.append([changed("new", None, 1.0)])
    assert left(folder) == [("new", None, 1.0)]
    with opened(folder) as journal:
        assert journal.damaged is None


@pytest.mark.parametrize("part", [0.00001, 0.001, 0.01, 0.3, 0.5, 0.9, 0.99])
def test_a_truncated_journal_is_moved_aside(tmp_path, part):
    """Wherever it ends."""
    run(tmp_path, *(changed(f"d{number}", None, 1.0) for number in range(2000)))
    path = only(tmp_path)
    os.truncate(path, max(1, int(path.stat().st_size * part)))

    assert_begun_anew(tmp_path)


@pytest.mark.parametrize("content", [b"query,document,grade\n" * 99, b"x", os.urandom(9000)])
def test_a_file_that_is_no_journal_is_moved_aside(tmp_path, content):
    """And kept as it is."""
    run(tmp_path)
    only(tmp_path).write_bytes(content)

    assert_begun_anew(tmp_path)

    (aside,) = tmp_path.glob("*.damaged")
    assert aside.read_bytes() == content


def test_a_folder_in_the_place_of_the_journal_is_moved_aside(tmp_path):
    """With all that is in it."""
    run(tmp_path)
    path = only(tmp_path)
    path.unlink()
    path.mkdir()
    (path / "file").touch()

    assert_begun_anew(tmp_path)


def test_an_empty_file_is_a_new_journal(tmp_path):
    """A program that was killed as it began one leaves that."""
    run(tmp_path)
    os.truncate(only(tmp_path), 0)

    with opened(tmp_path) as journal:
        assert (journal.damaged, journal.changes()) == (None, [])


@given(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=3000))
def test_garbage_anywhere_in_the_file_raises_nothing_but_journal_errors(where, garbage):
    """Whether or not it is noticed at once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(folder, *(changed(f"d{number}", None, 1.0) for number in range(300)), saved=100)
        with only(folder).open("r+b") as file:
            file.seek(int(only(folder).stat().st_size * where))
            file.write(garbage)

        left_behind(folder)
        prune(folder)
        try:
            with opened(folder) as journal:
                journal.append([changed("a", None, 1.0)])
                journal.left_unsaved()
                journal.changes()
                journal.values_at(5)
        except JournalError:
            pass


def test_a_journal_that_is_locked_for_long_keeps_the_window_waiting_for_a_moment_only(tmp_path):
    """The change is refused whole, and can be made again when the lock is gone."""
    with opened(tmp_path) as journal:
        with locked(journal.path):
            begin = time.monotonic()
            with pytest.raises(JournalError, match=r"locked \(.*sqlite\)"):
                journal.append([changed("a", None, 1.0)])
            assert time.monotonic() - begin < PATIENCE + 0.5
            with pytest.raises(JournalError, match="locked"):
                Journal(tmp_path, KEY)
        assert (journal.changes(), journal.last_id) == ([], 0)

        journal.append([changed("a", None, 1.0)])

    assert left(tmp_path) == [("a", None, 1.0)]


@posix
def test_a_full_disk_is_said_and_nothing_half_is_kept(tmp_path):
    """When there is room again, it goes on."""
    import resource

    def allow(size: int) -> None:
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))

    with opened(tmp_path) as journal:
        journal.append([changed("a", None, 1.0)])
        before = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        allow(100_000)
        try:
            with pytest.raises(JournalError, match=r"disk.*sqlite"):
                journal.append([changed("x" * 1000, None, 1.0)] * 1000)
        finally:
            allow(before)
        assert journal.last_id == 1
        journal.append([changed("b", None, 1.0)])

        assert brief(each.change for each in journal.changes()) == [("a", None, 1), ("b", None, 1)]


REFUSED = """
import os, sys
from pathlib import Path
from ndcg_desktop.session.journal import Journal, JournalError
if os.getuid() == 0:
    os.setuid(65534)  # nobody: the superuser may write anywhere
try:
    Journal(Path(sys.argv[1]), "key")
except JournalError as error:
    print(error)
"""


@posix
@pytest.mark.parametrize("existing", [False, True])
def test_a_folder_that_cannot_be_written_is_said(existing):
    """A journal that is there already is of no use either, if nothing can be added."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if existing:
            run(folder, changed("a", None, 1.0), key="key")
        for each in (folder, *folder.rglob("*")):
            each.chmod(0o555 if each.is_dir() else 0o444)
        command = [sys.executable, "-c", REFUSED, name]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        folder.chmod(0o755)

    assert said.startswith("Changes are not kept for the case of a crash:")
    assert name in said


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path):
    """There is no folder to be made then."""
    (tmp_path / "state").touch()

    with pytest.raises(JournalError, match="state"):
        Journal(tmp_path / "state", KEY)

    assert left_behind(tmp_path / "state") == left_behind(tmp_path / "none") == []


def test_a_journal_of_a_newer_version_is_left_alone(tmp_path):
    """It is not damaged, only not understood."""
    run(tmp_path, changed("a", None, 1.0))
    with closing(sqlite3.connect(only(tmp_path))) as db:
        db.execute("PRAGMA user_version = 99")
    before = only(tmp_path).read_bytes()

    with pytest.raises(JournalError, match="newer version"):
        Journal(tmp_path, KEY)

    assert only(tmp_path).read_bytes() == before
    assert list(tmp_path.glob("runs/*")) == []


# ---- all journals


def test_what_was_left_behind_is_listed_newest_first(tmp_path):
    """Each document with what to open again; a damaged one is passed over, and left as it is."""
    for number, then in enumerate((0, 11, 12, 3, 10)):
        run(tmp_path, changed("a", None, 1.0, time=then), key=f"k{number}", saved=then == 12)
    with opened(tmp_path, "k3") as journal:
        journal.describe("by hand", [], '{"rows": []}')
        damaged = journal.path.with_name("damaged.sqlite")
    damaged.write_text("no database")

    found = left_behind(tmp_path)

    assert [(each.key, each.time) for each in found] == [
        ("k1", 11),
        ("k4", 10),
        ("k3", 3),
        ("k0", 0),
    ]
    assert {(each.title, each.table) for each in found if each.key == "k3"} == {
        ("by hand", '{"rows": []}')
    }
    assert damaged.read_text() == "no database"


def test_looking_through_the_folder_changes_nothing_in_it(tmp_path):
    """Journals that are closed stay so: no files come beside them."""
    for number in range(3):
        run(tmp_path, changed("a", None, 1.0), key=str(number))
    before = sorted(tmp_path.rglob("*"))

    assert len(left_behind(tmp_path)) == 3
    assert sorted(tmp_path.rglob("*")) == before


def test_old_journals_are_removed_unless_something_in_them_is_unsaved(tmp_path):
    """So are damaged ones, once they are old; what was touched lately stays."""
    run(tmp_path, changed("a", None, 1.0), saved=1, key="old")
    run(tmp_path, changed("a", None, 1.0), key="unsaved")
    run(tmp_path, changed("a", None, 1.0), saved=1, key="damaged")
    with opened(tmp_path, "damaged") as journal:
        path = journal.path
    path.write_text("no database")
    Journal(tmp_path, "damaged").close()
    old = time.time() - (KEPT_DAYS + 1) * 24 * 60 * 60
    for each in tmp_path.glob("*.*"):
        os.utime(each, (old, old))
    run(tmp_path, changed("a", None, 1.0), saved=1, key="new")

    prune(tmp_path)

    assert len(list(tmp_path.glob("*.*"))) == 2
    assert [each.key for each in left_behind(tmp_path)] == ["unsaved"]


@posix
def test_the_locks_of_dead_runs_are_cleared_away(tmp_path):
    """Those of the living stay."""
    with opened(tmp_path):
        with child(tmp_path, 0) as process:
            assert len(list(tmp_path.glob("runs/*.lock"))) == 2
            kill(process)

        prune(tmp_path)

        assert len(list(tmp_path.glob("runs/*.lock"))) == 1


# ---- any order of events

EVENTS = st.lists(
    st.one_of(
        st.tuples(
            st.just("change"), st.sampled_from("abc"), st.sampled_from([None, 0.0, 1.0, "n"])
        ),
        st.tuples(st.just("snapshot")),
        st.tuples(st.just("saved")),
        st.tuples(st.just("discarded")),
        st.tuples(st.just("die")),
        st.tuples(st.just("restored")),
        st.tuples(st.just("given up")),
    ),
    max_size=40,
)


class Model:
    """What is unsaved, in the plainest way: lists of (document, old, new)."""

    def __init__(self) -> None:
        self.own: list[tuple[str, Value, Value]] = []
        self.dead: list[tuple[str, Value, Value]] = []

    def net(self) -> dict[str, tuple[Value, Value]]:
        """What the dead left, by document."""
        documents = {document for document, _, _ in self.dead}
        changes = {d: [(old, new) for e, old, new in self.dead if e == d] for d in documents}
        net = {d: (pairs[0][0], pairs[-1][1]) for d, pairs in changes.items()}
        return {d: (old, new) for d, (old, new) in net.items() if old != new}


@given(EVENTS)
def test_any_order_of_changes_saves_and_deaths_leaves_what_a_plain_list_says(events):
    """Snapshots and saves may be any time apart."""
    with tempfile.TemporaryDirectory() as name:
        model, values, snapshot, waiting = Model(), dict.fromkeys("abc"), 0, 0
        journal = Journal(Path(name), KEY)
        for what, *rest in events:
            if what == "change":
                document, new = rest
                journal.append([changed(document, values[document], new)])
                model.own.append((document, values[document], new))
                values[document] = new
                waiting += 1
            elif what == "snapshot":
                snapshot, waiting = journal.last_id, 0
            elif what in ("saved", "discarded"):
                journal.mark(what, snapshot)
                model.own = model.own[len(model.own) - waiting :]
            elif what == "die":
                journal.close()
                journal, snapshot, waiting = Journal(Path(name), KEY), 0, 0
                model.dead += model.own
                model.own = []
            else:
                journal.left_unsaved()
                journal.settle("restored" if what == "restored" else "discarded")
                model.dead = []
            found = {each.document: (each.old, each.new) for each in journal.left_unsaved()}
            assert found == model.net()
        journal.close()
