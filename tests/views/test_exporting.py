"""Exporting from the window: the picture of the chart is made on a thread, as reports are."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from ndcg_desktop.charts.ranking_chart import DRAWING
from ndcg_desktop.files.assemble import assemble
from ndcg_desktop.files.plan import plan
from ndcg_desktop.files.read import read
from ndcg_desktop.views.exporting import CHART, RANKING
from ndcg_desktop.views.main_window import MainWindow
from ndcg_desktop.views.saving_flow import form_of


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


@pytest.mark.parametrize("name", ["out.run", "out.json"])
def test_a_ranking_for_other_programs(qtbot, worked: MainWindow, tmp_path: Path, name: str) -> None:
    """The ranking that is shown reads back in its order."""
    path = tmp_path / name
    with qtbot.waitSignal(worked.session.exported, timeout=20_000):
        worked.exporting.export(RANKING, path, 0, 0, worked.page)

    (ranking,) = assemble(plan(read(path)).parts).rankings
    best_first = np.argsort(-ranking.score)
    assert [ranking.document[row] for row in best_first.tolist()] == ["A", "B", "C", "D"]


def test_what_a_name_and_a_kind_come_to() -> None:
    """The kind that was chosen holds where the name ends so; else the name alone tells."""
    beir = "BEIR judgments (*.tsv)"
    assert form_of(Path("a.tsv"), beir).key == "beir"
    assert form_of(Path("a.csv"), beir) is None
    assert form_of(Path("a.txt"), "TREC judgments (qrels) (*.qrels)").key == "qrels"
    assert form_of(Path("a.tsv"), "Tab-separated values (*.tsv)") is None
    assert form_of(Path("a.qrels"), "Excel workbook (*.xlsx)").key == "qrels"
    assert form_of(Path("a.json"), "pytrec_eval or ranx JSON (*.json)").key == "pytrec_eval"


def test_two_threads_do_not_draw_at_once(qtbot, worked: MainWindow) -> None:
    """While a picture is being drawn the chart keeps what it shows, and follows afterwards."""
    chart = worked.page.chart
    qtbot.waitUntil(lambda: chart._still is not None, timeout=10_000)
    drawing, end = threading.Event(), threading.Event()

    def draw() -> None:
        with DRAWING:
            drawing.set()
            end.wait(10)

    thread = threading.Thread(target=draw)
    thread.start()
    assert drawing.wait(10)
    chart.draw_idle()
    chart.grab()
    assert chart._still is None
    end.set()
    thread.join()
    qtbot.waitUntil(lambda: chart._still is not None, timeout=10_000)


def test_pictures_while_the_chart_is_drawn(qtbot, worked: MainWindow, tmp_path: Path) -> None:
    """Pictures are made while the window draws its own, again and again."""
    for turn in range(8):
        path = tmp_path / f"{turn}.png"
        with qtbot.waitSignal(worked.session.exported, timeout=20_000):
            worked.exporting.export(CHART, path, 0, 0, worked.page)
            for _ in range(5):
                worked.page.chart.draw_idle()
                worked.page.chart.grab()
        assert path.stat().st_size > 1000
