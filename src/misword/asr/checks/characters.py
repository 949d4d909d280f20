"""Checks of characters: wrong encodings, and characters that look alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import repeat
from operator import contains
from typing import ClassVar, NamedTuple
from unicodedata import category, is_normalized, normalize

from misword.asr.checking.findings import Finding, make_finding, score_command, substitution_command
from misword.asr.checking.texts import CheckedText, CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.formatting import counted

# Characters that were read in a wrong encoding, lost, or escaped for HTML.


def _as_cp1252(byte: int) -> str:
    """Return the character that a byte is in cp1252, or in Latin-1 where cp1252 has none."""
    try:
        return bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


CP1252 = {_as_cp1252(byte): byte for byte in range(128, 256)}
LATIN1 = {chr(byte): byte for byte in range(128, 160)}  # where it differs from cp1252
BYTES = LATIN1 | CP1252
LEADS = "".join(_as_cp1252(byte) for byte in range(0xC2, 0xF5))
FOLLOWS = "".join(character for character, byte in BYTES.items() if byte < 0xC0)
SEQUENCE = re.compile(f"[{LEADS}][{re.escape(FOLLOWS)}]{{1,3}}")
# Signs that can follow a letter in correct text: `MAÇÃ”`, `CAFÉ»`.
CLOSING = frozenset("\u00a0”’»›…–—“‘«‹„‚™®°")
REPLACED = "\ufffd"
LOST = re.compile(r"[^\W\d_]+(?:\?[^\W\d_]+)+")
FEWEST_LOST = 5
ESCAPED = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,5}|#x[0-9a-fA-F]{2,4}|#9[13]);")
MOST_CHANGES = 60  # in one command


@dataclass(frozen=True, slots=True)
class MojibakeCheck(Check):
    """Characters read in a wrong encoding (`Ã©` for `é`), lost (`�`), or escaped (`&amp;`).

    UTF-8 text that is read as Latin-1 or cp1252 has such sequences. Each is decoded again; one that
    gives no letter or sign in common use is not reported.

    Example: `misword check ref.txt hyp.txt --checks mojibake`
    """

    name: ClassVar[str] = "mojibake"
    title: ClassVar[str] = "mojibake"
    family: ClassVar[str] = "writing"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Examine each text alone; for lost letters also the other side."""
        for text in texts.files:
            yield from wrongly_decoded(text)
            yield from _lost_letters(texts, text)
            yield from _escaped_characters(text)


def wrongly_decoded(text: CheckedText) -> Iterator[Finding]:
    """Yield a finding if a text has sequences of UTF-8 that were read in another encoding."""
    rows, sequences = [], Counter[str]()
    for row, line in enumerate(text.texts):
        if line.isascii():
            continue
        here = [s for match in SEQUENCE.findall(line) if (s := _whole_sequence(match))]
        if here:
            rows.append(row)
            sequences.update(here)
    # A single sequence that ends in a quotation mark may be correct text.
    if not any(sequence[-1] not in CLOSING or len(sequence) > 2 for sequence in sequences):
        return
    first = sequences.most_common(1)[0][0]
    longest_first = sorted(sequences, key=len, reverse=True)
    changes = {old: str(decoded(old)) for old in longest_first}
    yield make_finding(
        MojibakeCheck.name,
        "error" if len(rows) > len(text) / 20 else "warning",
        text,
        f"UTF-8 was read in another encoding: {first} for {decoded(first)}, in "
        f"{counted(len(rows), 'line')}",
        rows=rows,
        evidence={"sequences": sum(sequences.values())},
        mend=substitution_command(changes, text) if len(changes) <= MOST_CHANGES else "",
    )


def _whole_sequence(sequence: str) -> str:
    """Return the longest prefix of a sequence that decodes to one character; empty if none does."""
    for size in range(len(sequence), 1, -1):
        if decoded(sequence[:size]) is not None:
            return sequence[:size]
    return ""


def decoded(sequence: str) -> str | None:
    """Return the character whose UTF-8 bytes were read as this sequence; None if it is unusual.

    >>> decoded("Ã©"), decoded("â€™"), decoded("É»")
    ('é', '’', None)
    """
    try:
        character = bytes(BYTES[c] for c in sequence).decode()
    except UnicodeDecodeError:
        return None
    return character if len(character) == 1 and _is_usual(character) else None


def _is_usual(character: str) -> bool:
    """Return whether a character is a letter or sign in common use."""
    code = ord(character)
    if 0x80 <= code < 0xA0 or category(character) == "Cn":
        return False
    latin = 0xA0 <= code < 0x180 or 0x218 <= code < 0x21C or 0x1E00 <= code < 0x1F00
    other_scripts = 0x370 <= code < 0x530 or 0x590 <= code < 0x700 or 0x900 <= code < 0xE80
    signs = 0x2010 <= code < 0x2040 or code in (0x20AC, 0x2122, 0x202F)
    return latin or other_scripts or signs or 0x3000 <= code < 0xD7B0 or code >= 0x1F300


def _lost_letters(texts: CheckedTexts, text: CheckedText) -> Iterator[Finding]:
    """Yield the lines in which letters were replaced by `�`, or by question marks."""
    rows = [row for row, line in enumerate(text.texts) if REPLACED in line]
    if rows:
        yield make_finding(
            MojibakeCheck.name,
            "error" if len(rows) > len(text) / 20 else "warning",
            text,
            f"letters are lost: {counted(len(rows), 'line')} with the replacement character "
            f"{REPLACED}; convert the original file again, with its true encoding",
            rows=rows,
        )
    rows = sorted(
        {row for pair in texts.partners(text) for row in _rows_with_question_marks(pair, text)}
    )
    if len(rows) >= FEWEST_LOST:
        yield make_finding(
            MojibakeCheck.name,
            "warning",
            text,
            f"letters are lost: question marks within words in {counted(len(rows), 'line')}; "
            "convert the original file again, with its true encoding",
            rows=rows,
        )


def _rows_with_question_marks(pair: TextPair, text: CheckedText) -> Iterator[int]:
    """Yield the rows with words in which question marks stand for letters of the other side."""
    place = 0 if text is pair.left else 1
    other = pair.right if place == 0 else pair.left
    if not any(map(contains, text.texts, repeat("?"))):
        return
    for row in pair.rows.tolist():
        for word in LOST.findall(text.texts[row[place]]):
            pattern = re.escape(word).replace(r"\?", r"[^\x00-\x7f]")
            if re.search(rf"(?<!\w){pattern}(?!\w)", other.texts[row[1 - place]]):
                yield row[place]
                break


def _escaped_characters(text: CheckedText) -> Iterator[Finding]:
    """Yield the lines with characters that are escaped for HTML."""
    signs = Counter(sign for line in text.texts if "&" in line for sign in ESCAPED.findall(line))
    if not signs:
        return
    rows = [row for row, line in enumerate(text.texts) if "&" in line and ESCAPED.search(line)]
    # `&amp;` is replaced last: `&amp;lt;` is the text `&lt;`.
    changes = {sign: unescape(sign) for sign in sorted(signs, key=lambda sign: sign == "&amp;")}
    yield make_finding(
        MojibakeCheck.name,
        "warning",
        text,
        f"characters are escaped as in HTML in {counted(len(rows), 'line')}, such as "
        f"{signs.most_common(1)[0][0]}",
        rows=rows,
        evidence={"escaped characters": sum(signs.values())},
        mend=substitution_command(changes, text) if len(changes) <= MOST_CHANGES else "",
    )


# Characters that look alike and are written in different ways on the two sides.

FEWEST = 5  # occurrences of a sign on one side
SELDOM = 0.05  # the largest share of the other variant in a text that uses one variant
# Ligatures and full-width letters; full-width punctuation is usual in Chinese and Japanese.
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
class CharactersCheck(Check):
    """Characters that look alike: normal forms, ligatures, apostrophes, hyphens, invisible ones.

    Error rates compare texts in the normal form NFC by default, so different normal forms are a
    note. The other differences make words different.

    Example: `misword check ref.txt hyp.txt --checks characters`
    """

    name: ClassVar[str] = "characters"
    title: ClassVar[str] = "characters that look alike"
    family: ClassVar[str] = "writing"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare both sides of each pair; examine each text alone for normal forms."""
        for text in texts.files:
            yield from _decomposed_lines(text)
        for pair in texts.pairs:
            yield from _on_one_side(
                pair, COMPATIBLE, "ligatures or full-width letters", "--normalize nfkc"
            )
            yield from _on_one_side(
                pair, INVISIBLE, "invisible characters", "--normalize nfc,nozerowidth"
            )
            for variants in VARIANTS:
                yield from _different_variants(pair, variants)


def _decomposed_lines(text: CheckedText) -> Iterator[Finding]:
    """Yield a note on the lines that are not in the normal form NFC."""
    rows = [row for row, line in enumerate(text.texts) if _is_decomposed(line)]
    if not rows:
        return
    composed = sum(not line.isascii() for line in text.texts) - len(rows)
    mixed = ", and others are composed" if composed > 0 else ""
    yield make_finding(
        CharactersCheck.name,
        "note",
        text,
        f"letters and accents are separate characters (NFD) in {counted(len(rows), 'line')}{mixed}"
        "; misword compares texts in the form NFC, other programs may not",
        rows=rows,
        evidence={"share of lines": len(rows) / len(text)},
    )


def _is_decomposed(line: str) -> bool:
    """Return whether NFC shortens a text; NFC also replaces single characters by others."""
    return not is_normalized("NFC", line) and len(normalize("NFC", line)) < len(line)


def _on_one_side(
    pair: TextPair, pattern: re.Pattern[str], what: str, options: str
) -> Iterator[Finding]:
    """Yield the lines of one side that have characters which the other side does not have."""
    for text, other in ((pair.right, pair.left), (pair.left, pair.right)):
        rows = [row for row, line in enumerate(text.texts) if pattern.search(line)]
        if rows and not any(pattern.search(line) for line in other.texts):
            yield make_finding(
                CharactersCheck.name,
                "warning",
                text,
                f"{what} in {counted(len(rows), 'line')}, none in {other.name}",
                rows=rows,
                evidence={"share of lines": len(rows) / len(text)},
                mend=score_command(pair, options),
            )


def _different_variants(pair: TextPair, variants: Variants) -> Iterator[Finding]:
    """Yield a finding if each side writes a sign with another character."""
    left_one, left_other = _count_variants(pair.left, variants)
    right_one, right_other = _count_variants(pair.right, variants)
    if _prefers(left_one, left_other) and _prefers(right_other, right_one):
        text, other = pair.left, pair.right
    elif _prefers(right_one, right_other) and _prefers(left_other, left_one):
        text, other = pair.right, pair.left
    else:
        return
    rows = [row for row, line in enumerate(text.texts) if variants.one.search(line)]
    options = variants.options
    yield make_finding(
        CharactersCheck.name,
        "warning",
        text,
        f"{variants.what} are written with other characters than in {other.name}",
        rows=rows,
        evidence={"here": max(left_one, right_one), "there": max(left_other, right_other)},
        mend=score_command(pair, options)
        if options
        else substitution_command(variants.changes, text),
    )


def _prefers(chosen: int, other: int) -> bool:
    """Return whether a text clearly prefers one of two variants, by their counts."""
    return chosen >= FEWEST and other <= SELDOM * chosen


def _count_variants(text: CheckedText, variants: Variants) -> tuple[int, int]:
    """Count the occurrences of both variants of a sign in a text."""
    one = sum(map(len, map(variants.one.findall, text.texts)))
    return one, sum(map(len, map(variants.other.findall, text.texts)))
