"""A scale as a file: what is written is read again, and anything else is said to be none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ndcg_desktop.evaluation.scale import BUILT_IN, Level, Scale
from ndcg_desktop.files.scale_file import LARGEST, read_scale, write_scale
from ndcg_desktop.files.table import FileError

SCALE = Scale("Größe", (Level(0, "nein"), Level(0.5, "ja", "Wenn *alles* stimmt.")), "Für alle")


@pytest.mark.parametrize("scale", [SCALE, *BUILT_IN], ids=lambda scale: scale.name)
def test_what_is_written_is_read(tmp_path: Path, scale: Scale) -> None:
    """A scale comes back whole."""
    write_scale(tmp_path / "s.json", scale)

    assert read_scale(tmp_path / "s.json") == scale


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    """Some editors put one before the text."""
    path = tmp_path / "s.json"
    path.write_text(SCALE.to_json(), encoding="utf-8-sig")

    assert read_scale(path) == SCALE


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "This is no scale."),
        (b"\xff\xfe\x00", "This is no scale."),
        (b"query,document,grade\nq,d,1\n", "This is no scale."),
        (b" " * (LARGEST + 1), "too large"),
        (
            b'{"name": "a", "guideline": "", "levels": []}',
            "A scale has from 2 to 10 grades.",
        ),
    ],
)
def test_another_file_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    """A file that holds no scale is named, with the reason."""
    path = tmp_path / "other.json"
    path.write_bytes(content)

    with pytest.raises(FileError, match=rf"other\.json: .*{why}"):
        read_scale(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A folder, a name that is not there, and a pipe that would never end are refused at once."""
    paths = [tmp_path, tmp_path / "none.json"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.json")
        paths.append(tmp_path / "pipe.json")

    for path in paths:
        with pytest.raises(FileError, match="no file"):
            read_scale(path)


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A folder that is not there is named."""
    with pytest.raises(FileError, match="is not there"):
        write_scale(tmp_path / "none" / "s.json", SCALE)
