"""Characters that look alike and are written in different ways on the two sides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple
from unicodedata import is_normalized, normalize

from misword.asr.checking.commands import score_with, substitute
from misword.asr.checking.findings import Finding, found
from misword.asr.checking.texts import CheckedText, CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.formatting import counted

FEWEST = 5  # of a sign on one side
SELDOM = 0.05  # a way of writing with at most this share of the places is not that of the text
# Not full-width punctuation, which is usual in Chinese and Japanese.
COMPATIBLE = re.compile("[\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9d]")
INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad]|(?<![\u0600-\u0dff])[\u200c\u200d](?=\\w)")


class Variants(NamedTuple):
    """Two ways of writing a sign within words, and the options that make them equal."""

    what: str
    one: re.Pattern[str]
    other: re.Pattern[str]
    options: str
    changes: dict[str, str]


VARIANTS = (
    Variants(
        "apostrophes", re.compile(r"(?<=\w)’"), re.compile(r"(?<=\w)'"),
        "--normalize nfc,apostrophe", {},
    ),
    Variants(
        "hyphens", re.compile(r"(?<=\w)[\u2010\u2011\u2013\u2212](?=\w)"),
        re.compile(r"(?<=\w)-(?=\w)"), "",
        {"\u2010": "-", "\u2011": "-", "\u2013": "-", "\u2212": "-"},
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Characters(Check):
    """Characters that look alike: normal forms, ligatures, apostrophes, hyphens, invisible ones.

    Error rates compare texts in the normal form NFC by default, so different normal forms are a
    note. The other differences make words different.

    Example: `misword check ref.txt hyp.txt --checks characters`
    """

    name: ClassVar[str] = "characters"
    title: ClassVar[str] = "characters that look alike"
    family: ClassVar[str] = "writing"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare both sides of each pair; look at each text alone for normal forms."""
        for text in texts.files:
            yield from _decomposed(text)
        for pair in texts.pairs:
            yield from _on_one_side(
                pair, COMPATIBLE, "ligatures or full-width letters", "--normalize nfkc"
            )
            yield from _on_one_side(
                pair, INVISIBLE, "invisible characters", "--normalize nfc,nozerowidth"
            )
            for variants in VARIANTS:
                yield from _written_differently(pair, variants)


def _decomposed(text: CheckedText) -> Iterator[Finding]:
    """Yield a note on the lines that are not in the normal form NFC."""
    rows = [row for row, line in enumerate(text.texts) if _is_decomposed(line)]
    if not rows:
        return
    composed = sum(not line.isascii() for line in text.texts) - len(rows)
    mixed = ", and others are composed" if composed > 0 else ""
    yield found(
        Characters.name,
        "note",
        text,
        f"letters and accents are separate characters (NFD) in {counted(len(rows), 'line')}{mixed}"
        "; misword compares texts in the form NFC, other programs may not",
        rows=rows,
        evidence={"share of lines": len(rows) / len(text)},
    )


def _is_decomposed(line: str) -> bool:
    """Return whether NFC shortens a text: some characters are only replaced by others."""
    return not is_normalized("NFC", line) and len(normalize("NFC", line)) < len(line)


def _on_one_side(
    pair: TextPair, pattern: re.Pattern[str], what: str, options: str
) -> Iterator[Finding]:
    """Yield the lines of one side that have characters which the other side does not have."""
    for text, other in ((pair.right, pair.left), (pair.left, pair.right)):
        rows = [row for row, line in enumerate(text.texts) if pattern.search(line)]
        if rows and not any(pattern.search(line) for line in other.texts):
            yield found(
                Characters.name,
                "warning",
                text,
                f"{what} in {counted(len(rows), 'line')}, none in {other.name}",
                rows=rows,
                evidence={"share of lines": len(rows) / len(text)},
                mend=score_with(pair, options),
            )


def _written_differently(pair: TextPair, variants: Variants) -> Iterator[Finding]:
    """Yield a finding if each side has its own way of writing a sign."""
    left_one, left_other = _counts(pair.left, variants)
    right_one, right_other = _counts(pair.right, variants)
    if _prefers(left_one, left_other) and _prefers(right_other, right_one):
        text, other = pair.left, pair.right
    elif _prefers(right_one, right_other) and _prefers(left_other, left_one):
        text, other = pair.right, pair.left
    else:
        return
    rows = [row for row, line in enumerate(text.texts) if variants.one.search(line)]
    options = variants.options
    yield found(
        Characters.name,
        "warning",
        text,
        f"{variants.what} are other characters than in {other.name}",
        rows=rows,
        evidence={"here": max(left_one, right_one), "there": max(left_other, right_other)},
        mend=score_with(pair, options) if options else substitute(variants.changes, text),
    )


def _prefers(chosen: int, other: int) -> bool:
    """Return whether a text clearly has one of two ways of writing."""
    return chosen >= FEWEST and other <= SELDOM * chosen


def _counts(text: CheckedText, variants: Variants) -> tuple[int, int]:
    """Return how often a text writes a sign in the one way and in the other."""
    one = sum(len(variants.one.findall(line)) for line in text.texts)
    return one, sum(len(variants.other.findall(line)) for line in text.texts)
