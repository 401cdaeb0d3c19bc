"""Exporting: the contribution table, the per-query table, the summary, the chart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QMainWindow

from ndcg_desktop.files.table import FileError
from ndcg_desktop.session.session import Session
from ndcg_desktop.views.message_bar import MessageBar
from ndcg_desktop.views.ranking_page import RankingPage

CONTRIBUTIONS, QUERIES, SUMMARY, CHART = "contributions", "queries", "summary", "chart"
FILTERS = {
    "Summary of all queries, with the chart (*.pdf)": (SUMMARY, ".pdf"),
    "Queries and contributions of this query (*.xlsx)": (QUERIES, ".xlsx"),
    "Queries with their scores (*.csv)": (QUERIES, ".csv"),
    "Contributions of this query (*.csv)": (CONTRIBUTIONS, ".csv"),
    "Contributions of this query (*.xlsx)": (CONTRIBUTIONS, ".xlsx"),
    "Chart of this query (*.png)": (CHART, ".png"),
    "Chart of this query (*.svg)": (CHART, ".svg"),
    "Chart of this query (*.pdf)": (CHART, ".pdf"),
}


class Exporting:
    """Asks what and where to, and writes it."""

    def __init__(self, session: Session, messages: MessageBar, window: QMainWindow) -> None:
        self._session = session
        self._messages = messages
        self._window = window

    def choose(self, query: int | None, ranking: int | None, page: RankingPage) -> None:
        """Let the user pick a kind and a file, and export to it."""
        if query is None:
            return
        stem = (self._session.paths or [Path("evaluation")])[0].stem
        folder = (self._session.paths or [Path()])[0].parent
        name, chosen = QFileDialog.getSaveFileName(
            self._window, "Export", str(folder / f"{stem}-summary.pdf"), ";;".join(FILTERS)
        )
        if not name:
            return
        what, suffix = FILTERS.get(chosen, (SUMMARY, ".pdf"))
        path = Path(name)
        if path.suffix.lower() != suffix:
            # The kind that was chosen says what is written, whatever was typed.
            path = path.with_name(path.stem + suffix)
        self.export(what, path, query, ranking, page)

    def export(
        self, what: str, path: Path, query: int, ranking: int | None, page: RankingPage
    ) -> None:
        """Write one of CONTRIBUTIONS, QUERIES, SUMMARY and CHART; failures go to the bar."""
        try:
            if what == CHART:
                chart: Any = page.chart
                chart.save_picture(path)
            else:
                self._write(what, path, query, ranking)
        except (FileError, OSError, ValueError) as error:
            self._messages.tell("error", f"The export failed: {error}")
        else:
            self._window.statusBar().showMessage(f"Exported {path.name}.", 6000)

    def _write(self, what: str, path: Path, query: int, ranking: int | None) -> None:
        # pandas and the PDF writer are imported when first needed, not at the start.
        from ndcg_desktop.reports import pdf, spreadsheets, tables

        session = self._session
        evaluation = session.evaluation
        assert evaluation is not None
        if what == SUMMARY:
            pdf.export_pdf(path, evaluation, ranking, query, session.decimals, session.findings)
            return
        frame = (
            tables.query_table(evaluation, ranking)
            if what == QUERIES
            else tables.contribution_table(evaluation, query, ranking)
        )
        if path.suffix == ".csv":
            spreadsheets.export_csv(path, frame)
            return
        sheets = {}
        if what == QUERIES:
            sheets["Queries"] = (tables.heading(evaluation, ranking), frame)
        sheets["Contributions"] = (
            tables.heading(evaluation, ranking, query),
            tables.contribution_table(evaluation, query, ranking),
        )
        spreadsheets.export_xlsx(path, sheets)
