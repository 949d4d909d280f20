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


def better(references: list[str], hypotheses: list[str]) -> list[str]:
    """Return the hypotheses of another system: every third utterance has no error."""
    sides = zip(references, hypotheses, strict=True)
    return [hyp if number % 3 else ref for number, (ref, hyp) in enumerate(sides)]


def shapes(references: list[str], hypotheses: list[str]) -> dict[str, tuple[list[str], list[str]]]:
    """Return corpora of other shapes, made of this one: those that once were slow.

    The hypotheses are all wrong, those of the next line from the middle on, one word repeated, or
    have 20 words more; or the words of both sides are numbered names such as w123.
    """
    middle = len(references) // 2
    slipped = [*hypotheses[:middle], *hypotheses[middle + 1 :], hypotheses[middle]]
    known = {word for text in (*references, *hypotheses) for word in text.split()}
    names = {word: f"w{number}" for number, word in enumerate(sorted(known))}
    named = [[" ".join(map(names.__getitem__, t.split())) for t in side]
             for side in (references, hypotheses)]  # fmt: skip
    extra = " ".join(f"extra{number}" for number in range(20))
    wrong = ["".join(f"x{word} " for word in text.split()).rstrip() for text in references]
    loops = [" ".join([text.partition(" ")[0]] * len(text.split())) for text in references]
    return {
        "normal": (references, hypotheses),
        "words like w123": (named[0], named[1]),
        "all wrong": (references, wrong),
        "slipped by one line from the middle": (references, slipped),
        "one word repeated": (references, loops),
        "20 extra words each": (references, [f"{text} {extra}" for text in hypotheses]),
    }
