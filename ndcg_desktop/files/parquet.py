"""Parquet files, read by pyarrow where that is installed.

pyarrow is large, and few have such files, so it is an extra of the package. The lighter readers
end the whole program on some damaged files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_desktop.evaluation.columns import Finding, Source
from ndcg_desktop.files.table import Cancelled, Cell, FileError, Table

MOST_CELLS = 50_000_000
LARGEST = 4 * 1024**3
ROWS_BETWEEN_LOOKS = 20_000

_INDEX = re.compile(r"__index_level_\d+__")
"""What pandas calls the labels of its rows, which are no column of the table."""


def read_parquet(
    path: Path,
    data: bytes,
    cancelled: Callable[[], bool],
    progress: Callable[[float], None],
) -> Table:
    """Read the columns of plain values; columns of lists or records are left out and told.

    Raises FileError for a file that is damaged or too large, and where pyarrow is not installed;
    and Cancelled.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        problem = (
            "This is a Parquet file. Install pyarrow to open it here, or save the table as .csv."
        )
        raise FileError(path, problem) from None
    try:
        file = pq.ParquetFile(BytesIO(data))
        _check_size(path, file.metadata)
        plain = [n for n, f in enumerate(file.schema_arrow) if not _skipped(pa, f)]
        columns: list[list[Cell]] = [[] for _ in plain]
        for batch in file.iter_batches(ROWS_BETWEEN_LOOKS, use_threads=False):
            if cancelled():
                raise Cancelled
            progress(len(columns[0]) / max(1, file.metadata.num_rows) if columns else 0.0)
            for cells, place in zip(columns, plain, strict=True):
                cells += map(_cell, batch.column(place).to_pylist())
    except FileError:
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError, ArithmeticError, MemoryError) as e:
        raise FileError(path, f"This Parquet file is damaged ({_one_line(e)}).") from e
    return _table(path, file.schema_arrow, plain, columns)


def _check_size(path: Path, metadata: Any) -> None:
    """Refuse by what the file says of itself what would fill the memory."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    size = sum(group.total_byte_size for group in groups)
    if metadata.num_rows * metadata.num_columns > MOST_CELLS or size > LARGEST:
        raise FileError(
            path,
            f"The table is too large ({metadata.num_rows:,} rows × {metadata.num_columns:,} "
            "columns). Save the columns that are needed as .csv.",
        )


def _skipped(pa: Any, field: Any) -> bool:
    return pa.types.is_nested(field.type) or _INDEX.fullmatch(field.name) is not None


def _cell(value: Any) -> Cell:
    if value is None or value != value:  # NaN
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200].rstrip(".")


def _table(path: Path, schema: Any, plain: list[int], columns: list[list[Cell]]) -> Table:
    size = len(columns[0]) if columns else 0
    if not size:
        raise FileError(path, "This Parquet file holds no rows of plain values.")
    left_out = [f.name for n, f in enumerate(schema) if n not in plain and not _INDEX.match(f.name)]
    findings = [
        Finding(
            "note",
            "nested-column",
            f"The column “{name}” holds lists or records. It was left out.",
            Source(path.name),
        )
        for name in left_out
    ]
    return Table(
        path=path,
        kind="parquet",
        header=tuple(schema.field(place).name for place in plain),
        columns=tuple(columns),
        row=np.arange(1, size + 1, dtype=np.int32),
        findings=tuple(findings),
    )
