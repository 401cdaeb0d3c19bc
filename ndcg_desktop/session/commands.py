"""Undo commands. Redo and undo call one and the same method of the session."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QUndoCommand

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
