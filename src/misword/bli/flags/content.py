"""Flags of what a pair is: proper noun, not a word, abbreviation, identical words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.flags import Flag, Flagged
from misword.bli.names.model import name_probabilities
from misword.bli.names.word_lists import ABSENT, PLACES, levels_of
from misword.core.context import Context
from misword.text.scripts import word_script

LOWEST_LISTED = 0.05  # pairs with a lower probability are not listed


@dataclass(frozen=True, slots=True)
class ProperNounFlag(Flag):
    """Names of persons, places and organisations, which have no meaning to translate.

    A quarter of MUSE's test pairs are names; without them, systems change places. The probability
    is that of a logistic model over English word lists, adapted to how this lexicon spells and
    capitalises names (`bli/names/model.py`). On languages that were not seen in training F1 is
    92 % (Bulgarian) and 86 % (German). With `places=true`, gazetteers of cities and countries are
    read as well; they need `misword[names]`, and help if no language is English.

    Known problems: words that are also names (`rose`, `bush`) are judged by spelling alone;
    adjectives of places, days and months are not names here, as in the annotated data.

    Example: `misword audit et-sk.txt --source-lang et --target-lang sk --flags
    proper-noun:places=true`
    Reference: Y. Kementchedjhieva et al., Lost in evaluation, EMNLP 2019
    """

    name: ClassVar[str] = "proper-noun"
    title: ClassVar[str] = "proper noun"
    family: ClassVar[str] = "content"
    cites: ClassVar[tuple[str, ...]] = ("kementchedjhieva2019",)

    places: bool = False

    def check(self, context: Context) -> None:
        """Raise if gazetteers are wanted and not installed."""
        if self.places:
            PLACES.check(self.name)

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Yield the pairs with their probabilities."""
        found = name_probabilities(lexicon.pairs, lexicon.languages, places=self.places)
        for pair, probability in enumerate(found.probabilities.tolist()):
            if probability >= LOWEST_LISTED:
                yield Flagged(pair, probability, found.evidence[pair])


# Entries that are not words of a language.

ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\w+|\w+\.(?:com|org|net|html?|jpg|png)\b")
DAMAGED = re.compile("[\ufffd\x00-\x1f]|Ã.|Â.")
REPEATED = re.compile(r"([^\W\d_])\1{3,}")
# Of 357 annotated pairs whose English word is in no list, 35 are not translations; most are names.
UNLISTED = 0.1


@dataclass(frozen=True, slots=True)
class NotAWordFlag(Flag):
    """Numbers, punctuation, addresses, damaged characters; English words that no list has.

    Known problems: pairs that are words but no translations of each other cannot be found in this
    way. An English word in no list is rarely an error, so its probability is low.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags not-a-word`
    """

    name: ClassVar[str] = "not-a-word"
    title: ClassVar[str] = "not a word"
    family: ClassVar[str] = "content"

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Look at both words of each pair."""
        for number, pair in enumerate(lexicon.pairs):
            found = [
                (probability, f"{word!r}: {why}")
                for word, lang in zip(pair, lexicon.languages, strict=True)
                for probability, why in [_problem(word, lang)]
                if probability
            ]
            if found:
                yield Flagged(number, max(found)[0], "; ".join(text for _, text in found))


def _problem(word: str, lang: str) -> tuple[float, str]:
    """Return the probability that an entry is no word, and the reason; 0 if there is none."""
    if not word:
        return 1.0, "no translation"
    if DAMAGED.search(word):
        return 0.95, "damaged characters"
    if ADDRESS.search(word):
        return 0.95, "an address"
    if not word_script(word):
        return 1.0, "no letters"
    if any(map(str.isdigit, word)):
        return 0.8, "letters and digits"
    if REPEATED.search(word):
        return 0.7, "a letter four times"
    if len(word) == 1 and word.isascii() and word.lower() not in {"a", "i", "o"}:
        return 0.7, "a single letter"
    if lang == "en" and not any(levels_of(part).is_listed for part in re.split(r"[\s-]", word)):
        return UNLISTED, "in no English word list"
    return 0.0, ""


# Abbreviations and Roman numerals.

DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.){2,}[^\W\d_]?|[^\W\d_]{1,4}\.")
ROMAN = re.compile(r"(?=[ivxlc]{2})x{0,3}(?:ix|iv|v?i{0,3})", re.IGNORECASE)
NO_VOWEL = re.compile(r"[bcdfghjklmnpqrstvwxz]{2,5}", re.IGNORECASE)
CAPITALS = re.compile(r"[A-Z]{2,5}")
CAPITALS_SHARE = 0.2  # a column with more words in capitals is written in capitals
COMMON = 35  # a level of SCOWL up to which a word is common
VOWELLESS = frozenset({"cs", "sk", "hr", "sr", "sl", "bs", "ar", "he"})  # have words without vowels


@dataclass(frozen=True, slots=True)
class AbbreviationFlag(Flag):
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


# Pairs of the same word.


@dataclass(frozen=True, slots=True)
class IdenticalFlag(Flag):
    """Pairs whose two words are the same string, in any case.

    A method that starts from identical strings (`vecmap-i`, `muse-i`) was given such pairs.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags identical`
    """

    name: ClassVar[str] = "identical"
    title: ClassVar[str] = "identical words"
    family: ClassVar[str] = "content"

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Compare the words of each pair."""
        for number, (source, target) in enumerate(lexicon.pairs):
            if source.casefold() == target.casefold():
                text = "same word" if source == target else "same word in another case"
                yield Flagged(number, 1.0, text)
