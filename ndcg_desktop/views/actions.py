"""Everything that a menu, a button or a key can do, as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import NamedTuple

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence, QUndoStack

_Keys = QKeySequence.StandardKey


class Spec(NamedTuple):
    """An action's text, what it does, its key, and the standard key of the platform if any."""

    text: str
    explanation: str
    key: str = ""
    standard: QKeySequence.StandardKey | None = None


# Keys are spelled out, and the platform's stand beside them: some are empty on some platforms.
SPECS = {
    "new": Spec("&New…", "Enter grades by hand", "Ctrl+N", _Keys.New),
    "open": Spec("&Open…", "Open judgments and rankings", "Ctrl+O", _Keys.Open),
    "save": Spec("&Save", "Save grades to their own file", "Ctrl+S", _Keys.Save),
    "save_as": Spec("Save &as…", "Save judgments to another file", "Ctrl+Shift+S", _Keys.SaveAs),
    "save_evaluation": Spec(
        "Sa&ve evaluation…",
        "Save which files are open, how they are read, options, rankings, scale and marks",
        "Ctrl+Alt+S",
    ),
    "export": Spec("&Export…", "Export tables, summary or chart", "Ctrl+E"),
    "close": Spec("&Close", "Close what is open", "Ctrl+W", _Keys.Close),
    "quit": Spec("&Quit", "Leave the program", "Ctrl+Q"),
    "copy": Spec("&Copy", "Copy the selected cells", "Ctrl+C", _Keys.Copy),
    "paste": Spec("&Paste grades", "Paste grades from a spreadsheet", "Ctrl+V", _Keys.Paste),
    "fill_down": Spec("&Fill down", "Give the rows below the same grade", "Ctrl+D"),
    "clear_grades": Spec("&Not judged", "Take the grades away (Del)"),
    "copy_chart": Spec("Copy c&hart", "Copy the chart as a picture", "Ctrl+Shift+C"),
    "options": Spec("&Options…", "All scoring options", "Ctrl+,"),
    "next_query": Spec("&Next query", "Go to the next query", "Ctrl+PgDown"),
    "previous_query": Spec("&Previous query", "Go to the query before", "Ctrl+PgUp"),
    "filter": Spec("&Filter queries", "Type to filter the queries", "Ctrl+F", _Keys.Find),
    "reading": Spec("How files are &read…", "What each column was taken for", "Ctrl+R"),
    "report": Spec("&Import report", "What was noticed about the files", "Ctrl+I"),
    "judge": Spec("&Judge", "One document at a time, large, graded by a digit", "Ctrl+1"),
    "review": Spec("Re&view", "Queries, ranking and chart", "Ctrl+2"),
    "explain": Spec("E&xplain", "Chart and every number of one query, large", "Ctrl+3"),
    "classroom": Spec("&Classroom…", "Lessons, questions about the open data, a teacher's sheet"),
    "hide_scores": Spec("&Hide scores", "Show no score, for a class that is to find it"),
    "zoom_in": Spec("&Larger", "Everything larger, charts too", "Ctrl++", _Keys.ZoomIn),
    "zoom_out": Spec("Smaller", "Everything smaller", "Ctrl+-", _Keys.ZoomOut),
    "zoom_normal": Spec("Usual size", "Letters as large as usual", "Ctrl+0"),
    "compare": Spec("&Compare", "Two rankings beside each other, and how sure it is", "Ctrl+4"),
    "summary": Spec("&Summary", "Every ranking under every measure", "Ctrl+5"),
    "rankings": Spec("Ran&kings…", "Names, colours, order, and the baseline"),
    "report_comparison": Spec(
        "Report of the co&mparison…", "PDF, HTML, workbook or tables to show others", "Ctrl+Shift+E"
    ),
    "queue": Spec("&What to judge…", "Queue, order, shuffle, repeats, pause"),
    "scale": Spec("&Scale…", "Grades, their names and guidelines"),
    "judges": Spec("&Judges…", "Who judges, agreement, and how grades are merged"),
    "history": Spec("&History", "Every change, and back to any point", "Ctrl+H"),
    "record": Spec("Judge's &record…", "Time, order, drift and self-agreement, as CSV"),
    "manual": Spec("&Manual", "Read about what is seen", "F1", _Keys.HelpContents),
    "whats_this": Spec("&What's this?", "Click on anything to be told what it is", "Shift+F1"),
    "glossary": Spec("&Glossary", "Every term in a few plain sentences, with its formula"),
    "keys": Spec("&Keys…", "Every key, and which are to be changed", "Ctrl+F1"),
    "about": Spec("&About nDCG Desktop", "Version and licence"),
}


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions by name; an action's object name is "actionSaveAs" for ``save_as``."""

    new: QAction
    open: QAction
    save: QAction
    save_as: QAction
    save_evaluation: QAction
    export: QAction
    close: QAction
    quit: QAction
    copy: QAction
    paste: QAction
    fill_down: QAction
    clear_grades: QAction
    copy_chart: QAction
    options: QAction
    next_query: QAction
    previous_query: QAction
    filter: QAction
    reading: QAction
    report: QAction
    judge: QAction
    review: QAction
    explain: QAction
    classroom: QAction
    hide_scores: QAction
    zoom_in: QAction
    zoom_out: QAction
    zoom_normal: QAction
    compare: QAction
    summary: QAction
    rankings: QAction
    report_comparison: QAction
    queue: QAction
    scale: QAction
    judges: QAction
    history: QAction
    record: QAction
    manual: QAction
    whats_this: QAction
    glossary: QAction
    keys: QAction
    about: QAction
    undo: QAction
    redo: QAction

    @property
    def all(self) -> list[QAction]:
        """Every action."""
        return [getattr(self, field.name) for field in fields(self)]

    @property
    def of_grades(self) -> list[QAction]:
        """What is done with the chosen grades."""
        return [self.copy, self.paste, self.fill_down, self.clear_grades]

    @property
    def of_arrangement(self) -> list[QAction]:
        """The arrangements of the window."""
        return [self.judge, self.review, self.explain, self.compare, self.summary]

    @property
    def of_scores(self) -> list[QAction]:
        """What gives scores away."""
        return [self.copy_chart, self.export, self.report_comparison]

    @property
    def of_data(self) -> list[QAction]:
        """The actions that need something to be open."""
        help = (self.manual, self.whats_this, self.glossary, self.keys, self.about)
        zoom = (self.zoom_in, self.zoom_out, self.zoom_normal)
        free = (self.new, self.open, self.quit, self.options, self.classroom, *zoom, *help)
        return [action for action in self.all if action not in (*free, self.undo, self.redo)]


def make_actions(
    parent: QObject, stack: QUndoStack, slots: Mapping[str, Callable[[], object]]
) -> Actions:
    """Make the actions, each doing what ``slots`` has under its name."""
    made = {name: _make(parent, name, spec, slots[name]) for name, spec in SPECS.items()}
    undo, redo = stack.createUndoAction(parent, "&Undo"), stack.createRedoAction(parent, "&Redo")
    undo.setShortcuts([QKeySequence("Ctrl+Z")])
    redo.setShortcuts([QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")])
    for name, action in (("undo", undo), ("redo", redo)):
        action.setObjectName(_object_name(name))
    return Actions(**made, undo=undo, redo=redo)


def _make(parent: QObject, name: str, spec: Spec, act: Callable[[], object]) -> QAction:
    action = QAction(spec.text, parent)
    action.setObjectName(_object_name(name))
    action.setStatusTip(spec.explanation)
    keys = [QKeySequence(spec.key)] if spec.key else []
    if spec.standard is not None:
        keys += [key for key in QKeySequence.keyBindings(spec.standard) if key not in keys]
    action.setShortcuts(keys)
    action.setToolTip(spec.explanation + (f" ({keys[0].toString()})" if keys else ""))
    action.triggered.connect(lambda _=False: act())
    return action


def _object_name(name: str) -> str:
    return "action" + "".join(part.capitalize() for part in name.split("_"))
