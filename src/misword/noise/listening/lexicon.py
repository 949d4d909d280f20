"""Words with their pronunciations, as a tree of phonemes for the decoder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Tokens
from misword.noise import wordlists
from misword.noise.arrays import Flags, Floats, Ints
from misword.noise.phonology import Phonology, Pronunciations
from misword.text.features import feature_table
from misword.text.tokens import encode_lists

JOINERS = re.compile("[-'’]")
MOST_PHONEMES = 40  # of a word in the tree: longer "words" are no words


@dataclass(frozen=True, eq=False)
class Lexicon:
    """A vocabulary: words, phonemes, and the share of each word in the language.

    `known` words can be heard: those of the word list and of the recogniser. Other words are only
    said.
    """

    words: list[str]
    sounds: Tokens
    frequency: Floats
    known: Flags

    @classmethod
    def build(
        cls,
        phonology: Phonology,
        listed: Sequence[str],
        shares: Mapping[str, float],
        heard: Iterable[str],
        said: Iterable[str],
    ) -> Lexicon:
        """Pronounce all words that are words (`wordlists.is_word`); `listed` ones come first."""
        words = dict.fromkeys(word for word in listed if wordlists.is_word(word))
        words |= dict.fromkeys(sorted(word for word in set(heard) if wordlists.is_word(word)))
        known = len(words)
        words |= dict.fromkeys(sorted(word for word in set(said) if wordlists.is_word(word)))
        names = list(words)
        spoken = _pronounced(phonology, tuple(listed))
        others = [name for name in names if name not in spoken]
        spoken = spoken | dict(zip(others, phonology.part.phonemes(others), strict=True))
        tokens = encode_lists([spoken[name] for name in names])
        sounds = Pronunciations(tokens, feature_table(tokens.vocabulary, phonology.part.alphabet))
        frequency = np.array([share_of(word, shares) for word in names])
        usable = sounds.has_distances & (sounds.tokens.lengths <= MOST_PHONEMES)
        return cls(names, sounds.tokens, frequency, usable & (np.arange(len(names)) < known))

    @cached_property
    def ids(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def pronounced(self) -> Flags:
        """Which words have phonemes."""
        flags: Flags = self.sounds.lengths > 0
        return flags

    @property
    def symbols(self) -> tuple[str, ...]:
        """The phonemes."""
        return tuple(self.sounds.vocabulary[:])

    @cached_property
    def letters(self) -> NDArray[np.int32]:
        """The characters of all words, one word after the other."""
        return np.frombuffer("".join(self.words).encode("utf-32-le"), np.int32)

    @cached_property
    def letter_at(self) -> Ints:
        """Where the characters of each word begin."""
        return np.concatenate([[0], np.cumsum([len(word) for word in self.words])]).astype(np.int64)

    def phonemes(self, word: int) -> Ints:
        """Return the phonemes of a word."""
        offsets = self.sounds.offsets
        return self.sounds.ids[offsets[word] : offsets[word + 1]].astype(np.int64)


@lru_cache(maxsize=2)
def _pronounced(phonology: Phonology, words: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the phonemes of the words of a list; the last lists are remembered."""
    return dict(zip(words, phonology.part.phonemes(words), strict=True))


def share_of(word: str, shares: Mapping[str, float]) -> float:
    """Return the relative frequency of a word; that of its parts if a joiner divides it.

    >>> share_of("l'", {"l": 0.1}), share_of("a-b", {"a": 0.1, "b": 0.1})
    (0.1, 0.05)
    """
    if (share := shares.get(word)) is not None:
        return share
    parts = [shares.get(part, 0.0) for part in JOINERS.split(word) if part]
    return 1 / sum(1 / part for part in parts) if parts and all(parts) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class PronunciationTree:
    """The tree of pronunciations; the arrays are those of `misword_listener` in `kernels.h`."""

    first_child: NDArray[np.int32]
    symbol: NDArray[np.int32]
    word_at: NDArray[np.int32]
    words: NDArray[np.int32]
    ahead: NDArray[np.float32]

    @classmethod
    def build(cls, lexicon: Lexicon, unigram: NDArray[np.float32]) -> PronunciationTree:
        """Make the tree level by level, so that the children of a node have adjacent numbers."""
        words = np.flatnonzero(lexicon.known)
        lengths = lexicon.sounds.lengths[words]
        starts = lexicon.sounds.offsets[:-1][words]
        node = np.zeros(len(words), np.int64)
        symbols, parents = [np.zeros(1, np.int64)], [np.full(1, -1)]
        count, size = 1, len(lexicon.symbols)
        for depth in range(int(lengths.max(initial=0))):
            going = np.flatnonzero(lengths > depth)
            symbol = lexicon.sounds.ids[starts[going] + depth].astype(np.int64)
            keys, places = np.unique(node[going] * size + symbol, return_inverse=True)
            node[going] = count + places
            symbols.append(keys % size)
            parents.append(keys // size)
            count += len(keys)
        parent = np.concatenate(parents)
        order = np.argsort(node, kind="stable")
        ahead = np.full(count, np.inf)
        np.minimum.at(ahead, node, unigram[words].astype(np.float64))
        for child in range(count - 1, 0, -1):
            ahead[parent[child]] = min(ahead[parent[child]], ahead[child])
        return cls(
            np.searchsorted(parent[1:], np.arange(count + 1)).astype(np.int32) + np.int32(1),
            np.concatenate(symbols).astype(np.int32),
            np.searchsorted(node[order], np.arange(count + 1)).astype(np.int32),
            words[order].astype(np.int32),
            np.where(np.isfinite(ahead), ahead, 30.0).astype(np.float32),
        )
