"""Which row is the header, and what its words mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ndcg_desktop.files.numbers import is_blank, number
from ndcg_desktop.files.table import ROWS_SEARCHED, Cell, cell_text

TITLE_CELLS = 2
"""Cells of a row that may be a title or a note, even above a header that is no wider."""

LONGEST = 300
"""Characters of a header that are looked at: a cell may hold a page of text."""

WORDS: dict[str, tuple[str, ...]] = {
    # Ids before texts: where a file has both, the id is the query and the text its title.
    "query": (
        "query id", "queryid", "qid", "q id", "topic id", "topicid", "topic", "request id",
        "query", "query text", "querytext", "search term", "search query", "search phrase",
        "keyword", "keywords", "search", "question",
    ),
    "document": (
        "doc id", "docid", "document id", "documentid", "docno", "doc", "document", "product id",
        "productid", "product uid", "item id", "itemid", "item", "product", "asin", "sku",
        "result id", "result", "url", "uri", "link", "passage id", "pid", "corpus id", "corpusid",
        "documents", "docs", "results",
    ),
    "grade": (
        "grade", "rating", "relevance", "ranked relevance", "judgment", "judgement", "rel",
        "relevance grade", "relevance rating", "relevance judgment", "relevance label", "relevancy",
        "final rating", "median relevance", "label", "gain", "grades", "ratings", "labels",
        "judgment score", "judgement score", "relevance judgement",
    ),
    "rank": (
        "rank", "position", "pos", "doc position", "result position", "result rank", "place",
        "ranking",
    ),
    "score": ("score", "retrieval score", "similarity", "relevance score", "bm25"),
    "ideal": ("ideal relevance", "ideal grade", "ideal rating", "ideal"),
}  # fmt: skip
"""Header words that are sure, the first of a role first."""

LIKELY: dict[str, tuple[str, ...]] = {
    "query": ("suchanfrage", "suchbegriff", "anfrage", "requête", "requete", "consulta", "q"),
    "document": (
        "dokument", "produkt", "artikel", "ergebnis", "documento", "résultat", "product title",
        "title", "name", "product name", "id",
    ),
    "grade": ("bewertung", "note", "relevanz", "relevancia", "pertinence", "punkte", "stars"),
    "rank": ("rang", "platz", "posición", "posizione", "no", "nr", "#"),
    "score": ("punktzahl", "puntuación", "sim", "probability"),
}  # fmt: skip
"""Words that suggest a role and want a person's confirmation."""

BESIDE: dict[str, tuple[str, ...]] = {
    "title": (
        "title", "product title", "document title", "doc title", "item title", "page title",
        "result title", "name", "product name", "item name", "document name", "doc name",
        "headline", "titel", "titre", "título", "titolo", "produktname", "bezeichnung",
    ),
    "rater": (
        "rater", "rater id", "rater name", "judge", "judge id", "judge name", "annotator",
        "annotator id", "annotator name", "assessor", "assessor id", "reviewer", "reviewer id",
        "grader", "grader id", "worker", "worker id", "rated by", "judged by", "graded by",
        "annotated by", "bewerter", "bewertet von", "évaluateur", "evaluador",
    ),
    "system": (
        "system", "system id", "system name", "run", "run id", "run name", "run tag", "ranker",
        "ranker name", "engine", "search engine", "ranking name", "système", "sistema",
    ),
    "note": (
        "note", "notes", "comment", "comments", "remark", "remarks", "judge note", "notiz",
        "bemerkung", "kommentar", "commentaire", "nota", "comentario",
    ),
}  # fmt: skip
"""Words of columns that mean something beside a document, a grade or a rank. They are no sign of
a header: a title or a system may be anything, and a row of data may name one.
"""

LIKELY_BESIDE: dict[str, tuple[str, ...]] = {
    "rater": ("user", "user id", "username", "user name", "email", "person"),
    "system": (
        "variant", "model", "algorithm", "method", "experiment", "configuration", "config",
        "snapshot name", "snapshot", "version", "arm", "bucket", "variante",
    ),
}  # fmt: skip
"""The same for words that have other meanings, too."""

POSITION = re.compile(r"(?:(?:rank|position|pos|result|place|p|r|#) ?)?#?(\d{1,3})")
"""A column of what stands at one place of a ranking: "1", "#1", "Pos 1"."""

BEIR = ({"query id", "queryid"}, {"corpus id", "corpusid"}, {"score"})
"""The columns of the judgments of BEIR: there alone a score is a grade."""

GRADER = re.compile(r"(rater|judge|annotator|assessor|reviewer|grader)\b.*")
"""A column of one grader among several."""


JUDGE = "judge "
"""What a judge's column is headed by, before the name, where the name alone would not tell."""
VERDICT = "verdict"
"""The header of a column of verdicts on what judges disagree about."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The rows of a table before its header is known, none of them empty, and their numbers."""

    rows: list[list[Cell]]
    numbers: list[int]

    def above(self, first: int) -> tuple[tuple[int, tuple[Cell, ...]], ...]:
        """The rows above the first row of data, with their numbers, as a Table keeps them."""
        rows = zip(self.numbers[:first], self.rows[:first], strict=True)
        return tuple((number, tuple(cells)) for number, cells in rows)


def columns_of(rows: Sequence[Sequence[Cell]], width: int) -> tuple[list[Cell], ...]:
    """Rows turned into columns, a cell at a time: zip(*rows) is one call, and a window that waits
    for the interpreter would stand still for as long as it takes.
    """
    return tuple([row[place] for row in rows] for place in range(width))


def normal(header: str) -> str:
    """A header as it is compared: no case, no bracketed part, no punctuation or underscores, and
    no more than its first LONGEST characters.
    """
    text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", header[:LONGEST].casefold())
    text = re.sub(r"[_\-./:]+", " ", text)
    return " ".join(text.split())


def role_of(header: str) -> str | None:
    """The role that a header surely names."""
    text = normal(header)
    return next((role for role, words in WORDS.items() if text in words), None)


def positions(headers: Sequence[str]) -> tuple[int, ...]:
    """The columns, from 0, whose normal headers count the places of a ranking, 1, 2, 3, … or 0,
    1, 2, …; none where they do not count.
    """
    places = {at: int(m[1]) for at, text in enumerate(headers) if (m := POSITION.fullmatch(text))}
    counted = list(places.values())
    counts = len(counted) > 1 and counted == list(range(counted[0], counted[0] + len(counted)))
    return tuple(places) if counts and counted[0] in (0, 1) else ()


def find_header(grid: Grid) -> tuple[tuple[str, ...] | None, int]:
    """The header, None where the table has none, and the number of the first row below it.

    A header is the first row that names two roles, or the query and the places of a ranking,
    with nothing above it but titles, which fill few cells; else a first row that is all text, above
    a column of numbers or with words that suggest two roles.
    """
    above = 0
    for place, row in enumerate(grid.rows[:ROWS_SEARCHED]):
        roles = {role_of(cell) for cell in row if isinstance(cell, str)} - {None}
        filled = sum(not is_blank(cell) for cell in row)
        titles = above < filled or above <= TITLE_CELLS
        if titles and (
            len(roles) >= 2
            or (roles and len(grid.rows) == 1)
            or ("query" in roles and positions([normal(text) for text in _texts(row)]))
        ):
            return _texts(row), place + 1
        above = max(above, filled)
    if _all_text(grid.rows[0]) and (_numbers_below(grid) or _suggests_two(grid.rows[0])):
        return _texts(grid.rows[0]), 1
    return None, 0


def _texts(row: list[Cell]) -> tuple[str, ...]:
    return tuple(cell_text(cell).strip() for cell in row)


def _all_text(row: list[Cell]) -> bool:
    return all(number(cell) is None for cell in row) and sum(not is_blank(c) for c in row) >= 2


def _suggests_two(row: list[Cell]) -> bool:
    """Whether the words of a row are those of two roles, the unsure words counted, too."""
    texts = {normal(text) for text in _texts(row)}
    named = {role for words in (WORDS, LIKELY) for role in words if texts.intersection(words[role])}
    return len(named) > 1


def _numbers_below(grid: Grid) -> bool:
    """Whether some column holds numbers only in the rows below the first."""
    below = grid.rows[1:50]
    columns = zip(*below, strict=True) if below else ()
    return any(
        any(not is_blank(cell) for cell in column)
        and all(is_blank(cell) or number(cell) is not None for cell in column)
        for column in columns
    )
