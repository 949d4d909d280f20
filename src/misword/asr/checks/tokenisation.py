"""Words that one side divides in another way: subword marks, separate punctuation, apostrophes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from misword.asr.checking.commands import sed
from misword.asr.checking.findings import Finding, Severity, found
from misword.asr.checking.texts import CheckedText, CheckedTexts, TextPair
from misword.asr.checks import Check


class SubwordMark(NamedTuple):
    """A mark by which programs divide words: its pattern, and how sed joins the words again."""

    name: str
    pattern: re.Pattern[str]
    joining: tuple[str, ...]


SUBWORDS = (
    SubwordMark("@@", re.compile(r"\S@@(?=\s|$)"), ("s/@@ //g", "s/@@$//")),
    SubwordMark("▁", re.compile(r"(?:^|\s)▁\S"), ("s/ //g", "s/▁/ /g", "s/^ //")),
    SubwordMark("##", re.compile(r"\s##\w"), ("s/ ##//g",)),
    SubwordMark("Ġ", re.compile(r"(?:^|\s)Ġ\S"), ("s/ //g", "s/Ġ/ /g", "s/^ //")),
)
FEWEST = 5  # of a mark
SEPARATE = re.compile(r"\s[.,;!?](?=\s|$)")
JOINED = re.compile(r"\w[.,;!?](?=\s|$)")
# An apostrophe at the end of a word or the beginning: `qu' il`, `it 's`, `do n't`.
DIVIDED = re.compile(r"\w['’] \w|\w ['’]\w|\wn? n['’]t\b")
UNDIVIDED = re.compile(r"\w['’]\w")
LEAST_RATE = 0.005  # of the words
CLEAR = 0.95  # the least share of one way of writing


@dataclass(frozen=True, slots=True)
class Tokenisation(Check):
    """Words divided by a program on one side: subword marks, separate punctuation, apostrophes.

    Example: `misword check ref.txt hyp.txt --checks tokenisation`
    """

    name: ClassVar[str] = "tokenisation"
    title: ClassVar[str] = "tokenisation"
    family: ClassVar[str] = "writing"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Look for subword marks in each text, and compare both sides of each pair."""
        for text in texts.files:
            yield from _subwords(text)
        for pair in texts.pairs:
            yield from _differences(
                pair, "writes punctuation as words of its own", SEPARATE, JOINED,
                (r"s/ \([.,;!?]\)\( \|$\)/\1\2/g",) * 2,
            )  # fmt: skip
            yield from _differences(
                pair, "divides words at apostrophes", DIVIDED, UNDIVIDED,
                (r"s/\(['’]\) /\1/g", r"s/ \(['’]\)/\1/g", r"s/ n\(['’]\)t/n\1t/g"),
            )  # fmt: skip


def _subwords(text: CheckedText) -> Iterator[Finding]:
    for mark in SUBWORDS:
        rows = [row for row, line in enumerate(text.texts) if mark.pattern.search(line)]
        marks = sum(len(mark.pattern.findall(text.texts[row])) for row in rows)
        if marks < FEWEST:
            continue
        severity: Severity = "error" if 2 * len(rows) > len(text) else "warning"
        yield found(
            Tokenisation.name,
            severity,
            text,
            f"words are divided into subwords: the mark {mark.name} is there {marks:,} times",
            rows=rows,
            evidence={"marks": marks, "share of lines": len(rows) / len(text)},
            mend=sed(mark.joining, text) if text.is_lines else "",
        )


def _differences(
    pair: TextPair,
    what: str,
    divided: re.Pattern[str],
    joined: re.Pattern[str],
    commands: Sequence[str],
) -> Iterator[Finding]:
    """Yield a finding if one side divides what the other side joins."""
    counts = {
        id(text): (_count(text, divided), _count(text, joined)) for text in (pair.left, pair.right)
    }
    for text, other in ((pair.right, pair.left), (pair.left, pair.right)):
        ours, joined_here = counts[id(text)]
        divided_there, theirs = counts[id(other)]
        share, other_share = _share(ours, joined_here), _share(divided_there, theirs)
        if share < CLEAR or other_share > 1 - CLEAR or min(ours, theirs) < FEWEST:
            continue
        if ours < LEAST_RATE * sum(map(len, text.words)):
            continue
        rows = pair.rows if text is pair.left else pair.rows[:, ::-1]
        yield found(
            Tokenisation.name,
            "warning",
            text,
            f"this {what} ({ours:,} times), {other.name} does not",
            other=other,
            pairs=[(a, b) for a, b in rows.tolist() if divided.search(text.texts[a])],
            evidence={"share divided": share, "on the other side": other_share},
            mend=sed(commands, text) if text.is_lines else "",
        )


def _share(divided: int, joined: int) -> float:
    """Return the share of places that are divided, of all where a text could divide."""
    return divided / max(1, divided + joined)


def _count(text: CheckedText, pattern: re.Pattern[str]) -> int:
    return sum(len(pattern.findall(line)) for line in text.texts)
