"""Match error rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from misword.asr.metrics.edit_rate import EditRate
from misword.stat.resampling import Statistics


@dataclass(frozen=True, slots=True)
class MER(EditRate):
    """Share of the aligned places that are errors: (S + D + I) / (H + S + D + I), at most 100 %.

    Known problems: unlike WER's, its value depends on the tie rule.

    Example: `misword score ref.txt hyp.txt --metrics mer`

    Reference: A. Morris, V. Maier, P. Green, From WER and RIL to MER and WIL, Interspeech 2004.
    """

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors and aligned places."""
        errors = statistics[..., 1:].sum(axis=-1)
        return np.stack([errors, statistics.sum(axis=-1)], axis=-1)
