"""A comparison in words: the answer first, then what it rests on."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ndcg_desktop.evaluation import wording
from ndcg_desktop.evaluation.comparison import Comparison, Fairness
from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.sureness import LEVEL, Influence, Sureness
from ndcg_desktop.evaluation.wording import queries_text, signed
from ndcg_desktop.scoring.ndcg import ROUNDING, Status
from ndcg_desktop.scoring.statistics import Randomisation


def p_text(p: float) -> str:
    """A p value: "p = 0.11", "p < 0.001"; with a digit more where it would read as the limit."""
    if p < 0.001:
        return "p < 0.001"
    text = f"p = {p:.2f}" if p >= 0.095 else f"p = {p:.3f}"
    return f"p = {p:.4f}" if p != LEVEL and text == f"p = {LEVEL:.3f}" else text


def answer(
    evaluation: Evaluation,
    comparison: Comparison,
    sure: Sureness | None,
    fair: Fairness | None,
    decimals: int = wording.DECIMALS,
) -> str:
    """The answer in plain words: which is better, by how much, and whether that may be chance.

    Where documents that nobody has judged could turn it round, that is said in the place of a
    winner. ``fair`` is None while that is not known yet.
    """
    baseline, candidate = f"“{comparison.baseline_name}”", f"“{comparison.candidate_name}”"
    measure = evaluation.options.measure
    if sure is None:
        return f"{candidate} and {baseline} have no query in common that is scored."
    if fair is not None and not fair.settled and fair.range.mean is not None:
        return open_words(comparison, sure, fair, decimals, measure)
    if abs(sure.mean) <= ROUNDING:
        return (
            f"{candidate} and {baseline} are equal on average ({measure}, {queries_text(sure.n)})."
        )
    verb = "better" if sure.mean > 0 else "worse"
    return (
        f"{candidate} is {verb} than {baseline} by {wording.decimal(abs(sure.mean), decimals)} on "
        f"average ({measure}). {chance_words(sure)}"
    )


def chance_words(sure: Sureness) -> str:
    """Whether a difference may be chance: "With 48 queries this could be chance: p = 0.11."."""
    p = p_text(sure.p) + (
        f" after correction for {sure.comparisons} comparisons" if sure.comparisons > 1 else ""
    )
    if sure.n == 1:
        return "One query says nothing about others."
    if sure.more_than_chance:
        return f"With {queries_text(sure.n)} this is unlikely to be chance: {p}."
    return f"With {queries_text(sure.n)} this could be chance: {p}."


def open_words(
    comparison: Comparison,
    sure: Sureness,
    fair: Fairness,
    decimals: int,
    measure: str,
) -> str:
    """Why nobody can tell yet which is better."""
    mean = fair.range.mean
    assert mean is not None
    return (
        f"Which is better is open. On what is judged, “{comparison.candidate_name}” differs from "
        f"“{comparison.baseline_name}” by {signed(sure.mean, decimals)} on average ({measure}), "
        f"but unjudged documents could make that anything from {signed(mean.lower, decimals)} to "
        f"{signed(mean.upper, decimals)}. {chance_words(sure)}"
    )


def fairness_lines(
    evaluation: Evaluation, comparison: Comparison, fair: Fairness, decimals: int
) -> list[str]:
    """What is judged of each side, and what the rest could do."""
    k = evaluation.options.cutoff
    judged = "judged" if k is None else f"judged@{k}"
    lines = absent_lines(evaluation, comparison)
    if fair.judged is not None:
        first, second = (f"{part:.0%}" for part in fair.judged)
        lines.append(
            f"{judged}: {first} of “{comparison.baseline_name}”, "
            f"{second} of “{comparison.candidate_name}”."
        )
    mean = fair.range.mean
    if mean is None:
        return lines
    if mean.upper - mean.lower <= ROUNDING:
        lines.append("Nothing that is unjudged can change the difference.")
        return lines
    kind = "" if fair.range.exact else " (at most so wide)"
    lines.append(
        f"Whatever the unjudged documents turn out to be, the mean difference lies between "
        f"{signed(mean.lower, decimals)} and {signed(mean.upper, decimals)}{kind}; both rankings "
        "share one ideal."
    )
    settled = {
        "a": f"They cannot change that “{comparison.candidate_name}” is better on average.",
        "b": f"They cannot change that “{comparison.baseline_name}” is better on average.",
        "tie": "They cannot change that the two are equal on average.",
        None: "They can change which of the two is better: judge more before deciding.",
    }
    lines.append(settled[fair.range.winner_settled])
    return lines


def absent_lines(evaluation: Evaluation, comparison: Comparison) -> list[str]:
    """Which side lacks queries that are compared all the same, since absent ones count as 0."""
    lines = []
    for number, name in (
        (comparison.baseline, comparison.baseline_name),
        (comparison.candidate, comparison.candidate_name),
    ):
        absent = comparison.compared & (evaluation.scores(number).status == Status.ABSENT)
        count = int(np.count_nonzero(absent))
        if count:
            lines.append(f"“{name}” returns nothing for {queries_text(count)}, which count as 0.")
    return lines


def left_out_text(evaluation: Evaluation, comparison: Comparison) -> str:
    """How many queries are not compared, by reason; empty where all are."""
    reasons: Counter[str] = Counter()
    for query in np.flatnonzero(~comparison.compared).tolist():
        why = [
            wording.outcome(evaluation, number, query)
            for number in (comparison.baseline, comparison.candidate)
            if not evaluation.scores(number).counted[query]
        ]
        reasons[
            why[0] if why else wording.NO_COMMON_QUERY[0].lower() + wording.NO_COMMON_QUERY[1:]
        ] += 1
    return ", ".join(f"{count} ({why})" for why, count in reasons.items())


def record_text(sure: Sureness, decimals: int = wording.DECIMALS) -> str:
    """Wins, ties and losses, with what counts as a tie."""
    record, tie = sure.record, sure.options.tie
    within = "of equal scores" if tie == 0 else f"up to {wording.decimal(tie, decimals)} apart"
    return f"{record.won} won, {record.tied} tied, {record.lost} lost (a tie is {within})"


def randomisation_text(test: Randomisation) -> str:
    """How the p of the randomisation test was found."""
    if test.exact:
        return f"exact, all {test.samples:,} ways to swap the two"
    return f"{test.samples:,} random swaps, seed {test.seed}"


def figures(sure: Sureness, decimals: int = wording.DECIMALS) -> list[tuple[str, str, str]]:
    """Each figure: what it is called, its text, and what it says."""
    out = [
        ("Mean difference", signed(sure.mean, decimals), f"over {queries_text(sure.n)}"),
        ("Wins, ties, losses", record_text(sure, decimals), "candidate against baseline"),
    ]
    if sure.interval is not None:
        low, high = (signed(each, decimals) for each in (sure.interval.lower, sure.interval.upper))
        out.append(
            (
                f"{sure.interval.level:.0%} interval",
                f"{low} to {high}",
                f"paired bootstrap of the mean, percentiles of {sure.interval.samples:,} samples, "
                f"seed {sure.interval.seed}",
            )
        )
    out.append(
        (
            "Randomisation test",
            p_text(sure.randomisation.p),
            f"two-sided, paired: {randomisation_text(sure.randomisation)}",
        )
    )
    if sure.comparisons > 1:
        out.append(
            (
                "Holm's correction",
                p_text(sure.adjusted_p),
                f"of the randomisation test, for {sure.comparisons} comparisons with one baseline",
            )
        )
    if sure.t is not None:
        out.append(
            (
                "t test",
                f"t = {signed(sure.t.t)}, {p_text(sure.t.p)}",
                f"two-sided, paired, {sure.t.degrees} degrees of freedom",
            )
        )
    if sure.wilcoxon is not None:
        kind = "exact" if sure.wilcoxon.exact else "normal approximation"
        out.append(
            (
                "Wilcoxon signed ranks",
                f"W = {sure.wilcoxon.statistic:g}, {p_text(sure.wilcoxon.p)}",
                f"{kind}, n = {sure.wilcoxon.n}; it tests whether the differences lie evenly about "
                "0 by rank, not whether their mean is 0",
            )
        )
    effect = wording.NONE if sure.effect is None else signed(sure.effect, 2)
    out.append(("Effect size d", effect, "mean difference ÷ its standard deviation (Cohen's d_z)"))
    out.append(("Queries needed", needed_text(sure), needed_words(sure, decimals)))
    return out


def needed_text(sure: Sureness) -> str:
    """About how many queries would be needed."""
    return wording.NONE if sure.needed is None else f"about {sure.needed:,}"


def needed_words(sure: Sureness, decimals: int) -> str:
    """What the number of queries needed is for."""
    matters = wording.decimal(sure.options.matters, decimals)
    if sure.needed is None:
        return f"to see a mean difference of {matters}: the differences do not vary"
    more = sure.needed - sure.n
    rest = "" if more <= 0 else f", {more:,} more than there are"
    return f"to see a mean difference of {matters} in 4 of 5 cases at p < {LEVEL:g}{rest}"


def influence_lines(
    evaluation: Evaluation, influences: list[Influence], decimals: int
) -> list[str]:
    """What the mean difference would be without the queries that it depends on most."""
    lines = []
    for each in influences:
        name = evaluation.titles.get(each.query) or evaluation.queries[each.query]
        flip = " – the other ranking would be the better one" if each.flips else ""
        lines.append(f"without “{name}”: {signed(each.without, decimals)}{flip}")
    return lines
