"""Undo commands. Redo and undo call one and the same method of the session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

# What an evaluation is made of is imported after the first paint.
if TYPE_CHECKING:
    from ndcg_desktop.evaluation.columns import Finding
    from ndcg_desktop.evaluation.evaluation import Evaluation
    from ndcg_desktop.evaluation.repairs import Repair
    from ndcg_desktop.files.assemble import Understood

Grades = Sequence[tuple[int, float]]
"""Pairs and the grade of each; NaN is *not judged*."""


class SetGrades(QUndoCommand):
    """Change the grades of some pairs, all at once.

    What is undone or done again is revealed: the user may be looking elsewhere.
    """

    def __init__(
        self,
        write: Callable[[Grades], None],
        reveal: Callable[[Grades], None],
        old: Grades,
        new: Grades,
        text: str,
    ) -> None:
        super().__init__(text.replace("&", "&&"))  # a menu takes & for a mnemonic
        self._write = write
        self._reveal = reveal
        self._done_before = False
        self._old = old
        self._new = new

    def redo(self) -> None:
        """Write the new grades."""
        self._write(self._new)
        if self._done_before:
            self._reveal(self._new)
        self._done_before = True

    def undo(self) -> None:
        """Write the old grades."""
        self._write(self._old)
        self._reveal(self._old)


@dataclass(frozen=True, slots=True)
class Opened:
    """What is open: the evaluation, the tables it was made of, the judged ones, those that are not
    used, the findings, and the repairs of ids that were made and that could be.
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
