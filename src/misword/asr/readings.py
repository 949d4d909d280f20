"""The reading of each reference that is compared with each hypothesis.

A reference with alternatives, or with forms that have equivalents, has several readings. For each
hypothesis, the reading with the fewest word errors is chosen (`alignment/lattice.py`), and every
metric uses that reading as the reference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.alignment import lattice
from misword.alignment.blocks import WrittenReferences
from misword.alignment.lattice import Forms
from misword.asr.alternatives import Signs
from misword.asr.equivalents import NOTHING, Equivalents
from misword.core.types import Tokens
from misword.text.normalizers import Chain, normalize
from misword.text.texts import Texts
from misword.text.tokens import decode_words, encode_words


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """The references followed by the readings that were chosen, each once.

    Pair `p` is the text in row `index[p, 0]` and the hypothesis in row `index[p, 1]`. `originals`
    computes a text for each reference that does not depend on any hypothesis: its reading for an
    empty hypothesis if it has alternatives. Few metrics need it.
    """

    texts: Texts
    index: NDArray[np.int64]
    originals: Callable[[], list[str]]


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
    chosen, words = lattice.choose_readings(written, forms, heard, index, workers)
    texts = decode_words(words).data.split(b"\0") if len(words) else []
    numbers: dict[bytes, int] = {}
    rows = [numbers.setdefault(text, len(numbers)) for text in texts]
    index = index.copy()
    index[chosen, 0] = references.rows + np.array(rows, np.int64)

    def originals() -> list[str]:
        several = np.flatnonzero(np.diff(signs.offsets))
        empty = np.full_like(several, len(heard) - 1)
        pairs = np.stack([several, empty], axis=1)
        chosen, words = lattice.choose_readings(written, forms, heard, pairs, workers)
        texts = references.split()
        for row, text in zip(several[chosen].tolist(), decode_words(words).split(), strict=True):
            texts[row] = text
        return texts

    return Readings(_append(references, list(numbers)), index, originals)


def _append(texts: Texts, rows: list[bytes]) -> Texts:
    """Return the texts with further rows."""
    return Texts(b"\0".join([texts.data, *rows] if texts.rows else rows), texts.rows + len(rows))


def _encode(
    references: Texts, hypotheses: Texts, signs: Signs, equivalents: Equivalents, chain: Chain
) -> tuple[WrittenReferences, Forms, Tokens]:
    """Return the words of the references, of the equivalents, and of the hypotheses.

    An empty hypothesis follows the others. All words are ids of one vocabulary.
    """
    segments = signs.segments if len(signs) else Texts.of([])
    raw = encode_words([Texts.of([NOTHING]), segments])[1]  # word 0 is NOTHING
    # The words of references with alternatives are normalised one by one, each distinct word once.
    numbers = np.arange(len(raw.vocabulary) + 1)
    distinct = decode_words(Tokens(numbers[:-1].astype(np.int32), numbers, raw.vocabulary))
    normal = normalize(_append(distinct, [b""]), chain)
    forms = Texts.of(" ".join(form) for forms in equivalents.classes for form in forms)
    columns = [references, normal, forms, _append(hypotheses, [b""])]
    plain, normal_words, form_words, heard = encode_words(columns)
    class_at = np.cumsum([0, *map(len, equivalents.classes)], dtype=np.int64)
    return _written(plain, raw, normal_words, signs), Forms(form_words, class_at), heard


def _written(plain: Tokens, raw: Tokens, normal: Tokens, signs: Signs) -> WrittenReferences:
    """Return the words and signs of the references.

    `plain` has the words of the references without alternatives; `raw` has the words of the others
    before normalisation, by segments. Row `w` of `normal` has the normalised words of word `w` of
    `raw`; its last row has none.
    """
    rows = np.arange(len(plain))
    if not len(signs):
        return WrittenReferences(plain, rows, signs.kinds, signs.offsets)
    omitted = np.repeat(signs.depths > 0, raw.lengths) & (raw.ids == 0)  # NOTHING in a group
    words = normal.take(np.where(omitted, len(normal) - 1, raw.ids))
    ids = np.concatenate([plain.ids, words.ids])
    offsets = np.concatenate([plain.offsets, len(plain.ids) + words.offsets[raw.offsets][1:]])
    first = np.where(np.diff(signs.offsets) > 0, len(plain) + signs.offsets[:-1] + rows, rows)
    segments = Tokens(ids, offsets, plain.vocabulary)
    return WrittenReferences(segments, first, signs.kinds, signs.offsets)
