"""Hypotheses that were copied from the references, or made by a system that knew them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.commands import leave_out
from misword.asr.checking.findings import Finding, found
from misword.asr.checking.texts import CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.formatting import counted

FEWEST_LINES = 10  # of a stretch without errors
EXPECTED = 20.0  # errors that such a stretch would have if it were like the rest
LOW_RATE = 0.1  # the share of other stretches that may have even fewer errors
FEWEST_WORDS, MANY_WORDS = 300, 2_000  # of a whole text without errors


@dataclass(frozen=True, slots=True)
class Copied(Check):
    """Stretches of hypotheses without any error, while the rest of the text has errors.

    A stretch is reported if at least 20 errors would be expected in it. The expectation is that of
    the best tenth of all stretches of the same size, so that easy recordings are no finding.
    Case and punctuation are ignored.

    Known problems: a system that makes few errors makes long stretches without errors; fewer than
    20 expected errors say nothing.

    Example: `misword check ref.txt hyp.txt --checks copied`
    """

    name: ClassVar[str] = "copied"
    title: ClassVar[str] = "copied references"
    family: ClassVar[str] = "content"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Look for stretches without errors in each pair."""
        for pair in texts.matching_pairs:
            words, errors = pair.left_words, pair.errors
            if not len(words) or not words.sum():
                continue
            if not errors.any():
                yield from _whole_text(pair)
                continue
            for first, last in stretches(words, errors):
                yield _finding(texts, pair, first, last)


def _whole_text(pair: TextPair) -> Iterator[Finding]:
    """Yield a finding if a whole text of some length has no error."""
    words = int(pair.left_words.sum())
    if words >= FEWEST_WORDS and len(pair.rows) >= FEWEST_LINES:
        yield found(
            Copied.name,
            "warning" if words >= MANY_WORDS else "note",
            pair.right,
            f"all {counted(len(pair.rows), 'line')} have the same words as {pair.left.name}",
            other=pair.left,
            evidence={"words": words},
        )


def _finding(texts: CheckedTexts, pair: TextPair, first: int, last: int) -> Finding:
    rows = pair.rows[first : last + 1]
    words = int(pair.left_words[first : last + 1].sum())
    outside = np.ones(len(pair.rows), bool)
    outside[first : last + 1] = False
    rate = pair.errors[outside].sum() / max(1, pair.left_words[outside].sum())
    size = last - first + 1
    return found(
        Copied.name,
        "warning",
        pair.right,
        f"{counted(size, 'consecutive line')} with {words:,} words have no error, the other lines "
        f"have {100 * rate:.1f} % errors: they may be copied from {pair.left.name}",
        rows=rows[:, 1].tolist(),
        other=pair.left,
        pairs=[(row, mate) for mate, row in rows[:3].tolist()],
        evidence={"words without error": words, "error rate of the other lines": float(rate)},
        mend=leave_out(texts, pair.right, rows[:, 1].tolist()),
    )


def stretches(words: NDArray[np.int64], errors: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last row of stretches without errors that are too long for chance.

    >>> words, errors = np.full(200, 10), np.full(200, 2)
    >>> errors[50:80] = 0
    >>> list(stretches(words, errors))
    [(50, 79)]
    """
    ends = np.flatnonzero(np.concatenate([[True], errors > 0, [True]]))
    for start, end in zip(ends[:-1].tolist(), (ends[1:] - 1).tolist(), strict=True):
        lines, size = end - start, int(words[start:end].sum())
        if lines < FEWEST_LINES or not size:
            continue
        rate = _low_rate(np.delete(words, slice(start, end)), np.delete(errors, slice(start, end)),
                         size)  # fmt: skip
        if rate * size >= EXPECTED:
            yield start, end - 1


def _low_rate(words: NDArray[np.int64], errors: NDArray[np.int64], size: int) -> float:
    """Return the error rate of the best tenth of stretches with about `size` words."""
    places = np.cumsum(words)
    total = int(places[-1]) if len(places) else 0
    if total < size:  # the rest is smaller than the stretch
        return float(errors.sum() / max(1, total)) if total >= FEWEST_WORDS else 0.0
    block = np.minimum((places - 1) // size, total // size - 1)
    rates = np.bincount(block, errors) / np.maximum(1, np.bincount(block, words))
    return float(np.quantile(rates, LOW_RATE))
