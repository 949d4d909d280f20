"""Abbreviations and Roman numerals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.flags import Flag, Flagged
from misword.bli.names.english_words import ABSENT, levels_of

DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.){2,}[^\W\d_]?|[^\W\d_]{1,4}\.")
ROMAN = re.compile(r"(?=[ivxlc]{2})x{0,3}(?:ix|iv|v?i{0,3})", re.IGNORECASE)
NO_VOWEL = re.compile(r"[bcdfghjklmnpqrstvwxz]{2,5}", re.IGNORECASE)
CAPITALS = re.compile(r"[A-Z]{2,5}")
CAPITALS_SHARE = 0.2  # a column with more words in capitals is written in capitals
COMMON = 35  # a level of SCOWL up to which a word is common
VOWELLESS = frozenset({"cs", "sk", "hr", "sr", "sl", "bs", "ar", "he"})  # have words without vowels


@dataclass(frozen=True, slots=True)
class Abbreviation(Flag):
    """Words with full stops, in capitals, without vowels, or English abbreviations of SCOWL.

    The probabilities are 0.95 for full stops, 0.9 for Roman numerals, 0.8 for capitals and for
    SCOWL's list, 0.7 for words of two to five consonants.

    Known problems: abbreviations that are spelled like words (`nato`) are not found.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags abbreviation`
    """

    name: ClassVar[str] = "abbreviation"
    title: ClassVar[str] = "abbreviation"
    family: ClassVar[str] = "content"

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Look at both words of each pair."""
        in_capitals = [
            sum(map(str.isupper, column.words)) > CAPITALS_SHARE * len(column.words)
            for column in lexicon.columns
        ]
        for number, pair in enumerate(lexicon.pairs):
            found = [
                (probability, f"{word!r}: {why}")
                for word, lang, capitals in zip(pair, lexicon.languages, in_capitals, strict=True)
                for probability, why in [_reason(word, lang, capitals)]
                if probability
            ]
            if found:
                yield Flagged(number, max(found)[0], "; ".join(text for _, text in found))


def _reason(word: str, lang: str, in_capitals: bool) -> tuple[float, str]:
    """Return the probability that a word is an abbreviation, and why; 0 if nothing says so."""
    levels = levels_of(word) if lang == "en" else None
    if DOTTED.fullmatch(word):
        return 0.95, "full stops"
    if ROMAN.fullmatch(word) and (levels is None or levels.common > COMMON):
        return 0.9, "a Roman numeral"
    if CAPITALS.fullmatch(word) and not in_capitals:
        return 0.8, "in capitals"
    if levels is not None and levels.abbreviation < ABSENT and levels.common > COMMON:
        return 0.8, "an English abbreviation"
    if lang not in VOWELLESS and NO_VOWEL.fullmatch(word):
        return 0.7, "no vowel"
    return 0.0, ""
