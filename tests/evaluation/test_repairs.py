"""Ids that two files write differently: which are told, and that the repair proposed works."""

from dataclasses import replace

import pytest
from build import joined, judgment_columns, ranking_columns, values_of
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.evaluation.alike import loose, plain
from ndcg_desktop.evaluation.findings import MOST_QUERIES
from ndcg_desktop.evaluation.ids import Ids
from ndcg_desktop.evaluation.join import join
from ndcg_desktop.evaluation.repairs import DOCUMENT_RULES, Repair, apply, propose


def proposed(judged, *returned):
    """The repairs for judgments of these queries and rankings of those, as {kind: mapping}."""
    evaluation, _ = joined(
        [(query, "A", 1) for query in judged],
        *[[(query, "A") for query in some] for some in returned],
    )
    return {repair.kind: dict(repair.mapping) for repair in propose(evaluation)}


QUERIES = {
    "1.0 and 1": (["1.0", "2.0"], ["1", "2"], "query-number"),
    "01 and 1": (["1", "2"], ["01", "02"], "query-number"),
    "zeros within": (["2024-1"], ["2024-01"], "query-number"),
    "case": (["Red Shoes"], ["red shoes"], "query-spelling"),
    "no-break space": (["red shoes"], ["red\u00a0shoes"], "query-spelling"),
    "two spaces": (["red shoes"], ["red  shoes"], "query-spelling"),
    "full width": (["ABC 12"], ["ＡＢＣ　１２"], "query-spelling"),
    "decomposed": (["café"], ["cafe\u0301"], "query-spelling"),
    "soft hyphen": (["waterproof"], ["water\u00adproof"], "query-invisible"),
    "zero-width": (["hat"], ["hat\u200b"], "query-invisible"),
    "line separator": (["red shoes"], ["red\u2028 shoes"], "query-invisible"),
    "line separator for a space": (["red shoes"], ["red\u2028shoes"], "query-spelling"),
    "curly quotes": (["women's hat"], ["women’s hat"], "query-marks"),
    "dash": (["t-shirt"], ["t–shirt"], "query-marks"),
    "Excel text": (["001", "002"], ['="001"', '="002"'], "query-text-mark"),
    "apostrophe before": (["'001", "'002"], ["001", "002"], "query-text-mark"),
    "thousands": (["12000"], ["12,000"], "query-thousands"),
    "thousands of the judgments": (["1'200'000"], ["1200000"], "query-thousands"),
    "full stop": (["what is ndcg?"], ["what is ndcg"], "query-punctuation"),
    "suffix": (["2024-1.X", "2024-2.X"], ["2024-1", "2024-2"], "query-affix"),
    "suffix of the ranking": (["2024-1", "2024-2"], ["2024-1_a", "2024-2_a"], "query-affix"),
    "prefix": (["1", "2", "11"], ["q1", "q2", "q11"], "query-affix"),
    "a single query": (["1"], ["q1"], "query-affix"),
}


@pytest.mark.parametrize(("judged", "returned", "kind"), QUERIES.values(), ids=QUERIES.keys())
def test_queries_written_differently(judged, returned, kind):
    """Each way of writing a query differently has its repair, from the ranking to the judgments."""
    assert proposed(judged, returned) == {kind: dict(zip(returned, judged, strict=True))}


APART = {
    "another language": (["c"], ["c++"]),
    "c sharp": (["c"], ["c#"]),
    "words before": (["shoes", "hats"], ["red shoes", "red hats"]),
    "decimals that count": (["version 1.5"], ["version 1.05"]),
    "a thousand": (["1"], ["1,000"]),
    "a list": (["12,0001"], ["120001"]),
    "two marks": (["1,200.000"], ["1200000"]),
    "an apostrophe within": (["rock'n"], ["rockn"]),
    "a dash or none": (["t-shirt"], ["tshirt"]),
    "both are returned": (["Shoes"], ["Shoes", "shoes"]),
    "both are judged": (["Shoes", "shoes"], ["shoes"]),
    "two that fit": (["shoes"], ["Shoes", "SHOES"]),
    "subtopics": (["201.1", "201.2", "202.1", "202.2"], ["201", "202"]),
    "one of many": (["1", "7", "8", "9"], ["q1", "x", "y", "z"]),
    "other ids": (["301", "302"], ["401", "402"]),
}


@pytest.mark.parametrize(("judged", "returned"), APART.values(), ids=APART.keys())
def test_queries_that_are_others(judged, returned):
    """Nothing is proposed for queries that differ in what they ask, or where a choice is needed."""
    assert proposed(judged, returned) == {}


def test_a_query_returned_by_the_other_ranking():
    """A repair must fit every ranking: one that returns both keeps them apart."""
    assert proposed(["1"], ["1"], ["q1"]) == {"query-affix": {"q1": "1"}}
    assert proposed(["1"], ["1", "q1"], ["q1"]) == {}


def test_a_repair_is_told_and_not_applied():
    """The finding names the row, both queries, what differs and the repair; the score stays."""
    evaluation, findings = joined([("1.0", "A", 1)], [("7", "A"), ("1", "A")])
    (finding,) = [each for each in findings if each.code == "near-miss-query"]
    assert (finding.level, finding.source.file, finding.row) == ("warning", "run.csv", 3)
    assert finding.repair == "query-number"
    assert finding.text == (
        "The query “1” of the ranking has no judgments, and the judged query “1.0” is not in the "
        "ranking: they differ only by leading zeros or a “.0” at the end. They are kept apart."
    )
    assert values_of(evaluation) == {"1.0": 0.0}


def test_very_many_are_cut_short():
    """Past a number of queries one finding says how many more there are."""
    number = MOST_QUERIES + 7
    evaluation, findings = joined(
        [(f"{query}.0", "A", 1) for query in range(1, number + 1)],
        [(f"{query}", "A") for query in range(1, number + 1)],
    )
    told = [each for each in findings if each.code == "near-miss-query"]
    assert len(told) == MOST_QUERIES + 1
    assert told[-1].text == "… and 7 more queries."
    assert len(propose(evaluation)[0].mapping) == number


DOCUMENTS = {
    "case": ("doc{}", "DOC{}", "document-spelling"),
    "zeros": ("{}", "00{}", "document-number"),
    "decimals": ("{}", "{}.0", "document-number"),
    "slash": ("https://a.example/{}", "https://a.example/{}/", "document-address"),
    "scheme": ("https://a.example/{}", "http://a.example/{}", "document-address"),
    "Excel text": ("00{}", '="00{}"', "document-text-mark"),
    "apostrophe before": ("00{}", "'00{}", "document-text-mark"),
    "thousands": ("{}000", "{},000", "document-thousands"),
    "dash": ("d-{}", "d–{}", "document-marks"),
    "curly quote": ("d'{}", "d’{}", "document-marks"),
    "zero-width": ("d{}", "d{}\u200b", "document-invisible"),
    "line separator": ("d{}", "d\u2028{}", "document-invisible"),
}


@pytest.mark.parametrize(("judged", "returned", "kind"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_documents_written_differently(judged, returned, kind):
    """Where no document is found, those that look alike are told once, with their repair."""
    numbers = range(11, 15)
    evaluation, findings = joined(
        [("q", judged.format(each), 1) for each in numbers],
        [("q", returned.format(each)) for each in numbers],
    )
    (repair,) = propose(evaluation)
    assert repair.kind == kind
    assert repair.mapping == {returned.format(n): judged.format(n) for n in numbers}
    (finding,) = findings
    assert (finding.level, finding.code, finding.row) == ("warning", "near-miss-document", 2)
    assert finding.repair == kind
    assert finding.text.startswith("4 documents of the ranking differ from the judgments only by")


def test_documents_that_are_known():
    """Nothing is proposed where most documents are judged, or where both forms are judged."""
    judged = [("q", name, 1) for name in "ABCD"]
    assert propose(joined(judged, [("q", name) for name in ("A", "B", "C", "d")])[0]) == []
    both = [("q", name, 1) for name in ("a", "A", "b", "B")]
    assert propose(joined(both, [("q", name) for name in ("X", "Y", "a")])[0]) == []
    assert propose(joined([("q", "A", 1)], [("q", "x"), ("q", "y")])[0]) == []


PADDED = [f"{number:06}" for number in range(7, 67)]


@pytest.mark.parametrize("lost", [3, 30])
def test_zeros_lost_on_some_rows(lost):
    """Zeros that one id in three, or two ids, have lost are put back, whatever else is judged."""
    returned = [
        (f"q{place % 4}", text.lstrip("0") if place % lost == 0 else text)
        for place, text in enumerate(PADDED)
    ]
    judged = [(f"q{place % 4}", text, place % 3) for place, text in enumerate(PADDED)]
    evaluation, findings = joined(judged, returned)
    (repair,) = propose(evaluation)
    assert repair.kind == "document-number"
    assert repair.mapping == {text.lstrip("0"): text for text in PADDED[::lost]}
    (finding,) = [each for each in findings if each.code == "near-miss-document"]
    assert finding.row == 2
    mended = apply([ranking_columns(returned)], [repair])
    right = [(query, text) for (query, _), text in zip(returned, PADDED, strict=True)]
    assert values_of(join([judgment_columns(judged)], mended)[0]) == values_of(
        joined(judged, right)[0]
    )


@pytest.mark.parametrize("mark", ["\u200b", "\u2028"])
def test_one_id_in_ten_with_a_character_that_is_not_shown(mark):
    """A single id with such a character is told: nobody can see why it is not judged."""
    names = [f"d{number}" for number in range(10)]
    evaluation, findings = joined(
        [("q", name, 1) for name in names], [("q", name) for name in (*names[:9], "d9" + mark)]
    )
    (repair,) = propose(evaluation)
    assert (repair.kind, repair.mapping) == ("document-invisible", {"d9" + mark: "d9"})
    assert [(each.code, each.row) for each in findings] == [("near-miss-document", 11)]


def test_documents_that_are_others():
    """Ids that look alike are kept apart where a query returns both, where they are judged for
    other queries only, and where two ids would fit.
    """
    known = [("q", f"d{number}", 1) for number in range(6)]
    found = [("q", f"d{number}") for number in range(6)]
    judged = [*known, ("q", "a", 1), ("q", "b", 0)]
    both = [*found, *(("q", name) for name in "aAbB")]
    assert propose(joined(judged, both)[0]) == []
    elsewhere = [*known, ("p", "a", 1), ("p", "b", 0), ("p", "c", 0)]
    assert propose(joined(elsewhere, [*found, ("q", "A"), ("q", "B"), ("p", "c")])[0]) == []
    several = [("q", name) for name in ("01", "001", "02", "002")]
    assert propose(joined([*known, ("q", "1", 1), ("q", "2", 0)], [*found, *several])[0]) == []


SOME_TEXT = st.text(max_size=8) | st.text("aA0 1.,'-_/\n’\u200b\u2028", max_size=8)


@given(SOME_TEXT, SOME_TEXT)
def test_texts_that_are_alike_have_one_loose_form(a, b):
    """The form by which candidates are found joins whatever some rule joins."""
    for rule in DOCUMENT_RULES:
        for other in (
            b,
            f" \n{a}",
            rule.form(a),
            a.upper(),
            f"0{a}",
            f"{a}.0",
            f"'{a}",
            f"http://{a}",
        ):
            if rule.form(a) == rule.form(other):
                assert len(set(loose([a, "x", other, a])[::2] + loose([a]))) == 1


def test_the_score_once_repaired():
    """Joined again after its repairs, a ranking is scored as one whose ids were right."""
    grades = [("1", "A", 3), ("1", "B", 1), ("2", "A", 0), ("2", "B", 2)]
    right = [("1", "B"), ("1", "A"), ("2", "A"), ("2", "B")]
    wrong = [(f"q{query}", document.lower()) for query, document in right]
    rankings = [ranking_columns(wrong)]
    judgments = [judgment_columns(grades)]
    for _ in range(2):  # documents can be compared once their queries meet
        evaluation, _ = join(judgments, rankings)
        rankings = apply(rankings, propose(evaluation))
    evaluation, findings = join(judgments, rankings)
    assert values_of(evaluation) == values_of(joined(grades, right)[0])
    assert findings == []
    assert propose(evaluation) == []


def test_the_sentence_of_a_repair():
    """A repair says how many ids it concerns, in the singular too."""
    one = Repair("query-affix", "query", "by “q” at the beginning in the ranking", {"q1": "1"})
    assert one.text == (
        "1 query of the ranking differs from the judgments only by “q” at the beginning in the "
        "ranking: “q1” and “1”."
    )
    two = replace(one, mapping={"q1": "1", "q2": "2"})
    assert two.text.startswith("2 queries of the ranking differ from")


IDS = st.sampled_from(["a", "b", "B", "é", "10", "", "a longer id than a word", "\x00"])


@given(ids=st.lists(IDS), mapping=st.dictionaries(IDS, IDS))
def test_ids_replaced(ids, mapping):
    """Ids are replaced as a dictionary replaces texts, and only once."""
    replaced = Ids.from_texts(ids).replaced(mapping)
    assert replaced.texts() == [mapping.get(text, text) for text in ids]


@given(st.lists(st.text("aAbB1 .\u00a0", min_size=1, max_size=4).filter(str.strip), max_size=12))
def test_a_proposed_pair_is_unambiguous(texts):
    """Whatever the queries, a pair joins one that is only returned with one only judged, once."""
    half = len(texts) // 2
    judged, returned = texts[:half], texts[half:]
    evaluation, _ = joined([(text, "A", 1) for text in judged], [(text, "A") for text in returned])
    repairs = propose(evaluation)
    pairs = [pair for repair in repairs for pair in repair.mapping.items()]
    assert len({old for old, _ in pairs}) == len({new for _, new in pairs}) == len(pairs)
    assert {old for old, _ in pairs} <= set(returned) - set(judged)
    assert {new for _, new in pairs} <= set(judged) - set(returned)


@given(st.text(max_size=12))
def test_the_plain_form_is_settled(text):
    """The plain form of a plain form is itself, for letters whose case is settled."""
    assert plain(plain(plain(text))) == plain(plain(text))
