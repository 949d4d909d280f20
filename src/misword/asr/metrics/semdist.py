"""Semantic distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from misword.asr.learnt_references import learnt_references
from misword.asr.metrics.sentence_rate import SentenceRate, Sentences
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts.contract import Requirement, Settings
from misword.core.types import Statistics
from misword.embed.encoders import ENCODERS, Encoder, create_encoder
from misword.embed.neural.networks import Dtype
from misword.embed.sentence_vectors import sentence_vectors
from misword.embed.similarity import pair_similarities


@dataclass(frozen=True, slots=True)
class SemDist(SentenceRate):
    """One minus the similarity of the two encoded sentences, the mean over utterances (x 100).

    Why: it measures whether the utterance still means the same, whatever its words.

    The similarity is that of the encoder: the cosine, or for `subspace` the cosines of principal
    angles. `encoder` names an encoder (`auto`: the default of the language; encoders made of word
    vectors need `--vectors`) with its options joined by `+`:
    `encoder=sif:frequencies=wordfreq+a=0.01`. `model` is short for `encoder=transformer:model=...`,
    a folder or a hub name; `dtype=int8` is an option of a model.

    Equal texts have distance 0 and are not encoded. If one of two texts is empty, or has no word
    that the encoder knows, the distance is 1, as between unrelated texts: the vector of an empty
    text means nothing. `partial` counts the utterances that the encoder did not process whole: they
    exceed the limit of the model, or have words without a vector.

    Known problems: the scale depends on the encoder; compare only results of the same encoder. A
    lost negation or a wrong number changes the vector of a sentence little. Most models cut long
    texts.

    Example: `misword score ref.txt hyp.txt --metrics wer,semdist`

    Reference: S. Kim et al., Semantic distance: a new metric for ASR performance analysis towards
    spoken language understanding, Interspeech 2021.
    """

    name: ClassVar[str] = "semdist"
    title: ClassVar[str] = "SemDist"
    family: ClassVar[str] = "semantics"
    cites: ClassVar[tuple[str, ...]] = ("kim2021",)
    statistics: ClassVar[tuple[str, ...]] = ("distance", "partial", "utterances")
    fractional: ClassVar[frozenset[str]] = frozenset({"distance"})
    perfect: ClassVar[tuple[float, ...]] = (0, 0)
    lost: ClassVar[tuple[float, ...]] = (1, 0)

    encoder: str = "auto"
    model: str = ""
    dtype: Dtype = "float32"

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """Return the packages of the default encoder."""
        from misword.embed.encoders.use import REQUIREMENT

        return REQUIREMENT

    @property
    def needs(self) -> tuple[str, ...]:
        """The needs of the encoder."""
        return self._named_encoder.needs if self._named_encoder else ()

    @property
    def uses(self) -> tuple[str, ...]:
        """The language, and the cache if the encoder is slow."""
        encoder = self._named_encoder
        return ("lang", "cache") if encoder is None or encoder.slow else ("lang",)

    @property
    def fitted(self) -> bool:
        """Whether the encoder is fitted to the references."""
        return self._named_encoder is not None and self._named_encoder.fitted

    @property
    def fit_passes(self) -> int:
        """The passes of the encoder."""
        return self._named_encoder.fit_passes if self._named_encoder is not None else 0

    def collect(self, texts: Sequence[str], sums: Sequence[Any], context: Context) -> Any:
        """Return what the encoder collects."""
        return self.part(context).collect(texts, sums, context)

    @property
    def _named_encoder(self) -> Encoder | None:
        """The encoder named by `encoder`.

        None for a model and for `auto`: these encoders need nothing and are not fitted.
        """
        return None if self.model or self.encoder == "auto" else create_encoder("", self.encoder)

    def part(self, context: Context) -> Encoder:
        """Return the encoder."""
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
        """Raise unless the encoder can be used in this context."""
        self.part(context).check(context)

    def settings(self, context: Context) -> Settings:
        """The settings of the encoder."""
        return self.part(context).settings(context)

    def compare(self, sentences: Sentences, context: Context) -> Statistics:
        """Compute distances, and whether the encoder processed only a part of either text."""
        encoder = self.part(context)
        needed, index = np.unique(sentences.compared, return_inverse=True)
        texts = [sentences.texts[at] for at in needed.tolist()]
        left, right = index.reshape(-1, 2).T
        learnt = learnt_references(self, context)
        sums = None if learnt is None else learnt.sums
        vectors = sentence_vectors(encoder, texts, sentences.references, context, sums)
        similarities = pair_similarities(encoder.similarity, vectors, left, right)
        partial = encoder.partial(texts, context)
        return np.column_stack([np.maximum(1 - similarities, 0), partial[left] | partial[right]])

    def terms(self, statistics: Statistics) -> Statistics:
        """Distance and utterances."""
        return statistics[..., [0, 2]]
