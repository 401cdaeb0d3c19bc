"""An evaluation as data frames: the steps of one query's sum, and every query's score.

A figure that is not there stays empty (NaN, NA or ""): an unjudged document has no gain, not a
gain of 0. No table leaves the program without the name of its measure: a workbook gets ``heading``
above the table, a plain text table the columns of ``with_measure``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.columns import Source
from ndcg_desktop.evaluation.detail import QueryNumbers, QueryRows, query_numbers, query_rows
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.judgments import UNJUDGED
from ndcg_desktop.evaluation.open_grades import query_bounds
from ndcg_desktop.scoring.ndcg import Scores, Status
from ndcg_desktop.scoring.options import CHOSEN, WORDS, Options

NO_RANKING = "no ranking"
AS_GIVEN = frozenset({"grade", "ideal grade", "score"})
"""Columns whose figures are the files' own: shown as they were given, not to some decimals."""

CALCULATED = (
    "rank",
    "counted at",
    "document",
    "grade",
    "gain",
    "discount",
    "discounted gain",
    "cumulative DCG",
    "ideal rank",
    "ideal grade",
    "ideal discounted gain",
    "lost",
    "note",
)
"""Names that a file's own column of that name must leave to the calculation."""


# ---- one query


def contribution_table(evaluation: Evaluation, query: int, ranking: int | None) -> pd.DataFrame:
    """The sum of one query step by step: a row for each returned document, best first, then the
    documents that were judged and not returned, with what each lost.

    The ideal ordering goes by its own rank, in three columns beside the ranking: a row's ideal
    grade is what should stand at that place, not what its document should have had.
    """
    rows = query_rows(evaluation, query, ranking)
    numbers = query_numbers(evaluation, rows)
    length = numbers.ideal_length
    size = max(len(rows), length)
    table: dict[str, object] = {"rank": _counted(np.arange(1, rows.returned + 1), size)}
    if evaluation.options.unjudged == "remove" or evaluation.options.order == "ties-worst":
        table["counted at"] = _counted(numbers.position, size)
    table["document"] = _padded(rows.documents, size)
    table |= _own_columns(evaluation, rows, size)
    for name, values in _steps(numbers).items():
        table[name] = _figures(values, size)
    table["ideal rank"] = _counted(np.arange(1, length + 1), size)
    table["ideal grade"] = _figures(numbers.ideal_grade[:size], size)
    table["ideal discounted gain"] = _figures(numbers.ideal_discounted[:size], size)
    table["lost"] = _figures(_lost(evaluation, numbers), size)
    table["note"] = _padded(_notes(rows, numbers), size)
    return pd.DataFrame(table)


def _steps(numbers: QueryNumbers) -> dict[str, NDArray[np.float64]]:
    return {
        "grade": numbers.grade,
        "gain": numbers.gain,
        "discount": numbers.discount,
        "discounted gain": numbers.discounted,
        "cumulative DCG": numbers.running,
    }


def _lost(evaluation: Evaluation, numbers: QueryNumbers) -> NDArray[np.float64]:
    """What a document lost by not being returned.

    That is unknown where nobody judged it, and no part of the shortfall where the ideal is not
    made of all that was judged.
    """
    if evaluation.options.ideal != "judged":
        return np.full(len(numbers.lost), np.nan)
    return np.where(np.isnan(numbers.grade), np.nan, numbers.lost)


def _notes(rows: QueryRows, numbers: QueryNumbers) -> list[str]:
    """Why a row has figures missing."""
    notes = []
    for row, repeated in enumerate(rows.repeated.tolist()):
        parts = []
        if rows.ranking is not None and row >= rows.returned:
            parts.append("not returned")
        if repeated:
            parts.append("returned before, counts at its better place only")
        elif np.isnan(numbers.grade[row]):
            parts.append("not judged")
        elif numbers.refused[row]:
            parts.append("its gain cannot be computed")
        notes.append(", ".join(parts))
    return notes


def _own_columns(evaluation: Evaluation, rows: QueryRows, size: int) -> dict[str, object]:
    """The files' further columns: the ranking's row, else that of the judgments."""
    found: dict[str, list[str]] = {}

    def put(header: str, row: int, text: str) -> None:
        column = found.setdefault(header, [""] * size)
        column[row] = column[row] or text

    if rows.ranking is not None:
        columns = evaluation.rankings[rows.ranking].columns
        for header, values in columns.other.items():
            for row, file_row in enumerate(rows.file_row[: rows.returned].tolist()):
                put(header, row, values[file_row])
    of_pair = {pair: row for row, pair in enumerate(rows.pair.tolist()) if pair >= 0}
    for entry in evaluation.entries:
        listed = np.flatnonzero(np.isin(entry.pair, list(of_pair))).tolist()
        for header, values in entry.columns.other.items():
            for file_row in listed:
                put(header, of_pair[int(entry.pair[file_row])], values[file_row])
    own: dict[str, object] = {_own_name(header): values for header, values in found.items()}
    score = None if rows.ranking is None else evaluation.rankings[rows.ranking].columns.score
    if score is not None:
        own.setdefault("score", _figures(score[rows.file_row[: rows.returned]], size))
    return own


def _own_name(header: str) -> str:
    return f"{header} (file)" if header in CALCULATED else header


# ---- all queries


def query_table(evaluation: Evaluation, ranking: int | None) -> pd.DataFrame:
    """A row for each query: its score, the sums behind it, and why it has none where it has none.

    A query that is not scored but counts as 0 or 1 in the mean has that figure, and the note says
    so; the mean of the column nDCG is therefore the mean that is reported.
    """
    table: dict[str, object] = {"query": evaluation.queries}
    if evaluation.titles:
        every = range(len(evaluation.queries))
        table["query text"] = [evaluation.titles.get(query, "") for query in every]
    table |= _without_ranking(evaluation) if ranking is None else _scored(evaluation, ranking)
    return pd.DataFrame(table)


def _scored(evaluation: Evaluation, ranking: int) -> dict[str, object]:
    scores, bounds = evaluation.scores(ranking), query_bounds(evaluation, ranking)
    # Judgments and ranking without a common query have no mean, and zeros would be no scores.
    counted = scores.counted & (wording.mean_value(evaluation, ranking) is not None)
    summed = ~np.isin(scores.status, (Status.UNJUDGED, Status.REFUSED))
    between = counted & bounds.defined
    return {
        "nDCG": np.where(counted, scores.value, np.nan),
        "DCG": np.where(summed, scores.dcg, np.nan),
        "ideal DCG": np.where(summed, scores.ideal_dcg, np.nan),
        "judged in top k": _counted(scores.judged, len(counted)),
        "returned in top k": _counted(scores.returned, len(counted)),
        "lower bound": np.where(between, bounds.lower, np.nan),
        "upper bound": np.where(between, bounds.upper, np.nan),
        "why not scored": _reasons(evaluation, scores, counted),
    }


def _reasons(evaluation: Evaluation, scores: Scores, counted: NDArray[np.bool_]) -> list[str]:
    reasons = []
    for query, status in enumerate(scores.status.tolist()):
        text = (
            ""
            if status == Status.SCORED
            else wording.reason(status, evaluation.options, evaluation.gains)
        )
        if text and counted[query]:
            text += f", counts as {scores.value[query]:g}"
        reasons.append(text)
    return reasons


def _without_ranking(evaluation: Evaluation) -> dict[str, object]:
    """Judgments alone have an ideal, and nothing to compare with it."""
    count = len(evaluation.queries)
    nothing = np.full(count, np.nan)
    judged = evaluation.judgments.code != UNJUDGED
    any_judged = np.bincount(evaluation.judgments.query[judged], minlength=count) > 0
    ideal = nothing.copy()
    for query in np.flatnonzero(any_judged).tolist():
        numbers = query_numbers(evaluation, query_rows(evaluation, query, None))
        ideal[query] = numbers.ideal_dcg
    return {
        "nDCG": nothing,
        "DCG": nothing,
        "ideal DCG": ideal,
        "judged in top k": _counted(nothing, count),
        "returned in top k": _counted(nothing, count),
        "lower bound": nothing,
        "upper bound": nothing,
        "why not scored": [NO_RANKING] * count,
    }


# ---- what a figure is named by


def heading(
    evaluation: Evaluation,
    ranking: int | None,
    what: str,
    query: int | None = None,
    decimals: int = wording.DECIMALS,
) -> list[tuple[str, str]]:
    """What stands above a table: what it is, of which files, under which measure, and the mean."""
    lines = [("Table", what), ("Ranking", ranking_name(evaluation, ranking))]
    if query is not None:
        lines.append(("Query", query_label(evaluation, query)))
    return [
        *lines,
        ("Measure", wording.full_name(evaluation)),
        ("Scored with", wording.named_in_full(evaluation)),
        ("Mean", mean_line(evaluation, ranking, decimals)),
        ("Judgments from", ", ".join(judgment_files(evaluation)) or "none"),
        ("Ranking from", "none" if ranking is None else ranking_file(evaluation, ranking)),
        ("Date", date.today().isoformat()),
        ("Made with", program_name()),
    ]


def with_measure(
    frame: pd.DataFrame, evaluation: Evaluation, ranking: int | None, query: int | None = None
) -> pd.DataFrame:
    """The same table with columns that name, in each row, what was scored and under which
    measure: a plain text table has no room for a heading.
    """
    named = frame.copy()
    if query is not None:
        named["query"] = evaluation.queries[query]
    named["ranking"] = ranking_name(evaluation, ranking)
    named["measure"] = wording.full_name(evaluation)
    named["scored with"] = wording.named_in_full(evaluation)
    return named


def mean_line(evaluation: Evaluation, ranking: int | None, decimals: int) -> str:
    """The mean with its n and what was left out, or that there is none."""
    if ranking is None:
        return f"mean {evaluation.options.measure} {wording.NONE} ({NO_RANKING})"
    return wording.mean_text(evaluation, ranking, decimals)


def ranking_name(evaluation: Evaluation, ranking: int | None) -> str:
    """The name a ranking goes by, a dash without one."""
    return wording.NONE if ranking is None else evaluation.rankings[ranking].name


def query_label(evaluation: Evaluation, query: int) -> str:
    """A query's text with its id, or the id where that is all."""
    name, title = evaluation.queries[query], evaluation.titles.get(query, "")
    return f"{title} ({name})" if title and title != name else name


def judgment_files(evaluation: Evaluation) -> list[str]:
    """The tables that judgments came from, each once."""
    return list(dict.fromkeys(_place(entry.columns.source) for entry in evaluation.entries))


def ranking_file(evaluation: Evaluation, ranking: int) -> str:
    """The table that a ranking came from."""
    return _place(evaluation.rankings[ranking].columns.source)


def program_name() -> str:
    """The program with its version, as far as it is installed and so has one."""
    try:
        return f"nDCG Desktop {version('ndcg-desktop')}"
    except PackageNotFoundError:
        return "nDCG Desktop"


def _place(source: Source) -> str:
    return source.file if source.sheet is None else f"{source.file}, sheet “{source.sheet}”"


def options_in_words(options: Options) -> list[tuple[str, str]]:
    """Every option with what it is set to, those too that are at their default."""
    gain = WORDS["gain"][options.gain]
    if options.gain == "table":
        gain += ": " + ", ".join(f"{grade:g} → {gain:g}" for grade, gain in options.gain_table)
    return [
        ("Cutoff k", "none" if options.cutoff is None else str(options.cutoff)),
        ("Gain", gain),
        ("Discount", options.discount_words),
        *(
            (name.capitalize().replace("_", " "), WORDS[name][getattr(options, name)])
            for name in CHOSEN
        ),
    ]


# ---- columns


def _padded(texts: Sequence[str], size: int) -> list[str]:
    return [*texts, *[""] * (size - len(texts))]


def _figures(values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Figures up to the table's length; one that cannot be computed is as good as none."""
    column = np.full(size, np.nan)
    column[: len(values)] = np.where(np.isfinite(values), values, np.nan)
    return column


def _counted(values: NDArray[np.float64] | NDArray[np.int64], size: int) -> pd.Series[int]:
    """Whole numbers, empty beyond the end and where there is none."""
    return pd.Series(_figures(np.asarray(values, dtype=np.float64), size)).astype("Int64")
