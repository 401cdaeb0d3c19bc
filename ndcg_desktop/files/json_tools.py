"""The JSON that other tools write: RRE, Elasticsearch, Quepid and Label Studio.

Each reader looks whether a JSON is its tool's, and gives its tables, or None where it is not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.files.header import role_of
from ndcg_desktop.files.json_rows import (
    Record,
    by_rater,
    cell,
    flat,
    no_document_ids,
    records_table,
)
from ndcg_desktop.files.json_text import Json, objects, pairs_of
from ndcg_desktop.files.table import Cell, Table

# ---- Rated Ranking Evaluator


def read_rre(source: Json) -> list[Table] | None:
    """Ratings of RRE: topics, query groups, queries and their relevant documents, each level but
    the queries optional. Every query of a group has the judgments of the group.
    """
    root = source.root
    if not isinstance(root, dict):
        return None
    queries = objects(root.get("queries"))
    if not (
        objects(root.get("topics"))
        or objects(root.get("query_groups"))
        or any("relevant_documents" in query or "placeholders" in query for query in queries)
    ):
        return None
    placeholder = str(root.get("query_placeholder", "$query"))
    records = []
    for topic in objects(root.get("topics")) or [root]:
        for group in objects(topic.get("query_groups")) or [topic]:
            labels = _rre_labels(topic, group, root)
            judged = group.get("relevant_documents")
            for query in objects(group.get("queries")):
                documents = query.get("relevant_documents", judged)
                records += _rre_rows(_rre_query(query, placeholder), documents, labels)
    return [records_table(source, records)]


def _rre_labels(topic: dict[str, Any], group: dict[str, Any], root: dict[str, Any]) -> Record:
    labels: Record = {}
    if topic is not root:
        labels["topic name"] = cell(topic.get("description", topic.get("name")))
    if group is not topic:
        labels["query group"] = cell(group.get("name", group.get("description")))
    return labels


def _rre_query(query: dict[str, Any], placeholder: str) -> Cell:
    """The text that a query puts into its template; blank where it has none."""
    places = query.get("placeholders")
    places = places if isinstance(places, dict) else query
    if placeholder in places:
        return cell(places[placeholder])
    return next((value for value in places.values() if isinstance(value, str)), "")


def _rre_rows(query: Cell, documents: Any, labels: Record) -> list[Record]:
    """Rows of {document: {"gain": n}} or of {gain: [documents]}; one without a document where
    there are none.
    """
    rows: list[Record] = []
    for name, value in pairs_of(documents) if isinstance(documents, dict) else ():
        if isinstance(value, list):
            rows += [{"query": query, "document": cell(each), "grade": name} for each in value]
        else:
            gain = value.get("gain") if isinstance(value, dict) else value
            rows.append({"query": query, "document": name, "grade": cell(gain)})
    return [row | labels for row in rows or [{"query": query, "document": "", "grade": ""}]]


# ---- Elasticsearch


def read_rank_eval_request(source: Json) -> list[Table] | None:
    """The request of Elasticsearch's ranking evaluation: ratings for each request id."""
    root = source.root
    requests = objects(root.get("requests")) if isinstance(root, dict) else []
    if not any(isinstance(request.get("ratings"), list) for request in requests):
        return None
    records = []
    for request in requests:
        query: Record = {"query id": cell(request.get("id"))}
        if text := _query_text(request):
            query["query"] = text
        rated = objects(request.get("ratings"))
        records += [query | _rated(each, each.get("rating")) for each in rated] or [
            query | _rated({}, None)
        ]
    return [records_table(source, records)]


def _rated(hit: dict[str, Any], rating: Any) -> Record:
    row: Record = {"document": cell(hit.get("_id")), "grade": cell(rating)}
    return row | ({"index": cell(hit["_index"])} if "_index" in hit else {})


def _query_text(request: dict[str, Any]) -> str:
    """The text that is searched for: a parameter of a template, or what is matched."""
    parameters = request.get("params")
    if isinstance(parameters, dict):
        texts = [value for value in parameters.values() if isinstance(value, str)]
        return texts[0] if texts else ""
    return next(_matched(request.get("request")), "")


_MATCHES = ("match", "match_phrase", "match_phrase_prefix", "match_bool_prefix", "term")


def _matched(node: Any) -> Iterator[str]:
    """Every text that a query of Elasticsearch matches, outermost first."""
    if isinstance(node, list):
        for each in node:
            yield from _matched(each)
    if not isinstance(node, dict):
        return
    for name, value in node.items():
        if name == "query" and isinstance(value, str):
            yield value
        elif name in _MATCHES and isinstance(value, dict):
            for each in value.values():
                text = each.get("query", each.get("value")) if isinstance(each, dict) else each
                if isinstance(text, str):
                    yield text
        else:
            yield from _matched(value)


def read_rank_eval_response(source: Json) -> list[Table] | None:
    """The answer of Elasticsearch's ranking evaluation: hits in their order, some of them rated.

    The scores of the metric in it are not looked at.
    """
    root = source.root
    details = root.get("details") if isinstance(root, dict) else None
    if not isinstance(details, dict) or not any(
        isinstance(each, dict) and isinstance(each.get("hits"), list) for each in details.values()
    ):
        return None
    records: list[Record] = []
    for query, detail in pairs_of(details):
        hits = objects(detail.get("hits")) if isinstance(detail, dict) else []
        rows = [_hit(each, rank) for rank, each in enumerate(hits, 1)]
        rows = rows or [{"document": "", "rank": "", "grade": ""}]
        records += [{"query": query} | row for row in rows]
    text = (
        "The ratings in this answer are those of the returned documents only. Open the request "
        "first: without it the ideal lacks relevant documents that were not returned."
    )
    notes = [Finding("note", "ratings-of-hits", text, Source(source.path.name))]
    return [records_table(source, records, None, *notes, *_failures(source))]


def _hit(rated: dict[str, Any], rank: int) -> Record:
    hit = rated.get("hit")
    hit = hit if isinstance(hit, dict) else {}
    row: Record = {"document": cell(hit.get("_id")), "rank": rank}
    if hit.get("_score") is not None:
        row["score"] = cell(hit["_score"])
    return row | _rated(hit, rated.get("rating"))


def _failures(source: Json) -> list[Finding]:
    failures = source.root.get("failures")
    return [
        Finding(
            "warning",
            "failed-request",
            f"The request “{query}” failed in Elasticsearch. It has no ranking here.",
            Source(source.path.name),
        )
        for query in (failures if isinstance(failures, dict) else ())
    ]


def read_search_hits(source: Json) -> list[Table] | None:
    """The answer of Elasticsearch or OpenSearch to one search: a ranking of one query."""
    root = source.root
    outer = root.get("hits") if isinstance(root, dict) else None
    hits = objects(outer.get("hits")) if isinstance(outer, dict) else []
    if not hits or not all("_id" in hit for hit in hits):
        return None
    records = []
    for rank, hit in enumerate(hits, 1):
        row: Record = {"document": cell(hit["_id"]), "rank": rank}
        if hit.get("_score") is not None:
            row["score"] = cell(hit["_score"])
        fields = hit.get("_source")
        if isinstance(fields, dict):
            row |= {name: value for name, value in flat(fields).items() if role_of(name) is None}
        records.append(row)
    return [records_table(source, records)]


# ---- Quepid


def read_quepid_book(source: Json) -> list[Table] | None:
    """A book of Quepid: pairs of query and document, each judged by any number of people."""
    root = source.root
    pairs = objects(root.get("query_doc_pairs")) if isinstance(root, dict) else []
    if not pairs:
        return None
    records = []
    for pair in pairs:
        query = pair.get("query_text", pair.get("query"))
        row: Record = {"query": cell(query), "document": cell(pair.get("doc_id"))}
        if pair.get("position") is not None:
            row["rank"] = cell(pair["position"])
        if title := _quepid_title(pair.get("document_fields")):
            row["title"] = title
        judged = [row | _quepid_grade(each) for each in objects(pair.get("judgements"))]
        records += judged or [row | {"grade": "", "rater": ""}]
    return [records_table(source, by_rater(records))]


def _quepid_grade(judgement: dict[str, Any]) -> Record:
    """Who cannot rate a document, or will do so later, has not judged it."""
    open_yet = judgement.get("unrateable") is True or judgement.get("judge_later") is True
    grade = None if open_yet else judgement.get("rating")
    return {"grade": cell(grade), "rater": cell(judgement.get("user_email"))}


def _quepid_title(fields: Any) -> str:
    """The title among the fields of a document, which may be JSON within a text."""
    if isinstance(fields, str):
        try:
            fields = json.loads(fields)
        except ValueError:
            return ""
    title = fields.get("title") if isinstance(fields, dict) else None
    return title if isinstance(title, str) else ""


# ---- Label Studio

_MIN_FIELDS = {"id", "annotation_id", "annotator", "created_at", "updated_at", "lead_time"}
_LABELS = ("rating", "number", "choices")


def read_label_studio(source: Json) -> list[Table] | None:
    """An export of Label Studio, JSON or JSON-MIN: tasks, each labelled by any number of people.

    A task that was skipped is not judged. Tasks without a field for the document are documents
    themselves.
    """
    tasks = objects(source.root)
    if any(isinstance(task.get("annotations"), list) and "data" in task for task in tasks):
        rows = [row for task in tasks for row in _annotated(task)]
    elif tasks and all("annotation_id" in task and "annotator" in task for task in tasks):
        rows = [_annotated_min(task) for task in tasks]
    else:
        return None
    named = any(role_of(name) == "document" for data, _, _ in rows for name in data)
    records: list[Record] = []
    for data, task, label in rows:
        document = {} if named else {"document": f"task {task}"}
        records.append(data | document | label)
    notes = () if named else (no_document_ids(source),)
    return [records_table(source, by_rater(records), None, *notes)]


_Labelled = tuple[Record, Cell, Record]
"""The data of a task, its id, and its grade with the rater who gave it."""


def _annotated(task: dict[str, Any]) -> list[_Labelled]:
    data, number = task.get("data"), cell(task.get("id"))
    fields = flat(data) if isinstance(data, dict) else {}
    rows: list[_Labelled] = []
    for annotation in objects(task.get("annotations")):
        skipped = annotation.get("was_cancelled") is True
        results = [] if skipped else objects(annotation.get("result"))
        grades = [_label(result.get("value")) for result in results]
        grade = next((each for each in grades if each is not None), "")
        rater = annotation.get("completed_by")
        if isinstance(rater, dict):
            rater = rater.get("email", rater.get("id"))
        rows.append((fields, number, {"grade": grade, "rater": cell(rater)}))
    return rows or [(fields, number, {"grade": "", "rater": ""})]


def _annotated_min(task: dict[str, Any]) -> _Labelled:
    labels = {name: _label(value) for name, value in task.items()}
    name = next((name for name, value in labels.items() if value is not None), None)
    grade: Cell = labels.get(name) if name is not None else None
    if name is None:
        name = next((each for each in task if role_of(each) == "grade"), None)
        grade = cell(task[name]) if name is not None else ""
    rest = {each: value for each, value in task.items() if each not in _MIN_FIELDS | {name}}
    label: Record = {"grade": grade, "rater": cell(task["annotator"])}
    return flat(rest), cell(task.get("id")), label


def _label(value: Any) -> Cell | None:
    """The rating, number or single choice that a value of Label Studio holds, else None."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return None
    label = next((value[name] for name in _LABELS if name in value), None)
    if isinstance(label, list):
        label = label[0] if len(label) == 1 else None
    return None if label is None else cell(label)
