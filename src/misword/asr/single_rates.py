"""The functions `wer` and `cer`, which return one number.

Short texts with the usual options take a direct way to a kernel, which needs neither numpy nor
polars: one call takes some microseconds, and the first one in a process does not wait for imports.
All other texts and options take the way of `misword.score`. Both give the same number.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Callable, Mapping
from ctypes import byref, c_int64
from itertools import chain
from math import nan
from os.path import exists
from typing import TYPE_CHECKING, Any, Unpack
from unicodedata import is_normalized, normalize

from misword.asr.options import Scoring, combine
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.options import chosen, defaults, takes
from misword.embed.options import Models
from misword.native.library import BYTES, INTEGER, OK, RESULT, kernel

if TYPE_CHECKING:
    from misword.asr.metrics.edit_rate import EditRate

# The direct way is for texts of so many characters. Longer ones take so long that the way of
# `misword.score`, which uses all processors and less memory, is not slower.
MOST_CHARACTERS = 8192
MOST_ROWS = 100
INT32 = 4  # bytes of a token
UTF_32 = f"utf-32-{sys.byteorder[0]}e"  # code points as int32 numbers of this machine
SURROGATES = re.compile("[\ud800-\udfff]")  # halves of characters, which no encoding can write

_count_errors = kernel("misword_count_pair_errors", BYTES, INTEGER, BYTES, INTEGER, RESULT)

# The tokens of a reference and a hypothesis, each as bytes of int32 numbers.
TokenPair = tuple[bytes, bytes]


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
    if (rate := _direct_rate(references, hypotheses, options, _word_tokens)) is not None:
        return rate
    from misword.asr.metrics.rates import WER

    return _rate(WER(), references, hypotheses, options)


@takes(Scoring)
def cer(references: Any, hypotheses: Any, **options: Unpack[Scoring]) -> float:
    """Return the character error rate; arguments and result are as in `wer`.

    Spaces between words are characters; the number of spaces does not matter.

    >>> import misword
    >>> misword.cer("the cat", "the bat")
    0.14285714285714285
    """
    if (rate := _direct_rate(references, hypotheses, options, _code_points)) is not None:
        return rate
    from misword.asr.metrics.rates import CER

    return _rate(CER(), references, hypotheses, options)


def _direct_rate(
    references: Any,
    hypotheses: Any,
    options: Scoring,
    tokens: Callable[[str, str], TokenPair],
) -> float | None:
    """Return the rate by the direct way; None if the texts or the options need the other one."""
    if type(references) is str and type(hypotheses) is str:
        if exists(references) and exists(hypotheses):  # names of files, which are an error
            return None
        references, hypotheses = (references,), (hypotheses,)
    elif not _are_short_columns(references, hypotheses):
        return None
    if sum(map(len, references)) + sum(map(len, hypotheses)) > MOST_CHARACTERS:
        return None
    if options != defaults(Scoring):
        return None
    errors = size = 0
    distance = c_int64()
    for reference, hypothesis in zip(references, hypotheses, strict=True):
        if not (_is_plain(reference) and _is_plain(hypothesis)):
            return None
        left, right = tokens(_composed(reference), _composed(hypothesis))
        words = len(left) // INT32
        if _count_errors(left, words, right, len(right) // INT32, byref(distance)) != OK:
            return None
        errors += distance.value
        size += words
    return errors / size if size else nan


def _are_short_columns(references: Any, hypotheses: Any) -> bool:
    """Return whether both are lists of strings of the same length, not empty and not long."""
    return (
        type(references) is list
        and type(hypotheses) is list
        and 0 < len(references) == len(hypotheses) <= MOST_ROWS
        and all(type(text) is str for text in chain(references, hypotheses))
    )


def _is_plain(text: str) -> bool:
    """Return whether a text is without braces, which write alternatives, and can be encoded."""
    if "{" in text or "\0" in text:
        return False
    return text.isascii() or not SURROGATES.search(text)


def _composed(text: str) -> str:
    """Return a text as the usual normalizer, `nfc`, writes it."""
    return text if text.isascii() or is_normalized("NFC", text) else normalize("NFC", text)


def _word_tokens(reference: str, hypothesis: str) -> TokenPair:
    """Return the words of two texts as numbers: equal words have equal numbers."""
    numbers: dict[str, int] = {}
    left, right = (
        [numbers.setdefault(word, len(numbers)) for word in text.split()]
        for text in (reference, hypothesis)
    )
    return array("i", left).tobytes(), array("i", right).tobytes()


def _code_points(reference: str, hypothesis: str) -> TokenPair:
    """Return the characters of two texts; white space between words is one space."""
    return " ".join(reference.split()).encode(UTF_32), " ".join(hypothesis.split()).encode(UTF_32)


def _rate(metric: EditRate, references: Any, hypotheses: Any, options: Scoring) -> float:
    """Return the rate of all pairs; the tables and notes of `misword.score` are not made."""
    from misword.asr.corpus import is_frame, make_corpus
    from misword.asr.measuring import prepare_with

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
