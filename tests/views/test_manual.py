"""The manual: its pages hang together, say what is so, and are read without a network."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QColor, QDesktopServices, QImage, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from ndcg_desktop.resources import folder
from ndcg_desktop.scoring.conventions import CONVENTIONS
from ndcg_desktop.session.preferences import LAYOUTS
from ndcg_desktop.views.actions import SPECS
from ndcg_desktop.views.help_flow import PAGES
from ndcg_desktop.views.judge_keys import JUDGE_KEYS, keys_of
from ndcg_desktop.views.keys_dialog import KeysDialog, plain_text
from ndcg_desktop.views.main_window import MainWindow
from ndcg_desktop.views.manual_pages import LINK, PLACE, Keys, headings, home, pages, slug
from ndcg_desktop.views.manual_window import ManualWindow
from ndcg_desktop.views.options_dialog import OptionsDialog
from ndcg_desktop.views.queue_dialog import QueueDialog
from ndcg_desktop.views.theme import DARK, LIGHT, apply_theme

PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
README = Path(__file__).parents[2] / "README.md"
PACKAGE = Path(__file__).parents[2] / "ndcg_desktop"
TERMS = """query, document, grade, not judged, judgments, ranking, gain, discount, DCG, ideal DCG,
    nDCG, cutoff k, missed, shortfall, judged@k, evaluation, condensed list, bounds, RBO, bootstrap,
    Holm's correction, Cohen's κ, Krippendorff's α, Fleiss' κ, Kendall's τ, ERR, RBP, Q, AP, RR, P,
    R, bpref, success, scale, undefined query, absent query, convention, p value, randomisation test
    """


def text_of(name: str) -> str:
    """A page as it is written."""
    return (home() / f"{name}.md").read_text(encoding="utf-8")


NAMES = sorted(path.stem for path in home().glob("*.md"))


class TestPages:
    """What is written."""

    def test_the_index_names_every_page(self) -> None:
        """Each file can be come to, and each has a title."""
        assert sorted(pages()) == NAMES
        assert all(page.title and page.part for name, page in pages().items() if name != "index")

    @pytest.mark.parametrize("name", NAMES)
    def test_links_lead_somewhere(self, name: str) -> None:
        """The page, its heading, or the action that a link names is there."""
        for words, address in LINK.findall(text_of(name)):
            target, _, anchor = address.partition("#")
            if address.startswith("action:"):
                assert address.removeprefix("action:") in SPECS
                continue
            goal = target.removesuffix(".md") or name
            assert goal in NAMES, f"[{words}]({address})"
            if anchor:
                found = [slug(heading) for heading in headings(text_of(goal))]
                assert found.count(anchor) == 1, f"[{words}]({address})"

    def test_pictures_are_there_and_named(self) -> None:
        """Each picture that is named is there, each that is there is named, and none is large."""
        named = {
            (home() / address).resolve()
            for name in NAMES
            for _, address in PICTURE.findall(text_of(name))
        }
        assert all(words for name in NAMES for words, _ in PICTURE.findall(text_of(name)))
        named |= {
            (README.parent / address).resolve()
            for _, address in PICTURE.findall(README.read_text(encoding="utf-8"))
        }
        there = {path.resolve() for path in (folder() / "screenshots").iterdir()}

        assert named == there
        assert max(path.stat().st_size for path in there) < 120 * 1024

    def test_keys_are_those_of_actions(self, window: MainWindow) -> None:
        """Each place that is kept for a key is filled, and none of these is written down."""
        keys = Keys(window.do.all, keys_of(window.session.preferences))
        known = {f"`{spec.key}`" for spec in SPECS.values() if spec.key}
        in_the_manual = {"`Ctrl+F`"}  # also a key of its own window
        for name in NAMES:
            filled = keys.filled(text_of(name))
            assert not PLACE.search(filled) and "{keys}" not in filled, name
            assert "no key" not in filled, name
            assert {key for key in known if key in text_of(name)} <= in_the_manual, name

    def test_a_page_begins_with_its_keys(self) -> None:
        """The first lines of each page that is about a part of the program say its keys."""
        for page in pages().values():
            if page.part in ("For whom", "The program") and page.name != "command-line":
                assert page.text.split("\n\n")[1].startswith("Keys: "), page.name

    def test_every_action_is_mentioned(self, window: MainWindow) -> None:
        """By its key, or by its name as the menu has it."""
        everything = "\n".join(text_of(name) for name in NAMES if name != "keys") + text_of("keys")
        for name, spec in SPECS.items():
            words = plain_text(spec.text)
            assert f"{{key:{name}}}" in everything or f"*{words}" in everything, name
        for name in JUDGE_KEYS:
            assert f"{{judge:{name}}}" in everything, name

    def test_every_page_of_the_program_has_one(self) -> None:
        """Start page, every arrangement, and every dialog."""
        assert {"start", *LAYOUTS, *PAGES.values(), "glossary"} <= set(NAMES)

    def test_the_glossary_has_every_term(self) -> None:
        """The words of the field, and those of the program."""
        found = {heading.casefold() for heading in headings(text_of("glossary"))}
        wanted = {" ".join(term.split()).casefold() for term in TERMS.split(",")}

        assert wanted - found == set()

    def test_messages_are_those_of_the_program(self) -> None:
        """What the page on messages quotes is said so somewhere in the program."""
        said = " ".join(_strings())
        quoted = re.findall(r"^\*\*(“.+?)\*\*", text_of("troubleshooting"), re.MULTILINE)
        quotes = [quote for line in quoted for quote in re.findall(r"“([^”]+)”", line)]
        assert len(quotes) > 10
        for quote in quotes:
            for piece in re.split(r"…|\d+(?:–\d+)?", quote):
                assert piece.strip(" .") in said, piece

    def test_every_option_is_in_the_tables(self) -> None:
        """The table of options has every option of the dialog."""
        text = text_of("scoring").casefold()
        from ndcg_desktop.views.options_dialog import LABELS

        for label in LABELS.values():
            assert label.replace("&", "").casefold() in text, label

    def test_every_convention_is_in_the_tables(self) -> None:
        """Each tool of *Score as*, with what is its own."""
        text = " ".join(text_of("scoring").split())
        for each in CONVENTIONS.values():
            assert f"| {each.name} |" in text, each.name
            assert each.about in text, each.name


def _strings() -> Iterator[str]:
    """Every text of the program's source, and every piece of one that is filled in."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


@pytest.fixture
def manual(qtbot: QtBot, window: MainWindow) -> ManualWindow:
    """The manual, opened from the start page."""
    window.do.manual.trigger()
    found = window.findChild(ManualWindow, "manual")
    assert found is not None
    with qtbot.waitActive(found):
        found.activateWindow()
    return found


def press(manual: ManualWindow, key: Qt.Key, held: Qt.KeyboardModifier) -> None:
    """Press a key where the focus is, and let it go."""
    QTest.keyClick(manual, key, held)
    QTest.keyRelease(manual, Qt.Key.Key_Control)
    QTest.keyRelease(manual, Qt.Key.Key_Alt)


def pictures_in(manual: ManualWindow) -> list[str]:
    """The pictures that the page has, as the document holds them."""
    found = []
    block = manual.text.document().begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            shape = pieces.fragment().charFormat()
            if shape.isImageFormat():
                found.append(shape.toImageFormat().name())
            pieces += 1
        block = block.next()
    return found


CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


class TestWindow:
    """How it is read."""

    def test_links_and_the_way_back(self, manual: ManualWindow) -> None:
        """A link goes to a page and its heading; Alt+Left and Alt+Right go back and forward."""
        assert manual.page == "start" and not manual.back.isEnabled()
        manual.text.anchorClicked.emit(QUrl("glossary.md#kendalls-τ"))
        assert manual.page == "glossary"
        assert manual.text.textCursor().block().text() == "Kendall's τ"
        press(manual, Qt.Key.Key_Left, ALT)
        assert manual.page == "start" and manual.forward.isEnabled()
        press(manual, Qt.Key.Key_Right, ALT)
        assert manual.page == "glossary" and not manual.forward.isEnabled()

    def test_the_list_follows_and_leads(self, manual: ManualWindow) -> None:
        """The page that is shown is chosen in the list, and one that is chosen is shown."""
        manual.open_page("judge")
        assert manual.list.currentItem().text() == "Judge"
        manual.list.setFocus()
        QTest.keyClick(manual.list, Qt.Key.Key_Down)
        assert manual.page == "review"
        assert manual.windowTitle().startswith("Review")

    def test_a_heading_of_parts_is_no_page(self, manual: ManualWindow) -> None:
        """Down from the last page of a part goes to the first of the next."""
        manual.open_page("search-engineer")
        QTest.keyClick(manual.list, Qt.Key.Key_Down)
        assert manual.page == "start"

    def test_searching(self, qtbot: QtBot, manual: ManualWindow) -> None:
        """Ctrl+F, a word: only pages that have it are listed, it is marked, Return goes on."""
        press(manual, Qt.Key.Key_F, CTRL)
        assert manual.search.hasFocus()
        QTest.keyClicks(manual.search, "condensed")
        listed = [
            manual.list.item(row).text()
            for row in range(manual.list.count())
            if not manual.list.item(row).isHidden()
        ]
        assert listed == ["You check another tool's number", "What is scored, exactly", "Glossary"]
        QTest.keyClick(manual.search, Qt.Key.Key_Return)
        assert manual.page == "search-engineer"
        assert manual.text.textCursor().selectedText() == "condensed"
        assert len(manual.text.extraSelections()) == manual.text.toPlainText().count("condensed")
        QTest.keyClick(manual.search, Qt.Key.Key_Escape)
        assert manual.search.text() == "" and manual.isVisible()
        assert manual.text.extraSelections() == []

    def test_what_is_not_there(self, manual: ManualWindow) -> None:
        """It is said, and Return changes nothing."""
        manual.search.setText("zebra")
        QTest.keyClick(manual.search, Qt.Key.Key_Return)
        assert manual.messages.texts == ["The manual does not have “zebra”."]
        assert manual.page == "start"

    def test_larger_letters(self, manual: ManualWindow) -> None:
        """Ctrl++, Ctrl+- and Ctrl+0."""

        def points() -> float:
            return manual.text.document().defaultFont().pointSizeF()

        own = points()
        press(manual, Qt.Key.Key_Plus, CTRL)
        press(manual, Qt.Key.Key_Plus, CTRL)
        assert points() == own + 2
        press(manual, Qt.Key.Key_Minus, CTRL)
        assert points() == own + 1
        press(manual, Qt.Key.Key_0, CTRL)
        assert points() == own

    def test_escape_closes_and_the_size_stays(self, window: MainWindow, manual) -> None:
        """Esc closes; the next one is as large."""
        manual.resize(640, 480)
        QTest.keyClick(manual, Qt.Key.Key_Escape)
        assert not manual.isVisible()
        keys = Keys(window.do.all, keys_of(window.session.preferences))
        again = ManualWindow(keys, window.session.preferences, window)
        assert (again.width(), again.height()) == (640, 480)

    def test_it_follows_the_theme(self, qapp: QApplication, manual: ManualWindow) -> None:
        """Links have the colour of the theme, also after it was changed."""
        manual.open_page("index")
        for theme, colours in (("dark", DARK), ("light", LIGHT)):
            apply_theme(qapp, theme)
            QApplication.processEvents()
            cursor = manual.text.document().find("You judge results")
            shape = cursor.charFormat()
            link = QColor(next(c for role, c in colours.items() if role.name == "Link"))
            assert shape.foreground().color() == link
            assert shape.fontUnderline()

    def test_every_page_as_it_is_shown(self, manual: ManualWindow) -> None:
        """Each page shows its pictures once each, no wider than there is room."""
        for name in NAMES:
            manual.open_page(name)
            shown = pictures_in(manual)
            assert shown == [address for _, address in PICTURE.findall(text_of(name))]
            wide = any(mark in text_of(name) for mark in ("```", "|", "{keys}"))
            assert wide or manual.text.horizontalScrollBar().maximum() == 0, name
            for address in shown:
                picture = manual.text.loadResource(2, QUrl(address))
                assert 100 < picture.deviceIndependentSize().width() <= manual.text.width()

    def test_what_is_refused(self, manual: ManualWindow) -> None:
        """Of anything else there is one clear pixel, so that Qt looks for nothing by itself."""
        for name in (
            "https://example.org/x.png",
            "file:///etc/hosts",
            "../../README.md",
            "../icons/ndcg-desktop-16.png",
            "../screenshots/../icons/ndcg-desktop-16.png",
            "",
        ):
            picture = manual.text.loadResource(2, QUrl(name))
            assert isinstance(picture, QImage)
            assert (picture.width(), picture.pixelColor(0, 0).alpha()) == (1, 0), name

    def test_an_address_outside_is_asked_about(self, manual: ManualWindow, monkeypatch) -> None:
        """It is shown as text, and opened only by its button."""
        opened: list[QUrl] = []
        monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
        address = "https://example.org/a?b=<c>"
        manual.text.anchorClicked.emit(QUrl(address))
        assert opened == []
        assert "https://example.org/a?b=%3Cc%3E" in manual.messages.texts[0]
        button = next(
            b for b in manual.messages.findChildren(QPushButton) if b.text().startswith("Open")
        )
        button.click()
        assert opened == [QUrl(address)]

    def test_other_links_do_nothing(self, manual: ManualWindow, monkeypatch) -> None:
        """No file of this computer is opened by a link."""
        opened: list[QUrl] = []
        monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
        for address in ("file:///etc/hosts", "javascript:alert(1)", "/etc/hosts"):
            manual.text.anchorClicked.emit(QUrl(address))
        assert (opened, manual.page, manual.messages.texts) == ([], "start", [])

    def test_by_keyboard_alone(self, manual: ManualWindow) -> None:
        """Tab reaches the links of a page, and Return follows the one that it is at."""
        manual.open_page("index")
        manual.text.setFocus()
        manual.text.moveCursor(QTextCursor.MoveOperation.Start)
        QTest.keyClick(manual.text, Qt.Key.Key_Tab)
        QTest.keyClick(manual.text, Qt.Key.Key_Return)
        assert manual.page == "relevance-judge"


class TestKeysPage:
    """The page on keys is made of the actions and of the keys as they are set."""

    def test_it_has_every_key(self, window: MainWindow, manual: ManualWindow) -> None:
        """Each action with a key stands there with it."""
        manual.open_page("keys")
        text = manual.text.toPlainText()
        for action in window.do.all:
            if action.shortcuts():
                assert f"{plain_text(action.text())}\n{action.shortcut().toString()}" in text

    def test_it_has_the_keys_as_they_are_set(self, window: MainWindow) -> None:
        """A changed key of the Judge page is named, also on the page on judging."""
        window.session.preferences.keys = {"cannot": "C", "later": ""}
        window.help.open_page("keys")
        manual = window.findChild(ManualWindow, "manual")
        assert "Can't tell\nC\n" in manual.text.toPlainText()
        assert "Later\nno key\n" in manual.text.toPlainText()
        window.help.open_page("judge")
        assert "C can't tell · no key later" in manual.text.toPlainText()

    def test_its_link_changes_them(self, window: MainWindow, manual: ManualWindow) -> None:
        """The link opens the dialog of the keys, and the page then names the new ones."""
        manual.open_page("keys")

        def change() -> None:
            dialog = QApplication.activeModalWidget()
            assert isinstance(dialog, KeysDialog)
            dialog.fields["note"].setKeySequence("M")
            dialog.accept()

        QTimer.singleShot(100, change)
        manual.text.anchorClicked.emit(QUrl("action:keys"))
        assert manual.page == "keys"
        assert "Note\nM\n" in manual.text.toPlainText()


class TestHelp:
    """What F1 opens."""

    def page(self, window: MainWindow) -> str:
        """The page that is shown."""
        return window.findChild(ManualWindow, "manual").page

    def test_the_page_that_is_seen(self, worked: MainWindow) -> None:
        """Each arrangement has its page, the panels theirs."""
        for name in LAYOUTS:
            worked.arrange(name)
            worked.do.manual.trigger()
            assert self.page(worked) == name
        worked.arrange("review")
        assert worked.help.page_for(worked.report.tree) == "opening"
        assert worked.help.page_for(worked.history.table) == "saving"
        assert worked.help.page_for(worked.page.table) == "review"

    def test_f1_and_the_menu(self, qtbot: QtBot, worked: MainWindow) -> None:
        """The keys, and the order of the menu."""
        with qtbot.waitActive(worked):
            worked.activateWindow()
        QTest.keyClick(worked, Qt.Key.Key_F1)
        assert self.page(worked) == "review"
        worked.do.glossary.trigger()
        assert self.page(worked) == "glossary"
        assert worked.do.keys.shortcut().toString() == "Ctrl+F1"
        menu = next(a.menu() for a in worked.menuBar().actions() if a.text() == "&Help")
        texts = [plain_text(a.text()) for a in menu.actions() if not a.isSeparator()]
        assert texts == [
            "Manual",
            "What's this?",
            "Glossary",
            "Keys",
            "Classroom",
            "About nDCG Desktop",
        ]

    def test_it_needs_nothing_open(self, window: MainWindow) -> None:
        """Help is there on the start page."""
        for name in ("manual", "whats_this", "glossary", "keys", "about"):
            action = getattr(window.do, name)
            assert isinstance(action, QAction) and action.isEnabled()

    def test_in_a_dialog(self, qtbot: QtBot, worked: MainWindow) -> None:
        """F1 in a dialog that waits for an answer opens the page about it, in a window that can be
        used; a link to an action waits.
        """
        seen: list[tuple[str, bool, list[str]]] = []

        def look() -> None:
            dialog = QApplication.activeModalWidget()
            assert isinstance(dialog, OptionsDialog)
            QTest.keyClick(dialog.gain, Qt.Key.Key_F1)
            manual = dialog.findChild(ManualWindow, "manual")
            assert manual is not None
            manual.open_page("keys")
            manual.text.anchorClicked.emit(QUrl("action:quit"))
            told = list(manual.messages.texts)
            manual.go_back()
            seen.append((manual.page, manual.isVisible(), told))
            dialog.reject()
            seen.append((manual.page, manual.isVisible(), []))

        QTimer.singleShot(300, look)
        worked.do.options.trigger()

        busy = ["A dialog waits for an answer. Close it first."]
        assert seen == [("scoring", True, busy), ("scoring", False, [])]
        assert worked.isVisible()

    def test_names_of_dialogs(self, worked: MainWindow) -> None:
        """A name in the table of dialogs is that of a dialog."""
        from ndcg_desktop.evaluation.queue import QueueOptions

        dialog = QueueDialog(QueueOptions(), 1, False, True, 0, worked)
        assert worked.help.page_for(dialog.by) == "judge"
