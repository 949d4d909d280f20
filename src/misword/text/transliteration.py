"""Words in plain Latin letters, so that the spelling of two languages can be compared.

Accents are removed, Latin letters without a decomposition are spelt out (`ß`: ss, `ø`: o), and
Cyrillic, Greek, Japanese kana and Korean syllables are written in Latin letters. Kana and syllables
take the reading that their Unicode name has (`HIRAGANA LETTER KA`: ka).

Known problems: it is one table for all languages that share a script, made for similarity and not
for reading. Letters of other scripts (Arabic, Hebrew, Devanagari, Chinese) stay as they are, and
so does the order of writing.
"""

from __future__ import annotations

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
# The reading is what follows these words in the Unicode name of a character.
NAMED = ("HIRAGANA LETTER ", "KATAKANA LETTER ", "HANGUL SYLLABLE ")


def transliterate(word: str) -> str:
    """Return a word in lower-case Latin letters, as far as the tables know its script.

    >>> [transliterate(word) for word in ("Müßig", "москва", "Αθήνα", "カメラ", "서울", "東京")]
    ['mussig', 'moskva', 'athina', 'kamera', 'seoul', '東京']
    """
    return word if word.isascii() and word.islower() else "".join(map(_latin, word.lower()))


@cache
def _latin(character: str) -> str:
    """Return one character in Latin letters; a mark without a letter of its own is left out."""
    if character in LETTERS:
        return LETTERS[character]
    name = unicodedata.name(character, "")
    for start in NAMED:
        if name.startswith(start):
            return name.removeprefix(start).removeprefix("SMALL ").lower()
    parts = unicodedata.normalize("NFKD", character)
    if parts != character:
        return "".join(map(_latin, parts.lower()))
    return "" if unicodedata.combining(character) else character
