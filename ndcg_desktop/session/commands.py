"""Undo commands. Redo and undo call one and the same method of the session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

# What an evaluation is made of is imported after the first paint.
if TYPE_CHECKING:
    from ndcg_desktop.evaluation.columns import Finding
    from ndcg_desktop.evaluation.edits import Edit
    from ndcg_desktop.evaluation.evaluation import Evaluation
    from ndcg_desktop.evaluation.lineup import Lineup
    from ndcg_desktop.evaluation.repairs import Repair
    from ndcg_desktop.files.assemble import Understood


NOTES = 1
"""The id of commands that are a note."""


class Write(QUndoCommand):
    """Change what is said of some documents, all at once.

    What is undone or done again is revealed: the user may be looking elsewhere. A step that
    ``joins`` is one with the note before it.
    """

    def __init__(
        self,
        write: Callable[[Sequence[Edit]], None],
        reveal: Callable[[Sequence[Edit]], None],
        edits: Sequence[Edit],
        text: str,
        joins: bool = False,
    ) -> None:
        super().__init__(text.replace("&", "&&"))  # a menu takes & for a mnemonic
        self._write = write
        self._reveal = reveal
        self._done_before = False
        self._edits = edits
        self._joins = joins

    def id(self) -> int:
        """Which commands may be made one: those of notes, which are kept while they are typed."""
        alone = len(self._edits) == 1 and self._edits[0].kind == "note"
        return NOTES if alone else -1

    def mergeWith(self, other: QUndoCommand) -> bool:  # noqa: N802 - Qt's name
        """Take up the next state of the same note, where that goes on with the typing."""
        assert isinstance(other, Write)
        (mine,), (further,) = self._edits, other._edits
        if not other._joins or (mine.owner, mine.pair) != (further.owner, further.pair):
            return False
        self._edits = [replace(mine, new=further.new)]
        self.setObsolete(mine.old == further.new)  # typed and taken back: no step at all
        return True

    def redo(self) -> None:
        """Write what is new."""
        self._write(self._edits)
        if self._done_before:
            self._reveal(self._edits)
        self._done_before = True

    def undo(self) -> None:
        """Write what was there before."""
        back = [edit.reversed() for edit in reversed(self._edits)]
        self._write(back)
        self._reveal(back)


@dataclass(frozen=True, slots=True)
class Opened:
    """What is open: the evaluation, the tables it was made of, the judged ones, those that are not
    used, the findings, and the repairs of ids that were made and that could be.

    ``judged`` are the tables that grades go back to, in the order of the evaluation's entries.
    """

    evaluation: Evaluation
    parts: tuple[Understood, ...]
    judged: tuple[Understood, ...]
    unused: tuple[Understood, ...]
    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    proposed: tuple[Repair, ...]


class Reread(QUndoCommand):
    """The same files, understood in another way."""

    def __init__(self, show: Callable[[Opened], None], old: Opened, new: Opened, text: str) -> None:
        super().__init__(text.replace("&", "&&"))
        self._show = show
        self._old = old
        self._new = new

    def redo(self) -> None:
        """Show what the new reading gives."""
        self._show(self._new)

    def undo(self) -> None:
        """Show what the old reading gave."""
        self._show(self._old)


class LineUp(QUndoCommand):
    """Other rankings are compared, or in another way."""

    def __init__(
        self, line_up: Callable[[Lineup], None], old: Lineup, new: Lineup, text: str
    ) -> None:
        super().__init__(text.replace("&", "&&"))
        self._line_up = line_up
        self._old = old
        self._new = new

    def redo(self) -> None:
        """Compare the new ones."""
        self._line_up(self._new)

    def undo(self) -> None:
        """Compare those before."""
        self._line_up(self._old)
