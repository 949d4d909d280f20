"""Semantic distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.asr.metrics.sentence_rate import SentenceRate, Sentences
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.requirements import Requirement
from misword.embed.encoders import ENCODERS, Encoder, create_encoder
from misword.embed.neural.networks import Dtype
from misword.embed.sentence_vectors import sentence_vectors
from misword.embed.similarity import pair_similarities
from misword.stat.resampling import Statistics


@dataclass(frozen=True, slots=True)
class SemDist(SentenceRate):
    """One minus the similarity of the two encoded sentences, the mean over utterances (x 100).

    Why: it asks whether the utterance still means the same, whatever words say it.

    The similarity is the encoder's: the cosine, or of `subspace` that of principal angles.
    `encoder` is a part among the encoders (`auto`: the language's default; those made of word
    vectors need `--vectors`), options of its own joined by `+`:
    `encoder=sif:frequencies=wordfreq+a=0.01`. `model` is short for
    `encoder=transformer:model=...`, a folder or a hub name,
    and `dtype=int8` goes with it.

    Equal texts have distance 0 and are not encoded. If one of two texts is empty the distance is 1,
    as between texts that have nothing to do with each other: what an encoder says of no text is
    chance. So it is where an encoder knows no word of one text. `partial` counts utterances that
    the encoder did not take in whole: cut at the model's limit, or with words without a vector.

    Known problems: the scale is the encoder's own, so compare only what one encoder measured; a
    lost negation or a wrong number hardly moves a sentence. Long texts are cut by most models.

    Example: `misword score ref.txt hyp.txt --metrics wer,semdist`

    Reference: S. Kim et al., Semantic distance: a new metric for ASR performance analysis towards
    spoken language understanding, Interspeech 2021.
    """

    encoder: str = "auto"
    model: str = ""
    dtype: Dtype = "float32"
    statistics: ClassVar[tuple[str, ...]] = ("distance", "partial", "utterances")
    fractional: ClassVar[frozenset[str]] = frozenset({"distance"})
    perfect: ClassVar[tuple[float, ...]] = (0, 0)
    lost: ClassVar[tuple[float, ...]] = (1, 0)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """What the default encoder needs."""
        from misword.embed.encoders.use import REQUIREMENT

        return REQUIREMENT

    @property
    def wants(self) -> str:
        """What the encoder wants."""
        return "vectors" if (encoder := self._named) and "vectors" in encoder.needs else ""

    @property
    def fitted(self) -> bool:
        """Whether the encoder learns from the references."""
        return encoder.fitted if (encoder := self._named) else False

    @property
    def kept(self) -> bool:
        """Only if the encoder is slow."""
        return encoder.slow if (encoder := self._named) else True

    @property
    def _named(self) -> Encoder | None:
        """The encoder, if it is named: models and the default want nothing and are not fitted."""
        return None if self.model or self.encoder == "auto" else create_encoder("", self.encoder)

    def part(self, context: Context) -> Encoder:
        """The encoder."""
        if not self.model:
            if self.dtype != "float32":
                raise OptionError(
                    "dtype is an option of a model", fix="name it: semdist:model=NAME,dtype=int8"
                )
            return create_encoder(context.lang, self.encoder)
        if self.encoder not in ("auto", "transformer"):
            raise OptionError(f"encoder {self.encoder!r} has no model", fix="name one of the two")
        return ENCODERS.create(f"transformer:model={self.model},dtype={self.dtype}")

    def check(self, context: Context) -> None:
        """Refuse, before any work, an encoder that is not installed."""
        self.part(context).check(context)

    def settings(self, context: Context) -> tuple[tuple[str, str], ...]:
        """The encoder and what decides its vectors."""
        return self.part(context).settings(context)

    def compare(self, sentences: Sentences, context: Context) -> Statistics:
        """Distances, and whether the encoder saw only a part of either text."""
        encoder = self.part(context)
        needed, index = np.unique(sentences.asked, return_inverse=True)
        texts = [sentences.texts[at] for at in needed.tolist()]
        left, right = index.reshape(-1, 2).T
        vectors = sentence_vectors(encoder, texts, sentences.corpus, context)
        alike = pair_similarities(encoder.similarity, vectors, left, right)
        partial = encoder.partial(texts, context)
        return np.column_stack([np.maximum(1 - alike, 0), partial[left] | partial[right]])

    def terms(self, statistics: Statistics) -> Statistics:
        """Distance and utterances."""
        return statistics[..., [0, 2]]
