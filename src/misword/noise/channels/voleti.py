"""The channel `voleti`: words are substituted by words that are near in meaning and in sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.parts import Settings, options_of
from misword.core.progress import progress
from misword.embed.vectors.neighbors import blocks, nearest, unit_rows
from misword.embed.vectors.words import WordVectors, check_word_vectors, word_vectors
from misword.noise.arrays import Floats, Ints
from misword.noise.channels import Channel
from misword.noise.channels.model_cache import cached_error_model
from misword.noise.error_model import ErrorModel
from misword.noise.phonology import (
    Edits,
    Kernel,
    Neighbours,
    Phonology,
    Pronunciations,
    candidate_table,
    concatenate,
    distance_probabilities,
    zipf,
)
from misword.noise.wordlists import check_numbers, is_word, number_words

BLOCK = 1024  # words whose neighbours are in memory at a time

UnitVectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Voleti(Channel):
    """Algorithm 1 of Voleti et al.: of the words nearest in meaning those nearest in sound.

    The candidates of a word are among the `n` words with the greatest cosine. Words whose
    phonological distance d is above `threshold` are left out, and of the rest the `most` nearest in
    sound are taken (0: all). The probability of a candidate falls with d: it is proportional to
    exp(-d^2 / (2 sigma^2)) with `kernel=gaussian`, as in the authors' notebook and in their
    example, and to exp(-d / sigma^2) with `kernel=paper`, as in their equation 1. Sigma is the mean
    d of the candidates.

    Candidates are among the first `size` words of the vectors' file (in most files the most
    frequent ones), in lower case and of letters only. `phonemizer` names a part, `auto` is the
    default one of the language; with `edits=single` all features cost the same.

    Known problems: words that sound alike but differ in meaning (`wreck a nice` for `recognise`)
    are never candidates; antonyms and inflected forms often are. Words without a vector or without
    phonemes are not changed. A homophone has no special place among the candidates, though a
    recogniser cannot hear the difference.

    Example: `misword corrupt text.txt --wer 0.3 --lang en --vectors glove.txt -o noisy.txt`
    Reference: R. Voleti et al., Investigating the effects of word substitution errors on sentence
    embeddings, ICASSP 2019.
    """

    name: ClassVar[str] = "voleti"
    title: ClassVar[str] = "Voleti substitutions"
    family: ClassVar[str] = "semantics"
    cites: ClassVar[tuple[str, ...]] = ("voleti2019",)
    needs: ClassVar[tuple[str, ...]] = ("vectors",)
    uses: ClassVar[tuple[str, ...]] = ("lang",)

    n: int = 1000
    threshold: float = 60.0
    kernel: Kernel = "gaussian"
    most: int = 15
    size: int = 30_000
    phonemizer: str = "auto"
    edits: Edits = "features"

    def check(self, context: Context) -> None:
        """Raise an error if an option is out of range, or phonemizer or vectors are missing."""
        check_numbers(n=self.n, size=self.size, threshold=self.threshold, most=self.most)
        self._phonology(context).check()
        check_word_vectors(context)

    def settings(self, context: Context) -> Settings:
        """The options, the phonemizer, the features and the vectors."""
        spelled_out = ("phonemizer", "edits")
        own = tuple(pair for pair in options_of(self) if pair[0] not in spelled_out)
        phonology = self._phonology(context).settings
        return ("channel", self.name), *own, *phonology, *word_vectors(context).settings

    def error_model(self, words: Sequence[str], context: Context) -> ErrorModel:
        """Return the model of the words, from the cache if it is there."""
        settings = *self.settings(context), ("digest", word_vectors(context).digest)
        return cached_error_model(words, settings, lambda ordered: self._build(ordered, context))

    def _phonology(self, context: Context) -> Phonology:
        return Phonology(context.language(""), self.phonemizer, self.edits)

    def _build(self, words: list[str], context: Context) -> ErrorModel:
        """Run Algorithm 1 of the paper up to line 11, the probabilities of the candidates."""
        vectors = word_vectors(context)
        vector_rows = candidate_words(vectors, self.size)
        vocabulary = list(vector_rows)
        all_words, numbers = number_words(words, vocabulary)
        # Lines 2, 3 and 6: words with a vector and with phonemes.
        sounds = self._phonology(context).pronounce(all_words)
        listed = vectors.rows(np.array(list(vector_rows.values()), np.int64))
        parts = unit_rows(listed), vectors.units(all_words[len(vocabulary) :])
        units, known = (np.concatenate(part) for part in zip(*parts, strict=True))
        usable = sounds.has_distances & known
        space = WordSpace(units, sounds, np.flatnonzero(usable[: len(vocabulary)]))
        rows = np.flatnonzero(np.append(usable, False)[numbers])
        neighbour_blocks = self._neighbours(space, rows, numbers[rows], context.workers)
        neighbours = concatenate([*neighbour_blocks], self._width)
        # Line 11: P_subs, equation 1.
        probability = distance_probabilities(neighbours.phonological, self.kernel)
        candidates = candidate_table(words, vocabulary, neighbours, probability)
        return ErrorModel.unweighted(candidates, zipf(candidates.vocabulary, vocabulary))

    @property
    def _width(self) -> int:
        """The greatest number of candidates of a word."""
        return min(self.most or self.n, self.n)

    def _neighbours(
        self,
        space: WordSpace,
        rows: Ints,
        numbers: Ints,
        workers: int | None,
    ) -> Iterator[Neighbours]:
        """Run lines 4 to 9 of Algorithm 1, for a block of words at a time."""
        targets = space.units[space.among]
        with progress("finding candidates", len(rows)) as step:
            for start in range(0, len(rows), BLOCK):
                words = numbers[start : start + BLOCK]
                # Line 5: the N most similar words by d^S, and one more as the word itself is there.
                near, _ = nearest(space.units[words], blocks(targets), self.n + 1, workers)
                ids = space.among[near]
                # Line 8: the phonological distance d^P to each of them.
                pairs = np.stack([np.repeat(words, ids.shape[1]), ids.ravel()], axis=1)
                sound = space.sounds.distances(pairs, workers).reshape(ids.shape)
                # Line 9: those within the threshold, the nearest first.
                own = ids == words[:, None]
                sound[own | (sound > self.threshold)] = np.inf
                sound[~own.any(axis=1), self.n :] = np.inf
                order = np.argsort(sound, axis=1, kind="stable")[:, : self._width]
                ids, sound = np.take_along_axis(ids, order, 1), np.take_along_axis(sound, order, 1)
                meaning = semantic_distances(space.units, words, ids)
                yield Neighbours(rows[start : start + BLOCK], ids, sound, meaning)
                step(len(words))


@dataclass(frozen=True, slots=True, eq=False)
class WordSpace:
    """Unit vectors and pronunciations of words by number; `among` are the possible candidates."""

    units: UnitVectors
    sounds: Pronunciations
    among: Ints


def candidate_words(vectors: WordVectors, size: int) -> dict[str, int]:
    """Return the first `size` words of letters in lower case, with their rows in the vectors.

    Of several spellings of a word (`The`, `the`) the first one counts.

    >>> candidate_words(WordVectors.of(["The", "the", ",", "cat"], [[1], [2], [3], [4]]), 5)
    {'the': 0, 'cat': 3}
    """
    rows: dict[str, int] = {}
    for row, word in enumerate(vectors.words):
        if len(rows) == size:
            break
        if is_word(lower := word.lower()):
            rows.setdefault(lower, row)
    return rows


def semantic_distances(units: UnitVectors, words: Ints, ids: Ints) -> Floats:
    """Return d^S, one minus the cosine, of each word and its candidates, in double precision."""
    distances = np.empty(ids.shape)
    for row, unit, others in zip(distances, units[words].astype(np.float64), ids, strict=True):
        row[:] = 1.0 - units[others].astype(np.float64) @ unit
    return distances
