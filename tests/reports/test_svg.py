"""matplotlib's SVG as Qt is given it."""

from io import BytesIO
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from ndcg_desktop.reports.svg import fit_for_qt

PATH = "{http://www.w3.org/2000/svg}path"


def svg_of(*patches):
    """The SVG of patches on a figure of 200 by 100 points, as matplotlib writes it."""
    figure = Figure(figsize=(200 / 72, 100 / 72))
    for patch in patches:
        figure.add_artist(patch)
    data = BytesIO()
    figure.savefig(data, format="svg")
    return data.getvalue()


@pytest.fixture
def hatched():
    """A box from (50, 20) to (150, 80) in points, seen from above left."""
    return Rectangle((0.25, 0.2), 0.5, 0.6, hatch="////", facecolor="#f2e0d4", edgecolor="#b4500f")


def test_hatching_becomes_lines(hatched):
    """Every line is a diagonal from edge to edge of the box, six points from the next."""
    paths = list(Xml.fromstring(fit_for_qt(svg_of(hatched))).iter(PATH))
    ground = next(path for path in paths if "fill: #f2e0d4" in path.get("style", ""))
    lines = paths[paths.index(ground) + 1]
    words = lines.get("d").replace("M", "").replace("L", "").split()
    segments = np.array(words, dtype=float).reshape(-1, 4)

    assert "stroke: #b4500f" in lines.get("style")
    x, y = segments[:, ::2], segments[:, 1::2]
    np.testing.assert_allclose(np.diff(x + y, axis=1), 0, atol=0.01)
    np.testing.assert_allclose(np.diff((x + y)[:, 0]), 6, atol=0.01)
    assert x.min() == pytest.approx(50)
    assert x.max() == pytest.approx(150)
    assert y.min() == pytest.approx(20)
    assert y.max() == pytest.approx(80)


def test_no_pattern_is_used(hatched):
    """Nothing that is filled refers to a pattern."""
    svg = svg_of(hatched)

    assert b"fill: url(" in svg
    assert b"fill: url(" not in fit_for_qt(svg)


def test_path_without_data():
    """A patch of nothing leaves no trace."""
    nothing = PathPatch(Path(np.zeros((0, 2))), hatch="////")
    paths = list(Xml.fromstring(fit_for_qt(svg_of(nothing))).iter(PATH))

    assert all(path.get("d") for path in paths)


def test_hatching_without_a_ground():
    """Only the lines stay: Qt would paint a black edge where nothing is filled."""
    box = Rectangle((0.25, 0.2), 0.5, 0.6, hatch="////", facecolor="none", edgecolor="#b4500f")
    paths = list(Xml.fromstring(fit_for_qt(svg_of(box))).iter(PATH))
    shown = [path for path in paths if "stroke: #b4500f" in path.get("style", "")]

    assert not any("fill: none" in path.get("style", "") for path in paths)
    assert shown
