"""What a preset does to the rows of a corpus: leaves some out, rewrites pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.asr.presets import Preset
from misword.core.context import Context
from misword.core.types import Corpus
from misword.text.texts import Texts


def leave_out(
    preset: Preset, corpus: Corpus, references: Texts
) -> tuple[Corpus, Texts, tuple[str, ...]]:
    """Return corpus and normalised references without the utterances that a preset leaves out.

    The third value is a note on their number.
    """
    import polars as pl

    texts = references.split()
    keeps = pl.Series(preset.keeps(texts), dtype=pl.Boolean)
    if keeps.all():
        return corpus, references, ()
    kept = corpus.references.filter(keeps)
    hypotheses = corpus.hypotheses.filter(pl.col("utt").is_in(kept["utt"].implode()))
    rest = Texts.of([text for text, keep in zip(texts, keeps, strict=True) if keep])
    count = len(texts) - len(kept)
    note = f"{count:,} of {len(texts):,} utterances are left out, as by {preset.title}"
    return Corpus(kept, hypotheses), rest, (note,)


def rewrite_pairs(
    preset: Preset,
    references: Texts,
    hypotheses: Texts,
    index: NDArray[np.int64],
    context: Context,
) -> tuple[Texts, Texts, NDArray[np.int64]]:
    """Return a reference and a hypothesis for each pair of `index`, as the preset compares them."""
    said, heard = references.split(), hypotheses.split()
    pairs = [preset.rewrite(said[row], heard[column], context) for row, column in index.tolist()]
    rows = np.arange(len(index))
    said, heard = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return Texts.of(said), Texts.of(heard), np.stack([rows, rows], axis=1)
