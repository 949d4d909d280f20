"""Checks for different writing conventions: case, punctuation, tokenisation, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from misword.asr.checking.findings import (
    Finding,
    Severity,
    make_finding,
    score_command,
    sed_command,
)
from misword.asr.checking.texts import CheckedText, CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.formatting import counted

# Capital letters on one side only.

FEWEST_LETTERS = 200  # cased letters that a decision on a whole text needs
# Shares of capital letters: at least, in a text in capitals; at most, in a text without capitals.
CAPITALS, NO_CAPITALS = 0.9, 0.002
# The least share of capitals in a text with normal sentences and names.
SENTENCES = 0.01
FEWEST_LINES = 5  # lines in capitals within a text in mixed case
LINE_LETTERS = 12  # a line of fewer letters may be an abbreviation
DESCRIPTIONS = {"upper": "all in capitals", "lower": "without capitals", "mixed": "in mixed case"}


@dataclass(frozen=True, slots=True)
class CaseCheck(Check):
    """Text in capitals, or without capitals, where the other side is not.

    Error rates count `The` and `the` as different words unless case is forgiven or removed.

    Example: `misword check ref.txt hyp.txt --checks case`
    """

    name: ClassVar[str] = "case"
    title: ClassVar[str] = "case"
    family: ClassVar[str] = "writing"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare both sides of each pair."""
        for pair in texts.pairs:
            left, right = (_letter_case(text.texts) for text in (pair.left, pair.right))
            if left and right and left != right:
                yield _case_finding(pair, left, right)
            elif left == right:
                yield from _lines_in_capitals(pair)


def _case_finding(pair: TextPair, left: str, right: str) -> Finding:
    return make_finding(
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
        mend=score_command(pair, "--forgive case"),
    )


def _lines_in_capitals(pair: TextPair) -> Iterator[Finding]:
    """Yield a finding about lines in capitals, where text and counterpart are in mixed case."""
    for place, text, other in ((0, pair.left, pair.right), (1, pair.right, pair.left)):
        rows = [
            (row[place], row[1 - place])
            for row in pair.rows.tolist()
            if _is_in_capitals(text, row[place]) and not other.texts[row[1 - place]].isupper()
        ]
        if len(rows) >= FEWEST_LINES and 2 * len(rows) < len(text):
            yield make_finding(
                CaseCheck.name,
                "warning",
                text,
                f"{counted(len(rows), 'line')} are in capitals, the others are not",
                rows=[row for row, _ in rows],
                other=other,
                pairs=rows,
                evidence={"share of lines": len(rows) / len(text)},
                mend=score_command(pair, "--forgive case"),
            )


def _is_in_capitals(text: CheckedText, row: int) -> bool:
    line = text.texts[row]
    return line.isupper() and len(line.split()) > 1 and len(line) >= LINE_LETTERS


def _letter_case(texts: Sequence[str]) -> str:
    """Return `upper`, `lower` or `mixed`; empty if letters are too few or the case is unclear."""
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
# Signs per word: at least, in a text with punctuation; at most, in a text without.
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
                    yield make_finding(
                        self.name,
                        "warning",
                        text,
                        f"this has punctuation, {other.name} has none",
                        other=other,
                        pairs=shown,
                        evidence={"signs per word": share, "on the other side": other_share},
                        mend=score_command(pair, "--forgive punctuation"),
                    )


def _signs(text: CheckedText) -> tuple[int, float]:
    """Return the number of punctuation marks, and their number per word."""
    signs = sum(map(len, map(SIGNS.findall, text.texts)))
    return signs, signs / max(1, sum(map(len, text.words)))


# Differences in tokenisation: subword marks, separate punctuation, divided apostrophes.


class SubwordMark(NamedTuple):
    """A mark of subword units: its pattern, and the sed commands that join the words again."""

    name: str
    pattern: re.Pattern[str]
    joining: tuple[str, ...]


SUBWORDS = (
    SubwordMark("@@", re.compile(r"\S@@(?=\s|$)"), ("s/@@ //g", "s/@@$//")),
    SubwordMark("▁", re.compile(r"(?:^|\s)▁\S"), ("s/ //g", "s/▁/ /g", "s/^ //")),
    SubwordMark("##", re.compile(r"\s##\w"), ("s/ ##//g",)),
    SubwordMark("Ġ", re.compile(r"(?:^|\s)Ġ\S"), ("s/ //g", "s/Ġ/ /g", "s/^ //")),
)
FEWEST_MARKS = 5  # occurrences
SEPARATE = re.compile(r"\s[.,;!?](?=\s|$)")
JOINED = re.compile(r"\w[.,;!?](?=\s|$)")
# An apostrophe at the end of a word or the beginning: `qu' il`, `it 's`, `do n't`.
DIVIDED = re.compile(r"\w['’] \w|\w ['’]\w|\wn? n['’]t\b")
UNDIVIDED = re.compile(r"\w['’]\w")
LEAST_RATE = 0.005  # the least number of divisions per word
CLEAR = 0.95  # the least share of one variant in a text that uses it


@dataclass(frozen=True, slots=True)
class TokenisationCheck(Check):
    """Words that a tokenizer divided on one side: subwords, separate punctuation, apostrophes.

    Example: `misword check ref.txt hyp.txt --checks tokenisation`
    """

    name: ClassVar[str] = "tokenisation"
    title: ClassVar[str] = "tokenisation"
    family: ClassVar[str] = "writing"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Find subword marks in each text, and compare both sides of each pair."""
        for text in texts.files:
            yield from _subword_findings(text)
        for pair in texts.pairs:
            yield from _division_findings(
                pair, "writes punctuation as words of its own", SEPARATE, JOINED,
                (r"s/ \([.,;!?]\)\( \|$\)/\1\2/g",) * 2,
            )  # fmt: skip
            yield from _division_findings(
                pair, "divides words at apostrophes", DIVIDED, UNDIVIDED,
                (r"s/\(['’]\) /\1/g", r"s/ \(['’]\)/\1/g", r"s/ n\(['’]\)t/n\1t/g"),
            )  # fmt: skip


def _subword_findings(text: CheckedText) -> Iterator[Finding]:
    for mark in SUBWORDS:
        rows = [row for row, line in enumerate(text.texts) if mark.pattern.search(line)]
        marks = sum(len(mark.pattern.findall(text.texts[row])) for row in rows)
        if marks < FEWEST_MARKS:
            continue
        severity: Severity = "error" if 2 * len(rows) > len(text) else "warning"
        yield make_finding(
            TokenisationCheck.name,
            severity,
            text,
            f"words are divided into subwords: the mark {mark.name} occurs {marks:,} times",
            rows=rows,
            evidence={"marks": marks, "share of lines": len(rows) / len(text)},
            mend=sed_command(mark.joining, text) if text.is_lines else "",
        )


def _division_findings(
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
        share, other_share = (
            _divided_share(ours, joined_here),
            _divided_share(divided_there, theirs),
        )
        if share < CLEAR or other_share > 1 - CLEAR or min(ours, theirs) < FEWEST_MARKS:
            continue
        if ours < LEAST_RATE * sum(map(len, text.words)):
            continue
        rows = pair.rows if text is pair.left else pair.rows[:, ::-1]
        yield make_finding(
            TokenisationCheck.name,
            "warning",
            text,
            f"this {what} ({ours:,} times), {other.name} does not",
            other=other,
            pairs=[(a, b) for a, b in rows.tolist() if divided.search(text.texts[a])],
            evidence={"share divided": share, "on the other side": other_share},
            mend=sed_command(commands, text) if text.is_lines else "",
        )


def _divided_share(divided: int, joined: int) -> float:
    """Return the share of divided places among all places that could be divided."""
    return divided / max(1, divided + joined)


def _count(text: CheckedText, pattern: re.Pattern[str]) -> int:
    return sum(map(len, map(pattern.findall, text.texts)))


# Numbers in digits on one side only.

FEWEST_NUMBERS = 15  # words with digits on the side that has them
LEAST_SHARE = 0.002  # the least share of words with digits on this side
SELDOM = 0.05  # the largest ratio of the share on the other side to that on this side


@dataclass(frozen=True, slots=True)
class NumbersCheck(Check):
    """Numbers in digits on one side, where the other side writes them in words.

    Known problems: number words on the other side are not looked up.

    Example: `misword check ref.txt hyp.txt --checks numbers --lang en`
    """

    name: ClassVar[str] = "numbers"
    title: ClassVar[str] = "numbers"
    family: ClassVar[str] = "writing"

    @property
    def uses(self) -> tuple[str, ...]:
        """The language, which is an option of the proposed command."""
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
                yield make_finding(
                    self.name,
                    "warning",
                    text,
                    f"this has {count:,} words with digits, {other.name} has "
                    f"{f'only {others:,}' if others else 'none'}",
                    other=other,
                    pairs=shown,
                    evidence={"words with digits": count, "on the other side": others},
                    mend=score_command(pair, f"--forgive numbers{lang}"),
                )


def _with_digits(text: CheckedText) -> tuple[int, int]:
    """Return the number of words with a digit, and of all words."""
    size = sum(map(len, text.words))
    found = "".join(sign for sign in set().union(*text.plain) if sign.isdigit())
    if not found:
        return 0, size
    digit = re.compile(f"[{re.escape(found)}]")
    lines = (
        words for line, words in zip(text.plain, text.words, strict=True) if digit.search(line)
    )
    return sum(digit.search(word) is not None for words in lines for word in words), size


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
