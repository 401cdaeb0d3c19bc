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
from numpy.typing import NDArray

from ndcg_desktop.evaluation.affixes import Affix, common_affix
from ndcg_desktop.evaluation.alike import (
    ADDRESS,
    INVISIBLE,
    MARKS,
    NUMBER,
    PUNCTUATION,
    SPELLING,
    TEXT_MARK,
    THOUSANDS,
    Rule,
    loose,
)
from ndcg_desktop.evaluation.columns import Finding, RankingColumns
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.findings import MOST_QUERIES, capped
from ndcg_desktop.evaluation.ids import BLOCK, Ids, find_pairs
from ndcg_desktop.evaluation.ranking import NO_PAIR, Ranking

QUERY_RULES = (INVISIBLE, SPELLING, MARKS, TEXT_MARK, NUMBER, THOUSANDS, PUNCTUATION)
DOCUMENT_RULES = (INVISIBLE, SPELLING, MARKS, TEXT_MARK, NUMBER, THOUSANDS, ADDRESS)

QUERIES_SAMPLED = 100
ROWS_SAMPLED = 5000
"""Rows, the first of each of the queries, whose documents are compared with the judged ones."""
FEW_JUDGED = 0.5
"""A share of judged documents among them below which a single one that is alike is told, ..."""
ALIKE = 0.01
"""... if it is this share of the unjudged ones."""


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


def check_near_misses(evaluation: Evaluation, repairs: Sequence[Repair]) -> list[Finding]:
    """A finding for each query that a repair would mend, and one for each kind of documents."""
    found: list[Finding] = []
    for repair in repairs:
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
    """Unjudged documents that look like judged ones of their query that are not returned."""
    seen = {ranking: _rules_seen(evaluation, ranking) for ranking in evaluation.rankings}
    rankings = [ranking for ranking, rules in seen.items() if rules]
    if not rankings:
        return []
    judgments = evaluation.judgments
    missed = np.zeros(len(judgments), dtype=bool)
    for ranking in rankings:
        missed |= ~_returned(evaluation, ranking)
    wanted = set(loose(judgments.documents.take(np.flatnonzero(missed)).texts()))
    judged = _alike_to(judgments.documents, wanted)
    blank: dict[str, None] = {}
    for ranking in rankings:
        rows = np.flatnonzero(ranking.pair == NO_PAIR)
        blank |= _alike_to(ranking.columns.document.take(rows), wanted)
    texts = list(blank | judged)  # in the order of the files
    left, right = blank.keys() - judged.keys(), set(judged)
    out = []
    for rule in DOCUMENT_RULES:
        fewest = min((rules[rule] for rules in seen.values() if rule in rules), default=0)
        if not fewest:
            continue
        mapping = dict(_matches(texts, left, right, rule))
        mapping, rows_met = _meeting(evaluation, rankings, mapping)
        if rows_met < fewest:
            continue
        out += _repair("document", rule, mapping)
        left -= mapping.keys()
        right -= set(mapping.values())
    return out


def _returned(evaluation: Evaluation, ranking: Ranking) -> NDArray[np.bool_]:
    """Whether a ranking returns each of the pairs of the judgments."""
    returned = np.zeros(len(evaluation.judgments), dtype=bool)
    returned[ranking.pair[ranking.pair != NO_PAIR]] = True
    return returned


def _alike_to(documents: Ids, forms: set[bytes]) -> dict[str, None]:
    """The different documents, as keys, that have one of these loose forms."""
    found: dict[str, None] = {}
    for begin in range(0, len(documents), BLOCK):
        texts = documents.take(slice(begin, begin + BLOCK)).texts()
        found |= {
            text: None for text, form in zip(texts, loose(texts), strict=True) if form in forms
        }
    return found


def _meeting(
    evaluation: Evaluation, rankings: Sequence[Ranking], mapping: Mapping[str, str]
) -> tuple[dict[str, str], int]:
    """The documents that some query returns by one id and judges by the other, and on how many
    rows, without those of which a query returns both.
    """
    old, new = Ids.from_texts(list(mapping)), Ids.from_texts(list(mapping.values()))
    judgments = evaluation.judgments
    met = np.zeros(len(old), dtype=np.int64)
    apart = np.zeros(len(old), dtype=bool)
    for ranking in rankings:
        blank = np.flatnonzero(ranking.pair == NO_PAIR)
        one_query = np.zeros(max(len(blank), len(old)), dtype=np.int32)
        documents = ranking.columns.document.take(blank)
        place = find_pairs(one_query[: len(old)], old, one_query[: len(blank)], documents)
        rows, place = blank[place >= 0], place[place >= 0]
        query = ranking.query[rows]
        pair = find_pairs(judgments.query, judgments.documents, query, new.take(place))
        met += np.bincount(place[pair != NO_PAIR], minlength=len(old))
        returned = np.append(_returned(evaluation, ranking), False)  # the last for NO_PAIR
        apart[place[returned[pair]]] = True
    good = (met > 0) & ~apart
    kept = {text: mapping[text] for text, is_good in zip(mapping, good, strict=True) if is_good}
    return kept, int(met[good].sum())


def _rules_seen(evaluation: Evaluation, ranking: Ranking) -> dict[Rule, int]:
    """The rules by which documents at the first places of some queries are alike, and how many of
    them make a repair: one where few at these places are judged, more where most are.
    """
    judgments = evaluation.judgments
    both = np.flatnonzero((judgments.listed() > 0) & (ranking.returned > 0))
    sample = both[:: max(len(both) // QUERIES_SAMPLED, 1)]
    arrangement = ranking.arrange("auto")
    shown = unjudged = 0
    alike = dict.fromkeys(DOCUMENT_RULES, 0)
    for query in sample.tolist():
        rows = arrangement.rows(query)
        pairs = judgments.of_query(query)
        missed = pairs[~np.isin(pairs, ranking.pair[rows])]
        rows = rows[: max(ROWS_SAMPLED // len(sample), 1)]
        blank = rows[ranking.pair[rows] == NO_PAIR]
        shown += len(rows)
        unjudged += len(blank)
        if len(missed) and len(blank):
            texts = ranking.columns.document.take(blank).texts()
            for rule in _rules_that_join(texts, judgments.documents.take(missed).texts()):
                alike[rule] += 1
    if unjudged > (1 - FEW_JUDGED) * shown and sum(alike.values()) >= max(ALIKE * unjudged, 1):
        return {rule: 1 for rule, number in alike.items() if number}
    return {rule: rule.fewest for rule, number in alike.items() if number >= rule.fewest}


def _rules_that_join(returned: Sequence[str], judged: Sequence[str]) -> list[Rule]:
    """For each pair of documents of one query that are alike the first rule that says so."""
    common = set(loose(returned)) & set(loose(judged))
    if not common:
        return []
    left, right = set(returned), set(judged)
    texts = list(dict.fromkeys([*returned, *judged]))
    found = []
    for rule in DOCUMENT_RULES:
        for a, b in _matches(texts, left, right, rule):
            found.append(rule)
            left.discard(a)
            right.discard(b)
    return found


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
