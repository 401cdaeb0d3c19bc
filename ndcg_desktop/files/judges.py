"""What the columns of judges are headed by, and who they are."""

from __future__ import annotations

from collections.abc import Sequence

from ndcg_desktop.files.header import (
    BESIDE,
    GRADER,
    JUDGE,
    LIKELY,
    LIKELY_BESIDE,
    POSITION,
    VERDICT,
    WORDS,
    normal,
)
from ndcg_desktop.files.table import Table

_APART = "grade by "
"""What stands before the name of a judge that would mean something else as a header."""

_TAKEN = {
    word
    for words in (*WORDS.values(), *LIKELY.values(), *BESIDE.values(), *LIKELY_BESIDE.values())
    for word in words
}


def judge_of(header: str, names: Sequence[tuple[str, str]] = ()) -> str:
    """The name of the judge whose column is headed so: "judge Ann" and "grade by Ann" are Ann's;
    ``names`` has those of other headers.
    """
    if header in dict(names):
        return dict(names)[header]
    begin = next((b for b in (JUDGE, _APART) if header.casefold().startswith(b)), "")
    return header[len(begin) :].strip() or header


def header_of(judge: str, table: Table, graders: Sequence[int]) -> str:
    """How the column of a further judge is headed, so that it is known for one again: by the name
    alone, where the other judges' columns are headed so.
    """
    if judge == VERDICT or GRADER.fullmatch(normal(judge)):
        return judge
    names = [normal(table.names[column]) for column in graders]
    if not names or any(GRADER.fullmatch(name) or name in WORDS["grade"] for name in names):
        return JUDGE + judge
    name = normal(judge)
    other = name in map(normal, table.names) or name in _TAKEN or POSITION.fullmatch(name)
    return _APART + judge if other else judge
