"""Punctuation error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.asr.formatting.marks import MARKS
from misword.asr.formatting.words import formatted_steps
from misword.asr.metrics.mark_rate import MarkRate, count_marks, statistics_names
from misword.asr.pairs import Pairs
from misword.core.types import Statistics


@dataclass(frozen=True, slots=True)
class Punctuation(MarkRate):
    """Wrong, missing and added punctuation marks per mark of the reference, at aligned words.

    Words are aligned without regard to punctuation and capitals. At each pair of words, equal or
    substituted, the marks around both are compared. Marks at deleted and inserted words are not
    compared, because WER counts these words already; `unaligned` is their number. A table has
    precision, recall, F and error rate of each mark.

    Known problems: the full stop of an abbreviation (`Mr.`) counts as a full stop. A system that
    leaves out words is not judged by their marks: read WER beside this rate. Languages without
    spaces between words need a segmenter first.

    Example: `misword score ref.txt hyp.txt --metrics wer,punctuation,capitals`

    Reference: A. Meister et al., LibriSpeech-PC: benchmark for evaluation of punctuation and
    capitalization capabilities of end-to-end ASR models, ASRU 2023, which defines another rate.
    """

    name: ClassVar[str] = "punctuation"
    title: ClassVar[str] = "punctuation error rate"
    family: ClassVar[str] = "formatting"
    cites: ClassVar[tuple[str, ...]] = ("meister2023",)
    kinds: ClassVar[tuple[str, ...]] = MARKS
    compared: ClassVar[str] = "punctuation at aligned words"
    statistics: ClassVar[tuple[str, ...]] = (*statistics_names(MARKS), "unaligned")

    def measure(self, pairs: Pairs) -> Statistics:
        """Compare the marks of all pairs of aligned words."""
        steps = formatted_steps(pairs)
        reference, hypothesis = steps.marks
        right = reference & hypothesis
        counts = count_marks(steps.pair, steps.marks, right, len(MARKS), len(pairs))
        return np.column_stack([counts, steps.alone])
