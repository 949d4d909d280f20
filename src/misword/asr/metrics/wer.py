"""Word error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.metrics.edit_rate import EditRate


@dataclass(frozen=True, slots=True)
class WER(EditRate):
    """Word errors per reference word: (S + D + I) / N.

    The corpus rate is the sum of errors over the sum of reference words, never a mean of rates. An
    utterance with an empty reference has no rate of its own; its insertions count in the corpus.

    Known problems: every wrong word counts the same, and the rate can exceed 100 %.

    Example: `misword score ref.txt hyp.txt --metrics wer:ties=jiwer`
    """

    name: ClassVar[str] = "wer"
    title: ClassVar[str] = "WER"
    family: ClassVar[str] = "words"
    cites: ClassVar[tuple[str, ...]] = ("levenshtein1966",)
