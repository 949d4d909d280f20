"""Similarities of noisy sentences under an encoder: with their clean forms, and within pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.core.context import Context
from misword.embed.encoders import Encoder
from misword.embed.sentence_vectors import sentence_vectors
from misword.embed.similarity import SentenceVectors, pair_similarities
from misword.noise.arrays import Floats, Ints
from misword.noise.robustness.trials import Trials


@dataclass(frozen=True, slots=True, eq=False)
class NoisySimilarities:
    """The similarities of the sentences of all trials under one encoder.

    `with_clean[level, trial]` is the mean similarity of the noisy sentences with their clean forms.
    `within_pairs[level, trial]` has the similarity of the two noisy sentences of each pair.
    `unknown` clean sentences have a zero vector: they are similar to nothing but themselves.
    `partial` clean sentences are encoded in part only.
    """

    with_clean: Floats
    within_pairs: Floats
    unknown: int
    partial: int


def noisy_similarities(
    encoder: Encoder, trials: Trials, context: Context, *, refit: bool
) -> NoisySimilarities:
    """Compute the similarities of all trials.

    The encoder is fitted on the clean sentences, or with `refit` on the sentences of each trial.
    """
    distinct = np.unique(trials.clean)
    partial = encoder.partial(trials.texts_of(distinct), context)
    levels, times, size = trials.sentences.shape
    with_clean = np.empty((levels, times))
    within_pairs = np.empty((levels, times, size // 2))
    refits = refit and encoder.fitted
    texts = trials.texts[: len(distinct)] if refits else trials.texts
    clean_fit = _encode(encoder, texts, trials, context)
    for level, trial in np.ndindex(with_clean.shape):
        numbers, rows = trials.sentences[level, trial], clean_fit
        if refits and level:
            numbers, rows = _refit(encoder, trials, numbers, clean_fit, context)
        with_clean[level, trial] = _similarities(encoder, rows, trials.clean, numbers).mean()
        within_pairs[level, trial] = _similarities(encoder, rows, *np.split(numbers, 2))
    occurrences = np.bincount(trials.clean, minlength=len(distinct))
    zero = np.count_nonzero(clean_fit[: len(distinct)], axis=1) == 0
    return NoisySimilarities(
        with_clean, within_pairs, int(occurrences[zero].sum()), int(occurrences[partial].sum())
    )


def _encode(
    encoder: Encoder, texts: list[str], trials: Trials, context: Context
) -> SentenceVectors:
    """Return the vectors of texts by the encoder fitted on the clean sentences."""
    return sentence_vectors(encoder, texts, trials.clean_texts, context)


def _refit(
    encoder: Encoder, trials: Trials, numbers: Ints, clean_fit: SentenceVectors, context: Context
) -> tuple[Ints, SentenceVectors]:
    """Return the sentences of a trial encoded by an encoder that is fitted on them.

    Their vectors come after the clean ones; the first result has their row numbers.
    """
    distinct, places = np.unique(numbers, return_inverse=True)
    encode = encoder.fit(trials.texts_of(numbers), context)
    noisy = encode(trials.texts_of(distinct))
    return places + len(clean_fit), np.concatenate([clean_fit, noisy])


def _similarities(encoder: Encoder, rows: SentenceVectors, left: Ints, right: Ints) -> Floats:
    """Return the similarity of each pair of rows; 1 for a row with itself, even if it is zero."""
    similarities = np.ones(len(left))
    differ = np.flatnonzero(left != right)
    values = pair_similarities(encoder.similarity, rows, left[differ], right[differ])
    similarities[differ] = np.minimum(values, 1)
    return similarities
