"""Exporting: the contribution table, the per-query table, the summary, the chart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog, QMainWindow

from ndcg_desktop.session.session import Session
from ndcg_desktop.views.message_bar import MessageBar
from ndcg_desktop.views.ranking_page import RankingPage
from ndcg_desktop.views.saving_flow import may_replace

if TYPE_CHECKING:
    from ndcg_desktop.views.comparing_flow import ComparingFlow

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

PICTURES = {
    "Picture (*.png)": ".png",
    "Drawing (*.svg)": ".svg",
    "Page (*.pdf)": ".pdf",
}
REPORTS = {
    "Report to print and send (*.pdf)": ".pdf",
    "Report as one web page (*.html)": ".html",
    "Workbook that calculates (*.xlsx)": ".xlsx",
    "Queries as a table (*.csv)": ".csv",
    "Tables for a wiki (*.md)": ".md",
    "Tables for a paper (*.tex)": ".tex",
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
            self._write_picture(path, page.chart)
            return
        if what == RANKING:
            self._save_ranking(path, ranking)
            return
        self._session.export(path, self._writer(what, path, query, ranking))

    def choose_comparison(self, candidate: int | None, comparing: ComparingFlow) -> None:
        """Let the user pick a kind of report and a file, and write the comparison to it."""
        if candidate is None:
            self._messages.tell("note", "Open two rankings of the same queries to compare them.")
            return
        stem = (self._session.paths or [Path("comparison")])[0].stem
        path = self._ask("Report of the comparison", f"{stem}-comparison.pdf", REPORTS)
        if path is not None:
            self.report_comparison(path, candidate, comparing.group)

    def report_comparison(self, path: Path, candidate: int, group: str = "") -> None:
        """Write a report on all rankings, this candidate first, as the name's ending says; with
        subtotals by a column of groups, where one is named.
        """
        session = self._session
        assert session.evaluation is not None
        still, decimals, findings = session.evaluation.frozen(), session.decimals, session.findings
        read = [part.table for part in session.parts]

        def write() -> None:
            from ndcg_desktop.evaluation.sureness import SurenessOptions
            from ndcg_desktop.reports.comparison_content import ReportRequest, report_files
            from ndcg_desktop.reports.comparison_report import write_report

            others = [n for n in range(len(still.rankings)) if n not in (still.baseline, candidate)]
            lineup = still.lineup
            request = ReportRequest(
                still,
                still.baseline,
                (candidate, *others),
                SurenessOptions(lineup.tie, lineup.matters),
                report_files(read),
                findings,
                decimals,
                group,
            )
            write_report(path, request)

        session.export(path, write)

    def save_picture(self, chart: Any) -> None:
        """Ask for a file, and write a chart to it as it now is."""
        path = self._ask("Save chart", "chart.png", PICTURES)
        if path is not None:
            self._write_picture(path, chart)

    def _ask(self, title: str, name: str, kinds: dict[str, str]) -> Path | None:
        """Ask for a file of one of these kinds; a name without their ending gets that of the kind
        that was chosen. None where nobody wants it written there.
        """
        folder = (self._session.paths or [Path()])[0].parent
        typed, chosen = QFileDialog.getSaveFileName(
            self._window, title, str(folder / name), ";;".join(kinds)
        )
        if not typed:
            return None
        path = Path(typed)
        if path.suffix.lower() in kinds.values():
            return path
        path = path.with_name(path.name + kinds.get(chosen, next(iter(kinds.values()))))
        return path if may_replace(self._window, path) else None

    def _write_picture(self, path: Path, chart: Any) -> None:
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
