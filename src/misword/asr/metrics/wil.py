"""Word information lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.asr.metrics.edit_rate import EditRate, ratio
from misword.stat.resampling import Statistics


@dataclass(frozen=True, slots=True)
class WIL(EditRate):
    """One minus the product of recall and precision of words: 1 - (H / N) (H / M).

    M counts the hypothesis' words. Where one side is empty everything is lost (100 %); where both
    are, the rate is undefined.

    Known problems: unlike WER's, its value depends on the tie rule.

    Example: `misword score ref.txt hyp.txt --metrics wil`

    Reference: A. Morris, V. Maier, P. Green, From WER and RIL to MER and WIL, Interspeech 2004.
    """

    def terms(self, statistics: Statistics) -> Statistics:
        """Hits, reference words, hypothesis words."""
        hits, substitutions, insertions, deletions = np.moveaxis(statistics, -1, 0)
        kept = hits + substitutions
        return np.stack([hits, kept + deletions, kept + insertions], axis=-1)

    def rate(self, terms: Statistics) -> Statistics:
        """Information lost."""
        hits, reference, hypothesis = np.moveaxis(terms, -1, 0)
        kept = np.nan_to_num(ratio(hits**2, reference * hypothesis))
        return np.where(reference + hypothesis > 0, 1 - kept, np.nan)
