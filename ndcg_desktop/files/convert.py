"""The formats that judgments and rankings are written in, and the writing itself.

Nothing is lost in silence: what a format cannot hold is told in a finding, and what it would give
back as something else is refused. Before a file is written it is read back and compared.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.files import judgment_formats, ranking_formats
from ndcg_desktop.files.assemble import Assembled, Understood, assemble
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.files.exchange import (
    Encoded,
    Judged,
    Judgments,
    Ranked,
    Ranking,
    of,
    refuse_lost_ids,
    told,
)
from ndcg_desktop.files.plain import rows_in_order
from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.table import FileError, Table

_BINARY = (".xlsx", ".xlsm", ".xls", ".ods", ".gz", ".zip", ".pdf")
"""Endings that programs take at their word, so that text must not have them."""


_FIRST_ROW = 2
"""The row of a table, from 1, below its header."""


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: its name in words, its usual ending, what it can hold, and its writers."""

    key: str
    label: str
    suffix: str
    judgments: Callable[[Path, Judgments], Encoded] | None = None
    ranking: Callable[[Path, Ranking], Encoded] | None = None
    query_texts: bool = False
    titles: bool = False
    fractions: bool = True
    unjudged: bool = False


FORMATS = {
    each.key: each
    for each in (
        Format(
            "csv",
            "Comma-separated text",
            ".csv",
            judgment_formats.table_csv,
            ranking_formats.table_csv,
            query_texts=True,
            titles=True,
            unjudged=True,
        ),
        Format(
            "xlsx",
            "Excel workbook",
            ".xlsx",
            judgment_formats.table_xlsx,
            ranking_formats.table_xlsx,
            query_texts=True,
            titles=True,
            unjudged=True,
        ),
        Format(
            "qrels", "TREC judgments (qrels)", ".qrels", judgment_formats.qrels, fractions=False
        ),
        Format("run", "TREC ranking (run)", ".run", ranking=ranking_formats.run),
        Format(
            "ltr",
            "Learning-to-rank judgments",
            ".ltr",
            judgment_formats.ltr,
            query_texts=True,
            titles=True,
        ),
        Format(
            "quepid",
            "Quepid ratings",
            ".csv",
            judgment_formats.quepid,
            query_texts=True,
            unjudged=True,
        ),
        Format(
            "rre",
            "Rated Ranking Evaluator ratings",
            ".json",
            judgment_formats.rre,
            query_texts=True,
        ),
        Format(
            "beir",
            "BEIR judgments",
            ".tsv",
            judgment_formats.beir,
            fractions=False,
        ),
        Format(
            "pytrec_eval",
            "pytrec_eval or ranx JSON",
            ".json",
            judgment_formats.pytrec_eval,
            ranking_formats.pytrec_eval,
            fractions=False,
        ),
    )
}

SAVE_FORMATS = tuple(form for form in FORMATS.values() if form.judgments is not None)
"""The formats for judgments, in the order in which a window offers them."""

_NAMES = (
    (r"\.(qrels?|trec)", "qrels"),
    (r".*qrels.*\.txt", "qrels"),
    (r"\.run", "run"),
    (r"(.*[\W_])?run([\W_].*)?\.txt", "run"),
    (r"\.(ltr|letor)", "ltr"),
    (r".*quepid.*\.csv", "quepid"),
    (r"\.csv", "csv"),
    (r"\.xlsx", "xlsx"),
    (r".*beir.*\.tsv", "beir"),
    (r"(.*[\W_])?rre([\W_].*)?\.json", "rre"),
    (r"(.*[\W_])?(qrels|run)([\W_].*)?\.json", "pytrec_eval"),
)


def format_of(target: Path) -> Format | None:
    """The format that a file's name tells, None where it may be one of several or of none."""
    name = target.name.lower()
    for pattern, key in _NAMES:
        if re.fullmatch(pattern, target.suffix.lower() if pattern.startswith(r"\.") else name):
            return FORMATS[key]
    return None


def filter_text(form: Format) -> str:
    """A format as a file dialog lists it: "Excel workbook (*.xlsx)"."""
    return f"{form.label} (*{form.suffix})"


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written: the table that it reads back as, and what was lost."""

    table: Table
    findings: tuple[Finding, ...]


def save_judgments(target: Path, form: Format, judgments: Judgments) -> Written:
    """Write judgments to a file. Raises FileError; what stood there before is then untouched."""
    encoded = encode_judgments(target, form, judgments)
    kept = _kept(form, judgments)
    kept = _by_text(encoded, kept)
    table = _checked(target, encoded.data, lambda out: _misjudged(out, kept), kept.rows[0])
    atomic_write(target, lambda file: file.write(encoded.data))
    return Written(table, encoded.findings)


def save_ranking(target: Path, form: Format, ranking: Ranking) -> Written:
    """Write a ranking to a file. Raises FileError; what stood there before is then untouched."""
    ranking = _sorted(ranking)
    encoded = encode_ranking(target, form, ranking)
    table = _checked(target, encoded.data, lambda out: _misranked(out, ranking), ranking.rows[0])
    atomic_write(target, lambda file: file.write(encoded.data))
    return Written(table, encoded.findings)


def encode_judgments(target: Path, form: Format, judgments: Judgments) -> Encoded:
    """Give the bytes of judgments in a format, and what was left out.

    Raises FileError, naming the first document, for what such a file would give back as something
    else, and where there is nothing to write.
    """
    if form.judgments is None:
        raise FileError(target, f"{form.label}: such a file holds a ranking, and no judgments.")
    _refuse_name(target, form)
    kept = _kept(form, judgments)
    if not kept.rows:
        raise FileError(target, "Nothing is judged yet, so there is nothing to save.")
    refuse_lost_ids(target, kept.rows)
    with _naming(target, kept.rows):
        encoded = form.judgments(target, kept)
    losses = _losses(target, form, judgments, len(judgments.rows) - len(kept.rows))
    return replace(encoded, findings=(*losses, *encoded.findings))


def encode_ranking(target: Path, form: Format, ranking: Ranking) -> Encoded:
    """Give the bytes of a ranking in a format, and what was left out or changed.

    Raises FileError, naming the first document, for what such a file would give back as something
    else, and where there is nothing to write.
    """
    if form.ranking is None:
        raise FileError(target, f"{form.label}: such a file holds judgments, and no ranking.")
    _refuse_name(target, form)
    if not ranking.rows:
        raise FileError(target, "The ranking returns no document, so there is nothing to save.")
    refuse_lost_ids(target, ranking.rows)
    ranking = _sorted(ranking)
    with _naming(target, ranking.rows):
        encoded = form.ranking(target, ranking)
    if form.query_texts or not any(ranking.texts.values()):
        return encoded
    return replace(encoded, findings=(_no_texts(target), *encoded.findings))


def _sorted(ranking: Ranking) -> Ranking:
    """The same with the rows of a query together, by rank."""
    queries = {
        query: place for place, query in enumerate(dict.fromkeys(r[0] for r in ranking.rows))
    }
    rows = sorted(ranking.rows, key=lambda row: (queries[row.query], row.rank))
    return replace(ranking, rows=rows)


@contextmanager
def _naming(target: Path, rows: Sequence[Judged] | Sequence[Ranked]) -> Iterator[None]:
    """Say of which document an error is that tells but the row of the table to be written."""
    try:
        yield
    except FileError as error:
        if error.row is None or error.row < _FIRST_ROW:
            raise
        row = rows[error.row - _FIRST_ROW]
        raise FileError(target, f"{error.problem} This is about {of(row)}.") from error


def _refuse_name(target: Path, form: Format) -> None:
    suffix = target.suffix.lower()
    if (suffix == ".xlsx") != (form.key == "xlsx") or (suffix in _BINARY and suffix != ".xlsx"):
        problem = f"The name ends in {suffix or 'nothing'}, but the file would be {form.label}."
        raise FileError(target, f"{problem} Choose a name that ends in {form.suffix}.")


def _kept(form: Format, judgments: Judgments) -> Judgments:
    """What the format can hold of the rows."""
    if form.unjudged:
        return judgments
    return replace(judgments, rows=[row for row in judgments.rows if row.grade is not None])


def _losses(target: Path, form: Format, judgments: Judgments, unjudged: int) -> list[Finding]:
    found = []
    if unjudged:
        one = "1 document is" if unjudged == 1 else f"{unjudged:,} documents are"
        text = f"{one} not judged. Such a file cannot say so; they are left out."
        found.append(told(target, "unjudged-left-out", text))
    if not form.titles and any(row.title for row in judgments.rows):
        text = "Such a file has no place for the titles of documents. They are left out."
        found.append(told(target, "titles-left-out", text, "note"))
    if not form.query_texts and any(judgments.texts.values()):
        found.append(_no_texts(target))
    return found


def _no_texts(target: Path) -> Finding:
    text = "Such a file has no place for the texts of queries. They are left out; the ids stay."
    return told(target, "query-texts-left-out", text, "note")


# ---- the file read back


def _checked(
    target: Path,
    data: bytes,
    differs: Callable[[Assembled], Judged | Ranked | None],
    first: Judged | Ranked,
) -> Table:
    """Read the bytes as this program will. Raises FileError unless they say what they should;
    ``first`` is the document to blame where nothing can be read.
    """
    try:
        (table,) = read_bytes(target, data)
        lost = differs(assemble([Understood(table, guess(table).roles)]))
    except ValueError:
        lost = first
    if lost is not None:
        raise FileError(
            target,
            f"The file was not written, since it would not read back the same: see {of(lost)}. "
            "Choose another format.",
        )
    return table


def _misjudged(found: Assembled, wanted: Judgments) -> Judged | None:
    """The first judgment that a file which was read does not have, in whatever order."""
    if len(found.judgments) != 1 or found.rankings:
        return wanted.rows[0]
    (columns,) = found.judgments
    if len(columns.row) != len(wanted.rows):
        return wanted.rows[0]
    rows = zip(columns.query.texts(), columns.document.texts(), columns.grade.tolist(), strict=True)
    read = {(query, document): grade for query, document, grade in rows}
    return next((row for row in wanted.rows if not _same_grade(read.get(row[:2]), row.grade)), None)


def _same_grade(read: float | None, wanted: float | None) -> bool:
    if read is None:
        return False
    return math.isnan(read) if wanted is None else read == wanted


def _misranked(found: Assembled, wanted: Ranking) -> Ranked | None:
    """The first document that a file which was read does not rank in its place."""
    if len(found.rankings) != 1 or found.judgments:
        return wanted.rows[0]
    (joined,) = join([], found.rankings)[0].rankings
    order = rows_in_order(joined)
    documents = joined.columns.document.take(order).texts()
    queries = joined.columns.query.take(order).texts()
    if len(order) != len(wanted.rows):
        return wanted.rows[0]
    places = zip(wanted.rows, queries, documents, strict=True)
    return next((row for row, *pair in places if row[:2] != tuple(pair)), None)


def _by_text(encoded: Encoded, judgments: Judgments) -> Judgments:
    """The judgments as a tool has them whose queries are their texts."""
    if not any(finding.code == "query-id-lost" for finding in encoded.findings):
        return judgments
    rows = [
        Judged(judgments.texts[row.query].strip(), row.document, row.grade)
        for row in judgments.rows
    ]
    return replace(judgments, rows=rows)
