"""What a judge sees of a document: its texts, and nothing of how it was ranked or graded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

import numpy as np

from ndcg_desktop.evaluation.evaluation import Evaluation
from ndcg_desktop.files.header import BESIDE, GRADER, LIKELY, VERDICT, WORDS, normal

Sort = Literal["text", "link", "picture"]

TELLING = frozenset(
    word
    for words in (
        *(WORDS[role] for role in ("rank", "score", "grade", "ideal")),
        *(LIKELY[role] for role in ("rank", "score")),
        BESIDE["system"],
    )
    for word in words
)
"""Headers of columns that tell how a document was ranked, or what somebody thinks of it."""

DESCRIPTIONS = frozenset(
    (
        "query description", "topic description", "information need", "intent", "user intent",
        "search intent", "narrative", "task", "scenario", "persona", "beschreibung der anfrage",
        "informationsbedarf",
    )
)  # fmt: skip
"""Headers of columns that say what somebody with the query is after."""

PICTURES = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg"))


@dataclass(frozen=True, slots=True)
class Field:
    """A column of the file, what it says of the document, and whether that can be opened."""

    header: str
    text: str
    sort: Sort


@dataclass(frozen=True, slots=True)
class Card:
    """A document of a query; ``description`` says what somebody with the query is after."""

    query: str
    description: str
    document: str
    title: str
    fields: tuple[Field, ...]


def card(evaluation: Evaluation, query: int, document: str, hidden: Collection[str] = ()) -> Card:
    """Gather what the files say of a document. Columns with a ``hidden`` header, and those whose
    header is TELLING, are left out.
    """
    texts: dict[str, str] = {}
    titles: list[str] = []
    for columns, titled, row in _rows(evaluation, query, document):
        for header, values in columns.items():
            text = values[row].strip()
            if text and header not in hidden and not tells(header):
                texts.setdefault(header, text)
        titles += [titled] if titled in texts else []
    described = [header for header in texts if normal(header) in DESCRIPTIONS]
    title = texts.pop(titles[0]) if titles else ""
    name = evaluation.queries[query]
    return Card(
        query=evaluation.titles.get(query, "") or name,
        description="\n".join(texts.pop(header) for header in described),
        document=document,
        title=title,
        fields=tuple(Field(header, text, sort_of(text)) for header, text in texts.items()),
    )


def _rows(
    evaluation: Evaluation, query: int, document: str
) -> Iterator[tuple[Mapping[str, Sequence[str]], str | None, int]]:
    """The further columns of each table with the document, the header of its name, and its row."""
    for ranking in evaluation.rankings:
        rows = ranking.arrange("auto").rows(query)
        texts = ranking.columns.document.take(rows).texts()
        if document in texts:
            yield ranking.columns.other, ranking.columns.title, int(rows[texts.index(document)])
    pair = evaluation.judgments.find(query, document)
    if pair is None:
        return
    for entry in evaluation.entries:
        found = np.flatnonzero(entry.pair == pair)
        if len(found):
            yield entry.columns.other, entry.columns.title, int(found[0])


def tells(header: str) -> bool:
    """Whether a column tells how a document was ranked, or what somebody thinks of it."""
    name = normal(header)
    return name in TELLING or name == VERDICT or GRADER.fullmatch(name) is not None


def sort_of(text: str) -> Sort:
    """Whether a text is the address of a picture, or of something else that can be opened."""
    one_word = len(text.split()) == 1
    address = one_word and text.lower().startswith(("http://", "https://"))
    ending = PurePath(text.split("?")[0].lower()).suffix
    if ending in PICTURES and (address or one_word or "/" in text or "\\" in text):
        return "picture"
    return "link" if address else "text"
