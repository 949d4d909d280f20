"""Capital letters on one side only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.commands import score_with
from misword.asr.checking.findings import Finding, found
from misword.asr.checking.texts import CheckedText, CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.formatting import counted

FEWEST_LETTERS = 200  # with and without case, for a statement on a whole text
# Shares of capital letters: of a text all in capitals, and of one without capitals.
CAPITALS, NO_CAPITALS = 0.9, 0.002
# The least share of capitals that a text with normal sentences and names has.
SENTENCES = 0.01
FEWEST_LINES = 5  # in capitals, within a text that is not
LINE_LETTERS = 12  # a line of fewer letters may be an abbreviation
DESCRIPTIONS = {"upper": "all in capitals", "lower": "without capitals", "mixed": "in mixed case"}


@dataclass(frozen=True, slots=True)
class Case(Check):
    """Text in capitals, or without capitals, whose other side is written in another way.

    Error rates count `The` and `the` as different words unless case is forgiven or removed.

    Example: `misword check ref.txt hyp.txt --checks case`
    """

    name: ClassVar[str] = "case"
    title: ClassVar[str] = "case"
    family: ClassVar[str] = "writing"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare both sides of each pair."""
        for pair in texts.pairs:
            left, right = (_kind(text.texts) for text in (pair.left, pair.right))
            if left and right and left != right:
                yield _difference(pair, left, right)
            elif left == right:
                yield from _lines_in_capitals(pair)


def _difference(pair: TextPair, left: str, right: str) -> Finding:
    return found(
        Case.name,
        "warning",
        pair.right,
        f"this is {DESCRIPTIONS[right]}, {pair.left.name} is {DESCRIPTIONS[left]}",
        other=pair.left,
        pairs=[(row, mate) for mate, row in pair.rows[:3].tolist()],
        evidence={
            "capital letters": _share_of_capitals("".join(pair.right.texts)),
            "on the other side": _share_of_capitals("".join(pair.left.texts)),
        },
        mend=score_with(pair, "--forgive case"),
    )


def _lines_in_capitals(pair: TextPair) -> Iterator[Finding]:
    """Yield lines in capitals within a text that is not, if the other side is not in capitals."""
    for place, text, other in ((0, pair.left, pair.right), (1, pair.right, pair.left)):
        rows = [
            (row[place], row[1 - place])
            for row in pair.rows.tolist()
            if _is_shouted(text, row[place]) and not other.texts[row[1 - place]].isupper()
        ]
        if len(rows) >= FEWEST_LINES and 2 * len(rows) < len(text):
            yield found(
                Case.name,
                "warning",
                text,
                f"{counted(len(rows), 'line')} are in capitals, the others are not",
                rows=[row for row, _ in rows],
                other=other,
                pairs=rows,
                evidence={"share of lines": len(rows) / len(text)},
                mend=score_with(pair, "--forgive case"),
            )


def _is_shouted(text: CheckedText, row: int) -> bool:
    line = text.texts[row]
    return line.isupper() and len(line.split()) > 1 and len(line) >= LINE_LETTERS


def _kind(texts: Sequence[str]) -> str:
    """Return `upper`, `lower` or `mixed`; empty if there are too few letters or no clear answer."""
    joined = "".join(texts)
    cased = sum(map(str.isupper, joined)) + sum(map(str.islower, joined))
    if cased < FEWEST_LETTERS or 2 * cased < sum(map(str.isalpha, joined)):
        return ""
    share = _share_of_capitals(joined)
    if share >= CAPITALS:
        return "upper"
    if share <= NO_CAPITALS:
        return "lower"
    return "mixed" if SENTENCES <= share <= 1 / 2 else ""


def _share_of_capitals(text: str) -> float:
    upper, lower = sum(map(str.isupper, text)), sum(map(str.islower, text))
    return upper / max(1, upper + lower)
