"""Exporting: the contribution table, the per-query table, the summary, the chart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QMainWindow

from ndcg_desktop.session.session import Session
from ndcg_desktop.views.message_bar import MessageBar
from ndcg_desktop.views.ranking_page import RankingPage
from ndcg_desktop.views.saving_flow import may_replace

CONTRIBUTIONS, QUERIES, SUMMARY, CHART = "contributions", "queries", "summary", "chart"
RANKING = "ranking"
FILTERS = {
    "Summary of all queries, with the chart (*.pdf)": (SUMMARY, ".pdf"),
    "Queries and contributions of this query (*.xlsx)": (QUERIES, ".xlsx"),
    "Queries with their scores (*.csv)": (QUERIES, ".csv"),
    "Contributions of this query (*.csv)": (CONTRIBUTIONS, ".csv"),
    "Contributions of this query (*.xlsx)": (CONTRIBUTIONS, ".xlsx"),
    "Chart of this query (*.png)": (CHART, ".png"),
    "Chart of this query (*.svg)": (CHART, ".svg"),
    "Chart of this query (*.pdf)": (CHART, ".pdf"),
    "This ranking as a TREC run (*.run)": (RANKING, ".run"),
    "This ranking for pytrec_eval or ranx (*.json)": (RANKING, ".json"),
}


def kind_of(path: Path, chosen: str) -> tuple[str, Path]:
    """What to write and where: the ending that was typed holds where something is written so; else
    the ending of the kind that was chosen is added.
    """
    what, suffix = FILTERS.get(chosen, (SUMMARY, ".pdf"))
    typed = path.suffix.lower()
    kinds = [kind for kind, ending in FILTERS.values() if ending == typed]
    if kinds:
        return (what if what in kinds else kinds[0]), path
    return what, path.with_name(path.name + suffix)


class Exporting:
    """Asks what and where to, and writes it."""

    def __init__(self, session: Session, messages: MessageBar, window: QMainWindow) -> None:
        self._session = session
        self._messages = messages
        self._window = window
        session.exported.connect(self._on_exported)

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
        what, path = kind_of(Path(name), chosen)
        if path == Path(name) or may_replace(self._window, path):
            self.export(what, path, query, ranking, page)

    def export(
        self, what: str, path: Path, query: int, ranking: int | None, page: RankingPage
    ) -> None:
        """Write what is named by one of the words above; failures go to the bar."""
        if what == CHART:
            self._save_chart(path, page)
            return
        if what == RANKING:
            self._save_ranking(path, ranking)
            return
        self._session.export(path, self._writer(what, path, query, ranking))

    def _save_chart(self, path: Path, page: RankingPage) -> None:
        chart: Any = page.chart
        try:
            write = chart.picture_writer(path)
        except ValueError as error:
            self._messages.tell("error", f"The export failed: {error}")
        else:
            self._session.export(path, write)

    def _save_ranking(self, path: Path, ranking: int | None) -> None:
        """Write the ranking as it is ordered now, in another program's format."""
        from ndcg_desktop.files.convert import FORMATS, save_ranking
        from ndcg_desktop.files.plain import ranking_of

        if ranking is None or self._session.evaluation is None:
            self._messages.tell("error", "There is no ranking to export.")
            return
        evaluation = self._session.evaluation.frozen()
        form = FORMATS["run" if path.suffix.lower() == ".run" else "pytrec_eval"]
        order = evaluation.options.order

        def write() -> None:
            save_ranking(path, form, ranking_of(evaluation, ranking, order))

        self._session.export(path, write)

    def _on_exported(self, path: Path) -> None:
        self._window.statusBar().showMessage(f"Exported {path.name}.", 6000)

    def _writer(self, what: str, path: Path, query: int, ranking: int | None) -> Callable[[], None]:
        """What is to be done on a thread."""
        session = self._session
        assert session.evaluation is not None
        # Grading goes on meanwhile; the report is of now.
        evaluation = session.evaluation.frozen()
        decimals, findings = session.decimals, session.findings

        def write() -> None:
            # pandas and the PDF writer are imported when first needed, not at the start.
            from ndcg_desktop.reports import pdf, spreadsheets, tables

            if what == SUMMARY:
                pdf.export_pdf(path, evaluation, ranking, query, decimals, findings)
                return
            contributions = tables.contribution_table(evaluation, query, ranking)
            queries = tables.query_table(evaluation, ranking)
            if path.suffix == ".csv":
                plain = (
                    tables.with_measure(queries, evaluation, ranking)
                    if what == QUERIES
                    else tables.with_measure(contributions, evaluation, ranking, query)
                )
                spreadsheets.export_csv(path, plain)
                return
            sheets = {}
            if what == QUERIES:
                head = tables.heading(evaluation, ranking, "Queries", None, decimals)
                sheets["Queries"] = (head, queries)
            head = tables.heading(evaluation, ranking, "Contributions", query, decimals)
            sheets["Contributions"] = (head, contributions)
            spreadsheets.export_xlsx(path, sheets, decimals)

        return write
