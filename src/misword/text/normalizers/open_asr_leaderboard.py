"""The normalizer of the Open ASR Leaderboard: English, and five other languages.

The English rules are Whisper's with additions and exceptions. What is the same comes from the
package whisper-normalizer: the contractions and titles, the rules for symbols and numbers, and
1,739 British and American spellings. `open_asr_leaderboard.tsv` has the leaderboard's own words.

Known problems: the leaderboard has the rule of older versions of Whisper that writes `1` as `one`
wherever it is a whole word, also in `$1`. whisper-normalizer 0.1 has this rule as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import ClassVar, NamedTuple, Self

from misword.core.context import Context, code
from misword.core.errors import OptionError
from misword.core.parts import Requirement, Settings, version_of
from misword.text.normalizers import Normalizer
from misword.text.normalizers.whisper import NEEDED, PACKAGE, basic_normalizer

# English.

OWN_WORDS = "open_asr_leaderboard.tsv"
BRACKETS = re.compile(r"[<\[][^>\]]*[>\]]")
PARENTHESES = re.compile(r"\(([^)]+?)\)")
FILLERS = re.compile(
    r"\b(hmm|mm|mhm|mmm|uh|um|ah|aha|ahh|ahm|eh|ehehe|em|hm|huh|hum|mhum|uhm|umm|uhuh)\b"
)
BEFORE_APOSTROPHE = re.compile(r"\s+'")
# Forms that Whisper's rules replace and the leaderboard's keep.
KEPT = {r"\bkinda\b", r"\bsorta\b", r"\bdunno\b", r"\bcause\b"}
# `'s` is read as `is` only after these words; elsewhere it becomes the word `s`.
IS = (
    re.compile(r"\b(it|he|she|what|that|who|here|there|how|when|where|why|this)'s\b"),
    r"\1 is",
)
COMMA_IN_NUMBER = re.compile(r"(\d),(\d)")
KEPT_SYMBOLS = ".%$¢€£"
# These three also consume the character beside the symbol, as in Whisper. Of two symbols in a row
# the second one can therefore stay: `so… then` becomes `so . then`.
FULL_STOP = re.compile(r"\.([^0-9]|$)")
UNUSED_PREFIX = re.compile(r"[.$¢€£]([^0-9])")
UNUSED_PERCENT = re.compile(r"([^0-9])%")
SPACES = re.compile(r"\s+")
DIGIT = re.compile(r"\d")


class Replacement(NamedTuple):
    """A pattern with its replacement; a text without `literal` does not contain the pattern."""

    literal: str
    pattern: re.Pattern[str]
    replacement: str


@dataclass(frozen=True, slots=True)
class EnglishRules:
    """The rules that come from the package and from `OWN_WORDS`, made once.

    `ascii_symbols` has what `clean_symbols` makes of each ASCII character. `number_words` are the
    words that `write_numbers` changes.
    """

    contractions: tuple[Replacement, ...]
    compounds: tuple[Replacement, ...]
    clean_symbols: Callable[..., str]
    ascii_symbols: dict[int, str]
    write_numbers: Callable[[str], str]
    number_words: frozenset[str]
    spellings: dict[str, str]
    names: dict[str, str]

    def clean(self, text: str) -> str:
        """Replace symbols by spaces and remove diacritics."""
        if text.isascii():
            return text.translate(self.ascii_symbols)
        return self.clean_symbols(text, keep=KEPT_SYMBOLS)

    def words(self, text: str) -> list[str]:
        """Return the words of a text, with numbers in digits.

        Most texts have no number; the rules for numbers, which take long, leave them as they are.
        """
        words = text.split()
        if DIGIT.search(text) or not self.number_words.isdisjoint(words):
            return self.write_numbers(text).split()
        return words


def normalize_english(text: str) -> str:
    """Return an English text as the leaderboard compares it.

    >>> normalize_english("Well, Stephen's e-mail (sent at 5 p.m.) cost $1.3 billion!").strip()
    'well steven s email cost $1300000000'
    """
    rules = english_rules()
    text = PARENTHESES.sub("", BRACKETS.sub("", text.lower()))
    text = BEFORE_APOSTROPHE.sub("'", FILLERS.sub("", text))
    text = _replace(text, rules.contractions)
    text = FULL_STOP.sub(r" \1", COMMA_IN_NUMBER.sub(r"\1\2", text))
    text = _replace(rules.clean(text), rules.compounds)
    words = rules.words(text)
    words = [rules.spellings.get(word, word) for word in words]
    words = [rules.names.get(word, word) for word in words]
    text = " ".join(join_acronyms(words))
    text = UNUSED_PERCENT.sub(r"\1 ", UNUSED_PREFIX.sub(r" \1", text))
    return SPACES.sub(" ", text)


def _replace(text: str, replacements: tuple[Replacement, ...]) -> str:
    """Make the replacements in their order."""
    for literal, pattern, replacement in replacements:
        if literal in text:
            text = pattern.sub(replacement, text)
    return text


def join_acronyms(words: list[str]) -> list[str]:
    """Join runs of at least two letters or digits; three if `a` or `i` is among them.

    >>> join_acronyms("the b b c is a 5 g i i".split())
    ['the', 'bbc', 'is', 'a5gii']
    """
    joined: list[str] = []
    for single, group in groupby(words, lambda word: len(word) == 1 and word.isalnum()):
        run = list(group)
        if single and len(run) >= (3 if {"a", "i"}.intersection(run) else 2):
            run = ["".join(run)]
        joined += run
    return joined


@cache
def english_rules() -> EnglishRules:
    """Return the rules of the package whisper-normalizer with the leaderboard's differences."""
    from whisper_normalizer.basic import remove_symbols_and_diacritics
    from whisper_normalizer.english import EnglishTextNormalizer

    whisper = EnglishTextNormalizer()
    contractions = [
        Replacement("'s", *IS) if pattern == r"'s\b" else _contraction(pattern, replacement)
        for pattern, replacement in whisper.replacers.items()
        if pattern not in KEPT
    ]
    numbers = whisper.standardize_numbers
    ascii_characters = map(chr, range(128))
    words = own_words()
    removed, added = words["removed"], words["spelling"]
    spellings = {k: v for k, v in whisper.standardize_spellings.mapping.items() if k not in removed}
    return EnglishRules(
        tuple(contractions),
        tuple(_compound(*pair) for pair in words["compound"].items()),
        remove_symbols_and_diacritics,
        {ord(c): remove_symbols_and_diacritics(c, keep=KEPT_SYMBOLS) for c in ascii_characters},
        numbers,
        # `and` alone stays as it is; `and a half` at the start of a text does not.
        frozenset(numbers.words) - {"and"} | {"half"},
        spellings | added,
        words["name"],
    )


def own_words() -> dict[str, dict[str, str]]:
    """Return the tables of `OWN_WORDS` by kind."""
    tables: dict[str, dict[str, str]] = {}
    text = (files("misword.text.normalizers") / OWN_WORDS).read_text("utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            kind, written, standard = line.split("\t")
            tables.setdefault(kind, {})[written] = standard
    return tables


def _contraction(pattern: str, replacement: str) -> Replacement:
    """Compile a pattern of the package; all are plain text between word boundaries."""
    return Replacement(pattern.replace(r"\b", ""), re.compile(pattern), replacement)


def _compound(parts: str, joined: str) -> Replacement:
    """Return the pattern of the parts of a compound, with any white space between them."""
    spaced = parts.replace(" ", r"\s+")
    return Replacement(max(parts.split(), key=len), re.compile(rf"\b{spaced}\b"), joined)


# Other languages.

OTHER_SYMBOLS = re.compile(r"[^\w\s]")
THOUSANDS = re.compile(r"(\d)\s+(\d{3})\b")
DIGITS = re.compile(r"\d+")


def normalize_other(text: str, lang: str) -> str:
    """Return a text as the leaderboard compares it: no punctuation, numbers in words.

    >>> normalize_other("Das kostet 10 000 € (netto)!", "de")
    'das kostet zehntausend'
    """
    text = OTHER_SYMBOLS.sub("", basic_normalizer()(text))
    text = THOUSANDS.sub(r"\1\2", SPACES.sub(" ", text).strip())
    return DIGITS.sub(lambda found: _spell(found[0], lang), text)


def _spell(digits: str, lang: str) -> str:
    """Return a whole number in words; the digits themselves if num2words cannot spell it."""
    from num2words import num2words

    try:
        return str(num2words(int(digits), lang=lang))
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):
        return digits


# The normalizer.

OTHERS = ("de", "es", "fr", "it", "pt")
# The state of the leaderboard's repository whose rules these are.
STATE = "2026-08-21"


@dataclass(frozen=True, slots=True)
class OpenAsrLeaderboard(Normalizer):
    """The normalizer of the Open ASR Leaderboard, for English and five other languages.

    Why: the leaderboard's word error rates can be compared only with rates after its normalizer.
    The English one is a variant of Whisper's: it removes more fillers, leaves the possessive `'s`,
    joins acronyms, and writes 152 names and 16 compounds in one way. The one for German, French,
    Italian, Spanish and Portuguese removes punctuation and spells numbers out. Without a language,
    the texts are taken for English.

    Known problems: the English one has the errors of Whisper's number rules (`oh no` becomes
    `0 no`). The other one leaves the hyphens of numbers that num2words spells, so that French `91`
    and `quatre-vingt-onze` differ.

    Example: `misword score manifest.jsonl --normalize open-asr-leaderboard`

    Reference: github.com/huggingface/open_asr_leaderboard, commit d1e99b2.
    """

    name: ClassVar[str] = "open-asr-leaderboard"
    title: ClassVar[str] = "Open ASR Leaderboard"
    uses: ClassVar[tuple[str, ...]] = ("lang",)

    lang: str = ""

    @classmethod
    def languages(cls) -> tuple[str, ...]:
        """English and the other languages of the leaderboard."""
        return ("en", *OTHERS)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package with Whisper's rules; for other languages than English also num2words."""
        if lang not in OTHERS:
            return NEEDED
        return Requirement(
            (*NEEDED.modules, "num2words"),
            "pip install 'misword[numbers,presets]'",
            "MIT, LGPL-2.1",
        )

    def in_language(self, lang: str) -> Self:
        """Return the normalizer for a language; English if none is named."""
        return replace(self, lang=code(self.lang or lang or "en"))

    def check(self, context: Context) -> None:
        """Raise if the leaderboard does not have the language, or if a package is missing."""
        lang = self.lang or "en"
        if lang not in self.languages():
            raise OptionError(
                f"the Open ASR Leaderboard has no rules for the language {lang!r}",
                fix=f"use one of: {', '.join(self.languages())}",
            )
        self.requirement(lang).check(self.name)

    def settings(self, context: Context) -> Settings:
        """The language, the state of the leaderboard and the versions of the packages."""
        lang = self.lang or "en"
        packages = (PACKAGE, "num2words") if lang in OTHERS else (PACKAGE,)
        versions = ((package, version_of(package)) for package in packages)
        return ("lang", lang), ("state", STATE), *versions

    def apply_row(self, text: str) -> str:
        """Return the normalised text."""
        return normalize_other(text, self.lang) if self.lang in OTHERS else normalize_english(text)
