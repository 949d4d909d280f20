"""Base class of metrics that compare whole sentences, and the sentences of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.metrics import Metric
from misword.asr.pairs import Pairs
from misword.core.context import Context
from misword.core.types import Statistics
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
        """Report how many pairs a model did not process whole."""
        if not (partial := totals["partial"]):
            return ()
        return (
            f"{partial:,} of {pairs:,} pairs were only partly encoded: "
            "more text than the model takes, or words without a vector",
        )
