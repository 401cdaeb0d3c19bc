"""Where grades can be saved to: back into their files, into a copy, or not there at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.save import can_patch


def why_not_back(judged: Sequence[Understood], example: bool) -> str:
    """Why grades cannot go back to the files they came from, empty where they can."""
    if example:
        return "This is an example; its file stays as it is."
    if not judged:
        return "These grades have no file of their own yet."
    return next((why for part in judged if (why := can_patch(part))), "")


def why_not_there(target: Path, open_paths: Sequence[Path], judged: Sequence[Understood]) -> str:
    """Why a file must not be written over: something else that is open is in it."""
    place = target.resolve()
    if all(path.resolve() != place for path in open_paths):
        return ""
    if copies_to(target, judged) and len(open_paths) == 1:
        return ""
    return "This file is open, and would lose what else it holds. Choose another name."


def copies_to(target: Path, judged: Sequence[Understood]) -> bool:
    """Whether the new file may be a copy of the old one, with nothing changed but grades."""
    if len(judged) != 1 or can_patch(judged[0]):
        return False
    return judged[0].table.path.suffix.lower() == target.suffix.lower()
