"""Recognisers before and after rescoring: the base systems and the held-out choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

import misword
from misword.asr.nbest.tune import Tuning
from misword.core.types import Corpus
from misword.stat.scores import Scores
from studies.common.data import DEMO, shared
from studies.le2016.lists import read_lists, word_normalizers
from studies.roux2022.ngram import ngram_model
from studies.roux2022.published import METRICS

BASE = "base"
# The distances of Table 3 are those of WER-E, which the table needs beside the metrics of Table 2.
DISTANCE = "wer-e"


@dataclass(frozen=True)
class Recogniser:
    """N-best lists with features, and the sets of features by which they are rescored.

    `rescorings` has the features by the name of the language models; the last one is the main one.
    """

    title: str
    lang: str
    corpus: Corpus
    normalize: list[Any]
    rescorings: Mapping[str, str]

    @property
    def main(self) -> str:
        """The rescoring that is compared with the base in Tables 1 and 3."""
        return list(self.rescorings)[-1]

    @cached_property
    def tunings(self) -> dict[str, Tuning]:
        """The weights of each rescoring, tuned by WER on five folds."""
        return {
            name: misword.tune(
                self.corpus, features=features, normalize=self.normalize, resamples=0
            )
            for name, features in self.rescorings.items()
        }

    def texts(self) -> dict[str, list[str]]:
        """Return the texts of the base system and of the held-out choices, by system."""
        utts = self.corpus.references.select("utt")
        tables = {
            BASE: self.corpus.hypotheses.filter(rank=1),
            **{name: t.chosen.filter(choice="held out") for name, t in self.tunings.items()},
        }
        return {
            name: utts.join(table, on="utt", maintain_order="left")["text"].to_list()
            for name, table in tables.items()
        }

    @cached_property
    def scores(self) -> Scores:
        """All metrics of all systems."""
        return misword.score(
            self.corpus.references["text"].to_list(),
            self.texts(),
            [*METRICS, DISTANCE],
            ids=self.corpus.references["utt"].to_list(),
            lang=self.lang,
            normalize=self.normalize,
            vectors=shared(f"vectors/{self.lang}.vec.gz"),
            cache=True,
        )

    def systems(self, *names: str) -> Scores:
        """Return the scores of some systems by the metrics of Table 2."""
        return self.scores.filter(pl.col("system").is_in(names)).only(METRICS)


def recognisers() -> Iterator[Recogniser]:
    """Yield the recognisers of the study."""
    yield french()
    for name in ("pocketsphinx", "whisper-tiny"):
        yield english(name)


def french() -> Recogniser:
    """Return the lists of Le's speech, whose files have the features of a language model."""
    rescorings = {"gemma-3-270m": "score,lm,words"}
    return Recogniser("whisper-base (French)", "fr", read_lists(), word_normalizers(), rescorings)


def english(name: str) -> Recogniser:
    """Return a recogniser of the demonstration corpus, with the features of two language models."""
    lists = DEMO / "en" / f"{name}.nbest.jsonl"
    corpus, _ = misword.read_corpus(DEMO / "en" / "ref.csv", lists, nbest=True)
    models = [f"ngram:{ngram_model()}", "causal:smollm2,column=lm"]
    ngram, neural = "ngram,ngram_oov", "lm"
    return Recogniser(
        f"{name} (English)",
        "en",
        misword.rescore(corpus, models, lang="en").corpus(),
        ["nfc"],
        {
            "4-gram": f"score,{ngram},words",
            "SmolLM2": f"score,{neural},words",
            "4-gram and SmolLM2": f"score,{neural},{ngram},words",
        },
    )
