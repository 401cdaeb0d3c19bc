"""Which rankings are compared: in what order, under what names and colours, and against which."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

STYLES = 8
"""Colours, each with a hatching of its own, that rankings are told apart by."""
TIE = 0.0
"""The largest difference of a query that is a tie, where nobody has chosen another."""
MATTERS = 0.02
"""The mean difference that matters, where nobody has chosen another."""
RELEVANT = 1.0
"""The least grade of a relevant document, for measures that know only relevant or not."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """One ranking: what its file calls it, which is its key, and how it is shown."""

    key: str
    name: str
    style: int
    taking_part: bool = True


@dataclass(frozen=True, slots=True)
class Lineup:
    """All rankings of the files in order, those too that were taken out of the comparison.

    ``baseline`` is the key of the one that the others are compared with. Differences of a query up
    to ``tie`` are none; a mean difference of ``matters`` would be worth knowing of. Documents of a
    grade from ``relevant`` on are relevant where a measure knows no more than that.
    """

    entrants: tuple[Entrant, ...] = ()
    baseline: str = ""
    tie: float = TIE
    matters: float = MATTERS
    relevant: float = RELEVANT

    @property
    def taking_part(self) -> tuple[Entrant, ...]:
        """The rankings that are compared."""
        return tuple(each for each in self.entrants if each.taking_part)

    def of_key(self, key: str) -> Entrant:
        """The ranking with this key. Raises KeyError where there is none."""
        try:
            return next(each for each in self.entrants if each.key == key)
        except StopIteration:
            raise KeyError(key) from None

    def fitted(self, keys: Sequence[str]) -> Lineup:
        """The same for files with these rankings: further ones come last, at least one takes part,
        and the baseline is one of those that do.
        """
        known = {each.key: each for each in self.entrants}
        kept = [each for each in self.entrants if each.key in keys]
        used = {each.style for each in kept}
        free = [style for style in range(STYLES) if style not in used]
        for place, key in enumerate(key for key in keys if key not in known):
            style = free[place] if place < len(free) else (len(kept) % STYLES)
            kept.append(Entrant(key, key, style))
        if not any(each.taking_part for each in kept):
            kept = [replace(each, taking_part=True) for each in kept]
        taking_part = [each.key for each in kept if each.taking_part]
        first = taking_part[0] if taking_part else ""
        baseline = self.baseline if self.baseline in taking_part else first
        return replace(self, entrants=tuple(kept), baseline=baseline)

    def renamed(self, key: str, name: str) -> Lineup:
        """The same with another name for a ranking; blank, it is called as its file calls it."""
        name = " ".join(name.split()) or key
        return self._changed(key, replace(self.of_key(key), name=name))

    def styled(self, key: str, style: int) -> Lineup:
        """The same with another colour and hatching for a ranking."""
        return self._changed(key, replace(self.of_key(key), style=style % STYLES))

    def without(self, key: str) -> Lineup:
        """The same with a ranking taken out of the comparison; the last one stays."""
        if len(self.taking_part) < 2:
            return self
        return self._changed(key, replace(self.of_key(key), taking_part=False))

    def with_again(self, key: str) -> Lineup:
        """The same with a ranking that had been taken out."""
        return self._changed(key, replace(self.of_key(key), taking_part=True))

    def moved(self, key: str, by: int) -> Lineup:
        """The same with a ranking so many places further on among those that take part."""
        order = [each.key for each in self.taking_part]
        place = order.index(key)
        order.insert(min(max(place + by, 0), len(order) - 1), order.pop(place))
        out = [each for each in self.entrants if not each.taking_part]
        return replace(self, entrants=(*map(self.of_key, order), *out))

    def against(self, key: str) -> Lineup:
        """The same with another baseline."""
        return replace(self, baseline=key)

    def deciding(self, tie: float, matters: float, relevant: float) -> Lineup:
        """The same with other limits: of a tie, of what matters, and of what is relevant. Raises
        ValueError where these are no differences of scores, or no grade.
        """
        if not (0 <= tie < 1 and 0 < matters <= 1 and 0 <= relevant < math.inf):
            raise ValueError("a tie is from 0 to 1, what matters above 0, and a grade not below 0")
        return replace(self, tie=tie, matters=matters, relevant=relevant)

    def _changed(self, key: str, entrant: Entrant) -> Lineup:
        entrants = tuple(entrant if each.key == key else each for each in self.entrants)
        return replace(self, entrants=entrants).fitted([each.key for each in entrants])

    def to_json(self) -> str:
        """The line-up as text."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Lineup:
        """A line-up from text; an empty one where the text is none."""
        try:
            return cls.from_plain(json.loads(text or "{}"))
        except (ValueError, RecursionError):
            return cls()

    @classmethod
    def from_plain(cls, plain: object) -> Lineup:
        """A line-up from what its JSON holds. Raises ValueError where it holds something else."""
        if not isinstance(plain, dict):
            raise ValueError("a line-up is a table of names and values")
        entrants = plain.get("entrants", [])
        if not isinstance(entrants, list) or not all(isinstance(each, dict) for each in entrants):
            raise ValueError("the rankings of a line-up are a list")
        found = [
            Entrant(
                str(each.get("key", "")),
                str(each.get("name", "") or each.get("key", "")),
                _whole(each.get("style", 0)) % STYLES,
                each.get("taking_part") is not False,
            )
            for each in entrants
        ]
        once = {each.key: each for each in found}
        lineup = cls(tuple(once.values()), str(plain.get("baseline", "")))
        return lineup.deciding(
            _number(plain.get("tie", TIE)),
            _number(plain.get("matters", MATTERS)),
            _number(plain.get("relevant", RELEVANT)),
        )


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise ValueError("a style is a whole number")
    return value


def _number(value: object) -> float:
    if not isinstance(value, int | float):
        raise ValueError("a limit is a number")
    return float(value)


def keys_of(names: Sequence[str]) -> list[str]:
    """A key for each ranking: its name, numbered where several have one name."""
    seen: Counter[str] = Counter()
    keys: list[str] = []
    for name in names:
        seen[name] += 1
        key = name if seen[name] == 1 else f"{name} ({seen[name]})"
        while key in keys:
            seen[name] += 1
            key = f"{name} ({seen[name]})"
        keys.append(key)
    return keys
