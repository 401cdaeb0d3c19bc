"""The report as one HTML file, read back with a parser."""

import re
from html.parser import HTMLParser

import pytest
from compared import DIGEST, compared, request_of

from ndcg_desktop.reports.comparison_content import content_of
from ndcg_desktop.reports.comparison_html import comparison_html, export_comparison_html

ODD = "靴 <b>x</b> \"$y$\" & 'z'"


class Reader(HTMLParser):
    """Notes tags with their attributes, ids, and the text, and whether tags are closed in order."""

    EMPTY = {"meta", "path", "use", "rect", "br", "circle"}

    def __init__(self):
        super().__init__()
        self.tags, self.open, self.ids, self.text = [], [], [], []

    def handle_starttag(self, tag, attrs):
        """Note a tag."""
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        """Note a tag without content."""
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        """Close the last open tag."""
        if tag not in self.EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data):
        """Note text."""
        self.text.append(data)


@pytest.fixture(scope="module")
def content():
    """A report on three rankings, one with an odd name."""
    return content_of(request_of(compared(9, ["production", ODD, "neural"])))


@pytest.fixture(scope="module")
def page(content):
    """Its page, read."""
    reader = Reader()
    reader.feed(comparison_html(content))
    reader.close()
    assert reader.open == []
    return reader


def test_everything_is_there(page, content):
    """Every sentence, table, setting and file is on the page."""
    text = "".join(page.text)
    for table in content.tables:
        assert table.title in text
        assert table.caption in text
        for row in table.rows:
            assert all(cell in text for cell in row)
    for each in content.versus:
        for line in (each.answer, *each.fairness, *each.influences, each.settings):
            assert line in text
    for line in (*content.compared, *content.findings, content.day, content.program):
        assert line in text
    assert all(name in text and words in text for name, words in content.options)
    assert DIGEST in text
    assert text.count(ODD) > 10


def test_it_needs_no_other_file(page):
    """There is no script, and nothing is loaded from elsewhere."""
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "image"}
    for _, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("href", "src", "xlink:href"):
                assert value.startswith("#")
    style = comparison_style(page)
    assert "url(" not in style
    assert "@import" not in style


def comparison_style(page):
    """The text of the style, which is the first that is long."""
    return next(text for text in page.text if "color-scheme" in text)


def test_charts(page, content):
    """Each chart is there in light and in dark, and says in words what it shows; no two elements
    have one id, and every reference finds its own.
    """
    kinds = [attributes.get("class") for tag, attributes in page.tags if tag == "svg"]
    assert kinds == ["light", "dark"] * 3 * len(content.versus)
    assert len(set(page.ids)) == len(page.ids)
    images = [attributes for _, attributes in page.tags if attributes.get("role") == "img"]
    assert len(images) == 3 * len(content.versus)
    assert all(each["aria-describedby"] in page.ids for each in images)
    used = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', comparison_html(content))
    assert used
    assert all((one or other) in page.ids for one, other in used)
    text = "".join(page.text)
    assert all(each.differences.words in text for each in content.versus)


def test_light_and_dark(page):
    """The page follows what its reader has chosen, and prints in light."""
    style = comparison_style(page)
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style


def test_file(content, tmp_path):
    """The file is UTF-8 and says so."""
    path = tmp_path / "report.html"
    export_comparison_html(path, content)
    data = path.read_bytes()
    assert data.decode() == comparison_html(content)
    assert b'<meta charset="utf-8">' in data[:200]
