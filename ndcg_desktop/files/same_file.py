"""Whether two paths lead to one file, whatever they are called."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def real_path(path: Path) -> Path:
    """The path without links; one whose links lead in a circle stays as far as it can be followed.

    (`Path.resolve` raises RuntimeError there on some versions of Python.)
    """
    return Path(os.path.realpath(path))


def same_file(path: Path, others: Iterable[Path]) -> bool:
    """Whether a path leads to one of the others."""
    place = real_path(path)
    return any(place == real_path(other) for other in others)
