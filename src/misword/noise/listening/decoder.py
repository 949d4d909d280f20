"""The decoder: which words are heard in a stretch of phonemes (`native/listening.c`)."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.native.library import INTEGER, SINGLE, array, kernel, procedure
from misword.noise.arrays import Ints
from misword.noise.listening.lexicon import Lexicon, PronunciationTree
from misword.noise.listening.ngrams import NgramTables
from misword.noise.listening.sounds import Sounds

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
