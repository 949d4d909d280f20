"""Punctuation on one side only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.commands import score_with
from misword.asr.checking.findings import Finding, found
from misword.asr.checking.texts import CheckedText, CheckedTexts
from misword.asr.checks import Check

# Signs at the end of a word: a point within a number or an abbreviation is not punctuation.
SIGNS = re.compile(r"[.,;:!?…](?=[\s\"»”)]|$)|[。，、；：！？؟،।]")
FEWEST_SIGNS = 20
# Signs for each word: of a text with punctuation, and of one without.
WITH, WITHOUT = 0.04, 0.002


@dataclass(frozen=True, slots=True)
class Punctuation(Check):
    """Punctuation that one side has and the other does not.

    Error rates count `so,` and `so` as different words unless punctuation is forgiven or removed.

    Example: `misword check ref.txt hyp.txt --checks punctuation`
    """

    name: ClassVar[str] = "punctuation"
    title: ClassVar[str] = "punctuation"
    family: ClassVar[str] = "writing"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare both sides of each pair."""
        for pair in texts.pairs:
            for text, other in ((pair.right, pair.left), (pair.left, pair.right)):
                signs, share = _signs(text)
                _, other_share = _signs(other)
                if signs >= FEWEST_SIGNS and share >= WITH and other_share <= WITHOUT:
                    rows = pair.rows if text is pair.left else pair.rows[:, ::-1]
                    shown = [(a, b) for a, b in rows.tolist() if SIGNS.search(text.texts[a])]
                    yield found(
                        self.name,
                        "warning",
                        text,
                        f"this has punctuation, {other.name} has none",
                        other=other,
                        pairs=shown,
                        evidence={"signs per word": share, "on the other side": other_share},
                        mend=score_with(pair, "--forgive punctuation"),
                    )


def _signs(text: CheckedText) -> tuple[int, float]:
    """Return the number of signs of punctuation, and that for each word."""
    signs = sum(len(SIGNS.findall(line)) for line in text.texts)
    return signs, signs / max(1, sum(map(len, text.words)))
