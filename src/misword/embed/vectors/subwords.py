"""Word vectors from character n-grams, as in fastText.

A word between `<` and `>` is cut into all its n-grams of `shortest` to `longest` characters. A
32-bit FNV-1a hash assigns each n-gram to a bucket, and each bucket has a row in the matrix. The
vector of a word is the mean of its own row, if it has one, and the rows of its n-grams. fastText's
hash takes bytes as signed numbers, so bytes above 127 also change the upper bits: the files of
fastText depend on this.

Reference: Bojanowski et al. 2017, Enriching word vectors with subword information.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from misword.io.vectors import CharacterNgrams

BASIS, PRIME = np.uint32(2166136261), np.uint32(16777619)
END_OF_SENTENCE = "</s>"  # a word of the model that has no n-grams
WORDS = 512  # words whose n-gram rows are in memory at once


def subword_vectors(
    words: Sequence[str],
    rows: NDArray[np.int64],
    matrix: NDArray[np.float32],
    pieces: CharacterNgrams,
) -> NDArray[np.float32]:
    """Return for each word the mean of its own row and the rows of its n-grams.

    `rows` are the own rows; -1 means that the word has none. The vector is zero if the word has
    neither an own row nor n-grams.
    """
    means = np.zeros((len(words), matrix.shape[1]), np.float32)
    for lo in range(0, len(words), WORDS):
        own, block = rows[lo : lo + WORDS], words[lo : lo + WORDS]
        word_of_gram, gram_rows = ngram_rows(block, pieces)
        has_own = np.flatnonzero(own >= 0)
        word_of_row = np.concatenate([has_own, word_of_gram])
        all_rows = np.concatenate([own[has_own], gram_rows])
        all_rows = all_rows[np.argsort(word_of_row, kind="stable")]
        counts = np.bincount(word_of_row, minlength=len(block))
        starts = np.cumsum(counts) - counts
        sums = np.zeros((len(block), matrix.shape[1]))
        for nth in range(counts.max(initial=0)):  # add the nth row of every word that has one
            longer = np.flatnonzero(counts > nth)
            sums[longer] += matrix[all_rows[starts[longer] + nth]]
        means[lo : lo + WORDS] = sums / np.maximum(counts, 1)[:, None]
    return means


def ngram_rows(
    words: Sequence[str], pieces: CharacterNgrams
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each n-gram of each word the index of the word and the n-gram's row."""
    word_of_gram, hashes = ngram_hashes(words, pieces.shortest, pieces.longest)
    if not pieces.buckets:
        return word_of_gram[:0], word_of_gram[:0]
    buckets = hashes.astype(np.int64) % pieces.buckets
    if pieces.pruned is None:
        return word_of_gram, pieces.first + buckets
    pruned = np.array(pieces.pruned, np.int64)
    order = np.argsort(pruned, kind="stable")
    places = np.searchsorted(pruned[order], buckets)
    has_row = np.isin(buckets, pruned)
    return word_of_gram[has_row], pieces.first + order[places[has_row]]


def ngram_hashes(
    words: Sequence[str], shortest: int, longest: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return for each n-gram of each word the index of the word and the n-gram's hash.

    One n-gram starts at every character of every word; each step extends all of them by one
    character.
    """
    marked = [
        b"" if w == END_OF_SENTENCE else f"<{w}>".encode("utf-8", "surrogatepass") for w in words
    ]
    text = np.frombuffer(b"".join(marked), np.int8)
    starts = np.flatnonzero((text.view(np.uint8) & 0xC0) != 0x80)
    widths = np.diff(np.append(starts, len(text)))
    word_of_byte = np.repeat(np.arange(len(words)), list(map(len, marked)))
    word_of_char = word_of_byte[starts]
    lengths = np.bincount(word_of_char, minlength=len(words))
    ends = np.cumsum(lengths)[word_of_char]
    first, last = ends - lengths[word_of_char], ends - 1
    hashes = np.full(len(starts), BASIS, np.uint32)
    growing = np.arange(len(starts))
    gram_words, gram_hashes = [word_of_char[:0]], [hashes[:0]]
    for n in range(1, min(longest, lengths.max(initial=0)) + 1):
        at = growing + n - 1
        hashes[growing] = _extend_hashes(hashes[growing], text, starts[at], widths[at])
        if n >= shortest:
            # `<` and `>` alone are no n-grams.
            bracket = (n == 1) & ((growing == first[growing]) | (at == last[growing]))
            gram_words.append(word_of_char[growing[~bracket]])
            gram_hashes.append(hashes[growing[~bracket]])
        growing = growing[at < last[growing]]
    return np.concatenate(gram_words), np.concatenate(gram_hashes)


def _extend_hashes(
    hashes: NDArray[np.uint32],
    text: NDArray[np.int8],
    starts: NDArray[np.int64],
    widths: NDArray[np.int64],
) -> NDArray[np.uint32]:
    """Add the bytes of one more character to each hash."""
    for byte in range(int(widths.max(initial=0))):
        longer = np.flatnonzero(widths > byte)
        code = text[starts[longer] + byte].astype(np.int32).view(np.uint32)
        hashes[longer] = (hashes[longer] ^ code) * PRIME
    return hashes
