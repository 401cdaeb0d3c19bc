"""matplotlib's SVG made fit for Qt's renderer."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

import numpy as np
from numpy.typing import NDArray

SPACING = 6.0
"""Points between the lines of a hatching, measured along an axis, as matplotlib's ``////``."""

# Qt knows names by their usual prefixes only.
Xml.register_namespace("", "http://www.w3.org/2000/svg")
Xml.register_namespace("xlink", "http://www.w3.org/1999/xlink")

_PATH = "{http://www.w3.org/2000/svg}path"
_RECT = "{http://www.w3.org/2000/svg}rect"
_PATTERN = "{http://www.w3.org/2000/svg}pattern"
_HATCHED = re.compile(r"fill: url\(#(\w+)\)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def fit_for_qt(svg: bytes) -> bytes:
    """The same picture without the two things that Qt does not paint as it should.

    A hatching is a pattern, of which Qt makes a raster of some hundred kilobytes: here it becomes
    the lines that it consists of. A path without data, for bars that are not there, is left out:
    Qt complains of it.
    """
    root = Xml.fromstring(svg)
    patterns = {pattern.get("id", ""): pattern for pattern in root.iter(_PATTERN)}
    for parent in list(root.iter()):
        for place, path in reversed(list(enumerate(parent))):
            if path.tag != _PATH:
                continue
            if path.get("d") is None:
                parent.remove(path)
            elif found := _HATCHED.search(path.get("style", "")):
                parent[place : place + 1] = _plain(path, patterns[found[1]])
    return Xml.tostring(root)


def _plain(path: Xml.Element, pattern: Xml.Element) -> list[Xml.Element]:
    """A hatched path as its ground, where that is filled, and its lines."""
    ground, lines = pattern.find(_RECT), pattern.find(_PATH)
    assert ground is not None
    assert lines is not None
    hatching = Xml.Element(_PATH, d=_hatching(path.get("d", "")), style=lines.get("style", ""))
    fill = ground.get("fill", "none")
    if fill == "none":  # Qt would stroke it in black
        return [hatching]
    path.set("style", _HATCHED.sub(f"fill: {fill}", path.get("style", "")))
    return [path, hatching]


def _hatching(data: str) -> str:
    """Diagonal lines within polygons, as the data of a path."""
    start, end = _edges(data)
    sums = (start.sum(axis=1), end.sum(axis=1))
    parts = []
    first, last = np.floor(np.min(sums) / SPACING), np.ceil(np.max(sums) / SPACING)
    for line in np.arange(first, last + 1) * SPACING:  # where x + y is this much
        crossing = (sums[0] <= line) != (sums[1] <= line)
        share = (line - sums[0][crossing]) / (sums[1] - sums[0])[crossing]
        across = start[crossing, 0] + share * (end - start)[crossing, 0]
        across.sort()
        parts += [
            f"M {left:.3f} {line - left:.3f} L {right:.3f} {line - right:.3f}"
            for left, right in across.reshape(-1, 2).tolist()
        ]
    return " ".join(parts)


def _edges(data: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Starts and ends of the edges of a path's polygons, each of shape (edges, 2)."""
    starts, ends = [], []
    for polygon in data.split("z"):
        corners = np.array(_NUMBER.findall(polygon), dtype=np.float64).reshape(-1, 2)
        starts.append(corners)
        ends.append(np.roll(corners, -1, axis=0))
    return np.concatenate(starts), np.concatenate(ends)
