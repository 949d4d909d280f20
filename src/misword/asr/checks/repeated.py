"""Hypotheses that repeat themselves: one text for many utterances, or a loop within one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.findings import Finding, Severity, found
from misword.asr.checking.texts import CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.asr.suspicious.flags import LOOPED
from misword.asr.suspicious.loops import looped_words
from misword.core.formatting import counted
from misword.text.texts import Texts
from misword.text.tokens import encode_words

FEWEST_WORDS, CHARACTERS = 3, 10  # of a text; shorter ones are answers that many people give
WARNED_SHARE = 0.002  # of the lines with the same text
FEWEST_LINES = 4  # with the same wrong text
WRONG = 0.8  # the least error rate of a text that was not said
WARNED = 5  # lines with a loop


@dataclass(frozen=True, slots=True)
class Repeated(Check):
    """The same hypothesis for different references, and loops within a hypothesis.

    Recognisers that were trained on subtitles write texts such as `Thank you for watching` where
    nothing was said, and some repeat a phrase over and over.

    Example: `misword check ref.txt hyp.txt --checks repeated`
    """

    name: ClassVar[str] = "repeated"
    title: ClassVar[str] = "repeated hypotheses"
    family: ClassVar[str] = "content"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Look at the right side of each pair."""
        for pair in texts.matching_pairs:
            yield from _same_text(pair)
            yield from _loops(pair)


def _same_text(pair: TextPair) -> Iterator[Finding]:
    """Yield texts that stand for several different texts of the other side, all wrongly."""
    places: dict[str, list[tuple[int, int]]] = defaultdict(list)
    said = set(pair.left.plain)
    wrong = pair.errors >= WRONG * pair.left_words
    for (mate, row), is_wrong in zip(pair.rows.tolist(), wrong.tolist(), strict=True):
        text = pair.right.plain[row]
        if is_wrong and text not in said and _is_long(pair.right.words[row]):
            places[text].append((row, mate))
    for rows in sorted(places.values(), key=len, reverse=True):
        references = {pair.left.plain[mate] for _, mate in rows}
        if len(references) >= FEWEST_LINES:
            shown = pair.right.texts[rows[0][0]]
            many = len(rows) >= WARNED_SHARE * len(pair.rows)
            yield found(
                Repeated.name,
                "warning" if many else "note",
                pair.right,
                f"{counted(len(rows), 'line')} have the same text, which was never said: "
                f"{shown[:60]}",
                rows=[row for row, _ in rows],
                other=pair.left,
                pairs=rows,
                evidence={"different texts on the other side": len(references)},
            )


def _is_long(words: Sequence[str]) -> bool:
    return len(words) >= FEWEST_WORDS and sum(map(len, words)) >= CHARACTERS


def _loops(pair: TextPair) -> Iterator[Finding]:
    """Yield the lines in which a phrase is repeated more often than it was said."""
    left, right = encode_words([Texts.of(pair.left.plain), Texts.of(pair.right.plain)])
    looped = looped_words(left.take(pair.rows[:, 0]), right.take(pair.rows[:, 1]))
    rows = [(row, mate) for mate, row in pair.rows[looped >= LOOPED].tolist()]
    if rows:
        severity: Severity = "warning" if len(rows) >= WARNED else "note"
        verb = "repeats" if len(rows) == 1 else "repeat"
        yield found(
            Repeated.name,
            severity,
            pair.right,
            f"{counted(len(rows), 'line')} {verb} a phrase over and over",
            rows=[row for row, _ in rows],
            other=pair.left,
            pairs=rows,
        )
