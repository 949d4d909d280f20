"""How alike an encoder finds noisy sentences: to their clean selves, and to each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.core.context import Context
from misword.embed.encoders import Encoder
from misword.embed.sentence_vectors import sentence_vectors
from misword.embed.similarity import SentenceVectors, pair_similarities
from misword.noise.robustness.trials import Ints, Trials

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """What an encoder says of trials.

    `own[level, trial]` is the mean similarity of a sentence with what was heard of it;
    `pairs[level, trial]` has the similarity of the two sentences of each pair, as heard.
    `unknown` clean sentences are zero to the encoder: like nothing but themselves; `partial` ones
    it does not take in whole.
    """

    own: Numbers
    pairs: Numbers
    unknown: int
    partial: int


def likeness(encoder: Encoder, trials: Trials, context: Context, *, refit: bool) -> Likeness:
    """Ask an encoder, fitted on the clean sentences, or with `refit` on each noisy corpus."""
    said = np.unique(trials.said)
    partial = encoder.partial(trials.written(said), context)
    own, pairs = np.empty(trials.heard.shape[:2]), np.empty(_pairs_shape(trials))
    learns = refit and encoder.fitted
    rows = _rows(encoder, trials.texts[: len(said)] if learns else trials.texts, trials, context)
    for level, trial in np.ndindex(own.shape):
        numbers, these = trials.heard[level, trial], rows
        if learns and level:
            numbers, these = _refitted(encoder, trials, numbers, rows, context)
        own[level, trial] = _alike(encoder, these, trials.said, numbers).mean()
        pairs[level, trial] = _alike(encoder, these, *np.split(numbers, 2))
    counted = np.bincount(trials.said, minlength=len(said))
    zero = np.count_nonzero(rows[: len(said)], axis=1) == 0
    return Likeness(own, pairs, int(counted[zero].sum()), int(counted[partial].sum()))


def _pairs_shape(trials: Trials) -> tuple[int, int, int]:
    levels, times, size = trials.heard.shape
    return levels, times, size // 2


def _rows(encoder: Encoder, texts: list[str], trials: Trials, context: Context) -> SentenceVectors:
    """Each distinct text once, the encoder fitted on the clean ones."""
    return sentence_vectors(encoder, texts, trials.corpus, context)


def _refitted(
    encoder: Encoder, trials: Trials, numbers: Ints, clean: SentenceVectors, context: Context
) -> tuple[Ints, SentenceVectors]:
    """Noisy sentences by an encoder that was fitted on them, their rows after the clean ones."""
    distinct, places = np.unique(numbers, return_inverse=True)
    encode = encoder.fit(trials.written(numbers), context)
    noisy = encode(trials.written(distinct))
    return places + len(clean), np.concatenate([clean, noisy])


def _alike(encoder: Encoder, rows: SentenceVectors, left: Ints, right: Ints) -> Numbers:
    """Similarities of pairs of rows; a row is like itself, even if it is zero."""
    found = np.ones(len(left))
    other = np.flatnonzero(left != right)
    alike = pair_similarities(encoder.similarity, rows, left[other], right[other])
    found[other] = np.minimum(alike, 1)
    return found
