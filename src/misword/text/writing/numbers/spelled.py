"""Number words of languages other than English: which value a sequence of words has.

The package num2words says the numbers below a thousand, and from these and the words for thousand,
million and so on larger numbers are composed. All words are compared by their letters: without
blanks, hyphens, accents and capitals.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, lru_cache

from misword.text.writing.numbers.language_tables import (
    CODES,
    COMPOSED,
    ENDINGS,
    HALVES,
    HUNDREDS,
    JOINTS,
    ONE_AND_A_HALF,
    ORDINAL_ENDINGS,
    ORDINAL_WORDS,
    REGIONAL_TENS,
    SCALE_WORDS,
)

THOUSAND = 1000
# The powers of ten whose words are looked up; 10**4 is one in some languages of Asia.
_SCALES = (THOUSAND, 10**4, 10**6, 10**9, 10**12)
# Ordinal numbers up to this one are known.
_MOST_ORDINAL = 999
# Years that are said in hundreds: nineteen hundred.
_YEARS = range(1100, 2100)
_PLAIN_LETTERS = str.maketrans({"ß": "ss", "-": "", " ": "", "'": "", "’": "", "\u00a0": ""})
_LONGEST = 160  # letters of a number


@lru_cache(maxsize=1 << 16)
def letters(text: str) -> str:
    """Return the letters and digits of a text, in small letters and without accents.

    >>> letters("Vingt-et-Un"), letters("veintidós")
    ('vingtetun', 'veintidos')
    """
    small = text.lower().translate(_PLAIN_LETTERS)
    if small.isascii():
        return small
    decomposed = unicodedata.normalize("NFD", small)
    return "".join(sign for sign in decomposed if unicodedata.category(sign) != "Mn")


@cache
def number_words(lang: str) -> NumberWords:
    """Return the number words of a language that num2words knows."""
    return NumberWords(lang)


@dataclass(slots=True)
class NumberWords:
    """The values of the number words of a language.

    `small` are the numbers below a thousand and years in hundreds, `scales` the words of powers of
    ten, `ordinals` ordinal numbers, `halves` numbers and a half in one word, all by their letters.
    `parts` are the letters of all single words, `ones` those of numbers that are articles, too.
    """

    lang: str
    small: dict[str, int] = field(default_factory=dict)
    scales: dict[str, int] = field(default_factory=dict)
    ordinals: dict[str, int] = field(default_factory=dict)
    halves: dict[str, Decimal] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)
    ones: dict[int, set[str]] = field(default_factory=dict)
    minus: str = ""
    known: dict[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for value in range(THOUSAND):
            self._add(value, self._said(value))
        for value, word in REGIONAL_TENS.get(self.lang, {}).items():
            for unit in range(10):
                joint = " et " if unit == 1 else " "
                self._add(value + unit, [word + joint + form for form in self._said(unit)])
                self._add(value, [word])
        hundred = HUNDREDS.get(self.lang, "")
        for value in _YEARS:
            self._add(value, _say(value, self.lang, "year"))
            if hundred:
                high, low = (_say(part, self.lang, "cardinal")[0] for part in divmod(value, 100))
                self._add(value, [f"{high} {hundred} {low if value % 100 else ''}"])
        if self.composes:
            for word, scale in SCALE_WORDS.get(self.lang, {}).items():
                self.scales[letters(word)] = scale
            for scale in _SCALES:
                self._add_scale(scale)
        self.parts.update(self.scales)
        for value in range(1, _MOST_ORDINAL + 1):
            for form in _say(value, self.lang, "ordinal"):
                for ending in _with_endings(form, ORDINAL_ENDINGS.get(self.lang, ())):
                    self.ordinals.setdefault(letters(ending), value)
                    self.parts.update(map(letters, ending.replace("-", " ").split()))
        self.ordinals.update(
            (letters(word), value) for word, value in ORDINAL_WORDS.get(self.lang, {}).items()
        )
        for value in range(1, 10):
            for pattern in HALVES.get(self.lang, ()):
                for form in self._said(value):
                    self.halves[letters(pattern.format(form))] = value + Decimal("0.5")
        one_and_a_half = ONE_AND_A_HALF.get(self.lang, ())
        self.halves.update((letters(word), Decimal("1.5")) for word in one_and_a_half)
        if self.composes:
            (negative,), (five,) = (_say(value, self.lang, "cardinal") for value in (-5, 5))
            self.minus = letters(negative).removesuffix(letters(five))

    @property
    def composes(self) -> bool:
        """Whether the values of numbers above a thousand are known."""
        return self.lang in COMPOSED

    def _said(self, value: int) -> list[str]:
        forms = _say(value, self.lang, "cardinal")
        return [end for form in forms for end in _with_endings(form, ENDINGS.get(self.lang, ()))]

    def _add(self, value: int, forms: list[str]) -> None:
        for form in forms:
            # What is read first stays: the cardinal number rather than the year.
            self.small.setdefault(letters(form), value)
            words = form.replace("-", " ").split()
            self.parts.update(map(letters, words))
            if 1 <= value <= 2 and len(words) == 1:
                self.ones.setdefault(value, set()).add(letters(form))

    def _add_scale(self, scale: int) -> None:
        """Add the words of a power of ten: what is said beside `one`, `two` and `five`."""
        for times in (1, 2, 5):
            for form in _say(times * scale, self.lang, "cardinal"):
                said = letters(form)
                if self.value(said) == times * scale:
                    continue
                numbers = (*_ONES.get(self.lang, ()), *_say(times, self.lang, "cardinal"))
                starts = [letters(n) for n in numbers if said.startswith(letters(n))]
                word = said.removeprefix(max(starts, key=len, default=""))
                if word and word not in self.small:
                    self.scales = {word: scale, **self.scales}  # the largest first
                    self.known.clear()

    def is_part(self, word: str) -> bool:
        """Whether a word can be part of a number."""
        return word in self.parts or self.value(word) is not None

    def value(self, text: str) -> int | None:
        """Return the value of letters, or of letters with digits such as `8mille249`."""
        if text not in self.known:
            self.known[text] = self._value(text) if len(text) <= _LONGEST else None
        return self.known[text]

    def _value(self, text: str) -> int | None:
        if text.isdigit():
            return int(text) if len(text) <= 3 and (text[0] != "0" or text == "0") else None
        if text in self.small:
            return self.small[text]
        for word, scale in self.scales.items():
            place = text.find(word)
            while place >= 0:
                times = self.value(text[:place]) if place else 1
                rest = self._rest(text[place + len(word) :])
                if times and rest is not None and times < _most(scale) and rest < scale:
                    return times * scale + rest
                place = text.find(word, place + 1)
        return self._with_hundreds(text)

    def _rest(self, text: str) -> int | None:
        """Return the value behind a power of ten, where `and` may stand first."""
        if not text:
            return 0
        value = self.value(text)
        if value is None:
            joint = next((j for j in JOINTS.get(self.lang, ()) if text.startswith(j)), "")
            value = self.value(text[len(joint) :]) if joint and joint != text else None
        return value

    def _with_hundreds(self, text: str) -> int | None:
        """Return the value of numbers below a thousand whose `and` is said or not."""
        joints = JOINTS.get(self.lang, ())
        for joint in joints:
            if joint in text[1:-1] and (value := self.small.get(text.replace(joint, ""))):
                return value
        return None


# Words before a power of ten that are another form of `one`.
_ONES = {"de": ("ein", "eine"), "es": ("un",), "it": ("un",), "nl": ("een",), "pt": ("um",)}


def _most(scale: int) -> int:
    """Return the bound of what a power of ten can be multiplied with: `mil millones` is 10**9."""
    return 10**6 if scale == 10**6 else scale if scale == 10**4 else THOUSAND


def _with_endings(form: str, endings: tuple[tuple[str, str], ...]) -> list[str]:
    """Return a form of num2words and its variants: another start, end or part of it."""
    found = [form]
    for old, new in endings:
        for text in tuple(found):
            if old.startswith("^"):
                if text.startswith(old[1:]):
                    found.append(new + text[len(old) - 1 :])
            elif old.endswith("$"):
                if text.endswith(old[:-1]):
                    found.append(text[: len(text) - len(old) + 1] + new)
            elif old in text:
                found.append(text.replace(old, new))
    return found


@lru_cache(maxsize=1 << 12)
def _forms(value: int, lang: str, to: str) -> tuple[str, ...]:
    from num2words import num2words

    try:
        return (str(num2words(value, lang=CODES[lang], to=to)).lower().replace(",", ""),)
    except Exception:  # what it raises for a kind of number that a language lacks differs
        return ()


def _say(value: int, lang: str, to: str) -> list[str]:
    """Return what num2words says, or nothing if the language lacks this kind of number."""
    return list(_forms(value, lang, to))


def spoken_forms(text: str, lang: str) -> list[str]:
    """Return what num2words says for a whole number in digits, also as a year.

    >>> spoken_forms("3%", "de")
    []
    """
    if lang not in CODES or not text.isdecimal() or len(text) > 6:
        return []
    value = int(text)
    years = _say(value, lang, "year") if value in _YEARS else []
    return [*_say(value, lang, "cardinal"), *years]
