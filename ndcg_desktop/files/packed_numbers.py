"""Numbers read from the bytes of a text, many at a time, eight digits in a 64-bit word."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ndcg_desktop.evaluation.ids import WORD, words_at_each_byte

MARGIN = 2 * WORD
"""Bytes before a text that a look back from its first fields may touch."""

_MINUS = ord("-")
_TEN_TO_EIGHT = np.uint64(10**8)
_POWERS_OF_TEN = np.array([10**power for power in range(23)], dtype=np.float64)
_ONE = np.uint64(1)
_ONES = np.uint64(0x0101010101010101)
_ZEROS = _ONES * np.uint64(ord("0"))
_POINTS = _ONES * np.uint64(ord(".") ^ ord("0"))
_TOP_BITS = _ONES * np.uint64(0x80)
_NOT_A_DIGIT = _ONES * np.uint64(0x80 - 10)
_BYTES_AFTER = np.uint64(0x0706050403020100)
_LAST_BYTES = np.array([2**64 - 2 ** (64 - 8 * count) for count in range(9)], dtype=np.uint64)


def numbers_at(
    padded: NDArray[np.uint8], start: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.float64]:
    """What Python's float() makes of each of these fields, NaN where it makes nothing.

    ``padded`` is the text with MARGIN bytes before it; ``start`` and ``end`` count from the text's
    first byte and have a value for each field.
    """
    values = _plain_numbers(padded, start, end)
    odd = np.flatnonzero(np.isnan(values))
    if not len(odd):
        return values
    minus = odd[padded[start[odd] + MARGIN] == _MINUS]
    values[minus] = -_plain_numbers(padded, start[minus] + 1, end[minus])
    odd = odd[np.isnan(values[odd])]
    raw = padded[MARGIN:].tobytes()
    places = zip(start[odd].tolist(), end[odd].tolist(), strict=True)
    values[odd] = [float_or_nan(raw[begin:stop]) for begin, stop in places]
    return values


def float_or_nan(text: bytes) -> float:
    """What Python's float() makes of a field, NaN where it makes nothing."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _plain_numbers(
    padded: NDArray[np.uint8], start: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the numbers that are up to 16 digits and point, NaN for all others.

    The digits are read as one whole number, eight at a time in a 64-bit word. With a point they
    are 15 at most, so that the number and the power of ten are both exact as floats and their
    quotient is rounded once, as float() rounds.
    """
    length = end - start
    words = words_at_each_byte(padded)
    high = _last_digits(words[end + (MARGIN - WORD)], length)
    low = np.zeros(1, dtype=np.uint64)
    if length.max(initial=0) > WORD:
        low = _last_digits(words[end + (MARGIN - 2 * WORD)], length - WORD)
    high, low, points, decimals = _without_points(high, low)
    flaws = high + _NOT_A_DIGIT
    flaws |= high
    flaws |= low + _NOT_A_DIGIT | low
    flaws &= _TOP_BITS
    whole = _value(high)
    whole += _value(low) * _TEN_TO_EIGHT
    good = (flaws == 0) & (points <= _ONE)
    good &= (length > points.view(np.int64)) & (length <= 2 * WORD)
    values = whole.view(np.int64) / _POWERS_OF_TEN.take(decimals.view(np.int64))
    values[~good] = np.nan
    return values


def _last_digits(word: NDArray[np.uint64], count: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Make digits 0 to 9 of the last ``count`` bytes, 0 of those before. Others exceed 9."""
    word ^= _ZEROS
    if count.min(initial=WORD) < WORD:
        word &= _LAST_BYTES.take(count, mode="clip")
    return word


def _without_points(
    high: NDArray[np.uint64], low: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], ...]:
    """Close the gap of a point among the digits ``low`` and ``high``, low ones coming first.

    Returns both, the number of points, 2 standing for more, and that of the digits after it.
    """
    in_high, in_low = _first_point(high), _first_point(low)
    some_high, some_low = np.minimum(in_high, _ONE), np.minimum(in_low, _ONE)
    points = some_high + some_low
    if not points.any():
        return high, low, points, points
    moved = some_high * np.uint64(8)
    high = _closed(high, in_high, some_high) | low >> (np.uint64(64) - moved)
    low = _closed(low, in_low, some_low) << moved
    # 256**k, times this, has the number of bytes after byte k as its top byte.
    decimals = (in_high + in_low) * _BYTES_AFTER >> np.uint64(56)
    decimals += some_low * np.uint64(WORD)
    return high, low, points, decimals


def _first_point(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return 256**k where byte k is the first that holds a point, 0 where none does."""
    other = word ^ _POINTS
    found: NDArray[np.uint64] = other - _ONES
    found &= ~other
    found &= _TOP_BITS
    found &= np.negative(found)
    found >>= np.uint64(7)
    return found


def _closed(
    word: NDArray[np.uint64], point: NDArray[np.uint64], some: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Move the bytes before the point one up, over it."""
    if not point.any():
        return word
    below = point - _ONE
    closed: NDArray[np.uint64] = (word & below) << some * np.uint64(8)
    below |= point * np.uint64(255)
    closed |= word & ~below
    return closed


def _value(digits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the number that eight digits stand for, the lowest byte first."""
    value: NDArray[np.uint64] = digits * np.uint64(10 * 2**8 + 1)
    value >>= np.uint64(8)
    value &= np.uint64(0x00FF00FF00FF00FF)
    value *= np.uint64(10**2 * 2**16 + 1)
    value >>= np.uint64(16)
    value &= np.uint64(0x0000FFFF0000FFFF)
    value *= np.uint64(10**4 * 2**32 + 1)
    value >>= np.uint64(32)
    return value
