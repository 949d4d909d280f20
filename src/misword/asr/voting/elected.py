"""The elected text of each utterance, from the texts of its transcripts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from misword.alignment.word_networks import word_networks
from misword.asr.voting.vote import Ballots, Vote
from misword.core.types import Offsets, Tokens
from misword.text.texts import Texts
from misword.text.tokens import decode_words, encode_words


def elected_texts(
    transcripts: Texts,
    utterance_at: Offsets,
    vote: Vote,
    confidences: Sequence[float] | NDArray[np.float64] | None = None,
    workers: int | None = None,
) -> list[str]:
    """Return the text that the transcripts of each utterance elect.

    The transcripts of utterance `u` are the rows `utterance_at[u]` to `utterance_at[u + 1] - 1`.
    `confidences` has a number for each word of all transcripts.

    >>> texts = Texts.of(["the cat sat", "a cat sat", "the cat sad"])
    >>> elected_texts(texts, np.array([0, 3]), Vote())
    ['the cat sat']
    """
    words = encode_words([transcripts])[0]
    networks = word_networks(words, utterance_at, workers)
    # Single precision, as in rover: a confidence may equal that of no word there or here only.
    values = None if confidences is None else np.asarray(confidences, np.float32).astype(float)
    won: Tokens = Ballots(words, utterance_at, networks, values).elect(vote)
    return decode_words(won).split()
