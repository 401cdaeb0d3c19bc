"""JSON of any shape that holds judgments or a ranking, told by what it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.files.header import Grid, columns_of, find_header, role_of
from ndcg_desktop.files.json_rows import (
    MOST_COLUMNS,
    Record,
    cell,
    flat,
    json_table,
    records_table,
)
from ndcg_desktop.files.json_text import Json, objects, pairs_of, parse
from ndcg_desktop.files.json_tools import (
    read_label_studio,
    read_quepid_book,
    read_rank_eval_request,
    read_rank_eval_response,
    read_rre,
    read_search_hits,
)
from ndcg_desktop.files.numbers import number
from ndcg_desktop.files.table import Cancelled, FileError, Table

PARSED = 0.6
"""Part of the work that is done once the text has become values."""

RECORDS_JUDGED = 1_000
"""Records that are looked at to tell what their fields hold."""

KNOWN_SHAPES = (
    "{query: {document: number}}, records with fields such as query, document and grade (in a "
    "list, or one on each line), and what Elasticsearch, OpenSearch, RRE, Quepid and Label Studio "
    "write"
)

_JUDGMENTS = re.compile(r"qrel|judg|truth|gold|grade|rating|label|relevan", re.IGNORECASE)
_RESULTS = re.compile(r"result|ranking|\brun|hit|doc|retriev", re.IGNORECASE)


def read_json(
    path: Path,
    data: bytes,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> list[Table]:
    """The tables of a JSON or JSON Lines file: one, or one for each of several rankings in it.

    Raises FileError for JSON of a shape that is not known, and Cancelled.
    """
    source = parse(path, data, cancelled)
    progress(PARSED)
    try:
        for reader in _READERS:
            if cancelled():
                raise Cancelled
            if tables := reader(source):
                return tables
    except RecursionError:
        raise FileError(path, "This JSON is nested too deeply to be read.") from None
    raise FileError(
        path,
        f"This JSON is {_described(source.root)}, which is no shape that is known. Known are "
        f"{KNOWN_SHAPES}.",
    )


def _described(root: Any) -> str:
    if isinstance(root, list):
        return f"a list of {len(root):,} values" if root else "an empty list"
    if not root:
        return "an empty object"
    names = ", ".join(f"“{name[:40]}”" for name in list(root)[:6])
    return f"an object with {names}{', …' if len(root) > 6 else ''}"


# ---- texts and nothing else


def _refuse_texts(source: Json) -> list[Table] | None:
    """Say of files that hold queries or documents, and of nothing else, what is missing."""
    if isinstance(source.root, dict) and "querySetQueries" in source.root:
        raise FileError(
            source.path,
            "This is a query set of OpenSearch: it holds queries and no judgments. Open the "
            "judgment list (with “judgmentRatings”) instead.",
        )
    items = objects(source.root)[:RECORDS_JUDGED]
    texts = all("_id" in item and "text" in item for item in items)
    if items and texts and not _roles(items) & {"grade", "rank", "score"}:
        raise FileError(
            source.path,
            "This file holds the texts of queries or documents (“_id” and “text”), and no "
            "judgments or ranking. Open the judgments (qrels) and a ranking instead.",
        )
    return None


# ---- {query: {document: number}}


def _read_nested(source: Json) -> list[Table] | None:
    pairs = _query_pairs(source.root)
    return None if pairs is None else [_nested_table(source, pairs)]


def _read_several(source: Json) -> list[Table] | None:
    """{name: {query: {document: number}}}: judgments and rankings in one file, by name."""
    if not isinstance(source.root, dict):
        return None
    found: dict[str, _QueryPairs] = {}
    for name, value in pairs_of(source.root):
        pairs = _query_pairs(value)
        if pairs is None and isinstance(value, dict | list):
            return None
        if pairs is not None:
            found[_free_name(name, found)] = pairs
    judged = any(_JUDGMENTS.search(name) for name in found)
    tables = []
    for name, pairs in found.items():
        kind = None if not judged else "grade" if _JUDGMENTS.search(name) else "score"
        tables.append(_nested_table(source, pairs, name if len(found) > 1 else None, kind))
    # What was found in the file as a whole is told once.
    return tables[:1] + [
        replace(table, findings=table.findings[len(source.findings) :]) for table in tables[1:]
    ]


def _free_name(name: str, taken: dict[str, Any]) -> str:
    """The name, with a number where it stands in the file for the second time."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free


_QueryPairs = list[tuple[str, dict[str, Any]]]


def _query_pairs(value: Any) -> _QueryPairs | None:
    """The queries with their documents, where a value is {query: {document: number}} or a list of
    such; None where it is not, or has no number at all.
    """
    some = objects(value) if isinstance(value, list) else [value]
    if isinstance(value, list) and len(some) < len(value):
        return None
    if not all(isinstance(each, dict) for each in some):
        return None
    pairs = [pair for each in some for pair in pairs_of(each)]
    if not all(isinstance(documents, dict) and _all_numbers(documents) for _, documents in pairs):
        return None
    some_number = any(v is not None for _, documents in pairs for v in documents.values())
    return pairs if some_number else None


def _all_numbers(documents: dict[str, Any]) -> bool:
    """Whether every value is a number, true or false, a number written as text, or null."""
    return all(
        value is None
        or isinstance(value, int | float)
        or (isinstance(value, str) and number(value) is not None)
        for value in documents.values()
    )


def _nested_table(
    source: Json, pairs: _QueryPairs, sheet: str | None = None, kind: str | None = None
) -> Table:
    """Whole numbers are grades and fractions are scores, where ``kind`` does not say which."""
    queries, documents, values = [], [], []
    booleans = False
    for query, some in pairs:
        for document, value in pairs_of(some) if some else (("", None),):
            queries.append(query)
            documents.append(document)
            booleans |= isinstance(value, bool)
            values.append(number(value) if isinstance(value, str) else value)
    array = np.array(values, dtype=np.float64)  # null is NaN
    whole = np.all(np.isnan(array) | (array == np.floor(array)))
    kind = kind or ("grade" if whole else "score")
    text = f"true and false are read as the {kind}s 1 and 0."
    notes = [Finding("note", "true-false", text, Source(source.path.name))] if booleans else []
    header = ("query", "document", kind)
    return json_table(source, header, (queries, documents, array), sheet, *notes)


# ---- {query: {document: {…}}} and {query: […]}


def _read_fields_of_pairs(source: Json) -> list[Table] | None:
    """{query: {document: {"grade": n, …}}}."""
    if not isinstance(source.root, dict):
        return None
    records: list[Record] = []
    for query, documents in pairs_of(source.root):
        if not isinstance(documents, dict):
            return None
        for document, fields in pairs_of(documents):
            if not isinstance(fields, dict):
                return None
            records.append({"query": query, "document": document} | flat(fields))
        if not documents:
            records.append({"query": query, "document": ""})
    sample = [record for record in records[:RECORDS_JUDGED] if record["document"]]
    if not _roles(sample) & {"grade", "rank", "score"}:
        return None
    return [records_table(source, records)]


def _read_lists_by_query(source: Json) -> list[Table] | None:
    """{query: [documents]}, each an id, [id, score], or an object with fields but no query."""
    if not isinstance(source.root, dict):
        return None
    items = [{"query": name, "documents": some} for name, some in pairs_of(source.root)]
    lists = [item["documents"] for item in items]
    if not all(isinstance(some, list) for some in lists) or not any(lists):
        return None
    documents = [each for some in lists for each in some]
    queries_too = "query" in _roles(objects(documents[:RECORDS_JUDGED]))
    if queries_too or not all(map(_is_document, documents)):
        return None
    return [records_table(source, [row for item in items for row in _rows(item, "documents")])]


def _is_document(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) == 2 and isinstance(value[0], str | int) and _is_score(value[1])
    return isinstance(value, str) or (isinstance(value, dict) and bool(_roles([value])))


def _is_score(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# ---- tables as pandas writes them


def _read_split(source: Json) -> list[Table] | None:
    """{"columns": […], "data": [[…], …]}."""
    root = source.root
    if not isinstance(root, dict) or not isinstance(root.get("columns"), list):
        return None
    names, rows = root["columns"], root.get("data")
    if not isinstance(rows, list) or not rows or not names:
        return None
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    header = tuple(str(cell(name)) for name in names)
    cells = [[cell(value) for value in row] for row in rows]
    return [json_table(source, header, columns_of(cells, len(header)))]


def _read_columns(source: Json) -> list[Table] | None:
    """{"query": {"0": …}, "document": {"0": …}, …}, or the same with lists."""
    root = source.root
    if not isinstance(root, dict) or len(_roles([root])) < 2 or "document" not in _roles([root]):
        return None
    columns = list(root.values())
    if not all(isinstance(column, type(columns[0])) for column in columns):
        return None
    if isinstance(columns[0], dict):
        if not all(column.keys() == columns[0].keys() for column in columns):
            return None
        columns = [[column[name] for name in columns[0]] for column in columns]
    if not all(isinstance(column, list) and len(column) == len(columns[0]) for column in columns):
        return None
    if not columns[0] or any(isinstance(value, dict | list) for value in columns[0]):
        return None
    cells = tuple([cell(value) for value in column] for column in columns)
    return [json_table(source, tuple(root), cells)]


def _read_grid(source: Json) -> list[Table] | None:
    """A list of lists, each a row; the first may be the header."""
    root = source.root
    if not isinstance(root, list) or not root or not all(isinstance(row, list) for row in root):
        return None
    width = len(root[0])
    if width < 2 or not all(len(row) == width for row in root):
        return None
    cells = [[cell(value) for value in row] for row in root]
    header, first = find_header(Grid(cells, list(range(1, len(cells) + 1))))
    if header is None:
        table = json_table(source, ("",) * width, columns_of(cells, width))
        return [replace(table, header=None)]
    if first == len(cells):
        return None
    table = json_table(source, header, columns_of(cells, width))
    return [table.take(np.arange(first, len(cells)))]


# ---- records

_CONTAINERS = ("judgmentRatings", "queries", "judgments", "judgements")
"""Names under which a list of records is one, whatever else an object holds."""


def _read_records(source: Json) -> list[Table] | None:
    """A list of objects, each a row, or a query with its documents."""
    items, sure = _items(source.root)
    if not items:
        return None
    name = _documents_name(items)
    records = (
        [flat(item) for item in items]
        if name is None
        else [row for item in items for row in _rows(item, name)]
    )
    if not sure and len(_roles(records[:RECORDS_JUDGED])) < 2:
        return None
    return [records_table(source, records)]


def _items(root: Any) -> tuple[Sequence[dict[str, Any]], bool]:
    """The records in a JSON, and whether they are surely that."""
    if isinstance(root, list):
        items = objects(root)
        return (items, True) if len(items) == len(root) else ([], False)
    if not isinstance(root, dict):
        return [], False
    for name in _CONTAINERS:
        held = root.get(name)
        if isinstance(held, dict) and all(isinstance(some, list) for some in held.values()):
            return [{"query": query, "ratings": some} for query, some in pairs_of(held)], True
        if objects(held):
            return objects(held), False
    if len(_roles([root])) >= 2 and "document" in _roles([root]):
        return [root], True
    values = list(root.values())
    if all(isinstance(value, dict) and len(_roles([value])) >= 2 for value in values):
        return values, True  # {"0": record, "1": record, …}
    lists = [objects(value) for value in values if objects(value)]
    return (lists[0], False) if len(lists) == 1 else ([], False)


_role = lru_cache(4 * RECORDS_JUDGED)(role_of)


def _roles(items: Sequence[dict[str, Any]]) -> set[str]:
    """The roles that the fields of some records surely have; an object with more fields than a
    table has columns is no record.
    """
    names = {name for item in items for name in islice(item, MOST_COLUMNS)}
    return {role for name in names if (role := _role(name))}


def _documents_name(items: Sequence[dict[str, Any]]) -> str | None:
    """The field of a query's record that holds its documents; None where a record is a row."""
    sample = items[:RECORDS_JUDGED]
    fields = [pair for item in sample for pair in item.items() if pair[1]]
    lists = [name for name, value in fields if _holds_records(value)]
    if not lists and "document" in _roles(sample):
        return None
    found = lists or [name for name, value in fields if _holds_documents(name, value)]
    return "ratings" if "ratings" in found else next(iter(found), None)


def _holds_records(value: Any) -> bool:
    """Whether a field is a list of objects that are documents or judgments."""
    some = value[:1] if isinstance(value, list) else []
    return bool(_roles(objects(some)) & {"document", "grade"})


def _holds_documents(name: str, value: Any) -> bool:
    """Whether a field, by its name and content, is a list of ids or {document: number}."""
    if not (_JUDGMENTS.search(name) or _RESULTS.search(name)):
        return False
    if isinstance(value, list):
        return all(map(_is_document, value))
    return isinstance(value, dict) and _all_numbers(value)


def _rows(item: dict[str, Any], name: str) -> list[Record]:
    """A row for each document of a query's record; one without a document where it has none."""
    outer = flat({key: value for key, value in item.items() if key != name})
    held = item.get(name)
    inner: list[Record] = []
    if isinstance(held, dict):
        number_is = "grade" if _JUDGMENTS.search(name) else "score"
        inner = [{"document": each, number_is: cell(value)} for each, value in pairs_of(held)]
    elif isinstance(held, list):
        inner = [_document_row(each) for each in held]
    return [
        outer | {f"{name}.{key}" if key in outer else key: value for key, value in row.items()}
        for row in inner
    ] or [outer]


def _document_row(value: Any) -> Record:
    if isinstance(value, dict):
        return flat(value)
    if isinstance(value, list) and len(value) == 2:
        return {"document": cell(value[0]), "score": cell(value[1])}
    return {"document": cell(value)}


def _read_judgment_lists(source: Json) -> list[Table] | None:
    """The answer of OpenSearch to a search for judgment lists: one list, or several by name."""
    root = source.root
    outer = root.get("hits") if isinstance(root, dict) else None
    hits = objects(outer.get("hits")) if isinstance(outer, dict) else []
    lists = [hit["_source"] for hit in hits if isinstance(hit.get("_source"), dict)]
    lists = [each for each in lists if "judgmentRatings" in each]
    found: dict[str, list[Table] | None] = {}
    for each in lists:
        name = _free_name(str(cell(each.get("name"))) or "judgments", found)
        found[name] = _read_records(replace(source, root=each, lines=None))
    tables = [(name, table) for name, some in found.items() for table in some or ()]
    if len(tables) == 1:
        return [tables[0][1]]
    return [replace(table, sheet=name) for name, table in tables] or None


_READERS: tuple[Callable[[Json], list[Table] | None], ...] = (
    _refuse_texts,
    read_rre,
    read_rank_eval_request,
    read_rank_eval_response,
    _read_judgment_lists,
    read_search_hits,
    read_quepid_book,
    read_label_studio,
    _read_split,
    _read_columns,
    _read_fields_of_pairs,
    _read_nested,
    _read_several,
    _read_grid,
    _read_lists_by_query,
    _read_records,
)
