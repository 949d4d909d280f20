"""Metrics that compare whole sentences: their base class, and the semantic distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.metrics import Metric, learnt_references
from misword.asr.pairs import Pairs
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Requirement, Settings
from misword.core.types import Statistics
from misword.embed.encoders import ENCODERS, Encoder, create_encoder, pair_similarities
from misword.embed.neural.networks import Dtype
from misword.embed.sentence_cache import sentence_vectors
from misword.stat.measure import ratio_of_terms

SAME, EMPTY = -1, -2


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The distinct texts of a corpus, and the distinct pairs of them that a model must compare.

    `compared` has a row for each pair of two different texts, neither of them empty: the numbers of
    the two texts. `row` has for each pair of the corpus its row in `compared`, or SAME for equal
    texts, or EMPTY if exactly one of the two texts has no words. `references` has one text for each
    reference of the corpus, for models that are fitted to them.
    """

    texts: list[str]
    compared: NDArray[np.int64]
    row: NDArray[np.int64]
    references: list[str]

    @classmethod
    def of(cls, pairs: Pairs) -> Sentences:
        """Collect the sentences of pairs; white space is collapsed."""
        distinct = pairs.utterances.distinct
        left = distinct.references[pairs.index[:, 0]]
        right = distinct.hypotheses[pairs.index[:, 1]]
        has_words = np.array([bool(text) for text in distinct.texts], np.bool_)
        different = (left != right) & has_words[left] & has_words[right]
        keys, rows = np.unique(
            left[different] * len(has_words) + right[different],
            return_inverse=True,
        )
        row = np.where(left == right, SAME, EMPTY)
        row[different] = rows
        compared = np.stack(np.divmod(keys, max(len(has_words), 1)), axis=1)
        return cls(distinct.texts, compared, row, pairs.reference_texts)

    def spread(
        self, statistics: Statistics, *, perfect: Sequence[float], lost: Sequence[float]
    ) -> Statistics:
        """Expand the statistics of the compared pairs to the pairs of the corpus.

        Equal texts have the statistics `perfect`; a pair with one empty side has `lost`.
        """
        rows = np.concatenate([statistics, [lost], [perfect]])  # EMPTY and SAME count from the end
        return np.asarray(rows[self.row])


class SentenceRate(Metric):
    """A mean over utterances of a distance between two whole sentences.

    The last two statistics are `partial`, which counts the utterances of which a model processed
    only a part, and `utterances`. `perfect` are the statistics of equal texts, `lost` those of a
    pair with one empty text, both without the last statistic.
    """

    __slots__ = ()

    perfect: ClassVar[tuple[float, ...]] = ()
    lost: ClassVar[tuple[float, ...]] = ()

    @property
    def uses(self) -> tuple[str, ...]:
        """The language, and the cache of what a model computed for sentences."""
        return ("lang", "cache")

    def compare(self, sentences: Sentences, context: Context) -> Statistics:
        """Return the statistics of the pairs in `sentences.compared`, without `utterances`."""
        raise NotImplementedError

    def measure(self, pairs: Pairs) -> Statistics:
        """Compute the statistics of each pair; a model processes each distinct sentence once."""
        sentences = Sentences.of(pairs)
        statistics = np.empty((0, len(self.perfect)))
        if len(sentences.compared):
            statistics = self.compare(sentences, pairs.context)
        rows = sentences.spread(statistics, perfect=self.perfect, lost=self.lost)
        return np.column_stack([rows, np.ones(len(pairs))])

    def rate(self, terms: Statistics) -> Statistics:
        """The mean over utterances; nan without utterances."""
        return ratio_of_terms(terms)

    def reference(self, statistics: Statistics) -> Statistics:
        """The number of utterances."""
        return np.asarray(statistics[..., -1])

    def remarks(self, totals: dict[str, int], pairs: int) -> tuple[str, ...]:
        """Report how many pairs a model processed only in part."""
        if not (partial := totals["partial"]):
            return ()
        return (
            f"{partial:,} of {pairs:,} pairs were only partly encoded: "
            "more text than the model takes, or words without a vector",
        )


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
        return self._create_encoder(context).collect(texts, sums, context)

    @property
    def _named_encoder(self) -> Encoder | None:
        """The encoder named by `encoder`.

        None for a model and for `auto`: these encoders need nothing and are not fitted.
        """
        return None if self.model or self.encoder == "auto" else create_encoder("", self.encoder)

    def _create_encoder(self, context: Context) -> Encoder:
        """Create the encoder that `encoder` or `model` names."""
        if not self.model:
            if self.dtype != "float32":
                raise OptionError(
                    "dtype is an option of a model", fix="name it: semdist:model=NAME,dtype=int8"
                )
            return create_encoder(context.lang, self.encoder)
        if self.encoder not in ("auto", "transformer"):
            raise OptionError(
                f"model and encoder={self.encoder} are both given", fix="leave out one of the two"
            )
        return ENCODERS.create(f"transformer:model={self.model},dtype={self.dtype}")

    def check(self, context: Context) -> None:
        """Raise unless the encoder can be used in this context."""
        self._create_encoder(context).check(context)

    def settings(self, context: Context) -> Settings:
        """The settings of the encoder."""
        return self._create_encoder(context).settings(context)

    def compare(self, sentences: Sentences, context: Context) -> Statistics:
        """Compute distances, and whether the encoder processed only a part of either text."""
        encoder = self._create_encoder(context)
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
