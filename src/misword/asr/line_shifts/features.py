"""Features of lines (hashed words and n-grams), their shared weights, and offsets they suggest."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Offsets
from misword.native.library import INTEGER, array, procedure

# Features of lines: hashed words and character n-grams, with weights by rarity.
#
# Features are what two versions of a line share: words, and the character 4-grams of words, which
# misspelt words and related words of two languages have in common. Text of scripts that are
# written without spaces gives characters and pairs of characters. Case, punctuation and
# compatibility forms do not count.
#
# A feature is a hash value. All steps are array operations over blocks of lines.

# Number of lines that are processed together.
BLOCK = 10_000
# Features are hashed to 2 ** bits values: one or two for each character, within these bounds.
FEWEST_BITS, MOST_BITS = 14, 22
# A feature is used if it occurs at most this often, or in at most this share of the lines.
OFTEN, OFTEN_SHARE = 20, 0.05
# Of more than MANY lines, one 4-gram of SAMPLED is used, so that memory is bounded.
MANY, SAMPLED = 400_000, 4

# First and last code points of scripts that are written without spaces between words.
UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0xA4CF), (0xAC00, 0xD7AF),
    (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
# Odd numbers that spread the characters of an n-gram over 64 bits.
SPREAD = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64
)

Hashes = NDArray[np.uint64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LineFeatures:
    """The features of the lines of one file.

    The features of line `i` are `ids[offsets[i]:offsets[i + 1]]`, in ascending order. `norms` are
    the lengths of the weighted feature vectors, `lengths` the numbers of letters.
    """

    ids: NDArray[np.int32]
    offsets: Offsets
    norms: NDArray[np.float32]
    lengths: Integers

    def __len__(self) -> int:
        return len(self.lengths)


@dataclass(frozen=True, slots=True)
class FeaturePair:
    """The features of two files: weights, and numbers of lines that have each feature."""

    left: LineFeatures
    right: LineFeatures
    weights: NDArray[np.float32]
    counts: tuple[Integers, Integers]


def extract_features(left: Sequence[str], right: Sequence[str]) -> FeaturePair:
    """Return the features of two files.

    The weight of a feature is the square of the log of the inverse share of lines that have it, so
    that the dot product of two lines is a sum of weights. Very frequent features have no weight.
    Features of one of the files only are part of the norms and are then dropped.
    """
    lines = len(left) + len(right)
    size = sum(map(len, left)) + sum(map(len, right))
    bits = min(max(size.bit_length(), FEWEST_BITS), MOST_BITS)
    sampled = SAMPLED if lines > MANY else 1
    hashed = [_hash_lines(texts, bits, sampled) for texts in (left, right)]
    counts = [np.bincount(values, minlength=1 << bits) for values, _, _ in hashed]
    total = counts[0] + counts[1]
    weights = np.square(np.log1p(lines / np.maximum(total, 1))).astype(np.float32)
    weights[total > max(OFTEN, OFTEN_SHARE * lines)] = 0
    is_used = (counts[0] > 0) & (counts[1] > 0) & (weights > 0)
    new_ids = (np.cumsum(is_used) - 1).astype(np.int32)
    sides = [_select(*side, weights, is_used, new_ids) for side in hashed]
    return FeaturePair(
        sides[0], sides[1], weights[is_used], (counts[0][is_used], counts[1][is_used])
    )


def _select(
    values: NDArray[np.int32],
    sizes: Integers,
    lengths: Integers,
    weights: NDArray[np.float32],
    is_used: Booleans,
    new_ids: NDArray[np.int32],
) -> LineFeatures:
    """Return the features of one file that are used, with their new ids."""
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    kept = is_used[values]
    norms = [np.zeros(0)]
    numbers = np.zeros(len(sizes), np.int64)
    for lo in range(0, len(sizes), BLOCK):
        hi = min(lo + BLOCK, len(sizes))
        line = np.repeat(np.arange(hi - lo), sizes[lo:hi])
        inside = slice(offsets[lo], offsets[hi])
        norms.append(np.sqrt(np.bincount(line, weights[values[inside]], hi - lo)))
        numbers[lo:hi] = np.bincount(line, kept[inside], hi - lo)
    return LineFeatures(
        new_ids[values[kept]],
        np.concatenate([[0], np.cumsum(numbers)]),
        np.concatenate(norms).astype(np.float32),
        lengths,
    )


def _hash_lines(
    lines: Sequence[str], bits: int, sampled: int
) -> tuple[NDArray[np.int32], Integers, Integers]:
    """Return the distinct hash values of each line, their numbers, and the numbers of letters."""
    values = [np.zeros(0, np.int32)]
    sizes, lengths = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for lo in range(0, len(lines), BLOCK):
        block = lines[lo : lo + BLOCK]
        joined = "\n".join([line.replace("\n", " ") for line in block])
        text = unicodedata.normalize("NFKC", joined).casefold()
        numbers, hashes, letters = _hash_features(text, len(block), sampled)
        hashes >>= np.uint64(64 - bits)
        keys = np.sort(numbers.astype(np.uint64) << np.uint64(bits) | hashes)
        keys = keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys
        values.append((keys & np.uint64((1 << bits) - 1)).astype(np.int32))
        sizes.append(np.bincount((keys >> np.uint64(bits)).astype(np.int64), minlength=len(block)))
        lengths.append(letters)
    return np.concatenate(values), np.concatenate(sizes), np.concatenate(lengths)


def _hash_features(text: str, count: int, sampled: int) -> tuple[Integers, Hashes, Integers]:
    """Return line numbers and hashes of the features of joined lines, and numbers of letters."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    is_letter, is_unspaced = _classes(codes)
    number = np.cumsum(codes == ord("\n"))
    lengths = np.bincount(number[is_letter], minlength=count)
    # One separator, of code 0, between two words and three after the last.
    kept = is_letter | np.append(True, is_letter[:-1])
    code = np.concatenate([[0], np.where(is_letter, codes, 0)[kept], [0] * 3]).astype(np.uint64)
    dense = np.concatenate([[False], (is_unspaced & is_letter)[kept], [False] * 3])
    line = np.concatenate([[0], number[kept], [count - 1] * 3])
    found = [*_word_features(code, dense, sampled), *_unspaced_features(code, dense)]
    numbers = np.concatenate([line[place] for place, _ in found])
    return numbers, np.concatenate([hashes for _, hashes in found]), lengths


def _classes(codes: NDArray[np.uint32]) -> tuple[Booleans, Booleans]:
    """Whether each character is a letter, digit or mark, and whether its script has no spaces."""
    is_letter = np.zeros(0x110000, bool)
    is_letter[codes] = True
    for code in np.flatnonzero(is_letter).tolist():
        is_letter[code] = unicodedata.category(chr(code))[0] in "LNM"
    is_unspaced = np.zeros(len(codes), bool)
    if len(codes) and codes.max() >= UNSPACED[0][0]:
        for first, last in UNSPACED:
            is_unspaced |= (codes >= first) & (codes <= last)
    return is_letter[codes], is_unspaced


def _word_features(
    code: Hashes, dense: Booleans, sampled: int
) -> Iterator[tuple[Integers, Hashes]]:
    """Yield the places and the hashes of words, and of 4-grams of words and separators."""
    spaced = (code > 0) & ~dense
    first, second, third, fourth = (code[k : len(code) - 3 + k] for k in range(4))
    grams = _mix(first * SPREAD[0] + second * SPREAD[1] + third * SPREAD[2] + fourth * SPREAD[3])
    is_gram = spaced[1:-2] & spaced[2:-1] & ~dense[:-3] & ~dense[3:]
    if sampled > 1:
        is_gram &= grams % np.uint64(sampled) == 0
    places = np.flatnonzero(is_gram)
    yield places + 1, grams[places]
    starts = np.flatnonzero(spaced[1:] & ~spaced[:-1]) + 1
    if len(starts):
        # The hash of a word is the sum over its pairs of neighbouring letters.
        pairs = np.where(spaced[:-1], _mix(code[:-1] * SPREAD[1] + code[1:] * spaced[1:]), 0)
        yield starts, _mix(np.add.reduceat(pairs, starts))


def _unspaced_features(code: Hashes, dense: Booleans) -> Iterator[tuple[Integers, Hashes]]:
    """Yield the places and the hashes of characters and pairs in text without spaces."""
    places = np.flatnonzero(dense)
    if len(places):
        yield places, _mix(code[places] * SPREAD[2])
        pairs = np.flatnonzero(dense[:-1] & dense[1:])
        yield pairs, _mix(code[pairs] * SPREAD[2] + code[pairs + 1] * SPREAD[3])


def _mix(values: Hashes) -> Hashes:
    """Return a hash of each number (the finalizer of SplitMix64)."""
    values = (values ^ values >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ values >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return values ^ values >> np.uint64(31)


# Weights that two lines share, by a compiled kernel.

_shared_weights = procedure(
    "misword_shared_weights", array(np.int32), array(np.int64), array(np.int32), array(np.int64),
    array(np.float32), array(np.int64), array(np.int64), INTEGER, INTEGER,
    array(np.float32, out=True),
)  # fmt: skip


def shared_weights(
    features: FeaturePair, lefts: NDArray[np.int64], rights: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return the sum of the weights that line `lefts[p]` shares with line `rights[p]`."""
    left, right = features.left, features.right
    if len(lefts) != len(rights):
        raise ValueError("a pair needs two lines")
    for lines, side in ((lefts, left), (rights, right)):
        if len(lines) and not (lines.min() >= 0 and lines.max() < len(side)):
            raise IndexError("a line number is out of range")
    shared = np.empty(len(lefts), np.float32)
    _shared_weights(
        left.ids, left.offsets, right.ids, right.offsets, features.weights,
        np.ascontiguousarray(lefts, np.int64), np.ascontiguousarray(rights, np.int64),
        0, len(lefts), shared,
    )  # fmt: skip
    return shared


# Offsets between two files that rare features suggest.

# A feature votes if it occurs at most this often in each file: the first of these numbers that
# gives at most MOST_VOTES votes for each line. Texts with few different words have no rarer ones.
RARE, MOST_VOTES = (64, 32, 16, 8), 40
# Offsets with the most votes that are candidates, and offsets that always are: -NEAR to NEAR.
MOST_OFFSETS, NEAR = 24, 3


class OffsetVotes:
    """Votes of rare features for offsets.

    A feature that occurs in line i of the left file and in line j of the right one votes for the
    offset j - i. Its vote is divided among all its pairs of occurrences.
    """

    def __init__(self, features: FeaturePair) -> None:
        self._features = features
        self._is_rare = _rare_features(features)
        kept = np.flatnonzero(self._is_rare[features.right.ids])
        ids = features.right.ids[kept]
        order = np.argsort(ids, kind="stable")
        lines = np.searchsorted(features.right.offsets, kept, side="right") - 1
        self._lines = lines[order]
        self._starts = np.searchsorted(ids[order], np.arange(len(self._is_rare) + 1))

    def candidates(self, lo: int, hi: int) -> NDArray[np.int64]:
        """Return the offsets with the most votes of lines `lo` to `hi - 1`, in ascending order."""
        features = self._features
        left, right = features.left, features.right
        first, last = left.offsets[lo], left.offsets[hi]
        ids = left.ids[first:last]
        lines = np.repeat(np.arange(lo, hi), np.diff(left.offsets[lo : hi + 1]))
        kept = self._is_rare[ids]
        ids, lines = ids[kept], lines[kept]
        sizes = self._starts[ids + 1] - self._starts[ids]
        votes = np.repeat(1.0 / np.maximum(sizes * features.counts[0][ids], 1), sizes)
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        partners = self._lines[np.repeat(self._starts[ids], sizes) + within]
        offsets, place = np.unique(partners - np.repeat(lines, sizes), return_inverse=True)
        totals = np.bincount(place, votes, len(offsets))
        best = offsets[np.argsort(-totals, kind="stable")[:MOST_OFFSETS]]
        near = np.arange(-NEAR, NEAR + 1)
        return np.unique(np.concatenate([best, near, [len(right) - len(left)]]))


def _rare_features(features: FeaturePair) -> NDArray[np.bool_]:
    """Return which features vote."""
    left, right = features.counts
    most = np.maximum(left, right)
    for limit in RARE:
        if (left * right)[most <= limit].sum() <= MOST_VOTES * len(features.left):
            break
    return np.asarray(most <= limit)
