"""What a preset does to the rows of a corpus: leaves some out, rewrites pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from misword.asr.presets import Preset
from misword.core.context import Context
from misword.core.types import Corpus
from misword.text.normalizers import Chain, normalize
from misword.text.texts import Texts


def leave_out(preset: Preset, corpus: Corpus, chain: Chain) -> tuple[Corpus, tuple[str, ...]]:
    """Return the corpus without the utterances that a preset leaves out, and a note on them.

    The preset decides by the references after normalisation.
    """
    import polars as pl

    texts = normalize(Texts.of(corpus.references["text"]), chain).split()
    keeps = pl.Series(preset.keeps(texts), dtype=pl.Boolean)
    if keeps.all():
        return corpus, ()
    kept = corpus.references.filter(keeps)
    hypotheses = corpus.hypotheses.filter(pl.col("utt").is_in(kept["utt"].implode()))
    count = len(texts) - len(kept)
    note = f"{count:,} of {len(texts):,} utterances are left out, as by {preset.title}"
    return Corpus(kept, hypotheses), (note,)


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
