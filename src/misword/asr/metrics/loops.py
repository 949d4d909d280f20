"""Rate of words in loops: repetitions in a hypothesis that the reference does not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.asr.checking.suspicious import looped_words
from misword.asr.checking.word_signs import WordSigns
from misword.asr.metrics import Metric
from misword.asr.pairs import Pairs
from misword.asr.views.surface import Word
from misword.core.types import Statistics
from misword.stat.measure import ratio_of_terms


@dataclass(frozen=True, slots=True)
class Loops(Metric):
    """Words of loops that were not said, per reference word.

    A loop is a word that occurs six times or more in succession, or a phrase of 2 to 12 words that
    occurs three times or more in succession, ignoring punctuation and capitals. Its words after the
    first occurrence of the phrase count, less the words that the reference repeats.

    Known problems: in text without spaces between words, loops are not found.

    Example: `misword score ref.txt hyp.txt --metrics wer,loops`

    Reference: A. Radford et al., Robust speech recognition via large-scale weak supervision, ICML
    2023, on loops of a recogniser. The rate is misword's own.
    """

    name: ClassVar[str] = "loops"
    title: ClassVar[str] = "words of loops"
    family: ClassVar[str] = "words"
    cites: ClassVar[tuple[str, ...]] = ("radford2023",)
    statistics: ClassVar[tuple[str, ...]] = ("looped", "with_loops", "reference_words")

    def measure(self, pairs: Pairs) -> Statistics:
        """Count the words of loops of each pair."""
        sides, rows = pairs.tokens(Word()), pairs.rows(Word())
        looped = looped_words(sides, rows, WordSigns(sides[0].vocabulary).bare)
        return np.column_stack([looped, looped > 0, sides[0].lengths[rows[:, 0]]])

    def terms(self, statistics: Statistics) -> Statistics:
        """Words of loops and reference words."""
        return np.stack([statistics[..., 0], statistics[..., 2]], axis=-1)

    def rate(self, terms: Statistics) -> Statistics:
        """Words of loops divided by reference words; nan without reference words."""
        return ratio_of_terms(terms)

    def reference(self, statistics: Statistics) -> Statistics:
        """Reference words."""
        return np.asarray(statistics[..., 2])

    def remarks(self, totals: dict[str, int], pairs: int) -> tuple[str, ...]:
        """Report how many hypotheses have loops."""
        if not (some := totals["with_loops"]):
            return ()
        return (f"{some:,} of {pairs:,} hypotheses have loops",)
