"""Word information lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.asr.metrics.edit_rate import WordRate
from misword.core.types import Statistics
from misword.stat.measure import ratio


@dataclass(frozen=True, slots=True)
class WIL(WordRate):
    """One minus the product of recall and precision of words: 1 - (H / N) (H / M).

    N counts the words of the reference, M those of the hypothesis. Where one side is empty the rate
    is 100 %; where both are, it is undefined.

    Known problems: its value depends on the tie rule; WER does not.

    Example: `misword score ref.txt hyp.txt --metrics wil`

    Reference: A. Morris, V. Maier, P. Green, From WER and RIL to MER and WIL, Interspeech 2004.
    """

    name: ClassVar[str] = "wil"
    title: ClassVar[str] = "WIL"
    family: ClassVar[str] = "words"
    cites: ClassVar[tuple[str, ...]] = ("morris2004",)
    is_quotient: ClassVar[bool] = False

    def terms(self, statistics: Statistics) -> Statistics:
        """Hits, reference words, hypothesis words."""
        hits, substitutions, insertions, deletions = np.moveaxis(statistics, -1, 0)
        paired = hits + substitutions
        return np.stack([hits, paired + deletions, paired + insertions], axis=-1)

    def rate(self, terms: Statistics) -> Statistics:
        """One minus recall times precision; nan where both sides are empty."""
        hits, reference, hypothesis = np.moveaxis(terms, -1, 0)
        preserved = np.nan_to_num(ratio(hits**2, reference * hypothesis))
        return np.where(reference + hypothesis > 0, 1 - preserved, np.nan)
