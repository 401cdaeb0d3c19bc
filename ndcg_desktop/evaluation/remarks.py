"""What judges leave beside the grades: notes, and marks on documents to come back to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

MARKS = {"cannot": "can't tell", "later": "later"}
"""What a document may be marked as by a judge, and how that is called."""

_NEXT = "\n"
_INSIDE = "\n  "
"""Between two notes of one cell, and between two lines of a note."""


def joined(notes: Mapping[str, str]) -> str:
    """The notes of several judges as one cell holds them: each begun by the name, its further lines
    indented. What nobody has put a name to comes first.
    """
    if list(notes) == [""]:
        return notes[""]
    ordered = sorted(notes.items(), key=lambda item: bool(item[0]))
    return _NEXT.join(
        (f"{_one_line(judge)}: " if judge else "") + text.replace(_NEXT, _INSIDE)
        for judge, text in ordered
    )


def parted(note: str, judges: Sequence[str]) -> dict[str, str]:
    """The notes of one cell by judge; what does not begin with a judge's name is nobody's, ""."""
    begins = {f"{_one_line(judge)}: ": judge for judge in judges if judge}
    known = sorted(begins, key=len, reverse=True)  # “Ann: x” before “Ann”
    found: dict[str, list[str]] = {}
    owner = ""
    for line in note.split(_NEXT):
        begin = next((each for each in known if line.startswith(each)), None)
        if begin is not None:
            owner = begins[begin]
            line = line[len(begin) :]
        elif owner and line.startswith(_INSIDE[1:]):
            line = line[len(_INSIDE) - 1 :]
        found.setdefault(owner, []).append(line)
    return {judge: _NEXT.join(lines).strip() for judge, lines in found.items()}


def _one_line(name: str) -> str:
    return " ".join(name.split())


Key = tuple[int, str]
"""A pair, and the name of the judge; "" where nobody has given a name."""


class Remarks:
    """The notes and marks of an evaluation, by pair and judge."""

    def __init__(self, notes: Mapping[Key, str] | None = None) -> None:
        self.notes: dict[Key, str] = dict(notes or {})
        self.marks: dict[Key, str] = {}
        self._saved = dict(self.notes)

    def frozen(self) -> Remarks:
        """The remarks as they stand now."""
        still = Remarks(self.notes)
        still.marks, still._saved = dict(self.marks), dict(self._saved)
        return still

    def of_pair(self, pair: int) -> dict[str, str]:
        """The note of each judge about a document."""
        return {judge: text for (other, judge), text in self.notes.items() if other == pair}

    def set_note(self, pair: int, judge: str, text: str | None) -> None:
        """Keep what a judge notes about a document; nothing, or None, takes the note away."""
        if text:
            self.notes[pair, judge] = text
        else:
            self.notes.pop((pair, judge), None)

    def set_mark(self, pair: int, judge: str, mark: str | None) -> None:
        """Mark a document, one of MARKS; None takes the mark away."""
        if mark:
            self.marks[pair, judge] = mark
        else:
            self.marks.pop((pair, judge), None)

    def changed(self) -> set[Key]:
        """The notes that are not as they were read or saved."""
        keys = self.notes.keys() | self._saved.keys()
        return {key for key in keys if self.notes.get(key) != self._saved.get(key)}

    def mark_saved(self, notes: Mapping[Key, str]) -> None:
        """Take these notes, as they read back, for those that the files hold."""
        self._saved = dict(notes)
