"""The functions `wer` and `cer`, which return one number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from misword.asr.corpus import is_frame, make_corpus
from misword.asr.measuring import prepare_with
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.metrics.rates import CER, WER
from misword.asr.options import Scoring, combine
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.options import chosen, takes
from misword.embed.options import Models


@takes(Scoring)
def wer(references: Any, hypotheses: Any, **options: Unpack[Scoring]) -> float:
    """Return the word error rate: errors of all pairs, divided by the number of reference words.

    `references` and `hypotheses` are two texts, or two columns of texts in the same order. The
    other arguments are those of `misword.score`, and the number is that of
    `misword.score(..., "wer")["wer"]`. It is a fraction, may exceed 1, and is nan if the references
    have no word.

    >>> import misword
    >>> misword.wer("the cat sat on the mat", "the cat sad on mat")
    0.3333333333333333
    >>> misword.wer(["Hello, you!", "yes"], ["hello you", "yes"], normalize="lower,nopunct")
    0.0
    >>> misword.wer("we are late", "we're late", forgive="contractions")
    0.0
    """
    return _rate(WER(), references, hypotheses, options)


@takes(Scoring)
def cer(references: Any, hypotheses: Any, **options: Unpack[Scoring]) -> float:
    """Return the character error rate; arguments and result are as in `wer`.

    Spaces between words are characters; the number of spaces does not matter.

    >>> import misword
    >>> misword.cer("the cat", "the bat")
    0.14285714285714285
    """
    return _rate(CER(), references, hypotheses, options)


def _rate(metric: EditRate, references: Any, hypotheses: Any, options: Scoring) -> float:
    """Return the rate of all pairs; the tables and notes of `misword.score` are not made."""
    if isinstance(hypotheses, Mapping) or is_frame(hypotheses):
        raise OptionError(
            "hypotheses of several systems have no single rate",
            fix="give one column of texts, or use misword.score for several systems",
        )
    context = Context.of(**chosen(options, Models))
    combined = combine(context, metric.name, **options)
    pairs = prepare_with(
        combined, make_corpus(references, hypotheses), options["equivalents"], context
    )
    counts = metric.measure(pairs).sum(axis=0)
    return float(metric.rate(metric.terms(counts)))
