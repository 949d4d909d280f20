"""Capitalisation error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.asr.formatting.marks import CAPITALS
from misword.asr.formatting.words import formatted_steps
from misword.asr.metrics.mark_rate import MarkRate, count_marks, statistics_names
from misword.asr.pairs import Pairs
from misword.core.types import Statistics


@dataclass(frozen=True, slots=True)
class Capitals(MarkRate):
    """Words that are the same except for their capitals, per capitalised word of the reference.

    Words are aligned without regard to punctuation and capitals, and only equal words are compared:
    WER counts the others. A word is capitalised if it has a capital letter: its `first_letter`
    (`Anna`, `I`), `all_letters` (`IBM`) or `mixed` (`iPhone`). A table has precision, recall, F and
    error rate of each kind. A word is right if all its letters are in the same case.

    Known problems: the first word of a sentence has a capital because of the full stop before it,
    so a wrong full stop is often counted by `punctuation` and here.

    Example: `misword score ref.txt hyp.txt --metrics wer,punctuation,capitals`

    Reference: A. Meister et al., LibriSpeech-PC: benchmark for evaluation of punctuation and
    capitalization capabilities of end-to-end ASR models, ASRU 2023.
    """

    name: ClassVar[str] = "capitals"
    title: ClassVar[str] = "capitalisation error rate"
    family: ClassVar[str] = "formatting"
    cites: ClassVar[tuple[str, ...]] = ("meister2023",)
    kinds: ClassVar[tuple[str, ...]] = CAPITALS
    compared: ClassVar[str] = "capitals at equal words"
    statistics: ClassVar[tuple[str, ...]] = statistics_names(CAPITALS)

    def measure(self, pairs: Pairs) -> Statistics:
        """Compare the capitals of all pairs of equal words."""
        steps = formatted_steps(pairs)
        equal = steps.equal
        reference, hypothesis = (side[equal] for side in steps.capitals)
        right = np.where(steps.same_case[equal], reference, 0).astype(np.uint8)
        sides = reference, hypothesis
        return count_marks(steps.pair[equal], sides, right, len(CAPITALS), len(pairs))
