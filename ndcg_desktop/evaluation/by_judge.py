"""What the rankings score under each judge, and under each way to make one grade of several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.evaluation.votes import ONE_JUDGE, RULES, Votes, rule_words
from ndcg_desktop.evaluation.wording import mean_value


@dataclass(frozen=True, slots=True)
class RuleScore:
    """The mean of each ranking under one merging rule, None where there is nothing to take a mean
    of, and the number of queries in it.

    ``graded`` documents have a grade under the rule, ``verdicts`` of them by verdict; a judge alone
    is scored without the verdicts. ``in_use`` says that the evaluation is scored so.
    """

    rule: str
    verdicts: int
    graded: int
    means: tuple[float | None, ...]
    n: tuple[int, ...]
    in_use: bool

    @property
    def name(self) -> str:
        """How the rule is called: "mean", "grades of Ann", "median, 3 by verdict"."""
        words = rule_words(self.rule)
        return f"{words}, {self.verdicts:,} by verdict" if self.verdicts else words


def scores_by_rule(
    evaluation: Evaluation, cancelled: Callable[[], bool] = lambda: False
) -> list[RuleScore]:
    """The scores under each of the RULES, and under each judge who has graded something alone.

    The grades of the one judge who is in use have a row of their own where there are verdicts on
    top of them. Empty where a document has one grade; cut short where it is cancelled.
    """
    votes = evaluation.votes
    if votes is None:
        return []
    still = evaluation.frozen()  # its grades are not those that are shown
    verdicts = votes.verdicts
    found = []
    for rule, with_verdicts in _rules(votes, bool(verdicts)):
        if cancelled():
            break
        still.merge(rule, with_verdicts)
        rankings = range(len(still.rankings))
        means = tuple(mean_value(still, ranking) for ranking in rankings)
        found.append(
            RuleScore(
                rule,
                verdicts if with_verdicts else 0,
                int(np.count_nonzero(~np.isnan(still.judgments.grade))),
                means,
                tuple(
                    0 if mean is None else still.scores(ranking).n
                    for ranking, mean in enumerate(means)
                ),
                rule == votes.rule and (with_verdicts or not verdicts),
            )
        )
    return found


def _rules(votes: Votes, any_verdicts: bool) -> Iterator[tuple[str, bool]]:
    """Each rule, and whether the verdicts stand on top of it."""
    yield from ((rule, True) for rule in RULES)
    if votes.rule not in RULES and any_verdicts:
        yield votes.rule, True
    counts = votes.counts()
    alone = [ONE_JUDGE + name for name, number in counts.items() if number]
    if votes.rule not in RULES and votes.rule not in alone:
        alone.append(votes.rule)
    yield from ((rule, False) for rule in alone)
