"""Characters that were read in a wrong encoding, lost, or escaped for HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import ClassVar
from unicodedata import category

from misword.asr.checking.commands import substitute
from misword.asr.checking.findings import Finding, found
from misword.asr.checking.texts import CheckedText, CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.formatting import counted


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
class Mojibake(Check):
    """Characters read in a wrong encoding (`Ã©` for `é`), lost (`�`), or escaped (`&amp;`).

    UTF-8 text that is read as Latin-1 or cp1252 has such sequences. Each is decoded again; one that
    gives no letter or sign in common use is not reported.

    Example: `misword check ref.txt hyp.txt --checks mojibake`
    """

    name: ClassVar[str] = "mojibake"
    title: ClassVar[str] = "mojibake"
    family: ClassVar[str] = "writing"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Look at each text alone; for lost letters at the other side too."""
        for text in texts.files:
            yield from wrongly_decoded(text)
            yield from _lost(texts, text)
            yield from _escaped(text)


def wrongly_decoded(text: CheckedText) -> Iterator[Finding]:
    """Yield a finding if a text has sequences of UTF-8 that were read in another encoding."""
    rows, sequences = [], Counter[str]()
    for row, line in enumerate(text.texts):
        if line.isascii():
            continue
        here = [s for found_ in SEQUENCE.findall(line) if (s := _whole_sequence(found_))]
        if here:
            rows.append(row)
            sequences.update(here)
    # A single sequence that ends in a quotation mark may be correct text.
    if not any(sequence[-1] not in CLOSING or len(sequence) > 2 for sequence in sequences):
        return
    first = sequences.most_common(1)[0][0]
    longest_first = sorted(sequences, key=len, reverse=True)
    changes = {old: str(decoded(old)) for old in longest_first}
    yield found(
        Mojibake.name,
        "error" if len(rows) > len(text) / 20 else "warning",
        text,
        f"UTF-8 was read in another encoding: {first} for {decoded(first)}, in "
        f"{counted(len(rows), 'line')}",
        rows=rows,
        evidence={"sequences": sum(sequences.values())},
        mend=substitute(changes, text) if len(changes) <= MOST_CHANGES else "",
    )


def _whole_sequence(sequence: str) -> str:
    """Return the longest beginning of a sequence that is a character of UTF-8; empty if none is."""
    for size in range(len(sequence), 1, -1):
        if decoded(sequence[:size]) is not None:
            return sequence[:size]
    return ""


def decoded(sequence: str) -> str | None:
    """Return the character whose UTF-8 bytes were read as these characters, if it is usual.

    >>> decoded("Ã©"), decoded("â€™"), decoded("É»")
    ('é', '’', None)
    """
    try:
        character = bytes(BYTES[c] for c in sequence).decode()
    except UnicodeDecodeError:
        return None
    return character if len(character) == 1 and _is_usual(character) else None


def _is_usual(character: str) -> bool:
    """Return whether a character is a letter or sign that texts have often."""
    code = ord(character)
    if 0x80 <= code < 0xA0 or category(character) == "Cn":
        return False
    latin = 0xA0 <= code < 0x180 or 0x218 <= code < 0x21C or 0x1E00 <= code < 0x1F00
    other_scripts = 0x370 <= code < 0x530 or 0x590 <= code < 0x700 or 0x900 <= code < 0xE80
    signs = 0x2010 <= code < 0x2040 or code in (0x20AC, 0x2122, 0x202F)
    return latin or other_scripts or signs or 0x3000 <= code < 0xD7B0 or code >= 0x1F300


def _lost(texts: CheckedTexts, text: CheckedText) -> Iterator[Finding]:
    """Yield the lines in which letters were replaced by `�`, or by question marks."""
    rows = [row for row, line in enumerate(text.texts) if REPLACED in line]
    if rows:
        yield found(
            Mojibake.name,
            "error" if len(rows) > len(text) / 20 else "warning",
            text,
            f"letters are lost: {counted(len(rows), 'line')} with the replacement character "
            f"{REPLACED}; convert the original file again, with its true encoding",
            rows=rows,
        )
    rows = sorted({row for pair in texts.partners(text) for row in _replaced(pair, text)})
    if len(rows) >= FEWEST_LOST:
        yield found(
            Mojibake.name,
            "warning",
            text,
            f"letters are lost: question marks within words in {counted(len(rows), 'line')}; "
            "convert the original file again, with its true encoding",
            rows=rows,
        )


def _replaced(pair: TextPair, text: CheckedText) -> Iterator[int]:
    """Yield the rows with words in which question marks stand for letters of the other side."""
    place = 0 if text is pair.left else 1
    other = pair.right if place == 0 else pair.left
    if not any("?" in line for line in text.texts):
        return
    for row in pair.rows.tolist():
        for word in LOST.findall(text.texts[row[place]]):
            pattern = re.escape(word).replace(r"\?", r"[^\x00-\x7f]")
            if re.search(rf"(?<!\w){pattern}(?!\w)", other.texts[row[1 - place]]):
                yield row[place]
                break


def _escaped(text: CheckedText) -> Iterator[Finding]:
    """Yield the lines with characters that are escaped for HTML."""
    signs = Counter(sign for line in text.texts if "&" in line for sign in ESCAPED.findall(line))
    if not signs:
        return
    rows = [row for row, line in enumerate(text.texts) if "&" in line and ESCAPED.search(line)]
    # `&amp;` is replaced last: `&amp;lt;` is the text `&lt;`.
    changes = {sign: unescape(sign) for sign in sorted(signs, key=lambda sign: sign == "&amp;")}
    yield found(
        Mojibake.name,
        "warning",
        text,
        f"characters are escaped as in HTML in {counted(len(rows), 'line')}, such as "
        f"{signs.most_common(1)[0][0]}",
        rows=rows,
        evidence={"escaped characters": sum(signs.values())},
        mend=substitute(changes, text) if len(changes) <= MOST_CHANGES else "",
    )
