"""What is imported after the first paint, on a thread: the window is there before it is needed."""

from __future__ import annotations

import importlib

SLOW = (
    "ndcg_desktop.session.loading",
    "ndcg_desktop.session.saving",
    "matplotlib.backends.backend_qtagg",
    "ndcg_desktop.charts.ranking_chart",
    "ndcg_desktop.charts.compared",
    "ndcg_desktop.evaluation.summary",
    "ndcg_desktop.reports.pdf",
    "ndcg_desktop.reports.spreadsheets",
)


def import_slow_modules() -> None:
    """Import the readers, the writers, and what charts and reports need."""
    for name in SLOW:
        importlib.import_module(name)
