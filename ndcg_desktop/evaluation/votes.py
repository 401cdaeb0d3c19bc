"""What several judges say of the same documents, and how their grades become one.

A *vote* is one judge's grade of one document for a query; a *verdict* settles a disagreement, and
is kept apart from the votes: it stands for the grade whatever they say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

RULES: dict[str, str] = {
    "mean": "mean",
    "median": "median",
    "majority": "majority (of several the lowest)",
    "min": "lowest",
    "max": "highest",
    "last": "last",
}
"""How votes become one grade, and how that is called. *Last* goes by the order of the file, and
then by when a vote was given.
"""

ONE_JUDGE = "judge:"
"""What a rule begins with that takes the grades of one judge; the name follows."""

VERDICT = "verdict"
"""The name of the judge, as files have it, whose grades are verdicts and no votes."""

_BITS = 16
_VERDICT = (1 << _BITS) - 1
"""The number of the judge whose grades are verdicts."""
MOST_JUDGES = _VERDICT
_NOBODY = -1


def rule_words(rule: str) -> str:
    """How a rule is called: "mean", "grades of Ann"."""
    if rule.startswith(ONE_JUDGE):
        return f"grades of {rule.removeprefix(ONE_JUDGE)}"
    return RULES[rule]


def is_rule(text: str) -> bool:
    """Whether a text names a way to make one grade of several."""
    return text in RULES or (text.startswith(ONE_JUDGE) and text != ONE_JUDGE)


def merged_grades(
    pair: NDArray[np.integer], grade: NDArray[np.float64], pairs: int, rule: str
) -> NDArray[np.float64]:
    """One grade for each pair, shape (pairs,), of the votes in the order they were given, (N,).

    Blanks (NaN) are passed over; a pair of blanks alone stays blank. ``rule`` is one of RULES.
    """
    out = np.full(pairs, np.nan)
    there = np.flatnonzero(~np.isnan(grade))
    if rule == "last":
        out[pair[there]] = grade[there]  # of several the last one holds
        return out
    there = there[np.lexsort((grade[there], pair[there]))]
    pair, grade = pair[there], grade[there]
    found, begin, count = np.unique(pair, return_index=True, return_counts=True)
    if not len(found):
        return out
    lowest, highest = begin, begin + count - 1
    if rule == "mean":
        out[found] = np.add.reduceat(grade, begin) / count
    elif rule == "median":
        out[found] = (grade[(lowest + highest) // 2] + grade[(lowest + highest + 1) // 2]) / 2
    elif rule == "majority":
        out[found] = _commonest(pair, grade)
    else:
        out[found] = grade[lowest if rule == "min" else highest]
    return out


def _commonest(pair: NDArray[np.integer], grade: NDArray[np.float64]) -> NDArray[np.float64]:
    """The grade that each pair has most often, of several the lowest; both sorted, shape (N,)."""
    begins = np.flatnonzero(np.r_[True, (pair[1:] != pair[:-1]) | (grade[1:] != grade[:-1])])
    often = np.diff(np.r_[begins, len(pair)])
    best = np.lexsort((grade[begins], -often, pair[begins]))
    _, first = np.unique(pair[begins][best], return_index=True)
    return grade[begins][best][first]


_Vote = tuple[float, int]
"""A grade, NaN where it was taken back, and when it was given."""
_Step = tuple[int, _Vote | None]
"""A judge who graded a document, and the vote of theirs before, None where the file's counted."""


@dataclass(slots=True)
class _Given:
    """What was given for one vote since the files were read; ``back`` says that all of it was taken
    back.
    """

    grades: set[float] = field(default_factory=set)
    back: bool = False


class Votes:
    """The votes and verdicts of an evaluation. ``rule`` is one of RULES, or ONE_JUDGE and a name.

    What was read is kept as arrays sorted by pair and judge; what is graded since then lies over
    it, so that a vote costs one document's arithmetic.
    """

    def __init__(
        self,
        judges: Sequence[str],
        pair: NDArray[np.integer],
        judge: NDArray[np.integer],
        grade: NDArray[np.float64],
        rule: str,
    ) -> None:
        self.judges: list[str] = []
        self.rule = rule
        self._later: dict[int, dict[int, _Vote]] = {}
        self._steps: dict[int, list[_Step]] = {}
        self._given: dict[tuple[int, int], _Given] = {}  # since the files were last read
        self._kept: dict[tuple[int, int], tuple[float, int]] = {}  # given here, and saved
        self._clock = len(pair)
        self._sizes: Counter[int] | None = None  # documents by their number of votes
        self._ruled = 0  # documents with a verdict, once the others are counted
        self._keep(judges, pair, judge, grade)

    def _keep(
        self,
        judges: Sequence[str],
        pair: NDArray[np.integer],
        judge: NDArray[np.integer],
        grade: NDArray[np.float64],
    ) -> None:
        """Take these for what the files hold, each row a vote, in order; the last of a judge's
        several votes on a document counts.
        """
        numbers = np.array([self.number_of(name) for name in judges], dtype=np.int64)
        there = np.flatnonzero(~np.isnan(grade))
        key = (pair[there].astype(np.int64) << _BITS) | numbers[judge[there]]
        order = np.argsort(key, kind="stable")
        last = np.r_[key[order][1:] != key[order][:-1], True] if len(order) else order.astype(bool)
        order = order[last]
        self._key, self._grade, self._at = key[order], grade[there][order], there[order]

    def number_of(self, name: str) -> int:
        """The number of a judge, a new one for a name that is not known yet."""
        if name.casefold() == VERDICT:
            return _VERDICT
        if name not in self.judges:
            if len(self.judges) == MOST_JUDGES:
                raise ValueError(f"There are more than {MOST_JUDGES:,} judges.")
            self.judges.append(name)
        return self.judges.index(name)

    def _known(self, name: str) -> int:
        """The number of a judge, or of the verdict; of none for a name that is not known."""
        known = name in self.judges or name.casefold() == VERDICT
        return self.number_of(name) if known else _NOBODY

    def frozen(self) -> Votes:
        """The votes as they stand now; later ones do not reach them."""
        still = copy(self)
        still.judges = list(self.judges)
        still._later = {pair: dict(votes) for pair, votes in self._later.items()}
        still._given = {key: _Given(set(g.grades), g.back) for key, g in self._given.items()}
        still._kept, still._at = dict(self._kept), self._at.copy()
        still._sizes = copy(self._sizes)
        still._steps = {pair: list(steps) for pair, steps in self._steps.items()}
        return still

    # ---- one document

    def of_pair(self, pair: int) -> dict[str, float]:
        """The vote of each judge who has graded a document; the verdict is none of them."""
        numbers = self._of_pair(pair)
        numbers.pop(_VERDICT, None)
        return {self.judges[number]: grade for number, (grade, _) in numbers.items()}

    def get(self, pair: int, judge: str) -> float:
        """The grade that a judge, or the verdict, gives a document; NaN where there is none."""
        return self._of_pair(pair).get(self._known(judge), (math.nan, 0))[0]

    def set(self, pair: int, judge: str, grade: float) -> None:
        """Let a judge, or the verdict, grade a document; NaN takes the grade back.

        A grade that is there already stays as old as it is. To give the grade of just before takes
        the last step back: that grade is then as old as it was. *Last* goes by that.
        """
        if _same(grade, self.get(pair, judge)):
            return
        number = self.number_of(judge)
        self._tell(pair, -1)
        self._write(pair, number, grade)
        self._tell(pair, 1)

    def _write(self, pair: int, number: int, grade: float) -> None:
        given = self._given.setdefault((pair, number), _Given())
        given.grades.add(grade)
        given.back = False
        votes = self._later.setdefault(pair, {})
        steps = self._steps.setdefault(pair, [])
        before = votes.get(number)
        if steps and steps[-1][0] == number:
            earlier = steps[-1][1]
            if _same(grade, self._saved(pair, number) if earlier is None else earlier[0]):
                steps.pop()
                if earlier is None:
                    given.back = True
                    del votes[number]
                else:
                    votes[number] = earlier
                return
        self._clock += 1
        votes[number] = grade, self._clock
        steps.append((number, before))

    def merged_of(self, pair: int) -> float:
        """The one grade of a document, NaN where nobody has judged it."""
        votes = self._of_pair(pair)
        if _VERDICT in votes:
            return votes[_VERDICT][0]
        judge, grade, at = (
            np.array([(number, grade, at) for number, (grade, at) in votes.items()])
            .reshape(-1, 3)
            .T
        )
        return float(self._merged(np.zeros(len(judge), dtype=np.int64), judge, grade, at, 1)[0])

    def _of_pair(self, pair: int) -> dict[int, _Vote]:
        """The grade of each judge of a document, by number, and when it was given."""
        begin, end = np.searchsorted(self._key, (pair << _BITS, (pair + 1) << _BITS))
        read = zip(
            (self._key[begin:end] & _VERDICT).tolist(),
            zip(self._grade[begin:end].tolist(), self._at[begin:end].tolist(), strict=True),
            strict=True,
        )
        votes = {**dict(read), **self._later.get(pair, {})}
        return {judge: vote for judge, vote in votes.items() if not math.isnan(vote[0])}

    # ---- all of them

    def merged(
        self, pairs: int, rule: str | None = None, verdicts: bool = True
    ) -> NDArray[np.float64]:
        """The one grade of each of so many pairs, NaN for one that nobody has judged; of the votes
        alone without the verdicts.
        """
        pair, judge, grade, at = self._all()
        vote = judge != _VERDICT
        out = self._merged(pair[vote], judge[vote], grade[vote], at[vote], pairs, rule)
        if verdicts:
            out[pair[~vote]] = grade[~vote]
        return out

    def _merged(
        self,
        pair: NDArray[np.int64],
        judge: NDArray[np.float64] | NDArray[np.int64],
        grade: NDArray[np.float64],
        at: NDArray[np.float64] | NDArray[np.int64],
        pairs: int,
        rule: str | None = None,
    ) -> NDArray[np.float64]:
        rule = self.rule if rule is None else rule
        if rule.startswith(ONE_JUDGE):
            own = judge == self._known(rule.removeprefix(ONE_JUDGE))
            pair, grade, at, rule = pair[own], grade[own], at[own], "last"
        order = np.argsort(at, kind="stable")
        return merged_grades(pair[order], grade[order], pairs, rule)

    def _all(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Pair, judge, grade and time of every vote and verdict as they now are, shape (V,)."""
        key, grade, at = self._key, self._grade, self._at.astype(np.int64)
        later = [
            ((pair << _BITS) | judge, given, when)
            for pair, votes in self._later.items()
            for judge, (given, when) in votes.items()
        ]
        if later:
            keys = np.array([each[0] for each in later], dtype=np.int64)
            kept = ~np.isin(key, keys)
            key = np.concatenate((key[kept], keys))
            grade = np.concatenate((grade[kept], [each[1] for each in later]))
            at = np.concatenate((at[kept], [each[2] for each in later]))
            there = ~np.isnan(grade)
            key, grade, at = key[there], grade[there], at[there]
        return key >> _BITS, key & _VERDICT, grade, at

    @property
    def spread(self) -> tuple[int, int]:
        """The least and the greatest number of votes on a judged document."""
        sizes = [size for size, documents in self._counted().items() if documents]
        return (min(sizes), max(sizes)) if sizes else (0, 0)

    @property
    def verdicts(self) -> int:
        """How many documents have a verdict."""
        self._counted()
        return self._ruled

    def _counted(self) -> Counter[int]:
        """How many documents have how many votes; counted once, and then kept up to date."""
        if self._sizes is None:
            pair, judge, _, _ = self._all()
            vote = judge != _VERDICT
            of_each = np.unique(pair[vote], return_counts=True)[1]
            size, documents = np.unique(of_each, return_counts=True)
            self._sizes = Counter(dict(zip(size.tolist(), documents.tolist(), strict=True)))
            self._ruled = int(np.count_nonzero(~vote))
        return self._sizes

    def _tell(self, pair: int, sign: int) -> None:
        """Count a document in, or out before its votes change."""
        if self._sizes is not None:
            votes = self._of_pair(pair)
            ruled = _VERDICT in votes
            if len(votes) > ruled:
                self._sizes[len(votes) - ruled] += sign
            self._ruled += sign * ruled

    def matrix(self, judges: Sequence[str], least: int = 2) -> NDArray[np.float64]:
        """The votes of some judges, shape (judges, documents), NaN where there is none; of the
        documents that have at least so many.
        """
        pair, judge, grade, _ = self._all()
        place = np.full(_VERDICT + 1, -1)
        for row, name in enumerate(judges):
            if (number := self._known(name)) != _NOBODY:
                place[number] = row
        own = place[judge] >= 0
        found, column, count = np.unique(pair[own], return_inverse=True, return_counts=True)
        out = np.full((len(judges), len(found)), np.nan)
        out[place[judge[own]], column] = grade[own]
        return out[:, count >= least]

    def stacked(self) -> NDArray[np.float64]:
        """The votes of each document that has two or more, one below the other whoever gave them,
        shape (most votes of a document, documents), NaN where there is none.
        """
        pair, judge, grade, _ = self._all()
        vote = judge != _VERDICT
        order = np.argsort(pair[vote], kind="stable")
        found, begin, column, count = np.unique(
            pair[vote][order], return_index=True, return_inverse=True, return_counts=True
        )
        out = np.full((int(count.max(initial=0)), len(found)), np.nan)
        out[np.arange(len(order)) - begin[column], column] = grade[vote][order]
        return out[:, count >= 2]

    def pairs_of(self, judge: str) -> NDArray[np.int64]:
        """The pairs that a judge has graded, or that have a verdict."""
        pair, number, _, _ = self._all()
        own: NDArray[np.bool_] = number == self._known(judge)
        return pair[own]

    def counts(self) -> dict[str, int]:
        """How many documents each judge has graded."""
        numbers = np.bincount(self._all()[1], minlength=len(self.judges))
        return {name: int(numbers[number]) for number, name in enumerate(self.judges)}

    def grades(self) -> NDArray[np.float64]:
        """Every grade that a judge or a verdict gives, once, ascending."""
        return np.unique(self._all()[2])

    def disagreements(self) -> NDArray[np.int64]:
        """The pairs whose votes are not all the same, whatever the verdict; ascending."""
        pair, judge, grade, _ = self._all()
        vote = judge != _VERDICT
        pair, grade = pair[vote], grade[vote]
        if not len(pair):
            return np.empty(0, dtype=np.int64)
        pairs = int(pair.max()) + 1
        lowest, highest = (merged_grades(pair, grade, pairs, rule) for rule in ("min", "max"))
        differ: NDArray[np.int64] = np.flatnonzero(lowest < highest)
        return differ

    # ---- what the files hold

    def changed(self) -> list[tuple[int, str]]:
        """The pair and judge, or VERDICT, of each grade that is not as it was read or saved."""
        out = []
        for pair, votes in self._later.items():
            for judge, (grade, _) in votes.items():
                if not _same(grade, self._saved(pair, judge)):
                    out.append((pair, VERDICT if judge == _VERDICT else self.judges[judge]))
        return out

    def saved(self, pair: int, judge: str) -> float:
        """The grade that the files hold of a judge for a document, NaN where they hold none."""
        return self._saved(pair, self._known(judge))

    def _saved(self, pair: int, judge: int) -> float:
        key = (pair << _BITS) | judge
        place = int(np.searchsorted(self._key, key))
        there = place < len(self._key) and self._key[place] == key
        return float(self._grade[place]) if there else math.nan

    def mark_saved(
        self,
        judges: Sequence[str],
        pair: NDArray[np.integer],
        judge: NDArray[np.integer],
        grade: NDArray[np.float64],
    ) -> None:
        """Take these votes, as they read back, for those that the files hold.

        What was changed meanwhile stays as it is, and what was given here stays later than the
        rest. A vote that was taken back is what the file says, unless that is what was taken back:
        it was written on the way.
        """
        now = {key: self._of_pair(key[0]).get(key[1], (math.nan, 0)) for key in self._given}
        self._keep(judges, pair, judge, grade)
        rows = len(pair)
        self._later = {}
        for key, (vote, when) in now.items():
            given, saved = self._given[key], self._saved(*key)
            if not given.back and not math.isnan(vote):
                self._kept[key] = vote, when
            ours = not given.back or any(_same(saved, grade) for grade in given.grades)
            if not _same(vote, saved) and ours:
                self._later.setdefault(key[0], {})[key[1]] = vote, rows + when
        self._kept = {key: (vote, rows + when) for key, (vote, when) in self._kept.items()}
        for (of, number), (vote, when) in self._kept.items():
            if _same(vote, self._saved(of, number)):
                self._at[np.searchsorted(self._key, (of << _BITS) | number)] = when
        self._given = {
            (of, number): _Given({vote})
            for of, votes in self._later.items()
            for number, (vote, _) in votes.items()
        }
        self._clock += rows
        self._steps.clear()
        self._sizes = None


def _same(grade: float, other: float) -> bool:
    """Whether two grades are the same; *not judged* is the same as itself."""
    return grade == other or (math.isnan(grade) and math.isnan(other))
