"""A prefix or suffix that all ids of one file have and those of the other have not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

LONGEST_ID = 64
LONGEST_AFFIX = 12
_JOINTS = "._:/#-@|"


@dataclass(frozen=True, slots=True)
class Affix:
    """Ids of the ranking by those of the judgments they match; ``words`` names the difference."""

    words: str
    mapping: Mapping[str, str]
    name = "affix"


def common_affix(returned: Collection[str], judged: Collection[str]) -> Affix | None:
    """The prefix or suffix by which ids of a ranking and of judgments differ, if there is one.

    It must explain at least half of the ids of the smaller side, two or more unless there is only
    one, and no other may explain half as many: “201.1” and “201.2” are not both “201”.
    """
    if not returned or not judged:
        return None
    votes: dict[str, dict[str, str]] = defaultdict(dict)
    for text, other, words in _candidates(returned, judged):
        votes[f"by {words} in the ranking"][text] = other
    for text, other, words in _candidates(judged, returned):
        votes[f"by {words} in the judgments"][other] = text
    best = sorted(votes, key=lambda words: (-len(votes[words]), words))[:2]
    if not best:
        return None
    mapping = votes[best[0]]
    smaller = min(len(returned), len(judged))
    enough = len(mapping) >= max(smaller / 2, min(2, max(len(returned), len(judged))))
    alone = len(best) == 1 or len(votes[best[1]]) < len(mapping) / 2
    return Affix(best[0], dict(sorted(mapping.items()))) if enough and alone else None


def _candidates(
    longer: Collection[str], shorter: Collection[str]
) -> Iterator[tuple[str, str, str]]:
    """Each id that is one of the others and an affix, with that one and the affix in words."""
    for text in longer:
        if len(text) > LONGEST_ID:
            continue
        for cut in range(1, len(text)):
            head, tail = text[:cut], text[cut:]
            if head in shorter and _is_affix(tail, tail[0], head[-1], head):
                yield text, head, f"“{tail}” at the end"
            if tail in shorter and _is_affix(head, head[-1], tail[0], tail):
                yield text, tail, f"“{head}” at the beginning"


def _is_affix(affix: str, inner: str, border: str, rest: str) -> bool:
    """Whether a part may be added to an id by rule: words of a search never are.

    ``inner`` and ``border`` are the letters that meet.
    """
    if len(affix) > LONGEST_AFFIX or any(map(str.isspace, affix)):
        return False
    if not any(map(str.isdigit, rest)):
        return False
    return inner in _JOINTS or (border.isdigit() and affix.isalpha())
