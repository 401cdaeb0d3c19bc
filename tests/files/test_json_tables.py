"""JSON of every shape that holds judgments or a ranking."""

import json
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from build import rows_of, table_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ndcg_desktop.evaluation.join import join
from ndcg_desktop.files.assemble import assemble
from ndcg_desktop.files.json_text import OBJECTS_BETWEEN_LOOKS, looks_like_json
from ndcg_desktop.files.plan import plan
from ndcg_desktop.files.read import read_bytes
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.table import Cancelled, FileError


def tables_of(value):
    """The tables of a value written as JSON."""
    return read_bytes(Path("table.json"), json.dumps(value).encode())


def dicts_of(value):
    """The rows of its only table by header, without cells that are blank."""
    (table,) = tables_of(value) if not isinstance(value, str) else [table_of(value)]
    rows = [dict(zip(table.names, row, strict=True)) for row in rows_of(table)]
    return [{name: cell for name, cell in row.items() if cell != ""} for row in rows]


def codes_of(table):
    """Level, code and row of what was found in a table."""
    return [(each.level, each.code, each.row) for each in table.findings]


def grades_of(*values):
    """Grade by query and document, as an evaluation has them, of values written as JSON."""
    planned = plan([table for value in values for table in tables_of(value)])
    assert planned.doubts == {}
    evaluation, _ = join(*_sides(assemble(planned.parts)))
    pool = evaluation.judgments
    pairs = zip(pool.query.tolist(), pool.documents.texts(), pool.grade.tolist(), strict=True)
    return {(evaluation.queries[query], document): grade for query, document, grade in pairs}


def _sides(assembled):
    return assembled.judgments, assembled.rankings


# ---- {query: {document: number}}


def test_judgments_and_ranking():
    """Whole numbers are grades, and fractions are scores."""
    table = table_of('{"q1": {"a": 2, "b": 0}, "q3": {"c": 1.0}}')
    assert table.header == ("query", "document", "grade")
    assert rows_of(table) == [["q1", "a", 2], ["q1", "b", 0], ["q3", "c", 1]]
    assert table_of('{"q1": {"a": 2, "b": 0.5}}').header == ("query", "document", "score")


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.dictionaries(
            st.text(max_size=5), st.floats(allow_nan=False, allow_infinity=False), min_size=1
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=80)
def test_any_nested_dictionary(root):
    """Whatever nested dictionary is written, its queries, documents and numbers are read back."""
    rows = [[query, doc, value] for query, some in root.items() for doc, value in some.items()]
    assert rows_of(tables_of(root)[0]) == rows


def test_a_query_without_documents():
    """An empty query stays a query with no judgment, is told, and disturbs no other."""
    (table,) = tables_of({"q1": {"a": 2}, "q2": {}, "q3": {"a": 1}})
    assert [row[:2] for row in rows_of(table)] == [["q1", "a"], ["q2", ""], ["q3", "a"]]
    assert codes_of(table) == [("note", "empty-query", 2)]
    assembled = assemble(plan([table]).parts)
    evaluation, _ = join(assembled.judgments, [])
    assert evaluation.queries == ["q1", "q2", "q3"]
    assert evaluation.judgments.grade.tolist() == [2, 1]


def test_grades_of_other_types():
    """A number may be written as text; true is 1 and said; null is not judged."""
    (table,) = tables_of({"q": {"a": "2", "b": True, "c": None, "d": False}})
    assert table.header == ("query", "document", "grade")
    np.testing.assert_array_equal(table.columns[2], [2, 1, np.nan, 0])
    assert codes_of(table) == [("note", "true-false", None)]


@pytest.mark.parametrize("odd", ["NaN", "-Infinity", "1e999", "1" + "0" * 400, "1" * 5000])
def test_numbers_that_are_none(odd):
    """What no double can hold is blank and told, and makes no fraction of the rest."""
    table = table_of('{"q": {"d": ' + odd + ', "e": 1}}')
    assert table.header == ("query", "document", "grade")
    np.testing.assert_array_equal(table.columns[2], [np.nan, 1])
    assert codes_of(table) == [("warning", "not-a-number", None)]
    assert odd[:4] in table.findings[0].text


def test_names_that_stand_twice():
    """A query or a document that stands twice loses no judgment, and it is told."""
    table = table_of('{"q": {"a": 1, "b": 2, "a": 3}, "p": {"a": 1}, "q": {"c": 0}}')
    assert rows_of(table) == [
        ["q", "a", 1],
        ["q", "b", 2],
        ["q", "a", 3],
        ["p", "a", 1],
        ["q", "c", 0],
    ]
    (finding,) = table.findings
    assert finding.code == "repeated-name"
    assert "“a”, “q” stands more than once" in finding.text


def test_several_by_name():
    """Judgments and rankings in one file are told apart by their names, and by their numbers."""
    run = {"q": {"a": 3, "b": 2}}
    tables = tables_of({"qrels": {"q": {"a": 1}}, "bm25": run, "dense": run, "made": "today"})
    assert [(table.sheet, table.header[2]) for table in tables] == [
        ("qrels", "grade"),
        ("bm25", "score"),
        ("dense", "score"),
    ]
    assembled = assemble(plan(tables).parts)
    assert [each.name for each in assembled.rankings] == ["table.json: bm25", "table.json: dense"]
    tables = tables_of({"a": {"q": {"d": 1.5}}, "b": {"q": {"d": 2}}})
    assert [table.header[2] for table in tables] == ["score", "grade"]
    (table,) = tables_of({"run": {"q": {"d": 1.5}}})
    assert table.sheet is None


def test_what_is_found_in_a_file_of_several_is_told_once():
    """A finding about the file as a whole stands with its first table only."""
    text = '{"a": {"q": {"d": 1.5, "d": 2}}, "b": {"q": {"d": 2.5}}}'
    first, second = read_bytes(Path("t"), text.encode())
    assert ([f.code for f in first.findings], second.findings) == (["repeated-name"], ())


def test_fields_of_a_pair():
    """A pair may have fields: they are columns."""
    root = {"q": {"a": {"grade": 2, "by": {"name": "B"}}, "b": {"grade": 0}}, "p": {}}
    assert dicts_of(root) == [
        {"query": "q", "document": "a", "grade": 2, "by.name": "B"},
        {"query": "q", "document": "b", "grade": 0},
        {"query": "p"},
    ]


def test_lists_by_query():
    """A list of documents may hold objects, pairs with scores, or ids, whose order is asked for."""
    assert dicts_of({"q": [{"doc_id": "a", "rank": 1}], "p": []}) == [
        {"query": "q", "doc_id": "a", "rank": 1},
        {"query": "p"},
    ]
    assert dicts_of({"q": [["a", 2.5], [7, 2]]}) == [
        {"query": "q", "document": "a", "score": 2.5},
        {"query": "q", "document": 7, "score": 2},
    ]
    planned = plan(tables_of({"q": ["b", "a"]}))
    assert rows_of(planned.parts[0].table) == [["q", "b"], ["q", "a"]]
    assert planned.parts[0].row_order
    assert 0 in planned.doubts


# ---- Rated Ranking Evaluator


def test_rre_gains_with_lists():
    """{gain: [documents]} is read as {document: {"gain": n}} is."""
    group = {"name": "g", "queries": [{"placeholders": {"$query": "q", "$lang": "en"}}]}
    by_gain = {"3": ["a", 7], "0": ["b"]}
    by_document = {"a": {"gain": 3}, "7": {"gain": 3}, "b": {"gain": 0}}
    expected = {("q", "a"): 3, ("q", "7"): 3, ("q", "b"): 0}
    for documents in (by_gain, by_document):
        topic = {"description": "t", "query_groups": [group | {"relevant_documents": documents}]}
        assert grades_of({"topics": [topic]}) == expected


def test_rre_without_topics_or_groups():
    """Levels may be missing, as in what Quepid exports for RRE; a document without gain is
    unjudged, and a query without documents is kept.
    """
    queries = [
        {"placeholders": {"$query": "q"}, "relevant_documents": {"1": ["a"], "2": ["b"]}},
        {"placeholders": {"$query": "p"}, "relevant_documents": {"c": {}}},
        {"placeholders": {"$query": "none"}},
    ]
    assert dicts_of({"id_field": "id", "queries": queries}) == [
        {"query": "q", "document": "a", "grade": "1"},
        {"query": "q", "document": "b", "grade": "2"},
        {"query": "p", "document": "c"},
        {"query": "none"},
    ]
    group = {"queries": queries[:1]}
    assert dicts_of({"query_groups": [group]})[0] == {
        "query": "q",
        "document": "a",
        "grade": "1",
    }


def test_rre_names_its_placeholder():
    """A file may say which placeholder is the query."""
    query = {"placeholders": {"$lang": "en", "$text": "q"}, "relevant_documents": {"1": ["a"]}}
    root = {"query_placeholder": "$text", "queries": [query]}
    assert dicts_of(root)[0]["query"] == "q"


# ---- Elasticsearch and OpenSearch


def test_rank_eval_queries():
    """The text of a query is found in a template's parameters or anywhere in its body."""
    body = {"query": {"bool": {"must": [{"match": {"text": {"query": "fjord"}}}]}}}
    rated = [{"_id": "a", "rating": 1}]
    root = {
        "requests": [
            {"id": "t", "template_id": "x", "params": {"query_string": "oslo"}, "ratings": rated},
            {"id": "b", "request": body, "ratings": rated},
            {"id": "m", "request": {"query": {"multi_match": {"query": "ø"}}}, "ratings": []},
            {"id": 7, "request": {"query": {"match_all": {}}}, "ratings": rated},
        ]
    }
    assert dicts_of(root) == [
        {"query id": "t", "query": "oslo", "document": "a", "grade": 1},
        {"query id": "b", "query": "fjord", "document": "a", "grade": 1},
        {"query id": "m", "query": "ø"},
        {"query id": 7, "document": "a", "grade": 1},
    ]
    assert grades_of(root) == {("t", "a"): 1, ("b", "a"): 1, ("7", "a"): 1}


def test_rank_eval_failures():
    """A request that failed is told, and the order of hits is the rank whatever their scores."""
    hits = [
        {"hit": {"_id": "a", "_score": 0.0}, "rating": None},
        {"hit": {"_id": "b", "_score": 0.0}, "rating": 2},
    ]
    root = {"details": {"q": {"hits": hits, "metric_score": 0.0}}, "failures": {"p": {}}}
    (table,) = tables_of(root)
    assert codes_of(table) == [
        ("note", "ratings-of-hits", None),
        ("warning", "failed-request", None),
    ]
    (ranking,) = assemble(plan([table]).parts).rankings
    assert (ranking.ranks_by, ranking.rank.tolist()) == ("rank", [1, 2])


def test_hits_of_one_search():
    """A search's answer is a ranking of one query, named after the file."""
    hits = [
        {"_id": "a", "_score": 2.0, "_source": {"title": "A", "url": "x"}},
        {"_id": "b", "_score": None},
    ]
    root = {"took": 3, "hits": {"total": {"value": 2}, "hits": hits}}
    assert dicts_of(root) == [
        {"document": "a", "rank": 1, "score": 2.0, "title": "A"},
        {"document": "b", "rank": 2},
    ]
    (ranking,) = assemble(plan(tables_of(root)).parts).rankings
    assert ranking.query.texts() == ["table", "table"]


RATINGS = [{"rating": "1.0", "docId": "a"}, {"docId": "b", "rating": 0.7}]


@pytest.mark.parametrize(
    "root",
    [
        {"name": "n", "judgmentRatings": [{"query": "q", "ratings": RATINGS}]},
        {"judgmentRatings": {"q": RATINGS}},
        {"hits": {"hits": [{"_id": "1", "_source": {"judgmentRatings": {"q": RATINGS}}}]}},
        [{"query": "q", "ratings": RATINGS}],
    ],
)
def test_judgments_of_opensearch(root):
    """A judgment list is read as it is imported, in its older form, and as it is fetched."""
    assert grades_of(root) == {("q", "a"): 1.0, ("q", "b"): 0.7}


def test_several_lists_of_opensearch():
    """Of several lists that were fetched each is a table of its name."""
    sources = [{"name": "n", "judgmentRatings": {"q": RATINGS}}] * 2
    root = {"hits": {"hits": [{"_id": "1", "_source": source} for source in sources]}}
    assert [table.sheet for table in tables_of(root)] == ["n", "n (2)"]


# ---- Quepid


@pytest.mark.parametrize(
    "root",
    [
        {"queries": [{"query": "q", "ratings": {"a": 3, "b": 0}}, {"query": "p", "ratings": {}}]},
        {
            "case_name": "c",
            "scorer": {"scale": [0, 1, 2, 3]},
            "queries": [
                {"arranged_at": 1, "query_text": "q", "options": {}, "ratings": {"a": 3, "b": 0}},
                {"query_text": "p", "notes": None, "ratings": None},
            ],
            "tries": [{"try_number": 1}],
        },
    ],
)
def test_cases_of_quepid(root):
    """Ratings of a case are judgments, in its export and in that of its ratings alone."""
    assert grades_of(root) == {("q", "a"): 3, ("q", "b"): 0}


def test_a_book_of_quepid():
    """Judges stand side by side; who cannot rate, or not yet, has not judged."""

    def judged(rating, email, **more):
        return {"rating": rating, "user_email": email, "unrateable": False} | more

    fields = '{"title": "Star"}'
    pair = {"query_text": "q", "doc_id": "a", "position": 1, "document_fields": fields}
    other = {"query_text": "q", "doc_id": "b", "position": 2, "document_fields": None}
    root = {
        "name": "book",
        "query_doc_pairs": [
            pair | {"judgements": [judged(3.0, "x@y.org"), judged(1.0, None)]},
            other | {"judgements": [judged(0.0, "x@y.org", unrateable=True), judged(2, "z@y.org")]},
            other | {"doc_id": "c", "judgements": []},
        ],
    }
    assert dicts_of(root) == [
        {
            "query": "q",
            "document": "a",
            "rank": 1,
            "title": "Star",
            "rater x@y.org": 3.0,
            "rater unknown": 1.0,
        },
        {"query": "q", "document": "b", "rank": 2, "rater z@y.org": 2},
        {"query": "q", "document": "c", "rank": 2},
    ]
    grades = grades_of(root)
    assert (grades["q", "a"], grades["q", "b"]) == (2, 2)
    assert np.isnan(grades["q", "c"])


# ---- Label Studio


def task(number, data, *annotations):
    """A task with annotations, each (value, who)."""
    return {
        "id": number,
        "data": data,
        "annotations": [
            {"completed_by": who, "result": [{"type": "choices", "value": value}]}
            for value, who in annotations
        ],
    }


def test_label_studio_with_one_annotator():
    """A single annotator's choices are grades, with the rater beside them."""
    root = [
        task(1, {"query": "q", "doc_id": "a"}, ({"choices": ["2"]}, {"id": 4, "email": "b@c"})),
        task(2, {"query": "q", "doc_id": "b"}, ({"text": ["x"]}, {"id": 4, "email": "b@c"})),
        task(3, {"query": "q", "doc_id": "c"}),
    ]
    assert dicts_of(root) == [
        {"query": "q", "doc_id": "a", "grade": "2", "rater": "b@c"},
        {"query": "q", "doc_id": "b", "rater": "b@c"},
        {"query": "q", "doc_id": "c"},
    ]


def test_label_studio_without_documents():
    """A task that names no document is one itself, and that is told."""
    root = [task(n, {"query": "q", "text": "t"}, ({"number": n}, 1)) for n in (5, 6)]
    (table,) = tables_of(root)
    assert table.columns[table.names.index("document")] == ["task 5", "task 6"]
    assert codes_of(table) == [("note", "no-document-ids", None)]
    assert grades_of(root) == {("q", "task 5"): 5, ("q", "task 6"): 6}


def test_label_studio_twice_by_the_same_person():
    """A second rating by the same person is a second row: neither is lost."""
    data = {"query": "q", "doc_id": "a"}
    labels = (({"rating": 1}, 1), ({"rating": 3}, 2), ({"rating": 2}, 1))
    assert dicts_of([task(1, data, *labels)]) == [
        {"query": "q", "doc_id": "a", "rater 1": 1, "rater 2": 3},
        {"query": "q", "doc_id": "a", "rater 1": 2},
    ]


@pytest.mark.parametrize("label", [4, [{"rating": 4}], {"choices": ["4"]}])
def test_label_studio_json_min(label):
    """JSON-MIN has the label beside the data, as a number or as a value of its own kind."""
    name = "relevance" if label == 4 else "stars"
    more = {"annotation_id": 9, "annotator": 1, "lead_time": 2.5, "created_at": "2024"}
    root = [{"id": 1, "query": "q", "doc_id": "a", name: label, **more}]
    (row,) = dicts_of(root)
    assert row | {"grade": int(row["grade"])} == {
        "query": "q",
        "doc_id": "a",
        "grade": 4,
        "rater": 1,
    }


# ---- records


RECORDS = [
    {"query": "q", "docid": "a", "rating": 2, "extra": None},
    {"query": "q", "docid": 12, "rating": "0"},
    {"query": "p", "docid": "a", "rating": True},
]
SPLIT = {
    "columns": ["query", "docid", "rating"],
    "index": [0, 1, 2],
    "data": [list(each.values())[:3] for each in RECORDS],
}
BY_COLUMN = {name: [each[name] for each in RECORDS] for name in SPLIT["columns"]}


@pytest.mark.parametrize(
    "root",
    [
        RECORDS,
        {"schema": {"fields": []}, "data": RECORDS},
        {"judgments": RECORDS},
        SPLIT,
        BY_COLUMN,
        {name: {str(n): cell for n, cell in enumerate(c)} for name, c in BY_COLUMN.items()},
        {str(n): each for n, each in enumerate(RECORDS)},
        [SPLIT["columns"], *SPLIT["data"]],
    ],
    ids=["records", "table", "named", "split", "lists", "columns", "index", "values"],
)
def test_tables_as_pandas_writes_them(root):
    """However a data frame was written, its rows are read, and true as a grade is 1."""
    assert grades_of(root) == {("q", "a"): 2, ("q", "12"): 0, ("p", "a"): 1}


def test_fields_within_fields():
    """Inner fields are columns with dotted names, which may name roles, and lists stay text."""
    root = [
        {
            "query": {"id": 1, "text": "shoe"},
            "document": {"id": "a"},
            "grade": 2,
            "tags": ["x", "y"],
        }
    ]
    (table,) = tables_of(root)
    assert table.header == ("query.id", "query.text", "document.id", "grade", "tags")
    assert rows_of(table)[0] == [1, "shoe", "a", 2, '["x", "y"]']
    roles = guess(table).roles
    assert (roles.query, roles.query_text, roles.document, roles.grade) == (0, 1, 2, 3)


def test_a_record_for_each_query():
    """A record may list its documents: each is a row, and a name of both levels stays apart."""
    root = [
        {"query_id": "q", "score": 0.5, "results": [{"doc_id": "a", "score": 9}]},
        {"query_id": "p", "score": 0.1, "results": []},
    ]
    assert dicts_of(root) == [
        {"query_id": "q", "score": 0.5, "doc_id": "a", "results.score": 9},
        {"query_id": "p", "score": 0.1},
    ]
    assert dicts_of([{"qid": 1, "ranking": ["b", "a"], "tags": ["x"]}]) == [
        {"qid": 1, "tags": '["x"]', "document": "b"},
        {"qid": 1, "tags": '["x"]', "document": "a"},
    ]
    assert dicts_of([{"qid": 1, "relevant": {"b": 2}, "metrics": {"ndcg": 0.5}}]) == [
        {"qid": 1, "metrics.ndcg": 0.5, "document": "b", "grade": 2}
    ]


def test_values_without_a_header():
    """Lists without a header are a table without one, and a person is asked."""
    (table,) = tables_of([["q", "a", 1], ["q", "b", 0]])
    assert table.header is None
    assert guess(table).doubt == "The table has no header row."


# ---- one after another


def test_json_lines():
    """A record on each line is a row of that line; a line that is none is left out and told."""
    table = table_of(
        '{"query": "q", "docno": "a", "relevance": 1}\n\nnonsense\r\n'
        '{"query": "q", "docno": "b", "relevance": 0}\n'
    )
    assert rows_of(table) == [["q", "a", 1], ["q", "b", 0]]
    assert table.row.tolist() == [1, 4]
    assert codes_of(table) == [("warning", "bad-line", 3)]


def test_json_lines_of_queries():
    """A line may hold a query with its documents, of any of the forms."""
    assert dicts_of('{"q": {"a": 1}}\n{"p": {"a": 2}}\n') == [
        {"query": "q", "document": "a", "grade": 1},
        {"query": "p", "document": "a", "grade": 2},
    ]
    table = table_of('{"query": "q", "ratings": {"a": 1, "b": 2}}\n{"query": "p", "ratings": {}}\n')
    assert [row[:2] for row in rows_of(table)] == [["q", "a"], ["q", "b"], ["p", ""]]
    assert table.row.tolist() == [1, 2, 3]


def test_objects_over_several_lines():
    """Objects one after another need not stand on a line each."""
    table = table_of(json.dumps(RECORDS[0], indent=1) + "\n" + json.dumps(RECORDS[1], indent=1))
    assert [row[1] for row in rows_of(table)] == ["a", 12]
    assert table.row.tolist() == [1, 7]


@pytest.mark.parametrize(
    "line", ['{"_id": "1", "text": "t"}', '{"_id": "1", "title": "t", "text": "t", "metadata": {}}']
)
def test_texts_of_beir(line):
    """Files that hold only texts say so, and name what to open."""
    with pytest.raises(FileError, match=r"texts of queries or documents.+no judgments.+Open"):
        table_of(f"{line}\n{line}\n")


# ---- what is odd or refused


def test_spaces_around_ids():
    """Spaces around a query or a document are left out, and told once for each column."""
    (table,) = tables_of({" q": {"a": 1}, "p ": {"b ": 2}})
    assert codes_of(table) == [("note", "spaces-around", 1), ("note", "spaces-around", 2)]
    assert grades_of({" q": {"a": 1}, "p ": {"b ": 2}}) == {("q", "a"): 1, ("p", "b"): 2}


def test_half_characters():
    """Half a character is shown as it is written, and told; a whole one is a character."""
    table = table_of(r'{"q\ud83d\ude00": {"a\ud83d": 1, "\\ud83d": 2}}')
    assert table.columns[0][0] == "q😀"
    assert table.columns[1] == ["a\\ud83d", "\\ud83d"]
    assert codes_of(table) == [("note", "half-character", None)]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{", "not valid JSON"),
        ("{'q': {'d': 1}}", "double quotes"),
        ('{"q": {"d": 1}} x', "more after the end"),
        ('{"q": {"d": 1}}\nx', "not valid JSON"),
        ('{"q":' * 5000, "nested too deeply"),
        ("[" * 500 + "]" * 500, "a list of 1 values"),
        ("{}", "an empty object"),
        ("[]", "an empty list"),
        ("[1, 2]", "a list of 2 values"),
        ('{"name": "x", "version": 1}', "an object with “name”, “version”"),
        ('{"q": {"d": "good"}}', "an object with “q”"),
        ('{"q": {"d": null}}', "an object with “q”"),
        ('{"q": {"d": [1]}}', "an object with “q”"),
        ('{"q": [1, 2]}', "an object with “q”"),
        (json.dumps({"packages": [{"name": "x"}]}), "an object with “packages”"),
        (json.dumps([{f"field {n}": 1} for n in range(1001)]), "1,001 different fields"),
        ('{"topics": [{"query_groups": [{"name": "x"}]}]}', "holds no records"),
    ],
)
def test_json_that_is_refused(text, part):
    """What is no table is refused in a sentence that says what was found."""
    with pytest.raises(FileError, match=r"^table.csv(, row \d+)?: .+\.$") as told:
        table_of(text)
    assert part in str(told.value)


def test_unknown_json_names_what_is_known():
    """The refusal of an unknown shape lists those that are known."""
    with pytest.raises(FileError, match="Elasticsearch, OpenSearch, RRE, Quepid and Label Studio"):
        tables_of({"a": 1})


def test_a_load_that_is_given_up():
    """Reading stops between objects once it is not wanted any more."""
    looks = count()
    data = json.dumps([{"query": "q"}] * (OBJECTS_BETWEEN_LOOKS + 1)).encode()
    with pytest.raises(Cancelled):
        read_bytes(Path("t"), data, lambda: next(looks) >= 0)
    assert next(looks) == 1


# ---- anything

WORDS = (
    *("query", "docid", "document", "grade", "rank", "score", "rating", "ratings", "_id", "text"),
    *("topics", "query_groups", "queries", "relevant_documents", "placeholders", "gain", "$query"),
    *("requests", "details", "hits", "hit", "failures", "_source", "judgmentRatings", "columns"),
    *("query_doc_pairs", "judgements", "data", "annotations", "result", "value", "choices", "id"),
    *("annotation_id", "annotator", "params", "request", "match", "_score", "document_fields"),
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from((10**400, "3", "[", '{"a"'))
    | st.text(max_size=4)
)
NAMES = st.sampled_from(WORDS) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=25,
)


def shape(*fields):
    """An object with some of these fields of the shapes that are known, and any values."""
    return st.fixed_dictionaries({}, optional=dict.fromkeys(fields, VALUES))


KNOWN = (
    st.lists(shape("query", "docid", "rating", "rank", "ratings", "_id", "text"), max_size=3)
    | shape("columns", "data", "index")
    | st.fixed_dictionaries({"topics": st.lists(shape("query_groups", "name"), max_size=2)})
    | st.fixed_dictionaries(
        {"queries": st.lists(shape("placeholders", "relevant_documents", "ratings"), max_size=3)}
    )
    | st.fixed_dictionaries({"requests": st.lists(shape("id", "ratings", "params", "request"))})
    | st.fixed_dictionaries({"details": st.dictionaries(NAMES, shape("hits"), max_size=3)})
    | st.fixed_dictionaries({"hits": shape("hits")})
    | st.fixed_dictionaries(
        {"query_doc_pairs": st.lists(shape("query", "doc_id", "judgements", "document_fields"))}
    )
    | st.lists(shape("id", "data", "annotations"), max_size=3)
    | st.lists(shape("annotation_id", "annotator", "relevance"), max_size=3)
)


def check_reading(data):
    """Bytes become sound tables, and those an evaluation, or are refused as a file is."""
    try:
        tables = read_bytes(Path("x"), data)
        for table in tables:
            assert len({len(column) for column in table.columns} | {len(table)}) == 1
            assert table.header is None or len(table.header) == len(table.columns)
            assert np.all(np.diff(table.row) > 0)
            assert table.row[0] >= 1
        assembled = assemble(plan(tables).parts)
        join(assembled.judgments, assembled.rankings)
    except FileError as error:
        assert str(error).startswith("x")  # noqa: PT017 - that it is raised is not the point


@given(VALUES | KNOWN)
@example({"q": {"d": 10**400}})
@example([{"query": "q", "docid": "d", "rating": 10**400}])
@example({"judgmentRatings": [{"query": {"a": 1}, "ratings": [{"docId": [1], "rating": {}}]}]})
@settings(max_examples=200, deadline=None)
def test_any_json(value):
    """Any JSON gives tables or a FileError, and never another exception."""
    check_reading(json.dumps(value).encode())


@given(st.lists(VALUES, max_size=4), st.sampled_from(("\n", " ", "\r\n\n")))
@settings(max_examples=100, deadline=None)
def test_any_json_lines(values, between):
    """Any values one after another give tables or a FileError, and never another exception."""
    check_reading(("{}" + between + between.join(map(json.dumps, values))).encode())


@given(st.text('{}[]",:1e-aNnul\\ud83 \n', max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_like_json(text):
    """Text that begins like JSON is read or refused, and looking at it raises nothing."""
    looks_like_json(text.encode())
    check_reading(b'{"q' + text.encode())
