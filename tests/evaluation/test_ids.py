"""Ids as packed bytes, against dictionaries of texts, with good hashes and with bad ones."""

from contextlib import ExitStack, contextmanager
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_desktop.evaluation import ids as module
from ndcg_desktop.evaluation.ids import (
    Ids,
    concatenate,
    document_order,
    factorize,
    factorize_pairs,
    find_pairs,
    repeated_pairs,
    same,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
"""Any text at all, with lone surrogates and NUL."""
LIKE_TEXT = st.text("a\0é", max_size=3) | st.text("ab", min_size=7, max_size=18)
"""Texts that are often equal, or equal as far as a word of eight bytes goes."""
COLUMN = st.lists(LIKE_TEXT, max_size=40)
PAIRS = st.lists(st.tuples(st.integers(0, 3), LIKE_TEXT), max_size=40)


@contextmanager
def hashing(weak):
    """Work in blocks of a few rows; where ``weak``, with a hash that is nearly always the same."""
    with ExitStack() as patches:
        patches.enter_context(mock.patch.object(module, "BLOCK", 7))
        if weak:
            weakness = mock.patch.object(Ids, "hashes", lambda ids: ids.length.astype("u8") & 3)
            patches.enter_context(weakness)
            patches.enter_context(mock.patch.object(module, "_HASH_BITS", 64))
        yield


def columns(pairs):
    """Return pairs as an array of query codes and a column of ids."""
    return np.array([query for query, _ in pairs], dtype=np.int32), Ids.from_texts(
        [document for _, document in pairs]
    )


def numbered(values):
    """Return the codes of values by first appearance, and where each appears first."""
    first = {}
    for place, value in enumerate(values):
        first.setdefault(value, place)
    codes = {value: code for code, value in enumerate(first)}
    return [codes[value] for value in values], list(first.values())


def random_pairs(rows, queries, documents, seed):
    """Return many pairs, the rows of a query together, ids of 1 to 20 bytes."""
    rng = np.random.default_rng(seed)
    query = np.sort(rng.integers(0, queries, rows)).tolist()
    names = [f"{'d' * (number % 15)}{number}" for number in range(documents)]
    return [(q, names[d]) for q, d in zip(query, rng.integers(0, documents, rows), strict=True)]


@given(st.lists(ANY_TEXT, max_size=20))
def test_texts_come_back(texts):
    """Every text comes back exactly, alone and with the others."""
    ids = Ids.from_texts(texts)
    assert ids.texts() == texts
    assert [ids[row] for row in range(len(ids))] == texts


@given(COLUMN, st.data())
def test_take_shares_the_buffer(texts, data):
    """Rows that are taken keep their texts, and the buffer is not copied."""
    ids = Ids.from_texts(texts)
    rows = data.draw(st.lists(st.sampled_from(range(len(texts)))) if texts else st.just([]))
    taken = ids.take(np.array(rows, dtype=np.int64))
    assert taken.texts() == [texts[row] for row in rows]
    assert taken.buffer is ids.buffer


@given(st.lists(COLUMN, max_size=4))
def test_concatenate(parts):
    """Columns that are joined have all their texts, in order."""
    joined = concatenate([Ids.from_texts(texts) for texts in parts])
    assert joined.texts() == [text for texts in parts for text in texts]


@given(COLUMN, COLUMN)
def test_places_beyond_32_bits(first, second):
    """Places are counted in 64 bits as soon as the buffer is too large for 32."""
    with mock.patch.object(module, "MOST_INT32", 10):
        ids = concatenate([Ids.from_texts(first), Ids.from_texts(second)])
        assert ids.start.dtype == (np.int64 if len(ids.buffer) > 10 else np.int32)
        assert ids.texts() == first + second
        assert factorize(ids)[0].tolist() == numbered(first + second)[0]


@given(COLUMN)
def test_equal_ids_have_equal_hashes(texts):
    """The hash depends on the bytes alone, and tells these few different ids apart."""
    ids = Ids.from_texts(texts)
    apart = Ids.from_texts(["x" * 11, *texts]).take(slice(1, None))
    assert ids.hashes().tolist() == apart.hashes().tolist()
    assert len(set(ids.hashes().tolist())) == len(set(texts))


@given(st.lists(st.tuples(LIKE_TEXT, LIKE_TEXT), max_size=40))
def test_same(pairs):
    """Ids are the same exactly where their texts are."""
    left, right = (Ids.from_texts([pair[side] for pair in pairs]) for side in (0, 1))
    with hashing(weak=False):
        assert same(left, right).tolist() == [a == b for a, b in pairs]


def test_same_looks_at_every_byte():
    """Long ids that differ in any one byte are not the same, up to the end of the buffer."""
    text = "x" * 1003
    others = [text[:place] + "y" + text[place + 1 :] for place in range(len(text))]
    ids = Ids.from_texts([*others, text])
    whole = ids.take(np.full(len(ids), len(others)))
    assert same(ids, whole).tolist() == [False] * len(others) + [True]


@pytest.mark.parametrize("weak", [False, True])
@given(COLUMN)
def test_factorize(weak, texts):
    """Codes are numbered by first appearance, as a dictionary numbers them."""
    with hashing(weak):
        code, first = factorize(Ids.from_texts(texts))
    assert (code.tolist(), first.tolist()) == numbered(texts)
    assert code.dtype == np.int32


@pytest.mark.parametrize("weak", [False, True])
@given(PAIRS)
def test_factorize_pairs(weak, pairs):
    """Pairs are numbered by first appearance, as a dictionary numbers them."""
    with hashing(weak):
        code, first = factorize_pairs(*columns(pairs))
    assert (code.tolist(), first.tolist()) == numbered(pairs)
    assert code.dtype == np.int32


@pytest.mark.parametrize("weak", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
@given(PAIRS)
def test_repeated_pairs(weak, grouped, pairs):
    """A pair is repeated on every row but its first, wherever the rows of a query stand."""
    if grouped:
        pairs.sort(key=lambda pair: pair[0])
    with hashing(weak):
        repeated = repeated_pairs(*columns(pairs))
    _, first = numbered(pairs)
    assert np.flatnonzero(~repeated).tolist() == first


@pytest.mark.parametrize("weak", [False, True])
@given(PAIRS, PAIRS)
def test_find_pairs(weak, pool, pairs):
    """A pair is found on its row of the pool, and nowhere if the pool does not have it."""
    pool = list(dict.fromkeys(pool))
    rows = {pair: row for row, pair in enumerate(pool)}
    with hashing(weak):
        found = find_pairs(*columns(pool), *columns(pairs))
    assert found.tolist() == [rows.get(pair, -1) for pair in pairs]
    assert found.dtype == np.int32


def test_many_pairs():
    """Tens of thousands of pairs, in blocks of the real size, are numbered, found and marked."""
    pairs = random_pairs(rows=100_000, queries=40, documents=5000, seed=1)
    pool = list(dict.fromkeys(random_pairs(rows=20_000, queries=50, documents=6000, seed=2)))
    rows = {pair: row for row, pair in enumerate(pool)}
    codes, first = numbered(pairs)
    query, documents = columns(pairs)
    assert factorize(documents)[0].tolist() == numbered([pair[1] for pair in pairs])[0]
    assert factorize_pairs(query, documents)[0].tolist() == codes
    assert np.flatnonzero(~repeated_pairs(query, documents)).tolist() == first
    found = find_pairs(*columns(pool), query, documents)
    assert found.tolist() == [rows.get(pair, -1) for pair in pairs]


def test_short_lengths_do_not_wrap():
    """Lengths kept in one byte give the same results as others, up to 255."""
    texts = ["é" * 127 + "x", "é" * 127 + "y", "é" * 127 + "x", ""]
    ids = Ids.from_texts(texts)
    narrow = Ids(ids.buffer, ids.start, ids.length.astype(np.uint8))
    assert narrow.texts() == texts
    assert narrow.hashes().tolist() == ids.hashes().tolist()
    assert factorize(narrow)[0].tolist() == [0, 1, 0, 2]
    assert document_order(narrow).tolist() == [1, 3, 1, 0]
    longer = Ids.from_texts(["z" * 256])
    assert concatenate([narrow, longer, narrow]).texts() == [*texts, *longer.texts(), *texts]


@given(COLUMN)
def test_document_order(texts):
    """Ids are placed as sorted() places their bytes, and equal ids share their place."""
    encoded = [text.encode() for text in texts]
    ordered = sorted(encoded)
    places = document_order(Ids.from_texts(texts))
    assert places.tolist() == [ordered.index(raw) for raw in encoded]
