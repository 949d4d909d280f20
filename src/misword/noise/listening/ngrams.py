"""N-gram language models of order 1 to 3 as tables for the decoder.

A model is counted from texts (absolute discounting, interpolated; the unigrams are smoothed with
word frequencies of the language) or read from an ARPA file. Costs are -log of probabilities.

Reference: H. Ney, U. Essen, R. Kneser, On structuring probabilistic dependences in stochastic
language modelling, Computer Speech and Language 8, 1994.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.noise.arrays import Floats, Ints

WORD_BITS = 21
MOST_WORDS = (1 << WORD_BITS) - 4
# The weight of the word frequencies of the language beside counted words.
PRIOR_TOKENS = 20_000.0
DISCOUNT = 0.7
LEAST_SHARE = 1e-9  # of a word of a text that has no frequency
BEGIN, END = "<s>", "</s>"
Counts = Mapping[tuple[str, str], float]


@dataclass(frozen=True, slots=True, eq=False)
class NgramTables:
    """The costs of n-grams over the words of a vocabulary, and of `BEGIN`, `END` and others.

    `ids` of a vocabulary of V words: the words have 0 to V - 1, then come `BEGIN`, `END` and all
    unknown words. The other arrays are those of `misword_listener` in `kernels.h`.
    """

    unigram: NDArray[np.float32]
    backoff: NDArray[np.float32]
    keys: NDArray[np.uint64]
    scores: NDArray[np.float32]
    backoffs: NDArray[np.float32]

    @property
    def begin(self) -> int:
        """The id of the beginning of a sentence."""
        return len(self.unigram) - 3

    @property
    def end(self) -> int:
        """The id of the end of a sentence."""
        return len(self.unigram) - 2

    @property
    def unknown(self) -> int:
        """The id of all words that are not in the vocabulary."""
        return len(self.unigram) - 1


def ngram_key(*ids: int) -> int:
    """Return the key of a bigram or trigram, as `listening.c` computes it."""
    key = 0
    for number in ids:
        key = key << WORD_BITS | number + 1
    return key


def count_bigrams(texts: Iterable[Sequence[str]]) -> dict[tuple[str, str], float]:
    """Count the pairs of neighbouring words of texts, with the ends of the texts."""
    counts: dict[tuple[str, str], float] = {}
    for words in texts:
        if not words:
            continue
        before = BEGIN
        for word in (*words, END):
            counts[before, word] = counts.get((before, word), 0) + 1
            before = word
    return counts


def counted_tables(words: Sequence[str], frequency: Floats, counts: Counts) -> NgramTables:
    """Return the bigram model of counts; `frequency` has the share of each word in the language."""
    size = len(words)
    ids = {word: number for number, word in enumerate((*words, BEGIN, END))}
    unknown = size + 2
    pairs = np.array(
        [(ids.get(one, unknown), ids.get(other, unknown)) for one, other in counts], np.int64
    ).reshape(-1, 2)
    times = np.fromiter(counts.values(), np.float64, len(counts))
    keys, places = np.unique(pairs[:, 0] << WORD_BITS | pairs[:, 1], return_inverse=True)
    times = np.bincount(places, times, len(keys)).astype(np.float64)
    before, word = keys >> WORD_BITS, keys & ((1 << WORD_BITS) - 1)
    share = np.append(np.maximum(frequency, LEAST_SHARE), [0.0, 0.0, 1e-4])
    share[size + 1] = 0.08  # one text in about twelve words
    seen = np.bincount(word, times, size + 3)
    unigram = seen + PRIOR_TOKENS * share / share.sum()
    unigram /= unigram.sum()
    unigram[size] = 1e-9
    total = np.bincount(before, times, size + 3)
    kinds = np.bincount(before, minlength=size + 3)
    left = np.where(total > 0, DISCOUNT * kinds / np.maximum(total, 1e-9), 1.0)
    left = np.clip(left, 1e-6, 1.0)
    probability = np.maximum(times - DISCOUNT, 0) / total[before] + left[before] * unigram[word]
    return _tables(
        -np.log(unigram), -np.log(left), (before + 1) << WORD_BITS | (word + 1),
        -np.log(probability), np.zeros(len(keys)),
    )  # fmt: skip


def read_arpa(path: str | Path, words: Sequence[str]) -> NgramTables:
    """Return the model of an ARPA file; n-grams above order 3 are left out."""
    size = len(words)
    ids = {word: number for number, word in enumerate((*words, BEGIN, END, "<unk>"))}
    unigram = np.full(size + 3, np.inf)
    backoff = np.zeros(size + 3)
    keys: list[int] = []
    scores: list[float] = []
    backoffs: list[float] = []
    order, found = 0, False
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                line = line.strip()
                if line.startswith("\\") and line.endswith("-grams:"):
                    order, found = int(line[1 : line.index("-")]), True
                elif line.startswith("\\end") or order > 3:
                    break
                elif line and order:
                    fields = line.split("\t") if "\t" in line else line.split()
                    gram = fields[1].split() if "\t" in line else fields[1 : 1 + order]
                    rest = fields[2:] if "\t" in line else fields[1 + order :]
                    if len(gram) != order:
                        raise InputError(
                            f"not an n-gram of order {order}", where=f"{path}, line {number}",
                            fix="give a language model in ARPA format",
                        )  # fmt: skip
                    cost = -float(fields[0]) * log(10)
                    places = [ids.get(word, -1) for word in gram]
                    if -1 in places:
                        continue
                    away = -float(rest[0]) * log(10) if rest else 0.0
                    if order == 1:
                        unigram[places[0]], backoff[places[0]] = cost, away
                    else:
                        keys.append(ngram_key(*places))
                        scores.append(cost)
                        backoffs.append(away)
    except (UnicodeDecodeError, ValueError, IndexError):
        found = False
    if not found:
        raise InputError(
            "this is not a language model in ARPA format", where=str(path),
            fix="name an .arpa file, or leave lm out",
        )  # fmt: skip
    missing = unigram[-1] if np.isfinite(unigram[-1]) else 20.0
    unigram = np.minimum(np.where(np.isfinite(unigram), unigram, missing), 30.0)
    return _tables(
        unigram, backoff, np.array(keys, np.int64), np.minimum(np.array(scores), 30.0),
        np.array(backoffs),
    )  # fmt: skip


def _tables(
    unigram: Floats, backoff: Floats, keys: Ints, scores: Floats, backoffs: Floats
) -> NgramTables:
    """Put n-grams into a hash table with open addressing; the order of insertion is by key."""
    from misword.native.byte_ranges import mix_bits

    order = np.argsort(keys, kind="stable")
    keys, scores, backoffs = keys[order], scores[order], backoffs[order]
    slots = 1 << max(4, int(2 * len(keys)).bit_length())
    place = (mix_bits(keys.astype(np.uint64)) & np.uint64(slots - 1)).astype(np.int64)
    table = np.zeros(slots, np.uint64)
    entry = np.zeros(slots, np.int64)
    pending = np.arange(len(keys))
    while len(pending):
        at = place[pending]
        first = np.zeros(len(pending), bool)
        free = np.flatnonzero(table[at] == 0)
        first[free[np.unique(at[free], return_index=True)[1]]] = True
        chosen = pending[first]
        table[place[chosen]] = keys[chosen].astype(np.uint64)
        entry[place[chosen]] = chosen
        pending = pending[~first]
        place[pending] = (place[pending] + 1) & (slots - 1)
    filled = table > 0
    columns = [np.zeros(slots, np.float32) for _ in range(2)]
    for column, values in zip(columns, (scores, backoffs), strict=True):
        column[filled] = values[entry[filled]]
    return NgramTables(
        unigram.astype(np.float32), backoff.astype(np.float32), table, columns[0], columns[1]
    )
