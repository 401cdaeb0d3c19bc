"""Text ids as packed bytes, and how rows of them are numbered, found and compared.

A hash of 64 bits is only ever a shortcut: what it calls equal is compared byte by byte, and ids
that share a hash without being equal are told apart by a dictionary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.integer[Any]] | slice

WORD = 8
"""Bytes that are looked at together."""

BLOCK = 1 << 15
"""Rows worked on together, so that what is made of them on the way stays in the CPU's cache."""

INT32_PLACES = 2**31 - 1
"""Buffers up to this many bytes have their places in 32 bits, which halves the memory."""

_FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_STIR = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_HASH_BITS = 40
_MOST_SLOT_BITS = 24


@dataclass(frozen=True, slots=True, eq=False)
class Ids:
    """A column of text ids, shape (N,): UTF-8 bytes in one shared buffer.

    ``start`` (int32, or int64 where the buffer is larger) and ``length`` (uint8 or int32, in
    bytes) cut an id out of ``buffer``. Nothing needs to follow the last id in the buffer.
    """

    buffer: NDArray[np.uint8]
    start: NDArray[np.integer[Any]]
    length: NDArray[np.integer[Any]]

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> Ids:
        """Pack texts. Any text comes back as it was, also lone surrogates and NUL."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        length = np.fromiter(map(len, encoded), dtype=np.int32, count=len(encoded))
        buffer = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        end = np.cumsum(length, dtype=np.int64)
        return cls(buffer, (end - length).astype(place_type(len(buffer))), length)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, row: int) -> str:
        return self.encoded(row).decode("utf-8", "surrogatepass")

    def encoded(self, row: int) -> bytes:
        """The UTF-8 bytes of one id."""
        start = int(self.start[row])
        return self.buffer[start : start + int(self.length[row])].tobytes()

    def texts(self) -> list[str]:
        """All ids as texts."""
        view = memoryview(self.buffer)
        ends = (self.start.astype(np.int64) + self.length).tolist()
        return [
            str(view[start:end], "utf-8", "surrogatepass")
            for start, end in zip(self.start.tolist(), ends, strict=True)
        ]

    def take(self, rows: Rows) -> Ids:
        """The ids of these rows, in the same buffer."""
        return Ids(self.buffer, self.start[rows], self.length[rows])

    def hashes(self) -> NDArray[np.uint64]:
        """A hash of 64 bits of each id, shape (N,)."""
        out = np.empty(len(self), dtype=np.uint64)
        for block in _blocks(len(self)):
            out[block] = _hashes(self.take(block))
        return out

    def words(self, rows: Rows, place: int) -> NDArray[np.uint64]:
        """Eight bytes of each of these rows, from byte ``place`` of the id on, as a number.

        The first byte is the lowest. Zeros stand in for what is past the end of the id.
        """
        at = self.start[rows].astype(np.int64) + place
        count = np.clip(self.length[rows].astype(np.int64) - place, 0, WORD)
        return _gather(self.buffer, at) & _FIRST_BYTES.take(count)


def place_type(size: int) -> type[np.int32] | type[np.int64]:
    """The integers that hold the places of a buffer of this many bytes."""
    return np.int32 if size <= INT32_PLACES else np.int64


def words_at_each_byte(buffer: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The eight bytes from each byte of a buffer on as a number, a view, shape (bytes − 7,).

    The buffer is contiguous and has eight bytes or more.
    """
    return np.ndarray((len(buffer) - WORD + 1,), "<u8", buffer, strides=(1,))


def _gather(buffer: NDArray[np.uint8], at: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The eight bytes from each place on, with zeros for those past the end of the buffer."""
    if len(buffer) < WORD:
        buffer = np.append(buffer, np.zeros(WORD, dtype=np.uint8))
    words = words_at_each_byte(buffer)
    over = at - (len(words) - 1)
    if over.max(initial=0) <= 0:
        return words[at]
    found = words[np.minimum(at, len(words) - 1)]
    return found >> (8 * np.clip(over, 0, WORD - 1)).astype(np.uint64)


def _blocks(rows: int) -> Iterator[slice]:
    for begin in range(0, rows, BLOCK):
        yield slice(begin, min(begin + BLOCK, rows))


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


def concatenate(parts: Sequence[Ids]) -> Ids:
    """One column of several, one below the other. A single part keeps its buffer."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Ids.from_texts([])
    buffer = np.concatenate([part.buffer for part in parts])
    offset = np.cumsum([0] + [len(part.buffer) for part in parts])
    moved = [
        part.start.astype(np.int64) + begin for part, begin in zip(parts, offset, strict=False)
    ]
    start = np.concatenate(moved).astype(place_type(len(buffer)))
    return Ids(buffer, start, np.concatenate([part.length for part in parts]))


def same(a: Ids, b: Ids) -> NDArray[np.bool_]:
    """Whether the ids are equal, row by row, shape (N,); both have N rows."""
    out = np.empty(len(a), dtype=bool)
    for block in _blocks(len(a)):
        out[block] = _same(a.take(block), b.take(block))
    return out


def _same(a: Ids, b: Ids) -> NDArray[np.bool_]:
    out = a.length == b.length
    rows: Rows = slice(None)
    place = 0
    while True:
        out[rows] &= a.words(rows, place) == b.words(rows, place)
        place += WORD
        rows = np.flatnonzero(out & (a.length > place))
        if not len(rows):
            return out


def factorize(ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """A code for each row, shape (N,), numbered by first appearance; the first row of each code."""
    changes = np.flatnonzero(~same(ids.take(slice(1, None)), ids.take(slice(-1)))) + 1
    # Rankings list the rows of a query together: one row stands for each stretch of equal ids.
    heads = np.append(0, changes) if len(ids) else changes
    code, first = factorize_pairs(np.zeros(len(heads), dtype=np.int32), ids.take(heads))
    return np.repeat(code, np.diff(heads, append=len(ids))), heads[first]


def factorize_pairs(
    query: NDArray[np.int32], documents: Ids
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The same for pairs of a query's code and a document id."""
    first = _first_rows(query, documents)
    new = first == np.arange(len(first))
    code = np.cumsum(new, dtype=np.int32) - np.int32(1)
    return code[first], np.flatnonzero(new)


def _keys(query: NDArray[np.int32], documents: Ids) -> NDArray[np.uint64]:
    """A number for each pair: the query's code above _HASH_BITS of the document's hash.

    Equal pairs have equal keys. The keys of a query are neighbours, so that looking them up stays
    within a small part of a table.
    """
    hashes = documents.hashes() >> np.uint64(64 - _HASH_BITS)
    return hashes | query.astype(np.uint64) << np.uint64(_HASH_BITS)


def _first_rows(query: NDArray[np.int32], documents: Ids) -> NDArray[np.int64]:
    """The first row that holds the same pair, for each row, shape (N,)."""
    first = np.empty(len(query), dtype=np.int64)
    if not len(query):
        return first
    keys = _keys(query, documents)
    order = np.argsort(keys)
    ascending = keys[order]
    heads = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))
    sizes = np.diff(heads, append=len(keys))
    first[order] = np.repeat(np.minimum.reduceat(order, heads), sizes)
    clash = (query[first] != query) | ~same(documents.take(first), documents)
    if clash.any():
        seen: dict[tuple[int, bytes], int] = {}
        for row in np.flatnonzero(np.isin(keys, keys[clash])).tolist():
            first[row] = seen.setdefault((int(query[row]), documents.encoded(row)), row)
    return first


def repeated_pairs(query: NDArray[np.int32], documents: Ids) -> NDArray[np.bool_]:
    """Whether a row's pair of query code and document id stood on an earlier row, shape (N,)."""
    out = np.zeros(len(query), dtype=bool)
    heads = np.flatnonzero(np.diff(query, prepend=np.int32(-1)))
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


def _repeated(query: NDArray[np.int32], documents: Ids) -> NDArray[np.bool_]:
    bits = min((16 * len(query)).bit_length(), _MOST_SLOT_BITS)
    slot = ((_keys(query, documents) * _SPREAD) >> np.uint64(64 - bits)).view(np.int64)
    # Every row writes its number into its slot. The rows that read another number there than
    # their own, and the rows whose number they read, are the only ones that may hold equal pairs.
    own = np.arange(len(query), dtype=np.int32)
    table = np.empty(1 << bits, dtype=np.int32)
    table[slot] = own
    last = table[slot]
    overwritten = last != own
    rows = np.union1d(own[overwritten], last[overwritten])
    out = np.zeros(len(query), dtype=bool)
    out[rows] = _first_rows(query[rows], documents.take(rows)) != np.arange(len(rows))
    return out


def find_pairs(
    pool_query: NDArray[np.int32],
    pool_documents: Ids,
    query: NDArray[np.int32],
    documents: Ids,
) -> NDArray[np.int32]:
    """The row of the pool that holds each pair, shape (N,), −1 where none does.

    The pairs of the pool, shape (P,), are distinct.
    """
    out = np.full(len(query), -1, dtype=np.int32)
    if not len(pool_query):
        return out
    pool = _Pool(pool_query, pool_documents)
    for block in _blocks(len(query)):
        keys = _keys(query[block], documents.take(block))
        rows, found = pool.candidates(keys)
        block_query, block_documents = query[block][rows], documents.take(block).take(rows)
        equal = pool_query[found] == block_query
        equal &= same(pool_documents.take(found), block_documents)
        out[block][rows[equal]] = found[equal]
        for row in rows[~equal].tolist():
            pair = int(query[block.start + row]), documents.encoded(block.start + row)
            out[block.start + row] = pool.by_pair.get(pair, -1)
    return out


class _Pool:
    """Pairs that are looked for by their keys."""

    def __init__(self, query: NDArray[np.int32], documents: Ids) -> None:
        self._query, self._documents = query, documents
        keys = _keys(query, documents)
        self._order = np.argsort(keys).astype(np.int32)
        self._ascending = keys[self._order]
        bits = (16 * len(keys)).bit_length()
        hash_bits = max(bits - int(query.max()).bit_length(), 4)
        self._shift = np.uint64(_HASH_BITS - hash_bits)
        self._mask = np.uint64((1 << bits) - 1)
        self._taken = np.zeros(1 << bits, dtype=bool)
        self._taken[self._slots(keys)] = True

    def _slots(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        return (keys >> self._shift & self._mask).view(np.int64)

    def candidates(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The rows whose key is in the pool, and for each a row of the pool with that key."""
        # Most pairs are not in the pool; the table rules them out before the search.
        rows = np.flatnonzero(self._taken[self._slots(keys)])
        place = np.searchsorted(self._ascending, keys[rows])
        place[place == len(self._ascending)] = 0
        hit = self._ascending[place] == keys[rows]
        return rows[hit], self._order[place[hit]]

    @cached_property
    def by_pair(self) -> dict[tuple[int, bytes], int]:
        """The rows of the pool by query code and document, for the pairs that share a key."""
        pairs = zip(
            self._query.tolist(), map(self._documents.encoded, range(len(self._query))), strict=True
        )
        return {pair: row for row, pair in enumerate(pairs)}


def document_order(documents: Ids) -> NDArray[np.int64]:
    """The place of each id among all, in ascending order of its bytes, shape (N,).

    Equal ids have the same place: the number of rows with a lesser id.
    """
    place = np.zeros(len(documents), dtype=np.int64)
    rows = np.arange(len(documents))
    byte = 0
    while len(rows):
        # Where the bytes are equal up to an end, what ends first is less.
        word = documents.words(rows, byte).byteswap()
        count = np.minimum(documents.length[rows].astype(np.int64) - byte, WORD)
        order = np.lexsort((count, word, place[rows]))
        rows, word, count = rows[order], word[order], count[order]
        group = place[rows]
        inner = np.append(True, (group[1:] != group[:-1]))
        new = inner.copy()
        new[1:] |= (word[1:] != word[:-1]) | (count[1:] != count[:-1])
        at = np.arange(len(rows))
        offset = np.maximum.accumulate(np.where(new, at, 0)) - np.maximum.accumulate(
            np.where(inner, at, 0)
        )
        place[rows] = group + offset
        byte += WORD
        alone = new & np.append(new[1:], True)
        rows = rows[~alone & (count == WORD)]
    return place
