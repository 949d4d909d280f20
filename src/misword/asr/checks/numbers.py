"""Numbers in digits on one side only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.commands import score_with
from misword.asr.checking.findings import Finding, found
from misword.asr.checking.texts import CheckedText, CheckedTexts
from misword.asr.checks import Check

FEWEST = 15  # words with digits on the side that has them
LEAST_SHARE = 0.002  # of the words
SELDOM = 0.05  # the other side has less than this share of as many


@dataclass(frozen=True, slots=True)
class Numbers(Check):
    """Numbers in digits on one side, where the other side writes them in words.

    Known problems: that the other side has number words is not checked.

    Example: `misword check ref.txt hyp.txt --checks numbers --lang en`
    """

    name: ClassVar[str] = "numbers"
    title: ClassVar[str] = "numbers"
    family: ClassVar[str] = "writing"

    @property
    def uses(self) -> tuple[str, ...]:
        """The language is in the command that is proposed."""
        return ("lang",)

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare both sides of each pair."""
        lang = f" --lang {texts.context.lang}" if texts.context.lang else ""
        for pair in texts.pairs:
            for text, other in ((pair.right, pair.left), (pair.left, pair.right)):
                count, size = _with_digits(text)
                others, other_size = _with_digits(other)
                if count < FEWEST or count < LEAST_SHARE * size:
                    continue
                if others / max(1, other_size) > SELDOM * count / max(1, size):
                    continue
                rows = pair.rows if text is pair.left else pair.rows[:, ::-1]
                shown = [(a, b) for a, b in rows.tolist() if _has_digit(text.texts[a])]
                yield found(
                    self.name,
                    "warning",
                    text,
                    f"this has {count:,} words with digits, {other.name} has "
                    f"{f'only {others:,}' if others else 'none'}",
                    other=other,
                    pairs=shown,
                    evidence={"words with digits": count, "on the other side": others},
                    mend=score_with(pair, f"--forgive numbers{lang}"),
                )


def _with_digits(text: CheckedText) -> tuple[int, int]:
    """Return the number of words with a digit, and of all words."""
    words = [word for line in text.words for word in line]
    return sum(map(_has_digit, words)), len(words)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
