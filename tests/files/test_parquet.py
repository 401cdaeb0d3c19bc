"""Parquet files: plain columns of every type, and files that are damaged or too large."""

import datetime
import decimal
import io
import sys
from pathlib import Path
from unittest import mock

import pytest
from build import rows_of, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg_desktop.files import parquet
from ndcg_desktop.files.assemble import Understood
from ndcg_desktop.files.read import read, read_bytes
from ndcg_desktop.files.roles import guess
from ndcg_desktop.files.save import can_patch
from ndcg_desktop.files.table import Cancelled, FileError, Texts

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def parquet_file(columns, **options):
    """The bytes of a Parquet file."""
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


JUDGED = {
    "query": pa.array(["a", "a", "b"]).dictionary_encode(),
    "docid": pa.array([12, 13, 14]),
    "grade": pa.array([3, None, 0], pa.int8()),
    "score": pa.array([1.5, float("nan"), 2.0]),
}


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_table(compression, version):
    """Text, dictionaries, whole numbers and fractions are read; null and NaN are blank."""
    table = table_of(parquet_file(JUDGED, compression=compression, data_page_version=version))
    assert (table.kind, table.header) == ("parquet", ("query", "docid", "grade", "score"))
    texts = [list(Texts(column)) for column in table.columns]
    assert texts == [["a", "a", "b"], ["12", "13", "14"], ["3", "", "0"], ["1.5", "", "2"]]
    assert table.row.tolist() == [1, 2, 3]
    roles = guess(table).roles
    assert (roles.query, roles.document, roles.grade) == (0, 1, 2)


def test_other_types():
    """Truth values, dates, decimals and bytes become the text that they stand for."""
    table = table_of(
        parquet_file(
            {
                "query": [True],
                "docid": [datetime.date(2026, 3, 4)],
                "grade": [decimal.Decimal("2.50")],
                "x": [b"caf\xc3\xa9"],
            }
        )
    )
    assert [list(Texts(column)) for column in table.columns] == [
        ["TRUE"],
        ["2026-03-04"],
        ["2.50"],
        ["café"],
    ]


def test_nested_columns_are_left_out():
    """A column of lists is left out and told; the labels of pandas' rows are no column."""
    columns = {
        "query": ["a"],
        "docid": ["d"],
        "tags": [["x"]],
        "grade": [1],
        "__index_level_0__": [7],
    }
    table = table_of(parquet_file(columns))
    assert table.header == ("query", "docid", "grade")
    assert rows_of(table) == [["a", "d", 1]]
    (finding,) = table.findings
    assert (finding.level, finding.code) == ("note", "nested-column")
    assert "“tags”" in finding.text


@pytest.mark.parametrize(
    "data",
    [
        b"PAR1",
        b"PAR1" + b"x" * 50 + b"PAR1",
        parquet_file(JUDGED)[:-10],
        parquet_file({"a": pa.array([], pa.string())}),
        parquet_file({"a": [[1]]}),
    ],
)
def test_refused(data):
    """A file that is cut, or holds no rows of plain values, is refused in one sentence."""
    with pytest.raises(FileError, match=r"^x: This Parquet file .*\.$"):
        read_bytes(Path("x"), data)


def test_too_large():
    """A file is refused by the size that it says it has, before it is unpacked."""
    data = parquet_file({"a": pa.array([1] * 1000), "b": pa.array([1] * 1000)})
    with (
        mock.patch.object(parquet, "MOST_CELLS", 1999),
        pytest.raises(FileError, match="1,000 rows"),
    ):
        read_bytes(Path("x"), data)
    with mock.patch.object(parquet, "LARGEST", 10), pytest.raises(FileError, match="too large"):
        read_bytes(Path("x"), data)


def test_without_pyarrow():
    """Where pyarrow is not installed, the message says so and what else to do."""
    with (
        mock.patch.dict(sys.modules, {"pyarrow": None}),
        pytest.raises(FileError, match=r"Install pyarrow .* \.csv"),
    ):
        read_bytes(Path("x"), parquet_file(JUDGED))


def test_cancelled():
    """Reading stops when the user asks for that."""
    with pytest.raises(Cancelled):
        read_bytes(Path("x"), parquet_file(JUDGED), cancelled=lambda: True)


def test_grades_do_not_go_back(tmp_path):
    """Grades cannot be written back into such a file."""
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet_file(JUDGED))
    (table,) = read(path)
    assert "Parquet" in can_patch(Understood(table, guess(table).roles))


@given(st.data())
@settings(max_examples=200)
def test_any_change(data):
    """A file in which some bytes are others is read, or refused as a file."""
    changed = bytearray(parquet_file(JUDGED))
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(4, len(changed) - 1))] = data.draw(st.integers(0, 255))
    try:
        (table,) = read_bytes(Path("x"), bytes(changed))
    except FileError:
        return
    assert {len(column) for column in table.columns} == {len(table)}
