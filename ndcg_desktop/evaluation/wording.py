"""Numbers and outcomes in words: the one place where a figure becomes text."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.columns import Duplicates
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.open_grades import mean_bounds
from ndcg_desktop.evaluation.votes import ONE_JUDGE, rule_words
from ndcg_desktop.scoring.ndcg import Scores, Status
from ndcg_desktop.scoring.options import Options

DECIMALS = 3
NONE = "–"

LARGE = 1e9
"""From here on a figure is shown with a power of ten: more digits than anybody counts."""

LARGEST_WHOLE = 1e21
"""Below this a whole grade is shown with all its digits."""

NO_COMMON_QUERY = "Judgments and ranking have no query in common"

REASONS = {
    Status.UNDEFINED: "no relevant document judged",
    Status.UNJUDGED: "not judged",
    Status.ABSENT: "absent from the ranking",
    Status.REFUSED: "a gain cannot be computed",
    Status.IDEAL_TOO_LOW: "the ideal grades given are lower than the ranking's own",
}
"""Why a query has no nDCG, in a few words."""

DUPLICATES: dict[Duplicates, str] = {
    "highest": "highest grade",
    "first": "first row",
    "last": "last row",
    "mean": "mean",
}
"""Which grade counts where a document is judged more than once, and how that is called."""


def decimal(value: float | None, decimals: int = DECIMALS) -> str:
    """A figure with this many decimals; a dash where there is none, or none can be computed."""
    if value is None or not math.isfinite(value):
        return NONE
    if abs(value) >= LARGE:
        return f"{value:.{decimals}e}"
    return f"{value:.{decimals}f}"


def moved(before: float | None, after: float | None, decimals: int = DECIMALS) -> str:
    """A figure before and after, such as "0.710 → 0.745 (+0.035)"."""
    text = f"{decimal(before, decimals)} → {decimal(after, decimals)}"
    if before is None or after is None:
        return text
    sign = "−" if after < before else "+"
    return f"{text} ({sign}{decimal(abs(after - before), decimals)})"


def signed(value: float | None, decimals: int = DECIMALS) -> str:
    """A difference with its sign: "+0.031", "−0.031", "0.000"."""
    text = decimal(None if value is None else abs(value), decimals)
    if value is None or text == NONE or float(text) == 0:
        return text
    return ("−" if value < 0 else "+") + text


def queries_text(number: int) -> str:
    """So many queries."""
    return "1 query" if number == 1 else f"{number:,} queries"


def grade_text(value: float | None) -> str:
    """A grade as it was given: 3, not 3.000; empty where there is none."""
    if value is None or not math.isfinite(value):
        return ""
    if abs(value) < LARGEST_WHOLE and value == int(value):
        return str(int(value))
    # Means of several graders are shown short; the number itself is kept whole.
    return f"{value:.6g}"


def labelled_grade(value: float | None, labels: Mapping[float, str]) -> str:
    """A grade by its word, with the number: "Exact (2)"; the number alone where it has no word."""
    text = grade_text(value)
    label = None if value is None else labels.get(value)
    return text if label is None else f"{label} ({text})"


def reason(status: int, options: Options, gains: NDArray[np.float64] | None = None) -> str:
    """Why a query is not scored, under these options; ``gains`` are those of all grades."""
    if status == Status.UNDEFINED and options.ideal == "returned":
        return "no relevant document returned"
    if status == Status.REFUSED:
        if options.gain == "table" and gains is not None and not np.isnan(gains).any():
            return "its gains are too large to be added up"
        return {
            "linear": "its grades are too large to be added up",
            "exponential": "2^grade − 1 is too large to be computed; use linear gain",
            "table": "the gain table has no entry for one of its grades",
        }[options.gain]
    return REASONS[Status(status)]


def query_sentence(status: int, options: Options, gains: NDArray[np.float64] | None = None) -> str:
    """One sentence for a query that has no nDCG, empty for one that has."""
    if status == Status.SCORED:
        return ""
    if status == Status.UNDEFINED and options.ideal == "judged":
        end = {
            "skip": "Not scored.",
            "zero": "It counts as 0 in the mean.",
            "one": "It counts as 1 in the mean.",
        }[options.undefined]
        return f"Every grade of this query is 0: there is nothing to normalise by. {end}"
    if status == Status.ABSENT:
        end = "It counts as 0." if options.missing == "zero" else "It is left out."
        return f"The ranking returns nothing for this query. {end}"
    text = reason(status, options, gains)
    return f"Not scored: {text}."


def outcome(evaluation: Evaluation, ranking: int, query: int) -> str:
    """Why a query has no nDCG in this ranking, in a few words, empty where it has one."""
    if evaluation.disjoint(ranking):
        return NO_COMMON_QUERY[0].lower() + NO_COMMON_QUERY[1:]
    status = int(evaluation.scores(ranking).status[query])
    return "" if status == Status.SCORED else reason(status, evaluation.options, evaluation.gains)


def outcome_sentence(evaluation: Evaluation, ranking: int, query: int) -> str:
    """One sentence for a query that has no nDCG in this ranking, empty for one that has."""
    if evaluation.disjoint(ranking):
        return f"{NO_COMMON_QUERY}: nothing is scored."
    status = int(evaluation.scores(ranking).status[query])
    return query_sentence(status, evaluation.options, evaluation.gains)


def beyond_list(options: Options, returned: int) -> str:
    """What a cutoff beyond the end of the list means, empty where it is not."""
    k = options.cutoff
    if k is None or returned >= k or returned == 0:
        return ""
    places = f"place {k} counts" if returned + 1 == k else f"places {returned + 1}–{k} count"
    documents = "1 document" if returned == 1 else f"{returned} documents"
    if options.ideal_cut == "returned":
        return f"k is {k}, this ranking has {documents}: the ideal is cut there, too."
    return f"k is {k}, this ranking has {documents}: {places} as empty."


def left_out(evaluation: Evaluation, scores: Scores) -> dict[str, str]:
    """Each query that is not in the mean, with the reason."""
    options = evaluation.options
    return {
        evaluation.queries[query]: reason(int(scores.status[query]), options, evaluation.gains)
        for query in np.flatnonzero(~scores.counted).tolist()
    }


def counted(evaluation: Evaluation, ranking: int) -> NDArray[np.bool_]:
    """Whether each query has a figure to be shown: none has where judgments and ranking have no
    query in common, since zeros would be no scores. Shape (Q,).
    """
    there = evaluation.scores(ranking).counted
    return np.zeros_like(there) if evaluation.disjoint(ranking) else there


def mean_value(evaluation: Evaluation, ranking: int) -> float | None:
    """The mean of a ranking; None where there is nothing to take a mean of, also when judgments
    and ranking have no query in common.
    """
    return None if evaluation.disjoint(ranking) else evaluation.scores(ranking).mean


def mean_text(evaluation: Evaluation, ranking: int, decimals: int = DECIMALS) -> str:
    """The mean with its measure, its n, and what was left out and why."""
    scores = evaluation.scores(ranking)
    value = mean_value(evaluation, ranking)
    measure = evaluation.options.measure
    if value is None:
        return f"mean {measure} {NONE} (no query is scored)"
    parts = [f"n = {scores.n}"]
    counted = scores.counted
    for status in (Status.UNDEFINED, Status.ABSENT):
        number = int(np.count_nonzero((scores.status == status) & counted))
        if number:
            value_word = (
                "1"
                if status is Status.UNDEFINED and (evaluation.options.undefined == "one")
                else "0"
            )
            word = "undefined" if status is Status.UNDEFINED else "absent"
            parts.append(f"{number} {word} as {value_word}")
    out = left_out_counts(evaluation, scores)
    text = f"mean {measure} {decimal(value, decimals)} ({', '.join(parts)})"
    return f"{text}; left out: {out}" if out else text


def mean_range_text(evaluation: Evaluation, ranking: int, decimals: int = DECIMALS) -> str:
    """What the mean may turn out to be, given the unjudged documents of the top k; empty where it
    is certain, and where there is none.
    """
    if evaluation.disjoint(ranking):
        return ""
    found = mean_bounds(evaluation, ranking)
    if found is None:
        return ""
    low, high = decimal(found.lower, decimals), decimal(found.upper, decimals)
    if found.upper - found.lower < 10.0**-decimals and found.n_least == found.n_most:
        return ""
    n = f"{found.n_least}" if found.n_least == found.n_most else f"{found.n_least}–{found.n_most}"
    text = f"between {low} and {high} (n = {n}), whatever the unjudged documents turn out to be"
    return text + range_caveat(evaluation.options)


def range_caveat(options: Options) -> str:
    """What a range does not allow for, to be said after it; empty where there is nothing."""
    said = []
    if options.rounding != "none":
        said.append("before rounding")
    if options.order == "ties-worst":
        said.append("while tied documents keep their order")
    return f", {' and '.join(said)}" if said else ""


def left_out_counts(evaluation: Evaluation, scores: Scores) -> str:
    """How many queries are not in the mean, by reason."""
    statuses, counts = np.unique(scores.status[~scores.counted], return_counts=True)
    return ", ".join(
        f"{count} ({reason(status, evaluation.options, evaluation.gains)})"
        for status, count in zip(statuses.tolist(), counts.tolist(), strict=True)
    )


def named_in_full(evaluation: Evaluation) -> str:
    """Everything that a score is named by: gain, ideal, and whatever is not the default."""
    text = evaluation.options.statement
    merged = merged_words(evaluation)
    return f"{text}, grades: {merged}" if merged else text


def full_name(evaluation: Evaluation) -> str:
    """The measure with every option that is not the default, and how several judges' grades became
    one.
    """
    merged = merged_words(evaluation)
    name = evaluation.options.full_name
    return f"{name}, grades: {merged}" if merged else name


def merged_words(evaluation: Evaluation) -> str:
    """How the grades of several judges became one, empty where there is one judge."""
    votes = evaluation.votes
    if votes is None:
        return ""
    least, most = votes.spread
    words = rule_words(votes.rule)
    if not votes.rule.startswith(ONE_JUDGE):
        judges = f"{most}" if least == most else f"{least}–{most}"
        words += f" of {judges} judge{'' if most == 1 else 's'}"
    verdicts = votes.verdicts
    return f"{words}, {verdicts} by verdict" if verdicts else words
