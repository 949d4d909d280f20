"""The benchmark's corpus: Zipf words, fixed seed, about 15 % word errors."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

PAIRS, WORDS, VOCABULARY = 100_000, 20, 30_000


def make(pairs: int = PAIRS, words: int = WORDS, seed: int = 0) -> tuple[list[str], list[str]]:
    """References and hypotheses: 10 % substitutions, 2.5 % deletions, 2.5 % insertions."""
    rng = np.random.default_rng(seed)
    names = _names(rng)
    rank = np.arange(1, VOCABULARY + 1)
    chances = 1 / rank / (1 / rank).sum()
    lengths = rng.poisson(words - 1, pairs) + 1
    said = rng.choice(VOCABULARY, lengths.sum(), p=chances)
    refs = _join(names, said, lengths)
    fate = rng.random(len(said))
    heard = np.where(fate < 0.10, rng.choice(VOCABULARY, len(said), p=chances), said)
    times = np.ones(len(said), np.int64)
    times[(fate >= 0.10) & (fate < 0.125)] = 0
    times[(fate >= 0.125) & (fate < 0.15)] = 2
    owner = np.repeat(np.arange(pairs), lengths)
    heard = np.repeat(heard, times)
    extra = np.r_[False, np.diff(np.repeat(np.arange(len(said)), times)) == 0]
    heard[extra] = rng.choice(VOCABULARY, int(extra.sum()), p=chances)
    return refs, _join(names, heard, np.bincount(np.repeat(owner, times), minlength=pairs))


def _names(rng: np.random.Generator) -> np.ndarray:
    """Distinct words whose length grows with their rank, as in real vocabularies."""
    letters = np.array(list("etaoinshrdlcumwfgypbvkjxqz"))
    chances = np.arange(27, 1, -1) / np.arange(27, 1, -1).sum()
    names: dict[str, None] = {}
    while len(names) < VOCABULARY:
        size = 2 + int(rng.poisson(min(1 + len(names) ** 0.18, 6)))
        names["".join(rng.choice(letters, size, p=chances))] = None
    return np.array(list(names), dtype=object)


def _join(names: np.ndarray, ids: np.ndarray, lengths: np.ndarray) -> list[str]:
    words = names[ids].tolist()
    edges = np.concatenate([[0], np.cumsum(lengths)]).tolist()
    return [" ".join(words[a:b]) for a, b in pairwise(edges)]
