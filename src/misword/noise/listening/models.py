"""The language model and the phoneme channel of the decoder.

N-gram models of order 1 to 3 are tables.

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

from misword.alignment import align
from misword.alignment.costs import Costs
from misword.alignment.engine import steps
from misword.core.errors import InputError
from misword.core.types import Op, Tokens, offsets_of
from misword.noise.arrays import Floats, Ints
from misword.text.features import Alphabet, phoneme_distances

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


# How a listener hears phonemes: probabilities of other phonemes, of missing and of added ones.
#
# Without data they come from articulatory features: a phoneme is heard as itself or, the more
# likely the fewer features differ, as another one. `learn_sounds` counts the edits of the best
# alignments of error spans and smooths the counts with these probabilities.
#
# Reference: E. S. Ristad, P. N. Yianilos, Learning string-edit distance, IEEE PAMI 20, 1998.

REACH = 0.15  # distances, of which the largest is 1, by which a probability falls to 1 / e
SAME, MISSED, ADDED = 0.7, 0.1, 0.08  # shares within error spans, before anything is learnt
PRIOR = 10.0  # the weight of these shares, in phonemes
ROUNDS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Sounds:
    """The costs (-log probabilities) of hearing each phoneme as each other, of none and for none.

    `symbols` are the phonemes of the rows and columns.
    """

    symbols: tuple[str, ...]
    substitution: Floats
    deletion: Floats
    insertion: Floats

    @classmethod
    def of_features(cls, symbols: Sequence[str], alphabet: Alphabet) -> Sounds:
        """Return the sounds by articulatory features alone."""
        return cls.of_counts(symbols, *(np.zeros(0),) * 3, alphabet)

    @classmethod
    def of_counts(
        cls,
        symbols: Sequence[str],
        heard: Floats,
        missed: Floats,
        added: Floats,
        alphabet: Alphabet,
    ) -> Sounds:
        """Smooth counts of phonemes heard (said x heard), missed and added with the features."""
        size = len(symbols)
        weights = np.exp(-phoneme_distances(symbols, alphabet) / REACH)
        np.fill_diagonal(weights, 0.0)
        others = weights.sum(axis=1, keepdims=True)
        prior = (1 - SAME - MISSED) * weights / np.where(others > 0, others, 1.0)
        np.fill_diagonal(prior, SAME)
        if not len(heard):
            heard, missed, added = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        total = heard.sum(axis=1) + missed
        # What all phonemes have in common is learnt from all of them.
        overall = float(total.sum()) + PRIOR
        same = (float(np.trace(heard)) + PRIOR * SAME) / overall
        gone = (float(missed.sum()) + PRIOR * MISSED) / overall
        off = prior.copy()
        np.fill_diagonal(off, 0.0)
        off *= (1 - same - gone) / (1 - SAME - MISSED)
        np.fill_diagonal(off, same)
        denominator = total + PRIOR
        probability = (heard + PRIOR * off) / denominator[:, None]
        deletion = (missed + PRIOR * gone) / denominator
        often = (float(added.sum()) + PRIOR * ADDED) / overall
        share = (added + PRIOR / size) / (added.sum() + PRIOR)
        return cls(
            tuple(symbols),
            -np.log(np.maximum(probability, 1e-7)),
            -np.log(np.maximum(deletion, 1e-7)),
            -np.log(np.maximum(often * share, 1e-7)),
        )


def learn_sounds(
    symbols: Sequence[str], alphabet: Alphabet, said: list[Ints], heard: list[Ints]
) -> tuple[Floats, Floats, Floats]:
    """Return the counts of phonemes heard (said x heard), missed and added in pairs of spans."""
    size = len(symbols)
    sounds = Sounds.of_features(symbols, alphabet)
    sides = [_tokens(rows, symbols) for rows in (said, heard)]
    pairs = np.stack([np.arange(len(said))] * 2, axis=1)
    counts = np.zeros((size, size)), np.zeros(size), np.zeros(size)
    for _ in range(ROUNDS):
        costs = Costs.table(sounds.substitution, sounds.insertion, sounds.deletion)
        table = steps(align(*sides, costs=costs), sides[0], sides[1], pairs)
        both = (table.ops == Op.HIT) | (table.ops == Op.SUBSTITUTION)
        keys = table.reference[both] * size + table.hypothesis[both]
        missed = table.reference[table.ops == Op.DELETION]
        added = table.hypothesis[table.ops == Op.INSERTION]
        counts = (
            np.bincount(keys, minlength=size * size).reshape(size, size).astype(np.float64),
            np.bincount(missed, minlength=size).astype(np.float64),
            np.bincount(added, minlength=size).astype(np.float64),
        )
        sounds = Sounds.of_counts(symbols, *counts, alphabet)
    return counts


def _tokens(rows: list[Ints], symbols: Sequence[str]) -> Tokens:
    ids = np.concatenate([np.zeros(0, np.int64), *rows]).astype(np.int32)
    return Tokens(ids, offsets_of([len(row) for row in rows]), list(symbols))
