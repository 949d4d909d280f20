"""The corpus of the benchmarks: words by Zipf's law, a fixed seed, about 15 % word errors."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

PAIRS, WORDS, VOCABULARY = 100_000, 20, 30_000


def make(pairs: int = PAIRS, words: int = WORDS, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return references and hypotheses: 10 % substitutions, 2.5 % deletions, 2.5 % insertions."""
    rng = np.random.default_rng(seed)
    names = _names(rng)
    rank = np.arange(1, VOCABULARY + 1)
    probabilities = 1 / rank / (1 / rank).sum()
    lengths = rng.poisson(words - 1, pairs) + 1
    reference = rng.choice(VOCABULARY, lengths.sum(), p=probabilities)
    refs = _join(names, reference, lengths)
    error = rng.random(len(reference))  # decides the error of each word
    others = rng.choice(VOCABULARY, len(reference), p=probabilities)
    hypothesis = np.where(error < 0.10, others, reference)
    times = np.ones(len(reference), np.int64)  # 0 for a deletion, 2 for an insertion
    times[(error >= 0.10) & (error < 0.125)] = 0
    times[(error >= 0.125) & (error < 0.15)] = 2
    row = np.repeat(np.arange(pairs), lengths)
    hypothesis = np.repeat(hypothesis, times)
    inserted = np.r_[False, np.diff(np.repeat(np.arange(len(reference)), times)) == 0]
    hypothesis[inserted] = rng.choice(VOCABULARY, int(inserted.sum()), p=probabilities)
    return refs, _join(names, hypothesis, np.bincount(np.repeat(row, times), minlength=pairs))


def _names(rng: np.random.Generator) -> np.ndarray:
    """Return distinct words whose length grows with their rank, as in real vocabularies."""
    letters = np.array(list("etaoinshrdlcumwfgypbvkjxqz"))
    probabilities = np.arange(27, 1, -1) / np.arange(27, 1, -1).sum()
    names: dict[str, None] = {}
    while len(names) < VOCABULARY:
        size = 2 + int(rng.poisson(min(1 + len(names) ** 0.18, 6)))
        names["".join(rng.choice(letters, size, p=probabilities))] = None
    return np.array(list(names), dtype=object)


def _join(names: np.ndarray, ids: np.ndarray, lengths: np.ndarray) -> list[str]:
    """Return texts of words, given the number of words of each text."""
    words = names[ids].tolist()
    edges = np.concatenate([[0], np.cumsum(lengths)]).tolist()
    return [" ".join(words[a:b]) for a, b in pairwise(edges)]


# Shapes of corpora: the references of `make` with other hypotheses.

Sides = tuple[list[str], list[str]]


def numbered_words(pairs: int = PAIRS) -> Sides:
    """Return the corpus with words like w123 in place of its words."""
    numbers: dict[str, str] = {}

    def rewritten(texts: list[str]) -> list[str]:
        return [
            " ".join([numbers.setdefault(word, f"w{len(numbers)}") for word in text.split()])
            for text in texts
        ]

    refs, hyps = make(pairs)
    return rewritten(refs), rewritten(hyps)


def all_wrong(pairs: int = PAIRS) -> Sides:
    """Return hypotheses in which each word is another word."""
    refs, _ = make(pairs)
    return refs, [" ".join([f"{word}x" for word in text.split()]) for text in refs]


def slipped(pairs: int = PAIRS) -> Sides:
    """Return hypotheses that are one line late from the middle on."""
    refs, hyps = make(pairs)
    return refs, [*hyps[: pairs // 2], "", *hyps[pairs // 2 : -1]]


def one_word_repeated(pairs: int = PAIRS) -> Sides:
    """Return hypotheses that repeat the first word of the reference."""
    refs, _ = make(pairs)
    return refs, [" ".join(text.split()[:1] * len(text.split())) for text in refs]


def additional_words(pairs: int = PAIRS) -> Sides:
    """Return hypotheses with 20 more words."""
    refs, hyps = make(pairs)
    more, _ = make(pairs, seed=3)
    return refs, [f"{hyp} {' '.join((text.split() * 20)[:20])}" for hyp, text in
                  zip(hyps, more, strict=True)]  # fmt: skip


SHAPES = {
    "words like w123": numbered_words,
    "all words wrong": all_wrong,
    "slipped by one line from the middle": slipped,
    "one word repeated": one_word_repeated,
    "20 additional words": additional_words,
}
