"""Word error rate."""

from __future__ import annotations

from dataclasses import dataclass

from misword.asr.metrics.edit_rate import EditRate


@dataclass(frozen=True, slots=True)
class WER(EditRate):
    """Word errors per reference word: (S + D + I) / N.

    The corpus rate is the sum of errors over the sum of reference words, never a mean of rates. An
    utterance with an empty reference has no rate of its own; its insertions count in the corpus.

    Known problems: it sees every wrong word as equally wrong, and can pass 100 %.

    Example: `misword score ref.txt hyp.txt --metrics wer:ties=jiwer`
    """
