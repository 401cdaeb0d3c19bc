"""What can be changed about a document, as one value: written, undone, and kept on disk alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["grade", "vote", "verdict", "note", "mark"]


@dataclass(frozen=True, slots=True)
class Edit:
    """A value of one pair. ``owner`` is the judge whose vote, note or mark it is; a grade of a file
    with one judge, and a verdict, have none. None is *not judged*, no note, or no mark.
    """

    kind: Kind
    owner: str
    pair: int
    old: float | str | None
    new: float | str | None

    def reversed(self) -> Edit:
        """What takes this back."""
        return Edit(self.kind, self.owner, self.pair, self.new, self.old)
