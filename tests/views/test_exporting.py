"""Exporting from the window: the picture of the chart is made on a thread, as reports are."""

from __future__ import annotations

from pathlib import Path

import pytest

from ndcg_desktop.views.exporting import CHART
from ndcg_desktop.views.main_window import MainWindow


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]
)
def test_a_chart_is_written_in_the_background(
    qtbot, worked: MainWindow, tmp_path: Path, suffix: str, start: bytes
) -> None:
    """The picture is that of the query that was shown when it was asked for."""
    path = tmp_path / f"chart{suffix}"
    with qtbot.waitSignal(worked.session.exported, timeout=20_000):
        worked.exporting.export(CHART, path, 0, 0, worked.page)
        assert not worked.session.is_idle()

    assert path.read_bytes().startswith(start)
    assert path.name in worked.statusBar().currentMessage()


def test_a_chart_that_cannot_be_written(qtbot, worked: MainWindow, tmp_path: Path) -> None:
    """Why a picture was not written is said in the bar."""
    with qtbot.waitSignal(worked.session.failed, timeout=20_000):
        worked.exporting.export(CHART, tmp_path / "no" / "chart.png", 0, 0, worked.page)

    (text,) = worked.messages.texts
    assert "chart.png" in text
