"""Text on the chart: scripts that a font lacks, and lines that are too long."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ndcg_desktop.charts import lettering
from ndcg_desktop.charts.lettering import elided, font, one_line, text_width, wrapped

CACHED = (
    lettering.families,
    lettering.font,
    lettering._has_glyph,
    lettering.one_line,
    lettering.text_width,
    lettering.elided,
)


def forget():
    """Forget what fonts are there."""
    for function in CACHED:
        function.cache_clear()


@pytest.fixture
def one_font(monkeypatch):
    """A machine with no font but matplotlib's own."""
    monkeypatch.setattr(lettering, "FAMILIES", ("DejaVu Sans", "No Such Font"))
    forget()
    yield
    forget()


@pytest.mark.usefixtures("one_font")
def test_a_character_without_a_glyph_becomes_a_box():
    """Without a font for it a text is drawn with boxes, and without a warning."""
    text = one_line("跑 shoes \ud800")
    assert text == "□ shoes □"
    figure = Figure()
    canvas = FigureCanvasAgg(figure)
    figure.text(0, 0, text, fontproperties=font(9.0))
    canvas.draw()


def test_a_text_is_put_on_one_line():
    """White space of any kind is one space; what has no width leaves no box."""
    assert one_line(" a\tb\r\nc\x00  d\U000e0100 ") == "a b c d"
    assert one_line("größer − žluťoučký") == "größer − žluťoučký"


def test_a_long_line_is_elided():
    """What is left fits, and is as much as fits."""
    small = font(9.0)
    width = text_width("running sh…", small) + 1
    assert elided("running shoes for flat feet", small, width) == "running sh…"
    assert elided("running shoes", small, 500.0) == "running shoes"
    assert elided("running shoes", small, 0.0) == "…"


def test_a_very_long_text_is_cut_before_it_is_measured(monkeypatch):
    """An id of a hundred thousand characters costs no more than one that fills a line."""
    measured = []
    measure = lettering.text_to_path.get_text_width_height_descent

    def watched(text, *others):
        measured.append(len(text))
        return measure(text, *others)

    monkeypatch.setattr(lettering.text_to_path, "get_text_width_height_descent", watched)
    text, small = "y" * 100_000, font(9.0)
    line = one_line(text)
    assert line == "y" * lettering.LONGEST + "…"
    assert elided(text, small, 120.0) == elided(line, small, 120.0)
    assert 3 < len(elided(line, small, 120.0)) < 60
    assert wrapped(line, small, 120.0, 2)[0].endswith("…")
    assert elided(text, small, 1e9).endswith("y…")
    assert max(measured) <= lettering.LONGEST + 1


def test_a_text_is_wrapped_between_words():
    """Lines break at spaces; the last one holds the rest, elided."""
    small = font(9.0)
    width = text_width("linear gain, ideal", small) + 2
    lines = wrapped("linear gain, ideal from all judged documents", small, width, 2)
    assert lines == ["linear gain, ideal", "from all judged…"]
    assert wrapped("linear gain", small, width, 2) == ["linear gain"]
    assert wrapped("", small, width, 2) == []
    assert wrapped("word " * 2 + "w" * 90, small, width, 3)[1].endswith("w…")
