"""Words in plain Latin letters, so that the spelling of two languages can be compared.

Accents are removed, and Latin letters without a decomposition are spelt out (`ß`: ss, `ø`: o).
Cyrillic and Greek have tables. Characters of other scripts take their reading from their Unicode
names: syllables the whole of it (`HIRAGANA LETTER KA`: ka), letters its first sound
(`ARABIC LETTER BEH`: b).

Known problems: it is one table for all languages that share a script, made for similarity and not
for reading; vowels that are not written (Arabic, Hebrew, Hindi) are missing. Chinese characters
stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# Latin letters that Unicode does not decompose.
LATIN = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i",
    "ħ": "h", "ŋ": "ng", "ĸ": "k", "ŧ": "t", "ə": "a",
}  # fmt: skip
CYRILLIC = {
    "а": "a", "б": "b", "в": "v", "г": "g", "ґ": "g", "д": "d", "ђ": "d", "е": "e", "є": "e",
    "ж": "zh", "з": "z", "и": "i", "і": "i", "ј": "j", "к": "k", "л": "l", "љ": "lj", "м": "m",
    "н": "n", "њ": "nj", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "ћ": "c", "у": "u",
    "ф": "f", "х": "h", "ц": "c", "ч": "ch", "џ": "dz", "ш": "sh", "щ": "sht", "ъ": "a", "ы": "y",
    "ь": "", "э": "e", "ю": "yu", "я": "ya", "ѕ": "dz",
}  # fmt: skip
GREEK = {
    "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th", "ι": "i",
    "κ": "k", "λ": "l", "μ": "m", "ν": "n", "ξ": "x", "ο": "o", "π": "p", "ρ": "r", "σ": "s",
    "ς": "s", "τ": "t", "υ": "y", "φ": "ph", "χ": "ch", "ψ": "ps", "ω": "o",
}  # fmt: skip
LETTERS = LATIN | CYRILLIC | GREEK
SYLLABLE = re.compile(r"(?:HIRAGANA LETTER|KATAKANA LETTER|\w+ SYLLABLE) (?:SMALL )?([A-Z]+)")
# The first sound in the name of a letter: one or more consonants, or a vowel.
LETTER = re.compile(
    r".*\b(?:LETTER|VOWEL SIGN|CHARACTER) (?:SMALL |FINAL |SARA )*([B-DF-HJ-NP-TV-Z]+|[AEIOU])"
)


def transliterate(word: str) -> str:
    """Return a word in lower-case Latin letters, as far as the tables know its script.

    >>> [transliterate(word) for word in ("Müßig", "москва", "Αθήνα", "カメラ", "서울", "東京")]
    ['mussig', 'moskva', 'athina', 'kamera', 'seoul', '東京']
    >>> [transliterate(word) for word in ("برلين", "ברלין", "ბერლინი", "बर्लिन")]
    ['brlyn', 'brlyn', 'berlini', 'brlin']
    """
    return word if word.isascii() and word.islower() else "".join(map(_latin, word.lower()))


@cache
def _latin(character: str) -> str:
    """Return one character in Latin letters; a combining mark is left out."""
    if character in LETTERS or character.isascii():
        return LETTERS.get(character, character)
    if unicodedata.combining(character):
        return ""
    name = unicodedata.name(character, "")
    if syllable := SYLLABLE.match(name):
        return syllable[1].lower()
    parts = unicodedata.normalize("NFKD", character)
    if parts != character:
        return "".join(map(_latin, parts.lower()))
    letter = LETTER.match(name)
    return letter[1].lower() if letter else character
