"""*What's this*: the texts of every control in one table, by object name, and how they are found.

The texts are plain: none holds anything of a file. What an action does is not said again here, its
button takes the words of the action.
"""

from __future__ import annotations

import re

from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QCommandLinkButton,
    QDialogButtonBox,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QTabWidget,
    QToolButton,
    QWidget,
)

COPY = "Copies the whole table, to be pasted into a spreadsheet."

TEXTS = {
    # the start page
    "recent": "Opens these files again, read as they were last time.",
    # the window's toolbars and status bar
    "buttonUndo": "Takes back the last change, whatever it was: a grade, a paste, an option.",
    "buttonRedo": "Does again what was taken back last.",
    "gainLinear": "Linear gain: a document gains its grade. Grade 3 counts three times as much as "
    "grade 1.",
    "gainExponential": "Exponential gain: 2 to the power of the grade, minus 1. Grade 3 gains 7, "
    "grade 1 gains 1, so that the best documents decide.",
    "cutoff": "The cutoff k: how many places from the top count. Whatever stands below gains "
    "nothing, and the ideal has k places, too.",
    "cutoffAll": "No cutoff: every place of the ranking counts.",
    "convention": "Sets all options so that the figure is the one of another tool, such as "
    "trec_eval, Quepid or scikit-learn. Point at a tool of the list for what is its own.",
    "cancelLoad": "Gives up opening these files; what was open stays.",
    "cancelExport": "Gives up writing this file.",
    # the list of queries
    "rankings": "The ranking whose scores are listed and whose documents are shown.",
    "filter": "Only queries that contain this text are listed. The mean stays that of all queries.",
    "whichQueries": "Lists only the queries that were won, lost or tied, that are little judged, "
    "or that belong to a group.",
    "orderOfQueries": "The order of the list: as in the files, or by the difference of the two "
    "rankings.",
    "queries": "Every query with its score and how many of its top k documents are judged. A click "
    "on a header sorts; on the score, the worst first.",
    "mean": "The mean over the queries that are scored, with their number n, and how many were "
    "left out and why.",
    "meanRange": "The mean lies between these two, whatever the unjudged documents of the top k "
    "turn out to be.",
    # one query
    "queryName": "The query that is shown.",
    "score": "The score of this query, named in full. A dash means that it is not scored; the "
    "sentence below says why.",
    "range": "The score lies between these two, whatever the unjudged documents turn out to be.",
    "facts": "The sums the score is made of, how much is judged, and every option that it was "
    "computed under.",
    "ranking": "The documents of this query in their order, with grade, gain, discount and "
    "discounted gain. A digit grades the row; Del makes it not judged again. Documents that were "
    "judged and not returned stand below.",
    "chart": "One pair of bars for each position: the discounted gain of this ranking, and of the "
    "ideal ordering. Point at a bar for its numbers, click it to select its row.",
    # the Explain page
    "explainTabs": "The score of one query: written out, where its points went, what other orders "
    "would score, and what other tools give.",
    "chartExplain": "One pair of bars for each position: the discounted gain of this ranking, and "
    "of the ideal ordering. Point at a bar and its row lights up below.",
    "explainReveal": "Hides the sums, and then shows one rank more at each press, at the end the "
    "division. Space and the right arrow do the same in the tables, the left arrow goes back.",
    "explainAll": "Shows every rank and the division.",
    "explainCopyText": "Copies the sums and the division as text.",
    "explainCopyLatex": "Copies the sums and the division as LaTeX, for a paper.",
    "explainCopyFormula": "Copies the score as a formula that a spreadsheet computes.",
    "explainSteps": "The sum of the ranking: what each document adds. Point at a row, and its "
    "terms light up below.",
    "explainIdeal": "The sum of the ideal ordering: what stands at each place in the best order.",
    "formula": "Both sums and their quotient, with the numbers filled in. It can be selected and "
    "copied.",
    "explainWords": "The same score in sentences.",
    "lossesByPosition": "One bar for each position: what the ranking has there less than the "
    "ideal.",
    "lossesByDocument": "One bar for each document: what is lost because it stands lower than in "
    "the ideal, or was missed.",
    "waterfall": "From 1, the ideal, down to the score of this query. Each bar is a part of what "
    "was lost, or was gained back; together they are the whole difference.",
    "whatIf": "The order that is tried out. Drag a document to another place, or press Alt with an "
    "arrow key. Nothing of your files is changed.",
    "whatIfMissed": "The judged documents that the list does not have.",
    "whatIfInsert": "Puts the document of this box above the chosen row.",
    "whatIfUp": "Moves the chosen document up by one place.",
    "whatIfDown": "Moves the chosen document down by one place.",
    "whatIfRemove": "Takes the chosen document out of this list.",
    "whatIfBack": "Takes back the last step in this list. Your grades are not touched.",
    "whatIfReset": "Brings back the order in which the ranking has them.",
    "whatIfChart": "The discounted gains at each position before and now, beside the ideal.",
    "whatIfScenarios": "The orders that were tried, each with its score and the difference from "
    "the ranking. A click goes to it.",
    "whatIfName": "What the chosen scenario is called.",
    "whatIfNew": "Begins another scenario with the order that is shown.",
    "whatIfDelete": "Forgets the chosen scenario.",
    "toolsOfQuery": "Compares what tools give for this query.",
    "toolsOfMean": "Compares what tools give for the mean of all queries.",
    "toolsTable": "The score under the settings here, and as each tool computes it, with what is "
    "its own. A click on a tool shows at the right why it differs.",
    "copyToolsTable": COPY,
    "toolsFrom": "The tool, or the settings here, that the steps begin at.",
    "toolsTo": "The tool that the steps lead to.",
    "toolsSteps": "The rules that make the two differ, changed one after the other, with what each "
    "adds to the score.",
    "toolsCode": "Which library, or the spreadsheet, the code is for.",
    "toolsCopyCode": "Copies the code below, which gives the score that is shown.",
    "toolsCodeText": "The score as code, with the grades filled in; or why it cannot be written "
    "for this library.",
    "toolsNumber": "The number that your other tool printed, as 0.684 or 68.4 %.",
    "toolsFind": "Looks for settings that give this number.",
    "toolsMatches": "Settings that give the number, those that change least first.",
    "toolsUse": "Takes the chosen settings for all scores. One step that undo takes back.",
    # the Judge page
    "judgeWhich": "Which documents are to be judged: those not judged yet, all, those that could "
    "not be told, those left for later, or those that judges disagree about.",
    "judgeBy": "The order in which they come: query by query, mixed, or what is worth most first.",
    "judgeQueue": "More about which documents come, and in which order: depth, shuffle, hidden "
    "repeats, a pause.",
    "judgeScale": "Which grades there are, what each is called, and when to give it.",
    "judgeWho": "Who judges here. With several judges, each one's grades are kept apart.",
    "judgePace": "How many documents are judged, of all and of this query, and how fast.",
    "judgeProgress": "The part of the documents that is judged.",
    "document": "The document to be judged: its query and every text of its row. Rank, score and "
    "system are not shown. Addresses and pictures are opened only when their button is pressed.",
    "guidelines": "When to give each grade, as the scale says. Nothing that the text names is "
    "fetched; links are opened only when they are clicked.",
    "judgeNote": "A note about this document, kept with it. Return goes back to grading, Esc gives "
    "up what was typed.",
    "judgeCannot": "Marks that you cannot tell, and goes on. The document stays not judged.",
    "judgeLater": "Leaves this document for later, and goes on.",
    "judgeUndo": "Takes back the last decision, and goes to its document.",
    "judgePrevious": "Goes to the document before; changes nothing.",
    "judgeNext": "Goes to the next document; changes nothing.",
    "judgeGoOn": "Ends the pause.",
    "judgeRest": "Goes on with every document that is not judged yet.",
    "judgeTakeLater": "Goes on with the documents that were left for later.",
    "judgeBack": "Goes to the document that was judged last.",
    "judgeReview": "Shows the scores, the rankings and the chart.",
    # comparing
    "compareAdd": "Opens another ranking of the same queries, to compare this one with.",
    "compareCandidateBox": "The ranking that is in question: a positive difference means that it "
    "is better.",
    "compareBaselineBox": "The ranking that the others are compared with, as a rule the one in "
    "use.",
    "compareRankings": "Names, colours and order of the rankings, and which is the baseline.",
    "compareReport": "Writes this comparison as PDF, web page, workbook or tables.",
    "compareTabs": "How sure the answer is, each query's difference, one query side by side, and "
    "whether the answer depends on the settings.",
    "compareFigures": "The statistics of the difference. Each has its value, and what it says in "
    "words.",
    "copyCompareFigures": COPY,
    "compareTie": "A query counts as a tie where the two scores differ by no more than this.",
    "compareMatters": "The mean difference that would matter to you. The number of queries needed "
    "is that which would show it in four cases of five.",
    "chartDifferences": "One bar for each query, the candidate's score minus the baseline's, in "
    "order. A click goes to the query.",
    "chartScatter": "One point for each query, the baseline's score to the right and the "
    "candidate's upwards. Above the line the candidate is better.",
    "compareGroup": "A column of yours that puts queries into groups; each group gets a mean of "
    "its own.",
    "compareSubtotals": "The mean difference of each group of queries.",
    "copyCompareSubtotals": COPY,
    "compareBaseline": "The first documents of this query as the baseline returns them.",
    "compareCandidate": "The first documents of this query as the candidate returns them.",
    "chartPair": "The discounted gains of both rankings at each position.",
    "chartSettings": "The mean difference under other gains, cutoffs and conventions: whether the "
    "answer depends on them.",
    "summary": "Every ranking under every measure, with intervals. A click on a header sorts; "
    "Return on a measure orders the rankings by it.",
    "summaryRelevant": "From this grade on a document is relevant, for the measures that know only "
    "relevant and not relevant: P, R, RR, AP and others.",
    "summaryReport": "Writes all rankings and measures as PDF, web page, workbook or tables.",
    "copySummary": COPY,
    "lineup": "The rankings that take part, with name, colour and hatching. F2 renames.",
    "rankingAdd": "Opens another ranking beside these.",
    "rankingUp": "Puts this ranking before the one above it.",
    "rankingDown": "Puts this ranking after the one below it.",
    "rankingBaseline": "Makes this the ranking that the others are compared with.",
    "rankingRemove": "Takes this ranking out of everything, or in again. Its file stays.",
    # the import report and the history
    "showErrors": "Lists what could not be read or used.",
    "showWarnings": "Lists what may make a score wrong.",
    "showNotes": "Lists what was decided while reading and is probably right.",
    "copyReport": "Copies the report as text.",
    "findings": "What was noticed about the files, by kind, with file, sheet and row. A click goes "
    "to the row where it is shown.",
    "rule": "Which grade counts where a document was judged more than once. One step that undo "
    "takes back.",
    "goToRow": "Shows the row that this is about.",
    "repair": "Brings together ids that the two files write differently. One step that undo takes "
    "back; no file is changed by it.",
    "historyFilter": "Lists only changes of this query, document or judge.",
    "goToDocument": "Shows the document of this change.",
    "goBack": "Brings everything back to what it was just after this change. This is one more "
    "change, which can be taken back.",
    "changes": "Every change of grades, notes and marks, the newest first, with what it did to the "
    "score.",
    "qt_dockwidget_floatbutton": "Makes this panel a window of its own, or puts it back.",
    "qt_dockwidget_closebutton": "Closes this panel; the View or Judge menu opens it again.",
    # how files are read
    "tables": "The tables of these files. Those that are ticked are used.",
    "role": "What the chosen column holds: query, document, grade, rank, score or something else.",
    "rowOrder": "The rows stand in the order in which the documents were returned.",
    "headerRow": "The row that names the columns; none where the first row has data.",
    "separator": "What stands between two columns of a text file.",
    "encoding": "How the letters of a text file are stored. Change it where umlauts or other "
    "letters look wrong.",
    "decimal": "Whether numbers have a decimal point or a decimal comma.",
    "merge": "How the grades of several people become one.",
    "duplicates": "Which grade counts where a document was judged more than once.",
    "preview": "The first rows, with the role of each column in the header. Click a header to "
    "change it.",
    "labels": "Words that stand for grades, each with its grade. An empty grade means not judged.",
    # grades by hand
    "pasteGrades": "Grades in the order of the ranking, such as 3, 2, 3, 0, 1, 2. They fill the "
    "table from the first row.",
    "entryTable": "One row for each document. Rows with a position were returned, in that order; "
    "clear it for a document that was judged and not returned.",
    "moreRows": "Adds rows to the table.",
    # options
    "optionGain": "What a grade is worth: itself, 2 to the power of the grade minus 1, or what a "
    "table says.",
    "optionGainTable": "The gain of each grade, such as 0=0, 1=1, 2=3, 3=7.",
    "optionIdeal": "Which documents the ideal ordering is made of. All judged documents also "
    "punishes what was missed.",
    "optionIdealCut": "Where the ideal ordering ends: at k, as a rule; nowhere; or after as many "
    "documents as were returned, so that a short list is not marked down.",
    "optionOrder": "What puts the documents in order, and how equal scores are broken.",
    "optionUnjudged": "Whether unjudged documents keep their place with gain 0, or are removed "
    "before ranking.",
    "optionUndefined": "What a query counts in the mean that has no relevant document.",
    "optionMissing": "What a judged query counts in the mean that the ranking does not have.",
    "optionRounding": "What is rounded inside the score, as some tools do it. Leave it at not "
    "rounded unless their figure is wanted.",
    "optionDiscount": "How much less a document counts the further down it stands.",
    "optionBase": "The base b of the discount by Järvelin and Kekäläinen: the first b − 1 places "
    "are not discounted.",
    "optionDecimals": "How many decimals of a score are shown. Nothing is rounded by it in files.",
    # the queue
    "queueWhich": "Which documents are to be judged.",
    "queuePool": "Among which documents: all that are judged or returned, those that a ranking "
    "returns, or those that every ranking returns.",
    "queueBy": "The order in which the documents come.",
    "queueDepth": "How far down each ranking documents are taken.",
    "queueShuffle": "Documents come in an order that does not tell their rank.",
    "queueSeed": "The same number gives the same shuffled order again.",
    "queueRepeats": "The part of the documents that is shown a second time unnoticed. It tells how "
    "far a judge agrees with himself, and changes no grade.",
    "queueBlind": "Rank, score and ranking are not shown, nor why a document is next.",
    "queuePause": "After so many minutes of judging a pause is proposed.",
    # the scale
    "scales": "Scales to begin with: built-in ones and your own.",
    "scaleName": "What this scale is called.",
    "scaleGuideline": "What holds for every grade. Markdown may be used.",
    "levels": "The grades of the scale, each with its name and when to give it.",
    "addLevel": "Adds a grade to the scale.",
    "removeLevel": "Takes the chosen grade off the scale. No judgment is changed by it.",
    "keepScale": "Keeps this scale among your own, to be chosen for other files.",
    "removeScale": "Forgets this scale of your own.",
    "loadScale": "Reads a scale that somebody handed on as a file.",
    "saveScale": "Writes this scale to a file, to be handed on.",
    # the judges
    "judgesTabs": "Who judges, how far judges agree, and what the score is under each rule.",
    "judgeName": "Who judges here. A new name gets a column or rows of its own when the file is "
    "saved.",
    "firstJudge": "Whose grades those are that are there already.",
    "judgeTogether": "Keeps each judge's grades apart from now on.",
    "judges": "Each judge with the number of grades.",
    "copyJudges": COPY,
    "merging": "How one grade is made of several: mean, median, majority, lowest, highest, last, "
    "or one judge's.",
    "agreement": "How far the judges agree: percentages and coefficients, where 1 is complete "
    "agreement and 0 what chance would give.",
    "copyAgreement": COPY,
    "confusionOne": "The judge in the rows of the table.",
    "confusionOther": "The judge in the columns of the table.",
    "confusion": "How often the two judges gave which pair of grades; agreement stands in the "
    "diagonal.",
    "copyConfusion": COPY,
    "byJudge": "The score of each ranking under the grades of each judge and under each rule.",
    "copyByJudge": COPY,
    "recordJudges": "Each judge's documents, pace and agreement with himself.",
    "recordBlocks": "The same in blocks of documents, so that tiring or drifting is seen.",
    "saveRecord": "Writes every decision with its time as CSV.",
    # the classroom
    "classroomSource": "A lesson, or questions about the query that is open.",
    "classroomOpen": "Opens a lesson that a teacher has written, a Markdown file.",
    "classroomQuery": "The query that is asked about.",
    "classroomRanking": "The ranking that is asked about.",
    "classroomCount": "How many questions are asked at most.",
    "classroomSeed": "The same number asks the same questions again.",
    "classroomText": "What the lesson says. Links are not followed, and nothing is fetched.",
    "questionDocuments": "The documents that the question is about, in their order.",
    "questionAnswer": "Your answer. Return checks it.",
    "classroomBack": "Goes to the step before.",
    "classroomCheck": "Says whether the answer is right, and what may have gone wrong.",
    "classroomShow": "Shows the answer with its numbers written out. The question then counts as "
    "not right.",
    "classroomNext": "Goes on to the next step.",
    "classroomHide": "Shows no score in the main window, until this is cleared again.",
    "classroomSheet": "Writes the questions as PDF or workbook, with or without the answers.",
    "classroomClose": "Closes the classroom. Answers are not kept.",
    # keys
    "keys": "Every key that does something everywhere.",
    # the manual
    "manualPages": "The pages of the manual. While something is searched for, those that have it.",
    "manualText": "The page. Links lead to other pages; nothing is fetched from a network.",
    "manualSearch": "Lists the pages that have this text, and marks it in the page. Return goes to "
    "the next place.",
    "manualBack": "Goes to the page that was shown before.",
    "manualForward": "Goes on to the page that you came back from.",
    # messages
    "message": "Does what it says about this message, and takes the message away.",
}
"""What each control is, by its object name."""

PATTERNS = {
    r"grade\d+": "Gives the document this grade, and goes on to the next. Its digit does the same.",
    r"choice\d+": "One of the answers to choose from.",
    r"cutoff\d+": "Sets the cutoff k: so many places from the top count.",
    r"key[A-Z]\w+": "The key that does this on the Judge page. Click here and press another one to "
    "change it.",
}
"""The same for controls of which there are several."""

_Standard = QDialogButtonBox.StandardButton
BUTTONS = {
    _Standard.Ok: "Takes what is chosen here, and closes the dialog.",
    _Standard.Cancel: "Closes the dialog; nothing is changed.",
    _Standard.Close: "Closes the dialog.",
    _Standard.RestoreDefaults: "Brings every field back to what the program comes with.",
}
"""The buttons at the end of a dialog."""

WHOLES = (QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QKeySequenceEdit, QTabWidget)
"""What has parts of its own, such as arrows, headers and a field: they are explained as one."""
NAMED_WHOLES = ("message", "document")
"""Frames that make their buttons anew whenever they show something."""


def text_for(widget: QWidget) -> str:
    """What a control is, "" where nothing is known of it."""
    name = widget.objectName()
    if name in TEXTS:
        return TEXTS[name]
    for pattern, text in PATTERNS.items():
        if re.fullmatch(pattern, name):
            return text
    return _of_button(widget) or _of_whole(widget)


def _of_button(widget: QWidget) -> str:
    """What a button is that belongs to an action, to the end of a dialog or to a list of links."""
    if isinstance(widget, QToolButton) and (action := widget.defaultAction()) is not None:
        return action.statusTip()
    if isinstance(widget, QCommandLinkButton):
        return widget.description()  # of an action or an example, never a name of a file
    box = widget.parentWidget()
    if isinstance(box, QDialogButtonBox) and isinstance(widget, QPushButton):
        return BUTTONS.get(box.standardButton(widget), "")
    return ""


def _of_whole(widget: QWidget) -> str:
    """What the control is that a widget is a part of."""
    parent = widget.parentWidget()
    while parent is not None and not widget.isWindow():
        if isinstance(parent, WHOLES) or parent.objectName() in NAMED_WHOLES:
            return text_for(parent)
        widget, parent = parent, parent.parentWidget()
    return ""


def explain(root: QWidget) -> None:
    """Give every control below ``root`` that has none yet its text."""
    for widget in root.findChildren(QWidget):
        if not widget.whatsThis() and (text := text_for(widget)):
            widget.setWhatsThis(text)
