"""A table that was entered by hand and has no file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ndcg_desktop.files.table import Table, texts_of


def entered_table(header: Sequence[str], columns: Sequence[Sequence[str]]) -> Table:
    """A table of these columns."""
    return Table(
        path=Path("Entered grades"),
        kind="entered",
        header=tuple(header),
        columns=tuple(list(column) for column in columns),
        row=np.arange(1, len(columns[0]) + 1, dtype=np.int32),
    )


def entered_to_text(table: Table) -> str:
    """The table as one line of text."""
    return json.dumps([table.header, [texts_of(column) for column in table.columns]])


def entered_from_text(text: str) -> Table:
    """The table that `entered_to_text` wrote. Raises ValueError for anything else."""
    try:
        header, columns = json.loads(text)
        return entered_table([str(h) for h in header], [[str(c) for c in col] for col in columns])
    except (TypeError, LookupError, RecursionError) as error:
        raise ValueError("This is no table.") from error
