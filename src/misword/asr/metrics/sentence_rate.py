"""The utterances of a corpus as whole sentences, and rates that compare them as such."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.metrics.edit_rate import ratio
from misword.core.context import Context
from misword.stat.resampling import Statistics

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs

SAME, EMPTY = -1, -2


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """Distinct texts, and the distinct pairs of them that only a model can compare.

    `asked` has the numbers of two different texts in a row, neither of them empty. `row` has for
    each pair of the corpus its row in `asked`, or SAME for equal texts, or EMPTY if one of two has
    no words. `corpus` has the references as metrics learn from them, equal ones each.
    """

    texts: list[str]
    asked: NDArray[np.int64]
    row: NDArray[np.int64]
    corpus: list[str]

    @classmethod
    def of(cls, pairs: Pairs) -> Sentences:
        """The sentences of pairs; white space is collapsed."""
        distinct = pairs.distinct
        left = distinct.references[pairs.index[:, 0]]
        right = distinct.hypotheses[pairs.index[:, 1]]
        some = np.array([bool(text) for text in distinct.texts], np.bool_)
        open_ = (left != right) & some[left] & some[right]
        keys, found = np.unique(
            left[open_] * len(some) + right[open_],
            return_inverse=True,
        )
        row = np.where(left == right, SAME, EMPTY)
        row[open_] = found
        asked = np.stack(np.divmod(keys, max(len(some), 1)), axis=1)
        return cls(distinct.texts, asked, row, pairs.learnt)

    def spread(
        self, found: Statistics, *, perfect: Sequence[float], lost: Sequence[float]
    ) -> Statistics:
        """What was found, for each pair; equal texts are perfect, one empty side has lost."""
        rows = np.concatenate([found, [lost], [perfect]])  # EMPTY and SAME count from the end
        return np.asarray(rows[self.row])


class SentenceRate(ABC):
    """A mean over utterances of how far two whole sentences are apart.

    The last two statistics are `partial`, the utterances of which a model took in only a part, and
    `utterances`.
    """

    __slots__ = ()
    statistics: ClassVar[tuple[str, ...]]
    heeds: ClassVar[tuple[str, ...]] = ("lang",)
    # What equal texts have, and what a text has beside an empty one.
    perfect: ClassVar[tuple[float, ...]]
    lost: ClassVar[tuple[float, ...]]

    @property
    def kept(self) -> bool:
        """Whether what its model makes of sentences is worth a cache."""
        return True

    @abstractmethod
    def compare(self, sentences: Sentences, context: Context) -> Statistics:
        """The statistics of the pairs that are `asked`, without the last."""

    def measure(self, pairs: Pairs) -> Statistics:
        """The statistics of each pair; a model sees each distinct sentence once."""
        sentences = Sentences.of(pairs)
        found = np.empty((0, len(self.perfect)))
        if len(sentences.asked):
            found = self.compare(sentences, pairs.context)
        rows = sentences.spread(found, perfect=self.perfect, lost=self.lost)
        return np.column_stack([rows, np.ones(len(pairs))])

    def rate(self, terms: Statistics) -> Statistics:
        """The mean; undefined (nan) of nothing."""
        return ratio(terms[..., 0], terms[..., 1])

    def reference(self, statistics: Statistics) -> Statistics:
        """Utterances."""
        return np.asarray(statistics[..., -1])
