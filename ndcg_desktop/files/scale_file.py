"""A scale as a file of its own, to hand to other judges."""

from __future__ import annotations

from pathlib import Path

from ndcg_desktop.evaluation.scale import Scale, ScaleError
from ndcg_desktop.files.atomic import atomic_write
from ndcg_desktop.files.table import FileError

SUFFIX = ".json"
LARGEST = 1_000_000
"""Bytes of a file that may be a scale; guidelines are some pages at most."""


def read_scale(path: Path) -> Scale:
    """The scale that a file holds. Raises FileError for a file that holds none."""
    try:
        if not path.is_file():  # to open a pipe would wait for its other end
            raise FileError(path, "This is no file that could be read.")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise FileError(path, f"The file cannot be read ({error.strerror}).") from error
    if len(content) > LARGEST:
        raise FileError(path, "This is no scale: it is too large.")
    try:
        return Scale.from_json(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FileError(path, "This is no scale.") from error
    except ScaleError as error:
        raise FileError(path, str(error)) from error


def write_scale(path: Path, scale: Scale) -> None:
    """Write a scale to a file, whole or not at all. Raises FileError where that cannot be."""
    content = f"{scale.to_json()}\n".encode(errors="replace")
    atomic_write(path, lambda file: file.write(content))
