"""Presence: whoever has a file open is noticed, and whoever has not is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QSysInfo

from ndcg_desktop.session.presence import Other, Presence, elsewhere
from ndcg_desktop.session.runs import Run, is_alive

CHILD = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from ndcg_desktop.session.presence import Presence
app = QCoreApplication([])
presence = Presence(Path(sys.argv[1]))
presence.hold([Path(sys.argv[2])])
print(len(presence.others()), flush=True)
sys.stdin.readline()
presence.release()
"""


@contextmanager
def child(folder: Path, path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another program that has a file open until it gets a line."""
    command = [sys.executable, "-c", CHILD, str(folder), str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def here(qapp, tmp_path) -> Iterator[list[Presence]]:
    """Two runs in this program."""
    parent = QObject()
    both = [Presence(tmp_path / "state", parent) for _ in range(2)]
    yield both
    for each in both:
        each.release()


def test_two_runs_in_one_program_notice_each_other(qtbot, here, tmp_path):
    """The second notices the first at once, and the first the second."""
    first, second = here
    path = tmp_path / "grades.csv"
    first.hold([path])
    assert first.others() == []

    told = []
    second.others_changed.connect(told.append)
    with qtbot.waitSignal(first.others_changed) as told_first:
        second.hold([path])

    (others,) = told
    assert others == told_first.args[0]
    assert [(each.path, each.pid) for each in others] == [(path, os.getpid())]


def test_an_end_is_noticed(qtbot, here, tmp_path):
    """Nobody is there any more."""
    first, second = here
    path = tmp_path / "grades.csv"
    first.hold([path])
    with qtbot.waitSignal(first.others_changed):
        second.hold([path])

    told = []
    second.others_changed.connect(told.append)
    with qtbot.waitSignal(first.others_changed) as told_first:
        second.release()

    assert told == [[]]
    assert told_first.args == [[]]


def test_other_files_are_nobodys_business(qtbot, here, tmp_path):
    """Nothing is said of a run that has another file open, or has gone on to one."""
    first, second = here
    first.hold([tmp_path / "a.csv", tmp_path / "b.csv"])
    second.hold([tmp_path / "c.csv"])
    with qtbot.assertNotEmitted(first.others_changed, wait=200):
        second.hold([tmp_path / "d.csv"])
    with qtbot.waitSignal(first.others_changed) as told:
        second.hold([tmp_path / "b.csv", tmp_path / "d.csv"])
    assert [other.path for other in told.args[0]] == [tmp_path / "b.csv"]

    first.hold([tmp_path / "a.csv"])

    assert first.others() == second.others() == []


def test_one_file_is_known_under_all_its_names(here, tmp_path):
    """A link, or a way around, leads to the same file."""
    first, second = here
    path = tmp_path / "grades.csv"
    path.touch()
    link = tmp_path / "link.csv"
    link.symlink_to(path)
    first.hold([path])

    second.hold([link, tmp_path / "state" / ".." / "grades.csv"])

    assert len(second.others()) == 1


def test_a_change_is_told_once(qtbot, here, tmp_path):
    """Looking again says nothing new."""
    first, second = here
    first.hold([tmp_path / "a.csv"])
    second.hold([tmp_path / "a.csv"])
    with qtbot.assertNotEmitted(second.others_changed, wait=200):
        second.hold([tmp_path / "a.csv"])
        second.look()


def test_two_programs_notice_each_other(qtbot, here, tmp_path):
    """From the opening of the second to its end."""
    path = tmp_path / "grades.csv"
    here[0].hold([path])
    with child(tmp_path / "state", path) as process:
        with qtbot.waitSignal(here[0].others_changed, timeout=20_000) as told:
            assert process.stdin is not None and process.stdout is not None
            assert process.stdout.readline() == "1\n"
        (other,) = told.args[0]
        assert isinstance(other, Other)
        assert (other.path, other.pid) == (path, process.pid)
        assert other.host == QSysInfo.machineHostName()
        assert "python" in other.program.lower()

        with qtbot.waitSignal(here[0].others_changed, timeout=20_000) as told:
            process.stdin.write("\n")
            process.stdin.flush()
        assert told.args[0] == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_killed_program_is_gone_at_the_next_look(qtbot, here, tmp_path):
    """And what it left is cleared away."""
    path = tmp_path / "grades.csv"
    here[0].hold([path])
    with child(tmp_path / "state", path) as process:
        with qtbot.waitSignal(here[0].others_changed, timeout=20_000):
            pass
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    with qtbot.waitSignal(here[0].others_changed) as told:
        here[0].look()

    assert told.args[0] == []
    assert len(list((tmp_path / "state" / "open").iterdir())) == 1


def test_a_run_lives_until_it_ends(tmp_path):
    """To ask does not end it."""
    run, other = Run(tmp_path), Run(tmp_path)
    assert is_alive(tmp_path, run.id) and is_alive(tmp_path, run.id)

    run.end()

    assert not is_alive(tmp_path, run.id)
    assert is_alive(tmp_path, other.id)
    other.end()


@pytest.mark.parametrize("line", [0, 2], ids=["number of the process", "name of the computer"])
def test_a_dead_run_is_known_whoever_has_its_number_now_and_whatever_the_computer_is_called(
    tmp_path, line
):
    """A sandbox gives each start the same number; a laptop is named anew by each network."""
    run = Run(tmp_path)
    (lock,) = tmp_path.rglob("*.lock")
    said = lock.read_text().split("\n")
    run.end()
    said[2] = "another" if line == 2 else said[2]
    lock.write_text("\n".join(said))

    assert not is_alive(tmp_path, run.id)


def test_a_lock_that_is_just_being_made_is_left_to_its_maker(here, tmp_path):
    """It is empty for a moment."""
    run = Run(tmp_path)
    run.end()
    (tmp_path / "runs" / f"{run.id}.lock").touch()

    is_alive(tmp_path, run.id)

    assert (tmp_path / "runs" / f"{run.id}.lock").exists()


def test_where_the_folder_cannot_be_made_nobody_is_noticed_and_nothing_fails(here, tmp_path):
    """Judging needs no company."""
    (tmp_path / "state").touch()

    here[0].hold([tmp_path / "a.csv"])

    assert here[0].others() == []


@pytest.mark.parametrize(
    ("beside", "program"),
    [
        (".~lock.grades.xlsx#", "LibreOffice"),
        ("~$grades.xlsx", "Excel"),
        (".~lock.other.xlsx#", ""),
    ],
)
def test_another_program_that_has_the_file_open_is_named(tmp_path, beside, program):
    """By the file that it puts beside it."""
    assert elsewhere(tmp_path / "grades.xlsx") == ""

    (tmp_path / beside).touch()

    assert elsewhere(tmp_path / "grades.xlsx") == program


def test_no_other_program_is_named_where_there_is_no_folder(tmp_path):
    """A file of a drive that is gone is nobody's."""
    assert elsewhere(tmp_path / "none" / "grades.xlsx") == ""
