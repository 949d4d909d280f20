"""The decoder: which words are heard in a stretch of phonemes, over a tree of pronunciations."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Tokens
from misword.native.library import INTEGER, SINGLE, array, kernel, procedure
from misword.noise import wordlists
from misword.noise.arrays import Flags, Floats, Ints
from misword.noise.listening.models import NgramTables, Sounds
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
    def lengths(self) -> Ints:
        """The number of phonemes of each word."""
        return self.sounds.lengths

    @cached_property
    def pronounced(self) -> Flags:
        """Which words have phonemes."""
        flags: Flags = self.lengths > 0
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

    def with_written(self, words: Sequence[str]) -> Lexicon:
        """Return the vocabulary with further words, which are written but not decoded or said."""
        more = len(words)
        ends = np.full(more, self.sounds.offsets[-1], self.sounds.offsets.dtype)
        return Lexicon(
            [*self.words, *words],
            replace(self.sounds, offsets=np.concatenate([self.sounds.offsets, ends])),
            np.concatenate([self.frequency, np.zeros(more)]),
            np.concatenate([self.known, np.zeros(more, bool)]),
        )

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


# The decoder: which words are heard in a stretch of phonemes (`native/listening.c`).

HEARD_WORDS, SAID_WORDS = 12, 6  # MISWORD_HEARD_WORDS and MISWORD_SAID_WORDS in kernels.h
POINTER = ctypes.c_void_p
ARRAYS = {
    "substitution": np.float32,
    "deletion": np.float32,
    "insertion": np.float32,
    "first_child": np.int32,
    "symbol": np.int32,
    "word_at": np.int32,
    "words": np.int32,
    "ahead": np.float32,
    "unigram": np.float32,
    "backoff": np.float32,
    "keys": np.uint64,
    "scores": np.float32,
    "backoffs": np.float32,
    "letters": np.int32,
    "letter_at": np.int64,
}


class KernelListener(ctypes.Structure):
    """The model of the decoder: `misword_listener` in kernels.h, which describes the fields."""

    _fields_ = (
        ("symbols", INTEGER),
        ("substitution", POINTER),
        ("deletion", POINTER),
        ("insertion", POINTER),
        ("first_child", POINTER),
        ("symbol", POINTER),
        ("word_at", POINTER),
        ("words", POINTER),
        ("ahead", POINTER),
        ("unigram", POINTER),
        ("backoff", POINTER),
        ("keys", POINTER),
        ("scores", POINTER),
        ("backoffs", POINTER),
        ("slots", INTEGER),
        ("letters", POINTER),
        ("letter_at", POINTER),
        ("sound_weight", SINGLE),
        ("language_weight", SINGLE),
        ("word_cost", SINGLE),
        ("width", SINGLE),
        ("beam", INTEGER),
    )

    def __init__(self, arrays: dict[str, NDArray[Any]], **numbers: float) -> None:
        """Take the arrays of `ARRAYS` by name, and all other fields."""
        addresses = {
            name: array(dtype).from_param(arrays[name]).value for name, dtype in ARRAYS.items()
        }
        super().__init__(**addresses, **numbers)
        self.arrays = arrays  # the structure has their addresses only: keeps them in memory


_listen = kernel(
    "misword_listen", ctypes.POINTER(KernelListener), array(np.int32), array(np.int64),
    array(np.int32), array(np.int32), array(np.int32), INTEGER, INTEGER, INTEGER,
    array(np.int32, out=True), array(np.int32, out=True), array(np.float32, out=True),
)  # fmt: skip
_ngram_costs = procedure(
    "misword_ngram_costs", ctypes.POINTER(KernelListener), array(np.int32), INTEGER,
    array(np.float32, out=True),
)  # fmt: skip


class Stretches(NamedTuple):
    """Stretches of said words: their phonemes, word ids, and the words around them.

    `original` has `SAID_WORDS` ids for each stretch, `around` three: two words before, one after.
    """

    phonemes: NDArray[np.int32]
    offsets: Ints
    original: NDArray[np.int32]
    around: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.around)


class Heard(NamedTuple):
    """The word sequences found for each stretch: their numbers, word ids, and costs.

    `words` has the axes stretch, sequence, place; `sound`, `language` and
    `spelling` stretch, sequence.
    """

    found: NDArray[np.int32]
    words: NDArray[np.int32]
    sound: NDArray[np.float32]
    language: NDArray[np.float32]
    spelling: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Search:
    """The weights of the parts of a cost, and the size of the beam."""

    sound: float = 1.0
    language: float = 0.6
    word: float = 0.0
    beam: int = 32
    width: float = 8.0
    most: int = 64  # word sequences of a stretch


@dataclass(frozen=True, eq=False)
class Decoder:
    """Finds the words that may be heard in stretches of phonemes."""

    lexicon: Lexicon
    ngrams: NgramTables
    sounds: Sounds
    search: Search

    @cached_property
    def tree(self) -> PronunciationTree:
        """The pronunciations."""
        return PronunciationTree.build(self.lexicon, self.ngrams.unigram)

    @cached_property
    def _model(self) -> KernelListener:
        sources: dict[str, Any] = {
            "substitution": self.sounds,
            "deletion": self.sounds,
            "insertion": self.sounds,
        }
        sources |= dict.fromkeys(("first_child", "symbol", "word_at", "words", "ahead"), self.tree)
        sources |= dict.fromkeys(("letters", "letter_at"), self.lexicon)
        arrays = {
            name: np.ascontiguousarray(getattr(sources.get(name, self.ngrams), name), dtype)
            for name, dtype in ARRAYS.items()
        }
        return KernelListener(
            arrays,
            symbols=len(self.sounds.symbols),
            slots=len(self.ngrams.keys),
            sound_weight=self.search.sound,
            language_weight=self.search.language,
            word_cost=self.search.word,
            width=self.search.width,
            beam=self.search.beam,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the addresses of arrays, which mean nothing in another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_model"}

    def hear(self, stretches: Stretches) -> Heard:
        """Return the best word sequences of each stretch, at most twice as many words as said."""
        size, most = len(stretches), self.search.most
        found = np.zeros(size, np.int32)
        words = np.full((size, most, HEARD_WORDS), -1, np.int32)
        terms = np.zeros((size, most, 3), np.float32)
        longest = np.minimum(2 * (stretches.original >= 0).sum(axis=1), HEARD_WORDS)
        _listen(
            self._model, stretches.phonemes, stretches.offsets, stretches.around,
            stretches.original, longest.astype(np.int32), 0, size, most, found, words, terms,
        )  # fmt: skip
        return Heard(found, words, terms[..., 0], terms[..., 1], terms[..., 2])

    def ngram_costs(self, triples: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the cost of the last word of each triple after the two others."""
        costs = np.zeros(len(triples), np.float32)
        _ngram_costs(self._model, np.ascontiguousarray(triples), len(triples), costs)
        return costs
