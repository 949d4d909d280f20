"""Scripts of letters: Latin, Cyrillic, Arabic, ..."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from unicodedata import name as character_name

FEWEST_LETTERS, NEARLY_ALL = 6, 0.8  # of a text in one script: its letters, and their share
EAST_ASIAN = "chinese or Japanese"
# Scripts that are written together, and letters that belong to no script.
JOINED = {
    "cjk": EAST_ASIAN,
    "hiragana": EAST_ASIAN,
    "katakana": EAST_ASIAN,
    "halfwidth": EAST_ASIAN,
    "fullwidth": "",
    "modifier": "",
    "superscript": "",
    "subscript": "",
    "mathematical": "",
    "masculine": "",
    "feminine": "",
    "micro": "",
    "ohm": "",
    "kelvin": "",
    "angstrom": "",
    "script": "",
    "double-struck": "",
}


@lru_cache(maxsize=4096)
def script_of(letter: str) -> str:
    """Return the script of a letter in lower case; empty for signs that belong to no script.

    The script is the first word of the letter's name in Unicode.

    >>> script_of("é"), script_of("ж"), script_of("語"), script_of("4")
    ('latin', 'cyrillic', 'chinese or Japanese', '')
    """
    if not letter.isalpha():
        return ""
    script = character_name(letter, "").partition(" ")[0].lower()
    return JOINED.get(script, script)


def scripts_of(text: str) -> Counter[str]:
    """Return how many letters of each script a text has.

    >>> scripts_of("Жan")
    Counter({'latin': 2, 'cyrillic': 1})
    """
    scripts: Counter[str] = Counter()
    for letter, count in Counter(text).items():
        if script := script_of(letter):
            scripts[script] += count
    return scripts


def one_script(text: str) -> str:
    """Return the script of nearly all letters of a text; empty if there are few letters or none.

    >>> one_script("доброе утро"), one_script("ok")
    ('cyrillic', '')
    """
    counts = scripts_of(text)
    if counts.total() < FEWEST_LETTERS:
        return ""
    script, count = counts.most_common(1)[0]
    return script if count >= NEARLY_ALL * counts.total() else ""


def word_script(word: str) -> str:
    """Return the script of most letters of a word; empty if it has no letters.

    >>> word_script("naïve"), word_script("Москва"), word_script("42")
    ('latin', 'cyrillic', '')
    """
    if word.isascii():
        return "latin" if any(map(str.isalpha, word)) else ""
    found = scripts_of(word).most_common(1)
    return found[0][0] if found else ""
