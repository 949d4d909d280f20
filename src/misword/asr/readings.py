"""The reading of each reference that is compared with each hypothesis.

A reference with alternatives, or with forms that have equivalents, has several readings. For each
hypothesis, the reading with the fewest word errors is chosen (`alignment/lattice.py`), and every
metric uses that reading as the reference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment import lattice
from misword.alignment.lattice import Forms, WrittenReferences
from misword.asr.alternatives import NOTHING, Equivalents, Signs
from misword.core.types import Tokens
from misword.text.normalizers import Chain, normalize
from misword.text.texts import SEPARATOR, Texts
from misword.text.tokens import decode_words, encode_words


class Readings(NamedTuple):
    """The references followed by the readings that were chosen, each once.

    Pair `p` is the text in row `index[p, 0]` and the hypothesis in row `index[p, 1]`. `originals`
    has the row of a text for each reference; `Pairs` says which.
    """

    texts: Texts
    index: NDArray[np.int64]
    originals: NDArray[np.int64]


def choose_readings(
    references: Texts,
    hypotheses: Texts,
    index: NDArray[np.int64],
    signs: Signs,
    equivalents: Equivalents,
    chain: Chain,
    workers: int | None,
) -> Readings:
    """Choose the reading with the fewest errors for each pair of `index`.

    `references` and `hypotheses` are normalised by `chain`; `signs` are those of the references
    before normalisation.
    """
    written, forms, heard = _encode(references, hypotheses, signs, equivalents, chain)
    # `originals` are the readings for the empty hypothesis at the end of `heard`.
    several = np.flatnonzero(np.diff(signs.offsets))
    empty = np.full_like(several, len(heard) - 1)
    pairs = np.concatenate([np.stack([several, empty], axis=1), index])
    chosen, words = lattice.choose_readings(written, forms, heard, pairs, workers)
    numbers: dict[str, int] = {}
    rows = [numbers.setdefault(text, len(numbers)) for text in decode_words(words).split()]
    pairs[chosen, 0] = references.rows + np.array(rows, np.int64)
    originals = np.arange(references.rows)
    originals[several] = pairs[: len(several), 0]
    return Readings(_append(references, list(numbers)), pairs[len(several) :], originals)


def _append(texts: Texts, rows: list[str]) -> Texts:
    """Return the texts with further rows."""
    parts = [texts.joined] if texts.rows else []
    return Texts.of_joined(SEPARATOR.join([*parts, *rows]), texts.rows + len(rows))


def _encode(
    references: Texts, hypotheses: Texts, signs: Signs, equivalents: Equivalents, chain: Chain
) -> tuple[WrittenReferences, Forms, Tokens]:
    """Return the words of the references, of the equivalents, and of the hypotheses.

    An empty hypothesis follows the others. All words are ids of one vocabulary.
    """
    # The words of references with alternatives are normalised one by one, each distinct word once.
    segments = encode_words([signs.segments if len(signs) else Texts.of([])])[0]
    distinct = normalize(Texts.of([*segments.vocabulary[:], ""]), chain)
    forms = Texts.of(" ".join(form) for forms in equivalents.classes for form in forms)
    columns = [references, distinct, forms, _append(hypotheses, [""])]
    plain, normal, form_words, heard = encode_words(columns)
    class_at = np.cumsum([0, *map(len, equivalents.classes)])
    return _written(plain, segments, normal, signs), Forms(form_words, class_at), heard


def _written(plain: Tokens, segments: Tokens, normal: Tokens, signs: Signs) -> WrittenReferences:
    """Return the words and signs of the references.

    `plain` has the words of the references without alternatives, `segments` the words of the others
    before normalisation, `normal` the normalised words of each word of these and, as its last row,
    no words.
    """
    rows = np.arange(len(plain))
    if not len(signs):
        return WrittenReferences(plain, rows, signs.kinds, signs.offsets)
    vocabulary = segments.vocabulary[:]
    nothing = vocabulary.index(NOTHING) if NOTHING in vocabulary else -1
    omitted = np.repeat(signs.depths > 0, segments.lengths) & (segments.ids == nothing)
    words = normal.take(np.where(omitted, len(normal) - 1, segments.ids))
    ids = np.concatenate([plain.ids, words.ids])
    offsets = np.concatenate([plain.offsets, len(plain.ids) + words.offsets[segments.offsets][1:]])
    first = np.where(np.diff(signs.offsets) > 0, len(plain) + signs.offsets[:-1] + rows, rows)
    return WrittenReferences(
        Tokens(ids, offsets, plain.vocabulary), first, signs.kinds, signs.offsets
    )
