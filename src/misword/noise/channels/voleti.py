"""Words that mean and sound alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.core.part import options_of
from misword.core.progress import progress
from misword.embed.vectors.neighbors import blocks, nearest
from misword.embed.vectors.opened import check_word_vectors, word_vectors
from misword.embed.vectors.words import WordVectors, unit_rows
from misword.noise.channels.candidate_table import (
    Kernel,
    Neighbours,
    check_numbers,
    joined,
    likelihood,
    table,
    zipf,
)
from misword.noise.channels.phonology import Edits, Phonology, Sounds
from misword.noise.channels.wordlists import is_word, numbered
from misword.noise.hearing import Hearing
from misword.noise.hearing_cache import kept

BLOCK = 1024  # said words whose neighbours are in memory at once

Units = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Voleti:
    """Algorithm 1 of Voleti et al.: of the words nearest in meaning those nearest in sound.

    Of the `n` words with the greatest cosine those are kept whose phonological distance d is at
    most `threshold`, and of these the `most` nearest in sound (0: all). A candidate's probability
    falls with d: exp(-d^2 / (2 sigma^2)) with `kernel=gaussian`, as the authors' notebook computes
    and their example shows, exp(-d / sigma^2) with `kernel=paper`, as their equation 1 says. Sigma
    is the mean d of the candidates.

    What is heard is one of the first `size` words of the vectors' file (by which most files mean
    the most frequent), in lower case and of letters only. `phonemizer` names a part, `auto` the
    language's usual; `edits=single` prices each feature alike.

    Known problems: what sounds alike but means something else (`wreck a nice` for `recognise`) is
    never heard; antonyms and inflected forms are, often. Words without a vector or without phonemes
    are left alone. A homophone is heard as one word like others, though no recogniser could tell.

    Example: `misword corrupt text.txt --wer 0.3 --lang en --vectors glove.txt -o noisy.txt`
    Reference: R. Voleti et al., Investigating the effects of word substitution errors on sentence
    embeddings, ICASSP 2019.
    """

    name: ClassVar[str] = "voleti"
    wants: ClassVar[str] = "vectors"
    heeds: ClassVar[tuple[str, ...]] = ("lang",)

    n: int = 1000
    threshold: float = 60.0
    kernel: Kernel = "gaussian"
    most: int = 15
    size: int = 30_000
    phonemizer: str = "auto"
    edits: Edits = "features"

    def check(self, context: Context) -> None:
        """There must be vectors, a language that can be said, and numbers that make sense."""
        check_numbers(n=self.n, size=self.size, threshold=self.threshold, most=self.most)
        self._phonology(context).check()
        check_word_vectors(context)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The options, the phonemizer, the features, the vectors."""
        named = ("phonemizer", "edits")
        own = tuple(pair for pair in options_of(self) if pair[0] not in named)
        said = self._phonology(context).settings
        return ("channel", self.name), *own, *said, *word_vectors(context).settings

    def hear(self, words: Sequence[str], context: Context) -> Hearing:
        """The candidates of each word, from the cache if they were made before."""
        deciding = *self.settings(context), ("digest", word_vectors(context).digest)
        return kept(words, deciding, lambda ordered: self._build(ordered, context))

    def _phonology(self, context: Context) -> Phonology:
        return Phonology(context.language(""), self.phonemizer, self.edits)

    def _build(self, words: list[str], context: Context) -> Hearing:
        vectors = word_vectors(context)
        places = vocabulary(vectors, self.size)
        heard = list(places)
        every, asked = numbered(words, heard)
        sounds = self._phonology(context).sounds(every)
        listed = vectors.rows(np.array(list(places.values()), np.int64))
        others, _ = vectors.units(every[len(heard) :])
        units = np.concatenate([unit_rows(listed), others])
        usable = sounds.known & (units != 0).any(axis=1)
        among = np.flatnonzero(usable[: len(heard)])
        rows = np.flatnonzero(np.append(usable, False)[asked])
        space = Space(units, sounds, among)
        found = joined([*self._listen(space, rows, asked[rows], context.workers)], self._width)
        candidates = table(words, heard, found, likelihood(found.sound, self.kernel))
        return Hearing.even(candidates, zipf(candidates.heard, heard))

    @property
    def _width(self) -> int:
        """Candidates that a word can have."""
        return min(self.most or self.n, self.n)

    def _listen(
        self,
        space: Space,
        rows: NDArray[np.int64],
        numbers: NDArray[np.int64],
        workers: int | None,
    ) -> Iterator[Neighbours]:
        """Steps 5 to 9, some words at a time."""
        targets = space.units[space.among]
        with progress("listening", len(rows)) as step:
            for lo in range(0, len(rows), BLOCK):
                said = numbers[lo : lo + BLOCK]
                # 5: the words most alike in meaning, one more since the word itself is among them
                near, _ = nearest(space.units[said], blocks(targets), self.n + 1, workers)
                ids = space.among[near]
                # 8: how far each is in sound
                pairs = np.stack([np.repeat(said, ids.shape[1]), ids.ravel()], axis=1)
                sound = space.sounds.between(pairs, workers).reshape(ids.shape)
                # 9: those within the threshold, the nearest first
                own = ids == said[:, None]
                sound[own | (sound > self.threshold)] = np.inf
                sound[~own.any(axis=1), self.n :] = np.inf
                order = np.argsort(sound, axis=1, kind="stable")[:, : self._width]
                ids, sound = np.take_along_axis(ids, order, 1), np.take_along_axis(sound, order, 1)
                meaning = apart(space.units, said, ids)
                yield Neighbours(rows[lo : lo + BLOCK], ids, sound, meaning)
                step(len(said))


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Words by number, in meaning and in sound, and those `among` them that can be heard."""

    units: Units
    sounds: Sounds
    among: NDArray[np.int64]


def vocabulary(vectors: WordVectors, size: int) -> dict[str, int]:
    """The first `size` words of letters in lower case, and their numbers; of spellings the first.

    >>> vocabulary(WordVectors.of(["The", "the", ",", "cat"], [[1], [2], [3], [4]]), 5)
    {'the': 0, 'cat': 3}
    """
    found: dict[str, int] = {}
    for number, word in enumerate(vectors.words):
        if len(found) == size:
            break
        if is_word(lower := word.lower()):
            found.setdefault(lower, number)
    return found


def apart(units: Units, said: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """One minus the cosine of each said word with its candidates, in double precision."""
    found = np.empty(ids.shape)
    for row, one, others in zip(found, units[said].astype(np.float64), ids, strict=True):
        row[:] = 1.0 - units[others].astype(np.float64) @ one
    return found
