"""Compiled splitting of UTF-8 text into ids of words or characters; imported for large inputs only.

Rows are separated by NUL. The kernels get two views of the same memory: the bytes (`text`), and for
each byte the 64-bit number (little-endian) of the eight bytes that start there (`eights`). With the
second view a short word is found, hashed and compared in a few operations instead of a loop over
its letters. `PADDING` NUL bytes follow the last row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.compiled import compiled
from misword.core.types import Ids, Offsets

Bytes = NDArray[np.uint8]
Eights = NDArray[np.uint64]
Integers = NDArray[np.int32]

U = np.uint64
NONE, ONE, SEVEN, FIFTY_SIX = U(0), U(1), U(7), U(56)
EIGHT_BITS, SIXTY_THREE = U(8), U(63)
SPACES, SPACE_FIRST = U(0x2020202020202020), U(0x80)
HIGH_BITS = U(0x8080808080808080)
BEYOND_SPACE = U(0x2121212121212121)
BYTE_INDEX = U(0x0001020304050607)
TOP = U(1 << 63)
SPREAD = U(0x9E3779B97F4A7C15)
EIGHT = PADDING = 8
FIRST_BITS = 13  # the hash table starts with 2 ** 13 slots and is at most half full


def split_words(text: bytes, rows: int) -> tuple[Ids, Offsets, Offsets, Ids]:
    """Return the ids of all words, row offsets, and start and length of each vocabulary word."""
    singles, eights = np.frombuffer(text, np.uint8), _eights(text, len(text))
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


def split_characters(
    columns: Sequence[tuple[bytes, int]], spaces: bool
) -> tuple[list[tuple[Ids, Offsets]], Ids]:
    """Return the ids of all code points and the offsets of each column, and the code points.

    A column is its text and its number of rows. White space between words counts as one space. Ids
    are bytes, which need less memory, unless there are too many distinct characters.
    """
    sides, points = _characters(columns, spaces, np.uint8, 1 << 8)
    if len(sides) < len(columns):
        sides, points = _characters(columns, spaces, np.int32, 0x110000)
    return sides, points


def _characters(
    columns: Sequence[tuple[bytes, int]], spaces: bool, kind: type[np.generic], most: int
) -> tuple[list[tuple[Ids, Offsets]], Ids]:
    """Split the columns with ids of type `kind`; stop at a column that needs more than `most`."""
    id_of, points = np.full(0x110000, -1, np.int32), np.arange(most, dtype=np.int32)
    known = 0x80
    sides: list[tuple[Ids, Offsets]] = []
    for text, rows in columns:
        ids: Any = np.empty(len(text) + EIGHT, kind)
        offsets = np.zeros(rows + 1, np.int64)
        from_text, to_ids = _eights(text, len(text)), _eights(ids.data, len(text))
        tokens, known = scan_characters(
            np.frombuffer(text, np.uint8), from_text, spaces, ids, to_ids, offsets, id_of, points,
            known,
        )  # fmt: skip
        if tokens < 0:
            break
        sides.append((ids[:tokens], offsets))
    return sides, points[:known]


def _eights(buffer: bytes | memoryview, size: int) -> Eights:
    """Return the 64-bit number of the eight bytes that start at each byte of a buffer."""
    return np.ndarray((max(size - EIGHT + 1, 0),), np.dtype("<u8"), buffer=buffer, strides=(1,))


@compiled
def space_at(text: Bytes, i: int) -> int:
    """Return the bytes of the white space (as in `str.isspace`) that starts at `i`, or 0."""
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


@compiled
def word_end(text: Bytes, i: int) -> int:
    """Return the end of the word that contains byte `i`: the next white space or NUL."""
    while True:
        while 0x20 < text[i] < 0xC2:
            i += 1
        if text[i] == 0 or space_at(text, i):
            return i
        i += 1


@compiled
def key_of(eights: Eights, start: int, length: np.int64) -> np.uint64:
    """Return the key of a word: its bytes if it has up to seven, else a hash with the top bit set.

    The last eight bytes of a long word may overlap the bytes before them, so none needs masking.
    """
    if length <= 7:
        short: np.uint64 = eights[start] & ((ONE << U(8 * length)) - ONE)
        return short
    key: np.uint64 = eights[start] * SPREAD
    for at in range(8, length - 8, 8):
        key = (key ^ (key >> U(29)) ^ eights[start + at]) * SPREAD
    key = (key ^ (key >> U(29)) ^ eights[start + length - 8]) * SPREAD
    return key | TOP


@compiled
def same_word(eights: Eights, a: int, b: int, length: np.int64) -> bool:
    """Whether two words of one length, eight bytes or more, are equal."""
    if eights[a] != eights[b] or eights[a + length - 8] != eights[b + length - 8]:
        return False
    for at in range(8, length - 8, 8):
        if eights[a + at] != eights[b + at]:
            return False
    return True


@compiled
def rehash(old: Eights, table: Eights, shift: np.uint64) -> None:
    """Move all words into a larger hash table."""
    mask = (len(table) >> 1) - 1
    for k in range(0, len(old), 2):
        if old[k + 1]:
            at = np.int64((old[k] * SPREAD) >> shift)
            while table[2 * at + 1]:
                at = (at + 1) & mask
            table[2 * at], table[2 * at + 1] = old[k], old[k + 1]


@compiled
def scan(
    text: Bytes,
    eights: Eights,
    state: Offsets,
    ids: Integers,
    offsets: Offsets,
    starts: Offsets,
    lengths: Integers,
    table: Eights,
    shift: np.uint64,
) -> None:
    """Give ids to the words from `state` on, until the text ends or the hash table is full.

    `state` is the next byte, the row, the number of tokens and the number of distinct words. A slot
    of the table is two adjacent numbers: the key of a word, and its id plus one. 0 means empty.
    """
    i, row, count, words = state
    size, room, mask = len(eights) - 1, len(starts), (len(table) >> 1) - 1
    while i < size and words < room:
        start, length = i, np.int64(0)
        while True:
            # A byte up to 0x20 sets its top bit in `low`. A borrow can set the top bits of later
            # bytes only, so the lowest bit that is set is correct.
            chunk = eights[i + length]
            low = (chunk - BEYOND_SPACE) & ~chunk & HIGH_BITS
            if low or chunk & HIGH_BITS:
                break
            length += 8
        first = low & (~low + ONE)
        length += np.int64(((first >> SEVEN) * BYTE_INDEX) >> FIFTY_SIX)
        end = text[i + length]
        if low and length and not chunk & HIGH_BITS & (first - ONE) and (end == 0x20 or end == 0):
            i += length  # an ASCII word and its end: the most common case
        elif text[i] == 0:
            row += 1
            offsets[row] = count
            i += 1
            continue
        else:
            blank = space_at(text, i)
            if blank:
                i += blank
                continue
            i = word_end(text, i)
            length = i - start
        key = key_of(eights, start, length)
        at = np.int64((key * SPREAD) >> shift)
        entry = np.int64(table[2 * at + 1])
        while entry:
            if table[2 * at] == key:
                if length <= 7:
                    break
                known = starts[entry - 1]
                if lengths[entry - 1] == length and same_word(eights, known, start, length):
                    break
            at = (at + 1) & mask
            entry = np.int64(table[2 * at + 1])
        if not entry:
            starts[words], lengths[words] = start, length
            words += 1
            entry = words
            table[2 * at], table[2 * at + 1] = key, U(entry)
        ids[count] = entry - 1
        count += 1
        i += text[i] == 0x20
    state[:] = i, row, count, words


@compiled
def point_at(text: Bytes, i: int) -> tuple[np.int64, int]:
    """Return the code point that starts at `i` and its number of bytes."""
    first = np.int64(text[i])
    if first < 0x80:
        return first, 1
    if first < 0xE0:
        return (first & 0x1F) << 6 | (text[i + 1] & 0x3F), 2
    if first < 0xF0:
        return (first & 0x0F) << 12 | (text[i + 1] & 0x3F) << 6 | (text[i + 2] & 0x3F), 3
    high = (first & 0x07) << 18 | (text[i + 1] & 0x3F) << 12
    return high | (text[i + 2] & 0x3F) << 6 | (text[i + 3] & 0x3F), 4


@compiled
def scan_characters(
    text: Bytes,
    eights: Eights,
    spaces: bool,
    ids: Ids,
    ids_by_eight: Eights,
    offsets: Offsets,
    id_of: Integers,
    points: Integers,
    known: int,
) -> tuple[int, int]:
    """Fill ids and offsets; return the number of tokens and of distinct code points.

    The number of tokens is -1 if there are more code points than ids. The id of an ASCII character
    is its code; other characters get the next ids in order of appearance. If an id is one byte,
    eight ASCII characters without two adjacent spaces are copied in one operation.
    """
    size, room = len(text), len(points)
    copied = len(eights) if ids.itemsize == 1 else 0
    count = row = i = 0
    blank = True  # whether the row begins here or the character before is a space
    while i < size:
        if i < copied:
            chunk = eights[i]
            odd = ((chunk - SPACES) & ~chunk | chunk) & HIGH_BITS  # control or not ASCII
            other = chunk ^ SPACES
            gaps = ~(((other & ~HIGH_BITS) + ~HIGH_BITS) | other | ~HIGH_BITS)
            doubled = gaps & ((gaps << EIGHT_BITS) | (SPACE_FIRST if blank else NONE))
            if not odd and not doubled and (spaces or not gaps):
                ids_by_eight[count] = chunk
                count += 8
                i += 8
                blank = gaps >> SIXTY_THREE != NONE
                continue
        byte = text[i]
        if byte >= 0x20 and byte < 0x80:
            space = byte == 0x20
            ids[count] = byte
            count += not space or (spaces and not blank)
            blank = space
            i += 1
            continue
        step = space_at(text, i)
        if byte == 0 or step:
            if byte == 0:
                count -= blank and count > offsets[row] and ids[count - 1] == 0x20
                row += 1
                offsets[row] = count
                blank, step = True, 1
            elif not blank:
                ids[count] = 0x20
                count += spaces
                blank = True
            i += step
            continue
        point, step = point_at(text, i)
        i += step
        blank = False
        if point >= 0x80 and id_of[point] < 0:
            if known == room:
                return -1, known
            id_of[point], points[known] = known, point
            known += 1
        ids[count] = id_of[point] if point >= 0x80 else point
        count += 1
    count -= blank and count > offsets[row] and ids[count - 1] == 0x20
    offsets[row + 1 :] = count
    return count, known
