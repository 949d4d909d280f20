"""What follows from the authors' published files: Tables 5 and 7 to 10, development set."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import polars as pl

import misword
from misword.asr.nbest.tune_systems import SystemTuning
from misword.core.types import Corpus
from misword.stat.bootstrap import widened
from studies.common.data import read_lines, shared
from studies.le2016.published import METRICS
from studies.le2016.translated import SPECS, Translations

BLOCK = 100
SCALES = range(1, 21)
FILES = {"rank 1": "1best", "wer": "oracle_WER", "wer-e": "oracle_WER-E", "wer-s": "oracle_WER-S"}


class PublishedOutputs:
    """The files of the corpus WCE-SLT-LIG: transcripts, translations, post-editions.

    `bootstrap` is the number of resamples of all intervals.
    """

    def __init__(self, bootstrap: int = 1000) -> None:
        self.bootstrap = bootstrap
        self.folder = shared("wce-dev")
        self.vectors = shared("vectors/fr.vec.gz")
        self.post_editions = read_lines(self.folder / "post-edition.en")

    def corpus(self, *scales: int) -> Corpus:
        """Return the outputs of the recogniser with some language model scales."""
        files = [self.folder / "hyp" / f"scale_{scale:02}.fr" for scale in scales]
        return misword.read_corpus(self.folder / "ref.fr", files)[0]

    def translation(self, name: str) -> list[str]:
        """Return a file of translations."""
        return read_lines(self.folder / "slt" / f"{name}.en")

    def oracle_translations(self, scores: tuple[str, ...]) -> Translations:
        """Score the translations of rank 1 and of the three oracles: Tables 8 and 9."""
        columns = {choice: self.translation(file) for choice, file in FILES.items()}
        return Translations(columns, self.post_editions, scores, self.bootstrap)

    @cached_property
    def scales(self) -> SystemTuning:
        """The choice of a language model scale by each metric: Table 10."""
        return misword.tune_systems(
            self.corpus(*SCALES),
            metrics=METRICS,
            vectors=self.vectors,
            normalize="none",
            bootstrap=self.bootstrap,
        )

    def chosen_scale(self, metric: str) -> int:
        """Return the scale that a metric chooses."""
        name = self.scales.choices.filter(metric=metric)["system"].item()
        return int(name.removeprefix("scale_").removesuffix(".fr"))

    def scale_translations(self, scores: tuple[str, ...]) -> Translations:
        """Score the translations of the outputs that WER and WER-E choose."""
        columns = {
            metric: self.translation(f"scale_{self.chosen_scale(metric):02}")
            for metric in ("wer", "wer-e")
        }
        return Translations(columns, self.post_editions, scores, self.bootstrap)

    def blocks(self, scores: tuple[str, ...]) -> pl.DataFrame:
        """Return the rates and scores of blocks of 100 utterances: Table 7."""
        found = misword.correlate(
            self.corpus(10),
            metrics=METRICS,
            translations=self.translation("1best"),
            translation_references=self.post_editions,
            downstream=[SPECS[name] for name in scores],
            block=BLOCK,
            vectors=self.vectors,
            normalize="none",
            bootstrap=0,
        )
        assert found.blocks is not None
        return found.blocks.rename({SPECS[name]: name for name in scores})


def correlation(blocks: pl.DataFrame, metric: str, score: str) -> float:
    """Return Pearson's coefficient of a metric and a score over blocks."""
    return float(np.corrcoef(blocks[metric], blocks[score])[0, 1])


def correlation_gain(
    blocks: pl.DataFrame, metric: str, score: str, bootstrap: int = 1000
) -> tuple[float, float, float]:
    """Return how much higher |r| is with a metric than with WER, and the interval of this.

    The blocks are resampled, with all their numbers together.
    """

    def gain(rows: pl.DataFrame) -> float:
        return abs(correlation(rows, metric, score)) - abs(correlation(rows, "wer", score))

    rng = np.random.default_rng(0)
    draws = rng.integers(len(blocks), size=(bootstrap, len(blocks)))
    drawn = np.array([gain(blocks[rows]) for rows in draws])
    return gain(blocks), *widened(drawn, len(blocks), 0.95)
