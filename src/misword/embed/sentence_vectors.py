"""Sentence vectors of an encoder, read from the cache if the context enables it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from misword.core.context import Context
from misword.embed.encoders import Encoder
from misword.embed.sentence_cache import SentenceCache, encode_missing
from misword.embed.similarity import SentenceVectors


def sentence_vectors(
    encoder: Encoder,
    texts: Sequence[str],
    corpus: Sequence[str],
    context: Context,
    sums: Sequence[Any] | None = None,
) -> SentenceVectors:
    """Return one vector for each of several distinct texts; the encoder is fitted on `corpus`.

    `sums` are those of the passes over a larger corpus (`embed.fitting`), to which the encoder is
    then fitted. If the context has a cache and the encoder is slow, vectors are read from the
    cache, and new ones are stored there. The key is the encoder's settings, which decide its
    vectors.
    """
    encode = encoder.fit(corpus, context) if sums is None else encoder.fit_to(sums, context)
    if not (context.cache and encoder.slow and len(texts)):
        return encode(texts)
    cache = SentenceCache(repr(encoder.settings(context)))
    return np.stack(encode_missing(cache, texts, lambda missing: [*encode(missing)], "encoding"))
