"""Text ids as packed bytes, and how rows of them are numbered, found, compared and ordered.

A hash is only ever a shortcut here: what it calls equal is compared byte by byte, and pairs that
share a hash without being equal are told apart by a dictionary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.integer[Any]] | slice

WORD = 8
"""Bytes of an id that are looked at together."""

BLOCK = 1 << 15
"""Rows that are worked on together: what is made of them on the way stays in the CPU's cache."""

MOST_INT32 = 2**31 - 1

_FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_STIR = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_HASH_BITS = 40
_SLOTS_PER_ROW = 16
_MOST_SLOT_BITS = 24


@dataclass(frozen=True, slots=True, eq=False)
class Ids:
    """A column of text ids, shape (N,): UTF-8 bytes in one shared, contiguous buffer.

    ``start`` (int32, or int64 where the buffer is too large for that) and ``length`` (uint8 or
    int32), both in bytes, cut an id out of ``buffer``. The buffer needs no spare bytes.
    """

    buffer: NDArray[np.uint8]
    start: NDArray[np.integer[Any]]
    length: NDArray[np.integer[Any]]

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> Ids:
        """Pack texts. Any text comes back as it was, also with NUL and lone surrogates."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        buffer = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        length = np.fromiter(map(len, encoded), dtype=np.int32, count=len(encoded))
        end = np.cumsum(length, dtype=np.int64)
        return cls(buffer, (end - length).astype(count_type(len(buffer))), length)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, row: int) -> str:
        return self.encoded(row).decode("utf-8", "surrogatepass")

    def encoded(self, row: int) -> bytes:
        """Return the UTF-8 bytes of one id."""
        start = int(self.start[row])
        return self.buffer[start : start + int(self.length[row])].tobytes()

    def texts(self) -> list[str]:
        """Return all ids as texts."""
        view = self.buffer.data
        ends = (self.start.astype(np.int64) + self.length).tolist()
        return [
            str(view[start:end], "utf-8", "surrogatepass")
            for start, end in zip(self.start.tolist(), ends, strict=True)
        ]

    def take(self, rows: Rows) -> Ids:
        """Return the ids of these rows, in the same buffer."""
        return Ids(self.buffer, self.start[rows], self.length[rows])

    def replaced(self, mapping: Mapping[str, str]) -> Ids:
        """Return the ids with those that the mapping has as keys replaced by its values, (N,)."""
        old, new = Ids.from_texts(list(mapping)), Ids.from_texts(list(mapping.values()))
        one_query = np.zeros(max(len(self), len(old)), dtype=np.int32)
        place = find_pairs(one_query[: len(old)], old, one_query[: len(self)], self)
        rows = np.where(place >= 0, len(self) + place, np.arange(len(self)))
        return concatenate([self, new]).take(rows)

    def hashes(self) -> NDArray[np.uint64]:
        """Return a hash of 64 bits of each id, shape (N,)."""
        out = np.empty(len(self), dtype=np.uint64)
        for block in _blocks(len(self)):
            out[block] = _hashes(self.take(block))
        return out

    def words(self, rows: Rows, place: int) -> NDArray[np.uint64]:
        """Return eight bytes of each of these rows, from byte ``place`` of the id on, as a number.

        The first byte is the lowest. Zeros stand for what is past the end of the id.
        """
        at = self.start[rows].astype(np.int64) + place
        count = self.length[rows].astype(np.int64) - place
        return _gather(self.buffer, at) & _FIRST_BYTES.take(count, mode="clip")


def count_type(most: int) -> type[np.int32] | type[np.int64]:
    """Return the smaller integer type that can count up to ``most``."""
    return np.int32 if most <= MOST_INT32 else np.int64


def words_at_each_byte(buffer: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the eight bytes from each byte of a buffer on, as numbers: a view, shape (B - 7,).

    The buffer, shape (B,), is contiguous and has eight bytes or more.
    """
    return np.ndarray((len(buffer) - WORD + 1,), "<u8", buffer, strides=(1,))


def concatenate(parts: Sequence[Ids]) -> Ids:
    """Return several columns as one, one below the other. A single one keeps its buffer."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Ids.from_texts([])
    buffer = np.concatenate([part.buffer for part in parts])
    before = np.cumsum([0] + [len(part.buffer) for part in parts[:-1]])
    starts = [part.start.astype(np.int64) + b for part, b in zip(parts, before, strict=True)]
    length = np.concatenate([part.length.astype(np.int32) for part in parts])
    return Ids(buffer, np.concatenate(starts).astype(count_type(len(buffer))), length)


def same(a: Ids, b: Ids) -> NDArray[np.bool_]:
    """Return whether two columns of N rows have the same id, row by row, shape (N,)."""
    out = np.empty(len(a), dtype=bool)
    for block in _blocks(len(a)):
        out[block] = _same(a.take(block), b.take(block))
    return out


def factorize(ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return a code for each row, numbered by first appearance, and the first row of each code.

    The shapes are (N,) and (number of different ids,).
    """
    changes = np.flatnonzero(~same(ids.take(slice(1, None)), ids.take(slice(-1)))) + 1
    # Rankings list the rows of a query together: one row stands for each stretch of equal ids.
    heads = np.append(0, changes) if len(ids) else changes
    code, first = factorize_pairs(np.zeros(len(heads), dtype=np.int32), ids.take(heads))
    return np.repeat(code, np.diff(heads, append=len(ids))), heads[first]


def factorize_pairs(
    query: NDArray[np.int32], documents: Ids
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Do the same for pairs of a query's code, from 0, and a document id."""
    first = _first_rows(query, documents)
    new = first == np.arange(len(first))
    code = np.cumsum(new, dtype=np.int32) - np.int32(1)
    return code[first], np.flatnonzero(new)


def repeated_pairs(query: NDArray[np.int32], documents: Ids) -> NDArray[np.bool_]:
    """Return whether a row's pair of query code and document stood on an earlier row, (N,)."""
    out = np.zeros(len(query), dtype=bool)
    heads = np.flatnonzero(np.append(True, query[1:] != query[:-1])[: len(query)])
    if len(np.unique(query[heads])) < len(heads):
        order = np.argsort(query, kind="stable")
        out[order] = repeated_pairs(query[order], documents.take(order))
        return out
    # The rows of a query stand together, so that blocks of whole queries can be taken one by one.
    bounds = np.append(heads, len(query))
    cuts = np.searchsorted(bounds, np.arange(0, len(query) + BLOCK, BLOCK)).clip(max=len(heads))
    for begin, end in pairwise(np.unique(bounds[cuts]).tolist()):
        block = slice(begin, end)
        out[block] = _repeated(query[block], documents.take(block))
    return out


def find_pairs(
    pool_query: NDArray[np.int32],
    pool_documents: Ids,
    query: NDArray[np.int32],
    documents: Ids,
) -> NDArray[np.int32]:
    """Return the row of the pool that holds each pair, shape (N,), -1 where none does.

    The pairs of the pool, shape (P,), are all different.
    """
    out = np.full(len(query), -1, dtype=np.int32)
    if not len(pool_query):
        return out
    pool = _Pool(pool_query, pool_documents)
    for block in _blocks(len(query)):
        out[block] = pool.find(query[block], documents.take(block))
    return out


def document_order(documents: Ids) -> NDArray[np.int64]:
    """Return the place of each id in ascending order of UTF-8 bytes, shape (N,).

    The place is the number of rows with a lesser id, so that equal ids have the same.
    """
    place = np.zeros(len(documents), dtype=np.int64)
    rows = np.arange(len(documents))
    byte = 0
    while len(rows):
        word = documents.words(rows, byte).byteswap()
        # An id that ends here, where another goes on with NUL, has the same word and is less.
        count = np.minimum(documents.length[rows].astype(np.int64) - byte, WORD)
        order = np.lexsort((count, word, place[rows]))
        rows, word, count = rows[order], word[order], count[order]
        tied = _begins(place[rows])
        equal = tied | _begins(word) | _begins(count)
        place[rows] += _latest(equal) - _latest(tied)
        byte += WORD
        alone = equal & np.append(equal[1:], True)
        rows = rows[~alone & (count == WORD)]
    return place


def _begins(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the rows, of one or more, whose value is not that of the row above."""
    return np.append(True, values[1:] != values[:-1])


def _latest(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the last marked row down to each row; the first row is marked."""
    return np.maximum.accumulate(np.where(marked, np.arange(len(marked)), 0))


def _blocks(rows: int) -> Iterator[slice]:
    for begin in range(0, rows, BLOCK):
        yield slice(begin, min(begin + BLOCK, rows))


def _gather(buffer: NDArray[np.uint8], at: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the eight bytes from each place on, zeros for those past the end of the buffer."""
    if len(buffer) < WORD:
        buffer = np.append(buffer, np.zeros(WORD, dtype=np.uint8))
    words = words_at_each_byte(buffer)
    over = at - (len(words) - 1)
    if over.max(initial=0) <= 0:
        return words[at]
    found = words[np.minimum(at, len(words) - 1)]
    return found >> (8 * np.clip(over, 0, WORD - 1)).astype(np.uint64)


def _hashes(ids: Ids) -> NDArray[np.uint64]:
    out = ids.length.astype(np.uint64)
    rows: Rows = slice(None)
    place = 0
    while True:
        value = (out[rows] ^ ids.words(rows, place)) * _SPREAD
        value ^= value >> _HALF
        value *= _STIR
        value ^= value >> _HALF
        out[rows] = value
        place += WORD
        rows = np.flatnonzero(ids.length > place)
        if not len(rows):
            return out


def _same(a: Ids, b: Ids) -> NDArray[np.bool_]:
    out: NDArray[np.bool_] = a.length == b.length
    rows: Rows = slice(None)
    place = 0
    while True:
        out[rows] &= a.words(rows, place) == b.words(rows, place)
        place += WORD
        rows = np.flatnonzero(out & (a.length > place))
        if not len(rows):
            return out


def _keys(query: NDArray[np.int32], documents: Ids) -> NDArray[np.uint64]:
    """Return a number for each pair: the query's code above _HASH_BITS of the document's hash.

    Equal pairs have equal keys. The keys of one query are neighbours, so that looking up the rows
    of a query stays within a small part of a table.
    """
    hashes = documents.hashes() >> np.uint64(64 - _HASH_BITS)
    return hashes | query.astype(np.uint64) << np.uint64(_HASH_BITS)


def _first_rows(query: NDArray[np.int32], documents: Ids) -> NDArray[np.int64]:
    """Return for each row the first row that holds the same pair, shape (N,)."""
    first = np.empty(len(query), dtype=np.int64)
    if not len(query):
        return first
    keys = _keys(query, documents)
    order = np.argsort(keys)
    heads = np.flatnonzero(_begins(keys[order]))
    first[order] = np.repeat(np.minimum.reduceat(order, heads), np.diff(heads, append=len(keys)))
    clash = (query[first] != query) | ~same(documents.take(first), documents)
    if clash.any():
        seen: dict[tuple[int, bytes], int] = {}
        for row in np.flatnonzero(np.isin(keys, keys[clash])).tolist():
            first[row] = seen.setdefault((int(query[row]), documents.encoded(row)), row)
    return first


def _repeated(query: NDArray[np.int32], documents: Ids) -> NDArray[np.bool_]:
    bits = min((_SLOTS_PER_ROW * len(query)).bit_length(), _MOST_SLOT_BITS)
    keys = _keys(query, documents)
    slot = (keys * _SPREAD >> np.uint64(64 - bits)).view(np.int64)
    # Every row writes its number into its slot. Only rows that then read another number than
    # their own, and the rows whose number that is, can hold equal pairs.
    own = np.arange(len(query), dtype=np.int32)
    table = np.empty(1 << bits, dtype=np.int32)
    table[slot] = own
    last = table[slot]
    lost = last != own
    rows = np.union1d(own[lost], last[lost])
    out = np.zeros(len(query), dtype=bool)
    if len(np.unique(keys[rows])) < len(rows):
        out[rows] = _first_rows(query[rows], documents.take(rows)) != np.arange(len(rows))
    return out


class _Pool:
    """One or more different pairs, arranged so that pairs are found among them."""

    def __init__(self, query: NDArray[np.int32], documents: Ids) -> None:
        self._query, self._documents = query, documents
        keys = _keys(query, documents)
        self._order = np.argsort(keys).astype(np.int32)
        self._ascending = keys[self._order]
        bits = (_SLOTS_PER_ROW * len(keys)).bit_length()
        hash_bits = max(bits - int(query.max()).bit_length(), 4)
        self._shift = np.uint64(_HASH_BITS - hash_bits)
        self._mask = np.uint64((1 << bits) - 1)
        self._taken = np.zeros(1 << bits, dtype=bool)
        self._taken[self._slots(keys)] = True

    def find(self, query: NDArray[np.int32], documents: Ids) -> NDArray[np.int32]:
        """Return the row of the pool that holds each pair, shape (N,), -1 where none does."""
        out = np.full(len(query), -1, dtype=np.int32)
        rows, found = self._candidates(_keys(query, documents))
        equal = self._query[found] == query[rows]
        equal &= same(self._documents.take(found), documents.take(rows))
        out[rows[equal]] = found[equal]
        for row in rows[~equal].tolist():
            out[row] = self._rows.get((int(query[row]), documents.encoded(row)), -1)
        return out

    def _candidates(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the rows whose key is in the pool, and for each a row of the pool with it."""
        # Most pairs are not in the pool: the table rules them out before the search.
        rows = np.flatnonzero(self._taken[self._slots(keys)])
        place = np.searchsorted(self._ascending, keys[rows])
        place[place == len(self._ascending)] = 0
        hit = self._ascending[place] == keys[rows]
        return rows[hit], self._order[place[hit]]

    def _slots(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        return (keys >> self._shift & self._mask).view(np.int64)

    @cached_property
    def _rows(self) -> dict[tuple[int, bytes], int]:
        """Rows by pair, for pairs that share their key with another."""
        documents = map(self._documents.encoded, range(len(self._query)))
        pairs = zip(self._query.tolist(), documents, strict=True)
        return {pair: row for row, pair in enumerate(pairs)}
