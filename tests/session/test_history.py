"""The history as it is read for the window: by number, from any thread, whatever the ids are."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from ndcg_desktop.session import chronicle
from ndcg_desktop.session.journal import Change, Journal, JournalError, Told, read_history


def changes(*documents: str) -> list[Change]:
    """A change for each of these documents."""
    return [Change(1000.5, "Anna", "grade", "q", document, None, 2.0) for document in documents]


def test_is_read_after_a_number_on_another_thread(tmp_path) -> None:
    """While the journal is open; half a character of an id comes back."""
    with closing(Journal(tmp_path, "key")) as journal:
        journal.append(changes("A", "B"))
        journal.append(changes("C\ud800"))
        journal.mark("saved", 2)
        found = []
        thread = threading.Thread(target=lambda: found.append(read_history(journal.path, 1)))
        thread.start()
        thread.join()
        (history,) = found

        assert [Told._make(row)[:2] for row in history.changes] == [(2, 1), (3, 3)]
        assert [Told._make(row).document for row in history.changes] == ["B", "C\ud800"]
        assert history.marks == journal.marks()
        assert journal.newest == 3


def test_stops_when_it_is_not_wanted_any_more(tmp_path) -> None:
    """A cancelled reading reads nothing."""
    with closing(Journal(tmp_path, "key")) as journal:
        journal.append(changes("A"))

        assert read_history(journal.path, cancelled=lambda: True).changes == []


def test_says_what_is_wrong(tmp_path) -> None:
    """A file that is gone is told, and not made anew."""
    with pytest.raises(JournalError):
        read_history(tmp_path / "gone.sqlite")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("at_once", [0, 10])
def test_session_reads_much_in_the_background(qtbot, opened, files, monkeypatch, at_once) -> None:
    """Little is there at once, much a while later, and it is the same."""
    monkeypatch.setattr(chronicle, "READ_AT_ONCE", at_once)
    session = opened(files / "46-textbook-six-plus-two.csv")
    session.set_grades(0, [("D1", 1.0), ("D2", 0.0)])
    got = []
    session.chronicle.read_history(0, got.append, pytest.fail)
    there = len(got)
    qtbot.waitUntil(lambda: bool(got))

    assert there == (at_once > 0)
    assert [row[0] for row in got[0].changes] == [1, 2]


def test_session_says_what_cannot_be_read(opened, files) -> None:
    """A journal that cannot be read comes as a failure, not as an exception."""
    session = opened(files / "46-textbook-six-plus-two.csv")
    session.chronicle.journal.close()
    failed = []
    session.chronicle.read_history(0, pytest.fail, failed.append)

    assert isinstance(failed[0], JournalError)
