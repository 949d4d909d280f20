"""The same speech with a recogniser of today: N-best lists of whisper-base, 400 utterances."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import polars as pl

import misword
from misword.asr.nbest.oracle import Oracle
from misword.asr.nbest.tune import Tuning
from misword.core.types import Corpus
from misword.text.normalizers import normalize, normalizers
from misword.text.texts import Texts
from studies.common.data import shared
from studies.le2016.published import METRICS
from studies.le2016.translated import Translations

FEATURES = "score,lm,words"
# Post-editions have no punctuation at all: `don t`.
TRANSLATION_NORMALIZERS = "nfc,lower,nopunct:keep="


def split_words(text: str) -> str:
    """Divide words as the authors' files do: after an apostrophe and at a hyphen.

    >>> split_words("j'ai moi-même")
    "j' ai moi même"
    """
    return text.replace("'", "' ").replace("-", " ")


def word_normalizers() -> list[Any]:
    """Return the normalizers that write texts as the authors' files do."""
    return ["nfc", "apostrophe", "lower", "nopunct", misword.normalizer(split_words, "le2016")]


def read_lists() -> Corpus:
    """Return the references and the N-best lists."""
    folder = shared("wce-whisper")
    return misword.read_corpus(folder / "ref.jsonl", folder / "nbest.jsonl", nbest=True)[0]


class WhisperLists:
    """Choices from the lists, by the references (oracle) and by weights (tuned).

    `bootstrap` is the number of resamples of all intervals.
    """

    def __init__(self, bootstrap: int = 1000) -> None:
        self.corpus = read_lists()
        self.bootstrap = bootstrap
        self._options: dict[str, Any] = {
            "normalize": word_normalizers(),
            "vectors": shared("vectors/fr.vec.gz"),
            "bootstrap": bootstrap,
        }

    @cached_property
    def oracle(self) -> Oracle:
        """The best hypotheses by each metric."""
        return misword.oracle(self.corpus, metrics=METRICS, **self._options)

    def tuned(self, by: str, block: str | None = None) -> Tuning:
        """Return the weights by a metric, and the held-out choices of five folds."""
        return misword.tune(
            self.corpus,
            metric=by,
            features=FEATURES,
            metrics=METRICS,
            block=block,
            resamples=0,
            **self._options,
        )

    def oracle_ranks(self) -> dict[str, pl.DataFrame]:
        """Return the utterances and ranks that each metric chooses; `rank 1` are the first ones."""
        chosen = self.oracle.chosen
        first = chosen.filter(chosen_by=METRICS[0]).with_columns(rank=pl.lit(1, pl.Int64))
        return {"rank 1": first, **{name: chosen.filter(chosen_by=name) for name in METRICS}}

    def translations(
        self, choices: Mapping[str, pl.DataFrame], scores: tuple[str, ...]
    ) -> Translations:
        """Score the translations of choices, which are tables with `utt` and `rank`."""
        lists = self.corpus.hypotheses.select("utt", "rank", "translation")
        references = self.corpus.references.select("utt", "post_edition")
        columns = {}
        for name, chosen in choices.items():
            ranks = chosen.select("utt", pl.col("rank").cast(lists["rank"].dtype))
            rows = references.join(ranks, on="utt", maintain_order="left").join(
                lists, on=["utt", "rank"], maintain_order="left"
            )
            columns[name] = plain(rows["translation"])
        return Translations(columns, plain(references["post_edition"]), scores, self.bootstrap)


def plain(texts: pl.Series) -> list[str]:
    """Return translations in lower case without punctuation."""
    return normalize(Texts.of(texts), normalizers(TRANSLATION_NORMALIZERS)).split()
