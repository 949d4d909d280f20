"""Checks of conventions of writing on one side only: case, punctuation, tokens, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from misword.asr.checking.findings import Finding, Severity, found, score_with, sed
from misword.asr.checking.texts import CheckedText, CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.formatting import counted

# Capital letters on one side only.

FEWEST_LETTERS = 200  # with and without case, for a statement on a whole text
# Shares of capital letters: of a text all in capitals, and of one without capitals.
CAPITALS, NO_CAPITALS = 0.9, 0.002
# The least share of capitals that a text with normal sentences and names has.
SENTENCES = 0.01
FEWEST_LINES = 5  # in capitals, within a text that is not
LINE_LETTERS = 12  # a line of fewer letters may be an abbreviation
DESCRIPTIONS = {"upper": "all in capitals", "lower": "without capitals", "mixed": "in mixed case"}


@dataclass(frozen=True, slots=True)
class CaseCheck(Check):
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
        CaseCheck.name,
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
                CaseCheck.name,
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


# Punctuation on one side only.

# Signs at the end of a word: a point within a number or an abbreviation is not punctuation.
SIGNS = re.compile(r"[.,;:!?…](?=[\s\"»”)]|$)|[。，、；：！？؟،।]")
FEWEST_SIGNS = 20
# Signs for each word: of a text with punctuation, and of one without.
WITH, WITHOUT = 0.04, 0.002


@dataclass(frozen=True, slots=True)
class PunctuationCheck(Check):
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


# Words that one side divides in another way: subword marks, separate punctuation, apostrophes.


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
FEWEST_MARKS = 5  # of a mark
SEPARATE = re.compile(r"\s[.,;!?](?=\s|$)")
JOINED = re.compile(r"\w[.,;!?](?=\s|$)")
# An apostrophe at the end of a word or the beginning: `qu' il`, `it 's`, `do n't`.
DIVIDED = re.compile(r"\w['’] \w|\w ['’]\w|\wn? n['’]t\b")
UNDIVIDED = re.compile(r"\w['’]\w")
LEAST_RATE = 0.005  # of the words
CLEAR = 0.95  # the least share of one way of writing


@dataclass(frozen=True, slots=True)
class TokenisationCheck(Check):
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
        if marks < FEWEST_MARKS:
            continue
        severity: Severity = "error" if 2 * len(rows) > len(text) else "warning"
        yield found(
            TokenisationCheck.name,
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
        if share < CLEAR or other_share > 1 - CLEAR or min(ours, theirs) < FEWEST_MARKS:
            continue
        if ours < LEAST_RATE * sum(map(len, text.words)):
            continue
        rows = pair.rows if text is pair.left else pair.rows[:, ::-1]
        yield found(
            TokenisationCheck.name,
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


# Numbers in digits on one side only.

FEWEST_NUMBERS = 15  # words with digits on the side that has them
LEAST_SHARE = 0.002  # of the words
SELDOM = 0.05  # the other side has less than this share of as many


@dataclass(frozen=True, slots=True)
class NumbersCheck(Check):
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
                if count < FEWEST_NUMBERS or count < LEAST_SHARE * size:
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
