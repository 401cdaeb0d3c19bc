"""Repairs for ids that two files write differently: proposed, and applied only when asked for.

A repair never touches the judgments, so that grades go back to the file as its ids are written
there: the ids of the rankings are replaced by those of the judgments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ndcg_desktop.evaluation.affixes import Affix, common_affix
from ndcg_desktop.evaluation.alike import ADDRESS, NUMBER, PUNCTUATION, SPELLING, Rule
from ndcg_desktop.evaluation.columns import Finding, RankingColumns
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.findings import MOST_QUERIES, capped
from ndcg_desktop.evaluation.ids import Ids, factorize, find_pairs
from ndcg_desktop.evaluation.ranking import NO_PAIR, Ranking

QUERY_RULES = (SPELLING, NUMBER, PUNCTUATION)
DOCUMENT_RULES = (SPELLING, NUMBER, ADDRESS)

QUERIES_SAMPLED = 100
PLACES_SAMPLED = 10
FEW_JUDGED = 0.5
"""A share of judged documents at the first places below which their ids are looked at."""
ALIKE = 0.1
"""The share of the unjudged among them that must look like judged ones."""


What = Literal["query", "document"]


@dataclass(frozen=True, slots=True)
class Repair:
    """Ids of the rankings (keys) that are to be read as ids of the judgments (values).

    ``kind`` is different for each repair of an evaluation; a finding names it. ``difference``
    completes “they differ only …”.
    """

    kind: str
    what: What
    difference: str
    mapping: Mapping[str, str]

    @property
    def text(self) -> str:
        """What differs, in one sentence with an example."""
        old, new = next(iter(self.mapping.items()))
        plural = {"query": "queries", "document": "documents"}[self.what]
        one = len(self.mapping) == 1
        some = f"1 {self.what}" if one else f"{len(self.mapping):,} {plural}"
        return (
            f"{some} of the ranking {'differs' if one else 'differ'} from the judgments only "
            f"{self.difference}: “{old}” and “{new}”."
        )


def propose(evaluation: Evaluation) -> list[Repair]:
    """The repairs that would bring rankings and judgments together; none is applied.

    Only pairs of one id with one other are proposed, of ids that only one side has.
    """
    if not len(evaluation.judgments) or not evaluation.rankings:
        return []
    return _queries(evaluation) + _documents(evaluation)


def apply(rankings: Sequence[RankingColumns], repairs: Sequence[Repair]) -> list[RankingColumns]:
    """The rankings with the ids of the repairs replaced, ready to be joined again."""
    out = list(rankings)
    for repair in repairs:
        for place, columns in enumerate(out):
            if repair.what == "query":
                columns = replace(columns, query=columns.query.replaced(repair.mapping))
            else:
                columns = replace(columns, document=columns.document.replaced(repair.mapping))
            out[place] = columns
    return out


def check_near_misses(evaluation: Evaluation) -> list[Finding]:
    """A finding for each query that a repair would mend, and one for each kind of documents."""
    found: list[Finding] = []
    for repair in propose(evaluation):
        told = _query_findings if repair.what == "query" else _document_finding
        found += told(evaluation, repair)
    return found


# ---- queries


def _queries(evaluation: Evaluation) -> list[Repair]:
    queries = evaluation.queries
    judged = np.bincount(evaluation.judgments.query, minlength=len(queries)) > 0
    returned = np.array([ranking.returned > 0 for ranking in evaluation.rankings])
    only_returned = {queries[q] for q in np.flatnonzero(returned.any(axis=0) & ~judged)}
    only_judged = {queries[q] for q in np.flatnonzero(judged & ~returned.all(axis=0))}
    number = {query: place for place, query in enumerate(queries)}

    def kept_apart(pair: tuple[str, str]) -> bool:
        """Whether some ranking has both, so that they cannot be one query."""
        a, b = (number[query] for query in pair)
        return bool((returned[:, a] & returned[:, b]).any())

    out = []
    for rule in QUERY_RULES:
        mapping = dict(
            pair
            for pair in _matches(queries, only_returned, only_judged, rule)
            if not kept_apart(pair)
        )
        out += _repair("query", rule, mapping)
        only_returned -= mapping.keys()
        only_judged -= set(mapping.values())
    affix = common_affix(only_returned, only_judged)
    if affix is not None and not any(map(kept_apart, affix.mapping.items())):
        out += _repair("query", affix, affix.mapping)
    return out


def _matches(
    texts: Collection[str], left: Collection[str], right: Collection[str], rule: Rule
) -> list[tuple[str, str]]:
    """The pairs of one text of the left and one of the right that have the same form, which no
    other text has.
    """
    if not left or not right:
        return []
    alike: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        alike[rule.form(text)].append(text)
    pairs = (group for form, group in alike.items() if form and len(group) == 2)
    return [
        (a, b) if a in left else (b, a)
        for a, b in pairs
        if (a in left and b in right) or (b in left and a in right)
    ]


def _repair(what: What, rule: Rule | Affix, mapping: Mapping[str, str]) -> list[Repair]:
    return [Repair(f"{what}-{rule.name}", what, rule.words, mapping)] if mapping else []


def _query_findings(evaluation: Evaluation, repair: Repair) -> list[Finding]:
    number = {query: place for place, query in enumerate(evaluation.queries)}
    found = []
    for old, new in list(repair.mapping.items())[:MOST_QUERIES]:
        ranking = next(each for each in evaluation.rankings if each.returned[number[old]])
        row = ranking.columns.row[ranking.arrange("auto").rows(number[old]).min()]
        text = (
            f"The query “{old}” of the ranking has no judgments, and the judged query “{new}” is "
            f"not in the ranking: they differ only {repair.difference}. They are kept apart."
        )
        source = ranking.columns.source
        found.append(Finding("warning", "near-miss-query", text, source, int(row), repair.kind))
    return capped(found, len(repair.mapping))


# ---- documents


def _documents(evaluation: Evaluation) -> list[Repair]:
    """Documents that look like judged ones, where suspiciously few are judged."""
    rankings = [each for each in evaluation.rankings if _looks_wrong(evaluation, each)]
    if not rankings:
        return []
    documents = evaluation.judgments.documents
    judged = set(_distinct(documents))
    returned: set[str] = set()
    blank: list[str] = []
    for ranking in rankings:
        hit = ranking.pair != NO_PAIR
        blank += _distinct(ranking.columns.document.take(np.flatnonzero(~hit)))
        returned |= set(documents.take(np.unique(ranking.pair[hit])).texts())
    unjudged = set(blank) - judged
    missed = judged - returned
    texts = list(dict.fromkeys([*blank, *_distinct(documents)]))  # in the order of the files
    out = []
    for rule in DOCUMENT_RULES:
        mapping = dict(_matches(texts, unjudged, missed, rule))
        out += _repair("document", rule, mapping)
        unjudged -= mapping.keys()
        missed -= set(mapping.values())
    return out


def _distinct(ids: Ids) -> list[str]:
    return ids.take(factorize(ids)[1]).texts()


def _looks_wrong(evaluation: Evaluation, ranking: Ranking) -> bool:
    """Whether, in some queries, few documents at the first places are judged and many of the
    others are alike to judged ones of their query.
    """
    judgments = evaluation.judgments
    pairs = np.bincount(judgments.query, minlength=len(evaluation.queries))
    both = np.flatnonzero((pairs > 0) & (ranking.returned > 0))
    sample = both[:: max(len(both) // QUERIES_SAMPLED, 1)]
    shown = unjudged = alike = 0
    arrangement = ranking.arrange("auto")
    for query in sample.tolist():
        rows = arrangement.rows(query)[:PLACES_SAMPLED]
        blank = rows[ranking.pair[rows] == NO_PAIR]
        shown += len(rows)
        if len(blank):
            judged = judgments.documents.take(judgments.of_query(query)).texts()
            texts = ranking.columns.document.take(blank).texts()
            unjudged += len(texts)
            alike += _number_alike(texts, judged)
    return shown > 0 and unjudged > (1 - FEW_JUDGED) * shown and alike >= max(ALIKE * unjudged, 1)


def _number_alike(texts: Sequence[str], judged: Sequence[str]) -> int:
    forms = {rule.form(text) for text in judged for rule in DOCUMENT_RULES}
    return sum(any(rule.form(text) in forms for rule in DOCUMENT_RULES) for text in texts)


def _document_finding(evaluation: Evaluation, repair: Repair) -> list[Finding]:
    """One finding for all, at the first row that has the repair's first document."""
    old = Ids.from_texts([next(iter(repair.mapping))])
    text = f"{repair.text} They are kept apart, and count as not judged."
    for ranking in evaluation.rankings:
        columns = ranking.columns
        one_query = np.zeros(len(columns.document), dtype=np.int32)
        rows = np.flatnonzero(find_pairs(one_query[:1], old, one_query, columns.document) == 0)
        if len(rows):
            row, source = int(columns.row[rows[0]]), columns.source
            return [Finding("warning", "near-miss-document", text, source, row, repair.kind)]
    return []
