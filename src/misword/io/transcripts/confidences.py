"""Confidences of the words of hypotheses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from misword.core.types import Corpus
from misword.io.transcripts.pairing import Transcript

CONFIDENCES = "confidences"


def with_confidences(corpus: Corpus, systems: Mapping[str, Transcript]) -> Corpus:
    """Return the corpus with a list of numbers for each hypothesis, if a transcript has some."""
    import polars as pl

    frames = [
        side.numbered.select("utt", CONFIDENCES, pl.lit(name).alias("system"))
        for name, side in systems.items()
        if CONFIDENCES in side.frame.columns
    ]
    if not frames:
        return corpus
    joined = corpus.hypotheses.join(
        pl.concat(frames), on=["utt", "system"], how="left", maintain_order="left"
    )
    return replace(corpus, hypotheses=joined)
