"""Compiled splitting of UTF-8 text into ids. Imported only where the input is large.

Rows are separated by NUL. The text is given twice over the same memory: as bytes, and as the eight
bytes (little-endian) that start at each byte, so that a short word is found, hashed and compared
in a handful of operations instead of a loop over its letters. `PADDING` NUL bytes follow the last
row.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from misword.core.types import Ids, Offsets

U = np.uint64
ONE, SEVEN, FIFTY_SIX = U(1), U(7), U(56)
HIGH_BITS = U(0x8080808080808080)
BEYOND_SPACE = U(0x2121212121212121)
BYTE_INDEX = U(0x0001020304050607)
HALF, LOW_HALF = U(32), U(0xFFFFFFFF)
SPREAD = U(0x9E3779B97F4A7C15)
PADDING = 8
FIRST_BITS = 13  # the hash table starts with 2 ** 13 slots and is kept at most half full


def split_words(text: bytes, rows: int) -> tuple[Ids, Offsets, Offsets, Ids]:
    """Ids of all words, row offsets, and where each vocabulary word starts and how long it is."""
    singles, eights = _both_ways(text)
    ids = np.empty(len(text) // 2, np.int32)
    offsets = np.zeros(rows + 1, np.int64)
    bits = FIRST_BITS
    starts, lengths = np.zeros(1 << bits - 1, np.int64), np.zeros(1 << bits - 1, np.int32)
    table = np.zeros(2 << bits, np.uint64)
    state = np.zeros(4, np.int64)
    while True:
        scan(singles, eights, state, ids, offsets, starts, lengths, table, U(64 - bits))
        byte, row, tokens, words = state.tolist()
        if byte >= len(text) - PADDING:
            break
        bits += 2
        starts, lengths = np.resize(starts, 1 << bits - 1), np.resize(lengths, 1 << bits - 1)
        smaller, table = table, np.zeros(2 << bits, np.uint64)
        rehash(smaller, table, U(64 - bits))
    offsets[row + 1 :] = tokens
    return ids[:tokens].copy(), offsets, starts[:words], lengths[:words]


def split_characters(text: bytes, rows: int, spaces: bool) -> tuple[Ids, Offsets, Ids]:
    """Ids of all code points (white space as one space between words), offsets, the code points."""
    return _split_characters(_both_ways(text)[0], rows, spaces)  # type: ignore[no-any-return]


def _both_ways(text: bytes):
    eights = np.ndarray((len(text) - PADDING + 1,), np.dtype("<u8"), buffer=text, strides=(1,))
    return np.frombuffer(text, np.uint8), eights


@njit(nogil=True, cache=True)
def space_at(text, i):
    """Bytes of the white space (as in `str.isspace`) that starts at `i`; 0 where none does."""
    byte = text[i]
    if byte < 0x80:
        return 1 if byte == 0x20 or 0x09 <= byte <= 0x0D or 0x1C <= byte <= 0x1F else 0
    if byte == 0xC2:
        return 2 if text[i + 1] == 0x85 or text[i + 1] == 0xA0 else 0
    if byte == 0xE1:
        return 3 if text[i + 1] == 0x9A and text[i + 2] == 0x80 else 0
    if byte == 0xE2:
        second, third = text[i + 1], text[i + 2]
        if second == 0x80:
            wide = third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF
            return 3 if wide else 0
        return 3 if second == 0x81 and third == 0x9F else 0
    if byte == 0xE3:
        return 3 if text[i + 1] == 0x80 and text[i + 2] == 0x80 else 0
    return 0


@njit(nogil=True, cache=True)
def low_byte(chunk):
    """Index of the first of eight bytes up to 0x20; 8 where there is none or one is not ASCII.

    The subtraction raises the top bit of each such byte; carries can only raise later ones.
    """
    low = (chunk - BEYOND_SPACE) & ~chunk & HIGH_BITS
    if chunk & HIGH_BITS or not low:
        return 8
    return np.int64((((low & (~low + ONE)) >> SEVEN) * BYTE_INDEX) >> FIFTY_SIX)


@njit(nogil=True, cache=True)
def word_end(text, i):
    """Where the word that goes on at `i` ends: at white space or NUL."""
    while True:
        while 0x20 < text[i] < 0xC2:
            i += 1
        if text[i] == 0 or space_at(text, i):
            return i
        i += 1


@njit(nogil=True, cache=True)
def packed(eights, start, length):
    """The up to eight bytes of a word from `start`, as one number."""
    chunk = eights[start]
    return chunk if length >= 8 else chunk & ((ONE << U(8 * length)) - ONE)


@njit(nogil=True, cache=True)
def hashed(eights, start, length):
    """A hash that is one to one on words of up to eight bytes."""
    code = packed(eights, start, length) * SPREAD
    for at in range(8, length, 8):
        code = (code ^ (code >> U(29)) ^ packed(eights, start + at, length - at)) * SPREAD
    return code


@njit(nogil=True, cache=True)
def same_word(eights, a, b, length):
    for at in range(0, length, 8):
        if packed(eights, a + at, length - at) != packed(eights, b + at, length - at):
            return False
    return True


@njit(nogil=True, cache=True)
def rehash(old, table, shift):
    """Put all words into a larger table."""
    mask = (len(table) >> 1) - 1
    for k in range(0, len(old), 2):
        if old[k + 1]:
            at = np.int64(old[k] >> shift)
            while table[2 * at + 1]:
                at = (at + 1) & mask
            table[2 * at], table[2 * at + 1] = old[k], old[k + 1]


@njit(nogil=True, cache=True)
def scan(text, eights, state, ids, offsets, starts, lengths, table, shift):
    """Number words from `state` (byte, row, tokens, words) on, until the end or a full table.

    A slot of the table is two numbers, side by side for the cache: the word's hash, and its length
    (high half) with its id plus one (low half); 0 is an empty slot.
    """
    i, row, count, words = state
    size, room, mask = len(eights) - 1, len(starts), (len(table) >> 1) - 1
    while i < size and words < room:
        start, skip = i, low_byte(eights[i])
        if text[i] <= 0x20 or text[i] >= 0xC2:
            if text[i] == 0:
                row += 1
                offsets[row] = count
                i += 1
                continue
            blank = space_at(text, i)
            if blank:
                i += blank
                continue
        i += skip & 7
        if text[i] != 0x20 and text[i] != 0:
            i = word_end(text, i)
        length = i - start
        code = hashed(eights, start, length)
        tag = U(length) << HALF
        at = np.int64(code >> shift)
        entry = table[2 * at + 1]
        while entry:
            if table[2 * at] == code and entry & ~LOW_HALF == tag:
                known = np.int64(entry & LOW_HALF) - 1
                if length <= 8 or same_word(eights, starts[known], start, length):
                    break
            at = (at + 1) & mask
            entry = table[2 * at + 1]
        if not entry:
            starts[words], lengths[words] = start, length
            words += 1
            entry = tag | U(words)
            table[2 * at], table[2 * at + 1] = code, entry
        ids[count] = np.int64(entry & LOW_HALF) - 1
        count += 1
        i += text[i] == 0x20
    state[:] = i, row, count, words


@njit(nogil=True, cache=True)
def point_at(text, i):
    """The code point that starts at `i`, and how many bytes it takes."""
    first = np.int64(text[i])
    if first < 0x80:
        return first, 1
    if first < 0xE0:
        return (first & 0x1F) << 6 | (text[i + 1] & 0x3F), 2
    if first < 0xF0:
        return (first & 0x0F) << 12 | (text[i + 1] & 0x3F) << 6 | (text[i + 2] & 0x3F), 3
    high = (first & 0x07) << 18 | (text[i + 1] & 0x3F) << 12
    return high | (text[i + 2] & 0x3F) << 6 | (text[i + 3] & 0x3F), 4


@njit(nogil=True, cache=True)
def _split_characters(text, rows, spaces):
    size = len(text) - PADDING
    ids = np.empty(size, np.int32)
    offsets = np.zeros(rows + 1, np.int64)
    id_of = np.full(0x110000, -1, np.int32)
    points = np.empty(0x110000, np.int32)
    known = count = row = i = 0
    gap = False
    while i < size:
        step = 1
        point = np.int64(text[i])
        if point <= 0x20 or point >= 0xC2:
            if point == 0:
                row += 1
                offsets[row] = count
                gap = False
                i += 1
                continue
            step = space_at(text, i)
            if step:
                gap = spaces and count > offsets[row]
                i += step
                continue
            point, step = point_at(text, i)
        i += step
        if gap:
            gap = False
            if id_of[32] < 0:
                id_of[32], points[known] = known, 32
                known += 1
            ids[count] = id_of[32]
            count += 1
        if id_of[point] < 0:
            id_of[point], points[known] = known, point
            known += 1
        ids[count] = id_of[point]
        count += 1
    offsets[row + 1 :] = count
    return ids[:count].copy(), offsets, points[:known].copy()
