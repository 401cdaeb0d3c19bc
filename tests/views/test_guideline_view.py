"""Guidelines of other people are shown, and nothing that they name is fetched or opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from ndcg_desktop.evaluation.scale import BUILT_IN, Level, Scale
from ndcg_desktop.views.guideline_view import GuidelineView
from ndcg_desktop.views.theme import DARK, LIGHT, apply_theme

ADDRESS = "https://example.org/a%20b?c=%3Cd%3E&e=1"


def scale_with(guideline: str) -> Scale:
    """A scale that says this."""
    return Scale("s", (Level(0), Level(1)), guideline)


@pytest.fixture
def view(qtbot) -> GuidelineView:
    """A view of some size, shown."""
    view = GuidelineView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    return view


def test_it_shows_the_whole_text(view: GuidelineView) -> None:
    """Every grade stands there with its name and guideline, and marks of Markdown do not."""
    view.show_scale(BUILT_IN[3])
    text = view.toPlainText()

    assert text.startswith("3 Exact\nIt is all that was asked for.\n2 Substitute\n")
    assert (view.objectName(), view.accessibleName()) == ("guidelines", "Guidelines")


def test_pictures_are_words(view: GuidelineView, tmp_path: Path) -> None:
    """A picture that is there on the disk is not shown either, however it is named."""
    path = tmp_path / "red.png"
    picture = QImage(40, 40, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.red)
    picture.save(str(path))
    url = QUrl.fromLocalFile(str(path)).toString()
    view.show_scale(
        scale_with(f"![a cat]({path}) ![b]({url})\n\n* ![x]({path})\n\n<img src='{url}'>")
    )
    QTest.qWait(0)
    shown = view.grab().toImage()
    red = [
        (x, y)
        for x in range(shown.width())
        for y in range(shown.height())
        if shown.pixelColor(x, y) == Qt.GlobalColor.red
    ]

    assert red == []
    assert view.toPlainText().startswith("[picture: a cat] [picture: b]\n[picture: x]\n<img src=")
    assert "\ufffc" not in view.toPlainText()


@pytest.mark.parametrize("name", ["/etc/hosts", "https://example.org/x.png", ":/qt-project.org/x"])
def test_nothing_is_loaded(view: GuidelineView, name: str) -> None:
    """Whatever a text names as a resource, there is none."""
    assert view.loadResource(2, QUrl(name)) is None


def test_html_is_text(view: GuidelineView) -> None:
    """Tags are shown as they are written."""
    view.show_scale(scale_with("a <b>b</b> <style>*{color:red}</style>"))

    assert view.toPlainText().startswith("a <b>b</b> <style>*{color:red}</style>")


def test_a_link_is_asked_for_and_not_opened(
    qtbot, view: GuidelineView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A click says which address is wanted; the text stays, and no browser opens."""
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    view.show_scale(scale_with(f"[handbook](<{ADDRESS}>) and more"))
    before = view.toPlainText()
    cursor = QTextCursor(view.document())
    cursor.setPosition(3)
    place = view.cursorRect(cursor).center()
    QTest.mouseMove(view.viewport(), place)
    with qtbot.waitSignal(view.link_wanted) as wanted:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)

    assert wanted.args == [ADDRESS]
    assert view.toPlainText() == before
    assert view.source().isEmpty()
    assert opened == []


def test_an_address_is_shown_as_text(view: GuidelineView) -> None:
    """The tooltip of a link is its address, and no markup."""
    view.highlighted.emit(QUrl("https://example.org/?<b>"))
    tip = view.toolTip()
    view.highlighted.emit(QUrl())

    assert "https://example.org/?" in tip
    assert "<b>" not in tip
    assert view.toolTip() == ""


def test_the_place_stays_while_one_writes(view: GuidelineView) -> None:
    """A change of the text does not scroll it to its beginning."""
    view.show_scale(scale_with("word\n\n" * 200))
    view.verticalScrollBar().setValue(500)
    view.show_scale(scale_with("word\n\n" * 201))

    assert view.verticalScrollBar().value() == 500


def test_links_follow_the_palette(view: GuidelineView) -> None:
    """A link that is shown has the colour of the theme that is on now."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    view.show_scale(scale_with("[handbook](https://example.org)"))
    colours = []
    for theme in ("dark", "light"):
        apply_theme(application, theme)
        cursor = QTextCursor(view.document())
        cursor.setPosition(3)
        colours.append(cursor.charFormat().foreground().color().name())

    role = view.palette().ColorRole.Link
    assert colours == [DARK[role], LIGHT[role]]
