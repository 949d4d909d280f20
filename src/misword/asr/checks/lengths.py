"""Lengths that cannot belong together, and texts that were cut off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.findings import Finding, Severity, found
from misword.asr.checking.texts import CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.formatting import counted
from misword.core.types import Op

RATIO = 4.0  # how much longer than its counterpart a text may be
DIFFERENCE = 15  # words by which it must be longer
FEW_ERRORS = 0.75  # a text that is cut off is right up to the cut
CUT_WORDS = 5  # that are missing at the end
CUT_SHARE = 0.3  # of the words of the reference
WARNED_LINES, WARNED_SHARE = 5, 0.002
LONGEST_WORD = 12  # characters: a limit may also cut between words
FEWEST_AT_LIMIT = 5


@dataclass(frozen=True, slots=True)
class Lengths(Check):
    """Texts far longer or shorter than their counterparts, and texts that were cut off.

    A text is cut off if it is right up to a point and at least five words and 30 % of the reference
    are missing after it. If all long texts end at one length, a limit has cut them.

    Example: `misword check ref.txt hyp.txt --checks lengths`
    """

    name: ClassVar[str] = "lengths"
    title: ClassVar[str] = "lengths"
    family: ClassVar[str] = "content"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare the lengths of each pair of texts."""
        for pair in texts.matching_pairs:
            limit = list(_at_limit(pair))
            yield from limit
            cut = _cut_off(pair)
            if not limit:
                yield from _reported(pair, cut, "{} cut off: the end of the text of {} is missing")
            unlike = _unlike(pair.left_words, pair.right_words) & ~cut
            yield from _reported(pair, unlike, "{} more than four times as long or short as in {}")
        for pair in texts.translated_pairs:
            left, right = _characters(pair)
            unlike = _unlike(left / 6, right / 6 * left.sum() / max(1, right.sum()))
            yield from _reported(pair, unlike, "{} more than four times as long or short as in {}")


def _reported(pair: TextPair, chosen: NDArray[np.bool_], message: str) -> Iterator[Finding]:
    """Yield a finding on some pairs of rows: a warning if they are many."""
    rows = [(row, mate) for mate, row in pair.rows[chosen].tolist()]
    if not rows:
        return
    many = len(rows) >= WARNED_LINES and len(rows) >= WARNED_SHARE * len(pair.rows)
    severity: Severity = "warning" if many else "note"
    verb = "is" if len(rows) == 1 else "are"
    yield found(
        Lengths.name,
        severity,
        pair.right,
        message.format(f"{counted(len(rows), 'line')} {verb}", pair.left.name),
        rows=[row for row, _ in rows],
        other=pair.left,
        pairs=rows,
        evidence={"share of lines": len(rows) / len(pair.rows)},
    )


def _unlike(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which pairs have lengths (in words) that cannot belong together; empty texts may."""
    longer, shorter = np.maximum(left, right), np.minimum(left, right)
    unlike = (shorter > 0) & (longer > RATIO * shorter) & (longer - shorter >= DIFFERENCE)
    return np.asarray(unlike, bool)


def _characters(pair: TextPair) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the numbers of characters of each pair of rows."""
    left, right = (np.array([len(t) for t in text.plain]) for text in (pair.left, pair.right))
    return left[pair.rows[:, 0]], right[pair.rows[:, 1]]


def _cut_off(pair: TextPair) -> NDArray[np.bool_]:
    """Return which right texts are right up to a point and have nothing after it."""
    missing = trailing_deletions(pair)
    kept = pair.left_words - missing
    rest = pair.errors - missing
    is_right = (pair.right_words >= 3) & (rest <= (1 - FEW_ERRORS) * np.maximum(kept, 1))
    is_cut = (missing >= CUT_WORDS) & (missing >= CUT_SHARE * pair.left_words)
    return np.asarray(is_right & is_cut, bool)


def trailing_deletions(pair: TextPair) -> NDArray[np.int64]:
    """Return the number of left words after the last word that the right text has."""
    operations, offsets = pair.alignment.all_operations, pair.alignment.all_offsets
    # For each place between operations, the place after the last one before it that is no deletion.
    kept = np.flatnonzero(operations != Op.DELETION) + 1
    last = np.zeros(len(operations) + 1, np.int64)
    last[kept] = kept
    last = np.maximum.accumulate(last)
    ends, starts = offsets[1:], offsets[:-1]
    return np.asarray(ends - np.maximum(last[ends], starts))


def _at_limit(pair: TextPair) -> Iterator[Finding]:
    """Yield a finding if all right texts whose left text is long end at about one length."""
    left, right = _characters(pair)
    if not len(right):
        return
    limit = int(right.max())
    long = left > 1.15 * limit
    cut = long & (right >= limit - LONGEST_WORD)
    if long.sum() < FEWEST_AT_LIMIT or cut.sum() < FEW_ERRORS * long.sum():
        return
    rows = [(row, mate) for mate, row in pair.rows[cut].tolist()]
    yield found(
        Lengths.name,
        "warning",
        pair.right,
        f"{counted(len(rows), 'text')} are cut off: all long texts end after about {limit:,} "
        "characters",
        rows=[row for row, _ in rows],
        other=pair.left,
        pairs=rows,
        evidence={"longest text": limit, "longest text on the other side": int(left.max())},
    )
