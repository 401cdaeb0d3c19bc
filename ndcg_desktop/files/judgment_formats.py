"""Judgments as the files of other programs, each by the rules of the program that reads it.

Every function takes the name of the file, for messages, and judgments whose ids are already known
to be sound; it gives the bytes and what was lost. It raises FileError for what such a file would
give back as something else.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ndcg_desktop.evaluation.columns import Finding
from ndcg_desktop.files.delimited import BYTE_ORDER_MARK
from ndcg_desktop.files.exchange import (
    Encoded,
    Judged,
    Judgments,
    by_query,
    flat,
    of,
    refuse_fractions,
    refuse_spaces,
    told,
)
from ndcg_desktop.files.numbers import number_text
from ndcg_desktop.files.table import FileError
from ndcg_desktop.files.write import Row, text_bytes, workbook_bytes

CSV_RATINGS = ["query", "docid", "rating"]
"""The columns of Quepid's basic ratings."""

BEIR_COLUMNS = ["query-id", "corpus-id", "score"]


def qrels(target: Path, judgments: Judgments) -> Encoded:
    """Lines of "query 0 document grade", as trec_eval reads them."""
    refuse_spaces(target, judgments.rows)
    refuse_fractions(target, judgments.rows, "trec_eval would cut off its decimals")
    lines = [f"{row.query} 0 {row.document} {_grade(row)}\n" for row in judgments.rows]
    return Encoded("".join(lines).encode())


def ltr(target: Path, judgments: Judgments) -> Encoded:
    """Lines of "grade qid:Q # document title", below a remark "# qid:Q: text" for each query."""
    refuse_spaces(target, judgments.rows)
    for row in judgments.rows:
        if "#" in row.query:
            problem = "holds “#”, where such a file's remark begins. Choose .csv or another id."
            raise FileError(target, f"The query “{row.query[:60]}” {problem}")
    queries = by_query(judgments.rows)
    texts = {query: flat(judgments.texts.get(query, "")) for query in queries}
    # A reader takes what stands before the first colon for the id.
    heads = [
        f"# qid:{query}: {text}\n" for query, text in texts.items() if text and ":" not in query
    ]
    lines = [
        f"{_decimal(row.grade)} qid:{row.query} # {row.document} {flat(row.title)}".rstrip() + "\n"
        for rows in queries.values()
        for row in rows
    ]
    return Encoded("".join(heads + lines).encode(), tuple(_ltr_findings(target, judgments, texts)))


def _ltr_findings(target: Path, judgments: Judgments, texts: dict[str, str]) -> list[Finding]:
    found = []
    if odd := next((row for row in judgments.rows if not _is_label(row)), None):
        text = (
            f"The grade {odd.grade:g} of {of(odd)} is below 0 or no whole number. It is written, "
            "but some programs for learning to rank refuse such a grade."
        )
        found.append(told(target, "odd-grade", text))
    if words := next((query for query in texts if not query.isdecimal()), None):
        text = (
            f"The query id “{words[:60]}” is no whole number. It is written, but some programs for "
            "learning to rank, such as XGBoost and scikit-learn, refuse such an id."
        )
        found.append(told(target, "query-not-a-number", text, "note"))
    if lost := next((query for query, text in texts.items() if text and ":" in query), None):
        text = f"The text of the query “{lost[:60]}” is left out, since its id has a colon in it."
        found.append(told(target, "query-text-lost", text))
    changed = [query for query, text in judgments.texts.items() if texts.get(query, text) != text]
    titles = [row for row in judgments.rows if flat(row.title) != row.title]
    if changed or titles:
        text = "Line breaks and runs of spaces in titles and texts of queries became one space."
        found.append(told(target, "text-on-one-line", text, "note"))
    return found


def _is_label(row: Judged) -> bool:
    return row.grade is None or (row.grade >= 0 and float(row.grade).is_integer())


def _searched(target: Path, judgments: Judgments) -> tuple[dict[str, str], list[Finding]]:
    """What stands for each query in a tool that searches for it: its text, where each has one of
    its own, and what is told of that.
    """
    queries = by_query(judgments.rows)
    texts = {query: judgments.texts.get(query, "").strip() for query in queries}
    if not any(texts.values()):
        return {query: query for query in queries}, []
    if not all(texts.values()) or len(set(texts.values())) < len(texts):
        text = "Some queries have no text of their own, so that their ids are written instead."
        return {query: query for query in queries}, [told(target, "query-text-lost", text)]
    if all(query == text for query, text in texts.items()):
        return texts, []
    text = "The queries are written by their text, which is searched for; not by their id."
    return texts, [told(target, "query-id-lost", text)]


def quepid(target: Path, judgments: Judgments) -> Encoded:
    """Quepid's basic ratings; the text of a query stands for it, as Quepid searches for that."""
    texts, findings = _searched(target, judgments)
    rows: list[Row] = [[texts[row.query], row.document, row.grade] for row in judgments.rows]
    data = text_bytes(target, CSV_RATINGS, rows, ",")
    return Encoded(data.removeprefix(BYTE_ORDER_MARK.encode()), tuple(findings))


def rre(target: Path, judgments: Judgments) -> Encoded:
    """Ratings of the Rated Ranking Evaluator: a group for each query, with the gain of each
    document.
    """
    texts, findings = _searched(target, judgments)
    groups = [
        {
            "name": query,
            "queries": [
                {"template": "query.json", "placeholders": {"$query": texts[query]}},
            ],
            "relevant_documents": {row.document: {"gain": _json_number(row.grade)} for row in rows},
        }
        for query, rows in by_query(judgments.rows).items()
    ]
    ratings = {
        "index": "index",
        "id_field": "id",
        "topics": [{"name": "Judgments", "query_groups": groups}],
    }
    text = (
        "The names “index”, “id” and “query.json” stand for the index, its id field and the query "
        "template of your search engine. Put in yours."
    )
    findings.append(told(target, "names-to-fill-in", text, "note"))
    return Encoded(_json(target, ratings), tuple(findings))


def beir(target: Path, judgments: Judgments) -> Encoded:
    """Tab-separated query, document and grade below a header, as BEIR's loader reads them."""
    refuse_fractions(target, judgments.rows, "BEIR refuses such a file")
    rows: list[Row] = [[row.query, row.document, row.grade] for row in judgments.rows]
    return Encoded(text_bytes(target, BEIR_COLUMNS, rows, "\t"))


def pytrec_eval(target: Path, judgments: Judgments) -> Encoded:
    """JSON of {query: {document: grade}}, as pytrec_eval and ranx take judgments."""
    refuse_fractions(target, judgments.rows, "pytrec_eval and ranx refuse it")
    nested = {
        query: {row.document: _json_number(row.grade) for row in rows}
        for query, rows in by_query(judgments.rows).items()
    }
    return Encoded(_json(target, nested))


def table_csv(target: Path, judgments: Judgments) -> Encoded:
    """Comma-separated text with a header."""
    header, rows = _table(judgments)
    return Encoded(text_bytes(target, header, rows, ","))


def table_xlsx(target: Path, judgments: Judgments) -> Encoded:
    """A workbook of one sheet."""
    header, rows = _table(judgments)
    return Encoded(workbook_bytes(target, header, rows))


def _table(judgments: Judgments) -> tuple[list[str], list[Row]]:
    """The header and the rows, with texts of queries and titles only where there are some."""
    with_texts = any(judgments.texts.get(row.query) for row in judgments.rows)
    with_titles = any(row.title for row in judgments.rows)
    header = ["query id", "query"] if with_texts else ["query"]
    header += ["document", "title"] if with_titles else ["document"]
    rows: list[Row] = []
    for row in judgments.rows:
        cells: Row = [row.query]
        cells += [judgments.texts.get(row.query, "")] if with_texts else []
        cells += [row.document, row.title] if with_titles else [row.document]
        rows.append([*cells, row.grade])
    return [*header, "grade"], rows


def _grade(row: Judged) -> str:
    assert row.grade is not None
    return number_text(row.grade)


def _decimal(grade: float | None) -> str:
    """A grade without an exponent: in such files 1e-07 is no number."""
    assert grade is not None
    return np.format_float_positional(grade + 0.0, trim="-")


def _json_number(grade: float | None) -> int | float:
    assert grade is not None
    return int(grade) if float(grade).is_integer() else float(grade)


def _json(target: Path, content: object) -> bytes:
    try:
        return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()
    except UnicodeEncodeError:
        raise FileError(target, "The text of a query holds what is no character.") from None
