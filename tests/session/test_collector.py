"""Python's collector beside the threads: it rests while one runs, and then has little to do."""

from __future__ import annotations

import gc

from ndcg_desktop.session.jobs import Jobs


def test_what_a_thread_leaves_is_set_aside(qtbot) -> None:
    """The collector comes back by itself, and does not look again at what a thread has brought."""
    jobs = Jobs()
    kept: list[object] = []
    with qtbot.waitSignal(jobs.ended, timeout=5_000):
        jobs.run("", lambda _: [[place] for place in range(1000)], kept.append, kept.append)
    qtbot.waitUntil(gc.isenabled)

    watched = {id(each) for each in gc.get_objects()}
    (rows,) = kept
    assert isinstance(rows, list) and len(rows) == 1000
    assert not watched & {id(row) for row in rows}
    jobs.wait()


def test_garbage_of_a_thread_is_collected(qtbot) -> None:
    """Garbage in circles, as a workbook's cells are, is not set aside for good."""
    import weakref

    class Ring:
        pass

    jobs = Jobs()
    seen: list[weakref.ref[Ring]] = []

    def work(_: object) -> None:
        ring = Ring()
        ring.self = ring  # type: ignore[attr-defined]
        seen.append(weakref.ref(ring))

    with qtbot.waitSignal(jobs.ended, timeout=5_000):  # what the first one leaves is kept
        jobs.run("", lambda _: None, lambda _: None, seen.append)
    qtbot.waitUntil(gc.isenabled)
    with qtbot.waitSignal(jobs.ended, timeout=5_000):
        jobs.run("", work, lambda _: None, seen.append)
    qtbot.waitUntil(gc.isenabled)

    assert seen[0]() is None
    jobs.wait()
