"""Features of lines: hashed words and character n-grams, with weights by rarity.

Features are what two versions of a line share: words, and the character 4-grams of words, which
words of related languages and misspelt words have in common. Text of scripts that are written
without spaces gives characters and pairs of characters. Case, punctuation and compatibility forms
do not count.

A feature is a hash value. All steps are array operations over blocks of lines, and a line keeps
only its rarest features, so that the memory for a million lines is bounded.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Offsets

# Number of lines that are processed together.
BLOCK = 20_000
# Features are hashed to this number of values.
HASH_BITS = 22
# The most features that a line keeps, and how many if there are more than MANY lines.
MOST_FEATURES, FEWER_FEATURES, MANY = 96, 32, 400_000

# First and last code points of scripts that are written without spaces between words.
UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0xA4CF), (0xAC00, 0xD7AF),
    (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip

Hashes = NDArray[np.uint64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LineFeatures:
    """The features of the lines of one file.

    The features of line `i` are `ids[offsets[i]:offsets[i + 1]]`, the rarest first: ids are ordered
    by the number of occurrences. `norms` are the lengths of the vectors of all features of a line,
    `lengths` the numbers of letters.
    """

    ids: NDArray[np.int32]
    offsets: Offsets
    norms: NDArray[np.float32]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)


@dataclass(frozen=True, slots=True)
class FeaturePair:
    """The features of both files, and the weight and the number of occurrences of each."""

    left: LineFeatures
    right: LineFeatures
    weights: NDArray[np.float32]
    counts: tuple[NDArray[np.int64], NDArray[np.int64]]


def extract_features(left: Sequence[str], right: Sequence[str]) -> FeaturePair:
    """Return the features of two files.

    The weight of a feature is the square of log(lines / occurrences), so that the dot product of
    two lines is a sum of weights. Features that occur in one of the files only are counted in the
    norms and dropped.
    """
    counts = [_count(lines) for lines in (left, right)]
    total = counts[0] + counts[1]
    order = np.argsort(total, kind="stable")
    shared = order[(counts[0][order] > 0) & (counts[1][order] > 0)]
    new_ids = np.full(len(total), -1, np.int32)
    new_ids[shared] = np.arange(len(shared), dtype=np.int32)
    lines = len(left) + len(right)
    weights = np.square(np.log1p(lines / np.maximum(total, 1))).astype(np.float32)
    most = MOST_FEATURES if lines <= MANY else FEWER_FEATURES
    sides = [_features(texts, new_ids, weights, most) for texts in (left, right)]
    return FeaturePair(sides[0], sides[1], weights[shared], (counts[0][shared], counts[1][shared]))


def _count(lines: Sequence[str]) -> NDArray[np.int64]:
    """Count the occurrences of each hash value."""
    counts = np.zeros(1 << HASH_BITS, np.int64)
    for _, values, _ in _blocks(lines):
        counts += np.bincount(values, minlength=len(counts))
    return counts


def _features(
    lines: Sequence[str], new_ids: NDArray[np.int32], weights: NDArray[np.float32], most: int
) -> LineFeatures:
    """Return the features of one file, numbered by `new_ids`."""
    ids, sizes, norms, lengths = [], [], [], []
    for numbers, values, letters in _blocks(lines):
        count = len(letters)
        keys = _distinct(numbers.astype(np.int64) << HASH_BITS | values)
        line, value = keys >> HASH_BITS, keys & (1 << HASH_BITS) - 1
        norms.append(np.sqrt(np.bincount(line, weights[value], count)))
        kept = new_ids[value] >= 0
        keys = np.sort(line[kept] << HASH_BITS | new_ids[value[kept]])
        line = keys >> HASH_BITS
        starts = np.searchsorted(line, np.arange(count))
        rarest = np.arange(len(line)) - starts[line] < most
        ids.append((keys[rarest] & (1 << HASH_BITS) - 1).astype(np.int32))
        sizes.append(np.bincount(line[rarest], minlength=count))
        lengths.append(letters)
    return LineFeatures(
        np.concatenate(ids or [np.zeros(0, np.int32)]),
        np.concatenate([[0], np.cumsum(np.concatenate(sizes or [[]]))]).astype(np.int64),
        np.concatenate(norms or [[]]).astype(np.float32),
        np.concatenate(lengths or [[]]).astype(np.int64),
    )


def _distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    keys = np.sort(keys)
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys


def _blocks(
    lines: Sequence[str],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Give, for each block of lines, the line and the hash value of all features, and lengths."""
    for lo in range(0, len(lines), BLOCK):
        block = lines[lo : lo + BLOCK]
        joined = "\n".join([line.replace("\n", " ") for line in block])
        yield _hash_features(unicodedata.normalize("NFKC", joined).casefold(), len(block))


def _hash_features(
    text: str, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return line numbers and hash values of the features of joined lines, and their lengths."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    is_letter, unspaced = _classes(codes)
    number = np.cumsum(codes == ord("\n"))
    lengths = np.bincount(number[is_letter], minlength=count)
    # One separator between words and around the text, of code 0.
    kept = is_letter | np.concatenate([[True], is_letter[:-1]])
    code = np.concatenate([[0], np.where(is_letter, codes, 0)[kept], [0, 0]]).astype(np.uint64)
    dense = np.concatenate([[False], (unspaced & is_letter)[kept], [False] * 2])
    line = np.concatenate([[0], number[kept], [count - 1] * 2])
    found = [*_word_features(code, dense), *_unspaced_features(code, dense)]
    numbers = np.concatenate([line[place] for place, _ in found])
    values = np.concatenate([value for _, value in found]) >> np.uint64(64 - HASH_BITS)
    return numbers, values.astype(np.int64), lengths


def _classes(codes: NDArray[np.uint32]) -> tuple[Booleans, Booleans]:
    """Whether each character is a letter, digit or mark, and whether its script has no spaces."""
    present = np.zeros(0x110000, bool)
    present[codes] = True
    letters, unspaced = np.zeros_like(present), np.zeros_like(present)
    for code in np.flatnonzero(present).tolist():
        letters[code] = unicodedata.category(chr(code))[0] in "LNM"
    for first, last in UNSPACED:
        unspaced[first : last + 1] = True
    return letters[codes], unspaced[codes]


def _word_features(code: Hashes, dense: Booleans) -> Iterator[tuple[NDArray[np.int64], Hashes]]:
    """Give the places and the hash values of words and of their 4-grams with separators."""
    spaced = (code > 0) & ~dense
    starts = np.flatnonzero(spaced & ~np.concatenate([[False], spaced[:-1]]))
    ends = np.flatnonzero(spaced & ~np.concatenate([spaced[1:], [False]])) + 1
    place = np.arange(len(code))
    start_of = np.zeros(len(code), np.int64)
    start_of[starts] = starts
    within = (place - np.maximum.accumulate(start_of)).astype(np.uint64)
    mixed = np.where(spaced, _mix(code + (within << np.uint64(32))), np.uint64(0))
    if len(starts):
        edges = np.column_stack([starts, ends]).ravel()
        yield starts, _mix(np.add.reduceat(mixed, edges)[::2])
    if len(code) >= 4:
        first, second, third, fourth = code[:-3], code[1:-2], code[2:-1], code[3:]
        inside = spaced[1:-2] & spaced[2:-1] & ~dense[:-3] & ~dense[3:]
        places = np.flatnonzero(inside)
        grams = _mix(
            _mix(first[places] << np.uint64(32) | second[places])
            + (third[places] << np.uint64(32) | fourth[places])
        )
        yield places + 1, grams


def _unspaced_features(code: Hashes, dense: Booleans) -> Iterator[tuple[NDArray[np.int64], Hashes]]:
    """Give the places and the hash values of characters and pairs in text without spaces."""
    places = np.flatnonzero(dense)
    yield places, _mix(code[places] << np.uint64(21))
    pairs = np.flatnonzero(dense[:-1] & dense[1:])
    yield pairs, _mix(code[pairs] << np.uint64(40) | code[pairs + 1] << np.uint64(8))


def _mix(values: Hashes) -> Hashes:
    """Return a hash of each number (the finalizer of SplitMix64)."""
    values = (values ^ values >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ values >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return values ^ values >> np.uint64(31)
