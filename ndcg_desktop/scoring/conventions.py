"""Named sets of options that give the figure another tool gives, as read from its source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ndcg_desktop.scoring.options import GainKind, Options

BOTH: tuple[GainKind, ...] = ("linear", "exponential")
EXPONENTIAL: tuple[GainKind, ...] = ("exponential",)


@dataclass(frozen=True, slots=True)
class Convention:
    """The options of one tool, at whatever cutoff.

    ``gains`` are those that the tool offers, its own first. ``about`` says what is peculiar to it,
    and what of that is not done here.
    """

    name: str
    version: str
    gains: tuple[GainKind, ...]
    options: dict[str, Any]
    about: str

    def apply(self, options: Options) -> Options:
        """The options that give this tool's figure at the same cutoff; and at the same gain, where
        the tool offers that. None reads a table of gains as it is read here.
        """
        gain = options.gain if options.gain in self.gains else self.gains[0]
        return replace(Options(cutoff=options.cutoff, gain=gain), **self.options)


def _as_trec_eval(**more: str) -> dict[str, Any]:
    # ndcg_cut: a judged query that the run misses is skipped, as without -c before v10.
    return {"order": "score", "undefined": "zero", "missing": "skip"} | more


def _by_rows(**more: Any) -> dict[str, Any]:
    """Tools that take the documents in the order in which they are given."""
    return {"order": "file", "undefined": "zero", "missing": "skip"} | more


RETRIEVAL = (
    Convention(
        "trec_eval",
        "9.0.8, and pytrec_eval 0.5.11",
        ("linear",),
        _as_trec_eval(),
        "Ranks are ignored: documents go by score, those that tie by id, descending. With -c a "
        "judged query that is not returned counts as 0. pytrec_eval and old versions compare "
        "scores of 32 bits, and fractions of grades are cut off; not so here.",
    ),
    Convention(
        "ir_measures",
        "0.4.3",
        BOTH,
        _as_trec_eval(missing="zero"),
        "As trec_eval, but that a judged query that is not returned counts as 0.",
    ),
    Convention(
        "ranx",
        "0.3.21",
        BOTH,
        _by_rows(missing="zero"),
        "Documents stay in the order in which they are given. It refuses rankings that miss a "
        "query unless told to count it as 0. Its ndcg is linear, its ndcg_burges exponential.",
    ),
    Convention(
        "gdeval",
        "gdeval.pl as ir_measures 0.4.3 has it",
        EXPONENTIAL,
        _as_trec_eval(undefined="skip", rounding="5-decimals"),
        "A query without a relevant document is left out; figures are rounded to 5 decimals. It "
        "stops at a grade above 4.",
    ),
    Convention(
        "BEIR, MTEB",
        "BEIR source 1440b9d, MTEB of autumn 2026",
        ("linear",),
        _as_trec_eval(rounding="5-decimals"),
        "As pytrec_eval, the mean rounded to 5 decimals. BEIR also takes out each document whose "
        "id is that of its query; not so here.",
    ),
)

ENGINES = (
    Convention(
        "Elasticsearch",
        "rank_eval dcg with normalize, source d04e400",
        EXPONENTIAL,
        _by_rows(ideal_cut="returned", missing="zero"),
        "The ideal is cut at the number of hits, so that a short list is not marked down for what "
        "it lacks. A negative rating has a negative gain there, and gains 0 here.",
    ),
    Convention(
        "OpenSearch",
        "search-relevance, source d8be5d1",
        EXPONENTIAL,
        _by_rows(rounding="2-decimals"),
        "Each query is rounded to 2 decimals. A negative rating has a negative gain there, and "
        "gains 0 here; a document that is returned twice counts twice there, and once here.",
    ),
    Convention(
        "Quepid nDCG@k",
        "the scorer ndcg@k, source f80322f",
        EXPONENTIAL,
        _by_rows(ideal_cut="none"),
        "The ideal is that of all ratings and is not cut at k: with more than k relevant documents "
        "no ranking reaches 1.",
    ),
    Convention(
        "Quepid nDCG cut",
        "the scorer ndcg_cut@k in the browser, source f80322f",
        EXPONENTIAL,
        _by_rows(),
        "The ideal is cut at k. The same scorer run on the server sorts the ideal with the lowest "
        "rating first and exceeds 1: that is a defect, and not done here.",
    ),
    Convention(
        "RRE",
        "Rated Ranking Evaluator NDCGAtK, source e478aa7",
        EXPONENTIAL,
        _by_rows(undefined="skip", missing="zero", rounding="floored-terms"),
        "Each term from rank 2 on, of both sums, and each query are cut off after 2 decimals. It "
        "fails at a query whose grades are all 0, which is left out here, and gives 1 where "
        "nothing is judged.",
    ),
)

LEARNING = (
    Convention(
        "scikit-learn",
        "1.9.1, on the returned documents",
        ("linear",),
        _by_rows(order="ties-averaged", ideal="returned"),
        "The ideal is that of the rows that are passed, here the returned documents. Tied "
        "documents share their gains. It refuses negative grades and a single document.",
    ),
    Convention(
        "XGBoost",
        "3.2",
        ("exponential", "linear"),
        _by_rows(ideal="returned", undefined="one"),
        "The ideal is that of the rows of the group; a query without a relevant document counts "
        "as 1 (as 0 with ndcg-). Linear gain is ndcg_exp_gain=False.",
    ),
    Convention(
        "LightGBM",
        "4.7",
        EXPONENTIAL,
        _by_rows(ideal="returned", undefined="one"),
        "The ideal is that of the rows of the group; a query without a relevant document counts "
        "as 1. Another label_gain is a table of gains.",
    ),
    Convention(
        "CatBoost",
        "1.2.10",
        BOTH,
        _by_rows(order="ties-worst", ideal="returned", undefined="one"),
        "Of tied documents the lower grade comes first. The ideal is that of the rows of the "
        "group; a query without a relevant document counts as 1. Exponential gain is type=Exp. A "
        "negative grade has a negative gain there, and gains 0 here.",
    ),
    Convention(
        "torchmetrics",
        "retrieval_normalized_dcg, source 01c2fa6",
        ("linear",),
        _by_rows(order="ties-averaged", ideal="returned"),
        "As scikit-learn, in floats of 32 bits. It takes scores of 0 and below for ties at the "
        "end; not so here.",
    ),
)

PAPERS = (
    Convention(
        "Järvelin & Kekäläinen 2002",
        "ACM TOIS 20(4), with logarithms to base 2",
        BOTH,
        _by_rows(undefined="skip", discount="base", discount_base=2.0),
        "There is no discount before rank 2, the base of the logarithm, and 1/log2(i) from there: "
        "the first two places weigh the same.",
    ),
    Convention(
        "calculator page",
        "pages for calculating nDCG on the web",
        BOTH,
        _by_rows(ideal="returned"),
        "The ideal is that of the list that is pasted: what was not returned is unknown to it.",
    ),
)

GROUPS = {
    "Evaluation of retrieval": RETRIEVAL,
    "Search engines and their tools": ENGINES,
    "Machine learning": LEARNING,
    "Papers and pages": PAPERS,
}

CONVENTIONS = {each.name: each for group in GROUPS.values() for each in group}
"""By name."""

ALIASES = {
    "pytrec_eval": "trec_eval",
    "sklearn": "scikit-learn",
    "beir": "BEIR, MTEB",
    "mteb": "BEIR, MTEB",
    "quepid": "Quepid nDCG@k",
    "quepid-cut": "Quepid nDCG cut",
    "jarvelin-kekalainen": "Järvelin & Kekäläinen 2002",
    "calculator": "calculator page",
}
"""Other names, and ones that are typed without a quotation mark."""


def convention(name: str) -> Convention | None:
    """The convention of this name, in capitals or not; None where there is none."""
    folded = {known.casefold(): known for known in CONVENTIONS}
    known = ALIASES.get(name.casefold(), folded.get(name.casefold()))
    return None if known is None else CONVENTIONS[known]


def all_matching(options: Options) -> list[Convention]:
    """Each convention that these very options are: some tools score alike."""
    return [each for each in CONVENTIONS.values() if each.apply(options) == options]


def matching(options: Options, preferred: str | None = None) -> Convention | None:
    """The convention that these very options are, None where they are nobody's; of several the
    preferred one, else the first.
    """
    found = all_matching(options)
    return next((each for each in found if each.name == preferred), found[0] if found else None)
