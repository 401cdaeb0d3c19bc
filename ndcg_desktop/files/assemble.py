"""Tables with their roles become judgments and rankings, as the evaluation takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.checks_grades import different_scales
from ndcg_desktop.evaluation.columns import (
    Duplicates,
    Finding,
    IdealColumns,
    JudgmentColumns,
    RankingColumns,
    VoteColumns,
)
from ndcg_desktop.evaluation.ids import Ids, factorize
from ndcg_desktop.evaluation.join import row_findings
from ndcg_desktop.evaluation.remarks import parted
from ndcg_desktop.files.contents import several_in_a_cell
from ndcg_desktop.files.labels import Labels, labelled_grades
from ndcg_desktop.files.numbers import Decimal, numbers, rank_number, unclear_commas
from ndcg_desktop.files.roles import Roles
from ndcg_desktop.files.scores import missing_scores, points_of_scores
from ndcg_desktop.files.summing_rows import with_queries_filled, without_summary
from ndcg_desktop.files.table import Column, FileError, Table, Texts, as_ids, cell_text
from ndcg_desktop.files.votes import first_rows, merged, votes_of_columns, votes_of_rows


@dataclass(frozen=True, slots=True)
class Understood:
    """A table and what its columns mean; ``row_order`` takes the order of its rows for a ranking
    where it says no other; ``merge`` makes one grade of several people's, ``duplicates`` settles
    judgments that contradict each other, and ``labels`` says what grades in words stand for.
    ``names`` says who the judges are whose columns are headed otherwise, by header.
    ``decimal`` is the mark before decimals, where a person has said it; ``query_name`` the query of
    a table without a column for it, where that is not its sheet or file.
    """

    table: Table
    roles: Roles
    row_order: bool = False
    merge: str = "mean"
    labels: Labels | None = None
    duplicates: Duplicates = "highest"
    decimal: Decimal = ""
    query_name: str = ""
    names: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Assembled:
    """Everything that was read, ready to be joined. ``tables`` are those with judgments, in the
    order of ``judgments``: a grade goes back to the table that it came from.
    """

    judgments: list[JudgmentColumns] = field(default_factory=list)
    tables: list[Understood] = field(default_factory=list)
    rankings: list[RankingColumns] = field(default_factory=list)
    ideal: IdealColumns | None = None
    findings: list[Finding] = field(default_factory=list)


def assemble(parts: Sequence[Understood]) -> Assembled:
    """Turn understood tables into judgments and rankings.

    Raises FileError for a table that is neither. Cells that are no numbers, and rows that sum up,
    are findings.
    """
    out = Assembled()
    for part in parts:
        found: list[Finding] = []
        table = with_queries_filled(part.table, part.roles, found)
        table = without_summary(table, part.roles, part.decimal, found)
        left_out = set(np.setdiff1d(part.table.row, table.row).tolist())
        # What is odd about a row that is not used, such as the formula of a sum, is no matter.
        out.findings += [each for each in part.table.findings if each.row not in left_out]
        out.findings += found
        if table is not part.table:  # else the part stays the very same
            part = replace(part, table=table)
        if not len(part.table):
            raise FileError(
                part.table.path, "The table has a header and no rows.", part.table.sheet
            )
        _add(part, out)
    return out


def _add(part: Understood, out: Assembled) -> None:
    table, roles = part.table, part.roles
    if roles.systems:
        out.rankings += _systems(part, out.findings)
        return
    if roles.document is None and not roles.positions:
        raise FileError(
            table.path,
            f"No column holds the documents; the columns are {', '.join(table.names)}.",
            table.sheet,
        )
    if not (roles.judges or roles.ranks or part.row_order):
        raise FileError(
            table.path, "The table has neither grades, nor ranks, nor scores.", table.sheet
        )
    rows = _rows_of_positions(part) if roles.positions else part
    if roles.judges:
        out.judgments.append(_judgments(rows, out.findings))
        out.tables.append(part)
    if roles.ranks or part.row_order:
        out.rankings += _rankings(rows, out.findings)
    if roles.ideal is not None:
        grade, _ = numbers(table.columns[roles.ideal], decimal=part.decimal)
        out.ideal = IdealColumns(_query(part), grade)


def _query(part: Understood) -> Ids:
    """The query of each row; a table of one query without a column is named after its sheet or
    file.
    """
    if part.roles.query is not None:
        return as_ids(part.table.columns[part.roles.query])
    return Ids.from_texts([only_query(part)] * len(part.table))


def only_query(part: Understood) -> str:
    """The name of the query that a table without a column for queries is about."""
    return part.query_name or part.table.sheet or part.table.path.name.split(".")[0]


def _rows_of_positions(part: Understood) -> Understood:
    """The table with a row for each place of each query's ranking. The document there has no name
    of its own, so that of the column stands for it.
    """
    table, roles = part.table, part.roles
    places = len(roles.positions)
    long = table.take(np.repeat(np.arange(len(table)), places))
    cells = [Texts(table.columns[column]) for column in roles.positions]
    kept = [column for column in range(len(table.columns)) if column not in roles.positions]
    names = [table.names[column] for column in roles.positions]
    columns: list[Column] = [long.columns[column] for column in kept]
    columns.append(names * len(table))
    columns.append(np.tile(np.arange(1.0, places + 1), len(table)))
    columns.append([grade for row in zip(*cells, strict=True) for grade in row])
    header = [table.names[column] for column in kept]
    header += ["document", "rank", f"{names[0]} to {names[-1]}"]
    end = len(kept)
    query, text = (
        None if column is None else kept.index(column) for column in (roles.query, roles.query_text)
    )
    moved = Roles(query=query, query_text=text, document=end, rank=end + 1, grade=end + 2)
    table = replace(long, header=tuple(header), columns=tuple(columns))
    return replace(part, table=table, roles=moved)


def _judgments(part: Understood, findings: list[Finding]) -> JudgmentColumns:
    table, roles = part.table, part.roles
    assert roles.document is not None
    read = _grades(part, findings)
    votes = None
    if roles.rater is not None and roles.grade is not None:
        document, rater = (as_ids(table.columns[c]) for c in (roles.document, roles.rater))
        rows, votes, found = votes_of_rows(
            table, _query(part), document, rater, read[0], roles.grade, part.merge
        )
        findings += found
        notes = {(int(votes.place[row]), rater[row]): text for row, text in _notes(part).items()}
        table = table.take(rows)
        part = replace(part, table=table)
    else:
        if roles.graders:
            votes = votes_of_columns(table, roles.graders, read, part.merge, part.names)
        notes = _notes_by_judge(_notes(part), votes)
    grade = read[0] if votes is None else merged(votes, len(table))
    named = part.labels is not None and votes is None and roles.grade is not None
    return JudgmentColumns(
        source=table.source,
        query=_query(part),
        document=as_ids(table.columns[roles.document]),
        grade=grade,
        row=table.row,
        query_text=_query_text(part),
        other=_other(part),
        votes=votes,
        notes=notes,
        title=_title(part),
        label=Texts(table.columns[roles.grade or 0]) if named else None,
        label_of=dict(part.labels.spelling) if part.labels is not None else {},
        duplicates=part.duplicates,
        repeats=roles.system is not None,
    )


def _notes(part: Understood) -> dict[int, str]:
    """What is remarked on a row of the table, by its place."""
    if part.roles.note is None:
        return {}
    texts = Texts(part.table.columns[part.roles.note])
    return {place: text.strip() for place, text in enumerate(texts) if text.strip()}


def _notes_by_judge(
    notes: Mapping[int, str], votes: VoteColumns | None
) -> dict[tuple[int, str], str]:
    """The notes of a table with a row for each document, by row and judge."""
    judges = () if votes is None else votes.judges
    return {
        (place, judge): text
        for place, note in notes.items()
        for judge, text in parted(note, judges).items()
    }


def _grades(part: Understood, findings: list[Finding]) -> list[NDArray[np.float64]]:
    """The grades of each column that holds some."""
    table = part.table
    read = []
    for column in part.roles.graded:
        if lists := several_in_a_cell(table, column):
            raise FileError(table.path, lists, table.sheet)
        findings += _unclear_commas(part, column)
        if part.labels is None:
            values, odd = numbers(table.columns[column], decimal=part.decimal)
            findings += _odd_cells(table, column, odd)
        else:
            values, found = labelled_grades(table, column, part.labels, part.decimal)
            findings += found
        read.append(values)
    if len(read) > 1:
        graders = [f"“{table.names[column]}”" for column in part.roles.graders]
        findings += different_scales(dict(zip(graders, read, strict=True)), table.source)
    return read


def _unclear_commas(part: Understood, column: int) -> list[Finding]:
    """One finding for a column whose commas may be decimal marks or set apart thousands."""
    table = part.table
    rows = [] if part.decimal else unclear_commas(table.columns[column])
    if not rows:
        return []
    text = (
        f"“{Texts(table.columns[column])[rows[0]]}” in the column “{table.names[column]}” may be a "
        "whole number or a fraction. Its comma is taken for the decimal mark."
    )
    return [Finding("warning", "unclear-comma", text, table.source, int(table.row[rows[0]]))]


def _odd_cells(table: Table, column: int, odd: list[int]) -> list[Finding]:
    cells = table.columns[column]

    def text(place: int) -> str:
        return (
            f"“{cell_text(cells[odd[place]])[:40]}” in the column “{table.names[column]}” is not a "
            "number. The document counts as not judged."
        )

    rows = table.row[odd].tolist() if odd else []
    return row_findings("warning", "not-a-number", table.source, rows, text)


def _rankings(part: Understood, findings: list[Finding]) -> list[RankingColumns]:
    """The table's ranking, or one for each system that it names, in order of appearance."""
    table, roles = part.table, part.roles
    if roles.rater is not None:  # a row for each person says the same rank again
        table = table.take(first_rows(table, roles.query, roles.document, roles.system))
        part = replace(part, table=table)
    name = table.path.name if table.sheet is None else f"{table.path.name}: {table.sheet}"
    if roles.system is None:
        return [_ranking(part, name, findings)]
    systems = as_ids(table.columns[roles.system])
    nameless = np.flatnonzero(systems.length == 0)
    findings += row_findings(
        "warning",
        "no-system",
        table.source,
        table.row[nameless].tolist(),
        lambda place: "This row names no ranking. It is left out of all of them.",
    )
    code, first = factorize(systems)
    order = np.argsort(code, kind="stable")
    ends = np.cumsum(np.bincount(code, minlength=len(first)))
    rows = zip(first.tolist(), np.split(order, ends[:-1]), strict=True)
    return [
        _ranking(replace(part, table=table.take(some)), systems[row], findings)
        for row, some in rows
        if systems.length[row]
    ]


def _ranking(part: Understood, name: str, findings: list[Finding]) -> RankingColumns:
    table, roles = part.table, part.roles
    assert roles.document is not None
    rank = score = None
    if roles.rank is not None:
        rank, odd = numbers(table.columns[roles.rank], rank_number, part.decimal)
        findings += row_findings(
            "warning",
            "not-a-rank",
            table.source,
            table.row[odd].tolist() if odd else [],
            lambda place: "The rank of this row is not a number.",
        )
    if roles.score is not None:
        findings += _unclear_commas(part, roles.score)
        findings += points_of_scores(table, roles.score, part.decimal)
        score, _ = numbers(table.columns[roles.score], decimal=part.decimal)
    if table.kind == "run":
        ranks_by: Literal["rank", "score", "rows"] = "score"
    else:
        ranks_by = "rank" if rank is not None else "score" if score is not None else "rows"
    if ranks_by == "score" and roles.score is not None and score is not None:
        findings += missing_scores(table, roles.score, roles.document, score)
    return RankingColumns(
        name=name,
        source=table.source,
        query=_query(part),
        document=as_ids(table.columns[roles.document]),
        rank=rank,
        score=score,
        row=table.row,
        ranks_by=ranks_by,
        query_text=_query_text(part),
        other=_other(part),
        title=_title(part),
    )


def _systems(part: Understood, findings: list[Finding]) -> list[RankingColumns]:
    """One ranking for each column of documents that share a column of ranks."""
    table, roles = part.table, part.roles
    assert roles.rank is not None
    rank, _ = numbers(table.columns[roles.rank], rank_number, part.decimal)
    return [
        RankingColumns(
            name=table.names[column],
            source=table.source,
            query=_query(part),
            document=as_ids(table.columns[column]),
            rank=rank,
            score=None,
            row=table.row,
            ranks_by="rank",
        )
        for column in roles.systems
    ]


def _query_text(part: Understood) -> Texts | None:
    column = part.roles.query_text
    return None if column is None else Texts(part.table.columns[column])


def _title(part: Understood) -> str | None:
    """The header of the documents' names, where they are texts."""
    column = part.roles.title
    shown = column is not None and isinstance(part.table.columns[column], list)
    return part.table.names[column or 0] if shown else None


def _other(part: Understood) -> dict[str, Texts]:
    used = part.roles.used - {part.roles.title, part.roles.note}
    return {
        name: Texts(column)
        for place, (name, column) in enumerate(
            zip(part.table.names, part.table.columns, strict=True)
        )
        if place not in used and not isinstance(column, Ids | np.ndarray)
    }
