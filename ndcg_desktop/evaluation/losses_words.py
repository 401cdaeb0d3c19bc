"""The best single changes of a query, each in a sentence."""

from __future__ import annotations

from ndcg_desktop.evaluation.best_changes import Grading, Insertion, Move, Swap
from ndcg_desktop.evaluation.wording import DECIMALS, grade_text, moved

NO_MOVE = "No document moved alone raises the score."
NO_GRADE = "No document waits for a grade that would change the score."


def move_words(move: Move | None, decimals: int = DECIMALS) -> str:
    """The best single move, or that there is none."""
    if move is None:
        return NO_MOVE
    return (
        f"Best single move: {_name(move.document)} from rank {move.rank} to rank {move.to}: "
        f"{moved(move.before, move.value, decimals)}."
    )


def swap_words(swap: Swap | None, decimals: int = DECIMALS) -> str:
    """The best exchange of two documents, empty where there is none."""
    if swap is None:
        return ""
    return (
        f"Best exchange: {_name(swap.document)} (rank {swap.rank}) and {_name(swap.other)} "
        f"(rank {swap.to}): {moved(swap.before, swap.value, decimals)}."
    )


def missed_words(insertion: Insertion | None, decimals: int = DECIMALS) -> str:
    """The missed document that would help most, empty where there is none."""
    if insertion is None:
        return ""
    return (
        f"Best document to return: {_name(insertion.document)}, grade "
        f"{grade_text(insertion.grade)}, at rank {insertion.to}: "
        f"{moved(insertion.before, insertion.value, decimals)}."
    )


def grades_words(
    raising: Grading | None, lowering: Grading | None, decimals: int = DECIMALS
) -> list[str]:
    """The grades that raise and lower the score most, or that there is none."""
    words = [
        f"Best single grade: {_grading(raising, decimals)}" if raising else "",
        f"The grade that costs most: {_grading(lowering, decimals)}" if lowering else "",
    ]
    return [each for each in words if each] or [NO_GRADE]


def _grading(grading: Grading, decimals: int) -> str:
    place = "not returned" if grading.rank is None else f"rank {grading.rank}"
    return (
        f"if {_name(grading.document)} ({place}), which is not judged, had grade "
        f"{grade_text(grading.grade)}: {moved(grading.before, grading.value, decimals)}."
    )


def _name(document: str) -> str:
    return " ".join(document.split())
