"""Vectors from character n-grams, as fastText makes them.

A word between `<` and `>` is cut into all runs of `shortest` to `longest` characters; a 32-bit
FNV-1a hash sends each to a bucket, which has a row of its own. A word's vector is the mean of its
own row, if it has one, and those rows. fastText's hash takes bytes as signed, so that bytes above
127 flip the upper bits too: its files depend on it.

Reference: Bojanowski et al. 2017, Enriching word vectors with subword information.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from misword.io.vectors.reading.contents import CharacterNgrams

BASIS, PRIME = np.uint32(2166136261), np.uint32(16777619)
END_OF_SENTENCE = "</s>"  # a word of the model that is never cut
WORDS = 512  # at a time: the rows of their n-grams are gathered in memory


def vectors_of(
    words: Sequence[str],
    rows: NDArray[np.int64],
    matrix: NDArray[np.float32],
    pieces: CharacterNgrams,
) -> NDArray[np.float32]:
    """The mean of each word's own row (-1: it has none) and its n-grams' rows; else zero."""
    means = np.zeros((len(words), matrix.shape[1]), np.float32)
    for lo in range(0, len(words), WORDS):
        own, cut = rows[lo : lo + WORDS], words[lo : lo + WORDS]
        of, grams = ngram_rows(cut, pieces)
        has_own = np.flatnonzero(own >= 0)
        of, grams = np.concatenate([has_own, of]), np.concatenate([own[has_own], grams])
        grams = grams[np.argsort(of, kind="stable")]
        counts = np.bincount(of, minlength=len(cut))
        starts = np.cumsum(counts) - counts
        sums = np.zeros((len(cut), matrix.shape[1]))
        for nth in range(counts.max(initial=0)):  # the nth row of all words that have so many
            some = np.flatnonzero(counts > nth)
            sums[some] += matrix[grams[starts[some] + nth]]
        means[lo : lo + WORDS] = sums / np.maximum(counts, 1)[:, None]
    return means


def ngram_rows(
    words: Sequence[str], pieces: CharacterNgrams
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each n-gram of each word: which word it is of, and its row."""
    of, hashes = ngram_hashes(words, pieces.shortest, pieces.longest)
    if not pieces.buckets:
        return of[:0], of[:0]
    buckets = hashes.astype(np.int64) % pieces.buckets
    if pieces.pruned is None:
        return of, pieces.first + buckets
    places = np.full(pieces.buckets, -1, np.int64)
    places[list(pieces.pruned)] = np.arange(len(pieces.pruned))
    kept = places[buckets] >= 0
    return of[kept], pieces.first + places[buckets[kept]]


def ngram_hashes(
    words: Sequence[str], shortest: int, longest: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """For each n-gram of each word: which word it is of, and its hash.

    All n-grams grow together, one character a step, from every character of every word.
    """
    marked = [
        b"" if w == END_OF_SENTENCE else f"<{w}>".encode("utf-8", "surrogatepass") for w in words
    ]
    text = np.frombuffer(b"".join(marked), np.int8)
    starts = np.flatnonzero((text.view(np.uint8) & 0xC0) != 0x80)
    widths = np.diff(np.append(starts, len(text)))
    of_byte = np.repeat(np.arange(len(words)), list(map(len, marked)))
    of = of_byte[starts]
    letters = np.bincount(of, minlength=len(words))
    ends = np.cumsum(letters)[of]
    first, last = ends - letters[of], ends - 1
    hashes = np.full(len(starts), BASIS, np.uint32)
    open_ = np.arange(len(starts))
    found_of, found = [of[:0]], [hashes[:0]]
    for n in range(1, longest + 1):
        at = open_ + n - 1
        hashes[open_] = _grow(hashes[open_], text, starts[at], widths[at])
        if n >= shortest:
            edge = (n == 1) & ((open_ == first[open_]) | (at == last[open_]))
            found_of.append(of[open_[~edge]])
            found.append(hashes[open_[~edge]])
        open_ = open_[at < last[open_]]
    return np.concatenate(found_of), np.concatenate(found)


def _grow(
    hashes: NDArray[np.uint32],
    text: NDArray[np.int8],
    starts: NDArray[np.int64],
    widths: NDArray[np.int64],
) -> NDArray[np.uint32]:
    """Take the bytes of one more character into each hash."""
    for byte in range(int(widths.max(initial=0))):
        more = np.flatnonzero(widths > byte)
        code = text[starts[more] + byte].astype(np.int32).view(np.uint32)
        hashes[more] = (hashes[more] ^ code) * PRIME
    return hashes
